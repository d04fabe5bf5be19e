/* The words of scene files, one table an enum, in the order of the enum. */
#include "scene/description/names.h"

#include "scene/description/lattice.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof *(table)))

/* The quantities of bodies, forces, joints and the world follow each other, so that a list of an owner's is a part of
 * this. */
static const char *const quantity_names[ASHI_QUANTITIES] = {
    [ASHI_BODY_POSITION] = "position",
    [ASHI_BODY_VELOCITY] = "velocity",
    [ASHI_BODY_ROTATION_VECTOR] = "rotation-vector",
    [ASHI_BODY_ANGULAR_VELOCITY] = "angular-velocity",
    [ASHI_BODY_MOMENTUM] = "momentum",
    [ASHI_BODY_ANGULAR_MOMENTUM] = "angular-momentum",
    [ASHI_BODY_CONTACT_FORCE] = "contact-force",
    [ASHI_BODY_ACCELEROMETER] = "accelerometer",
    [ASHI_BODY_GYROSCOPE] = "gyroscope",
    [ASHI_BODY_RANGE] = "range",
    [ASHI_BODY_KINETIC_ENERGY] = "kinetic-energy",
    [ASHI_FORCE_LENGTH] = "length",
    [ASHI_FORCE_TENSION] = "tension",
    [ASHI_FORCE_ENERGY] = "energy",
    [ASHI_FORCE_ANGLE] = "angle",
    [ASHI_JOINT_POSITION] = "position",
    [ASHI_JOINT_RATE] = "rate",
    [ASHI_JOINT_DRIVE] = "drive",
    [ASHI_JOINT_LINE_FORCE] = "line-force",
    [ASHI_JOINT_FORCE] = "force",
    [ASHI_JOINT_TORQUE] = "torque",
    [ASHI_JOINT_ERROR] = "error",
    [ASHI_JOINT_ANGLE_ERROR] = "angle-error",
    [ASHI_WORLD_MOMENTUM] = "momentum",
    [ASHI_WORLD_ANGULAR_MOMENTUM] = "angular-momentum",
    [ASHI_WORLD_KINETIC] = "kinetic",
    [ASHI_WORLD_GRAVITY] = "gravity",
    [ASHI_WORLD_SPRINGS] = "springs",
    [ASHI_WORLD_TOTAL] = "total",
    [ASHI_WORLD_DAMPERS] = "dampers",
    [ASHI_WORLD_DRAG] = "drag",
    [ASHI_WORLD_LOADS] = "loads",
    [ASHI_WORLD_CALLBACKS] = "callbacks",
    [ASHI_WORLD_IMPACTS] = "impacts",
    [ASHI_WORLD_FRICTION] = "friction",
    [ASHI_WORLD_STABILIZATION] = "stabilization",
    [ASHI_WORLD_SLEEP] = "sleep",
    [ASHI_WORLD_EXTERNAL] = "external",
    [ASHI_WORLD_REMAINDER] = "remainder",
    [ASHI_WORLD_CONTACTS] = "contacts",
    [ASHI_WORLD_CONTACT_POINTS] = "contact-points",
    [ASHI_WORLD_PENETRATION] = "penetration",
    [ASHI_WORLD_RESIDUAL] = "residual",
    [ASHI_WORLD_JOINT_ERROR] = "joint-error",
    [ASHI_WORLD_PAIRS] = "pairs",
    [ASHI_WORLD_PAIR_TESTS] = "pair-tests",
    [ASHI_WORLD_JOINT_CORRECTIONS] = "joint-corrections",
    [ASHI_WORLD_VELOCITY_CORRECTIONS] = "velocity-corrections",
};
static const char *const components[] = {"x", "y", "z", "norm", "along"};
static const char *const reductions[ASHI_REDUCTIONS] = {"final", "max", "min", "max-abs", "mean"};
static const char *const body_types[ASH_BODY_TYPES] = {"dynamic", "static", "kinematic"};
static const char *const combines[ASH_COMBINES] = {"average", "geometric", "minimum", "multiply", "maximum"};
static const char *const signal_kinds[ASH_SIGNAL_KINDS] = {"constant", "harmonic", "table"};
static const char *const joint_kinds[ASH_JOINT_KINDS] = {
    "ball",      "point-on-line", "point-on-plane", "parallel", "common-axis", "fixed-angle", "fixed", "hinge",
    "universal", "slider",        "cylindrical",    "planar",   "combination", "distance",    "rope",  "screw",
    "gear",      "rack",          "pulley",         "path",     "suspension",  "hydraulic"};
