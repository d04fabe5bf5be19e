/* Backtracking: the step is rewound to the instant of an impact (de Jong 2014, 3-2-1).
 *
 * Contacts that touch (gap up to the slop) hold during a part. Where the end of a part finds shapes that overlap and
 * still approach, they met within it: the part is taken again with the length at which the first of them just touch,
 * found from the cubic through gaps and speeds at both ends and then by the secant rule with bisection on the gap of
 * the two surface points. There the impact is solved at an instant, all
 * touching contacts together in one problem with Newton's restitution for those that approach (the rule for
 * simultaneous impacts), and the rest of the step follows. After max_impacts, or when the work granted to a step is
 * done, the rest is taken in one part, gaps closing as with a fixed step. */
#include "step/hold.h"

#include "problem/assemble.h"

#include <math.h>

#define SEARCH      40   /* lengths tried for one impact at most */
#define SLOWEST     1e-9 /* m/s: slower approaches are contact */
#define SHORTEST    1e-6 /* of the step: where a projection of positions makes shapes meet, no part is short enough */
#define HALVINGS    30   /* of the part, to find when two points touch */
#define STILL_APART 8    /* times that another contact may turn out to be the first */

/* Two surface points that are going to meet, in the frames of their shapes. */
typedef struct meeting {
    uint32_t a, b; /* slots of shapes */
    ashi_contact contact;
    ashi_contact_point point;
} meeting;

static double gap_at(const ashi_step *step, const ashi_state *state, const meeting *m)
{
    return ashi_contact_gap(&m->contact, &m->point, ashi_shape_pose_at(step->model, state, m->a),
                            ashi_shape_pose_at(step->model, state, m->b));
}

/* The speed at which the gap of a contact point grows at a state. */
static double gap_speed(const ashi_step *step, const ashi_state *state, const ashi_contact_pair *pair, ash_vec3 normal,
                        ash_vec3 point)
{
    const ashi_shape_entry *shapes = step->model->shapes.entries.data;
    uint32_t a = shapes[pair->a].body, b = shapes[pair->b].body;
    ash_vec3 at_a = v3_add(state->velocity[a], v3_cross(state->spin[a], v3_sub(point, state->position[a])));
    ash_vec3 at_b = v3_add(state->velocity[b], v3_cross(state->spin[b], v3_sub(point, state->position[b])));
    return v3_dot(normal, v3_sub(at_b, at_a));
}

/* How fast that gap grows, the normal turning with shape a. */
static double gap_rate(const ashi_step *step, const ashi_state *state, const meeting *m)
{
    const ashi_shape_entry *shapes = step->model->shapes.entries.data;
    uint32_t a = shapes[m->a].body, b = shapes[m->b].body;
    ash_transform pose = ashi_shape_pose_at(step->model, state, m->a);
    ash_vec3 normal = q_rotate(pose.rotation, m->contact.normal), at_a = t_point(pose, m->point.on_a);
    ash_vec3 at_b = t_point(ashi_shape_pose_at(step->model, state, m->b), m->point.on_b);
    ash_vec3 of_a = v3_add(state->velocity[a], v3_cross(state->spin[a], v3_sub(at_a, state->position[a])));
    ash_vec3 of_b = v3_add(state->velocity[b], v3_cross(state->spin[b], v3_sub(at_b, state->position[b])));
    return v3_dot(normal, v3_sub(of_b, of_a)) + v3_dot(v3_cross(state->spin[a], normal), v3_sub(at_b, at_a));
}

/* When the gap vanishes, as a share of the part: on the cubic with its values (positive, then negative) and slopes at
 * both ends. */
static double share_of_touch(double gap, double slope, double last_gap, double last_slope)
{
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; i++) {
        double s = 0.5 * (low + high), left = 1 - s;
        double here =
            left * left * (gap * (1 + 2 * s) + slope * s) + s * s * (last_gap * (3 - 2 * s) - last_slope * left);
        if (here > 0)
            low = s;
        else
            high = s;
    }
    return high;
}

/* Of the present contacts the point that still approaches, was apart at `start` and, as far as can be told, touched
 * first; `time` is when. False: there is none. */
