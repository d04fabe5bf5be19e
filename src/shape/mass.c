/* Mass properties: checks, sums and changes of frame. The inertia is always about the centre of mass; the parallel axis
 * theorem moves it. */
#include "shape/geometry.h"

/* Hand-written tensors are rounded, and for a lamina the triangle inequality is an equality. */
#define ROUNDING 1e-6

void ashi_mass_principal(ash_mass_properties *mass)
{
    ashi_eigen_sym3(mass->inertia, &mass->principal, &mass->principal_axes);
}

bool ashi_principal_is_possible(ash_vec3 principal)
{
    double slack = ROUNDING * principal.z;
    return principal.z >= 0 && principal.x >= -slack && principal.x + principal.y >= principal.z - slack;
}

ash_status ash_mass_complete(ash_mass_properties *mass, ash_diagnostic *diagnostic)
{
    if (mass == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "mass.null", "the mass properties are null");
    if (!isfinite(mass->mass) || !(mass->mass > 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mass.mass", "the mass is %g kg", mass->mass);
        return ashi_expect(diagnostic, "a finite number above 0"), ASH_BAD_DATA;
    }
    if (!v3_is_finite(mass->centre))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "mass.centre", "the centre of mass is (%g, %g, %g)", mass->centre.x,
                         mass->centre.y, mass->centre.z);
    ash_sym3 a = mass->inertia;
    if (!s3_is_finite(a))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "mass.inertia", "the inertia is not finite: %g %g %g %g %g %g", a.xx,
                         a.yy, a.zz, a.xy, a.xz, a.yz);
    ash_mass_properties complete = *mass;
    ashi_mass_principal(&complete);
    ash_vec3 p = complete.principal;
    if (!(p.z >= 0) || !(p.x >= -ROUNDING * p.z)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mass.negative-moment", "a principal moment of inertia is %g kg m2", p.x);
        return ashi_expect(diagnostic, "none below 0"), ASH_BAD_DATA;
    }
    if (!ashi_principal_is_possible(p)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "mass.triangle-inequality",
                  "no body has the principal moments %g, %g and %g kg m2", p.x, p.y, p.z);
        return ashi_expect(diagnostic, "the sum of the two smaller ones to be at least the largest"), ASH_BAD_DATA;
    }
    *mass = complete;
    return ASH_OK;
}

ash_mass_properties ash_mass_add(const ash_mass_properties *a, const ash_mass_properties *b)
{
    ash_mass_properties sum = {.mass = a->mass + b->mass};
    double share = sum.mass != 0 ? b->mass / sum.mass : 0.5; /* two without mass: the midpoint */
    sum.centre = v3_add_scaled(a->centre, v3_sub(b->centre, a->centre), share);
    ash_sym3 moved_a = s3_point_inertia(a->mass, v3_sub(a->centre, sum.centre));
    ash_sym3 moved_b = s3_point_inertia(b->mass, v3_sub(b->centre, sum.centre));
    sum.inertia = s3_add(s3_add(a->inertia, moved_a), s3_add(b->inertia, moved_b));
    ashi_mass_principal(&sum);
    return sum;
}

ash_mass_properties ash_mass_transform(const ash_mass_properties *mass, ash_transform pose)
{
    ash_mass_properties seen = *mass;
    seen.centre = t_point(pose, mass->centre);
    seen.inertia = s3_rotated(mass->inertia, pose.rotation);
    seen.principal_axes = q_mul(pose.rotation, mass->principal_axes);
    return seen;
}

ash_status ashi_set_unit_mass(ash_geometry *geometry, double mass, ash_vec3 centre, ash_sym3 inertia,
                              ash_diagnostic *diagnostic)
{
    geometry->unit_mass = (ash_mass_properties){.mass = mass, .centre = centre, .inertia = inertia};
    bool usable = isfinite(mass) && mass > 0 && v3_is_finite(centre) && s3_is_finite(inertia);
    if (usable) {
        ashi_mass_principal(&geometry->unit_mass);
        usable = v3_is_finite(geometry->unit_mass.principal) && geometry->unit_mass.principal.z > 0;
    }
    if (!usable) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "geometry.size",
                  "the %s is too large or too small for its mass and inertia to be represented (volume %g)",
                  geometry->functions->name, mass);
        return ashi_expect(diagnostic, "sizes within about 1e-60 m and 1e60 m"), ASH_BAD_DATA;
    }
    geometry->has_mass = true;
    return ASH_OK;
}

ash_status ash_geometry_mass(const ash_geometry *geometry, double density, ash_mass_properties *mass,
                             ash_diagnostic *diagnostic)
{
    if (geometry == NULL || mass == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "mass.null", "the geometry or the result is null");
    if (!isfinite(density) || !(density > 0)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "mass.density", "the density is %g", density);
        return ashi_expect(diagnostic, "a finite number above 0"), ASH_BAD_ARGUMENT;
    }
    if (!geometry->has_mass)
        return ashi_fail(diagnostic, ASH_UNSUPPORTED, "mass.none", "this %s has no volume of its own",
                         geometry->functions->name);
    *mass = geometry->unit_mass;
    mass->mass *= density;
    mass->inertia = s3_scale(mass->inertia, density);
    mass->principal = v3_scale(mass->principal, density);
    return ASH_OK;
}
