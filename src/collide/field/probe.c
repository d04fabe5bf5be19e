/* The search for contacts: points, their distances and normals, and the groups. */
#include "collide/field/probe.h"

#include "collide/field/field_corners.h"
#include "collide/spread.h"
#include "shape/distance_field.h"
#include "shape/mesh.h"

/* Points closer than this share of the size are one. */
#define SAME_POINT 1e-6
/* Depths closer than this share of the size are equal. */
#define SAME_DEPTH 1e-6
/* Step of numerical derivatives, as a share of the size: curvature then costs about 1e-10. */
#define STEP 1e-5

/* The exact normal from the nearest point; on the surface itself the face's normal. */
static ash_vec3 mesh_normal(const ash_geometry *geometry, ash_vec3 point, double size)
{
    ashi_tree_nearest near = ashi_triangle_tree_nearest(&geometry->mesh->tree, point);
    if (near.distance <= 1e-9 * size)
        return ashi_mesh_normal(geometry, near.triangle);
    double sign = geometry->functions->distance(geometry, point) < 0 ? -1 : 1;
    return v3_scale(v3_sub(point, near.point), sign / near.distance);
}

ash_vec3 ashi_distance_normal(const ash_geometry *geometry, ash_vec3 p, double size)
{
    switch (geometry->def.kind) {
    case ASH_GEOMETRY_PLANE:
        return v3(0, 0, 1);
    case ASH_GEOMETRY_SPHERE:
        return v3_unit(p);
    case ASH_GEOMETRY_DISTANCE_FIELD:
        return v3_unit(ashi_field_gradient(geometry, p));
    case ASH_GEOMETRY_MESH:
        return mesh_normal(geometry, p, size);
    default:
        break;
    }
    double (*distance)(const ash_geometry *, ash_vec3) = geometry->functions->distance;
    double h = STEP * size;
    return v3_unit(v3(distance(geometry, v3(p.x + h, p.y, p.z)) - distance(geometry, v3(p.x - h, p.y, p.z)),
                      distance(geometry, v3(p.x, p.y + h, p.z)) - distance(geometry, v3(p.x, p.y - h, p.z)),
                      distance(geometry, v3(p.x, p.y, p.z + h)) - distance(geometry, v3(p.x, p.y, p.z - h))));
}

static const uint32_t *kept_of(const ashi_hunt *hunt)
{
    return hunt->pair->cache != NULL ? hunt->pair->cache->kept : NULL;
}

static void add_to_group(ashi_hunt *hunt, uint32_t group, const ashi_probe_contact *contact)
{
    ashi_manifold *m = &hunt->manifolds->data[hunt->first + group];
    double same = SAME_POINT * hunt->size;
    for (uint32_t k = 0; k < m->count; k++)
        if (v3_norm2(v3_sub(m->points[k].on_a, contact->on_a)) <= same * same)
            return;
    if (m->count == ASHI_MANIFOLD_MOST)
        ashi_manifold_make_room(m, SAME_DEPTH * hunt->size, kept_of(hunt));
    m->points[m->count++] = (ashi_manifold_point){contact->on_a, contact->depth, contact->feature};
    if (m->count == 1 || contact->depth > hunt->of_group[group].depth)
        hunt->of_group[group] = *contact;
}

static bool open_group(ashi_hunt *hunt, ash_vec3 normal)
{
    if (!ashi_array_extend(hunt->manifolds)) {
        hunt->out_of_memory = true;
        return false;
    }
    hunt->manifolds->data[hunt->manifolds->count - 1] = (ashi_manifold){.normal = normal};
    return true;
}

void ashi_probe_report(ashi_hunt *hunt, const ashi_probe_contact *contact)
{
    if (!(-contact->depth <= hunt->pair->margin) || !(v3_norm2(contact->normal) > 0)) /* no unique shortest way out */
        return;
    if (!hunt->grouping) {
        if (contact->depth > hunt->deepest.depth)
            hunt->deepest = *contact;
        return;
    }
    if (hunt->deep && v3_dot(contact->normal, hunt->deepest.normal) <= 0)
        return;
    uint32_t groups = hunt->manifolds->count - hunt->first, best = groups;
    double nearest = ASHI_PROBE_COSINE;
    for (uint32_t g = 0; g < groups; g++) {
        double cosine = v3_dot(hunt->manifolds->data[hunt->first + g].normal, contact->normal);
        if (cosine >= nearest) {
            nearest = cosine;
            best = g;
        }
    }
    if (best == groups && (groups == ASHI_PROBE_GROUPS || !open_group(hunt, contact->normal)))
        return;
    add_to_group(hunt, best, contact);
}

