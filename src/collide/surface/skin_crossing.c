/* Whether two surfaces penetrate each other at all, and the way out if their features do not give it: if edges of one
 * pierce faces of the other, along the mean of the faces' normals; if one is inside the other, from its deepest corner
 * to the nearest point of the surface around it. */
#include "collide/surface/skin_crossing.h"

#include "collide/surface/triangles.h"
#include "shape/geometry.h"

typedef struct crossing_search {
    const ashi_skins *skins;
    int one; /* whose edges pierce */
    ashi_skin_crossing *found;
    ash_vec3 from, to; /* an edge, in the frame of the other side */
} crossing_search;

/* Six times the signed volume of the tetrahedron of an edge and a side of a triangle. */
static double turn(ash_vec3 p, ash_vec3 q, ash_vec3 a, ash_vec3 b)
{
    return v3_dot(v3_sub(q, p), v3_cross(v3_sub(a, p), v3_sub(b, p)));
}

static double visit_face(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    crossing_search *c = user;
    (void)number;
    ash_vec3 normal = v3_unit(v3_cross(v3_sub(corners[1], corners[0]), v3_sub(corners[2], corners[0])));
    double first = v3_dot(normal, v3_sub(c->from, corners[0])), last = v3_dot(normal, v3_sub(c->to, corners[0]));
    double tiny = ASHI_SKIN_TINY * c->skins->size;
    if (!(fmin(first, last) < -tiny && fmax(first, last) > tiny))
        return limit;
    double x = turn(c->from, c->to, corners[0], corners[1]), y = turn(c->from, c->to, corners[1], corners[2]);
    double z = turn(c->from, c->to, corners[2], corners[0]);
    if (!((x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0)))
        return limit;
    ash_vec3 point = v3_add_scaled(c->from, v3_sub(c->to, c->from), first / (first - last));
    ash_vec3 out = c->one == 0 ? v3_neg(q_rotate(c->skins->to_other[1].rotation, normal)) : normal;
    ashi_skin_crossing *f = c->found;
    ash_vec3 at = c->one == 0 ? t_point(c->skins->to_other[1], point) : point;
    f->normal = v3_add(f->normal, out);
    f->lower = f->count == 0 ? at : v3_min(f->lower, at);
    f->upper = f->count == 0 ? at : v3_max(f->upper, at);
    f->middle = v3_add(f->middle, at);
    f->count++;
    return limit;
}

static double visit_triangle(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    crossing_search *c = user;
    const ashi_facet_source *own = &c->skins->surface[c->one];
    ash_transform to_other = c->skins->to_other[c->one];
    for (int k = 0; k < 3; k++) {
        if (!own->owns_edge(own->geometry, number, k))
            continue;
        c->from = t_point(to_other, corners[k]);
        c->to = t_point(to_other, corners[(k + 1) % 3]);
        ash_bounds box = {v3_min(c->from, c->to), v3_max(c->from, c->to)};
        ashi_triangles_visit(c->skins->surface[1 - c->one].geometry, box, 0, visit_face, c);
    }
    return limit;
}

/* The deepest corner of one side in the other. */
typedef struct depth_search {
    const ashi_skins *skins;
    int one;
    double depth;
    ash_vec3 point; /* in the frame of the other side */
} depth_search;

static double visit_depth(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    depth_search *d = user;
    const ashi_facet_source *own = &d->skins->surface[d->one];
    const ash_geometry *other = d->skins->surface[1 - d->one].geometry;
    for (int k = 0; k < 3; k++) {
        if (!own->owns_corner(own->geometry, number, k))
            continue;
        ash_vec3 point = t_point(d->skins->to_other[d->one], corners[k]);
        double depth = -other->functions->distance(other, point);
        if (depth > d->depth) {
            d->depth = depth;
            d->point = point;
        }
    }
    return limit;
}

