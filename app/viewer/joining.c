/* Joints and springs that pages connect bodies by. In a second world, where bodies are elsewhere, a joint is at the
 * same place of body a, and closed there as well. */
#include <math.h>
#include <string.h>

#include "app/viewer/edit.h"
#include "math/quat.h"
#include "math/transform.h"
#include "scene/description/names.h"

static const double spring_frequency = 12, spring_damping_ratio = 0.15; /* rad/s */
static const double spring_of_step = 0.3;                               /* omega h at most */
static const double stiffest = 1e9;                                     /* N/m, N s/m */

/* Those that a point and an axis make, and two that go from one point to another. */
static const ash_joint_kind joint_kinds[] = {
    ASH_JOINT_BALL,           ASH_JOINT_HINGE,     ASH_JOINT_FIXED,         ASH_JOINT_SLIDER,   ASH_JOINT_CYLINDRICAL,
    ASH_JOINT_PLANAR,         ASH_JOINT_UNIVERSAL, ASH_JOINT_POINT_ON_LINE, ASH_JOINT_PARALLEL, ASH_JOINT_COMMON_AXIS,
    ASH_JOINT_POINT_ON_PLANE, ASH_JOINT_ROPE,      ASH_JOINT_DISTANCE,
};
enum { JOINT_KINDS = sizeof joint_kinds / sizeof *joint_kinds };

static bool read_joint_kind(view_order *order, ash_joint_kind *kind)
{
    const char *name, *names[JOINT_KINDS];
    char list[256], hint[96];
    if (!view_read_text(order, "kind", VIEW_REQUIRED, &name))
        return false;
    for (uint32_t i = 0; i < JOINT_KINDS; i++) {
        names[i] = ash_joint_kind_name(joint_kinds[i]);
        *kind = joint_kinds[i];
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return view_refuse(order, "\"kind\" is \"%.60s\"%s (expected %s)", name,
                       ashi_did_you_mean(name, names, JOINT_KINDS, hint, sizeof hint),
                       ashi_words_text((ashi_words){names, JOINT_KINDS}, list, sizeof list));
}

static ash_body handle_of(const ashi_instance *instance, uint32_t body)
{
    return body == ASHI_NONE ? ash_world_get_background(instance->world) : instance->bodies[body];
}

/* What stands for the body in the description. */
static ash_body reference_to(uint32_t body)
{
    return body == ASHI_NONE ? (ash_body){0} : ashi_scene_body_ref(body);
}

/* Two different bodies, of which one at most is the background. */
static bool read_pair(view_order *order, uint32_t *a, uint32_t *b)
{
    return view_read_body(order, "a", true, a) && view_read_body(order, "b", true, b) &&
           (*a != *b || view_refuse(order, "\"a\" and \"b\" are the same body (expected two)"));
}

/* Planar worlds know no height. */
static void flatten(const view_order *order, ash_vec3 *point)
{
    if (order->session->scene->planar)
        point->z = 0;
}

typedef struct joint_wish {
    ash_joint_def def;
    uint32_t a, b; /* bodies by number */
    ash_vec3 point, point_b, axis;
} joint_wish;

/* Where the joint is in another world: at the same place of body a. */
static void carry_over(const view_session *session, uint32_t world, joint_wish *wish)
{
    if (world == 0)
        return;
    const ashi_instance *from = &session->worlds[0].instance, *to = &session->worlds[world].instance;
    ash_transform old = ash_body_get_transform(from->world, handle_of(from, wish->a));
    ash_transform now = ash_body_get_transform(to->world, handle_of(to, wish->a));
    wish->point = t_point(now, t_point_inverse(old, wish->point));
    wish->point_b =
        ash_body_point_to_world(to->world, handle_of(to, wish->b),
                                ash_body_point_to_local(from->world, handle_of(from, wish->b), wish->point_b));
    wish->axis = q_rotate(now.rotation, q_unrotate(old.rotation, wish->axis));
}

/* The definition for a world. */
static ash_status place_joint(const view_session *session, uint32_t world, joint_wish wish, ash_joint_def *def)
{
    const ashi_instance *instance = &session->worlds[world].instance;
    carry_over(session, world, &wish);
    *def = wish.def;
    def->body_a = handle_of(instance, wish.a);
    def->body_b = handle_of(instance, wish.b);
    ash_status status = ash_joint_def_place(instance->world, def, wish.point, wish.axis);
    if (def->kind == ASH_JOINT_ROPE || def->kind == ASH_JOINT_DISTANCE)
        def->frame_b.position = ash_body_point_to_local(instance->world, def->body_b, wish.point_b);
    return status;
}

static bool make_joint(view_order *order, const joint_wish *wish)
{
    view_session *session = order->session;
    uint32_t number = session->scene->joints.count - 1;
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < session->world_count; i++) {
        ashi_instance *instance = &session->worlds[i].instance;
        ash_joint_def def;
        ash_status status = ASH_OUT_OF_MEMORY;
        ashi_out_of_memory(&diagnostic);
        if (view_extend_handles(&instance->joints, number)) {
            instance->joint_count = number + 1;
            status = place_joint(session, i, *wish, &def);
            if (status != ASH_OK)
                diagnostic = ash_world_get_last_diagnostic(instance->world);
        }
        if (status == ASH_OK)
            status = ash_joint_create(instance->world, &def, &instance->joints[number], &diagnostic);
        if (status == ASH_OK)
            continue;
        for (uint32_t k = 0; k <= i; k++) {
            if (k < i)
                ash_joint_destroy(session->worlds[k].instance.world, session->worlds[k].instance.joints[number]);
            session->worlds[k].instance.joint_count = number;
        }
        return view_refuse_by(order, &diagnostic);
    }
    return true;
}

