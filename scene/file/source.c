/* The texts of a scene are kept as long as the scene, because only they know lines and columns. Repeated or included
 * values have another path in the scene than in their file; origins lead back. */
#include "scene/file/source.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "scene/file/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ashi_source_keep(ashi_source *source, const char *text, size_t size, const char *label)
{
    if (!ashi_array_extend(&source->files))
        return false;
    ashi_source_file *file = &source->files.data[source->files.count - 1];
    file->text = ashi_alloc_array(size + 1, 1);
    file->label = ashi_copy_text(label);
    file->size = size;
    if (file->text == NULL || file->label == NULL)
        return false; /* partial data is released with the scene */
    memcpy(file->text, text, size);
    file->text[size] = 0;
    return true;
}

bool ashi_source_note(ashi_source *source, const char *path, uint32_t file, const char *within)
{
    if (!ashi_array_extend(&source->origins))
        return false;
    uint64_t hash = ashi_hash(ASHI_HASH_START, path, strlen(path));
    source->origins.data[source->origins.count - 1] = (ashi_source_origin){hash, file, within};
    return true;
}

static int compare_origins(const void *a, const void *b)
{
    uint64_t left = ((const ashi_source_origin *)a)->path, right = ((const ashi_source_origin *)b)->path;
    return (left > right) - (left < right);
}

void ashi_source_sort(ashi_source *source)
{
    if (source->origins.count > 0)
        qsort(source->origins.data, source->origins.count, sizeof *source->origins.data, compare_origins);
}

/* The innermost value around the path whose origin is known; its length in the path. */
static const ashi_source_origin *find_origin(const ashi_source *source, const char *path, size_t *length)
{
    for (*length = strlen(path); *length > 0 && source->origins.count > 0;) {
        ashi_source_origin wanted = {.path = ashi_hash(ASHI_HASH_START, path, *length)};
        const ashi_source_origin *found =
            bsearch(&wanted, source->origins.data, source->origins.count, sizeof wanted, compare_origins);
        if (found != NULL)
            return found;
        while (path[--*length] != '/' && *length > 0)
            continue;
    }
    *length = 0;
    return NULL;
}

/* The path in its file, and the file. */
static const ashi_source_file *translate(const ashi_source *source, const char *path, char *within, size_t size)
{
    size_t length;
    const ashi_source_origin *origin = find_origin(source, path, &length);
    snprintf(within, size, "%s%s", origin != NULL ? origin->within : "", path + length);
    return &source->files.data[origin != NULL ? origin->file : 0];
}

void ashi_source_find(const ashi_source *source, const char *path, bool key, ash_diagnostic *diagnostic)
{
    char within[ASHI_LONGEST_PATH];
    const ashi_source_file *file = translate(source, path, within, sizeof within);
    snprintf(diagnostic->file, sizeof diagnostic->file, "%s", file->label);
    if (!ashi_locate_path(file->text, file->size, within, key, &diagnostic->line, &diagnostic->column))
        diagnostic->line = diagnostic->column = 0;
}

/* Puts "/member" behind the path when the text has that member there. */
static bool extend(const ashi_source *source, ash_diagnostic *diagnostic, const char *member)
{
    char longer[2 * sizeof diagnostic->path];
    snprintf(longer, sizeof longer, "%s/%s", diagnostic->path, member);
    size_t length = strlen(longer);
    char within[ASHI_LONGEST_PATH];
    const ashi_source_file *file = translate(source, longer, within, sizeof within);
    if (length >= sizeof diagnostic->path || !ashi_path_exists(file->text, file->size, within))
        return false;
    memcpy(diagnostic->path, longer, length + 1);
    return true;
}

static bool is_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The first word of the message that is a member of the object at the path; "shape 2" is its third shape, and the
 * freedoms of a joint are members of its axes. */
static bool extend_by_message(const ashi_source *source, ash_diagnostic *diagnostic, const char *message)
{
    for (const char *c = message; *c != 0;) {
        char word[48], member[64];
        size_t length = 0;
        unsigned number;
        for (; is_in_word(*c); c++)
            if (length < sizeof word - 1)
                word[length++] = *c;
        word[length] = 0;
        if (strcmp(word, "shape") == 0 && sscanf(c, " %u", &number) == 1) {
            snprintf(member, sizeof member, "shapes/%u", number);
            if (extend(source, diagnostic, member))
                return true;
        }
        snprintf(member, sizeof member, "axes/%s", word);
        if (length > 1 && strcmp(word, "name") != 0 &&
            (extend(source, diagnostic, word) || extend(source, diagnostic, member)))
            return true;
        while (*c != 0 && !is_in_word(*c))
            c++;
    }
    return false;
}

void ashi_source_place(const ash_scene *scene, ash_diagnostic *diagnostic)
{
    if (scene->source.files.count > 0)
        ashi_source_find(&scene->source, diagnostic->path, false, diagnostic);
}

ash_status ashi_source_locate(const ash_scene *scene, ash_status status, ash_diagnostic *diagnostic)
{
    if (status == ASH_OK || status == ASH_OUT_OF_MEMORY || diagnostic == NULL || scene->source.files.count == 0 ||
        diagnostic->path[0] == 0 || diagnostic->line > 0)
        return status;
    char message[sizeof diagnostic->message];
    memcpy(message, diagnostic->message, sizeof message);
    if (strstr(diagnostic->code, ".same-body") != NULL)
        extend(&scene->source, diagnostic, "body_b");
    else
        extend_by_message(&scene->source, diagnostic, message);
    ashi_source_place(scene, diagnostic);
    return status;
}
