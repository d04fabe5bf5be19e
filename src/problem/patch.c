/* The yardstick on patches: exact_pair.c and yardstick.c written out for four patches side by side, point by point.
 *
 * With z = lambda - rho u^, u^ = u + mu |u_t| n, what holds by friction has z in the cone: then lambda' = z and u' = 0.
 * That is nearly all of a pile, and takes one division and one root. Where not all four hold, all cases are computed
 * for each and the right one is chosen. */
#include "problem/patch.h"

#include "math/quad3.h"

/* ---- finding ---- */

/* A normal and tangents at a point, under one moderate coefficient. */
static inline bool suits(const ash_problem_block *block, const ash_problem_row *row, uint32_t rows)
{
    return block->at_point && block->row_count == rows && block->tangents == rows - 1 && block->friction <= 1 &&
           block->sliding_friction >= block->friction && block->friction_limit < 0 && row[1].softness == 0 &&
           row[rows - 1].softness == 0;
}

/* Whether a block that may belong to the patch of an earlier one does. The solvers' frame changes coefficients of
 * friction while contacts give way. */
static inline bool goes_on(const ash_problem_block *block, const double *response, uint32_t count)
{
    return block[count].alike && block[count].friction == block->friction && response[count] > 0;
}

/* How many points the patch that begins with a block has; 0: it can be in none. Four are asked for first, so that a
 * processor that expects them need not wait for the answer to go on with what follows. */
static inline uint32_t count_points(const ashi_patch_blocks *blocks, uint32_t number, uint32_t end, uint32_t rows)
{
    const ash_problem *p = blocks->problem;
    const ash_problem_block *block = &p->blocks[number];
    const double *response = &blocks->response[number - blocks->first];
    uint32_t count = 1, most = end - number;
    /* rows are read as if there were four points */
    if (!(response[0] > 0) || block->first_row + ASHI_PATCH_POINTS * rows > blocks->row_end ||
        !suits(block, &p->rows[block->first_row], rows))
        return 0;
    if (most >= ASHI_PATCH_POINTS && goes_on(block, response, 1) && goes_on(block, response, 2) &&
        goes_on(block, response, 3))
        return ASHI_PATCH_POINTS;
    while (count < most && goes_on(block, response, count))
        count++;
    return count;
}

/* ---- gathering ---- */

/* Four blocks' rows, or motions: these are nothing but numbers. */
typedef struct four_places {
    const double *of[ASHI_PATCHES];
} four_places;

/* Where a number is in a block's first row; the next row is NUMBERS further. */
#define IN_ROW(member) (offsetof(ash_problem_row, member) / sizeof(double))
#define NUMBERS        (sizeof(ash_problem_row) / sizeof(double))

ASHI_MERGED four_places at(const four_places *places, size_t number)
{
    return (four_places){
        {places->of[0] + number, places->of[1] + number, places->of[2] + number, places->of[3] + number}};
}

ASHI_MERGED ashi_quad gather(const four_places *places, size_t number)
{
    return quad_gather(at(places, number).of);
}

ASHI_MERGED ashi_quad3 gather_vectors(const four_places *places, size_t number)
{
    ashi_quad3 vectors;
    quad_gather_two(at(places, number).of, &vectors.x, &vectors.y);
    vectors.z = gather(places, number + 2);
    return vectors;
}

/* ---- rigid motion ---- */

/* Normals and tangents. */
typedef struct four_frames {
    ashi_quad3 n, t, s;
} four_frames;

ASHI_MERGED ashi_quad3 along(const four_frames *f, ashi_quad3 world)
{
    return (ashi_quad3){quad3_dot(f->n, world), quad3_dot(f->t, world), quad3_dot(f->s, world)};
}

ASHI_MERGED ashi_quad3 in_world(const four_frames *f, ashi_quad3 v)
{
    return quad3_add(quad3_add(quad3_scale(v.x, f->n), quad3_scale(v.y, f->t)), quad3_scale(v.z, f->s));
}

typedef struct four_motions {
    ashi_quad3 linear, angular;
} four_motions;

