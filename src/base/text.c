/* strtod follows the host's locale, so the C locale is requested by name. */
#define _GNU_SOURCE
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ashi_parse_number(const char *text, double *value)
{
    /* strtod also accepts leading space, hexadecimals and "inf"; in our files and options these are errors. */
    if (text[strspn(text, "0123456789+-.eE")] != 0)
        return false;
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    char *end;
    double number = strtod_l(text, &end, plain);
    freelocale(plain);
    if (end == text || *end != 0 || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool ashi_parse_count(const char *text, uint32_t *value)
{
    double number;
    if (!ashi_parse_number(text, &number) || number < 0 || number > UINT32_MAX || number != floor(number))
        return false;
    *value = (uint32_t)number;
    return true;
}
