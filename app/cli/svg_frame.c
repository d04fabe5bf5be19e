/* Frames of plots in SVG. */
#include "app/cli/svg_frame.h"

/* Colours that stay apart for most kinds of colour blindness (Okabe and Ito), without the yellow, which is too pale. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"};
/* So that curves which lie on each other show both, and prints without colour can be read. */
static const char *const dashes[] = {"none", "9 4", "2 3", "9 3 2 3", "5 2", "12 3 2 3 2 3", "4 6"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

const char *cli_svg_colour(unsigned number)
{
    return colours[number % COLOURS];
}

const char *cli_svg_dashes(unsigned number, bool varied)
{
    return dashes[(varied ? number : number / COLOURS) % DASHES];
}

void cli_svg_escaped(const char *text, FILE *stream)
{
    for (; *text != 0; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        default:
            putc((unsigned char)*text < 0x20 ? '?' : *text, stream);
        }
}

void cli_svg_begin(const char *title, double left, int width, int height, FILE *stream)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica, Arial, sans-serif\">\n",
            width, height, width, height);
    fputs("<style>.grid{stroke:#dddddd;stroke-width:1}.frame{fill:none;stroke:#444444}"
          ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}.number{font-size:12px;fill:#333333}"
          ".label{font-size:14px;fill:#111111}.legend{font-size:13px;fill:#111111}"
          ".title{font-size:17px;fill:#111111}</style>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
          stream);
    fprintf(stream, "<title>");
    cli_svg_escaped(title, stream);
    fprintf(stream, "</title>\n<text class=\"title\" x=\"%g\" y=\"32\">", left);
    cli_svg_escaped(title, stream);
    fputs("</text>\n", stream);
}

double cli_svg_x(const cli_svg_frame *frame, double value)
{
    return frame->left + frame->width * cli_axis_place(&frame->x, value);
}

double cli_svg_y(const cli_svg_frame *frame, double value)
{
    double place = cli_axis_place(&frame->y, value);
    return frame->top + frame->height * (frame->downward ? place : 1 - place);
}

static const char *tick_text(const cli_axis *axis, int index, bool decades, char *text, size_t size)
{
    if (!decades)
        return cli_axis_label(axis, index, text, size);
    snprintf(text, size, "1e%.0f", cli_axis_tick(axis, index));
    return text;
}

static void put_grid(const cli_svg_frame *frame, FILE *stream)
{
    double right = frame->left + frame->width, bottom = frame->top + frame->height;
    char label[48];
    for (int i = 0; i < frame->y.ticks; i++) {
        double y = cli_svg_y(frame, cli_axis_tick(&frame->y, i));
        fprintf(stream, "<line class=\"grid\" x1=\"%g\" y1=\"%.2f\" x2=\"%g\" y2=\"%.2f\"/>\n", frame->left, y, right,
                y);
        fprintf(stream, "<text class=\"number\" x=\"%g\" y=\"%.2f\" text-anchor=\"end\">%s</text>\n", frame->left - 8,
                y + 4, tick_text(&frame->y, i, frame->decades, label, sizeof label));
    }
    for (int i = 0; i < frame->x.ticks; i++) {
        double x = cli_svg_x(frame, cli_axis_tick(&frame->x, i));
        fprintf(stream, "<line class=\"grid\" x1=\"%.2f\" y1=\"%g\" x2=\"%.2f\" y2=\"%g\"/>\n", x, frame->top, x,
                bottom);
        if (frame->numbered)
            fprintf(stream, "<text class=\"number\" x=\"%.2f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", x,
                    bottom + 18, tick_text(&frame->x, i, frame->x_decades, label, sizeof label));
    }
}

void cli_svg_frame_put(const cli_svg_frame *frame, FILE *stream)
{
    put_grid(frame, stream);
    fprintf(stream, "<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", frame->left, frame->top,
            frame->width, frame->height);
    if (frame->y_label != NULL) {
        fprintf(stream, "<text class=\"label\" transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">",
                frame->left - 70, frame->top + frame->height / 2);
        cli_svg_escaped(frame->y_label, stream);
        fputs("</text>\n", stream);
    }
    if (frame->x_label != NULL) {
        fprintf(stream, "<text class=\"label\" x=\"%g\" y=\"%g\" text-anchor=\"middle\">",
                frame->left + frame->width / 2, frame->top + frame->height + 42);
        cli_svg_escaped(frame->x_label, stream);
        fputs("</text>\n", stream);
    }
}
