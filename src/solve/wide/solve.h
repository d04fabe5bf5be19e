/* The solver over contacts in lanes: fills them from the contact set, takes the sub-steps, judges. */
#ifndef ASHI_SOLVE_WIDE_SOLVE_H
#define ASHI_SOLVE_WIDE_SOLVE_H

#include "solve/wide/judge.h"
#include "solve/wide/passes.h"

#include <string.h>

/* ---- filling ---- */

ASHI_MERGED ashi_quad load_vector(const ash_vec3 *v)
{
    return quad_load((const double *)v);
}

ASHI_MERGED ashi_quad point_in_world(const ashi_wide_place *place, const ash_vec3 *p)
{
    return load_vector(&place->position) +
           (load_vector(&place->axes.x) * quad_of(p->x) + load_vector(&place->axes.y) * quad_of(p->y) +
            load_vector(&place->axes.z) * quad_of(p->z));
}

ASHI_MERGED void put(lane3 *to, int l, ash_vec3 v)
{
    to->x[l] = (real)v.x;
    to->y[l] = (real)v.y;
    to->z[l] = (real)v.z;
}

ASHI_MERGED ash_vec3 get(const lane3 *from, int l)
{
    return (ash_vec3){(double)from->x[l], (double)from->y[l], (double)from->z[l]};
}

/* What does not move stands still. */
ASHI_MERGED ash_motion start_of(const ashi_wide_task *task, uint32_t slot)
{
    static const ash_motion still = {{0, 0, 0}, {0, 0, 0}};
    return slot != 0 ? task->bodies[slot].start : still;
}

