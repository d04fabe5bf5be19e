/* Files that scene files include: found relative to the including file, read once, never recursively.
 *
 *   "include": ["materials.json", {"file": "leg.json", "set": {"side": "left"}, "repeat": {"i": 4}}] */
#define _XOPEN_SOURCE 700
#include "scene/file/expander.h"

#include "scene/file/file.h"
#include "scene/file/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

static bool add_document(ashi_expander *e, const char *real_path, json_t *json, uint32_t file)
{
    if (!ashi_array_extend(&e->documents))
        return ashi_read_no_memory(e->reader);
    ashi_document *document = &e->documents.data[e->documents.count - 1];
    *document = (ashi_document){.real_path = ashi_copy_text(real_path), .json = json_incref(json), .file = file};
    return document->real_path != NULL || ashi_read_no_memory(e->reader);
}

/* The reader refers to this file while it is processed. */
static void look_at(ashi_expander *e, uint32_t file)
{
    const ashi_source_file *f = &e->source->files.data[file];
    e->reader->text = f->text;
    e->reader->size = f->size;
    e->reader->label = f->label;
    e->file = file;
}

static bool check_version(ashi_expander *e, const ashi_place *root)
{
    ashi_place version = ashi_at_key(root, "ashlar");
    if (!json_is_object(root->value))
        return ashi_read_wrong(e->reader, root, "scene.type", "an object {\"ashlar\": %d, ...}", ASHI_SCENE_FORMAT);
    if (json_is_integer(version.value) && json_integer_value(version.value) == ASHI_SCENE_FORMAT)
        return true;
    return ashi_read_wrong(e->reader, &version, "scene.version", "\"ashlar\": %d, as in every scene file",
                           ASHI_SCENE_FORMAT);
}

/* Reads a file into a document, which is processed from then on. */
static bool read_document(ashi_expander *e, const ashi_place *place, const char *path, const char *real_path)
{
    char *text = NULL;
    size_t size = 0;
    ash_diagnostic found = {0};
    ash_status status = ashi_read_file(path, &text, &size, &found);
    if (status == ASH_OUT_OF_MEMORY)
        return ashi_read_no_memory(e->reader);
    if (status != ASH_OK)
        return ashi_read_fail(e->reader, place, status, "scene.include", "\"%.200s\" %s", path, found.message);
    bool kept = ashi_source_keep(e->source, text, size, path);
    ashi_dealloc(text);
    if (!kept)
        return ashi_read_no_memory(e->reader);
    look_at(e, e->source->files.count - 1);
    json_t *json = ashi_read_json(e->reader);
    ashi_place root = {.value = json};
    bool done = json != NULL && !ashi_refuse_foreign_json(e->reader, &root) && check_version(e, &root) &&
                add_document(e, real_path, json, e->file);
    json_decref(json);
    return done;
}

/* The path of a file that is named in another: beside it, unless it begins with '/'. */
static bool join_path(ashi_expander *e, const ashi_place *place, const char *name, char *path, size_t size)
{
    const char *slash = strrchr(e->path, '/');
    int folder = slash != NULL && name[0] != '/' ? (int)(slash - e->path) + 1 : 0;
    int length = snprintf(path, size, "%.*s%s", folder, e->path, name);
    return (size_t)length < size ||
           ashi_read_fail(e->reader, place, ASH_BAD_DATA, "scene.include", "the path is too long");
}

/* The document of that file, or its number if it was read before. */
static bool find_document(ashi_expander *e, const ashi_place *place, const char *path, uint32_t *number)
{
    char *real = realpath(path, NULL);
    if (real == NULL)
        return ashi_read_fail(e->reader, place, ASH_NOT_FOUND, "scene.include",
                              "\"%.200s\" cannot be read: there is no such file", path);
    *number = 0;
    while (*number < e->documents.count && strcmp(e->documents.data[*number].real_path, real) != 0)
        ++*number;
    bool done = true;
    if (*number == e->documents.count)
        done = read_document(e, place, path, real);
    else
        for (uint32_t i = 0; i < e->open_count && done; i++)
            if (e->open[i] == *number)
                done = ashi_read_fail(e->reader, place, ASH_BAD_DATA, "scene.include-cycle",
                                      "\"%.200s\" would include itself", path);
    free(real);
    return done;
}

