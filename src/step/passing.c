/* The row of a contact with a gap requires that along the normal of the start the gap may close, but no more. Beside an
 * edge that normal is oblique, and a body that moves past the edge would close the gap along it without ever touching
 * anything. The row would push the body aside.
 *
 * So the row is tested first: does free motion close the gap, by the speed of the row or by the displacement of its two
 * material points? If so, the true gap of the shapes along their free paths (encounter.h) decides: shapes that do not
 * touch pass each other, and their contacts are left out. Contacts that carried a force are always kept, and so are all
 * contacts of shapes that touch somewhere; each part of a compound is judged by itself.
 *
 * Free motion ignores what supports a body. A body that slides over flush pieces of a floor would fall into the side of
 * the next piece. So supported bodies (supports.h) are also tried in uniform motion, lifted off a support by its
 * overlap and the slop: if a row acts even then, or gives far too small a gap at the end, and the shapes do not touch,
 * they pass. Shapes that overlap by no more than that are tried only in this way.
 *
 * If contacts push a body into a shape that it would have passed, the next step finds the contact, as for bodies whose
 * gap was larger than the margin. */
#include "step/passing.h"

#include "model/method.h"
#include "problem/assemble.h"
#include "problem/assembling.h"
#include "shape/geometry.h"
#include "step/encounter.h"
#include "step/meetings.h"
#include "step/scheme.h"
#include "step/supports.h"

#include <math.h>
#include <string.h>

#define SLOW 0.1 /* of the slack: a contact that closes by less may rest on something that free motion ignores */
#define FALL 0.1 /* of a body's fall in a step: allowed error of rows */

enum { CHUNK = 128 }; /* pairs that a thread tests at a time */

typedef struct search {
    ashi_step *step;
    double h, reach;
    double rest;   /* s of the step by which bodies still move after h: with shock propagation */
    bool projects; /* rows act on positions, too */
    bool *passes;  /* by contact point; null: none does so far */
    bool *asks;    /* by pair: whether a row of a piece would act on free motion */
    bool known;    /* supports have been found */
    ashi_supports supports;
} search;

/* Contacts of a pair that are judged together: of one part with one part. */
typedef struct piece {
    const ashi_contact_pair *pair;
    uint32_t first, count; /* contacts */
    uint32_t body[2];      /* slots */
    double gap;            /* the least of all points, m */
    bool carried;          /* some point carried a force */
} piece;

/* The displacement of a body before it is tested. */
typedef struct lift {
    uint32_t side; /* 0: of the first body, 1: of the second */
    ash_vec3 direction;
    double by; /* m; 0: not at all */
} lift;

/* The gap below which a solver acts on shapes. */
static double slack_of(const search *s, uint32_t a, uint32_t b)
{
    const ash_method *method = &s->step->method;
    const ashi_bodies *bodies = &s->step->model->bodies;
    if (ashi_method_divides(method)) {
        double n = method->solver.substeps, gained = v3_distance(bodies->next.velocity[a], bodies->now.velocity[a]) +
                                                     v3_distance(bodies->next.velocity[b], bodies->now.velocity[b]);
        return s->h * gained / (n * n);
    }
    return s->step->scheme->closes_within_slop ? method->slop : 0;
}

/* The speed of b against a at a place along the normal. */
static double speed_at(const ashi_state *place, const ashi_state *moving, uint32_t a, uint32_t b, ash_vec3 point,
                       ash_vec3 normal)
{
    ash_vec3 of_a = v3_add(moving->velocity[a], v3_cross(moving->spin[a], v3_sub(point, place->position[a])));
    ash_vec3 of_b = v3_add(moving->velocity[b], v3_cross(moving->spin[b], v3_sub(point, place->position[b])));
    return v3_dot(normal, v3_sub(of_b, of_a));
}

static bool is_compound(const search *s, uint32_t shape)
{
    return s->step->model->shapes.entries.data[shape].geometry->functions->parts;
}

