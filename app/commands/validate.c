/* ashlar validate: the experiments, row by row, the exact or published figure beside ours.
 *
 * In text, rows that fail are printed as they come, and the others when all have been run, so that what fails stands
 * first. In Markdown the claims of the papers come first, then all rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "app/commands/claims.h"
#include "app/commands/figures.h"
#include "app/commands/validate_jobs.h"

enum { NAMES_MOST = 128, JOBS_MOST = 64 };

typedef struct validate_values {
    bool json, markdown, quick;
    uint32_t jobs;
    const char *figures;
} validate_values;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, "one JSON object, {\"rows\": [...]}", offsetof(validate_values, json), 0},
    {"markdown", 0, CLI_FLAG, NULL, "Markdown: the claims of the papers, then a table of all rows",
     offsetof(validate_values, markdown), 0},
    {"quick", 0, CLI_FLAG, NULL, "leave out experiments that take minutes", offsetof(validate_values, quick), 0},
    {"jobs", 0, CLI_COUNT, "N", "scenes at once, each in its own process (default 1); rows are the same",
     offsetof(validate_values, jobs), JOBS_MOST},
    {"figures", 0, CLI_TEXT, "DIR", "draw the papers' figures there, with an index of them and of the papers' numbers",
     offsetof(validate_values, figures), 0},
};

typedef struct row_tally {
    const validate_values *values;
    cli_rows rows;
    uint32_t counts[ASH_VERDICTS];
} row_tally;

static const cli_style verdict_styles[] = {[ASH_PASS] = CLI_GOOD, [ASH_FAIL] = CLI_BAD, [ASH_REPORTED] = CLI_DIM};

static void print_text_row(const ash_validation_row *row)
{
    enum { TEXT_COLUMN = 51 };
    char expected[32], ours[32], limit[32], text[sizeof row->scene + sizeof row->quantity + sizeof row->source + 8];
    snprintf(text, sizeof text, "%s: %s [%s]", row->scene, row->quantity, row->source);
    printf("%s%-8s%s  %12s  %12s  %11s  ", cli_style_begin(stdout, verdict_styles[row->verdict]),
           cli_verdict_name(row->verdict), cli_style_end(stdout),
           cli_number_text(row->expected, expected, sizeof expected), cli_number_text(row->ours, ours, sizeof ours),
           cli_number_text(row->limit, limit, sizeof limit));
    cli_put_wrapped(stdout, text, TEXT_COLUMN, cli_width(stdout));
    putchar('\n');
    if (row->reason[0] != '\0') {
        printf("%*s", TEXT_COLUMN, "");
        cli_put_wrapped(stdout, row->reason, TEXT_COLUMN, cli_width(stdout));
        putchar('\n');
    }
}

static void print_markdown_row(const ash_validation_row *row)
{
    char number[32];
    const char *const texts[] = {row->scene, row->quantity, row->source};
    const double numbers[] = {row->expected, row->ours, row->limit};
    for (size_t i = 0; i < 3; i++) {
        fputs("| ", stdout);
        cli_put_markdown(stdout, texts[i]);
        putchar(' ');
    }
    for (size_t i = 0; i < 3; i++)
        printf("| %s ", cli_number_text(numbers[i], number, sizeof number));
    printf("| %s", cli_verdict_name(row->verdict));
    if (row->reason[0] != '\0')
        fputs(": ", stdout);
    cli_put_markdown(stdout, row->reason);
    fputs(" |\n", stdout);
}

static json_t *row_json(const ash_validation_row *row)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "scene", cli_json_text(row->scene), "quantity",
                     cli_json_text(row->quantity), "source", cli_json_text(row->source), "expected",
                     cli_json_number(row->expected), "ours", cli_json_number(row->ours), "limit",
                     cli_json_number(row->limit), "verdict", cli_verdict_name(row->verdict), "reason",
                     row->reason[0] != '\0' ? cli_json_text(row->reason) : json_null());
}

static json_t *point_json(const ash_validation_row *row)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "scene", cli_json_text(row->scene), "figure",
                     cli_json_text(row->source), "curve", cli_json_text(row->quantity), "at", cli_json_number(row->at),
                     "expected", cli_json_number(row->expected), "ours", cli_json_number(row->ours));
}

/* Nothing reads on when standard output has failed, so the experiments then stop. */
static bool take_row(const ash_validation_row *row, void *user)
{
    row_tally *tally = user;
    tally->counts[row->verdict]++;
    if (!ashi_array_extend(&tally->rows))
        return false;
    tally->rows.data[tally->rows.count - 1] = *row;
    if (tally->values->json || tally->values->markdown || row->verdict != ASH_FAIL)
        return true; /* printed at the end */
    print_text_row(row);
    return fflush(stdout) == 0 && ferror(stdout) == 0;
}

