/* Views of boxes and hulls as polyhedra. */
#include "collide/convex/polyhedron.h"

/* A box's vertices are numbered by the bits of their signs, x lowest; its faces are +x, -x, +y, -y, +z, -z. */
static const ashi_half_edge box_edges[24] = {
    {1, 22, 1, 0},  {3, 10, 2, 0},  {7, 17, 3, 0},  {5, 13, 0, 0},  /* +x */
    {0, 15, 5, 1},  {4, 19, 6, 1},  {6, 8, 7, 1},   {2, 20, 4, 1},  /* -x */
    {2, 6, 9, 2},   {6, 18, 10, 2}, {7, 1, 11, 2},  {3, 21, 8, 2},  /* +y */
    {0, 23, 13, 3}, {1, 3, 14, 3},  {5, 16, 15, 3}, {4, 4, 12, 3},  /* -y */
    {4, 14, 17, 4}, {5, 2, 18, 4},  {7, 9, 19, 4},  {6, 5, 16, 4},  /* +z */
    {0, 7, 21, 5},  {2, 11, 22, 5}, {3, 0, 23, 5},  {1, 12, 20, 5}, /* -z */
};

static ashi_polyhedron view_of_box(ash_vec3 h, ashi_box_room *room)
{
    static const ash_vec3 normals[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const double sizes[3] = {h.x, h.y, h.z};
    for (uint32_t i = 0; i < 8; i++)
        room->points[i] = v3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    for (uint32_t f = 0; f < 6; f++)
        room->faces[f] = (ashi_hull_face){normals[f], sizes[f / 2], 4 * f, 4};
    double least = h.x < h.y ? h.x : h.y;
    return (ashi_polyhedron){room->points, room->faces, box_edges, 8, 6, 24, least < h.z ? least : h.z};
}

ashi_polyhedron ashi_polyhedron_of(const ash_geometry *geometry, ashi_box_room *room)
{
    if (geometry->def.kind == ASH_GEOMETRY_BOX)
        return view_of_box(geometry->def.half_extents, room);
    const ashi_hull *hull = geometry->hull;
    /* A box with half sizes a >= b >= c has moments m (b2 + c2) / 3, m (a2 + c2) / 3, m (a2 + b2) / 3. */
    ash_vec3 moments = geometry->unit_mass.principal;
    double square = 1.5 * (moments.x + moments.y - moments.z) / geometry->unit_mass.mass;
    return (ashi_polyhedron){geometry->def.points,         hull->faces,      hull->edges,
                             geometry->def.point_count,    hull->face_count, hull->edge_count,
                             square > 0 ? sqrt(square) : 0};
}

uint32_t ashi_polyhedron_support(const ashi_polyhedron *solid, ash_vec3 direction)
{
    uint32_t best = 0;
    double farthest = v3_dot(solid->points[0], direction);
    for (uint32_t i = 1; i < solid->point_count; i++) {
        double reach = v3_dot(solid->points[i], direction);
        if (reach > farthest) {
            farthest = reach;
            best = i;
        }
    }
    return best;
}

uint32_t ashi_polyhedron_face_at(const ashi_polyhedron *solid, uint32_t vertex, ash_vec3 direction)
{
    uint32_t first = 0, best = 0;
    while (first + 1 < solid->edge_count && solid->edges[first].origin != vertex)
        first++;
    double most = -INFINITY;
    uint32_t edge = first;
    do {
        uint32_t face = solid->edges[edge].face;
        double along = v3_dot(solid->faces[face].normal, direction);
        if (along > most) {
            most = along;
            best = face;
        }
        edge = solid->edges[solid->edges[edge].twin].next; /* the next one that leaves the vertex */
    } while (edge != first);
    return best;
}
