/* Closed forms of the capsule: against a sphere and another capsule, through the closest points of their axes. Two
 * capsules side by side touch at both ends of their common stretch. */
#include "collide/append.h"
#include "collide/pairs.h"
#include "shape/geometry.h"

/* Angles from parallel up to which two capsules lie side by side, as sines. */
#define LEAN 0.1
#define SKEW 0.01

static double clamped(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

bool ashi_collide_sphere_capsule(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_vec3 centre = t_point_inverse(pair->b_in_a, v3(0, 0, 0));
    double half = pair->b->def.height / 2;
    ash_vec3 to_axis = v3_sub(v3(0, 0, clamped(centre.z, -half, half)), centre);
    double distance = v3_norm(to_axis), depth = pair->a->def.radius + pair->b->def.radius - distance;
    if (!(depth >= -pair->margin))
        return true;
    ash_vec3 normal = v3_norm2(to_axis) > 0 ? v3_unit(to_axis) : v3(-1, 0, 0);
    normal = q_rotate(pair->b_in_a.rotation, normal);
    return ashi_append_point(manifolds, normal, v3_scale(normal, pair->a->def.radius), depth);
}

/* The axes of two capsules, seen from a: s z with |s| <= half_a, and centre + t along with |t| <= half_b. */
typedef struct axes {
    double half_a, half_b;
    ash_vec3 centre, along;
} axes;

static ash_vec3 between(const axes *x, double s, double t)
{
    ash_vec3 v = v3_add_scaled(x->centre, x->along, t);
    v.z -= s;
    return v;
}

/* The closest points; `inner` when neither is an end, so that the line between them is perpendicular to both axes. */
static void closest(const axes *x, double *s, double *t, bool *inner)
{
    double cosine = x->along.z, sine2 = x->along.x * x->along.x + x->along.y * x->along.y;
    double of_a = x->centre.z, of_b = v3_dot(x->centre, x->along);
    *s = sine2 > 1e-24 ? clamped((of_a - cosine * of_b) / sine2, -x->half_a, x->half_a) : 0;
    *t = cosine * *s - of_b;
    *inner = sine2 > 1e-24 && fabs(*s) < x->half_a && fabs(*t) < x->half_b;
    if (fabs(*t) > x->half_b) {
        *t = clamped(*t, -x->half_b, x->half_b);
        *s = clamped(of_a + cosine * *t, -x->half_a, x->half_a);
    }
}

static ash_vec3 normal_between(const axes *x, ash_vec3 v, bool inner)
{
    ash_vec3 common = v3_unit(v3(-x->along.y, x->along.x, 0)); /* of both axes */
    if (inner || (v3_norm2(v) == 0 && v3_norm2(common) > 0)) {
        double side = v3_dot(common, v);
        side = side != 0 ? side : v3_dot(common, x->centre);
        return side < 0 ? v3_neg(common) : common;
    }
    return v3_norm2(v) > 0 ? v3_unit(v) : v3_perpendicular(v3(0, 0, 1));
}

/* The stretch of a's axis beside b's; false unless the two lie side by side. */
static bool shared_stretch(const axes *x, ash_vec3 normal, double *low, double *high)
{
    double skew = v3_dot(v3_cross(normal, v3(0, 0, 1)), x->along);
    if (fabs(normal.z) > LEAN || fabs(v3_dot(normal, x->along)) > LEAN || fabs(skew) > SKEW)
        return false;
    double reach = x->half_b * fabs(x->along.z);
    *low = fmax(-x->half_a, x->centre.z - reach);
    *high = fmin(x->half_a, x->centre.z + reach);
    return *high - *low > 0.01 * fmin(x->half_a, x->half_b);
}

bool ashi_collide_capsule_capsule(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    double radius_a = pair->a->def.radius, radii = radius_a + pair->b->def.radius;
    axes x = {pair->a->def.height / 2, pair->b->def.height / 2, pair->b_in_a.position,
              q_rotate(pair->b_in_a.rotation, v3(0, 0, 1))};
    if (v3_norm(x.centre) > x.half_a + x.half_b + radii + pair->margin)
        return true;
    double s, t, low, high;
    bool inner;
    closest(&x, &s, &t, &inner);
    ash_vec3 v = between(&x, s, t), normal = normal_between(&x, v, inner);
    double depth = radii - v3_dot(v, normal);
    if (!(depth >= -pair->margin))
        return true;
    ashi_manifold *m = ashi_append_manifold(manifolds, normal);
    if (m == NULL)
        return false;
    if (shared_stretch(&x, normal, &low, &high)) {
        double ends[2] = {low, high};
        for (uint32_t i = 0; i < 2; i++) {
            ash_vec3 gap = between(&x, ends[i], clamped((ends[i] - x.centre.z) / x.along.z, -x.half_b, x.half_b));
            /* Off to the side the round surfaces curve away from each other. */
            double height = v3_dot(gap, normal), aside = v3_norm(v3_add_scaled(gap, normal, -height));
            double here = radii - sqrt(height * height + aside * aside) * (height < 0 ? -1 : 1);
            if (here >= -pair->margin)
                m->points[m->count++] =
                    (ashi_manifold_point){v3_add_scaled(v3(0, 0, ends[i]), normal, radius_a), here, 2 + i};
        }
    }
    double deepest = -INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        deepest = fmax(deepest, m->points[i].depth);
    if (depth > deepest + 1e-9 * radii)
        m->points[m->count++] = (ashi_manifold_point){v3_add_scaled(v3(0, 0, s), normal, radius_a), depth, 1};
    return true;
}
