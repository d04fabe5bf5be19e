/* A joint that is being drawn. */
#ifndef ASHI_WORLD_DEBUG_JOINT_VIEW_H
#define ASHI_WORLD_DEBUG_JOINT_VIEW_H

#include "world/debug.h"

/* A joint at the present state. */
typedef struct ashi_joint_view {
    const ashi_drawing *drawing;
    const ashi_joint_entry *joint;
    ash_transform a, b; /* its frames in the world */
    double error;       /* m */
    double size;        /* of arrows, m */
    bool planar;
} ashi_joint_view;

static inline bool ashi_view_keeps(const ashi_joint_view *view, ash_freedom freedom)
{
    return (view->joint->kept & ASH_FREEDOM_BIT(freedom)) != 0;
}

void ashi_draw_limits(const ashi_joint_view *view);

#endif
