/* ragdoll-2d: a figure of polygons and a disc falls down stairs (Gribel 2009, figure 1.1), planar.
 *
 * Its parts are hinged within limits; those of one side do not touch the other side's, nor their neighbours. It falls
 * asleep where it comes to lie. */
#include "experiments/builtin/flat_kit.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>

static const double step = 0.005, duration = 12;

enum { STAIRS = 10 };
static const double tread = 0.3, rise = 0.2;

typedef struct figure {
    ashi_flat_kit kit;
    double x, y; /* of its hips */
    uint32_t torso;
} figure;

/* Steps down to the right, from their top at the height STAIRS * rise to the ground. */
static void add_stairs(ashi_flat_kit *kit)
{
    kit->type = ASH_BODY_STATIC;
    for (int i = 0; i < STAIRS; i++) {
        double top = (STAIRS - i) * rise;
        ashi_flat_box(kit, NULL, i * tread, top / 2, tread, top);
    }
    ashi_flat_box(kit, "landing", -2 - tread / 2, STAIRS * rise / 2, 4, STAIRS * rise);
    kit->type = ASH_BODY_DYNAMIC;
}

/* A part below its joint at (x, y) over the hips, hinged to `parent` within limits of the angle. */
static uint32_t add_part(figure *f, const char *name, uint32_t parent, double x, double y, double width, double length,
                         double lower, double upper)
{
    ashi_flat_kit *kit = &f->kit;
    x += f->x;
    y += f->y;
    uint32_t part = ashi_flat_box(kit, name, x, y - length / 2, width, length);
    const char *joint = ashi_scene_text(kit->scene, "joint of %s", name);
    ash_joint_def hinge = ashi_flat_joint(kit, ASH_JOINT_HINGE, joint, parent, part, v3(x, y, 0), v3(1, 0, 0));
    hinge.axes[ASH_TURN_Z].lower = lower;
    hinge.axes[ASH_TURN_Z].upper = upper;
    hinge.axes[ASH_TURN_Z].friction = 0.3;
    ashi_flat_add_joint(kit, &hinge);
    return part;
}

static void add_limbs(figure *f, const char *side, double forward)
{
    ash_scene *scene = f->kit.scene;
    uint32_t thigh = add_part(f, ashi_scene_text(scene, "%s thigh", side), f->torso, 0, 0, 0.13, 0.42, -0.4, 1.6);
    add_part(f, ashi_scene_text(scene, "%s shin", side), thigh, 0, -0.42, 0.1, 0.42, -2.2, 0);
    uint32_t arm = add_part(f, ashi_scene_text(scene, "%s arm", side), f->torso, forward, 0.5, 0.1, 0.3, -1, 2.5);
    add_part(f, ashi_scene_text(scene, "%s forearm", side), arm, forward, 0.2, 0.08, 0.28, 0, 2.2);
}

/* It faces the stairs: bending forward is turning clockwise at the hips. No part touches another: their shapes are one
 * group. */
