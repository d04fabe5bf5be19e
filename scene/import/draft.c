/* Attributes, notes and files of an import. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "scene/import/draft.h"

#include "base/text.h"
#include "math/elementary.h"
#include "math/mat3.h"
#include "scene/file/file.h"
#include "scene/file/mesh_file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool ashi_draft_fail(ashi_draft *draft, const ashi_xml *at, const char *code, const char *format, ...)
{
    char message[sizeof draft->diagnostic.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    draft->status = ashi_xml_fail(at, &draft->diagnostic, ASH_BAD_DATA, code, "%s", message);
    return false;
}

bool ashi_draft_no_memory(ashi_draft *draft)
{
    draft->status = ashi_out_of_memory(&draft->diagnostic);
    return false;
}

bool ashi_draft_passed_on(ashi_draft *draft, const ashi_xml *at, ash_status status)
{
    draft->status = status;
    if (status != ASH_OUT_OF_MEMORY) {
        snprintf(draft->diagnostic.file, sizeof draft->diagnostic.file, "%s", at->file);
        draft->diagnostic.line = at->line;
        draft->diagnostic.column = at->column;
    }
    return status == ASH_OK;
}

void ashi_draft_note(ashi_draft *draft, const ashi_xml *at, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ashi_scene_add_note(draft->scene, at->file, at->line, message);
}

void ashi_draft_note_unread(ashi_draft *draft, const ashi_xml *element)
{
    if (!element->read) {
        ashi_draft_note(draft, element, "<%.60s> in <%.60s> is not supported", element->name,
                        element->parent != NULL ? element->parent->name : "");
        return; /* with all that is in it */
    }
    for (uint32_t i = 0; i < element->attribute_count; i++)
        if (!element->attributes[i].read && strncmp(element->attributes[i].name, "xmlns", 5) != 0)
            ashi_draft_note(draft, element, "the attribute %.60s of <%.60s> is not supported",
                            element->attributes[i].name, element->name);
    for (const ashi_xml *child = element->first; child != NULL; child = child->next)
        ashi_draft_note_unread(draft, child);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool wrong_numbers(ashi_draft *draft, const ashi_xml *at, const char *name, const char *value, uint32_t fewest,
                          uint32_t most)
{
    ashi_draft_fail(draft, at, "robot.number", "%.60s=\"%.200s\" of <%.60s> cannot be used", name, value, at->name);
    if (strstr(value, "${") != NULL)
        ashi_expect(&draft->diagnostic, "numbers; this file is to be expanded by xacro first");
    else if (fewest == most)
        ashi_expect(&draft->diagnostic, most == 1 ? "a finite number" : "%u finite numbers", most);
    else
        ashi_expect(&draft->diagnostic, "%u to %u finite numbers", fewest, most);
    return false;
}

bool ashi_draft_numbers(ashi_draft *draft, ashi_xml *at, const char *name, uint32_t fewest, uint32_t most,
                        double *numbers, uint32_t *count)
{
    const char *value = ashi_xml_get(at, name), *c = value;
    *count = 0;
    while (c != NULL) {
        while (is_space(*c))
            c++;
        if (*c == 0)
            break;
        char word[64];
        size_t length = 0;
        for (; *c != 0 && !is_space(*c); c++)
            if (length < sizeof word - 1)
                word[length++] = *c;
        word[length] = 0;
        if (*count == most || length == sizeof word - 1 || !ashi_parse_number(word, &numbers[*count]))
            return wrong_numbers(draft, at, name, value, fewest, most);
        ++*count;
    }
    return value == NULL || *count >= fewest || wrong_numbers(draft, at, name, value, fewest, most);
}

bool ashi_draft_number(ashi_draft *draft, ashi_xml *at, const char *name, double *number)
{
    uint32_t count;
    return ashi_draft_numbers(draft, at, name, 1, 1, number, &count);
}

