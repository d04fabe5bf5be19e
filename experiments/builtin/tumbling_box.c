/* tumbling-box: a box thrown up, spinning almost about its middle axis, where free rotation is unstable: it tumbles.
 *
 * Energy and angular momentum are constants of the motion. Implicit midpoint with Cayley's rotation keeps both to
 * rounding; splitting by axes keeps the momentum to rounding and the energy within bounds. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double mass = 10, gravity = 9.8, length[3] = {0.1, 0.4, 0.9};
static const ash_vec3 velocity = {-2, 2, 8}, spin = {0.1, 5, 0.1};

static const ash_scene_parameter parameters[] = {
    {.name = "h", .summary = "step, s", .value = 0.01, .low = 1e-6, .high = 1},
    {.name = "time", .summary = "length of the flight, s", .value = 10, .low = 1e-3, .high = 1e6},
};

static ash_vec3 box_inertia(void)
{
    double x = length[0] * length[0], y = length[1] * length[1], z = length[2] * length[2];
    return (ash_vec3){mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12};
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = ashi_parameter(given, "h");
    scene->time = ashi_parameter(given, "time");
    ash_body_def def = ash_default_body_def();
    def.name = "box";
    def.mass = mass;
    def.velocity = velocity;
    def.angular_velocity = spin;
    uint32_t box = ashi_scene_add_body(scene, &def);
    ash_geometry_def solid = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    solid.half_extents = (ash_vec3){0.5 * length[0], 0.5 * length[1], 0.5 * length[2]};
    ash_status status = ashi_add_solid(scene, box, "box", &solid, 1, diagnostic);
    if (status != ASH_OK)
        return status;

    ash_vec3 inertia = box_inertia();
    double energy = 0.5 * mass * (velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z) +
                    0.5 * (inertia.x * spin.x * spin.x + inertia.y * spin.y * spin.y + inertia.z * spin.z * spin.z);
    double momentum[3] = {inertia.x * spin.x, inertia.y * spin.y, inertia.z * spin.z};
    uint32_t total = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_expect_output(scene, "energy never above 368.546416667 J", total, ASHI_MAX, energy, 1e-9);
    ashi_expect_output(scene, "energy never below 368.546416667 J", total, ASHI_MIN, energy, 1e-9);
    for (int axis = ASHI_X; axis <= ASHI_Z; ++axis) {
        const char *name = ashi_scene_text(scene, "angular momentum %c", "xyz"[axis]);
        uint32_t output = ashi_watch_body(scene, name, ASHI_BODY_ANGULAR_MOMENTUM, box, (ashi_component)axis);
        ashi_expect_output(scene, ashi_scene_text(scene, "%s never above its start", name), output, ASHI_MAX,
                           momentum[axis], 1e-12);
        ashi_expect_output(scene, ashi_scene_text(scene, "%s never below its start", name), output, ASHI_MIN,
                           momentum[axis], 1e-12);
        ashi_watch_body(scene, ashi_scene_text(scene, "spin %c", "xyz"[axis]), ASHI_BODY_ANGULAR_VELOCITY, box,
                        (ashi_component)axis);
    }
    uint32_t height = ashi_watch_body(scene, "height", ASHI_BODY_POSITION, box, ASHI_Z);
    double fall = velocity.z * scene->time - 0.5 * gravity * scene->time * scene->time;
    ashi_expect_output(scene, "its height is that of the parabola", height, ASHI_FINAL, fall, 1e-9 * fabs(fall));
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* The largest departures from the start over a run. The energy of rotation is w L / 2. */
typedef struct drift {
    double rotation; /* relative, of the energy of rotation */
    double momentum; /* relative, of the angular momentum about the centre */
    double total;    /* of the total energy, relative to the largest kinetic energy */
    double last;     /* relative change of the energy of rotation at the end */
    ash_body body;
    double start_rotation, start_total;
    ash_vec3 start_momentum;
} drift;

