/* Contacts that hold while bodies turn and roll.
 *
 * A row has the normal and the point of the part's start. During the part the point moves over both surfaces and the
 * normal turns, so that the true gap differs from that of the row by a bend of second order: an edge that slides around
 * a ball with speed s sinks by (s h)^2 / 2 r, though its row keeps the gap. So the shapes are examined at the poses of
 * the solution, and the problem is solved again with rows of the middle of the part, J = J((q0 + q1) / 2):
 *
 *     gap(q1) + share h J (v - v1) >= gap(q0) + share h (J0 v0 - bias0),
 *
 * with v1 the last solution and v the next one: the gap at the end is then the one that the rows of the start were
 * meant to give. As bodies move by the mean of v0 and v1, a lasting contact does no work: this is the implicit midpoint
 * rule for held contacts. Tangents follow likewise. The iteration ends when the rows no longer change.
 *
 * Friction of sticking points ends the slip: s1 = J v1 = 0. If a point slides during the whole part, friction opposes
 * the mean slip, (s0 + s1) / 2: with s1 alone it would be of order 1. The solution shows which case applies.
 *
 * A point is found again by its feature, and else, on curved surfaces, as the nearest one. */
#include "step/curvature.h"

#include "model/method.h"
#include "problem/assemble.h"
#include "shape/geometry.h"
#include "step/hold.h"
#include "step/meetings.h"

#include <math.h>

#define NOTHING       1e-3 /* of the slop: smaller bends are ignored */
#define DEEP          1.5  /* slops: an overlap that is too much */
#define FARTHEST      4    /* times its own displacement, or that of rolling: the largest displacement of a point */
#define LEAST_SHARE   0.2
#define LARGEST_SHARE 3.0  /* of an error that is corrected in a round */
#define LASTS         0.25 /* of the slip at the start: with this much left, a point slides all the time */
#define MOST_CHANGES  2    /* between sticking and sliding of a point in a part */
#define SURELY        4    /* times what may change in the part: a slip that will last */

typedef struct search {
    ashi_step *step;
    const ashi_system *problem;
    double touch;
} search;

bool ashi_curvature_acts(const ashi_step *step)
{
    return step->method.step_control == ASH_STEP_IMPACTS && !step->windowed &&
           ashi_hold_share(step->method.integrator) < 1 && !ashi_method_divides(&step->method) &&
           !ashi_method_has_springs(&step->method) && step->collision->now.points.count > 0;
}

bool ashi_curvature_begin(ashi_step *step, const ashi_system *problem, ashi_arena *memory)
{
    uint32_t points = step->collision->now.points.count;
    step->bends = ashi_arena_take_array(memory, points, sizeof *step->bends);
    if (step->bends == NULL)
        return false;
    for (uint32_t i = 0; i < points; i++)
        step->bends[i] = (ashi_bend){.block = UINT32_MAX};
    for (uint32_t k = 0; k < problem->block_count; k++) {
        const ashi_block *block = &problem->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        const ashi_row *rows = &problem->rows[block->first_row];
        ashi_bend *bend = &step->bends[block->label];
        bend->block = k;
        bend->tangent = block->tangents > 0 ? rows[1].linear_b : v3(0, 0, 0);
        for (int i = 0; i <= block->tangents; i++)
            bend->bias[i] = rows[i].bias;
    }
    return ashi_collision_reserve_scratch(step->collision, step->tasks);
}

/* ---- which pairs ---- */

/* How far a body (by slot) has moved and turned in the part. */
static ash_motion way_of(const ashi_bodies *b, uint32_t slot)
{
    if (b->motion[slot] == 0)
        return (ash_motion){v3(0, 0, 0), v3(0, 0, 0)};
    ash_quat turn = q_mul(b->next.rotation[slot], q_conjugate(b->now.rotation[slot]));
    return (ash_motion){v3_sub(b->next.position[slot], b->now.position[slot]), q_log(turn)};
}

/* Twice the sine of half the angle that a body has turned by. */
static double turn_of(const ashi_bodies *b, uint32_t slot)
{
    if (b->motion[slot] == 0)
        return 0;
    ash_quat turn = q_mul(b->next.rotation[slot], q_conjugate(b->now.rotation[slot]));
    return 2 * v3_norm(v3(turn.x, turn.y, turn.z));
}

