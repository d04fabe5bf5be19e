/* The list of laws, and which scenes each is about. */
#include "law.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[LAWS] = {"finite",      "momentum", "floor",       "energy", "keep", "overlap",
                                        "order",       "exchange", "mirror",      "turn",   "move", "units",
                                        "convergence", "friction", "restitution", "statics"};

const char *law_name(law_number law)
{
    return names[law];
}

law_number law_find(const char *name)
{
    law_number law = 0;
    while (law < LAWS && strcmp(name, names[law]) != 0)
        law++;
    return law;
}

#define IN(family) (1u << FAMILY_##family)
/* Families that move for a while without an answer by hand. */
#define MOVING                                                                                                         \
    (IN(FREE) | IN(FLOOR) | IN(RESTING) | IN(MECHANISM) | IN(JOINTED) | IN(SPRINGS) | IN(MOTORS) | IN(MIXED) |         \
     IN(SURFACES))

bool law_suits(law_number law, law_family family)
{
    static const uint32_t families[LAWS] = {
        [LAW_FINITE] = MOVING,
        [LAW_MOMENTUM] = IN(FREE) | IN(MECHANISM) | IN(SPRINGS) | IN(SURFACES),
        [LAW_FLOOR] = IN(FLOOR),
        [LAW_ENERGY] = MOVING,
        [LAW_KEEP] = IN(MECHANISM) | IN(SPRINGS),
        [LAW_OVERLAP] = IN(FREE) | IN(FLOOR) | IN(RESTING) | IN(JOINTED) | IN(SPRINGS) | IN(MIXED) | IN(SURFACES),
        [LAW_ORDER] = MOVING,
        [LAW_EXCHANGE] = IN(MECHANISM) | IN(JOINTED) | IN(SPRINGS) | IN(MOTORS) | IN(MIXED),
        [LAW_MIRROR] = MOVING,
        [LAW_TURN] = MOVING,
        [LAW_MOVE] = MOVING,
        [LAW_UNITS] = MOVING,
        [LAW_CONVERGENCE] = IN(MECHANISM) | IN(SPRINGS),
        [LAW_FRICTION] = IN(INCLINE),
        [LAW_RESTITUTION] = IN(BOUNCE),
        [LAW_STATICS] = IN(STATICS),
    };
    return (families[law] >> family & 1) != 0;
}

bool law_case_begin(const ash_scene *scene, law_case *one, ash_diagnostic *diagnostic)
{
    *one = (law_case){.scene = scene, .growth = -1};
    return law_course_run(scene, &one->course, diagnostic);
}

void law_case_end(law_case *one)
{
    law_course_release(&one->course);
}

law_verdict law_verdict_of(double figure, double limit, const char *what)
{
    law_verdict verdict = {.applies = true, .figure = figure, .limit = limit};
    snprintf(verdict.what, sizeof verdict.what, "%s", what);
    return verdict;
}

law_verdict law_judge(law_number law, law_case *one)
{
    switch (law) {
    case LAW_FINITE:
        return law_judge_finite(one);
    case LAW_MOMENTUM:
        return law_judge_momentum(one);
    case LAW_FLOOR:
        return law_judge_floor(one);
    case LAW_ENERGY:
    case LAW_KEEP:
        return law_judge_energy(one, law == LAW_KEEP);
    case LAW_OVERLAP:
        return law_judge_overlap(one);
    case LAW_CONVERGENCE:
        return law_judge_convergence(one);
    case LAW_FRICTION:
        return law_judge_friction(one);
    case LAW_RESTITUTION:
        return law_judge_restitution(one);
    case LAW_STATICS:
        return law_judge_statics(one);
    default:
        return law_judge_likeness(one, law);
    }
}

bool law_has_contacts(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        if (scene->shapes.data[i].mask != 0)
            return true;
    return false;
}

static bool is_background(const ash_scene *scene, ash_body body)
{
    return body.id == 0 || scene->bodies.data[body.id - 1].def.type != ASH_BODY_DYNAMIC;
}

bool law_is_isolated(const ash_scene *scene)
{
    if (v3_norm2(scene->gravity) > 0)
        return false;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ash_body_def *def = &scene->bodies.data[i].def;
        if (def->type != ASH_BODY_DYNAMIC || def->linear_damping != 0 || def->angular_damping != 0 || def->locks != 0)
            return false;
    }
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        const ash_joint_def *def = &scene->joints.data[i].def;
        if (is_background(scene, def->body_a) || is_background(scene, def->body_b) || def->kind == ASH_JOINT_PULLEY)
            return false;
    }
    for (uint32_t i = 0; i < scene->forces.count; i++) {
        const ashi_scene_force *force = &scene->forces.data[i];
        if (force->kind != ASH_FORCE_SPRING || is_background(scene, force->def.spring.body_a) ||
            is_background(scene, force->def.spring.body_b))
            return false;
    }
    return true;
}

static bool axis_acts(const ash_joint_axis *axis)
{
    return axis->friction != 0 || axis->stiffness != 0 || axis->damping != 0 || axis->motor.drive != ASH_DRIVE_OFF;
}

bool law_has_axis_forces(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->joints.count; i++)
        for (int k = 0; k < ASH_FREEDOMS; k++)
            if (axis_acts(&scene->joints.data[i].def.axes[k]))
                return true;
    return false;
}

bool law_is_smooth(const ash_scene *scene)
{
    if (law_has_contacts(scene))
        return false;
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        const ash_joint_def *def = &scene->joints.data[i].def;
        if (def->kind == ASH_JOINT_ROPE || def->kind == ASH_JOINT_PULLEY || def->cone < 3)
            return false;
        for (int k = 0; k < ASH_FREEDOMS; k++)
            if (isfinite(def->axes[k].lower) || isfinite(def->axes[k].upper) || def->axes[k].friction != 0 ||
                def->axes[k].motor.drive != ASH_DRIVE_OFF)
                return false;
    }
    for (uint32_t i = 0; i < scene->forces.count; i++)
        if (scene->forces.data[i].kind != ASH_FORCE_SPRING || scene->forces.data[i].def.spring.tension_only)
            return false;
    return true;
}

bool law_is_conservative(const ash_scene *scene)
{
    if (!law_is_smooth(scene))
        return false;
    for (uint32_t i = 0; i < scene->joints.count; i++)
        for (int k = 0; k < ASH_FREEDOMS; k++)
            if (scene->joints.data[i].def.axes[k].damping != 0)
                return false;
    for (uint32_t i = 0; i < scene->forces.count; i++)
        if (scene->forces.data[i].def.spring.damping != 0)
            return false;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.data[i].def.linear_damping != 0 || scene->bodies.data[i].def.angular_damping != 0)
            return false;
    return true;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int law_order(const ash_scene *scene)
{
    const ash_method *method = &scene->method;
    bool two = method->integrator == ASH_IMPLICIT_MIDPOINT || method->integrator == ASH_SDIRK2;
    int order = method->integrator == ASH_RK4 ? 4 : two ? 2 : 1;
    if (scene->joints.count > 0 && method->joints != ASH_JOINTS_ACCELERATIONS)
        order = least(order, method->joints == ASH_JOINTS_IMPULSES ? 2 : 1);
    if (law_has_axis_forces(scene)) /* implicit, docs/joint-methods.md */
        order = 1;
    if (law_has_contacts(scene) && method->step_control != ASH_STEP_IMPACTS)
        order = 1;
    return order;
}

double law_friction(const ash_scene *scene)
{
    double friction = 0;
    for (uint32_t i = 0; i < scene->materials.count; i++)
        friction = fmax(friction, scene->materials.data[i].surface.friction);
    return friction;
}
