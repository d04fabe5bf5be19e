/* net: rubber bands knotted to a square net with a tennis ball at each corner, released and falling (de Jong 2014, 9).
 *
 * A band is three spring-dampers (9-1) with two masses between its knots; half of an element's mass goes to each of its
 * ends, so that the net weighs what its bands weigh. The paper gives no stiffness: taken are rubber of 1.5 MPa and
 * 1000 kg/m3, which makes E A = 1.5e6 * 0.0067 / 1000 = 10.05 N. No drag, as in the paper. The net starts flat and
 * slightly stretched, as hands hold it; masses only translate, so that they slide over the target and do not roll off
 * it. Two balls (at y > 0) can be let go later or start higher, the variants of his sensitivity figures 9-7 and 9-8.
 *
 * The target is an upturned bin on a pallet, whose sizes the paper does not give: taken are a cylinder of 0.14 m radius
 * and 0.6 m height, so that the balls hang free, 0.3 m below the net. Masses touch it with spheres of 4 mm, the balls
 * with their own size; parts of the net do not touch each other. No mass touches another: each contact is a problem of
 * its own, which one sweep solves. */
#include "experiments/builtin/net.h"
#include "experiments/builtin/statics.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>

static const double band_length = 0.090, linear_density = 0.0067, ball_mass = 0.055, axial_stiffness = 10.05;
static const double ball_radius = 0.0325, band_radius = 0.004, friction = 0.3;
static const double bin_radius = 0.14, bin_height = 0.6;
static const ash_vec3 pallet = {1.2, 0.8, 0.144};
enum { ELEMENTS_PER_BAND = 3, NET_GROUP = -1 };

static const ash_scene_parameter parameters[] = {
    {.name = "cells", .summary = "meshes along a side", .value = 8, .low = 1, .high = 1000},
    {.name = "delay", .summary = "of the release of two balls, s", .value = 0, .low = 0, .high = 10},
    {.name = "lift", .summary = "of two balls at the start, m", .value = 0, .low = 0, .high = 1},
    {.name = "stretch", .summary = "strain at the start", .value = 0.02, .low = 0, .high = 1},
    {.name = "target",
     .summary = "what the net falls on: the bin on its pallet, or nothing",
     .choices = "bin|none",
     .choice_value = "bin"},
    {.name = "zeta", .summary = "damping ratio of an element", .value = 0.1, .low = 0, .high = 10},
    {.name = "rotating",
     .summary = "whether masses can turn, and roll over the target",
     .choices = "no|yes",
     .choice_value = "no"},
};

/* The net while it is being made. */
typedef struct net_plan {
    ash_scene *scene;
    uint32_t cells, knots; /* along a side */
    double pitch;          /* between knots at the start, m */
    double lift, delay;
    double element_length, element_mass, stiffness, damping;
    bool target, rotating;
    uint32_t material, bead, ball; /* geometries of masses and corner balls */
} net_plan;

/* The surface of the last body, where there is something to touch. */
static void add_bead(const net_plan *net, uint32_t body, uint32_t geometry)
{
    if (!net->target || body == ASHI_NONE || geometry == ASHI_NONE)
        return;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = geometry;
    shape.material = net->material;
    shape.density = 0;
    shape.group = NET_GROUP;
    ashi_scene_add_shape(net->scene, body, &shape);
}

/* The place `column` and `row` elements from the first corner. The net is centred on the origin and counted in whole
 * half elements, so that mirrored places have exactly the same numbers with the other sign. */
static ash_vec3 place(const net_plan *net, uint32_t column, uint32_t row)
{
    double side = (double)net->cells * ELEMENTS_PER_BAND, half_element = 0.5 * net->pitch / ELEMENTS_PER_BAND;
    return (ash_vec3){(2.0 * column - side) * half_element, (2.0 * row - side) * half_element, net->lift * row / side};
}

/* Masses that can turn are solid balls, and roll where they touch (figure 9-3); others slide (figure 9-4). */
static void let_turn(const net_plan *net, ash_body_def *def, double radius)
{
    if (!net->rotating) {
        def->locks = ASH_LOCK_ROTATION;
        return;
    }
    double inertia = 0.4 * def->mass * radius * radius;
    def->inertia = (ash_sym3){.xx = inertia, .yy = inertia, .zz = inertia};
}

static bool is_corner(const net_plan *net, uint32_t column, uint32_t row)
{
    return (column == 0 || column == net->cells) && (row == 0 || row == net->cells);
}

