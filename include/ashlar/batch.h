/* Batches: many copies of a world, stepped on all cores, with their arrays side by side.
 *
 * A copy continues as its model would, bit for bit, and has its handles. Results depend neither on the number of
 * threads nor on the number of copies. Numbers of all copies lie one copy after the other: copy, row, column
 * (ash_array). */
#ifndef ASHLAR_BATCH_H
#define ASHLAR_BATCH_H

#include "ashlar/array.h"
#include "ashlar/base.h"
#include "ashlar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_MAX_COPIES 1048576 /* of a world in a batch */

typedef struct ash_batch ash_batch;

/* Makes `count` copies of a world as it is now, which the batch steps by `threads` threads, the caller's included. The
 * model may be destroyed or changed afterwards. Callback forces, pair filters and user data are not copied: a world
 * with callback forces is bad data. */
ASH_API ash_status ash_batch_create(const ash_world *model, uint32_t count, uint32_t threads, ash_batch **batch,
                                    ash_diagnostic *diagnostic);
/* Releases the batch and its worlds. Null is ignored. */
ASH_API void ash_batch_destroy(ash_batch *batch);
/* The number of copies. */
ASH_API uint32_t ash_batch_get_count(const ash_batch *batch);
/* A copy, to be asked and changed like any world between calls on the batch; null beyond the last. It is the batch's.
 * Its bodies and joints must stay those of the model. */
ASH_API ash_world *ash_batch_get_world(ash_batch *batch, uint32_t copy);

/* Takes copies back to the state in which the batch was made: those whose entry in `which` is not 0, or all for null.
 */
ASH_API ash_status ash_batch_reset(ash_batch *batch, const uint8_t *which, ash_diagnostic *diagnostic);

/* An array of all copies: the numbers of the first, of the second, ... */
typedef struct ash_batch_array {
    ash_array array;
    double *values; /* of as many numbers as copies times rows times width */
    size_t count;   /* numbers of one copy */
} ash_batch_array;

/* What a call on all copies does, in this order: each copy's `acts` are set, it is stepped `steps` times by h, and its
 * `views` are read. Applied forces are set again before each step. */
typedef struct ash_batch_round {
    double h;                    /* s */
    uint32_t steps;              /* may be 0 */
    const ash_batch_array *acts; /* arrays that can be set */
    uint32_t act_count;
    const ash_batch_array *views; /* any arrays */
    uint32_t view_count;
    const uint8_t *which; /* copies whose entry is 0 are left out, null: none; their views are not written */
    uint8_t *failed;      /* out, null: not wanted; of each copy: 1 when an act was refused or a step was not taken */
} ash_batch_round;
/* Does it. ASH_NUMERICS: in some copies an act was refused or a step was not taken; these are in `failed`, have the
 * reason as their last diagnostic or in their report, and took no further steps in this call. The others went on. */
ASH_API ash_status ash_batch_go(ash_batch *batch, const ash_batch_round *round);

#ifdef __cplusplus
}
#endif

#endif
