/* Sutherland and Hodgman 1974 on a convex polygon: a plane cuts off a run of corners and adds at most two. A corner on
 * the plane counts as inside and is not doubled. */
#include "collide/convex/clip.h"

static ashi_corner cut(const ashi_corner *from, const ashi_corner *to, double from_beyond, double to_beyond,
                       uint32_t side)
{
    double t = from_beyond / (from_beyond - to_beyond);
    return (ashi_corner){v3_add_scaled(from->at, v3_sub(to->at, from->at), t), side};
}

static void push(ashi_clip_polygon *polygon, ashi_corner corner)
{
    if (polygon->count < ASHI_CLIP_MOST) /* more can come only from rounding: the polygon was shortened before */
        polygon->corners[polygon->count++] = corner;
}

void ashi_clip(ashi_clip_polygon *polygon, ash_vec3 normal, double offset, uint32_t side, ash_vec3 down)
{
    double beyond[ASHI_CLIP_MOST];
    bool any = false;
    for (uint32_t i = 0; i < polygon->count; i++) {
        beyond[i] = v3_dot(normal, polygon->corners[i].at) - offset;
        any |= beyond[i] > 0;
    }
    if (!any)
        return;
    if (polygon->count + 2 > ASHI_CLIP_MOST) {
        ashi_clip_thin(polygon, ASHI_CLIP_MOST / 2, down);
        for (uint32_t i = 0; i < polygon->count; i++)
            beyond[i] = v3_dot(normal, polygon->corners[i].at) - offset;
    }
    ashi_clip_polygon old;
    old.count = polygon->count;
    for (uint32_t i = 0; i < old.count; i++)
        old.corners[i] = polygon->corners[i];
    polygon->count = 0;
    for (uint32_t i = 0; i < old.count; i++) {
        uint32_t next = i + 1 < old.count ? i + 1 : 0;
        ashi_corner here = old.corners[i];
        if (beyond[i] < 0) {
            push(polygon, here);
            if (beyond[next] > 0)
                push(polygon, cut(&here, &old.corners[next], beyond[i], beyond[next], side));
        } else if (beyond[i] == 0) {
            here.side = beyond[next] > 0 ? side : here.side;
            push(polygon, here);
        } else if (beyond[next] < 0) {
            push(polygon, cut(&here, &old.corners[next], beyond[i], beyond[next], here.side));
        }
    }
}

void ashi_clip_thin(ashi_clip_polygon *polygon, uint32_t most, ash_vec3 down)
{
    uint32_t count = polygon->count, lowest = 0;
    if (count <= most)
        return;
    for (uint32_t i = 1; i < count; i++)
        if (v3_dot(polygon->corners[i].at, down) > v3_dot(polygon->corners[lowest].at, down))
            lowest = i;
    ashi_clip_polygon old;
    for (uint32_t i = 0; i < count; i++)
        old.corners[i] = polygon->corners[i];
    for (uint32_t i = 0; i < most; i++) /* i = 0 is the lowest */
        polygon->corners[i] = old.corners[(lowest + (uint64_t)i * count / most) % count];
    polygon->count = most;
}
