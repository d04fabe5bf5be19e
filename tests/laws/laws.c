/* ashlar-laws: judges generated worlds by all laws and presets. docs/laws.md explains how to read what it prints.
 *
 * Worlds are shared out to processes, so that one that crashes is a failure like others: its seed is known, and a new
 * process goes on behind it. */
#define _GNU_SOURCE /* for anonymous shared memory */
#include "long_runs.h"
#include "shrink.h"
#include "tally.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64 };

typedef struct law_options {
    bool families[FAMILIES], laws[LAWS], methods[MOST_METHODS];
    uint64_t worlds, seed; /* of each family */
    double seconds;        /* 0: no limit */
    uint32_t jobs, shrink; /* failing worlds to shrink of each kind that is not known */
    const char *out, *known;
    bool all; /* shrink known failures, too */
    bool complete, update;
    double long_seconds; /* above 0: long runs of built-in scenes instead, each for so long at most */
    const char *scene;   /* of long runs; null: all */
} law_options;

/* What a process tells: shared memory. */
typedef struct law_report {
    law_tally tally;
    uint64_t next, done; /* numbers of worlds: under way, and finished */
    law_family family;   /* under way */
    uint64_t seed;
    law_number law;
    uint32_t method;
    bool finished;
} law_report;

static uint32_t chosen_families(const law_options *options, law_family list[FAMILIES])
{
    uint32_t count = 0;
    for (law_family family = 0; family < FAMILIES; family++)
        if (options->families[family])
            list[count++] = family;
    return count;
}

static void set_preset(ash_scene *scene, uint32_t method)
{
    ash_method_find(ash_method_name(method), &scene->method, NULL);
}

/* All laws that suit the family, by one method. */
static void judge_world(const law_options *options, law_report *report, ash_scene *scene, law_family family,
                        uint64_t seed)
{
    law_case one;
    ash_diagnostic diagnostic = {0};
    if (!law_case_begin(scene, &one, &diagnostic)) {
        fprintf(stderr, "%s: %s: %s\n", scene->name, diagnostic.path, diagnostic.message);
        abort(); /* the generator makes worlds that exist */
    }
    for (law_number law = 0; law < LAWS; law++) {
        if (!options->laws[law] || !law_suits(law, family))
            continue;
        report->law = law;
        law_verdict verdict = law_judge(law, &one);
        law_tally_add(&report->tally, law, family, report->method, seed, &verdict);
    }
    law_case_end(&one);
}

static void work(const law_options *options, law_report *report, double started)
{
    law_family families[FAMILIES];
    uint32_t count = chosen_families(options, families);
    uint64_t all = options->worlds * count;
    for (; report->next < all; report->next += options->jobs) {
        if (options->seconds > 0 && ashi_seconds() - started > options->seconds)
            break;
        report->family = families[report->next % count];
        report->seed = options->seed + report->next / count;
        for (report->method = 0; report->method < ash_method_count(); report->method++) {
            if (!options->methods[report->method])
                continue;
            ash_scene *scene = law_generate(report->family, report->seed);
            set_preset(scene, report->method);
            judge_world(options, report, scene, report->family, report->seed);
            ash_scene_destroy(scene);
        }
        report->done++;
    }
    report->finished = true;
}

static void show_progress(const law_options *options, const law_report *reports, double started)
{
    law_family families[FAMILIES];
    double all = (double)(options->worlds * chosen_families(options, families)), done = 0, failed = 0;
    for (uint32_t job = 0; job < options->jobs; job++) {
        done += (double)reports[job].done;
        for (law_number law = 0; law < LAWS; law++)
            for (law_family family = 0; family < FAMILIES; family++)
                for (uint32_t method = 0; method < MOST_METHODS; method++)
                    failed += (double)reports[job].tally.cells[law][family][method].failed;
    }
    double share = done / all, gone = ashi_seconds() - started;
    if (options->seconds > 0)
        share = fmax(share, gone / options->seconds);
    int filled = (int)(30 * fmin(share, 1));
    fprintf(stderr, "\r[%.*s%.*s] %.0f of %.0f worlds, %.0f failures, %.0f s ", filled,
            "##############################", 30 - filled, "..............................", done, all, failed, gone);
    fflush(stderr);
}

static pid_t start_process(const law_options *options, law_report *report, double started)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        work(options, report, started);
        fflush(NULL);
        _exit(0);
    }
    return child;
}

/* A process that died: its world fails the law `finite`, and another process goes on behind it. */
static void note_crash(const law_options *options, law_report *report)
{
    law_verdict crash = {.applies = true, .figure = INFINITY, .limit = 0};
    fprintf(stderr, "\ncrash: law %s, family %s, seed %llu, method %s\n", law_name(report->law),
            law_family_name(report->family), (unsigned long long)report->seed, ash_method_name(report->method));
    law_tally_add(&report->tally, LAW_FINITE, report->family, report->method, report->seed, &crash);
    report->next += options->jobs;
    report->done++;
}

