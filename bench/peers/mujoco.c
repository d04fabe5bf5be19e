/* MuJoCo: a model written as its XML, in which a body hangs on its parent by a ball joint (reduced coordinates), or in
 * which all bodies are free and points are held together by `connect` constraints. */
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mujoco_engine {
    mjModel *model;
    mjData *data;
} mujoco_engine;

/* Which joint hangs each body on its parent; NOT_HUNG: the body is free. */
#define NOT_HUNG UINT32_MAX

typedef struct writer {
    const peer_mechanism *mechanism;
    uint32_t *hung_by; /* by body */
    bool *in_tree;     /* by joint */
    FILE *xml;
} writer;

/* Bodies that can be reached from the world hang on their parents. */
static void hang_bodies(writer *w)
{
    const peer_mechanism *m = w->mechanism;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < m->joint_count; ++i) {
            const peer_joint *joint = &m->joints[i];
            bool reached = joint->a == PEER_WORLD || w->hung_by[joint->a] != NOT_HUNG;
            if (!reached || w->hung_by[joint->b] != NOT_HUNG)
                continue;
            w->hung_by[joint->b] = i;
            w->in_tree[i] = more = true;
        }
    }
}

static void write_vector(FILE *xml, const char *name, ash_vec3 v)
{
    fprintf(xml, " %s=\"%.17g %.17g %.17g\"", name, v.x, v.y, v.z);
}

/* A body with all that hang on it; its place is relative to its parent's. */
static void write_body(const writer *w, uint32_t number, uint32_t parent)
{
    const peer_mechanism *m = w->mechanism;
    const peer_body *body = &m->bodies[number];
    ash_vec3 position = body->position;
    ash_quat q = body->rotation;
    if (parent != PEER_WORLD) {
        position = q_unrotate(m->bodies[parent].rotation, v3_sub(position, m->bodies[parent].position));
        q = q_mul(q_conjugate(m->bodies[parent].rotation), q);
    }
    fprintf(w->xml, "<body name=\"%u\" quat=\"%.17g %.17g %.17g %.17g\"", number, q.w, q.x, q.y, q.z);
    write_vector(w->xml, "pos", position);
    fprintf(w->xml, "><inertial pos=\"0 0 0\" mass=\"%.17g\"", body->mass);
    write_vector(w->xml, "diaginertia", body->inertia);
    fprintf(w->xml, "/><joint type=\"%s\"", w->hung_by[number] == NOT_HUNG ? "free" : "ball");
    if (w->hung_by[number] != NOT_HUNG)
        write_vector(w->xml, "pos", m->joints[w->hung_by[number]].point_b);
    fprintf(w->xml, "/>");
    for (uint32_t i = 0; i < m->joint_count; ++i)
        if (w->in_tree[i] && m->joints[i].a == number)
            write_body(w, m->joints[i].b, number);
    fprintf(w->xml, "</body>\n");
}

static void write_model(const writer *w)
{
    const peer_mechanism *m = w->mechanism;
    fprintf(w->xml, "<mujoco><option");
    write_vector(w->xml, "gravity", m->gravity);
    fprintf(w->xml, "/><worldbody>\n");
    for (uint32_t i = 0; i < m->body_count; ++i)
        if (w->hung_by[i] == NOT_HUNG || m->joints[w->hung_by[i]].a == PEER_WORLD)
            write_body(w, i, PEER_WORLD);
    fprintf(w->xml, "</worldbody><equality>\n");
    for (uint32_t i = 0; i < m->joint_count; ++i) {
        if (w->in_tree[i])
            continue;
        fprintf(w->xml, "<connect body1=\"%u\"", m->joints[i].b);
        write_vector(w->xml, "anchor", m->joints[i].point_b);
        if (m->joints[i].a != PEER_WORLD)
            fprintf(w->xml, " body2=\"%u\"", m->joints[i].a);
        fprintf(w->xml, "/>\n");
    }
    fprintf(w->xml, "</equality></mujoco>\n");
}

