/* The tables of keys. A line is: name, summary, default, and place of the value. */
#include "scene/description/keys.h"

#define TABLE(id, label, text, list, type, begin)                                                                      \
    [id] = {label, text, list, sizeof(list) / sizeof *(list), sizeof(type), begin}

/* Where a value is: NUMBER(field, range), WORD(field, words), VALUE(type, field). */
#define VALUE(kind, field)   .type = ASHI_VALUE_##kind, .offset = offsetof(OBJECT, field)
#define NUMBER(field, limit) VALUE(NUMBER, field), .range = ASHI_##limit
#define WORD(field, list)    VALUE(WORD, field), .words = list

/* Of a law between surfaces: the same keys for a material and for a pair. */
#define SURFACE_KEYS(surface)                                                                                          \
    {"friction", "static coefficient, 0 to 1e12", "0.5", NUMBER(surface.friction, NOT_NEGATIVE),                       \
     .schema = "friction"},                                                                                            \
        {"sliding_friction", "kinetic coefficient, at most the static one", "the same",                                \
         NUMBER(surface.sliding_friction, NOT_NEGATIVE), .schema = "friction"},                                        \
        {"restitution", "share of the approach speed that is returned, 0 to 1", "0",                                   \
         NUMBER(surface.restitution, ZERO_TO_ONE)},                                                                    \
        {"rolling", "resistance to rolling: moment over normal force, m", "0", NUMBER(surface.rolling, NOT_NEGATIVE)}, \
    {                                                                                                                  \
        "spinning", "resistance to spinning about the normal: moment over normal force, m", "0",                       \
            NUMBER(surface.spinning, NOT_NEGATIVE)                                                                     \
    }

#define OBJECT ashi_scene_material
#define RULES  "`average`, `geometric` (the square root of the product), `minimum`, `multiply` or `maximum`"
static const ashi_key material_keys[] = {
    {"density", "of shapes that give none; kg/m3, for flat shapes kg/m2", "1000", NUMBER(def.density, NOT_NEGATIVE),
     .always = true},
    SURFACE_KEYS(def.surface),
    {"friction_combine", "how the friction of two materials becomes one where they touch: " RULES, "`geometric`",
     WORD(def.friction_combine, ashi_combine_words)},
    {"restitution_combine", "the same for their restitution", "`maximum`",
     WORD(def.restitution_combine, ashi_combine_words)},
    {"colour", "`\"#rrggbb\"`, for bodies without their own colour whose first shape has this material", "none",
     VALUE(COLOUR, look.colour)},
    {"roughness", "how matt it looks in the viewer: 0 is a mirror, 1 is chalk", "0.7",
     NUMBER(look.roughness, ZERO_TO_ONE)},
    {"metal", "how metallic it looks in the viewer: 0 is paint or stone, 1 is bare metal", "0",
     NUMBER(look.metal, ZERO_TO_ONE)},
};
#undef OBJECT

#define OBJECT ashi_scene_material_pair
static const ashi_key pair_keys[] = {
    {"material_a", "the name of a material", "the default one", VALUE(MATERIAL, material_a)},
    {"material_b", "the name of a material", "the default one", VALUE(MATERIAL, material_b)},
    SURFACE_KEYS(surface),
};
#undef OBJECT

