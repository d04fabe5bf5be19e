/* The fastest mode of the springs by power iteration on M^-1 (h^2 K + 2 h C), whose largest eigenvalue reaches 4 where
 * symplectic Euler becomes unstable. The iteration approaches it from below, so that no stable step is reported as too
 * long. Joints and contacts are ignored, although they can make the mode slower or faster. */
#include "measure/spring_bound.h"

#include "base/random.h"
#include "model/explicit_bound.h"

enum { ROUNDS = 60 };
#define SETTLED 1e-4 /* relative change of the eigenvalue in a round */

/* A spring's row on its bodies' velocities at the present state. */
typedef struct element {
    ashi_implicit_row row;
    uint32_t owner;
} element;

typedef struct mode {
    const ashi_model *model;
    element *elements;
    uint32_t count;
    ash_motion *velocity, *push; /* by body slot */
    double h;
} mode;

static void gather_springs(mode *m)
{
    const ashi_forces *f = &m->model->forces;
    const ashi_state *now = &m->model->bodies.now;
    for (uint32_t i = 0; i < f->springs.count; i++) {
        const ashi_spring *s = &f->springs.data[i];
        if (!s->head.enabled)
            continue;
        ash_vec3 arm_a = q_rotate(now->rotation[s->body_a], s->arm_a);
        ash_vec3 arm_b = q_rotate(now->rotation[s->body_b], s->arm_b);
        ash_vec3 apart = v3_sub(v3_add(now->position[s->body_a], arm_a), v3_add(now->position[s->body_b], arm_b));
        ash_vec3 n = v3_norm2(apart) > 0 ? v3_unit(apart) : v3(1, 0, 0);
        m->elements[m->count++] = (element){
            .row = {.count = 2,
                    .body = {s->body_a, s->body_b},
                    .along = {{n, s->offset_a ? v3_cross(arm_a, n) : v3(0, 0, 0)},
                              {v3_neg(n), s->offset_b ? v3_cross(n, arm_b) : v3(0, 0, 0)}},
                    .stiffness = s->stiffness,
                    .damping = s->damping},
            .owner = s->head.owner,
        };
    }
}

/* They act equally about all axes: three elements each. */
static void gather_angular_springs(mode *m)
{
    const ashi_forces *f = &m->model->forces;
    for (uint32_t i = 0; i < 3 * f->angular_springs.count; i++) {
        const ashi_angular_spring *s = &f->angular_springs.data[i / 3];
        ash_vec3 n = v3(i % 3 == 0, i % 3 == 1, i % 3 == 2);
        if (s->head.enabled)
            m->elements[m->count++] = (element){
                .row = {.count = 2,
                        .body = {s->body_a, s->body_b},
                        .along = {{.angular = n}, {.angular = v3_neg(n)}},
                        .stiffness = s->stiffness,
                        .damping = s->damping},
                .owner = s->head.owner,
            };
    }
}

static void gather_bending_springs(mode *m)
{
    const ashi_forces *f = &m->model->forces;
    for (uint32_t i = 0; i < f->bending_springs.count; i++) {
        ashi_implicit_row rows[2];
        const ashi_bending_spring *s = &f->bending_springs.data[i];
        if (!ashi_bending_spring_rows(s, &m->model->bodies.now, rows))
            continue;
        for (int k = 0; k < 2; k++)
            m->elements[m->count++] = (element){rows[k], s->head.owner};
    }
}

static double rate_of(const mode *m, const element *e)
{
    double rate = 0;
    for (uint32_t i = 0; i < e->row.count; i++) {
        const ash_motion *v = &m->velocity[e->row.body[i]];
        rate += v3_dot(v->linear, e->row.along[i].linear) + v3_dot(v->angular, e->row.along[i].angular);
    }
    return rate;
}

static void push(mode *m, const element *e, double force)
{
    for (uint32_t i = 0; i < e->row.count; i++) {
        ash_motion *p = &m->push[e->row.body[i]];
        p->linear = v3_add_scaled(p->linear, e->row.along[i].linear, force);
        p->angular = v3_add_scaled(p->angular, e->row.along[i].angular, force);
    }
}

/* Multiplies the pushes by M^-1, which gives the velocity; returns its largest component. Immovable bodies do not
 * move. */
