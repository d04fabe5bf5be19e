/* Debug geometry as marks over the picture: bounds, axes, centres of mass, velocities, contacts, normals of flat sides
 * (Gribel 2009, 4.5). */
#include <math.h>

#include "ashlar/contact.h"
#include "math/transform.h"
#include "render/subject.h"
#include "world/world.h"

/* Lengths of arrows, of the size that marks go by: the fastest body's velocity, normals. */
static const double velocity_of_size = 0.15, side_of_size = 0.035, normal_of_size = 0.06;

static void add_box(cli_subject *subject, ash_bounds box, double radius)
{
    if (!v3_is_finite(box.lower) || !v3_is_finite(box.upper))
        return;
    cli_colour colour = cli_colour_of(0xcc79a7);
    for (int i = 0; i < 8; i++)
        for (int axis = 1; axis < 8; axis *= 2) {
            int j = i | axis;
            if (j == i || (axis == 4 && ash_world_is_planar(subject->world)))
                continue;
            ash_vec3 ends[2];
            for (int k = 0; k < 2; k++) {
                int corner = k == 0 ? i : j;
                ends[k] =
                    v3((corner & 1) != 0 ? box.upper.x : box.lower.x, (corner & 2) != 0 ? box.upper.y : box.lower.y,
                       (corner & 4) != 0 ? box.upper.z : box.lower.z);
            }
            if (i >= 4 && ash_world_is_planar(subject->world))
                continue;
            cli_items_add_line(&subject->marks, ends[0], ends[1], radius, colour);
        }
}

/* How far a body's shapes reach, for the length of its axes. */
static double body_size(const cli_subject *subject, uint32_t body)
{
    const ash_world *world = subject->world;
    double size = 0;
    uint32_t slot = world->model.bodies.info[body].first_shape;
    for (; slot != ASHI_NO_SLOT; slot = world->model.shapes.entries.data[slot].next) {
        ash_bounds box = ash_geometry_bounds(world->model.shapes.entries.data[slot].geometry, ash_identity());
        double diagonal = v3_distance(box.lower, box.upper);
        size = isfinite(diagonal) ? fmax(size, diagonal) : size;
    }
    return size > 0 ? fmin(size, subject->mark_size) : 0.1 * subject->mark_size;
}

static void add_axes(cli_subject *subject, uint32_t body, double radius)
{
    static const uint32_t colours[3] = {0xd55e00, 0x009e73, 0x0072b2};
    const ashi_bodies *bodies = &subject->world->model.bodies;
    ash_transform frame = ashi_body_frame(bodies, &bodies->now, body);
    double length = 0.65 * body_size(subject, body);
    const ash_vec3 ends[3] = {{length, 0, 0}, {0, length, 0}, {0, 0, length}};
    for (int i = 0; i < (bodies->planar ? 2 : 3); i++)
        cli_items_add_arrow(&subject->marks, frame.position, t_point(frame, ends[i]), radius,
                            cli_colour_of(colours[i]));
}

/* The normal on the right of the way from a to b. */
static void add_side(cli_subject *subject, ash_transform pose, ash_vec3 a, ash_vec3 b, double radius)
{
    ash_vec3 side = v3_sub(b, a), middle = v3_scale(v3_add(a, b), 0.5), normal = v3_unit(v3(side.y, -side.x, 0));
    cli_items_add_arrow(&subject->marks, t_point(pose, middle),
                        t_point(pose, v3_add_scaled(middle, normal, side_of_size * subject->mark_size)), radius,
                        subject->theme.ink);
}

static void add_sides(cli_subject *subject, const ash_geometry *geometry, ash_transform pose, double radius)
{
    const ash_geometry_def *def = ash_geometry_definition(geometry);
    for (uint32_t i = 0; def->kind == ASH_GEOMETRY_COMPOUND && i < def->part_count; i++)
        add_sides(subject, def->parts[i].geometry, t_mul(pose, def->parts[i].pose), radius);
    for (uint32_t i = 0; def->kind == ASH_GEOMETRY_POLYGON && i < def->point_count; i++)
        add_side(subject, pose, def->points[i], def->points[(i + 1) % def->point_count], radius);
    if (def->kind == ASH_GEOMETRY_SEGMENT && def->point_count == 4) /* of a chain, which is met from its left */
        add_side(subject, pose, def->points[2], def->points[1], radius);
}

