/* The same models in MuJoCo's library: mass matrix and bias forces of a tree with hinges, sliders, balls and a body
 * that floats, and ten seconds of a passive arm by the same Runge-Kutta method. */
#include "worlds.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <string.h>

#define MOST 32

typedef struct link_data {
    int parent;            /* number of a link; -1: the world */
    char kind;             /* h(inge), s(lider), b(all), f(ree) */
    ash_transform place;   /* in the parent at coordinates 0 */
    ash_vec3 anchor, axis; /* of the joint, in the link's frame */
    double mass;
    ash_vec3 centre, moments;
    ash_quat turn; /* of the principal axes */
} link_data;

static double chance(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

static ash_vec3 chance3(uint32_t *seed, double size)
{
    double x = chance(seed), y = chance(seed), z = chance(seed);
    return ash_vec3_make(size * x, size * y, size * z);
}

static void random_link(link_data *l, int parent, char kind, uint32_t *seed)
{
    *l = (link_data){.parent = parent, .kind = kind, .mass = 1 + 0.5 * chance(seed)};
    l->place = (ash_transform){chance3(seed, 0.5), ash_rotation(chance3(seed, 1), chance(seed))};
    if (kind == 'h' || kind == 's')
        l->anchor = chance3(seed, 0.2);
    l->axis = ash_vec3_unit(chance3(seed, 1));
    l->centre = chance3(seed, 0.2);
    l->moments = ash_vec3_make(0.2 + 0.05 * chance(seed), 0.25 + 0.05 * chance(seed), 0.3 + 0.05 * chance(seed));
    l->turn = ash_rotation(chance3(seed, 1), chance(seed));
}

static void put(char *text, size_t size, const char *name, const double *values, int count)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, size - used, " %s=\"", name);
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i > 0 ? " " : "", values[i]);
    snprintf(text + used, size - used, "\"");
    assert_true(strlen(text) + 1 < size);
}

static void put3(char *text, size_t size, const char *name, ash_vec3 v)
{
    put(text, size, name, (double[]){v.x, v.y, v.z}, 3);
}

static void put4(char *text, size_t size, const char *name, ash_quat q)
{
    put(text, size, name, (double[]){q.w, q.x, q.y, q.z}, 4);
}

static void add(char *text, size_t size, const char *what)
{
    strncat(text, what, size - strlen(text) - 1);
}

static void write_link(char *text, size_t size, const link_data *links, int count, int number)
{
    const link_data *l = &links[number];
    char name[64];
    snprintf(name, sizeof name, "<body name=\"%d\"", number);
    add(text, size, name);
    put3(text, size, "pos", l->place.position);
    put4(text, size, "quat", l->place.rotation);
    snprintf(name, sizeof name, "><joint name=\"%d\" type=\"%s\"", number,
             l->kind == 'h'   ? "hinge"
             : l->kind == 's' ? "slide"
             : l->kind == 'b' ? "ball"
                              : "free");
    add(text, size, name);
    if (l->kind == 'h' || l->kind == 's') {
        put3(text, size, "pos", l->anchor);
        put3(text, size, "axis", l->axis);
    }
    add(text, size, "/><inertial");
    put(text, size, "mass", &l->mass, 1);
    put3(text, size, "pos", l->centre);
    put4(text, size, "quat", l->turn);
    put3(text, size, "diaginertia", l->moments);
    add(text, size, "/>");
    for (int i = 0; i < count; i++)
        if (links[i].parent == number)
            write_link(text, size, links, count, i);
    add(text, size, "</body>");
}

static mjModel *make_theirs(const link_data *links, int count, double step)
{
    static char text[1 << 16];
    char error[500] = "";
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle=\"radian\"/><option integrator=\"RK4\" gravity=\"0.5 -1 -9.81\" timestep=\"%.17g\"/>"
        "<worldbody>",
        step);
    for (int i = 0; i < count; i++)
        if (links[i].parent < 0)
            write_link(text, sizeof text, links, count, i);
    add(text, sizeof text, "</worldbody></mujoco>");
    static mjVFS files;
    mj_defaultVFS(&files);
    assert_int_equal(mj_makeEmptyFileVFS(&files, "tree.xml", (int)strlen(text)), 0);
    memcpy(files.filedata[0], text, strlen(text));
    mjModel *model = mj_loadXML("tree.xml", &files, error, sizeof error);
    mj_deleteVFS(&files);
    if (model == NULL)
        fail_msg("MuJoCo: %s", error);
    return model;
}

