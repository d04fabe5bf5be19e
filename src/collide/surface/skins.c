/* Collects the touches of two surfaces and tests whether their features overlap. */
#include "collide/surface/skins.h"

#include "shape/geometry.h"

/* The depth of overlap searched at first, as a share of the smaller surface's thinnest extent. */
#define REACH 0.05

void ashi_skins_begin(ashi_skins *s, const ashi_pair *pair)
{
    const ash_geometry *geometry[2] = {pair->a, pair->b};
    s->size = s->extent = INFINITY;
    for (int i = 0; i < 2; i++) {
        s->surface[i] = ashi_surface_of(geometry[i]);
        s->box[i] = ash_geometry_bounds(geometry[i], ash_identity());
        ash_vec3 size = v3_sub(s->box[i].upper, s->box[i].lower);
        s->size = fmin(s->size, v3_max_component(size));
        if (s->surface[i].closed)
            s->extent = fmin(s->extent, fmin(size.x, fmin(size.y, size.z)));
    }
    s->to_other[0] = t_inverse(pair->b_in_a);
    s->to_other[1] = pair->b_in_a;
    s->margin = pair->margin;
    s->reach = fmax(pair->margin, REACH * s->extent);
    s->floor = -INFINITY;
    s->count = 0;
}

bool ashi_skin_contains(const ashi_skins *s, int side, ash_vec3 point)
{
    const ash_geometry *geometry = s->surface[side].geometry;
    return geometry->functions->distance(geometry, point) < -ASHI_SKIN_ROUNDING * s->size;
}

/* Drops the shallower half of the touches, or every other one of equals. */
static void make_room(ashi_skins *s)
{
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < s->count; i++) {
        least = fmin(least, s->touches[i].depth);
        most = fmax(most, s->touches[i].depth);
    }
    double floor = least + (most - least) / 2;
    bool equal = !(floor > least);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (equal ? i % 2 == 0 : s->touches[i].depth >= floor)
            s->touches[kept++] = s->touches[i];
    s->count = kept;
    if (!equal)
        s->floor = floor;
}

void ashi_skins_add(ashi_skins *s, const ashi_skin_touch *touch)
{
    if (!(touch->depth >= s->floor))
        return;
    if (s->count == ASHI_SKIN_MOST)
        make_room(s);
    s->touches[s->count++] = *touch;
}

static bool is_inside_b(const ashi_skins *s, ash_vec3 point, ash_vec3 moved)
{
    return ashi_skin_contains(s, 1, t_point(s->to_other[0], v3_sub(point, moved)));
}

static bool is_inside_a(const ashi_skins *s, ash_vec3 point, ash_vec3 moved)
{
    return ashi_skin_contains(s, 0, v3_add(point, moved));
}

/* Tests points of an edge at and around the place where it passes the other one. An edge of a sharp ridge may be
 * outside the other surface exactly at this place. */
static bool edge_is_inside(const ashi_skins *s, const ash_vec3 ends[2], ash_vec3 at, double depth, ash_vec3 moved,
                           bool (*is_inside)(const ashi_skins *, ash_vec3, ash_vec3))
{
    ash_vec3 along = v3_unit(v3_sub(ends[1], ends[0]));
    for (int step = -2; step <= 2; step++) {
        ash_vec3 point = v3_add_scaled(at, along, 2 * step * depth);
        if (v3_dot(v3_sub(point, ends[0]), along) < 0)
            point = ends[0];
        if (v3_dot(v3_sub(point, ends[1]), along) > 0)
            point = ends[1];
        if (is_inside(s, point, moved))
            return true;
    }
    return false;
}

bool ashi_skin_overlaps(const ashi_skins *s, const ashi_skin_touch *t, ash_vec3 moved)
{
    ash_vec3 on_b = v3_add_scaled(t->on_a, t->normal, -t->depth);
    switch (t->kind) {
    case ASHI_CORNER_OF_A: /* on a flush side a corner is not inside anything, but points next to it are */
        return is_inside_b(s, t->on_a, moved) || is_inside_b(s, v3_add_scaled(t->on_a, t->inward, t->depth), moved);
    case ASHI_CORNER_OF_B:
        return is_inside_a(s, on_b, moved) || is_inside_a(s, v3_add_scaled(on_b, t->inward, t->depth), moved);
    default:
        return edge_is_inside(s, t->edge_a, t->on_a, t->depth, moved, is_inside_b) ||
               edge_is_inside(s, t->edge_b, on_b, t->depth, moved, is_inside_a);
    }
}
