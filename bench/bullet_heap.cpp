/* Bullet on a heap of boxes: its own broad phase, box-box test and sequential impulses, as they come. */
#include "heap.h"

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <new>
#include <vector>

static btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

struct bullet_heap {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btBoxShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies; /* the walls first */

    ~bullet_heap()
    {
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
    }
};

static void add_box(bullet_heap *engine, const heap *h, const heap_box &box, bool moves)
{
    engine->shapes.emplace_back(new btBoxShape(vector_of(box.half)));
    btBoxShape *shape = engine->shapes.back().get();
    btScalar mass = moves ? btScalar(8 * h->density * box.half.x * box.half.y * box.half.z) : btScalar(0);
    btVector3 inertia(0, 0, 0);
    if (moves)
        shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    const ash_quat &q = box.place.rotation;
    info.m_startWorldTransform = btTransform(btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)),
                                             vector_of(box.place.position));
    engine->bodies.emplace_back(new btRigidBody(info));
    btRigidBody *body = engine->bodies.back().get();
    body->setFriction(btSqrt(btScalar(h->friction))); /* Bullet multiplies the two */
    body->setRestitution(0);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    engine->world.addRigidBody(body);
}

bullet_heap *bullet_heap_create(const heap *h)
{
    try {
        std::unique_ptr<bullet_heap> engine(new bullet_heap);
        engine->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
        for (const heap_box &wall : h->walls)
            add_box(engine.get(), h, wall, false);
        for (uint32_t i = 0; i < h->count; ++i)
            add_box(engine.get(), h, h->boxes[i], true);
        return engine.release();
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void bullet_heap_destroy(bullet_heap *engine)
{
    delete engine;
}

/* No sub-steps: one step of exactly that length. */
void bullet_heap_step(bullet_heap *engine, double length)
{
    engine->world.stepSimulation(btScalar(length), 0);
}

void bullet_heap_read(const bullet_heap *engine, ash_transform *places)
{
    for (size_t i = HEAP_WALLS; i < engine->bodies.size(); ++i) {
        const btTransform &place = engine->bodies[i]->getWorldTransform();
        const btVector3 &p = place.getOrigin();
        btQuaternion q = place.getRotation();
        places[i - HEAP_WALLS].position = {double(p.x()), double(p.y()), double(p.z())};
        places[i - HEAP_WALLS].rotation = {double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    }
}
