/* Worlds with an answer by hand. All that the answer needs is read from the scene. */
#include "law.h"

#include "math/quat.h"

#include <math.h>

static double largest_residual(const law_course *course)
{
    double largest = 0;
    for (uint32_t k = 1; k <= course->steps; k++)
        largest = fmax(largest, course->instants[k].residual);
    return largest;
}

static bool is_round(const ash_scene *scene, uint32_t body)
{
    const ashi_scene_body *entry = &scene->bodies.data[body];
    const ash_geometry *geometry = scene->geometries.data[scene->shapes.data[entry->first_shape].geometry].geometry;
    ash_geometry_kind kind = ash_geometry_get_definition(geometry)->kind;
    return kind == ASH_GEOMETRY_SPHERE || kind == ASH_GEOMETRY_CIRCLE;
}

/* Whether a block stands flat on the floor, body 0: their vertical axes agree. */
static bool is_flat(const ash_scene *scene, uint32_t body)
{
    ash_vec3 up = scene->planar ? v3(0, 1, 0) : v3(0, 0, 1);
    ash_vec3 floor = q_rotate(scene->bodies.data[0].def.rotation, up);
    ash_vec3 block = q_rotate(scene->bodies.data[body].def.rotation, up);
    return v3_norm(v3_cross(floor, block)) < 1e-9 * v3_norm(floor) * v3_norm(block);
}

/* The friction that a polygon may have instead of mu in some direction: least and most, as factors, the latter also of
 * what slides. */
static void polygon_bounds(const ash_scene *scene, double *least, double *most, double *sliding)
{
    const ash_method *method = &scene->method;
    *least = *most = *sliding = 1;
    if (scene->planar || method->friction_law == ASH_FRICTION_CONE)
        return;
    if (method->friction_law == ASH_FRICTION_PYRAMID)
        *least = ashi_cos(3.141592653589793 / method->friction_directions);
    else { /* a box circumscribes the cone; at rest there is no slip to lie along */
        *most = sqrt(2);
        *sliding = method->friction_axes == ASH_AXES_GLOBAL ? *most : 1;
    }
}

/* How far a block slides from rest: it does when the slope exceeds static friction, with kinetic friction. */
static double slide(double g, double sine, double cosine, double statics, double kinetic, double time)
{
    return sine > statics * cosine ? g * (sine - kinetic * cosine) * time * time / 2 : 0;
}

/* How far a body's shape reaches from its frame in a direction of the world, m. */
static double reach(const ash_scene *scene, uint32_t body, ash_vec3 direction)
{
    const ashi_scene_body *entry = &scene->bodies.data[body];
    const ash_geometry *geometry = scene->geometries.data[scene->shapes.data[entry->first_shape].geometry].geometry;
    ash_vec3 local = q_unrotate(entry->def.rotation, direction);
    return v3_dot(ash_geometry_support(geometry, local), local);
}

/* How far the block lies above the floor, m. */
static double height_above(const ash_scene *scene, ash_vec3 normal)
{
    ash_vec3 way = v3_sub(scene->bodies.data[1].def.position, scene->bodies.data[0].def.position);
    return v3_dot(way, normal) - reach(scene, 1, v3_neg(normal));
}

/* The distance that the block goes against what it must: 0 up to the limit of static friction; beyond, a t^2 / 2 by the
 * kinetic coefficient. The limit has the first order of the methods (a t h, and g h^2 for a start without known
 * forces), for those that find contacts only in overlap the loss of contact in every other step (g h t), the solver's
 * residual, and the time that a slip takes from rest to the method's `stick-speed` by static friction. */
law_verdict law_judge_friction(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    double fall = v3_norm(scene->gravity) * scene->step * scene->step; /* in a step from rest, twice */
    if (scene->bodies.count < 2 || !(fall > 0) || !is_flat(scene, 1))
        return (law_verdict){0};
    ash_vec3 up = scene->planar ? v3(0, 1, 0) : v3(0, 0, 1);
    ash_vec3 normal = q_rotate(scene->bodies.data[0].def.rotation, up);
    if (!(fabs(height_above(scene, normal)) < fall)) /* it would fall or be pushed first */
        return (law_verdict){0};
    const ash_surface *surface = &scene->materials.data[0].surface;
    double g = v3_norm(scene->gravity), cosine = v3_dot(normal, v3_unit(v3_neg(scene->gravity)));
    double sine = sqrt(1 - cosine * cosine), time = scene->time, h = scene->step, least, most, sliding;
    double statics = surface->friction, kinetic = surface->sliding_friction < 0 ? statics : surface->sliding_friction;
    polygon_bounds(scene, &least, &most, &sliding);
    double lower = slide(g, sine, cosine, most * statics, sliding * kinetic, time);
    double upper = slide(g, sine, cosine, least * statics, least * kinetic, time);
    ash_vec3 way = v3_sub(law_course_state(course, course->steps, 1)->centre, law_course_state(course, 0, 1)->centre);
    double gone = v3_norm(v3_add_scaled(way, normal, -v3_dot(way, normal)));
    double limit = 2 * g * h * h + time * largest_residual(course) + 1e-6;
    if (scene->method.contact_margin == 0)
        limit += g * h * time;
    if (upper > 0) {
        double acceleration = 2 * upper / (time * time), onset = g * (sine - statics * cosine);
        double delay = onset > 0 ? fmin(time, scene->method.stick_speed / onset) : time;
        limit += acceleration * time * (h + (kinetic < statics ? delay : 0));
    }
    double off = gone < lower ? lower - gone : gone > upper ? gone - upper : 0;
    bool finished = course->steps == course->wanted;
    return law_verdict_of(finished ? off : (double)INFINITY, limit, "distance off, m");
}

