/* Lengths of rods and ropes, and commands to hydraulic cylinders. */
#include "model/joint_class.h"
#include "world/world.h"

#include <string.h>

/* The joint of a handle if it has a piston, or a length; else null after reporting the misuse. */
static ashi_joint_entry *that_has(const ash_world *world, ash_joint joint, bool piston, const char *expected,
                                  const char *call)
{
    uint32_t slot = ashi_world_joint(world, joint, call);
    if (slot == ASHI_NO_SLOT)
        return NULL;
    ashi_joint_entry *found = &world->model.joints.entries.data[slot];
    const ashi_joint_class *class = ashi_joint_class_of(found->kind);
    if (piston ? class->has_piston : class->has_length)
        return found;
    ashi_world_misuse(world, ASH_BAD_HANDLE, "joint.kind", "%s: the joint is a %s, not a %s", call,
                      ash_joint_kind_name(found->kind), expected);
    return NULL;
}

static ashi_joint_entry *with_length(const ash_world *world, ash_joint joint, const char *call)
{
    return that_has(world, joint, false, "distance, rope or pulley", call);
}

double ash_joint_get_length(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = with_length(world, joint, __func__);
    return found != NULL ? found->length : 0;
}

ash_status ash_joint_set_length(ash_world *world, ash_joint joint, double length)
{
    ashi_joint_entry *found = with_length(world, joint, __func__);
    if (found == NULL)
        return ASH_BAD_HANDLE;
    if (!(isfinite(length) && length > 0))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.length", "%s: a length of %g m", __func__, length);
    ashi_world_disturb_joint(world, found);
    found->length = length;
    return ASH_OK;
}

ash_status ash_joint_set_piston(ash_world *world, ash_joint joint, ash_piston piston)
{
    ashi_joint_entry *found = that_has(world, joint, true, "hydraulic", __func__);
    if (found == NULL)
        return ASH_BAD_HANDLE;
    if ((unsigned)piston >= ASH_PISTONS)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.piston", "%s: there is no piston state %d", __func__,
                                 (int)piston);
    if (found->piston == piston)
        return ASH_OK;
    ashi_world_disturb_joint(world, found);
    found->piston = piston;
    found->hold_count = piston == ASH_PISTON_HOLD ? 1 : 0;
    memset(found->force, 0, sizeof found->force); /* of rows that have changed */
    world->model.joints.revision++;
    return ASH_OK;
}

ash_piston ash_joint_get_piston(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = that_has(world, joint, true, "hydraulic", __func__);
    return found != NULL ? found->piston : ASH_PISTON_HOLD;
}
