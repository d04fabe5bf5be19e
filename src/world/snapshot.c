/* Snapshots: a world as bytes. Data that can be derived (motion, inverse inertia, the web of springs) is not saved but
 * derived again in the same way, which gives the same bits.
 *
 * Layout: header {magic, version, byte order, size, checksum}, then the world field by field. Reading builds a complete
 * new model beside the old one, which it replaces only if everything was valid. */
#include "step/lanes.h"
#include "world/archive_pool.h"
#include "world/body_check.h"
#include "world/snapshot_contacts.h"
#include "world/snapshot_forces.h"
#include "world/snapshot_geometry.h"
#include "world/snapshot_joints.h"
#include "world/snapshot_materials.h"
#include "world/world.h"

#include "base/hash.h"
#include "model/method.h"

#include <string.h>

#define VERSION 15

typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t size, checksum; /* of what follows */
} header;

static const header plain_header = {{'A', 'S', 'H', 'W', 'O', 'R', 'L', 'D'}, VERSION, 0x01020304, 0, 0};

/* Everything about the world that is not in its model. */
typedef struct world_part {
    uint32_t number; /* of the world, in all its handles */
    ash_method method;
    uint64_t steps, step_count;
    double time, time_base, step_length;
    ashi_account account;
    bool detected; /* the contacts are those of the state */
} world_part;

/* Fields as text, by name: exact, since numbers are written so that they read back the same. */
static void archive_method(ashi_archive *a, ash_method *m)
{
    ashi_archive_bytes(a, m->name, sizeof m->name);
    m->name[sizeof m->name - 1] = 0;
    ash_method read = *m;
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        const char *field = ash_method_field_name(i);
        char text[64] = "";
        if (a->writing)
            ash_method_get(m, field, text, sizeof text);
        ashi_archive_bytes(a, text, sizeof text);
        text[sizeof text - 1] = 0;
        if (!a->writing && ash_method_set(&read, field, text, NULL) != ASH_OK)
            a->failed = true;
    }
    memcpy(read.name, m->name, sizeof read.name);
    if (!a->writing)
        *m = read;
}

static void archive_world(ashi_archive *a, world_part *w, ashi_model *model)
{
    ashi_archive_u32(a, &w->number);
    a->failed |= w->number < 1 || w->number > ASHI_WORLD_MOST;
    archive_method(a, &w->method);
    ashi_archive_u64(a, &w->steps);
    ashi_archive_u64(a, &w->step_count);
    ashi_archive_double(a, &w->time);
    ashi_archive_double(a, &w->time_base);
    ashi_archive_double(a, &w->step_length);
    double *account[] = {&w->account.initial,       &w->account.work.dampers,       &w->account.work.drag,
                         &w->account.work.loads,    &w->account.work.callbacks,     &w->account.work.impacts,
                         &w->account.work.friction, &w->account.work.stabilization, &w->account.work.sleep,
                         &w->account.work.motors,   &w->account.work.joints,        &w->account.external,
                         &w->account.before};
    for (size_t i = 0; i < sizeof account / sizeof *account; i++)
        ashi_archive_double(a, account[i]);
    ashi_archive_bool(a, &w->account.begun);
    ashi_archive_bool(a, &w->account.changed);
    ashi_archive_bool(a, &w->detected);
    ashi_archive_vec3(a, &model->gravity);
    ashi_archive_bool(a, &model->bodies.planar);
    ashi_archive_finite(a, v3_is_finite(model->gravity), "gravity");
    ashi_archive_finite(a, isfinite(w->time) && isfinite(w->time_base) && isfinite(w->step_length), "time");
    a->failed |= w->step_length < 0 || (model->bodies.planar && model->gravity.z != 0);
    ash_diagnostic diagnostic = {0};
    if (!a->writing && ashi_archive_good(a))
        ashi_archive_check(a, ashi_method_is_valid(&w->method, &diagnostic), &diagnostic);
}

