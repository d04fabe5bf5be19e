/* Running a scene. The order of a step at time n h: events that are due, a sample if one is due, the step itself; after
 * the last step the final sample. So a sample shows the state after the events of its instant.
 *
 * The number of steps is the time divided by the step, rounded to the nearest (at least 1): steps are never shortened,
 * and a time that is no multiple of the step ends at the nearest one. Times are products n h, not sums. */
#include "scene/run/run.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "scene/record/results.h"
#include "scene/run/step_times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PROGRESS_SECONDS = 0.05;
/* Steps by which an instant may be missed and still count as met: quotients of times are rounded. */
static const double STEP_ROUNDING = 1e-6;

/* A run under way. */
typedef struct run_course {
    const ash_scene *scene;
    const ash_run_options *options;
    ash_run *run;
    ashi_results *results; /* null: none wanted */
    double h;              /* s */
    uint64_t steps;        /* planned; with a wanted accuracy these are only instants, `step` apart */
    uint64_t done;         /* of them */
    double accuracy;       /* m; 0: steps of fixed length */
    uint64_t next_sample;  /* number of the step before which it is due */
    ashi_sampling_interval interval;
    ashi_step_times step_times;
    uint64_t iterations, joint_corrections, velocity_corrections;
    double residual_sum, stage_seconds[ASH_STAGES];
    double asked_at; /* s, when progress was last told */
} run_course;

ash_run_options ash_default_run_options(void)
{
    return (ash_run_options){.threads = 1};
}

static ash_status plan(run_course *course, ash_diagnostic *diagnostic)
{
    double h = course->options->step, time = course->options->time;
    h = h == 0 ? course->scene->step : h;
    time = time == 0 ? course->scene->time : time;
    if (!(h > 0) || !isfinite(h)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "run.step", "the step is %g s", h);
        return ashi_expect(diagnostic, "a finite number above 0"), ASH_BAD_ARGUMENT;
    }
    if (!(time > 0) || !isfinite(time)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "run.time", "the time to run is %g s", time);
        return ashi_expect(diagnostic, "a finite number above 0"), ASH_BAD_ARGUMENT;
    }
    double steps = rint(time / h);
    if (steps > 9e15) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "run.steps", "%g s by steps of %g s are %g steps", time, h, steps);
        return ashi_expect(diagnostic, "at most 9e15 steps"), ASH_BAD_ARGUMENT;
    }
    course->h = h;
    course->accuracy = course->scene->accuracy;
    course->steps = steps < 1 ? 1 : (uint64_t)steps;
    if (fabs(time / h - (double)course->steps) > STEP_ROUNDING)
        ashi_log(ASH_LOG_WARNING, "%g s is no multiple of the step of %g s: the run has %llu step%s and ends at %g s",
                 time, h, (unsigned long long)course->steps, course->steps == 1 ? "" : "s", (double)course->steps * h);
    return ASH_OK;
}

/* The step before which the first sample after that of step n is due. */
static uint64_t sample_after(const run_course *course, uint64_t n)
{
    double interval = course->scene->sample_interval / course->h; /* in steps */
    if (!(interval > 1))
        return n + 1;
    double number = floor(((double)n + STEP_ROUNDING) / interval) + 1;
    double next = ceil(number * interval - STEP_ROUNDING);
    return next < 9e15 ? (uint64_t)next : UINT64_MAX;
}

static ash_status take_sample(run_course *course, uint64_t n, ash_diagnostic *diagnostic)
{
    ash_run *run = course->run;
    ash_status status = ashi_observation_take(&run->observation, course->scene, &run->instance, (double)n * course->h,
                                              &course->interval, diagnostic);
    if (status == ASH_OK && course->results != NULL)
        status = ashi_results_append(course->results, &run->instance, &run->observation.sample, diagnostic);
    course->interval = (ashi_sampling_interval){0};
    course->next_sample = sample_after(course, n);
    return status;
}

