/* Contacts and events from the pairs that may touch.
 *
 * Pairs, and those of the previous step, are sorted by the slots of their shapes, so old pairs are found in one pass
 * along both lists. Pieces of the pairs are collided on many threads, then the counts of their contacts are summed in
 * order, then each piece writes its contacts to their places; so any number of threads gives the same bits. A single
 * thread works batch by batch, so that the data of a batch in both sets stays in the cache. The old set is not
 * modified. */
#include "contact/collision.h"

#include <string.h>

#define MANIFOLDS 8   /* of one pair, for which memory is kept ready */
#define AHEAD     8   /* pairs whose shapes are prefetched */
#define BATCH     256 /* pairs: 0.2 MB with all their data; with several threads four times as many for each */
#define OF_MARGIN 0.2 /* of the contact margin: how far shapes may move while their contacts are kept */

typedef struct narrow_phase {
    ashi_collision *collision;
    const ashi_model *model;
    const ash_method *method;
    uint32_t begin, end; /* of the batch; its first piece is the first of all */
} narrow_phase;

/* The pose of b seen from a. */
static ash_transform seen_from(const ash_transform *a, const ash_transform *b)
{
    return (ash_transform){t_point_inverse(*a, b->position), q_mul(q_conjugate(a->rotation), b->rotation)};
}

/* The same of poses in a plane, which turn about z alone, with the same bits. */
static ash_transform seen_from_flat(const ash_transform *a, const ash_transform *b)
{
    ash_vec3 v = v3_sub(b->position, a->position);
    double w = a->rotation.w, z = -a->rotation.z, tx = 2 * -(z * v.y), ty = 2 * (z * v.x);
    return (ash_transform){v3(v.x + tx * w - z * ty, v.y + ty * w + z * tx, 0),
                           {w * b->rotation.w - z * b->rotation.z, 0, 0, w * b->rotation.z + z * b->rotation.w}};
}

static bool has_stayed_flat(const ash_transform *then, const ash_transform *now, double reach_a, double reach_b,
                            double length)
{
    double x = now->position.x - then->position.x, y = now->position.y - then->position.y, way = sqrt(x * x + y * y);
    if (!(way < length))
        return false;
    double reach = reach_b, turn = then->rotation.w * now->rotation.z - then->rotation.z * now->rotation.w;
    if (reach > reach_a)
        reach = fmin(reach, reach_a + sqrt(now->position.x * now->position.x + now->position.y * now->position.y));
    return way + 1.2 * (2 * fabs(turn)) * reach < length;
}

/* Whether every point in the reach of both shapes has moved by less than a length since the contacts were computed. */
static bool has_stayed(const ash_transform *then, const ash_transform *now, double reach_a, double reach_b,
                       double length)
{
    double way = v3_distance(then->position, now->position);
    if (!(way < length))
        return false;
    ash_quat turn = q_mul(q_conjugate(then->rotation), now->rotation);
    double angle = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z); /* at least 0.9 of it when small */
    double reach = reach_b;
    if (reach > reach_a)
        reach = fmin(reach, reach_a + v3_norm(now->position));
    return way + 1.2 * angle * reach < length;
}

/* Relative motion up to which the contacts of two shapes are kept. */
static double lasting_of(const ash_method *method, const ashi_collider *a, const ashi_collider *b)
{
    double least = a->lasting < b->lasting ? a->lasting : b->lasting;
    double most = OF_MARGIN * method->contact_margin;
    most = method->recycle < most || method->contact_margin == 0 ? method->recycle : most;
    return least < most ? least : most;
}

static double deepest(const ashi_manifolds *manifolds)
{
    double depth = 0;
    for (uint32_t i = 0; i < manifolds->count; i++)
        for (uint32_t k = 0; k < manifolds->data[i].count; k++)
            depth = fmax(depth, manifolds->data[i].points[k].depth);
    return depth;
}

static void write_direction(ashi_contact_pair *pair, ash_vec3 direction)
{
    pair->direction[0] = (float)direction.x;
    pair->direction[1] = (float)direction.y;
    pair->direction[2] = (float)direction.z;
}

