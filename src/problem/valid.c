/* Checks a problem from outside: every count, index and number, in the order of the structures. The diagnostic names
 * the first fault by its place, as in the file ("/blocks/3/friction"), its value and what was expected. */
#include "problem/valid.h"

#include "base/diagnostic.h"
#include "problem/law.h"

#include <math.h>
#include <stdio.h>

/* The present place of the check. */
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
    if (!(p->resting_speed >= 0) || !isfinite(p->resting_speed))
        return wrong(&c, "resting_speed", p->resting_speed, "a finite number of at least 0");
    if (!(p->stick_speed >= 0) || !isfinite(p->stick_speed))
        return wrong(&c, "stick_speed", p->stick_speed, "a finite number of at least 0");
    uint32_t n = p->directions;
    if (p->law == ASH_FRICTION_PYRAMID && (n < 4 || n > ASHI_LAW_CORNERS || n % 2 != 0))
        return wrong(&c, "directions", n, "an even number of directions, 4 to 32");
    if (p->fixed_count > p->body_count)
        return wrong(&c, "fixed_count", p->fixed_count, "no more immovable bodies than bodies");
    if (p->body_count > 0 && (p->bodies == NULL || p->velocity == NULL))
        return wrong(&c, "body_count", p->body_count, "memory for the bodies and their motions");
    if (p->block_count > 0 && p->blocks == NULL)
        return wrong(&c, "block_count", p->block_count, "memory for the blocks");
    if (p->contact_count > 0 && p->contacts == NULL)
        return wrong(&c, "contact_count", p->contact_count, "memory for the contacts");
    if (p->point_count > 0 && p->points == NULL)
        return wrong(&c, "point_count", p->point_count, "memory for the points");
    if (p->turn_count > 0 && p->turns == NULL)
        return wrong(&c, "turn_count", p->turn_count, "memory for the turns");
    if (p->row_count > 0 && p->rows == NULL)
        return wrong(&c, "row_count", p->row_count, "memory for the rows");
    if (p->island_count > 0 && p->islands == NULL)
        return wrong(&c, "island_count", p->island_count, "memory for the islands");
    return true;
}

/* ---- bodies ---- */

/* No principal minor is negative; those of 2 x 2 and 3 x 3 may be slightly negative due to rounding. */
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

/* ---- contacts ---- */

#define TO_ROUNDING 1e-9

static bool is_frame(const ash_problem_contact *contact)
{
    const ash_vec3 n = contact->normal, t = contact->tangent[0], s = contact->tangent[1];
    return fabs(v3_norm(n) - 1) <= TO_ROUNDING && fabs(v3_norm(t) - 1) <= TO_ROUNDING &&
           fabs(v3_dot(n, t)) <= TO_ROUNDING && v3_norm(v3_sub(s, v3_cross(n, t))) <= TO_ROUNDING;
}

static bool check_contact(const checking *c, const ash_problem_contact *contact, uint32_t point, uint32_t turn)
{
    const ash_problem *p = c->problem;
    bool turns = contact->rollings > 0 || contact->spins > 0;
    if (contact->body_a >= p->body_count)
        return wrong(c, "body_a", contact->body_a, "the number of a body");
    if (contact->body_b >= p->body_count)
        return wrong(c, "body_b", contact->body_b, "the number of a body");
    if (contact->body_a == contact->body_b && contact->body_a >= p->fixed_count)
        return wrong(c, "body_b", contact->body_b, "another body than body_a");
    if (contact->first_point != point)
        return wrong(c, "first_point", contact->first_point, "points that follow those of the contact before");
    if (contact->point_count == 0 || contact->point_count > p->point_count - point)
        return wrong(c, "point_count", contact->point_count, "at least one point, and no more than there are");
    if (turns && (contact->first_turn != turn || contact->point_count > p->turn_count - turn))
        return wrong(c, "first_turn", contact->first_turn, "turns that follow those of the contact before");
    if (contact->tangents > 2)
        return wrong(c, "tangents", contact->tangents, "0 to 2");
    if (contact->rollings > 2)
        return wrong(c, "rollings", contact->rollings, "0 to 2");
    if (contact->spins > 1)
        return wrong(c, "spins", contact->spins, "0 or 1");
    if (!check_vector(c, "normal", contact->normal) || !check_vector(c, "tangent", contact->tangent[0]) ||
        !check_vector(c, "tangent", contact->tangent[1]))
        return false;
    if (!is_frame(contact))
        return wrong(c, "tangent", contact->tangent[0].x, "unit vectors, right-handed with the normal");
    return check_finite(c, "slide", contact->slide[0]) && check_finite(c, "slide", contact->slide[1]) &&
           check_not_negative(c, "sliding_friction", contact->sliding_friction) &&
           check_not_negative(c, "rolling", contact->rolling) && check_not_negative(c, "spinning", contact->spinning) &&
           check_not_negative(c, "restitution", contact->restitution);
}

