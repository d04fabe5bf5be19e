/* Bullet's broad phase as it comes: its own margins, its cache of pairs, its upkeep a step. */
#include "bullet_broad.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <new>
#include <vector>

enum { FIXED = 1, MOVING = 2 };

struct bullet_broad {
    btDbvtBroadphase phase;
    std::vector<btBroadphaseProxy *> proxies;
};

static btVector3 vector_of(const ash_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

bullet_broad *bullet_broad_create(const ash_bounds *boxes, const bool *moves, uint32_t count)
{
    bullet_broad *broad = new (std::nothrow) bullet_broad;
    if (!broad)
        return nullptr;
    for (uint32_t i = 0; i < count; ++i) {
        void *item = reinterpret_cast<void *>(static_cast<uintptr_t>(i));
        int group = moves[i] ? MOVING : FIXED, partners = moves[i] ? FIXED | MOVING : MOVING;
        broad->proxies.push_back(broad->phase.createProxy(vector_of(boxes[i].lower), vector_of(boxes[i].upper), 0, item,
                                                          group, partners, nullptr));
    }
    return broad;
}

void bullet_broad_destroy(bullet_broad *broad)
{
    if (!broad)
        return;
    /* Each proxy looks through all pairs for its own: with none left, the time grows as the bodies. */
    broad->phase.getOverlappingPairCache()->getOverlappingPairArray().clear();
    for (btBroadphaseProxy *proxy : broad->proxies)
        broad->phase.destroyProxy(proxy, nullptr);
    delete broad;
}

void bullet_broad_update(bullet_broad *broad, const ash_bounds *boxes, const bool *moves, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (moves[i])
            broad->phase.setAabb(broad->proxies[i], vector_of(boxes[i].lower), vector_of(boxes[i].upper), nullptr);
    broad->phase.calculateOverlappingPairs(nullptr);
}

uint32_t bullet_broad_pairs(const bullet_broad *broad, ashi_broad_pair *pairs, uint32_t room)
{
    const btOverlappingPairCache *cache = broad->phase.getOverlappingPairCache();
    const btBroadphasePair *data = cache->getOverlappingPairArrayPtr();
    uint32_t count = static_cast<uint32_t>(cache->getNumOverlappingPairs());
    for (uint32_t i = 0; i < count && i < room; ++i) {
        uint32_t p = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data[i].m_pProxy0->m_clientObject));
        uint32_t q = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data[i].m_pProxy1->m_clientObject));
        pairs[i].a = p < q ? p : q;
        pairs[i].b = p < q ? q : p;
    }
    return count;
}
