/* The tree of bodies: joints, geoms and sites of each, with frames and replicas written out. */
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BODIES = 100000, MOST_REPLICAS = 10000 };

/* Where in the file and in the tree reading is. */
typedef struct place {
    uint32_t body, class;
    ash_transform frame; /* of what is read, in the body (of bodies: in the parent) */
    const char *suffix;  /* of names, by replicas */
} place;

static const char *named(mjcf *m, ashi_xml *at, const char *suffix)
{
    const char *name = ashi_xml_get(at, "name");
    return name != NULL && *suffix != 0 ? ashi_scene_text(m->draft->scene, "%s%s", name, suffix) : name;
}

/* ---- joints ---- */

static bool read_joint_kind(mjcf *m, ashi_xml *at, mjcf_joint_kind *kind)
{
    static const char *const kinds[] = {"free", "ball", "slide", "hinge"};
    const char *type = ashi_xml_get(at, "type");
    uint32_t number = ashi_xml_is(at, "freejoint") ? MJCF_FREE
                      : type == NULL               ? MJCF_HINGE
                                                   : ashi_word_find((ashi_words){kinds, 4}, type);
    *kind = (mjcf_joint_kind)number;
    return number != ASHI_NONE ||
           ashi_draft_fail(m->draft, at, "mjcf.joint-type", "there is no joint of type \"%.60s\"", type);
}

static bool read_range(mjcf *m, ashi_xml *at, mjcf_joint *joint)
{
    double range[2] = {0};
    uint32_t count;
    const char *limited = ashi_xml_get(at, "limited");
    joint->lower = -INFINITY;
    joint->upper = INFINITY;
    if (!ashi_draft_numbers(m->draft, at, "range", 2, 2, range, &count))
        return false;
    bool is_limited = limited != NULL && strcmp(limited, "auto") != 0 ? strcmp(limited, "true") == 0
                                                                      : m->limits_by_range && count == 2;
    if (!is_limited || joint->kind == MJCF_FREE)
        return true;
    if (!(range[0] <= range[1]))
        return ashi_draft_fail(m->draft, at, "mjcf.range", "range of a joint is from %g to %g", range[0], range[1]);
    bool angle = joint->kind != MJCF_SLIDE;
    joint->lower = angle ? mjcf_angle(m, range[0]) : range[0];
    joint->upper = angle ? mjcf_angle(m, range[1]) : range[1];
    return true;
}

static bool read_joint_numbers(mjcf *m, ashi_xml *at, mjcf_joint *joint)
{
    static const char *const names[] = {"damping", "stiffness", "frictionloss", "armature"};
    double *const fields[] = {&joint->damping, &joint->stiffness, &joint->friction, &joint->armature};
    for (int i = 0; i < 4; i++) {
        if (!ashi_draft_number(m->draft, at, names[i], fields[i]))
            return false;
        if (*fields[i] < 0)
            return ashi_draft_fail(m->draft, at, "robot.number", "%s of a joint is %g", names[i], *fields[i]);
    }
    if (!ashi_draft_number(m->draft, at, "ref", &joint->reference) ||
        !ashi_draft_number(m->draft, at, "springref", &joint->rest))
        return false;
    if (joint->kind == MJCF_HINGE) {
        joint->reference = mjcf_angle(m, joint->reference);
        joint->rest = mjcf_angle(m, joint->rest);
    }
    joint->position[0] = joint->reference;
    double most[2];
    uint32_t count;
    const char *limited = ashi_xml_get(at, "actuatorfrclimited");
    joint->most_effort = INFINITY;
    if (!ashi_draft_numbers(m->draft, at, "actuatorfrcrange", 2, 2, most, &count))
        return false;
    if (count == 2 && (limited == NULL || strcmp(limited, "false") != 0))
        joint->most_effort = fmax(fabs(most[0]), fabs(most[1]));
    if (count == 2 && most[0] != -most[1])
        ashi_draft_note(m->draft, at, "actuatorfrcrange is not the same both ways: the larger number counts for both");
    return true;
}

