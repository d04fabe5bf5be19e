/* Pieces of built-in scenes. Failures of memory are kept by the scene and told by ashi_scene_finish. */
#include "scene/builtin/parts.h"

uint32_t ashi_add_point_mass(ash_scene *scene, const char *name, ash_vec3 position, double mass)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.position = position;
    def.mass = mass;
    def.locks = ASH_LOCK_ROTATION;
    return ashi_scene_add_body(scene, &def);
}

ash_status ashi_add_solid(ash_scene *scene, uint32_t body, const char *name, const ash_geometry_def *def,
                          double density, ash_diagnostic *diagnostic)
{
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(def, &geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, name, geometry);
    shape.density = density;
    shape.name = name;
    if (shape.geometry != ASHI_NONE && body != ASHI_NONE)
        ashi_scene_add_shape(scene, body, &shape);
    return ASH_OK;
}

uint32_t ashi_watch_body(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t body,
                         ashi_component component)
{
    ashi_scene_output output = {.name = name, .quantity = quantity, .object = body, .component = component};
    return ashi_scene_add_output(scene, &output);
}

uint32_t ashi_watch_force(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t force)
{
    return ashi_watch_body(scene, name, quantity, force, ASHI_SCALAR);
}

uint32_t ashi_watch_world(ash_scene *scene, const char *name, ashi_quantity quantity)
{
    return ashi_watch_body(scene, name, quantity, 0, ASHI_SCALAR);
}

void ashi_expect_output(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction, double expected,
                        double tolerance)
{
    ashi_scene_check check = {
        .name = name, .output = output, .reduction = reduction, .expected = expected, .tolerance = tolerance};
    ashi_scene_add_check(scene, &check);
}

ash_status ashi_use_method(ash_scene *scene, const char *name, ash_diagnostic *diagnostic)
{
    return ash_method_find(name, &scene->method, diagnostic);
}
