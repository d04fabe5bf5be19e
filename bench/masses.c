/* What a geometry costs to make, by kind: its checks, its exact mass properties and, for meshes, its search tree.
 * Asking a geometry for its mass later costs a copy. */
#include "bench.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "shape/tessellate.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 5 };

/* Makes it often enough to be timed, and keeps the fastest of the repeats. */
static ash_status time_creation(const ash_geometry_def *def, const char *name, uint32_t triangles, json_t *rows,
                                ash_diagnostic *diagnostic)
{
    uint32_t rounds = 50000 / (triangles + 10) + 1;
    double best = INFINITY;
    ash_mass_properties mass = {0};
    for (int repeat = 0; repeat <= REPEATS; ++repeat) {
        double started = ashi_seconds();
        for (uint32_t i = 0; i < rounds; ++i) {
            ash_geometry *geometry = NULL;
            ash_status status = ash_geometry_create(def, &geometry, diagnostic);
            if (status == ASH_OK)
                status = ash_geometry_mass(geometry, 1000, &mass, diagnostic);
            ash_geometry_release(geometry);
            if (status != ASH_OK)
                return status;
        }
        if (repeat > 0)
            best = fmin(best, (ashi_seconds() - started) / rounds);
    }
    char hash[24];
    double numbers[] = {mass.mass,       mass.centre.x,   mass.centre.y,   mass.centre.z,   mass.inertia.xx,
                        mass.inertia.yy, mass.inertia.zz, mass.inertia.xy, mass.inertia.xz, mass.inertia.yz};
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)ashi_hash(ASHI_HASH_START, numbers, sizeof numbers));
    json_t *row = json_pack("{s:s, s:I, s:f, s:s}", "geometry", name, "triangles", (json_int_t)triangles, "ns",
                            best * 1e9, "hash of the mass", hash);
    if (row && triangles > 0)
        json_object_set_new(row, "ns per triangle", json_real(best * 1e9 / triangles));
    else if (row)
        json_object_set_new(row, "ns per triangle", json_null());
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status time_kind(ash_geometry_kind kind, json_t *rows, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    return time_creation(&def, ash_geometry_kind_name(kind), 0, rows, diagnostic);
}

static ash_status time_mesh(uint32_t level, json_t *rows, ash_diagnostic *diagnostic)
{
    ashi_tessellation mesh;
    if (!ashi_mesh_sphere(level, 1, &mesh))
        return ashi_out_of_memory(diagnostic);
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_status status = time_creation(&def, "mesh of a sphere", mesh.triangle_count, rows, diagnostic);
    ashi_tessellation_release(&mesh);
    return status;
}

json_t *bench_masses(ash_diagnostic *diagnostic)
{
    static const ash_geometry_kind kinds[] = {ASH_GEOMETRY_SPHERE,   ASH_GEOMETRY_CAPSULE, ASH_GEOMETRY_BOX,
                                              ASH_GEOMETRY_CYLINDER, ASH_GEOMETRY_CONE,    ASH_GEOMETRY_ELLIPSOID};
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == ASH_OK; ++i)
        status = time_kind(kinds[i], rows, diagnostic);
    for (uint32_t level = 1; level <= 6 && status == ASH_OK; ++level)
        status = time_mesh(level, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
