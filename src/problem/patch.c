/* The yardstick on patches: exact_pair.c and yardstick.c written out for points side by side.
 *
 * With z = lambda - rho u^, u^ = u + mu |u_t| n, what holds by friction has z in the cone: then lambda' = z and u' = 0.
 * That is nearly all of a pile, and takes no division. What neither touches nor bears anything has u' = u. Where two
 * neighbours do neither, they are looked at one by one. */
#include "problem/patch.h"

#include "math/pair.h"

#define TO_ROUNDING 1e-13

/* ---- recognizing ---- */

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
}

/* Whether the rows are those of a frame at one point; `side` 1: of b, -1: of a. */
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

/* ---- making ---- */

/* A normal and tangents at a point, under one moderate coefficient of a cone. */
static bool suits(const ash_problem *p, const ashi_law *law, const ash_problem_block *block)
{
    uint32_t tangents = p->planar ? 1 : 2;
    const ash_problem_row *row = &p->rows[block->first_row];
    return block->at_point && law->law == ASH_FRICTION_CONE && block->kind == ASH_BLOCK_CONTACT &&
           block->row_count == 1 + tangents && block->tangents == tangents && block->friction <= 1 &&
           block->sliding_friction >= block->friction && block->friction_limit < 0 && row[1].softness == 0 &&
           row[tangents].softness == 0;
}

/* The arm from the moments r x n and r x t1 of two directions. */
static inline void find_arm(const ash_vec3 axes[3], ash_vec3 moment_n, ash_vec3 moment_t, double *arm)
{
    arm[0] = v3_dot(moment_t, axes[2]);
    arm[1] = -v3_dot(moment_n, axes[2]);
    arm[2] = v3_dot(moment_n, axes[1]);
}

static inline ash_vec3 in_world(const ash_vec3 axes[3], const double *along)
{
    return v3_add_scaled(v3_add_scaled(v3_scale(axes[0], along[0]), axes[1], along[1]), axes[2], along[2]);
}

static void begin_patch(ashi_patch *patch, const ash_problem_block *block, const ash_problem_row *row)
{
    patch->count = 0;
    patch->body_a = block->body_a;
    patch->body_b = block->body_b;
    patch->rows = block->row_count;
    patch->friction = block->friction;
    patch->slide[0] = row[1].bias;
    patch->slide[1] = block->tangents < 2 ? 0 : row[2].bias;
    patch->axes[0] = row[0].linear_b;
    patch->axes[1] = row[1].linear_b;
    patch->axes[2] = block->tangents < 2 ? v3_cross(row[0].linear_b, row[1].linear_b) : row[2].linear_b;
    double arm_a[3], arm_b[3];
    find_arm(patch->axes, row[0].angular_b, row[1].angular_b, arm_b);
    find_arm(patch->axes, row[0].angular_a, row[1].angular_a, arm_a); /* minus it: a is pushed the other way */
    patch->distance =
        in_world(patch->axes, (double[3]){-arm_a[0] - arm_b[0], -arm_a[1] - arm_b[1], -arm_a[2] - arm_b[2]});
}

void ashi_patches_add(ashi_patches *patches, const ash_problem *problem, const ashi_law *law, uint32_t number,
                      uint32_t first_row, double response)
{
    const ash_problem_block *block = &problem->blocks[number];
    const ash_problem_row *row = &problem->rows[block->first_row];
    ashi_patch *patch = &patches->list[patches->count - (patches->count > 0)];
    /* the solvers' frame changes coefficients of friction while contacts give way */
    bool goes_on = block->alike && patches->count > 0 && patch->first_block + patch->count == number &&
                   block->friction == patch->friction && block->sliding_friction >= block->friction;
    if ((!goes_on && !suits(problem, law, block)) || !(response > 0))
        return;
    if (!goes_on || patch->count == ASHI_PATCH_POINTS) {
        patch = &patches->list[patches->count++];
        patch->first_block = number;
        patch->first_row = first_row;
        begin_patch(patch, block, row);
    }
    uint32_t i = patch->count++;
    ash_vec3 moment = row[0].angular_b;
    patch->arm[0][i] = v3_dot(row[1].angular_b, patch->axes[2]);
    patch->arm[1][i] = -v3_dot(moment, patch->axes[2]);
    patch->arm[2][i] = v3_dot(moment, patch->axes[1]);
    patch->rho[i] = (1 + block->tangents) / (response + row[0].softness);
    patch->softness[i] = row[0].softness;
    patch->bias[i] = row[0].bias;
}

