/* Flat worlds from the front: shapes filled and outlined, by their signed distance. A point within a pixel of an edge
 * is covered in proportion, which keeps edges clean with few samples. */
#include <math.h>

#include "app/picture/painter.h"
#include "math/transform.h"

enum { OVERLAPS_MOST = 256 };

static const double outline_pixels = 2.2, fill_opacity = 0.9;

/* One sample: where it is and how wide things are there. */
typedef struct flat_place {
    ash_vec3 point;
    double pixel;   /* m, over which an edge is softened */
    double outline; /* m */
} flat_place;

/* 1 well inside (negative distance), 0 well outside. */
static double inside(double distance, double pixel)
{
    double share = 0.5 - distance / pixel;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double item_distance(const cli_item *item, const flat_place *place, ash_vec3 *local)
{
    *local = t_point_inverse(item->pose, place->point);
    return ash_geometry_distance(item->geometry, *local);
}

/* A circle's radius shows how it is turned. */
static double spoke_distance(ash_vec3 p, double radius)
{
    double x = fmin(fmax(p.x, 0), radius);
    return hypot(p.x - x, p.y);
}

static cli_colour paint_shape(const cli_item *item, const flat_place *place, const cli_theme *theme, cli_colour under)
{
    const ash_geometry_def *def = ash_geometry_get_definition(item->geometry);
    ash_vec3 local;
    double distance = item_distance(item, place, &local), line = place->outline;
    cli_colour fill = cli_colour_mix(item->colour, theme->horizon, 0.12), edge = cli_colour_scale(item->colour, 0.45);
    /* The line has the edge in its middle, so that what has no inside is seen too. */
    double solid = inside(distance - line / 2, place->pixel), core = inside(distance + line / 2, place->pixel);
    cli_colour colour = cli_colour_mix(under, fill, fill_opacity * core);
    colour = cli_colour_mix(colour, edge, solid - core);
    if (def->kind == ASH_GEOMETRY_CIRCLE)
        colour =
            cli_colour_mix(colour, edge, core * inside(spoke_distance(local, def->radius) - line / 2, place->pixel));
    return colour;
}

static cli_colour paint_items(const cli_items *items, const flat_place *place, const cli_theme *theme, bool outlined,
                              cli_colour colour)
{
    uint32_t numbers[OVERLAPS_MOST];
    uint32_t count = cli_items_at(items, place->point, 2 * place->outline, numbers, OVERLAPS_MOST);
    for (uint32_t i = 0; i < count; i++) {
        const cli_item *item = &items->list.data[numbers[i]];
        ash_vec3 local;
        if (outlined)
            colour = paint_shape(item, place, theme, colour);
        else
            colour = cli_colour_mix(colour, item->colour,
                                    item->opacity * inside(item_distance(item, place, &local), place->pixel));
    }
    return colour;
}

static cli_colour paint_place(const cli_painter *painter, const cli_grid *grid, const flat_place *place)
{
    const cli_subject *subject = painter->subject;
    const cli_theme *theme = &subject->theme;
    double lines = cli_grid_cover(grid, place->point.x, place->point.y, place->pixel, place->pixel);
    cli_colour colour = cli_colour_mix(theme->horizon, theme->line, 0.7 * lines);
    colour = paint_items(&subject->shapes, place, theme, true, colour);
    colour = paint_items(&subject->solids, place, theme, false, colour);
    return paint_items(&subject->marks, place, theme, false, colour);
}

void cli_paint_flat(const cli_painter *painter, uint32_t begin, uint32_t end)
{
    const cli_canvas *canvas = painter->canvas;
    double pixel = cli_camera_pixel(painter->camera, canvas->height);
    cli_grid grid = cli_grid_for(painter->subject->size);
    flat_place place = {.pixel = pixel / sqrt(painter->samples),
                        .outline = outline_pixels * canvas->height / 720 * pixel};
    for (uint32_t y = begin; y < end; y++)
        for (uint32_t x = 0; x < canvas->width; x++) {
            cli_colour sum = {0, 0, 0};
            for (uint32_t i = 0; i < painter->samples; i++) {
                double right, down;
                cli_sample_place(i, &right, &down);
                ash_ray sight =
                    cli_camera_ray(painter->camera, (x + right) / canvas->width, (y + down) / canvas->height);
                place.point = v3(sight.origin.x, sight.origin.y, 0);
                sum = cli_colour_add(sum, paint_place(painter, &grid, &place));
            }
            cli_colour_encode(cli_colour_scale(sum, 1.0 / painter->samples), cli_canvas_at(canvas, x, y));
        }
}
