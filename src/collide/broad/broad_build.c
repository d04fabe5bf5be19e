/* Building a tree from all its leaves at once: each set of leaves is split along the axis on which its centres spread
 * most, at the best of a few planes by the surface-area heuristic (Wald 2007). Below a depth that only unusual sets
 * reach, sets are halved, so that no tree is higher than HALVE_BELOW + 31. Nodes are stored in the order of a
 * traversal: a set of k leaves takes k - 1 consecutive nodes. */
#include "collide/broad/broad_parts.h"

enum { BINS = 8, HALVE_BELOW = 64 };

/* All leaves into broad->leaves, in the order of the tree. */
static void collect_leaves(ashi_broad *broad, const ashi_broad_tree *tree)
{
    uint32_t count = 0, number = 0, side = 0;
    for (;;) { /* follows the parents' numbers, since the tree may be too high for a traversal with a stack */
        const ashi_broad_node *node = &tree->nodes.data[number];
        uint32_t child = side < 2 ? node->child[side] : ASHI_NO_CHILD;
        if (side == 2) {
            if (node->parent == ASHI_NO_CHILD)
                break;
            side = (node->parent & 1) + 1;
            number = node->parent >> 1;
        } else if (child == ASHI_NO_CHILD) {
            side++;
        } else if ((child & ASHI_LEAF) != 0) {
            broad->leaves.data[count++] = (ashi_tree_leaf){node->box[side], child & ~ASHI_LEAF};
            side++;
        } else {
            number = child;
            side = 0;
        }
    }
    broad->leaves.count = count;
}

/* Twice the centre. */
static float centre(const ashi_tree_leaf *leaf, int axis)
{
    return leaf->box.end[axis] - leaf->box.end[axis + 3];
}

typedef struct cut {
    int axis;
    float low, bins_per_length; /* of doubled centres */
    int first_right;            /* bin */
} cut;

static int bin_of(const cut *c, const ashi_tree_leaf *leaf)
{
    int bin = (int)((centre(leaf, c->axis) - c->low) * c->bins_per_length);
    return bin < BINS ? bin : BINS - 1;
}

/* The axis along which the centres spread most; false when they all coincide. */
static bool choose_axis(const ashi_tree_leaf *leaves, uint32_t count, cut *c)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            float x = centre(&leaves[i], k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    c->axis = 0;
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[c->axis] - low[c->axis])
            c->axis = k;
    c->low = low[c->axis];
    c->bins_per_length = (float)BINS / (high[c->axis] - low[c->axis]);
    return high[c->axis] > low[c->axis] && c->bins_per_length <= FLT_MAX;
}

static void choose_plane(const ashi_tree_leaf *leaves, uint32_t count, cut *c)
{
    ashi_float_box boxes[BINS], sum = ashi_float_nothing();
    uint32_t counts[BINS] = {0}, left = 0, right = 0;
    float right_cost[BINS], best = FLT_MAX;
    for (int i = 0; i < BINS; i++)
        boxes[i] = ashi_float_nothing();
    for (uint32_t i = 0; i < count; i++) {
        int bin = bin_of(c, &leaves[i]);
        boxes[bin] = ashi_float_union(&boxes[bin], &leaves[i].box);
        counts[bin]++;
    }
    for (int i = BINS - 1; i > 0; i--) {
        sum = ashi_float_union(&sum, &boxes[i]);
        right += counts[i];
        right_cost[i] = right != 0 ? (float)right * ashi_float_area(&sum) : 0;
    }
    sum = ashi_float_nothing();
    c->first_right = 1;
    for (int i = 1; i < BINS; i++) {
        sum = ashi_float_union(&sum, &boxes[i - 1]);
        left += counts[i - 1];
        float cost = (float)left * ashi_float_area(&sum) + right_cost[i];
        if (cost < best) {
            best = cost;
            c->first_right = i;
        }
    }
}

/* Moves the leaves of the left part to the front and returns their number, which is never 0 or all. */
static uint32_t divide(ashi_tree_leaf *leaves, uint32_t count, uint32_t depth)
{
    cut c;
    if (count == 2 || depth > HALVE_BELOW || !choose_axis(leaves, count, &c))
        return count / 2;
    choose_plane(leaves, count, &c);
    uint32_t i = 0, k = count;
    while (i < k) {
        if (bin_of(&c, &leaves[i]) < c.first_right) {
            i++;
            continue;
        }
        ashi_tree_leaf swap = leaves[i];
        leaves[i] = leaves[--k];
        leaves[k] = swap;
    }
    return i > 0 && i < count ? i : count / 2;
}

/* Builds nodes [number, number + count - 1) over leaves [begin, begin + count), count at least 2. */
static ashi_float_box build_nodes(ashi_broad *broad, ashi_broad_tree *tree, uint32_t begin, uint32_t count,
                                  uint32_t number, uint32_t depth)
{
    ashi_tree_leaf *leaves = broad->leaves.data + begin;
    uint32_t left = divide(leaves, count, depth);
    uint32_t begins[2] = {begin, begin + left}, counts[2] = {left, count - left};
    uint32_t numbers[2] = {number + 1, number + left};
    ashi_broad_node *node = &tree->nodes.data[number];
    node->height = 1;
    for (uint32_t side = 0; side < 2; side++) {
        const ashi_tree_leaf *leaf = &broad->leaves.data[begins[side]];
        if (counts[side] == 1) {
            node->box[side] = leaf->box;
            node->child[side] = ASHI_LEAF | leaf->proxy;
            broad->proxies.data[leaf->proxy].where = number << 1 | side;
            continue;
        }
        node->box[side] = build_nodes(broad, tree, begins[side], counts[side], numbers[side], depth + 1);
        node->child[side] = numbers[side];
        ashi_broad_node *below = &tree->nodes.data[numbers[side]];
        below->parent = number << 1 | side;
        node->height = node->height > below->height ? node->height : below->height + 1;
    }
    return ashi_float_union(&node->box[0], &node->box[1]);
}

/* Sums of surface areas: of leaves, and of the boxes above them. */
typedef struct surfaces {
    double leaves, above;
} surfaces;

static ashi_float_box fit_node(ashi_broad_tree *tree, uint32_t number, surfaces *sum)
{
    ashi_broad_node *node = &tree->nodes.data[number];
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t child = node->child[side];
        if (child == ASHI_NO_CHILD)
            continue;
        if ((child & ASHI_LEAF) == 0)
            node->box[side] = fit_node(tree, child, sum);
        *((child & ASHI_LEAF) == 0 ? &sum->above : &sum->leaves) += (double)ashi_float_area(&node->box[side]);
    }
    return ashi_float_union(&node->box[0], &node->box[1]);
}

double ashi_broad_tree_fit_all(ashi_broad_tree *tree)
{
    surfaces sum = {0, 0};
    fit_node(tree, 0, &sum);
    tree->insertions = 0;
    return sum.leaves > 0 ? sum.above / sum.leaves : 0;
}

void ashi_broad_tree_build(ashi_broad *broad, ashi_broad_tree *tree)
{
    collect_leaves(broad, tree);
    if (tree->count < 2)
        return;
    tree->free_node = ASHI_NO_CHILD;
    tree->nodes.count = tree->count - 1;
    build_nodes(broad, tree, 0, tree->count, 0, 0);
    tree->nodes.data[0].parent = ASHI_NO_CHILD;
    tree->cost_when_built = ashi_broad_tree_fit_all(tree);
    tree->count_when_built = tree->count;
}
