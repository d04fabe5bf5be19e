/* Joints and contacts in one loop of corrections (Bender & Schmitt 2006): impulses at the start of a part such that at
 * its end joints hold and contacts do not overlap, then impulses at its end such that velocities agree with both. */
#ifndef ASHI_STEP_JOINTS_JOINT_LOOP_H
#define ASHI_STEP_JOINTS_JOINT_LOOP_H

#include "step/prediction.h"
#include "step/touch.h"

typedef enum ashi_loop_kind {
    ASHI_LOOP_ERROR,   /* held rows, limits, drives with a target: the error at the end over h */
    ASHI_LOOP_SPRING,  /* springs and compliant rows: likewise, with a force that follows it */
    ASHI_LOOP_RATE,    /* drives of velocity, friction in joints, rolling: the mean speed */
    ASHI_LOOP_NORMAL,  /* of a contact: the gap at the end over h */
    ASHI_LOOP_TANGENT, /* ... and how far it slid */
} ashi_loop_kind;

/* What the loop knows of a row of the step's problem. */
typedef struct ashi_loop_row {
    ashi_loop_kind kind;
    bool rigid;   /* held, without compliance */
    bool stiff;   /* a spring that swings or decays too fast for the midpoint rule */
    double first; /* error at the start, m or rad; of a normal: the gap that is allowed at the end */
    double rest;  /* error that a motor which must brake leaves at the end, m or rad */
    double stiffness, damping, offset; /* of springs */
    double speed;                      /* that is wanted: of surfaces and velocity drives, m/s or rad/s */
    double steady;                     /* part of the bias that does not change */
    double seen;                       /* value by the last prediction, m/s or rad/s */
    double kick;                       /* impulse at the start */
    double best;                       /* ... that left the least errors */
    double last;                       /* ... of the round before */
} ashi_loop_row;

/* The rows that are not held, with the joints eliminated (joint_loop_guess.c). */
typedef struct ashi_loop_guess {
    ASHI_ARRAY(uint32_t) rows, blocks; /* by row of the matrix: its number, and that of its block, in the problem */
    ASHI_ARRAY(double) matrix, speeds;
    ASHI_ARRAY(double) impulses;           /* by row of the problem: the guess that was there */
    ASHI_ARRAY(ash_motion) before, motion; /* by body */
    bool made, few;                        /* for this part; with rows, and not too many */
} ashi_loop_guess;

/* Memory that is kept between steps. */
typedef struct ashi_joint_loop {
    ashi_step *step;
    ashi_system *problem; /* of the start: the step's */
    ashi_prediction prediction;
    ASHI_ARRAY(ashi_touch) touches; /* by block */
    ASHI_ARRAY(ashi_loop_row) rows; /* by row */
    ASHI_ARRAY(uint32_t) slots;     /* by body */
    ASHI_ARRAY(uint32_t) held;      /* by block of held rows: where they are in the joints' system */
    ASHI_ARRAY(uint32_t) movers;    /* by body of that system that can move: its number in the problem */
    ASHI_ARRAY(double) work;        /* for the yardstick */
    ASHI_ARRAY(ash_motion) motion;  /* by body: velocities before a solution */
    ashi_loop_guess guess;
    double tolerance; /* m or rad */
    bool booked;      /* the works of the kicks at the start are */
    double error;     /* of joints, by the last prediction: the largest norm of a joint's rows */
} ashi_joint_loop;

/* Whether the method holds joints in this way. */
bool ashi_joint_loop_acts(const ashi_step *step);
/* Memory for the step's problem, should it be solved in this way later. False when memory ran out. */
bool ashi_joint_loop_reserve(ashi_step *step);
void ashi_joint_loop_release(ashi_joint_loop *loop);
/* A part of length step->h, from `now` to `next`, with contacts up to `reach`. False when memory ran out. */
bool ashi_joint_loop_take(ashi_step *step, double reach);

/* Rows at the start: what each is, bounds and guesses for half the part's impulses. */
void ashi_loop_begin_rows(ashi_joint_loop *loop);
/* What each row is by the prediction: `seen` and `error`. */
void ashi_loop_measure(ashi_joint_loop *loop);
/* The same rows at the end, for its velocities: into a problem whose bodies and blocks are those of the start. Impulses
 * are guesses; those of springs that act as they did at the start are bounds, too. */
void ashi_loop_end_rows(const ashi_joint_loop *loop, ashi_system *end);
/* Records the works of the impulses of a problem whose `bodies` have the velocities before them; `ends`: at the end. */
void ashi_loop_record_work(ashi_joint_loop *loop, const ashi_system *problem, bool ends);

/* Memory for guesses at the loop's problem. False when it ran out. */
bool ashi_loop_guess_reserve(ashi_joint_loop *loop);
/* A better first guess for a solution to `enough`, m/s, where that of the problem is bad: at the start its velocities
 * are those of its impulses; at the end they are those before, and follow. False: nothing was changed. */
bool ashi_loop_guess_solution(ashi_joint_loop *loop, ashi_system *problem, bool ends, double enough);
/* The guess that was there before, and no other in this part. */
void ashi_loop_guess_take_back(ashi_joint_loop *loop, ashi_system *problem);

#endif
