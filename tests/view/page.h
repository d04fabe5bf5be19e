/* A page without a browser: it keeps the last message of each kind, decoded by hand. */
#ifndef TESTS_VIEW_PAGE_H
#define TESTS_VIEW_PAGE_H

#include "check.h"

#include "app/viewer/session.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct page_frame {
    uint32_t generation, world, flags, bodies, curve_count;
    double time, seconds;
    uint64_t step;
    double curves[128];
    float *positions, *colours; /* three each; one each, or null */
    int16_t *rotations;         /* x, y, z, w each */
    uint8_t *asleep;
} page_frame;

typedef struct view_page {
    json_t *hello, *scene, *state, *error, *note, *export, *curves, *inspected;
    page_frame frames[2];
    uint32_t frame_count, surface_count, mark_count, message_count, error_count, scene_count;
    uint32_t marks_world;
    unsigned char *marks; /* of the last message */
    size_t bytes;         /* of all messages */
} view_page;

static inline uint32_t page_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t page_u64(const unsigned char *at)
{
    return (uint64_t)page_u32(at) | (uint64_t)page_u32(at + 4) << 32;
}

static inline float page_f32(const unsigned char *at)
{
    uint32_t bits = page_u32(at);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline double page_f64(const unsigned char *at)
{
    uint64_t bits = page_u64(at);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void page_forget_frame(page_frame *frame)
{
    free(frame->positions);
    free(frame->colours);
    free(frame->rotations);
    free(frame->asleep);
    *frame = (page_frame){0};
}

static void page_frame_came(view_page *page, const unsigned char *at, size_t size)
{
    assert_true(size >= 48);
    uint32_t world = page_u32(at + 8);
    assert_true(world < 2);
    page_frame *frame = &page->frames[world];
    page_forget_frame(frame);
    frame->generation = page_u32(at + 4);
    frame->world = world;
    frame->flags = page_u32(at + 12);
    frame->time = page_f64(at + 16);
    frame->seconds = page_f64(at + 24);
    frame->step = page_u64(at + 32);
    frame->bodies = page_u32(at + 40);
    frame->curve_count = page_u32(at + 44);
    size_t n = frame->bodies, coloured = (frame->flags & 8) != 0;
    assert_true(frame->curve_count <= 128);
    assert_int_equal(size, 48 + 8 * frame->curve_count + 20 * n + 4 * n * coloured + (n + 7) / 8);
    frame->positions = calloc(3 * n + 1, sizeof *frame->positions);
    frame->rotations = calloc(4 * n + 1, sizeof *frame->rotations);
    frame->colours = coloured ? calloc(n + 1, sizeof *frame->colours) : NULL;
    frame->asleep = calloc(n / 8 + 1, 1);
    at += 48;
    for (uint32_t i = 0; i < frame->curve_count; i++, at += 8)
        frame->curves[i] = page_f64(at);
    for (size_t i = 0; i < 3 * n; i++, at += 4)
        frame->positions[i] = page_f32(at);
    for (size_t i = 0; i < 4 * n; i++, at += 2)
        frame->rotations[i] = (int16_t)(uint16_t)(at[0] | at[1] << 8);
    for (size_t i = 0; i < n * coloured; i++, at += 4)
        frame->colours[i] = page_f32(at);
    memcpy(frame->asleep, at, (n + 7) / 8);
    page->frame_count++;
}

static void page_surface_came(view_page *page, const unsigned char *at, size_t size)
{
    assert_true(size >= 16);
    uint32_t points = page_u32(at + 8), triangles = page_u32(at + 12);
    assert_int_equal(size, 16 + 24 * (size_t)points + 12 * (size_t)triangles);
    for (uint32_t i = 0; i < 6 * points; i++)
        assert_true(isfinite(page_f32(at + 16 + 4 * i)));
    for (uint32_t i = 0; i < 3 * triangles; i++)
        assert_true(page_u32(at + 16 + 24 * points + 4 * i) < points);
    page->surface_count++;
}

static void page_marks_came(view_page *page, const unsigned char *at, size_t size)
{
    assert_true(size >= 16);
    page->mark_count = page_u32(at + 8);
    page->marks_world = page_u32(at + 12);
    assert_int_equal(size, 16 + 32 * (size_t)page->mark_count);
    free(page->marks);
    page->marks = malloc(size);
    assert_non_null(page->marks);
    memcpy(page->marks, at, size);
}

static void page_text_came(view_page *page, const char *text, size_t size)
{
    json_error_t error;
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (message == NULL)
        fail_msg("a message is no JSON: %s in %.200s", error.text, text);
    const char *type = json_string_value(json_object_get(message, "type"));
    assert_non_null(type);
    static const char *const types[] = {"hello", "scene", "state", "error", "note", "export", "curves", "inspected"};
    json_t **const places[] = {&page->hello, &page->scene,  &page->state,  &page->error,
                               &page->note,  &page->export, &page->curves, &page->inspected};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], type) == 0) {
            json_decref(*places[i]);
            *places[i] = message;
            page->error_count += i == 3;
            page->scene_count += i == 1;
            return;
        }
    fail_msg("a message of type \"%s\"", type);
}

static void page_came(const void *bytes, size_t size, bool is_text, void *user)
{
    view_page *page = user;
    page->message_count++;
    page->bytes += size;
    if (is_text) {
        page_text_came(page, bytes, size);
        return;
    }
    assert_true(size >= 16);
    switch (page_u32(bytes)) {
    case 1:
        page_surface_came(page, bytes, size);
        break;
    case 2:
        page_frame_came(page, bytes, size);
        break;
    case 3:
        page_marks_came(page, bytes, size);
        break;
    default:
        fail_msg("a binary message of type %u", page_u32(bytes));
    }
}

static inline view_sink page_sink(view_page *page)
{
    return (view_sink){page_came, page};
}

static inline void page_close(view_page *page)
{
    json_t *texts[] = {page->hello, page->scene,  page->state,  page->error,
                       page->note,  page->export, page->curves, page->inspected};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_decref(texts[i]);
    page_forget_frame(&page->frames[0]);
    page_forget_frame(&page->frames[1]);
    free(page->marks);
    *page = (view_page){0};
}

/* Opens a session, at a pause, and greets the page. */
static inline view_session *page_open(view_page *page, const char *name, const char *other)
{
    view_session *session = NULL;
    view_subject subject = {.name = name, .other = other, .threads = 1, .paused = true};
    *page = (view_page){0};
    assert_int_equal(view_session_open(&subject, &session), 0);
    assert_int_equal(view_session_greet(session, page_sink(page)), ASH_OK);
    return session;
}

/* Sends a command as page number 1; true when it was obeyed. */
static inline bool page_says(view_page *page, view_session *session, const char *text)
{
    uint32_t errors = page->error_count;
    view_session_obey(session, 1, text, strlen(text), page_sink(page), page_sink(page));
    return page->error_count == errors;
}

static inline const char *page_complaint(const view_page *page)
{
    return json_string_value(json_object_get(page->error, "message"));
}

#endif
