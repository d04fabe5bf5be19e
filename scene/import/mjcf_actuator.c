/* Actuators. The controls are constant: those of the keyframe, or 0. So a force that does not depend on the joint's
 * state is a constant effort, and one that does is a servo: MuJoCo's general actuator exerts
 *
 *   gain * control + b0 + b1 * length + b2 * velocity,   length = gear * q,
 *
 * which for b1 < 0 is a servo of position, and for b1 = 0, b2 < 0 one of velocity. At a site it is a load that turns
 * with the body; at a fixed tendon it acts on the tendon's joints, each by its coefficient. */
#include "base/number.h"
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTROLS = 4096 };

/* What an actuator exerts along its length, N or N m. */
typedef struct actuator {
    ashi_xml *xml;
    double gear[6];
    double control, gain, bias[3];
    double lower, upper; /* of the force; infinite: unlimited */
    double drift;        /* of the length that a servo wants: its speed, for controls that are integrated */
} actuator;

static bool unsupported(mjcf *m, ashi_xml *at, const char *what)
{
    ashi_draft_note(m->draft, at, "<%.40s> %s is not supported: it does nothing", at->name, what);
    ashi_xml_read_all(at);
    return true;
}

/* ---- reading ---- */

/* A range that holds unless its switch is off. */
static bool read_range(mjcf *m, ashi_xml *at, const char *name, const char *toggle, double range[2])
{
    const char *limited = ashi_xml_get(at, toggle);
    uint32_t count;
    range[0] = -INFINITY;
    range[1] = INFINITY;
    double read[2];
    if (!ashi_draft_numbers(m->draft, at, name, 2, 2, read, &count))
        return false;
    if (count == 2 && (limited == NULL || strcmp(limited, "false") != 0))
        memcpy(range, read, sizeof read);
    if (!(range[0] <= range[1]))
        return ashi_draft_fail(m->draft, at, "mjcf.range", "%s of <%s> is from %g to %g", name, at->name, range[0],
                               range[1]);
    return true;
}

static bool read_control(mjcf *m, ashi_xml *at, uint32_t number, double *control)
{
    double range[2];
    uint32_t keyed = 0;
    *control = 0;
    if (m->key != NULL) {
        double *controls = ashi_arena_take_array(m->draft->arena, MOST_CONTROLS, sizeof *controls);
        if (controls == NULL)
            return ashi_draft_no_memory(m->draft);
        if (!ashi_draft_numbers(m->draft, m->key, "ctrl", 1, MOST_CONTROLS, controls, &keyed))
            return false;
        *control = number < keyed ? controls[number] : 0;
    }
    if (!read_range(m, at, "ctrlrange", "ctrllimited", range))
        return false;
    *control = fmin(fmax(*control, range[0]), range[1]);
    return true;
}

static bool read_gain(mjcf *m, ashi_xml *at, const char *name, double usual, double *gain)
{
    *gain = usual;
    if (!ashi_draft_number(m->draft, at, name, gain))
        return false;
    return *gain >= 0 || ashi_draft_fail(m->draft, at, "robot.number", "a gain of <%s> is negative", at->name);
}

static bool has_word(ashi_xml *at, const char *name, const char *usual, const char *wanted)
{
    const char *word = ashi_xml_get(at, name);
    return strcmp(word != NULL ? word : usual, wanted) == 0;
}

/* Gain and bias of the general actuator; `known` is false where they cannot be had. */
static bool read_general(mjcf *m, ashi_xml *at, actuator *a, bool *known)
{
    double gain[10] = {1}, bias[10] = {0};
    uint32_t count;
    bool fixed = has_word(at, "gaintype", "fixed", "fixed"), affine = has_word(at, "biastype", "none", "affine");
    *known = fixed && (affine || has_word(at, "biastype", "none", "none"));
    if (!ashi_draft_numbers(m->draft, at, "gainprm", 1, 10, gain, &count) ||
        !ashi_draft_numbers(m->draft, at, "biasprm", 1, 10, bias, &count))
        return false;
    a->gain = gain[0];
    for (int i = 0; i < 3 && affine; i++)
        a->bias[i] = bias[i];
    bool none = has_word(at, "dyntype", "none", "none"),
         filter = has_word(at, "dyntype", "none", "filter") || has_word(at, "dyntype", "none", "filterexact");
    if (filter) {
        ashi_draft_note(m->draft, at, "the control is constant: it acts at once, without its filter");
        ashi_xml_get(at, "dynprm");
    }
    *known = *known && (none || filter);
    return true;
}

