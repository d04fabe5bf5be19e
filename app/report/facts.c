/* What there is to tell about a run: what it was of, by which method, what was flagged, how its outputs ran, and the
 * summary that `ashlar run --out` left beside the recording. */
#define _XOPEN_SOURCE 700
#include "app/report/parts.h"

#include "app/cli/choice.h"
#include "app/cli/document.h"
#include "base/diagnostic.h"
#include "scene/description/description.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SUMMARY_BYTES_MOST = 1 << 22 };

static void add_note(json_t *notes, const char *format, ...) ASHI_PRINTF(2, 3);
static void add_note(json_t *notes, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_json_append(notes, cli_json_text(text));
}

/* Every field of the method; `own` where it is not what the preset of that name has, or without a preset realtime. */
static json_t *method_fields(const ash_method *method, const char **base)
{
    json_t *fields = json_array();
    ash_method preset;
    *base = ash_method_find(method->name, &preset, NULL) == ASH_OK ? method->name : "realtime";
    bool known = ash_method_find(*base, &preset, NULL) == ASH_OK;
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        const char *name = ash_method_field_name(i);
        char value[128], usual[128] = "";
        if (ash_method_get(method, name, value, sizeof value) == NULL)
            continue;
        bool same = known && (ash_method_get(&preset, name, usual, sizeof usual) != NULL && strcmp(value, usual) == 0);
        cli_json_append(fields, json_pack("{s:s, s:s, s:s, s:b}", "name", name, "value", value, "summary",
                                          ash_method_field_summary(i), "own", !same));
    }
    return fields;
}

static void note_flags(const ash_series *flags, json_t *notes)
{
    for (uint32_t flag = 1; flag <= ASH_FLAG_LAST; flag *= 2) {
        uint32_t samples = 0, first = 0;
        for (uint32_t i = flags->count; i-- > 0;)
            if (((uint32_t)flags->values[i] & flag) != 0) {
                samples++;
                first = i;
            }
        if (samples > 0)
            add_note(notes, "Flag \"%s\" in steps before %u of %u samples, first at %.6g s.",
                     ash_flag_name((ash_flag)flag), samples, flags->count, flags->times[first]);
    }
}

/* How an output ran: the last value, and the extremes with their times. */
static json_t *course(const ash_series *series)
{
    uint32_t low = 0, high = 0;
    for (uint32_t i = 0; i < series->count; i++) {
        if (series->values[i] < series->values[low] || isnan(series->values[low]))
            low = i;
        if (series->values[i] > series->values[high] || isnan(series->values[high]))
            high = i;
    }
    json_t *object = json_object();
    cli_json_set(object, "name", cli_json_text(series->name + strlen("outputs/")));
    cli_json_set(object, "unit", cli_json_text(series->unit));
    cli_json_set(object, "first", cli_json_number(series->values[0]));
    cli_json_set(object, "last", cli_json_number(series->values[series->count - 1]));
    cli_json_set(object, "least", cli_json_number(series->values[low]));
    cli_json_set(object, "least_at", cli_json_number(series->times[low]));
    cli_json_set(object, "greatest", cli_json_number(series->values[high]));
    cli_json_set(object, "greatest_at", cli_json_number(series->times[high]));
    return object;
}

static ash_status add_series(ashi_replay *replay, json_t *facts, json_t *notes, ash_diagnostic *diagnostic)
{
    json_t *outputs = json_array();
    ash_status status = ASH_OK;
    for (uint32_t i = 0; status == ASH_OK && i < ashi_replay_series_count(replay); i++) {
        ash_series series;
        status = ashi_replay_series(replay, i, &series, diagnostic);
        if (status != ASH_OK || series.count == 0)
            continue;
        if (strncmp(series.name, "outputs/", 8) == 0)
            cli_json_append(outputs, course(&series));
        else if (strcmp(series.name, "report/flags") == 0)
            note_flags(&series, notes);
    }
    cli_json_set(facts, "outputs", outputs);
    return status;
}

