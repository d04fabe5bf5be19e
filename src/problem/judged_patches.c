/* The yardstick on patches: exact_pair.c and yardstick.c written out for four patches side by side, point by point,
 * along their normals and tangents.
 *
 * With z = lambda - rho u^, u^ = u + mu |u_t| n, points that stick have z in the cone: then lambda' = z and u' = 0.
 * Nearly all points of a pile stick; such a point takes one division and one root. If not all points of four patches
 * stick, they are processed again: all cases are computed for each point and the right one is selected. */
#include "math/quad3.h"
#include "problem/patch.h"

/* The place of a datum for each of four patches: records are treated as arrays of numbers. */
typedef struct four_places {
    const double *of[ASHI_PATCHES];
} four_places;

/* ---- rigid motion ---- */

/* Normals, tangents and the vectors between the centres. */
typedef struct four_frames {
    ashi_quad3 n, t, s;
    ashi_quad3 distance;
    ashi_quad friction, bias, other_bias;
} four_frames;

/* Loads a vector of the patches and the numbers beside it; `place` is that of the first patch. */
ASHI_MERGED ashi_quad3 gather_of_patches(const ash_vec3 *place, ashi_quad *beside)
{
    const size_t numbers = sizeof(ashi_patch) / sizeof(double);
    const double *first = &place->x;
    const four_places places = {{first, first + numbers, first + 2 * numbers, first + 3 * numbers}};
    return quad3_gather(places.of, beside);
}

ASHI_MERGED four_frames frames_of(const ashi_patch *four)
{
    four_frames f;
    ashi_quad beside;
    f.n = gather_of_patches(&four->normal, &f.friction);
    f.t = gather_of_patches(&four->tangent, &f.bias);
    f.s = gather_of_patches(&four->other, &f.other_bias);
    f.distance = gather_of_patches(&four->distance, &beside);
    return f;
}

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

/* The motion of b relative to a along the frames, at b's centre; `between` is that of the centres. */
ASHI_MERGED four_motions motions_in(const four_frames *f, const four_motions *between, ashi_quad3 turn_a)
{
    return (four_motions){along(f, quad3_sub(between->linear, quad3_cross(turn_a, f->distance))),
                          along(f, between->angular)};
}

ASHI_MERGED ashi_quad3 velocity_at(const four_motions *m, ashi_quad3 arm)
{
    return quad3_add(m->linear, quad3_cross(m->angular, arm));
}

/* ---- the law ---- */

/* A point of each patch, along normals and tangents. */
typedef struct four_points {
    ashi_quad friction, rho;
    ashi_quad slide2, slide; /* |u_t|^2, |u_t| */
    ashi_quad3 impulse;      /* lambda */
    ashi_quad3 u;            /* u(lambda); for plain patches in `off` of ashi_four_points until they are judged */
    ashi_quad3 less;         /* rho u^: lambda - lambda' if the point sticks */
    ashi_quad softness;      /* of normals, if not all patches are plain */
} four_points;

/* Whether the point sticks. */
ASHI_MERGED ashi_quad_mask holds(const four_points *p)
{
    ashi_quad3 z = quad3_sub(p->impulse, p->less);
    ashi_quad bound = p->friction * z.x;
    return (z.x >= quad_of(0)) & (z.y * z.y + z.z * z.z <= bound * bound);
}

/* Whether the point clearly sticks, for our rho and for that of theta, 1 kg: rho u^ reduces the normal impulse by at
 * most its length, and no tangential part is longer than |lambda_t| + (1 + rho) |u_t|. */
ASHI_MERGED ashi_quad_mask holds_by_far(const four_points *p)
{
    ashi_quad3 impulse = p->impulse;
    ashi_quad bound = p->friction * (impulse.x - quad_abs(p->less.x)) - (p->slide + p->rho * p->slide);
    return impulse.y * impulse.y + impulse.z * impulse.z < bound * quad_abs(bound); /* which must be above 0 */
}

/* |H|^2 of points that stick, with H by Erleben 2007 (37) as in yardstick.c. */
ASHI_MERGED ashi_quad merit_of_held(const four_points *p)
{
    ashi_quad normal = quad_select(p->impulse.x < p->u.x, p->impulse.x, p->u.x);
    return normal * normal + p->slide2;
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
    return normal * normal + (y * y + z * z);
}

/* If some do not stick: lambda' is on the boundary of the cone, or 0. Returns u', and lambda - lambda' of those that do
 * not stick. */
