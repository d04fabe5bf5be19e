/* Preparation of the real-time solver: from the problem's rows to what the passes read in order.
 *
 * Each row gets its angular parts times the inverse inertia, its mass, and its speed at the start of the step. The
 * impulses in the problem are totals of a step: a sub-step begins with its share. Softness from a frequency f and a
 * damping ratio z: w = 2 pi f, a = h w (2 z + h w), rate w / (2 z + h w), mass scale a / (1 + a) (SOLVERS.md). */
#include "solve/soft_step.h"

#define STIFFEST    0.125 /* of frequencies times the sub-step */
#define STIFF_TIMES 2     /* contacts with immovable bodies are of so many times the frequency */
#define CARRIED     4     /* times the speed that forces give in a sub-step: faster stops are impacts */

static ash_motion start_of(const ash_problem *p, uint32_t body)
{
    const ash_problem_body *b = &p->bodies[body];
    return body < p->fixed_count ? (ash_motion){b->velocity, b->spin} : (ash_motion){b->start_velocity, b->start_spin};
}

/* An immovable body is the idle one of the island. */
static uint32_t place_of(const ashi_soft_step *s, uint32_t body)
{
    return body < s->problem->fixed_count ? s->body_count : body - s->island->first_body;
}

static double inverse_of(double value)
{
    return value > 0 ? 1 / value : 0;
}

/* The inverse of an inverse inertia that may have axes which cannot turn. */
static ash_sym3 inertia_of(ash_sym3 inverse)
{
    if (inverse.xy == 0 && inverse.xz == 0 && inverse.yz == 0)
        return s3_diagonal(inverse_of(inverse.xx), inverse_of(inverse.yy), inverse_of(inverse.zz));
    ash_vec3 values;
    ash_quat axes;
    double trace = inverse.xx + inverse.yy + inverse.zz;
    if (s3_determinant(inverse) > 1e-12 * trace * trace * trace)
        return s3_inverse(inverse);
    ashi_eigen_sym3(inverse, &values, &axes);
    double least = 1e-12 * values.z;
    return s3_rotated(s3_diagonal(values.x > least ? 1 / values.x : 0, values.y > least ? 1 / values.y : 0,
                                  values.z > least ? 1 / values.z : 0),
                      axes);
}

static void prepare_bodies(ashi_soft_step *s)
{
    double share = 1.0 / s->substeps;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ash_problem_body *body = &s->problem->bodies[s->island->first_body + i];
        ash_vec3 m = body->inverse_mass;
        s->bodies[i] = (ashi_soft_body){.inverse_mass = m, .inverse_inertia = body->inverse_inertia};
        s->forces[i] = (ashi_soft_forces){.push = {v3_scale(v3_sub(body->velocity, body->start_velocity), share),
                                                   v3_scale(v3_sub(body->spin, body->start_spin), share)},
                                          .start_velocity = body->start_velocity,
                                          .start_spin = body->start_spin,
                                          .mass = v3(inverse_of(m.x), inverse_of(m.y), inverse_of(m.z)),
                                          .inertia = inertia_of(body->inverse_inertia)};
    }
    s->bodies[s->body_count] = (ashi_soft_body){0};
    s->forces[s->body_count] = (ashi_soft_forces){0};
}

static double way_of_forces(const ashi_soft_step *s, uint32_t place)
{
    return s->h * v3_norm(s->forces[place].push.linear);
}

/* A contact's row; `turn` receives I^-1 of its angular parts, `sum` is added what an impulse changes in its speed. */
static void prepare_row(const ashi_soft_step *s, const ash_problem_block *block, const ash_problem_row *from,
                        const ash_motion start[2], ashi_soft_row *row, ash_vec3 turn[2], double *sum)
{
    const ash_problem_body *a = &s->problem->bodies[block->body_a], *b = &s->problem->bodies[block->body_b];
    turn[0] = s3_apply(a->inverse_inertia, from->angular_a);
    turn[1] = s3_apply(b->inverse_inertia, from->angular_b);
    double response = v3_dot(from->linear_b, v3_mul(v3_add(a->inverse_mass, b->inverse_mass), from->linear_b)) +
                      v3_dot(from->angular_a, turn[0]) + v3_dot(from->angular_b, turn[1]);
    *sum += response;
    *row = (ashi_soft_row){.linear = from->linear_b,
                           .angular_a = from->angular_a,
                           .angular_b = from->angular_b,
                           .mass = inverse_of(response),
                           .speed = ashi_row_speed(from, &start[0], &start[1]),
                           .bias = from->bias};
}

/* What a unit of the normal impulse changes in the speed of a row of friction. */
static double coupling_of(const ashi_soft_step *s, const ash_problem_block *block, const ashi_soft_row *normal,
                          const ashi_soft_row *row, const ash_vec3 turn[2])
{
    const ash_problem_body *a = &s->problem->bodies[block->body_a], *b = &s->problem->bodies[block->body_b];
    return v3_dot(normal->linear, v3_mul(v3_add(a->inverse_mass, b->inverse_mass), row->linear)) +
           v3_dot(normal->angular_a, turn[0]) + v3_dot(normal->angular_b, turn[1]);
}

