/* Bodies that pages add to running worlds, and what they delete; joining.c has joints and springs.
 *
 * Everything that is added stands at the end of the session's description and has its number there, so that events,
 * outputs, frames and exports know it like the scene's own. It is made in all worlds or in none. What is deleted stays
 * in the description without being in the worlds, so that ids never change. */
#include <math.h>
#include <string.h>

#include "app/viewer/edit.h"
#include "math/elementary.h"
#include "scene/instance/object.h"
#include "world/world.h"

enum { ADDED_MOST = 10000, CORNERS = 6 };
static const double smallest = 1e-3, largest = 1e3; /* m, of what is added */

bool view_is_full(view_order *order)
{
    const view_session *session = order->session;
    uint32_t added = session->scene->bodies.count - session->base.bodies + session->scene->joints.count -
                     session->base.joints + session->scene->forces.count - session->base.forces;
    return added >= ADDED_MOST &&
           !view_refuse(order, "%u objects were added already (expected fewer than %d until reset)", added, ADDED_MOST);
}

bool view_undo_adding(view_order *order, const view_base *before)
{
    view_truncate(order->session->scene, before);
    order->session->scene->failure = ASH_OK;
    return view_refuse(order, "out of memory");
}

bool view_extend_handles(void *array, uint32_t count)
{
    uint64_t **handles = array, *longer = ashi_realloc(*handles, ((size_t)count + 1) * sizeof **handles);
    if (longer == NULL)
        return false;
    longer[count] = 0;
    *handles = longer;
    return true;
}

bool view_edited(view_order *order)
{
    view_session *session = order->session;
    session->edits = ++session->last_edit;
    view_touch(session);
    view_surfaces_update(session);
    view_renew_scene(session, order->everybody);
    return true;
}

/* ---- bodies ---- */

static ash_status make_geometry(const ash_scene *scene, const char *kind, double size, ash_geometry **geometry,
                                ash_diagnostic *diagnostic)
{
    bool flat = scene->planar;
    ash_vec3 corners[2 * CORNERS];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = (ash_vec3){size / 2, size / 2, size / 2};
    if (strcmp(kind, "ball") == 0) {
        def = ash_default_geometry_def(flat ? ASH_GEOMETRY_CIRCLE : ASH_GEOMETRY_SPHERE);
        def.radius = size / 2;
    } else if (flat || strcmp(kind, "polygon") == 0) {
        /* A flat square or hexagon; in space a prism as high as half its breadth. */
        uint32_t sides = strcmp(kind, "box") == 0 ? 4 : CORNERS;
        double radius = sides == 4 ? size / sqrt(2) : size / 2, height = flat ? 0 : size / 2;
        for (uint32_t i = 0; i < sides; i++) {
            double angle = (i + 0.5) * 2 * ASHI_PI / sides, x = radius * ashi_cos(angle), y = radius * ashi_sin(angle);
            corners[i] = (ash_vec3){x, y, -height / 2};
            corners[sides + i] = (ash_vec3){x, y, height / 2};
        }
        def = ash_default_geometry_def(flat ? ASH_GEOMETRY_POLYGON : ASH_GEOMETRY_HULL);
        def.points = corners;
        def.point_count = flat ? sides : 2 * sides;
    }
    return ash_geometry_create(&def, geometry, diagnostic);
}

/* The body that stands last in the description, made in all worlds. */
static bool make_body(view_order *order)
{
    view_session *session = order->session;
    uint32_t number = session->scene->bodies.count - 1;
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < session->world_count; i++) {
        ashi_instance *instance = &session->worlds[i].instance;
        ash_status status = ASH_OUT_OF_MEMORY;
        ashi_out_of_memory(&diagnostic);
        if (view_extend_handles(&instance->bodies, number))
            status = ashi_instantiate_body(instance->world, instance->materials, session->scene, number,
                                           &instance->bodies[number], &diagnostic);
        if (status == ASH_OK)
            continue;
        while (i-- > 0)
            ash_body_destroy(session->worlds[i].instance.world, session->worlds[i].instance.bodies[number]);
        return view_refuse_by(order, &diagnostic);
    }
    return true;
}

