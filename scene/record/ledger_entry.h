/* The entries of the energy ledger by number, so that recordings, tables and summaries list the same ones. */
#ifndef ASHI_SCENE_LEDGER_ENTRY_H
#define ASHI_SCENE_LEDGER_ENTRY_H

#include "ashlar/world.h"

#define ASHI_LEDGER_ENTRIES 17u

const char *ashi_ledger_entry_name(uint32_t entry);
double ashi_ledger_entry(const ash_ledger *ledger, uint32_t entry); /* J */

#endif
