/* Flat parts of convex surfaces. A face counts if it tilts by less than FACE from the direction, an edge or a side line
 * if it tilts by less than EDGE; beyond that its far end cannot be in contact. */
#include "collide/convex/support_feature.h"

#include "shape/hull.h"

#define FACE 0.98 /* cosine */
#define EDGE 0.2  /* sine */

static void add(ashi_support_feature *patch, ash_vec3 point, uint32_t number)
{
    patch->points[patch->count] = point;
    patch->numbers[patch->count++] = number;
}

/* A regular polygon in the circle, counter-clockwise seen from above (seen from below: reversed). */
static void add_circle(ashi_support_feature *patch, double radius, double z, uint32_t first_number)
{
    static const double c = 0.70710678118654752440;
    static const double places[ASHI_SUPPORT_FEATURE_CIRCLE][2] = {{1, 0},  {c, c},   {0, 1},  {-c, c},
                                                                  {-1, 0}, {-c, -c}, {0, -1}, {c, -c}};
    for (uint32_t i = 0; i < ASHI_SUPPORT_FEATURE_CIRCLE; i++) {
        uint32_t place = z >= 0 ? i : ASHI_SUPPORT_FEATURE_CIRCLE - 1 - i;
        add(patch, v3(radius * places[place][0], radius * places[place][1], z), first_number + place);
    }
}

static double component(ash_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void add_box_corner(ashi_support_feature *patch, ash_vec3 half, uint32_t corner)
{
    add(patch, v3(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z), corner);
}

static void box_patch(const ash_geometry *geometry, ash_vec3 d, ashi_support_feature *patch)
{
    ash_vec3 half = geometry->def.half_extents, size = v3_abs(d);
    uint32_t corner = (d.x < 0 ? 0u : 1u) | (d.y < 0 ? 0u : 2u) | (d.z < 0 ? 0u : 4u);
    int most = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int least = size.z <= size.x && size.z <= size.y ? 2 : size.y <= size.x ? 1 : 0;
    add_box_corner(patch, half, corner);
    if (component(size, most) > FACE) {
        /* Around the face: from the second axis to the third; reversed on the negative side. */
        uint32_t second = 1u << (most + 1) % 3, third = 1u << (most + 2) % 3;
        bool along = ((corner & 1u << most) != 0) == (((corner & second) != 0) == ((corner & third) != 0));
        uint32_t first = along ? second : third, last = along ? third : second;
        add_box_corner(patch, half, corner ^ first);
        add_box_corner(patch, half, corner ^ first ^ last);
        add_box_corner(patch, half, corner ^ last);
    } else if (component(size, least) < EDGE) {
        add_box_corner(patch, half, corner ^ 1u << least);
    }
}

static void add_side_line(ashi_support_feature *patch, double radius, double half, ash_vec3 d, uint32_t number)
{
    ash_vec3 side = v3_scale(v3_unit(v3(d.x, d.y, 0)), radius);
    add(patch, v3(side.x, side.y, -half), number);
    add(patch, v3(side.x, side.y, half), number + 1);
}

static void cylinder_patch(const ash_geometry *geometry, ash_vec3 d, ashi_support_feature *patch)
{
    double radius = geometry->def.radius, half = geometry->def.height / 2;
    if (fabs(d.z) > FACE) {
        add_circle(patch, radius, d.z < 0 ? -half : half, d.z < 0 ? 0 : ASHI_SUPPORT_FEATURE_CIRCLE);
    } else if (fabs(d.z) < EDGE) {
        add_side_line(patch, radius, half, d, 2 * ASHI_SUPPORT_FEATURE_CIRCLE);
    }
}

static void cone_patch(const ash_geometry *geometry, ash_vec3 d, ashi_support_feature *patch)
{
    double radius = geometry->def.radius, half = geometry->def.height / 2;
    ash_vec3 outward = v3_unit(v3(d.x, d.y, 0)), rim = v3_add_scaled(v3(0, 0, -half), outward, radius);
    ash_vec3 apex = v3(0, 0, half);
    if (d.z < -FACE) {
        add_circle(patch, radius, -half, 0);
    } else if (v3_norm2(outward) > 0 && fabs(v3_dot(v3_unit(v3_sub(apex, rim)), d)) < EDGE) {
        add(patch, rim, ASHI_SUPPORT_FEATURE_CIRCLE);
        add(patch, apex, ASHI_SUPPORT_FEATURE_CIRCLE + 1);
    }
}

static void add_hull_face(const ash_geometry *geometry, const ashi_hull_face *face, ashi_support_feature *patch)
{
    const ashi_half_edge *edges = geometry->hull->edges + face->first_edge;
    uint32_t count = face->edge_count < ASHI_SUPPORT_FEATURE_MOST ? face->edge_count : ASHI_SUPPORT_FEATURE_MOST;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vertex = edges[(uint64_t)i * face->edge_count / count].origin;
        add(patch, geometry->def.points[vertex], vertex);
    }
}

/* The edge from the outermost vertex with the least tilt. */
static void add_hull_edge(const ash_geometry *geometry, ash_vec3 d, ashi_support_feature *patch)
{
    const ashi_hull *hull = geometry->hull;
    const ash_vec3 *points = geometry->def.points;
    uint32_t vertex = 0, best = UINT32_MAX;
    for (uint32_t i = 1; i < geometry->def.point_count; i++)
        if (v3_dot(points[i], d) > v3_dot(points[vertex], d))
            vertex = i;
    double least = EDGE;
    for (uint32_t i = 0; i < hull->edge_count; i++) {
        if (hull->edges[i].origin != vertex)
            continue;
        uint32_t end = hull->edges[hull->edges[i].next].origin;
        double lean = v3_dot(v3_unit(v3_sub(points[vertex], points[end])), d);
        if (lean < least) {
            least = lean;
            best = end;
        }
    }
    if (best == UINT32_MAX)
        return;
    add(patch, points[vertex < best ? vertex : best], vertex < best ? vertex : best);
    add(patch, points[vertex < best ? best : vertex], vertex < best ? best : vertex);
}

static void hull_patch(const ash_geometry *geometry, ash_vec3 d, ashi_support_feature *patch)
{
    const ashi_hull *hull = geometry->hull;
    uint32_t best = 0;
    double most = -1;
    for (uint32_t i = 0; i < hull->face_count; i++) {
        double along = v3_dot(hull->faces[i].normal, d);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    if (most > FACE)
        add_hull_face(geometry, &hull->faces[best], patch);
    else
        add_hull_edge(geometry, d, patch);
}

void ashi_support_feature_find(const ash_geometry *geometry, ash_vec3 direction, ashi_support_feature *patch)
{
    patch->count = 0;
    switch (geometry->def.kind) {
    case ASH_GEOMETRY_CAPSULE:
        if (fabs(direction.z) < EDGE)
            add_side_line(patch, geometry->def.radius, geometry->def.height / 2, direction, 0);
        break;
    case ASH_GEOMETRY_BOX:
        box_patch(geometry, direction, patch);
        break;
    case ASH_GEOMETRY_CYLINDER:
        cylinder_patch(geometry, direction, patch);
        break;
    case ASH_GEOMETRY_CONE:
        cone_patch(geometry, direction, patch);
        break;
    case ASH_GEOMETRY_HULL:
        hull_patch(geometry, direction, patch);
        break;
    default: /* spheres and ellipsoids have no flat parts */
        break;
    }
}

void ashi_support_feature_move(ashi_support_feature *patch, ash_transform pose)
{
    for (uint32_t i = 0; i < patch->count; i++)
        patch->points[i] = t_point(pose, patch->points[i]);
}
