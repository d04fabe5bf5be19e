/* Springs in debug geometry: a line from end to end, with their force. */
#include "world/debug.h"

#include <math.h>

static ash_vec3 point_on(const ashi_bodies *bodies, uint32_t body, ash_vec3 arm)
{
    return v3_add(bodies->now.position[body], q_rotate(bodies->now.rotation[body], arm));
}

/* A spring along the travel of a joint: a suspension, a slider, a rod. */
static void draw_joint_spring(const ashi_drawing *d, const ashi_joint_entry *joint)
{
    const ashi_bodies *bodies = &d->world->model.bodies;
    if (!joint->enabled || joint->axes == NULL || !(joint->axes[ASH_MOVE_X].stiffness > 0))
        return;
    ashi_draw_line(d, point_on(bodies, joint->body_a, joint->arm_a), point_on(bodies, joint->body_b, joint->arm_b),
                   ASH_DEBUG_SPRINGS, fabs(joint->force[ASHI_SPRING_KEY + ASH_MOVE_X]));
}

void ashi_draw_springs(const ashi_drawing *d)
{
    const ashi_model *model = &d->world->model;
    const ashi_bodies *bodies = &model->bodies;
    for (uint32_t i = 0; i < model->forces.springs.count; i++) {
        const ashi_spring *s = &model->forces.springs.data[i];
        if (s->head.enabled)
            ashi_draw_line(d, point_on(bodies, s->body_a, s->arm_a), point_on(bodies, s->body_b, s->arm_b),
                           ASH_DEBUG_SPRINGS, fabs(ashi_spring_tension(s, &bodies->now)));
    }
    for (uint32_t i = 0; i < model->forces.pulls.count; i++) {
        const ashi_pull *p = &model->forces.pulls.data[i];
        if (p->head.enabled)
            ashi_draw_line(d, point_on(bodies, p->body, p->arm), p->target, ASH_DEBUG_SPRINGS, v3_norm(p->force));
    }
    for (uint32_t i = 0; i < model->joints.entries.count; i++)
        if (ashi_pool_in_use(&model->joints.pool, i))
            draw_joint_spring(d, &model->joints.entries.data[i]);
}