static const char *const freedoms[ASH_FREEDOMS] = {"move-x", "move-y", "move-z", "turn-x", "turn-y", "turn-z"};
static const char *const drives[ASH_DRIVES] = {"off", "velocity", "position", "servo"};
static const char *const pistons[ASH_PISTONS] = {"hold", "extend", "contract"};
static const char *const frames[] = {"world", "body-a", "body-b", "joint-a", "joint-b"};
static const char *const owners[] = {"body", "force", "joint"};
static const char *const event_kinds[] = {"add", "remove", "release", "set"};
static const char *const locks[] = {"x", "y", "z", "rotation-x", "rotation-y", "rotation-z", "rotation"};
static const char *const force_kinds[] = {"spring", "angular-spring", "bending-spring", "drag", "pull", "load"};
static const char *const geometry_kinds[ASHI_SCENE_KINDS] = {
    "sphere",       "capsule", "box",          "cylinder",       "cone",     "ellipsoid", "hull",
    "mesh",         "plane",   "height-field", "distance-field", "compound", "circle",    "polygon",
    "flat-capsule", "segment", "outline",      "chain",          "parts"};

uint32_t ashi_word_find(ashi_words words, const char *word)
{
    for (uint32_t i = 0; i < words.count; i++)
        if (strcmp(words.list[i], word) == 0)
            return i;
    return ASHI_NONE;
}

const char *ashi_key_home(const char *key)
{
    static const char material[] = "it belongs to a material, which the shapes name",
                      in_file[] = "\"file\" belongs to a shape of kind \"mesh\", \"parts\" or \"hull\"",
                      in_axes[] = "it belongs to a freedom of a joint: \"axes\": {\"turn-x\": {...}}",
                      in_world[] = "it belongs to \"world\"", bodies_shapes[] = "it belongs to a shape of a body";
    static const struct {
        const char *key, *home;
    } homes[] = {
        {"friction", material},
        {"restitution", material},
        {"bounciness", material},
        {"mu", material},
        {"density", material},
        {"file", in_file},
        {"filename", in_file},
        {"mesh", in_file},
        {"url", in_file},
        {"lower", in_axes},
        {"upper", in_axes},
        {"limits", in_axes},
        {"motor", in_axes},
        {"gravity", in_world},
        {"step", in_world},
        {"method", in_world},
        {"time", in_world},
        {"radius", bodies_shapes},
        {"size", bodies_shapes},
        {"half_extents", bodies_shapes},
        {"material", bodies_shapes},
    };
    for (size_t i = 0; i < COUNT(homes); i++)
        if (ashi_same_letters(key, homes[i].key))
            return homes[i].home;
    return NULL;
}

