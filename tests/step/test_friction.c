/* Static and kinetic friction at the limit, by every preset with friction: what lies on a slope below the angle of
 * static friction stays, above it it slides by the kinetic coefficient. Blocks of all sizes, in any direction. */
#include "base/random.h"
#include "math/quat.h"
#include "step/piles.h"

#include <string.h>

static const double gravity = 9.81, duration = 1;

typedef struct slope {
    const char *method;
    bool planar;
    double share; /* of the tangent of the static limit */
    double still, kinetic;
    double size, density; /* half the largest side, m */
    double azimuth;       /* of the way down, rad */
    double h;
} slope;

static ash_body lay_down(ash_world *w, const slope *s, ash_vec3 *down)
{
    double angle = atan(s->share * s->still);
    ash_quat tilt = s->planar ? ash_rotation(v3(0, 0, 1), -angle)
                              : q_mul(ash_rotation(v3(0, 0, 1), s->azimuth), ash_rotation(v3(0, 1, 0), angle));
    ash_vec3 up = q_rotate(tilt, s->planar ? v3(0, 1, 0) : v3(0, 0, 1));
    ash_material_def rough = ash_default_material_def();
    rough.surface.friction = s->still;
    rough.surface.sliding_friction = s->kinetic;
    ash_material material;
    assert_int_equal(ash_material_create(w, &rough, &material, NULL), ASH_OK);
    ash_vec3 half = v3(s->size, 0.8 * s->size, 0.5 * s->size), wide = v3_scale(v3(1, 0.1, 1), 40 * s->size);
    ash_body block = {0};
    for (int i = 0; i < 2; i++) {
        ash_vec3 sides = i == 0 ? s->planar ? wide : v3(wide.x, wide.z, wide.y) : half;
        const ash_vec3 corners[4] = {v3(-sides.x, -sides.y, 0), v3(sides.x, -sides.y, 0), v3(sides.x, sides.y, 0),
                                     v3(-sides.x, sides.y, 0)};
        ash_geometry_def box = ash_default_geometry_def(s->planar ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_BOX);
        box.half_extents = sides;
        box.points = s->planar ? corners : NULL;
        box.point_count = s->planar ? 4 : 0;
        ash_shape_def shape = ash_default_shape_def();
        shape.material = material;
        shape.density = s->density;
        assert_int_equal(ash_geometry_create(&box, &shape.geometry, NULL), ASH_OK);
        ash_body_def def = ash_default_body_def();
        def.type = i == 0 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC;
        def.rotation = tilt;
        double height = s->planar ? sides.y : sides.z;
        def.position = v3_scale(up, i == 0 ? -height : height);
        assert_int_equal(ash_body_create(w, &def, &shape, 1, &block, NULL), ASH_OK);
        ash_geometry_release(shape.geometry);
    }
    *down = q_rotate(tilt, v3(1, 0, 0));
    return block;
}

/* How far the block is down the slope, and how fast, after the duration; the stick speed of the method. */
static void slide(const slope *s, double *way, double *speed, double *stick_speed)
{
    ash_world_def def = ash_default_world_def();
    def.planar = s->planar;
    def.gravity = s->planar ? v3(0, -gravity, 0) : v3(0, 0, -gravity);
    assert_int_equal(ash_method_find(s->method, &def.method, NULL), ASH_OK);
    ash_world *w = NULL;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    ash_vec3 down;
    ash_body block = lay_down(w, s, &down);
    ash_vec3 start = ash_body_get_centre(w, block);
    for (int i = 0; i < (int)lround(duration / s->h); i++)
        assert_int_equal(ash_world_step(w, s->h), ASH_OK);
    *way = v3_norm(v3_sub(ash_body_get_centre(w, block), start));
    *speed = v3_dot(ash_body_get_velocity(w, block), down);
    *stick_speed = def.method.stick_speed;
    ash_world_destroy(w);
}

static void judge(const slope *s)
{
    double way, speed, stick_speed, angle = atan(s->share * s->still);
    slide(s, &way, &speed, &stick_speed);
    double drive = gravity * (sin(angle) - s->kinetic * cos(angle));
    double slow = gravity * (sin(angle) - s->still * cos(angle));
    /* Below the limit: creeps no faster than the stick speed. Above: kinetic friction acts as soon as it is faster. */
    bool stays = s->share < 1;
    double late = stays ? 0 : stick_speed / slow + 3 * s->h;
    bool good = stays ? way <= stick_speed * duration : fabs(speed - drive * duration) <= late * drive;
    if (!good)
        fail_msg("%s, %s, %g of the limit, mu %g and %g, size %g m, density %g, azimuth %g, h %g: %g m, %g m/s",
                 s->method, s->planar ? "planar" : "in space", s->share, s->still, s->kinetic, s->size, s->density,
                 s->azimuth, s->h, way, speed);
}

/* The friction of boxes and pyramids has its coefficient along their axes only. Ten sweeps from nothing leave errors of
 * a hundredth: they are judged a tenth from the limit. */
static const struct {
    const char *name;
    bool any_direction, fine;
} methods[] = {{"realtime", true, true},         {"engineering", true, true},      {"gribel-2009", false, false},
               {"dejong-2014", false, false},    {"stewart-trinkle", false, true}, {"bender-schmitt-2006", true, true},
               {"bender-iterative", true, true}, {"erleben-2007", false, true},    {"guendelman-2003", true, false}};

static void the_limit_of_static_friction(void **state)
{
    (void)state;
    static const double shares[] = {0.9, 0.99, 1.01, 1.1}, steps[] = {0.01, 0.002};
    ashi_random random = {2};
    for (int trial = 0; trial < TRIALS(40); trial++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            slope s = {.method = methods[m].name, .planar = ashi_random_below(&random, 2) == 0};
            s.still = ashi_random_range(&random, 0.2, 0.7);
            s.kinetic = s.still * ashi_random_range(&random, 0.5, 0.95);
            s.size = ashi_random_range(&random, 0.1, 1);
            s.density = ashi_random_range(&random, 100, 8000);
            double azimuth = ashi_random_range(&random, 0, 6.28);
            s.azimuth = methods[m].any_direction ? azimuth : 0;
            s.h = steps[trial % 2];
            for (int i = 0; i < 4; i += methods[m].fine ? 1 : 3) {
                s.share = shares[i];
                judge(&s);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_of_static_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
