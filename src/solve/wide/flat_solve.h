/* The solver over contacts of planar worlds in lanes: fills them from the contact set, takes the sub-steps, judges. As
 * solve.h has it in space. */
#ifndef ASHI_SOLVE_WIDE_FLAT_SOLVE_H
#define ASHI_SOLVE_WIDE_FLAT_SOLVE_H

#include "math/vec2.h"
#include "solve/wide/flat_judge.h"
#include "solve/wide/flat_passes.h"

#include <string.h>

/* ---- filling ---- */

/* What does not move stands still. */
ASHI_MERGED ash_motion flat_start_of(const ashi_wide_task *task, uint32_t slot)
{
    static const ash_motion still = {{0, 0, 0}, {0, 0, 0}};
    return slot != 0 ? task->bodies[slot].start : still;
}

ASHI_MERGED void flat_fill_lane(const lanes *s, flat_block *k, flat_relative *start, int l)
{
    const ashi_wide_task *task = s->task;
    const ashi_wide_entry *e = &task->entries[k->entry[l]];
    const ashi_contact_record *contact = &task->set->contacts.data[e->contact];
    ashi_pose2 place_a = task->flat_places[e->shape_a], place_b = task->flat_places[e->shape_b];
    uint32_t slot_a = task->owner[e->shape_a], slot_b = task->owner[e->shape_b];
    ashi_vec2 n = p2_turn(place_a, v2_of(contact->normal)), centre_b = v2_of(task->centres[slot_b]);
    ashi_vec2 apart = v2_sub(centre_b, v2_of(task->centres[slot_a]));
    ash_motion a = flat_start_of(task, e->a), b = flat_start_of(task, e->b);
    k->normal_x[l] = (real)n.x;
    k->normal_y[l] = (real)n.y;
    n = v2((double)k->normal_x[l], (double)k->normal_y[l]);
    ashi_vec2 t = v2_right(n);
    ashi_vec2 linear =
        v2(b.linear.x - a.linear.x + a.angular.z * apart.y, b.linear.y - a.linear.y - a.angular.z * apart.x);
    k->a[l] = (int32_t)e->a;
    k->b[l] = (int32_t)e->b;
    k->apart[0][l] = apart.x;
    k->apart[1][l] = apart.y;
    k->distance.n[l] = (real)v2_dot(n, apart);
    k->distance.t[l] = (real)v2_dot(t, apart);
    start->linear.n[l] = (real)v2_dot(n, linear);
    start->linear.t[l] = (real)v2_dot(t, linear);
    start->turn[l] = (real)(b.angular.z - a.angular.z);
    k->friction[l] = (real)e->friction;
    const ashi_wide_softness *soft = e->a == 0 || e->b == 0 ? &task->stiff : &task->soft;
    k->share[l] = (real)soft->share;
    k->scale[l] = (real)soft->mass_scale;
    double guess = task->h / task->substeps;
    uint32_t number = k->first;
    for (uint32_t bits = e->points, i = e->first; bits != 0; bits >>= 1, i++) {
        if (!(bits & 1))
            continue;
        const ashi_point_record *from = &task->set->points.data[i];
        flat_point *p = &s->points[number];
        flat_past *q = &s->pasts[number++];
        ashi_vec2 on_a = p2_point(place_a, v2_of(from->on_a)), on_b = p2_point(place_b, v2_of(from->on_b));
        ashi_vec2 arm = v2(0.5 * (on_a.x + on_b.x) - centre_b.x, 0.5 * (on_a.y + on_b.y) - centre_b.y);
        ashi_vec2 force = v2_of(from->force);
        double along = guess * v2_dot(n, force), across = guess * v2_dot(t, force);
        if (task->guess != NULL && task->guess[i] > 0) {
            along = task->guess[i] / task->substeps;
            across = 0;
        }
        along = along > 0 ? along : 0;
        p->arm.n[l] = (real)v2_dot(n, arm);
        p->arm.t[l] = (real)v2_dot(t, arm);
        p->base.n[l] = (real)along;
        p->base.t[l] = (real)across;
        q->base[0][l] = along;
        q->base[1][l] = across;
        q->gap[l] = (real)-from->depth;
    }
}

/* What the lanes of a block are read from lies anywhere: it is fetched while another is filled. */
ASHI_MERGED void flat_fetch_lanes(const lanes *s, uint32_t number)
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
        __builtin_prefetch(&task->flat_places[e->shape_a]);
        __builtin_prefetch(&task->flat_places[e->shape_b]);
        for (size_t at = 0; at < e->count * sizeof(ashi_point_record); at += 64)
            __builtin_prefetch(point + at);
    }
}

