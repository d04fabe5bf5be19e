/* Momentum, energy, and shapes that stay out of each other. */
#include "law.h"

#include "math/quat.h"

#include <math.h>

law_verdict law_judge_finite(const law_case *one)
{
    return law_verdict_of(one->course.wanted - one->course.steps, 0, "steps that could not be taken");
}

/* Sums that bound what the parts of a momentum cancel to. */
typedef struct sums {
    double linear, angular; /* of |m v|; of |x| |m v| + |I w| */
    double spin;            /* rad/s, the largest */
} sums;

static sums sums_of(const ash_scene *scene, const law_course *course)
{
    sums s = {0};
    double fall = v3_norm(scene->gravity) * scene->time; /* what weights exchange with the ground */
    for (uint32_t i = 0; i < course->bodies; i++) {
        double speed = 0, spin = 0, reach = 0;
        for (uint32_t k = 0; k <= course->steps; k++) {
            const law_state *state = law_course_state(course, k, i);
            speed = fmax(speed, v3_norm(state->velocity));
            spin = fmax(spin, v3_norm(state->spin));
            reach = fmax(reach, v3_norm(state->centre));
        }
        double m = course->masses[i], size = course->sizes[i];
        s.linear += m * (speed + size * spin + fall);
        s.angular += m * (reach * (speed + fall) + size * size * spin);
        s.spin = fmax(s.spin, course->masses[i] > 0 ? spin : 0);
    }
    return s;
}

/* The fastest rate of springs: omega^2 = k / m at the lighter end, two ends. */
static double spring_rate(const ash_scene *scene, const law_course *course)
{
    double rate = 0;
    for (uint32_t i = 0; i < scene->forces.count; i++) {
        const ash_spring_def *spring = &scene->forces.data[i].def.spring;
        const ash_body ends[2] = {spring->body_a, spring->body_b};
        double response = 0;
        for (int end = 0; end < 2; end++)
            if (ends[end].id != 0 && course->masses[ends[end].id - 1] > 0)
                response += 1 / course->masses[ends[end].id - 1];
        rate = fmax(rate, sqrt(spring->stiffness * response));
    }
    return rate;
}

/* Rounding: each step rounds each sum some hundred times, and impulses of redundant contacts cancel. */
static double rounding(const law_course *course)
{
    return 1e-13 * (double)(10 + course->steps);
}

/* The largest change of momentum, relative to the sums. Rounding is the limit, except for rk4, whose angular momentum
 * is off by (w h)^5 a step, w the fastest spin or rate of a spring. */
law_verdict law_judge_momentum(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    if (!law_is_isolated(scene))
        return (law_verdict){0};
    sums s = sums_of(scene, course);
    double linear = 0, angular = 0;
    for (uint32_t k = 1; k <= course->steps; k++) {
        const law_instant *now = &course->instants[k], *start = &course->instants[0];
        linear = fmax(linear, v3_distance(now->momentum, start->momentum) / s.linear);
        angular = fmax(angular, v3_distance(now->angular_momentum, start->angular_momentum) / s.angular);
    }
    double limit = rounding(course), of_integrator = 0;
    if (scene->method.integrator == ASH_RK4)
        of_integrator = (double)course->steps * pow(fmax(s.spin, spring_rate(scene, course)) * scene->step, 5);
    if (linear / limit > angular / (limit + of_integrator))
        return law_verdict_of(linear, limit, "momentum, relative");
    return law_verdict_of(angular, limit + of_integrator, "angular momentum, relative");
}

/* The same of linear momentum along a floor without friction: body 0. In space it is a plane, which has one normal;
 * flat floors are segments, and where a side lies on one, either's normal may count. */
law_verdict law_judge_floor(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    if (scene->planar || law_friction(scene) > 0 || scene->bodies.data[0].def.type != ASH_BODY_STATIC)
        return (law_verdict){0};
    sums s = sums_of(scene, course);
    ash_vec3 up = q_rotate(scene->bodies.data[0].def.rotation, v3(0, 0, 1));
    double worst = 0;
    for (uint32_t k = 1; k <= course->steps; k++) {
        ash_vec3 change = v3_sub(course->instants[k].momentum, course->instants[0].momentum);
        worst = fmax(worst, v3_norm(v3_add_scaled(change, up, -v3_dot(change, up))) / s.linear);
    }
    return law_verdict_of(worst, rounding(course), "momentum along the floor, relative");
}

/* Energy that can move: kinetic and of springs at the start, what gravity can do within the time, and the most that
 * motors and loads have given: an integrator's error is a share of what moves, wherever it comes from. */
static double energy_scale(const ash_scene *scene, const law_course *course)
{
    double g = v3_norm(scene->gravity), time = scene->time, sum = 0;
    for (uint32_t i = 0; i < course->bodies; i++) {
        double speed = v3_norm(law_course_state(course, 0, i)->velocity);
        sum += course->masses[i] * g * (speed * time + g * time * time / 2);
    }
    double released = 0, given = 0; /* what it did: never more than that */
    for (uint32_t k = 1; k <= course->steps; k++) {
        released = fmax(released, course->instants[0].gravity - course->instants[k].gravity);
        given = fmax(given, course->instants[k].given);
    }
    return course->moving + fmin(sum, released) + given;
}

