/* The tree of boxes over a list of items. Items without finite bounds stand in every node's way, so they are kept in a
 * leaf beside the tree: the last node. */
#include <math.h>

#include "app/picture/item.h"
#include "math/transform.h"

enum { LEAF = 2, DEPTH_MOST = 64 };

static bool is_finite_box(const ash_bounds *box)
{
    return v3_is_finite(box->lower) && v3_is_finite(box->upper);
}

static ash_bounds box_around(const cli_items *items, uint32_t first, uint32_t count)
{
    ash_bounds box = {v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = first; i < first + count; i++) {
        const ash_bounds *other = &items->list.data[items->order.data[i]].bounds;
        box.lower = v3_min(box.lower, other->lower);
        box.upper = v3_max(box.upper, other->upper);
    }
    return box;
}

static double along(ash_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Twice the middle of an item's box. */
static double place(const cli_items *items, uint32_t entry, int axis)
{
    const ash_bounds *box = &items->list.data[items->order.data[entry]].bounds;
    return along(box->lower, axis) + along(box->upper, axis);
}

/* Partitions [first, first + count) of `order` so that its middle entry is where sorting would put it. */
static void select_middle(cli_items *items, uint32_t first, uint32_t count, int axis)
{
    uint32_t low = first, high = first + count - 1, middle = first + count / 2;
    while (low < high) {
        double pivot = place(items, low + (high - low) / 2, axis);
        uint32_t i = low, j = high;
        while (i <= j) {
            while (place(items, i, axis) < pivot)
                i++;
            while (place(items, j, axis) > pivot)
                j--;
            if (i <= j) {
                uint32_t swap = items->order.data[i];
                items->order.data[i++] = items->order.data[j];
                items->order.data[j] = swap;
                if (j == 0)
                    break;
                j--;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* Appends the subtree of [first, first + count); false when memory ran out. */
static bool split(cli_items *items, uint32_t first, uint32_t count)
{
    if (!ashi_array_extend(&items->nodes))
        return false;
    uint32_t number = items->nodes.count - 1;
    ash_bounds box = box_around(items, first, count);
    items->nodes.data[number] = (cli_node){box, 0, first, count};
    if (count <= LEAF)
        return true;
    ash_vec3 size = v3_sub(box.upper, box.lower);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    select_middle(items, first, count, axis);
    if (!split(items, first, count / 2))
        return false;
    items->nodes.data[number].second = items->nodes.count;
    return split(items, first + count / 2, count - count / 2);
}

ash_status cli_items_build(cli_items *items)
{
    uint32_t count = items->list.count, bounded = 0;
    if (items->failure != ASH_OK)
        return items->failure;
    if (count == 0)
        return ASH_OK;
    if (!ashi_array_reserve(&items->order, count))
        return ASH_OUT_OF_MEMORY;
    items->order.count = count;
    for (uint32_t i = 0; i < count; i++)
        if (is_finite_box(&items->list.data[i].bounds))
            items->order.data[bounded++] = i;
    for (uint32_t i = 0, next = bounded; i < count; i++)
        if (!is_finite_box(&items->list.data[i].bounds))
            items->order.data[next++] = i;
    if (bounded > 0 && !split(items, 0, bounded))
        return ASH_OUT_OF_MEMORY;
    if (bounded < count) {
        if (!ashi_array_extend(&items->nodes))
            return ASH_OUT_OF_MEMORY;
        items->nodes.data[items->nodes.count - 1] =
            (cli_node){box_around(items, bounded, count - bounded), 0, bounded, count - bounded};
    }
    return ASH_OK;
}

/* Whether the ray passes the box before `reach`. */
static bool passes(const ash_bounds *box, const ash_ray *ray, ash_vec3 inverse, double reach)
{
    double enter = 0, leave = reach;
    for (int axis = 0; axis < 3; axis++) {
        double origin = along(ray->origin, axis), scale = along(inverse, axis);
        double t0 = (along(box->lower, axis) - origin) * scale, t1 = (along(box->upper, axis) - origin) * scale;
        /* A ray within a side's plane gives NaN and passes by: grazing is not entering. */
        double near = t0 < t1 ? t0 : t1, far = t0 < t1 ? t1 : t0;
        enter = near > enter ? near : enter;
        leave = far < leave ? far : leave;
    }
    return enter <= leave;
}

static bool meet(const cli_item *item, const ash_ray *ray, double reach, ash_ray_hit *hit)
{
    ash_ray local = {t_point_inverse(item->pose, ray->origin), q_unrotate(item->pose.rotation, ray->direction), reach};
    return ash_geometry_ray(item->geometry, local, hit);
}

static void meet_leaf(const cli_items *items, const cli_node *node, const ash_ray *ray, uint32_t *nearest,
                      double *reach, ash_ray_hit *hit)
{
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        uint32_t number = items->order.data[i];
        ash_ray_hit found;
        /* Of two at the same place the one that was added first is seen, in whatever order the tree comes by. */
        if (meet(&items->list.data[number], ray, *reach, &found) &&
            (found.t < *reach || *nearest == CLI_NO_ITEM || number < *nearest)) {
            *nearest = number;
            *reach = found.t;
            *hit = found;
        }
    }
}

/* With `any` the first item found will do, which need not be the nearest. */
static uint32_t walk(const cli_items *items, const ash_ray *ray, bool any, ash_ray_hit *hit)
{
    uint32_t stack[DEPTH_MOST], depth = 0, nearest = CLI_NO_ITEM, last = items->nodes.count;
    ash_vec3 inverse = v3(1 / ray->direction.x, 1 / ray->direction.y, 1 / ray->direction.z);
    double reach = ray->reach;
    if (last == 0)
        return CLI_NO_ITEM;
    if (last > 1 && !is_finite_box(&items->nodes.data[last - 1].bounds))
        stack[depth++] = last - 1;
    stack[depth++] = 0;
    while (depth > 0 && !(any && nearest != CLI_NO_ITEM)) {
        uint32_t number = stack[--depth];
        const cli_node *node = &items->nodes.data[number];
        if (!passes(&node->bounds, ray, inverse, reach))
            continue;
        if (node->second == 0) {
            meet_leaf(items, node, ray, &nearest, &reach, hit);
            continue;
        }
        stack[depth++] = node->second;
        stack[depth++] = number + 1;
    }
    return nearest;
}

uint32_t cli_items_ray(const cli_items *items, const ash_ray *ray, ash_ray_hit *hit)
{
    uint32_t nearest = walk(items, ray, false, hit);
    if (nearest != CLI_NO_ITEM) {
        const cli_item *item = &items->list.data[nearest];
        hit->point = t_point(item->pose, hit->point);
        hit->normal = q_rotate(item->pose.rotation, hit->normal);
    }
    return nearest;
}

bool cli_items_bar(const cli_items *items, const ash_ray *ray)
{
    ash_ray_hit hit;
    return walk(items, ray, true, &hit) != CLI_NO_ITEM;
}

static bool holds(const ash_bounds *box, ash_vec3 point, double reach)
{
    return point.x >= box->lower.x - reach && point.x <= box->upper.x + reach && point.y >= box->lower.y - reach &&
           point.y <= box->upper.y + reach;
}

static void insert(uint32_t *numbers, uint32_t count, uint32_t number)
{
    uint32_t i = count;
    for (; i > 0 && numbers[i - 1] > number; i--)
        numbers[i] = numbers[i - 1];
    numbers[i] = number;
}

uint32_t cli_items_at(const cli_items *items, ash_vec3 point, double reach, uint32_t *numbers, uint32_t capacity)
{
    uint32_t stack[DEPTH_MOST], depth = 0, count = 0;
    if (items->nodes.count > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        uint32_t number = stack[--depth];
        const cli_node *node = &items->nodes.data[number];
        if (!holds(&node->bounds, point, reach))
            continue;
        if (node->second != 0) {
            stack[depth++] = node->second;
            stack[depth++] = number + 1;
            continue;
        }
        for (uint32_t i = node->first; i < node->first + node->count; i++)
            if (count < capacity && holds(&items->list.data[items->order.data[i]].bounds, point, reach))
                insert(numbers, count++, items->order.data[i]);
    }
    return count;
}
