/* First impulses of a pile that has none: statics by layers.
 *
 * A body's layer is its least number of contacts away from an immovable body, found by a search breadth first. From the
 * top layer down, what a body carries (its own forces and what lies on it) is shared among the closed contacts with
 * lower layers as if each were a spring of the same stiffness along its normal that can only push: with J of these
 * contacts on the body and the wrench W that it carries, y from  J^T J y = -W, impulses J y. Forces and moments so
 * balance body by body: exact for a single stack, however its cubes are placed; elsewhere a guess. Piles whose contacts
 * do not all touch yet, and bodies that are wedged, share in equal parts. It saves a pile from sagging while sweeps
 * carry its weight to the ground one layer at a time (25 cubes would take a second), and from the sway that moments out
 * of balance give it. */
#include "problem/expand.h"
#include "solve/soft/soft_load.h"
#include "solve/soft/soft_step.h"

#define NO_LAYER UINT32_MAX
#define SOFT     1e-13 /* of the stiffness of all springs: along directions in which none acts */
#define ROUNDING 1e-12
#define ROUNDS   4    /* times that springs which would pull are left out */
#define TOUCHES  0.06 /* of the way of forces in the step: their way in a quarter of it */
#define MOST     3.0  /* times the load: impulses whose sum is larger wedge the body, and friction holds it */

enum { FREEDOMS = 6 };

typedef ashi_load_support support;

typedef struct loading {
    const ash_problem_body *bodies; /* by number */
    uint32_t fixed_count, first_body, body_count;
    double h;
    support *supports; /* closed contacts */
    uint32_t support_count;
    uint32_t *layer;    /* by body of the island */
    uint32_t *first;    /* by body: where its closed contacts begin in `contacts` */
    uint32_t *contacts; /* numbers of supports, body by body */
    uint32_t *queue;    /* bodies with a layer, lowest first */
    uint32_t reached;   /* how many */
    ash_motion *load;   /* by body: impulses of the step, N s and N m s about its centre */
} loading;

static uint32_t layer_of(const loading *l, uint32_t body)
{
    return body < l->fixed_count ? 0 : l->layer[body - l->first_body];
}

static double gained_speed(const ash_problem_body *body)
{
    return v3_distance(body->velocity, body->start_velocity);
}

/* Closed within a share of what the forces can move the bodies by in the step. */
static bool is_closed_within(const loading *l, const support *at, double share)
{
    double reach = l->h * (gained_speed(&l->bodies[at->body_a]) + gained_speed(&l->bodies[at->body_b]));
    return at->gap <= share * reach;
}

/* ---- supports ---- */

static void add_support(support *supports, uint32_t *count, const ashi_block *block, const ashi_row *normal,
                        double *impulse)
{
    supports[(*count)++] = (support){.body_a = block->body_a,
                                     .body_b = block->body_b,
                                     .linear_a = normal->linear_a,
                                     .angular_a = normal->angular_a,
                                     .angular_b = normal->angular_b,
                                     .linear_b = normal->linear_b,
                                     .gap = normal->error,
                                     .impulse = impulse};
}

static uint32_t find_supports(ashi_system *p, const ash_problem_island *island, support *supports)
{
    uint32_t count = 0;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        ashi_row *normal = &p->rows[p->blocks[k].first_row];
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            add_support(supports, &count, &p->blocks[k], normal, &normal->impulse);
    }
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count && !p->expanded; c++)
        for (uint32_t k = 0; k < p->contacts[c].point_count; k++) {
            uint32_t number = p->contacts[c].first_point + k;
            ashi_point_rows point;
            ashi_point_expand(p, &p->contacts[c], number, &point);
            add_support(supports, &count, &point.block, &point.row[0], &p->points[number].impulse.x);
        }
    return count;
}

/* ---- layers ---- */

static void count_contact(loading *l, uint32_t body)
{
    if (body >= l->fixed_count)
        l->first[body - l->first_body + 2]++;
}

static void enter_contact(loading *l, uint32_t body, uint32_t number)
{
    if (body >= l->fixed_count)
        l->contacts[l->first[body - l->first_body + 1]++] = number;
}

