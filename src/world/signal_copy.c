/* Signals in definitions: checked, and copied with their tables. */
#include "world/signal_copy.h"

#include "base/alloc.h"
#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool ashi_check_signal(const ash_signal *signal, const char *owner, ash_diagnostic *diagnostic)
{
    char code[40];
    if ((unsigned)signal->kind >= ASH_SIGNAL_KINDS || !isfinite(signal->rate) || !isfinite(signal->phase)) {
        snprintf(code, sizeof code, "%s.signal", owner);
        ashi_fail(diagnostic, ASH_BAD_DATA, code, "the signal's kind, rate or phase is not usable");
        return false;
    }
    if (signal->kind != ASH_SIGNAL_TABLE)
        return true;
    bool good = signal->count > 0 && signal->times != NULL && signal->values != NULL;
    for (uint32_t i = 0; good && i < signal->count; i++)
        good = isfinite(signal->times[i]) && isfinite(signal->values[i]) &&
               (i == 0 || signal->times[i] > signal->times[i - 1]);
    if (!good) {
        snprintf(code, sizeof code, "%s.table", owner);
        ashi_fail(diagnostic, ASH_BAD_DATA, code, "the signal's table is empty, not finite or not ascending");
        ashi_expect(diagnostic, "at least one (time, value) pair, times strictly ascending");
    }
    return good;
}

bool ashi_copy_signal(ash_signal *signal, ash_diagnostic *diagnostic)
{
    const double *times = signal->times, *values = signal->values;
    signal->times = signal->values = NULL;
    if (signal->kind != ASH_SIGNAL_TABLE) {
        signal->count = 0;
        return true;
    }
    size_t size = signal->count * sizeof(double);
    double *own_times = ashi_alloc(size), *own_values = ashi_alloc(size);
    if (own_times == NULL || own_values == NULL) {
        ashi_dealloc(own_times);
        ashi_dealloc(own_values);
        ashi_out_of_memory(diagnostic);
        return false;
    }
    memcpy(own_times, times, size);
    memcpy(own_values, values, size);
    signal->times = own_times;
    signal->values = own_values;
    return true;
}
