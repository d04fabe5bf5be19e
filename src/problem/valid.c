/* Whether a problem from outside makes sense: every count, index and number, in the order of the structures. The first
 * fault is named by its place, as in the file ("/blocks/3/friction"), its value and what would have been right. */
#include "problem/problem.h"

#include "base/diagnostic.h"
#include "problem/law.h"

#include <math.h>
#include <stdio.h>

/* Where the check is. */
typedef struct checking {
    const ash_problem *problem;
    ash_diagnostic *diagnostic;
    const char *section; /* "bodies", or "" for the problem itself */
    uint32_t number;
} checking;

static bool wrong(const checking *c, const char *field, double value, const char *expected)
{
    ash_diagnostic *d = c->diagnostic;
    bool inside = c->section[0] != '\0';
    if (inside)
        ashi_fail(d, ASH_BAD_DATA, "problem.value", "%s of number %u of the problem's %s is %.17g", field, c->number,
                  c->section, value);
    else
        ashi_fail(d, ASH_BAD_DATA, "problem.value", "%s of the problem is %.17g", field, value);
    ashi_expect(d, "%s", expected);
    if (d != NULL && inside)
        snprintf(d->path, sizeof d->path, "/%s/%u/%s", c->section, c->number, field);
    else if (d != NULL)
        snprintf(d->path, sizeof d->path, "/%s", field);
    return false;
}

static bool check_finite(const checking *c, const char *field, double value)
{
    return isfinite(value) || wrong(c, field, value, "a finite number");
}

static bool check_not_negative(const checking *c, const char *field, double value)
{
    return (isfinite(value) && value >= 0) || wrong(c, field, value, "a finite number of at least 0");
}

static bool check_vector(const checking *c, const char *field, ash_vec3 v)
{
    return check_finite(c, field, v.x) && check_finite(c, field, v.y) && check_finite(c, field, v.z);
}

/* ---- the problem itself ---- */

static bool check_frame(const ash_problem *p, ash_diagnostic *diagnostic)
{
    checking c = {p, diagnostic, "", 0};
    if (!check_not_negative(&c, "h", p->h))
        return false;
    if ((unsigned)p->law >= ASH_FRICTION_LAWS)
        return wrong(&c, "law", (unsigned)p->law, "a friction law");
    if ((unsigned)p->restitution_law >= ASH_RESTITUTION_LAWS)
        return wrong(&c, "restitution_law", (unsigned)p->restitution_law, "a law of restitution");
    if (!(p->stick_speed >= 0) || !isfinite(p->stick_speed))
        return wrong(&c, "stick_speed", p->stick_speed, "a finite number of at least 0");
    uint32_t n = p->directions;
    if (p->law == ASH_FRICTION_PYRAMID && (n < 4 || n > ASHI_LAW_CORNERS || n % 2 != 0))
        return wrong(&c, "directions", n, "an even number of directions, 4 to 32");
    if (p->fixed_count > p->body_count)
        return wrong(&c, "fixed_count", p->fixed_count, "no more immovable bodies than bodies");
    if (p->body_count > 0 && (p->bodies == NULL || p->velocity == NULL || p->shift == NULL))
        return wrong(&c, "body_count", p->body_count, "memory for the bodies and their motions");
    if (p->block_count > 0 && p->blocks == NULL)
        return wrong(&c, "block_count", p->block_count, "memory for the blocks");
    if (p->row_count > 0 && p->rows == NULL)
        return wrong(&c, "row_count", p->row_count, "memory for the rows");
    if (p->island_count > 0 && p->islands == NULL)
        return wrong(&c, "island_count", p->island_count, "memory for the islands");
    return true;
}

/* ---- bodies ---- */

