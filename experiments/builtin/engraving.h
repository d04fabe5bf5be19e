/* A plate with letters cut into it: cells of a grid at one of three levels, and the closed mesh around them. */
#ifndef ASHI_SCENE_BUILTIN_ENGRAVING_H
#define ASHI_SCENE_BUILTIN_ENGRAVING_H

#include "ashlar/geometry.h"

typedef enum ashi_level { ASHI_LEVEL_FLOOR, ASHI_LEVEL_FACE, ASHI_LEVEL_RIM, ASHI_LEVELS } ashi_level;

typedef struct ashi_engraving {
    uint32_t columns, rows; /* cells along x and y, the rim included */
    double cell;            /* their side, m */
    double depth;           /* of the letters' floor below the face, m */
    double rim;             /* height of the rim above the face, m */
    double thickness;       /* of the plate, from the face to its underside, m */
    uint8_t *level;         /* of each cell, x fastest: an ashi_level */
    uint8_t *letter;        /* 1 + number of the letter that a cell belongs to; 0: none */
} ashi_engraving;

/* Lays out the word (of the letters A, H, L, R, S), 5 x 7 cells a letter, a cell between letters and three around the
 * word, and a rim of one cell except for the lower end. Letters stand upright along y. */
ash_status ashi_engrave(const char *word, double cell, ashi_engraving *engraving, ash_diagnostic *diagnostic);
void ashi_engraving_release(ashi_engraving *engraving);

/* The closed mesh around the plate: the face at z = 0, its middle at x = y = 0. */
ash_status ashi_engraving_mesh(const ashi_engraving *engraving, ash_geometry **mesh, ash_diagnostic *diagnostic);

/* Where a point of the plate's frame is seen from above: the letter's number plus one, or 0. */
uint32_t ashi_engraving_letter_at(const ashi_engraving *engraving, double x, double y);

#endif
