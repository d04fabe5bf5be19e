/* What the trees are asked: new candidates of proxies that changed, boxes that meet a box or a ray.
 *
 * Candidates are pairs of enlarged boxes that overlap. As long as two proxies stay inside their enlarged boxes, nothing
 * about them has to be searched again; only their exact boxes are compared. */
#include "collide/broad_parts.h"

#include <string.h>

enum { STACK = ASHI_BROAD_HEIGHT + 8, PARTNERS = 32 };

/* Two bits for the two children of a node: whether they overlap the box. `box` has its ends exchanged, upper before
 * lower, so that every sum is a lower end minus an upper one: boxes overlap where all six are negative. Without
 * branches and on the signs of two sums at once, because none of it is predictable. */
static uint32_t overlapping_children(const ashi_broad_node *node, const float box[12])
{
    float sums[12];
    uint64_t words[6];
    const uint64_t signs = 0x8000000080000000u;
    const float *ends = node->box[0].end;
    for (int k = 0; k < 6; k++)
        sums[k] = ends[k] + box[k];
    ends = node->box[1].end;
    for (int k = 0; k < 6; k++)
        sums[6 + k] = ends[k] + box[6 + k];
    memcpy(words, sums, sizeof words);
    uint32_t first = (words[0] & words[1] & words[2] & signs) == signs;
    uint32_t second = (words[3] & words[4] & words[5] & signs) == signs;
    return first | second << 1;
}

/* Of two changed proxies, only the lower number finds the pair. */
static void put_partners(const ashi_broad *broad, uint32_t p, const uint32_t *partners, uint32_t count,
                         ashi_finder *finder)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t q = partners[i];
        if (q != p && !(broad->proxies.data[q].changed && q < p))
            ashi_finder_put(finder, broad, p, q);
    }
}

/* Leaves of the tree that overlap the enlarged box of p. Nodes and proxies lie anywhere: both are fetched while others
 * are looked at. */
static void find_partners(const ashi_broad *broad, const ashi_broad_tree *tree, uint32_t p, const float box[12],
                          ashi_finder *finder)
{
    uint32_t stack[STACK], height = 0, partners[PARTNERS + 2], count = 0;
    uint64_t tests = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        uint32_t overlapping = overlapping_children(node, box);
        tests += 2;
        for (uint32_t side = 0; side < 2; side++) {
            if ((overlapping >> side & 1) == 0)
                continue;
            uint32_t child = node->child[side], q = child & ~ASHI_LEAF;
            if ((child & ASHI_LEAF) == 0) {
                __builtin_prefetch(&tree->nodes.data[child]);
                stack[height++] = child;
            } else {
                __builtin_prefetch(&broad->proxies.data[q]);
                partners[count++] = q;
            }
        }
        if (count >= PARTNERS) {
            put_partners(broad, p, partners, count, finder);
            count = 0;
        }
    }
    put_partners(broad, p, partners, count, finder);
    finder->tests += tests;
}

static void find_of_changed(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t number = broad->changed.data[i];
        const ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED)
            continue;
        const float *ends = broad->trees[p->moves].nodes.data[p->where >> 1].box[p->where & 1].end;
        float box[12];
        for (int k = 0; k < 12; k++)
            box[k] = ends[(k + 3) % 6];
        find_partners(broad, &broad->trees[1], number, box, finder);
        if (p->moves)
            find_partners(broad, &broad->trees[0], number, box, finder);
    }
}

/* Whether the leaf has come so far away from its neighbours, one and two steps up, that the boxes above hold mostly
 * nothing. */
static bool has_strayed(const ashi_broad_tree *tree, uint32_t where)
{
    float limit = 3 * ashi_float_area(&tree->nodes.data[where >> 1].box[where & 1]);
    for (int level = 0; level < 2 && where != ASHI_NO_CHILD; level++) {
        const ashi_broad_node *node = &tree->nodes.data[where >> 1];
        ashi_float_box sum = ashi_float_union(&node->box[0], &node->box[1]);
        float beside = ashi_float_area(&node->box[1 - (where & 1)]);
        if (ashi_float_area(&sum) > limit + 2 * beside)
            return true;
        where = node->parent;
    }
    return false;
}

/* Fits the tree to displaced leaves and puts them into better places: those that strayed one by one when they are few,
 * all anew when they are many or when many have been put in since the tree was built, and then says so. */
static bool improve_tree(ashi_broad *broad, bool moves)
{
    ashi_broad_tree *tree = &broad->trees[moves];
    uint64_t displaced = 0;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[broad->changed.data[i]];
        displaced += p->place == ASHI_PROXY_BOUNDED && p->moves == moves && p->displaced;
    }
    bool build = displaced > tree->count / 8 || tree->insertions + displaced > tree->count;
    if (build)
        ashi_broad_tree_build(broad, tree);
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        uint32_t number = broad->changed.data[i];
        ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED || p->moves != moves || !p->displaced)
            continue;
        p->displaced = false;
        if (build)
            continue;
        ashi_broad_tree_fit(tree, p->where);
        if (!has_strayed(tree, p->where)) {
            tree->insertions++; /* it ages the tree all the same */
            continue;
        }
        ashi_float_box box = tree->nodes.data[p->where >> 1].box[p->where & 1];
        ashi_broad_tree_remove(broad, tree, number);
        ashi_broad_tree_insert(broad, tree, number, box);
    }
    return build;
}

