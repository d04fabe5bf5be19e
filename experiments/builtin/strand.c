/* A strand of lumped masses (de Jong 2014, 8-2). */
#include "experiments/builtin/strand.h"

#include "math/elementary.h"

#include <math.h>
#include <stdio.h>

ashi_strand ashi_strand_elements(uint32_t masses, double natural_length, double held_length, double linear_density,
                                 double axial_stiffness, double zeta)
{
    ashi_strand strand = {.masses = masses, .natural_length = natural_length, .held_length = held_length};
    strand.element_length = natural_length / (masses + 1.0);
    strand.element_mass = strand.element_length * linear_density;
    strand.stiffness = axial_stiffness / strand.element_length;
    strand.damping = 2 * zeta * sqrt(strand.element_mass * strand.stiffness);
    return strand;
}

/* Where node `node` lies in the triangle; nodes 0 and N + 1 are the ends. */
static ash_vec3 node_position(const ashi_strand *strand, uint32_t node, double pull, double position)
{
    double part = node / (strand->masses + 1.0);
    double height = part <= position ? part / position : (1 - part) / (1 - position);
    return (ash_vec3){pull * height, 0, strand->held_length * part};
}

uint32_t ashi_add_strand(ash_scene *scene, const ashi_strand *strand, double pull, double position, double mass_damping)
{
    uint32_t first = scene->bodies.count;
    char name[32];
    for (uint32_t node = 1; node <= strand->masses; ++node) {
        ash_body_def mass = ash_default_body_def();
        snprintf(name, sizeof name, "node-%u", node);
        mass.name = name;
        mass.position = node_position(strand, node, pull, position);
        mass.mass = strand->element_mass;
        mass.locks = ASH_LOCK_ROTATION;
        mass.linear_damping = mass_damping;
        ashi_scene_add_body(scene, &mass);
    }
    for (uint32_t element = 0; element <= strand->masses; ++element) {
        ash_spring_def spring = ash_default_spring_def();
        snprintf(name, sizeof name, "element-%u", element);
        spring.name = name;
        /* The ends are points of the background. */
        if (element > 0)
            spring.body_a = ashi_scene_body_ref(first + element - 1);
        if (element < strand->masses)
            spring.body_b = ashi_scene_body_ref(first + element);
        else
            spring.point_b = (ash_vec3){0, 0, strand->held_length};
        spring.stiffness = strand->stiffness;
        spring.damping = strand->damping;
        spring.rest_length = strand->element_length;
        spring.tension_only = spring.damper_pushes = true;
        ashi_scene_add_spring(scene, &spring);
    }
    return first;
}

double ashi_strand_pulled_energy(const ashi_strand *strand, double pull, double position)
{
    double spacing = strand->held_length / (strand->masses + 1.0), straight = spacing - strand->element_length;
    double energy = 0;
    for (uint32_t element = 0; element <= strand->masses; ++element) {
        ash_vec3 a = node_position(strand, element, pull, position);
        ash_vec3 b = node_position(strand, element + 1, pull, position);
        double stretch = sqrt((b.x - a.x) * (b.x - a.x) + spacing * spacing) - strand->element_length;
        energy += 0.5 * strand->stiffness * (stretch * stretch - straight * straight);
    }
    return energy;
}

double ashi_strand_element_frequency(const ashi_strand *strand)
{
    return sqrt(strand->stiffness / strand->element_mass);
}

double ashi_strand_step_bound(const ashi_strand *strand)
{
    double s = ashi_cos(ASHI_PI / (2 * (strand->masses + 1.0)));
    double zeta = 0.5 * strand->damping / sqrt(strand->element_mass * strand->stiffness);
    /* (h omega)^2 + 2 h damper = 4 with omega = 2 omega_e s, damper = 8 zeta omega_e s^2, solved for h omega_e s */
    double x = sqrt(4 * zeta * zeta * s * s + 1) - 2 * zeta * s;
    return x / (s * ashi_strand_element_frequency(strand));
}
