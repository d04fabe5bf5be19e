/* The stages of collision detection. Pairs are sorted by the slots of their shapes; they are collided in pieces whose
 * results are appended in order, so that any number of threads gives the same bits. */
#include "step/collision.h"

#include <string.h>

#define PIECE     32 /* pairs that one task collides */
#define MANIFOLDS 8  /* of one pair that memory is kept ready for */

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
    for (uint32_t i = 0; i < c->chunks.count; i++)
        ashi_contact_set_release(&c->chunks.data[i]);
    for (uint32_t i = 0; i < c->scratch.count; i++)
        ashi_array_release(&c->scratch.data[i]);
    ashi_contact_set_release(&c->now);
    ashi_contact_set_release(&c->before);
    ashi_array_release(&c->colliders);
    ashi_array_release(&c->pairs);
    ashi_array_release(&c->chunks);
    ashi_array_release(&c->failed);
    ashi_array_release(&c->scratch);
    ashi_array_release(&c->events);
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

/* The farthest that the geometry reaches from its origin; infinite for planes. */
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
    ash_transform pose = t_mul(ashi_body_frame(b, &b->now, shape->body), shape->pose);
    if (b->planar) /* flat shapes meet whatever their height */
        pose.position.z = 0;
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
    *collider = (ashi_collider){.handle = handle,
                                .proxy = proxy,
                                .moves = moves,
                                .margin = margin,
                                .reach = known ? collider->reach : reach_of(shape->geometry),
                                .thickness = known ? collider->thickness : thickness_of(shape->geometry),
                                .pose = pose,
                                .position = position,
                                .rotation = rotation};
    return true;
}

bool ashi_collision_refresh(ashi_collision *c, const ashi_model *model, const ash_method *method, double h)
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
    if (!ashi_array_reserve(&c->colliders, shapes->entries.count))
        return false;
    for (uint32_t i = shapes->entries.count; i < c->colliders.count; i++)
        drop(c, &c->colliders.data[i]);
    while (c->colliders.count < shapes->entries.count)
        c->colliders.data[c->colliders.count++] = (ashi_collider){0};
    for (uint32_t slot = 0; slot < shapes->entries.count; slot++) {
        if (!ashi_pool_in_use(&shapes->pool, slot))
            drop(c, &c->colliders.data[slot]);
        else if (!refresh_one(c, model, slot, method->contact_margin, h))
            return false;
    }
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

/* Where the pair is in the sorted list, or where it would go. */
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
    /* Two bodies that no force can move do not meet. */
    bool dynamic = ((bodies->motion[shape_a->body] | bodies->motion[shape_b->body]) & ASHI_DYNAMIC) != 0;
    if (shape_a->body == shape_b->body || !dynamic || !ashi_shapes_meet(shape_a, shape_b) ||
        !ashi_can_collide(shape_a->geometry, shape_b->geometry))
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

static void filter_pairs(ashi_collision *c, const ashi_model *model)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->pairs.count; i++)
        if (ashi_collision_may_meet(c, model, c->pairs.data[i].a, c->pairs.data[i].b))
            c->pairs.data[kept++] = c->pairs.data[i];
    c->pairs.count = kept;
}

/* ---- contacts ---- */

typedef struct narrow_phase {
    ashi_collision *collision;
    const ashi_model *model;
    const ash_method *method;
} narrow_phase;

/* An upper bound of how far any point that both shapes can share has moved since the contacts were computed. */
static double moved_since(const ashi_contact_pair *old, ash_transform b_in_a, double reach_a, double reach_b)
{
    ash_quat turn = q_mul(q_conjugate(old->b_in_a.rotation), b_in_a.rotation);
    double angle = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z); /* at least 0.9 of it when small */
    double shared = reach_a + v3_norm(b_in_a.position);
    double reach = reach_b < shared ? reach_b : shared;
    return v3_distance(old->b_in_a.position, b_in_a.position) + 1.2 * angle * reach;
}