ASHI_MERGED void fill_block(const lanes *s, uint32_t number)
{
    flat_block *k = &s->blocks[number];
    flat_relative start = {0};
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
    flat_fetch_lanes(s, number + 1);
    for (uint32_t g = 0; g < GROUPS; g++)
        s->friction_works[number * GROUPS + g] = 0;
    for (int l = 0; l < LANES; l++) {
        k->entry[l] = entries[l];
        if (entries[l] != UINT32_MAX)
            flat_fill_lane(s, k, &start, l);
    }
    flat_prepare_block(s, number, &start);
}

/* ---- bodies ---- */

ASHI_MERGED flat_quad row_of(const flat_row *row)
{
    flat_quad v;
    memcpy(&v, row, sizeof v);
    return v;
}

ASHI_MERGED void set_row(flat_row *row, flat_quad v)
{
    memcpy(row, &v, sizeof v);
}

ASHI_MERGED void prepare_body(const lanes *s, uint32_t slot)
{
    const ashi_wide_body *body = &s->task->bodies[slot];
    s->inverse[slot] = (flat_row){{(real)body->inverse_mass, (real)body->inverse_inertia.zz, (real)body->pace, 0}};
    s->change[slot] = s->shift[slot] = s->before[slot] = s->begin[slot] = s->way[slot] = (flat_row){0};
    s->wrench[slot] = (flat_wrench){0};
}

/* What happened in the last sub-step, by forces and contacts, happens again: it goes on a little in the way it has
 * changed. Neither is looked at by itself: at rest they cancel, and their sum has all its digits. */
ASHI_MERGED void push_body(const lanes *s, uint32_t slot, real lead)
{
    flat_quad now = row_of(&s->held[slot]), change = row_of(&s->change[slot]);
    set_row(&s->begin[slot], change);
    set_row(&s->change[slot], change + (now + lead * (now - row_of(&s->before[slot]))));
    set_row(&s->before[slot], now);
}

/* Positions move, and what was changed is held. */
ASHI_MERGED void move_body(const lanes *s, uint32_t slot)
{
    flat_quad change = row_of(&s->change[slot]), way = s->h * change;
    set_row(&s->way[slot], row_of(&s->way[slot]) + way);
    set_row(&s->shift[slot], row_of(&s->shift[slot]) + way);
    set_row(&s->held[slot], change - row_of(&s->begin[slot]));
}

/* From impulses to changes of velocity, in place. */
ASHI_MERGED void let_move(const lanes *s, uint32_t slot)
{
    const ashi_wide_body *body = &s->task->bodies[slot];
    double *w = s->wrench[slot].number, mass = body->inverse_mass;
    s->wrench[slot] = (flat_wrench){{mass * w[0], mass * w[1], body->inverse_inertia.zz * w[2], 0}};
}

ASHI_MERGED void find_velocity(const lanes *s, uint32_t slot)
{
    const ash_motion *free = &s->task->bodies[slot].free;
    const double *w = s->wrench[slot].number;
    let_move(s, slot);
    s->velocity[slot] = (flat_wrench){{free->linear.x + w[0], free->linear.y + w[1], free->angular.z + w[2], 0}};
    s->wrench[slot] = (flat_wrench){0};
}

/* The change of velocity that the first sub-step begins with: by forces, and by what contacts carried in the last step.
 */
ASHI_MERGED void start_body(const lanes *s, uint32_t slot)
{
    double share = 1.0 / s->task->substeps;
    const ash_motion *start = &s->task->bodies[slot].start;
    const double *v = s->velocity[slot].number;
    find_velocity(s, slot);
    s->held[slot] = (flat_row){{(real)(share * (v[0] - start->linear.x)), (real)(share * (v[1] - start->linear.y)),
                                (real)(share * (v[2] - start->angular.z)), 0}};
}

ASHI_MERGED void store_body(const lanes *s, uint32_t slot, ashi_wide_solution *out)
{
    double h = s->task->h;
    const double *v = s->velocity[slot].number;
    const real *shift = s->shift[slot].number, *way = s->way[slot].number;
    const ash_motion *start = &s->task->bodies[slot].start;
    double x = (double)shift[0], y = (double)shift[1], turn = (double)shift[2];
    out->velocity[slot] = (ash_motion){{v[0], v[1], 0}, {0, 0, v[2]}};
    out->shift[slot] =
        (ash_motion){{x + h * start->linear.x, y + h * start->linear.y, 0}, {0, 0, turn + h * start->angular.z}};
    out->placed[slot] = (ash_motion){{x - (double)way[0], y - (double)way[1], 0}, {0, 0, turn - (double)way[2]}};
}

/* ---- the whole ---- */

