/* Shapes of scene files. A named shape is read when it is first needed, so that compounds may name shapes that follow;
 * its number is fixed by its place in the file. Each kind has its keys, which are those of ash_geometry_def. */
#include "scene/file/read.h"

#include "math/vec3.h"

#include <string.h>

/* A compound with more simple parts than this, including those of nested compounds, is refused as a mistake: a few
 * lines of nested compounds can describe more parts than any machine can hold. */
enum { MOST_PARTS = 100000 };

/* The definition being read, and the memory that it points to. */
typedef struct draft {
    ash_geometry_def def;
    ash_vec3 *points;
    uint32_t *triangles;
    double *values;
    ash_geometry_part *parts;
} draft;

static void release_draft(draft *d)
{
    ashi_dealloc(d->points);
    ashi_dealloc(d->triangles);
    ashi_dealloc(d->values);
    ashi_dealloc(d->parts);
}

static bool read_geometry(ashi_reader *reader, const ashi_place *place, uint32_t depth, ash_geometry **geometry);
static bool read_reference(ashi_reader *reader, const ashi_place *place, uint32_t depth, uint32_t *number);

static bool read_count(ashi_reader *reader, const ashi_place *place, uint32_t low, uint32_t high, uint32_t *count)
{
    json_int_t number = json_integer_value(place->value);
    if (!json_is_integer(place->value) || number < low || number > high)
        return ashi_read_wrong(reader, place, json_is_integer(place->value) ? "scene.value" : "scene.type",
                               "a whole number from %u to %u", low, high);
    *count = (uint32_t)number;
    return true;
}

bool ashi_read_pose(ashi_reader *reader, const ashi_place *object, ash_transform *pose)
{
    return ashi_read_vector(reader, object, "position", ASHI_OPTIONAL, &pose->position) &&
           ashi_read_rotation(reader, object, "rotation", &pose->rotation);
}

/* Points, `fewest` to `most`; those of flat kinds have two coordinates. */
static bool read_points(ashi_reader *reader, const ashi_place *object, draft *d, bool flat, size_t fewest, size_t most)
{
    ashi_place list = ashi_at_key(object, "points");
    size_t count;
    if (!json_is_array(list.value))
        return ashi_read_wrong(reader, &list, "scene.type", "a list of points [%s]", flat ? "x, y" : "x, y, z");
    if (!ashi_read_array(reader, &list, &count))
        return false;
    if (count < fewest || count > most)
        return ashi_read_wrong(reader, &list, "scene.value", fewest == most ? "%zu points" : "%zu points or more",
                               fewest);
    d->points = ashi_alloc_array(count, sizeof *d->points);
    if (d->points == NULL)
        return ashi_read_no_memory(reader);
    for (size_t i = 0; i < count; i++) {
        ashi_place at = ashi_at_index(&list, i);
        double xyz[3] = {0};
        if (!ashi_read_tuple(reader, &at, flat ? 2 : 3, xyz))
            return false;
        d->points[i] = v3(xyz[0], xyz[1], xyz[2]);
    }
    d->def.points = d->points;
    d->def.point_count = (uint32_t)count;
    return true;
}

static bool read_triangles(ashi_reader *reader, const ashi_place *object, draft *d)
{
    ashi_place list = ashi_at_key(object, "triangles");
    size_t count;
    if (!json_is_array(list.value))
        return ashi_read_wrong(reader, &list, "scene.type", "a list of triangles [i, j, k] of point numbers from 0");
    if (!ashi_read_array(reader, &list, &count))
        return false;
    d->triangles = ashi_alloc_array(count, 3 * sizeof *d->triangles);
    if (d->triangles == NULL)
        return ashi_read_no_memory(reader);
    for (size_t i = 0; i < count; i++) {
        ashi_place triangle = ashi_at_index(&list, i);
        if (!json_is_array(triangle.value) || json_array_size(triangle.value) != 3)
            return ashi_read_wrong(reader, &triangle, "scene.type", "a list of 3 point numbers");
        for (size_t k = 0; k < 3; k++) {
            ashi_place corner = ashi_at_index(&triangle, k);
            if (!read_count(reader, &corner, 0, d->def.point_count - 1, &d->triangles[3 * i + k]))
                return false;
        }
    }
    d->def.triangles = d->triangles;
    d->def.triangle_count = (uint32_t)count;
    return true;
}

