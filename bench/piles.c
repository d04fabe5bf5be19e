/* The scene `box-pile` by the method `realtime` and by Bullet, turn by turn in one run: ten steps of one engine, then
 * ten of the other, so that whatever else the machine does slows both alike. Times are of the processor, on one thread;
 * overlaps are measured by our geometry on both engines' places every tenth step. */
#include "bench.h"
#include "peers/gauge.h"
#include "peers/model.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TURN = 10, RACERS = 2, PHASES = 3 };
static const double step_length = 0.01;
static const char *const phases[PHASES] = {"falling", "settling", "at rest"};
static const int phase_steps[PHASES] = {100, 200, 200};

typedef struct racer {
    const peer *engine;
    void *handle;
} racer;

typedef struct pile {
    ash_scene *scene;
    peer_model model;
    gauge *gauge;
    peer_state *states;
    bool *present;
    racer racers[RACERS];
} pile;

typedef struct lap {
    double seconds, worst; /* of all steps, and of the longest */
    uint32_t steps, looks;
    double deepest, mean; /* summed up over the looks, m */
} lap;

/* By its defaults; without functions where it was not found. */
static const peer *find_bullet(void)
{
    uint32_t number = 0;
    while (strcmp(peer_get(number)->engine, "Bullet") != 0)
        ++number;
    return peer_get(number);
}

static ash_status open_pile(pile *p, uint32_t boxes, ash_diagnostic *diagnostic)
{
    char count[16];
    ash_setting setting = {"n", count};
    snprintf(count, sizeof count, "%u", boxes);
    ash_status status = ash_scene_open("box-pile", &setting, 1, &p->scene, diagnostic);
    if (status == ASH_OK)
        status = peer_model_make(p->scene, &p->model, diagnostic);
    if (status != ASH_OK)
        return status;
    p->gauge = gauge_create(&p->model);
    p->states = ashi_alloc_array(p->model.body_count, sizeof *p->states);
    p->present = ashi_alloc_array(p->model.body_count, sizeof *p->present);
    if (p->gauge == NULL || p->states == NULL || p->present == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < p->model.body_count; ++i)
        p->present[i] = true;
    p->racers[0].engine = &peer_realtime;
    p->racers[1].engine = find_bullet();
    for (int i = 0; i < RACERS; ++i) {
        const char *why = "there is no memory";
        const peer *engine = p->racers[i].engine;
        p->racers[i].handle = engine->create != NULL ? engine->create(&p->model, &why) : NULL;
        if (engine->create != NULL && p->racers[i].handle == NULL)
            return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "bench.piles", "%s: %s", engine->engine, why);
    }
    return ASH_OK;
}

static void close_pile(pile *p)
{
    for (int i = 0; i < RACERS; ++i)
        if (p->racers[i].handle != NULL)
            p->racers[i].engine->destroy(p->racers[i].handle);
    ashi_dealloc(p->states);
    ashi_dealloc(p->present);
    gauge_destroy(p->gauge);
    peer_model_release(&p->model);
    ash_scene_destroy(p->scene);
}

static ash_status take_turn(pile *p, const racer *r, lap *l, ash_diagnostic *diagnostic)
{
    gauge_overlap overlap;
    for (int k = 0; k < TURN; ++k) {
        double start = bench_processor_seconds();
        bool good = r->engine->step(r->handle, step_length);
        double seconds = bench_processor_seconds() - start;
        if (!good)
            return ashi_fail(diagnostic, ASH_NUMERICS, "bench.piles", "%s gave up", r->engine->engine);
        l->seconds += seconds;
        l->worst = fmax(l->worst, seconds);
        l->steps++;
    }
    r->engine->read(r->handle, p->states);
    if (!gauge_overlaps(p->gauge, p->states, p->present, &overlap))
        return ashi_out_of_memory(diagnostic);
    l->looks++;
    l->deepest += overlap.deepest;
    l->mean += overlap.mean;
    return ASH_OK;
}

static bool report(json_t *rows, uint32_t boxes, const char *phase, const peer *engine, const lap *l, const lap *rival)
{
    double mean = l->seconds / l->steps, theirs = rival->steps > 0 ? rival->seconds / rival->steps : 0;
    return json_array_append_new(rows, json_pack("{s:I, s:s, s:s, s:f, s:f, s:o, s:f, s:f}", "boxes", (json_int_t)boxes,
                                                 "phase", phase, "engine", engine->engine, "step (ms)", 1e3 * mean,
                                                 "worst step (ms)", 1e3 * l->worst, "times Bullet's",
                                                 theirs > 0 ? json_real(mean / theirs) : json_null(),
                                                 "deepest overlap (mm)", 1e3 * l->deepest / l->looks,
                                                 "mean overlap (mm)", 1e3 * l->mean / l->looks)) == 0;
}

static ash_status race(uint32_t boxes, json_t *rows, ash_diagnostic *diagnostic)
{
    pile p = {0};
    ash_status status = open_pile(&p, boxes, diagnostic);
    for (int phase = 0; phase < PHASES && status == ASH_OK; ++phase) {
        lap laps[RACERS] = {0};
        for (int turn = 0; turn < phase_steps[phase] / TURN; ++turn)
            for (int i = 0; i < RACERS && status == ASH_OK; ++i)
                if (p.racers[i].handle != NULL)
                    status = take_turn(&p, &p.racers[i], &laps[i], diagnostic);
        for (int i = 0; i < RACERS && status == ASH_OK; ++i)
            if (laps[i].steps > 0 && !report(rows, boxes, phases[phase], p.racers[i].engine, &laps[i], &laps[1]))
                status = ashi_out_of_memory(diagnostic);
    }
    close_pile(&p);
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
