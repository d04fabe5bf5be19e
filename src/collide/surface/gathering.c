/* The contacts of a body with a surface, gathered triangle by triangle. Contacts with the same normal become one
 * manifold, so that a floor feels like one face whatever its triangles; each is reduced at the end. No memory is needed
 * except the caller's array of manifolds: one for each different normal. */
#include "collide/pairs.h"
#include "collide/spread.h"
#include "collide/surface/escape.h"
#include "collide/surface/facet_points.h"
#include "collide/surface/surface.h"
#include "shape/geometry.h"

/* Normals closer than this are the same. */
#define SAME_NORMAL 1e-6
/* Depths closer than this share of the body's size are the same. */
#define SAME_DEPTH 1e-6
/* A way out of the whole mesh replaces the contacts of its triangles if it is shorter than this times the deepest of
 * them. */
#define CLEARLY_SHORTER 0.9

static void begin(ashi_gathering *g, const ashi_facet_source *surface, const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ash_bounds box = ash_geometry_bounds(pair->a, (ash_transform){v3(0, 0, 0), q_identity()});
    g->surface = surface;
    g->visitor = (ashi_visitor){.geometry = pair->a,
                                .core = ashi_convex_of(pair->a),
                                .pose = t_inverse(pair->b_in_a),
                                .margin = pair->margin,
                                .size = v3_max_component(v3_sub(box.upper, box.lower))};
    g->manifolds = manifolds;
    g->first = manifolds->count;
    g->kept = pair->cache != NULL ? pair->cache->kept : NULL;
    g->way = NULL;
    g->doubted = g->untouched = false;
    g->doubtful_count = g->floor_count = 0;
}

double ashi_manifold_deepest(const ashi_manifold *manifold)
{
    double depth = -INFINITY;
    for (uint32_t k = 0; k < manifold->count; k++)
        depth = fmax(depth, manifold->points[k].depth);
    return depth;
}

void ashi_gathering_add_points(ashi_gathering *g, ashi_manifold *m, const ashi_manifold *more)
{
    if (m->count + more->count > ASHI_MANIFOLD_MOST)
        ashi_manifold_make_room(m, SAME_DEPTH * g->visitor.size, g->kept);
    for (uint32_t k = 0; k < more->count; k++)
        ashi_facet_add_point(m, more->points[k].on_a, more->points[k].depth, more->points[k].feature,
                             ASHI_SAME_POINT * g->visitor.size);
}

bool ashi_gathering_merge(ashi_gathering *g, const ashi_manifold *found)
{
    for (uint32_t i = g->first; i < g->manifolds->count; i++) {
        ashi_manifold *m = &g->manifolds->data[i];
        if (v3_norm2(v3_sub(m->normal, found->normal)) > SAME_NORMAL * SAME_NORMAL)
            continue;
        ashi_gathering_add_points(g, m, found);
        return true;
    }
    if (!ashi_array_extend(g->manifolds))
        return false;
    g->manifolds->data[g->manifolds->count - 1] = *found;
    return true;
}

/* Whether a floor lies in the plane given by a contact's normal and its first point on the surface. */
static bool is_floor_of(const ashi_gathering *g, ash_vec3 normal, double level, const ashi_manifold *m)
{
    double other = v3_dot(normal, m->points[0].on_a) + m->points[0].depth;
    return v3_norm2(v3_sub(m->normal, normal)) <= SAME_NORMAL * SAME_NORMAL &&
           fabs(level - other) <= ASHI_SAME_POINT * g->visitor.size;
}

static void note_floor(ashi_gathering *g, const ashi_facet *facet)
{
    double level = v3_dot(facet->normal, facet->corners[0]);
    for (uint32_t i = 0; i < g->floor_count; i++)
        if (v3_norm2(v3_sub(g->floors[i].normal, facet->normal)) <= SAME_NORMAL * SAME_NORMAL &&
            fabs(g->floors[i].level - level) <= ASHI_SAME_POINT * g->visitor.size)
            return;
    if (g->floor_count < ASHI_FLOORS_MOST)
        g->floors[g->floor_count++] = (ashi_floor){facet->normal, level};
}

bool ashi_gathering_merge_behind(ashi_gathering *g, const ashi_facet *facet, const ashi_manifold *found)
{
    double level = v3_dot(facet->normal, facet->corners[0]);
    for (uint32_t i = g->first; i < g->manifolds->count; i++)
        if (is_floor_of(g, facet->normal, level, &g->manifolds->data[i]))
            return ashi_gathering_merge(g, found);
    for (uint32_t i = 0; i < g->floor_count; i++)
        if (is_floor_of(g, g->floors[i].normal, g->floors[i].level, found))
            return ashi_gathering_merge(g, found);
    return true;
}

