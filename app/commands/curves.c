/* Curves in one plot, from wherever they come. */
#define _POSIX_C_SOURCE 200809L
#include "app/commands/curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/plot.h"
#include "base/text.h"
#include "math/elementary.h"
#include "scene/file/file.h"

static const double pi = 0x1.921fb54442d18p+1;

static bool is_wanted(const cli_texts *wanted, const char *name)
{
    for (uint32_t i = 0; wanted != NULL && i < wanted->count; i++)
        if (strcmp(wanted->data[i], name) == 0)
            return true;
    return wanted == NULL || wanted->count == 0;
}

static const char *keep_text(cli_curves *curves, const char *text)
{
    if (curves->texts == NULL)
        curves->texts = ashi_arena_create(1024);
    const char *copy = curves->texts != NULL ? ashi_arena_text(curves->texts, text) : NULL;
    curves->failed = curves->failed || copy == NULL;
    return copy != NULL ? copy : "";
}

static double *make_numbers(cli_curves *curves, size_t count)
{
    double *numbers = ashi_alloc_array(count, sizeof *numbers);
    if (numbers == NULL || !ashi_array_extend(&curves->owned)) {
        ashi_dealloc(numbers);
        curves->failed = true;
        return NULL;
    }
    return curves->owned.data[curves->owned.count - 1] = numbers;
}

static void add(cli_curves *curves, ash_series series, const char *label)
{
    char name[256];
    snprintf(name, sizeof name, "%.150s%s%.90s", series.name, label != NULL ? ", " : "", label != NULL ? label : "");
    series.name = keep_text(curves, name);
    if (!ashi_array_extend(&curves->list)) {
        curves->failed = true;
        return;
    }
    curves->list.data[curves->list.count - 1] = series;
}

void cli_curves_add_run(cli_curves *curves, const ash_run *run, const char *label, const cli_texts *wanted)
{
    for (uint32_t i = 0; i < ash_run_get_series_count(run); i++) {
        ash_series series = ash_run_get_series(run, i);
        if (is_wanted(wanted, series.name))
            add(curves, series, label);
    }
}

/* ---- tables ---- */

enum { COLUMNS_MOST = 1024 };

typedef struct table {
    char *names[COLUMNS_MOST], *units[COLUMNS_MOST]; /* in the text */
    double *values[COLUMNS_MOST];                    /* null: not wanted */
    uint32_t columns, rows, capacity;
} table;

/* Cuts the next field off; quotes around it are taken away. Null at the end of the line. */
static char *next_field(char **rest)
{
    char *field = *rest, *to, *from;
    if (field == NULL)
        return NULL;
    field += strspn(field, " \t");
    if (*field != '"') {
        char *comma = strchr(field, ',');
        size_t length = comma != NULL ? (size_t)(comma - field) : strlen(field);
        *rest = comma != NULL ? comma + 1 : NULL;
        while (length > 0 && strchr(" \t\r", field[length - 1]) != NULL)
            length--;
        field[length] = 0;
        return field;
    }
    for (from = to = ++field; *from != 0 && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *to++ = *from;
    }
    char *comma = strchr(from, ',');
    *to = 0;
    *rest = comma != NULL ? comma + 1 : NULL;
    return field;
}

static void read_heading(table *t, char *line)
{
    for (char *field; t->columns < COLUMNS_MOST && (field = next_field(&line)) != NULL; t->columns++) {
        char *bracket = strstr(field, " [");
        t->names[t->columns] = field;
        t->units[t->columns] = NULL;
        if (bracket != NULL) {
            *bracket = 0;
            t->units[t->columns] = bracket + 2;
            t->units[t->columns][strcspn(t->units[t->columns], "]")] = 0;
        }
    }
}

/* The curve of that name; null when there is none. */
static const ash_series *find_curve(const cli_curves *curves, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *own = curves->list.data[i].name;
        size_t length = strlen(name);
        if (strncmp(own, name, length) == 0 && (own[length] == 0 || strncmp(own + length, ", ", 2) == 0))
            return &curves->list.data[i];
    }
    return NULL;
}

