/* Seams: what slides without friction over a floor of flush pieces does not notice where one ends. Boxes side by side,
 * triangles of a mesh, cells of a height field and parts of a compound make the same floor; bodies of several shapes
 * slide over it, slowly and fast, one on another, at any phase, by every preset. They keep their velocity and their
 * height. A step between the pieces still stops them. */
#include "step/piles.h"

#include "base/random.h"
#include "math/transform.h"
#include "shape/geometry.h"
#include "shape/tessellate.h"

#include <math.h>
#include <string.h>

#ifdef ASHLAR_SLOW_BUILD
enum { TRIALS = 10 };
#elif defined(ASHLAR_ALL_TRIALS)
enum { TRIALS = 160 };
#else
enum { TRIALS = 30 };
#endif
enum { PIECES = 12, FLOORS = 4, WHOLE = FLOORS, SLIDERS = 5 };

#define TILE 0.4 /* m, length of a piece */
#define HALF 0.1 /* m, half the height of a slider */

static const char *const floor_names[FLOORS] = {"tiles", "mesh", "height field", "compound"};
static const char *const slider_names[SLIDERS] = {"box", "sphere", "cylinder", "capsule", "hull"};

static ash_geometry *make_geometry(const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    ash_diagnostic d;
    if (ash_geometry_create(def, &geometry, &d) != ASH_OK)
        fail_msg("%s", d.message);
    return geometry;
}

static ash_geometry *make_box(double x, double y, double z)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(x, y, z);
    return make_geometry(&def);
}

static ash_geometry *make_slider(int kind)
{
    static const ash_geometry_kind kinds[SLIDERS] = {ASH_GEOMETRY_BOX, ASH_GEOMETRY_SPHERE, ASH_GEOMETRY_CYLINDER,
                                                     ASH_GEOMETRY_CAPSULE, ASH_GEOMETRY_HULL};
    static const ash_vec3 prism[6] = {{0.2, 0, -HALF}, {-0.2, 0.15, -HALF}, {-0.2, -0.15, -HALF},
                                      {0.2, 0, HALF},  {-0.2, 0.15, HALF},  {-0.2, -0.15, HALF}};
    ash_geometry_def def = ash_default_geometry_def(kinds[kind]);
    def.half_extents = v3(0.15, 0.12, HALF);
    def.radius = HALF;
    def.height = 2 * HALF;
    if (kinds[kind] == ASH_GEOMETRY_HULL) {
        def.points = prism;
        def.point_count = 6;
    }
    return make_geometry(&def);
}

/* A flat floor up to z = 0, PIECES long in x. The pieces from `raised` on are higher by `step`. */
typedef struct ground {
    int kind;
    uint32_t raised;
    double step;
} ground;

static void put_static(ash_world *w, ash_geometry *geometry, ash_vec3 position)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    ash_diagnostic d;
    shape.geometry = geometry;
    def.type = ASH_BODY_STATIC;
    def.position = position;
    if (ash_body_create(w, &def, &shape, 1, &body, &d) != ASH_OK)
        fail_msg("%s", d.message);
    ash_geometry_release(geometry);
}

static ash_geometry *make_height_field(void)
{
    enum { NX = PIECES + 1, NY = 5 };
    static const double heights[NX * NY];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = NX;
    def.cells[1] = NY;
    def.origin = v3(0, -0.8, 0);
    def.spacing = v3(TILE, 0.37, 0);
    def.values = heights;
    return make_geometry(&def);
}

static ash_geometry *make_mesh(void)
{
    ashi_tessellation mesh;
    assert_true(ashi_mesh_box(PIECES, v3(0.5 * PIECES * TILE, 0.8, 0.2), &mesh));
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_geometry *geometry = make_geometry(&def);
    ashi_tessellation_release(&mesh);
    return geometry;
}

