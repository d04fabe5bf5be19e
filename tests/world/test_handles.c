/* Two worlds with the same contents: each kind of handle of one, given to every function of the other, is misuse that
 * changes nothing. A restored world answers to the handles of the world that was saved. */
#include "worlds.h"

#include "math/vec3.h"

#include <string.h>

typedef struct contents {
    ash_world *world;
    ash_body background, a, b;
    ash_shape shape;
    ash_force spring, turner, bending, pull, load;
    ash_joint hinge, rope, cylinder;
    ash_material ice;
} contents;

static ash_body make_boxed(ash_world *w, ash_geometry *box, ash_vec3 at)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body body;
    def.type = ASH_BODY_DYNAMIC;
    def.position = at;
    shape.geometry = box;
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, NULL), ASH_OK);
    return body;
}

static ash_joint make_joint(const contents *c, ash_joint_kind kind)
{
    ash_joint_def def = ash_default_joint_def(kind);
    ash_joint joint;
    def.body_a = c->a;
    def.body_b = c->b;
    def.max_length = 10;
    def.speed = def.max_force = 1;
    assert_int_equal(ash_joint_def_place(c->world, &def, v3(1, 0, 0), v3(0, 0, 1)), ASH_OK);
    if (kind != ASH_JOINT_HINGE)
        def.frame_b.position.x -= 0.5;
    assert_int_equal(ash_joint_create(c->world, &def, &joint, NULL), ASH_OK);
    return joint;
}

static contents make_contents(void)
{
    contents c = {.world = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, -9.81), 1)};
    ash_geometry_def cube = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *box;
    cube.half_extents = v3(0.4, 0.4, 0.4);
    assert_int_equal(ash_geometry_create(&cube, &box, NULL), ASH_OK);
    ash_material_def ice = ash_default_material_def();
    ice.name = "ice";
    c.background = ash_world_get_background(c.world);
    c.a = make_boxed(c.world, box, v3(0, 0, 0));
    c.b = make_boxed(c.world, box, v3(2, 0, 0));
    ash_geometry_release(box);
    assert_int_equal(ash_body_get_shapes(c.world, c.a, &c.shape, 1), 1);
    assert_int_equal(ash_material_create(c.world, &ice, &c.ice, NULL), ASH_OK);
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = c.a, spring.body_b = c.b, spring.stiffness = 1;
    assert_int_equal(ash_spring_create(c.world, &spring, &c.spring, NULL), ASH_OK);
    ash_angular_spring_def turner = ash_default_angular_spring_def();
    turner.body_a = c.a, turner.body_b = c.b, turner.stiffness = 1;
    assert_int_equal(ash_angular_spring_create(c.world, &turner, &c.turner, NULL), ASH_OK);
    ash_bending_spring_def bending = ash_default_bending_spring_def();
    bending.body_a = c.a, bending.body_b = c.b, bending.stiffness = 1;
    assert_int_equal(ash_bending_spring_create(c.world, &bending, &c.bending, NULL), ASH_OK);
    ash_pull_def pull = ash_default_pull_def();
    pull.body = c.a, pull.max_force = 1;
    assert_int_equal(ash_pull_create(c.world, &pull, &c.pull, NULL), ASH_OK);
    ash_load_def load = ash_default_load_def();
    load.body = c.a;
    assert_int_equal(ash_load_create(c.world, &load, &c.load, NULL), ASH_OK);
    c.hinge = make_joint(&c, ASH_JOINT_HINGE);
    c.rope = make_joint(&c, ASH_JOINT_ROPE);
    c.cylinder = make_joint(&c, ASH_JOINT_HYDRAULIC);
    return c;
}

/* The last call must have been noted as misuse of a handle, and nothing else happened. */
static void check_refused(contents *c, uint64_t hash, const char *code, int line)
{
    ash_diagnostic d = ash_world_get_last_diagnostic(c->world);
    if (d.status != ASH_BAD_HANDLE || strcmp(d.code, code) != 0)
        fail_msg("line %d: %s instead of %s (%s)", line, d.code, code, d.message);
    assert_true(ash_world_get_hash(c->world) == hash);
    ash_world_clear_diagnostic(c->world);
}
#define REFUSED(code, call)                                                                                            \
    do {                                                                                                               \
        (void)(call);                                                                                                  \
        check_refused(c, hash, code, __LINE__);                                                                        \
    } while (0)
