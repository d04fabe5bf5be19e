/* Probes the corners and edges of meshes and height fields in a distance field: these may pass between the field's own
 * surface points, which also do not give the depth at an edge. Edges are probed at points at most a cell apart, and
 * once more where the field along them is least; only convex edges are probed, since the surface points suffice for the
 * others. */
#include "collide/field/probe.h"
#include "math/bounds.h"
#include "shape/height_field.h"
#include "shape/mesh.h"

#define EDGE_MOST 64 /* points on one edge */

/* The part of a segment within a box; false when none. */
static bool clip_to_box(const ash_bounds *box, ash_vec3 from, ash_vec3 along, double *begin, double *end)
{
    const double start[3] = {from.x, from.y, from.z}, speed[3] = {along.x, along.y, along.z};
    const double lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const double upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    *begin = 0;
    *end = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (speed[axis] == 0) {
            if (start[axis] < lower[axis] || start[axis] > upper[axis])
                return false;
            continue;
        }
        double one = (lower[axis] - start[axis]) / speed[axis], other = (upper[axis] - start[axis]) / speed[axis];
        *begin = fmax(*begin, fmin(one, other));
        *end = fmin(*end, fmax(one, other));
    }
    return *begin <= *end;
}

static double field_at(const ashi_hunt *hunt, ash_vec3 point)
{
    const ash_geometry *field = hunt->pair->b;
    return field->functions->distance(field, t_point_inverse(hunt->pair->b_in_a, point));
}

/* Both ends and points between. */
static void probe_edge(ashi_hunt *hunt, const ash_bounds *box, ash_vec3 from, ash_vec3 to, uint32_t feature)
{
    ash_vec3 along = v3_sub(to, from), spacing = hunt->pair->b->def.spacing;
    double begin, end, pitch = fmin(spacing.x, fmin(spacing.y, spacing.z));
    if (!clip_to_box(box, from, along, &begin, &end))
        return;
    double pieces = ceil((end - begin) * v3_norm(along) / pitch);
    uint32_t count = !(pieces > 1) ? 1 : pieces >= EDGE_MOST ? EDGE_MOST : (uint32_t)pieces;
    double step = (end - begin) / count, value[EDGE_MOST + 1];
    uint32_t least = 0;
    for (uint32_t n = 0; n <= count; n++) {
        ash_vec3 point = v3_add_scaled(from, along, begin + n * step);
        value[n] = field_at(hunt, point);
        least = value[n] < value[least] ? n : least;
        if (value[n] <= hunt->pair->margin)
            ashi_probe_point(hunt, ASHI_SIDE_A, point, feature + n);
    }
    if (least == 0 || least == count)
        return;
    /* The parabola through the least value and its neighbours has its minimum within half a step. */
    double before = value[least - 1] - value[least], after = value[least + 1] - value[least];
    if (before + after > 0) {
        double place = begin + (least + (before - after) / (2 * (before + after))) * step;
        ashi_probe_point(hunt, ASHI_SIDE_A, v3_add_scaled(from, along, place), feature + EDGE_MOST + 1);
    }
}

/* Probes the convex edges of the mesh, each once. */
static void probe_triangle(ashi_hunt *hunt, const ash_bounds *box, uint32_t triangle)
{
    const ash_geometry *mesh = hunt->pair->a;
    const ash_vec3 *points = mesh->def.points;
    const uint32_t *corner = mesh->def.triangles + 3 * (size_t)triangle;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t twin = mesh->mesh->twins[3 * triangle + k];
        if (twin < 3 * triangle + k)
            continue;
        ash_vec3 from = points[corner[k]], to = points[corner[(k + 1) % 3]];
        uint32_t opposite = twin % 3 == 0 ? twin + 2 : twin - 1; /* the corner that the two do not share */
        ash_vec3 beyond = points[mesh->def.triangles[opposite]];
        if (v3_dot(ashi_mesh_normal(mesh, triangle), v3_sub(beyond, from)) < -1e-6 * v3_distance(beyond, from))
            probe_edge(hunt, box, from, to, (3 * triangle + k) * (EDGE_MOST + 2));
    }
}

static void probe_mesh(ashi_hunt *hunt, const ash_bounds *box)
{
    const ashi_triangle_tree *tree = &hunt->pair->a->mesh->tree;
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (bounds_overlap(&node->bounds, box)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t n = 0; n < node->count; n++)
                probe_triangle(hunt, box, tree->order[node->first + n]);
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

/* The range of samples along one axis that a box touches, with their neighbours. */
static void samples_near(double lower, double upper, double origin, double spacing, uint32_t samples, uint32_t *first,
                         uint32_t *end)
{
    double from = floor((lower - origin) / spacing), to = ceil((upper - origin) / spacing) + 1;
    *first = !(from > 0) ? 0 : from >= samples ? samples : (uint32_t)from;
    *end = !(to > 0) ? 0 : to >= samples ? samples : (uint32_t)to;
}

static void probe_height_field(ashi_hunt *hunt, const ash_bounds *box)
{
    static const uint32_t ways[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    const ash_geometry_def *def = &hunt->pair->a->def;
    uint32_t left, right, near, far;
    samples_near(box->lower.x, box->upper.x, def->origin.x, def->spacing.x, def->cells[0], &left, &right);
    samples_near(box->lower.y, box->upper.y, def->origin.y, def->spacing.y, def->cells[1], &near, &far);
    for (uint32_t j = near; j < far; j++)
        for (uint32_t i = left; i < right; i++)
            for (uint32_t w = 0; w < 3; w++) {
                uint32_t u = i + ways[w][0], v = j + ways[w][1];
                if (u < def->cells[0] && v < def->cells[1])
                    probe_edge(hunt, box, ashi_height_sample(def, i, j), ashi_height_sample(def, u, v),
                               (3 * (j * def->cells[0] + i) + w) * (EDGE_MOST + 2));
            }
}

void ashi_probe_surface(ashi_hunt *hunt)
{
    const ashi_pair *pair = hunt->pair;
    ash_vec3 margin = v3(pair->margin, pair->margin, pair->margin);
    ash_bounds box = ash_geometry_bounds(pair->b, pair->b_in_a);
    box.lower = v3_sub(box.lower, margin);
    box.upper = v3_add(box.upper, margin);
    if (pair->a->def.kind == ASH_GEOMETRY_MESH)
        probe_mesh(hunt, &box);
    else
        probe_height_field(hunt, &box);
}
