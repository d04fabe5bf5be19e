/* Time of impact of any two geometries: compounds part by part, surfaces triangle by triangle in slices of time, pairs
 * without a convex partner by their distance and the largest speed at which it can shrink. */
#include "collide/query/impact.h"

#include "collide/manifold.h"
#include "collide/query/mover.h"
#include "collide/surface/triangles.h"
#include "shape/distance_field.h"
#include "shape/mesh.h"

enum { MOST_SLICES = 4096, MOST_DISTANCES = 1000 };
/* Iterations of one search. A pair of triangles visited by a distance between surfaces counts as one, but a few
 * distances are always allowed, however large the surfaces are. */
enum { MOST_ITERATIONS = 200000, LEAST_DISTANCES = 16 };

static bool is_spent(const ashi_toi *found)
{
    return found->iterations > MOST_ITERATIONS;
}

static void count_work(ashi_toi *found, uint32_t work)
{
    uint32_t room = UINT32_MAX - found->iterations;
    found->iterations += work < room ? work : room;
}

/* Searches for an impact in [0, to]. */
static bool find(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found);

static void swap_closest(ashi_pair_distance *c)
{
    *c = (ashi_pair_distance){.distance = c->distance,
                              .normal = v3_neg(c->normal),
                              .on_a = c->on_b,
                              .on_b = c->on_a,
                              .part_a = c->part_b,
                              .part_b = c->part_a};
}

static void to_world(ashi_pair_distance *c, ash_transform pose_a)
{
    c->normal = q_rotate(pose_a.rotation, c->normal);
    c->on_a = t_point(pose_a, c->on_a);
    c->on_b = t_point(pose_a, c->on_b);
}

/* The first impact of the parts of a, which is a compound. */
static bool find_part(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    bool any = false;
    for (uint32_t i = 0; i < a->geometry->def.part_count; i++) {
        const ash_geometry_part *part = &a->geometry->def.parts[i];
        ash_sweep one = *a;
        one.geometry = part->geometry;
        one.pose = t_mul(a->pose, part->pose);
        one.centre = t_point_inverse(part->pose, a->centre);
        ashi_toi hit = {.iterations = found->iterations};
        bool met = find(&one, b, to, aim, &hit);
        found->iterations = hit.iterations;
        /* Of parts hit at the same time, the deepest. */
        if (!met || (any && (hit.time > found->time ||
                             (hit.time == found->time && hit.closest.distance >= found->closest.distance))))
            continue;
        *found = hit;
        found->closest.part_a = i;
        to = hit.time;
        any = true;
    }
    return any;
}

/* An upper bound of a geometry's extent from a point of its frame. */
static double reach_from(const ash_geometry *geometry, ash_vec3 from)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    return v3_norm(v3_max(v3_abs(v3_sub(box.lower, from)), v3_abs(v3_sub(box.upper, from))));
}

/* By the distance alone, for pairs without a convex partner and planes that turn. */
static bool find_by_distance(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    double speed = v3_distance(a->velocity, b->velocity);
    double spin_a = v3_norm(a->angular_velocity), spin_b = v3_norm(b->angular_velocity);
    double reach_b = reach_from(b->geometry, b->centre);
    double apart = v3_distance(ashi_sweep_centre(a, 0), ashi_sweep_centre(b, 0)) + speed * to;
    /* A plane (always a) is unbounded: the distance of b from the plane's centre of rotation counts. */
    double reach_a = a->geometry->functions->endless ? apart + reach_b : reach_from(a->geometry, a->centre);
    double rate = speed + (spin_a > 0 ? spin_a * reach_a : 0) + spin_b * reach_b, time = 0;
    for (int i = 0; i < MOST_DISTANCES; i++) {
        ash_transform pose_a = ashi_sweep_pose(a, time);
        ash_transform b_in_a = t_mul(t_inverse(pose_a), ashi_sweep_pose(b, time));
        ashi_pair_distance closest;
        if (!ashi_measure_distance(a->geometry, b->geometry, b_in_a, aim->accept + rate * (to - time), &closest))
            return false;
        count_work(found, 1 + closest.visits / 2);
        bool last = i + 1 == MOST_DISTANCES || (i + 1 >= LEAST_DISTANCES && is_spent(found));
        if (closest.distance <= aim->accept || last) {
            to_world(&closest, pose_a);
            found->time = time;
            found->closest = closest;
            found->converged = closest.distance <= aim->accept;
            return true;
        }
        if (time >= to || !(rate > 0))
            return false;
        time = fmin(time + (closest.distance - aim->accept / 2) / rate, to);
    }
    return false;
}

/* The search for an impact of a convex set b with the triangles of a surface a. */
typedef struct surface_search {
    const ash_sweep *a;
    const ashi_mover *b;
    ash_vec3 velocity; /* of b in the frame of a, at the start */
    double from, to;
    const ashi_aim *aim;
    ashi_toi *found;
    bool any;
} surface_search;

