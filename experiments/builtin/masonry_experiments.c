/* Do box-stack, wall and tower stand? By the exact solver, by Gauss-Seidel, by shock propagation, and as users run
 * them; for as long as Erleben watched them, and for a minute.
 *
 * Bed joints are measured after the run by a detection that also sees gaps, whatever margin the method has. */
#include "experiments/builtin/masonry.h"

#include "ashlar/contact.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double gap_seen = 0.005, standing = 0.1; /* m: margin of the measurement; a block further off has fallen */

typedef struct outcome {
    double joint;    /* the largest gap or overlap of a bed joint at the end, m */
    double moved;    /* the farthest that a block is from its place at the end, m */
    double drift;    /* the same sideways, m */
    double residual; /* the worst of any step by the yardstick, m/s */
    double stood;    /* time until a block was out of its place, s */
} outcome;

typedef struct watch {
    const ash_body *bodies;
    const ash_vec3 *places;
    uint32_t count;
    outcome result;
} watch;

static void look_at_places(const ash_world *world, watch *w)
{
    w->result.moved = w->result.drift = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        ash_vec3 way = v3_sub(ash_body_get_centre(world, w->bodies[i]), w->places[i]);
        w->result.moved = fmax(w->result.moved, v3_norm(way));
        w->result.drift = fmax(w->result.drift, v3_norm(v3(way.x, way.y, 0)));
    }
}

static bool look(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    if (step > 0)
        w->result.residual = fmax(w->result.residual, ash_world_get_report(world).error.largest);
    look_at_places(world, w);
    w->result.stood = ash_world_get_time(world);
    return w->result.moved < standing;
}

static ash_status measure_joints(ash_world *world, double *worst, ash_diagnostic *diagnostic)
{
    ash_method method = ash_world_get_method(world);
    method.contact_margin = gap_seen;
    ash_world_set_method(world, &method);
    ash_status status = ash_world_detect(world);
    uint32_t count = ash_world_get_contacts(world, NULL, 0);
    ash_contact *contacts = ashi_alloc_array(count, sizeof *contacts);
    if (status != ASH_OK || contacts == NULL) {
        ashi_dealloc(contacts);
        return ashi_out_of_memory(diagnostic);
    }
    ash_world_get_contacts(world, contacts, count);
    *worst = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; fabs(contacts[i].normal.z) > 0.9 && k < contacts[i].point_count; k++)
            *worst = fmax(*worst, fabs(contacts[i].points[k].depth));
    ashi_dealloc(contacts);
    return ASH_OK;
}

enum { FALLS, STANDS, STANDS_CLOSED }; /* with joints that open and overlap by less than 1 mm */

/* One way to run a scene, and what becomes of it. */
typedef struct trial {
    const char *title, *settings;
    const char *method; /* null: the scene's own */
    double time;
    int fate;
    double drift; /* limit of the way sideways, m; 0: told */
} trial;

/* The method of a trial. Gauss-Seidel begins from nothing in each step, as in the paper, and sweeps 100 times. */
static ash_status choose_method(ash_world *world, const char *name, ash_diagnostic *diagnostic)
{
    ash_method method;
    if (name == NULL)
        return ASH_OK;
    ash_status status = ash_method_find(name, &method, diagnostic);
    if (status != ASH_OK)
        return status;
    if (method.solver.solver == ASH_SOLVER_PGS)
        method.solver.iterations = 100;
    method.sleeping = ASH_SLEEP_OFF; /* the solver alone keeps it up */
    return ash_world_set_method(world, &method);
}

static ash_status watch_trial(ashi_experiment *experiment, const trial *t, ash_body *bodies, ash_vec3 *places,
                              uint32_t count, outcome *result, ash_diagnostic *diagnostic)
{
    ash_world *world = experiment->world;
    double h = experiment->scene->step;
    watch w = {.bodies = bodies, .places = places, .count = count};
    ash_world_get_bodies(world, bodies, count);
    for (uint32_t i = 0; i < count; i++)
        places[i] = ash_body_get_centre(world, bodies[i]);
    ash_status status = choose_method(world, t->method, diagnostic);
    if (status == ASH_OK)
        status = ashi_experiment_run(experiment, h, (uint32_t)lround(t->time / h), look, &w, NULL, diagnostic);
    if (status == ASH_OK)
        status = measure_joints(world, &w.result.joint, diagnostic);
    *result = w.result;
    return status;
}

static ash_status stand(const char *scene, const trial *t, outcome *result, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene, "%s", t->settings);
    if (status != ASH_OK)
        return status;
    uint32_t count = ash_world_get_bodies(experiment.world, NULL, 0);
    ash_body *bodies = ashi_alloc_array(count, sizeof *bodies);
    ash_vec3 *places = ashi_alloc_array(count, sizeof *places);
    status = bodies != NULL && places != NULL ? watch_trial(&experiment, t, bodies, places, count, result, diagnostic)
                                              : ashi_out_of_memory(diagnostic);
    ashi_dealloc(bodies);
    ashi_dealloc(places);
    ashi_experiment_close(&experiment);
    return status;
}

