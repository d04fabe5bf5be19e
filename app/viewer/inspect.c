/* The chosen body as pages show it, in figures, with its joints, and changes of these figures. A change is made in all
 * worlds; the last ones can be taken back: what was changed gets the value it had. */
#include "app/viewer/commands.h"

#include <math.h>
#include <string.h>

static const double heaviest = 1e12, lightest = 1e-9; /* kg */

static void write_joint(ashi_json_text *json, const ash_world *world, ash_joint joint, uint32_t id)
{
    ash_joint_reaction reaction = ash_joint_get_reaction(world, joint, ASH_FRAME_WORLD);
    uint32_t kept = ash_joint_get_kept(world, joint);
    ashi_json_open(json, NULL, '{', false);
    ashi_json_count(json, "id", id);
    ashi_json_string(json, "kind", ash_joint_kind_name(ash_joint_get_kind(world, joint)));
    ashi_json_string(json, "name", ash_joint_get_name(world, joint));
    ashi_json_vector(json, "force", reaction.force);
    ashi_json_vector(json, "torque", reaction.torque);
    ashi_json_bool(json, "indeterminate", reaction.indeterminate);
    ashi_json_number(json, "error", ash_joint_get_error(world, joint).distance);
    ashi_json_open(json, "coordinates", '[', false);
    for (uint32_t freedom = 0; freedom < ASH_FREEDOMS; freedom++) {
        if ((kept >> freedom & 1) == 0)
            continue;
        ashi_json_open(json, NULL, '{', false);
        ashi_json_string(json, "freedom", ash_freedom_name((ash_freedom)freedom));
        ashi_json_number(json, "position", ash_joint_get_position(world, joint, (ash_freedom)freedom));
        ashi_json_number(json, "rate", ash_joint_get_rate(world, joint, (ash_freedom)freedom));
        ashi_json_number(json, "drive", reaction.drive[freedom]);
        ash_joint_axis axis = ash_joint_get_axis(world, joint, (ash_freedom)freedom);
        if (axis.motor.drive != ASH_DRIVE_OFF)
            ashi_json_number(json, "target", axis.motor.target);
        if (isfinite(axis.lower) && isfinite(axis.upper)) {
            ashi_json_number(json, "lower", axis.lower);
            ashi_json_number(json, "upper", axis.upper);
        }
        ashi_json_close(json);
    }
    ashi_json_close(json);
    ashi_json_close(json);
}

bool view_obey_inspect(view_order *order)
{
    const view_session *session = order->session;
    const ashi_instance *instance = &session->worlds[0].instance;
    const ash_world *world = instance->world;
    uint32_t number;
    if (!view_read_body(order, "body", false, &number))
        return false;
    ash_body body = instance->bodies[number];
    ash_transform frame = ash_body_get_transform(world, body);
    ashi_json_text json;
    view_begin_text(&json, "inspected");
    ashi_json_count(&json, "body", number + 1);
    ashi_json_number(&json, "mass", ash_body_get_mass(world, body).mass);
    ashi_json_vector(&json, "position", frame.position);
    ashi_json_vector(&json, "velocity", ash_body_get_velocity(world, body));
    ashi_json_vector(&json, "angular_velocity", ash_body_get_angular_velocity(world, body));
    ashi_json_number(&json, "energy", ash_body_get_kinetic_energy(world, body));
    ashi_json_vector(&json, "contact_force", ash_body_get_reaction(world, body).force);
    ashi_json_count(&json, "undo", session->changes.count);
    ashi_json_open(&json, "joints", '[', false);
    for (uint32_t i = 0; i < session->scene->joints.count; i++) {
        ash_joint joint = instance->joints[i];
        if (ash_joint_is_valid(world, joint) &&
            (ash_joint_get_body_a(world, joint).id == body.id || ash_joint_get_body_b(world, joint).id == body.id))
            write_joint(&json, world, joint, i + 1);
    }
    ashi_json_close(&json);
    view_send_text(order->answer, &json);
    return true;
}

static ash_status set_mass(ash_world *world, ash_body body, double mass, ash_diagnostic *diagnostic)
{
    ash_mass_properties now = ash_body_get_mass(world, body);
    double share = now.mass > 0 ? mass / now.mass : 1;
    ash_sym3 inertia = {now.inertia.xx * share, now.inertia.yy * share, now.inertia.zz * share,
                        now.inertia.xy * share, now.inertia.xz * share, now.inertia.yz * share};
    return ash_body_set_mass(world, body, mass, now.centre, inertia, diagnostic);
}

