/* The velocity-level scheme: contacts and joints act on what free motion has predicted.
 *
 * The integrator takes the free bodies from q0, v0 to q*, v*. The problem asks for impulses such that v1 = v* + M^-1
 * J^T lambda obeys the contact law, and positions follow: q1 = q* + theta h (v1 - v*), theta = 1 for the methods of
 * order one, which move by the new velocity, and 1/2 for those of order two, which move by the mean of both. A solver
 * with sub-steps gives the displacements of bodies itself.
 *
 * The work of a row's impulse is lambda times the mean of J v at the start and at the end of the step: exact for the
 * kinetic energy, and zero for a contact at rest and for an elastic impact. If a body was held while the impulse acted
 * on the other (shock propagation), the work that it would have done on the held one is subtracted, as a work of the
 * solver: `stabilization`. */
#include "step/hold.h"

#include "model/method.h"
#include "problem/assemble.h"
#include "problem/tension.h"
#include "step/curvature.h"
#include "step/drive.h"
#include "step/first_loads.h"
#include "step/joints/closure.h"
#include "step/lanes.h"
#include "step/meetings.h"
#include "step/momentum.h"
#include "step/passing.h"
#include "step/scheme.h"
#include "step/solver_alarms.h"

#include <math.h>

#define BEND_ROUNDS 20   /* solves again for rows that bend, at most */
#define BEND_LEFT   1e-3 /* of the slop: a bend that need not be asked for, ... */
#define BEND_STEP   0.01 /* units of time: ... in steps of this length; in shorter ones by the cube of theirs less */
#define BEND_SOLVED                                                                                                    \
    0.1 /* of the slop, then of the last change: by so much solutions may be wrong until rows have found               \
           their place; by this less after each change that is no smaller than the last, ... */
#define BEND_SURE 1e-2 /* ... until it cannot be the solution's error */

double ashi_hold_share(ash_integrator integrator)
{
    return ashi_integrator_moves_by_mean(integrator) ? 0.5 : 1;
}

static uint32_t slot_of(const ashi_step *step, const ash_problem_body *body)
{
    return ashi_pool_slot_of(&step->model->bodies.pool, body->label);
}

void ashi_displace(ashi_step *step, uint32_t slot, ash_vec3 way, ash_vec3 turn)
{
    const ashi_state *next = &step->model->bodies.next;
    ashi_step_store(step, slot, v3_add(next->position[slot], way), q_unit(q_mul(q_exp(turn), next->rotation[slot])),
                    next->velocity[slot], next->spin[slot]);
}

/* Elastic forces are those of the step's start. Sub-steps that move a body by velocities between v0 and v1 add energy
 * to them: that of an oscillator grows by the factor 1 + (n - 1) / 2n (h omega)^2 in a step, for any h. If it is moved
 * by v1, as without contacts, its energy is bounded up to h omega = 2 (symplectic Euler). This function gives the
 * missing displacement. */
ash_motion ashi_hold_elastic_delay(const ash_problem_body *body, const ash_motion *v, double h, uint32_t substeps)
{
    double n = substeps, share = 0.5 * h * (n - 1) / n;
    return (ash_motion){v3_scale(v3_sub(v->linear, body->start_velocity), share),
                        v3_scale(v3_sub(v->angular, body->start_spin), share)};
}

/* Sets velocities from the solution, positions from its sub-steps or from the change of velocities, spins from the
 * momenta after free motion. `elastic`, by slot: the bodies on which elastic forces act; null: there are none. */
static void correct(ashi_step *step, double h, const bool *elastic, ashi_kept_momentum *kept)
{
    const ashi_system *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    double share = h * ashi_hold_share(step->method.integrator);
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = slot_of(step, &p->bodies[i]);
        const ash_motion *v = &p->velocity[i];
        ash_vec3 momentum = ashi_momentum_keep_body(kept, slot, &p->bodies[i]);
        ash_vec3 way = v3_scale(v3_sub(v->linear, p->bodies[i].velocity), share);
        ash_vec3 gained = v3_sub(v->angular, p->bodies[i].spin), turn = v3_scale(gained, share);
        if (p->shifted) {
            b->next.position[slot] = b->now.position[slot];
            b->next.rotation[slot] = b->now.rotation[slot];
            way = p->shift[i].linear;
            turn = p->shift[i].angular;
            if (elastic != NULL && elastic[slot]) {
                ash_motion delay = ashi_hold_elastic_delay(&p->bodies[i], v, h, step->method.solver.substeps);
                way = v3_add(way, delay.linear);
                turn = v3_add(turn, delay.angular);
            }
        }
        b->next.velocity[slot] = v->linear;
        b->next.spin[slot] = v->angular;
        ashi_displace(step, slot, way, turn);
        b->next.spin[slot] = ashi_momentum_spin(b, slot, momentum, gained, v->angular);
    }
}