/* One line of numbers; empty fields and "nan" are gaps. False when it is none. */
static bool read_row(table *t, char *line)
{
    for (uint32_t column = 0; column < t->columns; column++) {
        const char *field = next_field(&line);
        double value = (double)NAN;
        bool gap = field == NULL || *field == 0 || strcmp(field, "nan") == 0;
        if (!gap && t->values[column] != NULL && !ashi_parse_number(field, &value))
            return false;
        if (t->values[column] != NULL)
            t->values[column][t->rows] = value;
    }
    bool rises =
        isfinite(t->values[0][t->rows]) && (t->rows == 0 || t->values[0][t->rows] >= t->values[0][t->rows - 1]);
    t->rows += rises;
    return rises;
}

static bool read_table(cli_curves *curves, table *t, char *text, const char *path)
{
    uint32_t lines = 1, known = curves->list.count, found = 0;
    int number = 1;
    for (const char *at = text; *at != 0; at++)
        lines += *at == '\n';
    char *rest = strchr(text, '\n');
    if (rest != NULL)
        *rest++ = 0;
    read_heading(t, text);
    for (uint32_t i = 0; i < t->columns; i++) {
        if (i > 0 && find_curve(curves, known, t->names[i]) == NULL)
            continue;
        found += i > 0;
        t->values[i] = make_numbers(curves, lines);
        if (t->values[i] == NULL)
            return false;
    }
    if (found == 0) {
        cli_error("%s: no column has the name of an output that is drawn; the first column is the time", path);
        return false;
    }
    while (rest != NULL) {
        char *line = rest;
        rest = strchr(line, '\n');
        if (rest != NULL)
            *rest++ = 0;
        number++;
        if (line[strspn(line, " \t\r")] != 0 && !read_row(t, line)) {
            cli_error("%s:%d: expected %u numbers, the first of which, the time, rises", path, number,
                      (unsigned)t->columns);
            return false;
        }
    }
    return true;
}

bool cli_curves_add_table(cli_curves *curves, const char *path)
{
    char *text = NULL, *copy;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (ashi_read_file(path, &text, &size, &diagnostic) != ASH_OK) {
        cli_report(&diagnostic);
        return false;
    }
    table *t = ashi_alloc_zeroed(sizeof *t);
    copy = ashi_alloc(size + 1);
    bool done = t != NULL && copy != NULL;
    if (done) {
        memcpy(copy, text, size);
        copy[size] = 0;
        uint32_t known = curves->list.count;
        const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
        done = read_table(curves, t, copy, path);
        for (uint32_t i = 1; done && i < t->columns; i++)
            if (t->values[i] != NULL)
                add(curves,
                    (ash_series){keep_text(curves, t->names[i]), find_curve(curves, known, t->names[i])->unit,
                                 t->values[0], t->values[i], t->rows},
                    base);
    } else {
        curves->failed = true;
    }
    ashi_dealloc(t);
    ashi_dealloc(copy);
    ashi_dealloc(text);
    if (curves->failed)
        cli_error("out of memory");
    return done && !curves->failed;
}

/* ---- spectra ---- */

/* The transform of `count` complex numbers in place (Cooley and Tukey 1965): those at odd places turned onto those at
 * even ones, level by level. */