/* No principal minor is negative; those of 2 x 2 and 3 x 3 may be so by rounding. */
bool ashi_sym3_is_semidefinite(ash_sym3 a)
{
    double largest = fmax(a.xx, fmax(a.yy, a.zz)), slack = 1e-9 * largest * largest;
    return a.xx >= 0 && a.yy >= 0 && a.zz >= 0 && a.xx * a.yy - a.xy * a.xy >= -slack &&
           a.xx * a.zz - a.xz * a.xz >= -slack && a.yy * a.zz - a.yz * a.yz >= -slack &&
           s3_determinant(a) >= -slack * largest;
}

static bool check_body(const checking *c, const ash_problem_body *body)
{
    if (!check_not_negative(c, "inverse_mass", body->inverse_mass.x) ||
        !check_not_negative(c, "inverse_mass", body->inverse_mass.y) ||
        !check_not_negative(c, "inverse_mass", body->inverse_mass.z))
        return false;
    const ash_sym3 *i = &body->inverse_inertia;
    const double entries[6] = {i->xx, i->yy, i->zz, i->xy, i->xz, i->yz};
    for (uint32_t k = 0; k < 6; k++)
        if (!check_finite(c, "inverse_inertia", entries[k]))
            return false;
    if (!ashi_sym3_is_semidefinite(*i))
        return wrong(c, "inverse_inertia", s3_determinant(*i), "a matrix without negative eigenvalues");
    if (ashi_body_is_fixed(body) != (c->number < c->problem->fixed_count))
        return wrong(c, "inverse_mass", body->inverse_mass.x, "immovable bodies before all others, and only those");
    return check_vector(c, "velocity", body->velocity) && check_vector(c, "spin", body->spin) &&
           check_vector(c, "start_velocity", body->start_velocity) && check_vector(c, "start_spin", body->start_spin);
}

/* ---- blocks ---- */

static bool check_contact(const checking *c, const ash_problem_block *block)
{
    if (block->tangents > 2)
        return wrong(c, "tangents", block->tangents, "0 to 2");
    if (block->rollings > 2)
        return wrong(c, "rollings", block->rollings, "0 to 2");
    if (block->spins > 1)
        return wrong(c, "spins", block->spins, "0 or 1");
    if (block->row_count != 1u + block->tangents + block->rollings + block->spins)
        return wrong(c, "row_count", block->row_count, "one normal row and those of tangents, rollings and spins");
    if (!check_not_negative(c, "friction", block->friction) ||
        !check_not_negative(c, "sliding_friction", block->sliding_friction) ||
        !check_not_negative(c, "rolling", block->rolling) || !check_not_negative(c, "spinning", block->spinning) ||
        !check_finite(c, "friction_limit", block->friction_limit) || !check_not_negative(c, "rebound", block->rebound))
        return false;
    if (block->sliding_friction > block->friction)
        return wrong(c, "sliding_friction", block->sliding_friction, "at most the static coefficient");
    return true;
}

static bool check_block(const checking *c, const ash_problem_block *block, uint32_t next_row)
{
    const ash_problem *p = c->problem;
    if ((unsigned)block->kind >= ASH_BLOCK_KINDS)
        return wrong(c, "kind", (unsigned)block->kind, "a contact or plain rows");
    if (block->body_a >= p->body_count)
        return wrong(c, "body_a", block->body_a, "the number of a body");
    if (block->body_b >= p->body_count)
        return wrong(c, "body_b", block->body_b, "the number of a body");
    if (block->body_a == block->body_b && block->body_a >= p->fixed_count)
        return wrong(c, "body_b", block->body_b, "another body than body_a");
    if (block->row_count == 0 || block->row_count > ASHI_CONTACT_ROWS)
        return wrong(c, "row_count", block->row_count, "1 to 6 rows");
    if (block->first_row != next_row || block->row_count > p->row_count - next_row)
        return wrong(c, "first_row", block->first_row, "rows that follow those of the block before");
    return block->kind != ASH_BLOCK_CONTACT || check_contact(c, block);
}

/* ---- rows ---- */

