/* Triangle mesh. An open one is only drawn: it has a tree for rays and nothing else. For closed meshes, rays, distances
 * and support points go through a tree of boxes; the sign of the distance comes from the pseudo-normal of the nearest
 * face, edge or corner (Baerentzen & Aanaes 2005), which is right for every closed surface whose corners each have one
 * fan of triangles. Points that no triangle uses are dropped. */
#include "shape/mesh.h"

#include "base/alloc.h"
#include "shape/interval.h"
#include "shape/polyhedron.h"

#include <string.h>

/* Copies the triangles, and the points they use in their old order. */
static ash_status copy_arrays(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    uint32_t *triangles;
    ash_status status = ashi_copy_elements(def->triangles, 3 * (size_t)def->triangle_count, sizeof *triangles,
                                           (void **)&triangles, diagnostic);
    if (status != ASH_OK)
        return status;
    geometry->def.triangles = triangles;
    geometry->def.triangle_count = def->triangle_count;
    ash_vec3 *points = ashi_alloc_array(def->point_count, sizeof *points);
    geometry->def.points = points;
    uint32_t *renumbered = ashi_alloc_zeroed(def->point_count * sizeof *renumbered);
    if (points == NULL || renumbered == NULL) {
        ashi_dealloc(renumbered);
        return ashi_out_of_memory(diagnostic);
    }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++)
        renumbered[triangles[i]] = 1;
    uint32_t used = 0;
    for (uint32_t i = 0; i < def->point_count; i++)
        if (renumbered[i] != 0) {
            points[used] = def->points[i];
            renumbered[i] = used++;
        }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++)
        triangles[i] = renumbered[triangles[i]];
    geometry->def.point_count = used;
    ashi_dealloc(renumbered);
    return ASH_OK;
}

static ash_status check_counts(const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (def->triangle_count < 4 || def->triangle_count > UINT32_MAX / 3 || def->triangles == NULL) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.triangles", "the mesh has %u triangles%s", def->triangle_count,
                  def->triangles == NULL ? " but no array of them" : "");
        ashi_expect(diagnostic, "4 to %u triangles", UINT32_MAX / 3);
        return ASH_BAD_DATA;
    }
    if (def->point_count < 4 || def->points == NULL) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the mesh has %u points%s", def->point_count,
                  def->points == NULL ? " but no array of them" : "");
        ashi_expect(diagnostic, "at least 4 points");
        return ASH_BAD_DATA;
    }
    return ashi_check_points(def->points, def->point_count, &ashi_triangle_mesh, diagnostic);
}

/* Sets the mass properties and checks what they reveal about the surface as a whole. */
static ash_status set_mass(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ash_geometry_def *def = &geometry->def;
    double volume;
    ash_vec3 centre;
    ash_sym3 inertia;
    ashi_polyhedron_mass(def->points, def->point_count, def->triangles, def->triangle_count, &volume, &centre,
                         &inertia);
    if (volume < 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.inverted", "the mesh is inside out: its volume is %g m3", volume);
        ashi_expect(diagnostic, "triangles counter-clockwise seen from outside");
        return ASH_BAD_DATA;
    }
    if (volume == 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.no-volume", "the mesh encloses no volume");
    ash_status status = ashi_set_unit_mass(geometry, volume, centre, inertia, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_vec3 p = geometry->unit_mass.principal;
    if (!ashi_principal_is_possible(p)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.inertia",
                  "the mesh gives principal moments %g, %g and %g, which no body has: parts of it are inside out or "
                  "intersect",
                  p.x, p.y, p.z);
        ashi_expect(diagnostic, "the sum of the two smaller moments to be at least the largest");
        return ASH_BAD_DATA;
    }
    return ASH_OK;
}

ash_vec3 ashi_mesh_normal(const ash_geometry *geometry, uint32_t triangle)
{
    const uint32_t *corner = geometry->def.triangles + 3 * (size_t)triangle;
    const ash_vec3 *points = geometry->def.points;
    ash_vec3 a = points[corner[0]];
    return v3_unit(v3_cross(v3_sub(points[corner[1]], a), v3_sub(points[corner[2]], a)));
}

static void sum_corner_normals(ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 *normals = geometry->mesh->corner_normals;
    memset(normals, 0, def->point_count * sizeof *normals);
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        const uint32_t *corner = def->triangles + 3 * (size_t)t;
        ash_vec3 normal = ashi_mesh_normal(geometry, t);
        for (int k = 0; k < 3; k++) {
            ash_vec3 here = def->points[corner[k]];
            ash_vec3 u = v3_sub(def->points[corner[(k + 1) % 3]], here);
            ash_vec3 v = v3_sub(def->points[corner[(k + 2) % 3]], here);
            double angle = ashi_atan2(v3_norm(v3_cross(u, v)), v3_dot(u, v));
            normals[corner[k]] = v3_add_scaled(normals[corner[k]], normal, angle);
        }
    }
}

