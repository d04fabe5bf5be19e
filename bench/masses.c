/* What exact mass properties cost, by kind of geometry; meshes by their number of triangles. */
#include "bench.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "shape/tessellate.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 5 };

/* Computes often enough to be timed, and keeps the fastest of the repeats. */
static ash_status time_mass(const ash_geometry *geometry, const char *name, uint32_t parts, json_t *rows,
                            ash_diagnostic *diagnostic)
{
    uint32_t rounds = parts > 200000 ? 1 : 200000 / parts;
    double best = INFINITY;
    ash_mass_properties mass = {0};
    for (int repeat = 0; repeat <= REPEATS; ++repeat) {
        double started = ashi_seconds();
        for (uint32_t i = 0; i < rounds; ++i) {
            ash_status status = ash_geometry_mass(geometry, 1000, &mass, diagnostic);
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
    json_t *row = json_pack("{s:s, s:I, s:f, s:f, s:s}", "geometry", name, "triangles", (json_int_t)parts, "ns",
                            best * 1e9, "ns per triangle", best * 1e9 / parts, "hash", hash);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status time_kind(ash_geometry_kind kind, json_t *rows, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(&def, &geometry, diagnostic);
    if (status == ASH_OK)
        status = time_mass(geometry, ash_geometry_kind_name(kind), 1, rows, diagnostic);
    ash_geometry_release(geometry);
    return status;
}

static ash_status time_mesh(uint32_t level, json_t *rows, ash_diagnostic *diagnostic)
{
    ashi_tessellation mesh;
    if (!ashi_mesh_sphere(level, 1, &mesh))
        return ashi_out_of_memory(diagnostic);
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(&def, &geometry, diagnostic);
    if (status == ASH_OK)
        status = time_mass(geometry, "mesh of a sphere", mesh.triangle_count, rows, diagnostic);
    ash_geometry_release(geometry);
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
