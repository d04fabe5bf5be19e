/* Contacts in patches, in the real-time solver (docs/soft-step.md).
 *
 * A patch is visited as a whole, in its own frame: normal and tangents. Of its bodies only the motion of b against a
 * matters, V and W as seen at b's centre: a point at r moves by u = V + W x r. Points are visited one after the other,
 * each with what the ones before have changed, as rows would be: an impulse p at a point changes u at a later one by a
 * matrix of its own, made once a step. The bodies get what all impulses together are, a force and a moment.
 *
 * Passes are compiled twice, the second time for machines with AVX2, which need fewer instructions for the same. */
#include "solve/soft/soft_step_frame.h"

/* ---- what acts ---- */

/* A force and a moment at b's centre, in the frame. */
typedef struct wrench {
    ash_vec3 force, moment;
} wrench;

ASHI_MERGED void act_on(const ashi_soft_step *s, const ashi_patch *patch, const wrench *by, ash_motion *a,
                        ash_motion *b)
{
    const ashi_soft_body *body_a = soft_body_of(s, patch->body_a), *body_b = soft_body_of(s, patch->body_b);
    ash_vec3 force = ashi_patch_in_world(patch, by->force), moment = ashi_patch_in_world(patch, by->moment);
    ash_vec3 moment_a = v3_add(moment, v3_cross(patch->distance, force));
    a->linear = v3_sub(a->linear, v3_mul(body_a->inverse_mass, force));
    a->angular = v3_sub(a->angular, s3_apply(body_a->inverse_inertia, moment_a));
    b->linear = v3_add(b->linear, v3_mul(body_b->inverse_mass, force));
    b->angular = v3_add(b->angular, s3_apply(body_b->inverse_inertia, moment));
}

ASHI_MERGED void add_impulse(wrench *sum, ash_vec3 arm, ash_vec3 impulse)
{
    sum->force = v3_add(sum->force, impulse);
    sum->moment = v3_add(sum->moment, v3_cross(arm, impulse));
}

/* ---- velocities ---- */

void ashi_soft_patches_warm_start(ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_patch *patch = &s->patches.list[i];
        wrench sum = {0};
        if (s->fetches && i + ASHI_FETCHED_AHEAD < run->first + run->count)
            soft_fetch_bodies(s, i + ASHI_FETCHED_AHEAD, 0, 2);
        for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++)
            add_impulse(&sum, s->points[k].arm, s->touches[k].impulse);
        act_on(s, patch, &sum, &soft_body_of(s, patch->body_a)->change, &soft_body_of(s, patch->body_b)->change);
    }
}

/* How the points' gaps grow, or have grown: all of a motion that moves them along the normal. */
typedef struct opening {
    double normal, about_tangent, about_other; /* of V and of W */
} opening;

/* Of displacements, with that by the motion at the start. */
ASHI_MERGED opening opening_after(const ashi_soft_step *s, uint32_t number, double elapsed)
{
    const ashi_patch *patch = &s->patches.list[number];
    const ash_motion *start = &s->soft_patches[number].start;
    ash_motion m =
        soft_motion_between(patch, &soft_body_of(s, patch->body_a)->shift, &soft_body_of(s, patch->body_b)->shift);
    return (opening){v3_dot(patch->normal, m.linear) + start->linear.x * elapsed,
                     v3_dot(patch->tangent, m.angular) + start->angular.y * elapsed,
                     v3_dot(patch->other, m.angular) + start->angular.z * elapsed};
}

ASHI_MERGED double opening_at(const opening *o, ash_vec3 arm)
{
    return o->normal + (o->about_tangent * arm.z - o->about_other * arm.y);
}

/* A gap may close within the sub-step, no more: displacements do not change between its sweeps. */
ASHI_MERGED void find_closing(ashi_soft_step *s, uint32_t number, const ashi_soft_pass *place)
{
    const ashi_patch *patch = &s->patches.list[number];
    opening o = opening_after(s, number, place->elapsed);
    for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++) {
        double open = s->gaps[k] + opening_at(&o, s->points[k].arm) - patch->beside;
        s->touches[k].closing = open > 0 ? open * place->inverse_h : 0;
    }
}

