/* The transition from static to sliding friction. */
#include "solve/sliding.h"

#include "problem/expand.h"

#define AT_THE_BOUND 0.01 /* of the bound: friction this close to it counts as being at it */

bool ashi_sliding_matters(const ashi_block *block)
{
    return block->kind == ASHI_CONTACT_BLOCK && block->tangents > 0 && block->sliding_friction < block->friction;
}

/* Whether a contact that carries load slips faster than the stick speed. */
static bool slips(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
    double square = 0;
    for (uint32_t i = 1; i <= block->tangents; i++) {
        double speed = ashi_row_speed(&row[i], a, b) + row[i].bias;
        square += speed * speed;
    }
    return row[0].impulse > 0 && square > p->stick_speed * p->stick_speed;
}

/* Whether the friction impulses are at their bound. */
static bool is_at_the_bound(const ashi_law *law, const ashi_block *block, const ashi_row *row)
{
    double bound = block->friction_limit >= 0 ? block->friction_limit : row[0].impulse;
    double friction[ASHI_CONTACT_ROWS - 1];
    for (uint32_t i = 1; i < block->row_count; i++)
        friction[i - 1] = row[i].impulse;
    ashi_block nearly = *block;
    nearly.friction = block->friction * (1 - AT_THE_BOUND);
    ashi_law_clamp(law, &nearly, bound, friction);
    for (uint32_t i = 0; i < block->tangents; i++)
        if (friction[i] != row[1 + i].impulse)
            return true;
    return false;
}

/* The contacts of two bodies: some slip with friction at its bound; some slip with less, which are not solved
 * accurately enough. */
typedef struct sliding {
    bool some, unsolved;
} sliding;

static void look_at(const ashi_system *p, const ashi_law *law, const ashi_block *block, const ashi_row *rows,
                    sliding *found)
{
    if (found->unsolved || !ashi_sliding_matters(block) || !slips(p, block, rows))
        return;
    bool bound = is_at_the_bound(law, block, rows);
    found->some = found->some || bound;
    found->unsolved = !bound;
}

/* ---- contacts given by their rows ---- */

/* The blocks from `first` on that are contacts of the same two bodies. */
static uint32_t count_blocks(const ashi_system *p, uint32_t first, uint32_t end)
{
    const ashi_block *blocks = p->blocks;
    uint32_t k = first + 1;
    while (k < end && blocks[k].kind == ASHI_CONTACT_BLOCK && blocks[k].body_a == blocks[first].body_a &&
           blocks[k].body_b == blocks[first].body_b)
        k++;
    return k - first;
}

static bool let_blocks_slide(ashi_system *p, const ashi_law *law, uint32_t first, uint32_t count)
{
    sliding found = {false, false};
    for (uint32_t k = first; k < first + count; k++)
        look_at(p, law, &p->blocks[k], &p->rows[p->blocks[k].first_row], &found);
    for (uint32_t k = first; k < first + count && found.some && !found.unsolved; k++)
        if (ashi_sliding_matters(&p->blocks[k]))
            p->blocks[k].friction = p->blocks[k].sliding_friction;
    return found.some && !found.unsolved;
}

/* ---- contacts ---- */

static uint32_t count_contacts(const ashi_system *p, uint32_t first, uint32_t end)
{
    const ash_problem_contact *contacts = p->contacts;
    uint32_t c = first + 1;
    while (c < end && contacts[c].body_a == contacts[first].body_a && contacts[c].body_b == contacts[first].body_b)
        c++;
    return c - first;
}

static bool let_contacts_slide(ashi_system *p, const ashi_law *law, uint32_t first, uint32_t count)
{
    sliding found = {false, false};
    uint32_t begin = p->contacts[first].first_point, end = begin;
    for (uint32_t c = first; c < first + count; c++)
        for (end = p->contacts[c].first_point + p->contacts[c].point_count; begin < end; begin++) {
            ashi_point_rows point;
            if (!(p->contacts[c].sliding_friction < p->points[begin].friction))
                continue;
            ashi_point_expand(p, &p->contacts[c], begin, &point);
            look_at(p, law, &point.block, point.row, &found);
        }
    for (uint32_t c = first; c < first + count && found.some && !found.unsolved; c++)
        for (uint32_t k = 0; k < p->contacts[c].point_count && p->contacts[c].tangents > 0; k++) {
            ash_problem_point *point = &p->points[p->contacts[c].first_point + k];
            point->friction = fmin(point->friction, p->contacts[c].sliding_friction);
        }
    return found.some && !found.unsolved;
}

bool ashi_sliding_begins(ashi_system *p, const ashi_law *law, const ash_problem_island *island)
{
    uint32_t end = island->first_block + island->block_count;
    bool any = false;
    for (uint32_t first = island->first_block, count; first < end; first += count) {
        count = p->blocks[first].kind == ASHI_CONTACT_BLOCK ? count_blocks(p, first, end) : 1;
        any |= let_blocks_slide(p, law, first, count);
    }
    end = p->expanded ? 0 : island->first_contact + island->contact_count;
    for (uint32_t first = island->first_contact, count; first < end; first += count) {
        count = count_contacts(p, first, end);
        any |= let_contacts_slide(p, law, first, count);
    }
    return any;
}
