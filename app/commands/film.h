/* A scene or a recording brought to one instant after another, to be looked at. */
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "scene/record/replay.h"

/* What is looked at. */
typedef struct cli_film {
    const ash_scene *scene;
    ashi_replay *replay; /* of this scene; null: it is run */
    uint32_t threads;
} cli_film;

/* Which instants: `count` of them, `interval` apart. Each is met at the nearest step, or sample. */
typedef struct cli_instants {
    double first, interval; /* s */
    uint32_t count;
} cli_instants;

/* Called at each instant with the world as it then is, after the events of that instant. Not ASH_OK ends the film. */
typedef ash_status (*cli_frame)(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                                void *user, ash_diagnostic *diagnostic);

/* Runs the scene as ash_scene_run does, or goes through the recording, and calls `frame` at each instant. Instants
 * after the recording's end are an error. `progress` as in ash_run_options; when it wants to stop, *stopped is set and
 * the answer is ASH_OK. */
ash_status cli_film_show(const cli_film *film, const cli_instants *instants, cli_frame frame,
                         bool (*progress)(double time, double end, void *user), void *progress_user, void *user,
                         bool *stopped, ash_diagnostic *diagnostic);

/* Refuses an instant that is more than 100 times as late as the scene's end, and says so when it is later than the end.
 * Returns the exit status. */
int cli_film_check_instant(const char *command, const ash_scene *scene, double time);

#endif
