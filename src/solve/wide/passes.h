/* The passes over contacts in lanes, and what prepares them. The law is that of soft_step_patch.c, where it is
 * explained; a point's impulse changes the motion of b against a, which the next point sees. */
#ifndef ASHI_SOLVE_WIDE_PASSES_H
#define ASHI_SOLVE_WIDE_PASSES_H

#include "solve/soft/soft_law.h"
#include "solve/wide/blocks.h"

/* ---- frames ---- */

typedef struct frame {
    lane3 n, t, s;
} frame;

ASHI_MERGED frame frame_of(const lane_block *k)
{
    return (frame){k->n, k->t, lane3_cross(k->n, k->t)};
}

ASHI_MERGED lane3 along(const frame *f, lane3 world)
{
    return (lane3){lane3_dot(f->n, world), lane3_dot(f->t, world), lane3_dot(f->s, world)};
}

ASHI_MERGED lane3 in_world(const frame *f, lane3 v)
{
    return (lane3){f->n.x * v.x + f->t.x * v.y + f->s.x * v.z, f->n.y * v.x + f->t.y * v.y + f->s.y * v.z,
                   f->n.z * v.x + f->t.z * v.y + f->s.z * v.z};
}

/* A motion of b against a, as seen at b's centre. */
typedef struct relative {
    lane3 linear, angular;
} relative;

ASHI_MERGED relative relative_of(const lane_block *k, const frame *f, const lane_rows *a, const lane_rows *b)
{
    lane3 turn_a = along(f, angular_of(a));
    lane3 linear = along(f, lane3_sub(linear_of(b), linear_of(a)));
    return (relative){lane3_sub(linear, lane3_cross(turn_a, k->distance)), lane3_sub(along(f, angular_of(b)), turn_a)};
}

ASHI_MERGED lane3 speed_at(const relative *m, lane3 arm)
{
    return lane3_add(m->linear, lane3_cross(m->angular, arm));
}

/* ---- impulses ---- */

/* What impulses come to: a force, and the changes of spin that they make. */
typedef struct effect {
    lane3 force, turn_a, turn_b;
} effect;

/* An impulse at a point acts: on the sum, and on the motion that later points see. */
ASHI_MERGED void act(const lane_block *k, lane3 arm, lane3 impulse, effect *sum, relative *m)
{
    lane3 moment = lane3_cross(arm, impulse);
    lane3 turn_a = lane3_apply(k->inertia_a, lane3_add(moment, lane3_cross(k->distance, impulse)));
    lane3 turn_b = lane3_apply(k->inertia_b, moment);
    sum->force = lane3_add(sum->force, impulse);
    sum->turn_a = lane3_add(sum->turn_a, turn_a);
    sum->turn_b = lane3_add(sum->turn_b, turn_b);
    m->linear =
        lane3_add(m->linear, lane3_add(lane3_scale(k->mass_a + k->mass_b, impulse), lane3_cross(turn_a, k->distance)));
    m->angular = lane3_add(m->angular, lane3_add(turn_a, turn_b));
}

/* On the bodies. */
ASHI_MERGED void act_on(const lane_block *k, const frame *f, const effect *sum, lane_rows *a, lane_rows *b)
{
    lane3 force = in_world(f, sum->force);
    *a = rows_of(lane3_sub(linear_of(a), lane3_scale(k->mass_a, force)),
                 lane3_sub(angular_of(a), in_world(f, sum->turn_a)));
    *b = rows_of(lane3_add(linear_of(b), lane3_scale(k->mass_b, force)),
                 lane3_add(angular_of(b), in_world(f, sum->turn_b)));
}

/* ---- preparation ---- */

/* An inverse inertia along the frame. */
ASHI_MERGED void inertia_along(const frame *f, const lane_rows *inverse, lane out[6])
{
    const lane m[6] = {inverse->number[0], inverse->number[1], inverse->number[2],
                       inverse->number[4], inverse->number[5], inverse->number[6]};
    lane3 n = lane3_apply(m, f->n), t = lane3_apply(m, f->t), s = lane3_apply(m, f->s);
    out[0] = lane3_dot(f->n, n);
    out[1] = lane3_dot(f->t, t);
    out[2] = lane3_dot(f->s, s);
    out[3] = lane3_dot(f->n, t);
    out[4] = lane3_dot(f->n, s);
    out[5] = lane3_dot(f->t, s);
}

/* Its velocity by a unit impulse along an axis. */
ASHI_MERGED lane3 answer_of(const lane_block *k, lane3 arm, lane3 impulse)
{
    effect sum = {0};
    relative m = {0};
    act(k, arm, impulse, &sum, &m);
    return speed_at(&m, arm);
}

