/* Cores of flat geometries, and which normals a piece of a chain allows. */
#include "collide/flat/flat.h"

#include "shape/geometry.h"

/* The front normal of a chain between two points is to the left of its direction. */
static ashi_vec2 front(ash_vec3 from, ash_vec3 to)
{
    return v2_neg(v2_right(v2_unit(v2_sub(v2_of(to), v2_of(from)))));
}

/* Points are previous, start, end, next. A neighbour that coincides with its end does not exist: normals at the chain's
 * first or last corner cover a quarter turn, away from the chain. */
static void set_chain(ashi_flat_core *core, const ash_vec3 *p)
{
    core->chain = true;
    core->faces = 1;
    core->ends[0] = p[2];
    core->ends[1] = p[1];
    core->next = p[3].x != p[2].x || p[3].y != p[2].y;
    ashi_vec2 normal = front(p[1], p[2]);
    for (int end = 0; end < 2; end++) {
        ash_vec3 from = end == 0 ? p[2] : p[0], to = end == 0 ? p[3] : p[1];
        bool goes_on = from.x != to.x || from.y != to.y;
        ashi_vec2 quarter = end == 0 ? v2_right(normal) : v2_neg(v2_right(normal));
        ashi_vec2 other = goes_on ? front(from, to) : quarter;
        double bend = end == 0 ? v2_cross(other, normal) : v2_cross(normal, other);
        if (fabs(bend) < 1e-12 && v2_dot(normal, other) < 0) { /* the chain turns straight back: treated like its end */
            other = quarter;
            bend = 1;
            goes_on = false;
        }
        core->bent[end] = goes_on && bend > 1e-9;
        /* A straight corner keeps its limit, so that no contact is lost between two normals that differ by rounding. */
        core->limit[end] = bend > -1e-12 ? other : v2(0, 0);
    }
}

ashi_flat_core ashi_flat_core_of(const ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    ashi_flat_core core = {.radius = def->radius};
    switch (def->kind) {
    case ASH_GEOMETRY_POLYGON:
        core.points = def->points;
        core.count = core.faces = def->point_count;
        core.centre = v2_of(geometry->unit_mass.centre);
        break;
    case ASH_GEOMETRY_FLAT_CAPSULE:
        core.ends[0] = v3(-def->height / 2, 0, 0);
        core.ends[1] = v3(def->height / 2, 0, 0);
        core.count = core.faces = 2;
        break;
    case ASH_GEOMETRY_SEGMENT:
        core.count = core.faces = 2;
        core.ends[0] = def->points[0];
        core.ends[1] = def->points[1];
        if (def->point_count == 4)
            set_chain(&core, def->points);
        break;
    default: /* a circle */
        core.count = 1;
        break;
    }
    return core;
}

bool ashi_flat_chain_allows(const ashi_flat_core *core, ashi_vec2 normal, ashi_vec2 other_centre)
{
    ashi_vec2 face = ashi_flat_face_of(core, 0).normal;
    double side = v2_cross(face, normal); /* positive towards the start */
    if (v2_dot(normal, v2_sub(other_centre, ashi_flat_corner(core, side > 0))) < 0)
        return false; /* it comes from behind */
    if (side == 0)
        return v2_dot(face, normal) > 0;
    ashi_vec2 limit = core->limit[side > 0];
    double within = side > 0 ? v2_cross(normal, limit) : v2_cross(limit, normal);
    return within >= 0 && v2_dot(limit, limit) > 0;
}

bool ashi_flat_append(const ashi_manifold *manifold, ashi_manifolds *manifolds)
{
    bool finite = v3_is_finite(manifold->normal);
    for (uint32_t i = 0; i < manifold->count; i++)
        finite = finite && v3_is_finite(manifold->points[i].on_a) && isfinite(manifold->points[i].depth);
    if (manifold->count == 0 || !finite)
        return true;
    if (!ashi_array_extend(manifolds))
        return false;
    /* Copies only the points that are set. */
    ashi_manifold *kept = &manifolds->data[manifolds->count - 1];
    kept->normal = manifold->normal;
    kept->part_a = kept->part_b = 0;
    kept->count = manifold->count;
    for (uint32_t i = 0; i < manifold->count; i++)
        kept->points[i] = manifold->points[i];
    return true;
}
