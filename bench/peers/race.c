/* Runs an engine a few times over the same steps. Processor time of the thread counts, of every step the best of the
 * repeats, so that what else goes on in the machine counts little; looking at the bodies is not timed. */
#include "race.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "bench.h"
#include "math/transform.h"
#include "math/vec3.h"
#include "mechanism.h"

#include <math.h>

enum { REPEATS = 5 };
static const double patience = 3;          /* s: no repeat after so long */
static const double beyond_bounds = 1e6;   /* m */
static const double time_tolerance = 1e-9; /* s: a torque stops at a step's end */

static void push_torques(const peer_mechanism *mechanism, const peer *engine, void *state, double time)
{
    for (uint32_t i = 0; i < mechanism->torque_count; ++i) {
        const peer_torque *t = &mechanism->torques[i];
        if (time >= t->start - time_tolerance && time < t->stop - time_tolerance)
            engine->push(state, t->body, t->torque);
    }
}

static bool all_within_bounds(const ash_transform *places, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (!t_is_finite(places[i]) || v3_norm(places[i].position) > beyond_bounds)
            return false;
    return true;
}

/* One step of h; false: the end. */
static bool take_step(const race *r, const peer *engine, void *state, uint32_t number, uint32_t substeps, double *time)
{
    bool good = true;
    double started = bench_processor_seconds(), part = r->h / substeps;
    for (uint32_t i = 0; i < substeps && good; ++i) {
        push_torques(r->mechanism, engine, state, number * r->h + i * part);
        good = engine->step(state, part);
    }
    *time = bench_processor_seconds() - started;
    return good;
}

static void look(race *r, const ash_transform *places)
{
    r->off = 0;
    for (uint32_t i = 0; i < r->mechanism->body_count; ++i) {
        if (r->expected != NULL)
            r->off = fmax(r->off, v3_norm(v3_sub(places[i].position, r->expected[i])));
        if (r->centres != NULL)
            r->centres[i] = places[i].position;
    }
}

/* From the start to the end; `times` keeps the best of each step. */
static void run_once(race *r, const peer *engine, void *state, uint32_t substeps, ash_transform *places, double *times)
{
    r->joint_error = 0;
    for (r->taken = 0; r->taken < r->steps; ++r->taken) {
        double time;
        bool good = take_step(r, engine, state, r->taken, substeps, &time);
        if (good)
            engine->read(state, r->mechanism->body_count, places);
        if (!good || !all_within_bounds(places, r->mechanism->body_count))
            return;
        times[r->taken] = fmin(times[r->taken], time);
        r->joint_error = fmax(r->joint_error, peer_joint_error(r->mechanism, places));
        if (r->taken + 1 == RACE_LOOK)
            look(r, places);
    }
}

ash_status race_run(race *r, const peer *engine, uint32_t substeps, ash_diagnostic *diagnostic)
{
    double times[RACE_STEPS], started = bench_processor_seconds();
    ash_transform *places = ashi_alloc_array(r->mechanism->body_count, sizeof *places);
    if (places == NULL)
        return ashi_out_of_memory(diagnostic);
    r->mean = r->worst = r->off = HUGE_VAL;
    r->taken = 0;
    for (int i = 0; i < RACE_STEPS; ++i)
        times[i] = HUGE_VAL;
    for (int i = 0; i < REPEATS && bench_processor_seconds() - started < patience; ++i) {
        void *state = engine->create(r->mechanism);
        r->refused = state == NULL;
        if (r->refused)
            break;
        run_once(r, engine, state, substeps, places, times);
        engine->destroy(state);
        if (r->taken < r->steps)
            break;
    }
    ashi_free(places);
    if (r->taken < r->steps)
        return ASH_OK;
    r->mean = r->worst = 0;
    for (uint32_t i = 0; i < r->steps; ++i) {
        r->mean += times[i] / r->steps;
        r->worst = fmax(r->worst, times[i]);
    }
    return ASH_OK;
}
