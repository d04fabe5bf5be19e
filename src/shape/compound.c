/* Compound: geometries at poses in one frame, solid or flat but not both. For mass and projected area, parts are
 * assumed not to overlap. The distance is the smallest of the parts' distances: exact outside; inside it never exceeds
 * the true depth. */
#include "base/alloc.h"
#include "shape/geometry.h"
#include "shape/interval.h"

/* Queries go down by recursion. */
#define DEEPEST 16

/* The number of simple parts of a geometry; if there are more than `enough`, any number above it. */
static uint64_t count_parts(const ash_geometry *geometry, uint64_t enough)
{
    if (geometry->def.kind != ASH_GEOMETRY_COMPOUND)
        return 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < geometry->def.part_count && count <= enough; i++)
        count += count_parts(geometry->def.parts[i].geometry, enough - count);
    return count;
}

static ash_status check_part(const ash_geometry_part *part, uint32_t number, const ash_geometry *first,
                             ash_diagnostic *diagnostic)
{
    if (part->geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "compound.null", "part %u of the compound has no geometry", number);
    if (part->geometry->def.open)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "compound.open", "part %u of the compound is an open mesh", number);
    ash_transform pose = part->pose;
    ash_quat q = pose.rotation;
    if (!t_is_finite(pose) || !(fabs(q_norm2(q) - 1) < 1e-6)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "compound.pose",
                  "part %u of the compound is at (%g, %g, %g) turned by (%g, %g, %g, %g)", number, pose.position.x,
                  pose.position.y, pose.position.z, q.w, q.x, q.y, q.z);
        return ashi_expect(diagnostic, "a finite position and a unit quaternion"), ASH_BAD_DATA;
    }
    if (part->geometry->flat != first->flat) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "compound.flat", "part %u of the compound, a %s, is %s, unlike part 0",
                  number, part->geometry->functions->name, part->geometry->flat ? "flat" : "not flat");
        return ashi_expect(diagnostic, "only flat parts or none"), ASH_BAD_DATA;
    }
    if (part->geometry->flat && (pose.position.z != 0 || q.x != 0 || q.y != 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "compound.pose", "part %u of the compound leaves the xy plane", number);
        return ashi_expect(diagnostic, "z of 0 and a rotation about z for flat parts"), ASH_BAD_DATA;
    }
    if (part->geometry->depth + 1 > DEEPEST)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "compound.depth", "compounds are nested more than %d deep", DEEPEST);
    return ASH_OK;
}

/* Sets the sum over the parts; no mass when one of them has none. */
static ash_status set_mass(ash_geometry *geometry, ash_diagnostic *diagnostic)
{
    const ash_geometry_def *def = &geometry->def;
    ash_mass_properties sum = {0};
    for (uint32_t i = 0; i < def->part_count; i++) {
        if (!def->parts[i].geometry->has_mass)
            return ASH_OK;
        ash_mass_properties part = ash_mass_transform(&def->parts[i].geometry->unit_mass, def->parts[i].pose);
        sum = i == 0 ? part : ash_mass_add(&sum, &part);
    }
    return ashi_set_unit_mass(geometry, sum.mass, sum.centre, sum.inertia, diagnostic);
}

static ash_status create(ash_geometry *geometry, const ash_geometry_def *def, ash_diagnostic *diagnostic)
{
    if (def->part_count == 0 || def->parts == NULL) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.parts", "the compound has %u parts%s", def->part_count,
                  def->part_count > 0 ? " but no array of them" : "");
        return ashi_expect(diagnostic, "at least one part"), ASH_BAD_DATA;
    }
    uint64_t all = 0;
    for (uint32_t i = 0; i < def->part_count; i++) {
        ash_status status = check_part(&def->parts[i], i, def->parts[0].geometry, diagnostic);
        if (status != ASH_OK)
            return status;
        all += count_parts(def->parts[i].geometry, ASH_MAX_PARTS + 1 - (all < ASH_MAX_PARTS ? all : ASH_MAX_PARTS));
    }
    if (all > ASH_MAX_PARTS) { /* compounds of a hundred parts, nested a few times, exceed any memory */
        ashi_fail(diagnostic, ASH_BAD_DATA, "compound.parts", "the compound has more than %d parts in all",
                  ASH_MAX_PARTS);
        return ashi_expect(diagnostic, "at most %d", ASH_MAX_PARTS), ASH_BAD_DATA;
    }
    void *copy;
    ash_status status = ashi_copy_elements(def->parts, def->part_count, sizeof *def->parts, &copy, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_geometry_part *parts = copy;
    geometry->def.parts = parts;
    geometry->def.part_count = def->part_count;
    geometry->flat = parts[0].geometry->flat;
    for (uint32_t i = 0; i < def->part_count; i++) {
        ash_geometry_retain(parts[i].geometry);
        parts[i].pose.rotation = q_unit(parts[i].pose.rotation);
        uint32_t depth = parts[i].geometry->depth + 1;
        geometry->depth = depth > geometry->depth ? depth : geometry->depth;
    }
    geometry->part_bounds = ashi_alloc_array(def->part_count, sizeof *geometry->part_bounds);
    if (geometry->part_bounds == NULL)
        return ashi_out_of_memory(diagnostic);
    for (uint32_t i = 0; i < def->part_count; i++)
        geometry->part_bounds[i] = ash_geometry_bounds(parts[i].geometry, parts[i].pose);
    return set_mass(geometry, diagnostic);
}

