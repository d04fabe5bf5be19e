/* Shapes of links: what collides, and with what friction. */
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

static bool read_mesh(urdf *u, ashi_xml *at, uint32_t *geometry)
{
    const char *name;
    ash_vec3 scale = v3(1, 1, 1);
    if (!ashi_draft_text(u->draft, at, "filename", &name) || !ashi_draft_vector(u->draft, at, "scale", &scale))
        return false;
    const char *path = ashi_draft_locate(u->draft, at->file, name);
    if (path == NULL) {
        ashi_draft_fail(u->draft, at, "mesh-file.missing", "the mesh \"%.300s\" is not found", name);
        ashi_expect(&u->draft->diagnostic,
                    "a file beside the robot file or in a folder above it; packages are also looked "
                    "for in ROS_PACKAGE_PATH");
        return false;
    }
    return ashi_draft_mesh(u->draft, at, path, scale, geometry);
}

static bool read_geometry(urdf *u, ashi_xml *holder, uint32_t *geometry)
{
    ash_geometry_def def = {0};
    ashi_xml *parent = ashi_xml_child(holder, "geometry"), *at = parent != NULL ? parent->first : NULL;
    if (at == NULL)
        return ashi_draft_fail(u->draft, holder, "robot.missing", "<%s> has no <geometry>", holder->name);
    at->read = true;
    if (ashi_xml_is(at, "mesh"))
        return read_mesh(u, at, geometry);
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
    return ashi_draft_geometry(u->draft, at, &def, geometry);
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

static bool add_link(urdf *u, urdf_link *link, uint32_t body)
{
    uint32_t material;
    if (!read_material(u, link->xml, &material))
        return false;
    for (ashi_xml *at = ashi_xml_child(link->xml, "collision"); at != NULL; at = ashi_xml_again(at)) {
        ashi_scene_shape shape = ashi_default_scene_shape();
        ash_transform origin;
        const char *name = ashi_xml_get(at, "name");
        if (!urdf_read_origin(u, at, &origin) || !read_geometry(u, at, &shape.geometry))
            return false;
        shape.pose = t_mul(link->in_group, origin);
        shape.name = name != NULL ? name : link->name;
        shape.material = material;
        shape.group = u->draft->options->self_collide == ASHI_SWITCH_ON ? 0 : -1;
        if (ashi_scene_add_shape(u->draft->scene, body, &shape) == ASHI_NONE)
            return ashi_draft_no_memory(u->draft);
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
