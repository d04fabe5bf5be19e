/* See lanes.h. Which contacts go into lanes, and what becomes of their solution. */
#include "step/lanes_inside.h"

#include "base/groups.h"
#include "model/method.h"
#include "problem/assembling.h"
#include "solve/soft_law.h"
#include "step/hold.h"
#include "step/scheme.h"
#include "step/solver_alarms.h"

#include <math.h>
#include <string.h>

#define CLOSED  1e-10 /* m: as for the rows of joints */
#define SPAN    1e3   /* of masses in an island, beyond which single numbers lose too much */
#define EXTREME 1e12  /* of an inverse mass or inertia, and its inverse: beyond, products leave what they can hold */

/* What is known of an island, at its root's slot. */
typedef struct island {
    double lightest, heaviest; /* inverse masses */
    bool other;                /* goes by the problem */
    bool warm;                 /* some contact bore something */
    bool coarse;               /* single numbers do not suffice */
    bool leans;
} island;

ashi_lanes *ashi_lanes_create(void)
{
    ashi_lanes *lanes = ashi_alloc_zeroed(sizeof *lanes);
    if (lanes == NULL)
        return NULL;
    lanes->arena = ashi_arena_create(0);
    if (lanes->arena != NULL)
        return lanes;
    ashi_free(lanes);
    return NULL;
}

void ashi_lanes_destroy(ashi_lanes *lanes)
{
    if (lanes != NULL)
        ashi_arena_destroy(lanes->arena);
    ashi_free(lanes);
}

size_t ashi_lanes_size(const ashi_lanes *lanes)
{
    return ashi_arena_size(lanes->arena);
}

void ashi_lanes_clear(ashi_lanes *lanes)
{
    lanes->acts = false;
    lanes->point_count = lanes->active_count = lanes->islands = 0;
    for (int i = 0; i < ASHI_WIDTHS; i++)
        lanes->task[i].entry_count = lanes->task[i].active_count = 0;
}

bool ashi_lanes_act(const ashi_lanes *lanes)
{
    return lanes->acts;
}

uint32_t ashi_lanes_point_count(const ashi_lanes *lanes)
{
    return lanes->point_count;
}

/* ---- which contacts ---- */

static bool suits(const ashi_step *step, double h)
{
    const ash_method *m = &step->method;
    bool soft = m->stabilization == ASH_STABILIZE_SOFT || m->stabilization == ASH_STABILIZE_NONE;
    return h > 0 && ashi_method_divides(m) && step->scheme == &ashi_scheme_velocity && soft &&
           m->contacts == ASH_CONTACTS_SOLVE && m->step_control != ASH_STEP_IMPACTS && m->solver.warm_start &&
           !m->solver.unjudged && m->friction_law == ASH_FRICTION_CONE && m->friction_bound == ASH_BOUND_RUNNING &&
           m->friction_axes == ASH_AXES_GLOBAL && m->restitution_law == ASH_RESTITUTION_NEWTON &&
           m->impact_order == ASH_IMPACTS_TOGETHER && m->solver.substeps > 0;
}

static bool runs(const ashi_shape_entry *shape)
{
    return v3_norm2(shape->surface_velocity) != 0;
}

static bool stands(const ashi_bodies *b, uint32_t slot)
{
    return v3_norm2(b->now.velocity[slot]) == 0 && v3_norm2(b->now.spin[slot]) == 0;
}

/* Plain friction, nothing that turns or bounces. */
static bool is_plain(const ash_surface *s)
{
    return s->friction > 0 && s->friction <= 1 && s->sliding_friction == s->friction && s->restitution == 0 &&
           s->rolling == 0 && s->spinning == 0;
}

/* A plan under way. */
typedef struct planning {
    ashi_step *step;
    ashi_lanes *lanes;
    double reach;
    const bool *leaves;
    bool *moves; /* by slot: can be moved by impulses */
    bool *seen;  /* by slot */
    island *islands;
    ashi_wide_entry *entries;
    uint32_t entry_count;
    bool any_cold; /* some island bears nothing yet */
} planning;