ASHI_MERGED ashi_quad3 pair_all_kinds(const four_points *p, ashi_quad_mask held, ashi_quad3 *less_of_others)
{
    ashi_quad3 u = p->u, impulse = p->impulse, z = quad3_sub(impulse, p->less);
    ashi_quad none = quad_of(0), length = quad_sqrt(z.y * z.y + z.z * z.z);
    ashi_quad_mask open = (u.x >= none) & (impulse.x == none) & (impulse.y == none) & (impulse.z == none);
    ashi_quad normal = (z.x + p->friction * length) / (1 + p->friction * p->friction);
    ashi_quad_mask stays = ~(normal <= none);
    ashi_quad scale = quad_where(stays, p->friction * normal / length);
    ashi_quad3 less = quad3_sub(impulse, (ashi_quad3){quad_where(stays, normal), scale * z.y, scale * z.z});
    ashi_quad3 changed = {u.x - less.x / p->rho, u.y - less.y / p->rho, u.z - less.z / p->rho};
    ashi_quad3 goal = quad3_where(~held, quad3_select(open, u, changed));
    ashi_quad slide = quad_sqrt(goal.y * goal.y + goal.z * goal.z);
    goal.x += quad_where(~held & ~open, p->friction * (p->slide - slide));
    *less_of_others = quad3_where(~open, less);
    return goal;
}

/* ---- the first pass ---- */

/* The data of the first pass. */
typedef struct judging {
    const ashi_patches *patches;
    const ash_motion *velocity;
    ashi_quad rows; /* of a contact */
    ashi_wide_motion *impulse;
} judging;

/* Sums over all points of a patch. */
typedef struct four_sums {
    four_motions wrench; /* sum of lambda - lambda' at b's centre: force and moment */
    ashi_quad merit2;
} four_sums;

/* Intermediate data of four patches. */
typedef struct four_sides {
    four_frames frames;
    four_motions motions; /* with those of the surfaces */
    four_points points[ASHI_PATCH_POINTS];
    four_sums sum;
} four_sides;

ASHI_MERGED four_motions gather_velocities(const ash_motion *velocity, const uint32_t body[ASHI_PATCHES])
{
    four_places places, rest;
    four_motions m;
    for (int i = 0; i < ASHI_PATCHES; i++) {
        places.of[i] = &velocity[body[i]].linear.x;
        rest.of[i] = &velocity[body[i]].angular.y;
    }
    m.linear = quad3_gather(places.of, &m.angular.x);
    quad_gather_two(rest.of, &m.angular.y, &m.angular.z);
    return m;
}

ASHI_MERGED void look_at_sides(const ashi_patch *four, const ash_motion *velocity, four_sides *sides)
{
    const uint32_t body_a[ASHI_PATCHES] = {four[0].body_a, four[1].body_a, four[2].body_a, four[3].body_a};
    const uint32_t body_b[ASHI_PATCHES] = {four[0].body_b, four[1].body_b, four[2].body_b, four[3].body_b};
    four_frames frames = frames_of(four);
    four_motions a = gather_velocities(velocity, body_a), b = gather_velocities(velocity, body_b);
    const four_motions between = {quad3_sub(b.linear, a.linear), quad3_sub(b.angular, a.angular)};
    four_motions motions = motions_in(&frames, &between, a.angular);
    motions.linear.y += frames.bias;
    motions.linear.z += frames.other_bias;
    sides->frames = frames;
    sides->motions = motions;
}

/* Computes the velocities of a point of each patch and its forces. Velocities are stored where u(lambda) - u' will be,
 * which is the same for points that stick; for `plain` patches they are not stored twice. */
ASHI_MERGED void look_at_points(const four_sides *sides, const four_places *impulses, const four_places *softness,
                                ashi_quad rows, ashi_four_points *points, four_points *p)
{
    ashi_quad bias, response = quad_load(points->response);
    p->impulse = quad3_gather(impulses->of, &bias);
    if (softness != NULL) {
        p->softness = quad_gather(softness->of);
        bias += p->softness * p->impulse.x;
        response += p->softness;
    }
    ashi_quad3 u = velocity_at(&sides->motions, quad3_load(points->arm));
    u.x += bias;
    quad3_store(points->off, u);
    if (softness != NULL)
        p->u = u;
    p->rho = rows / response;
    p->slide2 = u.y * u.y + u.z * u.z;
    p->slide = quad_sqrt(p->slide2);
}

