/* A pair of worlds with everything in them: every kind of geometry, body, force and joint, made by a list of
 * operations, each of which either succeeds or changes nothing. Shared by the tests of this folder. */
#ifndef TESTS_FAULTS_EVERYTHING_H
#define TESTS_FAULTS_EVERYTHING_H

#include "check.h"

#include "ashlar/ashlar.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "math/vec3.h"

enum { WORLDS = 2, BODIES = 40, FORCES = 20, JOINTS = 30, MATERIALS = 3 };

typedef struct everything {
    ash_geometry *geometries[ASH_GEOMETRY_KINDS + 1]; /* the last: a distance field sampled from the mesh */
    ash_world *worlds[WORLDS];                        /* in space, planar */
    ash_body bodies[WORLDS][BODIES];
    uint32_t body_count[WORLDS];
    ash_force forces[WORLDS][FORCES];
    uint32_t force_count[WORLDS];
    ash_joint joints[WORLDS][JOINTS];
    uint32_t joint_count[WORLDS];
    ash_material materials[WORLDS][MATERIALS];
    void *saved[WORLDS];
    size_t saved_size[WORLDS];
    uint64_t hash; /* of the worlds at marked moments */
} everything;

static double distance_to_ball(ash_vec3 point, void *user)
{
    (void)user;
    return v3_norm(point) - 0.8;
}

static const ash_vec3 cube_points[] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1},
                                       {1, -1, 1},   {-1, 1, 1},  {1, 1, 1},   {0, 0, 0}};
static const ash_vec3 tetrahedron_points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t tetrahedron_triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const ash_vec3 square_corners[] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
static const ash_vec3 segment_ends[] = {{-1, 0, 0}, {1, 0.5, 0}};
static const double heights[] = {0, 0.1, 0, 0.2, 0.3, 0.1, 0, 0, 0.1};

static ash_status make_geometry(everything *e, int number)
{
    bool from_mesh = number == ASH_GEOMETRY_KINDS;
    ash_geometry_kind kind = from_mesh ? ASH_GEOMETRY_DISTANCE_FIELD : (ash_geometry_kind)number;
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_geometry_part parts[] = {
        {e->geometries[ASH_GEOMETRY_SPHERE], ash_identity()},
        {e->geometries[ASH_GEOMETRY_BOX], {v3(3, 0, 0), ash_rotation(v3(1, 1, 0), 0.4)}},
    };
    switch (kind) {
    case ASH_GEOMETRY_HULL:
        def.points = cube_points;
        def.point_count = 9;
        break;
    case ASH_GEOMETRY_MESH:
        def.points = tetrahedron_points;
        def.point_count = 4;
        def.triangles = tetrahedron_triangles;
        def.triangle_count = 4;
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        def.cells[0] = def.cells[1] = 3;
        def.spacing = v3(1, 1, 1);
        def.values = heights;
        break;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        def.cells[0] = def.cells[1] = def.cells[2] = 6;
        def.spacing = v3(0.4, 0.4, 0.4);
        def.origin = v3(-1, -1, -1);
        def.sample_function = from_mesh ? NULL : distance_to_ball;
        def.sample_mesh = from_mesh ? e->geometries[ASH_GEOMETRY_MESH] : NULL;
        break;
    case ASH_GEOMETRY_COMPOUND:
        def.parts = parts;
        def.part_count = 2;
        break;
    case ASH_GEOMETRY_POLYGON:
        def.points = square_corners;
        def.point_count = 4;
        break;
    case ASH_GEOMETRY_SEGMENT:
        def.points = segment_ends;
        def.point_count = 2;
        break;
    default:
        break;
    }
    ash_diagnostic diagnostic;
    return ash_geometry_create(&def, &e->geometries[number], &diagnostic);
}

static ash_status make_world(everything *e, int number)
{
    ash_world_def def = ash_default_world_def();
    def.planar = number == 1;
    if (def.planar)
        def.gravity = v3(0, -9.81, 0);
    def.threads = 2;
    ash_diagnostic diagnostic;
    return ash_world_create(&def, &e->worlds[number], &diagnostic);
}

/* A material in the world given by the tens; the last one has a pair with the one before it. */
static ash_status make_material(everything *e, int number)
{
    int w = number / 10, which = number % 10;
    ash_material_def def = ash_default_material_def();
    def.name = "a material with a name";
    def.surface.friction = 0.1 * (which + 1);
    return ash_material_create(e->worlds[w], &def, &e->materials[w][which], NULL);
}

static ash_status pair_materials(everything *e, int w)
{
    ash_surface own = {0.9, 0.8, 0.7, 0.6, 0.5};
    return ash_material_set_pair(e->worlds[w], e->materials[w][1], e->materials[w][2], &own, NULL);
}

