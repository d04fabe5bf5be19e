/* The yardstick (docs/yardstick.md): how little the velocities at the blocks must be off for the impulses to be exact.
 *
 * Of every contact, with D the mean diagonal of its block of J M^-1 J^T (softness included) and rho = 1/D, rolling and
 * spinning rows with a D of their own:
 *   u^ = u + s(u) n,   lambda' = P_K(lambda - rho u^),   u^' = u^ - (lambda - lambda') / rho,   u' = u^' - s(u^') n.
 * (lambda', u') obeys the law exactly. The error is |u' - u(lambda')| with u(lambda') from all blocks' lambda', and
 * at least |u' - u(lambda)|: without the latter, impulses that are far off pass when their lambda' happens to be exact,
 * as that of a falling box and no impulses is. Plain rows do the same on their interval; an equality keeps its impulse
 * and has u' = 0.
 *
 * Errors of angular rows, rad/s, count with the radius of gyration of the block's bodies, so that a problem means the
 * same in any unit of length. What no impulse can move (D = 0) is not judged. */
#include "problem/yardstick.h"

#include <math.h>

#define AT_THE_BOUND 1e-9 /* of the bound: friction this near to it may as well hold */

typedef struct measuring {
    const ash_problem *problem;
    const ashi_law *law;
    ash_problem_island island;
    ash_motion *change; /* of the island's bodies, by lambda' - lambda */
} measuring;

/* A block as its rows see it. */
typedef struct view {
    uint32_t count;
    bool slides;                                                 /* by its smaller coefficient */
    bool judged[ASHI_CONTACT_ROWS];                              /* an impulse moves it */
    double impulse[ASHI_CONTACT_ROWS], speed[ASHI_CONTACT_ROWS]; /* lambda, u */
    double response[ASHI_CONTACT_ROWS];                          /* D of the row's group */
    double exact[ASHI_CONTACT_ROWS];                             /* lambda' */
    double goal[ASHI_CONTACT_ROWS];                              /* u' */
} view;

/* ---- contacts ---- */

static void share_response(view *v, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += v->response[i];
    for (uint32_t i = first; i < first + count; i++)
        v->response[i] = sum / count;
}

/* Rows that no impulse moves count as if they were not there. */
static void drop_dead_rows(view *v, uint32_t first)
{
    for (uint32_t i = first; i < v->count; i++)
        if (!(v->response[i] > 0)) {
            v->judged[i] = false;
            v->impulse[i] = v->speed[i] = 0;
            v->response[i] = v->response[0] > 0 ? v->response[0] : 1;
        }
}

/* What a projection did. */
typedef struct projection {
    double distance; /* |lambda' - lambda|^2 in its metric */
    bool sticks;     /* the tangents were not at their bound */
} projection;

/* lambda' and u' by one coefficient of friction. */
static projection project_contact(const ashi_law *law, const ash_problem_block *block, view *v)
{
    double weight[ASHI_CONTACT_ROWS], start[ASHI_CONTACT_ROWS], *exact = v->exact;
    double slip = ashi_law_slip(law, block, v->speed);
    projection result = {0, true};
    for (uint32_t i = 0; i < v->count; i++) {
        weight[i] = 1 / v->response[i];
        start[i] = exact[i] = v->impulse[i] - weight[i] * (v->speed[i] + (i == 0 ? slip : 0));
    }
    ashi_law_project(law, block, weight, exact);
    for (uint32_t i = 0; i < v->count; i++) {
        double change = exact[i] - v->impulse[i];
        v->goal[i] = v->speed[i] + (i == 0 ? slip : 0) + v->response[i] * change;
        result.distance += v->response[i] * change * change;
        if (i > 0 && i <= block->tangents && fabs(exact[i] - start[i]) > AT_THE_BOUND * block->friction * exact[0])
            result.sticks = false;
    }
    v->goal[0] -= ashi_law_slip(law, block, v->goal);
    return result;
}

/* Static friction holds, or sliding friction acts: whichever is nearer to the impulses given. */
static void project_two_coefficients(const ashi_law *law, const ash_problem_block *block, view *v)
{
    ash_problem_block sliding = *block;
    sliding.friction = block->sliding_friction;
    view held = *v;
    projection hold = project_contact(law, block, &held);
    projection slide = project_contact(law, &sliding, v);
    if (hold.sticks && hold.distance < slide.distance)
        *v = held;
    else
        v->slides = true;
}

