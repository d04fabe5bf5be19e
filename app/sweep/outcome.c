/* Statistics over the cases of a sweep, the worst of them, and the table. Everything is in the order of the cases, so
 * that it does not depend on who ran them. */
#define _POSIX_C_SOURCE 200809L
#include "app/sweep/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/text.h"
#include "scene/record/table.h"

static const cli_case *case_of(const cli_outcome *outcome, uint32_t number)
{
    return outcome->journal->cases[number];
}

double cli_outcome_value(const cli_outcome *outcome, uint32_t number, uint32_t measure)
{
    const cli_case *c = case_of(outcome, number);
    return c != NULL && c->state != CLI_CASE_REFUSED ? c->values[measure] : (double)NAN;
}

double cli_outcome_factor(const cli_outcome *outcome, uint32_t number, uint32_t factor)
{
    char text[64];
    double value;
    const char *setting = cli_plan_value(outcome->work->plan, number, factor, text, sizeof text);
    return ashi_parse_number(setting, &value) ? value : (double)NAN;
}

/* The mean first, then the deviations from it (Welford's sums lose digits where they are small beside the mean). */
cli_statistics cli_outcome_statistics(const cli_outcome *outcome, uint32_t measure)
{
    cli_statistics s = {.least = INFINITY, .greatest = -INFINITY};
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < outcome->journal->count; i++) {
        double value = cli_outcome_value(outcome, i, measure);
        if (!isfinite(value))
            continue;
        s.count++;
        sum += value;
        if (value < s.least) {
            s.least = value;
            s.least_case = i;
        }
        if (value > s.greatest) {
            s.greatest = value;
            s.greatest_case = i;
        }
    }
    s.mean = s.count > 0 ? sum / s.count : (double)NAN;
    for (uint32_t i = 0; i < outcome->journal->count; i++) {
        double value = cli_outcome_value(outcome, i, measure);
        if (isfinite(value))
            squares += (value - s.mean) * (value - s.mean);
    }
    s.deviation = s.count > 1 ? sqrt(squares / (s.count - 1)) : (double)NAN;
    return s;
}

bool cli_outcome_criterion(const cli_work *work, const char *text, cli_criterion *criterion)
{
    *criterion = (cli_criterion){.measure = CLI_MEASURE_WORST_CHECK};
    if (text == NULL)
        return true;
    size_t length = strlen(text);
    static const char least[] = ":least";
    criterion->least = length > strlen(least) && strcmp(text + length - strlen(least), least) == 0;
    length -= criterion->least ? strlen(least) : 0;
    for (uint32_t i = 0; i < work->measures.names.count; i++)
        if (strlen(work->measures.names.data[i]) == length &&
            strncmp(work->measures.names.data[i], text, length) == 0) {
            criterion->measure = i;
            return true;
        }
    char wanted[200], hint[160];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 199 ? length : 199), text);
    cli_error("sweep: --worst \"%s\": nothing of that name is measured%s", wanted,
              ashi_did_you_mean(wanted, (const char *const *)work->measures.names.data, work->measures.names.count,
                                hint, sizeof hint));
    fprintf(stderr, "it is one of: ");
    for (uint32_t i = 0; i < work->measures.names.count; i++) {
        fputs(i > 0 ? ", " : "", stderr);
        cli_put_text(stderr, work->measures.names.data[i]);
    }
    fprintf(stderr, "; \":least\" behind it asks for the smallest\n");
    return false;
}

uint32_t cli_outcome_worst(const cli_outcome *outcome, const cli_criterion *criterion)
{
    for (uint32_t i = 0; i < outcome->journal->count; i++)
        if (case_of(outcome, i) != NULL && case_of(outcome, i)->state == CLI_CASE_BROKEN)
            return i;
    cli_statistics s = cli_outcome_statistics(outcome, criterion->measure);
    if (s.count == 0 && criterion->measure == CLI_MEASURE_WORST_CHECK)
        s = cli_outcome_statistics(outcome, CLI_MEASURE_RESIDUAL);
    return s.count == 0 ? UINT32_MAX : criterion->least ? s.least_case : s.greatest_case;
}

/* ---- the table ---- */

static void put_field(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (; *text != 0; text++) {
        if (*text == '"')
            putc('"', stream);
        putc(*text, stream);
    }
    putc('"', stream);
}

static void put_number(FILE *stream, double value)
{
    char text[ASHI_NUMBER_SIZE];
    fputs(isnan(value) ? "nan" : isinf(value) ? (value > 0 ? "inf" : "-inf") : ashi_number_text(value, text), stream);
}

static cli_case_state state_of(const cli_outcome *outcome, uint32_t number)
{
    const cli_case *c = case_of(outcome, number);
    return c != NULL ? (cli_case_state)c->state : CLI_CASE_OPEN;
}

