/* Closest points: the choice of the algorithm for a pair of kinds. Each works for one order of kinds; for the other
 * order the result is mirrored. */
#include "collide/query/closest.h"

#include "collide/manifold.h"
#include "collide/surface/triangles.h"
#include "shape/geometry.h"

static bool is_plane(const ash_geometry *geometry)
{
    return geometry->functions->endless;
}

static bool is_field(const ash_geometry *geometry)
{
    return geometry->def.kind == ASH_GEOMETRY_DISTANCE_FIELD;
}

static void turn_around(ashi_pair_distance *c, ash_transform b_in_a)
{
    ashi_pair_distance turned = {.distance = c->distance,
                                 .normal = v3_neg(q_unrotate(b_in_a.rotation, c->normal)),
                                 .on_a = t_point_inverse(b_in_a, c->on_b),
                                 .on_b = t_point_inverse(b_in_a, c->on_a),
                                 .part_a = c->part_b,
                                 .part_b = c->part_a};
    *c = turned;
}

/* The minimum over the parts of a, which is a compound. */
static bool closest_part(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                         ashi_pair_distance *closest)
{
    closest->distance = INFINITY;
    for (uint32_t i = 0; i < a->def.part_count; i++) {
        const ash_geometry_part *part = &a->def.parts[i];
        ashi_pair_distance one;
        if (!ashi_measure_distance(part->geometry, b, t_mul(t_inverse(part->pose), b_in_a), enough, &one))
            return false;
        if (!(one.distance < closest->distance))
            continue;
        *closest = (ashi_pair_distance){.distance = one.distance,
                                        .normal = q_rotate(part->pose.rotation, one.normal),
                                        .on_a = t_point(part->pose, one.on_a),
                                        .on_b = t_point(part->pose, one.on_b),
                                        .part_a = i,
                                        .part_b = one.part_b};
        enough = fmin(enough, one.distance);
    }
    return true;
}

typedef struct farthest_search {
    ashi_above found; /* triangles that lie no farther along the direction are skipped */
    ash_vec3 point;
    uint32_t number;
} farthest_search;

static double visit_farthest(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    farthest_search *search = user;
    for (int c = 0; c < 3; c++) {
        double reach = v3_dot(search->found.normal, corners[c]);
        if (reach > search->found.height) {
            search->found.height = reach;
            search->point = corners[c];
            search->number = number;
        }
    }
    return limit;
}

/* The corner of a distance field's triangles farthest along a direction, in its frame, and its cell's number. */
static ash_vec3 field_farthest(const ash_geometry *field, ash_vec3 direction, uint32_t *cell)
{
    farthest_search search = {.found = {direction, -INFINITY}};
    ash_bounds all = {v3(-INFINITY, -INFINITY, -INFINITY), v3(INFINITY, INFINITY, INFINITY)};
    ashi_triangles_visit_above(field, all, &search.found, 0, visit_farthest, &search);
    *cell = search.number;
    return search.point;
}

/* A plane a against any geometry with a lowest point. */
static bool closest_to_plane(const ash_geometry *b, ash_transform b_in_a, ashi_pair_distance *closest)
{
    ash_vec3 down = q_unrotate(b_in_a.rotation, v3(0, 0, -1));
    ash_vec3 p;
    uint32_t number = 0;
    if (ashi_has_core(b)) {
        ashi_core core;
        ashi_core_init(&core, b);
        p = t_point(b_in_a, ashi_core_support(&core, down));
    } else if (is_field(b)) {
        p = t_point(b_in_a, field_farthest(b, down, &number));
    } else if (ashi_has_triangles(b)) {
        p = t_point(b_in_a, ash_geometry_support(b, down));
    } else {
        return false;
    }
    *closest = (ashi_pair_distance){p.z, v3(0, 0, 1), v3(p.x, p.y, 0), p, 0, number, 0};
    return true;
}

static void closest_of_cores(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                             ashi_pair_distance *closest)
{
    ashi_core core_a, core_b;
    ashi_core_init(&core_a, a);
    ashi_core_init(&core_b, b);
    ashi_separation s = ashi_core_separation(&core_a, &core_b, b_in_a, enough, NULL);
    *closest = (ashi_pair_distance){.distance = s.distance, .normal = s.normal, .on_a = s.on_a, .on_b = s.on_b};
}

static bool closest_to_surface(const ash_geometry *surface, const ash_geometry *b, ash_transform b_in_a, double enough,
                               ashi_pair_distance *closest)
{
    if (ashi_has_core(b)) {
        ashi_core core;
        ashi_core_init(&core, b);
        ashi_measure_surface(surface, &core, b_in_a, enough, closest);
        return true;
    }
    if (surface->def.kind == ASH_GEOMETRY_HEIGHT_FIELD && b->def.kind == ASH_GEOMETRY_HEIGHT_FIELD)
        return false;
    ashi_measure_surfaces(surface, b, b_in_a, enough, closest);
    return true;
}

/* Compounds first, so that no other case has to handle them; then planes; then surfaces. */
static int rank(const ash_geometry *geometry)
{
    return geometry->functions->parts ? 0 : is_plane(geometry) ? 1 : ashi_has_triangles(geometry) ? 2 : 3;
}

bool ashi_measure_distance(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                           ashi_pair_distance *closest)
{
    if (a->flat != b->flat)
        return false;
    if (rank(a) == 2 && rank(b) == 2) /* a convex mesh has a core */
        ashi_stand_in(&a, &b);
    if (rank(b) < rank(a)) {
        ash_transform a_in_b = t_inverse(b_in_a);
        bool known = ashi_measure_distance(b, a, a_in_b, enough, closest);
        if (known)
            turn_around(closest, a_in_b);
        return known;
    }
    switch (rank(a)) {
    case 0:
        return closest_part(a, b, b_in_a, enough, closest);
    case 1:
        return closest_to_plane(b, b_in_a, closest);
    case 2:
        return closest_to_surface(a, b, b_in_a, enough, closest);
    default:
        closest_of_cores(a, b, b_in_a, enough, closest);
        return true;
    }
}
