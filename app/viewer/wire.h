/* The wire form of the viewer's messages: bytes in little-endian order, whatever the host's is, and JSON text.
 * docs/viewer-wire.md lists the messages. */
#ifndef CLI_VIEW_WIRE_H
#define CLI_VIEW_WIRE_H

#include <string.h>

#include "app/viewer/session.h"
#include "base/diagnostic.h"
#include "scene/file/json_text.h"

/* Types of binary messages, and their sizes. */
enum { VIEW_SURFACE = 1, VIEW_FRAME = 2, VIEW_MARKS = 3 };
enum { VIEW_SURFACE_HEADER = 16, VIEW_FRAME_HEADER = 48, VIEW_MARKS_HEADER = 16, VIEW_MARK_SIZE = 32 };
/* Flags of frames. */
enum { VIEW_PAUSED = 1, VIEW_RECORDED = 2, VIEW_ENDED = 4, VIEW_COLOURED = 8 };
#define VIEW_SURFACE_MOST ((size_t)16 << 20) /* bytes of a surface; the server sends no larger message */

/* A message under way. Its memory is kept from one message to the next. */
typedef struct view_bytes {
    uint8_t *data;
    size_t size, capacity;
} view_bytes;

/* Sees to it that `more` bytes can follow the present ones, which stay; null when memory ran out. Gives the place of
 * the next byte. */
uint8_t *view_bytes_reserve(view_bytes *bytes, size_t more);
void view_bytes_release(view_bytes *bytes);

/* Each writes a number and answers where the next one goes. */
static inline uint8_t *view_put_u16(uint8_t *at, uint16_t number)
{
    at[0] = (uint8_t)number;
    at[1] = (uint8_t)(number >> 8);
    return at + 2;
}

static inline uint8_t *view_put_u32(uint8_t *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> 8 * i);
    return at + 4;
}

static inline uint8_t *view_put_u64(uint8_t *at, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(number >> 8 * i);
    return at + 8;
}

static inline uint8_t *view_put_f32(uint8_t *at, double number)
{
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return view_put_u32(at, bits);
}

static inline uint8_t *view_put_f64(uint8_t *at, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return view_put_u64(at, bits);
}

static inline uint8_t *view_put_point(uint8_t *at, ash_vec3 point)
{
    return view_put_f32(view_put_f32(view_put_f32(at, point.x), point.y), point.z);
}

void view_send_bytes(view_sink sink, const view_bytes *bytes);

/* A text message: begin, add members, send. Sending releases it; what is no UTF-8 becomes '?', and a text that could
 * not be made is an error message instead. */
void view_begin_text(ashi_json_text *json, const char *type);
void view_send_text(view_sink sink, ashi_json_text *json);

/* Tells a page why its command was not obeyed. */
void view_send_error(view_sink sink, const char *command, const char *message);
/* Tells pages something. */
void view_send_note(view_sink sink, const char *format, ...) ASHI_PRINTF(2, 3);

#endif