/* Sorts the changed proxies by where they hang: neighbours are then fitted and searched one after another, with the
 * same nodes in the cache. False when memory ran out. */
static bool order_changed(ashi_broad *broad)
{
    ashi_candidates *keys = &broad->found;
    keys->count = 0;
    if (!ashi_array_reserve(keys, broad->changed.count))
        return false;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        uint32_t number = broad->changed.data[i];
        const ashi_proxy *p = &broad->proxies.data[number];
        keys->data[keys->count++] = (ashi_candidate){(uint64_t)p->moves << 32 | p->where, number, 0};
    }
    if (!ashi_candidates_sort(keys, &broad->spare))
        return false;
    for (uint32_t i = 0; i < keys->count; i++)
        broad->changed.data[i] = keys->data[i].first;
    return true;
}

bool ashi_broad_update_tree(ashi_broad *broad, ashi_tasks *tasks)
{
    if (!order_changed(broad))
        return false;
    bool built_resting = improve_tree(broad, false), built_moving = improve_tree(broad, true);
    broad->trees[0].unfitted = broad->trees[1].unfitted = false;
    return ((!built_resting && !built_moving) || order_changed(broad)) &&
           ashi_broad_gather(broad, tasks, broad->changed.count, 64, find_of_changed);
}

void ashi_broad_fit(ashi_broad *broad)
{
    if (!broad->trees[0].unfitted && !broad->trees[1].unfitted)
        return;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[broad->changed.data[i]];
        if (p->place == ASHI_PROXY_BOUNDED && p->displaced)
            ashi_broad_tree_fit(&broad->trees[p->moves], p->where);
    }
    broad->trees[0].unfitted = broad->trees[1].unfitted = false;
}

static bool visit_box(const ashi_broad *broad, const ashi_broad_tree *tree, const ash_bounds *box,
                      ashi_broad_visitor visit, void *user)
{
    uint32_t stack[STACK], height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t child = node->child[side];
            ash_bounds outer = ashi_bounds_of(&node->box[side]);
            if (child == ASHI_NO_CHILD || !ashi_boxes_overlap(&outer, box))
                continue;
            const ashi_proxy *p = &broad->proxies.data[child & ~ASHI_LEAF];
            if ((child & ASHI_LEAF) == 0)
                stack[height++] = child;
            else if (ashi_boxes_overlap(&p->box, box) && !visit(p->item, user))
                return false;
        }
    }
    return true;
}

bool ashi_broad_tree_query_box(const ashi_broad *broad, const ash_bounds *box, bool moving, ashi_broad_visitor visit,
                               void *user)
{
    return visit_box(broad, &broad->trees[0], box, visit, user) &&
           (!moving || visit_box(broad, &broad->trees[1], box, visit, user));
}

typedef struct waiting {
    uint32_t child;
    double enter;
} waiting;

/* The children of a node that the ray meets, the nearer one last. */
static uint32_t push_children(const ashi_broad_node *node, const ash_ray *ray, const ash_vec3 *radius, waiting *top)
{
    uint32_t count = 0;
    for (uint32_t side = 0; side < 2; side++) {
        ash_bounds outer = ashi_bounds_of(&node->box[side]);
        double enter;
        if (node->child[side] == ASHI_NO_CHILD || !ashi_ray_enters(ray, radius, &outer, &enter))
            continue;
        top[count++] = (waiting){node->child[side], enter};
    }
    if (count == 2 && top[0].enter < top[1].enter) {
        waiting swap = top[0];
        top[0] = top[1];
        top[1] = swap;
    }
    return count;
}

static bool visit_ray(const ashi_broad *broad, const ashi_broad_tree *tree, ash_ray *ray, const ash_vec3 *radius,
                      ashi_broad_ray_visitor visit, void *user)
{
    waiting stack[STACK];
    uint32_t height = push_children(&tree->nodes.data[0], ray, radius, stack);
    while (height > 0) {
        waiting next = stack[--height];
        if (next.enter > ray->reach)
            continue;
        if ((next.child & ASHI_LEAF) == 0) {
            height += push_children(&tree->nodes.data[next.child], ray, radius, stack + height);
            continue;
        }
        const ashi_proxy *p = &broad->proxies.data[next.child & ~ASHI_LEAF];
        if (!ashi_ray_enters(ray, radius, &p->box, &next.enter))
            continue;
        ray->reach = visit(p->item, ray->reach, user);
        if (!(ray->reach > 0))
            return false;
    }
    return true;
}

bool ashi_broad_tree_query_ray(const ashi_broad *broad, ash_ray *ray, const ash_vec3 *radius,
                               ashi_broad_ray_visitor visit, void *user)
{
    return visit_ray(broad, &broad->trees[0], ray, radius, visit, user) &&
           visit_ray(broad, &broad->trees[1], ray, radius, visit, user);
}