static ash_status set_value(ash_world *world, ash_body body, view_changed what, const ash_vec3 *value,
                            ash_diagnostic *diagnostic)
{
    ash_transform frame = ash_body_get_transform(world, body);
    frame.position = *value;
    switch (what) {
    case VIEW_CHANGED_MASS:
        return set_mass(world, body, value->x, diagnostic);
    case VIEW_CHANGED_POSITION:
        return ash_body_set_transform(world, body, frame);
    case VIEW_CHANGED_VELOCITY:
        return ash_body_set_velocity(world, body, *value);
    default:
        return ash_body_set_angular_velocity(world, body, *value);
    }
}

static ash_vec3 get_value(const ash_world *world, ash_body body, view_changed what)
{
    switch (what) {
    case VIEW_CHANGED_MASS:
        return (ash_vec3){ash_body_get_mass(world, body).mass, 0, 0};
    case VIEW_CHANGED_POSITION:
        return ash_body_get_transform(world, body).position;
    case VIEW_CHANGED_VELOCITY:
        return ash_body_get_velocity(world, body);
    default:
        return ash_body_get_angular_velocity(world, body);
    }
}

/* ---- joints ---- */

static ash_status set_target(ash_world *world, ash_joint joint, ash_freedom freedom, double value)
{
    ash_joint_axis axis = ash_joint_get_axis(world, joint, freedom);
    return ash_joint_set_motor(world, joint, freedom, axis.motor.drive, value, axis.motor.max_force);
}

static ash_status set_joint(const ashi_instance *instance, const view_change *change, double value,
                            ash_diagnostic *diagnostic)
{
    ash_joint joint = instance->joints[change->body];
    return change->what == VIEW_CHANGED_TARGET
               ? set_target(instance->world, joint, change->freedom, value)
               : view_turn_joint(instance->world, joint, change->freedom, value, diagnostic);
}

static double get_joint(const ashi_instance *instance, const view_change *change)
{
    ash_joint joint = instance->joints[change->body];
    return change->what == VIEW_CHANGED_TARGET
               ? ash_joint_get_axis(instance->world, joint, change->freedom).motor.target
               : ash_joint_get_position(instance->world, joint, change->freedom);
}

static bool is_of_joint(const view_change *change)
{
    return change->what >= VIEW_CHANGED;
}

/* Whether what is changed is there in all worlds. */
static bool is_there(const view_session *session, const view_change *change)
{
    for (uint32_t i = 0; i < session->world_count; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        if (is_of_joint(change)
                ? change->body >= session->scene->joints.count ||
                      !ash_joint_is_valid(instance->world, instance->joints[change->body])
                : change->body >= session->scene->bodies.count || !view_has_body(&session->worlds[i], change->body))
            return false;
    }
    return true;
}

static ash_status set_one(const ashi_instance *instance, const view_change *change, const ash_vec3 *value,
                          ash_diagnostic *diagnostic)
{
    return is_of_joint(change)
               ? set_joint(instance, change, value->x, diagnostic)
               : set_value(instance->world, instance->bodies[change->body], change->what, value, diagnostic);
}

/* In all worlds, or in none. */
static bool set_in_all(view_order *order, view_change *change, const ash_vec3 *values)
{
    view_session *session = order->session;
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < session->world_count; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        if (set_one(instance, change, &values[i], &diagnostic) == ASH_OK)
            continue;
        if (diagnostic.message[0] == 0)
            diagnostic = ash_world_get_last_diagnostic(instance->world);
        while (i-- > 0)
            set_one(&session->worlds[i].instance, change, &change->before[i], NULL);
        return view_refuse_by(order, &diagnostic);
    }
    for (uint32_t i = 0; i < session->world_count && !is_of_joint(change); i++)
        ash_body_wake(session->worlds[i].instance.world, session->worlds[i].instance.bodies[change->body]);
    view_touch(session);
    return true;
}

/* Makes a change and keeps it, so that it can be taken back. */
static bool make_change(view_order *order, view_change *change, ash_vec3 value)
{
    enum { CHANGES_MOST = 100 };
    view_session *session = order->session;
    ash_vec3 values[VIEW_WORLDS];
    for (uint32_t i = 0; i < session->world_count; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        change->before[i] = is_of_joint(change)
                                ? (ash_vec3){get_joint(instance, change), 0, 0}
                                : get_value(instance->world, instance->bodies[change->body], change->what);
        values[i] = value;
    }
    if (session->changes.count == CHANGES_MOST)
        memmove(session->changes.data, session->changes.data + 1, --session->changes.count * sizeof *change);
    if (!ashi_array_reserve(&session->changes, session->changes.count + 1))
        return view_refuse(order, "out of memory");
    if (!set_in_all(order, change, values))
        return false;
    session->changes.data[session->changes.count++] = *change;
    return true;
}

