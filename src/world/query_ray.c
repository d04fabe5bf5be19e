/* Rays through a world: the first hit, all hits, many rays at once. Of hits at the same place the shape with the lower
 * slot comes first, so that answers do not depend on the order in which shapes are visited. */
#include "world/query.h"
#include "world/ranking.h"

typedef struct ray_search {
    const ashi_query *query;
    ash_ray ray;
    bool found;
    ash_cast_hit best;
    ashi_ranking all;
} ray_search;

static bool hit_shape(const ray_search *search, uint32_t shape, double reach, ash_cast_hit *found)
{
    const ash_world *world = search->query->world;
    ash_transform pose = ashi_shape_pose(world, shape);
    ash_ray local = {t_point_inverse(pose, search->ray.origin), q_unrotate(pose.rotation, search->ray.direction),
                     reach};
    ash_ray_hit hit;
    if (!ashi_query_sees(search->query, shape) ||
        !ash_geometry_ray(world->model.shapes.entries.data[shape].geometry, local, &hit))
        return false;
    ash_vec3 point = v3_add_scaled(search->ray.origin, search->ray.direction, hit.t);
    if (world->model.bodies.planar)
        point.z = 0;
    *found = (ash_cast_hit){.shape = ashi_shape_handle(world, shape),
                            .body = ashi_shape_owner(world, shape),
                            .t = hit.t,
                            .point = point,
                            .normal = q_rotate(pose.rotation, hit.normal),
                            .part = hit.part};
    return true;
}

static double visit_first(uint32_t shape, double reach, void *user)
{
    ray_search *search = user;
    ash_cast_hit hit;
    if (!hit_shape(search, shape, reach, &hit) || (search->found && !ashi_hit_before(&hit, &search->best)))
        return reach;
    search->best = hit;
    search->found = true;
    return ashi_reach_after(hit.t);
}

static double visit_all(uint32_t shape, double reach, void *user)
{
    ray_search *search = user;
    ash_cast_hit hit;
    if (hit_shape(search, shape, reach, &hit))
        ashi_ranking_offer(&search->all, &hit);
    return reach;
}

static bool first_hit(const ashi_query *query, ash_ray ray, ash_cast_hit *hit)
{
    ray_search search = {.query = query, .ray = ray};
    ashi_query_visit_ray(query, ray, v3(0, 0, 0), visit_first, &search);
    if (search.found)
        *hit = search.best;
    return search.found;
}

bool ash_world_cast_ray(const ash_world *world, ash_ray ray, const ash_query_filter *filter, ash_cast_hit *hit)
{
    if (!ashi_query_check_ray(world, &ray, __func__) || !ashi_query_check_room(world, hit, 1, __func__))
        return false;
    ashi_query query;
    return ashi_query_begin(&query, world, filter, __func__) && first_hit(&query, ray, hit);
}

uint32_t ash_world_cast_ray_all(const ash_world *world, ash_ray ray, const ash_query_filter *filter, ash_cast_hit *hits,
                                uint32_t capacity)
{
    if (!ashi_query_check_ray(world, &ray, __func__) || !ashi_query_check_room(world, hits, capacity, __func__))
        return 0;
    ashi_query query;
    if (!ashi_query_begin(&query, world, filter, __func__))
        return 0;
    ray_search search = {
        .query = &query,
        .ray = ray,
        .all = {.elements = hits, .size = sizeof *hits, .capacity = capacity, .before = ashi_hit_before}};
    ashi_query_visit_ray(&query, ray, v3(0, 0, 0), visit_all, &search);
    return ashi_ranking_finish(&search.all);
}

/* Rays that a worker takes at a time. */
#define CHUNK 64

typedef struct ray_batch {
    ashi_query query;
    const ash_ray *rays;
    bool *found;
    ash_cast_hit *hits;
} ray_batch;

static void cast_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const ray_batch *batch = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        batch->hits[i] = (ash_cast_hit){0};
        batch->found[i] = first_hit(&batch->query, batch->rays[i], &batch->hits[i]);
    }
}

ash_status ash_world_cast_rays(const ash_world *world, const ash_ray *rays, uint32_t count,
                               const ash_query_filter *filter, bool *found, ash_cast_hit *hits)
{
    if (count > 0 && (rays == NULL || found == NULL || hits == NULL))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.null",
                                 "ash_world_cast_rays: the rays or the results are null");
    for (uint32_t i = 0; i < count; i++)
        if (!ashi_query_check_ray(world, &rays[i], __func__))
            return ASH_BAD_ARGUMENT;
    ray_batch batch = {.rays = rays, .found = found, .hits = hits};
    if (!ashi_query_begin(&batch.query, world, filter, __func__))
        return ASH_OUT_OF_MEMORY;
    ashi_parallel_for(world->tasks, count, CHUNK, cast_range, &batch);
    return ASH_OK;
}