/* Whether the rows of a pair may bend by more than nothing. */
static bool may_bend(const search *s, const ashi_contact_pair *pair)
{
    const ashi_model *model = s->step->model;
    const ashi_bodies *b = &model->bodies;
    const ashi_collider *colliders = s->step->collision->colliders.data;
    const ashi_shape_entry *entry[2] = {&model->shapes.entries.data[pair->a], &model->shapes.entries.data[pair->b]};
    const uint32_t shapes[2] = {pair->a, pair->b}, slots[2] = {entry[0]->body, entry[1]->body};
    double turn[2] = {turn_of(b, slots[0]), turn_of(b, slots[1])}, width = INFINITY;
    for (int i = 0; i < 2; i++) { /* a ball rolls on a plane that does not turn, if its centre is the body's */
        const ashi_collider *ball = &colliders[shapes[i]];
        if (entry[i]->geometry->functions->ball && turn[1 - i] == 0 && entry[1 - i]->geometry->functions->endless)
            return turn[i] * turn[i] * v3_distance(ball->pose.position, b->now.position[slots[i]]) > NOTHING * s->touch;
    }
    double slide = v3_norm(v3_sub(v3_sub(b->next.position[slots[1]], b->now.position[slots[1]]),
                                  v3_sub(b->next.position[slots[0]], b->now.position[slots[0]])));
    for (int i = 0; i < 2; i++) {
        const ashi_collider *collider = &colliders[shapes[i]];
        if (turn[i] > 0)
            slide += turn[i] * (collider->reach + v3_distance(collider->pose.position, b->now.position[slots[i]]));
        if (!entry[i]->geometry->functions->straight) /* else rows bend only where a body turns */
            width = fmin(width, 0.5 * collider->thickness);
    }
    return (turn[0] + turn[1]) * slide + slide * slide / width > NOTHING * s->touch;
}

/* ---- gaps ---- */

/* A point at `next`, in the frame of a. */
typedef struct found_point {
    ash_vec3 place, normal;
    double gap;
} found_point;

/* Finds the point that corresponds to a given one; false: it no longer exists. `middle`: its position if it moves with
 * the bodies, in the frame of a, and `reach`: how far from there it may be. */
static bool find_point(const ashi_manifolds *found, const ashi_contact_record *contact, const ashi_point_record *point,
                       ash_vec3 middle, double reach, found_point *end)
{
    double nearest = reach;
    bool any = false;
    for (uint32_t i = 0; i < found->count; i++) {
        const ashi_manifold *m = &found->data[i];
        if (m->part_a != contact->part_a || m->part_b != contact->part_b)
            continue;
        for (uint32_t k = 0; k < m->count; k++) {
            const ashi_manifold_point *p = &m->points[k];
            ash_vec3 place = v3_add_scaled(p->on_a, m->normal, -0.5 * p->depth);
            double far = v3_distance(place, middle);
            bool same = p->feature == point->feature;
            if (!same && !(far < nearest))
                continue;
            nearest = same ? -1 : far;
            *end = (found_point){place, m->normal, -p->depth};
            any = true;
        }
    }
    return any;
}

/* Records the data of the start. */
static void note_start(ash_vec3 normal, ash_vec3 place, ashi_bend *bend)
{
    bend->normal[0] = normal;
    bend->place[0] = place;
    bend->noted = true;
}

/* The approximate displacement of a point over both surfaces while one rolls on the other: material points hardly move
 * there. */
static double way_of_rolling(const search *s, const ashi_contact_pair *pair, const ash_motion way[2])
{
    const uint32_t shapes[2] = {pair->a, pair->b};
    double radius = 0;
    for (int i = 0; i < 2; i++)
        if (!s->step->model->shapes.entries.data[shapes[i]].geometry->functions->straight)
            radius = fmax(radius, s->step->collision->colliders.data[shapes[i]].reach);
    return radius * v3_distance(way[0].angular, way[1].angular);
}

static void measure_contact(const search *s, const ashi_contact_record *contact, const ash_motion way[2],
                            const ash_transform pose[2], const ash_transform start[2], const ashi_manifolds *found)
{
    const ashi_contact_set *set = &s->step->collision->now;
    double far = v3_norm(v3_sub(way[1].linear, way[0].linear));
    far += way_of_rolling(s, &set->pairs.data[contact->pair], way);
    for (uint32_t m = contact->first_point; m < contact->first_point + contact->point_count; m++) {
        ashi_bend *bend = &s->step->bends[m];
        if (bend->block == UINT32_MAX)
            continue;
        const ashi_point_record *point = &set->points.data[m];
        ash_vec3 middle = v3_scale(v3_add(t_point(start[0], point->on_a), t_point(start[1], point->on_b)), 0.5), own[2];
        if (!bend->noted)
            note_start(q_rotate(start[0].rotation, contact->normal), middle, bend);
        for (int i = 0; i < 2; i++)
            own[i] = t_point(pose[i], t_point_inverse(start[i], middle));
        double reach = FARTHEST * (far + v3_distance(own[0], own[1]) + v3_distance(own[0], middle)) + s->touch;
        ash_vec3 between = v3_scale(v3_add(own[0], own[1]), 0.5);
        found_point end;
        bend->known = find_point(found, contact, point, t_point_inverse(pose[0], between), reach, &end) &&
                      v3_dot(q_rotate(pose[0].rotation, end.normal), bend->normal[0]) > 0; /* turned over: passed */
        if (bend->known) {
            const ashi_row *row = &s->problem->rows[s->problem->blocks[bend->block].first_row];
            bend->gap = end.gap;
            bend->way = bend->gap - (row->error + ashi_row_speed(row, &way[0], &way[1]));
            bend->normal[1] = q_rotate(pose[0].rotation, end.normal);
            bend->place[1] = t_point(pose[0], end.place);
        }
    }
}

