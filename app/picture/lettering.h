/* Letters on a picture. */
#ifndef CLI_RENDER_LETTERING_H
#define CLI_RENDER_LETTERING_H

#include "app/picture/canvas.h"
#include "app/picture/colour.h"

/* In dots of a letter, which are `size` pixels wide: from one letter to the next, and from one line to the next. */
enum { CLI_LETTER_PITCH = 6, CLI_LINE_PITCH = 12, CLI_LETTER_HEIGHT = 7 };

/* Writes a line with its upper left corner at (x, y); what is outside the picture is cut off. There are small letters,
 * digits, N, and . , - + / ( ); others are left blank. */
void cli_letter(const cli_canvas *canvas, int x, int y, int size, const char *text, cli_colour colour);

/* Lays a colour over a rectangle with this opacity. */
void cli_fill(const cli_canvas *canvas, int x, int y, int width, int height, cli_colour colour, double opacity);

#endif