static bool collide_one(const narrow_phase *n, ashi_broad_pair slots, ashi_contact_set *out, ashi_manifolds *scratch)
{
    const ashi_collision *c = n->collision;
    const ashi_collider *a = &c->colliders.data[slots.a], *b = &c->colliders.data[slots.b];
    const ashi_shape_entry *shape_a = &n->model->shapes.entries.data[slots.a];
    const ashi_shape_entry *shape_b = &n->model->shapes.entries.data[slots.b];
    const ashi_contact_pair *old = ashi_contact_set_find(&c->before, slots.a, slots.b);
    if (old != NULL && (old->handle_a != a->handle || old->handle_b != b->handle))
        old = NULL;
    ashi_contact_pair pair = {.handle_a = a->handle,
                              .handle_b = b->handle,
                              .a = slots.a,
                              .b = slots.b,
                              .b_in_a = t_mul(t_inverse(a->pose), b->pose),
                              .sensor = shape_a->sensor || shape_b->sensor};
    if (old != NULL) {
        pair.cache = old->cache;
        if (n->method->recycle > 0 && moved_since(old, pair.b_in_a, a->reach, b->reach) < n->method->recycle) {
            ash_transform b_in_a = pair.b_in_a;
            pair.b_in_a = old->b_in_a;
            pair.recycled = true;
            return ashi_contact_set_recycle(out, &pair, b_in_a, &c->before, old);
        }
    }
    scratch->count = 0;
    ashi_pair question = {.a = shape_a->geometry,
                          .b = shape_b->geometry,
                          .b_in_a = pair.b_in_a,
                          .margin = n->method->contact_margin,
                          .keep_all_points = !n->method->reduce_manifolds,
                          .cache = &pair.cache};
    return ashi_collide(&question, scratch) &&
           ashi_contact_set_add(out, &pair, scratch->data, scratch->count, &c->before, old);
}

static void collide_piece(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    narrow_phase *n = data;
    ashi_collision *c = n->collision;
    uint32_t piece = begin / PIECE;
    ashi_contact_set *out = &c->chunks.data[piece];
    ashi_contact_set_clear(out);
    bool *failed = &c->failed.data[piece];
    *failed = false;
    for (uint32_t i = begin; i < end && !*failed; i++)
        *failed = !collide_one(n, c->pairs.data[i], out, &c->scratch.data[worker]);
}

/* Collides all pairs into `now`, whose old content has become `before`. */
static bool find_contacts(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks, const ash_method *method)
{
    uint32_t pieces = c->pairs.count / PIECE + 1, workers = ashi_tasks_workers(tasks);
    if (!ashi_array_reserve(&c->chunks, pieces) || !ashi_array_reserve(&c->failed, pieces) ||
        !ashi_array_reserve(&c->scratch, workers))
        return false;
    while (c->chunks.count < pieces) {
        ashi_contact_set *chunk = &c->chunks.data[c->chunks.count];
        *chunk = (ashi_contact_set){0};
        c->chunks.count++;
        if (!ashi_contact_set_reserve(chunk, PIECE))
            return false;
    }
    while (c->scratch.count < workers)
        memset(&c->scratch.data[c->scratch.count++], 0, sizeof *c->scratch.data);
    for (uint32_t i = 0; i < workers; i++)
        if (!ashi_array_reserve(&c->scratch.data[i], MANIFOLDS))
            return false;
    /* Room for as many contacts as pairs, now and next time, with some to spare. */
    uint32_t wanted = c->pairs.count + c->pairs.count / 4 + PIECE;
    if (wanted > c->now.pairs.capacity &&
        (!ashi_contact_set_reserve(&c->now, wanted) || !ashi_contact_set_reserve(&c->before, wanted) ||
         !ashi_array_reserve(&c->events, 2 * (uint64_t)wanted)))
        return false;
    narrow_phase n = {c, model, method};
    ashi_parallel_for(tasks, c->pairs.count, PIECE, collide_piece, &n);
    bool good = true;
    for (uint32_t i = 0; i * PIECE < c->pairs.count && good; i++)
        good = !c->failed.data[i] && ashi_contact_set_append(&c->now, &c->chunks.data[i]);
    c->tests = c->recycled = 0;
    for (uint32_t i = 0; i < c->now.pairs.count; i++) {
        c->recycled += c->now.pairs.data[i].recycled;
        c->tests += !c->now.pairs.data[i].recycled;
    }
    return good;
}

