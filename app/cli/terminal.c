/* Terminals are asked, never assumed: what goes to a file or a pipe is plain ASCII without colour. */
#define _DEFAULT_SOURCE
#include "app/cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cli/message.h"

bool cli_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

int cli_width(FILE *stream)
{
    struct winsize size;
    if (!cli_is_terminal(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* The first of the locale's variables that is set decides. */
static bool locale_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value == NULL || value[0] == 0)
            continue;
        const char *charset = strchr(value, '.');
        return charset != NULL && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
    }
    return false;
}

bool cli_unicode(FILE *stream)
{
    return cli_is_terminal(stream) && locale_is_utf8();
}

static bool has_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR");
    const char *kind = getenv("TERM");
    if (no_colour != NULL && no_colour[0] != 0)
        return false;
    return cli_is_terminal(stream) && kind != NULL && strcmp(kind, "dumb") != 0;
}

const char *cli_style_begin(FILE *stream, cli_style style)
{
    static const char *const sequences[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[33m"};
    return has_colour(stream) ? sequences[style] : "";
}

const char *cli_style_end(FILE *stream)
{
    return has_colour(stream) ? "\033[0m" : "";
}

void cli_secure_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            /* The lowest free number is given out, which is this one. Reading only: writes to it fail and are told. */
            if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
                _exit(2);
        }
}

bool cli_finish_output(void)
{
    bool failed = ferror(stdout) != 0;
    /* Why an earlier write failed is no longer known: one more byte tells. */
    if (failed)
        putchar('\n');
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    int reason = errno;
    if (fclose(stdout) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed)
        cli_error("cannot write to standard output%s%s", reason != 0 ? ": " : "", reason != 0 ? strerror(reason) : "");
    return !failed;
}
