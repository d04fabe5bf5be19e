/* What the flat scenes with joints are made of: bodies of one shape each, and joints at points of the world. */
#ifndef ASHI_SCENE_BUILTIN_FLAT_KIT_H
#define ASHI_SCENE_BUILTIN_FLAT_KIT_H

#include "experiments/builtin/parts.h"

/* The first failure stays in `status`; all calls after it do nothing and return ASHI_NONE. */
typedef struct ashi_flat_kit {
    ash_scene *scene;
    ash_diagnostic *diagnostic;
    ash_status status;
    /* of the bodies added next */
    ash_body_type type;
    uint32_t material;
    double density; /* kg/m2 */
    double angle;   /* rad */
    int32_t group;  /* of ash_shape_def */
} ashi_flat_kit;

/* Makes the scene planar, with gravity, by this method and step. */
ashi_flat_kit ashi_flat_begin(ash_scene *scene, const char *method, double step, double time,
                              ash_diagnostic *diagnostic);

uint32_t ashi_flat_box(ashi_flat_kit *kit, const char *name, double x, double y, double width, double height);
uint32_t ashi_flat_disc(ashi_flat_kit *kit, const char *name, double x, double y, double radius);
/* Convex; points about the body's origin, counter-clockwise. */
uint32_t ashi_flat_polygon(ashi_flat_kit *kit, const char *name, double x, double y, const ash_vec3 *points,
                           uint32_t count);

/* A further box on the body that was added last, in its frame. */
void ashi_flat_more_box(ashi_flat_kit *kit, uint32_t body, double x, double y, double width, double height);

/* A joint of that kind with both frames at the point and x along the axis; ASHI_NONE is the background. To be changed
 * before it is added. */
ash_joint_def ashi_flat_joint(const ashi_flat_kit *kit, ash_joint_kind kind, const char *name, uint32_t body_a,
                              uint32_t body_b, ash_vec3 point, ash_vec3 axis);
uint32_t ashi_flat_add_joint(ashi_flat_kit *kit, const ash_joint_def *def);
/* The usual hinge. */
uint32_t ashi_flat_hinge(ashi_flat_kit *kit, const char *name, uint32_t body_a, uint32_t body_b, double x, double y);

#endif
