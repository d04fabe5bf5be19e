/* Penalty contact: no solve, but springs and dampers, taken at the start of the step (de Jong 2014, 3-3-1).
 *
 * With depth d = -gap and its rate d' from the velocities before the step's forces, the normal force is
 *
 *   stiffness d + dissipation d'             or, after Hertz with Hunt and Crossley's damping (1975),
 *   stiffness d^(3/2) (1 + dissipation d'),
 *
 * never below zero; the impulse is the force times the step. Friction points against the slip, grows linearly up to the
 * slip speed and is mu N beyond it, with the sliding coefficient beyond the stick speed; the law's clamp bounds it.
 * Rolling and spinning resistance do the same with rad/s for m/s. Plain rows that hold a position are springs and
 * dampers on their error, no stiffer than the step allows; others are treated one by one, implicitly; all within their
 * bounds. If n blocks of such rows act on a body, each gets 1/n of its mass, and for the rows of a block the sum of
 * their mutual responses counts: the diagonal of these sums is at least J M^-1 J^T as a whole, so that rows in similar
 * directions do not push too much together.
 *
 * Friction and similar rows come last, contact by contact, with the velocities after forces, normals and earlier
 * contacts, and at most stop a slip: so each removes energy, whatever mu, N and the step. (If all acted on the
 * velocities at the start, a slip would be reversed to more than its size if mu N h > 2 m |u|.)
 *
 * The normal force is explicit: stable for steps below about 2 sqrt(m / stiffness). It returns exactly the impulses it
 * defines, so it always counts as converged; the yardstick shows the deviation from rigid contact. */
#include "solve/solve.h"

#define STIFFEST 1 /* of the stiffness that would move a row by its whole error, or stop it, in one step */

static double normal_force(const ash_solver_settings *s, double depth, double rate)
{
    if (!(depth > 0))
        return 0;
    double force = s->hertz ? s->stiffness * depth * sqrt(depth) * (1 + s->dissipation * rate)
                            : s->stiffness * depth + s->dissipation * rate;
    return force > 0 ? force : 0;
}

/* Some rows of a contact that resist together: one or two. */
typedef struct resistance {
    uint32_t first, count;
    double held_bound, bound; /* of the impulse, up to the stick speed and beyond */
} resistance;

/* The largest speed that an impulse of 1 along any of the rows makes along it. */
static double largest_response(const ashi_system *p, const ashi_block *block, const ashi_row *rows, uint32_t count)
{
    double first = ashi_row_response(p, block, &rows[0], &rows[0]);
    if (count == 1)
        return first;
    double second = ashi_row_response(p, block, &rows[1], &rows[1]);
    double half = (first - second) / 2, both = ashi_row_response(p, block, &rows[0], &rows[1]);
    return (first + second) / 2 + sqrt(half * half + both * both);
}

static ash_motion start_of(const ash_problem_body *body)
{
    return (ash_motion){body->start_velocity, body->start_spin};
}

/* Acts against the present slip. Whether a contact slides is decided by the slip before the step, since the slip added
 * by forces grows with the step. The speed of a moving surface is in the bias. */
static void resist(const ashi_solve *solve, const ashi_block *block, const resistance *r, double *impulse)
{
    if (r->count == 0)
        return;
    const ashi_system *p = solve->problem;
    const ashi_row *rows = &p->rows[block->first_row + r->first];
    const ash_motion *a = &p->velocity[block->body_a], *b = &p->velocity[block->body_b];
    ash_motion start_a = start_of(&p->bodies[block->body_a]), start_b = start_of(&p->bodies[block->body_b]);
    double speed[2], square = 0, start = 0, slip_speed = solve->settings->slip_speed;
    for (uint32_t i = 0; i < r->count; i++) {
        double before = ashi_row_speed(&rows[i], &start_a, &start_b) + rows[i].bias;
        speed[i] = ashi_row_speed(&rows[i], a, b) + rows[i].bias;
        square += speed[i] * speed[i];
        start += before * before;
    }
    double slip = sqrt(square), response = largest_response(p, block, rows, r->count);
    double bound = sqrt(start) > p->stick_speed ? r->bound : r->held_bound;
    double factor = slip > slip_speed ? bound / slip : slip_speed > 0 ? bound / slip_speed : 0;
    if (factor * response > 1)
        factor = 1 / response;
    for (uint32_t i = 0; i < r->count; i++)
        impulse[r->first + i] = -factor * speed[i];
}

/* One kind after the other, since a body can turn about the point at which it is held. */
static void resist_slip(const ashi_solve *solve, const ashi_block *block, ashi_row *rows)
{
    double impulse[ASHI_CONTACT_ROWS] = {0};
    double bound = block->friction_limit >= 0 ? block->friction_limit : rows[0].impulse;
    uint32_t rolling = 1u + block->tangents, spinning = rolling + block->rollings;
    const resistance all[3] = {
        {1, block->tangents, block->friction * bound, block->sliding_friction * bound},
        {rolling, block->rollings, block->rolling * bound, block->rolling * bound},
        {spinning, block->spins, block->spinning * bound, block->spinning * bound},
    };
    for (int k = 0; k < 3; k++) {
        resist(solve, block, &all[k], impulse);
        ashi_law_clamp(solve->law, block, bound, &impulse[1]);
        for (uint32_t i = all[k].first; i < all[k].first + all[k].count; i++) {
            rows[i].impulse = impulse[i];
            ashi_row_push(solve->problem, block, &rows[i], rows[i].impulse, solve->problem->velocity);
        }
    }
}

