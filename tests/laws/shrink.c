/* Each attempt is a copy with one thing less. It is accepted when it is still a proper start (no overlap and no open
 * joints that the world did not have before) and the law still fails. Rounds end when nothing more can go. */
#include "shrink.h"

#include "copy.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

typedef struct search {
    ash_scene *best;
    law_number law;
    double overlap; /* m, at the start of the original */
    double least;   /* figure over limit that must remain: a clear failure stays clear */
    bool smaller;   /* something went in this round */
} search;

static bool still_fails(const search *state, const ash_scene *scene)
{
    law_case one;
    if (!law_case_begin(scene, &one, NULL))
        return false;
    bool proper = one.course.penetration <= state->overlap + 1e-9 && one.course.joint_error <= 1e-9;
    law_verdict verdict = {0};
    if (proper)
        verdict = law_judge(state->law, &one);
    law_case_end(&one);
    return proper && law_fails(&verdict) && !(verdict.figure < state->least * verdict.limit);
}

/* Takes the attempt when it still fails; releases what is not kept. */
static bool offer(search *state, ash_scene *attempt)
{
    if (attempt == NULL)
        return false;
    if (!still_fails(state, attempt)) {
        ash_scene_destroy(attempt);
        return false;
    }
    ash_scene_destroy(state->best);
    state->best = attempt;
    state->smaller = true;
    return true;
}

static bool touches(ash_body body, uint32_t number)
{
    return body.id == (uint64_t)number + 1;
}

static bool joint_touches(const ash_scene *scene, uint32_t joint, uint32_t body)
{
    const ash_joint_def *def = &scene->joints.data[joint].def;
    return touches(def->body_a, body) || touches(def->body_b, body);
}

static bool force_touches(const ash_scene *scene, uint32_t force, uint32_t body)
{
    const ashi_scene_force *entry = &scene->forces.data[force];
    if (entry->kind == ASH_FORCE_SPRING)
        return touches(entry->def.spring.body_a, body) || touches(entry->def.spring.body_b, body);
    return touches(entry->def.load.body, body);
}

/* A copy without one body and what is attached to it, or without one joint or force; ASHI_NONE: none of that kind. */
static ash_scene *without(const ash_scene *scene, uint32_t body, uint32_t joint, uint32_t force)
{
    uint32_t bodies[MOST], joints[MOST], forces[MOST];
    law_change change = law_no_change();
    change.bodies.numbers = bodies;
    change.joints.numbers = joints;
    change.forces.numbers = forces;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (i != body)
            bodies[change.bodies.count++] = i;
    for (uint32_t i = 0; i < scene->joints.count; i++)
        if (i != joint && (body == ASHI_NONE || !joint_touches(scene, i, body)))
            joints[change.joints.count++] = i;
    for (uint32_t i = 0; i < scene->forces.count; i++)
        if (i != force && (body == ASHI_NONE || !force_touches(scene, i, body)))
            forces[change.forces.count++] = i;
    return law_copy(scene, &change);
}

static void remove_things(search *state)
{
    for (uint32_t i = state->best->bodies.count; i-- > 0;)
        if (state->best->bodies.count > 1)
            offer(state, without(state->best, i, ASHI_NONE, ASHI_NONE));
    for (uint32_t i = state->best->joints.count; i-- > 0;)
        offer(state, without(state->best, ASHI_NONE, i, ASHI_NONE));
    for (uint32_t i = state->best->forces.count; i-- > 0;)
        offer(state, without(state->best, ASHI_NONE, ASHI_NONE, i));
}

static ash_scene *clone(const ash_scene *scene)
{
    law_change same = law_no_change();
    return law_copy(scene, &same);
}

/* An attempt with that many steps. */
static bool try_steps(search *state, double steps)
{
    if (steps < 1)
        return false;
    ash_scene *attempt = clone(state->best);
    if (attempt != NULL)
        attempt->time = steps * attempt->step;
    return offer(state, attempt);
}