/* Lists the closed contacts of each body: counts two places later become beginnings one place later, which entering
 * moves to the ends, where the next begin. */
static void list_contacts(loading *l)
{
    for (uint32_t i = 0; i < l->body_count + 2; i++)
        l->first[i] = 0;
    for (uint32_t k = 0; k < l->support_count; k++) {
        count_contact(l, l->supports[k].body_a);
        count_contact(l, l->supports[k].body_b);
    }
    for (uint32_t i = 1; i < l->body_count + 2; i++)
        l->first[i] += l->first[i - 1];
    for (uint32_t k = 0; k < l->support_count; k++) {
        enter_contact(l, l->supports[k].body_a, k);
        enter_contact(l, l->supports[k].body_b, k);
    }
}

static void reach(loading *l, uint32_t body, uint32_t layer)
{
    uint32_t number = body - l->first_body;
    if (body < l->fixed_count || l->layer[number] != NO_LAYER)
        return;
    l->layer[number] = layer;
    l->queue[l->reached++] = number;
}

static uint32_t other_body(const support *at, uint32_t body)
{
    return at->body_a == body ? at->body_b : at->body_a;
}

static void find_layers(loading *l)
{
    uint32_t first_body = l->first_body, bodies = l->body_count;
    for (uint32_t i = 0; i < bodies; i++)
        l->layer[i] = NO_LAYER;
    for (uint32_t i = 0; i < bodies; i++)
        for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++)
            if (other_body(&l->supports[l->contacts[k]], first_body + i) < l->fixed_count)
                reach(l, first_body + i, 1);
    for (uint32_t next = 0; next < l->reached; next++) {
        uint32_t i = l->queue[next];
        for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++)
            reach(l, other_body(&l->supports[l->contacts[k]], first_body + i), l->layer[i] + 1);
    }
}

/* ---- loads ---- */

static double by_axis(double change, double inverse_mass)
{
    return inverse_mass > 0 ? change / inverse_mass : 0;
}

/* What forces give each body; their moments are left to the sweeps. */
static void weigh_bodies(loading *l)
{
    for (uint32_t i = 0; i < l->body_count; i++) {
        const ash_problem_body *body = &l->bodies[l->first_body + i];
        ash_vec3 change = v3_sub(body->velocity, body->start_velocity), m = body->inverse_mass;
        l->load[i].linear = v3(by_axis(change.x, m.x), by_axis(change.y, m.y), by_axis(change.z, m.z));
        l->load[i].angular = v3(0, 0, 0);
    }
}

/* A normal row on one of its bodies, as six numbers. */
static void row_on(const support *at, bool on_a, double j[FREEDOMS])
{
    ash_vec3 linear = on_a ? at->linear_a : at->linear_b, angular = on_a ? at->angular_a : at->angular_b;
    j[0] = linear.x, j[1] = linear.y, j[2] = linear.z;
    j[3] = angular.x, j[4] = angular.y, j[5] = angular.z;
}

/* Solves the symmetric positive definite system in place (Cholesky); x has the right-hand side. */
static void solve_springs(double k[FREEDOMS][FREEDOMS], double x[FREEDOMS])
{
    for (int j = 0; j < FREEDOMS; j++) {
        double least = 0.5 * SOFT * k[j][j]; /* rounding may have taken more */
        for (int i = 0; i < j; i++)
            k[j][j] -= k[j][i] * k[j][i];
        k[j][j] = sqrt(k[j][j] > least ? k[j][j] : least);
        for (int i = j + 1; i < FREEDOMS; i++) {
            for (int m = 0; m < j; m++)
                k[i][j] -= k[i][m] * k[j][m];
            k[i][j] /= k[j][j];
        }
        for (int i = 0; i < j; i++)
            x[j] -= k[j][i] * x[i];
        x[j] /= k[j][j];
    }
    for (int j = FREEDOMS - 1; j >= 0; j--) {
        for (int i = j + 1; i < FREEDOMS; i++)
            x[j] -= k[i][j] * x[i];
        x[j] /= k[j][j];
    }
}

