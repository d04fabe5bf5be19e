/* Bodies held by the mouse: a spring and damper from a point of the body to where the mouse points (Gribel 2009, 4.5),
 * a pull of each world.
 *
 * Seen from the point, the body has the mass 1/w along the direction in which it gives way most easily: w is the
 * largest row sum of 1/m - [r] I^-1 [r], which bounds its largest eigenvalue. With stiffness omega^2/w and damping
 * 2 omega/w the pull is critically damped there and slower elsewhere. An explicit step of h is stable for
 * (omega h)^2 + 4 omega h < 4; omega h is at most 0.4. Letting go leaves the body its velocity: that is how to throw.
 */
#include <math.h>

#include "app/viewer/commands.h"
#include "world/world.h"

static const double quickest = 30;       /* rad/s */
static const double of_step = 0.4;       /* omega h at most */
static const double acceleration = 1000; /* m/s2 that a pull gives at most */

/* What a unit force at the arm does to the velocity there: the largest row sum. */
static double give(const ashi_bodies *bodies, uint32_t slot, ash_vec3 arm)
{
    const ash_sym3 inverse = bodies->rotor[slot].inverse;
    const ash_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double most = 0;
    for (int i = 0; i < 3; i++) {
        ash_vec3 column = v3_cross(s3_apply(inverse, v3_cross(arm, axes[i])), arm);
        column = v3_add_scaled(column, axes[i], bodies->inertial[slot].inverse_mass);
        most = fmax(most, fabs(column.x) + fabs(column.y) + fabs(column.z));
    }
    return most;
}

static ash_pull_def pull_of(const ash_world *world, ash_body body, const view_grab *grab, double h)
{
    const ashi_bodies *bodies = &world->model.bodies;
    uint32_t slot = ashi_pool_slot_of(&bodies->pool, body.id);
    double w = give(bodies, slot, ashi_arm(bodies, slot, grab->point)), omega = fmin(quickest, of_step / h);
    ash_pull_def def = ash_default_pull_def();
    def.body = body;
    def.point = grab->point;
    def.target = grab->target;
    def.stiffness = omega * omega / w;
    def.damping = 2 * omega / w;
    def.max_force = acceleration * bodies->inertial[slot].mass;
    return def;
}

static view_grab *grab_of(view_session *session, uint32_t client)
{
    for (uint32_t i = 0; i < session->grabs.count; i++)
        if (session->grabs.data[i].client == client)
            return &session->grabs.data[i];
    return NULL;
}

static void let_go(view_session *session, view_grab *grab)
{
    for (uint32_t i = 0; i < session->world_count; i++)
        if (ash_force_is_valid(session->worlds[i].instance.world, grab->pulls[i]))
            ash_force_destroy(session->worlds[i].instance.world, grab->pulls[i]);
    *grab = session->grabs.data[--session->grabs.count];
    view_hand_ends(session);
    view_touch(session);
}

/* Pulls in all worlds, or in none. */
static bool take_hold(view_order *order, view_grab *grab)
{
    view_session *session = order->session;
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < session->world_count; i++) {
        ashi_instance *instance = &session->worlds[i].instance;
        ash_body body = instance->bodies[grab->body];
        ash_body_wake(instance->world, body);
        ash_pull_def def = pull_of(instance->world, body, grab, session->clock.h);
        if (ash_pull_create(instance->world, &def, &grab->pulls[i], &diagnostic) == ASH_OK)
            continue;
        while (i-- > 0)
            ash_force_destroy(session->worlds[i].instance.world, grab->pulls[i]);
        return view_refuse_by(order, &diagnostic);
    }
    return true;
}

bool view_obey_grab(view_order *order)
{
    view_session *session = order->session;
    view_grab grab = {.client = order->client};
    uint32_t seen;
    if (!view_read_body(order, "body", false, &grab.body) ||
        !view_read_point(order, "point", VIEW_REQUIRED, &grab.target) || !view_read_world(order, &seen))
        return false;
    for (uint32_t i = 0; i < session->world_count; i++)
        if (ash_body_get_type(session->worlds[i].instance.world, session->worlds[i].instance.bodies[grab.body]) !=
            ASH_BODY_DYNAMIC)
            return view_refuse(order, "body %u cannot be pulled (expected a dynamic one)", grab.body + 1);
    if (session->scene->planar)
        grab.target.z = 0;
    const ashi_instance *instance = &session->worlds[seen].instance;
    grab.point = ash_body_point_to_local(instance->world, instance->bodies[grab.body], grab.target);
    view_grab *held = grab_of(session, order->client);
    if (held != NULL)
        let_go(session, held);
    if (!ashi_array_reserve(&session->grabs, (uint64_t)session->grabs.count + 1))
        return view_refuse(order, "out of memory");
    if (!take_hold(order, &grab))
        return false;
    session->grabs.data[session->grabs.count++] = grab;
    view_touch(session);
    return true;
}

bool view_obey_drag(view_order *order)
{
    view_session *session = order->session;
    view_grab *grab = grab_of(session, order->client);
    ash_vec3 point;
    if (!view_read_point(order, "point", VIEW_REQUIRED, &point))
        return false;
    if (grab == NULL)
        return view_refuse(order, "nothing is held that could be dragged");
    grab->target = (ash_vec3){point.x, point.y, session->scene->planar ? 0 : point.z};
    bool any = false;
    for (uint32_t i = 0; i < session->world_count; i++) {
        ashi_instance *instance = &session->worlds[i].instance;
        if (!ash_force_is_valid(instance->world, grab->pulls[i]))
            continue; /* the body is gone, and its pull with it */
        ash_pull_set_target(instance->world, grab->pulls[i], grab->target);
        ash_body_wake(instance->world, instance->bodies[grab->body]);
        any = true;
    }
    session->dragged = session->changed = true;
    if (any)
        return true;
    let_go(session, grab);
    return view_refuse(order, "the body that was held is gone");
}

bool view_obey_drop(view_order *order)
{
    view_grab *grab = grab_of(order->session, order->client);
    if (grab != NULL)
        let_go(order->session, grab);
    return true;
}

void view_session_leave(view_session *session, uint32_t client)
{
    view_grab *grab = grab_of(session, client);
    if (grab != NULL)
        let_go(session, grab);
}

/* Whether the force is one of the scene's, and not a page's. */
static bool is_of_scene(const view_session *session, const ashi_instance *instance, ash_force force)
{
    for (uint32_t i = 0; i < session->scene->forces.count; i++)
        if (instance->forces[i].id == force.id)
            return true;
    return false;
}

void view_grabs_forget(view_session *session)
{
    session->grabs.count = 0;
    view_hand_ends(session);
    for (uint32_t k = 0; k < session->world_count; k++) {
        const ashi_instance *instance = &session->worlds[k].instance;
        const ashi_forces *forces = &instance->world->model.forces;
        for (uint32_t i = forces->pulls.count; i-- > 0;) {
            ash_force force = {ashi_pool_handle(&forces->pool, forces->pulls.data[i].head.owner)};
            if (!is_of_scene(session, instance, force))
                ash_force_destroy(instance->world, force);
        }
    }
}
