/* Writing problems by the ending of their file. */
#include "app/commands/problem_file.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool cli_is_fclib_name(const char *path)
{
    return path != NULL && (ends_in(path, ".hdf5") || ends_in(path, ".h5"));
}

int cli_write_problem(const ash_problem *problem, bool solved, const char *path)
{
    ash_diagnostic diagnostic = {0};
    char *text = NULL;
    size_t size = 0;
    if (cli_is_fclib_name(path))
        return ash_problem_write_fclib(problem, solved, path, &diagnostic) == ASH_OK ? CLI_DONE
                                                                                     : cli_report(&diagnostic);
    if (ash_problem_write(problem, &text, &size, &diagnostic) != ASH_OK)
        return cli_report(&diagnostic);
    int status = CLI_DONE;
    if (path != NULL)
        status = cli_write_file(path, text, size);
    else
        fwrite(text, 1, size, stdout);
    ash_free(text);
    return status;
}
