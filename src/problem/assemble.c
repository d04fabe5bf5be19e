/* The problem of a step from its contacts (assemble_contacts.c) and its joints (assemble_joints.c).
 *
 * Islands are found from joints' blocks and pairs of shapes, which are few and small compared with bodies and contacts;
 * these are then written once, in their final places: in each island blocks of joints, then contacts in the order of
 * the set. */
#include "problem/assembling.h"

#include <string.h>

#define AHEAD 6  /* pairs whose shapes and bodies are prefetched */
#define SPARE 16 /* contacts: room is reserved as if each point of the next one had its own friction */

ash_transform ashi_shape_pose_at(const ashi_model *model, const ashi_state *state, uint32_t shape)
{
    const ashi_shape_entry *entry = &model->shapes.entries.data[shape];
    ash_transform pose = t_mul(ashi_body_frame(&model->bodies, state, entry->body), entry->pose);
    if (model->bodies.planar)
        pose.position.z = 0;
    return pose;
}

double ashi_contact_gap(ash_vec3 normal, const ashi_point_record *point, ash_transform pose_a, ash_transform pose_b)
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
    if (ashi_body_turns_flat(b, slot, rotation))
        return (ash_sym3){.zz = b->rotor[slot].inverse.zz};
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

/* Prefetches the data for writing a body: bodies come in any order. */
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
    ashi_system_clear(s->out);
    s->out->planar = s->model->bodies.planar;
    s->number = ashi_arena_take_array(scratch, slots, sizeof *s->number);
    if (s->number != NULL)
        memset(s->number, 0xff, slots * sizeof *s->number);
    return s->number != NULL;
}

/* Whether ashi_body_is_fixed will be true for the body. */
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

/* The links between bodies: blocks of joints, then pairs that take part, in the order of their discovery. */
typedef struct uniting {
    uint32_t *slots; /* by body: of those first found through pairs */
    bool *fixed;     /* by body */
    uint32_t *pairs; /* by link: of those after the blocks' */
    ashi_link *links;
    uint32_t body_count, block_count, link_count;
    uint32_t *body_place, *order; /* of links */
    uint32_t *sorted;             /* the links in the order of islands */
    uint32_t written;             /* bodies found through joints: they are already written */
} uniting;

static bool take_memory(const ashi_contact_assembling *s, ashi_arena *scratch, bool solves, uniting *m)
{
    const ashi_contact_set *set = s->in->contacts;
    const ashi_system *p = s->shared->out;
    uint32_t bodies = p->body_room, pairs = set->pairs.count < set->points.count ? set->pairs.count : set->points.count;
    uint32_t links = p->block_count + (solves ? pairs : 0);
    *m = (uniting){.slots = ashi_arena_take_array(scratch, bodies, sizeof *m->slots),
                   .fixed = ashi_arena_take_array(scratch, bodies, sizeof *m->fixed),
                   .pairs = ashi_arena_take_array(scratch, links, sizeof *m->pairs),
                   .links = ashi_arena_take_array(scratch, links, sizeof *m->links),
                   .body_place = ashi_arena_take_array(scratch, bodies, sizeof *m->body_place),
                   .order = ashi_arena_take_array(scratch, links, sizeof *m->order),
                   .sorted = ashi_arena_take_array(scratch, links, sizeof *m->sorted)};
    return m->slots != NULL && m->fixed != NULL && m->pairs != NULL && m->links != NULL && m->body_place != NULL &&
           m->order != NULL && m->sorted != NULL;
}

/* Blocks of joints, whose bodies are written. */
static void unite_blocks(const ashi_system *p, uniting *m)
{
    m->written = m->body_count = p->body_count;
    m->block_count = m->link_count = p->block_count;
    for (uint32_t i = 0; i < p->body_count; i++)
        m->fixed[i] = ashi_body_is_fixed(&p->bodies[i]);
    for (uint32_t k = 0; k < p->block_count; k++)
        m->links[k] = (ashi_link){p->blocks[k].body_a, p->blocks[k].body_b};
}

static uint32_t unite_body(ashi_assembling *s, uniting *m, uint32_t slot)
{
    if (s->number[slot] == UINT32_MAX) {
        m->slots[m->body_count] = slot;
        m->fixed[m->body_count] = is_immovable(s, slot);
        s->number[slot] = m->body_count++;
    }
    return s->number[slot];
}

