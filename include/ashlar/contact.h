/* Contacts: where shapes touch, what they carry, events, filters. */
#ifndef ASHLAR_CONTACT_H
#define ASHLAR_CONTACT_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_CONTACT_POINTS 4

/* A point of contact, in the world. */
typedef struct ash_contact_point {
    ash_vec3 on_a, on_b; /* on the surfaces of both shapes */
    double depth;        /* m, positive where they overlap */
    uint32_t feature;    /* the same from step to step while the same features touch */
    uint32_t age;        /* steps for which this point has been there; 0: new */
    ash_vec3 force;      /* on b, N: mean over the step (the last part of it; by soft-step, the last sub-step, impacts
                            apart) that led to this state */
    ash_vec3 torque;     /* on b, N m: of rolling and spinning resistance, beside the force's own moment */
} ash_contact_point;

/* Two shapes that touch, or nearly. A mesh, field or compound may touch in several places: one contact each. */
typedef struct ash_contact {
    ash_shape shape_a, shape_b;
    ash_body body_a, body_b;
    uint32_t part_a, part_b; /* triangle, cell or part of a compound */
    ash_vec3 normal;         /* unit, from a to b */
    uint32_t point_count;
    ash_contact_point points[ASH_CONTACT_POINTS]; /* the first; all of them through ash_world_get_contact_points */
    bool sensor;                                  /* one of the shapes only senses */
} ash_contact;

/* The contacts after the last step, in a fixed order: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contacts(const ash_world *world, ash_contact *contacts, uint32_t capacity);
/* All points of the contact with this number in that list: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contact_points(const ash_world *world, uint32_t contact, ash_contact_point *points,
                                              uint32_t capacity);

/* The frame in which a force is given. */
typedef enum ash_frame {
    ASH_FRAME_WORLD,
    ASH_FRAME_CONTACT, /* x along the normal, y along the world's x (or y) as far as it is tangential, z across both */
    ASH_FRAME_BODY_A,
    ASH_FRAME_BODY_B,
    ASH_FRAME_JOINT_A, /* of joints: their frame on body a, ... */
    ASH_FRAME_JOINT_B, /* ... and on b */
    ASH_FRAMES
} ash_frame;

/* What a contact carries at the present state. Impacts at an instant, whose force is infinite, do not count. */
typedef struct ash_reaction {
    ash_vec3 force;  /* on b, N; a feels the opposite */
    ash_vec3 torque; /* on b about `point`, N m */
    ash_vec3 point; /* where the normal forces act in the mean, in the world; without forces the middle of the points */
} ash_reaction;
/* Of the contact with this number in the list of ash_world_get_contacts; zero when there is none. */
ASH_API ash_reaction ash_world_get_reaction(const ash_world *world, uint32_t contact, ash_frame frame);
/* The sum of all contact forces on a body, and their moment about its centre of mass, in world axes. */
ASH_API ash_reaction ash_body_get_reaction(const ash_world *world, ash_body body);

/* The same of the contacts with one other body alone. */
ASH_API ash_reaction ash_body_get_pair_reaction(const ash_world *world, ash_body body, ash_body other);

/* The contact graph: bodies, and what touches (contacts last found, sensors apart) or is joined (enabled joints). A
 * body's stack height is the number of bodies to be passed from the nearest static or kinematic one, which has height
 * 0: what lies on the floor has 1. Bodies that joints connect have one height. Bodies that nothing leads to a fixed one
 * from have the largest height, at least 1 (Erleben 2007, section 4; docs/shock.md). 0 for a body that is not valid. */
ASH_API uint32_t ash_body_get_stack_height(const ash_world *world, ash_body body);

typedef struct ash_stacking {
    uint32_t layers; /* as many as the largest stack height */
    uint32_t edges;  /* pairs of bodies that touch or are joined; a pair of several shapes may count more than once */
    uint64_t updates, builds; /* how often the graph was looked after since the world was made, and how often it had
                                 changed and was rebuilt */
} ash_stacking;
/* Of the present graph. All zero when memory ran out. */
ASH_API ash_stacking ash_world_get_stacking(const ash_world *world);

typedef enum ash_contact_event_kind {
    ASH_CONTACT_BEGAN,
    ASH_CONTACT_LASTING,
    ASH_CONTACT_ENDED
} ash_contact_event_kind;

/* What happened to a pair of shapes in the last step. Overlap or a force between them counts, not nearness. */
typedef struct ash_contact_event {
    ash_contact_event_kind kind;
    ash_shape shape_a, shape_b; /* may be stale when a contact ended because its shape was removed */
    bool sensor;
    uint32_t first_contact, contact_count; /* in the list of ash_world_get_contacts; none for ended ones */
} ash_contact_event;
/* The events of the last step in the order of pairs: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contact_events(const ash_world *world, ash_contact_event *events, uint32_t capacity);

/* A first touch within the last step, of a body so fast that it moved by more than half its thickness: what contacts at
 * the end of the step may have missed. Looked for against static bodies, and against all when one of the two bodies is
 * fast (ash_body_def). Shapes that touched at the start of the step already have none. */
typedef struct ash_impact {
    ash_shape shape_a, shape_b;
    double time;         /* s after the start of the step */
    ash_vec3 on_a, on_b; /* where, in the world, at that time */
    ash_vec3 normal;     /* from a to b */
} ash_impact;
/* The impacts of the last step, earliest first: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_impacts(const ash_world *world, ash_impact *impacts, uint32_t capacity);

/* Finds contacts at the present state without taking a step. */
ASH_API ash_status ash_world_detect(ash_world *world);

/* A last word on pairs that the filters let through. Called from the stepping thread, in the order of pairs. */
typedef bool (*ash_pair_filter)(ash_shape a, ash_shape b, void *user);
/* The filter that was installed, null for none, and what is handed to it (`user` may be null). */
ASH_API ash_pair_filter ash_world_get_pair_filter(const ash_world *world, void **user);
/* Installs the filter; null lets all pairs through again. */
ASH_API ash_status ash_world_set_pair_filter(ash_world *world, ash_pair_filter filter, void *user);

/* Two bodies that never touch each other (as those of a joint); `ignore` false takes it back. */
ASH_API ash_status ash_world_ignore_pair(ash_world *world, ash_body a, ash_body b, bool ignore);

#ifdef __cplusplus
}
#endif

#endif
