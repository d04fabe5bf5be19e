/* Patches: the face of a box or hull whose normal is nearest to the direction, the disc or the straight line of a
 * cylinder or cone, the segment of a capsule, the point of a sphere or ellipsoid. A disc is given by a regular polygon
 * that is fixed to the geometry, so that its corners keep their numbers while the geometry turns; the corner nearest to
 * the disc's farthest point is replaced by it, so that the depth of a tilted disc is exact. */
#include "collide/convex/support_face.h"

#include "collide/convex/convex.h"
#include "shape/hull.h"

static void add(ashi_support_face *front, ash_vec3 point, uint32_t feature)
{
    front->points[front->count] = point;
    front->features[front->count++] = feature;
}

static void box_face(const ash_geometry_def *def, ash_vec3 d, ashi_support_face *front)
{
    ash_vec3 h = def->half_extents, size = v3_abs(d);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    double along = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
    uint32_t side = along < 0 ? 0 : 1u << axis, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
    const uint32_t around[4] = {side, side | u, side | u | v, side | v};
    for (int k = 0; k < 4; k++) {
        uint32_t c = around[side == 0 ? 3 - k : k];
        add(front, v3((c & 1) != 0 ? h.x : -h.x, (c & 2) != 0 ? h.y : -h.y, (c & 4) != 0 ? h.z : -h.z), c);
    }
    double sign = along < 0 ? -1 : 1;
    front->normal = v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

static void hull_face(const ash_geometry *geometry, ash_vec3 d, ashi_support_face *front)
{
    const ashi_hull *hull = geometry->hull;
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t f = 0; f < hull->face_count; f++) {
        double along = v3_dot(hull->faces[f].normal, d);
        if (along > most) {
            most = along;
            best = f;
        }
    }
    const ashi_hull_face *face = &hull->faces[best];
    uint32_t corners = face->edge_count < ASHI_SUPPORT_FACE_MOST ? face->edge_count : ASHI_SUPPORT_FACE_MOST;
    for (uint32_t k = 0; k < corners; k++) {
        uint32_t edge = face->first_edge + (uint32_t)((uint64_t)k * face->edge_count / corners);
        uint32_t vertex = hull->edges[edge].origin;
        add(front, geometry->def.points[vertex], vertex);
    }
    front->normal = face->normal;
}

/* The disc at height z, counter-clockwise seen along `sign` z from outside. */
static void disc(double radius, double z, double sign, ashi_support_face *front)
{
    const double s = 0.70710678118654752;
    static const int around[ASHI_SUPPORT_FACE_RIM][2] = {{2, 0},  {1, 1},   {0, 2},  {-1, 1},
                                                         {-2, 0}, {-1, -1}, {0, -2}, {1, -1}};
    for (uint32_t k = 0; k < ASHI_SUPPORT_FACE_RIM; k++) {
        uint32_t c = sign > 0 ? k : ASHI_SUPPORT_FACE_RIM - 1 - k;
        double unit = c % 2 == 0 ? 0.5 : s;
        add(front, v3(radius * unit * around[c][0], radius * unit * around[c][1], z), 64 + c + (sign > 0 ? 8 : 0));
    }
    front->normal = v3(0, 0, sign);
}

static void move_corner_to_support(ash_vec3 support, ashi_support_face *front)
{
    uint32_t nearest = 0;
    for (uint32_t k = 1; k < front->count; k++)
        if (v3_norm2(v3_sub(front->points[k], support)) < v3_norm2(v3_sub(front->points[nearest], support)))
            nearest = k;
    front->points[nearest] = support;
    front->support_feature = front->features[nearest];
}

static ash_vec3 radial(ash_vec3 d)
{
    ash_vec3 u = v3_unit(v3(d.x, d.y, 0));
    return v3_norm2(u) > 0 ? u : v3(1, 0, 0);
}

static void cylinder_front(const ash_geometry_def *def, ash_vec3 d, ashi_support_face *front)
{
    if (d.z * d.z > 0.5) {
        disc(def->radius, d.z < 0 ? -def->height / 2 : def->height / 2, d.z < 0 ? -1 : 1, front);
        return;
    }
    ash_vec3 u = v3_scale(radial(d), def->radius);
    add(front, v3(u.x, u.y, -def->height / 2), 80);
    add(front, v3(u.x, u.y, def->height / 2), 81);
}

static void cone_front(const ash_geometry_def *def, ash_vec3 d, ashi_support_face *front)
{
    ash_vec3 u = radial(d), slope = v3_unit(v3(def->height * u.x, def->height * u.y, def->radius));
    if (-d.z > v3_dot(slope, d)) {
        disc(def->radius, -def->height / 2, -1, front);
        return;
    }
    add(front, v3(def->radius * u.x, def->radius * u.y, -def->height / 2), 80);
    add(front, v3(0, 0, def->height / 2), 32);
}

void ashi_support_face_towards(const ash_geometry *geometry, ash_transform pose, ash_vec3 direction,
                               ashi_support_face *front)
{
    const ash_geometry_def *def = &geometry->def;
    ash_vec3 d = q_unrotate(pose.rotation, direction);
    ashi_convex core = ashi_convex_of(geometry);
    front->count = 0;
    front->radius = core.radius;
    front->normal = d;
    ash_vec3 support = ashi_convex_support(&core, d, &front->support_feature);
    bool curved = ashi_convex_is_curved(&core);
    switch (def->kind) {
    case ASH_GEOMETRY_CAPSULE:
        add(front, v3(0, 0, -def->height / 2), 0);
        add(front, v3(0, 0, def->height / 2), 1);
        break;
    case ASH_GEOMETRY_BOX:
        box_face(def, d, front);
        break;
    case ASH_GEOMETRY_CYLINDER:
        cylinder_front(def, d, front);
        break;
    case ASH_GEOMETRY_CONE:
        cone_front(def, d, front);
        break;
    case ASH_GEOMETRY_HULL:
        hull_face(geometry, d, front);
        break;
    default:
        break;
    }
    if (curved && front->count > 0)
        move_corner_to_support(support, front);
    if (front->count == 0)
        add(front, support, curved ? 0 : front->support_feature);
    for (uint32_t k = 0; k < front->count; k++) {
        front->points[k] = t_point(pose, front->points[k]);
        front->features[k]++;
    }
    front->support = t_point(pose, support);
    front->support_feature++;
    front->normal = q_rotate(pose.rotation, front->normal);
}
