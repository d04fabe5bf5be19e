/* From a world to items: shapes in the colours of their bodies, and solids for what has no shape. */
#include "app/picture/subject.h"

#include <math.h>

#include "app/picture/palette.h"
#include "math/transform.h"
#include "world/world.h"

/* Sizes of points and lines, of the picture's subject and of a spring; the smaller one counts. */
static const double point_of_size = 0.009, point_of_spring = 0.24;
static const double line_of_size = 0.0028, line_of_spring = 0.09;
static const double lone_point = 0.08; /* of the picture's height, for a point mass that is alone */
static const double sensor_opacity = 0.3;
static const uint32_t coils_most = 200; /* springs and joints; more are thin lines */
/* Breadth of marks, of what they go by and at least of the subject; and how many shapes wide that is. */
static const double mark_of_size = 0.002, thinnest = 0.0011, marks_of_shape = 6;

static cli_colour colour_of_type(const cli_theme *theme, ash_body_type type, cli_colour dynamic)
{
    return type == ASH_BODY_STATIC ? theme->fixed : type == ASH_BODY_KINEMATIC ? theme->driven : dynamic;
}

cli_colour cli_tint_colour(const cli_subject *subject, double value)
{
    const cli_look *look = &subject->look;
    double high = look->scales.tint;
    switch (look->tint) {
    case CLI_TINT_ISLAND:
        return cli_colour_of_body((uint32_t)value);
    case CLI_TINT_SLEEPING:
        return value > 0 ? subject->theme.asleep : subject->theme.awake;
    case CLI_TINT_LAYER:
        return cli_share_colour(high > 1 ? (value - 1) / (high - 1) : 0);
    default:
        return cli_share_colour(high > 0 ? value / high : 0);
    }
}

/* Islands are numbered by their first bodies; neighbours in the list of islands get colours that are far apart. */
static void number_islands(cli_subject *subject, uint32_t *number)
{
    const ashi_bodies *bodies = &subject->world->model.bodies;
    uint32_t next = 0;
    for (uint32_t i = 0; i < subject->tints.count; i++) {
        uint32_t first = (uint32_t)subject->tints.data[i];
        number[i] = first != i ? number[first] : bodies->info[i].type == ASH_BODY_DYNAMIC ? next++ : 0;
        subject->tints.data[i] = (float)number[i];
    }
}

/* What bodies are coloured by. */
static bool make_tints(cli_subject *subject)
{
    uint32_t count = ashi_body_slots(&subject->world->model.bodies);
    if (subject->look.tint == CLI_TINT_BODY)
        return true;
    uint32_t *work = ashi_alloc_array(count, sizeof *work);
    bool room = ashi_array_reserve(&subject->tints, count) && work != NULL;
    if (room) {
        subject->tints.count = count;
        cli_tint_values(subject->world, subject->look.tint, subject->tints.data, work);
        if (subject->look.tint == CLI_TINT_ISLAND)
            number_islands(subject, work);
    }
    ashi_dealloc(work);
    return room;
}

static cli_colour colour_of_shape(const cli_subject *subject, const ashi_scene_shape *shape, cli_colour body)
{
    if (!shape->paint.given || subject->tints.count > 0)
        return body;
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++)
        rgb = rgb << 8 | (uint32_t)(255 * shape->paint.rgba[i] + 0.5);
    return cli_colour_of(rgb);
}

/* Something that is drawn and does not collide: among the solids, or where it can be seen through among the marks. */
static void add_visual(cli_subject *subject, const ash_scene *scene, const ashi_scene_shape *shape, ash_transform body,
                       cli_colour colour)
{
    ash_geometry *geometry = ash_geometry_retain(scene->geometries.data[shape->geometry].geometry);
    double opacity = shape->paint.given ? shape->paint.rgba[3] : 1;
    cli_items_add(opacity < 1 ? &subject->marks : &subject->solids, geometry, t_mul(body, shape->pose), colour,
                  opacity);
}

/* Shapes of the world stand in the order of the description's, without those that are only drawn. */
static void add_shapes(cli_subject *subject, const ash_scene *scene, const ashi_scene_body *described, ash_body body,
                       cli_colour colour)
{
    const ash_world *world = subject->world;
    ash_transform pose = ash_body_get_transform(world, body);
    uint32_t slot = world->model.bodies.info[ashi_pool_slot_of(&world->model.bodies.pool, body.id)].first_shape;
    for (uint32_t i = 0; i < described->shape_count; i++) {
        const ashi_scene_shape *shape = &scene->shapes.data[described->first_shape + i];
        cli_colour own = colour_of_shape(subject, shape, colour);
        if (shape->visual) {
            add_visual(subject, scene, shape, pose, own);
            continue;
        }
        if (slot == ASHI_NO_SLOT)
            return;
        ash_geometry *geometry = ash_geometry_retain(world->model.shapes.entries.data[slot].geometry);
        uint32_t number = subject->shapes.list.count;
        if (shape->sensor && !shape->hidden) { /* there, but nothing touches it */
            cli_items_add(&subject->marks, geometry, ashi_world_shape_pose(world, slot), own, sensor_opacity);
        } else {
            cli_items_add(&subject->shapes, geometry, ashi_world_shape_pose(world, slot), own, 1);
            if (subject->shapes.failure == ASH_OK) {
                subject->by_slot.data[slot] = number;
                subject->shapes.list.data[number].hidden = shape->hidden;
            }
        }
        slot = world->model.shapes.entries.data[slot].next;
    }
}

