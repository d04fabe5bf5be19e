/* Impacts at an instant, together or one after the other.
 *
 * Together: all contacts that touch, in one problem. It keeps symmetry and momentum, but a ball that meets a row of
 * touching ones sets all of them in motion.
 *
 * Sequential: as if there were gaps. In each round only approaching pairs of bodies take part, those that share a body
 * in one problem; bodies that rest against them wait until they are approached. So an impact travels through a row from
 * ball to ball, and since only the motion decides which pairs take part, the order in which bodies were made does not
 * matter. Approaches up to the resting speed, or all after a limit of rounds, are solved together at the end.
 *
 * A contact that was held so far approaches by the integration error of its normal speed: this is solved as well, but
 * is not an impact. */
#include "step/instant.h"

#include "problem/assemble.h"
#include "step/hold.h"

#include <math.h>
#include <string.h>

#define ROUNDS       32 /* the most rounds of one instant, ... */
#define ROUNDS_AFTER 8  /* ... and this many more for each contact point */

static double approach_of(const ashi_system *p, const ashi_block *block)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion from_a = {a->start_velocity, a->start_spin}, from_b = {b->start_velocity, b->start_spin};
    return -ashi_row_speed(&p->rows[block->first_row], &from_a, &from_b);
}

/* Contacts of a problem that approach faster than `least`. */
static uint32_t count_approaches(const ashi_system *p, double least)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        count += p->blocks[k].kind == ASHI_CONTACT_BLOCK && approach_of(p, &p->blocks[k]) > least;
    return count;
}

/* The number of these approaches that are impacts. */
static uint32_t count_impacts(const ashi_step *step, double least)
{
    const ashi_system *p = step->problem;
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        ash_vec3 force = step->collision->now.points.data[block->label].force;
        bool held = v3_dot(force, p->rows[block->first_row].linear_b) > 0;
        count += approach_of(p, block) > (held ? fmax(least, step->method.resting_speed) : least);
    }
    return count;
}

static bool assemble(ashi_step *step, double reach, const bool *leaves)
{
    ashi_assembly assembly = ashi_hold_assembly(step, 0, reach);
    assembly.predicted = assembly.start;
    assembly.leaves = leaves;
    return ashi_assemble(&assembly, step->scratch, step->problem);
}

/* Solves the assembled problem; `now` gets the velocities. */
static bool settle(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    const ashi_system *p = step->problem;
    if (!ashi_hold_solve(step))
        return false;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&b->pool, p->bodies[i].label);
        b->now.velocity[slot] = p->velocity[i].linear;
        b->now.spin[slot] = p->velocity[i].angular;
    }
    return true;
}

/* ---- one after the other ---- */

static bool is_of(const ashi_block *block, const ashi_block *other)
{
    return other->kind == ASHI_CONTACT_BLOCK && other->body_a == block->body_a && other->body_b == block->body_b;
}

/* Marks the contact points of pairs of bodies that do not approach faster than `least`. */
static void leave_out(const ashi_system *p, double least, uint32_t points, bool *leaves)
{
    memset(leaves, true, points * sizeof *leaves);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK || !(approach_of(p, block) > least))
            continue;
        /* Points of two bodies are adjacent. */
        for (uint32_t n = k; n < p->block_count && is_of(block, &p->blocks[n]); n++)
            leaves[p->blocks[n].label] = false;
        for (uint32_t n = k; n-- > 0 && is_of(block, &p->blocks[n]);)
            leaves[p->blocks[n].label] = false;
    }
}

/* Rounds until nothing approaches faster than the resting speed; the problem is then that of all contacts. */
static bool settle_in_turn(ashi_step *step, double reach, double least)
{
    uint32_t points = step->collision->now.points.count, most = ROUNDS + ROUNDS_AFTER * step->problem->block_count;
    double fast = fmax(least, step->method.resting_speed);
    bool *leaves = ashi_arena_take_array(step->kept, points + 1, sizeof *leaves);
    if (leaves == NULL)
        return false;
    for (uint32_t round = 0; round < most && count_approaches(step->problem, fast) > 0; round++) {
        leave_out(step->problem, fast, points, leaves);
        ashi_arena_reset(step->scratch);
        if (!assemble(step, reach, leaves) || !settle(step) || !assemble(step, reach, NULL))
            return false;
    }
    return true;
}

bool ashi_step_instant(ashi_step *step, double reach, double least, uint32_t *count)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    bool good = assemble(step, reach, NULL);
    uint32_t approaching = good ? count_approaches(step->problem, least) : 0;
    *count = good ? count_impacts(step, least) : 0;
    step->steady = *count == 0;
    if (approaching > 0 && step->method.impact_order == ASH_IMPACTS_SEQUENTIAL)
        good = settle_in_turn(step, reach, least);
    if (good && approaching > 0 && count_approaches(step->problem, least) > 0)
        good = settle(step);
    step->steady = false;
    ashi_step_enter(step, before);
    return good;
}
