/* Replaces mesh_file.c in builds without Assimp (the page without a server): mesh files cannot be read. */
#include "base/diagnostic.h"
#include "scene/file/mesh_file.h"

ash_status ashi_mesh_file_read(const char *path, ashi_mesh_file *mesh, ash_diagnostic *diagnostic)
{
    (void)path;
    *mesh = (ashi_mesh_file){0};
    return ashi_fail(diagnostic, ASH_BAD_DATA, "mesh.absent", "this build reads no mesh files (it is without Assimp)");
}

void ashi_mesh_file_release(ashi_mesh_file *mesh)
{
    (void)mesh;
}
