/* Colours: greedy, in the order of the contact set. Bodies that do not move take none.
 *
 * In a colour, contacts are sorted by the part of the set that they come from: threads, which take the same part of
 * every colour, so meet the same bodies and points again. In a part they are sorted by points, in turns from the most
 * on and from the fewest on: contacts side by side mostly have as many. */
#include "solve/wide/wide.h"

#include <string.h>

enum {
    PARTS = 8,        /* of the set, at most, ... */
    PART_SIZE = 2048, /* ... each of so many entries at least: each ends some blocks that are not full */
    KEYS = ASHI_WIDE_COLOURS * PARTS * ASHI_WIDE_POINTS,
};

/* Places are in the order of keys: colour, part, points. */
static uint32_t key_of(uint32_t colour, uint32_t part, uint32_t points)
{
    return (colour * PARTS + part) * ASHI_WIDE_POINTS + (part % 2 == 0 ? ASHI_WIDE_POINTS - points : points - 1);
}

static uint32_t points_of(uint32_t key)
{
    uint32_t place = key % ASHI_WIDE_POINTS;
    return key / ASHI_WIDE_POINTS % PARTS % 2 == 0 ? ASHI_WIDE_POINTS - place : place + 1;
}

static uint32_t part_size(const ashi_wide_task *task)
{
    uint32_t size = task->entry_count / PARTS + 1;
    return size > PART_SIZE ? size : PART_SIZE;
}

/* The colours of all entries, and how many there are of each key. Returns the number of entries without a colour. */
static uint32_t find_colours(const ashi_wide_task *task, uint64_t *used, uint8_t *colour, uint32_t counts[KEYS],
                             uint32_t *colour_count)
{
    uint32_t rest = 0, size = part_size(task);
    for (uint32_t i = 0; i < task->active_count; i++)
        used[task->active[i]] = 0;
    used[0] = 0;
    for (uint32_t i = 0; i < task->entry_count; i++) {
        const ashi_wide_entry *entry = &task->entries[i];
        uint64_t free = ~(used[entry->a] | used[entry->b]) & ((UINT64_C(1) << ASHI_WIDE_COLOURS) - 1);
        if (free == 0) {
            colour[i] = ASHI_WIDE_COLOURS;
            rest++;
            continue;
        }
        colour[i] = (uint8_t)__builtin_ctzll(free);
        *colour_count = *colour_count > colour[i] ? *colour_count : colour[i] + 1u;
        counts[key_of(colour[i], i / size, entry->count)]++;
        used[entry->a] |= free & -free;
        used[entry->b] |= free & -free;
        used[0] = 0;
    }
    return rest;
}

/* Where each key's lanes begin: those of a colour fill whole blocks. Notes the most points of each block. */
static void lay_keys(uint32_t width, const uint32_t counts[KEYS], uint32_t next[KEYS], ashi_wide_order *order)
{
    uint32_t lane = 0;
    for (uint32_t c = 0; c < order->colour_count; c++) {
        order->first_block[c] = lane / width;
        for (uint32_t key = key_of(c, 0, ASHI_WIDE_POINTS); key < key_of(c + 1, 0, ASHI_WIDE_POINTS); key++) {
            next[key] = lane;
            for (uint32_t end = lane + counts[key]; lane < end; lane++) {
                uint8_t *most = &order->most[lane / width], points = (uint8_t)points_of(key);
                *most = lane % width == 0 || *most < points ? points : *most;
            }
        }
        while (lane % width != 0)
            order->lanes[lane++] = UINT32_MAX;
    }
    order->block_count = lane / width;
}

/* Lanes of the entries that have a colour. */
static void lay_colours(const ashi_wide_task *task, const uint8_t *colour, uint32_t next[KEYS], ashi_wide_order *order)
{
    uint32_t size = part_size(task);
    for (uint32_t i = 0; i < task->entry_count; i++)
        if (colour[i] < ASHI_WIDE_COLOURS)
            order->lanes[next[key_of(colour[i], i / size, task->entries[i].count)]++] = i;
}

static bool meets(const ashi_wide_task *task, const uint32_t *lanes, uint32_t count, const ashi_wide_entry *entry)
{
    for (uint32_t i = 0; i < count; i++) {
        const ashi_wide_entry *other = &task->entries[lanes[i]];
        if ((entry->a != 0 && (entry->a == other->a || entry->a == other->b)) ||
            (entry->b != 0 && (entry->b == other->a || entry->b == other->b)))
            return true;
    }
    return false;
}

/* What found no colour: a block ends where the next entry moves a body that it has. */
static void lay_rest(const ashi_wide_task *task, uint32_t width, const uint8_t *colour, ashi_wide_order *order)
{
    uint32_t lane = 0, *lanes = &order->lanes[order->block_count * width];
    order->first_block[order->colour_count++] = order->block_count;
    for (uint32_t i = 0; i < task->entry_count; i++) {
        const ashi_wide_entry *entry = &task->entries[i];
        if (colour[i] < ASHI_WIDE_COLOURS)
            continue;
        if (lane == width || meets(task, lanes, lane, entry)) {
            while (lane < width)
                lanes[lane++] = UINT32_MAX;
            lanes += width;
            lane = 0;
        }
        uint8_t *most = &order->most[order->block_count];
        if (lane == 0)
            order->most[order->block_count++] = entry->count;
        else if (most[-1] < entry->count)
            most[-1] = entry->count;
        lanes[lane++] = i;
    }
    while (lane < width)
        lanes[lane++] = UINT32_MAX;
}

bool ashi_wide_order_find(const ashi_wide_task *task, uint32_t width, ashi_wide_order *order)
{
    uint32_t counts[KEYS] = {0}, next[KEYS], colours = 0;
    uint64_t *used = ashi_arena_take_array(task->arena, task->slots, sizeof *used);
    uint8_t *colour = ashi_arena_take_array(task->arena, task->entry_count, sizeof *colour);
    if (used == NULL || colour == NULL)
        return false;
    uint32_t rest = find_colours(task, used, colour, counts, &colours);
    size_t most = (task->entry_count - rest) / width + ASHI_WIDE_COLOURS + rest;
    *order =
        (ashi_wide_order){.first_block = ashi_arena_take_array(task->arena, ASHI_WIDE_COLOURS + 2, sizeof(uint32_t)),
                          .lanes = ashi_arena_take_array(task->arena, most * width, sizeof *order->lanes),
                          .most = ashi_arena_take_array(task->arena, most, sizeof *order->most)};
    if (order->first_block == NULL || order->lanes == NULL || order->most == NULL)
        return false;
    order->colour_count = colours;
    lay_keys(width, counts, next, order);
    lay_colours(task, colour, next, order);
    order->serial_colour = order->colour_count;
    if (rest > 0)
        lay_rest(task, width, colour, order);
    order->first_block[order->colour_count] = order->block_count;
    return true;
}