/* The text of the model, to be freed, or null. */
static char *model_text(const peer_mechanism *mechanism, bool reduced)
{
    char *text = NULL;
    size_t size = 0;
    writer w = {.mechanism = mechanism,
                .hung_by = malloc((mechanism->body_count + 1) * sizeof *w.hung_by),
                .in_tree = calloc(mechanism->joint_count + 1, sizeof *w.in_tree),
                .xml = open_memstream(&text, &size)};
    bool good = w.hung_by != NULL && w.in_tree != NULL && w.xml != NULL;
    for (uint32_t i = 0; good && i < mechanism->body_count; ++i)
        w.hung_by[i] = NOT_HUNG;
    if (good && reduced)
        hang_bodies(&w);
    if (good)
        write_model(&w);
    if (w.xml != NULL)
        good = fclose(w.xml) == 0 && good;
    free(w.in_tree);
    free(w.hung_by);
    if (good)
        return text;
    free(text);
    return NULL;
}

static mjModel *load_model(const char *text)
{
    static const char name[] = "mechanism.xml";
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

static void destroy(void *data)
{
    mujoco_engine *engine = data;
    mj_deleteData(engine->data);
    mj_deleteModel(engine->model);
    free(engine);
}

static void *create(const peer_mechanism *mechanism, bool reduced)
{
    mujoco_engine *engine = calloc(1, sizeof *engine);
    char *text = model_text(mechanism, reduced);
    mju_user_warning = ignore_warning;
    if (engine != NULL && text != NULL)
        engine->model = load_model(text);
    free(text);
    if (engine != NULL && engine->model != NULL)
        engine->data = mj_makeData(engine->model);
    if (engine == NULL || engine->data != NULL)
        return engine;
    destroy(engine);
    return NULL;
}

static void *create_reduced(const peer_mechanism *mechanism)
{
    return create(mechanism, true);
}

static void *create_connect(const peer_mechanism *mechanism)
{
    return create(mechanism, false);
}

/* Bodies were written in the order of the tree: their names are their numbers here. */
static int body_of(const mujoco_engine *engine, uint32_t body)
{
    char name[16];
    snprintf(name, sizeof name, "%u", body);
    return mj_name2id(engine->model, mjOBJ_BODY, name);
}

static void push(void *data, uint32_t body, ash_vec3 torque)
{
    mujoco_engine *engine = data;
    double *applied = engine->data->xfrc_applied + 6 * body_of(engine, body) + 3;
    applied[0] += torque.x;
    applied[1] += torque.y;
    applied[2] += torque.z;
}

/* When numbers grow beyond its bounds MuJoCo starts again from the beginning, and counts that. */
static bool step(void *data, double h)
{
    mujoco_engine *engine = data;
    engine->model->opt.timestep = h;
    mj_step(engine->model, engine->data);
    memset(engine->data->xfrc_applied, 0, 6 * (size_t)engine->model->nbody * sizeof(mjtNum));
    const mjWarningStat *warnings = engine->data->warning;
    return warnings[mjWARN_BADQPOS].number + warnings[mjWARN_BADQVEL].number + warnings[mjWARN_BADQACC].number == 0;
}

/* After a step MuJoCo's places are still those of its start: here they follow from the coordinates. */
static void read_places(void *data, uint32_t count, ash_transform *places)
{
    mujoco_engine *engine = data;
    mj_kinematics(engine->model, engine->data);
    for (uint32_t i = 0; i < count; ++i) {
        int body = body_of(engine, i);
        const double *p = engine->data->xpos + 3 * body, *q = engine->data->xquat + 4 * body;
        places[i] = (ash_transform){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
    }
}

const peer peer_mujoco_reduced = {"MuJoCo, reduced coordinates", create_reduced, destroy, push, step, read_places};
const peer peer_mujoco_connect = {"MuJoCo, connect constraints", create_connect, destroy, push, step, read_places};