static void hand_in(ashi_validation *validation, const char *source, const trial *t, const outcome *o)
{
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: time that it stands, s (of %g)", t->title, t->time);
    if (t->fate == FALLS) /* seen by the paper after 4 s */
        ashi_validation_below(validation, quantity, source, o->stood, 4);
    else
        ashi_validation_above(validation, quantity, source, o->stood, t->time - 1e-9);
    snprintf(quantity, sizeof quantity, "%s: largest gap or overlap at the end, m", t->title);
    if (t->fate == STANDS_CLOSED)
        ashi_validation_below(validation, quantity, source, o->joint, 0.001);
    else
        ashi_validation_report(validation, quantity, source, NAN, o->joint);
    snprintf(quantity, sizeof quantity, "%s: farthest block from its place, m", t->title);
    ashi_validation_report(validation, quantity, source, NAN, o->moved);
    snprintf(quantity, sizeof quantity, "%s: farthest sideways, m", t->title);
    if (t->drift > 0)
        ashi_validation_below(validation, quantity, source, o->drift, t->drift);
    else
        ashi_validation_report(validation, quantity, source, NAN, o->drift);
    snprintf(quantity, sizeof quantity, "%s: worst error of a step, m/s", t->title);
    ashi_validation_report(validation, quantity, "yardstick", NAN, o->residual);
}

static ash_status hand_in_all(ashi_validation *validation, const char *source, const trial *trials, uint32_t count,
                              ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < count; i++) {
        outcome o = {0};
        ash_status status = stand(validation->scene, &trials[i], &o, diagnostic);
        if (status != ASH_OK)
            return status;
        hand_in(validation, source, &trials[i], &o);
    }
    return ASH_OK;
}

ash_status ashi_validate_box_stack(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const trial trials[] = {
        {"25 cubes, engineering", "", NULL, 10, STANDS_CLOSED, 0},
        {"25 cubes, dejong-2014, 100 sweeps", "", "dejong-2014", 10, FALLS, 0},
        {"25 cubes, realtime", "", "realtime", 10, STANDS_CLOSED, 0},
        {"25 cubes, erleben-2007", "", "erleben-2007", 10, STANDS_CLOSED, 0},
        {"25 cubes, guendelman-2003", "", "guendelman-2003", 10, STANDS_CLOSED, 0},
        {"25 cubes for a minute, engineering", "", NULL, 60, STANDS_CLOSED, 0.001},
        {"25 cubes for a minute, realtime", "", "realtime", 60, STANDS_CLOSED, 0.001},
        {"25 cubes for a minute, erleben-2007", "", "erleben-2007", 60, STANDS_CLOSED, 0.001},
    };
    return hand_in_all(validation, "Erleben 2007, figure 9", trials, sizeof trials / sizeof *trials, diagnostic);
}

ash_status ashi_validate_wall(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const trial trials[] = {
        {"20 x 10, engineering", "", NULL, 4, STANDS_CLOSED, 0},
        {"20 x 10, dejong-2014, 100 sweeps", "", "dejong-2014", 4, STANDS, 0},
        {"20 x 10, realtime", "", "realtime", 4, STANDS_CLOSED, 0},
        {"20 x 10, erleben-2007", "", "erleben-2007", 4, STANDS_CLOSED, 0},
        {"20 x 10, guendelman-2003", "", "guendelman-2003", 4, STANDS_CLOSED, 0},
    };
    return hand_in_all(validation, "Erleben 2007, figure 10", trials, sizeof trials / sizeof *trials, diagnostic);
}

ash_status ashi_validate_tower(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const trial trials[] = {
        {"320 bricks, engineering", "", NULL, 4, STANDS_CLOSED, 0},
        {"320 bricks, dejong-2014, 100 sweeps", "", "dejong-2014", 4, STANDS, 0},
        {"320 bricks, realtime", "", "realtime", 4, STANDS_CLOSED, 0},
        {"320 bricks, erleben-2007", "", "erleben-2007", 4, STANDS_CLOSED, 0},
        {"320 bricks, guendelman-2003", "", "guendelman-2003", 4, STANDS_CLOSED, 0},
        {"800 bricks for a minute, engineering", "layers=40", NULL, 60, STANDS_CLOSED, 0},
        {"800 bricks for a minute, realtime", "layers=40", "realtime", 60, STANDS_CLOSED, 0},
        {"800 bricks for a minute, erleben-2007", "layers=40", "erleben-2007", 60, STANDS_CLOSED, 0},
    };
    return hand_in_all(validation, "Erleben 2007, figure 11", trials, sizeof trials / sizeof *trials, diagnostic);
}