static bool read_cells(ashi_reader *reader, const ashi_place *object, uint32_t axes, draft *d)
{
    ashi_place list = ashi_at_key(object, "cells");
    if (!json_is_array(list.value) || json_array_size(list.value) != axes)
        return ashi_read_wrong(reader, &list, "scene.type", "a list of %u sample counts", axes);
    for (uint32_t i = 0; i < axes; i++) {
        ashi_place at = ashi_at_index(&list, i);
        if (!read_count(reader, &at, 2, 65536, &d->def.cells[i]))
            return false;
    }
    return true;
}

static bool read_values(ashi_reader *reader, const ashi_place *object, uint32_t axes, draft *d)
{
    uint64_t wanted = 1;
    uint32_t count;
    for (uint32_t i = 0; i < axes; i++)
        wanted *= d->def.cells[i];
    if (!ashi_read_numbers(reader, object, "values", &d->values, &count))
        return false;
    ashi_place at = ashi_at_key(object, "values");
    if (count != wanted) {
        ashi_read_fail(reader, &at, ASH_BAD_DATA, "scene.value", "there are %u values", count);
        return ashi_read_expect(reader, "%llu, the product of the cells", (unsigned long long)wanted);
    }
    d->def.values = d->values;
    return true;
}

/* `axes` numbers above 0. */
static bool read_extents(ashi_reader *reader, const ashi_place *object, const char *key, size_t axes, ash_vec3 *vector)
{
    double xyz[3] = {0};
    ashi_place place = ashi_at_key(object, key);
    if (!ashi_read_tuple(reader, &place, axes, xyz))
        return false;
    for (size_t i = 0; i < axes; i++) {
        ashi_place at = ashi_at_index(&place, i);
        if (!(xyz[i] > 0))
            return ashi_read_wrong(reader, &at, "scene.value", "a number above 0");
    }
    *vector = v3(xyz[0], xyz[1], xyz[2]);
    return true;
}

static bool read_height_field(ashi_reader *reader, const ashi_place *place, draft *d)
{
    return read_cells(reader, place, 2, d) && read_extents(reader, place, "spacing", 2, &d->def.spacing) &&
           ashi_read_vector(reader, place, "origin", ASHI_OPTIONAL, &d->def.origin) && read_values(reader, place, 2, d);
}

/* The grid reaches from the mesh's bounds, widened by the margin, to the other side. */
static bool read_sampled_field(ashi_reader *reader, const ashi_place *place, uint32_t depth, draft *d)
{
    double margin = 0;
    uint32_t number;
    ashi_place at = ashi_at_key(place, "mesh");
    if (!read_reference(reader, &at, depth + 1, &number) ||
        !ashi_read_number(reader, place, "margin", ASHI_REQUIRED, ASHI_NOT_NEGATIVE, &margin))
        return false;
    const ash_geometry *mesh = reader->scene->geometries.data[number].geometry;
    if (ash_geometry_get_definition(mesh)->kind != ASH_GEOMETRY_MESH)
        return ashi_read_wrong(reader, &at, "scene.value", "the name of a shape of kind \"mesh\"");
    static const char *const others[] = {"origin", "spacing", "values"};
    for (size_t i = 0; i < 3; i++) {
        ashi_place other = ashi_at_key(place, others[i]);
        if (other.value != NULL)
            return ashi_read_fail_key(reader, &other, ASH_BAD_DATA, "scene.conflict",
                                      "\"%s\" cannot be given for a field that is sampled from a mesh", others[i]);
    }
    ash_bounds bounds = ash_geometry_bounds(mesh, ash_identity());
    ash_vec3 low = v3_sub(bounds.lower, v3(margin, margin, margin));
    ash_vec3 size = v3_sub(v3_add(bounds.upper, v3(margin, margin, margin)), low);
    d->def.origin = low;
    d->def.spacing = v3(size.x / (d->def.cells[0] - 1), size.y / (d->def.cells[1] - 1), size.z / (d->def.cells[2] - 1));
    d->def.sample_mesh = mesh;
    return true;
}

