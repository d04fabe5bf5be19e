/* Forces to and from bytes, kind by kind. What is read must pass the checks of definitions. */
#include "world/snapshot_forces.h"

#include "world/archive_pool.h"
#include "world/archive_signal.h"
#include "world/force_check.h"

static void archive_end(ashi_archive *a, const ashi_bodies *b, uint32_t *body)
{
    ashi_archive_below(a, body, ashi_body_slots(b));
    if (!a->writing && !a->failed)
        a->failed |= !ashi_pool_in_use(&b->pool, *body);
}

static void archive_spring(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_spring *s = element;
    archive_end(a, b, &s->body_a);
    archive_end(a, b, &s->body_b);
    ashi_archive_double(a, &s->stiffness);
    ashi_archive_double(a, &s->damping);
    ashi_archive_double(a, &s->rest_length);
    ashi_archive_bool(a, &s->tension_only);
    ashi_archive_bool(a, &s->damper_pushes);
    ashi_archive_vec3(a, &s->point_a);
    ashi_archive_vec3(a, &s->point_b);
}

static void archive_angular_spring(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_angular_spring *s = element;
    archive_end(a, b, &s->body_a);
    archive_end(a, b, &s->body_b);
    ashi_archive_quat(a, &s->rest_rotation);
    ashi_archive_double(a, &s->stiffness);
    ashi_archive_double(a, &s->damping);
}

static void archive_bending_spring(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_bending_spring *s = element;
    for (int i = 0; i < 3; i++) {
        archive_end(a, b, &s->body[i]);
        ashi_archive_vec3(a, &s->point[i]);
    }
    ashi_archive_double(a, &s->stiffness);
    ashi_archive_double(a, &s->damping);
    ashi_archive_double(a, &s->rest_angle);
}

static void archive_drag(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_drag *d = element;
    archive_end(a, b, &d->body);
    ashi_archive_double(a, &d->factor);
    ashi_archive_double(a, &d->area);
    ashi_archive_double(a, &d->linear);
    ashi_archive_vec3(a, &d->mask);
    ashi_archive_vec3(a, &d->wind);
}

static void archive_pull(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_pull *p = element;
    archive_end(a, b, &p->body);
    ashi_archive_vec3(a, &p->point);
    ashi_archive_vec3(a, &p->target);
    ashi_archive_double(a, &p->stiffness);
    ashi_archive_double(a, &p->damping);
    ashi_archive_double(a, &p->max_force);
}

static void archive_load(ashi_archive *a, const ashi_bodies *b, void *element)
{
    ashi_load *l = element;
    archive_end(a, b, &l->body);
    ashi_archive_vec3(a, &l->force);
    ashi_archive_vec3(a, &l->torque);
    ashi_archive_vec3(a, &l->point);
    ashi_archive_bool(a, &l->body_axes);
    ashi_archive_double(a, &l->start);
    ashi_archive_double(a, &l->stop);
    ashi_archive_signal(a, &l->signal);
}

static bool check_spring(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    (void)b;
    return ashi_check_spring(element, diagnostic);
}

static bool check_angular_spring(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    (void)b;
    return ashi_check_angular_spring(element, diagnostic);
}

static bool check_bending_spring(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    (void)b;
    return ashi_check_bending_spring(element, diagnostic);
}

static bool check_drag(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    return ashi_check_drag(b, element, diagnostic);
}

static bool check_pull(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    (void)b;
    return ashi_check_pull(element, diagnostic);
}

static bool check_load(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic)
{
    (void)b;
    return ashi_check_load(element, diagnostic);
}

/* How each kind is saved, and the check of what was read. Nothing of a callback can be saved. */
static const struct {
    void (*archive)(ashi_archive *a, const ashi_bodies *b, void *element);
    bool (*check)(const ashi_bodies *b, const void *element, ash_diagnostic *diagnostic);
} kinds[ASH_FORCE_KINDS] = {
    [ASH_FORCE_SPRING] = {archive_spring, check_spring},
    [ASH_FORCE_ANGULAR_SPRING] = {archive_angular_spring, check_angular_spring},
    [ASH_FORCE_BENDING_SPRING] = {archive_bending_spring, check_bending_spring},
    [ASH_FORCE_DRAG] = {archive_drag, check_drag},
    [ASH_FORCE_PULL] = {archive_pull, check_pull},
    [ASH_FORCE_LOAD] = {archive_load, check_load},
};

/* What is read must pass the checks of definitions. */
static void archive_element(ashi_archive *a, const ashi_bodies *b, ash_force_kind kind, void *element)
{
    ash_diagnostic diagnostic = {0};
    if (kinds[kind].archive == NULL)
        return;
    kinds[kind].archive(a, b, element);
    if (!a->writing && ashi_archive_good(a))
        ashi_archive_check(a, kinds[kind].check(b, element, &diagnostic), &diagnostic);
}

/* The forces of one kind, in the order of their dense array, each with its slot, so that sums keep their order. */
static void archive_kind(ashi_archive *a, ashi_model *model, ash_force_kind kind)
{
    ashi_forces *f = &model->forces;
    uint32_t count = ashi_forces_count(f, kind);
    ashi_archive_count(a, &count, sizeof(uint32_t));
    if (!a->writing && ashi_archive_good(a) && !ashi_forces_resize(f, kind, count)) {
        a->out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < count && ashi_archive_good(a); i++) {
        ashi_force_head *head = ashi_forces_at(f, kind, i);
        ashi_archive_below(a, &head->owner, f->pool.slots.count);
        ashi_archive_bool(a, &head->enabled);
        if (!ashi_archive_good(a))
            break;
        ashi_force_entry *entry = &f->entries.data[head->owner];
        if (!a->writing) {
            if (entry->index != UINT32_MAX || !ashi_pool_in_use(&f->pool, head->owner)) {
                a->failed = true; /* a slot that is free or has an element already */
                break;
            }
            *entry = (ashi_force_entry){kind, i, NULL};
        }
        ashi_archive_text(a, &entry->name);
        archive_element(a, &model->bodies, kind, head);
    }
}

void ashi_archive_forces(ashi_archive *a, ashi_model *model)
{
    ashi_forces *f = &model->forces;
    ashi_archive_pool(a, &f->pool);
    uint32_t slots = f->pool.slots.count, elements = 0;
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&f->entries, slots)) {
            a->out_of_memory = true;
            return;
        }
        f->entries.count = slots;
        for (uint32_t i = 0; i < slots; i++)
            f->entries.data[i] = (ashi_force_entry){.index = UINT32_MAX};
    }
    for (int kind = 0; kind < ASH_FORCE_KINDS && ashi_archive_good(a); kind++) {
        archive_kind(a, model, (ash_force_kind)kind);
        elements += ashi_forces_count(f, (ash_force_kind)kind);
    }
    a->failed |= ashi_archive_good(a) && elements != f->pool.used;
}
