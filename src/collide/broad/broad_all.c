/* Every box against every other: the reference for the other kinds, and quick enough for a few dozen bodies. */
#include "collide/broad/broad_parts.h"

static void find_among_all(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    const ashi_proxy *proxies = broad->proxies.data;
    for (uint32_t p = begin; p < end; p++) {
        if (proxies[p].place != ASHI_PROXY_BOUNDED)
            continue;
        for (uint32_t q = p + 1; q < broad->proxies.count; q++) {
            if (proxies[q].place != ASHI_PROXY_BOUNDED || !(proxies[p].moves || proxies[q].moves))
                continue;
            finder->tests++;
            if (bounds_overlap(&proxies[p].box, &proxies[q].box))
                ashi_finder_put(finder, broad, p, q);
        }
    }
}

bool ashi_broad_update_all_pairs(ashi_broad *broad, ashi_tasks *tasks)
{
    broad->keep = ASHI_KEEP_NONE;
    return ashi_broad_gather(broad, tasks, broad->proxies.count, 16, find_among_all, false);
}
