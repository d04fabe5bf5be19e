/* Materials: how surfaces rub, bounce and roll on each other.
 *
 * Every shape has a material. Where two shapes touch, their materials are combined into one surface law by their
 * combine rules, or a law given for that very pair takes its place. Changes act from the next step on. */
#ifndef ASHLAR_MATERIAL_H
#define ASHLAR_MATERIAL_H

#include "ashlar/base.h"
#include "ashlar/body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What acts between two surfaces that touch. */
typedef struct ash_surface {
    double friction;         /* static coefficient, 0 to 1e12 */
    double sliding_friction; /* kinetic coefficient, at most the static one; negative in definitions: the same */
    double restitution;      /* approach speed that is given back, 0 to 1 */
    double rolling;          /* resistance to rolling: moment over normal force, m */
    double spinning;         /* resistance to spinning about the normal: moment over normal force, m */
} ash_surface;

/* How the coefficients of two materials become one. Of two rules the one later in this list is taken. */
typedef enum ash_combine {
    ASH_COMBINE_AVERAGE,
    ASH_COMBINE_GEOMETRIC, /* the root of the product */
    ASH_COMBINE_MINIMUM,
    ASH_COMBINE_MULTIPLY,
    ASH_COMBINE_MAXIMUM,
    ASH_COMBINES
} ash_combine;
/* The rule's name in scene files, such as "geometric"; empty for none. */
ASH_API const char *ash_combine_name(ash_combine rule);

typedef struct ash_material_def {
    const char *name;                /* copied; null or empty for none; need not be unique */
    ash_surface surface;             /* against a surface of the same material, unless the rule multiplies */
    ash_combine friction_combine;    /* of both coefficients of friction; of rolling and spinning the larger counts */
    ash_combine restitution_combine; /* of restitution */
    double density;                  /* kg/m3, flat kinds kg/m2, of shapes that give none; 0 adds no mass */
} ash_material_def;

/* Friction 0.5, the same in sliding, no restitution, no resistance to rolling and spinning; geometric, maximum;
 * 1000 kg/m3. */
ASH_API ash_material_def ash_default_material_def(void);

/* Bad data (a coefficient out of its range, a rule that is none) gives a diagnostic and no material. */
ASH_API ash_status ash_material_create(ash_world *world, const ash_material_def *def, ash_material *material,
                                       ash_diagnostic *diagnostic);

/* Removes a material and the laws of its pairs. Misuse while a shape is made of it, and for the default material. */
ASH_API ash_status ash_material_destroy(ash_world *world, ash_material material);

/* Whether the handle is that of a material of this world. Never misuse. */
ASH_API bool ash_material_is_valid(const ash_world *world, ash_material material);

/* The material of shapes that were given none. It can be changed, but not destroyed. */
ASH_API ash_material ash_world_get_default_material(const ash_world *world);

/* The number of materials with the default one, and their handles in the order of their slots: copies at most
 * `capacity` and returns how many there are. */
ASH_API uint32_t ash_world_get_materials(const ash_world *world, ash_material *materials, uint32_t capacity);

/* The first material of that name, or null. */
ASH_API ash_material ash_world_find_material(const ash_world *world, const char *name);

/* What a material is made of. The name is the world's: it lives until the material is set again or destroyed. Of a
 * material that is not valid: reports misuse and answers with ash_default_material_def. */
ASH_API ash_material_def ash_material_get(const ash_world *world, ash_material material);

/* Changes all of a material. Masses of bodies stay what they are: density counts when a shape is made. */
ASH_API ash_status ash_material_set(ash_world *world, ash_material material, const ash_material_def *def,
                                    ash_diagnostic *diagnostic);

/* The law between two materials, in any order, whatever their rules say, until it is cleared. A material may be paired
 * with itself. */
ASH_API ash_status ash_material_set_pair(ash_world *world, ash_material a, ash_material b, const ash_surface *surface,
                                         ash_diagnostic *diagnostic);
/* Back to the combine rules; ASH_NOT_FOUND when the pair had no law of its own. */
ASH_API ash_status ash_material_clear_pair(ash_world *world, ash_material a, ash_material b);
/* The law in force between two materials: the pair's own or the combined one. Of a material that is not valid: reports
 * misuse and answers for the default one. */
ASH_API ash_surface ash_material_get_pair(const ash_world *world, ash_material a, ash_material b);

/* The material of a shape; null sets the default one. */
ASH_API ash_material ash_shape_get_material(const ash_world *world, ash_shape shape);
/* Makes the shape of that material; null is the world's default one. The body's mass stays. */
ASH_API ash_status ash_shape_set_material(ash_world *world, ash_shape shape, ash_material material);

/* How the surface of a shape moves over its body, as a conveyor belt does: m/s in the body's frame. Only the part along
 * the surface acts. */
ASH_API ash_vec3 ash_shape_get_surface_velocity(const ash_world *world, ash_shape shape);
/* Sets it, m/s in the body's frame; bodies that touch the shape wake. */
ASH_API ash_status ash_shape_set_surface_velocity(ash_world *world, ash_shape shape, ash_vec3 velocity);

#ifdef __cplusplus
}
#endif

#endif
