/* The shapes of bodies: one list per body, in the order of their definitions. */
#ifndef ASHI_MODEL_SHAPES_H
#define ASHI_MODEL_SHAPES_H

#include "ashlar/body.h"
#include "model/materials.h"

typedef struct ashi_shape_entry {
    ash_geometry *geometry;    /* one reference */
    ash_transform pose;        /* in the body's frame */
    double density;            /* never ASH_MATERIAL_DENSITY: resolved when the shape was made */
    uint32_t material;         /* slot */
    ash_vec3 surface_velocity; /* in the body's frame */
    uint64_t category, mask;
    int32_t group;
    bool sensor;
    uint32_t body;
    uint32_t next; /* slot of the body's next shape, or ASHI_NO_SLOT */
    char *name;    /* null for none */
    void *user_data;
} ashi_shape_entry;

typedef struct ashi_shapes {
    ashi_pool pool;
    ASHI_ARRAY(ashi_shape_entry) entries; /* by slot */
    bool some_run;                        /* the surface of some shape moves, or did so before */
} ashi_shapes;

void ashi_shapes_destroy(ashi_shapes *shapes);

/* The density given by a definition. Its material must be valid. */
double ashi_shape_density(const ashi_materials *materials, const ash_shape_def *def);
/* Makes the list of a body; `first` receives its first slot. On failure nothing is kept. */
bool ashi_shapes_add(ashi_shapes *shapes, const ashi_materials *materials, uint32_t body, const ash_shape_def *defs,
                     uint32_t count, uint32_t *first);
/* Whether the filters of two shapes let them touch. */
bool ashi_shapes_meet(const ashi_shape_entry *a, const ashi_shape_entry *b);
/* False if the filters clearly let no two shapes touch: all except at most one touch nothing, or all others are in one
 * group that never touches. Fast: usually the first two shapes decide. */
bool ashi_shapes_some_meet(const ashi_shapes *shapes);
void ashi_shapes_remove(ashi_shapes *shapes, uint32_t first);

#endif
