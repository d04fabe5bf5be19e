/* How surfaces look: what light reaches them and what they send back. */
#ifndef CLI_RENDER_LIGHT_H
#define CLI_RENDER_LIGHT_H

#include "app/picture/painter.h"

/* What a line of sight meets. */
typedef struct cli_surface {
    bool any;
    double distance; /* m from the eye */
    ash_vec3 point, normal, sight;
    cli_colour colour; /* of the surface itself */
    double haze;       /* 0: clear, 1: only the background is seen */
    double gloss;      /* strength of the sun's reflection */
    bool is_floor;
} cli_surface;

/* The background in a direction. */
cli_colour cli_light_background(const cli_theme *theme, ash_vec3 direction);

/* The way to the sun, from within its disc, and to some place of the sky (cosine-weighted about the normal), each by
 * two numbers from 0 to 1. */
ash_vec3 cli_light_to_sun(double u, double v);
ash_vec3 cli_light_to_sky(ash_vec3 normal, double u, double v);

/* The surface's colour to the eye, when the ways to the sun and to a place of the sky are free or not. */
cli_colour cli_light_shade(const cli_subject *subject, const cli_surface *surface, bool sun_free, ash_vec3 to_sky,
                           bool sky_free);

#endif
