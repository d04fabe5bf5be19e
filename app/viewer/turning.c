/* A joint is moved by hand: to a coordinate, with all that hangs on its moving body, as one would turn the arm of a
 * robot that is switched off. Loops are closed again afterwards. */
#include "app/viewer/commands.h"

#define OPEN_MOST 1e-6 /* m and rad: what joints may stay open by */

/* Where each moving body of a world was found, in the order in which it was. */
typedef struct moved {
    ash_body *found;
    uint32_t count;
} moved;

static bool is_known(const moved *train, ash_body body)
{
    for (uint32_t i = 0; i < train->count; i++)
        if (train->found[i].id == body.id)
            return true;
    return false;
}

/* Gives all that hangs on the first body of `train`, other than by the joint between the `pair`, the same motion. */
static void take_along(ash_world *world, moved *train, const ash_body pair[2], ash_transform motion,
                       const ash_joint *joints, uint32_t joint_count)
{
    for (uint32_t next = 0; next < train->count; next++)
        for (uint32_t i = 0; i < joint_count; i++) {
            ash_body a = ash_joint_get_body_a(world, joints[i]), b = ash_joint_get_body_b(world, joints[i]);
            ash_body here = train->found[next], other = a.id == here.id ? b : a;
            if ((a.id != here.id && b.id != here.id) || other.id == pair[0].id || other.id == pair[1].id ||
                ash_body_get_type(world, other) != ASH_BODY_DYNAMIC || is_known(train, other))
                continue;
            ash_body_set_transform(world, other, ash_transform_multiply(motion, ash_body_get_transform(world, other)));
            train->found[train->count++] = other;
        }
}

static ash_status turn(ash_world *world, ash_joint joint, ash_freedom freedom, double value, ash_diagnostic *diagnostic)
{
    ash_body pair[2] = {ash_joint_get_body_a(world, joint), ash_joint_get_body_b(world, joint)};
    ash_body moving = pair[ash_body_get_type(world, pair[1]) == ASH_BODY_DYNAMIC];
    uint32_t count = ash_world_get_joints(world, NULL, 0);
    moved train = {.found = ashi_alloc_array((size_t)ash_world_get_bodies(world, NULL, 0) + 1, sizeof(ash_body))};
    ash_joint *joints = ashi_alloc_array(count, sizeof *joints);
    ash_status status = ASH_OUT_OF_MEMORY;
    if (train.found != NULL && joints != NULL) {
        ash_transform before = ash_body_get_transform(world, moving);
        ash_world_get_joints(world, joints, count);
        status = ash_joint_set_position(world, joint, freedom, value);
        ash_transform motion =
            ash_transform_multiply(ash_body_get_transform(world, moving), ash_transform_inverse(before));
        train.found[train.count++] = moving;
        if (status == ASH_OK)
            take_along(world, &train, pair, motion, joints, count);
    } else
        ashi_out_of_memory(diagnostic);
    ash_free(train.found);
    ash_free(joints);
    return status;
}

ash_status view_turn_joint(ash_world *world, ash_joint joint, ash_freedom freedom, double value,
                           ash_diagnostic *diagnostic)
{
    void *bytes = NULL;
    size_t size = 0;
    ash_assembly_report report = {0};
    ash_status status = ash_world_save(world, &bytes, &size, diagnostic);
    if (status != ASH_OK)
        return status;
    status = turn(world, joint, freedom, value, diagnostic);
    if (status == ASH_OK)
        status = ash_world_assemble(world, OPEN_MOST, &report, diagnostic);
    if (status == ASH_OK && report.open_joints > 0)
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "view.joint", "the joints do not close there");
    if (status != ASH_OK)
        ash_world_restore(world, bytes, size, NULL);
    ash_free(bytes);
    return status;
}
