/* Impacts within a step. A body that moved by more than half its thickness may have passed through something thin,
 * completely or by half, so that contacts at the end of the step are missing or wrong. It is assumed to move and turn
 * uniformly between its poses at the start and at the end; the first touch on this path is found by conservative
 * advancement (collide/impact.h), which cannot miss one.
 *
 * Against moving bodies this search is made only for bodies flagged `fast` and for bullets, which moved by more than
 * twice their thickness and which two successive detections can miss completely. */
#include "contact/collision.h"

#include "collide/broad/broad_parts.h"
#include "collide/query/impact.h"

#define TOLERANCE 1e-4 /* of a shape's thickness: the gap that counts as a touch, ... */
#define NEAREST   1e-9 /* ... but at least this, m: shapes may have no thickness */
#define ROUNDING  1e-9 /* much larger than any rounding error */
#define PASSED    0.25 /* of the thinner of two touching shapes: at this depth one may come out on the far side; ... */
#define TRIFLE    0.05 /* ... it is held where it is no deeper than this, ... */
#define HALVINGS  10   /* ... with this many halvings of the step to find the time */
#define BULLET    2    /* thicknesses in a step: bodies that move farther also meet moving bodies */

typedef struct impact_search {
    ashi_collision *collision;
    const ashi_model *model;
    const ashi_state *start;
    const ashi_contact_set *before; /* contacts of the start */
    double h;
    uint32_t slot; /* the shape that moves */
    bool meets_moving;
    bool out_of_memory;
} impact_search;

/* The shape's path in the step: its body's centre of mass moves straight, the shape turns about it. */
static ash_sweep sweep_of(const impact_search *s, uint32_t slot)
{
    const ashi_bodies *b = &s->model->bodies;
    const ashi_shape_entry *shape = &s->model->shapes.entries.data[slot];
    uint32_t body = shape->body;
    ash_sweep sweep = {.geometry = shape->geometry,
                       .pose = t_mul(ashi_body_frame(b, s->start, body), shape->pose),
                       .centre = t_point_inverse(shape->pose, b->info[body].mass.centre)};
    ash_quat turn = q_mul(b->now.rotation[body], q_conjugate(s->start->rotation[body]));
    sweep.velocity = v3_scale(v3_sub(b->now.position[body], s->start->position[body]), 1 / s->h);
    sweep.angular_velocity = v3_scale(q_log(turn), 1 / s->h);
    if (b->planar)
        sweep.pose.position.z = 0;
    return sweep;
}

/* The largest distance of a point of the shape from its centre of rotation. */
static double arm_of(const ash_sweep *sweep, double reach)
{
    return reach + v3_norm(sweep->centre);
}

/* An upper bound of the path length of any point of the shape. */
static double way_of(const ash_sweep *sweep, double reach, double h)
{
    double rate = v3_norm(sweep->angular_velocity);
    return h * (v3_norm(sweep->velocity) + (rate > 0 ? rate * arm_of(sweep, reach) : 0));
}

/* The same without the sweep. */
static double arm_about_body(const impact_search *s, const ashi_shape_entry *shape, double reach)
{
    return reach + v3_distance(s->model->bodies.info[shape->body].mass.centre, shape->pose.position);
}

/* Whether the shape has certainly moved by less than a length, without computing a logarithm: an angle is at most pi
 * times the sine of its half. */
static bool has_stayed(const impact_search *s, const ashi_shape_entry *shape, double reach, double length)
{
    const ashi_bodies *b = &s->model->bodies;
    uint32_t body = shape->body;
    ash_quat turn = q_mul(b->now.rotation[body], q_conjugate(s->start->rotation[body]));
    double sine = v3_norm(v3(turn.x, turn.y, turn.z));
    double way =
        v3_distance(b->now.position[body], s->start->position[body]) + ASHI_PI * sine * arm_about_body(s, shape, reach);
    return way < (1 - ROUNDING) * length;
}

static bool may_be_fast(const impact_search *s, uint32_t slot)
{
    const ashi_collider *collider = &s->collision->colliders.data[slot];
    const ashi_shape_entry *shape = &s->model->shapes.entries.data[slot];
    return !shape->sensor && (s->model->bodies.motion[shape->body] & ASHI_DYNAMIC) &&
           !has_stayed(s, shape, collider->reach, 0.5 * collider->thickness);
}

static bool is_fast(const impact_search *s, uint32_t slot, const ash_sweep *sweep)
{
    const ashi_collider *collider = &s->collision->colliders.data[slot];
    return may_be_fast(s, slot) && way_of(sweep, collider->reach, s->h) > 0.5 * collider->thickness;
}

static bool is_flagged(const impact_search *s, uint32_t slot)
{
    return s->model->bodies.info[s->model->shapes.entries.data[slot].body].fast;
}

/* Whether the shape is followed against bodies that move. */
static bool meets_moving(const impact_search *s, uint32_t slot)
{
    const ashi_collider *collider = &s->collision->colliders.data[slot];
    const ashi_shape_entry *shape = &s->model->shapes.entries.data[slot];
    return is_flagged(s, slot) || !has_stayed(s, shape, collider->reach, BULLET * collider->thickness);
}