ASHI_MERGED void fill_lane(const lanes *s, lane_block *k, int l)
{
    const ashi_wide_task *task = s->task;
    const ashi_wide_entry *e = &task->entries[k->entry[l]];
    const ashi_contact_record *contact = &task->set->contacts.data[e->contact];
    const ashi_wide_place *place_a = &task->places[e->shape_a], *place_b = &task->places[e->shape_b];
    uint32_t slot_a = task->owner[e->shape_a], slot_b = task->owner[e->shape_b];
    ash_vec3 n = m3_apply(place_a->axes, contact->normal), t, other;
    ash_vec3 axis = fabs(n.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    t = v3_unit(v3_add_scaled(axis, n, -v3_dot(axis, n)));
    put(&k->n, l, n);
    put(&k->t, l, t);
    n = get(&k->n, l);
    t = get(&k->t, l);
    other = v3_cross(n, t);
    ash_vec3 centre_b = task->centres[slot_b], apart = v3_sub(centre_b, task->centres[slot_a]);
    ash_motion a = start_of(task, e->a), b = start_of(task, e->b);
    ash_vec3 linear = v3_sub(v3_sub(b.linear, a.linear), v3_cross(a.angular, apart));
    ash_vec3 angular = v3_sub(b.angular, a.angular);
    k->a[l] = (int32_t)e->a;
    k->b[l] = (int32_t)e->b;
    k->apart[0][l] = apart.x;
    k->apart[1][l] = apart.y;
    k->apart[2][l] = apart.z;
    put(&k->distance, l, v3(v3_dot(n, apart), v3_dot(t, apart), v3_dot(other, apart)));
    put(&k->linear, l, v3(v3_dot(n, linear), v3_dot(t, linear), v3_dot(other, linear)));
    put(&k->angular, l, v3(v3_dot(n, angular), v3_dot(t, angular), v3_dot(other, angular)));
    k->friction[l] = (real)e->friction;
    const ashi_wide_softness *soft = e->a == 0 || e->b == 0 ? &task->stiff : &task->soft;
    k->share[l] = (real)soft->share;
    k->scale[l] = (real)soft->mass_scale;
    ashi_quad x = {n.x, t.x, other.x, 0}, y = {n.y, t.y, other.y, 0}, z = {n.z, t.z, other.z, 0};
    ashi_quad guess = quad_of(task->h / task->substeps), from_b = (ashi_quad){centre_b.x, centre_b.y, centre_b.z, 0};
    uint32_t number = k->first;
    for (uint32_t bits = e->points, i = e->first; bits != 0; bits >>= 1, i++) {
        if (!(bits & 1))
            continue;
        const ashi_point_record *from = &task->set->points.data[i];
        ashi_quad middle = (point_in_world(place_a, &from->on_a) + point_in_world(place_b, &from->on_b)) * quad_of(0.5);
        ashi_quad arm = middle - from_b;
        arm = x * quad_of(arm[0]) + y * quad_of(arm[1]) + z * quad_of(arm[2]);
        ashi_quad impulse =
            guess * (x * quad_of(from->force.x) + y * quad_of(from->force.y) + z * quad_of(from->force.z));
        lane_point *p = &s->points[number];
        put(&p->arm, l, (ash_vec3){arm[0], arm[1], arm[2]});
        if (task->guess != NULL && task->guess[i] > 0)
            impulse = (ashi_quad){task->guess[i] / task->substeps, 0, 0, 0};
        ash_vec3 base = {impulse[0] > 0 ? impulse[0] : 0, impulse[1], impulse[2]};
        put(&p->base, l, base);
        s->pasts[number].base[0][l] = base.x;
        s->pasts[number].base[1][l] = base.y;
        s->pasts[number].base[2][l] = base.z;
        s->pasts[number++].gap[l] = (real)-from->depth;
    }
}

/* What the lanes of a block are read from lies anywhere: it is fetched while another is filled. */
ASHI_MERGED void fetch_lanes(const lanes *s, uint32_t number)
{
    const ashi_wide_task *task = s->task;
    if (number >= s->order.block_count)
        return;
    for (int l = 0; l < LANES; l++) {
        uint32_t entry = s->order.lanes[number * (size_t)LANES + (size_t)l];
        if (entry == UINT32_MAX)
            continue;
        const ashi_wide_entry *e = &task->entries[entry];
        const char *point = (const char *)&task->set->points.data[e->first];
        __builtin_prefetch(&task->set->contacts.data[e->contact].normal);
        __builtin_prefetch(&task->places[e->shape_a]);
        __builtin_prefetch(&task->places[e->shape_b]);
        __builtin_prefetch(&task->places[e->shape_a].axes.z);
        __builtin_prefetch(&task->places[e->shape_b].axes.z);
        for (size_t at = 0; at < e->count * sizeof(ashi_point_record); at += 64)
            __builtin_prefetch(point + at);
    }
}

ASHI_MERGED void fill_block(const lanes *s, uint32_t number)
{
    lane_block *k = &s->blocks[number];
    uint32_t first = k->first, count = k->count;
    const uint32_t *entries = &s->order.lanes[number * (size_t)LANES];
    bool full = true;
    for (int l = 0; l < LANES && full; l++)
        full = entries[l] != UINT32_MAX && s->task->entries[entries[l]].count == count;
    if (!full) {
        memset(k, 0, sizeof *k);
        k->first = first;
        k->count = count;
        memset(&s->points[first], 0, count * sizeof *s->points);
        memset(&s->pasts[first], 0, count * sizeof *s->pasts);
    }
    fetch_lanes(s, number + 1);
    for (uint32_t g = 0; g < GROUPS; g++)
        s->friction_works[number * GROUPS + g] = 0;
    for (int l = 0; l < LANES; l++) {
        k->entry[l] = entries[l];
        if (entries[l] != UINT32_MAX)
            fill_lane(s, k, l);
    }
    prepare_block(s, number);
}

/* ---- bodies ---- */

ASHI_MERGED void prepare_body(const lanes *s, uint32_t slot)
{
    const ashi_wide_body *body = &s->task->bodies[slot];
    const ash_sym3 *m = &body->inverse_inertia;
    s->inverse[slot] = (body_row){{(real)m->xx, (real)m->yy, (real)m->zz, (real)body->inverse_mass},
                                  {(real)m->xy, (real)m->xz, (real)m->yz, (real)body->pace}};
    s->change[slot] = s->shift[slot] = s->before[slot] = s->begin[slot] = s->way[slot] = (body_row){0};
    s->wrench[slot] = (double_row){0};
}

/* What happened in the last sub-step, by forces and contacts, happens again: it goes on a little in the way it has
 * changed. Neither is looked at by itself: at rest they cancel, and their sum has all its digits. */
ASHI_MERGED void push_body(const lanes *s, uint32_t slot, real lead)
{
    body_numbers held = numbers_of(&s->held[slot]), before = numbers_of(&s->before[slot]);
    body_numbers change = numbers_of(&s->change[slot]);
    set_numbers(&s->begin[slot], change);
    for (int i = 0; i < BODY_PARTS; i++)
        change.part[i] += held.part[i] + lead * (held.part[i] - before.part[i]);
    set_numbers(&s->change[slot], change);
    set_numbers(&s->before[slot], held);
}

/* Positions move, and what was changed is held. */
ASHI_MERGED void move_body(const lanes *s, uint32_t slot)
{
    body_numbers change = numbers_of(&s->change[slot]), begin = numbers_of(&s->begin[slot]);
    body_numbers way = numbers_of(&s->way[slot]), shift = numbers_of(&s->shift[slot]), held;
    for (int i = 0; i < BODY_PARTS; i++) {
        way.part[i] += s->h * change.part[i];
        shift.part[i] += s->h * change.part[i];
        held.part[i] = change.part[i] - begin.part[i];
    }
    set_numbers(&s->way[slot], way);
    set_numbers(&s->shift[slot], shift);
    set_numbers(&s->held[slot], held);
}

static inline ash_vec3 vector_of(const double v[4])
{
    return (ash_vec3){v[0], v[1], v[2]};
}

/* From impulses to changes of velocity, in place. */
ASHI_MERGED void let_move(const lanes *s, uint32_t slot)
{
    const ashi_wide_body *body = &s->task->bodies[slot];
    double_row *w = &s->wrench[slot];
    ash_vec3 linear = v3_scale(vector_of(w->linear), body->inverse_mass);
    ash_vec3 angular = s3_apply(body->inverse_inertia, vector_of(w->angular));
    *w = (double_row){{linear.x, linear.y, linear.z, 0}, {angular.x, angular.y, angular.z, 0}};
}

ASHI_MERGED void find_velocity(const lanes *s, uint32_t slot)
{
    const ash_motion *free = &s->task->bodies[slot].free;
    let_move(s, slot);
    const double_row *w = &s->wrench[slot];
    ash_vec3 linear = v3_add(free->linear, vector_of(w->linear));
    ash_vec3 angular = v3_add(free->angular, vector_of(w->angular));
    s->velocity[slot] = (double_row){{linear.x, linear.y, linear.z, 0}, {angular.x, angular.y, angular.z, 0}};
    s->wrench[slot] = (double_row){0};
}

/* The change of velocity that the first sub-step begins with: by forces, and by what contacts carried in the last step.
 */
ASHI_MERGED void start_body(const lanes *s, uint32_t slot)
{
    double share = 1.0 / s->task->substeps;
    const ash_motion *start = &s->task->bodies[slot].start;
    find_velocity(s, slot);
    const double_row *v = &s->velocity[slot];
    ash_vec3 linear = v3_scale(v3_sub(vector_of(v->linear), start->linear), share);
    ash_vec3 angular = v3_scale(v3_sub(vector_of(v->angular), start->angular), share);
    s->held[slot] = (body_row){{(real)linear.x, (real)linear.y, (real)linear.z, 0},
                               {(real)angular.x, (real)angular.y, (real)angular.z, 0}};
}

ASHI_MERGED void store_body(const lanes *s, uint32_t slot, ashi_wide_solution *out)
{
    const double_row *v = &s->velocity[slot];
    const body_row *shift = &s->shift[slot], *way = &s->way[slot];
    const ash_motion *start = &s->task->bodies[slot].start;
    out->velocity[slot] = (ash_motion){vector_of(v->linear), vector_of(v->angular)};
    ash_vec3 linear = {(double)shift->linear[0], (double)shift->linear[1], (double)shift->linear[2]};
    ash_vec3 angular = {(double)shift->angular[0], (double)shift->angular[1], (double)shift->angular[2]};
    out->shift[slot] = (ash_motion){v3_add_scaled(linear, start->linear, s->task->h),
                                    v3_add_scaled(angular, start->angular, s->task->h)};
    ash_vec3 went = {(double)way->linear[0], (double)way->linear[1], (double)way->linear[2]};
    ash_vec3 turned = {(double)way->angular[0], (double)way->angular[1], (double)way->angular[2]};
    out->placed[slot] = (ash_motion){v3_sub(linear, went), v3_sub(angular, turned)};
}

/* ---- the whole ---- */

ASHI_MERGED void note_pushes(const lanes *s, const lane_block *k, bool *pushes)
{
    lane_mask any = {0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const lane_past *q = &s->pasts[i];
        const lane none = {0};
        const lane_point *p = &s->points[i];
        any |= lane_differs(q->total.x, none) | lane_differs(q->total.y, none) | lane_differs(q->total.z, none) |
               lane_above(q->placed, none) | lane_differs(p->base.x, none);
    }
    for (int l = 0; l < LANES; l++)
        if (k->entry[l] != UINT32_MAX)
            pushes[k->entry[l]] = lane_has(any, l);
}

static bool take_memory(lanes *s, ashi_wide_solution *out)
{
    const ashi_wide_task *task = s->task;
    ashi_arena *arena = task->arena;
    size_t slots = task->slots;
    if (!ashi_wide_order_find(task, LANES, &s->order))
        return false;
    s->blocks = ashi_arena_take_array(arena, s->order.block_count, sizeof *s->blocks);
    if (s->blocks == NULL)
        return false;
    uint32_t points = 0;
    for (uint32_t i = 0; i < s->order.block_count; i++) {
        s->blocks[i].first = points;
        points += s->blocks[i].count = s->order.most[i];
    }
    s->points = ashi_arena_take_array(arena, points, sizeof *s->points);
    s->pasts = ashi_arena_take_array(arena, points, sizeof *s->pasts);
    s->friction_works = ashi_arena_take_array(arena, s->order.block_count * (size_t)GROUPS, sizeof *s->friction_works);
    body_row **rows[] = {&s->inverse, &s->change, &s->shift, &s->way};
    bool good = s->points != NULL && s->pasts != NULL && s->friction_works != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = ashi_arena_take_array(arena, slots, sizeof(body_row));
        good = good && *rows[i] != NULL;
        if (good)
            (*rows[i])[0] = (body_row){0};
    }
    s->velocity = ashi_arena_take_array(arena, slots, sizeof *s->velocity);
    s->wrench = ashi_arena_take_array(arena, slots, sizeof *s->wrench);
    s->held = ashi_arena_take_array(arena, 3 * slots, sizeof *s->held);
    out->pushes = ashi_arena_take_array(arena, task->entry_count, sizeof *out->pushes);
    if (!good || s->velocity == NULL || s->wrench == NULL || s->held == NULL || out->pushes == NULL)
        return false;
    s->before = s->held + slots;
    s->begin = s->before + slots;
    /* The solution is written when these are not needed any more. */
    _Static_assert(sizeof *out->velocity <= sizeof *s->wrench &&
                       sizeof *out->shift + sizeof *out->placed <= 3 * sizeof *s->held,
                   "the solution goes where it is written");
    out->velocity = (ash_motion *)s->wrench;
    out->shift = (ash_motion *)s->held;
    out->placed = out->shift + slots;
    s->velocity[0] = s->wrench[0] = (double_row){0};
    s->held[0] = s->before[0] = s->begin[0] = (body_row){0};
    return true;
}

