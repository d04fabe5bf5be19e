/* The present state as a scene of its own, to be exported: bodies where they are and as fast as they are, joints and
 * forces as they have become, what pages added, the events still to come. Time begins at 0 there, so that all that
 * depends on it is shifted. What a scene file has no words for is lost: impulses of the last step, who sleeps, the
 * ledger, full turns that joints have counted, integrals of servos, that a joint is broken and not only disabled.
 * Checks belong to the whole run and are left out. */
#include <math.h>
#include <stdio.h>

#include "app/viewer/commands.h"
#include "scene/description/names.h"
#include "world/world.h"

/* A description being made from another: which object has which number there, ASHI_NONE for those that are gone. */
typedef struct present_scene {
    const view_session *session;
    const ash_scene *from;
    const ashi_instance *instance;
    ash_scene *to;
    double time; /* s, now */
    uint32_t *bodies, *forces, *joints;
} present_scene;

static void copy_materials(const present_scene *p)
{
    for (uint32_t i = 0; i < p->from->materials.count; i++) {
        uint32_t made = ashi_scene_add_material(p->to, &p->from->materials.data[i]);
        if (made != ASHI_NONE)
            p->to->material_looks.data[made] = p->from->material_looks.data[i];
    }
    for (uint32_t i = 0; i < p->from->material_pairs.count; i++)
        ashi_scene_add_material_pair(p->to, &p->from->material_pairs.data[i]);
    for (uint32_t i = 0; i < p->from->geometries.count; i++)
        ashi_scene_add_geometry(p->to, p->from->geometries.data[i].name,
                                ash_geometry_retain(p->from->geometries.data[i].geometry));
}

/* An event that is still to come will add it. */
static bool will_come(const present_scene *p, uint32_t body)
{
    for (uint32_t i = p->instance->next_turn; i < p->instance->turn_count; i++) {
        const ashi_scene_event *event = &p->from->events.data[p->instance->turns[i].event];
        if (event->kind == ASHI_EVENT_ADD && event->object == body)
            return true;
    }
    return false;
}

static void copy_body(const present_scene *p, uint32_t number)
{
    const ashi_scene_body *body = &p->from->bodies.data[number];
    const ash_world *world = p->instance->world;
    ash_body handle = p->instance->bodies[number];
    ash_body_def def = body->def;
    bool there = ash_body_is_valid(world, handle);
    p->bodies[number] = ASHI_NONE;
    if (!there && !will_come(p, number))
        return;
    if (there) {
        ash_transform pose = ash_body_get_transform(world, handle);
        def.type = ash_body_get_type(world, handle);
        def.position = pose.position;
        def.rotation = pose.rotation;
        def.velocity = ash_body_get_velocity(world, handle);
        def.angular_velocity = ash_body_get_angular_velocity(world, handle);
    }
    uint32_t made = p->bodies[number] = ashi_scene_add_body(p->to, &def);
    for (uint32_t i = 0; made != ASHI_NONE && i < body->shape_count; i++)
        ashi_scene_add_shape(p->to, made, &p->from->shapes.data[body->first_shape + i]);
    if (made != ASHI_NONE) {
        p->to->bodies.data[made].absent = !there;
        p->to->bodies.data[made].colour = body->colour;
    }
}

static void copy_ignored_pairs(const present_scene *p)
{
    for (uint32_t i = 0; i < p->from->ignored_pairs.count; i++) {
        const ashi_scene_ignored_pair *pair = &p->from->ignored_pairs.data[i];
        uint32_t a = p->bodies[pair->body_a], b = p->bodies[pair->body_b];
        if (a != ASHI_NONE && b != ASHI_NONE && !p->to->bodies.data[a].absent && !p->to->bodies.data[b].absent)
            ashi_scene_add_ignored_pair(p->to, a, b);
    }
}

/* Turns a reference of the old description into one of the new. */
static void refer(const present_scene *p, ash_body *body)
{
    if (body->id != 0)
        *body = ashi_scene_body_ref(p->bodies[body->id - 1]);
}

