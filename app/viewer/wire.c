/* Messages handed to a sink. Texts are checked for UTF-8 before: a page closes its connection at one that is not. */
#include "app/viewer/wire.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

uint8_t *view_bytes_reserve(view_bytes *bytes, size_t more)
{
    if (bytes->data == NULL || bytes->capacity - bytes->size < more) {
        if (more > SIZE_MAX / 4 || bytes->size > SIZE_MAX / 4)
            return NULL;
        size_t capacity = bytes->size + more + (bytes->size + more) / 2;
        uint8_t *data = ashi_realloc(bytes->data, capacity);
        if (data == NULL)
            return NULL;
        bytes->data = data;
        bytes->capacity = capacity;
    }
    return bytes->data + bytes->size;
}

void view_bytes_release(view_bytes *bytes)
{
    ashi_dealloc(bytes->data);
    *bytes = (view_bytes){0};
}

void view_send_bytes(view_sink sink, const view_bytes *bytes)
{
    sink.send(bytes->data, bytes->size, false, sink.user);
}

/* How many bytes the character at `text` has; 0 when it is none of UTF-8. */
static size_t character_size(const uint8_t *text, size_t left)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80           ? 1
                  : (text[0] >> 5) == 0x06 ? 2
                  : (text[0] >> 4) == 0x0e ? 3
                  : (text[0] >> 3) == 0x1e ? 4
                                           : 0;
    if (size <= 1 || size > left)
        return size == 1 ? 1 : 0;
    uint32_t code = text[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[size] && code <= 0x10ffff && !surrogate ? size : 0;
}

static void replace_what_is_no_text(uint8_t *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = character_size(text + i, size - i);
        if (length == 0)
            text[i] = '?';
        i += length > 0 ? length : 1;
    }
}

void view_begin_text(ashi_json_text *json, const char *type)
{
    *json = (ashi_json_text){0};
    ashi_json_open(json, NULL, '{', false);
    ashi_json_string(json, "type", type);
}

void view_send_text(view_sink sink, ashi_json_text *json)
{
    static const char failed[] = "{\"type\": \"error\", \"command\": \"\", \"message\": \"out of memory\"}\n";
    ashi_json_close(json);
    if (json->failure == ASH_OK && json->text != NULL) {
        replace_what_is_no_text((uint8_t *)json->text, json->size);
        sink.send(json->text, json->size, true, sink.user);
    } else {
        sink.send(failed, sizeof failed - 1, true, sink.user);
    }
    ashi_dealloc(json->text);
    *json = (ashi_json_text){0};
}

void view_send_error(view_sink sink, const char *command, const char *message)
{
    ashi_json_text json;
    view_begin_text(&json, "error");
    ashi_json_string(&json, "command", command);
    ashi_json_string(&json, "message", message);
    view_send_text(sink, &json);
}

void view_send_note(view_sink sink, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ashi_json_text json;
    view_begin_text(&json, "note");
    ashi_json_string(&json, "message", message);
    view_send_text(sink, &json);
}
