/* What solves of a contact problem have come to, for people and for machines. */
#ifndef CLI_SOLVE_REPORT_H
#define CLI_SOLVE_REPORT_H

#include <stdio.h>

#include "app/commands/history.h"

/* One solver: its result and its history; several: a table of their results, or one object with a list of them. `name`
 * is that of the problem. Returns the exit status. */
int cli_solve_print(const char *name, const ash_problem *problem, const cli_history *histories, uint32_t count);
int cli_solve_print_json(const char *name, const ash_problem *problem, const cli_history *histories, uint32_t count);

/* Blocks and rows, those of contact points included: one block each. */
uint32_t cli_problem_blocks(const ash_problem *problem);
uint32_t cli_problem_rows(const ash_problem *problem);

/* Writes "2 bodies, 4 blocks, 12 rows, 1 island". */
void cli_put_problem_size(FILE *stream, const ash_problem *problem);

#endif
