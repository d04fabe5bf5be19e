/* Marks: the debug layers of a world (ashlar/debug.h) as lines, arrows and points. */
#include "ashlar/debug.h"

#include <math.h>
#include <string.h>

#include "view/parts.h"
#include "world/world.h"

/* Lengths of what has none of its own, of a body's size. */
static const double axes_length = 0.55, normal_length = 0.5, velocity_length = 1.5, force_length = 1.5;
/* Marks in a message at most: more cannot be told apart. */
enum { MARKS_MOST = 400000 };
enum { LINE, ARROW, POINT };

/* Layers have on the wire the numbers of their bits. */
const char *view_layer_name(uint32_t number)
{
    return ash_debug_layer_name(number);
}

const char *view_layer_summary(uint32_t number)
{
    return ash_debug_layer_summary(number);
}

uint32_t view_layer_find(const char *name)
{
    for (uint32_t i = 0; i < ASH_DEBUG_LAYERS; i++)
        if (strcmp(ash_debug_layer_name(i), name) == 0)
            return 1u << i;
    return 0;
}

typedef struct mark_writer {
    view_bytes *bytes;
    uint32_t count;
} mark_writer;

static void put_mark(mark_writer *writer, uint8_t kind, ash_debug_layer layer, double value, ash_vec3 from, ash_vec3 to)
{
    uint8_t *at = writer->count < MARKS_MOST ? view_bytes_reserve(writer->bytes, VIEW_MARK_SIZE) : NULL;
    if (at == NULL)
        return;
    uint8_t number = 0;
    while (number < 31 && (1u << number) != (uint32_t)layer)
        number++;
    *at++ = kind;
    *at++ = number;
    at = view_put_f32(view_put_u16(at, 0), value);
    view_put_point(view_put_point(at, from), to);
    writer->bytes->size += VIEW_MARK_SIZE;
    writer->count++;
}

static void paint_line(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    put_mark(user, LINE, layer, value, from, to);
}

static void paint_arrow(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user)
{
    put_mark(user, ARROW, layer, value, from, to);
}

static void paint_point(ash_vec3 position, ash_debug_layer layer, double value, void *user)
{
    put_mark(user, POINT, layer, value, position, position);
}

/* The fastest body's arrow has a length that can be seen. */
static double velocity_scale(const view_session *session, const ash_world *world)
{
    const ashi_bodies *bodies = &world->model.bodies;
    double most = 0;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (bodies->motion[i] != 0)
            most = fmax(most, v3_norm2(bodies->now.velocity[i]));
    return most > 0 ? velocity_length * session->body_size / sqrt(most) : 0;
}

/* The same for the largest force: of a contact point, or of a drive where that is larger. */
static double force_scale(const view_session *session, const ash_world *world)
{
    const ashi_contact_set *contacts = &world->collision.now;
    const ashi_joints *joints = &world->model.joints;
    double most = 0;
    for (uint32_t i = 0; i < contacts->points.count; i++)
        most = fmax(most, v3_norm2(contacts->points.data[i].force));
    most = sqrt(most);
    for (uint32_t i = 0; i < joints->entries.count; i++)
        for (uint32_t key = ASHI_DRIVE_KEY; key < ASHI_SPRING_KEY; key++)
            most = fmax(most, fabs(joints->entries.data[i].force[key]));
    return most > 0 ? force_length * session->body_size / most : 0;
}

void view_send_marks(view_session *session, uint32_t world, view_sink sink)
{
    view_bytes *bytes = &session->marks;
    mark_writer writer = {bytes, 0};
    bytes->size = 0;
    if (view_bytes_reserve(bytes, VIEW_MARKS_HEADER) == NULL)
        return;
    bytes->size = VIEW_MARKS_HEADER;
    const ash_world *shown = session->worlds[world].instance.world;
    ash_debug_scale scale = {.axes = axes_length * session->body_size,
                             .normals = normal_length * session->body_size,
                             .velocity = velocity_scale(session, shown),
                             .force = force_scale(session, shown)};
    ash_debug_painter painter = {paint_line, paint_arrow, paint_point, &writer};
    ash_world_debug(shown, session->layers, scale, &painter);
    uint8_t *at = view_put_u32(view_put_u32(bytes->data, VIEW_MARKS), session->generation);
    view_put_u32(view_put_u32(at, writer.count), world);
    view_send_bytes(sink, bytes);
}
