/* A case is a run of the scene with settings of its own. Nothing that depends on the clock is measured: the same case
 * gives the same numbers wherever it is run. */
#include "app/sweep/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "scene/description/description.h"
#include "scene/run/run.h"

const char *cli_case_state_name(cli_case_state state)
{
    static const char *const names[] = {"open", "done", "broken", "refused", "lost"};
    return names[state];
}

size_t cli_case_size(const cli_measures *measures)
{
    return sizeof(cli_case) + measures->names.count * sizeof(double);
}

/* The case's own settings after those of all; "method" is kept apart. Texts are in the arena. */
typedef struct case_settings {
    ashi_arena *arena;
    cli_choice choice; /* of which `set` is rebuilt */
    ASHI_ARRAY(ash_setting) list;
} case_settings;

static bool add_setting(case_settings *s, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = ashi_arena_take(s->arena, size), *own_key = ashi_arena_text(s->arena, key);
    if (text == NULL || own_key == NULL || !ashi_array_extend(&s->choice.set) || !ashi_array_extend(&s->list))
        return false;
    snprintf(text, size, "%s=%s", key, value);
    s->choice.set.data[s->choice.set.count - 1] = text;
    s->list.data[s->list.count - 1] = (ash_setting){own_key, text + strlen(key) + 1};
    return true;
}

static bool take_setting(case_settings *s, const char *text)
{
    char key[128];
    const char *equals = strchr(text, '=');
    if (equals == NULL || (size_t)(equals - text) >= sizeof key)
        return add_setting(s, text, "");
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    return add_setting(s, key, equals + 1);
}

static bool gather(const cli_work *work, uint32_t number, case_settings *s)
{
    *s = (case_settings){.arena = ashi_arena_create(1024), .choice = work->choice};
    s->choice.set = (cli_texts){0};
    bool done = s->arena != NULL;
    for (uint32_t i = 0; done && i < work->choice.set.count; i++)
        done = take_setting(s, work->choice.set.data[i]);
    for (uint32_t i = 0; done && i < work->plan->factors.count; i++) {
        char text[64];
        const char *name = work->plan->factors.data[i].name;
        const char *value = cli_plan_value(work->plan, number, i, text, sizeof text);
        if (strcmp(name, "method") != 0)
            done = add_setting(s, name, value);
        else
            done = (s->choice.method = ashi_arena_text(s->arena, value)) != NULL;
    }
    return done;
}

static void drop(case_settings *s)
{
    ashi_array_release(&s->list);
    ashi_array_release(&s->choice.set);
    ashi_arena_destroy(s->arena);
}

