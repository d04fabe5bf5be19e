/* The curves of the past, for pages that come later: of a recording all of it, of a running scene how it was
 * whenever it had gone on. At most ROWS instants are sent. Of a recording with more samples each stands for several:
 * their last values, and the least and the greatest in the order in which they came, so that no peak is lost. Of a
 * running scene every second instant is forgotten when there are ROWS of them. */
#include <math.h>
#include <string.h>

#include "app/viewer/commands.h"

enum { ROWS = 2048 };

static size_t width_of(const view_session *session)
{
    return 1 + (size_t)view_curve_count(session);
}

void view_past_begin(view_session *session)
{
    session->past_count = 0;
    session->past_stride = 1;
    session->past_skipped = 0;
    if (!ashi_array_reserve(&session->past, ROWS * width_of(session)))
        session->past.capacity = 0; /* then there is no past */
}

static void halve(view_session *session)
{
    size_t width = width_of(session);
    for (uint32_t i = 1; 2 * i < session->past_count; i++)
        memcpy(session->past.data + i * width, session->past.data + 2 * i * width, width * sizeof(double));
    session->past_count = (session->past_count + 1) / 2;
    session->past_stride *= 2;
}

void view_past_keep(view_session *session, double time, const double *curves)
{
    size_t width = width_of(session);
    double *rows = session->past.data;
    if (curves == NULL || session->past.capacity < ROWS * width)
        return;
    double *last = session->past_count > 0 ? rows + (session->past_count - 1) * width : NULL;
    if (last != NULL && last[0] == time) {
        memcpy(last + 1, curves, (width - 1) * sizeof *last);
        return;
    }
    while (session->past_count > 0 && rows[(session->past_count - 1) * width] >= time)
        session->past_count--; /* it was gone back */
    if (++session->past_skipped < session->past_stride)
        return;
    session->past_skipped = 0;
    if (session->past_count == ROWS)
        halve(session);
    double *row = rows + session->past_count++ * width;
    row[0] = time;
    memcpy(row + 1, curves, (width - 1) * sizeof *row);
}

void view_past_note(view_session *session)
{
    const view_world *world = &session->worlds[0];
    if (!ashi_array_reserve(&session->curves, view_curve_count(session)))
        return;
    view_read_curves(session, world, session->curves.data);
    view_past_keep(session, world->halt.stuck ? world->halt.time : view_clock_time(&session->clock),
                   session->curves.data);
}

/* JSON has no NaN; pages read this as one. */
static void write_number(ashi_json_text *json, double number)
{
    if (isfinite(number))
        ashi_json_number(json, NULL, number);
    else
        ashi_json_string(json, NULL, "NaN");
}

static void write_alive(const view_session *session, ashi_json_text *json)
{
    size_t width = width_of(session);
    for (size_t column = 0; column < width; column++) {
        if (column == 1)
            ashi_json_open(json, "values", '[', false);
        ashi_json_open(json, column == 0 ? "times" : NULL, '[', false);
        for (uint32_t i = 0; i < session->past_count; i++)
            write_number(json, session->past.data[i * width + column]);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

/* What a bucket of samples is told by. */
typedef enum bucket_part { LAST, EARLY, LATE } bucket_part;

static double bucket_value(const double *values, uint32_t first, uint32_t end, bucket_part part)
{
    if (part == LAST)
        return values[end - 1];
    uint32_t least = first, most = first;
    for (uint32_t i = first; i < end; i++) {
        if (!(values[i] >= values[least])) /* also when that is no number */
            least = isnan(values[i]) ? least : i;
        if (!(values[i] <= values[most]))
            most = isnan(values[i]) ? most : i;
    }
    bool first_wanted = part == EARLY;
    return values[first_wanted == (least < most) ? least : most];
}

static void write_part(const view_session *session, ashi_json_text *json, const char *key, bucket_part part,
                       uint32_t stride)
{
    ashi_json_open(json, key, '[', false);
    for (uint32_t k = 0; k < session->series.count; k++) {
        const ash_series *series = &session->series.data[k];
        ashi_json_open(json, NULL, '[', false);
        for (uint32_t i = 0; i < series->count; i += stride)
            write_number(
                json, bucket_value(series->values, i, i + stride < series->count ? i + stride : series->count, part));
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_recorded(const view_session *session, ashi_json_text *json)
{
    const double *times = ashi_replay_times(session->replay);
    uint32_t count = (uint32_t)ashi_replay_summary(session->replay).samples, stride = (count + ROWS - 1) / ROWS;
    ashi_json_open(json, "begin", '[', false);
    for (uint32_t i = 0; i < count; i += stride)
        ashi_json_number(json, NULL, times[i]);
    ashi_json_close(json);
    ashi_json_open(json, "times", '[', false);
    for (uint32_t i = 0; i < count; i += stride)
        ashi_json_number(json, NULL, times[(i + stride < count ? i + stride : count) - 1]);
    ashi_json_close(json);
    write_part(session, json, "values", LAST, stride);
    if (stride > 1) {
        write_part(session, json, "early", EARLY, stride);
        write_part(session, json, "late", LATE, stride);
    }
}

void view_write_past(const view_session *session, ashi_json_text *json)
{
    if (!view_is_recorded(session) && session->past_count == 0)
        return;
    ashi_json_open(json, "history", '{', false);
    if (view_is_recorded(session))
        write_recorded(session, json);
    else
        write_alive(session, json);
    ashi_json_close(json);
}

bool view_obey_curves(view_order *order)
{
    ashi_json_text json;
    view_begin_text(&json, "curves");
    view_write_past(order->session, &json);
    view_send_text(order->answer, &json);
    return true;
}
