/* Decides which contacts go into lanes: those of islands in which all are plain. Threads do all of it on pieces of the
 * bodies, shapes and pairs; they find islands concurrently. */
#include "step/lanes_inside.h"

#include "base/groups.h"
#include "math/quad.h"
#include "model/method.h"
#include "problem/assembling.h"
#include "solve/soft/soft_law.h"
#include "step/scheme.h"

#include <math.h>
#include <string.h>

#define CLOSED  1e-10 /* m: as for the rows of joints */
#define SPAN    1e3   /* ratio of masses in an island beyond which single precision is not enough */
#define HEAVY   100   /* span beyond which an island takes twice as many sub-steps, and again at each ... */
#define FINER   2.5   /* ... times it: what carries a weight yields by the weight's share and that of a sub-step */
#define EXTREME 1e12  /* of an inverse mass or inertia, and its inverse: beyond it products overflow */
#define CALM    0.5   /* of the resting speed: if no contact of an island closes faster, nothing rebounds */
#define PAIRS   128   /* in a piece */
#define BODIES  256   /* in a piece, and shapes */

/* Flags of a body; at the first slot of an island, of the whole island. */
enum {
    SEEN = 1,     /* a contact moves it */
    OTHER = 2,    /* is solved in the problem */
    WARM = 4,     /* some contact carried a force */
    COARSE = 8,   /* single precision is not enough */
    BOUNCES = 16, /* some contact has restitution, ... */
    MEETS = 32,   /* ... and some contact, not necessarily the same, closes so fast that it may rebound */
    FINE = 64,    /* times how often its sub-steps are doubled: up to three */
};

/* Data of a shape. */
typedef struct surface_of {
    uint32_t body, material;
    bool stands; /* its surface does not move relative to its body */
} surface_of;

/* The entries of a piece of the pairs. */
typedef struct piece {
    uint32_t first;               /* place in the list of all */
    uint32_t count;               /* of all, ... */
    uint32_t counts[ASHI_WIDTHS]; /* ... and of those in lanes; later the start of these */
    uint32_t points[ASHI_WIDTHS]; /* of these */
} piece;

/* A plan in progress. */
typedef struct planning {
    ashi_step *step;
    ashi_lanes *lanes;
    double reach;
    const bool *leaves;
    bool *moves;   /* by slot: impulses can move it */
    uint8_t *mark; /* by slot */
    surface_of *surfaces;
    double (*masses)[2]; /* by slot: inverse masses of the lightest and the heaviest of an island */
    ashi_wide_entry *entries;
    piece *pieces;
    uint32_t piece_count;
    double meets;   /* m/s: contacts that close faster may rebound; infinity: nothing has restitution */
    bool *left_out; /* by point; null: the problem leaves out none */
    bool any_cold;  /* some island has no impulses yet */
    bool alone;     /* one thread does all of it */
    bool any_other;
} planning;

static bool suits(const ashi_step *step, double h)
{
    const ash_method *m = &step->method;
    bool soft = m->stabilization == ASH_STABILIZE_SOFT || m->stabilization == ASH_STABILIZE_NONE;
    return h > 0 && ashi_method_divides(m) && step->scheme->fits_lanes && soft && m->contacts == ASH_CONTACTS_SOLVE &&
           m->step_control != ASH_STEP_IMPACTS && m->solver.warm_start && !m->solver.unjudged &&
           m->friction_law == ASH_FRICTION_CONE && m->friction_bound == ASH_BOUND_RUNNING &&
           m->friction_axes == ASH_AXES_GLOBAL && m->restitution_law == ASH_RESTITUTION_NEWTON &&
           m->impact_order == ASH_IMPACTS_TOGETHER && m->solver.substeps > 0;
}

/* Whether a surface law has plain friction, without rolling and spinning. */
static bool is_plain(const ash_surface *s)
{
    return s->sliding_friction == s->friction && s->rolling == 0 && s->spinning == 0;
}

static double meeting_speed(const ashi_step *step)
{
    const ashi_materials *materials = &step->model->materials;
    for (uint32_t i = 0; i < materials->entries.count; i++)
        if (ashi_pool_in_use(&materials->pool, i) && ashi_materials_combine(materials, i, i).restitution > 0)
            return CALM * step->method.resting_speed;
    return HUGE_VAL;
}

/* ---- bodies and shapes ---- */

