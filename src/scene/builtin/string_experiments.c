/* The experiments on the string: frequencies, modes, stability, order and damping (de Jong 2014, 8-3 and 8-4). */
#include "base/diagnostic.h"
#include "scene/analysis.h"
#include "scene/builtin/string.h"
#include "scene/experiment.h"

#include <math.h>
#include <stdio.h>

static const char *const paper = "de Jong 2014, 8";

/* One coordinate of a node over time, a sample each millisecond. */
typedef struct signal {
    double *values;
    uint32_t count;
} signal;
static const double sample_interval = 0.001;

/* Runs the string for `time` seconds and samples a node's distance from the axis. The caller releases the values. */
static ash_status listen(const char *settings, uint32_t node, double time, signal *heard, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    char body[32];
    *heard = (signal){NULL, 0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "string", "%s", settings);
    if (status != ASH_OK)
        return status;
    double h = experiment.scene->step;
    uint32_t every = (uint32_t)lround(sample_interval / h), count = (uint32_t)lround(time / sample_interval);
    double *trace = ashi_alloc_array((size_t)count * every + 1, sizeof *trace);
    snprintf(body, sizeof body, "node-%u", node);
    status = trace ? ashi_experiment_trace(&experiment, body, ASHI_X, h, count * every, trace, diagnostic)
                   : ashi_out_of_memory(diagnostic);
    ashi_experiment_close(&experiment);
    if (status != ASH_OK) {
        ashi_free(trace);
        return status;
    }
    for (uint32_t i = 0; i <= count; ++i)
        trace[i] = trace[(size_t)i * every];
    *heard = (signal){trace, count + 1};
    return ASH_OK;
}

static ashi_peak peak_near(const signal *heard, double frequency)
{
    return ashi_spectral_peak(heard->values, heard->count, sample_interval, 0.8 * frequency, 1.2 * frequency);
}

/* Frequency in Hz of the lumped chain's mode, and of the continuous string's. */
static double lumped_frequency(uint32_t masses, uint32_t mode)
{
    ashi_strand strand = ashi_string_strand(masses, 0, 1);
    return ashi_chain_frequency(ashi_string_tension(&strand), strand.element_mass, strand.held_length / (masses + 1.0),
                                masses, mode) /
           (2 * ASHI_PI);
}

/* The speed of waves: the tension over the density of the stretched string, which is what the paper's frequencies
 * belong to. The natural density gives another one. */
static double wave_speed(void)
{
    ashi_strand strand = ashi_string_strand(1, 0, 1);
    double mass = strand.element_mass * (strand.masses + 1.0);
    return sqrt(ashi_string_tension(&strand) * strand.held_length / mass);
}

static double string_frequency(uint32_t mode)
{
    return mode * wave_speed() / (2 * ashi_string_strand(1, 0, 1).held_length);
}

enum { MODES = 5 };

/* Pulled by 1 mm at 1/8 of its length, where none of the first five modes has a node. */
static ash_status mode_frequencies(uint32_t masses, double frequencies[MODES], ash_diagnostic *diagnostic)
{
    char settings[96];
    signal heard;
    snprintf(settings, sizeof settings, "elements=%u amplitude=0.001 position=0.125", masses);
    ash_status status = listen(settings, (masses + 1) / 8, 8, &heard, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t mode = 1; mode <= MODES; ++mode)
        frequencies[mode - 1] =
            ashi_spectral_peak(heard.values, heard.count, sample_interval, lumped_frequency(masses, mode) - 2,
                               lumped_frequency(masses, mode) + 2)
                .frequency;
    ashi_free(heard.values);
    return ASH_OK;
}