#define BAD(code, call)                                                                                                \
    do {                                                                                                               \
        assert_int_equal(call, ASH_BAD_HANDLE);                                                                        \
        check_refused(c, hash, code, __LINE__);                                                                        \
    } while (0)

static void check_bodies(contents *c, ash_body x, ash_body good)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    ash_vec3 v = v3(1, 1, 1);
    ash_shape shapes[1];
    ash_closest closest;
    assert_false(ash_body_is_valid(w, x));
    REFUSED("body.handle", ash_body_get_type(w, x));
    REFUSED("body.handle", ash_body_get_name(w, x));
    REFUSED("body.handle", ash_body_get_user_data(w, x));
    REFUSED("body.handle", ash_body_get_transform(w, x));
    REFUSED("body.handle", ash_body_get_centre(w, x));
    REFUSED("body.handle", ash_body_get_velocity(w, x));
    REFUSED("body.handle", ash_body_get_angular_velocity(w, x));
    REFUSED("body.handle", ash_body_get_mass(w, x));
    REFUSED("body.handle", ash_body_get_kinetic_energy(w, x));
    REFUSED("body.handle", ash_body_get_momentum(w, x));
    REFUSED("body.handle", ash_body_get_angular_momentum(w, x));
    REFUSED("body.handle", ash_body_point_to_world(w, x, v));
    REFUSED("body.handle", ash_body_point_to_local(w, x, v));
    REFUSED("body.handle", ash_body_get_point_velocity(w, x, v));
    REFUSED("body.handle", ash_body_get_gravity_scale(w, x));
    REFUSED("body.handle", ash_body_get_linear_damping(w, x));
    REFUSED("body.handle", ash_body_get_angular_damping(w, x));
    REFUSED("body.handle", ash_body_get_locks(w, x));
    REFUSED("body.handle", ash_body_is_awake(w, x));
    REFUSED("body.handle", ash_body_get_shapes(w, x, shapes, 1));
    REFUSED("body.handle", ash_body_get_reaction(w, x));
    REFUSED("body.handle", ash_body_get_stack_height(w, x));
    BAD("body.handle", ash_body_closest(w, x, good, &closest));
    BAD("body.handle", ash_body_closest(w, good, x, &closest));
    BAD("body.handle", ash_body_destroy(w, x));
    BAD("body.handle", ash_body_set_type(w, x, ASH_BODY_STATIC));
    BAD("body.handle", ash_body_set_name(w, x, "name"));
    BAD("body.handle", ash_body_set_user_data(w, x, NULL));
    BAD("body.handle", ash_body_set_transform(w, x, ash_identity()));
    BAD("body.handle", ash_body_set_velocity(w, x, v));
    BAD("body.handle", ash_body_set_angular_velocity(w, x, v));
    BAD("body.handle", ash_body_set_mass(w, x, 1, v3(0, 0, 0), (ash_sym3){0}, NULL));
    BAD("body.handle", ash_body_set_damping(w, x, 1, 1));
    BAD("body.handle", ash_body_set_gravity_scale(w, x, 1));
    BAD("body.handle", ash_body_set_locks(w, x, 0));
    BAD("body.handle", ash_body_apply_force(w, x, v, v));
    BAD("body.handle", ash_body_apply_force_to_centre(w, x, v));
    BAD("body.handle", ash_body_apply_torque(w, x, v));
    BAD("body.handle", ash_body_apply_impulse(w, x, v, v));
    BAD("body.handle", ash_body_apply_angular_impulse(w, x, v));
    BAD("body.handle", ash_body_wake(w, x));
    BAD("body.handle", ash_body_sleep(w, x));
    BAD("body.handle", ash_world_ignore_pair(w, x, good, true));
    BAD("body.handle", ash_world_ignore_pair(w, good, x, true));
}

