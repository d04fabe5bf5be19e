/* The problem of a step from its contacts, one block a contact point (assemble_contacts.c), and its joints
 * (assemble_joints.c).
 *
 * Without joints, islands are found from the pairs of shapes, which are few and small beside bodies, blocks and rows;
 * those are then written once, where they belong. With joints, blocks are written as they come and sorted afterwards.
 */
#include "problem/assembling.h"

#include <string.h>

#define AHEAD 6 /* pairs whose shapes are fetched, and bodies */

ash_transform ashi_shape_pose_at(const ashi_model *model, const ashi_state *state, uint32_t shape)
{
    const ashi_shape_entry *entry = &model->shapes.entries.data[shape];
    ash_transform pose = t_mul(ashi_body_frame(&model->bodies, state, entry->body), entry->pose);
    if (model->bodies.planar)
        pose.position.z = 0;
    return pose;
}

double ashi_contact_gap(ash_vec3 normal, const ashi_contact_point *point, ash_transform pose_a, ash_transform pose_b)
{
    return v3_dot(normal, v3_sub(t_point(pose_b, point->on_b), t_point(pose_a, point->on_a)));
}

/* ---- bodies ---- */

ash_sym3 ashi_inverse_inertia_at(const ashi_bodies *b, uint32_t slot, ash_quat rotation)
{
    if (!(b->motion[slot] & ASHI_ROTATES))
        return (ash_sym3){0};
    if (!(b->motion[slot] & ASHI_PARTIAL))
        return s3_rotated(b->rotor[slot].inverse, rotation);
    ash_vec3 x = ashi_angular_response(b, slot, rotation, v3(1, 0, 0));
    ash_vec3 y = ashi_angular_response(b, slot, rotation, v3(0, 1, 0));
    ash_vec3 z = ashi_angular_response(b, slot, rotation, v3(0, 0, 1));
    return (ash_sym3){x.x, y.y, z.z, 0.5 * (x.y + y.x), 0.5 * (x.z + z.x), 0.5 * (y.z + z.y)};
}

static ash_vec3 inverse_mass_of(const ashi_bodies *b, uint32_t slot)
{
    double inverse_mass = b->motion[slot] & ASHI_DYNAMIC ? b->inertial[slot].inverse_mass : 0;
    ash_vec3 by_axis = v3(inverse_mass, inverse_mass, inverse_mass);
    return b->motion[slot] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, slot, by_axis) : by_axis;
}

static void write_body(const ashi_assembling *s, uint32_t slot, ash_problem_body *body)
{
    const ashi_bodies *b = &s->model->bodies;
    *body = (ash_problem_body){.inverse_mass = inverse_mass_of(b, slot),
                               .inverse_inertia = ashi_inverse_inertia_at(b, slot, s->start->rotation[slot]),
                               .velocity = s->predicted->velocity[slot],
                               .spin = s->predicted->spin[slot],
                               .start_velocity = s->start->velocity[slot],
                               .start_spin = s->start->spin[slot],
                               .label = ashi_pool_handle(&b->pool, slot)};
}

/* Asks for what writing a body reads: bodies are met in any order. */
static void fetch_body(const ashi_assembling *s, uint32_t slot)
{
    __builtin_prefetch(&s->predicted->velocity[slot]);
    __builtin_prefetch(&s->predicted->spin[slot]);
    __builtin_prefetch(&s->start->velocity[slot]);
    __builtin_prefetch(&s->start->spin[slot]);
    __builtin_prefetch(&s->start->rotation[slot]);
    __builtin_prefetch(&s->model->bodies.rotor[slot]);
}

uint32_t ashi_assembling_add_body(ashi_assembling *s, uint32_t slot)
{
    write_body(s, slot, &s->out->bodies[s->out->body_count]);
    return s->number[slot] = s->out->body_count++;
}

