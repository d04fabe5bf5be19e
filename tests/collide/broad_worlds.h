/* Worlds of boxes for the tests of broad phases: random and adversarial ones, and what overlaps in them by the plainest
 * means. */
#ifndef TESTS_COLLIDE_BROAD_WORLDS_H
#define TESTS_COLLIDE_BROAD_WORLDS_H

#include "check.h"

#include "base/random.h"
#include "collide/broad/broad.h"
#include "math/vec3.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BOXES = 320 };

typedef struct box_entry {
    ash_bounds box;
    ash_vec3 velocity; /* a step */
    uint32_t item;
    bool present, moves;
} box_entry;

typedef struct box_world {
    ashi_random random;
    box_entry boxes[MOST_BOXES];
} box_world;

typedef struct box_scenario {
    const char *name;
    void (*place)(box_world *world, uint32_t i);
    void (*step)(box_world *world, uint32_t i);
    bool comes_and_goes; /* boxes are added and removed at each step */
    bool flips;          /* boxes begin and cease to move */
} box_scenario;

static ash_bounds box_at(ash_vec3 centre, ash_vec3 half)
{
    return (ash_bounds){v3_sub(centre, half), v3_add(centre, half)};
}

static ash_vec3 random_point(box_world *world, double reach)
{
    double x = ashi_random_range(&world->random, -reach, reach), y = ashi_random_range(&world->random, -reach, reach);
    return v3(x, y, ashi_random_range(&world->random, -reach, reach));
}

static ash_vec3 random_half(box_world *world, double least, double most)
{
    double x = ashi_random_range(&world->random, least, most), y = ashi_random_range(&world->random, least, most);
    return v3(x, y, ashi_random_range(&world->random, least, most));
}

static void place_uniform(box_world *world, uint32_t i)
{
    ash_vec3 centre = random_point(world, 4);
    world->boxes[i].box = box_at(centre, random_half(world, 0.1, 0.6));
    world->boxes[i].velocity = random_point(world, 0.05);
}

static void place_cluster(box_world *world, uint32_t i)
{
    ash_vec3 centre = random_point(world, 1e-3);
    world->boxes[i].box = box_at(v3_add(v3(100, -50, 3), centre), random_half(world, 0.4, 0.5));
    world->boxes[i].velocity = random_point(world, 0.3);
}

/* Fixed at one point for the axis' share, spread along the other. */
static void place_on_line(box_world *world, uint32_t i, int axis)
{
    ash_vec3 centre = v3(1, 2, 3), along = random_point(world, 30);
    if (axis == 0)
        centre.x = along.x;
    else if (axis == 1)
        centre.y = along.y;
    else
        centre.z = along.z;
    world->boxes[i].box = box_at(centre, random_half(world, 0.2, 0.3));
    world->boxes[i].velocity = random_point(world, 0.1);
}

static void place_on_x(box_world *world, uint32_t i)
{
    place_on_line(world, i, 0);
}

static void place_on_y(box_world *world, uint32_t i)
{
    place_on_line(world, i, 1);
}

static void place_on_z(box_world *world, uint32_t i)
{
    place_on_line(world, i, 2);
}

/* Sizes over twelve orders of magnitude; the largest ones hold all others. */
static void place_huge_and_tiny(box_world *world, uint32_t i)
{
    double size = 1e-6;
    for (uint32_t k = ashi_random_below(&world->random, 13); k > 0; k--)
        size *= 10;
    ash_vec3 centre = random_point(world, i % 2 == 0 ? 1 : 3 * size);
    world->boxes[i].box = box_at(centre, random_half(world, 0.1 * size, size));
    world->boxes[i].velocity = random_point(world, 0.2 * size);
}

/* Each twice as far out as the one before: what splits space evenly makes a chain of it. */
static void place_doubling(box_world *world, uint32_t i)
{
    double distance = ldexp(1, (int)(i % 100) - 65);
    world->boxes[i].box = box_at(v3(distance, 0, 0), v3(0.4 * distance, 0.1 * distance, distance));
    world->boxes[i].velocity = v3_scale(random_point(world, 0.1), distance);
}