/* Friction that cannot hold. What would hold answers the slip along each tangent by its own mass; by different masses
 * the friction of a contact that slides would not end up against its slip, so both answer by the smaller. The normal
 * impulse is found together with it, as friction changes the normal speed too: `free` is the one that would do without
 * friction's part in it, and along the friction's direction d, with coupled = A_nt / A_nn,
 *
 *   lambda_n (1 + mu coupled d) = free + coupled now_t,
 *
 * zero where the bodies part by themselves. Taken in turns instead, normal and friction would only swing where
 * |mu coupled d| > 1: a rod that is dragged at mu = 2 would carry nothing at all. Where the solution does not slide, or
 * none does, normal and friction are taken in turns, and grow until the point holds. */
ASHI_MERGED void slide(const ashi_soft_point *point, ash_vec3 now, double friction, double free, ash_vec3 *more)
{
    double mass_y = point->mass.y, mass_z = point->mass.z;
    double lift_y = mass_y > 0 ? point->yield[0] * point->mass.x / mass_y : 0;
    double lift_z = mass_z > 0 ? point->yield[1] * point->mass.x / mass_z : 0;
    double alone = free + lift_y * now.y + lift_z * now.z;
    if (alone <= 0) {
        *more = v3_neg(now);
        return;
    }
    double y = now.y + more->y * (mass_z > 0 && mass_z < mass_y ? mass_z / mass_y : 1);
    double z = now.z + more->z * (mass_y > 0 && mass_y < mass_z ? mass_y / mass_z : 1);
    double length = sqrt(y * y + z * z), bound = friction * (now.x + more->x);
    double share = length > 0 ? friction / length : 0, together = 1 + share * (lift_y * y + lift_z * z);
    double normal = alone / together, less = normal - now.x - more->x;
    double held_y = now.y + more->y - point->yield[0] * less, held_z = now.z + more->z - point->yield[1] * less;
    if (together > ASHI_LEAST_TOGETHER && share * (held_y * y + held_z * z) >= friction * friction * normal) {
        *more = v3(normal - now.x, share * normal * y - now.y, share * normal * z - now.z);
        return;
    }
    double scale = length > bound ? bound / length : 1;
    more->y = scale * y - now.y;
    more->z = scale * z - now.z;
}

/* Signorini's condition, then friction, both directions together, within what the normal carries. Returns the change of
 * the impulse: it is found first, since the next point waits for it. */
ASHI_MERGED ash_vec3 visit_point(const ashi_patch *patch, ash_vec3 u, const ashi_soft_point *point, bool last,
                                 ashi_soft_touch *touch)
{
    ash_vec3 now = touch->impulse, more;
    double alone = -point->mass.x * (u.x + touch->closing);
    more.x = alone > -now.x ? alone : -now.x;
    more.y = -point->mass.y * (u.y + patch->bias) - point->yield[0] * more.x;
    more.z = -point->mass.z * (u.z + patch->other_bias) - point->yield[1] * more.x;
    ash_vec3 wanted = v3_add(now, more);
    double most = patch->friction * wanted.x;
    if (last) {
        touch->slip[0] = -patch->bias;
        touch->slip[1] = -patch->other_bias;
    }
    if (wanted.y * wanted.y + wanted.z * wanted.z > most * most) {
        ash_vec3 held = more;
        slide(point, now, patch->friction, now.x + alone, &more);
        wanted = v3_add(now, more);
        if (last) { /* what friction leaves of the slip */
            double less = more.x - held.x;
            touch->slip[0] += point->mass.y > 0 ? (more.y - held.y + point->yield[0] * less) / point->mass.y : 0;
            touch->slip[1] += point->mass.z > 0 ? (more.z - held.z + point->yield[1] * less) / point->mass.z : 0;
        }
    }
    touch->impulse = wanted;
    return more;
}

/* A patch under way. */
typedef struct visit {
    const ashi_patch *patch;
    const ash_mat3 *pairs;
    const ashi_soft_point *points;
    ashi_soft_touch *touches;
    uint32_t count;
    bool back, last;
    ash_vec3 u[ASHI_PATCH_POINTS]; /* of points that are still to come */
    wrench sum;
} visit;