/* False when memory ran out. */
static bool measure_pair(const search *s, const ashi_contact_pair *pair)
{
    ashi_step *step = s->step;
    const ashi_model *model = step->model;
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const ashi_contact_set *set = &step->collision->now;
    uint32_t first = set->contacts.data[pair->first_contact].first_point;
    for (uint32_t m = first; m < first + pair->point_count; m++)
        step->bends[m].known = false;
    if (!may_bend(s, pair))
        return true;
    const uint32_t slots[2] = {pair->a, pair->b};
    ash_transform start[2], pose[2];
    ash_motion way[2];
    for (int i = 0; i < 2; i++) {
        way[i] = way_of(&model->bodies, shapes[slots[i]].body);
        start[i] = ashi_shape_pose_at(model, &model->bodies.now, slots[i]);
        pose[i] = ashi_shape_pose_at(model, &model->bodies.next, slots[i]);
    }
    ashi_pair question = {.a = shapes[pair->a].geometry,
                          .b = shapes[pair->b].geometry,
                          .b_in_a = t_mul(t_inverse(pose[0]), pose[1]),
                          .margin = step->method.contact_margin,
                          .keep_all_points = true};
    ashi_manifolds *found = &step->collision->scratch.data[0];
    found->count = 0;
    if (!ashi_collide(&question, found))
        return false;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++)
        measure_contact(s, &set->contacts.data[i], way, pose, start, found);
    return true;
}

static bool is_in_problem(const search *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = &s->step->collision->now;
    if (pair->sensor || pair->contact_count == 0)
        return false;
    uint32_t first = set->contacts.data[pair->first_contact].first_point;
    for (uint32_t m = first; m < first + pair->point_count; m++)
        if (s->step->bends[m].block != UINT32_MAX)
            return true;
    return false;
}

bool ashi_curvature_measure(ashi_step *step, const ashi_system *problem)
{
    const ashi_contact_set *set = &step->collision->now;
    search s = {step, problem, ashi_meetings_touch(&step->method)};
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (is_in_problem(&s, &set->pairs.data[i]) && !measure_pair(&s, &set->pairs.data[i]))
            return false;
    return true;
}

/* ---- rows ---- */

/* The rows of a point from its place, centres and directions. */
static void set_rows(const ashi_block *block, const ash_vec3 arm[2], const ash_vec3 axes[3], ashi_row *rows)
{
    for (int i = 0; i <= block->tangents; i++) {
        rows[i].linear_a = v3_neg(axes[i]);
        rows[i].angular_a = v3_cross(axes[i], arm[0]);
        rows[i].linear_b = axes[i];
        rows[i].angular_b = v3_cross(arm[1], axes[i]);
    }
}

/* Tangents turn with the normal on the shortest way, so that it does not matter which were chosen. */
void ashi_curvature_axes(const ashi_bend *bend, ash_vec3 normal, ash_vec3 axes[3])
{
    ash_vec3 from = bend->normal[0];
    double along = v3_dot(bend->tangent, normal) / (1 + v3_dot(from, normal));
    axes[0] = normal;
    axes[1] = v3_add_scaled(bend->tangent, v3_add(from, normal), -along);
    axes[2] = v3_cross(normal, axes[1]);
}

static ash_vec3 between(ash_vec3 from, ash_vec3 to, double share)
{
    return v3_add_scaled(from, v3_sub(to, from), share);
}