static ash_status fail_step(const run_course *course, const ash_step_report *report, ash_diagnostic *diagnostic)
{
    const ash_world *world = course->run->instance.world;
    char flags[128] = "", body[160] = "";
    for (uint32_t flag = 1; flag != 0; flag <<= 1)
        if ((report->flags & flag) != 0) {
            size_t used = strlen(flags);
            snprintf(flags + used, sizeof flags - used, "%s%s", used > 0 ? ", " : "", ash_flag_name((ash_flag)flag));
        }
    if (report->worst_body.id != 0 && ash_body_is_valid(world, report->worst_body))
        snprintf(body, sizeof body, ", at body \"%.100s\"", ash_body_get_name(world, report->worst_body));
    return ashi_fail(diagnostic, ASH_NUMERICS, "run.numerics", "the step from time %.9g s could not be taken: %s%s",
                     course->accuracy > 0 ? ash_world_get_time(world) : (double)course->done * course->h, flags, body);
}

static void book_accuracy(run_course *course, const ash_step_report *report)
{
    ash_run_summary *summary = &course->run->summary;
    summary->error_local = fmax(summary->error_local, report->local_error);
    summary->error_total = report->total_error;
    summary->step_shortest =
        summary->steps > 0 ? fmin(summary->step_shortest, report->shortest_step) : report->shortest_step;
    summary->step_longest = fmax(summary->step_longest, report->longest_step);
    summary->steps_rejected += report->rejected_steps;
    course->interval.local_error = fmax(course->interval.local_error, report->local_error);
    course->interval.total_error = report->total_error;
}

/* Adds a step's report to the sums. The flags of a step that was not taken count, its cost does not. */
static ash_status book(run_course *course, const ash_step_report *report, double time, bool taken,
                       ash_diagnostic *diagnostic)
{
    ash_run_summary *summary = &course->run->summary;
    uint32_t steps = course->accuracy > 0 ? report->advance_steps : 1;
    summary->flags |= report->flags;
    course->interval.flags |= report->flags;
    if (report->flags != 0)
        ashi_alarms_note(&course->run->alarms, course->run->instance.world, time);
    if (!taken)
        return ASH_OK;
    if (course->accuracy > 0)
        book_accuracy(course, report);
    summary->steps += steps;
    summary->energy_made = fmax(summary->energy_made, report->energy_made);
    if (report->energy_made > 0) /* without a budget it is all of what moves */
        summary->energy_made_share =
            fmax(summary->energy_made_share,
                 report->energy_made / (report->energy_budget > 0 ? report->energy_budget : report->energy_made));
    double residual = report->blocks > 0 ? report->error.largest : report->residual;
    summary->residual_max = fmax(summary->residual_max, residual);
    summary->contacts_max = report->contacts > summary->contacts_max ? report->contacts : summary->contacts_max;
    summary->penetration_max = fmax(summary->penetration_max, report->penetration);
    summary->penetration_final = report->penetration;
    if (course->scene->joints.count > 0) {
        summary->joint_error_final = ashi_instance_joint_error(&course->run->instance);
        summary->joint_error_max = fmax(summary->joint_error_max, summary->joint_error_final);
        if (!ashi_breakage_note(&course->run->breakage, course->scene, &course->run->instance, time, course->run->text))
            return ashi_out_of_memory(diagnostic);
    }
    course->residual_sum += residual;
    uint64_t iterations =
        report->iterations + report->solver_iterations + report->joint_corrections + report->velocity_corrections;
    course->iterations += iterations;
    course->joint_corrections += report->joint_corrections;
    course->velocity_corrections += report->velocity_corrections;
    course->interval.steps += steps;
    course->interval.seconds += report->seconds;
    course->interval.iterations += iterations;
    course->interval.residual = fmax(course->interval.residual, residual);
    course->interval.penetration = fmax(course->interval.penetration, report->penetration);
    course->interval.joint_error = fmax(course->interval.joint_error, summary->joint_error_final);
    course->interval.contacts =
        report->contacts > course->interval.contacts ? report->contacts : course->interval.contacts;
    for (int i = 0; i < ASH_STAGES; i++) {
        course->stage_seconds[i] += report->stage_seconds[i];
        course->interval.stage_seconds[i] += report->stage_seconds[i];
    }
    for (uint32_t i = 0; i < steps; i++)
        if (!ashi_step_times_add(&course->step_times, report->seconds / steps))
            return ashi_out_of_memory(diagnostic);
    return ASH_OK;
}