/* ---- rigid motion along the axes ---- */

typedef struct rigid {
    ashi_pair linear[3], angular[3]; /* the same twice */
} rigid;

static inline const ash_motion *motion_of(ashi_body_motions motions, uint32_t body)
{
    static const ash_motion still = {{0, 0, 0}, {0, 0, 0}};
    uint32_t place = body - motions.first; /* wraps around for bodies before the first */
    return place < motions.count ? &motions.of[place] : &still;
}

/* Of b against a, as seen at b's centre. */
static inline rigid motion_between(const ashi_patch *patch, const ash_motion *a, const ash_motion *b)
{
    ash_vec3 linear = v3_sub(v3_sub(b->linear, a->linear), v3_cross(a->angular, patch->distance));
    ash_vec3 angular = v3_sub(b->angular, a->angular);
    rigid between;
    for (int i = 0; i < 3; i++) {
        between.linear[i] = pair_of(v3_dot(patch->axes[i], linear));
        between.angular[i] = pair_of(v3_dot(patch->axes[i], angular));
    }
    return between;
}

/* Ones at two places of a patch, or 0 where there is no point. */
static inline ashi_pair presence(const ashi_patch *patch, uint32_t i)
{
    return (ashi_pair){1, i + 1 < patch->count ? 1 : 0};
}

/* At two points, 0 where there is none. */
static inline void velocities_at(const rigid *motion, const ashi_patch *patch, uint32_t i, ashi_pair *u)
{
    const ashi_pair *v = motion->linear, *w = motion->angular, present = presence(patch, i);
    ashi_pair n = pair_load(&patch->arm[0][i]), s = pair_load(&patch->arm[1][i]), t = pair_load(&patch->arm[2][i]);
    u[0] = present * (v[0] + (w[1] * t - w[2] * s));
    u[1] = present * (v[1] + (w[2] * n - w[0] * t));
    u[2] = present * (v[2] + (w[0] * s - w[1] * n));
}

/* ---- the first pass, point by point ---- */

/* lambda' - lambda and u' - u(lambda) of a point that slides or opens; z is lambda - rho u^, slip what u^ has more. */
static void pair_at_the_bound(double friction, double rho, double slip, const double *impulse, const double *u,
                              const double *z, double *change, double *off)
{
    double length = sqrt(z[1] * z[1] + z[2] * z[2]), normal = (z[0] + friction * length) / (1 + friction * friction);
    normal = normal > 0 ? normal : 0;
    double scale = normal > 0 ? friction * normal / length : 0;
    const double exact[3] = {normal, scale * z[1], scale * z[2]};
    double goal[3];
    for (int i = 0; i < 3; i++) {
        change[i] = exact[i] - impulse[i];
        goal[i] = u[i] + change[i] / rho;
    }
    goal[0] += slip - friction * sqrt(goal[1] * goal[1] + goal[2] * goal[2]);
    for (int i = 0; i < 3; i++)
        off[i] = goal[i] - u[i];
}

static void pair_point(double friction, double rho, const double *impulse, const double *u, double *change, double *off)
{
    double slip = friction * sqrt(u[1] * u[1] + u[2] * u[2]);
    const double more[3] = {-rho * (u[0] + slip), -rho * u[1], -rho * u[2]};
    const double z[3] = {impulse[0] + more[0], impulse[1] + more[1], impulse[2] + more[2]};
    double bound = friction * z[0];
    if (!(z[0] >= 0 && z[1] * z[1] + z[2] * z[2] <= bound * bound)) {
        pair_at_the_bound(friction, rho, slip, impulse, u, z, change, off);
        return;
    }
    for (int i = 0; i < 3; i++) {
        change[i] = more[i];
        off[i] = -u[i];
    }
}

/* The square of Erleben's H (2007, (37)), as yardstick.c has it. */
static double merit_of_point(double friction, const double *impulse, const double *u)
{
    double bound = impulse[0] > 0 ? friction * impulse[0] : 0, normal = impulse[0] < u[0] ? impulse[0] : u[0];
    double x = impulse[1] - u[1], y = impulse[2] - u[2], length2 = x * x + y * y;
    double scale = length2 <= bound * bound ? 1 : bound / sqrt(length2);
    x = impulse[1] - scale * x;
    y = impulse[2] - scale * y;
    return normal * normal + x * x + y * y;
}

