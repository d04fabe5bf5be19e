/* Restitution in the real-time solver: after the last sub-step, contacts that should rebound do (docs/soft-step.md).
 *
 * Each parts at its share of the speed at which it closed, and takes no more than its impulse back. That speed is
 * looked at until the contact first carries something: a ball that another has hit in this step rebounds, too. What
 * rested, or does not rebound, takes what others push onto it. Contacts, and joints between them, take turns. Contacts
 * of two bodies may have closed one after the other, in different sub-steps, each with the speed that the ones before
 * have left: all these speeds together may hold more energy than there was. So all that rebounds does so by a share,
 * the largest with which contacts have made no energy in the step. */
#include "solve/soft/soft_step.h"

#define ROUNDS 256  /* of contacts and joints at most; ... */
#define VISITS 2048 /* ... of large islands so many visits of points, ... */
#define LEAST  4    /* ... but so many rounds at least */

ashi_soft_rebound ashi_soft_rebound_of(const ashi_soft_step *s, double asked, double speed, double restitution)
{
    bool known = asked > 0 && speed < 0;
    return (ashi_soft_rebound){.share = known ? asked / -speed : restitution,
                               .least = known ? 0 : s->problem->resting_speed};
}

double ashi_soft_parting(const ashi_soft_rebound *rebound)
{
    return rebound->approach > rebound->least ? rebound->share * rebound->approach : 0;
}

double ashi_soft_rebound_impulse(const ashi_soft_rebound *rebound, double total, double mass, double speed)
{
    double parting = ashi_soft_parting(rebound), after = total - mass * (speed - parting);
    return fmax(after, parting > 0 ? 0 : rebound->total);
}

bool ashi_soft_rebound_store(const ashi_soft_rebound *rebound, ash_problem_point *point)
{
    double parting = ashi_soft_parting(rebound);
    if (!(point->impulse.x > 0 && parting > point->rebound))
        return false;
    point->rebound = parting;
    point->bias = -parting;
    return true;
}

/* What their kinetic energy changes by, of the bodies with the velocities that they have, since `begin`. First and
 * second order in the changes. */
typedef struct gain {
    double first, second;
} gain;

static gain gain_of(const ashi_soft_step *s)
{
    gain g = {0};
    for (uint32_t i = 0; i < s->body_count; i++) {
        const ashi_soft_forces *f = &s->forces[i];
        const ash_motion *now = &s->bodies[i].change, *begin = &f->begin;
        ash_vec3 linear = v3_sub(now->linear, begin->linear), angular = v3_sub(now->angular, begin->angular);
        ash_vec3 force = v3_mul(f->mass, linear), moment = s3_apply(f->inertia, angular);
        g.first += v3_dot(force, v3_add(f->start_velocity, begin->linear)) +
                   v3_dot(moment, v3_add(f->start_spin, begin->angular));
        g.second += 0.5 * (v3_dot(force, linear) + v3_dot(moment, angular));
    }
    return g;
}

/* The largest share of a rebound that gives no more than `most`. */
static double share_within(gain g, double most)
{
    if (!(g.first + g.second > most) || !(g.second > 0))
        return 1;
    double root = g.first * g.first + 4 * g.second * (most > 0 ? most : 0);
    double share = (sqrt(root) - g.first) / (2 * g.second);
    return share > 0 ? share < 1 ? share : 1 : 0;
}

static void note_totals(ashi_soft_step *s)
{
    for (uint32_t i = 0; i < s->body_count; i++)
        s->forces[i].begin = s->bodies[i].change;
    for (uint32_t i = 0; i < s->plain_count; i++) /* no sub-step is to come that would ask for it */
        s->plains[i].before = s->plains[i].total;
    for (uint32_t i = 0; i < s->run_count; i++)
        for (uint32_t k = s->runs[i].first; k < s->runs[i].first + s->runs[i].count; k++)
            if (s->runs[i].patches)
                ashi_soft_patches_note_total(s, k);
            else
                s->accounts[k].rebound.total = s->impulses[s->contacts[k].first_row].total;
}

/* All that was changed since, by a share of it. */
static void lessen(ashi_soft_step *s, double share)
{
    for (uint32_t i = 0; i < s->body_count; i++) {
        ash_motion *now = &s->bodies[i].change;
        const ash_motion *begin = &s->forces[i].begin;
        now->linear = v3_add_scaled(begin->linear, v3_sub(now->linear, begin->linear), share);
        now->angular = v3_add_scaled(begin->angular, v3_sub(now->angular, begin->angular), share);
    }
    for (uint32_t i = 0; i < s->plain_count; i++)
        s->plains[i].total = s->plains[i].before + share * (s->plains[i].total - s->plains[i].before);
    for (uint32_t i = 0; i < s->run_count; i++)
        for (uint32_t k = s->runs[i].first; k < s->runs[i].first + s->runs[i].count; k++) {
            if (s->runs[i].patches) {
                ashi_soft_patches_lessen(s, k, share);
                continue;
            }
            double *total = &s->impulses[s->contacts[k].first_row].total, before = s->accounts[k].rebound.total;
            *total = before + share * (*total - before);
        }
}

static bool some_bounce(const ashi_soft_step *s)
{
    bool some = false;
    for (uint32_t k = 0; k < s->run_count && !some; k++)
        some = s->runs[k].patches ? ashi_soft_patches_bounce(s, &s->runs[k]) : ashi_soft_rows_bounce(s, &s->runs[k]);
    return some;
}

double ashi_soft_rebound_all(ashi_soft_step *s, double taken)
{
    double joints = 0;
    if (!some_bounce(s))
        return 0;
    ashi_soft_time end = {s->h * s->substeps, s->h * (s->substeps - 0.5)};
    note_totals(s);
    bool moved = true;
    uint32_t rounds = VISITS / (s->island->point_count + s->contact_count + 1);
    rounds = rounds < LEAST ? LEAST : rounds > ROUNDS ? ROUNDS : rounds;
    for (uint32_t i = 0; i < rounds && moved; i++) {
        moved = false;
        for (uint32_t k = 0; k < s->run_count; k++)
            moved |=
                s->runs[k].patches ? ashi_soft_patches_rebound(s, &s->runs[k]) : ashi_soft_rows_rebound(s, &s->runs[k]);
        joints += ashi_soft_plain_hold(s, end, true);
    }
    gain g = gain_of(s);
    double share = share_within(g, -taken);
    if (share < 1)
        lessen(s, share);
    return share * g.first + share * share * g.second - share * joints;
}
