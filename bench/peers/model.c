/* Models from scenes. Masses and surface laws are those of a world of ours in which all bodies are present.
 *
 * A body's frame is turned to principal axes only where its own are none, so that a box stays a box along its axes. */
#include "model.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/vec3.h"
#include "scene/instance/instance.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>

static ash_status not_suitable(ash_diagnostic *diagnostic, const char *what)
{
    return ashi_fail(diagnostic, ASH_BAD_DATA, "bench.peers", "other engines are given %s only", what);
}

/* ---- bodies and shapes ---- */

static bool is_point_mass(const ash_body_def *def)
{
    return (def->locks & ASH_LOCK_ROTATION) == ASH_LOCK_ROTATION;
}

static ash_transform choose_frame(const ash_mass_properties *mass, ash_vec3 *inertia)
{
    const ash_sym3 *i = &mass->inertia;
    double aside = fmax(fabs(i->xy), fmax(fabs(i->xz), fabs(i->yz)));
    *inertia = v3(i->xx, i->yy, i->zz);
    if (aside <= 1e-12 * (i->xx + i->yy + i->zz))
        return (ash_transform){mass->centre, q_identity()};
    *inertia = mass->principal;
    return (ash_transform){mass->centre, mass->principal_axes};
}

/* A point mass of ours cannot turn. Others get the inertia of its ball, so small that it does not count. */
static ash_status point_mass_inertia(const ash_scene *scene, const ashi_scene_body *entry, double mass,
                                     ash_vec3 *inertia, ash_diagnostic *diagnostic)
{
    ash_mass_properties of_shape;
    if (entry->shape_count != 1)
        return not_suitable(diagnostic, "point masses with one shape");
    uint32_t geometry = scene->shapes.data[entry->first_shape].geometry;
    ash_status status = ash_geometry_mass(scene->geometries.data[geometry].geometry, 1, &of_shape, diagnostic);
    if (status == ASH_OK)
        *inertia = v3_scale(of_shape.principal, mass / of_shape.mass);
    return status;
}

static ash_status take_body(const ash_scene *scene, const ashi_instance *instance, uint32_t number, peer_model *model,
                            ash_diagnostic *diagnostic)
{
    const ashi_scene_body *entry = &scene->bodies.data[number];
    const ash_body_def *def = &entry->def;
    peer_body *body = &model->bodies[number];
    if (def->type == ASH_BODY_KINEMATIC || (def->locks != 0 && !is_point_mass(def)) || def->gravity_scale != 1 ||
        def->linear_damping != 0 || def->angular_damping != 0)
        return not_suitable(diagnostic, "static and free bodies without damping");
    ash_transform place = ash_body_get_transform(instance->world, instance->bodies[number]), frame = ash_identity();
    *body = (peer_body){.moves = def->type == ASH_BODY_DYNAMIC,
                        .present = !entry->absent,
                        .velocity = def->velocity,
                        .spin = def->angular_velocity,
                        .first_shape = entry->first_shape,
                        .shape_count = model->contacts ? entry->shape_count : 0};
    ash_status status = ASH_OK;
    if (body->moves) {
        ash_mass_properties mass = ash_body_get_mass(instance->world, instance->bodies[number]);
        body->mass = mass.mass;
        frame = choose_frame(&mass, &body->inertia);
        if (is_point_mass(def) && !model->flat)
            status = point_mass_inertia(scene, entry, mass.mass, &body->inertia, diagnostic);
    }
    body->place = t_mul(place, frame);
    model->frames[number] = frame;
    for (uint32_t i = 0; i < entry->shape_count; ++i) {
        const ashi_scene_shape *shape = &scene->shapes.data[entry->first_shape + i];
        ash_transform pose = t_mul(t_inverse(frame), shape->pose);
        bool meets_all = !model->contacts || (shape->group == 0 && shape->category == 1 && shape->mask == UINT64_MAX);
        if (shape->sensor || !meets_all || v3_norm(shape->surface_velocity) > 0)
            return not_suitable(diagnostic, "shapes that meet all others and do not move over their bodies");
        model->shapes[entry->first_shape + i] = (peer_shape){scene->geometries.data[shape->geometry].geometry, pose};
    }
    return status;
}

