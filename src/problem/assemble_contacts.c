/* Contacts in the problem of a step: in the order of the contact set, a record each, with its points.
 *
 * A point p is the middle of the two surface points, with arms r = p - x: one point for both bodies keeps angular
 * momentum exactly. The normal's bias is the sum of
 *   - restitution:  -e times the approach at the start of the step, unless it is slower than the resting speed (Newton;
 *     Gribel 2009 (26)-(29)), for contacts that touch or would close within the step,
 *   - where steps are cut at impacts, the speed at which the contact separates at the start: it may return as fast;
 *   - else gap / h if there is a gap: it may close, no more (with shock propagation except for the slop: bodies above
 *     one that turns while its gap closes turn more than that, layer by layer);
 *   - Baumgarte's  -erp / h max(depth - slop, 0)  (Gribel 2009 (37)), in the mixture only up to its depth, or a soft
 *     spring's  -rate max(depth - slop, 0)  with softness 1/(h (h k + c)).
 *
 * Everything that the points of a pair or of a contact have in common is computed once for them. Vectors are quads
 * whose last number has no meaning; this code is compiled twice, the second time for machines with registers for
 * quads. */
#include "problem/assembling.h"

#include "math/quad.h"
#include "model/method.h"
#include "problem/point_rows.h"

#include <string.h>

#define STILL 1e-9 /* units of speed: smaller slip has no direction */

/* A pair of touching shapes. */
typedef struct touching {
    const ashi_posed_shape *place_a, *place_b;
    uint32_t body_a, body_b;     /* in the problem */
    ash_vec3 centre_a, centre_b; /* of the bodies */
    ash_surface surface;
    ash_vec3 surfaces; /* velocity of moving surfaces, b relative to a */
} touching;

/* A contact of the pair: three directions, normal and tangents. */
typedef struct contact_frame {
    ash_vec3 normal, tangent[2];
    double slide[2];   /* along the tangents: moving surfaces */
    ashi_axes axes;    /* of all three, where rows are written */
    ashi_quad x, y, z; /* of the three, side by side */
} contact_frame;

/* A point of the contact. */
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

/* ---- the normal ---- */

/* A vector with three numbers and one more after it in memory. */
ASHI_MERGED ashi_quad load_vector(const ash_vec3 *v)
{
    return quad_load((const double *)v);
}

ASHI_MERGED ash_vec3 vector_of(ashi_quad q)
{
    return v3(q[0], q[1], q[2]);
}

/* A point during assembly: its normal row and its record. */
typedef struct point_entry {
    const ash_problem_body *a, *b;
    ash_vec3 normal, turned_a, turned_b; /* the row: -normal and turned_a of a, normal and turned_b of b */
    ash_problem_point *point;
} point_entry;

static double speed_by(const point_entry *e, const ash_motion *a, const ash_motion *b)
{
    return v3_dot(v3_neg(e->normal), a->linear) + v3_dot(e->turned_a, a->angular) + v3_dot(e->normal, b->linear) +
           v3_dot(e->turned_b, b->angular);
}

static double speed_at_start(const point_entry *e)
{
    ash_motion of_a = {e->a->start_velocity, e->a->start_spin}, of_b = {e->b->start_velocity, e->b->start_spin};
    return speed_by(e, &of_a, &of_b);
}

static double predicted_speed(const point_entry *e)
{
    ash_motion of_a = {e->a->velocity, e->a->spin}, of_b = {e->b->velocity, e->b->spin};
    return speed_by(e, &of_a, &of_b);
}

/* J M^-1 J^T of the normal. */
static double response_of(const point_entry *e)
{
    ash_vec3 minus = v3_neg(e->normal);
    return v3_dot(minus, v3_mul(e->a->inverse_mass, minus)) +
           v3_dot(e->turned_a, s3_apply(e->a->inverse_inertia, e->turned_a)) +
           v3_dot(e->normal, v3_mul(e->b->inverse_mass, e->normal)) +
           v3_dot(e->turned_b, s3_apply(e->b->inverse_inertia, e->turned_b));
}

/* Overlap is removed by a damped spring: its share of the speed, and the softness of the row. */
static void soften(const ashi_assembly *in, const point_entry *e, double depth)
{
    const ash_solver_settings *solver = &in->method->solver;
    double h = in->h, stiffest = 0.125 / h;
    double w = 6.283185307179586 * (solver->frequency < stiffest ? solver->frequency : stiffest);
    double scale = h * w * (2 * solver->damping + h * w);
    e->point->bias -= w / (2 * solver->damping + h * w) * depth;
    e->point->softness = response_of(e) / scale;
}

/* The gap by which it may close; a contact that may not close at all counts as touching. */
static double open_gap(const ashi_assembly *in, double gap)
{
    if (!in->within_slop)
        return gap;
    return in->method->hold_gaps ? 0 : fmax(gap - in->method->slop, 0);
}