bool ashi_assembling_begin(ashi_assembling *s, ashi_arena *scratch)
{
    uint32_t slots = ashi_body_slots(&s->model->bodies);
    ashi_problem_clear(s->out);
    s->out->planar = s->model->bodies.planar;
    s->number = ashi_arena_take_array(scratch, slots, sizeof *s->number);
    if (s->number != NULL)
        memset(s->number, 0xff, slots * sizeof *s->number);
    return s->number != NULL;
}

/* Whether ashi_body_is_fixed will say so of the body. */
static bool is_immovable(const ashi_assembling *s, uint32_t slot)
{
    const ashi_bodies *b = &s->model->bodies;
    if (!(b->motion[slot] & ASHI_DYNAMIC))
        return true;
    if (v3_norm2(inverse_mass_of(b, slot)) > 0)
        return false;
    ash_problem_body body;
    write_body(s, slot, &body);
    return ashi_body_is_fixed(&body);
}

/* ---- islands ---- */

/* Pairs that take part and their bodies, in the order in which they are met. */
typedef struct meeting {
    uint32_t *slots; /* by body */
    bool *fixed;     /* by body */
    uint32_t *pairs; /* by link */
    ashi_link *links;
    uint32_t body_count, link_count;
    uint32_t *body_place, *order; /* of links */
} meeting;

static bool take_memory(const ashi_contact_assembling *s, ashi_arena *scratch, meeting *m)
{
    const ashi_contact_set *set = s->in->contacts;
    uint32_t bodies = s->shared->out->body_room;
    uint32_t pairs = set->pairs.count < set->points.count ? set->pairs.count : set->points.count;
    *m = (meeting){.slots = ashi_arena_take_array(scratch, bodies, sizeof *m->slots),
                   .fixed = ashi_arena_take_array(scratch, bodies, sizeof *m->fixed),
                   .pairs = ashi_arena_take_array(scratch, pairs, sizeof *m->pairs),
                   .links = ashi_arena_take_array(scratch, pairs, sizeof *m->links),
                   .body_place = ashi_arena_take_array(scratch, bodies, sizeof *m->body_place),
                   .order = ashi_arena_take_array(scratch, pairs, sizeof *m->order)};
    return m->slots != NULL && m->fixed != NULL && m->pairs != NULL && m->links != NULL && m->body_place != NULL &&
           m->order != NULL;
}

static uint32_t meet_body(ashi_assembling *s, meeting *m, uint32_t slot)
{
    if (s->number[slot] == UINT32_MAX) {
        m->slots[m->body_count] = slot;
        m->fixed[m->body_count] = is_immovable(s, slot);
        s->number[slot] = m->body_count++;
    }
    return s->number[slot];
}

static void meet_pairs(const ashi_contact_assembling *s, meeting *m)
{
    const ashi_contact_set *set = s->in->contacts;
    const ashi_shape_entry *shapes = s->in->model->shapes.entries.data;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (i + AHEAD < set->pairs.count)
            __builtin_prefetch(&shapes[pair[AHEAD].b].body);
        if (!ashi_contact_pair_takes_part(s, pair))
            continue;
        uint32_t a = meet_body(s->shared, m, shapes[pair->a].body);
        uint32_t b = meet_body(s->shared, m, shapes[pair->b].body);
        m->pairs[m->link_count] = i;
        m->links[m->link_count++] = (ashi_link){a, b};
    }
}

/* Islands, whose blocks are pairs, and bodies in their order; `sorted` receives the numbers of pairs. False when memory
 * ran out. */
static bool sort_pairs(const ashi_contact_assembling *s, ashi_arena *scratch, uint32_t **sorted, uint32_t *count)
{
    ash_problem *p = s->shared->out;
    meeting m;
    if (!take_memory(s, scratch, &m))
        return false;
    meet_pairs(s, &m);
    ashi_links links = {m.body_count, m.link_count, m.fixed, m.links};
    if (!ashi_links_sort(&links, scratch, p, m.body_place, m.order))
        return false;
    *sorted = ashi_arena_take_array(scratch, m.link_count, sizeof **sorted);
    for (uint32_t i = 0; i < m.link_count && *sorted != NULL; i++)
        (*sorted)[m.order[i]] = m.pairs[i];
    for (uint32_t i = 0; i < m.body_count; i++) {
        if (i + AHEAD < m.body_count)
            fetch_body(s->shared, m.slots[i + AHEAD]);
        s->shared->number[m.slots[i]] = m.body_place[i];
        write_body(s->shared, m.slots[i], &p->bodies[m.body_place[i]]);
    }
    p->body_count = m.body_count;
    *count = m.link_count;
    return *sorted != NULL;
}

