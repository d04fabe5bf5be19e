/* The experiments on the string: frequencies, modes, stability, order and damping (de Jong 2014, 8-3 and 8-4). */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/string.h"
#include "experiments/experiment.h"

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
        ashi_dealloc(trace);
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

/* Pulled at 1/8 of its length, where none of the first five modes has a node. */
static ash_status mode_frequencies(uint32_t masses, double pull, double frequencies[MODES], ash_diagnostic *diagnostic)
{
    char settings[96];
    signal heard;
    snprintf(settings, sizeof settings, "elements=%u amplitude=%g position=0.125", masses, pull);
    ash_status status = listen(settings, (masses + 1) / 8, 8, &heard, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t mode = 1; mode <= MODES; ++mode)
        frequencies[mode - 1] =
            ashi_spectral_peak(heard.values, heard.count, sample_interval, lumped_frequency(masses, mode) - 2,
                               lumped_frequency(masses, mode) + 2)
                .frequency;
    ashi_dealloc(heard.values);
    return ASH_OK;
}

static ash_status validate_frequencies(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    double frequencies[MODES];
    char quantity[96];
    ashi_validation_near(validation, "wave speed by the stretched density, m/s", paper, 16.08, wave_speed(), 0.01);
    ashi_validation_report(validation, "wave speed by the natural density, m/s", paper, 16.08,
                           wave_speed() * sqrt(1.520 / 1.558));
    ash_status status = mode_frequencies(31, 0.001, frequencies, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t mode = 1; mode <= MODES; ++mode) {
        double exact = lumped_frequency(31, mode);
        snprintf(quantity, sizeof quantity, "frequency of mode %u, 31 masses, 1 mm, Hz", mode);
        ashi_validation_near(validation, quantity, "exact lumped chain", exact, frequencies[mode - 1], 0.005 * exact);
    }
    return ASH_OK;
}

/* The approach to the continuous string. The pull is a tenth of a millimetre: at 1 mm the stretching alone raises the
 * first frequency by as much as 127 masses lower it. */
static ash_status validate_convergence(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const uint32_t sizes[] = {15, 31, 63, 127};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double spacing[SIZES], errors[MODES][SIZES], frequencies[MODES];
    char quantity[96];
    for (int i = 0; i < SIZES; ++i) {
        ash_status status = mode_frequencies(sizes[i], 0.0001, frequencies, diagnostic);
        if (status != ASH_OK)
            return status;
        spacing[i] = 1 / (sizes[i] + 1.0);
        for (uint32_t mode = 1; mode <= MODES; ++mode)
            errors[mode - 1][i] = fabs(frequencies[mode - 1] - string_frequency(mode));
    }
    ashi_validation_near(validation, "first frequency, 127 masses, Hz", paper, 5.16, frequencies[0], 0.005 * 5.16);
    for (uint32_t mode = 1; mode <= MODES; ++mode) {
        snprintf(quantity, sizeof quantity, "order of mode %u's approach to n c / 2 l, 15 to 127 masses", mode);
        ashi_validation_near(validation, quantity, "theory", 2, ashi_fitted_order(spacing, errors[mode - 1], SIZES),
                             0.1);
    }
    return ASH_OK;
}

/* Which modes a triangle with its tip at 1/2 or 1/4 contains, heard at a quarter of the length. Mode n of the chain has
 * the amplitude sin(n pi p) sin(n pi / 4) / sin^2(n pi / (2 (N + 1))) except for a factor. */
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
            ashi_validation_near(validation, quantity, "exact lumped chain; figure 8-7, 8-8", chain < 1e-12 ? 0 : chain,
                                 peak.amplitude / first, 1e-3);
        }
        ashi_dealloc(heard.values);
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
        ashi_dealloc(heard.values);
    }
    for (int i = 1; i < PULLS; ++i) {
        snprintf(quantity, sizeof quantity, "first frequency rises: pull %g mm over %g mm, at least", 1000 * pulls[i],
                 1000 * pulls[i - 1]);
        ashi_validation_above(validation, quantity, "de Jong 2014, figure 8-17", frequencies[i] / frequencies[i - 1],
                              1.0005);
    }
    for (int i = 0; i < PULLS; ++i)
        ashi_validation_point(validation, "de Jong 2014, 8-3-4", "first mode", 1000 * pulls[i],
                              i == 0 ? lumped_frequency(31, 1) : (double)NAN, frequencies[i]);
    ashi_validation_near(validation, "stiffness factor 1.2 raises the first frequency by sqrt(1.2)", "exact", sqrt(1.2),
                         stiffer / frequencies[0], 1e-3);
    return ASH_OK;
}

