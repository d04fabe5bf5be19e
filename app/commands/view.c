/* ashlar view: a scene that runs, or a recording, in the browser. */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/viewer/assets.h"
#include "app/viewer/gate.h"
#include "app/viewer/session.h"

enum { THREADS_MOST = 256, PORT_MOST = 65535 };

typedef struct view_values {
    cli_choice choice;
    uint32_t threads, port;
    const char *address, *compare;
    bool paused, no_open, json;
} view_values;

static const cli_option options[] = {
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:integrator=rk4",
     offsetof(view_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(view_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(view_values, choice.step), 0},
    {"accuracy", 0, CLI_NUMBER, "EPS", "wanted error of positions at the end, m: steps as long as it allows",
     offsetof(view_values, choice.accuracy), 0},
    {"compare", 0, CLI_TEXT, "M", "the same scene by a second method, side by side", offsetof(view_values, compare), 0},
    {"threads", 0, CLI_COUNT, "N", "threads to step with (default 1); the result is the same",
     offsetof(view_values, threads), THREADS_MOST},
    {"paused", 0, CLI_FLAG, NULL, "start paused", offsetof(view_values, paused), 0},
    {"port", 0, CLI_WHOLE, "N", "port to listen on (default 0: any free one)", offsetof(view_values, port), PORT_MOST},
    {"address", 0, CLI_TEXT, "ADDR", "IP address to listen on (default 127.0.0.1: this machine only)",
     offsetof(view_values, address), 0},
    {"no-open", 0, CLI_FLAG, NULL, "do not open a browser", offsetof(view_values, no_open), 0},
    {"json", 0, CLI_FLAG, NULL, "the address as one JSON object on standard output, nothing else",
     offsetof(view_values, json), 0},
};

#ifdef ASHLAR_SERVER

#include <spawn.h>
#include <sys/wait.h>

#include "app/viewer/server.h"

extern char **environ;

static bool is_over(void *user)
{
    (void)user;
    return cli_interrupted() != 0;
}

/* In the browser of the desktop, where there is one. The shell lets the browser go on its own and is done. */
static void open_browser(const char *address)
{
    static const char *const displays[] = {"DISPLAY", "WAYLAND_DISPLAY"};
    char script[] = "command -v xdg-open >/dev/null && xdg-open \"$0\" >/dev/null 2>&1 </dev/null &";
    char shell[] = "sh", option[] = "-c", place[256];
    char *arguments[] = {shell, option, script, place, NULL};
    pid_t child;
    bool display = false;
    for (size_t i = 0; i < sizeof displays / sizeof *displays; i++)
        display = display || (getenv(displays[i]) != NULL && getenv(displays[i])[0] != 0);
    snprintf(place, sizeof place, "%s", address);
    if (display && posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0)
        waitpid(child, NULL, 0);
}

/* On standard error: who can connect, where that is more than this machine. */
static void warn(const view_gate *gate)
{
    if (view_gate_is_loopback(gate))
        return;
    if (view_gate_is_everywhere(gate))
        cli_error("warning: listening on all %s addresses of this machine: every machine that reaches one of them can "
                  "connect, with that address in place of the host above",
                  strcmp(gate->address, "::") == 0 ? "IPv6" : "IPv4");
    else
        cli_error("warning: listening on %s: every machine that reaches this address can connect", gate->address);
    cli_error("warning: connections are not encrypted: whoever sees the traffic learns the token, and can then control "
              "the viewer");
}

static int announce(const view_gate *gate, const view_values *values)
{
    char address[160];
    int status = CLI_DONE;
    view_gate_url(gate, address, sizeof address);
    if (values->json)
        status = cli_json_print(json_pack("{s:s, s:s, s:i, s:s}", "address", address, "host", gate->address, "port",
                                          (int)gate->port, "token", gate->token));
    else
        printf("%s\nopen this in a browser; Ctrl-C stops the viewer\n", address);
    fflush(stdout);
    warn(gate);
    if (status == CLI_DONE && !values->json && !values->no_open)
        open_browser(address);
    return status;
}

static int serve(view_session *session, view_gate *gate, const view_values *values)
{
    char message[256];
    view_server *server = view_server_open(gate, session, message, sizeof message);
    if (server == NULL) {
        cli_error("view: %s", message);
        return CLI_BAD_INPUT;
    }
    int status = announce(gate, values);
    if (status == CLI_DONE)
        view_server_run(server, is_over, NULL);
    view_server_close(server);
    return status;
}

static const char *missing(void)
{
    return view_assets_missing();
}

#else

static int serve(view_session *session, view_gate *gate, const view_values *values)
{
    (void)session, (void)gate, (void)values;
    return CLI_BAD_INPUT;
}

static const char *missing(void)
{
    return "libwebsockets was missing when it was built (tools/setup installs it)";
}

#endif

static int show(const char *name, const view_values *values)
{
    view_subject subject = {.name = name,
                            .choice = values->choice,
                            .other = values->compare,
                            .threads = values->threads,
                            .paused = values->paused};
    view_session *session = NULL;
    view_gate gate;
    const char *wrong = view_gate_open(&gate, values->address);
    if (wrong != NULL) {
        cli_error("view: --address is \"%s\": %s", values->address, wrong);
        return CLI_BAD_INPUT;
    }
    gate.port = (uint16_t)values->port;
    cli_interrupt_watch();
    int status = view_session_open(&subject, &session);
    if (status != CLI_DONE)
        return status;
    status = serve(session, &gate, values);
    view_session_close(session);
    return status;
}

static int view(int argc, char **argv)
{
    view_values values = {.threads = 1, .address = "127.0.0.1"};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_viewer, argc, argv, &values, &operand_count, &status))
        return status;
    if (missing() != NULL) {
        cli_error("view: this program has no viewer: %s", missing());
        status = CLI_BAD_INPUT;
    } else {
        status = show(argv[0], &values);
    }
    cli_options_release(cli_viewer.options, cli_viewer.option_count, &values);
    return status;
}

const cli_command cli_viewer = {
    .name = "view",
    .summary = "watch a scene run, or a recording, in the browser, and interact by mouse",
    .operands = "SCENE|RECORDING",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "Runs SCENE, a built-in name (ashlar list) or a .json or .urdf file, or plays RECORDING, a .h5 file or the\n"
        "directory of ashlar run --out. The page comes from the program itself: no network is needed. Prints its address, and\n"
        "opens it where there is a desktop. The address has a random token; connections without it are refused.\n"
        "With --address, other machines can connect too; traffic is not encrypted. Several pages may watch. Ctrl-C ends\n"
        "it; the exit status is then 0.",
    .examples = "  ashlar view roof-tower\n"
                "  ashlar view walker --compare bender-schmitt-2006\n"
                "  ashlar view out/roof-tower\n"
                "  ashlar view my-scene.json --method engineering --paused --port 8080 --no-open",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = view,
};
