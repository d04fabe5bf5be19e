/* Cores of all convex kinds. Spheres and circles have closed forms, other flat kinds their sides and corners, the rest
 * goes to GJK and, when cores overlap, to the penetration depth. */
#include "collide/convex/core.h"

#include "shape/geometry.h"

bool ashi_has_core(const ash_geometry *geometry)
{
    switch (geometry->def.kind) {
    case ASH_GEOMETRY_CIRCLE:
    case ASH_GEOMETRY_POLYGON:
    case ASH_GEOMETRY_FLAT_CAPSULE:
    case ASH_GEOMETRY_SEGMENT:
        return true;
    default:
        return ashi_is_convex(geometry);
    }
}

void ashi_core_init(ashi_core *core, const ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    double half = def->height / 2;
    *core = (ashi_core){.flat = geometry->flat};
    switch (def->kind) {
    case ASH_GEOMETRY_CIRCLE:
        core->convex = ashi_convex_of_points(core->ends, 1, def->radius);
        break;
    case ASH_GEOMETRY_FLAT_CAPSULE:
        core->ends[0] = v3(-half, 0, 0);
        core->ends[1] = v3(half, 0, 0);
        core->convex = ashi_convex_of_points(core->ends, 2, def->radius);
        break;
    case ASH_GEOMETRY_POLYGON:
        core->convex = ashi_convex_of_points(def->points, def->point_count, 0);
        break;
    case ASH_GEOMETRY_SEGMENT:
        core->convex = ashi_convex_of_points(ashi_segment_ends(def), 2, def->radius);
        break;
    default:
        core->convex = ashi_convex_of(geometry);
    }
}

void ashi_core_init_triangle(ashi_core *core, const ash_vec3 corners[3])
{
    *core = (ashi_core){.convex = ashi_convex_of_points(corners, 3, 0)};
}

ash_vec3 ashi_core_support(const ashi_core *core, ash_vec3 direction)
{
    return v3_add_scaled(ashi_convex_support(&core->convex, direction, NULL), direction, core->convex.radius);
}

double ashi_core_reach(const ashi_core *core, ash_vec3 from)
{
    const ashi_convex *convex = &core->convex;
    if (convex->geometry == NULL) {
        double farthest = 0;
        for (uint32_t i = 0; i < convex->point_count; i++)
            farthest = fmax(farthest, v3_norm2(v3_sub(convex->points[i], from)));
        return sqrt(farthest) + convex->radius;
    }
    const ash_geometry_def *def = &convex->geometry->def;
    double half = def->height / 2, side = def->radius + sqrt(from.x * from.x + from.y * from.y);
    switch (def->kind) {
    case ASH_GEOMETRY_SPHERE:
        return def->radius + v3_norm(from);
    case ASH_GEOMETRY_CAPSULE:
        return def->radius + sqrt(from.x * from.x + from.y * from.y + (fabs(from.z) + half) * (fabs(from.z) + half));
    case ASH_GEOMETRY_CYLINDER:
    case ASH_GEOMETRY_CONE:
        return sqrt(side * side + (fabs(from.z) + half) * (fabs(from.z) + half));
    case ASH_GEOMETRY_HULL: {
        double farthest = 0;
        for (uint32_t i = 0; i < def->point_count; i++)
            farthest = fmax(farthest, v3_norm2(v3_sub(def->points[i], from)));
        return sqrt(farthest);
    }
    default: /* box, ellipsoid: within their half sizes */
        return v3_norm(v3_add(v3_abs(from), def->half_extents));
    }
}

static bool is_point(const ashi_convex *convex)
{
    return convex->geometry != NULL ? convex->geometry->functions->ball : convex->point_count == 1;
}

/* Concentric balls are separated along an axis in the plane of flat kinds. */
static ashi_separation ball_separation(const ashi_convex *a, const ashi_convex *b, ash_vec3 centre)
{
    double distance = v3_norm(centre);
    ashi_separation s = {.distance = distance - a->radius - b->radius, .converged = true};
    s.normal = distance > 0 ? v3_unit(centre) : v3(1, 0, 0);
    s.on_a = v3_scale(s.normal, a->radius);
    s.on_b = v3_add_scaled(centre, s.normal, -b->radius);
    return s;
}

ashi_separation ashi_core_separation(const ashi_core *a, const ashi_core *b, ash_transform b_in_a, double enough,
                                     ash_vec3 *direction)
{
    if (a->flat)
        b_in_a.position.z = 0;
    if (is_point(&a->convex) && is_point(&b->convex))
        return ball_separation(&a->convex, &b->convex, b_in_a.position);
    if (a->flat)
        return ashi_flat_separation(&a->convex, &b->convex, b_in_a);
    ashi_separation s = ashi_convex_distance(&a->convex, &b->convex, b_in_a, enough, direction);
    double radii = a->convex.radius + b->convex.radius;
    bool meet = s.distance + radii <= 1e-15 * radii, unsure = !s.converged && s.distance <= enough;
    return meet || unsure ? ashi_convex_separation(&a->convex, &b->convex, b_in_a, direction) : s;
}
