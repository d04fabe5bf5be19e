/* Joints whose torque or force is an expression. */
#ifndef ASHI_SCENE_EFFORTS_H
#define ASHI_SCENE_EFFORTS_H

#include "scene/instance/instance.h"

/* Compiles the expressions of all joints into the instance. */
ash_status ashi_efforts_make(ashi_instance *instance, const ash_scene *scene, ash_diagnostic *diagnostic);
void ashi_efforts_release(ashi_instance *instance);
/* Applies them to the bodies for the next step. */
ash_status ashi_efforts_apply(ashi_instance *instance, const ash_scene *scene, double time, ash_diagnostic *diagnostic);

#endif
