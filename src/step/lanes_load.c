/* First guesses for islands in lanes whose contacts carry nothing yet. Statics by layers gives normal forces alone;
 * where these do not hold an island that stands still (balls lean on each other by friction), it is noted as unheld. */
#include "base/groups.h"
#include "solve/soft/soft_load.h"
#include "step/lanes_inside.h"

#include <string.h>

/* By root, and one more: where what belongs to it begins in a list. Counts become beginnings. */
static void sum_up(uint32_t *first, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t own = first[i];
        first[i] = sum;
        sum += own;
    }
}

/* Islands, one by one. */
typedef struct loads {
    const ashi_wide_entry *entries;
    uint32_t *parent;
    uint32_t *first_body, *first_entry; /* by root */
    uint32_t *body, *entry;             /* in the order of roots */
    uint32_t *number;                   /* by slot: of a body in its island, from 1 on */
    ash_problem_body *bodies;
    ashi_load_support *supports;
    double *guess;
    bool *unheld; /* by point */
    bool any_unheld;
} loads;

#define HELD 1e-6 /* of the kinetic energy that forces give a body in the step: what a guess may leave */

static ash_vec3 in_world(const ashi_wide_task *task, uint32_t shape, ash_vec3 point)
{
    if (task->planar)
        return v3_of(p2_point(task->flat_places[shape], v2_of(point)));
    return v3_add(task->places[shape].position, m3_apply(task->places[shape].axes, point));
}

static ash_vec3 normal_in_world(const ashi_wide_task *task, uint32_t shape, ash_vec3 normal)
{
    if (task->planar)
        return v3_of(p2_turn(task->flat_places[shape], v2_of(normal)));
    return m3_apply(task->places[shape].axes, normal);
}

static uint32_t add_supports(const loads *l, const ashi_wide_task *task, const ashi_wide_entry *e, uint32_t count)
{
    const ashi_contact_record *contact = &task->set->contacts.data[e->contact];
    ash_vec3 n = normal_in_world(task, e->shape_a, contact->normal);
    ash_vec3 centre_a = task->centres[task->owner[e->shape_a]], centre_b = task->centres[task->owner[e->shape_b]];
    for (uint32_t k = 0; k < ASHI_WIDE_POINTS; k++) {
        if (!(e->points >> k & 1))
            continue;
        const ashi_point_record *p = &task->set->points.data[e->first + k];
        ash_vec3 middle =
            v3_scale(v3_add(in_world(task, e->shape_a, p->on_a), in_world(task, e->shape_b, p->on_b)), 0.5);
        l->supports[count++] = (ashi_load_support){.body_a = e->a != 0 ? l->number[e->a] : 0,
                                                   .body_b = e->b != 0 ? l->number[e->b] : 0,
                                                   .linear_a = v3_neg(n),
                                                   .angular_a = v3_neg(v3_cross(v3_sub(middle, centre_a), n)),
                                                   .angular_b = v3_cross(v3_sub(middle, centre_b), n),
                                                   .linear_b = n,
                                                   .gap = -p->depth,
                                                   .impulse = &l->guess[e->first + k]};
    }
    return count;
}

/* Adds an impulse of a support to a body's. */
static void add_impulse(ash_motion *sum, ash_vec3 linear, ash_vec3 angular, double impulse)
{
    sum->linear = v3_add_scaled(sum->linear, linear, impulse);
    sum->angular = v3_add_scaled(sum->angular, angular, impulse);
}

/* Whether bodies that stand still go on doing so by the guess. `sums`: room for a motion a body. */
static bool is_held(const loads *l, uint32_t bodies, uint32_t supports, ash_motion *sums)
{
    bool held = true;
    for (uint32_t i = 0; i <= bodies; i++)
        sums[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t i = 0; i < supports; i++) {
        const ashi_load_support *at = &l->supports[i];
        add_impulse(&sums[at->body_a], at->linear_a, at->angular_a, *at->impulse);
        add_impulse(&sums[at->body_b], at->linear_b, at->angular_b, *at->impulse);
    }
    for (uint32_t i = 1; i <= bodies && held; i++) {
        const ash_problem_body *b = &l->bodies[i];
        double mass = b->inverse_mass.x > 0 ? 1 / b->inverse_mass.x : 0;
        ash_vec3 momentum = v3_add_scaled(sums[i].linear, b->velocity, mass);
        double left = v3_norm2(momentum) * b->inverse_mass.x +
                      v3_dot(sums[i].angular, s3_apply(b->inverse_inertia, sums[i].angular));
        held = left <= HELD * mass * v3_norm2(b->velocity);
    }
    return held;
}

static bool stands_still(const loads *l, uint32_t bodies)
{
    bool still = true;
    for (uint32_t i = 1; i <= bodies && still; i++)
        still = v3_norm2(l->bodies[i].start_velocity) == 0 && v3_norm2(l->bodies[i].start_spin) == 0;
    return still;
}

static void note_unheld(loads *l, const ashi_wide_entry *e)
{
    l->any_unheld = true;
    for (uint32_t k = 0; k < ASHI_WIDE_POINTS; k++)
        if (e->points >> k & 1)
            l->unheld[e->first + k] = true;
}

static uint32_t gather_supports(const loads *l, const ashi_wide_task *task, uint32_t root)
{
    uint32_t supports = 0;
    for (uint32_t i = l->first_entry[root]; i < l->first_entry[root + 1]; i++)
        supports = add_supports(l, task, &l->entries[l->entry[i]], supports);
    return supports;
}

