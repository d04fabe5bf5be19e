/* Validation of several scenes at once, each in a process of its own. */
#ifndef CLI_VALIDATE_JOBS_H
#define CLI_VALIDATE_JOBS_H

#include "ashlar/scene.h"

/* Runs the experiments of `count` scenes, at most `jobs` at a time, long ones first. `row` receives the rows as they
 * come, those of a scene in their order; false from it stops. The exit status is returned: experiments that could not
 * be run have said why. */
int cli_validate_at_once(const char *const *names, uint32_t count, uint32_t jobs,
                         bool (*row)(const ash_validation_row *row, void *user), void *user);

#endif
