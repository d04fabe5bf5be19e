/* Time of a step against its contact points, for cow-pile and letters as they fall and come to rest (Erleben 2007,
 * figures 18 and 19): what detection costs, and all else. Times are of the processor, with one thread; the exponents
 * are the slopes of log time over log points, steps gathered into bins that are each a fifth wider than the one before.
 * Bodies do not sleep, or most steps would cost nothing. */
#include "bench.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

enum { BINS = 64, FEWEST = 5, SMALLEST = 50 };

typedef struct bin {
    uint32_t steps;
    double points, detect, rest; /* sums */
} bin;

typedef struct measurement {
    bin bins[BINS];
    double before; /* processor time, s */
    uint32_t most; /* contact points */
    double points, detect, rest;
    double worst; /* step, s */
} measurement;

static bool take_step(const ash_world *world, uint32_t step, void *data)
{
    measurement *m = data;
    double now = bench_processor_seconds(), seconds = now - m->before;
    ash_step_report report = ash_world_get_report(world);
    m->before = now;
    if (step == 0 || report.contact_points < SMALLEST)
        return true;
    double share = report.seconds > 0 ? report.stage_seconds[ASH_STAGE_COLLIDE] / report.seconds : 0;
    uint32_t number = (uint32_t)(log((double)report.contact_points / SMALLEST) / log(1.2));
    bin *b = &m->bins[number < BINS ? number : BINS - 1];
    b->steps++;
    b->points += report.contact_points;
    b->detect += share * seconds;
    b->rest += (1 - share) * seconds;
    m->points += report.contact_points;
    m->detect += share * seconds;
    m->rest += (1 - share) * seconds;
    m->worst = fmax(m->worst, seconds);
    m->most = report.contact_points > m->most ? report.contact_points : m->most;
    m->before = bench_processor_seconds();
    return true;
}

/* The exponents of detection and of the rest. */
static void fit(const measurement *m, double *detect, double *rest)
{
    double x[BINS], one[BINS], other[BINS];
    uint32_t count = 0;
    for (int i = 0; i < BINS; i++)
        if (m->bins[i].steps >= FEWEST) {
            x[count] = m->bins[i].points / m->bins[i].steps;
            one[count] = m->bins[i].detect / m->bins[i].steps;
            other[count++] = m->bins[i].rest / m->bins[i].steps;
        }
    *detect = ashi_fitted_order(x, one, count);
    *rest = ashi_fitted_order(x, other, count);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static ash_status add_row(const char *scene, const char *settings, const char *method, json_t *rows,
                          ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    measurement m = {0};
    double detect, rest;
    char hash[24];
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, scene, "method=%s sleeping=off %s", method, settings);
    if (status != ASH_OK)
        return status;
    double h = experiment.scene->step;
    m.before = bench_processor_seconds();
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(experiment.scene->time / h), take_step, &m, NULL,
                                 diagnostic);
    if (status == ASH_OK) {
        fit(&m, &detect, &rest);
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)ash_world_get_hash(experiment.world));
        json_t *row =
            json_pack("{s:s, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:s}", "scene", scene, "method", method, "bodies",
                      (json_int_t)ash_world_get_bodies(experiment.world, NULL, 0), "most points", (json_int_t)m.most,
                      "worst step ms", m.worst * 1e3, "detect ns per point", number_or_null(m.detect * 1e9 / m.points),
                      "rest ns per point", number_or_null(m.rest * 1e9 / m.points), "detect exponent",
                      number_or_null(detect), "rest exponent", number_or_null(rest), "hash", hash);
        status = row && json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
    }
    ashi_experiment_close(&experiment);
    return status;
}

json_t *bench_figures(uint32_t most, ash_diagnostic *diagnostic)
{
    static const char *const methods[] = {"realtime", "erleben-2007"};
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (int i = 0; i < 4 && status == ASH_OK; i++) {
        char settings[96];
        uint32_t bodies = i < 2 ? 60 : 1000;
        bodies = bodies < most ? bodies : most;
        snprintf(settings, sizeof settings, i < 2 ? "n=%u columns=3 height=30 settle=5" : "n=%u", bodies);
        status = add_row(i < 2 ? "cow-pile" : "letters", settings, methods[i % 2], rows, diagnostic);
    }
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
