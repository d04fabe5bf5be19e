/* The joints as one mechanism: its mobility, its redundant joints, and its assembly from open joints.
 *
 * Assembly is Newton's method on all held rows, with steps of limited length and a line search on the sum of squares of
 * the errors, island by island; if that gains nothing, Levenberg's damping leads to the least errors. */
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define MOST_PASSES  200
#define LONGEST_STEP 0.5   /* m or rad: the largest motion of a body in a pass */
#define HALVINGS     12    /* of a step, in the search for smaller errors */
#define STUCK        1e-4  /* of the errors' sum: passes that gain less make no progress */
#define PATIENCE     8     /* such passes in a row */
#define DAMPING      0.1   /* of passes after such ones: the only way for joints that contradict each other */
#define MOST_NAMED   6     /* open joints in the diagnostic */
#define VELOCITIES   10    /* corrections at most */
#define STILL        1e-12 /* m/s or rad/s: left alone */

static ash_status out_of_memory(ash_world *world, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    ash_status status = ashi_out_of_memory(&own);
    ashi_world_note(world, &own);
    if (diagnostic != NULL)
        *diagnostic = own;
    return status;
}

/* ---- freedoms ---- */

static uint32_t freedoms_of(const ashi_bodies *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        for (uint32_t k = 0; k < 6 && (b->motion[i] & (ASHI_DYNAMIC | ASHI_ASLEEP)); k++)
            count += (b->locks[i] >> k & 1) == 0;
    return count;
}

static bool find_redundancy(ash_world *world, ash_mobility *mobility)
{
    ashi_arena_reset(world->scratch);
    ashi_sleep_wake_all(&world->model.bodies); /* joints of sleeping bodies count */
    if (!ashi_find_redundancy(&world->model, &world->model.bodies.now, world->time, &world->joint_problem,
                              world->joint_factor, world->scratch, mobility))
        return false;
    world->judged_joints = world->model.joints.revision;
    uint32_t all = freedoms_of(&world->model.bodies);
    mobility->freedoms = all > mobility->rank ? all - mobility->rank : 0;
    return true;
}

ash_status ash_world_get_mobility(ash_world *world, ash_mobility *mobility)
{
    *mobility = (ash_mobility){0};
    return find_redundancy(world, mobility) ? ASH_OK : out_of_memory(world, NULL);
}

uint32_t ash_world_get_redundant_joints(ash_world *world, ash_joint *joints, uint32_t capacity)
{
    ash_mobility mobility;
    const ashi_joints *all = &world->model.joints;
    uint32_t count = 0;
    if (!find_redundancy(world, &mobility)) {
        out_of_memory(world, NULL);
        return 0;
    }
    for (uint32_t i = 0; i < all->entries.count; i++) {
        if (!ashi_pool_in_use(&all->pool, i) || !all->entries.data[i].indeterminate)
            continue;
        if (count < capacity)
            joints[count].id = ashi_pool_handle(&all->pool, i);
        count++;
    }
    return count;
}

/* ---- assembly ---- */

typedef struct assembling {
    ashi_closure closure;
    ash_vec3 *position; /* by slot: before the pass, and before all */
    ash_quat *rotation;
    ash_vec3 *first_position;
    ash_quat *first_rotation;
    double *gain;  /* of a pass, by island: the share of the sum of squares that it removed */
    double enough; /* sums of squares that are small enough */
} assembling;

static void copy_places(const ashi_bodies *b, ash_vec3 *position, ash_quat *rotation)
{
    memcpy(position, b->now.position, ashi_body_slots(b) * sizeof *position);
    memcpy(rotation, b->now.rotation, ashi_body_slots(b) * sizeof *rotation);
}

static void put_back(ashi_bodies *b, const ash_vec3 *position, const ash_quat *rotation)
{
    memcpy(b->now.position, position, ashi_body_slots(b) * sizeof *position);
    memcpy(b->now.rotation, rotation, ashi_body_slots(b) * sizeof *rotation);
}