static ash_status validate_frequencies(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const uint32_t sizes[] = {15, 31, 63, 127};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double spacing[SIZES], errors[MODES][SIZES], frequencies[MODES];
    char quantity[96];
    ashi_validation_near(validation, "wave speed by the stretched density, m/s", paper, 16.08, wave_speed(), 0.01);
    ashi_validation_report(validation, "wave speed by the natural density, m/s", paper, 16.08,
                           wave_speed() * sqrt(1.520 / 1.558));
    for (int i = 0; i < SIZES; ++i) {
        ash_status status = mode_frequencies(sizes[i], frequencies, diagnostic);
        if (status != ASH_OK)
            return status;
        spacing[i] = 1 / (sizes[i] + 1.0);
        for (uint32_t mode = 1; mode <= MODES; ++mode) {
            errors[mode - 1][i] = fabs(frequencies[mode - 1] - string_frequency(mode));
            if (sizes[i] != 31)
                continue;
            double exact = lumped_frequency(31, mode);
            snprintf(quantity, sizeof quantity, "frequency of mode %u, 31 masses, 1 mm, Hz", mode);
            ashi_validation_near(validation, quantity, "exact lumped chain", exact, frequencies[mode - 1],
                                 0.005 * exact);
        }
    }
    ashi_validation_near(validation, "first frequency, 127 masses, 1 mm, Hz", paper, 5.16, frequencies[0],
                         0.005 * 5.16);
    for (uint32_t mode = 1; mode <= MODES; ++mode) {
        snprintf(quantity, sizeof quantity, "order of mode %u's approach to n c / 2 l, 15 to 127 masses", mode);
        ashi_validation_near(validation, quantity, "theory", 2, ashi_fitted_order(spacing, errors[mode - 1], SIZES),
                             0.2);
    }
    return ASH_OK;
}

/* Which modes a triangle with its tip at 1/2 or 1/4 contains, heard at a quarter of the length. Mode n of the chain has
 * the amplitude sin(n pi p) sin(n pi / 4) / sin^2(n pi / (2 (N + 1))) but for a factor. */
static ash_status validate_modes(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    const uint32_t masses = 31;
    static const double positions[] = {0.5, 0.25};
    for (int i = 0; i < 2; ++i) {
        char settings[96], quantity[96];
        signal heard;
        snprintf(settings, sizeof settings, "elements=31 amplitude=0.001 position=%g", positions[i]);
        ash_status status = listen(settings, 8, 8, &heard, diagnostic);
        if (status != ASH_OK)
            return status;
        double first = peak_near(&heard, lumped_frequency(masses, 1)).amplitude;
        double chain_first = sin(ASHI_PI * positions[i]) * sin(ASHI_PI / 4) / pow(sin(ASHI_PI / 64), 2);
        for (uint32_t mode = 2; mode <= MODES; ++mode) {
            ashi_peak peak = ashi_spectral_peak(heard.values, heard.count, sample_interval,
                                                lumped_frequency(masses, mode) - 1, lumped_frequency(masses, mode) + 1);
            double chain = fabs(sin(mode * ASHI_PI * positions[i]) * sin(mode * ASHI_PI / 4)) /
                           pow(sin(mode * ASHI_PI / 64), 2) / chain_first;
            snprintf(quantity, sizeof quantity, "pulled at %g: amplitude of mode %u over mode 1, at l/4", positions[i],
                     mode);
            ashi_validation_near(validation, quantity, "exact lumped chain; Fig. 8-7, 8-8", chain < 1e-12 ? 0 : chain,
                                 peak.amplitude / first, 1e-3);
        }
        ashi_free(heard.values);
    }
    return ASH_OK;
}

