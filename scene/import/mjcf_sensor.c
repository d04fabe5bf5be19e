/* Sensors of MJCF as outputs. Those of a site read along the site's axes; a scene's output has them along directions in
 * the body's frame. */
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <string.h>

static const char *const letters[] = {"x", "y", "z"};

static bool add_output(mjcf *m, ashi_scene_output *output)
{
    return ashi_scene_add_output(m->draft->scene, output) != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

/* What all sensors have: their noise. MuJoCo adds none unless its program asks, so that this is the noise of it. */
static bool read_noise(mjcf *m, ashi_xml *at, double *noise)
{
    return ashi_draft_number(m->draft, at, "noise", noise) &&
           (*noise >= 0 || ashi_draft_fail(m->draft, at, "robot.number", "the noise of <%s> is negative", at->name));
}

static bool add_joint_sensor(mjcf *m, ashi_xml *at, ashi_quantity quantity)
{
    uint32_t number;
    if (!mjcf_find(m, at, m->joint_numbers, "joint", "joint", &number))
        return false;
    const mjcf_joint *joint = &m->joints.data[number];
    const char *name = ashi_xml_get(at, "name");
    if (joint->number == ASHI_NONE || joint->kind == MJCF_BALL) {
        ashi_draft_note(m->draft, at, "<%s> of a ball or a free joint is not supported", at->name);
        return true;
    }
    ashi_scene_output output = {.name = name != NULL ? name
                                                     : ashi_scene_text(m->draft->scene, "%s %s", joint->name, at->name),
                                .quantity = quantity,
                                .object = joint->number,
                                .component = ASHI_SCALAR,
                                .freedom = joint->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X};
    return read_noise(m, at, &output.noise) && add_output(m, &output);
}

/* Three outputs, along x, y and z: of the output's own axes, or, with `turn`, of axes that it turns into the body's. */
static bool add_vector(mjcf *m, ashi_xml *at, ashi_scene_output output, const ash_quat *turn)
{
    const char *name = ashi_xml_get(at, "name");
    for (int i = 0; i < 3; i++) {
        output.name = ashi_scene_text(m->draft->scene, "%s %s", name != NULL ? name : at->name, letters[i]);
        output.component = (ashi_component)i;
        if (turn != NULL) {
            output.component = ASHI_ALONG;
            output.direction = q_rotate(*turn, v3(i == 0, i == 1, i == 2));
        }
        if (!add_output(m, &output))
            return false;
    }
    return true;
}

static bool add_frame_sensor(mjcf *m, ashi_xml *at, ashi_quantity quantity)
{
    const char *type = ashi_xml_get(at, "objtype");
    bool of_site = type != NULL && strcmp(type, "site") == 0;
    ashi_scene_output output = {.quantity = quantity};
    uint32_t number;
    if (type == NULL || (!of_site && strcmp(type, "body") != 0 && strcmp(type, "xbody") != 0)) {
        at->read = false;
        return true;
    }
    if (!mjcf_find(m, at, of_site ? m->site_numbers : m->body_numbers, "objname", type, &number) ||
        !read_noise(m, at, &output.noise))
        return false;
    uint32_t body = of_site ? m->sites.data[number].body : number;
    ash_body reference = mjcf_body_of(m, body);
    if (reference.id == 0)
        return true; /* a place in the world */
    output.object = (uint32_t)reference.id - 1;
    if (quantity != ASHI_BODY_ANGULAR_VELOCITY)
        output.point =
            t_point(m->bodies.data[body].in_group, of_site ? m->sites.data[number].pose.position : v3(0, 0, 0));
    return add_vector(m, at, output, NULL);
}

/* The joint that holds the body of the site, where it is one. */
static bool find_bearing(mjcf *m, ashi_xml *at, const mjcf_site *site, ashi_scene_output *output, ash_quat *turn)
{
    const mjcf_body *body = &m->bodies.data[site->body];
    const mjcf_joint *joint = body->joint_count == 1 ? &m->joints.data[body->first_joint] : NULL;
    if (joint == NULL || joint->number == ASHI_NONE) {
        ashi_draft_note(m->draft, at, "<%s> is not supported but at a body with one hinge, slider or ball", at->name);
        return false;
    }
    output->object = joint->number;
    output->frame = ASH_FRAME_BODY_B;
    *turn = q_mul(body->in_group.rotation, site->pose.rotation);
    if (output->quantity == ASHI_JOINT_TORQUE && v3_distance(site->pose.position, joint->anchor) > 1e-9)
        ashi_draft_note(m->draft, at, "the torque of \"%.60s\" is about the joint's place, not the site's", at->name);
    return true;
}

/* A ray along z of the site; where nothing is nearer it reads `reach`, MuJoCo -1. */
static bool add_range(mjcf *m, ashi_xml *at, ashi_scene_output output, ash_quat turn)
{
    const char *name = ashi_xml_get(at, "name");
    output.reach = 1000;
    if (!ashi_draft_number(m->draft, at, "cutoff", &output.reach))
        return false;
    output.reach = output.reach > 0 ? output.reach : 1000;
    output.name = name != NULL ? name : ashi_scene_text(m->draft->scene, "%s", at->name);
    output.component = ASHI_SCALAR;
    output.direction = q_rotate(turn, v3(0, 0, 1));
    return add_output(m, &output);
}

static bool add_site_sensor(mjcf *m, ashi_xml *at, ashi_quantity quantity)
{
    uint32_t number;
    const char *name = ashi_xml_get(at, "name");
    ashi_scene_output output = {.quantity = quantity};
    if (!mjcf_find(m, at, m->site_numbers, "site", "site", &number) || !read_noise(m, at, &output.noise))
        return false;
    const mjcf_site *site = &m->sites.data[number];
    ash_transform place = t_mul(m->bodies.data[site->body].in_group, site->pose);
    ash_body body = mjcf_body_of(m, site->body);
    ash_quat turn = place.rotation;
    if (ashi_quantity_owner(quantity) == ASHI_OF_JOINT)
        return !find_bearing(m, at, site, &output, &turn) || add_vector(m, at, output, &turn);
    if (body.id == 0) {
        ashi_draft_note(m->draft, at, "<%s> of a site in the world is not supported", at->name);
        return true;
    }
    output.object = (uint32_t)body.id - 1;
    if (ashi_quantity_has_point(quantity))
        output.point = place.position;
    if (quantity == ASHI_BODY_RANGE)
        return add_range(m, at, output, turn);
    if (quantity != ASHI_BODY_CONTACT_FORCE)
        return add_vector(m, at, output, &turn);
    ashi_draft_note(m->draft, at, "<touch> reads the whole contact force of the body, not that within the site");
    output.name = name != NULL ? name : ashi_scene_text(m->draft->scene, "%s touch", site->name);
    output.component = ASHI_NORM;
    return add_output(m, &output);
}

bool mjcf_add_sensor(mjcf *m, ashi_xml *at)
{
    static const struct {
        const char *name;
        bool (*add)(mjcf *m, ashi_xml *at, ashi_quantity quantity);
        ashi_quantity quantity;
    } kinds[] = {{"jointpos", add_joint_sensor, ASHI_JOINT_POSITION},
                 {"jointvel", add_joint_sensor, ASHI_JOINT_RATE},
                 {"jointactuatorfrc", add_joint_sensor, ASHI_JOINT_DRIVE},
                 {"framepos", add_frame_sensor, ASHI_BODY_POSITION},
                 {"framelinvel", add_frame_sensor, ASHI_BODY_VELOCITY},
                 {"frameangvel", add_frame_sensor, ASHI_BODY_ANGULAR_VELOCITY},
                 {"accelerometer", add_site_sensor, ASHI_BODY_ACCELEROMETER},
                 {"gyro", add_site_sensor, ASHI_BODY_GYROSCOPE},
                 {"velocimeter", add_site_sensor, ASHI_BODY_VELOCITY},
                 {"rangefinder", add_site_sensor, ASHI_BODY_RANGE},
                 {"touch", add_site_sensor, ASHI_BODY_CONTACT_FORCE},
                 {"force", add_site_sensor, ASHI_JOINT_FORCE},
                 {"torque", add_site_sensor, ASHI_JOINT_TORQUE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ashi_xml_is(at, kinds[i].name)) {
            at->read = true;
            return kinds[i].add(m, at, kinds[i].quantity);
        }
    return true;
}

/* Without sensors, the positions of all joints that have a name. */
bool mjcf_add_positions(mjcf *m)
{
    for (uint32_t i = 0; i < m->joints.count; i++) {
        const mjcf_joint *joint = &m->joints.data[i];
        if (joint->number == ASHI_NONE || joint->kind == MJCF_BALL || joint->name == NULL)
            continue;
        ashi_scene_output output = {.name = joint->name,
                                    .quantity = ASHI_JOINT_POSITION,
                                    .object = joint->number,
                                    .component = ASHI_SCALAR,
                                    .freedom = joint->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X};
        if (!add_output(m, &output))
            return false;
    }
    return true;
}
