/* Bending spring and damper: with the legs l1 = b - a and l2 = c - b, their directions e1 and e2, and theta the angle
 * between them about n = e1 x e2 / |e1 x e2|,
 *
 *   moment = -k (theta - rest) - c d(theta)/dt,    force on a point = moment * d(theta)/d(point),
 *   d(theta)/dl1 = -(n x e1) / |l1|,               d(theta)/dl2 = (n x e2) / |l2|.
 *
 * Out of its plane theta changes by second order: the legs' elevations y1 and y2 over the plane give
 * d2(theta) = (cos(theta) (y1^2 + y2^2) / 2 - y1 y2) / sin(theta), whose positive part is (y2 - y1)^2 cot(theta/2) / 4;
 * a straight spring is equally stiff in all perpendicular directions. */
#include "math/elementary.h"
#include "model/forces.h"

#include <stddef.h>

typedef struct bend {
    ash_vec3 arm[3]; /* in world axes */
    ash_vec3 e1, e2; /* directions of the legs ... */
    double l1, l2;   /* ... and their lengths */
    ash_vec3 across; /* e1 x e2 */
    double sine, angle;
} bend;

/* False when a leg has no length. */
static bool measure(const ashi_bending_spring *s, const ashi_state *state, bend *m)
{
    ash_vec3 point[3];
    for (int i = 0; i < 3; i++) {
        m->arm[i] = q_rotate(state->rotation[s->body[i]], s->arm[i]);
        point[i] = v3_add(state->position[s->body[i]], m->arm[i]);
    }
    ash_vec3 first = v3_sub(point[1], point[0]), second = v3_sub(point[2], point[1]);
    m->l1 = v3_norm(first);
    m->l2 = v3_norm(second);
    m->e1 = v3_unit(first);
    m->e2 = v3_unit(second);
    m->across = v3_cross(m->e1, m->e2);
    m->sine = v3_norm(m->across);
    m->angle = ashi_atan2(m->sine, v3_dot(m->e1, m->e2));
    return m->l1 > 0 && m->l2 > 0;
}

/* The gradient of the angle from e1 to e2 about n by each point. */
static void find_gradient(const bend *m, ash_vec3 n, ash_vec3 gradient[3])
{
    gradient[0] = v3_scale(v3_cross(n, m->e1), 1 / m->l1);
    gradient[2] = v3_scale(v3_cross(n, m->e2), 1 / m->l2);
    gradient[1] = v3_neg(v3_add(gradient[0], gradient[2]));
}

static ash_vec3 point_velocity(const ashi_bending_spring *s, const bend *m, const ashi_state *state, int i)
{
    return v3_add(state->velocity[s->body[i]], v3_cross(state->spin[s->body[i]], m->arm[i]));
}

/* The axis about which the legs turn relative to each other. */
static ash_vec3 turning(const ashi_bending_spring *s, const bend *m, const ashi_state *state)
{
    ash_vec3 u[3];
    for (int i = 0; i < 3; i++)
        u[i] = point_velocity(s, m, state, i);
    ash_vec3 w1 = v3_scale(v3_cross(m->e1, v3_sub(u[1], u[0])), 1 / m->l1);
    ash_vec3 w2 = v3_scale(v3_cross(m->e2, v3_sub(u[2], u[1])), 1 / m->l2);
    return v3_sub(w2, w1);
}

/* The gradient of the angle, and the moments of spring and damper. A straight spring has no plane except that in which
 * the legs start to turn. False when there is neither. */
static bool find_moments(const ashi_bending_spring *s, const ashi_state *state, bend *m, ash_vec3 gradient[3],
                         double *spring, double *damper)
{
    if (!s->head.enabled || !measure(s, state, m))
        return false;
    ash_vec3 axis = m->sine > 0 ? m->across : turning(s, m, state);
    if (v3_norm2(axis) == 0)
        return false;
    find_gradient(m, v3_unit(axis), gradient);
    *spring = m->sine > 0 ? -s->stiffness * (m->angle - s->rest_angle) : 0;
    *damper = 0;
    for (int i = 0; i < 3 && s->damping > 0; i++)
        *damper -= s->damping * v3_dot(gradient[i], point_velocity(s, m, state, i));
    return true;
}

double ashi_bending_spring_angle(const ashi_bending_spring *s, const ashi_state *state)
{
    bend m;
    return measure(s, state, &m) ? m.angle : 0;
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_bodies *b = &model->bodies;
    for (uint32_t k = 0; k < model->forces.bending_springs.count; k++) {
        const ashi_bending_spring *s = &model->forces.bending_springs.data[k];
        bend m;
        ash_vec3 gradient[3];
        double spring, damper;
        if (!find_moments(s, stage->state, &m, gradient, &spring, &damper))
            continue;
        for (int i = 0; i < 3; i++) {
            ash_vec3 force = v3_scale(gradient[i], spring + damper);
            uint32_t body = s->body[i];
            b->force[body] = v3_add(b->force[body], force);
            b->torque[body] = v3_add(b->torque[body], v3_cross(m.arm[i], force));
        }
    }
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    for (uint32_t k = 0; k < model->forces.bending_springs.count; k++) {
        const ashi_bending_spring *s = &model->forces.bending_springs.data[k];
        bend m;
        ash_vec3 gradient[3];
        double spring, damper;
        if (s->damping == 0 || !find_moments(s, stage->state, &m, gradient, &spring, &damper))
            continue;
        for (int i = 0; i < 3; i++) {
            ash_vec3 spin = ashi_mean_spin(from, to, s->body[i]);
            ash_vec3 u = v3_add(ashi_mean_velocity(from, to, s->body[i]), v3_cross(spin, m.arm[i]));
            power->dampers += damper * v3_dot(gradient[i], u);
        }
    }
}

