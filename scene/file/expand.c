/* Repetitions, conditions and variables of scene files, written out.
 *
 * Unchanged values are shared with the file's JSON. If an element of a list gets another number than in its file, or
 * comes from another file, its origin is recorded, so that later failures name the right line.
 */
#include "scene/file/expander.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

static const char *const numbered[ASHI_NUMBERED_SECTIONS] = {"bodies", "joints", "forces", "outputs"};

/* The section that a key refers to, or ASHI_NUMBERED_SECTIONS. */
static int section_of_reference(const char *key)
{
    static const char *const keys[ASHI_NUMBERED_SECTIONS] = {"body", "joint", "force", "output"};
    int section = 0;
    while (section < ASHI_NUMBERED_SECTIONS &&
           (key == NULL || (strcmp(key, keys[section]) != 0 && (section > 0 || strncmp(key, "body_", 5) != 0))))
        section++;
    return section;
}

/* Makes the JSON path one segment longer and returns the old length. */
static size_t enter(ashi_expander *e, const char *key, size_t index)
{
    size_t before = e->at_length, room = sizeof e->at - before;
    ashi_place segment = {&(ashi_place){0}, key, index, NULL};
    if (room > 1) {
        ashi_place_path(&segment, e->at + before, room);
        e->at_length += strlen(e->at + before);
    }
    return before;
}

static void leave(ashi_expander *e, size_t before)
{
    e->at_length = before;
    e->at[before] = 0;
}

/* Records that the value being made comes from this place of its file. */
static bool note_origin(ashi_expander *e, const ashi_place *place)
{
    char path[ASHI_LONGEST_PATH];
    ashi_place_path(place, path, sizeof path);
    if (e->source->paths == NULL)
        e->source->paths = ashi_arena_create(4096);
    const char *within = e->source->paths != NULL ? ashi_arena_text(e->source->paths, path) : NULL;
    return (within != NULL && ashi_source_note(e->source, e->at, e->file, within)) || ashi_read_no_memory(e->reader);
}

static bool spend(ashi_expander *e, const ashi_place *place, size_t count)
{
    e->values += count + 1;
    if (e->values <= e->most_values)
        return true;
    ashi_read_fail(e->reader, place, ASH_BAD_DATA, "scene.size", "repeating and including makes the scene too large");
    return ashi_read_expect(e->reader, "at most %llu values", (unsigned long long)e->most_values);
}

/* Takes a new reference to the changed member into *copy, a copy of the original that is made for the first change. */
static bool take_change(ashi_expander *e, const ashi_place *original, json_t **copy, const ashi_place *member,
                        json_t *value)
{
    if (*copy == NULL) {
        if (!spend(e, original,
                   json_is_array(original->value) ? json_array_size(original->value)
                                                  : json_object_size(original->value))) {
            json_decref(value);
            return false;
        }
        *copy = json_copy(original->value);
    }
    int failed = member->key != NULL ? json_object_set_new_nocheck(*copy, member->key, value)
                                     : json_array_set_new(*copy, member->index, value);
    return failed == 0 || ashi_read_no_memory(e->reader);
}

/* Expands a member of an object or an element of a list in its place. */
static bool expand_member(ashi_expander *e, const ashi_place *original, json_t **copy, const ashi_place *member)
{
    size_t before = enter(e, member->key, member->index);
    json_t *value = ashi_expand_value(e, member);
    leave(e, before);
    if (value != NULL && value == member->value) {
        json_decref(value);
        return true;
    }
    return value != NULL && take_change(e, original, copy, member, value);
}

static bool is_special(const json_t *element)
{
    return json_object_get(element, "repeat") != NULL || json_object_get(element, "when") != NULL;
}

