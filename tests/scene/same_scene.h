/* Are two descriptions the same? Compared field by field and bit by bit, without the writer's help. Names of shapes and
 * materials that had none may have been made up, and the numbers of shapes may differ: what they stand for may not. */
#ifndef TESTS_SAME_SCENE_H
#define TESTS_SAME_SCENE_H

#include "check.h"
#include "scene/description/description.h"

#include <stddef.h>
#include <string.h>

static inline void assert_same_bits(const void *a, const void *b, size_t size, const char *what, uint32_t number)
{
    if (memcmp(a, b, size) != 0)
        fail_msg("%s of number %u differs", what, number);
}

static inline void assert_same_name(const char *a, const char *b)
{
    assert_string_equal(a != NULL ? a : "(none)", b != NULL ? b : "(none)");
}

static inline void assert_same_shape(const ash_scene *a, const ash_scene *b, uint32_t number)
{
    const ashi_scene_shape *p = &a->shapes.data[number], *q = &b->shapes.data[number];
    assert_int_equal(ash_geometry_get_hash(a->geometries.data[p->geometry].geometry),
                     ash_geometry_get_hash(b->geometries.data[q->geometry].geometry));
    assert_same_name(p->name, q->name);
    assert_same_bits(&p->pose, &q->pose, sizeof p->pose, "the pose", number);
    assert_int_equal(p->material == ASHI_NONE, q->material == ASHI_NONE);
    assert_true(p->density == q->density);
    if (p->material != ASHI_NONE)
        assert_int_equal(p->material, q->material);
    assert_same_bits(&p->surface_velocity, &q->surface_velocity, sizeof p->pose.position, "the surface velocity",
                     number);
}

static inline void assert_same_materials(const ash_scene *a, const ash_scene *b)
{
    assert_int_equal(a->materials.count, b->materials.count);
    for (uint32_t i = 0; i < a->materials.count; i++) {
        ash_material_def p = a->materials.data[i], q = b->materials.data[i];
        assert_true(p.density == q.density && p.friction_combine == q.friction_combine &&
                    p.restitution_combine == q.restitution_combine);
        assert_same_bits(&p.surface, &q.surface, sizeof p.surface, "the surface", i);
        assert_int_equal(a->material_looks.data[i].colour, b->material_looks.data[i].colour);
        assert_true(a->material_looks.data[i].roughness == b->material_looks.data[i].roughness);
        assert_true(a->material_looks.data[i].metal == b->material_looks.data[i].metal);
    }
    assert_int_equal(a->material_pairs.count, b->material_pairs.count);
    for (uint32_t i = 0; i < a->material_pairs.count; i++) {
        ashi_scene_material_pair p = a->material_pairs.data[i], q = b->material_pairs.data[i];
        assert_true(p.material_a == q.material_a && p.material_b == q.material_b && p.given == q.given);
        for (uint32_t k = 0; k < ASHI_SURFACE_FIELDS; k++)
            if ((p.given >> k & 1) != 0)
                assert_true(*ashi_surface_field(&p.surface, k) == *ashi_surface_field(&q.surface, k));
    }
}

static inline void assert_same_body(const ashi_scene_body *a, const ashi_scene_body *b, uint32_t number)
{
    ash_body_def p = a->def, q = b->def;
    assert_same_name(p.name, q.name);
    assert_int_equal(p.type, q.type);
    assert_int_equal(p.locks, q.locks);
    assert_int_equal(a->absent, b->absent);
    assert_int_equal(a->colour, b->colour);
    assert_int_equal(a->first_shape, b->first_shape);
    assert_int_equal(a->shape_count, b->shape_count);
    assert_same_bits(&p.position, &q.position, sizeof p.position, "the position", number);
    assert_same_bits(&p.rotation, &q.rotation, sizeof p.rotation, "the rotation", number);
    assert_same_bits(&p.velocity, &q.velocity, sizeof p.velocity, "the velocity", number);
    assert_same_bits(&p.angular_velocity, &q.angular_velocity, sizeof p.velocity, "the angular velocity", number);
    assert_same_bits(&p.mass, &q.mass, sizeof p.mass, "the mass", number);
    assert_same_bits(&p.centre, &q.centre, sizeof p.centre, "the centre", number);
    assert_same_bits(&p.inertia, &q.inertia, sizeof p.inertia, "the inertia", number);
    assert_same_bits(&p.gravity_scale, &q.gravity_scale, sizeof p.mass, "the gravity scale", number);
    assert_same_bits(&p.linear_damping, &q.linear_damping, sizeof p.mass, "the linear damping", number);
    assert_same_bits(&p.angular_damping, &q.angular_damping, sizeof p.mass, "the angular damping", number);
}

