/* The passes over contacts of planar worlds in lanes, and what prepares them. The law is that of passes.h with one
 * tangent: what friction keeps within its bound is a number, not a vector. */
#ifndef ASHI_SOLVE_WIDE_FLAT_PASSES_H
#define ASHI_SOLVE_WIDE_FLAT_PASSES_H

#include "solve/soft/soft_law.h"
#include "solve/wide/flat_blocks.h"

/* ---- motions ---- */

/* Of b against a, as seen at b's centre. */
typedef struct flat_relative {
    flat_lane2 linear;
    lane turn;
} flat_relative;

/* What impulses come to: a force, and the changes of spin that they make. */
typedef struct flat_effect {
    flat_lane2 force;
    lane turn_a, turn_b;
} flat_effect;

ASHI_MERGED flat_relative flat_between(const flat_block *k, const flat_rows *a, const flat_rows *b)
{
    lane x = b->x - a->x, y = b->y - a->y;
    return (flat_relative){{k->normal_x * x + k->normal_y * y - a->turn * k->distance.t,
                            k->normal_y * x - k->normal_x * y + a->turn * k->distance.n},
                           b->turn - a->turn};
}

ASHI_MERGED lane flat_opening(const flat_relative *m, flat_lane2 arm)
{
    return m->linear.n + m->turn * arm.t;
}

ASHI_MERGED flat_lane2 flat_speed(const flat_relative *m, flat_lane2 arm)
{
    return (flat_lane2){m->linear.n + m->turn * arm.t, m->linear.t - m->turn * arm.n};
}

/* An impulse at a point acts: on the sum, and on the motion that later points see. */
ASHI_MERGED void flat_act(const flat_block *k, flat_lane2 arm, flat_lane2 impulse, flat_effect *sum, flat_relative *m)
{
    lane moment = arm.t * impulse.n - arm.n * impulse.t;
    lane turn_a = k->inertia_a * (moment + (k->distance.t * impulse.n - k->distance.n * impulse.t));
    lane turn_b = k->inertia_b * moment, mass = k->mass_a + k->mass_b;
    sum->force.n += impulse.n;
    sum->force.t += impulse.t;
    sum->turn_a += turn_a;
    sum->turn_b += turn_b;
    m->linear.n += mass * impulse.n + turn_a * k->distance.t;
    m->linear.t += mass * impulse.t - turn_a * k->distance.n;
    m->turn += turn_a + turn_b;
}

/* An impulse along the normal alone. */
ASHI_MERGED void flat_act_normal(const flat_block *k, flat_lane2 arm, lane impulse, flat_effect *sum, flat_relative *m)
{
    lane turn_a = k->inertia_a * ((arm.t + k->distance.t) * impulse), turn_b = k->inertia_b * (arm.t * impulse);
    sum->force.n += impulse;
    sum->turn_a += turn_a;
    sum->turn_b += turn_b;
    m->linear.n += (k->mass_a + k->mass_b) * impulse + turn_a * k->distance.t;
    m->turn += turn_a + turn_b;
}

/* On the bodies. */
ASHI_MERGED void flat_act_on(const flat_block *k, const flat_effect *sum, flat_rows *a, flat_rows *b)
{
    lane x = k->normal_x * sum->force.n + k->normal_y * sum->force.t;
    lane y = k->normal_y * sum->force.n - k->normal_x * sum->force.t;
    a->x -= k->mass_a * x;
    a->y -= k->mass_a * y;
    a->turn -= sum->turn_a;
    b->x += k->mass_b * x;
    b->y += k->mass_b * y;
    b->turn += sum->turn_b;
}

/* ---- preparation ---- */

ASHI_MERGED void flat_prepare_point(const lanes *s, const flat_block *k, const flat_relative *start, uint32_t number,
                                    lane_mask there)
{
    flat_point *p = &s->points[number];
    flat_past *q = &s->pasts[number];
    lane none = lane_of(0), mass = k->mass_a + k->mass_b;
    flat_lane2 of_b = p->arm, of_a = {of_b.n + k->distance.n, of_b.t + k->distance.t};
    lane by_n = mass + k->inertia_a * of_a.t * of_a.t + k->inertia_b * of_b.t * of_b.t;
    lane by_t = mass + k->inertia_a * of_a.n * of_a.n + k->inertia_b * of_b.n * of_b.n;
    p->mass.n = lane_where(there, lane_inverse(by_n));
    p->mass.t = lane_where(there, lane_inverse(by_t));
    p->yields = -(p->mass.t * (k->inertia_a * of_a.t * of_a.n + k->inertia_b * of_b.t * of_b.n));
    p->start = flat_speed(start, p->arm);
    q->opening = p->start.n;
    p->slip = q->slip_before = p->start.t;
    q->response = by_n + by_t;
    q->gap = lane_select(there, q->gap, lane_of(ASHI_FLAT_AWAY));
    p->beyond = q->before = q->total = (flat_lane2){none, none};
    q->placed = none;
    q->carried = lane_of((real)ASHI_CARRIED * s->inverse_h) * k->slack * p->mass.n;
}

