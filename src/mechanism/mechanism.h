/* A mechanism in the coordinates of its joints: a tree of links, each joined to its parent by elementary motions, and
 * the joints that close loops.
 *
 * Links are ordered so that parents come first. A link's joint is a chain of elementary motions from frame a to frame
 * b: moves along axes of a, then turns about axes of the frame as turned so far, or a ball's three turns about axes of
 * b. Each is a motion vector S; the body's acceleration is that of its parent + sum of S a + (dS/dt) v. All algorithms
 * need only S and dS/dt, and take time proportional to the number of links (Featherstone 2008). */
#ifndef ASHI_MECHANISM_MECHANISM_H
#define ASHI_MECHANISM_MECHANISM_H

#include "mechanism/spatial.h"
#include "model/forces.h"
#include "solve/linear/rank_factor.h"

typedef enum ashi_motion_form {
    ASHI_MOTION_MOVE,  /* along an axis of frame a */
    ASHI_MOTION_TURN,  /* about an axis of frame a as turned so far, through the origin of b */
    ASHI_MOTION_SCREW, /* the same, and along it by the pitch */
    ASHI_MOTION_BALL   /* about an axis of frame b; three in a row share a quaternion */
} ashi_motion_form;

/* An elementary motion: one rate, and one position, except that a ball's three have four together. */
typedef struct ashi_motion_axis {
    uint32_t link;
    uint32_t position; /* in the list of positions; of a ball: of the quaternion's w */
    ashi_motion_form form;
    uint8_t axis; /* 0 to 2 */
    ash_freedom freedom;
} ashi_motion_axis;

#define ASHI_NO_LINK UINT32_MAX

typedef struct ashi_tree_link {
    uint32_t body, parent_body; /* slots */
    uint32_t parent;            /* link; ASHI_NO_LINK: a body that forces do not move */
    uint32_t joint;             /* slot; ASHI_NO_SLOT: it floats */
    bool reversed;              /* the link is body a of its joint, its parent is body b */
    uint32_t first, count;      /* of its motion axes */
    ash_transform frame_a, frame_b;
    double travel; /* of a screw, m/rad */
} ashi_tree_link;

typedef struct ashi_linkage {
    const ashi_model *model;
    uint32_t link_count, rate_count, position_count, loop_count, row_count, slot_count;
    ashi_tree_link *links;
    ashi_motion_axis *axes;
    uint32_t *loops;   /* slots of joints that are not in the tree */
    uint32_t *link_of; /* by slot of body; ASHI_NO_LINK: none */
    uint64_t revision; /* of the joints */
    uint64_t *handles; /* of the links' bodies */
    double *positions, *rates;
    /* at positions and rates: ashi_linkage_update */
    ash_vec3 point;                /* reference point of spatial vectors */
    ash_transform *pose;           /* of bodies' frames, by link */
    ashi_state state;              /* by slot, in the form that joint rows read */
    ashi_spatial *s, *s_rate;      /* by motion axis: S and dS/dt, along the growing coordinate */
    ashi_spatial *velocity;        /* by link */
    ashi_spatial_inertia *inertia; /* by link */
    /* work */
    ashi_spatial *acceleration, *force;                     /* by link */
    ashi_spatial_inertia *composite;                        /* by link */
    double (*articulated)[6][6];                            /* by link */
    ashi_spatial *across;                                   /* by motion axis: articulated inertia times S */
    double *pivot, *drive;                                  /* by motion axis */
    double *result, *stage;                                 /* by motion axis; four stages and their start */
    ashi_joint_row *rows;                                   /* of loops */
    double *pulls, *columns, *matrix, *right, *multipliers; /* of loops: G^T, M^-1 G^T, G M^-1 G^T, ... */
    double *borne;
    uint32_t *order;
} ashi_linkage;

/* Makes the tree of the model's present bodies and joints. Null with a diagnostic: a joint or lock that coordinates
 * cannot represent, or no memory. Positions and rates are those of the model's present state. */
ashi_linkage *ashi_linkage_create(const ashi_model *model, ash_diagnostic *diagnostic);
void ashi_linkage_destroy(ashi_linkage *mechanism);
/* Whether bodies or joints were added, removed or switched since. */
bool ashi_linkage_is_outdated(const ashi_linkage *mechanism);

/* Takes positions and rates from the model's present state. */
void ashi_linkage_look(ashi_linkage *mechanism);
/* Everything that follows from positions and rates: poses, velocities, motion vectors. */
void ashi_linkage_update(ashi_linkage *mechanism);
/* Makes the quaternions among positions unit. False when one is zero or a number is not finite. */
bool ashi_linkage_normalize(double *positions, const ashi_linkage *mechanism);

/* Composite rigid bodies: the mass matrix, rates by rates. */
void ashi_linkage_mass_matrix(ashi_linkage *mechanism, double *matrix);
/* Recursive Newton-Euler: the forces that give these accelerations (null: zero) against gravity. */
void ashi_linkage_inverse(ashi_linkage *mechanism, const double *accelerations, double *forces);
/* Articulated bodies, and the loops' multipliers: the accelerations under these forces (null: zero) and gravity. False:
 * a coordinate has no inertia. */
bool ashi_linkage_forward(ashi_linkage *mechanism, const double *forces, double *accelerations);
/* The Jacobian of a point (world) of a body (slot): six rows of rates, linear before angular. */
void ashi_linkage_jacobian(const ashi_linkage *mechanism, uint32_t body, ash_vec3 point, double *jacobian);
/* A step of the classical Runge-Kutta method under constant forces. False: as for ashi_linkage_forward; the state is
 * then unchanged. */
bool ashi_linkage_step(ashi_linkage *mechanism, const double *forces, double h);

#endif
