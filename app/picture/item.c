/* Lists of items. The renderer's own solids are the library's geometries too, so that there is one way to meet a ray.
 */
#include "app/picture/item.h"

#include "math/transform.h"

void cli_items_add(cli_items *items, ash_geometry *geometry, ash_transform pose, cli_colour colour, double opacity)
{
    if (geometry == NULL || !ashi_array_extend(&items->list)) {
        ash_geometry_release(geometry);
        items->failure = ASH_OUT_OF_MEMORY;
        return;
    }
    items->list.data[items->list.count - 1] =
        (cli_item){geometry, pose, ash_geometry_bounds(geometry, pose), colour, opacity, false};
}

/* Null when it could not be made: sizes are positive and finite, so memory ran out. */
static ash_geometry *make(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    return ash_geometry_create(def, &geometry, NULL) == ASH_OK ? geometry : NULL;
}

void cli_items_add_ball(cli_items *items, ash_vec3 centre, double radius, cli_colour colour)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    cli_items_add(items, make(&def), (ash_transform){centre, q_identity()}, colour, 1);
}

/* The rotation that turns z into `direction`, which is a unit vector. */
static ash_quat turn_to(ash_vec3 direction)
{
    if (direction.z < -0.999999)
        return (ash_quat){0, 1, 0, 0};
    return q_unit((ash_quat){1 + direction.z, -direction.y, direction.x, 0});
}

void cli_items_add_line(cli_items *items, ash_vec3 from, ash_vec3 to, double radius, cli_colour colour)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CAPSULE);
    def.radius = radius;
    def.height = v3_distance(from, to);
    if (!(def.height > 1e-6 * radius)) {
        cli_items_add_ball(items, from, radius, colour);
        return;
    }
    ash_transform pose = {v3_scale(v3_add(from, to), 0.5), turn_to(v3_unit(v3_sub(to, from)))};
    cli_items_add(items, make(&def), pose, colour, 1);
}

void cli_items_add_arrow(cli_items *items, ash_vec3 from, ash_vec3 to, double radius, cli_colour colour)
{
    double length = v3_distance(from, to), head = fmin(8 * radius, length / 2);
    if (!(length > 2 * radius))
        return;
    ash_vec3 direction = v3_unit(v3_sub(to, from)), neck = v3_add_scaled(to, direction, -head);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CONE);
    def.radius = head * 0.38;
    def.height = head;
    cli_items_add_line(items, from, neck, radius, colour);
    cli_items_add(items, make(&def), (ash_transform){v3_add_scaled(to, direction, -head / 2), turn_to(direction)},
                  colour, 1);
}

void cli_items_release(cli_items *items)
{
    for (uint32_t i = 0; i < items->list.count; i++)
        ash_geometry_release(items->list.data[i].geometry);
    ashi_array_release(&items->list);
    ashi_array_release(&items->nodes);
    ashi_array_release(&items->order);
}
