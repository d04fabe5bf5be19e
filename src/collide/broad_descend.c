/* What the trees are asked: new candidates of proxies that changed, boxes that meet a box or a ray.
 *
 * Candidates are pairs of enlarged boxes that overlap. As long as two proxies stay inside their enlarged boxes, nothing
 * about them has to be searched again; only their exact boxes are compared. */
#include "collide/broad_parts.h"

enum { STACK = ASHI_BROAD_HEIGHT + 8 };

static bool float_boxes_overlap(const ashi_float_box *a, const ashi_float_box *b)
{
    /* Without branches: most comparisons hold, none is predictable. */
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) & (a->lower[1] <= b->upper[1]) &
           (b->lower[1] <= a->upper[1]) & (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* Leaves of the tree that overlap the enlarged box of p. Of two changed proxies, only the lower number finds. */
static void find_partners(const ashi_broad *broad, const ashi_broad_tree *tree, uint32_t p, const ashi_float_box *box,
                          ashi_finder *finder)
{
    uint32_t stack[STACK], height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        finder->tests += 2;
        for (uint32_t side = 0; side < 2; side++) {
            if (!float_boxes_overlap(&node->box[side], box))
                continue;
            uint32_t child = node->child[side], q = child & ~ASHI_LEAF;
            if ((child & ASHI_LEAF) == 0)
                stack[height++] = child;
            else if (q != p && !(broad->proxies.data[q].changed && q < p))
                ashi_finder_put(finder, broad, p, q);
        }
    }
}

static void find_of_changed(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t number = broad->changed.data[i];
        const ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED)
            continue;
        ashi_float_box box = broad->trees[p->moves].nodes.data[p->where >> 1].box[p->where & 1];
        find_partners(broad, &broad->trees[1], number, &box, finder);
        if (p->moves)
            find_partners(broad, &broad->trees[0], number, &box, finder);
    }
}

/* Changed proxies of the tree in the order of its leaves, behind all others: neighbours are then searched one after
 * another, with the same nodes in the cache. */
static void order_changed(ashi_broad *broad, bool moves)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        uint32_t p = broad->changed.data[i];
        if (broad->proxies.data[p].place != ASHI_PROXY_BOUNDED || broad->proxies.data[p].moves != moves)
            broad->changed.data[kept++] = p;
    }
    for (uint32_t i = 0; i < broad->leaves.count; i++)
        if (broad->proxies.data[broad->leaves.data[i].proxy].changed)
            broad->changed.data[kept++] = broad->leaves.data[i].proxy;
}

/* Puts displaced leaves into better places: one by one when they are few, all anew when they are many or when many have
 * been put in since the tree was built. */
static void improve_tree(ashi_broad *broad, bool moves, ashi_tasks *tasks)
{
    ashi_broad_tree *tree = &broad->trees[moves];
    uint64_t displaced = 0;
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[broad->changed.data[i]];
        displaced += p->place == ASHI_PROXY_BOUNDED && p->moves == moves && p->displaced;
    }
    bool build = displaced > tree->count / 8 || tree->insertions + displaced > tree->count;
    if (build) {
        ashi_broad_tree_build(broad, tree, tasks);
        order_changed(broad, moves);
    }
    for (uint32_t i = 0; i < broad->changed.count; i++) {
        uint32_t number = broad->changed.data[i];
        ashi_proxy *p = &broad->proxies.data[number];
        if (p->place != ASHI_PROXY_BOUNDED || p->moves != moves || !p->displaced)
            continue;
        p->displaced = false;
        if (build)
            continue;
        ashi_float_box box = tree->nodes.data[p->where >> 1].box[p->where & 1];
        ashi_broad_tree_remove(broad, tree, number);
        ashi_broad_tree_insert(broad, tree, number, box);
    }
}

bool ashi_broad_update_tree(ashi_broad *broad, ashi_tasks *tasks)
{
    improve_tree(broad, false, tasks);
    improve_tree(broad, true, tasks);
    if (!ashi_broad_gather(broad, tasks, broad->changed.count, 64, find_of_changed) ||
        !ashi_broad_merge_found(broad, ashi_candidate_unchanged))
        return false;
    ashi_broad_unmark(broad);
    return true;
}

static bool visit_box(const ashi_broad *broad, const ashi_broad_tree *tree, const ash_bounds *box,
                      ashi_broad_visitor visit, void *user)
{
    uint32_t stack[STACK], height = 0;
    stack[height++] = 0;
    while (height > 0) {
        const ashi_broad_node *node = &tree->nodes.data[stack[--height]];
        for (uint32_t side = 0; side < 2; side++) {
            const ashi_float_box *f = &node->box[side];
            uint32_t child = node->child[side];
            ash_bounds outer = {{(double)f->lower[0], (double)f->lower[1], (double)f->lower[2]},
                                {(double)f->upper[0], (double)f->upper[1], (double)f->upper[2]}};
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

bool ashi_broad_tree_query_box(const ashi_broad *broad, const ash_bounds *box, ashi_broad_visitor visit, void *user)
{
    return visit_box(broad, &broad->trees[0], box, visit, user) && visit_box(broad, &broad->trees[1], box, visit, user);
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
        const ashi_float_box *f = &node->box[side];
        ash_bounds outer = {{(double)f->lower[0], (double)f->lower[1], (double)f->lower[2]},
                            {(double)f->upper[0], (double)f->upper[1], (double)f->upper[2]}};
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
