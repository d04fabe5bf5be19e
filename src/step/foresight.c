/* Foreseen poses, candidates and the visit of a pair. */
#include "step/foresight.h"

#include "problem/assembling.h"
#include "step/point_impulse.h"

#include <math.h>
#include <string.h>

#define FEWEST_POINTS 64  /* of a pair that memory is kept ready for */
#define FEWEST_PAIRS  256 /* the same of pairs */

/* ---- bodies ---- */

static ash_vec3 inverse_mass_of(const ashi_bodies *b, uint32_t slot)
{
    double inverse = b->motion[slot] & ASHI_DYNAMIC ? b->inertial[slot].inverse_mass : 0;
    ash_vec3 by_axis = v3(inverse, inverse, inverse);
    return b->motion[slot] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, slot, by_axis) : by_axis;
}

bool ashi_foresight_begin(ashi_foresight *f, ashi_step *step, const ashi_state *moving, double lever)
{
    const ashi_bodies *b = &step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    *f = (ashi_foresight){.step = step, .lever = lever, .impulses = 1, .point_room = FEWEST_POINTS};
    f->bodies = ashi_arena_take_array(step->scratch, slots, sizeof *f->bodies);
    f->points = ashi_arena_take_array(step->scratch, f->point_room, sizeof *f->points);
    if (f->bodies == NULL || f->points == NULL || !ashi_step_scratch_state(step, &f->state) ||
        !ashi_collision_reserve_scratch(step->collision, step->tasks))
        return false;
    memcpy(f->state.position, b->next.position, slots * sizeof *f->state.position);
    memcpy(f->state.rotation, b->next.rotation, slots * sizeof *f->state.rotation);
    memcpy(f->state.velocity, moving->velocity, slots * sizeof *f->state.velocity);
    memcpy(f->state.spin, moving->spin, slots * sizeof *f->state.spin);
    for (uint32_t i = 0; i < slots; i++)
        f->bodies[i] = (ashi_foreseen_body){.inverse_mass = inverse_mass_of(b, i),
                                            .inverse_inertia = ashi_inverse_inertia_at(b, i, b->now.rotation[i]),
                                            .velocity = moving->velocity[i],
                                            .spin = moving->spin[i],
                                            .changed = f->impulses};
    return true;
}

static bool can_move(const ashi_foreseen_body *body)
{
    const ash_vec3 *m = &body->inverse_mass;
    const ash_sym3 *i = &body->inverse_inertia;
    return !body->held && (m->x > 0 || m->y > 0 || m->z > 0 || i->xx > 0 || i->yy > 0 || i->zz > 0);
}

void ashi_foresight_push(ashi_foresight *f, uint32_t slot, ash_vec3 impulse, ash_vec3 moment)
{
    ashi_foreseen_body *body = &f->bodies[slot];
    if (!can_move(body))
        return;
    f->state.velocity[slot] = v3_add(f->state.velocity[slot], v3_mul(body->inverse_mass, impulse));
    f->state.spin[slot] = v3_add(f->state.spin[slot], s3_apply(body->inverse_inertia, moment));
    body->changed = f->impulses;
    body->moved = true;
}

/* The pose that the present velocity leads to. */
static void foresee(ashi_foresight *f, uint32_t slot)
{
    ashi_foreseen_body *body = &f->bodies[slot];
    const ashi_state *next = &f->step->model->bodies.next;
    if (!body->moved)
        return;
    ash_vec3 way = v3_scale(v3_sub(f->state.velocity[slot], body->velocity), f->lever);
    ash_vec3 turn = v3_scale(v3_sub(f->state.spin[slot], body->spin), f->lever);
    f->state.position[slot] = v3_add(next->position[slot], way);
    f->state.rotation[slot] = q_unit(q_mul(q_exp(turn), next->rotation[slot]));
    body->moved = false;
}

/* ---- pairs ---- */