/* Opens the case's scene. Methods were tried when the sweep began, so that nothing is said here. */
static ash_status open_case(const cli_work *work, uint32_t number, ash_scene **scene, ash_diagnostic *diagnostic)
{
    case_settings s;
    *scene = NULL;
    ash_status status = ASH_OUT_OF_MEMORY;
    if (gather(work, number, &s))
        status = ash_scene_open(work->scene, s.list.data, s.list.count, scene, diagnostic);
    else
        ashi_out_of_memory(diagnostic);
    ash_method method;
    if (status == ASH_OK && s.choice.method != NULL &&
        (cli_method_read(s.choice.method, work->scene, &s.choice, &method) != CLI_DONE ||
         ash_scene_set_method(*scene, &method) != ASH_OK))
        status =
            ashi_fail(diagnostic, ASH_BAD_DATA, "sweep.method", "the method \"%s\" cannot be used", s.choice.method);
    if (status == ASH_OK && s.choice.step > 0)
        (*scene)->step = s.choice.step;
    if (status == ASH_OK && s.choice.time > 0)
        (*scene)->time = s.choice.time;
    drop(&s);
    if (status != ASH_OK) {
        ash_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

static bool add_measure(cli_measures *m, const char *name, const char *part, const char *unit)
{
    char text[256];
    snprintf(text, sizeof text, "%.200s%s%s", name, part[0] != 0 ? " " : "", part);
    if (!ashi_array_extend(&m->names))
        return false;
    m->names.data[m->names.count - 1] = ashi_copy_text(text);
    if (!ashi_array_extend(&m->units))
        return false;
    m->units.data[m->units.count - 1] = ashi_copy_text(unit);
    return m->names.data[m->names.count - 1] != NULL && m->units.data[m->units.count - 1] != NULL;
}

static bool list_measures(cli_measures *m, const ash_scene *scene)
{
    static const char *const of_run[CLI_MEASURES_OF_RUN][2] = {
        {"time reached", "s"},
        {"steps", ""},
        {"flags", ""},
        {"residual max", "m/s"},
        {"penetration max", "m"},
        {"joint error max", "m"},
        {"energy drift", ""},
        {"displacement max", "m"},
        {"contacts max", ""},
        {"failed checks", ""},
        {"worst check", ""},
    };
    static const char *const parts[CLI_OUTPUT_MEASURES] = {"", "min", "max", "mean"};
    bool done = true;
    for (int i = 0; i < CLI_MEASURES_OF_RUN && done; i++)
        done = add_measure(m, of_run[i][0], "", of_run[i][1]);
    for (uint32_t i = 0; i < scene->outputs.count && done; i++)
        for (int k = 0; k < CLI_OUTPUT_MEASURES && done; k++)
            done = add_measure(m, scene->outputs.data[i].name, parts[k], ashi_output_unit(&scene->outputs.data[i]));
    m->outputs = scene->outputs.count;
    return done;
}

/* Are all methods that are varied methods? */
static bool try_methods(const cli_work *work)
{
    for (uint32_t i = 0; i < work->plan->factors.count; i++) {
        const cli_factor *factor = &work->plan->factors.data[i];
        ash_method method;
        for (uint32_t k = 0; strcmp(factor->name, "method") == 0 && k < factor->value_count; k++)
            if (cli_method_read(factor->values[k], work->scene, &(cli_choice){0}, &method) != CLI_DONE)
                return false;
    }
    return true;
}

bool cli_work_prepare(cli_work *work)
{
    ash_diagnostic first = {0};
    if (!try_methods(work))
        return false;
    for (uint32_t i = 0; i < work->plan->cases && i < 1000; i++) {
        ash_scene *scene;
        ash_diagnostic diagnostic = {0};
        if (open_case(work, i, &scene, &diagnostic) != ASH_OK) {
            first = i == 0 ? diagnostic : first;
            if (strcmp(diagnostic.code, "setting.unknown") == 0)
                break; /* of all cases */
            continue;
        }
        bool listed = list_measures(&work->measures, scene);
        if (!listed)
            cli_error("out of memory");
        ash_scene_destroy(scene);
        return listed;
    }
    cli_report(&first);
    return false;
}

void cli_work_release(cli_work *work)
{
    for (uint32_t i = 0; i < work->measures.names.count; i++)
        ashi_dealloc(work->measures.names.data[i]);
    for (uint32_t i = 0; i < work->measures.units.count; i++)
        ashi_dealloc(work->measures.units.data[i]);
    ashi_array_release(&work->measures.names);
    ashi_array_release(&work->measures.units);
}

static void take_outputs(const cli_work *work, const ash_run *run, cli_case *result)
{
    const ashi_observation *seen = &run->observation;
    for (uint32_t i = 0; i < work->measures.outputs; i++) {
        uint32_t first = CLI_MEASURES_OF_RUN + i * CLI_OUTPUT_MEASURES;
        for (uint32_t k = 0; k < seen->track_count; k++) {
            const ashi_track *track = &seen->tracks[k];
            if (strcmp(track->name, work->measures.names.data[first]) != 0)
                continue;
            bool any = track->count > 0;
            result->values[first + CLI_OUTPUT_FINAL] = track->last;
            result->values[first + CLI_OUTPUT_MIN] = any ? track->minimum : (double)NAN;
            result->values[first + CLI_OUTPUT_MAX] = any ? track->maximum : (double)NAN;
            result->values[first + CLI_OUTPUT_MEAN] = any ? track->sum / (double)track->count : (double)NAN;
            break;
        }
    }
}

static void take_checks(const ash_run *run, cli_case *result)
{
    double worst = run->checks.count > 0 ? 0 : (double)NAN;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < run->checks.count; i++) {
        const ash_check_result *check = &run->checks.data[i].result;
        double share = check->value / (check->limit > 0 ? check->limit : 1e-300);
        worst = share > worst ? share : worst;
        failed += !check->pass;
    }
    result->values[CLI_MEASURE_FAILED_CHECKS] = failed;
    result->values[CLI_MEASURE_WORST_CHECK] = worst;
}

static void measure(const cli_work *work, const ash_run *run, cli_case *result)
{
    const ash_run_summary *s = &run->summary;
    double *v = result->values;
    result->hash = s->hash;
    v[CLI_MEASURE_TIME] = s->time;
    v[CLI_MEASURE_STEPS] = (double)s->steps;
    v[CLI_MEASURE_FLAGS] = s->flags;
    v[CLI_MEASURE_RESIDUAL] = s->residual_max;
    v[CLI_MEASURE_PENETRATION] = s->penetration_max;
    v[CLI_MEASURE_JOINT_ERROR] = s->joint_error_max;
    v[CLI_MEASURE_DRIFT] = s->energy_drift;
    v[CLI_MEASURE_DISPLACEMENT] = s->displacement_max;
    v[CLI_MEASURE_CONTACTS] = s->contacts_max;
    take_checks(run, result);
    take_outputs(work, run, result);
}

static bool go_on(double time, double end, void *stop)
{
    (void)time;
    (void)end;
    bool (*const *asked)(void) = stop;
    return *asked == NULL || !(*asked)();
}

void cli_work_run(const cli_work *work, uint32_t number, const char *out, bool (*stop)(void), cli_case *result)
{
    ash_scene *scene;
    ash_run *run = NULL;
    ash_diagnostic diagnostic = {0};
    *result = (cli_case){.number = number, .state = CLI_CASE_REFUSED};
    for (uint32_t i = 0; i < work->measures.names.count; i++)
        result->values[i] = (double)NAN;
    ash_status status = open_case(work, number, &scene, &diagnostic);
    if (status == ASH_OK) {
        ash_run_options options = ash_default_run_options();
        options.threads = work->threads;
        options.check = true;
        options.out = out;
        options.progress = go_on;
        options.user = &stop;
        status = ash_scene_run(scene, &options, &run, &diagnostic);
    }
    if (run != NULL) {
        measure(work, run, result);
        result->state = status == ASH_OK ? CLI_CASE_DONE : CLI_CASE_BROKEN;
        if (!run->summary.complete && status == ASH_OK)
            result->state = CLI_CASE_LOST; /* it was stopped */
    }
    if (status != ASH_OK)
        snprintf(result->message, sizeof result->message, "%.239s", diagnostic.message);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

const char *cli_work_settings(const cli_work *work, uint32_t number, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < work->plan->factors.count && used + 1 < size; i++) {
        char value[64];
        int length = snprintf(text + used, size - used, "%s%s=%s", i > 0 ? " " : "", work->plan->factors.data[i].name,
                              cli_plan_value(work->plan, number, i, value, sizeof value));
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}
