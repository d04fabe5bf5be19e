/* The directory of forces, and operations on forces of all kinds (force_class.c). */
#include "model/forces.h"

#include <string.h>

/* Any dense array: a view of an ASHI_ARRAY whatever its type. */
typedef struct dense {
    char *data;
    uint32_t count;
    size_t size;
} dense;

static void *dense_array(const ashi_forces *f, ash_force_kind kind)
{
    return (char *)(uintptr_t)f + ashi_force_class_of(kind)->array;
}

static dense view(const ashi_forces *f, ash_force_kind kind)
{
    ASHI_ARRAY(char) any;
    memcpy(&any, dense_array(f, kind), sizeof any);
    return (dense){any.data, any.count, ashi_force_class_of(kind)->element_size};
}

static void set_count(ashi_forces *f, ash_force_kind kind, uint32_t count)
{
    ASHI_ARRAY(char) any;
    memcpy(&any, dense_array(f, kind), sizeof any);
    any.count = count;
    memcpy(dense_array(f, kind), &any, sizeof any);
}

static bool reserve(ashi_forces *f, ash_force_kind kind, uint32_t count)
{
    ASHI_ARRAY(char) any;
    memcpy(&any, dense_array(f, kind), sizeof any);
    return count <= any.capacity ||
           ashi_array_grow(dense_array(f, kind), ashi_force_class_of(kind)->element_size, count);
}

uint32_t ashi_forces_count(const ashi_forces *f, ash_force_kind kind)
{
    return view(f, kind).count;
}

void *ashi_forces_at(const ashi_forces *f, ash_force_kind kind, uint32_t index)
{
    dense d = view(f, kind);
    return d.data + index * d.size;
}

bool ashi_forces_resize(ashi_forces *f, ash_force_kind kind, uint32_t count)
{
    if (!reserve(f, kind, count))
        return false;
    set_count(f, kind, count);
    if (count > 0)
        memset(ashi_forces_at(f, kind, 0), 0, count * ashi_force_class_of(kind)->element_size);
    return true;
}

uint32_t ashi_forces_add(ashi_forces *f, ash_force_kind kind, const void *element, const char *name)
{
    char *copy = NULL;
    if (!reserve(f, kind, view(f, kind).count + 1) || !ashi_array_reserve(&f->entries, ashi_pool_next(&f->pool) + 1))
        return ASHI_NO_SLOT;
    if (name != NULL && name[0] != 0 && (copy = ashi_copy_text(name)) == NULL)
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_take(&f->pool);
    if (slot == ASHI_NO_SLOT) {
        ashi_dealloc(copy);
        return ASHI_NO_SLOT;
    }
    if (slot >= f->entries.count)
        f->entries.count = slot + 1;
    dense d = view(f, kind);
    f->entries.data[slot] = (ashi_force_entry){kind, d.count, copy};
    memcpy(d.data + d.count * d.size, element, d.size);
    set_count(f, kind, d.count + 1);
    ashi_force_head head = {slot, true};
    memcpy(d.data + d.count * d.size, &head, sizeof head);
    f->changed = true;
    return slot;
}

void *ashi_forces_element(const ashi_forces *f, uint32_t slot)
{
    return ashi_forces_at(f, f->entries.data[slot].kind, f->entries.data[slot].index);
}

void ashi_forces_remove(ashi_forces *f, uint32_t slot)
{
    ashi_force_entry *entry = &f->entries.data[slot];
    ash_force_kind kind = entry->kind;
    dense d = view(f, kind);
    char *element = d.data + entry->index * d.size, *last = d.data + (d.count - 1) * d.size;
    if (ashi_force_class_of(kind)->release != NULL)
        ashi_force_class_of(kind)->release(element);
    if (element != last) {
        memcpy(element, last, d.size);
        ashi_force_head moved;
        memcpy(&moved, element, sizeof moved);
        f->entries.data[moved.owner].index = entry->index;
    }
    set_count(f, kind, d.count - 1);
    ashi_dealloc(entry->name);
    *entry = (ashi_force_entry){0};
    ashi_pool_give_back(&f->pool, slot);
    f->changed = true;
}

