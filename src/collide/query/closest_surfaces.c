/* Two surfaces of triangles. Apart: the nearest pair of triangles. If they penetrate or one contains the other: the
 * deepest feature contact of meshes and height fields; with a distance field the deepest corner of either inside the
 * other, or 0 when only edges cross. */
#include "collide/query/closest.h"

#include "collide/surface/skins.h"
#include "collide/surface/triangles.h"
#include "shape/distance_field.h"

typedef struct search {
    const ash_geometry *b;
    ash_transform b_in_a;
    ash_vec3 corners[3]; /* of a's triangle, in the frame of b */
    uint32_t number;
    double nearest;
    ashi_separation separation; /* in the frame of b, from a's triangle to b's */
    uint32_t part_a, part_b;
    bool passes;
    uint32_t visits;
} search;

static double visit_inner(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    search *s = user;
    s->visits += s->visits < UINT32_MAX;
    ashi_core one, other;
    ashi_core_init_triangle(&one, s->corners);
    ashi_core_init_triangle(&other, corners);
    ashi_separation found = ashi_core_separation(&one, &other, ash_identity(), limit, NULL);
    if (found.distance < s->nearest) {
        s->nearest = found.distance;
        s->separation = found;
        s->part_a = s->number;
        s->part_b = number;
        s->passes = s->passes || found.distance <= 0;
    }
    return fmin(limit, fmax(s->nearest, 0));
}

static double visit_outer(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    search *s = user;
    s->visits += s->visits < UINT32_MAX;
    for (int c = 0; c < 3; c++)
        s->corners[c] = t_point_inverse(s->b_in_a, corners[c]);
    s->number = number;
    ash_bounds box = {v3_min(v3_min(s->corners[0], s->corners[1]), s->corners[2]),
                      v3_max(v3_max(s->corners[0], s->corners[1]), s->corners[2])};
    ashi_triangles_visit(s->b, box, limit, visit_inner, s);
    return fmin(limit, fmax(s->nearest, 0));
}

/* The deepest corner of one surface inside the other. */
typedef struct corner_search {
    const ash_geometry *other;
    ash_transform other_in_one;
    double depth;
    ash_vec3 corner; /* in the frame of the other */
    uint32_t number;
} corner_search;

static double visit_corners(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    corner_search *s = user;
    for (int c = 0; c < 3; c++) {
        ash_vec3 p = t_point_inverse(s->other_in_one, corners[c]);
        if (!ashi_surface_contains(s->other, p))
            continue;
        double depth = -ash_geometry_distance(s->other, p);
        if (depth > s->depth) {
            s->depth = depth;
            s->corner = p;
            s->number = number;
        }
    }
    return limit;
}

static corner_search deepest_corner(const ash_geometry *one, const ash_geometry *other, ash_transform other_in_one)
{
    corner_search s = {.other = other, .other_in_one = other_in_one};
    ashi_triangles_visit(one, ash_geometry_bounds(other, other_in_one), 0, visit_corners, &s);
    return s;
}

/* The corner as a convex set against the surface that contains it, in the frame of that surface. */
static ashi_pair_distance corner_way(const corner_search *s)
{
    ashi_core point = {.convex = ashi_convex_of_points(&s->corner, 1, 0)};
    ashi_pair_distance closest;
    ashi_measure_surface(s->other, &point, ash_identity(), INFINITY, &closest);
    closest.part_b = s->number;
    return closest;
}

/* Any point on the surface or inside. */
static ash_vec3 some_point(const ash_geometry *surface)
{
    const ash_geometry_def *def = &surface->def;
    if (def->kind == ASH_GEOMETRY_MESH)
        return def->points[0];
    if (def->kind == ASH_GEOMETRY_HEIGHT_FIELD)
        return v3_add(def->origin, v3(0, 0, def->values[0]));
    const ashi_field_cell *cell = &surface->field->cells[0];
    double value[8];
    int least = 0;
    ashi_field_corners(def, cell->i, cell->j, cell->k, value);
    for (int c = 1; c < 8; c++)
        least = value[c] < value[least] ? c : least;
    ash_vec3 place =
        v3(cell->i + (double)(least & 1), cell->j + (double)(least >> 1 & 1), cell->k + (double)(least >> 2));
    return v3_add(def->origin, v3_mul(place, def->spacing));
}

static bool is_field(const ash_geometry *surface)
{
    return surface->def.kind == ASH_GEOMETRY_DISTANCE_FIELD;
}

static void set_overlap(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ashi_pair_distance *closest)
{
    ashi_skin_touch touch;
    if (!is_field(a) && !is_field(b) && ashi_skins_deepest(a, b, b_in_a, &touch)) {
        closest->distance = -touch.depth;
        closest->normal = touch.normal;
        closest->on_a = touch.on_a;
        closest->on_b = v3_add_scaled(touch.on_a, touch.normal, -touch.depth);
        return;
    }
    corner_search of_a = deepest_corner(a, b, b_in_a), of_b = deepest_corner(b, a, t_inverse(b_in_a));
    if (of_b.depth > of_a.depth) { /* a corner of b in a */
        *closest = corner_way(&of_b);
    } else if (of_a.depth > 0) {
        ashi_pair_distance c = corner_way(&of_a);
        *closest = (ashi_pair_distance){.distance = c.distance,
                                        .normal = v3_neg(q_rotate(b_in_a.rotation, c.normal)),
                                        .on_a = t_point(b_in_a, c.on_b),
                                        .on_b = t_point(b_in_a, c.on_a),
                                        .part_a = c.part_b,
                                        .part_b = c.part_a};
    } else {
        closest->distance = 0;
    }
}

void ashi_measure_surfaces(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                           ashi_pair_distance *closest)
{
    search s = {.b = b, .b_in_a = b_in_a, .nearest = INFINITY};
    ashi_triangles_visit(a, ash_geometry_bounds(b, b_in_a), fmax(enough, 0), visit_outer, &s);
    *closest = (ashi_pair_distance){.distance = s.nearest,
                                    .normal = q_rotate(b_in_a.rotation, s.separation.normal),
                                    .on_a = t_point(b_in_a, s.separation.on_a),
                                    .on_b = t_point(b_in_a, s.separation.on_b),
                                    .part_a = s.part_a,
                                    .part_b = s.part_b};
    bool holds = s.passes || ashi_surface_contains(b, t_point_inverse(b_in_a, some_point(a))) ||
                 ashi_surface_contains(a, t_point(b_in_a, some_point(b)));
    if (holds)
        set_overlap(a, b, b_in_a, closest);
    closest->visits = s.visits;
}
