/* Preparation of the real-time solver: from the problem to what the passes read in order.
 *
 * Each row gets its angular parts times the inverse inertia, its mass, and its speed at the start of the step. The
 * impulses in the problem are totals of a step: a sub-step begins with its share. Softness from a frequency f and a
 * damping ratio z: w = 2 pi f, a = h w (2 z + h w), rate w / (2 z + h w), mass scale a / (1 + a) (SOLVERS.md). */
#include "solve/soft/soft_step.h"

#include "math/quad.h"
#include "problem/expand.h"

#define MANY_BODIES 1500 /* half of a second-level cache of 512 kB */

ash_motion ashi_soft_start(const ashi_system *p, uint32_t body)
{
    const ash_problem_body *b = &p->bodies[body];
    return body < p->fixed_count ? (ash_motion){b->velocity, b->spin} : (ash_motion){b->start_velocity, b->start_spin};
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
        s->bodies[i].pace = v3_norm(s->forces[i].push.linear);
    }
    s->bodies[s->body_count] = (ashi_soft_body){0};
    s->forces[s->body_count] = (ashi_soft_forces){0};
}

/* Rows that hold a position: equalities and limits, neither soft nor driven. */
static bool holds_position(const ashi_row *row)
{
    bool equality = isinf(row->lower) && isinf(row->upper);
    bool limit = (row->lower == 0 && isinf(row->upper)) || (isinf(row->lower) && row->upper == 0);
    return (equality || limit) && row->softness == 0 && row->bias == 0;
}

/* A limit that is not reached: its bias tells the way left, which sub-steps look at themselves. */
static bool is_open(const ashi_row *row)
{
    bool below = row->lower == 0 && isinf(row->upper) && row->error > 0;
    bool above = row->upper == 0 && isinf(row->lower) && row->error < 0;
    return (below || above) && row->softness == 0;
}

static double given_speed(const ashi_soft_step *s, const ashi_block *block, const ashi_row *row)
{
    const ashi_system *p = s->problem;
    ash_motion still = {0}, a = ashi_soft_start(p, block->body_a), b = ashi_soft_start(p, block->body_b);
    return ashi_row_speed(row, block->body_a < p->fixed_count ? &a : &still,
                          block->body_b < p->fixed_count ? &b : &still);
}