/* The piece that begins with a contact. Once a force is seen, its gap does not matter. */
static piece piece_at(const search *s, const ashi_contact_pair *pair, uint32_t first)
{
    const ashi_contact_set *set = &s->step->collision->now;
    const ashi_shape_entry *shapes = s->step->model->shapes.entries.data;
    const ashi_contact_record *c = set->contacts.data;
    uint32_t end = pair->first_contact + pair->contact_count;
    bool several = end - first > 1;
    bool by_a = several && is_compound(s, pair->a), by_b = several && is_compound(s, pair->b);
    piece p = {pair, first, end - first, {shapes[pair->a].body, shapes[pair->b].body}, INFINITY, false};
    for (uint32_t i = first + 1; i < end && (by_a || by_b) && p.count == end - first; i++)
        if ((by_a && c[i].part_a != c[first].part_a) || (by_b && c[i].part_b != c[first].part_b))
            p.count = i - first;
    for (uint32_t i = first; i < first + p.count && !p.carried; i++)
        for (uint32_t k = c[i].first_point; k < c[i].first_point + c[i].point_count; k++) {
            const ashi_point_record *point = &set->points.data[k];
            p.carried = p.carried || v3_norm2(point->force) > 0;
            p.gap = fmin(p.gap, -point->depth);
        }
    return p;
}

/* The longest way that a point of one body goes against the other's; infinite where a plane turns. */
static double longest_way(const search *s, const piece *p)
{
    const ashi_bodies *bodies = &s->step->model->bodies;
    const ashi_collider *colliders = s->step->collision->colliders.data;
    const uint32_t *slots = p->body, shapes[2] = {p->pair->a, p->pair->b}, a = slots[0], b = slots[1];
    double speed = sqrt(fmax(v3_norm2(v3_sub(bodies->now.velocity[b], bodies->now.velocity[a])),
                             v3_norm2(v3_sub(bodies->next.velocity[b], bodies->next.velocity[a]))));
    for (int i = 0; i < 2; i++) {
        double spin = sqrt(fmax(v3_norm2(bodies->now.spin[slots[i]]), v3_norm2(bodies->next.spin[slots[i]])));
        double arm = colliders[shapes[i]].reach + s->step->method.contact_margin +
                     v3_distance(colliders[shapes[i]].pose.position, bodies->now.position[slots[i]]);
        speed += spin > 0 ? spin * arm : 0;
    }
    return (s->h + s->rest) * speed;
}

/* Whether the row of a point of the piece would act on free motion. */
static bool closes(const search *s, const piece *p)
{
    const ashi_model *model = s->step->model;
    const ashi_bodies *bodies = &model->bodies;
    const ashi_contact_set *set = &s->step->collision->now;
    uint32_t a = p->body[0], b = p->body[1];
    double slack = slack_of(s, a, b);
    if (p->gap > 1.5 * longest_way(s, p) + slack)
        return false;
    ash_transform pose_a = ashi_shape_pose_at(model, &bodies->now, p->pair->a);
    ash_transform end_a = s->projects ? ashi_shape_pose_at(model, &bodies->next, p->pair->a) : pose_a;
    ash_transform end_b = s->projects ? ashi_shape_pose_at(model, &bodies->next, p->pair->b) : pose_a;
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        ash_vec3 normal = q_rotate(pose_a.rotation, contact->normal);
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            const ashi_point_record *point = &set->points.data[k];
            ash_vec3 place = t_point(pose_a, point->on_a);
            double speed = fmin(speed_at(&bodies->now, &bodies->now, a, b, place, normal),
                                speed_at(&bodies->now, &bodies->next, a, b, place, normal));
            double way = (s->h + s->rest) * speed, rest = s->rest * fmax(-speed, 0);
            if ((-point->depth + way < slack && way < -SLOW * slack) ||
                (s->projects && ashi_contact_gap(normal, point, end_a, end_b) < rest))
                return true;
        }
    }
    return false;
}

/* The way of one side of a piece. */
static ashi_course way_of(const search *s, const piece *p, uint32_t side)
{
    const ashi_step *step = s->step;
    const ashi_bodies *b = &step->model->bodies;
    const ashi_contact_record *contact = &step->collision->now.contacts.data[p->first];
    uint32_t shape = side == 0 ? p->pair->a : p->pair->b;
    ashi_course way = ashi_course_of(step->model, shape, ashi_collision_reach(step->collision, step->model, shape),
                                     &b->now, &b->next, s->h);
    if (is_compound(s, shape)) {
        const ash_geometry_part *part = &way.geometry->def.parts[side == 0 ? contact->part_a : contact->part_b];
        way.geometry = part->geometry;
        way.in_body = t_mul(way.in_body, part->pose);
    }
    return way;
}

