/* Colours in linear light, and the palette that bodies take theirs from. */
#ifndef CLI_RENDER_COLOUR_H
#define CLI_RENDER_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/* Red, green and blue, each 0 to 1 (more where light is strong). */
typedef struct cli_colour {
    double r, g, b;
} cli_colour;

static inline cli_colour cli_colour_scale(cli_colour a, double s)
{
    return (cli_colour){a.r * s, a.g * s, a.b * s};
}

static inline cli_colour cli_colour_add(cli_colour a, cli_colour b)
{
    return (cli_colour){a.r + b.r, a.g + b.g, a.b + b.b};
}

/* What a surface of colour a sends back of light b. */
static inline cli_colour cli_colour_mul(cli_colour a, cli_colour b)
{
    return (cli_colour){a.r * b.r, a.g * b.g, a.b * b.b};
}

/* a for share 0, b for share 1. */
static inline cli_colour cli_colour_mix(cli_colour a, cli_colour b, double share)
{
    return (cli_colour){a.r + (b.r - a.r) * share, a.g + (b.g - a.g) * share, a.b + (b.b - a.b) * share};
}

/* From 0xrrggbb as screens show it (sRGB). */
cli_colour cli_colour_of(uint32_t rgb);
/* To the three bytes that screens show; what is too bright is cut off. */
void cli_colour_encode(cli_colour colour, uint8_t *bytes);

/* The colour of set number `index`, such as an island: seven that stay apart for most kinds of colour blindness, then
 * the same again lighter and darker. */
cli_colour cli_colour_of_body(uint32_t index);

/* The colour of a share 0 to 1 of a range: even in lightness, for all kinds of colour vision. */
cli_colour cli_share_colour(double share);

/* All colours of a picture that do not belong to bodies. */
typedef struct cli_theme {
    cli_colour horizon, zenith;     /* of the background */
    cli_colour ground, line;        /* the floor and its grid */
    cli_colour fixed, driven;       /* static and kinematic bodies */
    cli_colour point, spring, pull; /* point masses, springs, pulls and loads */
    cli_colour slack;               /* springs that are slack */
    cli_colour awake, asleep;
    cli_colour ink;  /* marks that have no colour of their own */
    double sun, sky; /* strength of the lights */
} cli_theme;
cli_theme cli_theme_make(bool dark);

#endif
