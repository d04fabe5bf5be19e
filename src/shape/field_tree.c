/* A tree of boxes over the surface cells of a distance field. A node's part of the grid is cut in the middle of its
 * longest side, counted in cells, so that cells need no order and the tree is the same on every machine. */
#include "base/alloc.h"
#include "shape/distance_field.h"

#define LEAF_SIZE 4

/* A part of the grid: cells lower ... upper - 1 along each axis. */
typedef struct block {
    uint32_t lower[3], upper[3];
} block;

static uint32_t place(const ashi_field_cell *cell, int axis)
{
    return axis == 0 ? cell->i : axis == 1 ? cell->j : cell->k;
}

static int longest_axis(const block *part)
{
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (part->upper[a] - part->lower[a] > part->upper[axis] - part->lower[axis])
            axis = a;
    return axis;
}

static block block_of(const ashi_field_surface *surface, uint32_t first, uint32_t end)
{
    block part = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
    for (uint32_t n = first; n < end; n++)
        for (int a = 0; a < 3; a++) {
            uint32_t at = place(&surface->cells[n], a);
            part.lower[a] = at < part.lower[a] ? at : part.lower[a];
            part.upper[a] = at + 1 > part.upper[a] ? at + 1 : part.upper[a];
        }
    return part;
}

/* Moves the cells below `middle` to the front; returns the number of the first that is not. */
static uint32_t divide(ashi_field_cell *cells, uint32_t first, uint32_t end, int axis, uint32_t middle)
{
    uint32_t front = first;
    for (uint32_t n = first; n < end; n++)
        if (place(&cells[n], axis) < middle) {
            ashi_field_cell swap = cells[front];
            cells[front++] = cells[n];
            cells[n] = swap;
        }
    return front;
}

static void build(ashi_field_surface *surface, uint32_t first, uint32_t end)
{
    ashi_tree_node *node = &surface->nodes[surface->node_count++];
    *node = (ashi_tree_node){surface->cells[first].inside, first, end - first};
    for (uint32_t n = first + 1; n < end; n++) {
        node->bounds.lower = v3_min(node->bounds.lower, surface->cells[n].inside.lower);
        node->bounds.upper = v3_max(node->bounds.upper, surface->cells[n].inside.upper);
    }
    if (end - first <= LEAF_SIZE)
        return;
    /* The tight block's longest side has cells at both ends: neither half is empty. */
    block part = block_of(surface, first, end);
    int axis = longest_axis(&part);
    uint32_t cut = part.lower[axis] + (part.upper[axis] - part.lower[axis]) / 2;
    uint32_t middle = divide(surface->cells, first, end, axis, cut);
    node->count = 0;
    build(surface, first, middle);
    node->first = surface->node_count;
    build(surface, middle, end);
}

bool ashi_field_tree_create(ashi_field_surface *surface)
{
    surface->nodes = ashi_alloc_array(2 * (size_t)surface->cell_count, sizeof *surface->nodes);
    if (surface->nodes == NULL)
        return false;
    build(surface, 0, surface->cell_count);
    surface->box = surface->nodes[0].bounds;
    return true;
}

static void offer_cells(const void *owner, const ashi_tree_node *leaf, ash_vec3 d, ashi_farthest *farthest)
{
    const ashi_field_surface *surface = owner;
    for (uint32_t n = leaf->first; n < leaf->first + leaf->count; n++)
        ashi_farthest_offer(farthest, ashi_bounds_corner(&surface->cells[n].inside, d), d);
}

ash_vec3 ashi_field_tree_support(const ashi_field_surface *surface, ash_vec3 d)
{
    ash_vec3 start = ashi_bounds_corner(&surface->cells[0].inside, d);
    return ashi_box_tree_support(surface->nodes, d, start, offer_cells, surface);
}
