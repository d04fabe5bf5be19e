/* Forces written as JSON: the fields of their definitions by name, where they differ from the default. */
#include "scene/file/write.h"

#include <string.h>

void ashi_write_body_unless_background(ashi_writer *writer, const char *key, ash_body body)
{
    if (body.id != 0)
        ashi_write_body_reference(writer, key, (uint32_t)(body.id - 1));
}

static void write_spring(ashi_writer *writer, const ashi_scene_force *force)
{
    const ash_spring_def *def = &force->def.spring;
    ash_spring_def usual = ash_default_spring_def();
    ashi_write_body_unless_background(writer, "body_a", def->body_a);
    ashi_write_body_unless_background(writer, "body_b", def->body_b);
    ashi_write_vector_unless(writer, "point_a", def->point_a, usual.point_a);
    ashi_write_vector_unless(writer, "point_b", def->point_b, usual.point_b);
    ashi_write_number_unless(writer, "stiffness", def->stiffness, usual.stiffness);
    ashi_write_number_unless(writer, "damping", def->damping, usual.damping);
    if (def->rest_length >= 0)
        ashi_json_number(&writer->json, "rest_length", def->rest_length);
    else if (usual.rest_length >= 0)
        ashi_json_string(&writer->json, "rest_length", "initial");
    if (def->tension_only)
        ashi_json_bool(&writer->json, "tension_only", true);
    if (def->damper_pushes)
        ashi_json_bool(&writer->json, "damper_pushes", true);
}

static void write_angular_spring(ashi_writer *writer, const ashi_scene_force *force)
{
    const ash_angular_spring_def *def = &force->def.angular_spring;
    ash_angular_spring_def usual = ash_default_angular_spring_def();
    ashi_write_body_unless_background(writer, "body_a", def->body_a);
    ashi_write_body_unless_background(writer, "body_b", def->body_b);
    ashi_write_rotation(writer, "rest_rotation", def->rest_rotation);
    ashi_write_number_unless(writer, "stiffness", def->stiffness, usual.stiffness);
    ashi_write_number_unless(writer, "damping", def->damping, usual.damping);
}

static void write_drag(ashi_writer *writer, const ashi_scene_force *force)
{
    const ash_drag_def *def = &force->def.drag;
    ash_drag_def usual = ash_default_drag_def();
    ashi_write_body_unless_background(writer, "body", def->body);
    ashi_write_number_unless(writer, "coefficient", def->coefficient, usual.coefficient);
    ashi_write_number_unless(writer, "density", def->density, usual.density);
    ashi_write_number_unless(writer, "area", def->area, usual.area);
    ashi_write_number_unless(writer, "linear", def->linear, usual.linear);
    ashi_write_vector_unless(writer, "mask", def->mask, usual.mask);
    ashi_write_vector_unless(writer, "wind", def->wind, usual.wind);
}

static void write_pull(ashi_writer *writer, const ashi_scene_force *force)
{
    const ash_pull_def *def = &force->def.pull;
    ash_pull_def usual = ash_default_pull_def();
    ashi_write_body_unless_background(writer, "body", def->body);
    ashi_write_vector_unless(writer, "point", def->point, usual.point);
    ashi_write_vector_unless(writer, "target", def->target, usual.target);
    ashi_write_number_unless(writer, "stiffness", def->stiffness, usual.stiffness);
    ashi_write_number_unless(writer, "damping", def->damping, usual.damping);
    ashi_write_number_unless(writer, "max_force", def->max_force, usual.max_force);
}

void ashi_write_signal(ashi_json_text *json, const ash_signal *signal)
{
    if (signal->kind == ASH_SIGNAL_CONSTANT)
        return;
    ashi_json_open(json, "signal", '{', false);
    ashi_json_string(json, "kind", ashi_signal_kind_words().list[signal->kind]);
    if (signal->kind == ASH_SIGNAL_HARMONIC) {
        ashi_json_number(json, "rate", signal->rate);
        ashi_json_number(json, "phase", signal->phase);
    } else {
        ashi_json_numbers(json, "times", signal->times, signal->count);
        ashi_json_numbers(json, "values", signal->values, signal->count);
    }
    ashi_json_close(json);
}

static void write_load(ashi_writer *writer, const ashi_scene_force *force)
{
    const ash_load_def *def = &force->def.load;
    ash_load_def usual = ash_default_load_def();
    ashi_write_body_unless_background(writer, "body", def->body);
    ashi_write_vector_unless(writer, "force", def->force, usual.force);
    ashi_write_vector_unless(writer, "torque", def->torque, usual.torque);
    ashi_write_vector_unless(writer, "point", def->point, usual.point);
    if (def->body_axes)
        ashi_json_bool(&writer->json, "body_axes", true);
    ashi_write_signal(&writer->json, &def->signal);
    ashi_write_number_unless(writer, "start", def->start, usual.start);
    ashi_write_number_unless(writer, "stop", def->stop, usual.stop);
}

static void (*const kinds[ASH_FORCE_KINDS])(ashi_writer *writer, const ashi_scene_force *force) = {
    [ASH_FORCE_SPRING] = write_spring, [ASH_FORCE_ANGULAR_SPRING] = write_angular_spring,
    [ASH_FORCE_DRAG] = write_drag,     [ASH_FORCE_PULL] = write_pull,
    [ASH_FORCE_LOAD] = write_load,
};

static void write_force(ashi_writer *writer, const ashi_scene_force *force)
{
    const char *name = ashi_scene_force_name(force);
    ashi_json_open(&writer->json, NULL, '{', false);
    ashi_json_string(&writer->json, "kind", ashi_force_kind_words().list[force->kind]);
    if (name != NULL)
        ashi_json_string(&writer->json, "name", name);
    if (force->disabled)
        ashi_json_bool(&writer->json, "enabled", false);
    kinds[force->kind](writer, force);
    ashi_json_close(&writer->json);
}

void ashi_write_forces(ashi_writer *writer)
{
    if (writer->scene->forces.count == 0)
        return;
    ashi_json_open(&writer->json, "forces", '[', true);
    for (uint32_t i = 0; i < writer->scene->forces.count; i++)
        write_force(writer, &writer->scene->forces.data[i]);
    ashi_json_close(&writer->json);
}
