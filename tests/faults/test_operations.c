/* A seeded stream of calls with good and bad arguments on a world: every answer is checked against a plain model of
 * what is alive. Bad arguments are refused and change nothing; the state stays finite; what was saved comes back. */
#include "check.h"

#include "ashlar/ashlar.h"
#include "base/random.h"
#include "math/vec3.h"

#include <stdbool.h>
#include <string.h>

enum { MOST = 60 };

/* The handles ever given, and which are alive. */
typedef struct register_of_handles {
    uint64_t ids[MOST];
    bool alive[MOST];
    uint32_t count;
} register_of_handles;

typedef struct stream {
    ash_world *world;
    ash_geometry *geometry; /* of bodies that have a shape */
    ashi_random random;
    register_of_handles bodies, forces, materials;
    register_of_handles saved_bodies, saved_forces, saved_materials;
    void *saved;
    size_t saved_size;
    uint64_t saved_hash;
    uint32_t refused, accepted, steps, restored;
} stream;

static bool chance(stream *s, uint32_t one_in)
{
    return ashi_random_below(&s->random, one_in) == 0;
}

/* Mostly moderate numbers, now and then a wild one. Says in `bad` whether it is not finite. */
static double any_number(stream *s, bool *bad)
{
    static const double wild[] = {0, -0.0, 1e-300, -1e-12, 1e9, 5e-324};
    if (chance(s, 40)) {
        *bad = true;
        return chance(s, 2) ? (double)NAN : chance(s, 2) ? HUGE_VAL : -HUGE_VAL;
    }
    if (chance(s, 20))
        return wild[ashi_random_below(&s->random, 6)];
    return ashi_random_range(&s->random, -3, 3);
}

static ash_vec3 any_vector(stream *s, bool *bad)
{
    double x = any_number(s, bad), y = any_number(s, bad), z = any_number(s, bad);
    return v3(x, y, z);
}

/* A handle that was once given, or null, or one that never was. `alive` says whether it is. */
static uint64_t any_handle(stream *s, const register_of_handles *handles, bool *alive)
{
    *alive = false;
    if (handles->count == 0 || chance(s, 30))
        return chance(s, 2) ? 0 : ashi_random_bits(&s->random);
    uint32_t i = ashi_random_below(&s->random, handles->count);
    *alive = handles->alive[i];
    return handles->ids[i];
}

static void enter(register_of_handles *handles, uint64_t id)
{
    assert_true(id != 0);
    for (uint32_t i = 0; i < handles->count; i++)
        assert_true(handles->ids[i] != id); /* a handle is never given twice */
    /* A full register forgets one that is dead. */
    uint32_t at = handles->count;
    for (uint32_t i = 0; at == MOST && i < MOST; i++)
        if (!handles->alive[i])
            at = i;
    assert_true(at < MOST);
    handles->count += at == handles->count;
    handles->ids[at] = id;
    handles->alive[at] = true;
}

static uint32_t alive_count(const register_of_handles *handles)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < handles->count; i++)
        n += handles->alive[i];
    return n;
}

/* A call with `bad` arguments must be refused with a status that is not ASH_OK, and leave the state alone. */
static void judge(stream *s, const char *call, ash_status status, bool bad, uint64_t hash_before)
{
    if (status == ASH_OK && bad)
        fail_msg("%s took bad arguments", call);
    if (status != ASH_OK && ash_world_get_hash(s->world) != hash_before)
        fail_msg("%s answered %s but changed the world", call, ash_status_text(status));
    ash_vec3 momentum = ash_world_get_momentum(s->world);
    if (!v3_is_finite(momentum))
        fail_msg("after %s the momentum is not finite", call);
    *(status == ASH_OK ? &s->accepted : &s->refused) += 1;
}

