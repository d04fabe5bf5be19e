/* Meshes with meshes and with height fields: the touches of their features (skins.h), made into manifolds.
 *
 * Touches with the same normal form one manifold. Features that have passed each other may also give a way out that is
 * longer than needed: the vertical edge of a block that has sunk slightly into the rim of a table would move sideways
 * by the whole overlap. So groups are judged from the shallowest one: a touch is dropped if moving the bodies apart
 * along a remaining group, by that group's depth, frees its features. */
#include "collide/pairs.h"
#include "collide/spread.h"
#include "collide/surface/skin_crossing.h"
#include "shape/geometry.h"
#include "shape/mesh.h"

#define GROUPS      8    /* manifolds */
#define GROUPS_MOST 64   /* the most different normals while they are judged */
#define ALIKE       0.94 /* cosine: normals within 20 degrees do not replace each other */
#define DEEP        0.5  /* the largest depth of overlap that is searched, as a share of the thinnest extent */
#define NONE        UINT32_MAX
/* Points closer than this share of the size are one, and so are depths. */
#define SAME 1e-6

typedef struct group {
    ash_vec3 normal; /* of its deepest touch */
    double depth;
} group;

typedef struct groups {
    group list[GROUPS_MOST];
    uint32_t count;
} groups;

/* Groups of normals within a cosine, the deepest touch first; false when there are more than `most`. */
static bool find_groups(ashi_skins *s, double cosine, uint32_t most, groups *g)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->touches[i].group = NONE;
    g->count = 0;
    for (;;) {
        const ashi_skin_touch *leader = NULL;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->touches[i].group == NONE && (leader == NULL || s->touches[i].depth > leader->depth))
                leader = &s->touches[i];
        if (leader == NULL)
            return true;
        if (g->count == most)
            return false;
        group *new = &g->list[g->count];
        *new = (group){leader->normal, leader->depth};
        for (uint32_t i = 0; i < s->count; i++)
            if (s->touches[i].group == NONE && v3_dot(s->touches[i].normal, new->normal) >= cosine)
                s->touches[i].group = g->count;
        g->count++;
    }
}

/* Merges normals until there is room; touches left over are shallower than all others. */
static void group_within(ashi_skins *s, uint32_t most, groups *g)
{
    static const double cosines[] = {1 - 1e-10, 1 - 1e-6, 0.9998, 0.996, 0.98, ALIKE};
    for (uint32_t i = 0; i < sizeof cosines / sizeof cosines[0]; i++)
        if (find_groups(s, cosines[i], most, g))
            return;
}

static void drop_unneeded(ashi_skins *s, const groups *g)
{
    double tiny = ASHI_SKIN_TINY * s->size;
    for (uint32_t i = g->count; i-- > 0;) { /* from the shallowest one */
        if (!(g->list[i].depth > tiny))
            continue;
        for (uint32_t k = i + 1; k < g->count; k++) {
            const group *less = &g->list[k];
            if (!(less->depth > tiny && less->depth < g->list[i].depth * (1 - SAME)) ||
                v3_dot(less->normal, g->list[i].normal) >= ALIKE)
                continue;
            bool stays = false;
            for (uint32_t n = 0; n < s->count && !stays; n++)
                stays = s->touches[n].group == k;
            ash_vec3 moved = v3_scale(less->normal, less->depth);
            for (uint32_t n = 0; n < s->count && stays; n++)
                if (s->touches[n].group == i && s->touches[n].depth > tiny &&
                    !ashi_skin_overlaps(s, &s->touches[n], moved))
                    s->touches[n].group = NONE;
        }
    }
    uint32_t kept = 0;
    for (uint32_t n = 0; n < s->count; n++)
        if (s->touches[n].group != NONE)
            s->touches[kept++] = s->touches[n];
    s->count = kept;
}

static const uint32_t *kept_of(const ashi_pair *pair)
{
    return pair->cache != NULL ? pair->cache->kept : NULL;
}

static void add_point(ashi_manifold *m, const ashi_skin_touch *t, double same, const uint32_t *kept)
{
    for (uint32_t k = 0; k < m->count; k++)
        if (v3_norm2(v3_sub(m->points[k].on_a, t->on_a)) <= same * same) {
            if (t->depth > m->points[k].depth)
                m->points[k] = (ashi_manifold_point){t->on_a, t->depth, t->feature};
            return;
        }
    if (m->count == ASHI_MANIFOLD_MOST)
        ashi_manifold_make_room(m, same, kept);
    m->points[m->count++] = (ashi_manifold_point){t->on_a, t->depth, t->feature};
}

