/* Names and places of the ledger's entries, in the order of the public struct. */
#include "scene/record/ledger_entry.h"

#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} entries[ASHI_LEDGER_ENTRIES] = {
    {"kinetic", offsetof(ash_ledger, kinetic)},     {"gravity", offsetof(ash_ledger, gravity)},
    {"springs", offsetof(ash_ledger, springs)},     {"total", offsetof(ash_ledger, total)},
    {"initial", offsetof(ash_ledger, initial)},     {"dampers", offsetof(ash_ledger, dampers)},
    {"drag", offsetof(ash_ledger, drag)},           {"loads", offsetof(ash_ledger, loads)},
    {"callbacks", offsetof(ash_ledger, callbacks)}, {"impacts", offsetof(ash_ledger, impacts)},
    {"friction", offsetof(ash_ledger, friction)},   {"motors", offsetof(ash_ledger, motors)},
    {"joints", offsetof(ash_ledger, joints)},       {"stabilization", offsetof(ash_ledger, stabilization)},
    {"sleep", offsetof(ash_ledger, sleep)},         {"external", offsetof(ash_ledger, external)},
    {"remainder", offsetof(ash_ledger, remainder)},
};
_Static_assert(sizeof(ash_ledger) == ASHI_LEDGER_ENTRIES * sizeof(double), "the table lists every entry");

const char *ashi_ledger_entry_name(uint32_t entry)
{
    return entries[entry].name;
}

double ashi_ledger_entry(const ash_ledger *ledger, uint32_t entry)
{
    double value;
    memcpy(&value, (const char *)ledger + entries[entry].offset, sizeof value);
    return value;
}