static ash_status validate_amplitudes(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double pulls[] = {0.001, 0.025, 0.05, 0.1};
    enum { PULLS = sizeof pulls / sizeof *pulls };
    double frequencies[PULLS], stiffer;
    char settings[96], quantity[96];
    signal heard;
    for (int i = 0; i <= PULLS; ++i) {
        if (i < PULLS)
            snprintf(settings, sizeof settings, "amplitude=%g", pulls[i]);
        else
            snprintf(settings, sizeof settings, "amplitude=0.001 stiffness=1.2");
        ash_status status = listen(settings, 16, 8, &heard, diagnostic);
        if (status != ASH_OK)
            return status;
        *(i < PULLS ? &frequencies[i] : &stiffer) =
            ashi_spectral_peak(heard.values, heard.count, sample_interval, 4, 8).frequency;
        ashi_free(heard.values);
    }
    for (int i = 1; i < PULLS; ++i) {
        snprintf(quantity, sizeof quantity, "first frequency rises: pull %g mm over %g mm, at least", 1000 * pulls[i],
                 1000 * pulls[i - 1]);
        ashi_validation_above(validation, quantity, "de Jong 2014, Fig. 8-17", frequencies[i] / frequencies[i - 1],
                              1.0005);
    }
    ashi_validation_report(validation, "first frequency, pull 50 mm, Hz", "de Jong 2014, Fig. 8-17", NAN,
                           frequencies[2]);
    ashi_validation_near(validation, "stiffness factor 1.2 raises the first frequency by sqrt(1.2)", "exact", sqrt(1.2),
                         stiffer / frequencies[0], 1e-3);
    return ASH_OK;
}

/* The middle's largest distance over a second, as a multiple of the pull of 50 mm; huge when it is not bounded. */
static ash_status largest_swing(double h, double *swing, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "string", "amplitude=0.05");
    if (status != ASH_OK)
        return status;
    uint32_t steps = (uint32_t)lround(1 / h);
    double *trace = ashi_alloc_array(steps + 1, sizeof *trace);
    status = trace ? ashi_experiment_trace(&experiment, "node-16", ASHI_X, h, steps, trace, diagnostic)
                   : ashi_out_of_memory(diagnostic);
    *swing = 0;
    for (uint32_t i = 0; status == ASH_OK && i <= steps; ++i)
        *swing = fmax(*swing, fmin(fabs(trace[i]) / 0.05, 1e300));
    ashi_free(trace);
    ashi_experiment_close(&experiment);
    return status;
}

/* Bisects for the step at which the middle leaves its bounds. */
static ash_status validate_bound(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ashi_strand strand = ashi_string_strand(31, 0, 1);
    double bound = ashi_strand_step_bound(&strand), omega = ashi_strand_element_frequency(&strand);
    double below, above, low = 0.8 * bound, high = 1.2 * bound, swing;
    ash_status status = largest_swing(0.98 * bound, &below, diagnostic);
    if (status == ASH_OK)
        status = largest_swing(1.02 * bound, &above, diagnostic);
    for (int i = 0; i < 8 && status == ASH_OK; ++i) {
        double middle = 0.5 * (low + high);
        status = largest_swing(middle, &swing, diagnostic);
        *(swing < 2 ? &low : &high) = middle;
    }
    if (status != ASH_OK)
        return status;
    ashi_validation_near(validation, "largest stable step times omega_e", "exact; de Jong (8-21): about 1",
                         bound * omega, 0.5 * (low + high) * omega, 0.02);
    ashi_validation_below(validation, "swing over pull at 0.98 of the bound", "bounded", below, 1.1);
    ashi_validation_above(validation, "swing over pull at 1.02 of the bound (unstable): at least", "de Jong 2014, 8-4",
                          above, 2);
    return ASH_OK;
}

/* The order of the error below the bound. The paper measures the largest difference of the middle node between one
 * run and the next. Symplectic Euler from rest is the leapfrog rule half a step late: its positions are those of order
 * 2 at t + h/2. Compared at equal t this shift alone is an error of order 1; with the shift taken out order 2 shows. */
