/* Forces: a directory of handles, and for each kind a dense array of its elements.
 *
 * A kind is one file with one `ashi_force_class`. Removing an element moves the last one into its place; the order of
 * sums depends only on the calls made, never on threads. */
#ifndef ASHI_MODEL_FORCES_H
#define ASHI_MODEL_FORCES_H

#include "ashlar/force.h"
#include "ashlar/problem.h"
#include "base/arena.h"
#include "base/tasks.h"
#include "model/bodies.h"
#include "model/joints.h"
#include "model/materials.h"
#include "model/shapes.h"

typedef struct ashi_model ashi_model;

/* Work by category, J; or power, W. */
typedef struct ashi_work {
    double dampers, drag, loads, callbacks;
    double impacts, friction, stabilization, sleep;
    double motors, joints;
} ashi_work;

static inline void ashi_work_add(ashi_work *sum, const ashi_work *work, double times)
{
    sum->dampers += work->dampers * times;
    sum->drag += work->drag * times;
    sum->loads += work->loads * times;
    sum->callbacks += work->callbacks * times;
    sum->impacts += work->impacts * times;
    sum->friction += work->friction * times;
    sum->stabilization += work->stabilization * times;
    sum->sleep += work->sleep * times;
    sum->motors += work->motors * times;
    sum->joints += work->joints * times;
}

/* An instant at which forces are evaluated. */
typedef struct ashi_force_instant {
    const ashi_state *state;
    double time;
    ashi_tasks *tasks;
} ashi_force_instant;

/* One stiff connection of a linearized implicit step: at two points, or of two rotations. */
typedef struct ashi_implicit_element {
    uint32_t body_a, body_b;
    bool angular;
    ash_vec3 arm_a, arm_b; /* from the centres of mass; unused for rotations */
    ash_sym3 matrix;       /* h^2 stiffness + h damping, positive semi-definite */
    ash_vec3 impulse;      /* -h^2 stiffness times the relative velocity of a to b: on a, opposite on b */
} ashi_implicit_element;

/* One number of a linearized implicit step that depends on up to three bodies: its rate is the sum of `along` times
 * the bodies' velocities. No body is named twice. */
typedef struct ashi_implicit_row {
    uint32_t count, body[3];
    ash_motion along[3];
    double stiffness, damping; /* of the number */
    double matrix;             /* h^2 stiffness + h damping, 0 or more */
    double impulse;            /* -h^2 stiffness times the rate, along the row */
} ashi_implicit_row;

typedef struct ashi_implicit_elements {
    ASHI_ARRAY(ashi_implicit_element) pairs;
    ASHI_ARRAY(ashi_implicit_row) rows;
} ashi_implicit_elements;

/* The functions of a kind of force. `index` is the element's place in its dense array. */
typedef struct ashi_forces ashi_forces;
typedef struct ashi_force_class {
    const char *name;
    size_t element_size, array; /* size of an element, and offset of its dense array in ashi_forces */
    /* Adds all enabled elements' forces to bodies->force and torque. */
    void (*apply)(ashi_model *model, const ashi_force_instant *stage);
    /* Adds the power of the elements' non-conservative forces, as applied last at `stage`, on the mean of two states'
     * velocities. Null: the kind is conservative. */
    void (*power)(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                  const ashi_state *to, ashi_work *power);
    /* The potential energy of one element. Null: none. */
    double (*energy)(const ashi_model *model, const ashi_state *state, uint32_t index);
    /* Adds the derivatives of all enabled elements. False when memory ran out. Null: treated explicitly. */
    bool (*linearize)(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements);
    bool (*uses_body)(const void *element, uint32_t body);
    /* Marks the bodies, by slot, on which it exerts a force that changes as they move. Null: none. */
    void (*mark_elastic)(const ashi_forces *forces, bool *marks);
    /* Called when the centre of mass of a body has moved in its frame. Null: not needed. */
    void (*recentre)(ashi_model *model, uint32_t index);
    void (*release)(void *element); /* memory of its own; null: none */
} ashi_force_class;

/* Every dense element starts with this. */
typedef struct ashi_force_head {
    uint32_t owner; /* slot in the directory */
    bool enabled;
} ashi_force_head;

