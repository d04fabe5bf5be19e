/* Steps from a saved state, for tools/instructions: valgrind counts what they take without having to come there itself.
 *
 *   ashlar-saved-steps save SCENE BODIES STEPS AFTER FILE   AFTER: steps more once the body `gate` is gone; 0: none
 *   ashlar-saved-steps take FILE STEPS                      prints the mean number of contact points
 *
 * Method realtime, h = 10 ms, one thread, sleeping off, as bench/scale.c has it. */
#include "realtime_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* Adds up the contact points. Not inlined: valgrind counts from where it is called until it returns. */
__attribute__((noinline)) static ash_status counted_steps(ash_world *world, int count, double *points)
{
    ash_status status = ASH_OK;
    for (int i = 0; i < count && status == ASH_OK; ++i) {
        status = ash_world_step(world, 0.01);
        *points += ash_world_get_report(world).contact_points;
    }
    return status;
}

static ash_status write_state(const ash_world *world, const char *path, ash_diagnostic *diagnostic)
{
    void *bytes = NULL;
    size_t size = 0;
    ash_status status = ash_world_save(world, &bytes, &size, diagnostic);
    FILE *file = status == ASH_OK ? fopen(path, "wb") : NULL;
    bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
    written = file != NULL && fclose(file) == 0 && written;
    ash_free(bytes);
    return status != ASH_OK || written ? status : ASH_IO;
}

static ash_status save(char **words, ash_diagnostic *diagnostic)
{
    ash_world *world = NULL;
    double points = 0;
    int after = atoi(words[3]);
    ash_status status = bench_open_realtime(words[0], (uint32_t)atoi(words[1]), &world, diagnostic);
    if (status == ASH_OK)
        status = counted_steps(world, atoi(words[2]), &points);
    if (status == ASH_OK && after > 0)
        status = ash_body_destroy(world, ash_world_find_body(world, "gate"));
    if (status == ASH_OK)
        status = counted_steps(world, after, &points);
    if (status == ASH_OK)
        status = write_state(world, words[4], diagnostic);
    ash_world_destroy(world);
    return status;
}

static ash_status take(char **words, ash_diagnostic *diagnostic)
{
    ash_world *world = NULL;
    ash_world_def def = ash_default_world_def();
    FILE *file = fopen(words[0], "rb");
    char *bytes = file != NULL ? malloc(MOST_BYTES) : NULL;
    size_t size = bytes != NULL ? fread(bytes, 1, MOST_BYTES, file) : 0;
    int count = atoi(words[1]);
    double points = 0;
    ash_status status = ash_world_create(&def, &world, diagnostic);
    if (status == ASH_OK)
        status = ash_world_restore(world, bytes, size, diagnostic);
    if (status == ASH_OK)
        status = ash_world_step(world, 0.01); /* memory is taken and caches are filled */
    if (status == ASH_OK)
        status = counted_steps(world, count, &points);
    if (status == ASH_OK)
        printf("%.0f\n", points / count);
    ash_world_destroy(world);
    free(bytes);
    if (file != NULL)
        fclose(file);
    return status;
}

int main(int count, char **words)
{
    ash_diagnostic diagnostic = {0};
    ash_status status = ASH_BAD_ARGUMENT;
    if (count == 7 && strcmp(words[1], "save") == 0)
        status = save(words + 2, &diagnostic);
    else if (count == 4 && strcmp(words[1], "take") == 0)
        status = take(words + 2, &diagnostic);
    if (status != ASH_OK)
        fprintf(stderr, "ashlar-saved-steps: %s %s\n", ash_status_text(status), diagnostic.message);
    return status == ASH_OK ? 0 : 1;
}
