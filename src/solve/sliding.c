/* Static friction that gives way. */
#include "solve/sliding.h"

#define AT_THE_BOUND 0.01 /* of the bound: friction this near to it is at it */

bool ashi_sliding_matters(const ash_problem_block *block)
{
    return block->kind == ASH_BLOCK_CONTACT && block->tangents > 0 && block->sliding_friction < block->friction;
}

/* Whether a contact that carries load slips faster than the stick speed. */
static bool slips(const ash_problem *p, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
    double square = 0;
    for (uint32_t i = 1; i <= block->tangents; i++) {
        double speed = ashi_row_speed(&row[i], a, b) + row[i].bias;
        square += speed * speed;
    }
    return row[0].impulse > 0 && square > p->stick_speed * p->stick_speed;
}

/* The blocks from `first` on that are contacts of the same two bodies. */
static uint32_t count_together(const ash_problem *p, uint32_t first, uint32_t end)
{
    const ash_problem_block *blocks = p->blocks;
    uint32_t k = first + 1;
    while (k < end && blocks[k].kind == ASH_BLOCK_CONTACT && blocks[k].body_a == blocks[first].body_a &&
           blocks[k].body_b == blocks[first].body_b)
        k++;
    return k - first;
}

/* Whether the friction impulses are at their bound. */
static bool is_at_the_bound(const ash_problem *p, const ashi_law *law, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    double bound = block->friction_limit >= 0 ? block->friction_limit : row[0].impulse;
    double friction[ASHI_CONTACT_ROWS - 1];
    for (uint32_t i = 1; i < block->row_count; i++)
        friction[i - 1] = row[i].impulse;
    ash_problem_block nearly = *block;
    nearly.friction = block->friction * (1 - AT_THE_BOUND);
    ashi_law_clamp(law, &nearly, bound, friction);
    for (uint32_t i = 0; i < block->tangents; i++)
        if (friction[i] != row[1 + i].impulse)
            return true;
    return false;
}

/* Whether contacts of two bodies slide: some slip, and all that do are at their bound. What slips by less friction has
 * not been solved far enough. */
static bool slide(const ash_problem *p, const ashi_law *law, uint32_t first, uint32_t count)
{
    bool some = false;
    for (uint32_t k = first; k < first + count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (!ashi_sliding_matters(block) || !slips(p, block))
            continue;
        if (!is_at_the_bound(p, law, block))
            return false;
        some = true;
    }
    return some;
}

bool ashi_sliding_begins(ash_problem *p, const ashi_law *law, const ash_problem_island *island)
{
    uint32_t end = island->first_block + island->block_count;
    bool any = false;
    for (uint32_t first = island->first_block, count; first < end; first += count) {
        count = p->blocks[first].kind == ASH_BLOCK_CONTACT ? count_together(p, first, end) : 1;
        if (!slide(p, law, first, count))
            continue;
        for (uint32_t k = first; k < first + count; k++)
            if (ashi_sliding_matters(&p->blocks[k]))
                p->blocks[k].friction = p->blocks[k].sliding_friction;
        any = true;
    }
    return any;
}
