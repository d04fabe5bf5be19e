/* Crossing edges of two surfaces.
 *
 * Two ridges touch along the normal perpendicular to both, if it points out of each. For faces that lie on each other,
 * the edges around the common area cross: there the perpendicular is the normal of a face, up to a small tilt, and is
 * rounded to it. Flat and concave edges do not touch. */
#include "collide/surface/skins.h"
#include "collide/surface/triangles.h"
#include "shape/geometry.h"

/* Normals closer than this to a face's are the face's: sine. */
#define LEAN 0.1
/* Edges closer to parallel than this touch by their ends: sine. */
#define PARALLEL 0.02

/* A ridge: its ends, the normals of its faces, and the directions from it into them. */
typedef struct ridge {
    ash_vec3 from, to, normal[2], inward[2];
    uint32_t number;
} ridge;

/* The ridge at an edge that the triangle owns; false if the surface is not convex there. */
static bool ridge_of(const ashi_facet_source *surface, uint32_t triangle, int edge, ridge *r)
{
    ashi_facet facet = surface->facet(surface->geometry, triangle);
    r->from = facet.corners[edge];
    r->to = facet.corners[(edge + 1) % 3];
    r->number = 3 * triangle + (uint32_t)edge;
    ash_vec3 along = v3_unit(v3_sub(r->to, r->from));
    r->normal[0] = facet.normal;
    r->inward[0] = v3_cross(facet.normal, along);
    if (!surface->beyond(surface->geometry, &facet, edge, &r->normal[1])) /* the surface ends there, as if with a
                                                                             wall */
        r->normal[1] = v3_neg(r->inward[0]);
    r->inward[1] = v3_cross(along, r->normal[1]);
    return v3_dot(r->normal[1], r->inward[0]) < -1e-6;
}

static ridge moved(const ridge *r, ash_transform by)
{
    ridge m = {.from = t_point(by, r->from), .to = t_point(by, r->to), .number = r->number};
    for (int i = 0; i < 2; i++) {
        m.normal[i] = q_rotate(by.rotation, r->normal[i]);
        m.inward[i] = q_rotate(by.rotation, r->inward[i]);
    }
    return m;
}

/* How far a direction points into a face of the ridge, at least 0; infinity if it does not point outward at all. The
 * direction then becomes the normal of that face. */
static double round_outward(const ridge *r, ash_vec3 *direction)
{
    if (v3_dot(*direction, v3_add(r->normal[0], r->normal[1])) <= 0)
        return INFINITY;
    double into[2] = {v3_dot(*direction, r->inward[0]), v3_dot(*direction, r->inward[1])};
    int more = into[1] > into[0];
    if (into[more] > 0)
        *direction = r->normal[more];
    return fmax(into[more], 0);
}

/* A ridge of a, in the frame of b, among those of b. */
typedef struct edge_search {
    ashi_skins *skins;
    ridge a;
} edge_search;

static void report(const edge_search *e, const ridge *b, ash_vec3 outward, ash_vec3 on_a, double height)
{
    ash_transform back = e->skins->to_other[1];
    uint32_t feature = (e->a.number * 0x9e3779b1u) ^ (b->number * 0x85ebca6bu);
    ashi_skin_touch touch = {.kind = ASHI_EDGES,
                             .feature = (feature << 2) | 2,
                             .on_a = t_point(back, on_a),
                             .normal = v3_neg(q_rotate(back.rotation, outward)),
                             .depth = -height,
                             .edge_a = {t_point(back, e->a.from), t_point(back, e->a.to)},
                             .edge_b = {t_point(back, b->from), t_point(back, b->to)}};
    if (height >= -ASHI_SKIN_TINY * e->skins->size || ashi_skin_overlaps(e->skins, &touch, v3(0, 0, 0)))
        ashi_skins_add(e->skins, &touch);
}

/* Finds where two ridges cross, projected along the normal, and the height of a above b there. */
static void cross(const edge_search *e, const ridge *b)
{
    const ridge *a = &e->a;
    ash_vec3 u = v3_sub(a->to, a->from), v = v3_sub(b->to, b->from), across = v3_cross(u, v),
             w = v3_sub(b->from, a->from);
    double sine2 = v3_norm2(across), lengths2 = v3_norm2(u) * v3_norm2(v);
    if (!(sine2 > PARALLEL * PARALLEL * lengths2))
        return;
    ash_vec3 normal = v3_scale(across, 1 / sqrt(sine2));
    if (v3_dot(normal, v3_add(b->normal[0], b->normal[1])) < 0)
        normal = v3_neg(normal);
    ash_vec3 up = normal, down = v3_neg(normal);
    double into_b = round_outward(b, &up), into_a = round_outward(a, &down);
    if (!(into_a <= LEAN && into_b <= LEAN))
        return;
    normal = into_b > into_a ? up : v3_neg(down);
    double volume = v3_dot(u, v3_cross(v, normal));
    double s = v3_dot(w, v3_cross(v, normal)) / volume, t = v3_dot(w, v3_cross(u, normal)) / volume;
    double slack = ASHI_SKIN_TINY;
    if (!(s >= -slack && s <= 1 + slack && t >= -slack && t <= 1 + slack))
        return;
    ash_vec3 on_a = v3_add_scaled(a->from, u, s), on_b = v3_add_scaled(b->from, v, t);
    double height = v3_dot(normal, v3_sub(on_a, on_b));
    if (height <= e->skins->margin && height >= -e->skins->reach)
        report(e, b, normal, on_a, height);
}

static double visit_other(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    edge_search *e = user;
    const ashi_facet_source *other = &e->skins->surface[1];
    (void)corners;
    for (int k = 0; k < 3; k++) {
        ridge b;
        if (other->owns_edge(other->geometry, number, k) && ridge_of(other, number, k, &b))
            cross(e, &b);
    }
    return limit;
}

static double visit_own(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    edge_search *e = user;
    ashi_skins *s = e->skins;
    const ashi_facet_source *own = &s->surface[0];
    (void)corners;
    for (int k = 0; k < 3; k++) {
        ridge a;
        if (!own->owns_edge(own->geometry, number, k) || !ridge_of(own, number, k, &a))
            continue;
        e->a = moved(&a, s->to_other[0]);
        ash_bounds box = {v3_min(e->a.from, e->a.to), v3_max(e->a.from, e->a.to)};
        if (ashi_bounds_gap2(&box, &s->box[1]) <= s->reach * s->reach)
            ashi_triangles_visit(s->surface[1].geometry, box, s->reach, visit_other, e);
    }
    return limit;
}

void ashi_skin_edges(ashi_skins *skins)
{
    edge_search search = {.skins = skins};
    ash_bounds around = ash_geometry_bounds(skins->surface[1].geometry, skins->to_other[1]);
    ashi_triangles_visit(skins->surface[0].geometry, around, skins->reach, visit_own, &search);
}