static bool was_touching(const impact_search *s, uint32_t a, uint32_t b)
{
    const ashi_collision *c = s->collision;
    const ashi_contact_pair *old = ashi_contact_set_find(s->before, a < b ? a : b, a < b ? b : a);
    const ashi_collider *low = &c->colliders.data[a < b ? a : b], *high = &c->colliders.data[a < b ? b : a];
    return old != NULL && old->touching && old->handle_a == low->handle && old->handle_b == high->handle;
}

/* The depth of the deepest point of two shapes on their paths; 0 without contact. */
static double depth_at(const impact_search *s, const ash_sweep *a, const ash_sweep *b, double time,
                       ashi_pair_distance *deepest)
{
    ash_transform pose_a = ashi_sweep_pose(a, time), pose_b = ashi_sweep_pose(b, time);
    ashi_pair pair = {.a = a->geometry, .b = b->geometry, .b_in_a = t_mul(t_inverse(pose_a), pose_b)};
    ashi_manifolds *found = &s->collision->scratch.data[0];
    double depth = 0;
    found->count = 0;
    if (!ashi_collide(&pair, found))
        return 0;
    for (uint32_t i = 0; i < found->count; i++)
        for (uint32_t k = 0; k < found->data[i].count; k++) {
            const ashi_manifold *m = &found->data[i];
            if (!(m->points[k].depth > depth))
                continue;
            depth = m->points[k].depth;
            ash_vec3 on_a = t_point(pose_a, m->points[k].on_a), normal = q_rotate(pose_a.rotation, m->normal);
            *deepest =
                (ashi_pair_distance){.on_a = on_a, .on_b = v3_add_scaled(on_a, normal, -depth), .normal = normal};
        }
    return depth;
}

/* Shapes that touch already: a thin body that turns about the point may pass through the other, and contacts would then
 * push it out on the far side. Finds the last time at which they overlap only slightly; false: they do not
 * penetrate. */
static bool find_passage(const impact_search *s, const ash_sweep *a, const ash_sweep *b, double thin, ashi_toi *found)
{
    double low = 0, high = s->h;
    ashi_pair_distance closest = {0};
    if (!(thin > 0) || s->collision->scratch.count == 0 || depth_at(s, a, b, high, &closest) <= PASSED * thin ||
        depth_at(s, a, b, low, &closest) > TRIFLE * thin)
        return false;
    for (int i = 0; i < HALVINGS; i++) {
        double half = 0.5 * (low + high), depth = depth_at(s, a, b, half, &closest);
        *(depth > TRIFLE * thin ? &high : &low) = half;
    }
    *found = (ashi_toi){.time = low};
    depth_at(s, a, b, high, &found->closest);
    return true;
}

static double thinner(const impact_search *s, uint32_t a, uint32_t b)
{
    double of_a = s->collision->colliders.data[a].thickness, of_b = s->collision->colliders.data[b].thickness;
    return of_b > 0 && of_b < of_a ? of_b : of_a; /* a line has none */
}

/* Searches for the first touch of the shape with another on their paths. */
static void meet(impact_search *s, uint32_t other)
{
    ashi_collision *c = s->collision;
    if (s->model->shapes.entries.data[other].sensor || !ashi_collision_may_meet(c, s->model, s->slot, other))
        return;
    ash_sweep a = sweep_of(s, s->slot), b = sweep_of(s, other);
    if (!is_fast(s, s->slot, &a) && !is_fast(s, other, &b))
        return;
    double tolerance = TOLERANCE * c->colliders.data[s->slot].thickness;
    ashi_toi found;
    if (was_touching(s, s->slot, other)) {
        if (!find_passage(s, &a, &b, thinner(s, s->slot, other), &found))
            return;
        /* They touched at the start already: the contacts of the start have acted, and a body held there would never
         * leave. */
    } else if (!ashi_first_impact(&a, &b, s->h, tolerance > NEAREST ? tolerance : NEAREST, &found) || found.time == 0) {
        return;
    }
    if (!ashi_array_extend(&c->impacts)) {
        s->out_of_memory = true;
        return;
    }
    c->impacts.data[c->impacts.count - 1] = (ash_impact){.shape_a = {c->colliders.data[s->slot].handle},
                                                         .shape_b = {c->colliders.data[other].handle},
                                                         .time = found.time,
                                                         .on_a = found.closest.on_a,
                                                         .on_b = found.closest.on_b,
                                                         .normal = found.closest.normal};
}

/* Visits a shape whose box at the end of the step is on the path. Pairs of fast shapes are handled separately. */
static bool visit(uint32_t other, void *data)
{
    impact_search *s = data;
    bool moves = s->model->bodies.motion[s->model->shapes.entries.data[other].body] != 0;
    if (other != s->slot && (!moves || ((s->meets_moving || is_flagged(s, other)) && !may_be_fast(s, other))))
        meet(s, other);
    return !s->out_of_memory;
}