/* Bodies with locked directions are solved in the problem. */
static void look_at_bodies(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    planning *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    const uint8_t flat =
        b->planar ? ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y : 0; /* lanes do not have these */
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        double mass = b->inertial[i].inverse_mass, least = mass, most = mass;
        bool turns = (b->motion[i] & ASHI_ROTATES) != 0;
        p->lanes->parent[i] = i;
        p->moves[i] = i > 0 && (b->motion[i] & ASHI_DYNAMIC) != 0 && (mass > 0 || turns);
        if (turns) {
            double slowest = 1 / b->rotor[i].principal.z, fastest = 1 / b->rotor[i].principal.x;
            least = slowest < least ? slowest : least;
            most = fastest > most ? fastest : most;
        }
        bool locked = (b->motion[i] & ASHI_LINEAR_LOCKS) != 0 && b->locks[i] != flat;
        bool coarse = p->moves[i] && !(most < EXTREME && least > 1 / EXTREME);
        p->mark[i] = (uint8_t)((locked ? OTHER : 0) | (coarse ? COARSE : 0));
        p->masses[i][0] = p->masses[i][1] = mass;
    }
}

/* So are bodies with joints. */
static void look_at_joints(planning *p)
{
    const ashi_joints *joints = &p->step->model->joints;
    for (uint32_t i = 0; i < joints->entries.count && joints->pool.used > 0; i++)
        if (ashi_pool_in_use(&joints->pool, i)) {
            p->mark[joints->entries.data[i].body_a] |= OTHER;
            p->mark[joints->entries.data[i].body_b] |= OTHER;
        }
}

static void look_at_shapes(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const planning *p = data;
    const ashi_model *model = p->step->model;
    const ashi_bodies *b = &model->bodies;
    const ashi_collision *collision = p->step->collision;
    ashi_lanes *lanes = p->lanes;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const ashi_shape_entry *shape = &model->shapes.entries.data[i];
        uint32_t body = lanes->owner[i] = shape->body;
        bool still = !model->shapes.some_run || v3_norm2(shape->surface_velocity) == 0;
        bool stands = p->moves[body] || (v3_norm2(b->now.velocity[body]) == 0 && v3_norm2(b->now.spin[body]) == 0);
        p->surfaces[i] = (surface_of){body, shape->material, still && stands};
        if (!ashi_pool_in_use(&model->shapes.pool, i) || i >= collision->colliders.count)
            continue;
        const ash_transform *pose = &collision->colliders.data[i].pose;
        if (b->planar)
            lanes->flat_places[i] = p2_of(*pose);
        else
            lanes->places[i] = (ashi_wide_place){pose->position, m3_from_quat(pose->rotation), 0};
    }
}

/* The width of a body's island, or ASHI_WIDTHS: it is solved in the problem. */
static int width_of_body(const planning *p, uint32_t slot)
{
    uint8_t of = p->mark[p->lanes->parent[slot]];
    return of & OTHER ? ASHI_WIDTHS : (of & COARSE ? ASHI_DOUBLE_WIDTH : ASHI_SINGLE_WIDTH) + of / FINE;
}

static int width_of(const planning *p, const ashi_wide_entry *e)
{
    return width_of_body(p, e->a != 0 ? e->a : e->b);
}

static uint32_t substeps_of(const ashi_step *step, int width)
{
    return step->method.solver.substeps << width % ASHI_FINENESSES;
}

static void write_bodies(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const planning *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t slot = p->lanes->active[i];
        ashi_wide_body *body = &p->lanes->bodies[slot];
        if (b->planar) /* the axis does not change */
            body->inverse_inertia = (ash_sym3){.zz = b->motion[slot] & ASHI_ROTATES ? b->rotor[slot].inverse.zz : 0};
        else
            body->inverse_inertia = ashi_inverse_inertia_at(b, slot, b->now.rotation[slot]);
        body->inverse_mass = b->inertial[slot].inverse_mass;
        body->start = (ash_motion){b->now.velocity[slot], b->now.spin[slot]};
        body->free = (ash_motion){b->next.velocity[slot], b->next.spin[slot]};
        body->pace = v3_distance(body->free.linear, body->start.linear) / substeps_of(p->step, width_of_body(p, slot));
    }
}

/* ---- pairs ---- */