static ashi_foreseen_pair make_pair(const ashi_model *model, ashi_broad_pair slots)
{
    const ashi_shape_entry *a = &model->shapes.entries.data[slots.a], *b = &model->shapes.entries.data[slots.b];
    return (ashi_foreseen_pair){.a = slots.a,
                                .b = slots.b,
                                .body_a = a->body,
                                .body_b = b->body,
                                .surface = ashi_materials_combine(&model->materials, a->material, b->material)};
}

static bool is_sensor(const ashi_model *model, ashi_broad_pair slots)
{
    return model->shapes.entries.data[slots.a].sensor || model->shapes.entries.data[slots.b].sensor;
}

/* Room for so many, by powers of two: as the number varies from look to look, the memory does not. */
static uint32_t room_for(uint32_t count)
{
    uint32_t room = FEWEST_PAIRS;
    while (room < count)
        room = room < UINT32_MAX / 2 ? 2 * room : count;
    return room;
}

/* Takes over the candidates; those that were there before keep what is known of them. Both lists are sorted. */
static bool renew_pairs(ashi_foresight *f)
{
    const ashi_collision *c = f->step->collision;
    const ashi_model *model = f->step->model;
    ashi_foreseen_pair *old = f->pairs;
    uint32_t old_count = f->pair_count, old_room = f->pair_room, next = 0;
    f->pairs = f->last_pairs;
    f->pair_room = f->last_room;
    f->last_pairs = old;
    f->last_room = old_room;
    f->pair_count = 0;
    if (c->pairs.count > f->pair_room) {
        f->pair_room = room_for(c->pairs.count);
        f->pairs = ashi_arena_take_array(f->step->scratch, f->pair_room, sizeof *f->pairs);
        if (f->pairs == NULL) {
            f->pair_room = 0;
            return false;
        }
    }
    for (uint32_t i = 0; i < c->pairs.count; i++) {
        ashi_broad_pair slots = c->pairs.data[i];
        if (is_sensor(model, slots))
            continue;
        while (next < old_count && (old[next].a < slots.a || (old[next].a == slots.a && old[next].b < slots.b)))
            next++;
        bool known = next < old_count && old[next].a == slots.a && old[next].b == slots.b;
        f->pairs[f->pair_count++] = known ? old[next] : make_pair(model, slots);
    }
    return true;
}

bool ashi_foresight_look(ashi_foresight *f)
{
    ashi_step *step = f->step;
    ashi_bodies *b = &step->model->bodies;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        foresee(f, i);
    if (f->crowded) /* looking would cost more than the visits */
        return true;
    ashi_state now = b->now; /* boxes are those of the state that is called so */
    b->now = f->state;
    bool good = ashi_collision_find_candidates(step->collision, step->model, step->tasks, &step->method, step->h);
    b->now = now;
    f->crowded = ashi_crowd_is_large(step->collision);
    step->flags |= step->collision->dropped > 0 ? ASH_FLAG_CAPACITY : 0;
    return good && renew_pairs(f);
}

/* ---- points ---- */

/* The poses of a pair's shapes as foreseen. */
typedef struct pair_pose {
    ash_transform a, b;
} pair_pose;

static pair_pose pose_of(ashi_foresight *f, const ashi_foreseen_pair *pair)
{
    foresee(f, pair->body_a);
    foresee(f, pair->body_b);
    return (pair_pose){ashi_shape_pose_at(f->step->model, &f->state, pair->a),
                       ashi_shape_pose_at(f->step->model, &f->state, pair->b)};
}

/* Puts a point in its place among the first `count`, the deepest first. */
static void insert(ashi_foreseen_point *points, uint32_t count, const ashi_foreseen_point *point)
{
    uint32_t i = count;
    for (; i > 0 && points[i - 1].depth < point->depth; i--)
        points[i] = points[i - 1];
    points[i] = *point;
}

static bool make_room(ashi_foresight *f, uint32_t wanted)
{
    if (wanted <= f->point_room)
        return true;
    f->points = ashi_arena_take_array(f->step->scratch, 2 * (size_t)wanted, sizeof *f->points);
    f->point_room = f->points != NULL ? 2 * wanted : 0;
    return f->points != NULL;
}