bool ashi_draft_vector(ashi_draft *draft, ashi_xml *at, const char *name, ash_vec3 *vector)
{
    double xyz[3];
    uint32_t count;
    if (!ashi_draft_numbers(draft, at, name, 3, 3, xyz, &count))
        return false;
    if (count == 3)
        *vector = v3(xyz[0], xyz[1], xyz[2]);
    return true;
}

bool ashi_draft_text(ashi_draft *draft, ashi_xml *at, const char *name, const char **text)
{
    *text = ashi_xml_get(at, name);
    return *text != NULL ||
           ashi_draft_fail(draft, at, "robot.missing", "<%.60s> has no attribute %.60s", at->name, name);
}

bool ashi_draft_enter(ashi_draft *draft, const ashi_xml *at, json_t *table, const char *what, const char *name,
                      uint32_t number)
{
    if (json_object_get(table, name) != NULL)
        return ashi_draft_fail(draft, at, "robot.duplicate", "there are two %s called \"%.100s\"", what, name);
    return json_object_set_new(table, name, json_integer(number)) == 0 ||
           ashi_draft_fail(draft, at, "robot.name", "the name \"%.100s\" is not valid UTF-8", name);
}

uint32_t ashi_draft_find(const json_t *table, const char *name)
{
    const json_t *number = json_object_get(table, name);
    return number != NULL ? (uint32_t)json_integer_value(number) : ASHI_NONE;
}

/* ---- files ---- */

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* "FOLDER/NAME" when it is a file, else null. The folder is the first `length` characters. */
static const char *in_folder(ashi_draft *draft, const char *folder, size_t length, const char *name)
{
    char path[4096];
    int written = length == 0 ? snprintf(path, sizeof path, "%s", name)
                              : snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    return written > 0 && (size_t)written < sizeof path && is_file(path) ? ashi_arena_text(draft->arena, path) : NULL;
}

/* In each folder of a list separated by colons; also where the folder itself is the package. */
static const char *in_package_path(ashi_draft *draft, const char *name)
{
    const char *list = getenv("ROS_PACKAGE_PATH"), *slash = strchr(name, '/');
    while (list != NULL && *list != 0) {
        size_t length = strcspn(list, ":");
        const char *found = in_folder(draft, list, length, name);
        if (found == NULL && slash != NULL)
            found = in_folder(draft, list, length, slash + 1);
        if (found != NULL)
            return found;
        list += length + (list[length] == ':');
    }
    return NULL;
}

/* In the folders above the file: the whole name in any of them, then without its first folder, and so on. */
static const char *above(ashi_draft *draft, const char *from, const char *name)
{
    char whole[PATH_MAX];
    from = realpath(from, whole) != NULL ? whole : from; /* a relative path ends at the working directory */
    while (name != NULL) {
        size_t length = strlen(from);
        for (;;) {
            while (length > 0 && from[length - 1] != '/')
                length--;
            if (length == 0)
                break;
            const char *found = in_folder(draft, from, --length > 0 ? length : 1, name);
            if (found != NULL)
                return found;
        }
        const char *found = in_folder(draft, "", 0, name);
        if (found != NULL)
            return found;
        const char *slash = strchr(name, '/');
        name = slash != NULL && slash[1] != 0 ? slash + 1 : NULL;
    }
    return NULL;
}

const char *ashi_draft_locate(ashi_draft *draft, const char *from, const char *name)
{
    const char *prefixes[] = {"package://", "model://"};
    if (strncmp(name, "file://", 7) == 0)
        return in_folder(draft, "", 0, name + 7);
    if (*name == '/')
        return in_folder(draft, "", 0, name);
    for (size_t i = 0; i < 2; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            name += strlen(prefixes[i]);
            const char *found = in_package_path(draft, name);
            return found != NULL ? found : above(draft, from, name);
        }
    const char *slash = strrchr(from, '/');
    const char *found = in_folder(draft, from, slash != NULL ? (size_t)(slash - from) : 0, name);
    return found != NULL ? found : above(draft, from, name);
}

/* ---- geometries ---- */

