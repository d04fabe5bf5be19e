/* Geoms: shapes, their masses, and what happens where they touch. */
#include "base/alloc.h"
#include "math/elementary.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLANE, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, KINDS };
static const char *const kind_names[KINDS] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"};

static ash_geometry_def definition(int kind, const double size[3])
{
    static const ash_geometry_kind kinds[KINDS] = {ASH_GEOMETRY_PLANE,     ASH_GEOMETRY_SPHERE,   ASH_GEOMETRY_CAPSULE,
                                                   ASH_GEOMETRY_ELLIPSOID, ASH_GEOMETRY_CYLINDER, ASH_GEOMETRY_BOX};
    ash_geometry_def def = ash_default_geometry_def(kinds[kind]);
    if (kind == BOX || kind == ELLIPSOID)
        def.half_extents = v3(size[0], size[1], size[2]);
    else if (kind != PLANE)
        def.radius = size[0];
    if (kind == CAPSULE || kind == CYLINDER)
        def.height = 2 * size[1];
    return def;
}

/* "fromto" places the axis and gives the half length. */
static bool read_ends(mjcf *m, ashi_xml *at, int kind, ash_transform *pose, double size[3])
{
    double n[6];
    uint32_t count;
    if (!ashi_draft_numbers(m->draft, at, "fromto", 6, 6, n, &count) || count == 0)
        return count == 0;
    ash_vec3 from = v3(n[0], n[1], n[2]), to = v3(n[3], n[4], n[5]), along = v3_sub(to, from);
    double length = v3_norm(along);
    if (!(length > 0) || !isfinite(length))
        return ashi_draft_fail(m->draft, at, "mjcf.fromto", "fromto of <geom> has no length");
    pose->position = v3_scale(v3_add(from, to), 0.5);
    pose->rotation = mjcf_turn_z_along(along);
    if (kind == BOX || kind == ELLIPSOID) {
        size[1] = size[1] > 0 ? size[1] : size[0];
        size[2] = length / 2;
    } else
        size[1] = length / 2;
    return true;
}

static bool check_sizes(mjcf *m, ashi_xml *at, int kind, const double size[3])
{
    static const int needed[KINDS] = {0, 1, 2, 3, 2, 3, 0};
    for (int i = 0; i < needed[kind]; i++)
        if (!(size[i] > 0))
            return ashi_draft_fail(m->draft, at, "mjcf.size", "size of a %s has fewer than %d numbers above 0",
                                   kind_names[kind], needed[kind]);
    return true;
}

/* ---- meshes ---- */

static bool make_inline_mesh(mjcf *m, ashi_xml *asset, ash_vec3 scale, ashi_scene_shape *shape)
{
    const char *text = ashi_xml_peek(asset, "vertex");
    uint32_t most = (uint32_t)(strlen(text) / 2 + 1), count;
    double *numbers = ashi_arena_take_array(m->draft->arena, most, sizeof *numbers);
    ash_vec3 *points = ashi_arena_take_array(m->draft->arena, most, sizeof *points);
    if (numbers == NULL || points == NULL)
        return ashi_draft_no_memory(m->draft);
    if (!ashi_draft_numbers(m->draft, asset, "vertex", 12, most, numbers, &count))
        return false;
    if (count % 3 != 0)
        return ashi_draft_fail(m->draft, asset, "robot.number", "vertex of <mesh> has %u numbers, not three a point",
                               count);
    for (uint32_t i = 0; i < count / 3; i++)
        points[i] = v3_mul(v3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]), scale);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = count / 3;
    return ashi_draft_geometry(m->draft, asset, &def, &shape->geometry);
}

static bool read_mesh(mjcf *m, ashi_xml *at, ashi_mesh_use use, ashi_scene_shape *shape)
{
    const char *name, *file;
    ash_vec3 scale = v3(1, 1, 1);
    char path[4096];
    if (!ashi_draft_text(m->draft, at, "mesh", &name))
        return false;
    uint32_t number = ashi_draft_find(m->mesh_assets, name);
    if (number == ASHI_NONE)
        return ashi_draft_fail(m->draft, at, "robot.unknown-name", "there is no mesh called \"%.100s\"", name);
    ashi_xml *asset = m->assets.data[number];
    if (!ashi_draft_vector(m->draft, asset, "scale", &scale))
        return false;
    if (scale.x == 0 || scale.y == 0 || scale.z == 0)
        return ashi_draft_fail(m->draft, asset, "robot.number", "a scale of <mesh> is 0");
    if (ashi_xml_peek(asset, "vertex") != NULL)
        return make_inline_mesh(m, asset, scale, shape);
    if (!ashi_draft_text(m->draft, asset, "file", &file))
        return false;
    snprintf(path, sizeof path, "%s%s%s", m->mesh_folder, *m->mesh_folder != 0 ? "/" : "", file);
    const char *found = ashi_draft_locate(m->draft, m->draft->file, path);
    if (found == NULL)
        found = ashi_draft_locate(m->draft, asset->file, path);
    if (found != NULL)
        return ashi_draft_mesh(m->draft, asset, found, scale, use, shape);
    if (use != ASHI_MESH_DRAWN)
        return ashi_draft_fail(m->draft, asset, "mesh-file.missing", "the mesh \"%.300s\" is not found", path);
    ashi_draft_note(m->draft, asset, "the mesh \"%.200s\" is not found: it is not drawn", path);
    return true;
}

