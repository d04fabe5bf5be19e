/* FCLIB's HDF5 files: group /fclib_global with spacedim, the sparse matrices M, H and G, and vectors f, w, mu and b;
 * group /solution with v, u, r and l. Ours have our own text of the problem too, in /ashlar/problem, which alone has
 * what the form has not. */
#ifndef ASHI_SCENE_FCLIB_FILE_H
#define ASHI_SCENE_FCLIB_FILE_H

#include "scene/file/fclib_form.h"

/* Whether bytes begin an HDF5 file. */
bool ashi_is_hdf5(const char *bytes, size_t size);
/* A problem of such a file: from our text where that is the matrices' still, else from these. */
ash_status ashi_fclib_file_read(const char *path, ash_problem *problem, ash_diagnostic *diagnostic);

#endif
