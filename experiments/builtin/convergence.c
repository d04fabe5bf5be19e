/* How iterations converge on the contact problem of a scene: Erleben 2007, section 3, what the paper says beside what
 * comes out (docs/convergence.md has the curves).
 *
 * His solver is ours by rows with the box law and from no first guess. The problem is that of the scene's first step.
 */
#include "experiments/builtin/convergence.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/experiment.h"
#include "math/mat3.h"

#include <math.h>
#include <stdio.h>

enum { SWEEPS = 1000, LAST = 20000, DAMPED_SWEEPS = 4000 };
static const double is_one = 1e-9, is_zero = 1e-11; /* of eigenvalues: of T from 1, of scaled A from 0 */

/* ---- problems and their histories ---- */

static ash_status first_problem(const char *scene, const char *settings, ash_problem *problem,
                                ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene, "%s", settings);
    if (status != ASH_OK)
        return status;
    status = ash_world_next_problem(experiment.world, experiment.scene->step, problem);
    if (status != ASH_OK && diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(experiment.world);
    ashi_experiment_close(&experiment);
    problem->law = ASH_FRICTION_BOX;
    return status;
}

static ash_solver_settings settings_of(ash_solver solver, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.by_rows = true;
    settings.warm_start = false;
    settings.tolerance = 0;
    settings.iterations = iterations;
    return settings;
}

typedef struct history {
    ash_solve_trace trace;
    double *numbers;
    ash_problem solved;
} history;

static void release_history(history *h)
{
    ashi_dealloc(h->numbers);
    ash_problem_release(&h->solved);
    *h = (history){0};
}

/* Solves a copy; of shock, which has an entry a layer, the last entry is what its layers have come to. */
static ash_status take_history(const ash_problem *problem, const ash_solver_settings *settings, history *h,
                               ash_diagnostic *diagnostic)
{
    uint32_t room = settings->iterations + problem->body_count + 2;
    ash_solve_result result;
    *h = (history){.numbers = ashi_alloc_array((size_t)4 * room, sizeof *h->numbers)};
    if (h->numbers == NULL)
        return ashi_out_of_memory(diagnostic);
    h->trace = (ash_solve_trace){.capacity = room,
                                 .residual = h->numbers,
                                 .theta = h->numbers + room,
                                 .own_theta = h->numbers + 2 * (size_t)room,
                                 .seconds = h->numbers + 3 * (size_t)room};
    ash_status status = ash_problem_copy(&h->solved, problem, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_solve(&h->solved, settings, 1, &h->trace, &result, diagnostic);
    if (status != ASH_OK)
        release_history(h);
    return status;
}

/* How well a straight line fits the logarithms of the last half: 1 is exactly. */
static double straightness(const double *theta, uint32_t first, uint32_t last)
{
    double n = last - first + 1, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t i = first; i <= last; i++) {
        double value = log(theta[i]);
        x += i;
        y += value;
        xx += (double)i * i;
        xy += i * value;
        yy += value * value;
    }
    double covariance = xy - x * y / n;
    return covariance * covariance / ((xx - x * x / n) * (yy - y * y / n));
}

/* theta after `iterations` of a solver over that of the start; `own`: of the system that it works on. */
static ash_status theta_left(const ash_problem *problem, const ash_solver_settings *settings, bool own, double *left,
                             ash_diagnostic *diagnostic)
{
    history h;
    ash_status status = take_history(problem, settings, &h, diagnostic);
    if (status != ASH_OK)
        return status;
    const double *theta = own ? h.trace.own_theta : h.trace.theta;
    *left = theta[h.trace.count - 1] / theta[0];
    release_history(&h);
    return ASH_OK;
}