/* ---- the first pass, two by two ---- */

typedef struct two_points {
    ashi_pair impulse[3], u[3];  /* lambda, u(lambda) */
    ashi_pair change[3], off[3]; /* lambda' - lambda, u' - u(lambda) */
    ashi_pair merit2;            /* |H|^2 */
} two_points;

static void pair_one_by_one(const ashi_patch *patch, uint32_t first, two_points *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        const double impulse[3] = {p->impulse[0][i], p->impulse[1][i], p->impulse[2][i]};
        const double u[3] = {p->u[0][i], p->u[1][i], p->u[2][i]};
        double change[3] = {0, 0, 0}, off[3] = {0, 0, 0};
        bool idle = u[0] >= 0 && impulse[0] == 0 && impulse[1] == 0 && impulse[2] == 0; /* open: off by nothing */
        if (!idle)
            pair_point(patch->friction, patch->rho[first + i], impulse, u, change, off);
        for (uint32_t k = 0; k < 3; k++) {
            p->change[k][i] = change[k];
            p->off[k][i] = off[k];
        }
        p->merit2[i] = idle ? 0 : merit_of_point(patch->friction, impulse, u);
    }
}

/* Both hold by friction, and neither would leave its bound if 1 kg were their mass, as theta asks. */
static inline bool pair_holding(const ashi_patch *patch, uint32_t first, two_points *p)
{
    const ashi_pair *u = p->u, *impulse = p->impulse, none = {0, 0};
    ashi_pair friction = pair_of(patch->friction), rho = pair_load(&patch->rho[first]);
    ashi_pair slip2 = u[1] * u[1] + u[2] * u[2], x = impulse[1] - u[1], y = impulse[2] - u[2];
    const ashi_pair more[3] = {-rho * (u[0] + friction * pair_sqrt(slip2)), -rho * u[1], -rho * u[2]};
    const ashi_pair z[3] = {impulse[0] + more[0], impulse[1] + more[1], impulse[2] + more[2]};
    ashi_pair bound = friction * z[0], bound_now = friction * impulse[0];
    if (!pair_all((z[0] >= none) & (z[1] * z[1] + z[2] * z[2] <= bound * bound) & (impulse[0] >= none) &
                  (x * x + y * y <= bound_now * bound_now)))
        return false;
    ashi_pair normal = pair_select(impulse[0] < u[0], impulse[0], u[0]);
    p->merit2 = normal * normal + slip2;
    for (int k = 0; k < 3; k++) {
        p->change[k] = more[k];
        p->off[k] = -u[k];
    }
    return true;
}

/* What the change of impulses does at b's centre. */
typedef struct wrench {
    ashi_pair force[3], moment[3];
} wrench;

static inline void add_to_wrench(const ashi_patch *patch, uint32_t first, const ashi_pair *change, wrench *sum)
{
    ashi_pair n = pair_load(&patch->arm[0][first]), s = pair_load(&patch->arm[1][first]);
    ashi_pair t = pair_load(&patch->arm[2][first]);
    for (int k = 0; k < 3; k++)
        sum->force[k] += change[k];
    sum->moment[0] += s * change[2] - t * change[1];
    sum->moment[1] += t * change[0] - n * change[2];
    sum->moment[2] += n * change[1] - s * change[0];
}

/* lambda of two points. */
static inline void load_impulses(const ashi_patches *patches, const ashi_patch *patch, uint32_t first, two_points *p)
{
    size_t stride = patches->stride, next = first + 1 < patch->count ? patch->rows * stride : 0;
    const double *from = patches->impulses + stride * (patch->first_row + patch->rows * first);
    ashi_pair present = presence(patch, first);
    p->impulse[0] = present * (ashi_pair){from[0], from[next]};
    p->impulse[1] = present * (ashi_pair){from[stride], from[next + stride]};
    p->impulse[2] = pair_of(0);
    if (patch->rows > 2)
        p->impulse[2] = present * (ashi_pair){from[2 * stride], from[next + 2 * stride]};
}

