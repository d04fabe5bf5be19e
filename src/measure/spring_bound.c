/* The fastest mode of the springs by power iteration on M^-1 (h^2 K + 2 h C), whose largest eigenvalue reaches 4 where
 * symplectic Euler becomes unstable. The iteration approaches it from below, so that a step is never called too long
 * that is not. Joints and contacts are left out: they would make the mode slower or faster by what they hold. */
#include "measure/spring_bound.h"

#include "base/random.h"
#include "model/explicit_bound.h"

enum { ROUNDS = 60 };
#define SETTLED 1e-4 /* relative change of the eigenvalue in a round */

/* A spring at the present state: what it sees of two bodies' velocities along one direction, or of their spins. */
typedef struct element {
    uint32_t body_a, body_b, owner;
    bool angular;
    ash_vec3 direction, arm_a, arm_b;
    double stiffness, damping;
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
        m->elements[m->count++] = (element){.body_a = s->body_a,
                                            .body_b = s->body_b,
                                            .owner = s->head.owner,
                                            .direction = v3_norm2(apart) > 0 ? v3_unit(apart) : v3(1, 0, 0),
                                            .arm_a = s->offset_a ? arm_a : v3(0, 0, 0),
                                            .arm_b = s->offset_b ? arm_b : v3(0, 0, 0),
                                            .stiffness = s->stiffness,
                                            .damping = s->damping};
    }
}

/* They act alike about all axes: three elements. */
static void gather_angular_springs(mode *m)
{
    const ashi_forces *f = &m->model->forces;
    for (uint32_t i = 0; i < 3 * f->angular_springs.count; i++) {
        const ashi_angular_spring *s = &f->angular_springs.data[i / 3];
        if (s->head.enabled)
            m->elements[m->count++] = (element){.body_a = s->body_a,
                                                .body_b = s->body_b,
                                                .owner = s->head.owner,
                                                .angular = true,
                                                .direction = v3(i % 3 == 0, i % 3 == 1, i % 3 == 2),
                                                .stiffness = s->stiffness,
                                                .damping = s->damping};
    }
}

static double rate_of(const mode *m, const element *e)
{
    const ash_motion *a = &m->velocity[e->body_a], *b = &m->velocity[e->body_b];
    ash_vec3 rate = e->angular ? v3_sub(a->angular, b->angular)
                               : v3_sub(v3_add(a->linear, v3_cross(a->angular, e->arm_a)),
                                        v3_add(b->linear, v3_cross(b->angular, e->arm_b)));
    return v3_dot(rate, e->direction);
}

static void push(mode *m, const element *e, double force)
{
    ash_motion *a = &m->push[e->body_a], *b = &m->push[e->body_b];
    ash_vec3 along = v3_scale(e->direction, force);
    a->angular = v3_add(a->angular, e->angular ? along : v3_cross(e->arm_a, along));
    b->angular = v3_sub(b->angular, e->angular ? along : v3_cross(e->arm_b, along));
    if (e->angular)
        return;
    a->linear = v3_add(a->linear, along);
    b->linear = v3_sub(b->linear, along);
}

/* M^-1 of what was pushed, which becomes the velocity; returns its largest part. Immovable bodies stay. */
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

/* One round: the velocity becomes that which the springs' pushes make. `stiff` and `damped` receive the quotients of
 * the mode before. False when nothing moves. */
static bool turn(mode *m, double *stiff, double *damped)
{
    double mass = mass_product(m), k = 0, c = 0;
    if (!(mass > 0) || !isfinite(mass))
        return false;
    for (uint32_t i = 0; i < m->count; i++) {
        const element *e = &m->elements[i];
        double rate = rate_of(m, e) / sqrt(mass);
        k += e->stiffness * rate * rate;
        c += e->damping * rate * rate;
        push(m, e, (m->h * m->h * e->stiffness + 2 * m->h * e->damping) * rate);
    }
    *stiff = k;
    *damped = c;
    return true;
}

/* The element with the largest share in the mode whose velocities are there. */
static uint32_t busiest(const mode *m)
{
    double most = 0;
    uint32_t owner = ASHI_NO_SLOT;
    for (uint32_t i = 0; i < m->count; i++) {
        const element *e = &m->elements[i];
        double rate = rate_of(m, e);
        double share = (m->h * m->h * e->stiffness + 2 * m->h * e->damping) * rate * rate;
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
    uint32_t most = model->forces.springs.count + 3 * model->forces.angular_springs.count;
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
    iterate(&m, &stiff, &damped);
    bound->step = ashi_explicit_bound(integrator, stiff, damped);
    bound->fastest = sqrt(stiff);
    bound->force = busiest(&m);
    return true;
}
