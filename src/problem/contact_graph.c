/* The contact graph's heights and layers: a breadth-first search from all fixed nodes at once, then a counting sort of
 * the nodes by height and one of the edges by layer (Erleben 2007, section 4). Rebuilt only if the input differs from
 * the last one. */
#include "problem/contact_graph.h"

#include <string.h>

void ashi_contact_graph_release(ashi_contact_graph *g)
{
    ashi_array_release(&g->kinds);
    ashi_array_release(&g->edges);
    ashi_array_release(&g->heights);
    ashi_array_release(&g->upper);
    ashi_array_release(&g->first_upper);
    ashi_array_release(&g->layer_edges);
    ashi_array_release(&g->first_edge);
    ashi_array_release(&g->given_kinds);
    ashi_array_release(&g->given_edges);
    ashi_array_release(&g->first_neighbour);
    ashi_array_release(&g->neighbours);
    ashi_array_release(&g->queue);
    *g = (ashi_contact_graph){0};
}

/* ---- input ---- */

bool ashi_contact_graph_begin(ashi_contact_graph *g, uint32_t nodes)
{
    g->given_edges.count = 0;
    if (!ashi_array_reserve(&g->given_kinds, nodes))
        return false;
    g->given_kinds.count = nodes;
    for (uint32_t i = 0; i < nodes; i++)
        g->given_kinds.data[i] = ASHI_NODE_NONE;
    return true;
}

bool ashi_contact_graph_connect(ashi_contact_graph *g, uint32_t a, uint32_t b, bool joined)
{
    if (g->given_edges.count > 0) {
        const ashi_graph_edge *last = &g->given_edges.data[g->given_edges.count - 1];
        if (last->a == a && last->b == b && last->joined == joined)
            return true;
    }
    if (!ashi_array_extend(&g->given_edges))
        return false;
    g->given_edges.data[g->given_edges.count - 1] = (ashi_graph_edge){a, b, joined};
    return true;
}

static bool is_the_same(const ashi_contact_graph *g)
{
    uint32_t nodes = g->kinds.count, edges = g->edges.count;
    return g->builds > 0 && g->given_kinds.count == nodes && g->given_edges.count == edges &&
           (nodes == 0 || memcmp(g->given_kinds.data, g->kinds.data, nodes * sizeof *g->kinds.data) == 0) &&
           (edges == 0 || memcmp(g->given_edges.data, g->edges.data, edges * sizeof *g->edges.data) == 0);
}

/* ---- heights ---- */

/* Turns counts stored two places later into start indices one place later: filling, which advances each to the next,
 * leaves them in their right places. */
static void add_up(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        first[i] += first[i - 1];
}

/* Both ends of every edge, by node: node i's neighbours begin at first_neighbour[i] and end where those of i + 1 begin.
 */
static void list_neighbours(ashi_contact_graph *g)
{
    uint32_t nodes = g->kinds.count, *first = g->first_neighbour.data;
    memset(first, 0, ((size_t)nodes + 2) * sizeof *first);
    for (uint32_t k = 0; k < g->edges.count; k++) {
        first[g->edges.data[k].a + 2]++;
        first[g->edges.data[k].b + 2]++;
    }
    add_up(first, nodes + 1);
    for (uint32_t k = 0; k < g->edges.count; k++) {
        const ashi_graph_edge *edge = &g->edges.data[k];
        g->neighbours.data[first[edge->a + 1]++] = 2 * edge->b + edge->joined;
        g->neighbours.data[first[edge->b + 1]++] = 2 * edge->a + edge->joined;
    }
}

/* Gives a height to a node and to all that are joined to it. `waiting` is the number of nodes in the queue; returns the
 * new one. */
static uint32_t raise(ashi_contact_graph *g, uint32_t node, uint32_t height, uint32_t waiting)
{
    uint32_t *queue = g->queue.data, first = waiting;
    g->heights.data[node] = height;
    queue[waiting++] = node;
    for (uint32_t next = first; next < waiting; next++)
        for (uint32_t k = g->first_neighbour.data[queue[next]]; k < g->first_neighbour.data[queue[next] + 1]; k++) {
            uint32_t other = g->neighbours.data[k] / 2;
            if (g->neighbours.data[k] % 2 == 0 || g->heights.data[other] != ASHI_NO_HEIGHT ||
                g->kinds.data[other] != ASHI_NODE_MOVABLE)
                continue;
            g->heights.data[other] = height;
            queue[waiting++] = other;
        }
    return waiting;
}

