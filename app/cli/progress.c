/* Drawn at most ten times a second, and not at all for runs that end at once, so that it costs nothing and does not
 * flicker:
 *
 *     string  [==============>               ]  48 %  2.4 of 5 s  310x real time  0:01 left
 */
#include "app/cli/progress.h"

#include <stdio.h>
#include <string.h>

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "base/clock.h"

static const double redraw_seconds = 0.1, patience_seconds = 0.3;

static void format_left(char *text, unsigned size, double seconds)
{
    if (seconds >= 360000)
        snprintf(text, size, "days left");
    else if (seconds >= 3600)
        snprintf(text, size, "%d:%02d:%02d left", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d:%02d left", (int)seconds / 60, (int)seconds % 60);
}

/* Appends as much of `piece` as fits. */
static void append(char *text, unsigned size, const char *piece)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", piece);
}

/* Label, bar and numbers within the columns; in a narrow window the numbers alone, cut off. */
static void put_bar(char *text, unsigned size, const char *label, double done, const char *numbers, int columns,
                    bool unicode)
{
    int room = columns - (int)strlen(label) - (int)strlen(numbers) - 6;
    text[0] = 0;
    if (room < 5) {
        snprintf(text, size, "%.*s", columns > 0 ? columns : 0, numbers);
        return;
    }
    int cells = room < 40 ? room : 40, full = (int)(done * cells);
    append(text, size, label);
    append(text, size, "  [");
    for (int i = 0; i < cells; i++)
        append(text, size, i < full ? (unicode ? "\u2501" : "=") : i == full && done > 0 && !unicode ? ">" : " ");
    append(text, size, "]  ");
    append(text, size, numbers);
}

void cli_progress_text(char *text, unsigned size, const char *label, double time, double end, double elapsed,
                       int columns, bool unicode)
{
    double done = end > 0 && time > 0 ? (time < end ? time / end : 1) : 0;
    char left[32] = "", numbers[128];
    if (done > 0)
        format_left(left, sizeof left, elapsed * (1 - done) / done);
    snprintf(numbers, sizeof numbers, "%3d %%  %.4g of %.4g s  %.3gx real time  %s", (int)(100 * done), time, end,
             elapsed > 0 ? time / elapsed : 0, left);
    put_bar(text, size, label, done, numbers, columns, unicode);
}

void cli_progress_share_text(char *text, unsigned size, const char *label, double share, double elapsed, int columns,
                             bool unicode)
{
    double done = share > 0 ? (share < 1 ? share : 1) : 0;
    char left[32] = "", numbers[64];
    if (done > 0)
        format_left(left, sizeof left, elapsed * (1 - done) / done);
    snprintf(numbers, sizeof numbers, "%3d %%  %s", (int)(100 * done), left);
    put_bar(text, size, label, done, numbers, columns, unicode);
}

cli_progress cli_progress_begin(const char *label)
{
    double now = ashi_seconds();
    return (cli_progress){.label = label, .began = now, .drawn = now, .wanted = cli_width(stderr) > 0};
}

static bool is_due(const cli_progress *progress, double now)
{
    return progress->wanted && now - progress->began > patience_seconds && now - progress->drawn > redraw_seconds;
}

static void show(cli_progress *progress, const char *text, double now)
{
    fprintf(stderr, "\r\033[K%s", text);
    fflush(stderr);
    progress->drawn = now;
    progress->shown = true;
}

/* Three columns stay free: the terminal's own "^C" must not break the line, or half of it could not be erased. */
static int bar_columns(void)
{
    return cli_width(stderr) - 3;
}

bool cli_progress_update(double time, double end, void *user)
{
    cli_progress *progress = user;
    double now = ashi_seconds();
    if (is_due(progress, now)) {
        char text[512];
        cli_progress_text(text, sizeof text, progress->label, time, end, now - progress->began, bar_columns(),
                          cli_unicode(stderr));
        show(progress, text, now);
    }
    return cli_interrupted() == 0;
}

bool cli_progress_share(double share, void *user)
{
    cli_progress *progress = user;
    double now = ashi_seconds();
    if (is_due(progress, now)) {
        char text[512];
        cli_progress_share_text(text, sizeof text, progress->label, share, now - progress->began, bar_columns(),
                                cli_unicode(stderr));
        show(progress, text, now);
    }
    return cli_interrupted() == 0;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    progress->shown = false;
}
