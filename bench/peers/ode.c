/* ODE: bodies in maximal coordinates with contact, ball and distance joints, stepped by its iterations or by its dense
 * factor. Collisions are its own, turned into contact joints in the near callback, as its manual shows it. */
#include "peer.h"

#include "math/transform.h"
#include "math/vec3.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { CONTACTS_A_PAIR = 4, BEST_ITERATIONS = 100, MOST_BODIES_EXACT = 250 };

typedef struct ode_engine {
    const peer_model *model;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dSurfaceParameters surface;
    dBodyID *bodies;     /* by number; null: static, or not there */
    dGeomID *geometries; /* by shape */
} ode_engine;

/* ---- bodies ---- */

static bool is_known(ash_geometry_kind kind)
{
    return kind == ASH_GEOMETRY_SPHERE || kind == ASH_GEOMETRY_BOX || kind == ASH_GEOMETRY_PLANE ||
           kind == ASH_GEOMETRY_CAPSULE || kind == ASH_GEOMETRY_CYLINDER;
}

static void to_quaternion(ash_quat q, dQuaternion to)
{
    to[0] = (dReal)q.w;
    to[1] = (dReal)q.x;
    to[2] = (dReal)q.y;
    to[3] = (dReal)q.z;
}

static dGeomID make_geometry(dSpaceID space, const ash_geometry_def *def, ash_transform pose)
{
    ash_vec3 half = def->half_extents, up = q_rotate(pose.rotation, v3(0, 0, 1));
    switch (def->kind) {
    case ASH_GEOMETRY_SPHERE:
        return dCreateSphere(space, (dReal)def->radius);
    case ASH_GEOMETRY_BOX:
        return dCreateBox(space, (dReal)(2 * half.x), (dReal)(2 * half.y), (dReal)(2 * half.z));
    case ASH_GEOMETRY_CAPSULE:
        return dCreateCapsule(space, (dReal)def->radius, (dReal)def->height);
    case ASH_GEOMETRY_CYLINDER:
        return dCreateCylinder(space, (dReal)def->radius, (dReal)def->height);
    default: /* a plane */
        return dCreatePlane(space, (dReal)up.x, (dReal)up.y, (dReal)up.z, (dReal)v3_dot(up, pose.position));
    }
}

static void add_shape(ode_engine *engine, const peer_body *given, uint32_t number, dBodyID body)
{
    const peer_shape *shape = &engine->model->shapes[number];
    const ash_geometry_def *def = ash_geometry_get_definition(shape->geometry);
    ash_transform pose = body != NULL ? shape->pose : t_mul(given->place, shape->pose);
    dGeomID geometry = engine->geometries[number] = make_geometry(engine->space, def, pose);
    dReal x = (dReal)pose.position.x, y = (dReal)pose.position.y, z = (dReal)pose.position.z;
    dQuaternion q;
    to_quaternion(pose.rotation, q);
    if (body == NULL && def->kind != ASH_GEOMETRY_PLANE) {
        dGeomSetPosition(geometry, x, y, z);
        dGeomSetQuaternion(geometry, q);
    }
    if (body == NULL)
        return;
    dGeomSetBody(geometry, body);
    if (x == 0 && y == 0 && z == 0 && q[0] == 1)
        return; /* an offset of nothing would still cost time */
    dGeomSetOffsetPosition(geometry, x, y, z);
    dGeomSetOffsetQuaternion(geometry, q);
}

static dBodyID make_body(dWorldID world, const peer_body *given)
{
    dBodyID body = dBodyCreate(world);
    dQuaternion q;
    dMass mass;
    dMassSetParameters(&mass, (dReal)given->mass, 0, 0, 0, (dReal)given->inertia.x, (dReal)given->inertia.y,
                       (dReal)given->inertia.z, 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)given->place.position.x, (dReal)given->place.position.y,
                     (dReal)given->place.position.z);
    to_quaternion(given->place.rotation, q);
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, (dReal)given->velocity.x, (dReal)given->velocity.y, (dReal)given->velocity.z);
    dBodySetAngularVel(body, (dReal)given->spin.x, (dReal)given->spin.y, (dReal)given->spin.z);
    return body;
}

