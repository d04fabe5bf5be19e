/* Slow motions of curved bodies on faces and on each other, of all convex kinds on height fields, and of compounds: the
 * depth changes no faster than the bodies move, normals stay or turn gently, and features stay while the same parts
 * touch. The pair's cache is used as in a world. */
#include "surfaces.h"

#include "shape/geometry.h"

enum { STEPS = TRIALS(8) == 8 ? 800 : 425 };

#define MARGIN 0.02

/* The pose at time 0 <= t <= 1 of a body that touches the height z = 0.5 with 5 mm of overlap. */
typedef ash_transform (*motion)(double t, const ash_geometry *body);

static ash_transform resting(const ash_geometry *body, double x, double y, ash_quat turn)
{
    double low = ash_geometry_bounds(body, (ash_transform){v3(0, 0, 0), turn}).lower.z;
    return (ash_transform){v3(x, y, 0.5 - low - 0.005), turn};
}

static ash_transform sliding(double t, const ash_geometry *body)
{
    return resting(body, -0.4 + 0.8 * t, 0.1, q_exp(v3(0.002, 0.001, 0.3)));
}

static ash_transform tilting(double t, const ash_geometry *body)
{
    return resting(body, 0.03, 0.1, q_mul(q_exp(v3(0, 0, 0.3)), q_exp(v3((t - 0.5) * 3.2, 0, 0))));
}

static ash_transform spinning(double t, const ash_geometry *body)
{
    return resting(body, 0.03, 0.1, q_exp(v3(0.0004, 0.0002, 0.2 + 2 * t)));
}

static ash_transform rolling(double t, const ash_geometry *body)
{
    return resting(body, 0.03, 0.1 - 0.3 * t, q_mul(q_exp(v3(2 * t, 0, 0)), q_exp(v3(0, ASHI_PI / 2, 0))));
}

static ash_transform sinking(double t, const ash_geometry *body)
{
    ash_transform pose = resting(body, 0.03, 0.1, q_exp(v3(0.4, 0.3, 0.2)));
    pose.position.z += 0.02 - 0.1 * t;
    return pose;
}

static const motion motions[] = {sliding, tilting, spinning, rolling, sinking};
static const char *const motion_names[] = {"sliding", "tilting", "spinning", "rolling", "sinking"};
enum { MOTIONS = sizeof motions / sizeof motions[0] };

/* How far any point of a body of this size moves between two poses, at most. */
static double motion_between(ash_transform from, ash_transform to, double size)
{
    return v3_distance(from.position, to.position) +
           v3_norm(q_log(q_mul(to.rotation, q_conjugate(from.rotation)))) * size;
}

static bool same_features(const ashi_manifold *m, const ashi_manifold *n)
{
    bool same = m->count == n->count;
    for (uint32_t i = 0; i < m->count && same; i++) {
        same = false;
        for (uint32_t k = 0; k < n->count && !same; k++)
            same = n->points[k].feature == m->points[i].feature;
    }
    return same;
}

/* What a sweep came to: the largest changes in units of the motion of a step, and how often features changed. */
typedef struct sweep {
    uint32_t met, changes;
    double depth, turn;
    ash_vec3 first_normal; /* in the world */
    double off_normal;     /* the largest distance from it */
} sweep;

static void compare(const ashi_manifolds *now, ash_transform pose, const ashi_manifolds *last, ash_transform before,
                    double size, sweep *s)
{
    const ashi_manifold *m = NULL, *n = NULL;
    const ashi_manifold_point *p = deepest_point(now, &m), *q = deepest_point(last, &n);
    double step = motion_between(before, pose, size);
    s->depth = fmax(s->depth, fabs((p != NULL ? p->depth : -MARGIN) - (q != NULL ? q->depth : -MARGIN)) / step);
    if (p == NULL)
        return;
    ash_vec3 normal = q_rotate(pose.rotation, m->normal);
    if (s->met++ == 0)
        s->first_normal = normal;
    s->off_normal = fmax(s->off_normal, v3_distance(normal, s->first_normal));
    if (q == NULL)
        return;
    s->turn = fmax(s->turn, v3_distance(normal, q_rotate(before.rotation, n->normal)) / step);
    s->changes += !same_features(m, n);
}