#define OBJECT ashi_scene_body
static const ashi_key body_keys[] = {
    {"name", "for references and recordings; need not be unique unless it is referred to", "none",
     VALUE(TEXT, def.name)},
    {"type", "`dynamic`, `static` (never moves) or `kinematic` (moves with the velocity it is given)", "`dynamic`",
     WORD(def.type, ashi_body_type_words)},
    {"position", "of the body's frame, m", "the origin", VALUE(VECTOR, def.position)},
    {"rotation", "of the body's frame", "not turned", VALUE(ROTATION, def.rotation)},
    {"velocity", "of the centre of mass, m/s", "0", VALUE(VECTOR, def.velocity)},
    {"angular_velocity", "in world axes, rad/s", "0", VALUE(VECTOR, def.angular_velocity)},
    {"mass", "kg; 0: from the shapes' densities", "0", NUMBER(def.mass, NOT_NEGATIVE)},
    {"centre", "of the given mass, in the body's frame, m", "the frame's origin", VALUE(VECTOR, def.centre)},
    {"inertia",
     "about the centre, along the body's axes, kg m2: `[xx, yy, zz]` or `[xx, yy, zz, xy, xz, yz]` (entries of the "
     "matrix)",
     "with a mass given: the shapes' inertia scaled to that mass, or without shapes a point mass that does not turn",
     VALUE(INERTIA, def.inertia)},
    {"gravity_scale", "gravity's acceleration is multiplied by it", "1", NUMBER(def.gravity_scale, ANY)},
    {"linear_damping", "of its velocity, 1/s", "0", NUMBER(def.linear_damping, NOT_NEGATIVE)},
    {"angular_damping", "of its angular velocity, 1/s", "0", NUMBER(def.angular_damping, NOT_NEGATIVE)},
    {"locks",
     "locked freedoms of the body: a list of `x`, `y`, `z`, `rotation-x`, `rotation-y`, `rotation-z`, "
     "`rotation`",
     "none", VALUE(LOCKS, def.locks)},
    {"absent", "`true`: not in the world until an event adds it", "`false`", VALUE(SWITCH, absent)},
    {"fast",
     "`true`: impacts within a step are searched against every body, not only static ones. Bodies that move by more "
     "than twice their thickness in a step need no flag",
     "`false`", VALUE(SWITCH, def.fast)},
    {"colour", "in the viewer and in pictures: `\"#rrggbb\"`", "its material's, or one of the palette",
     VALUE(COLOUR, colour)},
    {"shapes", "a list of shapes on the body", "none", .type = ASHI_VALUE_OTHER},
};
#undef OBJECT

#define OBJECT ashi_scene_shape
static const ashi_key shape_keys[] = {
    {"shape", "the name of a shape, or a shape written in place", "required", .type = ASHI_VALUE_OTHER},
    {"material", "the name of a material", "the default one", VALUE(MATERIAL, material)},
    {"density", "instead of the material's; kg/m3, for flat shapes kg/m2. 0 adds no mass", "the material's",
     NUMBER(density, NOT_NEGATIVE)},
    {"position", "in the body's frame, m", "its origin", VALUE(VECTOR, pose.position)},
    {"rotation", "in the body's frame", "not turned", VALUE(ROTATION, pose.rotation)},
    {"name", "for people", "none", VALUE(TEXT, name)},
    {"category", "its categories: a list of bit numbers, 0 to 63", "`[0]`", VALUE(BITS, category)},
    {"mask", "the categories that it can touch, likewise", "all", VALUE(BITS, mask)},
    {"group", "shapes of one positive group always touch, of one negative group never", "0: none", VALUE(WHOLE, group)},
    {"sensor", "`true`: contacts are reported, but carry no force", "`false`", VALUE(SWITCH, sensor)},
    {"surface_velocity",
     "of the surface relative to the body, as of a conveyor belt, in the body's frame, m/s; only what lies along the surface "
     "acts",
     "0", VALUE(VECTOR, surface_velocity)},
    {"visual", "`true`: only drawn; it has no mass and no contacts", "`false`", VALUE(SWITCH, visual)},
    {"hidden", "`true`: not drawn", "`false`", VALUE(SWITCH, hidden)},
    {"colour", "what it is drawn in: `[red, green, blue]`, each 0 to 1; a fourth number is its opacity",
     "that of the body", VALUE(PAINT, paint)},
};
#undef OBJECT

#define CORD_KEYS                                                                                                      \
    {"name", "masses are called `NAME-` and a number from 0, springs `NAME-` and a number from 1", "none",             \
     VALUE(TEXT, cord.name)},                                                                                          \
        {"mass", "of all of it, kg", "required", NUMBER(cord.mass, POSITIVE)},                                         \
        {"stiffness", "E A, of the cross-section, N", "required", NUMBER(cord.stiffness, POSITIVE)},                   \
        {"damping_ratio", "of an element: its damper is 2 ratio sqrt(k m)", "0",                                       \
         NUMBER(cord.damping_ratio, NOT_NEGATIVE)},                                                                    \
        {"bending_stiffness", "E I, N m2", "0: it bends without a moment",                                             \
         NUMBER(cord.bending_stiffness, NOT_NEGATIVE)},                                                                \
        {"tension_only", "`true`: elements are slack below their length at rest", "`false`",                           \
         VALUE(SWITCH, cord.slack)},                                                                                   \
        {"radius", "of the spheres with which masses touch other bodies, m", "0: nothing touches",                     \
         NUMBER(cord.radius, NOT_NEGATIVE)},                                                                           \
    {                                                                                                                  \
        "material", "the name of a material, of these spheres", "the default one", VALUE(MATERIAL, cord.material)      \
    }

