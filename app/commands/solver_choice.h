/* The solver and its settings that a command line asks for. */
#ifndef CLI_SOLVER_CHOICE_H
#define CLI_SOLVER_CHOICE_H

#include "app/cli/options.h"
#include "ashlar/scene.h"

typedef struct cli_solver_choice {
    const char *solver;    /* a name, also with fields of its own, "sor:relaxation=1.5"; null: newton */
    const char *tolerance; /* m/s; null: the solver's */
    uint32_t iterations;   /* 0: the solver's */
    cli_texts set;         /* key=value: fields of methods that are about the solver or the friction law */
    bool no_warm_start;
} cli_solver_choice;

/* Reads the choice; `set` may also change the problem's friction law. On failure an error is printed, and the exit
 * status is returned. */
int cli_solver_choose(const cli_solver_choice *choice, const char *command, ash_problem *problem,
                      ash_solver_settings *settings);

#endif