static void archive_mass(ashi_archive *a, ash_mass_properties *m)
{
    ashi_archive_double(a, &m->mass);
    ashi_archive_vec3(a, &m->centre);
    ashi_archive_sym3(a, &m->inertia);
    ashi_archive_vec3(a, &m->principal);
    ashi_archive_quat(a, &m->principal_axes);
}

/* Data that is read must pass the checks of definitions, and have a mass consistent with them. */
static void check_body(ashi_archive *a, const ashi_bodies *b, uint32_t i)
{
    const ashi_body_info *info = &b->info[i];
    ash_diagnostic diagnostic = {0};
    ash_body_def def = {.type = info->type,
                        .rotation = b->now.rotation[i],
                        .velocity = b->now.velocity[i],
                        .angular_velocity = b->now.spin[i],
                        .mass = info->mass.mass,
                        .centre = info->mass.centre,
                        .inertia = info->mass.inertia,
                        .gravity_scale = info->gravity_scale,
                        .linear_damping = info->linear_damping,
                        .angular_damping = info->angular_damping,
                        .locks = info->locks};
    bool good = ashi_check_body(&def, b->planar, &diagnostic) == ASH_OK &&
                ashi_check_mass(&info->mass, &diagnostic) == ASH_OK &&
                (info->type != ASH_BODY_DYNAMIC ||
                 ashi_check_dynamic(&info->mass, info->locks, b->planar, &diagnostic) == ASH_OK);
    ashi_archive_check(a, good, &diagnostic);
    a->failed |= !(fabs(q_norm2(def.rotation) - 1) < 1e-6) || (i == 0 && info->type != ASH_BODY_STATIC);
}

static void archive_body(ashi_archive *a, ashi_bodies *b, uint32_t i)
{
    ashi_body_info *info = &b->info[i];
    uint32_t type = (uint32_t)info->type;
    ashi_archive_below(a, &type, ASH_BODY_TYPES);
    info->type = (ash_body_type)type;
    ashi_archive_below(a, &info->locks, 64);
    archive_mass(a, &info->mass);
    ashi_archive_double(a, &info->gravity_scale);
    ashi_archive_double(a, &info->linear_damping);
    ashi_archive_double(a, &info->angular_damping);
    ashi_archive_bool(a, &info->fast);
    ashi_archive_u32(a, &info->first_shape);
    ashi_archive_text(a, &info->name);
    ashi_archive_vec3(a, &b->now.position[i]);
    ashi_archive_quat(a, &b->now.rotation[i]);
    ashi_archive_vec3(a, &b->now.velocity[i]);
    ashi_archive_vec3(a, &b->now.spin[i]);
    ashi_archive_vec3(a, &b->applied_force[i]);
    ashi_archive_vec3(a, &b->applied_torque[i]);
    ashi_archive_finite(a, v3_is_finite(b->now.position[i]) && q_is_finite(b->now.rotation[i]), "the pose of a body");
    ashi_archive_finite(a, v3_is_finite(b->now.velocity[i]) && v3_is_finite(b->now.spin[i]), "the velocity of a body");
    ashi_archive_finite(a, v3_is_finite(b->applied_force[i]) && v3_is_finite(b->applied_torque[i]),
                        "an applied force or torque");
    if (!a->writing && ashi_archive_good(a))
        check_body(a, b, i);
}