#define OBJECT ashi_cord_string
static const ashi_key string_keys[] = {
    CORD_KEYS,
    {"elements", "number of springs", "required", VALUE(WHOLE, elements)},
    {"body_a", "that has the first end; `null` is the background, which does not move", "the background",
     VALUE(BODY, body_a)},
    {"body_b", "that has the last end", "the background", VALUE(BODY, body_b)},
    {"point_a", "on body a, in its frame, m", "its origin", VALUE(VECTOR, point_a)},
    {"point_b", "on body b, in its frame, m", "its origin", VALUE(VECTOR, point_b)},
    {"free_a", "`true`: the first end is a mass that hangs free, at that point at the start", "`false`",
     VALUE(SWITCH, free_a)},
    {"free_b", "the same of the last end", "`false`", VALUE(SWITCH, free_b)},
    {"direction_a", "along which it leaves body a, in its frame: the end is clamped", "it turns freely",
     VALUE(VECTOR, direction_a)},
    {"direction_b", "along which it arrives at body b, in its frame", "it turns freely", VALUE(VECTOR, direction_b)},
    {"length", "at rest, m; longer than the distance of its ends it begins as a hanging chain",
     "`\"initial\"`: the distance of its ends", VALUE(LENGTH, length)},
};
#undef OBJECT

#define OBJECT ashi_cord_net
static const ashi_key net_keys[] = {
    CORD_KEYS,
    {"columns", "meshes along", "required", VALUE(WHOLE, columns)},
    {"rows", "meshes across", "required", VALUE(WHOLE, rows)},
    {"elements", "springs of a band from knot to knot", "1", VALUE(WHOLE, elements)},
    {"body", "in whose frame it lies, and that holds it; `null` is the background", "the background",
     VALUE(BODY, body)},
    {"corner", "its first corner, m", "the origin", VALUE(VECTOR, corner)},
    {"along", "from the first corner along its columns to the next corner, m", "required", VALUE(VECTOR, along)},
    {"across", "from the first corner along its rows, m", "required", VALUE(VECTOR, across)},
    {"hold",
     "which places are points of the body and no masses: `nothing`, `corners`, `first` (the edge from the first corner "
     "along) or `edges`",
     "`nothing`", WORD(hold, ashi_hold_words)},
    {"strain", "of all elements at the start; negative: they are slack", "0", NUMBER(strain, ANY)},
};
#undef OBJECT

#define OBJECT ashi_scene_force
#define FORCE_KEYS(def)                                                                                                \
    {"kind", "of the force", "required", .type = ASHI_VALUE_OTHER},                                                    \
        {"name", "for references and recordings", "none", VALUE(TEXT, def.name)},                                      \
    {                                                                                                                  \
        "enabled", "`false`: it does nothing until an event enables it", "`true`", VALUE(NOT, disabled)                \
    }
#define TWO_BODIES(def)                                                                                                \
    {"body_a", "one end; `null` is the background, which does not move", "the background", VALUE(BODY, def.body_a)},   \
    {                                                                                                                  \
        "body_b", "the other end", "the background", VALUE(BODY, def.body_b)                                           \
    }
#define ONE_BODY(def)                                                                                                  \
    {                                                                                                                  \
        "body", "on which it acts", "required", VALUE(OWN_BODY, def.body)                                              \
    }

