/* What becomes of falling cows: whether they come to rest, how deep they were in each other and in the ground, and what
 * energy the removal of overlap makes: the popcorn of Erleben 2007, section 6.1.
 *
 * Nothing drives the scene, so that the sum of kinetic and potential energy can only fall. What it gains in a step was
 * made by the method: by pushing overlapping bodies apart, or lifting them. The ledger must have recorded it. */
#include "experiments/builtin/cow_pile.h"

#include "ashlar/contact.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/experiment.h"
#include "math/transform.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const char source[] = "Erleben 2007, section 6.1";

typedef struct outcome {
    uint32_t cows;
    uint32_t below;  /* cows whose centre is below the ground at the end */
    double fallen;   /* energy that the fall gives, J */
    uint32_t feet;   /* quarters of the only cow with contacts at the end */
    double still;    /* kinetic energy for each cow at the end, J */
    double made;     /* sum of all gains of a step, J */
    double late;     /* the same in the last two seconds, J */
    double unbooked; /* the most that energy has grown beyond what is recorded, J */
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
    ash_ledger ledger = ash_world_get_ledger(world);
    double gained = step > 0 ? fmax(ledger.total - w->energy, 0) : 0;
    bool late = ash_world_get_time(world) > w->end - 2;
    o->made += gained;
    if (late) {
        o->late += gained;
        w->lowest = fmin(w->lowest, ledger.gravity);
        w->highest = fmax(w->highest, ledger.gravity);
    }
    w->energy = ledger.total;
    o->fallen = fmax(o->fallen, ledger.kinetic);
    o->unbooked = fmax(o->unbooked, ledger.remainder);
    o->overlap = ash_world_get_report(world).penetration;
    o->deepest = fmax(o->deepest, o->overlap);
    o->still = ledger.kinetic;
    return true;
}

/* Quarters of a body, seen from above in its own frame, that have a contact. */
static ash_status count_feet(const ash_world *world, ash_body cow, uint32_t *feet, ash_diagnostic *diagnostic)
{
    enum { MOST = 64 };
    uint32_t count = ash_world_get_contacts(world, NULL, 0), seen = 0;
    ash_contact *contacts = ashi_alloc_array(count, sizeof *contacts);
    ash_transform pose = ash_body_get_transform(world, cow);
    if (contacts == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_contacts(world, contacts, count);
    for (uint32_t i = 0; i < count; i++) {
        ash_contact_point points[MOST];
        uint32_t most = ash_world_get_contact_points(world, i, points, MOST);
        for (uint32_t k = 0; k < most && k < MOST; k++) {
            ash_vec3 at = t_point_inverse(pose, points[k].on_b);
            seen |= 1u << ((at.x > 0) + 2 * (at.y > 0));
        }
    }
    ashi_dealloc(contacts);
    for (*feet = 0; seen != 0; seen >>= 1)
        *feet += seen & 1;
    return ASH_OK;
}

/* Counts the cows, and what is below the ground. */
static ash_status finish(const ash_world *world, watch *w, ash_diagnostic *diagnostic)
{
    uint32_t count = ash_world_get_bodies(world, NULL, 0);
    ash_body *bodies = ashi_alloc_array(count, sizeof *bodies);
    outcome *o = &w->result;
    double weight = 0;
    if (bodies == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_bodies(world, bodies, count);
    for (uint32_t i = 0; i < count; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC) {
            o->cows++;
            o->below += ash_body_get_centre(world, bodies[i]).z < 0;
            weight -= ash_body_get_mass(world, bodies[i]).mass * ash_world_get_gravity(world).z;
        }
    o->still /= o->cows;
    o->swing = (w->highest - w->lowest) / weight;
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < count && o->cows == 1; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC)
            status = count_feet(world, bodies[i], &o->feet, diagnostic);
    ashi_dealloc(bodies);
    return status;
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

/* ---- one cow, figure 30 ---- */

/* One way to let a cow stand: what it sways by is judged, or compared from step to step. */
typedef struct stance {
    const char *title, *settings;
    double sway; /* m, the limit; 0: reported, and the shortest step must sway least */
} stance;

/* A cow that comes down upright from a hand's breadth: the saw-tooth of its potential energy. */
static ash_status stand(ashi_validation *validation, const stance *t, double h, double *swing,
                        ash_diagnostic *diagnostic)
{
    static const char figure[] = "Erleben 2007, figure 30";
    outcome o = {0};
    char settings[192], quantity[96];
    snprintf(settings, sizeof settings, "%s sleeping=off n=1 turned=no height=0.9 settle=4", t->settings);
    ash_status status = drop(settings, h, &o, diagnostic);
    if (status != ASH_OK)
        return status;
    snprintf(quantity, sizeof quantity, "one cow stands, %s, h %g: feet on the ground", t->title, h);
    if (t->sway > 0) /* else it rises and drops */
        ashi_validation_near(validation, quantity, figure, 4, o.feet, 0);
    snprintf(quantity, sizeof quantity, "one cow stands, %s, h %g: swing of its height in the last 2 s, m", t->title,
             h);
    if (t->sway > 0)
        ashi_validation_below(validation, quantity, figure, o.swing, t->sway);
    ashi_validation_point(validation, figure, t->title, h, NAN, o.swing);
    *swing = o.swing;
    return ASH_OK;
}

/* By sweeps from nothing the cow rises and drops: the less, the shorter the step. Solved exactly, or from the last
 * impulses, it stands still. */
static ash_status stand_by_all(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const stance stances[] = {
        {"erleben-2007 alone",
         "method=erleben-2007 shock-hold=all shock-motion=stages gaps=hold warm-start=off settling=0 slop=0", 0},
        {"dejong-2014", "method=dejong-2014", 0},
        {"erleben-2007", "method=erleben-2007", 1e-6},
        {"realtime", "method=realtime", 1e-6},
        {"engineering", "method=engineering", 1e-6},
    };
    static const double steps[] = {0.01, 0.005, 0.001};
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof stances / sizeof *stances && status == ASH_OK && !validation->stopped; i++) {
        double swing[3] = {0};
        for (int k = 0; k < 3 && status == ASH_OK; k++)
            status = stand(validation, &stances[i], steps[k], &swing[k], diagnostic);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "one cow stands, %s: swing at h 0.001 over that at 0.01", stances[i].title);
        if (status == ASH_OK && stances[i].sway == 0)
            ashi_validation_below(validation, quantity, "Erleben 2007, figure 30", swing[2] / swing[0], 0.5);
    }
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
