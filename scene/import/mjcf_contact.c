/* Which geoms meet, and by what law: masks, contact pairs, excludes.
 *
 * A scene knows 64 categories of shapes, and a law for two materials. Geoms that the file cannot tell apart in this, of
 * the same masks and in the same pairs, are one category and, with the same numbers of their own, one material. */
#include "math/vec3.h"
#include "scene/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct contact_pair {
    ashi_xml *xml;
    uint32_t geoms[2];
    ash_surface law;
} contact_pair;

typedef struct pairs {
    contact_pair *data;
    uint32_t count;
} pairs;

/* ---- the pairs of the file ---- */

static ashi_xml *first_pair(ashi_xml *section)
{
    return section != NULL ? ashi_xml_child(section, "pair") : NULL;
}

bool mjcf_name_pairs(mjcf *m)
{
    static const char *const ends[] = {"geom1", "geom2"};
    for (ashi_xml *section = mjcf_section(m, "contact"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = first_pair(section); at != NULL; at = ashi_xml_again(at))
            for (int i = 0; i < 2; i++) {
                const char *name;
                if (!ashi_draft_text(m->draft, at, ends[i], &name))
                    return false;
                if (json_object_set_new(m->paired, name, json_true()) != 0)
                    return ashi_draft_fail(m->draft, at, "robot.name", "the name of a geom is not valid UTF-8");
            }
    return true;
}

bool mjcf_is_paired(const mjcf *m, const char *geom)
{
    return geom != NULL && !m->contactless && json_object_get(m->paired, geom) != NULL;
}

/* The law of a contact: of the geom with the higher priority, or the larger friction and the more dimensions of both.
 */
static ash_surface combine(const mjcf_surface *a, const mjcf_surface *b, const double own_friction[5], int own_condim)
{
    ash_surface law = {0};
    const mjcf_surface *only = a->priority > b->priority ? a : a->priority < b->priority ? b : NULL;
    double friction[3];
    int condim = only != NULL ? only->condim : a->condim > b->condim ? a->condim : b->condim;
    for (int i = 0; i < 3; i++)
        friction[i] = only != NULL ? only->friction[i] : fmax(a->friction[i], b->friction[i]);
    if (own_friction != NULL) {
        friction[0] = own_friction[0];
        friction[1] = own_friction[2];
        friction[2] = own_friction[3];
    }
    condim = own_condim > 0 ? own_condim : condim;
    law.friction = law.sliding_friction = condim >= 3 ? friction[0] : 0;
    law.spinning = condim >= 4 ? friction[1] : 0;
    law.rolling = condim >= 6 ? friction[2] : 0;
    law.restitution = only != NULL ? only->restitution : 0.5 * (a->restitution + b->restitution);
    return law;
}

static bool read_law(mjcf *m, ashi_xml *at, const mjcf_geom *a, const mjcf_geom *b, ash_surface *law)
{
    double friction[5], condim = 0;
    uint32_t count;
    if (!ashi_draft_numbers(m->draft, at, "friction", 1, 5, friction, &count) ||
        !ashi_draft_number(m->draft, at, "condim", &condim))
        return false;
    if (condim != 0 && condim != 1 && condim != 3 && condim != 4 && condim != 6)
        return ashi_draft_fail(m->draft, at, "robot.number", "condim of <pair> is %g, not 1, 3, 4 or 6", condim);
    for (uint32_t i = 0; i < count; i++)
        if (!(friction[i] >= 0 && friction[i] <= 1e12))
            return ashi_draft_fail(m->draft, at, "robot.number", "a friction of <pair> is %g", friction[i]);
    static const double usual[] = {1, 1, 0.005, 0.0001, 0.0001};
    for (uint32_t i = count; count > 0 && i < 5; i++)
        friction[i] = i == 1 || i == 4 ? friction[i - 1] : usual[i];
    if (count > 0 && (friction[0] != friction[1] || friction[3] != friction[4]))
        ashi_draft_note(m->draft, at, "friction of <pair> is not the same in both directions: the first counts");
    *law =
        combine(&m->surfaces.data[a->surface], &m->surfaces.data[b->surface], count > 0 ? friction : NULL, (int)condim);
    return ashi_xml_peek(at, "solref") == NULL || mjcf_read_restitution(m, at, &law->restitution);
}

/* Whether a joint keeps two bodies from touching: it connects them, and none of them is the world. */
static bool are_joined(const mjcf *m, uint32_t a, uint32_t b)
{
    uint32_t first = m->bodies.data[a].group, second = m->bodies.data[b].group;
    uint32_t above_first = m->bodies.data[m->bodies.data[first].parent].group;
    uint32_t above_second = m->bodies.data[m->bodies.data[second].parent].group;
    return first == second || (second != 0 && above_second == first && first != 0) ||
           (first != 0 && above_first == second && second != 0);
}

static uint32_t body_of_geom(const mjcf *m, uint32_t geom)
{
    for (uint32_t i = 0; i < m->bodies.count; i++)
        if (geom - m->bodies.data[i].first_geom < m->bodies.data[i].geom_count)
            return i;
    return 0;
}

static bool read_pair(mjcf *m, ashi_xml *at, pairs *all)
{
    contact_pair *pair = &all->data[all->count];
    uint32_t class;
    pair->xml = at;
    ashi_xml_get(at, "name");
    if (!mjcf_apply_class(m, at, ASHI_NONE, &class) ||
        !mjcf_find(m, at, m->geom_numbers, "geom1", "geom", &pair->geoms[0]) ||
        !mjcf_find(m, at, m->geom_numbers, "geom2", "geom", &pair->geoms[1]))
        return false;
    const mjcf_geom *a = &m->geoms.data[pair->geoms[0]], *b = &m->geoms.data[pair->geoms[1]];
    if (!read_law(m, at, a, b, &pair->law))
        return false;
    if (are_joined(m, body_of_geom(m, pair->geoms[0]), body_of_geom(m, pair->geoms[1])))
        ashi_draft_note(m->draft, at, "<pair> of one body, or of two that a joint connects: they do not touch");
    else
        all->count++;
    return true;
}

static bool read_pairs(mjcf *m, pairs *all)
{
    uint32_t count = 0;
    for (ashi_xml *section = mjcf_section(m, "contact"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = first_pair(section); at != NULL; at = ashi_xml_again(at))
            count++;
    *all = (pairs){ashi_arena_take_array(m->draft->arena, count + 1, sizeof *all->data), 0};
    if (all->data == NULL)
        return ashi_draft_no_memory(m->draft);
    for (ashi_xml *section = mjcf_section(m, "contact"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = first_pair(section); at != NULL && !m->contactless; at = ashi_xml_again(at))
            if (!read_pair(m, at, all))
                return false;
    return true;
}

/* ---- categories ---- */

/* The pair of two geoms; null where there is none. */
static const contact_pair *pair_of(const pairs *all, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t *g = all->data[i].geoms;
        if ((g[0] == a && g[1] == b) || (g[0] == b && g[1] == a))
            return &all->data[i];
    }
    return NULL;
}

/* Whether all pairs of a are also pairs of b. */
static bool includes_pairs(const pairs *all, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const contact_pair *pair = &all->data[i];
        if (pair->geoms[0] != a && pair->geoms[1] != a)
            continue;
        const contact_pair *same = pair_of(all, b, pair->geoms[pair->geoms[0] == a ? 1 : 0]);
        if (same == NULL || memcmp(&same->law, &pair->law, sizeof pair->law) != 0)
            return false;
    }
    return true;
}

static bool is_same_kind(const mjcf *m, const pairs *all, uint32_t a, uint32_t b)
{
    const mjcf_geom *first = &m->geoms.data[a], *second = &m->geoms.data[b];
    if (first->contype != second->contype || first->conaffinity != second->conaffinity)
        return false;
    bool paired = mjcf_is_paired(m, first->name) || mjcf_is_paired(m, second->name);
    return !paired || (includes_pairs(all, a, b) && includes_pairs(all, b, a));
}

static bool meet(const mjcf *m, const pairs *all, uint32_t a, uint32_t b)
{
    const mjcf_geom *first = &m->geoms.data[a], *second = &m->geoms.data[b];
    return (first->contype & second->conaffinity) != 0 || (second->contype & first->conaffinity) != 0 ||
           pair_of(all, a, b) != NULL;
}

/* `example`: a geom of each category. */
static bool sort_geoms(mjcf *m, const pairs *all)
{
    uint32_t example[64], count = 0;
    for (uint32_t i = 0; i < m->geoms.count; i++) {
        mjcf_geom *geom = &m->geoms.data[i];
        for (geom->kind = 0; geom->kind < count && !is_same_kind(m, all, example[geom->kind], i);)
            geom->kind++;
        if (geom->shape.visual || geom->kind < count)
            continue;
        if (count == 64)
            return ashi_draft_fail(m->draft, geom->xml, "mjcf.masks",
                                   "contype, conaffinity and pairs make more than 64 kinds of geoms");
        example[count++] = i;
    }
    for (uint32_t i = 0; i < m->geoms.count; i++) {
        mjcf_geom *geom = &m->geoms.data[i];
        geom->shape.category = (uint64_t)1 << (geom->kind & 63);
        geom->shape.mask = 0;
        for (uint32_t k = 0; k < count; k++)
            if (meet(m, all, i, example[k]))
                geom->shape.mask |= (uint64_t)1 << k;
    }
    return true;
}

/* ---- laws ---- */

/* Geoms in pairs get a material for each kind of them. */
static bool part_surfaces(mjcf *m, const pairs *all)
{
    uint32_t plain = m->surfaces.count;
    if (all->count == 0)
        return true;
    for (uint32_t i = 0; i < m->geoms.count; i++) {
        mjcf_geom *geom = &m->geoms.data[i];
        if (geom->shape.visual || !mjcf_is_paired(m, geom->name))
            continue;
        mjcf_surface own = m->surfaces.data[geom->surface];
        own.kind = geom->kind;
        uint32_t number = plain;
        while (number < m->surfaces.count &&
               (m->surfaces.data[number].kind != own.kind || m->surfaces.data[number].original != geom->surface))
            number++;
        own.original = geom->surface;
        if (number == m->surfaces.count) {
            if (!ashi_array_extend(&m->surfaces))
                return ashi_draft_no_memory(m->draft);
            m->surfaces.data[number] = own;
        }
        geom->surface = number;
    }
    return true;
}

/* The law that a pair gives two surfaces; null: as they combine. */
static const ash_surface *law_of(const mjcf *m, const pairs *all, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t first = m->geoms.data[all->data[i].geoms[0]].surface;
        uint32_t second = m->geoms.data[all->data[i].geoms[1]].surface;
        if ((first == a && second == b) || (first == b && second == a))
            return &all->data[i].law;
    }
    return NULL;
}