static void unite_pairs(const ashi_contact_assembling *s, uniting *m)
{
    const ashi_contact_set *set = s->in->contacts;
    const ashi_shape_entry *shapes = s->in->model->shapes.entries.data;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (i + AHEAD < set->pairs.count)
            __builtin_prefetch(&shapes[pair[AHEAD].b].body);
        if (!ashi_contact_pair_takes_part(s, pair))
            continue;
        uint32_t a = unite_body(s->shared, m, shapes[pair->a].body);
        uint32_t b = unite_body(s->shared, m, shapes[pair->b].body);
        m->pairs[m->link_count] = i;
        m->links[m->link_count++] = (ashi_link){a, b};
    }
}

/* ---- final order ---- */

/* Moves the bodies found through joints, writes the others. False when memory ran out. */
static bool place_bodies(const ashi_contact_assembling *s, const uniting *m, ashi_arena *scratch)
{
    ashi_system *p = s->shared->out;
    ash_problem_body *written = ashi_arena_take_array(scratch, m->written, sizeof *written);
    if (written == NULL)
        return false;
    for (uint32_t i = 0; i < m->written; i++)
        written[i] = p->bodies[i];
    for (uint32_t i = 0; i < m->written; i++) {
        p->bodies[m->body_place[i]] = written[i];
        s->shared->number[ashi_pool_slot_of(&s->in->model->bodies.pool, written[i].label)] = m->body_place[i];
    }
    for (uint32_t i = m->written; i < m->body_count; i++) {
        if (i + AHEAD < m->body_count)
            fetch_body(s->shared, m->slots[i + AHEAD]);
        s->shared->number[m->slots[i]] = m->body_place[i];
        write_body(s->shared, m->slots[i], &p->bodies[m->body_place[i]]);
    }
    p->body_count = m->body_count;
    return true;
}

/* The blocks written by joints, in their original order. */
typedef struct written_blocks {
    ashi_block *blocks;
    ashi_row *rows;
} written_blocks;

/* Takes the blocks out of the problem, to be put back one by one. False when memory ran out. */
static bool take_blocks(ashi_system *p, const uniting *m, ashi_arena *scratch, written_blocks *written)
{
    written->blocks = ashi_arena_take_array(scratch, p->block_count, sizeof *written->blocks);
    written->rows = ashi_arena_take_array(scratch, p->row_count, sizeof *written->rows);
    if (written->blocks == NULL || written->rows == NULL)
        return false;
    for (uint32_t k = 0; k < p->block_count; k++) {
        written->blocks[k] = p->blocks[k];
        written->blocks[k].body_a = m->body_place[p->blocks[k].body_a];
        written->blocks[k].body_b = m->body_place[p->blocks[k].body_b];
    }
    if (p->row_count > 0)
        memcpy(written->rows, p->rows, p->row_count * sizeof *written->rows);
    p->block_count = p->row_count = 0;
    return true;
}

/* Room is reserved: room for contacts' rows is checked for each contact. */
static bool put_block(ashi_system *p, const written_blocks *written, uint32_t number)
{
    const ashi_block *block = &written->blocks[number];
    if (!ashi_system_reserve(p, 0, p->block_count + 1, p->row_count + block->row_count, 0))
        return false;
    p->blocks[p->block_count] = *block;
    p->blocks[p->block_count++].first_row = p->row_count;
    memcpy(&p->rows[p->row_count], &written->rows[block->first_row], block->row_count * sizeof *p->rows);
    p->row_count += block->row_count;
    return true;
}

/* Writes a range of links in the order of islands. */
static bool put_links(const ashi_contact_assembling *s, const uniting *m, const written_blocks *written, uint32_t from,
                      uint32_t to)
{
    const ashi_contact_pair *pairs = s->in->contacts->pairs.data;
    for (uint32_t i = from; i < to; i++) {
        uint32_t link = m->sorted[i], far = m->link_count - 1;
        uint32_t ahead[3];
        for (uint32_t n = 0; n < 3; n++)
            ahead[n] = m->sorted[i + (AHEAD << n) < far ? i + (AHEAD << n) : far];
        if (link < m->block_count) {
            if (!put_block(s->shared->out, written, link))
                return false;
            continue;
        }
        if (ahead[2] >= m->block_count)
            __builtin_prefetch(&pairs[m->pairs[ahead[2]]].b);
        if (ahead[1] >= m->block_count)
            ashi_contact_fetch_shape(s, &pairs[m->pairs[ahead[1]]]);
        if (ahead[0] >= m->block_count)
            ashi_contact_fetch_body(s, &pairs[m->pairs[ahead[0]]]);
        if (!ashi_assembling_pair(s, &pairs[m->pairs[link]]))
            return false;
    }
    return true;
}

