/* Meshes, height fields and distance fields on planes: contacts of their corners. A plane is a half space, so every
 * corner within the margin is a contact with the same normal, and the outermost of the deepest ones support the body.
 * For corners of distance fields see field_corners.h. */
#include "collide/append.h"
#include "collide/field/field_corners.h"
#include "collide/pairs.h"
#include "collide/spread.h"
#include "shape/height_field.h"
#include "shape/mesh.h"

/* Depths closer than this share of the geometry's size are the same. */
#define SAME_DEPTH 1e-6

/* Gathering of corners, in the frame of their geometry. */
typedef struct gathering {
    const ashi_pair *pair;
    ashi_manifold manifold;
    ash_vec3 down; /* unit, into the half space */
    double level;  /* of the plane along it */
    double slack;
    bool overflows; /* there are more than a manifold holds */
    ashi_manifold_point deepest;
} gathering;

/* Calls `gather` for all corners within the margin. */
typedef void (*walk_function)(gathering *g, const ash_geometry *geometry);

static const uint32_t *kept_of(const ashi_pair *pair)
{
    return pair->cache != NULL ? pair->cache->kept : NULL;
}

static void gather(gathering *g, ash_vec3 corner, uint32_t number)
{
    double depth = v3_dot(g->down, corner) - g->level;
    ashi_manifold_point point = {corner, depth, number + 1};
    if (!(depth >= -g->pair->margin) || (g->overflows && point.feature == g->manifold.points[0].feature))
        return;
    if (depth > g->deepest.depth)
        g->deepest = point;
    if (g->manifold.count == ASHI_MANIFOLD_MOST) {
        ashi_manifold_make_room(&g->manifold, g->slack, kept_of(g->pair));
        g->overflows = true;
    }
    g->manifold.points[g->manifold.count++] = point;
}

/* Whether a point of a box may be within the margin. */
static bool is_low(const gathering *g, const ash_bounds *box)
{
    return v3_dot(g->down, ashi_bounds_corner(box, g->down)) - g->level >= -g->pair->margin;
}

/* The manifold in the frame of the geometry with the corners. If these are many, they are visited a second time, with
 * the deepest one added first, so that reductions take it into account. */
static bool collide(const ashi_pair *pair, const ash_geometry *geometry, ash_transform plane, walk_function walk,
                    ashi_manifolds *manifolds)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    ash_vec3 down = v3_neg(q_rotate(plane.rotation, v3(0, 0, 1)));
    gathering g = {.pair = pair,
                   .manifold = {.normal = down},
                   .down = down,
                   .level = v3_dot(down, plane.position),
                   .slack = SAME_DEPTH * v3_max_component(v3_sub(box.upper, box.lower)),
                   .deepest = {.depth = -INFINITY}};
    walk(&g, geometry);
    if (g.overflows) {
        g.manifold.points[0] = g.deepest;
        g.manifold.count = 1;
        walk(&g, geometry);
    }
    if (g.manifold.count == 0)
        return true;
    if (!pair->keep_all_points)
        ashi_manifold_spread(&g.manifold, g.slack, kept_of(pair));
    if (pair->cache != NULL)
        ashi_note_spread(pair->cache, &g.manifold, 1);
    if (!ashi_array_extend(manifolds))
        return false;
    manifolds->data[manifolds->count - 1] = g.manifold;
    return true;
}

/* The same for a pair whose plane comes first. */
static bool collide_turned(const ashi_pair *pair, walk_function walk, ashi_manifolds *manifolds)
{
    uint32_t first = manifolds->count;
    ash_transform plane = t_inverse(pair->b_in_a);
    if (!collide(pair, pair->b, plane, walk, manifolds))
        return false;
    ashi_manifolds_mirror(manifolds, first, plane);
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

static void walk_mesh(gathering *g, const ash_geometry *mesh)
{
    const ashi_triangle_tree *tree = &mesh->mesh->tree;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (is_low(g, &node->bounds)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            gather_leaf(g, mesh, node);
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

static void walk_height_field(gathering *g, const ash_geometry *heights)
{
    const ash_geometry_def *def = &heights->def;
    for (uint32_t j = 0; j < def->cells[1]; j++)
        for (uint32_t i = 0; i < def->cells[0]; i++)
            gather(g, ashi_height_sample(def, i, j), j * def->cells[0] + i);
}

static void gather_corner(ash_vec3 corner, uint32_t number, void *user)
{
    gather(user, corner, number);
}

/* The corners of cells lie within a cell of their inside. */
static bool is_cell_low(const gathering *g, const ash_bounds *inside, ash_vec3 spacing)
{
    ash_bounds box = {v3_sub(inside->lower, spacing), v3_add(inside->upper, spacing)};
    return is_low(g, &box);
}

static void walk_field(gathering *g, const ash_geometry *geometry)
{
    const ashi_field_surface *field = geometry->field;
    ash_vec3 spacing = geometry->def.spacing;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &field->nodes[number];
        if (is_cell_low(g, &node->bounds, spacing)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t c = node->first; c < node->first + node->count; c++)
                if (is_cell_low(g, &field->cells[c].inside, spacing))
                    ashi_field_corners_visit(&geometry->def, &field->cells[c], gather_corner, g);
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

bool ashi_collide_mesh_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, pair->a, pair->b_in_a, walk_mesh, manifolds);
}

bool ashi_collide_plane_height_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide_turned(pair, walk_height_field, manifolds);
}

bool ashi_collide_field_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide_turned(pair, walk_field, manifolds);
}
