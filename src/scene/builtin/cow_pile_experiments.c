/* What becomes of falling cows: whether they come to rest, how deep they were in each other and in the ground, and what
 * energy the removal of overlap makes: the popcorn of Erleben 2007, section 6.1.
 *
 * Nothing drives the scene, so that the sum of kinetic and potential energy can only fall. What it gains in a step was
 * made by the method: by pushing overlapping bodies apart, or lifting them. The ledger must have booked it. */
#include "scene/builtin/cow_pile.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/vec3.h"
#include "scene/experiment.h"

#include <math.h>
#include <stdio.h>

static const char source[] = "Erleben 2007, section 6.1";

typedef struct outcome {
    uint32_t cows;
    uint32_t below;  /* cows whose centre is below the ground at the end */
    double fallen;   /* energy that the fall gives, J */
    double still;    /* kinetic energy for each cow at the end, J */
    double made;     /* sum of all gains of a step, J */
    double late;     /* the same in the last two seconds, J */
    double unbooked; /* the most that energy has grown beyond what is booked, J */
    double deepest;  /* overlap of any step, m */
    double overlap;  /* at the end, m */
    double swing;    /* highest less lowest potential energy in the last two seconds, over the weight, m */
} outcome;

typedef struct watch {
    double end; /* s */
    double energy;
    double lowest, highest; /* potential energy in the last two seconds, J */
    outcome result;
} watch;

static bool look(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    outcome *o = &w->result;
    ash_ledger ledger = ash_world_ledger(world);
    double gained = step > 0 ? fmax(ledger.total - w->energy, 0) : 0;
    bool late = ash_world_time(world) > w->end - 2;
    o->made += gained;
    if (late) {
        o->late += gained;
        w->lowest = fmin(w->lowest, ledger.gravity);
        w->highest = fmax(w->highest, ledger.gravity);
    }
    w->energy = ledger.total;
    o->fallen = fmax(o->fallen, ledger.kinetic);
    o->unbooked = fmax(o->unbooked, ledger.remainder);
    o->overlap = ash_world_report(world).penetration;
    o->deepest = fmax(o->deepest, o->overlap);
    o->still = ledger.kinetic;
    return true;
}

/* Counts the cows, and what is below the ground. */
static ash_status finish(const ash_world *world, watch *w, ash_diagnostic *diagnostic)
{
    uint32_t count = ash_world_bodies(world, NULL, 0);
    ash_body *bodies = ashi_alloc_array(count, sizeof *bodies);
    outcome *o = &w->result;
    double weight = 0;
    if (bodies == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_bodies(world, bodies, count);
    for (uint32_t i = 0; i < count; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC) {
            o->cows++;
            o->below += ash_body_get_centre(world, bodies[i]).z < 0;
            weight -= ash_body_get_mass(world, bodies[i]).mass * ash_world_get_gravity(world).z;
        }
    o->still /= o->cows;
    o->swing = (w->highest - w->lowest) / weight;
    ashi_free(bodies);
    return ASH_OK;
}

static ash_status drop(const char *settings, double h, outcome *result, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "cow-pile", "%s", settings);
    if (status != ASH_OK)
        return status;
    watch w = {.end = experiment.scene->time, .lowest = INFINITY, .highest = -INFINITY};
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(w.end / h), look, &w, NULL, diagnostic);
    if (status == ASH_OK)
        status = finish(experiment.world, &w, diagnostic);
    *result = w.result;
    ashi_experiment_close(&experiment);
    return status;
}

/* One way to let them fall. Rest and penetration are judged where the method promises them. */
typedef struct trial {
    const char *title, *settings;
    double h; /* s */
    bool judged;
} trial;

