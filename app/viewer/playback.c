/* Recordings played back: the session's one world is brought to a sample and never steps. Curves are the recording's
 * own, so that they show what the run measured. */
#include <math.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/viewer/parts.h"
#include "app/viewer/recorded_curve.h"

static uint64_t sample_count(const view_session *session)
{
    return ashi_replay_summary(session->replay).samples;
}

double view_playback_end(const view_session *session)
{
    return ashi_replay_times(session->replay)[sample_count(session) - 1];
}

bool view_playback_ended(const view_session *session)
{
    return session->sample + 1 == sample_count(session);
}

static bool has_releases(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->events.count; i++)
        if (scene->events.data[i].kind == ASHI_EVENT_RELEASE)
            return true;
    return false;
}

ash_status view_playback_show(view_session *session, uint64_t sample, view_sink everybody, ash_diagnostic *diagnostic)
{
    ashi_instance *instance = &session->worlds[0].instance;
    uint32_t turn = instance->next_turn;
    ash_status status = ashi_replay_pose(session->replay, sample, session->threads, instance, diagnostic);
    if (status != ASH_OK)
        return status;
    session->sample = sample;
    session->play_time = ashi_replay_times(session->replay)[sample];
    session->changed = true;
    if (instance->next_turn != turn && has_releases(session->scene))
        view_renew_scene(session, everybody);
    return ASH_OK;
}

void view_playback_advance(view_session *session, double seconds, view_sink everybody)
{
    double time = session->play_time + seconds * session->speed, end = view_playback_end(session);
    uint64_t sample = ashi_replay_nearest(session->replay, time);
    ash_diagnostic diagnostic = {0};
    bool shown = sample == session->sample || view_playback_show(session, sample, everybody, &diagnostic) == ASH_OK;
    session->play_time = fmin(time, end);
    if (!shown)
        view_send_note(everybody, "the recording cannot be read on: %s", diagnostic.message);
    if (!shown || time >= end) {
        session->paused = session->changed = true;
        view_send_state(session, everybody);
    }
}

/* The series that are plotted. */
static ash_status read_series(view_session *session, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < ashi_replay_series_count(session->replay); i++) {
        ash_series series;
        ash_status status = ashi_replay_series(session->replay, i, &series, diagnostic);
        if (status != ASH_OK)
            return status;
        if (view_recorded_curve_of(series.name).name == NULL)
            continue;
        if (!ashi_array_extend(&session->series))
            return ashi_out_of_memory(diagnostic);
        session->series.data[session->series.count - 1] = series;
    }
    return ASH_OK;
}

static ash_status open_replay(view_session *session, const char *path, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_replay_open(path, &session->replay, diagnostic);
    if (status != ASH_OK)
        return status;
    if (sample_count(session) == 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "view.recording", "%.200s holds no samples", path);
    session->scene = (ash_scene *)ashi_replay_scene(session->replay); /* its own; it is never changed */
    session->parameters = json_object();
    session->worlds[0].method = session->scene->method;
    session->world_count = 1;
    status = ashi_replay_pose(session->replay, 0, session->threads, &session->worlds[0].instance, diagnostic);
    if (status == ASH_OK)
        status = read_series(session, diagnostic);
    return status;
}

int view_playback_open(view_session *session, const view_subject *subject)
{
    ash_diagnostic diagnostic = {0};
    const cli_choice *choice = &subject->choice;
    if (choice->method != NULL || choice->set.count > 0 || choice->step > 0 || subject->other != NULL) {
        cli_error("%s is a recording: a method, settings and a step are for scenes", subject->name);
        return CLI_BAD_INPUT;
    }
    if (open_replay(session, subject->name, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    session->clock.h = session->scene->step;
    session->base = view_counts(session->scene);
    view_prepare(session);
    return CLI_DONE;
}

void view_playback_close(view_session *session)
{
    ashi_replay_close(session->replay);
    ashi_array_release(&session->series);
    session->replay = NULL;
    session->scene = NULL; /* the recording's */
}

/* ---- curves ---- */

void view_playback_write_curves(const view_session *session, ashi_json_text *json)
{
    for (uint32_t i = 0; i < session->series.count; i++) {
        view_recorded_curve curve = view_recorded_curve_of(session->series.data[i].name);
        view_write_curve(json, curve.name, session->series.data[i].unit, curve.group);
    }
}
