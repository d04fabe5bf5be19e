/* The yardstick on patches: exact_pair.c and yardstick.c written out for four points side by side.
 *
 * With z = lambda - rho u^, u^ = u + mu |u_t| n, what holds by friction has z in the cone: then lambda' = z and u' = 0.
 * That is nearly all of a pile, and takes one division and one root. Where not all four hold, all cases are computed
 * for each and the right one is chosen. */
#include "problem/patch.h"

#include "math/quad.h"

#define TO_ROUNDING 1e-13

/* ---- recognizing ---- */

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
}

/* Whether the rows are those of a frame at one point of a body; `side` 1: of b, -1: of a. */
static bool is_at_point(const ash_problem_row *row, uint32_t count, double side)
{
    const ash_vec3 axes[3] = {row[0].linear_b, row[1].linear_b, v3_cross(row[0].linear_b, row[1].linear_b)};
    ash_vec3 moment[3], arm = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++)
        moment[i] = side > 0 ? row[i].angular_b : v3_neg(row[i].angular_a);
    arm = v3_add_scaled(arm, axes[0], v3_dot(moment[1], axes[2]));
    arm = v3_add_scaled(arm, axes[1], -v3_dot(moment[0], axes[2]));
    arm = v3_add_scaled(arm, axes[2], v3_dot(moment[0], axes[1]));
    bool good = fabs(v3_norm(axes[0]) - 1) <= TO_ROUNDING && fabs(v3_norm(axes[1]) - 1) <= TO_ROUNDING &&
                fabs(v3_dot(axes[0], axes[1])) <= TO_ROUNDING;
    for (uint32_t i = 0; i < count && good; i++)
        good = is_close(row[i].linear_b, axes[i], 1) && is_close(row[i].linear_a, v3_neg(axes[i]), 1) &&
               is_close(moment[i], v3_cross(arm, axes[i]), v3_norm(arm));
    return good;
}

static bool are_alike(const ash_problem *p, const ash_problem_block *one, const ash_problem_block *other)
{
    bool alike = one->body_a == other->body_a && one->body_b == other->body_b && one->row_count == other->row_count &&
                 one->tangents == other->tangents && one->friction == other->friction &&
                 one->sliding_friction == other->sliding_friction &&
                 (one->friction_limit < 0) == (other->friction_limit < 0);
    for (uint32_t i = 0; alike && i <= one->tangents; i++) {
        const ash_problem_row *row = &p->rows[one->first_row + i], *twin = &p->rows[other->first_row + i];
        ash_vec3 a = row->linear_b, b = twin->linear_b;
        alike = a.x == b.x && a.y == b.y && a.z == b.z &&
                (i == 0 || (row->bias == twin->bias && row->softness == twin->softness));
    }
    return alike;
}

void ashi_patches_recognize(ash_problem *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        ash_problem_block *block = &p->blocks[k];
        const ash_problem_row *row = &p->rows[block->first_row];
        block->at_point = block->kind == ASH_BLOCK_CONTACT && block->tangents > 0 &&
                          is_at_point(row, 1u + block->tangents, 1) && is_at_point(row, 1u + block->tangents, -1);
        block->alike = block->at_point && k > 0 && block[-1].at_point && are_alike(p, block, block - 1);
    }
}

/* ---- gathering ---- */

/* A normal and tangents at a point, under one moderate coefficient of a cone. */
static inline bool suits(const ash_problem *p, const ashi_law *law, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    return block->at_point && block->row_count == (p->planar ? 2 : 3) && block->tangents == block->row_count - 1 &&
           law->law == ASH_FRICTION_CONE && block->friction <= 1 && block->sliding_friction >= block->friction &&
           block->friction_limit < 0 && row[1].softness == 0 && row[block->tangents].softness == 0;
}

