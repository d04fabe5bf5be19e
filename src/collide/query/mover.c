/* Conservative advancement of two convex sets: find a separating direction, advance as far as the bound L of impact.h
 * proves safe, repeat. */
#include "collide/query/mover.h"

/* Each step, except in grazing passes, closes most of the gap; a search that needs more steps ends early, on the safe
 * side.
 */
enum { MOST_STEPS = 200 };
#define FAR 0.2 /* of the remaining time: beyond it other bounds are not tried */
#define LURCH                                                                                                          \
    2.5 /* ratio of the derivative of a spin to half the second derivative of its rotation vector, valid for rotations \
           up to one radian */

ash_vec3 ashi_sweep_centre(const ash_sweep *sweep, double time)
{
    return v3_add_scaled(t_point(sweep->pose, sweep->centre), sweep->velocity, time);
}

ash_transform ashi_sweep_pose(const ash_sweep *sweep, double time)
{
    ash_transform pose = sweep->pose;
    if (v3_norm2(sweep->angular_velocity) == 0) {
        pose.position = v3_add_scaled(pose.position, sweep->velocity, time);
        return pose;
    }
    pose.rotation = q_unit(q_mul(q_exp(v3_scale(sweep->angular_velocity, time)), pose.rotation));
    pose.position = v3_sub(ashi_sweep_centre(sweep, time), q_rotate(pose.rotation, sweep->centre));
    return pose;
}

ashi_mover ashi_mover_of(const ashi_core *core, const ash_sweep *sweep)
{
    return (ashi_mover){core, sweep, core != NULL ? ashi_core_reach(core, sweep->centre) : 0, NULL};
}

/* The pose and velocity of a mover at a time. */
typedef struct mover_state {
    ash_transform pose;
    ash_vec3 centre, velocity, spin;
    double lurch; /* the largest derivative of the spin */
} mover_state;

/* The angular velocity of a rotation whose vector is e and changes by e_rate. */
static ash_vec3 spin_of(ash_vec3 e, ash_vec3 e_rate)
{
    double square = v3_norm2(e), angle = sqrt(square), sine, cosine;
    ash_vec3 across = v3_cross(e, e_rate);
    if (square < 1e-6)
        return v3_add_scaled(v3_add_scaled(e_rate, across, 0.5 - square / 24), v3_cross(e, across), 1.0 / 6);
    ashi_sincos(angle, &sine, &cosine);
    return v3_add_scaled(v3_add_scaled(e_rate, across, (1 - cosine) / square), v3_cross(e, across),
                         (angle - sine) / (square * angle));
}

static mover_state state_at(const ashi_mover *mover, double time)
{
    const ash_sweep *sweep = mover->sweep;
    if (mover->bend == NULL)
        return (mover_state){ashi_sweep_pose(sweep, time), ashi_sweep_centre(sweep, time), sweep->velocity,
                             sweep->angular_velocity, 0};
    const ashi_half_acceleration *bend = mover->bend;
    ash_vec3 turn = v3_add_scaled(v3_scale(sweep->angular_velocity, time), bend->angular, time * time);
    ash_vec3 rate = v3_add_scaled(sweep->angular_velocity, bend->angular, 2 * time);
    mover_state s = {.centre = v3_add_scaled(ashi_sweep_centre(sweep, time), bend->linear, time * time),
                     .velocity = v3_add_scaled(sweep->velocity, bend->linear, 2 * time),
                     .spin = spin_of(turn, rate)};
    s.pose.rotation = q_unit(q_mul(q_exp(turn), sweep->pose.rotation));
    s.pose.position = v3_sub(s.centre, q_rotate(s.pose.rotation, sweep->centre));
    /* of e'' itself, and of e x e' terms, which vanish where both are along one axis */
    s.lurch = LURCH * v3_norm(bend->angular) + v3_norm(v3_cross(sweep->angular_velocity, bend->angular)) * time;
    return s;
}

/* Both movers at one time. */
typedef struct stage {
    const ashi_mover *a, *b;
    mover_state at_a, at_b;
} stage;

static void set_stage(stage *s, double time)
{
    s->at_a = state_at(s->a, time);
    s->at_b = state_at(s->b, time);
}