/* Runs all processes to their end. */
static bool judge_all(const law_options *options, law_report *reports)
{
    pid_t children[MOST_JOBS];
    double started = ashi_seconds();
    uint32_t running = options->jobs;
    bool visible = isatty(2);
    for (uint32_t job = 0; job < options->jobs; job++) {
        reports[job].next = job;
        children[job] = start_process(options, &reports[job], started);
    }
    while (running > 0) {
        int status;
        pid_t ended = waitpid(-1, &status, visible ? WNOHANG : 0);
        if (ended == 0) {
            show_progress(options, reports, started);
            nanosleep(&(struct timespec){0, 200000000}, NULL);
            continue;
        }
        if (ended < 0)
            return false;
        for (uint32_t job = 0; job < options->jobs; job++) {
            if (children[job] != ended)
                continue;
            running--;
            if (!reports[job].finished) {
                note_crash(options, &reports[job]);
                children[job] = start_process(options, &reports[job], started);
                running++;
            }
        }
    }
    if (visible)
        fprintf(stderr, "\r%80s\r", "");
    return true;
}

static bool write_scene(const ash_scene *scene, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_write(scene, &text, &size, &diagnostic) != ASH_OK) {
        fprintf(stderr, "%s: %s\n", path, diagnostic.message);
        return false;
    }
    FILE *file = fopen(path, "w");
    bool written = file != NULL && fwrite(text, 1, size, file) == size;
    if (file != NULL)
        written = fclose(file) == 0 && written;
    ash_free(text);
    if (!written)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return written;
}

static void shrink_failures(const law_options *options, const law_tally *tally, const law_known_list *known)
{
    for (law_number law = 0; law < LAWS; law++)
        for (law_family family = 0; family < FAMILIES; family++)
            for (uint32_t method = 0; method < ash_method_count(); method++) {
                const law_cell *cell = &tally->cells[law][family][method];
                if (cell->failed == 0 || (!options->all && law_known_find(known, law, family, method) != NULL))
                    continue;
                for (uint64_t i = 0; i < cell->failed && i < options->shrink && i < KEPT_SEEDS; i++) {
                    char path[512];
                    ash_scene *scene = law_generate(family, cell->seeds[i]);
                    set_preset(scene, method);
                    scene = law_shrink(scene, law);
                    snprintf(path, sizeof path, "%s/%s-%s-%s-%llu.json", options->out, law_name(law),
                             ash_method_name(method), law_family_name(family), (unsigned long long)cell->seeds[i]);
                    if (write_scene(scene, path))
                        printf("%s: %u bodies, %s\n", path, scene->bodies.count, scene->summary);
                    fflush(stdout);
                    ash_scene_destroy(scene);
                }
            }
}

static void usage(FILE *file)
{
    fputs(
        "ashlar-laws [options]: judges generated worlds by the laws of docs/laws.md\n"
        "  --family F, --law L, --method M   only these; may be repeated\n"
        "  --worlds N    of each family (100)\n"
        "  --seed S      of the first world (1)\n"
        "  --time T      stop after T seconds\n"
        "  --jobs J      processes (as many as processors)\n"
        "  --known FILE  failures that are expected; others, and with --complete missing ones, are an error\n"
        "  --complete    expected failures must occur\n"
        "  --shrink K    shrink the first K failing worlds of each law, family and method that are not expected (0)\n"
        "  --all         shrink expected ones, too\n"
        "  --out DIR     where shrunk worlds are written as scene files (.)\n"
        "  --judge FILE  judge a scene file, by its method or by --method, and by --law\n"
        "  --long T      instead: built-in scenes ten times as long as they say, each for T seconds of computing at most;\n"
        "                --known lists SCENE METHOD REASON then\n"
        "  --scene S     of --long, only this one\n"
        "  --list        the families, laws and methods\n",
        file);
}

static void list_names(void)
{
    for (law_family family = 0; family < FAMILIES; family++)
        printf("family %s\n", law_family_name(family));
    for (law_number law = 0; law < LAWS; law++)
        printf("law %s\n", law_name(law));
    for (uint32_t method = 0; method < ash_method_count(); method++)
        printf("method %s\n", ash_method_name(method));
}

/* Judges a scene file by the laws that are chosen. */
static int judge_file(const law_options *options, const char *path)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    char text[1024];
    int failures = 0;
    if (ash_scene_open(path, NULL, 0, &scene, &diagnostic) != ASH_OK) {
        fprintf(stderr, "%s\n", ash_diagnostic_text(&diagnostic, text, sizeof text));
        return 2;
    }
    bool every = true; /* no method was chosen */
    for (uint32_t method = 0; method < ash_method_count(); method++)
        every = every && options->methods[method];
    for (uint32_t method = 0; method < (every ? 1 : ash_method_count()); method++) {
        law_case one;
        if (!every && !options->methods[method])
            continue;
        if (!every)
            set_preset(scene, method);
        if (!law_case_begin(scene, &one, &diagnostic)) {
            fprintf(stderr, "%s\n", ash_diagnostic_text(&diagnostic, text, sizeof text));
            return 2;
        }
        for (law_number law = 0; law < LAWS; law++) {
            if (!options->laws[law])
                continue;
            law_verdict verdict = law_judge(law, &one);
            failures += law_fails(&verdict);
            if (verdict.applies)
                printf("%-5s %-20s %-12s %.4g, limit %.4g: %s\n", law_fails(&verdict) ? "FAIL" : "ok",
                       scene->method.name, law_name(law), verdict.figure, verdict.limit, verdict.what);
        }
        law_case_end(&one);
    }
    ash_scene_destroy(scene);
    return failures > 0;
}

