/* Which four points of a face on a mesh, a height field or a distance field are kept: not others at every trembling.
 * Bodies tremble at random by less than their points differ; how often the kept set changes is counted with the pair's
 * cache and without it. */
#include "surfaces.h"

#include "collide/reduce.h"
#include "collide/spread.h"

enum { MOVES = 600 };

typedef struct flicker {
    uint32_t changes; /* of the features of some manifold, over all moves */
    uint32_t reduced; /* moves in which some manifold has four points */
} flicker;

static bool has_feature(const ashi_manifold *m, uint32_t feature)
{
    for (uint32_t k = 0; k < m->count; k++)
        if (m->points[k].feature == feature)
            return true;
    return false;
}

static bool same_features(const ashi_manifold *m, const ashi_manifold *n)
{
    bool same = m->count == n->count;
    for (uint32_t k = 0; k < m->count && same; k++)
        same = has_feature(n, m->points[k].feature);
    return same;
}

/* Whether every manifold has its like before. */
static bool same_sets(const ashi_manifolds *now, const ashi_manifolds *before)
{
    bool same = now->count == before->count;
    for (uint32_t i = 0; i < now->count && same; i++) {
        same = false;
        for (uint32_t k = 0; k < before->count && !same; k++)
            same = same_features(&now->data[i], &before->data[k]);
    }
    return same;
}

/* A body that trembles by `tremble` (m, rad) around a pose, while it drifts by `drift` (m) in all. */
static flicker tremble(const ash_geometry *a, ash_transform pose, const ash_geometry *b, double tremble, ash_vec3 drift,
                       ashi_pair_cache *cache)
{
    ashi_random random = {17};
    ashi_manifolds now = {0}, before = {0};
    flicker f = {0};
    for (uint32_t n = 0; n < MOVES; n++) {
        ash_vec3 noise = v3_scale(random_direction(&random), tremble);
        ash_quat turn = q_exp(v3_scale(random_direction(&random), tremble));
        ash_vec3 place = v3_add_scaled(v3_add(pose.position, noise), drift, (double)n / MOVES);
        ash_transform moved = {place, q_mul(turn, pose.rotation)};
        ashi_pair pair = {a, b, t_inverse(moved), 0.01, false, cache, {0}};
        now.count = 0;
        assert_true(ashi_collide(&pair, &now));
        assert_true(now.count > 0);
        bool four = false;
        double deepest = -INFINITY;
        for (uint32_t i = 0; i < now.count; i++)
            for (uint32_t k = 0; k < now.data[i].count; k++) {
                four = four || now.data[i].count == ASHI_MANIFOLD_POINTS;
                deepest = fmax(deepest, now.data[i].points[k].depth);
                assert_true(now.data[i].points[k].feature != 0);
            }
        assert_true(deepest > 0);
        f.reduced += four;
        f.changes += n > 0 && !same_sets(&now, &before);
        ashi_manifolds swapped = before;
        before = now;
        now = swapped;
    }
    ashi_array_release(&now);
    ashi_array_release(&before);
    return f;
}

/* With the cache nothing changes, without it much does. */
static void check_steady(const char *what, ash_geometry *a, ash_transform pose, ash_geometry *b, ash_vec3 drift)
{
    ashi_pair_cache cache = {0};
    flicker with = tremble(a, pose, b, 5e-5, drift, &cache), without = tremble(a, pose, b, 5e-5, drift, NULL);
    print_message("%s: %u changes in %u moves with the cache, %u without\n", what, with.changes, MOVES,
                  without.changes);
    assert_int_equal(with.reduced, MOVES);
    assert_int_equal(with.changes, 0);
    assert_true(without.changes > MOVES / 10);
    ash_geometry_release(a);
    ash_geometry_release(b);
}

static ash_geometry *make_cylinder(double radius, double height)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    def.radius = radius;
    def.height = height;
    return make(&def);
}

/* A prism with `sides` sides around z. */
static ash_geometry *make_prism(uint32_t sides, double radius, double height)
{
    ash_vec3 corners[64];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    for (uint32_t i = 0; i < 2 * sides; i++) {
        double angle = 2 * ASHI_PI * (i / 2) / sides;
        corners[i] = v3(radius * cos(angle), radius * sin(angle), i % 2 == 0 ? -height / 2 : height / 2);
    }
    def.points = corners;
    def.point_count = 2 * sides;
    return make(&def);
}

/* A cube whose corners are cut off: its faces have eight corners. */
static ash_geometry *make_cut_cube(double half, double cut)
{
    ash_vec3 corners[24];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t c = i / 3, axis = i % 3;
        corners[i] =
            v3((c & 1 ? 1 : -1) * (half - (axis == 0 ? cut : 0)), (c & 2 ? 1 : -1) * (half - (axis == 1 ? cut : 0)),
               (c & 4 ? 1 : -1) * (half - (axis == 2 ? cut : 0)));
    }
    def.points = corners;
    def.point_count = 24;
    return make(&def);
}

