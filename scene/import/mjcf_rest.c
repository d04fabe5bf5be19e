/* What stands beside the tree of MJCF: keyframes, actuators, equalities, tendons, pairs that are kept apart, sensors.
 */
#include "base/number.h"
#include "base/text.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- keyframes ---- */

static ashi_xml *find_key(mjcf *m, const char *wanted)
{
    uint32_t index = 0, number;
    bool is_number = ashi_parse_count(wanted, &number);
    for (ashi_xml *section = mjcf_section(m, "keyframe"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *key = ashi_xml_child(section, "key"); key != NULL; key = ashi_xml_again(key), index++) {
            const char *name = ashi_xml_get(key, "name");
            if ((name != NULL && strcmp(name, wanted) == 0) || (is_number && index == number))
                return key;
        }
    return NULL;
}

/* Keys that were not chosen are there to be chosen. */
static void read_keys(mjcf *m)
{
    for (ashi_xml *section = mjcf_section(m, "keyframe"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *key = ashi_xml_child(section, "key"); key != NULL; key = ashi_xml_again(key))
            if (key != m->key)
                ashi_xml_read_all(key);
}

bool mjcf_choose_keyframe(mjcf *m)
{
    static const uint32_t sizes[] = {[MJCF_FREE] = 7, [MJCF_BALL] = 4, [MJCF_SLIDE] = 1, [MJCF_HINGE] = 1};
    const char *wanted = m->draft->options->keyframe;
    if (wanted == NULL) {
        read_keys(m);
        return true;
    }
    m->key = find_key(m, wanted);
    if (m->key == NULL)
        return ashi_draft_fail(m->draft, m->root, "mjcf.keyframe", "there is no keyframe \"%.100s\"", wanted);
    read_keys(m);
    uint32_t total = 0, count, at = 0;
    for (uint32_t i = 0; i < m->joints.count; i++)
        total += sizes[m->joints.data[i].kind];
    double *numbers = ashi_arena_take_array(m->draft->arena, total + 1, sizeof *numbers);
    if (numbers == NULL)
        return ashi_draft_no_memory(m->draft);
    ashi_xml_get(m->key, "name");
    if (total == 0 || !ashi_draft_numbers(m->draft, m->key, "qpos", total, total, numbers, &count))
        return total == 0;
    for (uint32_t i = 0; i < m->joints.count && count > 0; i++) {
        uint32_t size = sizes[m->joints.data[i].kind];
        memcpy(m->joints.data[i].position, numbers + at, size * sizeof *numbers);
        at += size;
    }
    if (count == 0)
        m->key = NULL; /* no positions in it */
    return true;
}

/* ---- references ---- */

static bool find(mjcf *m, ashi_xml *at, const json_t *table, const char *attribute, const char *what, uint32_t *number)
{
    const char *name;
    if (!ashi_draft_text(m->draft, at, attribute, &name))
        return false;
    *number = ashi_draft_find(table, name);
    return *number != ASHI_NONE ||
           ashi_draft_fail(m->draft, at, "robot.unknown-name", "there is no %s called \"%.100s\"", what, name);
}

/* The body of the scene that a body of the file belongs to; null is the background. */
static ash_body body_of(const mjcf *m, uint32_t body)
{
    uint32_t number = m->bodies.data[m->bodies.data[body].group].number;
    return number != ASHI_NONE ? ashi_scene_body_ref(number) : (ash_body){0};
}

/* A second body that is left out is the world. */
static bool find_bodies(mjcf *m, ashi_xml *at, uint32_t *a, uint32_t *b)
{
    *b = 0;
    return find(m, at, m->body_numbers, "body1", "body", a) &&
           (ashi_xml_peek(at, "body2") == NULL || find(m, at, m->body_numbers, "body2", "body", b));
}

/* ---- equalities ---- */

static bool add_equality(mjcf *m, ashi_xml *at)
{
    uint32_t a, b, class;
    bool weld = ashi_xml_is(at, "weld");
    ash_vec3 anchor = v3(0, 0, 0);
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class))
        return false;
    if (ashi_xml_peek(at, "body1") == NULL) {
        at->read = false; /* by sites: noted as a whole */
        return true;
    }
    if (!find_bodies(m, at, &a, &b) || !ashi_draft_vector(m->draft, at, "anchor", &anchor))
        return false;
    ash_joint_def def = ash_default_joint_def(weld ? ASH_JOINT_FIXED : ASH_JOINT_BALL);
    const mjcf_body *first = &m->bodies.data[a], *second = &m->bodies.data[b];
    ash_transform place = {t_point(first->world, anchor), {1, 0, 0, 0}};
    def.name = ashi_xml_get(at, "name");
    def.body_a = body_of(m, a);
    def.body_b = body_of(m, b);
    if (def.body_a.id == def.body_b.id)
        return ashi_draft_fail(m->draft, at, "mjcf.equality", "<%s> is between a body and itself", at->name);
    def.frame_a = t_mul(t_mul(first->in_group, t_inverse(first->world)), place);
    def.frame_b = t_mul(t_mul(second->in_group, t_inverse(second->world)), place);
    def.frame_a.rotation = q_unit(def.frame_a.rotation);
    def.frame_b.rotation = q_unit(def.frame_b.rotation);
    def.collide = true;
    uint32_t number = ashi_scene_add_joint(m->draft->scene, &def);
    if (number == ASHI_NONE)
        return ashi_draft_no_memory(m->draft);
    const char *active = ashi_xml_get(at, "active");
    m->draft->scene->joints.data[number].disabled = active != NULL && strcmp(active, "false") == 0;
    return true;
}