/* After the body has been classified, which wakes it. */
static void archive_rest(ashi_archive *a, ashi_bodies *b, uint32_t i)
{
    ashi_rest rest = b->rest[i];
    bool asleep = (b->motion[i] & ASHI_ASLEEP) != 0;
    ashi_archive_bool(a, &asleep);
    ashi_archive_double(a, &rest.still);
    ashi_archive_double(a, &rest.speed);
    ashi_archive_vec3(a, &rest.force);
    ashi_archive_vec3(a, &rest.torque);
    ashi_archive_bool(a, &rest.weighed);
    ashi_archive_u64(a, &rest.group);
    a->failed |= !(rest.still >= 0) || !isfinite(rest.still) || !(rest.speed >= 0) || !v3_is_finite(rest.force) ||
                 !v3_is_finite(rest.torque) || rest.group > b->last_group ||
                 (asleep && b->info[i].type != ASH_BODY_DYNAMIC);
    if (a->writing || !ashi_archive_good(a))
        return;
    if (asleep)
        ashi_bodies_lay(b, i, rest.group);
    b->rest[i] = rest;
}

static void archive_bodies(ashi_archive *a, ashi_bodies *b)
{
    if (!a->writing) /* the fresh model's own background is replaced by the saved one */
        ashi_pool_release(&b->pool);
    ashi_archive_bool(a, &b->any_applied);
    ashi_archive_u64(a, &b->last_group);
    ashi_archive_pool(a, &b->pool);
    uint32_t slots = ashi_body_slots(b);
    if (!a->writing) {
        b->pool.slots.count = 0; /* until room is reserved, there is nothing to copy or release */
        if (!ashi_archive_good(a))
            return;
        if (!ashi_bodies_reserve(b, slots)) {
            a->out_of_memory = true;
            return;
        }
        b->pool.slots.count = slots;
        for (uint32_t i = 0; i < slots; i++)
            ashi_bodies_clear(b, i);
        a->failed |= slots == 0 || !ashi_pool_in_use(&b->pool, 0);
    }
    for (uint32_t i = 0; i < slots && ashi_archive_good(a); i++) {
        if (!ashi_pool_in_use(&b->pool, i))
            continue;
        archive_body(a, b, i);
        if (!a->writing && ashi_archive_good(a))
            ashi_bodies_classify(b, i);
        archive_rest(a, b, i);
    }
}

/* Data that is read must pass the checks of definitions. */
static void check_shape(ashi_archive *a, const ashi_model *model, uint32_t i)
{
    const ashi_shape_entry *entry = &model->shapes.entries.data[i];
    ash_diagnostic diagnostic = {0};
    ash_shape_def def = {.geometry = entry->geometry,
                         .pose = entry->pose,
                         .density = entry->density,
                         .material = {ashi_pool_handle(&model->materials.pool, entry->material)},
                         .surface_velocity = entry->surface_velocity};
    bool good = ashi_check_shape(&model->materials, &def, i, model->bodies.planar, &diagnostic) == ASH_OK;
    ashi_archive_check(a, good && entry->density >= 0, &diagnostic);
}

static void archive_shapes(ashi_archive *a, ashi_model *model, ashi_geometry_table *table)
{
    ashi_shapes *s = &model->shapes;
    ashi_archive_pool(a, &s->pool);
    uint32_t slots = s->pool.slots.count;
    if (!a->writing && ashi_archive_good(a)) {
        if (!ashi_array_reserve(&s->entries, slots)) {
            a->out_of_memory = true;
            return;
        }
        s->entries.count = slots;
        for (uint32_t i = 0; i < slots; i++)
            s->entries.data[i] = (ashi_shape_entry){.next = ASHI_NO_SLOT};
    }
    for (uint32_t i = 0; i < slots && ashi_archive_good(a); i++) {
        if (!ashi_pool_in_use(&s->pool, i))
            continue;
        ashi_shape_entry *entry = &s->entries.data[i];
        uint32_t number = a->writing ? ashi_geometry_table_add(table, entry->geometry) : 0;
        ashi_archive_below(a, &number, table->items.count);
        ashi_archive_vec3(a, &entry->pose.position);
        ashi_archive_quat(a, &entry->pose.rotation);
        ashi_archive_double(a, &entry->density);
        ashi_archive_below(a, &entry->material, model->materials.entries.count);
        ashi_archive_vec3(a, &entry->surface_velocity);
        s->some_run |= v3_norm2(entry->surface_velocity) > 0;
        ashi_archive_u64(a, &entry->category);
        ashi_archive_u64(a, &entry->mask);
        ashi_archive_bytes(a, &entry->group, sizeof entry->group);
        ashi_archive_bool(a, &entry->sensor);
        ashi_archive_below(a, &entry->body, ashi_body_slots(&model->bodies));
        ashi_archive_u32(a, &entry->next);
        ashi_archive_text(a, &entry->name);
        a->failed |= ashi_archive_good(a) && !ashi_pool_in_use(&model->materials.pool, entry->material);
        if (!a->writing && ashi_archive_good(a)) {
            entry->geometry = ash_geometry_retain(table->items.data[number]);
            check_shape(a, model, i);
        }
    }
}

