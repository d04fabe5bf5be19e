/* rod-impact: a rod strikes the ground at a slant, with friction, by three laws of restitution (docs/impacts.md).
 *
 * Friction stops the slip of the struck end early, and the end sticks from there on. Newton's law asks for the rebound
 * speed all the same, and with e = 1 the rod would leave with half as much energy again. In the plane the impact has a
 * closed solution (Routh 1905): with the responses A of the end, slip stops after p1 = u_t / (mu A_tt - A_tn), from
 * where the normal speed grows by B = A_nn - A_nt^2 / A_tt with the impulse. */
#include "base/diagnostic.h"
#include "experiments/builtin/flat_kit.h"
#include "experiments/experiment.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>

static const double length = 1, width = 0.02, areal_density = 50, fall = 1;

static const ash_scene_parameter parameters[] = {
    {.name = "angle", .summary = "of the rod to the ground, degrees", .value = 45, .low = 1, .high = 89},
    {.name = "e", .summary = "coefficient of restitution", .value = 1, .low = 0, .high = 1},
    {.name = "mu", .summary = "coefficient of friction", .value = 1, .low = 0, .high = 10},
    {.name = "slip", .summary = "of the rod to the right, m/s", .value = 0.3, .low = -10, .high = 10},
};

typedef struct exact_impact {
    double spin;   /* afterwards, rad/s */
    double energy; /* afterwards over before */
} exact_impact;

/* Routh's solution for slip that comes to rest in compression and sticks: at 45 degrees, mu 1 and 0.3 m/s it does. */
static exact_impact solve_exactly(bool poisson, double e, double mu, double slip)
{
    double mass = areal_density * length * width, inertia = mass * (length * length + width * width) / 12;
    double c = sqrt(0.5), x = -0.5 * c * (length - width), y = -0.5 * c * (length + width); /* of the end */
    double nn = 1 / mass + x * x / inertia, tt = 1 / mass + y * y / inertia, nt = -x * y / inertia;
    double stop = slip / (mu * tt - nt), speed = -fall + (nn - mu * nt) * stop, held = nn - nt * nt / tt;
    double work = 0.5 * stop * (speed - fall) - 0.5 * speed * speed / held; /* of compression */
    double impulse = stop - speed / held;                                   /* the same */
    double all = poisson ? (1 + e) * impulse : impulse + e * sqrt(-2 * work / held);
    double friction = -mu * stop - nt / tt * (all - stop);
    double spin = (x * all - y * friction) / inertia, vx = slip + friction / mass, vy = -fall + all / mass;
    double after = 0.5 * (mass * (vx * vx + vy * vy) + inertia * spin * spin);
    return (exact_impact){spin, after / (0.5 * mass * (slip * slip + fall * fall))};
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double angle = ashi_parameter(given, "angle") * ASHI_PI / 180, sine, cosine;
    ashi_flat_kit kit = ashi_flat_begin(scene, "engineering", 0.001, 0.3, diagnostic);
    scene->gravity = (ash_vec3){0, 0, 0};
    kit.material = ashi_add_material(scene, "rod", ashi_parameter(given, "mu"), ashi_parameter(given, "e"));
    kit.density = areal_density;
    kit.type = ASH_BODY_STATIC;
    ashi_flat_box(&kit, "ground", 0, -0.5, 10, 1);
    kit.type = ASH_BODY_DYNAMIC;
    kit.angle = angle;
    ashi_sincos(angle, &sine, &cosine);
    double lowest = 0.5 * (length * sine + width * cosine);
    uint32_t rod = ashi_flat_box(&kit, "rod", 0, lowest + 0.1, length, width);
    if (kit.status != ASH_OK)
        return kit.status;
    scene->bodies.data[rod].def.velocity = (ash_vec3){ashi_parameter(given, "slip"), -fall, 0};
    ashi_watch_body(scene, "height", ASHI_BODY_POSITION, rod, ASHI_Y);
    uint32_t spin = ashi_watch_body(scene, "spin", ASHI_BODY_ANGULAR_VELOCITY, rod, ASHI_Z);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    double slip = ashi_parameter(given, "slip"), mass = areal_density * length * width;
    double start = 0.5 * mass * (slip * slip + fall * fall);
    ashi_expect_output(scene, "the impact gives no energy", energy, ASHI_MAX, start, 1e-9 * start);
    double e = ashi_parameter(given, "e"), mu = ashi_parameter(given, "mu");
    if (ashi_parameter(given, "angle") == 45 && mu == 1 && slip == 0.3)
        ashi_expect_output(scene, "spin after the impact as by Routh and Stronge", spin, ASHI_FINAL,
                           solve_exactly(false, e, mu, slip).spin, 1e-6);
    return kit.status;
}

/* ---- experiments ---- */

typedef struct outcome {
    double spin, energy, friction;
} outcome;

static ash_status strike(const char *settings, outcome *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "rod-impact", "%s", settings);
    if (status != ASH_OK)
        return status;
    double h = experiment.scene->step;
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(0.3 / h), NULL, NULL, NULL, diagnostic);
    ash_ledger ledger = ash_world_get_ledger(experiment.world);
    seen->spin = ash_body_get_angular_velocity(experiment.world, ash_world_find_body(experiment.world, "rod")).z;
    seen->energy = ledger.kinetic / ledger.initial;
    seen->friction = ledger.friction / ledger.initial;
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status compare_laws(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    char settings[96], quantity[96];
    for (int i = 0; i < 4 && !validation->stopped; i++) {
        bool poisson = i % 2 == 1;
        double e = i < 2 ? 1 : 0.5;
        const char *law = poisson ? "poisson" : "energetic";
        exact_impact exact = solve_exactly(poisson, e, 1, 0.3);
        outcome seen;
        snprintf(settings, sizeof settings, "restitution-law=%s e=%g", law, e);
        ash_status status = strike(settings, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "spin of the rod after the impact, e %g, %s, rad/s", e, law);
        ashi_validation_near(validation, quantity, "Routh 1905, Stronge 1990", exact.spin, seen.spin, 1e-6);
        snprintf(quantity, sizeof quantity, "energy after over before, e %g, %s", e, law);
        ashi_validation_near(validation, quantity, "Routh 1905, Stronge 1990", exact.energy, seen.energy, 1e-6);
        snprintf(quantity, sizeof quantity, "work of friction over the energy, e %g, %s", e, law);
        ashi_validation_below(validation, quantity, "passive", seen.friction, 0);
    }
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    /* Not those with Baumgarte's bias, which adds to the rebound. */
    static const char *const others[] = {"engineering restitution-law=newton",
                                         "stewart-trinkle",
                                         "bender-schmitt-2006",
                                         "bender-iterative",
                                         "erleben-2007",
                                         "guendelman-2003",
                                         "realtime"};
    char settings[96], quantity[96];
    ash_status status = compare_laws(validation, diagnostic);
    for (uint32_t i = 0; i < sizeof others / sizeof *others && status == ASH_OK && !validation->stopped; i++) {
        outcome seen;
        snprintf(settings, sizeof settings, "method=%s", others[i]);
        status = strike(settings, &seen, diagnostic);
        snprintf(quantity, sizeof quantity, "energy after over before, e 1, %s", others[i]);
        if (status == ASH_OK) /* without the limit of Newton's law: 1.156 */
            ashi_validation_below(validation, quantity, "passive", seen.energy, 1 + 1e-6);
    }
    return status;
}

const ashi_builtin ashi_scene_rod_impact = {
    .info = {.name = "rod-impact",
             .summary = "a rod strikes the ground at a slant, with friction: laws of restitution",
             .source = "Routh 1905; Stronge 1990",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
