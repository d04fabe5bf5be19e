/* Convex parts of a ring and of a bowl: how many, how much volume they have over that of the solid, beside one hull,
 * and how long they take. Written by hand because Debian has no library that makes them (apt-cache search convex
 * decomposition, Debian 12). */
#include "bench.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/elementary.h"

enum { MOST_PROFILE = 64 };

typedef struct surface {
    const char *name;
    ash_vec3 *points;
    uint32_t *triangles;
    uint32_t point_count, triangle_count;
} surface;

/* A profile of (radius, height) that goes around the z axis. */
static bool revolve(surface *s, double (*profile)[2], uint32_t corners, uint32_t around)
{
    s->point_count = corners * around;
    s->triangle_count = 2 * corners * around;
    s->points = ashi_alloc_array(s->point_count, sizeof *s->points);
    s->triangles = ashi_alloc_array(3 * (size_t)s->triangle_count, sizeof *s->triangles);
    for (uint32_t n = 0; s->points != NULL && s->triangles != NULL && n < s->point_count; n++) {
        uint32_t i = n / corners, k = n % corners, next = (k + 1) % corners, beside = (i + 1) % around * corners;
        double angle = 6.283185307179586 * i / around, c = ashi_cos(angle), sine = ashi_sin(angle);
        s->points[n] = (ash_vec3){profile[k][0] * c, profile[k][0] * sine, profile[k][1]};
        const uint32_t numbers[6] = {n, beside + k, i * corners + next, i * corners + next, beside + k, beside + next};
        for (int m = 0; m < 6; m++)
            s->triangles[6 * (size_t)n + (size_t)m] = numbers[m];
    }
    return s->points != NULL && s->triangles != NULL;
}

static bool make_ring(surface *s, uint32_t corners)
{
    double profile[MOST_PROFILE][2];
    for (uint32_t i = 0; i < corners; i++) {
        double angle = 6.283185307179586 * i / corners;
        profile[i][0] = 1 + 0.2 * ashi_cos(angle);
        profile[i][1] = 0.2 * ashi_sin(angle);
    }
    s->name = "ring";
    return revolve(s, profile, corners, 5 * corners / 2);
}

static bool make_bowl(surface *s, uint32_t corners)
{
    double profile[MOST_PROFILE][2];
    uint32_t half = corners / 2;
    for (uint32_t i = 0; i < half; i++) {
        double angle = 1.5707963267948966 * (i + 0.2) / half, r = ashi_sin(angle), z = -ashi_cos(angle);
        profile[i][0] = r;
        profile[i][1] = z;
        profile[corners - 1 - i][0] = 0.9 * r;
        profile[corners - 1 - i][1] = 0.9 * z;
    }
    s->name = "bowl";
    return revolve(s, profile, corners, 5 * corners / 2);
}

static double volume_of(ash_geometry *geometry)
{
    ash_mass_properties mass = {.mass = 0};
    ash_geometry_mass(geometry, 1, &mass, NULL);
    return mass.mass;
}

static json_t *measure(const surface *s, double tolerance, ash_diagnostic *diagnostic)
{
    ash_geometry *mesh = NULL, *hull = NULL, *parts = NULL;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = s->points;
    def.point_count = s->point_count;
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    json_t *row = NULL;
    ash_status status = ash_geometry_create(&def, &mesh, diagnostic);
    def.kind = ASH_GEOMETRY_HULL;
    if (status == ASH_OK)
        status = ash_geometry_create(&def, &hull, diagnostic);
    double before = bench_processor_seconds();
    if (status == ASH_OK)
        status = ash_geometry_create_parts(s->points, s->point_count, s->triangles, s->triangle_count, tolerance,
                                           ASH_MAX_CONVEX_PARTS, &parts, diagnostic);
    double seconds = bench_processor_seconds() - before;
    if (status == ASH_OK)
        row = json_pack("{s:s, s:i, s:f, s:i, s:f, s:f, s:f}", "surface", s->name, "triangles", (int)s->triangle_count,
                        "tolerance", tolerance, "parts", (int)ash_geometry_get_definition(parts)->part_count,
                        "hull over solid", volume_of(hull) / volume_of(mesh), "parts over solid",
                        volume_of(parts) / volume_of(mesh), "ms", 1e3 * seconds);
    ash_geometry_release(parts);
    ash_geometry_release(hull);
    ash_geometry_release(mesh);
    return row;
}

json_t *bench_parts(ash_diagnostic *diagnostic)
{
    static const double tolerances[2] = {0.05, 0.02};
    json_t *rows = json_array();
    bool done = rows != NULL;
    for (uint32_t i = 0; done && i < 8; i++) {
        surface s = {.points = NULL};
        uint32_t corners = i % 4 < 2 ? 16 : 48;
        json_t *row = NULL;
        if (i < 4 ? make_ring(&s, corners) : make_bowl(&s, corners))
            row = measure(&s, tolerances[i % 2], diagnostic);
        else
            ashi_out_of_memory(diagnostic);
        done = row != NULL && json_array_append_new(rows, row) == 0;
        ashi_dealloc(s.points);
        ashi_dealloc(s.triangles);
    }
    if (done)
        return rows;
    json_decref(rows);
    return NULL;
}