static double answer(mode *m)
{
    const ashi_bodies *b = &m->model->bodies;
    double largest = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        ash_motion v = {0};
        if (b->motion[i] & ASHI_DYNAMIC) {
            v.linear = ashi_unlocked_velocity(b, i, v3_scale(m->push[i].linear, b->inertial[i].inverse_mass));
            if (b->motion[i] & ASHI_ROTATES)
                v.angular = s3_apply(s3_rotated(b->rotor[i].inverse, b->now.rotation[i]), m->push[i].angular);
        }
        m->velocity[i] = v;
        m->push[i] = (ash_motion){0};
        largest = fmax(largest, fmax(v3_norm2(v.linear), v3_norm2(v.angular)));
    }
    return sqrt(largest);
}

static double mass_product(const mode *m)
{
    const ashi_bodies *b = &m->model->bodies;
    double sum = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        const ash_motion *v = &m->velocity[i];
        sum += b->inertial[i].mass * v3_norm2(v->linear);
        if (b->motion[i] & ASHI_ROTATES)
            sum += v3_dot(v->angular, s3_apply(s3_rotated(b->rotor[i].inertia, b->now.rotation[i]), v->angular));
    }
    return sum;
}

/* One round: the velocity becomes that caused by the springs' pushes. `stiff` and `damped` receive the quotients of the
 * previous mode. False when nothing moves. */
static bool turn(mode *m, double *stiff, double *damped)
{
    double mass = mass_product(m), k = 0, c = 0;
    if (!(mass > 0) || !isfinite(mass))
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        const element *e = &m->elements[i];
        double rate = rate_of(m, e) / sqrt(mass);
        k += e->row.stiffness * rate * rate;
        c += e->row.damping * rate * rate;
        push(m, e, (m->h * m->h * e->row.stiffness + 2 * m->h * e->row.damping) * rate);
    }
    *stiff = k;
    *damped = c;
    return true;
}

/* The element with the largest share in the present mode. */
static uint32_t busiest(const mode *m)
{
    double most = 0;
    uint32_t owner = ASHI_NO_SLOT;
    for (uint32_t i = 0; i < m->count; i++) {
        const element *e = &m->elements[i];
        double rate = rate_of(m, e);
        double share = (m->h * m->h * e->row.stiffness + 2 * m->h * e->row.damping) * rate * rate;
        if (share > most) {
            most = share;
            owner = e->owner;
        }
    }
    return owner;
}

static void iterate(mode *m, double *stiff, double *damped)
{
    ashi_random random = {1};
    for (uint32_t i = 0; i < ashi_body_slots(&m->model->bodies); i++) {
        double numbers[6];
        for (int k = 0; k < 6; k++)
            numbers[k] = ashi_random_range(&random, -1, 1);
        m->push[i] = (ash_motion){v3(numbers[0], numbers[1], numbers[2]), v3(numbers[3], numbers[4], numbers[5])};
    }
    double last = 0;
    *stiff = *damped = 0;
    for (int round = 0; round < ROUNDS && answer(m) > 0 && turn(m, stiff, damped); round++) {
        double value = m->h * m->h * *stiff + 2 * m->h * *damped;
        if (fabs(value - last) <= SETTLED * value)
            break;
        last = value;
    }
}

bool ashi_find_spring_bound(const ashi_model *model, ash_integrator integrator, double h, ashi_arena *scratch,
                            ashi_spring_bound *bound)
{
    uint32_t slots = ashi_body_slots(&model->bodies);
    const ashi_forces *f = &model->forces;
    uint32_t most = f->springs.count + 3 * f->angular_springs.count + 2 * f->bending_springs.count;
    *bound = (ashi_spring_bound){.step = HUGE_VAL, .force = ASHI_NO_SLOT};
    if (most == 0 || ashi_explicit_bound(integrator, 1, 1) == HUGE_VAL)
        return true;
    mode m = {.model = model,
              .elements = ashi_arena_take_array(scratch, most, sizeof *m.elements),
              .velocity = ashi_arena_take_array(scratch, slots, sizeof *m.velocity),
              .push = ashi_arena_take_array(scratch, slots, sizeof *m.push),
              .h = h};
    if (m.elements == NULL || m.velocity == NULL || m.push == NULL)
        return false;
    double stiff, damped;
    gather_springs(&m);
    gather_angular_springs(&m);
    gather_bending_springs(&m);
    iterate(&m, &stiff, &damped);
    bound->step = ashi_explicit_bound(integrator, stiff, damped);
    bound->fastest = sqrt(stiff);
    bound->force = busiest(&m);
    return true;
}
