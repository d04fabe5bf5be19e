/* Worlds: creation, stepping, settings, reports. */
#include "world/world.h"

#include "base/clock.h"
#include "base/hash.h"
#include "model/method.h"
#include "problem/problem.h"
#include "step/lanes.h"
#include "step/scheme.h"

#include <stdarg.h>
#include <stdio.h>

const char *ash_stage_name(ash_stage stage)
{
    static const char *const names[ASH_STAGES] = {"forces", "solve", "integrate", "collide", "measure"};
    return (unsigned)stage < ASH_STAGES ? names[stage] : "";
}

ash_world_def ash_default_world_def(void)
{
    ash_world_def def = {.gravity = {0, 0, -9.81}, .threads = 1};
    ash_method_find(NULL, &def.method, NULL);
    return def;
}

ash_status ashi_world_misuse(const ash_world *world, ash_status status, const char *code, const char *format, ...)
{
    char message[sizeof world->last->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ashi_log(ASH_LOG_ERROR, "%s", message);
    return ashi_fail(world->last, status, code, "%s", message);
}

ash_status ashi_world_note(const ash_world *world, const ash_diagnostic *diagnostic)
{
    *world->last = *diagnostic;
    return diagnostic->status;
}

uint32_t ashi_world_slot(const ash_world *world, const ashi_pool *pool, uint64_t handle, const char *thing,
                         const char *call)
{
    uint32_t slot = ashi_pool_slot_of(pool, handle);
    char code[32];
    if (slot != ASHI_NO_SLOT)
        return slot;
    snprintf(code, sizeof code, "%s.handle", thing);
    ashi_world_misuse(world, ASH_BAD_HANDLE, code, "%s: the %s handle %#llx is %s", call, thing,
                      (unsigned long long)handle, handle == 0 ? "null" : "stale or of another world");
    return ASHI_NO_SLOT;
}

uint32_t ashi_world_body(const ash_world *world, ash_body body, const char *call)
{
    return ashi_world_slot(world, &world->model.bodies.pool, body.id, "body", call);
}

uint32_t ashi_world_force(const ash_world *world, ash_force force, const char *call)
{
    return ashi_world_slot(world, &world->model.forces.pool, force.id, "force", call);
}

uint32_t ashi_world_joint(const ash_world *world, ash_joint joint, const char *call)
{
    return ashi_world_slot(world, &world->model.joints.pool, joint.id, "joint", call);
}

uint32_t ashi_world_end(const ash_world *world, ash_body body, const char *field, ash_diagnostic *diagnostic)
{
    if (body.id == 0)
        return 0;
    uint32_t slot = ashi_pool_slot_of(&world->model.bodies.pool, body.id);
    if (slot == ASHI_NO_SLOT)
        ashi_fail(diagnostic, ASH_BAD_HANDLE, "body.handle", "%s: the body handle %#llx is stale or of another world",
                  field, (unsigned long long)body.id);
    return slot;
}

bool ashi_world_has_room(const ashi_pool *pool, uint32_t count, const char *what, ash_diagnostic *diagnostic)
{
    if (count <= ASH_MAX_OBJECTS - pool->used)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "world.objects", "%u %s and %u more are too many for a world", pool->used, what,
              count);
    ashi_expect(diagnostic, "at most %d", ASH_MAX_OBJECTS);
    return false;
}

static ash_status check_def(const ash_world_def *def, ash_diagnostic *diagnostic)
{
    if (!v3_is_finite(def->gravity))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "world.gravity", "gravity is (%g, %g, %g): not finite",
                         def->gravity.x, def->gravity.y, def->gravity.z);
    if (def->planar && def->gravity.z != 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "world.gravity", "gravity is %g along z in a planar world", def->gravity.z);
        return ashi_expect(diagnostic, "gravity in the xy plane, such as (0, -9.81, 0)");
    }
    if (def->jobs == NULL && (def->threads < 1 || def->threads > ASH_MAX_THREADS)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "world.threads", "%u threads", def->threads);
        return ashi_expect(diagnostic, "1 to %d", ASH_MAX_THREADS);
    }
    if (def->jobs != NULL && (def->jobs->run == NULL || def->jobs->workers < 1))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "world.jobs", "the host's jobs need a run function and a worker");
    if (def->jobs != NULL && def->jobs->workers > ASH_MAX_THREADS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "world.jobs", "the host's jobs have %u workers", def->jobs->workers);
        return ashi_expect(diagnostic, "1 to %d", ASH_MAX_THREADS);
    }
    return ashi_method_is_valid(&def->method, diagnostic) ? ASH_OK : ASH_BAD_DATA;
}