/* Every shape must be reached exactly once from its body. */
static bool shapes_are_chained(const ashi_model *model)
{
    uint32_t reached = 0;
    for (uint32_t body = 0; body < ashi_body_slots(&model->bodies); body++) {
        uint32_t i = model->bodies.info[body].first_shape;
        while (i != ASHI_NO_SLOT) {
            if (i >= model->shapes.entries.count || model->shapes.entries.data[i].geometry == NULL ||
                model->shapes.entries.data[i].body != body || ++reached > model->shapes.pool.used)
                return false;
            i = model->shapes.entries.data[i].next;
        }
    }
    return reached == model->shapes.pool.used;
}

static world_part part_of(const ash_world *world)
{
    return (world_part){.number = world->model.bodies.pool.world,
                        .method = world->method,
                        .steps = world->steps,
                        .step_count = world->step_count,
                        .time = world->time,
                        .time_base = world->time_base,
                        .step_length = world->step_length,
                        .account = world->account,
                        .detected = world->detected == world->revision};
}

/* All geometries that the world's shapes use, with the parts of compounds. */
static bool collect_geometries(const ash_world *world, ashi_geometry_table *table)
{
    const ashi_shapes *s = &world->model.shapes;
    for (uint32_t i = 0; i < s->entries.count; i++)
        if (s->entries.data[i].geometry != NULL &&
            ashi_geometry_table_add(table, s->entries.data[i].geometry) == UINT32_MAX)
            return false;
    return true;
}

ash_status ash_world_save(const ash_world *world, void **bytes, size_t *size, ash_diagnostic *diagnostic)
{
    ashi_archive a = {.writing = true};
    ashi_geometry_table table = {0};
    header head = plain_header;
    world_part part = part_of(world);
    ashi_model *model = (ashi_model *)&world->model; /* writing changes nothing in it */
    a.out_of_memory = !collect_geometries(world, &table);
    ashi_archive_bytes(&a, &head, sizeof head);
    archive_world(&a, &part, model);
    archive_bodies(&a, &model->bodies);
    ashi_archive_materials(&a, &model->materials);
    ashi_archive_geometries(&a, &table, NULL, 0);
    archive_shapes(&a, model, &table);
    ashi_archive_forces(&a, model);
    ashi_archive_joints(&a, model);
    ashi_archive_contacts(&a, (ashi_collision *)&world->collision, model);
    ashi_geometry_table_release(&table, false);
    if (!ashi_archive_good(&a)) {
        ashi_dealloc(a.bytes);
        return a.out_of_memory ? ashi_out_of_memory(diagnostic)
                               : ashi_fail(diagnostic, ASH_NUMERICS, "snapshot.state", "the state is not finite");
    }
    head.size = a.size - sizeof head;
    head.checksum = ashi_hash(ASHI_HASH_START, a.bytes + sizeof head, head.size);
    memcpy(a.bytes, &head, sizeof head);
    *bytes = a.bytes;
    *size = a.size;
    return ASH_OK;
}

