/* A convex set against a surface of triangles.
 *
 * If they are apart, the distance is that to the nearest triangle. If the set passes through triangles, each gives two
 * candidates for the way out: along the least depth of the set in the triangle, which is right if only an edge or a
 * corner of the surface penetrates it, and along the triangle's normal until the set lies above its plane. The shortest
 * candidate that frees the set from all triangles gives the depth; if none of the shortest few does, the deepest
 * triangle does. A core completely inside leaves towards its nearest triangle. */
#include "collide/query/closest.h"

#include "collide/surface/triangles.h"
#include "shape/geometry.h"

enum { WAYS = 8 };

/* A way out: along the normal by the depth. */
typedef struct way {
    ash_vec3 normal;
    double depth;
    uint32_t number;
} way;

/* The shortest few with different normals, shortest first. */
typedef struct way_list {
    way ways[WAYS];
    uint32_t count;
} way_list;

typedef struct search {
    const ashi_core *core;
    ash_transform pose;
    ash_vec3 direction; /* last direction of GJK: neighbouring triangles need similar ones */
    double nearest;
    ashi_separation separation; /* of the nearest triangle */
    ashi_above above;           /* the set lies beyond the plane of that separation */
    uint32_t number;
    bool passes;
    way_list along_faces, along_depths; /* of triangles: their normals, and the least depths of the set in each */
    way deepest;                        /* along a face */
} search;

bool ashi_surface_contains(const ash_geometry *surface, ash_vec3 point)
{
    /* A ray without length hits only geometries in which it starts; pointing up, it enters no height field. */
    ash_ray_hit hit;
    return ash_geometry_ray(surface, (ash_ray){point, v3(0, 0, 1), 0}, &hit) && hit.normal.z == -1;
}

ash_bounds ashi_core_bounds(const ashi_core *core, ash_transform pose)
{
    ash_mat3 axes = m3_transposed(m3_from_quat(pose.rotation));
    ash_vec3 side[3] = {axes.x, axes.y, axes.z};
    double upper[3], lower[3];
    for (int i = 0; i < 3; i++) {
        upper[i] = v3_dot(side[i], ashi_core_support(core, side[i]));
        lower[i] = v3_dot(side[i], ashi_core_support(core, v3_neg(side[i])));
    }
    return (ash_bounds){v3_add(pose.position, v3(lower[0], lower[1], lower[2])),
                        v3_add(pose.position, v3(upper[0], upper[1], upper[2]))};
}

static ash_vec3 lowest_point(const search *s, ash_vec3 normal)
{
    return t_point(s->pose, ashi_core_support(s->core, q_unrotate(s->pose.rotation, v3_neg(normal))));
}

/* The way along a normal until the set lies above the plane through a point. */
static way way_along(const search *s, ash_vec3 normal, ash_vec3 through, uint32_t number)
{
    return (way){normal, v3_dot(normal, v3_sub(through, lowest_point(s, normal))), number};
}

/* The core's point farthest along a direction, in the frame of the surface. */
static ash_vec3 core_point(const ashi_core *core, ash_transform pose, ash_vec3 direction)
{
    return t_point(pose, ashi_convex_support(&core->convex, q_unrotate(pose.rotation, direction), NULL));
}

static void keep_way(way_list *list, way found)
{
    uint32_t at = list->count;
    for (uint32_t i = 0; i < list->count; i++)
        if (v3_dot(list->ways[i].normal, found.normal) > 1 - 1e-12) {
            /* Of parallel triangles the deeper one requires the longer way. */
            if (found.depth <= list->ways[i].depth)
                return;
            list->count--;
            for (uint32_t k = i; k < list->count; k++)
                list->ways[k] = list->ways[k + 1];
            at = list->count;
            break;
        }
    while (at > 0 && list->ways[at - 1].depth > found.depth)
        at--;
    if (at >= WAYS)
        return;
    list->count = list->count < WAYS ? list->count + 1 : WAYS;
    for (uint32_t k = list->count - 1; k > at; k--)
        list->ways[k] = list->ways[k - 1];
    list->ways[at] = found;
}

static double visit_nearest(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    search *s = user;
    ashi_core triangle;
    ashi_core_init_triangle(&triangle, corners);
    ashi_separation found = ashi_core_separation(&triangle, s->core, s->pose, limit, &s->direction);
    double radius = s->core->convex.radius;
    if (found.distance + radius <= 1e-15 * radius) { /* even the cores touch */
        ash_vec3 normal = v3_unit(v3_cross(v3_sub(corners[1], corners[0]), v3_sub(corners[2], corners[0])));
        s->passes = true;
        way face = way_along(s, normal, corners[0], number);
        keep_way(&s->along_faces, face);
        keep_way(&s->along_depths, (way){found.normal, fmax(-found.distance, 0), number});
        if (face.depth > s->deepest.depth)
            s->deepest = face;
        return 0;
    }
    if (found.distance < s->nearest) {
        s->nearest = found.distance;
        s->separation = found;
        s->number = number;
        s->above = (ashi_above){found.normal, v3_dot(found.normal, lowest_point(s, found.normal))};
    }
    return fmin(limit, fmax(s->nearest, 0));
}