static ash_sym3 turned_moments(ash_vec3 m, ash_quat q)
{
    ash_vec3 x = ash_quat_rotate(q, ash_vec3_make(1, 0, 0)), y = ash_quat_rotate(q, ash_vec3_make(0, 1, 0)),
             z = ash_quat_rotate(q, ash_vec3_make(0, 0, 1));
    return (ash_sym3){
        m.x * x.x * x.x + m.y * y.x * y.x + m.z * z.x * z.x, m.x * x.y * x.y + m.y * y.y * y.y + m.z * z.y * z.y,
        m.x * x.z * x.z + m.y * y.z * y.z + m.z * z.z * z.z, m.x * x.x * x.y + m.y * y.x * y.y + m.z * z.x * z.y,
        m.x * x.x * x.z + m.y * y.x * y.z + m.z * z.x * z.z, m.x * x.y * x.z + m.y * y.y * y.z + m.z * z.y * z.z};
}

/* The rotation that takes x to an axis. */
static ash_quat to_axis(ash_vec3 axis)
{
    ash_vec3 x = ash_vec3_make(1, 0, 0), turn = ash_vec3_cross(x, axis);
    return ash_rotation(turn, atan2(ash_vec3_length(turn), ash_vec3_dot(x, axis)));
}

static ash_world *make_ours(const link_data *links, int count)
{
    ash_world *world = make_world(ASH_RK4, ash_vec3_make(0.5, -1, -9.81), 1);
    ash_body bodies[MOST];
    ash_transform pose[MOST];
    for (int i = 0; i < count; i++) {
        const link_data *l = &links[i];
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        pose[i] = l->parent < 0 ? l->place : ash_transform_multiply(pose[l->parent], l->place);
        ash_body_def def = ash_default_body_def();
        def.name = name;
        def.mass = l->mass;
        def.centre = l->centre;
        def.inertia = turned_moments(l->moments, l->turn);
        def.position = pose[i].position;
        def.rotation = pose[i].rotation;
        bodies[i] = make_body(world, &def);
        if (l->kind == 'f')
            continue;
        ash_joint_def joint = ash_default_joint_def(l->kind == 'h'   ? ASH_JOINT_HINGE
                                                    : l->kind == 's' ? ASH_JOINT_SLIDER
                                                                     : ASH_JOINT_BALL);
        joint.name = name;
        joint.body_a = l->parent < 0 ? (ash_body){0} : bodies[l->parent];
        joint.body_b = bodies[i];
        if (l->kind != 'b')
            joint.frame_b = (ash_transform){l->anchor, to_axis(l->axis)};
        joint.frame_a = ash_transform_multiply(l->place, joint.frame_b);
        assert_int_equal(ash_joint_create(world, &joint, &(ash_joint){0}, NULL), ASH_OK);
    }
    return world;
}

/* Where a rate and its position are in MuJoCo's lists. */
static void find_place(const ash_world *world, const mjModel *model, const ash_mechanism_coordinate *c, int *rate,
                       int *position)
{
    int joint = mj_name2id(model, mjOBJ_JOINT, ash_body_get_name(world, c->body));
    assert_true(joint >= 0);
    *rate = model->jnt_dofadr[joint];
    *position = model->jnt_qposadr[joint];
    if (model->jnt_type[joint] == mjJNT_FREE) {
        *rate += (int)c->freedom;
        *position += c->quaternion ? 3 : (int)c->freedom;
    } else if (c->quaternion)
        *rate += (int)c->freedom - ASH_TURN_X;
}

/* Gives MuJoCo the state of ours. `rates`: where each rate is in its list. */
static void hand_over(const ash_world *world, const ash_mechanism *ours, const mjModel *model, mjData *data, int *rates)
{
    ash_mechanism_coordinate list[MOST];
    double q[2 * MOST], v[MOST];
    uint32_t count = ash_mechanism_get_coordinates(ours, list, MOST);
    assert_int_equal(count, model->nv);
    assert_int_equal(ash_mechanism_get_state(ours, q, v), ASH_OK);
    for (uint32_t i = 0; i < count; i++) {
        int position;
        find_place(world, model, &list[i], &rates[i], &position);
        memcpy(data->qpos + position, q + list[i].position, (list[i].quaternion ? 4 : 1) * sizeof *q);
        data->qvel[rates[i]] = v[i];
    }
}