/* How many points the patch that begins with a block has. */
static inline uint32_t count_points(const ashi_patch_blocks *blocks, uint32_t number)
{
    const ash_problem_block *block = &blocks->problem->blocks[number];
    const double *response = &blocks->response[number - blocks->first];
    uint32_t most = blocks->end - number, count = 0;
    if (!(response[0] > 0) || !suits(blocks->problem, blocks->law, block))
        return 0;
    most = most < ASHI_PATCH_POINTS ? most : ASHI_PATCH_POINTS;
    /* the solvers' frame changes coefficients of friction while contacts give way */
    for (count = 1; count < most; count++)
        if (!(block[count].alike && block[count].friction == block->friction && response[count] > 0))
            break;
    return count;
}

/* A patch in the problem: rows of its points, which follow one another; beyond their count those of the first. */
typedef struct patch_rows {
    const ash_problem_row *of[ASHI_PATCH_POINTS];
    const double *response;
    ash_vec3 axes[3]; /* normal, tangents */
    ash_vec3 slide;   /* of the surfaces, m/s: biases of the tangents */
    uint32_t tangents;
    double friction;
} patch_rows;

/* From a's centre to b's, from the moments (r_b - r_a) x n and (r_b - r_a) x t of the first point: a is pushed the
 * other way, its moments are minus those of its arm. */
static inline ash_vec3 distance_of(const ash_vec3 *axes, const ash_problem_row *row)
{
    ash_vec3 moment_n = v3_add(row[0].angular_a, row[0].angular_b);
    ash_vec3 moment_t = v3_add(row[1].angular_a, row[1].angular_b);
    return v3_neg(v3_add_scaled(v3_cross(axes[0], moment_n), axes[0], v3_dot(axes[2], moment_t)));
}

static inline void find_rows(const ashi_patch_blocks *blocks, const ashi_patch *patch, patch_rows *rows)
{
    const ash_problem_block *block = &blocks->problem->blocks[patch->first_block];
    const ash_problem_row *row = &blocks->problem->rows[block->first_row];
    for (uint32_t i = 0; i < ASHI_PATCH_POINTS; i++)
        rows->of[i] = i < patch->count ? row + (size_t)i * block->row_count : row;
    rows->response = &blocks->response[patch->first_block - blocks->first];
    rows->tangents = block->tangents;
    rows->friction = block->friction;
    rows->axes[0] = row[0].linear_b;
    rows->axes[1] = row[1].linear_b;
    rows->axes[2] = block->tangents < 2 ? v3_cross(row[0].linear_b, row[1].linear_b) : row[2].linear_b;
    rows->slide = v3_scale(row[1].linear_b, row[1].bias);
    if (block->tangents == 2)
        rows->slide = v3_add_scaled(rows->slide, row[2].linear_b, row[2].bias);
}

/* ---- rigid motion ---- */

static inline const ash_motion *motion_of(ashi_body_motions motions, uint32_t body)
{
    static const ash_motion still = {{0, 0, 0}, {0, 0, 0}};
    uint32_t place = body - motions.first; /* wraps around for bodies before the first */
    return place < motions.count ? &motions.of[place] : &still;
}

/* Of b against a, as seen at b's centre. */
static inline ash_motion motion_between(const ashi_patch *patch, const ash_motion *a, const ash_motion *b)
{
    return (ash_motion){v3_sub(v3_sub(b->linear, a->linear), v3_cross(a->angular, patch->distance)),
                        v3_sub(b->angular, a->angular)};
}

/* a x b by lane. */
ASHI_MERGED void cross(const ashi_quad *a, const ashi_quad *b, ashi_quad *product)
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

/* V + W x r. */
ASHI_MERGED void velocities_at(const ash_motion *motion, const ashi_quad *arm, ashi_quad *velocity)
{
    ash_vec3 v = motion->linear, w = motion->angular;
    const ashi_quad linear[3] = {quad_of(v.x), quad_of(v.y), quad_of(v.z)};
    const ashi_quad angular[3] = {quad_of(w.x), quad_of(w.y), quad_of(w.z)};
    cross(angular, arm, velocity);
    for (int k = 0; k < 3; k++)
        velocity[k] += linear[k];
}

