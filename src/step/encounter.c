/* See encounter.h. A gap that is below the target at the end is followed by the secant rule with bisection. Where it is
 * above, conservative advancement (collide/impact.h) looks for a touch in between: of convex sets along the true way;
 * of others the way is halved until each piece is proved free or a time is found at which the shapes overlap. A piece
 * is taken to be straight and even there, and the distance that counts as a touch is raised by how far it is not. */
#include "step/encounter.h"

#include "collide/query/mover.h"
#include "shape/geometry.h"

#include <math.h>

#define HALVINGS  16   /* of a way that may have a touch within it */
#define PIECES    64   /* of it that are looked at, at most; ... */
#define COSTLY    5000 /* iterations of a search for a touch that count as one more: surfaces have large ones */
#define SEARCH    60   /* gaps looked at for one time */
#define PATIENCE  4    /* searches along one way that may end early */
#define PRECISION 2e-3 /* of the slop */
#define STRAIGHT  0.1  /* of the slop: a way that bends by less is straight */
#define SPAN      1e-4 /* of the part: over which a slope is found */
#define SAFETY    1.5  /* of the deviation from an even motion */

/* ---- ways ---- */

/* The rotation vector from one rotation to another that is nearest to what the spin leads to: of fast rotors more than
 * half a turn. */
static ash_vec3 turn_between(ash_quat from, ash_quat to, ash_vec3 expected)
{
    ash_vec3 turn = q_log(q_mul(to, q_conjugate(from)));
    double angle = v3_norm(turn);
    if (!(angle > 0))
        return turn;
    double turns = floor((v3_dot(expected, turn) / angle - angle) / (2 * ASHI_PI) + 0.5);
    return v3_scale(turn, 1 + 2 * ASHI_PI * turns / angle);
}

ashi_course ashi_course_of(const ashi_model *model, uint32_t shape, double reach, const ashi_state *from,
                           const ashi_state *to, double h)
{
    const ashi_shape_entry *entry = &model->shapes.entries.data[shape];
    uint32_t body = entry->body;
    ashi_course way = {
        .geometry = entry->geometry,
        .in_body = {v3_sub(entry->pose.position, model->bodies.info[body].mass.centre), entry->pose.rotation},
        .start = from->position[body],
        .velocity = from->velocity[body],
        .rotation = from->rotation[body],
        .spin = from->spin[body],
        .planar = model->bodies.planar};
    ash_vec3 moved = v3_sub(to->position[body], way.start);
    ash_vec3 turned = turn_between(way.rotation, to->rotation[body], v3_scale(way.spin, h));
    way.bend = v3_scale(v3_add_scaled(moved, way.velocity, -h), 1 / (h * h));
    way.twist = v3_scale(v3_add_scaled(turned, way.spin, -h), 1 / (h * h));
    way.arm = reach + v3_norm(way.in_body.position);
    return way;
}

static ash_vec3 centre_at(const ashi_course *way, double time)
{
    return v3_add_scaled(v3_add_scaled(way->start, way->velocity, time), way->bend, time * time);
}

static ash_quat rotation_at(const ashi_course *way, double time)
{
    ash_vec3 turn = v3_add_scaled(v3_scale(way->spin, time), way->twist, time * time);
    return q_unit(q_mul(q_exp(turn), way->rotation));
}

static ash_transform pose_at(const ashi_course *way, double time)
{
    ash_transform pose = t_mul((ash_transform){centre_at(way, time), rotation_at(way, time)}, way->in_body);
    if (way->planar)
        pose.position.z = 0;
    return pose;
}

/* An angle times the arm; planes that do not turn have no end either. */
static double swing(const ashi_course *way, double angle)
{
    return angle > 0 ? angle * way->arm : 0;
}

/* How far the way of any point is from an even motion over a piece of this length. */
static double deviation(const ashi_course *way, double length)
{
    return SAFETY * 0.25 * length * length * (v3_norm(way->bend) + swing(way, v3_norm(way->twist)));
}

static double angle_over(const ashi_course *way, double h)
{
    return h * (v3_norm(way->spin) + h * v3_norm(way->twist));
}

double ashi_course_length(const ashi_course *way, double h)
{
    return h * (v3_norm(way->velocity) + h * v3_norm(way->bend)) + swing(way, angle_over(way, h));
}

