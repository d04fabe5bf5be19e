/* What a report is made of: a page with all its data inside. Functions that return JSON give null when memory ran out
 * or, where they take a diagnostic, when a recording could not be read; then it says which. */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include <jansson.h>

#include "base/array.h"
#include "scene/record/replay.h"

/* packed.c: bytes that go through text. Numbers are little-endian. */
typedef ASHI_ARRAY(uint8_t) report_bytes;
bool report_put(report_bytes *bytes, const void *data, size_t size);
bool report_put_f32(report_bytes *bytes, double value);
bool report_put_f64(report_bytes *bytes, double value);
/* A whole number in as few bytes as it needs: 0, -1, 1, -2, ... are 0, 1, 2, 3, ..., seven bits a byte, lowest first;
 * the highest bit of a byte says that more come. */
bool report_put_whole(report_bytes *bytes, int64_t value);
/* {"size": bytes, "data": them compressed by zlib, in base64}. */
json_t *report_packed(const report_bytes *bytes);

/* motion.c: where bodies were in at most `frames_most` samples, evenly chosen over time, first and last included. */
json_t *report_motion(ashi_replay *replay, uint32_t frames_most, ash_diagnostic *diagnostic);

/* series.c: outputs, ledger and step reports in at most `rows_most` rows; of each row that stands for several samples,
 * the extremes in their order beside the last value. `curves` becomes the list for the scene message. */
json_t *report_series(ashi_replay *replay, uint32_t rows_most, json_t **curves, ash_diagnostic *diagnostic);

/* links.c: springs and joints by the bodies and points that they connect. */
json_t *report_links(const ash_scene *scene);

/* facts.c: what there is to tell about the run. `path` is the recording's, beside which its summary may be. */
json_t *report_facts(ashi_replay *replay, const char *path, ash_diagnostic *diagnostic);

/* page.c: the page with style, script and the data (JSON) inside; the text is of ashi_alloc. */
char *report_page(const json_t *data, const char *title, size_t *size, ash_diagnostic *diagnostic);

#endif