static void create_body(stream *s)
{
    if (alive_count(&s->bodies) >= MOST / 2)
        return;
    bool bad = false;
    ash_body_def def = ash_default_body_def();
    def.type = (ash_body_type)ashi_random_below(&s->random, ASH_BODY_TYPES);
    def.position = any_vector(s, &bad);
    def.velocity = any_vector(s, &bad);
    def.angular_velocity = any_vector(s, &bad);
    def.mass = chance(s, 15) ? -1 : ashi_random_range(&s->random, 0.5, 5);
    bad |= def.mass < 0;
    if (chance(s, 2))
        def.inertia = (ash_sym3){def.mass, def.mass, def.mass * (chance(s, 10) ? 5 : 1), 0.1, 0, 0};
    bad |= def.inertia.zz > 2.5 * def.mass; /* more than the sum of the other two */
    if (chance(s, 30)) {
        def.rotation = (ash_quat){0, 0, 0, 0};
        bad = true;
    }
    if (chance(s, 4))
        def.locks = ashi_random_below(&s->random, 64);
    ash_body body = {0};
    uint64_t before = ash_world_get_hash(s->world);
    ash_diagnostic diagnostic = {0};
    bool alive;
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = s->geometry;
    shape.material.id = any_handle(s, &s->materials, &alive);
    shape.density = 0;
    shape.mask = 0; /* meets nothing */
    uint32_t shapes = chance(s, 2) ? 1 : 0;
    bool stale = shapes == 1 && !alive && shape.material.id != 0;
    ash_status status = ash_body_create(s->world, &def, &shape, shapes, &body, &diagnostic);
    judge(s, "ash_body_create", status, stale || (bad && def.type != ASH_BODY_STATIC), before);
    assert_int_equal(status, diagnostic.status);
    if (status == ASH_OK)
        enter(&s->bodies, body.id);
    else
        assert_true(diagnostic.message[0] != 0);
}

/* Forces die with their bodies: the world is asked which are left. */
static void drop_dead_forces(stream *s)
{
    for (uint32_t i = 0; i < s->forces.count; i++)
        if (s->forces.alive[i])
            s->forces.alive[i] = ash_force_is_valid(s->world, (ash_force){s->forces.ids[i]});
}

static void destroy_body(stream *s)
{
    bool alive;
    ash_body body = {any_handle(s, &s->bodies, &alive)};
    uint64_t before = ash_world_get_hash(s->world);
    ash_status status = ash_body_destroy(s->world, body);
    judge(s, "ash_body_destroy", status, !alive, before);
    assert_true(status == (alive ? ASH_OK : ASH_BAD_HANDLE));
    for (uint32_t i = 0; i < s->bodies.count; i++)
        if (s->bodies.ids[i] == body.id)
            s->bodies.alive[i] = false;
    drop_dead_forces(s);
}

static void set_something(stream *s)
{
    bool alive, bad = false;
    ash_body body = {any_handle(s, &s->bodies, &alive)};
    ash_vec3 a = any_vector(s, &bad), b = v3(0, 0, 0);
    uint64_t before = ash_world_get_hash(s->world);
    uint32_t which = ashi_random_below(&s->random, 14);
    ash_status status;
    switch (which) {
    case 0:
        status = ash_body_set_velocity(s->world, body, a);
        break;
    case 1:
        status = ash_body_set_angular_velocity(s->world, body, a);
        break;
    case 2:
        status = ash_body_set_transform(s->world, body, (ash_transform){a, {1, 0.2, 0, 0}});
        break;
    case 3:
        b = any_vector(s, &bad);
        status = ash_body_apply_force(s->world, body, a, b);
        break;
    case 4:
        status = ash_body_apply_torque(s->world, body, a);
        break;
    case 5:
        b = any_vector(s, &bad);
        status = ash_body_apply_impulse(s->world, body, a, b);
        break;
    case 6:
        status = ash_body_apply_angular_impulse(s->world, body, a);
        break;
    case 7:
        status = ash_body_set_damping(s->world, body, a.x, a.y);
        bad = !isfinite(a.x) || !isfinite(a.y) || a.x < 0 || a.y < 0;
        break;
    case 8:
        status = ash_body_set_gravity_scale(s->world, body, a.x);
        bad = !isfinite(a.x);
        break;
    case 9:
        status = ash_body_set_locks(s->world, body, ashi_random_below(&s->random, 64));
        bad = false;
        break;
    case 10:
        status = ash_body_set_name(s->world, body, chance(s, 2) ? "named" : NULL);
        bad = false;
        break;
    case 11:
        status = ash_body_set_mass(s->world, body, a.x, v3(0, 0, 0), (ash_sym3){a.y, a.y, a.y, 0, 0, 0}, NULL);
        bad = !isfinite(a.x) || !isfinite(a.y) || a.x <= 0 || a.y < 0;
        break;
    case 12:
        status = ash_world_set_gravity(s->world, a);
        alive = true; /* no body takes part */
        break;
    default:
        status = ash_body_set_type(s->world, body, (ash_body_type)ashi_random_below(&s->random, ASH_BODY_TYPES + 1));
        bad = false;
        break;
    }
    char call[32];
    snprintf(call, sizeof call, "setter %u", which);
    judge(s, call, status, bad || !alive, before);
    if (!alive)
        assert_true(status != ASH_OK);
}