/* The points at which a pair overlaps, the deepest first. False when memory ran out. */
static bool find_points(ashi_foresight *f, ashi_foreseen_pair *pair, uint32_t *count)
{
    const ashi_step *step = f->step;
    const ashi_shape_entry *shapes = step->model->shapes.entries.data;
    ashi_manifolds *found = &step->collision->scratch.data[0];
    pair_pose pose = pose_of(f, pair);
    ash_transform b_in_a = {t_point_inverse(pose.a, pose.b.position),
                            q_mul(q_conjugate(pose.a.rotation), pose.b.rotation)};
    ashi_pair question = {.a = shapes[pair->a].geometry,
                          .b = shapes[pair->b].geometry,
                          .b_in_a = b_in_a,
                          .keep_all_points = !step->method.reduce_manifolds,
                          .cache = &pair->cache};
    f->queries++;
    *count = found->count = 0;
    if (!ashi_collide(&question, found))
        return false;
    uint32_t most = 0;
    for (uint32_t i = 0; i < found->count; i++)
        most += found->data[i].count;
    if (!make_room(f, most))
        return false;
    for (uint32_t i = 0; i < found->count; i++) {
        const ashi_manifold *m = &found->data[i];
        for (uint32_t k = 0; k < m->count; k++) {
            const ashi_manifold_point *p = &m->points[k];
            ash_vec3 on_b = v3_add_scaled(p->on_a, m->normal, -p->depth);
            ashi_foreseen_point point = {.on_a = p->on_a,
                                         .on_b = t_point_inverse(b_in_a, on_b),
                                         .normal = m->normal,
                                         .depth = p->depth,
                                         .feature = p->feature,
                                         .part_a = m->part_a,
                                         .part_b = m->part_b};
            if (point.depth > 0)
                insert(f->points, (*count)++, &point);
        }
    }
    return true;
}

/* ---- what is carried ---- */

/* The world's contact point that a foreseen one is, or the nearest of the pair's; UINT32_MAX when it has none. */
static uint32_t find_contact_point(const ashi_contact_set *set, const ashi_foreseen_pair *pair,
                                   const ashi_foreseen_point *point)
{
    const ashi_contact_pair *known = ashi_contact_set_find(set, pair->a, pair->b);
    double nearest = INFINITY;
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; known != NULL && k < known->contact_count; k++) {
        const ashi_contact_record *contact = &set->contacts.data[known->first_contact + k];
        bool same = contact->part_a == point->part_a && contact->part_b == point->part_b;
        for (uint32_t i = contact->first_point; i < contact->first_point + contact->point_count; i++) {
            const ashi_point_record *p = &set->points.data[i];
            if (same && p->feature == point->feature)
                return i;
            double distance = v3_distance(p->on_a, point->on_a);
            if (distance < nearest) {
                nearest = distance;
                found = i;
            }
        }
    }
    return found;
}

static void note_borne(ashi_foresight *f, const ashi_foreseen_pair *pair, const ashi_foreseen_point *point,
                       ash_vec3 impulse, ash_vec3 moment)
{
    if (f->borne == NULL)
        return;
    uint32_t number = find_contact_point(&f->step->collision->now, pair, point);
    if (number == UINT32_MAX)
        return; /* met on the way: no contact when the step began */
    f->borne[number].linear = v3_add(f->borne[number].linear, impulse);
    f->borne[number].angular = v3_add(f->borne[number].angular, moment);
}

/* ---- a visit ---- */

typedef struct foreseen_contact {
    ash_vec3 normal, arm_a, arm_b;
    double depth;
} foreseen_contact;

