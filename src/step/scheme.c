/* The table of schemes by the fields of a method. */
#include "step/scheme.h"

const ashi_scheme_class *ashi_scheme_of(const ash_method *method, const ashi_model *model)
{
    static const ashi_scheme_class *const by_joints[ASH_JOINT_SCHEMES] = {
        [ASH_JOINTS_VELOCITY] = &ashi_scheme_velocity,
        [ASH_JOINTS_IMPULSES] = &ashi_scheme_impulses,
        [ASH_JOINTS_ACCELERATIONS] = &ashi_scheme_accelerations,
    };
    if (method->scheme == ASH_SCHEME_PROPAGATION)
        return &ashi_scheme_propagation;
    if (method->scheme == ASH_SCHEME_PASSES)
        return method->contacts == ASH_CONTACTS_SOLVE ? &ashi_scheme_passes : &ashi_scheme_velocity;
    return model->joints.pool.used > 0 ? by_joints[method->joints] : &ashi_scheme_velocity;
}
