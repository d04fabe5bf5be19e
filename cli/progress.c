/* Drawn at most ten times a second, and not at all for runs that end at once, so that it costs nothing and does not
 * flicker:
 *
 *     string  [==============>               ]  48 %  2.4 of 5 s  310x real time  0:01 left
 */
#include "progress.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "interrupt.h"
#include "terminal.h"

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

void cli_progress_text(char *text, unsigned size, const char *label, double time, double end, double elapsed,
                       int columns, bool unicode)
{
    double done = end > 0 && time > 0 ? (time < end ? time / end : 1) : 0;
    char left[32] = "", numbers[128];
    if (done > 0)
        format_left(left, sizeof left, elapsed * (1 - done) / done);
    snprintf(numbers, sizeof numbers, "%3d %%  %.4g of %.4g s  %.3gx real time  %s", (int)(100 * done), time, end,
             elapsed > 0 ? time / elapsed : 0, left);
    int room = columns - (int)strlen(label) - (int)strlen(numbers) - 6;
    text[0] = 0;
    if (room < 5) { /* a narrow window: the numbers, cut off */
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

cli_progress cli_progress_begin(const char *label)
{
    double now = ashi_seconds();
    return (cli_progress){.label = label, .began = now, .drawn = now, .wanted = cli_width(stderr) > 0};
}

bool cli_progress_update(double time, double end, void *user)
{
    cli_progress *progress = user;
    double now = ashi_seconds();
    if (progress->wanted && now - progress->began > patience_seconds && now - progress->drawn > redraw_seconds) {
        char text[512];
        /* Three columns stay free: the terminal's own "^C" must not break the line, or half of it could not be erased.
         */
        cli_progress_text(text, sizeof text, progress->label, time, end, now - progress->began, cli_width(stderr) - 3,
                          cli_unicode(stderr));
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        progress->drawn = now;
        progress->shown = true;
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