static sweep sweep_over(const ash_geometry *body, const ash_geometry *ground, ash_transform place, motion pose_at)
{
    ashi_manifolds now = {0}, last = {0};
    ashi_pair_cache cache = {0};
    ash_bounds box = ash_geometry_bounds(body, at(0, 0, 0));
    double size = v3_norm(v3_max(v3_abs(box.lower), v3_abs(box.upper)));
    sweep s = {0};
    for (uint32_t i = 0; i <= STEPS; i++) {
        ash_transform pose = pose_at((double)i / STEPS, body);
        ashi_pair pair = {body, ground, t_mul(t_inverse(pose), place), MARGIN, false, &cache, {0}};
        now.count = 0;
        assert_true(ashi_collide(&pair, &now));
        if (i > 0)
            compare(&now, pose, &last, pose_at((i - 1.0) / STEPS, body), size, &s);
        ashi_manifolds swapped = last;
        last = now;
        now = swapped;
    }
    ashi_array_release(&now);
    ashi_array_release(&last);
    return s;
}

static ash_geometry *make_round(ash_geometry_kind kind, double radius, double height, ash_vec3 half)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = radius;
    def.height = height;
    def.half_extents = half;
    return make(&def);
}

enum { BODIES = 5 };

static void make_bodies(ash_geometry *bodies[BODIES])
{
    bodies[0] = make_round(ASH_GEOMETRY_CYLINDER, 0.2, 0.5, v3(1, 1, 1));
    bodies[1] = make_round(ASH_GEOMETRY_CONE, 0.25, 0.5, v3(1, 1, 1));
    bodies[2] = make_round(ASH_GEOMETRY_ELLIPSOID, 1, 1, v3(0.2, 0.3, 0.25));
    bodies[3] = make_capsule(0.15, 0.4);
    bodies[4] = make_sphere(0.2);
}

/* On the top of a box, plain or of triangles, the normal never leaves the vertical, and features change only where
 * another part of the body comes to rest on it. */
static void faces(void **state)
{
    (void)state;
    ash_geometry *bodies[BODIES], *grounds[3] = {make_box(1, 1, 0.5), make_mesh_box(5, 1, 1, 0.5), make_plane()};
    make_bodies(bodies);
    for (int g = 0; g < 3; g++)
        for (int b = 0; b < BODIES; b++)
            for (int k = 0; k < MOTIONS; k++) {
                sweep s = sweep_over(bodies[b], grounds[g], g == 2 ? at(0, 0, 0.5) : at(0, 0, 0), motions[k]);
                bool steady = motions[k] == sliding || motions[k] == spinning || motions[k] == rolling;
                if (s.changes > (steady ? 1 : 16) || s.depth > 1.0001 || s.off_normal > 1e-6)
                    fail_msg("%s on ground %d, %s: %u changes, depth %g, normal off by %g",
                             ash_geometry_kind_name(ash_geometry_get_definition(bodies[b])->kind), g, motion_names[k],
                             s.changes, s.depth, s.off_normal);
                assert_true(s.met > STEPS * 9 / 10);
            }
    for (int i = 0; i < BODIES; i++)
        ash_geometry_release(bodies[i]);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(grounds[i]);
}

/* On each other: on an upright cylinder, an ellipsoid and a lying capsule. The ellipsoid and the capsule are smooth
 * with radii of curvature above 0.2, so that normals turn by less than ten times the motion. */
static void round_bodies(void **state)
{
    (void)state;
    ash_geometry *bodies[BODIES];
    ash_geometry *grounds[3] = {make_round(ASH_GEOMETRY_CYLINDER, 0.6, 1, v3(1, 1, 1)),
                                make_round(ASH_GEOMETRY_ELLIPSOID, 1, 1, v3(0.9, 0.8, 0.5)), make_capsule(0.2, 0.6)};
    make_bodies(bodies);
    for (int g = 0; g < 3; g++)
        for (int b = 0; b < BODIES; b++)
            for (int k = 0; k < MOTIONS; k++) {
                ash_transform lying = {v3(0, 0, 0.3), q_exp(v3(0, ASHI_PI / 2, 0))};
                sweep s = sweep_over(bodies[b], grounds[g], g == 2 ? lying : at(0, 0, 0), motions[k]);
                if (s.changes > (g == 1 ? 0 : 24) || s.depth > 1.0001 || s.turn > 10)
                    fail_msg("%s on ground %d, %s: %u changes, depth %g, turn %g",
                             ash_geometry_kind_name(ash_geometry_get_definition(bodies[b])->kind), g, motion_names[k],
                             s.changes, s.depth, s.turn);
                assert_true(s.met > STEPS / 2);
            }
    for (int i = 0; i < BODIES; i++)
        ash_geometry_release(bodies[i]);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(grounds[i]);
}

