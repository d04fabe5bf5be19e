/* The viewer's session for a page without a server. The page's worker calls these functions and gets messages through
 * Module.mail(address, size, is_text), as a page of the server gets them through its socket (docs/viewer-wire.md).
 * There is one session, one page and one thread. */
#include <emscripten.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/viewer/session.h"

enum { PAGE = 1, COMMAND_MOST = 16 << 20 };

static view_session *session;

/* Of mail.js. */
extern void web_mail(const void *bytes, size_t size, int is_text);

static void send(const void *bytes, size_t size, bool is_text, void *user)
{
    (void)user;
    web_mail(bytes, size, is_text);
}

static const view_sink page = {send, NULL};

/* Opens a built-in scene and greets the page. False when it could not, which is said on standard error. */
EMSCRIPTEN_KEEPALIVE int web_open(const char *scene, int paused);
int web_open(const char *scene, int paused)
{
    view_subject subject = {.name = scene, .threads = 1, .paused = paused != 0, .longest_command = COMMAND_MOST};
    view_session_close(session);
    session = NULL;
    return view_session_open(&subject, &session) == 0 && view_session_greet(session, page) == ASH_OK;
}

EMSCRIPTEN_KEEPALIVE void web_obey(const char *text, size_t size);
void web_obey(const char *text, size_t size)
{
    view_session_obey(session, PAGE, text, size, page, page);
}

/* Goes on for `seconds` of wall time; true when there is something new to see. */
EMSCRIPTEN_KEEPALIVE int web_advance(double seconds);
int web_advance(double seconds)
{
    return view_session_advance(session, seconds, page);
}

EMSCRIPTEN_KEEPALIVE void web_frame(void);
void web_frame(void)
{
    view_session_frame(session, page);
}

/* Runs a scene by a method ("": its own) for `steps` steps, or to its end for 0, apart from the session. The summary as
 * `ashlar run --json` prints it, valid until the next call; empty when it could not be run, which is said on standard
 * error. */
EMSCRIPTEN_KEEPALIVE const char *web_run(const char *name, const char *method, double steps);
const char *web_run(const char *name, const char *method, double steps)
{
    static char *text;
    ash_scene *scene = NULL;
    ash_run *run = NULL;
    ash_diagnostic diagnostic = {0};
    cli_choice choice = {.method = method[0] != 0 ? method : NULL};
    ash_free(text);
    text = NULL;
    if (cli_choice_open(name, &choice, &scene) != CLI_DONE)
        return "";
    ash_run_options options = ash_default_run_options();
    options.time = steps * ash_scene_get_step(scene);
    if (ash_scene_run(scene, &options, &run, &diagnostic) != ASH_OK ||
        ash_run_summary_json(run, &text, &diagnostic) != ASH_OK)
        cli_report(&diagnostic);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return text != NULL ? text : "";
}
