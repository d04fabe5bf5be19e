/* VTKHDF for ParaView: the same surfaces as in XDMF, in one file. */
#include "scene/record/vtkhdf.h"
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/export/surface_mesh.h"

static void place(const void *user, uint32_t frame, double *places, double *velocities)
{
    cli_surface_mesh_place(user, frame, places, velocities);
}

int cli_write_vtkhdf(const cli_motion *motion, const char *path)
{
    enum { MOST_BYTES = 2000000000 };
    ash_diagnostic diagnostic = {0};
    cli_surface_mesh mesh;
    int status = CLI_BAD_INPUT;
    ashi_arena *arena = ashi_arena_create(1 << 16);
    if (arena == NULL || !cli_surface_mesh_make(motion, arena, &mesh))
        cli_error("out of memory");
    else if (mesh.points == 0)
        cli_error("convert: no body of this recording has a shape");
    else if (48.0 * mesh.points * motion->frames.count > MOST_BYTES)
        cli_error("convert: %u points in %u frames are more than 2 GB; --rate takes fewer frames",
                  (unsigned)mesh.points, (unsigned)motion->frames.count);
    else {
        ashi_vtkhdf grid = {.points = mesh.points,
                            .triangles = mesh.triangles,
                            .frames = motion->frames.count,
                            .corners = mesh.corners,
                            .bodies = mesh.bodies,
                            .times = motion->times,
                            .place = place,
                            .user = &mesh};
        status = ashi_write_vtkhdf(path, &grid, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
    }
    ashi_arena_destroy(arena);
    return status;
}