static foreseen_contact foresee_contact(ashi_foresight *f, const ashi_foreseen_pair *pair,
                                        const ashi_foreseen_point *point)
{
    pair_pose pose = pose_of(f, pair);
    ash_vec3 on_a = t_point(pose.a, point->on_a), on_b = t_point(pose.b, point->on_b);
    ash_vec3 middle = v3_scale(v3_add(on_a, on_b), 0.5);
    foreseen_contact m = {.normal = q_rotate(pose.a.rotation, point->normal),
                          .arm_a = v3_sub(middle, f->state.position[pair->body_a]),
                          .arm_b = v3_sub(middle, f->state.position[pair->body_b])};
    m.depth = v3_dot(m.normal, v3_sub(on_a, on_b));
    if (f->moving != NULL) { /* one point of both bodies where they are: so that angular momentum is kept */
        ash_vec3 between = v3_sub(f->moving->position[pair->body_b], f->moving->position[pair->body_a]);
        ash_vec3 apart = v3_sub(v3_add(between, m.arm_b), m.arm_a);
        m.arm_a = v3_add_scaled(m.arm_a, apart, 0.5);
        m.arm_b = v3_add_scaled(m.arm_b, apart, -0.5);
    }
    if (f->step->model->bodies.planar)
        m.arm_a.z = m.arm_b.z = 0;
    return m;
}

/* Of b's surface over it against that of a, along the tangents. */
static ash_vec3 surfaces_at(const ashi_foresight *f, const ashi_foreseen_pair *pair, const foreseen_contact *m)
{
    const ashi_shape_entry *shapes = f->step->model->shapes.entries.data;
    const ashi_state *s = &f->state;
    ash_vec3 surfaces = v3_sub(q_rotate(s->rotation[pair->body_b], shapes[pair->b].surface_velocity),
                               q_rotate(s->rotation[pair->body_a], shapes[pair->a].surface_velocity));
    return v3_add_scaled(surfaces, m->normal, -v3_dot(surfaces, m->normal));
}

/* Of b against a at the point with the velocities of `s`, moving surfaces included. */
static ash_vec3 velocity_at(const ashi_foresight *f, const ashi_state *s, const ashi_foreseen_pair *pair,
                            const foreseen_contact *m)
{
    uint32_t a = pair->body_a, b = pair->body_b;
    ash_vec3 of_a = v3_add(s->velocity[a], v3_cross(s->spin[a], m->arm_a));
    ash_vec3 of_b = v3_add(s->velocity[b], v3_cross(s->spin[b], m->arm_b));
    return v3_add(v3_sub(of_b, of_a), surfaces_at(f, pair, m));
}

static ash_sym3 response_of(const ashi_foreseen_body *body, ash_vec3 arm)
{
    return body->held ? (ash_sym3){0} : ashi_point_response(body->inverse_mass, body->inverse_inertia, arm);
}

/* Acts on both bodies, and is kept in their accounts. */
static void act(ashi_foresight *f, const ashi_foreseen_pair *pair, const foreseen_contact *m, ash_vec3 impulse,
                ash_vec3 moment, ashi_impulse_kind kind)
{
    const uint32_t slots[2] = {pair->body_a, pair->body_b};
    const ash_vec3 arms[2] = {m->arm_a, m->arm_b};
    for (int i = 0; i < 2; i++) {
        ashi_foreseen_body *body = &f->bodies[slots[i]];
        ash_vec3 push = v3_scale(impulse, i == 0 ? -1 : 1);
        ash_vec3 turn = v3_add(v3_cross(arms[i], push), v3_scale(moment, i == 0 ? -1 : 1));
        if (body->held)
            continue;
        body->impulse[kind].linear = v3_add(body->impulse[kind].linear, push);
        body->impulse[kind].angular = v3_add(body->impulse[kind].angular, turn);
        ashi_foresight_push(f, slots[i], push, turn);
    }
}

/* The moment that stops turning about an axis, or what resistance gives of it. */
static double resisting_moment(const ashi_foresight *f, const ashi_foreseen_pair *pair, ash_vec3 axis, double most)
{
    const ashi_foreseen_body *a = &f->bodies[pair->body_a], *b = &f->bodies[pair->body_b];
    double rate = v3_dot(axis, v3_sub(f->state.spin[pair->body_b], f->state.spin[pair->body_a]));
    double response = (a->held ? 0 : v3_dot(axis, s3_apply(a->inverse_inertia, axis))) +
                      (b->held ? 0 : v3_dot(axis, s3_apply(b->inverse_inertia, axis)));
    return response > 0 ? fmax(-most, fmin(most, -rate / response)) : 0;
}

