/* collide-pairs, collide-flat: shapes drift through each other, one pair of kinds a place on a grid, to show what
 * collision detection finds. Contacts are reported and nothing pushes, so every path is known: movers fly straight and
 * turn freely past targets that stand still.
 *
 * Half-way all pairs overlap at once; at the end none touches any more. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "math/vec3.h"

#define COLUMNS 5.0 /* m between columns of the grid, along the paths, ... */
#define ROWS    2.0 /* ... and between rows */
#define PATH    4.0 /* that a mover flies, m */
#define FLIGHT  4.0 /* s */

/* The solids of the grid: every convex kind, about 0.5 m in size. */
static const ash_geometry_kind solids[] = {ASH_GEOMETRY_SPHERE,   ASH_GEOMETRY_CAPSULE, ASH_GEOMETRY_BOX,
                                           ASH_GEOMETRY_CYLINDER, ASH_GEOMETRY_CONE,    ASH_GEOMETRY_ELLIPSOID,
                                           ASH_GEOMETRY_HULL};
static const ash_geometry_kind flats[] = {ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE,
                                          ASH_GEOMETRY_SEGMENT};
enum { SOLIDS = sizeof solids / sizeof *solids, FLATS = sizeof flats / sizeof *flats, MOVING_FLATS = 3 };

static const ash_scene_parameter parameters[] = {
    {.name = "spin", .summary = "angular velocity of the movers, rad/s", .value = 1, .low = 0, .high = 100},
    {.name = "offset",
     .summary = "by which the paths miss the targets' middles, m",
     .value = 0.2,
     .low = 0,
     .high = 0.4},
};

static ash_geometry_def example_of(ash_geometry_kind kind)
{
    static const ash_vec3 wedge[] = {{-0.5, -0.4, -0.4}, {0.5, -0.4, -0.4}, {0, 0.5, -0.4},
                                     {-0.5, -0.4, 0.3},  {0.5, -0.4, 0.5},  {0, 0.5, 0.2}};
    static const ash_vec3 pentagon[] = {
        {0.5, 0, 0}, {0.15, 0.45, 0}, {-0.4, 0.3, 0}, {-0.4, -0.3, 0}, {0.15, -0.45, 0}};
    static const ash_vec3 stroke[] = {{-0.6, -0.1, 0}, {0.6, 0.1, 0}};
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = kind == ASH_GEOMETRY_SEGMENT                                        ? 0
                 : kind == ASH_GEOMETRY_CAPSULE || kind == ASH_GEOMETRY_FLAT_CAPSULE ? 0.3
                                                                                     : 0.5;
    def.height = kind == ASH_GEOMETRY_CAPSULE || kind == ASH_GEOMETRY_FLAT_CAPSULE ? 0.5 : 0.9;
    def.half_extents = kind == ASH_GEOMETRY_ELLIPSOID ? v3(0.6, 0.4, 0.3) : v3(0.4, 0.4, 0.4);
    if (kind == ASH_GEOMETRY_HULL) {
        def.points = wedge;
        def.point_count = 6;
    } else if (kind == ASH_GEOMETRY_POLYGON) {
        def.points = pentagon;
        def.point_count = 5;
    } else if (kind == ASH_GEOMETRY_SEGMENT) {
        def.points = stroke;
        def.point_count = 2;
    }
    return def;
}

static ash_status add_example(ash_scene *scene, const ash_body_def *def, ash_geometry_kind kind,
                              ash_diagnostic *diagnostic)
{
    ash_geometry_def geometry = example_of(kind);
    uint32_t body = ashi_scene_add_body(scene, def);
    return ashi_add_solid(scene, body, ash_geometry_kind_name(kind), &geometry, 100, diagnostic);
}

/* A mover of one kind and a target of another at a place of the grid. */
static ash_status add_place(ash_scene *scene, const ashi_parameters *given, uint32_t column, uint32_t row,
                            ash_geometry_kind mover, ash_geometry_kind target, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_vec3 middle = v3(COLUMNS * column, ROWS * row, 0);
    double offset = ashi_parameter(given, "offset"), spin = ashi_parameter(given, "spin");
    def.type = ASH_BODY_STATIC;
    def.position = middle;
    ash_status status = add_example(scene, &def, target, diagnostic);
    if (status != ASH_OK)
        return status;
    def.type = ASH_BODY_DYNAMIC;
    def.position = v3_add(middle, v3(-0.5 * PATH, offset, scene->planar ? 0 : offset));
    def.velocity = v3(PATH / FLIGHT, 0, 0);
    def.angular_velocity = scene->planar ? v3(0, 0, spin) : v3_scale(v3_unit(v3(1, 2, 3)), spin);
    return add_example(scene, &def, mover, diagnostic);
}

static void watch(ash_scene *scene, uint32_t places)
{
    ashi_watch_world(scene, "pairs", ASHI_WORLD_PAIRS);
    ashi_watch_world(scene, "pair tests", ASHI_WORLD_PAIR_TESTS);
    uint32_t contacts = ashi_watch_world(scene, "contacts", ASHI_WORLD_CONTACTS);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ash_method_set(&scene->method, "contacts", "detect", NULL);
    ashi_expect_output(scene, "all pairs touch at once on the way", contacts, ASHI_MAX, places, 0);
    ashi_expect_output(scene, "none touches at the end", contacts, ASHI_FINAL, 0, 0);
}

static ash_status build_pairs(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t places = 0;
    scene->gravity = v3(0, 0, 0);
    scene->step = 0.01;
    scene->time = FLIGHT;
    for (uint32_t i = 0; i < SOLIDS; i++)
        for (uint32_t k = 0; k <= i; k++, places++) {
            ash_status status = add_place(scene, given, i, k, solids[i], solids[k], diagnostic);
            if (status != ASH_OK)
                return status;
        }
    watch(scene, places);
    return ASH_OK;
}

static ash_status build_flat(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t places = 0;
    scene->planar = true;
    scene->gravity = v3(0, 0, 0);
    scene->step = 0.01;
    scene->time = FLIGHT;
    for (uint32_t i = 0; i < FLATS; i++)
        for (uint32_t k = 0; k <= i && k < MOVING_FLATS; k++, places++) {
            ash_status status = add_place(scene, given, i, k, flats[k], flats[i], diagnostic);
            if (status != ASH_OK)
                return status;
        }
    watch(scene, places);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "exact", diagnostic);
}

const ashi_builtin ashi_scene_collide_pairs = {
    .info = {.name = "collide-pairs",
             .summary = "every pair of convex kinds drifts through each other; contacts are shown, not solved",
             .source = "collision detection",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build_pairs,
    .validate = validate,
};

const ashi_builtin ashi_scene_collide_flat = {
    .info = {.name = "collide-flat",
             .summary = "every pair of flat kinds drifts through each other; contacts are shown, not solved",
             .source = "Gribel 2009, 3.1",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build_flat,
    .validate = validate,
};
