/* Bullet's algorithms as its dispatcher chooses them, with its own margins and tolerances. Contacts of the pose before
 * are dropped, because poses have nothing to do with each other; so every pose starts from an empty manifold, to which
 * a convex pair adds one point, a box pair up to four. */
#include "bullet_narrow.h"

#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletCollisionCommon.h>

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

namespace
{
btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

/* A shape, what it points into, and where its origin lies in ours. */
struct bullet_shape {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<btTriangleIndexVertexArray> triangles;
    std::vector<btScalar> numbers;
    std::vector<int> indices;
    btVector3 origin = btVector3(0, 0, 0);
    btCollisionObject object;
};

void make_hull(bullet_shape &made, const ash_geometry_def &def)
{
    auto hull = std::make_unique<btConvexHullShape>();
    for (uint32_t i = 0; i < def.point_count; ++i)
        hull->addPoint(vector_of(def.points[i]), false);
    hull->recalcLocalAabb();
    made.shape = std::move(hull);
}

void make_mesh(bullet_shape &made, const ash_geometry_def &def)
{
    for (uint32_t i = 0; i < def.point_count; ++i)
        for (double x : {def.points[i].x, def.points[i].y, def.points[i].z})
            made.numbers.push_back(btScalar(x));
    made.indices.assign(def.triangles, def.triangles + 3 * size_t(def.triangle_count));
    made.triangles = std::make_unique<btTriangleIndexVertexArray>(int(def.triangle_count), made.indices.data(),
                                                                  int(3 * sizeof(int)), int(def.point_count),
                                                                  made.numbers.data(), int(3 * sizeof(btScalar)));
    made.shape = std::make_unique<btBvhTriangleMeshShape>(made.triangles.get(), true);
}

/* Bullet centres a height field in its bounds. */
void make_height_field(bullet_shape &made, const ash_geometry_def &def)
{
    made.numbers.assign(def.values, def.values + size_t(def.cells[0]) * def.cells[1]);
    auto ends = std::minmax_element(made.numbers.begin(), made.numbers.end());
    made.origin = vector_of(def.origin) + btVector3(btScalar(0.5 * def.spacing.x * (def.cells[0] - 1)),
                                                    btScalar(0.5 * def.spacing.y * (def.cells[1] - 1)),
                                                    (*ends.first + *ends.second) / 2);
    made.shape = std::make_unique<btHeightfieldTerrainShape>(int(def.cells[0]), int(def.cells[1]), made.numbers.data(),
                                                             *ends.first, *ends.second, 2, false);
    made.shape->setLocalScaling(btVector3(btScalar(def.spacing.x), btScalar(def.spacing.y), 1));
}

/* Leaves the shape null for kinds that Bullet has not. */
void make(bullet_shape &made, const ash_geometry_def &def)
{
    btScalar radius = btScalar(def.radius), height = btScalar(def.height);
    switch (def.kind) {
    case ASH_GEOMETRY_SPHERE:
        made.shape = std::make_unique<btSphereShape>(radius);
        break;
    case ASH_GEOMETRY_CAPSULE:
        made.shape = std::make_unique<btCapsuleShapeZ>(radius, height);
        break;
    case ASH_GEOMETRY_BOX:
        made.shape = std::make_unique<btBoxShape>(vector_of(def.half_extents));
        break;
    case ASH_GEOMETRY_CYLINDER:
        made.shape = std::make_unique<btCylinderShapeZ>(btVector3(radius, radius, height / 2));
        break;
    case ASH_GEOMETRY_CONE:
        made.shape = std::make_unique<btConeShapeZ>(radius, height);
        break;
    case ASH_GEOMETRY_PLANE:
        made.shape = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
        break;
    case ASH_GEOMETRY_HULL:
        make_hull(made, def);
        break;
    case ASH_GEOMETRY_MESH:
        make_mesh(made, def);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        make_height_field(made, def);
        break;
    default:
        return;
    }
    made.object.setCollisionShape(made.shape.get());
}
} // namespace

struct bullet_narrow {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    bullet_shape a, b;
    btCollisionAlgorithm *algorithm = nullptr;

    ~bullet_narrow()
    {
        if (!algorithm)
            return;
        algorithm->~btCollisionAlgorithm();
        dispatcher.freeCollisionAlgorithm(algorithm);
    }
};

static void place(bullet_shape &made, const ash_transform &pose)
{
    btQuaternion rotation(btScalar(pose.rotation.x), btScalar(pose.rotation.y), btScalar(pose.rotation.z),
                          btScalar(pose.rotation.w));
    btTransform frame(rotation, vector_of(pose.position));
    made.object.setWorldTransform(btTransform(frame.getBasis(), frame * made.origin));
}

static bool choose_algorithm(bullet_narrow &narrow, const ash_geometry *a, const ash_geometry *b)
{
    make(narrow.a, *ash_geometry_get_definition(a));
    make(narrow.b, *ash_geometry_get_definition(b));
    if (!narrow.a.shape || !narrow.b.shape)
        return false;
    place(narrow.a, ash_identity());
    btCollisionObjectWrapper first(nullptr, narrow.a.shape.get(), &narrow.a.object, narrow.a.object.getWorldTransform(),
                                   -1, -1);
    btCollisionObjectWrapper second(nullptr, narrow.b.shape.get(), &narrow.b.object,
                                    narrow.b.object.getWorldTransform(), -1, -1);
    narrow.algorithm = narrow.dispatcher.findAlgorithm(&first, &second, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    return narrow.algorithm != nullptr;
}

bullet_narrow *bullet_narrow_create(const ash_geometry *a, const ash_geometry *b)
{
    try {
        auto narrow = std::make_unique<bullet_narrow>();
        return choose_algorithm(*narrow, a, b) ? narrow.release() : nullptr;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void bullet_narrow_destroy(bullet_narrow *narrow)
{
    delete narrow;
}

uint32_t bullet_narrow_collide(bullet_narrow *narrow, const ash_transform *b_in_a)
{
    for (int i = 0; i < narrow->dispatcher.getNumManifolds(); ++i)
        narrow->dispatcher.getManifoldByIndexInternal(i)->clearManifold();
    place(narrow->b, *b_in_a);
    btCollisionObjectWrapper first(nullptr, narrow->a.shape.get(), &narrow->a.object,
                                   narrow->a.object.getWorldTransform(), -1, -1);
    btCollisionObjectWrapper second(nullptr, narrow->b.shape.get(), &narrow->b.object,
                                    narrow->b.object.getWorldTransform(), -1, -1);
    btManifoldResult result(&first, &second);
    btDispatcherInfo info;
    narrow->algorithm->processCollision(&first, &second, info, &result);
    uint32_t points = 0;
    for (int i = 0; i < narrow->dispatcher.getNumManifolds(); ++i)
        points += uint32_t(narrow->dispatcher.getManifoldByIndexInternal(i)->getNumContacts());
    return points;
}