ASHI_MERGED void note_pushes(const lanes *s, const flat_block *k, bool *pushes)
{
    lane_mask any = {0};
    const lane none = {0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const flat_past *q = &s->pasts[i];
        any |= lane_differs(q->total.n, none) | lane_differs(q->total.t, none) | lane_above(q->placed, none) |
               lane_differs(s->points[i].base.n, none);
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
    flat_row **rows[] = {&s->inverse, &s->change, &s->shift, &s->way};
    bool good = s->points != NULL && s->pasts != NULL && s->friction_works != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i] = ashi_arena_take_array(arena, slots, sizeof(flat_row));
        good = good && *rows[i] != NULL;
        if (good)
            (*rows[i])[0] = (flat_row){0};
    }
    s->velocity = ashi_arena_take_array(arena, slots, sizeof *s->velocity);
    s->wrench = ashi_arena_take_array(arena, slots, sizeof *s->wrench);
    out->velocity = ashi_arena_take_array(arena, slots, sizeof *out->velocity);
    out->shift = ashi_arena_take_array(arena, slots, sizeof *out->shift);
    s->held = ashi_arena_take_array(arena, 3 * slots, sizeof *s->held);
    out->pushes = ashi_arena_take_array(arena, task->entry_count, sizeof *out->pushes);
    if (!good || s->velocity == NULL || s->wrench == NULL || s->held == NULL || out->velocity == NULL ||
        out->shift == NULL || out->pushes == NULL)
        return false;
    s->before = s->held + slots;
    s->begin = s->before + slots;
    _Static_assert(sizeof *out->placed <= 3 * sizeof *s->held, "the solution goes where it is written");
    out->placed = (ash_motion *)s->held; /* which is not needed any more when the solution is written */
    s->velocity[0] = s->wrench[0] = (flat_wrench){0};
    s->held[0] = s->before[0] = s->begin[0] = (flat_row){0};
    return true;
}

#include "solve/wide/drive.h"

/* ---- what is asked of a solution ---- */

static ash_vec3 normal_of(const flat_block *k, int l)
{
    return v3((double)k->normal_x[l], (double)k->normal_y[l], 0);
}

static void visit_all(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_wide_visitor call,
                      void *data)
{
    const flat_block *blocks = solution->blocks_at;
    const flat_point *points = solution->points_at;
    const flat_past *pasts = solution->pasts_at;
    for (uint32_t i = 0; i < solution->blocks; i++)
        for (int l = 0; l < LANES; l++) {
            const flat_block *k = &blocks[i];
            if (k->entry[l] == UINT32_MAX)
                continue;
            const ashi_wide_entry *e = &task->entries[k->entry[l]];
            ash_vec3 n = normal_of(k, l);
            ashi_wide_borne borne = {.entry = k->entry[l], .normal = n, .tangent = v3(n.y, -n.x, 0)};
            uint32_t number = k->first;
            for (uint32_t bits = e->points, place = e->first; bits != 0; bits >>= 1, place++) {
                if (!(bits & 1))
                    continue;
                const flat_point *p = &points[number];
                const flat_past *q = &pasts[number++];
                borne.point = place;
                ash_vec3 base = {q->base[0][l], q->base[1][l], 0};
                ash_vec3 beyond = {(double)p->beyond.n[l], (double)p->beyond.t[l], 0};
                ash_vec3 total = {(double)q->total.n[l], (double)q->total.t[l], 0};
                borne.lasting = v3_scale(v3_add(base, beyond), task->substeps);
                borne.total = v3_add(v3_scale(base, task->substeps), total);
                borne.placed = q->placed[l] > 0;
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

static void store_lane(const storing *r, const flat_block *k, int l)
{
    const ashi_wide_entry *e = &r->task->entries[k->entry[l]];
    double share = r->task->substeps / r->task->h;
    ash_vec3 n = normal_of(k, l);
    const flat_point *p = (const flat_point *)r->solution->points_at + k->first;
    const flat_past *q = (const flat_past *)r->solution->pasts_at + k->first;
    for (uint32_t bits = e->points, place = e->first; bits != 0; bits >>= 1, place++) {
        if (!(bits & 1))
            continue;
        ashi_point_record *to = &r->points[place];
        r->replaced->before[place] = (ashi_point_load){to->force, to->torque};
        r->replaced->replaced[place] = true;
        double along = share * (q->base[0][l] + (double)p->beyond.n[l]);
        double across = share * (q->base[1][l] + (double)p->beyond.t[l]);
        to->force = v3(along * n.x + across * n.y, along * n.y - across * n.x, 0);
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
        const flat_block *k = (const flat_block *)r->solution->blocks_at + i;
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
