/* Closed forms of the sphere: against a sphere, a box, a cylinder. The closest point of the other surface to the centre
 * gives the normal; a centre inside leaves through the nearest side. */
#include "collide/append.h"
#include "collide/pairs.h"
#include "shape/geometry.h"

/* A contact of the sphere a where `nearest` of b's surface is `away` from its centre along `normal` (negative: the
 * centre is inside b). */
static bool append_sphere(const ashi_pair *pair, ash_vec3 normal, double away, ashi_manifolds *manifolds)
{
    double radius = pair->a->def.radius, depth = radius - away;
    if (!(depth >= -pair->margin))
        return true;
    return ashi_append_point(manifolds, normal, v3_scale(normal, radius), depth);
}

bool ashi_collide_sphere_sphere(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_vec3 to_b = pair->b_in_a.position;
    double distance = v3_norm(to_b);
    if (distance > pair->a->def.radius + pair->b->def.radius + pair->margin)
        return true;
    ash_vec3 normal = v3_norm2(to_b) > 0 ? v3_unit(to_b) : v3(0, 0, 1);
    return append_sphere(pair, normal, distance - pair->b->def.radius, manifolds);
}

/* -1 or 1; 1 for zero. */
static double side_of(double x)
{
    return x < 0 ? -1 : 1;
}

static double clamped(double x, double half)
{
    return x < -half ? -half : x > half ? half : x;
}

bool ashi_collide_sphere_box(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_vec3 half = pair->b->def.half_extents, centre = t_point_inverse(pair->b_in_a, v3(0, 0, 0));
    ash_vec3 nearest = v3(clamped(centre.x, half.x), clamped(centre.y, half.y), clamped(centre.z, half.z));
    ash_vec3 to_box = v3_sub(nearest, centre), normal;
    double away = v3_norm(to_box);
    if (away > pair->a->def.radius + pair->margin)
        return true;
    if (away > 0) {
        normal = v3_unit(to_box);
    } else {
        ash_vec3 room = v3_sub(half, v3_abs(centre));
        if (room.x <= room.y && room.x <= room.z)
            normal = v3(-side_of(centre.x), 0, 0);
        else
            normal = room.y <= room.z ? v3(0, -side_of(centre.y), 0) : v3(0, 0, -side_of(centre.z));
        away = -fmin(room.x, fmin(room.y, room.z));
    }
    return append_sphere(pair, q_rotate(pair->b_in_a.rotation, normal), away, manifolds);
}

bool ashi_collide_sphere_cylinder(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_vec3 centre = t_point_inverse(pair->b_in_a, v3(0, 0, 0)), outward = v3_unit(v3(centre.x, centre.y, 0));
    double radius = pair->b->def.radius, half = pair->b->def.height / 2;
    double across = v3_dot(outward, centre), side = across - radius, cap = fabs(centre.z) - half, away;
    ash_vec3 up = v3(0, 0, side_of(centre.z)), normal;
    if (v3_norm2(outward) == 0)
        outward = v3(1, 0, 0);
    if (side > 0 && cap > 0) {
        ash_vec3 out = v3_add(v3_scale(outward, side), v3_scale(up, cap));
        away = v3_norm(out);
        normal = v3_neg(v3_unit(out));
    } else {
        away = side > cap ? side : cap;
        normal = v3_neg(side > cap ? outward : up);
    }
    if (away > pair->a->def.radius + pair->margin)
        return true;
    return append_sphere(pair, q_rotate(pair->b_in_a.rotation, normal), away, manifolds);
}