/* Takes a material out of the middle, so that its slot is free in what is saved. */
static ash_status remove_material(everything *e, int w)
{
    return ash_material_destroy(e->worlds[w], e->materials[w][0]);
}

/* Another name, which takes memory; the surface says what was done. */
static ash_status change_material(everything *e, int w)
{
    ash_material_def def = ash_material_get(e->worlds[w], e->materials[w][1]);
    def.name = "another name";
    def.surface.restitution = 0.25;
    return ash_material_set(e->worlds[w], e->materials[w][1], &def, NULL);
}

/* A body of one geometry, in the world where it belongs. */
static ash_status make_body(everything *e, int number)
{
    int w = ash_geometry_is_flat(e->geometries[number]) ? 1 : 0;
    uint32_t slot = e->body_count[w];
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    bool massless =
        number == ASH_GEOMETRY_PLANE || number == ASH_GEOMETRY_HEIGHT_FIELD || number == ASH_GEOMETRY_SEGMENT;
    def.type = massless ? ASH_BODY_STATIC : number == ASH_GEOMETRY_CONE ? ASH_BODY_KINEMATIC : ASH_BODY_DYNAMIC;
    def.name = "body of one shape";
    def.position = v3(5.0 * slot, 1, 0);
    if (!massless) {
        def.velocity = v3(0.1 * slot, 1, 0);
        def.angular_velocity = w == 1 ? v3(0, 0, 1) : v3(1, 0.2, -0.4);
    }
    shape.geometry = e->geometries[number];
    shape.density = 1000;
    shape.material = e->materials[w][1 + number % 2];
    shape.surface_velocity = v3(0.1 * number, -1, 0);
    shape.name = "its shape";
    ash_diagnostic diagnostic;
    ash_status status = ash_body_create(e->worlds[w], &def, &shape, 1, &e->bodies[w][slot], &diagnostic);
    e->body_count[w] += status == ASH_OK;
    return status;
}

/* A point mass without shapes. */
static ash_status make_point_mass(everything *e, int w)
{
    uint32_t slot = e->body_count[w];
    ash_body_def def = ash_default_body_def();
    def.mass = 2;
    def.position = v3(1, -3, 0);
    ash_diagnostic diagnostic;
    ash_status status = ash_body_create(e->worlds[w], &def, NULL, 0, &e->bodies[w][slot], &diagnostic);
    e->body_count[w] += status == ASH_OK;
    return status;
}

static void push_sideways(ash_force_context *context, void *user)
{
    everything *e = user;
    ash_vec3 v = ash_force_context_get_velocity(context, e->bodies[0][0]);
    ash_force_context_add(context, e->bodies[0][0], v3(-v.x, 0.1 * ash_force_context_get_time(context), 0),
                          v3(0, 0, 0.3));
}

static ash_status make_one_force(everything *e, int w, int number, ash_force *force, ash_diagnostic *diagnostic)
{
    static const double times[] = {0, 0.01, 0.02, 0.5}, values[] = {0, 1, -1, 2};
    ash_world *world = e->worlds[w];
    ash_spring_def spring = ash_default_spring_def();
    ash_angular_spring_def angular = ash_default_angular_spring_def();
    ash_bending_spring_def bending = ash_default_bending_spring_def();
    ash_drag_def drag = ash_default_drag_def();
    ash_pull_def pull = ash_default_pull_def();
    ash_load_def load = ash_default_load_def();
    spring.body_a = angular.body_a = drag.body = pull.body = load.body = e->bodies[w][0];
    spring.body_b = angular.body_b = e->bodies[w][1];
    spring.name = angular.name = drag.name = pull.name = load.name = "a force with a name";
    spring.stiffness = angular.stiffness = pull.stiffness = 100;
    spring.damping = angular.damping = pull.damping = 1;
    bending.body_a = spring.body_a, bending.body_b = spring.body_b, bending.point_c = v3(0, 0, 3);
    bending.name = spring.name, bending.stiffness = 10, bending.damping = 0.1;
    load.force = v3(1, 2, 0);
    switch (number) {
    case ASH_FORCE_SPRING:
        return ash_spring_create(world, &spring, force, diagnostic);
    case ASH_FORCE_ANGULAR_SPRING:
        return ash_angular_spring_create(world, &angular, force, diagnostic);
    case ASH_FORCE_BENDING_SPRING:
        return ash_bending_spring_create(world, &bending, force, diagnostic);
    case ASH_FORCE_DRAG:
        return ash_drag_create(world, &drag, force, diagnostic);
    case ASH_FORCE_PULL:
        return ash_pull_create(world, &pull, force, diagnostic);
    case ASH_FORCE_LOAD:
        load.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 4};
        return ash_load_create(world, &load, force, diagnostic);
    case ASH_FORCE_CALLBACK:
        return ash_callback_create(world, push_sideways, e, "host", force, diagnostic);
    default: /* one more spring, to the background, that goes slack */
        spring.body_b = (ash_body){0};
        spring.tension_only = true;
        return ash_spring_create(world, &spring, force, diagnostic);
    }
}