ash_bounds ashi_course_box(const ashi_course *way, double h)
{
    ash_bounds first = ash_geometry_bounds(way->geometry, pose_at(way, 0));
    ash_bounds last = ash_geometry_bounds(way->geometry, pose_at(way, h));
    double angle = angle_over(way, h), out = deviation(way, h) + swing(way, angle * angle / 8);
    ash_vec3 by = v3(out, out, out);
    return (ash_bounds){v3_sub(v3_min(first.lower, last.lower), by), v3_add(v3_max(first.upper, last.upper), by)};
}

/* ---- gaps ---- */

/* Whether a point was in touch at the start, and stays so. */
static bool is_held(const ashi_encounter *e, const ashi_manifold *m, const ashi_manifold_point *point)
{
    for (uint32_t i = 0; i < e->held_count; i++) {
        const ashi_contact_record *contact = &e->held[i];
        if (contact->part_a != m->part_a || contact->part_b != m->part_b)
            continue;
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            if (e->points[k].feature == point->feature && -e->points[k].depth <= e->slop &&
                !(e->leaves != NULL && e->leaves[k]))
                return true;
    }
    return false;
}

double ashi_encounter_gap_at(const ashi_encounter *e, ash_transform pose_a, ash_transform pose_b)
{
    ashi_pair pair = {.a = e->a.geometry,
                      .b = e->b.geometry,
                      .b_in_a = t_mul(t_inverse(pose_a), pose_b),
                      .margin = e->margin,
                      .keep_all_points = true};
    double gap = INFINITY;
    e->scratch->count = 0;
    if (!ashi_collide(&pair, e->scratch)) /* no memory: what overlaps will be seen again */
        return e->margin;
    for (uint32_t i = 0; i < e->scratch->count; i++) {
        const ashi_manifold *m = &e->scratch->data[i];
        for (uint32_t k = 0; k < m->count; k++)
            if (-m->points[k].depth < gap && !is_held(e, m, &m->points[k]))
                gap = -m->points[k].depth;
    }
    return fmin(gap, e->margin);
}

double ashi_encounter_gap(const ashi_encounter *e, double time)
{
    return ashi_encounter_gap_at(e, pose_at(&e->a, time), pose_at(&e->b, time));
}

double ashi_encounter_slope(const ashi_encounter *e, double time)
{
    double before = fmax(time - SPAN * e->h, 0);
    return before < time ? (ashi_encounter_gap(e, time) - ashi_encounter_gap(e, before)) / (time - before) : 0;
}

/* ---- times ---- */

bool ashi_encounter_may_touch(const ashi_encounter *e, double first_gap, double last_gap)
{
    ash_vec3 apart =
        v3_add_scaled(v3_scale(v3_sub(e->b.velocity, e->a.velocity), e->h), v3_sub(e->b.bend, e->a.bend), e->h * e->h);
    double way = v3_norm(apart) + swing(&e->a, angle_over(&e->a, e->h)) + swing(&e->b, angle_over(&e->b, e->h)) +
                 deviation(&e->a, e->h) + deviation(&e->b, e->h);
    return first_gap + last_gap < way;
}

/* Between `low`, where the gap is above the target, and `high`, where it is below. */
static double find_crossing(const ashi_encounter *e, double target, double low, double gap_low, double high,
                            double gap_high)
{
    double enough = PRECISION * e->slop;
    int side = 0;
    gap_low -= target;
    gap_high -= target;
    for (int i = 0; i < SEARCH && high - low > 1e-15 * e->h; i++) {
        bool halves = i % 3 == 2 || !(gap_low > gap_high);
        double t = halves ? 0.5 * (low + high) : low + (high - low) * gap_low / (gap_low - gap_high);
        double gap = ashi_encounter_gap(e, t) - target;
        if (fabs(gap) <= enough)
            return t;
        if (gap > 0) {
            low = t;
            gap_low = gap;
            gap_high *= side == 1 ? 0.5 : 1; /* the Illinois rule: no end stays for long */
            side = 1;
        } else {
            high = t;
            gap_high = gap;
            gap_low *= side == -1 ? 0.5 : 1;
            side = -1;
        }
    }
    return low;
}

/* The even motion over a piece. */
static ash_sweep sweep_of(const ashi_course *way, double from, double to)
{
    double length = to - from;
    ash_sweep sweep = {.geometry = way->geometry, .pose = pose_at(way, from)};
    ash_vec3 centre = centre_at(way, from),
             expected = v3_scale(v3_add_scaled(way->spin, way->twist, from + to), length);
    if (way->planar)
        centre.z = 0;
    sweep.centre = t_point_inverse(sweep.pose, centre);
    sweep.velocity = v3_add_scaled(way->velocity, way->bend, from + to);
    sweep.angular_velocity = v3_scale(turn_between(rotation_at(way, from), rotation_at(way, to), expected), 1 / length);
    if (way->planar)
        sweep.velocity.z = 0;
    return sweep;
}

