/* What the scenes of masonry and their experiments share. */
#ifndef ASHI_SCENE_BUILTIN_MASONRY_H
#define ASHI_SCENE_BUILTIN_MASONRY_H

#include "experiments/builtin/parts.h"

/* A dry round tower about the z axis on z = 0. */
typedef struct ashi_tower {
    uint32_t first, top; /* numbers of the first and the last brick laid, which is in the top ring */
    ash_vec3 top_at;     /* where that one lies */
    double outer_radius; /* of the circle around all bricks, m */
    double height;       /* m */
    double brick_mass;   /* kg */
} ashi_tower;

/* A scene with the step of Erleben's experiments, method engineering and ground of stone; on it the tower of the
 * parameters `layers` and `per-layer`. */
ash_status ashi_begin_tower(ash_scene *scene, const ashi_parameters *given, uint32_t *stone, ashi_tower *tower,
                            ash_diagnostic *diagnostic);

ash_status ashi_validate_box_stack(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_validate_wall(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_validate_tower(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