static double extent(const ash_geometry *geometry)
{
    if (geometry->functions->endless)
        return INFINITY;
    ash_bounds box = ash_geometry_bounds(geometry, (ash_transform){v3(0, 0, 0), q_identity()});
    return v3_max_component(v3_sub(box.upper, box.lower));
}

void ashi_probe_point(ashi_hunt *hunt, ashi_side side, ash_vec3 point, uint32_t feature)
{
    const ashi_pair *pair = hunt->pair;
    const ash_geometry *other = side == ASHI_SIDE_A ? pair->b : pair->a;
    ash_vec3 local = side == ASHI_SIDE_A ? t_point_inverse(pair->b_in_a, point) : point;
    double distance = other->functions->distance(other, local);
    if (!(distance <= pair->margin) || (!hunt->grouping && -distance <= hunt->deepest.depth))
        return;
    ash_vec3 outward = ashi_distance_normal(other, local, hunt->size);
    if (!(v3_norm2(outward) > 0)) /* no unique shortest way out */
        return;
    ashi_probe_contact contact = {.depth = -distance, .feature = 1 + 2 * feature + (side == ASHI_SIDE_B)};
    if (side == ASHI_SIDE_A) {
        contact.normal = v3_neg(q_rotate(pair->b_in_a.rotation, outward));
        contact.on_a = point;
    } else {
        contact.normal = outward;
        contact.on_a = v3_add_scaled(point, outward, -distance);
    }
    ashi_probe_report(hunt, &contact);
}

/* A lower bound of the other side's distance within a sphere. Outside a field's grid the distance to the grid is added,
 * and at least that. */
static double nearest_in(const ash_geometry *other, ash_vec3 centre, double radius, double margin)
{
    if (other->def.kind != ASH_GEOMETRY_DISTANCE_FIELD)
        return other->functions->distance(other, centre) - radius;
    ash_bounds grid = ashi_field_grid(&other->def);
    double gap = v3_distance(centre, v3_min(v3_max(centre, grid.lower), grid.upper));
    if (gap - radius > margin)
        return gap - radius;
    double slope = other->field->samples.slope;
    ash_vec3 inner = v3_min(v3_sub(centre, grid.lower), v3_sub(grid.upper, centre));
    bool leaves = !(fmin(inner.x, fmin(inner.y, inner.z)) >= radius);
    return other->functions->distance(other, centre) - (leaves ? sqrt(slope * slope + 1) : slope) * radius;
}

