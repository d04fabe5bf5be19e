/* Sine, cosine and their like with the same bits on every platform: only additions, multiplications, divisions and
 * square roots in a fixed order, which IEEE 754 defines exactly (with -ffp-contract=off). libm may differ between
 * machines.
 *
 * Errors are below 1 unit in the last place of the result, for sine and cosine for |x| up to 1e5 (beyond, the reduction
 * loses accuracy slowly; the result always lies within [-1, 1]; not finite arguments give NaN). */
#ifndef ASHI_MATH_ELEMENTARY_H
#define ASHI_MATH_ELEMENTARY_H

double ashi_sin(double x);
double ashi_cos(double x);
double ashi_atan2(double y, double x);
double ashi_acos(double x); /* the argument is clamped to [-1, 1] */
double ashi_exp(double x);
double ashi_ln(double x);

#endif
