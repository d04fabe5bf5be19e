/* Where two geometries touch: a normal and a few points.
 *
 * Everything is in the frame of geometry a. The normal is a unit vector from a to b. The depth of a point is positive
 * where the two overlap and negative across a gap; points with a gap up to the pair's margin are kept ("speculative").
 * The point on b is on_a - depth * normal. */
#ifndef ASHI_COLLIDE_MANIFOLD_H
#define ASHI_COLLIDE_MANIFOLD_H

#include "ashlar/geometry.h"
#include "base/array.h"
#include "math/transform.h"

#define ASHI_MANIFOLD_POINTS 4 /* after reduction; flat worlds have 2 */
#define ASHI_MANIFOLD_MOST   32
#define ASHI_KEPT_GROUPS     2 /* manifolds of a pair whose choice of points is remembered */
#define ASHI_KEPT_MOST       (ASHI_KEPT_GROUPS * ASHI_MANIFOLD_POINTS)

typedef struct ashi_manifold_point {
    ash_vec3 on_a;    /* on the surface of a */
    double depth;     /* m */
    uint32_t feature; /* not 0; the same from step to step while the same features touch */
} ashi_manifold_point;

typedef struct ashi_manifold {
    ash_vec3 normal;
    uint32_t part_a, part_b; /* triangle, cell or compound part; 0 for simple kinds */
    uint32_t inner;          /* of compounds in compounds: the parts of parts, as mixed into the features; else 0 */
    uint32_t axis;           /* compounds: of the two parts, as in a pair's cache; 0 for others */
    uint32_t count;
    ashi_manifold_point points[ASHI_MANIFOLD_MOST];
} ashi_manifold;

typedef ASHI_ARRAY(ashi_manifold) ashi_manifolds;

/* Data that a pair function keeps for a pair of shapes from step to step. All zero for a new pair. It may speed up a
 * function or decide between equals, but never whether there is a contact. */
typedef struct ashi_pair_cache {
    uint32_t axis;                 /* SAT: 1 + number of the last separating or deepest axis; 0: none */
    ash_vec3 direction;            /* GJK: last separating direction in a's frame; zero: none */
    uint32_t kept[ASHI_KEPT_MOST]; /* features that the last reduction kept, four for each manifold; 0: none */
} ashi_pair_cache;

struct ashi_contact_record;
struct ashi_point_record;

/* The contacts of a pair in the last step. Compounds have any number of pairs of parts, so for them the cached data is
 * read from these contacts. All zero: none. */
typedef struct ashi_last {
    const struct ashi_contact_record *contacts;
    const struct ashi_point_record *points; /* of all pairs, as the contacts count them */
    uint32_t count;
    bool mirrored;             /* a and b of the pair in question are b and a of the contacts */
    bool entered_a, entered_b; /* whether the present query is about a part; the outermost part: */
    uint32_t part_a, part_b;
    uint32_t inner; /* the parts inside it */
} ashi_last;

typedef struct ashi_pair {
    const ash_geometry *a, *b;
    ash_transform b_in_a;   /* pose of b seen from a */
    double margin;          /* gaps up to this are contacts, m, >= 0 */
    bool keep_all_points;   /* no reduction to 4 (flat: 2) points */
    ashi_pair_cache *cache; /* may be null */
    ashi_last last;
} ashi_pair;

/* Appends the manifolds of a pair. False when memory ran out. No allocation when `manifolds` has room. */
typedef bool (*ashi_pair_function)(const ashi_pair *pair, ashi_manifolds *manifolds);

/* The manifolds of any two geometries, in any order of kinds. None for pairs that cannot collide: two planes, two
 * height fields. */
bool ashi_collide(const ashi_pair *pair, ashi_manifolds *manifolds);
/* Whether there is a pair function for two kinds. */
bool ashi_can_collide(const ash_geometry *a, const ash_geometry *b);
/* Whether a geometry, or a part of it, is of a kind that does not collide with its own kind: a plane or a height
 * field. */
bool ashi_has_sheet(const ash_geometry *geometry);
/* Searches two geometries, or their parts, for two without a pair function. */
bool ashi_find_unmet(const ash_geometry *a, const ash_geometry *b, ash_geometry_kind kinds[2]);

/* Replaces convex meshes by their hulls in pairs with planes, height fields and meshes. */
void ashi_stand_in(const ash_geometry **a, const ash_geometry **b);

/* Mirrors manifolds [first, count): a becomes b. */
void ashi_manifolds_mirror(ashi_manifolds *manifolds, uint32_t first, ash_transform b_in_a);

/* Keeps at most `most` (at most 4) points: the deepest, then those that span the largest area (ties by feature, so that
 * the choice is stable under small motions). */
void ashi_manifold_reduce(ashi_manifold *manifold, uint32_t most);

/* The same for a pair with a single manifold, unless it keeps all points: the features in its cache, if it has one, are
 * kept while they are nearly as good as a fresh choice, and recorded for the next step. */
void ashi_manifold_settle(ashi_manifold *manifold, uint32_t most, const ashi_pair *pair);

#endif