/* Names under "set" are those of the file's parameters. */
static bool check_set(ashi_expander *e, const ashi_place *set, const json_t *parameters)
{
    const char *key, *names[ASHI_MOST_PARAMETERS];
    json_t *value;
    uint32_t count = 0;
    json_object_foreach((json_t *)parameters, key, value) if (count < ASHI_MOST_PARAMETERS) names[count++] = key;
    json_object_foreach(set->value, key, value)
    {
        ashi_place member = {set, key, 0, value};
        char hint[96], list[256];
        if (json_object_get(parameters, key) != NULL)
            continue;
        ashi_read_fail_key(e->reader, &member, ASH_BAD_DATA, "scene.unknown-key",
                           "the file has no parameter \"%.60s\"%s", key,
                           ashi_did_you_mean(key, names, count, hint, sizeof hint));
        return ashi_read_expect(e->reader, "%s", ashi_words_text((ashi_words){names, count}, list, sizeof list));
    }
    return true;
}

/* Adds an open file with its own variables. */
static bool expand_document(ashi_expander *e, uint32_t number, const char *path, const json_t *values)
{
    ashi_place root = {.value = e->documents.data[number].json}, parameters = ashi_at_key(&root, "parameters");
    ashi_scope scope = {0};
    ashi_given given = {.values = values};
    look_at(e, e->documents.data[number].file);
    e->path = path;
    e->scope = &scope;
    e->open[e->open_count++] = number;
    bool done = ashi_read_parameters(e->reader, &parameters, &given, &scope, false) && ashi_expand_sections(e, &root);
    e->open_count--;
    ashi_scope_release(&scope);
    return done;
}

/* Adds to a failure in an included file the file that includes it. */
static void add_includer(ashi_expander *e, const ashi_place *place)
{
    char *message = e->reader->diagnostic.message;
    size_t used = strlen(message);
    int line, column;
    if (e->reader->status != ASH_OUT_OF_MEMORY &&
        ashi_locate(e->reader->text, e->reader->size, place, false, &line, &column))
        snprintf(message + used, sizeof e->reader->diagnostic.message - used, " (included by %.100s:%d)",
                 e->reader->label, line);
}

/* Reads and adds the file; afterwards the expander refers to the same file as before. */
static bool include_file(ashi_expander *e, const ashi_place *place, const ashi_place *set, const char *name,
                         const json_t *values)
{
    char path[4096];
    uint32_t number = 0, file = e->file;
    const char *outer_path = e->path;
    ashi_scope *scope = e->scope;
    uint64_t first[ASHI_NUMBERED_SECTIONS];
    size_t at_length = e->at_length;
    memcpy(first, e->first, sizeof first);
    if (!join_path(e, place, name, path, sizeof path))
        return false;
    bool found = find_document(e, place, path, &number);
    bool inside = e->file != file;
    look_at(e, file);
    if (found && !check_set(e, set, json_object_get(e->documents.data[number].json, "parameters")))
        return false;
    e->at_length = 0;
    e->at[0] = 0;
    bool done = found && expand_document(e, number, path, values);
    look_at(e, file);
    if (!done && (found || inside))
        add_includer(e, place);
    e->path = outer_path;
    e->scope = scope;
    e->at_length = at_length;
    memcpy(e->first, first, sizeof first);
    return done;
}

