/* ashlar spectrum: the eigenvalues that determine how sweeps converge on a contact problem. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/commands/spectrum_plot.h"
#include "ashlar/scene.h"
#include "base/text.h"
#include "scene/file/csv.h"

typedef struct spectrum_values {
    const char *regularization, *plot, *csv;
    bool scaling, json;
} spectrum_values;

static const cli_option options[] = {
    {"regularization", 0, CLI_TEXT, "G", "of A + G I (default 0)", offsetof(spectrum_values, regularization), 0},
    {"diagonal-scaling", 0, CLI_FLAG, NULL, "of D^-1/2 A D^-1/2, D being the diagonal of A",
     offsetof(spectrum_values, scaling), 0},
    {"plot", 0, CLI_TEXT, "FILE", "pattern and eigenvalues, a name that ends in .svg", offsetof(spectrum_values, plot),
     0},
    {"csv", 0, CLI_TEXT, "FILE", "the eigenvalues as a table", offsetof(spectrum_values, csv), 0},
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output, nothing else", offsetof(spectrum_values, json), 0},
};

static uint32_t entries_of(const ash_spectrum *s)
{
    uint32_t entries = 0;
    for (size_t i = 0; i < (size_t)s->row_count * s->row_count; i++)
        entries += s->matrix[i] != 0;
    return entries;
}

static void print_text(const char *name, const ash_spectrum *s)
{
    uint32_t n = s->row_count;
    printf("problem:   ");
    cli_put_text(stdout, name);
    printf(", ");
    cli_put_count(stdout, n, "row", "rows");
    if (s->left_out > 0)
        printf(" and %u that no impulse moves", (unsigned)s->left_out);
    printf("\nmatrix A:  %u nonzero, %.3g %%; rank %u, redundant rows %u\n", (unsigned)entries_of(s),
           n > 0 ? 100.0 * entries_of(s) / n / n : 0, (unsigned)s->rank, (unsigned)(n - s->rank));
    if (n > 0)
        printf("           eigenvalues up to %.6g, the smallest of the others %.6g\n", s->values[n - 1],
               s->rank > 0 ? s->values[n - s->rank] : (double)NAN);
    printf("matrix T:  spectral radius %.9g; without what is redundant %.9g\n", s->radius, s->rate);
    if (s->rate > 0 && s->rate < 1)
        printf("           a tenth of the error is left after %.4g sweeps\n", log(0.1) / log(s->rate));
}

static json_t *list_of(const double *numbers, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        cli_json_append(array, cli_json_number(numbers[i]));
    return array;
}

/* Pairs of row and column. */
static json_t *pattern_of(const ash_spectrum *s)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < s->row_count; i++)
        for (uint32_t k = 0; k < s->row_count; k++)
            if (s->matrix[(size_t)i * s->row_count + k] != 0)
                cli_json_append(array, json_pack("[i, i]", (int)i, (int)k));
    return array;
}

static int print_json(const char *name, double regularization, bool scaling, const ash_spectrum *s)
{
    uint32_t n = s->row_count;
    return cli_json_print(
        json_pack("{s:o, s:i, s:i, s:i, s:o, s:b, s:o, s:o, s:o, s:{s:o, s:o}, s:o}", "problem", cli_json_text(name),
                  "rows", (int)n, "left_out", (int)s->left_out, "rank", (int)s->rank, "regularization",
                  cli_json_number(regularization), "diagonal_scaling", (int)scaling, "radius",
                  cli_json_number(s->radius), "rate", cli_json_number(s->rate), "A", list_of(s->values, n), "T", "real",
                  list_of(s->real, n), "imaginary", list_of(s->imaginary, n), "pattern", pattern_of(s)));
}

static ash_status write_csv(const ash_spectrum *s, ashi_csv *csv, ash_diagnostic *diagnostic)
{
    ashi_csv_heading(csv, "index", "");
    ashi_csv_heading(csv, "eigenvalue of A", "");
    ashi_csv_heading(csv, "eigenvalue of T, real", "");
    ashi_csv_heading(csv, "eigenvalue of T, imaginary", "");
    ash_status status = ashi_csv_end_row(csv, diagnostic);
    for (uint32_t i = 0; status == ASH_OK && i < s->row_count; i++) {
        ashi_csv_number(csv, i);
        ashi_csv_number(csv, s->values[i]);
        ashi_csv_number(csv, s->real[i]);
        ashi_csv_number(csv, s->imaginary[i]);
        status = ashi_csv_end_row(csv, diagnostic);
    }
    return status;
}

