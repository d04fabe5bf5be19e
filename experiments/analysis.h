/* What experiments measure with, and the exact answers they are held against. */
#ifndef ASHI_SCENE_ANALYSIS_H
#define ASHI_SCENE_ANALYSIS_H

#include <stdint.h>

/* The slope of the least-squares line through (ln x, ln y): the order of a convergence. NaN when a number is not
 * positive and finite, or for fewer than two different x. */
double ashi_fitted_order(const double *x, const double *y, uint32_t count);

/* Frequency from the first to the last upward zero crossing, each found on a straight line between its samples, in
 * units of 1/interval. 0 when there are fewer than two. */
double ashi_crossing_frequency(const double *values, uint32_t count, double interval);

/* The highest point of the amplitude spectrum within [low, high] Hz. A Hann window keeps the leakage of other modes
 * away; the spectrum is evaluated between the bins too, as zero padding would. */
typedef struct ashi_peak {
    double frequency; /* Hz */
    double amplitude; /* of the sine of that frequency, in the units of the values */
} ashi_peak;
ashi_peak ashi_spectral_peak(const double *values, uint32_t count, double interval, double low, double high);

/* Angular eigenfrequency of the transverse mode `mode` (from 1) of `masses` equal masses on a massless thread under
 * tension between fixed ends, spacing apart: 2 sqrt(T / (m a)) sin(n pi / (2 (N + 1))). */
double ashi_chain_frequency(double tension, double mass, double spacing, uint32_t masses, uint32_t mode);

/* Fall from rest against quadratic drag, dv/dt = g - k v^2 (k in 1/m): distance ln cosh(t sqrt(g k)) / k, speed
 * sqrt(g/k) tanh(t sqrt(g k)). k = 0 is free fall. */
typedef struct ashi_fall {
    double distance, speed;
} ashi_fall;
ashi_fall ashi_fall_with_drag(double gravity, double k, double time);

/* The same ball dropped from `drop` on a floor that returns `restitution` of the speed of each impact: falls by
 * ashi_fall_with_drag, rises by dv/dt = -g - k v^2, apex after apex. */
typedef struct ashi_flight {
    double height, velocity; /* above the floor, upwards */
    uint32_t bounces;        /* impacts so far; when they no longer come apart, it lies still */
} ashi_flight;
ashi_flight ashi_bounce_with_drag(double gravity, double k, double drop, double restitution, double time);

#endif
