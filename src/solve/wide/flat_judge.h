/* What the impulses make of the velocities, in doubles, and the yardstick on contacts of planar worlds in lanes, four
 * at a time: as judge.h has it, with one tangent (docs/yardstick.md). */
#ifndef ASHI_SOLVE_WIDE_FLAT_JUDGE_H
#define ASHI_SOLVE_WIDE_FLAT_JUDGE_H

#include "solve/wide/flat_blocks.h"

/* Numbers of four points along the normal and the tangent. */
typedef struct flat_quad2 {
    ashi_quad n, t;
} flat_quad2;

ASHI_MERGED flat_quad2 flat_quads_of(const flat_lane2 *from, int half)
{
    return (flat_quad2){quad_of_lanes(&from->n, half), quad_of_lanes(&from->t, half)};
}

/* Four contacts of a block. */
typedef struct flat_side {
    const flat_block *k;
    int half;
    ashi_quad normal_x, normal_y, apart_x, apart_y, friction;
} flat_side;

ASHI_MERGED flat_side flat_side_of(const flat_block *k, int half)
{
    return (flat_side){.k = k,
                       .half = half,
                       .normal_x = quad_of_lanes(&k->normal_x, half),
                       .normal_y = quad_of_lanes(&k->normal_y, half),
                       .apart_x = quad_load(&k->apart[0][4 * half]),
                       .apart_y = quad_load(&k->apart[1][4 * half]),
                       .friction = quad_of_lanes(&k->friction, half)};
}

typedef struct flat_motion {
    flat_quad2 linear;
    ashi_quad turn;
} flat_motion;

