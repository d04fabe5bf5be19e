/* A new kind of joint and a new kind of force, each known by its table alone: the linker puts ours in the place of a
 * kind in each table (--wrap). All methods, the ledger and snapshots must know all they need from there. */
#include "joints.h"

#include "model/forces.h"

#include <string.h>

#define SLOPE 0.75 /* of the ramp: 0.6 of the weight drives, at 0.8 of it across */
#define LIFT  3.0  /* N upwards */

const ashi_joint_class *__real_ashi_joint_class_of(ash_joint_kind kind);
const ashi_joint_class *__wrap_ashi_joint_class_of(ash_joint_kind kind);
const ashi_force_class *__real_ashi_force_class_of(ash_force_kind kind);
const ashi_force_class *__wrap_ashi_force_class_of(ash_force_kind kind);

/* ---- a joint: b's point slides on a plane that rises along x of a ---- */

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    (void)model, (void)def, (void)diagnostic;
    joint->removed = ASH_FREEDOM_BIT(ASH_MOVE_Z);
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X);
    return true;
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    (void)joint;
    ashi_kept_row(frames, 0, freedom, row);
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    ashi_joint_row along = ashi_joint_row_begin();
    coordinate(joint, frames, ASH_MOVE_X, &along);
    coordinate(joint, frames, ASH_MOVE_Z, &rows[0]);
    ashi_joint_row_add(&rows[0], &along, -SLOPE);
    return 1;
}

static const ashi_joint_class ramp = {
    .name = "ramp", .framed = true, .define = define, .hold = hold, .coordinate = coordinate};

const ashi_joint_class *__wrap_ashi_joint_class_of(ash_joint_kind kind)
{
    return kind == ASH_JOINT_PARALLEL ? &ramp : __real_ashi_joint_class_of(kind);
}

/* ---- a force: a constant lift, which has a potential ---- */

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    (void)stage;
    for (uint32_t i = 0; i < model->forces.drags.count; i++)
        model->bodies.force[model->forces.drags.data[i].body].z += LIFT;
}

static double energy(const ashi_model *model, const ashi_state *state, uint32_t index)
{
    return -LIFT * state->position[model->forces.drags.data[index].body].z;
}

static bool uses_body(const void *element, uint32_t body)
{
    return ((const ashi_drag *)element)->body == body;
}

static const ashi_force_class lift = {.name = "lift",
                                      .element_size = sizeof(ashi_drag),
                                      .array = offsetof(ashi_forces, drags),
                                      .apply = apply,
                                      .energy = energy,
                                      .uses_body = uses_body};

const ashi_force_class *__wrap_ashi_force_class_of(ash_force_kind kind)
{
    return kind == ASH_FORCE_DRAG ? &lift : __real_ashi_force_class_of(kind);
}

/* ---- both by all methods ---- */

static ash_world *make(const char *name)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(name, &def.method, NULL), ASH_OK);
    def.gravity = v3(0, 0, -10);
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

static const char *const methods[] = {"realtime",        "engineering", "gribel-2009",         "stewart-trinkle",
                                      "dejong-2014",     "faure",       "bender-schmitt-2006", "bender-iterative",
                                      "guendelman-2003", "erleben-2007"};
enum { METHODS = sizeof methods / sizeof *methods, STEPS = 200 };
static const double h = 0.0025, end = STEPS * 0.0025; /* s */

/* Velocities are exact: so positions of the order one are off by the way of half a step at the last speed. */
static void a_ramp_guides(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ash_world *world = make(methods[m]);
        ash_body body = make_point(world, 2, v3(0, 0, 0), v3(0, 0, 0));
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_PARALLEL);
        def.body_b = body;
        ash_joint joint = make_joint(world, &def);
        take_steps(world, h, STEPS);
        ash_vec3 at = ash_body_get_centre(world, body);
        double way = 0.5 * 6 * end * end, late = 0.5 * 6 * end * h;
        if (!(fabs(v3_norm(at) - way) <= 1.001 * late && fabs(at.z - SLOPE * at.x) < 1e-4 && at.x < 0))
            fail_msg("%s: at %g, %g, %g instead of %g down the ramp", methods[m], at.x, at.y, at.z, way);
        ash_joint_reaction reaction = ash_joint_get_reaction(world, joint, ASH_FRAME_WORLD);
        if (!(fabs(v3_norm(reaction.force) - 16) < 0.01))
            fail_msg("%s: the ramp bears %g N", methods[m], v3_norm(reaction.force));
        ash_world_destroy(world);
    }
}

static void a_lift_lifts(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ash_world *world = make(methods[m]);
        ash_body body = make_point(world, 2, v3(0, 0, 0), v3(0, 0, 0));
        ash_drag_def def = ash_default_drag_def();
        ash_force force;
        def.body = body;
        def.area = 1;
        assert_int_equal(ash_drag_create(world, &def, &force, NULL), ASH_OK);
        take_steps(world, h, STEPS);
        double fall = 10 - LIFT / 2, way = 0.5 * fall * end * end, late = 0.5 * fall * end * h;
        assert_below(fabs(ash_body_get_centre(world, body).z + way), 1.001 * late);
        assert_near(ash_body_get_velocity(world, body).z, -fall * end, 1e-9);
        assert_near(ash_force_get_energy(world, force), -LIFT * ash_body_get_centre(world, body).z, 1e-12);
        /* what order one is off by is known: -m a^2 h t / 2 of energy */
        ash_ledger ledger = ash_world_get_ledger(world);
        assert_below(fabs(ledger.total - ledger.initial), 1.001 * 2 * fall * late);
        ash_body_destroy(world, body);
        assert_false(ash_force_is_valid(world, force));
        ash_world_destroy(world);
    }
}

/* Saved in the middle, both go on to the same bits. */
static void both_are_saved(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ash_world *world = make(methods[m]);
        ash_body body = make_point(world, 2, v3(0, 0, 0), v3(0, 0, 0));
        ash_joint_def joint = ash_default_joint_def(ASH_JOINT_PARALLEL);
        ash_drag_def drag = ash_default_drag_def();
        ash_force force;
        joint.body_b = drag.body = body;
        drag.area = 1;
        make_joint(world, &joint);
        assert_int_equal(ash_drag_create(world, &drag, &force, NULL), ASH_OK);
        take_steps(world, h, 20);
        void *bytes;
        size_t size;
        assert_int_equal(ash_world_save(world, &bytes, &size, NULL), ASH_OK);
        take_steps(world, h, 20);
        ash_vec3 first = ash_body_get_centre(world, body);
        assert_int_equal(ash_world_restore(world, bytes, size, NULL), ASH_OK);
        take_steps(world, h, 20);
        ash_vec3 second = ash_body_get_centre(world, body);
        assert_memory_equal(&first, &second, sizeof first);
        ash_free(bytes);
        ash_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_guides),
        cmocka_unit_test(a_lift_lifts),
        cmocka_unit_test(both_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
