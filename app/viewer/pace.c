/* The pace of a session: steps as wall time earns them.
 *
 * The order of a step is that of ash_scene_run: events that are due, then the step. Simulated time is owed at the rate
 * of the speed; a scene that is slower than that works all the time it is given and forgets what it still owes except
 * for a step, so that debts never grow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/parts.h"
#include "base/clock.h"

static const double patience = 1, hand_patience = 0.05; /* s */
static const char quick_method[] = "realtime";          /* that the hand is followed by then */

void view_be_patient(view_session *session)
{
    session->patience = patience;
    session->hand_patience = hand_patience;
    session->late = false;
}

static bool is_overdue(void *user)
{
    const view_session *session = user;
    return ashi_seconds() >= session->deadline;
}

bool view_hand_ends(view_session *session)
{
    bool any = false;
    for (uint32_t i = 0; i < session->world_count && session->grabs.count == 0; i++) {
        view_world *world = &session->worlds[i];
        if (world->by_hand)
            ash_world_set_method(world->instance.world, &world->method);
        any |= world->by_hand;
        world->by_hand = false;
    }
    session->changed |= any;
    return any;
}

/* A step of this world's method takes too long for the hand: quick ones instead. */
static bool go_by_hand(view_session *session, view_world *world, view_sink everybody)
{
    ash_method quick;
    if (ash_method_find(quick_method, &quick, NULL) != ASH_OK ||
        ash_world_set_method(world->instance.world, &quick) != ASH_OK)
        return false;
    world->by_hand = true;
    view_send_note(everybody, "a step by %s takes too long to follow the hand: %s takes the steps until you let go",
                   world->method.name, quick_method);
    view_send_state(session, everybody);
    return true;
}

void view_retry(view_session *session)
{
    for (uint32_t i = 0; i < session->world_count; i++)
        if (session->worlds[i].halt.step == session->clock.step)
            session->worlds[i].halt.stuck = false;
}

void view_touch(view_session *session)
{
    session->edited = session->changed = true;
    view_retry(session);
}

/* The flags of a step that was not taken, in words. */
static const char *flags_text(uint32_t flags, char *text, size_t size)
{
    text[0] = 0;
    for (uint32_t flag = 1; flag != 0; flag <<= 1)
        if ((flags & flag) != 0) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", ash_flag_name((ash_flag)flag));
        }
    return text;
}

static void stop_world(view_session *session, view_world *world, view_sink everybody, const char *why)
{
    world->halt = (view_halt){true, view_clock_time(&session->clock), session->clock.step};
    session->paused = true;
    view_send_note(everybody, "the step from time %.9g s could not be taken%s%s: %s", world->halt.time,
                   session->world_count > 1 ? " by " : "", session->world_count > 1 ? world->method.name : "", why);
    view_send_state(session, everybody);
}

/* Events of bodies that change how they are drawn. */
static bool releases(const view_session *session, const ashi_instance *instance, uint32_t from)
{
    for (uint32_t i = from; i < instance->next_turn; i++)
        if (session->scene->events.data[instance->turns[i].event].kind == ASHI_EVENT_RELEASE)
            return true;
    return false;
}

/* Pages hear of an alarm when it is first raised. */
static void note_alarms(view_session *session, view_world *world, view_sink everybody)
{
    uint32_t before = world->alarms.count;
    if (ash_world_get_report(world->instance.world).flags == 0)
        return;
    ashi_alarms_note(&world->alarms, world->instance.world, view_clock_time(&session->clock) + session->clock.h);
    if (world->alarms.count > before)
        view_send_state(session, everybody);
}

