/* Newton's law of restitution, kept from making energy.
 *
 * Rebound speeds are asked for whatever impulses they take. Of a rod that strikes at a slant, friction turns slip
 * around and adds to the rebound: at 45 degrees, e = 1 and mu = 1 it can leave with half as much energy again. Contacts
 * with unlike coefficients can do the same without friction. Work of contacts with no rebound at all is never positive
 * at an instant, so there is a largest common share of the rebounds for which it is not, either. Where it is 1, which
 * is nearly always, the law is Newton's. */
#include "solve/impact/impact.h"

#include "solve/first_guess.h"

#include <math.h>

#define NOTHING 1e-9 /* of the energies of the approach: rounding, and ... */
#define LEFT    10   /* ... of the solver's tolerance, times the impulses */
#define TRIES   16
#define PRECISE 1e-6 /* of those energies: work is brought to zero so far, from below */
#define ALIKE   1e-9 /* coefficients of restitution that differ less are the same */

bool ashi_rebound_is_limited(const ash_solver_settings *settings)
{
    const ashi_solver_traits *solver = ashi_solver_traits_of(settings->solver);
    return !solver->moves && !solver->springs;
}

static ash_motion at_start(const ash_problem_body *body)
{
    return (ash_motion){body->start_velocity, body->start_spin};
}

static double speed_at_start(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    ash_motion a = at_start(&p->bodies[block->body_a]), b = at_start(&p->bodies[block->body_b]);
    return ashi_row_speed(row, &a, &b);
}

/* The mean speed of a row; of bodies that are held while the impulse acts (shock), as if they stood still. */
static double mean_speed(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    static const ash_motion none = {{0, 0, 0}, {0, 0, 0}};
    ash_motion from_a = block->held_a ? none : at_start(&p->bodies[block->body_a]);
    ash_motion from_b = block->held_b ? none : at_start(&p->bodies[block->body_b]);
    const ash_motion *a = block->held_a ? &none : &p->velocity[block->body_a];
    const ash_motion *b = block->held_b ? &none : &p->velocity[block->body_b];
    return 0.5 * (ashi_row_speed(row, &from_a, &from_b) + ashi_row_speed(row, a, b));
}

double ashi_contact_work(const ashi_system *p, const ash_problem_island *island, double share)
{
    double work = 0;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; block->kind == ASHI_CONTACT_BLOCK && i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            /* What is not of contacts: a moving surface is driven, and what asks for more than the rebound is
             * stabilization, which is allowed its gain. */
            double other = i > 0 ? row->bias : 0.5 * fmin(row->bias + share * block->rebound, 0);
            work += row->impulse * (mean_speed(p, block, row) + other);
        }
    }
    return work;
}

/* Whether something rebounds, with friction or unlike coefficients; the energies and impulses of the approach. */
static bool may_gain(const ashi_system *p, const ash_problem_island *island, double *energy, double *impulse)
{
    bool rebounds = false, friction = false, unlike = false;
    double first = -1;
    *energy = *impulse = 0;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        friction = friction || block->row_count > 1;
        if (!(block->rebound > 0))
            continue;
        const ashi_row *normal = &p->rows[block->first_row];
        double approach = -speed_at_start(p, block, normal), e = block->rebound / approach;
        unlike = unlike || (first >= 0 && fabs(e - first) > ALIKE);
        first = e;
        rebounds = true;
        *energy += fabs(normal->impulse * approach);
        *impulse += fabs(normal->impulse);
    }
    return rebounds && (friction || unlike);
}

static void set_share(const ashi_system *p, const ash_problem_island *island, double from, double to)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind == ASHI_CONTACT_BLOCK && block->rebound > 0)
            p->rows[block->first_row].bias += (from - to) * block->rebound;
    }
}

/* Solves with a share of the rebounds. False when memory ran out. */
static bool solve_share(ashi_solve *solve, ashi_one_solve once, double *share, double next, double *work)
{
    set_share(solve->problem, solve->island, *share, next);
    *share = next;
    ashi_system_velocities(solve->problem, solve->island);
    ashi_first_guess_shorten(solve->problem, solve->island);
    bool good = once.run(once.data, solve);
    *work = ashi_contact_work(solve->problem, solve->island, next);
    return good;
}

bool ashi_rebound_limit(ashi_solve *solve, ashi_one_solve once)
{
    const ashi_system *p = solve->problem;
    double energy, impulse, work, share = 1, low = 0, high = 1;
    if (!may_gain(p, solve->island, &energy, &impulse))
        return true;
    double nothing = NOTHING * energy + LEFT * solve->settings->tolerance * impulse, at_low, at_high;
    at_high = ashi_contact_work(p, solve->island, 1);
    if (!(at_high > nothing))
        return true;
    if (!solve_share(solve, once, &share, 0, &work))
        return false;
    /* Moving bodies may do work of their own: the rebound adds none. */
    double least = fmax(work, 0);
    at_low = work - least;
    at_high -= least;
    if (!(at_high > nothing)) /* not by the rebound */
        return solve_share(solve, once, &share, 1, &work);
    for (int i = 0; i < TRIES && (low == 0 || at_low < -PRECISE * energy); i++) {
        double secant = low + (high - low) * at_low / (at_low - at_high);
        bool halve = i % 3 == 2 || !(secant > low && secant < high);
        if (!solve_share(solve, once, &share, halve ? 0.5 * (low + high) : secant, &work))
            return false;
        bool passive = work - least <= nothing;
        low = passive ? share : low;
        high = passive ? high : share;
        at_low = passive ? fmin(work - least, 0) : at_low;
        at_high = passive ? at_high : work - least;
    }
    return share == low || solve_share(solve, once, &share, low, &work);
}