static double step_count(const search *state)
{
    return rint(state->best->time / state->best->step);
}

/* Halves the time as often as possible, then takes single steps away. */
static void shorten(search *state)
{
    while (try_steps(state, floor(step_count(state) / 2)))
        continue;
    for (int i = 0; i < 20 && try_steps(state, step_count(state) - 1); i++)
        continue;
}

/* To a number of decimal digits. */
static double round_number(double x, int digits)
{
    if (x == 0 || !isfinite(x))
        return x;
    double unit = pow(10, floor(log10(fabs(x))) + 1 - digits);
    double rounded = rint(x / unit) * unit;
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, rounded);
    return strtod(text, NULL);
}

static void round_vector(ash_vec3 *v, int digits)
{
    double size = fmax(fabs(v->x), fmax(fabs(v->y), fabs(v->z)));
    double *const parts[3] = {&v->x, &v->y, &v->z};
    for (int i = 0; i < 3; i++)
        *parts[i] = fabs(*parts[i]) < 1e-3 * size ? 0 : round_number(*parts[i], digits);
}

/* Numbers of one geometry rounded; false where nothing changes or nothing can be made. */
static bool round_geometry(ash_scene *scene, uint32_t number, int digits)
{
    ash_geometry *old = scene->geometries.data[number].geometry, *made = NULL;
    ash_geometry_def def = *ash_geometry_get_definition(old);
    ash_vec3 points[MOST];
    if (def.point_count > MOST || def.kind == ASH_GEOMETRY_COMPOUND || def.kind == ASH_GEOMETRY_MESH)
        return false;
    def.radius = round_number(def.radius, digits);
    def.height = round_number(def.height, digits);
    round_vector(&def.half_extents, digits);
    for (uint32_t i = 0; i < def.point_count; i++) {
        points[i] = def.points[i];
        round_vector(&points[i], digits);
    }
    if (def.point_count > 0)
        def.points = points;
    def.triangles = NULL;
    def.triangle_count = 0;
    if (ash_geometry_create(&def, &made, NULL) != ASH_OK)
        return false;
    bool changed = ash_geometry_get_hash(made) != ash_geometry_get_hash(old);
    scene->geometries.data[number].geometry = made;
    ash_geometry_release(old);
    return changed;
}

/* What may become simpler about a body: each case changes one thing. False: there is nothing to change. */
enum { BODY_EDITS = 9 };
static bool edit_body(ash_scene *scene, uint32_t body, int edit)
{
    ash_body_def *def = &scene->bodies.data[body].def, old = *def;
    switch (edit) {
    case 0:
        def->angular_velocity = v3(0, 0, 0);
        return v3_norm2(old.angular_velocity) > 0;
    case 1:
        def->velocity = v3(0, 0, 0);
        return v3_norm2(old.velocity) > 0;
    case 2:
        def->rotation = q_identity();
        return old.rotation.w != 1;
    case 3:
        round_vector(&def->position, 2);
        return v3_distance(old.position, def->position) > 0;
    case 4:
        round_vector(&def->position, 4);
        return v3_distance(old.position, def->position) > 0;
    case 5:
        round_vector(&def->velocity, 2);
        return v3_distance(old.velocity, def->velocity) > 0;
    case 6:
        round_vector(&def->angular_velocity, 2);
        return v3_distance(old.angular_velocity, def->angular_velocity) > 0;
    case 7:
        def->rotation = (ash_quat){round_number(old.rotation.w, 2), round_number(old.rotation.x, 2),
                                   round_number(old.rotation.y, 2), round_number(old.rotation.z, 2)};
        return def->rotation.w != old.rotation.w || def->rotation.x != old.rotation.x ||
               def->rotation.y != old.rotation.y || def->rotation.z != old.rotation.z;
    default:
        return scene->bodies.data[body].shape_count == 1 &&
               round_geometry(scene, scene->shapes.data[scene->bodies.data[body].first_shape].geometry, 2);
    }
}

