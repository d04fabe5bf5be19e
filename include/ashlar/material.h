/* Materials: how surfaces rub, bounce and roll on each other.
 *
 * Every shape has a material. Where two shapes touch, their materials are combined into one surface law by their
 * combine rules, unless a law was given for exactly this pair. Changes act from the next step on. */
#ifndef ASHLAR_MATERIAL_H
#define ASHLAR_MATERIAL_H

#include "ashlar/base.h"
#include "ashlar/body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The law between two surfaces that touch. */
typedef struct ash_surface {
    double friction;         /* static coefficient, 0 to 1e12 */
    double sliding_friction; /* kinetic coefficient, at most the static one; negative in a definition: equal to the
                                static one */
    double restitution;      /* share of the approach speed that is returned, 0 to 1 */
    double rolling;          /* resistance to rolling: moment over normal force, m */
    double spinning;         /* resistance to spinning about the normal: moment over normal force, m */
} ash_surface;

/* How the coefficients of two materials become one. If their rules differ, the one later in this list applies. */
typedef enum ash_combine {
    ASH_COMBINE_AVERAGE,
    ASH_COMBINE_GEOMETRIC, /* the square root of the product */
    ASH_COMBINE_MINIMUM,
    ASH_COMBINE_MULTIPLY,
    ASH_COMBINE_MAXIMUM,
    ASH_COMBINES
} ash_combine;
/* The rule's name in scene files, such as "geometric"; empty for none. */
ASH_API const char *ash_combine_name(ash_combine rule);

typedef struct ash_material_def {
    const char *name;                /* copied; null or empty for none; need not be unique */
    ash_surface surface;             /* as it acts against the same material, except under the multiply rule */
    ash_combine friction_combine;    /* for both friction coefficients; for rolling and spinning the larger one
                                        counts */
    ash_combine restitution_combine; /* for restitution */
    double density;                  /* of shapes that give none: kg/m3, flat kinds kg/m2; 0 adds no mass */
} ash_material_def;

/* Friction 0.5, static and sliding; no restitution, no resistance to rolling and spinning; friction combines by the
 * geometric mean, restitution by the maximum; 1000 kg/m3. */
ASH_API ash_material_def ash_default_material_def(void);

/* Bad data (a coefficient out of its range, an unknown rule) gives a diagnostic and no material. */
ASH_API ash_status ash_material_create(ash_world *world, const ash_material_def *def, ash_material *material,
                                       ash_diagnostic *diagnostic);

/* Removes a material and the laws of its pairs. Misuse while a shape uses it, and for the default material. */
ASH_API ash_status ash_material_destroy(ash_world *world, ash_material material);

/* Whether the handle is that of a material of this world. Never misuse. */
ASH_API bool ash_material_is_valid(const ash_world *world, ash_material material);

/* The material of shapes whose definition names none. It can be changed, but not destroyed. */
ASH_API ash_material ash_world_get_default_material(const ash_world *world);

/* Copies the handles of at most `capacity` materials, the default one included, in the order of their slots; returns
 * how many there are. */
ASH_API uint32_t ash_world_get_materials(const ash_world *world, ash_material *materials, uint32_t capacity);

/* The first material of that name, or null. */
ASH_API ash_material ash_world_find_material(const ash_world *world, const char *name);

/* The definition of a material. The name belongs to the world and is valid until the material is set again or
 * destroyed. An invalid handle is misuse and returns ash_default_material_def. */
ASH_API ash_material_def ash_material_get(const ash_world *world, ash_material material);

/* Replaces the whole definition. Masses of bodies do not change: density counts only when a shape is made. */
ASH_API ash_status ash_material_set(ash_world *world, ash_material material, const ash_material_def *def,
                                    ash_diagnostic *diagnostic);

/* Sets the law between two materials, in any order; it replaces their combine rules until it is cleared. A material may
 * be paired with itself. */
ASH_API ash_status ash_material_set_pair(ash_world *world, ash_material a, ash_material b, const ash_surface *surface,
                                         ash_diagnostic *diagnostic);
/* Returns the pair to the combine rules; ASH_NOT_FOUND when it had no law of its own. */
ASH_API ash_status ash_material_clear_pair(ash_world *world, ash_material a, ash_material b);
/* The law in force between two materials: the pair's own or the combined one. An invalid handle is misuse and returns
 * the default material's law. */
ASH_API ash_surface ash_material_get_pair(const ash_world *world, ash_material a, ash_material b);

/* The material of a shape. */
ASH_API ash_material ash_shape_get_material(const ash_world *world, ash_shape shape);
/* Gives the shape a material; null is the world's default one. The body's mass does not change. */
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
