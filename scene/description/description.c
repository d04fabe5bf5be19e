/* The scene description as a container: it is filled by adders, never changed otherwise, and owns what it holds.
 *
 * Adders that fail leave the scene valid and record the failure, so that a scene can be filled without checking every
 * result: ashi_scene_finish reports at the end. */
#include "scene/description/description.h"

#include "model/method.h"

#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ash_status ashi_scene_create(const char *name, ash_scene **result, ash_diagnostic *diagnostic)
{
    *result = NULL;
    ash_method method;
    ash_status status = ash_method_find(NULL, &method, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_scene *scene = ashi_alloc_zeroed(sizeof *scene);
    if (scene == NULL)
        return ashi_out_of_memory(diagnostic);
    scene->text = ashi_arena_create(4096);
    scene->name = scene->text != NULL ? ashi_arena_text(scene->text, name != NULL ? name : "") : NULL;
    if (scene->name == NULL) {
        ash_scene_destroy(scene);
        return ashi_out_of_memory(diagnostic);
    }
    scene->summary = "";
    scene->gravity = (ash_vec3){0, 0, -9.81};
    scene->method = method;
    scene->step = 0.01;
    scene->time = 1;
    *result = scene;
    return ASH_OK;
}

void ash_scene_destroy(ash_scene *scene)
{
    if (scene == NULL)
        return;
    for (uint32_t i = 0; i < scene->geometries.count; i++)
        ash_geometry_release(scene->geometries.data[i].geometry);
    ashi_array_release(&scene->materials);
    ashi_array_release(&scene->material_looks);
    ashi_array_release(&scene->material_pairs);
    ashi_array_release(&scene->geometries);
    ashi_array_release(&scene->shapes);
    ashi_array_release(&scene->bodies);
    ashi_array_release(&scene->ignored_pairs);
    ashi_array_release(&scene->forces);
    ashi_array_release(&scene->joints);
    ashi_array_release(&scene->outputs);
    ashi_array_release(&scene->events);
    ashi_array_release(&scene->checks);
    ashi_array_release(&scene->notes);
    ashi_arena_destroy(scene->text);
    ashi_array_release(&scene->parameters);
    ashi_source_release(&scene->source);
    ashi_dealloc(scene);
}

void ashi_source_release(ashi_source *source)
{
    for (uint32_t i = 0; i < source->files.count; i++) {
        ashi_dealloc(source->files.data[i].text);
        ashi_dealloc(source->files.data[i].label);
    }
    ashi_array_release(&source->files);
    ashi_array_release(&source->origins);
    ashi_arena_destroy(source->paths);
    source->paths = NULL;
}

static uint32_t note_failure(ash_scene *scene, ash_status status)
{
    if (scene->failure == ASH_OK)
        scene->failure = status;
    return ASHI_NONE;
}

const char *ashi_scene_text(ash_scene *scene, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : ashi_arena_take(scene->text, (size_t)length + 1);
    if (text == NULL) {
        note_failure(scene, ASH_OUT_OF_MEMORY);
        return NULL;
    }
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

/* Replaces a borrowed name by the scene's own copy; an empty name becomes none. */
static bool keep_name(ash_scene *scene, const char **name)
{
    if (*name == NULL || **name == 0) {
        *name = NULL;
        return true;
    }
    *name = ashi_arena_text(scene->text, *name);
    return *name != NULL;
}

static bool keep_numbers(ash_scene *scene, const double **numbers, uint32_t count)
{
    double *copy = count > 0 ? ashi_arena_take_array(scene->text, count, sizeof *copy) : NULL;
    if (copy != NULL)
        memcpy(copy, *numbers, count * sizeof *copy);
    *numbers = copy;
    return count == 0 || copy != NULL;
}

static bool keep_points(ash_scene *scene, const ash_vec3 **points, uint32_t count)
{
    ash_vec3 *copy = count > 0 ? ashi_arena_take_array(scene->text, count, sizeof *copy) : NULL;
    if (copy != NULL)
        memcpy(copy, *points, count * sizeof *copy);
    *points = copy;
    return count == 0 || copy != NULL;
}

double *ashi_surface_field(ash_surface *surface, uint32_t number)
{
    double *const fields[ASHI_SURFACE_FIELDS] = {&surface->friction, &surface->sliding_friction, &surface->restitution,
                                                 &surface->rolling, &surface->spinning};
    return fields[number];
}

uint32_t ashi_scene_add_material(ash_scene *scene, const ash_material_def *def)
{
    ash_material_def material = *def;
    if (!keep_name(scene, &material.name) || !ashi_array_reserve(&scene->materials, scene->materials.count + 1) ||
        !ashi_array_extend(&scene->material_looks))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->material_looks.data[scene->materials.count++] = (ashi_material_look){ASHI_NONE, ASHI_ROUGHNESS, 0};
    scene->materials.data[scene->materials.count - 1] = material;
    return scene->materials.count - 1;
}

uint32_t ashi_scene_add_material_pair(ash_scene *scene, const ashi_scene_material_pair *pair)
{
    if (!ashi_array_extend(&scene->material_pairs))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->material_pairs.data[scene->material_pairs.count - 1] = *pair;
    return scene->material_pairs.count - 1;
}

uint32_t ashi_scene_add_geometry(ash_scene *scene, const char *name, ash_geometry *geometry)
{
    ashi_scene_geometry entry = {name, geometry};
    if (!keep_name(scene, &entry.name) || !ashi_array_extend(&scene->geometries)) {
        ash_geometry_release(geometry);
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    }
    scene->geometries.data[scene->geometries.count - 1] = entry;
    return scene->geometries.count - 1;
}

uint32_t ashi_scene_add_body(ash_scene *scene, const ash_body_def *def)
{
    ashi_scene_body body = {.def = *def, .first_shape = scene->shapes.count, .colour = ASHI_NONE};
    body.def.user_data = NULL;
    if (!keep_name(scene, &body.def.name) || !ashi_array_extend(&scene->bodies))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->bodies.data[scene->bodies.count - 1] = body;
    return scene->bodies.count - 1;
}

ashi_scene_shape ashi_default_scene_shape(void)
{
    ash_shape_def usual = ash_default_shape_def();
    return (ashi_scene_shape){.geometry = ASHI_NONE,
                              .material = ASHI_NONE,
                              .density = usual.density,
                              .pose = usual.pose,
                              .category = usual.category,
                              .mask = usual.mask};
}

uint32_t ashi_scene_add_shape(ash_scene *scene, uint32_t body, const ashi_scene_shape *shape)
{
    if (scene->bodies.count == 0 || body != scene->bodies.count - 1)
        return note_failure(scene, ASH_BAD_ARGUMENT);
    ashi_scene_shape entry = *shape;
    if (!keep_name(scene, &entry.name) || !ashi_array_extend(&scene->shapes))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->shapes.data[scene->shapes.count - 1] = entry;
    scene->bodies.data[body].shape_count++;
    return scene->shapes.count - 1;
}

uint32_t ashi_scene_add_spring(ash_scene *scene, const ash_spring_def *def)
{
    return ashi_scene_add_force(scene, &(ashi_scene_force){.kind = ASH_FORCE_SPRING, .def.spring = *def});
}

static bool keep_force(ash_scene *scene, ashi_scene_force *force)
{
    ash_signal *signal = force->kind == ASH_FORCE_LOAD ? &force->def.load.signal : NULL;
    return keep_name(scene, ashi_scene_force_name_of(force)) &&
           (signal == NULL || (keep_numbers(scene, &signal->times, signal->count) &&
                               keep_numbers(scene, &signal->values, signal->count)));
}

uint32_t ashi_scene_add_force(ash_scene *scene, const ashi_scene_force *force)
{
    if (!ashi_scene_force_is_data(force->kind))
        return note_failure(scene, ASH_BAD_ARGUMENT);
    ashi_scene_force entry = *force;
    if (!keep_force(scene, &entry) || !ashi_array_extend(&scene->forces))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->forces.data[scene->forces.count - 1] = entry;
    return scene->forces.count - 1;
}

uint32_t ashi_scene_add_joint(ash_scene *scene, const ash_joint_def *def)
{
    ashi_scene_joint entry = {.def = *def};
    entry.def.user_data = NULL;
    bool kept = keep_name(scene, &entry.def.name) && keep_points(scene, &entry.def.path, entry.def.path_count);
    for (uint32_t i = 0; kept && i < ASH_FREEDOMS; i++) {
        ash_signal *signal = &entry.def.axes[i].motor.signal;
        kept =
            keep_numbers(scene, &signal->times, signal->count) && keep_numbers(scene, &signal->values, signal->count);
    }
    if (!kept || !ashi_array_extend(&scene->joints))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->joints.data[scene->joints.count - 1] = entry;
    return scene->joints.count - 1;
}

const char *const ashi_effort_variables[ASHI_EFFORT_VARIABLES] = {"t", "q", "qd"};

bool ashi_scene_set_effort(ash_scene *scene, uint32_t joint, ash_freedom freedom, const char *expression, double limit)
{
    const char *copy = ashi_arena_text(scene->text, expression);
    if (copy == NULL)
        return note_failure(scene, ASH_OUT_OF_MEMORY) == 0;
    scene->joints.data[joint].effort[freedom] = copy;
    scene->joints.data[joint].effort_limit[freedom] = limit;
    return true;
}

uint32_t ashi_scene_add_output(ash_scene *scene, const ashi_scene_output *output)
{
    ashi_scene_output entry = *output;
    if (!keep_name(scene, &entry.name) || !ashi_array_extend(&scene->outputs))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->outputs.data[scene->outputs.count - 1] = entry;
    return scene->outputs.count - 1;
}

uint32_t ashi_scene_add_event(ash_scene *scene, const ashi_scene_event *event)
{
    if (!ashi_array_extend(&scene->events))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->events.data[scene->events.count - 1] = *event;
    return scene->events.count - 1;
}

uint32_t ashi_scene_add_check(ash_scene *scene, const ashi_scene_check *check)
{
    ashi_scene_check entry = *check;
    if (!keep_name(scene, &entry.name) || !ashi_array_extend(&scene->checks))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->checks.data[scene->checks.count - 1] = entry;
    return scene->checks.count - 1;
}

uint32_t ashi_scene_add_ignored_pair(ash_scene *scene, uint32_t body_a, uint32_t body_b)
{
    if (!ashi_array_extend(&scene->ignored_pairs))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->ignored_pairs.data[scene->ignored_pairs.count - 1] = (ashi_scene_ignored_pair){body_a, body_b};
    return scene->ignored_pairs.count - 1;
}

uint32_t ashi_scene_add_note(ash_scene *scene, const char *file, int line, const char *message)
{
    /* Notes of one file are consecutive: its name is stored once. */
    const ashi_import_note *last = scene->notes.count > 0 ? &scene->notes.data[scene->notes.count - 1] : NULL;
    ashi_import_note note = {.line = line};
    note.file = last != NULL && strcmp(last->file, file) == 0 ? last->file : ashi_arena_text(scene->text, file);
    note.message = ashi_arena_text(scene->text, message);
    if (note.file == NULL || note.message == NULL || !ashi_array_extend(&scene->notes))
        return note_failure(scene, ASH_OUT_OF_MEMORY);
    scene->notes.data[scene->notes.count - 1] = note;
    return scene->notes.count - 1;
}

ash_status ashi_scene_finish(ash_scene *scene, ash_diagnostic *diagnostic)
{
    switch (scene->failure) {
    case ASH_OK:
        return ASH_OK;
    case ASH_OUT_OF_MEMORY:
        return ashi_out_of_memory(diagnostic);
    default:
        return ashi_fail(diagnostic, scene->failure, "scene.misuse",
                         "a shape was added to a body that is not the last, or a force of a kind that no scene holds");
    }
}

const char *ash_scene_get_name(const ash_scene *scene)
{
    return scene->name;
}

const char *ash_scene_get_summary(const ash_scene *scene)
{
    return scene->summary;
}

uint32_t ash_scene_get_note_count(const ash_scene *scene)
{
    return scene->notes.count;
}

ash_scene_note ash_scene_get_note(const ash_scene *scene, uint32_t index)
{
    if (index >= scene->notes.count)
        return (ash_scene_note){"", "", 0};
    const ashi_import_note *note = &scene->notes.data[index];
    return (ash_scene_note){note->file, note->message, note->line};
}

ash_method ash_scene_get_method(const ash_scene *scene)
{
    return scene->method;
}

ash_status ash_scene_set_method(ash_scene *scene, const ash_method *method)
{
    if (scene == NULL || method == NULL || memchr(method->name, 0, sizeof method->name) == NULL ||
        !ashi_method_is_valid(method, NULL))
        return ASH_BAD_ARGUMENT;
    scene->method = *method;
    /* A preset's name implies its fields. */
    ash_method preset;
    if (ash_method_find(method->name, &preset, NULL) != ASH_OK || !ashi_method_has_same_fields(&preset, method))
        snprintf(scene->method.name, sizeof scene->method.name, "custom");
    return ASH_OK;
}

double ash_scene_get_step(const ash_scene *scene)
{
    return scene->step;
}

double ash_scene_get_time(const ash_scene *scene)
{
    return scene->time;
}

uint32_t ash_scene_get_parameter_count(const ash_scene *scene)
{
    return scene->parameters.count;
}

ash_scene_parameter ash_scene_get_parameter(const ash_scene *scene, uint32_t index)
{
    if (index >= scene->parameters.count)
        return (ash_scene_parameter){.name = "", .summary = ""};
    return scene->parameters.data[index];
}

double ash_scene_get_accuracy(const ash_scene *scene)
{
    return scene->accuracy;
}

ash_status ash_scene_set_accuracy(ash_scene *scene, double error)
{
    if (!(error >= 0) || !isfinite(error))
        return ASH_BAD_ARGUMENT;
    scene->accuracy = error;
    return ASH_OK;
}