/* Resistance to rolling and to spinning about the normal, each a moment of at most its lever times the normal impulse.
 */
static ash_vec3 resist_turning(ashi_foresight *f, const ashi_foreseen_pair *pair, const foreseen_contact *m,
                               double normal)
{
    ash_vec3 spin = v3_sub(f->state.spin[pair->body_b], f->state.spin[pair->body_a]), moment = v3(0, 0, 0);
    ash_vec3 roll = v3_add_scaled(spin, m->normal, -v3_dot(spin, m->normal));
    if (pair->surface.spinning > 0)
        moment = v3_scale(m->normal, resisting_moment(f, pair, m->normal, pair->surface.spinning * normal));
    if (pair->surface.rolling > 0 && v3_norm2(roll) > 0) {
        ash_vec3 axis = v3_unit(roll);
        moment = v3_add_scaled(moment, axis, resisting_moment(f, pair, axis, pair->surface.rolling * normal));
    }
    if (v3_norm2(moment) > 0)
        act(f, pair, m, v3(0, 0, 0), moment, ASHI_IMPULSE_FRICTION);
    return moment;
}

static void note_push(const ashi_foresight *f, const ashi_foreseen_pair *pair)
{
    if (f->kept == NULL)
        return;
    if (f->bodies[pair->body_a].held || f->bodies[pair->body_b].held) {
        ashi_momentum_note_support(f->kept, pair->body_a);
        ashi_momentum_note_support(f->kept, pair->body_b);
    }
    ashi_momentum_join(f->kept, pair->body_a, pair->body_b);
}

static double tangential_speed(ash_vec3 velocity, ash_vec3 normal)
{
    return v3_norm(v3_add_scaled(velocity, normal, -v3_dot(velocity, normal)));
}

/* The coefficient in force: that of sliding where static friction was found to give way, or where the point slipped at
 * the step's start, faster than the stick speed and than one step's forces make it. */
static double friction_at(const ashi_foresight *f, const ashi_foreseen_pair *pair, const ashi_foreseen_point *point,
                          const foreseen_contact *m)
{
    const ash_surface *surface = &pair->surface;
    if (surface->sliding_friction == surface->friction)
        return surface->friction;
    if (f->slides != NULL) {
        uint32_t number = find_contact_point(&f->step->collision->now, pair, point);
        if (number != UINT32_MAX && f->slides[number])
            return surface->sliding_friction;
    }
    const ashi_bodies *b = &f->step->model->bodies;
    ash_vec3 start = velocity_at(f, &b->now, pair, m), free = velocity_at(f, &b->next, pair, m);
    double slow = f->step->method.stick_speed + tangential_speed(v3_sub(free, start), m->normal);
    return tangential_speed(start, m->normal) > slow ? surface->sliding_friction : surface->friction;
}

/* Impulses pair by pair rebound by Newton's law, in an order of their own. */
static void note_law(const ashi_foresight *f, const ashi_foreseen_pair *pair)
{
    ashi_step *step = f->step;
    if (step->method.restitution_law == ASH_RESTITUTION_NEWTON && step->method.impact_order == ASH_IMPACTS_TOGETHER)
        return;
    step->flags |= ASH_FLAG_LAW_IGNORED;
    step->flagged_a = ashi_pool_handle(&step->model->shapes.pool, pair->a);
    step->flagged_b = ashi_pool_handle(&step->model->shapes.pool, pair->b);
}