/* The speed at which the contact should separate. */
static double rebound_of(const ashi_assembly *in, const point_entry *e, double restitution)
{
    double h = in->within_slop ? ashi_assembly_whole(in) : in->h, gap = e->point->gap;
    double approach = -speed_at_start(e);
    if (!(approach > in->method->resting_speed))
        return 0;
    bool closes = in->open || gap <= 0 || h == 0 || (h > 0 && open_gap(in, gap) + h * predicted_speed(e) < 0);
    return closes ? restitution * approach : 0;
}

/* The speed at which a contact that separates at the start may return. Where bodies move by the mean of both
 * velocities, a contact that may not return at all would be lifted by half of its motion without work; if it returns as
 * fast as it left, no work is done, and the next instant stops it. */
static double way_back(const ashi_assembly *in, const point_entry *e)
{
    bool mean = ashi_integrator_moves_by_mean(in->method->integrator);
    return ashi_method_has_instants(in->method) && mean ? fmax(speed_at_start(e), 0) : 0;
}

/* The speed at which a gap may still close at the end. In a window it closes by the mean of both velocities, exactly
 * where that is possible, so that what carries touches at the end and is held in the next step. */
static double closing_speed(const ashi_assembly *in, const point_entry *e)
{
    if (in->windowed && ashi_integrator_moves_by_mean(in->method->integrator))
        return fmax(2 * e->point->gap / in->h + fmin(speed_at_start(e), 0), 0);
    return open_gap(in, e->point->gap) / (in->within_slop ? ashi_assembly_whole(in) : in->h);
}

