/* The internal form of a step's problem: the public one's bodies, contacts and points, joint rows with additional data
 * for solvers and, for solvers that work on rows, contacts written out as blocks of rows (expand.h). */
#ifndef ASHI_PROBLEM_SYSTEM_TYPES_H
#define ASHI_PROBLEM_SYSTEM_TYPES_H

#include "ashlar/problem.h"

typedef enum ashi_block_kind {
    ASHI_CONTACT_BLOCK, /* a contact point by its rows: normal, tangents, rolling axes, spin about the normal */
    ASHI_PLAIN_BLOCK,   /* plain rows: joints, limits, motors */
    ASHI_BLOCK_KINDS
} ashi_block_kind;

/* A row as in the public problem, and more. Members that are read together are adjacent, since a row is longer than a
 * cache line. */
typedef struct ashi_row {
    ash_vec3 linear_a, angular_a, angular_b, linear_b; /* J; a contact's normal row is positive when the gap grows */
    double impulse;                                    /* first guess in, solution out */
    double bias;                                       /* m/s or rad/s */
    double error;                                      /* of position at the start, m or rad; normal row: the gap */
    double softness;                                   /* >= 0, velocity per impulse */
    double lower, upper;                               /* of the impulse; contacts: 0 and infinity for the normal row,
                                                          unused for the others */
    double drift;                                      /* soft-step: J v must change by minus this per second, since J
                                                          turns with the bodies; m/s2 or rad/s2 */
    double work;                                       /* soft-step: work of a plain row in all sub-steps, J; impacts by
                                                          laws other than Newton's: of a contact's row */
} ashi_row;

typedef struct ashi_block {
    ashi_block_kind kind;
    uint32_t body_a, body_b; /* numbers of bodies; the same twice only when both are immovable */
    uint32_t first_row, row_count;
    uint32_t label;           /* rows: 32 times the joint's slot plus the key of the first row; contacts: as of a point;
                                 or chosen by the creator */
    double friction;          /* coefficient in force */
    double sliding_friction;  /* <= friction: the one in force if the contact slips faster than `stick_speed` */
    double rolling, spinning; /* resistance: coefficients of moment over normal force, m */
    double friction_limit;    /* >= 0: this normal impulse bounds friction, not the present one (de Jong 5-3-1) */
    double rebound;           /* m/s at which the contact should separate: e times its approach speed; also in bias. At
                                 an instant (h = 0) other laws of restitution derive e from it and the approach */
    uint8_t tangents, rollings, spins; /* rows of a contact after its normal: 0 to 2, 0 to 2, 0 or 1 */
    uint32_t contact, point;           /* of an expanded system's contacts: their numbers; UINT32_MAX: of no point */
    bool bent;                         /* the rows differ from the point's: they follow turning bodies */
    bool held_a, held_b; /* shock, output: the impulse did not move a (b), which was held as the lower body of its
                            layer */
} ashi_block;

/* Fields as in ash_problem, and more. */
typedef struct ashi_system {
    double h;
    ash_friction_law law;
    uint32_t directions;
    ash_restitution_law restitution_law;
    double resting_speed, stick_speed;
    bool planar;
    bool finite;   /* first guesses are known to be finite: solvers need not check */
    bool releases; /* shock: bodies that do not rest on the ones below are not held (docs/shock.md) */
    bool expanded; /* the contacts are also written out as blocks */
    bool shifted;  /* `shift` is set */
    bool worked;   /* `work` of contacts' rows is set */
    uint32_t fixed_count, body_count, contact_count, point_count, turn_count, block_count, row_count, island_count;
    ash_problem_body *bodies;
    ash_problem_contact *contacts;
    ash_problem_point *points;
    ash_vec3 *turns;
    ashi_block *blocks;
    ashi_row *rows;
    ash_problem_island *islands;
    ash_motion *velocity; /* by body: the solution */
    ash_motion *shift;    /* by body: its motion in this step by the solver's sub-steps, m and rad; else unused */
    uint32_t body_room, contact_room, point_room, turn_room, block_room, row_room, island_room;
} ashi_system;

#endif
