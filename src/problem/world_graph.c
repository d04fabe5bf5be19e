/* The contact graph of a world: which bodies touch or are joined, by body slots. */
#include "problem/world_graph.h"

static ashi_node_kind kind_of(const ashi_bodies *bodies, uint32_t slot)
{
    if (!ashi_pool_in_use(&bodies->pool, slot))
        return ASHI_NODE_NONE;
    return bodies->info[slot].type == ASH_BODY_DYNAMIC ? ASHI_NODE_MOVABLE : ASHI_NODE_FIXED;
}

/* Contacts may be older than a removal: pairs with removed shapes do not count. */
static bool is_there(const ashi_shapes *shapes, const ashi_contact_pair *pair)
{
    return ashi_pool_slot_of(&shapes->pool, pair->handle_a) == pair->a &&
           ashi_pool_slot_of(&shapes->pool, pair->handle_b) == pair->b;
}

static bool connect(ashi_contact_graph *graph, uint32_t a, uint32_t b, bool joined)
{
    bool acts = graph->given_kinds.data[a] == ASHI_NODE_MOVABLE || graph->given_kinds.data[b] == ASHI_NODE_MOVABLE;
    return !acts || a == b || ashi_contact_graph_connect(graph, a < b ? a : b, a < b ? b : a, joined);
}

bool ashi_contact_graph_of_world(ashi_contact_graph *graph, const ashi_model *model, const ashi_contact_set *contacts)
{
    uint32_t slots = ashi_body_slots(&model->bodies);
    if (!ashi_contact_graph_begin(graph, slots))
        return false;
    for (uint32_t i = 0; i < slots; i++)
        ashi_contact_graph_set(graph, i, kind_of(&model->bodies, i));
    for (uint32_t i = 0; i < contacts->pairs.count; i++) {
        const ashi_contact_pair *pair = &contacts->pairs.data[i];
        const ashi_shape_entry *shapes = model->shapes.entries.data;
        if (!pair->sensor && pair->contact_count > 0 && is_there(&model->shapes, pair) &&
            !connect(graph, shapes[pair->a].body, shapes[pair->b].body, false))
            return false;
    }
    for (uint32_t i = 0; i < model->joints.entries.count; i++) {
        const ashi_joint_entry *joint = &model->joints.entries.data[i];
        if (ashi_pool_in_use(&model->joints.pool, i) && joint->enabled &&
            !connect(graph, joint->body_a, joint->body_b, true))
            return false;
    }
    return ashi_contact_graph_finish(graph);
}
