/* Signed distance field: samples on a grid, trilinear between them. The inside is where the interpolated field is
 * negative, within the grid. Outside the grid the distance to the grid's box is added to the value at the border, or to
 * 0 where that value is negative because a side of the grid cuts through the inside.
 *
 * Mass by linear tetrahedra (field_moments.c): the error decreases with the square of the spacing. Support points come
 * from the exact boxes around the inside of each cell (field_tree.c). */
#include "shape/distance_field.h"

#include "base/alloc.h"
#include "shape/grid.h"
#include "shape/interval.h"

static ash_status check_source(const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    int sources = (def->values != NULL) + (def->sample_function != NULL) + (def->sample_mesh != NULL);
    if (sources != 1) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "distance-field.source", "the distance field has %d sources of samples",
                  sources);
        return ashi_expect(diagnostic, "one of: values, a function, a mesh"), ASH_BAD_DATA;
    }
    if (def->sample_mesh != NULL && (!def->sample_mesh->has_mass || def->sample_mesh->flat)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "distance-field.source", "the %s to sample encloses no volume",
                  def->sample_mesh->functions->name);
        return ashi_expect(diagnostic, "a closed mesh or another solid"), ASH_BAD_DATA;
    }
    return ASH_OK;
}

/* Limits the samples of a mesh: each one is a search for the nearest triangle. */
static ash_status check_bill(const ash_geometry_def *def, uint32_t samples, ash_diagnostic *diagnostic)
{
    if (def->sample_mesh == NULL || samples <= ASH_MAX_SAMPLED)
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_DATA, "distance-field.samples", "the distance field takes %u samples of a mesh",
              samples);
    return ashi_expect(diagnostic, "at most %d; more only as values", ASH_MAX_SAMPLED), ASH_BAD_DATA;
}

static void fill_samples(const ash_geometry_def *kept, const ash_geometry_def *def, double *values)
{
    for (uint32_t k = 0; k < kept->cells[2]; k++)
        for (uint32_t j = 0; j < kept->cells[1]; j++)
            for (uint32_t i = 0; i < kept->cells[0]; i++) {
                size_t n = ((size_t)k * kept->cells[1] + j) * kept->cells[0] + i;
                ash_vec3 point = v3_add(kept->origin, v3_mul(kept->spacing, v3(i, j, k)));
                values[n] = def->values != NULL            ? def->values[n]
                            : def->sample_function != NULL ? def->sample_function(point, def->sample_user)
                                                           : ash_geometry_distance(def->sample_mesh, point);
            }
}

