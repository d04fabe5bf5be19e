/* No preference: a world that is written down in another way moves in the same way. The copy's course is compared with
 * the original's, step by step, in the copy's frame and units.
 *
 * How much of rounding a course amplifies is measured: a twin starts NUDGE off, and the difference D to it says that
 * one unit at the start becomes D / NUDGE. The limit is that factor times what differs without a preference: the
 * rounding of the steps, the method's tolerances and, where the solver stops before it is exact, its residual. Where D
 * is beyond CHAOS nothing can be said. */
#include "copy.h"
#include "law.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double NUDGE = 1e-8, CHAOS = 1e-3;
static const double ROUNDING = 2e-12; /* relative: 50 steps, some hundred roundings each, of 2^-53 */

enum { MOST = 64 };

static law_change change_of(const ash_scene *scene, law_number law, uint32_t numbers[3][MOST])
{
    law_change change = law_no_change();
    const uint32_t counts[3] = {scene->bodies.count, scene->joints.count, scene->forces.count};
    law_selection *const selections[3] = {&change.bodies, &change.joints, &change.forces};
    switch (law) {
    case LAW_ORDER:
        for (int list = 0; list < 3; list++) {
            for (uint32_t i = 0; i < counts[list]; i++)
                numbers[list][i] = counts[list] - 1 - i;
            *selections[list] = (law_selection){numbers[list], counts[list]};
        }
        change.reverse_shapes = true;
        break;
    case LAW_EXCHANGE:
        change.exchange = true;
        break;
    case LAW_MIRROR:
        change.mirror = true;
        break;
    case LAW_TURN:
        change.turn = scene->planar ? q_exp(v3(0, 0, 1.234)) : q_exp(v3(0.3, -1.1, 0.7));
        break;
    case LAW_MOVE:
        change.shift = scene->planar ? v3(600, 800, 0) : v3(600, 0, 800);
        break;
    default: /* other units; powers of two do not round */
        change.length = 1.0 / 16;
        change.mass = 1.0 / 64;
        change.time = 0.5;
        break;
    }
    return change;
}

/* The largest difference of positions over the extent and of velocities over the speed, any body and step. `order`
 * says where body i of the original is in the copy. */
static double difference(const law_course *original, const law_course *copy, const law_change *change, double extent,
                         double speed)
{
    double worst = 0;
    uint32_t steps = original->steps < copy->steps ? original->steps : copy->steps;
    if (original->steps != copy->steps)
        return INFINITY;
    for (uint32_t k = 0; k <= steps; k++)
        for (uint32_t i = 0; i < original->bodies; i++) {
            uint32_t from = change->bodies.numbers != NULL ? change->bodies.numbers[i] : i;
            const law_state *a = law_course_state(original, k, from), *b = law_course_state(copy, k, i);
            ash_vec3 centre = v3_sub(law_change_point(change, a->centre), b->centre);
            ash_vec3 velocity = v3_sub(law_change_velocity(change, a->velocity), b->velocity);
            ash_vec3 spin = v3_sub(law_change_spin(change, a->spin), b->spin);
            double off = fmax(v3_norm(centre) / (extent * change->length),
                              fmax(v3_norm(velocity) / (speed * change->length / change->time),
                                   v3_norm(spin) * original->sizes[from] / (speed / change->time)));
            if (original->masses[from] > 0)
                worst = off <= worst ? worst : off;
        }
    return worst;
}

/* The same world, every position and velocity NUDGE off. */
static ash_scene *nudged(const ash_scene *scene, double speed)
{
    law_change same = law_no_change();
    ash_scene *copy = law_copy(scene, &same);
    ashi_random random = {1};
    for (uint32_t i = 0; copy != NULL && i < copy->bodies.count; i++) {
        ash_body_def *def = &copy->bodies.data[i].def;
        double *const values[] = {&def->position.x, &def->position.y, &def->velocity.x,
                                  &def->velocity.y, &def->position.z, &def->velocity.z};
        if (def->type != ASH_BODY_DYNAMIC)
            continue;
        for (int k = 0; k < (copy->planar ? 4 : 6); k++) {
            double unit = values[k] == &def->velocity.x || values[k] == &def->velocity.y || k == 5 ? speed : 1;
            *values[k] += unit * NUDGE * ashi_random_range(&random, -1, 1);
        }
    }
    return copy;
}

