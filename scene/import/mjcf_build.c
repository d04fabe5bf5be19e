/* From the tree of MJCF to a scene. Bodies without joints are one with their parents. A body of several joints hangs on
 * small bodies between them, one for each joint but the last, which have a share of its mass: what they weigh together
 * is what the file says. */
#include "base/array.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/couple.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double knuckle_share = 0.02; /* of the body's mass, for each joint but the last */

/* ---- poses at the start ---- */

static ash_transform motion(const mjcf_joint *joint)
{
    ash_transform moved = ash_identity();
    double way = joint->position[0] - joint->reference;
    if (joint->kind == MJCF_SLIDE) {
        moved.position = v3_scale(joint->axis, way);
        return moved;
    }
    if (joint->kind == MJCF_HINGE)
        moved.rotation = ash_rotation(joint->axis, way);
    else if (joint->position[0] != 0 || joint->position[1] != 0 || joint->position[2] != 0 || joint->position[3] != 0)
        moved.rotation =
            q_unit((ash_quat){joint->position[0], joint->position[1], joint->position[2], joint->position[3]});
    moved.position = v3_sub(joint->anchor, q_rotate(moved.rotation, joint->anchor));
    return moved;
}

static ash_transform clean(ash_transform pose)
{
    pose.rotation = q_unit(pose.rotation);
    return pose;
}

static bool place_bodies(mjcf *m)
{
    m->bodies.data[0].world = m->bodies.data[0].in_group = ash_identity();
    for (uint32_t i = 1; i < m->bodies.count; i++) {
        mjcf_body *body = &m->bodies.data[i];
        const mjcf_body *parent = &m->bodies.data[body->parent];
        body->world = t_mul(parent->world, body->pose);
        body->group = i;
        body->in_group = ash_identity();
        if (body->joint_count == 0 && !body->moving) {
            body->group = parent->group;
            body->in_group = clean(t_mul(parent->in_group, body->pose));
        }
        for (uint32_t k = 0; k < body->joint_count; k++) {
            const mjcf_joint *joint = &m->joints.data[body->first_joint + k];
            if (joint->kind != MJCF_FREE)
                body->world = t_mul(body->world, motion(joint));
            else if (m->keyed)
                body->world =
                    (ash_transform){v3(joint->position[0], joint->position[1], joint->position[2]),
                                    {joint->position[3], joint->position[4], joint->position[5], joint->position[6]}};
        }
        body->world = clean(body->world);
        if (!t_is_finite(body->world))
            return ashi_draft_fail(m->draft, body->xml, "mjcf.pose", "a body is too far away, or its rotation is 0");
    }
    return true;
}

/* ---- masses ---- */

static void add_mass(ash_mass_properties *sum, const ash_mass_properties *mass, ash_transform pose)
{
    ash_mass_properties moved = ash_mass_transform(mass, pose);
    *sum = sum->mass > 0 ? ash_mass_add(sum, &moved) : moved;
}

/* `boundmass`, `boundinertia`. */
static void bound_mass(const mjcf *m, ash_mass_properties *mass)
{
    ash_vec3 moments;
    ash_quat axes;
    mass->mass = fmax(mass->mass, m->least_mass);
    if (!(m->least_inertia > 0))
        return;
    ashi_eigen_sym3(mass->inertia, &moments, &axes);
    double least = m->least_inertia;
    mass->inertia =
        s3_rotated(s3_diagonal(fmax(moments.x, least), fmax(moments.y, least), fmax(moments.z, least)), axes);
}

/* `settotalmass`: all bodies but the world get heavier or lighter by one factor. */
static void scale_masses(mjcf *m)
{
    double sum = 0;
    for (uint32_t i = 1; i < m->bodies.count; i++)
        sum += m->bodies.data[i].mass.mass;
    double factor = m->total > 0 && sum > 0 ? m->total / sum : 1;
    for (uint32_t i = 1; i < m->bodies.count; i++) {
        ash_mass_properties *mass = &m->bodies.data[i].mass;
        mass->mass *= factor;
        mass->inertia = s3_scale(mass->inertia, factor);
    }
}

static void gather_masses(mjcf *m)
{
    for (uint32_t i = 0; i < m->bodies.count; i++) {
        mjcf_body *body = &m->bodies.data[i];
        for (uint32_t k = 0; !body->has_mass && k < body->geom_count; k++) {
            const mjcf_geom *geom = &m->geoms.data[body->first_geom + k];
            if (geom->mass.mass > 0)
                add_mass(&body->mass, &geom->mass, geom->pose);
        }
        if (i > 0)
            bound_mass(m, &body->mass);
    }
    scale_masses(m);
    for (uint32_t i = 1; i < m->bodies.count; i++) {
        const mjcf_body *body = &m->bodies.data[i];
        if (body->group != i && body->mass.mass > 0)
            add_mass(&m->bodies.data[body->group].mass, &body->mass, body->in_group);
    }
    for (uint32_t i = 1; i < m->bodies.count; i++) {
        mjcf_body *body = &m->bodies.data[i];
        if (body->group != i || body->mass.mass > 0)
            continue;
        body->mass = ashi_draft_ball(1e-3, v3(0, 0, 0));
        if (!body->moving)
            ashi_draft_note(m->draft, body->xml, "the body has no mass: it is a ball of 0.001 kg");
    }
}

