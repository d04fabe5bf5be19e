/* A program of somebody who installed Ashlar: a core call and a scene call, so that both libraries are needed. */
#include <ashlar/ashlar.h>
#include <stdio.h>

int main(void)
{
    ash_world *world = NULL;
    ash_diagnostic diagnostic;
    ash_world_def def = ash_default_world_def();
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        return 1;
    ash_status stepped = ash_world_step(world, 0.25);
    printf("ashlar %s, time %g, scenes %s\n", ash_version(), ash_world_get_time(world),
           ash_builtin_count() > 0 ? "built in" : "missing");
    ash_world_destroy(world);
    return stepped == ASH_OK && ash_builtin_count() > 0 ? 0 : 1;
}
