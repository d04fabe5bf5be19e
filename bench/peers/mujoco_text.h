/* Models as MuJoCo's XML. */
#ifndef BENCH_PEERS_MUJOCO_TEXT_H
#define BENCH_PEERS_MUJOCO_TEXT_H

#include "peer.h"

typedef struct mujoco_size {
    uint64_t contacts, rows, freedoms; /* room that the model asks for */
} mujoco_size;

mujoco_size mujoco_size_of(const peer_model *model);

/* MuJoCo as it comes, with the settings that suit the scene, or as it comes with every joint a constraint between free
 * bodies. */
typedef enum mujoco_manner { MUJOCO_DEFAULTS, MUJOCO_BEST, MUJOCO_CONNECT } mujoco_manner;

/* The text, to be freed, or null with `why` when it cannot be written. Bodies and their shapes ("body/number") have
 * their numbers as names. */
char *mujoco_text(const peer_model *model, mujoco_manner manner, const char **why);

#endif