static void add_knots(const net_plan *net)
{
    char name[32];
    for (uint32_t row = 0; row < net->knots; ++row) {
        for (uint32_t column = 0; column < net->knots; ++column) {
            uint32_t bands = (column > 0) + (column < net->cells) + (row > 0) + (row < net->cells);
            ash_body_def knot = ash_default_body_def();
            snprintf(name, sizeof name, "knot-%u-%u", column, row);
            knot.name = name;
            knot.position = place(net, column * ELEMENTS_PER_BAND, row * ELEMENTS_PER_BAND);
            knot.mass = 0.5 * bands * net->element_mass;
            if (is_corner(net, column, row)) {
                snprintf(name, sizeof name, "ball-%c%c", column ? 'r' : 'l', row ? 'b' : 'f');
                knot.mass += ball_mass;
                if (row > 0 && net->delay > 0)
                    knot.type = ASH_BODY_STATIC;
            }
            let_turn(net, &knot, is_corner(net, column, row) ? ball_radius : band_radius);
            uint32_t body = ashi_scene_add_body(net->scene, &knot);
            add_bead(net, body, is_corner(net, column, row) ? net->ball : net->bead);
            if (knot.type == ASH_BODY_STATIC) {
                ashi_scene_event release = {.time = net->delay, .kind = ASHI_EVENT_RELEASE, .object = body};
                ashi_scene_add_event(net->scene, &release);
            }
        }
    }
}

/* A band from knot to knot: masses on the straight line between them, and the springs along it. */
static void add_band(const net_plan *net, uint32_t column, uint32_t row, bool along_row)
{
    uint32_t from = row * net->knots + column, to = along_row ? from + 1 : from + net->knots;
    for (uint32_t i = 0; i < ELEMENTS_PER_BAND; ++i) {
        uint32_t end = to;
        if (i + 1 < ELEMENTS_PER_BAND) {
            uint32_t x = column * ELEMENTS_PER_BAND + (along_row ? i + 1 : 0);
            uint32_t y = row * ELEMENTS_PER_BAND + (along_row ? 0 : i + 1);
            ash_body_def mass = ash_default_body_def();
            mass.position = place(net, x, y);
            mass.mass = net->element_mass;
            let_turn(net, &mass, band_radius);
            end = ashi_scene_add_body(net->scene, &mass);
            add_bead(net, end, net->bead);
        }
        ash_spring_def spring = ash_default_spring_def();
        spring.body_a = ashi_scene_body_ref(from);
        spring.body_b = ashi_scene_body_ref(end);
        spring.stiffness = net->stiffness;
        spring.damping = net->damping;
        spring.rest_length = net->element_length;
        spring.tension_only = spring.damper_pushes = true;
        ashi_scene_add_spring(net->scene, &spring);
        from = end;
    }
}

/* ---- the target ---- */

static ash_status add_sphere(const net_plan *net, const char *name, double radius, uint32_t *geometry,
                             ash_diagnostic *diagnostic)
{
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    sphere.radius = radius;
    ash_geometry *made = NULL;
    ash_status status = ash_geometry_create(&sphere, &made, diagnostic);
    *geometry = status == ASH_OK ? ashi_scene_add_geometry(net->scene, name, made) : ASHI_NONE;
    return status;
}

static ash_status add_fixed(const net_plan *net, const char *name, double z, const ash_geometry_def *geometry,
                            ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    def.name = name;
    def.type = ASH_BODY_STATIC;
    def.position = (ash_vec3){0, 0, z};
    uint32_t body = ashi_scene_add_body(net->scene, &def);
    return ashi_add_solid_of(net->scene, body, name, geometry, 0, net->material, diagnostic);
}

/* Bin, pallet and floor, after the net: its knots keep the first numbers. */
static ash_status add_target(const net_plan *net, ash_diagnostic *diagnostic)
{
    ash_geometry_def bin = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    bin.radius = bin_radius;
    bin.height = bin_height;
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = (ash_vec3){pallet.x / 2, pallet.y / 2, pallet.z / 2};
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    double top = ASHI_NET_TARGET_TOP;
    ash_status status = add_fixed(net, "bin", top - bin_height / 2, &bin, diagnostic);
    if (status == ASH_OK)
        status = add_fixed(net, "pallet", top - bin_height - pallet.z / 2, &box, diagnostic);
    if (status == ASH_OK)
        status = add_fixed(net, "floor", top - bin_height - pallet.z, &plane, diagnostic);
    return status;
}

/* ---- the scene ---- */

static void expect_fall(const net_plan *net)
{
    uint32_t remainder = ashi_watch_world(net->scene, "remainder", ASHI_WORLD_REMAINDER);
    uint32_t sideways = ashi_scene_add_output(
        net->scene, &(ashi_scene_output){.name = "momentum x", .quantity = ASHI_WORLD_MOMENTUM, .component = ASHI_X});
    uint32_t bands = 2 * net->cells * net->knots;
    double mass = 4 * ball_mass + bands * linear_density * band_length;
    double fallen = 0.5 * mass * 9.81 * 9.81 * net->scene->time * net->scene->time;
    ashi_expect_output(net->scene, "numerical remainder below 1 % of the energy of the fall", remainder, ASHI_MAX_ABS,
                       0, 0.01 * fallen);
    ashi_expect_output(net->scene, "no momentum sideways, kg m/s", sideways, ASHI_MAX_ABS, 0, 1e-12);
}

