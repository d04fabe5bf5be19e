/* Torques and forces of joints by expressions of time and of the joint's own state: a controller that reads the state
 * once at the start of each step and holds its output until the end. */
#include "scene/instance/efforts.h"

#include "base/diagnostic.h"
#include "math/vec3.h"
#include "scene/expression/expression.h"

#include <math.h>

enum { VARIABLES = ASHI_EFFORT_VARIABLES };

typedef struct ashi_effort {
    ashi_expression *expression;
    uint32_t joint; /* in the scene */
    ash_freedom freedom;
    double limit;
} ashi_effort;

ash_status ashi_efforts_make(ashi_instance *instance, const ash_scene *scene, ash_diagnostic *diagnostic)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->joints.count; i++)
        for (int k = 0; k < ASH_FREEDOMS; k++)
            count += scene->joints.data[i].effort[k] != NULL;
    instance->efforts = ashi_alloc_zeroed(count * sizeof *instance->efforts);
    if (instance->efforts == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < scene->joints.count; i++)
        for (int k = 0; k < ASH_FREEDOMS; k++) {
            const ashi_scene_joint *joint = &scene->joints.data[i];
            if (joint->effort[k] == NULL)
                continue;
            ashi_effort *effort = &instance->efforts[instance->effort_count];
            *effort = (ashi_effort){.joint = i, .freedom = (ash_freedom)k, .limit = joint->effort_limit[k]};
            ash_status status = ashi_expression_compile(joint->effort[k], ashi_effort_variables, VARIABLES,
                                                        &effort->expression, diagnostic);
            if (status != ASH_OK)
                return status;
            instance->effort_count++;
        }
    return ASH_OK;
}

void ashi_efforts_release(ashi_instance *instance)
{
    for (uint32_t i = 0; i < instance->effort_count; i++)
        ashi_expression_destroy(instance->efforts[i].expression);
    ashi_dealloc(instance->efforts);
    instance->efforts = NULL;
    instance->effort_count = 0;
}

/* On body b and, opposite, on body a. A force acts at one point of both, so that together they turn nothing. */
static void push(ash_world *world, ash_joint joint, ash_freedom freedom, double value)
{
    ash_transform a = ash_joint_get_frame_a(world, joint), b = ash_joint_get_frame_b(world, joint);
    ash_vec3 unit = freedom == ASH_TURN_Z ? v3(0, 0, 1) : v3(1, 0, 0);
    ash_vec3 along = v3_scale(ash_quat_rotate(a.rotation, unit), value);
    ash_body bodies[2] = {ash_joint_get_body_a(world, joint), ash_joint_get_body_b(world, joint)};
    for (int i = 0; i < 2; i++) {
        ash_vec3 own = i == 0 ? v3_neg(along) : along;
        if (ash_body_get_type(world, bodies[i]) != ASH_BODY_DYNAMIC)
            continue;
        if (freedom == ASH_MOVE_X)
            ash_body_apply_force(world, bodies[i], own, b.position);
        else
            ash_body_apply_torque(world, bodies[i], own);
    }
}

ash_status ashi_efforts_apply(ashi_instance *instance, const ash_scene *scene, double time, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < instance->effort_count; i++) {
        const ashi_effort *effort = &instance->efforts[i];
        ash_joint joint = instance->joints[effort->joint];
        if (!ash_joint_is_valid(instance->world, joint) || !ash_joint_get_enabled(instance->world, joint))
            continue;
        const double values[VARIABLES] = {time, ash_joint_get_position(instance->world, joint, effort->freedom),
                                          ash_joint_get_rate(instance->world, joint, effort->freedom)};
        double value = ashi_expression_evaluate(effort->expression, values);
        if (isnan(value) || (isinf(value) && isinf(effort->limit))) {
            ashi_fail(diagnostic, ASH_NUMERICS, "scene.effort", "\"%.100s\" is %g at t = %g, q = %g, qd = %g",
                      scene->joints.data[effort->joint].effort[effort->freedom], value, time, values[1], values[2]);
            return ASH_NUMERICS;
        }
        value = fmin(fmax(value, -effort->limit), effort->limit);
        if (value != 0)
            push(instance->world, joint, effort->freedom, value);
    }
    return ASH_OK;
}
