/* The stages of collision detection: boxes and filters here, contacts and events in contacts.c, crowds in crowd.c. */
#include "contact/collision.h"

#include "shape/geometry.h"

#include <string.h>

enum { SHAPES = 256, PAIRS = 512 }; /* numbers that one thread takes at once */

static void release_tree(ashi_collision *c)
{
    ashi_broad_destroy(c->broad);
    c->broad = NULL;
    for (uint32_t i = 0; i < c->colliders.count; i++)
        c->colliders.data[i].handle = 0;
}

void ashi_collision_release(ashi_collision *c)
{
    release_tree(c);
    for (uint32_t i = 0; i < c->drafts.count; i++)
        ashi_contact_draft_release(&c->drafts.data[i]);
    for (uint32_t i = 0; i < c->scratch.count; i++)
        ashi_array_release(&c->scratch.data[i]);
    ashi_contact_set_release(&c->now);
    ashi_contact_set_release(&c->before);
    ashi_contact_set_release(&c->start);
    ashi_contact_set_release(&c->kept);
    ashi_array_release(&c->colliders);
    ashi_array_release(&c->pairs);
    ashi_array_release(&c->meets);
    ashi_array_release(&c->pieces);
    ashi_array_release(&c->poses);
    ashi_array_release(&c->drafts);
    ashi_array_release(&c->scratch);
    ashi_array_release(&c->events);
    ashi_array_release(&c->fast);
    ashi_array_release(&c->impacts);
    ashi_array_release(&c->ignored);
}

void ashi_collision_clear(ashi_collision *c)
{
    release_tree(c);
    ashi_contact_set_clear(&c->now);
    ashi_contact_set_clear(&c->before);
    c->events.count = c->impacts.count = 0;
}

/* ---- boxes ---- */

static ash_bounds enlarged(ash_bounds box, double margin)
{
    ash_vec3 m = v3(margin, margin, margin);
    return (ash_bounds){v3_sub(box.lower, m), v3_add(box.upper, m)};
}

/* The largest distance of a point of the geometry from its origin; infinity for planes. */
static double reach_of(const ash_geometry *geometry)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    return v3_norm(v3_max(v3_abs(box.lower), v3_abs(box.upper)));
}

/* The least extent of the geometry's box; flat shapes have none along z. */
static double thickness_of(const ash_geometry *geometry)
{
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    ash_vec3 size = v3_sub(box.upper, box.lower);
    double least = size.x < size.y ? size.x : size.y;
    return ash_geometry_is_flat(geometry) || least < size.z ? least : size.z;
}

/* Shares of a shape's thickness by which it may move while its contacts are kept: points on faces remain on faces; on
 * curved surfaces normals also turn. */
#define KEPT_ON_FACES  (1.0 / 250)
#define KEPT_ON_CURVES (1.0 / 10000)

static bool is_curved(const ash_geometry *geometry)
{
    bool curved = geometry->functions->curved || geometry->functions->round;
    for (uint32_t i = 0; i < geometry->def.part_count && !curved; i++)
        curved = is_curved(geometry->def.parts[i].geometry);
    return curved;
}

/* A shape with faces but no thickness is ground: the other shape decides. */
static double lasting_of(const ash_geometry *geometry, double thickness)
{
    if (is_curved(geometry))
        return KEPT_ON_CURVES * thickness;
    return thickness > 0 ? KEPT_ON_FACES * thickness : HUGE_VAL;
}

double ashi_collision_reach(const ashi_collision *c, const ashi_model *model, uint32_t shape)
{
    bool known =
        shape < c->colliders.count && c->colliders.data[shape].handle == ashi_pool_handle(&model->shapes.pool, shape);
    return known ? c->colliders.data[shape].reach : reach_of(model->shapes.entries.data[shape].geometry);
}

static void drop(ashi_collision *c, ashi_collider *collider)
{
    if (collider->handle != 0)
        ashi_broad_remove(c->broad, collider->proxy);
    collider->handle = 0;
}

static bool same_place(const ashi_collider *collider, ash_vec3 position, ash_quat rotation)
{
    return memcmp(&collider->position, &position, sizeof position) == 0 &&
           memcmp(&collider->rotation, &rotation, sizeof rotation) == 0;
}

