/* What the impulses make of the velocities, in doubles, and the yardstick on contacts in lanes, four at a time: as
 * problem/judged_patches.c has it (docs/yardstick.md). */
#ifndef ASHI_SOLVE_WIDE_JUDGE_H
#define ASHI_SOLVE_WIDE_JUDGE_H

#include "solve/wide/blocks.h"

/* Four contacts of a block. */
typedef struct side {
    const lane_block *k;
    int half;
    ashi_quad3 n, t, s, apart;
    ashi_quad friction;
} side;

ASHI_MERGED ashi_quad3 quads_of(const lane3 *from, int half)
{
    return (ashi_quad3){quad_of_lanes(&from->x, half), quad_of_lanes(&from->y, half), quad_of_lanes(&from->z, half)};
}

ASHI_MERGED side side_of(const lane_block *k, int half)
{
    side f = {.k = k, .half = half, .n = quads_of(&k->n, half), .t = quads_of(&k->t, half)};
    f.s = quad3_cross(f.n, f.t);
    f.apart = (ashi_quad3){quad_load(&k->apart[0][4 * half]), quad_load(&k->apart[1][4 * half]),
                           quad_load(&k->apart[2][4 * half])};
    f.friction = quad_of_lanes(&k->friction, half);
    return f;
}

typedef struct quad_motion {
    ashi_quad3 linear, angular;
} quad_motion;

ASHI_MERGED ashi_quad3 quads_along(const side *f, ashi_quad3 world)
{
    return (ashi_quad3){quad3_dot(f->n, world), quad3_dot(f->t, world), quad3_dot(f->s, world)};
}

ASHI_MERGED ashi_quad3 quads_in_world(const side *f, ashi_quad3 v)
{
    return quad3_add(quad3_add(quad3_scale(v.x, f->n), quad3_scale(v.y, f->t)), quad3_scale(v.z, f->s));
}

/* Of b against a, as seen at b's centre. */
ASHI_MERGED quad_motion motion_between(const side *f, const double_row *rows)
{
    const double *a[4], *b[4], *turn_a[4], *turn_b[4];
    ashi_quad beside;
    for (int i = 0; i < 4; i++) {
        const double_row *of_a = &rows[f->k->a[4 * f->half + i]], *of_b = &rows[f->k->b[4 * f->half + i]];
        a[i] = of_a->linear;
        b[i] = of_b->linear;
        turn_a[i] = of_a->angular;
        turn_b[i] = of_b->angular;
    }
    ashi_quad3 spin = quad3_gather(turn_a, &beside);
    ashi_quad3 linear = quad3_sub(quad3_gather(b, &beside), quad3_gather(a, &beside));
    return (quad_motion){quads_along(f, quad3_sub(linear, quad3_cross(spin, f->apart))),
                         quads_along(f, quad3_sub(quad3_gather(turn_b, &beside), spin))};
}

/* Adds a force and a moment at b's centre to what acts on the bodies, or takes them away. */
ASHI_MERGED void add_wrench(const side *f, quad_motion sum, double_row *rows)
{
    ashi_quad forces[4], moments_a[4], moments_b[4];
    ashi_quad3 force = quads_in_world(f, sum.linear), moment = quads_in_world(f, sum.angular);
    quad3_part(force, forces);
    quad3_part(moment, moments_b);
    quad3_part(quad3_add(moment, quad3_cross(f->apart, force)), moments_a);
    for (int i = 0; i < 4; i++) {
        int32_t a = f->k->a[4 * f->half + i], b = f->k->b[4 * f->half + i];
        if (a > 0) {
            quad_store(rows[a].linear, quad_load(rows[a].linear) - forces[i]);
            quad_store(rows[a].angular, quad_load(rows[a].angular) - moments_a[i]);
        }
        if (b > 0) {
            quad_store(rows[b].linear, quad_load(rows[b].linear) + forces[i]);
            quad_store(rows[b].angular, quad_load(rows[b].angular) + moments_b[i]);
        }
    }
}

/* Impulses of the step. */
ASHI_MERGED ashi_quad3 total_of(const lanes *s, uint32_t number, int half)
{
    const lane_past *q = &s->pasts[number];
    ashi_quad3 base = {quad_load(&q->base[0][4 * half]), quad_load(&q->base[1][4 * half]),
                       quad_load(&q->base[2][4 * half])};
    return quad3_add(quad3_scale(quad_of(s->task->substeps), base), quads_of(&q->total, half));
}