static double energy(const ashi_model *model, const ashi_state *state, uint32_t index)
{
    const ashi_bending_spring *s = &model->forces.bending_springs.data[index];
    bend m;
    if (!s->head.enabled || !measure(s, state, &m))
        return 0;
    double bent = m.angle - s->rest_angle;
    return 0.5 * s->stiffness * bent * bent;
}

/* A row from its derivatives by the points. */
static ashi_implicit_row make_row(const ashi_bending_spring *s, const bend *m, const ash_vec3 along[3],
                                  double stiffness, double damping)
{
    ashi_implicit_row row = {.stiffness = stiffness, .damping = damping};
    for (int i = 0; i < 3; i++) {
        uint32_t k = 0;
        while (k < row.count && row.body[k] != s->body[i])
            k++;
        if (k == row.count)
            row.body[row.count++] = s->body[i];
        row.along[k].linear = v3_add(row.along[k].linear, along[i]);
        row.along[k].angular = v3_add(row.along[k].angular, v3_cross(m->arm[i], along[i]));
    }
    return row;
}

bool ashi_bending_spring_rows(const ashi_bending_spring *s, const ashi_state *state, ashi_implicit_row rows[2])
{
    bend m;
    if (!s->head.enabled || !measure(s, state, &m))
        return false;
    ash_vec3 n = m.sine > 0 ? v3_unit(m.across) : v3_perpendicular(m.e1), along[3];
    find_gradient(&m, n, along);
    rows[0] = make_row(s, &m, along, s->stiffness, s->damping);
    along[0] = v3_scale(n, 1 / m.l1);
    along[2] = v3_scale(n, 1 / m.l2);
    along[1] = v3_neg(v3_add(along[0], along[2]));
    double beyond = m.angle - s->rest_angle;
    double across = m.sine > 0 ? 0.5 * beyond * (1 + v3_dot(m.e1, m.e2)) / m.sine : s->rest_angle == 0;
    rows[1] = make_row(s, &m, along, across > 0 ? s->stiffness * across : 0, m.sine > 0 ? 0 : s->damping);
    return true;
}

double ashi_implicit_row_rate(const ashi_implicit_row *row, const ashi_state *state)
{
    double rate = 0;
    for (uint32_t i = 0; i < row->count; i++)
        rate += v3_dot(row->along[i].linear, state->velocity[row->body[i]]) +
                v3_dot(row->along[i].angular, state->spin[row->body[i]]);
    return rate;
}

static bool linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements)
{
    const ashi_forces *f = &model->forces;
    if (!ashi_array_reserve(&elements->rows, elements->rows.count + 2 * f->bending_springs.count))
        return false;
    for (uint32_t k = 0; k < f->bending_springs.count; k++) {
        ashi_implicit_row rows[2];
        if (!ashi_bending_spring_rows(&f->bending_springs.data[k], stage->state, rows))
            continue;
        for (int i = 0; i < 2; i++) {
            double rate = ashi_implicit_row_rate(&rows[i], stage->state);
            rows[i].matrix = h * h * rows[i].stiffness + h * rows[i].damping;
            rows[i].impulse = -h * h * rows[i].stiffness * rate;
            elements->rows.data[elements->rows.count++] = rows[i];
        }
    }
    return true;
}

static bool uses_body(const void *element, uint32_t body)
{
    const ashi_bending_spring *s = element;
    return s->body[0] == body || s->body[1] == body || s->body[2] == body;
}

static void recentre(ashi_model *model, uint32_t index)
{
    ashi_bending_spring *s = &model->forces.bending_springs.data[index];
    for (int i = 0; i < 3; i++)
        s->arm[i] = ashi_arm(&model->bodies, s->body[i], s->point[i]);
}

static void mark_elastic(const ashi_forces *f, bool *marks)
{
    for (uint32_t k = 0; k < f->bending_springs.count; k++)
        for (int i = 0; i < 3; i++)
            marks[f->bending_springs.data[k].body[i]] = true;
}

const ashi_force_class ashi_bending_spring_class = {
    .name = "bending-spring",
    .element_size = sizeof(ashi_bending_spring),
    .array = offsetof(ashi_forces, bending_springs),
    .apply = apply,
    .power = add_power,
    .energy = energy,
    .linearize = linearize,
    .uses_body = uses_body,
    .recentre = recentre,
    .mark_elastic = mark_elastic,
};