static bool read_distance_field(ashi_reader *reader, const ashi_place *place, uint32_t depth, draft *d)
{
    if (!read_cells(reader, place, 3, d))
        return false;
    bool sampled = json_object_get(place->value, "mesh") != NULL;
    uint64_t samples = (uint64_t)d->def.cells[0] * d->def.cells[1] * d->def.cells[2];
    ashi_place cells = ashi_at_key(place, "cells");
    int most = sampled ? ASH_MAX_SAMPLED : ASH_MAX_SAMPLES;
    if (samples > (uint64_t)most)
        return ashi_read_wrong(reader, &cells, "scene.value", "at most %d samples in all", most);
    reader->sampled += sampled ? samples : 0;
    if (reader->sampled > ASHI_MAX_SAMPLED) {
        ashi_read_fail(reader, &cells, ASH_BAD_DATA, "scene.value",
                       "distance fields take %llu samples of meshes in this scene",
                       (unsigned long long)reader->sampled);
        return ashi_read_expect(reader, "at most %d", ASHI_MAX_SAMPLED);
    }
    if (sampled)
        return read_sampled_field(reader, place, depth, d);
    ashi_place margin = ashi_at_key(place, "margin");
    if (margin.value != NULL)
        return ashi_read_fail_key(reader, &margin, ASH_BAD_DATA, "scene.conflict",
                                  "\"margin\" is for a field that is sampled from a mesh");
    return ashi_read_vector(reader, place, "origin", ASHI_OPTIONAL, &d->def.origin) &&
           read_extents(reader, place, "spacing", 3, &d->def.spacing) && read_values(reader, place, 3, d);
}

static uint64_t count_parts(const ash_geometry *geometry)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    if (def->kind != ASH_GEOMETRY_COMPOUND)
        return 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < def->part_count; i++)
        count += count_parts(def->parts[i].geometry);
    return count;
}

static bool read_compound(ashi_reader *reader, const ashi_place *place, uint32_t depth, draft *d)
{
    static const char *const keys[] = {"shape", "position", "rotation"};
    ashi_place list = ashi_at_key(place, "parts");
    size_t count;
    uint64_t total = 0;
    if (!json_is_array(list.value))
        return ashi_read_wrong(reader, &list, "scene.type", "a list of parts {\"shape\": ...}");
    if (!ashi_read_array(reader, &list, &count))
        return false;
    d->parts = ashi_alloc_array(count, sizeof *d->parts);
    if (d->parts == NULL)
        return ashi_read_no_memory(reader);
    d->def.parts = d->parts;
    for (size_t i = 0; i < count; i++) {
        ashi_place part = ashi_at_index(&list, i);
        ash_transform pose = ash_identity();
        if (!ashi_read_object(reader, &part, (ashi_words){keys, 3}) || !ashi_read_pose(reader, &part, &pose))
            return false;
        ashi_place shape = ashi_at_key(&part, "shape");
        ash_geometry *geometry;
        if (json_is_string(shape.value)) {
            uint32_t number;
            if (!read_reference(reader, &shape, depth + 1, &number))
                return false;
            geometry = ash_geometry_retain(reader->scene->geometries.data[number].geometry);
        } else if (!read_geometry(reader, &shape, depth + 1, &geometry)) {
            return false;
        }
        d->parts[d->def.part_count++] = (ash_geometry_part){geometry, pose};
        total += count_parts(geometry);
        if (total > MOST_PARTS)
            return ashi_read_fail(reader, &list, ASH_BAD_DATA, "scene.value",
                                  "the compound has more than %d parts, those of its parts counted", MOST_PARTS);
    }
    return true;
}

