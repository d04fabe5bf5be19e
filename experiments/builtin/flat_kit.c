/* Bodies and joints of flat scenes. */
#include "experiments/builtin/flat_kit.h"

#include "math/elementary.h"
#include "math/vec3.h"

static const double gravity = 9.81;

ashi_flat_kit ashi_flat_begin(ash_scene *scene, const char *method, double step, double time,
                              ash_diagnostic *diagnostic)
{
    scene->planar = true;
    scene->gravity = v3(0, -gravity, 0);
    scene->step = step;
    scene->time = time;
    return (ashi_flat_kit){.scene = scene,
                           .diagnostic = diagnostic,
                           .status = ashi_use_method(scene, method, diagnostic),
                           .type = ASH_BODY_DYNAMIC,
                           .material = ASHI_NONE,
                           .density = 8};
}

/* Adds a shape at (x, y) in the frame of the last body. */
static void add_shape(ashi_flat_kit *kit, uint32_t body, double x, double y, const ash_geometry_def *def)
{
    ash_geometry *geometry = NULL;
    if (kit->status == ASH_OK)
        kit->status = ash_geometry_create(def, &geometry, kit->diagnostic);
    if (kit->status != ASH_OK)
        return;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(kit->scene, NULL, geometry);
    shape.pose.position = v3(x, y, 0);
    shape.material = kit->material;
    shape.density = kit->density;
    shape.group = kit->group;
    if (body != ASHI_NONE && shape.geometry != ASHI_NONE)
        ashi_scene_add_shape(kit->scene, body, &shape);
}

static uint32_t add_body(ashi_flat_kit *kit, const char *name, double x, double y, const ash_geometry_def *def)
{
    ash_body_def body = ash_default_body_def();
    double sine, cosine;
    if (kit->status != ASH_OK)
        return ASHI_NONE;
    ashi_sincos(kit->angle / 2, &sine, &cosine);
    body.name = name;
    body.type = kit->type;
    body.position = v3(x, y, 0);
    body.rotation = (ash_quat){cosine, 0, 0, sine};
    uint32_t number = ashi_scene_add_body(kit->scene, &body);
    add_shape(kit, number, 0, 0, def);
    return number;
}

uint32_t ashi_flat_polygon(ashi_flat_kit *kit, const char *name, double x, double y, const ash_vec3 *points,
                           uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = points;
    def.point_count = count;
    return add_body(kit, name, x, y, &def);
}

/* The corners of a box about the origin. */
typedef struct box_corners {
    ash_vec3 list[4];
} box_corners;

static box_corners corners_of(double width, double height)
{
    double w = width / 2, h = height / 2;
    return (box_corners){{{-w, -h, 0}, {w, -h, 0}, {w, h, 0}, {-w, h, 0}}};
}

uint32_t ashi_flat_box(ashi_flat_kit *kit, const char *name, double x, double y, double width, double height)
{
    box_corners corners = corners_of(width, height);
    return ashi_flat_polygon(kit, name, x, y, corners.list, 4);
}

void ashi_flat_more_box(ashi_flat_kit *kit, uint32_t body, double x, double y, double width, double height)
{
    box_corners corners = corners_of(width, height);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = corners.list;
    def.point_count = 4;
    add_shape(kit, body, x, y, &def);
}

uint32_t ashi_flat_disc(ashi_flat_kit *kit, const char *name, double x, double y, double radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    def.radius = radius;
    return add_body(kit, name, x, y, &def);
}

ash_joint_def ashi_flat_joint(const ashi_flat_kit *kit, ash_joint_kind kind, const char *name, uint32_t body_a,
                              uint32_t body_b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.name = name;
    if (kit->status != ASH_OK)
        return def;
    if (body_a != ASHI_NONE)
        def.body_a = ashi_scene_body_ref(body_a);
    if (body_b != ASHI_NONE)
        def.body_b = ashi_scene_body_ref(body_b);
    ashi_scene_place_joint(kit->scene, &def, point, axis);
    return def;
}

uint32_t ashi_flat_add_joint(ashi_flat_kit *kit, const ash_joint_def *def)
{
    return kit->status == ASH_OK ? ashi_scene_add_joint(kit->scene, def) : ASHI_NONE;
}

uint32_t ashi_flat_hinge(ashi_flat_kit *kit, const char *name, uint32_t body_a, uint32_t body_b, double x, double y)
{
    ash_joint_def def = ashi_flat_joint(kit, ASH_JOINT_HINGE, name, body_a, body_b, v3(x, y, 0), v3(1, 0, 0));
    return ashi_flat_add_joint(kit, &def);
}
