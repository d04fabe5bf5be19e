/* A scene brought to one instant after another, to be looked at. */
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "scene/instance.h"

/* Which instants: `count` of them, `interval` apart. Each is met at the nearest step. */
typedef struct cli_instants {
    double first, interval; /* s */
    uint32_t count;
} cli_instants;

/* Called at each instant with the world as it then is, after the events of that instant. Not ASH_OK ends the film. */
typedef ash_status (*cli_frame)(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                                void *user, ash_diagnostic *diagnostic);

/* Runs the scene as ash_scene_run does and calls `frame` at each instant. `progress` as in ash_run_options; when it
 * wants to stop, *stopped is set and the answer is ASH_OK. */
ash_status cli_film_run(const ash_scene *scene, uint32_t threads, const cli_instants *instants, cli_frame frame,
                        bool (*progress)(double time, double end, void *user), void *progress_user, void *user,
                        bool *stopped, ash_diagnostic *diagnostic);

#endif
