/* Assimp flattens the file's tree of nodes and cuts polygons into triangles; lines and points are dropped. STL files
 * give every triangle points of its own, so points are joined here: those with the same three numbers are one. */
#define _POSIX_C_SOURCE 200809L
#include "scene/file/mesh_file.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/vec3.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 1 << 28 }; /* bytes of a file */

static ash_status fail(ash_diagnostic *diagnostic, const char *path, ash_status status, const char *code,
                       const char *reason)
{
    ashi_fail(diagnostic, status, code, "the mesh \"%.300s\" cannot be read: %.150s", path, reason);
    return status;
}

/* Numbers of points by their place. */
typedef struct place_table {
    uint32_t *slots; /* number of a point plus 1; 0: free */
    uint32_t mask;
} place_table;

static uint32_t hash_of(ash_vec3 p)
{
    uint64_t bits[3], hash = 0;
    memcpy(bits, &p, sizeof bits);
    for (int i = 0; i < 3; i++)
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return (uint32_t)(hash >> 32);
}

/* The number of the point, which is added if it is new. */
static uint32_t number_of(place_table *table, ashi_mesh_file *mesh, ash_vec3 p)
{
    p = v3_add(p, v3(0, 0, 0)); /* no negative zeros */
    for (uint32_t at = hash_of(p);; at++) {
        uint32_t *slot = &table->slots[at & table->mask];
        if (*slot == 0) {
            mesh->points[mesh->point_count] = p;
            *slot = ++mesh->point_count;
            return mesh->point_count - 1;
        }
        if (memcmp(&mesh->points[*slot - 1], &p, sizeof p) == 0)
            return *slot - 1;
    }
}

static bool add_mesh(const struct aiMesh *part, place_table *table, ashi_mesh_file *mesh)
{
    for (unsigned i = 0; i < part->mNumFaces; i++) {
        const struct aiFace *face = &part->mFaces[i];
        uint32_t corners[3];
        if (face->mNumIndices != 3)
            continue;
        for (int k = 0; k < 3; k++) {
            if (face->mIndices[k] >= part->mNumVertices)
                return false;
            struct aiVector3D v = part->mVertices[face->mIndices[k]];
            ash_vec3 p = v3((double)v.x, (double)v.y, (double)v.z);
            if (!v3_is_finite(p))
                return false;
            corners[k] = number_of(table, mesh, p);
        }
        /* Triangles without area belong to no surface. */
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0])
            continue;
        memcpy(mesh->triangles + 3 * (size_t)mesh->triangle_count++, corners, sizeof corners);
    }
    return true;
}

static void take_colour(const struct aiScene *scene, ashi_mesh_file *mesh)
{
    struct aiColor4D colour;
    if (scene->mNumMeshes == 0 || scene->mMeshes[0]->mMaterialIndex >= scene->mNumMaterials ||
        aiGetMaterialColor(scene->mMaterials[scene->mMeshes[0]->mMaterialIndex], AI_MATKEY_COLOR_DIFFUSE, &colour) !=
            AI_SUCCESS)
        return;
    const double values[4] = {(double)colour.r, (double)colour.g, (double)colour.b, (double)colour.a};
    for (int i = 0; i < 4; i++)
        if (!(values[i] >= 0 && values[i] <= 1))
            return;
    memcpy(mesh->colour, values, sizeof values);
    mesh->has_colour = true;
}

static ash_status take(const struct aiScene *scene, const char *path, ashi_mesh_file *mesh, ash_diagnostic *diagnostic)
{
    uint64_t triangles = 0;
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        triangles += scene->mMeshes[i]->mNumFaces;
    if (triangles == 0)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.empty", "there is no triangle in it");
    if (triangles > ASHI_MESH_FILE_TRIANGLES)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.too-large", "it has more than 4 million triangles");
    uint64_t slots = 16;
    while (slots < 6 * triangles)
        slots *= 2;
    place_table table = {ashi_alloc_zeroed(slots * sizeof *table.slots), (uint32_t)(slots - 1)};
    mesh->points = ashi_alloc_array(3 * triangles, sizeof *mesh->points);
    mesh->triangles = ashi_alloc_array(3 * triangles, sizeof *mesh->triangles);
    bool room = table.slots != NULL && mesh->points != NULL && mesh->triangles != NULL, usable = true;
    for (unsigned i = 0; room && usable && i < scene->mNumMeshes; i++)
        usable = add_mesh(scene->mMeshes[i], &table, mesh);
    ashi_dealloc(table.slots);
    if (!room)
        return ashi_out_of_memory(diagnostic);
    if (!usable)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.value", "a coordinate in it is not a finite number");
    if (mesh->triangle_count == 0)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.empty", "there is no triangle in it");
    take_colour(scene, mesh);
    return ASH_OK;
}

static const struct aiScene *import(const char *path)
{
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings == NULL)
        return NULL;
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_LINE | aiPrimitiveType_POINT);
    /* COLLADA files of robots use their own axes, regardless of the stated up direction. */
    aiSetImportPropertyInteger(settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene *scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices, NULL, settings);
    aiReleasePropertyStore(settings);
    return scene;
}

ash_status ashi_mesh_file_read(const char *path, ashi_mesh_file *mesh, ash_diagnostic *diagnostic)
{
    *mesh = (ashi_mesh_file){.points = NULL};
    struct stat about;
    if (stat(path, &about) != 0)
        return fail(diagnostic, path, ASH_NOT_FOUND, "mesh-file.missing", "there is no such file");
    if (!S_ISREG(about.st_mode))
        return fail(diagnostic, path, ASH_IO, "mesh-file.unreadable", "it is no regular file");
    if (about.st_size > LARGEST)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.too-large", "it is larger than 256 MiB");
    const struct aiScene *scene = import(path);
    if (scene == NULL)
        return fail(diagnostic, path, ASH_BAD_DATA, "mesh-file.format", aiGetErrorString());
    ash_status status = take(scene, path, mesh, diagnostic);
    aiReleaseImport(scene);
    if (status != ASH_OK)
        ashi_mesh_file_release(mesh);
    return status;
}

void ashi_mesh_file_release(ashi_mesh_file *mesh)
{
    ashi_dealloc(mesh->points);
    ashi_dealloc(mesh->triangles);
    *mesh = (ashi_mesh_file){.points = NULL};
}
