/* Contacts of convex bodies with surfaces of triangles (meshes and height fields).
 *
 * A triangle alone would give false contacts: a body that slides over a flat floor would bump into the edges inside it.
 * So a contact's normal must lie in the region that the triangle's neighbours leave to the touched feature: on a face
 * the normal of the face; on an edge or corner the directions from which it is nearer than its neighbours. Other
 * contacts are "doubtful": such a contact becomes one with the face, and is dropped if another, shallower contact would
 * free the body from this triangle too. If a body is deep in a flat floor, its lowest point may lie behind a triangle
 * that it does not touch; that point counts if the floor is touched elsewhere.
 *
 * Triangles are one-sided: outside is where they are seen counter-clockwise. A body completely behind a triangle's
 * plane does not touch it. Consequences for a body that is deep in the surface:
 *  - A mesh is closed and has an inside. A body that overlaps it deeply, or is completely inside, leaves along a single
 *    normal, which all its contacts have (escape.h): out of a convex mesh by the shortest way of all, out of another
 *    mesh by the shortest way known to free it. A body that has passed through a thin mesh by more than half of its
 *    thickness leaves on the far side; continuous stepping, not the narrow phase, prevents this.
 *  - A height field is an open sheet that is solid only from above. A body that penetrates it is pushed up and out as
 *    long as a part of it is above; a body completely below is free. The depth changes no faster than the body moves
 *    (doubt.c). */
#ifndef ASHI_COLLIDE_SURFACE_SURFACE_H
#define ASHI_COLLIDE_SURFACE_SURFACE_H

#include "collide/convex/convex.h"
#include "collide/manifold.h"
#include "shape/triangle.h"

typedef struct ashi_facet {
    ash_vec3 corners[3]; /* counter-clockwise seen from outside; edge k leads from corner k to the next */
    ash_vec3 normal;     /* outward, unit */
    uint32_t number;
} ashi_facet;

typedef struct ashi_gathering ashi_gathering;

/* The common interface of meshes and height fields. */
typedef struct ashi_facet_source {
    const ash_geometry *geometry;
    bool closed; /* a mesh: it has an inside */
    /* Calls ashi_gather for the triangles whose boxes overlap a box; false when memory ran out. */
    bool (*walk)(ashi_gathering *gathering, const ash_bounds *box);
    ashi_facet (*facet)(const ash_geometry *geometry, uint32_t number);
    /* The normal of the neighbour across an edge; false for an edge that has none. */
    bool (*beyond)(const ash_geometry *geometry, const ashi_facet *facet, int edge, ash_vec3 *normal);
    /* Whether no edge that leaves the corner has more than `tolerance` of the unit direction along it. */
    bool (*corner_keeps)(const ash_geometry *geometry, const ashi_facet *facet, int corner, ash_vec3 direction,
                         double tolerance);
    /* A direction that points outward at a corner. */
    ash_vec3 (*corner_normal)(const ash_geometry *geometry, const ashi_facet *facet, int corner);
    /* Whether this triangle, of those that share a corner or an edge, owns it. */
    bool (*owns_corner)(const ash_geometry *geometry, uint32_t triangle, int corner);
    bool (*owns_edge)(const ash_geometry *geometry, uint32_t triangle, int edge);
    /* Whether the surface around a corner lies in one plane. */
    bool (*corner_is_flat)(const ash_geometry *geometry, const ashi_facet *facet, int corner);
} ashi_facet_source;

/* The interface of a mesh or a height field. */
ashi_facet_source ashi_surface_of(const ash_geometry *geometry);
/* The interfaces of both kinds, without a geometry. */
extern const ashi_facet_source ashi_mesh_surface, ashi_height_field_surface;

/* Where a direction from a feature of the surface leads. */
typedef enum ashi_region { ASHI_REGION_OTHER, ASHI_REGION_OUTSIDE, ASHI_REGION_INSIDE } ashi_region;

/* Whether the feature is the nearest of its surroundings for points along `direction` (unit) from it. */
ashi_region ashi_facet_region(const ashi_facet_source *surface, const ashi_facet *facet, ashi_feature feature,
                              ash_vec3 direction);