static double compare(const ash_scene *scene, ash_scene *copy, const law_course *original, const law_change *change,
                      double extent, double speed, double *residuals)
{
    law_course course;
    ash_diagnostic diagnostic = {0};
    if (!law_course_run(copy, &course, &diagnostic)) {
        fprintf(stderr, "%s, copy: %s: %s\n", scene->name, diagnostic.path, diagnostic.message);
        abort();
    }
    double off = difference(original, &course, change, extent, speed);
    *residuals = law_course_residuals(&course) / (change->length / change->time);
    law_course_release(&course);
    ash_scene_destroy(copy);
    return off;
}

/* Friction along axes that are fixed in the world prefers them, as its law says (docs/laws.md). */
static bool prefers_axes(const ash_scene *scene)
{
    return scene->method.friction_law != ASH_FRICTION_CONE && !scene->planar && law_friction(scene) > 0 &&
           law_has_contacts(scene);
}

/* The factor by which a small difference grows, from a twin; kept for the other laws. */
static double growth_of(law_case *one, double extent, double speed)
{
    law_change same = law_no_change();
    double unused;
    if (one->growth < 0) {
        ash_scene *twin = nudged(one->scene, speed);
        one->growth = twin == NULL ? (double)INFINITY
                                   : compare(one->scene, twin, &one->course, &same, extent, speed, &unused) / NUDGE;
    }
    return one->growth;
}

/* What the method itself leaves open, relative: overlap up to the slop, and in every step the tolerances of solves. */
static double tolerances(const ash_scene *scene, double steps, double extent, double speed)
{
    const ash_method *method = &scene->method;
    double sum = 0;
    if (law_has_contacts(scene))
        sum += method->slop / extent + steps * method->solver.tolerance / speed;
    if (scene->joints.count > 0)
        sum += steps * (method->joint_velocity_tolerance + method->joint_tolerance / scene->step) / speed +
               method->joint_tolerance / extent;
    return sum;
}

law_verdict law_judge_likeness(law_case *one, law_number law)
{
    const ash_scene *scene = one->scene;
    uint32_t numbers[3][MOST];
    law_verdict verdict = {0};
    if ((law == LAW_TURN || law == LAW_MIRROR) && prefers_axes(scene))
        return verdict;
    if (scene->bodies.count > MOST || scene->joints.count > MOST || scene->forces.count > MOST)
        return verdict;
    double extent = law_course_extent(&one->course), residuals = 0;
    double speed = law_course_speed(&one->course) + v3_norm(scene->gravity) * scene->step;
    double growth = speed > 0 ? growth_of(one, extent, speed) : (double)INFINITY;
    if (!(growth * NUDGE <= CHAOS))
        return verdict;
    law_change change = change_of(scene, law, numbers);
    ash_scene *copy = law_copy(scene, &change);
    if (copy == NULL)
        return verdict;
    double off = compare(scene, copy, &one->course, &change, extent, speed, &residuals);
    double allowed = ROUNDING * (law == LAW_MOVE ? 1 + v3_norm(change.shift) / extent : 1);
    allowed += tolerances(scene, one->course.steps, extent, speed);
    /* In other units even the iterations are the same. Of the others, contact points may change their order. */
    if (law != LAW_UNITS)
        allowed += (residuals + law_course_residuals(&one->course)) / speed;
    return law_verdict_of(off, fmin(fmax(growth, 1) * allowed, 0.5), "difference of the motions, relative");
}
