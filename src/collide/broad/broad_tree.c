/* The dynamic tree: inserting and removing leaves, and fitting boxes to them.
 *
 * A leaf is inserted where it adds least to the surface area of all boxes above leaves, which is proportional to the
 * number of boxes that a random query visits (the surface-area heuristic; MacDonald and Booth 1990). On the way back
 * up, each node may exchange a child with a grandchild when that makes a box smaller (Kopta et al. 2012). */
#include "collide/broad/broad_parts.h"
#include "math/vec3.h"

/* Margins: how far a box is enlarged on all sides, relative to its largest side, and by how many expected moves it is
 * extended ahead, but never by more than 1.5 times its largest side: very fast boxes are not worth predicting. Measured
 * with `ashlar bench broad`: twice the margin or half the moves costs up to a third more when all boxes move. With
 * grains that fall by half their size in a step (`silo`, 10 000 and 30 000 grains), the limit 1.5 takes 10 to 14 %
 * fewer instructions in a search than 1; 2 takes slightly more again. */
#define MARGIN     0.05
#define AHEAD      8
#define MOST_AHEAD 1.5

enum { FETCH_AHEAD = 8 };

static bool is_node(uint32_t child)
{
    return (child & ASHI_LEAF) == 0;
}

bool ashi_broad_tree_reserve(ashi_broad_tree *tree, uint32_t leaves)
{
    if (!ashi_array_reserve(&tree->nodes, (uint64_t)leaves + 1))
        return false;
    if (tree->nodes.count == 0) {
        const ashi_float_box nothing = ashi_float_nothing();
        tree->nodes.data[0] = (ashi_broad_node){{nothing, nothing}, {ASHI_NO_CHILD, ASHI_NO_CHILD}, ASHI_NO_CHILD, 1};
        tree->nodes.count = 1;
        tree->free_node = ASHI_NO_CHILD;
    }
    return true;
}

void ashi_broad_tree_release(ashi_broad_tree *tree)
{
    ashi_array_release(&tree->nodes);
}

static uint32_t take_node(ashi_broad_tree *tree)
{
    uint32_t node = tree->free_node;
    if (node == ASHI_NO_CHILD)
        return tree->nodes.count++;
    tree->free_node = tree->nodes.data[node].parent;
    return node;
}

static void give_back_node(ashi_broad_tree *tree, uint32_t node)
{
    tree->nodes.data[node].parent = tree->free_node;
    tree->free_node = node;
}

static void hang(ashi_broad *broad, ashi_broad_tree *tree, uint32_t where, uint32_t child, ashi_float_box box)
{
    ashi_broad_node *node = &tree->nodes.data[where >> 1];
    node->child[where & 1] = child;
    node->box[where & 1] = box;
    if (child == ASHI_NO_CHILD)
        return;
    if (is_node(child))
        tree->nodes.data[child].parent = where;
    else
        broad->proxies.data[child & ~ASHI_LEAF].where = where;
}

static void hang_empty(ashi_broad *broad, ashi_broad_tree *tree, uint32_t where)
{
    hang(broad, tree, where, ASHI_NO_CHILD, ashi_float_nothing());
}

static ashi_float_box box_of_node(const ashi_broad_node *node)
{
    return ashi_float_union(&node->box[0], &node->box[1]);
}

static uint32_t height_above(const ashi_broad_tree *tree, uint32_t child)
{
    return is_node(child) ? tree->nodes.data[child].height : 0;
}

static uint32_t height_of(const ashi_broad_tree *tree, const ashi_broad_node *node)
{
    uint32_t left = height_above(tree, node->child[0]), right = height_above(tree, node->child[1]);
    return 1 + (left > right ? left : right);
}

/* Exchanges a child of the node with a child of the other child, if that makes the other child's box smaller. This can
 * increase its height; high ones are left alone, so that inserting or removing one leaf adds at most 2 to the tree's
 * height. */