ASHI_MERGED ashi_quad dot(ash_vec3 a, const ashi_quad *b)
{
    return quad_of(a.x) * b[0] + quad_of(a.y) * b[1] + quad_of(a.z) * b[2];
}

/* From normal and tangents to the axes of the world. */
ASHI_MERGED void in_world(const ash_vec3 *axes, const ashi_quad *along, ashi_quad *vector)
{
    vector[0] = quad_of(axes[0].x) * along[0] + quad_of(axes[1].x) * along[1] + quad_of(axes[2].x) * along[2];
    vector[1] = quad_of(axes[0].y) * along[0] + quad_of(axes[1].y) * along[1] + quad_of(axes[2].y) * along[2];
    vector[2] = quad_of(axes[0].z) * along[0] + quad_of(axes[1].z) * along[1] + quad_of(axes[2].z) * along[2];
}

ASHI_MERGED void load(double from[3][ASHI_PATCH_POINTS], ashi_quad *vector)
{
    for (int k = 0; k < 3; k++)
        vector[k] = quad_load(from[k]);
}

/* A number of row `k` of the points, by its place in a row. */
ASHI_MERGED ashi_quad gather(const patch_rows *rows, uint32_t k, size_t place)
{
    double of[ASHI_PATCH_POINTS];
    for (uint32_t i = 0; i < ASHI_PATCH_POINTS; i++)
        memcpy(&of[i], (const char *)(rows->of[i] + k) + place, sizeof of[i]);
    return (ashi_quad){of[0], of[1], of[2], of[3]};
}

/* Moments of b, of the normal (0) or the first tangent (1). */
ASHI_MERGED void gather_moments(const patch_rows *rows, uint32_t k, ashi_quad *moment)
{
    for (size_t i = 0; i < 3; i++)
        moment[i] = gather(rows, k, offsetof(ash_problem_row, angular_b) + i * sizeof(double));
}

/* r = n x (r x n) + n (r . n), and r . n = s . (r x t). */
ASHI_MERGED void find_arms(const patch_rows *rows, ashi_quad *arm)
{
    ash_vec3 n = rows->axes[0];
    const ashi_quad normal[3] = {quad_of(n.x), quad_of(n.y), quad_of(n.z)};
    ashi_quad moment_n[3], moment_t[3];
    gather_moments(rows, 0, moment_n);
    gather_moments(rows, 1, moment_t);
    ashi_quad along = dot(rows->axes[2], moment_t);
    cross(normal, moment_n, arm);
    for (int k = 0; k < 3; k++)
        arm[k] += normal[k] * along;
}

/* Where there are points. */
ASHI_MERGED ashi_quad_mask places_of(const ashi_patch *patch)
{
    static const long long places[ASHI_PATCH_POINTS][ASHI_PATCH_POINTS] = {
        {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}, {-1, -1, -1, -1}};
    ashi_quad_mask mask;
    memcpy(&mask, places[patch->count - 1], sizeof mask);
    return mask;
}

/* ---- the first pass ---- */

/* Of the points of a patch, along normal and tangents; all 0 where there is none. */
typedef struct four_points {
    ashi_quad friction, rho;
    ashi_quad impulse[3], u[3]; /* lambda, u(lambda) */
    ashi_quad slip;             /* what u^ has more in its normal part */
    ashi_quad less[3];          /* lambda - lambda' */
    ashi_quad goal[3];          /* u', if not all hold */
    ashi_quad merit2;           /* |H|^2, H by Erleben 2007 (37), as yardstick.c has it */
} four_points;

