/* Which doubtful contacts of a body with a surface are needed.
 *
 * To be free of a triangle T the body K must move along a unit normal n by at most
 *     w(n, T) = max of n . x over T - min of n . y over K.
 *
 * Closed meshes (see also escape.h): starting from the shallowest, a contact is dropped if an earlier one also frees
 * the body from its triangle.
 *
 * Height fields: the depth of a triangle is the minimum of the depth under its own face and of w(n, T) over all known
 * normals: those of faces, of edges that the body crosses and of corners that penetrate it. For a given n and T, w
 * changes no faster than any point of K moves; the same holds for the minimum of such functions and for the maximum
 * over triangles. Hence the depth of the contact jumps only if a normal appears or disappears while it is the shortest
 * way; to have normals before that, the edges of triangles that are not touched yet are included. */
#include "collide/surface/facet_points.h"
#include "collide/surface/surface.h"

/* A doubtful contact whose normal differs by more than about 15 degrees from a certain one's is not needed if the
 * certain one frees its triangle. Closer ones may support a body on a nearly flat floor. */
#define LIKE_NORMAL 0.966

/* A triangle's choice is the number of a manifold or, counted after those, of a doubtful contact, or this. */
#define OWN_FACE UINT32_MAX
#define NONE     (UINT32_MAX - 1)

static double slack_of(const ashi_gathering *g)
{
    return ASHI_SAME_POINT * g->visitor.size;
}

/* The lowest point of the body along a normal. */
static ash_vec3 lowest(const ashi_visitor *visitor, ash_vec3 normal)
{
    ash_vec3 down = v3_neg(q_unrotate(visitor->pose.rotation, normal));
    ash_vec3 low = t_point(visitor->pose, ashi_convex_support(&visitor->core, down, NULL));
    return v3_add_scaled(low, normal, -visitor->core.radius);
}

static double bottom_along(const ashi_gathering *g, ash_vec3 normal)
{
    return v3_dot(normal, lowest(&g->visitor, normal));
}

static double top_along(const ashi_facet *facet, ash_vec3 normal)
{
    return fmax(fmax(v3_dot(normal, facet->corners[0]), v3_dot(normal, facet->corners[1])),
                v3_dot(normal, facet->corners[2]));
}

static ashi_facet facet_of(const ashi_gathering *g, const ashi_doubtful *d)
{
    return g->surface->facet(g->surface->geometry, d->number);
}

/* Recomputes the contact: only the data for the decision was recorded. */
static void find_again(const ashi_gathering *g, const ashi_doubtful *d, const ashi_facet *facet, ashi_manifold *found)
{
    if (d->feature >= 3)
        ashi_facet_prick(g->surface, &g->visitor, facet, d->feature - 3, found);
    else if (d->feature >= 0)
        ashi_facet_crossing(g->surface, &g->visitor, facet, d->feature, found);
    else
        ashi_facet_contact(g->surface, &g->visitor, facet, found);
}

/* A face that is not needed still supports the body if it is nearly parallel: adds its points along the normal of
 * another manifold. */
static void add_along(ashi_gathering *g, ashi_manifold *m, const ashi_facet *facet, ashi_manifold *face)
{
    ashi_facet_lean(&g->visitor, facet, m->normal, ashi_manifold_deepest(m), face);
    ashi_gathering_add_points(g, m, face);
}

static bool precedes(const ashi_doubtful *a, const ashi_doubtful *b)
{
    return a->behind != b->behind ? b->behind : a->depth < b->depth;
}

/* Shallowest first; insertion sort, since there are few. */
static void sort(ashi_gathering *g)
{
    for (uint32_t i = 1; i < g->doubtful_count; i++) {
        ashi_doubtful one = g->doubtful[i];
        uint32_t k = i;
        for (; k > 0 && precedes(&one, &g->doubtful[k - 1]); k--)
            g->doubtful[k] = g->doubtful[k - 1];
        g->doubtful[k] = one;
    }
}

/* The manifold, if any, that makes a contact unnecessary. */
static ashi_manifold *find_freeing(const ashi_gathering *g, const ashi_doubtful *d, const ashi_facet *facet)
{
    for (uint32_t i = g->first; i < g->manifolds->count; i++) {
        ashi_manifold *m = &g->manifolds->data[i];
        double other = ashi_manifold_deepest(m);
        bool milder = other > 0 && other < d->depth - slack_of(g);
        if ((milder || v3_dot(m->normal, d->normal) < LIKE_NORMAL) &&
            top_along(facet, m->normal) - bottom_along(g, m->normal) <= other + slack_of(g))
            return m;
    }
    return NULL;
}

static bool judge_in_turn(ashi_gathering *g, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const ashi_doubtful *d = &g->doubtful[i];
        ashi_facet facet = facet_of(g, d);
        ashi_manifold found, *freeing = find_freeing(g, d, &facet);
        find_again(g, d, &facet, &found);
        if (freeing != NULL && d->feature < 0)
            add_along(g, freeing, &facet, &found);
        if (freeing == NULL &&
            !(d->behind ? ashi_gathering_merge_behind(g, &facet, &found) : ashi_gathering_merge(g, &found)))
            return false;
    }
    return true;
}

/* A triangle's shortest way: its choice and its length. */
typedef struct choice {
    uint32_t number;
    double way;
} choice;

