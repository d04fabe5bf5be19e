/* The inside of a geometry: the stored definition, data computed from it once, and the functions of its kind. All of it
 * is constant after creation, so queries need no lock and allocate nothing. */
#ifndef ASHI_SHAPE_GEOMETRY_H
#define ASHI_SHAPE_GEOMETRY_H

#include "ashlar/geometry.h"
#include "base/diagnostic.h"
#include "math/mat3.h"
#include "math/transform.h"

#include <stdatomic.h>

/* The properties and functions of a kind: no other file asks for the kind itself. Points and directions are in the
 * local frame; directions are finite and not zero, and unit vectors for projected_area. */
typedef struct ashi_geometry_functions {
    const char *name; /* in scene files */
    bool flat;
    bool convex;    /* a solid kind that GJK can use directly */
    bool triangles; /* its surface consists of triangles: its own, or those of cells */
    bool round;     /* all points within `radius` of a core: a centre or an axis */
    bool ball;      /* the core is a centre */
    bool curved;    /* its surface is curved in another way: a contact rolls about its centre */
    bool straight;  /* faces without curvature */
    bool face;      /* a wide face: a sliding body carries the contact point along on it */
    bool endless;   /* a half-space */
    bool parts;     /* made from other geometries */
    /* Checks the definition and copies its relevant fields into geometry->def. Sets the mass of kinds that have one.
     * After a failure the caller releases whatever was set. */
    ash_status (*create)(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic);
    void (*dispose)(ash_geometry *geometry); /* frees what lies outside the definition; null for nothing */
    ash_bounds (*bounds)(const ash_geometry *geometry, ash_transform pose); /* null: from the support points */
    ash_vec3 (*support)(const ash_geometry *geometry, ash_vec3 direction);
    bool (*ray)(const ash_geometry *geometry, const ash_ray *ray, ash_ray_hit *hit);
    double (*distance)(const ash_geometry *geometry, ash_vec3 point);
    double (*projected_area)(const ash_geometry *geometry, ash_vec3 direction);
} ashi_geometry_functions;

struct ash_geometry {
    ash_geometry_def def; /* arrays owned; fields that the kind does not use are zero */
    const ashi_geometry_functions *functions;
    atomic_uint references;
    bool flat, has_mass;
    uint32_t depth; /* compounds within compounds: 0 for a simple kind */
    uint64_t hash;
    ash_mass_properties unit_mass; /* at density 1 */
    union {
        struct ashi_hull *hull;
        struct ashi_mesh *mesh;
        struct ashi_field_surface *field;
        ash_bounds *part_bounds; /* compound: of each part, in the compound's frame */
    };
};

extern const ashi_geometry_functions ashi_sphere, ashi_capsule, ashi_box, ashi_cylinder, ashi_cone, ashi_ellipsoid,
    ashi_convex_hull, ashi_triangle_mesh, ashi_plane, ashi_height_field, ashi_distance_field, ashi_compound,
    ashi_circle, ashi_polygon, ashi_flat_capsule, ashi_segment;

/* Checks that a size is finite and positive; `code` such as "geometry.radius", `name` such as "radius". */
ash_status ashi_check_size(double size, const char *code, const char *name, const ashi_geometry_functions *kind,
                           ash_diagnostic *diagnostic);

/* Checks that all of `count` points are finite. */
ash_status ashi_check_points(const ash_vec3 *points, uint32_t count, const ashi_geometry_functions *kind,
                             ash_diagnostic *diagnostic);

/* A copy of `count` elements in *copy, or out of memory. */
ash_status ashi_copy_elements(const void *elements, size_t count, size_t size, void **copy, ash_diagnostic *diagnostic);

/* Sets the mass properties at density 1; fails when sizes are so large or small that the properties are not
 * representable. */
ash_status ashi_set_unit_mass(ash_geometry *geometry, double mass, ash_vec3 centre, ash_sym3 inertia,
                              ash_diagnostic *diagnostic);

/* The box around a geometry, from its support points. */
ash_bounds ashi_bounds_by_support(const ash_geometry *geometry, ash_transform pose);

/* Fills in the principal moments and axes from the inertia. */
void ashi_mass_principal(ash_mass_properties *mass);

/* Whether principal moments in ascending order are physically possible, up to rounding. */
bool ashi_principal_is_possible(ash_vec3 principal);

/* The two ends of a segment: a piece of a chain has its neighbours before and after them. */
static inline const ash_vec3 *ashi_segment_ends(const ash_geometry_def *segment)
{
    return segment->points + (segment->point_count == 4 ? 1 : 0);
}

/* The projected width of a flat kind, from its support points. */
double ashi_flat_width(const ash_geometry *geometry, ash_vec3 direction);

#endif
