/* The summary of a run as one JSON object: the fields of DESIGN.md's contract, and beyond it `method_fields`, `ledger`,
 * `version`, `threads`, `time_planned`, `complete`, `stopped`, `indeterminate_outputs` and `broken_joints`. Numbers
 * that are not finite are null, because JSON has none. */
#include "base/diagnostic.h"
#include "scene/file/json_object.h"
#include "scene/record/ledger_entry.h"
#include "scene/run/run.h"

#include <stdio.h>

static json_t *pair(const char *first_key, double first, const char *second_key, double second)
{
    json_t *object = json_object();
    if (ashi_jansson_set(object, first_key, ashi_jansson_number(first)) &&
        ashi_jansson_set(object, second_key, ashi_jansson_number(second)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *triple(const char *first_key, double first, const char *second_key, double second, const char *third_key,
                      double third)
{
    json_t *object = pair(first_key, first, second_key, second);
    if (ashi_jansson_set(object, third_key, ashi_jansson_number(third)))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *stages(const ash_run_summary *summary)
{
    json_t *object = json_object();
    bool done = true;
    for (int i = 0; done && i < ASH_STAGES; i++)
        done = ashi_jansson_set(object, ash_stage_name((ash_stage)i), ashi_jansson_number(summary->stages_ms[i]));
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
        done = ashi_jansson_set(object, ashi_ledger_entry_name(i),
                                ashi_jansson_number(ashi_ledger_entry(&summary->ledger, i)));
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
    if (ashi_jansson_set(object, "name", json_string(answer->result.name)) &&
        ashi_jansson_set(object, "value", ashi_jansson_number(answer->result.value)) &&
        ashi_jansson_set(object, "limit", ashi_jansson_number(answer->result.limit)) &&
        ashi_jansson_set(object, "pass", json_boolean(answer->result.pass)) &&
        ashi_jansson_set(object, "output", json_string(answer->output)) &&
        ashi_jansson_set(object, "reduction", json_string(ashi_reduction_name(answer->reduction))) &&
        ashi_jansson_set(object, "measured", ashi_jansson_number(answer->measured)) &&
        ashi_jansson_set(object, "expected", ashi_jansson_number(answer->expected)))
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
        done = ashi_jansson_set(object, run->observation.tracks[i].name,
                                ashi_jansson_number(run->observation.tracks[i].last));
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
        bool told = ashi_jansson_set(object, "name", json_string(ash_flag_name(alarm.flag))) &&
                    ashi_jansson_set(object, "steps", ashi_jansson_count(alarm.steps)) &&
                    ashi_jansson_set(object, "first_s", ashi_jansson_number(alarm.first)) &&
                    ashi_jansson_set(object, "where", message(alarm.where)) &&
                    ashi_jansson_set(object, "meaning", json_string(ash_flag_meaning(alarm.flag))) &&
                    ashi_jansson_set(object, "advice", json_string(ash_flag_advice(alarm.flag)));
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
        bool told = ashi_jansson_set(object, "name", json_string(joint.name)) &&
                    ashi_jansson_set(object, "number", ashi_jansson_count(joint.number));
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
    if (ashi_jansson_set_method(object, method))
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
    if (ashi_jansson_set(object, "reason",
                         json_string(s->outcome == ASH_OK ? "interrupted" : ash_status_text(s->outcome))) &&
        ashi_jansson_set(object, "message", message(s->stopped)))
        return object;
    json_decref(object);
    return NULL;
}

static bool set_sizes(json_t *object, const ash_run *run)
{
    const ash_run_summary *s = &run->summary;
    char method[192];
    return ashi_jansson_set(object, "scene", json_string(s->scene)) &&
           ashi_jansson_set(object, "method", json_string(ash_method_describe(&s->method, method, sizeof method))) &&
           ashi_jansson_set(object, "method_fields", method_fields(&s->method)) &&
           ashi_jansson_set(object, "step", ashi_jansson_number(s->step)) &&
           ashi_jansson_set(object, "time", ashi_jansson_number(s->time)) &&
           ashi_jansson_set(object, "steps", ashi_jansson_count(s->steps)) &&
           ashi_jansson_set(object, "time_planned", ashi_jansson_number(s->time_planned)) &&
           ashi_jansson_set(object, "complete", json_boolean(s->complete)) &&
           ashi_jansson_set(object, "stopped", stopped(s)) &&
           ashi_jansson_set(object, "threads", ashi_jansson_count(run->threads)) &&
           ashi_jansson_set(object, "bodies", ashi_jansson_count(s->bodies)) &&
           ashi_jansson_set(object, "joints", ashi_jansson_count(s->joints)) &&
           ashi_jansson_set(object, "contacts_max", ashi_jansson_count(s->contacts_max));
}

static bool set_costs(json_t *object, const ash_run_summary *s)
{
    return ashi_jansson_set(object, "step_ms",
                            triple("mean", s->step_ms_mean, "median", s->step_ms_median, "max", s->step_ms_max)) &&
           ashi_jansson_set(object, "stages_ms", stages(s)) &&
           ashi_jansson_set(object, "realtime_factor", ashi_jansson_number(s->realtime_factor)) &&
           ashi_jansson_set(object, "iterations_mean", ashi_jansson_number(s->iterations_mean)) &&
           ashi_jansson_set(object, "corrections_mean",
                            pair("joint", s->joint_corrections_mean, "velocity", s->velocity_corrections_mean));
}

static json_t *energies(const ash_run_summary *s)
{
    json_t *object = triple("initial", s->energy_initial, "final", s->energy_final, "drift_rel", s->energy_drift);
    if (ashi_jansson_set(object, "made", ashi_jansson_number(s->energy_made)) &&
        ashi_jansson_set(object, "made_rel", ashi_jansson_number(s->energy_made_share)))
        return object;
    json_decref(object);
    return NULL;
}

/* The wanted accuracy and what is estimated of the errors of positions. */
static json_t *accuracy(const ash_run_summary *s)
{
    json_t *object = triple("wanted", s->accuracy, "local", s->error_local, "total", s->error_total);
    if (ashi_jansson_set(object, "step_shortest", ashi_jansson_number(s->step_shortest)) &&
        ashi_jansson_set(object, "step_longest", ashi_jansson_number(s->step_longest)) &&
        ashi_jansson_set(object, "steps_rejected", ashi_jansson_count(s->steps_rejected)))
        return object;
    json_decref(object);
    return NULL;
}

static bool set_errors(json_t *object, const ash_run_summary *s)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
    return ashi_jansson_set(object, "residual", pair("max", s->residual_max, "mean", s->residual_mean)) &&
           ashi_jansson_set(object, "penetration_m", pair("max", s->penetration_max, "final", s->penetration_final)) &&
           ashi_jansson_set(object, "joint_error_m", pair("max", s->joint_error_max, "final", s->joint_error_final)) &&
           ashi_jansson_set(object, "energy_J", energies(s)) && ashi_jansson_set(object, "ledger", ledger(s)) &&
           ashi_jansson_set(object, "displacement_m",
                            json_pack("{s:o}", "max", ashi_jansson_number(s->displacement_max))) &&
           (s->last_event <= 0 || ashi_jansson_set(object, "before_last_event",
                                                   triple("time", s->last_event, "sideways_m", s->sideways_before,
                                                          "penetration_m", s->penetration_before))) &&
           (s->accuracy == 0 || ashi_jansson_set(object, "error_m", accuracy(s))) &&
           ashi_jansson_set(object, "hash", json_string(hash)) && ashi_jansson_set(object, "flags", flags(s->flags));
}

ash_status ash_run_summary_json(const ash_run *run, char **text, ash_diagnostic *diagnostic)
{
    json_t *object = json_object();
    bool done = set_sizes(object, run) && set_costs(object, &run->summary) && set_errors(object, &run->summary) &&
                ashi_jansson_set(object, "alarms", alarms(run)) && ashi_jansson_set(object, "checks", checks(run)) &&
                ashi_jansson_set(object, "outputs", outputs(run)) &&
                ashi_jansson_set(object, "indeterminate_outputs", indeterminate(run)) &&
                ashi_jansson_set(object, "broken_joints", broken_joints(run)) &&
                ashi_jansson_set(object, "version", json_string(ash_version()));
    if (!done) {
        json_decref(object);
        return ashi_out_of_memory(diagnostic);
    }
    *text = ashi_jansson_dump(object, JSON_INDENT(2));
    return *text != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
}
