/* The contact graph: bodies are its nodes, what touches or is joined its edges. It is kept between steps and rebuilt
 * only when its edges, or which nodes are fixed, have changed (Erleben 2007, section 4; the caching is his as well).
 *
 * The stack height of a node is the number of edges to the nearest fixed one, which has height 0; edges that join two
 * movable nodes do not count, so that jointed nodes have one height: a mechanism is no stack. Nodes without a path to a
 * fixed one float and have the largest height, at least 1. Stack layer i consists of the nodes of heights i and i + 1,
 * the lower ones held fast when it is solved, and of the edges between them. An edge between two nodes of one height
 * belongs to the layer in which these are the upper ones: in the next both are held, and it could do nothing. So every
 * edge that can do something is in exactly one layer, the one below its higher end.
 *
 * Everything is linear in nodes and edges, and depends only on these, in the order in which they were given. */
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

#define ASHI_NO_HEIGHT UINT32_MAX /* of a number that no body has */
#define ASHI_NO_LAYER  UINT32_MAX /* of an edge between fixed nodes */

/* A zeroed graph is empty and valid. */
typedef struct ashi_contact_graph {
    ASHI_ARRAY(uint8_t) kinds;         /* by node: ashi_node_kind */
    ASHI_ARRAY(ashi_graph_edge) edges; /* as given, repetitions of the last one left out */
    ASHI_ARRAY(uint32_t) heights;      /* by node */
    uint32_t layer_count;              /* also the largest height */
    ASHI_ARRAY(uint32_t) upper;        /* movable nodes by layer: its upper ones, by number */
    ASHI_ARRAY(uint32_t) first_upper;  /* by layer, and where the last one ends */
    ASHI_ARRAY(uint32_t) layer_edges;  /* numbers of edges by layer, in their order */
    ASHI_ARRAY(uint32_t) first_edge;   /* by layer, and where the last one ends */
    uint64_t updates, builds;          /* how often it was updated, and how often rebuilt */
    /* what is being given, and work memory */
    ASHI_ARRAY(uint8_t) given_kinds;
    ASHI_ARRAY(ashi_graph_edge) given_edges;
    ASHI_ARRAY(uint32_t) first_neighbour, neighbours, queue; /* a neighbour: twice its number, plus 1 if it is joined */
} ashi_contact_graph;

void ashi_contact_graph_release(ashi_contact_graph *graph);

/* An update: begin with the number of nodes (none of them a body yet), say what each is, connect them, finish. False
 * when memory ran out: the graph is as it was before it began. */
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
