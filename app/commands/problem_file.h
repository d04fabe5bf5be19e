/* Writing problems: JSON, or FCLIB's HDF5 form by the ending of the file. */
#ifndef CLI_PROBLEM_FILE_H
#define CLI_PROBLEM_FILE_H

#include "ashlar/scene.h"

/* Whether a file of that name is written in FCLIB's form: it ends in .hdf5 or .h5. */
bool cli_is_fclib_name(const char *path);
/* Writes the problem (null: to standard output, as JSON); `solved`: its impulses are a solution. An exit status. */
int cli_write_problem(const ash_problem *problem, bool solved, const char *path);

#endif
