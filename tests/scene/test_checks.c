/* The checks of built-in scenes can fail: where gravity, contacts, joints, motors or springs are taken away, or nothing
 * moves, some check of the scene fails; and no check passes in all of these worlds. */
#include "check.h"

#include "scene/description/description.h"

#include <math.h>
#include <string.h>

/* How a scene is broken. */
typedef enum fault {
    NONE,       /* nothing is broken: all checks pass */
    NO_TIME,    /* the run ends before anything has happened */
    FROZEN,     /* after each step bodies are back where they began, and at rest */
    SHAKEN,     /* after each step bodies are given some velocity and spin: for single checks, joints may bear it */
    WEIGHTLESS, /* there is no gravity */
    NO_CONTACT, /* bodies pass through each other */
    YIELDING,   /* contacts hardly resist */
    UNJOINTED,  /* joints are off */
    IDLE,       /* motors, pistons and efforts are off */
    SLACK,      /* springs, drag, loads are off */
    FAULTS
} fault;

static const char *const fault_names[FAULTS] = {"nothing",    "no time",  "frozen",    "shaken", "weightless",
                                                "no contact", "yielding", "unjointed", "idle",   "slack"};

#define BRIEF 1e-9 /* s */

/* Fewer bodies than the scene has of its own, where that is quicker. */
static const struct {
    const char *scene;
    ash_setting setting;
} smaller[] = {{"net", {"cells", "4"}},         {"cow-pile", {"n", "1"}},         {"letters", {"n", "20"}},
               {"silo", {"n", "50"}},           {"pile-2d", {"n", "50"}},         {"box-pile", {"n", "20"}},
               {"tower", {"layers", "3"}},      {"wall", {"rows", "3"}},          {"box-stack", {"n", "4"}},
               {"roof-tower", {"layers", "4"}}, {"falling-roof", {"layers", "4"}}};

/* Where nothing is to move: a world that has not moved is right. */
static const char *const at_rest[] = {
    "stack-20",   "box-stack",           "wall",       "tower", "pile", "four-feet", "blocks",
    "pyramid-2d", "friction-directions", "fixed-joint"};

static bool is_at_rest(const char *name)
{
    for (size_t i = 0; i < sizeof at_rest / sizeof *at_rest; i++)
        if (strcmp(at_rest[i], name) == 0)
            return true;
    return false;
}

static ash_scene *open_scene(const char *name)
{
    const ash_setting *setting = NULL;
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    for (size_t i = 0; i < sizeof smaller / sizeof *smaller; i++)
        if (strcmp(smaller[i].scene, name) == 0)
            setting = &smaller[i].setting;
    if (ash_scene_open(name, setting, setting != NULL, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", name, diagnostic.message);
    return scene;
}

/* ---- faults ---- */

static bool take_contacts(ash_scene *scene, const char *field, const char *value)
{
    bool some = false;
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        some = some || !scene->shapes.data[i].visual;
    if (scene->method.contacts != ASH_CONTACTS_SOLVE || !some)
        return false;
    assert_int_equal(ash_method_set(&scene->method, field, value, NULL), ASH_OK);
    return true;
}

static bool make_contacts_yield(ash_scene *scene)
{
    if (!take_contacts(scene, "solver", "penalty"))
        return false;
    scene->method.joints = ASH_JOINTS_VELOCITY;
    return ash_method_set(&scene->method, "contact-stiffness", "1e-6", NULL) == ASH_OK;
}

static bool take_motors(ash_scene *scene)
{
    bool some = false;
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        ashi_scene_joint *joint = &scene->joints.data[i];
        if (joint->def.kind == ASH_JOINT_HYDRAULIC) {
            some = true;
            joint->def.max_force = 1e-6;
        }
        for (int k = 0; k < ASH_FREEDOMS; k++) {
            some = some || joint->effort[k] != NULL || joint->def.axes[k].motor.drive != ASH_DRIVE_OFF;
            joint->effort[k] = NULL;
            joint->def.axes[k].motor.drive = ASH_DRIVE_OFF;
        }
    }
    for (uint32_t i = 0; i < scene->events.count; i++)
        if (scene->events.data[i].fields & ASHI_SET_MOTOR) {
            some = true;
            scene->events.data[i].drive = ASH_DRIVE_OFF;
        }
    return some;
}

static bool take_joints(ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->joints.count; i++)
        scene->joints.data[i].disabled = true;
    for (uint32_t i = 0; i < scene->events.count; i++)
        if (scene->events.data[i].owner == ASHI_OF_JOINT)
            scene->events.data[i].enabled = false;
    return scene->joints.count > 0;
}