/* ---- events ---- */

static bool add_event(ashi_collision *c, ash_contact_event_kind kind, const ashi_contact_pair *pair)
{
    if (!ashi_array_extend(&c->events))
        return false;
    bool ended = kind == ASH_CONTACT_ENDED;
    c->events.data[c->events.count - 1] = (ash_contact_event){.kind = kind,
                                                              .shape_a = {pair->handle_a},
                                                              .shape_b = {pair->handle_b},
                                                              .sensor = pair->sensor,
                                                              .first_contact = ended ? 0 : pair->first_contact,
                                                              .contact_count = ended ? 0 : pair->contact_count};
    return true;
}

/* Both sets are sorted by slots: one pass over both. A slot that has a new owner is another pair. */
static bool find_events(ashi_collision *c)
{
    const ashi_contact_set *now = &c->now, *before = &c->before;
    uint32_t i = 0, k = 0;
    bool good = true;
    c->events.count = 0;
    while (good && (i < now->pairs.count || k < before->pairs.count)) {
        const ashi_contact_pair *fresh = i < now->pairs.count ? &now->pairs.data[i] : NULL;
        const ashi_contact_pair *old = k < before->pairs.count ? &before->pairs.data[k] : NULL;
        bool old_first =
            fresh == NULL || (old != NULL && (old->a < fresh->a || (old->a == fresh->a && old->b < fresh->b)));
        bool fresh_first = old == NULL || (!old_first && (old->a != fresh->a || old->b != fresh->b));
        bool same = !old_first && !fresh_first && old->handle_a == fresh->handle_a && old->handle_b == fresh->handle_b;
        bool was = !fresh_first && old->touching, is = !old_first && fresh->touching;
        if (was && !(same && is))
            good = add_event(c, ASH_CONTACT_ENDED, old);
        if (good && is)
            good = add_event(c, same && was ? ASH_CONTACT_LASTING : ASH_CONTACT_BEGAN, fresh);
        i += !old_first;
        k += !fresh_first;
    }
    return good;
}

static void exchange_sets(ashi_collision *c)
{
    ashi_contact_set set = c->before;
    c->before = c->now;
    c->now = set;
}

bool ashi_collision_detect(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks, const ash_method *method,
                           double h)
{
    if (!ashi_collision_refresh(c, model, method, h) || !ashi_broad_find_pairs(c->broad, tasks, &c->pairs))
        return false;
    filter_pairs(c, model);
    exchange_sets(c);
    ashi_contact_set_clear(&c->now);
    c->impacts.count = 0;
    if (find_contacts(c, model, tasks, method) && find_events(c))
        return true;
    exchange_sets(c);
    return false;
}

double ashi_collision_penetration(const ashi_collision *c)
{
    double deepest = 0;
    for (uint32_t i = 0; i < c->now.pairs.count; i++) {
        const ashi_contact_pair *pair = &c->now.pairs.data[i];
        for (uint32_t k = 0; k < pair->contact_count && !pair->sensor; k++) {
            const ashi_contact *contact = &c->now.contacts.data[pair->first_contact + k];
            for (uint32_t m = 0; m < contact->point_count; m++) {
                double depth = c->now.points.data[contact->first_point + m].depth;
                deepest = depth > deepest ? depth : deepest;
            }
        }
    }
    return deepest;
}
