/* friction-ellipse: a point mass slides over a plane under a horizontal force that turns (de Jong 2014, 6-1-2).
 *
 * The exact motion is dv/dt = F(t)/m - mu g v/|v|; the force exceeds friction, so that the mass never rests. It is
 * integrated here by the classical Runge-Kutta method with steps of 0.1 ms. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, friction = 0.25, mass = 1, force = 3, start_speed = 1.5, duration = 10;
#define INTERVAL 0.1 /* s between the places compared */
enum { PLACES = 100 };

static const ash_scene_parameter parameters[] = {
    {.name = "law",
     .summary = "of friction: cone, pyramid or box",
     .choices = "cone|pyramid|box",
     .choice_value = "cone"},
    {.name = "h", .summary = "step, s", .value = 0.01, .low = 1e-5, .high = 0.5},
};

typedef struct motion {
    double x, y, u, v;
} motion;

static motion rate(double t, motion m)
{
    double speed = hypot(m.u, m.v), drag = friction * gravity / speed;
    return (motion){m.u, m.v, force / mass * cos(t) - drag * m.u, force / mass * sin(t) - drag * m.v};
}

static motion moved(motion m, motion r, double h)
{
    return (motion){m.x + h * r.x, m.y + h * r.y, m.u + h * r.u, m.v + h * r.v};
}

static motion exact_after(motion m, double from, double interval, double *fastest)
{
    uint32_t steps = (uint32_t)ceil(interval / 1e-4);
    double h = interval / steps;
    for (uint32_t i = 0; i < steps; i++) {
        double t = from + i * h;
        motion a = rate(t, m), b = rate(t + h / 2, moved(m, a, h / 2)), c = rate(t + h / 2, moved(m, b, h / 2));
        motion d = rate(t + h, moved(m, c, h));
        m = moved(moved(moved(moved(m, a, h / 6), b, h / 3), c, h / 3), d, h / 6);
        *fastest = fmax(*fastest, hypot(m.u, m.v));
    }
    return m;
}

static void add_load(ash_scene *scene, uint32_t body, const char *name, ash_vec3 direction, double phase)
{
    ashi_scene_force load = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    load.def.load.name = name;
    load.def.load.body = ashi_scene_body_ref(body);
    load.def.load.force = direction;
    load.def.load.signal = (ash_signal){.kind = ASH_SIGNAL_HARMONIC, .rate = 1, .phase = phase};
    ashi_scene_add_force(scene, &load);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    ash_friction_law law = (ash_friction_law)ashi_parameter_choice(given, "law");
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = ashi_parameter(given, "h");
    scene->time = duration;
    uint32_t surface = ashi_add_material(scene, "surface", friction, 0), body;
    ash_status status = ashi_add_ground(scene, surface, diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ball(scene, "mass", (ash_vec3){0, 0, 0.1}, 0.1, mass, surface, &body, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->bodies.data[body].def.locks = ASH_LOCK_ROTATION;
    scene->bodies.data[body].def.velocity.x = start_speed;
    add_load(scene, body, "turning force x", (ash_vec3){force, 0, 0}, 0);
    add_load(scene, body, "turning force y", (ash_vec3){0, force, 0}, -ASHI_PI / 2);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, body, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "y", ASHI_BODY_POSITION, body, ASHI_Y);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    if (law == ASH_FRICTION_CONE) {
        double fastest = 0;
        motion end = exact_after((motion){0, 0, start_speed, 0}, 0, duration, &fastest);
        ashi_expect_output(scene, "x at the end on Coulomb's motion, within the way of a step", x, ASHI_FINAL, end.x,
                           scene->step * fastest);
        ashi_expect_output(scene, "y at the end on Coulomb's motion, within the way of a step", y, ASHI_FINAL, end.y,
                           scene->step * fastest);
    }
    static const char *const words[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
    status = ashi_use_method(scene, "engineering", diagnostic);
    ash_setting fields[] = {{"friction-law", words[law]}, {"friction-directions", "4"}};
    return status == ASH_OK ? ashi_change_method(scene, fields, 2, diagnostic) : status;
}

/* ---- experiments ---- */

typedef struct comparison {
    ash_body body;
    uint32_t steps_between;
    motion exact[PLACES + 1];
    double worst;       /* m */
    double unexplained; /* energy that no work of the ledger explains at the end, J */
} comparison;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    comparison *c = data;
    if (step % c->steps_between == 0 && step / c->steps_between <= PLACES) {
        const motion *exact = &c->exact[step / c->steps_between];
        ash_vec3 at = ash_body_get_centre(world, c->body);
        c->worst = fmax(c->worst, hypot(at.x - exact->x, at.y - exact->y));
    }
    return true;
}

static ash_status compare(comparison *c, double h, const char *settings, double *error, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "friction-ellipse", "h=%.17g %s", h, settings);
    if (status != ASH_OK)
        return status;
    c->body = ash_world_find_body(experiment.world, "mass");
    c->steps_between = (uint32_t)lround(INTERVAL / h);
    c->worst = 0;
    status = ashi_experiment_run(&experiment, h, c->steps_between * PLACES, observe, c, NULL, diagnostic);
    *error = c->worst;
    c->unexplained = fabs(ash_world_get_ledger(experiment.world).remainder);
    ashi_experiment_close(&experiment);
    return status;
}