static bool take_forces(ash_scene *scene)
{
    for (uint32_t i = 0; i < scene->forces.count; i++)
        scene->forces.data[i].disabled = true;
    for (uint32_t i = 0; i < scene->events.count; i++)
        if (scene->events.data[i].owner == ASHI_OF_FORCE)
            scene->events.data[i].enabled = false;
    return scene->forces.count > 0;
}

/* False: the scene has nothing of the kind. */
static bool break_scene(ash_scene *scene, fault f)
{
    bool heavy = scene->gravity.x != 0 || scene->gravity.y != 0 || scene->gravity.z != 0;
    switch (f) {
    case WEIGHTLESS:
        scene->gravity = (ash_vec3){0, 0, 0};
        return heavy;
    case NO_CONTACT:
        return take_contacts(scene, "contacts", "off");
    case YIELDING:
        return make_contacts_yield(scene);
    case UNJOINTED:
        return take_joints(scene);
    case IDLE:
        return take_motors(scene);
    case SLACK:
        return take_forces(scene);
    default:
        return true;
    }
}

/* Where bodies were when they were first seen. */
enum { MOST_BODIES = 4096 };
typedef struct places {
    ash_body bodies[MOST_BODIES];
    ash_transform at[MOST_BODIES];
    uint32_t count;
} places;

static ash_transform *place_of(places *p, const ash_world *world, ash_body body)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->bodies[i].id == body.id)
            return &p->at[i];
    assert_in_range(p->count, 0, MOST_BODIES - 1);
    p->bodies[p->count] = body;
    p->at[p->count] = ash_body_get_transform(world, body);
    return &p->at[p->count++];
}

static bool freeze(ash_world *world, double time, void *user)
{
    static ash_body bodies[MOST_BODIES];
    uint32_t count = ash_world_get_bodies(world, bodies, MOST_BODIES);
    for (uint32_t i = 0; i < count && time > 0; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC) {
            ash_body_set_transform(world, bodies[i], *place_of(user, world, bodies[i]));
            ash_body_set_velocity(world, bodies[i], (ash_vec3){0, 0, 0});
            ash_body_set_angular_velocity(world, bodies[i], (ash_vec3){0, 0, 0});
        }
    return true;
}

static bool shake(ash_world *world, double time, void *user)
{
    static ash_body bodies[MOST_BODIES];
    uint32_t count = ash_world_get_bodies(world, bodies, MOST_BODIES);
    double out = ash_world_is_planar(world) ? 0 : 1;
    (void)time;
    (void)user;
    for (uint32_t i = 0; i < count; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC) {
            ash_vec3 v = ash_body_get_velocity(world, bodies[i]), w = ash_body_get_angular_velocity(world, bodies[i]);
            ash_body_set_velocity(world, bodies[i],
                                  (ash_vec3){1.01 * v.x + 0.17, 1.01 * v.y + 0.17, 1.01 * v.z + 0.17 * out});
            ash_body_set_angular_velocity(
                world, bodies[i], (ash_vec3){1.01 * w.x + 0.17 * out, 1.01 * w.y + 0.17 * out, 1.01 * w.z + 0.17});
        }
    return true;
}

/* Whether some check of the scene as it is now fails, or it cannot go on. `failed`: which. */
static bool is_noticed(const ash_scene *scene, fault f, bool *failed, uint32_t *contacts)
{
    ash_run *run = NULL;
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    if (f == NO_TIME)
        options.time = options.step = BRIEF;
    static places begun;
    begun.count = 0;
    options.user = &begun;
    if (f == FROZEN)
        options.control = freeze;
    if (f == SHAKEN)
        options.control = shake;
    options.check = true;
    ash_status status = ash_scene_run(scene, &options, &run, &diagnostic);
    if (status != ASH_OK && status != ASH_NUMERICS)
        fail_msg("%s, %s: %s", scene->name, fault_names[f], diagnostic.message);
    bool noticed = status != ASH_OK;
    for (uint32_t i = 0; run == NULL && i < scene->checks.count; i++)
        failed[i] = true; /* numbers grew beyond all bounds */
    for (uint32_t i = 0; run != NULL && i < ash_run_get_check_count(run); i++) {
        ash_check_result check = ash_run_get_check(run, i);
        bool wrong = !check.pass && (f != NO_TIME || !isnan(check.value)); /* nothing was there to judge */
        failed[i] = failed[i] || wrong || status != ASH_OK;
        noticed = noticed || wrong;
    }
    if (run != NULL && contacts != NULL)
        *contacts = ash_run_get_summary(run).contacts_max;
    ash_run_destroy(run);
    return noticed;
}

