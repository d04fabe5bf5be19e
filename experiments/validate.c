/* Validation: runs the experiments of the built-in scenes and hands out one row a figure. A number that is not finite
 * never passes. */
#include "base/diagnostic.h"
#include "experiments/builtin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void hand_out(ashi_validation *validation, const char *quantity, const char *source, ash_validation_row row)
{
    if (validation->stopped)
        return;
    snprintf(row.scene, sizeof row.scene, "%s", validation->scene);
    snprintf(row.quantity, sizeof row.quantity, "%s", quantity);
    snprintf(row.source, sizeof row.source, "%s", source);
    if (row.verdict == ASH_FAIL && validation->reason != NULL)
        snprintf(row.reason, sizeof row.reason, "%s", validation->reason);
    if (row.verdict != ASH_POINT)
        validation->reason = NULL;
    validation->stopped = !validation->row(&row, validation->user);
}

static void judge(ashi_validation *validation, const char *quantity, const char *source, double expected, double ours,
                  double limit, ash_verdict verdict)
{
    hand_out(validation, quantity, source,
             (ash_validation_row){.expected = expected, .ours = ours, .limit = limit, .verdict = verdict, .at = NAN});
}

void ashi_validation_explain(ashi_validation *validation, const char *reason)
{
    validation->reason = reason;
}

void ashi_validation_near(ashi_validation *validation, const char *quantity, const char *source, double expected,
                          double ours, double limit)
{
    bool pass = isfinite(ours) && fabs(ours - expected) <= limit;
    judge(validation, quantity, source, expected, ours, limit, pass ? ASH_PASS : ASH_FAIL);
}

void ashi_validation_below(ashi_validation *validation, const char *quantity, const char *source, double ours,
                           double limit)
{
    judge(validation, quantity, source, NAN, ours, limit, isfinite(ours) && ours <= limit ? ASH_PASS : ASH_FAIL);
}

void ashi_validation_above(ashi_validation *validation, const char *quantity, const char *source, double ours,
                           double limit)
{
    judge(validation, quantity, source, NAN, ours, limit, isfinite(ours) && ours >= limit ? ASH_PASS : ASH_FAIL);
}

void ashi_validation_report(ashi_validation *validation, const char *quantity, const char *source, double expected,
                            double ours)
{
    judge(validation, quantity, source, expected, ours, NAN, ASH_REPORTED);
}

void ashi_validation_point(ashi_validation *validation, const char *figure, const char *curve, double at,
                           double expected, double ours)
{
    hand_out(validation, curve, figure,
             (ash_validation_row){.expected = expected, .ours = ours, .limit = NAN, .verdict = ASH_POINT, .at = at});
}

static ash_status unknown_scene(const char *scene, ash_diagnostic *diagnostic)
{
    const char *names[128];
    uint32_t count = ash_builtin_count() < 128 ? ash_builtin_count() : 128;
    char hint[80];
    for (uint32_t i = 0; i < count; ++i)
        names[i] = ash_builtin_get(i).name;
    return ashi_fail(diagnostic, ASH_NOT_FOUND, "scene.unknown-name", "there is no built-in scene \"%s\"%s", scene,
                     ashi_did_you_mean(scene, names, count, hint, sizeof hint));
}

ash_status ash_validate(const char *scene, bool (*row)(const ash_validation_row *row, void *user), void *user,
                        ash_diagnostic *diagnostic)
{
    if (!row)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "validate.row", "a validation needs a function that takes rows");
    if (scene && !ashi_builtin_find(scene))
        return unknown_scene(scene, diagnostic);
    ashi_validation validation = {.row = row, .user = user};
    for (uint32_t i = 0; i < ash_builtin_count() && !validation.stopped; ++i) {
        validation.scene = ash_builtin_get(i).name;
        if (scene && strcmp(scene, validation.scene) != 0)
            continue;
        const ashi_builtin *builtin = ashi_builtin_find(validation.scene);
        ash_status status = builtin->validate ? builtin->validate(&validation, diagnostic) : ASH_OK;
        if (status != ASH_OK)
            return status;
    }
    return ASH_OK;
}
