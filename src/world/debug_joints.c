/* Joints as a viewer shows them: where their frames are, along and about what they move, and how far they may. */
#include "math/elementary.h"
#include "model/path.h"
#include "world/debug.h"

enum { CONE_LINES = 12, PATH_LINES = 8 };

/* A joint at the present state. */
typedef struct joint_view {
    const ashi_drawing *drawing;
    const ashi_joint *joint;
    ash_transform a, b; /* its frames in the world */
    double error;       /* m */
    double size;        /* of arrows, m */
    bool planar;
} joint_view;

static void line(const joint_view *v, ash_vec3 from, ash_vec3 to)
{
    ashi_draw_line(v->drawing, from, to, ASH_DEBUG_JOINTS, v->error);
}

static bool keeps(const joint_view *v, ash_freedom freedom)
{
    return (v->joint->kept & ASH_FREEDOM_BIT(freedom)) != 0;
}

/* A direction of length `size` from the origin of a, given in frame a. */
static void ray(const joint_view *v, ash_vec3 direction)
{
    line(v, v->a.position, t_point(v->a, v3_scale(direction, v->size)));
}

/* x of a, where the joint moves along it or turns about it. */
static void draw_axis(const joint_view *v)
{
    bool moves = keeps(v, ASH_MOVE_X) && (v->joint->removed & (ASH_FREEDOM_BIT(ASH_MOVE_Y))) != 0;
    bool turns = keeps(v, ASH_TURN_X) && !keeps(v, ASH_TURN_Y) && !v->planar;
    if (moves || turns)
        ashi_draw_arrow(v->drawing, v->a.position, t_point(v->a, v3(v->size, 0, 0)), ASH_DEBUG_JOINTS, v->error);
}

/* The bounds of a translation as a line with a bar at each end that there is. */
static void draw_travel(const joint_view *v, const ash_joint_axis *axis)
{
    const double ends[2] = {axis->lower, axis->upper};
    for (int i = 0; i < 2; i++)
        if (isfinite(ends[i])) {
            line(v, t_point(v->a, v3(ends[i], -0.5 * v->size, 0)), t_point(v->a, v3(ends[i], 0.5 * v->size, 0)));
            if (!v->planar)
                line(v, t_point(v->a, v3(ends[i], 0, -0.5 * v->size)), t_point(v->a, v3(ends[i], 0, 0.5 * v->size)));
        }
    if (isfinite(axis->lower) && isfinite(axis->upper))
        line(v, t_point(v->a, v3(axis->lower, 0, 0)), t_point(v->a, v3(axis->upper, 0, 0)));
}

/* The bounds of an angle as rays: where y of b (in planar worlds x) is at each, and where it is now as an arrow. */
static void draw_turn(const joint_view *v, const ash_joint_axis *axis)
{
    const double ends[2] = {axis->lower, axis->upper};
    for (int i = 0; i < 2; i++)
        if (isfinite(ends[i])) {
            double sine, cosine;
            ashi_sincos(ends[i], &sine, &cosine);
            ray(v, v->planar ? v3(cosine, sine, 0) : v3(0, cosine, sine));
        }
    ash_vec3 now = v->planar ? v3(v->size, 0, 0) : v3(0, v->size, 0);
    if (isfinite(axis->lower) || isfinite(axis->upper))
        ashi_draw_arrow(v->drawing, v->b.position, t_point(v->b, now), ASH_DEBUG_JOINTS, v->error);
}

static void draw_limits(const joint_view *v)
{
    const ash_joint_axis *axes = v->joint->axes;
    ash_freedom turn = v->planar ? ASH_TURN_Z : ASH_TURN_X;
    if (axes == NULL)
        return;
    bool along_x = v->joint->kind < ASH_JOINT_DISTANCE || v->joint->kind == ASH_JOINT_SCREW ||
                   v->joint->kind == ASH_JOINT_SUSPENSION;
    if (keeps(v, ASH_MOVE_X) && along_x)
        draw_travel(v, &axes[ASH_MOVE_X]);
    if (keeps(v, turn))
        draw_turn(v, &axes[turn]);
}

/* Where x of b may be. */
static void draw_cone(const joint_view *v)
{
    double sine, cosine;
    if (v->joint->kind != ASH_JOINT_BALL || !isfinite(v->joint->cone) || v->planar)
        return;
    ashi_sincos(v->joint->cone, &sine, &cosine);
    for (int i = 0; i < CONE_LINES; i++) {
        double across_y, across_z;
        ashi_sincos(i * (2 * 3.14159265358979323846 / CONE_LINES), &across_z, &across_y);
        ray(v, v3(cosine, sine * across_y, sine * across_z));
    }
    ashi_draw_arrow(v->drawing, v->b.position, t_point(v->b, v3(v->size, 0, 0)), ASH_DEBUG_JOINTS, v->error);
}

/* The curve of a path joint by short lines. */
static void draw_path(const joint_view *v)
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

static void draw_joint(const ashi_drawing *d, const ashi_joint *joint)
{
    const ashi_model *model = &d->world->model;
    const ashi_bodies *bodies = &model->bodies;
    joint_view v = {.drawing = d, .joint = joint, .size = d->scale.axes, .planar = bodies->planar};
    v.a = t_mul(ashi_body_frame(bodies, &bodies->now, joint->body_a), joint->frame_a);
    v.b = t_mul(ashi_body_frame(bodies, &bodies->now, joint->body_b), joint->frame_b);
    v.error = ashi_joint_error_at(model, joint, &bodies->now).distance;
    ashi_draw_point(d, v.a.position, ASH_DEBUG_JOINTS, v.error);
    ashi_draw_point(d, v.b.position, ASH_DEBUG_JOINTS, v.error);
    if (joint->kind == ASH_JOINT_PULLEY) {
        line(&v, v.a.position, joint->hang_a);
        line(&v, joint->hang_a, joint->hang_b);
        line(&v, joint->hang_b, v.b.position);
        return;
    }
    if (joint->kind == ASH_JOINT_PATH) {
        draw_path(&v);
        return;
    }
    line(&v, v.a.position, v.b.position);
    draw_axis(&v);
    draw_limits(&v);
    draw_cone(&v);
}

void ashi_draw_joints(const ashi_drawing *drawing)
{
    const ashi_joints *joints = &drawing->world->model.joints;
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i) && joints->entries.data[i].enabled)
            draw_joint(drawing, &joints->entries.data[i]);
}
