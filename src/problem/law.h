/* The contact law: the set K of impulses that a contact can carry, the projection onto it, and the conjugate term.
 *
 * K = { lambda_n >= 0, lambda_t / (mu lambda_n) in the law's polygon or disk, |lambda_r| <= rolling lambda_n,
 *       |lambda_s| <= spinning lambda_n }.
 * With s(u) = mu h(u_t) + rolling |u_r| + spinning |u_s|, h the support function of the disk (|u_t|) or of the polygon,
 * an exact solution has  u + s(u) n  in the dual cone of K and normal to lambda (de Saxce & Feng 1998).
 * Impulses and velocities are those of a contact's rows, in their order: normal, tangents, rollings, spin. */
#ifndef ASHI_PROBLEM_LAW_H
#define ASHI_PROBLEM_LAW_H

#include "problem/system.h"

#define ASHI_CONTACT_ROWS 6
#define ASHI_LAW_CORNERS  32

/* The polygon of a law, or a disk: made once for a problem. */
typedef struct ashi_law {
    ash_friction_law law;
    uint32_t corners;                                /* 0: a disk */
    double x[ASHI_LAW_CORNERS], y[ASHI_LAW_CORNERS]; /* counter-clockwise, for mu lambda_n = 1 */
} ashi_law;

ashi_law ashi_law_of(const ashi_system *problem);

/* s(u), m/s. */
double ashi_law_slip(const ashi_law *law, const ashi_block *block, const double *u);

/* The nearest element of K to `impulse` in the metric sum_i x_i^2 / weight_i (weights equal within normal and tangents,
 * within rollings; they may differ between those groups). If the block has a friction_limit, it bounds the friction
 * rows, and the normal is projected by itself. In place. */
void ashi_law_project(const ashi_law *law, const ashi_block *block, const double *weight, double *impulse);

/* Clamps the friction part for a given bound (>= 0, N s): tangents to mu bound, rolling and spin likewise. For sweeps
 * that keep the normal impulse fixed. */
void ashi_law_clamp(const ashi_law *law, const ashi_block *block, double bound, double *friction);

#endif
