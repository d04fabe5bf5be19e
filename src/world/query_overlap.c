/* Which shapes overlap something, in the order of their slots. */
#include "collide/query/closest.h"
#include "shape/geometry.h"
#include "world/query.h"
#include "world/ranking.h"

typedef struct overlap_search {
    const ashi_query *query;
    ash_vec3 point;
    const ash_geometry *geometry; /* null: the point */
    ash_transform pose;
    ashi_ranking found;
} overlap_search;

/* By slot; generations do not count. */
static bool slot_before(const void *one, const void *other)
{
    return (uint32_t)((const ash_shape *)one)->id < (uint32_t)((const ash_shape *)other)->id;
}

static bool overlaps(const overlap_search *search, uint32_t shape)
{
    const ash_world *world = search->query->world;
    const ash_geometry *geometry = world->model.shapes.entries.data[shape].geometry;
    ash_transform pose = ashi_shape_pose(world, shape);
    if (search->geometry == NULL)
        return ash_geometry_distance(geometry, t_point_inverse(pose, search->point)) <= 0;
    ashi_pair_distance closest;
    return ashi_measure_distance(search->geometry, geometry, t_mul(t_inverse(search->pose), pose), 0, &closest) &&
           closest.distance <= 0;
}

static bool visit(uint32_t shape, void *user)
{
    overlap_search *search = user;
    if (overlaps(search, shape) && ashi_query_sees(search->query, shape)) {
        ash_shape handle = ashi_shape_handle(search->query->world, shape);
        ashi_ranking_offer(&search->found, &handle);
    }
    return true;
}

static uint32_t find(overlap_search *search, const ash_world *world, ash_bounds box, const ash_query_filter *filter,
                     ash_shape *shapes, uint32_t capacity, const char *call)
{
    ashi_query query;
    if (!ashi_query_begin(&query, world, filter, call))
        return 0;
    search->query = &query;
    search->found =
        (ashi_ranking){.elements = shapes, .size = sizeof *shapes, .capacity = capacity, .before = slot_before};
    ashi_query_visit_box(&query, box, visit, search);
    return ashi_ranking_finish(&search->found);
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
    overlap_search search = {.point = point};
    return find(&search, world, (ash_bounds){point, point}, filter, shapes, capacity, __func__);
}

uint32_t ash_world_overlap_shape(const ash_world *world, const ash_geometry *geometry, ash_transform pose,
                                 const ash_query_filter *filter, ash_shape *shapes, uint32_t capacity)
{
    if (!ashi_query_check_room(world, shapes, capacity, __func__) ||
        !ashi_query_check_geometry(world, geometry, pose, __func__))
        return 0;
    pose.rotation = q_unit(pose.rotation);
    overlap_search search = {.geometry = geometry, .pose = pose};
    return find(&search, world, ash_geometry_bounds(geometry, pose), filter, shapes, capacity, __func__);
}

uint32_t ash_world_overlap_box(const ash_world *world, ash_bounds box, const ash_query_filter *filter,
                               ash_shape *shapes, uint32_t capacity)
{
    ash_vec3 half = v3_scale(v3_sub(box.upper, box.lower), 0.5);
    if (!ashi_query_check_room(world, shapes, capacity, __func__))
        return 0;
    if (!v3_is_finite(half) || half.x < 0 || half.y < 0 || half.z < 0) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.box",
                          "ash_world_overlap_box: the box from (%g, %g, %g) to (%g, %g, %g) is empty or not finite",
                          box.lower.x, box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z);
        return 0;
    }
    const ash_vec3 corners[4] = {v3(-half.x, -half.y, 0), v3(half.x, -half.y, 0), v3(half.x, half.y, 0),
                                 v3(-half.x, half.y, 0)};
    bool planar = world->model.bodies.planar;
    const ash_geometry solid = {.def = {.kind = ASH_GEOMETRY_BOX, .half_extents = half}, .functions = &ashi_box};
    const ash_geometry flat = {.def = {.kind = ASH_GEOMETRY_POLYGON, .points = corners, .point_count = 4},
                               .functions = &ashi_polygon,
                               .flat = true};
    overlap_search search = {.geometry = planar ? &flat : &solid, .pose = {v3_add(box.lower, half), q_identity()}};
    if (planar)
        search.pose.position.z = 0;
    return find(&search, world, box, filter, shapes, capacity, __func__);
}

/* Points that a worker takes at a time. */
#define CHUNK 64

typedef struct point_batch {
    ashi_query query;
    const ash_vec3 *points;
    ash_shape *shapes;
} point_batch;

static void overlap_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const point_batch *batch = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        overlap_search search = {
            .query = &batch->query,
            .point = batch->points[i],
            .found = {
                .elements = &batch->shapes[i], .size = sizeof *batch->shapes, .capacity = 1, .before = slot_before}};
        batch->shapes[i].id = 0;
        ashi_query_visit_box(&batch->query, (ash_bounds){search.point, search.point}, visit, &search);
        ashi_ranking_finish(&search.found);
    }
}

ash_status ash_world_overlap_points(const ash_world *world, const ash_vec3 *points, uint32_t count,
                                    const ash_query_filter *filter, ash_shape *shapes)
{
    if (count > 0 && (points == NULL || shapes == NULL))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.null", "%s: the points or the results are null",
                                 __func__);
    for (uint32_t i = 0; i < count; i++)
        if (!v3_is_finite(points[i]))
            return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.point", "%s: point %u is not finite", __func__, i);
    point_batch batch = {.points = points, .shapes = shapes};
    if (!ashi_query_begin(&batch.query, world, filter, __func__))
        return ASH_OUT_OF_MEMORY;
    ashi_parallel_for(world->tasks, count, CHUNK, overlap_range, &batch);
    return ASH_OK;
}