static const ashi_key spring_keys[] = {
    FORCE_KEYS(def.spring),
    TWO_BODIES(def.spring),
    {"point_a", "on body a, in its frame, m", "its origin", VALUE(VECTOR, def.spring.point_a)},
    {"point_b", "on body b, in its frame, m", "its origin", VALUE(VECTOR, def.spring.point_b)},
    {"stiffness", "N/m", "0", NUMBER(def.spring.stiffness, NOT_NEGATIVE)},
    {"damping", "N s/m", "0", NUMBER(def.spring.damping, NOT_NEGATIVE)},
    {"rest_length", "m", "`\"initial\"`: the distance at the start", VALUE(LENGTH, def.spring.rest_length)},
    {"tension_only",
     "`true`: slack below its rest length, where neither spring nor damper acts; above it, both together never push",
     "`false`", VALUE(SWITCH, def.spring.tension_only)},
    {"damper_pushes", "`true`: the damper may push while a tension-only spring is stretched (de Jong 2014)", "`false`",
     VALUE(SWITCH, def.spring.damper_pushes)},
};

static const ashi_key angular_spring_keys[] = {
    FORCE_KEYS(def.angular_spring),
    TWO_BODIES(def.angular_spring),
    {"rest_rotation", "of b seen from a", "not turned", VALUE(ROTATION, def.angular_spring.rest_rotation)},
    {"stiffness", "N m/rad", "0", NUMBER(def.angular_spring.stiffness, NOT_NEGATIVE)},
    {"damping", "N m s/rad", "0", NUMBER(def.angular_spring.damping, NOT_NEGATIVE)},
};

static const ashi_key bending_spring_keys[] = {
    FORCE_KEYS(def.bending_spring),
    {"body_a", "that has the first point; `null` is the background, which does not move", "the background",
     VALUE(BODY, def.bending_spring.body_a)},
    {"body_b", "that has the point in the middle", "the background", VALUE(BODY, def.bending_spring.body_b)},
    {"body_c", "that has the last point", "the background", VALUE(BODY, def.bending_spring.body_c)},
    {"point_a", "on body a, in its frame, m", "its origin", VALUE(VECTOR, def.bending_spring.point_a)},
    {"point_b", "on body b, in its frame, m", "its origin", VALUE(VECTOR, def.bending_spring.point_b)},
    {"point_c", "on body c, in its frame, m", "its origin", VALUE(VECTOR, def.bending_spring.point_c)},
    {"stiffness", "N m/rad; of a rod E I over the distance of points", "0",
     NUMBER(def.bending_spring.stiffness, NOT_NEGATIVE)},
    {"damping", "N m s/rad", "0", NUMBER(def.bending_spring.damping, NOT_NEGATIVE)},
    {"rest_angle", "between the directions from a to b and from b to c, rad; `\"initial\"`: that at the start",
     "straight: 0", VALUE(LENGTH, def.bending_spring.rest_angle)},
};

static const ashi_key drag_keys[] = {
    FORCE_KEYS(def.drag),
    ONE_BODY(def.drag),
    {"coefficient", "of drag", "0.5", NUMBER(def.drag.coefficient, NOT_NEGATIVE)},
    {"density", "of the medium, kg/m3", "1.2", NUMBER(def.drag.density, NOT_NEGATIVE)},
    {"area", "m2; 0: the projected area of the body's shapes", "0", NUMBER(def.drag.area, NOT_NEGATIVE)},
    {"linear", "linear drag, N s/m", "0", NUMBER(def.drag.linear, NOT_NEGATIVE)},
    {"mask", "0 to 1 for each world axis: multiplies the components of the velocity and of the force", "`[1, 1, 1]`",
     VALUE(SHARES, def.drag.mask)},
    {"wind", "velocity of the medium, m/s", "0", VALUE(VECTOR, def.drag.wind)},
};

static const ashi_key pull_keys[] = {
    FORCE_KEYS(def.pull),
    ONE_BODY(def.pull),
    {"point", "on the body, in its frame, m", "its origin", VALUE(VECTOR, def.pull.point)},
    {"target", "in the world, m", "the origin", VALUE(VECTOR, def.pull.target)},
    {"stiffness", "N/m", "0", NUMBER(def.pull.stiffness, NOT_NEGATIVE)},
    {"damping", "N s/m", "0", NUMBER(def.pull.damping, NOT_NEGATIVE)},
    {"max_force", "N; 0: no limit", "0", NUMBER(def.pull.max_force, NOT_NEGATIVE)},
};

