/* Round ticks: the spacing is the step of the series 1, 2, 5, 10, ... nearest above the range divided by the number of
 * ticks wanted. */
#include "app/cli/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static double round_spacing(double rough)
{
    double decade = pow(10, floor(log10(rough)));
    static const double steps[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (rough <= steps[i] * decade * (1 + 1e-9))
            return steps[i] * decade;
    return 10 * decade;
}

cli_axis cli_axis_make(double low, double high, int wanted, bool padded)
{
    /* Keep clear of overflow in differences and of ranges that rounding cannot resolve. */
    low = fmax(low, -DBL_MAX / 16);
    high = fmin(high, DBL_MAX / 16);
    double least = fmax(1e-9 * fmax(fabs(low), fabs(high)), 1e-290);
    if (!(high - low >= least)) {
        double centre = low / 2 + high / 2, half = fmax(least, fabs(centre) < 1e-280 ? 1 : 0.05 * fabs(centre));
        low = centre - half;
        high = centre + half;
    }
    cli_axis axis = {.low = low, .high = high, .spacing = round_spacing((high - low) / wanted)};
    double first = floor(low / axis.spacing), last = ceil(high / axis.spacing);
    if (padded) {
        axis.low = first * axis.spacing;
        axis.high = last * axis.spacing;
    } else {
        first = ceil(low / axis.spacing - 1e-6);
        last = floor(high / axis.spacing + 1e-6);
    }
    axis.first = first * axis.spacing;
    axis.ticks = (int)(last - first + 1.5);
    return axis;
}

cli_axis cli_axis_make_decades(double low, double high, int wanted)
{
    low = floor(low);
    high = ceil(high);
    high = high > low ? high : low + 1;
    double spacing = fmax(1, round_spacing((high - low) / wanted)), first = floor(low / spacing) * spacing;
    int ticks = (int)ceil((high - first) / spacing - 1e-9) + 1;
    return (cli_axis){
        .low = first, .high = first + (ticks - 1) * spacing, .first = first, .spacing = spacing, .ticks = ticks};
}

double cli_axis_tick(const cli_axis *axis, int index)
{
    double value = axis->first + index * axis->spacing;
    return fabs(value) < 1e-6 * axis->spacing ? 0 : value; /* 0, not what rounding left of it */
}

const char *cli_axis_label(const cli_axis *axis, int index, char *text, size_t size)
{
    double value = cli_axis_tick(axis, index), greatest = fmax(fabs(axis->low), fabs(axis->high));
    int decimals = (int)ceil(-log10(axis->spacing) - 1e-9);
    if (greatest < 1e6 && decimals <= 5)
        snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, value);
    else
        snprintf(text, size, "%.*g", (int)ceil(log10(greatest / axis->spacing)) + 1, value);
    return text;
}

double cli_axis_place(const cli_axis *axis, double value)
{
    return (value - axis->low) / (axis->high - axis->low);
}

bool cli_series_range(const ash_series *series, size_t count, cli_range *range)
{
    *range = (cli_range){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < series[i].count; j++) {
            double time = series[i].times[j], value = series[i].values[j];
            if (!isfinite(time) || !isfinite(value))
                continue;
            range->time_low = fmin(range->time_low, time);
            range->time_high = fmax(range->time_high, time);
            range->value_low = fmin(range->value_low, value);
            range->value_high = fmax(range->value_high, value);
        }
    return range->time_low <= range->time_high;
}