static void find_heights(ashi_contact_graph *g)
{
    uint32_t *height = g->heights.data, *queue = g->queue.data, waiting = 0, largest = 0;
    bool floats = false;
    for (uint32_t i = 0; i < g->kinds.count; i++) {
        height[i] = ASHI_NO_HEIGHT;
        if (g->kinds.data[i] == ASHI_NODE_FIXED) {
            height[i] = 0;
            queue[waiting++] = i;
        }
    }
    for (uint32_t next = 0; next < waiting; next++) {
        uint32_t node = queue[next];
        for (uint32_t k = g->first_neighbour.data[node]; k < g->first_neighbour.data[node + 1]; k++) {
            uint32_t other = g->neighbours.data[k] / 2;
            if (height[other] != ASHI_NO_HEIGHT || g->kinds.data[other] != ASHI_NODE_MOVABLE)
                continue;
            largest = height[node] + 1; /* they are found in the order of heights */
            waiting = raise(g, other, largest, waiting);
        }
    }
    for (uint32_t i = 0; i < g->kinds.count; i++)
        floats = floats || (g->kinds.data[i] == ASHI_NODE_MOVABLE && height[i] == ASHI_NO_HEIGHT);
    g->layer_count = floats && largest == 0 ? 1 : largest;
    for (uint32_t i = 0; floats && i < g->kinds.count; i++)
        if (g->kinds.data[i] == ASHI_NODE_MOVABLE && height[i] == ASHI_NO_HEIGHT)
            height[i] = g->layer_count;
}

/* ---- layers ---- */

/* A layer's upper nodes are one higher than its number. */
static void sort_nodes(ashi_contact_graph *g)
{
    uint32_t *first = g->first_upper.data;
    memset(first, 0, ((size_t)g->layer_count + 2) * sizeof *first);
    g->upper.count = 0;
    for (uint32_t i = 0; i < g->kinds.count; i++)
        if (g->kinds.data[i] == ASHI_NODE_MOVABLE) {
            first[g->heights.data[i] + 1]++;
            g->upper.count++;
        }
    add_up(first, g->layer_count + 1);
    for (uint32_t i = 0; i < g->kinds.count; i++)
        if (g->kinds.data[i] == ASHI_NODE_MOVABLE)
            g->upper.data[first[g->heights.data[i]]++] = i;
    g->first_upper.count = g->layer_count + 1;
}

static void sort_edges(ashi_contact_graph *g)
{
    uint32_t *first = g->first_edge.data;
    memset(first, 0, ((size_t)g->layer_count + 2) * sizeof *first);
    g->layer_edges.count = 0;
    for (uint32_t k = 0; k < g->edges.count; k++) {
        uint32_t layer = ashi_contact_graph_layer(g, g->edges.data[k].a, g->edges.data[k].b);
        if (layer == ASHI_NO_LAYER)
            continue;
        first[layer + 2]++;
        g->layer_edges.count++;
    }
    add_up(first, g->layer_count + 1);
    for (uint32_t k = 0; k < g->edges.count; k++) {
        uint32_t layer = ashi_contact_graph_layer(g, g->edges.data[k].a, g->edges.data[k].b);
        if (layer != ASHI_NO_LAYER)
            g->layer_edges.data[first[layer + 1]++] = k;
    }
    g->first_edge.count = g->layer_count + 1;
}

/* Reserves room for any graph with these nodes and edges. */
static bool reserve(ashi_contact_graph *g)
{
    uint32_t nodes = g->given_kinds.count;
    uint64_t edges = g->given_edges.count;
    return ashi_array_reserve(&g->kinds, nodes) && ashi_array_reserve(&g->edges, edges) &&
           ashi_array_reserve(&g->heights, nodes) && ashi_array_reserve(&g->upper, nodes) &&
           ashi_array_reserve(&g->first_upper, (uint64_t)nodes + 3) && ashi_array_reserve(&g->layer_edges, edges) &&
           ashi_array_reserve(&g->first_edge, (uint64_t)nodes + 3) &&
           ashi_array_reserve(&g->first_neighbour, (uint64_t)nodes + 3) &&
           ashi_array_reserve(&g->neighbours, 2 * edges) && ashi_array_reserve(&g->queue, nodes);
}

static void copy(void *to, const void *from, uint32_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

bool ashi_contact_graph_finish(ashi_contact_graph *g)
{
    if (is_the_same(g)) {
        g->updates++;
        return true;
    }
    if (!reserve(g))
        return false;
    g->kinds.count = g->heights.count = g->given_kinds.count;
    g->edges.count = g->given_edges.count;
    copy(g->kinds.data, g->given_kinds.data, g->kinds.count, sizeof *g->kinds.data);
    copy(g->edges.data, g->given_edges.data, g->edges.count, sizeof *g->edges.data);
    list_neighbours(g);
    find_heights(g);
    sort_nodes(g);
    sort_edges(g);
    g->updates++;
    g->builds++;
    return true;
}
