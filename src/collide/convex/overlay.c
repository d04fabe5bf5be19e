/* The manifold of two patches: their projections onto a plane perpendicular to the normal are intersected (Sutherland &
 * Hodgman 1974), and at each corner of the result the depth is the height of a's patch above b's. On convex sets no
 * such depth exceeds the depth of the pair along the normal. */
#include "collide/convex/overlay.h"

/* Two lines count as side by side up to this angle (its sine), and up to this share of the shorter one's length
 * apart. */
#define SKEW  0.005
#define ASIDE 0.003
/* In units of the smaller geometry's size: differences up to which a point is as deep as another, and close to it. */
#define AS_DEEP 1e-9
#define NEARBY  0.1

enum { MOST = 2 * ASHI_SUPPORT_FEATURE_MOST };

/* A point in the plane, its height along the normal, and the number of its feature. */
typedef struct spot {
    double x, y, z;
    uint32_t number;
} spot;

typedef struct figure {
    spot spots[MOST];
    uint32_t count;
} figure;

/* The plane's frame; the normal is its third axis. */
typedef struct frame {
    ash_vec3 origin, along, across, normal;
} frame;

static void lay(const frame *f, const ashi_support_feature *patch, figure *out)
{
    out->count = patch->count;
    for (uint32_t i = 0; i < patch->count; i++) {
        ash_vec3 p = v3_sub(patch->points[i], f->origin);
        out->spots[i] =
            (spot){v3_dot(p, f->along), v3_dot(p, f->across), v3_dot(p, f->normal), patch->numbers[i] & 0x7fff};
    }
}

static ash_vec3 lift(const frame *f, double x, double y, double z)
{
    ash_vec3 flat = v3_add_scaled(v3_add_scaled(f->origin, f->along, x), f->across, y);
    return v3_add_scaled(flat, f->normal, z);
}

static spot between(const spot *p, const spot *q, double t, uint32_t number)
{
    return (spot){p->x + (q->x - p->x) * t, p->y + (q->y - p->y) * t, p->z + (q->z - p->z) * t, number};
}

/* Feature numbers of corners where an edge of one meets a side of the other; 15 bits like those of vertices. */
static uint32_t crossing(const spot *p, const spot *q, uint32_t side)
{
    return ((p->number * 31 + q->number) * 37 + side) & 0x7fff;
}

/* Clips to the left of the line from p to q. */
static void clip(figure *f, const spot *p, const spot *q, double tiny)
{
    double dx = q->x - p->x, dy = q->y - p->y, length = sqrt(dx * dx + dy * dy);
    if (!(length > 0) || f->count == 0)
        return;
    figure kept = {.count = 0};
    for (uint32_t i = 0; i < f->count; i++) {
        const spot *from = &f->spots[i], *to = &f->spots[(i + 1) % f->count];
        double at_from = (dx * (from->y - p->y) - dy * (from->x - p->x)) / length;
        double at_to = (dx * (to->y - p->y) - dy * (to->x - p->x)) / length;
        if (at_from >= -tiny && kept.count < MOST)
            kept.spots[kept.count++] = *from;
        bool last_of_line = f->count == 2 && i == 1;
        if ((at_from >= -tiny) != (at_to >= -tiny) && !last_of_line && kept.count < MOST)
            kept.spots[kept.count++] = between(from, to, at_from / (at_from - at_to), crossing(from, to, p->number));
    }
    *f = kept;
}

static double twice_area(const figure *f)
{
    double sum = 0;
    for (uint32_t i = 1; i + 1 < f->count; i++) {
        const spot *o = &f->spots[0], *p = &f->spots[i], *q = &f->spots[i + 1];
        sum += (p->x - o->x) * (q->y - o->y) - (p->y - o->y) * (q->x - o->x);
    }
    return sum;
}

static void clip_all(figure *f, const figure *polygon, double tiny)
{
    bool left = twice_area(polygon) > 0;
    for (uint32_t i = 0; i < polygon->count; i++) {
        const spot *p = &polygon->spots[i], *q = &polygon->spots[(i + 1) % polygon->count];
        if (left)
            clip(f, p, q, tiny);
        else
            clip(f, q, p, tiny);
    }
}

