/* Writes the stored problems of at most 200 kB as files: store DIRECTORY. tests/data/problems is what it writes; a test
 * compares (tests/scene/test_problem_file.c). */
#include "ashlar/scene.h"

#include <stdio.h>

enum { LARGEST = 200000 };

static int store(const char *folder, const char *name)
{
    ash_problem problem = {0};
    ash_diagnostic diagnostic;
    char *text = NULL, path[1024];
    size_t size = 0;
    ash_status status = ash_problem_read(name, &problem, &diagnostic);
    if (status == ASH_OK)
        status = ash_problem_write(&problem, &text, &size, &diagnostic);
    ash_problem_release(&problem);
    if (status != ASH_OK) {
        fprintf(stderr, "%s: %s\n", name, diagnostic.message);
        return 1;
    }
    int failed = 0;
    if (size <= LARGEST) {
        snprintf(path, sizeof path, "%s/%s.json", folder, name);
        FILE *file = fopen(path, "wb");
        failed = file == NULL || fwrite(text, 1, size, file) != size;
        if (file != NULL && fclose(file) != 0)
            failed = 1;
        if (failed)
            perror(path);
    }
    ash_free(text);
    return failed;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: store DIRECTORY\n");
        return 2;
    }
    int failed = 0;
    for (uint32_t i = 0; i < ash_stored_problem_count(); i++)
        failed |= store(arguments[1], ash_stored_problem_get(i).name);
    return failed;
}
