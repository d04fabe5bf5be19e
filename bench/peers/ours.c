/* Ashlar, made from the same mechanism as the others and stepped through its public interface. */
#include "peer.h"

#include "ashlar/ashlar.h"

#include <stdlib.h>

typedef struct our_engine {
    ash_world *world;
    ash_body bodies[];
} our_engine;

static ash_status make_world(our_engine *engine, const char *preset, ash_vec3 gravity)
{
    static const ash_setting fields[] = {
        {"contacts", "off"}, {"sleeping", "off"}, {"joint-tolerance", "1e-6"}, {"joint-velocity-tolerance", "1e-6"}};
    ash_diagnostic diagnostic = {0};
    ash_world_def def = ash_default_world_def();
    ash_status status = ash_method_find(preset, &def.method, &diagnostic);
    for (size_t i = 0; i < sizeof fields / sizeof *fields && status == ASH_OK; ++i)
        status = ash_method_set(&def.method, fields[i].key, fields[i].value, &diagnostic);
    def.gravity = gravity;
    return status == ASH_OK ? ash_world_create(&def, &engine->world, &diagnostic) : status;
}

static ash_status make_body(our_engine *engine, const peer_body *given, ash_body *body)
{
    ash_diagnostic diagnostic = {0};
    ash_body_def def = ash_default_body_def();
    def.position = given->position;
    def.rotation = given->rotation;
    def.mass = given->mass;
    def.inertia = (ash_sym3){.xx = given->inertia.x, .yy = given->inertia.y, .zz = given->inertia.z};
    return ash_body_create(engine->world, &def, NULL, 0, body, &diagnostic);
}

static ash_status make_joint(our_engine *engine, const peer_joint *given)
{
    ash_diagnostic diagnostic = {0};
    ash_joint joint;
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
    if (given->a != PEER_WORLD)
        def.body_a = engine->bodies[given->a];
    def.body_b = engine->bodies[given->b];
    def.frame_a.position = given->point_a;
    def.frame_b.position = given->point_b;
    return ash_joint_create(engine->world, &def, &joint, &diagnostic);
}

static void destroy(void *data)
{
    our_engine *engine = data;
    ash_world_destroy(engine->world);
    free(engine);
}

static void *create(const peer_mechanism *mechanism, const char *preset)
{
    our_engine *engine = calloc(1, sizeof *engine + mechanism->body_count * sizeof *engine->bodies);
    if (engine == NULL)
        return NULL;
    ash_status status = make_world(engine, preset, mechanism->gravity);
    for (uint32_t i = 0; i < mechanism->body_count && status == ASH_OK; ++i)
        status = make_body(engine, &mechanism->bodies[i], &engine->bodies[i]);
    for (uint32_t i = 0; i < mechanism->joint_count && status == ASH_OK; ++i)
        status = make_joint(engine, &mechanism->joints[i]);
    if (status == ASH_OK)
        return engine;
    destroy(engine);
    return NULL;
}

static void *create_bender_schmitt(const peer_mechanism *mechanism)
{
    return create(mechanism, "bender-schmitt-2006");
}

static void *create_engineering(const peer_mechanism *mechanism)
{
    return create(mechanism, "engineering");
}

static void *create_realtime(const peer_mechanism *mechanism)
{
    return create(mechanism, "realtime");
}

static void *create_bender_iterative(const peer_mechanism *mechanism)
{
    return create(mechanism, "bender-iterative");
}

static void push(void *data, uint32_t body, ash_vec3 torque)
{
    our_engine *engine = data;
    ash_body_apply_torque(engine->world, engine->bodies[body], torque);
}

static bool step(void *data, double h)
{
    our_engine *engine = data;
    return ash_world_step(engine->world, h) == ASH_OK;
}

static void read_places(void *data, uint32_t count, ash_transform *places)
{
    our_engine *engine = data;
    for (uint32_t i = 0; i < count; ++i)
        places[i] = ash_body_get_transform(engine->world, engine->bodies[i]);
}

const peer peer_bender_schmitt = {
    "Ashlar, bender-schmitt-2006", create_bender_schmitt, destroy, push, step, read_places};
const peer peer_engineering = {"Ashlar, engineering", create_engineering, destroy, push, step, read_places};
const peer peer_realtime = {"Ashlar, realtime", create_realtime, destroy, push, step, read_places};
const peer peer_bender_iterative = {
    "Ashlar, bender-iterative", create_bender_iterative, destroy, push, step, read_places};