static ash_status validate_order(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    enum { RUNS = 6, COARSEST = 8192 };
    double sizes[RUNS], plain[RUNS - 1], shifted[RUNS - 1], *coarse = NULL;
    ash_status status = ASH_OK;
    for (int run = 0; run < RUNS && status == ASH_OK; ++run) {
        ashi_experiment experiment;
        uint32_t steps = (uint32_t)COARSEST << run;
        double *fine = ashi_alloc_array((size_t)steps + 1, sizeof *fine);
        status = fine ? ashi_experiment_open(&experiment, diagnostic, "string", "amplitude=0.05")
                      : ashi_out_of_memory(diagnostic);
        if (status == ASH_OK) {
            sizes[run] = 1.0 / steps;
            status = ashi_experiment_trace(&experiment, "node-16", ASHI_X, sizes[run], steps, fine, diagnostic);
            ashi_experiment_close(&experiment);
        }
        if (run > 0 && status == ASH_OK) {
            plain[run - 1] = shifted[run - 1] = 0;
            for (uint32_t i = 1; i + 2 <= steps / 2; ++i) {
                const double *at = &fine[2 * (size_t)i];
                double later = (9 * (at[0] + at[1]) - at[-1] - at[2]) / 16;
                plain[run - 1] = fmax(plain[run - 1], fabs(coarse[i] - at[0]));
                shifted[run - 1] = fmax(shifted[run - 1], fabs(coarse[i] - later));
            }
        }
        ashi_free(coarse);
        coarse = fine;
    }
    ashi_free(coarse);
    if (status != ASH_OK)
        return status;
    ashi_validation_near(validation, "order of the middle's error, half a step of time taken out",
                         "de Jong 2014, Fig. 8-19", 2, ashi_fitted_order(sizes, shifted, RUNS - 1), 0.2);
    ashi_validation_report(validation, "order of the middle's error, at equal times", "de Jong 2014, Fig. 8-19", 2,
                           ashi_fitted_order(sizes, plain, RUNS - 1));
    return ASH_OK;
}

/* The largest distance of the middle in the last half of the third second, over the pull. */
static ash_status remaining_swing(const char *settings, double *swing, ash_diagnostic *diagnostic)
{
    signal heard;
    ash_status status = listen(settings, 16, 3, &heard, diagnostic);
    *swing = 0;
    for (uint32_t i = heard.count - heard.count / 6; status == ASH_OK && i < heard.count; ++i)
        *swing = fmax(*swing, fabs(heard.values[i]) / 0.05);
    ashi_free(heard.values);
    return status;
}

static ash_status validate_damping(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    double free_swing, damped, drag, linear, mass;
    ash_status status = remaining_swing("zeta=0", &free_swing, diagnostic);
    if (status == ASH_OK)
        status = remaining_swing("zeta=1", &damped, diagnostic);
    if (status == ASH_OK)
        status = remaining_swing("drag=2", &drag, diagnostic);
    if (status == ASH_OK)
        status = remaining_swing("drag=2 drag-law=linear", &linear, diagnostic);
    if (status == ASH_OK)
        status = remaining_swing("zeta=0.01 damping-law=mass", &mass, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_report(validation, "swing left after 3 s, undamped", "de Jong 2014, Fig. 8-11", 1, free_swing);
    ashi_validation_above(validation, "swing left after 3 s, zeta 1 (hardly damped): at least",
                          "de Jong 2014, Fig. 8-12", damped, 0.7);
    ashi_validation_below(validation, "swing left after 3 s, C_D 2 (damped)", "de Jong 2014, Fig. 8-13", drag, 0.5);
    ashi_validation_report(validation, "swing left after 3 s, C_D 2, drag linear in v", "de Jong 2014 (8-19)", NAN,
                           linear);
    ashi_validation_report(validation, "swing left after 3 s, masses damped with zeta 0.01", "of the first mode",
                           exp(-0.01 * 2 * ASHI_PI * string_frequency(1) * 3), mass);
    return ASH_OK;
}

ash_status ashi_string_validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status (*const parts[])(ashi_validation *, ash_diagnostic *) = {
        validate_frequencies, validate_modes, validate_amplitudes, validate_bound, validate_order, validate_damping};
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ASH_OK && !validation->stopped; ++i)
        status = parts[i](validation, diagnostic);
    return status;
}