static ash_material material_of(const ash_scene *scene, const ashi_instance *instance, uint32_t shape)
{
    uint32_t number = scene->shapes.data[shape].material;
    return number == ASHI_NONE ? ash_world_get_default_material(instance->world) : instance->materials[number];
}

/* One law for all surfaces: each with itself and with the first. */
static ash_status take_surface(const ash_scene *scene, const ashi_instance *instance, peer_model *model,
                               ash_diagnostic *diagnostic)
{
    ash_material first = material_of(scene, instance, 0);
    ash_surface law = ash_material_get_pair(instance->world, first, first);
    model->friction = law.friction;
    model->restitution = law.restitution;
    for (uint32_t i = 0; i < scene->shapes.count; ++i) {
        ash_material material = material_of(scene, instance, i);
        ash_surface with_first = ash_material_get_pair(instance->world, first, material);
        ash_surface own = ash_material_get_pair(instance->world, material, material);
        bool same = with_first.friction == law.friction && with_first.restitution == law.restitution &&
                    own.friction == law.friction && own.restitution == law.restitution;
        if (!same || own.sliding_friction != own.friction || own.rolling != 0 || own.spinning != 0)
            return not_suitable(diagnostic, "surfaces of one law without rolling resistance");
    }
    if (scene->material_pairs.count > 0)
        return not_suitable(diagnostic, "surfaces without laws for pairs");
    return ASH_OK;
}

/* ---- joints, torques, events ---- */

static ash_vec3 point_in(const peer_model *model, uint32_t body, ash_vec3 point)
{
    return body == PEER_WORLD ? point : t_point_inverse(model->frames[body], point);
}

/* References in a description are the body's number plus one, 0 for the background. */
static ash_status take_joint(const ash_scene *scene, uint32_t number, peer_model *model, ash_diagnostic *diagnostic)
{
    const ash_joint_def *def = &scene->joints.data[number].def;
    uint32_t a = (uint32_t)def->body_a.id - 1, b = (uint32_t)def->body_b.id - 1;
    bool rod = def->kind == ASH_JOINT_DISTANCE;
    if ((def->kind != ASH_JOINT_BALL && !rod) || scene->joints.data[number].disabled || b == PEER_WORLD ||
        !model->bodies[b].moves || (rod && !(def->length > 0)) || (rod && !is_point_mass(&scene->bodies.data[b].def)))
        return not_suitable(diagnostic, "ball joints, and point masses on rods");
    model->joints[number] = (peer_joint){a, b, point_in(model, a, def->frame_a.position),
                                         point_in(model, b, def->frame_b.position), rod ? def->length : 0};
    return ASH_OK;
}

static ash_status take_torque(const ash_scene *scene, uint32_t number, peer_model *model, ash_diagnostic *diagnostic)
{
    const ashi_scene_force *force = &scene->forces.data[number];
    const ash_load_def *load = &force->def.load;
    if (force->kind != ASH_FORCE_LOAD || force->disabled || load->body_axes || v3_norm(load->force) > 0 ||
        load->signal.kind != ASH_SIGNAL_CONSTANT || model->flat)
        return not_suitable(diagnostic, "constant torques along the world's axes");
    model->torques[number] = (peer_torque){(uint32_t)load->body.id - 1, load->torque, load->start, load->stop};
    return ASH_OK;
}

static int compare_events(const void *left, const void *right)
{
    const peer_event *a = left, *b = right;
    return a->time < b->time ? -1 : a->time > b->time;
}

static ash_status take_events(const ash_scene *scene, peer_model *model, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < scene->events.count; ++i) {
        const ashi_scene_event *event = &scene->events.data[i];
        bool enters = event->kind == ASHI_EVENT_ADD, leaves = event->kind == ASHI_EVENT_REMOVE;
        if (event->owner != ASHI_OF_BODY || (!enters && !leaves))
            return not_suitable(diagnostic, "bodies that enter and leave as events");
        model->events[i] = (peer_event){event->time, event->object, enters};
    }
    if (model->event_count > 0)
        qsort(model->events, model->event_count, sizeof *model->events, compare_events);
    return ASH_OK;
}