static ash_transform pose_of(const ashi_model *model, const ashi_shape_entry *shape)
{
    const ashi_bodies *b = &model->bodies;
    ash_transform pose = t_mul(ashi_body_frame(b, &b->now, shape->body), shape->pose);
    if (b->planar) /* flat shapes touch regardless of z */
        pose.position.z = 0;
    return pose;
}

/* Boxes are enlarged by half the margin each, so that they overlap where a gap is below the margin. */
static bool refresh_one(ashi_collision *c, const ashi_model *model, uint32_t slot, double margin, double h)
{
    const ashi_bodies *b = &model->bodies;
    const ashi_shape_entry *shape = &model->shapes.entries.data[slot];
    ashi_collider *collider = &c->colliders.data[slot];
    uint64_t handle = ashi_pool_handle(&model->shapes.pool, slot);
    bool moves = b->motion[shape->body] != 0;
    ash_vec3 position = b->now.position[shape->body];
    ash_quat rotation = b->now.rotation[shape->body];
    bool known = collider->handle == handle;
    if (known && collider->moves == moves && collider->margin == margin && same_place(collider, position, rotation))
        return true;
    if (!known)
        drop(c, collider);
    uint32_t proxy = collider->proxy;
    ash_transform pose = pose_of(model, shape);
    ash_bounds box = enlarged(ash_geometry_bounds(shape->geometry, pose), 0.5 * margin);
    if (!known) {
        proxy = ashi_broad_add(c->broad, box, slot, moves);
        if (proxy == UINT32_MAX)
            return false;
    } else {
        if (collider->moves != moves)
            ashi_broad_set_moves(c->broad, proxy, moves);
        ashi_broad_move(c->broad, proxy, box, v3_scale(b->now.velocity[shape->body], h));
    }
    double thickness = known ? collider->thickness : thickness_of(shape->geometry);
    if (thickness > 0 && (c->thinnest == 0 || thickness < c->thinnest))
        c->thinnest = thickness;
    *collider = (ashi_collider){.handle = handle,
                                .proxy = proxy,
                                .moves = moves,
                                .margin = margin,
                                .reach = known ? collider->reach : reach_of(shape->geometry),
                                .thickness = thickness,
                                .lasting = known ? collider->lasting : lasting_of(shape->geometry, thickness),
                                .pose = pose,
                                .position = position,
                                .rotation = rotation};
    return true;
}

/* A broad phase of the method's kind, and a collider a slot. */
static bool prepare_colliders(ashi_collision *c, const ashi_model *model, const ash_method *method)
{
    const ashi_shapes *shapes = &model->shapes;
    if (c->broad != NULL && c->kind != method->broad_phase)
        release_tree(c);
    if (c->broad == NULL) {
        c->kind = method->broad_phase;
        c->broad = ashi_broad_create((ashi_broad_kind)c->kind);
        if (c->broad == NULL)
            return false;
    }
    if (!ashi_array_reserve(&c->colliders, shapes->entries.count) ||
        !ashi_array_reserve(&c->fast, shapes->entries.count))
        return false;
    for (uint32_t i = shapes->entries.count; i < c->colliders.count; i++)
        drop(c, &c->colliders.data[i]);
    while (c->colliders.count < shapes->entries.count)
        c->colliders.data[c->colliders.count++] = (ashi_collider){0};
    return true;
}

typedef struct refreshing {
    ashi_collision *collision;
    const ashi_model *model;
    double margin, h;
    const ashi_state *start; /* null: fast ones are not noted */
} refreshing;

/* The part of a refresh that does not concern other shapes. False, with nothing done, if there is more to do. */
static bool refresh_alone(const refreshing *r, uint32_t slot)
{
    const ashi_model *model = r->model;
    const ashi_bodies *b = &model->bodies;
    const ashi_shape_entry *shape = &model->shapes.entries.data[slot];
    ashi_collider *collider = &r->collision->colliders.data[slot];
    ash_vec3 position = b->now.position[shape->body];
    ash_quat rotation = b->now.rotation[shape->body];
    if (!ashi_pool_in_use(&model->shapes.pool, slot) ||
        collider->handle != ashi_pool_handle(&model->shapes.pool, slot) ||
        collider->moves != (b->motion[shape->body] != 0) || collider->margin != r->margin)
        return false;
    if (!same_place(collider, position, rotation)) {
        ash_transform pose = pose_of(model, shape);
        ash_bounds box = enlarged(ash_geometry_bounds(shape->geometry, pose), 0.5 * r->margin);
        if (!ashi_broad_move_within(r->collision->broad, collider->proxy, box,
                                    v3_scale(b->now.velocity[shape->body], r->h)))
            return false;
        collider->pose = pose;
        collider->position = position;
        collider->rotation = rotation;
    }
    return r->start == NULL || !ashi_collision_may_be_fast(r->collision, model, r->start, slot);
}

