/* The tree is built by expat's callbacks. Memory comes from an arena; the depth of elements is limited, because what
 * walks the tree calls itself. */
#include "scene/import/xml.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct builder {
    ashi_arena *arena;
    XML_Parser parser;
    const char *file;
    ashi_xml *root, *open;
    int depth;
    bool no_memory, too_deep, has_entities;
    int line, column; /* of what is refused */
} builder;

static void refuse(builder *b, bool *reason)
{
    *reason = true;
    b->line = (int)XML_GetCurrentLineNumber(b->parser);
    b->column = (int)XML_GetCurrentColumnNumber(b->parser) + 1;
    XML_StopParser(b->parser, XML_FALSE);
}

static ashi_xml *make_element(builder *b, const char *name, const char **attributes)
{
    ashi_xml *element = ashi_arena_take(b->arena, sizeof *element);
    if (element == NULL)
        return NULL;
    *element = (ashi_xml){.name = ashi_arena_text(b->arena, name),
                          .file = b->file,
                          .line = (int)XML_GetCurrentLineNumber(b->parser),
                          .column = (int)XML_GetCurrentColumnNumber(b->parser) + 1,
                          .parent = b->open};
    while (attributes[2 * element->attribute_count] != NULL)
        element->attribute_count++;
    if (element->attribute_count > 0) {
        element->attributes = ashi_arena_take_array(b->arena, element->attribute_count, sizeof *element->attributes);
        if (element->attributes == NULL)
            return NULL;
    }
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        ashi_xml_attribute attribute = {ashi_arena_text(b->arena, attributes[2 * i]),
                                        ashi_arena_text(b->arena, attributes[2 * i + 1]), false, NULL};
        if (attribute.name == NULL || attribute.value == NULL)
            return NULL;
        element->attributes[i] = attribute;
    }
    return element->name != NULL ? element : NULL;
}

static void XMLCALL start(void *user, const char *name, const char **attributes)
{
    builder *b = user;
    if (++b->depth > ASHI_XML_DEEPEST) {
        refuse(b, &b->too_deep);
        return;
    }
    ashi_xml *element = make_element(b, name, attributes);
    if (element == NULL) {
        refuse(b, &b->no_memory);
        return;
    }
    if (b->open == NULL)
        b->root = element;
    else if (b->open->last == NULL)
        b->open->first = b->open->last = element;
    else
        b->open->last = b->open->last->next = element;
    b->open = element;
}

static void XMLCALL end(void *user, const char *name)
{
    builder *b = user;
    (void)name;
    b->depth--;
    b->open = b->open->parent;
}

static void XMLCALL declare_entity(void *user, const char *name, int is_parameter, const char *value, int length,
                                   const char *base, const char *system, const char *public, const char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    builder *b = user;
    refuse(b, &b->has_entities);
}

static ash_status failure(const builder *b, ash_diagnostic *diagnostic)
{
    int line = b->line, column = b->column;
    if (b->no_memory)
        return ashi_out_of_memory(diagnostic);
    if (b->too_deep)
        ashi_fail(diagnostic, ASH_BAD_DATA, "xml.depth", "elements are nested more than %d deep", ASHI_XML_DEEPEST);
    else if (b->has_entities)
        ashi_fail(diagnostic, ASH_UNSUPPORTED, "xml.entity", "entities cannot be declared in this file");
    else {
        enum XML_Error error = XML_GetErrorCode(b->parser);
        line = (int)XML_GetCurrentLineNumber(b->parser);
        column = (int)XML_GetCurrentColumnNumber(b->parser) + 1;
        if (error == XML_ERROR_NO_MEMORY)
            return ashi_out_of_memory(diagnostic);
        ashi_fail(diagnostic, ASH_BAD_DATA, "xml.syntax", "this is not well-formed XML: %s", XML_ErrorString(error));
    }
    ash_status status = b->has_entities ? ASH_UNSUPPORTED : ASH_BAD_DATA;
    if (diagnostic != NULL) {
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", b->file);
        diagnostic->line = line;
        diagnostic->column = column;
    }
    return status;
}

ash_status ashi_xml_parse(ashi_arena *arena, const char *text, size_t size, const char *file, ashi_xml **root,
                          ash_diagnostic *diagnostic)
{
    builder b = {.arena = arena, .file = ashi_arena_text(arena, file)};
    *root = NULL;
    if (b.file == NULL)
        return ashi_out_of_memory(diagnostic);
    if (size > INT32_MAX)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "file.too-large", "the file is larger than 2 GiB");
    b.parser = XML_ParserCreate(NULL);
    if (b.parser == NULL)
        return ashi_out_of_memory(diagnostic);
    XML_SetUserData(b.parser, &b);
    XML_SetElementHandler(b.parser, start, end);
    XML_SetEntityDeclHandler(b.parser, declare_entity);
    ash_status status = ASH_OK;
    if (XML_Parse(b.parser, text, (int)size, 1) != XML_STATUS_OK)
        status = failure(&b, diagnostic);
    XML_ParserFree(b.parser);
    *root = status == ASH_OK ? b.root : NULL;
    return status;
}

static ashi_xml_attribute *find(const ashi_xml *element, const char *name)
{
    for (uint32_t i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0)
            return &element->attributes[i];
    return NULL;
}

const char *ashi_xml_get(ashi_xml *element, const char *name)
{
    ashi_xml_attribute *attribute = find(element, name);
    if (attribute == NULL)
        return NULL;
    attribute->read = true;
    if (attribute->origin != NULL)
        attribute->origin->read = true;
    return attribute->value;
}

const char *ashi_xml_peek(const ashi_xml *element, const char *name)
{
    const ashi_xml_attribute *attribute = find(element, name);
    return attribute != NULL ? attribute->value : NULL;
}

bool ashi_xml_is(const ashi_xml *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

static ashi_xml *first_from(ashi_xml *element, const char *name)
{
    while (element != NULL && !ashi_xml_is(element, name))
        element = element->next;
    if (element != NULL)
        element->read = true;
    return element;
}

ashi_xml *ashi_xml_child(ashi_xml *element, const char *name)
{
    return first_from(element->first, name);
}

ashi_xml *ashi_xml_again(ashi_xml *element)
{
    return first_from(element->next, element->name);
}

void ashi_xml_read_all(ashi_xml *element)
{
    element->read = true;
    for (uint32_t i = 0; i < element->attribute_count; i++)
        ashi_xml_get(element, element->attributes[i].name);
    for (ashi_xml *child = element->first; child != NULL; child = child->next)
        ashi_xml_read_all(child);
}

ash_status ashi_xml_fail(const ashi_xml *element, ash_diagnostic *diagnostic, ash_status status, const char *code,
                         const char *format, ...)
{
    char message[sizeof((ash_diagnostic *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    ashi_fail(diagnostic, status, code, "%s", message);
    if (diagnostic != NULL) {
        snprintf(diagnostic->file, sizeof diagnostic->file, "%s", element->file);
        diagnostic->line = element->line;
        diagnostic->column = element->column;
    }
    return status;
}