/* Returns the sum of the diagonal of J M^-1 J^T. */
static double prepare_rows(ashi_soft_step *s, const ash_problem_block *block, double share)
{
    const ash_problem_row *from = &s->problem->rows[block->first_row];
    const ash_motion start[2] = {start_of(s->problem, block->body_a), start_of(s->problem, block->body_b)};
    ashi_soft_row *rows = &s->rows[s->row_count];
    double sum = 0;
    for (uint32_t i = 0; i < block->row_count; i++) {
        ash_vec3 turn[2];
        double impulse = from[i].impulse * share, slip = 0;
        prepare_row(s, block, &from[i], start, &rows[i], turn, &sum);
        if (i > 0) {
            rows[i].coupling = coupling_of(s, block, &rows[0], &rows[i], turn);
            slip = rows[i].speed;
        }
        s->impulse[s->row_count] = impulse;
        s->impulses[s->row_count++] = (ashi_soft_impulse){.before = impulse, .slip = slip, .slip_before = slip};
    }
    return sum;
}

static void prepare_contact(ashi_soft_step *s, uint32_t number, double share)
{
    const ash_problem_block *block = &s->problem->blocks[number];
    ashi_soft_contact *contact = &s->contacts[s->contact_count];
    *contact =
        (ashi_soft_contact){.a = place_of(s, block->body_a),
                            .b = place_of(s, block->body_b),
                            .first_row = s->row_count,
                            .rows = (uint8_t)block->row_count,
                            .stiff = block->body_a < s->problem->fixed_count || block->body_b < s->problem->fixed_count,
                            .gap = s->problem->rows[block->first_row].error,
                            .friction = block->friction,
                            .limit = block->friction_limit >= 0 ? block->friction_limit * share : -1};
    contact->slack = way_of_forces(s, contact->a) + way_of_forces(s, contact->b);
    double response = prepare_rows(s, block, share);
    if (!s->settings->unjudged)
        s->measuring.patches.points[number - s->island->first_block].response = response;
    const ashi_soft_row *normal = &s->rows[contact->first_row];
    bool rebounds = block->rebound > 0 && normal->speed < 0;
    s->accounts[s->contact_count++] =
        (ashi_soft_account){.block = number,
                            .carried = s->h > 0 ? CARRIED * contact->slack / s->h * normal->mass : 0,
                            .rebound = rebounds ? block->rebound / -normal->speed : 0};
    s->rebounds = s->rebounds || rebounds;
    s->simple_friction = s->simple_friction &&
                         (block->row_count == 1 || (block->tangents == 2 && block->row_count == 3)) &&
                         block->sliding_friction == block->friction;
}

/* Rows that hold a position: equalities and limits, neither soft nor driven. */
static bool holds_position(const ash_problem_row *row)
{
    bool equality = isinf(row->lower) && isinf(row->upper);
    bool limit = (row->lower == 0 && isinf(row->upper)) || (isinf(row->lower) && row->upper == 0);
    return (equality || limit) && row->softness == 0 && row->bias == 0;
}

/* A limit that is not reached: its bias tells the way left, which sub-steps look at themselves. */
static bool is_open(const ash_problem_row *row)
{
    bool below = row->lower == 0 && isinf(row->upper) && row->error > 0;
    bool above = row->upper == 0 && isinf(row->lower) && row->error < 0;
    return (below || above) && row->softness == 0;
}

static double given_speed(const ashi_soft_step *s, const ash_problem_block *block, const ash_problem_row *row)
{
    const ash_problem *p = s->problem;
    ash_motion still = {0}, a = start_of(p, block->body_a), b = start_of(p, block->body_b);
    return ashi_row_speed(row, block->body_a < p->fixed_count ? &a : &still,
                          block->body_b < p->fixed_count ? &b : &still);
}

static void prepare_plain(ashi_soft_step *s, const ash_problem_block *block)
{
    const ash_problem_body *bodies = s->problem->bodies;
    const ash_motion a = start_of(s->problem, block->body_a), b = start_of(s->problem, block->body_b);
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ash_problem_row *from = &s->problem->rows[block->first_row + i];
        ashi_soft_plain *plain = &s->plains[s->plain_count++];
        bool open = is_open(from), exact = s->settings->exact_rows && isinf(from->lower) && isinf(from->upper);
        double softness = from->softness * s->substeps, impulse = from->impulse / s->substeps;
        *plain = (ashi_soft_plain){.a = place_of(s, block->body_a),
                                   .b = place_of(s, block->body_b),
                                   .linear_a = from->linear_a,
                                   .linear_b = from->linear_b,
                                   .angular_a = from->angular_a,
                                   .angular_b = from->angular_b,
                                   .turn_a = s3_apply(bodies[block->body_a].inverse_inertia, from->angular_a),
                                   .turn_b = s3_apply(bodies[block->body_b].inverse_inertia, from->angular_b),
                                   .mass = inverse_of(ashi_row_response(s->problem, block, from, from) + softness),
                                   .speed = ashi_row_speed(from, &a, &b),
                                   .impulse = impulse,
                                   .before = impulse,
                                   .bias = open ? 0 : from->bias,
                                   .drift = exact ? from->drift : 0, /* sweeps are too coarse for it */
                                   .given = given_speed(s, block, from),
                                   .exact = exact,
                                   .softness = softness,
                                   .lower = from->lower / s->substeps,
                                   .upper = from->upper / s->substeps,
                                   .error = from->error,
                                   .holds = open || holds_position(from),
                                   .block = (uint32_t)(block - s->problem->blocks),
                                   .source = block->first_row + i};
        s->exact_count += plain->exact;
    }
}

