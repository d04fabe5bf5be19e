/* Casts through a world: the first shape that a sphere or a convex geometry meets along a ray. */
#include "collide/query/impact.h"
#include "shape/geometry.h"
#include "world/query.h"

typedef struct cast_search {
    const ashi_query *query;
    const ash_geometry *geometry;
    ash_quat rotation;
    ash_ray ray;
    bool found;
    ash_cast_hit best;
} cast_search;

static double visit_first(uint32_t shape, double reach, void *user)
{
    cast_search *search = user;
    const ash_world *world = search->query->world;
    ash_ray ray = search->ray;
    ray.reach = reach;
    ashi_toi toi;
    if (!ashi_query_sees(search->query, shape) ||
        !ashi_cast(search->geometry, search->rotation, ray, world->model.shapes.entries.data[shape].geometry,
                   ashi_shape_pose(world, shape), &toi))
        return reach;
    ash_cast_hit hit = {.shape = ashi_shape_handle(world, shape),
                        .body = ashi_shape_owner(world, shape),
                        .t = toi.time,
                        .point = toi.closest.on_b,
                        .normal = v3_neg(toi.closest.normal),
                        .part = toi.closest.part_b};
    if (search->found && !ashi_hit_before(&hit, &search->best))
        return reach;
    search->best = hit;
    search->found = true;
    return ashi_reach_after(hit.t);
}

static bool first_hit(const ashi_query *query, const ash_geometry *geometry, ash_quat rotation, ash_ray ray,
                      ash_cast_hit *hit)
{
    if (query->world->model.bodies.planar) {
        ray.origin.z = ray.direction.z = 0;
        if (v3_norm2(ray.direction) == 0) { /* perpendicular to the plane: it does not move in it */
            ray.direction = v3(1, 0, 0);
            ray.reach = 0;
        }
    }
    cast_search search = {.query = query, .geometry = geometry, .rotation = rotation, .ray = ray};
    ash_bounds box = ash_geometry_bounds(geometry, (ash_transform){ray.origin, rotation});
    ash_vec3 half = v3_scale(v3_sub(box.upper, box.lower), 0.5);
    ash_ray middle = {v3_add(box.lower, half), ray.direction, ray.reach};
    /* Slightly thicker, to compensate rounding. */
    ashi_query_visit_ray(query, middle, v3_scale(half, 1 + 1e-9), visit_first, &search);
    if (search.found)
        *hit = search.best;
    return search.found;
}

bool ash_world_cast_sphere(const ash_world *world, ash_ray ray, double radius, const ash_query_filter *filter,
                           ash_cast_hit *hit)
{
    if (!ashi_query_check_ray(world, &ray, __func__) || !ashi_query_check_room(world, hit, 1, __func__))
        return false;
    if (!isfinite(radius) || radius < 0) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.radius", "ash_world_cast_sphere: the radius is %g", radius);
        return false;
    }
    bool planar = world->model.bodies.planar;
    const ash_geometry ball = {
        .def = {.kind = planar ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE, .radius = radius},
        .functions = planar ? &ashi_circle : &ashi_sphere,
        .flat = planar,
    };
    ashi_query query;
    return ashi_query_begin(&query, world, filter, __func__) && first_hit(&query, &ball, q_identity(), ray, hit);
}

/* A convex kind or a compound of such. */
static bool can_be_cast(const ash_geometry *geometry)
{
    if (!geometry->functions->parts)
        return ashi_has_core(geometry);
    for (uint32_t i = 0; i < geometry->def.part_count; i++)
        if (!can_be_cast(geometry->def.parts[i].geometry))
            return false;
    return true;
}

static bool check_cast(const ash_world *world, const ash_geometry *geometry, const char *call)
{
    if (can_be_cast(geometry))
        return true;
    ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.not-convex", "%s: a %s cannot be cast", call,
                      geometry->functions->name);
    return false;
}

bool ash_world_cast_shape(const ash_world *world, const ash_geometry *geometry, ash_quat rotation, ash_ray ray,
                          const ash_query_filter *filter, ash_cast_hit *hit)
{
    if (!ashi_query_check_ray(world, &ray, __func__) || !ashi_query_check_room(world, hit, 1, __func__) ||
        !ashi_query_check_geometry(world, geometry, (ash_transform){ray.origin, rotation}, __func__))
        return false;
    ashi_query query;
    return check_cast(world, geometry, __func__) && ashi_query_begin(&query, world, filter, __func__) &&
           first_hit(&query, geometry, q_unit(rotation), ray, hit);
}

/* Casts that a worker takes at a time. */
#define CHUNK 16

typedef struct cast_batch {
    ashi_query query;
    const ash_geometry *geometry;
    ash_quat rotation;
    const ash_ray *rays;
    bool *found;
    ash_cast_hit *hits;
} cast_batch;

static void cast_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const cast_batch *batch = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        batch->hits[i] = (ash_cast_hit){0};
        batch->found[i] = first_hit(&batch->query, batch->geometry, batch->rotation, batch->rays[i], &batch->hits[i]);
    }
}

ash_status ash_world_cast_shapes(const ash_world *world, const ash_geometry *geometry, ash_quat rotation,
                                 const ash_ray *rays, uint32_t count, const ash_query_filter *filter, bool *found,
                                 ash_cast_hit *hits)
{
    if (count > 0 && (rays == NULL || found == NULL || hits == NULL))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.null", "%s: the rays or the results are null",
                                 __func__);
    if (!ashi_query_check_geometry(world, geometry, (ash_transform){v3(0, 0, 0), rotation}, __func__) ||
        !check_cast(world, geometry, __func__))
        return ASH_BAD_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (!ashi_query_check_ray(world, &rays[i], __func__))
            return ASH_BAD_ARGUMENT;
    cast_batch batch = {.geometry = geometry, .rotation = q_unit(rotation), .rays = rays, .found = found, .hits = hits};
    if (!ashi_query_begin(&batch.query, world, filter, __func__))
        return ASH_OUT_OF_MEMORY;
    ashi_parallel_for(world->tasks, count, CHUNK, cast_range, &batch);
    return ASH_OK;
}