ASHI_MERGED void prepare_point(const lanes *s, const lane_block *k, uint32_t number, lane_mask there)
{
    lane_point *p = &s->points[number];
    lane_past *q = &s->pasts[number];
    lane one = lane_of(1), none = lane_of(0);
    lane3 by_n = answer_of(k, p->arm, (lane3){one, none, none});
    lane by_t = answer_of(k, p->arm, (lane3){none, one, none}).y;
    lane by_s = answer_of(k, p->arm, (lane3){none, none, one}).z;
    relative start = {k->linear, k->angular};
    lane3 u = speed_at(&start, p->arm);
    p->mass.x = lane_where(there, lane_inverse(by_n.x));
    p->mass.y = lane_where(there, lane_inverse(by_t));
    p->mass.z = lane_where(there, lane_inverse(by_s));
    p->yields[0] = by_n.y * p->mass.y;
    p->yields[1] = by_n.z * p->mass.z;
    p->slip[0] = q->slip_before[0] = u.y;
    p->slip[1] = q->slip_before[1] = u.z;
    p->closing = none;
    q->response = by_n.x + by_t + by_s;
    q->gap = lane_select(there, q->gap, lane_of(ASHI_AWAY));
    p->beyond = q->before = q->total = (lane3){none, none, none};
    q->placed = none;
    q->carried = lane_of((real)ASHI_CARRIED * s->inverse_h) * k->slack * p->mass.x;
}

/* From what was written for each lane: see fill.h. */
ASHI_MERGED void prepare_block(const lanes *s, uint32_t number)
{
    lane_block *k = &s->blocks[number];
    lane_rows a = lane_rows_load(s->inverse, k->a), b = lane_rows_load(s->inverse, k->b);
    frame f = frame_of(k);
    lane counts;
    k->mass_a = a.number[3];
    k->mass_b = b.number[3];
    k->slack = lane_of(s->h) * (a.number[7] + b.number[7]);
    inertia_along(&f, &a, k->inertia_a);
    inertia_along(&f, &b, k->inertia_b);
    for (int l = 0; l < LANES; l++)
        counts[l] = k->entry[l] == UINT32_MAX ? 0 : (real)s->task->entries[k->entry[l]].count;
    for (uint32_t i = 0; i < k->count; i++)
        prepare_point(s, k, k->first + i, lane_above(counts, lane_of((real)i)));
}

/* ---- a sweep ---- */

/* How far points have moved apart along the normal since the start. */
ASHI_MERGED relative moved(const lanes *s, const lane_block *k, const frame *f, const lane_rows *a, const lane_rows *b)
{
    relative m = relative_of(k, f, a, b);
    m.linear.x += k->linear.x * lane_of(s->elapsed);
    m.angular.y += k->angular.y * lane_of(s->elapsed);
    m.angular.z += k->angular.z * lane_of(s->elapsed);
    return m;
}

ASHI_MERGED lane opening_at(const relative *m, lane3 arm)
{
    return m->linear.x + (m->angular.y * arm.z - m->angular.z * arm.y);
}

/* A gap may close within the sub-step, no more. */
ASHI_MERGED void find_closing(const lanes *s, const lane_block *k, const frame *f)
{
    if (s->elapsed == 0) { /* nothing has moved */
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            lane open = s->pasts[i].gap - k->slack;
            s->points[i].closing = lane_where(lane_above(open, lane_of(0)), open * lane_of(s->inverse_h));
        }
        return;
    }
    lane_rows a = lane_rows_load(s->shift, k->a), b = lane_rows_load(s->shift, k->b);
    relative m = moved(s, k, f, &a, &b);
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        lane open = s->pasts[i].gap + opening_at(&m, s->points[i].arm) - k->slack;
        s->points[i].closing = lane_where(lane_above(open, lane_of(0)), open * lane_of(s->inverse_h));
    }
}

