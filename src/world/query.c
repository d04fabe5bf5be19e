/* What all queries share. Boxes are those of the present state, so nothing has to be refreshed. */
#include "world/query.h"

#include <float.h>

ash_query_filter ash_default_query_filter(void)
{
    return (ash_query_filter){.category = UINT64_MAX, .mask = UINT64_MAX};
}

ashi_query ashi_query_begin(const ash_world *world, const ash_query_filter *filter)
{
    return (ashi_query){.world = world, .filter = filter != NULL ? *filter : ash_default_query_filter()};
}

bool ashi_query_sees(const ashi_query *query, uint32_t shape)
{
    const ash_query_filter *filter = &query->filter;
    return filter->accept == NULL || filter->accept(ashi_shape_handle(query->world, shape), filter->user);
}

ash_transform ashi_shape_pose(const ash_world *world, uint32_t shape)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_shape_entry *entry = &world->model.shapes.entries.data[shape];
    return t_mul(ashi_body_frame(bodies, &bodies->now, entry->body), entry->pose);
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

static ash_bounds shape_bounds(const ash_world *world, uint32_t shape)
{
    return ash_geometry_bounds(world->model.shapes.entries.data[shape].geometry, ashi_shape_pose(world, shape));
}

static bool overlap(const ash_bounds *a, const ash_bounds *b)
{
    return a->lower.x <= b->upper.x && a->lower.y <= b->upper.y && a->lower.z <= b->upper.z &&
           b->lower.x <= a->upper.x && b->lower.y <= a->upper.y && b->lower.z <= a->upper.z;
}

/* In a planar world z does not count. */
static ash_bounds relevant_box(const ash_world *world, ash_bounds box)
{
    if (world->model.bodies.planar) {
        box.lower.z = -INFINITY;
        box.upper.z = INFINITY;
    }
    return box;
}

void ashi_query_visit_box(const ashi_query *query, ash_bounds box, ashi_broad_visitor visit, void *user)
{
    const ashi_pool *pool = &query->world->model.shapes.pool;
    box = relevant_box(query->world, box);
    for (uint32_t i = 0; i < pool->slots.count; i++) {
        if (!ashi_pool_in_use(pool, i))
            continue;
        ash_bounds bounds = shape_bounds(query->world, i);
        if (overlap(&bounds, &box) && !visit(i, user))
            return;
    }
}

/* Clips [*enter, *leave] with one slab, widened by a few rounding errors. */
static void clip(double origin, double direction, double lower, double upper, double *enter, double *leave)
{
    if (direction == 0) {
        if (origin < lower || origin > upper)
            *leave = -INFINITY;
        return;
    }
    double one = (lower - origin) / direction, other = (upper - origin) / direction;
    double near = fmin(one, other), far = fmax(one, other);
    *enter = fmax(*enter, near - fabs(near) * 4e-16);
    *leave = fmin(*leave, far + fabs(far) * 4e-16);
}

static bool ray_meets(const ash_ray *ray, double reach, const ash_bounds *box)
{
    double enter = 0, leave = reach;
    clip(ray->origin.x, ray->direction.x, box->lower.x, box->upper.x, &enter, &leave);
    clip(ray->origin.y, ray->direction.y, box->lower.y, box->upper.y, &enter, &leave);
    clip(ray->origin.z, ray->direction.z, box->lower.z, box->upper.z, &enter, &leave);
    return enter <= leave;
}

void ashi_query_visit_ray(const ashi_query *query, ash_ray ray, ash_vec3 radius, ashi_broad_ray_visitor visit,
                          void *user)
{
    const ashi_pool *pool = &query->world->model.shapes.pool;
    double reach = ray.reach;
    if (query->world->model.bodies.planar)
        ray.origin.z = ray.direction.z = 0;
    for (uint32_t i = 0; i < pool->slots.count; i++) {
        if (!ashi_pool_in_use(pool, i))
            continue;
        ash_bounds bounds = shape_bounds(query->world, i);
        bounds = (ash_bounds){v3_sub(bounds.lower, radius), v3_add(bounds.upper, radius)};
        if (!ray_meets(&ray, reach, &bounds))
            continue;
        reach = visit(i, reach, user);
        if (!(reach > 0))
            return;
    }
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
    if (geometry == NULL || !t_is_finite(pose) || !(q_norm2(pose.rotation) > 0)) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "query.geometry",
                          "%s: the geometry is null, or its pose is not finite or has no rotation", call);
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
