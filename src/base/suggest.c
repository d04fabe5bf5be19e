/* "Did you mean": the name that a wrong word was probably meant to be. In this order:
 *
 *   1. the same letters:               rooftower -> roof-tower
 *   2. a word of another engine:       revolute -> hinge (synonyms.c)
 *   3. one slip:                       msas -> mass
 *   4. a beginning, of either:         gribel -> gribel-2009, spring-damper -> spring
 *   5. a few slips in a longer word:   angularvelcity -> angular_velocity
 *   6. a part of it:                   four-bar -> iftomm-four-bar
 *
 * Letters are compared without regard to case, '-', '_' and spaces. */
#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, SHORTEST_BEGINNING = 3, SHORTEST_PART = 4, PART = 4 * LONGEST };

/* The letters that count, in lower case; returns the length, or LONGEST + 1 when there are more. */
static size_t squeeze(const char *word, char letters[LONGEST + 1])
{
    size_t length = 0;
    for (; *word != 0; word++) {
        if (*word == '-' || *word == '_' || *word == ' ')
            continue;
        if (length == LONGEST)
            return LONGEST + 1;
        letters[length++] = *word >= 'A' && *word <= 'Z' ? (char)(*word - 'A' + 'a') : *word;
    }
    letters[length] = 0;
    return length;
}

bool ashi_same_letters(const char *a, const char *b)
{
    char left[LONGEST + 1], right[LONGEST + 1];
    return squeeze(a, left) <= LONGEST && squeeze(b, right) <= LONGEST && strcmp(left, right) == 0;
}

/* The number of letters to insert, delete, replace or swap with a neighbour (Damerau-Levenshtein). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), rows[3][LONGEST + 1];
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

static const char *find_synonym(const char *word, const char *const *names, size_t count)
{
    const char *meaning;
    for (size_t i = 0; (meaning = ashi_synonym(word, i)) != NULL; i++)
        for (size_t j = 0; j < count; j++)
            if (strcmp(names[j], meaning) == 0)
                return names[j];
    return NULL;
}

/* The distance of the name from the word: 0 for the same letters, 2 for one slip, 3 for a common beginning, 4 and more
 * for more slips, PART plus its length if it contains the word, SIZE_MAX for a different word. */
static size_t unlikeness(const char *word, size_t length, const char *name)
{
    char letters[LONGEST + 1];
    size_t name_length = squeeze(name, letters);
    if (name_length > LONGEST)
        return SIZE_MAX;
    size_t distance = edit_distance(word, letters), shorter = name_length < length ? name_length : length;
    if (distance <= 1 && distance < name_length && length > 1)
        return 2 * distance;
    if (shorter >= SHORTEST_BEGINNING && strncmp(word, letters, shorter) == 0)
        return 3;
    if (distance <= (length + 1) / 3)
        return 2 * distance;
    return length >= SHORTEST_PART && strstr(letters, word) != NULL ? PART + name_length : SIZE_MAX;
}

const char *ashi_nearest(const char *word, const char *const *names, size_t count)
{
    char letters[LONGEST + 1];
    size_t length = squeeze(word, letters), least = SIZE_MAX;
    const char *nearest = NULL, *synonym = find_synonym(word, names, count);
    for (size_t i = 0; i < count && length > 0 && length <= LONGEST; i++) {
        size_t unlike = unlikeness(letters, length, names[i]);
        if (unlike < least) {
            least = unlike;
            nearest = names[i];
        }
    }
    return least > 0 && synonym != NULL ? synonym : nearest;
}

const char *ashi_did_you_mean(const char *word, const char *const *names, size_t count, char *text, size_t size)
{
    const char *nearest = ashi_nearest(word, names, count);
    if (nearest != NULL)
        snprintf(text, size, " (did you mean \"%s\"?)", nearest);
    else if (size > 0)
        text[0] = 0;
    return text;
}
