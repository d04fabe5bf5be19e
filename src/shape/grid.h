/* Checks that height fields and distance fields share. */
#ifndef ASHI_SHAPE_GRID_H
#define ASHI_SHAPE_GRID_H

#include "shape/geometry.h"

/* Checks cells, origin and spacing in the first `dimensions` axes, copies them, and counts the samples. */
ash_status ashi_grid_create(ash_geometry *geometry, const ash_geometry_def *def, int dimensions, uint32_t *samples,
                            ash_diagnostic *diagnostic);

/* Checks that all samples are finite; the diagnostic names the place of the first that is not. */
ash_status ashi_grid_check_values(const ash_geometry *geometry, const double *values, uint32_t samples,
                                  ash_diagnostic *diagnostic);

#endif
