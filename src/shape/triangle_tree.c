/* The tree splits the triangles of a node at the median of their centres along the longest side of the centres' box.
 * The median is found by selection with a total order (position, then number) and a seeded pivot, so that a mesh gives
 * the same tree on every machine. */
#include "shape/triangle_tree.h"

#include "base/alloc.h"
#include "base/random.h"

#define LEAF_SIZE 4

typedef struct builder {
    ashi_triangle_tree *tree;
    ash_vec3 *centres; /* by triangle */
    ashi_random random;
    int axis;
} builder;

static ash_bounds no_bounds(void)
{
    return (ash_bounds){v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
}

static void include_point(ash_bounds *bounds, ash_vec3 point)
{
    bounds->lower = v3_min(bounds->lower, point);
    bounds->upper = v3_max(bounds->upper, point);
}

static bool precedes(const builder *b, uint32_t one, uint32_t other)
{
    ash_vec3 p = b->centres[one], q = b->centres[other];
    double u = b->axis == 0 ? p.x : b->axis == 1 ? p.y : p.z, v = b->axis == 0 ? q.x : b->axis == 1 ? q.y : q.z;
    return u != v ? u < v : one < other;
}

/* Reorders [first, end) so that everything before `middle` precedes everything from it on. */
static void select_median(builder *b, uint32_t first, uint32_t end, uint32_t middle)
{
    uint32_t *order = b->tree->order;
    while (end - first > 1) {
        uint32_t pivot = order[first + ashi_random_below(&b->random, end - first)];
        uint32_t low = first, high = end - 1;
        for (;;) {
            while (precedes(b, order[low], pivot))
                low++;
            while (precedes(b, pivot, order[high]))
                high--;
            if (low >= high)
                break;
            uint32_t swap = order[low];
            order[low] = order[high];
            order[high] = swap;
        }
        if (low == middle) /* the pivot itself: numbers are distinct */
            return;
        if (low < middle)
            first = low + 1;
        else
            end = low;
    }
}

static void build_node(builder *b, uint32_t first, uint32_t end)
{
    ashi_triangle_tree *tree = b->tree;
    uint32_t number = tree->node_count++;
    ashi_tree_node *node = &tree->nodes[number];
    ash_bounds centres = no_bounds();
    node->bounds = no_bounds();
    for (uint32_t n = first; n < end; n++) {
        const uint32_t *corner = tree->triangles + 3 * (size_t)tree->order[n];
        for (int c = 0; c < 3; c++)
            include_point(&node->bounds, tree->points[corner[c]]);
        include_point(&centres, b->centres[tree->order[n]]);
    }
    if (end - first <= LEAF_SIZE) {
        node->first = first;
        node->count = end - first;
        return;
    }
    ash_vec3 size = v3_sub(centres.upper, centres.lower);
    b->axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    uint32_t middle = first + (end - first) / 2;
    select_median(b, first, end, middle);
    node->count = 0;
    build_node(b, first, middle);
    node->first = tree->node_count;
    build_node(b, middle, end);
}

bool ashi_triangle_tree_build(ashi_triangle_tree *tree, const ash_vec3 *points, const uint32_t *triangles,
                              uint32_t triangle_count)
{
    *tree = (ashi_triangle_tree){.points = points, .triangles = triangles};
    /* Every leaf except a single root has at least 2 triangles, so there are fewer nodes than triangles (or one). */
    tree->nodes = ashi_alloc_array((size_t)triangle_count + 1, sizeof *tree->nodes);
    tree->order = ashi_alloc_array(triangle_count, sizeof *tree->order);
    builder b = {.tree = tree, .centres = ashi_alloc_array(triangle_count, sizeof *b.centres)};
    bool complete = tree->nodes != NULL && tree->order != NULL && b.centres != NULL;
    if (complete) {
        for (uint32_t t = 0; t < triangle_count; t++) {
            const uint32_t *corner = triangles + 3 * (size_t)t;
            tree->order[t] = t;
            b.centres[t] = v3_add(v3_add(points[corner[0]], points[corner[1]]), points[corner[2]]); /* times 3 */
        }
        build_node(&b, 0, triangle_count);
    } else {
        ashi_triangle_tree_release(tree);
    }
    ashi_dealloc(b.centres);
    return complete;
}

void ashi_triangle_tree_release(ashi_triangle_tree *tree)
{
    ashi_dealloc(tree->nodes);
    ashi_dealloc(tree->order);
    tree->nodes = NULL;
    tree->order = NULL;
}

/* Clips [*enter, *leave] with the slab of one axis. The far side is moved out by a few rounding errors, so that a
 * triangle in the plane of its box is not lost. */
static void clip_slab(double origin, double direction, double lower, double upper, double *enter, double *leave)
{
    if (direction == 0) {
        if (origin < lower || origin > upper)
            *leave = -INFINITY;
        return;
    }
    double t0 = (lower - origin) / direction, t1 = (upper - origin) / direction;
    double near = t0 < t1 ? t0 : t1, far = (t0 < t1 ? t1 : t0);
    near -= fabs(near) * 4e-16;
    far += fabs(far) * 4e-16;
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
}

/* Where the ray enters the box; infinity when it misses. */
static double box_entry(const ash_bounds *box, const ash_ray *ray, double limit)
{
    double enter = 0, leave = limit;
    clip_slab(ray->origin.x, ray->direction.x, box->lower.x, box->upper.x, &enter, &leave);
    clip_slab(ray->origin.y, ray->direction.y, box->lower.y, box->upper.y, &enter, &leave);
    clip_slab(ray->origin.z, ray->direction.z, box->lower.z, box->upper.z, &enter, &leave);
    return enter <= leave ? enter : (double)INFINITY;
}

bool ashi_triangle_tree_ray(const ashi_triangle_tree *tree, const ash_ray *ray, bool either_side, double *t,
                            uint32_t *triangle)
{
    ashi_shear shear = ashi_shear_of(ray);
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    double best = ray->reach;
    bool found = false;
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (box_entry(&node->bounds, ray, best) <= best) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t n = 0; n < node->count; n++) {
                uint32_t candidate = tree->order[node->first + n];
                const uint32_t *corner = tree->triangles + 3 * (size_t)candidate;
                ash_vec3 a = tree->points[corner[0]], b = tree->points[corner[1]], c = tree->points[corner[2]];
                double place;
                if (!ashi_triangle_line(&shear, a, b, c, &place) || place < 0 || place > best)
                    continue;
                double along = v3_dot(ray->direction, v3_cross(v3_sub(b, a), v3_sub(c, a)));
                if (either_side ? along == 0 : along >= 0)
                    continue;
                if (found && place == best && candidate > *triangle) /* on a common edge: the lower number */
                    continue;
                best = *t = place;
                *triangle = candidate;
                found = true;
            }
        }
        if (depth == 0)
            return found;
        number = stack[--depth];
    }
}

