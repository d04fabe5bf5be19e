/* The sections of a scene file, read in this order: each may refer to objects of earlier ones. */
#ifndef ASHI_SCENE_READ_H
#define ASHI_SCENE_READ_H

#include "scene/file/fields.h"
#include "scene/file/mesh_file.h"

bool ashi_read_world(ashi_reader *reader, const ashi_place *root);
bool ashi_read_materials(ashi_reader *reader, const ashi_place *root);
bool ashi_read_material_pairs(ashi_reader *reader, const ashi_place *root);
bool ashi_read_shapes(ashi_reader *reader, const ashi_place *root);
bool ashi_read_bodies(ashi_reader *reader, const ashi_place *root);
/* Strings and nets: their bodies, and later their springs. */
bool ashi_read_strings(ashi_reader *reader, const ashi_place *root);
bool ashi_read_string_forces(ashi_reader *reader);
bool ashi_read_ignored_pairs(ashi_reader *reader, const ashi_place *root);
bool ashi_read_joints(ashi_reader *reader, const ashi_place *root);
bool ashi_read_forces(ashi_reader *reader, const ashi_place *root);
bool ashi_read_outputs(ashi_reader *reader, const ashi_place *root);
bool ashi_read_events(ashi_reader *reader, const ashi_place *root);
bool ashi_read_checks(ashi_reader *reader, const ashi_place *root);

/* The shape under "shape": a name of the section `shapes`, or a shape written in place, which is added to the scene. */
bool ashi_read_shape(ashi_reader *reader, const ashi_place *object, uint32_t *geometry);
/* The keys of an object by their table; other keys are refused. `given`: a bit for each key that is present. */
bool ashi_read_keys(ashi_reader *reader, const ashi_place *place, const ashi_key_table *table, void *object,
                    uint32_t *given);
/* A material by its name; ASHI_NONE, the default one, where it is left out. */
bool ashi_read_material_name(ashi_reader *reader, const ashi_place *object, const char *key, uint32_t *material);
/* A body that is in the world at the start; null or missing is the background. */
bool ashi_read_present_body(ashi_reader *reader, const ashi_place *object, const char *key, ash_body *body);
/* "signal", where there is one; its tables are released by the caller. */
bool ashi_read_signal(ashi_reader *reader, const ashi_place *object, ash_signal *signal, double **times,
                      double **values);
/* A number, 0 or more, or "initial" (also where it is left out): -1, as it is at the start. */
bool ashi_read_length(ashi_reader *reader, const ashi_place *object, const char *key, double *length);
/* "position" and "rotation". */
bool ashi_read_pose(ashi_reader *reader, const ashi_place *object, ash_transform *pose);

/* The mesh of "file", with "scale" and "unit"; released by the caller. */
bool ashi_read_mesh_file(ashi_reader *reader, const ashi_place *shape, ashi_mesh_file *mesh);

#endif