static bool check_point(const checking *c, const ash_problem_contact *contact, const ash_problem_point *point)
{
    if (!check_vector(c, "arm_a", point->arm_a) || !check_vector(c, "arm_b", point->arm_b) ||
        !check_vector(c, "impulse", point->impulse) || !check_finite(c, "gap", point->gap) ||
        !check_finite(c, "bias", point->bias) || !check_not_negative(c, "softness", point->softness) ||
        !check_not_negative(c, "rebound", point->rebound) || !check_not_negative(c, "friction", point->friction) ||
        !check_finite(c, "friction_limit", point->friction_limit))
        return false;
    if (contact->sliding_friction > point->friction)
        return wrong(c, "friction", point->friction, "at least the contact's sliding_friction");
    return true;
}

static bool check_contacts(const ash_problem *p, ash_diagnostic *diagnostic)
{
    uint32_t next = 0, turn = 0;
    for (uint32_t i = 0; i < p->contact_count; i++) {
        const ash_problem_contact *contact = &p->contacts[i];
        checking c = {p, diagnostic, "contacts", i};
        if (!check_contact(&c, contact, next, turn))
            return false;
        c.section = "points";
        for (uint32_t end = next + contact->point_count; next < end; next++) {
            c.number = next;
            if (!check_point(&c, contact, &p->points[next]))
                return false;
        }
        c.section = "turns";
        bool turns = contact->rollings > 0 || contact->spins > 0;
        for (uint32_t k = 0; turns && k < contact->point_count; k++, turn++) {
            c.number = turn;
            if (!check_vector(&c, "impulse", p->turns[turn]))
                return false;
        }
    }
    checking c = {p, diagnostic, "", 0};
    return (next == p->point_count || wrong(&c, "point_count", p->point_count, "every point in a contact")) &&
           (turn == p->turn_count || wrong(&c, "turn_count", p->turn_count, "every turn of a contact"));
}

/* ---- blocks ---- */

static bool check_block(const checking *c, const ash_problem_block *block, uint32_t next_row)
{
    const ash_problem *p = c->problem;
    if (block->body_a >= p->body_count)
        return wrong(c, "body_a", block->body_a, "the number of a body");
    if (block->body_b >= p->body_count)
        return wrong(c, "body_b", block->body_b, "the number of a body");
    if (block->body_a == block->body_b && block->body_a >= p->fixed_count)
        return wrong(c, "body_b", block->body_b, "another body than body_a");
    if (block->row_count == 0 || block->row_count > ASH_POINT_ROWS)
        return wrong(c, "row_count", block->row_count, "1 to 6 rows");
    if (block->first_row != next_row || block->row_count > p->row_count - next_row)
        return wrong(c, "first_row", block->first_row, "rows that follow those of the block before");
    return true;
}

/* ---- rows ---- */

static bool check_row(const checking *c, const ash_problem_row *row)
{
    if (!check_vector(c, "linear_a", row->linear_a) || !check_vector(c, "angular_a", row->angular_a) ||
        !check_vector(c, "linear_b", row->linear_b) || !check_vector(c, "angular_b", row->angular_b) ||
        !check_finite(c, "bias", row->bias) || !check_not_negative(c, "softness", row->softness) ||
        !check_finite(c, "error", row->error) || !check_finite(c, "impulse", row->impulse))
        return false;
    if (!(row->lower < HUGE_VAL))
        return wrong(c, "lower", row->lower, "a bound below infinity");
    if (!(row->upper > -HUGE_VAL))
        return wrong(c, "upper", row->upper, "a bound above minus infinity");
    if (row->lower > row->upper)
        return wrong(c, "upper", row->upper, "at least the lower bound");
    return true;
}

/* ---- islands ---- */

static bool check_island_of(const checking *c, const ash_problem_island *island, uint32_t body)
{
    return body < c->problem->fixed_count || body - island->first_body < island->body_count ||
           wrong(c, "first_block", body, "blocks between the island's own and immovable bodies");
}