/* Takes the step at n h or, with a wanted accuracy, all that is up to instant `next`. */
static ash_status take_step(run_course *course, uint64_t next, ash_diagnostic *diagnostic)
{
    ash_world *world = course->run->instance.world;
    double end = (double)next * course->h;
    ash_accuracy accuracy = {course->accuracy, (double)course->steps * course->h};
    ash_status status = course->accuracy > 0 ? ash_world_advance(world, end - ash_world_get_time(world), &accuracy)
                                             : ash_world_step(world, course->h);
    if (status != ASH_OK && status != ASH_NUMERICS) {
        if (diagnostic != NULL)
            *diagnostic = ash_world_get_last_diagnostic(world);
        return status;
    }
    ash_step_report report = ash_world_get_report(world);
    ash_status booked = book(course, &report, end, status == ASH_OK, diagnostic);
    return status == ASH_NUMERICS ? fail_step(course, &report, diagnostic) : booked;
}

/* False when the callback wants to stop. */
static bool tell_progress(run_course *course, uint64_t n, bool always)
{
    double now;
    if (course->options->progress == NULL || (!always && (now = ashi_seconds()) - course->asked_at < PROGRESS_SECONDS))
        return true;
    course->asked_at = always ? course->asked_at : now;
    return course->options->progress((double)n * course->h, (double)course->steps * course->h, course->options->user);
}

/* The controller's turn. False when it wants to stop. */
static bool let_control(run_course *course, uint64_t n)
{
    return course->options->control == NULL ||
           course->options->control(course->run->instance.world, (double)n * course->h, course->options->user);
}

/* What was before the last event: an impact, as often as not. */
static void note_last_event(ash_run *run, double time)
{
    run->summary.last_event = time;
    run->summary.sideways_before = run->observation.sideways_max;
    run->summary.penetration_before = run->summary.penetration_max;
}

static ash_status do_events(run_course *course, uint64_t n, ash_diagnostic *diagnostic)
{
    ashi_instance *instance = &course->run->instance;
    uint32_t done_before = instance->next_turn;
    double time = (double)n * course->h;
    ash_status status = ashi_instance_apply_events(instance, course->scene, time, diagnostic);
    if (n > 0 && instance->next_turn > done_before && instance->next_turn == instance->turn_count)
        note_last_event(course->run, time);
    if (n == 0 || instance->next_turn != done_before)
        ashi_observation_note_starts(&course->run->observation, instance);
    return status;
}

/* The next instant that steps must end at: of a sample, an event, the controller's turn, or the end. */
static uint64_t next_stop(const run_course *course, uint64_t n)
{
    if (course->accuracy == 0 || course->options->control != NULL)
        return n + 1;
    uint64_t next = course->next_sample < course->steps ? course->next_sample : course->steps;
    double event = ashi_instance_next_event(&course->run->instance, course->scene) / course->h;
    if (event < (double)next)
        next = (uint64_t)fmax(ceil(event - STEP_ROUNDING), 0);
    return next > n ? next : n + 1;
}

static ash_status go(run_course *course, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    uint64_t n = 0;
    bool sampled = false;
    course->asked_at = ashi_seconds();
    for (uint64_t next; status == ASH_OK && n < course->steps; n = status == ASH_OK ? next : n) {
        course->done = n;
        status = do_events(course, n, diagnostic);
        sampled = n == course->next_sample;
        if (status == ASH_OK && sampled)
            status = take_sample(course, n, diagnostic);
        next = next_stop(course, n);
        if (status == ASH_OK && (!tell_progress(course, n, false) || !let_control(course, n)))
            break;
        if (status == ASH_OK)
            status = take_step(course, next, diagnostic);
    }
    course->done = n;
    if (status != ASH_OK && status != ASH_NUMERICS)
        return status;
    /* The final sample, unless the run broke off right after one. */
    if (n == course->steps || !sampled) {
        ash_status last = take_sample(course, n, diagnostic);
        status = status == ASH_OK ? last : status;
    }
    tell_progress(course, n, true);
    return status;
}

