/* The real-time solver inside: what its preparation makes and its passes use (docs/soft-step.md).
 *
 * Contact points lie in patches (problem/patch.h), held by their arms and visited patch by patch (soft_step_patch.c).
 * Points of any other kind are held by their rows (soft_step_rows.c), and so are joints (soft_step_plain.c).
 *
 * All motions are differences: `change` is that of a body's velocity since the start of the step, `shift` what the
 * changes add to its way. The rest, start velocities and bodies that are not moved, is in each row's `speed`. So
 * rows of a fast island and of a slow one are solved alike, and immovable bodies share one idle body at the end. */
#ifndef ASHI_SOLVE_SOFT_STEP_H
#define ASHI_SOLVE_SOFT_STEP_H

#include "solve/direct/direct.h"
#include "solve/soft/soft_law.h"
#include "solve/solve.h"

/* A body as the passes see it. Bodies are visited in any order: sweeps touch two lines of the cache of each. */
typedef struct ashi_soft_body {
    _Alignas(64) ash_motion change; /* of velocity since the start of the step */
    ash_vec3 inverse_mass;
    ash_sym3 inverse_inertia;
    double pace;      /* m/s: what forces give it in a sub-step */
    ash_motion shift; /* way made by the changes */
} ashi_soft_body;

/* What a body needs once a sub-step. */
typedef struct ashi_soft_forces {
    ash_motion push;   /* change of velocity by forces in a sub-step */
    ash_motion held;   /* change of velocity by all blocks in the last sub-step: the warm start of the next */
    ash_motion before; /* the same of the sub-step before */
    ash_motion begin;  /* `change` when the sub-step began */
    ash_vec3 start_velocity, start_spin;
    ash_vec3 way;     /* made by the changes alone: the rest of the shift is by the placing of contacts */
    ash_vec3 mass;    /* by axis; 0 where locked */
    ash_sym3 inertia; /* 0 about axes that cannot turn */
} ashi_soft_forces;

/* A patch as sweeps see it, in its frame: normal and tangents. */
typedef struct ashi_soft_patch {
    ash_motion start;    /* of b against a at the start of the step, at b's centre */
    uint32_t first_pair; /* of its points: what an impulse at one changes at another */
} ashi_soft_patch;

/* A point of it. */
typedef struct ashi_soft_point {
    ash_vec3 arm;    /* from b's centre, in the frame */
    ash_vec3 mass;   /* 1 / (J M^-1 J^T) of the normal and the tangents, or 0 where nothing moves */
    double yield[2]; /* of the tangents: their mass times what a unit of the normal impulse changes in their speed */
} ashi_soft_point;

/* What acts at it, and changes in every visit. */
typedef struct ashi_soft_touch {
    ash_vec3 impulse; /* of this sub-step, along the normal and the tangents */
    double closing;   /* speed at which the gap beyond its slack may close in this sub-step, m/s */
    double slip[2];   /* along the tangents, after the last visit */
} ashi_soft_touch;

/* What the end of a sub-step needs of it. */
typedef struct ashi_soft_past {
    ash_vec3 before;       /* impulse of the sub-step before */
    double carried;        /* by how much more its normal impulse may grow in a sub-step than before, to act again */
    double slip_before[2]; /* at the end of the sub-step before: for the work */
} ashi_soft_past;

/* How a contact that rebounds does. */
typedef struct ashi_soft_rebound {
    double share;    /* of the approach, at which the contact should part; 0: none */
    double least;    /* m/s: slower approaches do not rebound */
    double approach; /* m/s, just before the contact first carried something */
    double total;    /* its impulse before it rebounds */
} ashi_soft_rebound;

/* A row of a contact that is in no patch: b gets `linear` times the impulse and a the opposite. */
typedef struct ashi_soft_row {
    ash_vec3 linear, angular_a, angular_b; /* J */
    double mass;                           /* 1 / (J M^-1 J^T), or 0 where nothing moves */
    double speed;                          /* J v at the start of the step */
    double bias;                           /* m/s: moving surfaces */
    double coupling;                       /* J M^-1 J_n^T: what a unit of the normal impulse changes in its speed */
} ashi_soft_row;

/* Impulses of a contact's row, apart from what the sweeps only read. */
typedef struct ashi_soft_impulse {
    double before;      /* of the sub-step before */
    double total;       /* of the sub-steps done */
    double slip;        /* J v when last visited, ... */
    double slip_before; /* ... and at the end of the sub-step before: for the work. Of normals both are 0 */
} ashi_soft_impulse;

/* A contact that is in no patch: its normal's row, then those of friction. */
typedef struct ashi_soft_contact {
    uint32_t a, b; /* bodies of the island; their count: the idle one */
    uint32_t first_row;
    uint8_t rows;
    bool stiff;      /* one of the bodies is immovable */
    bool placed;     /* overlap was removed */
    double gap;      /* at the start, m */
    double slack;    /* gaps up to this are closed, m: as far as forces move a body at rest in a sub-step */
    double closing;  /* speed at which the gap beyond its slack may close in this sub-step, m/s */
    double friction; /* coefficient */
    double limit;    /* of friction_limit, per sub-step; < 0: the running normal impulse */
} ashi_soft_contact;

