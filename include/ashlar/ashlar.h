/* Ashlar: rigid multibody dynamics that reports its own error.
 *
 * This header includes the whole public interface. SI units, z up, right-handed, quaternions (w, x, y, z). */
#ifndef ASHLAR_ASHLAR_H
#define ASHLAR_ASHLAR_H

#include "ashlar/array.h"
#include "ashlar/base.h"
#include "ashlar/batch.h"
#include "ashlar/body.h"
#include "ashlar/contact.h"
#include "ashlar/debug.h"
#include "ashlar/force.h"
#include "ashlar/geometry.h"
#include "ashlar/joint.h"
#include "ashlar/material.h"
#include "ashlar/mechanism.h"
#include "ashlar/method.h"
#include "ashlar/problem.h"
#include "ashlar/query.h"
#include "ashlar/scene.h"
#include "ashlar/vector.h"
#include "ashlar/world.h"

#endif