static int save_csv(const ash_spectrum *s, const char *path)
{
    ash_diagnostic diagnostic = {0};
    ashi_csv *csv = NULL;
    ash_status status = ashi_csv_open(path, ASHI_CSV_WHEN_CLOSED, &csv, &diagnostic);
    if (status == ASH_OK)
        status = write_csv(s, csv, &diagnostic);
    ash_status closed = ashi_csv_close(csv, status == ASH_OK ? &diagnostic : NULL);
    status = status == ASH_OK ? closed : status;
    return status == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

typedef struct titled_spectrum {
    const ash_spectrum *spectrum;
    const char *title;
} titled_spectrum;

static bool draw_plot(FILE *stream, const void *user)
{
    const titled_spectrum *titled = user;
    return cli_spectrum_plot(titled->spectrum, titled->title, stream);
}

/* "stack, damped by 0.01". */
static void make_title(const char *name, double regularization, bool scaling, char *title, size_t size)
{
    int used = snprintf(title, size, "%.150s%s", name, scaling ? ", scaled" : "");
    if (regularization > 0 && used > 0)
        snprintf(title + used, size - (size_t)used, ", damped by %g", regularization);
}

static int find_spectrum(const char *name, const spectrum_values *values, double regularization)
{
    ash_problem problem = {0};
    ash_spectrum s = {0};
    ash_diagnostic diagnostic = {0};
    int status = CLI_DONE;
    char title[256];
    if (ash_problem_read(name, &problem, &diagnostic) != ASH_OK ||
        ash_problem_spectrum(&problem, regularization, values->scaling, &s, &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    make_title(name, regularization, values->scaling, title, sizeof title);
    if (status == CLI_DONE && values->plot != NULL)
        status = cli_write_drawing(values->plot, draw_plot, &(titled_spectrum){&s, title});
    if (status == CLI_DONE && values->csv != NULL)
        status = save_csv(&s, values->csv);
    if (status == CLI_DONE && values->json)
        status = print_json(name, regularization, values->scaling, &s);
    else if (status == CLI_DONE)
        print_text(name, &s);
    ash_spectrum_release(&s);
    ash_problem_release(&problem);
    return status;
}

static int spectrum(int argc, char **argv)
{
    spectrum_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_spectrum, argc, argv, &values, &operand_count, &status))
        return status;
    double regularization = 0;
    size_t length = values.plot != NULL ? strlen(values.plot) : 0;
    if (values.regularization != NULL &&
        (!ashi_parse_number(values.regularization, &regularization) || !(regularization >= 0))) {
        cli_error("spectrum: --regularization is \"%s\", expected a number of 1/kg, 0 or more", values.regularization);
        return CLI_BAD_INPUT;
    }
    if (values.plot != NULL && (length < 5 || strcmp(values.plot + length - 4, ".svg") != 0)) {
        cli_error("spectrum: --plot is \"%s\", expected a name that ends in .svg", values.plot);
        return CLI_BAD_INPUT;
    }
    return find_spectrum(argv[0], &values, regularization);
}

const cli_command cli_spectrum = {
    .name = "spectrum",
    .summary = "the eigenvalues that determine how sweeps converge on a contact problem",
    .operands = "PROBLEM",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "PROBLEM is a file of \"ashlar problem\" or the name of a stored one, of at most 1500 rows. Finds the\n"
        "eigenvalues of its system matrix A = J M^-1 J^T = L + D + U and of T = -(L + D)^-1 U, by which a sweep of\n"
        "Gauss and Seidel changes the error, with every row as an equality (docs/convergence.md; Erleben 2007).\n"
        "Every redundant row is an eigenvalue 1 of T; speeds converge by the largest of the others. With 1300 rows\n"
        "it takes some seconds.",
    .examples = "  ashlar spectrum stack --plot stack.svg --csv stack.csv\n"
                "  ashlar spectrum stack --regularization 0.01\n"
                "  ashlar spectrum heavy-on-light --diagonal-scaling --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = spectrum,
};
