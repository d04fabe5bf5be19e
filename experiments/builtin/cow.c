/* A cow as a signed distance field: the least of the exact distances to its parts. Outside, that is the distance to the
 * union; inside, where parts overlap, it is no deeper than the truth. */
#include "experiments/builtin/cow.h"

#include "math/quat.h"
#include "math/transform.h"

#include <math.h>

/* Legs and tail are as thin as a grid of 0.05 m resolves. */
const ashi_cow_part ashi_cow_parts[ASHI_COW_PARTS] = {
    {ASH_GEOMETRY_ELLIPSOID, {0.75, 0.32, 0.36}, {0, 0, 0}, {1, 0, 0}, 0},
    {ASH_GEOMETRY_ELLIPSOID, {0.26, 0.13, 0.15}, {0.98, 0, 0.3}, {1.98, 0, -0.2}, 0},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {0.55, 0, 0.1}, {0.88, 0, 0.32}, 0.12},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {0.45, 0.17, -0.15}, {0.48, 0.2, -0.8}, 0.06},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {0.45, -0.17, -0.15}, {0.48, -0.2, -0.8}, 0.06},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {-0.45, 0.17, -0.15}, {-0.48, 0.2, -0.8}, 0.06},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {-0.45, -0.17, -0.15}, {-0.48, -0.2, -0.8}, 0.06},
    {ASH_GEOMETRY_CAPSULE, {0, 0, 0}, {-0.68, 0, 0.15}, {-0.95, 0, -0.4}, 0.05},
};

/* The shortest turn that takes a unit vector to another, which is not its opposite. */
static ash_quat turn_to(ash_vec3 from, ash_vec3 to)
{
    ash_vec3 axis = v3_cross(from, to);
    return q_unit((ash_quat){1 + v3_dot(from, to), axis.x, axis.y, axis.z});
}

ash_transform ashi_cow_part_pose(const ashi_cow_part *part)
{
    ash_vec3 along = v3_unit(v3_sub(part->to, part->from));
    if (part->kind == ASH_GEOMETRY_ELLIPSOID)
        return (ash_transform){part->from, turn_to(v3(1, 0, 0), along)};
    /* A capsule is the same both ways: upwards. */
    return (ash_transform){v3_scale(v3_add(part->from, part->to), 0.5),
                           turn_to(v3(0, 0, 1), along.z < 0 ? v3_neg(along) : along)};
}

/* Poses and geometries of the parts. */
typedef struct limbs {
    ash_geometry *geometry[ASHI_COW_PARTS];
    ash_transform pose[ASHI_COW_PARTS];
} limbs;

static ash_status make_limbs(limbs *made, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (int i = 0; i < ASHI_COW_PARTS && status == ASH_OK; i++) {
        const ashi_cow_part *part = &ashi_cow_parts[i];
        ash_geometry_def def = ash_default_geometry_def(part->kind);
        if (part->kind == ASH_GEOMETRY_ELLIPSOID) {
            def.half_extents = part->semi_axes;
        } else {
            def.radius = part->radius;
            def.height = v3_distance(part->from, part->to);
        }
        made->pose[i] = ashi_cow_part_pose(part);
        status = ash_geometry_create(&def, &made->geometry[i], diagnostic);
    }
    return status;
}

static double distance(ash_vec3 point, void *user)
{
    const limbs *made = user;
    double least = INFINITY;
    for (int i = 0; i < ASHI_COW_PARTS; i++)
        least = fmin(least, ash_geometry_distance(made->geometry[i], t_point_inverse(made->pose[i], point)));
    return least;
}

/* The grid reaches two cells beyond all parts. */
static void lay_grid(ash_geometry_def *def, const limbs *made, double spacing)
{
    ash_bounds all = {v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < ASHI_COW_PARTS; i++) {
        ash_bounds box = ash_geometry_bounds(made->geometry[i], made->pose[i]);
        all = (ash_bounds){v3_min(all.lower, box.lower), v3_max(all.upper, box.upper)};
    }
    ash_vec3 size = v3_sub(all.upper, all.lower);
    def->spacing = v3(spacing, spacing, spacing);
    def->origin = v3_sub(all.lower, v3_scale(def->spacing, 2));
    def->cells[0] = (uint32_t)ceil(size.x / spacing) + 5;
    def->cells[1] = (uint32_t)ceil(size.y / spacing) + 5;
    def->cells[2] = (uint32_t)ceil(size.z / spacing) + 5;
}

ash_status ashi_cow_create(double spacing, ash_geometry **cow, ash_diagnostic *diagnostic)
{
    limbs made = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    ash_status status = make_limbs(&made, diagnostic);
    if (status == ASH_OK) {
        lay_grid(&def, &made, spacing);
        def.sample_function = distance;
        def.sample_user = &made;
        status = ash_geometry_create(&def, cow, diagnostic);
    }
    for (int i = 0; i < ASHI_COW_PARTS; i++)
        ash_geometry_release(made.geometry[i]);
    return status;
}