/* Points, and triangles of a mesh, here or in another file. */
static bool read_solid(ashi_reader *reader, const ashi_place *place, draft *d)
{
    bool mesh = d->def.kind != ASH_GEOMETRY_HULL;
    ashi_mesh_file file = {.points = NULL};
    ashi_place at = ashi_at_key(place, "file");
    if (d->def.kind == ASH_GEOMETRY_MESH && !ashi_read_bool(reader, place, "open", &d->def.open))
        return false;
    if (at.value == NULL) {
        static const char *const keys[] = {"scale", "unit"};
        for (int i = 0; i < 2; i++) {
            ashi_place other = ashi_at_key(place, keys[i]);
            if (other.value != NULL)
                return ashi_read_fail_key(reader, &other, ASH_BAD_DATA, "scene.conflict", "\"%s\" is for a \"file\"",
                                          keys[i]);
        }
        return read_points(reader, place, d, false, d->def.open || d->def.kind == ASH_GEOMETRY_COMPOUND ? 3 : 4,
                           ASHI_NONE) &&
               (!mesh || read_triangles(reader, place, d));
    }
    if (!ashi_read_mesh_file(reader, place, &file))
        return false;
    d->def.points = d->points = file.points;
    d->def.point_count = file.point_count;
    d->triangles = file.triangles;
    if (mesh) {
        d->def.triangles = file.triangles;
        d->def.triangle_count = file.triangle_count;
    }
    return true;
}

/* Two ends, or four points of a chain. */
static bool read_segment(ashi_reader *reader, const ashi_place *place, draft *d)
{
    ashi_place list = ashi_at_key(place, "points");
    size_t count = json_array_size(list.value);
    if (json_is_array(list.value) && count != 2 && count != 4)
        return ashi_read_wrong(reader, &list, "scene.value",
                               "2 points, or 4 of a chain: previous, start, end and next");
    return read_points(reader, place, d, true, 2, 4);
}

static bool read_sizes(ashi_reader *reader, const ashi_place *place, draft *d, bool height)
{
    return ashi_read_number(reader, place, "radius", ASHI_REQUIRED, ASHI_POSITIVE, &d->def.radius) &&
           (!height || ashi_read_number(reader, place, "height", ASHI_REQUIRED, ASHI_POSITIVE, &d->def.height));
}

static bool read_definition(ashi_reader *reader, const ashi_place *place, uint32_t depth, draft *d)
{
    switch (d->def.kind) {
    case ASH_GEOMETRY_SPHERE:
    case ASH_GEOMETRY_CIRCLE:
        return read_sizes(reader, place, d, false);
    case ASH_GEOMETRY_CAPSULE:
    case ASH_GEOMETRY_CYLINDER:
    case ASH_GEOMETRY_CONE:
    case ASH_GEOMETRY_FLAT_CAPSULE:
        return read_sizes(reader, place, d, true);
    case ASH_GEOMETRY_BOX:
    case ASH_GEOMETRY_ELLIPSOID:
        return read_extents(reader, place, "half_extents", 3, &d->def.half_extents);
    case ASH_GEOMETRY_HULL:
    case ASH_GEOMETRY_MESH:
        return read_solid(reader, place, d);
    case ASH_GEOMETRY_HEIGHT_FIELD:
        return read_height_field(reader, place, d);
    case ASH_GEOMETRY_DISTANCE_FIELD:
        return read_distance_field(reader, place, depth, d);
    case ASH_GEOMETRY_COMPOUND:
        return read_compound(reader, place, depth, d);
    case ASH_GEOMETRY_POLYGON:
        return read_points(reader, place, d, true, 3, ASHI_NONE);
    case ASH_GEOMETRY_SEGMENT:
        d->def.radius = 0;
        return read_segment(reader, place, d) &&
               ashi_read_number(reader, place, "radius", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &d->def.radius);
    default: /* a plane has no sizes */
        return true;
    }
}

