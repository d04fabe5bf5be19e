/* The TCP connections between rank 0 of a sweep and the others. */
#ifndef CLI_SWEEP_LINKS_H
#define CLI_SWEEP_LINKS_H

#include "app/sweep/ranks.h"

enum { CLI_ADDRESSES = 16, CLI_SECRET = 16 };

/* Where rank 0 listens, as text, and what both sides say first: who knows neither is let in nowhere. */
typedef struct cli_invitation {
    char addresses[CLI_ADDRESSES][64], port[8];
    unsigned char ask[CLI_SECRET], answer[CLI_SECRET];
} cli_invitation;

/* Rank 0 opens its door and writes the invitation; false, with a message, when it cannot. */
bool cli_links_listen(cli_ranks *ranks, cli_invitation *invitation);
/* Another rank comes in. */
bool cli_links_connect(cli_ranks *ranks, const cli_invitation *invitation);

#endif
