/* Contacts in the problem of a step: a block a contact point.
 *
 * Rows of a point p, the middle of the two surface points, with arms r = p - x and the normal n from a to b:
 *   normal (-n, -r_a x n, n, r_b x n), tangents likewise, rolling about the tangents and spin about n: (0, -t, 0, t).
 * One point for both bodies keeps angular momentum exactly. The normal's bias is the sum of
 *   - restitution:  -e times the approach at the start of the step, unless it is slower than the resting speed (Newton;
 *     Gribel 2009 (26)-(29)), for contacts that touch or would close within the step,
 *   - where steps are cut at impacts, the speed at which the contact parts at the start: so fast it may come back;
 *   - else gap / h where there is a gap: it may close, no more (with shock propagation but for the slop: what is above
 *     a body that turns while its gap closes turns more than that, layer by layer);
 *   - Baumgarte's  -erp / h max(depth - slop, 0)  (Gribel 2009 (37)), in the mixture only up to its depth, or a soft
 *     spring's  -rate max(depth - slop, 0)  with softness 1/(h (h k + c)).
 *
 * Everything that is the same for the points of a pair or of a contact is found once for them; blocks and rows, of
 * which most of a problem's memory is made, are written once, whole, and not read again. Vectors are quads of which the
 * last number means nothing; contacts are compiled twice, the second time for machines with registers for quads. */
#include "problem/assembling.h"

#include "math/quad.h"
#include "problem/law.h"

#include <stddef.h>
#include <string.h>

#define STILL 1e-9 /* units of speed: slip below has no direction */

/* A pair of shapes that touch. */
typedef struct touching {
    const ashi_shape_place *place_a, *place_b;
    uint32_t body_a, body_b;     /* in the problem */
    ash_vec3 centre_a, centre_b; /* of the bodies */
    ash_surface surface;
    ash_vec3 surfaces; /* velocity of moving surfaces, b's against a's */
} touching;

/* A contact of it: three directions, normal and tangents. */
typedef struct contact_frame {
    ash_vec3 normal, tangent[2];
    double bias[3];                         /* of the tangents' rows, from 1 on: moving surfaces */
    ashi_quad axis[3], ahead[3], behind[3]; /* the same, (y, z, x) and (z, x, y) */
    ashi_quad x, y, z;                      /* of the three, side by side */
} contact_frame;

/* A point of it. */
typedef struct contact_point {
    ashi_quad arm_a, arm_b;
    double gap;
} contact_point;

bool ashi_contact_assembling_begin(ashi_contact_assembling *s, const ashi_assembly *in, ashi_assembling *shared,
                                   ashi_arena *scratch)
{
    uint32_t shapes = in->model->shapes.entries.count;
    *s = (ashi_contact_assembling){.in = in,
                                   .shared = shared,
                                   .places = ashi_arena_take_array(scratch, shapes, sizeof *s->places),
                                   .placed = ashi_arena_take_array(scratch, shapes, sizeof *s->placed),
                                   .slides = in->method->friction_axes == ASH_AXES_SLIDING && !shared->out->planar,
                                   .wide = !in->narrow && ashi_machine_is_wide()};
    if (s->placed != NULL)
        memset(s->placed, 0, shapes * sizeof *s->placed);
    return s->places != NULL && s->placed != NULL;
}

/* ---- rows ---- */

/* A field's place in its row. */
#define IN_ROW(field) (offsetof(ash_problem_row, field) / sizeof(double))

_Static_assert(IN_ROW(linear_a) == 0 && IN_ROW(angular_a) == 3 && IN_ROW(angular_b) == 6 && IN_ROW(linear_b) == 9 &&
                   IN_ROW(lasting) == 12 && IN_ROW(impulse) == 13 && IN_ROW(bias) == 14 && IN_ROW(error) == 15 &&
                   IN_ROW(softness) == 16 && IN_ROW(lower) == 17 && IN_ROW(upper) == 18 && IN_ROW(drift) == 19 &&
                   IN_ROW(work) == 20 && sizeof(ash_problem_row) == 21 * sizeof(double),
               "rows are written from their beginning to their end");