static void prepare_plain(ashi_soft_step *s, const ashi_block *block)
{
    const ash_problem_body *bodies = s->problem->bodies;
    const ash_motion a = ashi_soft_start(s->problem, block->body_a), b = ashi_soft_start(s->problem, block->body_b);
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *from = &s->problem->rows[block->first_row + i];
        ashi_soft_plain *plain = &s->plains[s->plain_count++];
        bool open = is_open(from), exact = s->settings->exact_rows && isinf(from->lower) && isinf(from->upper);
        double softness = from->softness * s->substeps, impulse = from->impulse / s->substeps;
        *plain = (ashi_soft_plain){.a = ashi_soft_pass_of(s, block->body_a),
                                   .b = ashi_soft_pass_of(s, block->body_b),
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

/* A patch, or a point that is in none. */
typedef struct part {
    uint32_t contact, point, patch;
    bool is_patch;
} part;

/* The next after one; false: there is none. A walk begins before all. Contacts of an expanded problem are blocks. */
static bool walk_on(const ashi_soft_step *s, part *at)
{
    const ashi_system *p = s->problem;
    if (at->is_patch)
        at->point += s->patches.list[at->patch++].count;
    else
        at->point++;
    if (p->expanded || at->point >= s->island->first_point + s->island->point_count)
        return false;
    while (at->point >= p->contacts[at->contact].first_point + p->contacts[at->contact].point_count)
        at->contact++;
    at->is_patch = at->patch < s->patches.count && s->patches.list[at->patch].first == at->point;
    return true;
}

static part before_all(const ashi_soft_step *s)
{
    return (part){s->island->first_contact, s->island->first_point - 1, 0, false}; /* wraps around, and back */
}

static bool take_points(ashi_soft_step *s, ashi_arena *scratch)
{
    uint32_t points = s->patches.count > 0 ? s->island->point_count : 0, pairs = 0;
    s->soft_patches = ashi_arena_take_array(scratch, s->patches.count, sizeof *s->soft_patches);
    for (uint32_t i = 0; i < s->patches.count && s->soft_patches != NULL; i++) {
        s->soft_patches[i].first_pair = pairs;
        pairs += s->patches.list[i].count * (s->patches.list[i].count - 1) / 2;
    }
    s->pairs = ashi_arena_take_array(scratch, pairs, sizeof *s->pairs);
    s->points = ashi_arena_take_array(scratch, points, sizeof *s->points);
    s->touches = ashi_arena_take_array(scratch, points, sizeof *s->touches);
    s->pasts = ashi_arena_take_array(scratch, points, sizeof *s->pasts);
    s->gaps = ashi_arena_take_array(scratch, points, sizeof *s->gaps);
    return s->soft_patches != NULL && s->pairs != NULL && s->points != NULL && s->touches != NULL && s->pasts != NULL &&
           s->gaps != NULL;
}

/* How many there are, at most. */
typedef struct sizes {
    uint32_t runs, contacts, rows, plains;
} sizes;

static void count_contact(sizes *z, uint32_t rows)
{
    z->runs += 2; /* of it, and of patches after it */
    z->contacts++;
    z->rows += rows;
}

static sizes count_all(const ashi_soft_step *s)
{
    const ashi_system *p = s->problem;
    sizes z = {.runs = 1};
    for (uint32_t k = s->island->first_block; k < s->island->first_block + s->island->block_count; k++) {
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            count_contact(&z, p->blocks[k].row_count);
        else
            z.plains += p->blocks[k].row_count;
    }
    for (part at = before_all(s); walk_on(s, &at);) {
        const ash_problem_contact *contact = &p->contacts[at.contact];
        if (!at.is_patch)
            count_contact(&z, 1u + contact->tangents + contact->rollings + contact->spins);
    }
    return z;
}

static bool take_memory(ashi_soft_step *s, ashi_arena *scratch)
{
    sizes z = count_all(s);
    s->bodies = ashi_arena_take_array(scratch, s->body_count + (size_t)1, sizeof *s->bodies);
    s->forces = ashi_arena_take_array(scratch, s->body_count + (size_t)1, sizeof *s->forces);
    s->runs = ashi_arena_take_array(scratch, z.runs, sizeof *s->runs);
    s->contacts = ashi_arena_take_array(scratch, z.contacts, sizeof *s->contacts);
    s->accounts = ashi_arena_take_array(scratch, z.contacts, sizeof *s->accounts);
    s->rows = ashi_arena_take_array(scratch, z.rows, sizeof *s->rows);
    s->impulse = ashi_arena_take_array(scratch, z.rows, sizeof *s->impulse);
    s->impulses = ashi_arena_take_array(scratch, z.rows, sizeof *s->impulses);
    s->plains = ashi_arena_take_array(scratch, z.plains, sizeof *s->plains);
    return s->bodies != NULL && s->forces != NULL && s->runs != NULL && s->contacts != NULL && s->accounts != NULL &&
           s->rows != NULL && s->impulse != NULL && s->impulses != NULL && s->plains != NULL && take_points(s, scratch);
}

/* The yardstick's memory, since its patches are the solver's, but those of an expanded problem. */
static bool find_patches(ashi_soft_step *s, ashi_arena *scratch)
{
    if (!ashi_yardstick_take(s->problem, s->island, s->law, scratch, &s->measuring))
        return false;
    if (s->problem->expanded)
        return true;
    ashi_patches_find(&s->measuring.patches, s->problem, s->island, s->law);
    s->patches = s->measuring.patches;
    return true;
}

/* One more patch, or contact that is in none. */
static void add_to_run(ashi_soft_step *s, uint32_t number, bool patch)
{
    if (s->run_count == 0 || s->runs[s->run_count - 1].patches != patch)
        s->runs[s->run_count++] = (ashi_soft_run){number, 0, patch};
    s->runs[s->run_count - 1].count++;
}

static void prepare_contact(ashi_soft_step *s, const ashi_block *block, const ashi_row *rows, uint32_t source)
{
    add_to_run(s, s->contact_count, false);
    ashi_soft_rows_prepare(s, block, rows, source);
}

static void prepare_all(ashi_soft_step *s)
{
    const ashi_system *p = s->problem;
    for (uint32_t k = s->island->first_block; k < s->island->first_block + s->island->block_count; k++) {
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            prepare_contact(s, &p->blocks[k], &p->rows[p->blocks[k].first_row], k);
        else
            prepare_plain(s, &p->blocks[k]);
    }
    for (part at = before_all(s); walk_on(s, &at);) {
        if (at.is_patch) {
            add_to_run(s, at.patch, true);
            continue;
        }
        ashi_point_rows point;
        ashi_point_expand(p, &p->contacts[at.contact], at.point, &point);
        prepare_contact(s, &point.block, point.row, UINT32_MAX);
    }
    for (uint32_t i = 0; i < s->run_count; i++)
        if (s->runs[i].patches)
            ashi_soft_patches_prepare(s, &s->runs[i]);
}

static bool find_rebounds(ashi_soft_step *s, ashi_arena *scratch)
{
    const ash_problem_island *island = s->island;
    for (uint32_t i = 0; i < island->contact_count; i++)
        s->rebounds = s->rebounds || s->problem->contacts[island->first_contact + i].restitution > 0;
    for (uint32_t i = 0; i < island->point_count; i++)
        s->rebounds = s->rebounds || s->problem->points[island->first_point + i].rebound > 0;
    if (!s->rebounds)
        return true;
    s->point_rebounds = ashi_arena_take_array(scratch, island->point_count, sizeof *s->point_rebounds);
    if (s->point_rebounds == NULL)
        return false;
    for (part at = before_all(s); walk_on(s, &at);)
        if (at.is_patch)
            ashi_soft_patches_find_rebounds(s, at.patch, &s->problem->contacts[at.contact]);
    return true;
}

/* Whether there is nothing but rigid joints: sub-steps would say the same again, and move the bodies by the mean of
 * their velocities, while the rows' forces turn with nothing: a swing gains energy by that, however short the step. */
static bool is_rigid(const ashi_solve *solve)
{
    const ashi_system *p = solve->problem;
    if (solve->island->contact_count > 0)
        return false;
    for (uint32_t i = 0; i < solve->island->block_count; i++) {
        const ashi_block *block = &p->blocks[solve->island->first_block + i];
        if (block->kind == ASHI_CONTACT_BLOCK)
            return false;
        for (uint32_t k = 0; k < block->row_count; k++)
            if (p->rows[block->first_row + k].softness > 0)
                return false;
    }
    return solve->settings->exact_rows && solve->island->block_count > 0;
}

bool ashi_soft_step_prepare(ashi_soft_step *s, ashi_solve *solve)
{
    const ash_solver_settings *settings = solve->settings;
    uint32_t substeps = settings->substeps > 0 && !is_rigid(solve) ? settings->substeps : 1;
    double h = solve->problem->h / substeps;
    double stiffest = h > 0 ? ASHI_STIFFEST / h : 0;
    double frequency = settings->frequency < stiffest ? settings->frequency : stiffest;
    *s = (ashi_soft_step){.problem = solve->problem,
                          .island = solve->island,
                          .settings = settings,
                          .law = solve->law,
                          .trail = solve->trail,
                          .substeps = substeps,
                          .body_count = solve->island->body_count,
                          .h = h,
                          .soft = softness_of(frequency, settings->damping, h),
                          .stiff = softness_of(ASHI_STIFF_TIMES * frequency, settings->damping, h),
                          .wide = !solve->narrow && ashi_machine_is_wide(),
                          .fetches = solve->island->body_count > MANY_BODIES};
    if (!find_patches(s, solve->scratch) || !take_memory(s, solve->scratch))
        return false;
    prepare_bodies(s);
    prepare_all(s);
    return find_rebounds(s, solve->scratch) && ashi_soft_plain_prepare(s, solve);
}
