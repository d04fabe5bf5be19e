/* A scene whose joints are closed: its world is assembled, and the bodies' new places go back into the description. */
#ifndef ASHI_SCENE_ASSEMBLE_H
#define ASHI_SCENE_ASSEMBLE_H

#include "scene/description/description.h"

/* How far a joint was open, and is. */
typedef struct ashi_joint_closing {
    uint32_t joint; /* number in the scene */
    ash_joint_error before, after;
    bool open; /* beyond the tolerance still */
} ashi_joint_closing;

typedef struct ashi_closed_scene {
    ash_assembly_report report;
    ashi_joint_closing *joints; /* one for each enabled joint of the scene */
    uint32_t joint_count;
    uint32_t moved_bodies; /* whose place in the description is another now */
} ashi_closed_scene;

/* Changes places and velocities of the scene's bodies. ASH_BAD_DATA with the joints in the diagnostic when some cannot
 * close: the scene then has the places where the errors are least. After any other failure it is as before. On success
 * and on ASH_BAD_DATA the assembly is to be released. */
ash_status ashi_scene_assemble(ash_scene *scene, double tolerance, ashi_closed_scene *assembly,
                               ash_diagnostic *diagnostic);
void ashi_assembly_release(ashi_closed_scene *assembly);

#endif