static inline void assert_same_signal(const ash_signal *p, const ash_signal *q, uint32_t number)
{
    assert_int_equal(p->kind, q->kind);
    assert_int_equal(p->count, q->count);
    if (p->kind == ASH_SIGNAL_HARMONIC)
        assert_true(p->rate == q->rate && p->phase == q->phase);
    for (uint32_t i = 0; i < p->count; i++) {
        assert_same_bits(&p->times[i], &q->times[i], sizeof(double), "a time", number);
        assert_same_bits(&p->values[i], &q->values[i], sizeof(double), "a value", number);
    }
}

static inline void assert_same_load(const ash_load_def *p, const ash_load_def *q, uint32_t number)
{
    assert_same_name(p->name, q->name);
    assert_int_equal(p->body.id, q->body.id);
    assert_int_equal(p->body_axes, q->body_axes);
    assert_same_bits(&p->force, &q->force, sizeof p->force, "the force", number);
    assert_same_bits(&p->torque, &q->torque, sizeof p->torque, "the torque", number);
    assert_same_bits(&p->point, &q->point, sizeof p->point, "the point", number);
    assert_true(p->start == q->start && p->stop == q->stop);
    assert_same_signal(&p->signal, &q->signal, number);
}

static inline void assert_same_force(const ashi_scene_force *a, const ashi_scene_force *b, uint32_t number)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->disabled, b->disabled);
    if (a->kind == ASH_FORCE_SPRING) {
        ash_spring_def p = a->def.spring, q = b->def.spring;
        assert_same_name(p.name, q.name);
        assert_true(p.body_a.id == q.body_a.id && p.body_b.id == q.body_b.id && p.tension_only == q.tension_only);
        assert_same_bits(&p.point_a, &q.point_a, sizeof p.point_a, "point a", number);
        assert_same_bits(&p.point_b, &q.point_b, sizeof p.point_b, "point b", number);
        assert_true(p.stiffness == q.stiffness && p.damping == q.damping);
        assert_true(p.rest_length == q.rest_length || (p.rest_length < 0 && q.rest_length < 0));
    } else if (a->kind == ASH_FORCE_ANGULAR_SPRING) {
        ash_angular_spring_def p = a->def.angular_spring, q = b->def.angular_spring;
        assert_same_name(p.name, q.name);
        assert_true(p.body_a.id == q.body_a.id && p.body_b.id == q.body_b.id);
        assert_same_bits(&p.rest_rotation, &q.rest_rotation, sizeof p.rest_rotation, "the rest rotation", number);
        assert_true(p.stiffness == q.stiffness && p.damping == q.damping);
    } else if (a->kind == ASH_FORCE_BENDING_SPRING) {
        ash_bending_spring_def p = a->def.bending_spring, q = b->def.bending_spring;
        assert_same_name(p.name, q.name);
        assert_true(p.body_a.id == q.body_a.id && p.body_b.id == q.body_b.id && p.body_c.id == q.body_c.id);
        assert_same_bits(&p.point_a, &q.point_a, sizeof p.point_a, "point a", number);
        assert_same_bits(&p.point_b, &q.point_b, sizeof p.point_b, "point b", number);
        assert_same_bits(&p.point_c, &q.point_c, sizeof p.point_c, "point c", number);
        assert_true(p.stiffness == q.stiffness && p.damping == q.damping);
        assert_true(p.rest_angle == q.rest_angle || (p.rest_angle < 0 && q.rest_angle < 0));
    } else if (a->kind == ASH_FORCE_DRAG) {
        ash_drag_def p = a->def.drag, q = b->def.drag;
        assert_same_name(p.name, q.name);
        assert_int_equal(p.body.id, q.body.id);
        assert_true(p.coefficient == q.coefficient && p.density == q.density && p.area == q.area &&
                    p.linear == q.linear);
        assert_same_bits(&p.mask, &q.mask, sizeof p.mask, "the mask", number);
        assert_same_bits(&p.wind, &q.wind, sizeof p.wind, "the wind", number);
    } else if (a->kind == ASH_FORCE_PULL) {
        ash_pull_def p = a->def.pull, q = b->def.pull;
        assert_same_name(p.name, q.name);
        assert_int_equal(p.body.id, q.body.id);
        assert_same_bits(&p.point, &q.point, sizeof p.point, "the point", number);
        assert_same_bits(&p.target, &q.target, sizeof p.target, "the target", number);
        assert_true(p.stiffness == q.stiffness && p.damping == q.damping && p.max_force == q.max_force);
    } else {
        assert_same_load(&a->def.load, &b->def.load, number);
    }
}

