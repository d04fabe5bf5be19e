/* The scene description: plain data between files, built-in scenes and worlds.
 *
 * Definitions are the public ones. Inside a description an `ash_body` contains not a handle but the body's number in
 * `bodies` plus one (0: the background); instantiation turns it into a handle. Strings live in the scene's arena. */
#ifndef ASHI_SCENE_DESCRIPTION_H
#define ASHI_SCENE_DESCRIPTION_H

#include "ashlar/joint.h"
#include "ashlar/scene.h"
#include "base/arena.h"
#include "base/array.h"

#define ASHI_SCENE_FORMAT 1 /* the value of "ashlar" in scene files */

/* The law of two materials: the fields that are given, the others as the materials' rules combine them. */
typedef struct ashi_scene_material_pair {
    uint32_t material_a, material_b; /* in `materials`, or ASHI_NONE for the default one */
    uint32_t given;                  /* a bit for each field, numbered as by ashi_surface_field */
    ash_surface surface;
} ashi_scene_material_pair;

/* The fields of a surface law by number: friction, sliding friction, restitution, rolling, spinning. */
#define ASHI_SURFACE_FIELDS 5
double *ashi_surface_field(ash_surface *surface, uint32_t number);

/* How a material looks: 0xrrggbb or ASHI_NONE; how rough and how metallic, 0 to 1. */
typedef struct ashi_material_look {
    uint32_t colour;
    double roughness, metal;
} ashi_material_look;
#define ASHI_ROUGHNESS 0.7 /* of materials that give none */

typedef struct ashi_scene_geometry {
    const char *name;
    ash_geometry *geometry; /* one reference owned */
} ashi_scene_geometry;

/* The colour of a shape: its own, else that of the body. */
typedef struct ashi_paint {
    bool given;
    double rgba[4]; /* red, green, blue, opacity, 0 to 1 */
} ashi_paint;

/* One shape on a body. */
typedef struct ashi_scene_shape {
    uint32_t geometry; /* in `geometries` */
    uint32_t material; /* in `materials`, or ASHI_NONE for the default one */
    double density;    /* or ASH_MATERIAL_DENSITY */
    ash_vec3 surface_velocity;
    ash_transform pose;
    const char *name;
    uint64_t category, mask; /* as in ash_shape_def */
    int32_t group;
    bool sensor;
    bool visual; /* only drawn: it has no mass and no contacts */
    bool hidden; /* not drawn */
    ashi_paint paint;
} ashi_scene_shape;

/* A shape with the defaults of ash_default_shape_def, of no geometry yet. */
ashi_scene_shape ashi_default_scene_shape(void);

#define ASHI_NONE UINT32_MAX

typedef struct ashi_scene_body {
    ash_body_def def;
    uint32_t first_shape, shape_count; /* in `shapes` */
    bool absent;                       /* at the start; an event adds it */
    uint32_t colour;                   /* 0xrrggbb as screens show it, or ASHI_NONE */
} ashi_scene_body;

/* Two bodies that never touch each other. */
typedef struct ashi_scene_ignored_pair {
    uint32_t body_a, body_b;
} ashi_scene_ignored_pair;

typedef struct ashi_scene_force {
    ash_force_kind kind;
    bool disabled;
    union {
        ash_spring_def spring;
        ash_angular_spring_def angular_spring;
        ash_bending_spring_def bending_spring;
        ash_drag_def drag;
        ash_pull_def pull;
        ash_load_def load;
    } def;
} ashi_scene_force;

/* Whether a scene may have forces of a kind: callbacks are code, not data. */
bool ashi_scene_force_is_data(ash_force_kind kind);
#define ASHI_FORCE_BODIES 3
/* The place of a force's name, the name, and the places of its bodies, from 0: null beyond the last. */
const char **ashi_scene_force_name_of(ashi_scene_force *force);
const char *ashi_scene_force_name(const ashi_scene_force *force);
ash_body *ashi_scene_force_body(ashi_scene_force *force, int number);
/* Makes it in a world; bodies are handles there. */
ash_status ashi_scene_force_create(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                   ash_diagnostic *diagnostic);

/* A joint; its path and the tables of its motors' signals live in the scene's arena. */
typedef struct ashi_scene_joint {
    ash_joint_def def;
    bool disabled;
    /* Torque or force along a freedom, an expression of t, q and qd, and its limit; null: none. */
    const char *effort[ASH_FREEDOMS];
    double effort_limit[ASH_FREEDOMS];
} ashi_scene_joint;