static void transform(double *z, uint32_t count)
{
    for (uint32_t i = 1, j = 0; i < count; i++) {
        uint32_t bit = count >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        for (int k = 0; k < 2 && i < j; k++) {
            double other = z[2 * i + (uint32_t)k];
            z[2 * i + (uint32_t)k] = z[2 * j + (uint32_t)k];
            z[2 * j + (uint32_t)k] = other;
        }
    }
    for (uint32_t length = 2; length <= count; length *= 2)
        for (uint32_t k = 0; k < length / 2; k++) {
            double sine, cosine;
            ashi_sincos(-2 * pi * k / length, &sine, &cosine);
            for (uint32_t begin = 0; begin < count; begin += length) {
                double *a = &z[2 * (begin + k)], *b = &z[2 * (begin + k + length / 2)];
                double re = b[0] * cosine - b[1] * sine, im = b[0] * sine + b[1] * cosine;
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
}

/* The value at an instant, between samples along a line; gaps are 0 apart from the mean. */
static double value_at(const ash_series *series, double time, uint32_t *place, double mean)
{
    while (*place + 2 < series->count && series->times[*place + 1] <= time)
        ++*place;
    double t0 = series->times[*place], t1 = series->times[*place + 1];
    double share = t1 > t0 ? (time - t0) / (t1 - t0) : 0;
    double value = series->values[*place] + share * (series->values[*place + 1] - series->values[*place]);
    return isfinite(value) ? value - mean : 0;
}

void cli_spectrum_of(const ash_series *series, uint32_t count, double *amplitudes, double *scratch)
{
    double begin = series->times[0], span = series->times[series->count - 1] - begin, mean = 0;
    for (int pass = 0; pass < 2; pass++) { /* the mean first, then what is off it */
        uint32_t place = 0;
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            double value = value_at(series, begin + span * i / count, &place, mean);
            double window = 1 - ashi_cos(2 * pi * i / count);
            sum += value;
            scratch[2 * i] = value * window;
            scratch[2 * i + 1] = 0;
        }
        mean = pass == 0 ? sum / count : mean;
    }
    transform(scratch, count);
    for (uint32_t k = 0; k <= count / 2; k++) {
        double size = sqrt(scratch[2 * k] * scratch[2 * k] + scratch[2 * k + 1] * scratch[2 * k + 1]);
        amplitudes[k] = (k == 0 || k == count / 2 ? 1 : 2) * size / count;
    }
}

void cli_curves_transform(cli_curves *curves)
{
    enum { COUNT_MOST = 1 << 16 };
    for (uint32_t i = 0; i < curves->list.count; i++) {
        ash_series *series = &curves->list.data[i];
        if (series->count < 4) {
            series->count = 0;
            continue;
        }
        uint32_t count = 4;
        while (2 * count <= series->count && count < COUNT_MOST)
            count *= 2;
        double *frequencies = make_numbers(curves, count / 2), *amplitudes = make_numbers(curves, count / 2 + 1);
        double *scratch = make_numbers(curves, 2 * (size_t)count);
        if (frequencies == NULL || amplitudes == NULL || scratch == NULL)
            return;
        double span = series->times[series->count - 1] - series->times[0];
        cli_spectrum_of(series, count, amplitudes, scratch);
        for (uint32_t k = 1; k <= count / 2; k++) { /* the mean has no place on the axis */
            frequencies[k - 1] = k / span;
            amplitudes[k - 1] = amplitudes[k] > 0 ? ashi_ln(amplitudes[k]) / ashi_ln(10) : (double)NAN;
        }
        series->times = frequencies;
        series->values = amplitudes;
        series->count = count / 2;
    }
}

/* ---- the file ---- */

typedef struct drawing {
    const cli_curves *curves;
    const char *title;
    bool spectra;
} drawing;

static bool draw(FILE *stream, const void *user)
{
    const drawing *d = user;
    const cli_plot_look look = {.title = d->title, .axis_label = "frequency, Hz", .decades = true};
    const cli_curves *c = d->curves;
    return d->spectra ? cli_plot_svg_over(c->list.data, c->list.count, &look, stream)
                      : cli_plot_svg(c->list.data, c->list.count, d->title, stream);
}

int cli_curves_svg(const cli_curves *curves, const char *title, bool spectra, const char *path)
{
    if (curves->failed) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    return cli_write_drawing(path, draw, &(drawing){curves, title, spectra});
}

void cli_curves_release(cli_curves *curves)
{
    for (uint32_t i = 0; i < curves->owned.count; i++)
        ashi_dealloc(curves->owned.data[i]);
    ashi_array_release(&curves->owned);
    ashi_array_release(&curves->list);
    ashi_arena_destroy(curves->texts);
    *curves = (cli_curves){0};
}