/* The points of a contact from one on, four at most, that take part. */
static uint8_t points_from(const planning *p, uint32_t first, uint32_t count)
{
    const ashi_contact_point *points = p->step->collision->now.points.data;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count && k < ASHI_WIDE_POINTS; k++)
        if (-points[first + k].depth <= p->reach && !(p->leaves != NULL && p->leaves[first + k]))
            bits |= 1u << k;
    return (uint8_t)bits;
}

static bool is_warm(const planning *p, const ashi_wide_entry *e)
{
    const ashi_contact_point *points = &p->step->collision->now.points.data[e->first];
    for (uint32_t k = 0; k < ASHI_WIDE_POINTS; k++)
        if ((e->points >> k & 1) && v3_norm2(points[k].force) > 0)
            return true;
    return false;
}

static void add_pair(planning *p, const ashi_contact_pair *pair)
{
    const ashi_model *model = p->step->model;
    const ashi_bodies *b = &model->bodies;
    const ashi_contact_set *set = &p->step->collision->now;
    const ashi_shape_entry *shape_a = &model->shapes.entries.data[pair->a];
    const ashi_shape_entry *shape_b = &model->shapes.entries.data[pair->b];
    uint32_t body_a = shape_a->body, body_b = shape_b->body;
    uint32_t a = p->moves[body_a] ? body_a : 0, c = p->moves[body_b] ? body_b : 0, before = p->entry_count;
    if (a == 0 && c == 0)
        return;
    ash_surface surface = ashi_materials_combine(&model->materials, shape_a->material, shape_b->material);
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        for (uint32_t k = 0; k < contact->point_count; k += ASHI_WIDE_POINTS) {
            uint8_t bits = points_from(p, contact->first_point + k, contact->point_count - k);
            if (bits != 0)
                p->entries[p->entry_count++] = (ashi_wide_entry){.contact = i,
                                                                 .first = contact->first_point + k,
                                                                 .a = a,
                                                                 .b = c,
                                                                 .points = bits,
                                                                 .count = (uint8_t)__builtin_popcount(bits),
                                                                 .friction = (float)surface.friction};
        }
    }
    if (p->entry_count == before)
        return;
    uint32_t any = a != 0 ? a : c;
    if (a != 0 && c != 0)
        ashi_groups_join(p->lanes->parent, a, c);
    bool plain = is_plain(&surface) && !runs(shape_a) && !runs(shape_b) && (a != 0 || stands(b, body_a)) &&
                 (c != 0 || stands(b, body_b));
    p->seen[a] = p->seen[c] = true;
    p->islands[any].other = p->islands[any].other || !plain;
    for (uint32_t i = before; i < p->entry_count && !p->islands[any].warm; i++)
        p->islands[any].warm = is_warm(p, &p->entries[i]);
}

/* Bodies of joints, and those that may not go in all directions, go by the problem. */
static void look_at_bodies(planning *p)
{
    const ashi_model *model = p->step->model;
    const ashi_bodies *b = &model->bodies;
    uint32_t slots = ashi_body_slots(b);
    const uint8_t flat =
        b->planar ? ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y : 0; /* no lanes have those */
    ashi_groups_begin(p->lanes->parent, slots);
    for (uint32_t i = 0; i < slots; i++) {
        double mass = b->inertial[i].inverse_mass, least = mass, most = mass;
        bool turns = (b->motion[i] & ASHI_ROTATES) != 0;
        p->seen[i] = false;
        p->moves[i] = (b->motion[i] & ASHI_DYNAMIC) != 0 && (mass > 0 || turns);
        if (turns) {
            least = fmin(least, 1 / b->rotor[i].principal.z);
            most = fmax(most, 1 / b->rotor[i].principal.x);
        }
        p->islands[i] = (island){.lightest = mass,
                                 .heaviest = mass,
                                 .other = (b->motion[i] & ASHI_LINEAR_LOCKS) != 0 && b->locks[i] != flat,
                                 .coarse = p->moves[i] && !(most < EXTREME && least > 1 / EXTREME)};
    }
    p->seen[0] = p->moves[0] = false;
    for (uint32_t i = 0; i < model->joints.entries.count && model->joints.pool.used > 0; i++)
        if (ashi_pool_in_use(&model->joints.pool, i)) {
            const ashi_joint *joint = &model->joints.entries.data[i];
            p->islands[joint->body_a].other = p->islands[joint->body_b].other = true;
        }
}

