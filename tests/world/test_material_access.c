/* Materials through the public interface: handles, misuse, what shapes are made of, and snapshots. */
#include "worlds.h"

#include "math/vec3.h"

#include <string.h>

typedef struct fixture {
    ash_world *world;
    ash_geometry *ball;
    ash_material ice, rubber;
} fixture;

static ash_material make_material(ash_world *world, const char *name, double friction, double density)
{
    ash_material_def def = ash_default_material_def();
    ash_diagnostic d = {0};
    ash_material material = {0};
    def.name = name;
    def.surface.friction = friction;
    def.density = density;
    if (ash_material_create(world, &def, &material, &d) != ASH_OK)
        fail_msg("material: %s", d.message);
    return material;
}

static int set_up(void **state)
{
    static fixture f;
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    f.world = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, -9.81), 1);
    ball.radius = 1;
    assert_int_equal(ash_geometry_create(&ball, &f.ball, NULL), ASH_OK);
    f.ice = make_material(f.world, "ice", 0.04, 917);
    f.rubber = make_material(f.world, "rubber", 0.9, 1100);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ash_world_destroy(f->world);
    ash_geometry_release(f->ball);
    assert_int_equal(ash_memory_used().blocks, 0);
    return 0;
}

static ash_body make_ball(fixture *f, ash_material material, double density, ash_shape *shape)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape_def = ash_default_shape_def();
    ash_body body = {0};
    shape_def.geometry = f->ball;
    shape_def.material = material;
    shape_def.density = density;
    shape_def.surface_velocity = v3(1, 2, 3);
    assert_int_equal(ash_body_create(f->world, &def, &shape_def, 1, &body, NULL), ASH_OK);
    assert_int_equal(ash_body_get_shapes(f->world, body, shape, 1), 1);
    return body;
}

static bool same_material(ash_material a, ash_material b)
{
    return a.id == b.id;
}

static void test_handles_and_names(void **state)
{
    fixture *f = *state;
    ash_material all[4], none = ash_world_get_default_material(f->world);
    assert_int_equal(ash_world_get_materials(f->world, all, 4), 3);
    assert_true(same_material(all[0], none) && same_material(all[1], f->ice) && same_material(all[2], f->rubber));
    assert_int_equal(ash_world_get_materials(f->world, NULL, 0), 3);
    assert_true(same_material(ash_world_find_material(f->world, "rubber"), f->rubber));
    assert_true(ash_world_find_material(f->world, "wood").id == 0);
    ash_material_def def = ash_material_get(f->world, f->ice);
    assert_string_equal(def.name, "ice");
    assert_near(def.surface.sliding_friction, 0.04, 0); /* filled in */
    assert_string_equal(ash_material_get(f->world, none).name, "");
    def.surface.restitution = 0.3; /* set again with its own name */
    assert_int_equal(ash_material_set(f->world, f->ice, &def, NULL), ASH_OK);
    assert_true(same_material(ash_world_find_material(f->world, "ice"), f->ice));
    assert_near(ash_material_get_pair(f->world, f->rubber, f->ice).restitution, 0.3, 0);
    assert_near(ash_material_get_pair(f->world, f->rubber, f->ice).friction, sqrt(0.9 * 0.04), 0);
    assert_int_equal(ash_world_get_last_diagnostic(f->world).status, ASH_OK);
}

static void test_density_comes_from_the_material(void **state)
{
    fixture *f = *state;
    ash_shape shape;
    double volume = 4.0 / 3 * 3.14159265358979323846;
    ash_body usual = make_ball(f, (ash_material){0}, ASH_MATERIAL_DENSITY, &shape);
    assert_near(ash_body_get_mass(f->world, usual).mass, 1000 * volume, 1e-9);
    ash_body icy = make_ball(f, f->ice, ASH_MATERIAL_DENSITY, &shape);
    assert_near(ash_body_get_mass(f->world, icy).mass, 917 * volume, 1e-9);
    ash_body hollow = make_ball(f, f->ice, 10, &shape);
    assert_near(ash_body_get_mass(f->world, hollow).mass, 10 * volume, 1e-9);
    /* A later change leaves the mass alone. */
    ash_material_def def = ash_material_get(f->world, f->ice);
    def.density = 5;
    assert_int_equal(ash_material_set(f->world, f->ice, &def, NULL), ASH_OK);
    assert_near(ash_body_get_mass(f->world, icy).mass, 917 * volume, 1e-9);
}

