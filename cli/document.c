/* Documents are built with Jansson and written at once, so that standard output holds a whole one or nothing. A failed
 * write is noticed when the program ends. */
#include "document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "command.h"
#include "message.h"

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
    ashi_free(plain);
    return string;
}

int cli_json_print(json_t *document)
{
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    if (text == NULL) {
        cli_error("out of memory");
        return CLI_BAD_INPUT;
    }
    printf("%s\n", text);
    free(text);
    return CLI_DONE;
}