/* The owner of a quantity, or the object that an event changes. */
typedef enum ashi_owner { ASHI_OF_BODY, ASHI_OF_FORCE, ASHI_OF_JOINT, ASHI_OF_WORLD, ASHI_OWNERS } ashi_owner;

/* The quantity of an output. */
typedef enum ashi_quantity {
    /* of a body; position is of the given point, velocity of that point */
    ASHI_BODY_POSITION,
    ASHI_BODY_VELOCITY,
    ASHI_BODY_ROTATION_VECTOR,
    ASHI_BODY_ANGULAR_VELOCITY,
    ASHI_BODY_MOMENTUM,
    ASHI_BODY_ANGULAR_MOMENTUM,
    ASHI_BODY_CONTACT_FORCE, /* the sum of its contact forces, or of those with one other body */
    ASHI_BODY_ACCELEROMETER, /* at the given point, along the body's axes */
    ASHI_BODY_GYROSCOPE,
    ASHI_BODY_KINETIC_ENERGY, /* scalar */
    ASHI_BODY_RANGE,          /* scalar: along a ray from the given point */
    /* of a force, scalars */
    ASHI_FORCE_LENGTH,
    ASHI_FORCE_TENSION,
    ASHI_FORCE_ENERGY,
    ASHI_FORCE_ANGLE,
    /* of a joint; scalars along one freedom first */
    ASHI_JOINT_POSITION,
    ASHI_JOINT_RATE,
    ASHI_JOINT_DRIVE,
    ASHI_JOINT_LINE_FORCE,
    ASHI_JOINT_FORCE, /* vectors on body b, in the output's frame */
    ASHI_JOINT_TORQUE,
    ASHI_JOINT_ERROR, /* scalars: m, and rad */
    ASHI_JOINT_ANGLE_ERROR,
    /* of the world */
    ASHI_WORLD_MOMENTUM,
    ASHI_WORLD_ANGULAR_MOMENTUM,
    ASHI_WORLD_KINETIC, /* scalars from here: the ledger's entries */
    ASHI_WORLD_GRAVITY,
    ASHI_WORLD_SPRINGS,
    ASHI_WORLD_TOTAL,
    ASHI_WORLD_DAMPERS,
    ASHI_WORLD_DRAG,
    ASHI_WORLD_LOADS,
    ASHI_WORLD_CALLBACKS,
    ASHI_WORLD_IMPACTS,
    ASHI_WORLD_FRICTION,
    ASHI_WORLD_STABILIZATION,
    ASHI_WORLD_SLEEP,
    ASHI_WORLD_EXTERNAL,
    ASHI_WORLD_REMAINDER,
    ASHI_WORLD_CONTACTS, /* scalars from here: of the last detection */
    ASHI_WORLD_CONTACT_POINTS,
    ASHI_WORLD_PENETRATION,
    ASHI_WORLD_RESIDUAL,    /* of the last solve, by the yardstick */
    ASHI_WORLD_JOINT_ERROR, /* the largest of any joint at the present state, m */
    ASHI_WORLD_PAIRS,       /* of the last detection, as the step report counts them */
    ASHI_WORLD_PAIR_TESTS,
    ASHI_WORLD_JOINT_CORRECTIONS,    /* in the last step: solves for positions of joints, and ... */
    ASHI_WORLD_VELOCITY_CORRECTIONS, /* ... for their velocities */
    ASHI_QUANTITIES
} ashi_quantity;

typedef enum ashi_component { ASHI_X, ASHI_Y, ASHI_Z, ASHI_NORM, ASHI_ALONG, ASHI_SCALAR } ashi_component;

typedef struct ashi_scene_output {
    const char *name;
    ashi_quantity quantity;
    uint32_t object; /* number of the body, force or joint; unused for the world */
    ash_vec3 point;  /* on the body */
    ashi_component component;
    ash_freedom freedom; /* of the joint */
    ash_frame frame;     /* of the joint's force and torque */
    uint32_t beside;     /* 1 + the number of a body: only contacts with it, or motion relative to it; 0: none */
    ash_vec3 direction;  /* of a range or of the component ASHI_ALONG: in the body's frame, in `frame` of a joint, or in
                            that of `beside` where this sees the motion */
    double reach;        /* the largest distance of a range, m */
    double noise;        /* standard deviation of what is added, in the output's unit */
    uint32_t seed;       /* of the noise */
} ashi_scene_output;

