/* Corners of one surface on the faces of another.
 *
 * A corner touches a face if it lies above or below its triangle and the reversed face normal is one of the corner's
 * outward directions. Below several faces it leaves through the nearest. Behind two faces that meet at a concave edge
 * it lies below neither triangle, since each ends at the other: there both count. */
#include "collide/surface/skins.h"
#include "collide/surface/triangles.h"
#include "shape/geometry.h"

/* Sine of the angle by which an edge from a corner may point towards the face that the corner touches. */
#define LEAN 0.5
/* The same if a corner is nearest to an edge or a corner: only true extremes. */
#define STRICT 1e-3
#define FACES  16

typedef struct face_touch {
    ash_vec3 normal;
    double height;
    bool beside; /* behind the end of the triangle, in a hollow */
} face_touch;

/* A corner among the triangles of the other side, in the frame of the other side. */
typedef struct corner_search {
    ashi_skins *skins;
    int one;
    ashi_facet facet; /* of its own side */
    int corner;
    ash_vec3 point;
    uint32_t face_count;
    face_touch faces[FACES];
    double nearest;
    ash_vec3 nearest_point;
    ashi_feature nearest_feature;
    uint32_t nearest_triangle;
} corner_search;

/* Whether a direction, in the frame of the other side, is one of the corner's outward directions. */
static bool leads_out(const corner_search *c, ash_vec3 direction, double tolerance)
{
    const ashi_facet_source *own = &c->skins->surface[c->one];
    ash_vec3 local = q_unrotate(c->skins->to_other[c->one].rotation, direction);
    return v3_dot(local, own->corner_normal(own->geometry, &c->facet, c->corner)) > 0 &&
           own->corner_keeps(own->geometry, &c->facet, c->corner, local, tolerance);
}

/* Whether the corner lies above or below a triangle; `beside` if it lies beyond its end, behind the neighbour there.
 */
static bool is_over(const corner_search *c, const ashi_facet *facet, bool *beside)
{
    const ashi_facet_source *other = &c->skins->surface[1 - c->one];
    double tiny = ASHI_SKIN_TINY * c->skins->size;
    *beside = false;
    for (int k = 0; k < 3; k++) {
        ash_vec3 from = facet->corners[k], along = v3_unit(v3_sub(facet->corners[(k + 1) % 3], from)), beyond;
        ash_vec3 off = v3_sub(c->point, from), outward = v3_cross(along, facet->normal);
        double past = v3_dot(off, outward);
        if (past <= tiny)
            continue;
        bool hollow = past <= c->skins->reach && other->beyond(other->geometry, facet, k, &beyond) &&
                      v3_dot(beyond, outward) < -1e-6 && v3_dot(off, beyond) < 0;
        if (!hollow)
            return false;
        *beside = true;
    }
    return true;
}

static double visit_face(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    corner_search *c = user;
    const ashi_facet_source *other = &c->skins->surface[1 - c->one];
    ashi_feature feature;
    ash_vec3 near = ashi_triangle_nearest(corners[0], corners[1], corners[2], c->point, &feature);
    double distance = v3_distance(near, c->point);
    if (distance < c->nearest) {
        c->nearest = distance;
        c->nearest_point = near;
        c->nearest_feature = feature;
        c->nearest_triangle = number;
    }
    ashi_facet facet = other->facet(other->geometry, number);
    double height = v3_dot(facet.normal, v3_sub(c->point, corners[0]));
    face_touch found = {.normal = facet.normal, .height = height};
    if (c->face_count < FACES && height <= c->skins->margin && height >= -c->skins->reach &&
        is_over(c, &facet, &found.beside) && !(found.beside && height >= 0) && leads_out(c, v3_neg(facet.normal), LEAN))
        c->faces[c->face_count++] = found;
    return limit;
}

/* A direction into its own side, in the frame of that side. */
static ash_vec3 inward_of(const corner_search *c)
{
    const ashi_facet_source *own = &c->skins->surface[c->one];
    return v3_neg(v3_unit(own->corner_normal(own->geometry, &c->facet, c->corner)));
}