static void enter(void *data, uint32_t number)
{
    ode_engine *engine = data;
    const peer_body *given = &engine->model->bodies[number];
    engine->bodies[number] = given->moves ? make_body(engine->world, given) : NULL;
    for (uint32_t i = 0; i < given->shape_count; ++i)
        add_shape(engine, given, given->first_shape + i, engine->bodies[number]);
}

static void leave(void *data, uint32_t number)
{
    ode_engine *engine = data;
    const peer_body *given = &engine->model->bodies[number];
    for (uint32_t i = 0; i < given->shape_count; ++i)
        dGeomDestroy(engine->geometries[given->first_shape + i]);
    if (engine->bodies[number] != NULL)
        dBodyDestroy(engine->bodies[number]);
    engine->bodies[number] = NULL;
}

/* The anchors are where the points are now. */
static void make_joint(ode_engine *engine, const peer_joint *given)
{
    const peer_body *bodies = engine->model->bodies;
    dBodyID a = given->a == PEER_WORLD ? NULL : engine->bodies[given->a], b = engine->bodies[given->b];
    ash_vec3 on_a = given->a == PEER_WORLD ? given->point_a : t_point(bodies[given->a].place, given->point_a);
    ash_vec3 on_b = t_point(bodies[given->b].place, given->point_b);
    if (given->length > 0) {
        dJointID rod = dJointCreateDBall(engine->world, NULL);
        dJointAttach(rod, a, b);
        dJointSetDBallAnchor1(rod, (dReal)on_a.x, (dReal)on_a.y, (dReal)on_a.z);
        dJointSetDBallAnchor2(rod, (dReal)on_b.x, (dReal)on_b.y, (dReal)on_b.z);
        dJointSetDBallDistance(rod, (dReal)given->length);
    } else {
        dJointID ball = dJointCreateBall(engine->world, NULL);
        dJointAttach(ball, a, b);
        dJointSetBallAnchor(ball, (dReal)on_b.x, (dReal)on_b.y, (dReal)on_b.z);
    }
}

/* ---- contacts ---- */

static void meet(void *data, dGeomID a, dGeomID b)
{
    ode_engine *engine = data;
    dContact contacts[CONTACTS_A_PAIR];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if ((body_a == NULL && body_b == NULL) ||
        (body_a != NULL && body_b != NULL && dAreConnectedExcluding(body_a, body_b, dJointTypeContact)))
        return;
    int count = dCollide(a, b, CONTACTS_A_PAIR, &contacts[0].geom, (int)sizeof *contacts);
    for (int i = 0; i < count; ++i) {
        contacts[i].surface = engine->surface;
        dJointAttach(dJointCreateContact(engine->world, engine->contacts, &contacts[i]), body_a, body_b);
    }
}

/* Friction as a pyramid whose size follows the normal force: without this flag mu would be a force. */
static dSurfaceParameters surface_of(const peer_model *model)
{
    dSurfaceParameters surface = {.mode = dContactApprox1, .mu = (dReal)model->friction};
    if (model->restitution > 0) {
        surface.mode |= dContactBounce;
        surface.bounce = (dReal)model->restitution;
        surface.bounce_vel = (dReal)0.01;
    }
    return surface;
}

/* ---- the table of functions ---- */

static void destroy(void *data)
{
    ode_engine *engine = data;
    dJointGroupDestroy(engine->contacts);
    dSpaceDestroy(engine->space);
    dWorldDestroy(engine->world);
    dCloseODE();
    free(engine->bodies);
    free(engine->geometries);
    free(engine);
}

