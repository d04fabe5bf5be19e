/* Counts of judgements by law, family and method, and which failures are known. */
#ifndef LAWS_TALLY_H
#define LAWS_TALLY_H

#include "law.h"

#include <stdio.h>

enum { MOST_METHODS = 16, KEPT_SEEDS = 4 };

typedef struct law_cell {
    uint64_t judged, failed;
    double worst; /* the largest figure over its limit */
    uint64_t worst_seed;
    uint64_t seeds[KEPT_SEEDS]; /* of the first failures */
} law_cell;

typedef struct law_tally {
    law_cell cells[LAWS][FAMILIES][MOST_METHODS];
} law_tally;

void law_tally_add(law_tally *tally, law_number law, law_family family, uint32_t method, uint64_t seed,
                   const law_verdict *verdict);
void law_tally_sum(law_tally *sum, const law_tally *part);
/* Law by method: failures of judgements. */
void law_tally_print(const law_tally *tally, FILE *file);

/* Failures that are expected: a line each of tests/laws/known.txt,
 *
 *   LAW FAMILY METHOD KIND REASON
 *
 * with * for any family or method. KIND: `exception`, belongs to the scheme, docs/laws.md has it; `fault`, to be
 * mended; `rare`, a fault that a quick run does not meet. Exceptions and faults must occur. */
typedef enum law_expectation { EXPECT_NONE, EXPECT_EXCEPTION, EXPECT_FAULT, EXPECT_RARE } law_expectation;

typedef struct law_known {
    law_number law;
    law_family family; /* FAMILIES: any */
    uint32_t method;   /* MOST_METHODS: any */
    law_expectation kind;
    int line;
    char reason[160];
} law_known;

typedef struct law_known_list {
    law_known *entries;
    uint32_t count;
} law_known_list;

/* Reads the list; false, with a message on stderr, when it cannot be read. */
bool law_known_read(const char *path, law_known_list *list);
void law_known_release(law_known_list *list);
const law_known *law_known_find(const law_known_list *list, law_number law, law_family family, uint32_t method);

/* Compares the tally with the list and prints what differs: failures that no line expects and, where `complete`, lines
 * that expect failures that did not occur. Returns how many there are. */
uint32_t law_tally_compare(const law_tally *tally, const law_known_list *list, bool complete, FILE *file);

/* Writes the list again without lines that expect failures that did not occur, and with a line for each law and method
 * whose failures no line expects. */
bool law_known_update(const char *path, const law_tally *tally);

/* The number of the preset of that name, or MOST_METHODS. */
uint32_t law_method_find(const char *name);

#endif
