/* The surfaces of all bodies of a recording as one mesh of triangles whose points move. */
#include "app/export/surface_mesh.h"

#include <math.h>
#include <string.h>

#include "ashlar/vector.h"
#include "math/vec3.h"

static const ash_triangulation *surface_of(const cli_surface_mesh *m, uint32_t shape)
{
    return &m->motion->surfaces[m->motion->scene->shapes.data[shape].geometry].triangles;
}

static void count(cli_surface_mesh *m)
{
    const ash_scene *scene = m->motion->scene;
    for (uint32_t i = 0; i < scene->shapes.count; i++) {
        m->points += surface_of(m, i)->point_count;
        m->triangles += surface_of(m, i)->triangle_count;
    }
}

bool cli_surface_mesh_make(const cli_motion *motion, ashi_arena *arena, cli_surface_mesh *m)
{
    const ash_scene *scene = motion->scene;
    *m = (cli_surface_mesh){.motion = motion};
    count(m);
    m->corners = ashi_arena_take_array(arena, 3 * (size_t)m->triangles, sizeof *m->corners);
    m->bodies = ashi_arena_take_array(arena, m->points, sizeof *m->bodies);
    if (m->corners == NULL || m->bodies == NULL)
        return false;
    uint32_t point = 0, corner = 0;
    for (uint32_t b = 0; b < scene->bodies.count; b++)
        for (uint32_t k = 0; k < scene->bodies.data[b].shape_count; k++) {
            const ash_triangulation *t = surface_of(m, scene->bodies.data[b].first_shape + k);
            for (uint32_t i = 0; i < 3 * t->triangle_count; i++)
                m->corners[corner++] = (int32_t)(point + t->triangles[i]);
            for (uint32_t i = 0; i < t->point_count; i++)
                m->bodies[point++] = (int32_t)b;
        }
    return true;
}

/* The points of a body's shapes at a frame, and their velocities. One that is not in the world has shrunk to a point.
 */
static uint32_t place_body(const cli_surface_mesh *m, uint32_t frame, uint32_t body, uint32_t point, double *places,
                           double *speeds)
{
    const ash_scene *scene = m->motion->scene;
    const ashi_scene_body *b = &scene->bodies.data[body];
    uint64_t at = cli_motion_at(m->motion, frame, body);
    ash_transform pose = {m->motion->positions[at], m->motion->rotations[at]};
    bool present = !isnan(pose.position.x);
    ash_vec3 centre = ash_transform_point(pose, m->motion->centres[body]);
    for (uint32_t k = 0; k < b->shape_count; k++) {
        const ashi_scene_shape *shape = &scene->shapes.data[b->first_shape + k];
        const ash_triangulation *t = surface_of(m, b->first_shape + k);
        for (uint32_t i = 0; i < t->point_count; i++, point++) {
            ash_vec3 p = {0, 0, 0}, v = {0, 0, 0};
            if (present) {
                p = ash_transform_point(pose, ash_transform_point(shape->pose, t->points[i]));
                v = v3_add(m->motion->velocities[at], v3_cross(m->motion->spins[at], v3_sub(p, centre)));
            }
            const double place[3] = {p.x, p.y, p.z}, speed[3] = {v.x, v.y, v.z};
            memcpy(places + 3 * (size_t)point, place, sizeof place);
            memcpy(speeds + 3 * (size_t)point, speed, sizeof speed);
        }
    }
    return point;
}

void cli_surface_mesh_place(const cli_surface_mesh *m, uint32_t frame, double *places, double *speeds)
{
    uint32_t point = 0;
    for (uint32_t b = 0; b < m->motion->scene->bodies.count; b++)
        point = place_body(m, frame, b, point, places, speeds);
}