/* First all points, so that roots are computed while the next points are processed. */
ASHI_MERGED void look_at_four(const judging *j, uint32_t number, bool plain, four_sides *sides)
{
    const ashi_patch *four = &j->patches->list[ASHI_PATCHES * number];
    ashi_four_patches *judged = &j->patches->fours[number];
    const size_t first = four[0].first, numbers = sizeof(ashi_patch_impulse) / sizeof(double);
    const size_t behind[ASHI_PATCHES] = {0, four[1].first - first, four[2].first - first, four[3].first - first};
    const double *softness = &j->patches->softness[first - j->patches->first];
    const double *impulse = &j->patches->impulses[first - j->patches->first].impulse.x;
    look_at_sides(four, j->velocity, sides);
#pragma GCC unroll 1
    for (uint32_t k = 0, most = judged->most; k < most; k++, impulse += numbers, softness++) {
        four_places impulses, softnesses;
        for (int i = 0; i < ASHI_PATCHES; i++) {
            impulses.of[i] = impulse + numbers * behind[i];
            softnesses.of[i] = softness + behind[i];
        }
        look_at_points(sides, &impulses, plain ? NULL : &softnesses, j->rows, &judged->points[k], &sides->points[k]);
    }
}

/* Adds their share of the wrench. Returns the lanes that need no further work: points that clearly stick (not required
 * with `all_kinds`) and absent ones. */
ASHI_MERGED ashi_quad_mask pair_points(four_sums *sum, const four_points *p, ashi_quad_mask present, bool all_kinds,
                                       bool plain, ashi_four_points *points)
{
    ashi_quad3 off = p->u, less = p->less, arm = quad3_load(points->arm);
    ashi_quad merit2 = all_kinds ? merit_of_all_kinds(p) : merit_of_held(p);
    if (all_kinds) {
        ashi_quad_mask held = holds(p);
        ashi_quad3 less_of_others;
        off = quad3_sub(p->u, pair_all_kinds(p, held, &less_of_others));
        less = quad3_select(held, less, less_of_others);
    }
    if (!plain) {
        quad_store(points->response, quad3_dot(off, off));
        off.x -= p->softness * less.x;
        less = quad3_where(present, less);
        arm = quad3_where(present, arm);
        merit2 = quad_where(present, merit2);
    }
    if (all_kinds || !plain) /* there are other kinds */
        quad3_store(points->off, off);
    sum->wrench.linear = quad3_add(sum->wrench.linear, less);
    sum->wrench.angular = quad3_add(sum->wrench.angular, quad3_cross(arm, less));
    sum->merit2 += merit2;
    return holds_by_far(p) | ~present;
}

/* Processes all points; returns whether none needs further work. */
ASHI_MERGED bool pair_four(four_sides *sides, bool all_kinds, bool plain, ashi_four_patches *judged)
{
    ashi_quad point = quad_of(0);
    ashi_quad_mask well = {-1, -1, -1, -1}, present = well;
    four_sums sum = {0};
#pragma GCC unroll 1
    for (uint32_t k = 0, most = judged->most; k < most; k++, point += quad_of(1)) {
        four_points p = sides->points[k];
        if (plain)
            p.u = quad3_load(judged->points[k].off);
        else
            present = quad_load(judged->count) > point;
        p.friction = sides->frames.friction;
        p.less = quad3_scale(p.rho, (ashi_quad3){p.u.x + p.friction * p.slide, p.u.y, p.u.z});
        well &= pair_points(&sum, &p, present, all_kinds, plain, &judged->points[k]);
    }
    sides->sum = sum;
    return quad_all(well);
}

/* Patch by patch, so that rounding does not depend on which patches are side by side. */
ASHI_MERGED void add_to_bodies(const four_sides *sides, const ashi_four_patches *judged, ashi_wide_motion *impulse)
{
    ashi_quad forces[ASHI_PATCHES], moments_a[ASHI_PATCHES], moments_b[ASHI_PATCHES];
    const four_frames *frames = &sides->frames;
    ashi_quad3 force = in_world(frames, sides->sum.wrench.linear), moment = in_world(frames, sides->sum.wrench.angular);
    double *begin = &impulse->linear.x;
    quad3_part(force, forces);
    quad3_part(moment, moments_b);
    quad3_part(quad3_add(moment, quad3_cross(frames->distance, force)), moments_a);
    for (int i = 0; i < ASHI_PATCHES; i++) {
        double *a = begin + judged->motion_a[i], *b = begin + judged->motion_b[i];
        quad_store(a, quad_load(a) + forces[i]);
        quad_store(a + 4, quad_load(a + 4) + moments_a[i]);
        quad_store(b, quad_load(b) - forces[i]);
        quad_store(b + 4, quad_load(b + 4) - moments_b[i]);
    }
}

