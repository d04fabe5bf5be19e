/* Light adds up linearly, screens do not show it so: colours are kept linear and encoded as sRGB (IEC 61966-2-1) at the
 * very end. */
#include "app/picture/colour.h"

#include <math.h>

static double decode(uint32_t byte)
{
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

cli_colour cli_colour_of(uint32_t rgb)
{
    return (cli_colour){decode(rgb >> 16 & 255), decode(rgb >> 8 & 255), decode(rgb & 255)};
}

static uint8_t encode(double light)
{
    double value = !(light > 0) ? 0 : light >= 1 ? 1 : light;
    value = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
    return (uint8_t)(255 * value + 0.5);
}

void cli_colour_encode(cli_colour colour, uint8_t *bytes)
{
    bytes[0] = encode(colour.r);
    bytes[1] = encode(colour.g);
    bytes[2] = encode(colour.b);
}

cli_colour cli_colour_of_body(uint32_t index)
{
    /* Hues of Okabe and Ito's palette, calmer; blue first, neighbours far apart. */
    static const uint32_t palette[] = {0x4f7ca3, 0xd79b4a, 0x5d9a80, 0xc4694a, 0x86b0cf, 0xb784a7, 0xd9c26a};
    enum { COLOURS = sizeof palette / sizeof *palette };
    cli_colour colour = cli_colour_of(palette[index % COLOURS]);
    switch (index / COLOURS % 3) {
    case 1:
        return cli_colour_mix(colour, (cli_colour){1, 1, 1}, 0.4);
    case 2:
        return cli_colour_scale(colour, 0.5);
    default:
        return colour;
    }
}

cli_colour cli_share_colour(double share)
{
    /* As the viewer's: from dark blue to yellow. */
    static const uint32_t stops[] = {0x00214d, 0x454f6b, 0x7d7d78, 0xbaad6b, 0xffeb45};
    enum { STOPS = sizeof stops / sizeof *stops };
    double place = (share > 0 ? share < 1 ? share : 1 : 0) * (STOPS - 1);
    int first = place < STOPS - 2 ? (int)place : STOPS - 2;
    return cli_colour_mix(cli_colour_of(stops[first]), cli_colour_of(stops[first + 1]), place - first);
}

cli_theme cli_theme_make(bool dark)
{
    cli_theme light_theme = {.horizon = cli_colour_of(0xf3f5f7),
                             .zenith = cli_colour_of(0xcfdbe6),
                             .ground = cli_colour_of(0xe4e7ea),
                             .line = cli_colour_of(0x8d99a5),
                             .fixed = cli_colour_of(0x9aa3ab),
                             .driven = cli_colour_of(0x6b7f99),
                             .point = cli_colour_of(0x1f4e79),
                             .spring = cli_colour_of(0x4f5d6b),
                             .pull = cli_colour_of(0xd79b4a),
                             .slack = cli_colour_of(0xd7191c),
                             .awake = cli_colour_of(0x4f7ca3),
                             .asleep = cli_colour_of(0xc9b98a),
                             .ink = cli_colour_of(0x14181c),
                             .sun = 0.78,
                             .sky = 0.52};
    cli_theme dark_theme = light_theme;
    dark_theme.horizon = cli_colour_of(0x1d2228);
    dark_theme.zenith = cli_colour_of(0x0e1115);
    dark_theme.ground = cli_colour_of(0x2a3037);
    dark_theme.line = cli_colour_of(0x8a97a4);
    dark_theme.fixed = cli_colour_of(0x7d868f);
    dark_theme.point = cli_colour_of(0x9ecbf0);
    dark_theme.spring = cli_colour_of(0xaab4be);
    dark_theme.slack = cli_colour_of(0xff4a4d);
    dark_theme.awake = cli_colour_of(0x86b0cf);
    dark_theme.asleep = cli_colour_of(0x6b6450);
    dark_theme.ink = cli_colour_of(0xf3f5f7);
    return dark ? dark_theme : light_theme;
}