/* The line of the impact: from body 0 to body 1, or the floor's normal. */
static ash_vec3 impact_normal(const ash_scene *scene)
{
    const ash_body_def *first = &scene->bodies.data[0].def;
    if (first->type == ASH_BODY_STATIC)
        return q_rotate(first->rotation, scene->planar ? v3(0, 1, 0) : v3(0, 0, 1));
    return v3_unit(v3_sub(scene->bodies.data[1].def.position, first->position));
}

/* Whether the impact is central: the answer by hand holds. */
static bool is_central(const ash_scene *scene, ash_vec3 normal)
{
    const ash_body_def *a = &scene->bodies.data[0].def, *b = &scene->bodies.data[1].def;
    ash_vec3 relative = v3_sub(b->velocity, a->velocity);
    bool along = v3_norm(v3_cross(relative, normal)) < 1e-9 * v3_norm(relative);
    if (a->type != ASH_BODY_STATIC)
        return is_round(scene, 0) && is_round(scene, 1) && along;
    return is_round(scene, 1) ? scene->joints.count == 0 || along : is_flat(scene, 1) && along;
}

/* When the two bodies meet, s. */
static double impact_time(const ash_scene *scene, ash_vec3 normal, double approach)
{
    const ash_body_def *a = &scene->bodies.data[0].def, *b = &scene->bodies.data[1].def;
    double gap = v3_dot(v3_sub(b->position, a->position), normal) - reach(scene, 1, v3_neg(normal));
    if (a->type != ASH_BODY_STATIC)
        gap -= reach(scene, 0, normal);
    return gap / approach;
}

/* The speed at which two bodies part against e times that at which they met. Baumgarte's bias adds up to `erp` times
 * the approach: the overlap is at most one step's way. */
law_verdict law_judge_restitution(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    if (scene->bodies.count != 2 || v3_norm2(scene->gravity) > 0)
        return (law_verdict){0};
    ash_vec3 normal = impact_normal(scene);
    double speeds[2];
    for (int end = 0; end < 2; end++) {
        uint32_t step = end == 0 ? 0 : course->steps;
        ash_vec3 relative =
            v3_sub(law_course_state(course, step, 1)->velocity, law_course_state(course, step, 0)->velocity);
        speeds[end] = v3_dot(relative, normal);
    }
    double approach = -speeds[0], e = scene->materials.data[0].surface.restitution;
    double residual = largest_residual(course), bias = 0;
    if (scene->method.stabilization == ASH_STABILIZE_BAUMGARTE || scene->method.stabilization == ASH_STABILIZE_MIXED)
        bias = scene->method.erp;
    if (!(approach > scene->method.resting_speed) || !is_central(scene, normal) ||
        !(impact_time(scene, normal, approach) < scene->time - 3 * scene->step))
        return (law_verdict){0};
    return law_verdict_of(fabs(speeds[1] - e * approach) / approach, 1e-9 + bias + residual / approach,
                          "rebound off, of the approach");
}

/* What the supports carry at rest: moments about the hinge give the other support's force, the sum of forces its own.
 * The limit is the solver's residual, as an impulse of the whole mass, over that of the weight in a step; the same of
 * the tolerances of joints that are held by positions. */
law_verdict law_judge_statics(const law_case *one)
{
    const ash_scene *scene = one->scene;
    const law_course *course = &one->course;
    if (scene->joints.count < 2 || !(v3_norm2(scene->gravity) > 0))
        return (law_verdict){0};
    double g = v3_norm(scene->gravity), weight = 0, moment = 0;
    double hinge = scene->joints.data[0].def.frame_a.position.x, other = scene->joints.data[1].def.frame_a.position.x;
    for (uint32_t i = 0; i < course->bodies; i++) {
        weight += course->masses[i] * g;
        moment += course->masses[i] * g * (law_course_state(course, 0, i)->centre.x - hinge);
    }
    ash_vec3 up = v3_unit(v3_neg(scene->gravity));
    double at_other = moment / (other - hinge), at_hinge = weight - at_other;
    double off =
        fmax(fabs(v3_dot(course->reactions[1], up) - at_other), fabs(v3_dot(course->reactions[0], up) - at_hinge));
    const ash_method *method = &scene->method;
    double h = scene->step, limit = 1e-6 + 10 * largest_residual(course) / (g * h);
    if (method->joints != ASH_JOINTS_VELOCITY)
        limit += method->joint_velocity_tolerance / (g * h) + method->joint_tolerance / (g * h * h);
    bool finished = course->steps == course->wanted;
    return law_verdict_of(finished ? off / weight : (double)INFINITY, limit, "reactions off, of the weight");
}