static ash_status set_mass(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    ashi_field_moments m = ashi_field_integrate(&geometry->def);
    ash_vec3 shift = v3_scale(m.first, 1 / m.volume);
    ash_sym3 s = s3_add(m.second, s3_outer(shift, -m.volume));
    ash_sym3 inertia = {s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
    return ashi_set_unit_mass(geometry, m.volume, v3_add(geometry->def.origin, shift), inertia, diagnostic);
}

static ash_vec3 far_corner(const ash_geometry_def *def)
{
    return v3_add(def->origin, v3_mul(def->spacing, v3(def->cells[0] - 1.0, def->cells[1] - 1.0, def->cells[2] - 1.0)));
}

ash_bounds ashi_field_grid(const ash_geometry_def *def)
{
    return (ash_bounds){def->origin, far_corner(def)};
}

/* Finds the deepest sample. If the grid cuts through the inside, the ball about the sample ends there. */
static void find_core(ash_geometry *geometry)
{
    const ash_geometry_def *def = &geometry->def;
    ash_bounds grid = ashi_field_grid(def);
    ashi_field_surface *surface = geometry->field;
    surface->core_radius = -INFINITY;
    for (uint32_t k = 0; k < def->cells[2]; k++)
        for (uint32_t j = 0; j < def->cells[1]; j++)
            for (uint32_t i = 0; i < def->cells[0]; i++) {
                double depth = -def->values[((size_t)k * def->cells[1] + j) * def->cells[0] + i];
                if (!(depth > surface->core_radius))
                    continue;
                ash_vec3 place = v3_add(def->origin, v3_mul(def->spacing, v3(i, j, k)));
                ash_vec3 inner = v3_min(v3_sub(place, grid.lower), v3_sub(grid.upper, place));
                depth = fmin(depth, fmin(inner.x, fmin(inner.y, inner.z)));
                if (depth > surface->core_radius) {
                    surface->core_radius = depth;
                    surface->core = place;
                }
            }
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    uint32_t samples;
    ash_status status = ashi_grid_create(geometry, def, 3, &samples, diagnostic);
    if (status == ASH_OK)
        status = check_source(def, diagnostic);
    if (status == ASH_OK)
        status = check_bill(def, samples, diagnostic);
    if (status != ASH_OK)
        return status;
    double *values = ashi_alloc_array(samples, sizeof *values);
    geometry->def.values = values;
    if (values == NULL)
        return ashi_out_of_memory(diagnostic);
    fill_samples(&geometry->def, def, values);
    status = ashi_grid_check_values(geometry, values, samples, diagnostic);
    if (status == ASH_OK)
        status = ashi_field_surface_create(geometry, diagnostic);
    if (status == ASH_OK && !(ashi_field_samples_create(geometry) && ashi_field_tree_create(geometry->field)))
        status = ashi_out_of_memory(diagnostic);
    if (status != ASH_OK)
        return status;
    find_core(geometry);
    return set_mass(geometry, diagnostic);
}

static void dispose(ash_geometry *geometry)
{
    if (geometry->field == NULL)
        return;
    ashi_field_samples_release(&geometry->field->samples);
    ashi_dealloc(geometry->field->nodes);
    ashi_dealloc(geometry->field->cells);
    ashi_dealloc(geometry->field);
}

void ashi_field_corners(const ash_geometry_def *def, uint32_t i, uint32_t j, uint32_t k, double value[8])
{
    size_t row = def->cells[0], layer = row * def->cells[1];
    const double *first = def->values + k * layer + j * row + i;
    for (int c = 0; c < 8; c++)
        value[c] = first[(size_t)(c & 1) + (size_t)(c >> 1 & 1) * row + (size_t)(c >> 2) * layer];
}

/* The cell along one axis and the place in it, 0 to 1. */
static uint32_t locate(double place, double origin, double spacing, uint32_t samples, double *fraction)
{
    double u = (place - origin) / spacing;
    uint32_t cell = !(u > 0) ? 0 : u >= samples - 1 ? samples - 2 : (uint32_t)u;
    *fraction = u - cell < 0 ? 0 : u - cell > 1 ? 1 : u - cell;
    return cell;
}

/* The interpolated field at a point of the grid, and its gradient. */
static double interpolate(const ash_geometry_def *def, ash_vec3 p, ash_vec3 *gradient)
{
    double u, v, w, f[8];
    uint32_t i = locate(p.x, def->origin.x, def->spacing.x, def->cells[0], &u);
    uint32_t j = locate(p.y, def->origin.y, def->spacing.y, def->cells[1], &v);
    uint32_t k = locate(p.z, def->origin.z, def->spacing.z, def->cells[2], &w);
    ashi_field_corners(def, i, j, k, f);
    double along[4], slope[4]; /* on the four edges along x */
    for (int n = 0; n < 4; n++) {
        slope[n] = f[2 * n + 1] - f[2 * n];
        along[n] = f[2 * n] + u * slope[n];
    }
    double bottom = along[0] + v * (along[1] - along[0]), top = along[2] + v * (along[3] - along[2]);
    if (gradient != NULL) {
        double low = slope[0] + v * (slope[1] - slope[0]), high = slope[2] + v * (slope[3] - slope[2]);
        double across = along[1] - along[0];
        *gradient = v3((low + w * (high - low)) / def->spacing.x,
                       (across + w * (along[3] - along[2] - across)) / def->spacing.y, (top - bottom) / def->spacing.z);
    }
    return bottom + w * (top - bottom);
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 near = v3_min(v3_max(point, def->origin), far_corner(def));
    double gap = v3_distance(point, near), field = interpolate(def, near, NULL);
    return gap > 0 && field < 0 ? gap : field + gap;
}

ash_vec3 ashi_field_gradient(const ash_geometry *geometry, ash_vec3 point)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 near = v3_min(v3_max(point, def->origin), far_corner(def)), off = v3_sub(point, near), gradient;
    double field = interpolate(def, near, &gradient);
    if (v3_norm2(off) == 0)
        return gradient;
    if (field < 0)
        return v3_unit(off);
    /* Along axes in which the point was moved onto the grid, the field does not change. */
    ash_vec3 kept = v3(off.x == 0 ? gradient.x : 0, off.y == 0 ? gradient.y : 0, off.z == 0 ? gradient.z : 0);
    return v3_add(kept, v3_unit(off));
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    return ashi_field_tree_support(geometry->field, direction);
}

/* Along the grid's own axes the box is exact. */
static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    ash_bounds box = geometry->field->box;
    if (pose.rotation.x != 0 || pose.rotation.y != 0 || pose.rotation.z != 0)
        return ashi_bounds_by_support(geometry, pose);
    return (ash_bounds){v3_add(pose.position, box.lower), v3_add(pose.position, box.upper)};
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 o = line->origin, end = far_corner(def);
    bool over =
        o.x > def->origin.x && o.y > def->origin.y && o.z > def->origin.z && o.x < end.x && o.y < end.y && o.z < end.z;
    if (over && interpolate(def, o, NULL) < 0)
        return ashi_ray_inside(line, hit);
    return ashi_field_ray(geometry, line, hit);
}

const ashi_geometry_functions ashi_distance_field = {
    .name = "distance-field",
    .triangles = true,
    .curved = true,
    .create = create,
    .dispose = dispose,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_field_shadow,
};