/* The same of springs about or along the axes of joints. */
static double axis_rate(const ash_scene *scene, const law_course *course)
{
    double rate = 0;
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        const ash_joint_def *def = &scene->joints.data[i].def;
        const ash_body ends[2] = {def->body_a, def->body_b};
        for (int k = 0; k < ASH_FREEDOMS; k++) {
            double response = 0;
            for (int end = 0; end < 2; end++)
                if (ends[end].id != 0 && course->masses[ends[end].id - 1] > 0)
                    response +=
                        1 / (k < ASH_TURN_X ? course->masses[ends[end].id - 1] : course->inertias[ends[end].id - 1]);
            rate = fmax(rate, sqrt(def->axes[k].stiffness * response));
        }
    }
    return rate;
}

/* What contacts may add, J: the removal of overlap lifts all weights by the slop and the overlap at the start; by order
 * 1, a fall from rest is off by m (g h)^2 / 2 in each step, and begins again after each rebound. */
static double contact_gain(const ash_scene *scene, const law_course *course, int order)
{
    double mass = 0, g = v3_norm(scene->gravity);
    for (uint32_t i = 0; i < course->bodies; i++)
        mass += course->masses[i];
    if (!law_has_contacts(scene))
        return 0;
    return mass * g * (scene->method.slop + course->penetration + (order == 1 ? g * scene->step * scene->time / 2 : 0));
}

/* Less than this is rounding, J: bodies that go 1e-13 units of length in a step. */
static double nothing(const ash_scene *scene, const law_course *course)
{
    double mass = 0, speed = 1e-13 * scene->method.solver.unit_length / scene->step;
    for (uint32_t i = 0; i < course->bodies; i++)
        mass += course->masses[i];
    return mass * speed * speed;
}

/* What joints may add, J: where hardly anything can move, all weights within the tolerance of what holds them. */
static double joint_gain(const ash_scene *scene, const law_course *course)
{
    double mass = 0;
    for (uint32_t i = 0; i < course->bodies; i++)
        mass += course->masses[i];
    return scene->joints.count > 0 ? mass * v3_norm(scene->gravity) * scene->method.joint_tolerance : 0;
}

/* The fastest rate of the motion at a step: spins, and speeds over the arms of joints. */
static double motion_rate(const law_course *course, uint32_t step)
{
    double rate = 0;
    for (uint32_t i = 0; i < course->bodies; i++)
        if (course->masses[i] > 0)
            rate = fmax(rate, v3_norm(law_course_state(course, step, i)->spin));
    return rate;
}

/* The gain of energy (`keep`: its change) over S (r h)^p (1 + r t), where S is the energy that moves, r the fastest
 * rate so far, at least 1 over the time, p the method's order: the error of an integrator of that order, and its growth
 * over time. It is never above a quarter: a world that makes more than that of its energy is wrong at any step. */
law_verdict law_judge_energy(const law_case *one, bool keep)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    if (keep && !law_is_conservative(scene))
        return (law_verdict){0};
    double scale = energy_scale(scene, course), h = scene->step, worst = -INFINITY, limit = 1;
    double rate = fmax(1 / scene->time, fmax(spring_rate(scene, course), axis_rate(scene, course)));
    double g = v3_norm(scene->gravity), added;
    int order = law_order(scene);
    added = contact_gain(scene, course, order) + joint_gain(scene, course);
    if (!(scale > nothing(scene, course)))
        return (law_verdict){0};
    rate = fmax(rate, g > 0 ? sqrt(g / 0.25) : 0); /* pendulums of a quarter of a metre */
    for (uint32_t k = 1; k <= course->steps; k++) {
        rate = fmax(rate, motion_rate(course, k - 1));
        double bound = 1e-12 + fmin(0.25, pow(rate * h, order) * (1 + rate * h * (double)k));
        double gain = (keep ? fabs(course->instants[k].energy) : course->instants[k].energy) - added;
        gain /= scale;
        if (!(gain / bound <= worst)) {
            worst = gain / bound;
            limit = bound;
        }
    }
    return law_verdict_of(worst * limit, limit, "energy gained, relative");
}

/* The fastest point of any body in the course, m/s. */
static double surface_speed(const law_course *course)
{
    double speed = 0;
    for (uint32_t k = 0; k <= course->steps; k++)
        for (uint32_t i = 0; i < course->bodies; i++) {
            const law_state *state = law_course_state(course, k, i);
            if (course->masses[i] > 0)
                speed = fmax(speed, v3_norm(state->velocity) + course->sizes[i] * v3_norm(state->spin));
        }
    return speed;
}

/* The deepest overlap. Steps that are cut at impacts leave the slop, twice where two contacts share it; others notice
 * an impact one step's way too late, of two bodies at the largest speed, and leave what their solver does not stop. */
law_verdict law_judge_overlap(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    const ash_method *method = &scene->method;
    double deepest = 0, limit = course->penetration + 2 * method->slop;
    if (!law_has_contacts(scene) || method->solver.solver == ASH_SOLVER_PENALTY)
        return (law_verdict){0};
    for (uint32_t k = 1; k <= course->steps; k++)
        deepest = fmax(deepest, course->instants[k].overlap);
    if (method->step_control != ASH_STEP_IMPACTS)
        limit += (2 * surface_speed(course) + law_course_residuals(course)) * scene->step;
    return law_verdict_of(deepest, limit, "overlap, m");
}