static void put_island_back(const assembling *a, const ash_problem_island *island)
{
    const ashi_bodies *b = &a->closure.model->bodies;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&b->pool, a->closure.problem->bodies[i].label);
        b->now.position[slot] = a->position[slot];
        b->now.rotation[slot] = a->rotation[slot];
    }
}

static double sum_of_squares(const ashi_system *p, const ash_problem_island *island)
{
    double sum = 0;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            sum += p->rows[i].softness > 0 ? 0 : p->rows[i].error * p->rows[i].error;
    return sum;
}

/* The line search, island by island, so that contradictory joints in one do not hold up others. `before` has the sums
 * of squares; afterwards the gains. */
static void search(assembling *a, double *before)
{
    ashi_closure *c = &a->closure;
    const ashi_system *p = c->problem;
    double share = 1;
    for (int i = 0; i < HALVINGS; i++, share *= 0.5) {
        for (uint32_t k = 0; k < p->island_count; k++)
            if (a->gain[k] < 0) {
                put_island_back(a, &p->islands[k]);
                ashi_closure_move(c, &p->islands[k], share);
            }
        ashi_closure_error(c);
        for (uint32_t k = 0; k < p->island_count; k++) {
            double after = sum_of_squares(p, &p->islands[k]);
            if (a->gain[k] < 0 && after < before[k])
                a->gain[k] = 1 - after / before[k];
        }
    }
    for (uint32_t k = 0; k < p->island_count; k++)
        if (a->gain[k] < 0) {
            put_island_back(a, &p->islands[k]);
            a->gain[k] = 0;
        }
}

/* One pass. False when memory ran out. `gain` receives the largest share of an island's errors that it removed. */
static bool take_pass(ash_world *world, assembling *a, double *gain)
{
    ashi_closure *c = &a->closure;
    const ashi_system *p = c->problem;
    double *before = ashi_arena_take_array(world->scratch, p->island_count, sizeof *before);
    a->gain = ashi_arena_take_array(world->scratch, p->island_count, sizeof *a->gain);
    copy_places(&world->model.bodies, a->position, a->rotation);
    if (before == NULL || a->gain == NULL || !ashi_closure_factor(c))
        return false;
    ashi_closure_aim(c, LONGEST_STEP);
    for (uint32_t k = 0; k < p->island_count; k++) {
        before[k] = sum_of_squares(p, &p->islands[k]);
        a->gain[k] = before[k] > 0 ? -1 : 0; /* negative: not found yet */
    }
    search(a, before);
    *gain = 0;
    for (uint32_t k = 0; k < p->island_count; k++)
        *gain = before[k] > a->enough ? fmax(*gain, a->gain[k]) : *gain;
    return true;
}

static bool take_memory(ash_world *world, assembling *a)
{
    /* Scratch memory is reset in each pass: lasting data is in the other arena. */
    uint32_t slots = ashi_body_slots(&world->model.bodies);
    ashi_arena_reset(world->kept);
    a->position = ashi_arena_take_array(world->kept, slots, sizeof *a->position);
    a->rotation = ashi_arena_take_array(world->kept, slots, sizeof *a->rotation);
    a->first_position = ashi_arena_take_array(world->kept, slots, sizeof *a->first_position);
    a->first_rotation = ashi_arena_take_array(world->kept, slots, sizeof *a->first_rotation);
    return a->position != NULL && a->rotation != NULL && a->first_position != NULL && a->first_rotation != NULL;
}

static bool look(ash_world *world, assembling *a)
{
    ashi_arena_reset(world->scratch);
    return ashi_closure_look(&a->closure);
}

/* Repeats passes until all joints are closed or nothing more is gained. False when memory ran out. */
static bool close_all(ash_world *world, assembling *a, double tolerance, uint32_t *passes)
{
    uint32_t idle = 0;
    for (*passes = 0; *passes < MOST_PASSES && idle < PATIENCE; ++*passes) {
        double gain;
        a->closure.damping = idle > 0 ? DAMPING : 0;
        if (!look(world, a))
            return false;
        if (!(ashi_closure_error(&a->closure) > tolerance))
            return true;
        if (!take_pass(world, a, &gain))
            return false;
        idle = gain < STUCK ? idle + 1 : 0;
    }
    return look(world, a);
}

