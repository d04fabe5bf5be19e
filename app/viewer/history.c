/* Moments kept of a run. Keeping one costs time, so that it is done when steps have taken twenty times as long as the
 * last one cost; the states between follow bit for bit by taking the steps again. What pages change cannot be taken
 * again: a moment is kept right after it, and the one before reaches no farther.
 *
 * Memory is bounded: of the moments, that one is dropped whose neighbours are nearest for its age, so that the past is
 * kept the more sparsely the longer ago it is. */
#include <string.h>

#include "app/viewer/parts.h"
#include "base/clock.h"

static const double steps_for_keeping = 20; /* times its cost */
static const double going_again_most = 2;   /* s of wall time */

static void release_moment(view_moment *moment)
{
    for (uint32_t i = 0; i < moment->world_count; i++) {
        ash_free(moment->worlds[i].bytes);
        ashi_dealloc(moment->worlds[i].handles);
    }
}

void view_history_clear(view_history *history)
{
    for (uint32_t i = 0; i < history->moments.count; i++)
        release_moment(&history->moments.data[i]);
    history->moments.count = 0;
    history->memory = 0;
    history->cost = history->earned = 0;
}

void view_history_release(view_history *history)
{
    view_history_clear(history);
    ashi_array_release(&history->moments);
}

static bool keep_world(const view_session *session, const view_world *world, view_kept_world *kept)
{
    const ashi_instance *instance = &world->instance;
    const ash_scene *scene = session->scene;
    *kept = (view_kept_world){.bodies = scene->bodies.count,
                              .forces = scene->forces.count,
                              .joints = scene->joints.count,
                              .next_turn = instance->next_turn,
                              .halt = world->halt,
                              .method = world->method,
                              .by_hand = world->by_hand};
    size_t count = (size_t)kept->bodies + kept->forces + kept->joints;
    kept->handles = ashi_alloc_array(count, sizeof *kept->handles);
    if (kept->handles == NULL)
        return false;
    memcpy(kept->handles, instance->bodies, kept->bodies * sizeof *kept->handles);
    memcpy(kept->handles + kept->bodies, instance->forces, kept->forces * sizeof *kept->handles);
    memcpy(kept->handles + kept->bodies + kept->forces, instance->joints, kept->joints * sizeof *kept->handles);
    if (ash_world_save(instance->world, &kept->bytes, &kept->size, NULL) != ASH_OK) {
        ashi_dealloc(kept->handles);
        return false;
    }
    return true;
}

static bool make_moment(const view_session *session, view_moment *moment)
{
    *moment = (view_moment){.clock = session->clock, .reach = UINT64_MAX, .edits = session->edits};
    for (uint32_t i = 0; i < session->world_count; i++) {
        view_kept_world *kept = &moment->worlds[i];
        if (!keep_world(session, &session->worlds[i], kept)) {
            release_moment(moment);
            return false;
        }
        moment->world_count++;
        moment->memory += kept->size + ((size_t)kept->bodies + kept->forces + kept->joints) * sizeof *kept->handles;
    }
    return true;
}

static void drop(view_history *history, uint32_t number)
{
    view_moment *moments = history->moments.data;
    /* What was reached from it is reached from the one before, if that leads to it. */
    if (number > 0 && moments[number - 1].reach >= moments[number].clock.step)
        moments[number - 1].reach = moments[number].reach;
    history->memory -= moments[number].memory;
    release_moment(&moments[number]);
    history->moments.count--;
    memmove(&moments[number], &moments[number + 1], (history->moments.count - number) * sizeof *moments);
}

/* Drops moments until the bounds hold. The first and the last stay. */
static void thin(view_history *history)
{
    while (history->moments.count > 2 &&
           (history->memory > history->most_memory || history->moments.count > history->most_moments)) {
        const view_moment *moments = history->moments.data;
        uint32_t last = history->moments.count - 1, least = 1;
        double least_gap = (double)UINT64_MAX;
        for (uint32_t i = 1; i < last; i++) {
            double age = (double)(moments[last].clock.step - moments[i].clock.step) + 1;
            double gap = (double)(moments[i + 1].clock.step - moments[i - 1].clock.step) / age;
            if (gap < least_gap) {
                least_gap = gap;
                least = i;
            }
        }
        drop(history, least);
    }
}

