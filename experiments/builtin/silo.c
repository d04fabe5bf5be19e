/* silo: balls and cubes fall into a silo, and at a time its gate is taken away (Erleben 2007, figures 1, 18 and 19).
 *
 * Four upright walls around a square; below two of them, plates at 45 degrees make a wedge that leaves a slot along the
 * other two, closed by the gate. Grains start in a lattice of cells between the walls, none touching another. When the
 * gate is gone, they flow out and form a heap on the ground. The slot is at least six grains wide: no arch spans it. */
#include "experiments/builtin/silo.h"
#include "experiments/builtin/grains.h"
#include "experiments/builtin/statics.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

static const double radius = ASHI_GRAIN_RADIUS, cube_half = 0.08, cell = 0.29; /* m; a cube's diagonal is 0.277 */
static const double thickness = ASHI_SILO_THICKNESS, slot_part = 0.25, ground_part = 0.6;

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "grains, balls and cubes in turn", .value = 3000, .low = 1, .high = 1000000},
    {.name = "open", .summary = "time at which the gate is taken away, s", .value = 3, .low = 0, .high = 1e6},
    {.name = "mu", .summary = "friction", .value = 0.5, .low = 0, .high = 1000},
};

/* As many cells across as high. */
ashi_silo ashi_plan_silo(uint32_t count)
{
    ashi_silo s = {.side = 1};
    while ((uint64_t)s.side * s.side * s.side < count)
        s.side++;
    s.slot = fmax(slot_part * 0.5 * s.side * cell, 6 * radius);
    s.inner = fmax(0.5 * s.side * cell, s.slot + 2 * radius);
    s.outlet = ground_part * 2 * s.inner;
    s.hopper = s.inner - s.slot;
    s.wall = s.side * cell;
    return s;
}

/* A fixed box and the same turned half about the z axis: "NAME-1" and "NAME-2". */
static ash_status add_two(ash_scene *scene, const char *name, ash_vec3 half, ash_vec3 middle, ash_quat turn,
                          uint32_t material, ash_diagnostic *diagnostic)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ashi_stock stock = {0};
    box.half_extents = half;
    ash_status status = ashi_make_stock(scene, name, &box, material, 0, &stock, diagnostic);
    for (int i = 0; i < 2 && status == ASH_OK; i++) {
        ash_body_def def = ash_default_body_def();
        def.type = ASH_BODY_STATIC;
        def.name = ashi_scene_text(scene, "%s-%d", name, i + 1);
        def.position = i == 0 ? middle : v3(-middle.x, -middle.y, middle.z);
        def.rotation = i == 0 ? turn : q_mul(ash_rotation(v3(0, 0, 1), ASHI_PI), turn);
        ashi_add_from_stock(scene, &def, &stock);
    }
    return status;
}

static ash_status add_walls(ash_scene *scene, const ashi_silo *s, uint32_t steel, ash_diagnostic *diagnostic)
{
    double half = 0.5 * thickness, low = s->outlet, high = s->outlet + s->hopper + s->wall;
    ash_quat upright = q_identity(), slope = ash_rotation(v3(0, 1, 0), -0.25 * ASHI_PI);
    ash_status status = add_two(scene, "side", v3(s->inner + thickness, half, 0.5 * (high - low)),
                                v3(0, s->inner + half, 0.5 * (high + low)), upright, steel, diagnostic);
    if (status == ASH_OK)
        status = add_two(scene, "wall", v3(half, s->inner, 0.5 * s->wall), v3(s->inner + half, 0, high - 0.5 * s->wall),
                         upright, steel, diagnostic);
    /* The upper side of a plate goes from the slot's edge to the wall's foot. */
    ash_vec3 on_top = v3(0.5 * (s->inner + s->slot), 0, low + 0.5 * s->hopper);
    if (status == ASH_OK)
        status = add_two(scene, "plate", v3(sqrt(0.5) * s->hopper, s->inner, half),
                         v3_sub(on_top, q_rotate(slope, v3(0, 0, half))), slope, steel, diagnostic);
    return status;
}

static ash_status add_gate(ash_scene *scene, const ashi_silo *s, double opens, uint32_t steel,
                           ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.name = "gate";
    def.type = ASH_BODY_STATIC;
    def.position = v3(0, 0, s->outlet - 0.5 * thickness);
    box.half_extents = v3(s->slot + thickness, s->inner + thickness, 0.5 * thickness);
    uint32_t gate = ashi_scene_add_body(scene, &def);
    ashi_scene_event event = {.time = opens, .kind = ASHI_EVENT_REMOVE, .owner = ASHI_OF_BODY, .object = gate};
    if (gate != ASHI_NONE)
        ashi_scene_add_event(scene, &event);
    return ashi_add_solid_of(scene, gate, "gate", &box, 0, steel, diagnostic);
}

static void add_grains(ash_scene *scene, const ashi_silo *s, uint32_t count, const ashi_grains *grains)
{
    ashi_random random = {3000};
    double middle = 0.5 * (s->side - 1), bottom = s->outlet + s->hopper;
    for (uint32_t i = 0; i < count; i++) {
        ash_body_def def = ash_default_body_def();
        uint32_t column = i % (s->side * s->side);
        def.position = v3(cell * (column % s->side - middle), cell * (column / s->side - middle),
                          bottom + cell * (i / (s->side * s->side) + 0.5));
        ashi_add_grain(scene, &def, i, grains, &random);
    }
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t count = 0;
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_silo s = ashi_plan_silo(count);
    uint32_t steel = ashi_add_material(scene, "steel", ashi_parameter(given, "mu"), 0);
    ashi_grains grains = {0};
    scene->step = 0.01;
    scene->time = ashi_parameter(given, "open") + 5;
    status = ashi_add_ground(scene, steel, diagnostic);
    if (status == ASH_OK)
        status = add_walls(scene, &s, steel, diagnostic);
    if (status == ASH_OK)
        status = add_gate(scene, &s, ashi_parameter(given, "open"), steel, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_grains(scene, radius, cube_half, steel, &grains, diagnostic);
    if (status != ASH_OK)
        return status;
    add_grains(scene, &s, count, &grains);
    ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "no overlap beyond a tenth of a grain in the end", overlap, ASHI_FINAL, 0, 0.2 * radius);
    ashi_expect_fallen(scene, 0, 0.5);
    return ashi_use_method(scene, "realtime", diagnostic);
}

const ashi_builtin ashi_scene_silo = {
    .info = {.name = "silo",
             .lengthy = true,
             .summary = "balls and cubes fall into a silo; its gate opens and they flow out",
             .source = "Erleben 2007, figures 1, 18 and 19",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_validate_silo,
};