/* Bodies by their numbers in the scene, so that a body keeps its colour whatever comes and goes. */
static void add_bodies(cli_subject *subject, const ash_scene *scene, const ashi_instance *instance,
                       const uint32_t *colours, double radius)
{
    const ash_world *world = subject->world;
    const cli_theme *theme = &subject->theme;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *description = &scene->bodies.data[i];
        uint32_t slot = ashi_pool_slot_of(&world->model.bodies.pool, instance->bodies[i].id);
        if (slot == ASHI_NO_SLOT)
            continue;
        ash_body_type type = world->model.bodies.info[slot].type;
        bool tinted = subject->tints.count > 0;
        cli_colour colour = tinted ? cli_tint_colour(subject, (double)subject->tints.data[slot]) : theme->point;
        if (!tinted && colours[i] != ASHI_NONE)
            colour = cli_colour_of(colours[i]); /* also of what does not move */
        else
            colour = colour_of_type(theme, type, colour);
        if (description->shape_count == 0)
            cli_items_add_ball(&subject->solids, world->model.bodies.now.position[slot], radius, colour);
        else
            add_shapes(subject, scene, description, instance->bodies[i], colour);
    }
}

/* The mean diagonal of bounded shapes, or infinite when there are none. */
static double mean_shape_size(const cli_subject *subject)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < subject->shapes.list.count; i++) {
        const ash_bounds *box = &subject->shapes.list.data[i].bounds;
        double diagonal = v3_distance(box->lower, box->upper);
        if (isfinite(diagonal)) {
            sum += diagonal;
            count++;
        }
    }
    return count > 0 ? sum / count : (double)INFINITY;
}

ash_status cli_subject_make(cli_subject *subject, const ash_scene *scene, const ashi_instance *instance,
                            const cli_extent *extent, const cli_look *look)
{
    const ash_world *world = instance->world;
    uint32_t slots = world->model.shapes.pool.slots.count;
    *subject = (cli_subject){
        .world = world, .look = *look, .theme = cli_theme_make(look->dark), .size = cli_extent_size(extent)};
    uint32_t *colours = ashi_alloc_array((size_t)scene->bodies.count + 1, sizeof *colours);
    if (colours == NULL || !ashi_array_reserve(&subject->by_slot, slots) || !make_tints(subject)) {
        ashi_dealloc(colours);
        return ASH_OUT_OF_MEMORY;
    }
    cli_body_colours(scene, colours);
    subject->coils = world->model.forces.springs.count + world->model.joints.entries.count <= coils_most;
    double point = point_of_size * subject->size, line = line_of_size * subject->size;
    if (!(v3_distance(extent->all.lower, extent->all.upper) > 0))
        point = lone_point * subject->size;
    if (extent->spring > 0) {
        point = fmin(point, point_of_spring * extent->spring);
        line = fmin(line, line_of_spring * extent->spring);
    }
    add_bodies(subject, scene, instance, colours, point);
    ashi_dealloc(colours);
    cli_subject_add_forces(subject, point, line);
    subject->body_size =
        fmin(mean_shape_size(subject), subject->shapes.list.count > 0 ? subject->size : lone_point * subject->size);
    subject->mark_size = fmin(subject->size, marks_of_shape * mean_shape_size(subject));
    cli_subject_add_marks(subject, fmax(mark_of_size * subject->mark_size, thinnest * subject->size));
    subject->centre =
        v3_is_finite(extent->all.lower) ? v3_scale(v3_add(extent->all.lower, extent->all.upper), 0.5) : v3(0, 0, 0);
    subject->has_grid = !extent->has_plane;
    subject->floor = isfinite(extent->lowest) ? extent->lowest : 0;
    for (uint32_t i = 0; i < subject->solids.list.count; i++)
        subject->floor = fmin(subject->floor, subject->solids.list.data[i].bounds.lower.z);
    ash_status status = cli_items_build(&subject->shapes);
    if (status == ASH_OK)
        status = cli_items_build(&subject->solids);
    return status == ASH_OK ? cli_items_build(&subject->marks) : status;
}

void cli_subject_release(cli_subject *subject)
{
    cli_items_release(&subject->shapes);
    cli_items_release(&subject->solids);
    cli_items_release(&subject->marks);
    ashi_array_release(&subject->by_slot);
    ashi_array_release(&subject->tints);
}
