/* Built-in scenes: one file each in experiments/builtin/, one entry each in the registry. */
#ifndef ASHI_SCENE_BUILTIN_H
#define ASHI_SCENE_BUILTIN_H

#include "scene/description/description.h"

/* The values of a scene's parameters, in the order of its table. */
typedef struct ashi_parameters {
    const ash_scene_parameter *table;
    uint32_t count;
    double numbers[16];
    uint32_t choices[16]; /* number of the chosen word */
} ashi_parameters;

/* The value of a numeric parameter; the name must be in the table. */
double ashi_parameter(const ashi_parameters *parameters, const char *name);
/* The number of the chosen word. */
uint32_t ashi_parameter_choice(const ashi_parameters *parameters, const char *name);
/* The value of a parameter that counts something; a fraction is a diagnostic. */
ash_status ashi_parameter_whole(const ashi_parameters *parameters, const char *name, uint32_t *value,
                                ash_diagnostic *diagnostic);

/* Collects validation rows; the experiment stops early once `stopped`. */
typedef struct ashi_validation {
    bool (*row)(const ash_validation_row *row, void *user);
    void *user;
    const char *scene;
    const char *reason; /* of the next row, should it fail; null: none is known */
    bool stopped;
} ashi_validation;

/* Why the next row fails, if it does: a claim that is known not to be met says so where users see it. */
void ashi_validation_explain(ashi_validation *validation, const char *reason);

/* |ours - expected| <= limit decides. */
void ashi_validation_near(ashi_validation *validation, const char *quantity, const char *source, double expected,
                          double ours, double limit);
/* ours <= limit decides. */
void ashi_validation_below(ashi_validation *validation, const char *quantity, const char *source, double ours,
                           double limit);
/* ours >= limit decides. */
void ashi_validation_above(ashi_validation *validation, const char *quantity, const char *source, double ours,
                           double limit);
/* No limit: reported only. */
void ashi_validation_report(ashi_validation *validation, const char *quantity, const char *source, double expected,
                            double ours);
/* A point of a figure, which `ashlar validate --figures` draws and no table lists. The figure is named as sources are:
 * "de Jong 2014, figure 6-8". */
void ashi_validation_point(ashi_validation *validation, const char *figure, const char *curve, double at,
                           double expected, double ours);

typedef struct ashi_builtin {
    ash_builtin_info info;
    /* Fills the scene. */
    ash_status (*build)(ash_scene *scene, const ashi_parameters *parameters, ash_diagnostic *diagnostic);
    /* Runs the scene's experiments and hands in the rows. Null: none. */
    ash_status (*validate)(ashi_validation *validation, ash_diagnostic *diagnostic);
} ashi_builtin;

/* The built-in scene of that name, or null. */
const ashi_builtin *ashi_builtin_find(const char *name);

/* The defaults of the scene's parameters, then those settings that name one of them: taken[i] says which did. Where
 * `taken` is null, a setting that names none is a diagnostic with a suggestion. */
ash_status ashi_parameters_read(const ash_builtin_info *info, const ash_setting *settings, uint32_t setting_count,
                                bool *taken, ashi_parameters *parameters, ash_diagnostic *diagnostic);

/* Makes the scene with these parameters. */
ash_status ashi_builtin_build(const ashi_builtin *builtin, const ashi_parameters *parameters, ash_scene **scene,
                              ash_diagnostic *diagnostic);

extern const ashi_builtin ashi_scene_free_fall, ashi_scene_oscillator, ashi_scene_inertia, ashi_scene_tumbling_box,
    ashi_scene_string, ashi_scene_stiff_string, ashi_scene_net, ashi_scene_tennis_ball, ashi_scene_collide_pairs,
    ashi_scene_collide_flat, ashi_scene_stack_20, ashi_scene_box_stack, ashi_scene_wall, ashi_scene_tower,
    ashi_scene_stick_slip, ashi_scene_rolling_balls, ashi_scene_incline, ashi_scene_conveyor,
    ashi_scene_rolling_resistance, ashi_scene_pile, ashi_scene_friction_directions, ashi_scene_friction_ellipse,
    ashi_scene_bounce, ashi_scene_slide_bounce, ashi_scene_four_feet, ashi_scene_blocks, ashi_scene_seesaw,
    ashi_scene_chain_2d, ashi_scene_slider_2d, ashi_scene_driver_2d, ashi_scene_truck_2d, ashi_scene_ragdoll_2d,
    ashi_scene_tree, ashi_scene_star;

/* The joints by what they remove: one scene each of the combinations of 0 to 3 translations and rotations. */
#define ASHI_COMBINATIONS 15
extern const ashi_builtin ashi_scene_combinations[ASHI_COMBINATIONS];
extern const ashi_builtin ashi_scene_hydraulic, ashi_scene_car, ashi_scene_walker;
/* Faure's experiments. */
extern const ashi_builtin ashi_scene_chain, ashi_scene_ladder, ashi_scene_refine, ashi_scene_assembly,
    ashi_scene_frictionless_pile;
/* Public reference mechanisms. */
extern const ashi_builtin ashi_scene_iftomm_pendulum, ashi_scene_iftomm_four_bar, ashi_scene_andrews,
    ashi_scene_heavy_top, ashi_scene_heavy_chain, ashi_scene_pendulum_bob;
/* Erleben's corrections. */
extern const ashi_builtin ashi_scene_ball_grid;
/* Buildings that are broken, and crowds. */
extern const ashi_builtin ashi_scene_roof_tower, ashi_scene_falling_roof, ashi_scene_silo, ashi_scene_box_pile,
    ashi_scene_pyramid_2d, ashi_scene_pile_2d;
/* Laws and order of impacts. */
extern const ashi_builtin ashi_scene_rod_impact, ashi_scene_cradle;
/* Figures that fall: concave bodies, engraved letters. */
extern const ashi_builtin ashi_scene_cow_pile, ashi_scene_letters;

#endif