/* Bodies in definitions of forces and joints. */
static void check_ends(contents *c, ash_body x, ash_body good)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    ash_force force;
    ash_joint joint;
    for (int end = 0; end < 2; end++) {
        ash_spring_def spring = ash_default_spring_def();
        ash_angular_spring_def turner = ash_default_angular_spring_def();
        ash_bending_spring_def bending = ash_default_bending_spring_def();
        ash_joint_def hinge = ash_default_joint_def(ASH_JOINT_HINGE);
        bending.body_b = end == 0 ? x : good;
        bending.body_c = end == 1 ? x : good;
        spring.body_a = turner.body_a = hinge.body_a = end == 0 ? x : good;
        spring.body_b = turner.body_b = hinge.body_b = end == 1 ? x : good;
        BAD("body.handle", ash_spring_create(w, &spring, &force, NULL));
        BAD("body.handle", ash_angular_spring_create(w, &turner, &force, NULL));
        BAD("body.handle", ash_bending_spring_create(w, &bending, &force, NULL));
        BAD("body.handle", ash_joint_create(w, &hinge, &joint, NULL));
        BAD("body.handle", ash_joint_def_place(w, &hinge, v3(0, 0, 0), v3(1, 0, 0)));
    }
    ash_drag_def drag = ash_default_drag_def();
    ash_pull_def pull = ash_default_pull_def();
    ash_load_def load = ash_default_load_def();
    drag.body = pull.body = load.body = x;
    BAD("body.handle", ash_drag_create(w, &drag, &force, NULL));
    BAD("body.handle", ash_pull_create(w, &pull, &force, NULL));
    BAD("body.handle", ash_load_create(w, &load, &force, NULL));
}

static void check_shapes(contents *c, ash_shape x)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    ash_closest closest;
    assert_false(ash_shape_is_valid(w, x));
    REFUSED("shape.handle", ash_shape_get_body(w, x));
    REFUSED("shape.handle", ash_shape_get_geometry(w, x));
    REFUSED("shape.handle", ash_shape_get_pose(w, x));
    REFUSED("shape.handle", ash_shape_get_name(w, x));
    REFUSED("shape.handle", ash_shape_get_material(w, x));
    REFUSED("shape.handle", ash_shape_get_surface_velocity(w, x));
    BAD("shape.handle", ash_shape_set_material(w, x, c->ice));
    BAD("shape.handle", ash_shape_set_surface_velocity(w, x, v3(0, 0, 0)));
    BAD("shape.handle", ash_shape_closest(w, x, c->shape, &closest));
    BAD("shape.handle", ash_shape_closest(w, c->shape, x, &closest));
}

static void check_materials(contents *c, ash_material x)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    ash_material_def def = ash_default_material_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def body = ash_default_body_def();
    ash_body made;
    assert_false(ash_material_is_valid(w, x));
    REFUSED("material.handle", ash_material_get(w, x));
    REFUSED("material.handle", ash_material_get_pair(w, x, c->ice));
    REFUSED("material.handle", ash_material_get_pair(w, c->ice, x));
    BAD("material.handle", ash_material_destroy(w, x));
    BAD("material.handle", ash_material_set(w, x, &def, NULL));
    BAD("material.handle", ash_material_set_pair(w, x, c->ice, &def.surface, NULL));
    BAD("material.handle", ash_material_set_pair(w, c->ice, x, &def.surface, NULL));
    BAD("material.handle", ash_material_clear_pair(w, x, c->ice));
    BAD("material.handle", ash_material_clear_pair(w, c->ice, x));
    BAD("material.handle", ash_shape_set_material(w, c->shape, x));
    shape.geometry = (ash_geometry *)ash_shape_get_geometry(w, c->shape);
    shape.material = x;
    BAD("shape.material", ash_body_create(w, &body, &shape, 1, &made, NULL));
}

