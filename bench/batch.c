/* Steps of batches: 1, 64 and 4096 copies of a pendulum and of the scene walker on all cores, beside MuJoCo's C library
 * on as many threads, turn by turn in one run. All copies do the same; of three turns the one with the least processor
 * time counts, that of all threads together: what others do on the machine counts little then. `height` is that
 * of the body at the end, which shows that both do what they should. */
#define _POSIX_C_SOURCE 200809L
#include "batch.h"

#include "base/diagnostic.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 3, STEPS_IN_ALL = 6000, LEAST_STEPS = 3 };

typedef struct batch_case {
    const char *scene, *body;
    double h;
    ash_world *world;
    batch_servo servos[8];
    uint32_t servo_count;
} batch_case;

static ash_status make_pendulum(batch_case *c, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    def.method.contacts = ASH_CONTACTS_OFF;
    ash_status status = ash_world_create(&def, &c->world, diagnostic);
    ash_body_def rod = ash_default_body_def();
    rod.name = "rod";
    rod.mass = 1;
    rod.inertia = (ash_sym3){1.0 / 12, 1.0 / 12, 1e-3, 0, 0, 0};
    rod.position = ash_vec3_make(0.5, 0, 0);
    rod.rotation = ash_rotation(ash_vec3_make(0, 1, 0), 1.5707963267948966);
    ash_joint_def hinge = ash_default_joint_def(ASH_JOINT_HINGE);
    hinge.name = "pivot";
    if (status == ASH_OK)
        status = ash_body_create(c->world, &rod, NULL, 0, &hinge.body_b, diagnostic);
    if (status == ASH_OK)
        status = ash_joint_def_place(c->world, &hinge, ash_vec3_make(0, 0, 0), ash_vec3_make(0, 1, 0));
    if (status == ASH_OK)
        status = ash_joint_create(c->world, &hinge, &(ash_joint){0}, diagnostic);
    return status;
}

/* The walker by `realtime`. Its servos' targets are a rate times the time. */
static ash_status make_walker(batch_case *c, ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_method method;
    ash_joint joints[64];
    ash_status status = ash_scene_open("walker", NULL, 0, &scene, diagnostic);
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, 1, &c->world, diagnostic);
    if (status == ASH_OK)
        status = ash_method_find("realtime", &method, diagnostic);
    ash_scene_destroy(scene);
    if (status != ASH_OK)
        return status;
    method.sleeping = ASH_SLEEP_OFF;
    ash_world_set_method(c->world, &method);
    uint32_t count = ash_world_get_joints(c->world, joints, 64);
    for (uint32_t i = 0; i < count; i++) {
        ash_joint_motor motor = ash_joint_get_axis(c->world, joints[i], ASH_TURN_X).motor;
        if (motor.drive == ASH_DRIVE_SERVO && motor.signal.count > 1 && c->servo_count < 8) {
            double rate = (motor.signal.values[1] - motor.signal.values[0]) /
                          (motor.signal.times[1] - motor.signal.times[0]) * motor.target;
            c->servos[c->servo_count++] = (batch_servo){joints[i], rate};
        }
    }
    return ASH_OK;
}

/* Processor time of the whole process, s. */
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static json_t *make_row(const batch_case *c, const char *engine, uint32_t copies, uint32_t threads, uint32_t steps,
                        double seconds, double height, const char *note)
{
    double all = (double)steps * copies;
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:s}", "scene", c->scene, "engine", engine, "copies",
                     (json_int_t)copies, "threads", (json_int_t)threads, "steps", (json_int_t)steps,
                     "processor us a step", isfinite(seconds) ? json_real(seconds / all * 1e6) : json_null(),
                     "steps per processor second", isfinite(seconds) ? json_real(all / seconds) : json_null(),
                     "height m", isfinite(height) ? json_real(height) : json_null(), "note", note);
}

/* Ours and MuJoCo's in turns. */
static ash_status race(const batch_case *c, uint32_t copies, uint32_t threads, uint32_t steps, json_t *rows,
                       ash_diagnostic *diagnostic)
{
    ash_batch *ours = NULL;
    const char *why = "";
    ash_status status = ash_batch_create(c->world, copies, threads, &ours, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_tasks *tasks = ashi_tasks_create(threads, NULL);
    batch_rival *theirs =
        tasks != NULL ? batch_rival_create(c->world, c->servos, c->servo_count, c->h, copies, &why) : NULL;
    double best = INFINITY, their_best = INFINITY;
    ash_batch_round round = {.h = c->h, .steps = steps};
    for (int turn = 0; turn < TURNS && status == ASH_OK; turn++) {
        double began = processor_seconds();
        status = ash_batch_go(ours, &round);
        best = fmin(best, processor_seconds() - began);
        began = processor_seconds();
        if (theirs != NULL) {
            batch_rival_go(theirs, tasks, steps);
            their_best = fmin(their_best, processor_seconds() - began);
        }
    }
    if (status == ASH_OK) {
        ash_world *first = ash_batch_get_world(ours, 0);
        double height = ash_body_get_centre(first, ash_world_find_body(first, c->body)).z;
        json_array_append_new(rows, make_row(c, "Ashlar realtime", copies, threads, steps, best, height, ""));
        json_array_append_new(rows, make_row(c, "MuJoCo", copies, threads, steps, their_best,
                                             theirs != NULL ? batch_rival_height(theirs, c->body) : (double)NAN, why));
    } else if (diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(ash_batch_get_world(ours, 0));
    batch_rival_destroy(theirs);
    ashi_tasks_destroy(tasks);
    ash_batch_destroy(ours);
    return status;
}

json_t *bench_batch(uint32_t most, bool quick, ash_diagnostic *diagnostic)
{
    static const uint32_t copies[] = {1, 64, 4096};
    batch_case cases[] = {{.scene = "pendulum", .body = "rod", .h = 0.005},
                          {.scene = "walker", .body = "body", .h = 0.005}};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t threads = cores < 1 ? 1 : cores > ASH_MAX_THREADS ? ASH_MAX_THREADS : (uint32_t)cores;
    json_t *rows = json_array();
    ash_status status = make_pendulum(&cases[0], diagnostic);
    if (status == ASH_OK)
        status = make_walker(&cases[1], diagnostic);
    for (size_t i = 0; i < 2 && status == ASH_OK; i++)
        for (size_t k = 0; k < 3 && status == ASH_OK; k++) {
            uint32_t steps = (uint32_t)STEPS_IN_ALL / copies[k];
            steps = quick ? 1 : steps < LEAST_STEPS ? LEAST_STEPS : steps > 2000 ? 2000 : steps;
            if (copies[k] <= most)
                status = race(&cases[i], copies[k], copies[k] < threads ? copies[k] : threads, steps, rows, diagnostic);
        }
    ash_world_destroy(cases[0].world);
    ash_world_destroy(cases[1].world);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}

#ifndef BENCH_MUJOCO
batch_rival *batch_rival_create(ash_world *world, const batch_servo *servos, uint32_t servo_count, double h,
                                uint32_t copies, const char **why)
{
    (void)world, (void)servos, (void)servo_count, (void)h, (void)copies;
    *why = "not installed";
    return NULL;
}

void batch_rival_destroy(batch_rival *rival)
{
    (void)rival;
}

void batch_rival_go(batch_rival *rival, ashi_tasks *tasks, uint32_t steps)
{
    (void)rival, (void)tasks, (void)steps;
}

double batch_rival_height(batch_rival *rival, const char *body)
{
    (void)rival, (void)body;
    return (double)NAN;
}
#endif
