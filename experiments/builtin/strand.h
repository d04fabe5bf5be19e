/* A strand: equal point masses in a row, joined by equal spring-dampers, its two ends held (de Jong 2014, 8-2). */
#ifndef ASHI_SCENE_BUILTIN_STRAND_H
#define ASHI_SCENE_BUILTIN_STRAND_H

#include "experiments/builtin/parts.h"

typedef struct ashi_strand {
    uint32_t masses;       /* N */
    double natural_length; /* l_n, m */
    double held_length;    /* l_t, between the ends, m */
    double element_length; /* l_e, natural, m */
    double element_mass;   /* m_e, kg */
    double stiffness;      /* k_e, N/m */
    double damping;        /* c_e, N s/m */
} ashi_strand;

/* Element properties by de Jong 2014 (8-13), (8-14), (8-16), (8-18) from the cord's: linear density in kg/m of natural
 * length, axial stiffness E A in N, damping ratio of an element. */
ashi_strand ashi_strand_elements(uint32_t masses, double natural_length, double held_length, double linear_density,
                                 double axial_stiffness, double zeta);

/* Adds the strand standing along z from the origin, pulled along x into a triangle whose tip lies `pull` metres out at
 * `position` times the length. Masses are "node-1" ... "node-N" from the origin, springs "element-0" ... "element-N";
 * all springs are tension-only (8-12). Returns the number of the first body. */
uint32_t ashi_add_strand(ash_scene *scene, const ashi_strand *strand, double pull, double position,
                         double mass_damping);

/* The energy that the triangle holds above the straight strand, J. */
double ashi_strand_pulled_energy(const ashi_strand *strand, double pull, double position);

/* Angular eigenfrequency of an element, (8-22). */
double ashi_strand_element_frequency(const ashi_strand *strand);

/* The largest stable step of symplectic Euler: the chain's highest longitudinal mode has omega = 2 omega_e s with
 * s = cos(pi / (2 (N + 1))), its damper 8 zeta omega_e s^2; a step is stable while (h omega)^2 + 2 h damper < 4.
 * Without damping this is de Jong's bound 1 / omega_e (8-21), divided by s. */
double ashi_strand_step_bound(const ashi_strand *strand);

#endif
