/* The summary of a run as one JSON object: the fields of DESIGN.md's contract, and beyond it `method_fields`, `ledger`,
 * `version`, `threads`, `time_planned`, `complete`, `stopped`, `indeterminate_outputs` and `broken_joints`. Numbers
 * that are not finite are null, because JSON has none. */
#include "scene/summary.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/text.h"
#include "scene/ledger_entry.h"
#include "scene/run.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* Takes `value`, also when it or the object is null because memory ran out: the key is then missing. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0; /* without an object it drops the value */
}

static json_t *pair(const char *first_key, double first, const char *second_key, double second)
{
    json_t *object = json_object();
    if (set(object, first_key, number(first)) && set(object, second_key, number(second)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *triple(const char *first_key, double first, const char *second_key, double second, const char *third_key,
                      double third)
{
    json_t *object = pair(first_key, first, second_key, second);
    if (set(object, third_key, number(third)))
        return object;
    json_decref(object);
    return NULL;
}

/* Fields whose value reads as a number are numbers. */
static bool set_method_fields(json_t *object, const ash_method *method)
{
    bool done = object != NULL;
    for (uint32_t i = 0; done && i < ash_method_field_count(); i++) {
        char text[128];
        double value;
        const char *field = ash_method_field_name(i);
        if (ash_method_get(method, field, text, sizeof text) == NULL)
            continue;
        if (!ashi_parse_number(text, &value))
            done = set(object, field, json_string(text));
        else
            done = set(object, field,
                       value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : number(value));
    }
    return done;
}

/* The object as text in our own memory; takes the object. */
static char *dump(json_t *object, size_t flags)
{
    char *text = json_dumps(object, flags | JSON_REAL_PRECISION(17));
    char *copy = text != NULL ? ashi_copy_text(text) : NULL;
    json_decref(object);
    /* Jansson's memory goes back the way it came, in case the host gave it functions of its own. */
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    return copy;
}

char *ashi_method_text(const ash_method *method)
{
    json_t *object = json_object();
    if (set(object, "name", json_string(method->name)) && set_method_fields(object, method))
        return dump(object, JSON_COMPACT);
    json_decref(object);
    return NULL;
}

static json_t *stages(const ash_run_summary *summary)
{
    json_t *object = json_object();
    bool done = true;
    for (int i = 0; done && i < ASH_STAGES; i++)
        done = set(object, ash_stage_name((ash_stage)i), number(summary->stages_ms[i]));
    if (done)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *ledger(const ash_run_summary *summary)
{
    json_t *object = json_object();
    bool done = true;
    for (uint32_t i = 0; done && i < ASHI_LEDGER_ENTRIES; i++)
        done = set(object, ashi_ledger_entry_name(i), number(ashi_ledger_entry(&summary->ledger, i)));
    if (done)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *flags(uint32_t raised)
{
    json_t *list = json_array();
    bool done = list != NULL;
    for (uint32_t flag = 1; done && flag != 0; flag <<= 1)
        if ((raised & flag) != 0)
            done = json_array_append_new(list, json_string(ash_flag_name((ash_flag)flag))) == 0;
    if (done)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *check(const ashi_check *answer)
{
    json_t *object = json_object();
    if (set(object, "name", json_string(answer->result.name)) && set(object, "value", number(answer->result.value)) &&
        set(object, "limit", number(answer->result.limit)) && set(object, "pass", json_boolean(answer->result.pass)) &&
        set(object, "output", json_string(answer->output)) &&
        set(object, "reduction", json_string(ashi_reduction_name(answer->reduction))) &&
        set(object, "measured", number(answer->measured)) && set(object, "expected", number(answer->expected)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *checks(const ash_run *run)
{
    json_t *list = json_array();
    bool done = list != NULL;
    for (uint32_t i = 0; done && i < run->checks.count; i++)
        done = json_array_append_new(list, check(&run->checks.data[i])) == 0;
    if (done)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *outputs(const ash_run *run)
{
    json_t *object = json_object();
    bool done = true;
    for (uint32_t i = 0; done && i < run->observation.track_count; i++)
        done = set(object, run->observation.tracks[i].name, number(run->observation.tracks[i].last));
    if (done)
        return object;
    json_decref(object);
    return NULL;
}

/* A path in a message may be no UTF-8, which JSON must be: other bytes are then '?'. */
static json_t *message(const char *text)
{
    char plain[1024];
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    snprintf(plain, sizeof plain, "%s", text);
    for (char *c = plain; *c != 0; c++)
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    return json_string(plain);
}

static json_t *alarms(const ash_run *run)
{
    json_t *list = json_array();
    bool done = list != NULL;
    for (uint32_t i = 0; done && i < ash_run_get_alarm_count(run); i++) {
        ash_run_alarm alarm = ash_run_get_alarm(run, i);
        json_t *object = json_object();
        bool told = set(object, "name", json_string(ash_flag_name(alarm.flag))) &&
                    set(object, "steps", count(alarm.steps)) && set(object, "first_s", number(alarm.first)) &&
                    set(object, "where", message(alarm.where)) &&
                    set(object, "meaning", json_string(ash_flag_meaning(alarm.flag))) &&
                    set(object, "advice", json_string(ash_flag_advice(alarm.flag)));
        done = json_array_append_new(list, object) == 0 && told;
    }
    if (done)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *broken_joints(const ash_run *run)
{
    json_t *list = json_array();
    bool done = list != NULL;
    for (uint32_t i = 0; done && i < ash_run_get_broken_count(run); i++) {
        ash_broken_joint joint = ash_run_get_broken(run, i);
        json_t *object = triple("time", joint.time, "force_N", joint.force, "torque_Nm", joint.torque);
        bool told = set(object, "name", json_string(joint.name)) && set(object, "number", count(joint.number));
        done = json_array_append_new(list, object) == 0 && told;
    }
    if (done)
        return list;
    json_decref(list);
    return NULL;
}

/* Outputs whose value at the end is one of many. */
static json_t *indeterminate(const ash_run *run)
{
    json_t *list = json_array();
    bool done = list != NULL;
    for (uint32_t i = 0; done && i < run->observation.track_count; i++)
        if (run->observation.tracks[i].indeterminate)
            done = json_array_append_new(list, json_string(run->observation.tracks[i].name)) == 0;
    if (done)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *method_fields(const ash_method *method)
{
    json_t *object = json_object();
    if (set_method_fields(object, method))
        return object;
    json_decref(object);
    return NULL;
}

/* Why the run ended before its time, or null. */
static json_t *stopped(const ash_run_summary *s)
{
    if (s->complete)
        return json_null();
    json_t *object = json_object();
    if (set(object, "reason", json_string(s->outcome == ASH_OK ? "interrupted" : ash_status_text(s->outcome))) &&
        set(object, "message", message(s->stopped)))
        return object;
    json_decref(object);
    return NULL;
}

static bool set_sizes(json_t *object, const ash_run *run)
{
    const ash_run_summary *s = &run->summary;
    return set(object, "scene", json_string(s->scene)) && set(object, "method", json_string(s->method.name)) &&
           set(object, "method_fields", method_fields(&s->method)) && set(object, "step", number(s->step)) &&
           set(object, "time", number(s->time)) && set(object, "steps", count(s->steps)) &&
           set(object, "time_planned", number(s->time_planned)) && set(object, "complete", json_boolean(s->complete)) &&
           set(object, "stopped", stopped(s)) && set(object, "threads", count(run->threads)) &&
           set(object, "bodies", count(s->bodies)) && set(object, "joints", count(s->joints)) &&
           set(object, "contacts_max", count(s->contacts_max));
}

static bool set_costs(json_t *object, const ash_run_summary *s)
{
    return set(object, "step_ms",
               triple("mean", s->step_ms_mean, "median", s->step_ms_median, "max", s->step_ms_max)) &&
           set(object, "stages_ms", stages(s)) && set(object, "realtime_factor", number(s->realtime_factor)) &&
           set(object, "iterations_mean", number(s->iterations_mean)) &&
           set(object, "corrections_mean",
               pair("joint", s->joint_corrections_mean, "velocity", s->velocity_corrections_mean));
}

static json_t *energies(const ash_run_summary *s)
{
    json_t *object = triple("initial", s->energy_initial, "final", s->energy_final, "drift_rel", s->energy_drift);
    if (set(object, "made", number(s->energy_made)) && set(object, "made_rel", number(s->energy_made_share)))
        return object;
    json_decref(object);
    return NULL;
}

static bool set_errors(json_t *object, const ash_run_summary *s)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
    return set(object, "residual", pair("max", s->residual_max, "mean", s->residual_mean)) &&
           set(object, "penetration_m", pair("max", s->penetration_max, "final", s->penetration_final)) &&
           set(object, "joint_error_m", pair("max", s->joint_error_max, "final", s->joint_error_final)) &&
           set(object, "energy_J", energies(s)) && set(object, "ledger", ledger(s)) &&
           set(object, "displacement_m", json_pack("{s:o}", "max", number(s->displacement_max))) &&
           (s->last_event <= 0 || set(object, "before_last_event",
                                      triple("time", s->last_event, "sideways_m", s->sideways_before, "penetration_m",
                                             s->penetration_before))) &&
           set(object, "hash", json_string(hash)) && set(object, "flags", flags(s->flags));
}

ash_status ash_run_summary_json(const ash_run *run, char **text, ash_diagnostic *diagnostic)
{
    json_t *object = json_object();
    bool done = set_sizes(object, run) && set_costs(object, &run->summary) && set_errors(object, &run->summary) &&
                set(object, "alarms", alarms(run)) && set(object, "checks", checks(run)) &&
                set(object, "outputs", outputs(run)) && set(object, "indeterminate_outputs", indeterminate(run)) &&
                set(object, "broken_joints", broken_joints(run)) && set(object, "version", json_string(ash_version()));
    if (!done) {
        json_decref(object);
        return ashi_out_of_memory(diagnostic);
    }
    *text = dump(object, JSON_INDENT(2));
    return *text != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
}