bool view_obey_add(view_order *order)
{
    view_session *session = order->session;
    ash_scene *scene = session->scene;
    view_base before = view_counts(scene);
    const char *kind;
    double size;
    ash_geometry *geometry;
    ash_body_def def = ash_default_body_def();
    ash_diagnostic diagnostic = {0};
    if (!view_read_text(order, "kind", VIEW_REQUIRED, &kind) ||
        !view_read_point(order, "point", VIEW_REQUIRED, &def.position) ||
        !view_read_number(order, "size", VIEW_REQUIRED, smallest, largest, &size) ||
        !view_read_point(order, "velocity", VIEW_OPTIONAL, &def.velocity) || view_is_full(order))
        return false;
    if (strcmp(kind, "box") != 0 && strcmp(kind, "ball") != 0 && strcmp(kind, "polygon") != 0)
        return view_refuse(order, "\"kind\" is \"%.60s\" (expected \"box\", \"ball\" or \"polygon\")", kind);
    if (make_geometry(scene, kind, size, &geometry, &diagnostic) != ASH_OK)
        return view_refuse_by(order, &diagnostic);
    if (scene->planar)
        def.position.z = def.velocity.z = 0;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, NULL, geometry);
    if (scene->failure == ASH_OK)
        ashi_scene_add_shape(scene, ashi_scene_add_body(scene, &def), &shape);
    if (scene->failure != ASH_OK)
        return view_undo_adding(order, &before);
    if (!make_body(order)) {
        view_truncate(scene, &before);
        return false;
    }
    return view_edited(order);
}

/* ---- deleting ---- */

static bool delete_body(view_order *order)
{
    view_session *session = order->session;
    uint32_t body;
    if (!view_read_body(order, "body", false, &body))
        return false;
    for (uint32_t i = 0; i < session->world_count; i++)
        ash_body_destroy(session->worlds[i].instance.world, session->worlds[i].instance.bodies[body]);
    return view_edited(order);
}

static bool delete_joint(view_order *order)
{
    view_session *session = order->session;
    uint32_t id;
    if (!view_read_count(order, "joint", VIEW_REQUIRED, 1, session->scene->joints.count, &id))
        return false;
    bool any = false;
    for (uint32_t i = 0; i < session->world_count; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        any |= ash_joint_is_valid(instance->world, instance->joints[id - 1]) &&
               ash_joint_destroy(instance->world, instance->joints[id - 1]) == ASH_OK;
    }
    return any ? view_edited(order) : view_refuse(order, "joint %u is gone already", id);
}

static bool delete_force(view_order *order)
{
    view_session *session = order->session;
    uint32_t id;
    if (!view_read_count(order, "force", VIEW_REQUIRED, 1, session->scene->forces.count, &id))
        return false;
    bool any = false;
    for (uint32_t i = 0; i < session->world_count; i++) {
        const ashi_instance *instance = &session->worlds[i].instance;
        any |= ash_force_is_valid(instance->world, instance->forces[id - 1]) &&
               ash_force_destroy(instance->world, instance->forces[id - 1]) == ASH_OK;
    }
    return any ? view_edited(order) : view_refuse(order, "force %u is gone already", id);
}

bool view_obey_delete(view_order *order)
{
    bool body = view_has_field(order, "body"), joint = view_has_field(order, "joint"),
         force = view_has_field(order, "force");
    if (body + joint + force != 1)
        return view_refuse(order, "%d objects are to be deleted (expected one of \"body\", \"joint\", \"force\")",
                           body + joint + force);
    return body ? delete_body(order) : joint ? delete_joint(order) : delete_force(order);
}
