/* Points of a convex geometry in a distance field: corners, points of rims and axes, and the deepest point of all,
 * found by descending the field on the geometry's surface. So a convex body smaller than a cell, or with a corner
 * between the field's own surface points, is not missed. */
#include "collide/convex/convex.h"
#include "collide/field/probe.h"
#include "shape/distance_field.h"
#include "shape/field_samples.h"

#define LONG_STEPS    24 /* before the descent */
#define DESCENT_STEPS 64
#define ENOUGH        1e-11 /* of the size: the descent ends when the field decreases by less */
#define SHORTER       0.25  /* factor of the next step if the last one led up or hardly down; ... */
#define LONGER        2.0   /* ... factor if it led well down: */
#define BADLY         0.1   /* as shares of the predicted decrease */
#define WELL          0.5
#define BUNDLE        6
#define MIXING        200 /* exchanges of weight between gradients */
#define OFF           0.1 /* of the spacing: the distance from a at which its normal is evaluated */
#define AXIS_POINTS   9
#define RIM_POINTS    8

static double least_spacing(const ash_geometry *field)
{
    ash_vec3 s = field->def.spacing;
    return fmin(s.x, fmin(s.y, s.z));
}

/* The nearest point of a solid of revolution about z, from the nearest point of its profile in the half plane of p. */
static ash_vec3 turned(ash_vec3 p, double across, double radius, double z)
{
    double scale = across > 0 ? radius / across : 0;
    return v3(scale * p.x, scale * p.y, z);
}

/* On the mantle, the rim or the base of a cone: `across` is how far p is from the axis. */
static ash_vec3 onto_cone(const ash_geometry_def *def, ash_vec3 p, double across)
{
    double radius = def->radius, height = def->height, below = height / 2 - p.z; /* from the apex */
    if (below > height && across <= radius)
        return v3(p.x, p.y, -height / 2);
    double along = (across * radius + below * height) / (radius * radius + height * height);
    along = fmin(fmax(along, 0), 1);
    return turned(p, across, along * radius, height / 2 - along * height);
}

/* The point of the geometry nearest to p. */
static ash_vec3 onto(const ash_geometry *geometry, ash_vec3 p, double size)
{
    const ash_geometry_def *def = &geometry->def;
    double distance = geometry->functions->distance(geometry, p), half = def->height / 2;
    if (!(distance > 0))
        return p;
    double across = sqrt(p.x * p.x + p.y * p.y);
    switch (def->kind) {
    case ASH_GEOMETRY_BOX:
        return v3_min(v3_max(p, v3_neg(def->half_extents)), def->half_extents);
    case ASH_GEOMETRY_CAPSULE: {
        ash_vec3 axis = v3(0, 0, fmin(fmax(p.z, -half), half));
        return v3_add_scaled(axis, v3_unit(v3_sub(p, axis)), def->radius);
    }
    case ASH_GEOMETRY_CYLINDER:
        return turned(p, across, fmin(across, def->radius), fmin(fmax(p.z, -half), half));
    case ASH_GEOMETRY_CONE:
        return onto_cone(def, p, across);
    default:
        return v3_add_scaled(p, ashi_distance_normal(geometry, p, size), -distance);
    }
}

static bool has_flat_faces(const ash_geometry *geometry)
{
    ash_geometry_kind kind = geometry->def.kind;
    return kind == ASH_GEOMETRY_BOX || kind == ASH_GEOMETRY_CYLINDER || kind == ASH_GEOMETRY_CONE ||
           kind == ASH_GEOMETRY_HULL;
}

/* Whether a point of the surface lies within a flat face, farther than `off` from its edges: there the field rests on
 * it with its own corners. */
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

/* ---- the deepest point ---- */

/* A point of a, with the value and the gradient of the field there, in the frame of a. */
typedef struct place {
    ash_vec3 point, gradient;
    double field;
} place;

/* Points with known gradients: the best one first, then the latest. */
typedef struct bundle {
    place at[BUNDLE];
    ash_vec3 way[BUNDLE]; /* displacements from the best point by steps down their gradients */
    double error[BUNDLE]; /* the field at the best point minus the value that they predict there */
    double share[BUNDLE]; /* weight in the gradient that is followed */
    int count;
} bundle;

static place place_at(const ashi_hunt *hunt, ash_vec3 point)
{
    const ashi_pair *pair = hunt->pair;
    ash_vec3 local = t_point_inverse(pair->b_in_a, point);
    ash_vec3 gradient = ashi_field_gradient(pair->b, local);
    return (place){point, q_rotate(pair->b_in_a.rotation, gradient), pair->b->functions->distance(pair->b, local)};
}

/* The displacement along the surface of a by a step down a gradient. */
static ash_vec3 step_down(const ashi_hunt *hunt, ash_vec3 from, ash_vec3 gradient, double step)
{
    return v3_sub(onto(hunt->pair->a, v3_add_scaled(from, gradient, -step), hunt->size), from);
}

/* The shares w of the gradients that minimize |sum w way|^2 / 2 step + sum w error. Returns the predicted decrease of
 * the field. */