static choice choose(const ashi_gathering *g, const ashi_doubtful *d, uint32_t count, const ashi_facet *facet)
{
    double slack = slack_of(g);
    uint32_t manifolds = g->manifolds->count - g->first;
    choice best = {OWN_FACE, d->depth - slack};
    for (uint32_t i = 0; i < manifolds; i++) {
        const ashi_manifold *m = &g->manifolds->data[g->first + i];
        double depth = ashi_manifold_deepest(m), way = top_along(facet, m->normal) - bottom_along(g, m->normal);
        if (way <= depth + slack && v3_dot(m->normal, d->normal) < LIKE_NORMAL)
            return (choice){i, depth};
        if (depth > 0 && fmax(depth, way) < best.way)
            best = (choice){i, fmax(depth, way)};
    }
    for (uint32_t i = 0; i < count; i++) {
        const ashi_doubtful *other = &g->doubtful[i];
        double way = top_along(facet, other->normal) - other->bottom;
        if (other->depth > 0 && way < best.way && other != d)
            best = (choice){manifolds + i, way};
    }
    if (best.way < -g->visitor.margin) /* not touched at all */
        best.number = NONE;
    return best;
}

/* Gives a manifold this depth, by adding the lowest point of the body. */
static void deepen(ashi_gathering *g, ashi_manifold *m, const ashi_facet *facet, double depth)
{
    double same = slack_of(g);
    if (depth <= ashi_manifold_deepest(m) + same)
        return;
    ash_vec3 low = lowest(&g->visitor, m->normal);
    for (uint32_t k = 0; k < m->count; k++)
        if (v3_norm2(v3_sub(m->points[k].on_a, low)) <= same * same) {
            m->points[k].depth = depth;
            return;
        }
    ashi_manifold more = {.count = 1};
    more.points[0] = (ashi_manifold_point){low, depth, ashi_facet_witness(facet, ASHI_FACE)};
    ashi_gathering_add_points(g, m, &more);
}

/* Adds a contact with the depth that is needed. */
static bool add_needed(ashi_gathering *g, const ashi_doubtful *d)
{
    ashi_facet facet = facet_of(g, d);
    ashi_manifold found;
    uint32_t kept = 0;
    find_again(g, d, &facet, &found);
    for (uint32_t k = 0; k < found.count; k++)
        if (found.points[k].depth <= d->needed + slack_of(g))
            found.points[kept++] = found.points[k];
    found.count = kept;
    deepen(g, &found, &facet, d->needed);
    return ashi_gathering_merge(g, &found);
}

/* The manifold along a normal; there is one. */
static ashi_manifold *manifold_along(ashi_gathering *g, ash_vec3 normal)
{
    ashi_manifold *best = &g->manifolds->data[g->first];
    for (uint32_t i = g->first; i < g->manifolds->count; i++)
        if (v3_dot(g->manifolds->data[i].normal, normal) > v3_dot(best->normal, normal))
            best = &g->manifolds->data[i];
    return best;
}

static bool judge_together(ashi_gathering *g, uint32_t count)
{
    uint32_t manifolds = g->manifolds->count - g->first;
    choice choices[ASHI_DOUBTFUL_MOST];
    for (uint32_t i = 0; i < count; i++) {
        ashi_doubtful *d = &g->doubtful[i];
        ashi_facet facet = facet_of(g, d);
        choices[i] = d->required ? choose(g, d, count, &facet) : (choice){NONE, 0};
        if (choices[i].number == OWN_FACE)
            d->needed = fmax(d->needed, d->depth);
        else if (choices[i].number != NONE && choices[i].number >= manifolds) {
            ashi_doubtful *other = &g->doubtful[choices[i].number - manifolds];
            other->needed = fmax(other->needed, choices[i].way);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(g->doubtful[i].needed) && !add_needed(g, &g->doubtful[i]))
            return false;
    for (uint32_t i = 0; i < count; i++) {
        const ashi_doubtful *d = &g->doubtful[i];
        uint32_t number = choices[i].number;
        if (number == OWN_FACE || number == NONE)
            continue;
        ashi_facet facet = facet_of(g, d);
        ashi_manifold found, *m = number < manifolds ? &g->manifolds->data[g->first + number]
                                                     : manifold_along(g, g->doubtful[number - manifolds].normal);
        deepen(g, m, &facet, choices[i].way);
        if (d->feature >= 0)
            continue;
        find_again(g, d, &facet, &found);
        add_along(g, m, &facet, &found);
    }
    return true;
}

bool ashi_judge_doubtful(ashi_gathering *g)
{
    uint32_t count = g->doubtful_count;
    sort(g);
    g->doubtful_count = 0;
    return g->surface->closed ? judge_in_turn(g, count) : judge_together(g, count);
}

bool ashi_doubt(ashi_gathering *g, uint32_t number, int feature, bool required, bool behind, const ashi_manifold *found)
{
    g->doubtful[g->doubtful_count++] = (ashi_doubtful){.number = number,
                                                       .feature = feature,
                                                       .required = required,
                                                       .behind = behind,
                                                       .depth = ashi_manifold_deepest(found),
                                                       .normal = found->normal,
                                                       .bottom = bottom_along(g, found->normal),
                                                       .needed = -INFINITY};
    return g->doubtful_count < ASHI_DOUBTFUL_MOST || ashi_judge_doubtful(g);
}
