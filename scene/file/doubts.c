/* Doubts about a scene. Each rule is narrow, because wrong warnings teach people to ignore warnings: a value must be
 * plausible in some other unit, not just large. */
#include "scene/file/doubts.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/vec3.h"
#include "scene/description/names.h"
#include "scene/file/source.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum doubt { GRAVITY, STEP, ANGLE, DENSITY, SIZE, MASSES, FRICTION, POINT_MASS, DOUBTS } doubt;

static const char *const codes[DOUBTS] = {[GRAVITY] = "units.gravity",   [STEP] = "units.step",
                                          [ANGLE] = "units.angle",       [DENSITY] = "units.density",
                                          [SIZE] = "units.size",         [MASSES] = "units.masses",
                                          [FRICTION] = "units.friction", [POINT_MASS] = "joint.point-mass"};

/* The first of each kind, and how many. */
typedef struct doubter {
    const ash_scene *scene;
    ash_diagnostic first[DOUBTS];
    uint32_t counts[DOUBTS];
} doubter;

static ASHI_PRINTF(4, 5) void note(doubter *d, doubt kind, const char *path, const char *format, ...)
{
    if (d->counts[kind]++ > 0)
        return;
    ash_diagnostic *warning = &d->first[kind];
    char message[sizeof warning->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ashi_fail(warning, ASH_BAD_DATA, codes[kind], "%s", message);
    snprintf(warning->path, sizeof warning->path, "%s", path);
}

static bool is_near(double value, double wanted)
{
    return fabs(value - wanted) < 0.02 * wanted;
}

static void doubt_world(doubter *d)
{
    const ash_scene *scene = d->scene;
    double gravity = v3_norm(scene->gravity);
    const char *unit = is_near(gravity, 9810)    ? "mm/s2"
                       : is_near(gravity, 981)   ? "cm/s2"
                       : is_near(gravity, 32.17) ? "ft/s2"
                       : is_near(gravity, 386.1) ? "in/s2"
                                                 : NULL;
    if (unit != NULL)
        note(d, GRAVITY, "/world/gravity", "gravity is %g m/s2, which is the earth's in %s; lengths are in metres here",
             gravity, unit);
    if (scene->step > scene->time)
        note(d, STEP, "/world/step", "a step of %g s is longer than the run of %g s", scene->step, scene->time);
    else if (scene->step >= 0.5 && gravity > 0)
        note(d, STEP, "/world/step", "a step of %g s is long: a body falls %.3g m in it; times are in seconds here",
             scene->step, gravity * scene->step * scene->step / 2);
}

/* Radians are rarely round; degrees are. */
static bool is_in_degrees(double angle)
{
    return isfinite(angle) && fabs(angle) >= 10 && fabs(angle) <= 3600 && fmod(angle, 5) == 0;
}

static void doubt_angle(doubter *d, uint32_t joint, ash_freedom freedom, const char *key, double angle)
{
    char path[128];
    if (!is_in_degrees(angle))
        return;
    snprintf(path, sizeof path, "/joints/%u/axes/%s/%s", (unsigned)joint, ash_freedom_name(freedom), key);
    note(d, ANGLE, path, "%s is %g rad, or %.3g turns; angles are in radians here (%g degrees are %.6g rad)", key,
         angle, angle / (2 * acos(-1.0)), angle, angle * acos(-1.0) / 180);
}

static void doubt_angles(doubter *d, uint32_t number, const ash_joint_def *def)
{
    for (ash_freedom f = ASH_TURN_X; f <= ASH_TURN_Z; f++) {
        const ash_joint_axis *axis = &def->axes[f];
        doubt_angle(d, number, f, "lower", axis->lower);
        doubt_angle(d, number, f, "upper", axis->upper);
        if (axis->stiffness > 0)
            doubt_angle(d, number, f, "rest", axis->rest);
        if (axis->motor.drive == ASH_DRIVE_POSITION || axis->motor.drive == ASH_DRIVE_SERVO)
            doubt_angle(d, number, f, "motor/target", axis->motor.target);
    }
    char path[64];
    snprintf(path, sizeof path, "/joints/%u/cone", (unsigned)number);
    if (isfinite(def->cone) && is_in_degrees(def->cone))
        note(d, ANGLE, path, "cone is %g rad; angles are in radians here", def->cone);
}

/* A hinge needs something that can turn. */
static void doubt_point_masses(doubter *d, const ash_world *world, const ash_body *bodies, uint32_t number,
                               const ash_joint_def *def)
{
    const ash_body refs[] = {def->body_a, def->body_b};
    const char *const keys[] = {"body_a", "body_b"};
    bool turns = def->kind == ASH_JOINT_HINGE || def->kind == ASH_JOINT_UNIVERSAL || def->kind == ASH_JOINT_CYLINDRICAL;
    for (int i = 0; i < 2 && turns; i++) {
        if (refs[i].id == 0 || bodies[refs[i].id - 1].id == 0)
            continue;
        const ashi_scene_body *entry = &d->scene->bodies.data[refs[i].id - 1];
        ash_mass_properties mass = ash_body_get_mass(world, bodies[refs[i].id - 1]);
        if (entry->def.type != ASH_BODY_DYNAMIC || mass.principal.z > 0 || entry->def.locks != 0)
            continue;
        char path[64];
        snprintf(path, sizeof path, "/joints/%u/%s", (unsigned)number, keys[i]);
        note(d, POINT_MASS, path,
             "the %s joins a body without inertia, which never turns: the joint cannot move. A ball or distance joint "
             "can, or give the body an inertia or a shape",
             ash_joint_kind_name(def->kind));
    }
}

static void doubt_density(doubter *d, const char *path, double density)
{
    if (density >= 0.5 && density < 23)
        note(d, DENSITY, path, "a density of %g kg/m3 is that of foam or gas; %g g/cm3 are %g kg/m3", density, density,
             1000 * density);
    else if (density > 0 && density < 0.05)
        note(d, DENSITY, path, "a density of %g kg/m3 is below that of any gas; densities are in kg/m3 here", density);
}

static void doubt_materials(doubter *d)
{
    for (uint32_t i = 0; i < d->scene->materials.count; i++) {
        const ash_material_def *def = &d->scene->materials.data[i];
        char path[256];
        if (def->name == NULL || def->name[0] == 0)
            continue;
        snprintf(path, sizeof path, "/materials/%.200s/friction", def->name);
        if (def->surface.friction >= 10 && isfinite(def->surface.friction))
            note(d, FRICTION, path,
                 "a friction coefficient of %g is beyond rubber's; it is a ratio, not percent or degrees",
                 def->surface.friction);
    }
}

/* Densities of shapes that give a dynamic body its mass. */
static void doubt_densities(doubter *d, uint32_t number)
{
    const ashi_scene_body *entry = &d->scene->bodies.data[number];
    for (uint32_t i = 0; i < entry->shape_count; i++) {
        const ashi_scene_shape *shape = &d->scene->shapes.data[entry->first_shape + i];
        char path[256];
        if (shape->sensor)
            continue;
        if (shape->density != ASH_MATERIAL_DENSITY) {
            snprintf(path, sizeof path, "/bodies/%u/shapes/%u/density", (unsigned)number, (unsigned)i);
            doubt_density(d, path, shape->density);
        } else if (shape->material != ASHI_NONE) {
            const ash_material_def *def = &d->scene->materials.data[shape->material];
            snprintf(path, sizeof path, "/materials/%.200s/density", def->name != NULL ? def->name : "");
            doubt_density(d, path, def->density);
        }
    }
}

/* The longest side of the boxes around the body's shapes, each as it lies in its own frame, m. */
static double size_of(const ash_scene *scene, const ashi_scene_body *entry)
{
    double largest = 0;
    for (uint32_t i = 0; i < entry->shape_count; i++) {
        const ash_geometry *geometry =
            scene->geometries.data[scene->shapes.data[entry->first_shape + i].geometry].geometry;
        ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
        ash_vec3 side = v3_sub(box.upper, box.lower);
        largest = fmax(largest, fmax(side.x, fmax(side.y, side.z)));
    }
    return largest;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* A dynamic body that is a thousand times larger than most, and larger than a house. */
static void doubt_sizes(doubter *d, const uint32_t *dynamic, uint32_t count)
{
    double *sizes = ashi_alloc_array(count, sizeof *sizes);
    if (sizes == NULL || count < 2) {
        ashi_dealloc(sizes);
        return;
    }
    uint32_t with_shapes = 0;
    for (uint32_t i = 0; i < count; i++) {
        double size = size_of(d->scene, &d->scene->bodies.data[dynamic[i]]);
        if (size > 0)
            sizes[with_shapes++] = size;
    }
    qsort(sizes, with_shapes, sizeof *sizes, compare_numbers);
    double usual = with_shapes > 0 ? sizes[(with_shapes - 1) / 2] : (double)INFINITY;
    ashi_dealloc(sizes);
    for (uint32_t i = 0; i < count; i++) {
        double size = size_of(d->scene, &d->scene->bodies.data[dynamic[i]]);
        char path[64];
        snprintf(path, sizeof path, "/bodies/%u", (unsigned)dynamic[i]);
        if (isfinite(size) && size >= 20 && size >= 500 * usual)
            note(d, SIZE, path, "the body is %.3g m long, others %.3g m; lengths are in metres here", size, usual);
    }
}

static void doubt_masses(doubter *d, const ash_world *world, const ash_body *bodies, const uint32_t *dynamic,
                         uint32_t count)
{
    double least = (double)INFINITY, most = 0;
    uint32_t heaviest = 0;
    for (uint32_t i = 0; i < count; i++) {
        double mass = ash_body_get_mass(world, bodies[dynamic[i]]).mass;
        least = fmin(least, mass);
        heaviest = mass > most ? dynamic[i] : heaviest;
        most = fmax(most, mass);
    }
    char path[64];
    snprintf(path, sizeof path, "/bodies/%u", (unsigned)heaviest);
    if (count > 1 && most > 1e8 * least)
        note(d, MASSES, path, "the body has %.3g kg, the lightest %.3g kg: solvers lose digits with ratios above 1e8",
             most, least);
}

static void doubt_bodies(doubter *d, const ash_world *world, const ash_body *bodies)
{
    const ash_scene *scene = d->scene;
    uint32_t count = 0, *dynamic = ashi_alloc_array(scene->bodies.count, sizeof *dynamic);
    if (dynamic == NULL)
        return; /* without memory there are no warnings */
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.data[i].def.type == ASH_BODY_DYNAMIC && bodies[i].id != 0)
            dynamic[count++] = i;
    for (uint32_t i = 0; i < count; i++)
        if (!scene->planar && !(scene->bodies.data[dynamic[i]].def.mass > 0))
            doubt_densities(d, dynamic[i]);
    doubt_sizes(d, dynamic, count);
    doubt_masses(d, world, bodies, dynamic, count);
    ashi_dealloc(dynamic);
}

/* The world's bodies by number in the scene; of absent ones a null handle. */
static ash_body *list_bodies(const ash_scene *scene, const ash_world *world)
{
    uint32_t present = ash_world_get_bodies(world, NULL, 0), next = 0;
    ash_body *listed = ashi_alloc_array(present, sizeof *listed);
    ash_body *bodies = ashi_alloc_zeroed(scene->bodies.count * sizeof *bodies);
    if (listed != NULL && bodies != NULL) {
        ash_world_get_bodies(world, listed, present);
        for (uint32_t i = 0; i < scene->bodies.count && next < present; i++)
            if (!scene->bodies.data[i].absent)
                bodies[i] = listed[next++];
    } else {
        ashi_dealloc(bodies);
        bodies = NULL;
    }
    ashi_dealloc(listed);
    return bodies;
}

void ashi_scene_doubts(const ash_scene *scene, const ash_world *world,
                       void (*take)(const ash_diagnostic *warning, void *user), void *user)
{
    doubter d = {.scene = scene};
    ash_body *bodies = list_bodies(scene, world);
    if (bodies == NULL)
        return;
    doubt_world(&d);
    doubt_materials(&d);
    doubt_bodies(&d, world, bodies);
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        doubt_angles(&d, i, &scene->joints.data[i].def);
        doubt_point_masses(&d, world, bodies, i, &scene->joints.data[i].def);
    }
    ashi_dealloc(bodies);
    for (doubt kind = 0; kind < DOUBTS; kind++) {
        ash_diagnostic warning = d.first[kind];
        if (d.counts[kind] == 0)
            continue;
        if (d.counts[kind] > 1) {
            size_t used = strlen(warning.message);
            snprintf(warning.message + used, sizeof warning.message - used, " (and %u more like this)",
                     (unsigned)(d.counts[kind] - 1));
        }
        ashi_source_place(scene, &warning);
        take(&warning, user);
    }
}