#include "solve/wide/drive.h"

static void visit_all(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_wide_visitor call,
                      void *data)
{
    const lane_block *blocks = solution->blocks_at;
    const lane_point *points = solution->points_at;
    const lane_past *pasts = solution->pasts_at;
    for (uint32_t i = 0; i < solution->blocks; i++)
        for (int l = 0; l < LANES; l++) {
            const lane_block *k = &blocks[i];
            if (k->entry[l] == UINT32_MAX)
                continue;
            const ashi_wide_entry *e = &task->entries[k->entry[l]];
            ashi_wide_borne borne = {.entry = k->entry[l], .normal = get(&k->n, l), .tangent = get(&k->t, l)};
            uint32_t number = k->first;
            for (uint32_t bits = e->points, place = e->first; bits != 0; bits >>= 1, place++) {
                if (!(bits & 1))
                    continue;
                borne.point = place;
                ash_vec3 base = {pasts[number].base[0][l], pasts[number].base[1][l], pasts[number].base[2][l]};
                borne.lasting = v3_scale(v3_add(base, get(&points[number].beyond, l)), task->substeps);
                borne.total = v3_add(v3_scale(base, task->substeps), get(&pasts[number].total, l));
                borne.placed = pasts[number].placed[l] > 0;
                number++;
                call(&borne, data);
            }
        }
}

