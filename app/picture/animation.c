/* Animated PNG (the APNG extension of PNG, third edition): the first picture is an ordinary IDAT, so that every reader
 * of PNG shows it; the others are fdAT chunks of the rectangle that has changed. 8 bits a channel, sRGB. */
#include "app/picture/animation.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "scene/file/output_file.h"

#define LEVEL   9    /* of compression */
#define SLOWEST 65.0 /* s a picture: the field has 16 bits of milliseconds */

enum { BYTES = 3, FILTERS = 5 };

/* A part of a picture. */
typedef struct rectangle {
    uint32_t x, y, width, height;
} rectangle;

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put_u16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

/* A chunk of PNG: length, name, contents in two pieces, check. */
static bool put_chunk(cli_animation *a, const char *name, const uint8_t *head, size_t head_size, const uint8_t *body,
                      size_t body_size)
{
    size_t size = head_size + body_size;
    if (size > INT_MAX || !ashi_array_reserve(&a->file, a->file.count + size + 12))
        return false;
    uint8_t *to = a->file.data + a->file.count;
    put_u32(to, (uint32_t)size);
    memcpy(to + 4, name, 4);
    if (head_size > 0)
        memcpy(to + 8, head, head_size);
    if (body_size > 0)
        memcpy(to + 8 + head_size, body, body_size);
    put_u32(to + 8 + size, (uint32_t)crc32(crc32(0, NULL, 0), to + 4, (uInt)(size + 4)));
    a->file.count += (uint32_t)(size + 12);
    return true;
}

bool cli_animation_begin(cli_animation *a, uint32_t width, uint32_t height, uint32_t frames, double seconds)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t header[13] = {0}, control[8] = {0}, intent = 0;
    *a = (cli_animation){.width = width, .height = height, .frames = frames};
    a->milliseconds = (uint32_t)fmax(1, rint(1000 * fmin(seconds, SLOWEST)));
    if (!cli_canvas_create(&a->last, width, height) || !ashi_array_reserve(&a->file, sizeof signature))
        return false;
    memcpy(a->file.data, signature, sizeof signature);
    a->file.count = sizeof signature;
    put_u32(header, width);
    put_u32(header + 4, height);
    header[8] = 8; /* bits a channel */
    header[9] = 2; /* red, green and blue */
    put_u32(control, frames);
    return put_chunk(a, "IHDR", header, sizeof header, NULL, 0) && put_chunk(a, "sRGB", &intent, 1, NULL, 0) &&
           put_chunk(a, "acTL", control, sizeof control, NULL, 0);
}

void cli_animation_release(cli_animation *a)
{
    cli_canvas_release(&a->last);
    ashi_array_release(&a->file);
    ashi_array_release(&a->rows);
    ashi_array_release(&a->packed);
}

/* ---- pictures ---- */

static bool row_differs(const cli_animation *a, const cli_canvas *canvas, uint32_t y)
{
    return memcmp(cli_canvas_at(canvas, 0, y), cli_canvas_at(&a->last, 0, y), (size_t)BYTES * a->width) != 0;
}

static bool column_differs(const cli_animation *a, const cli_canvas *canvas, uint32_t x, const rectangle *r)
{
    for (uint32_t y = r->y; y < r->y + r->height; y++)
        if (memcmp(cli_canvas_at(canvas, x, y), cli_canvas_at(&a->last, x, y), BYTES) != 0)
            return true;
    return false;
}

/* Where a picture differs from the one before; one pixel where it does not. */
static rectangle find_change(const cli_animation *a, const cli_canvas *canvas)
{
    rectangle r = {0, 0, a->width, a->height};
    if (a->done == 0)
        return r;
    while (r.height > 1 && !row_differs(a, canvas, r.y)) {
        r.y++;
        r.height--;
    }
    while (r.height > 1 && !row_differs(a, canvas, r.y + r.height - 1))
        r.height--;
    while (r.width > 1 && !column_differs(a, canvas, r.x, &r)) {
        r.x++;
        r.width--;
    }
    while (r.width > 1 && !column_differs(a, canvas, r.x + r.width - 1, &r))
        r.width--;
    return r;
}