typedef struct trial {
    const ashi_core *core;
    ash_transform pose;
    double slack;
    bool free;
} trial;

static double visit_trial(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    trial *t = user;
    (void)number;
    ashi_core triangle;
    ashi_core_init_triangle(&triangle, corners);
    t->free = t->free && ashi_core_separation(&triangle, t->core, t->pose, 0, NULL).distance >= -t->slack;
    return limit;
}

/* The direction of the core point that decides on which side of the surface the core lies: the point farthest from the
 * surface, where rounding cannot matter. A height field has no walls: there it is the point nearest to the field's
 * middle. */
static ash_vec3 telling_direction(const ash_geometry *surface, ash_vec3 position, ash_vec3 away)
{
    const ash_geometry_def *def = &surface->def;
    if (def->kind != ASH_GEOMETRY_HEIGHT_FIELD)
        return away;
    ash_vec3 middle = v3_add_scaled(
        def->origin, v3((def->cells[0] - 1) * def->spacing.x, (def->cells[1] - 1) * def->spacing.y, 0), 0.5);
    ash_vec3 inward = v3_sub(middle, position);
    return v3(inward.x, inward.y, 0);
}

bool ashi_surface_frees(const ash_geometry *surface, const ashi_core *core, ash_transform pose, ash_vec3 normal,
                        double depth)
{
    pose.position = v3_add_scaled(pose.position, normal, depth);
    ash_bounds box = ashi_core_bounds(core, pose);
    trial t = {core, pose, 1e-7 * v3_distance(box.lower, box.upper), true};
    ashi_triangles_visit(surface, box, 0, visit_trial, &t);
    ash_vec3 telling = telling_direction(surface, pose.position, normal);
    return t.free && !ashi_surface_contains(surface, core_point(core, pose, telling));
}

/* The shortest way that frees the set from the whole surface. */
static way way_out(const ash_geometry *surface, const search *s)
{
    const way_list *one = &s->along_depths, *other = &s->along_faces;
    for (uint32_t i = 0, k = 0; i < one->count || k < other->count;) {
        bool first = k == other->count || (i < one->count && one->ways[i].depth <= other->ways[k].depth);
        const way *out = first ? &one->ways[i++] : &other->ways[k++];
        if (ashi_surface_frees(surface, s->core, s->pose, out->normal, out->depth))
            return *out;
    }
    return s->deepest;
}

static void leave_along(const search *s, way out, ashi_pair_distance *closest)
{
    ash_vec3 low = lowest_point(s, out.normal);
    *closest = (ashi_pair_distance){.distance = -out.depth,
                                    .normal = out.normal,
                                    .on_a = v3_add_scaled(low, out.normal, out.depth),
                                    .on_b = low,
                                    .part_a = out.number};
}

void ashi_measure_surface(const ash_geometry *surface, const ashi_core *core, ash_transform pose, double enough,
                          ashi_pair_distance *closest)
{
    search s = {.core = core, .pose = pose, .nearest = INFINITY, .deepest = {.depth = -INFINITY}};
    ash_bounds box = ashi_core_bounds(core, pose);
    ashi_triangles_visit_above(surface, box, &s.above, fmax(enough, 0), visit_nearest, &s);
    if (s.passes) {
        leave_along(&s, way_out(surface, &s), closest);
        return;
    }
    ash_vec3 away = isfinite(s.nearest) ? s.separation.normal : v3(0, 0, 1);
    if (!ashi_surface_contains(surface, core_point(core, pose, telling_direction(surface, pose.position, away)))) {
        ashi_separation n = s.separation;
        *closest = (ashi_pair_distance){
            .distance = s.nearest, .normal = n.normal, .on_a = n.on_a, .on_b = n.on_b, .part_a = s.number};
        return;
    }
    if (!(s.nearest <= enough)) { /* completely inside, deeper than requested: the result is only a bound */
        s.nearest = INFINITY;
        ashi_triangles_visit_above(surface, box, &s.above, INFINITY, visit_nearest, &s);
    }
    leave_along(&s, way_along(&s, v3_neg(s.separation.normal), s.separation.on_a, s.number), closest);
}