typedef struct ashi_force_entry {
    ash_force_kind kind;
    uint32_t index;
    char *name;
} ashi_force_entry;

typedef struct ashi_spring {
    ashi_force_head head;
    uint32_t body_a, body_b;
    double stiffness, damping, rest_length;
    bool tension_only, damper_pushes, offset_a, offset_b; /* offset: the point is not the centre of mass */
    ash_vec3 point_a, point_b;                            /* in the bodies' frames, as given */
    ash_vec3 arm_a, arm_b;                                /* the same from the centres of mass */
} ashi_spring;

typedef struct ashi_angular_spring {
    ashi_force_head head;
    uint32_t body_a, body_b;
    ash_quat rest_rotation;
    double stiffness, damping;
} ashi_angular_spring;

/* Points are numbered: 0, 1 and 2 are a, b and c; b is in the middle. */
typedef struct ashi_bending_spring {
    ashi_force_head head;
    uint32_t body[3];
    double stiffness, damping, rest_angle;
    ash_vec3 point[3]; /* in the bodies' frames, as given */
    ash_vec3 arm[3];   /* the same from the centres of mass */
} ashi_bending_spring;

typedef struct ashi_drag {
    ashi_force_head head;
    uint32_t body;
    double factor; /* density C_D / 2 */
    double area;   /* 0: from the shapes */
    double linear;
    ash_vec3 mask, wind;
    ash_vec3 force; /* applied last */
} ashi_drag;

typedef struct ashi_pull {
    ashi_force_head head;
    uint32_t body;
    ash_vec3 point, arm, target;
    double stiffness, damping, max_force;
    ash_vec3 force; /* applied last */
} ashi_pull;

typedef struct ashi_load {
    ashi_force_head head;
    uint32_t body;
    ash_vec3 force, torque, point, arm;
    bool body_axes;
    ash_signal signal; /* with tables of its own */
    double start, stop;
    ash_vec3 applied_force, applied_torque; /* last, about the centre of mass */
} ashi_load;

typedef struct ashi_callback {
    ashi_force_head head;
    ash_force_callback function;
    void *user;
} ashi_callback;

/* A force that a callback added. */
typedef struct ashi_callback_record {
    uint32_t body;
    ash_vec3 force, torque;
} ashi_callback_record;

/* For springs on several threads: which springs pull at each body, in the order of the springs. */
typedef struct ashi_spring_web {
    uint32_t *first;     /* by body slot, one more than slots */
    uint32_t *ends;      /* spring * 4 + 2 where the point is off the centre of mass + side (0: a, 1: b) */
    ash_vec3 *tension;   /* by spring: the force on a */
    uint32_t body_count; /* 0: not built */
} ashi_spring_web;

struct ashi_forces {
    ashi_pool pool;
    ASHI_ARRAY(ashi_force_entry) entries; /* by slot */
    ASHI_ARRAY(ashi_spring) springs;
    ASHI_ARRAY(ashi_angular_spring) angular_springs;
    ASHI_ARRAY(ashi_bending_spring) bending_springs;
    ASHI_ARRAY(ashi_drag) drags;
    ASHI_ARRAY(ashi_pull) pulls;
    ASHI_ARRAY(ashi_load) loads;
    ASHI_ARRAY(ashi_callback) callbacks;
    ASHI_ARRAY(ashi_callback_record) callback_records;
    ASHI_ARRAY(ash_vec3) damper_forces; /* by spring, on a, applied last; only when a spring has a damper */
    ashi_spring_web web;
    bool changed;        /* elements or bodies were added, removed or changed kind since the last prepare */
    bool any_damper;     /* of a spring */
    bool drags_distinct; /* no body has two drags, so that they can be applied in parallel */
    bool out_of_memory;  /* a callback's record could not be kept */
};

/* Everything that a world is made of. */
struct ashi_model {
    ashi_bodies bodies;
    ashi_shapes shapes;
    ashi_materials materials;
    ashi_forces forces;
    ashi_joints joints;
    ash_vec3 gravity;
    double unit_length; /* of the method, m */
};

extern const ashi_force_class ashi_spring_class, ashi_angular_spring_class, ashi_bending_spring_class, ashi_drag_class,
    ashi_pull_class, ashi_load_class, ashi_callback_class;