static void hand_in(ashi_validation *validation, const trial *t, const outcome *o)
{
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: cows below the ground at the end, of %u", t->title, o->cows);
    if (t->judged)
        ashi_validation_below(validation, quantity, source, o->below, 0);
    else
        ashi_validation_report(validation, quantity, source, 0, o->below);
    snprintf(quantity, sizeof quantity, "%s: energy gained beyond what is booked, of the fall's", t->title);
    if (t->judged)
        ashi_validation_below(validation, quantity, "exact", o->unbooked / o->fallen, 0.01);
    else
        ashi_validation_report(validation, quantity, "exact", 0, o->unbooked / o->fallen);
    snprintf(quantity, sizeof quantity, "%s: kinetic energy of a cow at the end, J", t->title);
    if (t->judged)
        ashi_validation_below(validation, quantity, source, o->still, ASHI_COW_REST);
    else
        ashi_validation_report(validation, quantity, source, NAN, o->still);
    snprintf(quantity, sizeof quantity, "%s: largest overlap of any step, m", t->title);
    ashi_validation_report(validation, quantity, source, NAN, o->deepest);
    snprintf(quantity, sizeof quantity, "%s: largest overlap at the end, m", t->title);
    ashi_validation_report(validation, quantity, source, NAN, o->overlap);
    snprintf(quantity, sizeof quantity, "%s: energy made by corrections, of the fall's", t->title);
    ashi_validation_report(validation, quantity, source, NAN, o->made / o->fallen);
    snprintf(quantity, sizeof quantity, "%s: the same in the last 2 s, J a cow", t->title);
    ashi_validation_report(validation, quantity, source, NAN, o->late / o->cows);
}

/* A single cow dropped upright from a hand's breadth stands on its feet: the saw-tooth of its potential energy. */
static ash_status stand(ashi_validation *validation, const char *method, double h, ash_diagnostic *diagnostic)
{
    outcome o = {0};
    char settings[96], quantity[96];
    snprintf(settings, sizeof settings, "method=%s sleeping=off n=1 turned=no height=0.9 settle=4", method);
    ash_status status = drop(settings, h, &o, diagnostic);
    if (status != ASH_OK)
        return status;
    snprintf(quantity, sizeof quantity, "one cow stands, %s, h %g: swing of its height in the last 2 s, m", method, h);
    ashi_validation_report(validation, quantity, "Erleben 2007, figure 30", NAN, o.swing);
    return ASH_OK;
}

static ash_status stand_by_all(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const methods[] = {"erleben-2007", "realtime", "dejong-2014", "engineering"};
    static const double steps[] = {0.01, 0.005, 0.001};
    ash_status status = ASH_OK;
    for (int i = 0; i < 12 && status == ASH_OK && !validation->stopped; i++)
        status = stand(validation, methods[i / 3], steps[i % 3], diagnostic);
    return status;
}

ash_status ashi_validate_cow_pile(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const trial trials[] = {
        {"250 cows, realtime, h 0.01", "method=realtime", 0.01, true},
        {"20 cows, realtime, h 0.01", "method=realtime n=20 columns=2", 0.01, true},
        {"20 cows, realtime, h 0.001", "method=realtime n=20 columns=2", 0.001, true},
        {"20 cows, erleben-2007, h 0.01", "method=erleben-2007 n=20 columns=2", 0.01, true},
        {"20 cows, erleben-2007, h 0.001", "method=erleben-2007 n=20 columns=2", 0.001, true},
        {"20 cows, guendelman-2003, h 0.01", "method=guendelman-2003 n=20 columns=2", 0.01, false},
        {"20 cows, dejong-2014, h 0.01", "method=dejong-2014 n=20 columns=2", 0.01, false},
    };
    ash_status status = stand_by_all(validation, diagnostic);
    for (size_t i = 0; i < sizeof trials / sizeof *trials && status == ASH_OK && !validation->stopped; i++) {
        outcome o = {0};
        status = drop(trials[i].settings, trials[i].h, &o, diagnostic);
        if (status == ASH_OK)
            hand_in(validation, &trials[i], &o);
    }
    return status;
}
