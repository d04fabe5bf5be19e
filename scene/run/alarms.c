/* The tally of alarms over a run. */
#include "scene/run/alarms.h"

#include <math.h>
#include <string.h>

/* How bad an alarm is in a step, compared with the same alarm in other steps. */
static double severity_of(const ash_step_report *report, ash_flag flag)
{
    switch (flag) {
    case ASH_FLAG_ENERGY_MADE:
    case ASH_FLAG_ENERGY_DRIFT:
    case ASH_FLAG_GROWING:
        return report->energy_budget > 0 ? report->energy_made / report->energy_budget : report->energy_made;
    case ASH_FLAG_NOT_CONVERGED:
    case ASH_FLAG_SOLVER_FAILED:
    case ASH_FLAG_SOLVER_REPLACED:
    case ASH_FLAG_LAW_IGNORED:
        return report->error.largest;
    case ASH_FLAG_INTEGRATOR_NOT_CONVERGED:
        return report->residual;
    case ASH_FLAG_IMPACT_MISSED:
        return report->penetration;
    case ASH_FLAG_JOINT_OPEN:
        return fmax(report->joint_error, report->joint_angle);
    default:
        return 0;
    }
}

static void note(ashi_alarms *alarms, const ash_world *world, const ash_step_report *report, ash_flag flag, double time)
{
    uint32_t i = 0;
    while (i < alarms->count && alarms->entries[i].told.flag != flag)
        i++;
    if (i == ASHI_ALARMS_MOST)
        return;
    double severity = severity_of(report, flag);
    if (i == alarms->count) {
        alarms->entries[i].told = (ash_run_alarm){.flag = flag, .first = time};
        alarms->entries[i].severity = -HUGE_VAL;
        alarms->count++;
    }
    alarms->entries[i].told.steps++;
    if (severity > alarms->entries[i].severity) {
        alarms->entries[i].severity = severity;
        ash_world_get_flag_place(world, flag, alarms->entries[i].where, sizeof alarms->entries[i].where);
    }
}

void ashi_alarms_note(ashi_alarms *alarms, const ash_world *world, double time)
{
    ash_step_report report = ash_world_get_report(world);
    for (uint32_t flag = 1; flag <= ASH_FLAG_LAST && flag <= report.flags; flag <<= 1)
        if (report.flags & flag)
            note(alarms, world, &report, (ash_flag)flag, time);
}
