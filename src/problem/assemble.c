/* The problem of a step from its contacts, one block a contact point, and its joints (assemble_joints.c).
 *
 * Islands are found from the pairs of shapes, which are few and small beside blocks and rows; those are then written
 * once, where they belong. With joints, blocks are written as they come and sorted afterwards.
 *
 * Rows of a point p, the middle of the two surface points, with arms r = p - x and the normal n from a to b:
 *   normal (-n, -r_a x n, n, r_b x n), tangents likewise, rolling about the tangents and spin about n: (0, -t, 0, t).
 * One point for both bodies keeps angular momentum exactly. The normal's bias is the sum of
 *   - restitution:  -e times the approach at the start of the step, unless it is slower than the resting speed (Newton;
 *     Gribel 2009 (26)-(29)), for contacts that touch or would close within the step,
 *   - else gap / h where there is a gap: it may close, no more (with shock propagation but for the slop: what is above
 *     a body that turns while its gap closes turns more than that, layer by layer);
 *   - Baumgarte's  -erp / h max(depth - slop, 0)  (Gribel 2009 (37)), in the mixture only up to its depth, or a soft
 *     spring's  -rate max(depth - slop, 0)  with softness 1/(h (h k + c)). */
#include "problem/assembling.h"

#include "problem/law.h"

#include <string.h>

#define STILL 1e-9 /* m/s: slip below has no direction */

/* Where a shape is at the start; made when a contact first needs it. */
typedef struct shape_place {
    ash_mat3 axes;
    ash_vec3 position;
    bool known;
} shape_place;

typedef struct assembling {
    const ashi_assembly *in;
    ash_problem *out;
    ashi_assembling *shared;
    shape_place *places; /* by shape slot */
} assembling;

/* Where two shapes touch at a point. */
typedef struct contact_frame {
    ash_vec3 normal, tangent[2];
    ash_vec3 point;
    ash_vec3 arm_a, arm_b;
    double gap;
} contact_frame;

ash_transform ashi_shape_pose_at(const ashi_model *model, const ashi_state *state, uint32_t shape)
{
    const ashi_shape_entry *entry = &model->shapes.entries.data[shape];
    ash_transform pose = t_mul(ashi_body_frame(&model->bodies, state, entry->body), entry->pose);
    if (model->bodies.planar)
        pose.position.z = 0;
    return pose;
}

