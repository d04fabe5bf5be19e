/* Colours: greedy, in the order of the contact set. Bodies that do not move take none. */
#include "solve/wide/wide.h"

#include <string.h>

/* Blocks of a colour, those with more points first, so that few lanes wait for others. */
static uint32_t lay_blocks(const ashi_wide_task *task, uint32_t width, const uint32_t *list, uint32_t count,
                           uint32_t *lanes, uint32_t block)
{
    uint32_t lane = 0;
    for (uint32_t points = ASHI_WIDE_POINTS; points > 0; points--)
        for (uint32_t i = 0; i < count; i++) {
            if (task->entries[list[i]].count != points)
                continue;
            lanes[block * width + lane++] = list[i];
            if (lane == width) {
                lane = 0;
                block++;
            }
        }
    if (lane == 0)
        return block;
    while (lane < width)
        lanes[block * width + lane++] = UINT32_MAX;
    return block + 1;
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
static uint32_t lay_rest(const ashi_wide_task *task, uint32_t width, const uint32_t *list, uint32_t count,
                         uint32_t *lanes, uint32_t block)
{
    uint32_t lane = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (lane == width || meets(task, &lanes[block * width], lane, &task->entries[list[i]])) {
            while (lane < width)
                lanes[block * width + lane++] = UINT32_MAX;
            block++;
            lane = 0;
        }
        lanes[block * width + lane++] = list[i];
    }
    if (lane == 0)
        return block;
    while (lane < width)
        lanes[block * width + lane++] = UINT32_MAX;
    return block + 1;
}

bool ashi_wide_order_find(const ashi_wide_task *task, uint32_t width, ashi_wide_order *order)
{
    uint32_t count = task->entry_count, counts[ASHI_WIDE_COLOURS + 1] = {0}, first[ASHI_WIDE_COLOURS + 2];
    uint64_t *used = ashi_arena_take_array(task->arena, task->slots, sizeof *used);
    uint8_t *colour = ashi_arena_take_array(task->arena, count, sizeof *colour);
    uint32_t *list = ashi_arena_take_array(task->arena, count, sizeof *list);
    order->first_block = ashi_arena_take_array(task->arena, ASHI_WIDE_COLOURS + 2, sizeof *order->first_block);
    if (used == NULL || colour == NULL || list == NULL || order->first_block == NULL)
        return false;
    for (uint32_t i = 0; i < task->active_count; i++)
        used[task->active[i]] = 0;
    used[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ashi_wide_entry *entry = &task->entries[i];
        uint64_t taken = used[entry->a] | used[entry->b];
        uint32_t free = ~taken != 0 ? (uint32_t)__builtin_ctzll(~taken) : ASHI_WIDE_COLOURS;
        free = free < ASHI_WIDE_COLOURS ? free : ASHI_WIDE_COLOURS;
        colour[i] = (uint8_t)free;
        counts[free]++;
        if (free < ASHI_WIDE_COLOURS) {
            used[entry->a] |= entry->a != 0 ? UINT64_C(1) << free : 0;
            used[entry->b] |= entry->b != 0 ? UINT64_C(1) << free : 0;
        }
    }
    uint64_t most = counts[ASHI_WIDE_COLOURS];
    first[0] = 0;
    for (uint32_t c = 0; c <= ASHI_WIDE_COLOURS; c++) {
        first[c + 1] = first[c] + counts[c];
        most += c < ASHI_WIDE_COLOURS ? (counts[c] + width - 1) / width : 0;
    }
    order->lanes = ashi_arena_take_array(task->arena, most * width + 1, sizeof *order->lanes);
    if (order->lanes == NULL)
        return false;
    uint32_t next[ASHI_WIDE_COLOURS + 1], block = 0, colours = 0;
    memcpy(next, first, sizeof next);
    for (uint32_t i = 0; i < count; i++)
        list[next[colour[i]]++] = i;
    for (uint32_t c = 0; c < ASHI_WIDE_COLOURS && counts[c] > 0; c++) {
        order->first_block[colours++] = block;
        block = lay_blocks(task, width, list + first[c], counts[c], order->lanes, block);
    }
    order->serial_colour = colours;
    if (counts[ASHI_WIDE_COLOURS] > 0) {
        order->first_block[colours++] = block;
        block = lay_rest(task, width, list + first[ASHI_WIDE_COLOURS], counts[ASHI_WIDE_COLOURS], order->lanes, block);
    }
    order->first_block[colours] = block;
    order->colour_count = colours;
    order->block_count = block;
    return true;
}