static void report(const corner_search *c, ash_vec3 outward, double height)
{
    ashi_skins *s = c->skins;
    const ashi_facet_source *own = &s->surface[c->one];
    ash_vec3 local = c->facet.corners[c->corner];
    uint32_t number = own->closed ? own->geometry->def.triangles[3 * c->facet.number + (uint32_t)c->corner]
                                  : 3 * c->facet.number + (uint32_t)c->corner;
    ash_vec3 inward = inward_of(c);
    ashi_skin_touch touch = {.kind = c->one == 0 ? ASHI_CORNER_OF_A : ASHI_CORNER_OF_B,
                             .feature = 1 + 4 * number + (uint32_t)c->one,
                             .inward = c->one == 0 ? inward : q_rotate(s->to_other[1].rotation, inward),
                             .depth = -height};
    if (c->one == 0) {
        touch.normal = v3_neg(q_rotate(s->to_other[1].rotation, outward));
        touch.on_a = local;
    } else {
        touch.normal = outward;
        touch.on_a = v3_add_scaled(c->point, outward, -height);
    }
    ashi_skins_add(s, &touch);
}

/* Whether two surfaces overlap between a corner and the face that it lies behind. */
static bool overlaps(const corner_search *c, bool inside, const face_touch *face)
{
    const ashi_skins *s = c->skins;
    ash_vec3 on_face = v3_add_scaled(c->point, face->normal, -face->height);
    ash_vec3 within = v3_add_scaled(c->facet.corners[c->corner], inward_of(c), -face->height);
    return inside || ashi_skin_contains(s, 1 - c->one, t_point(s->to_other[c->one], within)) ||
           ashi_skin_contains(s, c->one, t_point(s->to_other[1 - c->one], on_face));
}

static void report_faces(const corner_search *c, bool inside)
{
    const face_touch *least = NULL;
    double touching = -ASHI_SKIN_TINY * c->skins->size;
    for (uint32_t i = 0; i < c->face_count; i++) {
        const face_touch *f = &c->faces[i];
        if (f->height >= touching && !(inside && f->height >= 0))
            report(c, f->normal, f->height);
        if (f->height < touching && !f->beside && (least == NULL || f->height > least->height) &&
            overlaps(c, inside, f))
            least = f;
    }
    if (least != NULL)
        report(c, least->normal, least->height);
    for (uint32_t i = 0; i < c->face_count && least == NULL; i++)
        if (c->faces[i].beside && inside)
            report(c, c->faces[i].normal, c->faces[i].height);
}

/* Across a gap, a corner may be nearest to an edge or a corner. */
static void report_nearest(const corner_search *c)
{
    const ashi_skins *s = c->skins;
    const ashi_facet_source *other = &s->surface[1 - c->one];
    if (!(c->nearest <= s->margin) || c->nearest_feature == ASHI_FACE || c->nearest <= ASHI_SKIN_TINY * s->size)
        return;
    ash_vec3 outward = v3_scale(v3_sub(c->point, c->nearest_point), 1 / c->nearest);
    ashi_facet facet = other->facet(other->geometry, c->nearest_triangle);
    if (ashi_facet_region(other, &facet, c->nearest_feature, outward) == ASHI_REGION_OUTSIDE &&
        leads_out(c, v3_neg(outward), STRICT))
        report(c, outward, c->nearest);
}

static bool is_near_box(const ash_bounds *box, ash_vec3 p, double reach)
{
    ash_bounds point = {p, p};
    return ashi_bounds_gap2(box, &point) <= reach * reach;
}

static void search_corner(ashi_skins *s, int one, const ashi_facet *facet, int corner)
{
    corner_search c = {.skins = s, .one = one, .facet = *facet, .corner = corner, .nearest = INFINITY};
    c.point = t_point(s->to_other[one], facet->corners[corner]);
    if (!is_near_box(&s->box[1 - one], c.point, s->reach))
        return;
    ashi_triangles_visit(s->surface[1 - one].geometry, (ash_bounds){c.point, c.point}, s->reach, visit_face, &c);
    if (!isfinite(c.nearest))
        return;
    bool inside = ashi_skin_contains(s, 1 - one, c.point);
    report_faces(&c, inside);
    if (!inside)
        report_nearest(&c);
}

typedef struct side_search {
    ashi_skins *skins;
    int one;
} side_search;

static double visit_triangle(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    const side_search *search = user;
    const ashi_facet_source *own = &search->skins->surface[search->one];
    (void)corners;
    ashi_facet facet = own->facet(own->geometry, number);
    for (int k = 0; k < 3; k++)
        if (own->owns_corner(own->geometry, number, k) && !own->corner_is_flat(own->geometry, &facet, k))
            search_corner(search->skins, search->one, &facet, k);
    return limit;
}

void ashi_skin_corners(ashi_skins *skins, int one)
{
    side_search search = {skins, one};
    ash_bounds around = ash_geometry_bounds(skins->surface[1 - one].geometry, skins->to_other[1 - one]);
    ashi_triangles_visit(skins->surface[one].geometry, around, skins->reach, visit_triangle, &search);
}