/* First as if all points stick; if some do not, with all kinds. */
ASHI_MERGED void pair_any_four(const judging *j, uint32_t number, bool plain, four_sides *sides)
{
    ashi_four_patches *judged = &j->patches->fours[number];
    look_at_four(j, number, plain, sides);
    if (!pair_four(sides, false, plain, judged))
        pair_four(sides, true, plain, judged);
}

ASHI_MERGED double pair_patches(const judging *j)
{
    ashi_quad merit2 = quad_of(0);
    four_sides sides;
    for (uint32_t i = 0; ASHI_PATCHES * i < j->patches->count; i++) {
        if (j->patches->fours[i].plain)
            pair_any_four(j, i, true, &sides);
        else
            pair_any_four(j, i, false, &sides);
        add_to_bodies(&sides, &j->patches->fours[i], j->impulse);
        merit2 += sides.sum.merit2;
    }
    return quad_sum(merit2);
}

ASHI_WIDE static double pair_wide(const judging *j)
{
    return pair_patches(j);
}

void ashi_patches_pair(const ashi_patches *patches, const ashi_system *problem, ashi_wide_motion *impulse,
                       ashi_judgement *judgement)
{
    judging j = {patches, problem->velocity, quad_of(problem->planar ? 2 : 3), impulse};
    bool wide = !patches->narrow && ashi_machine_is_wide();
    judgement->theta += (wide ? pair_wide(&j) : pair_patches(&j)) / 2;
}

/* ---- between the passes ---- */

/* With vectors as stored: I^-1 w = (xx, yy, zz) w + (xy, yz, xz) (w_y, w_z, w_x) + (xz, xy, yz) (w_z, w_x, w_y). */
ASHI_MERGED void let_body_move(const ash_problem_body *body, ashi_wide_motion *motion)
{
    const double *numbers = (const double *)(const void *)body;
    double *linear = &motion->linear.x, *angular = linear + 4;
    ashi_quad mass = quad_load(numbers + offsetof(ash_problem_body, inverse_mass) / sizeof(double));
    ashi_quad diagonal = quad_load(numbers + offsetof(ash_problem_body, inverse_inertia.xx) / sizeof(double));
    ashi_quad products = quad_load(numbers + offsetof(ash_problem_body, inverse_inertia.xy) / sizeof(double));
    ashi_quad w = quad_load(angular);
    ashi_quad next =
        __builtin_shufflevector(products, products, 0, 2, 1, 3) * __builtin_shufflevector(w, w, 1, 2, 0, 3);
    ashi_quad last =
        __builtin_shufflevector(products, products, 1, 0, 2, 3) * __builtin_shufflevector(w, w, 2, 0, 1, 3);
    quad_store(linear, mass * quad_load(linear));
    quad_store(angular, diagonal * w + (next + last));
}

ASHI_MERGED void let_move(const ashi_system *problem, const ash_problem_island *island, ashi_wide_motion *motion)
{
    const ash_problem_body *bodies = problem->bodies;
    for (uint32_t i = 0, first = island->first_body, count = island->body_count; i < count; i++)
        let_body_move(&bodies[first + i], &motion[i]);
}

ASHI_WIDE static void let_move_wide(const ashi_system *problem, const ash_problem_island *island,
                                    ashi_wide_motion *motion)
{
    let_move(problem, island, motion);
}

void ashi_patches_let_move(const ashi_patches *patches, const ashi_system *problem, const ash_problem_island *island,
                           ashi_wide_motion *motion)
{
    if (!patches->narrow && ashi_machine_is_wide())
        let_move_wide(problem, island, motion);
    else
        let_move(problem, island, motion);
}

/* ---- the second pass ---- */

/* The largest error of each lane and its place, without branches. */
typedef struct four_worst {
    ashi_quad error2, place; /* of the point: ASHI_PATCH_POINTS times the four's number, and its own */
} four_worst;

/* Of lanes with equal errors the first point counts, as in a sequential search. */
ASHI_MERGED void note_worst(const ashi_patches *patches, const four_worst *worst, ashi_judgement *judgement)
{
    double place = 0;
    for (uint32_t i = 0; i < ASHI_PATCHES; i++) {
        double error2 = worst->error2[i];
        if (error2 < judgement->largest2 || (error2 == judgement->largest2 && worst->place[i] >= place))
            continue;
        place = worst->place[i];
        uint32_t four = (uint32_t)place / ASHI_PATCH_POINTS, k = (uint32_t)place % ASHI_PATCH_POINTS;
        judgement->largest2 = error2;
        judgement->worst = patches->offset + patches->list[ASHI_PATCHES * four + i].first + k;
    }
}