/* The arms at the start (share 0) or in the middle (1/2). */
static void set_arms(const ashi_step *step, const ashi_system *p, const ashi_block *block, const ashi_bend *bend,
                     double share, ash_vec3 arm[2])
{
    const ashi_bodies *b = &step->model->bodies;
    const uint32_t bodies[2] = {block->body_a, block->body_b};
    ash_vec3 place = between(bend->place[0], bend->place[1], share);
    for (int i = 0; i < 2; i++) {
        uint32_t slot = ashi_pool_slot_of(&b->pool, p->bodies[bodies[i]].label);
        arm[i] = v3_sub(place, between(b->now.position[slot], b->next.position[slot], share));
        if (p->planar)
            arm[i].z = 0;
    }
}

/* How much of an error to correct: all of it, unless the last round shows that this is too much or too little. */
static double share_of(ashi_bend *bend, double off)
{
    double left = bend->off != 0 ? off / bend->off : 0, share = 1;
    if (bend->off != 0 && left < 1)
        share = fmin(fmax(bend->share / (1 - left), LEAST_SHARE), LARGEST_SHARE);
    bend->off = off;
    bend->share = share;
    return share;
}

/* Sets the normal's bias so that the gap becomes the one that the rows of the start were meant to give. Returns the
 * present deviation. */
static double aim(const ashi_step *step, const ashi_system *p, const ashi_block *block, ashi_bend *bend, double before,
                  double h)
{
    ashi_row *row = &p->rows[block->first_row];
    double share = h * ashi_hold_share(step->method.integrator);
    double off = bend->gap - (row->error + share * (before - bend->bias[0]));
    double after = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
    row->bias = share_of(bend, off) * off / share - after;
    return row->impulse > 0 ? fabs(off) : fmax(-off, 0);
}

static void motions_at_start(const ashi_system *p, const ashi_block *block, ash_motion v0[2])
{
    const uint32_t bodies[2] = {block->body_a, block->body_b};
    for (int i = 0; i < 2; i++)
        v0[i] = (ash_motion){p->bodies[bodies[i]].start_velocity, p->bodies[bodies[i]].start_spin};
}

/* What the tangents ask for: `before` is J v0 of the start, `middle` that of the rows as they are now. Returns by how
 * much it changes, m/s. */
static double aim_tangents(const ashi_system *p, const ashi_block *block, ashi_bend *bend, const double before[3],
                           const double middle[3], double least)
{
    ashi_row *rows = &p->rows[block->first_row];
    double start2 = 0, end2 = 0, both = 0, change = 0;
    for (int i = 1; i <= block->tangents; i++) {
        double after = ashi_row_speed(&rows[i], &p->velocity[block->body_a], &p->velocity[block->body_b]);
        double slip = before[i] + bend->bias[i], left = after + bend->bias[i] + middle[i] - before[i];
        start2 += slip * slip;
        end2 += left * left;
        both += slip * left;
    }
    bool lasts =
        rows[0].impulse > 0 && fmin(start2, end2) > least * least && both > (bend->slides ? 0 : LASTS * start2);
    bend->changes += lasts != bend->slides;
    bend->slides = lasts && bend->changes <= MOST_CHANGES;
    for (int i = 1; i <= block->tangents; i++) {
        double last = rows[i].bias, slip = before[i] + bend->bias[i];
        rows[i].bias = bend->bias[i] + middle[i] - before[i] + (bend->slides ? slip : 0);
        change = fmax(change, fabs(rows[i].bias - last));
    }
    return change;
}

/* The rows of a block in the middle of the part. Returns by how far that changes what they ask for. */
static double bend_block(ashi_step *step, ashi_system *p, ashi_block *block, ashi_bend *bend, double h, double least)
{
    const ashi_bodies *b = &step->model->bodies;
    const uint32_t bodies[2] = {block->body_a, block->body_b};
    ashi_row *rows = &p->rows[block->first_row], start[3], last[3];
    ash_motion v0[2], way[2];
    ash_vec3 arm[2], axes[3];
    double share = h * ashi_hold_share(step->method.integrator), change = 0, before[3], middle[3];
    motions_at_start(p, block, v0);
    for (int i = 0; i < 2; i++)
        way[i] = way_of(b, ashi_pool_slot_of(&b->pool, p->bodies[bodies[i]].label));
    for (int i = 0; i <= block->tangents; i++)
        start[i] = last[i] = rows[i];
    set_arms(step, p, block, bend, 0, arm);
    ashi_curvature_axes(bend, bend->normal[0], axes);
    set_rows(block, arm, axes, start);
    set_arms(step, p, block, bend, 0.5, arm);
    ashi_curvature_axes(bend, v3_unit(v3_add(bend->normal[0], bend->normal[1])), axes);
    set_rows(block, arm, axes, rows);
    bend->way = bend->gap - (rows[0].error + ashi_row_speed(&rows[0], &way[0], &way[1]));
    for (int i = 0; i <= block->tangents; i++) {
        before[i] = ashi_row_speed(&start[i], &v0[0], &v0[1]);
        middle[i] = ashi_row_speed(&rows[i], &v0[0], &v0[1]);
        double moved = ashi_row_speed(&rows[i], &way[0], &way[1]) - ashi_row_speed(&last[i], &way[0], &way[1]);
        change = fmax(change, rows[i].impulse != 0 ? fabs(moved) : 0);
    }
    change = fmax(change, aim(step, p, block, bend, before[0], h));
    return fmax(change, share * aim_tangents(p, block, bend, before, middle, least));
}