/* lambda. */
ASHI_MERGED void load_impulses(const patch_rows *rows, ashi_quad_mask present, ashi_quad *impulse)
{
    for (uint32_t k = 0; k < 2; k++)
        impulse[k] = quad_where(present, gather(rows, k, offsetof(ash_problem_row, impulse)));
    impulse[2] = quad_of(0);
    if (rows->tangents > 1)
        impulse[2] = quad_where(present, gather(rows, 2, offsetof(ash_problem_row, impulse)));
}

/* Whether all hold by friction, and none would leave its bound if 1 kg were its mass, as theta asks: `less` and
 * `merit2` are right then. */
ASHI_MERGED bool all_hold(four_points *p)
{
    const ashi_quad *u = p->u, *impulse = p->impulse, none = {0, 0, 0, 0};
    ashi_quad slip2 = u[1] * u[1] + u[2] * u[2], x = impulse[1] - u[1], y = impulse[2] - u[2];
    p->slip = p->friction * quad_sqrt(slip2);
    p->less[0] = p->rho * (u[0] + p->slip);
    p->less[1] = p->rho * u[1];
    p->less[2] = p->rho * u[2];
    const ashi_quad z[3] = {impulse[0] - p->less[0], impulse[1] - p->less[1], impulse[2] - p->less[2]};
    ashi_quad bound = p->friction * z[0], bound_now = p->friction * impulse[0];
    ashi_quad normal = quad_select(impulse[0] < u[0], impulse[0], u[0]);
    p->merit2 = normal * normal + slip2;
    return quad_all((z[0] >= none) & (z[1] * z[1] + z[2] * z[2] <= bound * bound) & (impulse[0] >= none) &
                    (x * x + y * y <= bound_now * bound_now));
}

/* What all_hold has left, where some do not: lambda' is at the bound of the cone, or 0. */
ASHI_MERGED void pair_all_kinds(four_points *p)
{
    const ashi_quad *u = p->u, *impulse = p->impulse, none = {0, 0, 0, 0};
    const ashi_quad z[3] = {impulse[0] - p->less[0], impulse[1] - p->less[1], impulse[2] - p->less[2]};
    ashi_quad length2 = z[1] * z[1] + z[2] * z[2], length = quad_sqrt(length2), bound = p->friction * z[0];
    ashi_quad_mask holds = (z[0] >= none) & (length2 <= bound * bound);
    ashi_quad_mask open = (u[0] >= none) & (impulse[0] == none) & (impulse[1] == none) & (impulse[2] == none);
    ashi_quad normal = (z[0] + p->friction * length) / (1 + p->friction * p->friction);
    ashi_quad_mask leaves = normal <= none;
    ashi_quad scale = quad_where(~leaves, p->friction * normal / length);
    const ashi_quad exact[3] = {quad_where(~leaves, normal), scale * z[1], scale * z[2]};
    for (int k = 0; k < 3; k++) {
        ashi_quad less = impulse[k] - exact[k];
        p->goal[k] = quad_where(~holds, quad_select(open, u[k], u[k] - less / p->rho));
        p->less[k] = quad_where(~open, quad_select(holds, p->less[k], less));
    }
    ashi_quad slip = p->friction * quad_sqrt(p->goal[1] * p->goal[1] + p->goal[2] * p->goal[2]);
    p->goal[0] += quad_where(~holds & ~open, p->slip - slip);
}

ASHI_MERGED void merit_of_all_kinds(four_points *p)
{
    const ashi_quad *u = p->u, *impulse = p->impulse, none = {0, 0, 0, 0};
    ashi_quad bound = quad_where(impulse[0] > none, p->friction * impulse[0]);
    ashi_quad normal = quad_select(impulse[0] < u[0], impulse[0], u[0]);
    ashi_quad x = impulse[1] - u[1], y = impulse[2] - u[2], length2 = x * x + y * y;
    ashi_quad scale = quad_select(length2 <= bound * bound, quad_of(1), bound / quad_sqrt(length2));
    x = impulse[1] - scale * x;
    y = impulse[2] - scale * y;
    p->merit2 = normal * normal + x * x + y * y;
}