bool ashi_draft_geometry(ashi_draft *draft, const ashi_xml *at, const ash_geometry_def *def, uint32_t *geometry)
{
    ash_geometry *made;
    ash_status status = ash_geometry_create(def, &made, &draft->diagnostic);
    if (status != ASH_OK)
        return ashi_draft_passed_on(draft, at, status);
    *geometry = ashi_scene_add_geometry(draft->scene, NULL, made);
    return *geometry != ASHI_NONE || ashi_draft_no_memory(draft);
}

/* A distance field with samples 1/48 of the longest side apart, and two of them beyond the mesh. */
static ash_status make_field(const ash_geometry *mesh, ash_geometry **made, ash_diagnostic *diagnostic)
{
    ash_bounds box = ash_geometry_bounds(mesh, ash_identity());
    ash_vec3 size = v3_sub(box.upper, box.lower);
    double spacing = v3_max_component(size) / 48;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    const double sides[3] = {size.x, size.y, size.z};
    for (int i = 0; i < 3; i++)
        def.cells[i] = 5 + (uint32_t)ceil(sides[i] / spacing);
    def.spacing = v3(spacing, spacing, spacing);
    def.origin = v3_add_scaled(box.lower, v3(1, 1, 1), -2 * spacing);
    def.sample_mesh = mesh;
    return ash_geometry_create(&def, made, diagnostic);
}

static ash_status make_parts(const ashi_mesh_file *mesh, ash_geometry **made, ash_diagnostic *diagnostic)
{
    return ash_geometry_create_parts(mesh->points, mesh->point_count, mesh->triangles, mesh->triangle_count,
                                     ASHI_PARTS_TOLERANCE, ASHI_MOST_PARTS, made, diagnostic);
}

/* The triangles themselves or their field; of an open surface, convex parts. */
static ash_status make_surface(ashi_draft *draft, const ashi_xml *at, const ashi_mesh_file *mesh, bool drawn,
                               ash_geometry **made)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = mesh->points;
    def.point_count = mesh->point_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.open = drawn;
    ash_status status = ash_geometry_create(&def, made, &draft->diagnostic);
    if (status == ASH_BAD_DATA && !drawn) {
        ashi_draft_note(draft, at, "the mesh does not collide with its surface (%.200s), but with convex parts",
                        draft->diagnostic.message);
        return make_parts(mesh, made, &draft->diagnostic);
    }
    if (status != ASH_OK || drawn || draft->options->meshes == ASHI_MESHES_MESH)
        return status;
    ash_geometry *solid = *made;
    status = make_field(solid, made, &draft->diagnostic);
    ash_geometry_release(solid);
    return status;
}

static bool make_mesh(ashi_draft *draft, const ashi_xml *at, const char *path, ash_vec3 scale, ashi_mesh_use use,
                      ashi_draft_mesh_entry *made)
{
    ashi_mesh_file mesh;
    ash_status status = ashi_mesh_file_read(path, &mesh, &draft->diagnostic);
    if (status != ASH_OK)
        return ashi_draft_passed_on(draft, at, status);
    ashi_mesh_file_scale(&mesh, scale);
    ash_geometry *geometry = NULL;
    ash_geometry_def hull = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    hull.points = mesh.points;
    hull.point_count = mesh.point_count;
    if (use == ASHI_MESH_DRAWN)
        status = make_surface(draft, at, &mesh, true, &geometry);
    else if (use == ASHI_MESH_WEIGHED)
        status = ash_geometry_create(&hull, &geometry, &draft->diagnostic);
    else if (draft->options->meshes == ASHI_MESHES_PARTS)
        status = make_parts(&mesh, &geometry, &draft->diagnostic);
    else
        status = make_surface(draft, at, &mesh, false, &geometry);
    made->has_colour = mesh.has_colour;
    memcpy(made->colour, mesh.colour, sizeof made->colour);
    ashi_mesh_file_release(&mesh);
    if (status != ASH_OK)
        return ashi_draft_passed_on(draft, at, status);
    made->geometry = ashi_scene_add_geometry(draft->scene, NULL, geometry);
    return made->geometry != ASHI_NONE || ashi_draft_no_memory(draft);
}

