/* The numbers of the real-time solver's law, the same for contacts in patches, in rows and in lanes
 * (docs/soft-step.md). */
#ifndef ASHI_SOLVE_SOFT_LAW_H
#define ASHI_SOLVE_SOFT_LAW_H

#define ASHI_SOFT_SWEEPS    2     /* over velocities, in a sub-step: even, so that as many go back as there */
#define ASHI_SOFT_LEAD      0.3   /* of the last change of an impulse, by which the next sub-step begins ahead */
#define ASHI_LEAST_TOGETHER 0.01  /* of A_nn, that friction leaves of a sliding contact's response along the normal */
#define ASHI_SETTLED        1e-6  /* of an impulse: a rebound that changes it by less has come to its end */
#define ASHI_CARRIED        4     /* times the speed that forces give in a sub-step: faster stops are impacts */
#define ASHI_STIFFEST       0.125 /* of frequencies times the sub-step */
#define ASHI_STIFF_TIMES    2     /* contacts with immovable bodies are of so many times the frequency */

#endif