static void rotate(ashi_broad *broad, ashi_broad_tree *tree, uint32_t number)
{
    ashi_broad_node *node = &tree->nodes.data[number];
    if (height_of(tree, node) > ASHI_BROAD_HEIGHT / 2)
        return;
    float best = 0;
    uint32_t best_side = 0, best_grandchild = 0;
    for (uint32_t side = 0; side < 2; side++) {
        if (!is_node(node->child[side]))
            continue;
        const ashi_broad_node *inner = &tree->nodes.data[node->child[side]];
        float before = ashi_float_area(&node->box[side]);
        for (uint32_t k = 0; k < 2; k++) {
            ashi_float_box box = ashi_float_union(&node->box[1 - side], &inner->box[1 - k]);
            float gain = before - ashi_float_area(&box);
            if (gain > best) {
                best = gain;
                best_side = side;
                best_grandchild = k;
            }
        }
    }
    if (!(best > 0))
        return;
    uint32_t inner_number = node->child[best_side], uncle = node->child[1 - best_side];
    ashi_broad_node *inner = &tree->nodes.data[inner_number];
    ashi_float_box uncle_box = node->box[1 - best_side];
    hang(broad, tree, number << 1 | (1 - best_side), inner->child[best_grandchild], inner->box[best_grandchild]);
    hang(broad, tree, inner_number << 1 | best_grandchild, uncle, uncle_box);
    node->box[best_side] = box_of_node(inner);
    inner->height = height_of(tree, inner);
}

static bool same_box(const ashi_float_box *a, const ashi_float_box *b)
{
    return a->end[0] == b->end[0] && a->end[1] == b->end[1] && a->end[2] == b->end[2] && a->end[3] == b->end[3] &&
           a->end[4] == b->end[4] && a->end[5] == b->end[5];
}

/* Updates boxes and heights from a node upwards, as far as they change. */
static void settle(ashi_broad *broad, ashi_broad_tree *tree, uint32_t number)
{
    for (;;) {
        ashi_broad_node *node = &tree->nodes.data[number];
        rotate(broad, tree, number);
        uint32_t height = height_of(tree, node), parent = node->parent;
        bool same_height = height == node->height;
        node->height = height;
        if (parent == ASHI_NO_CHILD)
            return;
        ashi_float_box box = box_of_node(node), *above = &tree->nodes.data[parent >> 1].box[parent & 1];
        if (same_height && same_box(&box, above))
            return;
        *above = box;
        number = parent >> 1;
    }
}

/* Puts a new node at `where`, with the former child and the leaf below it. */
static void pair_up(ashi_broad *broad, ashi_broad_tree *tree, uint32_t where, uint32_t leaf, ashi_float_box box)
{
    uint32_t number = take_node(tree), child = tree->nodes.data[where >> 1].child[where & 1];
    ashi_float_box child_box = tree->nodes.data[where >> 1].box[where & 1];
    hang(broad, tree, number << 1, child, child_box);
    hang(broad, tree, number << 1 | 1, leaf, box);
    hang(broad, tree, where, number, ashi_float_union(&child_box, &box));
    tree->nodes.data[number].height = 1 + height_above(tree, child);
    settle(broad, tree, where >> 1);
}

/* Copies a node to another number and updates its children. */
static void renumber(ashi_broad *broad, ashi_broad_tree *tree, uint32_t from, uint32_t to)
{
    const ashi_broad_node node = tree->nodes.data[from];
    for (uint32_t side = 0; side < 2; side++)
        hang(broad, tree, to << 1 | side, node.child[side], node.box[side]);
    tree->nodes.data[to].height = node.height;
}

/* Puts the leaf beside the whole tree: the root's content moves down. */
static void pair_with_root(ashi_broad *broad, ashi_broad_tree *tree, uint32_t leaf, ashi_float_box box)
{
    uint32_t number = take_node(tree);
    renumber(broad, tree, 0, number);
    hang(broad, tree, 0, number, box_of_node(&tree->nodes.data[number]));
    hang(broad, tree, 1, leaf, box);
    settle(broad, tree, 0);
}

/* The cheapest place for the box: the node's side to pair up with, or ASHI_NO_CHILD beside the whole tree. A pair costs
 * its own box plus the growth of all boxes above it. */