static bool put_table(FILE *stream, const void *user)
{
    const cli_outcome *outcome = user;
    const cli_plan *plan = outcome->work->plan;
    const cli_measures *measures = &outcome->work->measures;
    fputs("case", stream);
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        putc(',', stream);
        put_field(stream, plan->factors.data[i].name);
    }
    fputs(",state,hash", stream);
    for (uint32_t i = 0; i < measures->names.count; i++) {
        char heading[320];
        const char *unit = measures->units.data[i];
        snprintf(heading, sizeof heading, "%s%s%s%s", measures->names.data[i], unit[0] != 0 ? " [" : "", unit,
                 unit[0] != 0 ? "]" : "");
        putc(',', stream);
        put_field(stream, heading);
    }
    fputs(",message\n", stream);
    for (uint32_t number = 0; number < plan->cases; number++) {
        const cli_case *c = case_of(outcome, number);
        fprintf(stream, "%u", (unsigned)number);
        for (uint32_t i = 0; i < plan->factors.count; i++) {
            char text[64];
            putc(',', stream);
            put_field(stream, cli_plan_value(plan, number, i, text, sizeof text));
        }
        fprintf(stream, ",%s,%016llx", cli_case_state_name(state_of(outcome, number)),
                (unsigned long long)(c != NULL ? c->hash : 0));
        for (uint32_t i = 0; i < measures->names.count; i++) {
            putc(',', stream);
            put_number(stream, cli_outcome_value(outcome, number, i));
        }
        putc(',', stream);
        put_field(stream, c != NULL ? c->message : "");
        putc('\n', stream);
    }
    return true;
}

/* The columns for HDF5, whose numbers and texts are in the arena. */
typedef struct sheet {
    ashi_arena *arena;
    ASHI_ARRAY(ashi_table_column) columns;
} sheet;

static bool add_column(sheet *s, const char *group, const char *name, const char *unit, const double *numbers,
                       const char *const *texts)
{
    if (!ashi_array_extend(&s->columns))
        return false;
    s->columns.data[s->columns.count - 1] =
        (ashi_table_column){.group = group, .name = name, .unit = unit, .numbers = numbers, .texts = texts};
    return true;
}

static bool add_factor(sheet *s, const cli_outcome *outcome, uint32_t factor)
{
    const cli_plan *plan = outcome->work->plan;
    double *numbers = ashi_arena_take_array(s->arena, plan->cases, sizeof *numbers);
    const char **texts = ashi_arena_take_array(s->arena, plan->cases, sizeof *texts);
    bool numeric = true, done = numbers != NULL && texts != NULL;
    for (uint32_t i = 0; done && i < plan->cases; i++) {
        char text[64];
        const char *value = cli_plan_value(plan, i, factor, text, sizeof text);
        numeric = ashi_parse_number(value, &numbers[i]) && numeric;
        texts[i] = value; /* words are the plan's; a text made here is a number */
    }
    return done && add_column(s, "parameters", plan->factors.data[factor].name, "", numeric ? numbers : NULL,
                              numeric ? NULL : texts);
}

static bool add_measure(sheet *s, const cli_outcome *outcome, uint32_t measure)
{
    const cli_measures *m = &outcome->work->measures;
    double *numbers = ashi_arena_take_array(s->arena, outcome->journal->count, sizeof *numbers);
    for (uint32_t i = 0; numbers != NULL && i < outcome->journal->count; i++)
        numbers[i] = cli_outcome_value(outcome, i, measure);
    return numbers != NULL && add_column(s, measure < CLI_MEASURES_OF_RUN ? "run" : "outputs", m->names.data[measure],
                                         m->units.data[measure], numbers, NULL);
}

static bool add_states(sheet *s, const cli_outcome *outcome)
{
    uint32_t count = outcome->journal->count;
    double *numbers = ashi_arena_take_array(s->arena, count, sizeof *numbers);
    const char **states = ashi_arena_take_array(s->arena, count, sizeof *states);
    const char **hashes = ashi_arena_take_array(s->arena, count, sizeof *hashes);
    const char **messages = ashi_arena_take_array(s->arena, count, sizeof *messages);
    if (numbers == NULL || states == NULL || hashes == NULL || messages == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const cli_case *c = case_of(outcome, i);
        char hash[20];
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)(c != NULL ? c->hash : 0));
        numbers[i] = i;
        states[i] = cli_case_state_name(state_of(outcome, i));
        hashes[i] = ashi_arena_text(s->arena, hash);
        messages[i] = c != NULL ? c->message : "";
        if (hashes[i] == NULL)
            return false;
    }
    return add_column(s, "run", "case", "", numbers, NULL) && add_column(s, "run", "state", "", NULL, states) &&
           add_column(s, "run", "hash", "", NULL, hashes) && add_column(s, "run", "message", "", NULL, messages);
}

static int write_hdf5(const cli_outcome *outcome, const char *path)
{
    sheet s = {.arena = ashi_arena_create(1 << 16)};
    ash_diagnostic diagnostic = {0};
    bool done = s.arena != NULL && add_states(&s, outcome);
    for (uint32_t i = 0; done && i < outcome->work->plan->factors.count; i++)
        done = add_factor(&s, outcome, i);
    for (uint32_t i = 0; done && i < outcome->work->measures.names.count; i++)
        done = add_measure(&s, outcome, i);
    int status = CLI_BAD_INPUT;
    if (!done)
        cli_error("out of memory");
    else if (ashi_write_table(path, s.columns.data, s.columns.count, outcome->journal->count, outcome->title,
                              &diagnostic) != ASH_OK)
        status = cli_report(&diagnostic);
    else
        status = CLI_DONE;
    ashi_array_release(&s.columns);
    ashi_arena_destroy(s.arena);
    return status;
}

int cli_outcome_table(const cli_outcome *outcome, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/table.csv", folder);
    int status = cli_write_drawing(path, put_table, outcome);
    snprintf(path, sizeof path, "%s/table.h5", folder);
    return status == CLI_DONE ? write_hdf5(outcome, path) : status;
}
