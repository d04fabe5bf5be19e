/* Scenes with exact answers, for the tests of runs and recordings. */
#ifndef TESTS_SCENE_SMALL_SCENES_H
#define TESTS_SCENE_SMALL_SCENES_H

#include "check.h"

#include "base/diagnostic.h"
#include "scene/description/description.h"

#define GRAVITY 9.81

static inline void stop_on(ash_status status, const ash_diagnostic *diagnostic)
{
    char text[1024];
    if (status != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(diagnostic, text, sizeof text));
}

static inline ash_scene *empty_scene(const char *name, const char *method, double step, double time)
{
    ash_scene *scene;
    ash_diagnostic diagnostic;
    stop_on(ashi_scene_create(name, &scene, &diagnostic), &diagnostic);
    stop_on(ash_method_find(method, &scene->method, &diagnostic), &diagnostic);
    scene->gravity = (ash_vec3){0, 0, -GRAVITY};
    scene->step = step;
    scene->time = time;
    return scene;
}

static inline uint32_t add_mass(ash_scene *scene, const char *name, double mass, ash_vec3 position, ash_vec3 velocity)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.mass = mass;
    def.position = position;
    def.velocity = velocity;
    return ashi_scene_add_body(scene, &def);
}

static inline uint32_t add_coordinate(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t body,
                                      ashi_component component)
{
    return ashi_scene_add_output(
        scene, &(ashi_scene_output){.name = name, .quantity = quantity, .object = body, .component = component});
}

/* A mass of 2 kg thrown from 10 m: x = 3 t, z = 10 + 4 t - g t^2 / 2. Implicit midpoint is exact here. */
static inline ash_scene *thrown_mass(double step, double time)
{
    ash_scene *scene = empty_scene("thrown", "implicit-midpoint", step, time);
    uint32_t ball = add_mass(scene, "ball", 2, (ash_vec3){0, 0, 10}, (ash_vec3){3, 0, 4});
    add_coordinate(scene, "x", ASHI_BODY_POSITION, ball, ASHI_X);
    add_coordinate(scene, "height", ASHI_BODY_POSITION, ball, ASHI_Z);
    add_coordinate(scene, "speed", ASHI_BODY_VELOCITY, ball, ASHI_NORM);
    return scene;
}

static inline double thrown_height(double t)
{
    return 10 + 4 * t - GRAVITY * t * t / 2;
}

/* 1 kg on a spring of 100 N/m without gravity, held at 0.1 m beyond its rest length of 1 m: x = 1 + 0.1 cos(10 t). */
static inline ash_scene *oscillating_mass(const char *method, double step, double time)
{
    ash_scene *scene = empty_scene("oscillating", method, step, time);
    scene->gravity = (ash_vec3){0, 0, 0};
    uint32_t mass = add_mass(scene, "mass", 1, (ash_vec3){1.1, 0, 0}, (ash_vec3){0, 0, 0});
    ash_spring_def spring = ash_default_spring_def();
    spring.body_b = ashi_scene_body_ref(mass);
    spring.stiffness = 100;
    spring.rest_length = 1;
    ashi_scene_add_spring(scene, &spring);
    add_coordinate(scene, "x", ASHI_BODY_POSITION, mass, ASHI_X);
    add_coordinate(scene, "total", ASHI_WORLD_TOTAL, 0, ASHI_SCALAR);
    return scene;
}

static inline ash_run *run_scene(const ash_scene *scene, const ash_run_options *options)
{
    ash_run *run;
    ash_diagnostic diagnostic;
    stop_on(ash_scene_run(scene, options, &run, &diagnostic), &diagnostic);
    return run;
}

#endif