/* The points of a patch. Returns |H|^2. */
static inline ashi_pair pair_points(const ashi_patches *patches, ashi_patch *patch, const rigid *motion, wrench *sum)
{
    ashi_pair merit2 = {0, 0};
    for (uint32_t first = 0; first < patch->count; first += 2) {
        two_points p;
        ashi_pair softness = pair_load(&patch->softness[first]);
        load_impulses(patches, patch, first, &p);
        velocities_at(motion, patch, first, p.u);
        p.u[0] += pair_load(&patch->bias[first]) + softness * p.impulse[0];
        if (!pair_holding(patch, first, &p))
            pair_one_by_one(patch, first, &p);
        pair_store(&patch->yield[first], softness * p.change[0]);
        for (int k = 0; k < 3; k++)
            pair_store(&patch->off[k][first], p.off[k]);
        add_to_wrench(patch, first, p.change, sum);
        merit2 += p.merit2;
    }
    return merit2;
}

/* The place beside the last of an odd number of points. */
static void clear_place(ashi_patch *patch)
{
    uint32_t i = patch->count;
    for (int k = 0; k < 3; k++)
        patch->arm[k][i] = 0;
    patch->rho[i] = patch->softness[i] = patch->bias[i] = 0;
}

static inline void push(ashi_body_motions impulse, uint32_t body, ash_vec3 force, ash_vec3 moment, double sign)
{
    uint32_t place = body - impulse.first;
    if (place >= impulse.count)
        return;
    ash_motion *sum = &impulse.of[place];
    sum->linear = v3_add_scaled(sum->linear, force, sign);
    sum->angular = v3_add_scaled(sum->angular, moment, sign);
}

void ashi_patches_pair(const ashi_patches *patches, const ash_problem *problem, ashi_body_motions impulse,
                       ashi_judgement *judgement)
{
    ashi_pair merit2 = {0, 0};
    for (uint32_t i = 0; i < patches->count; i++) {
        ashi_patch *patch = &patches->list[i];
        wrench sum = {{{0, 0}}, {{0, 0}}};
        if (patch->count % 2 != 0)
            clear_place(patch);
        rigid motion = motion_between(patch, &problem->velocity[patch->body_a], &problem->velocity[patch->body_b]);
        motion.linear[1] += pair_of(patch->slide[0]);
        motion.linear[2] += pair_of(patch->slide[1]);
        merit2 += pair_points(patches, patch, &motion, &sum);
        double force[3], moment[3];
        for (int k = 0; k < 3; k++) {
            force[k] = pair_sum(sum.force[k]);
            moment[k] = pair_sum(sum.moment[k]);
        }
        ash_vec3 f = in_world(patch->axes, force), m = in_world(patch->axes, moment);
        push(impulse, patch->body_b, f, m, 1);
        push(impulse, patch->body_a, f, v3_add(m, v3_cross(patch->distance, f)), -1);
    }
    judgement->theta += pair_sum(merit2) / 2;
}

/* ---- the second pass ---- */

/* Squares of the errors of two points: |u' - u(lambda)|^2 or |u' - u(lambda')|^2. */
static inline ashi_pair compare_points(const ashi_patch *patch, uint32_t first, const rigid *motion)
{
    ashi_pair u[3], now = {0, 0}, then = {0, 0};
    velocities_at(motion, patch, first, u);
    u[0] += pair_load(&patch->yield[first]);
    for (int k = 0; k < 3; k++) {
        ashi_pair off = pair_load(&patch->off[k][first]), rest = off - u[k];
        now += off * off;
        then += rest * rest;
    }
    return pair_select(now > then, now, then); /* what is not a number in the first is none in the second */
}

static void note_worst(ashi_judgement *judgement, double error2, uint32_t block)
{
    if (error2 <= judgement->largest2)
        return;
    judgement->largest2 = error2 >= 0 ? error2 : HUGE_VAL; /* what is not a number is infinitely wrong */
    judgement->worst_block = block;
}

void ashi_patches_compare(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement)
{
    ashi_pair sum = {0, 0};
    for (uint32_t i = 0; i < patches->count; i++) {
        const ashi_patch *patch = &patches->list[i];
        rigid motion = motion_between(patch, motion_of(change, patch->body_a), motion_of(change, patch->body_b));
        for (uint32_t first = 0; first < patch->count; first += 2) {
            ashi_pair error2 = compare_points(patch, first, &motion);
            sum += pair_sqrt(error2);
            if (pair_all(error2 <= pair_of(judgement->largest2)))
                continue;
            note_worst(judgement, error2[0], patch->first_block + first);
            if (first + 1 < patch->count)
                note_worst(judgement, error2[1], patch->first_block + first + 1);
        }
        judgement->judged += patch->count;
    }
    judgement->sum += pair_sum(sum);
}
