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
    ASH_DEBUG_JOINTS = 256,   /* of enabled joints: origins of both frames as points and the line between them (rods,
                                 ropes and cylinders; else the way along the joint, or its error), the axis as an arrow,
                                 ropes over pulleys and paths as lines; value: error, m */
    /* What contact points carry, as arrows from where they are on the body that they act on: of the two the one that
     * can move, b where both can. Sensors and points that carry nothing are left out. */
    ASH_DEBUG_FORCES = 512,       /* along the normals; value: N */
    ASH_DEBUG_FRICTION = 1024,    /* across them; value: N */
    ASH_DEBUG_PENETRATION = 2048, /* of contact points that overlap, lines from one surface to the other; value: depth,
                                     m. Sensors are left out */
    ASH_DEBUG_SPRINGS = 4096,     /* enabled springs, springs of joints along their way and pulls (to their targets) as
                                     lines; value: the size of the force that they carry, N; 0: slack, or at rest */
    ASH_DEBUG_LIMITS = 8192,      /* of enabled joints: bounds of ways as lines with bars, of angles and cones as rays,
                                     and where the joint is now as an arrow; value: what the limit carries, N or N m */
    ASH_DEBUG_DRIVES = 16384,     /* driven freedoms of enabled joints: a point and an arrow from the origin of frame b,
                                     the force on b, or the torque about its axis; value: N or N m, positive where
                                     the coordinate grows. Cylinders are not among them */
    ASH_DEBUG_CYLINDERS = 32768,  /* enabled hydraulic ones: the line between their ends; value: how far the piston is
                                     out, m: the length beyond the least one */
    ASH_DEBUG_GRAPH = 65536,      /* the contact graph: lines between the centres of bodies that touch or are joined; to
                                     the contact or the joint where a body is static or kinematic; value: the larger of
                                     their stack heights */
    ASH_DEBUG_SLEEPING = 131072   /* boxes of the shapes of sleeping bodies as lines */
} ash_debug_layer;
#define ASH_DEBUG_LAYERS 18u

/* The name of the layer whose bit has this number, such as "velocities", and a line on what it shows; null: none. */
ASH_API const char *ash_debug_layer_name(uint32_t number);
/* One line on what the layer with this number shows; null: none. */
ASH_API const char *ash_debug_layer_summary(uint32_t number);

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
    double force;    /* of an arrow for 1 N or 1 N m */
} ash_debug_scale;

/* Hands the layers' geometry to the painter, in a fixed order. */
ASH_API ash_status ash_world_debug(const ash_world *world, uint32_t layers, ash_debug_scale scale,
                                   const ash_debug_painter *painter);

#ifdef __cplusplus
}
#endif

#endif