static ash_status check_header(const void *bytes, size_t size, ash_diagnostic *diagnostic)
{
    header head;
    if (size < sizeof head)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.truncated", "%zu bytes are too few for a snapshot", size);
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, plain_header.magic, sizeof head.magic) != 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.foreign", "this is not a snapshot of a world");
    if (head.version != VERSION || head.byte_order != plain_header.byte_order) {
        ashi_fail(diagnostic, ASH_UNSUPPORTED, "snapshot.version", "the snapshot has version %u%s", head.version,
                  head.byte_order != plain_header.byte_order ? " and another byte order" : "");
        ashi_expect(diagnostic, "version %d", VERSION);
        return ASH_UNSUPPORTED;
    }
    if (head.size != size - sizeof head)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.truncated",
                         "the snapshot has %zu bytes, its header says %llu", size,
                         (unsigned long long)head.size + sizeof head);
    if (head.checksum != ashi_hash(ASHI_HASH_START, (const char *)bytes + sizeof head, size - sizeof head))
        return ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.damaged",
                         "the snapshot's checksum does not fit its content");
    return ASH_OK;
}

/* The slot of the object with the same index and generation in the old world; ASHI_NO_SLOT if there is none. */
static uint32_t predecessor(const ashi_pool *old, const ashi_pool *fresh, uint32_t slot)
{
    bool same = slot < old->slots.count && ashi_pool_in_use(old, slot) &&
                old->slots.data[slot].generation == fresh->slots.data[slot].generation;
    return same ? slot : ASHI_NO_SLOT;
}

/* Host pointers come from the objects of the old world with the same handle, apart from the world's number. */
static ash_status adopt_host_pointers(const ashi_model *old, ashi_model *fresh, ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < ashi_body_slots(&fresh->bodies); i++)
        if (ashi_pool_in_use(&fresh->bodies.pool, i)) {
            uint32_t was = predecessor(&old->bodies.pool, &fresh->bodies.pool, i);
            fresh->bodies.info[i].user_data = was != ASHI_NO_SLOT ? old->bodies.info[was].user_data : NULL;
        }
    for (uint32_t i = 0; i < fresh->shapes.entries.count; i++)
        if (ashi_pool_in_use(&fresh->shapes.pool, i)) {
            uint32_t was = predecessor(&old->shapes.pool, &fresh->shapes.pool, i);
            fresh->shapes.entries.data[i].user_data =
                was != ASHI_NO_SLOT ? old->shapes.entries.data[was].user_data : NULL;
        }
    for (uint32_t i = 0; i < fresh->joints.entries.count; i++)
        if (ashi_pool_in_use(&fresh->joints.pool, i)) {
            uint32_t was = predecessor(&old->joints.pool, &fresh->joints.pool, i);
            fresh->joints.entries.data[i].user_data =
                was != ASHI_NO_SLOT ? old->joints.entries.data[was].user_data : NULL;
        }
    for (uint32_t i = 0; i < fresh->forces.callbacks.count; i++) {
        ashi_callback *callback = &fresh->forces.callbacks.data[i];
        uint32_t was = predecessor(&old->forces.pool, &fresh->forces.pool, callback->head.owner);
        if (was == ASHI_NO_SLOT || old->forces.entries.data[was].kind != ASH_FORCE_CALLBACK)
            return ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.callback",
                             "the snapshot has a callback force (handle %#llx) that the world does not have",
                             (unsigned long long)ashi_pool_handle(&fresh->forces.pool, callback->head.owner));
        const ashi_callback *source = ashi_forces_element(&old->forces, was);
        callback->function = source->function;
        callback->user = source->user;
    }
    return ASH_OK;
}

/* Whether every pair consists of existing shapes: the next step does not check. */
static bool contacts_are_known(const ashi_contact_set *set, const ashi_model *model)
{
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        if (ashi_pool_slot_of(&model->shapes.pool, pair->handle_a) != pair->a ||
            ashi_pool_slot_of(&model->shapes.pool, pair->handle_b) != pair->b)
            return false;
    }
    return true;
}

