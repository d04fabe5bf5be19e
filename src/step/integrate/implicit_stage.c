/* Newton's method: from an iterate V of all velocities the equations give G(V) = v_b + g a; the next one is V + d with
 *
 *   (M + g^2 K + g D) d = M (G(V) - V).
 *
 * K and D are the forces' derivatives at the iterate, symmetric and positive semidefinite (compressed springs give no
 * negative transverse stiffness, rotors no gyroscopic terms): so this is nearly Newton's method. Linear springs and
 * dampers need one round at any stiffness. The factor is kept as long as rounds converge fast with it. While rounds do
 * not reduce the change, smaller and smaller shares of it are taken: springs that go slack would make it oscillate. */
#include "step/integrate/implicit_stage.h"

#include "solve/linear/block_factor.h"
#include "step/integrate/rotation.h"

#include <string.h>

#define FAST     0.1 /* of the change before: the factor is kept */
#define LEAST    0.015625
#define ROUNDING 1e-8  /* smaller changes that no longer decrease are rounding */
#define EPSILON  1e-15 /* of positions: velocities that move a body by less in a stage are ignored */
#define NOBODY   UINT32_MAX

/* Velocities of a body. */
typedef struct given {
    ash_vec3 velocity, spin;
} given;

typedef struct newton {
    ashi_implicit_stage *s;
    ashi_bodies *b;
    uint32_t *number, *slot, count; /* by slot: of the body in the matrix; by number: its slot */
    ash_sym3 *inertia;              /* by number, world axes */
    given *given;                   /* G(V) by number */
    ash_quat *rotation;             /* the stage's with it */
    double *change;                 /* six by number */
    ashi_block_factor factor;
    uint32_t blocks; /* that it has room for */
} newton;

static bool take_memory(newton *n)
{
    ashi_arena *a = n->s->step->scratch;
    uint32_t slots = ashi_body_slots(n->b);
    n->number = ashi_arena_take_array(a, slots, sizeof *n->number);
    n->slot = ashi_arena_take_array(a, slots, sizeof *n->slot);
    if (n->number == NULL || n->slot == NULL)
        return false;
    for (uint32_t i = 0; i < slots; i++) {
        n->number[i] = n->b->motion[i] & ASHI_DYNAMIC ? n->count : NOBODY;
        if (n->number[i] != NOBODY)
            n->slot[n->count++] = i;
    }
    n->inertia = ashi_arena_take_array(a, n->count, sizeof *n->inertia);
    n->given = ashi_arena_take_array(a, n->count, sizeof *n->given);
    n->rotation = ashi_arena_take_array(a, n->count, sizeof *n->rotation);
    n->change = ashi_arena_take_array(a, 6 * (size_t)n->count, sizeof *n->change);
    return n->inertia != NULL && n->given != NULL && n->rotation != NULL && n->change != NULL;
}

/* ---- the matrix ---- */

/* Finds the couplings between movable bodies. False when memory ran out. */
static bool fit_pattern(newton *n)
{
    ashi_step *step = n->s->step;
    const ashi_implicit_elements *e = step->elements;
    ashi_block_pair *pairs =
        ashi_arena_take_array(step->scratch, e->pairs.count + 3 * (size_t)e->rows.count, sizeof *pairs);
    uint32_t count = 0;
    if (pairs == NULL)
        return false;
    for (uint32_t k = 0; k < e->pairs.count; k++) {
        uint32_t a = n->number[e->pairs.data[k].body_a], b = n->number[e->pairs.data[k].body_b];
        if (a != NOBODY && b != NOBODY && a != b)
            pairs[count++] = (ashi_block_pair){a, b};
    }
    for (uint32_t k = 0; k < e->rows.count; k++) {
        const ashi_implicit_row *row = &e->rows.data[k];
        for (uint32_t i = 0; i < row->count; i++)
            for (uint32_t j = 0; j < i; j++)
                if (n->number[row->body[i]] != NOBODY && n->number[row->body[j]] != NOBODY)
                    pairs[count++] = (ashi_block_pair){n->number[row->body[i]], n->number[row->body[j]]};
    }
    return ashi_block_pattern_fit(step->implicit_pattern, n->count, pairs, count, step->scratch);
}

static void put(double *at, ash_vec3 v)
{
    at[0] = v.x;
    at[1] = v.y;
    at[2] = v.z;
}