static void sum_up(run_course *course)
{
    ash_run *run = course->run;
    ash_run_summary *s = &run->summary;
    const ashi_observation *seen = &run->observation;
    double steps = s->steps > 0 ? (double)s->steps : 1;
    s->time = (double)course->done * course->h;
    s->step = course->accuracy > 0 && s->steps > 0 ? s->time / steps : course->h;
    s->step_ms_mean = 1e3 * ashi_step_times_mean(&course->step_times);
    s->step_ms_median = 1e3 * ashi_step_times_median(&course->step_times);
    s->step_ms_max = 1e3 * course->step_times.max;
    for (int i = 0; i < ASH_STAGES; i++)
        s->stages_ms[i] = 1e3 * course->stage_seconds[i] / steps;
    s->realtime_factor = course->step_times.sum > 0 ? s->time / course->step_times.sum : 0;
    s->iterations_mean = (double)course->iterations / steps;
    s->joint_corrections_mean = (double)course->joint_corrections / steps;
    s->velocity_corrections_mean = (double)course->velocity_corrections / steps;
    s->residual_mean = course->residual_sum / steps;
    s->ledger = seen->sample.ledger;
    s->energy_initial = s->ledger.initial;
    s->energy_final = s->ledger.total;
    s->energy_drift = ashi_observation_drift(seen);
    s->displacement_max = seen->displacement_max;
    s->hash = ash_world_get_hash(run->instance.world);
}

static ash_status judge(run_course *course, ash_diagnostic *diagnostic)
{
    ash_run *run = course->run;
    for (uint32_t i = 0; course->options->check && i < course->scene->checks.count; i++)
        if (!ashi_array_extend(&run->checks) ||
            !ashi_evaluate(course->scene, i, &run->observation, run->summary.complete, run->text,
                           &run->checks.data[run->checks.count - 1]))
            return ashi_out_of_memory(diagnostic);
    return ASH_OK;
}

static ash_status open_results(run_course *course, ash_diagnostic *diagnostic)
{
    const ashi_recording_facts facts = {.method = course->scene->method,
                                        .step = course->h,
                                        .time = course->run->summary.time_planned,
                                        .joints = course->options->record_joints,
                                        .contacts = course->options->record_contacts};
    return ashi_results_open(course->options->out, course->scene, &facts, &course->results, diagnostic);
}

static ash_status prepare(run_course *course, ash_diagnostic *diagnostic)
{
    ash_run *run = course->run;
    const ash_scene *scene = course->scene;
    run->threads = course->options->threads > 0 ? course->options->threads : 1;
    run->text = ashi_arena_create(4096);
    const char *name = run->text != NULL ? ashi_arena_text(run->text, scene->name) : NULL;
    if (name == NULL)
        return ashi_out_of_memory(diagnostic);
    run->summary = (ash_run_summary){.scene = name,
                                     .method = scene->method,
                                     .step = course->h,
                                     .accuracy = course->accuracy,
                                     .time_planned = (double)course->steps * course->h,
                                     .bodies = scene->bodies.count,
                                     .joints = scene->joints.count};
    ash_status status = ashi_observation_start(&run->observation, scene, run->text, diagnostic);
    if (status == ASH_OK)
        status = ashi_scene_build(scene, run->threads, &run->instance, diagnostic);
    if (status == ASH_OK && course->options->out != NULL)
        status = open_results(course, diagnostic);
    return status;
}

/* How a run ended. */
typedef struct run_end {
    ash_status status;
    ash_diagnostic why;
} run_end;

/* The first failure counts, and any other before that of the simulation itself. */
static void take_failure(run_end *end, ash_status status, const ash_diagnostic *why)
{
    if (status != ASH_OK && (end->status == ASH_OK || end->status == ASH_NUMERICS))
        *end = (run_end){status, *why};
}

/* The summary says how the run ended. */
static void note_end(run_course *course, const run_end *end)
{
    ash_run *run = course->run;
    ash_run_summary *s = &run->summary;
    s->outcome = end->status;
    s->complete = end->status == ASH_OK && course->done == course->steps;
    s->stopped = run->stopped;
    if (end->status != ASH_OK)
        snprintf(run->stopped, sizeof run->stopped, "%s%s%s", end->why.file, end->why.file[0] != 0 ? ": " : "",
                 end->why.message);
    else if (!s->complete)
        snprintf(run->stopped, sizeof run->stopped, "the run was interrupted at %.9g of %.9g s", s->time,
                 s->time_planned);
}