static void stop(ashi_foresight *f, const ashi_foreseen_pair *pair, const ashi_foreseen_point *point, ashi_visit visit)
{
    foreseen_contact m = foresee_contact(f, pair, point);
    ash_vec3 velocity = velocity_at(f, &f->state, pair, &m);
    double approach = -v3_dot(velocity, m.normal);
    if (!(m.depth > 0) || !(approach > 0))
        return;
    const ash_surface *surface = &pair->surface;
    bool bounces = visit.elastic && approach > f->step->method.resting_speed;
    if (bounces && surface->restitution > 0)
        note_law(f, pair);
    ashi_impulse_point touch = {.response = s3_add(response_of(&f->bodies[pair->body_a], m.arm_a),
                                                   response_of(&f->bodies[pair->body_b], m.arm_b)),
                                .normal = m.normal,
                                .velocity = velocity,
                                .restitution = bounces ? surface->restitution : visit.restitution,
                                .friction = friction_at(f, pair, point, &m)};
    ash_vec3 impulse = ashi_point_impulse(&touch);
    double normal = v3_dot(impulse, m.normal);
    if (!(normal > 0))
        return;
    f->impulses++;
    note_push(f, pair);
    /* Friction of an impact gives no energy: where it would by the mean speeds, all work is the rebound's (hold.c). */
    ash_vec3 along = v3_scale(m.normal, normal), change = s3_apply(touch.response, impulse);
    if (bounces && v3_dot(v3_sub(impulse, along), v3_add_scaled(velocity, change, 0.5)) > 0)
        along = impulse;
    act(f, pair, &m, along, v3(0, 0, 0), ASHI_IMPULSE_NORMAL);
    act(f, pair, &m, v3_sub(impulse, along), v3(0, 0, 0), ASHI_IMPULSE_FRICTION);
    f->run += v3_dot(v3_sub(impulse, along), surfaces_at(f, pair, &m));
    ash_vec3 moment = resist_turning(f, pair, &m, normal);
    note_borne(f, pair, point, impulse, moment);
}

bool ashi_foresight_visit(ashi_foresight *f, ashi_foreseen_pair *pair, ashi_visit visit)
{
    const ashi_foreseen_body *a = &f->bodies[pair->body_a], *b = &f->bodies[pair->body_b];
    if ((a->changed <= pair->visited && b->changed <= pair->visited) || (!can_move(a) && !can_move(b)))
        return true;
    uint32_t count;
    pair->visited = f->impulses;
    if (!find_points(f, pair, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        stop(f, pair, &f->points[i], visit);
    return true;
}

/* ---- what would be passed ---- */

/* Whether the pair, which touches at the start, is beyond each other where it will be: farther along the normal than
 * half of the thinner shape, so that overlap there may be of the wrong side, or none. */
static bool is_passed(ashi_foresight *f, const ashi_foreseen_pair *pair, const ashi_foreseen_point *point)
{
    const ashi_collider *colliders = f->step->collision->colliders.data;
    double thin = fmin(colliders[pair->a].thickness, colliders[pair->b].thickness);
    return foresee_contact(f, pair, point).depth > 0.5 * thin;
}

void ashi_foresight_stop_fast(ashi_foresight *f, ashi_visit visit)
{
    const ashi_contact_set *set = &f->step->collision->now;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *touching = &set->pairs.data[i];
        if (touching->sensor || touching->contact_count == 0)
            continue;
        ashi_foreseen_pair pair = make_pair(f->step->model, (ashi_broad_pair){touching->a, touching->b});
        for (uint32_t k = touching->first_contact; k < touching->first_contact + touching->contact_count; k++) {
            const ashi_contact_record *contact = &set->contacts.data[k];
            for (uint32_t n = contact->first_point; n < contact->first_point + contact->point_count; n++) {
                const ashi_point_record *p = &set->points.data[n];
                ashi_foreseen_point point = {.on_a = p->on_a,
                                             .on_b = p->on_b,
                                             .normal = contact->normal,
                                             .depth = p->depth,
                                             .feature = p->feature,
                                             .part_a = contact->part_a,
                                             .part_b = contact->part_b};
                if (is_passed(f, &pair, &point))
                    stop(f, &pair, &point, visit);
            }
        }
    }
}