static void mark(planning *p, uint32_t slot, uint8_t what)
{
    if (p->alone)
        p->mark[slot] |= what;
    else if ((__atomic_load_n(&p->mark[slot], __ATOMIC_RELAXED) & what) != what)
        __atomic_fetch_or(&p->mark[slot], what, __ATOMIC_RELAXED);
}

/* The points of a contact from this one on, at most four, that take part; `warm`: some carried a force. */
static uint8_t points_from(const planning *p, uint32_t first, uint32_t count, bool *warm)
{
    const ashi_point_record *points = &p->step->collision->now.points.data[first];
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count && k < ASHI_WIDE_POINTS; k++) {
        if (-points[k].depth > p->reach || (p->leaves != NULL && p->leaves[first + k]))
            continue;
        bits |= 1u << k;
        *warm = *warm || v3_norm2(points[k].force) > 0;
    }
    return (uint8_t)bits;
}

/* The speed of b against a at a place along a normal, in a state. */
static double closing_speed(const planning *p, const ashi_state *state, uint32_t a, uint32_t b, ash_vec3 at, ash_vec3 n)
{
    const ash_vec3 *centre = p->step->model->bodies.now.position;
    ash_vec3 of_a = v3_add(state->velocity[a], v3_cross(state->spin[a], v3_sub(at, centre[a])));
    ash_vec3 of_b = v3_add(state->velocity[b], v3_cross(state->spin[b], v3_sub(at, centre[b])));
    return v3_dot(n, v3_sub(of_a, of_b));
}

/* Whether a point of a contact closes fast, at the start or by free motion. */
static bool closes_fast(const planning *p, const ashi_contact_record *contact, uint32_t shape, uint32_t a, uint32_t b)
{
    const ashi_bodies *bodies = &p->step->model->bodies;
    const ash_transform *pose = &p->step->collision->colliders.data[shape].pose;
    ash_vec3 n = q_rotate(pose->rotation, contact->normal);
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
        ash_vec3 at = t_point(*pose, p->step->collision->now.points.data[k].on_a);
        if (!(closing_speed(p, &bodies->now, a, b, at, n) <= p->meets &&
              closing_speed(p, &bodies->next, a, b, at, n) <= p->meets))
            return true;
    }
    return false;
}

static void add_pair(planning *p, piece *to, const ashi_contact_pair *pair)
{
    const ashi_contact_set *set = &p->step->collision->now;
    const ashi_materials *materials = &p->step->model->materials;
    const surface_of *of_a = &p->surfaces[pair->a], *of_b = &p->surfaces[pair->b];
    uint32_t a = p->moves[of_a->body] ? of_a->body : 0, b = p->moves[of_b->body] ? of_b->body : 0;
    uint32_t before = to->count, any = a != 0 ? a : b;
    if (any == 0)
        return;
    /* forces need not be read if the body already has one */
    bool warm = (__atomic_load_n(&p->mark[any], __ATOMIC_RELAXED) & WARM) != 0, meets = false;
    ash_surface surface = ashi_materials_combine(materials, of_a->material, of_b->material);
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        meets = meets || (isfinite(p->meets) && closes_fast(p, contact, pair->a, of_a->body, of_b->body));
        for (uint32_t k = 0; k < contact->point_count; k += ASHI_WIDE_POINTS) {
            uint8_t bits = points_from(p, contact->first_point + k, contact->point_count - k, &warm);
            if (bits == 0)
                continue;
            p->entries[to->first + to->count++] = (ashi_wide_entry){.contact = i,
                                                                    .first = contact->first_point + k,
                                                                    .a = a,
                                                                    .b = b,
                                                                    .shape_a = pair->a,
                                                                    .shape_b = pair->b,
                                                                    .points = bits,
                                                                    .count = (uint8_t)__builtin_popcount(bits),
                                                                    .friction = (float)surface.friction};
        }
    }
    if (to->count == before)
        return;
    if (a != 0 && b != 0 && p->alone)
        ashi_groups_join(p->lanes->parent, a, b);
    else if (a != 0 && b != 0)
        ashi_groups_join_shared(p->lanes->parent, a, b);
    bool plain = is_plain(&surface) && of_a->stands && of_b->stands;
    mark(p, any,
         (uint8_t)(SEEN | (plain ? 0 : OTHER) | (warm ? WARM : 0) | (surface.restitution > 0 ? BOUNCES : 0) |
                   (meets ? MEETS : 0)));
    if (a != 0 && b != 0)
        mark(p, b, SEEN);
}

