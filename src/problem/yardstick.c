/* The yardstick (docs/yardstick.md): how little the velocities at the blocks must be off for the impulses to be exact.
 *
 * Every block has a pair (lambda', u') that obeys its law exactly (exact_pair.c). The error is |u' - u(lambda')| with
 * u(lambda') from all blocks' lambda', and at least |u' - u(lambda)|: without the latter, impulses that are far off
 * pass when their lambda' happens to be exact, as that of a falling box and no impulses is. One pass over the blocks
 * finds the pairs and what lambda' - lambda changes in the bodies' velocities, a second one compares.
 *
 * Errors of angular rows, rad/s, count with the radius of gyration of the block's bodies, so that a problem means the
 * same in any unit of length. What no impulse can move (D = 0) is not judged. */
#include "problem/yardstick.h"

#include "problem/exact_pair.h"

#include <math.h>

/* What the second pass needs of the first, by row. */
typedef struct kept_row {
    double off;    /* u' - u(lambda) */
    double change; /* lambda' - lambda */
    bool judged;
    bool usual; /* its block is one of the usual contacts, below */
} kept_row;

typedef struct measuring {
    const ash_problem *problem;
    ash_problem_island island;
    uint32_t first_row, row_count; /* of the island's blocks */
    ash_motion *change;            /* of the island's bodies, by lambda' - lambda */
    kept_row *kept;                /* by row of the island */
} measuring;

static measuring measuring_of(const ash_problem *problem, const ash_problem_island *island)
{
    measuring m = {.problem = problem, .island = {0, problem->body_count, 0, problem->block_count}};
    if (island != NULL)
        m.island = *island;
    if (m.island.block_count > 0) {
        const ash_problem_block *first = &problem->blocks[m.island.first_block];
        const ash_problem_block *last = first + m.island.block_count - 1;
        m.first_row = first->first_row;
        m.row_count = last->first_row + last->row_count - first->first_row;
    }
    return m;
}

size_t ashi_yardstick_room(const ash_problem *problem, const ash_problem_island *island)
{
    measuring m = measuring_of(problem, island);
    return (size_t)m.island.body_count * sizeof(ash_motion) + (size_t)m.row_count * sizeof(kept_row);
}

/* ---- the first pass ---- */

static ash_motion *change_of(const measuring *m, uint32_t body)
{
    uint32_t place = body - m->island.first_body; /* wraps around for bodies before the island */
    return place < m->island.body_count ? &m->change[place] : NULL;
}

static void apply_change(const measuring *m, const ash_problem_block *block, const ashi_exact_pair *pair)
{
    ash_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    for (uint32_t i = 0; i < pair->count; i++) {
        const ash_problem_row *row = &m->problem->rows[block->first_row + i];
        double impulse = pair->exact[i] - pair->impulse[i];
        if (impulse == 0)
            continue;
        if (a != NULL)
            ashi_body_push(&m->problem->bodies[block->body_a], a, row->linear_a, row->angular_a, impulse);
        if (b != NULL)
            ashi_body_push(&m->problem->bodies[block->body_b], b, row->linear_b, row->angular_b, impulse);
    }
}

static void keep(const measuring *m, const ash_problem_block *block, const ashi_exact_pair *pair, bool judged)
{
    kept_row *kept = &m->kept[block->first_row - m->first_row];
    for (uint32_t i = 0; i < block->row_count; i++) {
        kept[i] = (kept_row){0};
        if (judged)
            kept[i] =
                (kept_row){pair->goal[i] - pair->speed[i], pair->exact[i] - pair->impulse[i], pair->judged[i], false};
    }
}

/* Erleben's merit function: H of (37) is lambda - P(lambda - w), P being the clamp between the bounds: friction's
 * follow the normal impulse. */
static double merit_of(const ashi_law *law, const ash_problem *p, const ash_problem_block *block,
                       const ashi_exact_pair *v)
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

/* ---- the first pass over usual contacts ---- */

/* Most contacts: a normal and two tangents under one moderate coefficient of a cone, nothing soft. What exact_pair.c
 * does in general is written out for them, each row being read once; a step has time for no more. */
static bool is_usual(const ash_problem *p, const ashi_law *law, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    return law->law == ASH_FRICTION_CONE && block->kind == ASH_BLOCK_CONTACT && block->row_count == 3 &&
           block->tangents == 2 && block->friction <= 1 && block->sliding_friction >= block->friction &&
           block->friction_limit < 0 && row[0].softness == 0 && row[1].softness == 0 && row[2].softness == 0;
}

