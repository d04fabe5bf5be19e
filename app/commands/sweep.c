/* ashlar sweep: a scene with many values of its parameters, on all cores or as an MPI job. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/file.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "app/sweep/outcome.h"
#include "app/sweep/queue.h"
#include "base/alloc.h"
#include "scene/description/description.h"

enum { JOBS_MOST = 512, THREADS_MOST = 256, SEED_MOST = 1000000000 };

typedef struct sweep_values {
    cli_choice choice;
    cli_texts vary, random;
    const char *cases, *sampling, *out, *worst;
    uint32_t runs, seed, jobs, threads;
    bool json;
} sweep_values;

static const cli_option options[] = {
    {"vary", 0, CLI_TEXTS, "KEY=VALUES", "values of a parameter: LOW:HIGH:COUNT, the same with :log, or A,B,...",
     offsetof(sweep_values, vary), 0},
    {"random", 0, CLI_TEXTS, "KEY=DISTRIBUTION", "such as normal(1,0.1), uniform(0,2) or choice(A,B)",
     offsetof(sweep_values, random), 0},
    {"runs", 0, CLI_COUNT, "N", "random samples of each combination", offsetof(sweep_values, runs),
     CLI_SWEEP_MOST_CASES},
    {"sampling", 0, CLI_TEXT, "WAY", "latin (hypercube, default), sobol or random", offsetof(sweep_values, sampling),
     0},
    {"seed", 0, CLI_WHOLE, "N", "of the random samples (default 0)", offsetof(sweep_values, seed), SEED_MOST},
    {"cases", 0, CLI_TEXT, "FILE", "rows of a CSV file whose first line has the keys", offsetof(sweep_values, cases),
     0},
    {"out", 0, CLI_TEXT, "DIR", "directory of results; an interrupted sweep there is continued",
     offsetof(sweep_values, out), 0},
    {"worst", 0, CLI_TEXT, "OUTPUT", "the case where this is greatest (OUTPUT:least: least) is named and recorded",
     offsetof(sweep_values, worst), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields", offsetof(sweep_values, choice.method),
     0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter or a field of the method in all cases; may be repeated",
     offsetof(sweep_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(sweep_values, choice.step), 0},
    {"time", 0, CLI_SECONDS, "T", "length of a run, s (default: the scene's)", offsetof(sweep_values, choice.time), 0},
    {"jobs", 0, CLI_COUNT, "N", "processes that run cases (default: one per core; in an MPI job one per rank)",
     offsetof(sweep_values, jobs), JOBS_MOST},
    {"threads", 0, CLI_COUNT, "N", "threads of each run (default 1)", offsetof(sweep_values, threads), THREADS_MOST},
    {"json", 0, CLI_FLAG, NULL, "the summary as one JSON object", offsetof(sweep_values, json), 0},
};

static bool make_plan(const sweep_values *values, cli_plan *plan)
{
    bool done = true;
    for (uint32_t i = 0; done && i < values->vary.count; i++)
        done = cli_plan_vary(plan, values->vary.data[i]);
    if (done && values->cases != NULL)
        done = cli_plan_file(plan, values->cases);
    for (uint32_t i = 0; done && i < values->random.count; i++)
        done = cli_plan_random(plan, values->random.data[i]);
    if (done && plan->factors.count == 0) {
        cli_error("sweep: nothing differs between cases: give --vary, --random or --cases");
        done = false;
    }
    return done && cli_plan_finish(plan, values->runs, values->sampling, values->seed);
}

/* All that results depend on, as text: the plan, what holds for all cases, and the scene as it is without them. */
static char *identify(const cli_work *work, const ash_scene *scene)
{
    char *written = NULL;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_write(scene, &written, &size, &diagnostic) != ASH_OK)
        return NULL;
    json_t *set = json_array();
    for (uint32_t i = 0; i < work->choice.set.count; i++)
        cli_json_append(set, cli_json_text(work->choice.set.data[i]));
    json_t *document = json_pack("{s:s, s:o, s:o, s:o, s:o, s:f, s:f, s:s}", "version", ash_version(), "scene",
                                 cli_json_text(work->scene), "plan", cli_plan_json(work->plan), "set", set, "method",
                                 work->choice.method != NULL ? cli_json_text(work->choice.method) : json_null(), "step",
                                 work->choice.step, "time", work->choice.time, "text", written);
    char *text = document != NULL ? json_dumps(document, JSON_SORT_KEYS) : NULL;
    char *copy = text != NULL ? ashi_copy_text(text) : NULL;
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    json_decref(document);
    ash_free(written);
    return copy;
}

