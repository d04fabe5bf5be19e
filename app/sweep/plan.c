/* The cases of a sweep from the command line. What was varied last changes fastest; random samples change faster still,
 * and are the same for every combination, so that combinations can be compared sample by sample. */
#include "app/sweep/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/document.h"
#include "app/cli/message.h"
#include "base/number.h"
#include "base/text.h"
#include "math/elementary.h"
#include "scene/file/file.h"

static bool no_memory(void)
{
    cli_error("out of memory");
    return false;
}

/* A new factor called by the text up to its '='; null when it was told what is wrong. */
static cli_factor *add_factor(cli_plan *plan, const char *option, const char *name, size_t length)
{
    if (length == 0 || plan->factors.count == CLI_SWEEP_MOST_FACTORS) {
        cli_error("sweep: --%s \"%s\": expected NAME=VALUES, and at most %d of them", option, name,
                  CLI_SWEEP_MOST_FACTORS);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->factors.count; i++)
        if (strlen(plan->factors.data[i].name) == length && strncmp(plan->factors.data[i].name, name, length) == 0) {
            cli_error("sweep: \"%.*s\" is varied twice", (int)length, name);
            return NULL;
        }
    if (!ashi_array_extend(&plan->factors)) {
        no_memory();
        return NULL;
    }
    cli_factor *factor = &plan->factors.data[plan->factors.count - 1];
    *factor = (cli_factor){.name = ashi_alloc(length + 1)};
    if (factor->name == NULL) {
        no_memory();
        return NULL;
    }
    memcpy(factor->name, name, length);
    factor->name[length] = 0;
    return factor;
}

static bool add_value(cli_factor *factor, const char *value, size_t length)
{
    uint32_t count = factor->value_count;
    bool is_full = (count & (count - 1)) == 0; /* room for the next power of two */
    char *copy = ashi_alloc(length + 1);
    char **values = factor->values;
    if (copy != NULL && is_full)
        values = ashi_realloc(values, (count > 0 ? 2 * (size_t)count : 1) * sizeof *values);
    if (copy == NULL || values == NULL) {
        ashi_dealloc(copy);
        return no_memory();
    }
    memcpy(copy, value, length);
    copy[length] = 0;
    factor->values = values;
    factor->values[factor->value_count++] = copy;
    return true;
}

/* "low:high:count" or "low:high:count:log"; 0: it is none, -1: it is a bad one. */
static int read_range(const char *text, double *low, double *high, uint32_t *count, bool *logarithmic)
{
    char copy[256], *parts[5];
    int part_count = 0;
    if (strlen(text) >= sizeof copy || strchr(text, ',') != NULL)
        return 0;
    strcpy(copy, text);
    for (char *part = copy; part != NULL && part_count < 5;) {
        parts[part_count++] = part;
        part = strchr(part, ':');
        if (part != NULL)
            *part++ = 0;
    }
    if (part_count < 3 || !ashi_parse_number(parts[0], low) || !ashi_parse_number(parts[1], high))
        return 0;
    *logarithmic = part_count == 4 && strcmp(parts[3], "log") == 0;
    bool good = ashi_parse_count(parts[2], count) && *count >= 1 && *count <= 1000000 &&
                (part_count == 3 || (*logarithmic && *low > 0 && *high > 0));
    return good ? 1 : -1;
}

static bool add_range(cli_factor *factor, double low, double high, uint32_t count, bool logarithmic)
{
    for (uint32_t i = 0; i < count; i++) {
        char text[ASHI_NUMBER_SIZE];
        double share = count > 1 ? (double)i / (count - 1) : 0;
        double value =
            logarithmic ? ashi_exp(ashi_ln(low) + (ashi_ln(high) - ashi_ln(low)) * share) : low + (high - low) * share;
        /* In decimals where they are meant: 0.30000000000000004 is 0.3. */
        snprintf(text, sizeof text, "%.12g", value);
        double rounded;
        if (ashi_parse_number(text, &rounded) && fabs(rounded - value) <= 4e-16 * fmax(fabs(low), fabs(high)))
            value = rounded;
        value = i == 0 ? low : i == count - 1 ? high : value;
        ashi_number_text(value, text);
        if (!add_value(factor, text, strlen(text)))
            return false;
    }
    return true;
}

