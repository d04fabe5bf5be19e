/* Contacts: where shapes touch, their reactions, events, filters. */
#ifndef ASHLAR_CONTACT_H
#define ASHLAR_CONTACT_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_CONTACT_POINTS 8 /* of two boxes: all of them */

/* A contact point, in world coordinates. */
typedef struct ash_contact_point {
    ash_vec3 on_a, on_b; /* on the surfaces of both shapes */
    double depth;        /* m, positive where they overlap */
    uint32_t feature;    /* identifies the point from step to step while the same features touch */
    uint32_t age;        /* steps for which this point has existed; 0: new */
    ash_vec3 force;      /* on b, N: mean over the last step (its last part; with soft-step its last sub-step, without
                            impacts) */
    ash_vec3 torque;     /* on b, N m: of rolling and spinning resistance, in addition to the moment of the force */
} ash_contact_point;

/* Two shapes that touch, or nearly. A mesh, field or compound may touch in several places: one contact each. */
typedef struct ash_contact {
    ash_shape shape_a, shape_b;
    ash_body body_a, body_b;
    uint32_t part_a, part_b;          /* triangle, cell or part of a compound */
    ash_vec3 normal;                  /* unit, from a to b */
    uint32_t point_count, all_points; /* in `points`; of the contact, which has more where hulls touch and contacts keep
                                         all points (reduce_manifolds off): ash_world_get_contact_points gives them */
    ash_contact_point points[ASH_CONTACT_POINTS];
    bool sensor; /* one of the shapes is a sensor */
} ash_contact;

/* The contacts after the last step, in a fixed order: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contacts(const ash_world *world, ash_contact *contacts, uint32_t capacity);
/* All points of the contact with this number in that list: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contact_points(const ash_world *world, uint32_t contact, ash_contact_point *points,
                                              uint32_t capacity);

/* The frame in which a force is given. */
typedef enum ash_frame {
    ASH_FRAME_WORLD,
    ASH_FRAME_CONTACT, /* x along the normal, y along the tangential part of the world's x (or y), z perpendicular to
                          both */
    ASH_FRAME_BODY_A,
    ASH_FRAME_BODY_B,
    ASH_FRAME_JOINT_A, /* of joints: their frame on body a, ... */
    ASH_FRAME_JOINT_B, /* ... and on b */
    ASH_FRAMES
} ash_frame;

/* The reaction of a contact at the present state. Impacts at an instant, whose force is infinite, do not count. */
typedef struct ash_reaction {
    ash_vec3 force;  /* on b, N; a feels the opposite */
    ash_vec3 torque; /* on b about `point`, N m */
    ash_vec3 point;  /* the centre of the normal forces, in the world; without forces the mean of the points */
} ash_reaction;
/* The reaction of the contact with this number in the list of ash_world_get_contacts; zero if there is none. */
ASH_API ash_reaction ash_world_get_reaction(const ash_world *world, uint32_t contact, ash_frame frame);
/* The sum of all contact forces on a body, and their moment about its centre of mass, in world axes. */
ASH_API ash_reaction ash_body_get_reaction(const ash_world *world, ash_body body);

/* The same for the contacts with one other body. */
ASH_API ash_reaction ash_body_get_pair_reaction(const ash_world *world, ash_body body, ash_body other);

/* The contact graph connects bodies that touch (contacts last found, without sensors) or are joined (enabled joints). A
 * body's stack height is its distance in this graph from the nearest static or kinematic body, which has height 0: a
 * body on the floor has 1. Bodies connected by joints share one height. Bodies without a path to a fixed one have the
 * largest height, at least 1 (Erleben 2007, section 4; docs/shock.md). 0 for an invalid handle. */
ASH_API uint32_t ash_body_get_stack_height(const ash_world *world, ash_body body);

typedef struct ash_stacking {
    uint32_t layers; /* the largest stack height */
    uint32_t edges;  /* pairs of bodies that touch or are joined; a pair of several shapes may count more than once */
    uint64_t updates, builds; /* how often the graph was updated since the world was created, and how often it had
                                 changed and was rebuilt */
} ash_stacking;
/* Numbers of the present graph. All zero if memory ran out. */
ASH_API ash_stacking ash_world_get_stacking(const ash_world *world);

typedef enum ash_contact_event_kind {
    ASH_CONTACT_BEGAN,
    ASH_CONTACT_LASTING,
    ASH_CONTACT_ENDED
} ash_contact_event_kind;

/* What happened to a pair of shapes in the last step. Overlap or a force between them counts, nearness does not. */
typedef struct ash_contact_event {
    ash_contact_event_kind kind;
    ash_shape shape_a, shape_b; /* may be stale when a contact ended because its shape was removed */
    bool sensor;
    uint32_t first_contact, contact_count; /* in the list of ash_world_get_contacts; none for ended ones */
} ash_contact_event;
/* The events of the last step in the order of pairs: copies at most `capacity`, returns how many there are. */
ASH_API uint32_t ash_world_get_contact_events(const ash_world *world, ash_contact_event *events, uint32_t capacity);

/* The first touch within the last step of a body that moved by more than half its thickness, which contacts at the end
 * of the step may have missed. It is searched for against static bodies, and against all bodies if one of the two is
 * fast (ash_body_def). Shapes that already touched at the start of the step have none. */
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

/* Decides on pairs that passed the masks and groups of shapes; false: they do not touch. Called from the stepping
 * thread, in the order of pairs. */
typedef bool (*ash_pair_filter)(ash_shape a, ash_shape b, void *user);
/* The installed filter, null for none, and the pointer that it receives (`user` may be null). */
ASH_API ash_pair_filter ash_world_get_pair_filter(const ash_world *world, void **user);
/* Installs the filter; null lets all pairs through again. */
ASH_API ash_status ash_world_set_pair_filter(ash_world *world, ash_pair_filter filter, void *user);

/* Keeps two bodies from touching each other (like those of a joint); `ignore` false reverts this. */
ASH_API ash_status ash_world_ignore_pair(ash_world *world, ash_body a, ash_body b, bool ignore);

#ifdef __cplusplus
}
#endif

#endif
