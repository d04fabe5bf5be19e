/* The results so far, in the directory of the sweep: each is kept as soon as it is there, so that a sweep that was
 * interrupted goes on where it ended. */
#ifndef CLI_SWEEP_JOURNAL_H
#define CLI_SWEEP_JOURNAL_H

#include "app/sweep/work.h"

typedef struct cli_journal {
    int file;
    char path[4096];
    size_t size;      /* of a result */
    cli_case **cases; /* by number; null: there is no result yet */
    uint32_t count, known;
    double synced; /* s, when it was last brought to the disk */
} cli_journal;

/* Opens or begins the journal of this very sweep, which `identity` tells from others. False when it was told what is
 * wrong: another sweep is there, or works there at this moment. */
bool cli_journal_open(cli_journal *journal, const char *folder, uint32_t cases, size_t size, const char *identity);
/* Keeps a result. What was lost is not written down: it is a case again the next time. */
bool cli_journal_add(cli_journal *journal, const cli_case *result);
void cli_journal_close(cli_journal *journal);

#endif
