/* Boxes of 1 m that all start in one place, on a floor, by every method: 10 000 of them, or --elements if that is less.
 * Processor times of the first two steps, of 10 ms on one thread, what the library holds in memory after the last, and
 * the flags of all. A step that is not taken ends the row: the flags say why (docs/methods.md, Crowds). */
#include "bench.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { BOXES = 10000, STEPS = 2 };
static const double step_length = 0.01;

static ash_status add_box(ash_world *world, ash_body_type type, ash_vec3 half, double height,
                          ash_diagnostic *diagnostic)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_body_def body = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_geometry *geometry = NULL;
    ash_body made;
    box.half_extents = half;
    body.type = type;
    body.position.z = height;
    ash_status status = ash_geometry_create(&box, &geometry, diagnostic);
    shape.geometry = geometry;
    if (status == ASH_OK)
        status = ash_body_create(world, &body, &shape, 1, &made, diagnostic);
    ash_geometry_release(geometry);
    return status;
}

static ash_status make_crowd(const char *method, uint32_t count, ash_world **world, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_status status = ash_method_find(method, &def.method, diagnostic);
    if (status == ASH_OK)
        status = ash_world_create(&def, world, diagnostic);
    if (status == ASH_OK)
        status = add_box(*world, ASH_BODY_STATIC, (ash_vec3){50, 50, 1}, -1, diagnostic);
    for (uint32_t i = 0; i < count && status == ASH_OK; ++i)
        status = add_box(*world, ASH_BODY_DYNAMIC, (ash_vec3){0.5, 0.5, 0.5}, 0.5, diagnostic);
    return status;
}

/* Names of all flags that are set, by spaces. */
static void name_flags(uint32_t flags, char *names, size_t size)
{
    size_t used = 0;
    names[0] = 0;
    for (uint32_t bit = 0; bit < 32 && used < size; ++bit)
        if (flags & UINT32_C(1) << bit)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "",
                                     ash_flag_name((ash_flag)(UINT32_C(1) << bit)));
}

static json_t *measure(const char *method, ash_world *world)
{
    static const char *const columns[STEPS] = {"first step (s)", "second (s)"};
    json_t *row = json_pack("{s:s}", "method", method);
    uint32_t flags = 0;
    char names[256];
    bool taken = true;
    for (int i = 0; i < STEPS; ++i) {
        double start = bench_processor_seconds();
        taken = taken && ash_world_step(world, step_length) == ASH_OK;
        flags |= ash_world_get_report(world).flags;
        json_object_set_new(row, columns[i], taken ? json_real(bench_processor_seconds() - start) : json_null());
    }
    name_flags(flags, names, sizeof names);
    json_object_set_new(row, "contact points", json_integer(ash_world_get_report(world).contact_points));
    json_object_set_new(row, "memory (MB)", json_real(1e-6 * (double)ash_memory_used().bytes));
    json_object_set_new(row, "flags", json_string(names));
    return row;
}

json_t *bench_crowd(uint32_t most, ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < ash_method_count() && status == ASH_OK; ++i) {
        ash_world *world = NULL;
        status = make_crowd(ash_method_name(i), most < BOXES ? most : BOXES, &world, diagnostic);
        if (status == ASH_OK && json_array_append_new(rows, measure(ash_method_name(i), world)) != 0)
            status = ashi_out_of_memory(diagnostic);
        ash_world_destroy(world);
    }
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
