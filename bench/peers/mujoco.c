/* MuJoCo: a model from its XML. Bodies cannot come and go in it: one that is not there stays where it enters, by being
 * put back after each step, and its shapes meet nothing. */
#include "peer.h"

#include "math/quat.h"
#include "mujoco_text.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mujoco_engine {
    const peer_model *peer_model;
    mjModel *model;
    mjData *data;
    int *bodies; /* by number: MuJoCo's */
    bool *held;  /* by number: moves, but is not there */
} mujoco_engine;

static mjModel *load_model(const char *text)
{
    static const char name[] = "model.xml";
    char problem[256];
    mjModel *model = NULL;
    mjVFS *files = malloc(sizeof *files);
    int size = (int)strlen(text);
    if (files == NULL)
        return NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, name, size) == 0) {
        memcpy(files->filedata[mj_findFileVFS(files, name)], text, (size_t)size);
        model = mj_loadXML(name, files, problem, sizeof problem);
    }
    mj_deleteVFS(files);
    free(files);
    return model;
}

/* Without it MuJoCo writes a file of warnings where it runs. */
static void ignore_warning(const char *text)
{
    (void)text;
}

/* ---- bodies ---- */

static void let_shapes_meet(mujoco_engine *engine, uint32_t number, bool meet)
{
    char name[32];
    for (uint32_t i = 0; i < engine->peer_model->bodies[number].shape_count; ++i) {
        snprintf(name, sizeof name, "%u/%u", number, i);
        int geometry = mj_name2id(engine->model, mjOBJ_GEOM, name);
        engine->model->geom_contype[geometry] = engine->model->geom_conaffinity[geometry] = meet;
    }
}

/* Puts a free body where it enters, with its velocity: linear in world axes, angular in its own. */
static void put(mujoco_engine *engine, uint32_t number)
{
    const peer_body *body = &engine->peer_model->bodies[number];
    int joint = engine->model->body_jntadr[engine->bodies[number]];
    if (joint < 0 || engine->model->jnt_type[joint] != mjJNT_FREE)
        return;
    double *q = engine->data->qpos + engine->model->jnt_qposadr[joint];
    double *v = engine->data->qvel + engine->model->jnt_dofadr[joint];
    ash_vec3 p = body->place.position, spin = q_unrotate(body->place.rotation, body->spin);
    ash_quat r = body->place.rotation;
    memcpy(q, (double[]){p.x, p.y, p.z, r.w, r.x, r.y, r.z}, 7 * sizeof *q);
    memcpy(v, (double[]){body->velocity.x, body->velocity.y, body->velocity.z, spin.x, spin.y, spin.z}, 6 * sizeof *v);
}

static void enter(void *data, uint32_t number)
{
    mujoco_engine *engine = data;
    engine->held[number] = false;
    let_shapes_meet(engine, number, true);
    if (engine->peer_model->bodies[number].moves)
        put(engine, number);
}

static void leave(void *data, uint32_t number)
{
    mujoco_engine *engine = data;
    engine->held[number] = engine->peer_model->bodies[number].moves;
    let_shapes_meet(engine, number, false);
}

/* ---- the table of functions ---- */

static void destroy(void *data)
{
    mujoco_engine *engine = data;
    mj_deleteData(engine->data);
    mj_deleteModel(engine->model);
    free(engine->bodies);
    free(engine->held);
    free(engine);
}

/* Its Jacobian, the transposed one and the matrix of constraints are kept dense, indices beside numbers. */
static bool is_too_large(const peer_model *model)
{
    const double most = 2e9; /* bytes */
    mujoco_size size = mujoco_size_of(model);
    double rows = (double)size.rows, freedoms = (double)size.freedoms;
    return 12 * (2 * rows * freedoms + rows * rows) > most;
}

static void start(mujoco_engine *engine)
{
    const peer_model *model = engine->peer_model;
    char name[16];
    for (uint32_t i = 0; i < model->body_count; ++i) {
        snprintf(name, sizeof name, "%u", i);
        engine->bodies[i] = model->bodies[i].moves ? mj_name2id(engine->model, mjOBJ_BODY, name) : 0;
    }
    for (uint32_t i = 0; i < model->body_count; ++i)
        (model->bodies[i].present ? enter : leave)(engine, i);
}

