/* What solves have come to: tables of text, and JSON. */
#include "app/commands/solve_report.h"

#include <math.h>
#include <stdio.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"
#include "app/cli/table.h"

enum { ROWS_SHOWN = 30 };

/* ---- text ---- */

static const char *law_name(ash_friction_law law)
{
    static const char *const names[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
    return names[law];
}

uint32_t cli_problem_blocks(const ash_problem *p)
{
    return p->block_count + p->point_count;
}

uint32_t cli_problem_rows(const ash_problem *p)
{
    uint32_t rows = p->row_count;
    for (uint32_t i = 0; i < p->contact_count; i++) {
        const ash_problem_contact *contact = &p->contacts[i];
        rows += contact->point_count * (1u + contact->tangents + contact->rollings + contact->spins);
    }
    return rows;
}

/* The contact of a point. */
static const ash_problem_contact *contact_of(const ash_problem *p, uint32_t point)
{
    uint32_t i = 0;
    while (point >= p->contacts[i].first_point + p->contacts[i].point_count)
        i++;
    return &p->contacts[i];
}

static void print_worst(const ash_problem *problem, const ash_yardstick *error)
{
    if (error->worst_block >= cli_problem_blocks(problem))
        return;
    if (error->worst_block >= problem->block_count) {
        uint32_t point = error->worst_block - problem->block_count;
        const ash_problem_contact *contact = contact_of(problem, point);
        printf("worst:     point %u, of a contact of bodies %u and %u\n", (unsigned)point, (unsigned)contact->body_a,
               (unsigned)contact->body_b);
        return;
    }
    const ash_problem_block *block = &problem->blocks[error->worst_block];
    printf("worst:     block %u, rows of bodies %u and %u\n", (unsigned)error->worst_block, (unsigned)block->body_a,
           (unsigned)block->body_b);
}

/* Every row of a short history; of a long one the first, then 1, 2, 5, 10, 20, ..., and the last. */
static bool is_shown(uint32_t i, uint32_t count)
{
    if (count <= ROWS_SHOWN || i + 1 == count || i <= 5)
        return true;
    uint32_t decade = 1;
    while (decade <= i / 10)
        decade *= 10;
    return i == decade || i == 2 * decade || i == 5 * decade;
}

static bool print_history(const ash_solve_trace *trace)
{
    cli_table table = cli_table_begin("rrrr", true);
    static const char *const heads[] = {"iteration", "error (m/s)", "theta", "time (ms)"};
    for (int i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!is_shown(i, trace->count))
            continue;
        cli_table_cell(&table, "%u", (unsigned)i);
        cli_table_cell(&table, "%.4g", trace->residual[i]);
        cli_table_cell(&table, "%.4g", trace->theta[i]);
        cli_table_cell(&table, "%.4g", 1e3 * trace->seconds[i]);
    }
    bool printed = cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
    return printed;
}

void cli_put_problem_size(FILE *stream, const ash_problem *p)
{
    cli_put_count(stream, p->body_count, "body, ", "bodies, ");
    cli_put_count(stream, cli_problem_blocks(p), "block, ", "blocks, ");
    cli_put_count(stream, cli_problem_rows(p), "row, ", "rows, ");
    cli_put_count(stream, p->island_count, "island", "islands");
}

static void print_problem(const char *name, const ash_problem *p)
{
    printf("problem:   ");
    cli_put_text(stdout, name);
    printf(", ");
    cli_put_problem_size(stdout, p);
    printf(", friction by %s\n", law_name(p->law));
}

/* What came of it, for people: the flags, and whether the tolerance was reached where they are silent about it. */
static const char *outcome(uint32_t flags, char *text, size_t size)
{
    char words[96];
    if (flags & ASH_SOLVE_CONVERGED)
        return ash_solve_flags_text(flags, text, size);
    snprintf(text, size, "not converged%s%s", flags != 0 ? ", " : "",
             flags != 0 ? ash_solve_flags_text(flags, words, sizeof words) : "");
    return text;
}

static bool print_one(const ash_problem *p, const cli_history *history)
{
    const ash_solve_result *result = &history->result;
    char text[128];
    printf("solver:    %s, %u iteration%s in %.4g ms: %s\n", history->label, (unsigned)result->iterations,
           result->iterations == 1 ? "" : "s", 1e3 * result->seconds, outcome(result->flags, text, sizeof text));
    printf("error:     %.4g m/s, mean %.4g m/s; theta %.4g\n", result->error.largest, result->error.mean,
           result->error.theta);
    if (!isnan(history->fclib))
        printf("FCLIB:     %.4g by its own measure, the natural map\n", history->fclib);
    print_worst(p, &result->error);
    if (history->trace.count == 0)
        return true;
    putchar('\n');
    return print_history(&history->trace);
}

