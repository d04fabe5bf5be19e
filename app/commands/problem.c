/* ashlar problem: the contact problem of a step of a scene, as a file that any solver can be tried on. */
#include <stdio.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/interrupt.h"
#include "app/cli/message.h"
#include "app/cli/progress.h"
#include "app/commands/film.h"
#include "app/commands/problem_file.h"
#include "app/commands/solve_report.h"
#include "base/text.h"

enum { THREADS_MOST = 256 };

typedef struct problem_values {
    cli_choice choice;
    const char *output, *at;
    uint32_t threads;
} problem_values;

static const cli_option options[] = {
    {"at", 0, CLI_TEXT, "T", "the instant at which the step begins, s (default 0)", offsetof(problem_values, at), 0},
    {"output", 'o', CLI_TEXT, "FILE", "write there instead of to standard output; in FCLIB's form if it ends in .hdf5",
     offsetof(problem_values, output), 0},
    {"method", 0, CLI_TEXT, "M", "a method or an integrator, also with fields: realtime:solver=pgs",
     offsetof(problem_values, choice.method), 0},
    {"set", 0, CLI_TEXTS, "KEY=VALUE", "a parameter of the scene or a field of its method; may be repeated",
     offsetof(problem_values, choice.set), 0},
    {"step", 0, CLI_SECONDS, "H", "length of a step, s (default: the scene's)", offsetof(problem_values, choice.step),
     0},
    {"threads", 0, CLI_COUNT, "N", "threads to step with (default 1)", offsetof(problem_values, threads), THREADS_MOST},
};

static ash_status take_problem(const ash_scene *scene, const ashi_instance *instance, uint32_t frame, double time,
                               void *user, ash_diagnostic *diagnostic)
{
    (void)frame;
    (void)time;
    ash_status status = ash_world_next_problem(instance->world, ash_scene_get_step(scene), user);
    if (status != ASH_OK)
        *diagnostic = ash_world_get_last_diagnostic(instance->world);
    return status;
}

static int write_problem(const ash_problem *problem, const problem_values *values, double time)
{
    int status = cli_write_problem(problem, false, values->output);
    if (status == CLI_DONE && values->output != NULL) {
        printf("%s: the problem at %g s: ", values->output, time);
        cli_put_problem_size(stdout, problem);
        printf("\n");
    }
    return status;
}

static int find_problem(const ash_scene *scene, const problem_values *values, double time)
{
    cli_film film = {.scene = scene, .threads = values->threads};
    cli_instants instants = {time, 0, 1};
    cli_progress progress = cli_progress_begin(ash_scene_get_name(scene));
    ash_problem problem = {0};
    ash_diagnostic diagnostic = {0};
    bool stopped = false;
    cli_interrupt_watch();
    ash_status outcome =
        cli_film_show(&film, &instants, take_problem, cli_progress_update, &progress, &problem, &stopped, &diagnostic);
    cli_progress_end(&progress);
    int status = CLI_DONE;
    if (outcome != ASH_OK)
        status = cli_report(&diagnostic);
    else if (stopped)
        status = 128 + cli_interrupted();
    else
        status = write_problem(&problem, values, time);
    ash_problem_release(&problem);
    return status;
}

static int make_problem(int argc, char **argv)
{
    problem_values values = {.threads = 1};
    uint32_t operand_count;
    int status;
    if (!cli_parse(&cli_problem, argc, argv, &values, &operand_count, &status))
        return status;
    double time = 0;
    ash_scene *scene = NULL;
    if (values.at != NULL && (!ashi_parse_number(values.at, &time) || time < 0)) {
        cli_error("problem: --at is \"%s\", expected a number of seconds, 0 or more", values.at);
        status = CLI_BAD_INPUT;
    } else {
        status = cli_choice_open(argv[0], &values.choice, &scene);
    }
    if (status == CLI_DONE)
        status = cli_film_check_instant("problem", scene, time);
    if (status == CLI_DONE)
        status = cli_prepare_file(values.output);
    if (status == CLI_DONE)
        status = find_problem(scene, &values, time);
    ash_scene_destroy(scene);
    cli_options_release(cli_problem.options, cli_problem.option_count, &values);
    return status;
}

const cli_command cli_problem = {
    .name = "problem",
    .summary = "write the contact problem of a step as a file",
    .operands = "SCENE",
    .operands_least = 1,
    .operands_most = 1,
    .about =
        "Runs SCENE, a built-in name or a .json or .urdf file, to the instant T and writes what the solver of the\n"
        "next step would be given: bodies, contacts, first guess. \"ashlar solve\" tries any solver on it; docs/problem-file.md\n"
        "describes the file. The problem is empty when the method does not solve contacts. T may be\n"
        "beyond the end of the scene, by up to 100 times its length.",
    .examples = "  ashlar problem wall --at 0.5 -o wall.json\n"
                "  ashlar problem my-scene.json --at 2 --method engineering -o problem.json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = make_problem,
};