/* A signal of a time that has begun later. The table goes into `times`, which the caller releases. */
static void shift_signal(const present_scene *p, ash_signal *signal, double **times)
{
    signal->phase += signal->kind == ASH_SIGNAL_HARMONIC ? signal->rate * p->time : 0;
    *times = NULL;
    if (signal->kind != ASH_SIGNAL_TABLE)
        return;
    *times = ashi_alloc_array(signal->count, sizeof **times);
    for (uint32_t i = 0; *times != NULL && i < signal->count; i++)
        (*times)[i] = signal->times[i] - p->time;
    if (*times == NULL)
        p->to->failure = ASH_OUT_OF_MEMORY;
    else
        signal->times = *times;
}

static void update_load(const present_scene *p, const ashi_load *now, ashi_scene_force *force, double **times)
{
    ash_load_def *def = &force->def.load;
    def->force = now->force;
    def->torque = now->torque;
    def->start -= p->time;
    def->stop -= p->time;
    shift_signal(p, &def->signal, times);
}

static void update_spring(const ashi_spring *now, ash_spring_def *def)
{
    def->stiffness = now->stiffness;
    def->damping = now->damping;
    def->rest_length = now->rest_length;
}

static void copy_force(const present_scene *p, uint32_t number)
{
    const ash_world *world = p->instance->world;
    ash_force handle = p->instance->forces[number];
    ashi_scene_force force = p->from->forces.data[number];
    double *times = NULL;
    p->forces[number] = ASHI_NONE;
    if (!ash_force_is_valid(world, handle))
        return;
    const ashi_forces *forces = &world->model.forces;
    const void *now = ashi_forces_element(forces, ashi_pool_slot_of(&forces->pool, handle.id));
    for (int i = 0; i < ASHI_FORCE_BODIES; i++)
        if (ashi_scene_force_body(&force, i) != NULL)
            refer(p, ashi_scene_force_body(&force, i));
    if (force.kind == ASH_FORCE_SPRING)
        update_spring(now, &force.def.spring);
    else if (force.kind == ASH_FORCE_BENDING_SPRING)
        force.def.bending_spring.rest_angle = ((const ashi_bending_spring *)now)->rest_angle;
    else if (force.kind == ASH_FORCE_PULL)
        force.def.pull.target = ((const ashi_pull *)now)->target;
    else if (force.kind == ASH_FORCE_LOAD)
        update_load(p, now, &force, &times);
    force.disabled = !ash_force_get_enabled(world, handle);
    p->forces[number] = ashi_scene_add_force(p->to, &force);
    ashi_dealloc(times);
}

/* A piston that moves at the start is set by an event. */
static void set_piston(const present_scene *p, uint32_t joint, ash_piston piston)
{
    if (piston == ASH_PISTON_HOLD || joint == ASHI_NONE)
        return;
    ashi_scene_event event = {.kind = ASHI_EVENT_SET, .owner = ASHI_OF_JOINT, .object = joint};
    event.fields = ASHI_SET_PISTON;
    event.piston = piston;
    ashi_scene_add_event(p->to, &event);
}

static void copy_joint(const present_scene *p, uint32_t number)
{
    const ash_world *world = p->instance->world;
    ash_joint handle = p->instance->joints[number];
    ash_joint_def def = p->from->joints.data[number].def;
    double *times[ASH_FREEDOMS] = {NULL};
    p->joints[number] = ASHI_NONE;
    if (!ash_joint_is_valid(world, handle))
        return;
    const ashi_joint_entry *now =
        &world->model.joints.entries.data[ashi_pool_slot_of(&world->model.joints.pool, handle.id)];
    refer(p, &def.body_a);
    refer(p, &def.body_b);
    if (def.kind == ASH_JOINT_DISTANCE || def.kind == ASH_JOINT_ROPE || def.kind == ASH_JOINT_PULLEY)
        def.length = now->length;
    for (int i = 0; i < ASH_FREEDOMS; i++) {
        def.axes[i] = ash_joint_get_axis(world, handle, (ash_freedom)i);
        shift_signal(p, &def.axes[i].motor.signal, &times[i]);
    }
    uint32_t made = p->joints[number] = ashi_scene_add_joint(p->to, &def);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        ashi_dealloc(times[i]);
    if (made != ASHI_NONE)
        p->to->joints.data[made].disabled = !ash_joint_get_enabled(world, handle);
    for (int i = 0; made != ASHI_NONE && i < ASH_FREEDOMS; i++) {
        const ashi_scene_joint *joint = &p->from->joints.data[number];
        if (joint->effort[i] != NULL) /* its t begins at 0 again, too */
            ashi_scene_set_effort(p->to, made, (ash_freedom)i, joint->effort[i], joint->effort_limit[i]);
    }
    set_piston(p, made, now->piston);
}

