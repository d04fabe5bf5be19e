/* Frames: where all bodies are, what is plotted, and who sleeps. Bodies that are not in the world, because an event has
 * still to add them or they are gone, have NaN for a position and zeros for a rotation. Memory is kept from frame to
 * frame: a warm one allocates nothing. */
#include <math.h>

#include "app/viewer/parts.h"
#include "world/world.h"

static uint8_t *put_share(uint8_t *at, double share)
{
    double scaled = 32767 * share;
    return view_put_u16(at, (uint16_t)(int16_t)(scaled + (scaled < 0 ? -0.5 : 0.5)));
}

static uint8_t *put_rotation(uint8_t *at, ash_quat q)
{
    return put_share(put_share(put_share(put_share(at, q.x), q.y), q.z), q.w);
}

/* Positions, rotations and bits of sleepers, each in its own place. */
static void put_bodies(const view_session *session, const view_world *world, uint8_t *positions, uint8_t *rotations,
                       uint8_t *asleep)
{
    const ash_world *inside = world->instance.world;
    const ashi_bodies *bodies = &inside->model.bodies;
    const ash_vec3 nowhere = {(double)NAN, (double)NAN, (double)NAN};
    for (uint32_t i = 0; i < session->scene->bodies.count; i++) {
        uint32_t slot = ashi_pool_slot_of(&bodies->pool, world->instance.bodies[i].id);
        if (slot == ASHI_NO_SLOT) {
            positions = view_put_point(positions, nowhere);
            rotations = view_put_u64(rotations, 0);
            continue;
        }
        ash_transform frame = ashi_body_frame(bodies, &bodies->now, slot);
        positions = view_put_point(positions, frame.position);
        rotations = put_rotation(rotations, frame.rotation);
        if (!ashi_sleep_is_awake(bodies, &inside->method, slot))
            asleep[i / 8] |= (uint8_t)(1u << i % 8);
    }
}

static uint8_t *put_colours(const view_session *session, const view_world *world, uint8_t *at)
{
    const ashi_pool *pool = &world->instance.world->model.bodies.pool;
    for (uint32_t i = 0; i < session->scene->bodies.count; i++) {
        uint32_t slot = ashi_pool_slot_of(pool, world->instance.bodies[i].id);
        at = view_put_f32(at, slot == ASHI_NO_SLOT ? 0 : (double)session->values.data[slot]);
    }
    return at;
}

/* Where a world is in time, as its frame tells it. */
typedef struct frame_time {
    double time, seconds;
    uint64_t step;
    uint32_t flags;
} frame_time;

static frame_time time_of(const view_session *session, const view_world *world)
{
    if (view_is_recorded(session))
        return (frame_time){session->play_time, 0, session->sample,
                            VIEW_RECORDED | (view_playback_ended(session) ? VIEW_ENDED : 0)};
    double seconds = ash_world_get_report(world->instance.world).seconds;
    if (world->halt.stuck)
        return (frame_time){world->halt.time, seconds, world->halt.step, VIEW_ENDED};
    return (frame_time){view_clock_time(&session->clock), seconds, session->clock.step, 0};
}

static uint8_t *put_header(const view_session *session, const frame_time *when, uint32_t world, uint32_t flags,
                           uint8_t *at)
{
    flags |= when->flags | (session->paused ? VIEW_PAUSED : 0);
    at = view_put_u32(view_put_u32(at, VIEW_FRAME), session->generation);
    at = view_put_u32(view_put_u32(at, world), flags);
    at = view_put_f64(view_put_f64(at, when->time), when->seconds);
    at = view_put_u64(at, when->step);
    return view_put_u32(view_put_u32(at, session->scene->bodies.count), view_curve_count(session));
}

static uint8_t *put_curves(view_session *session, const view_world *world, uint8_t *at)
{
    uint32_t count = view_curve_count(session);
    if (!ashi_array_reserve(&session->curves, count)) {
        for (uint32_t i = 0; i < count; i++)
            at = view_put_f64(at, (double)NAN);
        return at;
    }
    view_read_curves(session, world, session->curves.data);
    for (uint32_t i = 0; i < count; i++)
        at = view_put_f64(at, session->curves.data[i]);
    return at;
}

static void send_frame(view_session *session, uint32_t number, view_sink sink)
{
    view_world *world = &session->worlds[number];
    size_t bodies = session->scene->bodies.count;
    bool coloured = session->colour != VIEW_BY_BODY && view_colour_values(session, world);
    size_t size = VIEW_FRAME_HEADER + 8 * (size_t)view_curve_count(session) + 20 * bodies +
                  (coloured ? 4 * bodies : 0) + (bodies + 7) / 8;
    world->frame.size = 0;
    uint8_t *at = view_bytes_reserve(&world->frame, size);
    if (at == NULL)
        return;
    frame_time when = time_of(session, world);
    at = put_header(session, &when, number, coloured ? VIEW_COLOURED : 0, at);
    at = put_curves(session, world, at);
    if (number == 0 && !view_is_recorded(session))
        view_past_keep(session, when.time, session->curves.data);
    uint8_t *positions = at, *rotations = positions + 12 * bodies;
    at = rotations + 8 * bodies;
    if (coloured)
        at = put_colours(session, world, at);
    memset(at, 0, (bodies + 7) / 8);
    put_bodies(session, world, positions, rotations, at);
    world->frame.size = size;
    view_send_bytes(sink, &world->frame);
}

void view_session_frame(view_session *session, view_sink sink)
{
    for (uint32_t i = 0; i < session->world_count; i++) {
        send_frame(session, i, sink);
        if (session->layers != 0)
            view_send_marks(session, i, sink);
    }
}
