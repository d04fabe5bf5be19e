/* heavy-chain: ten links of 1 kg with a heavy body at the end, let go from the horizontal.
 *
 * Solvers that go joint by joint need as many sweeps as the ratio of masses; one factor for all needs none. */
#include "experiments/builtin/mechanism.h"
#include "experiments/builtin/statics.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>

static const double link_length = 0.5, gravity = 9.81;
enum { LINKS = 10 };
static const ash_scene_parameter parameters[] = {
    {.name = "ratio",
     .summary = "mass of the body at the end over that of a link",
     .value = 1000,
     .low = 1e-3,
     .high = 1e8},
    {.name = "angle",
     .summary = "of the chain from the vertical at the start, degrees",
     .value = 90,
     .low = 0,
     .high = 90},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double ratio = ashi_parameter(given, "ratio"), angle = ashi_parameter(given, "angle") * ASHI_PI / 180;
    ash_vec3 along = {ashi_sin(angle), 0, -ashi_cos(angle)}, end = {0, 0, 0};
    uint32_t before = ASHI_NONE, joint = ASHI_NONE;
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 1.0 / 60;
    scene->time = 5;
    for (int i = 0; i <= LINKS; i++) {
        ash_geometry_def solid = ash_default_geometry_def(i < LINKS ? ASH_GEOMETRY_BOX : ASH_GEOMETRY_SPHERE);
        ash_body_def def = ash_default_body_def();
        double half = i < LINKS ? link_length / 2 : 0.3;
        def.name = i < LINKS ? ashi_scene_text(scene, "link-%d", i + 1) : "weight";
        def.mass = i < LINKS ? 1 : ratio;
        def.position = (ash_vec3){end.x + half * along.x, 0, end.z + half * along.z};
        def.rotation = (ash_quat){ashi_cos((ASHI_PI / 2 - angle) / 2), 0, ashi_sin((ASHI_PI / 2 - angle) / 2), 0};
        solid.half_extents = (ash_vec3){half, 0.03, 0.03};
        solid.radius = half;
        ashi_stock stock;
        ash_status status = ashi_make_stock(scene, def.name, &solid, ASHI_NONE, 1, &stock, diagnostic);
        if (status != ASH_OK)
            return status;
        stock.group = ASHI_GROUP_APART; /* links end within each other, and may swing through each other */
        uint32_t body = ashi_add_from_stock(scene, &def, &stock);
        ash_joint_def ball = ash_default_joint_def(ASH_JOINT_BALL);
        ball.name = ashi_scene_text(scene, "joint-%d", i + 1);
        ball.body_a = before != ASHI_NONE ? ashi_scene_body_ref(before) : (ash_body){0};
        ball.body_b = ashi_scene_body_ref(body);
        if (before != ASHI_NONE)
            ball.frame_a.position = (ash_vec3){link_length / 2, 0, 0};
        ball.frame_b.position = (ash_vec3){-half, 0, 0};
        uint32_t number = ashi_scene_add_joint(scene, &ball);
        joint = joint == ASHI_NONE ? number : joint;
        before = body;
        end = (ash_vec3){end.x + 2 * half * along.x, 0, end.z + 2 * half * along.z};
    }
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    uint32_t force =
        ashi_watch_joint_load(scene, "force at the top", ASHI_JOINT_FORCE, joint, ASH_FRAME_WORLD, ASHI_NORM);
    ashi_expect_output(scene, "joints hold to 1e-6 m", error, ASHI_MAX, 0, 1e-6);
    double weight = ashi_scene_mass(scene) * gravity, start = ashi_scene_height_energy(scene);
    double lowest = -ashi_scene_mass(scene) * gravity * (LINKS * link_length + 0.6);
    uint32_t energy = ashi_watch_world(scene, "potential energy", ASHI_WORLD_GRAVITY);
    if (angle == 0)
        ashi_expect_output(scene, "it hangs: the top carries the weight, within 1e-6", force, ASHI_FINAL, weight,
                           1e-6 * weight);
    else
        ashi_expect_range(scene, "it swings down", energy, ASHI_MIN, lowest, start + 0.5 * (lowest - start));
    return ashi_use_method(scene, "engineering", diagnostic);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *name;
        bool direct;
    } methods[] = {{"engineering", true},  {"bender-schmitt-2006", true}, {"realtime", true},
                   {"gribel-2009", false}, {"dejong-2014", false},        {"faure", false}};
    static const double angles[] = {0, 90}, end = 5;
    char quantity[120], settings[96];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 2 && !validation->stopped; k++) {
            ashi_outcome seen;
            snprintf(settings, sizeof settings, "%s angle=%g", methods[i].name, angles[k]);
            ash_status status = ashi_run_mechanism("heavy-chain", settings, 1.0 / 60, &end, 1, &seen, diagnostic);
            if (status != ASH_OK)
                return status;
            snprintf(quantity, sizeof quantity,
                     "ratio 1000, from %g degrees, h 1/60: largest joint error in 5 s, m, %s", angles[k],
                     methods[i].name);
            if (methods[i].direct)
                ashi_validation_below(validation, quantity, "exact", seen.joint_error, 1e-6);
            else
                ashi_validation_report(validation, quantity, "exact", 0, seen.joint_error);
            snprintf(quantity, sizeof quantity, "ratio 1000, from %g degrees: departure of the energy, J, %s",
                     angles[k], methods[i].name);
            ashi_validation_report(validation, quantity, "exact", 0, seen.energy);
        }
    return ASH_OK;
}

const ashi_builtin ashi_scene_heavy_chain = {
    .info = {.name = "heavy-chain",
             .summary = "ten links of 1 kg with a heavy body at the end",
             .source = "public comparison of engines",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