/* All that they are for the bodies; before the first sub-step, what they are if they act in each as they begin. */
ASHI_MERGED void sum_block(const lanes *s, uint32_t number)
{
    const lane_block *k = &s->blocks[number];
    for (int half = 0; half < LANES / 4; half++) {
        side f = side_of(k, half);
        quad_motion sum = {0};
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            ashi_quad3 impulse = total_of(s, i, half);
            sum.linear = quad3_add(sum.linear, impulse);
            sum.angular = quad3_add(sum.angular, quad3_cross(quads_of(&s->points[i].arm, half), impulse));
        }
        add_wrench(&f, sum, s->wrench);
    }
}

/* ---- the law ---- */

typedef struct judged_point {
    ashi_quad friction, rho, slide2, slide;
    ashi_quad3 impulse, u;
    ashi_quad3 less;    /* rho u^: lambda - lambda' if it holds */
    ashi_quad softness; /* of the normal's row */
} judged_point;

/* lambda - lambda' and u(lambda) - u'. */
typedef struct verdict {
    ashi_quad3 less, off;
    ashi_quad merit2;
} verdict;

ASHI_MERGED judged_point judged_at(const lanes *s, const side *f, const quad_motion *m, uint32_t number)
{
    judged_point p = {.friction = f->friction, .impulse = total_of(s, number, f->half)};
    ashi_quad response = quad_of_lanes(&s->pasts[number].response, f->half);
    ashi_quad gap = quad_of_lanes(&s->pasts[number].gap, f->half), depth = -gap - quad_of(s->task->slop);
    ashi_quad mass = quad_of_lanes(&s->points[number].mass.x, f->half);
    ashi_quad_mask deep = (depth > quad_of(0)) & (mass > quad_of(0));
    p.u = quad3_add(m->linear, quad3_cross(m->angular, quads_of(&s->points[number].arm, f->half)));
    p.softness = quad_where(deep, quad_of(s->task->softness) / mass);
    p.u.x += quad_where(gap > quad_of(0), gap / quad_of(s->task->h)) - quad_where(deep, quad_of(s->task->rate) * depth);
    p.u.x += p.softness * p.impulse.x;
    response += p.softness;
    p.rho = quad_where(response > quad_of(0), quad_of(3) / response);
    p.slide2 = p.u.y * p.u.y + p.u.z * p.u.z;
    p.slide = quad_sqrt(p.slide2);
    p.less = quad3_scale(p.rho, (ashi_quad3){p.u.x + p.friction * p.slide, p.u.y, p.u.z});
    return p;
}

ASHI_MERGED ashi_quad_mask holds_by_far(const judged_point *p)
{
    ashi_quad3 impulse = p->impulse;
    ashi_quad bound = p->friction * (impulse.x - quad_abs(p->less.x)) - (p->slide + p->rho * p->slide);
    return impulse.y * impulse.y + impulse.z * impulse.z < bound * quad_abs(bound);
}

ASHI_MERGED verdict of_held(const judged_point *p)
{
    ashi_quad normal = quad_select(p->impulse.x < p->u.x, p->impulse.x, p->u.x);
    return (verdict){p->less, p->u, normal * normal + p->slide2};
}

/* |H|^2, H by Erleben 2007 (37). */
ASHI_MERGED ashi_quad merit_of_any(const judged_point *p)
{
    ashi_quad3 u = p->u, impulse = p->impulse;
    ashi_quad bound = quad_where(impulse.x > quad_of(0), p->friction * impulse.x);
    ashi_quad normal = quad_select(impulse.x < u.x, impulse.x, u.x);
    ashi_quad y = impulse.y - u.y, z = impulse.z - u.z, length2 = y * y + z * z;
    ashi_quad scale = quad_select(length2 <= bound * bound, quad_of(1), bound / quad_sqrt(length2));
    y = impulse.y - scale * y;
    z = impulse.z - scale * z;
    return normal * normal + (y * y + z * z);
}

