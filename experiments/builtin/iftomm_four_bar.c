/* iftomm-four-bar: n windows of equal links in a row, pinned, cranks upright (IFToMM library of benchmark problems).
 *
 * The mechanism has one freedom. When all links lie on one line it has more: the rows of the joints become dependent in
 * that position, and a method that divides by them fails. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/mechanism.h"

#include <math.h>
#include <stdio.h>

static const double mass = 1, length = 1, gravity = 9.81, start_speed = 1;

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "windows", .value = 2, .low = 1, .high = 10000},
};

static ash_status add_rod(ash_scene *scene, const char *name, ash_vec3 from, ash_vec3 to, ash_vec3 velocity,
                          double spin, uint32_t *body, ash_diagnostic *diagnostic)
{
    ash_vec3 middle = {(from.x + to.x) / 2, (from.y + to.y) / 2, 0};
    ashi_linkage_link link = {.name = name,
                              .mass = mass,
                              .inertia = mass * length * length / 12,
                              .centre = middle,
                              .velocity = velocity,
                              .spin = spin,
                              .from = from,
                              .to = to,
                              .radius = 0.03};
    return ashi_add_link(scene, &link, body, diagnostic);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t windows, last_crank = ASHI_NONE, first = ASHI_NONE;
    ash_status status = ashi_parameter_whole(given, "n", &windows, diagnostic);
    scene->planar = true;
    scene->gravity = (ash_vec3){0, -gravity, 0};
    scene->step = 0.001;
    scene->time = 10;
    for (uint32_t i = 0; i <= windows && status == ASH_OK; i++) {
        ash_vec3 foot = {i * length, 0, 0}, top = {i * length, length, 0};
        uint32_t crank, coupler;
        status = add_rod(scene, ashi_scene_text(scene, "crank-%u", i), foot, top, (ash_vec3){start_speed / 2, 0, 0},
                         -start_speed / length, &crank, diagnostic);
        if (status != ASH_OK)
            break;
        first = i == 0 ? crank : first;
        ashi_pin(scene, ashi_scene_text(scene, "foot-%u", i), ASHI_NONE, crank, foot);
        if (i > 0) {
            ash_vec3 before = {(i - 1) * length, length, 0};
            status = add_rod(scene, ashi_scene_text(scene, "coupler-%u", i), before, top, (ash_vec3){start_speed, 0, 0},
                             0, &coupler, diagnostic);
            ashi_pin(scene, ashi_scene_text(scene, "left-%u", i), last_crank, coupler, before);
            ashi_pin(scene, ashi_scene_text(scene, "right-%u", i), coupler, crank, top);
        }
        last_crank = crank;
    }
    if (status != ASH_OK)
        return status;
    ashi_scene_output point = {.quantity = ASHI_BODY_POSITION, .object = first, .point = {0, length / 2, 0}};
    point.name = "B0 x";
    point.component = ASHI_X;
    uint32_t x = ashi_scene_add_output(scene, &point);
    point.name = "B0 y";
    point.component = ASHI_Y;
    uint32_t y = ashi_scene_add_output(scene, &point);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    double start = (windows + 1.0) * (mass * gravity * length / 2 + mass * start_speed * start_speed / 6) +
                   windows * (mass * gravity * length + mass * start_speed * start_speed / 2);
    ashi_expect_output(scene, "energy stays", energy, ASHI_FINAL, start, 1e-3);
    ashi_expect_output(scene, "links stay pinned", error, ASHI_MAX, 0, 1e-6);
    if (windows == 2 || windows == 40) {
        ashi_expect_output(scene, "B0 x after 10 s", x, ASHI_FINAL, windows == 2 ? 0.328458111541 : 0.180512226687,
                           0.01);
        ashi_expect_output(scene, "B0 y after 10 s", y, ASHI_FINAL, windows == 2 ? 0.944518538179 : 0.983572740582,
                           0.01);
    }
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments ---- */

static const double times[3] = {1, 10, 20};
static const double two[3][2] = {
    {-0.195020301949, -0.980799205662}, {0.328458111541, 0.944518538179}, {0.839746574307, 0.542978536353}};
static const double forty[3][2] = {
    {-0.115356880632, -0.993324111300}, {0.180512226687, 0.983572740582}, {0.410901153763, 0.911679900972}};

static double distance(const ashi_outcome *seen, const double *place)
{
    return seen->finished ? hypot(seen->outputs[0] - place[0], seen->outputs[1] - place[1]) : HUGE_VAL;
}

/* Limit 0: only told. */
static void judge(ashi_validation *validation, const char *quantity, const char *source, double ours, double limit)
{
    if (limit > 0)
        ashi_validation_below(validation, quantity, source, ours, limit);
    else
        ashi_validation_report(validation, quantity, source, 0, ours);
}

static ash_status validate_places(ashi_validation *validation, const char *method, uint32_t windows, double h,
                                  double limit, ash_diagnostic *diagnostic)
{
    const double(*places)[2] = windows == 2 ? two : forty;
    char quantity[140], settings[96];
    ashi_outcome seen[3];
    snprintf(settings, sizeof settings, "%s n=%u", method, windows);
    ash_status status = ashi_run_mechanism("iftomm-four-bar", settings, h, times, 3, seen, diagnostic);
    if (status != ASH_OK)
        return status;
    for (int i = 0; i < 3; i++) {
        snprintf(quantity, sizeof quantity, "%u windows: distance of B0 at %g s, m, h %g ms, %s", windows, times[i],
                 h * 1000, method);
        judge(validation, quantity, "reference values", distance(&seen[i], places[i]), limit);
    }
    snprintf(quantity, sizeof quantity, "%u windows: largest departure of the energy in 20 s, J, h %g ms, %s", windows,
             h * 1000, method);
    judge(validation, quantity, "exact", seen[2].energy, 0);
    snprintf(quantity, sizeof quantity, "%u windows: largest joint error in 20 s, m, h %g ms, %s", windows, h * 1000,
             method);
    judge(validation, quantity, "exact", seen[2].joint_error, limit > 0 ? 1e-6 : 0);
    return ASH_OK;
}

static ash_status validate_order(ashi_validation *validation, const char *method, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.004, 0.002, 0.001, 0.0005};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double errors[SIZES];
    char quantity[140];
    for (int i = 0; i < SIZES; i++) {
        ashi_outcome seen;
        ash_status status = ashi_run_mechanism("iftomm-four-bar", method, sizes[i], times, 1, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        errors[i] = distance(&seen, two[0]);
    }
    snprintf(quantity, sizeof quantity, "2 windows: order of the error of B0 at 1 s, %s", method);
    ashi_validation_near(validation, quantity, "theory", 2, ashi_fitted_order(sizes, errors, SIZES), 0.2);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    static const char *const exact[] = {"engineering", "bender-schmitt-2006 joint-tolerance=1e-12"};
    for (int i = 0; i < 2 && status == ASH_OK && !validation->stopped; i++) {
        status = validate_order(validation, exact[i], diagnostic);
        if (status == ASH_OK)
            status = validate_places(validation, exact[i], 2, 0.001, 0.01, diagnostic);
    }
    if (status == ASH_OK && !validation->stopped)
        status = validate_places(validation, "engineering", 40, 0.002, 0.05, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_places(validation, "faure", 2, 0.001, 0.01, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_places(validation, "realtime", 2, 0.001, 0, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_iftomm_four_bar = {
    .info = {.name = "iftomm-four-bar",
             .lengthy = true,
             .summary = "windows of pinned links that pass through a singular position",
             .source = "IFToMM benchmark",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