static double norm(ash_vec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static bool observe_drift(const ash_world *world, uint32_t step, void *data)
{
    drift *seen = data;
    ash_ledger ledger = ash_world_get_ledger(world);
    ash_vec3 l = ash_body_get_angular_momentum(world, seen->body);
    ash_vec3 w = ash_body_get_angular_velocity(world, seen->body);
    double rotation = 0.5 * (w.x * l.x + w.y * l.y + w.z * l.z);
    if (step == 0) {
        seen->start_rotation = rotation;
        seen->start_total = ledger.total;
        seen->start_momentum = l;
    }
    ash_vec3 l0 = seen->start_momentum, change = {l.x - l0.x, l.y - l0.y, l.z - l0.z};
    seen->last = rotation / seen->start_rotation - 1;
    seen->rotation = fmax(seen->rotation, fabs(seen->last));
    seen->momentum = fmax(seen->momentum, norm(change) / norm(l0));
    seen->total = fmax(seen->total, fabs(ledger.total - seen->start_total) / ledger.kinetic);
    return isfinite(rotation);
}

static ash_status tumble(ash_integrator integrator, double h, drift *seen, ash_vec3 *final_spin,
                         ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "tumbling-box", "integrator=%s tolerance=1e-15",
                                             ash_integrator_name(integrator));
    if (status != ASH_OK)
        return status;
    *seen = (drift){.body = ash_world_find_body(experiment.world, "box")};
    uint32_t taken = 0, steps = (uint32_t)lround(experiment.scene->time / h);
    status = ashi_experiment_run(&experiment, h, steps, observe_drift, seen, &taken, diagnostic);
    *final_spin = ash_body_get_angular_velocity(experiment.world, seen->body);
    if (taken < steps)
        seen->rotation = seen->momentum = seen->total = seen->last = 1e300;
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate_box(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "tumbling-box", "h=0.01");
    if (status != ASH_OK)
        return status;
    ash_body box = ash_world_find_body(experiment.world, "box");
    status = ashi_experiment_run(&experiment, 0.01, 1000, NULL, NULL, NULL, diagnostic);
    ash_vec3 l = ash_body_get_angular_momentum(experiment.world, box);
    double energy = ash_world_get_ledger(experiment.world).total;
    ashi_experiment_close(&experiment);
    if (status != ASH_OK)
        return status;
    const char *source = "reference values";
    ashi_validation_near(validation, "energy after 10 s, implicit midpoint, h 10 ms, J", source, 368.546416667, energy,
                         1e-9);
    ashi_validation_near(validation, "angular momentum x after 10 s, kg m2/s", source, 0.08083333, l.x, 1e-8);
    ashi_validation_near(validation, "angular momentum y after 10 s, kg m2/s", source, 3.41666667, l.y, 1e-8);
    ashi_validation_near(validation, "angular momentum z after 10 s, kg m2/s", source, 0.01416667, l.z, 1e-8);
    return ASH_OK;
}

static ash_status validate_integrators(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    char quantity[96];
    for (int integrator = 0; integrator < ASH_INTEGRATORS; ++integrator) {
        drift seen;
        ash_vec3 w;
        ash_status status = tumble((ash_integrator)integrator, 0.01, &seen, &w, diagnostic);
        if (status != ASH_OK)
            return status;
        const char *name = ash_integrator_name((ash_integrator)integrator);
        snprintf(quantity, sizeof quantity, "departure of the energy of rotation in 10 s, relative, %s", name);
        if (integrator == ASH_IMPLICIT_MIDPOINT)
            ashi_validation_below(validation, quantity, "exact", seen.rotation, 1e-12);
        else
            ashi_validation_report(validation, quantity, "exact", 0, seen.rotation);
        snprintf(quantity, sizeof quantity, "departure of the total energy over the kinetic energy, %s", name);
        if (integrator == ASH_IMPLICIT_MIDPOINT)
            ashi_validation_below(validation, quantity, "exact", seen.total, 1e-12);
        else
            ashi_validation_report(validation, quantity, "exact", 0, seen.total);
        snprintf(quantity, sizeof quantity, "departure of the angular momentum, relative, %s", name);
        if (integrator == ASH_IMPLICIT_MIDPOINT || integrator == ASH_AXIS_SPLITTING)
            ashi_validation_below(validation, quantity, "exact", seen.momentum, 1e-12);
        else
            ashi_validation_report(validation, quantity, "exact", 0, seen.momentum);
    }
    return ASH_OK;
}