static uint32_t find_sibling(const ashi_broad_tree *tree, const ashi_float_box *box)
{
    ashi_float_box whole = box_of_node(&tree->nodes.data[0]), with = ashi_float_union(&whole, box);
    float here = ashi_float_area(&with), added = here - ashi_float_area(&whole); /* cost of pairing here, and of going
                                                                                    below */
    uint32_t where = ASHI_NO_CHILD, number = 0;
    for (;;) {
        const ashi_broad_node *node = &tree->nodes.data[number];
        float below[2], pairing[2], more[2];
        for (uint32_t side = 0; side < 2; side++) {
            with = ashi_float_union(&node->box[side], box);
            float area = ashi_float_area(&with);
            more[side] = area - ashi_float_area(&node->box[side]);
            pairing[side] = added + area;
            /* Below an inner node the cost is at least the growth of its box plus the leaf's own box. */
            below[side] = is_node(node->child[side]) ? added + more[side] + ashi_float_area(box) : pairing[side];
        }
        uint32_t side = below[1] < below[0];
        if (here <= below[side])
            return where;
        where = number << 1 | side;
        if (!is_node(node->child[side]))
            return where;
        here = pairing[side];
        added += more[side];
        number = node->child[side];
    }
}

static void keep_low(ashi_broad *broad, ashi_broad_tree *tree)
{
    if (tree->nodes.data[0].height > ASHI_BROAD_HEIGHT)
        ashi_broad_tree_build(broad, tree);
}

void ashi_broad_tree_insert(ashi_broad *broad, ashi_broad_tree *tree, uint32_t proxy, ashi_float_box box)
{
    uint32_t leaf = ASHI_LEAF | proxy;
    tree->count++;
    tree->insertions++;
    for (uint32_t side = 0; side < 2; side++) {
        if (tree->nodes.data[0].child[side] == ASHI_NO_CHILD) {
            hang(broad, tree, side, leaf, box);
            tree->nodes.data[0].height = height_of(tree, &tree->nodes.data[0]);
            return;
        }
    }
    uint32_t where = find_sibling(tree, &box);
    if (where == ASHI_NO_CHILD)
        pair_with_root(broad, tree, leaf, box);
    else
        pair_up(broad, tree, where, leaf, box);
    keep_low(broad, tree);
}

void ashi_broad_tree_remove(ashi_broad *broad, ashi_broad_tree *tree, uint32_t proxy)
{
    uint32_t where = broad->proxies.data[proxy].where, number = where >> 1;
    const ashi_broad_node node = tree->nodes.data[number];
    uint32_t sibling = node.child[1 - (where & 1)];
    tree->count--;
    if (number != 0) {
        hang(broad, tree, node.parent, sibling, node.box[1 - (where & 1)]);
        give_back_node(tree, number);
        settle(broad, tree, node.parent >> 1);
        keep_low(broad, tree);
    } else if (sibling != ASHI_NO_CHILD && is_node(sibling)) {
        renumber(broad, tree, sibling, 0);
        give_back_node(tree, sibling);
    } else {
        hang_empty(broad, tree, where);
    }
}

void ashi_broad_tree_fit(ashi_broad_tree *tree, uint32_t where)
{
    const ashi_float_box box = tree->nodes.data[where >> 1].box[where & 1];
    for (where = tree->nodes.data[where >> 1].parent; where != ASHI_NO_CHILD;
         where = tree->nodes.data[where >> 1].parent) {
        ashi_float_box *above = &tree->nodes.data[where >> 1].box[where & 1];
        ashi_float_box sum = ashi_float_union(above, &box);
        if (same_box(&sum, above))
            return;
        *above = sum;
    }
}

/* Rounding to nearest errs by less than the amount subtracted, even for denormal floats. Coordinates are far from
 * overflow. */
static float round_down(double x)
{
    return (float)(x - (fabs(x) * 0x1p-23 + 0x1p-126));
}

/* A box of floats that encloses the box with some clearance on each side, so that touching boxes become overlapping
 * ones. */