/* The getters of stale handles give zeros, of live ones finite numbers. */
static void get_something(stream *s)
{
    bool alive;
    ash_body body = {any_handle(s, &s->bodies, &alive)};
    assert_true(ash_body_is_valid(s->world, body) == alive);
    ash_transform t = ash_body_get_transform(s->world, body);
    ash_vec3 v = ash_body_get_velocity(s->world, body), w = ash_body_get_angular_velocity(s->world, body);
    assert_true(v3_is_finite(t.position) && v3_is_finite(v) && v3_is_finite(w));
    assert_near(t.rotation.w * t.rotation.w + t.rotation.x * t.rotation.x + t.rotation.y * t.rotation.y +
                    t.rotation.z * t.rotation.z,
                1, 1e-12);
    assert_non_null(ash_body_get_name(s->world, body));
    if (!alive)
        assert_true(v3_norm(t.position) == 0 && v3_norm(v) == 0 && ash_body_get_kinetic_energy(s->world, body) == 0);
    ash_force force = {any_handle(s, &s->forces, &alive)};
    assert_true(ash_force_is_valid(s->world, force) == alive);
    assert_non_null(ash_force_get_name(s->world, force));
    ash_spring_get_length(s->world, force); /* of any kind: must not crash */
    ash_spring_get_tension(s->world, force);
    ash_angular_spring_get_angle(s->world, force);
    ash_bending_spring_get_angle(s->world, force);
}

static void create_force(stream *s)
{
    if (alive_count(&s->forces) >= MOST / 2)
        return;
    bool alive_a, alive_b, bad = false;
    ash_body a = {any_handle(s, &s->bodies, &alive_a)}, b = {any_handle(s, &s->bodies, &alive_b)};
    bool wrong_a = !alive_a && a.id != 0, wrong_b = !alive_b && b.id != 0;
    ash_vec3 vector = any_vector(s, &bad);
    double stiffness = ashi_random_range(&s->random, chance(s, 10) ? -10 : 0, 50);
    ash_force force = {0};
    ash_diagnostic diagnostic = {0};
    uint64_t before = ash_world_get_hash(s->world);
    ash_status status;
    if (chance(s, 5)) {
        ash_drag_def def = ash_default_drag_def();
        def.body = a;
        def.wind = vector;
        def.area = chance(s, 10) ? -1 : 0.5;
        bad |= wrong_a || def.area < 0;
        status = ash_drag_create(s->world, &def, &force, &diagnostic);
    } else if (chance(s, 5)) {
        ash_bending_spring_def def = ash_default_bending_spring_def();
        def.body_a = a;
        def.body_b = b;
        def.point_c = vector;
        def.stiffness = stiffness;
        def.rest_angle = ashi_random_range(&s->random, -1, chance(s, 10) ? 5 : 3);
        bad |= wrong_a || wrong_b || stiffness < 0 || def.rest_angle > ASHI_PI || (a.id == 0 && b.id == 0);
        status = ash_bending_spring_create(s->world, &def, &force, &diagnostic);
    } else if (chance(s, 4)) {
        ash_angular_spring_def def = ash_default_angular_spring_def();
        def.body_a = a;
        def.body_b = b;
        def.stiffness = stiffness;
        def.damping = fabs(vector.x);
        bad = !isfinite(vector.x) || wrong_a || wrong_b || stiffness < 0;
        status = ash_angular_spring_create(s->world, &def, &force, &diagnostic);
    } else if (chance(s, 3)) {
        ash_spring_def def = ash_default_spring_def();
        def.body_a = a;
        def.body_b = b;
        def.point_a = vector;
        def.stiffness = stiffness;
        def.tension_only = chance(s, 2);
        bad |= wrong_a || wrong_b || stiffness < 0;
        status = ash_spring_create(s->world, &def, &force, &diagnostic);
    } else if (chance(s, 2)) {
        ash_pull_def def = ash_default_pull_def();
        def.body = a;
        def.target = vector;
        def.stiffness = stiffness;
        bad |= wrong_a || stiffness < 0;
        status = ash_pull_create(s->world, &def, &force, &diagnostic);
    } else {
        ash_load_def def = ash_default_load_def();
        def.body = a;
        def.force = vector;
        bad |= wrong_a;
        status = ash_load_create(s->world, &def, &force, &diagnostic);
    }
    judge(s, "a force's create", status, bad, before);
    assert_int_equal(status, diagnostic.status);
    if (status == ASH_OK)
        enter(&s->forces, force.id);
}