/* Decides what happens to a pair and drafts its contacts if they must be computed. False when memory ran out. */
static bool collide_one(const narrow_phase *n, uint32_t number, uint32_t old, ashi_contact_piece *piece,
                        ashi_contact_draft *draft, ashi_manifolds *scratch)
{
    const ashi_collision *c = n->collision;
    ashi_contact_pair *pair = &c->now.pairs.data[number];
    ashi_broad_pair slots = c->pairs.data[number];
    const ashi_collider *a = &c->colliders.data[slots.a], *b = &c->colliders.data[slots.b];
    const ashi_shape_entry *shape_a = &n->model->shapes.entries.data[slots.a];
    const ashi_shape_entry *shape_b = &n->model->shapes.entries.data[slots.b];
    bool flat = n->model->bodies.planar;
    ash_transform b_in_a = (flat ? seen_from_flat : seen_from)(&a->pose, &b->pose);
    c->poses.data[number - n->begin] = b_in_a;
    if (old != ASHI_NO_PAIR) {
        *pair = c->before.pairs.data[old];
        pair->old = old;
        /* Sleeping pairs are skipped: whatever moves one of the bodies also wakes it. */
        const uint8_t *motion = n->model->bodies.motion;
        uint8_t motions = motion[shape_a->body] | motion[shape_b->body];
        bool asleep = !(motions & (ASHI_DYNAMIC | ASHI_KINEMATIC));
        pair->left_out = 0;
        pair->recycled = asleep || (n->method->recycle > 0 && !pair->deep &&
                                    (flat ? has_stayed_flat : has_stayed)(&pair->b_in_a, &b_in_a, a->reach, b->reach,
                                                                          lasting_of(n->method, a, b)));
        if (pair->recycled) {
            piece->recycled++;
            piece->contacts += pair->contact_count;
            piece->points += pair->point_count;
            return true;
        }
    } else {
        *pair = (ashi_contact_pair){.handle_a = a->handle,
                                    .handle_b = b->handle,
                                    .a = slots.a,
                                    .b = slots.b,
                                    .old = ASHI_NO_PAIR,
                                    .sensor = shape_a->sensor || shape_b->sensor};
    }
    pair->b_in_a = b_in_a;
    scratch->count = 0;
    ashi_pair_cache cache = {.axis = pair->axis,
                             .direction = v3(pair->direction[0], pair->direction[1], pair->direction[2])};
    ashi_pair question = {.a = shape_a->geometry,
                          .b = shape_b->geometry,
                          .b_in_a = b_in_a,
                          .margin = n->method->contact_margin,
                          .keep_all_points = !n->method->reduce_manifolds,
                          .cache = &cache};
    if (old != ASHI_NO_PAIR)
        question.last = ashi_contact_set_last(&c->before, &c->before.pairs.data[old]);
    if (pair->point_count > 1) /* of the last step; else there was nothing to choose */
        ashi_recall_kept(&question.last, cache.kept);
    if (!ashi_collide(&question, scratch))
        return false;
    pair->axis = cache.axis;
    write_direction(pair, cache.direction);
    pair->deep = ashi_crowd_is_deep(c, n->model, pair, deepest(scratch));
    return ashi_contact_draft_add(draft, scratch->data, scratch->count, pair);
}

/* Walks along the old pairs to the one of these shapes. A slot that has a new owner is another pair. */
static uint32_t find_old(const ashi_collision *c, ashi_broad_pair slots, uint32_t *next)
{
    const ashi_contact_pair *pairs = c->before.pairs.data;
    uint32_t k = *next, count = c->before.pairs.count;
    while (k < count && (pairs[k].a < slots.a || (pairs[k].a == slots.a && pairs[k].b < slots.b)))
        k++;
    *next = k;
    bool same = k < count && pairs[k].a == slots.a && pairs[k].b == slots.b &&
                pairs[k].handle_a == c->colliders.data[slots.a].handle &&
                pairs[k].handle_b == c->colliders.data[slots.b].handle;
    return same ? k : ASHI_NO_PAIR;
}

/* The shapes of pairs are scattered in memory: they are prefetched while others are collided. */
static void fetch(const narrow_phase *n, uint32_t number)
{
    const ashi_collision *c = n->collision;
    if (number >= c->pairs.count)
        return;
    uint32_t slot = c->pairs.data[number].b;
    const char *collider = (const char *)&c->colliders.data[slot];
    const ashi_shape_entry *shape = &n->model->shapes.entries.data[slot];
    __builtin_prefetch(collider);
    __builtin_prefetch(collider + 64);
    __builtin_prefetch(&shape->geometry);
    __builtin_prefetch(&shape->body);
}