static bool add_materials(mjcf *m)
{
    for (uint32_t i = 0; i < m->surfaces.count; i++) {
        char name[32];
        ash_material_def def = ash_default_material_def();
        snprintf(name, sizeof name, "contact %u", (unsigned)i + 1);
        def.name = name;
        def.surface = combine(&m->surfaces.data[i], &m->surfaces.data[i], NULL, 0);
        def.friction_combine = ASH_COMBINE_MAXIMUM;
        def.restitution_combine = ASH_COMBINE_AVERAGE;
        m->surfaces.data[i].material = ashi_scene_add_material(m->draft->scene, &def);
        if (m->surfaces.data[i].material == ASHI_NONE)
            return ashi_draft_no_memory(m->draft);
    }
    return true;
}

static bool add_laws(mjcf *m, const pairs *all)
{
    for (uint32_t i = 0; i < m->surfaces.count; i++)
        for (uint32_t k = i; k < m->surfaces.count; k++) {
            const ash_surface *law = law_of(m, all, i, k);
            if (i == k && law == NULL)
                continue;
            ashi_scene_material_pair pair = {
                .material_a = m->surfaces.data[i].material,
                .material_b = m->surfaces.data[k].material,
                .given = (1u << ASHI_SURFACE_FIELDS) - 1,
                .surface = law != NULL ? *law : combine(&m->surfaces.data[i], &m->surfaces.data[k], NULL, 0)};
            if (ashi_scene_add_material_pair(m->draft->scene, &pair) == ASHI_NONE)
                return ashi_draft_no_memory(m->draft);
        }
    return true;
}