/* The difference b - a at four places, starting at a number. */
ASHI_MERGED ashi_quad3 gather_between(const four_places *a, const four_places *b, size_t number, ashi_quad *beside)
{
    ashi_quad between[ASHI_PATCHES];
    for (int i = 0; i < ASHI_PATCHES; i++)
        between[i] = quad_load(b->of[i] + number) - quad_load(a->of[i] + number);
    return quad3_of(between[0], between[1], between[2], between[3], beside);
}

ASHI_MERGED four_motions changes_between(const ashi_patch *four, const ashi_four_patches *judged,
                                         const ashi_wide_motion *change)
{
    four_frames frames = frames_of(four);
    const double *begin = &change->linear.x;
    ashi_quad beside;
    four_places a, b, turns;
    for (int i = 0; i < ASHI_PATCHES; i++) {
        a.of[i] = begin + judged->motion_a[i];
        b.of[i] = begin + judged->motion_b[i];
        turns.of[i] = a.of[i] + 4;
    }
    four_motions between = {gather_between(&a, &b, 0, &beside), gather_between(&a, &b, 4, &beside)};
    return motions_in(&frames, &between, quad3_gather(turns.of, &beside));
}

/* Squares of the errors: |u(lambda) - u'|^2 or |u(lambda') - u'|^2. */
ASHI_MERGED ashi_quad compare_points(ashi_four_points *points, const four_motions *motions, bool plain)
{
    ashi_quad3 off = quad3_load(points->off), later = quad3_add(off, velocity_at(motions, quad3_load(points->arm)));
    ashi_quad now = plain ? quad3_dot(off, off) : quad_load(points->response), then = quad3_dot(later, later);
    /* NaN in the first is also NaN in the second */
    return quad_select(now > then, now, then);
}

/* Returns the sum of errors. If `unknown`, only NaN is an error, an infinite one. */
ASHI_MERGED ashi_quad compare_four(const ashi_patches *patches, uint32_t number, const ashi_wide_motion *change,
                                   bool plain, bool unknown, four_worst *worst)
{
    ashi_four_patches *judged = &patches->fours[number];
    four_motions motions = changes_between(&patches->list[ASHI_PATCHES * number], judged, change);
    ashi_quad sum = quad_of(0), point = quad_of(0), place = quad_of(ASHI_PATCH_POINTS * number);
    four_worst so_far = *worst;
    for (uint32_t k = 0, most = judged->most; k < most; k++, point += quad_of(1), place += quad_of(1)) {
        ashi_quad error2 = compare_points(&judged->points[k], &motions, plain);
        if (unknown)
            error2 = quad_where(error2 != error2, quad_of(HUGE_VAL));
        ashi_quad_mask larger = error2 > so_far.error2;
        if (!plain) {
            ashi_quad_mask present = quad_load(judged->count) > point;
            error2 = quad_where(present, error2);
            larger &= present;
        }
        sum += quad_sqrt(error2);
        so_far.error2 = quad_select(larger, error2, so_far.error2);
        so_far.place = quad_select(larger, place, so_far.place);
    }
    *worst = so_far;
    return sum;
}

/* Returns the sum of errors. */
ASHI_MERGED double compare_fours(const ashi_patches *patches, const ashi_wide_motion *change, bool unknown,
                                 ashi_judgement *judgement)
{
    ashi_quad sum = quad_of(0);
    four_worst worst = {quad_of(judgement->largest2), quad_of(0)};
    for (uint32_t i = 0; ASHI_PATCHES * i < patches->count; i++)
        if (patches->fours[i].plain)
            sum += compare_four(patches, i, change, true, unknown, &worst);
        else
            sum += compare_four(patches, i, change, false, unknown, &worst);
    note_worst(patches, &worst, judgement);
    return quad_sum(sum);
}

ASHI_MERGED void compare_patches(const ashi_patches *patches, const ashi_wide_motion *change, ashi_judgement *judgement)
{
    double sum = compare_fours(patches, change, false, judgement);
    if (!(sum >= 0)) /* NaN compares as false: find its place */
        compare_fours(patches, change, true, judgement);
    judgement->sum += sum;
}

ASHI_WIDE static void compare_wide(const ashi_patches *patches, const ashi_wide_motion *change,
                                   ashi_judgement *judgement)
{
    compare_patches(patches, change, judgement);
}

void ashi_patches_compare(const ashi_patches *patches, const ashi_wide_motion *change, ashi_judgement *judgement)
{
    judgement->judged += patches->judged;
    if (!patches->narrow && ashi_machine_is_wide())
        compare_wide(patches, change, judgement);
    else
        compare_patches(patches, change, judgement);
}
