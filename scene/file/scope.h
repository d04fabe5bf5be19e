/* The variables of a scene file, namely its parameters and the indices of repetitions, and the texts that use them.
 *
 * A value is a JSON number, true or false, or a word. A text with "${expression}" in it is a text in which that is
 * replaced; in names, summaries and references "$name" is replaced, too. Any other text with a '$' is an expression
 * (docs/expressions.md). "$name" or "${expression}" alone is the value itself. */
#ifndef ASHI_SCENE_SCOPE_H
#define ASHI_SCENE_SCOPE_H

#include "base/array.h"
#include "scene/expression/expression.h"
#include "scene/file/fields.h"

typedef struct ashi_compiled {
    const json_t *text; /* null: an empty place */
    ashi_expression *expression;
} ashi_compiled;

/* A zeroed one is empty and valid. */
typedef struct ashi_scope {
    ASHI_ARRAY(const char *) names;
    ASHI_ARRAY(double) numbers; /* NaN for words */
    ASHI_ARRAY(json_t *) values;
    ASHI_ARRAY(ashi_compiled) compiled; /* what was compiled, by the text's address: a hash table */
    uint32_t compiled_count;
} ashi_scope;

/* Adds a variable whose name lives as long as the scope. It takes over the value, also on failure; null: not known yet.
 */
bool ashi_scope_push(ashi_reader *reader, ashi_scope *scope, const char *name, json_t *value);
/* Gives variable `number` its value, which is taken over. */
void ashi_scope_set(ashi_scope *scope, uint32_t number, json_t *value);
/* Forgets all variables but the first `count`. */
void ashi_scope_pop(ashi_scope *scope, uint32_t count);
void ashi_scope_release(ashi_scope *scope);

/* Whether variables can have this name. */
bool ashi_scope_check_name(ashi_reader *reader, const ashi_place *place);

/* The value of the text at the place, a new reference: the text itself if it has no '$'. Null after a failure. */
json_t *ashi_scope_read(ashi_reader *reader, ashi_scope *scope, const ashi_place *place);
/* The same where the key is a name of the file's own, and the text has a '$'. */
json_t *ashi_scope_evaluate(ashi_reader *reader, ashi_scope *scope, const ashi_place *place);
/* A JSON number, whole where it is. */
json_t *ashi_number_json(double number);

/* Whether the value of this key is a text for people or a reference, in which '$' is replaced. */
bool ashi_is_text_key(const char *key);

#endif
