/* Patches made ready for the real-time solver's passes (soft_step_patch.c): what impulses at a point change there and
 * at the patch's other points. */
#include "solve/soft/soft_step_frame.h"

ASHI_MERGED ash_sym3 inertia_along_axes(const ashi_patch *patch, const ash_sym3 *world)
{
    ash_vec3 n = s3_apply(*world, patch->normal), t = s3_apply(*world, patch->tangent);
    ash_vec3 s = s3_apply(*world, patch->other);
    return (ash_sym3){v3_dot(patch->normal, n), v3_dot(patch->tangent, t), v3_dot(patch->other, s),
                      v3_dot(patch->normal, t), v3_dot(patch->normal, s),  v3_dot(patch->tangent, s)};
}

/* What a force f and a moment m at b's centre change in the motion there: pushes f + coupled^T m, coupled f + turns m.
 * With d from a's centre to b's, T_a = I_a^-1 (m + d x f) and T_b = I_b^-1 m, these are the sum of inverse masses times
 * f, plus T_a x d, and T_a + T_b. */
typedef struct response {
    ash_sym3 pushes, turns;
    ash_mat3 coupled;
} response;

ASHI_MERGED response response_of(const ashi_soft_step *s, const ashi_patch *patch)
{
    const ashi_soft_body *a = soft_body_of(s, patch->body_a), *b = soft_body_of(s, patch->body_b);
    ash_vec3 mass = v3_add(a->inverse_mass, b->inverse_mass), d = ashi_patch_along_axes(patch, patch->distance);
    ash_sym3 masses = s3_diagonal(mass.x, mass.y, mass.z), turn = inertia_along_axes(patch, &a->inverse_inertia);
    ash_mat3 cross = {{0, d.z, -d.y}, {-d.z, 0, d.x}, {d.y, -d.x, 0}}; /* d x of the axes */
    ash_mat3 coupled = {s3_apply(turn, cross.x), s3_apply(turn, cross.y), s3_apply(turn, cross.z)};
    ash_sym3 swing = {v3_dot(cross.x, coupled.x), v3_dot(cross.y, coupled.y), v3_dot(cross.z, coupled.z),
                      v3_dot(cross.x, coupled.y), v3_dot(cross.x, coupled.z), v3_dot(cross.y, coupled.z)};
    return (response){s3_add(inertia_along_axes(patch, &masses), swing),
                      s3_add(turn, inertia_along_axes(patch, &b->inverse_inertia)), coupled};
}

/* Motions by unit impulses along the axes at a point: a unit force and the moment of it. */
typedef struct answers {
    ash_motion x, y, z;
} answers;

/* A motion and two of others: what a moment with two parts adds. */
ASHI_MERGED ash_motion with_two(ash_motion of, const ash_motion *one, double times, const ash_motion *other,
                                double more)
{
    return (ash_motion){v3_add_scaled(v3_add_scaled(of.linear, one->linear, times), other->linear, more),
                        v3_add_scaled(v3_add_scaled(of.angular, one->angular, times), other->angular, more)};
}

ASHI_MERGED answers answers_at(const response *r, ash_vec3 arm)
{
    const ash_sym3 *p = &r->pushes, *t = &r->turns;
    const ash_mat3 *c = &r->coupled;
    ash_motion force_x = {{p->xx, p->xy, p->xz}, c->x}, moment_x = {{c->x.x, c->y.x, c->z.x}, {t->xx, t->xy, t->xz}};
    ash_motion force_y = {{p->xy, p->yy, p->yz}, c->y}, moment_y = {{c->x.y, c->y.y, c->z.y}, {t->xy, t->yy, t->yz}};
    ash_motion force_z = {{p->xz, p->yz, p->zz}, c->z}, moment_z = {{c->x.z, c->y.z, c->z.z}, {t->xz, t->yz, t->zz}};
    return (answers){with_two(force_x, &moment_y, arm.z, &moment_z, -arm.y),
                     with_two(force_y, &moment_z, arm.x, &moment_x, -arm.z),
                     with_two(force_z, &moment_x, arm.y, &moment_y, -arm.x)};
}

/* u at a point by unit impulses at another. */
ASHI_MERGED ash_mat3 answers_seen_at(const answers *by, ash_vec3 arm)
{
    return (ash_mat3){soft_velocity_at(&by->x, arm), soft_velocity_at(&by->y, arm), soft_velocity_at(&by->z, arm)};
}