/* One step of the length, or as many as the wanted accuracy needs. */
static ash_status try_step(view_session *session, ash_world *world, double seconds)
{
    const ash_scene *scene = session->scene;
    ash_accuracy accuracy = {scene->accuracy, scene->time > 0 ? scene->time : 1};
    double h = session->clock.h, rest = view_clock_time(&session->clock) + h - ash_world_get_time(world);
    session->deadline = ashi_seconds() + seconds;
    ash_world_set_interrupt(world, is_overdue, session);
    if (scene->accuracy == 0)
        return ash_world_step(world, h);
    return rest > 1e-9 * h ? ash_world_advance(world, rest, &accuracy) : ASH_OK; /* some of it may have been taken */
}

static ash_status take_step(view_session *session, view_world *world, view_sink everybody)
{
    bool held = session->grabs.count > 0;
    double time = ash_world_get_time(world->instance.world);
    ash_status status =
        try_step(session, world->instance.world, held && !world->by_hand ? session->hand_patience : session->patience);
    bool late = status == ASH_NUMERICS && (ash_world_get_report(world->instance.world).flags & ASH_FLAG_INTERRUPTED);
    if (late && held && !world->by_hand && ash_world_get_time(world->instance.world) == time &&
        go_by_hand(session, world, everybody))
        status = try_step(session, world->instance.world, session->patience);
    return status;
}

static bool step_world(view_session *session, view_world *world, view_sink everybody, bool *released)
{
    ashi_instance *instance = &world->instance;
    ash_diagnostic diagnostic = {0};
    uint32_t turn = instance->next_turn;
    char text[256];
    if (ashi_instance_apply_events(instance, session->scene, view_clock_time(&session->clock), &diagnostic) != ASH_OK) {
        stop_world(session, world, everybody, diagnostic.message);
        return false;
    }
    *released |= releases(session, instance, turn);
    ash_status status = take_step(session, world, everybody);
    if (status == ASH_NUMERICS && (ash_world_get_report(instance->world).flags & ASH_FLAG_INTERRUPTED)) {
        session->late = true;
        snprintf(text, sizeof text, "it takes longer than %.3g s of wall time (play: wait for %.3g s)",
                 session->patience, VIEW_LONGER * session->patience);
        stop_world(session, world, everybody, text);
        return false;
    }
    note_alarms(session, world, everybody);
    if (status == ASH_OK)
        return true;
    if (status == ASH_NUMERICS) {
        flags_text(ash_world_get_report(instance->world).flags, text, sizeof text);
    } else {
        diagnostic = ash_world_get_last_diagnostic(instance->world);
        snprintf(text, sizeof text, "%.200s", diagnostic.message);
    }
    stop_world(session, world, everybody, text);
    return false;
}

bool view_take_step(view_session *session, view_sink everybody)
{
    bool any = false, released = false;
    view_history_note(session);
    for (uint32_t i = 0; i < session->world_count; i++)
        if (!session->worlds[i].halt.stuck)
            any |= step_world(session, &session->worlds[i], everybody, &released);
    if (any) {
        session->clock.steps++;
        session->clock.step++;
        session->changed = true;
    } else {
        session->paused = true;
        view_send_state(session, everybody);
    }
    if (released)
        view_renew_scene(session, everybody);
    return any;
}

static void run(view_session *session, double seconds, view_sink everybody)
{
    double end = ashi_seconds() + seconds, h = session->clock.h;
    session->owed += seconds * session->speed;
    while (session->owed >= h * (1 - 1e-9) && !session->paused) {
        if (!view_take_step(session, everybody))
            break;
        session->owed -= h;
        if (ashi_seconds() >= end)
            break;
    }
    session->owed = session->paused ? 0 : fmin(session->owed, h);
}

bool view_session_advance(view_session *session, double seconds, view_sink everybody)
{
    bool recorded = view_is_recorded(session);
    if (!session->paused && seconds > 0 && recorded)
        view_playback_advance(session, seconds, everybody);
    else if (!session->paused && seconds > 0)
        run(session, fmin(seconds, 1), everybody);
    if (session->changed && !recorded)
        view_past_note(session);
    bool changed = session->changed;
    session->changed = false;
    return changed;
}
