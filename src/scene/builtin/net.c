/* net: rubber bands knotted to a square net with a tennis ball at each corner, released and falling (de Jong 2014, 9).
 *
 * A band is three spring-dampers (9-1) with two masses between its knots; half of an element's mass goes to each of its
 * ends, so that the net weighs what its bands weigh. The paper gives no stiffness: taken are rubber of 1.5 MPa and
 * 1000 kg/m3, which makes E A = 1.5e6 * 0.0067 / 1000 = 10.05 N. No drag, as in the paper. The net starts flat and
 * slightly stretched, as hands hold it; masses only translate. Two balls (at y > 0) can be let go later or start
 * higher, the variants of his sensitivity figures 9-7 and 9-8. The target comes with contacts. */
#include "scene/builtin/net.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>

static const double band_length = 0.090, linear_density = 0.0067, ball_mass = 0.055, axial_stiffness = 10.05;
enum { ELEMENTS_PER_BAND = 3 };

static const ash_scene_parameter parameters[] = {
    {.name = "cells", .summary = "meshes along a side", .value = 8, .low = 1, .high = 1000},
    {.name = "delay", .summary = "of the release of two balls, s", .value = 0, .low = 0, .high = 10},
    {.name = "lift", .summary = "of two balls at the start, m", .value = 0, .low = 0, .high = 1},
    {.name = "stretch", .summary = "strain at the start", .value = 0.02, .low = 0, .high = 1},
    {.name = "zeta", .summary = "damping ratio of an element", .value = 0.1, .low = 0, .high = 10},
};

/* The net while it is being made. */
typedef struct net_plan {
    ash_scene *scene;
    uint32_t cells, knots; /* along a side */
    double pitch;          /* between knots at the start, m */
    double lift, delay;
    double element_length, element_mass, stiffness, damping;
} net_plan;

/* The place `column` and `row` elements from the first corner. The net is centred on the origin and counted in whole
 * half elements, so that mirrored places have exactly the same numbers with the other sign. */
static ash_vec3 place(const net_plan *net, uint32_t column, uint32_t row)
{
    double side = (double)net->cells * ELEMENTS_PER_BAND, half_element = 0.5 * net->pitch / ELEMENTS_PER_BAND;
    return (ash_vec3){(2.0 * column - side) * half_element, (2.0 * row - side) * half_element, net->lift * row / side};
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
            knot.locks = ASH_LOCK_ROTATION;
            if (is_corner(net, column, row)) {
                snprintf(name, sizeof name, "ball-%c%c", column ? 'r' : 'l', row ? 'b' : 'f');
                knot.mass += ball_mass;
                if (row > 0 && net->delay > 0)
                    knot.type = ASH_BODY_STATIC;
            }
            uint32_t body = ashi_scene_add_body(net->scene, &knot);
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
            end = ashi_add_point_mass(net->scene, NULL, place(net, x, y), net->element_mass);
        }
        ash_spring_def spring = ash_default_spring_def();
        spring.body_a = ashi_scene_body_ref(from);
        spring.body_b = ashi_scene_body_ref(end);
        spring.stiffness = net->stiffness;
        spring.damping = net->damping;
        spring.rest_length = net->element_length;
        spring.tension_only = true;
        ashi_scene_add_spring(net->scene, &spring);
        from = end;
    }
}

static void add_outputs(const net_plan *net)
{
    static const char *const names[] = {"ball-lf", "ball-rf", "ball-lb", "ball-rb"};
    uint32_t last = net->knots - 1, corners[] = {0, last, last * net->knots, net->knots * net->knots - 1};
    for (int i = 0; i < 4; ++i)
        for (int axis = ASHI_X; axis <= ASHI_Z; ++axis)
            ashi_watch_body(net->scene, ashi_scene_text(net->scene, "%s %c", names[i], "xyz"[axis]), ASHI_BODY_POSITION,
                            corners[i], (ashi_component)axis);
    ashi_watch_world(net->scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(net->scene, "damper work", ASHI_WORLD_DAMPERS);
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
    scene->gravity = (ash_vec3){0, 0, -9.81};
    scene->step = 0.0001;
    scene->time = 0.5;
    scene->sample_interval = 0.005;
    add_knots(&made);
    for (uint32_t row = 0; row < made.knots; ++row)
        for (uint32_t column = 0; column < made.cells; ++column)
            add_band(&made, column, row, true);
    for (uint32_t row = 0; row < made.cells; ++row)
        for (uint32_t column = 0; column < made.knots; ++column)
            add_band(&made, column, row, false);
    add_outputs(&made);
    return ashi_use_method(scene, "symplectic-euler", diagnostic);
}

const ashi_builtin ashi_scene_net = {
    .info = {.name = "net",
             .summary = "a net of rubber bands with tennis balls at its corners is let go",
             .source = "de Jong 2014, 9",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_net_validate,
};