/* A compliant held row stores its work, which is included in the energy of joints. */
static bool is_compliant(const ashi_joint_entry *joint, const ashi_row *row)
{
    bool angular = v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
    return (angular ? joint->angular_compliance : joint->compliance) > 0;
}

/* The energy that a joint's spring stores in the step: its row has the error at the start, and moves with the
 * positions. */
static double stored(const ashi_step *step, const ashi_block *block, const ashi_row *row, const ash_joint_axis *axis,
                     double mean, double after)
{
    const ashi_system *p = step->problem;
    double way = p->h * (ashi_hold_share(step->method.integrator) < 1 ? mean : after);
    if (p->shifted) {
        ash_motion ways[2];
        const uint32_t bodies[2] = {block->body_a, block->body_b};
        for (int i = 0; i < 2; i++) {
            const ash_problem_body *body = &p->bodies[bodies[i]];
            ash_motion carried = {v3_scale(body->velocity, p->h), v3_scale(body->spin, p->h)};
            ways[i] = bodies[i] < p->fixed_count ? carried : p->shift[bodies[i]];
        }
        way = ashi_row_speed(row, &ways[0], &ways[1]);
    }
    return axis->stiffness * way * (row->error + 0.5 * way);
}

/* Records a joint's row: its work, and its mean and final speed. The work that a spring does not store is lost. */
static void record_joint_row(ashi_step *step, const ashi_block *block, uint32_t i, double work, double mean,
                             double after)
{
    const ashi_joint_entry *joint = &step->model->joints.entries.data[ashi_block_joint(block)];
    const ashi_row *row = &step->problem->rows[block->first_row + i];
    uint32_t key = ashi_block_key(block) + i;
    bool closed = ashi_hold_closes(step); /* held rows do not move: their forces do no work */
    if (key < ASHI_LIMIT_KEY)
        step->work.joints += closed || is_compliant(joint, row) ? 0 : work;
    else if (key < ASHI_DRIVE_KEY || key == ASHI_CONE_KEY)
        step->work.joints += work;
    else if (key < ASHI_SPRING_KEY)
        step->work.motors += work;
    else if (key < ASHI_FRICTION_KEY)
        step->work.dampers +=
            joint->axes != NULL ? work + stored(step, block, row, &joint->axes[key - ASHI_SPRING_KEY], mean, after) : 0;
    else
        step->work.friction += work;
}

/* The work of an impulse on a held body, which was not actually done. */
static double work_on_held(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    static const ash_motion none = {{0, 0, 0}, {0, 0, 0}};
    uint32_t held = block->held_a ? block->body_a : block->body_b;
    const ash_problem_body *body = &p->bodies[held];
    ash_motion mean = {v3_scale(v3_add(body->start_velocity, p->velocity[held].linear), 0.5),
                       v3_scale(v3_add(body->start_spin, p->velocity[held].angular), 0.5)};
    return row->impulse * ashi_row_speed(row, block->held_a ? &mean : &none, block->held_b ? &mean : &none);
}

/* The work of a row; `contact` are those of normals and of friction so far. */
static void record_row(ashi_step *step, const ashi_block *block, uint32_t i, double contact[2])
{
    const ashi_system *p = step->problem;
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    const ashi_row *row = &p->rows[block->first_row + i];
    ash_motion from_a = {a->start_velocity, a->start_spin}, from_b = {b->start_velocity, b->start_spin};
    double after = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
    double mean = 0.5 * (ashi_row_speed(row, &from_a, &from_b) + after);
    if (block->kind == ASHI_PLAIN_BLOCK)
        record_joint_row(step, block, i, p->shifted ? row->work : row->impulse * mean, mean, after);
    else
        contact[i > 0] += p->worked ? row->work : row->impulse * mean;
    if (block->held_a || block->held_b)
        step->work.stabilization -= work_on_held(p, block, row);
}

/* A contact's works. How the work of an impact is divided depends on its course, which a single solve does not give: by
 * mean speeds, friction may appear as a gain, which is impossible. All of the work is then attributed to the rebound.
 * Steady contacts touch all the time: their normal does work if rows that follow correct the gap. */
