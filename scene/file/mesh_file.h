/* Meshes in files: OBJ, STL, DAE, glTF, PLY and other formats of Assimp. */
#ifndef ASHI_SCENE_MESH_FILE_H
#define ASHI_SCENE_MESH_FILE_H

#include "ashlar/base.h"
#include "ashlar/vector.h"

/* All triangles of a file in one list, placed as the file's own scene has them. Points at the same place are merged. */
typedef struct ashi_mesh_file {
    ash_vec3 *points;
    uint32_t *triangles; /* three point numbers each */
    uint32_t point_count, triangle_count;
    double colour[4]; /* red, green, blue, opacity of the file's first material */
    bool has_colour;
} ashi_mesh_file;

#define ASHI_MESH_FILE_TRIANGLES 4000000 /* at most */

/* Reads a file, in the file's unit where it has one (COLLADA), else by its plain numbers. Released by
 * ashi_mesh_file_release. */
ash_status ashi_mesh_file_read(const char *path, ashi_mesh_file *mesh, ash_diagnostic *diagnostic);
/* Multiplies coordinates; if that mirrors the mesh, its triangles are reversed. */
void ashi_mesh_file_scale(ashi_mesh_file *mesh, ash_vec3 scale);
void ashi_mesh_file_release(ashi_mesh_file *mesh);

#endif
