/* Ways out of meshes. The triangles near a deeply overlapping body are independent: each would free it by its own
 * shortest way, sideways or backwards. Here the mesh is one solid, so there is a single way, which leads outward
 * everywhere. */
#include "collide/surface/escape.h"

#include "collide/query/closest.h"
#include "collide/surface/triangles.h"
#include "shape/mesh.h"

/* The most ways along normals of nearby triangles that are tried, and the factor by which they must be shorter. */
#define MOST_TRIES 32
#define SHORTER    1e-9

static ash_vec3 lowest(const ashi_visitor *visitor, ash_vec3 normal)
{
    ash_vec3 down = v3_neg(q_unrotate(visitor->pose.rotation, normal));
    ash_vec3 low = t_point(visitor->pose, ashi_convex_support(&visitor->core, down, NULL));
    return v3_add_scaled(low, normal, -visitor->core.radius);
}

/* The way along a normal until the body lies above the plane through a point of the mesh. */
static ashi_escape way_along(const ashi_visitor *visitor, ash_vec3 normal, ash_vec3 through)
{
    ashi_escape way = {.normal = normal, .on_body = lowest(visitor, normal), .pose = visitor->pose};
    way.depth = v3_dot(normal, v3_sub(through, way.on_body));
    way.pose.position = v3_add_scaled(way.pose.position, normal, way.depth);
    return way;
}

/* The way between two points that meet at its end; a normal that equals that of the face there up to rounding is set to
 * it. */
static ashi_escape way_between(const ashi_facet_source *surface, const ashi_visitor *visitor, ash_vec3 normal,
                               ash_vec3 on_surface, ash_vec3 on_body)
{
    ashi_tree_nearest near = ashi_triangle_tree_nearest(&surface->geometry->mesh->tree, on_surface);
    ashi_facet facet = surface->facet(surface->geometry, near.triangle);
    ashi_feature feature = near.feature == ASHI_FACE ? ASHI_CORNER_0 : near.feature; /* it may lie beside an edge */
    ashi_escape way = way_along(visitor, ashi_facet_clean_normal(surface, &facet, feature, normal), on_surface);
    way.on_body = on_body;
    return way;
}

/* The way from the centre to the nearest point of the surface, and on. */
static ashi_escape way_of_centre(const ashi_facet_source *surface, const ashi_visitor *visitor, ash_vec3 centre)
{
    ashi_tree_nearest near = ashi_triangle_tree_nearest(&surface->geometry->mesh->tree, centre);
    ashi_facet facet = surface->facet(surface->geometry, near.triangle);
    bool on_surface = near.distance <= 1e-13 * visitor->size; /* rounding leaves no direction */
    ash_vec3 normal = on_surface || near.feature == ASHI_FACE ? facet.normal : v3_unit(v3_sub(near.point, centre));
    return way_along(visitor, normal, near.point);
}

static bool way_out_of_convex(const ashi_facet_source *surface, const ashi_visitor *visitor, ashi_escape *way)
{
    ashi_convex mesh = ashi_convex_of(surface->geometry);
    ashi_separation s = ashi_convex_separation_within(&mesh, &visitor->core, visitor->pose, 0, NULL);
    if (!(s.distance < 0))
        return false;
    *way = way_between(surface, visitor, s.normal, s.on_a, s.on_b);
    return way->depth > 0;
}

/* A search for shorter ways along the normals of triangles. */
typedef struct search {
    const ashi_facet_source *surface;
    const ashi_visitor *visitor;
    const ashi_core *core;
    ashi_escape *best;
    uint32_t tries;
} search;

static double visit(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    search *s = user;
    (void)number;
    if (s->tries == MOST_TRIES)
        return limit;
    ash_vec3 normal = v3_unit(v3_cross(v3_sub(corners[1], corners[0]), v3_sub(corners[2], corners[0])));
    ashi_escape way = way_along(s->visitor, normal, corners[0]);
    if (!(way.depth > 0 && way.depth < s->best->depth * (1 - SHORTER)))
        return limit;
    s->tries++;
    if (ashi_surface_frees(s->surface->geometry, s->core, s->visitor->pose, normal, way.depth))
        *s->best = way;
    return fmin(limit, s->best->depth);
}

/* Searches for shorter ways that free the body completely. */
static void look_around(const ashi_facet_source *surface, const ashi_visitor *visitor, ashi_escape *way)
{
    ashi_core core;
    ashi_core_init(&core, visitor->geometry);
    ashi_pair_distance c;
    ashi_measure_surface(surface->geometry, &core, visitor->pose, 0, &c);
    if (!(c.distance < 0)) /* they do not overlap */
        return;
    if (-c.distance < way->depth && ashi_surface_frees(surface->geometry, &core, visitor->pose, c.normal, -c.distance))
        *way = way_between(surface, visitor, c.normal, c.on_a, c.on_b);
    search s = {surface, visitor, &core, way, 0};
    ashi_triangles_visit(surface->geometry, ashi_core_bounds(&core, visitor->pose), way->depth, visit, &s);
}

static bool within(const ash_bounds *box, ash_vec3 p)
{
    return p.x > box->lower.x && p.y > box->lower.y && p.z > box->lower.z && p.x < box->upper.x && p.y < box->upper.y &&
           p.z < box->upper.z;
}

bool ashi_escape_find(const ashi_facet_source *surface, const ashi_visitor *visitor, ashi_escape *way)
{
    const ash_geometry *mesh = surface->geometry;
    bool round = visitor->geometry->functions->ball;
    if (mesh->mesh->convex && !round)
        return way_out_of_convex(surface, visitor, way);
    ash_vec3 centre = t_point(visitor->pose, visitor->geometry->unit_mass.centre);
    if (!within(&mesh->mesh->bounds, centre) || mesh->functions->distance(mesh, centre) >= 0)
        return false;
    *way = way_of_centre(surface, visitor, centre);
    if (round)
        return way->depth > 0;
    look_around(surface, visitor, way);
    return way->depth > 0;
}

bool ashi_escape_shorten(const ashi_facet_source *surface, const ashi_visitor *visitor, double depth, ashi_escape *way)
{
    *way = (ashi_escape){.depth = depth};
    look_around(surface, visitor, way);
    return way->depth < depth;
}
