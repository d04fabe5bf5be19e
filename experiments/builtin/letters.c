/* letters: balls of various sizes fall onto an inclined plate with engraved letters (Erleben 2007, figure 17: there the
 * word is another). Those that meet a letter stay in it; the others roll off the lower end, into sand.
 *
 * The plate is a closed mesh so thick that its underside is below the ground everywhere: a ball inside it, or below the
 * ground, has fallen through. */
#include "experiments/builtin/letters.h"
#include "experiments/builtin/statics.h"

#include "base/diagnostic.h"
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

enum { SIZES = 8 };

static const double cell = 0.4, gravity = 9.81, density = 2500;                     /* m, m/s2, kg/m3 */
static const double smallest = 0.075, largest = 0.175, clearance = 0.5, drop = 0.5; /* m: radii, above ground, a fall */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "balls", .value = 1000, .low = 1, .high = 100000},
    {.name = "slope", .summary = "of the plate, degrees", .value = 15, .low = 0, .high = 45},
    {.name = "mu", .summary = "friction", .value = 0.5, .low = 0, .high = 1000},
    {.name = "e", .summary = "restitution", .value = 0.2, .low = 0, .high = 1},
    {.name = "rolling", .summary = "resistance to rolling, m", .value = 2e-3, .low = 0, .high = 0.1},
    {.name = "seed", .summary = "of the balls' sizes and places", .value = 1, .low = 0, .high = 1e9},
};

static uint32_t add_glass(ash_scene *scene, const ashi_parameters *given)
{
    ash_material_def glass = ash_default_material_def();
    glass.name = "glass";
    glass.surface.friction = ashi_parameter(given, "mu");
    glass.surface.restitution = ashi_parameter(given, "e");
    glass.surface.rolling = ashi_parameter(given, "rolling");
    return ashi_scene_add_material(scene, &glass);
}

/* In which balls soon stop. */
static uint32_t add_sand(ash_scene *scene)
{
    ash_material_def sand = ash_default_material_def();
    sand.name = "sand";
    sand.surface.rolling = sand.surface.spinning = 0.1;
    return ashi_scene_add_material(scene, &sand);
}

/* The plate, its lower edge `clearance` above the ground; it rises along y. */
static ash_status add_plate(ash_scene *scene, ashi_engraving *engraving, double slope, uint32_t material,
                            ash_transform *pose, ash_diagnostic *diagnostic)
{
    double sine, cosine, length = engraving->rows * engraving->cell;
    ashi_sincos(slope, &sine, &cosine);
    *pose = (ash_transform){v3(0, 0, clearance + 0.5 * length * sine), q_exp(v3(slope, 0, 0))};
    engraving->thickness = (clearance + length * sine) / cosine + engraving->cell;
    ash_geometry *mesh = NULL;
    ash_status status = ashi_engraving_mesh(engraving, &mesh, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_stock stock = {ashi_scene_add_geometry(scene, "plate", mesh), material, 0, 0};
    ash_body_def body = ash_default_body_def();
    body.type = ASH_BODY_STATIC;
    body.name = "plate";
    body.position = pose->position;
    body.rotation = pose->rotation;
    ashi_add_from_stock(scene, &body, &stock);
    return ASH_OK;
}

static ash_status make_sizes(ash_scene *scene, uint32_t material, ashi_stock *stocks, ash_diagnostic *diagnostic)
{
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_status status = ASH_OK;
    for (int i = 0; i < SIZES && status == ASH_OK; i++) {
        sphere.radius = smallest + (largest - smallest) * i / (SIZES - 1);
        status = ashi_make_stock(scene, ashi_scene_text(scene, "ball %d", i + 1), &sphere, material, density,
                                 &stocks[i], diagnostic);
    }
    return status;
}

/* Layers over all of the plate but the rim, a cell apart, each ball a little off its place. */
static void add_balls(ash_scene *scene, const ashi_engraving *engraving, const ashi_stock *stocks, uint32_t n,
                      ash_transform plate, ashi_random random)
{
    uint32_t columns = engraving->columns - 4, rows = engraving->rows - 4, layer_size = columns * rows;
    double off = 0.5 * cell - largest;
    for (uint32_t i = 0; i < n; i++) {
        double x = cell * (i % columns - 0.5 * (columns - 1)), y = cell * (i / columns % rows - 0.5 * (rows - 1));
        ash_vec3 over = q_rotate(plate.rotation, v3(x, y, 0));
        ash_body_def body = ash_default_body_def();
        const ashi_stock *stock = &stocks[ashi_random_below(&random, SIZES)];
        double dx = ashi_random_range(&random, -off, off), dy = ashi_random_range(&random, -off, off);
        body.position = v3_add(plate.position, v3(x + dx, y + dy, over.z + drop + cell * (i / layer_size)));
        ashi_add_from_stock(scene, &body, stock);
    }
}

static ash_status add_all(ash_scene *scene, const ashi_parameters *given, ashi_engraving *engraving, uint32_t n,
                          uint32_t seed, ash_diagnostic *diagnostic)
{
    uint32_t glass = add_glass(scene, given);
    ashi_stock stocks[SIZES] = {0};
    ash_transform plate;
    ash_status status = ashi_add_ground(scene, add_sand(scene), diagnostic);
    if (status == ASH_OK)
        status = add_plate(scene, engraving, ashi_parameter(given, "slope") * ASHI_PI / 180, glass, &plate, diagnostic);
    if (status == ASH_OK)
        status = make_sizes(scene, glass, stocks, diagnostic);
    if (status == ASH_OK)
        add_balls(scene, engraving, stocks, n, plate, (ashi_random){seed});
    return status;
}

static void watch(ash_scene *scene, uint32_t n)
{
    uint32_t kinetic = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    ashi_expect_output(scene, "the balls come to rest: 10 mJ each at most", kinetic, ASHI_FINAL, 0, n * 0.01);
    ashi_expect_output(scene, "no overlap beyond 5 mm at the end", overlap, ASHI_FINAL, 0, 0.005);
    ashi_expect_fallen(scene, 0, 0.8);
}

ash_status ashi_letters_engrave(ashi_engraving *engraving, ash_diagnostic *diagnostic)
{
    return ashi_engrave(ASHI_LETTERS_WORD, cell, engraving, diagnostic);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n = 0, seed = 0;
    ashi_engraving engraving;
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "seed", &seed, diagnostic);
    if (status == ASH_OK)
        status = ashi_letters_engrave(&engraving, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = 20;
    status = add_all(scene, given, &engraving, n, seed, diagnostic);
    ashi_engraving_release(&engraving);
    if (status != ASH_OK)
        return status;
    watch(scene, n);
    return ashi_use_method(scene, "realtime", diagnostic);
}

const ashi_builtin ashi_scene_letters = {
    .info = {.name = "letters",
             .lengthy = true,
             .summary = "balls of various sizes fall onto an inclined plate with engraved letters and stay in them",
             .source = "Erleben 2007, figure 17",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_validate_letters,
};
