/* Bullet: rigid bodies in maximal coordinates with point-to-point constraints and its own collisions, by its sequential
 * impulses; the best settings have more of them, and where there are only joints its pivoting solver. */
#include "peer.h"

#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <map>
#include <memory>
#include <new>
#include <vector>

namespace
{

const int best_iterations = 50;

btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

ash_vec3 vector_from(const btVector3 &v)
{
    return {double(v.x()), double(v.y()), double(v.z())};
}

btTransform transform_of(const ash_transform &t)
{
    const ash_quat &q = t.rotation;
    return btTransform(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)), vector_of(t.position));
}

bool is_identity(const ash_transform &t)
{
    return t.position.x == 0 && t.position.y == 0 && t.position.z == 0 && t.rotation.w == 1;
}

struct bullet_engine {
    const peer_model *model;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDantzigSolver pivoting;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    btEmptyShape nothing;
    std::map<const ash_geometry *, std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btCompoundShape>> compounds;
    std::vector<std::unique_ptr<btRigidBody>> bodies; /* by number; null: not there */
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    ~bullet_engine()
    {
        for (auto &joint : joints)
            world->removeConstraint(joint.get());
        for (auto &body : bodies)
            if (body)
                world->removeRigidBody(body.get());
    }
};

/* Margins: those of boxes and cylinders lie inside of their size, so that nothing grows by them. */
std::unique_ptr<btCollisionShape> make_shape(const ash_geometry_def &def)
{
    btVector3 round{btScalar(def.radius), btScalar(def.radius), btScalar(0.5 * def.height)};
    switch (def.kind) {
    case ASH_GEOMETRY_SPHERE:
        return std::unique_ptr<btCollisionShape>(new btSphereShape(btScalar(def.radius)));
    case ASH_GEOMETRY_BOX:
        return std::unique_ptr<btCollisionShape>(new btBoxShape(vector_of(def.half_extents)));
    case ASH_GEOMETRY_CAPSULE:
        return std::unique_ptr<btCollisionShape>(new btCapsuleShapeZ(btScalar(def.radius), btScalar(def.height)));
    case ASH_GEOMETRY_CYLINDER:
        return std::unique_ptr<btCollisionShape>(new btCylinderShapeZ(round));
    case ASH_GEOMETRY_PLANE:
        return std::unique_ptr<btCollisionShape>(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
    default:
        return nullptr;
    }
}

btCollisionShape *shape_for(bullet_engine *engine, const peer_body &given)
{
    const peer_shape *shapes = engine->model->shapes + given.first_shape;
    if (given.shape_count == 0)
        return &engine->nothing;
    if (given.shape_count == 1 && is_identity(shapes[0].pose))
        return engine->shapes[shapes[0].geometry].get();
    engine->compounds.emplace_back(new btCompoundShape);
    for (uint32_t i = 0; i < given.shape_count; ++i)
        engine->compounds.back()->addChildShape(transform_of(shapes[i].pose), engine->shapes[shapes[i].geometry].get());
    return engine->compounds.back().get();
}

/* Bullet multiplies the coefficients of two bodies: each gets the root. */
void enter(void *data, uint32_t number)
{
    bullet_engine *engine = static_cast<bullet_engine *>(data);
    const peer_body &given = engine->model->bodies[number];
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(given.mass), nullptr, shape_for(engine, given),
                                                  vector_of(given.inertia));
    info.m_startWorldTransform = transform_of(given.place);
    info.m_friction = btScalar(std::sqrt(engine->model->friction));
    info.m_restitution = btScalar(std::sqrt(engine->model->restitution));
    btRigidBody *body = new btRigidBody(info);
    engine->bodies[number].reset(body);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setLinearVelocity(vector_of(given.velocity));
    body->setAngularVelocity(vector_of(given.spin));
    if (given.shape_count > 0)
        engine->world->addRigidBody(body);
    else
        engine->world->addRigidBody(body, 0, 0);
}

void leave(void *data, uint32_t number)
{
    bullet_engine *engine = static_cast<bullet_engine *>(data);
    engine->world->removeRigidBody(engine->bodies[number].get());
    engine->bodies[number].reset();
}

