/* What is to be seen of a world at its present state. */
#ifndef CLI_RENDER_SUBJECT_H
#define CLI_RENDER_SUBJECT_H

#include "app/picture/item.h"
#include "app/picture/look.h"
#include "ashlar/debug.h"
#include "base/pool.h"
#include "scene/instance/instance.h"

/* The space that a picture, or all pictures of a sequence, are to show. */
typedef struct cli_extent {
    ASHI_ARRAY(ash_bounds) boxes;
    ash_bounds all; /* around the boxes */
    double lowest;  /* of everything that is bounded, m */
    double spring;  /* mean rest length of springs, m; 0: none */
    bool has_plane; /* the world has a floor of its own */
} cli_extent;

/* Adds the world's present state: all bodies except for planes and for static shapes that are huge beside what moves,
 * and what is only drawn. With `merge` only the box around everything is kept, which is enough for a sequence. False
 * when memory ran out. */
bool cli_extent_add(cli_extent *extent, const ash_scene *scene, const ashi_instance *instance, bool merge);
void cli_extent_release(cli_extent *extent);
/* The length of the diagonal, m; never 0. */
double cli_extent_size(const cli_extent *extent);

typedef struct cli_subject {
    const ash_world *world;
    cli_look look;
    cli_theme theme;
    ASHI_ARRAY(float) tints;          /* by slot of the body: what it is coloured by */
    double largest[ASH_DEBUG_LAYERS]; /* value of each layer's marks */
    cli_items shapes;                 /* of the world, as they collide */
    cli_items solids;                 /* point masses, springs, pulls, loads: what has no shape */
    cli_items marks;                  /* layers, not lit and throwing no shadow */
    ASHI_ARRAY(uint32_t) by_slot;     /* the number in `shapes` of each shape of the world */
    double size;                      /* m */
    double body_size;                 /* mean diagonal of shapes, m; without shapes a fraction of `size` */
    double mark_size;                 /* m; smaller where the bodies are small in a wide space */
    ash_vec3 centre;                  /* of the extent */
    bool coils;                       /* springs are few enough to be drawn as such */
    bool has_grid;                    /* a floor of the picture's own at z = `floor` */
    double floor;
} cli_subject;

/* Gathers everything. */
ash_status cli_subject_make(cli_subject *subject, const ash_scene *scene, const ashi_instance *instance,
                            const cli_extent *extent, const cli_look *look);
void cli_subject_release(cli_subject *subject);

/* The item of a shape of the world. */
static inline const cli_item *cli_subject_shape(const cli_subject *subject, ash_shape shape)
{
    return &subject->shapes.list.data[subject->by_slot.data[ashi_handle_slot(shape.id)]];
}

/* Its parts: solids for forces, and marks. */
void cli_subject_add_forces(cli_subject *subject, double point_radius, double line_radius);
void cli_subject_add_marks(cli_subject *subject, double line_radius);
/* A spring of joints or forces as a coil, in a flat world as a zigzag; where there are many, a line. */
void cli_subject_add_spring(cli_subject *subject, ash_vec3 from, ash_vec3 to, double line_radius, cli_colour colour);
/* A cylinder: its barrel from one end, `barrel` long, and its rod to the other. */
void cli_subject_add_telescope(cli_subject *subject, ash_vec3 from, ash_vec3 to, double barrel, double line_radius);

/* The colour of a body that moves and is coloured by this value; of a layer's mark with this value. */
cli_colour cli_tint_colour(const cli_subject *subject, double value);
cli_colour cli_mark_colour(const cli_subject *subject, ash_debug_layer layer, double value);
/* Which bit it is. */
uint32_t cli_layer_number(ash_debug_layer layer);

#endif