static void place_identical(box_world *world, uint32_t i)
{
    world->boxes[i].box = box_at(v3((double)(i / 40), 0, 0), v3(0.25, 0.25, 0.25));
    world->boxes[i].velocity = v3(0, 0, 0);
}

/* A grid of cubes that share faces, edges and corners exactly, moving by whole and half cubes. */
static void place_touching(box_world *world, uint32_t i)
{
    ash_vec3 lower = v3((double)(i % 7), (double)(i / 7 % 7), (double)(i / 49));
    world->boxes[i].box = (ash_bounds){lower, v3_add(lower, v3(1, 1, 1))};
    world->boxes[i].velocity = v3((double)(i % 3) - 1, 0.5 * (double)(i % 2), 0);
}

/* Points on a coarse grid: they meet only where they coincide. Negative zeros are among them. */
static void place_points(box_world *world, uint32_t i)
{
    ash_vec3 at = v3(floor(ashi_random_range(&world->random, -2, 3)), -0.0, i % 2 == 0 ? 0.0 : -0.0);
    world->boxes[i].box = (ash_bounds){at, at};
    world->boxes[i].velocity = v3((double)ashi_random_below(&world->random, 3) - 1, 0, 0);
}

/* Some boxes without end in one or more directions, empty ones and ones that are not numbers among ordinary ones. */
static void place_unbounded(box_world *world, uint32_t i)
{
    place_uniform(world, i);
    ash_bounds *box = &world->boxes[i].box;
    switch (ashi_random_below(&world->random, 24)) {
    case 0:
        *box = (ash_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}};
        break;
    case 1:
        box->upper.x = INFINITY;
        break;
    case 2:
        box->lower.y = -INFINITY;
        box->upper.y = INFINITY;
        break;
    case 3:
        *box = (ash_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        break;
    case 4:
        box->lower.z = box->upper.z + 1;
        break;
    case 5:
        box->upper.y = (double)NAN;
        break;
    case 6:
        box->upper.z = 1e200;
        break;
    default:
        break;
    }
}

static void step_drift(box_world *world, uint32_t i)
{
    box_entry *b = &world->boxes[i];
    b->box.lower = v3_add(b->box.lower, b->velocity);
    b->box.upper = v3_add(b->box.upper, b->velocity);
}

/* Back and forth by less than any margin, now and then a leap. */
static void step_jitter(box_world *world, uint32_t i)
{
    box_entry *b = &world->boxes[i];
    double size = 0.02 * v3_max_component(v3_sub(b->box.upper, b->box.lower));
    b->velocity = v3_scale(random_point(world, 1), ashi_random_below(&world->random, 50) == 0 ? 50 * size : size);
    step_drift(world, i);
}

static void step_teleport(box_world *world, uint32_t i)
{
    if (ashi_random_below(&world->random, 3) == 0)
        place_uniform(world, i);
}

static void step_unbounded(box_world *world, uint32_t i)
{
    if (ashi_random_below(&world->random, 3) == 0)
        place_unbounded(world, i);
}

static void step_nothing(box_world *world, uint32_t i)
{
    (void)world;
    (void)i;
}