static const ashi_key load_keys[] = {
    FORCE_KEYS(def.load),
    ONE_BODY(def.load),
    {"force", "N", "0", VALUE(VECTOR, def.load.force)},
    {"torque", "N m", "0", VALUE(VECTOR, def.load.torque)},
    {"point", "where the force acts, in the body's frame, m", "its origin", VALUE(VECTOR, def.load.point)},
    {"body_axes", "`true`: force and torque turn with the body", "`false`", VALUE(SWITCH, def.load.body_axes)},
    {"signal", "multiplies force and torque", "constant", VALUE(SIGNAL, def.load.signal)},
    {"start", "it acts from this time on, s", "always", NUMBER(def.load.start, ANY)},
    {"stop", "and before this one, s", "always", NUMBER(def.load.stop, ANY)},
};
#undef OBJECT

#define OBJECT ashi_scene_event
#define SAME   "as the force was described"
#define ENABLED                                                                                                        \
    {                                                                                                                  \
        "enabled", "whether it acts", "unchanged", VALUE(SWITCH, enabled), .sets = ASHI_SET_ENABLED                    \
    }
#define MOTOR                                                                                                          \
    {                                                                                                                  \
        "motor", "`freedom`, which must be given, `drive`, `target`, `max_force`", "as the joint was described",       \
            .type = ASHI_VALUE_OTHER, .sets = ASHI_SET_MOTOR, .schema = "motor_values"                                 \
    }

static const ashi_key set_body_keys[] = {
    {"velocity", "of the centre of mass, m/s", "unchanged", VALUE(VECTOR, velocity), .sets = ASHI_SET_VELOCITY},
    {"angular_velocity", "in world axes, rad/s", "unchanged", VALUE(VECTOR, angular_velocity),
     .sets = ASHI_SET_ANGULAR_VELOCITY},
};

static const ashi_key set_force_keys[] = {ENABLED};

static const ashi_key set_spring_keys[] = {
    ENABLED,
    {"stiffness", "N/m", SAME, NUMBER(stiffness, NOT_NEGATIVE), .sets = ASHI_SET_SPRING},
    {"damping", "N s/m", SAME, NUMBER(damping, NOT_NEGATIVE), .sets = ASHI_SET_SPRING},
    {"rest_length", "m", SAME ", if a length was given", NUMBER(rest_length, NOT_NEGATIVE), .sets = ASHI_SET_SPRING},
};

static const ashi_key set_pull_keys[] = {
    ENABLED,
    {"target", "in the world, m", "unchanged", VALUE(VECTOR, target), .sets = ASHI_SET_TARGET},
};

static const ashi_key set_load_keys[] = {
    ENABLED,
    {"force", "N", SAME, VALUE(VECTOR, force), .sets = ASHI_SET_LOAD},
    {"torque", "N m", SAME, VALUE(VECTOR, torque), .sets = ASHI_SET_LOAD},
};

static const ashi_key set_joint_keys[] = {ENABLED, MOTOR};

static const ashi_key set_hydraulic_keys[] = {
    ENABLED,
    MOTOR,
    {"piston", "`hold`, `extend` or `contract`", "unchanged", WORD(piston, ashi_piston_words), .sets = ASHI_SET_PISTON},
};

static const ashi_key set_length_keys[] = {
    ENABLED,
    MOTOR,
    {"length", "m", "unchanged", NUMBER(length, NOT_NEGATIVE), .sets = ASHI_SET_LENGTH},
};
#undef OBJECT

static void usual_material(void *object)
{
    *(ashi_scene_material *)object = (ashi_scene_material){ash_default_material_def(), {ASHI_NONE, ASHI_ROUGHNESS, 0}};
}

static void usual_pair(void *object)
{
    ash_surface surface = ash_default_material_def().surface;
    *(ashi_scene_material_pair *)object = (ashi_scene_material_pair){ASHI_NONE, ASHI_NONE, 0, surface};
}

static void usual_body(void *object)
{
    *(ashi_scene_body *)object = (ashi_scene_body){.def = ash_default_body_def(), .colour = ASHI_NONE};
}

static void usual_shape(void *object)
{
    *(ashi_scene_shape *)object = ashi_default_scene_shape();
}