/* The present state is not what follows from the last moment. */
static void cut(view_session *session)
{
    view_history *history = &session->history;
    if (history->moments.count == 0)
        return;
    view_moment *last = &history->moments.data[history->moments.count - 1];
    uint64_t step = session->clock.step;
    if (last->reach > step)
        last->reach = step > last->clock.step ? step - 1 : step;
}

static void keep(view_session *session)
{
    view_history *history = &session->history;
    double start = ashi_seconds();
    view_moment moment;
    if (session->edited)
        cut(session);
    if (!ashi_array_reserve(&history->moments, (uint64_t)history->moments.count + 1) || !make_moment(session, &moment))
        return;
    uint32_t count = history->moments.count;
    if (count > 0 && history->moments.data[count - 1].clock.step == moment.clock.step) {
        drop(history, count - 1); /* as it was before a change */
        if (count > 1 && session->edited && history->moments.data[count - 2].reach >= moment.clock.step)
            history->moments.data[count - 2].reach = moment.clock.step - 1;
    }
    history->moments.data[history->moments.count++] = moment;
    history->memory += moment.memory;
    session->edited = session->dragged = false;
    thin(history);
    history->cost = ashi_seconds() - start;
    history->earned = 0;
}

void view_history_note(view_session *session)
{
    view_history *history = &session->history;
    for (uint32_t i = 0; i < session->world_count; i++)
        history->earned += ash_world_get_report(session->worlds[i].instance.world).seconds;
    bool due = history->moments.count == 0 || history->earned >= steps_for_keeping * history->cost;
    if (session->edited || due)
        keep(session);
    else if (session->dragged)
        cut(session);
    session->dragged = false;
}

/* ---- going back ---- */

static void restore_handles(ashi_instance *instance, const ash_scene *scene, const view_kept_world *kept)
{
    /* What was added since is not there; its places stay. */
    memset(instance->bodies, 0, scene->bodies.count * sizeof *instance->bodies);
    memset(instance->forces, 0, scene->forces.count * sizeof *instance->forces);
    memset(instance->joints, 0, scene->joints.count * sizeof *instance->joints);
    memcpy(instance->bodies, kept->handles, kept->bodies * sizeof *kept->handles);
    memcpy(instance->forces, kept->handles + kept->bodies, kept->forces * sizeof *kept->handles);
    memcpy(instance->joints, kept->handles + kept->bodies + kept->forces, kept->joints * sizeof *kept->handles);
    instance->next_turn = kept->next_turn;
}

static ash_status restore(view_session *session, const view_moment *moment, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < moment->world_count; i++) {
        const view_kept_world *kept = &moment->worlds[i];
        view_world *world = &session->worlds[i];
        ash_status status = ash_world_restore(world->instance.world, kept->bytes, kept->size, diagnostic);
        if (status != ASH_OK)
            return status;
        restore_handles(&world->instance, session->scene, kept);
        world->method = kept->method;
        world->by_hand = kept->by_hand;
        world->halt = kept->halt;
        world->alarms.count = 0; /* what follows may be another course */
    }
    session->clock = moment->clock;
    session->edits = moment->edits;
    session->edited = session->dragged = false;
    session->changed = true;
    return ASH_OK;
}

ash_status view_history_back(view_session *session, uint64_t count, view_sink everybody, ash_diagnostic *diagnostic)
{
    view_history *history = &session->history;
    uint64_t target = count < session->clock.step ? session->clock.step - count : 0;
    uint32_t number = history->moments.count;
    while (number > 0 && history->moments.data[number - 1].clock.step > target)
        number--;
    if (number == 0)
        return ashi_fail(diagnostic, ASH_NOT_FOUND, "view.history", "no state before step %llu is kept",
                         (unsigned long long)session->clock.step);
    view_moment *moment = &history->moments.data[number - 1];
    target = target < moment->reach ? target : moment->reach;
    uint32_t turn = session->worlds[0].instance.next_turn, edits = session->edits;
    bool alarmed = view_has_alarms(session);
    ash_status status = restore(session, moment, diagnostic);
    if (status != ASH_OK)
        return status;
    while (history->moments.count > number)
        drop(history, history->moments.count - 1);
    moment->reach = UINT64_MAX;
    if (alarmed)
        view_send_state(session, everybody);
    double end = ashi_seconds() + going_again_most;
    while (session->clock.step < target && ashi_seconds() < end && view_take_step(session, everybody))
        ;
    view_grabs_forget(session);
    if (session->worlds[0].instance.next_turn != turn || session->edits != edits)
        view_renew_scene(session, everybody);
    return ASH_OK;
}