ASHI_MERGED verdict of_any(const judged_point *p)
{
    ashi_quad3 u = p->u, impulse = p->impulse, z = quad3_sub(impulse, p->less);
    ashi_quad none = quad_of(0), reach = p->friction * z.x, length2 = z.y * z.y + z.z * z.z;
    ashi_quad_mask held = (z.x >= none) & (length2 <= reach * reach);
    ashi_quad_mask open = (u.x >= none) & (impulse.x == none) & (impulse.y == none) & (impulse.z == none);
    ashi_quad length = quad_sqrt(length2);
    ashi_quad normal = (z.x + p->friction * length) / (1 + p->friction * p->friction);
    ashi_quad_mask stays = ~(normal <= none);
    ashi_quad scale = quad_where(stays, p->friction * normal / length);
    ashi_quad3 less = quad3_sub(impulse, (ashi_quad3){quad_where(stays, normal), scale * z.y, scale * z.z});
    ashi_quad3 changed = {u.x - less.x / p->rho, u.y - less.y / p->rho, u.z - less.z / p->rho};
    ashi_quad3 goal = quad3_where(~held, quad3_select(open, u, changed));
    ashi_quad slide = quad_sqrt(goal.y * goal.y + goal.z * goal.z);
    goal.x += quad_where(~held & ~open, p->friction * (p->slide - slide));
    return (verdict){quad3_select(held, p->less, quad3_where(~open, less)), quad3_sub(u, goal), merit_of_any(p)};
}

/* ---- the passes ---- */

/* Points that are there. */
ASHI_MERGED ashi_quad_mask presence(const lanes *s, uint32_t number, int half)
{
    return (quad_of_lanes(&s->pasts[number].response, half) > quad_of(0)) &
           ~(quad_of_lanes(&s->pasts[number].gap, half) >= quad_of((double)ASHI_AWAY));
}

/* Finds the exact pairs of a group, and what lambda' - lambda is for the bodies. Returns the sum of |H|^2. */
ASHI_MERGED double pair_block(const lanes *s, uint32_t number, int group)
{
    const lane_block *k = &s->blocks[number];
    ashi_quad merit2 = quad_of(0);
    for (int half = group * QUADS; half < (group + 1) * QUADS; half++) {
        side f = side_of(k, half);
        quad_motion m = motion_between(&f, s->velocity), sum = {0};
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            judged_point p = judged_at(s, &f, &m, i);
            ashi_quad_mask there = presence(s, i, half);
            verdict v = quad_all(holds_by_far(&p) | ~there) ? of_held(&p) : of_any(&p);
            v.less = quad3_where(there, v.less);
            v.off = quad3_where(there, v.off);
            lane_off *o = &s->pasts[i].off;
            quad_store(&o->error2[4 * half], quad3_dot(v.off, v.off));
            quad_store(&o->by[0][4 * half], v.off.x - p.softness * v.less.x);
            quad_store(&o->by[1][4 * half], v.off.y);
            quad_store(&o->by[2][4 * half], v.off.z);
            merit2 += quad_where(there, v.merit2);
            sum.linear = quad3_add(sum.linear, v.less);
            sum.angular = quad3_add(sum.angular, quad3_cross(quads_of(&s->points[i].arm, half), v.less));
        }
        /* lambda' - lambda is less than nothing */
        sum.linear = quad3_scale(quad_of(-1), sum.linear);
        sum.angular = quad3_scale(quad_of(-1), sum.angular);
        add_wrench(&f, sum, s->wrench);
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
    const lane_block *k = &s->blocks[number];
    for (int half = group * QUADS; half < (group + 1) * QUADS; half++) {
        side f = side_of(k, half);
        quad_motion m = motion_between(&f, s->wrench);
        for (uint32_t i = k->first; i < k->first + k->count; i++) {
            const lane_off *o = &s->pasts[i].off;
            ashi_quad3 by = {quad_load(&o->by[0][4 * half]), quad_load(&o->by[1][4 * half]),
                             quad_load(&o->by[2][4 * half])};
            ashi_quad3 after =
                quad3_add(by, quad3_add(m.linear, quad3_cross(m.angular, quads_of(&s->points[i].arm, half))));
            ashi_quad now = quad_load(&o->error2[4 * half]), then = quad3_dot(after, after);
            ashi_quad error2 = quad_where(presence(s, i, half), quad_select(now > then, now, then));
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