/* Paeth's predictor (PNG, 9.4). */
static int predict(int left, int above, int corner)
{
    int whole = left + above - corner;
    int by_left = abs(whole - left), by_above = abs(whole - above), by_corner = abs(whole - corner);
    if (by_left <= by_above && by_left <= by_corner)
        return left;
    return by_above <= by_corner ? above : corner;
}

/* A byte less what filter number `filter` foresees (PNG, 9.2). */
static uint8_t filtered(int filter, int value, int left, int above, int corner)
{
    switch (filter) {
    case 1:
        return (uint8_t)(value - left);
    case 2:
        return (uint8_t)(value - above);
    case 3:
        return (uint8_t)(value - (left + above) / 2);
    case 4:
        return (uint8_t)(value - predict(left, above, corner));
    default:
        return (uint8_t)value;
    }
}

/* Writes a row by one filter, its number first; returns the sum of sizes, which is small where it packs well. */
static uint64_t filter_row(const cli_canvas *canvas, const rectangle *r, uint32_t y, int filter, uint8_t *to)
{
    const uint8_t *row = cli_canvas_at(canvas, r->x, r->y + y),
                  *up = y > 0 ? cli_canvas_at(canvas, r->x, r->y + y - 1) : NULL;
    uint64_t sum = 0;
    *to++ = (uint8_t)filter;
    for (size_t i = 0; i < (size_t)BYTES * r->width; i++) {
        int left = i >= BYTES ? row[i - BYTES] : 0, above = up != NULL ? up[i] : 0;
        int corner = up != NULL && i >= BYTES ? up[i - BYTES] : 0;
        to[i] = filtered(filter, row[i], left, above, corner);
        sum += (uint64_t)abs((int8_t)to[i]);
    }
    return sum;
}

/* The rectangle, filtered row by row and compressed, is in `packed`. False when memory ran out. */
static bool pack(cli_animation *a, const cli_canvas *canvas, const rectangle *r)
{
    size_t stride = 1 + (size_t)BYTES * r->width, size = stride * r->height;
    uLongf room = compressBound((uLong)size);
    if (!ashi_array_reserve(&a->rows, size + stride) || !ashi_array_reserve(&a->packed, room))
        return false;
    uint8_t *trial = a->rows.data + size;
    for (uint32_t y = 0; y < r->height; y++) {
        uint8_t *to = a->rows.data + y * stride;
        uint64_t least = filter_row(canvas, r, y, 0, to);
        for (int filter = 1; filter < FILTERS; filter++) {
            uint64_t sum = filter_row(canvas, r, y, filter, trial);
            if (sum < least)
                memcpy(to, trial, stride);
            least = sum < least ? sum : least;
        }
    }
    if (compress2(a->packed.data, &room, a->rows.data, (uLong)size, LEVEL) != Z_OK)
        return false;
    a->packed.count = (uint32_t)room;
    return true;
}

bool cli_animation_add(cli_animation *a, const cli_canvas *canvas)
{
    rectangle r = find_change(a, canvas);
    uint8_t control[26] = {0}, number[4];
    put_u32(control, a->sequence++);
    put_u32(control + 4, r.width);
    put_u32(control + 8, r.height);
    put_u32(control + 12, r.x);
    put_u32(control + 16, r.y);
    put_u16(control + 20, a->milliseconds);
    put_u16(control + 22, 1000);
    if (!pack(a, canvas, &r) || !put_chunk(a, "fcTL", control, sizeof control, NULL, 0))
        return false;
    put_u32(number, a->sequence);
    bool first = a->done == 0;
    if (!put_chunk(a, first ? "IDAT" : "fdAT", number, first ? 0 : sizeof number, a->packed.data, a->packed.count))
        return false;
    a->sequence += first ? 0 : 1;
    a->done++;
    memcpy(a->last.pixels, canvas->pixels, (size_t)BYTES * a->width * a->height);
    return true;
}

ash_status cli_animation_write(cli_animation *a, const char *path, ash_diagnostic *diagnostic)
{
    if (!put_chunk(a, "IEND", NULL, 0, NULL, 0))
        return ashi_out_of_memory(diagnostic);
    return ashi_write_file(path, a->file.data, a->file.count, diagnostic);
}