typedef enum ashi_event_kind {
    ASHI_EVENT_ADD,     /* an absent body */
    ASHI_EVENT_REMOVE,  /* a body, a force or a joint */
    ASHI_EVENT_RELEASE, /* a static or kinematic body becomes dynamic */
    ASHI_EVENT_SET      /* velocities of a body; enabled, stiffness, damping, rest length, target, load of a force;
                           enabled, motor, piston, length of a joint */
} ashi_event_kind;

typedef enum ashi_event_field {
    ASHI_SET_VELOCITY = 1,
    ASHI_SET_ANGULAR_VELOCITY = 2,
    ASHI_SET_ENABLED = 4,
    ASHI_SET_SPRING = 8, /* stiffness, damping and rest length together */
    ASHI_SET_TARGET = 16,
    ASHI_SET_LOAD = 32,
    ASHI_SET_MOTOR = 64, /* freedom, drive, motor target and greatest force together */
    ASHI_SET_PISTON = 128,
    ASHI_SET_LENGTH = 256
} ashi_event_field;

typedef struct ashi_scene_event {
    double time; /* s; done before the first step that starts at or after it (within half a rounding of a step) */
    ashi_event_kind kind;
    ashi_owner owner; /* of the object; never the world */
    uint32_t object;
    uint32_t fields; /* of ashi_event_field, for SET */
    ash_vec3 velocity, angular_velocity, target, force, torque;
    bool enabled;
    double stiffness, damping, rest_length;
    ash_freedom freedom;
    ash_drive drive;
    double motor_target, max_force;
    ash_piston piston;
    double length;
} ashi_scene_event;

/* An expectation on an output. */
typedef enum ashi_reduction { ASHI_FINAL, ASHI_MAX, ASHI_MIN, ASHI_MAX_ABS, ASHI_MEAN, ASHI_REDUCTIONS } ashi_reduction;
typedef struct ashi_scene_check {
    const char *name;
    uint32_t output;
    ashi_reduction reduction;
    double expected, tolerance; /* passes when |value - expected| <= tolerance */
    double from, until;         /* s; only samples between them count, both included; until 0: to the end */
} ashi_scene_check;

/* A note on something in an imported file that the scene lacks or treats differently. */
typedef struct ashi_import_note {
    const char *file, *message;
    int line; /* 0: of the whole file */
} ashi_import_note;

/* The texts that a scene was read from; none for built-in scenes. */
typedef struct ashi_source_file {
    char *text, *label; /* owned */
    size_t size;
} ashi_source_file;

/* The origin of a value whose path in its file differs from that in the scene, or that is in another file. */
typedef struct ashi_source_origin {
    uint64_t path; /* hash of its JSON path in the scene */
    uint32_t file;
    const char *within; /* its JSON path in the file; in `paths` */
} ashi_source_origin;

typedef struct ashi_source {
    ASHI_ARRAY(ashi_source_file) files;     /* the scene's own first, then the included ones */
    ASHI_ARRAY(ashi_source_origin) origins; /* sorted by `path`; what is in them is where they say it is */
    ashi_arena *paths;
} ashi_source;

struct ash_scene {
    ashi_arena *text; /* names and tables */
    const char *name, *summary;
    ash_vec3 gravity;
    bool planar;
    ash_method method;
    double step, time;      /* s */
    double sample_interval; /* s between recorded samples; 0: every step */
    double accuracy;        /* wanted of positions at the end, m; 0: steps of fixed length */
    ASHI_ARRAY(ash_material_def) materials;
    ASHI_ARRAY(ashi_material_look) material_looks; /* of each */
    ASHI_ARRAY(ashi_scene_material_pair) material_pairs;
    ASHI_ARRAY(ashi_scene_geometry) geometries;
    ASHI_ARRAY(ashi_scene_shape) shapes;
    ASHI_ARRAY(ashi_scene_body) bodies;
    ASHI_ARRAY(ashi_scene_ignored_pair) ignored_pairs;
    ASHI_ARRAY(ashi_scene_force) forces;
    ASHI_ARRAY(ashi_scene_joint) joints;
    ASHI_ARRAY(ashi_scene_output) outputs;
    ASHI_ARRAY(ashi_scene_event) events;
    ASHI_ARRAY(ashi_scene_check) checks;
    ASHI_ARRAY(ashi_import_note) notes;
    ASHI_ARRAY(ash_scene_parameter) parameters; /* that its file declares */
    ashi_source source;                         /* of a scene that was read: its texts, to locate failures */
    ash_status failure;                         /* of the first adder that failed; ashi_scene_finish reports it */
};