/* It has no rods: a point mass on one turns with it about its end. */
void add_joint(bullet_engine *engine, const peer_joint &given)
{
    const peer_body *bodies = engine->model->bodies;
    btRigidBody &b = *engine->bodies[given.b];
    btVector3 on_a = vector_of(given.point_a), on_b = vector_of(given.point_b);
    if (given.length > 0) {
        btTransform a = given.a == PEER_WORLD ? btTransform::getIdentity() : transform_of(bodies[given.a].place);
        on_b = transform_of(bodies[given.b].place).invXform(a * on_a);
    }
    if (given.a == PEER_WORLD)
        engine->joints.emplace_back(new btPoint2PointConstraint(b, on_b));
    else
        engine->joints.emplace_back(new btPoint2PointConstraint(*engine->bodies[given.a], b, on_a, on_b));
    engine->world->addConstraint(engine->joints.back().get(), true);
}

void destroy(void *engine)
{
    delete static_cast<bullet_engine *>(engine);
}

/* Of what was tried, stacks stand best with these: constraints in random order, friction along two directions. */
void set_best(btContactSolverInfo &info)
{
    info.m_numIterations = best_iterations;
    info.m_solverMode |= SOLVER_RANDMIZE_ORDER | SOLVER_USE_2_FRICTION_DIRECTIONS;
}

bool make_shapes(bullet_engine *engine)
{
    const peer_model *model = engine->model;
    for (uint32_t i = 0; i < model->shape_count && model->contacts; ++i) {
        auto &shape = engine->shapes[model->shapes[i].geometry];
        if (!shape)
            shape = make_shape(*ash_geometry_get_definition(model->shapes[i].geometry));
        if (!shape)
            return false;
    }
    return true;
}

void *create_with(const peer_model *model, bool best, const char **why)
{
    try {
        std::unique_ptr<bullet_engine> engine(new bullet_engine);
        engine->model = model;
        if (best && !model->contacts && model->joint_count > 0)
            engine->solver.reset(new btMLCPSolver(&engine->pivoting));
        else
            engine->solver.reset(new btSequentialImpulseConstraintSolver);
        engine->world.reset(new btDiscreteDynamicsWorld(&engine->dispatcher, &engine->broadphase, engine->solver.get(),
                                                        &engine->configuration));
        engine->world->setGravity(vector_of(model->gravity));
        if (best)
            set_best(engine->world->getSolverInfo());
        if (!make_shapes(engine.get())) {
            *why = "it has no such shapes";
            return nullptr;
        }
        engine->bodies.resize(model->body_count);
        for (uint32_t i = 0; i < model->body_count; ++i)
            if (model->bodies[i].present)
                enter(engine.get(), i);
        for (uint32_t i = 0; i < model->joint_count; ++i)
            add_joint(engine.get(), model->joints[i]);
        return engine.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void *create(const peer_model *model, const char **why)
{
    return create_with(model, false, why);
}

void *create_best(const peer_model *model, const char **why)
{
    return create_with(model, true, why);
}

void push(void *engine, uint32_t body, ash_vec3 torque)
{
    static_cast<bullet_engine *>(engine)->bodies[body]->applyTorque(vector_of(torque));
}

/* No sub-steps: one step of exactly h. */
bool step(void *engine, double h)
{
    static_cast<bullet_engine *>(engine)->world->stepSimulation(btScalar(h), 0);
    return true;
}

void read_states(void *data, peer_state *states)
{
    bullet_engine *engine = static_cast<bullet_engine *>(data);
    for (uint32_t i = 0; i < engine->model->body_count; ++i) {
        const btRigidBody *body = engine->bodies[i].get();
        if (body == nullptr || !engine->model->bodies[i].moves)
            continue;
        btQuaternion q = body->getWorldTransform().getRotation();
        states[i].place.position = vector_from(body->getWorldTransform().getOrigin());
        states[i].place.rotation = {double(q.w()), double(q.x()), double(q.y()), double(q.z())};
        states[i].velocity = vector_from(body->getLinearVelocity());
        states[i].spin = vector_from(body->getAngularVelocity());
    }
}

double weigh(void *engine, uint32_t number, ash_vec3 *inertia)
{
    const btRigidBody *body = static_cast<bullet_engine *>(engine)->bodies[number].get();
    *inertia = vector_from(body->getLocalInertia());
    return 1 / double(body->getInvMass());
}

} // namespace

const peer peer_bullet = {"Bullet", "defaults", 1,    false, true,        create, destroy,
                          enter,    leave,      push, step,  read_states, weigh};
const peer peer_bullet_best = {"Bullet", "best", 1,    false, true,        create_best, destroy,
                               enter,    leave,  push, step,  read_states, weigh};
