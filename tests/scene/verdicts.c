/* Tells what the reader says to scenes, for schema.py: one JSON text a line in, one word a line out: "ok", or the code
 * of the diagnostic. */
#define _POSIX_C_SOURCE 200809L
#include "ashlar/scene.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t length; (length = getline(&line, &capacity, stdin)) >= 0;) {
        ash_scene *scene;
        ash_diagnostic diagnostic;
        ash_status status = ash_scene_parse(line, (size_t)length, "line", &scene, &diagnostic);
        puts(status == ASH_OK ? "ok" : diagnostic.code);
        ash_scene_destroy(scene);
    }
    free(line);
    return 0;
}
