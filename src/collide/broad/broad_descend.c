/* Queries of the trees: new candidates of changed proxies, boxes that overlap a box or a ray.
 *
 * Candidates are pairs of enlarged boxes that overlap. As long as two proxies stay inside their enlarged boxes, nothing
 * about them has to be searched again; only their exact boxes are compared. */
#include "collide/broad/broad_parts.h"

enum { STACK = ASHI_BROAD_HEIGHT + 8, GROUP = 8, LEAVES = 64 };

#define TOO_EXPENSIVE 1.2 /* times the cost when the tree was built */

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The largest gap between two boxes along an axis: negative where they overlap. Without branches, since none of them
 * would be predictable. */
static float gap_between(const float a[6], const float b[6])
{
    float x = larger(a[0] + b[3], a[3] + b[0]), y = larger(a[1] + b[4], a[4] + b[1]);
    return larger(larger(x, y), larger(a[2] + b[5], a[5] + b[2]));
}

/* Changed proxies that are close together in the tree and are searched together, with the box around all their
 * boxes. */
typedef struct group {
    uint32_t proxy[GROUP], count;
    ashi_float_box box[GROUP], whole;
} group;

/* Leaves that overlap a group's box, with the ends of their boxes side by side. */
typedef struct near_leaves {
    float end[6][LEAVES];
    uint32_t proxy[LEAVES], count;
} near_leaves;

/* Of two changed proxies, only the lower number finds the pair. */
static void put_partners(const ashi_broad *broad, const group *g, const near_leaves *near, ashi_finder *finder)
{
    for (uint32_t m = 0; m < g->count; m++) {
        const float *end = g->box[m].end;
        float gap[LEAVES];
        for (uint32_t i = 0; i < near->count; i++) {
            const float leaf[6] = {near->end[0][i], near->end[1][i], near->end[2][i],
                                   near->end[3][i], near->end[4][i], near->end[5][i]};
            gap[i] = gap_between(leaf, end);
        }
        uint32_t p = g->proxy[m], partners[LEAVES], count = 0;
        for (uint32_t i = 0; i < near->count; i++) {
            partners[count] = near->proxy[i];
            count += gap[i] < 0;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t q = partners[i];
            if (q != p && !(broad->proxies.data[q].changed && q < p))
                ashi_finder_put(finder, broad, p, q);
        }
    }
    finder->tests += (uint64_t)g->count * near->count;
}

/* Leaves of the tree that overlap the enlarged boxes of the group. Nodes and proxies are scattered in memory: both are
 * prefetched while others are processed. */
static void find_partners(const ashi_broad *broad, const ashi_broad_tree *tree, const group *g, ashi_finder *finder)
{
    uint32_t stack[STACK], height = 0;
    near_leaves near;
    near.count = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        finder->tests += 2;
        for (uint32_t side = 0; side < 2; side++) {
            if (!(gap_between(node->box[side].end, g->whole.end) < 0))
                continue;
            uint32_t child = node->child[side];
            if ((child & ASHI_LEAF) == 0) {
                __builtin_prefetch(&tree->nodes.data[child]);
                stack[height++] = child;
                continue;
            }
            uint32_t place = near.count++;
            near.proxy[place] = child & ~ASHI_LEAF;
            __builtin_prefetch(&broad->proxies.data[near.proxy[place]]);
            for (int k = 0; k < 6; k++)
                near.end[k][place] = node->box[side].end[k];
        }
        if (near.count > LEAVES - 2) {
            put_partners(broad, g, &near, finder);
            near.count = 0;
        }
    }
    put_partners(broad, g, &near, finder);
}

/* Adds the proxy to the group if the group's box then has no more surface than all its boxes together: the cost of a
 * search is proportional to surface. */
static bool join(group *g, uint32_t number, const ashi_float_box *box, float *sum)
{
    ashi_float_box whole = ashi_float_union(&g->whole, box);
    float area = ashi_float_area(box);
    if (g->count == GROUP || (g->count > 0 && ashi_float_area(&whole) > *sum + area))
        return false;
    *sum += area;
    g->whole = whole;
    g->proxy[g->count] = number;
    g->box[g->count++] = *box;
    return true;
}

