/* The order of a step is that of ash_scene_run: at time n h the events that are due, then the picture if one is due,
 * then the step. So a picture shows what a sample of a recording at that time holds, and one of the recording the same.
 */
#include "app/commands/film.h"

#include <math.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "base/clock.h"
#include "base/diagnostic.h"

static const double progress_seconds = 0.05;

typedef struct film_course {
    const ash_scene *scene;
    const cli_instants *instants;
    ashi_instance instance;
    bool (*progress)(double time, double end, void *user);
    void *progress_user;
    double asked_at; /* s of the clock */
} film_course;

static double step_of(const film_course *course, uint32_t frame)
{
    return rint((course->instants->first + frame * course->instants->interval) / course->scene->step);
}

static bool wants_to_go_on(film_course *course, double n, bool always)
{
    double now = ashi_seconds();
    if (!always && now - course->asked_at < progress_seconds)
        return true;
    course->asked_at = now;
    return course->progress(n * course->scene->step, step_of(course, course->instants->count - 1) * course->scene->step,
                            course->progress_user);
}

static ash_status take_step(film_course *course, double n, ash_diagnostic *diagnostic)
{
    ash_world *world = course->instance.world;
    ash_status status = ash_world_step(world, course->scene->step);
    if (status == ASH_NUMERICS)
        return ashi_fail(diagnostic, ASH_NUMERICS, "run.numerics", "the step from time %.9g s could not be taken: %s",
                         n * course->scene->step,
                         (ash_world_get_report(world).flags & ASH_FLAG_OUT_OF_MEMORY) != 0 ? "memory ran out"
                                                                                           : "a number was not finite");
    if (status != ASH_OK)
        *diagnostic = ash_world_get_last_diagnostic(world);
    return status;
}

/* The scene from its start, step by step. */
static ash_status run(film_course *course, uint32_t threads, cli_frame frame, void *user, bool *stopped,
                      ash_diagnostic *diagnostic)
{
    const ash_scene *scene = course->scene;
    const cli_instants *instants = course->instants;
    if (!(step_of(course, instants->count - 1) <= 9e15))
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "run.steps", "%g s by steps of %g s are more than 9e15 steps",
                         instants->first, scene->step);
    ash_status status = ashi_scene_build(scene, threads, &course->instance, diagnostic);
    uint32_t next = 0;
    for (double n = 0; status == ASH_OK && next < instants->count && !*stopped; n += 1) {
        status = ashi_instance_apply_events(&course->instance, scene, n * scene->step, diagnostic);
        bool drawn = false;
        for (; status == ASH_OK && next < instants->count && step_of(course, next) <= n; next++) {
            status = frame(scene, &course->instance, next, n * scene->step, user, diagnostic);
            drawn = true;
        }
        *stopped = !wants_to_go_on(course, n, drawn);
        if (status == ASH_OK && next < instants->count && !*stopped)
            status = take_step(course, n, diagnostic);
    }
    return status;
}

/* Every instant is in the recording except for half a step. */
static ash_status refuse_end(const ashi_replay *replay, const cli_instants *instants, ash_diagnostic *diagnostic)
{
    ashi_recording_summary summary = ashi_replay_summary(replay);
    double last = instants->first + (instants->count - 1) * instants->interval;
    if (summary.samples == 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "film.empty", "the recording holds no samples");
    if (last <= summary.last_time + summary.step / 2)
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "film.end", "%g s is after the end of the recording", last);
    ashi_expect(diagnostic, "at most %g s", summary.last_time);
    return ASH_BAD_ARGUMENT;
}

/* The recording, sample by sample. */
static ash_status replay(film_course *course, const cli_film *film, cli_frame frame, void *user, bool *stopped,
                         ash_diagnostic *diagnostic)
{
    const cli_instants *instants = course->instants;
    ash_status status = refuse_end(film->replay, instants, diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < instants->count && !*stopped; i++) {
        uint64_t sample = ashi_replay_nearest(film->replay, instants->first + i * instants->interval);
        double time = ashi_replay_times(film->replay)[sample];
        status = ashi_replay_pose(film->replay, sample, film->threads, &course->instance, diagnostic);
        if (status == ASH_OK)
            status = frame(course->scene, &course->instance, i, time, user, diagnostic);
        *stopped = !wants_to_go_on(course, time / course->scene->step, true);
    }
    return status;
}

ash_status cli_film_show(const cli_film *film, const cli_instants *instants, cli_frame frame,
                         bool (*progress)(double time, double end, void *user), void *progress_user, void *user,
                         bool *stopped, ash_diagnostic *diagnostic)
{
    film_course course = {
        .scene = film->scene, .instants = instants, .progress = progress, .progress_user = progress_user};
    *stopped = false;
    ash_status status = film->replay != NULL ? replay(&course, film, frame, user, stopped, diagnostic)
                                             : run(&course, film->threads, frame, user, stopped, diagnostic);
    ashi_instance_release(&course.instance);
    return status;
}

int cli_film_check_instant(const char *command, const ash_scene *scene, double time)
{
    const double most = 100 * ash_scene_get_time(scene);
    if (time > most) {
        cli_error("%s: the time is %g s, expected at most %g s: the scene ends at %g s", command, time, most,
                  ash_scene_get_time(scene));
        return CLI_BAD_INPUT;
    }
    if (time > ash_scene_get_time(scene) * (1 + 1e-9))
        cli_error("%s: note: the scene ends at %g s; it is run on to %g s", command, ash_scene_get_time(scene), time);
    return CLI_DONE;
}
