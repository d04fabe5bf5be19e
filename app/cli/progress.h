/* A progress bar on standard error, when that is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
    const char *label;
    double began, drawn; /* s of the monotonic clock */
    bool wanted;         /* standard error is a terminal */
    bool shown;
} cli_progress;

cli_progress cli_progress_begin(const char *label);

/* For ash_run_options: `user` is a cli_progress. False once a signal came. */
bool cli_progress_update(double time, double end, void *user);

/* The same for work that is no simulation: what part of it is done, 0 to 1. */
bool cli_progress_share(double share, void *user);

/* Erases the bar. */
void cli_progress_end(cli_progress *progress);

/* The bar as text of at most `columns` columns: what part is done, simulated time, how many times faster than real time
 * it goes, and how long it will still take. */
void cli_progress_text(char *text, unsigned size, const char *label, double time, double end, double elapsed,
                       int columns, bool unicode);

/* The same without simulated time. */
void cli_progress_share_text(char *text, unsigned size, const char *label, double share, double elapsed, int columns,
                             bool unicode);

#endif