static bool print_several(const cli_history *histories, uint32_t count)
{
    static const char *const heads[] = {"solver", "iterations", "error (m/s)", "theta", "of its own", "ms", "outcome"};
    cli_table table = cli_table_begin("lrrrrrl", true);
    char text[128];
    for (int i = 0; i < 7; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < count; i++) {
        const ash_solve_result *result = &histories[i].result;
        const ash_solve_trace *trace = &histories[i].trace;
        cli_table_cell(&table, "%s", histories[i].label);
        cli_table_cell(&table, "%u", (unsigned)result->iterations);
        cli_table_cell(&table, "%.4g", result->error.largest);
        cli_table_cell(&table, "%.4g", result->error.theta);
        if (cli_history_has_own(&histories[i]) && trace->count > 0)
            cli_table_cell(&table, "%.4g", trace->own_theta[trace->count - 1]);
        else
            cli_table_cell(&table, "-");
        cli_table_cell(&table, "%.4g", 1e3 * result->seconds);
        cli_table_cell(&table, "%s", outcome(result->flags, text, sizeof text));
    }
    bool printed = cli_table_print(&table, stdout, 0);
    cli_table_release(&table);
    return printed;
}

int cli_solve_print(const char *name, const ash_problem *problem, const cli_history *histories, uint32_t count)
{
    print_problem(name, problem);
    if (count == 1 ? print_one(problem, histories) : print_several(histories, count))
        return CLI_DONE;
    cli_error("out of memory");
    return CLI_BAD_INPUT;
}

/* ---- JSON ---- */

static json_t *numbers_json(const double *numbers, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        cli_json_append(array, cli_json_number(numbers[i]));
    return array;
}

static json_t *flags_json(uint32_t flags)
{
    json_t *array = json_array();
    char word[32];
    for (uint32_t bit = 1; bit != 0 && bit <= flags; bit <<= 1)
        if (flags & bit)
            cli_json_append(array, json_string(ash_solve_flags_text(bit, word, sizeof word)));
    return array;
}

/* Adds what a solver has come to. */
static void set_result(json_t *object, const ash_problem *p, const cli_history *history)
{
    const ash_solve_result *result = &history->result;
    const ash_solve_trace *trace = &history->trace;
    const ash_yardstick *error = &result->error;
    json_t *worst = error->worst_block < cli_problem_blocks(p) ? json_integer(error->worst_block) : json_null();
    cli_json_set(object, "solver", cli_json_text(history->label));
    cli_json_set(object, "iterations", json_integer(result->iterations));
    cli_json_set(object, "seconds", cli_json_number(result->seconds));
    cli_json_set(object, "flags", flags_json(result->flags));
    cli_json_set(object, "error",
                 json_pack("{s:o, s:o, s:o, s:o}", "max", cli_json_number(error->largest), "mean",
                           cli_json_number(error->mean), "worst_block", worst, "theta", cli_json_number(error->theta)));
    cli_json_set(object, "fclib", cli_json_number(history->fclib));
    cli_json_set(object, "history",
                 json_pack("{s:o, s:o, s:o, s:o}", "error", numbers_json(trace->residual, trace->count), "theta",
                           numbers_json(trace->theta, trace->count), "own_theta",
                           numbers_json(trace->own_theta, trace->count), "seconds",
                           numbers_json(trace->seconds, trace->count)));
}

int cli_solve_print_json(const char *name, const ash_problem *p, const cli_history *histories, uint32_t count)
{
    json_t *document = json_pack("{s:o, s:i, s:i, s:i, s:i, s:s}", "problem", cli_json_text(name), "bodies",
                                 (int)p->body_count, "blocks", (int)cli_problem_blocks(p), "rows",
                                 (int)cli_problem_rows(p), "islands", (int)p->island_count, "law", law_name(p->law));
    if (count == 1) {
        set_result(document, p, histories);
        return cli_json_print(document);
    }
    json_t *solvers = json_array();
    for (uint32_t i = 0; i < count; i++) {
        json_t *one = json_object();
        set_result(one, p, &histories[i]);
        cli_json_append(solvers, one);
    }
    cli_json_set(document, "solvers", solvers);
    return cli_json_print(document);
}
