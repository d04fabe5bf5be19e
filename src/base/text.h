/* Reading numbers from text. */
#ifndef ASHI_BASE_TEXT_H
#define ASHI_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The whole text as one finite decimal number, without spaces; false otherwise. A decimal point is '.', whatever the
 * host's locale. */
bool ashi_parse_number(const char *text, double *value);
/* The whole text as a count, 0 to 2^32 - 1. */
bool ashi_parse_count(const char *text, uint32_t *value);

#endif
