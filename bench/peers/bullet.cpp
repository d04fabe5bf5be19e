/* Bullet: rigid bodies in maximal coordinates with point-to-point constraints, by its sequential impulses. Their shapes
 * are small spheres that collide with nothing. */
#include "peer.h"

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <new>
#include <vector>

namespace
{

btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

struct bullet_engine {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btSphereShape sphere{btScalar(0.1)};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    ~bullet_engine()
    {
        for (auto &joint : joints)
            world.removeConstraint(joint.get());
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
};

void add_body(bullet_engine *engine, const peer_body &given)
{
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(given.mass), nullptr, &engine->sphere,
                                                  vector_of(given.inertia));
    const ash_quat &q = given.rotation;
    info.m_startWorldTransform = btTransform(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)),
                                             vector_of(given.position));
    engine->bodies.emplace_back(new btRigidBody(info));
    btRigidBody *body = engine->bodies.back().get();
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    engine->world.addRigidBody(body, 0, 0);
}

void add_joint(bullet_engine *engine, const peer_joint &given)
{
    btRigidBody &b = *engine->bodies[given.b];
    if (given.a == PEER_WORLD)
        engine->joints.emplace_back(new btPoint2PointConstraint(b, vector_of(given.point_b)));
    else
        engine->joints.emplace_back(new btPoint2PointConstraint(*engine->bodies[given.a], b, vector_of(given.point_a),
                                                                vector_of(given.point_b)));
    engine->world.addConstraint(engine->joints.back().get(), true);
}

void destroy(void *engine)
{
    delete static_cast<bullet_engine *>(engine);
}

void *create(const peer_mechanism *mechanism)
{
    try {
        std::unique_ptr<bullet_engine> engine(new bullet_engine);
        engine->world.setGravity(vector_of(mechanism->gravity));
        for (uint32_t i = 0; i < mechanism->body_count; ++i)
            add_body(engine.get(), mechanism->bodies[i]);
        for (uint32_t i = 0; i < mechanism->joint_count; ++i)
            add_joint(engine.get(), mechanism->joints[i]);
        return engine.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void push(void *engine, uint32_t body, ash_vec3 torque)
{
    static_cast<bullet_engine *>(engine)->bodies[body]->applyTorque(vector_of(torque));
}

/* No sub-steps: one step of exactly h. */
bool step(void *engine, double h)
{
    static_cast<bullet_engine *>(engine)->world.stepSimulation(btScalar(h), 0);
    return true;
}

void read_places(void *engine, uint32_t count, ash_transform *places)
{
    for (uint32_t i = 0; i < count; ++i) {
        const btTransform &place = static_cast<bullet_engine *>(engine)->bodies[i]->getWorldTransform();
        const btVector3 &p = place.getOrigin();
        btQuaternion q = place.getRotation();
        places[i].position = {double(p.x()), double(p.y()), double(p.z())};
        places[i].rotation = {double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    }
}

} // namespace

const peer peer_bullet = {"Bullet", create, destroy, push, step, read_places};
