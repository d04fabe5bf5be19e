/* ashlar report: a recording as one page that plays it and draws its curves, to be sent and kept. The page is the
 * viewer's own, and what it needs to draw the scene is what a session would send to it. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/report/parts.h"
#include "app/viewer/assets.h"
#include "app/viewer/session.h"
#include "app/viewer/wire.h"

enum { FRAMES_MOST = 100000, FRAMES_USUAL = 600, FRAMES_LEAST = 2, ROWS_MOST = 1500, ATTEMPTS = 8 };
static const double megabyte = 1e6;
static const double size_usual = 16; /* MB: what most post offices take */

typedef struct report_values {
    const char *output;
    uint32_t frames;
    double size; /* MB */
} report_values;

static const cli_option options[] = {
    {"output", 'o', CLI_TEXT, "FILE", "the page, a name that ends in .html", offsetof(report_values, output), 0},
    {"frames", 0, CLI_COUNT, "N", "keep at most N samples of the motion (default 600), evenly spaced",
     offsetof(report_values, frames), FRAMES_MOST},
    {"size", 0, CLI_NUMBER, "MB", "keep fewer if the page would be larger (default 16 MB)",
     offsetof(report_values, size), 0},
};

/* What a session tells a page first. */
typedef struct greeting {
    json_t *hello, *scene;
    report_bytes surfaces;
    bool failed;
} greeting;

static void hear(const void *bytes, size_t size, bool is_text, void *user)
{
    greeting *heard = user;
    if (!is_text) {
        uint32_t type = size >= 4 ? *(const uint8_t *)bytes : 0;
        if (type == VIEW_SURFACE && !report_put(&heard->surfaces, bytes, size))
            heard->failed = true;
        return;
    }
    json_t *message = json_loadb(bytes, size, 0, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));
    json_t **place = type == NULL                 ? NULL
                     : strcmp(type, "hello") == 0 ? &heard->hello
                     : strcmp(type, "scene") == 0 ? &heard->scene
                                                  : NULL;
    heard->failed |= message == NULL;
    if (place != NULL && *place == NULL)
        *place = message;
    else
        json_decref(message);
}

static void forget(greeting *heard)
{
    json_decref(heard->hello);
    json_decref(heard->scene);
    ashi_array_release(&heard->surfaces);
}

static int greet(const char *path, greeting *heard)
{
    view_session *session = NULL;
    char place[4096];
    /* With a folder before it, a recording that is called like a scene is not taken for one. */
    if (snprintf(place, sizeof place, "%s%s", strchr(path, '/') == NULL ? "./" : "", path) >= (int)sizeof place) {
        cli_error("report: \"%.100s...\" is too long a name", path);
        return CLI_BAD_INPUT;
    }

    int status = view_session_open(&(view_subject){.name = place, .threads = 1, .paused = true}, &session);
    if (status != CLI_DONE)
        return status;
    ash_status outcome = view_session_greet(session, (view_sink){hear, heard});
    view_session_close(session);
    if (outcome == ASH_OK && !heard->failed && heard->hello != NULL && heard->scene != NULL)
        return CLI_DONE;
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

/* The data except for the motion. `curves` of the scene are what was recorded. */
static json_t *gather(ashi_replay *replay, const char *path, const greeting *heard, ash_diagnostic *diagnostic)
{
    json_t *curves = NULL;
    json_t *series = report_series(replay, ROWS_MOST, &curves, diagnostic);
    json_t *facts = series != NULL ? report_facts(replay, path, diagnostic) : NULL;
    if (facts == NULL) {
        json_decref(series);
        json_decref(curves);
        return NULL;
    }
    ashi_recording_summary recording = ashi_replay_summary(replay);
    json_t *data = json_object();
    json_object_del(heard->scene, "history"); /* these curves are packed */
    cli_json_set(heard->scene, "curves", curves);
    cli_json_set(heard->scene, "recorded", json_true());
    cli_json_set(heard->scene, "editable", json_false());
    cli_json_set(heard->scene, "duration", cli_json_number(recording.last_time));
    cli_json_set(data, "format", json_integer(1));
    cli_json_set(data, "version", json_string(ash_version()));
    cli_json_set(data, "layers", json_incref(json_object_get(heard->hello, "layers")));
    cli_json_set(data, "scene", json_incref(heard->scene));
    cli_json_set(data, "surfaces", report_packed(&heard->surfaces));
    cli_json_set(data, "links", report_links(ashi_replay_scene(replay)));
    cli_json_set(data, "series", series);
    cli_json_set(data, "facts", facts);
    return data;
}

typedef struct made {
    char *page;
    size_t size;
    uint32_t frames;
} made;

/* Makes the page with fewer and fewer frames until it is small enough. */
static int make_page(ashi_replay *replay, json_t *data, const report_values *values, made *result)
{
    ash_diagnostic diagnostic = {0};
    double bound = values->size * megabyte;
    uint32_t frames = values->frames;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        json_t *motion = report_motion(replay, frames, &diagnostic);
        if (motion == NULL)
            return cli_report(&diagnostic);
        frames = (uint32_t)json_integer_value(json_object_get(motion, "frames"));
        double moves = (double)json_string_length(json_object_get(json_object_get(motion, "moves"), "data"));
        cli_json_set(data, "motion", motion);
        result->page = report_page(data, ash_scene_get_name(ashi_replay_scene(replay)), &result->size, &diagnostic);
        if (result->page == NULL)
            return cli_report(&diagnostic);
        result->frames = frames;
        double rest = (double)result->size - moves;
        if ((double)result->size <= bound)
            return CLI_DONE;
        if (frames <= FRAMES_LEAST || rest >= bound) {
            cli_error("report: --size %g: the page, its curves and %u samples of the motion take %.3g MB at least",
                      values->size, frames < FRAMES_LEAST ? frames : FRAMES_LEAST,
                      (frames > FRAMES_LEAST ? rest : (double)result->size) / megabyte);
            return CLI_BAD_INPUT;
        }
        uint32_t fewer = (uint32_t)(0.95 * frames * (bound - rest) / moves);
        frames = attempt + 2 < ATTEMPTS && fewer > FRAMES_LEAST ? fewer : FRAMES_LEAST;
        ashi_dealloc(result->page);
        result->page = NULL;
    }
    cli_error("report: --size %g: no number of samples fits", values->size);
    return CLI_BAD_INPUT;
}

