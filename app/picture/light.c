/* One sun, and a sky that is one all around: each sample of a pixel looks at one place of the sun's disc and at one of
 * the sky, chosen in proportion to how much they count, so that the mean over samples is the light that arrives. Ways
 * that something bars bring a little light too, which stands for what that thing reflects. */
#include "app/picture/light.h"

#include <math.h>

#include "math/vec3.h"

static const ash_vec3 sun = {-0.58, -0.36, 0.80};
static const double sun_radius = 0.025;                    /* of the disc, at distance 1 */
static const double from_floor = 0.62, from_things = 0.16; /* light of what is no sky */
static const double shininess = 60, slant_loss = 0.22;

cli_colour cli_light_background(const cli_theme *theme, ash_vec3 direction)
{
    double height = direction.z > 0 ? fmin(1, 1.6 * direction.z) : 0;
    return cli_colour_mix(theme->horizon, theme->zenith, height);
}

/* A direction near or about the unit vector `axis`: `aside` along some perpendicular turned by the angle, and `ahead`.
 */
static ash_vec3 about(ash_vec3 axis, double angle, double aside, double ahead)
{
    ash_vec3 x = v3_perpendicular(axis), y = v3_cross(axis, x);
    ash_vec3 across = v3_add_scaled(v3_scale(x, aside * cos(angle)), y, aside * sin(angle));
    return v3_unit(v3_add_scaled(across, axis, ahead));
}

ash_vec3 cli_light_to_sun(double u, double v)
{
    return about(v3_unit(sun), 2 * ASHI_PI * u, sun_radius * sqrt(v), 1);
}

ash_vec3 cli_light_to_sky(ash_vec3 normal, double u, double v)
{
    return about(normal, 2 * ASHI_PI * u, sqrt(v), sqrt(1 - v) + 1e-3);
}

static double sky_strength(const cli_subject *subject, ash_vec3 direction, bool is_free)
{
    if (!is_free)
        return from_things;
    return direction.z < 0 && subject->has_grid ? from_floor : 0.85 + 0.15 * direction.z;
}

cli_colour cli_light_shade(const cli_subject *subject, const cli_surface *surface, bool sun_free, ash_vec3 to_sky,
                           bool sky_free)
{
    static const cli_colour sunlight = {1.0, 0.975, 0.93}, skylight = {0.95, 0.98, 1.0};
    const cli_theme *theme = &subject->theme;
    ash_vec3 to_sun = v3_unit(sun);
    double facing = sun_free ? fmax(0, v3_dot(surface->normal, to_sun)) : 0;
    cli_colour light = cli_colour_add(cli_colour_scale(sunlight, theme->sun * facing),
                                      cli_colour_scale(skylight, theme->sky * sky_strength(subject, to_sky, sky_free)));
    /* Faces seen at a slant are a little darker, so that no two sides of a box look alike. */
    double slant = surface->is_floor ? 0 : 1 - fabs(v3_dot(surface->normal, surface->sight));
    cli_colour colour = cli_colour_mul(surface->colour, cli_colour_scale(light, 1 - slant_loss * slant));
    if (facing > 0 && surface->gloss > 0) {
        ash_vec3 half = v3_unit(v3_sub(to_sun, surface->sight));
        double shine = surface->gloss * pow(fmax(0, v3_dot(surface->normal, half)), shininess);
        colour = cli_colour_add(colour, cli_colour_scale(sunlight, shine));
    }
    return cli_colour_mix(colour, cli_light_background(theme, surface->sight), surface->haze);
}
