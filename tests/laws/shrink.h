/* Smaller worlds that break the same law. */
#ifndef LAWS_SHRINK_H
#define LAWS_SHRINK_H

#include "law.h"

/* Removes bodies, joints, forces and shapes, takes motions and properties away, rounds numbers and shortens the time,
 * each as long as the law still fails by the scene's method and step. Takes the scene and returns the smaller one, with
 * the law and the figure in its summary. */
ash_scene *law_shrink(ash_scene *scene, law_number law);

#endif
