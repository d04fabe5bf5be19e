/* The largest values of a world's state. */
#include <math.h>

#include "app/picture/look.h"
#include "base/alloc.h"
#include "world/world.h"

static double fastest(const ashi_bodies *bodies)
{
    double most = 0;
    for (uint32_t i = 1; i < ashi_body_slots(bodies); i++)
        if (ashi_pool_in_use(&bodies->pool, i))
            most = fmax(most, v3_norm(bodies->now.velocity[i]));
    return most;
}

static double largest_force(const ash_world *world)
{
    const ashi_contact_set *contacts = &world->collision.now;
    const ashi_joints *joints = &world->model.joints;
    double most = 0;
    for (uint32_t i = 0; i < contacts->points.count; i++)
        most = fmax(most, v3_norm(contacts->points.data[i].force));
    for (uint32_t i = 0; i < joints->entries.count; i++)
        for (uint32_t key = ASHI_DRIVE_KEY; key < ASHI_SPRING_KEY; key++)
            most = fmax(most, fabs(joints->entries.data[i].force[key]));
    return most;
}

bool cli_scales_add(cli_look *look, const ash_world *world)
{
    const ashi_bodies *bodies = &world->model.bodies;
    uint32_t count = ashi_body_slots(bodies);
    look->scales.speed = fmax(look->scales.speed, fastest(bodies));
    look->scales.force = fmax(look->scales.force, largest_force(world));
    if (look->tint == CLI_TINT_BODY)
        return true;
    float *values = ashi_alloc_array(count, sizeof *values);
    uint32_t *work = ashi_alloc_array(count, sizeof *work);
    bool done = values != NULL && work != NULL;
    if (done) {
        cli_tint_values(world, look->tint, values, work);
        for (uint32_t i = 1; i < count; i++)
            if (ashi_pool_in_use(&bodies->pool, i) && bodies->info[i].type == ASH_BODY_DYNAMIC)
                look->scales.tint = fmax(look->scales.tint, (double)values[i]);
    }
    ashi_dealloc(values);
    ashi_dealloc(work);
    return done;
}
