/* Making joints: a definition is checked field by field, turned into a joint of its kind, and added. */
#include "model/joint_class.h"
#include "world/joint_axis.h"
#include "world/joint_check.h"
#include "world/world.h"

ash_joint_def ash_default_joint_def(ash_joint_kind kind)
{
    ash_joint_def def = {
        .kind = kind,
        .frame_a = ash_identity(),
        .frame_b = ash_identity(),
        .angle = ASHI_PI / 2,
        .cone = INFINITY,
        .length = -1,
        .ratio = 1,
        .max_length = INFINITY,
        .max_force = INFINITY,
        .break_force = INFINITY,
        .break_torque = INFINITY,
    };
    for (int i = 0; i < ASH_FREEDOMS; i++)
        def.axes[i] = ashi_free_axis();
    return def;
}

ash_status ash_joint_def_place(const ash_world *world, ash_joint_def *def, ash_vec3 point, ash_vec3 axis)
{
    ash_diagnostic own = {0};
    const ashi_bodies *bodies = &world->model.bodies;
    uint32_t a = ashi_world_end(world, def->body_a, "body_a", &own);
    uint32_t b = a != ASHI_NO_SLOT ? ashi_world_end(world, def->body_b, "body_b", &own) : ASHI_NO_SLOT;
    if (b == ASHI_NO_SLOT)
        return ashi_world_note(world, &own);
    ash_vec3 x = v3_unit(axis);
    if (!v3_is_finite(point) || !(v3_norm2(x) > 0.5))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.place", "%s: point (%g, %g, %g), axis (%g, %g, %g)",
                                 __func__, point.x, point.y, point.z, axis.x, axis.y, axis.z);
    ash_vec3 y = bodies->planar && fabs(x.z) < 0.5 ? v3_cross(v3(0, 0, 1), x) : v3_perpendicular(x);
    ash_transform frame = {point, ashi_quat_from_mat3((ash_mat3){x, y, v3_cross(x, y)})};
    def->frame_a = t_mul(t_inverse(ashi_body_frame(bodies, &bodies->now, a)), frame);
    def->frame_b = t_mul(t_inverse(ashi_body_frame(bodies, &bodies->now, b)), frame);
    return ASH_OK;
}

/* In planar worlds frames turn about z only. A frame whose x is along z, as of a hinge in space, is rotated so that its
 * z is; one that is upside down is rotated about its x. */
static bool flatten_frame(ash_transform *frame, const char *field, ash_diagnostic *diagnostic)
{
    ash_mat3 axes = m3_from_quat(frame->rotation);
    ash_mat3 flat = axes;
    if (fabs(axes.x.z) > 1 - 1e-9)
        flat = axes.x.z > 0 ? (ash_mat3){v3_neg(axes.z), axes.y, axes.x} : (ash_mat3){axes.z, axes.y, v3_neg(axes.x)};
    else if (axes.z.z < -1 + 1e-9)
        flat = (ash_mat3){axes.x, v3_neg(axes.y), v3_neg(axes.z)};
    if (!(flat.z.z > 1 - 1e-9)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.frame", "%s is tilted out of the plane of a planar world", field);
        ashi_expect(diagnostic, "a rotation about z, or x along z");
        return false;
    }
    double half = ashi_atan2(flat.x.y, flat.x.x) / 2;
    frame->rotation = (ash_quat){ashi_cos(half), 0, 0, ashi_sin(half)};
    frame->position.z = 0;
    return true;
}

