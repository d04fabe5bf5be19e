/* Materials in a pool, with a triangular table of the laws between any two of the first slots.
 *
 * Every change updates the table, so that a step only reads it. In worlds with more materials than it covers the other
 * laws are computed: the same function fills the table, so both give the same bits. */
#include "model/materials.h"

#include "base/diagnostic.h"

#include <math.h>
#include <string.h>

#define TABLED_SLOTS  128
#define MOST_FRICTION 1e12

const char *ash_combine_name(ash_combine rule)
{
    static const char *const names[ASH_COMBINES] = {"average", "geometric", "minimum", "multiply", "maximum"};
    return (unsigned)rule < ASH_COMBINES ? names[rule] : "";
}

ash_material_def ash_default_material_def(void)
{
    return (ash_material_def){.surface = {.friction = 0.5, .sliding_friction = -1},
                              .friction_combine = ASH_COMBINE_GEOMETRIC,
                              .restitution_combine = ASH_COMBINE_MAXIMUM,
                              .density = 1000};
}

static ash_status out_of_range(ash_diagnostic *diagnostic, const char *field, double value, const char *expected)
{
    ashi_fail(diagnostic, ASH_BAD_DATA, "material.range", "%s is %g", field, value);
    return ashi_expect(diagnostic, "%s", expected);
}

ash_status ashi_surface_check(const ash_surface *s, ash_diagnostic *diagnostic)
{
    if (!(s->friction >= 0 && s->friction <= MOST_FRICTION))
        return out_of_range(diagnostic, "friction", s->friction, "0 to 1e12");
    if (!(s->sliding_friction <= s->friction) || !isfinite(s->sliding_friction)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "material.range", "sliding friction is %g", s->sliding_friction);
        return ashi_expect(diagnostic, "at most the static friction, %g", s->friction);
    }
    if (!(s->restitution >= 0 && s->restitution <= 1))
        return out_of_range(diagnostic, "restitution", s->restitution, "0 to 1");
    if (!(s->rolling >= 0) || !isfinite(s->rolling))
        return out_of_range(diagnostic, "rolling resistance", s->rolling, "0 or more, m");
    if (!(s->spinning >= 0) || !isfinite(s->spinning))
        return out_of_range(diagnostic, "spinning resistance", s->spinning, "0 or more, m");
    return ASH_OK;
}

ash_status ashi_material_check(const ash_material_def *def, ash_diagnostic *diagnostic)
{
    if ((unsigned)def->friction_combine >= ASH_COMBINES || (unsigned)def->restitution_combine >= ASH_COMBINES)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "material.combine", "%d is not a combine rule",
                         (unsigned)def->friction_combine >= ASH_COMBINES ? (int)def->friction_combine
                                                                         : (int)def->restitution_combine);
    if (!(def->density >= 0) || !isfinite(def->density))
        return out_of_range(diagnostic, "density", def->density, "0 or more, kg/m3");
    return ashi_surface_check(&def->surface, diagnostic);
}

/* The same law with its sliding friction filled in. */
static ash_surface completed(ash_surface surface)
{
    if (surface.sliding_friction < 0)
        surface.sliding_friction = surface.friction;
    return surface;
}

static double combined(ash_combine rule, double a, double b)
{
    switch (rule) {
    case ASH_COMBINE_AVERAGE:
        return 0.5 * (a + b);
    case ASH_COMBINE_GEOMETRIC:
        return sqrt(a * b);
    case ASH_COMBINE_MINIMUM:
        return a < b ? a : b;
    case ASH_COMBINE_MULTIPLY:
        return a * b;
    default:
        return a > b ? a : b;
    }
}

static ash_combine stronger(ash_combine a, ash_combine b)
{
    return a > b ? a : b;
}

