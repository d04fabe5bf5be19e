/* Contacts of the real-time solver in lanes: from the contact set to constraints of eight (or four) contacts side by
 * side, and back (docs/soft-step.md). The law is that of soft_step_patch.c.
 *
 * Contacts are coloured greedily in the order of the set: no two of a colour move the same body, so that those side by
 * side, and any number of threads, give the same bits. Motions are differences within the step and so are single
 * numbers enough where masses are of one kind; where they are not, lanes are of doubles. What the impulses make of the
 * bodies' velocities in the end, and how exact that is, is worked out in doubles from the impulses as they are. */
#ifndef ASHI_SOLVE_WIDE_WIDE_H
#define ASHI_SOLVE_WIDE_WIDE_H

#include "base/arena.h"
#include "base/tasks.h"
#include "collide/contact_set.h"
#include "math/mat3.h"
#include "math/vec2.h"
#include "problem/assemble.h"

#define ASHI_WIDE_POINTS  4  /* of an entry at most */
#define ASHI_WIDE_COLOURS 48 /* what finds none is solved one block after the other */

/* Up to four points of a contact that follow one another. */
typedef struct ashi_wide_entry {
    uint32_t contact, first; /* of the set: the contact, and the first point that it may have */
    uint32_t a, b;           /* slots of bodies; 0: one that does not move */
    uint32_t shape_a, shape_b;
    uint8_t points; /* which of the four from `first` on are meant, a bit each */
    uint8_t count;  /* of these */
    float friction; /* coefficient */
} ashi_wide_entry;

/* A body that moves, by slot. */
typedef struct ashi_wide_body {
    ash_sym3 inverse_inertia;
    double inverse_mass, pace; /* pace: m/s that forces give it in a sub-step */
    ash_motion start, free;    /* velocities: at the start, and as forces alone make them */
} ashi_wide_body;

/* Where a shape is. */
typedef struct ashi_wide_place {
    ash_vec3 position;
    ash_mat3 axes;
    double none; /* vectors are read with the number after them */
} ashi_wide_place;

/* Rates of removing overlap in a sub-step. */
typedef struct ashi_wide_softness {
    double share;      /* of the overlap */
    double mass_scale; /* of the soft contact's mass in a rigid one's */
} ashi_wide_softness;

typedef struct ashi_wide_form ashi_wide_form;

/* What is to be solved. */
typedef struct ashi_wide_task {
    const ashi_wide_form *form;
    const ashi_contact_set *set;
    const ashi_wide_place *places; /* by shape; null in planar worlds, ... */
    const ashi_pose2 *flat_places; /* ... which have these */
    const ashi_wide_body *bodies;  /* by slot */
    const uint32_t *owner;         /* by shape: its body */
    const ash_vec3 *centres;       /* by slot */
    uint32_t slots;
    const uint32_t *active; /* slots of the bodies that move, ascending */
    uint32_t active_count;
    const ashi_wide_entry *entries; /* in the order of the set */
    uint32_t entry_count, point_count;
    const double *guess; /* by point of the set: impulses of normals that carried nothing, N s; null: none */
    uint32_t substeps;
    double h; /* of the step */
    ashi_wide_softness soft, stiff;
    double push_out;       /* m: way by which overlap goes at most in a sub-step */
    double closed;         /* m: smaller overlap is left alone */
    double slop;           /* m; for the yardstick, overlap beyond it is a soft spring's: */
    double rate, softness; /* 1/s of it; share of J M^-1 J^T of the normal. 0: none */
    bool planar;
    uint8_t width; /* of instructions: ashi_machine_width() or less; the bits are the same */
    ashi_tasks *tasks;
    ashi_arena *arena; /* keeps what the solution is read from */
} ashi_wide_task;

/* A solution, in the task's arena. */
typedef struct ashi_wide_solution {
    ash_motion *velocity, *shift; /* by slot, of bodies that move: at the end; and how far they go in the step */
    ash_motion *placed;           /* by slot: of that, by the removal of overlap */
    bool *pushes;                 /* by entry: some impulse acted, or overlap was removed */
    double friction_work;         /* J */
    double largest, sum, theta;   /* the yardstick: m/s; the sum is that of `judged` points */
    uint32_t judged, worst_point; /* a point of the set */
    uint32_t colours, blocks;
    void *blocks_at, *points_at, *pasts_at; /* of the lanes */
} ashi_wide_solution;

/* What acted at a point: by the set's number. */
typedef struct ashi_wide_borne {
    uint32_t entry, point;
    ash_vec3 lasting; /* along the normal and the tangents: in a step like the last sub-step, impacts apart, N s */
    ash_vec3 total;
    ash_vec3 normal, tangent; /* in the world */
    bool placed;              /* overlap was removed */
} ashi_wide_borne;

/* What is asked of lanes, in each of their forms. */
typedef void (*ashi_wide_visitor)(const ashi_wide_borne *borne, void *data);
struct ashi_wide_form {
    /* False when memory ran out. */
    bool (*solve)(const ashi_wide_task *task, ashi_wide_solution *solution);
    /* Calls for each point of each entry what acted there, block by block. */
    void (*visit)(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_wide_visitor visit, void *data);
    /* Writes the forces that would act in a step like the last sub-step, impacts apart, to the set's points, with what
     * they were before. */
    void (*store)(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_point_record *points,
                  const ashi_replaced_forces *replaced);
};

/* In space and in the plane, of single numbers and of doubles; and of more single numbers, which is the faster where
 * the machine's width is the widest. */
extern const ashi_wide_form ashi_wide_single, ashi_wide_double, ashi_flat_single, ashi_flat_double;
extern const ashi_wide_form ashi_wide_broad, ashi_flat_broad;

/* Which entries are side by side: by colour, those with more points first. */
typedef struct ashi_wide_order {
    uint32_t *lanes;       /* entries, `width` a block; UINT32_MAX: none */
    uint32_t *first_block; /* by colour, and one more */
    uint8_t *most;         /* by block: points of the entry that has the most */
    uint32_t colour_count, block_count;
    uint32_t serial_colour; /* from this colour on blocks are solved one after the other */
} ashi_wide_order;
bool ashi_wide_order_find(const ashi_wide_task *task, uint32_t width, ashi_wide_order *order);

#endif