static inline void assert_same_axis(const ash_joint_axis *p, const ash_joint_axis *q, uint32_t number)
{
    assert_same_bits(p, q, offsetof(ash_joint_axis, motor), "limits, friction or spring", number);
    const ash_joint_motor *m = &p->motor, *n = &q->motor;
    assert_int_equal(m->drive, n->drive);
    assert_same_bits(&m->target, &n->target, sizeof m->target, "the target", number);
    assert_same_bits(&m->max_force, &n->max_force, sizeof m->max_force, "the motor's force", number);
    assert_true(m->proportional == n->proportional && m->integral == n->integral && m->derivative == n->derivative);
    assert_same_signal(&m->signal, &n->signal, number);
}

static inline void assert_same_joint(const ashi_scene_joint *a, const ashi_scene_joint *b, uint32_t number)
{
    const ash_joint_def *p = &a->def, *q = &b->def;
    assert_int_equal(a->disabled, b->disabled);
    assert_int_equal(p->kind, q->kind);
    assert_same_name(p->name, q->name);
    assert_true(p->body_a.id == q->body_a.id && p->body_b.id == q->body_b.id && p->collide == q->collide);
    assert_same_bits(&p->frame_a, &q->frame_a, sizeof p->frame_a, "frame a", number);
    assert_same_bits(&p->frame_b, &q->frame_b, sizeof p->frame_b, "frame b", number);
    assert_int_equal(p->removed, q->removed);
    assert_true(p->length == q->length || (p->length < 0 && q->length < 0));
    assert_true(p->angle == q->angle && p->cone == q->cone && p->pitch == q->pitch);
    assert_true(p->radius_a == q->radius_a && p->radius_b == q->radius_b && p->ratio == q->ratio);
    assert_same_bits(&p->hang_a, &q->hang_a, sizeof p->hang_a, "hang a", number);
    assert_same_bits(&p->hang_b, &q->hang_b, sizeof p->hang_b, "hang b", number);
    assert_int_equal(p->path_count, q->path_count);
    assert_int_equal(p->path_closed, q->path_closed);
    for (uint32_t i = 0; i < p->path_count; i++)
        assert_same_bits(&p->path[i], &q->path[i], sizeof *p->path, "a point of the path", number);
    assert_true(p->min_length == q->min_length && p->max_length == q->max_length);
    assert_true(p->speed == q->speed && p->max_force == q->max_force);
    assert_true(p->compliance == q->compliance && p->angular_compliance == q->angular_compliance);
    assert_true(p->break_force == q->break_force && p->break_torque == q->break_torque);
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
        assert_same_axis(&p->axes[i], &q->axes[i], number);
}