static void record_contact(ashi_step *step, const ashi_block *block, double contact[2])
{
    double own[2] = {0, 0}, surfaces = 0;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &step->problem->rows[block->first_row + i];
        record_row(step, block, i, own);
        surfaces += i > 0 ? row->impulse * row->bias : 0;
    }
    double gain = block->rebound > 0 ? fmax(own[1] + surfaces, 0) : 0;
    *(step->steady ? &step->work.stabilization : &contact[0]) += own[0] + gain;
    contact[1] += own[1] - gain;
}

void ashi_hold_record_joints(ashi_step *step)
{
    const ashi_system *p = step->problem;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; p->blocks[k].kind == ASHI_PLAIN_BLOCK && i < p->blocks[k].row_count; i++)
            record_row(step, &p->blocks[k], i, NULL);
    ashi_drive_record_work(step, p, ASHI_PLAIN_BLOCK);
}

/* Sub-steps record works themselves: row by row for joints, summed for contacts. */
static void record(ashi_step *step, const ash_solve_result *result)
{
    const ashi_system *p = step->problem;
    double contact[2] = {result->contact_work, result->friction_work};
    for (uint32_t k = 0; k < p->block_count && !p->shifted; k++)
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            record_contact(step, &p->blocks[k], contact);
    if (step->model->joints.pool.used > 0)
        ashi_hold_record_joints(step);
    ashi_drive_record_work(step, p, ASHI_CONTACT_BLOCK);
    step->work.impacts += contact[0];
    step->work.friction += contact[1];
    step->work.stabilization += result->placing_work;
}

const ashi_contact_pair *ashi_pair_of_point(const ashi_contact_set *set, uint32_t point)
{
    uint32_t low = 0, high = set->contacts.count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (set->contacts.data[middle].first_point <= point)
            low = middle;
        else
            high = middle;
    }
    return &set->pairs.data[set->contacts.data[low].pair];
}

void ashi_hold_note(ashi_step *step, const ash_solve_result *result)
{
    const ashi_system *p = step->problem;
    step->held = step->held || p->block_count > 0 || p->contact_count > 0;
    ashi_note_solver(step, result);
    step->solver_iterations += result->iterations;
    step->solve_flags |= result->flags & ~(uint32_t)ASH_SOLVE_CONVERGED;
    if (!(result->flags & ASH_SOLVE_CONVERGED) && step->method.solver.tolerance > 0)
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->islands = p->island_count;
    step->error.theta = fmax(step->error.theta, result->error.theta);
    step->error.mean = fmax(step->error.mean, result->error.mean);
    uint32_t worst = result->error.worst_block, blocks = p->block_count;
    if (worst != UINT32_MAX && result->error.largest >= step->error.largest) {
        const ashi_block *block = worst < blocks ? &p->blocks[worst] : NULL;
        bool contact = block == NULL || block->kind == ASHI_CONTACT_BLOCK;
        uint32_t label = block != NULL ? block->label : p->points[worst - blocks].label;
        const ashi_contact_pair *pair = contact ? ashi_pair_of_point(&step->collision->now, label) : NULL;
        step->error.largest = result->error.largest;
        step->worst_a = contact ? pair->handle_a : 0;
        step->worst_b = contact ? pair->handle_b : 0;
        step->worst_row = contact ? 0 : ashi_pool_handle(&step->model->joints.pool, ashi_block_joint(block));
    }
}

/* Rows that follow their turning J require speeds from the motion at the start: if that led to a gain of energy, they
 * stay unchanged. */
static void stop_following(ashi_system *p)
{
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].drift = 0;
}

/* Solves to the method's tolerance. With `rough`, m/s, to that if it is larger: such a solution stays unnoted, and
 * `exact` says whether it was good enough all the same. */
static bool solve_to(ashi_step *step, double rough, bool *exact)
{
    ash_solve_result result;
    ash_solver_settings settings = step->method.solver;
    settings.tolerance = fmax(settings.tolerance, rough);
    settings.exact_rows = step->method.joint_solver == ASH_JOINT_SOLVER_DIRECT;
    if (step->careful)
        stop_following(step->problem);
    if (!ashi_solve_problem(step->problem, &settings, step->solvers, step->tasks, NULL, &result))
        return false;
    *exact = rough == 0 || result.error.largest <= step->method.solver.tolerance;
    if (*exact)
        ashi_hold_note(step, &result);
    else
        step->solver_iterations += result.iterations;
    record(step, &result);
    return true;
}

bool ashi_hold_solve(ashi_step *step)
{
    bool exact;
    return solve_to(step, 0, &exact);
}

/* By how much of its change of velocity a body moves less than by all of it: by the mean of the sub-steps. */
static double lag_of(const ash_method *method)
{
    return ashi_method_divides(method) ? 0.5 - 0.5 / method->solver.substeps : 0;
}