bool view_obey_join(view_order *order)
{
    view_session *session = order->session;
    view_base before = view_counts(session->scene);
    ash_joint_kind kind;
    joint_wish wish = {.axis = {0, 0, 1}};
    if (!read_joint_kind(order, &kind) || !read_pair(order, &wish.a, &wish.b) ||
        !view_read_point(order, "point", VIEW_REQUIRED, &wish.point) ||
        !view_read_point(order, "axis", VIEW_OPTIONAL, &wish.axis) || view_is_full(order))
        return false;
    wish.point_b = wish.point;
    if (!view_read_point(order, "point_b", VIEW_OPTIONAL, &wish.point_b))
        return false;
    flatten(order, &wish.point);
    flatten(order, &wish.point_b);
    if (!(v3_norm(wish.axis) > 1e-9))
        return view_refuse(order, "\"axis\" has no direction (expected a vector that is not 0)");
    wish.def = ash_default_joint_def(kind);
    wish.def.length = -1;
    ash_joint_def described;
    if (place_joint(session, 0, wish, &described) != ASH_OK)
        return view_refuse(order, "the joint cannot be placed there");
    described.body_a = reference_to(wish.a);
    described.body_b = reference_to(wish.b);
    if (ashi_scene_add_joint(session->scene, &described) == ASHI_NONE)
        return view_undo_adding(order, &before);
    if (!make_joint(order, &wish)) {
        view_truncate(session->scene, &before);
        return false;
    }
    return view_edited(order);
}

/* ---- springs ---- */

/* Stiffness and damping that suit what hangs on the spring: a swing of some frequency, slow enough for the step. */
static void tune(const view_session *session, uint32_t a, uint32_t b, ash_spring_def *def)
{
    const ashi_instance *instance = &session->worlds[0].instance;
    double w = 0;
    const uint32_t ends[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (ends[i] != ASHI_NONE && ash_body_get_type(instance->world, instance->bodies[ends[i]]) == ASH_BODY_DYNAMIC)
            w += 1 / ash_body_get_mass(instance->world, instance->bodies[ends[i]]).mass;
    double omega = fmin(spring_frequency, spring_of_step / session->clock.h), mass = w > 0 ? 1 / w : 1;
    def->stiffness = mass * omega * omega;
    def->damping = 2 * spring_damping_ratio * mass * omega;
}

static bool make_spring(view_order *order, uint32_t a, uint32_t b, ash_spring_def def)
{
    view_session *session = order->session;
    uint32_t number = session->scene->forces.count - 1;
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < session->world_count; i++) {
        ashi_instance *instance = &session->worlds[i].instance;
        ash_status status = ASH_OUT_OF_MEMORY;
        ashi_out_of_memory(&diagnostic);
        def.body_a = handle_of(instance, a);
        def.body_b = handle_of(instance, b);
        if (view_extend_handles(&instance->forces, number))
            status = ash_spring_create(instance->world, &def, &instance->forces[number], &diagnostic);
        if (status == ASH_OK)
            continue;
        while (i-- > 0)
            ash_force_destroy(session->worlds[i].instance.world, session->worlds[i].instance.forces[number]);
        return view_refuse_by(order, &diagnostic);
    }
    return true;
}

bool view_obey_spring(view_order *order)
{
    view_session *session = order->session;
    const ashi_instance *instance = &session->worlds[0].instance;
    view_base before = view_counts(session->scene);
    uint32_t a, b;
    ash_vec3 point_a, point_b;
    ash_spring_def def = ash_default_spring_def();
    if (!read_pair(order, &a, &b) || !view_read_point(order, "point_a", VIEW_REQUIRED, &point_a) ||
        !view_read_point(order, "point_b", VIEW_REQUIRED, &point_b) || view_is_full(order))
        return false;
    tune(session, a, b, &def);
    if (!view_read_number(order, "stiffness", VIEW_OPTIONAL, 0, stiffest, &def.stiffness) ||
        !view_read_number(order, "damping", VIEW_OPTIONAL, 0, stiffest, &def.damping))
        return false;
    flatten(order, &point_a);
    flatten(order, &point_b);
    def.point_a = ash_body_point_to_local(instance->world, handle_of(instance, a), point_a);
    def.point_b = ash_body_point_to_local(instance->world, handle_of(instance, b), point_b);
    def.rest_length = -1;
    def.body_a = reference_to(a);
    def.body_b = reference_to(b);
    if (ashi_scene_add_spring(session->scene, &def) == ASHI_NONE)
        return view_undo_adding(order, &before);
    if (!make_spring(order, a, b, def)) {
        view_truncate(session->scene, &before);
        return false;
    }
    return view_edited(order);
}
