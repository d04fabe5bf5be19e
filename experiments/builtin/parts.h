/* Pieces that several built-in scenes are made of, so that each scene reads as what it contains. */
#ifndef ASHI_SCENE_BUILTIN_PARTS_H
#define ASHI_SCENE_BUILTIN_PARTS_H

#include "base/random.h"
#include "experiments/builtin.h"

/* The number pi, as scenes are built from it. */
#define ASHI_PI 3.14159265358979323846

/* A vector with components between -1 and 1. */
ash_vec3 ashi_draw_vector(ashi_random *random);

/* A mass that only translates. */
uint32_t ashi_add_point_mass(ash_scene *scene, const char *name, ash_vec3 position, double mass);

/* Adds one shape with a geometry of its own to the last body. Density 0: it adds no mass. */
ash_status ashi_add_solid(ash_scene *scene, uint32_t body, const char *name, const ash_geometry_def *def,
                          double density, ash_diagnostic *diagnostic);

/* The same of a material of the scene. */
ash_status ashi_add_solid_of(ash_scene *scene, uint32_t body, const char *name, const ash_geometry_def *def,
                             double density, uint32_t material, ash_diagnostic *diagnostic);

/* A material with friction that is the same at rest and in sliding, and restitution. */
uint32_t ashi_add_material(ash_scene *scene, const char *name, double friction, double restitution);

/* The group of shapes that pass through each other, whatever the method: what a paper shows without contacts. Rays, and
 * bodies that a user adds, still meet them. */
#define ASHI_GROUP_APART (-1)

/* What many bodies are made of alike: one shape, its material and density (ASH_MATERIAL_DENSITY: the material's), and
 * its group. */
typedef struct ashi_stock {
    uint32_t geometry, material;
    double density;
    int32_t group; /* 0 from ashi_make_stock */
} ashi_stock;
ash_status ashi_make_stock(ash_scene *scene, const char *name, const ash_geometry_def *def, uint32_t material,
                           double density, ashi_stock *stock, ash_diagnostic *diagnostic);
uint32_t ashi_add_from_stock(ash_scene *scene, const ash_body_def *def, const ashi_stock *stock);

/* The ground up to z = 0, or in a planar world a slab whose upper side is y = 0, in the given material. */
ash_status ashi_add_ground(ash_scene *scene, uint32_t material, ash_diagnostic *diagnostic);

/* A body with one sphere of that material. */
ash_status ashi_add_ball(ash_scene *scene, const char *name, ash_vec3 centre, double radius, double mass,
                         uint32_t material, uint32_t *body, ash_diagnostic *diagnostic);

/* Outputs of a body's point (its origin) and of the world's ledger. */
uint32_t ashi_watch_body(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t body,
                         ashi_component component);
uint32_t ashi_watch_force(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t force);
/* Of a joint along a freedom (unused for errors), and what it carries along one of its own axes on body a. */
uint32_t ashi_watch_joint(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t joint,
                          ash_freedom freedom);
uint32_t ashi_watch_joint_load(ash_scene *scene, const char *name, ashi_quantity quantity, uint32_t joint,
                               ash_frame frame, ashi_component component);
uint32_t ashi_watch_world(ash_scene *scene, const char *name, ashi_quantity quantity);

/* An expectation on an output: the reduction within `tolerance` of `expected`. */
void ashi_expect_output(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction, double expected,
                        double tolerance);

/* The same over the samples from `from` until `until`, s. */
void ashi_expect_output_between(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction,
                                double expected, double tolerance, double from, double until);

/* The scene's own expectations after a run by its own method, as rows. */
ash_status ashi_validate_checks(ashi_validation *validation, const char *source, ash_diagnostic *diagnostic);

/* The same by another method, whose label begins the rows; an alarm fails, too. */
typedef struct ashi_checked_method {
    const char *label, *method;
    const ash_setting *fields;
    uint32_t field_count;
} ashi_checked_method;
ash_status ashi_validate_checks_by(ashi_validation *validation, const ashi_checked_method *by, const char *source,
                                   ash_diagnostic *diagnostic);

/* Chooses the method by name. */
ash_status ashi_use_method(ash_scene *scene, const char *name, ash_diagnostic *diagnostic);

/* Changes fields of the method as a user would: written out, the scene keeps them. */
ash_status ashi_change_method(ash_scene *scene, const ash_setting *fields, uint32_t count, ash_diagnostic *diagnostic);

#endif