/* Handles pairs of fast shapes, one of which is followed against moving bodies, if their paths cross. */
static void meet_fast_ones(impact_search *s)
{
    const ashi_collision *c = s->collision;
    for (uint32_t i = 0; i < c->fast.count; i++) {
        const ashi_fast_shape *mine = &c->fast.data[i];
        for (uint32_t k = 0; mine->meets_moving && k < c->fast.count && !s->out_of_memory; k++) {
            const ashi_fast_shape *theirs = &c->fast.data[k];
            if (k == i || (theirs->meets_moving && k < i) || !bounds_overlap(&mine->way, &theirs->way))
                continue;
            s->slot = mine->slot;
            meet(s, theirs->slot);
        }
    }
}

/* A box around the shape's path: that of a ball about its body's centre of mass, from start to end. */
static ash_bounds swept_box(const impact_search *s, uint32_t slot)
{
    const ashi_bodies *b = &s->model->bodies;
    const ashi_shape_entry *shape = &s->model->shapes.entries.data[slot];
    double arm = arm_about_body(s, shape, s->collision->colliders.data[slot].reach);
    ash_vec3 from = s->start->position[shape->body], to = b->now.position[shape->body], r = v3(arm, arm, arm);
    if (b->planar)
        from.z = to.z = 0;
    return (ash_bounds){v3_sub(v3_min(from, to), r), v3_add(v3_max(from, to), r)};
}

/* Earliest first, then by handles: an order that does not depend on the tree. */
static bool comes_before(const ash_impact *a, const ash_impact *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->shape_a.id != b->shape_a.id ? a->shape_a.id < b->shape_a.id : a->shape_b.id < b->shape_b.id;
}

static void sort_impacts(ash_impact *impacts, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) { /* impacts are few */
        ash_impact impact = impacts[i];
        uint32_t k = i;
        for (; k > 0 && comes_before(&impact, &impacts[k - 1]); k--)
            impacts[k] = impacts[k - 1];
        impacts[k] = impact;
    }
}

void ashi_collision_forget_fast(ashi_collision *c)
{
    c->fast.count = 0;
    c->some_flagged = c->some_meet_moving = false;
}

bool ashi_collision_may_be_fast(const ashi_collision *c, const ashi_model *model, const ashi_state *start,
                                uint32_t slot)
{
    const impact_search search = {.collision = (ashi_collision *)c, .model = model, .start = start};
    return is_flagged(&search, slot) || may_be_fast(&search, slot);
}

void ashi_collision_note_fast(ashi_collision *c, const ashi_model *model, const ashi_state *start, double h,
                              uint32_t slot)
{
    impact_search search = {.collision = c, .model = model, .start = start, .h = h};
    if (c->colliders.data[slot].handle == 0)
        return;
    c->some_flagged |= model->bodies.info[model->shapes.entries.data[slot].body].fast;
    if (!may_be_fast(&search, slot))
        return;
    bool meets = meets_moving(&search, slot);
    c->some_meet_moving |= meets;
    c->fast.data[c->fast.count++] = (ashi_fast_shape){slot, meets, swept_box(&search, slot)};
}

bool ashi_collision_find_impacts(ashi_collision *c, const ashi_model *model, const ashi_state *start,
                                 const ashi_contact_set *before, double h)
{
    impact_search search = {.collision = c, .model = model, .start = start, .before = before, .h = h};
    c->impacts.count = 0;
    if (!ashi_shapes_some_meet(&model->shapes))
        return true;
    if (c->fast.count > 0 && (c->some_flagged || c->some_meet_moving))
        ashi_broad_fit(c->broad);
    for (uint32_t i = 0; i < c->fast.count && !search.out_of_memory; i++) {
        const ashi_fast_shape *shape = &c->fast.data[i];
        search.slot = shape->slot;
        search.meets_moving = shape->meets_moving;
        /* Most are followed only against resting shapes: the many boxes of a pile need not be searched or sorted. */
        if (c->some_flagged || shape->meets_moving)
            ashi_broad_query_box(c->broad, shape->way, visit, &search);
        else
            ashi_broad_query_resting(c->broad, shape->way, visit, &search);
    }
    if (c->some_meet_moving)
        meet_fast_ones(&search);
    sort_impacts(c->impacts.data, c->impacts.count);
    return !search.out_of_memory;
}

void ashi_collision_hold_back(ashi_model *model, const ashi_state *start, uint32_t slot, double time, double h)
{
    ashi_bodies *b = &model->bodies;
    double share = time / h;
    ash_quat turn = q_mul(b->now.rotation[slot], q_conjugate(start->rotation[slot]));
    ash_vec3 momentum = ashi_angular_momentum(&b->rotor[slot], b->now.rotation[slot], b->now.spin[slot]);
    b->now.position[slot] = v3_add_scaled(b->now.position[slot], b->now.velocity[slot], time - h);
    b->now.rotation[slot] = q_unit(q_mul(q_exp(v3_scale(q_log(turn), share)), start->rotation[slot]));
    if (b->motion[slot] & ASHI_ROTATES)
        b->now.spin[slot] = ashi_angular_response(b, slot, b->now.rotation[slot], momentum);
}
