/* Cells are kept until all are known, then each column is as wide as its widest cell. */
#include "app/cli/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "app/cli/message.h"

enum { GAP = 2, COLUMNS_MOST = 32, NARROWEST_WRAP = 24 };

cli_table cli_table_begin(const char *alignment, bool headed)
{
    uint32_t columns = (uint32_t)strlen(alignment);
    return (cli_table){
        .columns = columns, .alignment = alignment, .headed = headed, .failed = columns == 0 || columns > COLUMNS_MOST};
}

static void add_cell(cli_table *table, cli_style style, const char *format, va_list arguments)
{
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    char *copy = ashi_copy_text(text);
    if (copy == NULL || !ashi_array_extend(&table->cells)) {
        ashi_dealloc(copy);
        table->failed = true;
        return;
    }
    table->cells.data[table->cells.count - 1] = (cli_cell){copy, style};
}

void cli_table_cell(cli_table *table, const char *format, ...)
{
    bool heading = table->headed && table->cells.count < table->columns;
    va_list arguments;
    va_start(arguments, format);
    add_cell(table, heading ? CLI_BOLD : CLI_PLAIN, format, arguments);
    va_end(arguments);
}

void cli_table_styled(cli_table *table, cli_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_cell(table, style, format, arguments);
    va_end(arguments);
}

const char *cli_number_text(double value, char *text, size_t size)
{
    snprintf(text, size, isnan(value) ? "-" : "%.6g", value);
    return text;
}

void cli_table_number(cli_table *table, double value)
{
    char text[32];
    cli_table_cell(table, "%s", cli_number_text(value, text, sizeof text));
}

int cli_text_width(const char *text)
{
    int width = 0;
    for (; *text != 0; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

const char *cli_shorten(const char *text, int letters, char *shortened, size_t size)
{
    if (cli_text_width(text) <= letters) {
        snprintf(shortened, size, "%s", text);
        return shortened;
    }
    int length = 0;
    for (int kept = 0; text[length] != 0; length++) {
        kept += ((unsigned char)text[length] & 0xc0) != 0x80;
        if (kept > letters - 3)
            break;
    }
    snprintf(shortened, size, "%.*s...", length, text);
    return shortened;
}

static void measure(const cli_table *table, int *widths)
{
    for (uint32_t i = 0; i < table->cells.count; i++) {
        int width = cli_text_width(table->cells.data[i].text);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
}

/* Where to break `text` so that at most `width` columns come before: at the last blank that allows it. */
static int break_point(const char *text, int width)
{
    int column = 0, last_blank = 0;
    for (int i = 0; text[i] != 0; i++) {
        if (text[i] == ' ' && column <= width)
            last_blank = i;
        column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (column > width && last_blank > 0)
            return last_blank;
    }
    return (int)strlen(text);
}

void cli_put_wrapped(FILE *stream, const char *text, int start, int width)
{
    int room = width - start >= NARROWEST_WRAP ? width - start : 0;
    for (;;) {
        int length = room > 0 ? break_point(text, room) : (int)strlen(text);
        char part[512];
        snprintf(part, sizeof part, "%.*s", length, text);
        cli_put_text(stream, part);
        text += length;
        while (*text == ' ')
            text++;
        if (*text == 0)
            return;
        fprintf(stream, "\n%*s", start, "");
    }
}

static void put_cell(FILE *stream, const cli_cell *cell, int start, int width)
{
    if (cell->style != CLI_PLAIN)
        fputs(cli_style_begin(stream, cell->style), stream);
    cli_put_wrapped(stream, cell->text, start, width);
    if (cell->style != CLI_PLAIN)
        fputs(cli_style_end(stream), stream);
}

bool cli_table_print(const cli_table *table, FILE *stream, int width)
{
    if (table->failed)
        return false;
    int widths[COLUMNS_MOST] = {0}, start = table->indent;
    measure(table, widths);
    uint32_t last = table->columns - 1;
    for (uint32_t i = 0; i < last; i++)
        start += widths[i] + GAP;
    for (uint32_t i = 0; i < table->cells.count; i++) {
        const cli_cell *cell = &table->cells.data[i];
        uint32_t column = i % table->columns;
        int blanks = widths[column] - cli_text_width(cell->text);
        if (column == 0)
            fprintf(stream, "%*s", table->indent, "");
        if (table->alignment[column] == 'r')
            fprintf(stream, "%*s", blanks, "");
        if (column == last) {
            put_cell(stream, cell, start, table->alignment[last] == 'l' ? width : 0);
            putc('\n', stream);
            continue;
        }
        put_cell(stream, cell, 0, 0);
        fprintf(stream, "%*s", (table->alignment[column] == 'r' ? 0 : blanks) + GAP, "");
    }
    return true;
}

void cli_put_markdown(FILE *stream, const char *text)
{
    for (; *text != 0; text++) {
        if (strchr("|*_`<>[]\\", *text) != NULL)
            putc('\\', stream);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, stream);
    }
}

bool cli_table_print_markdown(const cli_table *table, FILE *stream)
{
    if (table->failed)
        return false;
    for (uint32_t i = 0; i < table->cells.count; i++) {
        uint32_t column = i % table->columns;
        fputs(column == 0 ? "| " : " ", stream);
        cli_put_markdown(stream, table->cells.data[i].text);
        fputs(column == table->columns - 1 ? " |\n" : " |", stream);
        if (i != table->columns - 1)
            continue;
        for (uint32_t j = 0; j < table->columns; j++)
            fprintf(stream, "|%s", table->alignment[j] == 'r' ? "---:" : "---");
        fputs("|\n", stream);
    }
    return true;
}

void cli_table_release(cli_table *table)
{
    for (uint32_t i = 0; i < table->cells.count; i++)
        ashi_dealloc(table->cells.data[i].text);
    ashi_array_release(&table->cells);
}
