/* Names and groups under which series of recordings are plotted, those of running scenes where there are such. */
#include "app/viewer/recorded_curve.h"

#include <stddef.h>
#include <string.h>

view_recorded_curve view_recorded_curve_of(const char *series)
{
    static const struct {
        const char *series;
        view_recorded_curve curve;
    } reports[] = {
        {"report/step_ms", {"step", "stages"}},
        {"report/forces_ms", {"forces", "stages"}},
        {"report/solve_ms", {"solve", "stages"}},
        {"report/integrate_ms", {"integrate", "stages"}},
        {"report/collide_ms", {"collide", "stages"}},
        {"report/measure_ms", {"measure", "stages"}},
        {"report/iterations", {"iterations", "iterations"}},
        {"report/residual", {"residual", "residual"}},
        {"report/penetration", {"penetration", "penetration"}},
        {"report/joint_error", {"joint error", "joint error"}},
        {"report/contacts", {"contacts", "contacts"}},
        {"report/local_error", {"in a step", "error of positions"}},
        {"report/total_error", {"total", "error of positions"}},
    };
    if (strncmp(series, "outputs/", 8) == 0)
        return (view_recorded_curve){series + 8, "outputs"};
    if (strncmp(series, "ledger/", 7) == 0)
        return (view_recorded_curve){series + 7, "energy"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        if (strcmp(series, reports[i].series) == 0)
            return reports[i].curve;
    return (view_recorded_curve){NULL, NULL}; /* flags, which are bits */
}