bool mjcf_add_contacts(mjcf *m)
{
    pairs all;
    return read_pairs(m, &all) && sort_geoms(m, &all) && part_surfaces(m, &all) && add_materials(m) &&
           add_laws(m, &all);
}

/* ---- excludes ---- */

static bool add_exclude(mjcf *m, ashi_xml *at)
{
    uint32_t a, b;
    ashi_xml_get(at, "name");
    if (!mjcf_find(m, at, m->body_numbers, "body1", "body", &a) ||
        !mjcf_find(m, at, m->body_numbers, "body2", "body", &b))
        return false;
    ash_body first = mjcf_body_of(m, a), second = mjcf_body_of(m, b);
    if (first.id == 0 || second.id == 0 || first.id == second.id)
        return true; /* they cannot touch */
    return ashi_scene_add_ignored_pair(m->draft->scene, (uint32_t)first.id - 1, (uint32_t)second.id - 1) != ASHI_NONE ||
           ashi_draft_no_memory(m->draft);
}

bool mjcf_add_excludes(mjcf *m)
{
    for (ashi_xml *section = mjcf_section(m, "contact"); section != NULL; section = ashi_xml_again(section))
        for (ashi_xml *at = ashi_xml_child(section, "exclude"); at != NULL; at = ashi_xml_again(at))
            if (!add_exclude(m, at))
                return false;
    return true;
}