ASHI_MERGED double inverse_of(double value)
{
    return value > 0 ? 1 / value : 0;
}

/* `own`: u by unit impulses at the point itself. */
ASHI_MERGED void prepare_point(ashi_soft_step *s, const ashi_patch *patch, const ash_mat3 *own, ash_vec3 u, uint32_t k,
                               double *diagonal)
{
    const ash_problem_point *point = &s->problem->points[s->island->first_point + k];
    bool planar = s->problem->planar;
    double share = 1.0 / s->substeps, other = planar ? 0 : own->z.z;
    ash_vec3 mass = {inverse_of(own->x.x), inverse_of(own->y.y), inverse_of(other)};
    ash_vec3 impulse = {point->impulse.x * share, point->impulse.y * share, planar ? 0 : point->impulse.z * share};
    *diagonal = own->x.x + own->y.y + other; /* its sum */
    s->points[k].mass = mass;
    s->points[k].yield[0] = own->x.y * mass.y;
    s->points[k].yield[1] = own->x.z * mass.z;
    s->touches[k] = (ashi_soft_touch){.impulse = impulse, .slip = {u.y, u.z}};
    s->pasts[k] = (ashi_soft_past){.before = impulse,
                                   .carried = s->h > 0 ? ASHI_CARRIED * patch->beside / s->h * mass.x : 0,
                                   .slip_before = {u.y, u.z}};
    s->patches.impulses[k].impulse = v3(0, 0, 0);
    s->gaps[k] = point->gap;
    s->trail->placed[s->island->first_point + k] = false;
}

ASHI_MERGED void prepare_patch(ashi_soft_step *s, uint32_t number)
{
    ashi_patch *patch = &s->patches.list[number];
    ashi_soft_patch *soft = &s->soft_patches[number];
    uint32_t first = soft_first_point(s, patch);
    ash_motion a = ashi_soft_start(s->problem, patch->body_a), b = ashi_soft_start(s->problem, patch->body_b);
    ash_motion start = soft_motion_between(patch, &a, &b);
    response r = response_of(s, patch);
    patch->beside = ashi_soft_slack(s, ashi_soft_pass_of(s, patch->body_a), ashi_soft_pass_of(s, patch->body_b));
    soft->start = (ash_motion){ashi_patch_along_axes(patch, start.linear), ashi_patch_along_axes(patch, start.angular)};
    for (uint32_t i = 0; i < patch->count; i++) {
        ashi_point_lane at = ashi_patch_point_at(&s->patches, number, i);
        ash_vec3 arm = ashi_patch_arm_at(at);
        answers by = answers_at(&r, arm);
        ash_mat3 own = answers_seen_at(&by, arm);
        s->points[first + i].arm = arm;
        prepare_point(s, patch, &own, soft_velocity_at(&soft->start, arm), first + i, &at.points->response[at.lane]);
        for (uint32_t k = 0; k < i; k++)
            s->pairs[soft->first_pair + soft_pair_of(k, i)] = answers_seen_at(&by, s->points[first + k].arm);
    }
}

ASHI_MERGED void prepare_all(ashi_soft_step *s, const ashi_soft_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; i++) {
        if (s->fetches && i + ASHI_FETCHED_AHEAD < run->first + run->count) {
            const ashi_patch *ahead = &s->patches.list[i + ASHI_FETCHED_AHEAD];
            const ash_problem_body *a = &s->problem->bodies[ahead->body_a], *b = &s->problem->bodies[ahead->body_b];
            soft_fetch_bodies(s, i + ASHI_FETCHED_AHEAD, 0, 2);
            __builtin_prefetch(&a->start_velocity);
            __builtin_prefetch(&b->start_velocity);
            __builtin_prefetch(&a->start_spin.z);
            __builtin_prefetch(&b->start_spin.z);
        }
        prepare_patch(s, i);
    }
}

ASHI_WIDE static void prepare_wide(ashi_soft_step *s, const ashi_soft_run *run)
{
    prepare_all(s, run);
}

void ashi_soft_patches_prepare(ashi_soft_step *s, const ashi_soft_run *run)
{
    if (s->wide)
        prepare_wide(s, run);
    else
        prepare_all(s, run);
}
