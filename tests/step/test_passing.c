/* Ghost collisions: a body whose free path misses everything goes on as if nothing were there, by every preset, beside
 * edges, corners and faces of any convex shape and of meshes, flat and in space. What is in the way still stops it. */
#include "step/piles.h"

#include "base/random.h"
#include "math/transform.h"
#include "shape/geometry.h"

#include <math.h>
#include <string.h>

#ifdef ASHLAR_SLOW_BUILD
enum { TRIALS = 40 };
#elif defined(ASHLAR_ALL_TRIALS)
enum { TRIALS = 240 };
#else
enum { TRIALS = 120 };
#endif

static ash_geometry *make_geometry(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    ash_diagnostic d;
    if (ash_geometry_create(def, &geometry, &d) != ASH_OK)
        fail_msg("%s", d.message);
    return geometry;
}

/* A cube of 0.6 m as a mesh. */
static const ash_vec3 corners[] = {{-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {0.3, 0.3, -0.3}, {-0.3, 0.3, -0.3},
                                   {-0.3, -0.3, 0.3},  {0.3, -0.3, 0.3},  {0.3, 0.3, 0.3},  {-0.3, 0.3, 0.3}};
static const uint32_t faces[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                 2, 3, 7, 2, 7, 6, 1, 2, 6, 1, 6, 5, 3, 0, 4, 3, 4, 7};

static ash_geometry *make_obstacle(ashi_random *random, bool planar)
{
    ash_vec3 points[6];
    double half = ashi_random_range(random, 0.1, 0.4);
    uint32_t kind = ashi_random_below(random, 3);
    ash_geometry_def def = ash_default_geometry_def(planar      ? ASH_GEOMETRY_POLYGON
                                                    : kind == 0 ? ASH_GEOMETRY_MESH
                                                                : ASH_GEOMETRY_BOX);
    def.half_extents = v3(half, ashi_random_range(random, 0.05, 0.5), ashi_random_range(random, 0.2, 0.5));
    if (planar) {
        def.point_count = 3 + ashi_random_below(random, 4);
        for (uint32_t i = 0; i < def.point_count; i++) {
            double angle = 2 * ASHI_PI * i / def.point_count;
            points[i] = v3(half * cos(angle), half * sin(angle), 0);
        }
        def.points = points;
    } else if (kind == 0) {
        def.points = corners;
        def.point_count = 8;
        def.triangles = faces;
        def.triangle_count = 12;
    }
    return make_geometry(&def);
}

static ash_geometry *make_flyer(ashi_random *random, bool planar)
{
    static const ash_geometry_kind kinds[2][3] = {
        {ASH_GEOMETRY_SPHERE, ASH_GEOMETRY_BOX, ASH_GEOMETRY_CAPSULE},
        {ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE}};
    double x = ashi_random_range(random, 0.03, 0.2), y = ashi_random_range(random, 0.03, 0.2);
    ash_vec3 box[4] = {{-x, -y, 0}, {x, -y, 0}, {x, y, 0}, {-x, y, 0}};
    ash_geometry_def def = ash_default_geometry_def(kinds[planar][ashi_random_below(random, 3)]);
    def.radius = x;
    def.height = y;
    def.half_extents = v3(x, y, ashi_random_range(random, 0.03, 0.2));
    if (def.kind == ASH_GEOMETRY_POLYGON) {
        def.points = box;
        def.point_count = 4;
    }
    return make_geometry(&def);
}

/* Something that falls along -y, and something beside or below it. All lengths as if the world were not turned. */
typedef struct flight {
    ash_geometry *flyer, *obstacle;
    ash_transform from, beside; /* at the start */
    ash_vec3 velocity;
    double spin; /* about z */
    ash_quat turn;
    bool planar, free; /* the obstacle falls, too */
    double h;
    uint32_t steps;
} flight;

static ash_quat any_rotation(ashi_random *random, bool planar)
{
    double x = ashi_random_range(random, -1, 1), y = ashi_random_range(random, -1, 1);
    ash_vec3 axis = planar ? v3(0, 0, 1) : v3(x, y, ashi_random_range(random, -1, 1));
    return q_exp(v3_scale(axis, ashi_random_range(random, -3, 3)));
}

/* The least x that the flyer has while it flies, its centre beginning at 0. */
static double leftmost(const flight *f)
{
    double least = INFINITY, time = f->h * f->steps;
    for (int i = 0; i <= 4000; i++) {
        double t = time * i / 4000;
        ash_transform pose = {v3(f->velocity.x * t, 0, 0), q_mul(q_exp(v3(0, 0, f->spin * t)), f->from.rotation)};
        least = fmin(least, ash_geometry_bounds(f->flyer, pose).lower.x);
    }
    return least;
}

/* `aside`: how far the flyer keeps from all x that the obstacle has. */
static flight make_flight(ashi_random *random, double aside, bool falls)
{
    flight f = {.planar = ashi_random_below(random, 2) == 0, .free = falls && ashi_random_below(random, 3) == 0};
    bool along = ashi_random_below(random, 2) == 0;
    f.obstacle = make_obstacle(random, f.planar);
    f.flyer = make_flyer(random, f.planar);
    f.turn = ashi_random_below(random, 2) == 0 ? q_identity() : any_rotation(random, f.planar);
    f.beside.rotation = along ? q_identity() : any_rotation(random, f.planar);
    f.from.rotation = q_exp(v3(0, 0, ashi_random_range(random, -3, 3)));
    f.spin = ashi_random_below(random, 2) == 0 ? 0 : ashi_random_range(random, -8, 8);
    f.velocity = v3(ashi_random_below(random, 2) == 0 ? 0 : ashi_random_range(random, 0, 0.5),
                    -ashi_random_range(random, 0.2, 6), 0);
    f.h = ashi_random_range(random, 0.001, 0.02);
    double way = ashi_random_range(random, 0.6, 1.2);
    f.steps = (uint32_t)fmin(way / -f.velocity.y / f.h + 1, 300);
    ash_bounds box = ash_geometry_bounds(f.obstacle, (ash_transform){v3(0, 0, 0), f.beside.rotation});
    ash_bounds own = ash_geometry_bounds(f.flyer, ash_identity());
    f.beside.position = v3(-box.upper.x, -box.upper.y, 0);
    f.from.position = v3(aside - leftmost(&f), v3_norm(own.upper) + ashi_random_range(random, 0.001, 0.1), 0);
    f.from.position.z = f.planar ? 0 : ashi_random_range(random, 0.5 * box.lower.z, 0.5 * box.upper.z);
    return f;
}

static void release_flight(const flight *f)
{
    ash_geometry_release(f->flyer);
    ash_geometry_release(f->obstacle);
}

static ash_body put(ash_world *w, ash_geometry *geometry, const flight *f, ash_transform pose, ash_vec3 velocity,
                    double spin, ash_body_type type)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    ash_diagnostic d;
    shape.geometry = geometry;
    def.type = type;
    def.position = q_rotate(f->turn, pose.position);
    def.rotation = q_mul(f->turn, pose.rotation);
    def.velocity = q_rotate(f->turn, velocity);
    def.angular_velocity = q_rotate(f->turn, v3(0, 0, spin));
    if (ash_body_create(w, &def, &shape, 1, &body, &d) != ASH_OK)
        fail_msg("%s", d.message);
    return body;
}