static double mix(bundle *b, double step, ash_vec3 *gradient)
{
    ash_vec3 way = b->way[0];
    double fall[BUNDLE];
    for (int i = 0; i < b->count; i++)
        b->share[i] = i == 0;
    for (int n = 0; n < MIXING && b->count > 1; n++) {
        int least = 0, most = 0;
        for (int i = 0; i < b->count; i++) {
            fall[i] = v3_dot(b->way[i], way) / step + b->error[i];
            least = fall[i] < fall[least] ? i : least;
            most = b->share[i] > 0 && (fall[i] > fall[most] || !(b->share[most] > 0)) ? i : most;
        }
        ash_vec3 change = v3_sub(b->way[least], b->way[most]);
        double length = v3_norm2(change) / step;
        if (!(fall[most] - fall[least] > 1e-14 * step))
            break;
        double by = length > 0 ? fmin((fall[most] - fall[least]) / length, b->share[most]) : b->share[most];
        b->share[least] += by;
        b->share[most] -= by;
        way = v3_add_scaled(way, change, by);
    }
    double sum = v3_norm2(way) / step;
    *gradient = v3(0, 0, 0);
    for (int i = 0; i < b->count; i++) {
        *gradient = v3_add_scaled(*gradient, b->at[i].gradient, b->share[i]);
        sum += b->share[i] * b->error[i];
    }
    return sum;
}

/* Records what a point predicts for the best one. Where the field is not convex it predicts too much; the error then
 * counts as positive, and more so the farther away the point is. */
static void judge(const ashi_hunt *hunt, bundle *b, int number, double step)
{
    const place *best = &b->at[0], *p = &b->at[number];
    ash_vec3 off = v3_sub(best->point, p->point);
    b->way[number] = step_down(hunt, best->point, p->gradient, step);
    b->error[number] = fabs(best->field - p->field - v3_dot(p->gradient, off)) + v3_norm2(off) / hunt->size;
}

/* Inserts a point into the bundle at a position. Later points move back, overwriting the first with weight zero. */
static void insert(bundle *b, int number, const place *next)
{
    int last = number > 1 ? number : 1;
    while (last < b->count && b->share[last] > 0)
        last++;
    last = last < BUNDLE ? last : BUNDLE - 1;
    b->count = last < b->count ? b->count : last + 1;
    for (int i = last; i > number; i--) {
        b->at[i] = b->at[i - 1];
        b->way[i] = b->way[i - 1];
        b->error[i] = b->error[i - 1];
        b->share[i] = b->share[i - 1];
    }
    b->at[number] = *next;
}

/* The best of some long steps along a, in both directions, from the point that faces the middle of the field's
 * inside. */
static place walk(const ashi_hunt *hunt)
{
    const ashi_pair *pair = hunt->pair;
    double step = 2 * least_spacing(pair->b);
    place now = place_at(hunt, onto(pair->a, t_point(pair->b_in_a, pair->b->unit_mass.centre), hunt->size)), best = now;
    for (int n = 1; n < LONG_STEPS; n++) {
        now = place_at(hunt, v3_add(now.point, step_down(hunt, now.point, v3_unit(now.gradient), step)));
        best = now.field < best.field ? now : best;
    }
    return best;
}

/* The field has kinks at the sides of its cells, and the deepest point is often on one. There a step down the gradient
 * of one side climbs the other. So the field is modelled as the maximum of the predictions from all visited points
 * (proximal bundle method, Lemarechal). The model has the same kinks as the field, and the mixture of gradients that
 * leads to its lowest point finally becomes normal to a. The depth then changes with the motion of the bodies as for a
 * contact with this normal. */
static place descend(const ashi_hunt *hunt, const place *from)
{
    const ashi_pair *pair = hunt->pair;
    bundle b = {.at = {*from}, .count = 1};
    ash_vec3 normal = from->gradient;
    double longest = 2 * least_spacing(pair->b), step = longest, enough = ENOUGH * hunt->size;
    bool failed = false;
    judge(hunt, &b, 0, step);
    for (int n = 0; n < DESCENT_STEPS; n++) {
        double fall = mix(&b, step, &normal);
        if (!(fall > enough))
            break;
        if (failed && !(b.share[1] > 0)) { /* the new point changes nothing: take a shorter step */
            step *= SHORTER;
            for (int i = 0; i < b.count; i++)
                judge(hunt, &b, i, step);
            failed = false;
            continue;
        }
        ash_vec3 way = step_down(hunt, b.at[0].point, normal, step);
        place next = place_at(hunt, v3_add(b.at[0].point, way));
        failed = !(next.field < b.at[0].field);
        double share = (b.at[0].field - next.field) / fall;
        insert(&b, failed ? 1 : 0, &next);
        step = failed ? step : share > WELL ? fmin(LONGER * step, longest) : share < BADLY ? SHORTER * step : step;
        for (int i = failed ? 1 : 0; i < (failed ? 2 : b.count); i++)
            judge(hunt, &b, i, step);
    }
    /* Removes the rest of it along a. */
    double off = OFF * least_spacing(pair->b);
    b.at[0].gradient = v3_add_scaled(normal, step_down(hunt, b.at[0].point, normal, off), 1 / off);
    return b.at[0];
}

/* For points far away or deep, the walk is accurate enough: deep inside, the gradients of all sides meet. */
static place find_deepest(const ashi_hunt *hunt)
{
    double near = least_spacing(hunt->pair->b);
    place best = walk(hunt);
    return best.field > -near && best.field < hunt->pair->margin + near ? descend(hunt, &best) : best;
}

static bool probe_deepest(ashi_hunt *hunt)
{
    const ash_geometry *a = hunt->pair->a, *b = hunt->pair->b;
    if (!hunt->grouping) {
        place deepest = find_deepest(hunt);
        hunt->lowest =
            (ashi_probe_contact){deepest.point, v3_neg(v3_unit(deepest.gradient)), -deepest.field, ASHI_DEEPEST_POINT};
        hunt->on_face = is_within_face(a, deepest.point, hunt->size, v3_max_component(b->def.spacing));
    }
    if (!hunt->on_face)
        ashi_probe_report(hunt, &hunt->lowest);
    return hunt->on_face;
}

/* Probes, for a point on the axis of a sphere or capsule, the surface point towards the field. */
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
    default: /* sphere and ellipsoid: the deepest point is enough */
        break;
    }
    return on_face;
}
