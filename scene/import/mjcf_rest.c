/* What stands beside the tree of MJCF: keyframes, equalities, tendons. */
#include "base/text.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/couple.h"
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
    m->keyed = count > 0;
    return true;
}

/* ---- references ---- */

bool mjcf_find(mjcf *m, ashi_xml *at, const json_t *table, const char *attribute, const char *what, uint32_t *number)
{
    const char *name;
    if (!ashi_draft_text(m->draft, at, attribute, &name))
        return false;
    *number = ashi_draft_find(table, name);
    return *number != ASHI_NONE ||
           ashi_draft_fail(m->draft, at, "robot.unknown-name", "there is no %s called \"%.100s\"", what, name);
}

ash_body mjcf_body_of(const mjcf *m, uint32_t body)
{
    uint32_t number = m->bodies.data[m->bodies.data[body].group].number;
    return number != ASHI_NONE ? ashi_scene_body_ref(number) : (ash_body){0};
}

/* A second body that is left out is the world. */
static bool find_bodies(mjcf *m, ashi_xml *at, uint32_t *a, uint32_t *b)
{
    *b = 0;
    return mjcf_find(m, at, m->body_numbers, "body1", "body", a) &&
           (ashi_xml_peek(at, "body2") == NULL || mjcf_find(m, at, m->body_numbers, "body2", "body", b));
}

/* ---- equalities ---- */

static bool is_active(ashi_xml *at)
{
    const char *active = ashi_xml_get(at, "active");
    return active == NULL || strcmp(active, "false") != 0;
}

/* Where an equality holds a body: at a site of it, or at a point of the first body. */
typedef struct hold {
    uint32_t body;
    ash_transform pose; /* in the body */
} hold;

static bool find_holds(mjcf *m, ashi_xml *at, hold holds[2])
{
    static const char *const names[] = {"site1", "site2"};
    ash_vec3 anchor = v3(0, 0, 0);
    uint32_t number;
    if (ashi_xml_peek(at, "site1") == NULL) {
        if (!find_bodies(m, at, &holds[0].body, &holds[1].body) || !ashi_draft_vector(m->draft, at, "anchor", &anchor))
            return false;
        holds[0].pose = (ash_transform){anchor, {1, 0, 0, 0}};
        ash_transform place = {t_point(m->bodies.data[holds[0].body].world, anchor), {1, 0, 0, 0}};
        for (int i = 0; i < 2; i++)
            holds[i].pose = t_mul(t_inverse(m->bodies.data[holds[i].body].world), place);
        return true;
    }
    for (int i = 0; i < 2; i++) {
        if (!mjcf_find(m, at, m->site_numbers, names[i], "site", &number))
            return false;
        holds[i] = (hold){m->sites.data[number].body, m->sites.data[number].pose};
    }
    ash_vec3 first = t_point(m->bodies.data[holds[0].body].world, holds[0].pose.position);
    ash_vec3 second = t_point(m->bodies.data[holds[1].body].world, holds[1].pose.position);
    if (v3_distance(first, second) > 1e-6)
        ashi_draft_note(m->draft, at, "the sites of <%s> are %g m apart at the start: the joint begins open", at->name,
                        v3_distance(first, second));
    return true;
}

static bool add_equality(mjcf *m, ashi_xml *at)
{
    uint32_t class;
    hold holds[2];
    bool weld = ashi_xml_is(at, "weld");
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class) || !find_holds(m, at, holds))
        return false;
    ash_joint_def def = ash_default_joint_def(weld ? ASH_JOINT_FIXED : ASH_JOINT_BALL);
    def.name = ashi_xml_get(at, "name");
    def.body_a = mjcf_body_of(m, holds[0].body);
    def.body_b = mjcf_body_of(m, holds[1].body);
    if (def.body_a.id == def.body_b.id)
        return ashi_draft_fail(m->draft, at, "mjcf.equality", "<%s> is between a body and itself", at->name);
    def.frame_a = t_mul(m->bodies.data[holds[0].body].in_group, holds[0].pose);
    def.frame_b = t_mul(m->bodies.data[holds[1].body].in_group, holds[1].pose);
    def.frame_a.rotation = q_unit(def.frame_a.rotation);
    def.frame_b.rotation = q_unit(def.frame_b.rotation);
    def.collide = true;
    uint32_t number = ashi_scene_add_joint(m->draft->scene, &def);
    if (number == ASHI_NONE)
        return ashi_draft_no_memory(m->draft);
    m->draft->scene->joints.data[number].disabled = !is_active(at);
    return true;
}

/* ---- equalities of joints: q1 = ref1 + polynomial of (q2 - ref2) ---- */

typedef struct following {
    mjcf_joint *follower, *leader; /* no leader: it is held */
    double coefficients[5];
} following;