static ashi_softness softness_of(double frequency, double damping, double h)
{
    double w = 2 * ASHI_PI * frequency, a = h * w * (2 * damping + h * w);
    return (ashi_softness){w > 0 ? w / (2 * damping + h * w) : 0, a / (1 + a)};
}

static bool take_memory(ashi_soft_step *s, ashi_arena *scratch)
{
    uint32_t rows = 0, plains = 0, contacts = 0;
    for (uint32_t i = 0; i < s->island->block_count; i++) {
        const ash_problem_block *block = &s->problem->blocks[s->island->first_block + i];
        bool contact = block->kind == ASH_BLOCK_CONTACT;
        contacts += contact;
        rows += contact ? block->row_count : 0;
        plains += contact ? 0 : block->row_count;
    }
    s->bodies = ashi_arena_take_array(scratch, s->body_count + (size_t)1, sizeof *s->bodies);
    s->forces = ashi_arena_take_array(scratch, s->body_count + (size_t)1, sizeof *s->forces);
    s->contacts = ashi_arena_take_array(scratch, contacts, sizeof *s->contacts);
    s->accounts = ashi_arena_take_array(scratch, contacts, sizeof *s->accounts);
    s->rows = ashi_arena_take_array(scratch, rows, sizeof *s->rows);
    s->impulse = ashi_arena_take_array(scratch, rows, sizeof *s->impulse);
    s->impulses = ashi_arena_take_array(scratch, rows, sizeof *s->impulses);
    s->plains = ashi_arena_take_array(scratch, plains, sizeof *s->plains);
    return s->bodies != NULL && s->forces != NULL && s->contacts != NULL && s->accounts != NULL && s->rows != NULL &&
           s->impulse != NULL && s->impulses != NULL && s->plains != NULL;
}

/* By the yardstick, in every step. */
static bool prepare_judgement(ashi_soft_step *s, ashi_arena *scratch)
{
    if (s->settings->unjudged)
        return true;
    void *work = ashi_arena_take(scratch, ashi_yardstick_room(s->problem, s->island));
    if (work == NULL)
        return false;
    s->measuring = ashi_yardstick_begin(s->problem, s->island, s->law, work);
    ashi_patches_find(&s->measuring.patches, s->problem, s->island, s->law);
    return true;
}

/* Whether there is nothing but rows that one solution makes exact: sub-steps would say the same again. */
static bool is_linear(const ashi_solve *solve)
{
    const ash_problem *p = solve->problem;
    for (uint32_t i = 0; i < solve->island->block_count; i++) {
        const ash_problem_block *block = &p->blocks[solve->island->first_block + i];
        if (block->kind == ASH_BLOCK_CONTACT)
            return false;
        for (uint32_t k = 0; k < block->row_count; k++)
            if (!isinf(p->rows[block->first_row + k].lower) || !isinf(p->rows[block->first_row + k].upper))
                return false;
    }
    return solve->settings->exact_rows && solve->island->block_count > 0;
}

bool ashi_soft_step_prepare(ashi_soft_step *s, ashi_solve *solve)
{
    const ash_solver_settings *settings = solve->settings;
    uint32_t substeps = settings->substeps > 0 && !is_linear(solve) ? settings->substeps : 1;
    double h = solve->problem->h / substeps;
    double stiffest = h > 0 ? STIFFEST / h : 0;
    double frequency = settings->frequency < stiffest ? settings->frequency : stiffest;
    *s = (ashi_soft_step){.problem = solve->problem,
                          .island = solve->island,
                          .settings = settings,
                          .law = solve->law,
                          .substeps = substeps,
                          .body_count = solve->island->body_count,
                          .h = h,
                          .soft = softness_of(frequency, settings->damping, h),
                          .stiff = softness_of(STIFF_TIMES * frequency, settings->damping, h),
                          .simple_friction = solve->law->corners == 0};
    if (!take_memory(s, solve->scratch) || !prepare_judgement(s, solve->scratch))
        return false;
    prepare_bodies(s);
    for (uint32_t i = 0; i < s->island->block_count; i++) {
        const ash_problem_block *block = &s->problem->blocks[s->island->first_block + i];
        if (block->kind == ASH_BLOCK_CONTACT)
            prepare_contact(s, s->island->first_block + i, 1.0 / substeps);
        else
            prepare_plain(s, block);
    }
    return ashi_soft_plain_prepare(s, solve);
}
