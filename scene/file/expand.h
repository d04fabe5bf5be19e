/* Expands a scene file with parameters, repetitions or includes: the same scene written out. */
#ifndef ASHI_SCENE_EXPAND_H
#define ASHI_SCENE_EXPAND_H

#include "scene/file/parameters.h"

enum {
    ASHI_MOST_VALUES = 10000000, /* the most values made by repeating and including */
    ASHI_DEEPEST_INCLUDE = 16,
    ASHI_MOST_INCLUDES = 10000
};

typedef struct ashi_expansion {
    ashi_given given;
    const char *path;     /* of the file; null: there is only a text, and nothing can be included */
    uint32_t most_values; /* 0: ASHI_MOST_VALUES */
} ashi_expansion;

/* Puts the scene written out in place of *root, when the file has `parameters`, `include`, `repeat` or `when`. In other
 * files '$' has no meaning. `source` holds the file's text; included files and the origins of moved values are added to
 * it, and it locates failures of the reader from then on. */
bool ashi_expand(ashi_reader *reader, json_t **root, const ashi_expansion *expansion, ashi_source *source);

/* ash_scene_parse with this. */
ash_status ashi_scene_parse_expanded(const char *text, size_t size, const char *label, const ashi_expansion *expansion,
                                     ash_scene **scene, ash_diagnostic *diagnostic);

#endif
