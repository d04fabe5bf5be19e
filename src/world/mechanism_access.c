/* The dynamics of mechanisms behind their public interface: every call checks that the mechanism is still that of the
 * world.
 */
#include "ashlar/mechanism.h"
#include "mechanism/mechanism.h"
#include "world/world.h"

#include <string.h>

struct ash_mechanism {
    ash_world *world;
    ashi_linkage *own;
};

ash_status ash_mechanism_create(ash_world *world, ash_mechanism **mechanism, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    if (mechanism == NULL || world == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "mechanism.null", "the world or the place for it is null");
    *mechanism = NULL;
    ash_mechanism *made = ashi_alloc_zeroed(sizeof *made);
    if (made != NULL) {
        made->world = world;
        made->own = ashi_linkage_create(&world->model, &own);
    } else
        ashi_out_of_memory(&own);
    if (made == NULL || made->own == NULL) {
        ashi_dealloc(made);
        if (diagnostic != NULL)
            *diagnostic = own;
        return ashi_world_note(world, &own);
    }
    *mechanism = made;
    return ASH_OK;
}

void ash_mechanism_destroy(ash_mechanism *mechanism)
{
    if (mechanism != NULL)
        ashi_linkage_destroy(mechanism->own);
    ashi_dealloc(mechanism);
}

/* ASH_OK if the mechanism and the arguments are usable. */
static ash_status check(const ash_mechanism *mechanism, bool usable, const char *call)
{
    if (ashi_linkage_is_outdated(mechanism->own))
        return ashi_world_misuse(mechanism->world, ASH_BAD_HANDLE, "mechanism.outdated",
                                 "%s: bodies or joints were added, removed or switched", call);
    return usable ? ASH_OK
                  : ashi_world_misuse(mechanism->world, ASH_BAD_ARGUMENT, "mechanism.argument",
                                      "%s: an argument is null or not finite", call);
}