/* Keeps what the second pass needs: `velocity` is u in the world, `more` what bias and softness add along the normal.
 */
ASHI_MERGED void keep(ashi_patch *patch, ash_vec3 n, const ashi_quad *arm, const ashi_quad *velocity, ashi_quad more,
                      ashi_quad error2)
{
    quad_store(patch->off[0], velocity[0] + quad_of(n.x) * more);
    quad_store(patch->off[1], velocity[1] + quad_of(n.y) * more);
    quad_store(patch->off[2], velocity[2] + quad_of(n.z) * more);
    quad_store(patch->error2, error2);
    for (int k = 0; k < 3; k++)
        quad_store(patch->arm[k], arm[k]);
}

/* lambda - lambda' of all points is a force and a moment at b's centre. */
ASHI_MERGED ash_motion wrench_of(const ash_vec3 *axes, const ashi_quad *arm, const ashi_quad *less)
{
    ashi_quad force[3], moment[3];
    ash_motion wrench;
    in_world(axes, less, force);
    cross(arm, force, moment);
    const ashi_pair sums[3] = {quad_two_sums(force[0], force[1]), quad_two_sums(force[2], moment[0]),
                               quad_two_sums(moment[1], moment[2])};
    memcpy(&wrench, sums, sizeof wrench);
    return wrench;
}

ASHI_MERGED void take_from_bodies(const ashi_patch *patch, const ash_motion *wrench, ashi_body_motions impulse)
{
    uint32_t a = patch->body_a - impulse.first, b = patch->body_b - impulse.first;
    ash_vec3 force = wrench->linear, moment = v3_add(wrench->angular, v3_cross(patch->distance, force));
    if (b < impulse.count)
        impulse.of[b] =
            (ash_motion){v3_sub(impulse.of[b].linear, force), v3_sub(impulse.of[b].angular, wrench->angular)};
    if (a < impulse.count)
        impulse.of[a] = (ash_motion){v3_add(impulse.of[a].linear, force), v3_add(impulse.of[a].angular, moment)};
}

/* One patch, `simply` only if all its points hold: else nothing is done, and false returned. */
ASHI_MERGED bool pair_patch(ashi_patch *patch, const patch_rows *rows, const ash_motion *motion,
                            ashi_body_motions impulse, bool simply, ashi_quad *merit2)
{
    ashi_quad softness = gather(rows, 0, offsetof(ash_problem_row, softness));
    ashi_quad bias = gather(rows, 0, offsetof(ash_problem_row, bias));
    ashi_quad_mask present = places_of(patch);
    ashi_quad response = quad_select(present, quad_load(rows->response), quad_of(1)) + softness;
    four_points p; /* not all of it is needed where all hold */
    p.friction = quad_of(rows->friction);
    p.rho = quad_of(1 + rows->tangents) / response;
    ashi_quad arm[3], velocity[3];
    find_arms(rows, arm);
    load_impulses(rows, present, p.impulse);
    velocities_at(motion, arm, velocity);
    for (int k = 0; k < 3; k++)
        p.u[k] = dot(rows->axes[k], velocity);
    ashi_quad more = bias + softness * p.impulse[0];
    p.u[0] = quad_where(present, p.u[0] + more);
    p.u[1] = quad_where(present, p.u[1]);
    p.u[2] = quad_where(present, p.u[2]);
    if (!all_hold(&p)) {
        if (simply)
            return false;
        ashi_quad goal[3];
        pair_all_kinds(&p);
        merit_of_all_kinds(&p);
        in_world(rows->axes, p.goal, goal);
        for (int k = 0; k < 3; k++) {
            velocity[k] -= goal[k];
            p.u[k] -= p.goal[k];
        }
    }
    *merit2 += p.merit2;
    keep(patch, rows->axes[0], arm, velocity, more - softness * p.less[0],
         p.u[0] * p.u[0] + p.u[1] * p.u[1] + p.u[2] * p.u[2]);
    ash_motion wrench = wrench_of(rows->axes, arm, p.less);
    take_from_bodies(patch, &wrench, impulse);
    return true;
}

