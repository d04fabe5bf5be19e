/* One table for the reader and the writer of joints, so that no key can be missing in one of them. */
#include "scene/file/joint_fields.h"

#include <string.h>

#define COUNT(table)    ((uint32_t)(sizeof(table) / sizeof *(table)))
#define OF(kind)        (1u << ASH_JOINT_##kind)
#define EVERY_KIND      UINT32_MAX
#define IN_JOINT(field) offsetof(ash_joint_def, field)
#define IN_AXIS(field)  offsetof(ash_joint_axis, field)
#define IN_MOTOR(field) offsetof(ash_joint_motor, field)

static const ashi_number_field of_joint[] = {
    {"angle", IN_JOINT(angle), ASHI_ANY, OF(FIXED_ANGLE) | OF(COMBINATION)},
    {"cone", IN_JOINT(cone), ASHI_NOT_NEGATIVE, OF(BALL)},
    {"pitch", IN_JOINT(pitch), ASHI_ANY, OF(SCREW)},
    {"radius_a", IN_JOINT(radius_a), ASHI_ANY, OF(GEAR)},
    {"radius_b", IN_JOINT(radius_b), ASHI_ANY, OF(GEAR) | OF(RACK)},
    {"ratio", IN_JOINT(ratio), ASHI_POSITIVE, OF(PULLEY)},
    {"min_length", IN_JOINT(min_length), ASHI_NOT_NEGATIVE, OF(HYDRAULIC)},
    {"max_length", IN_JOINT(max_length), ASHI_NOT_NEGATIVE, OF(HYDRAULIC)},
    {"speed", IN_JOINT(speed), ASHI_NOT_NEGATIVE, OF(HYDRAULIC)},
    {"max_force", IN_JOINT(max_force), ASHI_NOT_NEGATIVE, OF(HYDRAULIC)},
    {"compliance", IN_JOINT(compliance), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"angular_compliance", IN_JOINT(angular_compliance), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"break_force", IN_JOINT(break_force), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"break_torque", IN_JOINT(break_torque), ASHI_NOT_NEGATIVE, EVERY_KIND},
};

static const ashi_number_field of_axis[] = {
    {"lower", IN_AXIS(lower), ASHI_ANY, EVERY_KIND},
    {"upper", IN_AXIS(upper), ASHI_ANY, EVERY_KIND},
    {"friction", IN_AXIS(friction), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"stiffness", IN_AXIS(stiffness), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"damping", IN_AXIS(damping), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"rest", IN_AXIS(rest), ASHI_ANY, EVERY_KIND},
};

static const ashi_number_field of_motor[] = {
    {"target", IN_MOTOR(target), ASHI_ANY, EVERY_KIND},
    {"max_force", IN_MOTOR(max_force), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"proportional", IN_MOTOR(proportional), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"integral", IN_MOTOR(integral), ASHI_NOT_NEGATIVE, EVERY_KIND},
    {"derivative", IN_MOTOR(derivative), ASHI_NOT_NEGATIVE, EVERY_KIND},
};

/* Keys that are not plain numbers. */
static const struct {
    const char *key;
    uint32_t kinds;
} others[] = {
    {"kind", EVERY_KIND},    {"name", EVERY_KIND},      {"enabled", EVERY_KIND},
    {"body_a", EVERY_KIND},  {"body_b", EVERY_KIND},    {"frame_a", EVERY_KIND},
    {"frame_b", EVERY_KIND}, {"point", EVERY_KIND},     {"axis", EVERY_KIND},
    {"axes", EVERY_KIND},    {"collide", EVERY_KIND},   {"removed", OF(COMBINATION)},
    {"hang_a", OF(PULLEY)},  {"hang_b", OF(PULLEY)},    {"length", OF(DISTANCE) | OF(ROPE) | OF(PULLEY)},
    {"path", OF(PATH)},      {"path_closed", OF(PATH)}, {"piston", OF(HYDRAULIC)},
};
_Static_assert(COUNT(others) + COUNT(of_joint) <= ASHI_JOINT_MOST_KEYS, "room for the keys of any kind");

ashi_number_fields ashi_joint_number_fields(void)
{
    return (ashi_number_fields){of_joint, COUNT(of_joint)};
}

ashi_number_fields ashi_axis_number_fields(void)
{
    return (ashi_number_fields){of_axis, COUNT(of_axis)};
}

ashi_number_fields ashi_motor_number_fields(void)
{
    return (ashi_number_fields){of_motor, COUNT(of_motor)};
}

ashi_words ashi_joint_keys(ash_joint_kind kind, const char **keys)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT(others); i++)
        if ((others[i].kinds >> kind & 1) != 0)
            keys[count++] = others[i].key;
    for (uint32_t i = 0; i < COUNT(of_joint); i++)
        if ((of_joint[i].kinds >> kind & 1) != 0)
            keys[count++] = of_joint[i].key;
    return (ashi_words){keys, count};
}

bool ashi_joint_has_key(ash_joint_kind kind, const char *key)
{
    const char *keys[ASHI_JOINT_MOST_KEYS];
    return ashi_word_find(ashi_joint_keys(kind, keys), key) != ASHI_NONE;
}
