/* Which shapes overlap something, in the order of their slots. */
#include "world/query.h"
#include "world/ranking.h"

typedef struct overlap_search {
    const ashi_query *query;
    ash_vec3 point;
    ashi_ranking found;
} overlap_search;

/* By slot; generations do not count. */
static bool slot_before(const void *one, const void *other)
{
    return (uint32_t)((const ash_shape *)one)->id < (uint32_t)((const ash_shape *)other)->id;
}

static bool visit_point(uint32_t shape, void *user)
{
    overlap_search *search = user;
    const ash_world *world = search->query->world;
    ash_vec3 local = t_point_inverse(ashi_shape_pose(world, shape), search->point);
    if (ash_geometry_distance(world->model.shapes.entries.data[shape].geometry, local) <= 0 &&
        ashi_query_sees(search->query, shape)) {
        ash_shape handle = ashi_shape_handle(world, shape);
        ashi_ranking_offer(&search->found, &handle);
    }
    return true;
}

uint32_t ash_world_overlap_point(const ash_world *world, ash_vec3 point, const ash_query_filter *filter,
                                 ash_shape *shapes, uint32_t capacity)
{
    if (!ashi_query_check_room(world, shapes, capacity, __func__))
        return 0;
    if (!v3_is_finite(point)) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.point", "ash_world_overlap_point: the point is (%g, %g, %g)",
                          point.x, point.y, point.z);
        return 0;
    }
    ashi_query query = ashi_query_begin(world, filter);
    overlap_search search = {
        .query = &query,
        .point = point,
        .found = {.elements = shapes, .size = sizeof *shapes, .capacity = capacity, .before = slot_before}};
    ashi_query_visit_box(&query, (ash_bounds){point, point}, visit_point, &search);
    return ashi_ranking_finish(&search.found);
}