static void usual_string(void *object)
{
    *(ashi_cord_string *)object = (ashi_cord_string){.cord.material = ASHI_NONE, .length = -1};
}

static void usual_net(void *object)
{
    *(ashi_cord_net *)object = (ashi_cord_net){.cord.material = ASHI_NONE, .elements = 1};
}

static void usual_spring(void *object)
{
    *(ashi_scene_force *)object = (ashi_scene_force){ASH_FORCE_SPRING, .def.spring = ash_default_spring_def()};
}

static void usual_angular_spring(void *object)
{
    *(ashi_scene_force *)object =
        (ashi_scene_force){ASH_FORCE_ANGULAR_SPRING, .def.angular_spring = ash_default_angular_spring_def()};
}

static void usual_bending_spring(void *object)
{
    *(ashi_scene_force *)object =
        (ashi_scene_force){ASH_FORCE_BENDING_SPRING, .def.bending_spring = ash_default_bending_spring_def()};
}

static void usual_drag(void *object)
{
    *(ashi_scene_force *)object = (ashi_scene_force){ASH_FORCE_DRAG, .def.drag = ash_default_drag_def()};
}

static void usual_pull(void *object)
{
    *(ashi_scene_force *)object = (ashi_scene_force){ASH_FORCE_PULL, .def.pull = ash_default_pull_def()};
}

