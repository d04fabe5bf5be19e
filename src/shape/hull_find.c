/* The convex hull of points by Qhull (Barber, Dobkin & Huhdanpaa 1996), through its reentrant interface. Qhull reports
 * trouble by longjmp: everything that must survive a jump is behind a pointer, and nothing is allocated by us between
 * setjmp and the end of the call. Its messages go to a file in memory, which is discarded. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "shape/hull.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdio.h>

/* Qhull's headers are not clean under our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wundef"
#include <libqhull_r/qhull_ra.h>
#pragma GCC diagnostic pop

/* One run of Qhull: its state, our copy of the points, and what is read out of it. */
typedef struct run {
    qhT qhull;
    FILE *messages;
    char discarded[256];
    coordT *coordinates;
    ashi_hull_faces *faces;
    uint32_t corner_count;
    uint32_t corner_capacity, face_capacity;
} run;

void ashi_hull_faces_release(ashi_hull_faces *faces)
{
    ashi_dealloc(faces->corners);
    ashi_dealloc(faces->ends);
    *faces = (ashi_hull_faces){0};
}

/* Reads one facet; its corners come in order around it, in either sense, and are turned to face outwards. */
static bool read_facet(run *r, facetT *facet)
{
    qhT *qh = &r->qhull;
    setT *vertices = qh_facet3vertex(qh, facet);
    vertexT *vertex, **vertexp;
    uint32_t *corners = r->faces->corners + r->corner_count, count = 0;
    ash_vec3 area = v3(0, 0, 0), base = v3(0, 0, 0), last = v3(0, 0, 0);
    FOREACHvertex_(vertices)
    {
        if (r->corner_count + count >= r->corner_capacity)
            break;
        ash_vec3 here = v3(vertex->point[0], vertex->point[1], vertex->point[2]);
        if (count == 0)
            base = here;
        else
            area = v3_add(area, v3_cross(v3_sub(last, base), v3_sub(here, base)));
        last = here;
        corners[count++] = (uint32_t)qh_pointid(qh, vertex->point);
    }
    qh_settempfree(qh, &vertices);
    if (count < 3 || r->faces->face_count >= r->face_capacity)
        return false;
    if (v3_dot(area, v3(facet->normal[0], facet->normal[1], facet->normal[2])) < 0)
        for (uint32_t i = 0, j = count - 1; i < j; i++, j--) {
            uint32_t swap = corners[i];
            corners[i] = corners[j];
            corners[j] = swap;
        }
    r->corner_count += count;
    r->faces->ends[r->faces->face_count++] = r->corner_count;
    return true;
}

/* Reads all facets; false when Qhull reports an internal error. */
static bool read_facets(run *r)
{
    qhT *qh = &r->qhull;
    if (setjmp(qh->errexit) != 0)
        return false;
    qh->NOerrexit = False;
    facetT *facet;
    FORALLfacets
    {
        if (!read_facet(r, facet))
            return false;
    }
    qh->NOerrexit = True;
    return true;
}

/* Allocates room for Qhull's result, by the sizes of its facets' own sets. */
static bool make_room(run *r)
{
    qhT *qh = &r->qhull;
    facetT *facet;
    size_t faces = 0, corners = 0;
    FORALLfacets
    {
        faces++;
        corners += (size_t)qh_setsize(qh, facet->vertices);
    }
    if (corners > UINT32_MAX)
        return false;
    r->corner_capacity = (uint32_t)corners;
    r->face_capacity = (uint32_t)faces;
    r->faces->corners = ashi_alloc_array(corners, sizeof *r->faces->corners);
    r->faces->ends = ashi_alloc_array(faces, sizeof *r->faces->ends);
    return r->faces->corners != NULL && r->faces->ends != NULL;
}

static ash_status find(run *r, uint32_t count, bool triangles, ash_diagnostic *diagnostic)
{
    qhT *qh = &r->qhull;
    char options[16] = "qhull ";
    if (triangles)
        snprintf(options, sizeof options, "qhull Qt");
    qh_zero(qh, r->messages);
    int trouble = qh_new_qhull(qh, 3, (int)count, r->coordinates, False, options, NULL, r->messages);
    ash_status status = ASH_OK;
    if (trouble == qh_ERRmem)
        status = ashi_out_of_memory(diagnostic);
    else if (trouble != 0)
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "hull.qhull",
                           "Qhull cannot make a hull of the %u points (error %d)", count, trouble);
    else if (!make_room(r))
        status = ashi_out_of_memory(diagnostic);
    else if (!read_facets(r))
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "hull.qhull", "Qhull's hull of the %u points is not a polyhedron",
                           count);
    qh->NOerrexit = True;
    int left_long, left_total;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &left_long, &left_total);
    return status;
}

ash_status ashi_hull_find(const ash_vec3 *points, uint32_t count, bool triangles, ashi_hull_faces *faces,
                          ash_diagnostic *diagnostic)
{
    *faces = (ashi_hull_faces){0};
    run *r = ashi_alloc_zeroed(sizeof *r);
    if (r == NULL)
        return ashi_out_of_memory(diagnostic);
    r->faces = faces;
    r->coordinates = ashi_alloc_array(3 * (size_t)count, sizeof *r->coordinates);
    r->messages = fmemopen(r->discarded, sizeof r->discarded, "w");
    ash_status status;
    if (r->coordinates == NULL || r->messages == NULL) {
        status = ashi_out_of_memory(diagnostic);
    } else {
        /* Relative to the first point: Qhull's tolerances grow with the coordinates. */
        for (uint32_t i = 0; i < count; i++) {
            r->coordinates[3 * (size_t)i] = points[i].x - points[0].x;
            r->coordinates[3 * (size_t)i + 1] = points[i].y - points[0].y;
            r->coordinates[3 * (size_t)i + 2] = points[i].z - points[0].z;
        }
        status = find(r, count, triangles, diagnostic);
    }
    if (r->messages != NULL)
        fclose(r->messages);
    ashi_dealloc(r->coordinates);
    ashi_dealloc(r);
    if (status != ASH_OK)
        ashi_hull_faces_release(faces);
    return status;
}
