/* string: an elastic cord held at both ends, pulled into a triangle and let go (de Jong 2014, 8).
 *
 * The cord stands along z and is pulled along x. Gravity is left out unless asked for, as in his initial shapes: the
 * cord weighs 0.11 N and carries 1.89 N. Drag acts horizontally only, with the area l_t d / N a mass (8-20); the law is
 * the quadratic one of (7-1), or (8-19) as printed, linear in v, taken at a reference speed of 1 m/s. */
#include "experiments/builtin/string.h"
#include "experiments/builtin/statics.h"

#include "base/diagnostic.h"

#include <math.h>

static const double axial_stiffness = 1.07e7 * ASHI_PI * 0.0015 * 0.0015; /* E A, N */
static const double linear_density = 0.0075, diameter = 0.003, natural_length = 1.520, held_length = 1.558, air = 1.2;

enum { DAMPING_ELEMENT, DAMPING_MASS };
enum { DRAG_QUADRATIC, DRAG_LINEAR };

static const ash_scene_parameter parameters[] = {
    {.name = "elements", .summary = "number of masses", .value = 31, .low = 1, .high = 1e6},
    {.name = "zeta", .summary = "damping ratio of an element, or of the first mode", .value = 0, .low = 0, .high = 100},
    {.name = "damping-law",
     .summary = "dampers along the elements, or a force against each mass's velocity",
     .choices = "element|mass",
     .choice_value = "element"},
    {.name = "drag", .summary = "drag coefficient C_D", .value = 0, .low = 0, .high = 100},
    {.name = "drag-law",
     .summary = "drag grows with the speed squared, or with the speed",
     .choices = "quadratic|linear",
     .choice_value = "quadratic"},
    {.name = "stiffness", .summary = "factor on the measured stiffness", .value = 1, .low = 0.01, .high = 100},
    {.name = "amplitude", .summary = "of the pull, m", .value = 0.05, .low = 0, .high = 0.5},
    {.name = "position",
     .summary = "of the pull, as a part of the length; a node must be there",
     .value = 0.5,
     .low = 1e-6,
     .high = 0.999999},
    {.name = "gravity", .summary = "along the string, m/s2", .value = 0, .low = 0, .high = 100},
};

ashi_strand ashi_string_strand(uint32_t masses, double zeta, double stiffness_factor)
{
    return ashi_strand_elements(masses, natural_length, held_length, linear_density, axial_stiffness * stiffness_factor,
                                zeta);
}

double ashi_string_tension(const ashi_strand *strand)
{
    return strand->stiffness * (strand->held_length / (strand->masses + 1.0) - strand->element_length);
}

/* The number of the node at `position`, from 1; a diagnostic when there is none. */
static ash_status node_at(uint32_t masses, double position, uint32_t *node, ash_diagnostic *diagnostic)
{
    double place = position * (masses + 1.0), nearest = floor(place + 0.5);
    if (fabs(place - nearest) > 1e-9 * place || nearest < 1 || nearest > masses) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "scene.parameter", "%u elements have no node at %.9g of the length", masses,
                  position);
        return ashi_expect(diagnostic, "position times (elements + 1) to be a whole number");
    }
    *node = (uint32_t)nearest;
    return ASH_OK;
}

static void add_drag(ash_scene *scene, const ashi_strand *strand, uint32_t first, double coefficient, uint32_t law)
{
    double area = strand->held_length * diameter / strand->masses;
    for (uint32_t i = 0; i < strand->masses; ++i) {
        ashi_scene_force drag = {.kind = ASH_FORCE_DRAG, .def.drag = ash_default_drag_def()};
        drag.def.drag.body = ashi_scene_body_ref(first + i);
        drag.def.drag.density = air;
        drag.def.drag.area = area;
        drag.def.drag.coefficient = law == DRAG_QUADRATIC ? coefficient : 0;
        drag.def.drag.linear = law == DRAG_LINEAR ? 0.5 * air * coefficient * area : 0;
        drag.def.drag.mask = (ash_vec3){1, 1, 0};
        ashi_scene_add_force(scene, &drag);
    }
}

static void add_outputs(ash_scene *scene, const ashi_strand *strand, uint32_t first, uint32_t excited, double pull,
                        double position)
{
    uint32_t middle = first + (strand->masses + 1) / 2 - 1;
    uint32_t x = ashi_watch_body(scene, "middle", ASHI_BODY_POSITION, middle, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "middle sideways", ASHI_BODY_POSITION, middle, ASHI_Y);
    ashi_watch_body(scene, "excited", ASHI_BODY_POSITION, first + excited - 1, ASHI_X);
    ashi_watch_force(scene, "tension", ASHI_FORCE_TENSION, 0);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(scene, "damper work", ASHI_WORLD_DAMPERS);
    ashi_watch_world(scene, "drag work", ASHI_WORLD_DRAG);
    uint32_t remainder = ashi_watch_world(scene, "remainder", ASHI_WORLD_REMAINDER);
    double energy = ashi_strand_pulled_energy(strand, pull, position);
    ashi_expect_output(scene, "numerical remainder below 2 % of the pull's energy", remainder, ASHI_MAX_ABS, 0,
                       0.02 * energy + 1e-12);
    ashi_expect_output(scene, "the motion stays in its plane", y, ASHI_MAX_ABS, 0, 0);
    ashi_expect_output(scene, "the middle never swings out further than the pull", x, ASHI_MAX_ABS, 0.5 * pull,
                       0.51 * pull);
    /* With light damping the first mode, which has 0.81 of the pull in it, comes back from the other side. */
    if (position == 0.5)
        ashi_expect_range(scene, "the middle swings to the other side", x, ASHI_MIN, -1.01 * pull, -0.4 * pull);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t masses = 0, excited = 0;
    double zeta = ashi_parameter(given, "zeta"), pull = ashi_parameter(given, "amplitude");
    double position = ashi_parameter(given, "position"), drag = ashi_parameter(given, "drag");
    ash_status status = ashi_parameter_whole(given, "elements", &masses, diagnostic);
    if (status == ASH_OK)
        status = node_at(masses, position, &excited, diagnostic);
    if (status != ASH_OK)
        return status;

    bool by_mass = ashi_parameter_choice(given, "damping-law") == DAMPING_MASS;
    ashi_strand strand = ashi_string_strand(masses, by_mass ? 0 : zeta, ashi_parameter(given, "stiffness"));
    double speed = sqrt(ashi_string_tension(&strand) * held_length / (linear_density * natural_length));
    double first_mode = ASHI_PI * speed / held_length;
    uint32_t first =
        ashi_add_strand(scene, &strand, pull, (double)excited / (masses + 1.0), by_mass ? 2 * zeta * first_mode : 0);
    if (drag > 0)
        add_drag(scene, &strand, first, drag, ashi_parameter_choice(given, "drag-law"));
    add_outputs(scene, &strand, first, excited, pull, (double)excited / (masses + 1.0));

    /* A fifth of the stable step, a whole number of which makes the sampling interval. */
    scene->sample_interval = 0.001;
    scene->step = scene->sample_interval / ceil(scene->sample_interval / (0.2 * ashi_strand_step_bound(&strand)));
    scene->time = 2;
    scene->gravity = (ash_vec3){0, 0, -ashi_parameter(given, "gravity")};
    return ashi_use_method(scene, "symplectic-euler", diagnostic);
}

const ashi_builtin ashi_scene_string = {
    .info = {.name = "string",
             .summary = "an elastic string is pulled aside and released",
             .source = "de Jong 2014, 8",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_string_validate,
};
