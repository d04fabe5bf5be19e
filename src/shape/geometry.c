/* Geometries: creation, references, and the public queries, which check their arguments once and then call the
 * functions of the kind. A geometry under creation owns everything that its definition points to, so a failure at any
 * point releases it in the same way as dropping the last reference. */
#include "shape/geometry.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "math/vec2.h"

#include <string.h>

static const ashi_geometry_functions *const kinds[ASH_GEOMETRY_KINDS] = {
    [ASH_GEOMETRY_SPHERE] = &ashi_sphere,
    [ASH_GEOMETRY_CAPSULE] = &ashi_capsule,
    [ASH_GEOMETRY_BOX] = &ashi_box,
    [ASH_GEOMETRY_CYLINDER] = &ashi_cylinder,
    [ASH_GEOMETRY_CONE] = &ashi_cone,
    [ASH_GEOMETRY_ELLIPSOID] = &ashi_ellipsoid,
    [ASH_GEOMETRY_HULL] = &ashi_convex_hull,
    [ASH_GEOMETRY_MESH] = &ashi_triangle_mesh,
    [ASH_GEOMETRY_PLANE] = &ashi_plane,
    [ASH_GEOMETRY_HEIGHT_FIELD] = &ashi_height_field,
    [ASH_GEOMETRY_DISTANCE_FIELD] = &ashi_distance_field,
    [ASH_GEOMETRY_COMPOUND] = &ashi_compound,
    [ASH_GEOMETRY_CIRCLE] = &ashi_circle,
    [ASH_GEOMETRY_POLYGON] = &ashi_polygon,
    [ASH_GEOMETRY_FLAT_CAPSULE] = &ashi_flat_capsule,
    [ASH_GEOMETRY_SEGMENT] = &ashi_segment,
};

const char *ash_geometry_kind_name(ash_geometry_kind kind)
{
    return (unsigned)kind < ASH_GEOMETRY_KINDS ? kinds[kind]->name : "unknown";
}

ash_geometry_def ash_default_geometry_def(ash_geometry_kind kind)
{
    ash_geometry_def def = {.kind = kind, .height = 1, .spacing = {1, 1, 1}};
    def.radius = kind == ASH_GEOMETRY_SEGMENT ? 0 : 1;
    double half = kind == ASH_GEOMETRY_BOX ? 0.5 : 1;
    def.half_extents = v3(half, half, half);
    return def;
}

/* Adding zero turns -0 into 0, so that equal numbers have equal bits. */
static uint64_t hash_numbers(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double number = numbers[i] + 0.0;
        hash = ashi_hash(hash, &number, sizeof number);
    }
    return hash;
}

static uint64_t hash_vectors(uint64_t hash, const ash_vec3 *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = hash_numbers(hash, (double[3]){vectors[i].x, vectors[i].y, vectors[i].z}, 3);
    return hash;
}

static uint64_t hash_definition(const ash_geometry_def *def)
{
    uint32_t kind = (uint32_t)def->kind;
    uint64_t hash = ashi_hash(ASHI_HASH_START, &kind, sizeof kind);
    hash = hash_numbers(hash, (double[2]){def->radius, def->height}, 2);
    hash = hash_vectors(hash, (ash_vec3[3]){def->half_extents, def->origin, def->spacing}, 3);
    if (def->points != NULL)
        hash = hash_vectors(hash, def->points, def->point_count);
    if (def->triangles != NULL)
        hash = ashi_hash(hash, def->triangles, (size_t)def->triangle_count * 3 * sizeof *def->triangles);
    hash = ashi_hash(hash, def->cells, sizeof def->cells);
    if (def->open)
        hash = ashi_hash(hash, &def->open, sizeof def->open);
    if (def->values != NULL) {
        size_t layers = def->kind == ASH_GEOMETRY_HEIGHT_FIELD ? 1 : def->cells[2];
        hash = hash_numbers(hash, def->values, (size_t)def->cells[0] * def->cells[1] * layers);
    }
    for (uint32_t i = 0; i < def->part_count; i++) {
        ash_transform pose = def->parts[i].pose;
        ash_quat q = pose.rotation;
        hash = ashi_hash(hash, &def->parts[i].geometry->hash, sizeof(uint64_t));
        hash = hash_vectors(hash, &pose.position, 1);
        hash = hash_numbers(hash, (double[4]){q.w, q.x, q.y, q.z}, 4);
    }
    return hash;
}