/* False after a refusal; `given` says whether the field was there. */
static bool read_value(view_order *order, view_changed what, bool *given, ash_vec3 *value)
{
    static const char *const keys[] = {"mass", "position", "velocity", "angular_velocity"};
    *given = view_has_field(order, keys[what]);
    if (what == VIEW_CHANGED_MASS)
        return view_read_number(order, keys[what], VIEW_OPTIONAL, lightest, heaviest, &value->x);
    return view_read_point(order, keys[what], VIEW_OPTIONAL, value);
}

bool view_obey_change(view_order *order)
{
    view_session *session = order->session;
    view_change change = {0};
    ash_vec3 value = {0, 0, 0};
    bool found = false;
    if (!view_read_body(order, "body", false, &change.body))
        return false;
    if (ash_body_get_type(session->worlds[0].instance.world, session->worlds[0].instance.bodies[change.body]) !=
        ASH_BODY_DYNAMIC)
        return view_refuse(order, "body %u is not dynamic (expected one that moves by itself)", change.body + 1);
    for (uint32_t what = 0; what < VIEW_CHANGED; what++) {
        bool given;
        ash_vec3 one = {0, 0, 0};
        if (!read_value(order, (view_changed)what, &given, &one))
            return false;
        if (given && found)
            return view_refuse(order,
                               "more than one figure (expected one of mass, position, velocity, angular_velocity)");
        if (given) {
            found = true;
            change.what = (view_changed)what;
            value = one;
        }
    }
    if (!found)
        return view_refuse(order, "nothing to change (expected mass, position, velocity or angular_velocity)");
    if (!is_there(session, &change))
        return view_refuse(order, "body %u is not in both worlds", change.body + 1);
    return make_change(order, &change, value);
}

/* The freedom of that name that the joint keeps. */
static bool read_freedom(view_order *order, const ash_world *world, ash_joint joint, ash_freedom *freedom)
{
    const char *name;
    if (!view_read_text(order, "freedom", VIEW_REQUIRED, &name))
        return false;
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++)
        if (strcmp(name, ash_freedom_name((ash_freedom)i)) == 0 && (ash_joint_get_kept(world, joint) >> i & 1) != 0) {
            *freedom = (ash_freedom)i;
            return true;
        }
    return view_refuse(order, "the joint has no freedom \"%.60s\"", name);
}

bool view_obey_turn(view_order *order)
{
    enum { FARTHEST = 1000000 };
    view_session *session = order->session;
    const ashi_instance *instance = &session->worlds[0].instance;
    view_change change = {0};
    double id = 0;
    ash_vec3 value = {0, 0, 0};
    bool moves = view_has_field(order, "position");
    if (!view_read_number(order, "joint", VIEW_REQUIRED, 1, session->scene->joints.count, &id))
        return false;
    if (moves == view_has_field(order, "target"))
        return view_refuse(order, "expected one of position and target");
    change.body = (uint32_t)id - 1;
    change.what = moves ? VIEW_CHANGED_COORDINATE : VIEW_CHANGED_TARGET;
    if (!is_there(session, &change))
        return view_refuse(order, "joint %u is not in both worlds", change.body + 1);
    ash_joint joint = instance->joints[change.body];
    if (!read_freedom(order, instance->world, joint, &change.freedom) ||
        !view_read_number(order, moves ? "position" : "target", VIEW_REQUIRED, -FARTHEST, FARTHEST, &value.x))
        return false;
    if (!moves && ash_joint_get_axis(instance->world, joint, change.freedom).motor.drive == ASH_DRIVE_OFF)
        return view_refuse(order, "the joint has no motor there");
    return make_change(order, &change, value);
}

bool view_obey_undo(view_order *order)
{
    view_session *session = order->session;
    while (session->changes.count > 0) {
        view_change change = session->changes.data[--session->changes.count];
        if (is_there(session, &change)) /* else it was deleted meanwhile: the one before */
            return set_in_all(order, &change, change.before);
    }
    return view_refuse(order, "no change to take back");
}