/* Words with commas between them. */
static bool add_words(cli_factor *factor, const char *text, size_t length)
{
    for (const char *end = text + length;; text++) {
        size_t word = 0;
        while (text + word < end && text[word] != ',')
            word++;
        if (word == 0) {
            cli_error("sweep: %s has an empty value", factor->name);
            return false;
        }
        if (!add_value(factor, text, word))
            return false;
        text += word;
        if (text == end)
            return true;
    }
}

bool cli_plan_vary(cli_plan *plan, const char *text)
{
    const char *equals = strchr(text, '=');
    cli_factor *factor = add_factor(plan, "vary", text, equals != NULL ? (size_t)(equals - text) : 0);
    if (factor == NULL)
        return false;
    double low, high;
    uint32_t count;
    bool logarithmic;
    factor->row = plan->rows++;
    switch (read_range(equals + 1, &low, &high, &count, &logarithmic)) {
    case 1:
        return add_range(factor, low, high, count, logarithmic);
    case 0:
        return add_words(factor, equals + 1, strlen(equals + 1));
    default:
        cli_error("sweep: --vary \"%s\": expected LOW:HIGH:COUNT or, both above 0, LOW:HIGH:COUNT:log", text);
        return false;
    }
}

bool cli_plan_random(cli_plan *plan, const char *text)
{
    char message[400];
    const char *equals = strchr(text, '='), *words;
    cli_factor *factor = add_factor(plan, "random", text, equals != NULL ? (size_t)(equals - text) : 0);
    if (factor == NULL)
        return false;
    factor->random = true;
    if (!cli_distribution_read(equals + 1, &factor->distribution, &words, message, sizeof message)) {
        cli_error("sweep: --random \"%s\": expected %s", text, message);
        return false;
    }
    factor->dimension = 0;
    for (uint32_t i = 0; i + 1 < plan->factors.count; i++)
        factor->dimension += plan->factors.data[i].random;
    return factor->distribution.kind != CLI_CHOICE || add_words(factor, words, strlen(words) - 1);
}

/* One line of fields, without quotes: the names, or a value for each factor from `first` on. */
static bool read_line(cli_plan *plan, const char *path, int line, char *text, uint32_t first)
{
    uint32_t column = 0;
    for (char *field = text; field != NULL; column++) {
        char *next = strchr(field, ',');
        if (next != NULL)
            *next++ = 0;
        field += strspn(field, " \t");
        size_t length = strlen(field);
        while (length > 0 && strchr(" \t\r", field[length - 1]) != NULL)
            length--;
        if (line == 1) {
            cli_factor *factor = add_factor(plan, "cases", field, length);
            if (factor == NULL)
                return false;
            factor->row = plan->rows;
        } else if (length == 0 || strchr(field, '"') != NULL || first + column >= plan->factors.count) {
            cli_error("%s:%d: expected a value without quotes for each of the %u names", path, line,
                      (unsigned)(plan->factors.count - first));
            return false;
        } else if (!add_value(&plan->factors.data[first + column], field, length)) {
            return false;
        }
        field = next;
    }
    if (line == 1 || first + column == plan->factors.count)
        return true;
    cli_error("%s:%d: there are %u values for %u names", path, line, (unsigned)column,
              (unsigned)(plan->factors.count - first));
    return false;
}

bool cli_plan_file(cli_plan *plan, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (ashi_read_file(path, &text, &size, &diagnostic) != ASH_OK) {
        cli_report(&diagnostic);
        return false;
    }
    char *copy = ashi_alloc(size + 1);
    bool done = copy != NULL || no_memory();
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    uint32_t first = plan->factors.count;
    int line = 0, rows = 0;
    for (char *begin = copy; done && begin != NULL;) {
        char *next = strchr(begin, '\n');
        if (next != NULL)
            *next++ = 0;
        line++;
        if (begin[strspn(begin, " \t\r")] != 0 || line == 1) {
            done = read_line(plan, path, line, begin, first);
            rows += line > 1;
        }
        begin = next;
    }
    if (done && rows == 0) {
        cli_error("%s: there is no case: expected names in the first line, and values in the others", path);
        done = false;
    }
    plan->rows++;
    ashi_dealloc(copy);
    ashi_dealloc(text);
    return done;
}

