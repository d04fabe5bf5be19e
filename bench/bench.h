/* The benchmarks: each gives rows of names and numbers, printed as Markdown tables or one JSON object.
 *
 * Nothing is judged. Figures to compare come from one run on one machine; the number of steps is fixed beforehand, so
 * that the hash beside a time shows whether the result is the same. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "ashlar/ashlar.h"

#include <jansson.h>

/* An array of flat objects with the same keys, or null with a diagnostic. `most` limits the elements of a scene. */
json_t *bench_springs(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_masses(ash_diagnostic *diagnostic);
json_t *bench_recording(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_collide(ash_diagnostic *diagnostic);
json_t *bench_detect(ash_diagnostic *diagnostic);
json_t *bench_broad(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_sweeps(ash_diagnostic *diagnostic);
json_t *bench_solvers(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_realtime(uint32_t most, bool quick, ash_diagnostic *diagnostic);
json_t *bench_joints(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_piles(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_scale(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_engineering(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_orders(ash_diagnostic *diagnostic);
json_t *bench_crowd(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_figures(uint32_t most, ash_diagnostic *diagnostic);
json_t *bench_view(uint32_t most, ash_diagnostic *diagnostic);
/* MuJoCo beside ours. */
json_t *bench_batch(uint32_t most, bool quick, ash_diagnostic *diagnostic);
json_t *bench_parts(ash_diagnostic *diagnostic);
json_t *bench_query(uint32_t most, ash_diagnostic *diagnostic);

/* Other engines beside ours. */
typedef struct bench_peers_options {
    const char *scenes; /* names of the table's scenes, by commas; null: all */
    bool quick;         /* short runs */
    /* Called before each run. */
    void (*progress)(const char *scene, const char *engine, const char *settings, void *user);
    void *user;
} bench_peers_options;
json_t *bench_peers(const bench_peers_options *options, ash_diagnostic *diagnostic);
/* Scene by engine, in one table: times over those of a reference, and overlaps. */
void bench_print_peers_summary(const json_t *rows);
/* A table for each scene, with the columns that have something in it. */
void bench_print_peers(const json_t *rows, bool quick);

/* Seconds that the calling thread has spent on a processor. */
double bench_processor_seconds(void);

/* The machine, as one object: processor, cores, compiler, version. */
json_t *bench_machine(void);

/* A Markdown table of the rows, its columns in the order of the first row's keys. */
void bench_print_table(const char *title, const json_t *rows);
/* The same of rows [first, last), without the column `without` (may be null) and those that are null in all rows. */
void bench_print_part(const char *title, const json_t *rows, size_t first, size_t last, const char *without);

#endif
