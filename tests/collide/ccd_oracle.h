/* libccd as an oracle for any convex geometries: it sees nothing but their support functions. */
#ifndef TESTS_COLLIDE_CCD_ORACLE_H
#define TESTS_COLLIDE_CCD_ORACLE_H

#include "ashlar/geometry.h"
#include "math/transform.h"

#include <ccd/ccd.h>

typedef struct ccd_solid {
    const ash_geometry *geometry;
    ash_transform pose;
} ccd_solid;

static inline void ccd_solid_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    const ccd_solid *solid = object;
    ash_vec3 local = q_unrotate(solid->pose.rotation, v3(direction->v[0], direction->v[1], direction->v[2]));
    ash_vec3 p = t_point(solid->pose, ash_geometry_support(solid->geometry, local));
    ccdVec3Set(point, p.x, p.y, p.z);
}

/* Whether libccd finds the two overlapping; then the depth, and the unit normal from a to b, in a's frame. libccd's
 * answer is not always the least depth: judge it by the gap along its normal. */
static inline bool ccd_penetration(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double *depth,
                                   ash_vec3 *normal)
{
    ccd_solid solid_a = {a, ash_identity()}, solid_b = {b, b_in_a};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_solid_support;
    ccd.max_iterations = 200;
    ccd.epa_tolerance = 1e-10;
    ccd_vec3_t direction, position;
    ccd_real_t found;
    if (ccdGJKPenetration(&solid_a, &solid_b, &ccd, &found, &direction, &position) != 0)
        return false;
    *depth = found;
    *normal = v3(direction.v[0], direction.v[1], direction.v[2]);
    return true;
}

#endif