/* A rotor about the axis, as a disc: it makes the body harder to turn about the joint. */
static void add_armature(ash_mass_properties *mass, const mjcf_joint *joint)
{
    double moment = joint->armature;
    if (!(moment > 0) || joint->kind == MJCF_FREE)
        return;
    if (joint->kind == MJCF_SLIDE)
        return; /* a wheel of its own */
    if (joint->kind == MJCF_BALL) {
        mass->inertia = s3_add(mass->inertia, s3_diagonal(moment, moment, moment));
        return;
    }
    mass->inertia = s3_add(mass->inertia, s3_diagonal(moment / 2, moment / 2, moment / 2));
    mass->inertia = s3_add(mass->inertia, s3_outer(joint->axis, moment / 2));
}

/* ---- shapes ---- */

static bool add_shapes(mjcf *m, uint32_t group)
{
    ash_scene *scene = m->draft->scene;
    uint32_t number = m->bodies.data[group].number, first = scene->shapes.count;
    bool drawn = false;
    for (uint32_t i = group; i < m->bodies.count; i++) {
        const mjcf_body *body = &m->bodies.data[i];
        for (uint32_t k = 0; body->group == group && k < body->geom_count; k++) {
            mjcf_geom *geom = &m->geoms.data[body->first_geom + k];
            ashi_scene_shape shape = geom->shape;
            if (shape.geometry == ASHI_NONE)
                continue;
            shape.pose = clean(t_mul(body->in_group, geom->pose));
            shape.name = geom->name != NULL ? geom->name : body->name;
            shape.density = 0;
            if (!shape.visual)
                shape.material = m->surfaces.data[geom->surface].material;
            drawn = drawn || !shape.hidden;
            if (ashi_scene_add_shape(scene, number, &shape) == ASHI_NONE)
                return ashi_draft_no_memory(m->draft);
        }
    }
    for (uint32_t i = first; i < scene->shapes.count && !drawn; i++)
        scene->shapes.data[i].hidden = false;
    return true;
}

/* ---- bodies ---- */

static bool add_body(mjcf *m, const char *name, ash_body_type type, ash_transform pose, double gravity_scale,
                     const ash_mass_properties *mass, uint32_t *number)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.type = type;
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.gravity_scale = gravity_scale;
    if (type == ASH_BODY_DYNAMIC)
        ashi_draft_set_mass(&def, mass);
    *number = ashi_scene_add_body(m->draft->scene, &def);
    return *number != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

