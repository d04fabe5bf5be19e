/* Momentum between free bodies: linear and angular momentum are kept to rounding by every method, in collisions, from
 * overlap that is removed beside the velocities, and with joints between the bodies; in space and in a plane. */
#include "step/piles.h"

#include <math.h>

enum { STEPS = SLOW_BUILD ? 40 : 80 };
static const double step_length = 0.01;

/* What the bodies do. */
typedef enum scene { CUBES, BRICKS, OVERLAP, CHAIN, SCENES } scene;
static const char *const scene_names[SCENES] = {"cubes", "bricks", "overlap", "chain"};

static ash_body add_brick(ash_world *w, ash_vec3 half, ash_vec3 position, ash_vec3 velocity, ash_vec3 spin)
{
    bool planar = ash_world_is_planar(w);
    ash_geometry_def box = ash_default_geometry_def(planar ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_BOX);
    const ash_vec3 corners[4] = {v3(-half.x, -half.y, 0), v3(half.x, -half.y, 0), v3(half.x, half.y, 0),
                                 v3(-half.x, half.y, 0)};
    box.half_extents = half;
    box.points = planar ? corners : NULL;
    box.point_count = planar ? 4 : 0;
    ash_body body = add_shape(w, &box, ASH_BODY_DYNAMIC, 1000, position, velocity);
    assert_int_equal(ash_body_set_angular_velocity(w, body, spin), ASH_OK);
    return body;
}

static void join(ash_world *w, ash_joint_kind kind, ash_body a, ash_body b, ash_vec3 point)
{
    ash_joint joint;
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_def_place(w, &def, point, v3(0, 0, 1)), ASH_OK);
    assert_int_equal(ash_joint_create(w, &def, &joint, NULL), ASH_OK);
}

static void add_round(ash_world *w, double radius, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def ball =
        ash_default_geometry_def(ash_world_is_planar(w) ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
    ball.radius = radius;
    add_shape(w, &ball, ASH_BODY_DYNAMIC, 2000, position, velocity);
}

static void fill(ash_world *w, scene what)
{
    bool planar = ash_world_is_planar(w);
    double up = planar ? 0 : 1; /* of what leaves the plane */
    ash_vec3 cube = v3(0.25, 0.25, 0.25), brick = v3(0.25, 0.15, 0.1);
    ash_vec3 half = what == BRICKS ? brick : cube;
    if (what == CUBES || what == BRICKS) {
        add_brick(w, half, v3(0, 0, 0), v3(1, 0.2, 0), v3(up, 2 * up, 3));
        add_brick(w, half, v3(0.7, 0.1, 0.05 * up), v3(-0.5, 0, 0.1 * up), v3(0, 0, 0));
        add_round(w, 0.2, v3(1.4, 0, 0), v3(-2, 0, 0));
    } else if (what == OVERLAP) {
        for (int i = 0; i < 4; i++)
            add_brick(w, cube, v3(0.42 * (i % 2), 0.44 * (i / 2), 0.03 * i * up), v3(0.3 * i, 1 - 0.4 * i, 0.2 * up),
                      v3(up * i, 0, 1 - i));
        add_round(w, 0.2, v3(0.3, 0.8, 0.1 * up), v3(0.5, -1.5, 0));
    } else {
        ash_body last = {0};
        for (int i = 0; i < 4; i++) {
            ash_body link = add_brick(w, v3(0.2, 0.2, 0.2), v3(0.6 * i, 0, 0), v3(0, 0.5 * i, 0.2 * up), v3(0, 0, 0.5));
            if (i > 0)
                join(w, planar || i == 2 ? ASH_JOINT_HINGE : ASH_JOINT_BALL, last, link, v3(0.6 * i - 0.3, 0, 0));
            last = link;
        }
        add_round(w, 0.2, v3(0.7, 1, 0.05 * up), v3(0, -3, 0));
    }
}

/* Of all methods the integrator itself keeps the angular momentum of a brick that tumbles, but for these. */
static bool tumbles_truly(const ash_method *method)
{
    return method->integrator != ASH_RK4 && method->integrator != ASH_EXPLICIT_EULER &&
           method->integrator != ASH_IMPLICIT_EULER;
}

static void keep(const char *name, scene what, bool planar)
{
    ash_world_def def = ash_default_world_def();
    ash_world *w = NULL;
    assert_int_equal(ash_method_find(name, &def.method, NULL), ASH_OK);
    if (what == BRICKS && !planar && !tumbles_truly(&def.method))
        return;
    def.gravity = v3(0, 0, 0);
    def.planar = planar;
    def.method.sleeping = ASH_SLEEP_OFF; /* what falls asleep loses its momentum */
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    set_surface(w, 0.6, 0.5);
    fill(w, what);
    ash_vec3 p = ash_world_get_momentum(w), l = ash_world_get_angular_momentum(w);
    double worst_p = 0, worst_l = 0, energy = ash_world_get_ledger(w).kinetic;
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(ash_world_step(w, step_length), ASH_OK);
        worst_p = fmax(worst_p, v3_distance(ash_world_get_momentum(w), p));
        worst_l = fmax(worst_l, v3_distance(ash_world_get_angular_momentum(w), l));
    }
    double size = 400; /* kg m/s and kg m2/s: of what the bodies have one by one */
    bool met = fabs(ash_world_get_ledger(w).kinetic - energy) > 1e-3 * energy;
    if (!(worst_p < 1e-12 * size && worst_l < 1e-12 * size && met))
        fail_msg("%s, %s, %s: momentum off by %g, angular momentum by %g; they %s", name, scene_names[what],
                 planar ? "flat" : "spatial", worst_p, worst_l, met ? "met" : "did not meet");
    ash_world_destroy(w);
}

static void every_method_keeps_momentum(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < ash_method_count(); m++)
        for (scene what = 0; what < SCENES; what++)
            for (int planar = 0; planar < 2; planar++)
                if (!SLOW_BUILD || (m + what + (uint32_t)planar) % 2 == 0)
                    keep(ash_method_name(m), what, planar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
