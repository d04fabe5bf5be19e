/* Links and joints of a URDF file, each by itself. */
#include "base/alloc.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/urdf.h"

#include <math.h>
#include <string.h>

bool urdf_read_origin(urdf *u, ashi_xml *element, ash_transform *origin)
{
    ash_vec3 turn = {0, 0, 0};
    ashi_xml *at = ashi_xml_child(element, "origin");
    *origin = ash_identity();
    if (at == NULL)
        return true;
    if (!ashi_draft_vector(u->draft, at, "xyz", &origin->position) || !ashi_draft_vector(u->draft, at, "rpy", &turn))
        return false;
    /* roll, pitch and yaw about the fixed axes x, y, z, one after another */
    const ash_quat roll = ash_rotation(v3(1, 0, 0), turn.x), pitch = ash_rotation(v3(0, 1, 0), turn.y),
                   yaw = ash_rotation(v3(0, 0, 1), turn.z);
    origin->rotation = q_unit(q_mul(yaw, q_mul(pitch, roll)));
    return t_is_finite(*origin) || ashi_draft_fail(u->draft, at, "urdf.origin", "the angles of rpy are too large");
}

static bool read_mass(urdf *u, urdf_link *link)
{
    ashi_draft *draft = u->draft;
    ashi_xml *inertial = ashi_xml_child(link->xml, "inertial");
    if (inertial == NULL)
        return true;
    ash_transform origin;
    ash_mass_properties mass = {0};
    ashi_xml *at_mass = ashi_xml_child(inertial, "mass"), *at_inertia = ashi_xml_child(inertial, "inertia");
    if (!urdf_read_origin(u, inertial, &origin))
        return false;
    if (at_mass == NULL)
        return ashi_draft_fail(draft, inertial, "robot.missing", "<inertial> has no <mass>");
    if (!ashi_draft_number(draft, at_mass, "value", &mass.mass))
        return false;
    if (mass.mass < 0) {
        ashi_draft_fail(draft, at_mass, "robot.mass", "the mass of link \"%.100s\" is %g kg", link->name, mass.mass);
        ashi_expect(&draft->diagnostic, "a mass of 0 or more");
        return false;
    }
    double entries[6] = {0};
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int i = 0; at_inertia != NULL && i < 6; i++)
        if (!ashi_draft_number(draft, at_inertia, names[i], &entries[i]))
            return false;
    bool zero = true;
    for (int i = 0; i < 6; i++)
        zero = zero && entries[i] == 0;
    if (mass.mass == 0) {
        if (!zero)
            ashi_draft_note(draft, inertial, "link \"%.100s\" has an inertia but no mass: both are left out",
                            link->name);
        return true;
    }
    if (zero) {
        ashi_draft_note(
            draft, inertial,
            "link \"%.100s\" has a mass but no inertia: it has that of a ball of its mass and the density of "
            "water",
            link->name);
        link->mass = ashi_draft_ball(mass.mass, origin.position);
        return true;
    }
    mass.inertia = (ash_sym3){entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]};
    if (!ashi_draft_check_mass(draft, at_inertia, link->name, &mass))
        return false;
    mass.inertia = s3_rotated(mass.inertia, origin.rotation);
    mass.centre = origin.position;
    link->mass = mass;
    return true;
}

static bool read_link(urdf *u, ashi_xml *xml)
{
    urdf_link *link = &u->links[u->link_count];
    *link = (urdf_link){.xml = xml, .joint = ASHI_NONE, .group = u->link_count, .body = ASHI_NONE};
    return ashi_draft_text(u->draft, xml, "name", &link->name) &&
           ashi_draft_enter(u->draft, xml, u->link_numbers, "links", link->name, u->link_count++) && read_mass(u, link);
}

static bool read_end(urdf *u, ashi_xml *joint, const char *end, uint32_t *link)
{
    const char *name;
    ashi_xml *at = ashi_xml_child(joint, end);
    if (at == NULL)
        return ashi_draft_fail(u->draft, joint, "robot.missing", "<joint> has no <%s>", end);
    if (!ashi_draft_text(u->draft, at, "link", &name))
        return false;
    *link = ashi_draft_find(u->link_numbers, name);
    return *link != ASHI_NONE ||
           ashi_draft_fail(u->draft, at, "robot.unknown-name", "there is no link called \"%.100s\"", name);
}

