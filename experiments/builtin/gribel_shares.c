/* Error reduction for each kind of constraint (Gribel 2009, 2.8 and (36)): a contact, a joint and a joint's limit begin
 * with an error each, and lose in the first step the share that is theirs. Errors are small: what removes them must be
 * slow beside a fall, or the step is cut. */
#include "experiments/builtin/gribel_shares.h"
#include "experiments/builtin/flat_kit.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double step = 0.01, start = 1e-4; /* s; the errors beyond the slop: m, rad */

/* What is left of the three errors after a step, as shares. */
typedef struct shares {
    double contact, joint, limit;
} shares;

static ash_status add_bodies(ash_world *world, double slop, ash_body body[3], ash_diagnostic *diagnostic)
{
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body ground;
    ball.radius = 0.5;
    ash_status status = ash_geometry_create(&ball, &shape.geometry, diagnostic);
    def.type = ASH_BODY_STATIC;
    if (status == ASH_OK)
        status = ash_body_create(world, &def, &shape, 1, &ground, diagnostic);
    def.type = ASH_BODY_DYNAMIC;
    for (int i = 0; i < 3 && status == ASH_OK; i++) {
        def.position = v3(5 * i, i == 0 ? 1 - slop - start : 0, 0); /* the first overlaps the ground */
        status = ash_body_create(world, &def, &shape, 1, &body[i], diagnostic);
    }
    ash_geometry_release(shape.geometry);
    return status;
}

static ash_status measure(const ash_method *method, shares *left, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    ash_body body[3];
    ash_joint joint, hinge;
    def.method = *method;
    def.planar = true;
    def.gravity = v3(0, -9.81, 0);
    ash_status status = ash_world_create(&def, &world, diagnostic);
    if (status == ASH_OK)
        status = add_bodies(world, method->slop, body, diagnostic);
    ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE), stop = ash_default_joint_def(ASH_JOINT_HINGE);
    if (status == ASH_OK) {
        rod.body_b = body[1];
        rod.frame_a.position = v3(4, 0, 0);
        rod.length = 1 - start;
        status = ash_joint_create(world, &rod, &joint, diagnostic);
    }
    if (status == ASH_OK) {
        stop.body_b = body[2];
        stop.frame_a.position = v3(10, 0, 0);
        stop.axes[ASH_TURN_Z].lower = start;
        stop.axes[ASH_TURN_Z].upper = 1;
        status = ash_joint_create(world, &stop, &hinge, diagnostic);
    }
    if (status == ASH_OK)
        status = ash_world_step(world, step);
    if (status == ASH_OK) {
        double overlap = 1 - ash_body_get_centre(world, body[0]).y;
        double open = ash_body_get_centre(world, body[1]).x - 5 + start;
        double beyond = start - ash_joint_get_position(world, hinge, ASH_TURN_Z);
        *left = (shares){(overlap - method->slop) / start, open / start, beyond / start};
    }
    ash_world_destroy(world);
    return status;
}

ash_status ashi_gribel_shares_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const char *const kinds[] = {"a contact", "a joint", "a joint's limit"};
    static const char *const fields[] = {"erp", "joint-erp", "limit-erp"};
    static const double erps[2][3] = {{0.4, 0.2, 0.1}, {0.1, 0.8, 0.5}};
    for (int round = 0; round < 2; round++) {
        ash_method method;
        shares left = {0};
        ash_status status = ash_method_find("gribel-2009", &method, diagnostic);
        for (int i = 0; i < 3 && status == ASH_OK; i++) {
            char text[32];
            snprintf(text, sizeof text, "%g", erps[round][i]);
            status = ash_method_set(&method, fields[i], text, diagnostic);
        }
        if (status == ASH_OK)
            status = measure(&method, &left, diagnostic);
        if (status != ASH_OK)
            return status;
        const double lefts[] = {left.contact, left.joint, left.limit};
        for (int i = 0; i < 3; i++) {
            char quantity[120];
            snprintf(quantity, sizeof quantity, "share of the error of %s that a step removes, %s=%g", kinds[i],
                     fields[i], erps[round][i]);
            ashi_validation_near(v, quantity, "Gribel 2009, (36)", erps[round][i], 1 - lefts[i], 0.01);
        }
    }
    return ASH_OK;
}
