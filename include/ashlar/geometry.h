/* Geometry: immutable, reference-counted, shared by any number of shapes and worlds, usable without a world.
 *
 * Conventions: capsule, cylinder and cone lie along their local z axis, centred at half their height (the cone's apex
 * is at +z). Flat kinds lie in the local xy plane and exist in planar worlds only; the flat capsule lies along x; z of
 * points and rays is ignored. A plane is the half space below z = 0. A height field spans x and y, heights along z;
 * each cell is two triangles, split by its diagonal from (i, j) to (i + 1, j + 1), with solid ground below; rays enter
 * it only through this surface from above. A distance field is solid where the trilinear field is negative; it ends at
 * the sides of the grid.
 *
 * All kinds in one world collide with each other, whichever of the two moves, except two planes and two height fields:
 * a moving body with one of these is refused while another body has one (`shape.no-contact`). Meshes are closed and
 * solid inside. Two meshes, or a mesh and a height field, touch exactly, by corners on faces and edges across edges;
 * convex meshes of at most 256 points do so as hulls. A height field is a sheet that is solid only from above.
 *
 * A segment of two points is solid from both sides. With four points, {previous, start, end, next}, it is a piece of a
 * chain: it is solid only from the left of its direction (a floor runs along +x), and a body that slides over the
 * corner to a neighbour feels only the angle between the two pieces, not the corner of a single one. `previous` equal
 * to `start`, or `next` equal to `end`, means that the chain begins or ends there. A corner of two pieces belongs to
 * the piece that starts there. Rays hit a piece from the same side; closest points, casts of shapes and times of impact
 * see it from both. */
#ifndef ASHLAR_GEOMETRY_H
#define ASHLAR_GEOMETRY_H

#include "ashlar/base.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pointer, not a handle: it is valid as long as someone holds a reference. Shapes and compounds hold their own
 * references. */
typedef struct ash_geometry ash_geometry;

typedef enum ash_geometry_kind {
    ASH_GEOMETRY_SPHERE,
    ASH_GEOMETRY_CAPSULE,
    ASH_GEOMETRY_BOX,
    ASH_GEOMETRY_CYLINDER,
    ASH_GEOMETRY_CONE,
    ASH_GEOMETRY_ELLIPSOID,
    ASH_GEOMETRY_HULL,
    ASH_GEOMETRY_MESH,
    ASH_GEOMETRY_PLANE,
    ASH_GEOMETRY_HEIGHT_FIELD,
    ASH_GEOMETRY_DISTANCE_FIELD,
    ASH_GEOMETRY_COMPOUND,
    ASH_GEOMETRY_CIRCLE,       /* flat */
    ASH_GEOMETRY_POLYGON,      /* flat */
    ASH_GEOMETRY_FLAT_CAPSULE, /* flat */
    ASH_GEOMETRY_SEGMENT,      /* flat, no mass of its own */
    ASH_GEOMETRY_KINDS
} ash_geometry_kind;

/* The kind's name in scene files, such as "distance-field". */
ASH_API const char *ash_geometry_kind_name(ash_geometry_kind kind);

/* A signed distance, negative inside, at a local point. */
typedef double (*ash_distance_function)(ash_vec3 point, void *user);

/* One part of a compound. */
typedef struct ash_geometry_part {
    ash_geometry *geometry;
    ash_transform pose;
} ash_geometry_part;

/* The definition of a geometry. The kind decides which fields count. Everything is copied. */
typedef struct ash_geometry_def {
    ash_geometry_kind kind;
    double radius;          /* sphere, capsule, cylinder, cone, circle, flat capsule; segment: rounding, may be 0 */
    double height;          /* capsule and flat capsule: between the two centres; cylinder, cone: whole height */
    ash_vec3 half_extents;  /* box: half sizes; ellipsoid: semi-axes */
    const ash_vec3 *points; /* hull: any points; mesh: vertices; polygon: convex corners, clockwise or not, z ignored;
                               segment: 2 ends, or 4 points of a chain (see above) */
    uint32_t point_count;
    const uint32_t *triangles; /* mesh: three vertex numbers per triangle, counter-clockwise seen from outside */
    uint32_t triangle_count;
    bool open; /* mesh: for drawing only. It need not be closed, is visible from both sides, and has no inside, mass or
                  contacts: bodies and compounds refuse it */
    uint32_t cells[3];    /* height field: samples in x, y; distance field: samples in x, y, z; each at least 2 */
    ash_vec3 origin;      /* height field, distance field: position of sample (0, 0, 0) */
    ash_vec3 spacing;     /* height field: x, y; distance field: x, y, z; between samples */
    const double *values; /* heights or distances, x fastest */
    /* Distance field: instead of `values`, sample this function on the grid, or the closed mesh `sample_mesh`. The grid
     * should reach a cell or two beyond the surface and be finer than half of its thinnest part. */
    ash_distance_function sample_function;
    void *sample_user;
    const ash_geometry *sample_mesh;
    const ash_geometry_part *parts; /* compound: for its mass, parts are assumed not to overlap */
    uint32_t part_count;
} ash_geometry_def;

