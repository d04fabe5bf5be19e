/* The laws: what must hold for a world, whatever the method. Each law runs the scene by its method, step and time, and
 * compares one figure with one limit. docs/laws.md has the limits and their reasons. */
#ifndef LAWS_LAW_H
#define LAWS_LAW_H

#include "course.h"
#include "generate.h"

typedef enum law_number {
    LAW_FINITE,      /* every step is taken */
    LAW_MOMENTUM,    /* linear and angular, of bodies on which nothing acts from outside */
    LAW_FLOOR,       /* linear, along a floor without friction */
    LAW_ENERGY,      /* a passive world gains none */
    LAW_KEEP,        /* a conservative one loses none, either */
    LAW_OVERLAP,     /* shapes stay out of each other */
    LAW_ORDER,       /* of bodies, shapes, joints and forces in the file */
    LAW_EXCHANGE,    /* of a and b */
    LAW_MIRROR,      /* x becomes -x */
    LAW_TURN,        /* the whole world turned */
    LAW_MOVE,        /* the whole world moved by a kilometre */
    LAW_UNITS,       /* other units of length, mass and time */
    LAW_CONVERGENCE, /* halved steps bring a smooth motion nearer to the fine solution, with the method's order */
    LAW_FRICTION,    /* a block on an incline stays or slides */
    LAW_RESTITUTION, /* the speed after a central impact */
    LAW_STATICS,     /* reactions of a beam at rest */
    LAWS
} law_number;

typedef struct law_verdict {
    bool applies;
    double figure, limit; /* it holds when figure <= limit; a figure that is not a number fails */
    char what[64];        /* the figure's meaning and unit */
} law_verdict;

const char *law_name(law_number law);
/* The law of that name, or LAWS. */
law_number law_find(const char *name);
/* Whether worlds of the family are made for the law. A world may still be outside of it. */
bool law_suits(law_number law, law_family family);

/* A scene under judgement, and what several laws need of it. */
typedef struct law_case {
    const ash_scene *scene;
    law_course course; /* by the scene's method, step and time */
    double growth;     /* how much a small difference at the start has grown in the course; negative: not known yet */
} law_case;
/* Runs the scene. False when no world can be made of it. */
bool law_case_begin(const ash_scene *scene, law_case *one, ash_diagnostic *diagnostic);
void law_case_end(law_case *one);

law_verdict law_judge(law_number law, law_case *one);
static inline bool law_fails(const law_verdict *verdict)
{
    return verdict->applies && !(verdict->figure <= verdict->limit);
}

/* The laws by file. */
law_verdict law_judge_finite(const law_case *one);
law_verdict law_judge_momentum(const law_case *one);
law_verdict law_judge_floor(const law_case *one);
law_verdict law_judge_energy(const law_case *one, bool keep);
law_verdict law_judge_overlap(const law_case *one);
law_verdict law_judge_likeness(law_case *one, law_number law);
law_verdict law_judge_convergence(const law_case *one);
law_verdict law_judge_friction(const law_case *one);
law_verdict law_judge_restitution(const law_case *one);
law_verdict law_judge_statics(const law_case *one);

law_verdict law_verdict_of(double figure, double limit, const char *what);

/* What a scene holds. */
bool law_is_isolated(const ash_scene *scene);     /* no gravity, nothing that cannot move, no force from outside */
bool law_is_conservative(const ash_scene *scene); /* no contacts, nothing that dissipates or drives */
bool law_is_smooth(const ash_scene *scene);       /* no contacts, limits, ropes or friction */
bool law_has_contacts(const ash_scene *scene);    /* shapes that may meet */
bool law_has_axis_forces(const ash_scene *scene); /* springs, dampers, friction or motors in joints */
/* The order with which the method follows such a world. */
int law_order(const ash_scene *scene);
double law_friction(const ash_scene *scene); /* the largest coefficient of any material */

#endif