static void collide_piece(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const narrow_phase *n = data;
    ashi_collision *c = n->collision;
    ashi_contact_piece *piece = &c->pieces.data[begin / ASHI_CONTACT_PIECE];
    ashi_contact_draft draft = c->drafts.data[worker]; /* copies: those of other workers are in the same cache lines */
    ashi_manifolds scratch = c->scratch.data[worker];
    ashi_broad_pair first = c->pairs.data[n->begin + begin];
    uint32_t next = ashi_contact_set_count_before(&c->before, first.a, first.b);
    uint32_t first_point = draft.points.count;
    *piece = (ashi_contact_piece){.worker = worker, .first = draft.contacts.count};
    for (uint32_t i = n->begin + begin; i < n->begin + end && !piece->failed; i++) {
        fetch(n, i + AHEAD);
        uint32_t old = find_old(c, c->pairs.data[i], &next);
        piece->failed = !collide_one(n, i, old, piece, &draft, &scratch);
        piece->deep += c->now.pairs.data[i].deep;
    }
    piece->contacts += draft.contacts.count - piece->first;
    piece->points += draft.points.count - first_point;
    c->drafts.data[worker] = draft;
    c->scratch.data[worker] = scratch;
}

static double deepest_of(const ashi_contact_set *set, const ashi_contact_pair *pair, double deepest)
{
    if (pair->contact_count == 0 || pair->sensor)
        return deepest;
    uint32_t first = set->contacts.data[pair->first_contact].first_point;
    for (uint32_t k = first; k < first + pair->point_count; k++)
        deepest = set->points.data[k].depth > deepest ? set->points.data[k].depth : deepest;
    return deepest;
}

/* Writes the contacts of a piece to their places. */
static void place_piece(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    const narrow_phase *n = data;
    ashi_collision *c = n->collision;
    ashi_contact_piece *piece = &c->pieces.data[begin / ASHI_CONTACT_PIECE];
    ashi_contact_cursor place = piece->place;
    uint32_t drafted = piece->first;
    double deepest = 0;
    for (uint32_t i = n->begin + begin; i < n->begin + end; i++) {
        const ashi_contact_pair *pair = &c->now.pairs.data[i];
        if (pair->recycled) {
            (n->model->bodies.planar ? ashi_contact_set_recycle_flat : ashi_contact_set_recycle)(
                &c->now, i, &place, c->poses.data[i - n->begin], &c->before);
        } else {
            double width = fmin(c->colliders.data[pair->a].reach, c->colliders.data[pair->b].reach);
            ashi_contact_set_match(&c->now, i, &place, &c->drafts.data[piece->worker], drafted, &c->before, width);
            drafted += pair->contact_count + pair->left_out;
        }
        deepest = deepest_of(&c->now, pair, deepest);
    }
    piece->deepest = deepest;
}

bool ashi_collision_reserve_scratch(ashi_collision *c, ashi_tasks *tasks)
{
    uint32_t workers = ashi_tasks_workers(tasks);
    if (!ashi_array_reserve(&c->scratch, workers))
        return false;
    while (c->scratch.count < workers)
        memset(&c->scratch.data[c->scratch.count++], 0, sizeof *c->scratch.data);
    for (uint32_t i = 0; i < workers; i++)
        if (!ashi_array_reserve(&c->scratch.data[i], MANIFOLDS))
            return false;
    return true;
}

/* Contacts that a worker is expected to draft: all of them or, with many, rarely more than twice its share. */
static uint64_t expected_of(uint64_t drafted, uint32_t workers)
{
    return workers < 2 ? drafted : 2 * drafted / workers;
}

/* Empties the workers' drafts and reserves the expected room: one contact per pair for a normal batch; for many pairs,
 * as many as last time. */
static bool reserve_drafts(ashi_collision *c, uint32_t workers, uint32_t pairs)
{
    uint64_t contacts = 0, points = 0, least = pairs < BATCH ? pairs : BATCH;
    for (uint32_t i = 0; i < c->drafts.count; i++) {
        contacts += c->drafts.data[i].contacts.count;
        points += c->drafts.data[i].points.count;
        c->drafts.data[i].contacts.count = c->drafts.data[i].points.count = 0;
    }
    contacts = expected_of(contacts, workers) + ASHI_CONTACT_PIECE;
    points = expected_of(points, workers) + ASHI_CONTACT_PIECE * ASHI_MANIFOLD_POINTS;
    contacts = contacts > least ? contacts : least;
    points = points > least * ASHI_MANIFOLD_POINTS ? points : least * ASHI_MANIFOLD_POINTS;
    for (uint32_t i = 0; i < workers; i++)
        if (!ashi_contact_draft_reserve(&c->drafts.data[i], contacts, points))
            return false;
    return true;
}

