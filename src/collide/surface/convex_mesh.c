/* Convex bodies on triangle meshes, through the mesh's tree of boxes. The contacts are those of surface.h; neighbours
 * come from the mesh's twins. */
#include "shape/mesh.h"

#include "collide/surface/surface.h"
#include "math/bounds.h"

static ashi_facet facet(const ash_geometry *geometry, uint32_t number)
{
    const uint32_t *corner = geometry->def.triangles + 3 * (size_t)number;
    const ash_vec3 *points = geometry->def.points;
    return (ashi_facet){
        {points[corner[0]], points[corner[1]], points[corner[2]]}, ashi_mesh_normal(geometry, number), number};
}

static bool beyond(const ash_geometry *geometry, const ashi_facet *from, int edge, ash_vec3 *normal)
{
    *normal = ashi_mesh_normal(geometry, geometry->mesh->twins[3 * from->number + (uint32_t)edge] / 3);
    return true;
}

/* Goes once around the corner, edge by edge. */
static bool corner_keeps(const ash_geometry *geometry, const ashi_facet *from, int corner, ash_vec3 direction,
                         double tolerance)
{
    const uint32_t *triangles = geometry->def.triangles, *twins = geometry->mesh->twins;
    uint32_t first = 3 * from->number + (uint32_t)corner, spoke = first;
    ash_vec3 here = from->corners[corner];
    do {
        uint32_t next = spoke % 3 == 2 ? spoke - 2 : spoke + 1, before = spoke % 3 == 0 ? spoke + 2 : spoke - 1;
        ash_vec3 along = v3_sub(geometry->def.points[triangles[next]], here);
        if (v3_dot(direction, along) > tolerance * v3_norm(along))
            return false;
        spoke = twins[before]; /* the twin of the edge that ends here starts here */
    } while (spoke != first);
    return true;
}

static ash_vec3 corner_normal(const ash_geometry *geometry, const ashi_facet *from, int corner)
{
    return geometry->mesh->corner_normals[geometry->def.triangles[3 * from->number + (uint32_t)corner]];
}

static bool owns_corner(const ash_geometry *geometry, uint32_t triangle, int corner)
{
    uint32_t number = 3 * triangle + (uint32_t)corner;
    return geometry->mesh->spokes[geometry->def.triangles[number]] == number;
}

static bool owns_edge(const ash_geometry *geometry, uint32_t triangle, int edge)
{
    uint32_t number = 3 * triangle + (uint32_t)edge;
    return number < geometry->mesh->twins[number];
}

/* The angle-weighted normals around a point then sum to a full turn times one normal. */
static bool corner_is_flat(const ash_geometry *geometry, const ashi_facet *from, int corner)
{
    ash_vec3 off = v3_add_scaled(corner_normal(geometry, from, corner), from->normal, -2 * ASHI_PI);
    return v3_norm2(off) < 1e-12;
}

static ash_bounds triangle_bounds(const ashi_triangle_tree *tree, uint32_t number)
{
    const uint32_t *corner = tree->triangles + 3 * (size_t)number;
    ash_vec3 a = tree->points[corner[0]], b = tree->points[corner[1]], c = tree->points[corner[2]];
    return (ash_bounds){v3_min(v3_min(a, b), c), v3_max(v3_max(a, b), c)};
}

static bool gather_leaf(ashi_gathering *gathering, const ashi_triangle_tree *tree, const ashi_tree_node *leaf,
                        const ash_bounds *box)
{
    for (uint32_t n = 0; n < leaf->count; n++) {
        uint32_t triangle = tree->order[leaf->first + n];
        ash_bounds bounds = triangle_bounds(tree, triangle);
        if (bounds_overlap(&bounds, box) && !ashi_gather(gathering, triangle))
            return false;
    }
    return true;
}

static bool walk(ashi_gathering *gathering, const ash_bounds *box)
{
    const ashi_triangle_tree *tree = &gathering->surface->geometry->mesh->tree;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (bounds_overlap(&node->bounds, box)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            if (!gather_leaf(gathering, tree, node, box))
                return false;
        }
        if (depth == 0)
            return true;
        number = stack[--depth];
    }
}

const ashi_facet_source ashi_mesh_surface = {NULL,         true,          walk,        facet,     beyond,
                                             corner_keeps, corner_normal, owns_corner, owns_edge, corner_is_flat};
