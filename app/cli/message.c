/* Errors for people: what is wrong, for files the line in question with a caret, and what was expected:
 *
 *     ashlar: ball.json:7:15: /bodies/0/mass: mass cannot be -1
 *         7 |       "mass": -1,
 *           |               ^
 *       expected a number, 0 or more
 */
#define _POSIX_C_SOURCE 200809L
#include "app/cli/message.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/cli/command.h"
#include "app/cli/table.h"
#include "app/cli/terminal.h"

enum { SHOWN_WIDTH = 100 }; /* of a source line, in characters */

void cli_put_text(FILE *stream, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; c++)
        putc(*c < 0x20 || *c == 0x7f ? '?' : *c, stream);
}

static void put_error_line(const char *text)
{
    fprintf(stderr, "%sashlar:%s ", cli_style_begin(stderr, CLI_BAD), cli_style_end(stderr));
    cli_put_text(stderr, text);
    putc('\n', stderr);
}

void cli_error(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_error_line(text);
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Moves from `text` by `count` characters of UTF-8, at most to its end. */
static const char *skip_characters(const char *text, size_t count)
{
    while (count > 0 && *text != 0) {
        text++;
        while (is_continuation(*text))
            text++;
        count--;
    }
    return text;
}

/* Shows the line, or of a long one the part around the column. Each character takes one place, a tab too. */
static void show_line(const char *line, int number, int column)
{
    size_t target = column > 0 ? (size_t)column - 1 : 0;
    size_t skipped = target > SHOWN_WIDTH * 3 / 4 ? target - SHOWN_WIDTH / 2 : 0;
    const char *begin = skip_characters(line, skipped), *end = skip_characters(begin, SHOWN_WIDTH);
    const char *more_before = skipped > 0 ? "..." : "", *more_after = *end != 0 ? "..." : "";
    fprintf(stderr, "%8d | %s", number, more_before);
    for (const char *c = begin; c < end; c++)
        putc(*c == '\t' ? ' ' : (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, stderr);
    fprintf(stderr, "%s\n", more_after);
    if (column > 0)
        fprintf(stderr, "%8s | %*s%s^%s\n", "", (int)(target - skipped + strlen(more_before)), "",
                cli_style_begin(stderr, CLI_BAD), cli_style_end(stderr));
}

static void show_place(const char *path, int number, int column)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return; /* a pipe cannot be read again */
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    int read = 0;
    while (read < number && (length = getline(&line, &capacity, file)) >= 0)
        read++;
    if (read == number) {
        if (length > 0 && line[length - 1] == '\n')
            line[length - 1] = 0;
        show_line(line, number, column);
    }
    free(line);
    fclose(file);
}

/* The line of the diagnostic, its place, and what was expected. */
static void show(const ash_diagnostic *diagnostic, const char *before)
{
    char text[1536], line[1600];
    ash_diagnostic problem = *diagnostic;
    problem.expected[0] = 0; /* gets a line of its own */
    snprintf(line, sizeof line, "%s%s", before, ash_diagnostic_text(&problem, text, sizeof text));
    put_error_line(line);
    if (diagnostic->file[0] != 0 && diagnostic->line > 0)
        show_place(diagnostic->file, diagnostic->line, diagnostic->column);
    if (diagnostic->expected[0] != 0) {
        fputs("  expected ", stderr);
        cli_put_wrapped(stderr, diagnostic->expected, (int)strlen("  expected "), cli_width(stderr));
        putc('\n', stderr);
    }
}

void cli_put_count(FILE *stream, unsigned long long count, const char *one, const char *several)
{
    fprintf(stream, "%llu %s", count, count == 1 ? one : several);
}

int cli_report(const ash_diagnostic *diagnostic)
{
    show(diagnostic, "");
    return diagnostic->status == ASH_NUMERICS ? CLI_CANNOT_GO_ON : CLI_BAD_INPUT;
}

void cli_report_warning(const ash_diagnostic *diagnostic)
{
    show(diagnostic, "warning: ");
}

/* The numbers of lines of one file, as many as there is room for. */
static void add_line(char *text, size_t size, int line)
{
    size_t used = strlen(text);
    if (used + 16 < size)
        snprintf(text + used, size - used, "%s%d", used > 0 ? ", " : "", line);
    else if (used >= 3 && strcmp(text + used - 3, "...") != 0)
        snprintf(text + used, size - used, ", ...");
}

void cli_report_notes(const ash_scene *scene)
{
    uint32_t count = ash_scene_get_note_count(scene);
    for (uint32_t i = 0; i < count; i++) {
        ash_scene_note note = ash_scene_get_note(scene, i);
        char also[200] = "";
        bool told = false;
        for (uint32_t k = 0; k < count && !told; k++) {
            ash_scene_note other = ash_scene_get_note(scene, k);
            bool same = k != i && strcmp(other.message, note.message) == 0 && strcmp(other.file, note.file) == 0;
            told = same && k < i;
            if (same && k > i)
                add_line(also, sizeof also, other.line);
        }
        char text[1536];
        snprintf(text, sizeof text, "note: %s:%d: %s%s%s%s", note.file, note.line, note.message,
                 also[0] != 0 ? " (also in line " : "", also, also[0] != 0 ? ")" : "");
        if (!told)
            put_error_line(text);
    }
}
