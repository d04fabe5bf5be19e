/* Surfaces: each geometry of the scene as a message that pages draw it by. Geometries of one content share one. */
#include <math.h>

#include "app/viewer/parts.h"

static const double plane_margin = 2;        /* sizes of the scene by which planes reach beyond it */
static const double segment_breadth = 0.002; /* of the scene's size */
static const double point_radius = 0.009;    /* of the scene's size, for bodies without shapes */
static const double segment_of_body = 0.1;   /* of a body's size at most */

static uint8_t *put_points(uint8_t *at, const ash_vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        at = view_put_point(at, points[i]);
    return at;
}

static bool encode(const ash_triangulation *made, uint32_t number, view_bytes *message)
{
    size_t size = VIEW_SURFACE_HEADER + 24 * (size_t)made->point_count + 12 * (size_t)made->triangle_count;
    uint8_t *at = size <= VIEW_SURFACE_MOST ? view_bytes_reserve(message, size) : NULL;
    if (at == NULL)
        return false;
    at = view_put_u32(view_put_u32(at, VIEW_SURFACE), number);
    at = view_put_u32(view_put_u32(at, made->point_count), made->triangle_count);
    at = put_points(at, made->points, made->point_count);
    at = put_points(at, made->normals, made->point_count);
    for (uint32_t i = 0; i < 3 * made->triangle_count; i++)
        at = view_put_u32(at, made->triangles[i]);
    message->size = size;
    return true;
}

/* The box around a geometry, drawn in place of a surface that is too large for a message. */
static ash_geometry *box_around(const ash_geometry *geometry)
{
    ash_bounds bounds = ash_geometry_bounds(geometry, ash_identity());
    ash_vec3 lower = bounds.lower, upper = bounds.upper, corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = (ash_vec3){i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = corners;
    def.point_count = 8;
    ash_geometry *box = NULL;
    return ash_geometry_create(&def, &box, NULL) == ASH_OK ? box : NULL;
}

static bool draw(const view_session *session, const ash_geometry *geometry, uint32_t number, view_bytes *message)
{
    double extent = session->reach + plane_margin * session->size;
    double breadth = fmin(segment_breadth * session->size, segment_of_body * session->body_size);
    ash_triangulation made;
    if (ash_geometry_triangulate(geometry, extent, breadth, &made, NULL) != ASH_OK)
        return false;
    bool drawn = encode(&made, number, message);
    ash_triangulation_release(&made);
    return drawn;
}

/* The number in `surfaces` of a geometry, made where it is not there yet; ASHI_NONE when it cannot be. */
static uint32_t surface_of(view_session *session, ash_geometry *geometry)
{
    uint64_t hash = ash_geometry_get_hash(geometry);
    ash_geometry_kind kind = ash_geometry_get_definition(geometry)->kind;
    for (uint32_t i = 0; i < session->surfaces.count; i++) {
        const view_surface *known = &session->surfaces.data[i];
        if (known->hash == hash && ash_geometry_get_definition(known->geometry)->kind == kind)
            return i;
    }
    view_bytes message = {0};
    bool drawn = draw(session, geometry, session->next_surface, &message);
    if (!drawn) {
        ash_geometry *box = box_around(geometry);
        drawn = box != NULL && draw(session, box, session->next_surface, &message);
        ash_geometry_release(box);
    }
    if (!drawn || !ashi_array_extend(&session->surfaces)) {
        view_bytes_release(&message);
        return ASHI_NONE;
    }
    session->surfaces.data[session->surfaces.count - 1] =
        (view_surface){ash_geometry_retain(geometry), hash, session->next_surface++, true, message};
    return session->surfaces.count - 1;
}

static uint32_t surface_of_points(view_session *session)
{
    ash_geometry_def def = ash_default_geometry_def(session->scene->planar ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
    def.radius = point_radius * session->size;
    ash_geometry *ball = NULL;
    if (ash_geometry_create(&def, &ball, NULL) != ASH_OK)
        return ASHI_NONE;
    uint32_t surface = surface_of(session, ball);
    ash_geometry_release(ball);
    return surface;
}

static bool has_points(const ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.data[i].shape_count == 0)
            return true;
    return false;
}

void view_surfaces_update(view_session *session)
{
    const ash_scene *scene = session->scene;
    /* Shapes of one geometry of the description are distinguished only once. */
    uint32_t *by_geometry = ashi_alloc_array(scene->geometries.count, sizeof *by_geometry);
    if (by_geometry == NULL || !ashi_array_reserve(&session->shape_surfaces, scene->shapes.count)) {
        ashi_dealloc(by_geometry);
        session->shape_surfaces.count = 0;
        return;
    }
    for (uint32_t i = 0; i < scene->geometries.count; i++)
        by_geometry[i] = surface_of(session, scene->geometries.data[i].geometry);
    session->shape_surfaces.count = scene->shapes.count;
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        session->shape_surfaces.data[i] = by_geometry[scene->shapes.data[i].geometry];
    ashi_dealloc(by_geometry);
    session->point_surface = has_points(scene) ? surface_of_points(session) : ASHI_NONE;
}

void view_surfaces_truncate(view_session *session, uint32_t count)
{
    for (; session->surfaces.count > count; session->surfaces.count--) {
        view_surface *last = &session->surfaces.data[session->surfaces.count - 1];
        ash_geometry_release(last->geometry);
        view_bytes_release(&last->message);
    }
}

void view_surfaces_release(view_session *session)
{
    view_surfaces_truncate(session, 0);
    ashi_array_release(&session->surfaces);
    ashi_array_release(&session->shape_surfaces);
}