double ashi_contact_gap(const ashi_contact *contact, const ashi_contact_point *point, ash_transform pose_a,
                        ash_transform pose_b)
{
    ash_vec3 apart = v3_sub(t_point(pose_b, point->on_b), t_point(pose_a, point->on_a));
    return v3_dot(q_rotate(pose_a.rotation, contact->normal), apart);
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

uint32_t ashi_assembling_body(ashi_assembling *s, uint32_t slot)
{
    if (s->number[slot] != UINT32_MAX)
        return s->number[slot];
    const ashi_bodies *b = &s->model->bodies;
    ash_problem *p = s->out;
    ash_problem_body *body = &p->bodies[p->body_count];
    double inverse_mass = b->motion[slot] & ASHI_DYNAMIC ? b->inertial[slot].inverse_mass : 0;
    ash_vec3 by_axis = v3(inverse_mass, inverse_mass, inverse_mass);
    *body = (ash_problem_body){
        .inverse_mass = b->motion[slot] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, slot, by_axis) : by_axis,
        .inverse_inertia = ashi_inverse_inertia_at(b, slot, s->start->rotation[slot]),
        .velocity = s->predicted->velocity[slot],
        .spin = s->predicted->spin[slot],
        .start_velocity = s->start->velocity[slot],
        .start_spin = s->start->spin[slot],
        .label = ashi_pool_handle(&b->pool, slot)};
    return s->number[slot] = p->body_count++;
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

/* ---- rows ---- */

ash_problem_row *ashi_assembling_row(ash_problem *p, ash_problem_block *block)
{
    block->row_count++;
    ash_problem_row *row = &p->rows[p->row_count++];
    *row = (ash_problem_row){.lower = -INFINITY, .upper = INFINITY};
    return row;
}

static ash_problem_row *add_direction(ash_problem *p, ash_problem_block *block, const contact_frame *f, ash_vec3 along)
{
    ash_problem_row *row = ashi_assembling_row(p, block);
    row->linear_a = v3_scale(along, -1);
    row->angular_a = v3_cross(along, f->arm_a);
    row->linear_b = along;
    row->angular_b = v3_cross(f->arm_b, along);
    return row;
}

static ash_problem_row *add_axis(ash_problem *p, ash_problem_block *block, ash_vec3 axis)
{
    ash_problem_row *row = ashi_assembling_row(p, block);
    row->angular_a = v3_scale(axis, -1);
    row->angular_b = axis;
    return row;
}

static ash_motion start_of(const ash_problem_body *body)
{
    return (ash_motion){body->start_velocity, body->start_spin};
}

static ash_motion prediction_of(const ash_problem_body *body)
{
    return (ash_motion){body->velocity, body->spin};
}

static double row_speed(const ash_problem *p, const ash_problem_block *block, const ash_problem_row *row,
                        ash_motion (*motion)(const ash_problem_body *))
{
    ash_motion a = motion(&p->bodies[block->body_a]), b = motion(&p->bodies[block->body_b]);
    return ashi_row_speed(row, &a, &b);
}

/* ---- the normal ---- */

/* Overlap is removed by a damped spring: its share of the speed, and the softness of the row. */
static void soften(const assembling *s, const ash_problem_block *block, ash_problem_row *normal, double depth)
{
    const ash_solver_settings *solver = &s->in->method->solver;
    double h = s->in->h, stiffest = 0.125 / h;
    double w = 6.283185307179586 * (solver->frequency < stiffest ? solver->frequency : stiffest);
    double scale = h * w * (2 * solver->damping + h * w);
    normal->bias -= w / (2 * solver->damping + h * w) * depth;
    normal->softness = ashi_row_response(s->out, block, normal, normal) / scale;
}

static void set_normal(const assembling *s, ash_problem_block *block, ash_problem_row *normal, double restitution)
{
    const ash_method *method = s->in->method;
    double h = s->in->h, gap = normal->error;
    double approach = -row_speed(s->out, block, normal, start_of);
    /* How far it may close; what may not close at all has met. */
    double open = method->scheme == ASH_SCHEME_PROPAGATION ? fmax(gap - method->slop, 0) : gap;
    bool closes = gap <= 0 || (h > 0 && open + h * row_speed(s->out, block, normal, prediction_of) < 0);
    normal->lower = 0;
    if ((closes || h == 0) && approach > method->resting_speed)
        block->rebound = restitution * approach;
    normal->bias = -block->rebound;
    if (h == 0)
        return;
    if (gap > 0) {
        normal->bias += block->rebound > 0 ? 0 : open / h;
        return;
    }
    double depth = -gap - method->slop;
    if (depth <= 0)
        return;
    bool shallow = -gap <= method->mixed_depth;
    if (method->stabilization == ASH_STABILIZE_BAUMGARTE || (method->stabilization == ASH_STABILIZE_MIXED && shallow))
        normal->bias -= method->erp / ashi_assembly_whole(s->in) * depth;
    else if (method->stabilization == ASH_STABILIZE_SOFT)
        soften(s, block, normal, depth);
}

/* ---- friction ---- */

void ashi_tangents(ash_vec3 n, bool planar, ash_vec3 tangent[2])
{
    ash_vec3 axis = fabs(n.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    tangent[0] = planar ? v3(n.y, -n.x, 0) : v3_unit(v3_add_scaled(axis, n, -v3_dot(axis, n)));
    tangent[1] = v3_cross(n, tangent[0]);
}

/* Velocity of b against a at the point, moving surfaces included, at the start of the step; without the normal part. */
static ash_vec3 slip_at_start(const assembling *s, const ash_problem_block *block, const contact_frame *f,
                              ash_vec3 surfaces)
{
    const ash_problem_body *a = &s->out->bodies[block->body_a], *b = &s->out->bodies[block->body_b];
    ash_vec3 at_a = v3_add(a->start_velocity, v3_cross(a->start_spin, f->arm_a));
    ash_vec3 at_b = v3_add(b->start_velocity, v3_cross(b->start_spin, f->arm_b));
    ash_vec3 slip = v3_add(v3_sub(at_b, at_a), surfaces);
    return v3_add_scaled(slip, f->normal, -v3_dot(slip, f->normal));
}

static void add_friction(const assembling *s, ash_problem_block *block, contact_frame *f, const ash_surface *surface,
                         ash_vec3 surfaces)
{
    const ash_method *method = s->in->method;
    ash_problem *p = s->out;
    bool planar = p->planar;
    ash_vec3 slip = slip_at_start(s, block, f, surfaces);
    double speed = v3_norm(slip);
    block->sliding_friction = surface->sliding_friction;
    block->friction = speed > method->stick_speed ? surface->sliding_friction : surface->friction;
    if (method->friction_axes == ASH_AXES_SLIDING && !planar && speed > STILL) {
        f->tangent[0] = v3_scale(slip, 1 / speed);
        f->tangent[1] = v3_cross(f->normal, f->tangent[0]);
    }
    if (block->friction > 0) {
        block->tangents = planar ? 1 : 2;
        for (int i = 0; i < block->tangents; i++)
            add_direction(p, block, f, f->tangent[i])->bias = v3_dot(f->tangent[i], surfaces);
    }
    if (surface->rolling > 0) {
        block->rolling = surface->rolling;
        block->rollings = planar ? 1 : 2;
        for (int i = 0; i < block->rollings; i++)
            add_axis(p, block, planar ? v3(0, 0, 1) : f->tangent[i]);
    }
    if (surface->spinning > 0 && !planar) {
        block->spinning = surface->spinning;
        block->spins = 1;
        add_axis(p, block, f->normal);
    }
}

/* ---- blocks ---- */

/* The first guess: the forces that the point bore last time, for as long as this step. */
static void guess(const assembling *s, ash_problem_block *block, const ashi_contact_point *point)
{
    ash_problem_row *rows = &s->out->rows[block->first_row];
    double h = s->in->h;
    for (uint32_t i = 0; i < block->row_count; i++)
        rows[i].impulse = h * (i <= block->tangents ? v3_dot(rows[i].linear_b, point->force)
                                                    : v3_dot(rows[i].angular_b, point->torque));
    rows[0].impulse = rows[0].impulse > 0 ? rows[0].impulse : 0;
    block->friction_limit = s->in->method->friction_bound == ASH_BOUND_PREVIOUS ? rows[0].impulse : -1;
}

/* Whether the newest block has the directions and the friction of the one before, which is of the same contact. */
static bool is_alike(const assembling *s)
{
    const ash_problem_block *block = &s->out->blocks[s->out->block_count - 1];
    bool turned = s->in->method->friction_axes == ASH_AXES_SLIDING && !s->out->planar;
    return !turned && block->row_count == block[-1].row_count && block->friction == block[-1].friction;
}

static void add_block(assembling *s, uint32_t slot_a, uint32_t slot_b, contact_frame *f, const ash_surface *surface,
                      ash_vec3 surfaces, const ashi_contact_point *point, uint32_t label)
{
    ash_problem *p = s->out;
    const ashi_state *start = s->in->start;
    ash_problem_block *block = &p->blocks[p->block_count];
    *block = (ash_problem_block){.kind = ASH_BLOCK_CONTACT,
                                 .body_a = ashi_assembling_body(s->shared, slot_a),
                                 .body_b = ashi_assembling_body(s->shared, slot_b),
                                 .first_row = p->row_count,
                                 .at_point = true,
                                 .label = label};
    p->block_count++;
    f->arm_a = v3_sub(f->point, start->position[slot_a]);
    f->arm_b = v3_sub(f->point, start->position[slot_b]);
    if (p->planar)
        f->arm_a.z = f->arm_b.z = 0;
    ash_problem_row *normal = add_direction(p, block, f, f->normal);
    normal->error = f->gap;
    set_normal(s, block, normal, surface->restitution);
    ashi_tangents(f->normal, p->planar, f->tangent);
    add_friction(s, block, f, surface, surfaces);
    guess(s, block, point);
}

/* No contact between sleeping or immovable bodies is in the problem. */
static bool is_awake(const ashi_model *model, const ashi_contact_pair *pair)
{
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const uint8_t *motion = model->bodies.motion;
    return ((motion[shapes[pair->a].body] | motion[shapes[pair->b].body]) & ASHI_DYNAMIC) != 0;
}

static const shape_place *place_of(const assembling *s, uint32_t shape)
{
    shape_place *place = &s->places[shape];
    if (!place->known) {
        ash_transform pose = ashi_shape_pose_at(s->in->model, s->in->start, shape);
        *place = (shape_place){m3_from_quat(pose.rotation), pose.position, true};
    }
    return place;
}

static ash_vec3 point_at(const shape_place *place, ash_vec3 point)
{
    return v3_add(place->position, m3_apply(place->axes, point));
}

static bool is_within(const assembling *s, const ashi_contact_point *point)
{
    return -point->depth <= s->in->reach;
}

/* False when memory ran out. */
static bool add_pair(assembling *s, const ashi_contact_pair *pair)
{
    const ashi_model *model = s->in->model;
    const ashi_contact_set *set = s->in->contacts;
    const ashi_shape_entry *shape_a = &model->shapes.entries.data[pair->a];
    const ashi_shape_entry *shape_b = &model->shapes.entries.data[pair->b];
    const shape_place *place_a = place_of(s, pair->a), *place_b = place_of(s, pair->b);
    ash_surface surface = ashi_materials_combine(&model->materials, shape_a->material, shape_b->material);
    ash_vec3 surfaces = v3_sub(q_rotate(s->in->start->rotation[shape_b->body], shape_b->surface_velocity),
                               q_rotate(s->in->start->rotation[shape_a->body], shape_a->surface_velocity));
    for (uint32_t i = 0; i < pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[pair->first_contact + i];
        if (!ashi_problem_reserve(s->out, 0, 0, s->out->row_count + ASHI_CONTACT_ROWS * contact->point_count, 0))
            return false;
        contact_frame f = {.normal = m3_apply(place_a->axes, contact->normal)};
        uint32_t first_block = s->out->block_count;
        for (uint32_t k = 0; k < contact->point_count; k++) {
            uint32_t number = contact->first_point + k;
            const ashi_contact_point *point = &set->points.data[number];
            if (!is_within(s, point))
                continue;
            ash_vec3 on_a = point_at(place_a, point->on_a), on_b = point_at(place_b, point->on_b);
            f.gap = v3_dot(f.normal, v3_sub(on_b, on_a));
            f.point = v3_scale(v3_add(on_a, on_b), 0.5);
            add_block(s, shape_a->body, shape_b->body, &f, &surface, surfaces, point, number);
            s->out->blocks[s->out->block_count - 1].alike = s->out->block_count - 1 > first_block && is_alike(s);
        }
    }
    return true;
}

/* Whether the pair has a point in the problem. */
static bool takes_part(const assembling *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = s->in->contacts;
    if (pair->sensor || !is_awake(s->in->model, pair))
        return false;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            if (is_within(s, &set->points.data[k]))
                return true;
    }
    return false;
}

static bool add_contacts(assembling *s)
{
    const ashi_contact_set *set = s->in->contacts;
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (takes_part(s, &set->pairs.data[i]) && !add_pair(s, &set->pairs.data[i]))
            return false;
    return true;
}

/* A block without rows for each pair, sorted by islands with their bodies; `order` receives the pairs' numbers. False
 * when memory ran out. */
static bool sort_pairs(assembling *s, ashi_arena *scratch, uint32_t **order)
{
    const ashi_contact_set *set = s->in->contacts;
    const ashi_shape_entry *shapes = s->in->model->shapes.entries.data;
    ash_problem *p = s->out;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (!takes_part(s, pair))
            continue;
        uint32_t a = ashi_assembling_body(s->shared, shapes[pair->a].body);
        uint32_t b = ashi_assembling_body(s->shared, shapes[pair->b].body);
        p->blocks[p->block_count++] = (ash_problem_block){.body_a = a, .body_b = b, .label = i};
    }
    uint32_t *place = ashi_arena_take_array(scratch, p->body_count, sizeof *place);
    *order = ashi_arena_take_array(scratch, p->block_count, sizeof **order);
    if (place == NULL || *order == NULL || !ashi_problem_sort(p, scratch, place, NULL))
        return false;
    for (uint32_t i = 0; i < p->block_count; i++)
        (*order)[i] = p->blocks[i].label;
    for (uint32_t slot = 0; slot < ashi_body_slots(&s->in->model->bodies); slot++)
        if (s->shared->number[slot] != UINT32_MAX)
            s->shared->number[slot] = place[s->shared->number[slot]];
    return true;
}