/* From the beginning to the end: what a quad of J has too much is then overwritten. */
ASHI_MERGED void write_row(ash_problem_row *row, ashi_quad linear, ashi_quad angular_a, ashi_quad angular_b,
                           double impulse, double bias, double error, double lower)
{
    double *to = (double *)row;
    quad_store(to + IN_ROW(linear_a), linear * quad_of(-1));
    quad_store(to + IN_ROW(angular_a), angular_a);
    quad_store(to + IN_ROW(angular_b), angular_b);
    quad_store(to + IN_ROW(linear_b), linear);
    row->lasting = 0;
    row->impulse = impulse;
    row->bias = bias;
    row->error = error;
    row->softness = 0;
    row->lower = lower;
    row->upper = INFINITY;
    row->drift = row->work = 0;
}

ASHI_MERGED ashi_quad quad_of_vector(ash_vec3 v)
{
    return (ashi_quad){v.x, v.y, v.z, v.z};
}

/* A vector with three numbers and one more after it in memory. */
ASHI_MERGED ashi_quad load_vector(const ash_vec3 *v)
{
    return quad_load((const double *)v);
}

ASHI_MERGED ash_vec3 vector_of(ashi_quad q)
{
    return v3(q[0], q[1], q[2]);
}

ASHI_MERGED ashi_quad ahead_of(ashi_quad v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

ASHI_MERGED ashi_quad behind_of(ashi_quad v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

static void write_axis(ash_problem_row *row, ash_vec3 axis, double impulse)
{
    ashi_quad none = quad_of(0), about = quad_of_vector(axis);
    write_row(row, none, about * quad_of(-1), about, impulse, 0, 0, -INFINITY);
    row->linear_a = v3(0, 0, 0);
}

/* ---- the normal ---- */

static double speed_at_start(const ash_problem *p, const ash_problem_block *block, const ash_problem_row *row)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion of_a = {a->start_velocity, a->start_spin}, of_b = {b->start_velocity, b->start_spin};
    return ashi_row_speed(row, &of_a, &of_b);
}

static double predicted_speed(const ash_problem *p, const ash_problem_block *block, const ash_problem_row *row)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion of_a = {a->velocity, a->spin}, of_b = {b->velocity, b->spin};
    return ashi_row_speed(row, &of_a, &of_b);
}

/* Overlap is removed by a damped spring: its share of the speed, and the softness of the row. */
static void soften(const ashi_assembly *in, const ash_problem *p, const ash_problem_block *block,
                   ash_problem_row *normal, double depth)
{
    const ash_solver_settings *solver = &in->method->solver;
    double h = in->h, stiffest = 0.125 / h;
    double w = 6.283185307179586 * (solver->frequency < stiffest ? solver->frequency : stiffest);
    double scale = h * w * (2 * solver->damping + h * w);
    normal->bias -= w / (2 * solver->damping + h * w) * depth;
    normal->softness = ashi_row_response(p, block, normal, normal) / scale;
}

/* How far it may close; what may not close at all has met. */
static double open_gap(const ash_method *method, double gap)
{
    if (method->hold_gaps && method->scheme == ASH_SCHEME_PROPAGATION)
        return 0;
    return method->scheme == ASH_SCHEME_PROPAGATION ? fmax(gap - method->slop, 0) : gap;
}

/* The time in which it may: by shock propagation bodies move over all of the step by the velocities of any stage. With
 * its own length, the first stage would leave impacts to the second, whose held bodies take no momentum. */
static double time_to_close(const ashi_assembly *in)
{
    return in->method->scheme == ASH_SCHEME_PROPAGATION ? ashi_assembly_whole(in) : in->h;
}

/* The speed at which the contact should part. */
static double rebound_of(const ashi_assembly *in, const ash_problem *p, const ash_problem_block *block,
                         const ash_problem_row *normal, double restitution)
{
    double h = time_to_close(in), gap = normal->error;
    double approach = -speed_at_start(p, block, normal);
    if (!(approach > in->method->resting_speed))
        return 0;
    bool closes = in->open || gap <= 0 || h == 0 ||
                  (h > 0 && open_gap(in->method, gap) + h * predicted_speed(p, block, normal) < 0);
    return closes ? restitution * approach : 0;
}