static bool read_kind(urdf *u, ashi_xml *xml, urdf_kind *kind)
{
    static const char *const kinds[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "floating"};
    const char *type;
    if (!ashi_draft_text(u->draft, xml, "type", &type))
        return false;
    uint32_t number = ashi_word_find((ashi_words){kinds, 6}, type);
    if (number == ASHI_NONE) {
        ashi_draft_fail(u->draft, xml, "urdf.joint-type", "there is no joint of type \"%.100s\"", type);
        ashi_expect(&u->draft->diagnostic, "fixed, revolute, continuous, prismatic, planar or floating");
        return false;
    }
    *kind = (urdf_kind)number;
    return true;
}

static bool read_axis(urdf *u, urdf_joint *joint)
{
    joint->axis = v3(1, 0, 0);
    ashi_xml *at = ashi_xml_child(joint->xml, "axis");
    if (at == NULL)
        return true;
    if (!ashi_draft_vector(u->draft, at, "xyz", &joint->axis))
        return false;
    double length = v3_norm(joint->axis);
    if (!urdf_moves(joint)) {
        joint->axis = v3(1, 0, 0); /* of no meaning; some files have zeros there */
        return true;
    }
    if (!(length > 1e-9) || !isfinite(length))
        return ashi_draft_fail(u->draft, at, "urdf.axis", "the axis of joint \"%.100s\" has no direction", joint->name);
    joint->axis = v3_unit(joint->axis);
    return true;
}

/* Exporters write zeros where their user left limits empty. A range of nothing holds the joint. */
static void take_limits(urdf *u, urdf_joint *joint, ashi_xml *at, double effort, double velocity)
{
    if (joint->lower < joint->upper)
        return;
    if (joint->lower == 0 && effort == 0 && velocity == 0) {
        ashi_draft_note(u->draft, at,
                        "all limits of the joint are 0, as exporters write where none were given: it has none");
        joint->lower = -INFINITY;
        joint->upper = INFINITY;
    } else {
        ashi_draft_note(u->draft, at, "the limits leave the joint no way: it is fixed");
        joint->position = joint->lower;
        joint->kind = URDF_FIXED;
    }
}

static bool read_limits(urdf *u, urdf_joint *joint)
{
    ashi_draft *draft = u->draft;
    joint->lower = -INFINITY;
    joint->upper = INFINITY;
    ashi_xml *at = ashi_xml_child(joint->xml, "limit");
    bool ranged = joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC;
    if (at == NULL) {
        if (ranged)
            ashi_draft_note(draft, joint->xml, "a %s joint without <limit>: it has none",
                            joint->kind == URDF_REVOLUTE ? "revolute" : "prismatic");
        return true;
    }
    double lower = 0, upper = 0, effort = 0, velocity = 0;
    bool given = ashi_xml_peek(at, "lower") != NULL || ashi_xml_peek(at, "upper") != NULL;
    if (!ashi_draft_number(draft, at, "lower", &lower) || !ashi_draft_number(draft, at, "upper", &upper) ||
        !ashi_draft_number(draft, at, "effort", &effort) || !ashi_draft_number(draft, at, "velocity", &velocity))
        return false;
    if (effort > 0)
        ashi_draft_note(draft, at, "the limit of effort is not used: the joint has no drive");
    if (velocity > 0)
        ashi_draft_note(draft, at, "the limit of velocity is not used");
    if (!ranged)
        return true;
    if (!given && joint->kind == URDF_REVOLUTE) {
        ashi_draft_note(draft, at, "<limit> has neither lower nor upper: the joint has no limits");
        return true;
    }
    if (lower > upper) {
        ashi_draft_fail(draft, at, "urdf.limits", "the limits of joint \"%.100s\" cross: lower %g, upper %g",
                        joint->name, lower, upper);
        ashi_expect(&draft->diagnostic, "lower at most upper");
        return false;
    }
    joint->lower = lower;
    joint->upper = upper;
    take_limits(u, joint, at, effort, velocity);
    return true;
}