/* What is needed of a contact once a sub-step or a step. */
typedef struct ashi_soft_account {
    ashi_block block; /* a point's, or a copy of the problem's */
    uint32_t source;  /* the problem's number of that block; UINT32_MAX: it is a point's */
    double carried;   /* by how much more its normal impulse may grow in a sub-step than before, to act again */
    ashi_soft_rebound rebound;
} ashi_soft_account;

/* Patches, or contacts that are in none, which follow each other. */
typedef struct ashi_soft_run {
    uint32_t first, count;
    bool patches;
} ashi_soft_run;

/* A plain row. Rows of joints need not push a and b alike. */
typedef struct ashi_soft_plain {
    uint32_t a, b;
    ash_vec3 linear_a, linear_b, angular_a, angular_b; /* J */
    ash_vec3 turn_a, turn_b;                           /* I^-1 J of the angular parts */
    double mass;                                       /* 1 / (J M^-1 J^T + softness), or 0 where nothing moves */
    double speed;                                      /* J v at the start of the step */
    double impulse;                                    /* of this sub-step, ... */
    double before;                                     /* ... and of the one before */
    double bias, softness, lower, upper;               /* per sub-step */
    double error, drift;
    double given;           /* J v of immovable bodies */
    bool holds;             /* a position: its error is removed */
    bool exact;             /* by the factor of all equalities, not by sweeps */
    uint32_t block, source; /* the problem's numbers of its block and of the row */
    double total, work;
    ash_motion *reach; /* by body: what a unit impulse does while exact rows hold; null: not known */
    double *share;     /* by plain row: of those exact rows in it */
} ashi_soft_plain;

/* Rates of removing errors of position. */
typedef struct ashi_softness {
    double rate;       /* share of the error a second */
    double mass_scale; /* of the soft contact's mass in a rigid one's */
} ashi_softness;

typedef struct ashi_soft_step {
    const ashi_system *problem;
    const ash_problem_island *island;
    const ash_solver_settings *settings;
    const ashi_law *law;
    uint32_t substeps, body_count, run_count, contact_count, row_count, plain_count;
    double h; /* of a sub-step */
    ashi_softness soft, stiff;
    bool rebounds; /* some contact does */
    bool wide;     /* passes over patches are those for AVX2: the bits are the same */
    bool fetches;  /* bodies are more than the cache holds: they are fetched ahead */
    ashi_soft_body *bodies;
    ashi_soft_forces *forces;
    ashi_soft_run *runs;
    ashi_patches patches;
    ashi_soft_patch *soft_patches; /* by patch */
    ash_mat3 *pairs;               /* of points k < i of a patch: u at k by unit impulses at i */
    ashi_soft_point *points;       /* these by point of the island */
    ashi_soft_touch *touches;
    ashi_soft_past *pasts;
    ashi_soft_rebound *point_rebounds; /* null: none does */
    double *gaps;                      /* at the start, m */
    ashi_soft_trail *trail;            /* by point of the problem */
    ashi_soft_contact *contacts;
    ashi_soft_account *accounts; /* by contact */
    ashi_soft_row *rows;         /* of contacts, in their order */
    double *impulse;             /* by row, of this sub-step */
    ashi_soft_impulse *impulses; /* by row */
    ashi_soft_plain *plains;
    ashi_measuring measuring; /* the judgement, if there is to be one */
    uint32_t exact_count;
    ashi_direct *direct;     /* of the exact rows; null: there are none */
    double *wanted, *answer; /* by row of the problem */
    ash_motion *answers;     /* by body of the problem */
    bool follows;            /* exact rows follow their turning J */
} ashi_soft_step;

/* When: positions are those after `elapsed`, velocities are meant for `moment`, s since the start of the step. */
typedef struct ashi_soft_time {
    double elapsed, moment;
} ashi_soft_time;

/* Fills everything from the problem. False when scratch memory ran out. */
bool ashi_soft_step_prepare(ashi_soft_step *s, ashi_solve *solve);

/* The motion at the start: of immovable bodies, that which they go on with. */
ash_motion ashi_soft_start(const ashi_system *problem, uint32_t body);
/* A body of the problem in the island; immovable ones are the idle one. */
static inline uint32_t ashi_soft_pass_of(const ashi_soft_step *s, uint32_t body)
{
    return body < s->problem->fixed_count ? s->body_count : body - s->island->first_body;
}
/* How far forces move two bodies of the island together in a sub-step from rest, m. */
static inline double ashi_soft_slack(const ashi_soft_step *s, uint32_t a, uint32_t b)
{
    return s->h * (s->bodies[a].pace + s->bodies[b].pace);
}

/* A first guess for an island whose contacts all carry nothing: each body's load goes in equal parts to the points
 * beneath it, layer by layer. False when scratch memory ran out. */
bool ashi_soft_step_load(ashi_system *problem, const ash_problem_island *island, ashi_arena *scratch);