/* The speed at which a contact that parts at the start may come back. Where bodies move by the mean of both velocities,
 * one that must not come back at all is lifted by half of what it had, for nothing; if it comes back as fast as it
 * left, no work is done, and the next instant ends it. */
static double way_back(const ashi_assembly *in, const ash_problem *p, const ash_problem_block *block,
                       const ash_problem_row *normal)
{
    bool mean = in->method->integrator == ASH_RK4 || in->method->integrator == ASH_IMPLICIT_MIDPOINT;
    return in->method->step_control == ASH_STEP_IMPACTS && mean ? fmax(speed_at_start(p, block, normal), 0) : 0;
}

static inline void set_normal(const ashi_assembly *in, const ash_problem *p, ash_problem_block *block,
                              ash_problem_row *normal, double restitution)
{
    const ash_method *method = in->method;
    double h = in->h, gap = normal->error;
    if (restitution > 0)
        block->rebound = rebound_of(in, p, block, normal, restitution);
    normal->bias = -block->rebound;
    if (h == 0)
        return;
    normal->bias += way_back(in, p, block, normal);
    if (gap > 0) {
        normal->bias += block->rebound > 0 ? 0 : open_gap(method, gap) / time_to_close(in);
        return;
    }
    double depth = -gap - method->slop;
    if (depth <= 0)
        return;
    bool shallow = -gap <= method->mixed_depth;
    if (method->stabilization == ASH_STABILIZE_BAUMGARTE || (method->stabilization == ASH_STABILIZE_MIXED && shallow))
        normal->bias -= method->erp / ashi_assembly_whole(in) * depth;
    else if (method->stabilization == ASH_STABILIZE_SOFT)
        soften(in, p, block, normal, depth);
}

/* ---- friction ---- */

