/* A contact problem in FCLIB's form (Acary, Bremond, Huber, Dubois: FCLIB, a collection of discrete 3D frictional
 * contact problems), global and with equalities:
 *
 *   M v = H r + G l + f,   G^T v + b = 0,   u = H^T v + w,   K* : u + mu |u_T| n  orthogonal to  r : K
 *
 * Freedoms of v are those of the bodies: three translations and three rotations in world axes, without locked ones;
 * soft rows have one more, of mass 1 / softness. Limits are contacts without friction. */
#ifndef ASHI_SCENE_FCLIB_FORM_H
#define ASHI_SCENE_FCLIB_FORM_H

#include "ashlar/problem.h"
#include "base/array.h"

/* Compressed columns. */
typedef struct ashi_sparse {
    uint32_t rows;
    ASHI_ARRAY(int32_t) start; /* by column, one more than columns */
    ASHI_ARRAY(int32_t) row;
    ASHI_ARRAY(double) value;
} ashi_sparse;
typedef ASHI_ARRAY(double) ashi_numbers;

typedef struct ashi_fclib {
    uint32_t dimension;                 /* of contacts, 2 or 3 */
    ashi_sparse mass, contacts, equals; /* M, H, G */
    ashi_numbers f, w, b, mu;           /* as above */
    ashi_numbers free, v, u, r, l;      /* M^-1 f; the solution or guess that the problem has */
    bool out_of_memory;
} ashi_fclib;

/* A problem in that form; its impulses are the solution. ASH_UNSUPPORTED, with the first reason, if the form cannot
 * express something in it: resistance to rolling, pyramids, motors of limited force. Released by the caller, also after
 * a failure.
 */
ash_status ashi_fclib_from_problem(const ash_problem *problem, ashi_fclib *form, ash_diagnostic *diagnostic);
/* The other way: bodies are six freedoms each (in the plane three; three too where M is diagonal and there are no
 * turns). ASH_UNSUPPORTED when matrices are not those of rigid bodies that touch at points. */
ash_status ashi_fclib_to_problem(const ashi_fclib *form, ash_problem *problem, ash_diagnostic *diagnostic);
void ashi_fclib_release(ashi_fclib *form);
/* FCLIB's own error of the solution, its MERIT_1: |r - P_K(r - u - mu |u_T| n)| / (1 + |q|^(1/2)) over all contacts, q
 * the velocities without impulses, and |G^T v + b| / (1 + |s|), s the same without impulses. */
double ashi_fclib_merit(const ashi_fclib *form);

#endif