/* Limits of a geometry, checked before memory is taken. */
#define ASH_MAX_SAMPLES      16777216 /* of a height field or a distance field */
#define ASH_MAX_SAMPLED      1000000  /* of a distance field that is sampled from `sample_mesh` */
#define ASH_MAX_CONVEX_PARTS 1024     /* from ash_geometry_create_parts */
#define ASH_MAX_PARTS        1000000  /* of a compound, nested compounds included, each counted as often as it occurs */

/* A definition of this kind with unit sizes, where they make sense, and all other fields zero. */
ASH_API ash_geometry_def ash_default_geometry_def(ash_geometry_kind kind);

/* Makes a geometry with one reference. Degenerate input (a flat hull, an open or inverted mesh, ...) gives a
 * diagnostic.
 */
ASH_API ash_status ash_geometry_create(const ash_geometry_def *def, ash_geometry **geometry,
                                       ash_diagnostic *diagnostic);

/* A flat compound of convex polygons from an outline: at most 20000 corners of a polygon, convex or not, clockwise or
 * not, z ignored. If sides cross or touch, the diagnostic names them. Mass, centre and inertia are the outline's. */
ASH_API ash_status ash_geometry_create_outline(const ash_vec3 *points, uint32_t count, ash_geometry **geometry,
                                               ash_diagnostic *diagnostic);

/* A flat compound of segments along a chain of points, from the last back to the first when `closed`; z is ignored. It
 * is solid from the left of its direction: a counter-clockwise closed chain contains what is inside. The radius rounds
 * it and may be 0. */
ASH_API ash_status ash_geometry_create_chain(const ash_vec3 *points, uint32_t count, bool closed, double radius,
                                             ash_geometry **geometry, ash_diagnostic *diagnostic);

/* Convex parts of a surface: a compound of hulls that covers it, or one hull if that is close enough. The surface is
 * cut until no hull protrudes from it, along its normals, by more than `tolerance` (above 0, at most 1; usually 0.02)
 * times the diagonal of its box, or until there are `most` parts, at most ASH_MAX_CONVEX_PARTS. It need not be closed:
 * a sheet gets a thickness of 1e-4 of the diagonal. Every point inside a closed surface is inside a part. Mass
 * properties are those of the parts. Time grows with triangles times parts. */
ASH_API ash_status ash_geometry_create_parts(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                                             uint32_t triangle_count, double tolerance, uint32_t most,
                                             ash_geometry **geometry, ash_diagnostic *diagnostic);

/* Adds a reference and returns the same geometry. Safe from any thread. */
ASH_API ash_geometry *ash_geometry_retain(ash_geometry *geometry);

/* Drops a reference; the last one releases the memory. Null is ignored. Safe from any thread. */
ASH_API void ash_geometry_release(ash_geometry *geometry);

/* The stored definition: hulls have their final vertices and triangulated faces, meshes only the points that triangles
 * use, polygons their corners counter-clockwise without those on straight sides, distance fields their values. Fields
 * that the kind does not use are zero. Owned by the geometry. */
ASH_API const ash_geometry_def *ash_geometry_get_definition(const ash_geometry *geometry);

/* True for the kinds of planar worlds (a compound is flat when its parts are). */
ASH_API bool ash_geometry_is_flat(const ash_geometry *geometry);

/* A hash of kind and content: equal geometries have equal hashes. */
ASH_API uint64_t ash_geometry_get_hash(const ash_geometry *geometry);

