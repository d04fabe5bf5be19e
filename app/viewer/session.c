/* A session from its opening to its end: a scene or a recording found, pages greeted. */
#include "app/viewer/session.h"

#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/viewer/parts.h"

#define HISTORY_MEMORY ((size_t)256 << 20) /* bytes */
enum { HISTORY_MOMENTS = 2000 };

/* Cuts "key=value" of the command line where they name parameters; cli_choice_open has seen that they are right. */
static json_t *parameters_of(const view_subject *subject)
{
    ASHI_ARRAY(ash_setting) settings = {0};
    ASHI_ARRAY(char *) copies = {0};
    for (uint32_t i = 0; i < subject->choice.set.count; i++) {
        char *copy = ashi_copy_text(subject->choice.set.data[i]);
        char *equals = copy != NULL ? strchr(copy, '=') : NULL;
        if (equals == NULL || !ashi_array_extend(&copies)) {
            ashi_dealloc(copy);
            break;
        }
        copies.data[copies.count - 1] = copy;
        if (!ashi_array_extend(&settings))
            break;
        *equals = 0;
        settings.data[settings.count - 1] = (ash_setting){copy, equals + 1};
    }
    json_t *parameters = view_parameters(subject->name, settings.data, settings.count);
    for (uint32_t i = 0; i < copies.count; i++)
        ashi_dealloc(copies.data[i]);
    ashi_array_release(&copies);
    ashi_array_release(&settings);
    return parameters;
}

/* Keeps a scene file's content, so that pages can come back to it. */
static ash_status keep_own(view_session *session, const view_subject *subject, const ash_scene *scene,
                           ash_diagnostic *diagnostic)
{
    ash_builtin_info info;
    if (cli_builtin_find(subject->name, &info))
        return ASH_OK;
    session->own_name = ashi_copy_text(scene->name);
    session->own_summary = ashi_copy_text(scene->summary);
    if (session->own_name == NULL || session->own_summary == NULL)
        return ashi_out_of_memory(diagnostic);
    return ash_scene_write(scene, &session->own_text, &session->own_size, diagnostic);
}

static int open_scene(view_session *session, const view_subject *subject)
{
    ash_scene *scene = NULL;
    ash_method other;
    ash_diagnostic diagnostic = {0};
    int status = cli_choice_open(subject->name, &subject->choice, &scene);
    if (status == CLI_DONE && subject->other != NULL)
        status = cli_method_read(subject->other, subject->name, &subject->choice, &other);
    if (status != CLI_DONE) {
        ash_scene_destroy(scene);
        return status;
    }
    if (keep_own(session, subject, scene, &diagnostic) != ASH_OK) {
        ash_scene_destroy(scene);
        return cli_report(&diagnostic);
    }
    if (view_load(session, scene, parameters_of(subject), &diagnostic) != ASH_OK ||
        (subject->other != NULL && view_compare(session, &other, &diagnostic) != ASH_OK))
        return cli_report(&diagnostic);
    return CLI_DONE;
}

int view_session_open(const view_subject *subject, view_session **result)
{
    *result = NULL;
    view_session *session = ashi_alloc_zeroed(sizeof *session);
    if (session == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    session->threads = subject->threads > 0 ? subject->threads : 1;
    session->longest_command = subject->longest_command;
    session->paused = subject->paused;
    session->speed = 1;
    session->generation = 1;
    session->point_surface = ASHI_NONE;
    session->history.most_memory = HISTORY_MEMORY;
    session->history.most_moments = HISTORY_MOMENTS;
    bool recorded = cli_is_recording(subject->name);
    int status = recorded ? view_playback_open(session, subject) : open_scene(session, subject);
    if (status != CLI_DONE) {
        view_session_close(session);
        return status;
    }
    for (uint32_t i = 0; i < session->surfaces.count; i++)
        session->surfaces.data[i].is_new = false; /* nobody is there yet who has not got it */
    *result = session;
    return CLI_DONE;
}

void view_session_close(view_session *session)
{
    if (session == NULL)
        return;
    view_unload(session);
    for (uint32_t i = 0; i < VIEW_WORLDS; i++)
        view_bytes_release(&session->worlds[i].frame);
    view_bytes_release(&session->marks);
    ashi_array_release(&session->values);
    ashi_array_release(&session->parents);
    ashi_array_release(&session->grabs);
    ashi_array_release(&session->changes);
    ashi_array_release(&session->curves);
    ashi_array_release(&session->past);
    view_history_release(&session->history);
    ashi_dealloc(session->own_name);
    ashi_dealloc(session->own_summary);
    ash_free(session->own_text);
    ashi_dealloc(session);
}

ash_status view_session_greet(view_session *session, view_sink sink)
{
    view_send_hello(session, sink);
    view_send_state(session, sink);
    view_send_scene(session, sink, true);
    view_session_frame(session, sink);
    return ASH_OK;
}
