/* Boxes dropped into a pit by the method `realtime` and by Bullet, turn by turn in one run: both fall and settle, ten
 * steps of one engine and then ten of the other, so that whatever else the machine does slows both alike. Times are of
 * the processor, on one thread; overlap is measured by our geometry on both engines' poses every tenth step. */
#include "bench.h"
#include "heap.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <math.h>
#include <string.h>

enum { FALLING = 200, SETTLING = 600, SETTLED = 200, TURN = 10 };
static const double step_length = 0.01;

/* One engine: ours, or Bullet's if there is no world. */
typedef struct racer {
    ash_world *world;
    ash_body *bodies;
    bullet_heap *bullet;
    ash_transform *places;
} racer;

typedef struct lap {
    double seconds, worst; /* of all steps, and of the longest */
    uint32_t steps, looks;
    heap_overlap sum; /* `largest` and `mean` summed up over the looks */
} lap;

static ash_status take_step(racer *r, lap *l, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    double start = bench_processor_seconds();
#ifdef BENCH_BULLET
    if (r->bullet != NULL)
        bullet_heap_step(r->bullet, step_length);
#endif
    if (r->world != NULL)
        status = ash_world_step(r->world, step_length);
    double seconds = bench_processor_seconds() - start;
    l->seconds += seconds;
    l->worst = fmax(l->worst, seconds);
    l->steps++;
    if (status != ASH_OK)
        *diagnostic = ash_world_last_diagnostic(r->world);
    return status;
}

static ash_status look(const heap *h, racer *r, lap *l, ash_diagnostic *diagnostic)
{
    heap_overlap overlap;
#ifdef BENCH_BULLET
    if (r->bullet != NULL)
        bullet_heap_read(r->bullet, r->places);
#endif
    for (uint32_t i = 0; i < h->count && r->world != NULL; ++i)
        r->places[i] = ash_body_get_transform(r->world, r->bodies[i]);
    ash_status status = heap_measure(h, r->places, &overlap, diagnostic);
    l->looks++;
    l->sum.largest += overlap.largest;
    l->sum.mean += overlap.mean;
    l->sum.pairs += overlap.pairs;
    l->sum.top = overlap.top;
    return status;
}

static ash_status take_turns(const heap *h, racer racers[], uint32_t count, int steps, lap laps[],
                             ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (int turn = 0; turn < steps / TURN; ++turn)
        for (uint32_t i = 0; i < count && status == ASH_OK; ++i) {
            for (int k = 0; k < TURN && status == ASH_OK; ++k)
                status = take_step(&racers[i], &laps[i], diagnostic);
            if (status == ASH_OK)
                status = look(h, &racers[i], &laps[i], diagnostic);
        }
    return status;
}

static bool report(json_t *rows, uint32_t boxes, const char *phase, const char *engine, const lap *l, const lap *first)
{
    double mean = l->seconds / l->steps;
    return json_array_append_new(rows, json_pack("{s:I, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "boxes",
                                                 (json_int_t)boxes, "phase", phase, "engine", engine, "step (ms)",
                                                 1e3 * mean, "worst step (ms)", 1e3 * l->worst, "times Bullet's",
                                                 mean / (first->seconds / first->steps), "overlap, largest (mm)",
                                                 1e3 * l->sum.largest / l->looks, "overlap, mean (mm)",
                                                 1e3 * l->sum.mean / l->looks, "pairs that overlap",
                                                 l->sum.pairs / (double)l->looks, "top (m)", l->sum.top)) == 0;
}

static ash_status race_heap(const heap *h, racer racers[], uint32_t count, json_t *rows, ash_diagnostic *diagnostic)
{
    static const char *const phases[] = {"falling", "settling", "settled"};
    static const int steps[] = {FALLING, SETTLING, SETTLED};
    ash_status status = ASH_OK;
    for (int phase = 0; phase < 3 && status == ASH_OK; ++phase) {
        lap laps[2] = {0};
        status = take_turns(h, racers, count, steps[phase], laps, diagnostic);
        for (uint32_t i = 0; i < count && status == ASH_OK; ++i)
            if (!report(rows, h->count, phases[phase], racers[i].world != NULL ? "Ashlar, realtime" : "Bullet",
                        &laps[i], &laps[count - 1]))
                status = ashi_out_of_memory(diagnostic);
    }
    return status;
}

static ash_status race(uint32_t boxes, json_t *rows, ash_diagnostic *diagnostic)
{
    heap h;
    racer racers[2] = {0};
    uint32_t count = 1;
    ash_method method = ash_default_world_def().method;
    bool room = heap_make(&h, boxes);
    racers[0].bodies = ashi_alloc_array(boxes, sizeof *racers[0].bodies);
    racers[0].places = racers[1].places = ashi_alloc_array(boxes, sizeof *racers[0].places);
    room = room && racers[0].bodies != NULL && racers[0].places != NULL;
#ifdef BENCH_BULLET
    racers[1].bullet = room ? bullet_heap_create(&h) : NULL;
    room = room && racers[1].bullet != NULL;
    count = 2;
#endif
    ash_status status =
        room ? heap_world(&h, &method, &racers[0].world, racers[0].bodies, diagnostic) : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        status = race_heap(&h, racers, count, rows, diagnostic);
#ifdef BENCH_BULLET
    bullet_heap_destroy(racers[1].bullet);
#endif
    ash_world_destroy(racers[0].world);
    ashi_free(racers[0].bodies);
    ashi_free(racers[0].places);
    heap_release(&h);
    return status;
}

json_t *bench_piles(uint32_t most, ash_diagnostic *diagnostic)
{
    static const uint32_t counts[] = {1000, 3000};
    json_t *rows = json_array();
    for (int i = 0; i < 2; ++i)
        if (counts[i] <= most && race(counts[i], rows, diagnostic) != ASH_OK) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}
