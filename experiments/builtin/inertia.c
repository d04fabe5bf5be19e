/* inertia: a sphere, a cube and a cylinder of 1 kg turn freely, and beside them closed meshes of each (de Jong 2014,
 * 6-3-4).
 *
 * Each starts with the angular velocity (1, 1, 1) rad/s, so that its angular momentum, which free motion keeps, shows
 * its moments of inertia: 2/5, 1/6, and 7/12, 7/12, 1/2. A mesh inscribed in a round solid misses these by
 * the order of its edge length squared; the cube's mesh is exact. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "shape/tessellate.h"

#include <math.h>
#include <stdio.h>

typedef struct solid_kind {
    const char *name;
    ash_geometry_kind kind;
    double moments[3];
} solid_kind;

static const solid_kind solids[] = {
    {"sphere", ASH_GEOMETRY_SPHERE, {0.4, 0.4, 0.4}},
    {"cube", ASH_GEOMETRY_BOX, {1 / 6.0, 1 / 6.0, 1 / 6.0}},
    {"cylinder", ASH_GEOMETRY_CYLINDER, {7 / 12.0, 7 / 12.0, 0.5}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };

static const ash_scene_parameter parameters[] = {
    {.name = "level", .summary = "refinements of the meshes, each halves the edges", .value = 4, .low = 0, .high = 8},
};

/* Radius 1, edge 1, height 2. */
static ash_geometry_def solid_definition(ash_geometry_kind kind)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = 1;
    def.height = 2;
    def.half_extents = (ash_vec3){0.5, 0.5, 0.5};
    return def;
}

/* A mesh of the solid whose edges are halved with each level. */
static ash_status mesh_create(const solid_kind *solid, uint32_t level, ash_geometry **geometry,
                              ash_diagnostic *diagnostic)
{
    ashi_tessellation mesh;
    bool made = solid->kind == ASH_GEOMETRY_SPHERE ? ashi_mesh_sphere(level, 1, &mesh)
                : solid->kind == ASH_GEOMETRY_BOX
                    ? ashi_mesh_box((uint32_t)1 << level, (ash_vec3){0.5, 0.5, 0.5}, &mesh)
                    : ashi_mesh_cylinder((uint32_t)6 << level, 1, 2, &mesh);
    *geometry = NULL;
    if (!made)
        return ashi_out_of_memory(diagnostic);
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_status status = ash_geometry_create(&def, geometry, diagnostic);
    ashi_tessellation_release(&mesh);
    return status;
}

/* Adds the body of a geometry, which becomes the scene's, and expects the solid's moments of it. */
static void add_spinner(ash_scene *scene, const solid_kind *solid, const char *name, ash_geometry *geometry,
                        ash_vec3 position, double tolerance)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.position = position;
    def.mass = 1;
    def.angular_velocity = (ash_vec3){1, 1, 1};
    uint32_t body = ashi_scene_add_body(scene, &def);
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, name, geometry);
    shape.density = 1;
    if (body == ASHI_NONE || shape.geometry == ASHI_NONE)
        return;
    ashi_scene_add_shape(scene, body, &shape);
    for (int axis = ASHI_X; axis <= ASHI_Z; ++axis) {
        const char *output_name = ashi_scene_text(scene, "%s %c", name, "xyz"[axis]);
        uint32_t output = ashi_watch_body(scene, output_name, ASHI_BODY_ANGULAR_MOMENTUM, body, (ashi_component)axis);
        ashi_expect_output(scene, ashi_scene_text(scene, "moment of inertia of the %s", output_name), output,
                           ASHI_FINAL, solid->moments[axis], tolerance * solid->moments[axis]);
    }
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t level = 0;
    ash_status status = ashi_parameter_whole(given, "level", &level, diagnostic);
    scene->gravity = (ash_vec3){0, 0, 0};
    scene->step = 0.01;
    scene->time = 1;
    double edge = 1.0 / ((uint32_t)1 << level);
    for (int i = 0; i < SOLIDS && status == ASH_OK; ++i) {
        ash_geometry_def def = solid_definition(solids[i].kind);
        ash_geometry *exact = NULL, *mesh = NULL;
        status = ash_geometry_create(&def, &exact, diagnostic);
        if (status != ASH_OK)
            return status;
        add_spinner(scene, &solids[i], solids[i].name, exact, (ash_vec3){3.0 * i, 0, 0}, 1e-12);
        status = mesh_create(&solids[i], level, &mesh, diagnostic);
        if (status == ASH_OK)
            add_spinner(scene, &solids[i], ashi_scene_text(scene, "%s mesh", solids[i].name), mesh,
                        (ash_vec3){3.0 * i, 3, 0}, solids[i].kind == ASH_GEOMETRY_BOX ? 1e-12 : edge * edge);
    }
    return status == ASH_OK ? ashi_use_method(scene, "engineering", diagnostic) : status;
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

/* Meshes of the round solids converge with order 2; a cube's mesh is exact at any fineness. */
static ash_status validate_meshes(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    enum { LEVELS = 5 };
    char quantity[96];
    for (int i = 0; i < SOLIDS; ++i) {
        double edges[LEVELS], errors[LEVELS], largest = 0;
        for (uint32_t level = 0; level < LEVELS; ++level) {
            ash_geometry *geometry = NULL;
            ash_sym3 inertia = {0};
            ash_status status = mesh_create(&solids[i], level + 1, &geometry, diagnostic);
            if (status == ASH_OK)
                status = unit_mass(geometry, &inertia, diagnostic);
            ash_geometry_release(geometry);
            if (status != ASH_OK)
                return status;
            edges[level] = 1.0 / ((uint32_t)1 << level);
            errors[level] = inertia_error(inertia, solids[i].moments);
            largest = fmax(largest, errors[level]);
        }
        /* up to 12288 triangles, each with its rounding */
        if (solids[i].kind == ASH_GEOMETRY_BOX) {
            ashi_validation_below(validation, "largest error of the inertia of meshes of the cube, kg m2", "exact",
                                  largest, 1e-13);
            continue;
        }
        snprintf(quantity, sizeof quantity, "order of the mesh's inertia in the edge length, %s", solids[i].name);
        ashi_validation_near(validation, quantity, "theory", 2, ashi_fitted_order(edges, errors, LEVELS), 0.1);
    }
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_shapes(validation, diagnostic);
    if (status == ASH_OK)
        status = validate_meshes(validation, diagnostic);
    if (status != ASH_OK)
        return status;
    const char *source = "de Jong 2014, table 6-2 (Blender)";
    ashi_validation_report(validation, "moment of the sphere; Blender by the shape", source, 1, solids[0].moments[0]);
    ashi_validation_report(validation, "moment of the sphere; Blender by the mesh", source, 1.67, solids[0].moments[0]);
    return ASH_OK;
}

const ashi_builtin ashi_scene_inertia = {
    .info = {.name = "inertia",
             .summary = "a sphere, a cube and a cylinder of 1 kg, and meshes of them, show their inertia",
             .source = "de Jong 2014, 6-3-4",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