/* Friction that cannot hold, as `slide` in soft_step_patch.c has it. */
ASHI_MERGED lane3 slide(const lane_point *p, lane3 now, lane3 more, lane friction, lane alone)
{
    lane none = lane_of(0), one = lane_of(1);
    lane3 mass = p->mass;
    lane lift_y = lane_where(lane_above(mass.y, none), p->yields[0] * mass.x / mass.y);
    lane lift_z = lane_where(lane_above(mass.z, none), p->yields[1] * mass.x / mass.z);
    lane free = now.x + alone + lift_y * now.y + lift_z * now.z;
    lane less_y = lane_where(lane_above(mass.z, none) & lane_above(mass.y, mass.z), one - mass.z / mass.y);
    lane less_z = lane_where(lane_above(mass.y, none) & lane_above(mass.z, mass.y), one - mass.y / mass.z);
    lane y = now.y + (more.y - more.y * less_y), z = now.z + (more.z - more.z * less_z);
    lane length = lane_sqrt(y * y + z * z), bound = friction * (now.x + more.x);
    lane share = lane_where(lane_above(length, none), friction / length);
    lane together = one + share * (lift_y * y + lift_z * z);
    lane normal = free / together, less = normal - now.x - more.x;
    lane held_y = now.y + more.y - p->yields[0] * less, held_z = now.z + more.z - p->yields[1] * less;
    lane_mask found = lane_above(together, lane_of((real)ASHI_LEAST_TOGETHER)) &
                      lane_reaches(share * (held_y * y + held_z * z), friction * friction * normal);
    lane scale = lane_select(lane_above(length, bound), bound / length, one);
    lane3 at = {lane_select(found, normal, now.x + more.x), lane_select(found, share * normal, scale) * y,
                lane_select(found, share * normal, scale) * z};
    lane_mask parts = lane_reaches(none, free);
    return (lane3){lane_where(~parts, at.x), lane_where(~parts, at.y), lane_where(~parts, at.z)};
}

/* Signorini's condition, then friction within what the normal carries. Returns the change of the impulse. */
ASHI_MERGED lane3 visit_point(const lanes *s, const lane_block *k, const relative *m, lane_point *p)
{
    lane3 u = speed_at(m, p->arm), beyond = p->beyond, now = lane3_add(p->base, beyond), more;
    lane alone = -(p->mass.x * (u.x + p->closing)), least = -p->base.x - beyond.x;
    more.x = lane_select(lane_above(alone, least), alone, least);
    more.y = -(p->mass.y * u.y) - p->yields[0] * more.x;
    more.z = -(p->mass.z * u.z) - p->yields[1] * more.x;
    lane3 wanted = lane3_add(now, more);
    lane most = k->friction * wanted.x;
    lane_mask slides = lane_above(wanted.y * wanted.y + wanted.z * wanted.z, most * most);
    if (lane_any(slides)) {
        lane3 held = more, at = slide(p, now, more, k->friction, alone);
        lane3 other = lane3_sub(at, now);
        more = (lane3){lane_select(slides, other.x, more.x), lane_select(slides, other.y, more.y),
                       lane_select(slides, other.z, more.z)};
        if (s->last) { /* what friction leaves of the slip */
            lane less = more.x - held.x;
            lane left_y = (more.y - held.y + p->yields[0] * less) / p->mass.y;
            lane left_z = (more.z - held.z + p->yields[1] * less) / p->mass.z;
            p->slip[0] = lane_where(slides & lane_above(p->mass.y, lane_of(0)), left_y);
            p->slip[1] = lane_where(slides & lane_above(p->mass.z, lane_of(0)), left_z);
        }
    } else if (s->last) {
        p->slip[0] = p->slip[1] = lane_of(0);
    }
    p->beyond = lane3_add(beyond, more);
    return more;
}

ASHI_MERGED void sweep_block(const lanes *s, uint32_t number)
{
    const lane_block *k = &s->blocks[number];
    lane_rows a = lane_rows_load(s->change, k->a), b = lane_rows_load(s->change, k->b);
    frame f = frame_of(k);
    effect sum = {0};
    relative m = relative_of(k, &f, &a, &b);
    if (s->first)
        find_closing(s, k, &f);
    m.linear = lane3_add(m.linear, k->linear);
    m.angular = lane3_add(m.angular, k->angular);
    for (uint32_t i = 0; i < k->count; i++) {
        lane_point *p = &s->points[k->first + (s->back ? k->count - 1 - i : i)];
        lane3 more = visit_point(s, k, &m, p);
        act(k, p->arm, more, &sum, &m);
    }
    act_on(k, &f, &sum, &a, &b);
    lane_rows_store(a, s->change, k->a);
    lane_rows_store(b, s->change, k->b);
}

/* ---- the end of a sub-step ---- */

/* Overlap goes by a share, at no more than the push-out speed; bodies are only ever pushed apart. That is done several
 * times: by colours what one contact is pushed into by others comes to rest more slowly than in one order of all.
 * Only the contacts that are asked for are placed, and of those the ones with overlap. */
