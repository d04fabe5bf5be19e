/* Traversals of trees of boxes that do not depend on the contents of the leaves. */
#include "shape/box_tree.h"

#include "math/vec3.h"

ash_vec3 ashi_bounds_corner(const ash_bounds *box, ash_vec3 d)
{
    return v3(d.x < 0 ? box->lower.x : box->upper.x, d.y < 0 ? box->lower.y : box->upper.y,
              d.z < 0 ? box->lower.z : box->upper.z);
}

static double reach_of(const ashi_tree_node *node, ash_vec3 d)
{
    return v3_dot(ashi_bounds_corner(&node->bounds, d), d);
}

void ashi_farthest_offer(ashi_farthest *farthest, ash_vec3 point, ash_vec3 d)
{
    double reach = v3_dot(point, d);
    if (reach > farthest->reach)
        *farthest = (ashi_farthest){point, reach};
}

ash_vec3 ashi_box_tree_support(const ashi_tree_node *nodes, ash_vec3 d, ash_vec3 start, ashi_leaf_support leaf,
                               const void *owner)
{
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    ashi_farthest farthest = {start, v3_dot(start, d)};
    for (;;) {
        const ashi_tree_node *node = &nodes[number];
        if (reach_of(node, d) > farthest.reach) {
            if (node->count == 0) { /* the farther child first: the other one is then usually skipped */
                uint32_t one = number + 1, other = node->first;
                bool swap = reach_of(&nodes[other], d) > reach_of(&nodes[one], d);
                stack[depth++] = swap ? one : other;
                number = swap ? other : one;
                continue;
            }
            leaf(owner, node, d, &farthest);
        }
        if (depth == 0)
            return farthest.point;
        number = stack[--depth];
    }
}