/* ---- all scenes ---- */

enum { MOST_CHECKS = 64, FEW = 12 /* bodies: by hand, step by step, all of them take long */ };

/* Faults that a scene need not notice, and why. */
static const struct {
    const char *scene;
    fault fault;
    const char *why;
} exceptions[] = {
    {"roof-tower", NONE, "four layers are too few to be brought down"},
    {"falling-roof", NONE, "the same"},
    {"inertia", NO_TIME, "properties of shapes"},
    {"inertia", FROZEN, "the same"},
    {"ball-grid", WEIGHTLESS, "overlap is taken out of positions"},
    {"hydraulic", WEIGHTLESS, "it lies, and nothing rubs"},
};

static bool is_excepted(const char *name, fault f)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].fault == f && strcmp(exceptions[i].scene, name) == 0)
            return true;
    return f == SHAKEN || ((f == NO_TIME || f == FROZEN) && is_at_rest(name));
}

/* What these ask for is more than any of the faults can break. */
static bool never_fails(const char *name)
{
    static const char *const scenes[] = {"inertia", "cow-pile"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(scenes[i], name) == 0)
            return true;
    return false;
}

/* Bodies are frozen and shaken step by step, which takes long where there are many, or joints for many steps. */
static bool is_quick(const ash_scene *scene, fault f)
{
    double steps = scene->time / scene->step;
    return scene->bodies.count <= FEW && (scene->joints.count == 0 || (f == FROZEN && steps <= 1000));
}

static bool applies_to(const ash_scene *scene, fault f, uint32_t contacts)
{
    bool by_contacts = f == NO_CONTACT || f == YIELDING, by_steps = f == FROZEN || f == SHAKEN;
    if (strcmp(scene->name, "cow-pile") == 0) /* its own run takes long, and its checks are those of letters */
        return f == NO_TIME || f == WEIGHTLESS;
    return (!by_contacts || contacts > 0) && (!by_steps || is_quick(scene, f));
}

static uint32_t test_scene(const char *name)
{
    bool failed[MOST_CHECKS] = {false}, intact[MOST_CHECKS] = {false};
    uint32_t missed = 0, contacts = 0;
    for (fault f = NONE; f < FAULTS; f++) {
        ash_scene *scene = open_scene(name);
        bool applies = applies_to(scene, f, contacts) && break_scene(scene, f);
        assert_in_range(scene->checks.count, 0, MOST_CHECKS);
        if (f == NONE && is_noticed(scene, f, intact, &contacts) && !is_excepted(name, f))
            print_error("%s: a check fails\n", name);
        else if (f != NONE && applies && !is_noticed(scene, f, failed, NULL) && !is_excepted(name, f))
            print_error("%s: all checks pass: %s\n", name, fault_names[f]);
        else
            missed--;
        missed++;
        ash_scene_destroy(scene);
    }
    ash_scene *scene = open_scene(name);
    for (uint32_t i = 0; i < scene->checks.count && is_quick(scene, SHAKEN); i++)
        if (!failed[i] && !never_fails(name)) {
            print_error("%s: passes whatever is broken: %s\n", name, scene->checks.data[i].name);
            missed++;
        }
    ash_scene_destroy(scene);
    return missed;
}

static void test_broken_worlds_fail(void **state)
{
    (void)state;
    uint32_t missed = 0;
#ifdef ASHLAR_SLOW_BUILD
    const uint32_t stride = 8;
#else
    const uint32_t stride = 1;
#endif
    for (uint32_t k = 0; k < ash_builtin_count(); k += stride)
        missed += test_scene(ash_builtin_get(k).name);
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_broken_worlds_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
