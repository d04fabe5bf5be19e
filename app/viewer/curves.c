/* What pages plot over time: the energy ledger, the solver's error, penetration, joints' error, the stages of a step,
 * contacts, and the scene's outputs. Names, units and groups stand in the scene message, values in each frame. */
#include "app/viewer/parts.h"
#include "scene/record/ledger_entry.h"

/* The curves between the ledger's and the outputs. */
enum { RESIDUAL, PENETRATION, JOINT_ERROR, CONTACTS, ENERGY_BUDGET, REPORTED };
static const char *const reported[REPORTED][3] = {
    [RESIDUAL] = {"residual", "m/s", "residual"},        [PENETRATION] = {"penetration", "m", "penetration"},
    [JOINT_ERROR] = {"joint error", "m", "joint error"}, [CONTACTS] = {"contacts", "", "contacts"},
    [ENERGY_BUDGET] = {"energy budget", "J", "dial"}, /* what could have moved: the dial's scale, not plotted */
};

uint32_t view_curve_count(const view_session *session)
{
    if (view_is_recorded(session))
        return session->series.count;
    return ASHI_LEDGER_ENTRIES + REPORTED + ASH_STAGES + session->scene->outputs.count;
}

void view_write_curve(ashi_json_text *json, const char *name, const char *unit, const char *group)
{
    ashi_json_open(json, NULL, '{', false);
    ashi_json_string(json, "name", name);
    ashi_json_string(json, "unit", unit);
    ashi_json_string(json, "group", group);
    ashi_json_close(json);
}

static void write_live_curves(const view_session *session, ashi_json_text *json)
{
    const ash_scene *scene = session->scene;
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        view_write_curve(json, ashi_ledger_entry_name(i), "J", "energy");
    for (uint32_t i = 0; i < REPORTED; i++)
        view_write_curve(json, reported[i][0], reported[i][1], reported[i][2]);
    for (int i = 0; i < ASH_STAGES; i++)
        view_write_curve(json, ash_stage_name((ash_stage)i), "ms", "stages");
    for (uint32_t i = 0; i < scene->outputs.count; i++)
        view_write_curve(json, scene->outputs.data[i].name != NULL ? scene->outputs.data[i].name : "",
                         ashi_output_unit(&scene->outputs.data[i]), "outputs");
}

void view_write_curves(const view_session *session, ashi_json_text *json)
{
    ashi_json_open(json, "curves", '[', false);
    if (view_is_recorded(session))
        view_playback_write_curves(session, json);
    else
        write_live_curves(session, json);
    ashi_json_close(json);
}

void view_read_curves(const view_session *session, const view_world *world, double *values)
{
    const ashi_instance *instance = &world->instance;
    if (view_is_recorded(session)) {
        for (uint32_t i = 0; i < session->series.count; i++)
            *values++ = session->series.data[i].values[session->sample];
        return;
    }
    ash_ledger ledger = ash_world_get_ledger(instance->world);
    ash_step_report report = ash_world_get_report(instance->world);
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        *values++ = ashi_ledger_entry(&ledger, i);
    values[RESIDUAL] = report.blocks > 0 ? report.error.largest : report.residual;
    values[PENETRATION] = report.penetration;
    values[JOINT_ERROR] = report.joint_error;
    values[CONTACTS] = report.contacts;
    values[ENERGY_BUDGET] = report.energy_budget;
    values += REPORTED;
    for (int i = 0; i < ASH_STAGES; i++)
        *values++ = 1e3 * report.stage_seconds[i];
    for (uint32_t i = 0; i < session->scene->outputs.count; i++)
        *values++ = ashi_instance_read_output_by(instance, session->scene, i, &ledger);
}
