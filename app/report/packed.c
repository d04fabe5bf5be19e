/* Bytes as text: compressed by zlib, since most of a motion is foreseen, and in base64, since a page is text. */
#include "app/report/parts.h"
#include "app/viewer/wire.h"

#include <string.h>
#include <zlib.h>

bool report_put(report_bytes *bytes, const void *data, size_t size)
{
    if (!ashi_array_reserve(bytes, (uint64_t)bytes->count + size))
        return false;
    memcpy(bytes->data + bytes->count, data, size);
    bytes->count += (uint32_t)size;
    return true;
}

bool report_put_f32(report_bytes *bytes, double value)
{
    uint8_t octets[4];
    view_put_f32(octets, value);
    return report_put(bytes, octets, sizeof octets);
}

bool report_put_f64(report_bytes *bytes, double value)
{
    uint8_t octets[8];
    view_put_f64(octets, value);
    return report_put(bytes, octets, sizeof octets);
}

bool report_put_whole(report_bytes *bytes, int64_t value)
{
    uint64_t left = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    uint8_t octets[10];
    uint32_t count = 0;
    do {
        octets[count++] = (uint8_t)((left & 127) | (left > 127 ? 128 : 0));
        left >>= 7;
    } while (left > 0);
    return report_put(bytes, octets, count);
}

static void encode_base64(const uint8_t *from, size_t size, char *to)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group =
            (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0u);
        *to++ = letters[group >> 18];
        *to++ = letters[group >> 12 & 63];
        *to++ = left > 1 ? letters[group >> 6 & 63] : '=';
        *to++ = left > 2 ? letters[group & 63] : '=';
    }
}

json_t *report_packed(const report_bytes *bytes)
{
    uLongf size = compressBound(bytes->count);
    uint8_t *small = ashi_alloc(size);
    static const uint8_t none = 0;
    bool done =
        small != NULL && compress2(small, &size, bytes->count > 0 ? bytes->data : &none, bytes->count, 9) == Z_OK;
    size_t length = (size + 2) / 3 * 4;
    char *text = done ? ashi_alloc(length) : NULL;
    json_t *packed = NULL;
    if (text != NULL) {
        encode_base64(small, size, text);
        packed = json_pack("{s:I, s:s%}", "size", (json_int_t)bytes->count, "data", text, length);
    }
    ashi_dealloc(text);
    ashi_dealloc(small);
    return packed;
}