/* How many values the factors of a row have. */
static uint32_t row_length(const cli_plan *plan, uint32_t row)
{
    for (uint32_t i = 0; i < plan->factors.count; i++)
        if (!plan->factors.data[i].random && plan->factors.data[i].row == row)
            return plan->factors.data[i].value_count;
    return 1;
}

bool cli_plan_finish(cli_plan *plan, uint32_t runs, const char *sampling, uint64_t seed)
{
    uint32_t dimensions = 0;
    for (uint32_t i = 0; i < plan->factors.count; i++)
        dimensions += plan->factors.data[i].random;
    if (dimensions > 0 && runs == 0) {
        cli_error("sweep: --random needs --runs N, the number of samples");
        return false;
    }
    if (dimensions == 0 && runs > 0) {
        cli_error("sweep: --runs is for --random");
        return false;
    }
    plan->seed = seed;
    plan->samples = runs > 0 ? runs : 1;
    plan->sampling = CLI_SAMPLE_LATIN;
    while (sampling != NULL && plan->sampling < CLI_SAMPLINGS &&
           strcmp(cli_sampling_name(plan->sampling), sampling) != 0)
        plan->sampling++;
    if (plan->sampling == CLI_SAMPLINGS) {
        cli_error("sweep: --sampling is \"%s\", expected latin, sobol or random", sampling);
        return false;
    }
    if (plan->sampling == CLI_SAMPLE_SOBOL && dimensions > CLI_SOBOL_DIMENSIONS) {
        cli_error("sweep: --sampling sobol is for at most %d random quantities", CLI_SOBOL_DIMENSIONS);
        return false;
    }
    double cases = plan->samples;
    for (uint32_t row = 0; row < plan->rows; row++)
        cases *= row_length(plan, row);
    if (cases > CLI_SWEEP_MOST_CASES) {
        cli_error("sweep: these are %.0f cases, expected at most %d", cases, CLI_SWEEP_MOST_CASES);
        return false;
    }
    plan->cases = (uint32_t)cases;
    return true;
}

void cli_plan_release(cli_plan *plan)
{
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        for (uint32_t k = 0; k < plan->factors.data[i].value_count; k++)
            ashi_dealloc(plan->factors.data[i].values[k]);
        ashi_dealloc(plan->factors.data[i].values);
        ashi_dealloc(plan->factors.data[i].name);
    }
    ashi_array_release(&plan->factors);
}

const char *cli_plan_value(const cli_plan *plan, uint32_t number, uint32_t factor, char *text, size_t size)
{
    const cli_factor *f = &plan->factors.data[factor];
    uint32_t sample = number % plan->samples, combination = number / plan->samples;
    if (!f->random) {
        for (uint32_t row = plan->rows - 1; row > f->row; row--)
            combination /= row_length(plan, row);
        return f->values[combination % f->value_count];
    }
    double u = cli_sample(plan->sampling, plan->seed, sample, plan->samples, f->dimension);
    double value = cli_distribution_value(&f->distribution, u);
    if (f->values != NULL)
        return f->values[(uint32_t)value];
    char digits[ASHI_NUMBER_SIZE];
    snprintf(text, size, "%s", ashi_number_text(value, digits));
    return text;
}

json_t *cli_plan_json(const cli_plan *plan)
{
    json_t *factors = json_array();
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        const cli_factor *f = &plan->factors.data[i];
        json_t *entry = json_pack("{s:o, s:b}", "name", cli_json_text(f->name), "random", (int)f->random);
        json_t *values = json_array();
        for (uint32_t k = 0; k < f->value_count; k++)
            cli_json_append(values, cli_json_text(f->values[k]));
        cli_json_set(entry, "values", values);
        if (f->random)
            cli_json_set(entry, "distribution",
                         json_pack("[i, f, f, f]", (int)f->distribution.kind, f->distribution.a, f->distribution.b,
                                   f->distribution.c));
        else
            cli_json_set(entry, "row", json_integer(f->row));
        cli_json_append(factors, entry);
    }
    return json_pack("{s:o, s:s, s:I, s:i, s:i}", "factors", factors, "sampling", cli_sampling_name(plan->sampling),
                     "seed", (json_int_t)plan->seed, "samples", (int)plan->samples, "cases", (int)plan->cases);
}
