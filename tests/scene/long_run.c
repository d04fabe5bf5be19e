/* A run to be killed: long_run FOLDER STEPS BODIES. Prints how many samples are safe each time it has flushed them. */
#define _XOPEN_SOURCE 700
#include "small_scenes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "PATH: N samples flushed" becomes "N\n" in one write, which a kill cannot cut. */
static void print_flush(ash_log_level level, const char *message, void *user)
{
    (void)level, (void)user;
    char line[32];
    unsigned long long samples;
    const char *colon = strrchr(message, ':');
    if (colon == NULL || strstr(colon, "samples flushed") == NULL || sscanf(colon, ": %llu", &samples) != 1)
        return;
    int size = snprintf(line, sizeof line, "%llu\n", samples);
    if (write(STDOUT_FILENO, line, (size_t)size) != size)
        exit(4);
}

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    const double step = 1e-4;
    ash_scene *scene = thrown_mass(step, step * strtod(arguments[2], NULL));
    for (int i = 1; i < atoi(arguments[3]); i++)
        add_mass(scene, NULL, 1, (ash_vec3){i, 0, 0}, (ash_vec3){0, 1.0 / i, 0});
    ash_run_options options = ash_default_run_options();
    options.out = arguments[1];
    ash_set_log_hook(print_flush, NULL);
    ash_run *run;
    ash_diagnostic diagnostic;
    ash_status status = ash_scene_run(scene, &options, &run, &diagnostic);
    char text[1024];
    if (status != ASH_OK)
        fprintf(stderr, "%s\n", ash_diagnostic_text(&diagnostic, text, sizeof text));
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return status == ASH_OK ? 0 : 1;
}