static void add_figure(figure *f)
{
    ashi_flat_kit *kit = &f->kit;
    kit->group = -1;
    kit->density = 60;
    f->torso = ashi_flat_box(kit, "torso", f->x, f->y + 0.28, 0.22, 0.56);
    uint32_t head = ashi_flat_disc(kit, "head", f->x, f->y + 0.72, 0.12);
    ash_joint_def neck =
        ashi_flat_joint(kit, ASH_JOINT_HINGE, "neck", f->torso, head, v3(f->x, f->y + 0.58, 0), v3(1, 0, 0));
    neck.axes[ASH_TURN_Z].lower = -0.6;
    neck.axes[ASH_TURN_Z].upper = 0.5;
    neck.axes[ASH_TURN_Z].friction = 0.3;
    ashi_flat_add_joint(kit, &neck);
    add_limbs(f, "left", 0.02);
    add_limbs(f, "right", -0.02);
    kit->group = 0;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    figure f = {.kit = ashi_flat_begin(scene, "gribel-2009", step, duration, diagnostic), .x = -0.9};
    f.y = STAIRS * rise + 0.86;
    f.kit.material = ashi_add_material(scene, "cloth", 0.2, 0.1);
    if (f.kit.status == ASH_OK)
        f.kit.status = ashi_add_ground(scene, f.kit.material, diagnostic);
    add_stairs(&f.kit);
    uint32_t first = scene->bodies.count;
    add_figure(&f);
    if (f.kit.status != ASH_OK)
        return f.kit.status;
    for (uint32_t i = first; i < scene->bodies.count; i++) /* pushed towards the stairs */
        scene->bodies.data[i].def.velocity = v3(2 + 0.8 * (scene->bodies.data[i].def.position.y - f.y), 0, 0);
    uint32_t x = ashi_watch_body(scene, "torso x", ASHI_BODY_POSITION, f.torso, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "torso y", ASHI_BODY_POSITION, f.torso, ASHI_Y);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    uint32_t energy = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_expect_output(scene, "it falls down the stairs", y, ASHI_FINAL, 0.3, 0.6);
    ashi_expect_output(scene, "and beyond the last of them", x, ASHI_FINAL, STAIRS * tread + 2, 2);
    ashi_expect_output(scene, "no joint opens by more than 5 mm", error, ASHI_MAX, 0, 0.005);
    ashi_expect_output(scene, "it sleeps in the end", energy, ASHI_FINAL, 0, 0);
    const ash_setting fields[] = {{"iterations", "100"}, {"sleeping", "islands"}};
    return ashi_change_method(scene, fields, 2, diagnostic);
}

/* How far all bodies go in the last two seconds, together, m. */
typedef struct wandering {
    ash_vec3 last[32];
    double way;
    uint32_t asleep; /* in the end */
} wandering;

static bool wander(const ash_world *world, uint32_t number, void *data)
{
    wandering *w = data;
    ash_body bodies[64];
    uint32_t count = ash_world_get_bodies(world, bodies, 64), moving = 0;
    for (uint32_t i = 0; i < count && moving < 32; i++) {
        if (ash_body_get_type(world, bodies[i]) != ASH_BODY_DYNAMIC)
            continue;
        ash_vec3 at = ash_body_get_centre(world, bodies[i]);
        if (number * step > duration - 2)
            w->way += v3_norm(v3_sub(at, w->last[moving]));
        w->last[moving++] = at;
    }
    w->asleep = ash_world_get_report(world).sleeping;
    return true;
}

static ash_status follow(const char *settings, wandering *w, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    *w = (wandering){0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "ragdoll-2d", "%s", settings);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, step, (uint32_t)lround(duration / step), wander, w, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

/* Sleep by thresholds of speed and spin caps small velocities of bodies that lie (Gribel 2009, 4.3.1). */
static ash_status validate_sleep(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const source = "Gribel 2009, 4.3.1";
    wandering awake, asleep;
    ash_status status = follow("sleeping=off", &awake, diagnostic);
    if (status == ASH_OK)
        status = follow("sleeping=velocity sleep-speed=0.05 sleep-spin=0.2 sleep-time=0.5", &asleep, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_report(validation, "way of all parts in the last 2 s, awake, m", source, NAN, awake.way);
    ashi_validation_below(validation, "the same, asleep by thresholds of speed and spin, m: smoother", source,
                          asleep.way, 0.1 * awake.way);
    ashi_validation_near(validation, "parts that sleep by these thresholds in the end", source, 10, asleep.asleep, 0.5);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_validate_checks(validation, "Gribel 2009, figure 1.1", diagnostic);
    return status == ASH_OK && !validation->stopped ? validate_sleep(validation, diagnostic) : status;
}

const ashi_builtin ashi_scene_ragdoll_2d = {
    .info = {.name = "ragdoll-2d",
             .summary = "a jointed figure falls down stairs and sleeps",
             .source = "Gribel 2009, figure 1.1"},
    .build = build,
    .validate = validate,
};
