/* pile: a pyramid of balls on a square, as cannonballs are piled, beside a pyramid of cubes, at rest from the start.
 *
 * What the ground carries is the weight of all, and what each body carries is its own, whatever way the forces take
 * inside: there are more contact forces than equations for them. The outer balls are held by friction alone: three
 * layers of balls slide apart at mu 0.6 and stay at 0.7. */
#include "ashlar/contact.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, radius = 0.1, duration = 1;

static const ash_scene_parameter parameters[] = {
    {.name = "layers", .summary = "of each pyramid", .value = 4, .low = 1, .high = 30},
    {.name = "mu", .summary = "friction", .value = 1, .low = 0, .high = 1000},
};

/* Layers of n x n, (n - 1) x (n - 1), ... bodies, `rise` above each other; the top's number. */
static uint32_t add_pyramid(ash_scene *scene, const ashi_stock *stock, uint32_t layers, ash_vec3 middle, double spacing,
                            double rise)
{
    uint32_t top = ASHI_NONE;
    ash_body_def body = ash_default_body_def();
    for (uint32_t layer = 0; layer < layers; layer++) {
        uint32_t side = layers - layer;
        for (uint32_t i = 0; i < side * side; i++) {
            double x = i % side - 0.5 * (side - 1), y = i / side - 0.5 * (side - 1);
            body.position = v3_add(middle, v3(spacing * x, spacing * y, radius + layer * rise));
            top = ashi_add_from_stock(scene, &body, stock);
        }
    }
    return top;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t layers = 0;
    ash_status status = ashi_parameter_whole(given, "layers", &layers, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t iron = ashi_add_material(scene, "iron", ashi_parameter(given, "mu"), 0);
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    sphere.radius = radius;
    box.half_extents = v3(radius, radius, radius);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = duration;
    ashi_stock balls = {0}, cubes = {0};
    status = ashi_add_ground(scene, iron, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "ball", &sphere, iron, ASH_MATERIAL_DENSITY, &balls, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "cube", &box, iron, ASH_MATERIAL_DENSITY, &cubes, diagnostic);
    if (status != ASH_OK)
        return status;
    double apart = radius * (layers + 1.5);
    uint32_t top = add_pyramid(scene, &balls, layers, v3(-apart, 0, 0), 2 * radius, sqrt(2) * radius);
    add_pyramid(scene, &cubes, layers, v3(apart, 0, 0), 2.5 * radius, 2 * radius); /* side by side, not touching */
    uint32_t z = ashi_watch_body(scene, "top z", ASHI_BODY_POSITION, top, ASHI_Z);
    uint32_t energy = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "the top ball stays up within 1 um", z, ASHI_FINAL,
                       radius + (layers - 1) * sqrt(2) * radius, 1e-6);
    ashi_expect_output(scene, "nothing moves", energy, ASHI_MAX, 0, 1e-12);
    ashi_expect_output(scene, "no overlap beyond 2 um", overlap, ASHI_MAX, 0, 2e-6);
    ashi_expect_weight_carried(scene);
    return ashi_use_method(scene, "engineering", diagnostic);
}

typedef struct balance {
    double whole; /* of the ground's load: its distance from the weight over the weight */
    double worst; /* of any single body, likewise */
} balance;

static ash_status weigh(const ash_world *world, balance *b, ash_diagnostic *diagnostic)
{
    uint32_t count = ash_world_get_bodies(world, NULL, 0);
    ash_body *bodies = ashi_alloc_array(count, sizeof *bodies), ground = ash_world_find_body(world, "ground");
    if (bodies == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_bodies(world, bodies, count);
    double weight = 0;
    *b = (balance){0};
    for (uint32_t i = 0; i < count; i++) {
        if (ash_body_get_type(world, bodies[i]) != ASH_BODY_DYNAMIC)
            continue;
        double own = ash_body_get_mass(world, bodies[i]).mass * gravity;
        ash_vec3 rest = v3_sub(ash_body_get_reaction(world, bodies[i]).force, v3(0, 0, own));
        b->worst = fmax(b->worst, v3_norm(rest) / own);
        weight += own;
    }
    b->whole = v3_norm(v3_add(ash_body_get_reaction(world, ground).force, v3(0, 0, weight))) / weight;
    ashi_dealloc(bodies);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const methods[] = {"engineering", "realtime", "dejong-2014", "stewart-trinkle"};
    ash_status status = ashi_validate_checks(validation, "exact", diagnostic);
    for (int i = 0; i < 4 && status == ASH_OK; i++) {
        ashi_experiment experiment;
        ash_method method;
        balance b = {0};
        status = ash_method_find(methods[i], &method, diagnostic);
        if (status == ASH_OK)
            status = ashi_experiment_open(&experiment, diagnostic, "pile", "layers=%d", i == 3 ? 2 : 4);
        if (status != ASH_OK)
            return status;
        method.sleeping = ASH_SLEEP_OFF; /* what sleeps is not weighed */
        ash_world_set_method(experiment.world, &method);
        status =
            ashi_experiment_run(&experiment, 0.01, (uint32_t)lround(duration / 0.01), NULL, NULL, NULL, diagnostic);
        if (status == ASH_OK)
            status = weigh(experiment.world, &b, diagnostic);
        ashi_experiment_close(&experiment);
        char quantity[96];
        snprintf(quantity, sizeof quantity, "load of the ground against the weight, relative, %s", methods[i]);
        if (i == 0)
            ashi_validation_below(validation, quantity, "exact", b.whole, 1e-8);
        else
            ashi_validation_report(validation, quantity, "exact", 0, b.whole);
        snprintf(quantity, sizeof quantity, "forces on each body against its weight, relative, %s", methods[i]);
        if (i == 0)
            ashi_validation_below(validation, quantity, "exact", b.worst, 1e-8);
        else
            ashi_validation_report(validation, quantity, "exact", 0, b.worst);
    }
    return status;
}

const ashi_builtin ashi_scene_pile = {
    .info = {.name = "pile",
             .summary = "pyramids of balls and of cubes at rest: what the ground bears is their weight",
             .source = "exact",
             .parameters = parameters,
             .parameter_count = 2},
    .build = build,
    .validate = validate,
};
