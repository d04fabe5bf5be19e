/* XML as a tree of elements that know their file and line, and whether somebody has read them: what an importer has not
 * read by its end is not supported, and can be named. */
#ifndef ASHI_SCENE_XML_H
#define ASHI_SCENE_XML_H

#include "base/arena.h"
#include "base/diagnostic.h"

typedef struct ashi_xml_attribute {
    const char *name, *value;
    bool read;
    struct ashi_xml_attribute *origin; /* of a default that it was taken from; null: it is the element's own */
} ashi_xml_attribute;

typedef struct ashi_xml {
    const char *name;
    const char *file; /* as it was opened */
    int line, column; /* of its start tag, from 1 */
    ashi_xml_attribute *attributes;
    uint32_t attribute_count;
    bool read, inherited;                          /* inherited: it has the attributes of its class */
    struct ashi_xml *parent, *first, *last, *next; /* children are first to last, in the file's order */
} ashi_xml;

#define ASHI_XML_DEEPEST 500 /* elements in elements */

/* Parses the text into a tree in the arena. Names are as written: prefixes of namespaces are part of them. A document
 * type with entities is refused: nothing is ever expanded. */
ash_status ashi_xml_parse(ashi_arena *arena, const char *text, size_t size, const char *file, ashi_xml **root,
                          ash_diagnostic *diagnostic);

/* The attribute's value, which counts as read; null where it is not given. */
const char *ashi_xml_get(ashi_xml *element, const char *name);
/* The same without reading it. */
const char *ashi_xml_peek(const ashi_xml *element, const char *name);
/* The first child of that name, which counts as read; null when there is none. */
ashi_xml *ashi_xml_child(ashi_xml *element, const char *name);
/* The next sibling of the same name, which counts as read. */
ashi_xml *ashi_xml_again(ashi_xml *element);
bool ashi_xml_is(const ashi_xml *element, const char *name);
/* The element, its attributes and all below count as read. */
void ashi_xml_read_all(ashi_xml *element);

/* A failure at the element. Returns the status. */
ash_status ashi_xml_fail(const ashi_xml *element, ash_diagnostic *diagnostic, ash_status status, const char *code,
                         const char *format, ...) ASHI_PRINTF(5, 6);

#endif