void ashi_forces_remove_body(ashi_forces *f, uint32_t body)
{
    for (uint32_t slot = 0; slot < f->entries.count; slot++)
        if (ashi_pool_in_use(&f->pool, slot) &&
            ashi_force_class_of(f->entries.data[slot].kind)->uses_body(ashi_forces_element(f, slot), body))
            ashi_forces_remove(f, slot);
    f->changed = true;
}

void ashi_forces_recentre(ashi_model *model, uint32_t body)
{
    ashi_forces *f = &model->forces;
    for (uint32_t slot = 0; slot < f->entries.count; slot++) {
        if (!ashi_pool_in_use(&f->pool, slot))
            continue;
        const ashi_force_class *class = ashi_force_class_of(f->entries.data[slot].kind);
        if (class->recentre != NULL && class->uses_body(ashi_forces_element(f, slot), body))
            class->recentre(model, f->entries.data[slot].index);
    }
    f->changed = true; /* the web records which arms are zero */
}

bool ashi_model_create(ashi_model *model, bool planar, ash_vec3 gravity)
{
    *model = (ashi_model){.gravity = gravity, .unit_length = 1};
    if (!ashi_bodies_create(&model->bodies, planar))
        return false;
    if (ashi_materials_create(&model->materials))
        return true;
    ashi_bodies_destroy(&model->bodies);
    return false;
}

void ashi_model_number(ashi_model *model, uint32_t world)
{
    ashi_pool *pools[] = {&model->bodies.pool, &model->shapes.pool, &model->forces.pool, &model->joints.pool,
                          &model->materials.pool};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        pools[i]->world = world;
}

void ashi_model_destroy(ashi_model *model)
{
    ashi_forces *f = &model->forces;
    for (uint32_t slot = 0; slot < f->entries.count; slot++) {
        if (!ashi_pool_in_use(&f->pool, slot))
            continue;
        const ashi_force_class *class = ashi_force_class_of(f->entries.data[slot].kind);
        if (class->release != NULL)
            class->release(ashi_forces_element(f, slot));
        ashi_dealloc(f->entries.data[slot].name);
    }
    ashi_joints_release(&model->joints);
    ashi_array_release(&f->entries);
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        ashi_dealloc(view(f, (ash_force_kind)kind).data);
    ashi_array_release(&f->callback_records);
    ashi_array_release(&f->damper_forces);
    ashi_dealloc(f->web.first);
    ashi_dealloc(f->web.ends);
    ashi_dealloc(f->web.tension);
    ashi_pool_release(&f->pool);
    ashi_shapes_destroy(&model->shapes);
    ashi_materials_destroy(&model->materials);
    ashi_bodies_destroy(&model->bodies);
    *model = (ashi_model){0};
}

/* Counting sort of the springs' ends by body. Immovable bodies need no sum. */
static bool build_web(ashi_model *model)
{
    ashi_spring_web *web = &model->forces.web;
    const uint8_t *motion = model->bodies.motion;
    uint32_t bodies = ashi_body_slots(&model->bodies), springs = model->forces.springs.count;
    ashi_dealloc(web->first);
    ashi_dealloc(web->ends);
    ashi_dealloc(web->tension);
    *web = (ashi_spring_web){0};
    web->first = ashi_alloc_zeroed(((size_t)bodies + 1) * sizeof *web->first);
    web->ends = ashi_alloc_array(springs, 2 * sizeof *web->ends);
    web->tension = ashi_alloc_array(springs, sizeof *web->tension);
    if (web->first == NULL || web->ends == NULL || web->tension == NULL)
        return false;
    web->body_count = bodies;
    for (uint32_t i = 0; i < springs; i++) {
        const ashi_spring *s = &model->forces.springs.data[i];
        web->first[s->body_a + 1] += motion[s->body_a] != 0;
        web->first[s->body_b + 1] += motion[s->body_b] != 0;
    }
    for (uint32_t i = 0; i < bodies; i++)
        web->first[i + 1] += web->first[i];
    /* Fill with first[] as cursors, then shift it back by one body. */
    for (uint32_t i = 0; i < springs; i++) {
        const ashi_spring *s = &model->forces.springs.data[i];
        if (motion[s->body_a] != 0)
            web->ends[web->first[s->body_a]++] = 4 * i + 2 * (uint32_t)s->offset_a;
        if (motion[s->body_b] != 0)
            web->ends[web->first[s->body_b]++] = 4 * i + 2 * (uint32_t)s->offset_b + 1;
    }
    memmove(web->first + 1, web->first, bodies * sizeof *web->first);
    web->first[0] = 0;
    return true;
}