static bool add_mesh(ashi_draft *draft, const ashi_xml *at, const char *path, ash_vec3 scale, ashi_mesh_use use,
                     uint32_t *number)
{
    char key[4400];
    snprintf(key, sizeof key, "%s|%a|%a|%a|%d", path, scale.x, scale.y, scale.z, (int)use);
    *number = ashi_draft_find(draft->mesh_numbers, key);
    if (*number != ASHI_NONE)
        return true;
    ashi_draft_mesh_entry made;
    if (!make_mesh(draft, at, path, scale, use, &made))
        return false;
    if (!ashi_array_extend(&draft->meshes))
        return ashi_draft_no_memory(draft);
    *number = draft->meshes.count - 1;
    draft->meshes.data[*number] = made;
    json_object_set_new(draft->mesh_numbers, key, json_integer(*number)); /* where it is not kept it is read again */
    return true;
}

bool ashi_draft_mesh(ashi_draft *draft, const ashi_xml *at, const char *path, ash_vec3 scale, ashi_mesh_use use,
                     ashi_scene_shape *shape)
{
    uint32_t number;
    if (use == ASHI_MESH_COLLIDING && draft->options->meshes == ASHI_MESHES_HULL)
        use = ASHI_MESH_WEIGHED; /* the same */
    if (!add_mesh(draft, at, path, scale, use, &number))
        return false;
    const ashi_draft_mesh_entry *mesh = &draft->meshes.data[number];
    shape->geometry = mesh->geometry;
    if (use == ASHI_MESH_DRAWN && !shape->paint.given && mesh->has_colour) {
        shape->paint.given = true;
        memcpy(shape->paint.rgba, mesh->colour, sizeof shape->paint.rgba);
    }
    return true;
}

/* ---- masses ---- */

bool ashi_draft_check_mass(ashi_draft *draft, const ashi_xml *at, const char *what, ash_mass_properties *mass)
{
    ash_vec3 moments;
    ash_quat axes;
    if (!s3_is_finite(mass->inertia))
        return ashi_draft_fail(draft, at, "robot.inertia", "the inertia of \"%.100s\" is too large", what);
    ashi_eigen_sym3(mass->inertia, &moments, &axes);
    if (!(moments.z > 0) || moments.x < -1e-6 * moments.z) {
        ashi_draft_fail(draft, at, "robot.inertia", "the inertia of \"%.100s\" has a principal moment of %g kg m2",
                        what, moments.x);
        ashi_expect(&draft->diagnostic, "moments that are not negative");
        return false;
    }
    /* Ascending moments: the two smaller ones are together at least the largest. Where they are not, they are raised
     * by the same amount, and a little more because the result is rounded. */
    double lacking = moments.z - moments.x - moments.y;
    if (lacking > 0) {
        double raised = 0.5 * lacking * (1 + 1e-9) + 1e-12 * moments.z;
        if (lacking > 1e-6 * moments.z)
            ashi_draft_note(draft, at,
                            "no body has the inertia of \"%.100s\" (principal moments %g, %g, %g kg m2): "
                            "the smaller moments are raised by %g",
                            what, moments.x, moments.y, moments.z, raised);
        moments.x += raised;
        moments.y += raised;
        mass->inertia = s3_rotated(s3_diagonal(moments.x, moments.y, moments.z), axes);
    }
    return true;
}

ash_mass_properties ashi_draft_ball(double mass, ash_vec3 centre)
{
    const double density = 1000, pi = 3.14159265358979323846;
    double radius = ashi_exp(ashi_ln(mass / (density * 4 / 3 * pi)) / 3), moment = 0.4 * mass * radius * radius;
    return (ash_mass_properties){.mass = mass, .centre = centre, .inertia = s3_diagonal(moment, moment, moment)};
}

void ashi_draft_set_mass(ash_body_def *def, const ash_mass_properties *mass)
{
    def->mass = mass->mass;
    def->centre = mass->centre;
    def->inertia = mass->inertia;
}