/* Reserves memory for pairs and workers, and for as many contacts as before. */
static bool reserve(ashi_collision *c, ashi_tasks *tasks)
{
    uint32_t workers = ashi_tasks_workers(tasks);
    if (!ashi_array_reserve(&c->drafts, workers))
        return false;
    while (c->drafts.count < workers)
        c->drafts.data[c->drafts.count++] = (ashi_contact_draft){0};
    return ashi_collision_reserve_scratch(c, tasks) && ashi_contact_set_reserve_pairs(&c->now, c->pairs.count) &&
           ashi_contact_set_reserve(&c->now, c->before.contacts.count, c->before.points.count);
}

/* Collides the batch. False when memory ran out. */
static bool collide(narrow_phase *n, ashi_tasks *tasks)
{
    ashi_collision *c = n->collision;
    uint32_t pairs = n->end - n->begin, pieces = pairs / ASHI_CONTACT_PIECE + 1;
    if (!ashi_array_reserve(&c->pieces, pieces) || !ashi_array_reserve(&c->poses, pairs) ||
        !reserve_drafts(c, ashi_tasks_workers(tasks), pairs))
        return false;
    ashi_parallel_for(tasks, pairs, ASHI_CONTACT_PIECE, collide_piece, n);
    c->pieces.count = (pairs + ASHI_CONTACT_PIECE - 1) / ASHI_CONTACT_PIECE;
    for (uint32_t i = 0; i < c->pieces.count; i++)
        if (c->pieces.data[i].failed)
            return false;
    return true;
}

/* Gives each piece its place. False when memory ran out. */
static bool assign_places(ashi_collision *c)
{
    uint64_t contacts = c->now.contacts.count, points = c->now.points.count;
    for (uint32_t i = 0; i < c->pieces.count; i++) {
        ashi_contact_piece *piece = &c->pieces.data[i];
        piece->place = (ashi_contact_cursor){(uint32_t)contacts, (uint32_t)points};
        contacts += piece->contacts;
        points += piece->points;
        c->recycled += piece->recycled;
    }
    /* Most events belong to present contacts. */
    if (!ashi_contact_set_reserve(&c->now, contacts, points) ||
        !ashi_array_reserve_exactly(&c->events, c->now.contacts.capacity))
        return false;
    c->now.contacts.count = (uint32_t)contacts;
    c->now.points.count = (uint32_t)points;
    return true;
}

static void place(narrow_phase *n, ashi_tasks *tasks)
{
    ashi_collision *c = n->collision;
    ashi_parallel_for(tasks, n->end - n->begin, ASHI_CONTACT_PIECE, place_piece, n);
    for (uint32_t i = 0; i < c->pieces.count; i++)
        c->now.deepest = c->pieces.data[i].deepest > c->now.deepest ? c->pieces.data[i].deepest : c->now.deepest;
}

bool ashi_collision_find_contacts(ashi_collision *c, const ashi_model *model, ashi_tasks *tasks,
                                  const ash_method *method)
{
    uint32_t workers = ashi_tasks_workers(tasks), batch = workers == 1 ? BATCH : 4 * BATCH * workers;
    uint32_t next_old = 0, count = c->pairs.count;
    narrow_phase n = {.collision = c, .model = model, .method = method};
    c->events.count = c->recycled = 0;
    if (!reserve(c, tasks))
        return false;
    c->now.pairs.count = count;
    do { /* at least once, even without pairs: old ones may have ended */
        n.end = ashi_crowd_end_of_batch(c, model, n.begin, batch);
        if (!collide(&n, tasks))
            return false;
        if (ashi_crowd_is_thick(c, n.begin, n.end)) { /* which contacts are left out depends on all the pairs that
                                                         follow */
            bool last = n.end == count;
            n.end = count;
            if (!last && !collide(&n, tasks))
                return false;
            ashi_crowd_thin_contacts(c, n.begin);
        }
        if (!assign_places(c))
            return false;
        place(&n, tasks);
        if (!ashi_collision_add_events(c, n.begin, n.end, &next_old))
            return false;
        n.begin = n.end;
    } while (n.begin < count);
    c->tests = count - c->recycled;
    return true;
}
