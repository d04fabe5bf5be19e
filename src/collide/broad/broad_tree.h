/* A tree of enlarged boxes over the proxies of a broad phase, all in one array.
 *
 * A node holds the boxes of both its children, so that one cache line decides about both; leaves are not nodes but
 * marked proxy numbers. Boxes are floats, rounded outwards. Node 0 is the root and always exists; only the root may
 * have empty sides. */
#ifndef ASHI_COLLIDE_BROAD_BROAD_TREE_H
#define ASHI_COLLIDE_BROAD_BROAD_TREE_H

#include "ashlar/geometry.h"
#include "base/array.h"

#include <float.h>

/* Lower ends along x, y, z, then upper ends with the sign changed: the union of two boxes is then a minimum by
 * component. */
typedef struct ashi_float_box {
    float end[6];
} ashi_float_box;

typedef struct ashi_broad_node {
    ashi_float_box box[2]; /* of the children */
    uint32_t child[2];     /* a node, ASHI_LEAF | proxy, or ASHI_NO_CHILD */
    uint32_t parent;       /* node << 1 | side; of the root ASHI_NO_CHILD; of a free node the next free one */
    uint32_t height;       /* nodes on the longest path down, itself included */
} ashi_broad_node;

#define ASHI_LEAF        0x80000000u
#define ASHI_NO_CHILD    UINT32_MAX
#define ASHI_MOST_LEAVES 0x7ffffffeu

/* Higher trees are rebuilt, so a traversal needs no more stack than this. A new tree is lower: see broad_build.c. */
#define ASHI_BROAD_HEIGHT 128

typedef struct ashi_tree_leaf {
    ashi_float_box box;
    uint32_t proxy;
} ashi_tree_leaf;

typedef struct ashi_broad_tree {
    ASHI_ARRAY(ashi_broad_node) nodes;
    uint32_t free_node;  /* ASHI_NO_CHILD: none */
    uint32_t count;      /* of leaves */
    uint32_t insertions; /* since the whole tree was last fitted or built */
    bool unfitted;       /* boxes may not enclose those of displaced leaves below them */
    double cost_when_built;
    uint32_t count_when_built;
} ashi_broad_tree;

static inline ashi_float_box ashi_float_union(const ashi_float_box *a, const ashi_float_box *b)
{
    ashi_float_box sum;
    for (int k = 0; k < 6; k++)
        sum.end[k] = a->end[k] < b->end[k] ? a->end[k] : b->end[k];
    return sum;
}

/* Half of the surface area. */
static inline float ashi_float_area(const ashi_float_box *a)
{
    float x = a->end[0] + a->end[3], y = a->end[1] + a->end[4], z = a->end[2] + a->end[5]; /* minus the sides */
    return x * y + y * z + z * x;
}

static inline ash_bounds ashi_bounds_of(const ashi_float_box *a)
{
    return (ash_bounds){{(double)a->end[0], (double)a->end[1], (double)a->end[2]},
                        {(double)-a->end[3], (double)-a->end[4], (double)-a->end[5]}};
}

/* The empty box: its union with another box is that box. */
static inline ashi_float_box ashi_float_nothing(void)
{
    return (ashi_float_box){{FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}};
}

/* Makes room for that many leaves, after which nothing below can fail. */
bool ashi_broad_tree_reserve(ashi_broad_tree *tree, uint32_t leaves);
void ashi_broad_tree_release(ashi_broad_tree *tree);

/* Operations on one tree. They keep `where` of the proxies: the node and side of their leaf, node << 1 | side. */
struct ashi_broad;
void ashi_broad_tree_insert(struct ashi_broad *broad, ashi_broad_tree *tree, uint32_t proxy, ashi_float_box box);
void ashi_broad_tree_remove(struct ashi_broad *broad, ashi_broad_tree *tree, uint32_t proxy);
/* Enlarges the boxes above a leaf whose box was set. */
void ashi_broad_tree_fit(ashi_broad_tree *tree, uint32_t where);
/* Makes all boxes above leaves as small as they can be. Returns the cost of a search: the sum of their surface areas,
 * relative to that of the leaves. */
double ashi_broad_tree_fit_all(ashi_broad_tree *tree);
/* Rebuilds the whole tree from its leaves, which are afterwards in broad->leaves from left to right. */
void ashi_broad_tree_build(struct ashi_broad *broad, ashi_broad_tree *tree);

/* The kind's part of adding, removing and moving. */
void ashi_broad_tree_enter(struct ashi_broad *broad, uint32_t proxy, ash_vec3 motion);
void ashi_broad_tree_leave(struct ashi_broad *broad, uint32_t proxy);
/* Whether the leaf can stay unchanged for this box. */
bool ashi_broad_tree_holds(const struct ashi_broad *broad, uint32_t proxy, const ash_bounds *box, ash_vec3 motion);
void ashi_broad_tree_move(struct ashi_broad *broad, uint32_t proxy, ash_vec3 motion);
bool ashi_broad_tree_query_box(const struct ashi_broad *broad, const ash_bounds *box, bool moving,
                               bool (*visit)(uint32_t item, void *user), void *user);
bool ashi_broad_tree_query_ray(const struct ashi_broad *broad, ash_ray *ray, const ash_vec3 *radius,
                               double (*visit)(uint32_t item, double reach, void *user), void *user);

#endif