/* One that supports the body: its other body is of a lower layer. Null: it does not. */
static const support *support_of(const loading *l, uint32_t i, uint32_t k)
{
    const support *at = &l->supports[l->contacts[k]];
    return layer_of(l, other_body(at, l->first_body + i)) < l->layer[i] ? at : NULL;
}

/* J^T J of the supports that push, and -W. False when none does. */
static bool gather_springs(const loading *l, uint32_t i, const bool *pulls, double k[FREEDOMS][FREEDOMS],
                           double x[FREEDOMS])
{
    double linear = 0, angular = 0, j[FREEDOMS];
    ash_motion load = l->load[i];
    for (int r = 0; r < FREEDOMS; r++)
        for (int c = 0; c < FREEDOMS; c++)
            k[r][c] = 0;
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        if (at == NULL || pulls[n])
            continue;
        row_on(at, at->body_a == l->first_body + i, j);
        for (int r = 0; r < FREEDOMS; r++)
            for (int c = 0; c < FREEDOMS; c++)
                k[r][c] += j[r] * j[c];
    }
    for (int r = 0; r < 3; r++) {
        linear += k[r][r];
        angular += k[3 + r][3 + r];
    }
    for (int r = 0; r < 3; r++) {
        k[r][r] += SOFT * linear;
        k[3 + r][3 + r] += SOFT * (angular > 0 ? angular : linear);
    }
    x[0] = -load.linear.x, x[1] = -load.linear.y, x[2] = -load.linear.z;
    x[3] = -load.angular.x, x[4] = -load.angular.y, x[5] = -load.angular.z;
    return linear > 0;
}

/* The impulse of a support that the displacement x makes. */
static double spring_impulse(const loading *l, uint32_t i, const support *at, const double x[FREEDOMS])
{
    double j[FREEDOMS], impulse = 0;
    row_on(at, at->body_a == l->first_body + i, j);
    for (int r = 0; r < FREEDOMS; r++)
        impulse += j[r] * x[r];
    return impulse;
}

/* Leaves out supports that would pull; returns whether there were any. */
static bool find_pulls(const loading *l, uint32_t i, const double x[FREEDOMS], bool *pulls)
{
    bool any = false;
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        if (at == NULL || pulls[n] || spring_impulse(l, i, at, x) >= 0)
            continue;
        pulls[n] = any = true;
    }
    return any;
}

/* Impulses that balance forces and moments. False where they do not say much: supports that wedge the body. */
static bool balance(const loading *l, uint32_t i, bool *pulls)
{
    double k[FREEDOMS][FREEDOMS], x[FREEDOMS], sum = 0;
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++)
        pulls[n] = false;
    for (int round = 0; round < ROUNDS; round++) {
        if (!gather_springs(l, i, pulls, k, x))
            return false;
        solve_springs(k, x);
        if (!find_pulls(l, i, x, pulls))
            break;
    }
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        double impulse = at != NULL && !pulls[n] ? spring_impulse(l, i, at, x) : 0;
        if (at != NULL)
            *at->impulse = impulse > 0 ? impulse : 0;
        sum += impulse;
    }
    return sum <= MOST * v3_norm(l->load[i].linear);
}

/* Equal parts, each support taking that along its normal. */
static void share_equally(const loading *l, uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++)
        count += support_of(l, i, n) != NULL;
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        if (at == NULL)
            continue;
        bool on_a = at->body_a == l->first_body + i;
        double borne = -v3_dot(on_a ? at->linear_a : at->linear_b, l->load[i].linear) / count;
        *at->impulse = borne > 0 ? borne : 0;
    }
}

/* Whether what the supports carry balances the load except for rounding: then there is nothing to solve, and cubes put
 * exactly on each other keep exactly equal impulses. */
