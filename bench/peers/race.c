/* Runs an engine over a scene. The processor time of its thread counts, with more than one the clock on the wall; what
 * we look at afterwards is not timed. */
#include "race.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diagnostic.h"
#include "bench.h"
#include "math/transform.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 3 };
static const double soon = 0.5;            /* s: a run that took less is repeated */
static const double beyond_bounds = 1e5;   /* m */
static const double time_tolerance = 1e-9; /* s: sums of steps are rounded */

typedef struct runner {
    const race_course *course;
    const peer *engine;
    void *state;
    race_result *result;
    peer_state *states; /* by body */
    bool *present;
    double *half_thickness;
    double *times; /* by step */
    uint32_t next_event;
    double energy;   /* at the start, and of what entered and left since */
    double rotation; /* of that, at the start */
} runner;

/* ---- steps ---- */

static double seconds(const peer *engine)
{
    return engine->threads > 1 ? ashi_seconds() : bench_processor_seconds();
}

static uint32_t count_standing(const runner *r)
{
    const peer_model *model = r->course->model;
    uint32_t standing = 0;
    for (uint32_t i = 0; i < model->body_count; ++i) {
        ash_vec3 moved = v3_sub(r->states[i].place.position, model->bodies[i].place.position);
        standing += model->bodies[i].moves && model->bodies[i].present && v3_norm(moved) < r->half_thickness[i];
    }
    return standing;
}

static void note_standing(runner *r)
{
    if (r->result->stand_count < RACE_EVENTS)
        r->result->stands[r->result->stand_count++] = count_standing(r);
}

/* What a body brings with it or takes away is no work of the engine's. */
static void book(runner *r, uint32_t body, bool enters)
{
    double kinetic, before = gauge_energy(r->course->model, r->states, r->present, &kinetic);
    r->present[body] = enters;
    r->energy += gauge_energy(r->course->model, r->states, r->present, &kinetic) - before;
}

static void do_events(runner *r, double time)
{
    const peer_model *model = r->course->model;
    double last = -1;
    for (; r->next_event < model->event_count; ++r->next_event) {
        const peer_event *event = &model->events[r->next_event];
        const peer_body *body = &model->bodies[event->body];
        if (event->time > time + time_tolerance)
            return;
        if (event->time > last)
            note_standing(r);
        last = event->time;
        if (event->enters)
            r->states[event->body] = (peer_state){body->place, body->velocity, body->spin};
        book(r, event->body, event->enters);
        if (r->engine->enter != NULL)
            (event->enters ? r->engine->enter : r->engine->leave)(r->state, event->body);
    }
}

/* What torques do is no work of the engine's, either: energy counts from their end on. */
static bool torques_act(const peer_model *model, double time)
{
    for (uint32_t i = 0; i < model->torque_count; ++i)
        if (time < model->torques[i].stop + time_tolerance)
            return true;
    return false;
}

static void push_torques(const runner *r, double time)
{
    const peer_model *model = r->course->model;
    for (uint32_t i = 0; i < model->torque_count && r->engine->push != NULL; ++i) {
        const peer_torque *t = &model->torques[i];
        if (time >= t->start - time_tolerance && time < t->stop - time_tolerance)
            r->engine->push(r->state, t->body, t->torque);
    }
}

/* One step of h; false: the engine gave up. */
static bool take_step(runner *r, uint32_t number, uint32_t substeps, double *time)
{
    bool good = true;
    double part = r->course->h / substeps, started = seconds(r->engine);
    for (uint32_t i = 0; i < substeps && good; ++i) {
        double now = number * r->course->h + i * part;
        do_events(r, now);
        push_torques(r, now);
        good = r->engine->step(r->state, part);
    }
    *time = seconds(r->engine) - started;
    return good;
}

/* ---- what is seen after a step ---- */

static bool all_within_bounds(const runner *r)
{
    for (uint32_t i = 0; i < r->course->model->body_count; ++i)
        if (r->present[i] && r->course->model->bodies[i].moves &&
            (!t_is_finite(r->states[i].place) || !(v3_norm(r->states[i].place.position) < beyond_bounds)))
            return false;
    return true;
}

static void look_at_motion(runner *r, double time)
{
    const peer_model *model = r->course->model;
    race_result *result = r->result;
    for (uint32_t i = 0; i < model->body_count; ++i) {
        if (!model->bodies[i].moves || !model->bodies[i].present)
            continue;
        double sideways, descent = gauge_descent(model, r->states, i, &sideways);
        result->drift = fmax(result->drift, sideways);
        result->sinks = fmax(result->sinks, descent);
        if (!isfinite(result->fell) && hypot(sideways, descent) > r->half_thickness[i])
            result->fell = time;
    }
}

static void compare_centres(runner *r)
{
    const race_course *course = r->course;
    r->result->off = course->expected != NULL ? 0 : HUGE_VAL;
    for (uint32_t i = 0; i < course->model->body_count; ++i) {
        ash_vec3 centre = r->states[i].place.position;
        if (course->centres != NULL)
            course->centres[i] = centre;
        if (course->expected != NULL && course->model->bodies[i].moves)
            r->result->off = fmax(r->result->off, v3_norm(v3_sub(centre, course->expected[i])));
    }
}

