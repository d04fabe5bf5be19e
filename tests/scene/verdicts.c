/* Tells what the reader says to scenes, for schema.py, or with the argument "problem" to problems, for
 * problem_schema.py: one JSON text a line in, one word a line out: "ok", or the code of the diagnostic. With "fields"
 * it tells the fields of methods, name and summary, a line each. */
#define _POSIX_C_SOURCE 200809L
#include "ashlar/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ash_status read_scene(const char *line, size_t length, ash_diagnostic *diagnostic)
{
    ash_scene *scene;
    ash_status status = ash_scene_parse(line, length, "line", &scene, diagnostic);
    ash_scene_destroy(scene);
    return status;
}

static ash_status read_problem(const char *line, size_t length, ash_diagnostic *diagnostic)
{
    ash_problem problem = {0};
    ash_status status = ash_problem_parse(line, length, "line", &problem, diagnostic);
    ash_problem_release(&problem);
    return status;
}

static int tell_fields(void)
{
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        printf("%s\t%s\n", ash_method_field_name(i), ash_method_field_summary(i));
    return 0;
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "fields") == 0)
        return tell_fields();
    bool problems = count > 1 && strcmp(arguments[1], "problem") == 0;
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t length; (length = getline(&line, &capacity, stdin)) >= 0;) {
        ash_diagnostic diagnostic;
        ash_status status = (problems ? read_problem : read_scene)(line, (size_t)length, &diagnostic);
        puts(status == ASH_OK ? "ok" : diagnostic.code);
    }
    free(line);
    return 0;
}
