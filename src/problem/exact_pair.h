/* The pair (lambda', u') next to a block's impulses and velocities that obeys its law exactly. */
#ifndef ASHI_PROBLEM_EXACT_PAIR_H
#define ASHI_PROBLEM_EXACT_PAIR_H

#include "problem/law.h"

/* A block in the space of its rows. */
typedef struct ashi_exact_pair {
    uint32_t count;
    bool judged[ASHI_CONTACT_ROWS];                              /* whether an impulse moves the row */
    double impulse[ASHI_CONTACT_ROWS], speed[ASHI_CONTACT_ROWS]; /* lambda, u */
    double response[ASHI_CONTACT_ROWS];                          /* D of the row's group */
    double exact[ASHI_CONTACT_ROWS];                             /* lambda' */
    double goal[ASHI_CONTACT_ROWS];                              /* u' */
} ashi_exact_pair;

/* Finds the pair for the impulses in the block's rows and the velocities of its bodies. False when no impulse moves the
 * block: it is then not judged. */
bool ashi_exact_pair_find(const ashi_system *problem, const ashi_law *law, const ashi_block *block,
                          const ashi_row *rows, ashi_exact_pair *pair);

#endif