bool ashi_expand_include(ashi_expander *e, const ashi_place *place)
{
    static const char *const keys[] = {"file", "set", "repeat", "when"};
    bool plain = json_is_string(place->value);
    ashi_place file = plain ? *place : ashi_at_key(place, "file"),
               set = plain ? (ashi_place){0} : ashi_at_key(place, "set");
    if (!plain && !json_is_object(place->value))
        return ashi_read_wrong(e->reader, place, "scene.type",
                               "the name of a file, or {\"file\": ..., \"set\": {...}}");
    if (!plain && !ashi_read_object(e->reader, place, WORDS(keys)))
        return false;
    if (!json_is_string(file.value) || json_string_length(file.value) == 0)
        return ashi_read_wrong(e->reader, &file, "scene.type", "the name of a file");
    if (set.value != NULL && !json_is_object(set.value))
        return ashi_read_wrong(e->reader, &set, "scene.type", "an object {name: value, ...}");
    if (e->path == NULL)
        return ashi_read_fail(e->reader, &file, ASH_UNSUPPORTED, "scene.unsupported",
                              "only a scene that is opened as a file can include others");
    if (e->open_count > ASHI_DEEPEST_INCLUDE || ++e->includes > ASHI_MOST_INCLUDES) {
        ashi_read_fail(e->reader, &file, ASH_BAD_DATA, "scene.include-depth", "too many files include others");
        return ashi_read_expect(e->reader, "at most %d one in another, and %d in all", ASHI_DEEPEST_INCLUDE,
                                ASHI_MOST_INCLUDES);
    }
    json_t *name = ashi_scope_read(e->reader, e->scope, &(ashi_place){file.parent, "file", 0, file.value});
    json_t *values = name != NULL && set.value != NULL ? ashi_expand_value(e, &set) : NULL;
    bool done = name != NULL && (set.value == NULL || values != NULL);
    if (done && !json_is_string(name))
        done = ashi_read_wrong(e->reader, &file, "scene.type", "the name of a file");
    done = done && include_file(e, &file, &set, json_string_value(name), values);
    json_decref(name);
    json_decref(values);
    return done;
}

static bool contains(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text, *end = text + size; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) >= length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

/* Whether an element of any list is repeated or has a condition. */
static bool has_special(const json_t *value)
{
    if (json_is_object(value)) {
        const char *key;
        json_t *member;
        json_object_foreach((json_t *)value, key, member) if (has_special(member)) return true;
        return false;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *element = json_array_get(value, i);
        if (json_object_get(element, "repeat") != NULL || json_object_get(element, "when") != NULL ||
            has_special(element))
            return true;
    }
    return false;
}

static bool is_wanted(const ashi_reader *reader, const json_t *root)
{
    if (!json_is_object(root))
        return false;
    if (json_object_get(root, "parameters") != NULL || json_object_get(root, "include") != NULL)
        return true;
    return (contains(reader->text, reader->size, "\"repeat\"") || contains(reader->text, reader->size, "\"when\"")) &&
           has_special(root);
}

bool ashi_expand(ashi_reader *reader, json_t **root, const ashi_expansion *expansion, ashi_source *source)
{
    if (!is_wanted(reader, *root))
        return true;
    ashi_expander *e = ashi_alloc_zeroed(sizeof *e);
    if (e == NULL)
        return ashi_read_no_memory(reader);
    ashi_scope scope = {0};
    ashi_place place = {.value = *root}, parameters = ashi_at_key(&place, "parameters");
    const char *text = reader->text;
    *e = (ashi_expander){.reader = reader,
                         .source = source,
                         .root = json_object(),
                         .path = expansion->path,
                         .scope = &scope,
                         .open_count = 1};
    e->most_values = expansion->most_values > 0 ? expansion->most_values : ASHI_MOST_VALUES;
    char *real = e->path != NULL ? realpath(e->path, NULL) : NULL;
    bool done = e->root != NULL && add_document(e, real != NULL ? real : "", *root, 0) &&
                ashi_read_parameters(reader, &parameters, &expansion->given, &scope, true) &&
                ashi_expand_sections(e, &place);
    if (done) {
        json_decref(*root);
        *root = json_incref(e->root);
        ashi_source_sort(source);
        reader->source = source;
        reader->text = text;
    }
    free(real);
    ashi_scope_release(&scope);
    for (uint32_t i = 0; i < e->documents.count; i++) {
        ashi_dealloc(e->documents.data[i].real_path);
        json_decref(e->documents.data[i].json);
    }
    ashi_array_release(&e->documents);
    json_decref(e->root);
    ashi_dealloc(e);
    return done;
}