/* The separation in the world, from a to b. */
static ashi_separation separate(const stage *s, double enough, ash_vec3 *direction)
{
    ashi_separation r;
    if (s->b->core == NULL) {
        ash_vec3 up = q_rotate(s->at_b.pose.rotation, v3(0, 0, 1));
        ash_vec3 down = q_unrotate(s->at_a.pose.rotation, v3_neg(up));
        r = (ashi_separation){.normal = v3_neg(up), .converged = true};
        r.on_a = t_point(s->at_a.pose, ashi_core_support(s->a->core, down));
        r.distance = v3_dot(up, v3_sub(r.on_a, s->at_b.pose.position));
        r.on_b = v3_add_scaled(r.on_a, up, -r.distance);
        return r;
    }
    ash_transform b_in_a = t_mul(t_inverse(s->at_a.pose), s->at_b.pose);
    r = ashi_core_separation(s->a->core, s->b->core, b_in_a, enough, direction);
    r.normal = q_rotate(s->at_a.pose.rotation, r.normal);
    r.on_a = t_point(s->at_a.pose, r.on_a);
    r.on_b = t_point(s->at_a.pose, r.on_b);
    return r;
}

/* The support function about the sweep's centre, in world axes, for a direction of any length. */
static double support(const ashi_mover *mover, const ash_transform *pose, ash_vec3 direction)
{
    if (mover->core == NULL) /* along the plane's normal: from the centre up to the plane */
        return -mover->sweep->centre.z;
    ash_vec3 local = q_unrotate(pose->rotation, direction);
    ash_vec3 point = ashi_convex_support(&mover->core->convex, local, NULL);
    return v3_dot(local, v3_sub(point, mover->sweep->centre)) + mover->core->convex.radius * v3_norm(direction);
}

/* The bound L(s) along n. */
typedef struct bound {
    const stage *stage;
    ash_vec3 n, turn_a, turn_b; /* n x w */
    double gap, speed;          /* of the centres, along n */
    double bend;                /* K_a + K_b */
} bound;

static bound make_bound(const stage *s, ash_vec3 n)
{
    const mover_state *a = &s->at_a, *b = &s->at_b;
    bound l = {.stage = s, .n = n};
    l.turn_a = v3_cross(n, a->spin);
    l.turn_b = v3_cross(n, b->spin);
    l.gap = v3_dot(n, v3_sub(b->centre, a->centre));
    l.speed = v3_dot(n, v3_sub(b->velocity, a->velocity));
    l.bend = v3_norm(a->spin) * v3_norm(l.turn_a) * s->a->reach + v3_norm(b->spin) * v3_norm(l.turn_b) * s->b->reach;
    if (s->a->bend != NULL && s->b->bend != NULL) /* if they accelerated apart, L would not be concave */
        l.bend += a->lurch * s->a->reach + b->lurch * s->b->reach +
                  fmax(2 * v3_dot(n, v3_sub(s->a->bend->linear, s->b->bend->linear)), 0);
    return l;
}

/* The bound along a direction that turns with one of the two, say a: for points x of b about their centre, with
 * c = c_b - c_a and v = v_b - v_a,  n.(c + x) has the derivative (w_a x n).c + n.v + x.(n x (w_b - w_a)), and a second
 * one of at most (|w_a| |n x w_a| + lurch_a) |c + x| + 2 |n x w_a| (|v| + |w_b| r_b) + that of n.v and of x itself. For
 * two bodies that turn about the same axis, such as a plank and a body on it, this bound is tight. */
static bound make_turning_bound(const stage *s, ash_vec3 n, bool with_a, double span)
{
    const mover_state *own = with_a ? &s->at_a : &s->at_b, *other = with_a ? &s->at_b : &s->at_a;
    const ashi_mover *mover = with_a ? s->b : s->a; /* the other */
    ash_vec3 apart = v3_sub(s->at_b.centre, s->at_a.centre), speed = v3_sub(s->at_b.velocity, s->at_a.velocity);
    ash_vec3 turn = v3_cross(n, own->spin), bend = v3_sub(s->b->bend->linear, s->a->bend->linear);
    double spin = v3_norm(other->spin), fastest = v3_norm(speed) + 2 * span * v3_norm(bend);
    double far = v3_norm(apart) + fastest * span + mover->reach;
    bound l = {.stage = s, .n = n};
    *(with_a ? &l.turn_b : &l.turn_a) = v3_cross(n, v3_sub(other->spin, own->spin));
    l.gap = v3_dot(n, apart);
    l.speed = v3_dot(n, speed) - v3_dot(turn, apart);
    l.bend = (v3_norm(own->spin) * v3_norm(turn) + own->lurch) * far +
             2 * v3_norm(turn) * (fastest + spin * mover->reach) + fmax(-2 * v3_dot(n, bend), 0) +
             (spin * v3_norm(v3_cross(n, other->spin)) + other->lurch) * mover->reach;
    return l;
}