/* The largest kinetic energy over a second, as a multiple of the energy of the pull of 50 mm; huge when it is not
 * bounded. */
typedef struct violence {
    double pulled, largest;
} violence;

static bool observe_violence(const ash_world *world, uint32_t step, void *data)
{
    violence *seen = data;
    (void)step;
    seen->largest = fmax(seen->largest, ash_world_get_ledger(world).kinetic / seen->pulled);
    return seen->largest < 1e6;
}

static ash_status largest_energy(double h, double *energy, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ashi_strand strand = ashi_string_strand(31, 0, 1);
    violence seen = {ashi_strand_pulled_energy(&strand, 0.05, 0.5), 0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "string", "amplitude=0.05");
    if (status != ASH_OK)
        return status;
    uint32_t steps = (uint32_t)lround(1 / h), taken = 0;
    status = ashi_experiment_run(&experiment, h, steps, observe_violence, &seen, &taken, diagnostic);
    *energy = taken < steps ? 1e300 : seen.largest;
    ashi_experiment_close(&experiment);
    return status;
}

/* Bisects for the step at which energy comes from nowhere. */
static ash_status validate_bound(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ashi_strand strand = ashi_string_strand(31, 0, 1);
    double bound = ashi_strand_step_bound(&strand), omega = ashi_strand_element_frequency(&strand);
    double below, above, low = 0.8 * bound, high = 1.2 * bound, energy;
    ash_status status = largest_energy(0.98 * bound, &below, diagnostic);
    if (status == ASH_OK)
        status = largest_energy(1.02 * bound, &above, diagnostic);
    for (int i = 0; i < 10 && status == ASH_OK; ++i) {
        double middle = 0.5 * (low + high);
        status = largest_energy(middle, &energy, diagnostic);
        *(energy < 2 ? &low : &high) = middle;
    }
    if (status != ASH_OK)
        return status;
    ashi_validation_near(validation, "largest stable step times omega_e", "exact; de Jong (8-21): about 1",
                         bound * omega, 0.5 * (low + high) * omega, 0.01);
    ashi_validation_below(validation, "kinetic energy over the pull's at 0.98 of the bound", "bounded", below, 1.1);
    ashi_validation_above(validation, "kinetic energy over the pull's at 1.02 of the bound (unstable): at least",
                          "de Jong 2014, 8-4", above, 1e6);
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
        ashi_dealloc(coarse);
        coarse = fine;
    }
    ashi_dealloc(coarse);
    if (status != ASH_OK)
        return status;
    ashi_strand strand = ashi_string_strand(31, 0, 1);
    double omega = ashi_strand_element_frequency(&strand);
    for (int i = 0; i + 1 < RUNS; ++i) {
        const char *figure = "de Jong 2014, figure 8-19";
        ashi_validation_point(validation, figure, "at equal times", sizes[i] * omega, NAN, plain[i]);
        ashi_validation_point(validation, figure, "half a step of time taken out", sizes[i] * omega, NAN, shifted[i]);
    }
    ashi_validation_near(validation, "order of the middle's error, half a step of time taken out",
                         "de Jong 2014, figure 8-19", 2, ashi_fitted_order(sizes, shifted, RUNS - 1), 0.2);
    ashi_validation_report(validation, "order of the middle's error, at equal times", "de Jong 2014, figure 8-19", 2,
                           ashi_fitted_order(sizes, plain, RUNS - 1));
    return ASH_OK;
}