/* From what was written for each lane. */
ASHI_MERGED void flat_prepare_block(const lanes *s, uint32_t number, const flat_relative *start)
{
    flat_block *k = &s->blocks[number];
    flat_rows a = flat_rows_load(s->inverse, k->a), b = flat_rows_load(s->inverse, k->b);
    lane counts;
    k->mass_a = a.x;
    k->mass_b = b.x;
    k->inertia_a = a.y;
    k->inertia_b = b.y;
    k->slack = lane_of(s->h) * (a.turn + b.turn);
    for (int l = 0; l < LANES; l++)
        counts[l] = k->entry[l] == UINT32_MAX ? 0 : (real)s->task->entries[k->entry[l]].count;
    for (uint32_t i = 0; i < k->count; i++)
        flat_prepare_point(s, k, start, k->first + i, lane_above(counts, lane_of((real)i)));
}

/* ---- a sweep ---- */

/* How far the gap has opened since the start. */
ASHI_MERGED lane flat_gap(const lanes *s, const flat_relative *m, uint32_t number)
{
    const flat_past *q = &s->pasts[number];
    return q->gap + (q->opening * lane_of(s->elapsed) + flat_opening(m, s->points[number].arm));
}

/* A gap may close within the sub-step, no more. */
ASHI_MERGED void flat_find_closing(const lanes *s, const flat_block *k)
{
    flat_relative m = {0};
    if (s->elapsed > 0) {
        flat_rows a = flat_rows_load(s->shift, k->a), b = flat_rows_load(s->shift, k->b);
        m = flat_between(k, &a, &b);
    }
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        lane open = flat_gap(s, &m, i) - k->slack;
        s->points[i].start.n =
            s->pasts[i].opening + lane_where(lane_above(open, lane_of(0)), open * lane_of(s->inverse_h));
    }
}

/* Friction that cannot hold, as `slide` in soft_step_patch.c has it. */
ASHI_MERGED flat_lane2 flat_slide(const flat_point *p, flat_lane2 now, flat_lane2 wanted, lane friction, lane alone)
{
    lane none = lane_of(0), one = lane_of(1);
    lane sign = lane_select(lane_above(none, wanted.t), lane_of(-1), one), length = sign * wanted.t;
    lane lift = lane_where(lane_above(p->mass.t, none), p->yields * p->mass.n / p->mass.t);
    lane free = now.n + alone + lift * now.t, together = one + friction * (sign * lift);
    lane normal = free / together, bound = friction * wanted.n;
    lane held = sign * (wanted.t - p->yields * (normal - wanted.n));
    lane_mask found = lane_above(together, lane_of((real)ASHI_LEAST_TOGETHER)) & lane_reaches(held, friction * normal);
    lane tangent = lane_select(found, friction * normal, lane_least(length, bound));
    lane_mask parts = lane_reaches(none, free);
    return (flat_lane2){lane_where(~parts, lane_select(found, normal, wanted.n)), lane_where(~parts, sign * tangent)};
}

/* Signorini's condition, then friction within what the normal carries. Returns the change of the impulse. */
ASHI_MERGED flat_lane2 flat_visit(const lanes *s, const flat_block *k, const flat_relative *m, flat_point *p)
{
    flat_lane2 u = flat_speed(m, p->arm), beyond = p->beyond, more;
    flat_lane2 now = {p->base.n + beyond.n, p->base.t + beyond.t};
    lane alone = -(p->mass.n * (u.n + p->start.n)), least = -p->base.n - beyond.n;
    more.n = lane_select(lane_above(alone, least), alone, least);
    more.t = -(p->mass.t * (u.t + p->start.t)) - p->yields * more.n;
    flat_lane2 wanted = {now.n + more.n, now.t + more.t};
    lane most = k->friction * wanted.n;
    lane_mask slides = lane_above(wanted.t, most) | lane_above(-wanted.t, most);
    if (lane_any(slides)) {
        flat_lane2 held = more, at = flat_slide(p, now, wanted, k->friction, alone);
        more.n = lane_select(slides, at.n - now.n, more.n);
        more.t = lane_select(slides, at.t - now.t, more.t);
        if (s->last) { /* what friction leaves of the slip */
            lane left = (more.t - held.t + p->yields * (more.n - held.n)) / p->mass.t;
            p->slip = lane_where(slides & lane_above(p->mass.t, lane_of(0)), left);
        }
    } else if (s->last) {
        p->slip = lane_of(0);
    }
    p->beyond = (flat_lane2){beyond.n + more.n, beyond.t + more.t};
    return more;
}

ASHI_MERGED void sweep_block(const lanes *s, uint32_t number)
{
    const flat_block *k = &s->blocks[number];
    flat_rows a = flat_rows_load(s->change, k->a), b = flat_rows_load(s->change, k->b);
    flat_effect sum = {0};
    flat_relative m = flat_between(k, &a, &b);
    if (s->first)
        flat_find_closing(s, k);
    for (uint32_t i = 0; i < k->count; i++) {
        flat_point *p = &s->points[k->first + (s->back ? k->count - 1 - i : i)];
        flat_lane2 more = flat_visit(s, k, &m, p);
        flat_act(k, p->arm, more, &sum, &m);
    }
    flat_act_on(k, &sum, &a, &b);
    flat_rows_store(a, s->change, k->a);
    flat_rows_store(b, s->change, k->b);
}