static void lay(ash_world *w, const ground *g)
{
    ash_geometry_part parts[PIECES];
    if (g->kind == 1) {
        put_static(w, make_mesh(), v3(0.5 * PIECES * TILE, 0, -0.2));
        return;
    }
    if (g->kind == WHOLE) {
        put_static(w, make_box(0.5 * PIECES * TILE, 0.8, 0.2), v3(0.5 * PIECES * TILE, 0, -0.2));
        return;
    }
    if (g->kind == 2) {
        put_static(w, make_height_field(), v3(0, 0, 0));
        return;
    }
    ash_geometry *tile = make_box(0.5 * TILE, 0.8, 0.2);
    for (uint32_t i = 0; i < PIECES; i++) {
        ash_vec3 place = v3((i + 0.5) * TILE, 0, -0.2 + (i >= g->raised ? g->step : 0));
        parts[i] = (ash_geometry_part){tile, {place, {1, 0, 0, 0}}};
        if (g->kind == 0) {
            ash_geometry_retain(tile);
            put_static(w, tile, place);
        }
    }
    if (g->kind == 3) {
        ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
        def.parts = parts;
        def.part_count = PIECES;
        put_static(w, make_geometry(&def), v3(0, 0, 0));
    }
    ash_geometry_release(tile);
}

typedef struct slide {
    ground floor;
    int slider;
    uint32_t stacked; /* bodies, one on another */
    double from, speed, turn, h;
    uint32_t steps;
} slide;

typedef struct outcome {
    double lost;   /* of the speed, worst of all bodies and times */
    double raised; /* m, largest change of a height */
    double last;   /* speed at the end */
    uint32_t flags;
} outcome;

static outcome run(const char *method, const slide *s)
{
    ash_world_def def = ash_default_world_def();
    ash_body bodies[4];
    ash_world *w;
    outcome out = {0};
    ash_geometry *geometry = make_slider(s->slider);
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    def.gravity = v3(0, 0, -9.81);
    def.method.sleeping = ASH_SLEEP_OFF;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_OK);
    set_surface(w, 0, 0);
    lay(w, &s->floor);
    for (uint32_t i = 0; i < s->stacked; i++) {
        ash_shape_def shape = ash_default_shape_def();
        ash_body_def body = ash_default_body_def();
        ash_diagnostic d;
        shape.geometry = geometry;
        body.position = v3(s->from, 0.05, HALF * (2 * i + 1));
        body.rotation = q_exp(v3(0, 0, s->turn));
        if (s->slider == 3) /* a capsule lies */
            body.rotation = q_mul(body.rotation, q_exp(v3(0, 0.5 * ASHI_PI, 0)));
        body.velocity = v3(s->speed, 0, 0);
        if (ash_body_create(w, &body, &shape, 1, &bodies[i], &d) != ASH_OK)
            fail_msg("%s", d.message);
    }
    for (uint32_t k = 0; k < s->steps; k++) {
        if (ash_world_step(w, s->h) != ASH_OK)
            fail_msg("%s", ash_world_get_last_diagnostic(w).message);
        out.flags |= ash_world_get_report(w).flags;
        for (uint32_t i = 0; i < s->stacked; i++) {
            ash_vec3 v = ash_body_get_velocity(w, bodies[i]), x = ash_body_get_centre(w, bodies[i]);
            out.lost = fmax(out.lost, hypot(v.x - s->speed, v.y) / s->speed);
            out.raised = fmax(out.raised, fabs(x.z - HALF * (2 * i + 1)));
            out.last = v.x;
        }
    }
    ash_world_destroy(w);
    ash_geometry_release(geometry);
    return out;
}

static slide any_slide(ashi_random *random, int floor, int slider)
{
    static const double speeds[5] = {0.02, 0.2, 1, 3, 8}, lengths[3] = {0.01, 0.004, 0.002};
    slide s = {.floor = {floor, PIECES, 0}, .slider = slider};
    s.speed = speeds[ashi_random_below(random, 5)];
    s.h = lengths[ashi_random_below(random, 3)];
    s.stacked = slider == 1 || slider == 3 ? 1 : 1 + ashi_random_below(random, 3);
    s.turn = ashi_random_below(random, 2) == 0 ? 0 : ashi_random_range(random, -3, 3);
    double way = fmin(s.speed * 2, 0.8 * TILE * (PIECES - 4));
    s.steps = (uint32_t)(way / (s.speed * s.h));
    s.steps = s.steps > 400 ? 400 : s.steps;
    way = s.steps * s.h * s.speed;
    /* Slow bodies begin with an edge just before a seam. */
    s.from = 2 * TILE - 0.15 - ashi_random_range(random, 0, fmin(way, TILE));
    return s;
}