/* Points on both surfaces, joined by the depth: orange where shapes overlap, blue where they are only near. */
static void add_contact_point(cli_subject *subject, const ash_contact_point *point, double radius)
{
    cli_colour colour = cli_colour_of(point->depth >= 0 ? 0xd55e00 : 0x0072b2);
    cli_items_add_line(&subject->marks, point->on_a, point->on_b, radius, colour);
    cli_items_add_ball(&subject->marks, point->on_a, 2.2 * radius, colour);
    cli_items_add_ball(&subject->marks, point->on_b, 2.2 * radius, colour);
}

static void add_contacts(cli_subject *subject, uint32_t layers, double radius)
{
    uint32_t count = ash_world_contacts(subject->world, NULL, 0);
    ash_contact *contacts = ashi_alloc_array(count, sizeof *contacts);
    if (contacts == NULL) {
        subject->marks.failure = ASH_OUT_OF_MEMORY;
        return;
    }
    ash_world_contacts(subject->world, contacts, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t points = contacts[i].point_count;
        for (uint32_t j = 0; j < points && j < ASH_CONTACT_POINTS; j++) {
            const ash_contact_point *point = &contacts[i].points[j];
            ash_vec3 tip = v3_add_scaled(point->on_b, contacts[i].normal, normal_of_size * subject->mark_size);
            if ((layers & CLI_SHOW_CONTACTS) != 0)
                add_contact_point(subject, point, radius);
            if ((layers & CLI_SHOW_NORMALS) != 0)
                cli_items_add_arrow(&subject->marks, point->on_b, tip, radius, subject->theme.ink);
        }
    }
    ashi_free(contacts);
}

static double fastest(const ashi_bodies *bodies)
{
    double most = 0;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (ashi_pool_in_use(&bodies->pool, i))
            most = fmax(most, v3_norm(bodies->now.velocity[i]));
    return most;
}

static void add_of_body(cli_subject *subject, uint32_t body, uint32_t layers, double radius, double velocity_scale)
{
    const ash_world *world = subject->world;
    const ashi_bodies *bodies = &world->model.bodies;
    ash_vec3 centre = bodies->now.position[body];
    bool moves = bodies->info[body].type != ASH_BODY_STATIC;
    uint32_t slot = bodies->info[body].first_shape;
    for (; slot != ASHI_NO_SLOT; slot = world->model.shapes.entries.data[slot].next) {
        const ash_geometry *geometry = world->model.shapes.entries.data[slot].geometry;
        ash_transform pose = cli_shape_pose(world, slot);
        if ((layers & CLI_SHOW_BOUNDS) != 0)
            add_box(subject, ash_geometry_bounds(geometry, pose), radius / 2);
        if ((layers & CLI_SHOW_EDGES) != 0 && bodies->planar)
            add_sides(subject, geometry, pose, radius / 2);
    }
    if ((layers & CLI_SHOW_AXES) != 0 && moves)
        add_axes(subject, body, radius);
    if ((layers & CLI_SHOW_VELOCITIES) != 0 && moves)
        cli_items_add_arrow(&subject->marks, centre, v3_add_scaled(centre, bodies->now.velocity[body], velocity_scale),
                            radius, cli_colour_of(0xd55e00));
    if ((layers & CLI_SHOW_CENTRES) != 0 && bodies->info[body].type == ASH_BODY_DYNAMIC)
        cli_items_add_ball(&subject->marks, centre, 2.5 * radius, subject->theme.ink);
}

void cli_subject_add_marks(cli_subject *subject, uint32_t layers, double line_radius)
{
    const ashi_bodies *bodies = &subject->world->model.bodies;
    double speed = fastest(bodies), scale = speed > 0 ? velocity_of_size * subject->mark_size / speed : 0;
    if (layers == 0)
        return;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (ashi_pool_in_use(&bodies->pool, i))
            add_of_body(subject, i, layers, line_radius, scale);
    if ((layers & (CLI_SHOW_CONTACTS | CLI_SHOW_NORMALS)) != 0)
        add_contacts(subject, layers, line_radius);
}
