/* A first guess for an island whose contacts carry nothing yet (soft_step_load.c). */
#ifndef ASHI_SOLVE_SOFT_LOAD_H
#define ASHI_SOLVE_SOFT_LOAD_H

#include "base/arena.h"
#include "problem/problem.h"

/* The normal of a contact point. */
typedef struct ashi_load_support {
    uint32_t body_a, body_b;
    ash_vec3 linear_a, angular_a, angular_b, linear_b; /* J */
    double gap;
    double *impulse; /* the guess, N s */
} ashi_load_support;

typedef struct ashi_soft_loading {
    const ash_problem_body *bodies;
    uint32_t fixed_count;            /* bodies with lower numbers do not move */
    uint32_t first_body, body_count; /* the island's */
    double h;
    ashi_load_support *supports; /* is changed */
    uint32_t support_count;
} ashi_soft_loading;

/* Writes impulses of supports that are closed; others stay. False when scratch memory ran out. */
bool ashi_soft_load(const ashi_soft_loading *in, ashi_arena *scratch);

#endif
