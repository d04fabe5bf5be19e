/* Pieces of built-in scenes. Failures of memory are kept by the scene and reported by ashi_scene_finish. */
#include "experiments/builtin/parts.h"

#include "scene/description/names.h"

#include <stdio.h>

/* One by one: the order of a function's arguments would be the compiler's choice. */
ash_vec3 ashi_draw_vector(ashi_random *random)
{
    ash_vec3 vector;
    vector.z = ashi_random_range(random, -1, 1);
    vector.y = ashi_random_range(random, -1, 1);
    vector.x = ashi_random_range(random, -1, 1);
    return vector;
}

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
    return ashi_add_solid_of(scene, body, name, def, density, ASHI_NONE, diagnostic);
}

ash_status ashi_add_solid_of(ash_scene *scene, uint32_t body, const char *name, const ash_geometry_def *def,
                             double density, uint32_t material, ash_diagnostic *diagnostic)
{
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(def, &geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, name, geometry);
    shape.density = density;
    shape.material = material;
    shape.name = name;
    if (shape.geometry != ASHI_NONE && body != ASHI_NONE)
        ashi_scene_add_shape(scene, body, &shape);
    return ASH_OK;
}

uint32_t ashi_add_material(ash_scene *scene, const char *name, double friction, double restitution)
{
    ash_material_def def = ash_default_material_def();
    def.name = name;
    def.surface.friction = friction;
    def.surface.restitution = restitution;
    return ashi_scene_add_material(scene, &def);
}

ash_status ashi_make_stock(ash_scene *scene, const char *name, const ash_geometry_def *def, uint32_t material,
                           double density, ashi_stock *stock, ash_diagnostic *diagnostic)
{
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(def, &geometry, diagnostic);
    if (status == ASH_OK)
        *stock = (ashi_stock){ashi_scene_add_geometry(scene, name, geometry), material, density, 0};
    return status;
}

uint32_t ashi_add_from_stock(ash_scene *scene, const ash_body_def *def, const ashi_stock *stock)
{
    ashi_scene_shape shape = ashi_default_scene_shape();
    uint32_t body = ashi_scene_add_body(scene, def);
    shape.geometry = stock->geometry;
    shape.material = stock->material;
    shape.density = stock->density;
    shape.group = stock->group;
    if (shape.geometry != ASHI_NONE && body != ASHI_NONE)
        ashi_scene_add_shape(scene, body, &shape);
    return body;
}

ash_status ashi_add_ground(ash_scene *scene, uint32_t material, ash_diagnostic *diagnostic)
{
    static const ash_vec3 slab[] = {{-100, -1, 0}, {100, -1, 0}, {100, 0, 0}, {-100, 0, 0}};
    ash_geometry_def def = ash_default_geometry_def(scene->planar ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_PLANE);
    if (scene->planar) {
        def.points = slab;
        def.point_count = 4;
    }
    ashi_stock stock;
    ash_status status = ashi_make_stock(scene, "ground", &def, material, 0, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def body = ash_default_body_def();
    body.type = ASH_BODY_STATIC;
    body.name = "ground";
    ashi_add_from_stock(scene, &body, &stock);
    return ASH_OK;
}

ash_status ashi_add_ball(ash_scene *scene, const char *name, ash_vec3 centre, double radius, double mass,
                         uint32_t material, uint32_t *body, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.position = centre;
    def.mass = mass;
    *body = ashi_scene_add_body(scene, &def);
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    sphere.radius = radius;
    return ashi_add_solid_of(scene, *body, name, &sphere, 0, material, diagnostic);
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

uint32_t ashi_watch_joint(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t joint,
                          ash_freedom freedom)
{
    ashi_scene_output output = {.name = name, .quantity = quantity, .object = joint, .component = ASHI_SCALAR};
    output.freedom = ashi_quantity_has_freedom(quantity) ? freedom : ASH_MOVE_X;
    return ashi_scene_add_output(scene, &output);
}

uint32_t ashi_watch_joint_load(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t joint,
                               ash_frame frame, ashi_component component)
{
    ashi_scene_output output = {
        .name = name, .quantity = quantity, .object = joint, .component = component, .frame = frame};
    return ashi_scene_add_output(scene, &output);
}

uint32_t ashi_watch_world(ash_scene *scene, const char *name, ashi_quantity quantity)
{
    return ashi_watch_body(scene, name, quantity, 0, ASHI_SCALAR);
}

void ashi_expect_output(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction, double expected,
                        double tolerance)
{
    ashi_expect_output_between(scene, name, output, reduction, expected, tolerance, 0, 0);
}

void ashi_expect_output_between(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction,
                                double expected, double tolerance, double from, double until)
{
    ashi_scene_check check = {.name = name,
                              .output = output,
                              .reduction = reduction,
                              .expected = expected,
                              .tolerance = tolerance,
                              .from = from,
                              .until = until};
    ashi_scene_add_check(scene, &check);
}

ash_status ashi_use_method(ash_scene *scene, const char *name, ash_diagnostic *diagnostic)
{
    return ash_method_find(name, &scene->method, diagnostic);
}

ash_status ashi_validate_checks_by(ashi_validation *validation, const ashi_checked_method *by, const char *source,
                                   ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_run *run = NULL;
    ash_run_options options = ash_default_run_options();
    char name[96];
    options.check = true;
    ash_status status = ash_scene_open(validation->scene, NULL, 0, &scene, diagnostic);
    if (status == ASH_OK && by != NULL)
        status = ashi_use_method(scene, by->method, diagnostic);
    if (status == ASH_OK && by != NULL)
        status = ashi_change_method(scene, by->fields, by->field_count, diagnostic);
    if (status == ASH_OK)
        status = ash_scene_run(scene, &options, &run, diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < ash_run_get_check_count(run); i++) {
        ash_check_result check = ash_run_get_check(run, i);
        snprintf(name, sizeof name, "%s%s", by != NULL ? by->label : "", check.name);
        ashi_validation_below(validation, name, source, check.value, check.limit);
    }
    if (status == ASH_OK && by != NULL) {
        snprintf(name, sizeof name, "%salarms", by->label);
        ashi_validation_below(validation, name, source, ash_run_get_alarm_count(run), 0);
    }
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return status;
}

ash_status ashi_validate_checks(ashi_validation *validation, const char *source, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks_by(validation, NULL, source, diagnostic);
}

ash_status ashi_change_method(ash_scene *scene, const ash_setting *fields, uint32_t count, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < count && status == ASH_OK; ++i)
        status = ash_method_set(&scene->method, fields[i].key, fields[i].value, diagnostic);
    return status;
}
