/* ODE: bodies in maximal coordinates with ball joints, stepped by its iterations or by its dense factor. */
#include "peer.h"

#include <ode/ode.h>

#include <stdlib.h>

typedef struct ode_engine {
    dWorldID world;
    dBodyID bodies[];
} ode_engine;

static dBodyID make_body(dWorldID world, const peer_body *given)
{
    dBodyID body = dBodyCreate(world);
    dQuaternion rotation = {(dReal)given->rotation.w, (dReal)given->rotation.x, (dReal)given->rotation.y,
                            (dReal)given->rotation.z};
    dMass mass;
    dMassSetParameters(&mass, (dReal)given->mass, 0, 0, 0, (dReal)given->inertia.x, (dReal)given->inertia.y,
                       (dReal)given->inertia.z, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)given->position.x, (dReal)given->position.y, (dReal)given->position.z);
    dBodySetQuaternion(body, rotation);
    return body;
}

/* The anchor is where the point of body b is now; ODE finds the point of the other body there. */
static void make_joint(ode_engine *engine, const peer_joint *given)
{
    dJointID joint = dJointCreateBall(engine->world, NULL);
    dVector3 point;
    dJointAttach(joint, given->a == PEER_WORLD ? NULL : engine->bodies[given->a], engine->bodies[given->b]);
    dBodyGetRelPointPos(engine->bodies[given->b], (dReal)given->point_b.x, (dReal)given->point_b.y,
                        (dReal)given->point_b.z, point);
    dJointSetBallAnchor(joint, point[0], point[1], point[2]);
}

static void *create(const peer_mechanism *mechanism)
{
    ode_engine *engine = malloc(sizeof *engine + mechanism->body_count * sizeof(dBodyID));
    if (engine == NULL)
        return NULL;
    dInitODE();
    dRandSetSeed(0); /* quickstep shuffles joints: every run the same way */
    engine->world = dWorldCreate();
    dWorldSetGravity(engine->world, (dReal)mechanism->gravity.x, (dReal)mechanism->gravity.y,
                     (dReal)mechanism->gravity.z);
    for (uint32_t i = 0; i < mechanism->body_count; ++i)
        engine->bodies[i] = make_body(engine->world, &mechanism->bodies[i]);
    for (uint32_t i = 0; i < mechanism->joint_count; ++i)
        make_joint(engine, &mechanism->joints[i]);
    return engine;
}

static void destroy(void *data)
{
    ode_engine *engine = data;
    dWorldDestroy(engine->world);
    dCloseODE();
    free(engine);
}

static void push(void *data, uint32_t body, ash_vec3 torque)
{
    ode_engine *engine = data;
    dBodyAddTorque(engine->bodies[body], (dReal)torque.x, (dReal)torque.y, (dReal)torque.z);
}

static bool quickstep(void *engine, double h)
{
    return dWorldQuickStep(((ode_engine *)engine)->world, (dReal)h) != 0;
}

static bool worldstep(void *engine, double h)
{
    return dWorldStep(((ode_engine *)engine)->world, (dReal)h) != 0;
}

static void read_places(void *data, uint32_t count, ash_transform *places)
{
    ode_engine *engine = data;
    for (uint32_t i = 0; i < count; ++i) {
        const dReal *p = dBodyGetPosition(engine->bodies[i]), *q = dBodyGetQuaternion(engine->bodies[i]);
        places[i].position = (ash_vec3){(double)p[0], (double)p[1], (double)p[2]};
        places[i].rotation = (ash_quat){(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
    }
}

const peer peer_ode_quickstep = {"ODE, quickstep", create, destroy, push, quickstep, read_places};
const peer peer_ode_worldstep = {"ODE, worldstep", create, destroy, push, worldstep, read_places};
