/* A joint as bytes. Arms, the number of held rows, the spline of a path and the list of bodies that do not touch are
 * derived again. */
#include "world/snapshot_joints.h"

#include "base/alloc.h"
#include "model/joint_class.h"
#include "model/path.h"
#include "world/archive_pool.h"
#include "world/archive_signal.h"
#include "world/joint_check.h"

/* Numbers may be infinite, but not NaN. */
static void archive_number(ashi_archive *a, double *number)
{
    ashi_archive_double(a, number);
    a->failed |= !(*number == *number);
}

static void archive_measure(ashi_archive *a, double *number)
{
    ashi_archive_double(a, number);
    ashi_archive_finite(a, isfinite(*number), "a force or coordinate of a joint");
}

static void archive_finite(ashi_archive *a, ash_vec3 *v)
{
    ashi_archive_vec3(a, v);
    a->failed |= !v3_is_finite(*v);
}

static void archive_frame(ashi_archive *a, ash_transform *frame)
{
    archive_finite(a, &frame->position);
    ashi_archive_quat(a, &frame->rotation);
    a->failed |= !q_is_finite(frame->rotation) || !(fabs(q_norm2(frame->rotation) - 1) < 1e-6);
}

static void archive_end(ashi_archive *a, const ashi_bodies *b, uint32_t *body)
{
    ashi_archive_below(a, body, ashi_body_slots(b));
    if (ashi_archive_good(a))
        a->failed |= !ashi_pool_in_use(&b->pool, *body);
}

static void archive_axis(ashi_archive *a, ash_joint_axis *axis)
{
    ash_joint_motor *motor = &axis->motor;
    uint32_t drive = (uint32_t)motor->drive;
    double *numbers[] = {&axis->lower,     &axis->upper,       &axis->friction,     &axis->stiffness,
                         &axis->damping,   &axis->rest,        &motor->target,      &motor->max_force,
                         &motor->integral, &motor->derivative, &motor->proportional};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        archive_number(a, numbers[i]);
    ashi_archive_below(a, &drive, ASH_DRIVES);
    motor->drive = (ash_drive)drive;
    ashi_archive_signal(a, &motor->signal);
}

static void archive_axes(ashi_archive *a, ashi_joint_entry *joint)
{
    bool any = joint->axes != NULL;
    ashi_archive_bool(a, &any);
    if (!any || !ashi_archive_good(a))
        return;
    if (!a->writing) {
        joint->axes = ashi_alloc_array(ASH_FREEDOMS, sizeof *joint->axes);
        if (joint->axes == NULL) {
            a->out_of_memory = true;
            return;
        }
        for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
            joint->axes[i] = (ash_joint_axis){0};
    }
    for (uint32_t i = 0; i < ASH_FREEDOMS && ashi_archive_good(a); i++)
        archive_axis(a, &joint->axes[i]);
}

static void read_path(ashi_archive *a, ashi_joint_entry *joint, uint32_t count, bool closed, bool planar)
{
    ash_vec3 *points = ashi_alloc_array(count, sizeof *points);
    uint32_t corner;
    a->out_of_memory |= points == NULL;
    for (uint32_t i = 0; i < count && points != NULL; i++)
        archive_finite(a, &points[i]);
    if (ashi_archive_good(a) && !ashi_path_check(points, count, closed, NULL))
        a->failed = true;
    if (ashi_archive_good(a)) {
        joint->path = ashi_path_create(points, count, closed, planar);
        a->out_of_memory |= joint->path == NULL;
        a->failed |= joint->path != NULL && ashi_path_turns_back(joint->path, &corner);
    }
    ashi_dealloc(points);
}

static void archive_path(ashi_archive *a, ashi_joint_entry *joint, bool planar)
{
    uint32_t count = 0;
    bool closed = false, any = joint->path != NULL;
    const ash_vec3 *points = any ? ashi_path_points(joint->path, &count, &closed) : NULL;
    ashi_archive_bool(a, &any);
    a->failed |= any != (ashi_joint_class_of(joint->kind)->has_path);
    if (!any || !ashi_archive_good(a))
        return;
    ashi_archive_count(a, &count, sizeof *points);
    ashi_archive_bool(a, &closed);
    if (!a->writing && ashi_archive_good(a))
        read_path(a, joint, count, closed, planar);
    for (uint32_t i = 0; i < count && a->writing; i++) {
        ash_vec3 point = points[i];
        archive_finite(a, &point);
    }
}