/* The height of a polygon's plane at a point. */
static double height_at(const figure *f, double x, double y)
{
    const spot *o = &f->spots[0];
    ash_vec3 n = v3(0, 0, 0);
    for (uint32_t i = 1; i + 1 < f->count; i++) {
        const spot *p = &f->spots[i], *q = &f->spots[i + 1];
        n = v3_add(n, v3_cross(v3(p->x - o->x, p->y - o->y, p->z - o->z), v3(q->x - o->x, q->y - o->y, q->z - o->z)));
    }
    return n.z != 0 ? o->z - (n.x * (x - o->x) + n.y * (y - o->y)) / n.z : o->z;
}

/* The point of a line beside a given point, projected along the normal. */
static spot beside(const figure *line, const spot *place)
{
    const spot *p = &line->spots[0], *q = &line->spots[1];
    double dx = q->x - p->x, dy = q->y - p->y, square = dx * dx + dy * dy;
    double t = square > 0 ? (dx * (place->x - p->x) + dy * (place->y - p->y)) / square : 0;
    return between(p, q, t < 0 ? 0 : t > 1 ? 1 : t, place->number);
}

/* The part of line b beside line a, when they run side by side: both its ends lie on b. */
static void clip_line(figure *b, const figure *a)
{
    const spot *p = &a->spots[0], *q = &a->spots[1];
    double dx = q->x - p->x, dy = q->y - p->y, length = sqrt(dx * dx + dy * dy);
    double ex = b->spots[1].x - b->spots[0].x, ey = b->spots[1].y - b->spots[0].y, other = sqrt(ex * ex + ey * ey);
    if (!(length > 0) || !(other > 0) || fabs(dx * ey - dy * ex) > SKEW * length * other) {
        b->count = 0;
        return;
    }
    /* Perpendicular to a at each end. */
    spot to_left = {p->x - dy, p->y + dx, 0, p->number}, to_right = {q->x + dy, q->y - dx, 0, q->number};
    clip(b, &to_left, p, 0);
    clip(b, &to_right, q, 0);
    double shorter = length < other ? length : other;
    if (b->count == 2) {
        double fx = b->spots[1].x - b->spots[0].x, fy = b->spots[1].y - b->spots[0].y;
        if (sqrt(fx * fx + fy * fy) < 0.01 * shorter)
            b->count = 0;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        double aside = (dx * (b->spots[i].y - p->y) - dy * (b->spots[i].x - p->x)) / length;
        if (fabs(aside) > ASIDE * shorter) {
            b->count = 0;
            return;
        }
    }
}

void ashi_overlay(const ashi_support_feature *a, const ashi_support_feature *b, double margin, double tiny,
                  ashi_manifold *manifold)
{
    if (a->count < 2 || b->count < 2)
        return;
    ash_vec3 along = v3_perpendicular(manifold->normal);
    frame f = {a->points[0], along, v3_cross(manifold->normal, along), manifold->normal};
    figure on_a, on_b, shared;
    lay(&f, a, &on_a);
    lay(&f, b, &on_b);
    bool of_a = a->count == 2 && b->count > 2; /* the line is cut by the polygon */
    shared = of_a ? on_a : on_b;
    if (a->count == 2 && b->count == 2)
        clip_line(&shared, &on_a);
    else
        clip_all(&shared, of_a ? &on_b : &on_a, tiny);
    for (uint32_t i = 0; i < shared.count && manifold->count < ASHI_MANIFOLD_MOST; i++) {
        spot s = shared.spots[i]; /* becomes the point on a */
        double bottom = s.z;
        if (of_a)
            bottom = height_at(&on_b, s.x, s.y);
        else if (a->count == 2)
            s = beside(&on_a, &s);
        else
            s.z = height_at(&on_a, s.x, s.y);
        if (s.z - bottom >= -margin)
            manifold->points[manifold->count++] =
                (ashi_manifold_point){lift(&f, s.x, s.y, s.z), s.z - bottom, s.number + 1};
    }
}

void ashi_overlay_witness(ash_vec3 on_a, double depth, double size, ashi_manifold *manifold)
{
    uint32_t nearest = manifold->count;
    double least = NEARBY * size;
    for (uint32_t i = 0; i < manifold->count; i++) {
        const ashi_manifold_point *p = &manifold->points[i];
        if (p->depth >= depth - AS_DEEP * size)
            return;
        double away = v3_distance(p->on_a, on_a);
        if (away < least) {
            least = away;
            nearest = i;
        }
    }
    if (nearest < manifold->count)
        manifold->points[nearest] = (ashi_manifold_point){on_a, depth, manifold->points[nearest].feature};
    else if (manifold->count < ASHI_MANIFOLD_MOST)
        manifold->points[manifold->count++] = (ashi_manifold_point){on_a, depth, ASHI_FEATURE_WITNESS};
}
