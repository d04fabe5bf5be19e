/* The cases of a sweep: every value of what is varied with every other, each for every random sample. */
#ifndef CLI_SWEEP_PLAN_H
#define CLI_SWEEP_PLAN_H

#include <jansson.h>

#include "app/cli/options.h"
#include "app/sweep/sample.h"

#define CLI_SWEEP_MOST_CASES   10000000
#define CLI_SWEEP_MOST_FACTORS 64

/* A parameter, field of the method, or "method", "step", "time", that differs between cases. */
typedef struct cli_factor {
    char *name;
    char **values; /* of one that is varied, or the words of a choice; null: numbers by its distribution */
    uint32_t value_count;
    bool random;
    cli_distribution distribution;
    uint32_t dimension; /* of the random point */
    uint32_t row;       /* factors of one row change together: those of a file of cases */
} cli_factor;

typedef struct cli_plan {
    ASHI_ARRAY(cli_factor) factors;
    cli_sampling sampling;
    uint64_t seed;
    uint32_t samples; /* random ones of each combination */
    uint32_t cases;
    uint32_t rows; /* loops over what is varied */
} cli_plan;

/* Adds "mu=0.1:0.9:9" (nine values), "mu=0.1:10:5:log", or "method=a,b". False, with a message, when something is
 * wrong. */
bool cli_plan_vary(cli_plan *plan, const char *text);
/* Adds "mass=normal(1,0.1)". */
bool cli_plan_random(cli_plan *plan, const char *text);
/* Adds the rows of a table of comma-separated values whose first line has the names. */
bool cli_plan_file(cli_plan *plan, const char *path);
/* Counts the cases, after the last of them is added; `runs`: 0 without random factors. */
bool cli_plan_finish(cli_plan *plan, uint32_t runs, const char *sampling, uint64_t seed);
void cli_plan_release(cli_plan *plan);

/* The value of factor number `factor` in a case, as --set would have it; returns `text` or what lives as long as the
 * plan. */
const char *cli_plan_value(const cli_plan *plan, uint32_t number, uint32_t factor, char *text, size_t size);

/* All of it, to tell one sweep from another. */
json_t *cli_plan_json(const cli_plan *plan);

#endif