ASHI_MERGED void visit_next(visit *v, uint32_t k)
{
    ash_vec3 more = visit_point(v->patch, v->u[k], &v->points[k], v->last, &v->touches[k]);
    for (uint32_t later = k + 1; !v->back && later < v->count; later++)
        v->u[later] = v3_add(v->u[later], m3_apply_transposed(v->pairs[soft_pair_of(k, later)], more));
    for (uint32_t later = 0; v->back && later < k; later++)
        v->u[later] = v3_add(v->u[later], m3_apply(v->pairs[soft_pair_of(later, k)], more));
    add_impulse(&v->sum, v->points[k].arm, more);
}

/* The usual case, written out. */
ASHI_MERGED void visit_four(visit *v, const ash_motion *m)
{
    v->u[0] = soft_velocity_at(m, v->points[0].arm);
    v->u[1] = soft_velocity_at(m, v->points[1].arm);
    v->u[2] = soft_velocity_at(m, v->points[2].arm);
    v->u[3] = soft_velocity_at(m, v->points[3].arm);
    visit_next(v, v->back ? 3 : 0);
    visit_next(v, v->back ? 2 : 1);
    visit_next(v, v->back ? 1 : 2);
    visit_next(v, v->back ? 0 : 3);
}

ASHI_MERGED void visit_points(visit *v, const ash_motion *m)
{
    for (uint32_t k = 0; k < v->count; k++)
        v->u[k] = soft_velocity_at(m, v->points[k].arm);
    for (uint32_t i = 0; i < v->count; i++)
        visit_next(v, v->back ? v->count - 1 - i : i);
}

/* Of b against a, at b's centre, with changes of their velocities as given. */
ASHI_MERGED ash_motion motion_in_frame(const ashi_soft_step *s, uint32_t number, const ash_motion *a,
                                       const ash_motion *b)
{
    const ashi_patch *patch = &s->patches.list[number];
    const ash_motion *start = &s->soft_patches[number].start;
    ash_motion relative = soft_motion_between(patch, a, b);
    return (ash_motion){v3_add(start->linear, ashi_patch_along_axes(patch, relative.linear)),
                        v3_add(start->angular, ashi_patch_along_axes(patch, relative.angular))};
}

ASHI_MERGED void visit_patch(ashi_soft_step *s, uint32_t number, bool back, bool last)
{
    const ashi_patch *patch = &s->patches.list[number];
    ash_motion *a = &soft_body_of(s, patch->body_a)->change, *b = &soft_body_of(s, patch->body_b)->change;
    ash_motion m = motion_in_frame(s, number, a, b);
    visit v = {.patch = patch,
               .pairs = &s->pairs[s->soft_patches[number].first_pair],
               .points = &s->points[soft_first_point(s, patch)],
               .touches = &s->touches[soft_first_point(s, patch)],
               .count = patch->count,
               .back = back,
               .last = last};
    if (v.count == ASHI_PATCH_POINTS)
        visit_four(&v, &m);
    else
        visit_points(&v, &m);
    act_on(s, patch, &v.sum, a, b);
}

ASHI_MERGED void sweep_all(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t number = place->back ? run->first + run->count - 1 - i : run->first + i;
        if (s->fetches && i + ASHI_FETCHED_AHEAD < run->count)
            soft_fetch_bodies(s, place->back ? number - ASHI_FETCHED_AHEAD : number + ASHI_FETCHED_AHEAD, 0,
                              place->first ? 3 : 2);
        if (place->first)
            find_closing(s, number, place);
        if (place->back)
            visit_patch(s, number, true, !place->first);
        else
            visit_patch(s, number, false, !place->first);
    }
}

/* ---- the end of a sub-step ---- */