/* Where entries of a contact and those that follow begin: one each, and one more for four points, are enough. */
static uint32_t place_of(uint32_t contact, uint32_t point)
{
    return contact + point / ASHI_WIDE_POINTS;
}

static void add_pairs(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    planning *p = data;
    const ashi_contact_set *set = &p->step->collision->now;
    piece *to = &p->pieces[begin / PAIRS];
    bool any = false;
    (void)worker;
    *to = (piece){0};
    for (uint32_t i = begin; i < end; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (pair->contact_count == 0)
            continue;
        if (!any)
            to->first = place_of(pair->first_contact, set->contacts.data[pair->first_contact].first_point);
        any = true;
        if (!pair->sensor)
            add_pair(p, to, pair);
    }
}

/* By the inverse masses of an island's lightest and heaviest body. */
static uint8_t mark_of_masses(const double masses[2])
{
    uint32_t fine = 0;
    for (double span = HEAVY; fine + 1 < ASHI_FINENESSES && !(masses[0] <= span * masses[1]); span *= FINER)
        fine++;
    return (uint8_t)(fine * FINE | (masses[0] <= SPAN * masses[1] ? 0 : COARSE));
}

/* Collects the flags of bodies at the first body of their island, and lists bodies that take part. */
static void gather_islands(planning *p)
{
    ashi_lanes *lanes = p->lanes;
    uint32_t slots = ashi_body_slots(&p->step->model->bodies), *parent = lanes->parent;
    for (uint32_t i = 1; i < slots; i++) {
        if (!(p->mark[i] & SEEN))
            continue;
        uint32_t root = parent[i] = parent[parent[i]] == parent[i] ? parent[i] : ashi_group_of(parent, i);
        double *masses = p->masses[root];
        p->mark[root] |= p->mark[i];
        masses[0] = p->masses[i][0] > masses[0] ? p->masses[i][0] : masses[0];
        masses[1] = p->masses[i][1] < masses[1] ? p->masses[i][1] : masses[1];
    }
    for (uint32_t i = 1; i < slots; i++) {
        if (!(p->mark[i] & SEEN))
            continue;
        uint32_t root = parent[i];
        if (root == i)
            p->mark[i] |= mark_of_masses(p->masses[i]);
        if (root == i && (p->mark[i] & (BOUNCES | MEETS)) == (BOUNCES | MEETS))
            p->mark[i] |= OTHER;
        p->any_other = p->any_other || (p->mark[root] & OTHER) != 0;
        if (p->mark[root] & OTHER)
            continue;
        p->any_cold = p->any_cold || !(p->mark[root] & WARM);
        lanes->active[lanes->active_count++] = i;
        lanes->islands += root == i;
    }
}

/* ---- what is solved ---- */

static void count_entries(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const planning *p = data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        piece *of = &p->pieces[k];
        for (uint32_t i = 0; i < of->count; i++) {
            const ashi_wide_entry *e = &p->entries[of->first + i];
            int width = width_of(p, e);
            if (width == ASHI_WIDTHS)
                continue;
            of->counts[width]++;
            of->points[width] += e->count;
        }
    }
}

/* From counts to places. */
static void place_entries(planning *p, uint32_t counts[ASHI_WIDTHS], uint32_t points[ASHI_WIDTHS])
{
    for (uint32_t k = 0; k < p->piece_count; k++)
        for (int w = 0; w < ASHI_WIDTHS; w++) {
            uint32_t own = p->pieces[k].counts[w];
            p->pieces[k].counts[w] = counts[w];
            counts[w] += own;
            points[w] += p->pieces[k].points[w];
        }
}

static void take_entries(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const planning *p = data;
    (void)worker;
    for (uint32_t k = begin; k < end; k++) {
        piece *of = &p->pieces[k];
        for (uint32_t i = 0; i < of->count; i++) {
            const ashi_wide_entry *e = &p->entries[of->first + i];
            int width = width_of(p, e);
            if (width == ASHI_WIDTHS)
                continue;
            p->lanes->entries[width][of->counts[width]++] = *e;
            for (uint32_t l = 0; l < ASHI_WIDE_POINTS && p->left_out != NULL; l++)
                if (e->points >> l & 1)
                    p->left_out[e->first + l] = true;
        }
    }
}