/* The blocks of plain rows of each body of the island; null when memory ran out. */
static uint32_t *count_sharers(const ashi_solve *solve)
{
    const ash_problem_island *island = solve->island;
    uint32_t *sharers = ashi_arena_take_array(solve->scratch, island->body_count, sizeof *sharers);
    for (uint32_t i = 0; i < island->body_count && sharers != NULL; i++)
        sharers[i] = 0;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count && sharers != NULL; k++) {
        const ashi_block *block = &solve->problem->blocks[k];
        uint32_t ends[2] = {block->body_a - island->first_body, block->body_b - island->first_body};
        for (int end = 0; end < 2 && block->kind == ASHI_PLAIN_BLOCK; end++)
            if (ends[end] < island->body_count)
                sharers[ends[end]]++;
    }
    return sharers;
}

/* Bodies outside the island cannot move: it does not matter how many share them. */
static double sharers_of(const ashi_solve *solve, const uint32_t *sharers, uint32_t body)
{
    uint32_t place = body - solve->island->first_body;
    return place < solve->island->body_count ? sharers[place] : 0;
}

static double response_of(const ash_problem_body *body, ash_vec3 linear, ash_vec3 angular, ash_vec3 other_linear,
                          ash_vec3 other_angular)
{
    return v3_dot(linear, v3_mul(body->inverse_mass, other_linear)) +
           v3_dot(angular, s3_apply(body->inverse_inertia, other_angular));
}

/* The factor that turns a row's error into a length: an arm for an angle. */
static double arm_of(const ashi_solve *solve, const ashi_row *row)
{
    bool angular = v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
    return angular ? solve->settings->unit_length : 1;
}

/* The largest response of a row's speed to the impulses of its block, with each body's share of mass. */
static double shared_response(const ashi_solve *solve, const ashi_block *block, const ashi_row *row,
                              const uint32_t *sharers)
{
    const ashi_system *p = solve->problem;
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    double share_a = sharers_of(solve, sharers, block->body_a), share_b = sharers_of(solve, sharers, block->body_b);
    double sum = 0;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *other = &p->rows[block->first_row + i];
        sum += arm_of(solve, other) / arm_of(solve, row) *
               fabs(share_a * response_of(a, row->linear_a, row->angular_a, other->linear_a, other->angular_a) +
                    share_b * response_of(b, row->linear_b, row->angular_b, other->linear_b, other->angular_b));
    }
    return sum;
}

/* Rows that hold a position are springs, no stiffer than the step can take. Others, motors, springs and friction of
 * joints, are taken by themselves, implicitly. */
static double plain_impulse(const ashi_solve *solve, const ashi_row *row, double speed, double response)
{
    double h = solve->problem->h;
    bool limit = (row->lower == 0 && isinf(row->upper)) || (row->upper == 0 && isinf(row->lower));
    if (!(response > 0))
        return 0;
    bool bounded = isfinite(row->lower) && isfinite(row->upper);
    bool drives = bounded || (!limit && row->error == 0 && row->bias != 0); /* a motor, or friction */
    if (row->softness > 0 || drives)
        return -(speed + row->bias) / (response + row->softness);
    if ((row->lower == 0 && row->error > 0) || (row->upper == 0 && row->error < 0))
        return 0;
    double arm = arm_of(solve, row), area = arm * arm; /* N m/rad of N/m */
    double stiffness = fmin(solve->settings->stiffness * area, STIFFEST / (h * h * response));
    double dissipation = fmin(solve->settings->dissipation * area, STIFFEST / (h * response));
    return h * (-stiffness * row->error - dissipation * speed);
}

static void push_plain_rows(const ashi_solve *solve, const ashi_block *block, ashi_row *rows, const double *speed,
                            const uint32_t *sharers)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        double response = shared_response(solve, block, &rows[i], sharers);
        double impulse = plain_impulse(solve, &rows[i], speed[i], response);
        impulse = impulse < rows[i].lower ? rows[i].lower : impulse;
        rows[i].impulse = impulse > rows[i].upper ? rows[i].upper : impulse;
    }
}

bool ashi_solve_penalty(ashi_solve *solve)
{
    ashi_system *p = solve->problem;
    const uint32_t *sharers = count_sharers(solve);
    if (sharers == NULL)
        return false;
    uint32_t end = solve->island->first_block + solve->island->block_count;
    for (uint32_t k = solve->island->first_block; k < end; k++) {
        const ashi_block *block = &p->blocks[k];
        ashi_row *rows = &p->rows[block->first_row];
        ash_motion a = start_of(&p->bodies[block->body_a]), b = start_of(&p->bodies[block->body_b]);
        double speed[ASHI_CONTACT_ROWS];
        for (uint32_t i = 0; i < block->row_count; i++)
            speed[i] = ashi_row_speed(&rows[i], &a, &b);
        if (block->kind == ASHI_CONTACT_BLOCK) {
            for (uint32_t i = 1; i < block->row_count; i++)
                rows[i].impulse = 0;
            /* The normal's bias holds what rigid contact wants. */
            rows[0].impulse = p->h * normal_force(solve->settings, -rows[0].error, -speed[0]);
        } else {
            push_plain_rows(solve, block, rows, speed, sharers);
        }
    }
    ashi_system_velocities(p, solve->island);
    for (uint32_t k = solve->island->first_block; k < end; k++)
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            resist_slip(solve, &p->blocks[k], &p->rows[p->blocks[k].first_row]);
    ashi_system_velocities(p, solve->island); /* the same, rounded as everywhere */
    solve->iterations = 1;
    solve->flags |= ASH_SOLVE_CONVERGED;
    return true;
}