/* Whether a piece is free of touches; if not, all before `time` is. What it cost is taken from `pieces`. */
static bool is_free(const ashi_encounter *e, double target, double from, double to, double bent, uint32_t *pieces,
                    double *time)
{
    ash_sweep a = sweep_of(&e->a, from, to), b = sweep_of(&e->b, from, to);
    ashi_toi found = {0};
    bool met = ashi_first_impact(&a, &b, to - from, fmax(target, 0) + bent + PRECISION * e->slop, &found);
    uint32_t cost = found.iterations / COSTLY;
    *pieces -= cost < *pieces ? cost : *pieces;
    *time = met ? from + found.time : from;
    return !met;
}

/* The first time between two at which the gap, above the target at both, falls to it. */
static bool find_dip(const ashi_encounter *e, double target, double low, double high, uint32_t depth, uint32_t *pieces,
                     double *time)
{
    double bent = deviation(&e->a, high - low) + deviation(&e->b, high - low);
    double from = low;
    if (depth == 0 || *pieces == 0 || is_free(e, target, low, high, bent, pieces, &low))
        return false;
    *pieces -= *pieces > 0 ? 1 : 0;
    if (bent < STRAIGHT * e->slop && low > from) { /* it is there */
        *time = low;
        return true;
    }
    double half = 0.5 * (low + high), gap_half = ashi_encounter_gap(e, half);
    if (gap_half < target) {
        *time = find_crossing(e, target, low, ashi_encounter_gap(e, low), half, gap_half);
        return true;
    }
    return find_dip(e, target, low, half, depth - 1, pieces, time) ||
           find_dip(e, target, half, high, depth - 1, pieces, time);
}

/* A way as that of a convex set. */
typedef struct bent_mover {
    ashi_core core;
    ash_sweep sweep;
    ashi_half_acceleration bend;
    ashi_mover mover;
} bent_mover;

static void set_mover(const ashi_course *way, bent_mover *m)
{
    ash_vec3 centre = way->start;
    bool plane = way->geometry->functions->endless;
    m->sweep = (ash_sweep){
        .geometry = way->geometry, .pose = pose_at(way, 0), .velocity = way->velocity, .angular_velocity = way->spin};
    m->bend = (ashi_half_acceleration){way->bend, way->twist};
    if (way->planar)
        centre.z = m->sweep.velocity.z = m->bend.linear.z = 0;
    m->sweep.centre = t_point_inverse(m->sweep.pose, centre);
    if (!plane)
        ashi_core_init(&m->core, way->geometry);
    m->mover = ashi_mover_of(plane ? NULL : &m->core, &m->sweep);
    m->mover.bend = &m->bend;
}

static bool has_mover(const ashi_course *way)
{
    bool turns = v3_norm2(way->spin) > 0 || v3_norm2(way->twist) > 0;
    return ashi_has_core(way->geometry) || (way->geometry->functions->endless && !turns);
}

/* The same for convex sets and planes, along the true way: nothing need be halved. */
static bool find_dip_of_cores(const ashi_encounter *e, double target, double low, double *time)
{
    bool turned = e->a.geometry->functions->endless; /* which comes second */
    bent_mover a, b;
    ashi_aim aim = {.accept = fmax(target, 0) + PRECISION * e->slop};
    ashi_toi found = {0};
    set_mover(turned ? &e->b : &e->a, &a);
    set_mover(turned ? &e->a : &e->b, &b);
    bool met = ashi_mover_impact(&a.mover, &b.mover, low, e->h, &aim, &found);
    for (int i = 0; i < PATIENCE && met && !found.converged; i++) /* up to here there is none */
        met = ashi_mover_impact(&a.mover, &b.mover, found.time, e->h, &aim, &found);
    *time = found.time;
    return met && found.converged;
}

bool ashi_encounter_time(const ashi_encounter *e, double target, double low, double first_gap, double last_gap,
                         double *time)
{
    uint32_t pieces = PIECES;
    if (last_gap < target) {
        *time = find_crossing(e, target, low, first_gap, e->h, last_gap);
        return true;
    }
    if (has_mover(&e->a) && has_mover(&e->b))
        return find_dip_of_cores(e, target, low, time);
    return find_dip(e, target, low, e->h, HALVINGS, &pieces, time);
}
