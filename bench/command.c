/* ashlar bench: the benchmarks as a command of the program. */
#include "bench.h"

#include "app/cli/command.h"
#include "app/cli/document.h"
#include "app/cli/message.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct bench_values {
    bool json, peers, quick;
    const char *scenes;
    uint32_t elements;
} bench_values;

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, NULL, "one JSON object on standard output, nothing else", offsetof(bench_values, json), 0},
    {"peers", 0, CLI_FLAG, NULL, "the benchmark peers: other engines beside ours", offsetof(bench_values, peers), 0},
    {"scenes", 0, CLI_TEXT, "A,B", "the benchmark peers on these scenes only", offsetof(bench_values, scenes), 0},
    {"quick", 0, CLI_FLAG, NULL, "the benchmarks batch, peers and realtime with short runs",
     offsetof(bench_values, quick), 0},
    {"elements", 0, CLI_COUNT, "N", "the most elements of a scene (100000)", offsetof(bench_values, elements), 1000000},
};

typedef struct benchmark {
    const char *name, *title;
} benchmark;

static const benchmark benchmarks[] = {
    {"springs", "Steps of many springs (times are ns per element and step)"},
    {"masses", "Making geometries, exact mass properties included"},
    {"recording", "The recorder"},
    {"collide", "Narrow phase per pair kind (times are ns per pair)"},
    {"broad", "Broad phases (times are ns per body and step)"},
    {"detect", "The whole of collision detection (times are of one detection and per pair of boxes)"},
    {"sweeps", "Sweeps of Gauss-Seidel over a pyramid of boxes"},
    {"solvers", "All solvers over all stored problems, cold, to 1e-10 m/s (degenerate ones 1e-8)"},
    {"realtime", "Steps of the method realtime on piles at rest, h = 10 ms"},
    {"joints", "Joints by the direct solver, beside CHOLMOD (times are microseconds of one core)"},
    {"peers", "Other engines beside ours"},
    {"piles", "Scene box-pile by the method realtime and by Bullet, turn by turn, h = 10 ms, one thread"},
    {"scale", "How costs grow with the number of bodies: method realtime, h = 10 ms, one thread"},
    {"figures", "Steps of cow-pile and letters against their contact points, h = 10 ms, one thread"},
    {"crowd", "Boxes that start in one place, by every method (processor times; h = 10 ms, one thread)"},
    {"view", "Frames of the viewer beside the steps that they show: box-pile by realtime, h = 10 ms, one thread"},
    {"batch", "Batches: copies of a world on all cores, beside MuJoCo's C library, in turns"},
    {"query", "Queries in a world of boxes, closest points and times of impact"},
    {"engineering",
     "Steps of the method engineering on piles that realtime hands over (processor times; h = 10 ms, one thread)"},
    {"orders", "The order of every method, by steps of h to h/16"},
    {"parts", "Convex parts of surfaces, their volume beside that of one hull (processor times)"},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

/* On standard error, a line for each run. */
static void tell_progress(const char *scene, const char *engine, const char *settings, void *user)
{
    (void)user;
    fprintf(stderr, "%s: %s %s\n", scene, engine, settings);
}

static json_t *measure(int number, const bench_values *values, ash_diagnostic *diagnostic)
{
    bench_peers_options peers = {.scenes = values->scenes, .quick = values->quick, .progress = tell_progress};
    uint32_t most = values->elements;
    switch (number) {
    case 0:
        return bench_springs(most, diagnostic);
    case 1:
        return bench_masses(diagnostic);
    case 2:
        return bench_recording(most, diagnostic);
    case 3:
        return bench_collide(diagnostic);
    case 4:
        return bench_broad(most, diagnostic);
    case 5:
        return bench_detect(diagnostic);
    case 6:
        return bench_sweeps(diagnostic);
    case 7:
        return bench_solvers(most, diagnostic);
    case 8:
        return bench_realtime(most, values->quick, diagnostic);
    case 9:
        return bench_joints(most, diagnostic);
    case 10:
        return bench_peers(&peers, diagnostic);
    case 11:
        return bench_piles(most, diagnostic);
    case 12:
        return bench_scale(most, diagnostic);
    case 13:
        return bench_figures(most, diagnostic);
    case 14:
        return bench_crowd(most, diagnostic);
    case 15:
        return bench_view(most, diagnostic);
    case 16:
        return bench_batch(most, values->quick, diagnostic);
    case 17:
        return bench_query(most, diagnostic);
    case 18:
        return bench_engineering(most, diagnostic);
    case 19:
        return bench_orders(diagnostic);
    default:
        return bench_parts(diagnostic);
    }
}

static bool is_wanted(const char *name, bool peers, char **names, uint32_t count)
{
    bool slow =
        strcmp(name, "peers") == 0 || strcmp(name, "crowd") == 0 || strcmp(name, "engineering") == 0; /* many minutes */
    if (peers && strcmp(name, "peers") == 0)
        return true;
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0 && !peers && !slow;
}

static bool names_are_known(char **names, uint32_t count)
{
    const char *known[BENCHMARKS];
    char hint[64];
    for (int i = 0; i < BENCHMARKS; ++i)
        known[i] = benchmarks[i].name;
    for (uint32_t i = 0; i < count; ++i) {
        bool found = false;
        for (int k = 0; k < BENCHMARKS; ++k)
            found = found || strcmp(names[i], known[k]) == 0;
        if (found)
            continue;
        cli_error("bench: there is no benchmark \"%s\"%s", names[i],
                  ashi_did_you_mean(names[i], known, BENCHMARKS, hint, sizeof hint));
        return false;
    }
    return true;
}

static int run_benchmarks(const bench_values *values, char **names, uint32_t count)
{
    ash_diagnostic diagnostic = {0};
    json_t *document = json_object(), *machine = bench_machine();
    json_object_set(document, "machine", machine);
    if (!values->json)
        printf("%s, %" JSON_INTEGER_FORMAT " cores, %s, Ashlar %s\n",
               json_string_value(json_object_get(machine, "processor")),
               json_integer_value(json_object_get(machine, "cores")),
               json_string_value(json_object_get(machine, "compiler")), ash_version());
    json_decref(machine);
    for (int i = 0; i < BENCHMARKS; ++i) {
        if (!is_wanted(benchmarks[i].name, values->peers, names, count))
            continue;
        json_t *rows = measure(i, values, &diagnostic);
        if (!rows) {
            json_decref(document);
            return cli_report(&diagnostic);
        }
        if (!values->json && strcmp(benchmarks[i].name, "peers") == 0) {
            bench_print_peers_summary(rows);
            bench_print_peers(rows, values->quick);
        } else if (!values->json)
            bench_print_table(benchmarks[i].title, rows);
        json_object_set_new(document, benchmarks[i].name, rows);
    }
    if (values->json)
        return cli_json_print(document);
    json_decref(document);
    return CLI_DONE;
}

static int bench(int argc, char **argv)
{
    bench_values values = {.elements = 100000};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_bench, argc, argv, &values, &operand_count, &status))
        return status;
    if (!names_are_known(argv, operand_count))
        return CLI_BAD_INPUT;
    return run_benchmarks(&values, argv, operand_count);
}

const cli_command cli_bench = {
    .name = "bench",
    .summary = "measure what steps, geometries, recordings, collisions, solvers, joints and queries cost",
    .operands = "[NAME...]",
    .operands_most = UINT32_MAX,
    .about =
        "Times the benchmarks named, or all except crowd, engineering and peers: springs, masses, recording, collide,\n"
        "broad, detect, sweeps, solvers, realtime, joints, piles, scale, figures, view, batch, query, crowd,\n"
        "engineering, orders, parts, peers. The benchmark peers (also --peers) runs Bullet, ODE, MuJoCo, Box2D and\n"
        "Chipmunk on our scenes beside our methods. It takes a quarter of an hour, less with --scenes and --quick.\n"
        "Prints Markdown tables with the machine they ran on.\n"
        "The hash beside a time is that of the result, which is the same on every machine.",
    .examples = "  ashlar bench\n"
                "  ashlar bench springs --elements 10000\n"
                "  ashlar bench --peers\n"
                "  ashlar bench --peers --quick --scenes box-stack,tree\n"
                "  ashlar bench --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = bench,
};