/* What bodies know, at the roots; bodies that take part. */
static void gather_islands(planning *p)
{
    ashi_lanes *lanes = p->lanes;
    uint32_t slots = ashi_body_slots(&p->step->model->bodies);
    for (uint32_t i = 1; i < slots; i++) {
        if (!p->seen[i])
            continue;
        uint32_t root = ashi_group_of(lanes->parent, i);
        island *of = &p->islands[root];
        const island *own = &p->islands[i];
        of->other = of->other || own->other;
        of->warm = of->warm || own->warm;
        of->coarse = of->coarse || own->coarse;
        of->lightest = fmax(of->lightest, own->lightest);
        of->heaviest = fmin(of->heaviest, own->heaviest);
    }
    for (uint32_t i = 1; i < slots; i++) {
        if (!p->seen[i])
            continue;
        uint32_t root = ashi_group_of(lanes->parent, i);
        island *of = &p->islands[root];
        if (root == i)
            of->coarse = of->coarse || !(of->lightest <= SPAN * of->heaviest);
        if (of->other)
            continue;
        p->any_cold = p->any_cold || (root == i && !of->warm);
        lanes->active[lanes->active_count++] = i;
        lanes->islands += root == i;
    }
}

static void write_body(const ashi_step *step, double share, uint32_t slot, ashi_wide_body *body)
{
    const ashi_bodies *b = &step->model->bodies;
    body->inverse_inertia = ashi_inverse_inertia_at(b, slot, b->now.rotation[slot]);
    body->inverse_mass = b->inertial[slot].inverse_mass;
    body->start = (ash_motion){b->now.velocity[slot], b->now.spin[slot]};
    body->free = (ash_motion){b->next.velocity[slot], b->next.spin[slot]};
    body->pace = share * v3_distance(body->free.linear, body->start.linear);
}

static ashi_wide_softness softness_of(double frequency, double damping, double h)
{
    double w = 2 * ASHI_PI * frequency, a = h * w * (2 * damping + h * w);
    return (ashi_wide_softness){w > 0 ? h * w / (2 * damping + h * w) : 0, a / (1 + a)};
}

/* The entries and bodies of each width, and the points that the problem leaves out. */
static bool divide(planning *p, double h, bool *left_out, bool *rest)
{
    ashi_lanes *lanes = p->lanes;
    const ash_solver_settings *settings = &p->step->method.solver;
    uint32_t slots = ashi_body_slots(&p->step->model->bodies);
    double part = h / settings->substeps, frequency = fmin(settings->frequency, ASHI_STIFFEST / part);
    double w_step = 2 * ASHI_PI * fmin(settings->frequency, ASHI_STIFFEST / h);
    double damped = 2 * settings->damping + h * w_step;
    bool soft = p->step->method.stabilization == ASH_STABILIZE_SOFT;
    for (int w = 0; w < ASHI_WIDTHS; w++) {
        ashi_wide_entry *entries = ashi_arena_take_array(lanes->arena, p->entry_count, sizeof *entries);
        uint32_t *active = ashi_arena_take_array(lanes->arena, lanes->active_count, sizeof *active);
        uint32_t count = 0, bodies = 0;
        if (entries == NULL || active == NULL)
            return false;
        for (uint32_t i = 0; i < p->entry_count; i++) {
            const ashi_wide_entry *e = &p->entries[i];
            const island *of = &p->islands[ashi_group_of(lanes->parent, e->a != 0 ? e->a : e->b)];
            if (of->other) {
                *rest = true;
                continue;
            }
            if (of->coarse != (w == ASHI_DOUBLE_WIDTH))
                continue;
            entries[count++] = *e;
            lanes->point_count += e->count;
            for (uint32_t k = 0; k < ASHI_WIDE_POINTS; k++)
                if (e->points >> k & 1)
                    left_out[e->first + k] = true;
        }
        for (uint32_t i = 0; i < lanes->active_count; i++)
            if (p->islands[ashi_group_of(lanes->parent, lanes->active[i])].coarse == (w == ASHI_DOUBLE_WIDTH))
                active[bodies++] = lanes->active[i];
        lanes->task[w] = (ashi_wide_task){.set = &p->step->collision->now,
                                          .places = lanes->places,
                                          .bodies = lanes->bodies,
                                          .owner = lanes->owner,
                                          .centres = p->step->model->bodies.now.position,
                                          .slots = slots,
                                          .active = active,
                                          .active_count = bodies,
                                          .entries = entries,
                                          .entry_count = count,
                                          .substeps = settings->substeps,
                                          .h = h,
                                          .soft = softness_of(frequency, settings->damping, part),
                                          .stiff = softness_of(ASHI_STIFF_TIMES * frequency, settings->damping, part),
                                          .push_out = settings->push_out * part,
                                          .closed = CLOSED * settings->unit_length,
                                          .slop = p->step->method.slop,
                                          .rate = soft ? w_step / damped : 0,
                                          .softness = soft ? 1 / (h * w_step * damped) : 0,
                                          .planar = p->step->model->bodies.planar,
                                          .narrow = lanes->narrow,
                                          .tasks = p->step->tasks,
                                          .arena = lanes->arena};
    }
    return true;
}