/* One body's share in the speeds and responses of the rows, and what unit impulses turn it by. */
typedef struct side {
    ash_vec3 linear[3], turn[3];
} side;

static void look_from(const ash_problem *p, const ash_problem_block *block, bool is_b, side *s, double *speed,
                      double *response)
{
    uint32_t number = is_b ? block->body_b : block->body_a;
    const ash_problem_body *body = &p->bodies[number];
    const ash_motion *v = &p->velocity[number];
    for (int i = 0; i < 3; i++) {
        const ash_problem_row *row = &p->rows[block->first_row + (uint32_t)i];
        ash_vec3 linear = is_b ? row->linear_b : row->linear_a, angular = is_b ? row->angular_b : row->angular_a;
        s->linear[i] = v3_mul(body->inverse_mass, linear);
        s->turn[i] = s3_apply(body->inverse_inertia, angular);
        speed[i] += v3_dot(linear, v->linear) + v3_dot(angular, v->angular);
        *response += v3_dot(linear, s->linear[i]) + v3_dot(angular, s->turn[i]);
    }
}

static void push_side(const side *s, const double *change, ash_motion *motion)
{
    for (int i = 0; i < 3 && motion != NULL; i++) {
        motion->linear = v3_add_scaled(motion->linear, s->linear[i], change[i]);
        motion->angular = v3_add_scaled(motion->angular, s->turn[i], change[i]);
    }
}

static double length_of_tangents(const double *x)
{
    return sqrt(x[1] * x[1] + x[2] * x[2]);
}

/* The nearest point of the cone. */
static void project(double friction, double *x)
{
    double slip = length_of_tangents(x);
    if (slip <= friction * x[0])
        return;
    double normal = (x[0] + friction * slip) / (1 + friction * friction);
    normal = normal > 0 ? normal : 0;
    double scale = normal > 0 ? friction * normal / slip : 0;
    x[0] = normal;
    x[1] *= scale;
    x[2] *= scale;
}

/* Erleben's H, as merit_of has it. */
static double merit_of_usual(double friction, const double *impulse, const double *speed)
{
    double target[3], bound = friction * (impulse[0] > 0 ? impulse[0] : 0), sum = 0;
    for (int i = 0; i < 3; i++)
        target[i] = impulse[i] - speed[i];
    target[0] = target[0] > 0 ? target[0] : 0;
    double slip = length_of_tangents(target), scale = slip > bound ? bound / slip : 1;
    for (int i = 0; i < 3; i++) {
        double h = impulse[i] - (i == 0 ? 1 : scale) * target[i];
        sum += h * h;
    }
    return sum / 2;
}

/* The pair of a usual contact, kept and applied; returns its merit. False: no impulse moves it. */
static bool pair_usual(const measuring *m, const ash_problem_block *block, double *merit)
{
    const ash_problem_row *row = &m->problem->rows[block->first_row];
    kept_row *kept = &m->kept[block->first_row - m->first_row];
    side a, b;
    double speed[3] = {row[0].bias, row[1].bias, row[2].bias}, response = 0, exact[3], change[3], goal[3];
    double impulse[3] = {row[0].impulse, row[1].impulse, row[2].impulse};
    look_from(m->problem, block, false, &a, speed, &response);
    look_from(m->problem, block, true, &b, speed, &response);
    if (!(response > 0))
        return false;
    response /= 3;
    double slip = block->friction * length_of_tangents(speed);
    for (int i = 0; i < 3; i++)
        exact[i] = impulse[i] - (speed[i] + (i == 0 ? slip : 0)) / response;
    project(block->friction, exact);
    for (int i = 0; i < 3; i++) {
        change[i] = exact[i] - impulse[i];
        goal[i] = speed[i] + (i == 0 ? slip : 0) + response * change[i];
    }
    goal[0] -= block->friction * length_of_tangents(goal);
    for (int i = 0; i < 3; i++)
        kept[i] = (kept_row){goal[i] - speed[i], change[i], true, true};
    push_side(&a, change, change_of(m, block->body_a));
    push_side(&b, change, change_of(m, block->body_b));
    *merit = merit_of_usual(block->friction, impulse, speed);
    return true;
}

