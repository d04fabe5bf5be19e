/* Surfaces, as mesh files and scenes give them: convex parts, hulls, meshes and fields of any points and triangles. The
 * first three bytes of an input are the size, the tolerance and the number of points; then come three bytes a point,
 * and three a triangle. */
#include "target.h"

#include "ashlar/geometry.h"

#include <math.h>

enum { POINTS_MOST = 40, TRIANGLES_MOST = 80, PARTS_MOST = 12 };

typedef struct surface {
    ash_vec3 points[POINTS_MOST];
    uint32_t triangles[3 * TRIANGLES_MOST];
    uint32_t point_count, triangle_count;
    double tolerance;
} surface;

static void read_surface(const uint8_t *bytes, size_t size, surface *s)
{
    static const double sizes[] = {1, 1e-3, 1e4, 1e-30, 1e40, 1e-200, 1e250, INFINITY};
    static const double tolerances[] = {0.02, 0.1, 1e-3, 1, 1e-9, 0, -1, NAN};
    double unit = size > 0 ? sizes[bytes[0] % 8] : 1;
    s->tolerance = size > 1 ? tolerances[bytes[1] % 8] : 0.02;
    s->point_count = size > 2 ? bytes[2] % (POINTS_MOST + 1) : 0;
    size_t at = 3;
    for (uint32_t i = 0; i < s->point_count; i++, at += 3) {
        double xyz[3] = {0};
        for (size_t k = 0; k < 3 && at + k < size; k++)
            xyz[k] = unit * ((int8_t)bytes[at + k] / 16.0);
        s->points[i] = (ash_vec3){xyz[0], xyz[1], xyz[2]};
    }
    s->triangle_count = 0;
    for (; at + 3 <= size && s->triangle_count < TRIANGLES_MOST; at += 3, s->triangle_count++)
        for (size_t k = 0; k < 3; k++)
            s->triangles[3 * (size_t)s->triangle_count + k] = bytes[at + k] % (s->point_count + 1);
}

/* What is made has a mass, is where its points are, and answers questions; what is not says why. */
static void check_made(ash_status status, ash_geometry *made, const ash_diagnostic *diagnostic, const surface *s)
{
    if (status != ASH_OK) {
        CHECK(made == NULL);
        check_refusal(status, diagnostic);
        return;
    }
    ash_mass_properties mass;
    if (ash_geometry_mass(made, 1, &mass, NULL) == ASH_OK)
        CHECK(mass.mass > 0 && isfinite(mass.mass));
    ash_bounds box = ash_geometry_bounds(made, ash_identity());
    CHECK(box.lower.x <= box.upper.x && isfinite(box.lower.x) && isfinite(box.upper.z));
    CHECK(!isnan(ash_geometry_distance(made, s->points[0])));
    ash_geometry_release(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static surface s;
    ash_diagnostic diagnostic = {0};
    ash_geometry *made = NULL;
    read_surface(bytes, size, &s);
    ash_status status = ash_geometry_create_parts(s.points, s.point_count, s.triangles, s.triangle_count, s.tolerance,
                                                  PARTS_MOST, &made, &diagnostic);
    if (status == ASH_OK) {
        const ash_geometry_def *def = ash_geometry_get_definition(made);
        CHECK(def->kind == ASH_GEOMETRY_HULL || def->part_count <= PARTS_MOST);
    }
    check_made(status, made, &diagnostic, &s);
    static const ash_geometry_kind kinds[2] = {ASH_GEOMETRY_HULL, ASH_GEOMETRY_MESH};
    for (int i = 0; i < 2; i++) {
        ash_geometry_def def = ash_default_geometry_def(kinds[i]);
        def.points = s.points;
        def.point_count = s.point_count;
        def.triangles = i == 1 ? s.triangles : NULL;
        def.triangle_count = i == 1 ? s.triangle_count : 0;
        made = NULL;
        diagnostic = (ash_diagnostic){0};
        status = ash_geometry_create(&def, &made, &diagnostic);
        check_made(status, made, &diagnostic, &s);
    }
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