/* "kind" and, after it, the keys of that kind. */
static ashi_words keys_of_kind(uint32_t kind)
{
    static const char *const keys[ASHI_SCENE_KINDS][10] = {
        [ASH_GEOMETRY_SPHERE] = {"kind", "radius"},
        [ASH_GEOMETRY_CAPSULE] = {"kind", "radius", "height"},
        [ASH_GEOMETRY_BOX] = {"kind", "half_extents"},
        [ASH_GEOMETRY_CYLINDER] = {"kind", "radius", "height"},
        [ASH_GEOMETRY_CONE] = {"kind", "radius", "height"},
        [ASH_GEOMETRY_ELLIPSOID] = {"kind", "half_extents"},
        [ASH_GEOMETRY_HULL] = {"kind", "points", "file", "scale", "unit"},
        [ASH_GEOMETRY_MESH] = {"kind", "points", "triangles", "file", "scale", "unit", "open"},
        [ASH_GEOMETRY_PLANE] = {"kind"},
        [ASH_GEOMETRY_HEIGHT_FIELD] = {"kind", "cells", "origin", "spacing", "values"},
        [ASH_GEOMETRY_DISTANCE_FIELD] = {"kind", "cells", "origin", "spacing", "values", "mesh", "margin"},
        [ASH_GEOMETRY_COMPOUND] = {"kind", "parts"},
        [ASH_GEOMETRY_CIRCLE] = {"kind", "radius"},
        [ASH_GEOMETRY_POLYGON] = {"kind", "points"},
        [ASH_GEOMETRY_FLAT_CAPSULE] = {"kind", "radius", "height"},
        [ASH_GEOMETRY_SEGMENT] = {"kind", "points", "radius"},
        [ASHI_KIND_OUTLINE] = {"kind", "points"},
        [ASHI_KIND_CHAIN] = {"kind", "points", "radius", "closed"},
        [ASHI_KIND_PARTS] = {"kind", "points", "triangles", "file", "scale", "unit", "tolerance", "most"},
    };
    uint32_t count = 0;
    while (keys[kind][count] != NULL)
        count++;
    return (ashi_words){keys[kind], count};
}

static bool read_outline(ashi_reader *reader, const ashi_place *place, ash_geometry **geometry)
{
    draft d = {.points = NULL};
    bool done = read_points(reader, place, &d, true, 3, ASHI_NONE);
    if (done) {
        ash_status status = ash_geometry_create_outline(d.points, d.def.point_count, geometry, &reader->diagnostic);
        done = status == ASH_OK || ashi_read_passed_on(reader, place, status);
    }
    release_draft(&d);
    return done;
}

static bool read_chain(ashi_reader *reader, const ashi_place *place, ash_geometry **geometry)
{
    draft d = {.points = NULL};
    double radius = 0;
    bool closed = false;
    bool done = ashi_read_bool(reader, place, "closed", &closed) &&
                read_points(reader, place, &d, true, 2, MOST_PARTS) &&
                ashi_read_number(reader, place, "radius", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &radius);
    if (done) {
        ash_status status =
            ash_geometry_create_chain(d.points, d.def.point_count, closed, radius, geometry, &reader->diagnostic);
        done = status == ASH_OK || ashi_read_passed_on(reader, place, status);
    }
    release_draft(&d);
    return done;
}

/* Convex parts of a surface, here or in another file. */
static bool read_parts(ashi_reader *reader, const ashi_place *place, ash_geometry **geometry)
{
    draft d = {.def.kind = ASH_GEOMETRY_COMPOUND};
    double tolerance = ASHI_PARTS_TOLERANCE;
    uint32_t most = ASHI_MOST_PARTS;
    ashi_place limit = ashi_at_key(place, "most");
    bool done = ashi_read_number(reader, place, "tolerance", ASHI_OPTIONAL, ASHI_POSITIVE, &tolerance) &&
                (limit.value == NULL || read_count(reader, &limit, 1, ASH_MAX_CONVEX_PARTS, &most)) &&
                read_solid(reader, place, &d);
    if (done) {
        ash_status status =
            ash_geometry_create_parts(d.def.points, d.def.point_count, d.def.triangles, d.def.triangle_count, tolerance,
                                      most, geometry, &reader->diagnostic);
        done = status == ASH_OK || ashi_read_passed_on(reader, place, status);
    }
    release_draft(&d);
    return done;
}

