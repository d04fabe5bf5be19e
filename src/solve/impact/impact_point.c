/* Impact at a point by the equations of Darboux and Keller, with the normal impulse p in the place of time:
 *
 *   du/dp = G (1, f),   f = -mu u_t / |u_t| while the point slips,   f = -G_tt^-1 G_tn while it sticks, |f| <= mu
 *
 * (Routh 1905 in the plane; Keller 1986; Stronge 1990). Compression ends where u_n = 0, restitution
 *   - by Poisson's law at e times the impulse of compression,
 *   - by the energetic law when the normal force has given back e^2 times the work that it took.
 *
 * In a plane, and wherever slip keeps its direction (balls, blocks that land flat), u is linear in p and every piece is
 * found in closed form. Otherwise slip turns, the faster the slower it is; in the parameter tau with dp = |u_t| d tau
 * it does so smoothly, and fades exponentially when it comes to rest: Runge and Kutta's method of order 4 follows it.
 * Slip that has come to rest sticks for the rest of the impact, or leaves along the one direction that it keeps.
 *
 * Work of friction is -mu |u_t| dp, the normal force can only give back what it has taken: no energy is made. */
#include "solve/impact/impact_point.h"

#include "math/elementary.h"

#include <math.h>

#define STRAIGHT   1e-13 /* of the change of slip: slip that turns less keeps its direction */
#define AT_REST    1e-11 /* of the speeds at the start: slower slip has come to rest */
#define STEP       0.02  /* of tau, in units of the fastest rate */
#define MOST_STEPS 40000
#define HALVINGS   60 /* of the step in which a phase ends */
#define SECTORS    64 /* of the circle in which a direction is looked for */
#define PIECES     16 /* more than an impact has: slip, rest or new slip, each cut by the end of compression */

typedef struct progress {
    const ashi_point_impact *impact;
    double start[3];   /* speeds before the impact */
    double impulse[3]; /* so far */
    double normal_work, friction_work;
    double compressed;          /* work that the normal force has taken, ... */
    double compression_impulse; /* ... and its impulse then; 0: still in compression */
    bool restitution;
    double scale; /* m/s: of the speeds at the start */
    uint32_t steps;
} progress;

static double speed_at(const progress *g, const double impulse[3], int i)
{
    const double *row = g->impact->response[i];
    return g->start[i] + row[0] * impulse[0] + row[1] * impulse[1] + row[2] * impulse[2];
}

static double slip_of(const progress *g, const double impulse[3], double slip[2])
{
    slip[0] = g->impact->tangents > 0 ? speed_at(g, impulse, 1) : 0;
    slip[1] = g->impact->tangents > 1 ? speed_at(g, impulse, 2) : 0;
    return slip[1] == 0 ? fabs(slip[0]) : sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
}

/* ---- ends of phases ---- */

static double wanted_work(const progress *g)
{
    double e = g->impact->restitution;
    return e * e * g->compressed;
}

static double wanted_impulse(const progress *g)
{
    return (1 + g->impact->restitution) * g->compression_impulse;
}

/* How far the phase is from its end: negative before it. */
static double beyond(const progress *g, const double impulse[3], double normal_work)
{
    if (!g->restitution)
        return speed_at(g, impulse, 0);
    if (g->impact->law == ASH_RESTITUTION_POISSON)
        return impulse[0] - wanted_impulse(g);
    return normal_work + g->compressed - wanted_work(g);
}

/* The phase has ended here. False: so has the impact. */
static bool next_phase(progress *g)
{
    if (g->restitution)
        return false;
    g->restitution = true;
    g->compressed = fmax(-g->normal_work, 0);
    g->compression_impulse = g->impulse[0];
    return g->impact->restitution > 0 && g->compressed > 0;
}

/* Impulse along a straight piece, on which the normal speed changes at this rate, to the end of the phase. */
static double length_to_end(const progress *g, double rate)
{
    double speed = speed_at(g, g->impulse, 0);
    if (!g->restitution)
        return speed >= 0 ? 0 : rate > 0 ? -speed / rate : HUGE_VAL;
    if (g->impact->law == ASH_RESTITUTION_POISSON)
        return fmax(wanted_impulse(g) - g->impulse[0], 0);
    double left = wanted_work(g) - g->normal_work - g->compressed, square = speed * speed + 2 * rate * left;
    if (!(left > 0))
        return 0;
    double root = fmax(speed, 0) + sqrt(fmax(square, 0));
    return square < 0 || root == 0 ? fmax(-speed / rate, 0) : 2 * left / root;
}

/* ---- straight pieces ---- */

/* Goes on by a length of normal impulse with a constant friction. */
static void go_straight(progress *g, const double friction[2], double length)
{
    double before = speed_at(g, g->impulse, 0), slip[2], later[2];
    slip_of(g, g->impulse, slip);
    g->impulse[0] += length;
    g->impulse[1] += friction[0] * length;
    g->impulse[2] += friction[1] * length;
    slip_of(g, g->impulse, later);
    g->normal_work += 0.5 * length * (before + speed_at(g, g->impulse, 0));
    g->friction_work += 0.5 * length * (friction[0] * (slip[0] + later[0]) + friction[1] * (slip[1] + later[1]));
}