ASHI_MERGED four_motions gather_motions(const four_places *places)
{
    four_motions m;
    quad_gather_two(places->of, &m.linear.x, &m.linear.y);
    quad_gather_two(at(places, 2).of, &m.linear.z, &m.angular.x);
    quad_gather_two(at(places, 4).of, &m.angular.y, &m.angular.z);
    return m;
}

ASHI_MERGED four_motions gather_wide_motions(const four_places *places)
{
    return (four_motions){quad3_gather(places->of), quad3_gather(at(places, 4).of)};
}

/* Of b against a, as seen at b's centre, along normals and tangents. */
ASHI_MERGED four_motions motions_between(const four_motions *a, const four_motions *b, ashi_quad3 distance,
                                         const four_frames *f)
{
    ashi_quad3 there = quad3_add(a->linear, quad3_cross(a->angular, distance));
    return (four_motions){along(f, quad3_sub(b->linear, there)), along(f, quad3_sub(b->angular, a->angular))};
}

/* From the moments r x n and r x t along the world's axes: r along normals and tangents. */
ASHI_MERGED ashi_quad3 arms_of(const four_frames *f, ashi_quad3 moment_n, ashi_quad3 moment_t)
{
    return (ashi_quad3){quad3_dot(f->s, moment_t), -quad3_dot(f->s, moment_n), quad3_dot(f->t, moment_n)};
}

ASHI_MERGED uint32_t most_points(const ashi_four_patches *four)
{
    uint32_t most = four->count[0];
    for (int i = 1; i < ASHI_PATCHES; i++)
        most = most > four->count[i] ? most : four->count[i];
    return most;
}

/* ---- the first pass ---- */

/* A point of each patch, along normals and tangents. */
typedef struct four_points {
    ashi_quad_mask present;
    ashi_quad friction, rho, softness;
    ashi_quad3 impulse; /* lambda */
    ashi_quad3 u;       /* u(lambda), and then u(lambda) - u' */
    ashi_quad3 less;    /* lambda - lambda' */
    ashi_quad merit2;   /* |H|^2, H by Erleben 2007 (37), as yardstick.c has it */
} four_points;

ASHI_MERGED ashi_quad slip_of(ashi_quad friction, ashi_quad3 u)
{
    return friction * quad_sqrt(u.y * u.y + u.z * u.z);
}

/* As if all hold by friction: lambda - lambda' = rho u^, u' = 0. Returns where that is not so, or one would leave its
 * bound if 1 kg were its mass, as theta asks. */
ASHI_MERGED ashi_quad_mask hold(four_points *p)
{
    ashi_quad3 u = p->u, impulse = p->impulse, z = quad3_sub(impulse, p->less), target = quad3_sub(impulse, u);
    ashi_quad none = quad_of(0), bound = p->friction * z.x, bound_now = p->friction * impulse.x;
    ashi_quad normal = quad_select(impulse.x < u.x, impulse.x, u.x);
    p->merit2 = normal * normal + (u.y * u.y + u.z * u.z);
    return p->present & ~((z.x >= none) & (z.y * z.y + z.z * z.z <= bound * bound) & (impulse.x >= none) &
                          (target.y * target.y + target.z * target.z <= bound_now * bound_now));
}

ASHI_MERGED ashi_quad merit_of_all_kinds(const four_points *p)
{
    ashi_quad3 u = p->u, impulse = p->impulse;
    ashi_quad bound = quad_where(impulse.x > quad_of(0), p->friction * impulse.x);
    ashi_quad normal = quad_select(impulse.x < u.x, impulse.x, u.x);
    ashi_quad y = impulse.y - u.y, z = impulse.z - u.z, length2 = y * y + z * z;
    ashi_quad scale = quad_select(length2 <= bound * bound, quad_of(1), bound / quad_sqrt(length2));
    y = impulse.y - scale * y;
    z = impulse.z - scale * z;
    return normal * normal + y * y + z * z;
}

