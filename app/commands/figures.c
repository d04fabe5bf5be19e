/* Figures of the papers. One that has points is a chart of them. Else the command of its entry draws it, in a process
 * of its own, where it can: run and compare with --plot, solve and picture with a file, spectrum. What cannot be drawn
 * (photographs, measured curves, benchmarks, pictures of minutes of work) is listed with its command. */
#define _POSIX_C_SOURCE 200809L
#include "app/commands/figures.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/file.h"
#include "app/cli/message.h"
#include "app/cli/table.h"
#include "app/commands/figure_chart.h"

enum { WORDS_MOST = 48, PATH_MOST = 1024 };

/* ---- a figure by its command ---- */

typedef struct words {
    char text[1024]; /* holds them */
    char *data[WORDS_MOST];
    int count;
} words;

/* The words of a command line; quotes hold words together. */
static void split(const char *command, words *w)
{
    char *to = w->text, *end = w->text + sizeof w->text - 1;
    w->count = 0;
    while (*command != '\0' && w->count < WORDS_MOST - 2) {
        bool quoted = false;
        while (*command == ' ')
            command++;
        if (*command == '\0')
            break;
        w->data[w->count++] = to;
        for (; *command != '\0' && (quoted || *command != ' ') && to < end; command++)
            if (*command == '"')
                quoted = !quoted;
            else
                *to++ = *command;
        *to++ = '\0';
    }
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool has_word(const words *w, const char *word)
{
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->data[i], word) == 0)
            return true;
    return false;
}

/* The ending of the file that the command can draw; null: none. */
static const char *drawn_as(const words *w)
{
    const char *first = w->count > 1 ? w->data[0] : "";
    if ((strcmp(first, "run") == 0 || strcmp(first, "compare") == 0) && has_word(w, "--plot"))
        return ".svg";
    if (strcmp(first, "spectrum") == 0 || (strcmp(first, "solve") == 0 && has_word(w, "--plot")))
        return ".svg";
    return strcmp(first, "picture") == 0 ? ".png" : NULL;
}

/* Makes the command draw into `path`: in the place of its own file, or as an option more. */
static void draw_into(words *w, const char *path)
{
    for (int i = 0; i < w->count; i++)
        if (ends_in(w->data[i], ".svg") || ends_in(w->data[i], ".png")) {
            w->data[i] = (char *)path;
            return;
        }
    w->data[w->count++] = strcmp(w->data[0], "spectrum") == 0 ? "--plot" : "--svg";
    w->data[w->count++] = (char *)path;
}

/* Runs it in silence, in a process of its own. Checks and alarms are not its subject. */
static bool run_command(words *w)
{
    const cli_command *command = cli_command_find(w->data[0]);
    int status = 0;
    fflush(NULL);
    pid_t process = command != NULL ? fork() : -1;
    if (process == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0) {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        status = command->run(w->count - 1, w->data + 1);
        fflush(NULL);
        _exit(status);
    }
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return process > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= CLI_CHECK_FAILED;
}

/* ---- which figures ---- */

static bool is_asked_for(const words *w, char **names, uint32_t name_count, bool quick)
{
    ash_builtin_info info;
    if (quick && w->count > 1 && cli_builtin_find(w->data[1], &info) && info.lengthy)
        return false;
    for (uint32_t i = 0; i < name_count; i++)
        for (int k = 1; k < w->count; k++)
            if (strcmp(w->data[k], names[i]) == 0)
                return true;
    return name_count == 0;
}

/* "erleben-2007-figure-18.svg". */
static void name_file(const ash_paper *paper, const ash_paper_entry *figure, const char *ending, char *text,
                      size_t size)
{
    snprintf(text, size, "%s-%s%s", paper->name, figure->label, ending);
    for (char *c = text; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '-';
}

/* ---- the index ---- */

static void put_html(const char *text, FILE *stream)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        default:
            putc(*text, stream);
        }
}

/* Rows are about "figure 6-1" where their source has it, without another digit behind it. */
static bool is_about(const ash_validation_row *row, const ash_paper *paper, const ash_paper_entry *figure)
{
    const char *found = strstr(row->source, figure->label);
    char behind = found != NULL ? found[strlen(figure->label)] : '0';
    return row->verdict != ASH_POINT && strstr(row->source, paper->authors) != NULL &&
           !isdigit((unsigned char)behind) && behind != '-';
}

static void put_rows(const cli_rows *rows, const ash_paper *paper, const ash_paper_entry *figure, FILE *stream)
{
    char number[32];
    bool first = true;
    for (uint32_t i = 0; i < rows->count; i++) {
        const ash_validation_row *row = &rows->data[i];
        if (!is_about(row, paper, figure))
            continue;
        if (first)
            fputs("<table><tr><th>quantity</th><th>expected</th><th>ours</th><th>limit</th><th>verdict</th></tr>\n",
                  stream);
        first = false;
        fputs("<tr><td>", stream);
        put_html(row->quantity, stream);
        const double numbers[] = {row->expected, row->ours, row->limit};
        for (int k = 0; k < 3; k++)
            fprintf(stream, "</td><td class=\"n\">%s", cli_number_text(numbers[k], number, sizeof number));
        fprintf(stream, "</td><td>%s%s", cli_verdict_name(row->verdict), row->reason[0] != '\0' ? ": " : "");
        put_html(row->reason, stream);
        fputs("</td></tr>\n", stream);
    }
    if (!first)
        fputs("</table>\n", stream);
}

