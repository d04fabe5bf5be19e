/* Position motors of limited force: they come to their target as fast as their force lets them come and stop, stay
 * there, and make no energy, whatever the masses, the force and the step, by every preset. */
#include "step/piles.h"

#include "base/random.h"
#include "math/transform.h"

#include <math.h>
#include <string.h>

#ifdef ASHLAR_SLOW_BUILD
enum { TRIALS = 1 };
#elif defined(ASHLAR_ALL_TRIALS)
enum { TRIALS = 4 };
#else
enum { TRIALS = 2 };
#endif

static const double lengths[] = {0.01, 0.002, 0.0005};

/* A box on a hinge away from its centre, or on a rail, held by the world or by another box that is free. */
typedef struct machine {
    ash_world *world;
    ash_joint joint;
    ash_freedom freedom;
    double way;     /* from the start to the target, m or rad */
    double fastest; /* what the force alone gives, m/s2 or rad/s2 */
} machine;

static ash_body add_part(ash_world *w, ashi_random *random, ash_vec3 at, ash_vec3 *half, double *mass)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    half->x = ashi_random_range(random, 0.05, 0.5);
    half->y = ashi_random_range(random, 0.05, 0.2);
    half->z = ashi_random_range(random, 0.05, 0.2);
    double density = exp(ashi_random_range(random, log(100), log(8000)));
    box.half_extents = *half;
    *mass = 8 * half->x * half->y * half->z * density;
    return add_shape(w, &box, ASH_BODY_DYNAMIC, density, at, v3(0, 0, 0));
}

/* The inertia of a box about an axis along y, `off` from its centre. */
static double inertia_about(ash_vec3 half, double mass, double off)
{
    return mass * ((half.x * half.x + half.z * half.z) / 3 + off * off);
}

static machine make_machine(ashi_random *random, const char *method, int kind)
{
    machine m = {.world = make_held_world(method, v3(0, 0, 0), 1), .freedom = kind == 0 ? ASH_TURN_X : ASH_MOVE_X};
    ash_vec3 half, other;
    double mass, ballast = 0, off = 0;
    ash_body base = {0}, body;
    body = add_part(m.world, random, v3(0, 0, 0), &half, &mass);
    if (kind == 2)
        base = add_part(m.world, random, v3(-3, 0, 0), &other, &ballast);
    ash_joint_def def = ash_default_joint_def(kind == 0 ? ASH_JOINT_HINGE : ASH_JOINT_SLIDER);
    def.body_a = kind == 2 ? base : def.body_a;
    def.body_b = body;
    off = kind == 0 ? ashi_random_range(random, 0, 2) : 0;
    ash_vec3 axis = kind == 0 ? v3(0, 1, 0) : v3(1, 0, 0);
    assert_int_equal(ash_joint_def_place(m.world, &def, v3(-off, 0, 0), axis), ASH_OK);
    m.way = (ashi_random_below(random, 2) == 0 ? -1 : 1) * ashi_random_range(random, 0.1, 1.5);
    double inertia = kind == 0 ? inertia_about(half, mass, off) : kind == 1 ? mass : mass * ballast / (mass + ballast);
    ash_joint_motor *motor = &def.axes[m.freedom].motor;
    motor->drive = ASH_DRIVE_POSITION;
    motor->target = m.way;
    m.fastest = exp(ashi_random_range(random, log(0.5), log(50)));
    motor->max_force = m.fastest * inertia;
    assert_int_equal(ash_joint_create(m.world, &def, &m.joint, NULL), ASH_OK);
    return m;
}

/* When it was there, how far it went beyond, how far off it is in the end, and the energy that was made. */
typedef struct result {
    double arrival, over, off, made;
} result;

static result run(const machine *m, double h, double until)
{
    result r = {.arrival = INFINITY};
    double start = ash_world_get_ledger(m->world).total, side = m->way > 0 ? 1 : -1;
    for (double t = h; t < until; t += h) {
        take_steps(m->world, h, 1);
        double left = side * (m->way - ash_joint_get_position(m->world, m->joint, m->freedom));
        ash_ledger l = ash_world_get_ledger(m->world);
        r.over = fmax(r.over, -left);
        r.off = fabs(left);
        r.made = fmax(r.made, l.total - l.motors - start);
        if (isinf(r.arrival) && left < 0.01 * fabs(m->way))
            r.arrival = t;
    }
    return r;
}

/* Baumgarte's bias gives hinges of few sweeps energy (docs/laws.md). */
static bool may_make_energy(const char *method)
{
    return strcmp(method, "gribel-2009") == 0 || strcmp(method, "dejong-2014") == 0;
}

/* Ten sweeps do not hold an arm on a hinge away from its centre. */
static bool can_hold(const char *method, int kind)
{
    return kind != 0 || strcmp(method, "penalty") != 0;
}

/* Motors look at the start of a step: at their highest speed they may be a step's way late. */
static void they_come_and_stay(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (uint32_t k = 0; k < ash_method_count(); k++)
        for (int kind = 0; kind < 3; kind++)
            for (int trial = 0; trial < TRIALS && can_hold(ash_method_name(k), kind); trial++)
                for (int n = 0; n < 3; n++) {
                    const char *name = ash_method_name(k);
                    ashi_random random = {(uint64_t)(1000 * kind + trial)};
                    machine m = make_machine(&random, name, kind);
                    double h = lengths[n], way = fabs(m.way), least = 2 * sqrt(way / m.fastest);
                    double step = m.fastest * h * h;
                    result r = run(&m, h, 2 * least + 20 * h);
                    double moved = 0.25 * m.fastest * way;
                    bool good = r.arrival < 1.2 * least + 6 * h && r.over < 0.02 * way + sqrt(step * way) &&
                                r.off < 1e-3 * way + 0.5 * step &&
                                (may_make_energy(name) || r.made < 0.02 * moved + 1e-9);
                    if (!good && failures++ < 40)
                        print_error("%s, kind %d, trial %d, h %g: there after %g of %g s, %g over, %g off (way %g, "
                                    "step %g), energy made %g\n",
                                    name, kind, trial, h, r.arrival, least, r.over, r.off, way, step, r.made);
                    ash_world_destroy(m.world);
                }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_and_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