static void change_force(stream *s)
{
    bool alive, bad = false;
    ash_force force = {any_handle(s, &s->forces, &alive)};
    uint64_t before = ash_world_get_hash(s->world);
    ash_vec3 a = any_vector(s, &bad);
    switch (ashi_random_below(&s->random, 5)) {
    case 0:
        judge(s, "ash_spring_set", ash_spring_set(s->world, force, a.x, a.y, a.z), bad || !alive || a.x < 0 || a.y < 0,
              before);
        break;
    case 1:
        judge(s, "ash_pull_set_target", ash_pull_set_target(s->world, force, a), bad || !alive, before);
        break;
    case 2:
        judge(s, "ash_load_set", ash_load_set(s->world, force, a, v3(0, 0, 0)), bad || !alive, before);
        break;
    case 3:
        judge(s, "ash_force_set_enabled", ash_force_set_enabled(s->world, force, chance(s, 2)), !alive, before);
        break;
    default: {
        ash_status status = ash_force_destroy(s->world, force);
        judge(s, "ash_force_destroy", status, !alive, before);
        assert_true(status == (alive ? ASH_OK : ASH_BAD_HANDLE));
        drop_dead_forces(s);
    }
    }
}

/* Laws stay within what the interface promises, whatever was combined. */
static void check_pair(stream *s, ash_material a, ash_material b)
{
    ash_surface one = ash_material_get_pair(s->world, a, b), other = ash_material_get_pair(s->world, b, a);
    assert_memory_equal(&one, &other, sizeof one);
    assert_true(one.friction >= 0 && isfinite(one.friction) && one.sliding_friction >= 0);
    assert_true(one.sliding_friction <= one.friction && one.restitution >= 0 && one.restitution <= 1);
}

static bool surface_is_bad(const ash_surface *surface)
{
    return !(surface->friction >= 0 && surface->friction <= 1e12) || !isfinite(surface->sliding_friction) ||
           surface->sliding_friction > surface->friction || !(surface->restitution >= 0 && surface->restitution <= 1) ||
           !(surface->rolling >= 0) || !isfinite(surface->rolling);
}

static void change_material(stream *s)
{
    bool alive_a, alive_b, unused = false;
    ash_material a = {any_handle(s, &s->materials, &alive_a)}, b = {any_handle(s, &s->materials, &alive_b)};
    ash_material_def def = ash_default_material_def();
    ash_vec3 v = any_vector(s, &unused);
    def.surface = (ash_surface){v.x, -1, 0.5 * v.y, v.z, 0};
    def.friction_combine = (ash_combine)ashi_random_below(&s->random, ASH_COMBINES + (chance(s, 20) ? 1 : 0));
    bool bad = surface_is_bad(&def.surface), no_rule = def.friction_combine >= ASH_COMBINES;
    uint64_t before = ash_world_get_hash(s->world);
    ash_material made = {0};
    ash_status status;
    switch (ashi_random_below(&s->random, 5)) {
    case 0:
        if (alive_count(&s->materials) >= MOST / 2)
            break;
        status = ash_material_create(s->world, &def, &made, NULL);
        judge(s, "ash_material_create", status, bad || no_rule, before);
        if (status == ASH_OK)
            enter(&s->materials, made.id);
        break;
    case 1:
        judge(s, "ash_material_set", ash_material_set(s->world, a, &def, NULL), bad || no_rule || !alive_a, before);
        break;
    case 2:
        status = ash_material_set_pair(s->world, a, b, &def.surface, NULL);
        judge(s, "ash_material_set_pair", status, bad || !alive_a || !alive_b, before);
        break;
    case 3:
        judge(s, "ash_material_clear_pair", ash_material_clear_pair(s->world, a, b), !alive_a || !alive_b, before);
        break;
    default:
        status = ash_material_destroy(s->world, a); /* refused while a shape is made of it */
        judge(s, "ash_material_destroy", status, !alive_a, before);
        for (uint32_t i = 0; i < s->materials.count; i++)
            s->materials.alive[i] = ash_material_is_valid(s->world, (ash_material){s->materials.ids[i]});
        assert_true(ash_material_is_valid(s->world, a) == (alive_a && status != ASH_OK));
    }
    check_pair(s, a, b);
}

static void change_surface(stream *s)
{
    bool alive, alive_material, bad = false;
    ash_body body = {any_handle(s, &s->bodies, &alive)};
    ash_material material = {any_handle(s, &s->materials, &alive_material)};
    ash_vec3 v = any_vector(s, &bad);
    ash_shape shape = {ashi_random_below(&s->random, 3)};
    uint64_t before = ash_world_get_hash(s->world);
    bool there = ash_body_get_shapes(s->world, body, &shape, 1) > 0;
    if (!there)
        there = ash_shape_is_valid(s->world, shape);
    if (chance(s, 2))
        judge(s, "ash_shape_set_material", ash_shape_set_material(s->world, shape, material),
              !there || (!alive_material && material.id != 0), before);
    else
        judge(s, "ash_shape_set_surface_velocity", ash_shape_set_surface_velocity(s->world, shape, v), !there || bad,
              before);
}

