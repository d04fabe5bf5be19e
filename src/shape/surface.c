/* Triangles for drawing a geometry. Solids of revolution are a profile rotated about z; edges are sharp because points
 * on them occur once for each normal. */
#include "shape/surface.h"

#include "math/elementary.h"
#include "math/vec3.h"
#include "shape/height_field.h"

#include <string.h>

enum { AROUND = 32, ARC = 8 }; /* corners of a circle; segments of a quarter circle */

uint32_t ashi_surface_point(ashi_triangle_list *surface, ash_vec3 point, ash_vec3 normal)
{
    if (surface->failed || !ashi_array_extend(&surface->points) || !ashi_array_extend(&surface->normals)) {
        surface->failed = true;
        return 0;
    }
    surface->points.data[surface->points.count - 1] = point;
    surface->normals.data[surface->normals.count - 1] = normal;
    return surface->points.count - 1;
}

void ashi_surface_triangle(ashi_triangle_list *surface, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t count = surface->triangles.count;
    if (surface->failed || !ashi_array_reserve(&surface->triangles, (uint64_t)count + 3)) {
        surface->failed = true;
        return;
    }
    const uint32_t corners[3] = {a, b, c};
    memcpy(surface->triangles.data + count, corners, sizeof corners);
    surface->triangles.count += 3;
}

void ashi_surface_facet(ashi_triangle_list *surface, ash_vec3 a, ash_vec3 b, ash_vec3 c)
{
    ash_vec3 across = v3_cross(v3_sub(b, a), v3_sub(c, a));
    if (v3_norm2(across) == 0)
        return;
    ash_vec3 normal = v3_unit(across);
    uint32_t first = ashi_surface_point(surface, a, normal);
    ashi_surface_point(surface, b, normal);
    ashi_surface_point(surface, c, normal);
    ashi_surface_triangle(surface, first, first + 1, first + 2);
}

/* ---- solids of revolution ---- */

typedef struct profile_point {
    double r, z, normal_r, normal_z;
} profile_point;

/* Rotates a profile, which rises from the lower pole with the outside on its right, about z. Two neighbours at the same
 * place are an edge: no triangles lie between them. */
static void revolve(ashi_triangle_list *surface, const profile_point *profile, int count)
{
    uint32_t first = surface->points.count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < AROUND; k++) {
            const profile_point *p = &profile[i];
            double angle = 2 * ASHI_PI * k / AROUND, c = ashi_cos(angle), s = ashi_sin(angle);
            ashi_surface_point(surface, v3(p->r * c, p->r * s, p->z),
                               v3(p->normal_r * c, p->normal_r * s, p->normal_z));
        }
    for (int i = 0; i + 1 < count; i++) {
        if (profile[i].r == profile[i + 1].r && profile[i].z == profile[i + 1].z)
            continue;
        for (uint32_t k = 0; k < AROUND; k++) {
            uint32_t next = (k + 1) % AROUND, low = first + (uint32_t)i * AROUND, high = low + AROUND;
            if (profile[i].r > 0)
                ashi_surface_triangle(surface, low + k, low + next, high + next);
            if (profile[i + 1].r > 0)
                ashi_surface_triangle(surface, low + k, high + next, high + k);
        }
    }
}

/* Two half circles, apart by `height`: a capsule, or a sphere. */
static void add_round(ashi_triangle_list *surface, double radius, double height)
{
    profile_point profile[2 * ARC + 2];
    int count = 0;
    for (int half = -1; half <= 1; half += 2)
        for (int i = 0; i <= ARC; i++) {
            double angle = 0.5 * ASHI_PI * (half < 0 ? i - ARC : i) / ARC;
            double c = i == (half < 0 ? 0 : ARC) ? 0 : ashi_cos(angle), s = ashi_sin(angle);
            profile[count++] = (profile_point){radius * c, half * height / 2 + radius * s, c, s};
        }
    revolve(surface, profile, count);
}

static void add_ellipsoid(ashi_triangle_list *surface, ash_vec3 axes)
{
    uint32_t first = surface->points.count;
    add_round(surface, 1, 0);
    for (uint32_t i = first; i < surface->points.count && !surface->failed; i++) {
        surface->points.data[i] = v3_mul(surface->points.data[i], axes);
        ash_vec3 n = surface->normals.data[i];
        surface->normals.data[i] = v3_unit(v3(n.x / axes.x, n.y / axes.y, n.z / axes.z));
    }
}