/* The number of an object in the new description; of the world itself, which has none, 0. */
static uint32_t object_now(const present_scene *p, ashi_owner owner, uint32_t number)
{
    return owner == ASHI_OF_BODY    ? p->bodies[number]
           : owner == ASHI_OF_FORCE ? p->forces[number]
           : owner == ASHI_OF_JOINT ? p->joints[number]
                                    : 0;
}

static void copy_outputs(const present_scene *p)
{
    for (uint32_t i = 0; i < p->from->outputs.count; i++) {
        ashi_scene_output output = p->from->outputs.data[i];
        output.object = object_now(p, ashi_quantity_owner(output.quantity), output.object);
        if (output.beside != 0)
            output.beside = p->bodies[output.beside - 1] + 1; /* of a body that has gone: none */
        if (output.object != ASHI_NONE)
            ashi_scene_add_output(p->to, &output);
    }
}

static void copy_events(const present_scene *p)
{
    for (uint32_t i = p->instance->next_turn; i < p->instance->turn_count; i++) {
        ashi_scene_event event = p->from->events.data[p->instance->turns[i].event];
        event.time = fmax(event.time - p->time, 0);
        event.object = object_now(p, event.owner, event.object);
        if (event.object != ASHI_NONE)
            ashi_scene_add_event(p->to, &event);
    }
}

static void copy_world(const present_scene *p)
{
    ash_scene *to = p->to;
    const char *summary = ashi_scene_text(to, "%s, at %.6g s", p->from->name, p->time);
    to->summary = summary != NULL ? summary : "";
    to->gravity = p->from->gravity;
    to->planar = p->from->planar;
    to->method = p->session->worlds[0].method;
    to->step = p->session->clock.h;
    to->time = p->from->time > p->time + to->step ? p->from->time - p->time : p->from->time;
    to->sample_interval = p->from->sample_interval;
}

ash_status view_present(const view_session *session, ash_scene **scene, ash_diagnostic *diagnostic)
{
    const ash_scene *from = session->scene;
    present_scene p = {.session = session,
                       .from = from,
                       .instance = &session->worlds[0].instance,
                       .time = view_clock_time(&session->clock)};
    ash_status status = ashi_scene_create(from->name, &p.to, diagnostic);
    if (status != ASH_OK)
        return status;
    p.bodies = ashi_alloc_array(from->bodies.count, sizeof *p.bodies);
    p.forces = ashi_alloc_array(from->forces.count, sizeof *p.forces);
    p.joints = ashi_alloc_array(from->joints.count, sizeof *p.joints);
    if (p.bodies == NULL || p.forces == NULL || p.joints == NULL) {
        p.to->failure = ASH_OUT_OF_MEMORY;
    } else {
        copy_world(&p);
        copy_materials(&p);
        for (uint32_t i = 0; i < from->bodies.count; i++)
            copy_body(&p, i);
        copy_ignored_pairs(&p);
        for (uint32_t i = 0; i < from->forces.count; i++)
            copy_force(&p, i);
        for (uint32_t i = 0; i < from->joints.count; i++)
            copy_joint(&p, i);
        copy_outputs(&p);
        copy_events(&p);
    }
    ashi_dealloc(p.bodies);
    ashi_dealloc(p.forces);
    ashi_dealloc(p.joints);
    status = ashi_scene_finish(p.to, diagnostic);
    if (status != ASH_OK)
        ash_scene_destroy(p.to);
    else
        *scene = p.to;
    return status;
}

bool view_obey_export(view_order *order)
{
    view_session *session = order->session;
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    char *text, name[160];
    size_t size;
    if (view_present(session, &scene, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    ash_status status = ash_scene_write(scene, &text, &size, &diagnostic);
    ash_scene_destroy(scene);
    if (status != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    snprintf(name, sizeof name, "%.100s-at-%.6gs.json", session->scene->name, view_clock_time(&session->clock));
    ashi_json_text json;
    view_begin_text(&json, "export");
    ashi_json_string(&json, "name", name);
    ashi_json_string(&json, "text", text);
    ash_free(text);
    view_send_text(order->answer, &json);
    return true;
}
