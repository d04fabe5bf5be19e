/* Debug geometry of a world, layer by layer. */
#include "world/debug.h"

static const struct {
    const char *name, *summary;
} debug_layers[ASH_DEBUG_LAYERS] = {
    {"bounds", "boxes of shapes"},
    {"axes", "axes of bodies"},
    {"centres", "centres of mass"},
    {"velocities", "velocities of centres of mass"},
    {"edges", "normals of the sides of flat shapes"},
    {"contacts", "points of contact"},
    {"normals", "normals of contacts"},
    {"impacts", "impacts within the last step"},
    {"joints", "frames and axes of joints"},
    {"forces", "normal forces of contacts"},
    {"friction", "friction forces of contacts"},
    {"penetration", "where shapes overlap"},
    {"springs", "springs, red when slack"},
    {"limits", "limits of joints"},
    {"drives", "motors of joints"},
    {"cylinders", "hydraulic cylinders"},
    {"graph", "contact graph with its stack layers"},
    {"sleeping", "bodies asleep"},
};

const char *ash_debug_layer_name(uint32_t number)
{
    return number < ASH_DEBUG_LAYERS ? debug_layers[number].name : NULL;
}

const char *ash_debug_layer_summary(uint32_t number)
{
    return number < ASH_DEBUG_LAYERS ? debug_layers[number].summary : NULL;
}

static ash_vec3 corner_of(const ash_bounds *box, int corner)
{
    return v3((corner & 1) != 0 ? box->upper.x : box->lower.x, (corner & 2) != 0 ? box->upper.y : box->lower.y,
              (corner & 4) != 0 ? box->upper.z : box->lower.z);
}

/* The twelve edges of a box; the four of a flat one. */
static void draw_box(const ashi_drawing *d, ash_bounds box, ash_debug_layer layer)
{
    bool planar = ash_world_is_planar(d->world);
    if (!v3_is_finite(box.lower) || !v3_is_finite(box.upper))
        return;
    for (int corner = 0; corner < (planar ? 4 : 8); corner++)
        for (int axis = 1; axis < (planar ? 4 : 8); axis *= 2)
            if ((corner & axis) == 0)
                ashi_draw_line(d, corner_of(&box, corner), corner_of(&box, corner | axis), layer, 0);
}

/* The normal on the right of the line from a to b. */
static void draw_side(const ashi_drawing *d, ash_transform pose, ash_vec3 a, ash_vec3 b)
{
    ash_vec3 side = v3_sub(b, a), middle = v3_scale(v3_add(a, b), 0.5), normal = v3_unit(v3(side.y, -side.x, 0));
    ashi_draw_arrow(d, t_point(pose, middle), t_point(pose, v3_add_scaled(middle, normal, d->scale.normals)),
                    ASH_DEBUG_EDGES, 0);
}

static void draw_sides(const ashi_drawing *d, const ash_geometry *geometry, ash_transform pose)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    if (def->kind == ASH_GEOMETRY_COMPOUND)
        for (uint32_t i = 0; i < def->part_count; i++)
            draw_sides(d, def->parts[i].geometry, t_mul(pose, def->parts[i].pose));
    if (def->kind == ASH_GEOMETRY_POLYGON)
        for (uint32_t i = 0; i < def->point_count; i++)
            draw_side(d, pose, def->points[i], def->points[(i + 1) % def->point_count]);
    if (def->kind == ASH_GEOMETRY_SEGMENT && def->point_count == 4) /* of a chain, which is solid from its left */
        draw_side(d, pose, def->points[2], def->points[1]);
}

static void draw_shapes(const ashi_drawing *d, uint32_t body, uint32_t layers)
{
    const ashi_shapes *shapes = &d->world->model.shapes;
    bool planar = ash_world_is_planar(d->world);
    bool sleeps = !ashi_sleep_is_awake(&d->world->model.bodies, &d->world->method, body);
    for (uint32_t i = d->world->model.bodies.info[body].first_shape; i != ASHI_NO_SLOT;
         i = shapes->entries.data[i].next) {
        ash_transform pose = ashi_world_shape_pose(d->world, i);
        ash_bounds box = ash_geometry_bounds(shapes->entries.data[i].geometry, pose);
        if ((layers & ASH_DEBUG_BOUNDS) != 0)
            draw_box(d, box, ASH_DEBUG_BOUNDS);
        if ((layers & ASH_DEBUG_SLEEPING) != 0 && sleeps)
            draw_box(d, box, ASH_DEBUG_SLEEPING);
        if ((layers & ASH_DEBUG_EDGES) != 0 && planar)
            draw_sides(d, shapes->entries.data[i].geometry, pose);
    }
}

static void draw_body(const ashi_drawing *d, uint32_t body, uint32_t layers)
{
    const ashi_bodies *b = &d->world->model.bodies;
    ash_vec3 centre = b->now.position[body], velocity = b->now.velocity[body];
    ash_transform frame = ashi_body_frame(b, &b->now, body);
    const ash_vec3 ends[3] = {{d->scale.axes, 0, 0}, {0, d->scale.axes, 0}, {0, 0, d->scale.axes}};
    if ((layers & (ASH_DEBUG_BOUNDS | ASH_DEBUG_SLEEPING | ASH_DEBUG_EDGES)) != 0)
        draw_shapes(d, body, layers);
    if ((layers & ASH_DEBUG_AXES) != 0)
        for (int i = 0; i < (b->planar ? 2 : 3); i++)
            ashi_draw_arrow(d, frame.position, t_point(frame, ends[i]), ASH_DEBUG_AXES, i);
    if ((layers & ASH_DEBUG_VELOCITIES) != 0 && b->motion[body] != 0)
        ashi_draw_arrow(d, centre, v3_add_scaled(centre, velocity, d->scale.velocity), ASH_DEBUG_VELOCITIES,
                        v3_norm(velocity));
    if ((layers & ASH_DEBUG_CENTRES) != 0 && (b->motion[body] & ASHI_DYNAMIC) != 0)
        ashi_draw_point(d, centre, ASH_DEBUG_CENTRES, 0);
}

ash_status ash_world_debug(const ash_world *world, uint32_t layers, ash_debug_scale scale,
                           const ash_debug_painter *painter)
{
    if (!isfinite(scale.axes) || !isfinite(scale.normals) || !isfinite(scale.velocity) || !isfinite(scale.force))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "debug.scale", "%s: a length is not finite", __func__);
    ashi_drawing d = {world, scale, *painter};
    for (uint32_t body = 1; body < ashi_body_slots(&world->model.bodies); body++)
        if (ashi_pool_in_use(&world->model.bodies.pool, body))
            draw_body(&d, body, layers);
    ashi_draw_contacts(&d, layers);
    ashi_draw_joints(&d, layers);
    if ((layers & ASH_DEBUG_SPRINGS) != 0)
        ashi_draw_springs(&d);
    if ((layers & ASH_DEBUG_GRAPH) != 0)
        ashi_draw_graph(&d);
    return ASH_OK;
}
