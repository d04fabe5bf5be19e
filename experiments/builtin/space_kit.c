/* Bodies and joints of machines in space. */
#include "experiments/builtin/space_kit.h"

#include "math/quat.h"

uint32_t ashi_space_body(ashi_space_kit *kit, const char *name, ash_vec3 position, double mass,
                         const ash_geometry_def *def, ash_quat turn)
{
    ash_body_def body = ash_default_body_def();
    ash_geometry *geometry = NULL;
    if (kit->status == ASH_OK)
        kit->status = ash_geometry_create(def, &geometry, kit->diagnostic);
    if (kit->status != ASH_OK)
        return ASHI_NONE;
    body.name = name;
    body.position = position;
    body.mass = mass;
    uint32_t number = ashi_scene_add_body(kit->scene, &body);
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(kit->scene, NULL, geometry);
    shape.material = kit->material;
    shape.density = 1; /* how the mass is spread */
    shape.pose.rotation = turn;
    shape.group = -1;
    if (number != ASHI_NONE && shape.geometry != ASHI_NONE)
        ashi_scene_add_shape(kit->scene, number, &shape);
    return number;
}

uint32_t ashi_space_box(ashi_space_kit *kit, const char *name, ash_vec3 position, double mass, ash_vec3 half_extents)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = half_extents;
    return ashi_space_body(kit, name, position, mass, &def, q_identity());
}

ash_joint_def ashi_space_joint(const ashi_space_kit *kit, ash_joint_kind kind, const char *name, uint32_t body_a,
                               uint32_t body_b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.name = name;
    if (kit->status != ASH_OK || body_a == ASHI_NONE || body_b == ASHI_NONE) /* the scene knows why */
        return def;
    def.body_a = ashi_scene_body_ref(body_a);
    def.body_b = ashi_scene_body_ref(body_b);
    ashi_scene_place_joint(kit->scene, &def, point, axis);
    return def;
}

uint32_t ashi_space_add_joint(ashi_space_kit *kit, const ash_joint_def *def)
{
    return kit->status == ASH_OK ? ashi_scene_add_joint(kit->scene, def) : ASHI_NONE;
}