/* Overlap goes by a share, at no more than the push-out speed; bodies are only ever pushed apart. */
ASHI_MERGED void place_points(ashi_soft_step *s, uint32_t number, double elapsed)
{
    const ashi_patch *patch = &s->patches.list[number];
    const ash_mat3 *pairs = &s->pairs[s->soft_patches[number].first_pair];
    ashi_soft_body *a = soft_body_of(s, patch->body_a), *b = soft_body_of(s, patch->body_b),
                   *idle = &s->bodies[s->body_count];
    const ashi_softness *softness = a == idle || b == idle ? &s->stiff : &s->soft;
    double most = s->settings->push_out * s->h, gap[ASHI_PATCH_POINTS];
    uint32_t first = soft_first_point(s, patch);
    wrench sum = {0};
    opening o = opening_after(s, number, elapsed);
    for (uint32_t k = 0; k < patch->count; k++)
        gap[k] = s->gaps[first + k] + opening_at(&o, s->points[first + k].arm);
    for (uint32_t k = 0; k < patch->count; k++) {
        if (gap[k] >= 0)
            continue;
        const ashi_soft_point *point = &s->points[first + k];
        double way = -gap[k] * softness->rate * s->h;
        double impulse = (way < most ? way : most) * softness->mass_scale * point->mass.x;
        for (uint32_t later = k + 1; later < patch->count; later++)
            gap[later] += pairs[soft_pair_of(k, later)].x.x * impulse;
        add_impulse(&sum, point->arm, v3(impulse, 0, 0));
        s->trail->placed[patch->first + k] = true;
    }
    if (sum.force.x > 0)
        act_on(s, patch, &sum, &a->shift, &b->shift);
}

/* What stops an impact does not act again: a normal impulse is carried over as far as it has grown by no more than a
 * few times what forces can do in a sub-step, friction in proportion. */
ASHI_MERGED void leave_impact(ashi_soft_step *s, const ashi_patch *patch, uint32_t k)
{
    ash_vec3 *impulse = &s->touches[k].impulse;
    double most = s->pasts[k].before.x + s->pasts[k].carried;
    if (impulse->x <= most || impulse->x <= 0)
        return;
    ash_vec3 less = v3_scale(*impulse, most > 0 ? 1 - most / impulse->x : 1);
    wrench sum = {0};
    *impulse = v3_sub(*impulse, less);
    add_impulse(&sum, s->points[k].arm, v3_neg(less));
    act_on(s, patch, &sum, &s->forces[ashi_soft_pass_of(s, patch->body_a)].held,
           &s->forces[ashi_soft_pass_of(s, patch->body_b)].held);
}

/* Returns the work of friction. */
ASHI_MERGED double add_up(ashi_soft_step *s, uint32_t k)
{
    ashi_soft_touch *touch = &s->touches[k];
    ashi_soft_past *past = &s->pasts[k];
    ash_vec3 *total = &s->patches.impulses[k].impulse, now = touch->impulse;
    *total = v3_add(*total, now);
    double work = now.y * (past->slip_before[0] + touch->slip[0]) + now.z * (past->slip_before[1] + touch->slip[1]);
    past->slip_before[0] = touch->slip[0];
    past->slip_before[1] = touch->slip[1];
    return work / 2;
}

/* An impact asks for more of the bodies: fetched if the first point is in one. */
ASHI_MERGED void fetch_held(const ashi_soft_step *s, uint32_t number)
{
    const ashi_patch *patch = &s->patches.list[number];
    uint32_t k = soft_first_point(s, patch);
    if (s->touches[k].impulse.x <= s->pasts[k].before.x + s->pasts[k].carried)
        return;
    const ashi_soft_forces *a = &s->forces[ashi_soft_pass_of(s, patch->body_a)];
    const ashi_soft_forces *b = &s->forces[ashi_soft_pass_of(s, patch->body_b)];
    __builtin_prefetch(&a->held);
    __builtin_prefetch(&a->held.angular.z);
    __builtin_prefetch(&b->held);
    __builtin_prefetch(&b->held.angular.z);
}

ASHI_MERGED double end_all(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead)
{
    double work = 0;
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_patch *patch = &s->patches.list[i];
        if (s->fetches && i + ASHI_FETCHED_AHEAD < run->first + run->count) {
            soft_fetch_bodies(s, i + ASHI_FETCHED_AHEAD, 1, 3);
            fetch_held(s, i + ASHI_FETCHED_AHEAD);
        }
        place_points(s, i, elapsed);
        for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++) {
            work += add_up(s, k);
            leave_impact(s, patch, k);
            ash_vec3 now = s->touches[k].impulse;
            s->touches[k].impulse = v3_add_scaled(now, v3_sub(now, s->pasts[k].before), lead);
            s->pasts[k].before = now;
        }
    }
    return work;
}

/* ---- restitution ---- */