/* Where some do not hold: lambda' is at the bound of the cone, or 0. */
ASHI_MERGED void pair_all_kinds(four_points *p)
{
    ashi_quad3 u = p->u, impulse = p->impulse, z = quad3_sub(impulse, p->less);
    ashi_quad none = quad_of(0), length2 = z.y * z.y + z.z * z.z, length = quad_sqrt(length2);
    ashi_quad bound = p->friction * z.x;
    ashi_quad_mask holds = (z.x >= none) & (length2 <= bound * bound);
    ashi_quad_mask open = (u.x >= none) & (impulse.x == none) & (impulse.y == none) & (impulse.z == none);
    ashi_quad normal = (z.x + p->friction * length) / (1 + p->friction * p->friction);
    ashi_quad_mask stays = ~(normal <= none);
    ashi_quad scale = quad_where(stays, p->friction * normal / length);
    ashi_quad3 less = quad3_sub(impulse, (ashi_quad3){quad_where(stays, normal), scale * z.y, scale * z.z});
    ashi_quad3 changed = {u.x - less.x / p->rho, u.y - less.y / p->rho, u.z - less.z / p->rho};
    ashi_quad3 goal = quad3_where(~holds, quad3_select(open, u, changed));
    goal.x += quad_where(~holds & ~open, slip_of(p->friction, u) - slip_of(p->friction, goal));
    p->merit2 = merit_of_all_kinds(p);
    p->less = quad3_where(~open, quad3_select(holds, p->less, less));
    p->u = quad3_sub(u, goal);
}

/* ---- four patches ---- */

/* What is found about four patches on the way. */
typedef struct four_sides {
    four_places rows; /* of each patch's first point */
    four_frames frames;
    ashi_quad3 distance;
    ashi_quad friction;
    ashi_quad count;      /* of points */
    four_motions motions; /* with those of the surfaces */
    four_motions wrench;  /* sum of lambda - lambda' at b's centre: force and moment */
    ashi_quad merit2;
} four_sides;

ASHI_MERGED four_frames gather_frames(const four_places *rows, bool planar)
{
    four_frames f;
    f.n = gather_vectors(rows, IN_ROW(linear_b));
    f.t = gather_vectors(rows, NUMBERS + IN_ROW(linear_b));
    f.s = planar ? quad3_cross(f.n, f.t) : gather_vectors(rows, 2 * NUMBERS + IN_ROW(linear_b));
    return f;
}

/* r from the centres of one side, which is that of `moment` in the rows. */
ASHI_MERGED ashi_quad3 gather_arms(const four_places *rows, const four_frames *f, size_t moment)
{
    return arms_of(f, gather_vectors(rows, moment), gather_vectors(rows, NUMBERS + moment));
}

ASHI_MERGED void find_arms(const four_sides *sides, ashi_four_patches *four, uint32_t most, size_t stride)
{
    for (uint32_t k = 0; k < most; k++) {
        four_places rows = at(&sides->rows, k * stride);
        quad3_store(four->points[k].arm, gather_arms(&rows, &sides->frames, IN_ROW(angular_b)));
    }
}

ASHI_MERGED void find_sides(const ash_problem *p, ashi_four_patches *four, four_sides *sides, uint32_t most,
                            bool planar)
{
    four_places a, b;
    double friction[ASHI_PATCHES];
    for (int i = 0; i < ASHI_PATCHES; i++) {
        const ash_problem_block *block = &p->blocks[four->first_block[i]];
        friction[i] = block->friction;
        sides->rows.of[i] = (const double *)(const void *)&p->rows[block->first_row];
        a.of[i] = (const double *)(const void *)&p->velocity[four->body_a[i]];
        b.of[i] = (const double *)(const void *)&p->velocity[four->body_b[i]];
    }
    sides->friction = quad_load(friction);
    sides->count = (ashi_quad){four->count[0], four->count[1], four->count[2], four->count[3]};
    sides->frames = gather_frames(&sides->rows, planar);
    find_arms(sides, four, most, (planar ? 2 : 3) * NUMBERS);
    /* a is pushed the other way than b: its moments are minus those of its arms */
    ashi_quad3 arm_a = gather_arms(&sides->rows, &sides->frames, IN_ROW(angular_a));
    ashi_quad3 back = quad3_add(arm_a, quad3_load(four->points[0].arm));
    sides->distance = in_world(&sides->frames, (ashi_quad3){-back.x, -back.y, -back.z});
    four_motions of_a = gather_motions(&a), of_b = gather_motions(&b);
    sides->motions = motions_between(&of_a, &of_b, sides->distance, &sides->frames);
    sides->motions.linear.y += gather(&sides->rows, NUMBERS + IN_ROW(bias));
    if (!planar)
        sides->motions.linear.z += gather(&sides->rows, 2 * NUMBERS + IN_ROW(bias));
    quad3_store(four->normal, sides->frames.n);
    quad3_store(four->tangents[0], sides->frames.t);
    quad3_store(four->tangents[1], sides->frames.s);
    quad3_store(four->distance, sides->distance);
}