/* Adds the points of a triangle that a body on its way out leaves last, or nearly last. */
static void gather_along(ashi_gathering *g, const ashi_facet *facet)
{
    const ashi_escape *way = g->way;
    ashi_manifold face = {0}, edges = {.normal = way->normal};
    double most = way->depth + 1e-12 * g->visitor.size;
    ashi_facet_face_points(g->surface, &g->visitor, facet, &face);
    ashi_facet_lean(&g->visitor, facet, way->normal, most, &face);
    for (int k = 0; k < 3; k++)
        if (!ashi_facet_is_flat_at(g->surface, facet, k)) /* inside a flat floor there is no edge to rest on */
            ashi_facet_edge_points(g->surface, &g->visitor, facet, (ashi_feature)(ASHI_EDGE_0 + k), &edges);
    uint32_t count = 0;
    for (uint32_t k = 0; k < edges.count; k++)
        if (edges.points[k].depth <= most)
            edges.points[count++] = edges.points[k];
    edges.count = count;
    ashi_gathering_add_points(g, &g->manifolds->data[g->first], &edges);
    ashi_gathering_add_points(g, &g->manifolds->data[g->first], &face);
}

/* Records candidate normals between those of faces, along which the body may leave. */
static bool doubt_edges(ashi_gathering *g, const ashi_facet *facet, bool required)
{
    ashi_manifold found;
    for (int edge = 0; edge < 3; edge++)
        if (isfinite(ashi_facet_crossing(g->surface, &g->visitor, facet, edge, &found)) &&
            !ashi_doubt(g, facet->number, edge, required, false, &found))
            return false;
    return true;
}

static bool doubt_corners(ashi_gathering *g, const ashi_facet *facet)
{
    ashi_manifold found;
    for (int corner = 0; corner < 3; corner++)
        if (isfinite(ashi_facet_prick(g->surface, &g->visitor, facet, corner, &found)) &&
            !ashi_doubt(g, facet->number, 3 + corner, false, false, &found))
            return false;
    return true;
}

bool ashi_gather(ashi_gathering *g, uint32_t triangle)
{
    ashi_facet facet = g->surface->facet(g->surface->geometry, triangle);
    if (g->way != NULL) {
        gather_along(g, &facet);
        return true;
    }
    ashi_manifold found;
    ashi_facet_touch touch = ashi_facet_contact(g->surface, &g->visitor, &facet, &found);
    bool behind = touch == ASHI_TOUCH_BEHIND, closed = g->surface->closed;
    bool inner = touch == ASHI_TOUCH_INNER || touch == ASHI_TOUCH_INNER_DOUBTFUL;
    if (g->untouched)
        return touch == ASHI_TOUCH_NONE || behind ? doubt_edges(g, &facet, false) : true;
    if (touch == ASHI_TOUCH_SURE)
        return ashi_gathering_merge(g, &found);
    if (touch == ASHI_TOUCH_NONE)
        return true;
    if (inner)
        note_floor(g, &facet);
    else if (!ashi_doubt(g, triangle, -1, true, behind && closed, &found))
        return false;
    g->doubted = g->doubted || touch == ASHI_TOUCH_DOUBTFUL || touch == ASHI_TOUCH_INNER_DOUBTFUL;
    if (behind || g->visitor.geometry->functions->ball)
        return true;
    return doubt_edges(g, &facet, closed || inner) && (closed || doubt_corners(g, &facet));
}

/* If a floor is touched but the body's lowest point over it is not among the points, that point may lie behind a
 * triangle outside the body's box: searches there. */
static bool look_under(ashi_gathering *g, ash_vec3 normal, double level, double known)
{
    const ashi_visitor *v = &g->visitor;
    ash_vec3 down = v3_neg(q_unrotate(v->pose.rotation, normal));
    ash_vec3 low = t_point(v->pose, ashi_convex_support(&v->core, down, NULL));
    double height = v3_dot(normal, low) - level, slack = ASHI_SAME_POINT * v->size;
    if (v->core.radius - height <= known + slack)
        return true;
    ash_vec3 over = v3_add_scaled(low, normal, -height), around = v3(slack, slack, slack);
    ash_bounds box = {v3_sub(over, around), v3_add(over, around)};
    return g->surface->walk(g, &box);
}

static bool look_under_floors(ashi_gathering *g)
{
    uint32_t manifolds = g->manifolds->count, floors = g->floor_count;
    for (uint32_t i = g->first; i < manifolds; i++) {
        const ashi_manifold *m = &g->manifolds->data[i];
        double level = v3_dot(m->normal, m->points[0].on_a) + m->points[0].depth;
        if (!look_under(g, m->normal, level, ashi_manifold_deepest(m)))
            return false;
    }
    for (uint32_t i = 0; i < floors; i++)
        if (!look_under(g, g->floors[i].normal, g->floors[i].level, 0))
            return false;
    return ashi_judge_doubtful(g);
}