/* Rates of the three speeds over the normal impulse. */
static void rates_of(const progress *g, const double friction[2], double rate[3])
{
    for (int i = 0; i < 3; i++) {
        const double *row = g->impact->response[i];
        rate[i] = row[0] + row[1] * friction[0] + row[2] * friction[1];
    }
}

/* Sliding along one direction, from slip at that speed, to rest or to the end. False: the impact is over. */
static bool slide_straight(progress *g, const double direction[2], double slip)
{
    double friction[2] = {-g->impact->friction * direction[0], -g->impact->friction * direction[1]}, rate[3];
    rates_of(g, friction, rate);
    double slowing = -(rate[1] * direction[0] + rate[2] * direction[1]);
    double rest = slowing > 0 ? slip / slowing : HUGE_VAL, end = length_to_end(g, rate[0]);
    if (!(fmin(rest, end) < HUGE_VAL))
        return false; /* no response at all */
    go_straight(g, friction, fmin(rest, end));
    return rest < end || next_phase(g);
}

/* ---- slip at rest ---- */

/* The friction that keeps slip as it is. False where the response has none such. */
static bool holding_friction(const ashi_point_impact *m, double friction[2])
{
    const double(*g)[3] = m->response;
    friction[0] = friction[1] = 0;
    if (m->tangents == 1) {
        friction[0] = g[1][1] > 0 ? -g[1][0] / g[1][1] : 0;
        return g[1][1] > 0 || g[1][0] == 0;
    }
    double det = g[1][1] * g[2][2] - g[1][2] * g[2][1], size = g[1][1] * g[2][2];
    if (!(det > 1e-14 * size))
        return false;
    friction[0] = -(g[2][2] * g[1][0] - g[1][2] * g[2][0]) / det;
    friction[1] = -(g[1][1] * g[2][0] - g[2][1] * g[1][0]) / det;
    return true;
}

/* How slip that begins in this direction changes: along it, and (returned) across. */
static double change_of_slip(const ashi_point_impact *m, double angle, double direction[2], double *along)
{
    ashi_sincos(angle, &direction[1], &direction[0]);
    double x = m->response[1][0] - m->friction * (m->response[1][1] * direction[0] + m->response[1][2] * direction[1]);
    double y = m->response[2][0] - m->friction * (m->response[2][1] * direction[0] + m->response[2][2] * direction[1]);
    *along = x * direction[0] + y * direction[1];
    return y * direction[0] - x * direction[1];
}

/* The direction in which slip begins and goes on: the one that it keeps, in which it grows fastest. */
static bool leaving_direction(const ashi_point_impact *m, double direction[2])
{
    if (m->tangents == 1) {
        direction[0] = m->response[1][0] >= 0 ? 1 : -1;
        direction[1] = 0;
        return true;
    }
    double best = 0, along, d[2];
    for (int i = 0; i < SECTORS; i++) {
        double low = 2 * ASHI_PI * i / SECTORS, high = 2 * ASHI_PI * (i + 1) / SECTORS;
        double at_low = change_of_slip(m, low, d, &along), at_high = change_of_slip(m, high, d, &along);
        if (at_low != 0 && (at_low > 0) == (at_high > 0))
            continue;
        for (int k = 0; k < HALVINGS && at_low != 0; k++) {
            double middle = 0.5 * (low + high), at = change_of_slip(m, middle, d, &along);
            if ((at > 0) == (at_low > 0))
                low = middle;
            else
                high = middle;
        }
        change_of_slip(m, low, d, &along);
        if (along > best) {
            best = along;
            direction[0] = d[0];
            direction[1] = d[1];
        }
    }
    return best > 0;
}

/* Goes on from slip at rest. False: the impact is over. */
static bool go_on_from_rest(progress *g)
{
    const ashi_point_impact *m = g->impact;
    double friction[2], rate[3], direction[2];
    bool holds = holding_friction(m, friction);
    double size = sqrt(friction[0] * friction[0] + friction[1] * friction[1]);
    if ((holds && size <= m->friction) || !leaving_direction(m, direction)) {
        double most = m->friction < size ? m->friction / size : 1;
        friction[0] *= most;
        friction[1] *= most;
        rates_of(g, friction, rate);
        double end = length_to_end(g, rate[0]);
        if (!(end < HUGE_VAL))
            return false;
        go_straight(g, friction, end);
        return next_phase(g);
    }
    double slip[2];
    slip_of(g, g->impulse, slip);
    return slide_straight(g, direction, fmax(slip[0] * direction[0] + slip[1] * direction[1], 0));
}

/* ---- slip that turns ---- */

/* Normal impulse, friction impulses, works of normal and friction. */
typedef struct turning {
    double value[5];
} turning;