static void add_outputs(const net_plan *net)
{
    static const char *const names[] = {"ball-lf", "ball-rf", "ball-lb", "ball-rb"};
    uint32_t last = net->knots - 1, corners[] = {0, last, last * net->knots, net->knots * net->knots - 1};
    for (int i = 0; i < 4; ++i) {
        uint32_t z = 0;
        for (int axis = ASHI_X; axis <= ASHI_Z; ++axis)
            z = ashi_watch_body(net->scene, ashi_scene_text(net->scene, "%s %c", names[i], "xyz"[axis]),
                                ASHI_BODY_POSITION, corners[i], (ashi_component)axis);
        /* Anywhere between the top of the bin and the pallet. */
        if (net->target)
            ashi_expect_output(net->scene, ashi_scene_text(net->scene, "%s ends beside the bin", names[i]), z,
                               ASHI_FINAL, ASHI_NET_TARGET_TOP - bin_height / 2, bin_height / 2);
    }
    ashi_watch_world(net->scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(net->scene, "damper work", ASHI_WORLD_DAMPERS);
    /* The two bands of a corner catch its ball. */
    uint32_t tension = ashi_watch_force(net->scene, "tension at a corner", ASHI_FORCE_TENSION, 0);
    if (net->target)
        ashi_expect_range(net->scene, "a band at a corner carries half of its ball, and more", tension, ASHI_MAX,
                          0.5 * ball_mass * 9.81, 1000 * ball_mass * 9.81);
    if (net->target)
        ashi_expect_output(net->scene, "no mass is 5 mm inside of the target",
                           ashi_watch_world(net->scene, "penetration", ASHI_WORLD_PENETRATION), ASHI_MAX, 0, 0.005);
    else
        expect_fall(net);
}

/* The velocity-level scheme with cones, exact for one contact at a time. */
static ash_status choose_method(ash_scene *scene, ash_diagnostic *diagnostic)
{
    static const ash_setting fields[] = {
        {"solver", "pgs"}, {"iterations", "50"}, {"solver-tolerance", "1e-9"}, {"friction-law", "cone"}};
    ash_status status = ashi_use_method(scene, "stewart-trinkle", diagnostic);
    return status == ASH_OK ? ashi_change_method(scene, fields, sizeof fields / sizeof *fields, diagnostic) : status;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    net_plan made = {.scene = scene, .lift = ashi_parameter(given, "lift"), .delay = ashi_parameter(given, "delay")};
    ash_status status = ashi_parameter_whole(given, "cells", &made.cells, diagnostic);
    if (status != ASH_OK)
        return status;
    made.knots = made.cells + 1;
    made.pitch = band_length * (1 + ashi_parameter(given, "stretch"));
    made.element_length = band_length / ELEMENTS_PER_BAND;
    made.element_mass = made.element_length * linear_density;
    made.stiffness = axial_stiffness / made.element_length;
    made.damping = 2 * ashi_parameter(given, "zeta") * sqrt(made.element_mass * made.stiffness);
    made.target = ashi_parameter_choice(given, "target") == 0;
    made.rotating = ashi_parameter_choice(given, "rotating") == 1;
    made.material = ASHI_NONE;
    scene->gravity = (ash_vec3){0, 0, -9.81};
    scene->step = 0.0001;
    scene->time = made.target ? 1.5 : 0.5;
    scene->sample_interval = 0.005;
    if (made.target) {
        made.material = ashi_add_material(scene, "rubber", friction, 0);
        status = add_sphere(&made, "bead", band_radius, &made.bead, diagnostic);
        if (status == ASH_OK)
            status = add_sphere(&made, "ball", ball_radius, &made.ball, diagnostic);
        if (status != ASH_OK)
            return status;
    }
    add_knots(&made);
    for (uint32_t row = 0; row < made.knots; ++row)
        for (uint32_t column = 0; column < made.cells; ++column)
            add_band(&made, column, row, true);
    for (uint32_t row = 0; row < made.cells; ++row)
        for (uint32_t column = 0; column < made.knots; ++column)
            add_band(&made, column, row, false);
    if (made.target)
        status = add_target(&made, diagnostic);
    if (status != ASH_OK)
        return status;
    add_outputs(&made);
    return made.target ? choose_method(scene, diagnostic) : ashi_use_method(scene, "symplectic-euler", diagnostic);
}

const ashi_builtin ashi_scene_net = {
    .info = {.name = "net",
             .summary = "a net of rubber bands with tennis balls at its corners falls on a bin and wraps it",
             .source = "de Jong 2014, 9",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_net_validate,
};