static bool find_overlap(const ashi_step *step, const ashi_state *start, meeting *found, double *time)
{
    const ashi_contact_set *set = &step->collision->now;
    const ashi_state *now = &step->model->bodies.now;
    double earliest = HUGE_VAL, h = step->h;
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        const ashi_contact_pair *pair = &set->pairs.data[contact->pair];
        for (uint32_t k = 0; k < contact->point_count && !pair->sensor; k++) {
            const ashi_contact_point *point = &set->points.data[contact->first_point + k];
            if (!(point->depth > step->method.slop))
                continue;
            ash_transform pose = ashi_shape_pose_at(step->model, now, pair->a);
            ash_vec3 normal = q_rotate(pose.rotation, contact->normal);
            meeting m = {pair->a, pair->b, *contact, *point};
            double gap = gap_at(step, start, &m);
            if (!(gap_speed(step, now, pair, normal, t_point(pose, point->on_a)) < -SLOWEST && gap > step->method.slop))
                continue;
            double share =
                share_of_touch(gap, h * gap_rate(step, start, &m), gap_at(step, now, &m), h * gap_rate(step, now, &m));
            if (share < earliest) {
                *found = m;
                earliest = share;
            }
        }
    }
    *time = earliest * h;
    return earliest < HUGE_VAL;
}

/* The earliest touch of fast bodies that the end of the part says nothing of. */
static bool find_passage(const ashi_step *step, const ashi_state *start, meeting *found, double *time)
{
    const ashi_collision *c = step->collision;
    if (c->impacts.count == 0)
        return false;
    const ash_impact *impact = &c->impacts.data[0];
    const ashi_model *model = step->model;
    uint32_t a = ashi_pool_slot_of(&model->shapes.pool, impact->shape_a.id);
    uint32_t b = ashi_pool_slot_of(&model->shapes.pool, impact->shape_b.id);
    ash_transform pose_a = ashi_collision_pose_within(model, start, a, impact->time, step->h);
    ash_transform pose_b = ashi_collision_pose_within(model, start, b, impact->time, step->h);
    *found = (meeting){.a = a, .b = b};
    found->contact.normal = q_unrotate(pose_a.rotation, impact->normal);
    found->point.on_a = t_point_inverse(pose_a, impact->on_a);
    found->point.on_b = t_point_inverse(pose_b, impact->on_b);
    *time = impact->time;
    return true;
}

/* ---- lengths ---- */

/* What a part that is taken back must not leave behind. */
typedef struct books {
    ashi_work work;
    ash_yardstick error;
    uint64_t worst_a, worst_b, worst_row;
} books;

static books open_books(const ashi_step *step)
{
    return (books){step->work, step->error, step->worst_a, step->worst_b, step->worst_row};
}

static void restore_books(ashi_step *step, const books *b)
{
    step->work = b->work;
    step->error = b->error;
    step->worst_a = b->worst_a;
    step->worst_b = b->worst_b;
    step->worst_row = b->worst_row;
}

static bool is_finite(const ashi_step *step)
{
    return atomic_load(&step->worst_slot) == ASHI_NO_SLOT;
}

/* A part that was tried: `next` is its end, and these its books. */
typedef struct trial {
    bool taken;
    books after;
} trial;

/* Takes a part of length t and measures the gap at its end. False when that is impossible. */
static bool try_length(ashi_step *step, double t, const meeting *m, trial *last, double *gap)
{
    books before = open_books(step);
    bool good = ashi_step_part(step, t, step->method.slop) && is_finite(step);
    *last = (trial){good, open_books(step)};
    restore_books(step, &before);
    if (good)
        *gap = gap_at(step, &step->model->bodies.next, m);
    return good;
}

/* The length at which the gap vanishes, up to half the slop: between 0, where it is `gap_low`, and `high`, where it is
 * `gap_high`. When that is positive, too, the length lies beyond, but not beyond `longest`. `guess`: what is tried
 * first. `last`: the part of this length, if one was tried. */