static double visit_triangle(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    surface_search *s = user;
    if (is_spent(s->found))
        return limit;
    ashi_core core;
    ashi_core_init_triangle(&core, corners);
    ashi_mover triangle = ashi_mover_of(&core, s->a);
    ashi_toi hit = {.iterations = s->found->iterations};
    bool met = ashi_mover_impact(&triangle, s->b, s->from, s->to, s->aim, &hit);
    s->found->iterations = hit.iterations;
    /* Of triangles hit at the same time the lowest number counts, whatever the order of visits. */
    if (met &&
        (!s->any || hit.time < s->found->time || (hit.time == s->found->time && number < s->found->closest.part_a))) {
        *s->found = hit;
        s->found->closest.part_a = number;
        s->to = hit.time;
        s->any = true;
    }
    return limit;
}

/* A box that encloses the surface, in its frame; unbounded along z for height fields. */
static ash_bounds outline(const ash_geometry *surface)
{
    const ash_geometry_def *def = &surface->def;
    if (def->kind == ASH_GEOMETRY_MESH)
        return surface->mesh->bounds;
    bool heights = def->kind == ASH_GEOMETRY_HEIGHT_FIELD;
    ash_vec3 cells = v3(def->cells[0] - 1.0, def->cells[1] - 1.0, heights ? 0 : def->cells[2] - 1.0);
    ash_bounds box = {def->origin, v3_add(def->origin, v3_mul(cells, def->spacing))};
    if (heights) {
        box.lower.z = -INFINITY;
        box.upper.z = INFINITY;
    }
    return box;
}

static ash_bounds box_at(const surface_search *s, double time)
{
    ash_transform pose = ashi_sweep_pose(s->a, time);
    return ashi_core_bounds(s->b->core, t_mul(t_inverse(pose), ashi_sweep_pose(s->b->sweep, time)));
}

static ash_bounds padded(const ash_bounds *one, const ash_bounds *other, double pad)
{
    ash_vec3 by = v3(pad, pad, pad);
    return (ash_bounds){v3_sub(v3_min(one->lower, other->lower), by), v3_add(v3_max(one->upper, other->upper), by)};
}

/* The motion of the convex set relative to the surface. */
typedef struct relative_motion {
    double speed, acceleration; /* of any of its points, at most */
    double size;
} relative_motion;

static relative_motion motion_of(const surface_search *s, double to)
{
    const ash_sweep *a = s->a, *b = s->b->sweep;
    double spin_a = v3_norm(a->angular_velocity), spin_b = v3_norm(b->angular_velocity);
    double centres = v3_distance(a->velocity, b->velocity), points = centres + spin_b * s->b->reach;
    double apart = v3_distance(ashi_sweep_centre(a, 0), ashi_sweep_centre(b, 0)) + centres * to + s->b->reach;
    ash_bounds box = box_at(s, 0);
    return (relative_motion){.speed = points + spin_a * apart,
                             .acceleration =
                                 spin_b * spin_b * s->b->reach + 2 * spin_a * points + spin_a * spin_a * apart,
                             .size = v3_distance(box.lower, box.upper)};
}

/* Slices so short that the set's path in each is nearly straight and shorter than the set. */
static double slice_length(const relative_motion *m, double to)
{
    double length = to;
    if (m->speed * length > m->size / 2)
        length = m->size / 2 / m->speed;
    if (m->acceleration * length * length > m->size)
        length = sqrt(m->size / m->acceleration);
    return fmax(length, to / MOST_SLICES);
}

static void clip_axis(double lower, double upper, double speed, double *begin, double *end)
{
    if (speed == 0)
        return;
    double one = lower / speed, other = upper / speed;
    *begin = fmax(*begin, fmin(one, other) * (1 - 1e-12));
    *end = fmin(*end, fmax(one, other) * (1 + 1e-12));
}

/* The part of a cast, along which nothing turns, that passes the surface's outline. */
static void clip_cast(const surface_search *s, double *begin, double *end)
{
    ash_bounds all = outline(s->a->geometry), box = box_at(s, 0);
    ash_vec3 v = s->velocity;
    ash_vec3 lower = v3_sub(all.lower, box.upper), upper = v3_sub(all.upper, box.lower);
    clip_axis(lower.x, upper.x, v.x, begin, end);
    clip_axis(lower.y, upper.y, v.y, begin, end);
    clip_axis(lower.z, upper.z, v.z, begin, end);
}

/* Tests the triangles that the set may meet within a slice. */
static void search_slice(surface_search *s, const relative_motion *motion, double from, double until)
{
    double length = until - from, pad = motion->acceleration * length * length / 8 + 2 * s->aim->accept;
    ash_bounds before = box_at(s, from), after = box_at(s, until), box = padded(&before, &after, pad);
    s->from = from;
    s->to = until;
    ashi_triangles_visit(s->a->geometry, box, 0, visit_triangle, s);
}

static ashi_pair_distance closest_at(const surface_search *s, double time, double enough)
{
    ash_transform pose = t_mul(t_inverse(ashi_sweep_pose(s->a, time)), ashi_sweep_pose(s->b->sweep, time));
    ashi_pair_distance closest;
    ashi_measure_surface(s->a->geometry, s->b->core, pose, enough, &closest);
    s->found->iterations++;
    return closest;
}