static ash_status make_force(everything *e, int number)
{
    int w = number / 10;
    uint32_t slot = e->force_count[w];
    ash_diagnostic diagnostic;
    ash_status status = make_one_force(e, w, number % 10, &e->forces[w][slot], &diagnostic);
    e->force_count[w] += status == ASH_OK;
    return status;
}

static const ash_vec3 path_points[] = {{0, 0, 0}, {1, 0.2, 0}, {2, 0, 0}, {3, 0.5, 0}};

/* A joint of one kind, in the world given by the hundreds, between the first two bodies or, every third, to the
 * background; with a name, limits and a motor with a table where it keeps something. A kind that the world does not
 * have is left out. */
static ash_status make_joint(everything *e, int number)
{
    static const double times[] = {0, 0.01, 0.5}, values[] = {0, 1, -1};
    int w = number / 100, kind = number % 100;
    ash_joint_def def = ash_default_joint_def((ash_joint_kind)kind);
    def.body_a = kind % 3 == 0 ? (ash_body){0} : e->bodies[w][0];
    def.body_b = e->bodies[w][1];
    def.name = "a joint with a name";
    def.removed = ASH_FREEDOM_BIT(ASH_MOVE_X) | ASH_FREEDOM_BIT(ASH_TURN_Z);
    def.pitch = 0.1;
    def.radius_a = def.radius_b = 1;
    def.hang_a = def.hang_b = v3(0, 9, 0);
    def.max_length = 100;
    def.speed = 1;
    def.path = path_points;
    def.path_count = 4;
    ash_joint_axis *axis = &def.axes[w == 1 ? ASH_TURN_Z : ASH_TURN_X];
    if (kind == ASH_JOINT_HINGE || kind == ASH_JOINT_BALL) {
        axis->lower = -1;
        axis->upper = 1;
        axis->motor.drive = ASH_DRIVE_VELOCITY;
        axis->motor.max_force = 0.1;
        axis->motor.signal = (ash_signal){ASH_SIGNAL_TABLE, 0, 0, times, values, 3};
    }
    ash_status status = ASH_OK;
    if (kind < ASH_JOINT_DISTANCE) /* the others reach from one body to the next */
        status = ash_joint_def_place(e->worlds[w], &def, v3(2, 1, 0), w == 1 ? v3(1, 0, 0) : v3(0, 0, 1));
    uint32_t slot = e->joint_count[w];
    if (status == ASH_OK)
        status = ash_joint_create(e->worlds[w], &def, &e->joints[w][slot], NULL);
    e->joint_count[w] += status == ASH_OK;
    return status == ASH_BAD_DATA ? ASH_OK : status;
}

/* Switched off, so that they do not hold everything still. */
static ash_status switch_joints(everything *e, int w)
{
    assert_true(e->joint_count[w] >= (w == 1 ? 15 : 20));
    for (uint32_t i = 0; i < e->joint_count[w]; i += 2) {
        ash_status status = ash_joint_set_enabled(e->worlds[w], e->joints[w][i], false);
        if (status != ASH_OK)
            return status;
    }
    return ASH_OK;
}

/* A motor where there was nothing takes memory. */
static ash_status change_joint(everything *e, int w)
{
    return ash_joint_set_motor(e->worlds[w], e->joints[w][0], w == 1 ? ASH_TURN_Z : ASH_TURN_Y, ASH_DRIVE_VELOCITY, 0.1,
                               1);
}

static ash_status remove_joint(everything *e, int w)
{
    return ash_joint_destroy(e->worlds[w], e->joints[w][1]);
}

/* Steps once with the integrator of that number, in the world given by the tens. */
static ash_status step_with(everything *e, int number)
{
    ash_world *world = e->worlds[number / 10];
    ash_method method = ash_world_get_method(world);
    method.integrator = (ash_integrator)(number % 10);
    ash_status status = ash_world_set_method(world, &method);
    return status == ASH_OK ? ash_world_step(world, 1e-3) : status;
}

static ash_status save_world(everything *e, int w)
{
    ash_free(e->saved[w]);
    e->saved[w] = NULL;
    return ash_world_save(e->worlds[w], &e->saved[w], &e->saved_size[w], NULL);
}

static ash_status restore_world(everything *e, int w)
{
    return ash_world_restore(e->worlds[w], e->saved[w], e->saved_size[w], NULL);
}

static ash_status rename_body(everything *e, int w)
{
    return ash_body_set_name(e->worlds[w], e->bodies[w][0], "a much longer name than before, which takes memory");
}

static ash_status change_threads(everything *e, int number)
{
    return ash_world_set_threads(e->worlds[0], (uint32_t)number);
}