typedef struct gallery {
    const cli_rows *rows;
    char **names;
    uint32_t name_count;
    bool quick;
    const char *directory;
    char *index; /* text of index.html */
    size_t index_size;
    uint32_t drawn;
} gallery;

static int draw_figure(gallery *g, const ash_paper *paper, const ash_paper_entry *figure, words *w, FILE *stream)
{
    bool chart = cli_figure_has_points(g->rows, paper, figure);
    const char *ending = chart ? ".svg" : drawn_as(w);
    char file[160], path[PATH_MOST];
    int status = CLI_DONE;
    fprintf(stream, "<h3>");
    put_html(figure->label, stream);
    fputs(": ", stream);
    put_html(figure->summary, stream);
    fputs("</h3>\n", stream);
    if (ending != NULL) {
        name_file(paper, figure, ending, file, sizeof file);
        if ((size_t)snprintf(path, sizeof path, "%s/%s", g->directory, file) >= sizeof path) {
            cli_error("validate: --figures: the path is too long");
            return CLI_BAD_INPUT;
        }
        fprintf(stderr, "%s, %s\n", paper->authors, figure->label);
        if (chart) {
            status = cli_figure_chart(g->rows, paper, figure, path);
        } else {
            draw_into(w, path);
            if (!run_command(w)) {
                cli_error("validate: ashlar %s: the figure could not be drawn", figure->command);
                status = CLI_CANNOT_GO_ON;
            }
        }
    }
    if (ending != NULL && status == CLI_DONE) {
        g->drawn++;
        fprintf(stream, "<p><a href=\"%s\"><img src=\"%s\" alt=\"\"></a></p>\n", file, file);
    }
    if (figure->command != NULL) {
        fputs("<p><code>ashlar ", stream);
        put_html(figure->command, stream);
        fputs("</code></p>\n", stream);
    }
    put_rows(g->rows, paper, figure, stream);
    return status;
}

static int draw_paper(gallery *g, const ash_paper *paper, FILE *stream)
{
    bool begun = false;
    int status = CLI_DONE;
    for (uint32_t i = 0; i < paper->entry_count; i++) {
        const ash_paper_entry *figure = &paper->entries[i];
        words w;
        if (figure->kind != ASH_PAPER_FIGURE)
            continue;
        split(figure->command != NULL ? figure->command : "", &w);
        if (!is_asked_for(&w, g->names, g->name_count, g->quick))
            continue;
        if (!begun) {
            fprintf(stream, "<h2>%s: ", paper->authors);
            put_html(paper->title, stream);
            fputs("</h2>\n", stream);
        }
        begun = true;
        int own = draw_figure(g, paper, figure, &w, stream);
        status = own != CLI_DONE ? own : status; /* the others are drawn all the same */
    }
    return status;
}

/* "index.html" in the directory; false, with a message, when the path is too long. */
static bool name_index(const char *directory, char path[PATH_MOST])
{
    if ((size_t)snprintf(path, PATH_MOST, "%s/index.html", directory) < PATH_MOST)
        return true;
    cli_error("validate: --figures: the path is too long");
    return false;
}

int cli_figures_prepare(const char *directory)
{
    char path[PATH_MOST];
    return name_index(directory, path) ? cli_prepare_file(path) : CLI_BAD_INPUT;
}

int cli_figures_draw(const cli_rows *rows, char **names, uint32_t name_count, bool quick, const char *directory)
{
    gallery g = {.rows = rows, .names = names, .name_count = name_count, .quick = quick, .directory = directory};
    char path[PATH_MOST];
    int status = name_index(directory, path) ? CLI_DONE : CLI_BAD_INPUT;
    FILE *stream = open_memstream(&g.index, &g.index_size);
    if (stream == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Figures of the papers</title>\n"
        "<style>body{font-family:sans-serif;max-width:64em;margin:2em auto;padding:0 1em}img{max-width:100%}"
        "table{border-collapse:collapse;font-size:90%}td,th{border-bottom:1px solid #ccc;padding:.2em .6em;"
        "text-align:left}td.n{text-align:right}code{background:#f2f2f2}</style>\n"
        "<h1>Figures of the papers</h1>\n<p>Lines with dots are ours, rings what the paper or the exact solution has. "
        "Tables list the rows of <code>ashlar validate</code> that name the figure.</p>\n",
        stream);
    for (uint32_t p = 0; p < ash_paper_count() && status != CLI_BAD_INPUT; p++) {
        int own = draw_paper(&g, ash_paper_get(p), stream);
        status = own != CLI_DONE ? own : status;
    }
    fputs("</html>\n", stream);
    if (fclose(stream) != 0) {
        cli_error("out of memory");
        status = CLI_BAD_INPUT;
    } else if (status != CLI_BAD_INPUT) {
        int written = cli_write_file(path, g.index, g.index_size);
        status = written != CLI_DONE ? written : status;
        fprintf(stderr, "%u figures drawn: %s\n", (unsigned)g.drawn, path);
    }
    free(g.index);
    return status;
}