static bool read_following(mjcf *m, ashi_xml *at, following *f)
{
    uint32_t class, first, second, count;
    *f = (following){.coefficients = {0, 1}};
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class) || !mjcf_find(m, at, m->joint_numbers, "joint1", "joint", &first) ||
        !ashi_draft_numbers(m->draft, at, "polycoef", 1, 5, f->coefficients, &count))
        return false;
    f->follower = &m->joints.data[first];
    if (ashi_xml_peek(at, "joint2") != NULL) {
        if (!mjcf_find(m, at, m->joint_numbers, "joint2", "joint", &second))
            return false;
        f->leader = &m->joints.data[second];
    }
    for (int i = 0; i < 2; i++) {
        const mjcf_joint *joint = i == 0 ? f->follower : f->leader;
        if (joint != NULL && joint->kind != MJCF_HINGE && joint->kind != MJCF_SLIDE)
            return ashi_draft_fail(m->draft, at, "mjcf.equality", "<joint> in <equality> is for hinges and sliders");
    }
    return f->leader != f->follower || ashi_draft_fail(m->draft, at, "mjcf.equality", "a joint cannot follow itself");
}

/* The follower's place, and how fast it follows there. */
static double follow(const following *f, double *ratio)
{
    double way = f->leader != NULL ? f->leader->position[0] - f->leader->reference : 0, value = 0, slope = 0;
    for (int i = 4; i >= 0; i--) {
        slope = slope * way + value;
        value = value * way + f->coefficients[i];
    }
    *ratio = f->leader != NULL ? slope : 0;
    return f->follower->reference + value;
}

static bool place_follower(mjcf *m, ashi_xml *at)
{
    following f;
    double ratio;
    if (!read_following(m, at, &f))
        return false;
    double wanted = follow(&f, &ratio), had = f.follower->position[0];
    if (!is_active(at) || fabs(wanted - had) <= 1e-9)
        return true;
    f.follower->position[0] = wanted;
    ashi_draft_note(m->draft, at, "joint \"%.60s\" begins at %g instead of %g, where the equality wants it",
                    f.follower->name, wanted, had);
    return true;
}

bool mjcf_place_followers(mjcf *m)
{
    for (ashi_xml *section = mjcf_section(m, "equality"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = ashi_xml_child(section, "joint"); at != NULL; at = ashi_xml_again(at))
            if (!place_follower(m, at))
                return false;
    return true;
}

/* A joint that follows none stays where it is. */
static void hold_joint(mjcf *m, mjcf_joint *joint)
{
    ash_joint_motor *motor = &m->draft->scene->joints.data[joint->number]
                                  .def.axes[joint->kind == MJCF_SLIDE ? ASH_MOVE_X : ASH_TURN_X]
                                  .motor;
    motor->drive = ASH_DRIVE_POSITION;
    motor->target = joint->position[0];
    motor->signal = (ash_signal){.kind = ASH_SIGNAL_CONSTANT};
    motor->max_force = INFINITY;
}

static bool add_joint_equality(mjcf *m, ashi_xml *at)
{
    following f;
    double ratio;
    bool done;
    if (!read_following(m, at, &f))
        return false;
    follow(&f, &ratio);
    const char *name = ashi_xml_get(at, "name");
    if (name == NULL)
        name = ashi_scene_text(m->draft->scene, "%s follows", f.follower->name);
    if (ratio == 0) {
        if (is_active(at))
            hold_joint(m, f.follower);
        else
            ashi_draft_note(m->draft, at, "<joint> that is not active is left out");
        return true;
    }
    if (f.coefficients[2] != 0 || f.coefficients[3] != 0 || f.coefficients[4] != 0)
        ashi_draft_note(m->draft, at, "the joint follows by the slope where it begins, %g", ratio);
    if (!ashi_draft_couple(m->draft, f.leader->number, f.follower->number, ratio, name, !is_active(at), &done))
        return false;
    if (!done)
        ashi_draft_note(m->draft, at,
                        "the joint moves on its own: no gear can make \"%.60s\" follow \"%.60s\": no body has the "
                        "bearings of both",
                        f.follower->name, f.leader->name);
    return true;
}

/* ---- tendons: a rope between two sites ---- */

static bool add_rope(mjcf *m, ashi_xml *at, uint32_t a, uint32_t b, double length)
{
    const mjcf_site *first = &m->sites.data[a], *second = &m->sites.data[b];
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_ROPE);
    def.body_a = mjcf_body_of(m, first->body);
    def.body_b = mjcf_body_of(m, second->body);
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

/* ---- all of it ---- */

static bool add_element(mjcf *m, ashi_xml *at, const char *section)
{
    if (strcmp(section, "equality") == 0)
        return ashi_xml_is(at, "joint")
                   ? add_joint_equality(m, at)
                   : (!ashi_xml_is(at, "connect") && !ashi_xml_is(at, "weld")) || add_equality(m, at);
    if (strcmp(section, "tendon") == 0)
        return !ashi_xml_is(at, "spatial") || add_tendon(m, at);
    return mjcf_add_sensor(m, at);
}

bool mjcf_add_rest(mjcf *m)
{
    static const char *const sections[] = {"equality", "tendon", "sensor"};
    if (!mjcf_add_excludes(m) || !mjcf_add_actuators(m))
        return false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (ashi_xml *section = mjcf_section(m, sections[i]); section != NULL; section = ashi_xml_again(section))
            for (ashi_xml *at = section->first; at != NULL; at = at->next)
                if (!add_element(m, at, sections[i]))
                    return false;
    return m->draft->scene->outputs.count > 0 || mjcf_add_positions(m);
}