static void refresh_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const refreshing *r = data;
    (void)worker;
    for (uint32_t slot = begin; slot < end; slot++)
        r->collision->colliders.data[slot].late = !refresh_alone(r, slot);
}

bool ashi_collision_refresh_since(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method, double h, const ashi_state *start)
{
    const ashi_shapes *shapes = &model->shapes;
    refreshing r = {c, model, method->contact_margin, h, start};
    ashi_collision_forget_fast(c);
    if (!prepare_colliders(c, model, method))
        return false;
    ashi_parallel_for(tasks, shapes->entries.count, SHAPES, refresh_some, &r);
    for (uint32_t slot = 0; slot < shapes->entries.count; slot++) {
        if (!c->colliders.data[slot].late)
            continue;
        if (!ashi_pool_in_use(&shapes->pool, slot))
            drop(c, &c->colliders.data[slot]);
        else if (!refresh_one(c, model, slot, method->contact_margin, h))
            return false;
        else if (start != NULL)
            ashi_collision_note_fast(c, model, start, h, slot);
    }
    return true;
}

bool ashi_collision_refresh(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks, const ash_method *method,
                            double h)
{
    return ashi_collision_refresh_since(c, model, tasks, method, h, NULL);
}

bool ashi_collision_refresh_body(ashi_collision *c, const ashi_model *model, const ash_method *method, double h,
                                 uint32_t body)
{
    uint32_t slot = model->bodies.info[body].first_shape;
    for (; slot != ASHI_NO_SLOT; slot = model->shapes.entries.data[slot].next)
        if (!refresh_one(c, model, slot, method->contact_margin, h))
            return false;
    return true;
}

/* ---- filters ---- */

static int compare_body_pairs(ashi_body_pair a, ashi_body_pair b)
{
    if (a.a != b.a)
        return a.a < b.a ? -1 : 1;
    return a.b == b.b ? 0 : a.b < b.b ? -1 : 1;
}

static ashi_body_pair ordered(uint64_t a, uint64_t b)
{
    return a < b ? (ashi_body_pair){a, b} : (ashi_body_pair){b, a};
}

/* The place of the pair in the sorted list, or where it would be inserted. */
static uint32_t place_of(const ashi_collision *c, ashi_body_pair pair, bool *found)
{
    uint32_t low = 0, high = c->ignored.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_body_pairs(c->ignored.data[middle], pair) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < c->ignored.count && compare_body_pairs(c->ignored.data[low], pair) == 0;
    return low;
}

bool ashi_collision_ignore(ashi_collision *c, uint64_t a, uint64_t b, bool ignore)
{
    bool found;
    ashi_body_pair pair = ordered(a, b);
    uint32_t place = place_of(c, pair, &found);
    if (found == ignore)
        return true;
    if (ignore && !ashi_array_extend(&c->ignored))
        return false;
    ashi_body_pair *data = c->ignored.data;
    uint32_t after = c->ignored.count - place - 1;
    if (ignore) {
        memmove(data + place + 1, data + place, after * sizeof *data);
        data[place] = pair;
    } else {
        memmove(data + place, data + place + 1, after * sizeof *data);
        c->ignored.count--;
    }
    return true;
}

void ashi_collision_forget_body(ashi_collision *c, uint64_t body)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->ignored.count; i++)
        if (c->ignored.data[i].a != body && c->ignored.data[i].b != body)
            c->ignored.data[kept++] = c->ignored.data[i];
    c->ignored.count = kept;
}