static void trees_have_the_same_mass_matrix_and_bias(void **state)
{
    (void)state;
    static const struct {
        int parent;
        char kind;
    } shape[] = {{-1, 'f'}, {0, 'h'}, {1, 'h'}, {0, 's'}, {3, 'b'}, {1, 'b'}, {-1, 'h'}, {6, 's'}, {6, 'h'}};
    enum { COUNT = sizeof shape / sizeof *shape };
    uint32_t seed = 17;
    for (int trial = 0; trial < 20; trial++) {
        link_data links[COUNT];
        for (int i = 0; i < COUNT; i++)
            random_link(&links[i], shape[i].parent, shape[i].kind, &seed);
        ash_world *world = make_ours(links, COUNT);
        ash_mechanism *ours;
        assert_int_equal(ash_mechanism_create(world, &ours, NULL), ASH_OK);
        mjModel *model = make_theirs(links, COUNT, 0.001);
        mjData *data = mj_makeData(model);
        double q[2 * MOST], v[MOST], matrix[MOST * MOST], bias[MOST], theirs[MOST * MOST];
        ash_mechanism_size size = ash_mechanism_get_size(ours);
        for (uint32_t i = 0; i < size.positions; i++)
            q[i] = chance(&seed);
        for (uint32_t i = 0; i < size.rates; i++)
            v[i] = chance(&seed);
        assert_int_equal(ash_mechanism_set_state(ours, q, v), ASH_OK);
        int rates[MOST];
        hand_over(world, ours, model, data, rates);
        mj_forward(model, data);
        mj_fullM(model, theirs, data->qM);
        ash_mechanism_get_mass_matrix(ours, matrix);
        ash_mechanism_get_bias(ours, bias);
        double largest = 0, largest_bias = 0;
        for (uint32_t i = 0; i < size.rates; i++) {
            largest = fmax(largest, theirs[i * size.rates + i]);
            largest_bias = fmax(largest_bias, fabs(data->qfrc_bias[i]));
        }
        for (uint32_t i = 0; i < size.rates; i++) {
            assert_near(bias[i], data->qfrc_bias[rates[i]], 1e-9 * largest_bias);
            for (uint32_t j = 0; j < size.rates; j++)
                assert_near(matrix[i * size.rates + j], theirs[(uint32_t)rates[i] * size.rates + (uint32_t)rates[j]],
                            1e-9 * largest);
        }
        double forward[MOST];
        assert_int_equal(ash_mechanism_forward_dynamics(ours, NULL, forward), ASH_OK);
        for (uint32_t i = 0; i < size.rates; i++)
            assert_near(forward[i], data->qacc[rates[i]], 1e-8 * (1 + fabs(forward[i])));
        mj_deleteData(data);
        mj_deleteModel(model);
        ash_mechanism_destroy(ours);
        ash_world_destroy(world);
    }
}

/* An arm of six hinges that is let go: both take the same steps, so that their errors are the same, too. */
static void a_passive_arm_moves_the_same_for_ten_seconds(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    link_data links[COUNT];
    for (int i = 0; i < COUNT; i++)
        links[i] =
            (link_data){.parent = i - 1,
                        .kind = 'h',
                        .place = {ash_vec3_make(0, 0, i == 0 ? 0 : -0.3), ash_rotation(ash_vec3_make(0, 0, 1), 0.3)},
                        .axis = i % 2 == 0 ? ash_vec3_make(0, 1, 0) : ash_vec3_make(1, 0, 0),
                        .mass = 4 - 0.5 * i,
                        .centre = ash_vec3_make(0.01, 0.02, -0.15),
                        .moments = ash_vec3_make(0.05, 0.06, 0.03),
                        .turn = ash_rotation(ash_vec3_make(1, 2, 3), 0.2)};
    ash_world *world = make_ours(links, COUNT);
    ash_mechanism *ours;
    assert_int_equal(ash_mechanism_create(world, &ours, NULL), ASH_OK);
    mjModel *model = make_theirs(links, COUNT, 0.001);
    mjData *data = mj_makeData(model);
    double q[COUNT] = {0.4, -0.3, 0.2, 0.3, -0.2, 0.1}, v[COUNT], moved = 0;
    assert_int_equal(ash_mechanism_set_state(ours, q, NULL), ASH_OK);
    int rates[COUNT];
    hand_over(world, ours, model, data, rates);
    for (int i = 0; i < 10000; i++) {
        mj_step(model, data);
        assert_int_equal(ash_mechanism_step(ours, NULL, 0.001), ASH_OK);
    }
    ash_mechanism_get_state(ours, q, v);
    for (int i = 0; i < COUNT; i++) {
        assert_near(q[i], data->qpos[rates[i]], 1e-6);
        assert_near(v[i], data->qvel[rates[i]], 1e-6);
        moved = fmax(moved, fabs(v[i]));
    }
    assert_true(moved > 0.1);
    mj_deleteData(data);
    mj_deleteModel(model);
    ash_mechanism_destroy(ours);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_the_same_mass_matrix_and_bias),
        cmocka_unit_test(a_passive_arm_moves_the_same_for_ten_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
