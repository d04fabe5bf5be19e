/* A rod that slides on one end, against the closed form of Coulomb's friction, by every preset with friction.
 *
 * With p from the centre to the contact, s the direction of the slip and I the moment of inertia, a resting rod that
 * begins to turn needs the normal force N with N (1/m + p_x^2 / I - mu s p_x p_z / I) = g: one solution where the sum
 * is positive. Pushed (s p_x > 0) the sum falls with mu, and vanishes in Painleve's paradox; dragged, it grows. Any
 * length, angle, coefficient and direction, in space and in a plane. */
#include "base/random.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "step/piles.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 60, STEPS = 4 };
static const double gravity = 9.81, h = 1e-4;

typedef struct rod {
    double length, radius, mass, inertia;
    double angle, azimuth, friction, kinetic;
    int slip; /* +1: away from the end in touch, which is at -x: dragged; -1: pushed */
    bool planar;
} rod;

/* p of the end that touches, along the slip's axis and downwards. */
static double ahead(const rod *r)
{
    return -r->length / 2 * cos(r->angle);
}

static double below(const rod *r)
{
    return r->length / 2 * sin(r->angle) + r->radius;
}

/* The sum's parts, times the mass: the normal's own, and what friction takes off it. */
static double own_part(const rod *r)
{
    return 1 + r->mass * ahead(r) * ahead(r) / r->inertia;
}

static double friction_part(const rod *r)
{
    return r->mass * r->kinetic * r->slip * ahead(r) * below(r) / r->inertia;
}

static ash_world *make_rod_world(const rod *r, const char *method)
{
    ash_world_def def = ash_default_world_def();
    ash_world *w = NULL;
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    def.planar = r->planar;
    def.gravity = r->planar ? v3(0, -gravity, 0) : v3(0, 0, -gravity);
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    ash_material_def rough = ash_default_material_def();
    rough.surface.friction = r->friction;
    rough.surface.sliding_friction = r->kinetic;
    assert_int_equal(ash_material_set(w, ash_world_get_default_material(w), &rough, NULL), ASH_OK);
    return w;
}

static void add_ground(ash_world *w, bool planar)
{
    const ash_vec3 wide[4] = {{-50, -1, 0}, {50, -1, 0}, {50, 0, 0}, {-50, 0, 0}};
    ash_geometry_def ground = ash_default_geometry_def(planar ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_PLANE);
    ground.points = planar ? wide : NULL;
    ground.point_count = planar ? 4 : 0;
    add_shape(w, &ground, ASH_BODY_STATIC, 0, v3(0, 0, 0), v3(0, 0, 0));
}

static ash_body add_rod(ash_world *w, const rod *r, ash_vec3 along)
{
    ash_geometry_def capsule = ash_default_geometry_def(r->planar ? ASH_GEOMETRY_FLAT_CAPSULE : ASH_GEOMETRY_CAPSULE);
    capsule.radius = r->radius;
    capsule.height = r->length;
    ash_shape_def shape = ash_default_shape_def();
    assert_int_equal(ash_geometry_create(&capsule, &shape.geometry, NULL), ASH_OK);
    ash_body_def def = ash_default_body_def();
    ash_vec3 up = r->planar ? v3(0, 1, 0) : v3(0, 0, 1), axis = r->planar ? v3(0, 0, 1) : v3(-along.y, along.x, 0);
    def.position = v3_scale(up, below(r));
    def.rotation = ash_rotation(axis, r->planar ? r->angle : ASHI_PI / 2 - r->angle);
    def.velocity = v3_scale(along, 5 * r->slip);
    def.mass = r->mass;
    def.inertia = s3_diagonal(r->inertia, r->inertia, r->inertia);
    ash_body body;
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

/* How far the acceleration of the centre is from the closed form, of the larger of g and N / m. */
static double error_of(const rod *r, const char *method, uint32_t *flags)
{
    ash_world *w = make_rod_world(r, method);
    ash_vec3 along = r->planar ? v3(1, 0, 0) : v3(cos(r->azimuth), sin(r->azimuth), 0);
    ash_vec3 up = r->planar ? v3(0, 1, 0) : v3(0, 0, 1);
    add_ground(w, r->planar);
    ash_body body = add_rod(w, r, along);
    *flags = 0;
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(ash_world_step(w, h), ASH_OK);
        *flags |= ash_world_get_report(w).flags;
    }
    ash_vec3 gained = v3_add_scaled(ash_body_get_velocity(w, body), along, -5.0 * r->slip);
    double normal = gravity / (own_part(r) - friction_part(r)); /* N / m */
    ash_vec3 expected = v3_add_scaled(v3_scale(up, normal - gravity), along, -r->kinetic * r->slip * normal);
    ash_world_destroy(w);
    return v3_distance(v3_scale(gained, 1 / (STEPS * h)), expected) / fmax(gravity, normal);
}

