/* Limits of joints in debug geometry: their range, and the present position. */
#include "math/elementary.h"
#include "model/joint_class.h"
#include "world/debug_joint_view.h"

#include <math.h>

enum { CONE_LINES = 12 };

/* The force of the limit with this key, N or N m. */
static double borne(const ashi_joint_view *v, uint32_t key)
{
    return fabs(v->joint->force[key]);
}

/* A line between two points given in frame a. */
static void line(const ashi_joint_view *v, ash_vec3 from, ash_vec3 to, double value)
{
    ashi_draw_line(v->drawing, t_point(v->a, from), t_point(v->a, to), ASH_DEBUG_LIMITS, value);
}

static void ray(const ashi_joint_view *v, ash_vec3 direction, double value)
{
    line(v, v3(0, 0, 0), v3_scale(direction, v->size), value);
}

/* The present position: a direction in frame b. */
static void now(const ashi_joint_view *v, ash_vec3 direction, double value)
{
    ashi_draw_arrow(v->drawing, v->b.position, t_point(v->b, v3_scale(direction, v->size)), ASH_DEBUG_LIMITS, value);
}

/* The bounds of a translation as a line with a bar at each end that there is. */
static void draw_travel(const ashi_joint_view *v, const ash_joint_axis *axis)
{
    const double ends[2] = {axis->lower, axis->upper};
    double value = borne(v, ASHI_LIMIT_KEY + ASH_MOVE_X);
    for (int i = 0; i < 2; i++)
        if (isfinite(ends[i])) {
            line(v, v3(ends[i], -0.5 * v->size, 0), v3(ends[i], 0.5 * v->size, 0), value);
            if (!v->planar)
                line(v, v3(ends[i], 0, -0.5 * v->size), v3(ends[i], 0, 0.5 * v->size), value);
        }
    if (isfinite(axis->lower) && isfinite(axis->upper))
        line(v, v3(axis->lower, 0, 0), v3(axis->upper, 0, 0), value);
}

/* The bounds of an angle as rays: the direction of y of b (in planar worlds x) at each bound, and its present one as an
 * arrow. */
static void draw_turn(const ashi_joint_view *v, const ash_joint_axis *axis, ash_freedom freedom)
{
    const double ends[2] = {axis->lower, axis->upper};
    double value = borne(v, ASHI_LIMIT_KEY + freedom);
    for (int i = 0; i < 2; i++)
        if (isfinite(ends[i])) {
            double sine, cosine;
            ashi_sincos(ends[i], &sine, &cosine);
            ray(v, v->planar ? v3(cosine, sine, 0) : v3(0, cosine, sine), value);
        }
    if (isfinite(axis->lower) || isfinite(axis->upper))
        now(v, v->planar ? v3(1, 0, 0) : v3(0, 1, 0), value);
}

/* The range of x of b. */
static void draw_cone(const ashi_joint_view *v)
{
    double sine, cosine, value = borne(v, ASHI_CONE_KEY);
    ashi_sincos(v->joint->cone, &sine, &cosine);
    for (int i = 0; i < CONE_LINES; i++) {
        double across_y, across_z;
        ashi_sincos(i * (2 * 3.14159265358979323846 / CONE_LINES), &across_z, &across_y);
        ray(v, v3(cosine, sine * across_y, sine * across_z), value);
    }
    now(v, v3(1, 0, 0), value);
}

void ashi_draw_limits(const ashi_joint_view *v)
{
    const ash_joint_axis *axes = v->joint->axes;
    ash_freedom turn = v->planar ? ASH_TURN_Z : ASH_TURN_X;
    const ashi_joint_class *class = ashi_joint_class_of(v->joint->kind);
    /* Lengths have no frame to be drawn in: the line of the joint shows them. */
    if (axes != NULL && ashi_view_keeps(v, ASH_MOVE_X) && class->framed)
        draw_travel(v, &axes[ASH_MOVE_X]);
    if (axes != NULL && ashi_view_keeps(v, turn))
        draw_turn(v, &axes[turn], turn);
    if (class->holds_point && isfinite(v->joint->cone) && !v->planar)
        draw_cone(v);
}