ash_status ash_world_create(const ash_world_def *def, ash_world **out, ash_diagnostic *diagnostic)
{
    ash_status status = check_def(def, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_world *world = ashi_alloc_zeroed(sizeof *world);
    if (world == NULL)
        return ashi_out_of_memory(diagnostic);
    world->method = def->method;
    world->host_jobs = def->jobs != NULL;
    world->last = ashi_alloc_zeroed(sizeof *world->last);
    world->scratch = ashi_arena_create(0);
    world->kept = ashi_arena_create(0);
    world->solvers = ashi_solver_memory_create();
    world->lanes = ashi_lanes_create();
    if (world->solvers != NULL)
        ashi_solver_set_interrupt(world->solvers, &world->interrupt);
    world->joint_impulses = ashi_joint_impulses_create();
    world->joint_factor = ashi_direct_create();
    world->tasks = ashi_tasks_create(def->threads, def->jobs);
    if (world->last == NULL || world->scratch == NULL || world->kept == NULL || world->solvers == NULL ||
        world->lanes == NULL || world->joint_impulses == NULL || world->joint_factor == NULL || world->tasks == NULL ||
        !ashi_model_create(&world->model, def->planar, def->gravity)) {
        ash_world_destroy(world);
        return ashi_out_of_memory(diagnostic);
    }
    world->model.unit_length = def->method.solver.unit_length;
    ashi_model_number(&world->model, ashi_next_world());
    *out = world;
    return ASH_OK;
}

void ash_world_destroy(ash_world *world)
{
    if (world == NULL)
        return;
    ashi_collision_release(&world->collision);
    ashi_model_destroy(&world->model);
    ashi_tasks_destroy(world->tasks);
    ashi_arena_destroy(world->scratch);
    ashi_arena_destroy(world->kept);
    ashi_solver_memory_destroy(world->solvers);
    ashi_lanes_destroy(world->lanes);
    ashi_joint_impulses_destroy(world->joint_impulses);
    ashi_system_release(&world->problem);
    ashi_system_release(&world->position_problem);
    ashi_system_release(&world->last_problem);
    ashi_system_release(&world->joint_problem);
    ashi_direct_destroy(world->joint_factor);
    ashi_contact_graph_release(&world->graph);
    ashi_array_release(&world->elements.pairs);
    ashi_array_release(&world->elements.rows);
    ashi_block_pattern_release(&world->implicit_pattern);
    ashi_advance_destroy(world->advance);
    ashi_array_release(&world->motions);
    ashi_dealloc(world->last);
    ashi_dealloc(world);
}

static double time_after(const ash_world *world, double h)
{
    return h == world->step_length ? world->time_base + (double)(world->step_count + 1) * h : world->time + h;
}

static void advance_time(ash_world *world, double h)
{
    double time = time_after(world, h);
    if (h == world->step_length) {
        world->step_count++;
    } else {
        world->time_base = world->time;
        world->step_length = h;
        world->step_count = 1;
    }
    world->time = time;
    world->steps++;
}

ashi_step ashi_world_begin_step(ash_world *world, double h)
{
    return (ashi_step){
        .model = &world->model,
        .tasks = world->tasks,
        .scratch = world->scratch,
        .elements = &world->elements,
        .implicit_pattern = &world->implicit_pattern,
        .collision = &world->collision,
        .detected = world->detected == world->revision,
        .problem = &world->problem,
        .position_problem = &world->position_problem,
        .last_problem = &world->last_problem,
        .joint_problem = &world->joint_problem,
        .joint_factor = world->joint_factor,
        .judged_joints = &world->judged_joints,
        .solvers = world->solvers,
        .interrupt = &world->interrupt,
        .lanes = world->lanes,
        .joint_impulses = world->joint_impulses,
        .kept = world->kept,
        .graph = &world->graph,
        .method = world->method,
        .scheme = ashi_scheme_of(&world->method, &world->model),
        .time = world->time,
        .h = h,
        .number = world->steps,
        .sinking = world->sinking,
        .mean_creep = world->mean_creep,
        .stage = ASH_STAGE_INTEGRATE, /* everything outside other stages */
        .stage_since = ashi_seconds(),
    };
}

/* Reports the errors of joints, and their rows in the last part's problem. */
static void report_joints(const ash_world *world, ash_step_report *report)
{
    const ashi_joints *joints = &world->model.joints;
    double worst = -1;
    if (joints->entries.count == 0) /* there never was a joint */
        return;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        if (!ashi_pool_in_use(&joints->pool, i) || !joints->entries.data[i].enabled)
            continue;
        ash_joint_error error = ashi_joint_error_at(&world->model, &joints->entries.data[i], &world->model.bodies.now);
        report->joint_error = fmax(report->joint_error, error.distance);
        report->joint_angle = fmax(report->joint_angle, error.angle);
        report->flags |= ashi_world_joint_is_open(world, &joints->entries.data[i], error) ? ASH_FLAG_JOINT_OPEN : 0;
        if (fmax(error.distance, error.angle) > worst) {
            worst = fmax(error.distance, error.angle);
            report->worst_joint.id = ashi_pool_handle(&joints->pool, i);
        }
    }
    for (uint32_t k = 0; k < world->problem.block_count; k++)
        if (world->problem.blocks[k].kind == ASHI_PLAIN_BLOCK)
            report->joint_rows += world->problem.blocks[k].row_count;
}