/* Ends the files. One that could not be written to its end makes the run incomplete. */
static void finish_results(run_course *course, run_end *end)
{
    ash_diagnostic trouble;
    ash_status status = ashi_results_close(course->results, course->run->summary.complete, &trouble);
    take_failure(end, status, &trouble);
    note_end(course, end);
    status = ashi_results_put_summary(course->results, course->run, &trouble);
    take_failure(end, status, &trouble);
}

/* From the first step to the summary. After any failure files and summary are ended: they say how far the run came. */
static ash_status carry_out(run_course *course, ash_diagnostic *diagnostic)
{
    run_end end = {0};
    ash_diagnostic trouble;
    end.status = go(course, &end.why);
    ash_status status = ashi_observation_finish(&course->run->observation, &trouble);
    take_failure(&end, status, &trouble);
    sum_up(course);
    note_end(course, &end);
    status = judge(course, &trouble);
    take_failure(&end, status, &trouble);
    if (course->results != NULL)
        finish_results(course, &end);
    if (end.status != ASH_OK && diagnostic != NULL)
        *diagnostic = end.why;
    return end.status;
}

ash_status ash_scene_run(const ash_scene *scene, const ash_run_options *options, ash_run **result,
                         ash_diagnostic *diagnostic)
{
    ash_run_options defaults = ash_default_run_options();
    run_course course = {.scene = scene, .options = options != NULL ? options : &defaults};
    *result = NULL;
    ash_status status = plan(&course, diagnostic);
    if (status != ASH_OK)
        return status;
    course.run = ashi_alloc_zeroed(sizeof *course.run);
    if (course.run == NULL)
        return ashi_out_of_memory(diagnostic);
    status = prepare(&course, diagnostic);
    if (status == ASH_OK)
        status = carry_out(&course, diagnostic);
    ashi_results_release(course.results);
    ashi_step_times_release(&course.step_times);
    if (status == ASH_OK || status == ASH_NUMERICS)
        *result = course.run;
    else
        ash_run_destroy(course.run);
    return status;
}

void ash_run_destroy(ash_run *run)
{
    if (run == NULL)
        return;
    if (run->instance.world != NULL)
        ashi_instance_release(&run->instance);
    ashi_observation_release(&run->observation);
    ashi_array_release(&run->checks);
    ashi_array_release(&run->breakage.joints);
    if (run->text != NULL)
        ashi_arena_destroy(run->text);
    ashi_dealloc(run);
}

ash_run_summary ash_run_get_summary(const ash_run *run)
{
    return run->summary;
}

uint32_t ash_run_get_check_count(const ash_run *run)
{
    return run->checks.count;
}

ash_check_result ash_run_get_check(const ash_run *run, uint32_t index)
{
    return index < run->checks.count ? run->checks.data[index].result : (ash_check_result){.name = ""};
}

uint32_t ash_run_get_series_count(const ash_run *run)
{
    return run->observation.track_count;
}

ash_series ash_run_get_series(const ash_run *run, uint32_t index)
{
    if (index >= run->observation.track_count)
        return (ash_series){.name = "", .unit = ""};
    const ashi_track *track = &run->observation.tracks[index];
    return (ash_series){track->name, track->unit, run->observation.times.data, track->values.data, track->values.count};
}

bool ash_run_series_is_indeterminate(const ash_run *run, uint32_t index)
{
    return index < run->observation.track_count && run->observation.tracks[index].indeterminate;
}

uint32_t ash_run_get_alarm_count(const ash_run *run)
{
    return run->alarms.count;
}

ash_run_alarm ash_run_get_alarm(const ash_run *run, uint32_t index)
{
    if (index >= run->alarms.count)
        return (ash_run_alarm){.where = ""};
    ash_run_alarm alarm = run->alarms.entries[index].told;
    alarm.where = run->alarms.entries[index].where;
    return alarm;
}

uint32_t ash_run_get_broken_count(const ash_run *run)
{
    return run->breakage.joints.count;
}

ash_broken_joint ash_run_get_broken(const ash_run *run, uint32_t index)
{
    return index < run->breakage.joints.count ? run->breakage.joints.data[index] : (ash_broken_joint){.name = ""};
}

const ash_world *ash_run_get_world(const ash_run *run)
{
    return run->instance.world;
}