static json_t *expand_object(ashi_expander *e, const ashi_place *place)
{
    json_t *copy = NULL, *value;
    const char *key;
    bool element = place->parent != NULL && place->key == NULL;
    if (element && is_special(place->value)) { /* which leaves no trace */
        copy = spend(e, place, json_object_size(place->value)) ? json_copy(place->value) : NULL;
        json_object_del(copy, "repeat");
        json_object_del(copy, "when");
        if (copy == NULL)
            return NULL;
    }
    json_object_foreach(place->value, key, value)
    {
        ashi_place member = {place, key, 0, value};
        if (element && (strcmp(key, "repeat") == 0 || strcmp(key, "when") == 0))
            continue;
        if (!expand_member(e, place, &copy, &member)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy != NULL ? copy : json_incref(place->value);
}

/* Makes one object of an element of a list: appends it to `out`, or includes the file that it names. */
static bool make_element(ashi_expander *e, json_t *out, const ashi_place *place)
{
    if (out == NULL)
        return ashi_expand_include(e, place);
    size_t index = json_array_size(out), before = enter(e, NULL, index);
    bool done = (index == place->index && e->file == 0) ||
                !(json_is_object(place->value) || json_is_array(place->value)) || note_origin(e, place);
    json_t *value = done && spend(e, place, 0) ? ashi_expand_value(e, place) : NULL;
    leave(e, before);
    return value != NULL && (json_array_append_new(out, value) == 0 || ashi_read_no_memory(e->reader));
}

/* Makes the element if its condition holds. */
static bool make_conditionally(ashi_expander *e, json_t *out, const ashi_place *place)
{
    ashi_place when = ashi_at_key(place, "when");
    if (when.value == NULL)
        return make_element(e, out, place);
    json_t *value = json_is_string(when.value) && strchr(json_string_value(when.value), '$') != NULL
                        ? ashi_scope_evaluate(e->reader, e->scope, &when)
                        : json_incref(when.value);
    if (value == NULL)
        return false;
    bool known = json_is_boolean(value) || json_is_number(value);
    bool holds = json_is_true(value) || (json_is_number(value) && json_number_value(value) != 0);
    json_decref(value);
    if (!known)
        return ashi_read_wrong(e->reader, &when, "scene.type", "true, false, or an expression such as \"$i < 3\"");
    return !holds || make_element(e, out, place);
}

/* A number or an expression of one. */
static bool read_number(ashi_expander *e, const ashi_place *place, double *number)
{
    json_t *value = json_is_string(place->value) && strchr(json_string_value(place->value), '$') != NULL
                        ? ashi_scope_evaluate(e->reader, e->scope, place)
                        : json_incref(place->value);
    bool good = json_is_number(value);
    if (good)
        *number = json_number_value(value);
    else if (value != NULL || place->value == NULL)
        ashi_read_wrong(e->reader, place, "scene.type", "a number, or an expression of variables");
    json_decref(value);
    return good;
}

static bool repeat(ashi_expander *e, json_t *out, const ashi_place *place, const ashi_place *repeat_place, void *next);

/* Makes everything that follows, for one value of the index. */
static bool repeat_with(ashi_expander *e, json_t *out, const ashi_place *place, const ashi_place *index, void *next,
                        json_t *value)
{
    uint32_t before = e->scope->names.count;
    if (value == NULL || !ashi_scope_push(e->reader, e->scope, index->key, value))
        return value != NULL ? false : ashi_read_no_memory(e->reader);
    bool done = spend(e, index, 0) && repeat(e, out, place, index->parent, next);
    ashi_scope_pop(e->scope, before);
    return done;
}

/* An index with each value of a list. */
static bool repeat_list(ashi_expander *e, json_t *out, const ashi_place *place, const ashi_place *index, void *next)
{
    size_t i;
    json_t *element;
    json_array_foreach(index->value, i, element)
    {
        ashi_place at = {index, NULL, i, element};
        double number;
        bool word = json_is_string(element) && strchr(json_string_value(element), '$') == NULL;
        if (!word && !json_is_boolean(element) && !read_number(e, &at, &number))
            return false;
        json_t *value = word || json_is_boolean(element) || json_is_integer(element) ? json_incref(element)
                                                                                     : ashi_number_json(number);
        if (!repeat_with(e, out, place, index, next, value))
            return false;
    }
    return true;
}

static bool read_range(ashi_expander *e, const ashi_place *index, double *from, double *by, double *count)
{
    static const char *const keys[] = {"from", "to", "by"};
    double to;
    *from = 0;
    *by = 1;
    if (json_is_number(index->value) || json_is_string(index->value)) {
        if (!read_number(e, index, count))
            return false;
    } else {
        ashi_place at_from = ashi_at_key(index, "from"), at_to = ashi_at_key(index, "to"),
                   at_by = ashi_at_key(index, "by");
        if (!json_is_object(index->value))
            return ashi_read_wrong(e->reader, index, "scene.type",
                                   "a count, a list of values, or {\"from\": ..., \"to\": ..., \"by\": ...}");
        if (!ashi_read_object(e->reader, index, WORDS(keys)) || !read_number(e, &at_from, from) ||
            !read_number(e, &at_to, &to) || (at_by.value != NULL && !read_number(e, &at_by, by)))
            return false;
        if (*by == 0)
            return ashi_read_wrong(e->reader, &at_by, "scene.value", "a number that is not 0");
        *count = floor((to - *from) / *by * (1 + 1e-12) + 1e-9) + 1; /* includes the last one in spite of rounding */
        *count = *count > 0 ? *count : 0;
    }
    if (*count >= 0 && *count <= ASHI_MOST_VALUES && *count == floor(*count))
        return true;
    ashi_read_fail(e->reader, index, ASH_BAD_DATA, "scene.value", "%.60s cannot count %g times", index->key, *count);
    return ashi_read_expect(e->reader, "a whole number from 0 to %d", ASHI_MOST_VALUES);
}

/* The element for all values of the index at `next` and of those behind it: the last one runs fastest. */
static bool repeat(ashi_expander *e, json_t *out, const ashi_place *place, const ashi_place *repeat_place, void *next)
{
    if (next == NULL)
        return make_conditionally(e, out, place);
    ashi_place index = {repeat_place, json_object_iter_key(next), 0, json_object_iter_value(next)};
    void *behind = json_object_iter_next(repeat_place->value, next);
    if (!ashi_scope_check_name(e->reader, &index))
        return false;
    for (uint32_t i = 0; i < e->scope->names.count; i++)
        if (strcmp(e->scope->names.data[i], index.key) == 0)
            return ashi_read_fail_key(e->reader, &index, ASH_BAD_DATA, "scene.duplicate-key",
                                      "there is a variable \"%.60s\" already", index.key);
    if (json_is_array(index.value))
        return repeat_list(e, out, place, &index, behind);
    double from, by, count;
    if (!read_range(e, &index, &from, &by, &count))
        return false;
    for (double i = 0; i < count; i++)
        if (!repeat_with(e, out, place, &index, behind, ashi_number_json(from + i * by)))
            return false;
    return true;
}

/* Appends the expanded elements of a list to `out`, or includes the files that they name. */
static bool make_elements(ashi_expander *e, json_t *out, const ashi_place *list)
{
    for (size_t i = 0; i < json_array_size(list->value); i++) {
        ashi_place place = ashi_at_index(list, i), at_repeat = ashi_at_key(&place, "repeat");
        bool done;
        if (at_repeat.value == NULL)
            done = make_conditionally(e, out, &place);
        else if (!json_is_object(at_repeat.value))
            return ashi_read_wrong(e->reader, &at_repeat, "scene.type", "an object {index: count, ...}");
        else
            done = repeat(e, out, &place, &at_repeat, json_object_iter(at_repeat.value));
        if (!done)
            return false;
    }
    return true;
}

static json_t *expand_array(ashi_expander *e, const ashi_place *place)
{
    bool special = false;
    json_t *copy = NULL;
    for (size_t i = 0; i < json_array_size(place->value) && !special; i++)
        special = is_special(json_array_get(place->value, i));
    if (special) {
        json_t *out = json_array();
        if (out != NULL && make_elements(e, out, place))
            return out;
        json_decref(out);
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(place->value); i++) {
        ashi_place element = ashi_at_index(place, i);
        bool plain = json_is_number(element.value); /* for example the points of a mesh */
        if (!plain && !expand_member(e, place, &copy, &element)) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy != NULL ? copy : json_incref(place->value);
}

/* Numbers in an included file count from its own first object. */
static json_t *shift_reference(ashi_expander *e, const ashi_place *place, json_t *value)
{
    int section = json_is_integer(value) && e->file > 0 ? section_of_reference(place->key) : ASHI_NUMBERED_SECTIONS;
    if (section == ASHI_NUMBERED_SECTIONS || json_integer_value(value) < 0 || e->first[section] == 0)
        return value;
    json_t *shifted = json_integer(json_integer_value(value) + (json_int_t)e->first[section]);
    json_decref(value);
    return shifted;
}

json_t *ashi_expand_value(ashi_expander *e, const ashi_place *place)
{
    json_t *value = json_is_object(place->value)   ? expand_object(e, place)
                    : json_is_array(place->value)  ? expand_array(e, place)
                    : json_is_string(place->value) ? ashi_scope_read(e->reader, e->scope, place)
                                                   : json_incref(place->value);
    return value != NULL ? shift_reference(e, place, value) : NULL;
}

/* Merges an object of an included file: missing keys of `world` are added; a shape or material that exists must be
 * equal. */
static bool merge_object(ashi_expander *e, json_t *out, const ashi_place *section)
{
    bool world = strcmp(section->key, "world") == 0;
    const char *key;
    json_t *value;
    json_object_foreach(section->value, key, value)
    {
        ashi_place member = {section, key, 0, value};
        json_t *present = json_object_get(out, key);
        size_t before = enter(e, key, 0);
        json_t *expanded = ashi_expand_value(e, &member);
        bool same = present != NULL && (world || (expanded != NULL && json_equal(present, expanded)));
        bool done = expanded != NULL && (present != NULL || note_origin(e, &member));
        leave(e, before);
        if (!done || present != NULL)
            json_decref(expanded);
        if (!done)
            return false;
        if (present != NULL && !same)
            return ashi_read_fail_key(e->reader, &member, ASH_BAD_DATA, "scene.duplicate-key",
                                      "\"%.100s\" is in another file, too, and differs", key);
        if (present == NULL && json_object_set_new_nocheck(out, key, expanded) != 0)
            return ashi_read_no_memory(e->reader);
    }
    return true;
}

static bool expand_section(ashi_expander *e, const ashi_place *section)
{
    const char *key = section->key;
    json_t *present = json_object_get(e->root, key);
    bool own = e->open_count == 1;
    if (strcmp(key, "parameters") == 0 || strcmp(key, "include") == 0)
        return true;
    if (own && !json_is_array(section->value)) {
        json_t *value = ashi_expand_value(e, section);
        return value != NULL &&
               (json_object_set_new_nocheck(e->root, key, value) == 0 || ashi_read_no_memory(e->reader));
    }
    if (strcmp(key, "ashlar") == 0 || strcmp(key, "name") == 0 || strcmp(key, "summary") == 0)
        return true;
    if (present == NULL) {
        present = json_is_array(section->value) ? json_array() : json_is_object(section->value) ? json_object() : NULL;
        if (present == NULL) {
            ashi_read_wrong(e->reader, section, "scene.type", "a section: a list [...] or an object {...}");
            return false;
        }
        if (json_object_set_new_nocheck(e->root, key, present) != 0)
            return ashi_read_no_memory(e->reader);
        if (!own && !note_origin(e, section)) /* for a missing key */
            return false;
    }
    if (json_typeof(present) != json_typeof(section->value))
        return ashi_read_wrong(e->reader, section, "scene.type",
                               json_is_array(present) ? "a list [...]" : "an object {...}");
    return json_is_array(present) ? make_elements(e, present, section) : merge_object(e, present, section);
}

bool ashi_expand_sections(ashi_expander *e, const ashi_place *root)
{
    const char *key;
    json_t *value;
    for (int i = 0; i < ASHI_NUMBERED_SECTIONS; i++)
        e->first[i] = json_array_size(json_object_get(e->root, numbered[i]));
    json_object_foreach(root->value, key, value)
    {
        ashi_place section = {root, key, 0, value};
        size_t before = enter(e, key, 0);
        bool done = expand_section(e, &section);
        leave(e, before);
        if (!done)
            return false;
    }
    ashi_place include = ashi_at_key(root, "include");
    if (include.value == NULL)
        return true;
    return json_is_array(include.value) ? make_elements(e, NULL, &include) : ashi_expand_include(e, &include);
}