static void find_of_group(const ashi_broad *broad, const group *g, bool moves, ashi_finder *finder)
{
    find_partners(broad, &broad->trees[1], g, finder);
    if (moves)
        find_partners(broad, &broad->trees[0], g, finder);
}

static void find_of_changed(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    group g = {.count = 0, .whole = ashi_float_nothing()};
    bool moves = false;
    float sum = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t number = broad->changed.data[i];
        const ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED)
            continue;
        const ashi_float_box *box = &broad->trees[p->moves].nodes.data[p->where >> 1].box[p->where & 1];
        if (p->moves == moves && join(&g, number, box, &sum))
            continue;
        if (g.count > 0)
            find_of_group(broad, &g, moves, finder);
        g.count = 0;
        g.whole = ashi_float_nothing();
        moves = p->moves;
        sum = 0;
        join(&g, number, box, &sum);
    }
    if (g.count > 0)
        find_of_group(broad, &g, moves, finder);
}

void ashi_broad_tree_find_resting(const ashi_broad *broad, uint32_t proxy, ashi_finder *finder)
{
    const ashi_broad_tree *tree = &broad->trees[0];
    const ash_bounds *box = &broad->proxies.data[proxy].box;
    uint32_t stack[STACK], height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        finder->tests += 2;
        for (uint32_t side = 0; side < 2; side++) {
            uint32_t child = node->child[side];
            ash_bounds outer = ashi_bounds_of(&node->box[side]);
            if (child == ASHI_NO_CHILD || !bounds_overlap(&outer, box))
                continue;
            if ((child & ASHI_LEAF) == 0)
                stack[height++] = child;
            else if (bounds_overlap(&broad->proxies.data[child & ~ASHI_LEAF].box, box))
                ashi_finder_put(finder, broad, proxy, child & ~ASHI_LEAF);
        }
    }
}

/* Whether the leaf has moved so far from its neighbours, one and two levels up, that the boxes above are mostly
 * empty. */
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

/* Fits all boxes of the tree; returns whether searching has become so expensive that it should be rebuilt. The cost of
 * a tree with twice as many leaves is no reference. */
static bool has_decayed(ashi_broad_tree *tree)
{
    return ashi_broad_tree_fit_all(tree) > TOO_EXPENSIVE * tree->cost_when_built ||
           tree->count < tree->count_when_built / 2;
}

/* Fits the tree to displaced leaves. If they are few, those that strayed are moved to better places one by one. If they
 * are many, or many have been moved before, all boxes are fitted again; if searching has then become expensive (bodies
 * that fall or flow together keep their neighbours), the whole tree is rebuilt, and the function returns true. */
static bool improve_tree(ashi_broad *broad, bool moves)
{
    ashi_broad_tree *tree = &broad->trees[moves];
    uint64_t displaced = 0;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[broad->changed.data[i]];
        displaced += p->place == ASHI_PROXY_BOUNDED && p->moves == moves && p->displaced;
    }
    bool many = displaced > tree->count / 8 || tree->insertions + displaced > tree->count;
    bool build = many && has_decayed(tree);
    if (build)
        ashi_broad_tree_build(broad, tree);
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        uint32_t number = broad->changed.data[i];
        ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED || p->moves != moves || !p->displaced)
            continue;
        p->displaced = false;
        if (many)
            continue;
        ashi_broad_tree_fit(tree, p->where);
        if (!has_strayed(tree, p->where)) {
            tree->insertions++; /* it ages the tree like an insertion */
            continue;
        }
        ashi_float_box box = tree->nodes.data[p->where >> 1].box[p->where & 1];
        ashi_broad_tree_remove(broad, tree, number);
        ashi_broad_tree_insert(broad, tree, number, box);
    }
    return build;
}

/* Sorts the changed proxies by their place in the tree: neighbours are then fitted and searched one after another, with
 * the same nodes in the cache. False when memory ran out. */
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
           ashi_broad_gather(broad, tasks, broad->changed.count, 64, find_of_changed, true);
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
            if (child == ASHI_NO_CHILD || !bounds_overlap(&outer, box))
                continue;
            const ashi_proxy *p = &broad->proxies.data[child & ~ASHI_LEAF];
            if ((child & ASHI_LEAF) == 0)
                stack[height++] = child;
            else if (bounds_overlap(&p->box, box) && !visit(p->item, user))
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

/* Pushes the children of a node that the ray meets, the nearer one last. */
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