static void add_cylinder(ashi_triangle_list *surface, double radius, double height)
{
    double z = height / 2;
    const profile_point profile[] = {{0, -z, 0, -1},    {radius, -z, 0, -1}, {radius, -z, 1, 0},
                                     {radius, z, 1, 0}, {radius, z, 0, 1},   {0, z, 0, 1}};
    revolve(surface, profile, 6);
}

static void add_cone(ashi_triangle_list *surface, double radius, double height)
{
    double z = height / 2, length = sqrt(radius * radius + height * height), r = height / length, up = radius / length;
    const profile_point profile[] = {{0, -z, 0, -1}, {radius, -z, 0, -1}, {radius, -z, r, up}, {0, z, r, up}};
    revolve(surface, profile, 4);
}

/* ---- solids with corners ---- */

static void add_box(ashi_triangle_list *surface, ash_vec3 half)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            uint32_t first = surface->points.count;
            for (int c = 0; c < 4; c++) {
                double place[3], normal[3] = {0, 0, 0};
                normal[axis] = place[axis] = side;
                place[(axis + 1) % 3] = c == 1 || c == 2 ? 1 : -1;
                place[(axis + 2) % 3] = c >= 2 ? 1 : -1;
                ashi_surface_point(surface, v3_mul(half, v3(place[0], place[1], place[2])),
                                   v3(normal[0], normal[1], normal[2]));
            }
            uint32_t second = side > 0 ? 1 : 3, fourth = 4 - second;
            ashi_surface_triangle(surface, first, first + second, first + 2);
            ashi_surface_triangle(surface, first, first + 2, first + fourth);
        }
}

static void add_mesh(ashi_triangle_list *surface, const ash_geometry_def *def)
{
    for (uint32_t i = 0; i < def->triangle_count && !surface->failed; i++) {
        const uint32_t *corner = def->triangles + 3 * (size_t)i;
        ashi_surface_facet(surface, def->points[corner[0]], def->points[corner[1]], def->points[corner[2]]);
        if (def->open)
            ashi_surface_facet(surface, def->points[corner[0]], def->points[corner[2]], def->points[corner[1]]);
    }
}

static void add_height_field(ashi_triangle_list *surface, const ash_geometry_def *def)
{
    uint32_t count = 2 * (def->cells[0] - 1) * (def->cells[1] - 1);
    for (uint32_t i = 0; i < count && !surface->failed; i++) {
        ash_vec3 corners[3];
        ashi_height_triangle(def, i, corners);
        ashi_surface_facet(surface, corners[0], corners[1], corners[2]);
    }
}

/* ---- flat kinds: seen from +z ---- */

/* A convex outline, counter-clockwise. */
static void add_outline(ashi_triangle_list *surface, const ash_vec3 *points, uint32_t count)
{
    uint32_t first = surface->points.count;
    for (uint32_t i = 0; i < count; i++)
        ashi_surface_point(surface, v3(points[i].x, points[i].y, 0), v3(0, 0, 1));
    for (uint32_t i = 2; i < count; i++)
        ashi_surface_triangle(surface, first, first + i - 1, first + i);
}

/* All points within a radius of the line between two. */
static void add_rounded_line(ashi_triangle_list *surface, ash_vec3 from, ash_vec3 to, double radius)
{
    ash_vec3 outline[2 * AROUND + 2];
    uint32_t count = 0;
    double x = to.x - from.x, y = to.y - from.y, length = sqrt(x * x + y * y);
    ash_vec3 along = length > 0 ? v3(x / length, y / length, 0) : v3(1, 0, 0), left = v3(-along.y, along.x, 0);
    int last = length > 0 ? AROUND : AROUND - 1; /* without a line, the next half circle begins where the first one
                                                    ends */
    for (int half = 0; half < 2; half++)
        for (int i = 0; i <= last; i++) {
            double angle = ASHI_PI * (half + (double)i / AROUND), c = ashi_cos(angle), s = ashi_sin(angle);
            ash_vec3 way = v3_add(v3_scale(left, radius * c), v3_scale(along, -radius * s));
            outline[count++] = v3_add(half == 0 ? from : to, way);
        }
    add_outline(surface, outline, count);
}