/* Whether the rows of contacts are not needed. */
static bool holds_points(const ash_method *method)
{
    bool projects = method->stabilization == ASH_STABILIZE_POST || method->stabilization == ASH_STABILIZE_MIXED;
    return ashi_method_divides(method) && method->step_control != ASH_STEP_IMPACTS && !projects;
}

ashi_assembly ashi_hold_assembly(const ashi_step *step, double h, double reach)
{
    const ashi_bodies *b = &step->model->bodies;
    return (ashi_assembly){.model = step->model,
                           .contacts = &step->collision->now,
                           .method = &step->method,
                           .start = &b->now,
                           .predicted = &b->next,
                           .h = h,
                           .reach = reach,
                           .time = step->time,
                           .whole = step->divided,
                           .windowed = step->windowed,
                           .within_slop = step->scheme->closes_within_slop,
                           .joined = step->scheme->joins,
                           .no_projection = step->scheme->no_projection};
}

static bool assemble(ashi_step *step, double h, double reach, bool by_points, const bool *leaves)
{
    ashi_bodies *b = &step->model->bodies;
    ashi_assembly assembly = ashi_hold_assembly(step, h, reach);
    assembly.leaves = leaves;
    assembly.by_points = by_points;
    return ashi_assemble(&assembly, step->scratch, step->problem) &&
           (!ashi_hold_closes(step) || ashi_system_slow_turning(step->problem, step->model, &b->now, h,
                                                                lag_of(&step->method), true, step->scratch));
}

bool ashi_hold_assemble(ashi_step *step, double h, double reach, bool by_points)
{
    const bool *leaves;
    return ashi_passing_note(step, h, reach, &leaves) && assemble(step, h, reach, by_points, leaves);
}

/* The same without the contacts in lanes. */
static bool divide(ashi_step *step, double h, double reach)
{
    const bool *passing, *leaves;
    bool rest = true, found = false;
    if (!ashi_passing_note(step, h, reach, &passing))
        return false;
    leaves = passing;
    if (!ashi_lanes_plan(step, h, reach, &leaves, &rest))
        return false;
    const bool *unheld = ashi_lanes_unheld(step->lanes);
    if (unheld != NULL && !ashi_first_loads_find(step, h, reach, unheld, &found))
        return false;
    if (found) {
        leaves = passing;
        if (!ashi_lanes_plan(step, h, reach, &leaves, &rest))
            return false;
    }
    if (rest)
        return assemble(step, h, reach, holds_points(&step->method), leaves);
    ashi_system_clear(step->problem);
    step->problem->h = h;
    return true;
}

bool ashi_hold_closes(const ashi_step *step)
{
    bool suited = ashi_method_divides(&step->method) || step->scheme->no_projection;
    return step->model->joints.pool.used > 0 && suited && !step->scheme->joins &&
           step->method.joint_solver == ASH_JOINT_SOLVER_DIRECT;
}

/* The energy gained by changing to the problem's inertia, which is raised where tension would turn bodies too fast
 * (tension.c), and, at the `end`, by changing back: the first change preserves angular momentum, the second one
 * spin. */
static double gain_by_inertia(const ashi_step *step, bool end)
{
    const ashi_system *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    double gain = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = slot_of(step, &p->bodies[i]);
        if ((b->motion[slot] & (ASHI_ROTATES | ASHI_PARTIAL)) != ASHI_ROTATES)
            continue;
        ash_sym3 inertia = s3_rotated(b->rotor[slot].inertia, b->now.rotation[slot]);
        ash_vec3 spin = end ? p->velocity[i].angular : b->next.spin[slot], momentum = s3_apply(inertia, spin);
        gain += end ? 0.5 * v3_dot(spin, v3_sub(momentum, s3_apply(s3_inverse(p->bodies[i].inverse_inertia), spin)))
                    : 0.5 * v3_dot(momentum, v3_sub(p->bodies[i].spin, spin));
    }
    return gain;
}

/* ---- rows that bend ---- */

/* The result of free motion for a body. */
typedef struct free_body {
    ash_vec3 position, velocity, spin;
    ash_quat rotation;
} free_body;

/* Saves it for the problem's movable bodies. Null when scratch memory ran out. */
static free_body *keep_free_motion(ashi_step *step)
{
    const ashi_system *p = step->problem;
    const ashi_state *next = &step->model->bodies.next;
    free_body *kept = ashi_arena_take_array(step->scratch, p->body_count, sizeof *kept);
    for (uint32_t i = p->fixed_count; i < p->body_count && kept != NULL; i++) {
        uint32_t slot = slot_of(step, &p->bodies[i]);
        kept[i] = (free_body){next->position[slot], next->velocity[slot], next->spin[slot], next->rotation[slot]};
    }
    return kept;
}