/* What is told while cases are run. */
typedef struct sweep_progress {
    cli_progress bar;
    char label[64];
} sweep_progress;

static bool tell(const cli_queue *queue, void *user)
{
    sweep_progress *progress = user;
    snprintf(progress->label, sizeof progress->label, "%u of %u cases", (unsigned)queue->journal->known,
             (unsigned)queue->journal->count);
    progress->bar.label = progress->label;
    return cli_progress_share((double)queue->journal->known / queue->journal->count, &progress->bar) &&
           cli_interrupted() == 0;
}

/* How many cases ended in each way. */
typedef struct tally {
    uint32_t of[CLI_CASE_LOST + 1];
} tally;

static tally count_states(const cli_journal *journal)
{
    tally t = {{0}};
    for (uint32_t i = 0; i < journal->count; i++)
        t.of[journal->cases[i] != NULL ? journal->cases[i]->state : CLI_CASE_OPEN]++;
    return t;
}

static json_t *statistics_json(const cli_outcome *outcome)
{
    json_t *object = json_object();
    const cli_measures *m = &outcome->work->measures;
    for (uint32_t i = 0; i < m->names.count; i++) {
        cli_statistics s = cli_outcome_statistics(outcome, i);
        if (s.count > 0)
            cli_json_set(object, m->names.data[i],
                         json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:i, s:i}", "unit", m->units.data[i], "cases",
                                   (int)s.count, "least", cli_json_number(s.least), "mean", cli_json_number(s.mean),
                                   "deviation", cli_json_number(s.deviation), "greatest", cli_json_number(s.greatest),
                                   "least_case", (int)s.least_case, "greatest_case", (int)s.greatest_case));
    }
    return object;
}

static json_t *worst_json(const cli_outcome *outcome, const cli_criterion *criterion, uint32_t worst)
{
    const cli_work *work = outcome->work;
    json_t *settings = json_object();
    if (worst == UINT32_MAX) {
        json_decref(settings);
        return json_null();
    }
    for (uint32_t i = 0; i < work->plan->factors.count; i++) {
        char text[64];
        cli_json_set(settings, work->plan->factors.data[i].name,
                     cli_json_text(cli_plan_value(work->plan, worst, i, text, sizeof text)));
    }
    return json_pack("{s:i, s:o, s:s, s:o}", "case", (int)worst, "settings", settings, "by",
                     work->measures.names.data[criterion->measure], "value",
                     cli_json_number(cli_outcome_value(outcome, worst, criterion->measure)));
}

static json_t *summary_json(const cli_outcome *outcome, const cli_criterion *criterion, uint32_t worst)
{
    tally t = count_states(outcome->journal);
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "scene", outcome->title, "cases",
                     (int)outcome->journal->count, "done", (int)t.of[CLI_CASE_DONE], "broken",
                     (int)t.of[CLI_CASE_BROKEN], "refused", (int)t.of[CLI_CASE_REFUSED], "open",
                     (int)t.of[CLI_CASE_OPEN], "worst", worst_json(outcome, criterion, worst), "measured",
                     statistics_json(outcome));
}