void ashi_soft_patches_find_rebounds(ashi_soft_step *s, uint32_t number, const ash_problem_contact *contact)
{
    const ashi_patch *patch = &s->patches.list[number];
    for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++) {
        double speed = soft_velocity_at(&s->soft_patches[number].start, s->points[k].arm).x;
        double asked = s->problem->points[s->island->first_point + k].rebound;
        s->point_rebounds[k] = ashi_soft_rebound_of(s, asked, speed, contact->restitution);
    }
}

static double normal_speed(const ashi_soft_step *s, uint32_t number, uint32_t k)
{
    const ashi_patch *patch = &s->patches.list[number];
    ash_motion m =
        motion_in_frame(s, number, &soft_body_of(s, patch->body_a)->change, &soft_body_of(s, patch->body_b)->change);
    return soft_velocity_at(&m, s->points[k].arm).x;
}

void ashi_soft_patches_watch(ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_patch *patch = &s->patches.list[i];
        for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++) {
            ashi_soft_rebound *rebound = &s->point_rebounds[k];
            if (rebound->share > 0 && !(s->patches.impulses[k].impulse.x > 0))
                rebound->approach = -normal_speed(s, i, k);
        }
    }
}

bool ashi_soft_patches_bounce(const ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_patch *patch = &s->patches.list[i];
        for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++)
            if (s->patches.impulses[k].impulse.x > 0 && ashi_soft_parting(&s->point_rebounds[k]) > 0)
                return true;
    }
    return false;
}

bool ashi_soft_patches_rebound(ashi_soft_step *s, const ashi_soft_run *run)
{
    bool changed = false;
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        const ashi_patch *patch = &s->patches.list[i];
        for (uint32_t k = soft_first_point(s, patch), end = k + patch->count; k < end; k++) {
            const ashi_soft_rebound *rebound = &s->point_rebounds[k];
            double *total = &s->patches.impulses[k].impulse.x;
            if (*total <= 0)
                continue;
            double after = ashi_soft_rebound_impulse(rebound, *total, s->points[k].mass.x, normal_speed(s, i, k));
            changed |= fabs(after - *total) > ASHI_SETTLED * *total;
            wrench more = {0};
            add_impulse(&more, s->points[k].arm, v3(after - *total, 0, 0));
            act_on(s, patch, &more, &soft_body_of(s, patch->body_a)->change, &soft_body_of(s, patch->body_b)->change);
            *total = after;
        }
    }
    return changed;
}

void ashi_soft_patches_note_total(ashi_soft_step *s, uint32_t number)
{
    uint32_t first = soft_first_point(s, &s->patches.list[number]);
    for (uint32_t k = first; k < first + s->patches.list[number].count; k++)
        s->point_rebounds[k].total = s->patches.impulses[k].impulse.x;
}

void ashi_soft_patches_lessen(ashi_soft_step *s, uint32_t number, double share)
{
    uint32_t first = soft_first_point(s, &s->patches.list[number]);
    for (uint32_t k = first; k < first + s->patches.list[number].count; k++) {
        double *total = &s->patches.impulses[k].impulse.x, before = s->point_rebounds[k].total;
        *total = before + share * (*total - before);
    }
}

/* ---- the solution ---- */

void ashi_soft_patches_store(ashi_soft_step *s, ashi_system *p, uint32_t number)
{
    const ashi_patch *patch = &s->patches.list[number];
    uint32_t first = soft_first_point(s, patch);
    for (uint32_t k = 0; k < patch->count; k++) {
        ash_problem_point *point = &p->points[patch->first + k];
        point->impulse = s->patches.impulses[first + k].impulse;
        if (s->rebounds && ashi_soft_rebound_store(&s->point_rebounds[first + k], point))
            s->patches.impulses[first + k].bias = point->bias;
        s->trail->lasting[patch->first + k] = v3_scale(s->touches[first + k].impulse, s->substeps);
    }
}

/* ---- twice ---- */

ASHI_WIDE static void sweep_wide(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place)
{
    sweep_all(s, run, place);
}

void ashi_soft_patches_sweep(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place)
{
    if (s->wide)
        sweep_wide(s, run, place);
    else
        sweep_all(s, run, place);
}

ASHI_WIDE static double end_wide(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead)
{
    return end_all(s, run, elapsed, lead);
}

double ashi_soft_patches_end(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead)
{
    return s->wide ? end_wide(s, run, elapsed, lead) : end_all(s, run, elapsed, lead);
}
