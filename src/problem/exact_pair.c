/* The pair (lambda', u') of a block that obeys its law exactly.
 *
 * For a contact, with D the mean diagonal of its block of J M^-1 J^T (softness included) and rho = 1/D, rolling and
 * spinning rows with a D of their own:
 *   u^ = u + s(u) n,   lambda' = P_K(lambda - rho u^),   u^' = u^ - (lambda - lambda') / rho,   u' = u^' - s(u^') n.
 * Plain rows do the same on their interval; an equality keeps its impulse and has u' = 0. */
#include "problem/exact_pair.h"

#include <math.h>

#define STEEP 1 /* coefficient of friction from which the cone's projection alone is not trusted */

/* ---- contacts ---- */

static void share_response(ashi_exact_pair *v, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += v->response[i];
    for (uint32_t i = first; i < first + count; i++)
        v->response[i] = sum / count;
}

/* Rows that no impulse moves are ignored. */
static void drop_dead_rows(ashi_exact_pair *v, uint32_t first)
{
    for (uint32_t i = first; i < v->count; i++)
        if (!(v->response[i] > 0)) {
            v->judged[i] = false;
            v->impulse[i] = v->speed[i] = 0;
            v->response[i] = v->response[0] > 0 ? v->response[0] : 1;
        }
}

/* Computes u' after the impulse was projected to lambda'; `slip` is included in u^. */
static void finish_pair(double slip, ashi_exact_pair *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        v->goal[i] = v->speed[i] + (i == 0 ? slip : 0) + v->response[i] * (v->exact[i] - v->impulse[i]);
}

/* The nearest pair (lambda', u^') of K and its dual cone. */
static void project_cone(const ashi_law *law, const ashi_block *block, ashi_exact_pair *v)
{
    double weight[ASHI_CONTACT_ROWS];
    double slip = ashi_law_slip(law, block, v->speed);
    for (uint32_t i = 0; i < v->count; i++) {
        weight[i] = 1 / v->response[i];
        v->exact[i] = v->impulse[i] - weight[i] * (v->speed[i] + (i == 0 ? slip : 0));
    }
    ashi_law_project(law, block, weight, v->exact);
    finish_pair(slip, v);
    v->goal[0] -= ashi_law_slip(law, block, v->goal);
}

/* First the normal impulse by itself, then friction within its bounds: this pair obeys the law equally exactly. */
static void project_in_turn(const ashi_law *law, const ashi_block *block, ashi_exact_pair *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        v->exact[i] = v->impulse[i] - v->speed[i] / v->response[i];
    v->exact[0] = v->exact[0] > 0 ? v->exact[0] : 0;
    ashi_law_clamp(law, block, block->friction_limit >= 0 ? block->friction_limit : v->exact[0], v->exact + 1);
    finish_pair(0, v);
}

/* The distance of impulses and velocities from the pair. */
static double distance_of(const ashi_exact_pair *v)
{
    double sum = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        double off = v->goal[i] - v->speed[i], change = v->exact[i] - v->impulse[i];
        sum += off * off / v->response[i] + change * change * v->response[i];
    }
    return sum;
}

/* lambda' and u' for one coefficient of friction. For a steep cone the projection magnifies errors by the coefficient,
 * so the nearer of two pairs is taken. */
static void project_contact(const ashi_law *law, const ashi_block *block, ashi_exact_pair *v)
{
    project_cone(law, block, v);
    if (!(block->friction > STEEP) || block->tangents == 0)
        return;
    ashi_exact_pair other = *v;
    project_in_turn(law, block, &other);
    if (distance_of(&other) < distance_of(v))
        *v = other;
}

/* The normal impulse moves nothing: it keeps its value, which bounds friction. */
static void pair_of_dead_normal(const ashi_law *law, const ashi_block *block, ashi_exact_pair *v)
{
    ashi_block seen = *block;
    seen.friction_limit = v->impulse[0] > 0 ? v->impulse[0] : 0;
    for (uint32_t i = 0; i <= block->tangents; i++) {
        v->judged[i] = false;
        v->impulse[i] = v->speed[i] = 0;
        v->response[i] = 1;
    }
    project_contact(law, &seen, v);
}

static void pair_of_contact(const ashi_law *law, const ashi_block *block, ashi_exact_pair *v)
{
    share_response(v, 0, 1u + block->tangents);
    if (block->rollings > 0)
        share_response(v, 1u + block->tangents, block->rollings);
    drop_dead_rows(v, 1u + block->tangents);
    if (!(v->response[0] > 0))
        pair_of_dead_normal(law, block, v);
    else
        project_contact(law, block, v);
}

/* ---- plain rows ---- */

static void pair_of_row(const ashi_row *row, ashi_exact_pair *v, uint32_t i)
{
    v->exact[i] = v->impulse[i];
    v->goal[i] = 0;
    v->judged[i] = v->response[i] > 0;
    if (!v->judged[i] || (isinf(row->lower) && isinf(row->upper)))
        return;
    double wanted = v->impulse[i] - v->speed[i] / v->response[i];
    v->exact[i] = wanted < row->lower ? row->lower : wanted > row->upper ? row->upper : wanted;
    v->goal[i] = v->speed[i] + v->response[i] * (v->exact[i] - v->impulse[i]);
}

/* ---- blocks ---- */

static bool look_at(const ashi_system *p, const ashi_block *block, const ashi_row *rows, ashi_exact_pair *v)
{
    const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
    bool movable = false;
    v->count = block->row_count;
    for (uint32_t i = 0; i < v->count; i++) {
        const ashi_row *row = &rows[i];
        v->judged[i] = true;
        v->impulse[i] = row->impulse;
        v->speed[i] = ashi_row_speed(row, a, b) + row->bias + row->softness * row->impulse;
        v->response[i] = ashi_row_response(p, block, row, row) + row->softness;
        movable = movable || v->response[i] > 0;
    }
    return movable;
}

bool ashi_exact_pair_find(const ashi_system *problem, const ashi_law *law, const ashi_block *block,
                          const ashi_row *rows, ashi_exact_pair *pair)
{
    if (!look_at(problem, block, rows, pair))
        return false;
    if (block->kind == ASHI_CONTACT_BLOCK) {
        pair_of_contact(law, block, pair);
        return true;
    }
    for (uint32_t i = 0; i < pair->count; i++)
        pair_of_row(&rows[i], pair, i);
    return true;
}
