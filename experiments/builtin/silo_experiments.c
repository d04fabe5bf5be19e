/* The silo: does it keep its grains until it opens, how fast do they flow out, and how does the work of a step grow
 * with the contacts (Erleben 2007, figures 18 and 19)? Work is counted, so that its exponent is the same on every
 * machine: multiplications of the solver, and 100 for each pair of shapes that was looked at.
 *
 * A grain is lost when its centre has gone through a wall, a plate, the gate or the ground: it is below the ground, or
 * it is outside of the walls and not below the slot. The flow is that between a fifth and three fifths of all. */
#include "experiments/builtin/silo.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

#define OF_A_PAIR 100.0 /* multiplications, about */
enum { POINTS = 60 };   /* of a curve, about */

/* A run, and what was seen of it. Times in s, lengths in m. */
typedef struct watch {
    ash_body *bodies; /* walls included */
    uint32_t count, grains;
    ashi_silo silo;
    double opened;
    double *contacts, *work, *tests, *seconds; /* contact points, work, pairs and time of steps that have many points */
    uint32_t crowded;                          /* their number */
    uint32_t lost;                             /* grains, the most at any time */
    uint32_t early;                            /* grains below the slot just before it opens */
    uint32_t out;                              /* below the slot */
    double fifth, three_fifths;                /* when so many were out */
    double overlap;                            /* just before it opens */
} watch;

static void count_grains(const ash_world *world, watch *w)
{
    const double reach = w->silo.inner + ASHI_SILO_THICKNESS;
    uint32_t lost = 0;
    w->out = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        if (!ash_body_is_valid(world, w->bodies[i]) || ash_body_get_type(world, w->bodies[i]) != ASH_BODY_DYNAMIC)
            continue;
        ash_vec3 at = ash_body_get_centre(world, w->bodies[i]);
        bool below = at.z < w->silo.outlet - ASHI_SILO_THICKNESS;
        w->out += below;
        lost += at.z < 0 || (!below && (fabs(at.x) > reach || fabs(at.y) > reach));
    }
    w->lost = lost > w->lost ? lost : w->lost;
}

static bool look(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    ash_step_report report = ash_world_get_report(world);
    double time = ash_world_get_time(world);
    if (step == 0)
        return true;
    count_grains(world, w);
    if (time <= w->opened) {
        w->early = w->out;
        w->overlap = report.penetration;
    }
    w->fifth = w->out < 0.2 * w->grains ? time : w->fifth;
    w->three_fifths = w->out < 0.6 * w->grains ? time : w->three_fifths;
    if (report.contact_points > w->grains / 2) {
        w->contacts[w->crowded] = report.contact_points;
        w->tests[w->crowded] = (double)(report.pairs + report.pair_tests);
        w->work[w->crowded] = (double)report.operations + OF_A_PAIR * w->tests[w->crowded];
        w->seconds[w->crowded++] = report.seconds;
    }
    return true;
}

static ash_status watch_run(ashi_experiment *experiment, watch *w, ash_diagnostic *diagnostic)
{
    const ash_scene *scene = experiment->scene;
    uint32_t steps = (uint32_t)lround(scene->time / scene->step), taken = 0;
    w->opened = scene->events.data[0].time; /* the only event */
    w->count = ash_world_get_bodies(experiment->world, NULL, 0);
    w->bodies = ashi_alloc_array(w->count, sizeof *w->bodies);
    w->contacts = ashi_alloc_array(steps, sizeof *w->contacts);
    w->work = ashi_alloc_array(steps, sizeof *w->work);
    w->tests = ashi_alloc_array(steps, sizeof *w->tests);
    w->seconds = ashi_alloc_array(steps, sizeof *w->seconds);
    if (w->bodies == NULL || w->contacts == NULL || w->work == NULL || w->tests == NULL || w->seconds == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_bodies(experiment->world, w->bodies, w->count);
    for (uint32_t i = 0; i < w->count; i++)
        w->grains += ash_body_get_type(experiment->world, w->bodies[i]) == ASH_BODY_DYNAMIC;
    w->silo = ashi_plan_silo(w->grains);
    return ashi_experiment_run(experiment, scene->step, steps, look, w, &taken, diagnostic);
}

static void hand_in(ashi_validation *v, const char *title, const watch *w)
{
    static const char source[] = "Erleben 2007, figure 18";
    char quantity[120];
    double flow = 0.4 * w->grains / (w->three_fifths - w->fifth);
    snprintf(quantity, sizeof quantity, "%s: grains lost through walls or ground", title);
    ashi_validation_below(v, quantity, source, w->lost, 0);
    snprintf(quantity, sizeof quantity, "%s: grains out before the gate opens", title);
    ashi_validation_below(v, quantity, source, w->early, 0);
    snprintf(quantity, sizeof quantity, "%s: part of the grains out in the end", title);
    ashi_validation_above(v, quantity, source, w->out / (double)w->grains, 0.6);
    snprintf(quantity, sizeof quantity, "%s: flow, grains a second", title);
    ashi_validation_report(v, quantity, source, NAN, flow);
    snprintf(quantity, sizeof quantity, "%s: largest overlap before the gate opens, m", title);
    ashi_validation_report(v, quantity, source, NAN, w->overlap);
    snprintf(quantity, sizeof quantity, "%s: exponent of a step's work against contact points", title);
    ashi_validation_below(v, quantity, source, ashi_fitted_order(w->contacts, w->work, w->crowded), 1.1);
    snprintf(quantity, sizeof quantity, "%s: exponent of the pairs tested against contact points", title);
    ashi_validation_below(v, quantity, "Erleben 2007, figure 19", ashi_fitted_order(w->contacts, w->tests, w->crowded),
                          1.1);
    for (uint32_t i = 0; i < w->crowded; i += 1 + w->crowded / POINTS) {
        ashi_validation_point(v, "Erleben 2007, figure 18", title, w->contacts[i], NAN, w->work[i]);
        ashi_validation_point(v, "Erleben 2007, figure 19", title, w->contacts[i], NAN, w->tests[i]);
    }
    snprintf(quantity, sizeof quantity, "%s: exponent of a step's time against contact points", title);
    ashi_validation_report(v, quantity, source, 1, ashi_fitted_order(w->contacts, w->seconds, w->crowded));
}

/* The paper's own method, without the 3000 grains of which its steps take minutes, and `realtime`. */
ash_status ashi_validate_silo(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const titles[] = {"300 grains, erleben-2007", "1000 grains, erleben-2007",
                                         "300 grains, realtime", "3000 grains, realtime"};
    static const char *const settings[] = {"method=erleben-2007 n=300", "method=erleben-2007 n=1000",
                                           "method=realtime sleeping=off n=300", "method=realtime sleeping=off n=3000"};
    ash_status status = ASH_OK;
    for (int i = 0; i < 4 && status == ASH_OK && !validation->stopped; i++) {
        ashi_experiment experiment;
        watch w = {0};
        status = ashi_experiment_open(&experiment, diagnostic, "silo", "%s", settings[i]);
        if (status != ASH_OK)
            return status;
        status = watch_run(&experiment, &w, diagnostic);
        if (status == ASH_OK)
            hand_in(validation, titles[i], &w);
        ashi_dealloc(w.bodies);
        ashi_dealloc(w.contacts);
        ashi_dealloc(w.work);
        ashi_dealloc(w.tests);
        ashi_dealloc(w.seconds);
        ashi_experiment_close(&experiment);
    }
    return status;
}