/* Approximate number of multiplications of all solves so far, without those counted by the step itself. */
static uint64_t count_operations(const ash_world *world)
{
    uint64_t sum = ashi_solver_operations(world->solvers);
    if (world->model.joints.pool.used > 0)
        sum += ashi_joint_impulses_operations(world->joint_impulses) + ashi_direct_operations(world->joint_factor);
    return sum;
}

bool ashi_world_take_step(ash_world *world, double h)
{
    if (!ashi_world_note_velocities(world)) {
        world->report =
            (ash_step_report){.step = world->steps, .time = world->time, .h = h, .flags = ASH_FLAG_OUT_OF_MEMORY};
        return false;
    }
    double begin = ashi_seconds();
    ashi_interrupt_arm(&world->interrupt);
    ashi_account_settle(&world->account, &world->model);
    ashi_world_watch(world, h);
    ashi_step step = ashi_world_begin_step(world, h);
    uint64_t operations = count_operations(world);
    bool taken = ashi_step_take(&step);
    world->revision++;
    world->detected = step.detected ? world->revision : 0;
    world->unwritten = ashi_lanes_act(world->lanes) ? world->revision : 0;
    if (taken) {
        ashi_work_add(&world->account.work, &step.work, 1);
        ashi_world_judge(world, &step);
        advance_time(world, h);
        ashi_world_find_accelerations(world, h);
    }
    ash_step_report report = {
        .step = world->steps,
        .time = world->time,
        .h = h,
        .flags = step.flags,
        .force_evaluations = step.evaluations,
        .iterations = step.iterations,
        .residual = step.residual,
        .parts = step.parts,
        .impacts = step.impacts,
        .islands = step.islands,
        .sleeping = ashi_sleep_count(&world->model.bodies, &world->method),
        .blocks = world->problem.block_count + (world->problem.expanded ? 0 : world->problem.point_count) +
                  ashi_lanes_point_count(world->lanes),
        .solver_iterations = step.solver_iterations,
        .solve_flags = step.solve_flags,
        .error = step.error,
        .worst_a = {step.worst_a},
        .worst_b = {step.worst_b},
        .worst_row = {step.worst_row},
        .joint_corrections = step.joint_corrections,
        .velocity_corrections = step.velocity_corrections,
        .operations = count_operations(world) - operations + step.operations,
        .pairs = world->collision.now.pairs.count,
        .pair_tests = world->collision.tests,
        .contacts = world->collision.now.contacts.count,
        .contact_points = world->collision.now.points.count,
        .penetration = ashi_collision_penetration(&world->collision),
        .energy_made = world->watch.made,
        .energy_budget = world->watch.budget,
    };
    report_joints(world, &report);
    ashi_world_locate_alarms(world, &step, &report);
    for (int i = 0; i < ASH_STAGES; i++)
        report.stage_seconds[i] = step.stage_seconds[i];
    report.seconds = ashi_seconds() - begin;
    world->report = report;
    return taken;
}

ash_status ashi_world_step_failed(const ash_world *world)
{
    unsigned long long number = world->steps + 1;
    if (world->report.flags & ASH_FLAG_OUT_OF_MEMORY)
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "step.memory", "step %llu: out of memory; not taken",
                                 number);
    if (world->report.flags & ASH_FLAG_INTERRUPTED)
        return ashi_world_misuse(world, ASH_NUMERICS, "step.interrupted", "step %llu at %g s was abandoned on request",
                                 number, world->time);
    uint32_t worst = ashi_pool_slot_of(&world->model.bodies.pool, world->report.worst_body.id);
    const char *name = worst != ASHI_NO_SLOT ? world->model.bodies.info[worst].name : NULL;
    return ashi_world_misuse(world, ASH_NUMERICS, "step.not-finite",
                             "step %llu at %g s: the state of body %u%s%s%s is not finite; the step was not taken",
                             number, world->time, worst, name != NULL ? " \"" : "", name != NULL ? name : "",
                             name != NULL ? "\"" : "");
}

ash_status ash_world_step(ash_world *world, double h)
{
    if (!(h > 0) || !isfinite(h))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.step", "ash_world_step: the step is %g s", h);
    return ashi_world_take_step(world, h) ? ASH_OK : ashi_world_step_failed(world);
}

