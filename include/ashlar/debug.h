/* Debug geometry: what a viewer draws over a world to show what the engine sees (Gribel 2009, 4.5). */
#ifndef ASHLAR_DEBUG_H
#define ASHLAR_DEBUG_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layers, to be combined. */
typedef enum ash_debug_layer {
    ASH_DEBUG_BOUNDS = 1,     /* boxes of shapes as lines; unbounded ones are left out */
    ASH_DEBUG_AXES = 2,       /* of bodies' frames as arrows; value 0, 1, 2: x, y, z */
    ASH_DEBUG_CENTRES = 4,    /* of mass of dynamic bodies as points */
    ASH_DEBUG_VELOCITIES = 8, /* of centres of mass as arrows; value: speed, m/s */
    ASH_DEBUG_EDGES = 16,     /* outward normals of the sides of flat polygons and chains as arrows */
    ASH_DEBUG_CONTACTS = 32,  /* points on both shapes, and the line between them; value: depth, m */
    ASH_DEBUG_NORMALS = 64,   /* of contacts as arrows from the points on b; value: depth, m */
    ASH_DEBUG_IMPACTS = 128,  /* points of impacts within the last step; value: s after its start */
    ASH_DEBUG_JOINTS = 256    /* of enabled joints: origins of both frames as points and the line between them (rods,
                                 ropes and cylinders; else the way along the joint, or its error), the axis as an arrow,
                                 limits, ropes over pulleys and paths as lines; value: error, m */
} ash_debug_layer;

/* Who draws. A null function leaves its primitives out. */
typedef struct ash_debug_painter {
    void (*line)(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user);
    void (*arrow)(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user);
    void (*point)(ash_vec3 position, ash_debug_layer layer, double value, void *user);
    void *user;
} ash_debug_painter;

/* Lengths of what has no length of its own, m. */
typedef struct ash_debug_scale {
    double axes;     /* of a frame's axes */
    double normals;  /* of normals */
    double velocity; /* of an arrow for 1 m/s */
} ash_debug_scale;

/* Hands the layers' geometry to the painter, in a fixed order. */
ASH_API ash_status ash_world_debug(const ash_world *world, uint32_t layers, ash_debug_scale scale,
                                   const ash_debug_painter *painter);

#ifdef __cplusplus
}
#endif

#endif