ASHI_MERGED void find_tangents(ash_vec3 n, bool planar, ash_vec3 tangent[2])
{
    ash_vec3 axis = fabs(n.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    tangent[0] = planar ? v3(n.y, -n.x, 0) : v3_unit(v3_add_scaled(axis, n, -v3_dot(axis, n)));
    tangent[1] = v3_cross(n, tangent[0]);
}

void ashi_tangents(ash_vec3 normal, bool planar, ash_vec3 tangent[2])
{
    find_tangents(normal, planar, tangent);
}

/* Velocity of b against a at the point, without the part along the normal. */
static ash_vec3 tangential(const ash_motion *a, const ash_motion *b, const contact_frame *f, const contact_point *at)
{
    ash_vec3 at_a = v3_add(a->linear, v3_cross(a->angular, vector_of(at->arm_a)));
    ash_vec3 at_b = v3_add(b->linear, v3_cross(b->angular, vector_of(at->arm_b)));
    ash_vec3 velocity = v3_sub(at_b, at_a);
    return v3_add_scaled(velocity, f->normal, -v3_dot(velocity, f->normal));
}

/* That at the start of the step, moving surfaces included. */
static ash_vec3 slip_at_start(const ash_problem *p, const touching *t, const contact_frame *f, const contact_point *at)
{
    const ash_problem_body *a = &p->bodies[t->body_a], *b = &p->bodies[t->body_b];
    ash_motion of_a = {a->start_velocity, a->start_spin}, of_b = {b->start_velocity, b->start_spin};
    ash_vec3 surfaces = v3_add_scaled(t->surfaces, f->normal, -v3_dot(t->surfaces, f->normal));
    return v3_add(tangential(&of_a, &of_b, f, at), surfaces);
}

/* How much slip the forces of this step make. */
static double slip_by_forces(const ash_problem *p, const touching *t, const contact_frame *f, const contact_point *at)
{
    const ash_problem_body *a = &p->bodies[t->body_a], *b = &p->bodies[t->body_b];
    ash_motion of_a = {v3_sub(a->velocity, a->start_velocity), v3_sub(a->spin, a->start_spin)};
    ash_motion of_b = {v3_sub(b->velocity, b->start_velocity), v3_sub(b->spin, b->start_spin)};
    return v3_norm(tangential(&of_a, &of_b, f, at));
}

/* What follows from the directions. */
ASHI_MERGED void lay_out(contact_frame *f, ash_vec3 surfaces)
{
    ash_vec3 axes[3] = {f->normal, f->tangent[0], f->tangent[1]};
    for (int i = 0; i < 3; i++) {
        f->axis[i] = quad_of_vector(axes[i]);
        f->ahead[i] = ahead_of(f->axis[i]);
        f->behind[i] = behind_of(f->axis[i]);
        f->bias[i] = v3_dot(axes[i], surfaces);
    }
    f->x = (ashi_quad){axes[0].x, axes[1].x, axes[2].x, axes[2].x};
    f->y = (ashi_quad){axes[0].y, axes[1].y, axes[2].y, axes[2].y};
    f->z = (ashi_quad){axes[0].z, axes[1].z, axes[2].z, axes[2].z};
}

/* The coefficient to begin with, and tangents where the slip decides on them. Where it decides on nothing it is not
 * looked at. What slips no faster than one step's forces make it may have begun to touch only now: static friction is
 * tried first. */
ASHI_MERGED double friction_at(const ashi_contact_assembling *s, const touching *t, const contact_point *at,
                               contact_frame *f)
{
    const ash_surface *surface = &t->surface;
    if (!s->slides && surface->sliding_friction == surface->friction)
        return surface->friction;
    ash_vec3 slip = slip_at_start(s->shared->out, t, f, at);
    double speed = v3_norm(slip);
    if (s->slides) {
        ashi_tangents(f->normal, false, f->tangent); /* those of the point before may lie along its slip */
        if (speed * s->in->method->solver.unit_time > STILL * s->in->method->solver.unit_length) {
            f->tangent[0] = v3_scale(slip, 1 / speed);
            f->tangent[1] = v3_cross(f->normal, f->tangent[0]);
        }
        lay_out(f, t->surfaces);
    }
    if (surface->sliding_friction == surface->friction)
        return surface->friction;
    double slow = s->in->method->stick_speed + slip_by_forces(s->shared->out, t, f, at);
    return speed > slow ? surface->sliding_friction : surface->friction;
}

/* Resistance to rolling and to spinning, the rows after the tangents'. Returns the sum of their guesses. */
static double add_resistance(const ashi_contact_assembling *s, ash_problem_block *block, ash_problem_row *rows,
                             const touching *t, const contact_frame *f, ash_vec3 torque)
{
    bool planar = s->shared->out->planar;
    double h = s->in->h, sum = 0;
    if (t->surface.rolling > 0) {
        block->rolling = t->surface.rolling;
        block->rollings = planar ? 1 : 2;
        for (int i = 0; i < block->rollings; i++) {
            ash_vec3 axis = planar ? v3(0, 0, 1) : f->tangent[i];
            double about = h * v3_dot(axis, torque);
            write_axis(&rows[block->row_count++], axis, about);
            sum += about;
        }
    }
    if (t->surface.spinning > 0 && !planar) {
        block->spinning = t->surface.spinning;
        block->spins = 1;
        double about = h * v3_dot(f->normal, torque);
        write_axis(&rows[block->row_count++], f->normal, about);
        sum += about;
    }
    return sum;
}

/* ---- blocks ---- */

/* The row along one of the directions. */
ASHI_MERGED void write_direction(ash_problem_row *row, const contact_frame *f, int i, const contact_point *at,
                                 const ashi_quad turned[4], double impulse)
{
    bool normal = i == 0;
    write_row(row, f->axis[i], f->ahead[i] * turned[1] - f->behind[i] * turned[0],
              turned[2] * f->behind[i] - turned[3] * f->ahead[i], impulse, normal ? 0 : f->bias[i],
              normal ? at->gap : 0, normal ? 0 : -INFINITY);
}

/* A point's block with its rows. The first guess: the forces that the point bore last time, for as long as this step.
 */
ASHI_MERGED void add_block(const ashi_contact_assembling *s, const touching *t, contact_frame *f,
                           const contact_point *at, const ashi_contact_point *point, uint32_t label)
{
    ash_problem *p = s->shared->out;
    double friction = friction_at(s, t, at, f);
    ash_problem_block *block = &p->blocks[p->block_count++];
    ash_problem_row *rows = &p->rows[p->row_count];
    ashi_quad guess = quad_of(s->in->h) * (f->x * quad_of(point->force.x) + f->y * quad_of(point->force.y) +
                                           f->z * quad_of(point->force.z));
    double impulse = guess[0] > 0 ? guess[0] : 0, sum = impulse; /* is finite only if all are */
    ashi_quad turned[4] = {ahead_of(at->arm_a), behind_of(at->arm_a), ahead_of(at->arm_b), behind_of(at->arm_b)};
    /* Field by field: a literal would be cleared first, and so written twice. */
    block->kind = ASH_BLOCK_CONTACT;
    block->body_a = t->body_a;
    block->body_b = t->body_b;
    block->first_row = p->row_count;
    block->row_count = 1;
    block->label = label;
    block->friction = friction;
    block->sliding_friction = t->surface.sliding_friction;
    block->rolling = block->spinning = block->rebound = 0;
    block->friction_limit = s->in->method->friction_bound == ASH_BOUND_PREVIOUS ? impulse : -1;
    block->tangents = friction > 0 ? p->planar ? 1 : 2 : 0;
    block->rollings = block->spins = 0;
    block->at_point = true;
    block->alike = block->placed = block->held_a = block->held_b = false;
    write_direction(rows, f, 0, at, turned, impulse);
    set_normal(s->in, p, block, rows, t->surface.restitution);
    for (int i = 1; i <= block->tangents; i++) {
        write_direction(&rows[block->row_count++], f, i, at, turned, guess[i]);
        sum += guess[i];
    }
    if (t->surface.rolling > 0 || t->surface.spinning > 0)
        sum += add_resistance(s, block, rows, t, f, point->torque);
    p->finite = p->finite && sum - sum == 0;
    p->row_count += block->row_count;
}

/* Whether the newest block has the directions and the friction of the one before, which is of the same contact. */
static bool is_alike(const ashi_contact_assembling *s, const ash_problem_block *block)
{
    return !s->slides && block->row_count == block[-1].row_count && block->friction == block[-1].friction;
}

/* ---- pairs ---- */

static const ashi_shape_place *place_of(const ashi_contact_assembling *s, uint32_t shape)
{
    ashi_shape_place *place = &s->places[shape];
    if (!s->placed[shape]) {
        ash_transform pose = ashi_shape_pose_at(s->in->model, s->in->start, shape);
        *place = (ashi_shape_place){pose.position, m3_from_quat(pose.rotation), 0};
        s->placed[shape] = true;
    }
    return place;
}

ASHI_MERGED ashi_quad point_at(const ashi_shape_place *place, ash_vec3 point)
{
    const ash_mat3 *axes = &place->axes;
    return load_vector(&place->position) +
           (load_vector(&axes->x) * quad_of(point.x) + load_vector(&axes->y) * quad_of(point.y) +
            load_vector(&axes->z) * quad_of(point.z));
}

/* Whether a point (by number) is in the problem. */
static bool is_within(const ashi_contact_assembling *s, uint32_t number)
{
    return -s->in->contacts->points.data[number].depth <= s->in->reach &&
           !(s->in->leaves != NULL && s->in->leaves[number]);
}

static bool moves_surface(const ashi_shape_entry *shape)
{
    return shape->surface_velocity.x != 0 || shape->surface_velocity.y != 0 || shape->surface_velocity.z != 0;
}

/* Field by field, as blocks are. */
static void touch(const ashi_contact_assembling *s, const ashi_contact_pair *pair, touching *t)
{
    const ashi_model *model = s->in->model;
    const ashi_state *start = s->in->start;
    const ashi_shape_entry *a = &model->shapes.entries.data[pair->a], *b = &model->shapes.entries.data[pair->b];
    t->place_a = place_of(s, pair->a);
    t->place_b = place_of(s, pair->b);
    t->body_a = ashi_assembling_body(s->shared, a->body);
    t->body_b = ashi_assembling_body(s->shared, b->body);
    t->centre_a = start->position[a->body];
    t->centre_b = start->position[b->body];
    t->surface = ashi_materials_combine(&model->materials, a->material, b->material);
    t->surfaces = v3(0, 0, 0);
    if (moves_surface(a) || moves_surface(b))
        t->surfaces = v3_sub(q_rotate(start->rotation[b->body], b->surface_velocity),
                             q_rotate(start->rotation[a->body], a->surface_velocity));
}

ASHI_MERGED contact_point contact_point_of(const touching *t, const ashi_contact_point *point, const contact_frame *f,
                                           bool planar)
{
    ashi_quad on_a = point_at(t->place_a, point->on_a), on_b = point_at(t->place_b, point->on_b);
    ashi_quad middle = (on_a + on_b) * quad_of(0.5), along = f->axis[0] * (on_b - on_a);
    contact_point at = {middle - quad_of_vector(t->centre_a), middle - quad_of_vector(t->centre_b),
                        along[0] + along[1] + along[2]};
    if (planar)
        at.arm_a[2] = at.arm_b[2] = 0;
    return at;
}

ASHI_MERGED void add_any_contact(const ashi_contact_assembling *s, const touching *t, const ashi_contact *contact)
{
    const ashi_contact_point *points = s->in->contacts->points.data;
    ash_problem *p = s->shared->out;
    contact_frame f;
    f.normal = m3_apply(t->place_a->axes, contact->normal);
    find_tangents(f.normal, p->planar, f.tangent);
    lay_out(&f, t->surfaces);
    uint32_t first_block = p->block_count;
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
        if (!is_within(s, k))
            continue;
        contact_point at = contact_point_of(t, &points[k], &f, p->planar);
        add_block(s, t, &f, &at, &points[k], k);
        ash_problem_block *block = &p->blocks[p->block_count - 1];
        block->alike = p->block_count - 1 > first_block && is_alike(s, block);
    }
}

