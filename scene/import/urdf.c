/* URDF: a tree of links becomes bodies and joints.
 *
 * Links that fixed joints connect are one body. The root is held in the world unless its base is to be free. Joints
 * begin at 0, or at the limit nearest to it. */
#include "scene/import/urdf.h"

#include "math/mat3.h"
#include "math/transform.h"

#include <math.h>
#include <string.h>

/* ---- masses ---- */

/* Masses of links that are one body. */
static void gather_masses(urdf *u)
{
    for (uint32_t i = 0; i < u->link_count; i++) {
        urdf_link *link = &u->links[u->order[i]], *group = &u->links[link->group];
        if (link->group == u->order[i] || link->mass.mass == 0)
            continue;
        ash_mass_properties moved = ash_mass_transform(&link->mass, link->in_group);
        group->mass = group->mass.mass > 0 ? ash_mass_add(&group->mass, &moved) : moved;
    }
}

static bool has_shapes(const urdf *u, uint32_t group)
{
    for (uint32_t i = 0; i < u->link_count; i++)
        if (u->links[i].group == group)
            for (const ashi_xml *at = u->links[i].xml->first; at != NULL; at = at->next)
                if (ashi_xml_is(at, "collision"))
                    return true;
    return false;
}

/* The mass of the links that hang on this one by joints; their bodies come first. */
static double mass_below(const urdf *u, uint32_t group)
{
    double sum = 0;
    for (uint32_t i = 0; i < u->joint_count; i++) {
        const urdf_joint *joint = &u->joints[i];
        if (joint->kind != URDF_FIXED && u->links[joint->parent].group == group)
            sum += u->links[u->links[joint->child].group].mass.mass;
    }
    return sum;
}

/* A link that moves needs a mass. One without takes that of its shapes; one without those, as robots have between two
 * joints, gets a hundredth of what hangs on it. */
static bool complete_mass(urdf *u, uint32_t group)
{
    const double share = 0.01, least = 1e-3;
    urdf_link *link = &u->links[group];
    if (link->mass.mass > 0)
        return true;
    if (has_shapes(u, group)) {
        ashi_draft_note(u->draft, link->xml, "link \"%.100s\" has no mass: it has that of its shapes at 1000 kg/m3",
                        link->name);
        return true;
    }
    double mass = fmax(share * mass_below(u, group), least);
    link->mass = ashi_draft_ball(mass, v3(0, 0, 0));
    ashi_draft_note(u->draft, link->xml, "link \"%.100s\" has no mass and no shape: it is a ball of %g kg", link->name,
                    mass);
    return true;
}

/* ---- bodies ---- */

static bool add_body(urdf *u, uint32_t group)
{
    urdf_link *link = &u->links[group];
    bool held = group == u->root && u->fixed_base;
    ash_body_def def = ash_default_body_def();
    def.name = link->name;
    def.type = held ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC;
    def.position = link->pose.position;
    def.rotation = link->pose.rotation;
    if (!held && link->mass.mass > 0)
        ashi_draft_set_mass(&def, &link->mass);
    link->body = ashi_scene_add_body(u->draft->scene, &def);
    if (link->body == ASHI_NONE)
        return ashi_draft_no_memory(u->draft);
    return urdf_add_shapes(u, group);
}

static bool add_bodies(urdf *u)
{
    for (uint32_t i = u->link_count; i-- > 0;) {
        uint32_t group = u->order[i];
        bool held = group == u->root && u->fixed_base;
        if (u->links[group].group == group && !held && !complete_mass(u, group))
            return false;
    }
    for (uint32_t i = 0; i < u->link_count; i++)
        if (u->links[u->order[i]].group == u->order[i] && !add_body(u, u->order[i]))
            return false;
    return true;
}

/* ---- joints ---- */

static ash_joint_kind kind_of(urdf_kind kind)
{
    return kind == URDF_PRISMATIC ? ASH_JOINT_SLIDER : kind == URDF_PLANAR ? ASH_JOINT_PLANAR : ASH_JOINT_HINGE;
}

static bool add_output(urdf *u, const char *name, uint32_t number, ash_freedom freedom)
{
    ashi_scene_output output = {
        .name = name, .quantity = ASHI_JOINT_POSITION, .object = number, .component = ASHI_SCALAR, .freedom = freedom};
    return ashi_scene_add_output(u->draft->scene, &output) != ASHI_NONE || ashi_draft_no_memory(u->draft);
}

