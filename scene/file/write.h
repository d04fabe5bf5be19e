/* The parts of the writer: shared functions, and one function per section. */
#ifndef ASHI_SCENE_WRITE_H
#define ASHI_SCENE_WRITE_H

#include "scene/description/keys.h"
#include "scene/file/json_text.h"

#include <jansson.h>

typedef struct ashi_writer {
    const ash_scene *scene;
    ashi_json_text json;
    const char **geometry_names;      /* by number; null: written where it is used */
    const char **material_names;      /* by number */
    json_t *bodies, *joints, *forces; /* name -> number, -1 for a name that several have */
    ashi_arena *generated;            /* names generated for objects without one */
} ashi_writer;

/* Prepares names for what the file refers to by name; false when memory ran out. */
bool ashi_writer_prepare(ashi_writer *writer);
void ashi_writer_release(ashi_writer *writer);

void ashi_write_materials(ashi_writer *writer); /* and their pairs */
void ashi_write_shapes(ashi_writer *writer);
void ashi_write_bodies(ashi_writer *writer);
void ashi_write_ignored_pairs(ashi_writer *writer);
void ashi_write_joints(ashi_writer *writer);
void ashi_write_forces(ashi_writer *writer);
void ashi_write_outputs(ashi_writer *writer);
void ashi_write_events(ashi_writer *writer);

/* Writes the keys of an object that differ from the default; or those of the bits of `given`. */
void ashi_write_keys(ashi_writer *writer, const ashi_key_table *table, const void *object);
void ashi_write_given_keys(ashi_writer *writer, const ashi_key_table *table, const void *object, uint32_t given);

void ashi_write_geometry(ashi_writer *writer, const char *key, const ash_geometry *geometry);
/* "position" and "rotation" where they are not the identity. */
void ashi_write_pose(ashi_writer *writer, ash_vec3 position, ash_quat rotation);
void ashi_write_rotation(ashi_writer *writer, const char *key, ash_quat rotation);
/* Refers to a body by its name if this is unique, else by its number. */
void ashi_write_body_reference(ashi_writer *writer, const char *key, uint32_t number);
void ashi_write_force_reference(ashi_writer *writer, const char *key, uint32_t number);
void ashi_write_joint_reference(ashi_writer *writer, const char *key, uint32_t number);
/* Nothing for the background. */
void ashi_write_body_unless_background(ashi_writer *writer, const char *key, ash_body body);
/* "signal", unless it is constant. */
void ashi_write_signal(ashi_json_text *json, const ash_signal *signal);
/* Only when it differs from the default. */
void ashi_write_number_unless(ashi_writer *writer, const char *key, double number, double usual);
void ashi_write_vector_unless(ashi_writer *writer, const char *key, ash_vec3 vector, ash_vec3 usual);

#endif
