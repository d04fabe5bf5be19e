/* What came of a sweep: statistics, the table, the worst case, the page. */
#ifndef CLI_SWEEP_OUTCOME_H
#define CLI_SWEEP_OUTCOME_H

#include "app/sweep/journal.h"

typedef struct cli_outcome {
    const cli_work *work;
    const cli_journal *journal;
    const char *title; /* the scene's name */
} cli_outcome;

/* Of one measure over the cases that have it. */
typedef struct cli_statistics {
    uint32_t count, least_case, greatest_case;
    double least, greatest, mean, deviation;
} cli_statistics;
cli_statistics cli_outcome_statistics(const cli_outcome *outcome, uint32_t measure);

/* A value of a case; NaN: it has none. */
double cli_outcome_value(const cli_outcome *outcome, uint32_t number, uint32_t measure);
/* The value of a factor, as a number; NaN for words. */
double cli_outcome_factor(const cli_outcome *outcome, uint32_t number, uint32_t factor);

/* What the worst case is chosen by. */
typedef struct cli_criterion {
    uint32_t measure;
    bool least; /* rather than the greatest */
} cli_criterion;
/* "height", "height max:least"; null: the worst check, or the residual where there are none. */
bool cli_outcome_criterion(const cli_work *work, const char *text, cli_criterion *criterion);
/* Its number, or UINT32_MAX; cases that broke before all others. */
uint32_t cli_outcome_worst(const cli_outcome *outcome, const cli_criterion *criterion);

/* table.csv and table.h5; the exit status is returned. */
int cli_outcome_table(const cli_outcome *outcome, const char *folder);
/* sweep.html: settings, statistics, histograms, outputs against parameters, the worst case. */
int cli_outcome_page(const cli_outcome *outcome, const cli_criterion *criterion, uint32_t worst, const char *folder);

#endif