ASHI_MERGED void gather_responses(const ashi_patch_blocks *blocks, const ashi_four_patches *four, ashi_quad *response)
{
    four_places places;
    for (int i = 0; i < ASHI_PATCHES; i++)
        places.of[i] = blocks->response + (four->first_block[i] - blocks->first);
    quad_gather_two(places.of, &response[0], &response[1]);
    quad_gather_two(at(&places, 2).of, &response[2], &response[3]);
}

ASHI_MERGED void look_at_points(const four_sides *sides, const four_places *rows, ashi_quad response, ashi_quad3 arm,
                                bool planar, four_points *p)
{
    ashi_quad bias;
    quad_gather_two(at(rows, IN_ROW(bias)).of, &bias, &p->softness);
    p->friction = sides->friction;
    p->rho = quad_of(planar ? 2 : 3) / (response + p->softness);
    p->impulse.x = gather(rows, IN_ROW(impulse));
    p->impulse.y = gather(rows, NUMBERS + IN_ROW(impulse));
    p->impulse.z = planar ? quad_of(0) : gather(rows, 2 * NUMBERS + IN_ROW(impulse));
    ashi_quad3 u = quad3_add(sides->motions.linear, quad3_cross(sides->motions.angular, arm));
    u.x += bias + p->softness * p->impulse.x;
    p->u = u;
    p->less = quad3_scale(p->rho, (ashi_quad3){u.x + slip_of(p->friction, u), u.y, u.z});
}

/* What the second pass needs, and what the bodies get. */
ASHI_MERGED void keep_points(const four_points *p, ashi_kept_points *kept, four_sides *sides)
{
    ashi_quad3 less = quad3_where(p->present, p->less), arm = quad3_load(kept->arm);
    quad_store(kept->error2, quad3_dot(p->u, p->u));
    quad3_store(kept->off, (ashi_quad3){p->u.x - p->softness * less.x, p->u.y, p->u.z});
    sides->wrench.linear = quad3_add(sides->wrench.linear, less);
    sides->wrench.angular = quad3_add(sides->wrench.angular, quad3_cross(arm, less));
    sides->merit2 += quad_where(p->present, p->merit2);
}

/* Adds to what bodies get, if they are some of these. */
ASHI_MERGED void add_to_bodies(ashi_body_motions impulse, const uint32_t *bodies, ashi_quad3 force, ashi_quad3 moment)
{
    ashi_quad forces[ASHI_PATCHES], moments[ASHI_PATCHES];
    quad3_part(force, forces);
    quad3_part(moment, moments);
    for (int i = 0; i < ASHI_PATCHES; i++) {
        uint32_t place = bodies[i] - impulse.first; /* wraps around for bodies before the first */
        if (place >= impulse.count)
            continue;
        double *sum = (double *)(void *)&impulse.of[place];
        quad_store(sum, quad_load(sum) + forces[i]);
        quad_store(sum + 4, quad_load(sum + 4) + moments[i]);
    }
}

/* Returns |H|^2. Some short loops: a processor is so busy with many points at a time while roots are still under way.
 */
