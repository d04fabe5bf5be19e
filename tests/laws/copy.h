/* Copies of a description that differ only in how it is written down, or that hold a part of it. */
#ifndef LAWS_COPY_H
#define LAWS_COPY_H

#include "scene/description/description.h"

/* What to take, in which order: `count` numbers of the original's list. Null: all in their order. */
typedef struct law_selection {
    const uint32_t *numbers;
    uint32_t count;
} law_selection;

/* How the copy differs. x' = length * turn(mirror(x)) + shift. */
typedef struct law_change {
    law_selection bodies, joints, forces; /* joints and forces of bodies that are left out must be left out, too */
    bool reverse_shapes;                  /* of each body */
    bool exchange;                        /* a and b of joints and springs, where the kind is symmetric */
    bool mirror;                          /* x becomes -x */
    ash_quat turn;                        /* of the whole world; planar worlds: about z */
    ash_vec3 shift;
    double length, mass, time; /* units: one of the original's is this many of the copy's */
} law_change;

/* The change that changes nothing. */
law_change law_no_change(void);

/* The changed copy, or null where the change is not defined for what the scene holds (the mirror image of a height
 * field, turned locks). The caller destroys it. The method's lengths, speeds and so on are in the new units, too. */
ash_scene *law_copy(const ash_scene *scene, const law_change *change);

/* How the change acts on a point, a vector and a pseudo-vector (angular velocity) of the world. */
ash_vec3 law_change_point(const law_change *change, ash_vec3 point);
ash_vec3 law_change_velocity(const law_change *change, ash_vec3 velocity);
ash_vec3 law_change_spin(const law_change *change, ash_vec3 spin);

#endif