static void usual_load(void *object)
{
    *(ashi_scene_force *)object = (ashi_scene_force){ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
}

static void usual_event(void *object)
{
    *(ashi_scene_event *)object = (ashi_scene_event){.kind = ASHI_EVENT_SET};
}

static const ashi_key_table tables[ASHI_TABLES] = {
    TABLE(ASHI_TABLE_MATERIAL, "material", "a material", material_keys, ashi_scene_material, usual_material),
    TABLE(ASHI_TABLE_MATERIAL_PAIR, "material pair", "the law between two materials", pair_keys,
          ashi_scene_material_pair, usual_pair),
    TABLE(ASHI_TABLE_BODY, "body", "a body", body_keys, ashi_scene_body, usual_body),
    TABLE(ASHI_TABLE_SHAPE, "shape on a body", "a shape on a body", shape_keys, ashi_scene_shape, usual_shape),
    TABLE(ASHI_TABLE_STRING, "string", "masses on a line, and springs between them", string_keys, ashi_cord_string,
          usual_string),
    TABLE(ASHI_TABLE_NET, "net", "masses on bands that cross, and springs between them", net_keys, ashi_cord_net,
          usual_net),
    TABLE(ASHI_TABLE_SPRING, "spring", "a spring and damper between two points", spring_keys, ashi_scene_force,
          usual_spring),
    TABLE(ASHI_TABLE_ANGULAR_SPRING, "angular-spring",
          "a spring and damper that turns body b back to its rest rotation seen from a", angular_spring_keys,
          ashi_scene_force, usual_angular_spring),
    TABLE(ASHI_TABLE_BENDING_SPRING, "bending-spring",
          "a spring and damper that straightens three points, of a string or a rod", bending_spring_keys,
          ashi_scene_force, usual_bending_spring),
    TABLE(ASHI_TABLE_DRAG, "drag", "drag on a body's centre of mass", drag_keys, ashi_scene_force, usual_drag),
    TABLE(ASHI_TABLE_PULL, "pull", "a spring and damper from a point of a body to a target in the world", pull_keys,
          ashi_scene_force, usual_pull),
    TABLE(ASHI_TABLE_LOAD, "load", "a given force and torque", load_keys, ashi_scene_force, usual_load),
    TABLE(ASHI_TABLE_SET_BODY, "set body", "of a body", set_body_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_FORCE, "set force", "of any force", set_force_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_SPRING, "set spring", "of a spring", set_spring_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_PULL, "set pull", "of a pull", set_pull_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_LOAD, "set load", "of a load", set_load_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_JOINT, "set joint", "of any joint", set_joint_keys, ashi_scene_event, usual_event),
    TABLE(ASHI_TABLE_SET_HYDRAULIC, "set hydraulic", "of a hydraulic", set_hydraulic_keys, ashi_scene_event,
          usual_event),
    TABLE(ASHI_TABLE_SET_LENGTH, "set length", "of a distance, a rope or a pulley", set_length_keys, ashi_scene_event,
          usual_event),
};

const ashi_key_table *ashi_key_table_of(ashi_table table)
{
    return &tables[table];
}

const ashi_key_table *ashi_force_keys(ash_force_kind kind)
{
    static const ashi_table of_kind[ASH_FORCE_KINDS] = {
        [ASH_FORCE_SPRING] = ASHI_TABLE_SPRING,
        [ASH_FORCE_ANGULAR_SPRING] = ASHI_TABLE_ANGULAR_SPRING,
        [ASH_FORCE_BENDING_SPRING] = ASHI_TABLE_BENDING_SPRING,
        [ASH_FORCE_DRAG] = ASHI_TABLE_DRAG,
        [ASH_FORCE_PULL] = ASHI_TABLE_PULL,
        [ASH_FORCE_LOAD] = ASHI_TABLE_LOAD,
    };
    return ashi_key_table_of(of_kind[kind]);
}

static ashi_table joint_event_table(ash_joint_kind kind)
{
    switch (kind) {
    case ASH_JOINT_HYDRAULIC:
        return ASHI_TABLE_SET_HYDRAULIC;
    case ASH_JOINT_DISTANCE:
    case ASH_JOINT_ROPE:
    case ASH_JOINT_PULLEY:
        return ASHI_TABLE_SET_LENGTH;
    default:
        return ASHI_TABLE_SET_JOINT;
    }
}

const ashi_key_table *ashi_event_keys(const ash_scene *scene, const ashi_scene_event *event)
{
    static const ashi_table of_force[ASH_FORCE_KINDS] = {
        [ASH_FORCE_SPRING] = ASHI_TABLE_SET_SPRING,
        [ASH_FORCE_ANGULAR_SPRING] = ASHI_TABLE_SET_FORCE,
        [ASH_FORCE_BENDING_SPRING] = ASHI_TABLE_SET_FORCE,
        [ASH_FORCE_DRAG] = ASHI_TABLE_SET_FORCE,
        [ASH_FORCE_PULL] = ASHI_TABLE_SET_PULL,
        [ASH_FORCE_LOAD] = ASHI_TABLE_SET_LOAD,
    };
    ashi_table table = event->owner == ASHI_OF_FORCE   ? of_force[scene->forces.data[event->object].kind]
                       : event->owner == ASHI_OF_JOINT ? joint_event_table(scene->joints.data[event->object].def.kind)
                                                       : ASHI_TABLE_SET_BODY;
    return ashi_key_table_of(table);
}

const char *ashi_value_type_name(ashi_value_type type)
{
    static const char *const names[ASHI_VALUE_TYPES] = {
        [ASHI_VALUE_NUMBER] = "number",     [ASHI_VALUE_WHOLE] = "whole",       [ASHI_VALUE_SWITCH] = "switch",
        [ASHI_VALUE_NOT] = "switch",        [ASHI_VALUE_WORD] = "word",         [ASHI_VALUE_TEXT] = "text",
        [ASHI_VALUE_VECTOR] = "vector",     [ASHI_VALUE_SHARES] = "shares",     [ASHI_VALUE_ROTATION] = "rotation",
        [ASHI_VALUE_INERTIA] = "inertia",   [ASHI_VALUE_LOCKS] = "locks",       [ASHI_VALUE_BITS] = "bits",
        [ASHI_VALUE_COLOUR] = "colour",     [ASHI_VALUE_PAINT] = "paint",       [ASHI_VALUE_LENGTH] = "length",
        [ASHI_VALUE_SIGNAL] = "signal",     [ASHI_VALUE_MATERIAL] = "material", [ASHI_VALUE_BODY] = "body",
        [ASHI_VALUE_OWN_BODY] = "own-body", [ASHI_VALUE_OTHER] = "other",
    };
    return names[type];
}

ashi_words ashi_key_names(const ashi_key_table *table, const char **names)
{
    for (uint32_t i = 0; i < table->count; i++)
        names[i] = table->keys[i].name;
    return (ashi_words){names, table->count};
}
