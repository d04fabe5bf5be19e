/* Faure's table of costs, for the joints of a step: biconjugate gradients as he has them, and the solutions that he
 * compares his with.
 *
 *   biconjugate        a forest by its factor, loops by biconjugate gradients      time a + a l + l^2, space a + l
 *   structured-dense   a forest by its factor, loops by a dense matrix             time a + a l + l^3, space a + l +
 * l^2 full-iterative     all rows by conjugate gradients                             time (a + l)^2,     space a + l
 *   full-dense         all rows by a dense matrix                                  time (a + l)^3,     space (a + l)^2
 *
 * for a rows of the forest and l rows of loops. Loose rows are those that no forest holds, in the scale in which their
 * own response is 1: A x = b with A = J_l (1 - M^-1 J_a^T A_aa^-1 J_a) M^-1 J_l^T + softness, x = impulse / scale. */
#include "base/clock.h"
#include "solve/linear/biconjugate.h"
#include "step/joints/joint_system.h"

#include <math.h>

#define MOST_DENSE  2048 /* loose rows of a matrix; beyond it they are left to gradients */
#define MOST_TURNS  40   /* of gradients, for each loose row */
#define REFINEMENTS 4    /* of a solution through a matrix */
#define RESPONSE    36   /* multiplications of a row's product, there and back */

enum { SCALE, TARGET, GAIN, SHADOW_GAIN, VECTORS, BY_ROW = VECTORS + ASHI_BICONJUGATE_VECTORS };

/* A solve under way. */
typedef struct faure_solve {
    ashi_joint_system *s;
    const ashi_system *loose; /* the problem with the loose rows' blocks */
    bool eliminates;          /* the forest */
    uint32_t count;           /* of loose rows */
    const uint32_t *rows;     /* the loose rows' numbers in the problem */
    double *vector[VECTORS];  /* by loose row */
    double *asked, *reply;    /* by row of the problem: what the forest is asked for, and its impulses */
    ash_motion *push, *moved; /* by body: of the loose rows, and with the forest's answer */
    double *impulse;          /* by row of the problem */
    ash_motion *change;       /* by body */
} faure_solve;

static bool is_full(ash_joint_solver solver)
{
    return solver >= ASH_JOINT_SOLVER_FULL_ITERATIVE;
}

static bool wants_matrix(const ashi_joint_system *s)
{
    return s->solver == ASH_JOINT_SOLVER_STRUCTURED_DENSE || s->solver == ASH_JOINT_SOLVER_FULL_DENSE;
}

static bool is_dense(const ashi_joint_system *s)
{
    return wants_matrix(s) && !s->too_large;
}

void ashi_joint_system_choose(ashi_joint_system *s, const ash_method *method)
{
    ash_joint_solver before = s->solver;
    s->solver = method->joint_solver;
    s->structured = s->solver >= ASH_JOINT_SOLVER_STRUCTURED;
    if (s->solver != before)
        s->factored = s->fitted = s->dense = false;
}

static const ashi_system *loose_part(const ashi_joint_system *s)
{
    return is_full(s->solver) ? &s->problem : &s->loops;
}

bool ashi_joint_system_reserve_faure(ashi_joint_system *s)
{
    const ashi_system *loose = loose_part(s);
    uint64_t count = 0;
    s->dense = s->too_large = false;
    if (s->solver <= ASH_JOINT_SOLVER_STRUCTURED)
        return true;
    for (uint32_t k = 0; k < loose->block_count; k++)
        count += loose->blocks[k].row_count;
    s->too_large = wants_matrix(s) && count > MOST_DENSE;
    uint64_t room = BY_ROW * count + 2 * (uint64_t)s->problem.row_count + (is_dense(s) ? count * count : 0);
    if (!ashi_array_reserve(&s->matrix_room, room) || !ashi_array_reserve(&s->matrix_rows, 2 * count))
        return false;
    s->matrix_rows.count = 0;
    for (uint32_t k = 0; k < loose->block_count; k++)
        for (uint32_t i = 0; i < loose->blocks[k].row_count; i++)
            s->matrix_rows.data[s->matrix_rows.count++] = loose->blocks[k].first_row + i;
    return true;
}

bool ashi_joint_system_factor_as_asked(ashi_joint_system *s, ashi_step *step)
{
    bool good = ashi_joint_system_factor(s, s->structured || step->method.cut_loops);
    if (good && s->too_large)
        step->flags |= ASH_FLAG_SOLVER_REPLACED;
    return good;
}

/* ---- moves ---- */