/* Marks one of a list, and for the first one given unmarks all others. */
static bool choose(bool *marks, uint32_t count, uint32_t number, bool *given)
{
    if (number >= count)
        return false;
    if (!*given)
        memset(marks, 0, count * sizeof *marks);
    *given = true;
    marks[number] = true;
    return true;
}

static bool parse(int argc, char **argv, law_options *options, const char **judged, bool *listed)
{
    bool family_given = false, law_given = false, method_given = false;
    for (int i = 1; i < argc; i++) {
        const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        bool *flag = strcmp(key, "--complete") == 0 ? &options->complete
                     : strcmp(key, "--update") == 0 ? &options->update
                     : strcmp(key, "--all") == 0    ? &options->all
                     : strcmp(key, "--list") == 0   ? listed
                                                    : NULL;
        if (flag != NULL) {
            *flag = true;
            continue;
        }
        i++;
        bool known = true;
        if (strcmp(key, "--family") == 0)
            known = choose(options->families, FAMILIES, law_family_find(value), &family_given);
        else if (strcmp(key, "--law") == 0)
            known = choose(options->laws, LAWS, law_find(value), &law_given);
        else if (strcmp(key, "--method") == 0)
            known = choose(options->methods, MOST_METHODS, law_method_find(value), &method_given);
        else if (strcmp(key, "--worlds") == 0)
            options->worlds = strtoull(value, NULL, 10);
        else if (strcmp(key, "--seed") == 0)
            options->seed = strtoull(value, NULL, 10);
        else if (strcmp(key, "--time") == 0)
            options->seconds = atof(value);
        else if (strcmp(key, "--jobs") == 0)
            options->jobs = (uint32_t)atoi(value);
        else if (strcmp(key, "--shrink") == 0)
            options->shrink = (uint32_t)atoi(value);
        else if (strcmp(key, "--out") == 0)
            options->out = value;
        else if (strcmp(key, "--known") == 0)
            options->known = value;
        else if (strcmp(key, "--judge") == 0)
            *judged = value;
        else if (strcmp(key, "--long") == 0)
            options->long_seconds = atof(value);
        else if (strcmp(key, "--scene") == 0)
            options->scene = value;
        else
            known = false;
        if (!known || i >= argc) {
            fprintf(stderr, "ashlar-laws: %s %s is not known\n", key, value);
            return false;
        }
    }
    return options->jobs >= 1 && options->jobs <= MOST_JOBS && options->worlds >= 1;
}

static int run(const law_options *options)
{
    law_known_list known = {0};
    if (options->known != NULL && !law_known_read(options->known, &known))
        return 2;
    law_report *reports =
        mmap(NULL, options->jobs * sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    law_tally *tally = calloc(1, sizeof *tally);
    if (reports == MAP_FAILED || tally == NULL)
        return 2;
    double started = ashi_seconds();
    bool ran = judge_all(options, reports);
    uint64_t worlds = 0;
    for (uint32_t job = 0; job < options->jobs; job++) {
        law_tally_sum(tally, &reports[job].tally);
        worlds += reports[job].done;
    }
    double seconds = ashi_seconds() - started;
    law_tally_print(tally, stdout);
    printf("\n%llu worlds by %u methods in %.1f s with %u processes: %.1f worlds/s\n\n", (unsigned long long)worlds,
           ash_method_count(), seconds, options->jobs, (double)worlds / seconds);
    uint32_t differences = law_tally_compare(tally, &known, options->complete, stdout);
    fflush(stdout);
    if (options->update && options->known != NULL)
        ran = law_known_update(options->known, tally) && ran;
    if (options->shrink > 0)
        shrink_failures(options, tally, &known);
    law_known_release(&known);
    free(tally);
    munmap(reports, options->jobs * sizeof *reports);
    return ran && (differences == 0 || options->update) ? 0 : 1;
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    law_options options = {.worlds = 100, .seed = 1, .out = "."};
    options.jobs = processors < 1 ? 1 : processors > MOST_JOBS ? MOST_JOBS : (uint32_t)processors;
    memset(options.families, 1, sizeof options.families);
    memset(options.laws, 1, sizeof options.laws);
    memset(options.methods, 1, sizeof options.methods);
    const char *judged = NULL;
    bool listed = false;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(stdout);
        return 0;
    }
    if (!parse(argc, argv, &options, &judged, &listed)) {
        usage(stderr);
        return 2;
    }
    if (listed) {
        list_names();
        return 0;
    }
    if (options.long_seconds > 0)
        return law_long_runs(options.long_seconds, options.scene, options.known) != 0;
    return judged != NULL ? judge_file(&options, judged) : run(&options);
}