/* The smallest axis-aligned box around the geometry at `pose`. For a plane it is infinite, except along a plane's own
 * normal when this is an axis; for a rotated distance field it is up to a cell too large. */
ASH_API ash_bounds ash_geometry_bounds(const ash_geometry *geometry, ash_transform pose);

/* The point farthest along `direction`, in the local frame, of the geometry's convex hull. For a plane, in directions
 * that it does not bound, coordinates are infinite; for a distance field, in oblique directions, the point lies up to a
 * cell outside. */
ASH_API ash_vec3 ash_geometry_support(const ash_geometry *geometry, ash_vec3 direction);

/* A ray in the local frame: origin + t direction, 0 <= t <= reach (t in units of the direction's length). */
typedef struct ash_ray {
    ash_vec3 origin, direction;
    double reach;
} ash_ray;
typedef struct ash_ray_hit {
    double t;
    ash_vec3 point;
    ash_vec3 normal; /* outward unit normal at the point */
    uint32_t part;   /* triangle, face, cell or compound part that was hit */
} ash_ray_hit;

/* Finds the first surface point that the ray enters from outside. A ray that starts inside hits at t = 0 with the
 * normal against its direction. Segments and flat kinds are hit within their plane. */
ASH_API bool ash_geometry_ray(const ash_geometry *geometry, ash_ray ray, ash_ray_hit *hit);

/* Mass, centre and inertia. */
typedef struct ash_mass_properties {
    double mass;             /* kg */
    ash_vec3 centre;         /* of mass, m */
    ash_sym3 inertia;        /* about the centre, along the axes of the given frame, kg m2 */
    ash_vec3 principal;      /* principal moments, ascending */
    ash_quat principal_axes; /* turns principal axes into the axes of the given frame */
} ash_mass_properties;

/* Exact mass properties for a uniform density: kg/m3, flat kinds kg/m2. Planes, height fields and segments have no
 * volume: ASH_UNSUPPORTED. A distance field is integrated over its grid. */
ASH_API ash_status ash_geometry_mass(const ash_geometry *geometry, double density, ash_mass_properties *mass,
                                     ash_diagnostic *diagnostic);

/* Completes a mass and an inertia tensor: checks that they are possible (positive mass, positive semi-definite,
 * triangle inequality of the principal moments) and fills in the principal moments and axes. */
ASH_API ash_status ash_mass_complete(ash_mass_properties *mass, ash_diagnostic *diagnostic);

/* The sum of two bodies' mass properties in one frame. */
ASH_API ash_mass_properties ash_mass_add(const ash_mass_properties *a, const ash_mass_properties *b);

/* The same mass in a frame in which the old frame has this pose. */
ASH_API ash_mass_properties ash_mass_transform(const ash_mass_properties *mass, ash_transform pose);

/* The projected area along `direction` (local frame; need not be unit). Exact for convex kinds; for meshes, fields and
 * compounds overlapping parts count more than once. Zero for planes. Flat kinds: the projected width, m. */
ASH_API double ash_geometry_projected_area(const ash_geometry *geometry, ash_vec3 direction);

/* The signed distance of a local point, negative inside, for every kind that has an inside (distance fields
 * interpolate; outside the grid the distance to the grid's box is added). */
ASH_API double ash_geometry_distance(const ash_geometry *geometry, ash_vec3 point);

/* Triangles for drawing a geometry, counter-clockwise seen from outside; flat kinds lie in their plane, seen from +z.
 * Edges are sharp: points there occur once for each normal. */
typedef struct ash_triangulation {
    ash_vec3 *points;
    ash_vec3 *normals;   /* of the points, unit */
    uint32_t *triangles; /* three point numbers each */
    uint32_t point_count, triangle_count;
} ash_triangulation;

/* Makes the triangles; ash_triangulation_release releases them. A plane is a square that reaches `extent` to each side;
 * segments are at least `breadth` wide to each side. Curved kinds become polygons of 32 sides, distance fields the
 * surface of their cells.
 */
ASH_API ash_status ash_geometry_triangulate(const ash_geometry *geometry, double extent, double breadth,
                                            ash_triangulation *made, ash_diagnostic *diagnostic);
/* Releases its memory and leaves it empty. Null and empty ones are ignored. */
ASH_API void ash_triangulation_release(ash_triangulation *made);

#ifdef __cplusplus
}
#endif

#endif