ASHI_MERGED void place_block(const lanes *s, lane_block *k, const frame *f, lane_mask asked)
{
    lane_rows a = lane_rows_load(s->shift, k->a), b = lane_rows_load(s->shift, k->b);
    relative m = moved(s, k, f, &a, &b);
    lane least = lane_of(-(real)s->task->closed), most = lane_of((real)s->task->push_out);
    lane gap[ASHI_WIDE_POINTS];
    for (uint32_t i = 0; i < k->count; i++) {
        gap[i] = s->pasts[k->first + i].gap + opening_at(&m, s->points[k->first + i].arm);
        least = lane_least(least, gap[i]);
    }
    k->deep = asked & lane_above(lane_of(-(real)s->task->closed), least);
    if (!lane_any(k->deep))
        return;
    effect sum = {0};
    m = (relative){0};
    for (uint32_t i = 0; i < k->count; i++) {
        const lane_point *p = &s->points[k->first + i];
        lane now = gap[i] + opening_at(&m, p->arm);
        lane way = -(now * k->share);
        lane impulse = lane_where(k->deep & lane_above(lane_of(0), now), lane_least(way, most) * k->scale * p->mass.x);
        act(k, p->arm, (lane3){impulse, lane_of(0), lane_of(0)}, &sum, &m);
        s->pasts[k->first + i].placed += impulse;
    }
    act_on(k, f, &sum, &a, &b);
    lane_rows_store(a, s->shift, k->a);
    lane_rows_store(b, s->shift, k->b);
}

ASHI_MERGED void place_again(const lanes *s, uint32_t number)
{
    lane_block *k = &s->blocks[number];
    if (!lane_any(k->deep))
        return;
    frame f = frame_of(k);
    place_block(s, k, &f, k->deep);
}

/* What stops an impact does not act again. */
ASHI_MERGED void leave_impact(const lanes *s, const lane_block *k, const frame *f)
{
    lane_rows a = lane_rows_load(s->held, k->a), b = lane_rows_load(s->held, k->b);
    effect sum = {0};
    relative m = {0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        lane_point *p = &s->points[i];
        lane3 now = lane3_add(p->base, p->beyond);
        lane most = p->base.x + (s->pasts[i].before.x + s->pasts[i].carried);
        lane_mask beyond = lane_above(now.x, most) & lane_above(now.x, lane_of(0)) &
                           lane_above(p->beyond.x - s->pasts[i].before.x, s->pasts[i].carried);
        lane share =
            lane_where(beyond, lane_select(lane_above(most, lane_of(0)), lane_of(1) - most / now.x, lane_of(1)));
        lane3 less = lane3_scale(share, now);
        p->beyond = lane3_sub(p->beyond, less);
        act(k, p->arm, lane3_scale(lane_of(-1), less), &sum, &m);
    }
    act_on(k, f, &sum, &a, &b);
    lane_rows_store(a, s->held, k->a);
    lane_rows_store(b, s->held, k->b);
}

/* Impulses are added up. Returns twice the work of friction; `struck`: where an impact was stopped. */
ASHI_MERGED lane add_up(const lanes *s, const lane_block *k, lane_mask *struck)
{
    lane work = {0};
    *struck = (lane_mask){0};
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        lane_point *p = &s->points[i];
        lane_past *q = &s->pasts[i];
        lane3 now = lane3_add(p->base, p->beyond);
        q->total = lane3_add(q->total, p->beyond);
        work += now.y * (q->slip_before[0] + p->slip[0]) + now.z * (q->slip_before[1] + p->slip[1]);
        q->slip_before[0] = p->slip[0];
        q->slip_before[1] = p->slip[1];
        *struck |= lane_above(p->beyond.x - q->before.x, q->carried);
    }
    return work;
}

ASHI_MERGED void end_block(const lanes *s, uint32_t number)
{
    lane_block *k = &s->blocks[number];
    frame f = frame_of(k);
    lane_mask struck;
    place_block(s, k, &f, lane_all());
    lane work = add_up(s, k, &struck);
    if (lane_any(struck))
        leave_impact(s, k, &f);
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        lane3 now = s->points[i].beyond;
        if (s->lead > 0)
            s->points[i].beyond = lane3_add(now, lane3_scale(lane_of(s->lead), lane3_sub(now, s->pasts[i].before)));
        s->pasts[i].before = now;
    }
    if (lane_any(lane_differs(work, lane_of(0))))
        for (int g = 0; g < GROUPS; g++)
            s->friction_works[number * GROUPS + (uint32_t)g] += 0.5 * lane_sum(work, g);
}

#endif
