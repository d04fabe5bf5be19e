/* Strings and nets of scene files: masses on straight or hanging lines, with springs from each to the next and bending
 * springs about each. They become bodies and forces of the description. */
#ifndef ASHI_SCENE_LATTICE_H
#define ASHI_SCENE_LATTICE_H

#include "scene/description/description.h"

/* Common data of strings and nets. */
typedef struct ashi_cord {
    const char *name;
    double mass;              /* of all, kg */
    double stiffness;         /* E A, N */
    double damping_ratio;     /* of an element and of a bend */
    double bending_stiffness; /* E I, N m2 */
    bool slack;               /* elements only pull */
    double radius;            /* of the spheres that touch, m; 0: nothing touches */
    uint32_t material;
} ashi_cord;

typedef struct ashi_cord_string {
    ashi_cord cord;
    ash_body body_a, body_b;
    ash_vec3 point_a, point_b;
    ash_vec3 direction_a, direction_b; /* along which an end is clamped, in its body's frame; 0: it turns */
    bool free_a, free_b;               /* the end hangs free: it is a mass */
    int32_t elements;
    double length; /* m; negative: the distance of its ends */
} ashi_cord_string;

/* Which knots of a net are points of its body. */
typedef enum ashi_hold { ASHI_HOLD_NOTHING, ASHI_HOLD_CORNERS, ASHI_HOLD_FIRST, ASHI_HOLD_EDGES, ASHI_HOLDS } ashi_hold;

typedef struct ashi_cord_net {
    ashi_cord cord;
    ash_body body;
    ash_vec3 corner, along, across; /* in the body's frame, m */
    int32_t columns, rows;          /* meshes along and across */
    int32_t elements;               /* of a band from knot to knot */
    double strain;                  /* at the start */
    ashi_hold hold;
} ashi_cord_net;

#define ASHI_MOST_ELEMENTS 1000000 /* of a string, or of all bands of a net */

/* A string or a net whose bodies are in the scene. */
typedef struct ashi_lattice {
    bool is_net;
    ashi_cord_string string;
    ashi_cord_net net;
    uint32_t first_body, bodies; /* made of it, in the order of its nodes */
    uint32_t *node_body;         /* of a net, by place: number in the scene, or ASHI_NONE where there is no mass */
} ashi_lattice;

/* Adds its bodies; `number` counts the strings and nets of the scene. Values have been checked. False when memory ran
 * out. */
bool ashi_lattice_add_bodies(ash_scene *scene, ashi_lattice *lattice, uint32_t number);
/* Adds its springs, after all bodies are there. */
bool ashi_lattice_add_forces(ash_scene *scene, const ashi_lattice *lattice);
void ashi_lattice_release(ashi_lattice *lattice);

/* Places on a chain of a length that hangs between two points: straight where it is not longer than their distance. */
typedef struct ashi_hanging {
    ash_vec3 from, to, down, aside;      /* unit vectors; aside is horizontal, from the one towards the other */
    double length, drop, parameter;      /* drop: of `to` below `from`; parameter: horizontal force over weight, m */
    double start;                        /* the catenary's argument at `from` */
    enum { TAUT, CURVED, DOUBLED } form; /* doubled: straight down and up again */
} ashi_hanging;
ashi_hanging ashi_hang(ash_vec3 from, ash_vec3 to, double length, ash_vec3 gravity);
/* At a share of the length, 0 to 1. */
ash_vec3 ashi_hanging_at(const ashi_hanging *hanging, double share);

#endif