static bool look_at_overlaps(runner *r)
{
    race_result *result = r->result;
    gauge_overlap overlap;
    if (!gauge_overlaps(r->course->gauge, r->states, r->present, &overlap))
        return false;
    result->deepest = fmax(result->deepest, overlap.deepest);
    result->deepest_end = overlap.deepest;
    result->mean_end = overlap.mean;
    if (r->next_event == 0)
        result->gap = fmax(result->gap, overlap.gap);
    return true;
}

/* After `taken` steps. False when memory ran out. */
static bool look(runner *r, uint32_t taken, bool last)
{
    const race_course *course = r->course;
    double kinetic, energy = gauge_energy(course->model, r->states, r->present, &kinetic);
    uint32_t every = course->looks == 0 || course->steps < course->looks ? 1 : course->steps / course->looks;
    if (torques_act(course->model, taken * course->h))
        r->energy = energy;
    r->result->energy = energy - r->energy;
    r->result->rotation = gauge_rotation(course->model, r->states, r->present) / r->rotation - 1;
    r->result->kinetic = fmax(r->result->kinetic, kinetic);
    r->result->joint_error = fmax(r->result->joint_error, gauge_joint_error(course->model, r->states));
    if (r->next_event == 0)
        look_at_motion(r, taken * course->h);
    if (taken == course->look_at)
        compare_centres(r);
    return (!last && taken % every != 0) || look_at_overlaps(r);
}

/* ---- runs ---- */

static void start(runner *r)
{
    const peer_model *model = r->course->model;
    double kinetic;
    *r->result = (race_result){.off = HUGE_VAL, .fell = HUGE_VAL};
    r->next_event = 0;
    for (uint32_t i = 0; i < model->body_count; ++i) {
        const peer_body *body = &model->bodies[i];
        r->states[i] = (peer_state){body->place, body->velocity, body->spin};
        r->present[i] = body->present;
        r->half_thickness[i] = 0.5 * gauge_thickness(model, i);
    }
    r->energy = gauge_energy(model, r->states, r->present, &kinetic);
    r->rotation = gauge_rotation(model, r->states, r->present);
    r->result->kinetic = kinetic;
}

/* From the start to the end; `times` keeps the least of each step. */
static bool run_once(runner *r, uint32_t substeps, double *spent)
{
    const race_course *course = r->course;
    race_result *result = r->result;
    start(r);
    double began = (double)clock();
    for (*spent = 0; result->taken < course->steps && !result->impatient;) {
        double time;
        result->lost = !take_step(r, result->taken, substeps, &time);
        if (!result->lost) {
            r->engine->read(r->state, r->states);
            result->lost = !all_within_bounds(r);
        }
        if (result->lost)
            return true;
        r->times[result->taken] = fmin(r->times[result->taken], time);
        *spent = ((double)clock() - began) / CLOCKS_PER_SEC / r->engine->threads;
        result->taken++;
        result->impatient = result->taken<course->steps && * spent> course->patience;
        if (!look(r, result->taken, result->taken == course->steps || result->impatient))
            return false;
    }
    note_standing(r);
    return true;
}

static void sum_up(const double *times, race_result *result)
{
    uint32_t quarter = result->taken / 4 > 0 ? result->taken / 4 : 1;
    for (uint32_t i = 0; i < result->taken; ++i) {
        result->mean += times[i] / result->taken;
        result->worst = fmax(result->worst, times[i]);
        if (i + quarter >= result->taken)
            result->end += times[i] / quarter;
    }
}

static bool make_room(runner *r, uint32_t bodies, uint32_t steps)
{
    r->states = ashi_alloc_zeroed((bodies + 1) * sizeof *r->states);
    r->present = ashi_alloc_zeroed((bodies + 1) * sizeof *r->present);
    r->half_thickness = ashi_alloc_zeroed((bodies + 1) * sizeof *r->half_thickness);
    r->times = ashi_alloc_array(steps + 1, sizeof *r->times);
    for (uint32_t i = 0; i < steps && r->times != NULL; ++i)
        r->times[i] = HUGE_VAL;
    return r->states && r->present && r->half_thickness && r->times;
}

/* False when memory ran out. */
static bool run_repeatedly(runner *r, uint32_t substeps)
{
    double spent = 0;
    for (int i = 0; i < REPEATS && spent < soon; ++i) {
        const char *why = "it could not make the scene";
        r->state = r->engine->create(r->course->model, &why);
        if (r->state == NULL) {
            *r->result = (race_result){.refused = why};
            return true;
        }
        bool good = run_once(r, substeps, &spent);
        r->engine->destroy(r->state);
        if (!good)
            return false;
        if (r->result->lost)
            break;
    }
    sum_up(r->times, r->result);
    return true;
}

ash_status race_run(const race_course *course, const peer *engine, uint32_t substeps, race_result *result,
                    ash_diagnostic *diagnostic)
{
    runner r = {.course = course, .engine = engine, .result = result};
    *result = (race_result){0};
    bool good = make_room(&r, course->model->body_count, course->steps) && run_repeatedly(&r, substeps);
    ashi_dealloc(r.states);
    ashi_dealloc(r.present);
    ashi_dealloc(r.half_thickness);
    ashi_dealloc(r.times);
    return good ? ASH_OK : ashi_out_of_memory(diagnostic);
}
