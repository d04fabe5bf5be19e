/* Marks: the debug layers of a world (ashlar/debug.h) as lines, arrows and points. */
#include "ashlar/debug.h"

#include <math.h>
#include <string.h>

#include "app/viewer/parts.h"
#include "world/world.h"

/* Lengths of what has none of its own, of a body's size; of velocities and forces those of the largest. */
static const double axes_length = 0.55, normal_length = 0.5, velocity_length = 1.5, force_length = 2;
/* Sizes of a body in a second: when nothing is faster, everything is at rest except for rounding, and arrows are short.
 */
static const double slow = 0.01;
/* How the largest velocity and force count on from frame to frame, so that a single impact changes scales slowly. */
static const double fading = 0.98;
/* Marks in a message at most: more cannot be distinguished. */
enum { MARKS_MOST = 400000 };
enum { LINE, ARROW, POINT };

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
    ash_debug_layer layer; /* of the last mark, and its number: marks of a layer come one after the other */
    uint8_t number;
} mark_writer;

static uint8_t number_of(mark_writer *writer, ash_debug_layer layer)
{
    if (layer != writer->layer) {
        writer->layer = layer;
        writer->number = 0;
        while (writer->number < ASH_DEBUG_LAYERS && (1u << writer->number) != (uint32_t)layer)
            writer->number++;
    }
    return writer->number;
}

static void put_mark(mark_writer *writer, uint8_t kind, ash_debug_layer layer, double value, ash_vec3 from, ash_vec3 to)
{
    uint8_t *at = writer->count < MARKS_MOST ? view_bytes_reserve(writer->bytes, VIEW_MARK_SIZE) : NULL;
    if (at == NULL)
        return;
    *at++ = kind;
    *at++ = number_of(writer, layer);
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

static double fastest(const ash_world *world)
{
    const ashi_bodies *bodies = &world->model.bodies;
    double most = 0;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (bodies->motion[i] != 0)
            most = fmax(most, v3_norm2(bodies->now.velocity[i]));
    return sqrt(most);
}

/* Of contact points; where none carries any load, the mean weight. */
static double strongest(const ash_world *world)
{
    const ashi_contact_set *contacts = &world->collision.now;
    const ashi_bodies *bodies = &world->model.bodies;
    double most = 0, mass = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < contacts->points.count; i++)
        most = fmax(most, v3_norm2(contacts->points.data[i].force));
    if (most > 0)
        return sqrt(most);
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (ashi_pool_in_use(&bodies->pool, i) && bodies->info[i].type == ASH_BODY_DYNAMIC) {
            mass += bodies->inertial[i].mass;
            count++;
        }
    return count > 0 ? mass / count * v3_norm(world->model.gravity) : 0;
}

static ash_debug_scale scale_for(view_session *session, const ash_world *world)
{
    double size = session->body_size;
    session->fastest = fmax(fmax(fading * session->fastest, fastest(world)), slow * size);
    session->strongest = fmax(fading * session->strongest, strongest(world));
    return (ash_debug_scale){.axes = axes_length * size,
                             .normals = normal_length * size,
                             .velocity = session->fastest > 0 ? velocity_length * size / session->fastest : 0,
                             .force = session->strongest > 0 ? force_length * size / session->strongest : 0};
}

void view_send_marks(view_session *session, uint32_t world, view_sink sink)
{
    view_bytes *bytes = &session->marks;
    mark_writer writer = {.bytes = bytes};
    bytes->size = 0;
    if (view_bytes_reserve(bytes, VIEW_MARKS_HEADER) == NULL)
        return;
    bytes->size = VIEW_MARKS_HEADER;
    const ash_world *shown = session->worlds[world].instance.world;
    ash_debug_scale scale = scale_for(session, shown);
    ash_debug_painter painter = {paint_line, paint_arrow, paint_point, &writer};
    ash_world_debug(shown, session->layers, scale, &painter);
    uint8_t *at = view_put_u32(view_put_u32(bytes->data, VIEW_MARKS), session->generation);
    view_put_u32(view_put_u32(at, writer.count), world);
    view_send_bytes(sink, bytes);
}