ASHI_MERGED double pair_in(const ashi_patch_blocks *blocks, ashi_four_patches *four, ashi_body_motions impulse,
                           bool planar)
{
    four_sides sides = {0};
    ashi_quad response[ASHI_PATCH_POINTS], point = quad_of(0);
    four_points points[ASHI_PATCH_POINTS];
    ashi_quad_mask others = {0, 0, 0, 0};
    uint32_t most = most_points(four);
    gather_responses(blocks, four, response);
    find_sides(blocks->problem, four, &sides, most, planar);
    for (uint32_t k = 0; k < most; k++, point += quad_of(1)) {
        four_places rows = at(&sides.rows, k * (planar ? 2 : 3) * NUMBERS);
        points[k].present = sides.count > point;
        look_at_points(&sides, &rows, response[k], quad3_load(four->points[k].arm), planar, &points[k]);
    }
#pragma GCC unroll 1
    for (uint32_t k = 0; k < most; k++)
        others |= hold(&points[k]);
    for (uint32_t k = 0; quad_any(others) && k < most; k++)
        pair_all_kinds(&points[k]);
#pragma GCC unroll 1
    for (uint32_t k = 0; k < most; k++)
        keep_points(&points[k], &four->points[k], &sides);
    ashi_quad3 force = in_world(&sides.frames, sides.wrench.linear);
    ashi_quad3 moment = in_world(&sides.frames, sides.wrench.angular);
    ashi_quad3 none = {quad_of(0), quad_of(0), quad_of(0)};
    add_to_bodies(impulse, four->body_a, force, quad3_add(moment, quad3_cross(sides.distance, force)));
    add_to_bodies(impulse, four->body_b, quad3_sub(none, force), quad3_sub(none, moment));
    return quad_sum(sides.merit2);
}

ASHI_MERGED double pair_merged(const ashi_patch_blocks *blocks, ashi_four_patches *four, ashi_body_motions impulse)
{
    if (blocks->problem->planar)
        return pair_in(blocks, four, impulse, true);
    return pair_in(blocks, four, impulse, false);
}

ASHI_WIDE static double pair_wide(const ashi_patch_blocks *blocks, ashi_four_patches *four, ashi_body_motions impulse)
{
    return pair_merged(blocks, four, impulse);
}

static void pair_four(const ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_four_patches *four,
                      ashi_body_motions impulse, ashi_judgement *judgement)
{
    bool wide = !patches->narrow && ashi_machine_is_wide();
    judgement->theta += (wide ? pair_wide(blocks, four, impulse) : pair_merged(blocks, four, impulse)) / 2;
}

uint32_t ashi_patches_pair(ashi_patches *patches, const ashi_patch_blocks *blocks, uint32_t next, uint32_t end,
                           ashi_body_motions impulse, ashi_judgement *judgement)
{
    const ash_problem *p = blocks->problem;
    uint32_t rows = p->planar ? 2 : 3;
    if (blocks->law->law != ASH_FRICTION_CONE)
        return next;
    for (uint32_t count; next < end; next += count) {
        const ash_problem_block *block = &p->blocks[next];
        count = count_points(blocks, next, end, rows);
        if (count == 0)
            break;
        ashi_four_patches *four = &patches->list[patches->count / ASHI_PATCHES];
        uint32_t lane = patches->count++ % ASHI_PATCHES;
        four->first_block[lane] = next;
        four->count[lane] = count;
        four->body_a[lane] = block->body_a;
        four->body_b[lane] = block->body_b;
        if (lane == ASHI_PATCHES - 1)
            pair_four(patches, blocks, four, impulse, judgement);
    }
    return next;
}

/* The later half of a patch becomes one of its own, after it. */
static void halve(ashi_four_patches *four, uint32_t which, uint32_t filled)
{
    uint32_t first = four->count[which] / 2;
    for (uint32_t i = filled; i > which; i--) {
        four->first_block[i] = four->first_block[i - 1];
        four->count[i] = four->count[i - 1];
        four->body_a[i] = four->body_a[i - 1];
        four->body_b[i] = four->body_b[i - 1];
    }
    four->count[which] = first;
    four->first_block[which + 1] += first;
    four->count[which + 1] -= first;
}

static uint32_t largest_of(const ashi_four_patches *four, uint32_t filled)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < filled; i++)
        largest = four->count[i] > four->count[largest] ? i : largest;
    return largest;
}

