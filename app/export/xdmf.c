/* XDMF for ParaView and VisIt: the surfaces of all bodies as one mesh of triangles whose points move, with the velocity
 * of each point and the number of its body. The .xdmf is a text that says what the data sets of the .h5 beside it are.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/svg_frame.h"
#include "app/export/surface_mesh.h"
#include "scene/record/table.h"

typedef struct xdmf {
    cli_surface_mesh mesh;
    ashi_arena *arena;
    ASHI_ARRAY(ashi_table_column) columns;
    const char *data; /* the name of the .h5, without its folder */
} xdmf;

static bool add(xdmf *m, const char *group, const char *name, const char *unit, uint32_t rows, uint32_t width,
                const double *numbers, const int32_t *wholes)
{
    if (!ashi_array_extend(&m->columns))
        return false;
    m->columns.data[m->columns.count - 1] = (ashi_table_column){
        .group = group, .name = name, .unit = unit, .numbers = numbers, .wholes = wholes, .rows = rows, .width = width};
    return true;
}

static bool make_columns(xdmf *m)
{
    if (!add(m, "mesh", "triangles", "", m->mesh.triangles, 3, NULL, m->mesh.corners) ||
        !add(m, "mesh", "body", "", m->mesh.points, 1, NULL, m->mesh.bodies))
        return false;
    for (uint32_t f = 0; f < m->mesh.motion->frames.count; f++) {
        double *places = ashi_arena_take_array(m->arena, 3 * (size_t)m->mesh.points, sizeof *places);
        double *speeds = ashi_arena_take_array(m->arena, 3 * (size_t)m->mesh.points, sizeof *speeds);
        char *name = ashi_arena_take(m->arena, 16);
        if (places == NULL || speeds == NULL || name == NULL)
            return false;
        snprintf(name, 16, "%06u", (unsigned)f);
        cli_surface_mesh_place(&m->mesh, f, places, speeds);
        if (!add(m, "points", name, "m", m->mesh.points, 3, places, NULL) ||
            !add(m, "velocity", name, "m/s", m->mesh.points, 3, speeds, NULL))
            return false;
    }
    return true;
}

static void put_item(FILE *stream, const xdmf *m, uint32_t rows, uint32_t width, const char *type, int bytes,
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
    const xdmf *m = user;
    fputs("<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
          "<Grid Name=\"run\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
          stream);
    for (uint32_t f = 0; f < m->mesh.motion->frames.count; f++) {
        char name[16];
        snprintf(name, sizeof name, "%06u", (unsigned)f);
        fprintf(stream, "<Grid Name=\"%s\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", name,
                m->mesh.motion->times[f]);
        fprintf(stream, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%u\">", (unsigned)m->mesh.triangles);
        put_item(stream, m, m->mesh.triangles, 3, "Int", 4, "mesh", "triangles");
        fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">", stream);
        put_item(stream, m, m->mesh.points, 3, "Float", 8, "points", name);
        fputs("</Geometry>\n<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">", stream);
        put_item(stream, m, m->mesh.points, 3, "Float", 8, "velocity", name);
        fputs("</Attribute>\n<Attribute Name=\"body\" AttributeType=\"Scalar\" Center=\"Node\">", stream);
        put_item(stream, m, m->mesh.points, 1, "Int", 4, "mesh", "body");
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
    xdmf m = {.arena = ashi_arena_create(1 << 16)};
    snprintf(data, sizeof data, "%.*s.h5", (int)(strlen(path) - strlen(".xdmf")), path);
    m.data = strrchr(data, '/') != NULL ? strrchr(data, '/') + 1 : data;
    int status = CLI_BAD_INPUT;
    if (m.arena == NULL || !cli_surface_mesh_make(motion, m.arena, &m.mesh))
        cli_error("out of memory");
    else if (m.mesh.points == 0)
        cli_error("convert: no body of this recording has a shape");
    else if (48.0 * m.mesh.points * motion->frames.count > MOST_BYTES)
        cli_error("convert: %u points in %u frames are more than 2 GB; --rate takes fewer frames",
                  (unsigned)m.mesh.points, (unsigned)motion->frames.count);
    else if (!make_columns(&m))
        cli_error("out of memory");
    else if (ashi_write_table(data, m.columns.data, m.columns.count, 0, motion->scene->name, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else
        status = cli_write_drawing(path, put_text, &m);
    ashi_array_release(&m.columns);
    ashi_arena_destroy(m.arena);
    return status;
}