void ashi_probe_samples(ashi_hunt *hunt, ashi_side side)
{
    const ashi_pair *pair = hunt->pair;
    const ash_geometry *field = side == ASHI_SIDE_A ? pair->a : pair->b;
    const ash_geometry *other = side == ASHI_SIDE_A ? pair->b : pair->a;
    const ashi_field_samples *samples = &field->field->samples;
    ash_transform to_other = side == ASHI_SIDE_A ? t_inverse(pair->b_in_a) : pair->b_in_a;
    uint32_t stack[ASHI_SAMPLE_DEPTH], depth = 0, number = 0;
    while (number < samples->nodes.count) {
        const ashi_sample_node *node = &samples->nodes.data[number];
        double nearest = nearest_in(other, t_point(to_other, node->centre), node->radius, pair->margin);
        if (nearest <= pair->margin && (hunt->grouping || nearest < -hunt->deepest.depth)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t n = node->first; n < node->first + node->count; n++) {
                ash_vec3 point = samples->points.data[n];
                ashi_probe_point(hunt, side, side == ASHI_SIDE_A ? point : t_point(pair->b_in_a, point), n);
            }
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

/* Probes corners as they are visited. */
typedef struct corner_probe {
    ashi_hunt *hunt;
    ashi_side side;
} corner_probe;

static void probe_corner(ash_vec3 corner, uint32_t number, void *user)
{
    const corner_probe *probe = user;
    ash_vec3 point = probe->side == ASHI_SIDE_A ? corner : t_point(probe->hunt->pair->b_in_a, corner);
    ashi_probe_point(probe->hunt, probe->side, point, number);
}

/* Whether points within a box in the field's frame, or up to a cell around it, may be contacts. */
static bool may_touch(const ashi_hunt *hunt, const ash_geometry *other, ash_transform to_other, const ash_bounds *box,
                      ash_vec3 cell)
{
    ash_vec3 centre = v3_scale(v3_add(box->lower, box->upper), 0.5);
    double radius = v3_distance(box->upper, centre) + v3_norm(cell);
    double nearest = nearest_in(other, t_point(to_other, centre), radius, hunt->pair->margin);
    return nearest <= hunt->pair->margin && (hunt->grouping || nearest < -hunt->deepest.depth);
}

void ashi_probe_corners(ashi_hunt *hunt, ashi_side side)
{
    const ashi_pair *pair = hunt->pair;
    const ash_geometry *own = side == ASHI_SIDE_A ? pair->a : pair->b;
    const ash_geometry *other = side == ASHI_SIDE_A ? pair->b : pair->a;
    ash_transform to_other = side == ASHI_SIDE_A ? t_inverse(pair->b_in_a) : pair->b_in_a;
    const ashi_field_surface *field = own->field;
    corner_probe probe = {hunt, side};
    uint32_t stack[ASHI_TREE_DEPTH], depth = 0, number = 0;
    for (;;) {
        const ashi_tree_node *node = &field->nodes[number];
        if (may_touch(hunt, other, to_other, &node->bounds, own->def.spacing)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                number++;
                continue;
            }
            for (uint32_t c = node->first; c < node->first + node->count; c++)
                if (may_touch(hunt, other, to_other, &field->cells[c].inside, own->def.spacing))
                    ashi_field_corners_visit(&own->def, &field->cells[c], probe_corner, &probe);
        }
        if (depth == 0)
            return;
        number = stack[--depth];
    }
}

/* Probes the ball about a field's deepest sample in the other field. */
static void probe_core(ashi_hunt *hunt, ashi_side side)
{
    const ashi_pair *pair = hunt->pair;
    const ash_geometry *own = side == ASHI_SIDE_A ? pair->a : pair->b;
    const ash_geometry *other = side == ASHI_SIDE_A ? pair->b : pair->a;
    ash_transform to_other = side == ASHI_SIDE_A ? t_inverse(pair->b_in_a) : pair->b_in_a;
    ash_vec3 middle = t_point(to_other, own->field->core);
    double distance = other->functions->distance(other, middle), radius = own->field->core_radius;
    hunt->core = fmin(hunt->core, radius);
    if (distance > 0 || (!hunt->grouping && radius - distance <= hunt->deepest.depth))
        return;
    ash_vec3 outward = ashi_distance_normal(other, middle, hunt->size);
    if (!(v3_norm2(outward) > 0))
        outward = v3(0, 0, 1); /* exactly in the middle all directions are equal */
    ashi_probe_contact contact = {.depth = radius - distance, .feature = UINT32_MAX - (side == ASHI_SIDE_B)};
    if (side == ASHI_SIDE_A) {
        ash_vec3 way = q_rotate(pair->b_in_a.rotation, outward);
        contact.normal = v3_neg(way);
        contact.on_a = v3_add_scaled(own->field->core, way, -radius);
    } else {
        contact.normal = outward;
        contact.on_a = v3_add_scaled(middle, outward, -distance);
    }
    ashi_probe_report(hunt, &contact);
}

void ashi_probe_cores(ashi_hunt *hunt)
{
    probe_core(hunt, ASHI_SIDE_A);
    probe_core(hunt, ASHI_SIDE_B);
}

static bool finish(ashi_hunt *hunt)
{
    for (uint32_t i = hunt->first; i < hunt->manifolds->count; i++) {
        ashi_manifold *m = &hunt->manifolds->data[i];
        m->normal = hunt->of_group[i - hunt->first].normal;
        if (!hunt->pair->keep_all_points)
            ashi_manifold_spread(m, SAME_DEPTH * hunt->size, kept_of(hunt));
    }
    if (hunt->pair->cache != NULL)
        ashi_note_spread(hunt->pair->cache, hunt->manifolds->data + hunt->first, hunt->manifolds->count - hunt->first);
    return !hunt->out_of_memory;
}

bool ashi_hunt_run(const ashi_pair *pair, ashi_manifolds *manifolds, ashi_probes probes)
{
    ashi_hunt hunt = {.pair = pair, .manifolds = manifolds, .first = manifolds->count};
    hunt.size = fmin(extent(pair->a), extent(pair->b));
    hunt.deepest.depth = -INFINITY;
    hunt.core = INFINITY;
    probes(&hunt);
    if (!isfinite(hunt.deepest.depth))
        return true;
    hunt.grouping = true;
    hunt.deep = hunt.deepest.depth > hunt.core / 2;
    if (!open_group(&hunt, hunt.deepest.normal))
        return false;
    add_to_group(&hunt, 0, &hunt.deepest);
    probes(&hunt);
    return finish(&hunt);
}