/* The shorthands of MuJoCo, as general actuators. */
static bool read_law(mjcf *m, ashi_xml *at, actuator *a, bool *known)
{
    double kp, kv;
    a->gain = 1;
    *known = true;
    if (ashi_xml_is(at, "motor"))
        return true;
    if (ashi_xml_is(at, "position") || ashi_xml_is(at, "intvelocity")) {
        if (!read_gain(m, at, "kp", 1, &kp) || !read_gain(m, at, "kv", 0, &kv))
            return false;
        a->gain = kp;
        a->bias[1] = -kp;
        a->bias[2] = -kv;
        if (ashi_xml_is(at, "intvelocity")) {
            a->drift = a->control;
            a->control = 0;
        }
        return true;
    }
    if (ashi_xml_is(at, "velocity") || ashi_xml_is(at, "damper")) {
        if (!read_gain(m, at, "kv", 1, &kv))
            return false;
        bool damper = ashi_xml_is(at, "damper");
        a->gain = damper ? 0 : kv;
        a->bias[2] = damper ? -kv * fmax(a->control, 0) : -kv;
        return true;
    }
    *known = false;
    return !ashi_xml_is(at, "general") || read_general(m, at, a, known);
}

/* ---- at a joint ---- */

static ash_freedom freedom_of(const mjcf_joint *joint)
{
    return joint->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X;
}

/* A constant force of the actuator; efforts of several add up. */
static void push(mjcf_joint *joint, const actuator *a, double lever)
{
    double force = a->gain * a->control + a->bias[0];
    joint->effort += lever * fmin(fmax(force, a->lower), a->upper);
}

/* A target that moves with a constant speed for ever. */
static void set_speed(ash_joint_motor *motor, double speed)
{
    static const double times[] = {0, 1e9}, values[] = {0, 1e9};
    motor->target = speed;
    motor->signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 2};
}

static void steer(mjcf *m, mjcf_joint *joint, const actuator *a, double gear)
{
    ash_joint_motor *motor = &m->draft->scene->joints.data[joint->number].def.axes[freedom_of(joint)].motor;
    double force = a->gain * a->control + a->bias[0], limit = fmax(fabs(a->lower), fabs(a->upper));
    motor->drive = ASH_DRIVE_SERVO;
    motor->proportional = -a->bias[1] * gear * gear;
    motor->derivative = -a->bias[2] * gear * gear;
    motor->max_force = limit * fabs(gear);
    if (a->lower != -a->upper)
        ashi_draft_note(m->draft, a->xml, "forcerange is not the same both ways: the larger number counts for both");
    motor->target = 0;
    if (a->drift != 0)
        set_speed(motor, a->drift / gear);
    else if (a->bias[1] < 0)
        motor->target = force / -a->bias[1] / gear;
    else if (force != 0)
        set_speed(motor, force / -a->bias[2] / gear);
    joint->driven = true;
}

static bool drive_joint(mjcf *m, const actuator *a, mjcf_joint *joint, double gear)
{
    if (joint->number == ASHI_NONE || joint->kind == MJCF_BALL)
        return unsupported(m, a->xml, "at a ball or a free joint");
    if (a->bias[1] == 0 && a->bias[2] == 0) {
        push(joint, a, gear);
        return true;
    }
    if (gear == 0)
        return true; /* it exerts nothing */
    if (a->bias[1] > 0 || a->bias[2] > 0)
        return unsupported(m, a->xml, "whose bias grows with its length or velocity");
    if (joint->driven)
        return unsupported(m, a->xml, "at a joint that another servo drives");
    steer(m, joint, a, gear);
    return true;
}

/* ---- at a fixed tendon ---- */

