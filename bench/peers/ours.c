/* Ashlar: the world of the scene itself by one of our methods, with sleeping off. Events and torques are the scene's.
 */
#include "peer.h"

#include "ashlar/ashlar.h"
#include "base/alloc.h"
#include "math/transform.h"
#include "scene/instance/instance.h"

typedef struct our_engine {
    const peer_model *model;
    ash_scene scene; /* with the method; what it points to is the model's scene's */
    ashi_instance instance;
} our_engine;

static void destroy(void *data)
{
    our_engine *engine = data;
    ashi_instance_release(&engine->instance);
    ashi_dealloc(engine);
}

static ash_status choose_method(const peer_model *model, const char *preset, ash_method *method,
                                ash_diagnostic *diagnostic)
{
    ash_status status = ash_method_find(preset, method, diagnostic);
    if (status == ASH_OK)
        status = ash_method_set(method, "sleeping", "off", diagnostic);
    if (status == ASH_OK && !model->contacts)
        status = ash_method_set(method, "contacts", "off", diagnostic);
    return status;
}

static void *create(const peer_model *model, const char *preset, uint32_t threads)
{
    ash_diagnostic diagnostic = {0};
    our_engine *engine = ashi_alloc_zeroed(sizeof *engine);
    if (engine == NULL)
        return NULL;
    engine->model = model;
    engine->scene = *model->scene;
    ash_status status = choose_method(model, preset, &engine->scene.method, &diagnostic);
    if (status == ASH_OK)
        status = ashi_scene_build(&engine->scene, threads, &engine->instance, &diagnostic);
    if (status == ASH_OK)
        return engine;
    ashi_dealloc(engine);
    return NULL;
}

static void *create_realtime(const peer_model *model, const char **why)
{
    (void)why;
    return create(model, "realtime", 1);
}

static void *create_realtime_2(const peer_model *model, const char **why)
{
    (void)why;
    return create(model, "realtime", 2);
}

static void *create_engineering(const peer_model *model, const char **why)
{
    (void)why;
    return create(model, "engineering", 1);
}

static void *create_engineering_2(const peer_model *model, const char **why)
{
    (void)why;
    return create(model, "engineering", 2);
}

/* A method for joints. */
static void *create_bender_schmitt(const peer_model *model, const char **why)
{
    *why = "for scenes of joints without contacts";
    return model->contacts ? NULL : create(model, "bender-schmitt-2006", 1);
}

/* A method for contacts. */
static void *create_erleben_with(const peer_model *model, uint32_t threads, const char **why)
{
    *why = "for scenes of contacts";
    return model->contacts ? create(model, "erleben-2007", threads) : NULL;
}

static void *create_erleben(const peer_model *model, const char **why)
{
    return create_erleben_with(model, 1, why);
}

static void *create_erleben_2(const peer_model *model, const char **why)
{
    return create_erleben_with(model, 2, why);
}

static bool step(void *data, double h)
{
    our_engine *engine = data;
    ash_diagnostic diagnostic = {0};
    ash_world *world = engine->instance.world;
    return ashi_instance_apply_events(&engine->instance, &engine->scene, ash_world_get_time(world), &diagnostic) ==
               ASH_OK &&
           ash_world_step(world, h) == ASH_OK;
}

static void read_states(void *data, peer_state *states)
{
    our_engine *engine = data;
    const ash_world *world = engine->instance.world;
    for (uint32_t i = 0; i < engine->model->body_count; ++i) {
        ash_body body = engine->instance.bodies[i];
        if (!engine->model->bodies[i].moves || body.id == 0 || !ash_body_is_valid(world, body))
            continue;
        states[i] = (peer_state){t_mul(ash_body_get_transform(world, body), engine->model->frames[i]),
                                 ash_body_get_velocity(world, body), ash_body_get_angular_velocity(world, body)};
    }
}

static double weigh(void *data, uint32_t body, ash_vec3 *inertia)
{
    our_engine *engine = data;
    ash_mass_properties mass = ash_body_get_mass(engine->instance.world, engine->instance.bodies[body]);
    *inertia = (ash_vec3){mass.inertia.xx, mass.inertia.yy, mass.inertia.zz};
    return mass.mass;
}

#define OUR_FUNCTIONS .destroy = destroy, .step = step, .read = read_states, .weigh = weigh, .flat = true, .solid = true

const peer peer_realtime = {
    .engine = "Ashlar", .settings = "realtime", .threads = 1, .create = create_realtime, OUR_FUNCTIONS};
const peer peer_realtime_2 = {
    .engine = "Ashlar", .settings = "realtime", .threads = 2, .create = create_realtime_2, OUR_FUNCTIONS};
const peer peer_engineering = {
    .engine = "Ashlar", .settings = "engineering", .threads = 1, .create = create_engineering, OUR_FUNCTIONS};
const peer peer_engineering_2 = {
    .engine = "Ashlar", .settings = "engineering", .threads = 2, .create = create_engineering_2, OUR_FUNCTIONS};
const peer peer_erleben = {
    .engine = "Ashlar", .settings = "erleben-2007", .threads = 1, .create = create_erleben, OUR_FUNCTIONS};
const peer peer_erleben_2 = {
    .engine = "Ashlar", .settings = "erleben-2007", .threads = 2, .create = create_erleben_2, OUR_FUNCTIONS};
const peer peer_bender_schmitt = {.engine = "Ashlar",
                                  .settings = "bender-schmitt-2006",
                                  .threads = 1,
                                  .create = create_bender_schmitt,
                                  OUR_FUNCTIONS};