/* ---- the end of a sub-step ---- */

/* Overlap goes by a share, at no more than the push-out speed; bodies are only ever pushed apart: several times, as in
 * passes.h. */
ASHI_MERGED void flat_place_block(const lanes *s, flat_block *k, lane_mask asked)
{
    flat_rows a = flat_rows_load(s->shift, k->a), b = flat_rows_load(s->shift, k->b);
    flat_relative m = flat_between(k, &a, &b);
    lane closed = lane_of(-(real)s->task->closed), least = closed, most = lane_of((real)s->task->push_out);
    lane gap[ASHI_WIDE_POINTS];
    for (uint32_t i = 0; i < k->count; i++) {
        gap[i] = flat_gap(s, &m, k->first + i);
        least = lane_least(least, gap[i]);
    }
    k->deep = asked & lane_above(closed, least);
    if (!lane_any(k->deep))
        return;
    flat_effect sum = {0};
    m = (flat_relative){0};
    for (uint32_t i = 0; i < k->count; i++) {
        const flat_point *p = &s->points[k->first + i];
        lane now = gap[i] + flat_opening(&m, p->arm), way = -(now * k->share);
        lane impulse = lane_where(k->deep & lane_above(lane_of(0), now), lane_least(way, most) * k->scale * p->mass.n);
        flat_act_normal(k, p->arm, impulse, &sum, &m);
        s->pasts[k->first + i].placed += impulse;
    }
    flat_act_on(k, &sum, &a, &b);
    flat_rows_store(a, s->shift, k->a);
    flat_rows_store(b, s->shift, k->b);
}

ASHI_MERGED void place_again(const lanes *s, uint32_t number)
{
    flat_block *k = &s->blocks[number];
    if (lane_any(k->deep))
        flat_place_block(s, k, k->deep);
}

/* What stops an impact does not act again. */
ASHI_MERGED void flat_leave_impact(const lanes *s, const flat_block *k)
{
    flat_rows a = flat_rows_load(s->held, k->a), b = flat_rows_load(s->held, k->b);
    flat_effect sum = {0};
    flat_relative m = {0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        flat_point *p = &s->points[i];
        const flat_past *q = &s->pasts[i];
        flat_lane2 now = {p->base.n + p->beyond.n, p->base.t + p->beyond.t};
        lane most = p->base.n + (q->before.n + q->carried);
        lane_mask beyond =
            lane_above(now.n, most) & lane_above(now.n, lane_of(0)) & lane_above(p->beyond.n - q->before.n, q->carried);
        lane share =
            lane_where(beyond, lane_select(lane_above(most, lane_of(0)), lane_of(1) - most / now.n, lane_of(1)));
        flat_lane2 less = {share * now.n, share * now.t};
        p->beyond.n -= less.n;
        p->beyond.t -= less.t;
        flat_act(k, p->arm, (flat_lane2){-less.n, -less.t}, &sum, &m);
    }
    flat_act_on(k, &sum, &a, &b);
    flat_rows_store(a, s->held, k->a);
    flat_rows_store(b, s->held, k->b);
}

/* Impulses are added up. Returns twice the work of friction; `struck`: where an impact was stopped. */
ASHI_MERGED lane flat_add_up(const lanes *s, const flat_block *k, lane_mask *struck)
{
    lane work = {0};
    *struck = (lane_mask){0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const flat_point *p = &s->points[i];
        flat_past *q = &s->pasts[i];
        q->total.n += p->beyond.n;
        q->total.t += p->beyond.t;
        work += (p->base.t + p->beyond.t) * (q->slip_before + p->slip);
        q->slip_before = p->slip;
        *struck |= lane_above(p->beyond.n - q->before.n, q->carried);
    }
    return work;
}

ASHI_MERGED void end_block(const lanes *s, uint32_t number)
{
    flat_block *k = &s->blocks[number];
    lane_mask struck;
    flat_place_block(s, k, lane_all());
    lane work = flat_add_up(s, k, &struck);
    if (lane_any(struck))
        flat_leave_impact(s, k);
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        flat_point *p = &s->points[i];
        flat_past *q = &s->pasts[i];
        flat_lane2 now = p->beyond;
        if (s->lead > 0) {
            p->beyond.n = now.n + lane_of(s->lead) * (now.n - q->before.n);
            p->beyond.t = now.t + lane_of(s->lead) * (now.t - q->before.t);
        }
        q->before = now;
    }
    if (lane_any(lane_differs(work, lane_of(0))))
        for (int g = 0; g < GROUPS; g++)
            s->friction_works[number * GROUPS + (uint32_t)g] += 0.5 * lane_sum(work, g);
}

#endif
