/* Comma-separated values: outputs, ledger and report over time, then where each body is. */
#include <stdio.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "app/export/motion.h"
#include "base/alloc.h"
#include "scene/file/csv.h"

static const char *const parts[] = {"x",
                                    "y",
                                    "z",
                                    "rotation w",
                                    "rotation x",
                                    "rotation y",
                                    "rotation z",
                                    "velocity x",
                                    "velocity y",
                                    "velocity z",
                                    "angular velocity x",
                                    "angular velocity y",
                                    "angular velocity z"};
static const char *const units[] = {"m", "m", "m", "", "", "", "", "m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"};
enum { PARTS = sizeof parts / sizeof *parts };

static void put_headings(const cli_motion *motion, const ash_series *series, uint32_t count, ashi_csv *csv)
{
    ashi_csv_heading(csv, "time", "s");
    for (uint32_t i = 0; i < count; i++)
        ashi_csv_heading(csv, series[i].name, series[i].unit);
    for (uint32_t b = 0; b < motion->scene->bodies.count; b++)
        for (int k = 0; k < PARTS; k++) {
            char heading[256];
            const char *name = motion->scene->bodies.data[b].def.name;
            if (name != NULL && name[0] != 0)
                snprintf(heading, sizeof heading, "%.200s %s", name, parts[k]);
            else
                snprintf(heading, sizeof heading, "body %u %s", (unsigned)b, parts[k]);
            ashi_csv_heading(csv, heading, units[k]);
        }
}

static void put_row(const cli_motion *motion, const ash_series *series, uint32_t count, uint32_t frame, ashi_csv *csv)
{
    ashi_csv_number(csv, motion->times[frame]);
    for (uint32_t i = 0; i < count; i++)
        ashi_csv_number(csv, series[i].values[motion->frames.data[frame]]);
    for (uint32_t b = 0; b < motion->scene->bodies.count; b++) {
        uint64_t at = cli_motion_at(motion, frame, b);
        ash_vec3 p = motion->positions[at], v = motion->velocities[at], w = motion->spins[at];
        ash_quat q = motion->rotations[at];
        const double numbers[PARTS] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < PARTS; k++)
            ashi_csv_number(csv, numbers[k]);
    }
}

int cli_write_columns(const cli_motion *motion, const char *path)
{
    ash_diagnostic diagnostic = {0};
    ashi_csv *csv = NULL;
    uint32_t count = ashi_replay_series_count(motion->replay);
    ash_series *series = ashi_alloc_array(count, sizeof *series);
    ash_status status = series != NULL ? ASH_OK : ashi_out_of_memory(&diagnostic);
    for (uint32_t i = 0; i < count && status == ASH_OK; i++)
        status = ashi_replay_series(motion->replay, i, &series[i], &diagnostic);
    if (status == ASH_OK)
        status = ashi_csv_open(path, ASHI_CSV_WHEN_CLOSED, &csv, &diagnostic);
    if (status == ASH_OK) {
        put_headings(motion, series, count, csv);
        status = ashi_csv_end_row(csv, &diagnostic);
    }
    for (uint32_t f = 0; f < motion->frames.count && status == ASH_OK; f++) {
        put_row(motion, series, count, f, csv);
        status = ashi_csv_end_row(csv, &diagnostic);
    }
    ash_status closed = ashi_csv_close(csv, status == ASH_OK ? &diagnostic : NULL);
    ashi_dealloc(series);
    return status == ASH_OK && closed == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}
