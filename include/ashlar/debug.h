/* Debug geometry: lines, arrows and points that show the engine's view of a world (Gribel 2009, 4.5). */
#ifndef ASHLAR_DEBUG_H
#define ASHLAR_DEBUG_H

#include "ashlar/base.h"
#include "ashlar/body.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Layers; they can be combined. */
typedef enum ash_debug_layer {
    ASH_DEBUG_BOUNDS = 1,     /* boxes of shapes as lines; unbounded ones are left out */
    ASH_DEBUG_AXES = 2,       /* of bodies' frames as arrows; value 0, 1, 2: x, y, z */
    ASH_DEBUG_CENTRES = 4,    /* of mass of dynamic bodies as points */
    ASH_DEBUG_VELOCITIES = 8, /* of centres of mass as arrows; value: speed, m/s */
    ASH_DEBUG_EDGES = 16,     /* outward normals of the sides of flat polygons and chains as arrows */
    ASH_DEBUG_CONTACTS = 32,  /* points on both shapes and the line between them; value: depth, m */
    ASH_DEBUG_NORMALS = 64,   /* of contacts, as arrows from the points on b; value: depth, m */
    ASH_DEBUG_IMPACTS = 128,  /* points of impacts within the last step; value: s after its start */
    ASH_DEBUG_JOINTS = 256,   /* of enabled joints: origins of both frames as points, the line between them (the length
                                 of rods, ropes and cylinders; the travel along other joints, or their error), the axis
                                 as an arrow, ropes over pulleys and paths as lines; value: error, m */
    /* Forces at contact points, as arrows that begin at the point on the body that they act on: the body that can move,
     * or b if both can. Sensors and points without a force are left out. */
    ASH_DEBUG_FORCES = 512,       /* along the normals; value: N */
    ASH_DEBUG_FRICTION = 1024,    /* perpendicular to the normals; value: N */
    ASH_DEBUG_PENETRATION = 2048, /* of overlapping contact points, as lines from one surface to the other; value:
                                     depth, m. Sensors are left out */
    ASH_DEBUG_SPRINGS = 4096,     /* enabled springs, springs of joints along their travel and pulls (to their targets)
                                     as lines; value: magnitude of the force, N; 0: slack or at rest */
    ASH_DEBUG_LIMITS = 8192,      /* of enabled joints: limits of travel as lines with bars, of angles and cones as
                                     rays, and the present position as an arrow; value: the limit's reaction, N or N
                                     m */
    ASH_DEBUG_DRIVES = 16384,     /* driven freedoms of enabled joints, without cylinders: a point, and an arrow from
                                     the origin of frame b for the force on b or the torque about its axis; value: N or
                                     N m, positive towards larger coordinates */
    ASH_DEBUG_CYLINDERS = 32768,  /* enabled hydraulic cylinders: the line between their ends; value: the piston's
                                     extension beyond the least length, m */
    ASH_DEBUG_GRAPH = 65536,      /* the contact graph: lines between the centres of bodies that touch or are joined, or
                                     to the contact or joint if a body is static or kinematic; value: the larger of
                                     their stack heights */
    ASH_DEBUG_SLEEPING = 131072   /* boxes of the shapes of sleeping bodies as lines */
} ash_debug_layer;
#define ASH_DEBUG_LAYERS 18u

/* The name of the layer with this bit number, such as "velocities"; null: none. */
ASH_API const char *ash_debug_layer_name(uint32_t number);
/* One line that says what this layer shows; null: none. */
ASH_API const char *ash_debug_layer_summary(uint32_t number);

/* The functions that draw. A null function leaves its primitives out. */
typedef struct ash_debug_painter {
    void (*line)(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user);
    void (*arrow)(ash_vec3 from, ash_vec3 to, ash_debug_layer layer, double value, void *user);
    void (*point)(ash_vec3 position, ash_debug_layer layer, double value, void *user);
    void *user;
} ash_debug_painter;

/* Drawn lengths of things without a length of their own, m. */
typedef struct ash_debug_scale {
    double axes;     /* of a frame's axes */
    double normals;  /* of normals */
    double velocity; /* of an arrow for 1 m/s */
    double force;    /* of an arrow for 1 N or 1 N m */
} ash_debug_scale;

/* Passes the geometry of the layers to the painter, in a fixed order. */
ASH_API ash_status ash_world_debug(const ash_world *world, uint32_t layers, ash_debug_scale scale,
                                   const ash_debug_painter *painter);

#ifdef __cplusplus
}
#endif

#endif
