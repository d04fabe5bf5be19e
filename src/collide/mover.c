/* Conservative advancement of two convex sets: find a separating direction, go as far as the bound L of impact.h proves
 * safe, and again. */
#include "collide/mover.h"

/* Each step but those of grazing passes closes most of the gap; a search that needs more ends early, on the safe side.
 */
enum { MOST_STEPS = 200 };

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
    return (ashi_mover){core, sweep, core != NULL ? ashi_core_reach(core, sweep->centre) : 0};
}

/* Both movers at one time. */
typedef struct stage {
    const ashi_mover *a, *b;
    ash_transform pose_a, pose_b;
    ash_vec3 centre_a, centre_b;
} stage;

static void set_stage(stage *s, double time)
{
    s->pose_a = ashi_sweep_pose(s->a->sweep, time);
    s->pose_b = ashi_sweep_pose(s->b->sweep, time);
    s->centre_a = ashi_sweep_centre(s->a->sweep, time);
    s->centre_b = ashi_sweep_centre(s->b->sweep, time);
}

/* In the world, from a to b. */
static ashi_separation separate(const stage *s, double enough, ash_vec3 *direction)
{
    ashi_separation r;
    if (s->b->core == NULL) {
        ash_vec3 up = q_rotate(s->pose_b.rotation, v3(0, 0, 1));
        ash_vec3 down = q_unrotate(s->pose_a.rotation, v3_neg(up));
        r = (ashi_separation){.normal = v3_neg(up), .converged = true};
        r.on_a = t_point(s->pose_a, ashi_core_support(s->a->core, down));
        r.distance = v3_dot(up, v3_sub(r.on_a, s->pose_b.position));
        r.on_b = v3_add_scaled(r.on_a, up, -r.distance);
        return r;
    }
    ash_transform b_in_a = t_mul(t_inverse(s->pose_a), s->pose_b);
    r = ashi_core_separation(s->a->core, s->b->core, b_in_a, enough, direction);
    r.normal = q_rotate(s->pose_a.rotation, r.normal);
    r.on_a = t_point(s->pose_a, r.on_a);
    r.on_b = t_point(s->pose_a, r.on_b);
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
    const ash_sweep *a = s->a->sweep, *b = s->b->sweep;
    bound l = {.stage = s, .n = n};
    l.turn_a = v3_cross(n, a->angular_velocity);
    l.turn_b = v3_cross(n, b->angular_velocity);
    l.gap = v3_dot(n, v3_sub(s->centre_b, s->centre_a));
    l.speed = v3_dot(n, v3_sub(b->velocity, a->velocity));
    l.bend = v3_norm(a->angular_velocity) * v3_norm(l.turn_a) * s->a->reach +
             v3_norm(b->angular_velocity) * v3_norm(l.turn_b) * s->b->reach;
    return l;
}

static double bound_at(const bound *l, double time)
{
    const stage *s = l->stage;
    double of_a = support(s->a, &s->pose_a, v3_add_scaled(l->n, l->turn_a, time));
    double of_b = support(s->b, &s->pose_b, v3_neg(v3_add_scaled(l->n, l->turn_b, time)));
    return l->gap + time * l->speed - of_a - of_b - time * time * l->bend / 2;
}

/* Time that L stays at or above the target, at most `span`; `last` is L there. A chord of a concave function lies below
 * it, so that where the chord meets the target is safe. */
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

static void record(const ashi_separation *r, double time, ashi_toi *found)
{
    found->time = time;
    found->converged = true;
    found->closest = (ashi_closest){.distance = r->distance, .normal = r->normal, .on_a = r->on_a, .on_b = r->on_b};
}

/* A cast that came near ends by closing the rest of the gap along its normal: an error of second order in the gap,
 * while nearer the normal itself would be lost in rounding. False when it is passing by. */
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
        bound l = make_bound(&s, r.normal);
        double last, safe = safe_time(&l, target, to - time, &last);
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
