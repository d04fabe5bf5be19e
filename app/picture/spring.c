/* Springs and cylinders as one knows them. A coil is a helix of short rods; seen flat it would be cut by the plane, so
 * there it is a zigzag. */
#include <math.h>

#include "app/picture/subject.h"
#include "math/transform.h"
#include "world/world.h"

enum { TURNS = 9, PIECES = 10, ZIGZAG = 18 };

static const double coil_of_length = 0.07, coil_of_line = 12; /* the helix's radius; the smaller one counts */
static const double straight = 0.08;                          /* of the length, at each end */
static const double barrel_of_line = 4.2, rod_of_line = 2.2;

/* Two directions at right angles to this one. */
static void directions(ash_vec3 along, bool flat, ash_vec3 *aside, ash_vec3 *up)
{
    *aside = v3_unit(flat || fabs(along.z) < 0.9 ? v3_cross(v3(0, 0, 1), along) : v3_cross(v3(1, 0, 0), along));
    *up = v3_cross(along, *aside);
}

/* Where the wire is, from 0 at one end of the coil to 1 at the other, off the axis in units of its radius. */
static ash_vec3 offset_at(uint32_t piece, uint32_t pieces, bool flat, ash_vec3 aside, ash_vec3 up)
{
    if (flat)
        return v3_scale(aside, piece == 0 || piece == pieces ? 0 : piece % 2 == 0 ? 1 : -1);
    double angle = 2 * ASHI_PI * piece / PIECES;
    return v3_add_scaled(v3_scale(aside, cos(angle)), up, sin(angle));
}

void cli_subject_add_spring(cli_subject *subject, ash_vec3 from, ash_vec3 to, double line_radius, cli_colour colour)
{
    double length = v3_distance(from, to);
    if (!subject->coils || !(length > 8 * line_radius)) {
        cli_items_add_line(&subject->solids, from, to, line_radius, colour);
        return;
    }
    bool flat = ash_world_is_planar(subject->world);
    uint32_t pieces = flat ? ZIGZAG : TURNS * PIECES;
    double radius = fmin(coil_of_length * length, coil_of_line * line_radius), wire = fmin(line_radius, radius / 3);
    ash_vec3 along = v3_unit(v3_sub(to, from)), aside, up;
    directions(along, flat, &aside, &up);
    ash_vec3 last = from;
    for (uint32_t i = 0; i <= pieces; i++) {
        double share = straight + (1 - 2 * straight) * i / pieces;
        ash_vec3 next =
            v3_add_scaled(v3_add_scaled(from, along, share * length), offset_at(i, pieces, flat, aside, up), radius);
        cli_items_add_line(&subject->solids, last, next, wire, colour);
        last = next;
    }
    cli_items_add_line(&subject->solids, last, to, wire, colour);
}

void cli_subject_add_telescope(cli_subject *subject, ash_vec3 from, ash_vec3 to, double barrel, double line_radius)
{
    double length = v3_distance(from, to);
    ash_vec3 neck = length > barrel ? v3_add_scaled(from, v3_unit(v3_sub(to, from)), barrel) : to;
    cli_items_add_line(&subject->solids, from, neck, barrel_of_line * line_radius, subject->theme.driven);
    cli_items_add_line(&subject->solids, neck, to, rod_of_line * line_radius, subject->theme.fixed);
}
