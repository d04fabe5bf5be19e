/* Debug geometry as marks over the picture: the world's layers (ashlar/debug.h) in colours. */
#include "app/picture/subject.h"
#include "ashlar/contact.h"
#include "ashlar/debug.h"
#include "world/world.h"

#include <math.h>

/* Lengths of arrows, of the size that marks go by: the fastest body's velocity, the
 * largest force, normals, joints; axes, of a body's
 * size.
 */
static const double velocity_of_size = 0.15, force_of_size = 0.2, normal_of_size = 0.06, joint_of_size = 0.05,
                    axes_of_body = 0.55;

typedef struct mark_painter {
    cli_subject *subject;
    double radius;
} mark_painter;

uint32_t cli_layer_number(ash_debug_layer layer)
{
    uint32_t number = 0;
    while ((1u << number) < (uint32_t)layer)
        number++;
    return number;
}

/* Contacts: orange where shapes overlap, blue where they are only near. The rest as the viewer has it. */
cli_colour cli_mark_colour(const cli_subject *subject, ash_debug_layer layer, double value)
{
    static const uint32_t axes[3] = {0xd55e00, 0x009e73, 0x0072b2};
    switch (layer) {
    case ASH_DEBUG_BOUNDS:
    case ASH_DEBUG_LIMITS:
        return cli_colour_of(0xcc79a7);
    case ASH_DEBUG_AXES:
        return cli_colour_of(axes[(int)value]);
    case ASH_DEBUG_VELOCITIES:
    case ASH_DEBUG_IMPACTS:
    case ASH_DEBUG_FORCES:
        return cli_colour_of(0xd55e00);
    case ASH_DEBUG_FRICTION:
        return cli_colour_of(0x009e73);
    case ASH_DEBUG_PENETRATION:
        return cli_colour_of(0xe4003a);
    case ASH_DEBUG_SPRINGS: /* slack, or at rest */
        return value > 0 ? cli_colour_of(0x4f86a8) : subject->theme.slack;
    case ASH_DEBUG_DRIVES:
        return cli_colour_of(0xe69f00);
    case ASH_DEBUG_GRAPH: {
        double layers = ash_world_get_stacking(subject->world).layers;
        return cli_share_colour(layers > 1 ? (value - 1) / (layers - 1) : 0);
    }
    case ASH_DEBUG_JOINTS: /* what is open beyond a millimetre stands out */
        return cli_colour_of(value > 1e-3 ? 0xd55e00 : 0x56b4e9);
    case ASH_DEBUG_CONTACTS:
        return cli_colour_of(value >= 0 ? 0xd55e00 : 0x0072b2);
    default:
        return subject->theme.ink;
    }
}

/* Keeps the largest value of each layer, and gives the mark its colour. */
static cli_colour note(const mark_painter *p, ash_debug_layer layer, double value)
{
    double *largest = &p->subject->largest[cli_layer_number(layer)];
    *largest = fmax(*largest, fabs(value));
    return cli_mark_colour(p->subject, layer, value);
}

static void paint_line(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    double radius = layer == ASH_DEBUG_BOUNDS || layer == ASH_DEBUG_SLEEPING ? 0.5 * p->radius : p->radius;
    cli_items_add_line(&p->subject->marks, from, to, radius, note(p, layer, value));
}

static void paint_arrow(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    double radius = layer == ASH_DEBUG_EDGES ? 0.5 * p->radius : p->radius;
    cli_items_add_arrow(&p->subject->marks, from, to, radius, note(p, layer, value));
}

static void paint_point(ash_vec3 position, ash_debug_layer layer, double value, void *user)
{
    const mark_painter *p = user;
    cli_items_add_ball(&p->subject->marks, position, 2.2 * p->radius, note(p, layer, value));
}

void cli_subject_add_marks(cli_subject *subject, double line_radius)
{
    /* Many joints may be on one body: their axes are smaller. */
    const uint32_t of_joints = ASH_DEBUG_JOINTS | ASH_DEBUG_LIMITS;
    mark_painter painter = {subject, line_radius};
    const cli_look *look = &subject->look;
    double size = subject->mark_size;
    ash_debug_scale scale = {.axes = axes_of_body * subject->body_size,
                             .normals = normal_of_size * size,
                             .velocity = look->scales.speed > 0 ? velocity_of_size * size / look->scales.speed : 0,
                             .force = look->scales.force > 0 ? force_of_size * size / look->scales.force : 0};
    ash_debug_painter functions = {paint_line, paint_arrow, paint_point, &painter};
    ash_world_debug(subject->world, look->layers & ~of_joints, scale, &functions);
    scale.axes = joint_of_size * size;
    ash_world_debug(subject->world, look->layers & of_joints, scale, &functions);
}