/* Maps velocities of the body to those of an element's end: [1, -[arm]x] or [0, 1]. */
static void fill_end(double j[3][6], bool angular, ash_vec3 r)
{
    memset(j, 0, 18 * sizeof(double));
    for (int i = 0; i < 3; i++)
        j[i][angular ? 3 + i : i] = 1;
    if (angular)
        return;
    j[0][4] = r.z; /* w x r = (wy rz - wz ry, wz rx - wx rz, wx ry - wy rx) */
    j[0][5] = -r.y;
    j[1][3] = -r.z;
    j[1][5] = r.x;
    j[2][3] = r.y;
    j[2][4] = -r.x;
}

/* block += factor * row^T A column. */
static void add_product(double *block, double row[3][6], ash_sym3 a, double column[3][6], double factor)
{
    const double m[3][3] = {{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
    double product[3][6];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            product[i][j] = m[i][0] * column[0][j] + m[i][1] * column[1][j] + m[i][2] * column[2][j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            block[6 * i + j] +=
                factor * (row[0][i] * product[0][j] + row[1][i] * product[1][j] + row[2][i] * product[2][j]);
}

static void add_element(newton *n, const ashi_implicit_element *e)
{
    const ashi_block_pattern *pattern = n->factor.pattern;
    uint32_t a = n->number[e->body_a], b = n->number[e->body_b];
    double end_a[3][6], end_b[3][6];
    fill_end(end_a, e->angular, e->arm_a);
    fill_end(end_b, e->angular, e->arm_b);
    if (a != NOBODY)
        add_product(n->factor.diagonal[pattern->place[a]], end_a, e->matrix, end_a, 1);
    if (b != NOBODY)
        add_product(n->factor.diagonal[pattern->place[b]], end_b, e->matrix, end_b, 1);
    if (a == NOBODY || b == NOBODY || a == b)
        return;
    bool b_later = pattern->place[b] > pattern->place[a];
    double *block = n->factor.lower[ashi_block_pattern_find(pattern, a, b)];
    add_product(block, b_later ? end_b : end_a, e->matrix, b_later ? end_a : end_b, -1);
}

/* block += factor * row^T column. */
static void add_outer(double *block, const double row[6], const double column[6], double factor)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            block[6 * i + j] += factor * row[i] * column[j];
}

static void add_row(newton *n, const ashi_implicit_row *row)
{
    const ashi_block_pattern *pattern = n->factor.pattern;
    double along[3][6];
    for (uint32_t i = 0; i < row->count; i++) {
        put(along[i], row->along[i].linear);
        put(along[i] + 3, row->along[i].angular);
        uint32_t a = n->number[row->body[i]];
        if (a == NOBODY)
            continue;
        add_outer(n->factor.diagonal[pattern->place[a]], along[i], along[i], row->matrix);
        for (uint32_t j = 0; j < i; j++) {
            uint32_t b = n->number[row->body[j]];
            if (b == NOBODY)
                continue;
            bool b_later = pattern->place[b] > pattern->place[a];
            add_outer(n->factor.lower[ashi_block_pattern_find(pattern, a, b)], along[b_later ? j : i],
                      along[b_later ? i : j], row->matrix);
        }
    }
}

/* The locked freedoms of a body, as bits. */
static uint32_t locked_freedoms(const ashi_bodies *b, uint32_t slot)
{
    uint8_t locks = b->locks[slot];
    static const uint32_t bit[6] = {ASH_LOCK_X,          ASH_LOCK_Y,          ASH_LOCK_Z,
                                    ASH_LOCK_ROTATION_X, ASH_LOCK_ROTATION_Y, ASH_LOCK_ROTATION_Z};
    uint32_t locked = b->motion[slot] & ASHI_ROTATES ? 0 : 7u << 3;
    for (int i = 0; i < 6; i++)
        locked |= (locks & bit[i]) != 0 ? 1u << i : 0;
    return locked;
}

/* Rows and columns of locked freedoms become those of the identity. */
static void lock_freedoms(newton *n)
{
    const ashi_block_pattern *p = n->factor.pattern;
    for (uint32_t place = 0; place < p->count; place++) {
        uint32_t locked = locked_freedoms(n->b, n->slot[p->order[place]]);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6 && (locked >> i & 1); j++)
                n->factor.diagonal[place][6 * i + j] = n->factor.diagonal[place][6 * j + i] = i == j ? 1 : 0;
        for (uint32_t k = p->column[place]; k < p->column[place + 1]; k++) {
            uint32_t rows = locked_freedoms(n->b, n->slot[p->order[p->row[k]]]);
            for (int i = 0; i < 36; i++)
                if ((rows >> (i / 6) & 1) || (locked >> (i % 6) & 1))
                    n->factor.lower[k][i] = 0;
        }
    }
}

/* The matrix at the present iterate, and its factor. False when memory ran out. */
static bool factor(newton *n, bool *good)
{
    ashi_implicit_stage *s = n->s;
    ashi_force_instant at = {&s->state, s->time, s->step->tasks};
    if (!ashi_forces_linearize(s->step->model, &at, s->g, s->step->elements) || !fit_pattern(n))
        return false;
    *good = !s->step->implicit_pattern->too_large;
    if (!*good)
        return true;
    uint32_t blocks = s->step->implicit_pattern->blocks;
    if (n->factor.pattern == NULL || blocks > n->blocks) {
        if (!ashi_block_factor_make(&n->factor, s->step->implicit_pattern, s->step->scratch))
            return false;
        n->blocks = blocks;
    }
    ashi_block_factor_clear(&n->factor, false);
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t slot = n->slot[k];
        double *d = n->factor.diagonal[n->factor.pattern->place[k]];
        bool rotates = (n->b->motion[slot] & ASHI_ROTATES) != 0;
        ash_sym3 inertia =
            rotates ? s3_rotated(n->b->rotor[slot].inertia, s->state.rotation[slot]) : s3_diagonal(1, 1, 1);
        n->inertia[k] = inertia;
        d[0] = d[7] = d[14] = n->b->inertial[slot].mass;
        d[21] = inertia.xx;
        d[28] = inertia.yy;
        d[35] = inertia.zz;
        d[22] = d[27] = inertia.xy;
        d[23] = d[33] = inertia.xz;
        d[29] = d[34] = inertia.yz;
    }
    for (uint32_t k = 0; k < s->step->elements->pairs.count; k++)
        add_element(n, &s->step->elements->pairs.data[k]);
    for (uint32_t k = 0; k < s->step->elements->rows.count; k++)
        add_row(n, &s->step->elements->rows.data[k]);
    lock_freedoms(n);
    *good = ashi_block_cholesky(&n->factor);
    return true;
}