ash_status ash_world_set_interrupt(ash_world *world, ash_interrupt asked, void *user)
{
    world->interrupt.asked = asked;
    world->interrupt.user = user;
    ashi_interrupt_arm(&world->interrupt);
    return ASH_OK;
}

ash_interrupt ash_world_get_interrupt(const ash_world *world, void **user)
{
    if (user != NULL)
        *user = world->interrupt.user;
    return world->interrupt.asked;
}

const ashi_system *ashi_world_problem(const ash_world *world)
{
    ash_world *own = (ash_world *)(uintptr_t)world; /* this changes nothing visible */
    if (world->unwritten == 0)
        return &world->problem;
    bool good = world->unwritten == world->revision &&
                ashi_lanes_write_problem(own->lanes, &own->model, &own->collision.before, &own->method,
                                         own->time - own->report.h, &own->problem);
    own->unwritten = 0;
    if (!good)
        ashi_system_clear(&own->problem);
    return &world->problem;
}

ash_status ash_world_get_problem(const ash_world *world, ash_problem *problem)
{
    return problem == NULL                                      ? ASH_BAD_ARGUMENT
           : ashi_public_of(problem, ashi_world_problem(world)) ? ASH_OK
                                                                : ASH_OUT_OF_MEMORY;
}

ash_step_report ash_world_get_report(const ash_world *world)
{
    return world->report;
}

double ash_world_get_time(const ash_world *world)
{
    return world->time;
}

ash_vec3 ash_world_get_gravity(const ash_world *world)
{
    return world->model.gravity;
}

ash_status ash_world_set_gravity(ash_world *world, ash_vec3 gravity)
{
    if (!v3_is_finite(gravity) || (world->model.bodies.planar && gravity.z != 0))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.gravity",
                                 "ash_world_set_gravity: (%g, %g, %g) is not finite or leaves the plane", gravity.x,
                                 gravity.y, gravity.z);
    ashi_world_note_change(world);
    ashi_sleep_wake_all(&world->model.bodies);
    world->model.gravity = gravity;
    return ASH_OK;
}

bool ash_world_is_planar(const ash_world *world)
{
    return world->model.bodies.planar;
}

ash_method ash_world_get_method(const ash_world *world)
{
    return world->method;
}

ash_status ash_world_set_method(ash_world *world, const ash_method *method)
{
    ash_diagnostic diagnostic;
    if (!ashi_method_is_valid(method, &diagnostic))
        return ashi_world_note(world, &diagnostic);
    world->method = *method;
    world->model.unit_length = method->solver.unit_length;
    return ASH_OK;
}

uint32_t ash_world_get_threads(const ash_world *world)
{
    return ashi_tasks_workers(world->tasks);
}

ash_status ash_world_set_threads(ash_world *world, uint32_t threads)
{
    if (threads < 1 || threads > ASH_MAX_THREADS || world->host_jobs)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.threads", "ash_world_set_threads: %u%s", threads,
                                 world->host_jobs ? ", but the threads are the host's" : " is not 1 to 1024");
    if (threads == ashi_tasks_workers(world->tasks))
        return ASH_OK;
    ashi_tasks *tasks = ashi_tasks_create(threads, NULL);
    if (tasks == NULL)
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "ash_world_set_threads: out of memory or threads");
    ashi_tasks_destroy(world->tasks);
    world->tasks = tasks;
    return ASH_OK;
}

ash_ledger ash_world_get_ledger(const ash_world *world)
{
    return ashi_account_ledger(&world->account, &world->model);
}

ash_status ash_world_reset_ledger(ash_world *world)
{
    world->account = (ashi_account){0};
    world->watch.begun = false;
    return ASH_OK;
}

ash_vec3 ash_world_get_momentum(const ash_world *world)
{
    return ashi_momentum(&world->model, &world->model.bodies.now);
}

ash_vec3 ash_world_get_angular_momentum(const ash_world *world)
{
    return ashi_total_angular_momentum(&world->model, &world->model.bodies.now);
}

uint64_t ash_world_get_hash(const ash_world *world)
{
    const ashi_bodies *b = &world->model.bodies;
    size_t n = ashi_body_slots(b);
    uint64_t hash = ashi_hash(ASHI_HASH_START, &world->time, sizeof world->time);
    hash = ashi_hash(hash, b->now.position, n * sizeof *b->now.position);
    hash = ashi_hash(hash, b->now.rotation, n * sizeof *b->now.rotation);
    hash = ashi_hash(hash, b->now.velocity, n * sizeof *b->now.velocity);
    return ashi_hash(hash, b->now.spin, n * sizeof *b->now.spin);
}

ash_diagnostic ash_world_get_last_diagnostic(const ash_world *world)
{
    return *world->last;
}

void ash_world_clear_diagnostic(ash_world *world)
{
    *world->last = (ash_diagnostic){0};
}