/* Share of the mesh's size up to which a height above a plane is rounding. */
#define FLAT 1e-9

static bool is_convex(const ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    double slack = FLAT * v3_distance(geometry->mesh->bounds.lower, geometry->mesh->bounds.upper);
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        ash_vec3 normal = ashi_mesh_normal(geometry, t), corner = def->points[def->triangles[3 * (size_t)t]];
        ash_vec3 top = ashi_triangle_tree_support(&geometry->mesh->tree, normal);
        if (v3_dot(normal, v3_sub(top, corner)) > slack)
            return false;
    }
    return true;
}

/* Hulls keep the normals of whole faces and collide by separating axes. If no hull can be made from the points, the
 * mesh keeps to its triangles. */
static ash_status set_hull(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    ashi_mesh *mesh = geometry->mesh;
    if (!mesh->convex || geometry->def.point_count > ASHI_MESH_HULL)
        return ASH_OK;
    ash_diagnostic refused = {0};
    ash_geometry_def def = {
        .kind = ASH_GEOMETRY_HULL, .points = geometry->def.points, .point_count = geometry->def.point_count};
    ash_status status = ash_geometry_create(&def, &mesh->hull, &refused);
    return status == ASH_OUT_OF_MEMORY ? ashi_out_of_memory(diagnostic) : ASH_OK;
}

static ash_status set_spokes(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ash_geometry_def *def = &geometry->def;
    uint32_t *spokes = geometry->mesh->spokes = ashi_alloc_array(def->point_count, sizeof *spokes);
    if (spokes == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t corner = 3 * def->triangle_count; corner-- > 0;)
        spokes[def->triangles[corner]] = corner;
    return ASH_OK;
}

static ash_status build_tree(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ash_geometry_def *kept = &geometry->def;
    ashi_mesh *mesh = geometry->mesh;
    if (!ashi_triangle_tree_build(&mesh->tree, kept->points, kept->triangles, kept->triangle_count))
        return ashi_out_of_memory(diagnostic);
    mesh->bounds = mesh->tree.nodes[0].bounds;
    return ASH_OK;
}