static bool finite(const double *values, uint32_t count)
{
    for (uint32_t i = 0; values != NULL && i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

ash_mechanism_size ash_mechanism_get_size(const ash_mechanism *mechanism)
{
    const ashi_linkage *m = mechanism->own;
    return (ash_mechanism_size){m->position_count, m->rate_count, m->link_count, m->loop_count, m->row_count};
}

uint32_t ash_mechanism_get_coordinates(const ash_mechanism *mechanism, ash_mechanism_coordinate *coordinates,
                                       uint32_t capacity)
{
    const ashi_linkage *m = mechanism->own;
    if (check(mechanism, true, __func__) != ASH_OK)
        return 0;
    for (uint32_t i = 0; i < m->rate_count && i < capacity; i++) {
        const ashi_motion_axis *axis = &m->axes[i];
        uint32_t joint = m->links[axis->link].joint;
        coordinates[i] = (ash_mechanism_coordinate){
            .body = {m->handles[axis->link]},
            .joint = {joint != ASHI_NO_SLOT ? ashi_pool_handle(&m->model->joints.pool, joint) : 0},
            .freedom = axis->freedom,
            .position = axis->position,
            .quaternion = axis->form == ASHI_MOTION_BALL};
    }
    return m->rate_count;
}

ash_status ash_mechanism_look(ash_mechanism *mechanism)
{
    ash_status status = check(mechanism, true, __func__);
    if (status != ASH_OK)
        return status;
    ashi_linkage_look(mechanism->own);
    ashi_linkage_update(mechanism->own);
    return ASH_OK;
}

ash_status ash_mechanism_get_state(const ash_mechanism *mechanism, double *positions, double *rates)
{
    const ashi_linkage *m = mechanism->own;
    ash_status status = check(mechanism, true, __func__);
    if (status == ASH_OK && positions != NULL)
        memcpy(positions, m->positions, m->position_count * sizeof *positions);
    if (status == ASH_OK && rates != NULL)
        memcpy(rates, m->rates, m->rate_count * sizeof *rates);
    return status;
}

ash_status ash_mechanism_set_state(ash_mechanism *mechanism, const double *positions, const double *rates)
{
    ashi_linkage *m = mechanism->own;
    bool usable = finite(positions, m->position_count) && finite(rates, m->rate_count);
    ash_status status = check(mechanism, usable, __func__);
    if (status != ASH_OK)
        return status;
    if (positions != NULL) { /* tried on a copy, so that a bad quaternion changes nothing */
        memcpy(m->stage, positions, m->position_count * sizeof *positions);
        if (!ashi_linkage_normalize(m->stage, m))
            return check(mechanism, false, __func__);
        memcpy(m->positions, m->stage, m->position_count * sizeof *positions);
    }
    if (rates != NULL)
        memcpy(m->rates, rates, m->rate_count * sizeof *rates);
    ashi_linkage_update(m);
    return ASH_OK;
}

ash_status ash_mechanism_apply(ash_mechanism *mechanism)
{
    ashi_linkage *m = mechanism->own;
    ash_world *world = mechanism->world;
    ash_status status = check(mechanism, true, __func__);
    if (status != ASH_OK)
        return status;
    ashi_bodies *b = &world->model.bodies;
    ashi_world_note_change(world);
    ashi_sleep_wake_all(b);
    for (uint32_t i = 0; i < m->link_count; i++) {
        uint32_t body = m->links[i].body;
        b->now.position[body] = m->state.position[body];
        b->now.rotation[body] = m->state.rotation[body];
        b->now.velocity[body] = m->state.velocity[body];
        b->now.spin[body] = m->state.spin[body];
    }
    for (uint32_t i = 0; i < m->rate_count; i++) { /* angles are counted from the new positions */
        const ashi_motion_axis *axis = &m->axes[i];
        uint32_t joint = m->links[axis->link].joint;
        if (joint != ASHI_NO_SLOT && axis->form != ASHI_MOTION_BALL)
            world->model.joints.entries.data[joint].turn[axis->freedom] = m->positions[axis->position];
    }
    return ASH_OK;
}

ash_transform ash_mechanism_get_transform(const ash_mechanism *mechanism, ash_body body)
{
    const ashi_linkage *m = mechanism->own;
    uint32_t slot = ashi_world_body(mechanism->world, body, __func__);
    if (slot == ASHI_NO_SLOT || check(mechanism, true, __func__) != ASH_OK || m->link_of[slot] == ASHI_NO_LINK)
        return ash_body_get_transform(mechanism->world, body);
    return m->pose[m->link_of[slot]];
}

ash_status ash_mechanism_get_mass_matrix(ash_mechanism *mechanism, double *matrix)
{
    ash_status status = check(mechanism, matrix != NULL, __func__);
    if (status == ASH_OK)
        ashi_linkage_mass_matrix(mechanism->own, matrix);
    return status;
}

ash_status ash_mechanism_get_bias(ash_mechanism *mechanism, double *bias)
{
    ash_status status = check(mechanism, bias != NULL, __func__);
    if (status == ASH_OK)
        ashi_linkage_inverse(mechanism->own, NULL, bias);
    return status;
}

ash_status ash_mechanism_inverse_dynamics(ash_mechanism *mechanism, const double *accelerations, double *forces)
{
    bool usable = accelerations != NULL && forces != NULL && finite(accelerations, mechanism->own->rate_count);
    ash_status status = check(mechanism, usable, __func__);
    if (status == ASH_OK)
        ashi_linkage_inverse(mechanism->own, accelerations, forces);
    return status;
}

static ash_status no_inertia(const ash_mechanism *mechanism, const char *call)
{
    return ashi_world_misuse(mechanism->world, ASH_NUMERICS, "mechanism.inertia",
                             "%s: a coordinate moves no mass, or a number overflowed", call);
}

ash_status ash_mechanism_forward_dynamics(ash_mechanism *mechanism, const double *forces, double *accelerations)
{
    bool usable = accelerations != NULL && finite(forces, mechanism->own->rate_count);
    ash_status status = check(mechanism, usable, __func__);
    if (status != ASH_OK)
        return status;
    return ashi_linkage_forward(mechanism->own, forces, accelerations) ? ASH_OK : no_inertia(mechanism, __func__);
}

ash_status ash_mechanism_get_jacobian(ash_mechanism *mechanism, ash_body body, ash_vec3 point, double *jacobian)
{
    uint32_t slot = ashi_world_body(mechanism->world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ash_status status = check(mechanism, v3_is_finite(point) && jacobian != NULL, __func__);
    if (status == ASH_OK)
        ashi_linkage_jacobian(mechanism->own, slot, point, jacobian);
    return status;
}

ash_status ash_mechanism_step(ash_mechanism *mechanism, const double *forces, double h)
{
    bool usable = h > 0 && isfinite(h) && finite(forces, mechanism->own->rate_count);
    ash_status status = check(mechanism, usable, __func__);
    if (status != ASH_OK)
        return status;
    return ashi_linkage_step(mechanism->own, forces, h) ? ASH_OK : no_inertia(mechanism, __func__);
}
