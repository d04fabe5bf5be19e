/* The first 2^21 step times are all kept, so the median is exact. Beyond that every second one is dropped and only
 * every second (fourth, ...) step is kept from there on: the median is then that of evenly spread steps, in bounded
 * memory. */
#include "scene/run/step_times.h"

#include <stdlib.h>

bool ashi_step_times_add(ashi_step_times *times, double seconds)
{
    if (times->stride == 0)
        times->stride = 1;
    uint64_t number = times->count++;
    times->sum += seconds;
    if (seconds > times->max)
        times->max = seconds;
    if (number % times->stride != 0)
        return true;
    if (times->kept.count == ASHI_STEP_TIMES_KEPT) {
        for (uint32_t i = 0; i < ASHI_STEP_TIMES_KEPT / 2; i++)
            times->kept.data[i] = times->kept.data[2 * i];
        times->kept.count = ASHI_STEP_TIMES_KEPT / 2;
        times->stride *= 2;
        if (number % times->stride != 0)
            return true;
    }
    if (!ashi_array_extend(&times->kept))
        return false;
    times->kept.data[times->kept.count - 1] = seconds;
    return true;
}

double ashi_step_times_mean(const ashi_step_times *times)
{
    return times->count > 0 ? times->sum / (double)times->count : 0;
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double ashi_step_times_median(ashi_step_times *times)
{
    uint32_t count = times->kept.count;
    if (count == 0)
        return 0;
    double *kept = times->kept.data;
    qsort(kept, count, sizeof *kept, compare_numbers);
    return count % 2 == 1 ? kept[count / 2] : (kept[count / 2 - 1] + kept[count / 2]) / 2;
}

void ashi_step_times_release(ashi_step_times *times)
{
    ashi_array_release(&times->kept);
}