static void dispose(ash_geometry *geometry)
{
    ashi_dealloc(geometry->part_bounds);
    for (uint32_t i = 0; i < geometry->def.part_count; i++)
        ash_geometry_release(geometry->def.parts[i].geometry);
}

static ash_bounds bounds(const ash_geometry *geometry, ash_transform pose)
{
    const ash_geometry_part *parts = geometry->def.parts;
    ash_bounds all = ash_geometry_bounds(parts[0].geometry, t_mul(pose, parts[0].pose));
    for (uint32_t i = 1; i < geometry->def.part_count; i++) {
        ash_bounds one = ash_geometry_bounds(parts[i].geometry, t_mul(pose, parts[i].pose));
        all.lower = v3_min(all.lower, one.lower);
        all.upper = v3_max(all.upper, one.upper);
    }
    return all;
}

static ash_vec3 support(const ash_geometry *geometry, ash_vec3 direction)
{
    ash_vec3 best = v3(0, 0, 0);
    double farthest = -INFINITY;
    for (uint32_t i = 0; i < geometry->def.part_count; i++) {
        const ash_geometry_part *part = &geometry->def.parts[i];
        ash_vec3 local = q_unrotate(part->pose.rotation, direction);
        ash_vec3 point = t_point(part->pose, part->geometry->functions->support(part->geometry, local));
        double reach = v3_dot(point, direction);
        if (i == 0 || reach > farthest) {
            farthest = reach;
            best = point;
        }
    }
    return best;
}

static bool ray(const ash_geometry *geometry, const ash_ray *line, ash_ray_hit *hit)
{
    bool found = false;
    ash_ray rest = *line;
    for (uint32_t i = 0; i < geometry->def.part_count; i++) {
        const ash_geometry_part *part = &geometry->def.parts[i];
        ash_quat turn = part->pose.rotation;
        ash_ray local = {t_point_inverse(part->pose, rest.origin), q_unrotate(turn, rest.direction), rest.reach};
        ash_ray_hit one;
        if (!part->geometry->functions->ray(part->geometry, &local, &one) || (found && one.t >= hit->t))
            continue;
        ash_vec3 point = v3_add_scaled(rest.origin, rest.direction, one.t);
        if (geometry->flat)
            point.z = 0;
        *hit = (ash_ray_hit){one.t, point, q_rotate(turn, one.normal), i};
        rest.reach = one.t;
        found = true;
    }
    return found;
}

static double distance(const ash_geometry *geometry, ash_vec3 point)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < geometry->def.part_count; i++) {
        const ash_geometry_part *part = &geometry->def.parts[i];
        double one = part->geometry->functions->distance(part->geometry, t_point_inverse(part->pose, point));
        least = one < least ? one : least;
    }
    return least;
}

static double projected_area(const ash_geometry *geometry, ash_vec3 direction)
{
    double sum = 0;
    for (uint32_t i = 0; i < geometry->def.part_count; i++) {
        const ash_geometry_part *part = &geometry->def.parts[i];
        sum += part->geometry->functions->projected_area(part->geometry, q_unrotate(part->pose.rotation, direction));
    }
    return sum;
}

const ashi_geometry_functions ashi_compound = {
    .name = "compound",
    .parts = true,
    .create = create,
    .dispose = dispose,
    .bounds = bounds,
    .support = support,
    .ray = ray,
    .distance = distance,
    .projected_area = projected_area,
};