static bool read_dynamics(urdf *u, urdf_joint *joint)
{
    ashi_xml *at = ashi_xml_child(joint->xml, "dynamics");
    if (at == NULL)
        return true;
    if (!ashi_draft_number(u->draft, at, "damping", &joint->damping) ||
        !ashi_draft_number(u->draft, at, "friction", &joint->friction))
        return false;
    return (joint->damping >= 0 && joint->friction >= 0) ||
           ashi_draft_fail(u->draft, at, "urdf.dynamics", "damping and friction of joint \"%.100s\" cannot be negative",
                           joint->name);
}

static bool read_joint(urdf *u, ashi_xml *xml)
{
    urdf_joint *joint = &u->joints[u->joint_count];
    *joint = (urdf_joint){.xml = xml, .leader = ASHI_NONE, .multiplier = 1};
    if (!ashi_draft_text(u->draft, xml, "name", &joint->name) || !read_kind(u, xml, &joint->kind) ||
        !ashi_draft_enter(u->draft, xml, u->joint_numbers, "joints", joint->name, u->joint_count++) ||
        !read_end(u, xml, "parent", &joint->parent) || !read_end(u, xml, "child", &joint->child) ||
        !urdf_read_origin(u, xml, &joint->origin) || !read_axis(u, joint) || !read_dynamics(u, joint) ||
        !read_limits(u, joint))
        return false;
    urdf_link *child = &u->links[joint->child];
    if (child->joint != ASHI_NONE)
        return ashi_draft_fail(u->draft, xml, "urdf.tree",
                               "link \"%.100s\" is the child of two joints, \"%.60s\" and \"%.60s\"", child->name,
                               u->joints[child->joint].name, joint->name);
    child->joint = u->joint_count - 1;
    joint->mimic = ashi_xml_child(xml, "mimic");
    return true;
}

/* Leaders may follow in the file. */
static bool read_mimic(urdf *u, urdf_joint *joint)
{
    const char *name;
    ashi_draft *draft = u->draft;
    if (joint->mimic == NULL)
        return true;
    if (!ashi_draft_text(draft, joint->mimic, "joint", &name) ||
        !ashi_draft_number(draft, joint->mimic, "multiplier", &joint->multiplier) ||
        !ashi_draft_number(draft, joint->mimic, "offset", &joint->offset))
        return false;
    joint->leader = ashi_draft_find(u->joint_numbers, name);
    if (joint->leader == ASHI_NONE)
        return ashi_draft_fail(draft, joint->mimic, "robot.unknown-name", "there is no joint called \"%.100s\"", name);
    if (joint->kind != URDF_FIXED && (joint->kind == URDF_PLANAR || joint->kind == URDF_FLOATING))
        return ashi_draft_fail(draft, joint->mimic, "urdf.mimic",
                               "joint \"%.100s\" has no single position to follow another", joint->name);
    return true;
}

static uint32_t count_children(const ashi_xml *xml, const char *name)
{
    uint32_t count = 0;
    for (const ashi_xml *child = xml->first; child != NULL; child = child->next)
        count += ashi_xml_is(child, name);
    return count;
}

bool urdf_read(urdf *u)
{
    uint32_t links = count_children(u->xml, "link"), joints = count_children(u->xml, "joint");
    u->links = ashi_arena_take_array(u->draft->arena, links + 1, sizeof *u->links);
    u->joints = ashi_arena_take_array(u->draft->arena, joints + 1, sizeof *u->joints);
    u->order = ashi_arena_take_array(u->draft->arena, links + 1, sizeof *u->order);
    if (u->links == NULL || u->joints == NULL || u->order == NULL)
        return ashi_draft_no_memory(u->draft);
    for (ashi_xml *xml = ashi_xml_child(u->xml, "link"); xml != NULL; xml = ashi_xml_again(xml))
        if (!read_link(u, xml))
            return false;
    if (u->link_count == 0)
        return ashi_draft_fail(u->draft, u->xml, "urdf.empty", "the robot has no links");
    for (ashi_xml *xml = ashi_xml_child(u->xml, "joint"); xml != NULL; xml = ashi_xml_again(xml))
        if (!read_joint(u, xml))
            return false;
    for (uint32_t i = 0; i < u->joint_count; i++)
        if (!read_mimic(u, &u->joints[i]))
            return false;
    return true;
}