/* Checks the contacts of an island, which follow those of the previous one. */
static bool check_contacts_of(const checking *c, const ash_problem_island *island, uint32_t *contact, uint32_t *point)
{
    const ash_problem *p = c->problem;
    if (island->first_contact != *contact || island->contact_count > p->contact_count - *contact)
        return wrong(c, "first_contact", island->first_contact, "contacts that follow those of the island before");
    if (island->first_point != *point || island->point_count > p->point_count - *point)
        return wrong(c, "first_point", island->first_point, "points that follow those of the island before");
    uint32_t end = *point + island->point_count;
    for (uint32_t i = 0; i < island->contact_count; i++, ++*contact) {
        const ash_problem_contact *of = &p->contacts[*contact];
        *point += of->point_count;
        if (!check_island_of(c, island, of->body_a) || !check_island_of(c, island, of->body_b))
            return false;
    }
    return *point == end || wrong(c, "point_count", island->point_count, "the points of its contacts");
}

/* Blocks and contacts without an island are between immovable bodies, and come first. */
static bool check_loose(const ash_problem *p, uint32_t blocks, uint32_t contacts, ash_diagnostic *diagnostic)
{
    checking c = {p, diagnostic, "islands", 0};
    if (blocks > p->block_count)
        return wrong(&c, "first_block", blocks, "the number of a block");
    if (contacts > p->contact_count)
        return wrong(&c, "first_contact", contacts, "the number of a contact");
    for (c.section = "blocks"; c.number < blocks; c.number++)
        if (p->blocks[c.number].body_a >= p->fixed_count || p->blocks[c.number].body_b >= p->fixed_count)
            return wrong(&c, "body_a", p->blocks[c.number].body_a, "a block of an island, or between immovable bodies");
    c.number = 0;
    for (c.section = "contacts"; c.number < contacts; c.number++)
        if (p->contacts[c.number].body_a >= p->fixed_count || p->contacts[c.number].body_b >= p->fixed_count)
            return wrong(&c, "body_a", p->contacts[c.number].body_a,
                         "a contact of an island, or between immovable bodies");
    return true;
}

static bool check_islands(const ash_problem *p, ash_diagnostic *diagnostic)
{
    bool any = p->island_count > 0;
    uint32_t body = p->fixed_count, block = any ? p->islands[0].first_block : p->block_count;
    uint32_t contact = any ? p->islands[0].first_contact : p->contact_count, point = 0;
    if (!check_loose(p, block, contact, diagnostic))
        return false;
    for (uint32_t i = 0; i < contact; i++)
        point += p->contacts[i].point_count;
    checking c = {p, diagnostic, "islands", 0};
    for (c.number = 0; c.number < p->island_count; c.number++) {
        const ash_problem_island *island = &p->islands[c.number];
        if (island->first_body != body || island->body_count == 0 || island->body_count > p->body_count - body)
            return wrong(&c, "first_body", island->first_body, "bodies that follow those of the island before");
        if (island->first_block != block || island->block_count > p->block_count - block)
            return wrong(&c, "first_block", island->first_block, "blocks that follow those of the island before");
        for (uint32_t k = block; k < block + island->block_count; k++)
            if (!check_island_of(&c, island, p->blocks[k].body_a) || !check_island_of(&c, island, p->blocks[k].body_b))
                return false;
        if (!check_contacts_of(&c, island, &contact, &point))
            return false;
        body += island->body_count;
        block += island->block_count;
    }
    c.section = "";
    return (body == p->body_count || wrong(&c, "body_count", p->body_count, "every movable body in an island")) &&
           (block == p->block_count || wrong(&c, "block_count", p->block_count, "every block in an island")) &&
           (contact == p->contact_count || wrong(&c, "contact_count", p->contact_count, "every contact in an island"));
}

bool ashi_problem_is_valid(const ash_problem *p, ash_diagnostic *diagnostic)
{
    if (!check_frame(p, diagnostic))
        return false;
    checking c = {p, diagnostic, "bodies", 0};
    for (c.number = 0; c.number < p->body_count; c.number++)
        if (!check_body(&c, &p->bodies[c.number]))
            return false;
    if (!check_contacts(p, diagnostic))
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
            if (!check_row(&c, &p->rows[row]))
                return false;
        }
    }
    c.section = "";
    if (row != p->row_count)
        return wrong(&c, "row_count", p->row_count, "every row in a block");
    return check_islands(p, diagnostic);
}