/* Removes a body, with the forces on it, and keeps the handle, which is stale from here on. */
static ash_status remove_body(everything *e, int w)
{
    return ash_body_destroy(e->worlds[w], e->bodies[w][1]);
}

static ash_status change_mass(everything *e, int w)
{
    ash_mass_properties mass = ash_body_get_mass(e->worlds[w], e->bodies[w][0]);
    return ash_body_set_mass(
        e->worlds[w], e->bodies[w][0], 2 * mass.mass, mass.centre,
        (ash_sym3){.xx = mass.inertia.xx * 2, .yy = mass.inertia.yy * 2, .zz = mass.inertia.zz * 2}, NULL);
}

/* Notes the state of a world, its joints and the laws of its materials in the run's hash. */
static ash_status note_hash(everything *e, int w)
{
    uint64_t hash = ash_world_get_hash(e->worlds[w]);
    ash_surface own = ash_material_get_pair(e->worlds[w], e->materials[w][2], e->materials[w][1]);
    ash_surface with_default =
        ash_material_get_pair(e->worlds[w], e->materials[w][1], ash_world_get_default_material(e->worlds[w]));
    uint32_t joints = ash_world_get_joints(e->worlds[w], NULL, 0);
    ash_joint_error error = ash_joint_get_error(e->worlds[w], e->joints[w][0]);
    e->hash = ashi_hash(e->hash, &joints, sizeof joints);
    e->hash = ashi_hash(e->hash, &error, sizeof error);
    e->hash = ashi_hash(e->hash, &hash, sizeof hash);
    e->hash = ashi_hash(e->hash, &own, sizeof own);
    e->hash = ashi_hash(e->hash, &with_default, sizeof with_default);
    return ASH_OK;
}

typedef struct operation {
    ash_status (*run)(everything *e, int argument);
    int argument;
} operation;

enum { MOST_OPERATIONS = 300 };

/* The whole history as a list; returns how long it is. */
static uint32_t list_operations(operation *list)
{
    uint32_t n = 0;
    for (int kind = 0; kind <= ASH_GEOMETRY_KINDS; kind++)
        list[n++] = (operation){make_geometry, kind};
    for (int w = 0; w < WORLDS; w++)
        list[n++] = (operation){make_world, w};
    for (int w = 0; w < WORLDS; w++)
        for (int i = 0; i < MATERIALS; i++)
            list[n++] = (operation){make_material, 10 * w + i};
    for (int kind = 0; kind <= ASH_GEOMETRY_KINDS; kind++)
        list[n++] = (operation){make_body, kind};
    for (int w = 0; w < WORLDS; w++) {
        list[n++] = (operation){make_point_mass, w};
        for (int kind = 0; kind <= ASH_FORCE_KINDS; kind++)
            list[n++] = (operation){make_force, 10 * w + kind};
        for (int kind = 0; kind < ASH_JOINT_KINDS; kind++)
            list[n++] = (operation){make_joint, 100 * w + kind};
        list[n++] = (operation){switch_joints, w};
        for (int integrator = 0; integrator < ASH_INTEGRATORS; integrator++)
            list[n++] = (operation){step_with, 10 * w + integrator};
        list[n++] = (operation){change_joint, w};
        list[n++] = (operation){remove_joint, w};
        list[n++] = (operation){pair_materials, w};
        list[n++] = (operation){remove_material, w};
        list[n++] = (operation){save_world, w};
        list[n++] = (operation){change_material, w};
        list[n++] = (operation){rename_body, w};
        list[n++] = (operation){change_mass, w};
        list[n++] = (operation){step_with, 10 * w + ASH_RK4};
        list[n++] = (operation){note_hash, w};
        list[n++] = (operation){remove_body, w};
        list[n++] = (operation){make_point_mass, w};
        list[n++] = (operation){step_with, 10 * w + ASH_IMPLICIT_EULER};
        list[n++] = (operation){note_hash, w};
        list[n++] = (operation){restore_world, w};
        for (int integrator = 0; integrator < ASH_INTEGRATORS; integrator++)
            list[n++] = (operation){step_with, 10 * w + integrator};
        list[n++] = (operation){note_hash, w};
    }
    list[n++] = (operation){change_threads, 3};
    list[n++] = (operation){step_with, ASH_IMPLICIT_MIDPOINT};
    list[n++] = (operation){note_hash, 0};
    assert_true(n <= MOST_OPERATIONS);
    return n;
}

static void release_everything(everything *e)
{
    for (int w = 0; w < WORLDS; w++) {
        ash_world_destroy(e->worlds[w]);
        ash_free(e->saved[w]);
    }
    for (int i = 0; i <= ASH_GEOMETRY_KINDS; i++)
        ash_geometry_release(e->geometries[i]);
}

#endif
