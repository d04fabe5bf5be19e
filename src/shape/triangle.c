/* Triangles. The nearest point is found by Voronoi regions of corners, edges and face. The ray test is that of Woop,
 * Benthin and Wald 2013: sheared so that the ray is a coordinate axis, the three edge functions are products and
 * differences of the same numbers for both triangles at an edge, so they agree exactly on which side the ray passes. */
#include "shape/triangle.h"

ash_vec3 ashi_segment_nearest(ash_vec3 a, ash_vec3 b, ash_vec3 p)
{
    ash_vec3 along = v3_sub(b, a);
    double length2 = v3_norm2(along), s = v3_dot(v3_sub(p, a), along);
    if (!(s > 0))
        return a;
    return s >= length2 ? b : v3_add_scaled(a, along, s / length2);
}

ash_vec3 ashi_triangle_nearest(ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 p, ashi_feature *feature)
{
    ash_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a);
    ash_vec3 ap = v3_sub(p, a), bp = v3_sub(p, b), cp = v3_sub(p, c);
    double a_b = v3_dot(ab, ap), a_c = v3_dot(ac, ap); /* position of p along each edge, from each corner */
    double b_b = v3_dot(ab, bp), b_c = v3_dot(ac, bp);
    double c_b = v3_dot(ab, cp), c_c = v3_dot(ac, cp);
    if (a_b <= 0 && a_c <= 0)
        return *feature = ASHI_CORNER_0, a;
    if (b_b >= 0 && b_c <= b_b)
        return *feature = ASHI_CORNER_1, b;
    if (c_c >= 0 && c_b <= c_c)
        return *feature = ASHI_CORNER_2, c;
    double weight_c = a_b * b_c - b_b * a_c, weight_b = c_b * a_c - a_b * c_c, weight_a = b_b * c_c - c_b * b_c;
    if (weight_c <= 0 && a_b >= 0 && b_b <= 0)
        return *feature = ASHI_EDGE_0, v3_add_scaled(a, ab, a_b / (a_b - b_b));
    if (weight_b <= 0 && a_c >= 0 && c_c <= 0)
        return *feature = ASHI_EDGE_2, v3_add_scaled(a, ac, a_c / (a_c - c_c));
    double from_b = b_c - b_b, from_c = c_b - c_c;
    if (weight_a <= 0 && from_b >= 0 && from_c >= 0)
        return *feature = ASHI_EDGE_1, v3_add_scaled(b, v3_sub(c, b), from_b / (from_b + from_c));
    double sum = weight_a + weight_b + weight_c;
    *feature = ASHI_FACE;
    return v3_add_scaled(v3_add_scaled(a, ab, weight_b / sum), ac, weight_c / sum);
}

static double component(ash_vec3 v, int index)
{
    return index == 0 ? v.x : index == 1 ? v.y : v.z;
}

ashi_shear ashi_shear_of(const ash_ray *ray)
{
    ash_vec3 size = v3_abs(ray->direction);
    int k = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double longest = component(ray->direction, k);
    return (ashi_shear){
        ray->origin, i, j, k, component(ray->direction, i) / longest, component(ray->direction, j) / longest,
        1 / longest};
}

bool ashi_triangle_line(const ashi_shear *shear, ash_vec3 a, ash_vec3 b, ash_vec3 c, double *t)
{
    const ash_vec3 corners[3] = {v3_sub(a, shear->origin), v3_sub(b, shear->origin), v3_sub(c, shear->origin)};
    double x[3], y[3], z[3];
    for (int n = 0; n < 3; n++) {
        double along = component(corners[n], shear->k);
        x[n] = component(corners[n], shear->i) - shear->shear_i * along;
        y[n] = component(corners[n], shear->j) - shear->shear_j * along;
        z[n] = along * shear->scale_k;
    }
    double u = x[2] * y[1] - y[2] * x[1], v = x[0] * y[2] - y[0] * x[2], w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))
        return false;
    double sum = u + v + w;
    if (sum == 0) /* seen edge-on */
        return false;
    *t = (u * z[0] + v * z[1] + w * z[2]) / sum;
    return true;
}
