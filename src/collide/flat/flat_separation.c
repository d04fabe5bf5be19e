/* Distance and penetration of flat convex sets: points, segments and polygons with a radius around them.
 *
 * The difference of two convex polygons is a polygon whose sides are those of both. If cores overlap, the least depth
 * is therefore along the normal of a side; if they are apart, the closest points are a corner of one and a point on a
 * side of the other. */
#include "collide/convex/core.h"
#include "shape/triangle.h"

/* The best side or pair of points so far. */
typedef struct search {
    double gap; /* largest distance of the other set beyond a side; negative: overlap along all sides */
    ash_vec3 gap_normal;
    ash_vec3 gap_corner; /* the other set's deepest corner */
    double distance2;    /* of corners and sides */
    ash_vec3 on_side, corner;
} search;

/* The least distance of the other set's corners beyond the line through a point, perpendicular to a unit direction. */
static void try_direction(search *s, ash_vec3 through, ash_vec3 normal, const ashi_convex *other, ash_transform pose)
{
    double least = INFINITY;
    ash_vec3 deepest = through;
    for (uint32_t k = 0; k < other->point_count; k++) {
        ash_vec3 corner = t_point(pose, other->points[k]);
        double beyond = v3_dot(normal, v3_sub(corner, through));
        if (beyond < least) {
            least = beyond;
            deepest = corner;
        }
    }
    if (least > s->gap) {
        s->gap = least;
        s->gap_normal = normal;
        s->gap_corner = deepest;
    }
}

/* Tests one set's sides against the corners of the other, whose frame has this pose. */
static void try_sides(search *s, const ashi_convex *sides, const ashi_convex *other, ash_transform pose)
{
    uint32_t count = sides->point_count;
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 from = sides->points[i], to = sides->points[(i + 1) % count];
        for (uint32_t k = 0; k < other->point_count; k++) {
            ash_vec3 corner = t_point(pose, other->points[k]), near = ashi_segment_nearest(from, to, corner);
            double gap2 = v3_norm2(v3_sub(corner, near));
            if (gap2 < s->distance2) {
                s->distance2 = gap2;
                s->on_side = near;
                s->corner = corner;
            }
        }
        if (count == 1)
            return;
        ash_vec3 along = v3_unit(v3_sub(to, from));
        try_direction(s, from, v3(along.y, -along.x, 0), other, pose);
        if (count == 2) /* two segments on one line have sides only along it */
            try_direction(s, from, v3_neg(along), other, pose);
    }
}

/* Both in the frame of the set whose sides were tried; the normal points out of it. */
static ashi_separation across_gap(const search *s)
{
    double distance = sqrt(s->distance2);
    return (ashi_separation){.distance = distance,
                             .normal = v3_scale(v3_sub(s->corner, s->on_side), 1 / distance),
                             .on_a = s->on_side,
                             .on_b = s->corner};
}

static ashi_separation along_side(const search *s)
{
    return (ashi_separation){.distance = s->gap,
                             .normal = s->gap_normal,
                             .on_a = v3_add_scaled(s->gap_corner, s->gap_normal, -s->gap),
                             .on_b = s->gap_corner};
}

ashi_separation ashi_flat_separation(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a)
{
    search of_a = {.gap = -INFINITY, .distance2 = INFINITY}, of_b = of_a;
    try_sides(&of_a, a, b, b_in_a);
    try_sides(&of_b, b, a, t_inverse(b_in_a));
    bool apart = (of_a.gap > 0 || of_b.gap > 0) && of_a.distance2 > 0 && of_b.distance2 > 0;
    bool mirrored = apart ? of_b.distance2 < of_a.distance2 : of_b.gap > of_a.gap;
    const search *best = mirrored ? &of_b : &of_a;
    ashi_separation s = apart ? across_gap(best) : along_side(best);
    if (mirrored) {
        ash_vec3 on_a = t_point(b_in_a, s.on_b);
        s.on_b = t_point(b_in_a, s.on_a);
        s.on_a = on_a;
        s.normal = v3_neg(q_rotate(b_in_a.rotation, s.normal));
    }
    s.converged = true;
    s.distance -= a->radius + b->radius;
    s.on_a = v3_add_scaled(s.on_a, s.normal, a->radius);
    s.on_b = v3_add_scaled(s.on_b, s.normal, -b->radius);
    return s;
}