static void add_contact(const ashi_contact_assembling *s, const touching *t, const ashi_contact *contact)
{
    add_any_contact(s, t, contact);
}

ASHI_WIDE static void add_contact_wide(const ashi_contact_assembling *s, const touching *t, const ashi_contact *contact)
{
    add_any_contact(s, t, contact);
}

void ashi_contact_fetch_shape(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    const char *place = (const char *)&s->places[pair->b];
    __builtin_prefetch(place);
    __builtin_prefetch(place + 64);
    __builtin_prefetch(&s->in->model->shapes.entries.data[pair->b].body);
}

void ashi_contact_fetch_body(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    uint32_t body = s->in->model->shapes.entries.data[pair->b].body;
    __builtin_prefetch(&s->in->start->position[body]);
    __builtin_prefetch(&s->in->start->rotation[body]);
    __builtin_prefetch(&s->in->model->bodies.info[body].mass.centre);
}

bool ashi_assembling_pair(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = s->in->contacts;
    ash_problem *p = s->shared->out;
    touching t;
    touch(s, pair, &t);
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        uint32_t rows = p->row_count + ASHI_CONTACT_ROWS * contact->point_count;
        if (rows > p->row_room && !ashi_problem_reserve(p, 0, 0, rows, 0))
            return false;
        if (s->wide)
            add_contact_wide(s, &t, contact);
        else
            add_contact(s, &t, contact);
    }
    return true;
}

bool ashi_contact_pair_takes_part(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = s->in->contacts;
    if (pair->sensor || pair->contact_count == 0 || !ashi_contact_pair_is_awake(s->in->model, pair))
        return false;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            if (is_within(s, k))
                return true;
    }
    return false;
}
