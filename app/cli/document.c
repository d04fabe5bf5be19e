/* Documents are built with Jansson and written at once, so that standard output holds a whole one or nothing. A failed
 * write is noticed when the program ends. */
#include "app/cli/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/command.h"
#include "app/cli/message.h"
#include "base/alloc.h"

json_t *cli_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *plain = ashi_copy_text(text);
    if (plain == NULL)
        return NULL;
    for (char *c = plain; *c != 0; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    string = json_string(plain);
    ashi_dealloc(plain);
    return string;
}

/* Something could not be added: the document is not whole. */
static bool incomplete;

void cli_json_append(json_t *array, json_t *item)
{
    if (json_array_append_new(array, item) != 0)
        incomplete = true;
}

void cli_json_set(json_t *object, const char *key, json_t *item)
{
    if (json_object_set_new(object, key, item) != 0)
        incomplete = true;
}

bool cli_json_is_whole(void)
{
    return !incomplete;
}

int cli_json_print(json_t *document)
{
    char *text = document != NULL && !incomplete ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    if (text == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    printf("%s\n", text);
    free(text);
    return CLI_DONE;
}