static bool add_joint(mjcf *m, ashi_xml *at, const place *here)
{
    mjcf_joint joint = {.xml = at, .axis = v3(0, 0, 1), .number = ASHI_NONE};
    uint32_t class;
    if (!mjcf_apply_class(m, at, here->class, &class) || !read_joint_kind(m, at, &joint.kind))
        return false;
    joint.name = named(m, at, here->suffix);
    if (!ashi_draft_vector(m->draft, at, "pos", &joint.anchor) ||
        !ashi_draft_vector(m->draft, at, "axis", &joint.axis) || !read_range(m, at, &joint) ||
        !read_joint_numbers(m, at, &joint))
        return false;
    if (!(v3_norm(joint.axis) > 1e-12) || !isfinite(v3_norm(joint.axis)))
        return ashi_draft_fail(m->draft, at, "mjcf.axis", "the axis of a joint has no direction");
    joint.axis = q_rotate(here->frame.rotation, v3_unit(joint.axis));
    joint.anchor = t_point(here->frame, joint.anchor);
    mjcf_body *body = &m->bodies.data[here->body];
    if (joint.kind == MJCF_FREE && (body->parent != 0 || body->joint_count > 0))
        return ashi_draft_fail(m->draft, at, "mjcf.free", "a free joint is the only one of a body of the world");
    if (here->body == 0)
        return ashi_draft_fail(m->draft, at, "mjcf.joint", "the world has a joint");
    if (!ashi_array_extend(&m->joints))
        return ashi_draft_no_memory(m->draft);
    m->joints.data[m->joints.count - 1] = joint;
    body->joint_count++;
    return joint.name == NULL ||
           ashi_draft_enter(m->draft, at, m->joint_numbers, "joints", joint.name, m->joints.count - 1);
}

/* ---- sites, masses ---- */

static bool add_site(mjcf *m, ashi_xml *at, const place *here)
{
    uint32_t class;
    mjcf_site site = {.body = here->body};
    if (!mjcf_apply_class(m, at, here->class, &class) || !mjcf_read_pose(m, at, &site.pose))
        return false;
    static const char *const looks[] = {"type", "size", "rgba", "group", "material", "fromto"};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        ashi_xml_get(at, looks[i]); /* sites are places, they are not drawn */
    site.name = named(m, at, here->suffix);
    site.pose = t_mul(here->frame, site.pose);
    if (!ashi_array_extend(&m->sites))
        return ashi_draft_no_memory(m->draft);
    m->sites.data[m->sites.count - 1] = site;
    return site.name == NULL || ashi_draft_enter(m->draft, at, m->site_numbers, "sites", site.name, m->sites.count - 1);
}

static bool read_inertial(mjcf *m, ashi_xml *at, mjcf_body *body)
{
    ash_transform pose;
    double diagonal[3], full[6];
    uint32_t diagonals, fulls;
    ash_mass_properties mass = {0};
    if (!mjcf_read_pose(m, at, &pose) || !ashi_draft_number(m->draft, at, "mass", &mass.mass) ||
        !ashi_draft_numbers(m->draft, at, "diaginertia", 3, 3, diagonal, &diagonals) ||
        !ashi_draft_numbers(m->draft, at, "fullinertia", 6, 6, full, &fulls))
        return false;
    if (m->mass_from_geoms)
        return true;
    if (mass.mass < 0)
        return ashi_draft_fail(m->draft, at, "robot.mass", "the mass is %g kg", mass.mass);
    if (mass.mass == 0)
        return true;
    if (diagonals == 0 && fulls == 0)
        mass = ashi_draft_ball(mass.mass, v3(0, 0, 0));
    else if (fulls > 0)
        mass.inertia = (ash_sym3){full[0], full[1], full[2], full[3], full[4], full[5]};
    else
        mass.inertia = s3_diagonal(diagonal[0], diagonal[1], diagonal[2]);
    if (!ashi_draft_check_mass(m->draft, at, body->name != NULL ? body->name : "a body", &mass))
        return false;
    mass.inertia = s3_rotated(mass.inertia, pose.rotation);
    mass.centre = pose.position;
    body->mass = mass;
    body->has_mass = true;
    return true;
}

/* ---- bodies ---- */

/* Bodies of a body come after all of it, so that joints and geoms of one body stand together. */
typedef enum reading { OWN_PARTS, CHILD_BODIES } reading;

static bool read_children(mjcf *m, ashi_xml *at, const place *here, reading pass);

static bool add_body(mjcf *m, ashi_xml *at, const place *here)
{
    mjcf_body body = {.xml = at, .parent = here->body, .gravity_scale = 1};
    double compensation = 0;
    ash_transform pose;
    at->read = true;
    if (m->bodies.count >= MOST_BODIES)
        return ashi_draft_fail(m->draft, at, "mjcf.size", "there are more than %d bodies", MOST_BODIES);
    body.name = named(m, at, here->suffix);
    const char *mocap = ashi_xml_get(at, "mocap");
    body.moving = mocap != NULL && strcmp(mocap, "true") == 0;
    if (!mjcf_read_pose(m, at, &pose) || !ashi_draft_number(m->draft, at, "gravcomp", &compensation))
        return false;
    body.gravity_scale = 1 - compensation;
    body.pose = t_mul(here->frame, pose);
    body.pose.rotation = q_unit(body.pose.rotation);
    body.first_joint = m->joints.count;
    body.first_geom = m->geoms.count;
    uint32_t number = m->bodies.count;
    place inside = {.body = number, .frame = ash_identity(), .suffix = here->suffix};
    if (!ashi_array_extend(&m->bodies))
        return ashi_draft_no_memory(m->draft);
    m->bodies.data[number] = body;
    if (body.name != NULL && !ashi_draft_enter(m->draft, at, m->body_numbers, "bodies", body.name, number))
        return false;
    if (!mjcf_child_class(m, at, here->class, &inside.class) || !read_children(m, at, &inside, OWN_PARTS))
        return false;
    m->bodies.data[number].geom_count = m->geoms.count - body.first_geom;
    return read_children(m, at, &inside, CHILD_BODIES);
}

