/* The legend: lines of text, each with a swatch or a strip of colours, on a pane. */
#include "app/picture/legend.h"

#include <stdio.h>
#include <string.h>

#include "app/picture/lettering.h"
#include "ashlar/debug.h"

enum { LINES_MOST = 24, STRIP_WIDTH = 120, STRIP_HEIGHT = 7, SWATCH = 7, MARGIN = 8, GAP = 5, STRIP_STEPS = 120 };
static const double pane_opacity = 0.82, room = 0.7; /* of the picture's width and height */

typedef enum line_kind { PLAIN, WITH_SWATCH, STRIP } line_kind;

typedef struct legend_line {
    line_kind kind;
    char text[64];
    cli_colour colour;
    char low[24], high[24]; /* the ends of a strip */
} legend_line;

typedef struct legend {
    legend_line lines[LINES_MOST];
    int count;
} legend;

static legend_line *add(legend *all, line_kind kind, const char *text)
{
    legend_line *line = &all->lines[all->count < LINES_MOST ? all->count++ : LINES_MOST - 1];
    *line = (legend_line){.kind = kind};
    snprintf(line->text, sizeof line->text, "%s", text);
    return line;
}

/* "19.6 k": three digits or four, with a prefix where that is shorter, and room for a unit. */
static const char *number_text(double value, char *text, size_t size)
{
    if (value >= 1e4 && value < 1e7)
        snprintf(text, size, "%.3g k", value / 1e3);
    else
        snprintf(text, size, value >= 1e3 && value < 1e4 ? "%.0f " : "%.3g ", value);
    return text;
}

static void add_strip(legend *all, const char *title, double low, double high)
{
    add(all, PLAIN, title);
    legend_line *line = add(all, STRIP, "");
    number_text(low, line->low, sizeof line->low);
    number_text(high, line->high, sizeof line->high);
}

static void describe_tint(const cli_subject *subject, legend *all)
{
    double high = subject->look.scales.tint;
    switch (subject->look.tint) {
    case CLI_TINT_LAYER:
        add_strip(all, "stack layer", 1, high);
        break;
    case CLI_TINT_SPEED:
        add_strip(all, "speed, m/s", 0, high);
        break;
    case CLI_TINT_FORCE:
        add_strip(all, "contact forces on a body, N", 0, high);
        break;
    case CLI_TINT_SLEEPING:
        add(all, WITH_SWATCH, "awake")->colour = cli_tint_colour(subject, 0);
        add(all, WITH_SWATCH, "asleep")->colour = cli_tint_colour(subject, 1);
        break;
    case CLI_TINT_ISLAND:
        add(all, PLAIN, "a colour for each island");
        break;
    default:
        break;
    }
}

/* Layers whose values say something: the largest of them. What is nothing beside the forces of the picture is left out.
 */
static void describe_layers(const cli_subject *subject, legend *all)
{
    static const struct {
        ash_debug_layer layer;
        const char *words, *unit;
        double scale; /* of the unit */
    } valued[] = {
        {ASH_DEBUG_VELOCITIES, "velocities to", "m/s", 1}, {ASH_DEBUG_FORCES, "normal forces to", "N", 1},
        {ASH_DEBUG_FRICTION, "friction to", "N", 1},       {ASH_DEBUG_PENETRATION, "overlap to", "mm", 1e-3},
        {ASH_DEBUG_SPRINGS, "springs to", "N", 1},         {ASH_DEBUG_LIMITS, "limits to", "N or N m", 1},
        {ASH_DEBUG_DRIVES, "drives to", "N or N m", 1},    {ASH_DEBUG_GRAPH, "contact graph to layer", "", 1},
    };
    for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
        double largest = subject->largest[cli_layer_number(valued[i].layer)];
        char text[64], number[24];
        bool nothing = valued[i].layer == ASH_DEBUG_FRICTION && largest < 1e-6 * subject->look.scales.force;
        if ((subject->look.layers & valued[i].layer) == 0 || !(largest > 0) || nothing)
            continue;
        snprintf(text, sizeof text, "%s %s%s", valued[i].words,
                 number_text(largest / valued[i].scale, number, sizeof number), valued[i].unit);
        add(all, WITH_SWATCH, text)->colour = cli_mark_colour(subject, valued[i].layer, largest);
    }
}

/* In dots. */
static int width_of(const legend_line *line)
{
    int letters = CLI_LETTER_PITCH * (int)strlen(line->text);
    if (line->kind == WITH_SWATCH)
        return SWATCH + GAP + letters;
    if (line->kind == STRIP)
        return STRIP_WIDTH + 2 * GAP + CLI_LETTER_PITCH * (int)(strlen(line->low) + strlen(line->high));
    return letters;
}

static void draw_strip(const cli_subject *subject, const cli_canvas *canvas, const legend_line *line, int x, int y,
                       int size)
{
    int after_low = CLI_LETTER_PITCH * (int)strlen(line->low) + GAP;
    cli_letter(canvas, x, y, size, line->low, subject->theme.ink);
    for (int i = 0; i < STRIP_STEPS; i++)
        cli_fill(canvas, x + (after_low + i * STRIP_WIDTH / STRIP_STEPS) * size, y, size * STRIP_WIDTH / STRIP_STEPS,
                 STRIP_HEIGHT * size, cli_share_colour((i + 0.5) / STRIP_STEPS), 1);
    cli_letter(canvas, x + (after_low + STRIP_WIDTH + GAP) * size, y, size, line->high, subject->theme.ink);
}

static void draw_line(const cli_subject *subject, const cli_canvas *canvas, const legend_line *line, int x, int y,
                      int size)
{
    if (line->kind == STRIP) {
        draw_strip(subject, canvas, line, x, y, size);
        return;
    }
    if (line->kind == WITH_SWATCH) {
        cli_fill(canvas, x, y, SWATCH * size, SWATCH * size, line->colour, 1);
        x += (SWATCH + GAP) * size;
    }
    cli_letter(canvas, x, y, size, line->text, subject->theme.ink);
}

void cli_legend_draw(const cli_subject *subject, const cli_canvas *canvas)
{
    legend all = {.count = 0};
    int widest = 0, size = canvas->height >= 440 ? (int)(canvas->height + 260) / 400 : 1;
    describe_tint(subject, &all);
    describe_layers(subject, &all);
    for (int i = 0; i < all.count; i++)
        widest = width_of(&all.lines[i]) > widest ? width_of(&all.lines[i]) : widest;
    int width = (widest + 2 * MARGIN) * size, height = (all.count * CLI_LINE_PITCH + 2 * MARGIN - GAP) * size;
    if (all.count == 0 || width > room * canvas->width || height > room * canvas->height)
        return;
    int x = MARGIN * size, y = (int)canvas->height - height - MARGIN * size;
    cli_fill(canvas, x, y, width, height, subject->theme.horizon, pane_opacity);
    for (int i = 0; i < all.count; i++)
        draw_line(subject, canvas, &all.lines[i], x + MARGIN * size, y + (MARGIN + i * CLI_LINE_PITCH) * size, size);
}