/* ---- the second pass ---- */

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

static double change_of_speed(ash_vec3 linear, ash_vec3 angular, const ash_motion *change)
{
    return change == NULL ? 0 : v3_dot(linear, change->linear) + v3_dot(angular, change->angular);
}

/* The largest of what rows of one kind are off by, m/s. */
static void count_error(double error, double *largest)
{
    if (!(error <= *largest))
        *largest = error;
}

/* |u' - u(lambda')| or |u' - u(lambda)| of a block, whichever is larger: of the linear rows of a contact together, of
 * other rows one by one. False when there is nothing to judge. */
static bool error_of(const measuring *m, const ash_problem_block *block, double *error)
{
    const ash_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    const kept_row *kept = &m->kept[block->first_row - m->first_row];
    uint32_t together = block->kind == ASH_BLOCK_CONTACT ? 1u + block->tangents : 0;
    double largest = 0, now = 0, then = 0, length = 0;
    bool any = false;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ash_problem_row *row = &m->problem->rows[block->first_row + i];
        if (!kept[i].judged)
            continue;
        any = true;
        double off = kept[i].off, rest = off - change_of_speed(row->linear_a, row->angular_a, a) -
                                         change_of_speed(row->linear_b, row->angular_b, b) -
                                         row->softness * kept[i].change;
        if (i < together) {
            now += off * off;
            then += rest * rest;
            continue;
        }
        bool angular = is_angular(row);
        if (angular && length == 0)
            length = length_of(m->problem, block);
        count_error((angular ? length : 1) * fabs(off), &largest);
        count_error((angular ? length : 1) * fabs(rest), &largest);
    }
    count_error(sqrt(now), &largest);
    count_error(sqrt(then), &largest);
    *error = largest;
    return any;
}

/* The same of a usual contact, all whose rows are judged. */
static double error_of_usual(const measuring *m, const ash_problem_block *block)
{
    static const ash_motion still = {{0, 0, 0}, {0, 0, 0}};
    const ash_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    const kept_row *kept = &m->kept[block->first_row - m->first_row];
    a = a != NULL ? a : &still;
    b = b != NULL ? b : &still;
    double now = 0, then = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double off = kept[i].off, rest = off - ashi_row_speed(&m->problem->rows[block->first_row + i], a, b);
        now += off * off;
        then += rest * rest;
    }
    return sqrt(now > then ? now : then >= 0 ? then : now + then); /* what is not a number stays so */
}

/* ---- both ---- */

void ashi_yardstick_measure(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law,
                            void *work, bool with_theta, ash_yardstick *yardstick)
{
    measuring m = measuring_of(problem, island);
    uint32_t end = m.island.first_block + m.island.block_count, judged = 0;
    m.change = work;
    m.kept = (kept_row *)(void *)(m.change + m.island.body_count);
    *yardstick = (ash_yardstick){.worst_block = UINT32_MAX};
    for (uint32_t i = 0; i < m.island.body_count; i++)
        m.change[i] = (ash_motion){0};
    for (uint32_t k = m.island.first_block; k < end; k++) {
        const ash_problem_block *block = &problem->blocks[k];
        ashi_exact_pair pair;
        double merit;
        if (is_usual(problem, law, block) && pair_usual(&m, block, &merit)) {
            yardstick->theta += with_theta ? merit : 0;
            continue;
        }
        bool movable = ashi_exact_pair_find(problem, law, block, &pair);
        keep(&m, block, &pair, movable);
        if (movable)
            apply_change(&m, block, &pair);
        if (movable && with_theta)
            yardstick->theta += merit_of(law, problem, block, &pair);
    }
    double sum = 0, error;
    for (uint32_t k = m.island.first_block; k < end; k++) {
        const ash_problem_block *block = &problem->blocks[k];
        bool usual = m.kept[block->first_row - m.first_row].usual;
        if (usual)
            error = error_of_usual(&m, block);
        else if (!error_of(&m, block, &error))
            continue;
        if (!(error <= yardstick->largest) || judged == 0) {
            yardstick->largest = error >= 0 ? error : HUGE_VAL; /* what is not a number is infinitely wrong */
            yardstick->worst_block = k;
        }
        sum += error;
        judged++;
    }
    yardstick->mean = judged == 0 ? 0 : sum >= 0 ? sum / judged : HUGE_VAL;
}
