/* Stack heights: the world's contact graph is updated when contacts or bodies have changed since it was last used. As
 * for queries, a world is used from one thread at a time. */
#include "world/world.h"

static bool refresh(const ash_world *world, const char *call)
{
    ash_world *own = (ash_world *)world;
    if (world->graph.builds > 0 && world->graphed == world->revision && world->graphed_contacts == world->detected)
        return true;
    if (!ashi_contact_graph_of_world(&own->graph, &world->model, &world->collision.now)) {
        own->graphed = UINT64_MAX; /* none */
        ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "%s: out of memory", call);
        return false;
    }
    own->graphed = world->revision;
    own->graphed_contacts = world->detected;
    return true;
}

uint32_t ash_body_get_stack_height(const ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, "ash_body_get_stack_height");
    return slot != ASHI_NO_SLOT && refresh(world, "ash_body_get_stack_height") ? world->graph.heights.data[slot] : 0;
}

ash_stacking ash_world_get_stacking(const ash_world *world)
{
    const ashi_contact_graph *graph = &world->graph;
    if (!refresh(world, "ash_world_get_stacking"))
        return (ash_stacking){0};
    return (ash_stacking){graph->layer_count, graph->edges.count, graph->updates, graph->builds};
}