bool ashi_collision_may_meet(const ashi_collision *c, const ashi_model *model, uint32_t a, uint32_t b)
{
    const ashi_shape_entry *shape_a = &model->shapes.entries.data[a], *shape_b = &model->shapes.entries.data[b];
    const ashi_bodies *bodies = &model->bodies;
    /* Two bodies that no force can move do not touch. */
    uint8_t motions = bodies->motion[shape_a->body] | bodies->motion[shape_b->body];
    bool dynamic = (motions & (ASHI_DYNAMIC | ASHI_ASLEEP)) != 0;
    if (shape_a->body == shape_b->body || !dynamic || !ashi_shapes_meet(shape_a, shape_b) ||
        !ashi_can_collide(shape_a->geometry, shape_b->geometry))
        return false;
    if (ashi_joints_keep_apart(&model->joints, shape_a->body, shape_b->body))
        return false;
    if (c->ignored.count > 0) {
        bool found;
        place_of(
            c, ordered(ashi_pool_handle(&bodies->pool, shape_a->body), ashi_pool_handle(&bodies->pool, shape_b->body)),
            &found);
        if (found)
            return false;
    }
    return c->filter == NULL || c->filter((ash_shape){c->colliders.data[a].handle},
                                          (ash_shape){c->colliders.data[b].handle}, c->filter_user);
}

typedef struct filtering {
    ashi_collision *collision;
    const ashi_model *model;
} filtering;

static void filter_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const filtering *f = data;
    ashi_collision *c = f->collision;
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        c->meets.data[i] = ashi_collision_may_meet(c, f->model, c->pairs.data[i].a, c->pairs.data[i].b);
}

/* Keeps pairs that may touch; the host's filter is called on this thread. False when memory ran out. */
static bool filter_pairs(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks)
{
    uint32_t kept = 0;
    filtering f = {c, model};
    if (!ashi_array_reserve(&c->meets, c->pairs.count))
        return false;
    ashi_parallel_for(c->filter == NULL ? tasks : NULL, c->pairs.count, PAIRS, filter_some, &f);
    for (uint32_t i = 0; i < c->pairs.count; i++) {
        c->pairs.data[kept] = c->pairs.data[i];
        kept += c->meets.data[i];
    }
    c->pairs.count = kept;
    return true;
}

/* ---- all of it ---- */

static void exchange_sets(ashi_collision *c)
{
    ashi_contact_set set = c->before;
    c->before = c->now;
    c->now = set;
}

/* Pairs that may touch, from up-to-date boxes. */
static bool find_pairs(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks)
{
    if (!ashi_shapes_some_meet(&model->shapes)) {
        c->pairs.count = c->tests = c->dropped = 0;
        return true;
    }
    if (!ashi_broad_find_pairs(c->broad, tasks, &c->pairs) || !filter_pairs(c, model, tasks))
        return false;
    ashi_crowd_thin_pairs(c, model);
    return true;
}

/* Shapes that never touch have boxes only for queries. */
static bool refresh_where_some_meet(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks,
                                    const ash_method *method, double h)
{
    return !ashi_shapes_some_meet(&model->shapes) || ashi_collision_refresh(c, model, tasks, method, h);
}

bool ashi_collision_find_candidates(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks,
                                    const ash_method *method, double h)
{
    return refresh_where_some_meet(c, model, tasks, method, h) && find_pairs(c, model, tasks);
}

bool ashi_collision_detect(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks, const ash_method *method,
                           double h)
{
    uint32_t impacts = c->impacts.count;
    c->impacts.count = 0;
    if (refresh_where_some_meet(c, model, tasks, method, h) && ashi_collision_detect_refreshed(c, model, tasks, method))
        return true;
    c->impacts.count = impacts;
    return false;
}

bool ashi_collision_detect_refreshed(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks,
                                     const ash_method *method)
{
    if (!find_pairs(c, model, tasks))
        return false;
    exchange_sets(c);
    ashi_contact_set_clear(&c->now);
    if (ashi_collision_find_contacts(c, model, tasks, method))
        return true;
    exchange_sets(c);
    return false;
}

void ashi_collision_restart(ashi_collision *c)
{
    ashi_contact_set set = c->now;
    c->now = c->start;
    c->start = set;
    c->events.count = c->impacts.count = 0;
}

void ashi_collision_undo(ashi_collision *c)
{
    exchange_sets(c);
    c->events.count = c->impacts.count = 0;
}

double ashi_collision_penetration(const ashi_collision *c)
{
    return c->now.deepest;
}