static bool read_replicas(mjcf *m, ashi_xml *at, const place *here, reading pass)
{
    double count = 0;
    ash_transform step = ash_identity();
    const char *separator = ashi_xml_get(at, "sep");
    if (!ashi_draft_number(m->draft, at, "count", &count) ||
        !ashi_draft_vector(m->draft, at, "offset", &step.position) || !mjcf_read_rotation(m, at, &step.rotation))
        return false;
    if (!(count >= 1 && count <= MOST_REPLICAS) || count != floor(count))
        return ashi_draft_fail(m->draft, at, "mjcf.replicate", "count is %g, not a whole number from 1 to %d", count,
                               MOST_REPLICAS);
    place copy = *here;
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        if (++m->replicas > 2 * MOST_BODIES)
            return ashi_draft_fail(m->draft, at, "mjcf.replicate", "there are more than %d replicas", MOST_BODIES);
        copy.suffix = ashi_scene_text(m->draft->scene, "%s%s%u", here->suffix, separator != NULL ? separator : "", i);
        if (copy.suffix == NULL)
            return ashi_draft_no_memory(m->draft);
        if (!read_children(m, at, &copy, pass))
            return false;
        copy.frame = t_mul(copy.frame, step);
        copy.frame.rotation = q_unit(copy.frame.rotation);
    }
    return true;
}

static bool read_part(mjcf *m, ashi_xml *at, const place *here)
{
    if (ashi_xml_is(at, "joint") || ashi_xml_is(at, "freejoint"))
        return add_joint(m, at, here);
    if (ashi_xml_is(at, "geom"))
        return mjcf_add_geom(m, at, here->class, here->frame, here->suffix);
    if (ashi_xml_is(at, "site"))
        return add_site(m, at, here);
    if (ashi_xml_is(at, "inertial")) {
        at->read = true;
        return read_inertial(m, at, &m->bodies.data[here->body]);
    }
    return true;
}

static bool read_children(mjcf *m, ashi_xml *holder, const place *here, reading pass)
{
    for (ashi_xml *at = holder->first; at != NULL; at = at->next) {
        place inside = *here;
        ash_transform pose;
        bool done = true;
        if (ashi_xml_is(at, "frame")) {
            at->read = true;
            ashi_xml_get(at, "name");
            done = mjcf_child_class(m, at, here->class, &inside.class) && mjcf_read_pose(m, at, &pose);
            inside.frame = done ? t_mul(here->frame, pose) : pose;
            done = done && read_children(m, at, &inside, pass);
        } else if (ashi_xml_is(at, "replicate")) {
            at->read = true;
            done = mjcf_child_class(m, at, here->class, &inside.class) && read_replicas(m, at, &inside, pass);
        } else if (ashi_xml_is(at, "body"))
            done = pass == OWN_PARTS || add_body(m, at, here);
        else if (pass == OWN_PARTS)
            done = read_part(m, at, here);
        if (!done)
            return false;
    }
    return true;
}

/* Several sections of the world are one. */
bool mjcf_read_tree(mjcf *m)
{
    if (!ashi_array_extend(&m->bodies))
        return ashi_draft_no_memory(m->draft);
    m->bodies.data[0] = (mjcf_body){.name = "world", .xml = m->root, .pose = ash_identity(), .gravity_scale = 1};
    if (!ashi_draft_enter(m->draft, m->root, m->body_numbers, "bodies", "world", 0))
        return false;
    place world = {.class = ASHI_NONE, .frame = ash_identity(), .suffix = ""};
    for (int pass = OWN_PARTS; pass <= CHILD_BODIES; pass++) {
        for (ashi_xml *at = mjcf_section(m, "worldbody"); at != NULL; at = ashi_xml_again(at))
            if (!mjcf_child_class(m, at, ASHI_NONE, &world.class) || !read_children(m, at, &world, (reading)pass))
                return false;
        if (pass == OWN_PARTS)
            m->bodies.data[0].geom_count = m->geoms.count;
    }
    return true;
}
