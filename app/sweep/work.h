/* What is measured of a case, and how one is run. */
#ifndef CLI_SWEEP_WORK_H
#define CLI_SWEEP_WORK_H

#include "app/cli/choice.h"
#include "app/sweep/plan.h"

/* How a case ended. */
typedef enum cli_case_state {
    CLI_CASE_OPEN, /* not yet */
    CLI_CASE_DONE,
    CLI_CASE_BROKEN,  /* the simulation could not continue; what it measured until then counts */
    CLI_CASE_REFUSED, /* there is no such scene: a parameter is out of range, say */
    CLI_CASE_LOST     /* its process ended */
} cli_case_state;
const char *cli_case_state_name(cli_case_state state);

/* The numbers that are measured, by name; those of the run first, then four of each output. */
typedef struct cli_measures {
    ASHI_ARRAY(char *) names;
    ASHI_ARRAY(char *) units;
    uint32_t outputs; /* of the scene */
} cli_measures;
enum {
    CLI_MEASURE_TIME,
    CLI_MEASURE_STEPS,
    CLI_MEASURE_FLAGS,
    CLI_MEASURE_RESIDUAL,
    CLI_MEASURE_PENETRATION,
    CLI_MEASURE_JOINT_ERROR,
    CLI_MEASURE_DRIFT,
    CLI_MEASURE_DISPLACEMENT,
    CLI_MEASURE_CONTACTS,
    CLI_MEASURE_FAILED_CHECKS,
    CLI_MEASURE_WORST_CHECK, /* the farthest from what is expected, over its tolerance */
    CLI_MEASURES_OF_RUN
};
enum { CLI_OUTPUT_FINAL, CLI_OUTPUT_MIN, CLI_OUTPUT_MAX, CLI_OUTPUT_MEAN, CLI_OUTPUT_MEASURES };

typedef struct cli_work {
    const char *scene; /* as on the command line */
    cli_choice choice;
    uint32_t threads;
    const cli_plan *plan;
    cli_measures measures;
} cli_work;

/* One case's outcome: plain data of cli_case_size bytes. */
typedef struct cli_case {
    uint32_t number, state;
    uint64_t hash;     /* of the final state */
    char message[240]; /* why it broke or was refused */
    double values[];   /* by number of the measure; NaN: there is none */
} cli_case;
size_t cli_case_size(const cli_measures *measures);

/* Finds out what the first case that can be opened gives; false when it was told that there is none. */
bool cli_work_prepare(cli_work *work);
void cli_work_release(cli_work *work);

/* Runs a case, silently. Files of the run go to `out` unless it is null. `stop` is asked now and then, and ends it. */
void cli_work_run(const cli_work *work, uint32_t number, const char *out, bool (*stop)(void), cli_case *result);

/* The directory entry of a case on command lines: "mu=0.3 mass=1.02". */
const char *cli_work_settings(const cli_work *work, uint32_t number, char *text, size_t size);

#endif
