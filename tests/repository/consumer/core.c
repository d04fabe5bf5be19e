/* A program that needs the core alone: it does without scene.h, and so without Jansson and HDF5. */
#include <ashlar/world.h>
#include <stdio.h>

int main(void)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    if (ash_world_create(&def, &world, NULL) != ASH_OK || ash_world_step(world, 0.25) != ASH_OK)
        return 1;
    printf("core, time %g\n", ash_world_get_time(world));
    ash_world_destroy(world);
}