static double bound_at(const bound *l, double time)
{
    const stage *s = l->stage;
    double of_a = support(s->a, &s->at_a.pose, v3_add_scaled(l->n, l->turn_a, time));
    double of_b = support(s->b, &s->at_b.pose, v3_neg(v3_add_scaled(l->n, l->turn_b, time)));
    return l->gap + time * l->speed - of_a - of_b - time * time * l->bend / 2;
}

/* The time for which L stays at or above the target, at most `span`; `last` is L there. A chord of a concave function
 * lies below it, so the point where the chord meets the target is safe. */
static double safe_time(const bound *l, double target, double span, double *last)
{
    double low = 0, high = span, at_low = bound_at(l, 0), at_high = bound_at(l, span), start = at_low - target;
    *last = at_high;
    if (at_high >= target)
        return span;
    *last = at_low;
    if (!(start > 0))
        return 0;
    for (int i = 0; i < 8 && at_low - target > 0.02 * start; i++) {
        double chord = low + (at_low - target) / (at_low - at_high) * (high - low);
        double middle = 0.5 * (chord + high), at_chord = bound_at(l, chord), at_middle = bound_at(l, middle);
        if (at_middle >= target) {
            low = middle;
            at_low = at_middle;
        } else {
            high = middle;
            at_high = at_middle;
            if (at_chord >= target) {
                low = chord;
                at_low = at_chord;
            }
        }
    }
    *last = at_low;
    return low;
}

/* The same along the best of three directions: fixed, or turning with one of the two. */
static double safe_time_of_any(const stage *s, ash_vec3 n, double target, double span, double *last)
{
    bound l = make_bound(s, n);
    double safe = safe_time(&l, target, span, last);
    bool turns = s->a->bend != NULL && s->b->bend != NULL && s->a->core != NULL && s->b->core != NULL;
    for (int with_a = 0; with_a < 2 && turns && safe < FAR * span; with_a++) {
        double end;
        l = make_turning_bound(s, n, with_a == 1, span);
        double other = safe_time(&l, target, span, &end);
        if (other > safe) {
            safe = other;
            *last = end;
        }
    }
    return safe;
}

static void record(const ashi_separation *r, double time, ashi_toi *found)
{
    found->time = time;
    found->converged = true;
    found->closest =
        (ashi_pair_distance){.distance = r->distance, .normal = r->normal, .on_a = r->on_a, .on_b = r->on_b};
}

/* A cast that is close ends by closing the rest of the gap along its normal: the error is of second order in the gap,
 * whereas closer the normal would be lost in rounding. False when it passes by. */
static bool close_gap(const stage *s, const ashi_separation *r, double to, double *time)
{
    if (!(r->distance > 0))
        return true;
    double closing = v3_dot(r->normal, v3_sub(s->a->sweep->velocity, s->b->sweep->velocity));
    if (!(closing > 0))
        return false;
    *time += r->distance / closing;
    return *time <= to;
}

bool ashi_mover_impact(const ashi_mover *a, const ashi_mover *b, double from, double to, const ashi_aim *aim,
                       ashi_toi *found)
{
    stage s = {.a = a, .b = b};
    const ash_sweep *of_a = a->sweep, *of_b = b->sweep;
    double rate = v3_distance(of_a->velocity, of_b->velocity) + v3_norm(of_a->angular_velocity) * a->reach +
                  v3_norm(of_b->angular_velocity) * b->reach; /* the fastest that a distance can shrink */
    if (a->bend != NULL && b->bend != NULL)
        rate += 2 * to *
                (v3_distance(a->bend->linear, b->bend->linear) + v3_norm(a->bend->angular) * a->reach +
                 v3_norm(b->bend->angular) * b->reach);
    double size = a->reach + b->reach, accept = fmax(aim->accept, (aim->cast ? 1e-7 : 1e-11) * size);
    double target = accept / 2;
    ash_vec3 direction = v3(0, 0, 0);
    double time = from;
    for (int i = 0; i < MOST_STEPS; i++) {
        set_stage(&s, time);
        double enough = accept + rate * (to - time);
        ashi_separation r = separate(&s, enough, &direction);
        found->iterations++;
        if (r.distance <= accept) {
            if (aim->cast && !close_gap(&s, &r, to, &time))
                return false;
            record(&r, time, found);
            return true;
        }
        if (r.distance > enough || time >= to)
            return false;
        double last, safe = safe_time_of_any(&s, r.normal, target, to - time, &last);
        safe = fmax(safe, (r.distance - target) / rate);
        if (time + safe >= to) {
            if (last > accept)
                return false;
            safe = to - time; /* between target and acceptance at the end: look there */
        }
        time = fmin(time + safe, to);
    }
    set_stage(&s, time);
    ashi_separation r = separate(&s, INFINITY, &direction);
    record(&r, time, found);
    found->converged = false;
    return true;
}