/* Where a sweep stands in its sub-step. */
typedef struct ashi_soft_pass {
    bool first, back;
    double elapsed, inverse_h;
} ashi_soft_pass;

/* Contacts, in patches or not. All that passes need of them; contacts are filled one after the other. */
void ashi_soft_patches_prepare(ashi_soft_step *s, const ashi_soft_run *run);
void ashi_soft_rows_prepare(ashi_soft_step *s, const ashi_block *block, const ashi_row *rows, uint32_t source);
/* What the impulses of the last step do acts again. */
void ashi_soft_patches_warm_start(ashi_soft_step *s, const ashi_soft_run *run);
void ashi_soft_rows_warm_start(ashi_soft_step *s, const ashi_soft_run *run);
/* One sweep. */
void ashi_soft_patches_sweep(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place);
void ashi_soft_rows_sweep(ashi_soft_step *s, const ashi_soft_run *run, const ashi_soft_pass *place);
/* Removes overlap, adds impulses up and leaves what the next sub-step begins with: they go on a little in the way
 * they have changed since the sub-step before; slow modes of a pile, in which impulses lag behind velocities, are
 * damped by it. All in one pass: a large island is read from memory each time. Returns the work of friction. */
double ashi_soft_patches_end(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead);
double ashi_soft_rows_end(ashi_soft_step *s, const ashi_soft_run *run, double elapsed, double lead);
/* How the points of a patch rebound. */
void ashi_soft_patches_find_rebounds(ashi_soft_step *s, uint32_t number, const ash_problem_contact *contact);
/* Approaches of what should rebound, until it carries something: forces make them faster until contacts close. */
void ashi_soft_patches_watch(ashi_soft_step *s, const ashi_soft_run *run);
void ashi_soft_rows_watch(ashi_soft_step *s, const ashi_soft_run *run);
/* Whether something that carried an impulse should rebound. */
bool ashi_soft_patches_bounce(const ashi_soft_step *s, const ashi_soft_run *run);
bool ashi_soft_rows_bounce(const ashi_soft_step *s, const ashi_soft_run *run);
/* What carried something and should rebound parts at its share of the approach; what else did takes what that pushes
 * onto it. True: some impulse changed, by more than a small share of it. */
bool ashi_soft_patches_rebound(ashi_soft_step *s, const ashi_soft_run *run);
bool ashi_soft_rows_rebound(ashi_soft_step *s, const ashi_soft_run *run);
/* The impulses of a patch before its points rebound, and a share of what changed since. */
void ashi_soft_patches_note_total(ashi_soft_step *s, uint32_t number);
void ashi_soft_patches_lessen(ashi_soft_step *s, uint32_t number, double share);
/* All rebounds (soft_step_rebound.c); `taken`: the work of contacts so far, friction apart. Returns theirs. */
double ashi_soft_rebound_all(ashi_soft_step *s, double taken);
/* How a contact rebounds: at the speed that it has been asked for at the start, when it approached by `speed` below
 * zero, or by the coefficient when it first closes within the step. */
ashi_soft_rebound ashi_soft_rebound_of(const ashi_soft_step *s, double asked, double speed, double restitution);
/* The speed that it asks for, m/s. */
double ashi_soft_parting(const ashi_soft_rebound *rebound);
/* A point that turned out to rebound, or to do so faster than was known at the start, is judged by that. True: it did.
 */
bool ashi_soft_rebound_store(const ashi_soft_rebound *rebound, ash_problem_point *point);
/* The impulse of a contact whose normal's speed is this, before it was limited by anything. */
double ashi_soft_rebound_impulse(const ashi_soft_rebound *rebound, double total, double mass, double speed);
/* The solution of a patch, or of a contact, into the problem. */
void ashi_soft_patches_store(ashi_soft_step *s, ashi_system *p, uint32_t number);
void ashi_soft_rows_store(ashi_soft_step *s, ashi_system *p, uint32_t number);

/* Plain rows (soft_step_plain.c). Takes what exact rows need, and factors them. False when memory ran out. */
bool ashi_soft_plain_prepare(ashi_soft_step *s, ashi_solve *solve);
/* What they did in the last step acts again. */
void ashi_soft_plain_warm_start(ashi_soft_step *s);
/* One sweep over those that are not exact. */
void ashi_soft_plain_sweep(ashi_soft_step *s, bool back, ashi_soft_time time);
/* Whether all other plain rows know what they do while exact rows hold, so that these hold on when they are visited. */
bool ashi_soft_plain_knows_reach(const ashi_soft_step *s);
/* Exact rows hold then, contacts apart. `into_total`: after the impulses of the sub-step were added up; their work is
 * recorded, too, and what of it is work on the island's bodies is returned (else 0). */
double ashi_soft_plain_hold(ashi_soft_step *s, ashi_soft_time time, bool into_total);
/* Errors of positions go, by moving positions only. */
void ashi_soft_plain_mend(ashi_soft_step *s, ashi_soft_time time);
/* Records the rows' works of the sub-step that has ended, and returns their work on the island's bodies. */
double ashi_soft_plain_work(ashi_soft_step *s);

#endif