const char *ashi_words_text(ashi_words words, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = 0;
    for (uint32_t i = 0; i < words.count; i++) {
        const char *join = i == 0 ? "" : i + 1 == words.count ? " or " : ", ";
        size_t length = strlen(join) + strlen(words.list[i]) + 2, rest = i + 1 == words.count ? 1 : sizeof ", ...";
        if (used + length + rest > size) { /* whole words only */
            snprintf(text + used, size - used, i == 0 ? "..." : ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", join, words.list[i]);
    }
    return text;
}

ashi_words ashi_geometry_kind_words(void)
{
    return (ashi_words){geometry_kinds, COUNT(geometry_kinds)};
}

ashi_words ashi_body_type_words(void)
{
    return (ashi_words){body_types, COUNT(body_types)};
}

ashi_words ashi_combine_words(void)
{
    return (ashi_words){combines, COUNT(combines)};
}

ashi_words ashi_force_kind_words(void)
{
    return (ashi_words){force_kinds, COUNT(force_kinds)};
}

ashi_words ashi_signal_kind_words(void)
{
    return (ashi_words){signal_kinds, COUNT(signal_kinds)};
}

ashi_words ashi_joint_kind_words(void)
{
    return (ashi_words){joint_kinds, COUNT(joint_kinds)};
}

ashi_words ashi_freedom_words(void)
{
    return (ashi_words){freedoms, COUNT(freedoms)};
}

ashi_words ashi_drive_words(void)
{
    return (ashi_words){drives, COUNT(drives)};
}

ashi_words ashi_piston_words(void)
{
    return (ashi_words){pistons, COUNT(pistons)};
}

ashi_words ashi_frame_words(void)
{
    return (ashi_words){frames, COUNT(frames)};
}

ash_frame ashi_frame_of_word(uint32_t word)
{
    return word == 0 ? ASH_FRAME_WORLD : (ash_frame)(word + 1);
}

const char *ashi_frame_name(ash_frame frame)
{
    return frame <= ASH_FRAME_CONTACT ? frames[0] : frames[frame - 1];
}

ashi_words ashi_owner_words(void)
{
    return (ashi_words){owners, COUNT(owners)};
}

ashi_words ashi_event_kind_words(void)
{
    return (ashi_words){event_kinds, COUNT(event_kinds)};
}

ashi_words ashi_reduction_words(void)
{
    return (ashi_words){reductions, COUNT(reductions)};
}

ashi_words ashi_component_words(void)
{
    return (ashi_words){components, COUNT(components)};
}

ashi_words ashi_hold_words(void)
{
    static const char *const words[ASHI_HOLDS] = {"nothing", "corners", "first", "edges"};
    return (ashi_words){words, ASHI_HOLDS};
}

ashi_words ashi_lock_words(void)
{
    return (ashi_words){locks, COUNT(locks)};
}

ashi_quantity ashi_owner_first_quantity(ashi_owner owner)
{
    static const ashi_quantity first[ASHI_OWNERS] = {ASHI_BODY_POSITION, ASHI_FORCE_LENGTH, ASHI_JOINT_POSITION,
                                                     ASHI_WORLD_MOMENTUM};
    return first[owner];
}

ashi_words ashi_quantity_words(ashi_owner owner)
{
    ashi_quantity first = ashi_owner_first_quantity(owner);
    ashi_quantity end = owner == ASHI_OF_WORLD ? ASHI_QUANTITIES : ashi_owner_first_quantity(owner + 1);
    return (ashi_words){quantity_names + first, (uint32_t)(end - first)};
}

ashi_owner ashi_quantity_owner(ashi_quantity quantity)
{
    ashi_owner owner = ASHI_OF_WORLD;
    while (owner > ASHI_OF_BODY && quantity < ashi_owner_first_quantity(owner))
        owner--;
    return owner;
}

bool ashi_quantity_is_vector(ashi_quantity quantity)
{
    return quantity < ASHI_BODY_KINETIC_ENERGY || quantity == ASHI_JOINT_FORCE || quantity == ASHI_JOINT_TORQUE ||
           quantity == ASHI_WORLD_MOMENTUM || quantity == ASHI_WORLD_ANGULAR_MOMENTUM;
}

bool ashi_quantity_has_point(ashi_quantity quantity)
{
    return quantity == ASHI_BODY_POSITION || quantity == ASHI_BODY_VELOCITY || quantity == ASHI_BODY_ACCELEROMETER ||
           quantity == ASHI_BODY_RANGE;
}

bool ashi_quantity_is_relative(ashi_quantity quantity)
{
    return quantity <= ASHI_BODY_ANGULAR_VELOCITY;
}

bool ashi_quantity_has_freedom(ashi_quantity quantity)
{
    return quantity == ASHI_JOINT_POSITION || quantity == ASHI_JOINT_RATE || quantity == ASHI_JOINT_DRIVE;
}

const char *ashi_quantity_name(ashi_quantity quantity)
{
    return (unsigned)quantity < ASHI_QUANTITIES ? quantity_names[quantity] : "";
}

const char *ashi_output_unit(const ashi_scene_output *output)
{
    bool turns = output->freedom >= ASH_TURN_X;
    switch (output->quantity) {
    case ASHI_JOINT_POSITION:
        return turns ? "rad" : "m";
    case ASHI_JOINT_RATE:
        return turns ? "rad/s" : "m/s";
    case ASHI_JOINT_DRIVE:
        return turns ? "N m" : "N";
    case ASHI_BODY_POSITION:
    case ASHI_BODY_RANGE:
    case ASHI_FORCE_LENGTH:
    case ASHI_JOINT_ERROR:
    case ASHI_WORLD_PENETRATION:
    case ASHI_WORLD_JOINT_ERROR:
        return "m";
    case ASHI_WORLD_CONTACTS:
    case ASHI_WORLD_CONTACT_POINTS:
    case ASHI_WORLD_PAIRS:
    case ASHI_WORLD_PAIR_TESTS:
    case ASHI_WORLD_JOINT_CORRECTIONS:
    case ASHI_WORLD_VELOCITY_CORRECTIONS:
        return "1";
    case ASHI_BODY_VELOCITY:
    case ASHI_WORLD_RESIDUAL:
        return "m/s";
    case ASHI_BODY_ROTATION_VECTOR:
    case ASHI_FORCE_ANGLE:
    case ASHI_JOINT_ANGLE_ERROR:
        return "rad";
    case ASHI_BODY_ANGULAR_VELOCITY:
    case ASHI_BODY_GYROSCOPE:
        return "rad/s";
    case ASHI_BODY_ACCELEROMETER:
        return "m/s2";
    case ASHI_BODY_MOMENTUM:
    case ASHI_WORLD_MOMENTUM:
        return "kg m/s";
    case ASHI_BODY_ANGULAR_MOMENTUM:
    case ASHI_WORLD_ANGULAR_MOMENTUM:
        return "kg m2/s";
    case ASHI_BODY_CONTACT_FORCE:
    case ASHI_FORCE_TENSION:
    case ASHI_JOINT_LINE_FORCE:
    case ASHI_JOINT_FORCE:
        return "N";
    case ASHI_JOINT_TORQUE:
        return "N m";
    default:
        return "J";
    }
}

const char *ashi_component_name(ashi_component component)
{
    return (unsigned)component < COUNT(components) ? components[component] : "";
}

const char *ashi_reduction_name(ashi_reduction reduction)
{
    return (unsigned)reduction < ASHI_REDUCTIONS ? reductions[reduction] : "";
}
