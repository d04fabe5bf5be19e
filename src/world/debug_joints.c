/* Joints in debug geometry: their frames, axes and drives. */
#include "model/joint_class.h"
#include "model/path.h"
#include "world/debug_joint_view.h"

enum { PATH_LINES = 8 };

static void line(const ashi_joint_view *v, ash_vec3 from, ash_vec3 to)
{
    ashi_draw_line(v->drawing, from, to, ASH_DEBUG_JOINTS, v->error);
}

/* Draws x of a, if the joint moves along it or turns about it. */
static void draw_axis(const ashi_joint_view *v)
{
    bool moves = ashi_view_keeps(v, ASH_MOVE_X) && (v->joint->removed & (ASH_FREEDOM_BIT(ASH_MOVE_Y))) != 0;
    bool turns = ashi_view_keeps(v, ASH_TURN_X) && !ashi_view_keeps(v, ASH_TURN_Y) && !v->planar;
    if (moves || turns)
        ashi_draw_arrow(v->drawing, v->a.position, t_point(v->a, v3(v->size, 0, 0)), ASH_DEBUG_JOINTS, v->error);
}

/* The curve of a path joint by short lines. */
static void draw_path(const ashi_joint_view *v)
{
    uint32_t count;
    bool closed;
    ashi_path_points(v->joint->path, &count, &closed);
    double length = ashi_path_length(v->joint->path);
    uint32_t pieces = PATH_LINES * (closed ? count : count - 1);
    ash_vec3 from = t_point(v->a, ashi_path_at(v->joint->path, 0).place);
    for (uint32_t i = 1; i <= pieces; i++) {
        double t = ashi_path_near_length(v->joint->path, length * i / pieces);
        ash_vec3 to = t_point(v->a, ashi_path_at(v->joint->path, t).place);
        line(v, from, to);
        from = to;
    }
}

/* Draws frames, axis, and the line between the frames. */
static void draw_joint(const ashi_joint_view *v)
{
    const ashi_joint_entry *joint = v->joint;
    ashi_draw_point(v->drawing, v->a.position, ASH_DEBUG_JOINTS, v->error);
    ashi_draw_point(v->drawing, v->b.position, ASH_DEBUG_JOINTS, v->error);
    if (ashi_joint_class_of(joint->kind)->hangs) {
        line(v, v->a.position, joint->hang_a);
        line(v, joint->hang_a, joint->hang_b);
        line(v, joint->hang_b, v->b.position);
    } else if (ashi_joint_class_of(joint->kind)->has_path) {
        draw_path(v);
    } else {
        line(v, v->a.position, v->b.position);
        draw_axis(v);
    }
}

/* Draws the effect of drives along their rows: forces on b, or torques. */
static void draw_drives(const ashi_joint_view *v)
{
    const ash_world *world = v->drawing->world;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    if (v->joint->axes == NULL)
        return;
    uint32_t count = ashi_joint_rows(&world->model, v->joint, &world->model.bodies.now, world->time, 0, false, rows);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].key < ASHI_DRIVE_KEY || rows[i].key >= ASHI_SPRING_KEY)
            continue;
        double force = v->joint->force[rows[i].key];
        ash_vec3 direction = rows[i].angular ? rows[i].angular_b : rows[i].linear_b;
        ashi_draw_point(v->drawing, v->b.position, ASH_DEBUG_DRIVES, force);
        ashi_draw_arrow(v->drawing, v->b.position,
                        v3_add_scaled(v->b.position, direction, force * v->drawing->scale.force), ASH_DEBUG_DRIVES,
                        force);
    }
}

static void draw_layers(const ashi_drawing *d, const ashi_joint_entry *joint, uint32_t layers)
{
    const ashi_model *model = &d->world->model;
    const ashi_bodies *bodies = &model->bodies;
    ashi_joint_view v = {.drawing = d, .joint = joint, .size = d->scale.axes, .planar = bodies->planar};
    v.a = t_mul(ashi_body_frame(bodies, &bodies->now, joint->body_a), joint->frame_a);
    v.b = t_mul(ashi_body_frame(bodies, &bodies->now, joint->body_b), joint->frame_b);
    v.error = ashi_joint_error_at(model, joint, &bodies->now).distance;
    if ((layers & ASH_DEBUG_JOINTS) != 0)
        draw_joint(&v);
    if ((layers & ASH_DEBUG_LIMITS) != 0)
        ashi_draw_limits(&v);
    if (ashi_joint_class_of(joint->kind)->has_piston) {
        if ((layers & ASH_DEBUG_CYLINDERS) != 0)
            ashi_draw_line(d, v.a.position, v.b.position, ASH_DEBUG_CYLINDERS,
                           v3_distance(v.a.position, v.b.position) - joint->min_length);
    } else if ((layers & ASH_DEBUG_DRIVES) != 0) {
        draw_drives(&v);
    }
}

void ashi_draw_joints(const ashi_drawing *drawing, uint32_t layers)
{
    const ashi_joints *joints = &drawing->world->model.joints;
    const uint32_t ours = ASH_DEBUG_JOINTS | ASH_DEBUG_LIMITS | ASH_DEBUG_DRIVES | ASH_DEBUG_CYLINDERS;
    for (uint32_t i = 0; (layers & ours) != 0 && i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i) && joints->entries.data[i].enabled)
            draw_layers(drawing, &joints->entries.data[i], layers);
}