static void tell(const made *result, const char *output, ashi_replay *replay)
{
    ashi_recording_summary recording = ashi_replay_summary(replay);
    printf("%.2f MB written to %s: ", (double)result->size / megabyte, output);
    if (result->frames < recording.samples)
        printf("%u of %llu samples", result->frames, (unsigned long long)recording.samples);
    else
        cli_put_count(stdout, result->frames, "sample", "samples");
    printf(" of %.6g s, ", recording.last_time);
    cli_put_count(stdout, recording.bodies, "body\n", "bodies\n");
}

static int write_report(ashi_replay *replay, const char *path, const report_values *values)
{
    greeting heard = {0};
    made result = {0};
    json_t *data = NULL;
    int status = greet(path, &heard);
    if (status == CLI_DONE) {
        ash_diagnostic diagnostic = {0};
        data = gather(replay, path, &heard, &diagnostic);
        status = data != NULL ? make_page(replay, data, values, &result) : cli_report(&diagnostic);
    }
    if (status == CLI_DONE && !cli_json_is_whole()) {
        cli_error("out of memory");
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = cli_write_file(values->output, result.page, result.size);
    if (status == CLI_DONE)
        tell(&result, values->output, replay);
    ashi_dealloc(result.page);
    json_decref(data);
    forget(&heard);
    return status;
}

/* A built-in scene, unless a recording is called like it, or a scene file. */
static bool is_scene(const char *name)
{
    ash_builtin_info info;
    struct stat state;
    size_t length = strlen(name);
    return (cli_builtin_find(name, &info) && stat(name, &state) != 0) ||
           (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static int check_values(const char *path, const report_values *values)
{
    size_t length = values->output != NULL ? strlen(values->output) : 0;
    if (values->output == NULL)
        cli_error("report: -o FILE.html is missing");
    else if (length < 6 || strcmp(values->output + length - 5, ".html") != 0)
        cli_error("report: --output \"%s\": expected a name that ends in .html", values->output);
    else if (is_scene(path))
        cli_error("report: \"%s\" is a scene; expected a recording: \"ashlar run %s --out DIR\" makes one, then "
                  "\"ashlar report DIR -o FILE.html\"",
                  path, path);
    else if (view_assets_missing() != NULL)
        cli_error("report: %s", view_assets_missing());
    else
        return CLI_DONE;
    return CLI_BAD_INPUT;
}

static int report(int argc, char **argv)
{
    report_values values = {.frames = FRAMES_USUAL, .size = size_usual};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_report_page, argc, argv, &values, &operand_count, &status))
        return status;
    ashi_replay *replay = NULL;
    ash_diagnostic diagnostic = {0};
    status = check_values(argv[0], &values);
    if (status == CLI_DONE && ashi_replay_open(argv[0], &replay, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    if (status == CLI_DONE && ashi_replay_summary(replay).samples == 0) {
        cli_error("report: \"%s\" has no sample: its run was stopped before it wrote one", argv[0]);
        status = CLI_BAD_INPUT;
    }
    if (status == CLI_DONE)
        status = write_report(replay, argv[0], &values);
    ashi_replay_close(replay);
    cli_options_release(cli_report_page.options, cli_report_page.option_count, &values);
    return status;
}

const cli_command cli_report_page = {
    .name = "report",
    .summary = "a recording as one page to send and keep: motion, curves, summary",
    .operands = "RECORDING",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Writes RECORDING, a file or the directory that \"ashlar run SCENE --out DIR\" made, as one HTML page\n"
             "with the motion to play, the curves to zoom, and a summary of the run. The page opens\n"
             "from disk in any current browser, without a network. Its size is printed; where it would be larger\n"
             "than --size, fewer samples of the motion are kept, and the page interpolates between them.",
    .examples = "  ashlar run roof-tower --out tower && ashlar report tower -o tower.html\n"
                "  ashlar report tower --frames 200 --size 2 -o small.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = report,
};
