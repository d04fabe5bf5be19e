/* Distance fields against everything but planes (surface_plane.c): points of each are tested against the distance of
 * the other (probe.h), as in Erleben 2007 for the cows, with signed distance maps and sphere trees.
 *
 * A grid should extend a little (a cell or two, and at least the contact margin) beyond the sampled solid, with a
 * spacing below half of its thinnest part. */
#include "collide/field/probe.h"
#include "collide/pairs.h"

static void on_convex(ashi_hunt *hunt)
{
    if (ashi_probe_convex(hunt))
        ashi_probe_corners(hunt, ASHI_SIDE_B);
    else
        ashi_probe_samples(hunt, ASHI_SIDE_B);
}

static void on_field(ashi_hunt *hunt)
{
    ashi_probe_cores(hunt);
    ashi_probe_samples(hunt, ASHI_SIDE_A);
    ashi_probe_samples(hunt, ASHI_SIDE_B);
}

static void on_surface(ashi_hunt *hunt)
{
    ashi_probe_surface(hunt);
    ashi_probe_corners(hunt, ASHI_SIDE_B);
}

bool ashi_collide_convex_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_hunt_run(pair, manifolds, on_convex);
}

bool ashi_collide_field_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_hunt_run(pair, manifolds, on_field);
}

bool ashi_collide_mesh_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_hunt_run(pair, manifolds, on_surface);
}

bool ashi_collide_height_field_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_hunt_run(pair, manifolds, on_surface);
}