static void step_world(stream *s)
{
    ash_method method = ash_world_get_method(s->world);
    method.integrator = (ash_integrator)ashi_random_below(&s->random, ASH_INTEGRATORS + (chance(s, 30) ? 3 : 0));
    uint64_t before = ash_world_get_hash(s->world);
    judge(s, "ash_world_set_method", ash_world_set_method(s->world, &method), (int)method.integrator >= ASH_INTEGRATORS,
          before);
    static const double wrong[] = {0, -1e-3};
    bool bad = chance(s, 20);
    double h = !bad ? 1e-3 : chance(s, 2) ? (double)NAN : wrong[ashi_random_below(&s->random, 2)];
    ash_status status = ash_world_step(s->world, h);
    /* Numbers as wild as ours may overflow: then the step is not taken and says so. */
    judge(s, "ash_world_step", status, bad, before);
    if (status == ASH_NUMERICS)
        assert_true(ash_world_get_report(s->world).flags != 0);
    s->steps += status == ASH_OK;
}

static void save_or_restore(stream *s)
{
    if (s->saved == NULL || chance(s, 2)) {
        ash_free(s->saved);
        s->saved = NULL;
        assert_int_equal(ash_world_save(s->world, &s->saved, &s->saved_size, NULL), ASH_OK);
        s->saved_hash = ash_world_get_hash(s->world);
        s->saved_bodies = s->bodies;
        s->saved_forces = s->forces;
        s->saved_materials = s->materials;
        return;
    }
    uint64_t before = ash_world_get_hash(s->world);
    if (chance(s, 3)) { /* damaged: a byte changed, or cut short; the block itself is put right again */
        unsigned char *bytes = s->saved;
        size_t at = ashi_random_bits(&s->random) % s->saved_size;
        bool cut = chance(s, 2);
        bytes[at] ^= 0x41;
        judge(s, "ash_world_restore", ash_world_restore(s->world, bytes, cut ? at : s->saved_size, NULL), true, before);
        bytes[at] ^= 0x41;
        return;
    }
    assert_int_equal(ash_world_restore(s->world, s->saved, s->saved_size, NULL), ASH_OK);
    assert_true(ash_world_get_hash(s->world) == s->saved_hash);
    s->bodies = s->saved_bodies;
    s->forces = s->saved_forces;
    s->materials = s->saved_materials;
    s->restored++;
}

static void run_stream(uint64_t seed, bool planar)
{
    stream s = {.random = {seed}};
    ash_world_def def = ash_default_world_def();
    def.planar = planar;
    if (planar)
        def.gravity = v3(0, -9.81, 0);
    ash_geometry_def ball = ash_default_geometry_def(planar ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
    assert_int_equal(ash_geometry_create(&ball, &s.geometry, NULL), ASH_OK);
    assert_int_equal(ash_world_create(&def, &s.world, NULL), ASH_OK);
    for (int i = 0; i < 4000; i++) {
        uint32_t which = ashi_random_below(&s.random, 23);
        if (which < 2)
            create_body(&s);
        else if (which < 3)
            destroy_body(&s);
        else if (which < 9)
            set_something(&s);
        else if (which < 12)
            get_something(&s);
        else if (which < 14)
            create_force(&s);
        else if (which < 16)
            change_force(&s);
        else if (which < 19)
            step_world(&s);
        else if (which < 21)
            change_material(&s);
        else if (which < 22)
            change_surface(&s);
        else
            save_or_restore(&s);
    }
    assert_int_equal(ash_world_get_bodies(s.world, NULL, 0), alive_count(&s.bodies));
    assert_int_equal(ash_world_get_forces(s.world, NULL, 0), alive_count(&s.forces));
    assert_int_equal(ash_world_get_materials(s.world, NULL, 0), alive_count(&s.materials) + 1);
    /* The stream did reach everything. */
    assert_true(s.accepted > 500 && s.refused > 300 && s.steps > 100 && s.restored > 10);
    ash_free(s.saved);
    ash_world_destroy(s.world);
    ash_geometry_release(s.geometry);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_streams_in_space(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 25; seed++)
        run_stream(seed, false);
}

static void test_streams_in_the_plane(void **state)
{
    (void)state;
    for (uint64_t seed = 101; seed <= 110; seed++)
        run_stream(seed, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_in_space),
        cmocka_unit_test(test_streams_in_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