ASHI_MERGED uint32_t pair_patches(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                                  double *merit2)
{
    const ash_problem *p = blocks->problem;
    ashi_quad sum = {0, 0, 0, 0};
    uint32_t number = blocks->first;
    for (uint32_t count; number < blocks->end; number += count) {
        count = count_points(blocks, number);
        if (count == 0)
            break;
        ashi_patch *patch = &patches->list[patches->count++];
        patch_rows rows;
        patch->first_block = number;
        patch->count = count;
        patch->body_a = p->blocks[number].body_a;
        patch->body_b = p->blocks[number].body_b;
        find_rows(blocks, patch, &rows);
        patch->distance = distance_of(rows.axes, rows.of[0]);
        ash_motion motion = motion_between(patch, &p->velocity[patch->body_a], &p->velocity[patch->body_b]);
        motion.linear = v3_add(motion.linear, rows.slide);
        if (!pair_patch(patch, &rows, &motion, impulse, true, &sum))
            pair_patch(patch, &rows, &motion, impulse, false, &sum);
    }
    *merit2 = quad_sum(sum);
    return number;
}

ASHI_WIDE static uint32_t pair_wide(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                                    double *merit2)
{
    return pair_patches(patches, blocks, impulse, merit2);
}

uint32_t ashi_patches_pair(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                           ashi_judgement *judgement)
{
    bool wide = !patches->narrow && ashi_machine_is_wide();
    double merit2;
    uint32_t next =
        wide ? pair_wide(patches, blocks, impulse, &merit2) : pair_patches(patches, blocks, impulse, &merit2);
    judgement->theta += merit2 / 2;
    return next;
}

/* ---- the second pass ---- */

/* Squares of the errors: |u' - u(lambda)|^2 or |u' - u(lambda')|^2. */
ASHI_MERGED ashi_quad compare_points(ashi_patch *patch, const ash_motion *motion)
{
    ashi_quad arm[3], off[3], then = {0, 0, 0, 0}, now = quad_load(patch->error2);
    load(patch->arm, arm);
    velocities_at(motion, arm, off);
    for (int k = 0; k < 3; k++) {
        off[k] += quad_load(patch->off[k]);
        then += off[k] * off[k];
    }
    /* what is not a number in the first is none in the second */
    return quad_where(places_of(patch), quad_select(now > then, now, then));
}

static void note_worst(ashi_judgement *judgement, double error2, uint32_t block)
{
    if (error2 <= judgement->largest2)
        return;
    judgement->largest2 = error2 >= 0 ? error2 : HUGE_VAL; /* what is not a number is infinitely wrong */
    judgement->worst_block = block;
}

ASHI_MERGED void compare_patches(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement)
{
    ashi_quad sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < patches->count; i++) {
        ashi_patch *patch = &patches->list[i];
        ash_motion motion = motion_between(patch, motion_of(change, patch->body_a), motion_of(change, patch->body_b));
        ashi_quad error2 = compare_points(patch, &motion);
        sum += quad_sqrt(error2);
        judgement->judged += patch->count;
        for (uint32_t k = 0; k < patch->count && !quad_all(error2 <= quad_of(judgement->largest2)); k++)
            note_worst(judgement, error2[k], patch->first_block + k);
    }
    judgement->sum += quad_sum(sum);
}

ASHI_WIDE static void compare_wide(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement)
{
    compare_patches(patches, change, judgement);
}

void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement)
{
    if (!patches->narrow && ashi_machine_is_wide())
        compare_wide(patches, change, judgement);
    else
        compare_patches(patches, change, judgement);
}
