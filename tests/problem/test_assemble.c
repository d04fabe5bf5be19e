/* The order of a step's problem: contacts are written island by island from the pairs of shapes; with joints in the
 * world they are written as they come and sorted. Both ways give the same. */
#include "worlds.h"

#include "problem/assemble.h"
#include "problem/expand.h"
#include "world/world.h"

#include <math.h>

enum { STACKS = 5, HIGH = 4 };

static void add_box(ash_world *world, ash_geometry *box, ash_vec3 position, bool locked)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    shape.geometry = box;
    def.position = position;
    def.locks =
        locked ? ASH_LOCK_X | ASH_LOCK_Y | ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y | ASH_LOCK_ROTATION_Z
               : 0;
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
}

/* Stacks made layer by layer, so that pairs of all of them take turns; a box that cannot move lies on the ground, and
 * far away a pendulum may hang. */
static ash_world *make_stacks(bool pendulum)
{
    ash_world_def def = ash_default_world_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *geometry = NULL;
    ash_world *world = NULL;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_body_def ground = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    ground.type = ASH_BODY_STATIC;
    ground.position = v3(0, 0, -1);
    box.half_extents = v3(50, 50, 1);
    assert_int_equal(ash_geometry_create(&box, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(world, &ground, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    box.half_extents = v3(0.5, 0.5, 0.5);
    assert_int_equal(ash_geometry_create(&box, &geometry, NULL), ASH_OK);
    add_box(world, geometry, v3(20, 0, 0.5), true);
    for (int i = 0; i < STACKS * HIGH; i++)
        add_box(world, geometry, v3(2 * (i % STACKS), 0, 0.5 + i / STACKS), false);
    ash_geometry_release(geometry);
    if (pendulum) {
        ash_joint_def joint = ash_default_joint_def(ASH_JOINT_BALL);
        ash_joint made;
        joint.body_b = make_point(world, 1, v3(0, 0, 30), v3(0, 0, 0));
        joint.frame_a.position = v3(0, 0, 30);
        assert_int_equal(ash_joint_create(world, &joint, &made, NULL), ASH_OK);
    }
    assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    return world;
}

/* Every stack is an island of its contacts, and what cannot move is of none. */
static void stacks_are_islands(void **state)
{
    (void)state;
    ash_world *world = make_stacks(false);
    const ashi_system *p = ashi_world_problem(world);
    ash_diagnostic diagnostic = {0};
    ash_problem copy = {0};
    assert_int_equal(ash_world_get_problem(world, &copy), ASH_OK);
    if (ash_problem_check(&copy, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    ash_problem_release(&copy);
    assert_int_equal(p->island_count, STACKS);
    assert_int_equal(p->fixed_count, 2);
    uint32_t next = p->islands[0].first_point, contact = p->islands[0].first_contact;
    assert_int_equal(next, 4); /* the points of the box that cannot move */
    assert_int_equal(contact, 1);
    assert_int_equal(p->block_count, 0);
    for (uint32_t i = 0; i < STACKS; i++) {
        assert_int_equal(p->islands[i].body_count, HIGH);
        assert_int_equal(p->islands[i].contact_count, HIGH);
        assert_int_equal(p->islands[i].first_contact, contact);
        assert_int_equal(p->islands[i].point_count, 4 * HIGH);
        assert_int_equal(p->islands[i].first_point, next);
        contact += p->islands[i].contact_count;
        next += p->islands[i].point_count;
    }
    assert_int_equal(contact, p->contact_count);
    assert_int_equal(next, p->point_count);
    ash_world_destroy(world);
}

/* Blocks and rows of contacts, those of the pendulum left out. */
static uint32_t collect(const ash_world *world, ashi_row *rows, uint32_t *labels)
{
    uint32_t count = 0;
    ashi_system expanded = {0};
    const ashi_system *p = &expanded;
    assert_true(ashi_world_problem(world)->expanded ? ashi_system_copy(&expanded, ashi_world_problem(world))
                                                    : ashi_system_expand(&expanded, ashi_world_problem(world)));
    for (uint32_t k = 0; k < p->block_count; k++)
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK)
            for (uint32_t i = 0; i < p->blocks[k].row_count; i++) {
                labels[count] = p->blocks[k].label;
                rows[count++] = p->rows[p->blocks[k].first_row + i];
            }
    ashi_system_release(&expanded);
    return count;
}

static void both_ways_agree(void **state)
{
    (void)state;
    static ashi_row rows[2][3 * 4 * (STACKS * HIGH + 1)];
    static uint32_t labels[2][3 * 4 * (STACKS * HIGH + 1)];
    uint32_t count[2];
    for (int i = 0; i < 2; i++) {
        ash_world *world = make_stacks(i == 1);
        count[i] = collect(world, rows[i], labels[i]);
        ash_world_destroy(world);
    }
    assert_int_equal(count[0], 3 * 4 * (STACKS * HIGH + 1));
    assert_int_equal(count[1], count[0]);
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
}

/* Friction acts along each point's own slip, and where there is none along the world's x, whatever the point before
 * does: a box turns on the ground about each of its lower corners. */
static void tangents_lie_along_slips(void **state)
{
    (void)state;
    ash_world *world = make_stacks(false);
    ash_method method = ash_world_get_method(world);
    ash_problem problem = {0};
    method.friction_axes = ASH_AXES_SLIDING;
    assert_int_equal(ash_world_set_method(world, &method), ASH_OK);
    ash_vec3 spin = v3(0, 0, 2);
    for (uint32_t still = 0; still < 4; still++) {
        assert_int_equal(ash_world_next_problem(world, 0.01, &problem), ASH_OK);
        const ash_problem_contact *contacts = &problem.contacts[problem.islands[0].first_contact];
        const ash_problem_point *points = &problem.points[problem.islands[0].first_point];
        ash_body box = {problem.bodies[contacts[0].body_b].label};
        ash_vec3 velocity = v3_cross(points[still].arm_b, spin);
        assert_int_equal(ash_body_set_velocity(world, box, velocity), ASH_OK);
        assert_int_equal(ash_body_set_angular_velocity(world, box, spin), ASH_OK);
        assert_int_equal(ash_world_next_problem(world, 0.01, &problem), ASH_OK);
        contacts = &problem.contacts[problem.islands[0].first_contact];
        points = &problem.points[problem.islands[0].first_point];
        for (uint32_t k = 0; k < 4; k++) {
            ash_vec3 slip = v3_add(velocity, v3_cross(spin, points[k].arm_b));
            ash_vec3 along = k == still ? v3(1, 0, 0) : v3_scale(slip, 1 / v3_norm(slip));
            assert_int_equal(problem.bodies[contacts[k].body_b].label, box.id);
            assert_true(k == still || v3_norm(slip) > 1);
            assert_true(v3_distance(contacts[k].tangent[0], along) < 1e-9);
            assert_true(v3_distance(contacts[k].tangent[1], v3_cross(contacts[k].normal, along)) < 1e-9);
            assert_int_equal(contacts[k].point_count, 1);
        }
    }
    ash_problem_release(&problem);
    ash_world_destroy(world);
}

/* The same bits with and without instructions for four doubles: boxes that have been pushed about, with all that a
 * contact can have. */
static void any_machine_has_the_same_bits(void **state)
{
    (void)state;
    ash_world *world = make_stacks(false);
    ash_surface rough = {.friction = 0.5, .sliding_friction = 0.4, .rolling = 0.01, .spinning = 0.02};
    ash_material stone;
    assert_int_equal(ash_world_get_materials(world, &stone, 1), 1);
    assert_int_equal(ash_material_set_pair(world, stone, stone, &rough, NULL), ASH_OK);
    const ashi_system *p = ashi_world_problem(world);
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        assert_int_equal(ash_body_set_velocity(world, (ash_body){p->bodies[i].label}, v3(0.1 * i, 0.3, 0)), ASH_OK);
    for (int i = 0; i < 20; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    for (int axes = 0; axes < 2; axes++) {
        ashi_system problem[2] = {{.h = 0}, {.h = 0}};
        ash_method method = world->method;
        method.friction_axes = axes == 0 ? ASH_AXES_GLOBAL : ASH_AXES_SLIDING;
        for (int narrow = 0; narrow < 2; narrow++) {
            const ashi_bodies *b = &world->model.bodies;
            ashi_assembly in = {.model = &world->model,
                                .contacts = &world->collision.now,
                                .method = &method,
                                .start = &b->now,
                                .predicted = &b->next,
                                .h = 0.01,
                                .reach = method.contact_margin,
                                .narrow = narrow};
            ashi_arena *scratch = ashi_arena_create(0);
            assert_non_null(scratch);
            assert_true(ashi_assemble(&in, scratch, &problem[narrow]));
            ashi_arena_destroy(scratch);
        }
        assert_true(problem[0].row_count > 6 * 40);
        assert_int_equal(problem[0].row_count, 6 * problem[0].block_count);
        assert_int_equal(problem[0].row_count, problem[1].row_count);
        assert_memory_equal(problem[0].rows, problem[1].rows, problem[0].row_count * sizeof *problem[0].rows);
        assert_int_equal(problem[0].point_count, problem[0].block_count);
        for (uint32_t k = 0; k < problem[0].point_count; k++) {
            const ash_problem_point *one = &problem[0].points[k], *other = &problem[1].points[k];
            assert_memory_equal(one, other, offsetof(ash_problem_point, label) + sizeof one->label);
        }
        ashi_system_release(&problem[0]);
        ashi_system_release(&problem[1]);
    }
    ash_world_destroy(world);
}

/* Forces that broke down are no guess: a problem says whether all its guesses are finite. */
static void bad_guesses_are_noticed(void **state)
{
    (void)state;
    static const double bad[] = {0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ash_world *world = make_stacks(false);
        ashi_system problem = {0};
        world->collision.now.points.data[7].force.y += bad[i]; /* along a tangent */
        ashi_step step = ashi_world_begin_step(world, 0.01);
        step.problem = &problem;
        assert_true(ashi_step_foresee(&step));
        assert_int_equal(problem.finite, i == 0);
        ashi_system_release(&problem);
        ash_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_islands),       cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(tangents_lie_along_slips), cmocka_unit_test(any_machine_has_the_same_bits),
        cmocka_unit_test(bad_guesses_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