/* Starts with points that are left out anyway; those in lanes are added. */
static bool begin_left_out(planning *p)
{
    uint32_t points = p->step->collision->now.points.count;
    p->left_out = ashi_arena_take_array(p->step->scratch, points, sizeof *p->left_out);
    if (p->left_out == NULL)
        return false;
    if (p->leaves != NULL)
        memcpy(p->left_out, p->leaves, points * sizeof *p->left_out);
    else
        memset(p->left_out, 0, points * sizeof *p->left_out);
    return true;
}

static ashi_wide_softness softness_of(double frequency, double damping, double h)
{
    double w = 2 * ASHI_PI * frequency, a = h * w * (2 * damping + h * w);
    return (ashi_wide_softness){w > 0 ? h * w / (2 * damping + h * w) : 0, a / (1 + a)};
}

/* Data common to all tasks. */
static ashi_wide_task task_of(const planning *p, double h, int width)
{
    const ashi_lanes *lanes = p->lanes;
    const ash_method *method = &p->step->method;
    const ash_solver_settings *settings = &method->solver;
    uint32_t substeps = substeps_of(p->step, width);
    double part = h / substeps, frequency = fmin(settings->frequency, ASHI_STIFFEST / part);
    double w_step = 2 * ASHI_PI * fmin(settings->frequency, ASHI_STIFFEST / h);
    double damped = 2 * settings->damping + h * w_step;
    bool soft = method->stabilization == ASH_STABILIZE_SOFT;
    uint8_t machine = ashi_machine_width();
    return (ashi_wide_task){.set = &p->step->collision->now,
                            .places = lanes->places,
                            .flat_places = lanes->flat_places,
                            .bodies = lanes->bodies,
                            .owner = lanes->owner,
                            .centres = p->step->model->bodies.now.position,
                            .slots = ashi_body_slots(&p->step->model->bodies),
                            .substeps = substeps,
                            .h = h,
                            .soft = softness_of(frequency, settings->damping, part),
                            .stiff = softness_of(ASHI_STIFF_TIMES * frequency, settings->damping, part),
                            .push_out = settings->push_out * part,
                            .closed = CLOSED * settings->unit_length,
                            .slop = method->slop,
                            .rate = soft ? w_step / damped : 0,
                            .softness = soft ? 1 / (h * w_step * damped) : 0,
                            .planar = p->step->model->bodies.planar,
                            .width = (uint8_t)(machine > lanes->narrower ? machine - lanes->narrower : 0),
                            .tasks = p->step->tasks,
                            .arena = lanes->arena};
}

static const ashi_wide_form *form_of(const ashi_wide_task *task, int width)
{
    static const ashi_wide_form *const forms[2][2] = {{&ashi_wide_single, &ashi_wide_double},
                                                      {&ashi_flat_single, &ashi_flat_double}};
#if defined(__x86_64__)
    static const ashi_wide_form *const broad[2] = {&ashi_wide_broad, &ashi_flat_broad};
    if (width < ASHI_DOUBLE_WIDTH && task->width == ASHI_WIDEST_WIDTH)
        return broad[task->planar];
#endif
    return forms[task->planar][width >= ASHI_DOUBLE_WIDTH];
}

/* The entries and bodies of each width, and the points that the problem leaves out. */
static bool divide(planning *p, double h)
{
    ashi_lanes *lanes = p->lanes;
    uint32_t counts[ASHI_WIDTHS] = {0}, points[ASHI_WIDTHS] = {0};
    ashi_parallel_for(p->step->tasks, p->piece_count, 1, count_entries, p);
    place_entries(p, counts, points);
    for (int w = 0; w < ASHI_WIDTHS; w++) {
        lanes->task[w] = (ashi_wide_task){0};
        if (counts[w] == 0)
            continue;
        ashi_wide_task task = task_of(p, h, w);
        uint32_t *active = ashi_arena_take_array(lanes->arena, lanes->active_count, sizeof *active);
        lanes->entries[w] = ashi_arena_take_array(lanes->arena, counts[w], sizeof *lanes->entries[w]);
        if (lanes->entries[w] == NULL || active == NULL)
            return false;
        task.form = form_of(&task, w);
        task.active = active;
        for (uint32_t i = 0; i < lanes->active_count; i++)
            if (width_of_body(p, lanes->active[i]) == w)
                active[task.active_count++] = lanes->active[i];
        task.entries = lanes->entries[w];
        task.entry_count = counts[w];
        task.point_count = points[w];
        lanes->task[w] = task;
        lanes->point_count += points[w];
    }
    ashi_parallel_for(p->step->tasks, p->piece_count, 1, take_entries, p);
    return true;
}