/* Whether any body has two drags. */
static bool find_distinct_drags(ashi_model *model)
{
    ashi_forces *f = &model->forces;
    uint32_t slots = ashi_body_slots(&model->bodies);
    uint8_t *seen = ashi_alloc_zeroed(slots);
    if (seen == NULL)
        return false;
    f->drags_distinct = true;
    for (uint32_t i = 0; i < f->drags.count; i++) {
        f->drags_distinct &= seen[f->drags.data[i].body] == 0;
        seen[f->drags.data[i].body] = 1;
    }
    ashi_dealloc(seen);
    return true;
}

bool ashi_forces_prepare(ashi_model *model, uint32_t workers)
{
    ashi_forces *f = &model->forces;
    bool web_missing = workers > 1 && f->springs.count > 0 && f->web.body_count == 0;
    if (!f->changed && !web_missing)
        return true;
    f->any_damper = false;
    for (uint32_t i = 0; i < f->springs.count; i++)
        f->any_damper |= f->springs.data[i].damping != 0;
    if (f->any_damper && !ashi_array_reserve(&f->damper_forces, f->springs.count))
        return false;
    if (!find_distinct_drags(model))
        return false;
    f->web.body_count = 0;
    if (workers > 1 && f->springs.count > 0 && !build_web(model))
        return false;
    f->changed = false;
    return true;
}

void ashi_forces_evaluate(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_gravity_apply(model, stage);
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        ashi_force_class_of((ash_force_kind)kind)->apply(model, stage);
}

ashi_work ashi_forces_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                            const ashi_state *to)
{
    ashi_work power = {0};
    ashi_gravity_power(model, stage, from, to, &power);
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        if (ashi_force_class_of((ash_force_kind)kind)->power != NULL)
            ashi_force_class_of((ash_force_kind)kind)->power(model, stage, from, to, &power);
    return power;
}

bool ashi_forces_linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                           ashi_implicit_elements *elements)
{
    elements->pairs.count = elements->rows.count = 0;
    if (!ashi_gravity_linearize(model, stage, h, elements))
        return false;
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        if (ashi_force_class_of((ash_force_kind)kind)->linearize != NULL &&
            !ashi_force_class_of((ash_force_kind)kind)->linearize(model, stage, h, elements))
            return false;
    return true;
}

bool ashi_forces_mark_elastic(const ashi_model *model, ashi_arena *scratch, bool **marks)
{
    const ashi_forces *f = &model->forces;
    uint32_t slots = ashi_body_slots(&model->bodies);
    *marks = NULL;
    bool any = false;
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        any = any || (ashi_force_class_of((ash_force_kind)kind)->mark_elastic != NULL &&
                      view(f, (ash_force_kind)kind).count > 0);
    if (!any)
        return true;
    bool *elastic = *marks = ashi_arena_take_array(scratch, slots, sizeof *elastic);
    if (elastic == NULL)
        return false;
    memset(elastic, 0, slots * sizeof *elastic);
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        if (ashi_force_class_of((ash_force_kind)kind)->mark_elastic != NULL)
            ashi_force_class_of((ash_force_kind)kind)->mark_elastic(f, elastic);
    return true;
}

double ashi_forces_energy(const ashi_model *model, const ashi_state *state)
{
    double energy = 0;
    for (int kind = 0; kind < ASH_FORCE_KINDS; kind++)
        if (ashi_force_class_of((ash_force_kind)kind)->energy != NULL)
            for (uint32_t i = 0; i < view(&model->forces, (ash_force_kind)kind).count; i++)
                energy += ashi_force_class_of((ash_force_kind)kind)->energy(model, state, i);
    return energy;
}
