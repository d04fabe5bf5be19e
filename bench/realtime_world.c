/* A built-in scene as a world that `realtime` steps: what bench/scale.c times and bench/saved_steps.c counts. */
#include "realtime_world.h"

#include <stdio.h>

ash_status bench_open_realtime(const char *name, uint32_t bodies, ash_world **world, ash_diagnostic *diagnostic)
{
    char count[16];
    ash_setting setting = {"n", count};
    ash_scene *scene = NULL;
    snprintf(count, sizeof count, "%u", bodies);
    ash_status status = ash_scene_open(name, &setting, 1, &scene, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_method method = ash_scene_get_method(scene);
    status = ash_method_find("realtime", &method, diagnostic);
    method.sleeping = ASH_SLEEP_OFF;
    if (status == ASH_OK)
        status = ash_scene_set_method(scene, &method);
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, 1, world, diagnostic);
    ash_scene_destroy(scene);
    return status;
}