/* The definition of a joint. */
static void archive_definition(ashi_archive *a, const ashi_bodies *b, ashi_joint_entry *joint)
{
    uint32_t kind = (uint32_t)joint->kind, piston = (uint32_t)joint->piston;
    ashi_archive_below(a, &kind, ASH_JOINT_KINDS);
    joint->kind = (ash_joint_kind)kind;
    ashi_archive_below(a, &piston, ASH_PISTONS);
    joint->piston = (ash_piston)piston;
    archive_end(a, b, &joint->body_a);
    archive_end(a, b, &joint->body_b);
    archive_frame(a, &joint->frame_a);
    archive_frame(a, &joint->frame_b);
    bool *flags[] = {&joint->enabled, &joint->broken, &joint->collide};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        ashi_archive_bool(a, flags[i]);
    ashi_archive_below(a, &joint->removed, 1u << ASH_FREEDOMS);
    ashi_archive_below(a, &joint->kept, 1u << ASH_FREEDOMS);
    double *numbers[] = {
        &joint->angle,     &joint->cone,       &joint->length,      &joint->pitch,        &joint->radius_a,
        &joint->radius_b,  &joint->ratio,      &joint->min_length,  &joint->max_length,   &joint->speed,
        &joint->max_force, &joint->compliance, &joint->break_force, &joint->break_torque, &joint->angular_compliance};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        archive_number(a, numbers[i]);
    archive_finite(a, &joint->hang_a);
    archive_finite(a, &joint->hang_b);
    a->failed |= joint->body_a == joint->body_b || ashi_joint_class_of(joint->kind) == NULL;
}

/* Its state. */
static void archive_memory(ashi_archive *a, ashi_joint_entry *joint)
{
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) {
        archive_measure(a, &joint->turn[i]);
        archive_measure(a, &joint->integral[i]);
    }
    for (uint32_t i = 0; i < ASHI_JOINT_KEYS; i++)
        archive_measure(a, &joint->force[i]);
    archive_measure(a, &joint->held_length);
    archive_finite(a, &joint->reaction_force);
    archive_finite(a, &joint->reaction_torque);
    ashi_archive_bool(a, &joint->indeterminate);
}

static void archive_joint(ashi_archive *a, ashi_model *model, ashi_joint_entry *joint)
{
    archive_definition(a, &model->bodies, joint);
    archive_memory(a, joint);
    ashi_archive_text(a, &joint->name);
    archive_axes(a, joint);
    archive_path(a, joint, model->bodies.planar);
    if (a->writing || !ashi_archive_good(a))
        return;
    ashi_joint_row rows[ASHI_HOLD_ROWS];
    joint->arm_a = ashi_arm(&model->bodies, joint->body_a, joint->frame_a.position);
    joint->arm_b = ashi_arm(&model->bodies, joint->body_b, joint->frame_b.position);
    ash_diagnostic diagnostic = {0};
    ashi_archive_check(a, ashi_check_joint(model, joint, &diagnostic), &diagnostic);
    if (!ashi_archive_good(a))
        return;
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, &model->bodies.now);
    joint->hold_count = (uint8_t)ashi_joint_hold(joint, &frames, rows);
}

void ashi_archive_joints(ashi_archive *a, ashi_model *model)
{
    ashi_joints *joints = &model->joints;
    ashi_archive_pool(a, &joints->pool);
    uint32_t slots = joints->pool.slots.count;
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&joints->entries, slots)) {
            a->out_of_memory = true;
            return;
        }
        joints->entries.count = slots;
        for (uint32_t i = 0; i < slots; i++)
            joints->entries.data[i] = (ashi_joint_entry){0};
    }
    for (uint32_t i = 0; i < slots && ashi_archive_good(a); i++)
        if (ashi_pool_in_use(&joints->pool, i))
            archive_joint(a, model, &joints->entries.data[i]);
    if (!a->writing && ashi_archive_good(a))
        a->out_of_memory |= !ashi_joints_list_apart(joints);
}
