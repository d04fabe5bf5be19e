/* Models as MuJoCo's XML. */
#ifndef BENCH_PEERS_MUJOCO_TEXT_H
#define BENCH_PEERS_MUJOCO_TEXT_H

#include "peer.h"

typedef struct mujoco_size {
    uint64_t contacts, rows, freedoms; /* room that the model asks for */
} mujoco_size;

mujoco_size mujoco_size_of(const peer_model *model);

/* The text, to be freed, or null with `why` when it cannot be written. Bodies and their shapes ("body/number") have
 * their numbers as names. `best`: with the settings that suit the scene. */
char *mujoco_text(const peer_model *model, bool best, const char **why);

#endif