/* The summary beside the recording, if it is of this run; null otherwise. */
static json_t *read_summary(const char *path, const ashi_recording_summary *recording, json_t *notes)
{
    struct stat state;
    const char *slash = strrchr(path, '/');
    bool is_directory = stat(path, &state) == 0 && S_ISDIR(state.st_mode);
    int folder = is_directory ? (int)strlen(path) : slash != NULL ? (int)(slash - path) : 0;
    char place[4096];
    if ((size_t)folder + sizeof "/summary.json" > sizeof place)
        return NULL;
    snprintf(place, sizeof place, "%.*s%ssummary.json", folder, path, is_directory || slash != NULL ? "/" : "");
    if (stat(place, &state) != 0 || !S_ISREG(state.st_mode) || state.st_size > SUMMARY_BYTES_MOST)
        return NULL;
    json_t *summary = json_load_file(place, JSON_REJECT_DUPLICATES, NULL);
    const char *scene = json_string_value(json_object_get(summary, "scene"));
    double step = json_number_value(json_object_get(summary, "step"));
    if (scene != NULL && strncmp(scene, recording->scene, sizeof recording->scene - 1) == 0 && step == recording->step)
        return summary;
    add_note(notes, "The summary.json beside the recording is not of this run and was left out.");
    json_decref(summary);
    return NULL;
}

static void note_ending(const ashi_recording_summary *recording, json_t *notes)
{
    if (!recording->complete)
        add_note(notes, "The run did not come to its end: %.6g s were planned, the recording ends at %.6g s.",
                 recording->time, recording->last_time);
    if (recording->marked_open)
        add_note(notes, "The recording's writer was killed while it closed the file; the data are whole.");
}

json_t *report_facts(ashi_replay *replay, const char *path, ash_diagnostic *diagnostic)
{
    ashi_recording_summary recording = ashi_replay_summary(replay);
    const ash_scene *scene = ashi_replay_scene(replay);
    ash_method method = ash_scene_get_method(scene);
    json_t *facts = json_object(), *notes = json_array();
    const char *base;
    char text[256];
    time_t now = time(NULL);
    struct tm utc;
    note_ending(&recording, notes);
    cli_json_set(facts, "scene", cli_json_text(ash_scene_get_name(scene)));
    cli_json_set(facts, "about",
                 cli_json_text(ash_scene_get_summary(scene) != NULL ? ash_scene_get_summary(scene) : ""));
    cli_json_set(facts, "method", cli_json_text(cli_method_text(&method, text, sizeof text)));
    cli_json_set(facts, "fields", method_fields(&method, &base));
    cli_json_set(facts, "base", json_string(base));
    cli_json_set(facts, "step", cli_json_number(recording.step));
    cli_json_set(facts, "planned", cli_json_number(recording.time));
    cli_json_set(facts, "ended", cli_json_number(recording.last_time));
    cli_json_set(facts, "complete", json_boolean(recording.complete));
    cli_json_set(facts, "samples", json_integer((json_int_t)recording.samples));
    cli_json_set(facts, "bodies", json_integer(recording.bodies));
    cli_json_set(facts, "joints", json_integer(scene->joints.count));
    cli_json_set(facts, "recorded_by", cli_json_text(recording.ashlar_version));
    cli_json_set(facts, "reported_by", json_string(ash_version()));
    if (gmtime_r(&now, &utc) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc) > 0)
        cli_json_set(facts, "date", json_string(text));
    json_t *summary = read_summary(path, &recording, notes);
    cli_json_set(facts, "summary", summary != NULL ? summary : json_null());
    ash_status status = add_series(replay, facts, notes, diagnostic);
    cli_json_set(facts, "notes", notes);
    if (status == ASH_OK)
        return facts;
    json_decref(facts);
    return NULL;
}