static void judge_contact(const ashi_law *law, const ash_problem_block *block, view *v)
{
    ash_problem_block seen = *block;
    share_response(v, 0, 1u + block->tangents);
    if (block->rollings > 0)
        share_response(v, 1u + block->tangents, block->rollings);
    drop_dead_rows(v, 1u + block->tangents);
    if (!(v->response[0] > 0)) { /* the normal impulse is whatever it is, and friction is bound by it */
        seen.friction_limit = v->impulse[0] > 0 ? v->impulse[0] : 0;
        for (uint32_t i = 0; i <= block->tangents; i++) {
            v->judged[i] = false;
            v->impulse[i] = v->speed[i] = 0;
            v->response[i] = 1;
        }
    }
    if (block->tangents > 0 && block->sliding_friction < block->friction)
        project_two_coefficients(law, &seen, v);
    else
        project_contact(law, &seen, v);
}

/* ---- plain rows ---- */

static void judge_row(const ash_problem_row *row, view *v, uint32_t i)
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

static bool is_angular(const ash_problem_row *row)
{
    const ash_vec3 *a = &row->linear_a, *b = &row->linear_b;
    return a->x == 0 && a->y == 0 && a->z == 0 && b->x == 0 && b->y == 0 && b->z == 0;
}

static void add_positive(double value, double *sum, uint32_t *count)
{
    if (value > 0) {
        *sum += value;
        ++*count;
    }
}

/* The radius of gyration of both bodies together; 1 m where none of them can move or none can turn. */
static double length_of(const ash_problem *p, const ash_problem_block *block)
{
    double mass = 0, inertia = 0;
    uint32_t masses = 0, inertias = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const ash_problem_body *body = &p->bodies[k == 0 ? block->body_a : block->body_b];
        add_positive(body->inverse_mass.x, &mass, &masses);
        add_positive(body->inverse_mass.y, &mass, &masses);
        add_positive(body->inverse_mass.z, &mass, &masses);
        add_positive(body->inverse_inertia.xx, &inertia, &inertias);
        add_positive(body->inverse_inertia.yy, &inertia, &inertias);
        add_positive(body->inverse_inertia.zz, &inertia, &inertias);
    }
    return masses > 0 && inertias > 0 ? sqrt(mass / masses / (inertia / inertias)) : 1;
}

static view look_at(const measuring *m, const ash_problem_block *block)
{
    const ash_problem *p = m->problem;
    view v = {.count = block->row_count};
    for (uint32_t i = 0; i < v.count; i++) {
        const ash_problem_row *row = &p->rows[block->first_row + i];
        v.judged[i] = true;
        v.impulse[i] = row->impulse;
        v.speed[i] = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]) + row->bias +
                     row->softness * row->impulse;
        v.response[i] = ashi_row_response(p, block, row, row) + row->softness;
    }
    return v;
}

/* Fills lambda' and u'; false when no impulse moves the block. */
static bool judge_block(const measuring *m, const ash_problem_block *block, view *v)
{
    *v = look_at(m, block);
    bool movable = false;
    for (uint32_t i = 0; i < v->count; i++)
        movable = movable || v->response[i] > 0;
    if (!movable)
        return false;
    if (block->kind == ASH_BLOCK_CONTACT) {
        judge_contact(m->law, block, v);
        return true;
    }
    for (uint32_t i = 0; i < v->count; i++)
        judge_row(&m->problem->rows[block->first_row + i], v, i);
    return true;
}

static ash_motion *change_of(const measuring *m, uint32_t body)
{
    uint32_t place = body - m->island.first_body;
    return place < m->island.body_count ? &m->change[place] : NULL;
}

static double change_of_speed(ash_vec3 linear, ash_vec3 angular, const ash_motion *change)
{
    return change == NULL ? 0 : v3_dot(linear, change->linear) + v3_dot(angular, change->angular);
}

static void push_half(const measuring *m, uint32_t body, ash_vec3 linear, ash_vec3 angular, double impulse)
{
    ash_motion *change = change_of(m, body);
    if (change != NULL)
        ashi_body_push(&m->problem->bodies[body], change, linear, angular, impulse);
}

static void apply_change(const measuring *m, const ash_problem_block *block, const view *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const ash_problem_row *row = &m->problem->rows[block->first_row + i];
        double impulse = v->exact[i] - v->impulse[i];
        if (impulse == 0)
            continue;
        push_half(m, block->body_a, row->linear_a, row->angular_a, impulse);
        push_half(m, block->body_b, row->linear_b, row->angular_b, impulse);
    }
}