static ashi_encounter encounter_of(const search *s, const ashi_course ways[2])
{
    const ashi_step *step = s->step;
    return (ashi_encounter){.a = ways[0],
                            .b = ways[1],
                            .h = s->h + s->rest,
                            .margin = step->method.contact_margin,
                            .slop = ashi_meetings_touch(&step->method),
                            .scratch = &step->collision->scratch.data[0]};
}

/* Whether the shapes stay apart, starting from a gap; 0: unknown. */
static bool misses(const search *s, const ashi_course ways[2], double gap)
{
    ashi_encounter e = encounter_of(s, ways);
    double time, whole = e.h;
    gap = gap > 0 ? gap : ashi_encounter_gap(&e, 0);
    if (!(gap > 0))
        return false;
    double last = ashi_encounter_gap(&e, whole);
    if (last < 0)
        return false;
    return !ashi_encounter_may_touch(&e, gap, last) || !ashi_encounter_time(&e, 0, 0, gap, last, &time);
}

/* The paths of supported bodies in uniform motion. */
static void find_even_ways(const search *s, const piece *p, ashi_course ways[2])
{
    for (uint32_t side = 0; side < 2; side++) {
        ways[side] = way_of(s, p, side);
        if (s->supports.count[p->body[side]] > 0)
            ways[side].bend = ways[side].twist = v3(0, 0, 0);
    }
}

/* The least gap that rows which close see at the end of even ways, one body lifted; infinite: none closes. */
static double seen_gap(const search *s, const piece *p, const lift *up)
{
    const ashi_model *model = s->step->model;
    const ashi_state *now = &model->bodies.now;
    const ashi_contact_set *set = &s->step->collision->now;
    ash_transform pose = ashi_shape_pose_at(model, now, p->pair->a);
    double seen = INFINITY;
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        ash_vec3 normal = q_rotate(pose.rotation, contact->normal);
        double lifted = up->by * v3_dot(normal, up->direction) * (up->side == 0 ? -1 : 1);
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            const ashi_point_record *point = &set->points.data[k];
            double speed = speed_at(now, now, p->body[0], p->body[1], t_point(pose, point->on_a), normal);
            if (speed < 0)
                seen = fmin(seen, lifted - point->depth + (s->h + s->rest) * speed);
        }
    }
    return seen;
}

/* How far bodies fall within the step, m. */
static double fall_of(const search *s, const piece *p)
{
    const ashi_bodies *b = &s->step->model->bodies;
    double gained = 0;
    for (uint32_t side = 0; side < 2; side++)
        gained += v3_distance(b->next.velocity[p->body[side]], b->now.velocity[p->body[side]]);
    return (s->h + s->rest) * gained;
}

/* Whether a support lets the shapes pass. Rows may also give a smaller gap at the end of uniform motion than there is,
 * by more than a share of the fall in a step: leaving these out is the smaller error. */
static bool passes_on_support(const search *s, const piece *p)
{
    double slop = ashi_meetings_touch(&s->step->method), enough = FALL * fall_of(s, p);
    double seen = seen_gap(s, p, &(lift){0});
    ashi_course ways[2];
    find_even_ways(s, p, ways);
    ashi_encounter e = encounter_of(s, ways);
    double last = ashi_encounter_gap(&e, e.h);
    bool wrong = seen < -enough && last - seen > enough;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t body = p->body[side];
        ash_vec3 start = ways[side].start;
        for (uint32_t i = 0; i < s->supports.count[body]; i++) {
            ashi_support support = ashi_support_at(s->step, &s->supports, body, i);
            lift up = {side, support.direction, support.depth + slop};
            bool own = support.contact - p->first < p->count;
            if (own || fmin(p->gap, last) + up.by <= 0) /* which is not enough, whatever the direction */
                continue;
            ways[side].start = v3_add_scaled(start, up.direction, up.by);
            if ((wrong || seen_gap(s, p, &up) < 0) && misses(s, ways, 0))
                return true;
        }
        ways[side].start = start;
    }
    return false;
}

/* Finds the supports of the bodies of pairs in question. False when memory ran out. */
static bool find_supports(search *s)
{
    const ashi_step *step = s->step;
    const ashi_shape_entry *shapes = step->model->shapes.entries.data;
    uint32_t bodies = ashi_body_slots(&step->model->bodies);
    bool *wanted = ashi_arena_take_array(step->scratch, bodies, sizeof *wanted);
    if (wanted == NULL)
        return false;
    memset(wanted, 0, bodies * sizeof *wanted);
    for (uint32_t i = 0; i < step->collision->now.pairs.count; i++) {
        const ashi_contact_pair *pair = &step->collision->now.pairs.data[i];
        if (s->asks[i])
            wanted[shapes[pair->a].body] = wanted[shapes[pair->b].body] = true;
    }
    return ashi_supports_find(step, ashi_meetings_touch(&step->method), wanted, &s->supports);
}

