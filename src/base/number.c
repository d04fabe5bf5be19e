/* Numbers as text: 15 digits are enough for what people write, 17 for every double. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void replace_decimal_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    size_t length = strlen(point);
    char *found = length > 0 ? strstr(text, point) : NULL;
    if (found == NULL)
        return;
    *found = '.';
    memmove(found + 1, found + length, strlen(found + length) + 1);
}

const char *ashi_number_text(double number, char text[ASHI_NUMBER_SIZE])
{
    if (number == 0) /* JSON's integer zero has no sign */
        return strcpy(text, signbit(number) ? "-0.0" : "0");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, ASHI_NUMBER_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    replace_decimal_point(text);
    return text;
}