static void print_summary(const cli_outcome *outcome, const cli_criterion *criterion, uint32_t worst,
                          const char *folder)
{
    const cli_measures *m = &outcome->work->measures;
    tally t = count_states(outcome->journal);
    char text[512];
    printf("%s: %u of %u cases done", outcome->title, (unsigned)t.of[CLI_CASE_DONE], (unsigned)outcome->journal->count);
    for (int i = CLI_CASE_BROKEN; i <= CLI_CASE_REFUSED; i++)
        if (t.of[i] > 0)
            printf(", %u %s", (unsigned)t.of[i], cli_case_state_name((cli_case_state)i));
    if (t.of[CLI_CASE_OPEN] > 0)
        printf(", %u open", (unsigned)t.of[CLI_CASE_OPEN]);
    printf("\n");
    cli_table table = cli_table_begin("llrrrr", true);
    static const char *const headings[] = {"measured", "unit", "least", "mean", "deviation", "greatest"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        cli_table_cell(&table, "%s", headings[i]);
    for (uint32_t i = 0; i < m->names.count; i++) {
        cli_statistics s = cli_outcome_statistics(outcome, i);
        if (s.count == 0 || (i >= CLI_MEASURES_OF_RUN && (i - CLI_MEASURES_OF_RUN) % CLI_OUTPUT_MEASURES != 0))
            continue;
        cli_table_cell(&table, "%s", m->names.data[i]);
        cli_table_cell(&table, "%s", m->units.data[i]);
        cli_table_number(&table, s.least);
        cli_table_number(&table, s.mean);
        cli_table_number(&table, s.deviation);
        cli_table_number(&table, s.greatest);
    }
    table.indent = 2;
    cli_table_print(&table, stdout, cli_width(stdout));
    cli_table_release(&table);
    if (worst != UINT32_MAX) {
        printf("worst     case %u by \"%s\": ", (unsigned)worst, m->names.data[criterion->measure]);
        cli_put_text(stdout, cli_work_settings(outcome->work, worst, text, sizeof text));
        printf("\n");
    }
    printf("files     ");
    cli_put_text(stdout, folder);
    printf("/: table.csv, table.h5, sweep.html, summary.json%s\n", worst != UINT32_MAX ? ", worst/" : "");
}

static bool never(void)
{
    return cli_interrupted() != 0;
}

/* Runs the worst case once more and keeps its files. */
static int record_worst(const cli_work *work, uint32_t worst, const char *folder)
{
    char path[4096];
    cli_case *result = ashi_alloc(cli_case_size(&work->measures));
    if (result == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    snprintf(path, sizeof path, "%s/worst", folder);
    cli_work_run(work, worst, path, never, result);
    bool kept = result->state == CLI_CASE_DONE || result->state == CLI_CASE_BROKEN;
    if (!kept)
        cli_error("sweep: the worst case cannot be recorded: %s", result->message);
    ashi_dealloc(result);
    return kept ? CLI_DONE : CLI_BAD_INPUT;
}

static int finish(const cli_outcome *outcome, const sweep_values *values)
{
    cli_criterion criterion;
    char path[4096];
    cli_outcome_criterion(outcome->work, values->worst, &criterion);
    if (values->worst == NULL && cli_outcome_statistics(outcome, criterion.measure).count == 0)
        criterion.measure = CLI_MEASURE_RESIDUAL;
    uint32_t worst = cli_outcome_worst(outcome, &criterion);
    int status = cli_outcome_table(outcome, values->out);
    if (status == CLI_DONE && worst != UINT32_MAX)
        status = record_worst(outcome->work, worst, values->out);
    if (status == CLI_DONE)
        status = cli_outcome_page(outcome, &criterion, worst, values->out);
    json_t *summary = summary_json(outcome, &criterion, worst);
    char *text = summary != NULL ? json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    snprintf(path, sizeof path, "%s/summary.json", values->out);
    if (status == CLI_DONE && text != NULL)
        status = cli_write_file(path, text, strlen(text));
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    if (text != NULL)
        release(text);
    if (status == CLI_DONE && values->json)
        return cli_json_print(summary);
    json_decref(summary);
    if (status == CLI_DONE)
        print_summary(outcome, &criterion, worst, values->out);
    return status;
}

/* Rank 0, or the only one: hands out cases, keeps results, and sums up. */
static int lead(const cli_work *work, cli_crew *crew, cli_ranks *ranks, const ash_scene *scene,
                const sweep_values *values)
{
    cli_journal journal = {.file = -1};
    char *identity = identify(work, scene);
    int status = CLI_BAD_INPUT;
    if (identity == NULL)
        cli_error("out of memory");
    bool opened = identity != NULL &&
                  cli_journal_open(&journal, values->out, work->plan->cases, cli_case_size(&work->measures), identity);
    sweep_progress progress = {.bar = cli_progress_begin("sweep")};
    cli_queue queue = {.crew = crew, .ranks = ranks, .journal = &journal, .told = tell, .user = &progress};
    queue.failed = !opened;
    cli_queue_run(&queue);
    cli_progress_end(&progress.bar);
    if (opened && !queue.failed) {
        const cli_outcome outcome = {work, &journal, scene->name};
        status = cli_interrupted() != 0 ? 128 + cli_interrupted() : finish(&outcome, values);
    }
    if (queue.lost > 0)
        cli_error("sweep: %u %s lost, because its process ended; the same command runs the remaining cases",
                  (unsigned)queue.lost, queue.lost == 1 ? "case was" : "cases were");
    if (cli_interrupted() != 0)
        cli_error("sweep: interrupted with %u of %u cases done; the same command continues", (unsigned)journal.known,
                  (unsigned)journal.count);
    if (status == CLI_DONE && journal.known < journal.count)
        status = CLI_CANNOT_GO_ON;
    cli_journal_close(&journal);
    ashi_dealloc(identity);
    return status;
}

static uint32_t default_jobs(const cli_ranks *ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return ranks->count > 1 || cores < 1 ? 1 : cores < JOBS_MOST ? (uint32_t)cores : JOBS_MOST;
}

static int run_cases(cli_work *work, const sweep_values *values)
{
    cli_criterion criterion;
    cli_ranks ranks;
    cli_crew crew = {0};
    ash_scene *scene = NULL;
    int status = cli_choice_open(work->scene, &work->choice, &scene);
    if (status != CLI_DONE)
        return status;
    status = CLI_BAD_INPUT;
    bool ready = cli_work_prepare(work) && cli_outcome_criterion(work, values->worst, &criterion);
    if (ready && cli_ranks_join(&ranks)) {
        cli_interrupt_watch();
        if (cli_crew_start(&crew, work, &ranks, values->jobs > 0 ? values->jobs : default_jobs(&ranks))) {
            if (ranks.rank == 0)
                status = lead(work, &crew, &ranks, scene, values);
            else
                cli_queue_serve(&(cli_queue){.crew = &crew, .ranks = &ranks});
        }
        status = ranks.rank > 0 ? CLI_DONE : status;
        cli_crew_end(&crew);
        cli_ranks_leave(&ranks);
    }
    ash_scene_destroy(scene);
    return status;
}

static int sweep(int argc, char **argv)
{
    sweep_values values = {0};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_sweep, argc, argv, &values, &operand_count, &status))
        return status;
    cli_plan plan = {0};
    cli_work work = {
        .scene = argv[0], .choice = values.choice, .threads = values.threads > 0 ? values.threads : 1, .plan = &plan};
    status = CLI_BAD_INPUT;
    if (values.out == NULL)
        cli_error("sweep: --out DIR is missing: results are stored there as they arrive");
    else if (make_plan(&values, &plan))
        status = run_cases(&work, &values);
    cli_work_release(&work);
    cli_plan_release(&plan);
    cli_options_release(cli_sweep.options, cli_sweep.option_count, &values);
    return status;
}

const cli_command cli_sweep = {
    .name = "sweep",
    .summary = "many cases of a scene, on all cores or by MPI: one table, statistics, the worst case",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about = "Runs SCENE for every combination of the values that --vary gives to its parameters, fields of its\n"
             "method, method, step or time, and each combination for every random sample and every row of --cases.\n"
             "Cases run in their own processes, on all cores, and under mpirun on all ranks. Results are stored in\n"
             "DIR as they arrive: the same command continues an interrupted sweep. The table does not depend\n"
             "on how many processes ran it. A case whose process is killed is lost alone, and the exit status is 3.\n"
             "DIR then has table.csv and table.h5 (parameters, state, final value, least, greatest and mean of every\n"
             "output), sweep.html (outputs over parameters, histograms), summary.json, and the recording of the worst\n"
             "case: one that broke off, or the worst check, or the greatest residual.",
    .examples = "  ashlar sweep incline --vary friction=0.1:0.9:9 --vary method=realtime,engineering --out slopes\n"
                "  ashlar sweep my-scene.json --random 'mass=normal(1,0.1)' --runs 1000 --out cloud\n"
                "  mpirun -n 64 ashlar sweep my-scene.json --vary n=1:100:100 --out many",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = sweep,
};
