/* Sweep and prune: ends of boxes kept sorted along axes (Baraff 1992; Cohen et al. 1995).
 *
 * Between two searches little changes, so an insertion sort of the old order takes nearly linear time. On one axis the
 * sorted lower ends are swept and what overlaps there is compared on the other two. On three axes nothing is swept: two
 * boxes that begin to overlap have on some axis a lower end that passes the other's upper end, and insertion sort makes
 * exactly the exchanges that are needed. After larger changes (many new boxes, boxes that jump) everything is sorted
 * again by radix sort. At equal values lower ends come first, so that boxes that touch overlap. */
#include "collide/broad/broad_parts.h"

#define IS_UPPER 1u

/* Insertion sort gives up after this many exchanges per end. */
enum { PATIENCE = 24 };

static bool is_alive(const ashi_broad *broad, const ashi_endpoint *e)
{
    const ashi_proxy *p = &broad->proxies.data[e->end >> 1];
    return p->place == ASHI_PROXY_BOUNDED && p->generation == e->generation;
}

static double value_of(const ashi_broad *broad, uint32_t end, int axis)
{
    const ash_bounds *box = &broad->proxies.data[end >> 1].box;
    return ashi_along((end & IS_UPPER) != 0 ? &box->upper : &box->lower, axis);
}

static bool comes_after(const ashi_endpoint *a, const ashi_endpoint *b)
{
    return a->value > b->value || (a->value == b->value && (a->end & IS_UPPER) > (b->end & IS_UPPER));
}

static void append_end(const ashi_broad *broad, ashi_endpoints *ends, uint32_t proxy, uint32_t upper, int axis)
{
    uint32_t end = proxy << 1 | upper;
    ends->data[ends->count++] = (ashi_endpoint){value_of(broad, end, axis), end, broad->proxies.data[proxy].generation};
}

/* Brings the values up to date without changing the order: drops ends of proxies that left, appends those of new ones.
 * There must be room. */
static void refresh(const ashi_broad *broad, ashi_endpoints *ends, int axis, uint32_t ends_each)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ends->count; i++) {
        if (!is_alive(broad, &ends->data[i]))
            continue;
        ends->data[kept] = ends->data[i];
        ends->data[kept++].value = value_of(broad, ends->data[i].end, axis);
    }
    ends->count = kept;
    for (uint32_t i = 0; i < broad->changed.count; i++)
        for (uint32_t upper = 0; upper < ends_each; upper++)
            if (broad->proxies.data[broad->changed.data[i]].place == ASHI_PROXY_BOUNDED)
                append_end(broad, ends, broad->changed.data[i], upper, axis);
}

/* The bits of a number, mapped so that they have the order of the numbers. */
static uint64_t sortable(double value)
{
    value += 0.0; /* -0 becomes 0 */
    union {
        double value;
        uint64_t bits;
    } u = {.value = value};
    return u.bits >> 63 != 0 ? ~u.bits : u.bits | 0x8000000000000000u;
}

/* Rebuilds the list of ends by a radix sort: stable, with lower ends first. False when memory ran out. */
static bool sort_anew(ashi_broad *broad, ashi_endpoints *ends, int axis, uint32_t ends_each)
{
    ashi_candidates *keys = &broad->found;
    uint64_t most = (uint64_t)broad->used * ends_each;
    keys->count = 0;
    ends->count = 0;
    if (!ashi_array_reserve(keys, most) || !ashi_array_reserve(ends, most))
        return false;
    for (uint32_t upper = 0; upper < ends_each; upper++) {
        for (uint32_t p = 0; p < broad->proxies.count; p++) {
            uint32_t end = p << 1 | upper;
            if (broad->proxies.data[p].place == ASHI_PROXY_BOUNDED)
                keys->data[keys->count++] = (ashi_candidate){sortable(value_of(broad, end, axis)), p, upper};
        }
    }
    if (!ashi_candidates_sort(keys, &broad->spare))
        return false;
    for (uint32_t i = 0; i < keys->count; i++)
        append_end(broad, ends, keys->data[i].first, keys->data[i].second, axis);
    return true;
}

/* The axis on which the centres of the boxes vary most; the present one unless another varies by half as much again, so
 * that it does not alternate. */
static int widest_axis(const ashi_broad *broad)
{
    double sum[3] = {0}, squares[3] = {0}, variance[3] = {0}, count = 0;
    for (uint32_t i = 0; i < broad->proxies.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[i];
        if (p->place != ASHI_PROXY_BOUNDED)
            continue;
        for (int axis = 0; axis < 3; axis++) {
            double centre = 0.5 * (ashi_along(&p->box.lower, axis) + ashi_along(&p->box.upper, axis));
            sum[axis] += centre;
            squares[axis] += centre * centre;
        }
        count++;
    }
    int best = broad->sweep.axis;
    for (int axis = 0; axis < 3 && count > 0; axis++)
        variance[axis] = squares[axis] - sum[axis] * sum[axis] / count;
    for (int axis = 0; axis < 3; axis++)
        if (variance[axis] > 1.5 * variance[best])
            best = axis;
    return best;
}

