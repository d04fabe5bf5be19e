/* Convex hull of points. Checks that the points span a volume, lets Qhull find the faces, keeps the vertices in the
 * order of the input, and builds planes and half edges. The definition keeps the vertices and the faces cut into
 * triangles. */
#include "shape/hull.h"

#include "base/alloc.h"
#include "shape/edge.h"
#include "shape/interval.h"
#include "shape/polyhedron.h"
#include "shape/triangle.h"

/* Thickness over length below which points count as lying in a plane. */
#define FLATTEST 1e-10

/* The point with the largest offset from points[0], measured as a length, an area or a volume. */
static double spread(const ash_vec3 *points, uint32_t count, ash_vec3 along, ash_vec3 normal, int dimension,
                     ash_vec3 *farthest)
{
    double largest = 0;
    *farthest = v3(0, 0, 0);
    for (uint32_t i = 1; i < count; i++) {
        ash_vec3 offset = v3_sub(points[i], points[0]);
        double size = dimension == 1   ? v3_norm(offset)
                      : dimension == 2 ? v3_norm(v3_cross(along, offset))
                                       : fabs(v3_dot(normal, offset));
        if (size > largest) {
            largest = size;
            *farthest = offset;
        }
    }
    return largest;
}

/* Checks that the points span a volume: length, then width across the longest line, then thickness across the widest
 * plane. */
static ash_status check_span(const ash_vec3 *points, uint32_t count, ash_diagnostic *diagnostic)
{
    static const char *const places[3] = {"at one place", "on a line", "in a plane"};
    ash_vec3 far, zero = v3(0, 0, 0);
    int dimension = 0;
    double length = spread(points, count, zero, zero, 1, &far);
    if (length > 0 && isfinite(length)) {
        dimension = 1;
        ash_vec3 along = v3_unit(far);
        if (spread(points, count, along, zero, 2, &far) > FLATTEST * length) {
            dimension = 2;
            ash_vec3 normal = v3_unit(v3_cross(along, far));
            if (spread(points, count, zero, normal, 3, &far) > FLATTEST * length)
                dimension = 3;
        }
    }
    if (dimension == 3)
        return ASH_OK;
    ashi_fail(diagnostic, ASH_BAD_DATA, "hull.flat", "the %u points of the hull lie %s", count, places[dimension]);
    return ashi_expect(diagnostic, "points that span a volume"), ASH_BAD_DATA;
}

/* Keeps the points that faces use, in their old order, and renumbers the corners. */
static ash_status keep_vertices(ash_geometry *geometry, const ash_geometry_def *def, ashi_hull_faces *faces,
                                ash_diagnostic *diagnostic)
{
    uint32_t corner_count = faces->ends[faces->face_count - 1], used = 0;
    uint32_t *numbers = ashi_alloc_zeroed(def->point_count * sizeof *numbers);
    if (numbers == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < corner_count; i++) {
        used += numbers[faces->corners[i]] == 0;
        numbers[faces->corners[i]] = 1;
    }
    ash_vec3 *points = ashi_alloc_array(used, sizeof *points);
    if (points != NULL) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < def->point_count; i++)
            if (numbers[i] != 0) {
                points[next] = def->points[i];
                numbers[i] = next++;
            }
        for (uint32_t i = 0; i < corner_count; i++)
            faces->corners[i] = numbers[faces->corners[i]];
        geometry->def.points = points;
        geometry->def.point_count = used;
    }
    ashi_dealloc(numbers);
    return points != NULL ? ASH_OK : ashi_out_of_memory(diagnostic);
}

/* Sets Newell's normal and the offset of the outermost corner. */
static void set_plane(ashi_hull_face *face, const ash_vec3 *points, const ashi_half_edge *edges)
{
    ash_vec3 base = points[edges[0].origin], area = v3(0, 0, 0);
    for (uint32_t i = 1; i + 1 < face->edge_count; i++)
        area = v3_add(area, v3_cross(v3_sub(points[edges[i].origin], base), v3_sub(points[edges[i + 1].origin], base)));
    face->normal = v3_unit(area);
    face->offset = -INFINITY;
    for (uint32_t i = 0; i < face->edge_count; i++) {
        double height = v3_dot(face->normal, points[edges[i].origin]);
        face->offset = height > face->offset ? height : face->offset;
    }
}

