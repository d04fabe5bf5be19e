/* Calm colours, in the order of Okabe and Ito's, whose hues people with most kinds of colour vision tell apart. */
#include "app/picture/palette.h"

enum { MANY = 12 }; /* bodies with one kind of shape: from then on they share a hue */
enum { BRICK = 3 }; /* the number of the hue of boxes */
static const uint32_t palette[] = {0x4f7ca3, 0xd79b4a, 0x5d9a80, 0xc4694a, 0x86b0cf, 0xb784a7, 0xd9c26a, 0x8577ab};
enum { COLOURS = sizeof palette / sizeof *palette };

/* Each channel moved towards white (share above 0) or black. */
static uint32_t shade(uint32_t rgb, double share)
{
    uint32_t shaded = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double channel = rgb >> shift & 255;
        channel += share > 0 ? share * (255 - channel) : share * channel;
        shaded |= (uint32_t)(channel + 0.5) << shift;
    }
    return shaded;
}

/* -1 to 1, of no order that one sees. */
static double chance(uint32_t number)
{
    uint32_t bits = number * 2654435761u;
    bits = (bits ^ bits >> 15) * 2246822519u;
    return (double)(bits >> 16 & 1023) / 511.5 - 1;
}

static uint32_t own_colour(const ash_scene *scene, const ashi_scene_body *body)
{
    if (body->colour != ASHI_NONE || body->shape_count == 0)
        return body->colour;
    uint32_t material = scene->shapes.data[body->first_shape].material;
    return material != ASHI_NONE ? scene->material_looks.data[material].colour : ASHI_NONE;
}

/* What many have in common: the kind of their first shape. */
static uint32_t kind_of(const ash_scene *scene, const ashi_scene_body *body)
{
    const ash_geometry *geometry = scene->geometries.data[scene->shapes.data[body->first_shape].geometry].geometry;
    return (uint32_t)ash_geometry_get_definition(geometry)->kind;
}

static bool takes_colour(const ashi_scene_body *body)
{
    return body->def.type == ASH_BODY_DYNAMIC && body->shape_count > 0;
}

void cli_body_colours(const ash_scene *scene, uint32_t *colours)
{
    uint32_t uses[ASH_GEOMETRY_KINDS] = {0}, hues[ASH_GEOMETRY_KINDS], next = 0, groups = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (takes_colour(&scene->bodies.data[i]))
            uses[kind_of(scene, &scene->bodies.data[i])]++;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        bool brick = kind == ASH_GEOMETRY_BOX && groups == 0;
        hues[kind] = brick ? BRICK : groups + (groups >= BRICK);
        groups += uses[kind] >= MANY && !brick;
    }
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *body = &scene->bodies.data[i];
        colours[i] = own_colour(scene, body);
        if (colours[i] != ASHI_NONE || !takes_colour(body))
            continue;
        uint32_t kind = kind_of(scene, body);
        if (uses[kind] >= MANY) {
            colours[i] = shade(palette[hues[kind] % COLOURS], 0.16 * chance(i));
        } else {
            uint32_t round = next / COLOURS % 3;
            colours[i] = shade(palette[next++ % COLOURS], round == 1 ? 0.3 : round == 2 ? -0.25 : 0);
        }
    }
}
