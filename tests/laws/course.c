/* Running a world and keeping what the laws look at. */
#include "course.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

void law_course_release(law_course *course)
{
    free(course->instants);
    free(course->states);
    free(course->masses);
    free(course->inertias);
    free(course->sizes);
    free(course->reactions);
    free(course->contact_force);
    *course = (law_course){0};
}

static double size_of(const ash_scene *scene, uint32_t body)
{
    const ashi_scene_body *entry = &scene->bodies.data[body];
    double size = 0;
    for (uint32_t i = 0; i < entry->shape_count; i++) {
        const ashi_scene_shape *shape = &scene->shapes.data[entry->first_shape + i];
        ash_bounds box = ash_geometry_bounds(scene->geometries.data[shape->geometry].geometry, shape->pose);
        size = fmax(size, fmax(v3_norm(box.lower), v3_norm(box.upper)));
    }
    return isfinite(size) ? size : 0;
}

static void note_bodies(const ash_scene *scene, const ashi_instance *instance, law_course *course)
{
    for (uint32_t i = 0; i < course->bodies; i++) {
        ash_mass_properties mass = ash_body_get_mass(instance->world, instance->bodies[i]);
        bool moves = ash_body_get_type(instance->world, instance->bodies[i]) == ASH_BODY_DYNAMIC;
        course->masses[i] = moves ? mass.mass : 0;
        course->inertias[i] = scene->planar ? mass.inertia.zz : mass.principal.x;
        course->sizes[i] = size_of(scene, i);
    }
}

static void note_instant(const ashi_instance *instance, law_course *course, uint32_t step)
{
    const ash_world *world = instance->world;
    law_instant *instant = &course->instants[step];
    ash_ledger ledger = ash_world_get_ledger(world);
    instant->given = ledger.motors + ledger.loads + ledger.callbacks + ledger.external;
    instant->energy = ledger.total - ledger.initial - instant->given;
    instant->gravity = ledger.gravity;
    instant->overlap = step > 0 ? ash_world_get_report(world).penetration : 0;
    instant->residual = step > 0 ? ash_world_get_report(world).error.largest : 0;
    instant->momentum = ash_world_get_momentum(world);
    instant->angular_momentum = ash_world_get_angular_momentum(world);
    for (uint32_t i = 0; i < course->bodies; i++) {
        ash_body body = instance->bodies[i];
        law_state *state = &course->states[(size_t)step * course->bodies + i];
        state->centre = ash_body_get_centre(world, body);
        state->velocity = ash_body_get_velocity(world, body);
        state->spin = ash_body_get_angular_velocity(world, body);
        state->rotation = ash_body_get_transform(world, body).rotation;
        if (2 * step >= course->wanted && step > 0)
            course->contact_force[i] = v3_add(course->contact_force[i], ash_body_get_reaction(world, body).force);
    }
}

/* The deepest overlap at the present state, m. */
static double overlap(ash_world *world)
{
    enum { MOST_POINTS = 64 };
    double depth = 0;
    ash_world_detect(world);
    uint32_t count = ash_world_get_contacts(world, NULL, 0);
    for (uint32_t i = 0; i < count; i++) {
        ash_contact_point points[MOST_POINTS];
        uint32_t most = ash_world_get_contact_points(world, i, points, MOST_POINTS);
        for (uint32_t k = 0; k < most && k < MOST_POINTS; k++)
            depth = fmax(depth, points[k].depth);
    }
    return depth;
}

static void take_steps(const ash_scene *scene, ashi_instance *instance, law_course *course)
{
    ash_ledger ledger = ash_world_get_ledger(instance->world);
    course->moving = ledger.kinetic + ledger.springs;
    note_instant(instance, course, 0);
    course->penetration = overlap(instance->world);
    course->joint_error = ashi_instance_joint_error(instance);
    while (course->steps < course->wanted && ash_world_step(instance->world, scene->step) == ASH_OK) {
        course->flags |= ash_world_get_report(instance->world).flags;
        course->joint_worst = fmax(course->joint_worst, ashi_instance_joint_error(instance));
        note_instant(instance, course, ++course->steps);
    }
    course->flags |= ash_world_get_report(instance->world).flags;
    for (uint32_t i = 0; i < scene->joints.count; i++)
        course->reactions[i] = ash_joint_get_reaction(instance->world, instance->joints[i], ASH_FRAME_WORLD).force;
    uint32_t counted = course->wanted - (course->wanted + 1) / 2 + 1;
    for (uint32_t i = 0; i < course->bodies; i++)
        course->contact_force[i] = v3_scale(course->contact_force[i], 1 / (double)counted);
}

bool law_course_run(const ash_scene *scene, law_course *course, ash_diagnostic *diagnostic)
{
    ashi_instance instance;
    if (ashi_scene_build(scene, 1, &instance, diagnostic) != ASH_OK)
        return false;
    double steps = rint(scene->time / scene->step);
    *course = (law_course){.bodies = scene->bodies.count, .wanted = steps < 1 ? 1 : (uint32_t)steps};
    course->instants = take(course->wanted + 1, sizeof *course->instants);
    course->states = take((size_t)(course->wanted + 1) * course->bodies, sizeof *course->states);
    course->masses = take(course->bodies, sizeof *course->masses);
    course->inertias = take(course->bodies, sizeof *course->inertias);
    course->sizes = take(course->bodies, sizeof *course->sizes);
    course->reactions = take(scene->joints.count, sizeof *course->reactions);
    course->contact_force = take(course->bodies, sizeof *course->contact_force);
    note_bodies(scene, &instance, course);
    take_steps(scene, &instance, course);
    ashi_instance_release(&instance);
    return true;
}

double law_course_speed(const law_course *course)
{
    double speed = 0;
    for (uint32_t k = 0; k <= course->steps; k++)
        for (uint32_t i = 0; i < course->bodies; i++)
            if (course->masses[i] > 0)
                speed = fmax(speed, v3_norm(law_course_state(course, k, i)->velocity));
    return speed;
}

double law_course_extent(const law_course *course)
{
    double extent = 0.1;
    for (uint32_t i = 0; i < course->bodies; i++)
        for (uint32_t k = 0; k < i; k++)
            extent = fmax(extent,
                          v3_distance(law_course_state(course, 0, i)->centre, law_course_state(course, 0, k)->centre));
    return extent;
}

double law_course_residuals(const law_course *course)
{
    double sum = 0;
    for (uint32_t k = 1; k <= course->steps; k++)
        sum += course->instants[k].residual;
    return sum;
}
