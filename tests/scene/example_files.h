/* The example scenes that tests read: files of a folder in a fixed order, and their text. */
#ifndef TESTS_EXAMPLE_FILES_H
#define TESTS_EXAMPLE_FILES_H

#include "check.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLES       ASHLAR_SOURCE_DIR "/tests/data/scenes/"
#define EXAMPLE_SCENES ASHLAR_SOURCE_DIR "/scenes/"

/* The whole file with a zero behind it, of malloc. */
static inline char *read_text_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = 0;
    fclose(file);
    return text;
}

static inline const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Calls `each` for every file that matches; at least `fewest` must. */
static inline void for_each_file(const char *pattern, size_t fewest, void (*each)(const char *path))
{
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= fewest);
    for (size_t i = 0; i < found.gl_pathc; i++)
        each(found.gl_pathv[i]);
    globfree(&found);
}

#endif