/* ---- rounds ---- */

/* G(V) of one body under the forces just summed up; false when its rotation did not converge. */
static bool give(newton *n, uint32_t k)
{
    ashi_implicit_stage *s = n->s;
    const ashi_bodies *b = n->b;
    uint32_t i = n->slot[k];
    n->given[k].velocity = v3_add_scaled(s->base.velocity[i], ashi_linear_acceleration(b, i), s->g);
    n->given[k].spin = s->base.spin[i];
    n->rotation[k] = s->base.rotation[i];
    if (!(b->motion[i] & ASHI_ROTATES))
        return true;
    if (s->keeps && !(b->motion[i] & ASHI_PARTIAL)) {
        ash_quat rotation = b->now.rotation[i];
        ash_vec3 spin = b->now.spin[i];
        bool good = ashi_rotate_by_midpoint(&b->rotor[i], 2 * s->g, b->torque[i], &rotation, &spin, &n->rotation[k]);
        b->next.rotation[i] = rotation;
        n->given[k].spin = v3_scale(v3_add(b->now.spin[i], spin), 0.5);
        return good;
    }
    ash_vec3 rate = ashi_angular_acceleration(b, i, s->state.rotation[i], s->state.spin[i], b->torque[i]);
    ash_vec3 spin = n->given[k].spin = v3_add_scaled(s->base.spin[i], rate, s->g);
    ash_vec3 turn = v3_scale(spin, s->g);
    n->rotation[k] = q_unit(q_mul(
        s->keeps ? q_cayley(turn) : q_exp(s->turned != NULL ? v3_add(s->turned[i], turn) : turn), s->base.rotation[i]));
    if (s->keeps)
        b->next.rotation[i] = q_unit(q_mul(q_cayley(v3_scale(spin, 2 * s->g)), s->base.rotation[i]));
    return true;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest(ash_vec3 a)
{
    return v3_max_component(v3_abs(a));
}

/* M (G(V) - V), then the change by the factor, into `change`. */
static void find_change(newton *n)
{
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t i = n->slot[k], locked = locked_freedoms(n->b, i);
        ash_vec3 v = v3_sub(n->given[k].velocity, n->s->state.velocity[i]);
        ash_vec3 w = v3_sub(n->given[k].spin, n->s->state.spin[i]);
        put(n->change + 6 * (size_t)k, v3_scale(v, n->b->inertial[i].mass));
        put(n->change + 6 * (size_t)k + 3, s3_apply(n->inertia[k], w));
        for (int j = 0; j < 6; j++)
            if (locked >> j & 1)
                n->change[6 * (size_t)k + (uint32_t)j] = 0;
    }
    ashi_block_cholesky_solve(&n->factor, n->change);
}