static void clear(ash_motion *motion, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        motion[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
}

/* The forest gives the speeds `asked`: its impulses in `reply`, and its motion, which joins `motion`. */
static void ask_forest(faure_solve *w, ash_motion *motion)
{
    const ashi_system *tree = &w->s->tree;
    clear(w->push, tree->body_count);
    ashi_direct_solve_quickly(w->s->tree_factor, w->asked, w->reply, w->push);
    for (uint32_t i = tree->fixed_count; i < tree->body_count; i++) {
        motion[i].linear = v3_add(motion[i].linear, w->push[i].linear);
        motion[i].angular = v3_add(motion[i].angular, w->push[i].angular);
    }
}

/* product = A x; `moved` and `reply` are what goes with x. */
static void multiply(faure_solve *w, const double *x, double *product)
{
    const ashi_system *tree = &w->s->tree, *loose = w->loose;
    uint32_t n = 0;
    clear(w->moved, loose->body_count);
    for (uint32_t k = 0; k < loose->block_count; k++)
        for (uint32_t i = 0; i < loose->blocks[k].row_count; i++, n++)
            ashi_row_push(loose, &loose->blocks[k], &loose->rows[w->rows[n]], w->vector[SCALE][n] * x[n], w->moved);
    for (uint32_t k = 0; k < tree->block_count && w->eliminates; k++) {
        const ashi_block *block = &tree->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            w->asked[i] = -ashi_row_speed(&tree->rows[i], &w->moved[block->body_a], &w->moved[block->body_b]);
    }
    if (w->eliminates)
        ask_forest(w, w->moved);
    n = 0;
    for (uint32_t k = 0; k < loose->block_count; k++) {
        const ashi_block *block = &loose->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++, n++) {
            const ashi_row *row = &loose->rows[w->rows[n]];
            double speed = ashi_row_speed(row, &w->moved[block->body_a], &w->moved[block->body_b]);
            product[n] = w->vector[SCALE][n] * (speed + row->softness * w->vector[SCALE][n] * x[n]);
        }
    }
    w->s->operations += RESPONSE * (uint64_t)w->count;
}

/* Goes `times` along what was multiplied last. */
static void go(faure_solve *w, const double *x, double times)
{
    const ashi_system *tree = &w->s->tree;
    for (uint32_t n = 0; n < w->count; n++)
        w->impulse[w->rows[n]] += times * w->vector[SCALE][n] * x[n];
    for (uint32_t k = 0; k < tree->block_count && w->eliminates; k++)
        for (uint32_t i = 0; i < tree->blocks[k].row_count; i++)
            w->impulse[tree->blocks[k].first_row + i] += times * w->reply[tree->blocks[k].first_row + i];
    for (uint32_t i = 0; i < w->loose->body_count; i++) {
        w->change[i].linear = v3_add_scaled(w->change[i].linear, w->moved[i].linear, times);
        w->change[i].angular = v3_add_scaled(w->change[i].angular, w->moved[i].angular, times);
    }
}

/* b - A x by loose row. Returns the largest by its own row, m/s. */
static double find_residual(const faure_solve *w, double *left)
{
    const ashi_system *loose = w->loose;
    double most = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < loose->block_count; k++) {
        const ashi_block *block = &loose->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++, n++) {
            const ashi_row *row = &loose->rows[w->rows[n]];
            double off = w->vector[TARGET][n] - row->softness * w->impulse[w->rows[n]] -
                         ashi_row_speed(row, &w->change[block->body_a], &w->change[block->body_b]);
            left[n] = w->vector[SCALE][n] * off;
            most = fmax(most, fabs(off));
        }
    }
    return most;
}

/* ---- the ways ---- */

static void make_matrix(faure_solve *w, double *matrix)
{
    ashi_joint_system *s = w->s;
    double *unit = w->vector[GAIN];
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t k = 0; k < w->count; k++)
            unit[k] = k == i;
        multiply(w, unit, &matrix[(size_t)i * w->count]);
    }
    s->matrix = (ashi_rank_factor){
        .count = w->count, .matrix = matrix, .order = s->matrix_rows.data + w->count, .work = w->vector[SHADOW_GAIN]};
    s->operations += ashi_rank_factor_make(&s->matrix);
    s->dense = true;
}