static bool is_balanced(const loading *l, uint32_t i)
{
    ash_motion rest = l->load[i];
    double force = v3_norm(rest.linear), moment = v3_norm(rest.angular);
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        if (at == NULL)
            continue;
        bool on_a = at->body_a == l->first_body + i;
        ash_vec3 angular = v3_scale(on_a ? at->angular_a : at->angular_b, *at->impulse);
        rest.linear = v3_add_scaled(rest.linear, on_a ? at->linear_a : at->linear_b, *at->impulse);
        rest.angular = v3_add(rest.angular, angular);
        moment += v3_norm(angular);
    }
    return v3_norm(rest.linear) <= ROUNDING * force && v3_norm(rest.angular) <= ROUNDING * moment;
}

/* What the supports carry lies on the bodies beneath. */
static void hand_down(const loading *l, uint32_t i)
{
    for (uint32_t n = l->first[i]; n < l->first[i + 1]; n++) {
        const support *at = support_of(l, i, n);
        bool on_a = at != NULL && at->body_a == l->first_body + i;
        uint32_t lower = at == NULL ? 0 : on_a ? at->body_b : at->body_a;
        if (at == NULL || lower < l->fixed_count)
            continue;
        ash_motion *load = &l->load[lower - l->first_body];
        load->linear = v3_add_scaled(load->linear, on_a ? at->linear_b : at->linear_a, *at->impulse);
        load->angular = v3_add_scaled(load->angular, on_a ? at->angular_b : at->angular_a, *at->impulse);
    }
}

/* Whether the pile was put down, not let fall: all closed contacts touch. */
static bool lies(const loading *l)
{
    for (uint32_t i = 0; i < l->first[l->body_count]; i++)
        if (!is_closed_within(l, &l->supports[l->contacts[i]], TOUCHES))
            return false;
    return true;
}

bool ashi_soft_load(const ashi_soft_loading *in, ashi_arena *scratch)
{
    uint32_t bodies = in->body_count, most = in->support_count;
    loading l = {.bodies = in->bodies,
                 .fixed_count = in->fixed_count,
                 .first_body = in->first_body,
                 .body_count = bodies,
                 .h = in->h,
                 .supports = in->supports};
    l.layer = ashi_arena_take_array(scratch, bodies, sizeof *l.layer);
    l.first = ashi_arena_take_array(scratch, (size_t)bodies + 2, sizeof *l.first);
    l.contacts = ashi_arena_take_array(scratch, 2 * (size_t)most, sizeof *l.contacts);
    l.queue = ashi_arena_take_array(scratch, bodies, sizeof *l.queue);
    l.load = ashi_arena_take_array(scratch, bodies, sizeof *l.load);
    bool *pulls = ashi_arena_take_array(scratch, 2 * (size_t)most, sizeof *pulls);
    if (l.layer == NULL || l.first == NULL || l.contacts == NULL || l.queue == NULL || l.load == NULL || pulls == NULL)
        return false;
    for (uint32_t i = 0; i < most; i++) /* those that are closed */
        if (is_closed_within(&l, &in->supports[i], 1))
            l.supports[l.support_count++] = in->supports[i];
    list_contacts(&l);
    find_layers(&l);
    weigh_bodies(&l);
    bool at_rest = lies(&l);
    for (uint32_t i = l.reached; i > 0; i--) {
        share_equally(&l, l.queue[i - 1]);
        if (at_rest && !is_balanced(&l, l.queue[i - 1]) && !balance(&l, l.queue[i - 1], pulls))
            share_equally(&l, l.queue[i - 1]);
        hand_down(&l, l.queue[i - 1]);
    }
    return true;
}

bool ashi_soft_step_load(ashi_system *problem, const ash_problem_island *island, ashi_arena *scratch)
{
    uint32_t blocks = ashi_island_blocks(problem, island);
    support *supports = ashi_arena_take_array(scratch, blocks + (size_t)1, sizeof *supports);
    if (supports == NULL)
        return false;
    ashi_soft_loading in = {.bodies = problem->bodies,
                            .fixed_count = problem->fixed_count,
                            .first_body = island->first_body,
                            .body_count = island->body_count,
                            .h = problem->h,
                            .supports = supports,
                            .support_count = find_supports(problem, island, supports)};
    return ashi_soft_load(&in, scratch);
}
