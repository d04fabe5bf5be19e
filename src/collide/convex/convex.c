/* Convex geometries as cores: a point for the sphere, a segment for the capsule, itself for every other kind. A mesh
 * represents its convex hull.
 *
 * Support points depend only on the direction, not on its length, and ties go to the positive side, so that equal
 * directions give equal bits. */
#include "collide/convex/convex.h"

#include "math/elementary.h"
#include "shape/geometry.h"

bool ashi_is_convex(const ash_geometry *geometry)
{
    return geometry->functions->convex;
}

ashi_convex ashi_convex_of(const ash_geometry *geometry)
{
    return (ashi_convex){.geometry = geometry, .radius = geometry->functions->round ? geometry->def.radius : 0};
}

ashi_convex ashi_convex_of_points(const ash_vec3 *points, uint32_t count, double radius)
{
    return (ashi_convex){.points = points, .point_count = count, .radius = radius};
}

static ash_vec3 farthest_point(const ash_vec3 *points, uint32_t count, ash_vec3 d, uint32_t *feature)
{
    uint32_t best = 0;
    double most = v3_dot(points[0], d);
    for (uint32_t i = 1; i < count; i++) {
        double along = v3_dot(points[i], d);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    if (feature != NULL)
        *feature = best;
    return points[best];
}

/* One of 32 sectors around the z axis. */
static uint32_t sector(ash_vec3 d)
{
    double turn = (ashi_atan2(d.y, d.x) + ASHI_PI) * (16 / ASHI_PI);
    return (uint32_t)turn & 31;
}

static ash_vec3 rim_point(double radius, double z, ash_vec3 d)
{
    double square = d.x * d.x + d.y * d.y;
    if (square < 1e-290 || square > 1e290) {
        ash_vec3 u = v3_unit(v3(d.x, d.y, 0));
        return v3(radius * u.x, radius * u.y, z);
    }
    double s = radius / sqrt(square);
    return v3(d.x * s, d.y * s, z);
}

static ash_vec3 cylinder_support(const ash_geometry_def *def, ash_vec3 d, uint32_t *feature)
{
    double z = d.z < 0 ? -def->height / 2 : def->height / 2;
    if (feature != NULL)
        *feature = sector(d) | (d.z < 0 ? 0 : 32);
    return rim_point(def->radius, z, d);
}

static bool is_apex(const ash_geometry_def *def, ash_vec3 d)
{
    return d.z > 0 && d.z * def->height > def->radius * sqrt(d.x * d.x + d.y * d.y);
}

static ash_vec3 cone_support(const ash_geometry_def *def, ash_vec3 d, uint32_t *feature)
{
    bool apex = is_apex(def, d);
    if (feature != NULL)
        *feature = apex ? 32 : sector(d);
    return apex ? v3(0, 0, def->height / 2) : rim_point(def->radius, -def->height / 2, d);
}

/* M d / sqrt(d . M d) with M the squares of the semi-axes. */
static ash_vec3 ellipsoid_support(const ash_geometry_def *def, ash_vec3 d, uint32_t *feature)
{
    if (feature != NULL)
        *feature = sector(d) | (d.z < 0 ? 0 : 32);
    ash_vec3 u = v3_unit(v3_mul(def->half_extents, v3_unit(d)));
    return v3_mul(def->half_extents, u);
}

static ash_vec3 box_support(const ash_geometry_def *def, ash_vec3 d, uint32_t *feature)
{
    ash_vec3 h = def->half_extents;
    if (feature != NULL)
        *feature = (d.x < 0 ? 0u : 1u) | (d.y < 0 ? 0u : 2u) | (d.z < 0 ? 0u : 4u);
    return v3(d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z);
}

ash_vec3 ashi_convex_support(const ashi_convex *convex, ash_vec3 direction, uint32_t *feature)
{
    if (convex->geometry == NULL)
        return farthest_point(convex->points, convex->point_count, direction, feature);
    const ash_geometry_def *def = &convex->geometry->def;
    switch (def->kind) {
    case ASH_GEOMETRY_CAPSULE:
        if (feature != NULL)
            *feature = direction.z < 0 ? 0 : 1;
        return v3(0, 0, direction.z < 0 ? -def->height / 2 : def->height / 2);
    case ASH_GEOMETRY_BOX:
        return box_support(def, direction, feature);
    case ASH_GEOMETRY_CYLINDER:
        return cylinder_support(def, direction, feature);
    case ASH_GEOMETRY_CONE:
        return cone_support(def, direction, feature);
    case ASH_GEOMETRY_ELLIPSOID:
        return ellipsoid_support(def, direction, feature);
    case ASH_GEOMETRY_HULL:
        return farthest_point(def->points, def->point_count, direction, feature);
    case ASH_GEOMETRY_MESH:
        if (feature != NULL)
            *feature = 0;
        return convex->geometry->functions->support(convex->geometry, direction);
    default: /* a sphere's core is its centre */
        if (feature != NULL)
            *feature = 0;
        return v3(0, 0, 0);
    }
}

/* radius / rho (1 - u u^T) perpendicular to the axis, where rho u is the direction's part perpendicular to it. */
static ash_sym3 rim_curvature(double radius, ash_vec3 d)
{
    double rho2 = d.x * d.x + d.y * d.y;
    if (!(rho2 > 1e-24))
        return (ash_sym3){0};
    double s = radius / (rho2 * sqrt(rho2));
    return (ash_sym3){.xx = s * d.y * d.y, .yy = s * d.x * d.x, .xy = -s * d.x * d.y};
}

/* M / q - M d (M d)^T / q^3 with M the squares of the semi-axes and q = sqrt(d . M d). */
static ash_sym3 ellipsoid_curvature(const ash_geometry_def *def, ash_vec3 d)
{
    ash_vec3 squares = v3_mul(def->half_extents, def->half_extents), md = v3_mul(squares, d);
    double q = sqrt(v3_dot(d, md));
    return s3_add(s3_diagonal(squares.x / q, squares.y / q, squares.z / q), s3_outer(md, -1 / (q * q * q)));
}

bool ashi_convex_is_curved(const ashi_convex *convex)
{
    return convex->geometry != NULL && convex->geometry->functions->curved;
}

bool ashi_convex_same_piece(const ashi_convex *convex, ash_vec3 p, ash_vec3 q)
{
    if (!ashi_convex_is_curved(convex))
        return p.x == q.x && p.y == q.y && p.z == q.z;
    return convex->geometry->def.kind == ASH_GEOMETRY_ELLIPSOID || (p.z < 0) == (q.z < 0);
}

ash_vec3 ashi_convex_piece(const ashi_convex *convex, ash_vec3 point, ash_vec3 d, ash_sym3 *curvature)
{
    *curvature = (ash_sym3){0};
    if (!ashi_convex_is_curved(convex))
        return point;
    const ash_geometry_def *def = &convex->geometry->def;
    if (def->kind == ASH_GEOMETRY_ELLIPSOID) {
        *curvature = ellipsoid_curvature(def, d);
        return ellipsoid_support(def, d, NULL);
    }
    if (def->kind == ASH_GEOMETRY_CONE && point.z > 0)
        return point; /* the apex */
    *curvature = rim_curvature(def->radius, d);
    return rim_point(def->radius, point.z, d);
}

bool ashi_convex_flat_end(const ashi_convex *convex, ash_vec3 direction, ash_vec3 *normal)
{
    if (!ashi_convex_is_curved(convex) || convex->geometry->def.kind == ASH_GEOMETRY_ELLIPSOID)
        return false;
    *normal = v3(0, 0, direction.z < 0 ? -1 : 1);
    bool has_end = convex->geometry->def.kind == ASH_GEOMETRY_CYLINDER || direction.z < 0;
    return has_end && direction.x * direction.x + direction.y * direction.y < 1e-8;
}
