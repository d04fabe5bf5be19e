/* stiff-string: 30 masses of the string with elements of any frequency (de Jong 2014, 10-1).
 *
 * The stiffness follows from the element frequency, k_e = m_e omega_e^2, at the string's masses and lengths; the
 * transverse motion becomes faster with it. A fixed explicit step is bound by the longitudinal modes (strand.h), which
 * damping makes worse; implicit springs are bound by the accuracy that is wanted of the transverse motion. With 30
 * masses the tip of the triangle lies between the two middle ones. */
#include "experiments/builtin/stiff_string.h"
#include "experiments/builtin/statics.h"

#include <math.h>

static const ash_scene_parameter parameters[] = {
    {.name = "omega_e", .summary = "element frequency, rad/s", .value = 1e4, .low = 1, .high = 1e8},
    {.name = "zeta", .summary = "damping ratio of an element", .value = 0.1, .low = 0, .high = 100},
    {.name = "amplitude", .summary = "of the pull, m", .value = 0.01, .low = 0, .high = 0.5},
};

ashi_strand ashi_stiff_strand(double element_frequency, double zeta)
{
    ashi_strand soft = ashi_string_strand(ASHI_STIFF_STRING_MASSES, 0, 1);
    double ratio = element_frequency / ashi_strand_element_frequency(&soft);
    return ashi_string_strand(ASHI_STIFF_STRING_MASSES, zeta, ratio * ratio);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double pull = ashi_parameter(given, "amplitude"), frequency = ashi_parameter(given, "omega_e");
    ashi_strand strand = ashi_stiff_strand(frequency, ashi_parameter(given, "zeta"));
    uint32_t first = ashi_add_strand(scene, &strand, pull, 0.5, 0);
    uint32_t middle = first + ASHI_STIFF_STRING_MASSES / 2 - 1;
    uint32_t x = ashi_watch_body(scene, "middle", ASHI_BODY_POSITION, middle, ASHI_X);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_force(scene, "tension", ASHI_FORCE_TENSION, 0);
    ashi_watch_world(scene, "damper work", ASHI_WORLD_DAMPERS);
    ashi_watch_world(scene, "remainder", ASHI_WORLD_REMAINDER);
    /* Implicit springs at ten times 1 / omega_e: stable, and no energy comes from nowhere. */
    double straight = 0.5 * ashi_string_tension(&strand) * (strand.held_length - strand.natural_length);
    double pulled = ashi_strand_pulled_energy(&strand, pull, 0.5);
    ashi_expect_output(scene, "energy never above its start", energy, ASHI_MAX, straight + 0.5 * pulled,
                       0.5 * pulled * (1 + 1e-6));
    ashi_expect_output(scene, "the middle never swings out further than the pull", x, ASHI_MAX_ABS, 0.5 * pull,
                       0.5 * pull * (1 + 1e-6));
    /* Implicit Euler damps: a tenth of the pull and more is left on the other side. */
    ashi_expect_range(scene, "the middle swings to the other side", x, ASHI_MIN, -pull, -0.1 * pull);
    scene->gravity = (ash_vec3){0, 0, 0};
    scene->step = fmin(10 / frequency, 0.01);
    scene->time = 1;
    return ashi_use_method(scene, "implicit-euler", diagnostic);
}

const ashi_builtin ashi_scene_stiff_string = {
    .info = {.name = "stiff-string",
             .summary = "a string of 30 masses with elements of any stiffness, by implicit springs",
             .source = "de Jong 2014, 10-1",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = ashi_stiff_string_validate,
};