static void dispose(ash_geometry *geometry)
{
    if (geometry->functions->dispose != NULL)
        geometry->functions->dispose(geometry);
    ashi_dealloc((void *)geometry->def.points);
    ashi_dealloc((void *)geometry->def.triangles);
    ashi_dealloc((void *)geometry->def.values);
    ashi_dealloc((void *)geometry->def.parts);
    ashi_dealloc(geometry);
}

ash_status ash_geometry_create(const ash_geometry_def *def, ash_geometry **geometry, ash_diagnostic *diagnostic)
{
    if (geometry != NULL)
        *geometry = NULL;
    if (def == NULL || geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "geometry.null", "the definition or the result is null");
    if ((unsigned)def->kind >= ASH_GEOMETRY_KINDS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.kind", "%d is not a kind of geometry", (int)def->kind);
        ashi_expect(diagnostic, "0 to %d", (int)ASH_GEOMETRY_KINDS - 1);
        return ASH_BAD_DATA;
    }
    ash_geometry *made = ashi_alloc_zeroed(sizeof *made);
    if (made == NULL)
        return ashi_out_of_memory(diagnostic);
    made->functions = kinds[def->kind];
    made->def.kind = def->kind;
    made->flat = made->functions->flat;
    atomic_init(&made->references, 1);
    ash_status status = made->functions->create(made, def, diagnostic);
    if (status != ASH_OK) {
        dispose(made);
        return status;
    }
    made->hash = hash_definition(&made->def);
    *geometry = made;
    return ASH_OK;
}

ash_geometry *ash_geometry_retain(ash_geometry *geometry)
{
    if (geometry != NULL)
        atomic_fetch_add_explicit(&geometry->references, 1, memory_order_relaxed);
    return geometry;
}

void ash_geometry_release(ash_geometry *geometry)
{
    /* Release and acquire: the thread that drops the last reference sees everything that other threads did before they
     * dropped theirs. */
    if (geometry != NULL && atomic_fetch_sub_explicit(&geometry->references, 1, memory_order_acq_rel) == 1)
        dispose(geometry);
}

const ash_geometry_def *ash_geometry_get_definition(const ash_geometry *geometry)
{
    return &geometry->def;
}

bool ash_geometry_is_flat(const ash_geometry *geometry)
{
    return geometry->flat;
}

uint64_t ash_geometry_get_hash(const ash_geometry *geometry)
{
    return geometry->hash;
}

/* The extent of the geometry along a world axis, given as `axis` in the local frame. */
static double reach_along(const ash_geometry *geometry, ash_vec3 axis)
{
    return v3_dot(axis, geometry->functions->support(geometry, axis));
}

/* For flat shapes that are rotated only about z. */
static ash_bounds flat_bounds_by_support(const ash_geometry *geometry, ash_transform pose)
{
    ashi_pose2 flat = p2_of(pose);
    ash_vec3 x = v3(flat.cosine, -flat.sine, 0), y = v3(flat.sine, flat.cosine, 0);
    ash_vec3 upper = v3(reach_along(geometry, x), reach_along(geometry, y), 0);
    ash_vec3 lower = v3(-reach_along(geometry, v3_neg(x)), -reach_along(geometry, v3_neg(y)), 0);
    return (ash_bounds){v3_add(pose.position, lower), v3_add(pose.position, upper)};
}

ash_bounds ashi_bounds_by_support(const ash_geometry *geometry, ash_transform pose)
{
    if (geometry->functions->flat && pose.rotation.x == 0 && pose.rotation.y == 0)
        return flat_bounds_by_support(geometry, pose);
    ash_mat3 axes = m3_transposed(m3_from_quat(pose.rotation)); /* columns: the world's axes in the local frame */
    ash_vec3 x = axes.x, y = axes.y, z = axes.z;
    ash_vec3 upper = v3(reach_along(geometry, x), reach_along(geometry, y), reach_along(geometry, z));
    ash_vec3 lower =
        v3(-reach_along(geometry, v3_neg(x)), -reach_along(geometry, v3_neg(y)), -reach_along(geometry, v3_neg(z)));
    return (ash_bounds){v3_add(pose.position, lower), v3_add(pose.position, upper)};
}

