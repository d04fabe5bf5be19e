/* Worlds from scenes: bodies and forces arrive, outputs read what the world says, events happen in time. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "scene/instance/instance.h"

static ash_scene *parse(const char *text)
{
    ash_scene *scene;
    ash_diagnostic diagnostic;
    char line[1200];
    if (ash_scene_parse(text, strlen(text), "test.json", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

static ash_scene *parse_file(const char *path)
{
    size_t size;
    char *text = read_text_file(path, &size);
    ash_scene *scene = parse(text);
    free(text);
    return scene;
}

static ashi_instance build(const ash_scene *scene)
{
    ashi_instance instance;
    ash_diagnostic diagnostic;
    char line[1200];
    if (ashi_scene_build(scene, 1, &instance, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return instance;
}

static void instantiate_file(const char *path)
{
    ash_scene *scene = parse_file(path);
    ash_world *world;
    ash_diagnostic diagnostic;
    if (ash_scene_instantiate(scene, 2, &world, &diagnostic) != ASH_OK)
        fail_msg("%s: %s %s", path, diagnostic.path, diagnostic.message);
    uint32_t present = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        present += !scene->bodies.data[i].absent;
    assert_int_equal(ash_world_get_bodies(world, NULL, 0), present);
    assert_int_equal(ash_world_get_forces(world, NULL, 0), scene->forces.count);
    ash_world_destroy(world);
    ash_scene_destroy(scene);
}

static void examples_become_worlds(void **state)
{
    (void)state;
    for_each_file(EXAMPLES "valid/*.json", 8, instantiate_file);
    for_each_file(EXAMPLE_SCENES "*.json", 3, instantiate_file);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void bodies_and_forces_arrive_as_described(void **state)
{
    (void)state;
    ash_scene *scene = parse_file(EXAMPLES "valid/forces.json");
    ashi_instance instance = build(scene);
    const ash_world *world = instance.world;
    assert_string_equal(ash_body_get_name(world, instance.bodies[1]), "b");
    assert_true(ash_body_get_mass(world, instance.bodies[1]).mass == 2);
    assert_true(ash_body_get_gravity_scale(world, instance.bodies[1]) == 0.5);
    assert_int_equal(ash_body_get_locks(world, instance.bodies[2]), ASH_LOCK_X | ASH_LOCK_ROTATION_Z);
    assert_string_equal(ash_force_get_name(world, instance.forces[0]), "cord");
    assert_near(ash_spring_get_length(world, instance.forces[0]), 1, 1e-15);
    assert_false(ash_force_get_enabled(world, instance.forces[6]));
    assert_true(ash_force_get_enabled(world, instance.forces[5]));
    assert_int_equal(ash_world_get_method(world).integrator, ASH_RK4);
    assert_true(ash_world_get_ledger(world).external == 0);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void surfaces_arrive_as_described(void **state)
{
    (void)state;
    ash_scene *scene = parse_file(EXAMPLES "valid/materials.json");
    ashi_instance instance = build(scene);
    ash_world *w = instance.world;
    ash_material felt = ash_world_find_material(w, "felt"), ice = ash_world_find_material(w, "ice");
    ash_material rubber = ash_world_find_material(w, "rubber"), usual = ash_world_get_default_material(w);
    assert_int_equal(ash_world_get_materials(w, NULL, 0), 5);
    ash_surface s = ash_material_get_pair(w, rubber, ice); /* given: friction and restitution */
    assert_true(s.friction == 0.15 && s.sliding_friction == 0.15 && s.restitution == 0.4 && s.rolling == 0);
    s = ash_material_get_pair(w, felt, felt); /* given: sliding friction */
    assert_true(s.friction == 0.7 && s.sliding_friction == 0.5 && s.rolling == 0.001 && s.spinning == 0.0005);
    s = ash_material_get_pair(w, usual, rubber);
    assert_true(s.friction == 0.9 && s.sliding_friction == 0.8 && s.restitution == 1 && s.rolling == 0.002);
    s = ash_material_get_pair(w, felt, ice); /* by the rules: minimum, and maximum over average */
    assert_true(s.friction == 0.05 && s.sliding_friction == 0.05 && s.restitution == 0.1);
    ash_shape shape;
    ash_body_get_shapes(w, instance.bodies[0], &shape, 1);
    assert_true(ash_shape_get_material(w, shape).id == rubber.id);
    assert_true(ash_shape_get_surface_velocity(w, shape).x == 0.5);
    assert_near(ash_body_get_mass(w, instance.bodies[1]).mass, 20 * 4.18879020478639 * 0.125, 1e-12);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
    /* A law that only the combination shows to be impossible. */
    scene = parse("{\"ashlar\": 1, \"materials\": {\"a\": {\"friction\": 0.1}, \"b\": {\"friction\": 0.1}},"
                  "\"material_pairs\": [{\"material_a\": \"a\"},"
                  "{\"material_a\": \"a\", \"material_b\": \"b\", \"sliding_friction\": 0.2}]}");
    ash_diagnostic diagnostic;
    assert_int_equal(ashi_scene_build(scene, 1, &instance, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.path, "/material_pairs/1");
    ash_scene_destroy(scene);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void outputs_read_the_world(void **state)
{
    (void)state;
    ash_scene *scene = parse_file(EXAMPLES "valid/forces.json");
    ashi_instance instance = build(scene);
    ash_world *world = instance.world;
    for (int i = 0; i < 10; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    ash_body a = instance.bodies[0], b = instance.bodies[1];
    ash_vec3 point = ash_body_point_to_world(world, a, (ash_vec3){0, 0, 0.5});
    ash_vec3 velocity = ash_body_get_point_velocity(world, a, ash_body_point_to_world(world, a, (ash_vec3){0, 0, 0}));
    ash_vec3 momentum = ash_world_get_momentum(world);
    ash_ledger ledger = ash_world_get_ledger(world);
    const double expected[] = {
        point.x,
        sqrt(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z),
        ash_body_get_angular_velocity(world, b).y,
        ash_body_get_momentum(world, b).z,
        ash_body_get_angular_momentum(world, b).z,
        ash_body_get_kinetic_energy(world, b),
        ash_spring_get_length(world, instance.forces[0]),
        ash_spring_get_tension(world, instance.forces[0]),
        ash_force_get_energy(world, instance.forces[2]),
        ash_angular_spring_get_angle(world, instance.forces[2]),
        ash_bending_spring_get_angle(world, instance.forces[9]),
        sqrt(momentum.x * momentum.x + momentum.y * momentum.y + momentum.z * momentum.z),
        ash_world_get_angular_momentum(world).x,
        ledger.kinetic,
        ledger.gravity,
        ledger.springs,
        ledger.total,
        ledger.dampers,
        ledger.drag,
        ledger.loads,
        ledger.callbacks,
        ledger.external,
        ledger.remainder,
    };
    assert_int_equal(scene->outputs.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < scene->outputs.count; i++)
        assert_near(ashi_instance_read_output(&instance, scene, i), expected[i], 1e-13 * (1 + fabs(expected[i])));
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void a_rotation_is_read_as_a_vector(void **state)
{
    (void)state;
    ash_scene *scene = parse("{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 1], \"rotation\": "
                             "{\"axis\": [0, 3, 0], \"degrees\": 90}}], \"outputs\": [{\"name\": \"r\", \"body\": 0, "
                             "\"quantity\": \"rotation-vector\", \"component\": \"y\"}]}");
    ashi_instance instance = build(scene);
    assert_near(ashi_instance_read_output(&instance, scene, 0), 1.5707963267948966, 1e-14);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void apply(ashi_instance *instance, const ash_scene *scene, double time)
{
    assert_int_equal(ashi_instance_apply_events(instance, scene, time, NULL), ASH_OK);
}

static void events_happen_in_time(void **state)
{
    (void)state;
    ash_scene *scene = parse_file(EXAMPLES "valid/events.json");
    ashi_instance instance = build(scene);
    ash_world *world = instance.world;
    assert_true(isnan(ashi_instance_read_output(&instance, scene, 0))); /* absent */
    apply(&instance, scene, 0.09);
    assert_int_equal(instance.next_turn, 0);
    apply(&instance, scene, 0.1 - 1e-10); /* a sum of steps */
    assert_int_equal(instance.next_turn, 1);
    assert_true(ash_body_get_velocity(world, instance.bodies[2]).z == 3);
    assert_true(ash_body_get_angular_velocity(world, instance.bodies[2]).z == 1);
    apply(&instance, scene, 0.2); /* two events of one time, in the file's order */
    assert_false(ash_force_get_enabled(world, instance.forces[0]));
    assert_int_equal(ash_body_get_type(world, instance.bodies[0]), ASH_BODY_STATIC);
    apply(&instance, scene, 0.35);
    assert_int_equal(ash_body_get_type(world, instance.bodies[0]), ASH_BODY_DYNAMIC);
    assert_false(ash_body_is_valid(world, instance.bodies[3]));
    apply(&instance, scene, 0.6);
    assert_true(ash_body_is_valid(world, instance.bodies[1]));
    assert_true(ashi_instance_read_output(&instance, scene, 0) == 0);
    assert_true(ash_body_get_velocity(world, instance.bodies[1]).x == 1);
    apply(&instance, scene, 0.8);
    assert_false(ash_force_get_enabled(world, instance.forces[3]));
    apply(&instance, scene, 2);
    assert_false(ash_force_is_valid(world, instance.forces[3]));
    assert_int_equal(instance.next_turn, instance.turn_count);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

/* What a body cannot be is found when the world is made, and said with its place. */
static void bad_bodies_are_found_with_their_place(void **state)
{
    (void)state;
    const struct {
        const char *text, *path;
    } cases[] = {
        {"{\"ashlar\": 1, \"bodies\": [{\"mass\": 1}, {}]}", "/bodies/1"},
        {"{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 5]}]}", "/bodies/0"},
        {"{\"ashlar\": 1, \"bodies\": [{\"mass\": 1}, {\"absent\": true}]}", "/bodies/1"},
        {"{\"ashlar\": 1, \"bodies\": [{\"type\": \"static\"}], \"events\": [{\"kind\": \"release\", \"time\": 1, "
         "\"body\": 0}]}",
         "/events/0"},
        {"{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"shapes\": [{\"shape\": {\"kind\": \"circle\", \"radius\": "
         "1}}]}]}",
         "/bodies/0"},
        {"{\"ashlar\": 1, \"bodies\": [{\"mass\": 1}], \"forces\": [{\"kind\": \"spring\", \"body_a\": 0, \"body_b\": "
         "0}]}",
         "/forces/0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_scene *scene = parse(cases[i].text);
        ash_world *world;
        ash_diagnostic diagnostic = {0};
        assert_int_not_equal(ash_scene_instantiate(scene, 1, &world, &diagnostic), ASH_OK);
        assert_null(world);
        if (strncmp(diagnostic.path, cases[i].path, strlen(cases[i].path)) != 0)
            fail_msg("path %s, expected %s (%s)", diagnostic.path, cases[i].path, diagnostic.message);
        assert_true(strlen(diagnostic.message) > 0);
        ash_scene_destroy(scene);
    }
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* The reader refuses it already; a description made in C comes here. */
/* What only the world finds has file, line, column and path, as far down as the message names a key. */
static void failures_have_a_place(void **state)
{
    (void)state;
#define BODIES                                                                                                         \
    "{\"ashlar\": 1, \"bodies\": [{\"mass\": 1, \"inertia\": [1,1,1]},\n {\"mass\": 1, \"inertia\": [1,1,1], "         \
    "\"position\": [1,0,0]}],\n "
#define HINGE "\"joints\": [{\"kind\": \"hinge\", \"body_a\": 0, \"body_b\": "
    static const struct {
        const char *text, *path;
        int line, column;
    } cases[] = {
        {BODIES HINGE "0,\n \"point\": [0,0,0]}]}", "/joints/0/body_b", 3, 54},
        {BODIES HINGE "1, \"point\": [0,0,0],\n \"axes\": {\"turn-x\": {\"lower\": 2, \"upper\": 1}}}]}",
         "/joints/0/axes/turn-x", 4, 21},
        {BODIES "\"joints\": [{\"kind\": \"screw\", \"body_a\": 0, \"body_b\": 1,\n \"pitch\": 0}]}", "/joints/0/pitch",
         4, 11},
        {BODIES "\"forces\": [{\"kind\": \"spring\", \"body_a\": 0, \"body_b\": 0, \"stiffness\": 1}]}",
         "/forces/0/body_b", 3, 55},
        {"{\"ashlar\": 1,\n \"bodies\": [\n  {}]}", "/bodies/0", 3, 3},
        {"{\"ashlar\": 1,\n \"world\": {\"planar\": true,\n  \"gravity\": [0, 0, 1]}}", "/world/gravity", 3, 14},
        {"{\"ashlar\": 1, \"bodies\": [{\"type\": \"static\"}],\n \"events\": [{\"kind\": \"release\", \"time\": 1,\n "
         "\"body\": 0}]}",
         "/events/0/body", 3, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_scene *scene = parse(cases[i].text);
        ash_world *world;
        ash_diagnostic d = {0};
        assert_int_not_equal(ash_scene_instantiate(scene, 1, &world, &d), ASH_OK);
        if (strcmp(d.path, cases[i].path) != 0 || d.line != cases[i].line || d.column != cases[i].column)
            fail_msg("%s\n%s at %d:%d: %s", cases[i].text, d.path, d.line, d.column, d.message);
        assert_string_equal(d.file, "test.json");
        ash_scene_destroy(scene);
    }
    assert_int_equal(ash_memory_used().blocks, 0);
#undef BODIES
#undef HINGE
}

static void forces_on_absent_bodies_are_refused(void **state)
{
    (void)state;
    ash_scene *scene;
    assert_int_equal(ashi_scene_create("absent", &scene, NULL), ASH_OK);
    ash_body_def body = ash_default_body_def();
    body.mass = 1;
    ashi_scene_add_body(scene, &body);
    scene->bodies.data[0].absent = true;
    ash_spring_def spring = ash_default_spring_def();
    spring.body_b = ashi_scene_body_ref(0);
    ashi_scene_add_spring(scene, &spring);
    ash_world *world;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_scene_instantiate(scene, 1, &world, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "scene.absent");
    assert_string_equal(diagnostic.path, "/forces/0");
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_become_worlds),
        cmocka_unit_test(bodies_and_forces_arrive_as_described),
        cmocka_unit_test(surfaces_arrive_as_described),
        cmocka_unit_test(outputs_read_the_world),
        cmocka_unit_test(a_rotation_is_read_as_a_vector),
        cmocka_unit_test(events_happen_in_time),
        cmocka_unit_test(bad_bodies_are_found_with_their_place),
        cmocka_unit_test(failures_have_a_place),
        cmocka_unit_test(forces_on_absent_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