/* ---- tendons: a rope between two sites ---- */

static bool add_rope(mjcf *m, ashi_xml *at, uint32_t a, uint32_t b, double length)
{
    const mjcf_site *first = &m->sites.data[a], *second = &m->sites.data[b];
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_ROPE);
    def.body_a = body_of(m, first->body);
    def.body_b = body_of(m, second->body);
    def.frame_a.position = t_point(t_mul(m->bodies.data[first->body].in_group, first->pose), v3(0, 0, 0));
    def.frame_b.position = t_point(t_mul(m->bodies.data[second->body].in_group, second->pose), v3(0, 0, 0));
    def.length = length;
    def.collide = true;
    def.name = ashi_xml_get(at, "name");
    if (def.body_a.id == def.body_b.id)
        return ashi_draft_fail(m->draft, at, "mjcf.tendon", "a tendon is between a body and itself");
    return ashi_scene_add_joint(m->draft->scene, &def) != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

static bool add_tendon(mjcf *m, ashi_xml *at)
{
    ashi_xml *first = at->first, *second = first != NULL ? first->next : NULL;
    double range[2] = {0};
    uint32_t count, class, sites[2];
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class) || !ashi_draft_numbers(m->draft, at, "range", 2, 2, range, &count))
        return false;
    const char *limited = ashi_xml_get(at, "limited");
    bool is_limited = limited != NULL && strcmp(limited, "auto") != 0 ? strcmp(limited, "true") == 0
                                                                      : m->limits_by_range && count == 2;
    bool two = second != NULL && second->next == NULL && ashi_xml_is(first, "site") && ashi_xml_is(second, "site");
    if (!two || !is_limited || range[0] > 0 || !(range[1] > 0)) {
        ashi_draft_note(m->draft, at,
                        "<spatial> is not supported but as a rope between two sites, with a range from 0");
        ashi_xml_read_all(at);
        return true;
    }
    static const char *const looks[] = {"width", "rgba", "material", "group"};
    for (int i = 0; i < 4; i++)
        ashi_xml_get(at, looks[i]);
    first->read = second->read = true;
    const char *names[2];
    if (!ashi_draft_text(m->draft, first, "site", &names[0]) || !ashi_draft_text(m->draft, second, "site", &names[1]))
        return false;
    sites[0] = ashi_draft_find(m->site_numbers, names[0]);
    sites[1] = ashi_draft_find(m->site_numbers, names[1]);
    if (sites[0] != ASHI_NONE && sites[1] != ASHI_NONE)
        return add_rope(m, at, sites[0], sites[1], range[1]);
    /* sites of replicas: one rope for each */
    for (uint32_t i = 0;; i++) {
        char text[2][256];
        for (int k = 0; k < 2; k++) {
            snprintf(text[k], sizeof text[k], "%.200s%u", names[k], (unsigned)i);
            sites[k] = ashi_draft_find(m->site_numbers, text[k]);
        }
        if (sites[0] == ASHI_NONE || sites[1] == ASHI_NONE)
            return i > 0 || ashi_draft_fail(m->draft, at, "robot.unknown-name",
                                            "there is no site called \"%.100s\" or \"%.100s\"", names[0], names[1]);
        if (!add_rope(m, at, sites[0], sites[1], range[1]))
            return false;
    }
}

/* ---- contacts ---- */

static bool add_exclude(mjcf *m, ashi_xml *at)
{
    uint32_t a, b;
    ashi_xml_get(at, "name");
    if (!find_bodies(m, at, &a, &b))
        return false;
    ash_body first = body_of(m, a), second = body_of(m, b);
    if (first.id == 0 || second.id == 0 || first.id == second.id)
        return true; /* they cannot touch */
    return ashi_scene_add_ignored_pair(m->draft->scene, (uint32_t)first.id - 1, (uint32_t)second.id - 1) != ASHI_NONE ||
           ashi_draft_no_memory(m->draft);
}

