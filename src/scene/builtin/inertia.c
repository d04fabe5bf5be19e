/* inertia: a sphere, a cube and a cylinder of 1 kg turn freely (de Jong 2014, 6-3-4).
 *
 * Each starts with the angular velocity (1, 1, 1) rad/s, so that its angular momentum, which free motion keeps, shows
 * its moments of inertia: 2/5, 1/6, and 7/12, 7/12, 1/2. */
#include "base/diagnostic.h"
#include "scene/analysis.h"
#include "scene/builtin/parts.h"

#include <math.h>
#include <stdio.h>

typedef struct solid {
    const char *name;
    ash_geometry_kind kind;
    double moments[3];
} solid;

static const solid solids[] = {
    {"sphere", ASH_GEOMETRY_SPHERE, {0.4, 0.4, 0.4}},
    {"cube", ASH_GEOMETRY_BOX, {1 / 6.0, 1 / 6.0, 1 / 6.0}},
    {"cylinder", ASH_GEOMETRY_CYLINDER, {7 / 12.0, 7 / 12.0, 0.5}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

/* Radius 1, edge 1, height 2. */
static ash_geometry_def solid_definition(ash_geometry_kind kind)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = 1;
    def.height = 2;
    def.half_extents = (ash_vec3){0.5, 0.5, 0.5};
    return def;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    scene->gravity = (ash_vec3){0, 0, 0};
    scene->step = 0.01;
    scene->time = 1;
    for (int i = 0; i < SOLIDS; ++i) {
        ash_body_def def = ash_default_body_def();
        def.name = solids[i].name;
        def.position = (ash_vec3){3.0 * i, 0, 0};
        def.mass = 1;
        def.angular_velocity = (ash_vec3){1, 1, 1};
        uint32_t body = ashi_scene_add_body(scene, &def);
        ash_geometry_def geometry = solid_definition(solids[i].kind);
        ash_status status = ashi_add_solid(scene, body, solids[i].name, &geometry, 1, diagnostic);
        if (status != ASH_OK)
            return status;
        for (int axis = ASHI_X; axis <= ASHI_Z; ++axis) {
            const char *name = ashi_scene_text(scene, "%s %c", solids[i].name, "xyz"[axis]);
            uint32_t output = ashi_watch_body(scene, name, ASHI_BODY_ANGULAR_MOMENTUM, body, (ashi_component)axis);
            ashi_expect_output(scene, ashi_scene_text(scene, "moment of inertia of the %s", name), output, ASHI_FINAL,
                               solids[i].moments[axis], 1e-12);
        }
    }
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* The largest departure of the diagonal from the exact moments and of the rest from zero. */
static double inertia_error(ash_sym3 inertia, const double moments[3])
{
    double departures[] = {
        inertia.xx - moments[0], inertia.yy - moments[1], inertia.zz - moments[2], inertia.xy, inertia.xz, inertia.yz};
    double largest = 0;
    for (int i = 0; i < 6; ++i)
        largest = fmax(largest, fabs(departures[i]));
    return largest;
}

/* Mass properties of a geometry scaled to 1 kg. */
static ash_status unit_mass(const ash_geometry *geometry, ash_sym3 *inertia, ash_diagnostic *diagnostic)
{
    ash_mass_properties mass;
    ash_status status = ash_geometry_mass(geometry, 1, &mass, diagnostic);
    if (status != ASH_OK)
        return status;
    const ash_sym3 i = mass.inertia;
    *inertia = (ash_sym3){i.xx / mass.mass, i.yy / mass.mass, i.zz / mass.mass,
                          i.xy / mass.mass, i.xz / mass.mass, i.yz / mass.mass};
    return ASH_OK;
}

static ash_status validate_shapes(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    char quantity[96];
    for (int i = 0; i < SOLIDS; ++i) {
        ash_geometry_def def = solid_definition(solids[i].kind);
        ash_geometry *geometry = NULL;
        ash_sym3 inertia;
        ash_status status = ash_geometry_create(&def, &geometry, diagnostic);
        if (status == ASH_OK)
            status = unit_mass(geometry, &inertia, diagnostic);
        ash_geometry_release(geometry);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "largest error of the inertia tensor of the %s, kg m2", solids[i].name);
        ashi_validation_below(validation, quantity, "exact", inertia_error(inertia, solids[i].moments), 1e-14);
    }
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return validate_shapes(validation, diagnostic);
}

const ashi_builtin ashi_scene_inertia = {
    .info = {.name = "inertia",
             .summary = "a sphere, a cube and a cylinder of 1 kg turn freely and show their inertia",
             .source = "de Jong 2014, 6-3-4",
             .parameters = NULL,
             .parameter_count = 0},
    .build = build,
    .validate = validate,
};
