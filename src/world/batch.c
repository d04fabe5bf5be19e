/* Batches: copies of one world by its snapshot. Copies are independent, so that threads take them in any order. */
#include "ashlar/batch.h"
#include "base/diagnostic.h"
#include "base/tasks.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

#define CHUNK 4 /* copies that a thread takes at a time */

struct ash_batch {
    uint32_t count;
    ash_world **worlds;
    ashi_tasks *tasks;
    void *start; /* the snapshot */
    size_t size;
    ash_world_def def;
};

static ash_status make_copies(ash_batch *batch, uint32_t count, ash_diagnostic *diagnostic)
{
    for (; batch->count < count; batch->count++) {
        ash_world **world = &batch->worlds[batch->count];
        ash_status status = ash_world_create(&batch->def, world, diagnostic);
        if (status == ASH_OK)
            status = ash_world_restore(*world, batch->start, batch->size, diagnostic);
        if (status != ASH_OK) {
            ash_world_destroy(*world);
            return status;
        }
    }
    return ASH_OK;
}

ash_status ash_batch_create(const ash_world *model, uint32_t count, uint32_t threads, ash_batch **batch,
                            ash_diagnostic *diagnostic)
{
    if (model == NULL || batch == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "batch.null", "the world or the place for the batch is null");
    *batch = NULL;
    if (count < 1 || count > ASH_MAX_COPIES || threads < 1 || threads > ASH_MAX_THREADS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "batch.count", "%u copies by %u threads", count, threads);
        ashi_expect(diagnostic, "1 to %d copies and 1 to %d threads", ASH_MAX_COPIES, ASH_MAX_THREADS);
        return ASH_BAD_DATA;
    }
    ash_batch *made = ashi_alloc_zeroed(sizeof *made);
    if (made != NULL) {
        made->worlds = ashi_alloc_zeroed(count * sizeof(ash_world *));
        made->tasks = ashi_tasks_create(threads, NULL);
        made->def = ash_default_world_def();
        made->def.method = ash_world_get_method(model);
    }
    if (made == NULL || made->worlds == NULL || made->tasks == NULL) {
        ash_batch_destroy(made);
        return ashi_out_of_memory(diagnostic);
    }
    ash_status status = ash_world_save(model, &made->start, &made->size, diagnostic);
    if (status == ASH_OK)
        status = make_copies(made, count, diagnostic);
    if (status != ASH_OK) {
        ash_batch_destroy(made);
        return status;
    }
    *batch = made;
    return ASH_OK;
}

void ash_batch_destroy(ash_batch *batch)
{
    if (batch == NULL)
        return;
    for (uint32_t i = 0; i < batch->count; i++)
        ash_world_destroy(batch->worlds[i]);
    ashi_dealloc(batch->worlds);
    ashi_tasks_destroy(batch->tasks);
    ash_free(batch->start);
    ashi_dealloc(batch);
}

uint32_t ash_batch_get_count(const ash_batch *batch)
{
    return batch->count;
}

ash_world *ash_batch_get_world(ash_batch *batch, uint32_t copy)
{
    return copy < batch->count ? batch->worlds[copy] : NULL;
}

/* ---- reset ---- */

typedef struct reset_pass {
    ash_batch *batch;
    const uint8_t *which;
    ash_diagnostic *diagnostics; /* by worker: the last failure */
} reset_pass;

static void reset_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const reset_pass *pass = data;
    for (uint32_t i = begin; i < end; i++)
        if (pass->which == NULL || pass->which[i] != 0)
            ash_world_restore(pass->batch->worlds[i], pass->batch->start, pass->batch->size,
                              &pass->diagnostics[worker]);
}

