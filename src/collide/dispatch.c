/* The table of pair functions: each pair of kinds once, the kind with the smaller number first; for the other order the
 * result is mirrored. */
#include "collide/pairs.h"
#include "shape/mesh.h"

static const ashi_pair_function table[ASH_GEOMETRY_KINDS][ASH_GEOMETRY_KINDS] = {
    [ASH_GEOMETRY_SPHERE] =
        {
            [ASH_GEOMETRY_SPHERE] = ashi_collide_sphere_sphere,
            [ASH_GEOMETRY_CAPSULE] = ashi_collide_sphere_capsule,
            [ASH_GEOMETRY_BOX] = ashi_collide_sphere_box,
            [ASH_GEOMETRY_CYLINDER] = ashi_collide_sphere_cylinder,
            [ASH_GEOMETRY_CONE] = ashi_collide_sphere_convex,
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_sphere_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_sphere_convex,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_CAPSULE] =
        {
            [ASH_GEOMETRY_CAPSULE] = ashi_collide_capsule_capsule,
            [ASH_GEOMETRY_BOX] = ashi_collide_capsule_convex,
            [ASH_GEOMETRY_CYLINDER] = ashi_collide_capsule_convex,
            [ASH_GEOMETRY_CONE] = ashi_collide_capsule_convex,
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_capsule_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_capsule_convex,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_BOX] =
        {
            [ASH_GEOMETRY_BOX] = ashi_collide_box_box,
            [ASH_GEOMETRY_CYLINDER] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_CONE] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_box_hull,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_CYLINDER] =
        {
            [ASH_GEOMETRY_CYLINDER] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_CONE] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_CONE] =
        {
            [ASH_GEOMETRY_CONE] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_ELLIPSOID] =
        {
            [ASH_GEOMETRY_ELLIPSOID] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_HULL] = ashi_collide_curved_convex,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_HULL] =
        {
            [ASH_GEOMETRY_HULL] = ashi_collide_hull_hull,
            [ASH_GEOMETRY_PLANE] = ashi_collide_convex_plane,
        },
    [ASH_GEOMETRY_CIRCLE] = {[ASH_GEOMETRY_CIRCLE] = ashi_collide_circle_circle,
                             [ASH_GEOMETRY_POLYGON] = ashi_collide_circle_polygon,
                             [ASH_GEOMETRY_FLAT_CAPSULE] = ashi_collide_circle_flat_capsule,
                             [ASH_GEOMETRY_SEGMENT] = ashi_collide_flat_segment},
    [ASH_GEOMETRY_POLYGON] = {[ASH_GEOMETRY_POLYGON] = ashi_collide_polygon_polygon,
                              [ASH_GEOMETRY_FLAT_CAPSULE] = ashi_collide_polygon_flat_capsule,
                              [ASH_GEOMETRY_SEGMENT] = ashi_collide_flat_segment},
    [ASH_GEOMETRY_FLAT_CAPSULE] =
        {[ASH_GEOMETRY_FLAT_CAPSULE] = ashi_collide_flat_capsules, [ASH_GEOMETRY_SEGMENT] = ashi_collide_flat_segment},
    [ASH_GEOMETRY_SEGMENT] = {[ASH_GEOMETRY_SEGMENT] = ashi_collide_segments},
};

/* Functions for whole families of kinds, a before b: convex kinds and surfaces. */
static ashi_pair_function find_family(ash_geometry_kind a, ash_geometry_kind b)
{
    bool convex = a <= ASH_GEOMETRY_HULL;
    if (a == ASH_GEOMETRY_COMPOUND || b == ASH_GEOMETRY_COMPOUND)
        return ashi_collide_compound_any;
    if (b == ASH_GEOMETRY_MESH)
        return convex ? ashi_collide_convex_surface : ashi_collide_mesh_mesh;
    if (b == ASH_GEOMETRY_PLANE)
        return a == ASH_GEOMETRY_MESH ? ashi_collide_mesh_plane : NULL;
    if (b == ASH_GEOMETRY_HEIGHT_FIELD)
        return convex                    ? ashi_collide_convex_surface
               : a == ASH_GEOMETRY_MESH  ? ashi_collide_mesh_height_field
               : a == ASH_GEOMETRY_PLANE ? ashi_collide_plane_height_field
                                         : NULL;
    if (b != ASH_GEOMETRY_DISTANCE_FIELD)
        return NULL;
    switch (a) {
    case ASH_GEOMETRY_MESH:
        return ashi_collide_mesh_field;
    case ASH_GEOMETRY_PLANE:
        return ashi_collide_field_plane;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        return ashi_collide_height_field_field;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        return ashi_collide_field_field;
    default:
        return ashi_collide_convex_field;
    }
}

