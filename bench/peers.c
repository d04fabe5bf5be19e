/* The scene `tree` (Bender & Schmitt 2006) by our methods and by other engines, in one run on one thread: what a step
 * of 1/30 s costs, how far joints open, and how far bodies are after a second from where a fine solution has them.
 *
 * Every engine gets the same mechanism and measures nothing itself (bench/peers/peer.h). One that loses the bodies is
 * tried again with twice as many steps, up to 64 for each of ours; the times are for all of them together. */
#include "bench.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "peers/mechanism.h"
#include "peers/race.h"

#include <math.h>
#include <stdio.h>

enum { BODIES = 127, MOST_SUBSTEPS = 64, FINE_SUBSTEPS = 32 };
static const double step_length = 1.0 / 30;

/* In the order of the table; null where a library was not found. */
typedef struct entrant {
    const peer *engine;
    const char *name;
} entrant;

static const entrant entrants[] = {
    {&peer_bender_schmitt, NULL}, {&peer_engineering, NULL},    {&peer_realtime, NULL}, {&peer_bender_iterative, NULL},
#ifdef BENCH_MUJOCO
    {&peer_mujoco_reduced, NULL}, {&peer_mujoco_connect, NULL},
#else
    {NULL, "MuJoCo"},
#endif
#ifdef BENCH_ODE
    {&peer_ode_quickstep, NULL},  {&peer_ode_worldstep, NULL},
#else
    {NULL, "ODE"},
#endif
#ifdef BENCH_BULLET
    {&peer_bullet, NULL},
#else
    {NULL, "Bullet"},
#endif
};
enum { ENTRANTS = sizeof entrants / sizeof *entrants };

static json_t *number_or_null(double number, double unit)
{
    return isfinite(number) ? json_real(number / unit) : json_null();
}

static ash_status add_row(json_t *rows, const char *name, uint32_t substeps, const race *r, const char *note,
                          ash_diagnostic *diagnostic)
{
    static const race nothing = {.mean = HUGE_VAL, .worst = HUGE_VAL, .joint_error = HUGE_VAL, .off = HUGE_VAL};
    r = r != NULL && r->taken == RACE_STEPS ? r : &nothing;
    json_t *row =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "engine", name, "steps in 1/30 s",
                  substeps > 0 ? json_integer(substeps) : json_null(), "mean (ms)", number_or_null(r->mean, 1e-3),
                  "worst (ms)", number_or_null(r->worst, 1e-3), "joint error (m)", number_or_null(r->joint_error, 1),
                  "off after 1 s (m)", number_or_null(r->off, 1), "note", note);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

/* A row, and where the engine loses the bodies one more with as many sub-steps as it needs. */
static ash_status race_engine(race *r, const peer *engine, json_t *rows, ash_diagnostic *diagnostic)
{
    char note[64] = "";
    ash_status status = race_run(r, engine, 1, diagnostic);
    if (status != ASH_OK)
        return status;
    if (r->refused)
        snprintf(note, sizeof note, "did not take the scene");
    else if (r->taken < RACE_STEPS)
        snprintf(note, sizeof note, "loses the bodies in step %u of %d", r->taken + 1, RACE_STEPS);
    status = add_row(rows, engine->name, 1, r, note, diagnostic);
    uint32_t substeps = 1;
    while (status == ASH_OK && !r->refused && r->taken < RACE_STEPS && substeps < MOST_SUBSTEPS)
        status = race_run(r, engine, substeps *= 2, diagnostic);
    if (status != ASH_OK || substeps == 1)
        return status;
    return add_row(rows, engine->name, substeps, r, r->taken < RACE_STEPS ? note : "the fewest it needs", diagnostic);
}

/* Where the centres are after a second, by a fine solution of ours. */
static ash_status expect_centres(const peer_mechanism *mechanism, ash_vec3 *centres, ash_diagnostic *diagnostic)
{
    race fine = {.mechanism = mechanism, .h = step_length, .steps = RACE_LOOK, .centres = centres};
    ash_status status = race_run(&fine, &peer_engineering, FINE_SUBSTEPS, diagnostic);
    if (status == ASH_OK && fine.taken < RACE_LOOK)
        status = ashi_fail(diagnostic, ASH_NUMERICS, "bench.peers", "the fine solution ended in step %u", fine.taken);
    return status;
}

static ash_status race_all(const peer_mechanism *mechanism, json_t *rows, ash_diagnostic *diagnostic)
{
    ash_vec3 *centres = ashi_alloc_array(mechanism->body_count, sizeof *centres);
    ash_status status =
        centres != NULL ? expect_centres(mechanism, centres, diagnostic) : ashi_out_of_memory(diagnostic);
    for (int i = 0; i < ENTRANTS && status == ASH_OK; ++i) {
        race r = {.mechanism = mechanism, .h = step_length, .steps = RACE_STEPS, .expected = centres};
        status = entrants[i].engine != NULL
                     ? race_engine(&r, entrants[i].engine, rows, diagnostic)
                     : add_row(rows, entrants[i].name, 0, NULL,
                               "not installed: run tools/setup --peers, then configure and build again", diagnostic);
    }
    ashi_free(centres);
    return status;
}

json_t *bench_peers(uint32_t most, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    peer_mechanism mechanism = {0};
    json_t *rows = json_array();
    if (rows == NULL) {
        ashi_out_of_memory(diagnostic);
        return NULL;
    }
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "tree", "n=%u", most < BODIES ? most : BODIES);
    if (status == ASH_OK) {
        status = peer_mechanism_make(&experiment, &mechanism, diagnostic);
        ashi_experiment_close(&experiment);
    }
    if (status == ASH_OK)
        status = race_all(&mechanism, rows, diagnostic);
    peer_mechanism_release(&mechanism);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