static void test_shapes_have_materials(void **state)
{
    fixture *f = *state;
    ash_shape shape;
    ash_body body = make_ball(f, f->rubber, ASH_MATERIAL_DENSITY, &shape);
    assert_true(same_material(ash_shape_get_material(f->world, shape), f->rubber));
    assert_near(ash_shape_get_surface_velocity(f->world, shape).z, 3, 0);
    assert_int_equal(ash_shape_set_surface_velocity(f->world, shape, v3(0, -1, 0)), ASH_OK);
    assert_near(ash_shape_get_surface_velocity(f->world, shape).y, -1, 0);
    assert_int_equal(ash_material_destroy(f->world, f->rubber), ASH_BAD_ARGUMENT);
    assert_string_equal(ash_world_get_last_diagnostic(f->world).code, "material.used");
    assert_int_equal(ash_shape_set_material(f->world, shape, (ash_material){0}), ASH_OK);
    assert_true(same_material(ash_shape_get_material(f->world, shape), ash_world_get_default_material(f->world)));
    assert_int_equal(ash_material_destroy(f->world, f->rubber), ASH_OK);
    assert_false(ash_material_is_valid(f->world, f->rubber));
    assert_int_equal(ash_shape_set_material(f->world, shape, f->ice), ASH_OK);
    assert_int_equal(ash_body_destroy(f->world, body), ASH_OK);
    assert_int_equal(ash_material_destroy(f->world, f->ice), ASH_OK);
    assert_int_equal(ash_world_get_materials(f->world, NULL, 0), 1);
}

static void expect(fixture *f, ash_status status, ash_status expected, const char *code)
{
    assert_int_equal(status, expected);
    assert_string_equal(ash_world_get_last_diagnostic(f->world).code, code);
    ash_world_clear_diagnostic(f->world);
}

static void test_misuse(void **state)
{
    fixture *f = *state;
    ash_world *w = f->world;
    ash_shape shape;
    make_ball(f, f->ice, ASH_MATERIAL_DENSITY, &shape);
    ash_material_def def = ash_default_material_def();
    ash_surface surface = {0.2, -1, 0, 0, 0}, bad = {0.2, 0.3, 0, 0, 0};
    ash_diagnostic d;
    ash_material stale = make_material(w, "gone", 0.1, 1), null = {0};
    assert_int_equal(ash_material_destroy(w, stale), ASH_OK);
    expect(f, ash_material_destroy(w, stale), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_material_destroy(w, null), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_material_destroy(w, ash_world_get_default_material(w)), ASH_BAD_ARGUMENT, "material.default");
    expect(f, ash_material_set(w, stale, &def, &d), ASH_BAD_HANDLE, "material.handle");
    assert_string_equal(d.code, "material.handle");
    expect(f, ash_material_set_pair(w, f->ice, stale, &surface, NULL), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_material_set_pair(w, null, f->ice, &surface, NULL), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_material_set_pair(w, f->ice, f->ice, &bad, &d), ASH_BAD_DATA, "material.range");
    expect(f, ash_material_clear_pair(w, f->ice, stale), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_material_clear_pair(w, f->ice, f->rubber), ASH_NOT_FOUND, "");
    assert_near(ash_material_get_pair(w, f->ice, stale).friction, 0.5, 0);
    expect(f, ASH_OK, ASH_OK, "material.handle");
    assert_near(ash_material_get(w, stale).surface.friction, 0.5, 0);
    expect(f, ASH_OK, ASH_OK, "material.handle");
    def.surface.restitution = 2;
    expect(f, ash_material_set(w, f->ice, &def, &d), ASH_BAD_DATA, "material.range");
    assert_near(ash_material_get(w, f->ice).surface.friction, 0.04, 0); /* unchanged */
    expect(f, ash_material_create(w, &def, &null, &d), ASH_BAD_DATA, "material.range");
    assert_true(null.id == 0);
    expect(f, ash_shape_set_material(w, shape, stale), ASH_BAD_HANDLE, "material.handle");
    expect(f, ash_shape_set_material(w, (ash_shape){0}, f->ice), ASH_BAD_HANDLE, "shape.handle");
    expect(f, ash_shape_set_surface_velocity(w, shape, v3((double)NAN, 0, 0)), ASH_BAD_ARGUMENT,
           "shape.surface-velocity");
    expect(f, ash_shape_set_surface_velocity(w, (ash_shape){7}, v3(0, 0, 0)), ASH_BAD_HANDLE, "shape.handle");
    assert_true(ash_shape_get_material(w, (ash_shape){7}).id == 0);
    ash_body_def body_def = ash_default_body_def();
    ash_shape_def shape_def = ash_default_shape_def();
    ash_body body = {0};
    shape_def.geometry = f->ball;
    shape_def.material = stale;
    expect(f, ash_body_create(w, &body_def, &shape_def, 1, &body, NULL), ASH_BAD_HANDLE, "shape.material");
    shape_def.material = f->ice;
    shape_def.surface_velocity.y = (double)INFINITY;
    expect(f, ash_body_create(w, &body_def, &shape_def, 1, &body, NULL), ASH_BAD_DATA, "shape.surface-velocity");
    shape_def.surface_velocity.y = 0;
    shape_def.density = -2;
    expect(f, ash_body_create(w, &body_def, &shape_def, 1, &body, NULL), ASH_BAD_DATA, "shape.density");
}

