/* Differences of states, body by body: their sums, their sizes, and states that are moved by them. */
#include "world/deviation.h"

#include <math.h>

bool ashi_deviations_fit(ashi_deviations *d, const ashi_bodies *b)
{
    uint32_t slots = ashi_body_slots(b);
    if (!ashi_array_reserve(d, slots))
        return false;
    for (uint32_t i = 0; i < slots; i++) {
        uint64_t body = ashi_pool_in_use(&b->pool, i) ? ashi_pool_handle(&b->pool, i) : 0;
        if (i >= d->count || d->data[i].body != body)
            d->data[i] = (ashi_deviation){.body = body};
    }
    d->count = slots;
    return true;
}

static ash_vec3 difference(ash_vec3 to, ash_vec3 from, double factor)
{
    return v3_scale(v3_sub(to, from), factor);
}

void ashi_deviations_between(ashi_deviations *d, const ashi_bodies *b, const ashi_state *to, const ashi_state *from,
                             double factor)
{
    for (uint32_t i = 0; i < d->count; i++) {
        d->data[i] = (ashi_deviation){.body = d->data[i].body};
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        ash_quat turn = q_mul(to->rotation[i], q_conjugate(from->rotation[i]));
        d->data[i].position = difference(to->position[i], from->position[i], factor);
        d->data[i].turn = v3_scale(q_log(turn), factor);
        d->data[i].velocity = difference(to->velocity[i], from->velocity[i], factor);
        d->data[i].spin = difference(to->spin[i], from->spin[i], factor);
    }
}

void ashi_deviations_apply(const ashi_deviations *d, ashi_bodies *b, double factor)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const ashi_deviation *e = &d->data[i];
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        b->now.position[i] = v3_add_scaled(b->now.position[i], e->position, factor);
        b->now.rotation[i] = q_unit(q_mul(q_exp(v3_scale(e->turn, factor)), b->now.rotation[i]));
        b->now.velocity[i] = v3_add_scaled(b->now.velocity[i], e->velocity, factor);
        b->now.spin[i] = v3_add_scaled(b->now.spin[i], e->spin, factor);
    }
}

void ashi_deviations_add(ashi_deviations *sum, const ashi_deviations *other, double factor)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        ashi_deviation *s = &sum->data[i];
        const ashi_deviation *o = &other->data[i];
        s->position = v3_add_scaled(s->position, o->position, factor);
        s->turn = v3_add_scaled(s->turn, o->turn, factor);
        s->velocity = v3_add_scaled(s->velocity, o->velocity, factor);
        s->spin = v3_add_scaled(s->spin, o->spin, factor);
    }
}

/* The largest radius of gyration, m. */
static double radius_of(const ashi_bodies *b, uint32_t slot)
{
    return sqrt(v3_max_component(b->rotor[slot].principal) * b->inertial[slot].inverse_mass);
}

static double larger(double largest, const ashi_bodies *b, uint32_t slot, ash_vec3 linear, ash_vec3 angular)
{
    double size = v3_norm(linear), turn = v3_norm(angular);
    if (turn > 0)
        size = fmax(size, turn * radius_of(b, slot));
    if (size <= largest)
        return largest;
    return isnan(size) ? (double)INFINITY : size; /* NaN counts as infinite */
}

double ashi_deviations_norm(const ashi_deviations *d, const ashi_bodies *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < d->count; i++)
        if (b->motion[i] & ASHI_DYNAMIC)
            largest = larger(largest, b, i, d->data[i].position, d->data[i].turn);
    return largest;
}

double ashi_deviations_speed(const ashi_deviations *d, const ashi_bodies *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < d->count; i++)
        if (b->motion[i] & ASHI_DYNAMIC)
            largest = larger(largest, b, i, d->data[i].velocity, d->data[i].spin);
    return largest;
}