/* A free body with principal moments 1, 2, 3 that spins with 10 rad/s, mostly about its middle axis. */
static ash_status spin_free(ash_integrator integrator, double h, double time, drift *seen, ash_vec3 *final_spin,
                            ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_body_def top = ash_default_body_def();
    ashi_experiment run = {0};
    def.gravity = (ash_vec3){0, 0, 0};
    top.mass = 1;
    top.inertia = (ash_sym3){.xx = 1, .yy = 2, .zz = 3};
    top.angular_velocity = (ash_vec3){0.1, 10, 0.1};
    ash_status status = ash_method_find(ash_integrator_name(integrator), &def.method, diagnostic);
    if (status == ASH_OK)
        status = ash_method_set(&def.method, "tolerance", "1e-15", diagnostic);
    if (status == ASH_OK)
        status = ash_world_create(&def, &run.world, diagnostic);
    if (status != ASH_OK)
        return status;
    *seen = (drift){0};
    status = ash_body_create(run.world, &top, NULL, 0, &seen->body, diagnostic);
    uint32_t taken = 0, steps = (uint32_t)lround(time / h);
    if (status == ASH_OK)
        status = ashi_experiment_run(&run, h, steps, observe_drift, seen, &taken, diagnostic);
    if (taken < steps)
        seen->rotation = seen->momentum = seen->total = seen->last = 1e300;
    *final_spin = ash_body_get_angular_velocity(run.world, seen->body);
    ash_world_destroy(run.world);
    return status;
}

static ash_status validate_rotation(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    const char *source = "measured on a prototype";
    drift midpoint, splitting, implicit;
    ash_vec3 w;
    ash_status status = spin_free(ASH_IMPLICIT_MIDPOINT, 1.0 / 60, 60, &midpoint, &w, diagnostic);
    if (status == ASH_OK)
        status = spin_free(ASH_AXIS_SPLITTING, 1.0 / 60, 60, &splitting, &w, diagnostic);
    if (status == ASH_OK)
        status = spin_free(ASH_IMPLICIT_EULER, 1.0 / 240, 60, &implicit, &w, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_below(validation, "I 1 2 3, 10 rad/s, 60 s, h 1/60: energy departure, midpoint", source,
                          midpoint.rotation, 1e-12);
    ashi_validation_below(validation, "I 1 2 3, 10 rad/s, 60 s, h 1/60: momentum departure, midpoint", source,
                          midpoint.momentum, 1e-12);
    ashi_validation_below(validation, "I 1 2 3, 10 rad/s, 60 s, h 1/60: energy departure, splitting", source,
                          splitting.rotation, 5e-4);
    ashi_validation_below(validation, "I 1 2 3, 10 rad/s, 60 s, h 1/60: momentum departure, splitting", source,
                          splitting.momentum, 1e-12);
    ashi_validation_near(validation, "I 1 2 3, 10 rad/s, 60 s, h 1/240: energy change, implicit Euler", source, -0.67,
                         implicit.last, 0.01);
    return ASH_OK;
}

/* The order of the spin's error in free rotation, against Runge-Kutta with a step of 0.05 ms. The splitting is
 * symmetric, which makes its free rotation one of order 2, although its translation is symplectic Euler. */
static ash_status validate_orders(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.002, 0.001, 0.0005, 0.00025};
    static const double orders[ASH_INTEGRATORS] = {1, 1, 1, 4, 2, 2, 2};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    drift seen;
    ash_vec3 exact, w;
    char quantity[96];
    ash_status status = spin_free(ASH_RK4, 0.00005, 1, &seen, &exact, diagnostic);
    for (int integrator = 0; status == ASH_OK && integrator < ASH_INTEGRATORS; ++integrator) {
        double errors[SIZES];
        for (int i = 0; status == ASH_OK && i < SIZES; ++i) {
            status = spin_free((ash_integrator)integrator, sizes[i], 1, &seen, &w, diagnostic);
            errors[i] = norm((ash_vec3){w.x - exact.x, w.y - exact.y, w.z - exact.z});
        }
        if (status != ASH_OK)
            break;
        snprintf(quantity, sizeof quantity, "order of the spin's error at 1 s, %s",
                 ash_integrator_name((ash_integrator)integrator));
        ashi_validation_near(validation, quantity, "theory", orders[integrator],
                             ashi_fitted_order(sizes, errors, SIZES), 0.1);
    }
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_box(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_integrators(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_rotation(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_orders(validation, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_tumbling_box = {
    .info = {.name = "tumbling-box",
             .summary = "a box in flight tumbles about its unstable axis",
             .source = "reference values",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
