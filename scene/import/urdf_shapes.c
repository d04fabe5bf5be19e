/* Shapes of links: what collides, with what friction, and what is drawn. A link that is drawn by visual shapes hides
 * the others. */
#include "math/transform.h"
#include "scene/import/urdf.h"

#include <stdio.h>
#include <string.h>

static bool positive(urdf *u, ashi_xml *at, const char *name, double *value)
{
    if (ashi_xml_peek(at, name) == NULL)
        return ashi_draft_fail(u->draft, at, "robot.missing", "<%s> has no attribute %s", at->name, name);
    return ashi_draft_number(u->draft, at, name, value) &&
           (*value > 0 ||
            ashi_draft_fail(u->draft, at, "robot.number", "%s=\"%g\" of <%s> is not above 0", name, *value, at->name));
}

/* A mesh that is only to be drawn may be missing. */
static bool read_mesh(urdf *u, ashi_xml *at, ashi_scene_shape *shape)
{
    const char *name;
    ash_vec3 scale = v3(1, 1, 1);
    if (!ashi_draft_text(u->draft, at, "filename", &name) || !ashi_draft_vector(u->draft, at, "scale", &scale))
        return false;
    if (scale.x == 0 || scale.y == 0 || scale.z == 0)
        return ashi_draft_fail(u->draft, at, "robot.number", "a scale of <mesh> is 0");
    const char *path = ashi_draft_locate(u->draft, at->file, name);
    if (path == NULL && shape->visual) {
        ashi_draft_note(u->draft, at, "the mesh \"%.200s\" is not found: it is not drawn", name);
        return true;
    }
    if (path == NULL) {
        ashi_draft_fail(u->draft, at, "mesh-file.missing", "the mesh \"%.300s\" is not found", name);
        ashi_expect(&u->draft->diagnostic,
                    "a file beside the robot file or in a folder above it; packages are also looked for in "
                    "ROS_PACKAGE_PATH");
        return false;
    }
    return ashi_draft_mesh(u->draft, at, path, scale, shape->visual ? ASHI_MESH_DRAWN : ASHI_MESH_COLLIDING, shape);
}

static bool read_geometry(urdf *u, ashi_xml *holder, ashi_scene_shape *shape)
{
    ash_geometry_def def = {0};
    ashi_xml *parent = ashi_xml_child(holder, "geometry"), *at = parent != NULL ? parent->first : NULL;
    if (at == NULL)
        return ashi_draft_fail(u->draft, holder, "robot.missing", "<%s> has no <geometry>", holder->name);
    at->read = true;
    if (ashi_xml_is(at, "mesh"))
        return read_mesh(u, at, shape);
    if (ashi_xml_is(at, "box")) {
        ash_vec3 size = v3(0, 0, 0);
        def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        if (!ashi_draft_vector(u->draft, at, "size", &size))
            return false;
        if (!(size.x > 0 && size.y > 0 && size.z > 0))
            return ashi_draft_fail(u->draft, at, "robot.number", "the sizes of <box> are not all above 0");
        def.half_extents = v3_scale(size, 0.5);
    } else if (ashi_xml_is(at, "sphere")) {
        def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
        if (!positive(u, at, "radius", &def.radius))
            return false;
    } else if (ashi_xml_is(at, "cylinder") || ashi_xml_is(at, "capsule")) {
        def = ash_default_geometry_def(ashi_xml_is(at, "cylinder") ? ASH_GEOMETRY_CYLINDER : ASH_GEOMETRY_CAPSULE);
        if (!positive(u, at, "radius", &def.radius) || !positive(u, at, "length", &def.height))
            return false;
    } else {
        ashi_draft_fail(u->draft, at, "urdf.geometry", "there is no geometry <%.60s>", at->name);
        ashi_expect(&u->draft->diagnostic, "box, cylinder, sphere, capsule or mesh");
        return false;
    }
    return ashi_draft_geometry(u->draft, at, &def, &shape->geometry);
}

/* Bullet's <contact> of a link: friction and restitution. One material serves all links that say the same. */
static bool read_material(urdf *u, ashi_xml *link, uint32_t *material)
{
    static const char *const names[] = {"lateral_friction", "restitution", "rolling_friction", "spinning_friction"};
    ash_material_def def = ash_default_material_def();
    double *const fields[] = {&def.surface.friction, &def.surface.restitution, &def.surface.rolling,
                              &def.surface.spinning};
    *material = ASHI_NONE;
    ashi_xml *contact = ashi_xml_child(link, "contact");
    if (contact == NULL)
        return true;
    for (int i = 0; i < 4; i++) {
        ashi_xml *at = ashi_xml_child(contact, names[i]);
        if (at == NULL)
            continue;
        if (!ashi_draft_number(u->draft, at, "value", fields[i]))
            return false;
        if (!(*fields[i] >= 0) || (i == 1 && *fields[i] > 1) || *fields[i] > 1e12)
            return ashi_draft_fail(u->draft, at, "robot.number", "%s cannot be %g", names[i], *fields[i]);
    }
    def.surface.sliding_friction = def.surface.friction;
    ash_scene *scene = u->draft->scene;
    for (uint32_t i = 0; i < scene->materials.count && *material == ASHI_NONE; i++)
        if (memcmp(&scene->materials.data[i].surface, &def.surface, sizeof def.surface) == 0)
            *material = i;
    char name[32];
    snprintf(name, sizeof name, "contact %u", scene->materials.count + 1);
    def.name = name;
    if (*material == ASHI_NONE)
        *material = ashi_scene_add_material(scene, &def);
    return *material != ASHI_NONE || ashi_draft_no_memory(u->draft);
}