/* Finds pairs of sweep.lower[i], begin <= i < end, with the boxes that follow them. */
static void find_by_sweep(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    const ashi_endpoints *lower = &broad->sweep.lower;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t p = lower->data[i].end >> 1;
        const ash_bounds *box = &broad->proxies.data[p].box;
        double upper = ashi_along(&box->upper, broad->sweep.axis);
        for (uint32_t k = i + 1; k < lower->count && lower->data[k].value <= upper; k++) {
            uint32_t q = lower->data[k].end >> 1;
            finder->tests++;
            if (bounds_overlap(box, &broad->proxies.data[q].box))
                ashi_finder_put(finder, broad, p, q);
        }
    }
}

/* False when it would take too long. */
static bool sort_lower_ends(ashi_endpoints *ends)
{
    uint64_t exchanges = 0, most = (uint64_t)PATIENCE * ends->count;
    for (uint32_t i = 1; i < ends->count; i++) {
        ashi_endpoint one = ends->data[i];
        uint32_t k = i;
        for (; k > 0 && ends->data[k - 1].value > one.value; k--)
            ends->data[k] = ends->data[k - 1];
        ends->data[k] = one;
        exchanges += i - k;
        if (exchanges > most)
            return false;
    }
    return true;
}

bool ashi_broad_update_sweep_1(ashi_broad *broad, ashi_tasks *tasks)
{
    ashi_sweep_phase *sweep = &broad->sweep;
    int axis = widest_axis(broad);
    bool sorted = sweep->sorted && axis == sweep->axis;
    sweep->axis = axis;
    broad->keep = ASHI_KEEP_NONE;
    if (sorted) {
        if (!ashi_array_reserve(&sweep->lower, (uint64_t)sweep->lower.count + broad->changed.count))
            return false;
        refresh(broad, &sweep->lower, axis, 1);
        sorted = sort_lower_ends(&sweep->lower);
    }
    sweep->sorted = sorted || sort_anew(broad, &sweep->lower, axis, 1);
    return sweep->sorted && ashi_broad_gather(broad, tasks, sweep->lower.count, 64, find_by_sweep, false);
}

/* Sorts the ends of an axis; when a lower end passes an upper one, two boxes may begin to overlap. */
static bool sort_with_exchanges(ashi_broad *broad, ashi_endpoints *ends, bool *out_of_memory)
{
    uint64_t exchanges = 0, most = (uint64_t)PATIENCE * ends->count;
    for (uint32_t i = 1; i < ends->count; i++) {
        ashi_endpoint one = ends->data[i];
        uint32_t k = i, p = one.end >> 1;
        for (; k > 0 && comes_after(&ends->data[k - 1], &one); k--) {
            uint32_t other = ends->data[k - 1].end, q = other >> 1;
            ends->data[k] = ends->data[k - 1];
            if ((one.end & IS_UPPER) != 0 || (other & IS_UPPER) == 0 || p == q ||
                !bounds_overlap(&broad->proxies.data[p].box, &broad->proxies.data[q].box))
                continue;
            if (!ashi_array_extend(&broad->found)) {
                *out_of_memory = true;
                return false;
            }
            broad->found.data[broad->found.count - 1] = ashi_candidate_of(broad, p, q);
        }
        ends->data[k] = one;
        exchanges += i - k;
        if (exchanges > most)
            return false;
    }
    uint64_t tests = broad->stats.tests + exchanges;
    broad->stats.tests = tests < UINT32_MAX ? (uint32_t)tests : UINT32_MAX;
    return true;
}

/* Sorts all three axes from scratch and finds candidates by a sweep along the widest. */
static bool begin_sweep_3(ashi_broad *broad, ashi_tasks *tasks)
{
    ashi_sweep_phase *sweep = &broad->sweep;
    sweep->axis = widest_axis(broad);
    broad->keep = ASHI_KEEP_NONE;
    for (int axis = 0; axis < 3; axis++)
        if (!sort_anew(broad, &sweep->axes[axis], axis, 2))
            return false;
    return sort_anew(broad, &sweep->lower, sweep->axis, 1) &&
           ashi_broad_gather(broad, tasks, sweep->lower.count, 64, find_by_sweep, false);
}

/* A pair is found on each axis on which its ends passed each other. */
static void drop_repetitions(ashi_candidates *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (kept == 0 || list->data[kept - 1].key != list->data[i].key)
            list->data[kept++] = list->data[i];
    list->count = kept;
}

/* Sorts the axes from their old order. Sets `too_long` when insertion sort is not worth while. */
static bool continue_sweep_3(ashi_broad *broad, bool *too_long)
{
    ashi_sweep_phase *sweep = &broad->sweep;
    bool out_of_memory = false;
    broad->keep = ASHI_KEEP_OVERLAPPING;
    broad->found.count = 0;
    for (int axis = 0; axis < 3; axis++) {
        ashi_endpoints *ends = &sweep->axes[axis];
        if (!ashi_array_reserve(ends, ends->count + 2 * (uint64_t)broad->changed.count))
            return false;
        refresh(broad, ends, axis, 2);
        if (!sort_with_exchanges(broad, ends, &out_of_memory)) {
            *too_long = !out_of_memory;
            return false;
        }
    }
    if (!ashi_candidates_sort(&broad->found, &broad->spare))
        return false;
    drop_repetitions(&broad->found);
    return true;
}

bool ashi_broad_update_sweep_3(ashi_broad *broad, ashi_tasks *tasks)
{
    bool begin = !broad->sweep.sorted;
    if (!begin && !continue_sweep_3(broad, &begin) && !begin)
        return false;
    broad->sweep.sorted = !begin || begin_sweep_3(broad, tasks);
    return broad->sweep.sorted;
}
