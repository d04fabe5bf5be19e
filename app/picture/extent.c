/* The space that the automatic camera shows. What moves counts always; a static shape counts unless it is so large that
 * what moves would be lost on it. */
#include <math.h>

#include "app/picture/subject.h"
#include "math/transform.h"
#include "world/world.h"

static const double huge = 5; /* a static shape's size over that of everything that moves */

static const ash_bounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static ash_bounds join(ash_bounds a, ash_bounds b)
{
    return (ash_bounds){v3_min(a.lower, b.lower), v3_max(a.upper, b.upper)};
}

static double diagonal(ash_bounds box)
{
    return box.lower.x <= box.upper.x ? v3_distance(box.lower, box.upper) : 0;
}

static bool keep(cli_extent *extent, ash_bounds box)
{
    if (!v3_is_finite(box.lower) || !v3_is_finite(box.upper))
        return true;
    if (!ashi_array_extend(&extent->boxes))
        return false;
    extent->boxes.data[extent->boxes.count - 1] = box;
    return true;
}

static ash_bounds shape_box(const ash_world *world, uint32_t slot)
{
    return ash_geometry_bounds(world->model.shapes.entries.data[slot].geometry, ashi_world_shape_pose(world, slot));
}

/* Boxes of bodies that can move, or of those that cannot and are no larger than `most`. */
static bool keep_bodies(cli_extent *extent, const ash_world *world, bool moving, double most)
{
    const ashi_bodies *bodies = &world->model.bodies;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++) {
        const ashi_body_info *info = &bodies->info[i];
        if (!ashi_pool_in_use(&bodies->pool, i) || (info->type != ASH_BODY_STATIC) != moving)
            continue;
        ash_vec3 position = bodies->now.position[i];
        if (info->first_shape == ASHI_NO_SLOT && !keep(extent, (ash_bounds){position, position}))
            return false;
        for (uint32_t s = info->first_shape; s != ASHI_NO_SLOT; s = world->model.shapes.entries.data[s].next) {
            ash_bounds box = shape_box(world, s);
            bool flat_plane =
                world->model.shapes.entries.data[s].geometry != NULL &&
                ash_geometry_get_definition(world->model.shapes.entries.data[s].geometry)->kind == ASH_GEOMETRY_PLANE;
            extent->has_plane |= flat_plane;
            if (!moving && !(diagonal(box) <= most)) {
                extent->lowest = isfinite(box.lower.z) ? fmin(extent->lowest, box.lower.z) : extent->lowest;
                continue;
            }
            if (!keep(extent, box))
                return false;
        }
    }
    return true;
}

static bool keep_springs(cli_extent *extent, const ash_world *world)
{
    const ashi_bodies *bodies = &world->model.bodies;
    const ashi_forces *forces = &world->model.forces;
    double sum = 0;
    for (uint32_t i = 0; i < forces->springs.count; i++) {
        const ashi_spring *spring = &forces->springs.data[i];
        ash_vec3 a = t_point(ashi_body_frame(bodies, &bodies->now, spring->body_a), spring->point_a);
        ash_vec3 b = t_point(ashi_body_frame(bodies, &bodies->now, spring->body_b), spring->point_b);
        sum += spring->rest_length;
        if ((spring->body_a == 0 && !keep(extent, (ash_bounds){a, a})) ||
            (spring->body_b == 0 && !keep(extent, (ash_bounds){b, b})))
            return false;
    }
    extent->spring = forces->springs.count > 0 ? sum / forces->springs.count : 0;
    return true;
}

/* Where joints hang in the world. */
static bool keep_joints(cli_extent *extent, const ash_world *world)
{
    const ashi_joints *joints = &world->model.joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        ash_vec3 a = joint->frame_a.position, b = joint->frame_b.position;
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        if ((joint->body_a == 0 && !keep(extent, (ash_bounds){a, a})) ||
            (joint->body_b == 0 && !keep(extent, (ash_bounds){b, b})))
            return false;
        if (joint->kind == ASH_JOINT_PULLEY && (!keep(extent, (ash_bounds){joint->hang_a, joint->hang_a}) ||
                                                !keep(extent, (ash_bounds){joint->hang_b, joint->hang_b})))
            return false;
    }
    return true;
}

static bool keep_visuals(cli_extent *extent, const ash_scene *scene, const ashi_instance *instance)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *body = &scene->bodies.data[i];
        if (!ash_body_is_valid(instance->world, instance->bodies[i]))
            continue;
        ash_transform pose = ash_body_get_transform(instance->world, instance->bodies[i]);
        for (uint32_t k = body->first_shape; k < body->first_shape + body->shape_count; k++) {
            const ashi_scene_shape *shape = &scene->shapes.data[k];
            const ash_geometry *geometry = scene->geometries.data[shape->geometry].geometry;
            if (shape->visual && !keep(extent, ash_geometry_bounds(geometry, t_mul(pose, shape->pose))))
                return false;
        }
    }
    return true;
}

bool cli_extent_add(cli_extent *extent, const ash_scene *scene, const ashi_instance *instance, bool merge)
{
    const ash_world *world = instance->world;
    if (extent->boxes.count == 0) {
        extent->all = empty;
        extent->lowest = INFINITY;
    }
    uint32_t before = extent->boxes.count;
    if (!keep_bodies(extent, world, true, INFINITY) || !keep_visuals(extent, scene, instance) ||
        !keep_springs(extent, world) || !keep_joints(extent, world))
        return false;
    ash_bounds moving = empty;
    for (uint32_t i = before; i < extent->boxes.count; i++)
        moving = join(moving, extent->boxes.data[i]);
    bool any = extent->boxes.count > before && diagonal(moving) > 0;
    if (!keep_bodies(extent, world, false, any ? huge * diagonal(moving) : (double)INFINITY))
        return false;
    for (uint32_t i = before; i < extent->boxes.count; i++)
        extent->all = join(extent->all, extent->boxes.data[i]);
    extent->lowest = fmin(extent->lowest, extent->all.lower.z);
    if (merge && extent->boxes.count > 0) {
        extent->boxes.data[0] = extent->all;
        extent->boxes.count = 1;
    }
    return true;
}

void cli_extent_release(cli_extent *extent)
{
    ashi_array_release(&extent->boxes);
}

double cli_extent_size(const cli_extent *extent)
{
    double size = diagonal(extent->all);
    return size > 0 ? size : 1;
}
