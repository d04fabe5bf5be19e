/* Slow relative motions of polyhedra: depth changes no faster than the surfaces move, normals turn no faster than the
 * bodies while the same features touch, and what is remembered from step to step changes nothing but the time. */
#include "collide/convex/polyhedron_pair.h"
#include "collide/polyhedra.h"

enum { STEPS = 1000 + TRIALS(3000) };

/* The pose at time 0 <= t <= 1. */
typedef ash_transform (*motion)(double t);

static ash_transform sliding(double t)
{
    return (ash_transform){v3(-2.5 + 5 * t, 0.3, 0.98), q_unit((ash_quat){1, 0.01, 0.02, 0.2})};
}

static ash_transform over_the_edge(double t) /* turns on its lower edge from one face to the next */
{
    ash_quat turn = ash_rotation(v3(1, 0, 0), ASHI_PI * t);
    double height = 0;
    for (int i = -1; i <= 1; i += 2) {
        ash_vec3 corner = q_rotate(turn, v3(0, i * 0.5, 0.5));
        height = fmax(height, fabs(corner.z));
    }
    return (ash_transform){v3(0.1, 0.05, 0.5 + height - 0.02), turn};
}

static ash_transform over_a_corner(double t)
{
    return (ash_transform){v3(0.2, 0.1, 1.1), ash_rotation(v3(0.7, 0.5, 0.3), 2 * ASHI_PI * t)};
}

static ash_transform sinking(double t)
{
    return (ash_transform){v3(0.05, -0.03, 1.3 - 1.3 * t), q_unit((ash_quat){1, 0.05, 0.03, 0.4})};
}

static ash_transform passing_a_corner(double t) /* past the corner without touching, but within the margin */
{
    return (ash_transform){v3(1.04, -2 + 4 * t, 1.03), q_unit((ash_quat){1, 0, 0, 0.3})};
}

static ash_transform rubbing_edges(double t) /* two edges slide along each other and off */
{
    return (ash_transform){v3(-1.5 + 3 * t, 0.1, 1.19), q_unit((ash_quat){0.92388, 0, 0.382683, 0.1})};
}

/* How far any point of a body of this size moves between two poses, at most. */
static double motion_between(ash_transform from, ash_transform to, double size)
{
    ash_quat turn = q_mul(to.rotation, q_conjugate(from.rotation));
    double angle = v3_norm(q_log(turn));
    return v3_distance(from.position, to.position) + angle * size;
}

static bool same_features(const ashi_manifold *m, const ashi_manifold *n)
{
    bool same = m->count == n->count;
    for (uint32_t i = 0; i < m->count && same; i++)
        same = m->points[i].feature == n->points[i].feature;
    return same;
}

static void assert_same(const ashi_manifolds *one, const ashi_manifolds *other)
{
    assert_int_equal(one->count, other->count);
    for (uint32_t i = 0; i < one->count; i++) {
        const ashi_manifold *m = &one->data[i], *n = &other->data[i];
        assert_int_equal(m->count, n->count);
        assert_true(v3_distance(m->normal, n->normal) == 0);
        for (uint32_t k = 0; k < m->count; k++) {
            assert_true(v3_distance(m->points[k].on_a, n->points[k].on_a) == 0);
            assert_true(m->points[k].depth == n->points[k].depth);
            assert_int_equal(m->points[k].feature, n->points[k].feature);
        }
    }
}

/* One motion, with and without a cache. Returns how many steps had a contact. */
static uint32_t sweep(const ash_geometry *a, const ash_geometry *b, motion pose_at)
{
    ashi_manifolds last = {0}, now = {0}, cached = {0};
    ashi_pair_cache cache = {0};
    double margin = 0.1, size = sqrt(3) * 0.6;
    uint32_t met = 0, axis_before = 0;
    for (uint32_t i = 0; i <= STEPS; i++) {
        ash_transform pose = pose_at((double)i / STEPS);
        collide(&now, a, b, pose, margin, true, NULL);
        collide(&cached, a, b, pose, margin, true, &cache);
        /* A face that reaches the margin but for its slack may be known from the cache to be beyond it. */
        if (now.count != cached.count)
            assert_near(now.count > 0 ? deepest(&now) : deepest(&cached), -margin, ashi_face_slack(margin, 0.6));
        else
            assert_same(&now, &cached);
        double step = i > 0 ? motion_between(pose_at((double)(i - 1) / STEPS), pose, size) : 0;
        double depth = now.count > 0 ? deepest(&now) : -margin;
        double slack = 2 * ashi_face_slack(depth, 0.6);
        if (i > 0) {
            double depth_before = last.count > 0 ? deepest(&last) : -margin;
            assert_near(depth, depth_before, step + slack);
        }
        if (now.count > 0 && last.count > 0) {
            double turned = v3_distance(now.data[0].normal, last.data[0].normal), gap = -depth - step;
            if (cache.axis == axis_before && depth > 0 && same_features(&now.data[0], &last.data[0]))
                assert_near(turned, 0, 5 * step);
            /* Apart, the normal is that of the closest points, but for faces within their slack. */
            if (gap > 0)
                assert_near(turned, 0, 2 * step / gap + 2 * sqrt(2 * slack / gap));
        }
        axis_before = cache.axis;
        met += now.count;
        ashi_manifolds swapped = last;
        last = now;
        now = swapped;
    }
    ashi_array_release(&last);
    ashi_array_release(&now);
    ashi_array_release(&cached);
    return met;
}

static void no_jumps(void **state)
{
    (void)state;
    const motion motions[] = {sliding, over_the_edge, over_a_corner, sinking, passing_a_corner, rubbing_edges};
    /* A box, the same as a hull, and a prism with six sides. */
    ash_vec3 corners[8], prism[12];
    for (int i = 0; i < 8; i++)
        corners[i] = v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    for (int i = 0; i < 12; i++)
        prism[i] = v3(0.6 * cos(i / 2 * ASHI_PI / 3), 0.6 * sin(i / 2 * ASHI_PI / 3), i % 2 ? 0.5 : -0.5);
    ash_geometry *solids[3] = {make_box(0.5, 0.5, 0.5), make_hull(corners, 8), make_hull(prism, 12)};
    for (size_t k = 0; k < sizeof motions / sizeof motions[0]; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_true(sweep(solids[i], solids[j], motions[k]) > STEPS / 20);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(solids[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_jumps),
    };
    return cmocka_run_group_tests_name("collide/sweep", tests, NULL, NULL);
}
