/* Batches: many copies of a world, stepped in parallel, with their arrays side by side.
 *
 * A copy continues as its model would, bit for bit, and has the model's handles. Results depend neither on the number
 * of threads nor on the number of copies. Arrays of all copies are stored copy by copy: the order is copy, row, column
 * (ash_array). */
#ifndef ASHLAR_BATCH_H
#define ASHLAR_BATCH_H

#include "ashlar/array.h"
#include "ashlar/base.h"
#include "ashlar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_MAX_COPIES 1048576 /* the most copies in a batch */

typedef struct ash_batch ash_batch;

/* Makes `count` copies of the present state of a world; the batch steps them on `threads` threads, the caller's
 * included. The model may be changed or destroyed afterwards. Pair filters and user data are not copied; nor are
 * callback forces: a world that has them is bad data. */
ASH_API ash_status ash_batch_create(const ash_world *model, uint32_t count, uint32_t threads, ash_batch **batch,
                                    ash_diagnostic *diagnostic);
/* Releases the batch and its worlds. Null is ignored. */
ASH_API void ash_batch_destroy(ash_batch *batch);
/* The number of copies. */
ASH_API uint32_t ash_batch_get_count(const ash_batch *batch);
/* A copy; null beyond the last. It belongs to the batch and can be used like any world between calls on the batch, but
 * its bodies and joints must remain those of the model. */
ASH_API ash_world *ash_batch_get_world(ash_batch *batch, uint32_t copy);

/* Resets copies to the state at the batch's creation: those whose entry in `which` is not 0, or all for null.
 */
ASH_API ash_status ash_batch_reset(ash_batch *batch, const uint8_t *which, ash_diagnostic *diagnostic);

/* An array of all copies: the numbers of the first, of the second, ... */
typedef struct ash_batch_array {
    ash_array array;
    double *values; /* copies times rows times width numbers */
    size_t count;   /* numbers of one copy */
} ash_batch_array;

/* What ash_batch_go does with each copy, in this order: set its `acts`, step it `steps` times by h, read its `views`.
 * Applied forces are set again before each step. */
typedef struct ash_batch_round {
    double h;                    /* s */
    uint32_t steps;              /* may be 0 */
    const ash_batch_array *acts; /* arrays that can be set */
    uint32_t act_count;
    const ash_batch_array *views; /* any arrays */
    uint32_t view_count;
    const uint8_t *which; /* copies whose entry is 0 are left out, and their views not written; null: all take part */
    uint8_t *failed;      /* output, may be null; for each copy: 1 when an act was refused or a step was not taken */
} ash_batch_round;
/* Carries out the round. ASH_NUMERICS: in some copies an act was refused or a step was not taken. These are marked in
 * `failed`, have the reason in their last diagnostic or their report, and took no further steps in this call. The
 * others continued. */
ASH_API ash_status ash_batch_go(ash_batch *batch, const ash_batch_round *round);

#ifdef __cplusplus
}
#endif

#endif