static bool load_island(loads *l, const ashi_wide_task *task, uint32_t root, ashi_arena *scratch)
{
    uint32_t begin = l->first_body[root], bodies = l->first_body[root + 1] - begin;
    l->bodies[0] = (ash_problem_body){0};
    for (uint32_t i = 0; i < bodies; i++) {
        uint32_t slot = l->body[begin + i];
        const ashi_wide_body *from = &task->bodies[slot];
        double m = from->inverse_mass;
        l->number[slot] = i + 1;
        l->bodies[i + 1] = (ash_problem_body){.inverse_mass = v3(m, m, task->planar ? 0 : m),
                                              .inverse_inertia = from->inverse_inertia,
                                              .velocity = from->free.linear,
                                              .spin = from->free.angular,
                                              .start_velocity = from->start.linear,
                                              .start_spin = from->start.angular};
    }
    uint32_t supports = gather_supports(l, task, root);
    ashi_soft_loading in = {l->bodies, 1, 1, bodies, task->h, l->supports, supports};
    if (!ashi_soft_load(&in, scratch))
        return false;
    if (!stands_still(l, bodies))
        return true;
    ash_motion *sums = ashi_arena_take_array(scratch, bodies + (size_t)1, sizeof *sums);
    if (sums == NULL)
        return false;
    supports = gather_supports(l, task, root); /* loading has changed them */
    bool held = is_held(l, bodies, supports, sums);
    for (uint32_t i = l->first_entry[root]; !held && i < l->first_entry[root + 1]; i++)
        note_unheld(l, &l->entries[l->entry[i]]);
    return true;
}

/* Lists what belongs to islands. */
static void list(const loads *l, const ashi_wide_task *task)
{
    uint32_t *next = l->number;
    for (uint32_t i = 0; i <= task->slots; i++)
        l->first_body[i] = l->first_entry[i] = 0;
    for (uint32_t i = 0; i < task->active_count; i++)
        l->first_body[ashi_group_of(l->parent, task->active[i])]++;
    for (uint32_t i = 0; i < task->entry_count; i++)
        l->first_entry[ashi_group_of(l->parent, task->entries[i].a != 0 ? task->entries[i].a : task->entries[i].b)]++;
    sum_up(l->first_body, task->slots);
    sum_up(l->first_entry, task->slots);
    for (uint32_t i = 0; i < task->slots; i++)
        next[i] = l->first_body[i];
    for (uint32_t i = 0; i < task->active_count; i++)
        l->body[next[ashi_group_of(l->parent, task->active[i])]++] = task->active[i];
    for (uint32_t i = 0; i < task->slots; i++)
        next[i] = l->first_entry[i];
    for (uint32_t i = 0; i < task->entry_count; i++)
        l->entry[next[ashi_group_of(l->parent, task->entries[i].a != 0 ? task->entries[i].a : task->entries[i].b)]++] =
            i;
}

/* Room for the largest of the islands that are cold: they are loaded one by one. False when there is none. */
static bool take_room(loads *l, const ashi_wide_task *task, const bool *cold, ashi_arena *scratch)
{
    uint32_t bodies = 0, entries = 0;
    for (uint32_t i = 0; i < task->slots; i++) {
        uint32_t of_bodies = l->first_body[i + 1] - l->first_body[i];
        uint32_t of_entries = l->first_entry[i + 1] - l->first_entry[i];
        if (!cold[i])
            continue;
        bodies = of_bodies > bodies ? of_bodies : bodies;
        entries = of_entries > entries ? of_entries : entries;
    }
    l->bodies = ashi_arena_take_array(scratch, bodies + (size_t)1, sizeof *l->bodies);
    l->supports = ashi_arena_take_array(scratch, entries * (size_t)ASHI_WIDE_POINTS, sizeof *l->supports);
    return l->bodies != NULL && l->supports != NULL;
}

bool ashi_lanes_load(ashi_lanes *lanes, ashi_wide_task *task, const bool *cold, ashi_arena *scratch)
{
    if (lanes->unheld == NULL) {
        lanes->unheld = ashi_arena_take_array(lanes->arena, task->set->points.count, sizeof *lanes->unheld);
        if (lanes->unheld == NULL)
            return false;
        memset(lanes->unheld, false, task->set->points.count * sizeof *lanes->unheld);
    }
    uint32_t points = task->set->points.count;
    size_t slots = task->slots;
    loads l = {.entries = task->entries,
               .parent = lanes->parent,
               .first_body = ashi_arena_take_array(scratch, slots + 1, sizeof *l.first_body),
               .first_entry = ashi_arena_take_array(scratch, slots + 1, sizeof *l.first_entry),
               .body = ashi_arena_take_array(scratch, task->active_count, sizeof *l.body),
               .entry = ashi_arena_take_array(scratch, task->entry_count, sizeof *l.entry),
               .number = ashi_arena_take_array(scratch, slots, sizeof *l.number),
               .guess = ashi_arena_take_array(lanes->arena, points, sizeof *l.guess),
               .unheld = lanes->unheld};
    if (l.first_body == NULL || l.first_entry == NULL || l.body == NULL || l.entry == NULL || l.number == NULL ||
        l.guess == NULL)
        return false;
    for (uint32_t i = 0; i < points; i++)
        l.guess[i] = 0;
    list(&l, task);
    if (!take_room(&l, task, cold, scratch))
        return false;
    for (uint32_t i = 0; i < task->active_count; i++) {
        uint32_t slot = task->active[i];
        if (ashi_group_of(l.parent, slot) == slot && cold[slot] && !load_island(&l, task, slot, scratch))
            return false;
    }
    task->guess = l.guess;
    lanes->any_unheld = lanes->any_unheld || l.any_unheld;
    return true;
}
