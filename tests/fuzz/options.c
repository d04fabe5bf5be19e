/* Command lines. The first line of an input is the name of a command, each other line an argument. Nothing is run: the
 * arguments are sorted, then methods, solvers and pictures are read from their texts. */
#include "target.h"

#include "app/cli/command.h"
#include "app/commands/picture_order.h"
#include "app/commands/solver_choice.h"

enum { ARGUMENTS_MOST = 64 };

/* The values of any command. */
typedef union any_values {
    max_align_t alignment;
    unsigned char bytes[1024];
    cli_picture_values picture;
} any_values;

/* The field of the option with that name; null when the command has none of this kind. */
static const void *field(const cli_command *command, const any_values *values, const char *name, cli_kind kind)
{
    for (uint32_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        CHECK(option->offset + sizeof(cli_texts) <= sizeof *values);
        if (strcmp(option->name, name) == 0 && option->kind == kind)
            return values->bytes + option->offset;
    }
    return NULL;
}

static const char *text(const cli_command *command, const any_values *values, const char *name)
{
    const char *const *place = field(command, values, name, CLI_TEXT);
    return place != NULL ? *place : NULL;
}

static void read_texts(const cli_command *command, const any_values *values, const char *scene)
{
    const cli_texts *set = field(command, values, "set", CLI_TEXTS);
    const char *method = text(command, values, "method"), *solver = text(command, values, "solver");
    cli_choice choice = {.set = set != NULL ? *set : (cli_texts){0}};
    ash_method read;
    if (method != NULL && cli_method_read(method, scene, &choice, &read) == CLI_DONE)
        CHECK(cli_method_text(&read, (char[64]){0}, 64)[0] != 0);
    if (solver != NULL) {
        cli_solver_choice wanted = {
            .solver = solver, .tolerance = text(command, values, "tolerance"), .set = choice.set};
        ash_problem problem = {0};
        ash_solver_settings settings;
        cli_solver_choose(&wanted, command->name, &problem, &settings);
        ash_problem_release(&problem);
    }
    if (command == &cli_picture) {
        cli_picture_order order;
        cli_picture_read(&values->picture, false, &order);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *input = copy_input(bytes, size), *rest = input, *arguments[ARGUMENTS_MOST + 1], *line;
    any_values values = {0};
    uint32_t operand_count = 0;
    int count = 0, status;
    const char *name = next_line(&rest);
    const cli_command *command = cli_command_find(name);
    while (count < ARGUMENTS_MOST && (line = next_line(&rest)) != NULL)
        arguments[count++] = line;
    arguments[count] = NULL;
    if (command != NULL && cli_parse(command, count, arguments, &values, &operand_count, &status)) {
        CHECK(operand_count <= (uint32_t)count);
        for (uint32_t i = 0; i < operand_count; i++)
            CHECK(arguments[i] >= input && arguments[i] <= input + size);
        read_texts(command, &values, operand_count > 0 ? arguments[0] : "");
        cli_options_release(command->options, command->option_count, &values);
    }
    free(input);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
