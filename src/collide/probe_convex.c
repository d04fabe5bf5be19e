/* Points of a convex geometry in a distance field: corners, points of rims and axes, and the deepest point of all,
 * found by descending the field and coming back to the geometry's surface in turn (projected gradient). A convex body
 * smaller than a cell, or with a corner between the field's own surface points, is thus not missed. */
#include "collide/convex.h"
#include "collide/probe.h"
#include "shape/distance_field.h"
#include "shape/field_samples.h"

#define DESCENT_STEPS 24
#define AXIS_POINTS   9
#define RIM_POINTS    8

static double least_spacing(const ash_geometry *field)
{
    ash_vec3 s = field->def.spacing;
    return fmin(s.x, fmin(s.y, s.z));
}

/* The point of the geometry nearest to p. */
static ash_vec3 onto(const ash_geometry *geometry, ash_vec3 p, double size)
{
    double distance = geometry->functions->distance(geometry, p);
    return distance > 0 ? v3_add_scaled(p, ashi_distance_normal(geometry, p, size), -distance) : p;
}

static bool has_flat_faces(const ash_geometry *geometry)
{
    ash_geometry_kind kind = geometry->def.kind;
    return kind == ASH_GEOMETRY_BOX || kind == ASH_GEOMETRY_CYLINDER || kind == ASH_GEOMETRY_CONE ||
           kind == ASH_GEOMETRY_HULL;
}

/* Whether a point of the surface lies within a flat face, farther than `off` from its edges: what the field has there
 * stands on it with its own corners. */
static bool is_within_face(const ash_geometry *geometry, ash_vec3 point, double size, double off)
{
    if (!has_flat_faces(geometry))
        return false;
    ash_vec3 normal = ashi_distance_normal(geometry, point, size), u = v3_perpendicular(normal);
    ash_vec3 ways[2] = {u, v3_cross(normal, u)};
    for (int i = 0; i < 4; i++) {
        ash_vec3 beside = v3_add_scaled(point, ways[i / 2], i % 2 == 0 ? off : -off);
        if (fabs(geometry->functions->distance(geometry, beside)) > 1e-6 * off)
            return false;
    }
    return true;
}

static bool probe_deepest(ashi_hunt *hunt)
{
    const ashi_pair *pair = hunt->pair;
    const ash_geometry *a = pair->a, *b = pair->b;
    /* From the middle of the field's inside outward on a: towards b. */
    ash_vec3 centre = t_point(pair->b_in_a, b->unit_mass.centre), point = onto(a, centre, hunt->size);
    double step = 2 * least_spacing(b), least = INFINITY;
    ash_vec3 best = point;
    for (int n = 0; n < DESCENT_STEPS; n++) {
        ash_vec3 local = t_point_inverse(pair->b_in_a, point);
        double field = b->functions->distance(b, local);
        if (field < least) {
            least = field;
            best = point;
        }
        ash_vec3 uphill = q_rotate(pair->b_in_a.rotation, ashi_distance_normal(b, local, hunt->size));
        point = onto(a, v3_add_scaled(point, uphill, -step), hunt->size);
    }
    bool on_face = is_within_face(a, best, hunt->size, v3_max_component(b->def.spacing));
    if (!on_face)
        ashi_probe_point(hunt, ASHI_SIDE_A, best, 0);
    return on_face;
}

/* A point of the axis of a sphere or capsule: the point of its surface towards the field. */
static void probe_axis(ashi_hunt *hunt, double z, double radius, uint32_t feature)
{
    ash_vec3 local = t_point_inverse(hunt->pair->b_in_a, v3(0, 0, z));
    ash_vec3 outward = ashi_distance_normal(hunt->pair->b, local, hunt->size);
    ash_vec3 up = q_rotate(hunt->pair->b_in_a.rotation, outward);
    ashi_probe_point(hunt, ASHI_SIDE_A, v3_add_scaled(v3(0, 0, z), up, -radius), feature);
}

static void probe_rim(ashi_hunt *hunt, double radius, double z, uint32_t feature)
{
    for (uint32_t n = 0; n < RIM_POINTS; n++) {
        double sine, cosine;
        ashi_sincos(2 * ASHI_PI * n / RIM_POINTS, &sine, &cosine);
        ashi_probe_point(hunt, ASHI_SIDE_A, v3(radius * cosine, radius * sine, z), feature + n);
    }
}

bool ashi_probe_convex(ashi_hunt *hunt)
{
    const ash_geometry_def *def = &hunt->pair->a->def;
    ash_vec3 h = def->half_extents;
    bool on_face = probe_deepest(hunt);
    switch (def->kind) {
    case ASH_GEOMETRY_CAPSULE:
        for (uint32_t n = 0; n < AXIS_POINTS; n++)
            probe_axis(hunt, def->height * (n / (AXIS_POINTS - 1.0) - 0.5), def->radius, 1 + n);
        break;
    case ASH_GEOMETRY_BOX:
        for (uint32_t c = 0; c < 8; c++)
            ashi_probe_point(hunt, ASHI_SIDE_A,
                             v3((c & 1) != 0 ? h.x : -h.x, (c & 2) != 0 ? h.y : -h.y, (c & 4) != 0 ? h.z : -h.z),
                             1 + c);
        break;
    case ASH_GEOMETRY_CYLINDER:
        probe_rim(hunt, def->radius, -def->height / 2, 1);
        probe_rim(hunt, def->radius, def->height / 2, 1 + RIM_POINTS);
        break;
    case ASH_GEOMETRY_CONE:
        probe_rim(hunt, def->radius, -def->height / 2, 1);
        ashi_probe_point(hunt, ASHI_SIDE_A, v3(0, 0, def->height / 2), 1 + RIM_POINTS);
        break;
    case ASH_GEOMETRY_HULL:
        for (uint32_t v = 0; v < def->point_count; v++)
            ashi_probe_point(hunt, ASHI_SIDE_A, def->points[v], 1 + v);
        break;
    default: /* a sphere's or ellipsoid's point is the deepest */
        break;
    }
    return on_face;
}