const ashi_force_class *ashi_force_class_of(ash_force_kind kind);

bool ashi_model_create(ashi_model *model, bool planar, ash_vec3 gravity);
/* Puts the number of the world into all its handles. */
void ashi_model_number(ashi_model *model, uint32_t world);
void ashi_model_destroy(ashi_model *model);

/* Adds an element (its head need not be set) under a name (null for none). ASHI_NO_SLOT when memory ran out. The
 * element's own memory passes to the model only on success. */
uint32_t ashi_forces_add(ashi_forces *forces, ash_force_kind kind, const void *element, const char *name);
void ashi_forces_remove(ashi_forces *forces, uint32_t slot);
void ashi_forces_remove_body(ashi_forces *forces, uint32_t body);
/* The element of a slot. */
void *ashi_forces_element(const ashi_forces *forces, uint32_t slot);
/* The dense array of one kind: its length, its elements, and a new length with zeroed elements (for snapshots). */
uint32_t ashi_forces_count(const ashi_forces *forces, ash_force_kind kind);
void *ashi_forces_at(const ashi_forces *forces, ash_force_kind kind, uint32_t index);
bool ashi_forces_resize(ashi_forces *forces, ash_force_kind kind, uint32_t count);
/* Updates the lever arms of all forces at a body. */
void ashi_forces_recentre(ashi_model *model, uint32_t body);

/* Prepares evaluations. False when memory ran out. */
bool ashi_forces_prepare(ashi_model *model, uint32_t workers);
/* Sums all forces at a stage into bodies->force and torque. */
void ashi_forces_evaluate(ashi_model *model, const ashi_force_instant *stage);
/* The power of the forces applied last, on the mean velocities of two states. */
ashi_work ashi_forces_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                            const ashi_state *to);
/* The derivatives of all forces that have them. */
bool ashi_forces_linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                           ashi_implicit_elements *elements);
/* The potential energy of all springs. */
double ashi_forces_energy(const ashi_model *model, const ashi_state *state);
/* Marks the bodies, by slot, on which springs, pulls or callbacks act: forces that change as they move. Null: there are
 * none. False when memory ran out. */
bool ashi_forces_mark_elastic(const ashi_model *model, ashi_arena *scratch, bool **marks);

/* Length and tension of one spring at a state. Tension includes the damper. */
double ashi_spring_length(const ashi_spring *spring, const ashi_state *state);
double ashi_spring_tension(const ashi_spring *spring, const ashi_state *state);
ash_vec3 ashi_angular_spring_deflection(const ashi_angular_spring *spring, const ashi_state *state);
double ashi_bending_spring_angle(const ashi_bending_spring *spring, const ashi_state *state);
/* The angle as a row, and the direction across its plane, each with stiffness and damping. False when the spring is
 * disabled or two of its points coincide. */
bool ashi_bending_spring_rows(const ashi_bending_spring *spring, const ashi_state *state, ashi_implicit_row rows[2]);
/* The rate of the quantity of a row. */
double ashi_implicit_row_rate(const ashi_implicit_row *row, const ashi_state *state);

/* Gravity, damping of bodies and the user's forces: the start of every evaluation. */
void ashi_gravity_apply(ashi_model *model, const ashi_force_instant *stage);
void ashi_gravity_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                        const ashi_state *to, ashi_work *power);
bool ashi_gravity_linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                            ashi_implicit_elements *elements);
double ashi_gravity_energy(const ashi_model *model, const ashi_state *state);

/* The lever arm of a point of a body, in body axes, from the centre of mass. */
static inline ash_vec3 ashi_arm(const ashi_bodies *bodies, uint32_t body, ash_vec3 point)
{
    return v3_sub(point, bodies->info[body].mass.centre);
}

/* The mean of two states' velocities at a body's centre of mass, and of its spins. */
static inline ash_vec3 ashi_mean_velocity(const ashi_state *from, const ashi_state *to, uint32_t body)
{
    return v3_scale(v3_add(from->velocity[body], to->velocity[body]), 0.5);
}

static inline ash_vec3 ashi_mean_spin(const ashi_state *from, const ashi_state *to, uint32_t body)
{
    return v3_scale(v3_add(from->spin[body], to->spin[body]), 0.5);
}

#endif
