/* Checks of bodies and shapes, at creation and when a snapshot is restored. */
#include "world/body_check.h"

#include "base/diagnostic.h"
#include "math/mat3.h"
#include "math/transform.h"

static ash_status not_finite(ash_diagnostic *diagnostic, const char *field)
{
    ashi_fail(diagnostic, ASH_BAD_DATA, "body.not-finite", "%s is not finite", field);
    return ashi_expect(diagnostic, "finite numbers");
}

ash_status ashi_check_body(const ash_body_def *def, bool planar, ash_diagnostic *diagnostic)
{
    if ((unsigned)def->type >= ASH_BODY_TYPES)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "body.type", "%d is not a type of body", (int)def->type);
    if (!v3_is_finite(def->position))
        return not_finite(diagnostic, "position");
    if (!q_is_finite(def->rotation))
        return not_finite(diagnostic, "rotation");
    if (!v3_is_finite(def->velocity))
        return not_finite(diagnostic, "velocity");
    if (!v3_is_finite(def->angular_velocity))
        return not_finite(diagnostic, "angular_velocity");
    if (!v3_is_finite(def->centre))
        return not_finite(diagnostic, "centre");
    if (!s3_is_finite(def->inertia))
        return not_finite(diagnostic, "inertia");
    if (!isfinite(def->gravity_scale))
        return not_finite(diagnostic, "gravity_scale");
    if (!(def->mass >= 0) || !isfinite(def->mass)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.mass", "the mass is %g kg", def->mass);
        return ashi_expect(diagnostic, "0 (from the shapes) or more");
    }
    if (!(def->linear_damping >= 0 && def->angular_damping >= 0) || !isfinite(def->linear_damping) ||
        !isfinite(def->angular_damping)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.damping", "damping is %g and %g", def->linear_damping,
                  def->angular_damping);
        return ashi_expect(diagnostic, "0 or more, 1/s");
    }
    if (def->locks > 63)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "body.locks", "%u is not a set of ash_lock", def->locks);
    double n = q_norm2(def->rotation);
    if (!(n > 1e-12 && n < 1e12)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.rotation", "the rotation (%g, %g, %g, %g) cannot be made unit",
                  def->rotation.w, def->rotation.x, def->rotation.y, def->rotation.z);
        return ashi_expect(diagnostic, "a quaternion (w, x, y, z) of about unit length");
    }
    ash_vec3 v = def->velocity, w = def->angular_velocity;
    if (planar &&
        (def->rotation.x != 0 || def->rotation.y != 0 || v.z != 0 || w.x != 0 || w.y != 0 || def->centre.z != 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.planar", "the body leaves the plane of a planar world");
        return ashi_expect(diagnostic, "rotation about z, velocity and centre in the xy plane");
    }
    return ASH_OK;
}

static ash_status check_surface(const ashi_materials *materials, const ash_shape_def *shape, uint32_t index,
                                bool planar, ash_diagnostic *diagnostic)
{
    ash_vec3 v = shape->surface_velocity;
    if (ashi_materials_slot(materials, shape->material) == ASHI_NO_SLOT)
        return ashi_fail(diagnostic, ASH_BAD_HANDLE, "shape.material",
                         "shape %u: the material handle %#llx is stale or of another world", index,
                         (unsigned long long)shape->material.id);
    if (!v3_is_finite(v) || (planar && v.z != 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "shape.surface-velocity",
                  "the surface velocity of shape %u is (%g, %g, %g)", index, v.x, v.y, v.z);
        return ashi_expect(diagnostic, planar ? "finite numbers, in the xy plane" : "finite numbers");
    }
    return ASH_OK;
}

ash_status ashi_check_shape(const ashi_materials *materials, const ash_shape_def *shape, uint32_t index, bool planar,
                            ash_diagnostic *diagnostic)
{
    if (shape->geometry == NULL)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "shape.geometry", "shape %u has no geometry", index);
    if (ash_geometry_get_definition(shape->geometry)->open) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "shape.open", "shape %u is an open mesh", index);
        return ashi_expect(diagnostic, "a closed mesh");
    }
    if (ash_geometry_is_flat(shape->geometry) != planar) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "shape.flat", "shape %u is %s", index,
                  planar ? "not flat, but the world is planar" : "flat, but the world is not planar");
        return ashi_expect(diagnostic, planar ? "circle, polygon, flat-capsule, segment or a compound of them"
                                              : "a kind that is not flat");
    }
    if (!t_is_finite(shape->pose) || !(fabs(q_norm2(shape->pose.rotation) - 1) < 1e-6))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "shape.pose", "the pose of shape %u is not finite or not unit",
                         index);
    if (shape->density != ASH_MATERIAL_DENSITY && (!(shape->density >= 0) || !isfinite(shape->density))) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "shape.density", "the density of shape %u is %g", index, shape->density);
        return ashi_expect(diagnostic, "0 or more, or ASH_MATERIAL_DENSITY");
    }
    return check_surface(materials, shape, index, planar, diagnostic);
}

ash_status ashi_check_dynamic(const ash_mass_properties *mass, uint32_t locks, bool planar, ash_diagnostic *diagnostic)
{
    if (!(mass->mass > 0) || !isfinite(1 / mass->mass)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.no-mass", "a dynamic body without mass");
        return ashi_expect(diagnostic, "a mass, or a shape with volume and density");
    }
    if ((locks & ASH_LOCK_ROTATION) == ASH_LOCK_ROTATION)
        return ASH_OK;
    if (planar ? !(mass->inertia.zz > 0) : !(mass->principal.x > 1e-14 * mass->principal.z)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "body.no-inertia", "the body can turn about an axis without inertia");
        return ashi_expect(diagnostic, "inertia about every axis, or locked rotation");
    }
    return ASH_OK;
}

/* The moments about the principal axes, as a tensor. */
static ash_sym3 from_principal(const ash_mass_properties *mass)
{
    ash_mat3 axes = m3_from_quat(mass->principal_axes);
    return s3_add(s3_outer(axes.x, mass->principal.x),
                  s3_add(s3_outer(axes.y, mass->principal.y), s3_outer(axes.z, mass->principal.z)));
}

ash_status ashi_check_mass(const ash_mass_properties *mass, ash_diagnostic *diagnostic)
{
    bool good = isfinite(mass->mass) && mass->mass >= 0 && v3_is_finite(mass->centre) && s3_is_finite(mass->inertia) &&
                v3_is_finite(mass->principal) && q_is_finite(mass->principal_axes) &&
                fabs(q_norm2(mass->principal_axes) - 1) < 1e-6;
    ash_vec3 p = mass->principal;
    if (good) {
        ash_sym3 off = s3_add(from_principal(mass), s3_scale(mass->inertia, -1));
        double slack = 1e-6 * p.z;
        good = p.x >= -slack && p.y >= p.x - slack && p.z >= p.y - slack && p.x + p.y >= p.z - slack &&
               fabs(off.xx) <= slack && fabs(off.yy) <= slack && fabs(off.zz) <= slack && fabs(off.xy) <= slack &&
               fabs(off.xz) <= slack && fabs(off.yz) <= slack;
    }
    if (good)
        return ASH_OK;
    return ashi_fail(diagnostic, ASH_BAD_DATA, "body.mass",
                     "no body has a mass of %g kg with principal moments of %g, %g and %g kg m2 in these axes",
                     mass->mass, p.x, p.y, p.z);
}
