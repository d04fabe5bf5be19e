/* Common to all queries. The broad phase is updated when something changed since the last query: a world is used from
 * one thread at a time, so a query may do this although it only reads. */
#include "world/query.h"

#include <float.h>

ash_query_filter ash_default_query_filter(void)
{
    return (ash_query_filter){.category = UINT64_MAX, .mask = UINT64_MAX};
}

bool ashi_query_begin(ashi_query *query, const ash_world *world, const ash_query_filter *filter, const char *call)
{
    *query = (ashi_query){.world = world, .filter = filter != NULL ? *filter : ash_default_query_filter()};
    ash_world *own = (ash_world *)world;
    const ashi_collision *collision = &world->collision;
    if (world->refreshed == world->revision && collision->broad != NULL && collision->kind == world->method.broad_phase)
        return true;
    if (!ashi_collision_refresh(&own->collision, &world->model, NULL, &world->method, 0)) {
        ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "query.memory", "%s: out of memory", call);
        return false;
    }
    ashi_broad_fit(own->collision.broad);
    own->refreshed = world->revision;
    return true;
}

bool ashi_query_sees(const ashi_query *query, uint32_t shape)
{
    const ash_query_filter *filter = &query->filter;
    const ashi_shape_entry *entry = &query->world->model.shapes.entries.data[shape];
    return (entry->category & filter->mask) != 0 && (entry->mask & filter->category) != 0 &&
           (filter->sensors || !entry->sensor) &&
           (filter->accept == NULL || filter->accept(ashi_shape_handle(query->world, shape), filter->user));
}

ash_transform ashi_shape_pose(const ash_world *world, uint32_t shape)
{
    return world->collision.colliders.data[shape].pose;
}

ash_shape ashi_shape_handle(const ash_world *world, uint32_t shape)
{
    return (ash_shape){ashi_pool_handle(&world->model.shapes.pool, shape)};
}

ash_body ashi_shape_owner(const ash_world *world, uint32_t shape)
{
    const ashi_model *model = &world->model;
    return (ash_body){ashi_pool_handle(&model->bodies.pool, model->shapes.entries.data[shape].body)};
}

void ashi_query_visit_box(const ashi_query *query, ash_bounds box, ashi_broad_visitor visit, void *user)
{
    if (query->world->model.bodies.planar) {
        box.lower.z = -INFINITY;
        box.upper.z = INFINITY;
    }
    ashi_broad_query_box(query->world->collision.broad, box, visit, user);
}

void ashi_query_visit_ray(const ashi_query *query, ash_ray ray, ash_vec3 radius, ashi_broad_ray_visitor visit,
                          void *user)
{
    if (query->world->model.bodies.planar)
        ray.origin.z = ray.direction.z = 0;
    ashi_broad_query_ray(query->world->collision.broad, ray, radius, visit, user);
}

bool ashi_hit_before(const void *one, const void *other)
{
    const ash_cast_hit *a = one, *b = other;
    return a->t != b->t ? a->t < b->t : (uint32_t)a->shape.id < (uint32_t)b->shape.id;
}

double ashi_reach_after(double t)
{
    return t > 0 ? t : DBL_MIN;
}

bool ashi_query_check_ray(const ash_world *world, const ash_ray *ray, const char *call)
{
    ash_vec3 o = ray->origin, d = ray->direction;
    if (v3_is_finite(o) && v3_is_finite(d) && v3_norm2(d) > 0 && ray->reach >= 0)
        return true;
    ashi_world_misuse(
        world, ASH_BAD_ARGUMENT, "query.ray",
        "%s: the ray from (%g, %g, %g) along (%g, %g, %g) with reach %g is not finite or has no direction", call, o.x,
        o.y, o.z, d.x, d.y, d.z, ray->reach);
    return false;
}

bool ashi_query_check_geometry(const ash_world *world, const ash_geometry *geometry, ash_transform pose,
                               const char *call)
{
    if (geometry == NULL || ash_geometry_get_definition(geometry)->open || !t_is_finite(pose) ||
        !(q_norm2(pose.rotation) > 0)) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.geometry",
                          "%s: the geometry is null or an open mesh, or its pose is not finite or has no rotation",
                          call);
        return false;
    }
    bool planar = world->model.bodies.planar;
    if (ash_geometry_is_flat(geometry) == planar)
        return true;
    ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.flat", "%s: the geometry is %s", call,
                      planar ? "not flat, but the world is planar" : "flat, but the world is not planar");
    return false;
}

bool ashi_query_check_room(const ash_world *world, const void *results, uint32_t capacity, const char *call)
{
    if (results != NULL || capacity == 0)
        return true;
    ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.null", "%s: the array for %u results is null", call, capacity);
    return false;
}