static bool find_length(ashi_step *step, const meeting *m, double gap_low, double high, double gap_high, double guess,
                        double longest, trial *last, double *length)
{
    double low = 0, enough = 0.5 * step->method.slop, shortest = fmin(SHORTEST * step->length, longest);
    int side = 0;
    *length = high;
    for (int i = 0; i < SEARCH && fabs(gap_high) > enough && !ashi_solver_is_spent(step->solvers); i++) {
        double t = low + (high - low) * gap_low / (gap_low - gap_high);
        if (i % 4 == 3 && gap_high < 0)
            t = 0.5 * (low + high);
        if (i == 0 && guess < high)
            t = guess;
        t = t > 0 && t < longest ? fmax(t, shortest) : longest;
        double gap;
        if (!try_length(step, t, m, last, &gap))
            return false;
        *length = t;
        if (fabs(gap) <= enough || t <= shortest || (t >= longest && gap > 0))
            return true;
        bool above = gap > 0;
        if (above && gap_high < 0) {
            low = t;
            gap_low = gap;
            gap_high *= side == 1 ? 0.5 : 1; /* the Illinois rule: no end stays for long */
            side = 1;
        } else {
            if (above) { /* no bracket yet: the two last points */
                low = high;
                gap_low = gap_high;
            } else {
                gap_low *= side == -1 ? 0.5 : 1;
            }
            high = t;
            gap_high = gap;
            side = above ? 0 : -1;
        }
    }
    return true;
}

/* ---- parts ---- */

static void go_back(ashi_step *step, const books *before)
{
    ashi_bodies_exchange(&step->model->bodies);
    step->time -= step->h;
    ashi_joint_memory_restore(&step->model->joints, step->part_joints);
    ashi_collision_undo(step->collision);
    restore_books(step, before);
}

/* Impacts within the part that was taken. False when memory ran out. */
static bool find_passages(ashi_step *step)
{
    ashi_collision *c = step->collision;
    const ashi_state *start = &step->model->bodies.next;
    ashi_collision_forget_fast(c);
    bool some_meet = ashi_shapes_some_meet(&step->model->shapes); /* else colliders are out of date */
    for (uint32_t slot = 0; slot < c->colliders.count && some_meet; slot++)
        ashi_collision_note_fast(c, step->model, start, step->h, slot);
    return ashi_collision_find_impacts(c, step->model, start, &c->before, step->h);
}

/* Takes a part that ends at `longest` or at the first impact before. False, with a flag, when that is impossible. */
static bool take_to_impact(ashi_step *step, double longest, double *length)
{
    ashi_bodies *b = &step->model->bodies;
    bool continuous = step->method.continuous;
    *length = longest;
    ashi_joint_memory_keep(&step->model->joints, step->part_joints);
    trial last = {0};
    for (int round = 0;; round++) {
        books before = open_books(step);
        if (last.taken) {
            restore_books(step, &last.after);
        } else if (!ashi_step_judged_part(step, length, step->method.slop)) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        step->method.continuous = false; /* nobody is held back here */
        bool good = ashi_step_commit(step);
        step->method.continuous = continuous;
        if (good && continuous && !find_passages(step)) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        if (!good)
            return false;
        meeting m;
        double high = *length, guess = *length;
        const ashi_state *start = &b->next;
        bool passage = continuous && find_passage(step, start, &m, &high);
        if (round >= STILL_APART || *length <= SHORTEST * step->length || ashi_solver_is_spent(step->solvers) ||
            !(passage || find_overlap(step, start, &m, &guess)))
            return true;
        double gap_low = gap_at(step, start, &m), gap_high = gap_at(step, &b->now, &m);
        if (!(gap_low > step->method.slop))
            return true;
        go_back(step, &before);
        last.taken = false;
        if (passage && !try_length(step, high, &m, &last, &gap_high))
            return ashi_step_commit(step);
        double limit = *length;
        step->cut = false;
        if (!find_length(step, &m, gap_low, high, gap_high, guess, limit, &last, length))
            return ashi_step_commit(step); /* says what is not finite */
    }
}

bool ashi_step_by_impacts(ashi_step *step, double length)
{
    double left = length;
    uint32_t most = step->method.max_impacts, approaching = 0;
    for (uint32_t i = 0; left > 0; i += step->cut ? 0 : 1) {
        if (!ashi_hold_at_instant(step, step->method.slop, SLOWEST, &approaching)) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        step->impacts += approaching > 0;
        double part = left;
        if (i >= most || ashi_solver_is_spent(step->solvers)) {
            step->flags |= ASH_FLAG_MANY_IMPACTS;
            return ashi_step_take_parts(step, left);
        }
        if (!take_to_impact(step, left, &part))
            return false;
        left = part >= left * (1 - 1e-12) ? 0 : left - part;
    }
    /* An impact at the very end is part of this step. */
    return ashi_hold_at_instant(step, step->method.slop, SLOWEST, &approaching);
}
