/* The scenes on which engines are compared. */
#ifndef BENCH_PEERS_SCENES_H
#define BENCH_PEERS_SCENES_H

#include "ashlar/scene.h"

#include <stdint.h>

/* What means something in a scene: the columns of its table. */
typedef enum peers_column {
    PEERS_OVERLAP = 1, /* shapes touch */
    PEERS_STANDS = 2,  /* bodies should stay where they are: gaps, drift, sinking, how many stand */
    PEERS_JOINTS = 4,
    PEERS_ENERGY = 8,    /* it is kept by the exact motion, friction and torques apart */
    PEERS_ROTATION = 16, /* so is the energy of rotation */
    PEERS_OFF = 32       /* a fine solution tells where bodies are after a second */
} peers_column;

typedef struct peers_scene {
    const char *name;     /* in the table, and for --scenes */
    const char *scene;    /* built in */
    const char *settings; /* "key=value key=value" */
    double h, time;       /* s */
    double quick;         /* s, of a quick table */
    unsigned columns;     /* of peers_column */
} peers_scene;

/* Null: no more. */
const peers_scene *peers_scene_get(uint32_t number);

/* Opens the built-in scene with its settings. */
ash_status peers_scene_open(const peers_scene *entry, ash_scene **scene, ash_diagnostic *diagnostic);

#endif
