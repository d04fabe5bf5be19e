/* The problem of contacts in lanes, made on request, with their solution. */
#include "solve/wide/wide.h"
#include "step/lanes_inside.h"

#include <string.h>

/* Marks the bodies, contacts and joints of the last part's problem. */
static void note_others(const ashi_lanes *lanes, const ashi_model *model, const ashi_system *p, bool *leaves,
                        ash_vec3 *impulses, ash_motion *velocity, const ashi_state *predicted)
{
    (void)lanes;
    for (uint32_t k = 0; k < p->point_count; k++) {
        leaves[p->points[k].label] = false;
        impulses[p->points[k].label] = p->points[k].impulse;
    }
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&model->bodies.pool, p->bodies[i].label);
        predicted->velocity[slot] = p->bodies[i].velocity;
        predicted->spin[slot] = p->bodies[i].spin;
        velocity[slot] = p->velocity[i];
    }
}

typedef struct noting {
    bool *leaves;
    ash_vec3 *impulses;
} noting;

static void note_point(const ashi_wide_borne *borne, void *data)
{
    const noting *n = data;
    n->leaves[borne->point] = false;
    n->impulses[borne->point] = borne->total;
}

static void note_lanes(const ashi_lanes *lanes, noting *n, ash_motion *velocity, const ashi_state *predicted)
{
    for (int w = 0; w < ASHI_WIDTHS; w++) {
        const ashi_wide_task *task = &lanes->task[w];
        const ashi_wide_solution *s = &lanes->solution[w];
        if (task->entry_count == 0)
            continue;
        task->form->visit(task, s, note_point, n);
        for (uint32_t i = 0; i < task->active_count; i++) {
            uint32_t slot = task->active[i];
            predicted->velocity[slot] = lanes->bodies[slot].free.linear;
            predicted->spin[slot] = lanes->bodies[slot].free.angular;
            velocity[slot] = s->velocity[slot];
        }
    }
}

bool ashi_lanes_write_problem(ashi_lanes *lanes, const ashi_model *model, const ashi_contact_set *contacts,
                              const ash_method *method, double time, ashi_system *problem)
{
    ashi_arena *arena = lanes->arena;
    uint32_t slots = ashi_body_slots(&model->bodies), points = contacts->points.count;
    const ashi_state *start = &model->bodies.next; /* the state at the start of the part */
    ashi_state predicted = {start->position, start->rotation,
                            ashi_arena_take_array(arena, slots, sizeof *predicted.velocity),
                            ashi_arena_take_array(arena, slots, sizeof *predicted.spin)};
    bool *leaves = ashi_arena_take_array(arena, points, sizeof *leaves);
    ash_vec3 *impulses = ashi_arena_take_array(arena, points, sizeof *impulses);
    ash_motion *velocity = ashi_arena_take_array(arena, slots, sizeof *velocity);
    double *rows = ashi_arena_take_array(arena, problem->row_count, sizeof *rows);
    uint32_t row_count = problem->row_count;
    if (predicted.velocity == NULL || predicted.spin == NULL || leaves == NULL || impulses == NULL ||
        velocity == NULL || rows == NULL)
        return false;
    memcpy(predicted.velocity, start->velocity, slots * sizeof *predicted.velocity);
    memcpy(predicted.spin, start->spin, slots * sizeof *predicted.spin);
    memset(leaves, true, points * sizeof *leaves);
    for (uint32_t i = 0; i < slots; i++)
        velocity[i] = (ash_motion){start->velocity[i], start->spin[i]};
    for (uint32_t i = 0; i < row_count; i++)
        rows[i] = problem->rows[i].impulse;
    note_others(lanes, model, problem, leaves, impulses, velocity, &predicted);
    noting n = {leaves, impulses};
    note_lanes(lanes, &n, velocity, &predicted);
    ashi_assembly assembly = {.model = model,
                              .contacts = contacts,
                              .method = method,
                              .start = start,
                              .predicted = &predicted,
                              .h = lanes->h,
                              .reach = lanes->reach,
                              .time = time,
                              .leaves = leaves,
                              .by_points = true};
    if (!ashi_assemble(&assembly, arena, problem))
        return false;
    for (uint32_t k = 0; k < problem->point_count; k++)
        problem->points[k].impulse = impulses[problem->points[k].label];
    for (uint32_t i = 0; i < problem->body_count; i++)
        problem->velocity[i] = velocity[ashi_pool_slot_of(&model->bodies.pool, problem->bodies[i].label)];
    for (uint32_t i = 0; i < problem->row_count; i++)
        problem->rows[i].impulse = problem->row_count == row_count ? rows[i] : 0;
    return true;
}