/* Where the pair (low, high) stands among the pairs, or should stand. */
static uint32_t pair_place(const ashi_materials *m, uint32_t low, uint32_t high)
{
    uint32_t from = 0, to = m->pairs.count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        const ashi_material_pair *p = &m->pairs.data[middle];
        if (p->high < high || (p->high == high && p->low < low))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool pair_is_at(const ashi_materials *m, uint32_t place, uint32_t low, uint32_t high)
{
    return place < m->pairs.count && m->pairs.data[place].low == low && m->pairs.data[place].high == high;
}

/* All rules increase with both arguments, so that sliding friction never exceeds static friction. */
static ash_surface worked_out(const ashi_materials *m, uint32_t low, uint32_t high)
{
    uint32_t place = pair_place(m, low, high);
    if (pair_is_at(m, place, low, high))
        return m->pairs.data[place].surface;
    const ashi_material_entry *a = &m->entries.data[low], *b = &m->entries.data[high];
    ash_combine friction = stronger(a->friction_combine, b->friction_combine);
    ash_combine restitution = stronger(a->restitution_combine, b->restitution_combine);
    return (ash_surface){
        .friction = combined(friction, a->surface.friction, b->surface.friction),
        .sliding_friction = combined(friction, a->surface.sliding_friction, b->surface.sliding_friction),
        .restitution = combined(restitution, a->surface.restitution, b->surface.restitution),
        .rolling = combined(ASH_COMBINE_MAXIMUM, a->surface.rolling, b->surface.rolling),
        .spinning = combined(ASH_COMBINE_MAXIMUM, a->surface.spinning, b->surface.spinning),
    };
}

static uint32_t table_place(uint32_t low, uint32_t high)
{
    return high * (high + 1) / 2 + low;
}

ash_surface ashi_materials_combine(const ashi_materials *materials, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return high < TABLED_SLOTS ? materials->table.data[table_place(low, high)] : worked_out(materials, low, high);
}

static uint32_t tabled_slots(uint32_t slots)
{
    return slots < TABLED_SLOTS ? slots : TABLED_SLOTS;
}

/* Enters the laws of one material with all others. */
static void refresh(ashi_materials *m, uint32_t slot)
{
    uint32_t slots = tabled_slots(m->entries.count);
    for (uint32_t other = 0; slot < slots && other < slots; other++) {
        uint32_t low = slot < other ? slot : other, high = slot < other ? other : slot;
        if (ashi_pool_in_use(&m->pool, other))
            m->table.data[table_place(low, high)] = worked_out(m, low, high);
    }
}

static bool reserve_table(ashi_materials *m, uint32_t slots)
{
    uint32_t count = table_place(0, tabled_slots(slots));
    if (!ashi_array_reserve(&m->table, count))
        return false;
    for (uint32_t i = m->table.count; i < count; i++)
        m->table.data[i] = (ash_surface){0};
    m->table.count = m->table.count > count ? m->table.count : count;
    return true;
}

bool ashi_materials_tabulate(ashi_materials *materials)
{
    if (!reserve_table(materials, materials->entries.count))
        return false;
    for (uint32_t slot = 0; slot < tabled_slots(materials->entries.count); slot++)
        if (ashi_pool_in_use(&materials->pool, slot))
            refresh(materials, slot);
    return true;
}

bool ashi_materials_are_consistent(const ashi_materials *m)
{
    for (uint32_t i = 0; i < m->pairs.count; i++) {
        const ashi_material_pair *p = &m->pairs.data[i], *before = i > 0 ? p - 1 : NULL;
        if (p->low > p->high || p->high >= m->entries.count || !ashi_pool_in_use(&m->pool, p->low) ||
            !ashi_pool_in_use(&m->pool, p->high))
            return false;
        if (before != NULL && (before->high > p->high || (before->high == p->high && before->low >= p->low)))
            return false;
    }
    return true;
}

/* A copy of a definition's name in `name`; false when there is no memory. */
static bool copy_name(const ash_material_def *def, char **name)
{
    *name = NULL;
    return def->name == NULL || def->name[0] == 0 || (*name = ashi_copy_text(def->name)) != NULL;
}

static ashi_material_entry material_of(const ash_material_def *def, char *name)
{
    return (ashi_material_entry){name, completed(def->surface), def->friction_combine, def->restitution_combine,
                                 def->density};
}

uint32_t ashi_materials_add(ashi_materials *m, const ash_material_def *def)
{
    uint32_t next = ashi_pool_next(&m->pool);
    char *name;
    if (!ashi_array_reserve(&m->entries, next + 1) || !reserve_table(m, next + 1) || !copy_name(def, &name))
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_take(&m->pool);
    if (slot == ASHI_NO_SLOT) {
        ashi_dealloc(name);
        return ASHI_NO_SLOT;
    }
    if (slot >= m->entries.count)
        m->entries.count = slot + 1;
    m->entries.data[slot] = material_of(def, name);
    refresh(m, slot);
    return slot;
}

bool ashi_materials_set(ashi_materials *m, uint32_t slot, const ash_material_def *def)
{
    char *name;
    if (!copy_name(def, &name))
        return false;
    ashi_dealloc(m->entries.data[slot].name); /* after the copy: the definition may point to this same name */
    m->entries.data[slot] = material_of(def, name);
    refresh(m, slot);
    return true;
}

bool ashi_materials_set_pair(ashi_materials *m, uint32_t a, uint32_t b, const ash_surface *surface)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a, place = pair_place(m, low, high);
    if (!pair_is_at(m, place, low, high)) {
        if (!ashi_array_extend(&m->pairs))
            return false;
        memmove(&m->pairs.data[place + 1], &m->pairs.data[place], (m->pairs.count - 1 - place) * sizeof *m->pairs.data);
    }
    m->pairs.data[place] = (ashi_material_pair){low, high, completed(*surface)};
    refresh(m, low);
    return true;
}

bool ashi_materials_clear_pair(ashi_materials *m, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a, place = pair_place(m, low, high);
    if (!pair_is_at(m, place, low, high))
        return false;
    m->pairs.count--;
    memmove(&m->pairs.data[place], &m->pairs.data[place + 1], (m->pairs.count - place) * sizeof *m->pairs.data);
    refresh(m, low);
    return true;
}

void ashi_materials_remove(ashi_materials *m, uint32_t slot)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->pairs.count; i++)
        if (m->pairs.data[i].low != slot && m->pairs.data[i].high != slot)
            m->pairs.data[kept++] = m->pairs.data[i];
    m->pairs.count = kept;
    ashi_dealloc(m->entries.data[slot].name);
    m->entries.data[slot] = (ashi_material_entry){0};
    ashi_pool_give_back(&m->pool, slot);
}

bool ashi_materials_create(ashi_materials *materials)
{
    *materials = (ashi_materials){0};
    ash_material_def def = ash_default_material_def();
    if (ashi_materials_add(materials, &def) != ASHI_NO_SLOT)
        return true;
    ashi_materials_destroy(materials);
    return false;
}

void ashi_materials_destroy(ashi_materials *materials)
{
    for (uint32_t i = 0; i < materials->entries.count; i++)
        ashi_dealloc(materials->entries.data[i].name);
    ashi_array_release(&materials->entries);
    ashi_array_release(&materials->pairs);
    ashi_array_release(&materials->table);
    ashi_pool_release(&materials->pool);
}