/* The mean factor by which a sweep changes the error, over the last tenth of many: nobody watches those before. */
static ash_status last_factor(const ash_problem *problem, uint32_t sweeps, double *factor, ash_diagnostic *diagnostic)
{
    const uint32_t ends[2] = {sweeps - sweeps / 10, sweeps};
    double theta[2] = {0, 0};
    ash_problem solved = {0};
    ash_status status = ASH_OK;
    for (int i = 0; i < 2 && status == ASH_OK; i++) {
        ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, ends[i]);
        ash_solve_result result = {0};
        status = ash_problem_copy(&solved, problem, diagnostic);
        if (status == ASH_OK)
            status = ash_problem_solve(&solved, &settings, 1, NULL, &result, diagnostic);
        theta[i] = result.error.theta;
    }
    *factor = pow(theta[1] / theta[0], 0.5 / (ends[1] - ends[0]));
    ash_problem_release(&solved);
    return status;
}

/* ---- figures 3 to 5 ---- */

/* A problem and the rows about it, which begin with its title. */
typedef struct configuration {
    ashi_validation *validation;
    const ash_problem *problem;
    const char *title; /* such as "25 cubes" */
    const char *figure;
    char quantity[96];
} configuration;

static const char *named(configuration *c, const char *text)
{
    snprintf(c->quantity, sizeof c->quantity, "%.20s: %.70s", c->title, text);
    return c->quantity;
}

static uint32_t count_zeros(const ash_spectrum *scaled)
{
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < scaled->row_count; i++)
        zeros += scaled->values[i] < is_zero;
    return zeros;
}

static uint32_t count_ones(const ash_spectrum *s)
{
    uint32_t ones = 0;
    for (uint32_t i = 0; i < s->row_count; i++)
        ones += hypot(s->real[i] - 1, s->imaginary[i]) < is_one;
    return ones;
}

static double share_of_entries(const ash_spectrum *s)
{
    double entries = 0, all = (double)s->row_count * s->row_count;
    for (size_t i = 0; i < (size_t)s->row_count * s->row_count; i++)
        entries += s->matrix[i] != 0;
    return entries / all;
}

static ash_status validate_spectrum(configuration *c, double *rate, ash_diagnostic *diagnostic)
{
    ash_spectrum s = {0}, scaled = {0};
    ashi_validation *v = c->validation;
    ash_status status = ash_problem_spectrum(c->problem, 0, false, &s, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_spectrum(c->problem, 0, true, &scaled, diagnostic);
    if (status == ASH_OK) {
        double redundant = s.row_count - s.rank;
        ashi_validation_report(v, named(c, "share of A's entries that are not zero"), c->figure, NAN,
                               share_of_entries(&s));
        ashi_validation_near(v, named(c, "redundant rows of A by pivots; expected: by eigenvalues 0"), c->figure,
                             count_zeros(&scaled), redundant, 0);
        ashi_validation_above(v, named(c, "their share of all rows (paper: large null spaces)"), c->figure,
                              redundant / s.row_count, 1.0 / s.row_count);
        ashi_validation_near(v, named(c, "eigenvalues 1 of T; expected: one a redundant row"), c->figure, redundant,
                             count_ones(&s), 0);
        ashi_validation_near(v, named(c, "spectral radius of T"), c->figure, 1, s.radius, 1e-9);
        ashi_validation_report(v, named(c, "largest eigenvalue of T but for those 1"), c->figure, NAN, s.rate);
        ashi_validation_near(v, named(c, "the same of the scaled system; expected: the same"), "theory", s.rate,
                             scaled.rate, 1e-7);
        *rate = s.rate;
    }
    ash_spectrum_release(&s);
    ash_spectrum_release(&scaled);
    return status;
}

/* The last entry that is far above rounding. */
static uint32_t last_above_rounding(const ash_solve_trace *trace)
{
    uint32_t last = trace->count - 1;
    while (last > 0 && !(trace->theta[last] > 1e-20 * trace->theta[0]))
        last--;
    return last;
}

/* `of_sweeps` is the theta left after 100 sweeps. */
static ash_status validate_sweeps(configuration *c, double rate, double *of_sweeps, ash_diagnostic *diagnostic)
{
    static const char figure[] = "Erleben 2007, figure 5";
    ashi_validation *v = c->validation;
    history h;
    char text[96];
    ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, SWEEPS);
    ash_status status = take_history(c->problem, &settings, &h, diagnostic);
    if (status != ASH_OK)
        return status;
    const double *theta = h.trace.theta;
    uint32_t end = last_above_rounding(&h.trace);
    if (end > 100)
        ashi_validation_report(v, named(c, "theta after 100 sweeps over that of the start"), figure, NAN,
                               theta[100] / theta[0]);
    snprintf(text, sizeof text, "theta after %u sweeps over that of the start", (unsigned)end);
    ashi_validation_report(v, named(c, text), figure, NAN, theta[end] / theta[0]);
    snprintf(text, sizeof text, "straightness of log theta, sweeps %u to %u (paper: linear)", (unsigned)(end / 2),
             (unsigned)end);
    ashi_validation_above(v, named(c, text), figure, straightness(theta, end / 2, end), 0.99);
    *of_sweeps = theta[end > 100 ? 100 : end] / theta[0];
    ashi_validation_report(v, named(c, "factor of the error a sweep there; expected: by T, in the end"), figure, rate,
                           sqrt(theta[end] / theta[end - 1]));
    release_history(&h);
    if (end < SWEEPS) /* nothing is left to wait for */
        return ASH_OK;
    double factor = 0, enough = ceil(log(1e-8) / log(rate)); /* one eigenvalue leads, and rounding is far */
    uint32_t sweeps = enough < LAST ? (uint32_t)enough : LAST;
    status = last_factor(c->problem, sweeps, &factor, diagnostic);
    snprintf(text, sizeof text, "the same at %u", (unsigned)sweeps);
    if (status == ASH_OK)
        ashi_validation_report(v, named(c, text), figure, rate, factor);
    return status;
}

