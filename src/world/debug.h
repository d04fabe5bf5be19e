/* Shared by the files that draw debug geometry. */
#ifndef ASHI_WORLD_DEBUG_H
#define ASHI_WORLD_DEBUG_H

#include "ashlar/debug.h"
#include "world/world.h"

typedef struct ashi_drawing {
    const ash_world *world;
    ash_debug_scale scale;
    ash_debug_painter painter;
} ashi_drawing;

static inline void ashi_draw_line(const ashi_drawing *d, ash_vec3 from, ash_vec3 to, ash_debug_layer layer,
                                  double value)
{
    if (d->painter.line != NULL)
        d->painter.line(from, to, layer, value, d->painter.user);
}

static inline void ashi_draw_arrow(const ashi_drawing *d, ash_vec3 from, ash_vec3 to, ash_debug_layer layer,
                                   double value)
{
    if (d->painter.arrow != NULL)
        d->painter.arrow(from, to, layer, value, d->painter.user);
}

static inline void ashi_draw_point(const ashi_drawing *d, ash_vec3 position, ash_debug_layer layer, double value)
{
    if (d->painter.point != NULL)
        d->painter.point(position, layer, value, d->painter.user);
}

/* Drawing functions; each draws its own layers. */
void ashi_draw_contacts(const ashi_drawing *drawing,
                        uint32_t layers);                            /* contacts, normals, impacts, penetration, ... */
void ashi_draw_joints(const ashi_drawing *drawing, uint32_t layers); /* joints, limits, drives, cylinders */
void ashi_draw_springs(const ashi_drawing *drawing);
void ashi_draw_graph(const ashi_drawing *drawing);

#endif