ash_status ash_batch_reset(ash_batch *batch, const uint8_t *which, ash_diagnostic *diagnostic)
{
    uint32_t workers = ashi_tasks_workers(batch->tasks);
    reset_pass pass = {batch, which, ashi_alloc_zeroed(workers * sizeof *pass.diagnostics)};
    if (pass.diagnostics == NULL)
        return ashi_out_of_memory(diagnostic);
    ashi_parallel_for(batch->tasks, batch->count, CHUNK, reset_some, &pass);
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < workers && status == ASH_OK; i++)
        if ((status = pass.diagnostics[i].status) != ASH_OK && diagnostic != NULL)
            *diagnostic = pass.diagnostics[i];
    ashi_dealloc(pass.diagnostics);
    return status;
}

/* ---- rounds ---- */

typedef struct round_pass {
    ash_batch *batch;
    const ash_batch_round *round;
    atomic_uint failures;
} round_pass;

static bool lasts_a_step(ash_array array)
{
    return array == ASH_ARRAY_APPLIED_FORCES || array == ASH_ARRAY_APPLIED_TORQUES;
}

/* Sets a copy's acts; after the first step only those that a step forgets. */
static ash_status act(ash_world *world, const ash_batch_round *round, uint32_t copy, bool first)
{
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < round->act_count && status == ASH_OK; i++) {
        const ash_batch_array *a = &round->acts[i];
        if (first || lasts_a_step(a->array))
            status = ash_world_set_array(world, a->array, a->values + copy * a->count, a->count);
    }
    return status;
}

static void go_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    round_pass *pass = data;
    const ash_batch_round *round = pass->round;
    for (uint32_t i = begin; i < end; i++) {
        ash_world *world = pass->batch->worlds[i];
        if (round->which != NULL && round->which[i] == 0)
            continue;
        ash_status status = round->steps == 0 ? act(world, round, i, true) : ASH_OK;
        for (uint32_t k = 0; k < round->steps && status == ASH_OK; k++) {
            status = act(world, round, i, k == 0);
            if (status == ASH_OK)
                status = ash_world_step(world, round->h);
        }
        for (uint32_t k = 0; k < round->view_count; k++) {
            const ash_batch_array *v = &round->views[k];
            ash_status read = ash_world_get_array(world, v->array, v->values + i * v->count, v->count);
            status = status == ASH_OK ? read : status;
        }
        if (round->failed != NULL)
            round->failed[i] = status != ASH_OK;
        if (status != ASH_OK)
            atomic_fetch_add(&pass->failures, 1);
    }
}

ash_status ash_batch_go(ash_batch *batch, const ash_batch_round *round)
{
    if (round == NULL || (round->steps > 0 && !(round->h > 0 && isfinite(round->h))) ||
        (round->act_count > 0 && round->acts == NULL) || (round->view_count > 0 && round->views == NULL))
        return ashi_world_misuse(batch->worlds[0], ASH_BAD_ARGUMENT, "batch.round",
                                 "%s: the step is not positive, or an argument is null", __func__);
    for (uint32_t i = 0; i < round->act_count + round->view_count; i++) {
        bool is_act = i < round->act_count;
        const ash_batch_array *a = is_act ? &round->acts[i] : &round->views[i - round->act_count];
        size_t count = (size_t)ash_world_get_rows(batch->worlds[0], a->array) * ash_array_width(a->array);
        if ((unsigned)a->array >= ASH_ARRAYS || (is_act && !ash_array_can_be_set(a->array)) || a->count != count ||
            (a->values == NULL && count > 0))
            return ashi_world_misuse(batch->worlds[0], ASH_BAD_ARGUMENT, "batch.array",
                                     "%s: %s has %zu numbers a copy, and is %s", __func__, ash_array_name(a->array),
                                     count, is_act ? "not to be set" : "not wanted so");
    }
    round_pass pass = {.batch = batch, .round = round};
    ashi_parallel_for(batch->tasks, batch->count, CHUNK, go_some, &pass);
    return atomic_load(&pass.failures) > 0 ? ASH_NUMERICS : ASH_OK;
}