/* Turns four rows of four numbers into four columns, and back. */
ASHI_MERGED void flat_turn_quads(ashi_quad r[4])
{
    ashi_quad a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    ashi_quad c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Of b against a, as seen at b's centre. */
ASHI_MERGED flat_motion flat_motion_between(const flat_side *f, const flat_wrench *rows)
{
    ashi_quad a[4], b[4];
    for (int i = 0; i < 4; i++) {
        a[i] = quad_load(rows[f->k->a[4 * f->half + i]].number);
        b[i] = quad_load(rows[f->k->b[4 * f->half + i]].number);
    }
    flat_turn_quads(a);
    flat_turn_quads(b);
    ashi_quad x = b[0] - a[0] + a[2] * f->apart_y, y = b[1] - a[1] - a[2] * f->apart_x;
    return (flat_motion){{f->normal_x * x + f->normal_y * y, f->normal_y * x - f->normal_x * y}, b[2] - a[2]};
}

ASHI_MERGED flat_quad2 flat_quads_at(const flat_motion *m, flat_quad2 arm)
{
    return (flat_quad2){m->linear.n + m->turn * arm.t, m->linear.t - m->turn * arm.n};
}

/* A force and a moment at b's centre. */
ASHI_MERGED void flat_sum_up(flat_motion *sum, flat_quad2 arm, flat_quad2 impulse)
{
    sum->linear.n += impulse.n;
    sum->linear.t += impulse.t;
    sum->turn += arm.t * impulse.n - arm.n * impulse.t;
}

/* Adds them to what acts on the bodies. */
ASHI_MERGED void flat_add_wrench(const flat_side *f, const flat_motion *sum, flat_wrench *rows)
{
    ashi_quad x = f->normal_x * sum->linear.n + f->normal_y * sum->linear.t;
    ashi_quad y = f->normal_y * sum->linear.n - f->normal_x * sum->linear.t;
    ashi_quad on_a[4] = {x, y, sum->turn + (f->apart_x * y - f->apart_y * x), quad_of(0)};
    ashi_quad on_b[4] = {x, y, sum->turn, quad_of(0)};
    flat_turn_quads(on_a);
    flat_turn_quads(on_b);
    for (int i = 0; i < 4; i++) {
        int32_t a = f->k->a[4 * f->half + i], b = f->k->b[4 * f->half + i];
        if (a > 0)
            quad_store(rows[a].number, quad_load(rows[a].number) - on_a[i]);
        if (b > 0)
            quad_store(rows[b].number, quad_load(rows[b].number) + on_b[i]);
    }
}

/* Impulses of the step. */
ASHI_MERGED flat_quad2 flat_total_of(const lanes *s, uint32_t number, int half)
{
    const flat_past *q = &s->pasts[number];
    ashi_quad parts = quad_of(s->task->substeps);
    flat_quad2 total = flat_quads_of(&q->total, half);
    return (flat_quad2){parts * quad_load(&q->base[0][4 * half]) + total.n,
                        parts * quad_load(&q->base[1][4 * half]) + total.t};
}

/* All that they are for the bodies; before the first sub-step, what they are if they act in each as they begin. */
ASHI_MERGED void sum_block(const lanes *s, uint32_t number)
{
    const flat_block *k = &s->blocks[number];
    for (int half = 0; half < LANES / 4; half++) {
        flat_side f = flat_side_of(k, half);
        flat_motion sum = {0};
        for (uint32_t i = k->first; i < k->first + k->count; i++)
            flat_sum_up(&sum, flat_quads_of(&s->points[i].arm, half), flat_total_of(s, i, half));
        flat_add_wrench(&f, &sum, s->wrench);
    }
}

/* ---- the law ---- */

typedef struct flat_judged {
    ashi_quad friction, rho, slide;
    flat_quad2 impulse, u;
    flat_quad2 less;    /* rho u^: lambda - lambda' if it holds */
    ashi_quad softness; /* of the normal's row */
} flat_judged;

/* lambda - lambda' and u(lambda) - u'. */
typedef struct flat_verdict {
    flat_quad2 less, off;
    ashi_quad merit2;
} flat_verdict;

ASHI_MERGED flat_judged flat_judged_at(const lanes *s, const flat_side *f, const flat_motion *m, uint32_t number)
{
    flat_judged p = {.friction = f->friction, .impulse = flat_total_of(s, number, f->half)};
    ashi_quad response = quad_of_lanes(&s->pasts[number].response, f->half);
    ashi_quad gap = quad_of_lanes(&s->pasts[number].gap, f->half), depth = -gap - quad_of(s->task->slop);
    ashi_quad mass = quad_of_lanes(&s->points[number].mass.n, f->half);
    ashi_quad_mask deep = (depth > quad_of(0)) & (mass > quad_of(0));
    p.u = flat_quads_at(m, flat_quads_of(&s->points[number].arm, f->half));
    if (quad_any(deep))
        p.softness = quad_where(deep, quad_of(s->task->softness) / mass);
    p.u.n +=
        quad_where(gap > quad_of(0), gap * quad_of(1 / s->task->h)) - quad_where(deep, quad_of(s->task->rate) * depth);
    p.u.n += p.softness * p.impulse.n;
    response += p.softness;
    p.rho = quad_where(response > quad_of(0), quad_of(2) / response);
    p.slide = quad_abs(p.u.t);
    p.less = (flat_quad2){p.rho * (p.u.n + p.friction * p.slide), p.rho * p.u.t};
    return p;
}

ASHI_MERGED ashi_quad_mask flat_holds_by_far(const flat_judged *p)
{
    ashi_quad bound = p->friction * (p->impulse.n - quad_abs(p->less.n)) - (p->slide + p->rho * p->slide);
    return quad_abs(p->impulse.t) < bound;
}

ASHI_MERGED flat_verdict flat_of_held(const flat_judged *p)
{
    ashi_quad normal = quad_select(p->impulse.n < p->u.n, p->impulse.n, p->u.n);
    return (flat_verdict){p->less, p->u, normal * normal + p->slide * p->slide};
}

/* |H|^2, H by Erleben 2007 (37). */
ASHI_MERGED ashi_quad flat_merit_of_any(const flat_judged *p)
{
    ashi_quad bound = quad_where(p->impulse.n > quad_of(0), p->friction * p->impulse.n);
    ashi_quad normal = quad_select(p->impulse.n < p->u.n, p->impulse.n, p->u.n);
    ashi_quad t = p->impulse.t - p->u.t, least = quad_select(t < -bound, -bound, t);
    ashi_quad off = p->impulse.t - quad_select(least > bound, bound, least);
    return normal * normal + off * off;
}

ASHI_MERGED flat_verdict flat_of_any(const flat_judged *p)
{
    flat_quad2 u = p->u, impulse = p->impulse, z = {impulse.n - p->less.n, impulse.t - p->less.t};
    ashi_quad none = quad_of(0), length = quad_abs(z.t), sign = quad_select(z.t < none, quad_of(-1), quad_of(1));
    ashi_quad_mask held = (z.n >= none) & (length <= p->friction * z.n);
    ashi_quad_mask open = (u.n >= none) & (impulse.n == none) & (impulse.t == none);
    ashi_quad normal = (z.n + p->friction * length) / (1 + p->friction * p->friction);
    normal = quad_where(~(normal <= none), normal);
    flat_quad2 less = {impulse.n - normal, impulse.t - sign * (p->friction * normal)};
    flat_quad2 goal = {quad_where(~held, quad_select(open, u.n, u.n - less.n / p->rho)),
                       quad_where(~held, quad_select(open, u.t, u.t - less.t / p->rho))};
    goal.n += quad_where(~held & ~open, p->friction * (p->slide - quad_abs(goal.t)));
    return (flat_verdict){{quad_select(held, p->less.n, quad_where(~open, less.n)),
                           quad_select(held, p->less.t, quad_where(~open, less.t))},
                          {u.n - goal.n, u.t - goal.t},
                          flat_merit_of_any(p)};
}

/* ---- the passes ---- */

/* Points that are there. */
ASHI_MERGED ashi_quad_mask flat_presence(const lanes *s, uint32_t number, int half)
{
    return (quad_of_lanes(&s->pasts[number].response, half) > quad_of(0)) &
           ~(quad_of_lanes(&s->pasts[number].gap, half) >= quad_of((double)ASHI_FLAT_AWAY));
}

/* Finds the exact pairs of a group, and what lambda' - lambda is for the bodies. Returns the sum of |H|^2. */
ASHI_MERGED double pair_block(const lanes *s, uint32_t number, int group)
{
    const flat_block *k = &s->blocks[number];
    ashi_quad merit2 = quad_of(0);
    for (int half = group * QUADS; half < (group + 1) * QUADS; half++) {
        flat_side f = flat_side_of(k, half);
        flat_motion m = flat_motion_between(&f, s->velocity), sum = {0};
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            flat_judged p = flat_judged_at(s, &f, &m, i);
            ashi_quad_mask there = flat_presence(s, i, half);
            flat_verdict v = quad_all(flat_holds_by_far(&p) | ~there) ? flat_of_held(&p) : flat_of_any(&p);
            flat_quad2 less = {quad_where(there, v.less.n), quad_where(there, v.less.t)};
            flat_quad2 off = {quad_where(there, v.off.n), quad_where(there, v.off.t)};
            flat_off *o = &s->pasts[i].off;
            quad_store(&o->error2[4 * half], off.n * off.n + off.t * off.t);
            quad_store(&o->by[0][4 * half], off.n - p.softness * less.n);
            quad_store(&o->by[1][4 * half], off.t);
            merit2 += quad_where(there, v.merit2);
            /* lambda' - lambda is less than nothing */
            flat_sum_up(&sum, flat_quads_of(&s->points[i].arm, half), (flat_quad2){-less.n, -less.t});
        }
        flat_add_wrench(&f, &sum, s->wrench);
    }
    return quad_sum(merit2);
}