static bool check_row(const checking *c, const ash_problem_row *row, bool normal)
{
    if (!check_vector(c, "linear_a", row->linear_a) || !check_vector(c, "angular_a", row->angular_a) ||
        !check_vector(c, "linear_b", row->linear_b) || !check_vector(c, "angular_b", row->angular_b) ||
        !check_finite(c, "bias", row->bias) || !check_not_negative(c, "softness", row->softness) ||
        !check_finite(c, "error", row->error) || !check_finite(c, "drift", row->drift) ||
        !check_finite(c, "impulse", row->impulse))
        return false;
    if (!(row->lower < HUGE_VAL))
        return wrong(c, "lower", row->lower, "a bound below infinity");
    if (!(row->upper > -HUGE_VAL))
        return wrong(c, "upper", row->upper, "a bound above minus infinity");
    if (row->lower > row->upper)
        return wrong(c, "upper", row->upper, "at least the lower bound");
    if (normal && row->lower != 0)
        return wrong(c, "lower", row->lower, "0: a contact's normal impulse pushes");
    if (normal && row->upper < HUGE_VAL)
        return wrong(c, "upper", row->upper, "infinity: a contact bears any load");
    return true;
}

/* ---- islands ---- */

static bool check_island_of(const checking *c, const ash_problem_island *island, uint32_t body)
{
    return body < c->problem->fixed_count || body - island->first_body < island->body_count ||
           wrong(c, "first_block", body, "blocks between the island's own and immovable bodies");
}

static bool check_islands(const ash_problem *p, ash_diagnostic *diagnostic)
{
    uint32_t body = p->fixed_count, block = p->island_count > 0 ? p->islands[0].first_block : p->block_count;
    checking c = {p, diagnostic, "blocks", 0};
    if (block > p->block_count) {
        c.section = "islands";
        return wrong(&c, "first_block", block, "the number of a block");
    }
    for (c.number = 0; c.number < block; c.number++)
        if (p->blocks[c.number].body_a >= p->fixed_count || p->blocks[c.number].body_b >= p->fixed_count)
            return wrong(&c, "body_a", p->blocks[c.number].body_a, "a block of an island, or between immovable bodies");
    c.section = "islands";
    for (c.number = 0; c.number < p->island_count; c.number++) {
        const ash_problem_island *island = &p->islands[c.number];
        if (island->first_body != body || island->body_count == 0 || island->body_count > p->body_count - body)
            return wrong(&c, "first_body", island->first_body, "bodies that follow those of the island before");
        if (island->first_block != block || island->block_count > p->block_count - block)
            return wrong(&c, "first_block", island->first_block, "blocks that follow those of the island before");
        for (uint32_t k = block; k < block + island->block_count; k++)
            if (!check_island_of(&c, island, p->blocks[k].body_a) || !check_island_of(&c, island, p->blocks[k].body_b))
                return false;
        body += island->body_count;
        block += island->block_count;
    }
    c.section = "";
    return (body == p->body_count || wrong(&c, "body_count", p->body_count, "every movable body in an island")) &&
           (block == p->block_count || wrong(&c, "block_count", p->block_count, "every block in an island"));
}

bool ashi_problem_is_valid(const ash_problem *p, ash_diagnostic *diagnostic)
{
    if (!check_frame(p, diagnostic))
        return false;
    checking c = {p, diagnostic, "bodies", 0};
    for (c.number = 0; c.number < p->body_count; c.number++)
        if (!check_body(&c, &p->bodies[c.number]))
            return false;
    uint32_t row = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        c = (checking){p, diagnostic, "blocks", k};
        if (!check_block(&c, block, row))
            return false;
        c.section = "rows";
        for (uint32_t i = 0; i < block->row_count; i++, row++) {
            c.number = row;
            if (!check_row(&c, &p->rows[row], i == 0 && block->kind == ASH_BLOCK_CONTACT))
                return false;
        }
    }
    c.section = "";
    if (row != p->row_count)
        return wrong(&c, "row_count", p->row_count, "every row in a block");
    return check_islands(p, diagnostic);
}
