/* The words of problem files. */
#ifndef ASHI_SCENE_PROBLEM_WORDS_H
#define ASHI_SCENE_PROBLEM_WORDS_H

#include "scene/description/names.h"

#define ASHI_PROBLEM_FORMAT    2
#define ASHI_USUAL_DIRECTIONS  8
#define ASHI_USUAL_STICK_SPEED 1e-3 /* m/s */

static inline ashi_words ashi_friction_law_words(void)
{
    static const char *const words[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
    return (ashi_words){words, ASH_FRICTION_LAWS};
}

static inline ashi_words ashi_restitution_law_words(void)
{
    static const char *const words[ASH_RESTITUTION_LAWS] = {"newton", "poisson", "energetic"};
    return (ashi_words){words, ASH_RESTITUTION_LAWS};
}

#endif