static bool add_joint(urdf *u, urdf_joint *joint)
{
    const urdf_link *parent = &u->links[joint->parent], *child = &u->links[joint->child];
    ash_transform axis = {v3(0, 0, 0), ashi_turn_x_along(joint->axis)};
    ash_joint_def def = ash_default_joint_def(kind_of(joint->kind));
    def.name = joint->name;
    def.body_a = urdf_body(u, joint->parent);
    def.body_b = urdf_body(u, joint->child);
    def.frame_a = t_mul(t_mul(parent->in_group, joint->origin), axis);
    def.frame_b = t_mul(child->in_group, axis);
    def.frame_a.rotation = q_unit(def.frame_a.rotation);
    def.frame_b.rotation = q_unit(def.frame_b.rotation);
    ash_freedom freedom = joint->kind == URDF_PRISMATIC ? ASH_MOVE_X : ASH_TURN_X;
    for (int i = 0; i < ASH_FREEDOMS; i++) {
        bool kept =
            joint->kind == URDF_PLANAR ? i == ASH_MOVE_Y || i == ASH_MOVE_Z || i == ASH_TURN_X : i == (int)freedom;
        if (!kept)
            continue;
        def.axes[i].damping = joint->damping;
        def.axes[i].friction = joint->friction;
    }
    if (joint->kind != URDF_PLANAR) {
        def.axes[freedom].lower = joint->lower;
        def.axes[freedom].upper = joint->upper;
    }
    uint32_t number = ashi_scene_add_joint(u->draft->scene, &def);
    if (number == ASHI_NONE)
        return ashi_draft_no_memory(u->draft);
    joint->number = number;
    return joint->kind == URDF_PLANAR || add_output(u, joint->name, number, freedom);
}

static bool add_joints(urdf *u)
{
    for (uint32_t i = 0; i < u->joint_count; i++)
        if (u->joints[i].kind == URDF_FIXED)
            ashi_draft_note(u->draft, u->joints[i].xml, "a fixed joint: its two links are one body");
        else if (urdf_moves(&u->joints[i]) && !add_joint(u, &u->joints[i]))
            return false;
    return true;
}

/* ---- the world ---- */

static void choose_base(urdf *u)
{
    const urdf_link *root = &u->links[u->root];
    bool free = u->draft->options->base == ASHI_BASE_FREE;
    u->fixed_base = !free;
    if (free && strcmp(root->name, "world") == 0) {
        u->fixed_base = true;
        ashi_draft_note(u->draft, root->xml, "the root link is called \"world\": it is fixed also with base=free");
    } else if (!free && root->mass.mass > 0)
        ashi_draft_note(u->draft, root->xml,
                        "the root link \"%.100s\" is held in the world (--set base=free lets it go)", root->name);
}

/* A plane under the lowest point of all shapes. */
static bool add_floor(urdf *u)
{
    ash_scene *scene = u->draft->scene;
    ashi_import_switch wanted = u->draft->options->floor;
    if (wanted == ASHI_SWITCH_OFF || (wanted == ASHI_SWITCH_DEFAULT && u->fixed_base))
        return true;
    double lowest = INFINITY;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *body = &scene->bodies.data[i];
        ash_transform pose = {body->def.position, body->def.rotation};
        for (uint32_t k = 0; k < body->shape_count; k++) {
            const ashi_scene_shape *shape = &scene->shapes.data[body->first_shape + k];
            if (shape->visual)
                continue;
            ash_bounds bounds =
                ash_geometry_bounds(scene->geometries.data[shape->geometry].geometry, t_mul(pose, shape->pose));
            lowest = fmin(lowest, bounds.lower.z);
        }
    }
    ash_body_def def = ash_default_body_def();
    def.name = "floor";
    def.type = ASH_BODY_STATIC;
    def.position.z = isfinite(lowest) ? lowest : 0;
    ashi_scene_shape shape = ashi_default_scene_shape();
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    uint32_t body = ashi_scene_add_body(scene, &def);
    if (body == ASHI_NONE || !ashi_draft_geometry(u->draft, u->xml, &plane, &shape.geometry) ||
        ashi_scene_add_shape(scene, body, &shape) == ASHI_NONE)
        return u->draft->status != ASH_OK ? false : ashi_draft_no_memory(u->draft);
    return true;
}

static bool build(urdf *u)
{
    ash_scene *scene = u->draft->scene;
    const char *name = ashi_xml_get(u->xml, "name");
    scene->name = ashi_scene_text(scene, "%s", name != NULL ? name : "robot");
    scene->summary = ashi_scene_text(scene, "imported from URDF");
    scene->step = 0.002;
    scene->time = 5;
    if (ashi_xml_child(u->xml, "xacro:include") != NULL || ashi_xml_child(u->xml, "xacro:macro") != NULL) {
        ashi_draft_fail(u->draft, u->xml, "urdf.xacro", "the robot has macros of xacro");
        ashi_expect(&u->draft->diagnostic, "the file that xacro makes of it");
        return false;
    }
    if (!urdf_read(u) || !urdf_arrange(u))
        return false;
    gather_masses(u);
    choose_base(u);
    return add_bodies(u) && add_joints(u) && urdf_add_mimics(u) && add_floor(u);
}

bool ashi_import_urdf(ashi_draft *draft, ashi_xml *robot)
{
    urdf u = {.draft = draft, .xml = robot, .link_numbers = json_object(), .joint_numbers = json_object()};
    bool done = (u.link_numbers != NULL && u.joint_numbers != NULL) || ashi_draft_no_memory(draft);
    done = done && build(&u);
    json_decref(u.link_numbers);
    json_decref(u.joint_numbers);
    return done;
}