/* The joint between two bodies of the scene; `before` is where the child would be if the joint had not moved. */
static bool add_joint(mjcf *m, mjcf_joint *joint, uint32_t a, uint32_t b, ash_transform before, bool collide)
{
    static const ash_joint_kind kinds[] = {
        [MJCF_BALL] = ASH_JOINT_BALL, [MJCF_SLIDE] = ASH_JOINT_SLIDER, [MJCF_HINGE] = ASH_JOINT_HINGE};
    const ash_body_def *body_a = a != ASHI_NONE ? &m->draft->scene->bodies.data[a].def : NULL;
    ash_transform place = {joint->anchor, ashi_turn_x_along(joint->axis)}, zero = ash_identity();
    if (joint->kind == MJCF_SLIDE)
        zero.position.x = -joint->reference;
    else if (joint->kind == MJCF_HINGE)
        zero.rotation = ash_rotation(v3(1, 0, 0), -joint->reference);
    ash_joint_def def = ash_default_joint_def(kinds[joint->kind]);
    def.name = joint->name;
    def.collide = collide;
    if (body_a != NULL)
        def.body_a = ashi_scene_body_ref(a);
    def.body_b = ashi_scene_body_ref(b);
    ash_transform pose_a = body_a != NULL ? (ash_transform){body_a->position, body_a->rotation} : ash_identity();
    def.frame_a = clean(t_mul(t_inverse(pose_a), t_mul(t_mul(before, place), zero)));
    def.frame_b = place;
    ash_joint_axis *axis = &def.axes[joint->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X];
    if (joint->kind == MJCF_BALL) {
        def.cone = joint->upper;
        if (joint->friction > 0)
            ashi_draft_note(m->draft, joint->xml, "frictionloss of a ball joint is not supported");
    } else {
        axis->lower = joint->lower;
        axis->upper = joint->upper;
        axis->damping = joint->damping;
        axis->stiffness = joint->stiffness;
        axis->rest = joint->rest;
        axis->friction = joint->friction;
    }
    joint->number = ashi_scene_add_joint(m->draft->scene, &def);
    if (joint->number == ASHI_NONE)
        return ashi_draft_no_memory(m->draft);
    if (joint->kind != MJCF_BALL || (joint->damping == 0 && joint->stiffness == 0))
        return true;
    ashi_scene_force spring = {.kind = ASH_FORCE_ANGULAR_SPRING,
                               .def.angular_spring = ash_default_angular_spring_def()};
    spring.def.angular_spring.body_a = def.body_a;
    spring.def.angular_spring.body_b = def.body_b;
    spring.def.angular_spring.rest_rotation = q_unit(q_mul(def.frame_a.rotation, q_conjugate(def.frame_b.rotation)));
    spring.def.angular_spring.stiffness = joint->stiffness;
    spring.def.angular_spring.damping = joint->damping;
    return ashi_scene_add_force(m->draft->scene, &spring) != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

/* A body with its joints: small bodies between them, then itself. */
static bool add_chain(mjcf *m, uint32_t index)
{
    mjcf_body body = m->bodies.data[index];
    const mjcf_body *parent = &m->bodies.data[m->bodies.data[body.parent].group];
    bool free = body.joint_count > 0 && m->joints.data[body.first_joint].kind == MJCF_FREE;
    uint32_t joints = free ? 0 : body.joint_count, number = parent->number;
    bool on_world = m->bodies.data[body.parent].group == 0;
    ash_transform pose = t_mul(m->bodies.data[body.parent].world, body.pose);
    ash_mass_properties share = body.mass, rest = body.mass;
    double kept = joints > 1 ? 1 - knuckle_share * (joints - 1) : 1;
    if (joints > 20)
        return ashi_draft_fail(m->draft, body.xml, "mjcf.joints", "a body has %u joints", joints);
    rest.mass *= kept;
    rest.inertia = s3_scale(rest.inertia, kept);
    share.mass *= knuckle_share;
    share.inertia = s3_scale(share.inertia, knuckle_share);
    for (uint32_t k = 0; k < joints; k++) {
        mjcf_joint *joint = &m->joints.data[body.first_joint + k];
        ash_transform before = clean(pose);
        bool last = k + 1 == joints;
        ash_mass_properties mass = last ? rest : share;
        uint32_t made;
        pose = clean(t_mul(pose, motion(joint)));
        add_armature(&mass, joint);
        const char *name = last ? body.name : ashi_scene_text(m->draft->scene, "%s %u", body.name, k + 1);
        if (!add_body(m, name, body.moving ? ASH_BODY_KINEMATIC : ASH_BODY_DYNAMIC, last ? body.world : pose,
                      body.gravity_scale, &mass, &made) ||
            (last && (m->bodies.data[index].number = made, !add_shapes(m, index))) ||
            !add_joint(m, joint, number, made, before, on_world && k == 0) ||
            (joint->kind == MJCF_SLIDE && joint->armature > 0 &&
             !ashi_draft_add_rotor(m->draft, joint->number, joint->armature)))
            return false;
        number = made;
    }
    if (joints > 1 && !on_world && ashi_scene_add_ignored_pair(m->draft->scene, parent->number, number) == ASHI_NONE)
        return ashi_draft_no_memory(m->draft);
    if (joints > 0)
        return true;
    return add_body(m, body.name, body.moving ? ASH_BODY_KINEMATIC : ASH_BODY_DYNAMIC, body.world, body.gravity_scale,
                    &body.mass, &m->bodies.data[index].number) &&
           add_shapes(m, index);
}

/* Bodies without a name get one, to be found by. */
static bool name_bodies(mjcf *m)
{
    for (uint32_t i = 1; i < m->bodies.count; i++)
        if (m->bodies.data[i].name == NULL &&
            (m->bodies.data[i].name = ashi_scene_text(m->draft->scene, "body %u", (unsigned)i)) == NULL)
            return ashi_draft_no_memory(m->draft);
    return true;
}

/* Joints that begin outside of their range begin at its end. */
static void clamp_positions(mjcf *m)
{
    for (uint32_t i = 0; i < m->joints.count; i++) {
        mjcf_joint *joint = &m->joints.data[i];
        if (joint->kind != MJCF_HINGE && joint->kind != MJCF_SLIDE)
            continue;
        double wanted = joint->position[0];
        joint->position[0] = fmin(fmax(wanted, joint->lower), joint->upper);
        if (joint->position[0] != wanted)
            ashi_draft_note(m->draft, joint->xml, "joint \"%.60s\" begins at %g, the end of its range nearest to %g",
                            joint->name != NULL ? joint->name : "", joint->position[0], wanted);
    }
}

bool mjcf_build(mjcf *m)
{
    clamp_positions(m);
    if (!mjcf_place_followers(m) || !name_bodies(m) || !place_bodies(m) || !mjcf_add_contacts(m))
        return false;
    gather_masses(m);
    m->bodies.data[0].number = ASHI_NONE;
    bool fixed = m->bodies.data[0].geom_count > 0;
    for (uint32_t i = 1; i < m->bodies.count; i++)
        fixed = fixed || (m->bodies.data[i].group == 0 && m->bodies.data[i].geom_count > 0);
    if (fixed && (!add_body(m, "world", ASH_BODY_STATIC, ash_identity(), 1, NULL, &m->bodies.data[0].number) ||
                  !add_shapes(m, 0)))
        return false;
    for (uint32_t i = 1; i < m->bodies.count; i++)
        if (m->bodies.data[i].group == i && !add_chain(m, i))
            return false;
    return true;
}
