/* A grid of lines on a floor. Each line is averaged over the width of a pixel, so that far lines melt into a tint
 * instead of flickering: the part of [x - w/2, x + w/2] that lines cover is a difference of one integral. */
#include <math.h>

#include "app/picture/painter.h"

static const double cells = 14;                                  /* at least, across the subject */
static const double minor_share = 0.42, major_share = 0.75;      /* of the line colour */
static const double minor_breadth = 0.018, major_breadth = 0.03; /* of a minor cell */

/* The largest of 1, 2 and 5 times a power of ten that is not above `value`. */
static double round_number(double value)
{
    double power = pow(10, floor(log10(value)));
    double lead = value / power;
    return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

cli_grid cli_grid_for(double size)
{
    double minor = round_number(size / cells);
    return (cli_grid){minor, pow(10, ceil(log10(1.5 * minor)))};
}

/* How much of [0, x] is within half a breadth of a whole number, for any x. */
static double integral(double x, double breadth)
{
    double shifted = x + breadth / 2, whole = floor(shifted);
    return whole * breadth + fmin(shifted - whole, breadth);
}

static double line_cover(double x, double spacing, double breadth, double width)
{
    double w = fmax(width, 1e-9 * spacing) / spacing, middle = x / spacing, b = breadth / spacing;
    return (integral(middle + w / 2, b) - integral(middle - w / 2, b)) / w;
}

static double cover(double x, double y, double spacing, double breadth, double width_x, double width_y)
{
    double a = line_cover(x, spacing, breadth, width_x), b = line_cover(y, spacing, breadth, width_y);
    return a + b - a * b;
}

double cli_grid_cover(const cli_grid *grid, double x, double y, double width_x, double width_y)
{
    double minor = minor_share * cover(x, y, grid->minor, minor_breadth * grid->minor, width_x, width_y);
    double major = major_share * cover(x, y, grid->major, major_breadth * grid->minor, width_x, width_y);
    return fmax(minor, major);
}