static ash_status validate_rivals(configuration *c, double of_sweeps, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *quantity;
        ash_solver solver;
        uint32_t iterations;
        bool own;
    } rivals[] = {
        {"theta left after 100 of jacobi over that of pgs (paper: terrible)", ASH_SOLVER_JACOBI, 100, false},
        {"theta left after 100 of sor at 1.3", ASH_SOLVER_SOR, 100, false},
        {"theta left after 100 of nncg (Silcowitz 2010)", ASH_SOLVER_NNCG, 100, false},
        {"theta left after 10 of shock, its layers' own", ASH_SOLVER_SHOCK, 10, true},
        {"theta left after 10 of shock, of the whole problem", ASH_SOLVER_SHOCK, 10, false},
    };
    for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
        ash_solver_settings settings = settings_of(rivals[i].solver, rivals[i].iterations);
        double left = 0;
        ash_status status = theta_left(c->problem, &settings, rivals[i].own, &left, diagnostic);
        if (status != ASH_OK)
            return status;
        if (i == 0)
            ashi_validation_above(c->validation, named(c, rivals[i].quantity), "Erleben 2007, section 3",
                                  left / of_sweeps, 1);
        else
            ashi_validation_report(c->validation, named(c, rivals[i].quantity), "Erleben 2007, section 3", NAN, left);
    }
    return ASH_OK;
}

static ash_status validate_configuration(ashi_validation *validation, const ash_problem *problem, const char *title,
                                         const char *figure, ash_diagnostic *diagnostic)
{
    configuration c = {.validation = validation, .problem = problem, .title = title, .figure = figure};
    double rate = 0, of_sweeps = 0;
    ash_status status = validate_spectrum(&c, &rate, diagnostic);
    if (status == ASH_OK)
        status = validate_sweeps(&c, rate, &of_sweeps, diagnostic);
    return status == ASH_OK ? validate_rivals(&c, of_sweeps, diagnostic) : status;
}

ash_status ashi_validate_convergence(ashi_validation *validation, const char *settings, const char *title,
                                     const char *figure, ash_diagnostic *diagnostic)
{
    ash_problem problem = {0};
    ash_status status = first_problem(validation->scene, settings, &problem, diagnostic);
    if (status == ASH_OK)
        status = validate_configuration(validation, &problem, title, figure, diagnostic);
    ash_problem_release(&problem);
    return status;
}