static void check_forces(contents *c, const contents *other)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    const ash_force all[] = {other->spring, other->turner, other->bending, other->pull, other->load};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_false(ash_force_is_valid(w, all[i]));
        REFUSED("force.handle", ash_force_get_kind(w, all[i]));
        REFUSED("force.handle", ash_force_get_name(w, all[i]));
        REFUSED("force.handle", ash_force_get_enabled(w, all[i]));
        REFUSED("force.handle", ash_force_get_energy(w, all[i]));
        BAD("force.handle", ash_force_set_enabled(w, all[i], false));
        BAD("force.handle", ash_force_destroy(w, all[i]));
    }
    REFUSED("force.handle", ash_spring_get_length(w, other->spring));
    REFUSED("force.handle", ash_spring_get_tension(w, other->spring));
    REFUSED("force.handle", ash_angular_spring_get_angle(w, other->turner));
    REFUSED("force.handle", ash_bending_spring_get_angle(w, other->bending));
    REFUSED("force.handle", ash_spring_get(w, other->spring));
    REFUSED("force.handle", ash_pull_get_target(w, other->pull));
    REFUSED("force.handle", ash_load_get(w, other->load));
    BAD("force.handle", ash_spring_set(w, other->spring, 1, 1, 1));
    BAD("force.handle", ash_pull_set_target(w, other->pull, v3(0, 0, 0)));
    BAD("force.handle", ash_load_set(w, other->load, v3(0, 0, 0), v3(0, 0, 0)));
}

static void check_joints(contents *c, const contents *other)
{
    ash_world *w = c->world;
    uint64_t hash = ash_world_get_hash(w);
    ash_joint x = other->hinge;
    ash_joint_axis axis = ash_default_joint_def(ASH_JOINT_HINGE).axes[0];
    assert_false(ash_joint_is_valid(w, x));
    REFUSED("joint.handle", ash_joint_get_kept(w, x));
    REFUSED("joint.handle", ash_joint_get_kind(w, x));
    REFUSED("joint.handle", ash_joint_get_name(w, x));
    REFUSED("joint.handle", ash_joint_get_user_data(w, x));
    REFUSED("joint.handle", ash_joint_get_body_a(w, x));
    REFUSED("joint.handle", ash_joint_get_body_b(w, x));
    REFUSED("joint.handle", ash_joint_get_frame_a(w, x));
    REFUSED("joint.handle", ash_joint_get_frame_b(w, x));
    REFUSED("joint.handle", ash_joint_get_enabled(w, x));
    REFUSED("joint.handle", ash_joint_is_broken(w, x));
    REFUSED("joint.handle", ash_joint_get_position(w, x, ASH_TURN_X));
    REFUSED("joint.handle", ash_joint_get_rate(w, x, ASH_TURN_X));
    REFUSED("joint.handle", ash_joint_get_axis(w, x, ASH_TURN_X));
    REFUSED("joint.handle", ash_joint_get_length(w, other->rope));
    REFUSED("joint.handle", ash_joint_get_error(w, x));
    REFUSED("joint.handle", ash_joint_get_reaction(w, x, ASH_FRAME_WORLD));
    REFUSED("joint.handle", ash_joint_get_piston(w, other->cylinder));
    BAD("joint.handle", ash_joint_set_enabled(w, x, false));
    BAD("joint.handle", ash_joint_set_position(w, x, ASH_TURN_X, 1));
    BAD("joint.handle", ash_joint_set_rate(w, x, ASH_TURN_X, 1));
    BAD("joint.handle", ash_joint_set_axis(w, x, ASH_TURN_X, &axis));
    BAD("joint.handle", ash_joint_set_motor(w, x, ASH_TURN_X, ASH_DRIVE_VELOCITY, 1, 1));
    BAD("joint.handle", ash_joint_set_servo(w, x, ASH_TURN_X, 1, 1, 1));
    BAD("joint.handle", ash_joint_set_length(w, other->rope, 1));
    BAD("joint.handle", ash_joint_set_piston(w, other->cylinder, ASH_PISTON_EXTEND));
    BAD("joint.handle", ash_joint_destroy(w, x));
}

static void check_all(contents *c, const contents *other)
{
    check_bodies(c, other->a, c->b);
    check_bodies(c, other->background, c->b);
    check_ends(c, other->a, c->b);
    check_shapes(c, other->shape);
    check_materials(c, other->ice);
    check_forces(c, other);
    check_joints(c, other);
}