/* Islands that bear nothing yet begin with a guess. */
static bool load(planning *p)
{
    ashi_lanes *lanes = p->lanes;
    uint32_t slots = ashi_body_slots(&p->step->model->bodies);
    bool *cold = p->any_cold ? ashi_arena_take_array(p->step->scratch, slots, sizeof *cold) : NULL;
    if (!p->any_cold || cold == NULL)
        return !p->any_cold;
    for (uint32_t i = 0; i < slots; i++)
        cold[i] = p->seen[i] && !p->islands[i].warm;
    for (int w = 0; w < ASHI_WIDTHS; w++)
        if (lanes->task[w].entry_count > 0 && !ashi_lanes_load(lanes, &lanes->task[w], cold, p->step->scratch))
            return false;
    return true;
}

static bool find_places(planning *p)
{
    const ashi_model *model = p->step->model;
    ashi_lanes *lanes = p->lanes;
    uint32_t shapes = model->shapes.entries.count;
    lanes->places = ashi_arena_take_array(lanes->arena, shapes, sizeof *lanes->places);
    lanes->owner = ashi_arena_take_array(lanes->arena, shapes, sizeof *lanes->owner);
    if (lanes->places == NULL || lanes->owner == NULL)
        return false;
    for (uint32_t i = 0; i < shapes; i++) {
        const ash_transform *pose = &p->step->collision->colliders.data[i].pose;
        lanes->owner[i] = model->shapes.entries.data[i].body;
        if (ashi_pool_in_use(&model->shapes.pool, i) && i < p->step->collision->colliders.count)
            lanes->places[i] = (ashi_wide_place){pose->position, m3_from_quat(pose->rotation), 0};
    }
    return true;
}

bool ashi_lanes_plan(ashi_step *step, double h, double reach, const bool **leaves, bool *rest)
{
    ashi_lanes *lanes = step->lanes;
    const ashi_contact_set *set = &step->collision->now;
    uint32_t slots = ashi_body_slots(&step->model->bodies);
    *rest = true;
    ashi_lanes_clear(lanes);
    if (!suits(step, h) || set->points.count == 0)
        return true;
    ashi_arena_reset(lanes->arena);
    lanes->parent = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->parent);
    lanes->active = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->active);
    lanes->bodies = ashi_arena_take_array(lanes->arena, slots, sizeof *lanes->bodies);
    planning p = {.step = step,
                  .lanes = lanes,
                  .reach = reach,
                  .leaves = *leaves,
                  .moves = ashi_arena_take_array(step->scratch, slots, sizeof *p.moves),
                  .seen = ashi_arena_take_array(step->scratch, slots, sizeof *p.seen),
                  .islands = ashi_arena_take_array(step->scratch, slots, sizeof *p.islands),
                  .entries = ashi_arena_take_array(step->scratch, set->points.count, sizeof *p.entries)};
    bool *left_out = ashi_arena_take_array(step->scratch, set->points.count, sizeof *left_out);
    if (lanes->parent == NULL || lanes->active == NULL || lanes->bodies == NULL || p.moves == NULL || p.seen == NULL ||
        p.islands == NULL || p.entries == NULL || left_out == NULL)
        return false;
    if (*leaves != NULL)
        memcpy(left_out, *leaves, set->points.count * sizeof *left_out);
    else
        memset(left_out, 0, set->points.count * sizeof *left_out);
    look_at_bodies(&p);
    for (uint32_t i = 0; i < set->pairs.count; i++)
        if (!set->pairs.data[i].sensor && set->pairs.data[i].contact_count > 0)
            add_pair(&p, &set->pairs.data[i]);
    gather_islands(&p);
    *rest = step->model->joints.pool.used > 0;
    if (lanes->active_count == 0) {
        *rest = true;
        return true;
    }
    for (uint32_t i = 0; i < lanes->active_count; i++)
        write_body(step, 1.0 / step->method.solver.substeps, lanes->active[i], &lanes->bodies[lanes->active[i]]);
    if (!find_places(&p) || !divide(&p, h, left_out, rest) || !load(&p))
        return false;
    lanes->h = h;
    lanes->reach = reach;
    lanes->acts = true;
    *leaves = left_out;
    return true;
}