static uint32_t solve_by_matrix(faure_solve *w, double *matrix, ashi_biconjugate *memory, double tolerance)
{
    double *left = memory->left, *x = memory->direction;
    uint32_t turn = 0;
    if (!w->s->dense)
        make_matrix(w, matrix);
    w->s->matrix.work = w->vector[SHADOW_GAIN];
    for (; turn <= REFINEMENTS && find_residual(w, left) > tolerance; turn++) {
        w->s->operations += ashi_rank_factor_solve(&w->s->matrix, left, x);
        multiply(w, x, w->vector[GAIN]);
        go(w, x, 1);
    }
    return turn;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Whether a turn more is allowed. */
static bool goes_on(faure_solve *w, uint32_t turn)
{
    ashi_joint_system *s = w->s;
    uint64_t most = (uint64_t)MOST_TURNS * w->count;
    bool limited = s->most_turns > 0 && s->most_turns < most;
    bool late = turn > 0 && s->deadline > 0 && ashi_seconds() > s->deadline;
    s->late = s->late || late || (limited && turn >= s->most_turns);
    return !late && turn < (limited ? s->most_turns : most);
}

/* Conjugate gradients (Gleicher 1994). */
static uint32_t solve_by_gradients(faure_solve *w, ashi_biconjugate *memory, double tolerance)
{
    double *left = memory->left, *along = memory->direction, *gain = w->vector[GAIN], before = 0;
    uint32_t turn = 0;
    for (; find_residual(w, left) > tolerance && goes_on(w, turn); turn++) {
        double size = dot(left, left, w->count);
        for (uint32_t i = 0; i < w->count; i++)
            along[i] = left[i] + (turn > 0 ? size / before * along[i] : 0);
        before = size;
        multiply(w, along, gain);
        double curvature = dot(along, gain, w->count);
        if (!(curvature > 0))
            break;
        go(w, along, size / curvature);
    }
    return turn;
}

/* Faure's. */
static uint32_t solve_by_biconjugates(faure_solve *w, ashi_biconjugate *b, double tolerance)
{
    uint32_t turn = 0;
    for (; find_residual(w, b->left) > tolerance && goes_on(w, turn); turn++) {
        if (turn == 0) {
            multiply(w, b->left, w->vector[GAIN]);
            ashi_biconjugate_begin(b, w->vector[GAIN]);
        }
        multiply(w, b->shadow_direction, w->vector[SHADOW_GAIN]); /* A is symmetric */
        multiply(w, b->direction, w->vector[GAIN]);
        double length = ashi_biconjugate_length(b, w->vector[GAIN]);
        if (!(length > 0))
            break;
        go(w, b->direction, length);
        find_residual(w, b->left);
        ashi_biconjugate_turn(b, length, w->vector[SHADOW_GAIN]);
    }
    return turn;
}

/* Begins at what the forest gives alone. */
static void begin(faure_solve *w, const double *wanted)
{
    const ashi_system *loose = w->loose;
    uint32_t n = 0;
    clear(w->change, loose->body_count);
    if (w->eliminates)
        ashi_direct_solve_quickly(w->s->tree_factor, wanted, w->impulse, w->change);
    for (uint32_t k = 0; k < loose->block_count; k++)
        for (uint32_t i = 0; i < loose->blocks[k].row_count; i++, n++) {
            const ashi_row *row = &loose->rows[w->rows[n]];
            double response = ashi_row_response(loose, &loose->blocks[k], row, row) + row->softness;
            w->vector[SCALE][n] = response > 0 ? 1 / sqrt(response) : 0;
            w->vector[TARGET][n] = response > 0 ? wanted[w->rows[n]] : 0; /* what nothing moves is left alone */
            w->impulse[w->rows[n]] = 0;
        }
}

uint32_t ashi_joint_system_solve_by_faure(ashi_joint_system *s, const double *wanted, double tolerance, double *impulse,
                                          ash_motion *change)
{
    double *room = s->matrix_room.data;
    faure_solve w = {.s = s,
                     .loose = loose_part(s),
                     .eliminates = !is_full(s->solver) && s->tree.block_count > 0,
                     .count = s->matrix_rows.count,
                     .rows = s->matrix_rows.data,
                     .impulse = impulse,
                     .change = change,
                     .push = s->motions.data,
                     .moved = s->motions.data + s->problem.body_count};
    ashi_biconjugate pair;
    for (int i = 0; i < VECTORS; i++)
        w.vector[i] = room + (size_t)i * w.count;
    w.asked = room + BY_ROW * (size_t)w.count;
    w.reply = w.asked + s->problem.row_count;
    ashi_biconjugate_init(&pair, room + VECTORS * (size_t)w.count, w.count);
    begin(&w, wanted);
    if (w.count == 0)
        return 1;
    if (is_dense(s))
        return 1 + solve_by_matrix(&w, w.reply + s->problem.row_count, &pair, tolerance);
    bool biconjugate = !is_full(s->solver);
    return 1 + (biconjugate ? solve_by_biconjugates(&w, &pair, tolerance) : solve_by_gradients(&w, &pair, tolerance));
}