static void *create(const peer_model *model, const char **why)
{
    for (uint32_t i = 0; i < model->shape_count && model->contacts; ++i)
        if (!is_known(ash_geometry_get_definition(model->shapes[i].geometry)->kind)) {
            *why = "it has no such shapes";
            return NULL;
        }
    ode_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL)
        return NULL;
    engine->model = model;
    engine->bodies = calloc(model->body_count + 1, sizeof *engine->bodies);
    engine->geometries = calloc(model->shape_count + 1, sizeof *engine->geometries);
    dInitODE();
    dRandSetSeed(0); /* quickstep shuffles constraints: every run the same way */
    engine->world = dWorldCreate();
    engine->space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ);
    engine->contacts = dJointGroupCreate(0);
    engine->surface = surface_of(model);
    dWorldSetGravity(engine->world, (dReal)model->gravity.x, (dReal)model->gravity.y, (dReal)model->gravity.z);
    if (engine->bodies == NULL || engine->geometries == NULL) {
        destroy(engine);
        return NULL;
    }
    for (uint32_t i = 0; i < model->body_count; ++i)
        if (model->bodies[i].present)
            enter(engine, i);
    for (uint32_t i = 0; i < model->joint_count; ++i)
        make_joint(engine, &model->joints[i]);
    return engine;
}

/* More iterations. Other shares of error reduction, softness and a surface layer helped one scene and harmed another.
 */
static void *create_best(const peer_model *model, const char **why)
{
    ode_engine *engine = create(model, why);
    if (engine != NULL)
        dWorldSetQuickStepNumIterations(engine->world, BEST_ITERATIONS);
    return engine;
}

/* Its dense matrix of all rows takes minutes a step in large piles. */
static void *create_exact(const peer_model *model, const char **why)
{
    if (model->contacts && model->body_count > MOST_BODIES_EXACT) {
        *why = "takes too long: its factor is dense, some thousand rows here";
        return NULL;
    }
    return create(model, why);
}

static void push(void *data, uint32_t body, ash_vec3 torque)
{
    ode_engine *engine = data;
    dBodyAddTorque(engine->bodies[body], (dReal)torque.x, (dReal)torque.y, (dReal)torque.z);
}

static void collide(ode_engine *engine)
{
    dJointGroupEmpty(engine->contacts);
    dSpaceCollide(engine->space, engine, meet);
}

static bool quickstep(void *engine, double h)
{
    collide(engine);
    return dWorldQuickStep(((ode_engine *)engine)->world, (dReal)h) != 0;
}

static bool worldstep(void *engine, double h)
{
    collide(engine);
    return dWorldStep(((ode_engine *)engine)->world, (dReal)h) != 0;
}

static void read_states(void *data, peer_state *states)
{
    ode_engine *engine = data;
    for (uint32_t i = 0; i < engine->model->body_count; ++i) {
        dBodyID body = engine->bodies[i];
        if (body == NULL)
            continue;
        const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
        const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
        states[i] = (peer_state){
            {{(double)p[0], (double)p[1], (double)p[2]}, {(double)q[0], (double)q[1], (double)q[2], (double)q[3]}},
            {(double)v[0], (double)v[1], (double)v[2]},
            {(double)w[0], (double)w[1], (double)w[2]}};
    }
}

static double weigh(void *data, uint32_t body, ash_vec3 *inertia)
{
    dMass mass;
    dBodyGetMass(((ode_engine *)data)->bodies[body], &mass);
    *inertia = (ash_vec3){(double)mass.I[0], (double)mass.I[5], (double)mass.I[10]};
    return (double)mass.mass;
}

#define ODE_FUNCTIONS                                                                                                  \
    .engine = "ODE", .threads = 1, .solid = true, .destroy = destroy, .enter = enter, .leave = leave, .push = push,    \
    .read = read_states, .weigh = weigh

const peer peer_ode_quickstep = {.settings = "quickstep", .create = create, .step = quickstep, ODE_FUNCTIONS};
const peer peer_ode_quickstep_best = {
    .settings = "quickstep, best", .create = create_best, .step = quickstep, ODE_FUNCTIONS};
const peer peer_ode_worldstep = {.settings = "worldstep", .create = create_exact, .step = worldstep, ODE_FUNCTIONS};
