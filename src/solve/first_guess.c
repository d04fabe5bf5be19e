/* The first guess of a solve: the impulses in the rows, if they are useful.
 *
 * A solver that stops early returns much of its first guess, so a bad one adds energy. Forces of a short part of a
 * step, which include an impact or the rest of an earlier solve, are no guess for a long one. The measure is the
 * objective of the problem without its bounds,
 *
 *   f(lambda) = lambda^T A lambda / 2 + lambda^T (J v* + b),    A = J M^-1 J^T + softness,
 *
 * which is the change of kinetic energy if b = 0. A zero guess has f = 0, and sweeps lower f: a guess with f > 0 is
 * scaled to the minimum of f along it, which is zero if f increases from the start. Layers of shock have their own
 * f. */
#include "solve/first_guess.h"

static uint32_t end_of(const ash_problem_island *island)
{
    return island->first_block + island->block_count;
}

static void scale_guess(ashi_system *p, const ash_problem_island *island, double factor)
{
    for (uint32_t k = island->first_block; k < end_of(island); k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++) {
            double *impulse = &p->rows[p->blocks[k].first_row + i].impulse;
            *impulse = factor > 0 ? factor * *impulse : 0;
        }
}

static bool points_are_finite(const ashi_system *p, const ash_problem_island *island)
{
    bool finite = true;
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count && !p->expanded; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        bool turns = contact->rollings > 0 || contact->spins > 0;
        for (uint32_t k = 0; k < contact->point_count; k++)
            finite = finite && v3_is_finite(p->points[contact->first_point + k].impulse) &&
                     (!turns || v3_is_finite(p->turns[contact->first_turn + k]));
    }
    return finite;
}

static void forget_points(ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        for (uint32_t k = 0; k < contact->point_count; k++) {
            p->points[contact->first_point + k].impulse = v3(0, 0, 0);
            if (contact->rollings > 0 || contact->spins > 0)
                p->turns[contact->first_turn + k] = v3(0, 0, 0);
        }
    }
}

bool ashi_first_guess_check(ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        if (!v3_is_finite(p->bodies[i].velocity) || !v3_is_finite(p->bodies[i].spin))
            return false;
    bool finite = true;
    if (p->finite)
        return true;
    bool points = points_are_finite(p, island);
    if (!points)
        forget_points(p, island);
    for (uint32_t k = island->first_block; k < end_of(island); k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            finite = finite && isfinite(p->rows[p->blocks[k].first_row + i].impulse);
    if (!finite)
        scale_guess(p, island, 0);
    return true;
}

/* The velocity of a body before any impulse. */
static ash_motion free_motion(const ashi_system *p, uint32_t body)
{
    return (ash_motion){p->bodies[body].velocity, p->bodies[body].spin};
}

void ashi_first_guess_shorten(ashi_system *p, const ash_problem_island *island)
{
    double slope = 0, curvature = 0; /* of f along the guess, at its beginning */
    for (uint32_t k = island->first_block; k < end_of(island); k++) {
        const ashi_block *block = &p->blocks[k];
        ash_motion a = free_motion(p, block->body_a), b = free_motion(p, block->body_b);
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            double before = ashi_row_speed(row, &a, &b);
            double after = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
            slope += row->impulse * (before + row->bias);
            curvature += row->impulse * (after - before + row->softness * row->impulse);
        }
    }
    if (slope + curvature / 2 <= 0)
        return;
    scale_guess(p, island, -slope / curvature);
    ashi_system_velocities(p, island);
}
