/* Shared by expand.c (values, lists, sections) and include.c (files). */
#ifndef ASHI_SCENE_EXPANDER_H
#define ASHI_SCENE_EXPANDER_H

#include "scene/file/expand.h"
#include "scene/file/source.h"

/* A file, read once however often it is included. */
typedef struct ashi_document {
    char *real_path;
    json_t *json;
    uint32_t file; /* in the source */
} ashi_document;

/* The sections whose members can be referred to by number. */
enum { ASHI_NUMBERED_SECTIONS = 4 };

typedef struct ashi_expander {
    ashi_reader *reader; /* of the file that is being expanded */
    ashi_source *source;
    json_t *root; /* what is made */
    ASHI_ARRAY(ashi_document) documents;
    uint32_t open[ASHI_DEEPEST_INCLUDE + 1]; /* the documents being expanded, each included by the previous one */
    uint32_t open_count, includes;
    uint64_t values, most_values;
    /* of the file that is being expanded */
    const char *path; /* as it was opened; null: a text */
    ashi_scope *scope;
    uint32_t file;
    uint64_t first[ASHI_NUMBERED_SECTIONS]; /* members that the sections had before it */
    /* of the value that is being made: its JSON path in the scene */
    char at[ASHI_LONGEST_PATH];
    size_t at_length;
} ashi_expander;

/* The expanded value at the place, a new reference; null after a failure. */
json_t *ashi_expand_value(ashi_expander *e, const ashi_place *place);
/* Adds the sections of a file whose parameters are in the scope, then those of the files that it includes. */
bool ashi_expand_sections(ashi_expander *e, const ashi_place *root);
/* Adds the file that an element of "include" names. */
bool ashi_expand_include(ashi_expander *e, const ashi_place *place);

#endif
