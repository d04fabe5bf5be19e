/* JSON for machines. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include <stdbool.h>

#include <jansson.h>

/* A number; null where JSON has none for it (NaN, infinity). */
json_t *cli_json_number(double value);
/* Text; bytes that are no UTF-8 are replaced by '?'. */
json_t *cli_json_text(const char *text);

/* Writes the document to standard output and drops the reference. Null, when memory ran out while it was made, is told.
 * Returns CLI_DONE or CLI_BAD_INPUT. */
int cli_json_print(json_t *document);

#endif