/* The same of rows that do not bend. */
static double slide_block(ashi_step *step, ashi_system *p, ashi_block *block, ashi_bend *bend, double h, double least)
{
    ash_motion v0[2];
    double before[3];
    motions_at_start(p, block, v0);
    for (int i = 1; i <= block->tangents; i++)
        before[i] = ashi_row_speed(&p->rows[block->first_row + (uint32_t)i], &v0[0], &v0[1]);
    return h * ashi_hold_share(step->method.integrator) * aim_tangents(p, block, bend, before, before, least);
}

double ashi_curvature_ask(ashi_step *step, ashi_system *problem, double h)
{
    double largest = 0, least = NOTHING * ashi_meetings_touch(&step->method) / h;
    for (uint32_t k = 0; k < problem->block_count; k++) {
        ashi_block *block = &problem->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        ashi_bend *bend = &step->bends[block->label];
        if (bend->known)
            largest = fmax(largest, bend_block(step, problem, block, bend, h, least));
        else if (block->tangents > 0)
            largest = fmax(largest, slide_block(step, problem, block, bend, h, least));
        block->bent = block->bent || bend->known || bend->slides;
    }
    return largest;
}

/* Whether free motion, and friction by the last step's force, leave most of a slip as it is. */
static bool will_slide(const ashi_system *p, const ashi_block *block, const double slip[3])
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    const ashi_row *rows = &p->rows[block->first_row];
    ash_motion by_a = {v3_sub(a->velocity, a->start_velocity), v3_sub(a->spin, a->start_spin)};
    ash_motion by_b = {v3_sub(b->velocity, b->start_velocity), v3_sub(b->spin, b->start_spin)};
    double change = 0, speed2 = 0, most = block->friction * rows[0].impulse;
    for (int i = 1; i <= block->tangents; i++) {
        change += fabs(ashi_row_speed(&rows[i], &by_a, &by_b)) + most * ashi_row_response(p, block, &rows[i], &rows[i]);
        speed2 += slip[i] * slip[i];
    }
    return most > 0 && speed2 > SURELY * SURELY * change * change;
}

void ashi_curvature_expect_slides(ashi_step *step, ashi_system *problem)
{
    for (uint32_t k = 0; k < problem->block_count; k++) {
        ashi_block *block = &problem->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        ashi_row *rows = &problem->rows[block->first_row];
        ash_motion v0[2];
        double slip[3];
        motions_at_start(problem, block, v0);
        for (int i = 1; i <= block->tangents; i++)
            slip[i] = ashi_row_speed(&rows[i], &v0[0], &v0[1]) + rows[i].bias;
        if (!will_slide(problem, block, slip))
            continue;
        step->bends[block->label].slides = block->bent = true;
        for (int i = 1; i <= block->tangents; i++)
            rows[i].bias += slip[i];
    }
}

void ashi_curvature_forget(ashi_step *step, ashi_system *problem)
{
    for (uint32_t k = 0; k < problem->block_count; k++) {
        const ashi_block *block = &problem->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        ashi_bend *bend = &step->bends[block->label];
        ashi_row *rows = &problem->rows[block->first_row];
        if (bend->noted) {
            ash_vec3 arm[2], axes[3];
            set_arms(step, problem, block, bend, 0, arm);
            ashi_curvature_axes(bend, bend->normal[0], axes);
            set_rows(block, arm, axes, rows);
        }
        for (int i = 0; i <= block->tangents; i++)
            rows[i].bias = bend->bias[i];
        bend->known = bend->slides = false;
    }
}

bool ashi_curvature_sinks(ashi_step *step)
{
    const ashi_system *p = step->problem;
    double touch = ashi_meetings_touch(&step->method);
    if (step->bends == NULL || !ashi_curvature_measure(step, p))
        return false;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_bend *bend = block->kind == ASHI_CONTACT_BLOCK ? &step->bends[block->label] : NULL;
        if (bend != NULL && bend->known && bend->gap < -DEEP * touch &&
            bend->gap < p->rows[block->first_row].error - NOTHING * touch)
            return true;
    }
    return false;
}