typedef struct storing {
    const ashi_wide_task *task;
    const ashi_wide_solution *solution;
    ashi_point_record *points;
    const ashi_replaced_forces *replaced;
} storing;

static void store_lane(const storing *r, const lane_block *k, int l)
{
    const ashi_wide_entry *e = &r->task->entries[k->entry[l]];
    double share = r->task->substeps / r->task->h;
    ash_vec3 n = get(&k->n, l), t = get(&k->t, l), other = v3_cross(n, t);
    const lane_point *p = (const lane_point *)r->solution->points_at + k->first;
    const lane_past *q = (const lane_past *)r->solution->pasts_at + k->first;
    for (uint32_t bits = e->points, place = e->first; bits != 0; bits >>= 1, place++) {
        if (!(bits & 1))
            continue;
        ashi_point_record *to = &r->points[place];
        r->replaced->before[place] = (ashi_point_load){to->force, to->torque};
        r->replaced->replaced[place] = true;
        to->force = v3_scale(n, share * (q->base[0][l] + (double)p->beyond.x[l]));
        to->force = v3_add_scaled(to->force, t, share * (q->base[1][l] + (double)p->beyond.y[l]));
        to->force = v3_add_scaled(to->force, other, share * (q->base[2][l] + (double)p->beyond.z[l]));
        to->torque = v3(0, 0, 0);
        p++;
        q++;
    }
}

static void store_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const storing *r = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const lane_block *k = (const lane_block *)r->solution->blocks_at + i;
        for (int l = 0; l < LANES; l++)
            if (k->entry[l] != UINT32_MAX)
                store_lane(r, k, l);
    }
}

static void store_forces(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_point_record *points,
                         const ashi_replaced_forces *replaced)
{
    storing r = {task, solution, points, replaced};
    ashi_parallel_for(task->tasks, solution->blocks, CHUNK, store_some, &r);
}

#endif