/* The size of the change relative to velocities. */
static double measure(const newton *n)
{
    double change = 0, size = 0, turn = 0, turn_size = 0;
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t i = n->slot[k];
        const double *d = n->change + 6 * (size_t)k;
        change = larger(change, largest(v3(d[0], d[1], d[2])));
        turn = larger(turn, largest(v3(d[3], d[4], d[5])));
        size = larger(size, EPSILON / n->s->step->method.tolerance * largest(n->s->base.position[i]) / n->s->g);
        size = larger(size, larger(largest(n->s->base.velocity[i]), largest(n->s->state.velocity[i])));
        turn_size = larger(turn_size, larger(largest(n->s->base.spin[i]), largest(n->s->state.spin[i])));
    }
    double linear = change > 0 ? change / larger(size, change) : 0;
    double angular = turn > 0 ? turn / larger(turn_size, turn) : 0;
    return isnan(change + turn) ? (double)INFINITY : larger(linear, angular);
}

/* Takes a share of the change. */
static void move(newton *n, double share)
{
    ashi_implicit_stage *s = n->s;
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t i = n->slot[k];
        const double *d = n->change + 6 * (size_t)k;
        ash_vec3 spin = v3_add_scaled(s->state.spin[i], v3(d[3], d[4], d[5]), share);
        s->state.velocity[i] = v3_add_scaled(s->state.velocity[i], v3(d[0], d[1], d[2]), share);
        s->state.position[i] = v3_add_scaled(s->base.position[i], s->state.velocity[i], s->g);
        s->state.spin[i] = spin;
        if (!(n->b->motion[i] & ASHI_ROTATES))
            continue;
        ash_vec3 beyond = v3_scale(v3_sub(spin, n->given[k].spin), s->g); /* what G gave */
        s->state.rotation[i] = q_unit(q_mul(q_exp(beyond), n->rotation[k]));
        if (s->keeps)
            n->b->next.rotation[i] = q_unit(q_mul(q_exp(v3_scale(beyond, 2)), n->b->next.rotation[i]));
    }
}

/* Starts at rest in the base, where the derivatives are those of a state that existed: from the extrapolated positions,
 * far away in a long step, Newton's method might find another solution. Kinematic bodies continue to move.
 */
static void begin(newton *n)
{
    ashi_implicit_stage *s = n->s;
    const ashi_bodies *b = n->b;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        bool moves = (b->motion[i] & ASHI_DYNAMIC) != 0;
        ash_vec3 v = moves ? v3(0, 0, 0) : s->base.velocity[i], w = moves ? v3(0, 0, 0) : s->base.spin[i];
        ash_vec3 turn = v3_scale(w, s->g);
        turn = s->turned != NULL ? v3_add(s->turned[i], turn) : turn;
        s->state.velocity[i] = v;
        s->state.spin[i] = w;
        s->state.position[i] = v3_add_scaled(s->base.position[i], v, s->g);
        s->state.rotation[i] = b->motion[i] & (ASHI_ROTATES | ASHI_KINEMATIC)
                                   ? q_unit(q_mul(q_exp(turn), s->base.rotation[i]))
                                   : s->base.rotation[i];
    }
}

bool ashi_implicit_stage_solve(ashi_implicit_stage *s)
{
    ashi_step *step = s->step;
    newton n = {.s = s, .b = &step->model->bodies};
    if (!take_memory(&n))
        return false;
    begin(&n);
    double before = (double)INFINITY, change = 0, share = 1;
    bool converged = false, fresh = false, turned = true;
    for (uint32_t round = 0; !converged && round < step->method.max_iterations; round++) {
        ashi_step_evaluate(step, &s->state, s->time);
        turned = true;
        for (uint32_t k = 0; k < n.count; k++)
            turned &= give(&n, k);
        if (!fresh && !factor(&n, &fresh))
            return false;
        if (!fresh)
            break; /* too large a matrix */
        find_change(&n);
        change = measure(&n);
        step->iterations++;
        if (!(change <= 1e100))
            break;
        converged = change <= step->method.tolerance || (change < ROUNDING && change >= 0.5 * before);
        share = change > before ? fmax(0.5 * share, LEAST) : fmin(2 * share, 1);
        move(&n, share);
        fresh = change <= FAST * before && isfinite(before);
        before = change;
    }
    step->residual = larger(step->residual, change);
    if (!converged || !turned)
        step->flags |= ASH_FLAG_INTEGRATOR_NOT_CONVERGED;
    return true;
}