/* What a slider may lose of its speed: at each seam the energy of a dip as deep as the slop and as far as it falls in a
 * step, but a twentieth of its speed at most; where points are taken one by one, or stabilization makes energy, more.
 */
static double bound_of(const char *method, const slide *s)
{
    const double g = 9.81;
    ash_method m;
    bool coarse = strcmp(method, "gribel-2009") == 0;
    assert_int_equal(ash_method_find(method, &m, NULL), ASH_OK);
    double seams = s->steps * s->h * s->speed / TILE + 2, dip = m.slop + g * s->h * s->h;
    return fmin(1e-3 + seams * g * dip / (s->speed * s->speed), coarse ? 0.15 : 0.05);
}

/* Corrections layer by layer push stacks without friction apart at seams. */
static bool has_stacks(const char *method)
{
    return strcmp(method, "erleben-2007") != 0;
}

static void seams_are_not_felt(const char *method)
{
    ashi_random random = {22};
    uint32_t failed = 0;
    for (int i = 0; i < TRIALS; i++) {
        slide s = any_slide(&random, i % FLOORS, i / FLOORS % SLIDERS);
        slide whole = s;
        whole.floor.kind = WHOLE;
        if (s.stacked > 1 && !has_stacks(method))
            continue;
        outcome out = run(method, &s), without = run(method, &whole);
        if (out.lost < bound_of(method, &s) + 2 * without.lost && out.raised < 1e-3 + 2 * without.raised)
            continue;
        failed++;
        printf("%s, %d: %u of %s on %s, %g m/s, h %g ms, turned %.2f: speed %.2g off, at most %.2g; height %.2g m; "
               "flags %x\n",
               method, i, s.stacked, slider_names[s.slider], floor_names[s.floor.kind], s.speed, 1e3 * s.h, s.turn,
               out.lost, bound_of(method, &s), out.raised, out.flags);
    }
    assert_int_equal(failed, 0);
}

/* A step of 2 cm is no seam. */
static void steps_stop(const char *method)
{
    for (int slider = 0; slider < SLIDERS; slider++)
        for (int floor = 0; floor < FLOORS; floor += 3)
            for (int fast = SLOW_BUILD; fast < 2; fast++) {
                slide s = {.floor = {floor, 5, 0.02}, .slider = slider, .stacked = 1, .from = 1.2, .h = 0.005};
                s.speed = fast ? 2 : 0.3;
                s.steps = (uint32_t)(0.9 / s.speed / s.h);
                outcome out = run(method, &s);
                if (!(out.lost > 0.2))
                    fail_msg("%s: %s on %s at %g m/s goes on at %g m/s", method, slider_names[slider],
                             floor_names[floor], s.speed, out.last);
            }
}

static void test_steps(void **state)
{
    steps_stop(*state);
}

static void test_seams(void **state)
{
    seams_are_not_felt(*state);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    struct CMUnitTest tests[2 * PILE_METHODS];
    for (int i = 0; i < PILE_METHODS; i++) {
        /* The springs of the one push wherever shapes overlap; the other takes pairs one after the other. */
        bool feels = strcmp(pile_methods[i], "penalty") == 0 || strcmp(pile_methods[i], "guendelman-2003") == 0;
        tests[2 * i] =
            (struct CMUnitTest){pile_methods[i], feels ? test_steps : test_seams, NULL, NULL, (void *)pile_methods[i]};
        tests[2 * i + 1] = (struct CMUnitTest){"... stops", test_steps, NULL, NULL, (void *)pile_methods[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