/* ---- the solution ---- */

/* Twice the kinetic energy that a body has won, and what forces gave it of that: with inertia in body axes. */
static double work_on(const ashi_step *step, const ashi_wide_solution *s, uint32_t slot, double h)
{
    const ashi_bodies *b = &step->model->bodies;
    const ashi_wide_body *body = &step->lanes->bodies[slot];
    const ash_motion *now = &s->velocity[slot], *shift = &s->shift[slot];
    uint32_t n = step->method.solver.substeps;
    double mass = b->inertial[slot].mass, share = 1.0 / n, part = h * share;
    ash_vec3 change = v3_sub(now->linear, body->start.linear), turn = v3_sub(now->angular, body->start.angular);
    ash_vec3 push = v3_scale(v3_sub(body->free.linear, body->start.linear), share);
    ash_vec3 twist = v3_scale(v3_sub(body->free.angular, body->start.angular), share);
    /* sums of the mean velocities of sub-steps */
    ash_vec3 way = v3_sub(v3_sub(shift->linear, s->placed[slot].linear), v3_scale(change, 0.5 * part));
    double work = mass * (0.5 * v3_dot(change, v3_add(now->linear, body->start.linear)) - v3_dot(push, way) / part);
    if (!(b->motion[slot] & ASHI_ROTATES))
        return work;
    ash_quat q = b->now.rotation[slot];
    ash_vec3 angle = v3_sub(shift->angular, v3_add(s->placed[slot].angular, v3_scale(turn, 0.5 * part)));
    ash_vec3 moment = ashi_angular_momentum(&b->rotor[slot], q, turn);
    ash_vec3 torque = ashi_angular_momentum(&b->rotor[slot], q, twist);
    return work + 0.5 * v3_dot(moment, v3_add(now->angular, body->start.angular)) - v3_dot(torque, angle) / part;
}

static void book(ashi_step *step, int w)
{
    const ashi_wide_task *task = &step->lanes->task[w];
    const ashi_wide_solution *s = &step->lanes->solution[w];
    double work = 0, placing = 0, part = task->h / task->substeps;
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i];
        const ashi_wide_body *body = &step->lanes->bodies[slot];
        ash_vec3 push = v3_scale(v3_sub(body->free.linear, body->start.linear), 1.0 / task->substeps);
        work += work_on(step, s, slot, task->h);
        placing -= step->model->bodies.inertial[slot].mass * v3_dot(push, s->placed[slot].linear) / part;
    }
    step->work.impacts += work - s->friction_work;
    step->work.friction += s->friction_work;
    step->work.stabilization += placing;
}

static void note(ashi_step *step, int w)
{
    const ashi_wide_task *task = &step->lanes->task[w];
    const ashi_wide_solution *s = &step->lanes->solution[w];
    uint64_t visits = (uint64_t)step->lanes->point_count * task->substeps * (ASHI_SOFT_SWEEPS + 1);
    step->held = true;
    step->operations += visits * ASHI_OF_A_VISIT;
    if (!isfinite(s->largest)) {
        step->solve_flags |= ASH_SOLVE_FAILED;
        step->flags |= ASH_FLAG_SOLVER_FAILED;
    }
    if (step->method.solver.tolerance > 0 && !(s->largest <= step->method.solver.tolerance))
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->error.theta = fmax(step->error.theta, s->theta);
    if (s->judged > 0 && s->largest >= step->error.largest) {
        const ashi_contact_pair *pair = ashi_pair_of_point(&step->collision->now, s->worst_point);
        step->error.largest = s->largest;
        step->worst_a = pair->handle_a;
        step->worst_b = pair->handle_b;
        step->worst_row = 0;
    }
}

