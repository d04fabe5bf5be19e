/* A signal as bytes: its kind, then the fields of that kind. */
#include "world/archive_signal.h"

#include "base/alloc.h"
#include "world/signal_copy.h"

static void archive_numbers(ashi_archive *a, const double **numbers, uint32_t count)
{
    if (!a->writing) {
        double *fresh = a->failed ? NULL : ashi_alloc_array(count, sizeof *fresh);
        a->out_of_memory |= fresh == NULL && !a->failed;
        *numbers = fresh;
    }
    if (*numbers != NULL)
        ashi_archive_bytes(a, (void *)*numbers, count * sizeof **numbers);
}

void ashi_archive_signal(ashi_archive *a, ash_signal *signal)
{
    uint32_t kind = (uint32_t)signal->kind;
    ashi_archive_below(a, &kind, ASH_SIGNAL_KINDS);
    signal->kind = (ash_signal_kind)kind;
    ashi_archive_double(a, &signal->rate);
    ashi_archive_double(a, &signal->phase);
    if (signal->kind == ASH_SIGNAL_TABLE) {
        ashi_archive_count(a, &signal->count, 2 * sizeof(double));
        a->failed |= signal->count == 0;
        archive_numbers(a, &signal->times, signal->count);
        archive_numbers(a, &signal->values, signal->count);
    }
    ash_diagnostic diagnostic = {0};
    if (!a->writing && ashi_archive_good(a))
        ashi_archive_check(a, ashi_check_signal(signal, "signal", &diagnostic), &diagnostic);
}