ash_status ashi_validate_ball_grid_convergence(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_problem problem = {0};
    ash_status status = ash_problem_read("ball-grid", &problem, diagnostic);
    problem.law = ASH_FRICTION_BOX;
    if (status == ASH_OK)
        status =
            validate_configuration(validation, &problem, "27 balls in a grid", "Erleben 2007, figure 3", diagnostic);
    ash_problem_release(&problem);
    return status;
}

/* ---- mass ratios, scaling, damping ---- */

/* The top body so many times as heavy. */
static void load_top(ash_problem *problem, double times)
{
    ash_problem_body *top = &problem->bodies[problem->body_count - 1];
    top->inverse_mass = v3_scale(top->inverse_mass, 1 / times);
    top->inverse_inertia = s3_scale(top->inverse_inertia, 1 / times);
}

/* Section 3.2: large mass ratios. */
static ash_status validate_masses(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const double ratios[] = {1, 10, 100, 1000};
    double slowest = 0, most = 0;
    for (int i = 0; i < 4; i++) {
        ash_problem problem = {0};
        ash_spectrum s = {0};
        ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, SWEEPS);
        double left = 0;
        char quantity[96];
        ash_status status = first_problem("box-stack", "n=5", &problem, diagnostic);
        if (status == ASH_OK) {
            load_top(&problem, ratios[i]);
            status = ash_problem_spectrum(&problem, 0, false, &s, diagnostic);
        }
        if (status == ASH_OK)
            status = theta_left(&problem, &settings, false, &left, diagnostic);
        if (status == ASH_OK) {
            double sweeps = log(0.1) / log(s.rate);
            snprintf(quantity, sizeof quantity, "5 cubes, top %g times as heavy: sweeps for a tenth of the error",
                     ratios[i]);
            if (i == 0)
                ashi_validation_report(v, quantity, "Erleben 2007, 3.2", NAN, sweeps);
            else /* than with the lighter top */
                ashi_validation_above(v, quantity, "Erleben 2007, 3.2", sweeps, 2 * slowest);
            snprintf(quantity, sizeof quantity, "top %g times as heavy: theta left after 1000 sweeps", ratios[i]);
            if (i == 0)
                ashi_validation_report(v, quantity, "Erleben 2007, 3.2", NAN, left);
            else /* more than with the lighter top */
                ashi_validation_above(v, quantity, "Erleben 2007, 3.2", left, most);
            slowest = sweeps;
            most = left;
        }
        ash_spectrum_release(&s);
        ash_problem_release(&problem);
        if (status != ASH_OK)
            return status;
    }
    return ASH_OK;
}

static double largest_difference(const ash_problem *a, const ash_problem *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < a->row_count; i++)
        largest = fmax(largest, fabs(a->rows[i].impulse - b->rows[i].impulse));
    return largest;
}

/* Diagonal scaling: the same sweeps, another theta. */
static ash_status validate_scaling(ashi_validation *v, const ash_problem *problem, ash_diagnostic *diagnostic)
{
    history plain, scaled;
    ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, 100);
    ash_status status = take_history(problem, &settings, &plain, diagnostic);
    if (status != ASH_OK)
        return status;
    settings.diagonal_scaling = true;
    status = take_history(problem, &settings, &scaled, diagnostic);
    if (status == ASH_OK) {
        ashi_validation_below(v, "difference of impulses after 100 sweeps, scaled and not, N s", "theory",
                              largest_difference(&plain.solved, &scaled.solved), 0);
        const double *own = scaled.trace.own_theta, *theta = plain.trace.theta;
        ashi_validation_report(v, "theta of the scaled system over theta, after 10 (paper: a small displacement)",
                               "Erleben 2007, 3.2", NAN, own[10] / theta[10]);
        ashi_validation_near(v, "the same after 100, over it (paper: a constant)", "Erleben 2007, 3.2", 1,
                             own[100] / theta[100] / (own[10] / theta[10]), 0.5);
        release_history(&scaled);
    }
    release_history(&plain);
    return status;
}