/* Links between immovable bodies come first. */
static bool put_islands(const ashi_contact_assembling *s, const uniting *m, ashi_arena *scratch)
{
    ashi_system *p = s->shared->out;
    written_blocks written;
    uint32_t next = 0;
    if (!take_blocks(p, m, scratch, &written))
        return false;
    for (uint32_t i = 0; i <= p->island_count; i++) {
        uint32_t end = i < p->island_count ? p->islands[i].first_block : m->link_count; /* of links, so far */
        if (!put_links(s, m, &written, next, end))
            return false;
        next = end;
        if (i > 0)
            ashi_island_ends(p, i - 1);
        if (i < p->island_count)
            ashi_island_begins(p, i);
    }
    return true;
}

/* Finds the islands and puts everything in their order. False when memory ran out. */
static bool arrange(const ashi_contact_assembling *s, bool solves, ashi_arena *scratch)
{
    ashi_system *p = s->shared->out;
    uniting m;
    if (!take_memory(s, scratch, solves, &m))
        return false;
    unite_blocks(p, &m);
    if (solves)
        unite_pairs(s, &m);
    ashi_links links = {m.body_count, m.link_count, m.fixed, m.links};
    if (!ashi_links_sort(&links, scratch, p, m.body_place, m.order))
        return false;
    for (uint32_t i = 0; i < m.link_count; i++)
        m.sorted[m.order[i]] = i;
    return place_bodies(s, &m, scratch) && put_islands(s, &m, scratch);
}

/* Reserves room for everything that may come. If more is needed, for the capacity of the contact set, so that new
 * contacts rarely allocate. */
static bool reserve_all(const ashi_assembly *in, ashi_system *p, bool solves)
{
    uint32_t slots = ashi_body_slots(&in->model->bodies), joints = in->model->joints.pool.used, blocks, rows;
    uint32_t points = solves ? in->contacts->points.count : 0, contacts = solves ? in->contacts->contacts.count : 0;
    ashi_assembling_joint_room(in->model, &blocks, &rows);
    uint32_t written = in->by_points ? 0 : points;
    contacts = in->method->friction_axes == ASH_AXES_SLIDING ? points : contacts; /* each point may have its own
                                                                                     directions */
    if (points > p->point_room || contacts + SPARE > p->contact_room || written + blocks > p->block_room ||
        3 * written + rows > p->row_room) {
        points = solves ? in->contacts->points.capacity : 0;
        contacts = solves ? in->contacts->contacts.capacity : 0;
        contacts = in->method->friction_axes == ASH_AXES_SLIDING ? points : contacts;
        written = in->by_points ? 0 : points;
    }
    uint32_t bodies = slots < 2 * (points + joints) ? slots : 2 * (points + joints);
    return ashi_system_reserve(p, bodies, written + blocks, 3 * written + rows, 0) &&
           ashi_system_reserve_contacts(p, contacts + SPARE, points, 0);
}

bool ashi_assemble(const ashi_assembly *in, ashi_arena *scratch, ashi_system *problem)
{
    bool solves = in->method->contacts == ASH_CONTACTS_SOLVE;
    ashi_assembling shared = {in->model, in->start, in->predicted, problem, NULL};
    if (!ashi_assembling_begin(&shared, scratch) || !reserve_all(in, problem, solves))
        return false;
    problem->h = in->h;
    problem->law = in->method->friction_law;
    problem->directions = in->method->friction_directions;
    problem->resting_speed = in->method->resting_speed;
    problem->stick_speed = in->method->stick_speed;
    problem->restitution_law = in->h == 0 ? in->method->restitution_law : ASH_RESTITUTION_NEWTON;
    problem->releases = !in->method->hold_all;
    problem->expanded = !in->by_points;
    ashi_contact_assembling contacts;
    if (!ashi_contact_assembling_begin(&contacts, in, &shared, scratch) || !ashi_assembling_joints(&shared, in))
        return false;
    problem->finite = problem->block_count == 0; /* contacts clear it when necessary; for joints nothing is known */
    return arrange(&contacts, solves, scratch);
}
