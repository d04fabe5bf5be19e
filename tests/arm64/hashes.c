/* One world by every method, and the hash of its state at the end: contacts, joints and springs at once. The same on
 * every machine; tools/arm64 compares x86-64 with arm64. It uses the core alone. */
#include <stdint.h>
#include <stdio.h>

#include "ashlar/body.h"
#include "ashlar/force.h"
#include "ashlar/geometry.h"
#include "ashlar/joint.h"
#include "ashlar/method.h"
#include "ashlar/world.h"

enum { STEPS = 150, BOXES = 5, LINKS = 4 };

static ash_body add(ash_world *world, const ash_geometry_def *geometry, ash_body_type type, ash_vec3 position,
                    ash_vec3 spin)
{
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body = {0};
    def.type = type;
    def.position = position;
    def.angular_velocity = spin;
    if (ash_geometry_create(geometry, &shape.geometry, NULL) == ASH_OK)
        ash_body_create(world, &def, &shape, 1, &body, NULL);
    ash_geometry_release(shape.geometry);
    return body;
}

static ash_status join(ash_world *world, ash_joint_kind kind, ash_body a, ash_body b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    ash_joint joint;
    def.body_a = a;
    def.body_b = b;
    ash_status status = ash_joint_def_place(world, &def, point, axis);
    return status == ASH_OK ? ash_joint_create(world, &def, &joint, NULL) : status;
}

static ash_status span(ash_world *world, ash_body a, ash_body b)
{
    ash_spring_def def = ash_default_spring_def();
    ash_force force;
    def.body_a = a;
    def.body_b = b;
    def.stiffness = 200;
    def.damping = 2;
    return ash_spring_create(world, &def, &force, NULL);
}

/* A stack, slightly askew, that a chain swings into; a ball, an ellipsoid and a hull roll beside it; springs between.
 */
static ash_status fill(ash_world *world)
{
    static const ash_vec3 corners[] = {{-0.3, -0.2, -0.2}, {0.3, -0.25, -0.2}, {0.1, 0.3, -0.2}, {0, 0, 0.35}};
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE),
                     box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry_def egg = ash_default_geometry_def(ASH_GEOMETRY_ELLIPSOID);
    ash_geometry_def hull = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    box.half_extents = (ash_vec3){0.2, 0.15, 0.1};
    ball.radius = 0.15;
    egg.half_extents = (ash_vec3){0.2, 0.15, 0.1};
    hull.points = corners;
    hull.point_count = 4;
    ash_body ground = add(world, &plane, ASH_BODY_STATIC, (ash_vec3){0, 0, 0}, (ash_vec3){0, 0, 0}), last = ground;
    for (int i = 0; i < BOXES; i++)
        last =
            add(world, &box, ASH_BODY_DYNAMIC, (ash_vec3){0.01 * i, 0.003 * i, 0.1 + 0.2 * i}, (ash_vec3){0, 0, 0.1});
    ash_body thrown[] = {add(world, &ball, ASH_BODY_DYNAMIC, (ash_vec3){-0.5, 0.6, 0.4}, (ash_vec3){4, 1, 0}),
                         add(world, &egg, ASH_BODY_DYNAMIC, (ash_vec3){0.2, 0.8, 0.3}, (ash_vec3){0, 3, 1}),
                         add(world, &hull, ASH_BODY_DYNAMIC, (ash_vec3){0.9, 0.7, 0.5}, (ash_vec3){1, 0, 2})};
    ash_status status = span(world, thrown[0], thrown[1]);
    if (status == ASH_OK)
        status = span(world, thrown[1], thrown[2]);
    ash_body held = ground;
    for (int i = 0; i < LINKS && status == ASH_OK; i++) {
        ash_body link = add(world, &box, ASH_BODY_DYNAMIC, (ash_vec3){-0.8 - 0.5 * i, 0, 1.6}, (ash_vec3){0, 0, 0});
        status = join(world, i % 2 == 0 ? ASH_JOINT_HINGE : ASH_JOINT_BALL, held, link,
                      (ash_vec3){-0.55 - 0.5 * i, 0, 1.6}, (ash_vec3){0, 1, 0});
        held = link;
    }
    return status == ASH_OK ? span(world, held, last) : status;
}

int main(void)
{
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        const char *name = ash_method_name(i);
        ash_world_def def = ash_default_world_def();
        ash_world *world = NULL;
        ash_diagnostic diagnostic = {0};
        ash_status status = ash_method_find(name, &def.method, &diagnostic);
        if (status == ASH_OK)
            status = ash_world_create(&def, &world, &diagnostic);
        if (status == ASH_OK)
            status = fill(world);
        uint32_t contacts = 0;
        for (int step = 0; step < STEPS && status == ASH_OK; step++) {
            status = ash_world_step(world, 0.005);
            uint32_t now = ash_world_get_report(world).contact_points;
            contacts = now > contacts ? now : contacts;
        }
        if (status != ASH_OK || contacts < 10) {
            fprintf(stderr, "%s: status %d with up to %u contact points: %s\n", name, (int)status, (unsigned)contacts,
                    diagnostic.message);
            return 1;
        }
        printf("%-22s %016llx  %u contact points\n", name, (unsigned long long)ash_world_get_hash(world),
               (unsigned)contacts);
        ash_world_destroy(world);
    }
}
