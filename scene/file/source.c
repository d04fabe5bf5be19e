/* The text of a scene is kept as long as the scene, because only the text knows lines and columns. */
#include "scene/file/source.h"

#include "base/alloc.h"
#include "scene/file/place.h"

#include <stdio.h>
#include <string.h>

bool ashi_source_keep(ashi_source *source, const char *text, size_t size, const char *label)
{
    source->text = ashi_alloc_array(size + 1, 1);
    source->label = ashi_copy_text(label);
    if (source->text == NULL || source->label == NULL)
        return false; /* what there is of it is released with the scene */
    memcpy(source->text, text, size);
    source->text[size] = 0;
    source->size = size;
    return true;
}

/* Puts "/member" behind the path when the text has that member there. */
static bool extend(const ashi_source *source, ash_diagnostic *diagnostic, const char *member)
{
    char longer[2 * sizeof diagnostic->path];
    snprintf(longer, sizeof longer, "%s/%s", diagnostic->path, member);
    size_t length = strlen(longer);
    if (length >= sizeof diagnostic->path || !ashi_path_exists(source->text, source->size, longer))
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
    const ashi_source *source = &scene->source;
    if (source->text == NULL)
        return;
    snprintf(diagnostic->file, sizeof diagnostic->file, "%s", source->label);
    ashi_locate_path(source->text, source->size, diagnostic->path, &diagnostic->line, &diagnostic->column);
}

ash_status ashi_source_locate(const ash_scene *scene, ash_status status, ash_diagnostic *diagnostic)
{
    if (status == ASH_OK || status == ASH_OUT_OF_MEMORY || diagnostic == NULL || scene->source.text == NULL ||
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
