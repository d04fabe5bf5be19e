/* Checks of bodies and shapes, for their creation and for snapshots. */
#ifndef ASHI_WORLD_BODY_CHECK_H
#define ASHI_WORLD_BODY_CHECK_H

#include "ashlar/body.h"
#include "model/materials.h"

/* The numbers of a definition. */
ash_status ashi_check_body(const ash_body_def *def, bool planar, ash_diagnostic *diagnostic);
/* Shape number `index` of a body. */
ash_status ashi_check_shape(const ashi_materials *materials, const ash_shape_def *shape, uint32_t index, bool planar,
                            ash_diagnostic *diagnostic);
/* Checks that a dynamic body has inertia about each axis about which it may turn. */
ash_status ashi_check_dynamic(const ash_mass_properties *mass, uint32_t locks, bool planar, ash_diagnostic *diagnostic);
/* Checks that principal moments and axes are those of the inertia, and physically possible. */
ash_status ashi_check_mass(const ash_mass_properties *mass, ash_diagnostic *diagnostic);

#endif