static rod make_rod(ashi_random *random)
{
    rod r = {.length = ashi_random_range(random, 0.2, 2), .mass = ashi_random_range(random, 0.1, 10)};
    r.radius = ashi_random_range(random, 0.005, 0.1) * r.length;
    r.inertia = ashi_random_range(random, 0.5, 1.5) * r.mass * r.length * r.length / 12;
    r.angle = ashi_random_range(random, 0.1, 1.5);
    r.azimuth = ashi_random_range(random, -3, 3);
    r.friction = ashi_random_range(random, 0.1, 4);
    r.kinetic = r.friction * (ashi_random_below(random, 2) == 0 ? 1 : ashi_random_range(random, 0.5, 1));
    r.slip = ashi_random_below(random, 2) == 0 ? 1 : -1;
    r.planar = ashi_random_below(random, 3) == 0;
    return r;
}

static void rods_slide_by_the_closed_form(void **state)
{
    const char *method = *state;
    /* Ten sweeps, all normals before all friction: they swing where friction moves the normal more than itself, and
     * leave too much open where it moves it by 0.63 of that: the tenth power is 0.01. An alarm says so. */
    bool in_turns = strcmp(method, "gribel-2009") == 0 || strcmp(method, "dejong-2014") == 0;
    bool polygon = strcmp(method, "stewart-trinkle") == 0 || strcmp(method, "erleben-2007") == 0; /* it has axes */
    ashi_random random = {8};
    int tried = 0;
    for (int i = 0; i < TRIALS; i++) {
        rod r = make_rod(&random);
        r.azimuth = polygon ? 0 : r.azimuth;
        double own = own_part(&r), taken = friction_part(&r);
        if (own - taken < 0.2 * own)
            continue;
        uint32_t flags;
        double off = error_of(&r, method, &flags);
        bool too_much = in_turns && fabs(taken) > 0.6 * own, told = (flags & ASH_FLAG_NOT_CONVERGED) != 0;
        if (!(off < 0.02 || (too_much && told)) || (told && !too_much))
            fail_msg("%s, rod %d, %s, mu %.2f (%.2f) at %.2f rad, %s: %.3g off", method, i,
                     r.slip > 0 ? "dragged" : "pushed", r.friction, r.kinetic, r.angle, r.planar ? "flat" : "in space",
                     off);
        tried++;
    }
    assert_in_range(tried, TRIALS / 4, TRIALS);
}

int main(void)
{
    static const char *const methods[] = {"realtime",         "engineering",  "gribel-2009",
                                          "stewart-trinkle",  "dejong-2014",  "bender-schmitt-2006",
                                          "bender-iterative", "erleben-2007", "guendelman-2003"};
    enum { METHODS = sizeof methods / sizeof *methods };
    struct CMUnitTest tests[METHODS];
    for (int i = 0; i < METHODS; i++)
        tests[i] = (struct CMUnitTest){methods[i], rods_slide_by_the_closed_form, NULL, NULL, (void *)methods[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