static double box_distance2(const ash_bounds *box, ash_vec3 p)
{
    return v3_norm2(v3_max(v3_max(v3_sub(box->lower, p), v3_sub(p, box->upper)), v3(0, 0, 0)));
}

ashi_tree_nearest ashi_triangle_tree_nearest(const ashi_triangle_tree *tree, ash_vec3 p)
{
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    ashi_tree_nearest best = {.distance = INFINITY}; /* squared until the end */
    for (;;) {
        const ashi_tree_node *node = &tree->nodes[number];
        if (box_distance2(&node->bounds, p) <= best.distance) {
            if (node->count == 0) { /* the nearer child first: the farther one is then usually skipped */
                uint32_t one = number + 1, other = node->first;
                bool swap = box_distance2(&tree->nodes[other].bounds, p) < box_distance2(&tree->nodes[one].bounds, p);
                stack[depth++] = swap ? one : other;
                number = swap ? other : one;
                continue;
            }
            for (uint32_t n = 0; n < node->count; n++) {
                uint32_t candidate = tree->order[node->first + n];
                const uint32_t *corner = tree->triangles + 3 * (size_t)candidate;
                ashi_feature feature;
                ash_vec3 q = ashi_triangle_nearest(tree->points[corner[0]], tree->points[corner[1]],
                                                   tree->points[corner[2]], p, &feature);
                double distance2 = v3_norm2(v3_sub(q, p));
                if (distance2 < best.distance)
                    best = (ashi_tree_nearest){q, distance2, candidate, feature};
            }
        }
        if (depth == 0)
            break;
        number = stack[--depth];
    }
    best.distance = sqrt(best.distance);
    return best;
}

static void offer_corners(const void *owner, const ashi_tree_node *leaf, ash_vec3 d, ashi_farthest *farthest)
{
    const ashi_triangle_tree *tree = owner;
    for (uint32_t n = 0; n < 3 * leaf->count; n++) {
        uint32_t triangle = tree->order[leaf->first + n / 3];
        ashi_farthest_offer(farthest, tree->points[tree->triangles[3 * (size_t)triangle + n % 3]], d);
    }
}

ash_vec3 ashi_triangle_tree_support(const ashi_triangle_tree *tree, ash_vec3 direction)
{
    return ashi_box_tree_support(tree->nodes, direction, tree->points[tree->triangles[0]], offer_corners, tree);
}