static inline void assert_same_event(const ashi_scene_event *p, const ashi_scene_event *q, uint32_t number)
{
    assert_true(p->time == q->time);
    assert_int_equal(p->kind, q->kind);
    assert_int_equal(p->owner, q->owner);
    assert_int_equal(p->object, q->object);
    assert_int_equal(p->fields, q->fields);
    if (p->fields & ASHI_SET_VELOCITY)
        assert_same_bits(&p->velocity, &q->velocity, sizeof p->velocity, "the velocity", number);
    if (p->fields & ASHI_SET_ANGULAR_VELOCITY)
        assert_same_bits(&p->angular_velocity, &q->angular_velocity, sizeof p->velocity, "the velocity", number);
    if (p->fields & ASHI_SET_ENABLED)
        assert_int_equal(p->enabled, q->enabled);
    if (p->fields & ASHI_SET_SPRING)
        assert_true(p->stiffness == q->stiffness && p->damping == q->damping && p->rest_length == q->rest_length);
    if (p->fields & ASHI_SET_TARGET)
        assert_same_bits(&p->target, &q->target, sizeof p->target, "the target", number);
    if (p->fields & ASHI_SET_LOAD) {
        assert_same_bits(&p->force, &q->force, sizeof p->force, "the force", number);
        assert_same_bits(&p->torque, &q->torque, sizeof p->torque, "the torque", number);
    }
    if (p->fields & ASHI_SET_MOTOR)
        assert_true(p->freedom == q->freedom && p->drive == q->drive && p->motor_target == q->motor_target &&
                    p->max_force == q->max_force);
    if (p->fields & ASHI_SET_PISTON)
        assert_int_equal(p->piston, q->piston);
    if (p->fields & ASHI_SET_LENGTH)
        assert_true(p->length == q->length);
}

static inline void assert_same_watch(const ash_scene *a, const ash_scene *b)
{
    assert_int_equal(a->outputs.count, b->outputs.count);
    for (uint32_t i = 0; i < a->outputs.count; i++) {
        const ashi_scene_output *p = &a->outputs.data[i], *q = &b->outputs.data[i];
        assert_same_name(p->name, q->name);
        assert_int_equal(p->quantity, q->quantity);
        assert_int_equal(p->object, q->object);
        assert_int_equal(p->component, q->component);
        assert_int_equal(p->freedom, q->freedom);
        assert_int_equal(p->frame, q->frame);
        assert_same_bits(&p->point, &q->point, sizeof p->point, "the point", i);
    }
    assert_int_equal(a->checks.count, b->checks.count);
    for (uint32_t i = 0; i < a->checks.count; i++) {
        const ashi_scene_check *p = &a->checks.data[i], *q = &b->checks.data[i];
        assert_same_name(p->name, q->name);
        assert_int_equal(p->output, q->output);
        assert_int_equal(p->reduction, q->reduction);
        assert_true(p->expected == q->expected && p->tolerance == q->tolerance);
        assert_true(p->from == q->from && p->until == q->until);
    }
}

static inline void assert_same_scene(const ash_scene *a, const ash_scene *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->summary, b->summary);
    assert_same_bits(&a->gravity, &b->gravity, sizeof a->gravity, "gravity", 0);
    assert_int_equal(a->planar, b->planar);
    assert_string_equal(a->method.name, b->method.name);
    assert_int_equal(a->method.integrator, b->method.integrator);
    assert_int_equal(a->method.max_iterations, b->method.max_iterations);
    assert_true(a->method.tolerance == b->method.tolerance);
    assert_true(a->step == b->step && a->time == b->time && a->sample_interval == b->sample_interval);
    assert_same_materials(a, b);
    assert_int_equal(a->geometries.count, b->geometries.count);
    assert_int_equal(a->shapes.count, b->shapes.count);
    for (uint32_t i = 0; i < a->shapes.count; i++)
        assert_same_shape(a, b, i);
    assert_int_equal(a->bodies.count, b->bodies.count);
    for (uint32_t i = 0; i < a->bodies.count; i++)
        assert_same_body(&a->bodies.data[i], &b->bodies.data[i], i);
    assert_int_equal(a->forces.count, b->forces.count);
    for (uint32_t i = 0; i < a->forces.count; i++)
        assert_same_force(&a->forces.data[i], &b->forces.data[i], i);
    assert_int_equal(a->joints.count, b->joints.count);
    for (uint32_t i = 0; i < a->joints.count; i++)
        assert_same_joint(&a->joints.data[i], &b->joints.data[i], i);
    assert_int_equal(a->events.count, b->events.count);
    for (uint32_t i = 0; i < a->events.count; i++)
        assert_same_event(&a->events.data[i], &b->events.data[i], i);
    assert_same_watch(a, b);
}

#endif