static bool read_geometry(ashi_reader *reader, const ashi_place *place, uint32_t depth, ash_geometry **geometry)
{
    uint32_t kind;
    if (depth > ASHI_DEEPEST_SHAPE)
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "shapes are nested more than %d deep",
                              ASHI_DEEPEST_SHAPE);
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type",
                               depth > 0 ? "the name of a shape, or a shape {\"kind\": ...}"
                                         : "a shape {\"kind\": ...}");
    if (!ashi_read_word(reader, place, "kind", ASHI_REQUIRED, ashi_geometry_kind_words(), &kind) ||
        !ashi_read_object(reader, place, keys_of_kind(kind)))
        return false;
    if (kind == ASHI_KIND_PARTS)
        return read_parts(reader, place, geometry);
    if (kind >= ASH_GEOMETRY_KINDS)
        return kind == ASHI_KIND_OUTLINE ? read_outline(reader, place, geometry) : read_chain(reader, place, geometry);
    draft d = {.def = ash_default_geometry_def((ash_geometry_kind)kind)};
    bool done = read_definition(reader, place, depth, &d);
    if (done) {
        ash_status status = ash_geometry_create(&d.def, geometry, &reader->diagnostic);
        done = status == ASH_OK || ashi_read_passed_on(reader, place, status);
    }
    for (uint32_t i = 0; i < d.def.part_count; i++)
        ash_geometry_release(d.parts[i].geometry);
    release_draft(&d);
    return done;
}

/* Reads the named shape unless it was read before. While one is being read, the shapes that refer to it are open. */
static bool complete_named(ashi_reader *reader, const ashi_place *asker, uint32_t number, uint32_t depth)
{
    const ashi_scene_geometry *entry = &reader->scene->geometries.data[number];
    if (entry->geometry != NULL)
        return true;
    for (uint32_t i = 0; i < reader->open_count; i++)
        if (reader->open_shapes[i] == number)
            return ashi_read_fail(reader, asker, ASH_BAD_DATA, "scene.cycle",
                                  "the shape \"%.100s\" is a part of itself", entry->name);
    if (reader->open_count == ASHI_DEEPEST_SHAPE)
        return ashi_read_fail(reader, asker, ASH_BAD_DATA, "scene.value", "shapes are nested more than %d deep",
                              ASHI_DEEPEST_SHAPE);
    const ashi_place *root = asker;
    while (root->parent != NULL)
        root = root->parent;
    ashi_place section = ashi_at_key(root, "shapes"), place = ashi_at_key(&section, entry->name);
    ash_geometry *geometry;
    reader->open_shapes[reader->open_count++] = number;
    bool done = read_geometry(reader, &place, depth, &geometry);
    reader->open_count--;
    if (done)
        reader->scene->geometries.data[number].geometry = geometry;
    return done;
}

static bool read_reference(ashi_reader *reader, const ashi_place *place, uint32_t depth, uint32_t *number)
{
    if (!json_is_string(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "the name of a shape");
    return ashi_read_reference(reader, place->parent, place->key, ASHI_REQUIRED, reader->geometries, 0, "shape",
                               number) &&
           complete_named(reader, place, *number, depth);
}

bool ashi_read_shape(ashi_reader *reader, const ashi_place *object, uint32_t *number)
{
    ashi_place place = ashi_at_key(object, "shape");
    if (json_is_string(place.value))
        return read_reference(reader, &place, 0, number);
    ash_geometry *geometry;
    if (!read_geometry(reader, &place, 1, &geometry))
        return false;
    *number = ashi_scene_add_geometry(reader->scene, NULL, geometry);
    return *number != ASHI_NONE || ashi_read_no_memory(reader);
}

bool ashi_read_shapes(ashi_reader *reader, const ashi_place *root)
{
    ashi_place shapes = ashi_at_key(root, "shapes");
    if (shapes.value == NULL)
        return true;
    if (!json_is_object(shapes.value))
        return ashi_read_wrong(reader, &shapes, "scene.type", "an object {name: {\"kind\": ...}, ...}");
    const char *name;
    json_t *value;
    json_object_foreach(shapes.value, name, value)
    {
        ashi_place place = {&shapes, name, 0, value};
        if (*name == 0)
            return ashi_read_fail_key(reader, &place, ASH_BAD_DATA, "scene.value", "a shape's name cannot be empty");
        uint32_t number = ashi_scene_add_geometry(reader->scene, name, NULL);
        if (number == ASHI_NONE)
            return ashi_read_no_memory(reader);
        if (!ashi_read_enter_name(reader, reader->geometries, name, number))
            return false;
    }
    uint32_t count = reader->scene->geometries.count;
    for (uint32_t i = 0; i < count; i++)
        if (!complete_named(reader, &shapes, i, 0))
            return false;
    return true;
}