static double visit_nearest(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    ash_vec3 *points = user; /* the query point and the nearest one */
    (void)number;
    ashi_feature feature;
    ash_vec3 near = ashi_triangle_nearest(corners[0], corners[1], corners[2], points[0], &feature);
    double distance = v3_distance(near, points[0]);
    if (distance < limit)
        points[1] = near;
    return fmin(limit, distance);
}

static depth_search deepest_corner(const ashi_skins *s, int one)
{
    depth_search d = {.skins = s, .one = one, .depth = ASHI_SKIN_TINY * s->size};
    ash_bounds around = ash_geometry_bounds(s->surface[1 - one].geometry, s->to_other[1 - one]);
    ashi_triangles_visit(s->surface[one].geometry, around, 0, visit_depth, &d);
    return d;
}

bool ashi_skin_crossing_find(const ashi_skins *s, ashi_skin_crossing *found)
{
    *found = (ashi_skin_crossing){0};
    for (int one = 0; one < 2; one++) {
        crossing_search search = {.skins = s, .one = one, .found = found};
        ash_bounds around = ash_geometry_bounds(s->surface[1 - one].geometry, s->to_other[1 - one]);
        ashi_triangles_visit(s->surface[one].geometry, around, 0, visit_triangle, &search);
    }
    if (found->count > 0)
        return true;
    /* Without a crossing, either all corners of one are inside the other or none; a height field contains nothing. */
    for (int one = 0; one < 2; one++)
        if (s->surface[0].closed && s->surface[1].closed &&
            ashi_skin_contains(s, 1 - one, t_point(s->to_other[one], s->surface[one].geometry->def.points[0])))
            return true;
    return false;
}

/* The way from the deepest corner to the surface around it. */
static bool leave_by_corner(const ashi_skins *s, ashi_skin_touch *touch)
{
    depth_search of_a = deepest_corner(s, 0), of_b = deepest_corner(s, 1);
    const depth_search *d = of_b.depth > of_a.depth ? &of_b : &of_a;
    const ash_geometry *other = s->surface[1 - d->one].geometry;
    if (!(d->depth > ASHI_SKIN_TINY * s->size))
        return false;
    ash_vec3 points[2] = {d->point, d->point};
    ashi_triangles_visit(other, (ash_bounds){d->point, d->point}, INFINITY, visit_nearest, points);
    ash_vec3 outward = v3_unit(v3_sub(points[1], points[0]));
    if (d->one == 0) {
        touch->normal = v3_neg(q_rotate(s->to_other[1].rotation, outward));
        touch->on_a = t_point(s->to_other[1], d->point);
    } else {
        touch->normal = outward;
        touch->on_a = points[1];
    }
    touch->kind = d->one == 0 ? ASHI_CORNER_OF_A : ASHI_CORNER_OF_B;
    touch->depth = d->depth;
    return true;
}

static ash_vec3 middle_of(const ashi_skins *s, int side)
{
    return v3_scale(v3_add(s->box[side].lower, s->box[side].upper), 0.5);
}

bool ashi_skin_crossing_way(const ashi_skins *s, const ashi_skin_crossing *crossing, ashi_skin_touch *touch)
{
    *touch = (ashi_skin_touch){.feature = 3};
    if (leave_by_corner(s, touch))
        return true;
    if (crossing->count == 0)
        return false;
    touch->normal = v3_unit(crossing->normal);
    if (!(v3_norm(crossing->normal) > 1e-6 * crossing->count)) /* pierced from opposite sides: the direction between the
                                                                  middles */
        touch->normal = v3_unit(v3_sub(t_point(s->to_other[1], middle_of(s, 1)), middle_of(s, 0)));
    if (!(v3_norm2(touch->normal) > 0))
        touch->normal = v3(0, 0, 1);
    ash_vec3 extent = v3_sub(crossing->upper, crossing->lower), size = v3_abs(touch->normal);
    touch->depth = v3_dot(extent, size);
    touch->on_a = v3_add_scaled(v3_scale(crossing->middle, 1.0 / crossing->count), touch->normal, touch->depth / 2);
    touch->kind = ASHI_EDGES;
    return true;
}