static const char across[] =
    "Across the sliding the box holds up to mu N more, where Coulomb's law has nothing: a turning force bends the path "
    "no more truly than with fixed axes.";

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    static const struct {
        const char *title, *settings;
    } cases[] = {{"cone", "law=cone"},
                 {"cone, symplectic Euler", "law=cone integrator=symplectic-euler"},
                 {"box along the sliding, 10 sweeps", "law=box friction-axes=sliding solver=pgs iterations=10 "
                                                      "integrator=symplectic-euler"},
                 {"box along the axes", "law=box"},
                 {"pyramid of 4", "law=pyramid"}};
    comparison c;
    double fastest = 0;
    c.exact[0] = (motion){0, 0, start_speed, 0};
    for (int i = 0; i < PLACES; i++)
        c.exact[i + 1] = exact_after(c.exact[i], i * INTERVAL, INTERVAL, &fastest);
    char quantity[112];
    double cone = 0, along_sliding = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases && !validation->stopped; k++) {
        double errors[SIZES];
        for (int i = 0; i < SIZES; i++) {
            ash_status status = compare(&c, sizes[i], cases[k].settings, &errors[i], diagnostic);
            if (status != ASH_OK)
                return status;
        }
        for (int i = 0; i < SIZES; i++)
            ashi_validation_point(validation, "de Jong 2014, 6-1-2", cases[k].title, sizes[i], NAN, errors[i]);
        double last = errors[SIZES - 1];
        if (k < 2) {
            snprintf(quantity, sizeof quantity, "order of the path's error, h 0.1 to 0.001 s, %s: at least",
                     cases[k].title);
            ashi_validation_above(validation, quantity, "theory", ashi_fitted_order(sizes, errors, SIZES), 0.9);
            snprintf(quantity, sizeof quantity, "error of the path over 10 s, h 1 ms, m, %s", cases[k].title);
            ashi_validation_below(validation, quantity, "exact Coulomb motion", last, 0.005);
            cone = fmax(cone, last);
            snprintf(quantity, sizeof quantity, "energy that no work explains after 10 s, h 1 ms, J, %s",
                     cases[k].title);
            ashi_validation_below(validation, quantity, "exact", c.unexplained, 1e-9);
        } else if (k == 2) {
            snprintf(quantity, sizeof quantity, "error of the path over 10 s, h 1 ms, m, %s", cases[k].title);
            ashi_validation_report(validation, quantity, "de Jong 2014, figure 6-3", 0, last);
            along_sliding = last;
        } else {
            snprintf(quantity, sizeof quantity, "error at h 1 ms over that at 2 ms, %s (does not vanish): at least",
                     cases[k].title);
            ashi_validation_above(validation, quantity, "de Jong 2014, figure 6-3", last / errors[SIZES - 2], 0.9);
            snprintf(quantity, sizeof quantity, "error at h 1 ms over that of the cone, %s: at least", cases[k].title);
            ashi_validation_above(validation, quantity, "de Jong 2014, 4-4-2", last / cone, 10);
            if (k == 3) { /* "to improve the accuracy" */
                ashi_validation_explain(validation, across);
                ashi_validation_below(validation,
                                      "error at h 1 ms of the box along the sliding over that along the axes",
                                      "de Jong 2014, 6-1-2", along_sliding / last, 1);
            }
        }
    }
    return ASH_OK;
}

const ashi_builtin ashi_scene_friction_ellipse = {
    .info = {.name = "friction-ellipse",
             .summary = "a mass slides over a plane under a turning force",
             .source = "de Jong 2014, 6-1-2",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