/* ---- looks ---- */

static bool read_look(mjcf *m, ashi_xml *at, ashi_scene_shape *shape)
{
    double colour[4];
    uint32_t count, group = 0;
    double number = 0;
    const char *name = ashi_xml_get(at, "material");
    uint32_t material = name != NULL ? ashi_draft_find(m->material_assets, name) : ASHI_NONE;
    if (name != NULL && material == ASHI_NONE)
        return ashi_draft_fail(m->draft, at, "robot.unknown-name", "there is no material called \"%.100s\"", name);
    ashi_xml *holders[2] = {at, material != ASHI_NONE ? m->assets.data[material] : NULL};
    for (int i = 0; i < 2 && holders[i] != NULL && !shape->paint.given; i++) {
        if (!ashi_draft_numbers(m->draft, holders[i], "rgba", 4, 4, colour, &count))
            return false;
        for (uint32_t k = 0; k < count; k++)
            shape->paint.rgba[k] = fmin(fmax(colour[k], 0), 1);
        shape->paint.given = count == 4;
    }
    if (!ashi_draft_number(m->draft, at, "group", &number))
        return false;
    group = number > 0 ? (uint32_t)fmin(number, 100) : 0;
    shape->hidden = group > 2; /* as MuJoCo's viewer does at first */
    return true;
}

/* ---- masses ---- */

static bool read_mass(mjcf *m, ashi_xml *at, mjcf_geom *geom)
{
    double mass = -1, density = 1000;
    if (!ashi_draft_number(m->draft, at, "mass", &mass) || !ashi_draft_number(m->draft, at, "density", &density))
        return false;
    if ((ashi_xml_peek(at, "mass") != NULL && mass < 0) || density < 0)
        return ashi_draft_fail(m->draft, at, "robot.mass", "mass or density of <geom> is negative");
    if (geom->shape.geometry == ASHI_NONE || mass == 0 || (mass < 0 && density == 0))
        return true;
    ash_geometry *geometry = m->draft->scene->geometries.data[geom->shape.geometry].geometry;
    if (ash_geometry_mass(geometry, 1, &geom->mass, NULL) != ASH_OK)
        return true; /* planes have none */
    double factor = mass > 0 ? mass / geom->mass.mass : density;
    geom->mass.mass *= factor;
    geom->mass.inertia = s3_scale(geom->mass.inertia, factor);
    return true;
}

/* A mesh weighs as much as its hull, whether it is only drawn or collides otherwise. */
static bool read_mesh_mass(mjcf *m, ashi_xml *at, mjcf_geom *geom)
{
    mjcf_geom solid = *geom;
    double mass = 0, density = 1000;
    if (!ashi_draft_number(m->draft, at, "mass", &mass) || !ashi_draft_number(m->draft, at, "density", &density))
        return false;
    bool weighs = ashi_xml_peek(at, "mass") != NULL ? mass > 0 : density > 0;
    if (!weighs || geom->shape.geometry == ASHI_NONE)
        return read_mass(m, at, geom);
    if (!read_mesh(m, at, ASHI_MESH_WEIGHED, &solid.shape) || !read_mass(m, at, &solid))
        return false;
    geom->mass = solid.mass;
    return true;
}

/* ---- contacts ---- */

/* The restitution that a contact's spring and damper stand for: "solref" has the time constant and the damping ratio,
 * or, negative, stiffness and damping for a unit of mass. */
bool mjcf_read_restitution(mjcf *m, ashi_xml *at, double *restitution)
{
    double n[2] = {0.02, 1};
    uint32_t count;
    if (!ashi_draft_numbers(m->draft, at, "solref", 1, 2, n, &count))
        return false;
    double ratio = n[0] > 0 ? n[1] : n[0] < 0 ? -n[1] / (2 * sqrt(-n[0])) : 1;
    *restitution = ratio >= 1   ? 0
                   : ratio <= 0 ? 1
                                : ashi_exp(-3.14159265358979323846 * ratio / sqrt(1 - ratio * ratio));
    return true;
}