/* Sets bodies, frames and the fields common to all kinds. */
static bool begin(const ash_world *world, const ash_joint_def *def, ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    const ashi_bodies *bodies = &world->model.bodies;
    if ((unsigned)def->kind >= ASH_JOINT_KINDS || ashi_joint_class_of(def->kind) == NULL) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.kind", "there is no kind %d of joints", (int)def->kind);
        return false;
    }
    uint32_t a = ashi_world_end(world, def->body_a, "body_a", diagnostic);
    uint32_t b = a != ASHI_NO_SLOT ? ashi_world_end(world, def->body_b, "body_b", diagnostic) : ASHI_NO_SLOT;
    if (b == ASHI_NO_SLOT)
        return false;
    if (a == b) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.same-body", "the joint connects %s with itself",
                  a == 0 ? "the background" : "a body");
        ashi_expect(diagnostic, "two bodies; null is the background");
        return false;
    }
    *joint = (ashi_joint_entry){
        .kind = def->kind,
        .body_a = a,
        .body_b = b,
        .frame_a = def->frame_a,
        .frame_b = def->frame_b,
        .enabled = true,
        .collide = def->collide,
        .compliance = def->compliance,
        .angular_compliance = def->angular_compliance,
        .break_force = def->break_force,
        .break_torque = def->break_torque,
        .user_data = def->user_data,
    };
    if (!ashi_check_joint_frames(joint, diagnostic))
        return false;
    joint->frame_a.rotation = q_unit(joint->frame_a.rotation);
    joint->frame_b.rotation = q_unit(joint->frame_b.rotation);
    if (bodies->planar && (!flatten_frame(&joint->frame_a, "frame_a", diagnostic) ||
                           !flatten_frame(&joint->frame_b, "frame_b", diagnostic)))
        return false;
    joint->arm_a = ashi_arm(bodies, a, joint->frame_a.position);
    joint->arm_b = ashi_arm(bodies, b, joint->frame_b.position);
    return ashi_check_joint_strengths(joint, diagnostic);
}

/* Sets the data that follows from the present state: the number of held rows, and the start of counted angles. */
static void settle(const ashi_model *model, ashi_joint_entry *joint)
{
    ashi_joint_row rows[ASHI_HOLD_ROWS];
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, &model->bodies.now);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if ((joint->kept & ASH_FREEDOM_BIT(i)) != 0)
            joint->turn[i] = ashi_joint_coordinate(joint, &frames, (ash_freedom)i).error;
    joint->hold_count = (uint8_t)ashi_joint_hold(joint, &frames, rows);
}

static uint32_t make(ash_world *world, const ash_joint_def *def, ash_diagnostic *diagnostic)
{
    ashi_joint_entry joint;
    ashi_model *model = &world->model;
    if (!ashi_world_has_room(&model->joints.pool, 1, "joints", diagnostic) || !begin(world, def, &joint, diagnostic))
        return ASHI_NO_SLOT;
    if (!ashi_joint_class_of(def->kind)->define(model, def, &joint, diagnostic))
        return ASHI_NO_SLOT;
    uint32_t slot = ASHI_NO_SLOT;
    bool good = true;
    for (int i = 0; i < ASH_FREEDOMS && good; i++)
        good = ashi_check_axis(&joint, (ash_freedom)i, &def->axes[i], diagnostic);
    if (good && ashi_copy_axes(def->axes, &joint.axes, diagnostic)) {
        settle(model, &joint);
        slot = ashi_joints_add(&model->joints, &joint, def->name);
        if (slot == ASHI_NO_SLOT)
            ashi_out_of_memory(diagnostic);
    }
    if (slot == ASHI_NO_SLOT) {
        ashi_release_axes(joint.axes);
        ashi_dealloc(joint.path);
    }
    return slot;
}

ash_status ash_joint_create(ash_world *world, const ash_joint_def *def, ash_joint *joint, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t slot = make(world, def, &own);
    if (slot == ASHI_NO_SLOT) {
        ashi_world_note(world, &own);
        if (diagnostic != NULL)
            *diagnostic = own;
        return own.status;
    }
    ashi_world_disturb_joint(world, &world->model.joints.entries.data[slot]);
    joint->id = ashi_pool_handle(&world->model.joints.pool, slot);
    return ASH_OK;
}
