/* Curves of a recording in a bounded number of rows. A row that stands for several samples keeps of each column the
 * least and the greatest value, in the order in which they came, and the last one, so that spikes are still seen.
 * Values are 32-bit floats, seven digits. */
#include "app/report/parts.h"

#include "app/cli/document.h"
#include "app/viewer/recorded_curve.h"
#include "base/diagnostic.h"

#include <math.h>
#include <string.h>

/* The samples of a row. */
typedef struct span {
    uint64_t first, last;
} span;

static span row_span(uint64_t samples, uint32_t rows, uint32_t row)
{
    return (span){samples * row / rows, samples * (row + 1) / rows - 1};
}

/* The extremes of values[first .. last] in their order; NaN when none is a number. */
static void extremes(const double *values, span samples, double *early, double *late)
{
    uint64_t low = samples.first, high = samples.first;
    for (uint64_t i = samples.first; i <= samples.last; i++) {
        if (values[i] < values[low] || isnan(values[low]))
            low = i;
        if (values[i] > values[high] || isnan(values[high]))
            high = i;
    }
    *early = values[low < high ? low : high];
    *late = values[low < high ? high : low];
}

static bool put_column(report_bytes *bytes, const double *values, uint64_t samples, uint32_t rows)
{
    bool done = true;
    for (uint32_t i = 0; done && i < rows; i++)
        done = report_put_f32(bytes, values[row_span(samples, rows, i).last]);
    for (int which = 0; which < 2 && rows < samples; which++)
        for (uint32_t i = 0; done && i < rows; i++) {
            double pair[2];
            extremes(values, row_span(samples, rows, i), &pair[0], &pair[1]);
            done = report_put_f32(bytes, pair[which]);
        }
    return done;
}

static bool put_times(report_bytes *bytes, const double *times, uint64_t samples, uint32_t rows)
{
    bool done = true;
    for (uint32_t i = 0; done && i < rows; i++)
        done = report_put_f64(bytes, times[row_span(samples, rows, i).first]);
    for (uint32_t i = 0; done && i < rows; i++)
        done = report_put_f64(bytes, times[row_span(samples, rows, i).last]);
    return done;
}

static ash_status put_columns(ashi_replay *replay, report_bytes *bytes, uint64_t samples, uint32_t rows, json_t *curves,
                              ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < ashi_replay_series_count(replay); i++) {
        ash_series series;
        ash_status status = ashi_replay_series(replay, i, &series, diagnostic);
        if (status != ASH_OK)
            return status;
        view_recorded_curve as = view_recorded_curve_of(series.name);
        if (as.name == NULL)
            continue;
        json_t *curve = json_object();
        cli_json_set(curve, "name", cli_json_text(as.name));
        cli_json_set(curve, "unit", cli_json_text(series.unit));
        cli_json_set(curve, "group", json_string(as.group));
        if (json_array_append_new(curves, curve) != 0 || !put_column(bytes, series.values, samples, rows))
            return ashi_out_of_memory(diagnostic);
    }
    return ASH_OK;
}

json_t *report_series(ashi_replay *replay, uint32_t rows_most, json_t **curves, ash_diagnostic *diagnostic)
{
    uint64_t samples = ashi_replay_summary(replay).samples;
    uint32_t rows = samples < rows_most ? (uint32_t)samples : rows_most;
    report_bytes bytes = {0};
    json_t *result = NULL;
    *curves = json_array();
    ash_status status = *curves != NULL && put_times(&bytes, ashi_replay_times(replay), samples, rows)
                            ? put_columns(replay, &bytes, samples, rows, *curves, diagnostic)
                            : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK) {
        result = json_pack("{s:i, s:i, s:b, s:o}", "rows", (int)rows, "columns", (int)json_array_size(*curves),
                           "ranged", rows < samples, "values", report_packed(&bytes));
        if (result == NULL)
            ashi_out_of_memory(diagnostic);
    }
    ashi_array_release(&bytes);
    if (result == NULL) {
        json_decref(*curves);
        *curves = NULL;
    }
    return result;
}
