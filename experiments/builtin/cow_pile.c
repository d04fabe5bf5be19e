/* cow-pile: concave bodies with thin limbs fall from a great height and come to rest in a heap (Erleben 2007, figure 15
 * and section 6.1). All share one distance field with its surface points.
 *
 * A cow comes to lie on its round side, on one point: without resistance to rolling and spinning it would rock and turn
 * there for long.
 *
 * They start in layers of a square, apart by more than a cow is long, each turned at random. At 500 m the ground is met
 * at 99 m/s: by nearly half of a cow's length in a step of 0.01 s. */
#include "experiments/builtin/cow_pile.h"

#include "base/diagnostic.h"
#include "base/random.h"
#include "experiments/builtin/cow.h"
#include "experiments/builtin/statics.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

static const double gravity = 9.81, density = 1000, pitch = 2.6; /* m/s2, kg/m3, m */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "cows", .value = 250, .low = 1, .high = 10000},
    {.name = "height",
     .summary = "of the lowest cows' middles above the ground, m",
     .value = 500,
     .low = 0.9,
     .high = 2000},
    {.name = "columns", .summary = "cows along each side of a layer", .value = 5, .low = 1, .high = 100},
    {.name = "cell", .summary = "spacing of the cow's distance field, m", .value = 0.05, .low = 0.02, .high = 0.06},
    {.name = "mu", .summary = "friction", .value = 0.5, .low = 0, .high = 1000},
    {.name = "e", .summary = "restitution", .value = 0, .low = 0, .high = 1},
    {.name = "rolling", .summary = "resistance to rolling and spinning, m", .value = 0.02, .low = 0, .high = 1},
    {.name = "settle", .summary = "time after the last cow's fall, s", .value = 10, .low = 0.1, .high = 1000},
    {.name = "turned",
     .summary = "how they start: each turned at random, or on their feet",
     .choices = "yes|no",
     .choice_value = "yes"},
    {.name = "seed", .summary = "of the cows' rotations", .value = 1, .low = 0, .high = 1e9},
};

/* All rotations are alike: a direction in four dimensions. */
static ash_quat random_rotation(ashi_random *random)
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = ashi_random_range(random, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 0.01);
    return q_unit((ash_quat){q[0], q[1], q[2], q[3]});
}

static void add_cows(ash_scene *scene, const ashi_stock *stock, uint32_t n, uint32_t columns, double height,
                     bool turned, ashi_random random)
{
    uint32_t layer_size = columns * columns;
    for (uint32_t i = 0; i < n; i++) {
        ash_body_def body = ash_default_body_def();
        uint32_t place = i % layer_size;
        double x = place % columns - 0.5 * (columns - 1), y = place / columns - 0.5 * (columns - 1);
        body.position = v3(pitch * x, pitch * y, height + pitch * (i / layer_size));
        body.rotation = turned ? random_rotation(&random) : q_identity();
        ashi_add_from_stock(scene, &body, stock);
    }
}

static void watch(ash_scene *scene, uint32_t n)
{
    uint32_t kinetic = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_world(scene, "stabilization", ASHI_WORLD_STABILIZATION);
    ashi_watch_world(scene, "remainder", ASHI_WORLD_REMAINDER);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    ashi_expect_output(scene, "the cows come to rest: 0.5 J each at most", kinetic, ASHI_FINAL, 0, n * ASHI_COW_REST);
    ashi_expect_fallen(scene, 0, 0.8);
}

static uint32_t add_hide(ash_scene *scene, const ashi_parameters *given)
{
    ash_material_def hide = ash_default_material_def();
    hide.name = "hide";
    hide.density = density;
    hide.surface.friction = ashi_parameter(given, "mu");
    hide.surface.restitution = ashi_parameter(given, "e");
    hide.surface.rolling = hide.surface.spinning = ashi_parameter(given, "rolling");
    return ashi_scene_add_material(scene, &hide);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n = 0, columns = 0, seed = 0;
    ash_geometry *cow = NULL;
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "columns", &columns, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "seed", &seed, diagnostic);
    if (status == ASH_OK)
        status = ashi_cow_create(ashi_parameter(given, "cell"), &cow, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t hide = add_hide(scene, given);
    ashi_stock stock = {ashi_scene_add_geometry(scene, "cow", cow), hide, ASH_MATERIAL_DENSITY, 0};
    double height = ashi_parameter(given, "height"), top = height + pitch * ((n - 1) / (columns * columns));
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = ceil(100 * (sqrt(2 * top / gravity) + ashi_parameter(given, "settle"))) / 100;
    status = ashi_add_ground(scene, hide, diagnostic);
    if (status != ASH_OK)
        return status;
    add_cows(scene, &stock, n, columns, height, ashi_parameter_choice(given, "turned") == 0, (ashi_random){seed});
    watch(scene, n);
    return ashi_use_method(scene, "realtime", diagnostic);
}

const ashi_builtin ashi_scene_cow_pile = {
    .info = {.name = "cow-pile",
             .lengthy = true,
             .summary = "concave bodies with thin limbs fall from a great height into a heap",
             .source = "Erleben 2007, figure 15",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_validate_cow_pile,
};