/* The largest of what rows of one kind are off by, m/s. */
static void count_error(double error, double *largest)
{
    if (!(error <= *largest))
        *largest = error;
}

/* |u' - u(lambda')| or |u' - u(lambda)| of a block, whichever is larger: of the linear rows of a contact together, of
 * other rows one by one. */
static double error_of(const measuring *m, const ash_problem_block *block, const view *v)
{
    const ash_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    double largest = 0, now = 0, then = 0, length = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        const ash_problem_row *row = &m->problem->rows[block->first_row + i];
        if (!v->judged[i])
            continue;
        double off = v->goal[i] - v->speed[i];
        double moved = change_of_speed(row->linear_a, row->angular_a, a) +
                       change_of_speed(row->linear_b, row->angular_b, b) +
                       row->softness * (v->exact[i] - v->impulse[i]);
        if (block->kind == ASH_BLOCK_CONTACT && !is_angular(row)) {
            now += off * off;
            then += (off - moved) * (off - moved);
            continue;
        }
        if (is_angular(row) && length == 0)
            length = length_of(m->problem, block);
        double scale = is_angular(row) ? length : 1;
        count_error(scale * fabs(off), &largest);
        count_error(scale * fabs(off - moved), &largest);
    }
    count_error(sqrt(now), &largest);
    count_error(sqrt(then), &largest);
    return largest;
}

/* ---- Erleben's merit function ---- */

/* H of (37) is lambda - P(lambda - w), P being the clamp between the bounds: friction's follow the normal impulse. */
static double merit_of(const ashi_law *law, const ash_problem *p, const ash_problem_block *block, const view *v)
{
    double target[ASHI_CONTACT_ROWS], sum = 0;
    const ash_problem_row *row = &p->rows[block->first_row];
    for (uint32_t i = 0; i < v->count; i++)
        target[i] = row[i].impulse - v->speed[i];
    if (block->kind == ASH_BLOCK_CONTACT) {
        double bound = block->friction_limit >= 0 ? block->friction_limit : row[0].impulse > 0 ? row[0].impulse : 0;
        target[0] = target[0] > 0 ? target[0] : 0;
        ash_problem_block seen = *block;
        seen.friction = v->slides ? block->sliding_friction : block->friction;
        ashi_law_clamp(law, &seen, bound, target + 1);
    } else {
        for (uint32_t i = 0; i < v->count; i++)
            target[i] = target[i] < row[i].lower ? row[i].lower : target[i] > row[i].upper ? row[i].upper : target[i];
    }
    for (uint32_t i = 0; i < v->count; i++) {
        double h = v->judged[i] ? row[i].impulse - target[i] : 0;
        sum += h * h;
    }
    return sum / 2;
}

/* ---- all blocks ---- */

void ashi_yardstick_measure(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law,
                            ash_motion *work, bool with_theta, ash_yardstick *yardstick)
{
    measuring m = {problem, law, {0, problem->body_count, 0, problem->block_count}, work};
    if (island != NULL)
        m.island = *island;
    *yardstick = (ash_yardstick){.worst_block = UINT32_MAX};
    uint32_t end = m.island.first_block + m.island.block_count, judged = 0;
    view v;
    for (uint32_t i = 0; i < m.island.body_count; i++)
        work[i] = (ash_motion){0};
    for (uint32_t k = m.island.first_block; k < end; k++)
        if (judge_block(&m, &problem->blocks[k], &v))
            apply_change(&m, &problem->blocks[k], &v);
    double sum = 0;
    for (uint32_t k = m.island.first_block; k < end; k++) {
        const ash_problem_block *block = &problem->blocks[k];
        if (!judge_block(&m, block, &v))
            continue;
        double error = error_of(&m, block, &v);
        if (!(error <= yardstick->largest) || judged == 0) {
            yardstick->largest = error >= 0 ? error : HUGE_VAL; /* what is not a number is infinitely wrong */
            yardstick->worst_block = k;
        }
        sum += error;
        judged++;
        if (with_theta)
            yardstick->theta += merit_of(law, problem, block, &v);
    }
    yardstick->mean = judged == 0 ? 0 : sum >= 0 ? sum / judged : HUGE_VAL;
}
