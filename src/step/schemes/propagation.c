/* Velocity-based shock propagation as a time-stepping scheme (Erleben 2007, figure 14):
 *
 *   dynamics(a h)                                           by the inner solver, all contacts at once
 *   shock propagation( dynamics((1 - a) h), correction() )  by the method's solver: layer by layer when that is shock
 *   contacts at the end of the step
 *   correction()                                            by the inner solver
 *
 * dynamics is a stage as in every method: free motion, one solve. Bodies move by the velocity of the second over all of
 * the step, as symplectic Euler has it for a step of one stage: by that of the first they would sink, step by step,
 * where its few iterations do not carry what lies on them. A correction projects positions along the normals of
 * contacts and the rows of joints, gap + J dq >= 0 (46, with the sign that it needs), and leaves velocities alone.
 *
 * Here all layers' dynamics come before all layers' corrections. That is the same as dynamics and correction layer by
 * layer: contacts are not looked for in between, so the problem of a layer's velocities has nothing in it that a
 * correction changes, and corrections see the way that lower layers were moved as their held bodies' displacement.
 *
 * Forces of contacts and joints are those of the second stage: the next one's first guess, where the method wants one.
 */
#include "problem/assemble.h"
#include "step/hold.h"
#include "step/schemes/velocity.h"

/* The stage that every body takes part in: also the bodies that shock propagation holds feel what lies on them. */
static bool take_first_stage(ashi_step *step, double h, double reach)
{
    ash_solver own = step->method.solver.solver;
    step->method.solver.solver = ashi_inner_solver(&step->method.solver);
    bool done = ashi_velocity_stage(step, h, reach, false);
    step->method.solver.solver = own;
    return done;
}

/* The spin with the same angular momentum in another rotation. */
static ash_vec3 spin_at(const ashi_bodies *b, uint32_t slot, ash_quat from, ash_quat to, ash_vec3 spin)
{
    if ((b->motion[slot] & (ASHI_ROTATES | ASHI_PARTIAL | ASHI_ISOTROPIC)) != ASHI_ROTATES)
        return spin;
    return s3_apply(s3_rotated(b->rotor[slot].inverse, to), ashi_angular_momentum(&b->rotor[slot], from, spin));
}

/* Before the second stage: dynamic bodies are where they were, with the velocities of the first. */
static void put_back(ashi_step *step, const ashi_state *start)
{
    ashi_bodies *b = &step->model->bodies;
    for (uint32_t slot = 0; slot < ashi_body_slots(b); slot++)
        if (b->motion[slot] & ASHI_DYNAMIC) {
            b->now.spin[slot] = spin_at(b, slot, b->now.rotation[slot], start->rotation[slot], b->now.spin[slot]);
            b->now.position[slot] = start->position[slot];
            b->now.rotation[slot] = start->rotation[slot];
        }
}

/* After it: the way of the first stage, by the velocities of the second. */
static void move_on(ashi_step *step, double first)
{
    const ashi_bodies *b = &step->model->bodies;
    for (uint32_t slot = 0; slot < ashi_body_slots(b); slot++)
        if (b->motion[slot] & ASHI_DYNAMIC) {
            ash_quat before = b->next.rotation[slot];
            ash_vec3 spin = b->next.spin[slot];
            ashi_displace(step, slot, v3_scale(b->next.velocity[slot], first), v3_scale(spin, first));
            b->next.spin[slot] = spin_at(b, slot, before, b->next.rotation[slot], spin);
        }
}

/* The rest of the step, with its correction; `next` is the state after the first stage. */
static bool take_second_stage(ashi_step *step, double first, double h, double reach, const ashi_state *start)
{
    ashi_bodies_exchange(&step->model->bodies);
    bool by_stages = step->method.move_by_stages;
    if (!by_stages)
        put_back(step, start);
    if (!ashi_velocity_stage(step, h, reach, false))
        return false;
    if (!by_stages)
        move_on(step, first);
    return ashi_project_positions(step);
}

/* A part: dynamics(a h) by the inner solver, then dynamics((1 - a) h) and the correction by the method's solver. */
static bool take(ashi_step *step, double h, double reach)
{
    ashi_bodies *b = &step->model->bodies;
    double first = step->method.shock_weight * h, start_time = step->time, whole = step->divided;
    if (!(first > 0) || !ashi_velocity_holds(step))
        return ashi_velocity_stage(step, h, reach, true);
    ashi_state start;
    if (!(first < h))
        return take_first_stage(step, h, reach) && ashi_project_positions(step);
    if (!ashi_step_scratch_state(step, &start))
        return false;
    ashi_step_copy_state(step, &start, &b->now);
    step->divided =
        whole > h ? whole
                  : h; /* a motor whose error were to go within the first stage would ask for h / first of its speed */
    bool done = take_first_stage(step, first, reach);
    if (done) {
        step->time = start_time + first;
        done = take_second_stage(step, first, h - first, reach, &start);
        ashi_step_copy_state(step, &b->now, &start);
        step->time = start_time;
    }
    step->h = h;
    step->divided = whole;
    return done;
}

/* ---- the last correction ---- */

/* Positions of the present state. Projections work on `next`, so the states are exchanged meanwhile. */
static bool project(ashi_step *step, bool *moved)
{
    ashi_bodies *b = &step->model->bodies;
    ashi_system *last = step->last_problem;
    ashi_assembly assembly = ashi_hold_assembly(step, step->h, step->method.contact_margin);
    assembly.predicted = assembly.start;
    assembly.time += step->h;
    if (!ashi_assemble(&assembly, step->scratch, last))
        return false;
    ashi_bodies_exchange(b);
    bool done = ashi_project_along(step, last, ashi_inner_solver(&step->method.solver), moved);
    ashi_bodies_exchange(b);
    return done && atomic_load(&step->worst_slot) == ASHI_NO_SLOT;
}

/* The last correction: of the present state, whose contacts have been found, by the inner solver; contacts are then
 * found once more. */
static bool correct(ashi_step *step, bool *lost)
{
    ashi_collision *c = step->collision;
    bool moved = false;
    if (!ashi_step_solves_contacts(step))
        return true;
    if (!project(step, &moved) || (moved && !ashi_contact_set_copy(&c->kept, &c->before)))
        return false;
    if (!moved)
        return true;
    uint32_t impacts = c->impacts.count;
    *lost = !ashi_step_detect(step) || !ashi_collision_find_events_since(c, &c->kept);
    c->impacts.count = *lost ? 0 : impacts;
    return !*lost;
}

const ashi_scheme_class ashi_scheme_propagation = {
    .name = "propagation",
    .take = take,
    .move = ashi_velocity_move,
    .holds = ashi_velocity_holds,
    .order = 1,
    .correct = correct,
    .closes_within_slop = true,
    .projects_farther = 10, /* layers are put on each other: the upmost goes as far as all below */
};