/* ---- the whole ---- */

/* Whether shapes of two bodies could touch at all. */
static bool has_contacts(const ash_scene *scene, const ash_world *world)
{
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < scene->bodies.count; ++i)
        bodies += scene->bodies.data[i].shape_count > 0;
    return scene->method.contacts == ASH_CONTACTS_SOLVE && bodies > 1 && ashi_shapes_some_meet(&world->model.shapes);
}

static ash_status take_all(const ash_scene *scene, const ashi_instance *instance, peer_model *model,
                           ash_diagnostic *diagnostic)
{
    ash_status status = model->contacts ? take_surface(scene, instance, model, diagnostic) : ASH_OK;
    for (uint32_t i = 0; i < model->body_count && status == ASH_OK; ++i)
        status = take_body(scene, instance, i, model, diagnostic);
    for (uint32_t i = 0; i < model->joint_count && status == ASH_OK; ++i)
        status = take_joint(scene, i, model, diagnostic);
    for (uint32_t i = 0; i < model->torque_count && status == ASH_OK; ++i)
        status = take_torque(scene, i, model, diagnostic);
    return status == ASH_OK ? take_events(scene, model, diagnostic) : status;
}

static bool make_room(peer_model *model)
{
    model->bodies = ashi_alloc_zeroed((model->body_count + 1) * sizeof *model->bodies);
    model->frames = ashi_alloc_zeroed((model->body_count + 1) * sizeof *model->frames);
    model->shapes = ashi_alloc_zeroed((model->shape_count + 1) * sizeof *model->shapes);
    model->joints = ashi_alloc_zeroed((model->joint_count + 1) * sizeof *model->joints);
    model->torques = ashi_alloc_zeroed((model->torque_count + 1) * sizeof *model->torques);
    model->events = ashi_alloc_zeroed((model->event_count + 1) * sizeof *model->events);
    return model->bodies && model->frames && model->shapes && model->joints && model->torques && model->events;
}

/* Builds the scene's world with the bodies in it that come later. */
static ash_status build_with_all(ash_scene *scene, const peer_model *model, ashi_instance *instance,
                                 ash_diagnostic *diagnostic)
{
    bool *absent = ashi_alloc_zeroed((model->body_count + 1) * sizeof *absent);
    if (absent == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < model->body_count; ++i) {
        absent[i] = scene->bodies.data[i].absent;
        scene->bodies.data[i].absent = false;
    }
    ash_status status = ashi_scene_build(scene, 1, instance, diagnostic);
    for (uint32_t i = 0; i < model->body_count; ++i)
        scene->bodies.data[i].absent = absent[i];
    ashi_dealloc(absent);
    return status;
}

ash_status peer_model_make(ash_scene *scene, peer_model *model, ash_diagnostic *diagnostic)
{
    ashi_instance instance = {0};
    *model = (peer_model){.scene = scene,
                          .flat = scene->planar,
                          .gravity = scene->gravity,
                          .body_count = scene->bodies.count,
                          .shape_count = scene->shapes.count,
                          .joint_count = scene->joints.count,
                          .torque_count = scene->forces.count,
                          .event_count = scene->events.count};
    ash_status status =
        make_room(model) ? build_with_all(scene, model, &instance, diagnostic) : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK) {
        model->contacts = has_contacts(scene, instance.world);
        status = take_all(scene, &instance, model, diagnostic);
        ashi_instance_release(&instance);
    }
    if (status != ASH_OK)
        peer_model_release(model);
    return status;
}

void peer_model_release(peer_model *model)
{
    ashi_dealloc(model->bodies);
    ashi_dealloc(model->frames);
    ashi_dealloc(model->shapes);
    ashi_dealloc(model->joints);
    ashi_dealloc(model->torques);
    ashi_dealloc(model->events);
    *model = (peer_model){0};
}
