/* What the reference mechanisms share: plane links pinned together, and runs to given instants. */
#ifndef ASHI_SCENE_BUILTIN_MECHANISM_H
#define ASHI_SCENE_BUILTIN_MECHANISM_H

#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

/* A uniform rod in the plane: mass and inertia are given, its shape is only seen. */
typedef struct ashi_linkage_link {
    const char *name;
    double mass, inertia; /* about the centre of mass */
    ash_vec3 centre;      /* of mass, in the world */
    double angle;         /* of the body's x axis, rad */
    ash_vec3 velocity;    /* of the centre */
    double spin;          /* rad/s */
    ash_vec3 from, to;    /* ends of what is seen, in the world; equal: nothing is */
    double radius;        /* of what is seen */
} ashi_linkage_link;
ash_status ashi_add_link(ash_scene *scene, const ashi_linkage_link *link, uint32_t *body, ash_diagnostic *diagnostic);

/* A hinge at a point of the world, its frames along the bodies' axes: its angle is that between them. ASHI_NONE as body
 * is the background. */
uint32_t ashi_pin(ash_scene *scene, const char *name, uint32_t body_a, uint32_t body_b, ash_vec3 point);

/* What was seen of a mechanism up to an instant. */
typedef struct ashi_outcome {
    double outputs[8];  /* the first ones of the scene, at that instant */
    double energy;      /* largest departure of the total from its start, J */
    double joint_error; /* largest of any step, m */
    bool finished;      /* it came so far */
} ashi_outcome;
/* Runs the scene by a method (its name, and settings after it) with step h, and looks at it at ascending times. */
ash_status ashi_run_mechanism(const char *scene, const char *method, double h, const double *times, uint32_t count,
                              ashi_outcome *outcomes, ash_diagnostic *diagnostic);

#endif
