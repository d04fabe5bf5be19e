/* Damaged scene files: seeded mutations of the valid examples. Whatever comes, the reader answers with a scene or with
 * a diagnostic, and nothing stays behind. A scene that was read can be written and read again. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "ashlar/scene.h"
#include "base/random.h"

enum { MUTANTS = 1500, LARGEST = 1 << 16 };

static ashi_random generator;
static uint32_t accepted, refused;

static void try_text(const char *text, size_t size)
{
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    ash_status status = ash_scene_parse(text, size, "mutant.json", &scene, &diagnostic);
    if (status != ASH_OK) {
        refused++;
        assert_null(scene);
        assert_int_equal(diagnostic.status, status);
        assert_true(diagnostic.code[0] != 0 && diagnostic.message[0] != 0);
        assert_true(status == ASH_OUT_OF_MEMORY || diagnostic.line > 0 || strcmp(diagnostic.code, "scene.syntax") == 0);
        return;
    }
    accepted++;
    char *written;
    size_t written_size;
    ash_scene *again;
    assert_int_equal(ash_scene_write(scene, &written, &written_size, NULL), ASH_OK);
    if (ash_scene_parse(written, written_size, "again", &again, &diagnostic) != ASH_OK)
        fail_msg("what was written is not read: %s %s\n%s", diagnostic.path, diagnostic.message, written);
    ash_scene_destroy(again);
    ash_scene_destroy(scene);
    ash_free(written);
}

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

static void mutate_file(const char *path)
{
    static size_t (*const mutations[])(char *, size_t) = {flip_bytes,    truncate_text, swap_tokens, put_odd_token,
                                                          put_odd_token, nest_deeply,   delete_piece};
    size_t size;
    char *original = read_text_file(path, &size);
    /* What is larger adds nothing that the others have not, and takes long. */
    for (int i = 0; size < LARGEST / 2 && i < MUTANTS; i++) {
        char *text = malloc(LARGEST);
        assert_non_null(text);
        memcpy(text, original, size);
        size_t mutant = size;
        for (size_t k = 1 + below(2); k > 0; k--)
            mutant = mutations[below(sizeof mutations / sizeof *mutations)](text, mutant);
        /* An exact block, so that a step beyond the text is seen by the sanitizer. */
        char *exact = malloc(mutant + 1);
        assert_non_null(exact);
        memcpy(exact, text, mutant);
        char *shrunk = realloc(exact, mutant > 0 ? mutant : 1);
        assert_non_null(shrunk);
        try_text(shrunk, mutant);
        free(shrunk);
        free(text);
    }
    free(original);
}

static void damaged_files_are_answered(void **state)
{
    (void)state;
    generator.state = 20240229;
    for_each_file(EXAMPLES "valid/*.json", 8, mutate_file);
    for_each_file(EXAMPLE_SCENES "s*.json", 2, mutate_file);
    assert_int_equal(ash_memory_used().blocks, 0);
    /* Both ways were taken often. */
    assert_true(accepted > 500);
    assert_true(refused > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_answered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