/* ---- actuators ---- */

/* The first number of "gear". */
static bool read_gear(mjcf *m, ashi_xml *at, double *gear)
{
    double n[6] = {1};
    uint32_t count;
    if (!ashi_draft_numbers(m->draft, at, "gear", 1, 6, n, &count))
        return false;
    *gear = n[0];
    return true;
}

static bool read_control(mjcf *m, ashi_xml *at, uint32_t number, double *control)
{
    double range[2], controls[256];
    uint32_t count, keyed = 0;
    const char *limited = ashi_xml_get(at, "ctrllimited");
    if (m->draft->options->keyframe != NULL && m->key != NULL &&
        !ashi_draft_numbers(m->draft, m->key, "ctrl", 1, 256, controls, &keyed))
        return false;
    *control = number < keyed ? controls[number] : 0;
    if (!ashi_draft_numbers(m->draft, at, "ctrlrange", 2, 2, range, &count))
        return false;
    if (count == 2 && (limited == NULL || strcmp(limited, "false") != 0))
        *control = fmin(fmax(*control, range[0]), range[1]);
    return true;
}

static bool read_gains(mjcf *m, ashi_xml *at, bool position, ash_joint_motor *motor)
{
    double kp = position ? 1 : 0, kv = position ? 0 : 1, range[2];
    uint32_t count;
    const char *limited = ashi_xml_get(at, "forcelimited");
    if ((position && !ashi_draft_number(m->draft, at, "kp", &kp)) || !ashi_draft_number(m->draft, at, "kv", &kv) ||
        !ashi_draft_numbers(m->draft, at, "forcerange", 2, 2, range, &count))
        return false;
    if (kp < 0 || kv < 0)
        return ashi_draft_fail(m->draft, at, "robot.number", "a gain of <%s> is negative", at->name);
    motor->drive = ASH_DRIVE_SERVO;
    motor->proportional = kp;
    motor->derivative = kv;
    motor->max_force = INFINITY;
    if (count == 2 && (limited == NULL || strcmp(limited, "false") != 0)) {
        motor->max_force = fmax(fabs(range[0]), fabs(range[1]));
        if (range[0] != -range[1])
            ashi_draft_note(m->draft, at, "forcerange is not the same both ways: the larger number counts for both");
    }
    return true;
}

/* A velocity servo is one of position whose target moves on for ever. */
static void set_speed(ash_joint_motor *motor, double speed)
{
    static const double times[] = {0, 1e9}, values[] = {0, 1e9};
    motor->target = speed;
    motor->signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 2};
}

static bool add_actuator(mjcf *m, ashi_xml *at, uint32_t number)
{
    uint32_t class, joint;
    double gear, control;
    bool position = ashi_xml_is(at, "position"), velocity = ashi_xml_is(at, "velocity"),
         motor = ashi_xml_is(at, "motor");
    if ((!position && !velocity && !motor) || !mjcf_apply_class(m, at, ASHI_NONE, &class))
        return !position && !velocity && !motor; /* noted as a whole */
    if (ashi_xml_peek(at, "joint") == NULL) {
        ashi_draft_note(m->draft, at, "<%s> is not supported but at a joint: it does nothing", at->name);
        ashi_xml_read_all(at);
        return true;
    }
    ashi_xml_get(at, "name");
    if (!find(m, at, m->joint_numbers, "joint", "joint", &joint) || !read_gear(m, at, &gear) ||
        !read_control(m, at, number, &control))
        return false;
    mjcf_joint *driven = &m->joints.data[joint];
    if (driven->number == ASHI_NONE || driven->kind == MJCF_BALL || driven->driven) {
        ashi_draft_note(m->draft, at, "<%s> at a ball, a free joint or a joint that is driven already: it does nothing",
                        at->name);
        ashi_xml_read_all(at);
        return true;
    }
    ash_joint_axis *axis =
        &m->draft->scene->joints.data[driven->number].def.axes[driven->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X];
    if (motor) {
        ash_scene *scene = m->draft->scene;
        ash_freedom freedom = driven->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X;
        char text[40];
        ashi_number_text(control * gear, text);
        if (control * gear == 0)
            return true; /* it exerts nothing */
        driven->driven = true;
        return ashi_scene_set_effort(scene, driven->number, freedom, text, INFINITY) || ashi_draft_no_memory(m->draft);
    }
    if (!read_gains(m, at, position, &axis->motor))
        return false;
    axis->motor.proportional *= gear * gear;
    axis->motor.derivative *= gear * gear;
    axis->motor.max_force *= fabs(gear);
    if (position && gear != 0)
        axis->motor.target = control / gear;
    else if (gear != 0) {
        double kv = axis->motor.derivative;
        set_speed(&axis->motor, control / gear);
        axis->motor.derivative = kv;
        if (control == 0)
            axis->motor.signal = (ash_signal){.kind = ASH_SIGNAL_CONSTANT};
    }
    driven->driven = axis->motor.proportional > 0 || axis->motor.derivative > 0;
    if (!driven->driven)
        axis->motor.drive = ASH_DRIVE_OFF;
    return true;
}