/* Whether a convex mesh collides with this geometry as a hull: where convex kinds have their own pair functions. */
static bool meets_as_hull(const ash_geometry *mesh, const ash_geometry *other)
{
    ash_geometry_kind kind = other->def.kind;
    return mesh->def.kind == ASH_GEOMETRY_MESH && mesh->mesh->hull != NULL &&
           (kind == ASH_GEOMETRY_MESH || kind == ASH_GEOMETRY_PLANE || kind == ASH_GEOMETRY_HEIGHT_FIELD);
}

void ashi_stand_in(const ash_geometry **a, const ash_geometry **b)
{
    bool hull_a = meets_as_hull(*a, *b), hull_b = meets_as_hull(*b, *a);
    *a = hull_a ? (*a)->mesh->hull : *a;
    *b = hull_b ? (*b)->mesh->hull : *b;
}

static ashi_pair_function find(const ash_geometry *a, const ash_geometry *b, bool *mirrored)
{
    ash_geometry_kind kind_a = ash_geometry_get_definition(a)->kind, kind_b = ash_geometry_get_definition(b)->kind;
    *mirrored = kind_a > kind_b;
    ash_geometry_kind first = *mirrored ? kind_b : kind_a, second = *mirrored ? kind_a : kind_b;
    ashi_pair_function function = table[first][second];
    return function != NULL ? function : find_family(first, second);
}

bool ashi_can_collide(const ash_geometry *a, const ash_geometry *b)
{
    bool mirrored;
    return find(a, b, &mirrored) != NULL;
}

bool ashi_has_sheet(const ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    bool found = def->kind == ASH_GEOMETRY_PLANE || def->kind == ASH_GEOMETRY_HEIGHT_FIELD;
    for (uint32_t i = 0; i < def->part_count && !found && !geometry->flat; i++)
        found = ashi_has_sheet(def->parts[i].geometry);
    return found;
}

bool ashi_find_unmet(const ash_geometry *a, const ash_geometry *b, ash_geometry_kind kinds[2])
{
    bool found = false;
    for (uint32_t i = 0; i < a->def.part_count && !found; i++)
        found = ashi_find_unmet(a->def.parts[i].geometry, b, kinds);
    for (uint32_t i = 0; i < b->def.part_count && !found && a->def.part_count == 0; i++)
        found = ashi_find_unmet(a, b->def.parts[i].geometry, kinds);
    if (a->def.part_count > 0 || b->def.part_count > 0 || ashi_can_collide(a, b))
        return found;
    kinds[0] = a->def.kind;
    kinds[1] = b->def.kind;
    return true;
}

void ashi_manifolds_mirror(ashi_manifolds *manifolds, uint32_t first, ash_transform b_in_a)
{
    ash_transform a_in_b = t_inverse(b_in_a);
    for (uint32_t i = first; i < manifolds->count; i++) {
        ashi_manifold *m = &manifolds->data[i];
        for (uint32_t k = 0; k < m->count; k++) {
            ash_vec3 on_b = v3_add_scaled(m->points[k].on_a, m->normal, -m->points[k].depth);
            m->points[k].on_a = t_point(a_in_b, on_b);
        }
        m->normal = v3_neg(q_rotate(a_in_b.rotation, m->normal));
        uint32_t part = m->part_a;
        m->part_a = m->part_b;
        m->part_b = part;
    }
}

static void turn(ashi_pair *pair)
{
    const ashi_pair old = *pair;
    pair->a = old.b;
    pair->b = old.a;
    pair->b_in_a = t_inverse(old.b_in_a);
    pair->last.mirrored = !old.last.mirrored;
    pair->last.entered_a = old.last.entered_b;
    pair->last.entered_b = old.last.entered_a;
    pair->last.part_a = old.last.part_b;
    pair->last.part_b = old.last.part_a;
}

bool ashi_collide(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    bool mirrored;
    ashi_pair stood_in;
    if (pair->a->def.kind == ASH_GEOMETRY_MESH || pair->b->def.kind == ASH_GEOMETRY_MESH) {
        stood_in = *pair;
        ashi_stand_in(&stood_in.a, &stood_in.b);
        pair = &stood_in;
    }
    ashi_pair_function function = find(pair->a, pair->b, &mirrored);
    if (function == NULL)
        return true;
    uint32_t first = manifolds->count;
    ashi_pair turned;
    if (mirrored) {
        turned = *pair;
        turn(&turned);
    }
    if (!function(mirrored ? &turned : pair, manifolds))
        return false;
    for (uint32_t i = first; i < manifolds->count && function != ashi_collide_compound_any; i++)
        manifolds->data[i].inner = manifolds->data[i].axis = 0;
    if (mirrored)
        ashi_manifolds_mirror(manifolds, first, turned.b_in_a);
    return true;
}
