/* Bullet's sequential impulses as they come, with its vector instructions, but from impulses of zero and without
 * the separate pass for deep overlaps, of which there are none. Contact points keep their order. */
#include "bullet_solve.h"

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletDynamics/Dynamics/btRigidBody.h>

#include <memory>
#include <new>
#include <vector>

struct bullet_solve {
    btSequentialImpulseConstraintSolver solver;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<btCollisionObject *> objects;
    std::vector<std::unique_ptr<btPersistentManifold>> manifolds;
    std::vector<btPersistentManifold *> pointers;
    std::vector<std::pair<uint32_t, int>> points; /* by block: manifold and point */
};

static btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

static void add_body(bullet_solve *solve, const ash_problem_body &body)
{
    bool moves = body.inverse_mass.x > 0;
    btVector3 inertia(0, 0, 0);
    if (moves)
        inertia.setValue(btScalar(1 / body.inverse_inertia.xx), btScalar(1 / body.inverse_inertia.yy),
                         btScalar(1 / body.inverse_inertia.zz));
    btScalar mass = moves ? btScalar(1 / body.inverse_mass.x) : btScalar(0);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, nullptr, inertia);
    solve->bodies.emplace_back(new btRigidBody(info));
    solve->objects.push_back(solve->bodies.back().get());
}

/* All bodies sit at the origin: the solver looks at differences from centres only. From r x d of three orthogonal
 * directions d follows r = 1/2 sum d x (r x d). */
static btVector3 arm_of(const ashi_row *row, bool of_b)
{
    btVector3 sum(0, 0, 0);
    for (int i = 0; i < 3; ++i)
        sum += vector_of(of_b ? row[i].linear_b : row[i].linear_a)
                   .cross(vector_of(of_b ? row[i].angular_b : row[i].angular_a));
    return btScalar(0.5) * sum;
}

/* Our b is Bullet's body 0: its normal leads from body 1 to body 0, ours from a to b. */
static void add_contact(bullet_solve *solve, const ashi_system *problem, const ashi_block &block)
{
    btRigidBody *zero = solve->bodies[block.body_b].get(), *one = solve->bodies[block.body_a].get();
    bool fits = !solve->manifolds.empty() && solve->manifolds.back()->getBody0() == zero &&
                solve->manifolds.back()->getBody1() == one && solve->manifolds.back()->getNumContacts() < 4;
    if (!fits) {
        solve->manifolds.emplace_back(new btPersistentManifold(zero, one, 0, btScalar(0.02), btScalar(0.02)));
        solve->pointers.push_back(solve->manifolds.back().get());
    }
    const ashi_row *row = problem->rows + block.first_row;
    btVector3 on_zero = arm_of(row, true), on_one = arm_of(row, false);
    btManifoldPoint point(on_zero, on_one, vector_of(row[0].linear_b), 0);
    point.m_positionWorldOnA = on_zero;
    point.m_positionWorldOnB = on_one;
    point.m_combinedFriction = btScalar(block.friction);
    point.m_combinedRestitution = 0;
    int number = solve->manifolds.back()->addManifoldPoint(point);
    solve->points.emplace_back(uint32_t(solve->manifolds.size() - 1), number);
}

bullet_solve *bullet_solve_create(const ashi_system *problem)
{
    bullet_solve *solve = new (std::nothrow) bullet_solve;
    if (!solve)
        return nullptr;
    for (uint32_t i = 0; i < problem->body_count; ++i)
        add_body(solve, problem->bodies[i]);
    for (uint32_t k = 0; k < problem->block_count; ++k)
        add_contact(solve, problem, problem->blocks[k]);
    return solve;
}

void bullet_solve_destroy(bullet_solve *solve)
{
    delete solve;
}

void bullet_solve_run(bullet_solve *solve, const ashi_system *problem, int iterations, bool two_directions)
{
    for (uint32_t i = problem->fixed_count; i < problem->body_count; ++i) {
        solve->bodies[i]->setLinearVelocity(vector_of(problem->bodies[i].velocity));
        solve->bodies[i]->setAngularVelocity(vector_of(problem->bodies[i].spin));
    }
    for (const auto &at : solve->points) {
        btManifoldPoint &point = solve->manifolds[at.first]->getContactPoint(at.second);
        point.m_appliedImpulse = point.m_appliedImpulseLateral1 = point.m_appliedImpulseLateral2 = 0;
    }
    btContactSolverInfo info;
    info.m_timeStep = btScalar(problem->h);
    info.m_numIterations = iterations;
    info.m_splitImpulse = false;
    info.m_solverMode = SOLVER_SIMD | SOLVER_USE_WARMSTARTING; /* else impulses are not given back */
    if (two_directions)
        info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    solve->solver.solveGroup(solve->objects.data(), int(solve->objects.size()), solve->pointers.data(),
                             int(solve->pointers.size()), nullptr, 0, info, nullptr, nullptr);
}

void bullet_solve_take_impulses(const bullet_solve *solve, ashi_system *problem)
{
    for (uint32_t k = 0; k < problem->block_count; ++k) {
        const btManifoldPoint &point =
            solve->manifolds[solve->points[k].first]->getContactPoint(solve->points[k].second);
        btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                            point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                            point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
        ashi_row *row = problem->rows + problem->blocks[k].first_row;
        for (int i = 0; i < 3; ++i)
            row[i].impulse = double(impulse.dot(vector_of(row[i].linear_b)));
    }
}
