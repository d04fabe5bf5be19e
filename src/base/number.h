/* Numbers as text. */
#ifndef ASHI_BASE_NUMBER_H
#define ASHI_BASE_NUMBER_H

#define ASHI_NUMBER_SIZE 40

/* The fewest digits that read back to the same finite number, with a decimal point in any locale. */
const char *ashi_number_text(double number, char text[ASHI_NUMBER_SIZE]);

#endif
