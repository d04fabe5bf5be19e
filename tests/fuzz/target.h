/* What the fuzz targets share. A target is one function; libFuzzer calls it with inputs that it makes up, and replay.c
 * with files. */
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashlar/world.h"

/* Tries one input, and leaves nothing behind. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A false condition is a finding. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A refusal has a status and says why. */
static inline void check_refusal(ash_status status, const ash_diagnostic *diagnostic)
{
    CHECK(status != ASH_OK && diagnostic->status == status);
    CHECK(diagnostic->code[0] != 0 && diagnostic->message[0] != 0);
}

/* A copy with a zero after it, which the caller frees. */
static inline char *copy_input(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

/* Cuts the next line off the text; null after the last. */
static inline char *next_line(char **text)
{
    char *line = *text, *end = line != NULL ? strchr(line, '\n') : NULL;
    if (end != NULL)
        *end++ = 0;
    *text = end;
    return line;
}

/* A method may ask for a million iterations. Here a few must do: the rest is more of the same. */
static inline void bound_work(ash_method *method)
{
    uint32_t *counts[] = {&method->max_iterations, &method->collision_passes,      &method->shock_rounds,
                          &method->post_passes,    &method->correction_iterations, &method->joint_iterations,
                          &method->substeps,       &method->max_impacts,           &method->solver.iterations,
                          &method->solver.substeps};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (*counts[i] > 4)
            *counts[i] = 4;
}

/* Steps the world a few times and takes a snapshot. Numbers may break down; nothing else may. */
static inline void use_world(ash_world *world, double step)
{
    ash_method method = ash_world_get_method(world);
    bound_work(&method);
    CHECK(ash_world_set_method(world, &method) == ASH_OK);
    for (int i = 0; i < 3; i++) {
        ash_status status = ash_world_step(world, step);
        if (status != ASH_OK && status != ASH_NUMERICS)
            fprintf(stderr, "a step answers: %s\n", ash_world_get_last_diagnostic(world).message);
        CHECK(status == ASH_OK || status == ASH_NUMERICS);
    }
    void *bytes = NULL;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (ash_world_save(world, &bytes, &size, &diagnostic) == ASH_OK) {
        uint64_t hash = ash_world_get_hash(world);
        ash_status status = ash_world_restore(world, bytes, size, &diagnostic);
        if (status != ASH_OK)
            fprintf(stderr, "it does not read what it saved: %s\n", diagnostic.message);
        CHECK(status == ASH_OK && ash_world_get_hash(world) == hash);
    }
    ash_free(bytes);
}

#endif