/* ---- all ---- */

static void add(ashi_triangle_list *surface, const ash_geometry *geometry, double extent, double breadth);

static void add_parts(ashi_triangle_list *surface, const ash_geometry_def *def, double extent, double breadth)
{
    for (uint32_t k = 0; k < def->part_count && !surface->failed; k++) {
        uint32_t first = surface->points.count;
        ash_transform pose = def->parts[k].pose;
        add(surface, def->parts[k].geometry, extent, breadth);
        for (uint32_t i = first; i < surface->points.count && !surface->failed; i++) {
            surface->points.data[i] = t_point(pose, surface->points.data[i]);
            surface->normals.data[i] = q_rotate(pose.rotation, surface->normals.data[i]);
        }
    }
}

static void add(ashi_triangle_list *surface, const ash_geometry *geometry, double extent, double breadth)
{
    const ash_geometry_def *def = &geometry->def;
    const ash_vec3 square[4] = {v3(-extent, -extent, 0), v3(extent, -extent, 0), v3(extent, extent, 0),
                                v3(-extent, extent, 0)};
    const ash_vec3 *ends;
    switch (def->kind) {
    case ASH_GEOMETRY_SPHERE:
        add_round(surface, def->radius, 0);
        break;
    case ASH_GEOMETRY_CAPSULE:
        add_round(surface, def->radius, def->height);
        break;
    case ASH_GEOMETRY_BOX:
        add_box(surface, def->half_extents);
        break;
    case ASH_GEOMETRY_CYLINDER:
        add_cylinder(surface, def->radius, def->height);
        break;
    case ASH_GEOMETRY_CONE:
        add_cone(surface, def->radius, def->height);
        break;
    case ASH_GEOMETRY_ELLIPSOID:
        add_ellipsoid(surface, def->half_extents);
        break;
    case ASH_GEOMETRY_HULL:
    case ASH_GEOMETRY_MESH:
        add_mesh(surface, def);
        break;
    case ASH_GEOMETRY_PLANE:
        add_outline(surface, square, 4);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        add_height_field(surface, def);
        break;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        ashi_surface_of_field(surface, geometry);
        break;
    case ASH_GEOMETRY_COMPOUND:
        add_parts(surface, def, extent, breadth);
        break;
    case ASH_GEOMETRY_CIRCLE:
        add_rounded_line(surface, v3(0, 0, 0), v3(0, 0, 0), def->radius);
        break;
    case ASH_GEOMETRY_POLYGON:
        add_outline(surface, def->points, def->point_count);
        break;
    case ASH_GEOMETRY_FLAT_CAPSULE:
        add_rounded_line(surface, v3(-def->height / 2, 0, 0), v3(def->height / 2, 0, 0), def->radius);
        break;
    case ASH_GEOMETRY_SEGMENT:
        ends = ashi_segment_ends(def);
        add_rounded_line(surface, ends[0], ends[1], def->radius > breadth ? def->radius : breadth);
        break;
    case ASH_GEOMETRY_KINDS:
        break;
    }
}

ash_status ash_geometry_triangulate(const ash_geometry *geometry, double extent, double breadth,
                                    ash_triangulation *surface, ash_diagnostic *diagnostic)
{
    if (geometry == NULL || surface == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "geometry.null", "the geometry or the result is null");
    ashi_triangle_list made = {0};
    *surface = (ash_triangulation){0};
    add(&made, geometry, extent, breadth);
    if (made.failed) {
        ashi_array_release(&made.points);
        ashi_array_release(&made.normals);
        ashi_array_release(&made.triangles);
        return ashi_out_of_memory(diagnostic);
    }
    *surface = (ash_triangulation){made.points.data, made.normals.data, made.triangles.data, made.points.count,
                                   made.triangles.count / 3};
    return ASH_OK;
}

void ash_triangulation_release(ash_triangulation *surface)
{
    if (surface == NULL)
        return;
    ashi_dealloc(surface->points);
    ashi_dealloc(surface->normals);
    ashi_dealloc(surface->triangles);
    *surface = (ash_triangulation){0};
}