static inline void set_normal(const ashi_assembly *in, const point_entry *e, double restitution)
{
    const ash_method *method = in->method;
    ash_problem_point *point = e->point;
    double h = in->h, gap = point->gap;
    point->softness = 0;
    point->rebound = restitution > 0 ? rebound_of(in, e, restitution) : 0;
    point->bias = -point->rebound;
    if (h == 0)
        return;
    point->bias += way_back(in, e);
    if (gap > 0) {
        point->bias += point->rebound > 0 ? 0 : closing_speed(in, e);
        return;
    }
    double depth = -gap - method->slop;
    if (depth <= 0)
        return;
    bool shallow = -gap <= method->mixed_depth;
    if (method->stabilization == ASH_STABILIZE_BAUMGARTE || (method->stabilization == ASH_STABILIZE_MIXED && shallow))
        point->bias -= method->erp / ashi_assembly_whole(in) * depth;
    else if (method->stabilization == ASH_STABILIZE_SOFT)
        soften(in, e, depth);
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

/* The slip at the start of the step, moving surfaces included. */
static ash_vec3 slip_at_start(const ashi_system *p, const touching *t, const contact_frame *f, const contact_point *at)
{
    const ash_problem_body *a = &p->bodies[t->body_a], *b = &p->bodies[t->body_b];
    ash_motion of_a = {a->start_velocity, a->start_spin}, of_b = {b->start_velocity, b->start_spin};
    ash_vec3 surfaces = v3_add_scaled(t->surfaces, f->normal, -v3_dot(t->surfaces, f->normal));
    return v3_add(tangential(&of_a, &of_b, f, at), surfaces);
}

/* The slip that the forces of this step cause. */
static double slip_by_forces(const ashi_system *p, const touching *t, const contact_frame *f, const contact_point *at)
{
    const ash_problem_body *a = &p->bodies[t->body_a], *b = &p->bodies[t->body_b];
    ash_motion of_a = {v3_sub(a->velocity, a->start_velocity), v3_sub(a->spin, a->start_spin)};
    ash_motion of_b = {v3_sub(b->velocity, b->start_velocity), v3_sub(b->spin, b->start_spin)};
    return v3_norm(tangential(&of_a, &of_b, f, at));
}

/* Sets everything that follows from the directions. */
ASHI_MERGED void lay_out(contact_frame *f, ash_vec3 surfaces)
{
    ash_vec3 axes[3] = {f->normal, f->tangent[0], f->tangent[1]};
    for (int i = 0; i < 3; i++) {
        f->axes.axis[i] = quad_of_vector(axes[i]);
        f->axes.ahead[i] = ahead_of(f->axes.axis[i]);
        f->axes.behind[i] = behind_of(f->axes.axis[i]);
    }
    f->slide[0] = v3_dot(f->tangent[0], surfaces);
    f->slide[1] = v3_dot(f->tangent[1], surfaces);
    f->x = (ashi_quad){axes[0].x, axes[1].x, axes[2].x, axes[2].x};
    f->y = (ashi_quad){axes[0].y, axes[1].y, axes[2].y, axes[2].y};
    f->z = (ashi_quad){axes[0].z, axes[1].z, axes[2].z, axes[2].z};
}

/* The initial coefficient of friction, and the tangents if they depend on slip. Slip is computed only if something
 * depends on it. A point that slips no faster than the forces of one step can cause may have started to touch just now:
 * static friction is tried first. */
ASHI_MERGED double friction_at(const ashi_contact_assembling *s, const touching *t, const contact_point *at,
                               contact_frame *f)
{
    const ash_surface *surface = &t->surface;
    if (!s->slides && surface->sliding_friction == surface->friction)
        return surface->friction;
    ash_vec3 slip = slip_at_start(s->shared->out, t, f, at);
    double speed = v3_norm(slip);
    if (s->slides) {
        ashi_tangents(f->normal, false, f->tangent); /* those of the previous point may lie along its slip */
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

/* ---- points ---- */

/* Starts a record for points with these directions and this number of tangents. */
static ash_problem_contact *begin_contact(ashi_system *p, const touching *t, const contact_frame *f, uint8_t tangents)
{
    ash_problem_contact *contact = &p->contacts[p->contact_count++];
    *contact = (ash_problem_contact){.body_a = t->body_a,
                                     .body_b = t->body_b,
                                     .first_point = p->point_count,
                                     .first_turn = p->turn_count,
                                     .tangents = tangents,
                                     .rollings = t->surface.rolling <= 0 ? 0
                                                 : p->planar             ? 1
                                                                         : 2,
                                     .spins = t->surface.spinning > 0 && !p->planar,
                                     .normal = f->normal,
                                     .tangent = {f->tangent[0], f->tangent[1]},
                                     .slide = {f->slide[0], f->slide[1]},
                                     .sliding_friction = t->surface.sliding_friction,
                                     .restitution = t->surface.restitution};
    contact->rolling = contact->rollings > 0 ? t->surface.rolling : 0;
    contact->spinning = contact->spins > 0 ? t->surface.spinning : 0;
    return contact;
}

/* The first guess of rolling and spinning resistance. Returns the sum of the impulses. */
static double add_turn(const ashi_contact_assembling *s, const ash_problem_contact *contact, ash_vec3 torque)
{
    ashi_system *p = s->shared->out;
    double h = s->in->h;
    ash_vec3 axis = p->planar ? v3(0, 0, 1) : contact->tangent[0];
    ash_vec3 turn = {contact->rollings > 0 ? h * v3_dot(axis, torque) : 0,
                     contact->rollings > 1 ? h * v3_dot(contact->tangent[1], torque) : 0,
                     contact->spins > 0 ? h * v3_dot(contact->normal, torque) : 0};
    p->turns[p->turn_count++] = turn;
    return turn.x + turn.y + turn.z;
}

/* Whether the newest record, started for the same contact of the set, can take one more point with this number of
 * tangents. */
static bool takes(const ashi_contact_assembling *s, uint32_t first, uint8_t tangents)
{
    const ashi_system *p = s->shared->out;
    return p->contact_count > first && !s->slides && p->contacts[p->contact_count - 1].tangents == tangents;
}

/* The first guess: the last forces at the point, times the length of this step. */
ASHI_MERGED void add_point(const ashi_contact_assembling *s, const touching *t, contact_frame *f,
                           const contact_point *at, const ashi_point_record *from, uint32_t label, uint32_t first)
{
    ashi_system *p = s->shared->out;
    double friction = friction_at(s, t, at, f);
    uint8_t tangents = friction > 0 ? p->planar ? 1 : 2 : 0;
    ash_problem_contact *contact =
        takes(s, first, tangents) ? &p->contacts[p->contact_count - 1] : begin_contact(p, t, f, tangents);
    contact->point_count++;
    ash_problem_point *point = &p->points[p->point_count++];
    ashi_quad guess = quad_of(s->in->h) *
                      (f->x * quad_of(from->force.x) + f->y * quad_of(from->force.y) + f->z * quad_of(from->force.z));
    double impulse = guess[0] > 0 ? guess[0] : 0;
    point->arm_a = vector_of(at->arm_a);
    point->arm_b = vector_of(at->arm_b);
    point->impulse = v3(impulse, tangents > 0 ? guess[1] : 0, tangents > 1 ? guess[2] : 0);
    point->gap = at->gap;
    point->friction = friction;
    point->friction_limit = s->in->method->friction_bound == ASH_BOUND_PREVIOUS ? impulse : -1;
    point->label = label;
    ashi_quad turned_a = f->axes.ahead[0] * behind_of(at->arm_a) - f->axes.behind[0] * ahead_of(at->arm_a);
    ashi_quad turned_b = ahead_of(at->arm_b) * f->axes.behind[0] - behind_of(at->arm_b) * f->axes.ahead[0];
    point_entry e = {&p->bodies[t->body_a], &p->bodies[t->body_b], f->normal,
                     vector_of(turned_a),   vector_of(turned_b),   point};
    set_normal(s->in, &e, t->surface.restitution);
    double sum = point->impulse.x + point->impulse.y + point->impulse.z; /* is finite only if all are */
    if (contact->rollings > 0 || contact->spins > 0)
        sum += add_turn(s, contact, from->torque);
    p->finite = p->finite && sum - sum == 0;
    if (!p->expanded)
        return;
    ashi_block *block = &p->blocks[p->block_count++];
    ashi_write_block(p, p->contact_count - 1, contact, p->point_count - 1, p->row_count, block);
    ashi_write_rows(p, contact, p->point_count - 1, &f->axes, at->arm_a, at->arm_b, &p->rows[p->row_count]);
    p->row_count += block->row_count;
}

/* ---- pairs ---- */

static const ashi_posed_shape *place_of(const ashi_contact_assembling *s, uint32_t shape)
{
    ashi_posed_shape *place = &s->places[shape];
    if (!s->placed[shape]) {
        ash_transform pose = ashi_shape_pose_at(s->in->model, s->in->start, shape);
        *place = (ashi_posed_shape){pose.position, m3_from_quat(pose.rotation), 0};
        s->placed[shape] = true;
    }
    return place;
}

ASHI_MERGED ashi_quad point_at(const ashi_posed_shape *place, ash_vec3 point)
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

ASHI_MERGED contact_point contact_point_of(const touching *t, const ashi_point_record *point, const contact_frame *f,
                                           bool planar)
{
    ashi_quad on_a = point_at(t->place_a, point->on_a), on_b = point_at(t->place_b, point->on_b);
    ashi_quad middle = (on_a + on_b) * quad_of(0.5), along = f->axes.axis[0] * (on_b - on_a);
    contact_point at = {middle - quad_of_vector(t->centre_a), middle - quad_of_vector(t->centre_b),
                        along[0] + along[1] + along[2]};
    if (planar)
        at.arm_a[2] = at.arm_b[2] = 0;
    return at;
}

ASHI_MERGED void add_any_contact(const ashi_contact_assembling *s, const touching *t,
                                 const ashi_contact_record *contact)
{
    const ashi_point_record *points = s->in->contacts->points.data;
    ashi_system *p = s->shared->out;
    contact_frame f;
    f.normal = m3_apply(t->place_a->axes, contact->normal);
    find_tangents(f.normal, p->planar, f.tangent);
    lay_out(&f, t->surfaces);
    uint32_t first = p->contact_count;
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
        if (!is_within(s, k))
            continue;
        contact_point at = contact_point_of(t, &points[k], &f, p->planar);
        add_point(s, t, &f, &at, &points[k], k, first);
    }
}

static void add_contact(const ashi_contact_assembling *s, const touching *t, const ashi_contact_record *contact)
{
    add_any_contact(s, t, contact);
}

ASHI_WIDE static void add_contact_wide(const ashi_contact_assembling *s, const touching *t,
                                       const ashi_contact_record *contact)
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

/* Reserves room for a contact of the set; if it resists rolling or spinning, for all contacts, since others probably do
 * too. */
static bool reserve_for(ashi_system *p, const touching *t, const ashi_contact_record *contact)
{
    uint32_t count = contact->point_count, contacts = p->contact_count + count, points = p->point_count + count;
    bool resists = t->surface.rolling > 0 || t->surface.spinning > 0;
    uint32_t turns = !resists ? 0 : points > p->point_room ? points : p->point_room;
    uint32_t blocks = p->block_count + count, rows = p->row_count + count * (resists ? ASHI_CONTACT_ROWS : 3);
    return ((contacts <= p->contact_room && points <= p->point_room && turns <= p->turn_room) ||
            ashi_system_reserve_contacts(p, contacts, points, turns)) &&
           (!p->expanded || (blocks <= p->block_room && rows <= p->row_room) ||
            ashi_system_reserve(p, 0, blocks, rows, 0));
}

bool ashi_assembling_pair(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = s->in->contacts;
    ashi_system *p = s->shared->out;
    touching t;
    touch(s, pair, &t);
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        if (!reserve_for(p, &t, &set->contacts.data[i]))
            return false;
        if (s->wide)
            add_contact_wide(s, &t, &set->contacts.data[i]);
        else
            add_contact(s, &t, &set->contacts.data[i]);
    }
    return true;
}

bool ashi_contact_pair_takes_part(const ashi_contact_assembling *s, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = s->in->contacts;
    if (pair->sensor || pair->contact_count == 0 || !ashi_contact_pair_is_awake(s->in->model, pair))
        return false;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            if (is_within(s, k))
                return true;
    }
    return false;
}