static ashi_float_box float_box_around(const ash_bounds *box)
{
    return (ashi_float_box){{round_down(box->lower.x), round_down(box->lower.y), round_down(box->lower.z),
                             round_down(-box->upper.x), round_down(-box->upper.y), round_down(-box->upper.z)}};
}

static void enlarge_along(double *lower, double *upper, double motion, double size)
{
    double ahead = AHEAD * motion, most = MOST_AHEAD * size;
    ahead = ahead > most ? most : ahead < -most ? -most : ahead == ahead ? ahead : 0;
    *lower -= MARGIN * size - (ahead < 0 ? ahead : 0);
    *upper += MARGIN * size + (ahead > 0 ? ahead : 0);
}

static ashi_float_box enlarged(const ash_bounds *exact, ash_vec3 motion)
{
    ash_bounds box = *exact;
    double x = box.upper.x - box.lower.x, y = box.upper.y - box.lower.y, z = box.upper.z - box.lower.z;
    double size = x > y ? x : y;
    size = size > z ? size : z;
    enlarge_along(&box.lower.x, &box.upper.x, motion.x, size);
    enlarge_along(&box.lower.y, &box.upper.y, motion.y, size);
    enlarge_along(&box.lower.z, &box.upper.z, motion.z, size);
    return float_box_around(&box);
}

void ashi_broad_tree_enter(ashi_broad *broad, uint32_t proxy, ash_vec3 motion)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    p->displaced = false;
    ashi_broad_tree_insert(broad, &broad->trees[p->moves], proxy, enlarged(&p->box, motion));
}

void ashi_broad_tree_leave(ashi_broad *broad, uint32_t proxy)
{
    ashi_broad_tree_remove(broad, &broad->trees[broad->proxies.data[proxy].moves], proxy);
}

/* The box lies inside its enlarged one, which is not much larger than a new one would be: so boxes that have slowed
 * down or shrunk lose an excessive margin. */
static bool still_fits(const ashi_float_box *enlarged_box, const ash_bounds *box, ash_vec3 motion)
{
    const ash_bounds outer = ashi_bounds_of(enlarged_box);
    if (!(outer.lower.x <= box->lower.x && box->upper.x <= outer.upper.x && outer.lower.y <= box->lower.y &&
          box->upper.y <= outer.upper.y && outer.lower.z <= box->lower.z && box->upper.z <= outer.upper.z))
        return false;
    ash_vec3 wide = v3_sub(outer.upper, outer.lower), sides = v3_sub(box->upper, box->lower);
    double size = v3_max_component(sides), ahead = fabs(motion.x) + fabs(motion.y) + fabs(motion.z);
    double slack = 6 * MARGIN * size + AHEAD * ahead;
    double rounding = 0x1p-19 * (v3_max_component(v3_abs(outer.lower)) + v3_max_component(v3_abs(outer.upper)));
    return wide.x + wide.y + wide.z <= sides.x + sides.y + sides.z + 2 * slack + rounding;
}

bool ashi_broad_tree_holds(const ashi_broad *broad, uint32_t proxy, const ash_bounds *box, ash_vec3 motion)
{
    const ashi_proxy *p = &broad->proxies.data[proxy];
    const ashi_broad_tree *tree = &broad->trees[p->moves];
    /* Boxes are usually moved in the order of their proxies; their leaves are scattered in memory. */
    if (proxy + FETCH_AHEAD < broad->proxies.count)
        __builtin_prefetch(&tree->nodes.data[broad->proxies.data[proxy + FETCH_AHEAD].where >> 1]);
    return still_fits(&tree->nodes.data[p->where >> 1].box[p->where & 1], box, motion);
}

void ashi_broad_tree_move(ashi_broad *broad, uint32_t proxy, ash_vec3 motion)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    ashi_broad_tree *tree = &broad->trees[p->moves];
    if (ashi_broad_tree_holds(broad, proxy, &p->box, motion))
        return;
    tree->nodes.data[p->where >> 1].box[p->where & 1] = enlarged(&p->box, motion);
    p->displaced = true;
    tree->unfitted = true;
    ashi_broad_mark(broad, proxy);
}