bool ashi_lanes_solve(ashi_step *step)
{
    ashi_lanes *lanes = step->lanes;
    double sum = 0;
    uint32_t judged = 0;
    if (!lanes->acts)
        return true;
    for (int w = 0; w < ASHI_WIDTHS; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        lanes->solution[w] = (ashi_wide_solution){0};
        if (task->entry_count == 0)
            continue;
        if (!(w == ASHI_SINGLE_WIDTH ? ashi_wide_solve_single : ashi_wide_solve_double)(task, &lanes->solution[w]))
            return false;
        note(step, w);
        book(step, w);
        sum += lanes->solution[w].sum;
        judged += lanes->solution[w].judged;
    }
    uint32_t iterations = step->method.solver.substeps * ASHI_SOFT_SWEEPS;
    step->solver_iterations += iterations;
    step->islands += lanes->islands;
    step->error.mean = fmax(step->error.mean, judged > 0 ? sum / judged : 0);
    return true;
}

/* ---- momentum ---- */

void ashi_lanes_join(ashi_step *step, ashi_kept_momentum *kept)
{
    ashi_lanes *lanes = step->lanes;
    if (!lanes->acts)
        return;
    uint32_t *parent = lanes->parent;
    bool *leans = ashi_arena_take_array(lanes->arena, lanes->task[0].slots, sizeof *leans);
    lanes->leans = leans;
    for (int w = 0; w < ASHI_WIDTHS && leans != NULL; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        const bool *pushes = lanes->solution[w].pushes;
        for (uint32_t i = 0; i < task->active_count; i++)
            leans[ashi_group_of(parent, task->active[i])] = false;
        for (uint32_t i = 0; i < task->entry_count; i++) {
            const ashi_wide_entry *e = &task->entries[i];
            if (pushes[i] && (e->a == 0 || e->b == 0))
                leans[ashi_group_of(parent, e->a != 0 ? e->a : e->b)] = true;
        }
        for (uint32_t i = 0; i < task->active_count; i++)
            if (leans[ashi_group_of(parent, task->active[i])])
                ashi_momentum_lean(kept, task->active[i]);
        for (uint32_t i = 0; i < task->entry_count; i++) {
            const ashi_wide_entry *e = &task->entries[i];
            if (pushes[i] && !leans[ashi_group_of(parent, e->a != 0 ? e->a : e->b)])
                ashi_momentum_join(kept, e->a, e->b);
        }
    }
}

/* The ways of bodies that lean on nothing are rounded: together they would move their centre of mass, which only forces
 * can. They all go by what that is off. False when memory ran out. */
static bool keep_centres(const ashi_step *step, int w)
{
    ashi_lanes *lanes = step->lanes;
    const ashi_wide_task *task = &lanes->task[w];
    const ashi_wide_solution *s = &lanes->solution[w];
    bool any = false;
    for (uint32_t i = 0; i < task->active_count && !any; i++)
        any = !lanes->leans[ashi_group_of(lanes->parent, task->active[i])];
    if (!any)
        return true;
    double *mass = ashi_arena_take_array(lanes->arena, task->slots, sizeof *mass);
    ash_vec3 *off = ashi_arena_take_array(lanes->arena, task->slots, sizeof *off);
    if (mass == NULL || off == NULL)
        return false;
    for (uint32_t i = 0; i < task->active_count; i++) {
        mass[task->active[i]] = 0;
        off[task->active[i]] = v3(0, 0, 0);
    }
    double share =
        0.5 * task->h * (1 + 1.0 / task->substeps); /* of the change by forces: sub-steps move by its parts */
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i], root = ashi_group_of(lanes->parent, slot);
        const ashi_wide_body *body = &lanes->bodies[slot];
        double own = step->model->bodies.inertial[slot].mass;
        ash_vec3 way =
            v3_add_scaled(v3_scale(body->start.linear, task->h), v3_sub(body->free.linear, body->start.linear), share);
        mass[root] += own;
        off[root] = v3_add_scaled(off[root], v3_sub(way, s->shift[slot].linear), own);
    }
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i], root = ashi_group_of(lanes->parent, slot);
        if (!lanes->leans[root])
            s->shift[slot].linear = v3_add_scaled(s->shift[slot].linear, off[root], 1 / mass[root]);
    }
    return true;
}