/* Islands without impulses start with a guess. */
static bool load(planning *p)
{
    ashi_lanes *lanes = p->lanes;
    uint32_t slots = ashi_body_slots(&p->step->model->bodies);
    bool *cold = p->any_cold ? ashi_arena_take_array(p->step->scratch, slots, sizeof *cold) : NULL;
    if (!p->any_cold || cold == NULL)
        return !p->any_cold;
    for (uint32_t i = 0; i < slots; i++)
        cold[i] = (p->mark[i] & (SEEN | WARM)) == SEEN;
    for (int w = 0; w < ASHI_WIDTHS; w++)
        if (lanes->task[w].entry_count > 0 && !ashi_lanes_load(lanes, &lanes->task[w], cold, p->step->scratch))
            return false;
    return true;
}

static bool take_memory(planning *p)
{
    ashi_lanes *lanes = p->lanes;
    ashi_arena *scratch = p->step->scratch;
    const ashi_model *model = p->step->model;
    const ashi_contact_set *set = &p->step->collision->now;
    uint32_t slots = ashi_body_slots(&model->bodies), shapes = model->shapes.entries.count;
    bool planar = model->bodies.planar;
    lanes->parent = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->parent);
    lanes->active = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->active);
    lanes->bodies = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->bodies);
    lanes->owner = ashi_arena_take_array(lanes->arena, shapes, sizeof *lanes->owner);
    lanes->places = planar ? NULL : ashi_arena_take_array(lanes->arena, shapes, sizeof *lanes->places);
    lanes->flat_places = planar ? ashi_arena_take_array(lanes->arena, shapes, sizeof *lanes->flat_places) : NULL;
    p->moves = ashi_arena_take_array(scratch, slots, sizeof *p->moves);
    p->mark = ashi_arena_take_array(scratch, slots, sizeof *p->mark);
    p->masses = ashi_arena_take_array(scratch, slots, sizeof *p->masses);
    p->surfaces = ashi_arena_take_array(scratch, shapes, sizeof *p->surfaces);
    p->entries = ashi_arena_take_array(scratch, place_of(set->contacts.count, set->points.count), sizeof *p->entries);
    p->piece_count = set->pairs.count / PAIRS + (set->pairs.count % PAIRS != 0);
    p->pieces = ashi_arena_take_array(scratch, p->piece_count, sizeof *p->pieces);
    return lanes->parent != NULL && lanes->active != NULL && lanes->bodies != NULL && lanes->owner != NULL &&
           (planar ? lanes->flat_places != NULL : lanes->places != NULL) && p->moves != NULL && p->mark != NULL &&
           p->masses != NULL && p->surfaces != NULL && p->entries != NULL && p->pieces != NULL;
}

bool ashi_lanes_plan(ashi_step *step, double h, double reach, const bool **leaves, bool *rest)
{
    ashi_lanes *lanes = step->lanes;
    const ashi_model *model = step->model;
    const ashi_contact_set *set = &step->collision->now;
    planning p = {.step = step,
                  .lanes = lanes,
                  .reach = reach,
                  .leaves = *leaves,
                  .alone = ashi_tasks_workers(step->tasks) == 1,
                  .meets = meeting_speed(step)};
    *rest = true;
    ashi_lanes_clear(lanes);
    if (!suits(step, h) || set->points.count == 0)
        return true;
    ashi_arena_reset(lanes->arena);
    if (!take_memory(&p))
        return false;
    ashi_parallel_for(step->tasks, ashi_body_slots(&model->bodies), BODIES, look_at_bodies, &p);
    look_at_joints(&p);
    ashi_parallel_for(step->tasks, model->shapes.entries.count, BODIES, look_at_shapes, &p);
    ashi_parallel_for(step->tasks, set->pairs.count, PAIRS, add_pairs, &p);
    gather_islands(&p);
    if (lanes->active_count == 0)
        return true;
    *rest = p.any_other || model->joints.pool.used > 0;
    ashi_parallel_for(step->tasks, lanes->active_count, BODIES, write_bodies, &p);
    if ((*rest && !begin_left_out(&p)) || !divide(&p, h) || !load(&p))
        return false;
    lanes->h = h;
    lanes->reach = reach;
    lanes->acts = true;
    if (*rest)
        *leaves = p.left_out;
    return true;
}