/* Points are spread over all lanes. */
void ashi_patches_pair_rest(ashi_patches *patches, const ashi_patch_blocks *blocks, ashi_body_motions impulse,
                            ashi_judgement *judgement)
{
    ashi_four_patches *four = &patches->list[patches->count / ASHI_PATCHES];
    uint32_t filled = patches->count % ASHI_PATCHES;
    if (filled == 0)
        return;
    for (; filled < ASHI_PATCHES && four->count[largest_of(four, filled)] > 1; filled++) {
        halve(four, largest_of(four, filled), filled);
        patches->count++;
    }
    for (; filled < ASHI_PATCHES; filled++) {
        four->first_block[filled] = four->first_block[0];
        four->count[filled] = 0;
        four->body_a[filled] = four->body_a[0];
        four->body_b[filled] = four->body_b[0];
    }
    pair_four(patches, blocks, four, impulse, judgement);
}

/* ---- the second pass ---- */

static void note_worst(ashi_judgement *judgement, double error2, uint32_t block)
{
    if (error2 <= judgement->largest2)
        return;
    judgement->largest2 = error2 >= 0 ? error2 : HUGE_VAL; /* what is not a number is infinitely wrong */
    judgement->worst_block = block;
}

/* Squares of the errors: |u' - u(lambda)|^2 or |u' - u(lambda')|^2. */
ASHI_MERGED ashi_quad compare_points(ashi_kept_points *kept, const four_motions *motions, ashi_quad_mask present)
{
    ashi_quad3 change = quad3_add(motions->linear, quad3_cross(motions->angular, quad3_load(kept->arm)));
    ashi_quad3 off = quad3_add(quad3_load(kept->off), change);
    ashi_quad now = quad_load(kept->error2), then = quad3_dot(off, off);
    /* what is not a number in the first is none in the second */
    return quad_where(present, quad_select(now > then, now, then));
}

/* One by one. */
static void note_four(const ashi_four_patches *four, double error2[][ASHI_PATCHES], ashi_judgement *judgement)
{
    for (uint32_t i = 0; i < ASHI_PATCHES; i++)
        for (uint32_t k = 0; k < four->count[i]; k++)
            note_worst(judgement, error2[k][i], four->first_block[i] + k);
}

ASHI_MERGED void compare_four(ashi_four_patches *four, ashi_body_motions change, ashi_judgement *judgement)
{
    static const ashi_wide_motion still = {{0, 0, 0}, 0, {0, 0, 0}, 0};
    four_places a, b;
    for (int i = 0; i < ASHI_PATCHES; i++) {
        uint32_t place_a = four->body_a[i] - change.first, place_b = four->body_b[i] - change.first;
        a.of[i] = (const double *)(const void *)(place_a < change.count ? &change.of[place_a] : &still);
        b.of[i] = (const double *)(const void *)(place_b < change.count ? &change.of[place_b] : &still);
        judgement->judged += four->count[i];
    }
    four_frames frames = {quad3_load(four->normal), quad3_load(four->tangents[0]), quad3_load(four->tangents[1])};
    four_motions of_a = gather_wide_motions(&a), of_b = gather_wide_motions(&b);
    four_motions motions = motions_between(&of_a, &of_b, quad3_load(four->distance), &frames);
    ashi_quad count = {four->count[0], four->count[1], four->count[2], four->count[3]};
    ashi_quad sum = quad_of(0), point = quad_of(0), largest2 = quad_of(judgement->largest2);
    ashi_quad_mask larger = {0, 0, 0, 0};
    double errors2[ASHI_PATCH_POINTS][ASHI_PATCHES];
    for (uint32_t k = 0, most = most_points(four); k < most; k++, point += quad_of(1)) {
        ashi_quad error2 = compare_points(&four->points[k], &motions, count > point);
        quad_store(errors2[k], error2);
        sum += quad_sqrt(error2);
        larger |= ~(error2 <= largest2);
    }
    judgement->sum += quad_sum(sum);
    if (quad_any(larger))
        note_four(four, errors2, judgement);
}

ASHI_MERGED void compare_patches(const ashi_patches *patches, ashi_body_motions change, ashi_judgement *judgement)
{
    for (uint32_t i = 0; ASHI_PATCHES * i < patches->count; i++)
        compare_four(&patches->list[i], change, judgement);
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