static int print_rows(const row_tally *tally)
{
    const cli_rows *rows = &tally->rows;
    if (tally->values->json) {
        json_t *list = json_array(), *points = json_array();
        for (uint32_t i = 0; i < rows->count; i++)
            if (rows->data[i].verdict == ASH_POINT)
                cli_json_append(points, point_json(&rows->data[i]));
            else
                cli_json_append(list, row_json(&rows->data[i]));
        return cli_json_print(
            json_pack("{s:o, s:o, s:o}", "rows", list, "claims", cli_claims_json(rows), "points", points));
    }
    if (tally->values->markdown) {
        if (cli_claims_print(rows) > 0)
            printf("\n## All rows\n\n");
        printf("| scene | quantity | source | expected | ours | limit | verdict |\n"
               "|---|---|---|---:|---:|---:|---|\n");
    }
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->data[i].verdict == ASH_POINT)
            continue;
        else if (tally->values->markdown)
            print_markdown_row(&rows->data[i]);
        else if (rows->data[i].verdict != ASH_FAIL)
            print_text_row(&rows->data[i]);
    return ferror(stdout) == 0 ? CLI_DONE : CLI_BAD_INPUT;
}

static int check_names(char **names, uint32_t count)
{
    const char *known[NAMES_MOST];
    uint32_t known_count = 0;
    for (uint32_t i = 0; i < ash_builtin_count() && i < NAMES_MOST; i++)
        known[known_count++] = ash_builtin_get(i).name;
    for (uint32_t i = 0; i < count; i++) {
        ash_builtin_info info;
        char suggestion[96];
        if (cli_builtin_find(names[i], &info))
            continue;
        cli_error("validate: there is no built-in scene \"%s\"%s", names[i],
                  ashi_did_you_mean(names[i], known, known_count, suggestion, sizeof suggestion));
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

static void print_head(const validate_values *values)
{
    if (!values->json && !values->markdown)
        printf("%s%-8s  %12s  %12s  %11s  %s%s\n", cli_style_begin(stdout, CLI_BOLD), "verdict", "expected", "ours",
               "limit", "scene: quantity [source]", cli_style_end(stdout));
}

static bool is_among(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Rows come as processes have them: here they are put into the order of the scenes. */
static bool put_in_order(row_tally *tally, const char *const *names, uint32_t count)
{
    cli_rows sorted = {0};
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++)
        for (uint32_t k = 0; k < tally->rows.count && good; k++)
            if (strcmp(tally->rows.data[k].scene, names[i]) == 0) {
                good = ashi_array_extend(&sorted);
                if (good)
                    sorted.data[sorted.count - 1] = tally->rows.data[k];
            }
    if (!good) {
        ashi_array_release(&sorted);
        cli_error("out of memory");
        return false;
    }
    ashi_array_release(&tally->rows);
    tally->rows = sorted;
    return true;
}

static int run_one_by_one(char **names, uint32_t count, row_tally *tally)
{
    ash_diagnostic diagnostic = {0};
    ash_status outcome = ASH_OK;
    if (count == 0 && !tally->values->quick)
        outcome = ash_validate(NULL, take_row, tally, &diagnostic);
    for (uint32_t i = 0; i < ash_builtin_count() && count == 0 && tally->values->quick && outcome == ASH_OK; i++)
        if (!ash_builtin_get(i).lengthy)
            outcome = ash_validate(ash_builtin_get(i).name, take_row, tally, &diagnostic);
    for (uint32_t i = 0; i < count && outcome == ASH_OK; i++)
        outcome = ash_validate(names[i], take_row, tally, &diagnostic);
    return outcome == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

static int run_at_once(char **asked, uint32_t count, row_tally *tally)
{
    const char *names[NAMES_MOST];
    uint32_t scenes = 0;
    for (uint32_t i = 0; i < count && scenes < NAMES_MOST; i++)
        if (!is_among(names, scenes, asked[i]))
            names[scenes++] = asked[i];
    for (uint32_t i = 0; i < ash_builtin_count() && count == 0 && scenes < NAMES_MOST; i++)
        if (!tally->values->quick || !ash_builtin_get(i).lengthy)
            names[scenes++] = ash_builtin_get(i).name;
    int status = cli_validate_at_once(names, scenes, tally->values->jobs, take_row, tally);
    return put_in_order(tally, names, scenes) ? status : CLI_BAD_INPUT;
}

static int run_experiments(char **names, uint32_t count, row_tally *tally)
{
    bool several = tally->values->jobs > 1;
    int status = several ? run_at_once(names, count, tally) : run_one_by_one(names, count, tally);
    if (status == CLI_DONE && tally->counts[ASH_FAIL] > 0)
        status = CLI_CHECK_FAILED;
    return status;
}

static int validate(int argc, char **argv)
{
    validate_values values = {.jobs = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_validate, argc, argv, &values, &operand_count, &status))
        return status;
    if (values.json && values.markdown) {
        cli_error("validate: --json and --markdown exclude each other");
        return CLI_BAD_INPUT;
    }
    status = check_names(argv, operand_count);
    if (status == CLI_DONE && values.figures != NULL)
        status = cli_figures_prepare(values.figures);
    if (status != CLI_DONE)
        return status;
    row_tally tally = {.values = &values};
    print_head(&values);
    status = run_experiments(argv, operand_count, &tally);
    int printed = print_rows(&tally);
    const uint32_t *counts = tally.counts;
    fprintf(values.json ? stderr : stdout, "%s%u rows: %u pass, %u fail, %u reported\n", values.markdown ? "\n" : "",
            (unsigned)(counts[ASH_PASS] + counts[ASH_FAIL] + counts[ASH_REPORTED]), (unsigned)counts[ASH_PASS],
            (unsigned)counts[ASH_FAIL], (unsigned)counts[ASH_REPORTED]);
    if (values.figures != NULL && status <= CLI_CHECK_FAILED) {
        int drawn = cli_figures_draw(&tally.rows, argv, operand_count, values.quick, values.figures);
        status = drawn != CLI_DONE ? drawn : status;
    }
    ashi_array_release(&tally.rows);
    if (printed != CLI_DONE)
        status = printed;
    return status;
}

const cli_command cli_validate = {
    .name = "validate",
    .summary = "run the experiments: the exact or published figure beside ours",
    .operands = "[NAME...]",
    .operands_most = UINT32_MAX,
    .about = "Runs the experiments of the built-in scenes named, or of all, and prints a row for each figure:\n"
             "what is expected and by whom, what Ashlar computes, the limit on the difference, the verdict.\n"
             "Rows without a limit are \"reported\" only. Rows that fail come first, with the reason where one is\n"
             "known; the exit status is then 1. No verdict depends on the speed of the machine.\n"
             "--figures then draws the papers' figures, of the scenes named or all: DIR/index.html shows them.",
    .examples = "  ashlar validate\n"
                "  ashlar validate free-fall oscillator\n"
                "  ashlar validate --quick\n"
                "  ashlar validate --jobs 2 --markdown\n"
                "  ashlar validate oscillator string --figures out/figures",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = validate,
};