static const box_scenario scenarios[] = {
    {"uniform, all moving", place_uniform, step_drift, false, false},
    {"uniform, hardly moving", place_uniform, step_jitter, false, false},
    {"uniform, coming and going", place_uniform, step_jitter, true, true},
    {"teleporting", place_uniform, step_teleport, false, false},
    {"teleporting, coming and going", place_uniform, step_teleport, true, true},
    {"exploding cluster", place_cluster, step_drift, false, false},
    {"on a line along x", place_on_x, step_drift, false, true},
    {"on a line along y", place_on_y, step_jitter, true, false},
    {"on a line along z", place_on_z, step_drift, false, false},
    {"huge and tiny", place_huge_and_tiny, step_drift, false, false},
    {"huge and tiny, coming and going", place_huge_and_tiny, step_jitter, true, true},
    {"distances that double", place_doubling, step_drift, true, false},
    {"identical", place_identical, step_nothing, true, true},
    {"touching faces", place_touching, step_drift, false, false},
    {"points", place_points, step_drift, true, false},
    {"unbounded", place_unbounded, step_unbounded, false, true},
    {"unbounded, coming and going", place_unbounded, step_unbounded, true, true},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* Items are distinct and in no order; some are the largest there are. */
static uint32_t item_of(uint32_t i)
{
    uint32_t scattered = i * 2654435761u;
    return i % 16 == 0 ? scattered | 0xf0000000u : scattered >> 20 << 9 | i;
}

static inline void begin_world(box_world *world, const box_scenario *scenario, uint64_t seed)
{
    *world = (box_world){.random = {seed}};
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        box_entry *b = &world->boxes[i];
        scenario->place(world, i);
        b->item = item_of(i);
        b->moves = ashi_random_below(&world->random, 4) != 0;
        b->present = !scenario->comes_and_goes || ashi_random_below(&world->random, 2) == 0;
    }
}

static bool box_is_empty(const ash_bounds *a)
{
    return !(a->lower.x <= a->upper.x && a->lower.y <= a->upper.y && a->lower.z <= a->upper.z);
}

static bool boxes_meet(const ash_bounds *a, const ash_bounds *b)
{
    if (box_is_empty(a) || box_is_empty(b))
        return false;
    bool apart = a->upper.x < b->lower.x || b->upper.x < a->lower.x || a->upper.y < b->lower.y ||
                 b->upper.y < a->lower.y || a->upper.z < b->lower.z || b->upper.z < a->lower.z;
    return !apart;
}

static int by_items(const void *one, const void *two)
{
    const ashi_broad_pair *p = one, *q = two;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* The pairs as they should be; the caller's array has room for all. Returns their number. */
static inline uint32_t expected_pairs(const box_world *world, ashi_broad_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const box_entry *p = &world->boxes[i], *q = &world->boxes[k];
            if (!p->present || !q->present || !(p->moves || q->moves) || !boxes_meet(&p->box, &q->box))
                continue;
            pairs[count++] =
                p->item < q->item ? (ashi_broad_pair){p->item, q->item} : (ashi_broad_pair){q->item, p->item};
        }
    }
    qsort(pairs, count, sizeof *pairs, by_items);
    return count;
}

/* A broad phase that follows a world of boxes. */
typedef struct follower {
    ashi_broad *broad;
    uint32_t proxies[MOST_BOXES];
    bool present[MOST_BOXES], moves[MOST_BOXES];
} follower;

/* Brings the broad phase to the world's state. False when memory ran out: it may be called again. */
static inline bool follow(follower *f, const box_world *world)
{
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        const box_entry *b = &world->boxes[i];
        if (f->present[i] && !b->present) {
            ashi_broad_remove(f->broad, f->proxies[i]);
            f->present[i] = false;
        } else if (!f->present[i] && b->present) {
            f->proxies[i] = ashi_broad_add(f->broad, b->box, b->item, b->moves);
            if (f->proxies[i] == UINT32_MAX)
                return false;
            f->present[i] = true;
            f->moves[i] = b->moves;
        } else if (b->present) {
            ashi_broad_move(f->broad, f->proxies[i], b->box, i % 3 == 0 ? v3(0, 0, 0) : b->velocity);
            if (f->moves[i] != b->moves)
                ashi_broad_set_moves(f->broad, f->proxies[i], b->moves);
            f->moves[i] = b->moves;
        }
    }
    return true;
}

static inline void step_world(box_world *world, const box_scenario *scenario)
{
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        box_entry *b = &world->boxes[i];
        if (b->moves)
            scenario->step(world, i);
        if (scenario->comes_and_goes && ashi_random_below(&world->random, 8) == 0)
            b->present = !b->present;
        if (scenario->flips && ashi_random_below(&world->random, 16) == 0)
            b->moves = !b->moves;
    }
}

#endif