/* The part of the weight that the ground carries. */
static double carried(const ash_problem *p)
{
    double impulse = 0, weight = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        if (p->blocks[k].body_a < p->fixed_count || p->blocks[k].body_b < p->fixed_count)
            impulse += p->rows[p->blocks[k].first_row].impulse;
    for (uint32_t i = 0; i < p->contact_count; i++)
        for (uint32_t k = 0; k < p->contacts[i].point_count; k++)
            if (p->contacts[i].body_a < p->fixed_count || p->contacts[i].body_b < p->fixed_count)
                impulse += p->points[p->contacts[i].first_point + k].impulse.x;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        weight -= p->bodies[i].velocity.z / p->bodies[i].inverse_mass.z;
    return impulse / weight;
}

/* The first sweep after which theta of the own system is a millionth of that of the start; NaN: none is. */
static double sweeps_for_a_millionth(const ash_solve_trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++)
        if (trace->own_theta[i] <= 1e-6 * trace->own_theta[0])
            return i;
    return NAN;
}

static ash_status validate_damped(ashi_validation *v, const ash_problem *problem, double share, double *undamped,
                                  double *borne, double *rate, ash_diagnostic *diagnostic)
{
    ash_spectrum s = {0};
    history h = {0};
    char quantity[96];
    ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, DAMPED_SWEEPS);
    settings.regularization = share;
    settings.diagonal_scaling = true;
    ash_status status = ash_problem_spectrum(problem, share, true, &s, diagnostic);
    if (status == ASH_OK)
        status = take_history(problem, &settings, &h, diagnostic);
    if (status == ASH_OK) {
        double sweeps = sweeps_for_a_millionth(&h.trace);
        snprintf(quantity, sizeof quantity, "damped by %g of D: sweeps until theta of its own is a millionth", share);
        if (share < 0.1)
            ashi_validation_report(v, quantity, "Erleben 2007, figure 6", NAN, sweeps);
        else /* much damping, many times faster */
            ashi_validation_below(v, quantity, "Erleben 2007, figure 6", sweeps, *undamped / 10);
        *undamped = share == 0 ? sweeps : *undamped;
        snprintf(quantity, sizeof quantity, "damped by %g of D: part of the weight that the ground bears", share);
        if (share == 0) /* 4000 sweeps leave a little */
            ashi_validation_near(v, quantity, "exact; Erleben 2007, figure 7", 1, carried(&h.solved), 0.001);
        else /* the more it is damped, the weaker the forces */
            ashi_validation_below(v, quantity, "Erleben 2007, figure 7", carried(&h.solved), *borne);
        *borne = carried(&h.solved);
        ashi_validation_point(v, "Erleben 2007, figure 7", "4000 sweeps", share, share == 0 ? 1 : (double)NAN, *borne);
        snprintf(quantity, sizeof quantity, "damped by %g of D: eigenvalues 1 of T", share);
        ashi_validation_near(v, quantity, "Erleben 2007, figure 8", share > 0 ? 0 : s.row_count - s.rank,
                             count_ones(&s), 0);
        snprintf(quantity, sizeof quantity, "damped by %g of D: largest eigenvalue of T but for those 1", share);
        if (share == 0)
            ashi_validation_report(v, quantity, "Erleben 2007, figure 8", NAN, s.rate);
        else /* "larger gamma means lower c" */
            ashi_validation_below(v, quantity, "Erleben 2007, (44): larger damping, lower c", s.rate, *rate);
        *rate = s.rate;
    }
    ash_spectrum_release(&s);
    release_history(&h);
    return status;
}

ash_status ashi_validate_damping(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double shares[] = {0, 0.001, 0.01, 0.1};
    ash_problem problem = {0};
    double undamped = 0, borne = 1, rate = 1;
    ash_status status = first_problem("box-stack", "", &problem, diagnostic);
    if (status == ASH_OK)
        status = validate_scaling(validation, &problem, diagnostic);
    for (int i = 0; i < 4 && status == ASH_OK; i++)
        status = validate_damped(validation, &problem, shares[i], &undamped, &borne, &rate, diagnostic);
    ash_problem_release(&problem);
    return status == ASH_OK ? validate_masses(validation, diagnostic) : status;
}
