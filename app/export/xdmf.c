/* XDMF for ParaView and VisIt: the surfaces of all bodies as one mesh of triangles whose points move, with the velocity
 * of each point and the number of its body. The .xdmf is a text that says what the data sets of the .h5 beside it are.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/svg_frame.h"
#include "app/export/motion.h"
#include "ashlar/vector.h"
#include "base/arena.h"
#include "math/vec3.h"
#include "scene/record/table.h"

typedef struct surface_mesh {
    const cli_motion *motion;
    ashi_arena *arena;
    ASHI_ARRAY(ashi_table_column) columns;
    uint32_t points, triangles;
    int32_t *corners, *bodies;
    const char *data; /* the name of the .h5, without its folder */
} surface_mesh;

static const ash_triangulation *surface_of(const surface_mesh *m, uint32_t shape)
{
    return &m->motion->surfaces[m->motion->scene->shapes.data[shape].geometry].triangles;
}

static bool add(surface_mesh *m, const char *group, const char *name, const char *unit, uint32_t rows, uint32_t width,
                const double *numbers, const int32_t *wholes)
{
    if (!ashi_array_extend(&m->columns))
        return false;
    m->columns.data[m->columns.count - 1] = (ashi_table_column){
        .group = group, .name = name, .unit = unit, .numbers = numbers, .wholes = wholes, .rows = rows, .width = width};
    return true;
}

/* Calls for each shape that is drawn: its body, its number, and the number of its first point. */
static void count(surface_mesh *m)
{
    const ash_scene *scene = m->motion->scene;
    for (uint32_t i = 0; i < scene->shapes.count; i++) {
        m->points += surface_of(m, i)->point_count;
        m->triangles += surface_of(m, i)->triangle_count;
    }
}

static bool make_mesh(surface_mesh *m)
{
    const ash_scene *scene = m->motion->scene;
    m->corners = ashi_arena_take_array(m->arena, 3 * (size_t)m->triangles, sizeof *m->corners);
    m->bodies = ashi_arena_take_array(m->arena, m->points, sizeof *m->bodies);
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
    return add(m, "mesh", "triangles", "", m->triangles, 3, NULL, m->corners) &&
           add(m, "mesh", "body", "", m->points, 1, NULL, m->bodies);
}

/* The points of a body's shapes at a frame, and their velocities. One that is not in the world has shrunk to a point.
 */
static uint32_t place_body(const surface_mesh *m, uint32_t frame, uint32_t body, uint32_t point, double *places,
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

static bool make_frames(surface_mesh *m)
{
    for (uint32_t f = 0; f < m->motion->frames.count; f++) {
        double *places = ashi_arena_take_array(m->arena, 3 * (size_t)m->points, sizeof *places);
        double *speeds = ashi_arena_take_array(m->arena, 3 * (size_t)m->points, sizeof *speeds);
        char *name = ashi_arena_take(m->arena, 16);
        if (places == NULL || speeds == NULL || name == NULL)
            return false;
        snprintf(name, 16, "%06u", (unsigned)f);
        uint32_t point = 0;
        for (uint32_t b = 0; b < m->motion->scene->bodies.count; b++)
            point = place_body(m, f, b, point, places, speeds);
        if (!add(m, "points", name, "m", m->points, 3, places, NULL) ||
            !add(m, "velocity", name, "m/s", m->points, 3, speeds, NULL))
            return false;
    }
    return true;
}

static void put_item(FILE *stream, const surface_mesh *m, uint32_t rows, uint32_t width, const char *type, int bytes,
                     const char *group, const char *name)
{
    fprintf(stream, "<DataItem Dimensions=\"%u", (unsigned)rows);
    if (width > 1)
        fprintf(stream, " %u", (unsigned)width);
    fprintf(stream, "\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", type, bytes);
    cli_svg_escaped(m->data, stream);
    fprintf(stream, ":/%s/%s</DataItem>", group, name);
}

static bool put_text(FILE *stream, const void *user)
{
    const surface_mesh *m = user;
    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
          "<Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          stream);
    for (uint32_t f = 0; f < m->motion->frames.count; f++) {
        char name[16];
        snprintf(name, sizeof name, "%06u", (unsigned)f);
        fprintf(stream, "<Grid Name=\"%s\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", name,
                m->motion->times[f]);
        fprintf(stream, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%u\">", (unsigned)m->triangles);
        put_item(stream, m, m->triangles, 3, "Int", 4, "mesh", "triangles");
        fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">", stream);
        put_item(stream, m, m->points, 3, "Float", 8, "points", name);
        fputs("</Geometry>\n<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">", stream);
        put_item(stream, m, m->points, 3, "Float", 8, "velocity", name);
        fputs("</Attribute>\n<Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Node\">", stream);
        put_item(stream, m, m->points, 1, "Int", 4, "mesh", "body");
        fputs("</Attribute>\n</Grid>\n", stream);
    }
    fputs("</Grid>\n</Domain>\n</Xdmf>\n", stream);
    return true;
}

int cli_write_xdmf(const cli_motion *motion, const char *path)
{
    enum { MOST_BYTES = 2000000000 };
    char data[4096];
    ash_diagnostic diagnostic = {0};
    surface_mesh m = {.motion = motion, .arena = ashi_arena_create(1 << 16)};
    snprintf(data, sizeof data, "%.*s.h5", (int)(strlen(path) - strlen(".xdmf")), path);
    m.data = strrchr(data, '/') != NULL ? strrchr(data, '/') + 1 : data;
    count(&m);
    int status = CLI_BAD_INPUT;
    if (m.points == 0)
        cli_error("convert: no body of this recording has a shape");
    else if (48.0 * m.points * motion->frames.count > MOST_BYTES)
        cli_error("convert: %u points in %u frames are more than 2 GB; --rate takes fewer frames", (unsigned)m.points,
                  (unsigned)motion->frames.count);
    else if (m.arena == NULL || !make_mesh(&m) || !make_frames(&m))
        cli_error("out of memory");
    else if (ashi_write_table(data, m.columns.data, m.columns.count, 0, motion->scene->name, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else
        status = cli_write_drawing(path, put_text, &m);
    ashi_array_release(&m.columns);
    ashi_arena_destroy(m.arena);
    return status;
}