/* The errors of a group: their sum, and the largest, squared, with where it is. */
typedef struct errors {
    double sum, largest2;
    uint32_t point, lane;
} errors;

/* Compares with the changes of velocity that lambda' - lambda makes. What is not a number is the largest. */
ASHI_MERGED void compare_block(const lanes *s, uint32_t number, int group, errors *e)
{
    *e = (errors){.largest2 = -1};
    const flat_block *k = &s->blocks[number];
    for (int half = group * QUADS; half < (group + 1) * QUADS; half++) {
        flat_side f = flat_side_of(k, half);
        flat_motion m = flat_motion_between(&f, s->wrench);
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            const flat_off *o = &s->pasts[i].off;
            flat_quad2 after = flat_quads_at(&m, flat_quads_of(&s->points[i].arm, half));
            after.n += quad_load(&o->by[0][4 * half]);
            after.t += quad_load(&o->by[1][4 * half]);
            ashi_quad now = quad_load(&o->error2[4 * half]), then = after.n * after.n + after.t * after.t;
            ashi_quad error2 = quad_where(flat_presence(s, i, half), quad_select(now > then, now, then));
            e->sum += quad_sum(quad_sqrt(error2));
            if (!quad_any(~(error2 <= quad_of(e->largest2))))
                continue;
            for (int l = 0; l < 4; l++)
                if (!(error2[l] <= e->largest2)) {
                    e->largest2 = error2[l] == error2[l] ? error2[l] : HUGE_VAL;
                    e->point = i - k->first;
                    e->lane = (uint32_t)(4 * half + l);
                }
        }
    }
}

#endif