static void test_surfaces_stay_in_the_plane(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    ash_geometry_def circle = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    ash_geometry *geometry = NULL;
    ash_body_def body_def = ash_default_body_def();
    ash_shape_def shape_def = ash_default_shape_def();
    ash_body body;
    ash_shape shape;
    def.planar = true;
    def.gravity = v3(0, -9.81, 0);
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    assert_int_equal(ash_geometry_create(&circle, &geometry, NULL), ASH_OK);
    shape_def.geometry = geometry;
    shape_def.surface_velocity = v3(0, 0, 1);
    assert_int_equal(ash_body_create(world, &body_def, &shape_def, 1, &body, NULL), ASH_BAD_DATA);
    shape_def.surface_velocity = v3(1, 0, 0);
    assert_int_equal(ash_body_create(world, &body_def, &shape_def, 1, &body, NULL), ASH_OK);
    ash_body_get_shapes(world, body, &shape, 1);
    assert_int_equal(ash_shape_set_surface_velocity(world, shape, v3(0, 0, 1)), ASH_BAD_ARGUMENT);
    ash_world_destroy(world);
    ash_geometry_release(geometry);
}

static void test_snapshots_keep_materials(void **state)
{
    fixture *f = *state;
    ash_shape shape;
    void *bytes = NULL;
    size_t size = 0;
    ash_surface own = {0.33, 0.22, 0.11, 0.01, 0.02};
    ash_material gone = make_material(f->world, "gone", 0.5, 1), last = make_material(f->world, "last", 0.6, 1);
    make_ball(f, f->rubber, ASH_MATERIAL_DENSITY, &shape);
    assert_int_equal(ash_material_set_pair(f->world, last, f->ice, &own, NULL), ASH_OK);
    assert_int_equal(ash_material_destroy(f->world, gone), ASH_OK);
    assert_int_equal(ash_world_save(f->world, &bytes, &size, NULL), ASH_OK);
    ash_world *other = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 1);
    assert_int_equal(ash_world_restore(other, bytes, size, NULL), ASH_OK);
    ash_surface restored = ash_material_get_pair(other, f->ice, last);
    assert_memory_equal(&restored, &own, sizeof own);
    assert_int_equal(ash_world_get_materials(other, NULL, 0), 4);
    assert_false(ash_material_is_valid(other, gone));
    assert_true(same_material(ash_world_find_material(other, "rubber"), f->rubber));
    assert_true(same_material(ash_shape_get_material(other, shape), f->rubber));
    assert_near(ash_shape_get_surface_velocity(other, shape).y, 2, 0);
    ash_surface combined = ash_material_get_pair(other, f->rubber, last);
    ash_surface expected = ash_material_get_pair(f->world, f->rubber, last);
    assert_memory_equal(&combined, &expected, sizeof expected);
    /* The next material takes the same slot and generation in both. */
    assert_true(same_material(make_material(other, "new", 1, 1), make_material(f->world, "new", 1, 1)));
    ash_free(bytes);
    ash_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_handles_and_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_density_comes_from_the_material, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_shapes_have_materials, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_misuse, set_up, tear_down),
        cmocka_unit_test(test_surfaces_stay_in_the_plane),
        cmocka_unit_test_setup_teardown(test_snapshots_keep_materials, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
