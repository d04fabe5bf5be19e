/* JSON for machines. */
#ifndef CLI_DOCUMENT_H
#define CLI_DOCUMENT_H

#include <stdbool.h>

#include <jansson.h>

/* A number; null where JSON has none for it (NaN, infinity). */
json_t *cli_json_number(double value);
/* Text; bytes that are no UTF-8 are replaced by '?'. */
json_t *cli_json_text(const char *text);

/* Adds the item, which is taken also on failure; when it is null or memory ran out, no document will be printed. */
void cli_json_append(json_t *array, json_t *item);
void cli_json_set(json_t *object, const char *key, json_t *item);
/* Whether nothing was lost so far. */
bool cli_json_is_whole(void);

/* Writes the document to standard output and drops the reference. When memory ran out while it was made, that is told
 * instead.
 * Returns CLI_DONE or CLI_BAD_INPUT. */
int cli_json_print(json_t *document);

#endif