/* Contacts island by island; those between bodies of which none can move come first. False when memory ran out. */
static bool add_islands(const ashi_contact_assembling *s, ashi_arena *scratch)
{
    const ashi_contact_pair *pairs = s->in->contacts->pairs.data;
    ash_problem *p = s->shared->out;
    uint32_t *sorted, pair_count, next = 0;
    if (!sort_pairs(s, scratch, &sorted, &pair_count))
        return false;
    for (uint32_t i = 0; i <= p->island_count; i++) {
        uint32_t end = i < p->island_count ? p->islands[i].first_block : pair_count;
        for (; next < end; next++) {
            if (next + 4 * AHEAD < pair_count)
                __builtin_prefetch(&pairs[sorted[next + 4 * AHEAD]].b);
            if (next + 2 * AHEAD < pair_count)
                ashi_contact_fetch_shape(s, &pairs[sorted[next + 2 * AHEAD]]);
            if (next + AHEAD < pair_count)
                ashi_contact_fetch_body(s, &pairs[sorted[next + AHEAD]]);
            if (!ashi_assembling_pair(s, &pairs[sorted[next]]))
                return false;
        }
        if (i > 0)
            p->islands[i - 1].block_count = p->block_count - p->islands[i - 1].first_block;
        if (i < p->island_count)
            p->islands[i].first_block = p->block_count;
    }
    return true;
}

/* As they come. */
static bool add_contacts(const ashi_contact_assembling *s)
{
    const ashi_contact_set *set = s->in->contacts;
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (ashi_contact_pair_takes_part(s, &set->pairs.data[i]) && !ashi_assembling_pair(s, &set->pairs.data[i]))
            return false;
    return true;
}

bool ashi_assemble(const ashi_assembly *in, ashi_arena *scratch, ash_problem *problem)
{
    bool solves = in->method->contacts == ASH_CONTACTS_SOLVE;
    uint32_t slots = ashi_body_slots(&in->model->bodies), points = solves ? in->contacts->points.count : 0;
    uint32_t joint_blocks, joint_rows, joints = in->model->joints.pool.used;
    ashi_assembling_joint_room(in->model, &joint_blocks, &joint_rows);
    /* Where there is not enough room, as much as the contact set has: contacts that begin seldom need memory. */
    if (points + joint_blocks > problem->block_room || 3 * points + joint_rows > problem->row_room)
        points = solves ? in->contacts->points.capacity : 0;
    uint32_t bodies = slots < 2 * (points + joints) ? slots : 2 * (points + joints);
    ashi_assembling shared = {in->model, in->start, in->predicted, problem, NULL};
    if (!ashi_assembling_begin(&shared, scratch) ||
        !ashi_problem_reserve(problem, bodies, points + joint_blocks, 3 * points + joint_rows, 0))
        return false;
    problem->h = in->h;
    problem->law = in->method->friction_law;
    problem->directions = in->method->friction_directions;
    problem->stick_speed = in->method->stick_speed;
    problem->restitution_law = in->h == 0 ? in->method->restitution_law : ASH_RESTITUTION_NEWTON;
    problem->releases = !in->method->hold_all;
    ashi_contact_assembling contacts;
    if (!ashi_contact_assembling_begin(&contacts, in, &shared, scratch) || !ashi_assembling_joints(&shared, in))
        return false;
    problem->finite = problem->block_count == 0; /* contacts say when it ends; of joints nothing is known */
    if (solves && problem->block_count == 0)
        return add_islands(&contacts, scratch);
    return (!solves || add_contacts(&contacts)) && ashi_problem_sort(problem, scratch, NULL, NULL);
}
