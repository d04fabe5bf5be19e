/* Grids of samples: their size, place and values. */
#include "shape/grid.h"

static const char *const axes[3] = {"x", "y", "z"};

ash_status ashi_grid_create(ash_geometry *geometry, const ash_geometry_def *def, int dimensions, uint32_t *samples,
                            ash_diagnostic *diagnostic)
{
    const char *name = geometry->functions->name;
    const double spacing[3] = {def->spacing.x, def->spacing.y, def->spacing.z};
    const double origin[3] = {def->origin.x, def->origin.y, def->origin.z};
    uint64_t product = 1;
    for (int i = 0; i < dimensions; i++) {
        product *= def->cells[i]; /* at most 2^24 * 2^32 */
        if (def->cells[i] < 2 || product > ASH_MAX_SAMPLES) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.cells", "the %s has %u samples in %s", name, def->cells[i],
                      axes[i]);
            return ashi_expect(diagnostic, "at least 2 in each axis and at most %d in all", ASH_MAX_SAMPLES),
                   ASH_BAD_DATA;
        }
        if (!isfinite(spacing[i]) || !(spacing[i] > 0)) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.spacing", "the spacing of the %s in %s is %g", name, axes[i],
                      spacing[i]);
            return ashi_expect(diagnostic, "a finite number above 0"), ASH_BAD_DATA;
        }
        if (!isfinite(origin[i]) || !isfinite(origin[i] + spacing[i] * def->cells[i])) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.origin", "the origin of the %s in %s is %g", name, axes[i],
                      origin[i]);
            return ashi_expect(diagnostic, "a finite number"), ASH_BAD_DATA;
        }
    }
    if (!isfinite(origin[2]))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.origin", "the origin of the %s in z is %g", name,
                         origin[2]);
    for (int i = 0; i < dimensions; i++)
        geometry->def.cells[i] = def->cells[i];
    geometry->def.origin = def->origin;
    geometry->def.spacing = v3(spacing[0], spacing[1], dimensions == 3 ? spacing[2] : 0);
    *samples = (uint32_t)product;
    return ASH_OK;
}

ash_status ashi_grid_check_values(const ash_geometry *geometry, const double *values, uint32_t samples,
                                  ash_diagnostic *diagnostic)
{
    const uint32_t *cells = geometry->def.cells;
    for (uint32_t n = 0; n < samples; n++)
        if (!isfinite(values[n])) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.values", "sample (%u, %u, %u) of the %s is %g", n % cells[0],
                      n / cells[0] % cells[1], n / cells[0] / cells[1], geometry->functions->name, values[n]);
            return ashi_expect(diagnostic, "finite samples"), ASH_BAD_DATA;
        }
    return ASH_OK;
}