static ashi_xml *find_tendon(mjcf *m, const char *name)
{
    for (ashi_xml *section = mjcf_section(m, "tendon"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = section->first; at != NULL; at = at->next) {
            const char *own = ashi_xml_peek(at, "name");
            if (own != NULL && strcmp(own, name) == 0)
                return at;
        }
    return NULL;
}

static bool drive_tendon(mjcf *m, const actuator *a)
{
    const char *name = ashi_xml_get(a->xml, "tendon");
    ashi_xml *tendon = find_tendon(m, name);
    if (tendon == NULL)
        return ashi_draft_fail(m->draft, a->xml, "robot.unknown-name", "there is no tendon called \"%.100s\"", name);
    if (!ashi_xml_is(tendon, "fixed"))
        return unsupported(m, a->xml, "at a spatial tendon");
    tendon->read = true;
    ashi_xml_get(tendon, "name");
    ashi_xml *only = ashi_xml_child(tendon, "joint");
    bool one = only != NULL && ashi_xml_again(only) == NULL;
    if (!one && (a->bias[1] != 0 || a->bias[2] != 0))
        return unsupported(m, a->xml, "with feedback at a tendon of several joints");
    for (ashi_xml *at = only; at != NULL; at = ashi_xml_again(at)) {
        uint32_t number;
        double coefficient = 1;
        if (!mjcf_find(m, at, m->joint_numbers, "joint", "joint", &number) ||
            !ashi_draft_number(m->draft, at, "coef", &coefficient) ||
            !drive_joint(m, a, &m->joints.data[number], coefficient * a->gear[0]))
            return false;
    }
    return true;
}

/* ---- at a site ---- */

static bool drive_site(mjcf *m, const actuator *a)
{
    uint32_t number;
    if (ashi_xml_peek(a->xml, "refsite") != NULL || a->bias[1] != 0 || a->bias[2] != 0)
        return unsupported(m, a->xml, "with feedback or a reference at a site");
    if (!mjcf_find(m, a->xml, m->site_numbers, "site", "site", &number))
        return false;
    const mjcf_site *site = &m->sites.data[number];
    double force = fmin(fmax(a->gain * a->control + a->bias[0], a->lower), a->upper);
    ash_transform place = t_mul(m->bodies.data[site->body].in_group, site->pose);
    ash_body body = mjcf_body_of(m, site->body);
    ashi_scene_force load = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    load.def.load.body = body;
    load.def.load.point = place.position;
    load.def.load.body_axes = true;
    load.def.load.force = q_rotate(place.rotation, v3_scale(v3(a->gear[0], a->gear[1], a->gear[2]), force));
    load.def.load.torque = q_rotate(place.rotation, v3_scale(v3(a->gear[3], a->gear[4], a->gear[5]), force));
    load.def.load.name = ashi_xml_get(a->xml, "name");
    if (force == 0 || body.id == 0 || m->draft->scene->bodies.data[body.id - 1].def.type != ASH_BODY_DYNAMIC)
        return true; /* it exerts nothing */
    return ashi_scene_add_force(m->draft->scene, &load) != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

/* ---- all of them ---- */

static bool add_actuator(mjcf *m, ashi_xml *at, uint32_t number)
{
    actuator a = {.xml = at, .gear = {1}};
    uint32_t class, count, joint;
    double range[2];
    bool known;
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class))
        return false;
    ashi_xml_get(at, "name");
    if (!ashi_draft_numbers(m->draft, at, "gear", 1, 6, a.gear, &count) || !read_control(m, at, number, &a.control) ||
        !read_range(m, at, "forcerange", "forcelimited", range) || !read_law(m, at, &a, &known))
        return false;
    a.lower = range[0];
    a.upper = range[1];
    if (!known)
        return unsupported(m, at, ashi_xml_is(at, "general") ? "of these types" : "as an actuator");
    const char *name = ashi_xml_peek(at, "joint") != NULL ? "joint" : "jointinparent";
    if (ashi_xml_peek(at, name) != NULL)
        return mjcf_find(m, at, m->joint_numbers, name, "joint", &joint) &&
               drive_joint(m, &a, &m->joints.data[joint], a.gear[0]);
    if (ashi_xml_peek(at, "tendon") != NULL)
        return drive_tendon(m, &a);
    return ashi_xml_peek(at, "site") != NULL ? drive_site(m, &a)
                                             : unsupported(m, at, "but at a joint, a fixed tendon or a site");
}

static bool set_effort(mjcf *m, const mjcf_joint *joint)
{
    char text[40];
    ashi_number_text(joint->effort, text);
    return ashi_scene_set_effort(m->draft->scene, joint->number, freedom_of(joint), text, joint->most_effort) ||
           ashi_draft_no_memory(m->draft);
}

/* What all actuators of a joint exert together is limited. */
static void limit_servo(mjcf *m, const mjcf_joint *joint)
{
    ash_joint_motor *motor = &m->draft->scene->joints.data[joint->number].def.axes[freedom_of(joint)].motor;
    motor->max_force = fmin(motor->max_force, joint->most_effort);
}

bool mjcf_add_actuators(mjcf *m)
{
    uint32_t count = 0;
    for (ashi_xml *section = mjcf_section(m, "actuator"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = section->first; at != NULL; at = at->next)
            if (!add_actuator(m, at, count++))
                return false;
    for (uint32_t i = 0; i < m->joints.count; i++) {
        const mjcf_joint *joint = &m->joints.data[i];
        if (joint->driven)
            limit_servo(m, joint);
        if (joint->effort != 0 && !set_effort(m, joint))
            return false;
    }
    return true;
}