/* An empty scene with the defaults of a file: gravity 9.81 along -z, step 0.01 s, 1 s, method realtime. */
ash_status ashi_scene_create(const char *name, ash_scene **scene, ash_diagnostic *diagnostic);

/* Copies formatted text into the scene. Null when memory ran out (which makes ashi_scene_finish fail). */
const char *ashi_scene_text(ash_scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));

void ashi_source_release(ashi_source *source);

/* The adders return the object's number, or ASHI_NONE when memory ran out (which makes ashi_scene_finish fail). Strings
 * inside definitions are copied. A geometry's reference passes to the scene, also on failure. */
uint32_t ashi_scene_add_material(ash_scene *scene, const ash_material_def *def);
uint32_t ashi_scene_add_material_pair(ash_scene *scene, const ashi_scene_material_pair *pair);
uint32_t ashi_scene_add_geometry(ash_scene *scene, const char *name, ash_geometry *geometry);
uint32_t ashi_scene_add_body(ash_scene *scene, const ash_body_def *def);
uint32_t ashi_scene_add_shape(ash_scene *scene, uint32_t body, const ashi_scene_shape *shape); /* to the last body */
uint32_t ashi_scene_add_spring(ash_scene *scene, const ash_spring_def *def);
uint32_t ashi_scene_add_force(ash_scene *scene, const ashi_scene_force *force);
uint32_t ashi_scene_add_joint(ash_scene *scene, const ash_joint_def *def);
/* The variables of efforts: time, and the coordinate and rate of their freedom. */
#define ASHI_EFFORT_VARIABLES 3
extern const char *const ashi_effort_variables[ASHI_EFFORT_VARIABLES];

/* Gives a joint of the scene an effort; the text is copied. */
bool ashi_scene_set_effort(ash_scene *scene, uint32_t joint, ash_freedom freedom, const char *expression, double limit);
uint32_t ashi_scene_add_output(ash_scene *scene, const ashi_scene_output *output);
uint32_t ashi_scene_add_event(ash_scene *scene, const ashi_scene_event *event);
uint32_t ashi_scene_add_check(ash_scene *scene, const ashi_scene_check *check);
uint32_t ashi_scene_add_ignored_pair(ash_scene *scene, uint32_t body_a, uint32_t body_b);
/* Both texts are copied. */
uint32_t ashi_scene_add_note(ash_scene *scene, const char *file, int line, const char *message);

/* The reference that stands for body number `body` inside a description. */
static inline ash_body ashi_scene_body_ref(uint32_t body)
{
    return (ash_body){(uint64_t)body + 1};
}

/* Sets both frames of a joint between bodies of the description so that they coincide in the world: origin at `point`,
 * x along `axis`, as ash_joint_def_place does with those of a world. False when the axis has no direction, or the point
 * is so far away that a frame is not finite. */
bool ashi_scene_place_joint(const ash_scene *scene, ash_joint_def *def, ash_vec3 point, ash_vec3 axis);

/* The shortest turn that takes x along a unit vector; half a turn about z where that is -x. */
ash_quat ashi_turn_x_along(ash_vec3 axis);

/* The failure of the first failing adder: ASH_OUT_OF_MEMORY, or ASH_BAD_ARGUMENT for a shape not added to the last
 * body. */
ash_status ashi_scene_finish(ash_scene *scene, ash_diagnostic *diagnostic);

/* Names of the enums in files; names.h has the inverse. */
const char *ashi_quantity_name(ashi_quantity quantity);    /* "position", "kinetic-energy", ... */
const char *ashi_component_name(ashi_component component); /* "x", "y", "z", "norm", "along" */
const char *ashi_output_unit(const ashi_scene_output *output);
const char *ashi_reduction_name(ashi_reduction reduction);

#endif