/* Pairs the half edges; false unless each has exactly one twin, running the other way. */
static bool pair_edges(ashi_hull *hull, ashi_edge *sorted)
{
    for (uint32_t i = 0; i < hull->edge_count; i++) {
        uint32_t from = hull->edges[i].origin, to = hull->edges[hull->edges[i].next].origin;
        sorted[i] = ashi_edge_between(from, to, i);
    }
    ashi_edge_sort(sorted, hull->edge_count);
    for (uint32_t i = 0; i < hull->edge_count; i += 2) {
        if (i + 1 == hull->edge_count || sorted[i].low != sorted[i + 1].low || sorted[i].high != sorted[i + 1].high)
            return false;
        ashi_half_edge *a = &hull->edges[sorted[i].number], *b = &hull->edges[sorted[i + 1].number];
        if (a->origin == b->origin)
            return false;
        a->twin = sorted[i + 1].number;
        b->twin = sorted[i].number;
    }
    return true;
}

static void release_hull(ashi_hull *hull)
{
    if (hull == NULL)
        return;
    ashi_dealloc(hull->faces);
    ashi_dealloc(hull->edges);
    ashi_dealloc(hull);
}

/* Half edges and planes; `sound` says whether they form a polyhedron (Euler: V - E + F = 2). */
static ash_status build(ash_geometry *geometry, const ashi_hull_faces *faces, bool *sound, ash_diagnostic *diagnostic)
{
    uint32_t edge_count = faces->ends[faces->face_count - 1];
    ashi_hull *hull = geometry->hull = ashi_alloc_zeroed(sizeof *hull);
    ashi_edge *sorted = ashi_alloc_array(edge_count, sizeof *sorted);
    if (hull != NULL) {
        hull->faces = ashi_alloc_array(faces->face_count, sizeof *hull->faces);
        hull->edges = ashi_alloc_array(edge_count, sizeof *hull->edges);
    }
    if (hull == NULL || sorted == NULL || hull->faces == NULL || hull->edges == NULL) {
        ashi_dealloc(sorted);
        return ashi_out_of_memory(diagnostic);
    }
    hull->face_count = faces->face_count;
    hull->edge_count = edge_count;
    for (uint32_t f = 0, first = 0; f < faces->face_count; first = faces->ends[f++]) {
        uint32_t end = faces->ends[f];
        hull->faces[f] = (ashi_hull_face){.first_edge = first, .edge_count = end - first};
        for (uint32_t i = first; i < end; i++)
            hull->edges[i] = (ashi_half_edge){faces->corners[i], 0, i + 1 < end ? i + 1 : first, f};
        set_plane(&hull->faces[f], geometry->def.points, hull->edges + first);
    }
    *sound = pair_edges(hull, sorted) && geometry->def.point_count + hull->face_count == edge_count / 2 + 2;
    ashi_dealloc(sorted);
    return ASH_OK;
}

/* The definition's triangles: each face as a fan. */
static ash_status set_triangles(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ashi_hull *hull = geometry->hull;
    uint32_t count = hull->edge_count - 2 * hull->face_count, next = 0;
    uint32_t *triangles = ashi_alloc_array(3 * (size_t)count, sizeof *triangles);
    if (triangles == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t f = 0; f < hull->face_count; f++) {
        const ashi_half_edge *edges = hull->edges + hull->faces[f].first_edge;
        for (uint32_t i = 1; i + 1 < hull->faces[f].edge_count; i++) {
            triangles[next++] = edges[0].origin;
            triangles[next++] = edges[i].origin;
            triangles[next++] = edges[i + 1].origin;
        }
    }
    geometry->def.triangles = triangles;
    geometry->def.triangle_count = count;
    return ASH_OK;
}