/* ---- what is drawn ---- */

/* "color" of a material. A name alone stands for one that the robot, or a visual of any link, declares. */
static bool read_colour(urdf *u, ashi_xml *material, ashi_scene_shape *shape)
{
    uint32_t count;
    ashi_xml *at = ashi_xml_child(material, "color");
    if (at == NULL)
        return true;
    if (!ashi_draft_numbers(u->draft, at, "rgba", 4, 4, shape->paint.rgba, &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!(shape->paint.rgba[i] >= 0 && shape->paint.rgba[i] <= 1))
            return ashi_draft_fail(u->draft, at, "robot.number", "rgba of <color> is not from 0 to 1");
    shape->paint.given = count == 4;
    return true;
}

/* A material of that name with a colour, below the robot or a visual. */
static ashi_xml *find_material(ashi_xml *holder, const char *name)
{
    for (ashi_xml *at = ashi_xml_child(holder, "material"); at != NULL; at = ashi_xml_again(at)) {
        const char *other = ashi_xml_get(at, "name");
        if (other != NULL && strcmp(other, name) == 0 && ashi_xml_child(at, "color") != NULL)
            return at;
    }
    return NULL;
}

static bool read_look(urdf *u, ashi_xml *visual, ashi_scene_shape *shape)
{
    ashi_xml *material = ashi_xml_child(visual, "material");
    if (material == NULL)
        return true;
    const char *name = ashi_xml_get(material, "name");
    if (!read_colour(u, material, shape))
        return false;
    if (shape->paint.given || name == NULL || *name == 0)
        return true;
    ashi_xml *declared = find_material(u->xml, name);
    for (uint32_t i = 0; declared == NULL && i < u->link_count; i++)
        for (ashi_xml *at = ashi_xml_child(u->links[i].xml, "visual"); at != NULL && declared == NULL;
             at = ashi_xml_again(at))
            declared = find_material(at, name);
    if (declared != NULL)
        return read_colour(u, declared, shape);
    if (ashi_xml_child(material, "texture") == NULL)
        ashi_draft_note(u->draft, material, "the robot declares no material \"%.60s\"", name);
    return true;
}

static bool add_shape(urdf *u, urdf_link *link, ashi_xml *at, uint32_t body, ashi_scene_shape *shape)
{
    ash_transform origin;
    const char *name = ashi_xml_get(at, "name");
    if (!urdf_read_origin(u, at, &origin) || !read_geometry(u, at, shape))
        return false;
    if (shape->geometry == ASHI_NONE)
        return true;
    shape->pose = t_mul(link->in_group, origin);
    shape->name = name != NULL ? name : link->name;
    return ashi_scene_add_shape(u->draft->scene, body, shape) != ASHI_NONE || ashi_draft_no_memory(u->draft);
}

static bool add_visuals(urdf *u, urdf_link *link, uint32_t body, bool *any)
{
    uint32_t before = u->draft->scene->shapes.count;
    for (ashi_xml *at = ashi_xml_child(link->xml, "visual"); at != NULL; at = ashi_xml_again(at)) {
        ashi_scene_shape shape = ashi_default_scene_shape();
        shape.visual = true;
        if (!read_look(u, at, &shape) || !add_shape(u, link, at, body, &shape))
            return false;
    }
    *any = u->draft->scene->shapes.count > before;
    return true;
}

static bool add_link(urdf *u, urdf_link *link, uint32_t body)
{
    uint32_t material;
    bool drawn;
    if (!read_material(u, link->xml, &material) || !add_visuals(u, link, body, &drawn))
        return false;
    for (ashi_xml *at = ashi_xml_child(link->xml, "collision"); at != NULL; at = ashi_xml_again(at)) {
        ashi_scene_shape shape = ashi_default_scene_shape();
        ashi_xml *unused = ashi_xml_child(at, "material");
        if (unused != NULL)
            ashi_xml_read_all(unused); /* what collides is drawn only where nothing else is */
        shape.hidden = drawn;
        shape.material = material;
        shape.group = u->draft->options->self_collide == ASHI_SWITCH_ON ? 0 : -1;
        if (!add_shape(u, link, at, body, &shape))
            return false;
    }
    return true;
}

bool urdf_add_shapes(urdf *u, uint32_t group)
{
    uint32_t body = u->links[group].body;
    for (uint32_t i = 0; i < u->link_count; i++)
        if (u->links[u->order[i]].group == group && !add_link(u, &u->links[u->order[i]], body))
            return false;
    return true;
}