/* Whether the shapes of a piece that asks pass each other. False in *ok: memory ran out. */
static bool passes(search *s, const piece *p, bool *ok)
{
    const ash_method *method = &s->step->method;
    double touch = s->step->scheme->closes_within_slop ? method->slop : 0;
    if (!ashi_collision_reserve_scratch(s->step->collision, s->step->tasks)) {
        *ok = false;
        return false;
    }
    if (p->gap > touch && misses(s, (ashi_course[2]){way_of(s, p, 0), way_of(s, p, 1)}, p->gap))
        return true;
    if (!s->known && !find_supports(s)) {
        *ok = false;
        return false;
    }
    s->known = true;
    return passes_on_support(s, p);
}

/* False when memory ran out. */
static bool leave_out(search *s, const piece *p)
{
    ashi_step *step = s->step;
    const ashi_contact_set *set = &step->collision->now;
    if (s->passes == NULL) {
        size_t size = set->points.count * sizeof *s->passes;
        s->passes = ashi_arena_take_array(step->scratch, set->points.count, sizeof *s->passes);
        if (s->passes == NULL)
            return false;
        if (step->leaves != NULL)
            memcpy(s->passes, step->leaves, size);
        else
            memset(s->passes, 0, size);
    }
    const ashi_contact_record *first = &set->contacts.data[p->first], *last = first + p->count - 1;
    uint32_t points = last->first_point + last->point_count - first->first_point;
    memset(&s->passes[first->first_point], true, points * sizeof *s->passes);
    return true;
}

static bool piece_asks(const search *s, const piece *p)
{
    return !p->carried && p->gap <= s->reach && closes(s, p);
}

static bool pair_asks(const search *s, const ashi_contact_pair *pair)
{
    bool whole = pair->contact_count == 1; /* one piece: a force that it carried decides */
    if (pair->sensor || pair->contact_count == 0 || (whole && pair->carried) ||
        !ashi_contact_pair_is_awake(s->step->model, pair))
        return false;
    bool asks = false;
    uint32_t count;
    for (uint32_t k = 0; k < pair->contact_count && !asks; k += count) {
        piece p = piece_at(s, pair, pair->first_contact + k);
        asks = piece_asks(s, &p);
        count = p.count;
    }
    return asks;
}

static void look_at_pairs(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const search *s = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        s->asks[i] = pair_asks(s, &s->step->collision->now.pairs.data[i]);
}

/* The pieces of a pair that asks. False when memory ran out. */
static bool judge_pair(search *s, const ashi_contact_pair *pair)
{
    bool ok = true;
    uint32_t count;
    for (uint32_t k = 0; k < pair->contact_count && ok; k += count) {
        piece p = piece_at(s, pair, pair->first_contact + k);
        bool leaves_out = piece_asks(s, &p) && passes(s, &p, &ok);
        ok = ok && (!leaves_out || leave_out(s, &p));
        count = p.count;
    }
    return ok;
}

bool ashi_passing_note(ashi_step *step, double h, double reach, const bool **leaves)
{
    const ashi_contact_set *set = &step->collision->now;
    ash_stabilization mode = step->method.stabilization;
    search s = {.step = step,
                .h = h,
                .reach = reach,
                .rest = step->scheme->closes_within_slop ? fmax(step->divided - h, 0) : 0,
                .projects = mode == ASH_STABILIZE_POST || mode == ASH_STABILIZE_MIXED};
    *leaves = step->leaves;
    bool holds_gaps = step->method.hold_gaps && step->scheme->closes_within_slop;
    if (!(h > 0) || step->method.contacts != ASH_CONTACTS_SOLVE || holds_gaps)
        return true;
    s.asks = ashi_arena_take_array(step->scratch, set->pairs.count, sizeof *s.asks);
    if (s.asks == NULL)
        return false;
    ashi_parallel_for(step->tasks, set->pairs.count, CHUNK, look_at_pairs, &s);
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (s.asks[i] && !judge_pair(&s, &set->pairs.data[i]))
            return false;
    *leaves = s.passes != NULL ? s.passes : step->leaves;
    return true;
}
