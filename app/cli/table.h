/* Tables of text, aligned for people or as Markdown. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/cli/terminal.h"
#include "base/array.h"
#include "base/diagnostic.h"

typedef struct cli_cell {
    char *text;
    cli_style style;
} cli_cell;

/* Cells come row by row. */
typedef struct cli_table {
    uint32_t columns;
    const char *alignment; /* a letter a column: 'r' for numbers, 'l' for text */
    bool headed;           /* the first row is a heading */
    int indent;            /* blanks before each row, in text */
    ASHI_ARRAY(cli_cell) cells;
    bool failed; /* memory ran out; the table is not printed */
} cli_table;

/* `alignment` has a letter for each column, "lrr". */
cli_table cli_table_begin(const char *alignment, bool headed);
void cli_table_cell(cli_table *table, const char *format, ...) ASHI_PRINTF(2, 3);
void cli_table_styled(cli_table *table, cli_style style, const char *format, ...) ASHI_PRINTF(3, 4);
/* Six significant digits; "-" for NaN. */
void cli_table_number(cli_table *table, double value);

/* Prints in columns; with `width` above 0 a left-aligned last column is broken at blanks to stay within it. False when
 * memory had run out. */
bool cli_table_print(const cli_table *table, FILE *stream, int width);
bool cli_table_print_markdown(const cli_table *table, FILE *stream);
void cli_table_release(cli_table *table);

/* Writes text that begins in column `start`, broken at blanks so that it stays within `width` columns and each line
 * begins there; without breaks where `width` is 0 or leaves too little room. */
void cli_put_wrapped(FILE *stream, const char *text, int start, int width);

/* The number as in a table; returns `text`. */
const char *cli_number_text(double value, char *text, size_t size);
/* Columns that UTF-8 text takes: characters, none of ours being wide. */
int cli_text_width(const char *text);
/* The text, or when it has more than `letters` characters its beginning and "..."; returns `shortened`. */
const char *cli_shorten(const char *text, int letters, char *shortened, size_t size);
/* The text with what Markdown would take for markup in a table made plain. */
void cli_put_markdown(FILE *stream, const char *text);

#endif
