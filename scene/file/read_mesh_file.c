/* "file" of hulls and meshes: their points and triangles are in another file, such as OBJ or STL. */
#include "scene/file/mesh_file.h"
#include "scene/file/read.h"
#include "scene/file/source.h"

#include "math/vec3.h"

#include <stdio.h>
#include <string.h>

void ashi_mesh_file_scale(ashi_mesh_file *mesh, ash_vec3 scale)
{
    for (uint32_t i = 0; i < mesh->point_count; i++)
        mesh->points[i] = v3_mul(mesh->points[i], scale);
    for (uint32_t i = 0; scale.x * scale.y * scale.z < 0 && i < mesh->triangle_count; i++) {
        uint32_t *corners = mesh->triangles + 3 * (size_t)i, first = corners[0];
        corners[0] = corners[1];
        corners[1] = first;
    }
}

static const char *const unit_names[] = {"m", "cm", "mm", "in", "ft"};
static const double units[] = {1, 0.01, 0.001, 0.0254, 0.3048};

/* One factor, or one for each axis. Negative ones mirror. */
static bool read_scale(ashi_reader *reader, const ashi_place *shape, ash_vec3 *scale)
{
    double xyz[3] = {1, 1, 1};
    ashi_place at = ashi_at_key(shape, "scale");
    if (at.value != NULL && !json_is_array(at.value)) {
        if (!ashi_read_number(reader, shape, "scale", ASHI_REQUIRED, ASHI_ANY, &xyz[0]))
            return false;
        xyz[1] = xyz[2] = xyz[0];
    } else if (at.value != NULL && !ashi_read_tuple(reader, &at, 3, xyz))
        return false;
    if (xyz[0] == 0 || xyz[1] == 0 || xyz[2] == 0)
        return ashi_read_wrong(reader, &at, "scene.value", "factors that are not 0");
    *scale = v3(xyz[0], xyz[1], xyz[2]);
    return true;
}

/* The path of a file named in the scene, from the folder of the file in which the name stands. */
static bool find_path(ashi_reader *reader, const ashi_place *at, const char *name, char *path, size_t size)
{
    char json_path[256];
    ash_diagnostic here = {.file = ""};
    if (reader->path == NULL)
        return ashi_read_fail(reader, at, ASH_UNSUPPORTED, "scene.no-file",
                              "a scene that is not in a file cannot name others");
    ashi_place_path(at, json_path, sizeof json_path);
    ashi_source_find(&reader->scene->source, json_path, false, &here);
    const char *base = here.file[0] != 0 ? here.file : reader->path, *slash = strrchr(base, '/');
    int length = slash != NULL && *name != '/' ? (int)(slash - base) + 1 : 0;
    int written = snprintf(path, size, "%.*s%s", length, base, name);
    return (written > 0 && (size_t)written < size) ||
           ashi_read_fail(reader, at, ASH_BAD_DATA, "scene.value", "the path of the file is too long");
}

bool ashi_read_mesh_file(ashi_reader *reader, const ashi_place *shape, ashi_mesh_file *mesh)
{
    static const char *const others[] = {"points", "triangles"};
    char path[4096];
    const char *name;
    uint32_t unit = 0;
    ash_vec3 scale = v3(1, 1, 1);
    ashi_place at = ashi_at_key(shape, "file");
    for (int i = 0; i < 2; i++) {
        ashi_place other = ashi_at_key(shape, others[i]);
        if (other.value != NULL)
            return ashi_read_fail_key(reader, &other, ASH_BAD_DATA, "scene.conflict",
                                      "\"%s\" cannot be given together with \"file\"", others[i]);
    }
    if (!ashi_read_text(reader, shape, "file", ASHI_REQUIRED, &name) || !read_scale(reader, shape, &scale) ||
        !ashi_read_word(reader, shape, "unit", ASHI_OPTIONAL, (ashi_words){unit_names, 5}, &unit) ||
        !find_path(reader, &at, name, path, sizeof path))
        return false;
    ash_status status = ashi_mesh_file_read(path, mesh, &reader->diagnostic);
    if (status != ASH_OK)
        return ashi_read_passed_on(reader, &at, status);
    ashi_mesh_file_scale(mesh, v3_scale(scale, units[unit]));
    return true;
}
