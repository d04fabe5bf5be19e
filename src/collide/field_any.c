/* Distance fields against everything: points of each in the distance of the other (probe.h), as Erleben 2007 collides
 * his cows, by signed distance maps and sphere trees.
 *
 * A grid reaches a little (a cell or two, and at least the contact margin) beyond what was sampled, with a spacing below
 * half of its thinnest part. */
#include "collide/closest.h"
#include "collide/pairs.h"
#include "collide/probe.h"
#include "shape/distance_field.h"

/* Corners of the triangles by which times of impact go lie up to a part of a cell farther out than the surface points.
 * A body held where one of them touched needs a contact there until its points are near. */
static void on_plane(ashi_hunt *hunt)
{
    const ashi_pair *pair = hunt->pair;
    ashi_probe_samples(hunt, ASHI_SIDE_B);
    if (hunt->grouping || isfinite(hunt->deepest.depth))
        return;
    uint32_t cell;
    ash_vec3 down = q_unrotate(pair->b_in_a.rotation, v3(0, 0, -1));
    ash_vec3 lowest = t_point(pair->b_in_a, ashi_field_farthest(pair->b, down, &cell));
    ashi_probe_point(hunt, ASHI_SIDE_B, lowest, pair->b->field->samples.points.count + cell);
}

static void on_convex(ashi_hunt *hunt)
{
    ashi_probe_convex(hunt);
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
    ashi_probe_samples(hunt, ASHI_SIDE_B);
}

bool ashi_collide_field_plane(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return ashi_hunt_run(pair, manifolds, on_plane);
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