static void handles_of_another_world_are_refused(void **state)
{
    (void)state;
    contents one = make_contents(), two = make_contents();
    assert_true(ash_world_get_hash(one.world) == ash_world_get_hash(two.world)); /* which no world's number is in */
    assert_true(one.a.id != two.a.id && one.hinge.id != two.hinge.id && one.ice.id != two.ice.id);
    check_all(&one, &two);
    check_all(&two, &one);
    assert_int_equal(ash_world_step(one.world, 0.01), ASH_OK);
    assert_int_equal(ash_world_step(two.world, 0.01), ASH_OK);
    assert_true(ash_world_get_hash(one.world) == ash_world_get_hash(two.world));
    ash_world_destroy(one.world);
    ash_world_destroy(two.world);
}

/* A world made after another is gone does not answer to its handles, wherever it lies in memory. */
static void handles_of_a_destroyed_world_are_refused(void **state)
{
    (void)state;
    contents one = make_contents();
    ash_world_destroy(one.world);
    contents two = make_contents();
    check_all(&two, &one);
    ash_world_destroy(two.world);
}

typedef struct foreign_push {
    ash_body foreign, own;
} foreign_push;

static void push(ash_force_context *context, void *user)
{
    const foreign_push *p = user;
    assert_true(ash_force_context_get_velocity(context, p->foreign).x == 0);
    ash_force_context_add(context, p->foreign, v3(1e3, 0, 0), v3(0, 0, 0));
    ash_force_context_add(context, p->own, v3(0, 1, 0), v3(0, 0, 0));
}

static void callbacks_do_not_reach_bodies_through_foreign_handles(void **state)
{
    (void)state;
    contents one = make_contents(), two = make_contents();
    foreign_push p = {two.a, one.a};
    ash_force force;
    assert_int_equal(ash_callback_create(one.world, push, &p, NULL, &force, NULL), ASH_OK);
    assert_int_equal(ash_world_step(one.world, 0.01), ASH_OK);
    assert_near(ash_world_get_momentum(one.world).x, 0, 1e-9);
    assert_true(ash_world_get_momentum(one.world).y > 0);
    ash_world_destroy(one.world);
    ash_world_destroy(two.world);
}

/* The clone answers to the handles of the saved world, and no longer to its own earlier ones. */
static void restored_worlds_answer_to_the_saved_handles(void **state)
{
    (void)state;
    contents one = make_contents(), two = make_contents(), three = make_contents();
    void *bytes;
    size_t size;
    assert_int_equal(ash_world_ignore_pair(one.world, one.a, one.b, true), ASH_OK);
    assert_int_equal(ash_world_step(one.world, 0.01), ASH_OK);
    assert_int_equal(ash_world_save(one.world, &bytes, &size, NULL), ASH_OK);
    assert_int_equal(ash_body_set_user_data(two.world, two.a, &two), ASH_OK);
    assert_int_equal(ash_world_restore(two.world, bytes, size, NULL), ASH_OK);
    contents clone = one;
    clone.world = two.world;
    assert_ptr_equal(ash_body_get_user_data(clone.world, clone.a), &two); /* kept from the world that was there */
    assert_true(ash_body_is_valid(clone.world, clone.a) && ash_shape_is_valid(clone.world, clone.shape));
    assert_true(ash_force_is_valid(clone.world, clone.load) && ash_joint_is_valid(clone.world, clone.rope));
    assert_true(ash_material_is_valid(clone.world, clone.ice));
    check_all(&clone, &two);
    check_all(&clone, &three);
    assert_int_equal(ash_world_step(one.world, 0.01), ASH_OK);
    assert_int_equal(ash_world_step(clone.world, 0.01), ASH_OK);
    assert_true(ash_world_get_hash(one.world) == ash_world_get_hash(clone.world));
    ash_free(bytes);
    ash_world_destroy(one.world);
    ash_world_destroy(two.world);
    ash_world_destroy(three.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_of_another_world_are_refused),
        cmocka_unit_test(handles_of_a_destroyed_world_are_refused),
        cmocka_unit_test(callbacks_do_not_reach_bodies_through_foreign_handles),
        cmocka_unit_test(restored_worlds_answer_to_the_saved_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