ash_bounds ash_geometry_bounds(const ash_geometry *geometry, ash_transform pose)
{
    const ashi_geometry_functions *kind = geometry->functions;
    return kind->bounds != NULL ? kind->bounds(geometry, pose) : ashi_bounds_by_support(geometry, pose);
}

/* The direction scaled so that its largest component is 1: squares of tiny and huge directions then neither underflow
 * nor overflow. Zero when there is no direction. */
static ash_vec3 usable_direction(ash_vec3 direction)
{
    double largest = v3_max_component(v3_abs(direction));
    if (!v3_is_finite(direction) || !(largest > 0))
        return v3(0, 0, 0);
    return v3(direction.x / largest, direction.y / largest, direction.z / largest);
}

ash_vec3 ash_geometry_support(const ash_geometry *geometry, ash_vec3 direction)
{
    ash_vec3 usable = usable_direction(direction);
    if (v3_norm2(usable) == 0) /* all points are equally far: any one will do */
        usable = v3(0, 0, 1);
    return geometry->functions->support(geometry, usable);
}

bool ash_geometry_ray(const ash_geometry *geometry, ash_ray ray, ash_ray_hit *hit)
{
    ash_ray_hit found;
    if (!v3_is_finite(ray.origin) || !v3_is_finite(ray.direction) || !(v3_norm2(ray.direction) > 0) ||
        !(ray.reach >= 0))
        return false;
    if (!geometry->functions->ray(geometry, &ray, &found))
        return false;
    if (hit != NULL)
        *hit = found;
    return true;
}

double ash_geometry_distance(const ash_geometry *geometry, ash_vec3 point)
{
    return v3_is_finite(point) ? geometry->functions->distance(geometry, point) : (double)NAN;
}

double ash_geometry_projected_area(const ash_geometry *geometry, ash_vec3 direction)
{
    ash_vec3 unit = v3_unit(usable_direction(direction));
    return v3_norm2(unit) > 0 ? geometry->functions->projected_area(geometry, unit) : 0;
}

double ashi_flat_width(const ash_geometry *geometry, ash_vec3 direction)
{
    ash_vec3 across = v3(-direction.y, direction.x, 0);
    if (v3_norm2(across) == 0)
        return 0;
    across = v3_unit(across); /* an oblique direction is projected into the plane */
    return reach_along(geometry, across) + reach_along(geometry, v3_neg(across));
}

ash_status ashi_check_size(double size, const char *code, const char *name, const ashi_geometry_functions *kind,
                           ash_diagnostic *diagnostic)
{
    if (isfinite(size) && size > 0)
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_DATA, code, "the %s of the %s is %g", name, kind->name, size);
    ashi_expect(diagnostic, "a finite number above 0");
    return ASH_BAD_DATA;
}

ash_status ashi_check_points(const ash_vec3 *points, uint32_t count, const ashi_geometry_functions *kind,
                             ash_diagnostic *diagnostic)
{
    if (points == NULL && count > 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the %s has %u points but no array of them",
                         kind->name, count);
    for (uint32_t i = 0; i < count; i++)
        if (!v3_is_finite(points[i])) {
            ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "point %u of the %s is (%g, %g, %g)", i, kind->name,
                      points[i].x, points[i].y, points[i].z);
            ashi_expect(diagnostic, "finite coordinates");
            return ASH_BAD_DATA;
        }
    return ASH_OK;
}

ash_status ashi_copy_elements(const void *elements, size_t count, size_t size, void **copy, ash_diagnostic *diagnostic)
{
    *copy = ashi_alloc_array(count, size);
    if (*copy == NULL)
        return ashi_out_of_memory(diagnostic);
    memcpy(*copy, elements, count * size);
    return ASH_OK;
}