/* Whether the neighbour across an edge lies in the same plane. */
bool ashi_facet_is_flat_at(const ashi_facet_source *surface, const ashi_facet *facet, int edge);

/* `direction` itself, or the normal of the face or its neighbour when it is one of these except for rounding. */
ash_vec3 ashi_facet_clean_normal(const ashi_facet_source *surface, const ashi_facet *facet, ashi_feature feature,
                                 ash_vec3 direction);

/* A convex body in the frame of the surface. */
typedef struct ashi_visitor {
    const ash_geometry *geometry;
    ashi_convex core;
    ash_transform pose;
    double margin;
    double size; /* the longest side of its box: the scale for "the same point" */
} ashi_visitor;

typedef enum ashi_facet_touch {
    ASHI_TOUCH_NONE,
    ASHI_TOUCH_SURE,
    ASHI_TOUCH_DOUBTFUL,
    ASHI_TOUCH_INNER, /* touched inside a flat floor, away from corners of the body and of the floor */
    ASHI_TOUCH_INNER_DOUBTFUL,
    ASHI_TOUCH_BEHIND /* not touched, but the body's lowest point is under the face: it entered through a neighbour */
} ashi_facet_touch;

/* The contact of the body with one triangle. The manifold's normal points out of the surface, its points lie on the
 * body, all in the frame of the surface. */
ashi_facet_touch ashi_facet_contact(const ashi_facet_source *surface, const ashi_visitor *visitor,
                                    const ashi_facet *facet, ashi_manifold *manifold);

/* Gathering of contacts. Doubtful ones wait until all certain ones are known, at most this many; further ones are
 * judged by the contacts known so far. */
#define ASHI_DOUBTFUL_MOST 256
#define ASHI_FLOORS_MOST   16

/* A touched plane of the surface. */
typedef struct ashi_floor {
    ash_vec3 normal;
    double level; /* along the normal */
} ashi_floor;

typedef struct ashi_doubtful {
    uint32_t number;
    int feature;   /* -1: the face; 0 to 2: an edge that the body crosses; 3 to 5: a corner that penetrates the body */
    bool required; /* the body must be freed from the triangle; otherwise it contributes only a candidate normal */
    bool behind;
    double depth;
    ash_vec3 normal;
    double bottom; /* of the body along the normal */
    double needed; /* how far the body must move along the normal; -INFINITY: the contact is not needed */
} ashi_doubtful;

struct ashi_gathering {
    const ashi_facet_source *surface;
    ashi_visitor visitor;
    ashi_manifolds *manifolds;
    uint32_t first;                /* number of this pair's first manifold */
    const uint32_t *kept;          /* features from the pair's cache; may be null */
    const struct ashi_escape *way; /* if set, the points of the first manifold are gathered along this way out */
    bool doubted;                  /* some touched triangle was doubtful */
    bool untouched;                /* triangles that are not touched are searched for candidate normals */
    uint32_t doubtful_count, floor_count;
    ashi_floor floors[ASHI_FLOORS_MOST]; /* those without points so far; more than these are dropped */
    ashi_doubtful doubtful[ASHI_DOUBTFUL_MOST];
};

/* Collides the body with one triangle; false when memory ran out. */
bool ashi_gather(ashi_gathering *gathering, uint32_t triangle);

/* Adds a contact to the manifold of its normal, or as a new one; false when memory ran out. */
bool ashi_gathering_merge(ashi_gathering *gathering, const ashi_manifold *found);
/* The same for a point behind a triangle, which counts if the plane of that triangle is touched. */
bool ashi_gathering_merge_behind(ashi_gathering *gathering, const ashi_facet *facet, const ashi_manifold *found);
/* Adds points to a manifold, which is reduced first if necessary. */
void ashi_gathering_add_points(ashi_gathering *gathering, ashi_manifold *manifold, const ashi_manifold *more);
double ashi_manifold_deepest(const ashi_manifold *manifold);

/* Records a doubtful contact. False when memory ran out. */
bool ashi_doubt(ashi_gathering *gathering, uint32_t number, int feature, bool required, bool behind,
                const ashi_manifold *found);
/* Adds those recorded contacts that are needed. False when memory ran out. */
bool ashi_judge_doubtful(ashi_gathering *gathering);

#endif