static bool read_surface(mjcf *m, ashi_xml *at, uint32_t *number)
{
    mjcf_surface surface = {.friction = {1, 0.005, 0.0001}, .condim = 3};
    double condim = 3, priority = 0;
    uint32_t count;
    if (!ashi_draft_numbers(m->draft, at, "friction", 1, 3, surface.friction, &count) ||
        !ashi_draft_number(m->draft, at, "condim", &condim) ||
        !ashi_draft_number(m->draft, at, "priority", &priority) || !mjcf_read_restitution(m, at, &surface.restitution))
        return false;
    for (int i = 0; i < 3; i++)
        if (!(surface.friction[i] >= 0 && surface.friction[i] <= 1e12))
            return ashi_draft_fail(m->draft, at, "robot.number", "a friction of <geom> is %g", surface.friction[i]);
    if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
        return ashi_draft_fail(m->draft, at, "robot.number", "condim of <geom> is %g, not 1, 3, 4 or 6", condim);
    surface.condim = (int)condim;
    surface.priority = (int)fmin(fmax(priority, -1000), 1000);
    for (*number = 0; *number < m->surfaces.count; ++*number) {
        const mjcf_surface *known = &m->surfaces.data[*number];
        if (memcmp(known->friction, surface.friction, sizeof surface.friction) == 0 &&
            known->restitution == surface.restitution && known->condim == surface.condim &&
            known->priority == surface.priority)
            return true;
    }
    if (!ashi_array_extend(&m->surfaces))
        return ashi_draft_no_memory(m->draft);
    m->surfaces.data[*number] = surface;
    return true;
}

/* ---- all of it ---- */

static bool read_bits(mjcf *m, ashi_xml *at, const char *name, uint32_t *bits)
{
    double number = 1;
    if (!ashi_draft_number(m->draft, at, name, &number))
        return false;
    if (!(number >= 0 && number <= UINT32_MAX))
        return ashi_draft_fail(m->draft, at, "robot.number", "%s is %g, not a mask of 32 bits", name, number);
    *bits = (uint32_t)number;
    return true;
}

static bool read_kind(mjcf *m, ashi_xml *at, int *kind)
{
    const char *type = ashi_xml_get(at, "type");
    uint32_t number = type != NULL ? ashi_word_find((ashi_words){kind_names, KINDS}, type) : SPHERE;
    if (type == NULL && ashi_xml_peek(at, "mesh") != NULL)
        number = MESH;
    *kind = number == ASHI_NONE ? KINDS : (int)number;
    if (*kind == KINDS)
        ashi_draft_note(m->draft, at, "a geom of type \"%.40s\" is not supported: it is left out", type);
    return true;
}

bool mjcf_add_geom(mjcf *m, ashi_xml *at, uint32_t class, ash_transform frame, const char *suffix)
{
    mjcf_geom geom = {.xml = at, .shape = ashi_default_scene_shape()};
    double size[3] = {0};
    uint32_t count;
    int kind;
    ash_transform pose;
    if (!mjcf_apply_class(m, at, class, &class) || !read_kind(m, at, &kind))
        return false;
    if (kind == KINDS) {
        ashi_xml_read_all(at);
        return true;
    }
    const char *name = ashi_xml_get(at, "name");
    geom.name = name != NULL && *suffix != 0 ? ashi_scene_text(m->draft->scene, "%s%s", name, suffix) : name;
    if (!mjcf_read_pose(m, at, &pose) || !ashi_draft_numbers(m->draft, at, "size", 1, 3, size, &count) ||
        !read_ends(m, at, kind, &pose, size) || !check_sizes(m, at, kind, size) ||
        !read_bits(m, at, "contype", &geom.contype) || !read_bits(m, at, "conaffinity", &geom.conaffinity) ||
        !read_look(m, at, &geom.shape))
        return false;
    bool meets = !m->contactless && (geom.contype != 0 || geom.conaffinity != 0);
    geom.shape.visual = !meets && !mjcf_is_paired(m, geom.name);
    geom.pose = t_mul(frame, pose);
    geom.pose.rotation = q_unit(geom.pose.rotation);
    ashi_mesh_use use = geom.shape.visual ? ASHI_MESH_DRAWN : ASHI_MESH_COLLIDING;
    if (kind == MESH && !read_mesh(m, at, use, &geom.shape))
        return false;
    if (kind != MESH) {
        ash_geometry_def def = definition(kind, size);
        if (!ashi_draft_geometry(m->draft, at, &def, &geom.shape.geometry))
            return false;
    }
    if (kind == MESH ? !read_mesh_mass(m, at, &geom) : !read_mass(m, at, &geom))
        return false;
    if (!geom.shape.visual && !read_surface(m, at, &geom.surface))
        return false;
    if (!ashi_array_extend(&m->geoms))
        return ashi_draft_no_memory(m->draft);
    m->geoms.data[m->geoms.count - 1] = geom;
    return geom.name == NULL || ashi_draft_enter(m->draft, at, m->geom_numbers, "geoms", geom.name, m->geoms.count - 1);
}