/* Grounds whose height near the origin is about 0.5. */
static double ridge(double x, double y)
{
    (void)y;
    return 0.5 - 0.5 * fabs(x);
}

static double valley(double x, double y)
{
    (void)y;
    return 0.48 + 0.4 * fabs(x);
}

static double hills(double x, double y)
{
    return 0.49 + 0.1 * sin(3 * x) * cos(2.5 * y);
}

static ash_geometry *make_ground(double (*height)(double, double))
{
    double values[21 * 17];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = 21;
    def.cells[1] = 17;
    def.origin = v3(-2, -2, 0);
    def.spacing = v3(0.2, 0.25, 0);
    def.values = values;
    for (uint32_t i = 0; i < 21 * 17; i++)
        values[i] = height(-2 + 0.2 * (i % 21), -2 + 0.25 * (i / 21));
    return make(&def);
}

/* Where the body leaves one side of a valley, or of a dent, for the other, the deepest contact is another; on a ridge
 * round bodies have one contact, whose normal turns gently. Features change where the body passes on to the next
 * triangles, at most 80 times, however many the steps. */
static void height_fields(void **state)
{
    (void)state;
    ash_geometry *bodies[BODIES + 1], *grounds[3] = {make_ground(ridge), make_ground(valley), make_ground(hills)};
    make_bodies(bodies);
    bodies[BODIES] = make_box(0.2, 0.25, 0.15);
    for (int g = 0; g < 3; g++)
        for (int b = 0; b <= BODIES; b++) {
            uint32_t met = 0;
            for (int k = 0; k < MOTIONS; k++) {
                sweep s = sweep_over(bodies[b], grounds[g], at(0, 0, 0), motions[k]);
                met += s.met;
                bool round = b >= 2 && b < BODIES && g == 0;
                if (s.changes > 80 || s.depth > 1.0001 || (round && s.turn > 10))
                    fail_msg("%s on ground %d, %s: met %u times, %u changes, depth %g, turn %g",
                             ash_geometry_kind_name(ash_geometry_get_definition(bodies[b])->kind), g, motion_names[k],
                             s.met, s.changes, s.depth, s.turn);
            }
            assert_true(met > 2 * STEPS);
        }
    for (int i = 0; i <= BODIES; i++)
        ash_geometry_release(bodies[i]);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(grounds[i]);
}

/* A table: a top and two feet, one of them round. */
static ash_geometry *make_table(void)
{
    ash_geometry_part parts[3] = {{make_box(0.3, 0.2, 0.03), {v3(0, 0, 0.15), q_identity()}},
                                  {make_box(0.04, 0.15, 0.15), {v3(-0.2, 0, 0), q_identity()}},
                                  {make_capsule(0.04, 0.22), {v3(0.2, 0, 0), q_identity()}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = 3;
    ash_geometry *table = make(&def);
    for (int i = 0; i < 3; i++)
        ash_geometry_release((ash_geometry *)parts[i].geometry);
    return table;
}

/* Part by part the same. What is remembered of compounds is in the contacts of the last step, of which there are none
 * here. */
static void compounds(void **state)
{
    (void)state;
    ash_geometry *table = make_table();
    ash_geometry *grounds[5] = {make_box(1, 1, 0.5), make_mesh_box(5, 1, 1, 0.5), make_plane(), make_ground(valley),
                                make_ground(hills)};
    for (int g = 0; g < 5; g++)
        for (int k = 0; k < MOTIONS; k++) {
            sweep s = sweep_over(table, grounds[g], g == 2 ? at(0, 0, 0.5) : at(0, 0, 0), motions[k]);
            if (s.changes > (g < 3 ? 8 : 48) || s.depth > 1.0001 || (g < 3 && s.off_normal > 1e-6) ||
                s.met < STEPS / 20)
                fail_msg("table on ground %d, %s: met %u times, %u changes, depth %g, normal off by %g", g,
                         motion_names[k], s.met, s.changes, s.depth, s.off_normal);
        }
    ash_geometry_release(table);
    for (int i = 0; i < 5; i++)
        ash_geometry_release(grounds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces),
        cmocka_unit_test(round_bodies),
        cmocka_unit_test(height_fields),
        cmocka_unit_test(compounds),
    };
    return cmocka_run_group_tests_name("collide/sweep_surfaces", tests, NULL, NULL);
}