static turning rate_of_turning(const progress *g, const turning *at)
{
    double slip[2], speed = slip_of(g, at->value, slip), mu = g->impact->friction;
    return (turning){{speed, -mu * slip[0], -mu * slip[1], speed_at(g, at->value, 0) * speed, -mu * speed * speed}};
}

static turning added(const turning *a, const turning *b, double factor)
{
    turning sum;
    for (int i = 0; i < 5; i++)
        sum.value[i] = a->value[i] + factor * b->value[i];
    return sum;
}

static turning turned(const progress *g, const turning *from, double tau)
{
    turning a = rate_of_turning(g, from), at = added(from, &a, 0.5 * tau);
    turning b = rate_of_turning(g, &at);
    at = added(from, &b, 0.5 * tau);
    turning c = rate_of_turning(g, &at);
    at = added(from, &c, tau);
    turning d = rate_of_turning(g, &at), sum = added(from, &a, tau / 6);
    sum = added(&sum, &b, tau / 3);
    sum = added(&sum, &c, tau / 3);
    return added(&sum, &d, tau / 6);
}

static void accept(progress *g, const turning *to)
{
    for (int i = 0; i < 3; i++)
        g->impulse[i] = to->value[i];
    g->normal_work = to->value[3];
    g->friction_work = to->value[4];
}

/* Whether slip in this direction keeps it. */
static bool keeps_direction(const ashi_point_impact *m, const double d[2])
{
    if (m->tangents < 2)
        return true;
    const double(*r)[3] = m->response;
    double x = r[1][0] - m->friction * (r[1][1] * d[0] + r[1][2] * d[1]);
    double y = r[2][0] - m->friction * (r[2][1] * d[0] + r[2][2] * d[1]);
    double size = fabs(r[1][0]) + fabs(r[2][0]) + m->friction * (r[1][1] + r[2][2]);
    return fabs(y * d[0] - x * d[1]) <= STRAIGHT * size;
}

/* Follows slip that turns to rest, to the end of the phase, or to where it keeps its direction. False: the impact is
 * over. */
static bool slide_turning(progress *g)
{
    const ashi_point_impact *m = g->impact;
    const double(*r)[3] = m->response;
    double rate = sqrt(r[1][0] * r[1][0] + r[2][0] * r[2][0]) + m->friction * (r[1][1] + r[2][2]), tau = STEP / rate;
    turning now = {{g->impulse[0], g->impulse[1], g->impulse[2], g->normal_work, g->friction_work}};
    double slip[2];
    for (double speed; (speed = slip_of(g, now.value, slip)) > AT_REST * g->scale && g->steps < MOST_STEPS;
         g->steps++) {
        const double direction[2] = {slip[0] / speed, slip[1] / speed};
        if (keeps_direction(m, direction))
            break;
        turning next = turned(g, &now, tau);
        if (beyond(g, next.value, next.value[3]) < 0) {
            now = next;
            continue;
        }
        double low = 0, high = tau;
        for (int k = 0; k < HALVINGS; k++) {
            double middle = 0.5 * (low + high);
            next = turned(g, &now, middle);
            if (beyond(g, next.value, next.value[3]) < 0)
                low = middle;
            else
                high = middle;
        }
        now = turned(g, &now, high);
        accept(g, &now);
        return next_phase(g);
    }
    accept(g, &now);
    return g->steps < MOST_STEPS;
}

/* A piece of the impact. False: it is over. */
static bool go_on(progress *g)
{
    double slip[2], speed = slip_of(g, g->impulse, slip);
    static const double none[2] = {0, 0};
    if (g->impact->tangents == 0 || !(g->impact->friction > 0)) {
        double end = length_to_end(g, g->impact->response[0][0]);
        if (!(end < HUGE_VAL))
            return false;
        go_straight(g, none, end);
        return next_phase(g);
    }
    if (!(speed > AT_REST * g->scale))
        return go_on_from_rest(g);
    double direction[2] = {slip[0] / speed, slip[1] / speed};
    return keeps_direction(g->impact, direction) ? slide_straight(g, direction, speed) : slide_turning(g);
}

bool ashi_point_impact_solve(ashi_point_impact *impact)
{
    progress g = {.impact = impact, .start = {impact->speed[0], impact->speed[1], impact->speed[2]}};
    double slip[2];
    g.scale = slip_of(&g, g.impulse, slip) + fabs(impact->speed[0]);
    int pieces = 0;
    bool goes_on = impact->speed[0] < 0;
    while (goes_on && pieces++ < PIECES)
        goes_on = go_on(&g);
    for (int i = 0; i < 3; i++) {
        impact->impulse[i] = g.impulse[i];
        impact->speed[i] = i == 0 || (uint32_t)i <= impact->tangents ? speed_at(&g, g.impulse, i) : 0;
    }
    impact->friction_work = fmin(g.friction_work, 0);
    return !goes_on && g.steps < MOST_STEPS && impact->speed[0] >= -1e-9 * g.scale;
}
