/* The course of a world: its states and sums after every step. */
#ifndef LAWS_COURSE_H
#define LAWS_COURSE_H

#include "scene/instance/instance.h"

typedef struct law_state {
    ash_vec3 centre, velocity, spin;
    ash_quat rotation;
} law_state;

/* What a step left behind; entry 0 is the start. */
typedef struct law_instant {
    double energy;   /* J, less the work of motors, loads and calls: what a passive world may only lose */
    double given;    /* J, that work */
    double residual; /* m/s, of the step's solve, by the yardstick */
    double gravity;  /* J, potential */
    double overlap;  /* m, the deepest */
    ash_vec3 momentum, angular_momentum;
} law_instant;

typedef struct law_course {
    uint32_t bodies, steps; /* steps that were taken */
    uint32_t wanted;        /* steps that should have been */
    uint32_t flags;
    law_instant *instants;   /* steps + 1 */
    law_state *states;       /* of step k and body i: [k * bodies + i] */
    double *masses;          /* by body; 0: cannot move */
    double *inertias;        /* by body: the smallest principal moment; planar: about z */
    double *sizes;           /* by body: m, how far it reaches from its centre; 0 without shapes */
    double moving;           /* J: kinetic energy and that of springs, at the start */
    double penetration;      /* m, at the start */
    double joint_error;      /* m, at the start */
    double joint_worst;      /* m, in the run */
    ash_vec3 *reactions;     /* by joint: on body b, in the world, after the last step */
    ash_vec3 *contact_force; /* by body: the sum of contact forces, mean over the second half of the steps */
} law_course;

/* Runs the scene by its method, step and time. A step that cannot be taken ends the course early. False, with nothing
 * to release, when no world can be made of the scene. */
bool law_course_run(const ash_scene *scene, law_course *course, ash_diagnostic *diagnostic);
void law_course_release(law_course *course);

static inline const law_state *law_course_state(const law_course *course, uint32_t step, uint32_t body)
{
    return &course->states[(size_t)step * course->bodies + body];
}

/* The largest speed of any body in the course, m/s. */
double law_course_speed(const law_course *course);
/* The largest distance of two positions at the start, at least a decimetre: the size of the world, m. */
double law_course_extent(const law_course *course);
/* The sum of the residuals, m/s. */
double law_course_residuals(const law_course *course);

#endif
