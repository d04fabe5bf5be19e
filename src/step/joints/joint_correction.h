/* The joint correction of the scheme `impulses`, and the memory that the scheme's files share. */
#ifndef ASHI_STEP_JOINTS_JOINT_CORRECTION_H
#define ASHI_STEP_JOINTS_JOINT_CORRECTION_H

#include "base/array.h"
#include "step/joints/joint_accelerations.h"
#include "step/joints/joint_impulses.h"
#include "step/joints/joint_loop.h"
#include "step/joints/joint_mixing.h"
#include "step/joints/joint_system.h"
#include "step/prediction.h"

#define ASHI_JOINT_SHARE 0.125 /* of the tolerances: how well tree and loops agree */

/* Which system: at the start of the part, at its end, where free motion alone would end, and the end as it was when the
 * joint correction was mended. */
typedef enum ashi_instant { ASHI_AT_START, ASHI_AT_END, ASHI_AT_PREDICTED, ASHI_AT_MENDED, ASHI_INSTANTS } ashi_instant;

/* Velocities of a state and impulses, to come back to. */
typedef struct ashi_footing {
    ASHI_ARRAY(ash_motion) motion; /* by mover */
    ASHI_ARRAY(double) impulse;    /* by row */
} ashi_footing;

struct ashi_joint_impulses {
    ashi_joint_system systems[ASHI_INSTANTS];
    ashi_arena *lasting; /* memory for a part of a step; the step's scratch is forgotten while motion is predicted */
    bool exchanged;      /* the first two are: the end of the last part is the start of this one */
    bool rough;          /* the kick at the predicted end stayed */
    bool kicks;          /* accelerations have failed: the part is held by impulses */
    bool mended;         /* so did kicks along the rows of the end: */
    ASHI_ARRAY(double) mends, tries;
    double work;  /* of the kick at the start, and of that at the predicted end, J */
    double drive; /* what kinematic bodies give by them, J */
    ASHI_ARRAY(double) wanted;
    ASHI_ARRAY(double) impulse;
    ASHI_ARRAY(double) speeds; /* J v before a kick */
    ASHI_ARRAY(double) rates;  /* J v + bias at the state that was looked at last */
    ASHI_ARRAY(ash_motion) change;
    ashi_footing start;      /* before the joint correction */
    ashi_footing joined;     /* ... and with what contacts did */
    ashi_footing base, best; /* before one of its rounds, and after the best of them */
    ashi_footing kicked;     /* after it */
    ashi_footing free, held; /* at the end, before and after contacts and drives have acted */
    ashi_mixing mixing;      /* of the joint correction */
    ashi_joint_accelerations accelerations;
    ashi_joint_loop loop; /* with contacts */
};

static inline ashi_joint_system *ashi_joint_system_at(ashi_joint_impulses *m, ashi_instant at)
{
    return &m->systems[m->exchanged && at <= ASHI_AT_END ? ASHI_AT_END - at : at];
}

void ashi_footing_release(ashi_footing *footing);
bool ashi_footing_reserve(ashi_footing *footing, const ashi_joint_system *system);
void ashi_footing_keep(ashi_footing *footing, const ashi_joint_system *system, const ashi_state *state);
/* Sets the velocities alone, or those and the system's impulses. */
void ashi_footing_set_motion(const ashi_footing *footing, const ashi_joint_system *system, const ashi_state *state);
void ashi_footing_return(const ashi_footing *footing, ashi_joint_system *system, const ashi_state *state);

#define ASHI_TOLERANT_STEP  0.01  /* units of time: in shorter steps joints are held better, ... */
#define ASHI_FINEST_CLOSING 1e-12 /* ... down to so many units of length and of speed, ... */
#define ASHI_ROUGH_CLOSING  1e-5  /* ... unless so little is asked for that time is what counts */

/* A tolerance in a step that is shorter than usual: what joints are off by does to a run, step for step, must fall as
 * what the integrator does. Left open by d, and closing with u, they change the motion by about d / h + u a second. */
static inline double ashi_joint_finer(double tolerance, double unit, double share)
{
    if (tolerance > ASHI_ROUGH_CLOSING * unit)
        return tolerance;
    return fmax(tolerance * share, fmin(tolerance, ASHI_FINEST_CLOSING * unit));
}

static inline double ashi_joint_share_of_step(const ashi_step *step)
{
    double usual = ASHI_TOLERANT_STEP * step->method.solver.unit_time;
    return step->length < usual ? step->length / usual : 1;
}

/* The error that joints may have at the end of a part, m: over shorter parts less, as what it does to velocities is the
 * error over the part's length; in shorter steps by the third power, for the order 2. */
static inline double ashi_joint_tolerance(const ashi_step *step)
{
    double share = ashi_joint_share_of_step(step), cube = share * share * share;
    double tolerance = ashi_joint_finer(step->method.joint_tolerance, step->method.solver.unit_length, cube);
    return step->h < step->longest ? tolerance * step->h / step->longest : tolerance;
}

/* The same of their speeds, m/s. */
static inline double ashi_joint_speed_tolerance(const ashi_step *step)
{
    double share = ashi_joint_share_of_step(step);
    double unit = step->method.solver.unit_length / step->method.solver.unit_time;
    return ashi_joint_finer(step->method.joint_velocity_tolerance, unit, share * share);
}

/* Notes whether joints hold at the start of the part, where that system is: then a part that is short enough can hold
 * them. `rounding` is the error that cannot be told from none, m. */
void ashi_joint_impulses_note_start(ashi_step *step, ashi_joint_system *system, double rounding);
/* The error, m, beyond which a part has failed, where free motion would end with `free` and `tolerance` is asked for.
 */
double ashi_joint_failure(const ashi_step *step, double tolerance, double free);
/* Sets a system up at a state, with its factor and memory for what follows. False when memory ran out. */
bool ashi_joint_impulses_set_up(ashi_step *step, ashi_joint_system *system, const ashi_state *state, double time);
/* The method's solution for the wanted speeds, m/s. Returns the corrections: 1 by the system, joint by joint sweeps. */
uint32_t ashi_joint_impulses_solve(const ashi_step *step, ashi_joint_system *system, double tolerance);
/* Adds `times` the last solution to a state's velocities and to the impulses. */
void ashi_joint_impulses_apply(ashi_joint_impulses *memory, ashi_joint_system *system, const ashi_state *state,
                               double times);

typedef struct ashi_joint_correction {
    ashi_step *step;
    ashi_joint_impulses *memory;
    ashi_joint_system *at; /* the start */
    ashi_prediction prediction;
    const ashi_footing *first; /* before the first guess */
    double tolerance;
    bool guesses; /* it begins with half of what the joints carried in the last step */
    bool some;    /* only jointed bodies are predicted: the others are done */
    bool slow;    /* it is mixed from here on */
    bool failed;  /* out: joints contradict each other; what kicks could do is no motion, but a projection */
} ashi_joint_correction;

/* Changes the velocities of `now`, which the caller has kept as `first`, such that joints hold in `next`, which is
 * predicted from there. Without success it is the best that was found, with a flag. False when memory ran out. */
bool ashi_joint_correct(ashi_joint_correction *correction);

#endif