/* A single witness point keeps its feature when it moves on to the next triangle. */
static void name_witness(ashi_manifold *m)
{
    uint32_t witnesses = 0, last = 0;
    for (uint32_t k = 0; k < m->count; k++)
        if (m->points[k].feature >= ASHI_FACET_WITNESS) {
            witnesses++;
            last = k;
        }
    if (witnesses == 1)
        m->points[last].feature = ASHI_FACET_WITNESS;
}

static void finish(ashi_gathering *g, const ashi_pair *pair)
{
    for (uint32_t i = g->first; i < g->manifolds->count; i++) {
        ashi_manifold *m = &g->manifolds->data[i];
        name_witness(m);
        if (!pair->keep_all_points)
            ashi_manifold_spread(m, SAME_DEPTH * g->visitor.size, g->kept);
        m->normal = v3_neg(q_rotate(pair->b_in_a.rotation, m->normal));
        for (uint32_t k = 0; k < m->count; k++)
            m->points[k].on_a = t_point(pair->b_in_a, m->points[k].on_a);
    }
    if (pair->cache != NULL)
        ashi_note_spread(pair->cache, g->manifolds->data + g->first, g->manifolds->count - g->first);
}

/* Replaces the manifolds by one along the way out. */
static bool leave(ashi_gathering *g, const ashi_escape *way)
{
    g->manifolds->count = g->first;
    if (!ashi_array_extend(g->manifolds))
        return false;
    g->manifolds->data[g->first] = (ashi_manifold){.normal = way->normal};
    ash_bounds here = ash_geometry_bounds(g->visitor.geometry, g->visitor.pose);
    ash_bounds there = ash_geometry_bounds(g->visitor.geometry, way->pose);
    ash_bounds box = {v3_min(here.lower, there.lower), v3_max(here.upper, there.upper)};
    g->way = way;
    if (!g->surface->walk(g, &box))
        return false;
    ashi_manifold *m = &g->manifolds->data[g->first];
    if (ashi_manifold_deepest(m) < way->depth - 1e-9 * g->visitor.size)
        ashi_facet_add_point(m, way->on_body, way->depth, ASHI_FACET_WITNESS, ASHI_SAME_POINT * g->visitor.size);
    return true;
}

/* A body that is deep in a sheet may leave along normals of triangles that it does not touch yet. A body that touches
 * no triangle is below the sheet. */
static bool look_for_normals(ashi_gathering *g, const ash_bounds *box)
{
    if (!g->doubted && g->manifolds->count == g->first && g->floor_count == 0)
        g->doubtful_count = 0;
    g->untouched = g->doubted && !g->visitor.geometry->functions->ball;
    bool done = !g->untouched || g->surface->walk(g, box);
    g->untouched = false;
    return done;
}

/* Decides on contacts that are or may be deep: those of the triangles, unless the whole mesh gives a shorter way. */
static bool settle(ashi_gathering *g, const ash_bounds *box)
{
    ashi_escape way;
    bool closed = g->surface->closed, unsure = closed && (g->doubted || g->manifolds->count == g->first);
    if (unsure && ashi_escape_find(g->surface, &g->visitor, &way))
        return leave(g, &way);
    if (!closed && !look_for_normals(g, box))
        return false;
    if (!ashi_judge_doubtful(g) || !look_under_floors(g))
        return false;
    if (!unsure || !g->doubted)
        return true;
    double most = 0;
    for (uint32_t i = g->first; i < g->manifolds->count; i++)
        most = fmax(most, CLEARLY_SHORTER * ashi_manifold_deepest(&g->manifolds->data[i]));
    if (!(most > 0)) /* all were touched at places that give no depth */
        most = 2 * g->visitor.size;
    return ashi_escape_shorten(g->surface, &g->visitor, most, &way) ? leave(g, &way) : true;
}

ashi_facet_source ashi_surface_of(const ash_geometry *geometry)
{
    ashi_facet_source surface = geometry->def.kind == ASH_GEOMETRY_MESH ? ashi_mesh_surface : ashi_height_field_surface;
    surface.geometry = geometry;
    return surface;
}

bool ashi_collide_convex_surface(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_facet_source surface = ashi_surface_of(pair->b);
    ashi_gathering gathering;
    begin(&gathering, &surface, pair, manifolds);
    ash_bounds box = ash_geometry_bounds(pair->a, gathering.visitor.pose);
    ash_vec3 margin = v3(pair->margin, pair->margin, pair->margin);
    box.lower = v3_sub(box.lower, margin);
    box.upper = v3_add(box.upper, margin);
    if (!surface.walk(&gathering, &box) || !settle(&gathering, &box))
        return false;
    finish(&gathering, pair);
    return true;
}