/* Samples from -3 to 3 of a height `slope` |x|. */
static ash_geometry *make_valley(double slope)
{
    double values[13 * 13];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = def.cells[1] = 13;
    def.origin = v3(-3, -3, 0);
    def.spacing = v3(0.5, 0.5, 0);
    def.values = values;
    for (uint32_t i = 0; i < 169; i++)
        values[i] = slope * fabs(-3 + 0.5 * (i % 13));
    return make(&def);
}

static double cube_distance(ash_vec3 p, void *user)
{
    (void)user;
    ash_vec3 off = v3_sub(v3_abs(p), v3(0.5, 0.5, 0.5)), outside = v3_max(off, v3(0, 0, 0));
    return v3_norm(outside) + fmin(v3_max_component(off), 0);
}

/* A cube with half side 0.5. */
static ash_geometry *make_field_cube(void)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = def.cells[2] = 17;
    def.origin = v3(-0.8, -0.8, -0.8);
    def.spacing = v3(0.1, 0.1, 0.1);
    def.sample_function = cube_distance;
    return make(&def);
}

static void on_meshes(void **state)
{
    (void)state;
    ash_vec3 rest = v3(0, 0, 0), slowly = v3(2e-3, 1e-3, 0);
    check_steady("cylinder on a mesh", make_cylinder(0.4, 0.6), at(0.1, 0.2, 2 + 0.3 - 1e-3),
                 make_mesh_box(13, 4, 4, 2), rest);
    check_steady("cylinder that slides slowly", make_cylinder(0.4, 0.6), at(0.1, 0.2, 2 + 0.3 - 1e-3),
                 make_mesh_box(13, 4, 4, 2), slowly);
    check_steady("prism on a mesh", make_prism(12, 0.4, 0.6), at(0.1, 0.2, 2 + 0.3 - 1e-3), make_mesh_box(13, 4, 4, 2),
                 slowly);
    ash_transform turned = {v3(3.7, 0.2, 2 + 0.3 - 1e-3), q_exp(v3(0, 0, ASHI_PI / 4))};
    check_steady("prism over the rim of a mesh", make_prism(12, 0.5, 0.6), turned, make_mesh_box(1, 4, 4, 2), slowly);
}

static void on_height_fields(void **state)
{
    (void)state;
    ash_vec3 slowly = v3(2e-3, 1e-3, 0);
    check_steady("cylinder on a height field", make_cylinder(0.4, 0.6), at(0.1, 0.2, 0.3 - 1e-3), make_valley(0),
                 slowly);
    check_steady("prism on a height field", make_prism(12, 0.4, 0.6), at(0.1, 0.2, 0.3 - 1e-3), make_valley(0), slowly);
    /* Two faces on two slopes: two manifolds, each with a choice of its own. */
    ash_transform on_edge = {v3(0, 0.2, 0.4 * sqrt(2) - 1e-3), q_exp(v3(0, ASHI_PI / 4, 0))};
    check_steady("cut cube in a valley", make_cut_cube(0.4, 0.1), on_edge, make_valley(1), v3(0, 2e-3, 0));
}

static void on_distance_fields(void **state)
{
    (void)state;
    ash_vec3 slowly = v3(2e-3, 1e-3, 0);
    check_steady("field on a box", make_field_cube(), at(0.1, 0.2, 1 + 0.5 - 1e-3), make_box(2, 2, 1), slowly);
    check_steady("field on a plane", make_field_cube(), at(0.1, 0.2, 0.5 - 1e-3), make_plane(), slowly);
    check_steady("cylinder on a field", make_cylinder(0.2, 0.6), at(0.1, 0.05, 0.5 + 0.3 - 1e-3), make_field_cube(),
                 slowly);
}

/* Making room never drops what is remembered, whatever the features. */
static void room_is_made(void **state)
{
    (void)state;
    ashi_random random = {5};
    for (uint32_t n = 0; n < TRIALS(2000); n++) {
        ashi_manifold m = {.normal = random_direction(&random), .count = ASHI_MANIFOLD_MOST};
        uint32_t kept[ASHI_KEPT_MOST], different = n % 2 == 0 ? ASHI_MANIFOLD_MOST : 3;
        for (uint32_t i = 0; i < m.count; i++)
            m.points[i] = (ashi_manifold_point){random_direction(&random), ashi_random_range(&random, -0.1, 0.1),
                                                1 + i % different};
        for (uint32_t k = 0; k < ASHI_KEPT_MOST; k++)
            kept[k] = ashi_random_below(&random, ASHI_MANIFOLD_MOST + 4);
        ashi_manifold roomy = m;
        ashi_manifold_make_room(&roomy, 1e-6, kept);
        assert_true(roomy.count <= ASHI_MANIFOLD_MOST - 20);
        for (uint32_t k = 0; k < ASHI_KEPT_MOST; k++)
            assert_true(!has_feature(&m, kept[k]) || has_feature(&roomy, kept[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_meshes),
        cmocka_unit_test(on_height_fields),
        cmocka_unit_test(on_distance_fields),
        cmocka_unit_test(room_is_made),
    };
    return cmocka_run_group_tests_name("collide/spread", tests, NULL, NULL);
}
