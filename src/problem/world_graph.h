/* The contact graph of a world. */
#ifndef ASHI_PROBLEM_WORLD_GRAPH_H
#define ASHI_PROBLEM_WORLD_GRAPH_H

#include "collide/contact_set.h"
#include "model/forces.h"
#include "problem/contact_graph.h"

/* Nodes are body slots, static and kinematic ones are fixed; edges are pairs of shapes with contacts, except sensors,
 * in their order, then enabled joints by slot. Sleeping bodies are movable. False when memory ran out. */
bool ashi_contact_graph_of_world(ashi_contact_graph *graph, const ashi_model *model, const ashi_contact_set *contacts);

#endif
