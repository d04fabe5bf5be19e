/* Signals: the time-dependent factors of loads and motors. */
#include "model/signal.h"

#include "math/elementary.h"

/* The interval of a table that holds a time within its ends, by bisection. */
static uint32_t interval_of(const ash_signal *signal, double time)
{
    uint32_t low = 0, high = signal->count - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (signal->times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Straight lines between the pairs of a table. */
static double table_value(const ash_signal *signal, double time)
{
    uint32_t last = signal->count - 1;
    if (time <= signal->times[0])
        return signal->values[0];
    if (time >= signal->times[last])
        return signal->values[last];
    uint32_t i = interval_of(signal, time);
    double part = (time - signal->times[i]) / (signal->times[i + 1] - signal->times[i]);
    return signal->values[i] + part * (signal->values[i + 1] - signal->values[i]);
}

static double table_rate(const ash_signal *signal, double time)
{
    if (time < signal->times[0] || time >= signal->times[signal->count - 1])
        return 0;
    uint32_t i = interval_of(signal, time);
    return (signal->values[i + 1] - signal->values[i]) / (signal->times[i + 1] - signal->times[i]);
}

double ashi_signal_value(const ash_signal *signal, double time)
{
    switch (signal->kind) {
    case ASH_SIGNAL_HARMONIC:
        return ashi_cos(signal->rate * time + signal->phase);
    case ASH_SIGNAL_TABLE:
        return table_value(signal, time);
    default:
        return 1;
    }
}

double ashi_signal_rate(const ash_signal *signal, double time)
{
    switch (signal->kind) {
    case ASH_SIGNAL_HARMONIC:
        return -signal->rate * ashi_sin(signal->rate * time + signal->phase);
    case ASH_SIGNAL_TABLE:
        return table_rate(signal, time);
    default:
        return 0;
    }
}

double ashi_signal_bend(const ash_signal *signal, double time)
{
    if (signal->kind != ASH_SIGNAL_HARMONIC)
        return 0;
    return -signal->rate * signal->rate * ashi_cos(signal->rate * time + signal->phase);
}
