/* What machines in space are made of: bodies of one shape each, and joints at points of the world. The parts of one
 * machine do not touch each other. */
#ifndef ASHI_SCENE_BUILTIN_SPACE_KIT_H
#define ASHI_SCENE_BUILTIN_SPACE_KIT_H

#include "experiments/builtin/parts.h"

/* The first failure stays in `status`; all calls after it do nothing and return ASHI_NONE. */
typedef struct ashi_space_kit {
    ash_scene *scene;
    ash_diagnostic *diagnostic;
    ash_status status;
    uint32_t material; /* of the bodies added next */
} ashi_space_kit;

/* A body of that mass whose shape is turned on it. */
uint32_t ashi_space_body(ashi_space_kit *kit, const char *name, ash_vec3 position, double mass,
                         const ash_geometry_def *shape, ash_quat turn);
uint32_t ashi_space_box(ashi_space_kit *kit, const char *name, ash_vec3 position, double mass, ash_vec3 half_extents);

/* A joint of that kind with both frames at the point and x along the axis, to be changed before it is added. */
ash_joint_def ashi_space_joint(const ashi_space_kit *kit, ash_joint_kind kind, const char *name, uint32_t body_a,
                               uint32_t body_b, ash_vec3 point, ash_vec3 axis);
uint32_t ashi_space_add_joint(ashi_space_kit *kit, const ash_joint_def *def);

#endif