/* Finds the hull with merged or with triangular faces and builds it. */
static ash_status find_and_build(ash_geometry *geometry, const ash_geometry_def *def, bool triangles, bool *sound,
                                 ash_diagnostic *diagnostic)
{
    ashi_hull_faces faces;
    ash_status status = ashi_hull_find(def->points, def->point_count, triangles, &faces, diagnostic);
    if (status == ASH_OK)
        status = keep_vertices(geometry, def, &faces, diagnostic);
    if (status == ASH_OK)
        status = build(geometry, &faces, sound, diagnostic);
    ashi_hull_faces_release(&faces);
    return status;
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    /* Qhull counts points with int. */
    if (def->point_count < 4 || def->point_count > INT32_MAX / 8) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.points", "the hull has %u points", def->point_count);
        return ashi_expect(diagnostic, "4 to %d points", INT32_MAX / 8), ASH_BAD_DATA;
    }
    ash_status status = ashi_check_points(def->points, def->point_count, &ashi_convex_hull, diagnostic);
    if (status == ASH_OK)
        status = check_span(def->points, def->point_count, diagnostic);
    if (status != ASH_OK)
        return status;
    bool sound = false;
    status = find_and_build(geometry, def, false, &sound, diagnostic);
    if (status == ASH_OK && !sound) {
        /* Merging nearly coplanar faces can leave a corner that only two faces share; triangles cannot. */
        release_hull(geometry->hull);
        geometry->hull = NULL;
        ashi_dealloc((void *)geometry->def.points);
        geometry->def.points = NULL;
        status = find_and_build(geometry, def, true, &sound, diagnostic);
    }
    if (status == ASH_OK && !sound)
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "hull.qhull", "the hull of the %u points is not a polyhedron",
                           def->point_count);
    if (status == ASH_OK)
        status = set_triangles(geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    const ash_geometry_def *kept = &geometry->def;
    double volume;
    ash_vec3 centre;
    ash_sym3 inertia;
    ashi_polyhedron_mass(kept->points, kept->point_count, kept->triangles, kept->triangle_count, &volume, &centre,
                         &inertia);
    return ashi_set_unit_mass(geometry, volume, centre, inertia, diagnostic);
}

static void dispose(ash_geometry *geometry)
{
    release_hull(geometry->hull);
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    const ash_vec3 *points = geometry->def.points;
    uint32_t best = 0;
    double farthest = v3_dot(points[0], direction);
    for (uint32_t i = 1; i < geometry->def.point_count; i++) {
        double reach = v3_dot(points[i], direction);
        if (reach > farthest) {
            farthest = reach;
            best = i;
        }
    }
    return points[best];
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    const ashi_hull *hull = geometry->hull;
    ashi_interval in = ashi_interval_all();
    for (uint32_t f = 0; f < hull->face_count && in.enter <= in.leave; f++)
        ashi_interval_half_space(&in, line, hull->faces[f].normal, hull->faces[f].offset, f);
    return ashi_interval_hit(&in, line, hit);
}

/* The distance from p to the polygon of a face. */
static double face_distance(const ash_geometry *geometry, const ashi_hull_face *face, ash_vec3 p)
{
    const ashi_half_edge *edges = geometry->hull->edges + face->first_edge;
    const ash_vec3 *points = geometry->def.points;
    double least = INFINITY;
    for (uint32_t i = 1; i + 1 < face->edge_count; i++) {
        ashi_feature feature;
        ash_vec3 near = ashi_triangle_nearest(points[edges[0].origin], points[edges[i].origin],
                                              points[edges[i + 1].origin], p, &feature);
        double gap = v3_distance(near, p);
        least = gap < least ? gap : least;
    }
    return least;
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    const ashi_hull *hull = geometry->hull;
    double depth = -INFINITY, outside = INFINITY;
    for (uint32_t f = 0; f < hull->face_count; f++) {
        double beyond = v3_dot(hull->faces[f].normal, point) - hull->faces[f].offset;
        depth = beyond > depth ? beyond : depth;
        /* The nearest point lies on a face seen from p, and no nearer than its plane. */
        if (beyond > 0 && beyond < outside) {
            double gap = face_distance(geometry, &hull->faces[f], point);
            outside = gap < outside ? gap : outside;
        }
    }
    return depth > 0 ? outside : depth;
}

const ashi_geometry_functions ashi_convex_hull = {
    .name = "hull",
    .convex = true,
    .straight = true,
    .create = create,
    .dispose = dispose,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = ashi_polyhedron_shadow,
};