/* The search has reached its work limit: there is no impact before `time`. */
static bool end_early(const surface_search *s, double time)
{
    ashi_pair_distance closest = closest_at(s, time, s->aim->accept);
    to_world(&closest, ashi_sweep_pose(s->a, time));
    *s->found = (ashi_toi){time, closest, s->found->iterations, false};
    return true;
}

/* Far from the surface the search advances by the distance, near it in slices. */
static bool find_on_surface(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    ashi_core core;
    ashi_core_init(&core, b->geometry);
    ashi_mover mover = ashi_mover_of(&core, b);
    surface_search s = {.a = a, .b = &mover, .to = to, .aim = aim, .found = found};
    s.velocity = q_unrotate(a->pose.rotation, v3_sub(b->velocity, a->velocity));
    ashi_pair_distance start = closest_at(&s, 0, aim->accept);
    if (start.distance <= (aim->cast ? 0 : aim->accept)) {
        to_world(&start, a->pose);
        *found = (ashi_toi){0, start, found->iterations, true};
        return true;
    }
    double begin = 0, end = to;
    if (aim->cast)
        clip_cast(&s, &begin, &end);
    relative_motion motion = motion_of(&s, to);
    double length = slice_length(&motion, end - begin);
    for (double from = begin; !s.any && from < end;) {
        double reach = motion.speed * (end - from), gap = closest_at(&s, from, aim->accept + reach).distance;
        if (gap > aim->accept + reach) /* too far away to be reached */
            return false;
        double safe = (gap - 2 * aim->accept) / motion.speed, until = fmin(from + length, end);
        if (safe < length)
            search_slice(&s, &motion, from, until);
        if (is_spent(found))
            return end_early(&s, from);
        from = fmax(until, from + safe);
    }
    return s.any;
}

static bool find_on_plane(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    if (!ashi_has_core(b->geometry) || v3_norm2(a->angular_velocity) > 0)
        return find_by_distance(a, b, to, aim, found);
    ashi_core core;
    ashi_core_init(&core, b->geometry);
    ashi_mover mover = ashi_mover_of(&core, b), plane = ashi_mover_of(NULL, a);
    if (!ashi_mover_impact(&mover, &plane, 0, to, aim, found))
        return false;
    swap_closest(&found->closest);
    return true;
}

static bool find_of_cores(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    ashi_core core_a, core_b;
    ashi_core_init(&core_a, a->geometry);
    ashi_core_init(&core_b, b->geometry);
    ashi_mover mover_a = ashi_mover_of(&core_a, a), mover_b = ashi_mover_of(&core_b, b);
    return ashi_mover_impact(&mover_a, &mover_b, 0, to, aim, found);
}

/* As for closest points: compounds, planes, surfaces, convex sets. */
static int rank(const ash_geometry *geometry)
{
    const ashi_geometry_functions *kind = geometry->functions;
    return kind->parts ? 0 : kind->endless ? 1 : kind->triangles ? 2 : 3;
}

static bool find(const ash_sweep *a, const ash_sweep *b, double to, const ashi_aim *aim, ashi_toi *found)
{
    ash_sweep one = *a, other = *b;
    ashi_stand_in(&one.geometry, &other.geometry); /* convex meshes have cores */
    a = &one;
    b = &other;
    if (rank(b->geometry) < rank(a->geometry)) {
        bool met = find(b, a, to, aim, found);
        if (met)
            swap_closest(&found->closest);
        return met;
    }
    switch (rank(a->geometry)) {
    case 0:
        return find_part(a, b, to, aim, found);
    case 1:
        return find_on_plane(a, b, to, aim, found);
    case 2:
        return ashi_has_core(b->geometry) ? find_on_surface(a, b, to, aim, found)
                                          : find_by_distance(a, b, to, aim, found);
    default:
        return find_of_cores(a, b, to, aim, found);
    }
}

bool ashi_first_impact(const ash_sweep *a, const ash_sweep *b, double time, double tolerance, ashi_toi *result)
{
    *result = (ashi_toi){0};
    if (a->geometry->flat != b->geometry->flat)
        return false;
    ashi_aim aim = {.accept = tolerance};
    return find(a, b, time, &aim, result);
}

bool ashi_cast(const ash_geometry *moving, ash_quat rotation, ash_ray ray, const ash_geometry *target,
               ash_transform pose, ashi_toi *result)
{
    *result = (ashi_toi){0};
    if (moving->flat != target->flat)
        return false;
    double size = reach_from(moving, v3(0, 0, 0));
    /* A finite path, but so long that rounding hides the moving geometry's size. */
    double way = 1e15 * (size + v3_distance(ray.origin, pose.position));
    ash_sweep a = {.geometry = moving, .pose = {ray.origin, rotation}, .velocity = ray.direction};
    ash_sweep b = {.geometry = target, .pose = pose};
    ashi_aim aim = {.accept = 1e-7 * size, .cast = true};
    return find(&a, &b, fmin(ray.reach, way / v3_norm(ray.direction)), &aim, result);
}