/* Accepts any triangles whose points exist. */
static ash_status create_open(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (def->triangle_count == 0 || def->triangle_count > UINT32_MAX / 3 || def->triangles == NULL ||
        def->points == NULL)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.triangles", "the mesh has no triangles, or too many");
    ash_status status = ashi_check_points(def->points, def->point_count, &ashi_triangle_mesh, diagnostic);
    for (size_t i = 0; status == ASH_OK && i < 3 * (size_t)def->triangle_count; i++)
        if (def->triangles[i] >= def->point_count)
            status = ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.index",
                               "triangle %zu has a corner %u, but there are %u points", i / 3, def->triangles[i],
                               def->point_count);
    if (status != ASH_OK)
        return status;
    geometry->mesh = ashi_alloc_zeroed(sizeof *geometry->mesh);
    if (geometry->mesh == NULL)
        return ashi_out_of_memory(diagnostic);
    geometry->def.open = true;
    status = copy_arrays(geometry, def, diagnostic);
    return status == ASH_OK ? build_tree(geometry, diagnostic) : status;
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (def->open)
        return create_open(geometry, def, diagnostic);
    ash_status status = check_counts(def, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_mesh *mesh = geometry->mesh = ashi_alloc_zeroed(sizeof *mesh);
    if (mesh == NULL)
        return ashi_out_of_memory(diagnostic);
    mesh->twins = ashi_alloc_array(3 * (size_t)def->triangle_count, sizeof *mesh->twins);
    if (mesh->twins == NULL)
        return ashi_out_of_memory(diagnostic);
    status =
        ashi_mesh_check(def->points, def->point_count, def->triangles, def->triangle_count, mesh->twins, diagnostic);
    if (status == ASH_OK)
        status = copy_arrays(geometry, def, diagnostic);
    if (status == ASH_OK)
        status = set_mass(geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    const ash_geometry_def *kept = &geometry->def;
    mesh->corner_normals = ashi_alloc_array(kept->point_count, sizeof *mesh->corner_normals);
    if (mesh->corner_normals == NULL)
        return ashi_out_of_memory(diagnostic);
    sum_corner_normals(geometry);
    status = build_tree(geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    mesh->convex = is_convex(geometry);
    status = set_spokes(geometry, diagnostic);
    return status == ASH_OK ? set_hull(geometry, diagnostic) : status;
}

static void dispose(ash_geometry *geometry)
{
    ashi_mesh *mesh = geometry->mesh;
    if (mesh == NULL)
        return;
    ashi_triangle_tree_release(&mesh->tree);
    ash_geometry_release(mesh->hull);
    ashi_dealloc(mesh->spokes);
    ashi_dealloc(mesh->twins);
    ashi_dealloc(mesh->corner_normals);
    ashi_dealloc(mesh);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    return ashi_triangle_tree_support(&geometry->mesh->tree, direction);
}

static ash_vec3 pseudo_normal(const ash_geometry *geometry, uint32_t triangle, ashi_feature feature)
{
    uint32_t corner = 3 * triangle;
    if (feature == ASHI_FACE)
        return ashi_mesh_normal(geometry, triangle);
    if (feature < ASHI_EDGE_0)
        return geometry->mesh->corner_normals[geometry->def.triangles[corner + feature]];
    uint32_t beyond = geometry->mesh->twins[corner + (feature - ASHI_EDGE_0)] / 3;
    return v3_add(ashi_mesh_normal(geometry, triangle), ashi_mesh_normal(geometry, beyond));
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    ashi_tree_nearest near = ashi_triangle_tree_nearest(&geometry->mesh->tree, point);
    if (geometry->def.open)
        return near.distance;
    ash_vec3 normal = pseudo_normal(geometry, near.triangle, near.feature);
    return v3_dot(v3_sub(point, near.point), normal) < 0 ? -near.distance : near.distance;
}

static bool within(const ash_bounds *box, ash_vec3 p)
{
    return p.x > box->lower.x && p.y > box->lower.y && p.z > box->lower.z && p.x < box->upper.x && p.y < box->upper.y &&
           p.z < box->upper.z;
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    bool open = geometry->def.open;
    if (!open && within(&geometry->mesh->bounds, line->origin) && distance(geometry, line->origin) < 0)
        return ashi_ray_inside(line, hit);
    double t;
    uint32_t triangle;
    if (!ashi_triangle_tree_ray(&geometry->mesh->tree, line, open, &t, &triangle))
        return false;
    ash_vec3 normal = ashi_mesh_normal(geometry, triangle);
    if (open && v3_dot(normal, line->direction) > 0)
        normal = v3_neg(normal);
    *hit = (ash_ray_hit){t, v3_add_scaled(line->origin, line->direction, t), normal, triangle};
    return true;
}

const ashi_geometry_functions ashi_triangle_mesh = {
    .name = "mesh",
    .triangles = true,
    .face = true,
    .create = create,
    .dispose = dispose,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_polyhedron_shadow,
};