static void read_all(ashi_archive *a, const ash_world *world, world_part *part, ashi_model *fresh,
                     ashi_collision *collision)
{
    ashi_geometry_table known = {0}, table = {0};
    a->out_of_memory |= !collect_geometries(world, &known);
    archive_world(a, part, fresh);
    archive_bodies(a, &fresh->bodies);
    ashi_archive_materials(a, &fresh->materials);
    ashi_archive_geometries(a, &table, known.items.data, known.items.count);
    archive_shapes(a, fresh, &table);
    a->failed |= ashi_archive_good(a) && !shapes_are_chained(fresh);
    ashi_archive_forces(a, fresh);
    ashi_archive_joints(a, fresh);
    ashi_model_number(fresh, part->number);
    ashi_archive_contacts(a, collision, fresh);
    a->failed |= part->detected && ashi_archive_good(a) && !contacts_are_known(&collision->now, fresh);
    if (ashi_archive_good(a) && part->method.contacts != ASH_CONTACTS_OFF)
        a->out_of_memory |= !ashi_collision_refresh(collision, fresh, NULL, &part->method, 0);
    a->failed |= a->at != a->size;
    ashi_geometry_table_release(&table, true);
    ashi_geometry_table_release(&known, false);
}

ash_status ash_world_restore(ash_world *world, const void *bytes, size_t size, ash_diagnostic *diagnostic)
{
    ash_status status = check_header(bytes, size, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_archive a = {.bytes = (char *)bytes, .size = size, .at = sizeof(header)};
    world_part part = {0};
    ashi_model fresh;
    ashi_collision collision = {0};
    if (!ashi_model_create(&fresh, false, v3(0, 0, 0)))
        return ashi_out_of_memory(diagnostic);
    read_all(&a, world, &part, &fresh, &collision);
    if (a.out_of_memory)
        status = ashi_out_of_memory(diagnostic);
    else if (a.failed)
        status = ashi_fail(diagnostic, ASH_BAD_DATA, "snapshot.content", "the snapshot's content is not consistent%s%s",
                           a.why.message[0] != 0 ? ": " : "", a.why.message);
    else
        status = adopt_host_pointers(&world->model, &fresh, diagnostic);
    if (status != ASH_OK) {
        ashi_collision_release(&collision);
        ashi_model_destroy(&fresh);
        return status;
    }
    for (uint32_t slot = 0; slot < fresh.forces.entries.count; slot++) /* lever arms are derived */
        if (ashi_pool_in_use(&fresh.forces.pool, slot)) {
            const ashi_force_entry *entry = &fresh.forces.entries.data[slot];
            if (ashi_force_class_of(entry->kind)->recentre != NULL)
                ashi_force_class_of(entry->kind)->recentre(&fresh, entry->index);
        }
    fresh.forces.changed = true;
    fresh.joints.revision = world->model.joints.revision + 1; /* invalidates data derived from the old joints */
    collision.filter = world->collision.filter;
    collision.filter_user = world->collision.filter_user;
    ashi_collision_release(&world->collision);
    world->collision = collision;
    world->revision++;
    world->detected = part.detected ? world->revision : 0;
    ashi_system_clear(&world->problem);
    ashi_lanes_clear(world->lanes);
    world->unwritten = 0;
    ashi_model_destroy(&world->model);
    world->model = fresh;
    world->method = part.method;
    world->model.unit_length = part.method.solver.unit_length;
    world->steps = part.steps;
    world->step_count = part.step_count;
    world->time = part.time;
    world->time_base = part.time_base;
    world->step_length = part.step_length;
    world->account = part.account;
    world->watch.begun = false; /* the watch starts again with the restored state */
    ash_world_reset_accuracy(world);
    world->bound_step = 0;
    world->report = (ash_step_report){.step = part.steps, .time = part.time};
    return ASH_OK;
}
