/* Debug geometry as marks over the picture: the world's layers (ashlar/debug.h) in colours. */
#include "ashlar/debug.h"
#include "render/subject.h"
#include "world/world.h"

#include <math.h>

/* Lengths of arrows, of the size that marks go by: the fastest body's velocity, normals, joints; axes, of a body's
 * size.
 */
static const double velocity_of_size = 0.15, normal_of_size = 0.06, joint_of_size = 0.05, axes_of_body = 0.55;

typedef struct mark_painter {
    cli_subject *subject;
    double radius;
} mark_painter;

/* Contacts: orange where shapes overlap, blue where they are only near. */
static cli_colour colour_of(const cli_subject *subject, ash_debug_layer layer, double value)
{
    static const uint32_t axes[3] = {0xd55e00, 0x009e73, 0x0072b2};
    switch (layer) {
    case ASH_DEBUG_BOUNDS:
        return cli_colour_of(0xcc79a7);
    case ASH_DEBUG_AXES:
        return cli_colour_of(axes[(int)value]);
    case ASH_DEBUG_VELOCITIES:
    case ASH_DEBUG_IMPACTS:
        return cli_colour_of(0xd55e00);
    case ASH_DEBUG_JOINTS: /* what is open beyond a millimetre stands out */
        return cli_colour_of(value > 1e-3 ? 0xd55e00 : 0x56b4e9);
    case ASH_DEBUG_CONTACTS:
        return cli_colour_of(value >= 0 ? 0xd55e00 : 0x0072b2);
    default:
        return subject->theme.ink;
    }
}

static void paint_line(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    double radius = layer == ASH_DEBUG_BOUNDS ? 0.5 * p->radius : p->radius;
    cli_items_add_line(&p->subject->marks, from, to, radius, colour_of(p->subject, layer, value));
}

static void paint_arrow(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    double radius = layer == ASH_DEBUG_EDGES ? 0.5 * p->radius : p->radius;
    cli_items_add_arrow(&p->subject->marks, from, to, radius, colour_of(p->subject, layer, value));
}

static void paint_point(ash_vec3 position, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    cli_items_add_ball(&p->subject->marks, position, 2.2 * p->radius, colour_of(p->subject, layer, value));
}

static double fastest(const ashi_bodies *bodies)
{
    double most = 0;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (ashi_pool_in_use(&bodies->pool, i))
            most = fmax(most, v3_norm(bodies->now.velocity[i]));
    return most;
}

void cli_subject_add_marks(cli_subject *subject, uint32_t layers, double line_radius)
{
    mark_painter painter = {subject, line_radius};
    double speed = fastest(&subject->world->model.bodies), size = subject->mark_size;
    ash_debug_scale scale = {.axes = axes_of_body * subject->body_size,
                             .normals = normal_of_size * size,
                             .velocity = speed > 0 ? velocity_of_size * size / speed : 0};
    ash_debug_painter functions = {paint_line, paint_arrow, paint_point, &painter};
    if (layers != 0)
        ash_world_debug(subject->world, layers & ~(uint32_t)ASH_DEBUG_JOINTS, scale, &functions);
    scale.axes = joint_of_size * size; /* many joints may be on one body: theirs are smaller */
    if ((layers & ASH_DEBUG_JOINTS) != 0)
        ash_world_debug(subject->world, ASH_DEBUG_JOINTS, scale, &functions);
}