/* How far the middle is from that of a string of 75 masses, over a second (de Jong 2014, figure 8-10). */
static ash_status validate_elements(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const uint32_t sizes[] = {5, 11, 17, 23, 35};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double elements[SIZES], errors[SIZES] = {0};
    char settings[32];
    signal finest, heard;
    ash_status status = listen("elements=75", 38, 1, &finest, diagnostic);
    for (int i = 0; i < SIZES && status == ASH_OK; ++i) {
        snprintf(settings, sizeof settings, "elements=%u", sizes[i]);
        status = listen(settings, (sizes[i] + 1) / 2, 1, &heard, diagnostic);
        if (status != ASH_OK)
            break;
        elements[i] = sizes[i] + 1.0;
        for (uint32_t k = 0; k < heard.count; ++k)
            errors[i] = fmax(errors[i], fabs(heard.values[k] - finest.values[k]));
        ashi_dealloc(heard.values);
        ashi_validation_point(validation, "de Jong 2014, figure 8-10", "undamped", elements[i], NAN, errors[i]);
    }
    ashi_dealloc(finest.values);
    if (status == ASH_OK)
        ashi_validation_below(validation, "exponent of that difference's growth with the masses (converges)",
                              "de Jong 2014, figure 8-10", ashi_fitted_order(elements, errors, SIZES), -0.5);
    return status;
}

/* The first mode's amplitude at 3 s, from the second before and the second after. */
static ash_status remaining_mode(const char *settings, double *amplitude, ash_diagnostic *diagnostic)
{
    signal heard;
    ash_status status = listen(settings, 16, 4, &heard, diagnostic);
    if (status == ASH_OK)
        *amplitude = ashi_spectral_peak(heard.values + 2000, 2001, sample_interval, 4, 7).amplitude;
    ashi_dealloc(heard.values);
    return status;
}

/* What damping leaves of the first mode, over what an undamped string has of it. A drag force c |v| v a metre, in units
 * of the mass a metre, takes 1/A = 1/A0 + 2 c omega (4 / (3 pi))^2 t from a mode A sin(pi z / l): the mean of |cos|^3
 * in time and of sin^3 along the string are 4 / (3 pi) each. */
static ash_status validate_damping(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const settings[] = {"zeta=0", "zeta=1", "drag=2", "drag=2 drag-law=linear",
                                           "zeta=0.01 damping-law=mass"};
    double left[5], omega = 2 * ASHI_PI * string_frequency(1);
    for (int i = 0; i < 5; ++i) {
        ash_status status = remaining_mode(settings[i], &left[i], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ashi_strand strand = ashi_string_strand(31, 0, 1);
    double rate = 0.5 * 1.2 * 2 * (strand.held_length * 0.003 / strand.masses) / strand.element_mass;
    double start = left[0], mean = 4 / (3 * ASHI_PI);
    double by_drag = 1 / (1 + 2 * rate * omega * mean * mean * 3 * start);
    ashi_validation_near(validation, "first mode over the pull, undamped (triangle: 8 / pi^2)", "theory",
                         8 / (ASHI_PI * ASHI_PI), left[0] / 0.05, 0.03);
    ashi_validation_above(validation, "first mode left after 3 s, zeta 1 (hardly damped): at least",
                          "de Jong 2014, figure 8-12", left[1] / start, 0.9);
    ashi_validation_near(validation, "first mode left after 3 s, C_D 2 (damped)", "theory; de Jong 2014, figure 8-13",
                         by_drag, left[2] / start, 0.05);
    ashi_validation_near(validation, "first mode left after 3 s, C_D 2, drag linear in v",
                         "theory; de Jong 2014 (8-19)", exp(-0.5 * rate * 3), left[3] / start, 0.05);
    ashi_validation_near(validation, "first mode left after 3 s, masses damped with zeta 0.01", "theory",
                         exp(-0.01 * omega * 3), left[4] / start, 0.05);
    return ASH_OK;
}

ash_status ashi_string_validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status (*const parts[])(ashi_validation *, ash_diagnostic *) = {
        validate_frequencies, validate_convergence, validate_modes,    validate_amplitudes,
        validate_bound,       validate_order,       validate_elements, validate_damping};
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && status == ASH_OK && !validation->stopped; ++i)
        status = parts[i](validation, diagnostic);
    return status;
}