enum { JOINT_EDITS = 4 };
static bool edit_joint(ash_scene *scene, uint32_t joint, int edit)
{
    ash_joint_def *def = &scene->joints.data[joint].def;
    bool changed = false;
    for (int i = 0; i < ASH_FREEDOMS; i++) {
        ash_joint_axis *axis = &def->axes[i], old = *axis;
        if (edit == 0)
            axis->friction = 0;
        else if (edit == 1)
            axis->stiffness = axis->damping = 0;
        else if (edit == 2)
            axis->motor.drive = ASH_DRIVE_OFF;
        else
            axis->upper = INFINITY, axis->lower = -(double)INFINITY;
        changed = changed || axis->friction != old.friction || axis->stiffness != old.stiffness ||
                  axis->damping != old.damping || axis->motor.drive != old.motor.drive || axis->upper != old.upper;
    }
    return changed;
}

enum { WORLD_EDITS = 6 };
static bool edit_world(ash_scene *scene, int edit)
{
    ash_material_def *material = scene->materials.count > 0 ? &scene->materials.data[0] : NULL;
    if (edit == 0) {
        bool changed = v3_norm2(scene->gravity) > 0;
        scene->gravity = v3(0, 0, 0);
        return changed;
    }
    if (material == NULL)
        return false;
    ash_material_def old = *material;
    switch (edit) {
    case 1:
        material->surface.friction = 0;
        material->surface.sliding_friction = -1;
        return old.surface.friction != 0;
    case 2:
        material->surface.restitution = 0;
        return old.surface.restitution != 0;
    case 3:
        material->density = 1000;
        return old.density != 1000;
    case 4:
        material->surface.friction = round_number(old.surface.friction, 1);
        return old.surface.friction != material->surface.friction;
    default:
        material->surface.restitution = round_number(old.surface.restitution, 1);
        return old.surface.restitution != material->surface.restitution;
    }
}

/* Tries one edit on a copy. */
static void try_edit(search *state, int what, uint32_t number, int edit)
{
    ash_scene *attempt = clone(state->best);
    if (attempt == NULL)
        return;
    bool changed = what == 0   ? edit_world(attempt, edit)
                   : what == 1 ? edit_body(attempt, number, edit)
                               : edit_joint(attempt, number, edit);
    if (changed)
        offer(state, attempt);
    else
        ash_scene_destroy(attempt);
}

static void simplify(search *state)
{
    for (int edit = 0; edit < WORLD_EDITS; edit++)
        try_edit(state, 0, 0, edit);
    for (uint32_t i = 0; i < state->best->bodies.count; i++)
        for (int edit = 0; edit < BODY_EDITS; edit++)
            try_edit(state, 1, i, edit);
    for (uint32_t i = 0; i < state->best->joints.count; i++)
        for (int edit = 0; edit < JOINT_EDITS; edit++)
            try_edit(state, 2, i, edit);
}

static void describe(search *state)
{
    law_case one;
    ash_scene *scene = state->best;
    if (!law_case_begin(scene, &one, NULL))
        return;
    law_verdict verdict = law_judge(state->law, &one);
    law_case_end(&one);
    scene->summary = ashi_scene_text(scene, "law %s, %s, h %g s: %s %.3g, limit %.3g", law_name(state->law),
                                     scene->method.name, scene->step, verdict.what, verdict.figure, verdict.limit);
}

ash_scene *law_shrink(ash_scene *scene, law_number law)
{
    search state = {.best = scene, .law = law};
    law_case one;
    if (law_case_begin(scene, &one, NULL)) {
        law_verdict verdict = law_judge(law, &one);
        state.overlap = one.course.penetration;
        state.least = verdict.figure > 3 * verdict.limit ? 3 : 1;
        law_case_end(&one);
    }
    for (int round = 0; round < 4; round++) {
        state.smaller = false;
        shorten(&state);
        remove_things(&state);
        simplify(&state);
        if (!state.smaller)
            break;
    }
    describe(&state);
    return state.best;
}