typedef struct landing {
    ash_vec3 position, velocity, spin;
    double overlap;
    uint32_t flags;
} landing;

static landing fly(const flight *f, const char *method, bool obstructed)
{
    ash_world_def def = ash_default_world_def();
    ash_world *w;
    landing l = {0};
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    def.planar = f->planar;
    def.gravity = q_rotate(f->turn, v3(0, -9.81, 0));
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    ash_body flyer = put(w, f->flyer, f, f->from, f->velocity, f->spin, ASH_BODY_DYNAMIC);
    if (obstructed)
        put(w, f->obstacle, f, f->beside, v3(0, 0, 0), 0, f->free ? ASH_BODY_DYNAMIC : ASH_BODY_STATIC);
    for (uint32_t i = 0; i < f->steps; i++) {
        if (ash_world_step(w, f->h) != ASH_OK)
            fail_msg("%s", ash_world_get_last_diagnostic(w).message);
        ash_step_report r = ash_world_get_report(w);
        l.overlap = fmax(l.overlap, r.penetration);
        l.flags |= r.flags;
    }
    ash_quat back = q_conjugate(f->turn);
    l.position = q_rotate(back, ash_body_get_centre(w, flyer));
    l.velocity = q_rotate(back, ash_body_get_velocity(w, flyer));
    l.spin = q_rotate(back, ash_body_get_angular_velocity(w, flyer));
    ash_world_destroy(w);
    return l;
}

static void nothing_acts_on_what_passes(const char *method)
{
    ashi_random random = {20};
    for (int i = 0; i < TRIALS; i++) {
        double aside = ashi_random_range(&random, 0.0001, 0.005);
        flight f = make_flight(&random, aside, true);
        landing with = fly(&f, method, true), without = fly(&f, method, false);
        if (strcmp(method, "realtime") == 0) /* sub-steps fall less far than one step does, and no less fast */
            with.position.y = without.position.y;
        double off = v3_distance(with.velocity, without.velocity) + v3_distance(with.position, without.position) +
                     0.1 * v3_distance(with.spin, without.spin);
        if (!(off < 1e-9))
            fail_msg("%s, flight %d: %.3g off, %.2f mm aside, h %.1f ms, shapes %d and %d%s", method, i, off,
                     1e3 * aside, 1e3 * f.h, (int)f.flyer->def.kind, (int)f.obstacle->def.kind, f.free ? ", free" : "");
        release_flight(&f);
    }
}

/* Straight down on a box: nothing goes through, and overlap is no more than the way of a step. */
static void what_is_in_the_way_stops(const char *method)
{
    ashi_random random = {21};
    for (int i = 0; i < TRIALS / 4; i++) {
        flight f = make_flight(&random, 0, false);
        f.from.position.x = f.beside.position.x;
        f.velocity.x = 0;
        double fast = -f.velocity.y + 9.81 * f.h * f.steps + 0.3 * fabs(f.spin);
        landing with = fly(&f, method, true), without = fly(&f, method, false);
        double limit = 2 * fast * f.h + 1e-3;
        bool met = without.position.y < -0.05;
        if (met && !(v3_distance(with.velocity, without.velocity) > 0.05))
            fail_msg("%s, flight %d: went through", method, i);
        if (strcmp(method, "penalty") != 0 && !(with.overlap < limit)) /* whose springs yield */
            fail_msg("%s, flight %d: overlap %.3g above %.3g", method, i, with.overlap, limit);
        release_flight(&f);
    }
}

static void test_passing(void **state)
{
    nothing_acts_on_what_passes(*state);
}

static void test_hitting(void **state)
{
    what_is_in_the_way_stops(*state);
}

int main(void)
{
    struct CMUnitTest tests[2 * PILE_METHODS];
    for (int i = 0; i < PILE_METHODS; i++) {
        tests[2 * i] = (struct CMUnitTest){pile_methods[i], test_passing, NULL, NULL, (void *)pile_methods[i]};
        tests[2 * i + 1] = (struct CMUnitTest){"... stops", test_hitting, NULL, NULL, (void *)pile_methods[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