static void *create_with(const peer_model *model, mujoco_manner manner, const char **why)
{
    if (is_too_large(model)) {
        *why = "its dense arrays would take more than 2 GB";
        return NULL;
    }
    char *text = mujoco_text(model, manner, why);
    if (text == NULL)
        return NULL;
    *why = "it could not make the scene";
    mujoco_engine *engine = calloc(1, sizeof *engine);
    mju_user_warning = ignore_warning;
    if (engine != NULL) {
        engine->peer_model = model;
        engine->bodies = calloc(model->body_count + 1, sizeof *engine->bodies);
        engine->held = calloc(model->body_count + 1, sizeof *engine->held);
        engine->model = load_model(text);
        engine->data = engine->model != NULL ? mj_makeData(engine->model) : NULL;
    }
    free(text);
    if (engine == NULL)
        return NULL;
    if (engine->data != NULL && engine->bodies != NULL && engine->held != NULL) {
        start(engine);
        return engine;
    }
    destroy(engine);
    return NULL;
}

static void *create(const peer_model *model, const char **why)
{
    return create_with(model, MUJOCO_DEFAULTS, why);
}

static void *create_best(const peer_model *model, const char **why)
{
    return create_with(model, MUJOCO_BEST, why);
}

static void *create_connected(const peer_model *model, const char **why)
{
    *why = "it has no joints";
    return model->joint_count > 0 ? create_with(model, MUJOCO_CONNECT, why) : NULL;
}

static void push(void *data, uint32_t body, ash_vec3 torque)
{
    mujoco_engine *engine = data;
    double *applied = engine->data->xfrc_applied + 6 * engine->bodies[body] + 3;
    applied[0] += torque.x;
    applied[1] += torque.y;
    applied[2] += torque.z;
}

/* When numbers grow beyond its bounds MuJoCo starts again from the beginning, and counts that; so it does when contacts
 * do not fit. */
static bool step(void *data, double h)
{
    mujoco_engine *engine = data;
    engine->model->opt.timestep = h;
    mj_step(engine->model, engine->data);
    memset(engine->data->xfrc_applied, 0, 6 * (size_t)engine->model->nbody * sizeof(mjtNum));
    for (uint32_t i = 0; i < engine->peer_model->body_count; ++i)
        if (engine->held[i])
            put(engine, i);
    int bad = 0;
    for (int i = 0; i < mjNWARNING; ++i)
        bad += i != mjWARN_INERTIA && i != mjWARN_VGEOMFULL ? engine->data->warning[i].number : 0;
    return bad == 0;
}

/* After a step MuJoCo's places and velocities are still those of its start: here they follow from the coordinates. */
static void read_states(void *data, peer_state *states)
{
    mujoco_engine *engine = data;
    mj_kinematics(engine->model, engine->data);
    mj_comPos(engine->model, engine->data);
    mj_comVel(engine->model, engine->data);
    for (uint32_t i = 0; i < engine->peer_model->body_count; ++i) {
        if (!engine->peer_model->bodies[i].moves || engine->held[i])
            continue;
        int body = engine->bodies[i];
        double v[6];
        const double *p = engine->data->xpos + 3 * body, *q = engine->data->xquat + 4 * body;
        mj_objectVelocity(engine->model, engine->data, mjOBJ_BODY, body, v, 0);
        states[i] =
            (peer_state){{{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}}, {v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
    }
}

static double weigh(void *data, uint32_t number, ash_vec3 *inertia)
{
    mujoco_engine *engine = data;
    const double *i = engine->model->body_inertia + 3 * engine->bodies[number];
    *inertia = (ash_vec3){i[0], i[1], i[2]};
    return engine->model->body_mass[engine->bodies[number]];
}

#define MUJOCO_FUNCTIONS                                                                                               \
    .engine = "MuJoCo", .threads = 1, .solid = true, .destroy = destroy, .enter = enter, .leave = leave, .push = push, \
    .step = step, .read = read_states, .weigh = weigh

const peer peer_mujoco = {.settings = "defaults", .create = create, MUJOCO_FUNCTIONS};
const peer peer_mujoco_best = {.settings = "best", .create = create_best, MUJOCO_FUNCTIONS};
const peer peer_mujoco_connect = {.settings = "connect", .create = create_connected, MUJOCO_FUNCTIONS};
