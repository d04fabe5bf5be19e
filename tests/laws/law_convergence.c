/* Convergence: on a smooth motion, steps a quarter as long leave an error of 4^-p, p the order of the method. The fine
 * solution is that of `engineering` with a sixteenth of the step. */
#include "copy.h"
#include "law.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

/* Steps of the coarsest run; the motion stays within the reach of the order's first term. */
static const double COARSE_STEPS = 12;

/* Runs a copy with a part of the step to the same time. */
static bool run_finer(const ash_scene *scene, const ash_method *method, double parts, law_course *course)
{
    law_change same = law_no_change();
    ash_scene *copy = law_copy(scene, &same);
    if (copy == NULL)
        return false;
    copy->method = *method;
    copy->method.sleeping = ASH_SLEEP_OFF;
    copy->time = fmin(scene->time, COARSE_STEPS * scene->step);
    copy->step = scene->step / parts;
    bool made = law_course_run(copy, course, NULL);
    ash_scene_destroy(copy);
    return made;
}

/* How far bodies are from each other at the end of two courses, m. */
static double distance(const law_course *a, const law_course *b)
{
    double worst = 0;
    for (uint32_t i = 0; i < a->bodies; i++)
        worst = fmax(worst,
                     v3_distance(law_course_state(a, a->steps, i)->centre, law_course_state(b, b->steps, i)->centre));
    return a->steps == a->wanted && b->steps == b->wanted ? worst : (double)INFINITY;
}

/* The fastest rate at the start: steps must resolve it. */
static double start_rate(const law_course *course)
{
    double rate = 0;
    for (uint32_t i = 0; i < course->bodies; i++)
        rate = fmax(rate, v3_norm(law_course_state(course, 0, i)->spin));
    return rate;
}

/* What the method's solves leave over the time of the course, m: the tolerance of positions, and that of velocities or,
 * where the solver has none, its residual. */
static double left_open(const ash_scene *scene, const law_course *course)
{
    double time = (double)course->steps * scene->step / 4;
    return scene->method.joint_tolerance + time * scene->method.joint_velocity_tolerance +
           law_course_residuals(course) * scene->step / 4;
}

/* The error at h / 4 against twice that at h over 4^p: a factor of 2 for the higher terms. Errors below what the fine
 * solution itself may be off, by its own difference to one of twice the step, and what solves leave open, count as
 * zero. */
law_verdict law_judge_convergence(const law_case *one)
{
    const ash_scene *scene = one->scene;
    law_verdict verdict = {0};
    law_course coarse, fine, exact, nearly;
    ash_method reference;
    if (!law_is_smooth(scene) || ash_method_find("engineering", &reference, NULL) != ASH_OK)
        return verdict;
    if (!run_finer(scene, &scene->method, 1, &coarse) || !run_finer(scene, &scene->method, 4, &fine) ||
        !run_finer(scene, &reference, 8, &nearly) || !run_finer(scene, &reference, 16, &exact))
        return verdict;
    double floor = 2 * distance(&nearly, &exact) + 1e-11;
    if (scene->joints.count > 0)
        floor += left_open(scene, &fine);
    double error = distance(&coarse, &exact), quarter = distance(&fine, &exact);
    verdict.applies = start_rate(&coarse) * scene->step < 0.1 && floor < 0.1 * error;
    verdict.figure = quarter;
    verdict.limit = floor + 2 * error / pow(4, law_order(scene));
    snprintf(verdict.what, sizeof verdict.what, "error at h/4, m (at h: %.3g)", error);
    law_course_release(&coarse);
    law_course_release(&fine);
    law_course_release(&exact);
    law_course_release(&nearly);
    return verdict;
}
