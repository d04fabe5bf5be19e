/* Sine, cosine and their like with the same bits on every platform: only additions, multiplications, divisions and
 * square roots in a fixed order, which IEEE 754 defines exactly (with -ffp-contract=off). libm may differ between
 * machines.
 *
 * Errors are below 1 unit in the last place of the result for every finite argument; tests/math/test_elementary.c
 * measures them. Special values are those of C (Annex F), except that acos clamps. */
#ifndef ASHI_MATH_ELEMENTARY_H
#define ASHI_MATH_ELEMENTARY_H

double ashi_sin(double x); /* NaN unless x is finite; same for the cosine */
double ashi_cos(double x);
/* Both at once, with the bits of the two functions above. */
void ashi_sincos(double x, double *sine, double *cosine);
double ashi_atan2(double y, double x);
double ashi_acos(double x); /* the argument is clamped to [-1, 1] */
double ashi_exp(double x);
double ashi_ln(double x);

#endif