bool ashi_lanes_correct(ashi_step *step, const bool *elastic, ashi_kept_momentum *kept)
{
    const ashi_lanes *lanes = step->lanes;
    const ashi_bodies *b = &step->model->bodies;
    for (int w = 0; w < ASHI_WIDTHS && lanes->acts; w++) {
        if (lanes->leans == NULL || !keep_centres(step, w))
            return false;
        for (uint32_t i = 0; i < lanes->task[w].active_count; i++) {
            uint32_t slot = lanes->task[w].active[i];
            const ashi_wide_body *of = &lanes->bodies[slot];
            const ash_motion *v = &lanes->solution[w].velocity[slot], *shift = &lanes->solution[w].shift[slot];
            const ash_problem_body body = {.velocity = of->free.linear,
                                           .spin = of->free.angular,
                                           .start_velocity = of->start.linear,
                                           .start_spin = of->start.angular};
            ash_vec3 momentum = ashi_momentum_keep_body(kept, slot, &body), way = shift->linear, turn = shift->angular;
            ash_vec3 gained = v3_sub(v->angular, of->free.angular);
            if (elastic != NULL && elastic[slot]) {
                ash_motion delay = ashi_hold_elastic_delay(step, &body, v, lanes->h);
                way = v3_add(way, delay.linear);
                turn = v3_add(turn, delay.angular);
            }
            b->next.position[slot] = b->now.position[slot];
            b->next.rotation[slot] = b->now.rotation[slot];
            b->next.velocity[slot] = v->linear;
            b->next.spin[slot] = v->angular;
            ashi_displace(step, slot, way, turn);
            b->next.spin[slot] = ashi_momentum_spin(b, slot, momentum, gained, v->angular);
        }
    }
    return true;
}

/* ---- forces ---- */

void ashi_lanes_store(const ashi_replaced_forces *replaced, ashi_contact_point *points, void *data)
{
    const ashi_lanes *lanes = data;
    if (lanes->acts && lanes->task[ASHI_SINGLE_WIDTH].entry_count > 0)
        ashi_wide_store_single(&lanes->task[ASHI_SINGLE_WIDTH], &lanes->solution[ASHI_SINGLE_WIDTH], points, replaced);
    if (lanes->acts && lanes->task[ASHI_DOUBLE_WIDTH].entry_count > 0)
        ashi_wide_store_double(&lanes->task[ASHI_DOUBLE_WIDTH], &lanes->solution[ASHI_DOUBLE_WIDTH], points, replaced);
}

/* ---- rest ---- */

void ashi_lanes_lay(ashi_step *step, bool (*rests)(const ashi_step *step, uint32_t slot),
                    void (*lay)(ashi_step *step, uint32_t slot, uint64_t group))
{
    ashi_lanes *lanes = step->lanes;
    ashi_bodies *b = &step->model->bodies;
    uint32_t *parent = lanes->parent;
    if (!lanes->acts)
        return;
    uint64_t *group = ashi_arena_take_array(lanes->arena, lanes->task[0].slots, sizeof *group);
    if (group == NULL)
        return; /* without memory they only stay awake for longer */
    for (uint32_t i = 0; i < lanes->active_count; i++)
        group[lanes->active[i]] = 1;
    for (uint32_t i = 0; i < lanes->active_count; i++)
        if (!rests(step, lanes->active[i]))
            group[ashi_group_of(parent, lanes->active[i])] = 0;
    for (uint32_t i = 0; i < lanes->active_count; i++) {
        uint32_t slot = lanes->active[i], root = ashi_group_of(parent, slot); /* roots are the lowest */
        if (root == slot && group[root] != 0)
            group[root] = ++b->last_group;
        if (group[root] != 0)
            lay(step, slot, group[root]);
    }
}

void ashi_lanes_mark(const ashi_lanes *lanes, bool *marks)
{
    for (uint32_t i = 0; i < lanes->active_count; i++)
        marks[lanes->active[i]] = true;
}
