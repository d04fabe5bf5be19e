/* Meshes, height fields and distance fields on planes: their corners. A plane is a half space, so that every corner
 * within the margin is a contact of the same normal, and what stands on it is the outermost of the deepest ones. Those
 * of distance fields are in field_corners.h. */
#include "collide/append.h"
#include "collide/field_corners.h"
#include "collide/pairs.h"
#include "collide/spread.h"
#include "shape/height_field.h"
#include "shape/mesh.h"

/* Depths closer than this share of the geometry's size are the same. */
#define SAME_DEPTH 1e-6

/* Corners as they gather, in the frame of the geometry that has them. */
typedef struct gathering {
    const ashi_pair *pair;
    ashi_manifold manifold;
    ash_vec3 down; /* unit, into the half space */
    double level;  /* of the plane along it */
    double slack;
} gathering;

static const uint32_t *kept_of(const ashi_pair *pair)
{
    return pair->cache != NULL ? pair->cache->kept : NULL;
}

static void gather(gathering *g, ash_vec3 corner, uint32_t number)
{
    double depth = v3_dot(g->down, corner) - g->level;
    if (!(depth >= -g->pair->margin))
        return;
    if (g->manifold.count == ASHI_MANIFOLD_MOST)
        ashi_manifold_make_room(&g->manifold, g->slack, kept_of(g->pair));
    g->manifold.points[g->manifold.count++] = (ashi_manifold_point){corner, depth, number + 1};
}

static gathering begin(const ashi_pair *pair, const ash_geometry *geometry, ash_transform plane)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    ash_vec3 down = v3_neg(q_rotate(plane.rotation, v3(0, 0, 1)));
    return (gathering){.pair = pair,
                       .manifold = {.normal = down},
                       .down = down,
                       .level = v3_dot(down, plane.position),
                       .slack = SAME_DEPTH * v3_max_component(v3_sub(box.upper, box.lower))};
}

/* Appends what was gathered, seen from the geometry with the corners. */
static bool finish(gathering *g, ashi_manifolds *manifolds)
{
    if (g->manifold.count == 0)
        return true;
    if (!g->pair->keep_all_points)
        ashi_manifold_spread(&g->manifold, g->slack, kept_of(g->pair));
    if (g->pair->cache != NULL)
        ashi_note_spread(g->pair->cache, &g->manifold, 1);
    if (!ashi_array_extend(manifolds))
        return false;
    manifolds->data[manifolds->count - 1] = g->manifold;
    return true;
}

static void gather_leaf(gathering *g, const ash_geometry *mesh, const ashi_tree_node *leaf)
{
    const uint32_t *triangles = mesh->def.triangles;
    for (uint32_t n = leaf->first; n < leaf->first + leaf->count; n++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t corner = 3 * mesh->mesh->tree.order[n] + k, point = triangles[corner];
            if (mesh->mesh->spokes[point] == corner) /* each point once */
                gather(g, mesh->def.points[point], point);
        }
}

bool ashi_collide_mesh_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    gathering g = begin(pair, pair->a, pair->b_in_a);
    const ashi_triangle_tree *tree = &pair->a->mesh->tree;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (v3_dot(g.down, ashi_bounds_corner(&node->bounds, g.down)) - g.level >= -pair->margin) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            gather_leaf(&g, pair->a, node);
        }
        if (depth == 0)
            return finish(&g, manifolds);
        number = stack[--depth];
    }
}

bool ashi_collide_plane_height_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_transform plane = t_inverse(pair->b_in_a);
    const ash_geometry_def *def = &pair->b->def;
    uint32_t first = manifolds->count;
    gathering g = begin(pair, pair->b, plane);
    for (uint32_t j = 0; j < def->cells[1]; j++)
        for (uint32_t i = 0; i < def->cells[0]; i++)
            gather(&g, ashi_height_sample(def, i, j), j * def->cells[0] + i);
    if (!finish(&g, manifolds))
        return false;
    ashi_manifolds_mirror(manifolds, first, plane);
    return true;
}

static void gather_corner(ash_vec3 corner, uint32_t number, void *user)
{
    gather(user, corner, number);
}

static bool is_low(const gathering *g, const ash_bounds *inside, ash_vec3 spacing)
{
    ash_bounds box = {v3_sub(inside->lower, spacing), v3_add(inside->upper, spacing)};
    return v3_dot(g->down, ashi_bounds_corner(&box, g->down)) - g->level >= -g->pair->margin;
}

bool ashi_collide_field_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    const ash_geometry *field = pair->b;
    ash_transform plane = t_inverse(pair->b_in_a);
    uint32_t first = manifolds->count, stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    gathering g = begin(pair, field, plane);
    for (;;) {
        const ashi_tree_node *node = &field->field->nodes[number];
        if (is_low(&g, &node->bounds, field->def.spacing)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t c = node->first; c < node->first + node->count; c++)
                if (is_low(&g, &field->field->cells[c].inside, field->def.spacing))
                    ashi_field_corners_visit(&field->def, &field->field->cells[c], gather_corner, &g);
        }
        if (depth == 0)
            break;
        number = stack[--depth];
    }
    if (!finish(&g, manifolds))
        return false;
    ashi_manifolds_mirror(manifolds, first, plane);
    return true;
}
