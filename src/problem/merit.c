/* Erleben's merit function (2007, (37)-(38)) of a regularized or diagonally scaled system (39)-(41).
 *
 * With D the diagonal of A, scaled impulses are sqrt(D) lambda and scaled speeds w / sqrt(D); bounds are scaled like
 * impulses. H of a row is then sqrt(D) (lambda - P(lambda - w / D)), so nothing has to be scaled explicitly. Both
 * scaled quantities are square roots of energies: unlike theta itself this one has a unit, J, and means the same in any
 * system of units. Rows that are bounded together by a disk or a polygon share the mean of their D, so that it stays a
 * disk. Regularization adds gamma times the (scaled) impulse to the (scaled) speed. */
#include "problem/merit.h"

#include "problem/exact_pair.h"

/* D of rows that are bounded together. */
static void share_mean(double *diagonal, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += diagonal[i];
    for (uint32_t i = first; i < first + count; i++)
        diagonal[i] = sum / count;
}

/* The squares of the units: D, or ones. */
static void find_units(const ashi_system *p, const ashi_law *law, const ashi_block *block, bool scaled,
                       double *diagonal)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        diagonal[i] = scaled ? ashi_row_response(p, block, row, row) + row->softness : 1;
    }
    if (block->kind != ASHI_CONTACT_BLOCK)
        return;
    if (law->law != ASH_FRICTION_BOX)
        share_mean(diagonal, 1, block->tangents);
    share_mean(diagonal, 1u + block->tangents, block->rollings);
}

/* P of a contact. */
static void clamp_contact(const ashi_law *law, const ashi_block *block, const ashi_exact_pair *pair, double *target)
{
    double normal = pair->impulse[0] > 0 ? pair->impulse[0] : 0;
    target[0] = target[0] > 0 ? target[0] : 0;
    ashi_law_clamp(law, block, block->friction_limit >= 0 ? block->friction_limit : normal, target + 1);
}

static double merit_of(const ashi_system *p, const ashi_law *law, const ashi_block *block, double gamma, bool scaled)
{
    const ashi_row *row = &p->rows[block->first_row];
    double unit[ASHI_CONTACT_ROWS], target[ASHI_CONTACT_ROWS], sum = 0;
    ashi_exact_pair pair;
    if (!ashi_exact_pair_find(p, law, block, &p->rows[block->first_row], &pair))
        return 0;
    find_units(p, law, block, scaled, unit);
    for (uint32_t i = 0; i < pair.count; i++)
        target[i] = pair.impulse[i] - (pair.judged[i] ? pair.speed[i] / unit[i] + gamma * pair.impulse[i] : 0);
    if (block->kind == ASHI_CONTACT_BLOCK)
        clamp_contact(law, block, &pair, target);
    for (uint32_t i = 0; block->kind == ASHI_PLAIN_BLOCK && i < pair.count; i++)
        target[i] = target[i] < row[i].lower ? row[i].lower : target[i] > row[i].upper ? row[i].upper : target[i];
    for (uint32_t i = 0; i < pair.count; i++) {
        double off = pair.judged[i] ? pair.impulse[i] - target[i] : 0;
        sum += unit[i] * off * off;
    }
    return sum / 2;
}

double ashi_merit(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law, double gamma,
                  bool scaled)
{
    uint32_t first = island != NULL ? island->first_block : 0;
    uint32_t count = island != NULL ? island->block_count : problem->block_count;
    double sum = 0;
    for (uint32_t k = first; k < first + count; k++)
        sum += merit_of(problem, law, &problem->blocks[k], gamma, scaled);
    return sum;
}