static bool settle_velocities(ash_world *world, assembling *a)
{
    a->closure.damping = 0;
    if (!look(world, a) || !ashi_closure_factor(&a->closure))
        return false;
    double before = INFINITY;
    for (int i = 0; i < VELOCITIES; i++) {
        double error = ashi_closure_correct_velocities(&a->closure, STILL);
        if (!(error > STILL) || !(error < before))
            break;
        before = error;
    }
    return true;
}

static void measure_way(const ash_world *world, const assembling *a, ash_assembly_report *report)
{
    const ashi_bodies *b = &world->model.bodies;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        report->moved = fmax(report->moved, v3_distance(b->now.position[i], a->first_position[i]));
        ash_vec3 turn = q_log(q_mul(b->now.rotation[i], q_conjugate(a->first_rotation[i])));
        report->turned = fmax(report->turned, v3_norm(turn));
    }
}

/* Measures the remaining errors and lists the first open joints. */
static void measure_errors(const ash_world *world, double tolerance, ash_assembly_report *report, char *names,
                           size_t size)
{
    const ashi_joints *joints = &world->model.joints;
    double worst = -1;
    size_t used = 0;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        ash_joint_error error = ashi_joint_error_at(&world->model, joint, &world->model.bodies.now);
        double larger = fmax(error.distance, error.angle);
        report->distance = fmax(report->distance, error.distance);
        report->angle = fmax(report->angle, error.angle);
        if (larger > worst) {
            worst = larger;
            report->worst.id = ashi_pool_handle(&joints->pool, i);
        }
        if (!(larger > tolerance))
            continue;
        if (report->open_joints++ < MOST_NAMED && used < size) {
            const char *comma = report->open_joints > 1 ? ", " : "";
            int written = joint->name != NULL ? snprintf(names + used, size - used, "%s%s", comma, joint->name)
                                              : snprintf(names + used, size - used, "%s%u", comma, (unsigned)i);
            used += written > 0 ? (size_t)written : 0;
        }
    }
}

static ash_status tell(ash_world *world, double tolerance, const ash_assembly_report *report, const char *names,
                       ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    const char *more = report->open_joints > MOST_NAMED ? ", ..." : "";
    ashi_fail(&own, ASH_BAD_DATA, "world.assembly", "%u joints do not close: %.300s%s; errors are %.3g m and %.3g rad",
              (unsigned)report->open_joints, names, more, report->distance, report->angle);
    ashi_expect(&own, "joints that can hold together within %g", tolerance);
    if (diagnostic != NULL)
        *diagnostic = own;
    return ashi_world_note(world, &own);
}

ash_status ash_world_assemble(ash_world *world, double tolerance, ash_assembly_report *report,
                              ash_diagnostic *diagnostic)
{
    ash_assembly_report own = {0};
    report = report != NULL ? report : &own;
    *report = own;
    if (!(tolerance > 0) || !isfinite(tolerance))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.assembly", "%s: the tolerance is %g", __func__,
                                 tolerance);
    ashi_model *model = &world->model;
    assembling a = {.closure = {.model = model,
                                .state = &model->bodies.now,
                                .problem = &world->joint_problem,
                                .direct = world->joint_factor,
                                .scratch = world->scratch,
                                .time = world->time}};
    a.enough = tolerance * tolerance;
    ashi_world_note_change(world);
    ashi_sleep_wake_all(&model->bodies);
    if (!take_memory(world, &a))
        return out_of_memory(world, diagnostic);
    copy_places(&model->bodies, a.first_position, a.first_rotation);
    if (!close_all(world, &a, tolerance, &report->passes)) {
        put_back(&model->bodies, a.first_position, a.first_rotation);
        return out_of_memory(world, diagnostic);
    }
    if (!settle_velocities(world, &a))
        return out_of_memory(world, diagnostic);
    ashi_joints_advance(model, world->time, 0); /* angles are counted from here */
    char names[400] = "";
    measure_way(world, &a, report);
    measure_errors(world, tolerance, report, names, sizeof names);
    return report->open_joints == 0 ? ASH_OK : tell(world, tolerance, report, names, diagnostic);
}