/* Contacts island by island; those between bodies of which none can move come first. False when memory ran out. */
static bool add_islands(assembling *s, ashi_arena *scratch)
{
    const ashi_contact_pair *pairs = s->in->contacts->pairs.data;
    ash_problem *p = s->out;
    uint32_t *order, next = 0;
    if (!sort_pairs(s, scratch, &order))
        return false;
    uint32_t pair_count = p->block_count;
    p->block_count = 0;
    for (uint32_t i = 0; i <= p->island_count; i++) {
        uint32_t end = i < p->island_count ? p->islands[i].first_block : pair_count;
        for (; next < end; next++)
            if (!add_pair(s, &pairs[order[next]]))
                return false;
        if (i > 0)
            p->islands[i - 1].block_count = p->block_count - p->islands[i - 1].first_block;
        if (i < p->island_count)
            p->islands[i].first_block = p->block_count;
    }
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
    problem->releases = true;
    uint32_t shapes = in->model->shapes.entries.count;
    assembling s = {in, problem, &shared, ashi_arena_take_array(scratch, shapes, sizeof(shape_place))};
    if (s.places == NULL || !ashi_assembling_joints(&shared, in))
        return false;
    for (uint32_t i = 0; i < shapes; i++)
        s.places[i].known = false;
    if (solves && problem->block_count == 0)
        return add_islands(&s, scratch);
    return (!solves || add_contacts(&s)) && ashi_problem_sort(problem, scratch, NULL, NULL);
}