static bool make_manifolds(const ashi_skins *s, const groups *g, const ashi_pair *pair, ashi_manifolds *manifolds)
{
    uint32_t first = manifolds->count;
    double same = SAME * s->size;
    for (uint32_t i = 0; i < g->count; i++) {
        ashi_manifold m = {.normal = g->list[i].normal};
        for (uint32_t n = 0; n < s->count; n++)
            if (s->touches[n].group == i)
                add_point(&m, &s->touches[n], same, kept_of(pair));
        if (!pair->keep_all_points)
            ashi_manifold_spread(&m, same, kept_of(pair));
        if (!ashi_array_extend(manifolds))
            return false;
        manifolds->data[manifolds->count - 1] = m;
    }
    if (pair->cache != NULL)
        ashi_note_spread(pair->cache, manifolds->data + first, manifolds->count - first);
    return true;
}

static void gather(ashi_skins *s)
{
    s->count = 0;
    s->floor = -INFINITY;
    ashi_skin_corners(s, 0);
    ashi_skin_corners(s, 1);
    ashi_skin_edges(s);
}

static double deepest_of(const ashi_skins *s)
{
    double depth = -INFINITY;
    for (uint32_t i = 0; i < s->count; i++)
        depth = fmax(depth, s->touches[i].depth);
    return depth;
}

/* Searches deeper as long as the result may be incomplete: touches about as deep as the reach, or crossing surfaces
 * without touches. */
static void look_deeper(ashi_skins *s)
{
    double most = DEEP * s->extent;
    while (s->reach < most && deepest_of(s) > s->reach / 2) {
        s->reach = fmin(4 * s->reach, most);
        gather(s);
    }
    ashi_skin_crossing crossing;
    if (deepest_of(s) >= -ASHI_SKIN_TINY * s->size || !ashi_skin_crossing_find(s, &crossing))
        return;
    s->reach = fmax(s->reach, most);
    gather(s);
    ashi_skin_touch way;
    if (!(deepest_of(s) > 0) && ashi_skin_crossing_way(s, &crossing, &way)) {
        way.depth = fmin(way.depth, most);
        ashi_skins_add(s, &way);
    }
}

/* Whether part of a mesh is above a height field or beside it: a sheet is solid only from above. */
static bool is_above(const ash_geometry *mesh, const ash_geometry *sheet, ash_transform mesh_in_sheet)
{
    static const double ways[7][3] = {{0, 0, 1}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}, {1, 1, 0}, {-1, -1, 0}};
    for (int i = 0; i < 7; i++) {
        ash_vec3 way = q_unrotate(mesh_in_sheet.rotation, v3(ways[i][0], ways[i][1], ways[i][2]));
        ash_vec3 top = t_point(mesh_in_sheet, ash_geometry_support(mesh, way));
        if (sheet->functions->distance(sheet, top) > 0)
            return true;
    }
    return false;
}

/* All touches that are needed. */
static void find_touches(ashi_skins *s, const ashi_pair *pair, groups *found)
{
    ashi_skins_begin(s, pair);
    gather(s);
    look_deeper(s);
    group_within(s, GROUPS_MOST, found);
    drop_unneeded(s, found);
    group_within(s, GROUPS, found);
}

static bool collide(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    ashi_skins skins;
    groups found;
    find_touches(&skins, pair, &found);
    return make_manifolds(&skins, &found, pair, manifolds);
}

bool ashi_skins_deepest(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ashi_skin_touch *deepest)
{
    ashi_skins skins;
    groups found;
    find_touches(&skins, &(ashi_pair){.a = a, .b = b, .b_in_a = b_in_a}, &found);
    deepest->depth = 0;
    for (uint32_t i = 0; i < skins.count; i++)
        if (skins.touches[i].depth > deepest->depth)
            *deepest = skins.touches[i];
    return deepest->depth > 0;
}

bool ashi_collide_mesh_mesh(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return collide(pair, manifolds);
}

bool ashi_collide_mesh_height_field(const ashi_pair *pair, ashi_manifolds *manifolds)
{
    return !is_above(pair->a, pair->b, t_inverse(pair->b_in_a)) || collide(pair, manifolds);
}
