/* Contact problems put together by hand: bodies at places, contact points between them, plain rows. */
#ifndef ASHI_SCENE_PROBLEM_MAKER_H
#define ASHI_SCENE_PROBLEM_MAKER_H

#include "base/array.h"
#include "problem/system.h"

/* A contact's law. */
typedef struct ashi_surface_law {
    double friction, sliding_friction;
    double rolling, spinning;
    double restitution;
    ash_vec3 velocity; /* of b's surface along a's, as a conveyor's; m/s */
} ashi_surface_law;

typedef struct ashi_problem_maker {
    ash_problem *problem;
    ASHI_ARRAY(ash_vec3) places; /* of the bodies' centres */
    ash_vec3 gravity;
    bool failed;           /* no memory */
    ash_problem_row spare; /* what rows are written to then */
} ashi_problem_maker;

/* An empty problem of the step h; gravity is part of the predicted velocities. The problem may hold an older one. */
ashi_problem_maker ashi_make_begin(ash_problem *problem, double h, ash_vec3 gravity);

/* A body with its centre there; mass 0 is immovable. Inertia is that of the principal axes, along the world's. */
uint32_t ashi_make_body(ashi_problem_maker *maker, ash_vec3 place, double mass, ash_vec3 inertia);
/* A box of uniform density with these edges. */
uint32_t ashi_make_box(ashi_problem_maker *maker, ash_vec3 place, ash_vec3 edges, double mass);
uint32_t ashi_make_ball(ashi_problem_maker *maker, ash_vec3 place, double radius, double mass);
void ashi_make_moving(ashi_problem_maker *maker, uint32_t body, ash_vec3 velocity, ash_vec3 spin);

/* A contact at the point; the normal leads from a to b. Points of one contact follow each other. Call it when both
 * bodies have their velocities: restitution looks at them. */
void ashi_make_contact(ashi_problem_maker *maker, uint32_t a, uint32_t b, ash_vec3 point, ash_vec3 normal,
                       const ashi_surface_law *surface);
/* A block of plain rows without any yet, and a row in the newest block: a force along `direction` at the point, or a
 * moment about it. */
uint32_t ashi_make_rows(ashi_problem_maker *maker, uint32_t a, uint32_t b);
ash_problem_row *ashi_make_force_row(ashi_problem_maker *maker, ash_vec3 point, ash_vec3 direction);
ash_problem_row *ashi_make_moment_row(ashi_problem_maker *maker, ash_vec3 direction);

/* Finds the islands and puts everything in their order. False: no memory, and the problem is empty. */
bool ashi_make_end(ashi_problem_maker *maker);

#endif