static void restore_free_motion(ashi_step *step, const free_body *kept)
{
    const ashi_system *p = step->problem;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        ashi_step_store(step, slot_of(step, &p->bodies[i]), kept[i].position, kept[i].rotation, kept[i].velocity,
                        kept[i].spin);
}

/* Sets `next` from the solution. Null when scratch memory ran out. */
static ashi_kept_momentum *apply(ashi_step *step, double h, const bool *elastic)
{
    ashi_kept_momentum *kept = ashi_momentum_begin(step);
    if (kept != NULL) {
        ashi_momentum_join_blocks(kept, step->problem);
        ashi_lanes_join(step, kept);
        correct(step, h, elastic, kept);
        if (!ashi_lanes_correct(step, elastic, kept))
            return NULL;
    }
    return kept;
}

/* How far rows may bend within a part without being asked for it, m. */
static double bend_left(const ashi_step *step, double h)
{
    double share = fmin(h / (BEND_STEP * step->method.solver.unit_time), 1);
    return BEND_LEFT * ashi_meetings_touch(&step->method) * share * share * share;
}

/* Solves again until rows allow for how far they bend within the part (curvature.h); where that does not end, they are
 * left straight. Only the last solution is exact; `exact`: so is the one that there is. `work`: that of free motion.
 * Null when memory ran out. */
static ashi_kept_momentum *follow(ashi_step *step, double h, const free_body *free, ashi_work work, bool exact,
                                  ashi_kept_momentum *kept)
{
    ashi_system *p = step->problem;
    double limit = BEND_LEFT * ashi_meetings_touch(&step->method), enough = bend_left(step, h), last = INFINITY;
    double share = BEND_SOLVED;
    bool ends = false;
    for (int round = 0; kept != NULL && !ends && atomic_load(&step->worst_slot) == ASHI_NO_SLOT; round++) {
        if (!ashi_curvature_measure(step, p))
            return NULL;
        double change = ashi_curvature_ask(step, p, h);
        bool stalls = !(change < last);
        share *= stalls ? BEND_SOLVED : 1;
        bool sure = exact || share < BEND_SURE, there = !(change > enough) || (sure && stalls && change <= limit);
        if (there && exact)
            return kept;
        bool gone = round >= BEND_ROUNDS || (sure && stalls && round >= 3) || ashi_solver_is_busy(step->solvers);
        if (!there && gone)
            ashi_curvature_forget(step, p);
        ends = there || gone;
        last = change;
        restore_free_motion(step, free);
        step->work = work;
        double rough = ends ? 0 : fmax(BEND_SOLVED * enough, share * fmin(change, limit / BEND_LEFT)) / h;
        kept = solve_to(step, rough, &exact) ? apply(step, h, NULL) : NULL;
    }
    return kept;
}

bool ashi_hold(ashi_step *step, double h, double reach)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    bool good = divide(step, h, reach), slows = good && ashi_hold_closes(step);
    step->work.stabilization += slows ? gain_by_inertia(step, false) : 0;
    bool bends = good && step->problem->block_count > 0 && ashi_curvature_acts(step);
    bends = bends && (good = ashi_curvature_begin(step, step->problem, step->scratch));
    free_body *free = bends ? keep_free_motion(step) : NULL;
    ashi_work work = step->work;
    step->steady = bends; /* impacts are at instants */
    if (bends)
        ashi_curvature_expect_slides(step, step->problem);
    bool rest = good && (step->problem->body_count > 0 || !ashi_lanes_act(step->lanes)), exact = true;
    double rough = bends ? BEND_SOLVED / BEND_LEFT * bend_left(step, h) / h : 0;
    good = good && (!bends || free != NULL) && (!rest || solve_to(step, rough, &exact)) && ashi_lanes_solve(step);
    step->work.stabilization += good && slows ? gain_by_inertia(step, true) : 0;
    bool *elastic = NULL;
    bool shifted = good && (step->problem->shifted || ashi_lanes_act(step->lanes));
    good = good && (!shifted || ashi_forces_mark_elastic(step->model, step->scratch, &elastic));
    ashi_kept_momentum *kept = good ? apply(step, h, elastic) : NULL;
    if (kept != NULL && bends)
        kept = follow(step, h, free, work, exact, kept);
    step->steady = false;
    good = kept != NULL && (!ashi_hold_closes(step) || ashi_step_close_joints(step)) &&
           ashi_momentum_return(kept, &step->model->bodies.next, &step->work.stabilization);
    ashi_step_enter(step, before);
    return good;
}
