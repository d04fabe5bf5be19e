/* Joints written as JSON: the fields of their definitions that their kind has, where they differ from the default. */
#include "scene/file/joint_fields.h"
#include "scene/file/write.h"

#include <string.h>

static void write_numbers(ashi_writer *writer, ashi_number_fields fields, ash_joint_kind kind, const void *object,
                          const void *usual)
{
    for (uint32_t i = 0; i < fields.count; i++) {
        const ashi_number_field *field = &fields.list[i];
        double number, left_out;
        memcpy(&number, (const char *)object + field->offset, sizeof number);
        memcpy(&left_out, (const char *)usual + field->offset, sizeof left_out);
        if ((field->kinds >> kind & 1) != 0)
            ashi_write_number_unless(writer, field->key, number, left_out);
    }
}

static void write_frame(ashi_writer *writer, const char *key, ash_transform frame)
{
    const ash_transform identity = {.rotation = {1, 0, 0, 0}};
    if (memcmp(&frame, &identity, sizeof frame) == 0)
        return;
    ashi_json_open(&writer->json, key, '{', false);
    ashi_write_pose(writer, frame.position, frame.rotation);
    ashi_json_close(&writer->json);
}

static bool is_same_motor(const ash_joint_motor *a, const ash_joint_motor *b)
{
    return a->drive == b->drive && a->target == b->target && a->signal.kind == b->signal.kind &&
           a->max_force == b->max_force && a->proportional == b->proportional && a->integral == b->integral &&
           a->derivative == b->derivative && a->signal.kind == ASH_SIGNAL_CONSTANT;
}

static bool is_same_axis(const ash_joint_axis *a, const ash_joint_axis *b)
{
    return a->lower == b->lower && a->upper == b->upper && a->friction == b->friction && a->stiffness == b->stiffness &&
           a->damping == b->damping && a->rest == b->rest && is_same_motor(&a->motor, &b->motor);
}

static void write_axis(ashi_writer *writer, const ashi_scene_joint *joint, ash_freedom freedom,
                       const ash_joint_axis *usual)
{
    const ash_joint_axis *axis = &joint->def.axes[freedom];
    const char *key = ashi_freedom_words().list[freedom];
    ash_joint_kind kind = joint->def.kind;
    bool turn = freedom >= ASH_TURN_X;
    ashi_json_text *json = &writer->json;
    ashi_json_open(json, key, '{', false);
    write_numbers(writer, ashi_axis_number_fields(), kind, axis, usual);
    if (!is_same_motor(&axis->motor, &usual->motor)) {
        ashi_json_open(json, "motor", '{', false);
        ashi_json_string(json, "drive", ashi_drive_words().list[axis->motor.drive]);
        write_numbers(writer, ashi_motor_number_fields(), kind, &axis->motor, &usual->motor);
        ashi_write_signal(json, &axis->motor.signal);
        ashi_json_close(json);
    }
    if (joint->effort[freedom] != NULL) {
        ashi_json_string(json, turn ? "torque" : "force", joint->effort[freedom]);
        ashi_write_number_unless(writer, turn ? "max_torque" : "max_force", joint->effort_limit[freedom], INFINITY);
    }
    ashi_json_close(json);
}

static void write_axes(ashi_writer *writer, const ashi_scene_joint *joint, const ash_joint_def *usual)
{
    bool any = false;
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) {
        if (is_same_axis(&joint->def.axes[i], &usual->axes[i]) && joint->effort[i] == NULL)
            continue;
        if (!any)
            ashi_json_open(&writer->json, "axes", '{', false);
        any = true;
        write_axis(writer, joint, (ash_freedom)i, &usual->axes[i]);
    }
    if (any)
        ashi_json_close(&writer->json);
}

static void write_removed(ashi_json_text *json, uint32_t removed)
{
    ashi_json_open(json, "removed", '[', false);
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
        if ((removed & ASH_FREEDOM_BIT(i)) != 0)
            ashi_json_string(json, NULL, ashi_freedom_words().list[i]);
    ashi_json_close(json);
}

static void write_path(ashi_json_text *json, const ash_joint_def *def)
{
    ashi_json_open(json, "path", '[', false);
    for (uint32_t i = 0; i < def->path_count; i++)
        ashi_json_vector(json, NULL, def->path[i]);
    ashi_json_close(json);
    if (def->path_closed)
        ashi_json_bool(json, "path_closed", true);
}

static void write_joint(ashi_writer *writer, const ashi_scene_joint *joint)
{
    ashi_json_text *json = &writer->json;
    const ash_joint_def *def = &joint->def, usual = ash_default_joint_def(def->kind);
    ashi_json_open(json, NULL, '{', false);
    ashi_json_string(json, "kind", ashi_joint_kind_words().list[def->kind]);
    if (def->name != NULL)
        ashi_json_string(json, "name", def->name);
    if (joint->disabled)
        ashi_json_bool(json, "enabled", false);
    ashi_write_body_unless_background(writer, "body_a", def->body_a);
    ashi_write_body_unless_background(writer, "body_b", def->body_b);
    write_frame(writer, "frame_a", def->frame_a);
    write_frame(writer, "frame_b", def->frame_b);
    if (def->kind == ASH_JOINT_COMBINATION)
        write_removed(json, def->removed);
    if (ashi_joint_has_key(def->kind, "length") && def->length >= 0)
        ashi_json_number(json, "length", def->length);
    if (def->kind == ASH_JOINT_PULLEY) {
        ashi_json_vector(json, "hang_a", def->hang_a);
        ashi_json_vector(json, "hang_b", def->hang_b);
    }
    if (def->kind == ASH_JOINT_PATH)
        write_path(json, def);
    if (def->piston != ASH_PISTON_HOLD)
        ashi_json_string(json, "piston", ashi_piston_words().list[def->piston]);
    write_numbers(writer, ashi_joint_number_fields(), def->kind, def, &usual);
    write_axes(writer, joint, &usual);
    if (def->collide)
        ashi_json_bool(json, "collide", true);
    ashi_json_close(json);
}

void ashi_write_joints(ashi_writer *writer)
{
    if (writer->scene->joints.count == 0)
        return;
    ashi_json_open(&writer->json, "joints", '[', true);
    for (uint32_t i = 0; i < writer->scene->joints.count; i++)
        write_joint(writer, &writer->scene->joints.data[i]);
    ashi_json_close(&writer->json);
}
