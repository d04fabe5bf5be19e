/* Damage done to JSON texts, by a seeded generator: what the fuzz tests of readers share. */
#ifndef TESTS_SCENE_MUTATIONS_H
#define TESTS_SCENE_MUTATIONS_H

#include "base/random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 16 };

static ashi_random generator;

static size_t below(size_t count)
{
    return count == 0 ? 0 : ashi_random_below(&generator, (uint32_t)count);
}

static size_t flip_bytes(char *text, size_t size)
{
    for (size_t i = 1 + below(4); i > 0 && size > 0; i--)
        text[below(size)] ^= (char)(1u << below(8));
    return size;
}

static size_t truncate_text(char *text, size_t size)
{
    (void)text;
    return below(size + 1);
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_';
}

/* The start and length of a number or word near a random place. */
static size_t pick_token(const char *text, size_t size, size_t *start)
{
    size_t at = below(size), end;
    while (at < size && !is_word(text[at]))
        at++;
    while (at > 0 && is_word(text[at - 1]))
        at--;
    for (end = at; end < size && is_word(text[end]);)
        end++;
    *start = at;
    return end - at;
}

static size_t replace_token(char *text, size_t size, const char *with, size_t length)
{
    size_t start, old = pick_token(text, size, &start);
    if (size - old + length > LARGEST)
        return size;
    memmove(text + start + length, text + start + old, size - start - old);
    memcpy(text + start, with, length);
    return size - old + length;
}

static size_t swap_tokens(char *text, size_t size)
{
    char token[64];
    size_t start, length = pick_token(text, size, &start);
    if (length > sizeof token)
        length = sizeof token;
    memcpy(token, text + start, length);
    return replace_token(text, size, token, length);
}

static size_t put_odd_token(char *text, size_t size)
{
    static const char *const odd[] = {
        "-1",       "1e308", "-1e308", "0",    "1e-320", "4294967296", "9223372036854775807",
        "null",     "true",  "[]",     "{}",   "\"\"",   "1e999",      "\\u0000",
        "\"ball\"", "NaN",   "-0",     "65536"};
    const char *token = odd[below(sizeof odd / sizeof *odd)];
    return replace_token(text, size, token, strlen(token));
}

static size_t nest_deeply(char *text, size_t size)
{
    char deep[3000];
    size_t count = 1 + below(sizeof deep / 2 - 1);
    memset(deep, '[', count);
    memset(deep + count, ']', count);
    return replace_token(text, size, deep, 2 * count);
}

static size_t delete_piece(char *text, size_t size)
{
    size_t start = below(size), length = below(40);
    if (start + length > size)
        length = size - start;
    memmove(text + start, text + start + length, size - start - length);
    return size - length;
}

/* Hands mutants of the text to `try_text`, each in a block of exactly its size, so that a step beyond it is seen by the
 * sanitizer. */
static inline void mutate_text(const char *original, size_t size, int mutants,
                               void (*try_text)(const char *text, size_t size))
{
    static size_t (*const mutations[])(char *, size_t) = {flip_bytes,    truncate_text, swap_tokens, put_odd_token,
                                                          put_odd_token, nest_deeply,   delete_piece};
    for (int i = 0; size < LARGEST / 2 && i < mutants; i++) {
        char *text = malloc(LARGEST);
        assert_non_null(text);
        memcpy(text, original, size);
        size_t mutant = size;
        for (size_t k = 1 + below(2); k > 0; k--)
            mutant = mutations[below(sizeof mutations / sizeof *mutations)](text, mutant);
        char *exact = malloc(mutant > 0 ? mutant : 1);
        assert_non_null(exact);
        memcpy(exact, text, mutant);
        try_text(exact, mutant);
        free(exact);
        free(text);
    }
}

#endif