static void forget_forces(ashi_contact_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        points[i].force = points[i].torque = v3(0, 0, 0);
}

/* All points but those of sleeping pairs; a pair's points follow one another. */
static void forget_awake(const ashi_model *model, const ashi_contact_set *contacts)
{
    ashi_contact_point *points = contacts->points.data;
    if (model->bodies.asleep_count == 0) {
        forget_forces(points, contacts->points.count); /* without looking at pairs */
        return;
    }
    for (uint32_t i = 0; i < contacts->pairs.count; i++) {
        const ashi_contact_pair *pair = &contacts->pairs.data[i];
        if (pair->contact_count > 0 && is_awake(model, pair))
            forget_forces(&points[contacts->contacts.data[pair->first_contact].first_point], pair->point_count);
    }
}

void ashi_store_forces(const ash_problem *p, const ashi_model *model, ashi_contact_set *contacts)
{
    forget_awake(model, contacts);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (block->kind != ASH_BLOCK_CONTACT)
            continue;
        ashi_contact_point *point = &contacts->points.data[block->label];
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ash_problem_row *row = &p->rows[block->first_row + i];
            double force = (p->shifted ? row->lasting : row->impulse) / p->h;
            if (i <= block->tangents)
                point->force = v3_add_scaled(point->force, row->linear_b, force);
            else
                point->torque = v3_add_scaled(point->torque, row->angular_b, force);
        }
    }
}
