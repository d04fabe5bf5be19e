/* The contact graph: bodies are its nodes, contacts and joints its edges. It is kept between steps and rebuilt only
 * when its edges or the set of fixed nodes have changed (Erleben 2007, section 4; the caching is also his).
 *
 * The stack height of a node is the number of edges to the nearest fixed one, which has height 0; joints between two
 * movable nodes do not count, so that joined nodes share one height: a mechanism is not a stack. Nodes without a path
 * to a fixed one float and have the largest height, at least 1. Stack layer i consists of the nodes of heights i and
 * i + 1, the lower ones held fixed when it is solved, and of the edges between them. An edge between two nodes of one
 * height belongs to the layer in which these are the upper ones: in the next layer both are held, and it would have no
 * effect. So every effective edge is in exactly one layer, the one below its higher end.
 *
 * All work is linear in nodes and edges; results depend only on these and on their given order. */
#ifndef ASHI_PROBLEM_CONTACT_GRAPH_H
#define ASHI_PROBLEM_CONTACT_GRAPH_H

#include "base/array.h"

typedef enum ashi_node_kind {
    ASHI_NODE_NONE, /* no body has this number */
    ASHI_NODE_FIXED,
    ASHI_NODE_MOVABLE
} ashi_node_kind;

typedef struct ashi_graph_edge {
    uint32_t a, b;   /* nodes */
    uint32_t joined; /* 1: by a joint, 0: by contact */
} ashi_graph_edge;

#define ASHI_NO_HEIGHT UINT32_MAX /* of a number without a body */
#define ASHI_NO_LAYER  UINT32_MAX /* of an edge between fixed nodes */

/* A zeroed graph is empty and valid. */
typedef struct ashi_contact_graph {
    ASHI_ARRAY(uint8_t) kinds;         /* by node: ashi_node_kind */
    ASHI_ARRAY(ashi_graph_edge) edges; /* as given, without immediate repetitions */
    ASHI_ARRAY(uint32_t) heights;      /* by node */
    uint32_t layer_count;              /* also the largest height */
    ASHI_ARRAY(uint32_t) upper;        /* movable nodes by layer: its upper ones, by number */
    ASHI_ARRAY(uint32_t) first_upper;  /* by layer, and the end of the last one */
    ASHI_ARRAY(uint32_t) layer_edges;  /* numbers of edges by layer, in their order */
    ASHI_ARRAY(uint32_t) first_edge;   /* by layer, and the end of the last one */
    uint64_t updates, builds;          /* how often it was updated, and how often rebuilt */
    /* the update in progress, and working memory */
    ASHI_ARRAY(uint8_t) given_kinds;
    ASHI_ARRAY(ashi_graph_edge) given_edges;
    ASHI_ARRAY(uint32_t) first_neighbour, neighbours, queue; /* a neighbour: twice its number, plus 1 if it is joined */
} ashi_contact_graph;

void ashi_contact_graph_release(ashi_contact_graph *graph);

/* An update: begin with the number of nodes (none of them a body yet), set the kind of each, connect them, finish.
 * False when memory ran out: the graph is then as before the update. */
bool ashi_contact_graph_begin(ashi_contact_graph *graph, uint32_t nodes);
static inline void ashi_contact_graph_set(ashi_contact_graph *graph, uint32_t node, ashi_node_kind kind)
{
    graph->given_kinds.data[node] = (uint8_t)kind;
}
bool ashi_contact_graph_connect(ashi_contact_graph *graph, uint32_t a, uint32_t b, bool joined);
bool ashi_contact_graph_finish(ashi_contact_graph *graph);

/* The layer that two nodes' edge belongs to, or ASHI_NO_LAYER. */
static inline uint32_t ashi_contact_graph_layer(const ashi_contact_graph *graph, uint32_t a, uint32_t b)
{
    uint32_t height_a = graph->heights.data[a], height_b = graph->heights.data[b];
    return (height_a > height_b ? height_a : height_b) - 1;
}

#endif
