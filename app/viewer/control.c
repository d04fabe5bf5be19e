/* Commands that govern time. */
#include "app/viewer/commands.h"
#include "base/clock.h"

enum { STEPS_MOST = 1000, BACK_MOST = 1000000000 };
static const double slowest = 0.001, fastest = 1000;
static const double stepping_most = 10; /* s of wall time, for one command: other pages wait meanwhile */

static bool set_paused(view_order *order, bool paused)
{
    order->session->paused = paused;
    order->session->late = false;
    order->session->owed = 0;
    order->session->changed = true;
    view_send_state(order->session, order->everybody);
    return true;
}

/* Goes to a sample of a recording. */
static bool show(view_order *order, uint64_t sample)
{
    ash_diagnostic diagnostic = {0};
    return view_playback_show(order->session, sample, order->everybody, &diagnostic) == ASH_OK ||
           view_refuse_by(order, &diagnostic);
}

bool view_obey_play(view_order *order)
{
    /* A recording that has come to its end begins again. */
    if (view_is_recorded(order->session) && view_playback_ended(order->session) && !show(order, 0))
        return false;
    if (order->session->late) /* somebody wants to wait */
        order->session->patience *= VIEW_LONGER;
    view_retry(order->session);
    return set_paused(order, false);
}

bool view_obey_pause(view_order *order)
{
    return set_paused(order, true);
}

/* Steps are taken at a pause. */
static void pause_first(view_order *order)
{
    if (!order->session->paused)
        set_paused(order, true);
}

/* Samples on or back, as far as there are any. */
static bool show_other(view_order *order, int64_t count)
{
    const view_session *session = order->session;
    int64_t last = (int64_t)ashi_replay_summary(session->replay).samples - 1, wanted = (int64_t)session->sample + count;
    return show(order, (uint64_t)(wanted < 0 ? 0 : wanted > last ? last : wanted));
}

bool view_obey_step(view_order *order)
{
    uint32_t count = 1;
    if (!view_read_count(order, "count", VIEW_OPTIONAL, 1, STEPS_MOST, &count))
        return false;
    pause_first(order);
    if (view_is_recorded(order->session))
        return show_other(order, count);
    view_retry(order->session);
    double end = ashi_seconds() + stepping_most;
    for (uint32_t i = 0; i < count; i++) {
        if (!view_take_step(order->session, order->everybody))
            return view_refuse(order, "step %u of %u could not be taken", i + 1, count);
        if (i + 1 < count && ashi_seconds() >= end)
            return view_refuse(order, "only %u of %u steps were taken in %g s", i + 1, count, stepping_most);
    }
    return true;
}

bool view_obey_back(view_order *order)
{
    uint32_t count = 1;
    ash_diagnostic diagnostic = {0};
    if (!view_read_count(order, "count", VIEW_OPTIONAL, 1, BACK_MOST, &count))
        return false;
    pause_first(order);
    if (view_is_recorded(order->session))
        return show_other(order, -(int64_t)count);
    uint64_t step = order->session->clock.step;
    if (view_history_back(order->session, count, order->everybody, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    uint64_t wanted = count < step ? step - count : 0;
    if (order->session->clock.step != wanted)
        view_send_note(order->answer, "step %llu is not kept; this is step %llu", (unsigned long long)wanted,
                       (unsigned long long)order->session->clock.step);
    view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_reset(view_order *order)
{
    ash_diagnostic diagnostic = {0};
    if (view_is_recorded(order->session))
        return show(order, 0);
    bool alarmed = view_has_alarms(order->session);
    if (view_reset(order->session, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    view_renew_scene(order->session, order->everybody);
    if (alarmed)
        view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_speed(view_order *order)
{
    double speed;
    if (!view_read_number(order, "value", VIEW_REQUIRED, slowest, fastest, &speed))
        return false;
    order->session->speed = speed;
    order->session->owed = 0;
    view_send_state(order->session, order->everybody);
    return true;
}

bool view_obey_seek(view_order *order)
{
    view_session *session = order->session;
    double time;
    if (!view_is_recorded(session))
        return view_refuse(order, "\"seek\" is for recordings, and this scene runs");
    if (!view_read_number(order, "time", VIEW_REQUIRED, 0, 1e12, &time))
        return false;
    return show(order, ashi_replay_nearest(session->replay, time));
}