/* ---- sensors ---- */

static bool add_output(mjcf *m, ashi_scene_output *output)
{
    return ashi_scene_add_output(m->draft->scene, output) != ASHI_NONE || ashi_draft_no_memory(m->draft);
}

static bool add_joint_sensor(mjcf *m, ashi_xml *at, ashi_quantity quantity)
{
    uint32_t number;
    if (!find(m, at, m->joint_numbers, "joint", "joint", &number))
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
    return add_output(m, &output);
}

static bool add_frame_sensor(mjcf *m, ashi_xml *at, ashi_quantity quantity)
{
    static const char *const letters[] = {"x", "y", "z"};
    const char *type = ashi_xml_get(at, "objtype"), *name = ashi_xml_get(at, "name");
    bool of_site = type != NULL && strcmp(type, "site") == 0;
    uint32_t number;
    if (type == NULL || (!of_site && strcmp(type, "body") != 0 && strcmp(type, "xbody") != 0)) {
        at->read = false;
        return true;
    }
    if (!find(m, at, of_site ? m->site_numbers : m->body_numbers, "objname", type, &number))
        return false;
    uint32_t body = of_site ? m->sites.data[number].body : number;
    ash_body reference = body_of(m, body);
    if (reference.id == 0)
        return true; /* a place in the world */
    ash_vec3 point = of_site ? m->sites.data[number].pose.position : v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        ashi_scene_output output = {
            .name = ashi_scene_text(m->draft->scene, "%s %s", name != NULL ? name : at->name, letters[i]),
            .quantity = quantity,
            .object = (uint32_t)reference.id - 1,
            .point = t_point(m->bodies.data[body].in_group, point),
            .component = (ashi_component)i};
        if (quantity == ASHI_BODY_ANGULAR_VELOCITY)
            output.point = v3(0, 0, 0);
        if (!add_output(m, &output))
            return false;
    }
    return true;
}

static bool add_sensor(mjcf *m, ashi_xml *at)
{
    static const struct {
        const char *name;
        bool joint;
        ashi_quantity quantity;
    } kinds[] = {{"jointpos", true, ASHI_JOINT_POSITION},      {"jointvel", true, ASHI_JOINT_RATE},
                 {"jointactuatorfrc", true, ASHI_JOINT_DRIVE}, {"framepos", false, ASHI_BODY_POSITION},
                 {"framelinvel", false, ASHI_BODY_VELOCITY},   {"frameangvel", false, ASHI_BODY_ANGULAR_VELOCITY}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ashi_xml_is(at, kinds[i].name)) {
            at->read = true;
            return kinds[i].joint ? add_joint_sensor(m, at, kinds[i].quantity)
                                  : add_frame_sensor(m, at, kinds[i].quantity);
        }
    return true;
}

/* ---- all of it ---- */

static bool add_element(mjcf *m, ashi_xml *at, const char *section, uint32_t *actuators)
{
    if (strcmp(section, "equality") == 0)
        return (!ashi_xml_is(at, "connect") && !ashi_xml_is(at, "weld")) || add_equality(m, at);
    if (strcmp(section, "tendon") == 0)
        return !ashi_xml_is(at, "spatial") || add_tendon(m, at);
    if (strcmp(section, "contact") == 0) {
        if (!ashi_xml_is(at, "exclude"))
            return true;
        at->read = true;
        return add_exclude(m, at);
    }
    return strcmp(section, "actuator") == 0 ? add_actuator(m, at, (*actuators)++) : add_sensor(m, at);
}

/* Without sensors, the positions of all joints that have a name. */
static bool add_positions(mjcf *m)
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

bool mjcf_add_rest(mjcf *m)
{
    static const char *const sections[] = {"equality", "tendon", "contact", "actuator", "sensor"};
    uint32_t actuators = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (ashi_xml *section = mjcf_section(m, sections[i]); section != NULL; section = ashi_xml_again(section))
            for (ashi_xml *at = section->first; at != NULL; at = at->next)
                if (!add_element(m, at, sections[i], &actuators))
                    return false;
    return m->draft->scene->outputs.count > 0 || add_positions(m);
}
