/* Queries of a broad phase: the boxes that overlap a box or a thick ray. A tree that fits its leaves is descended;
 * otherwise, and for other kinds, whose order may be out of date between two searches, every proxy is tested.
 */
#include "collide/broad/broad_parts.h"

/* Bounds for a few rounding errors: more than four units in the last place. */
#define LESS (1 - 0x1p-50)
#define MORE (1 + 0x1p-50)

static double a_little_below(double x)
{
    return x > 0 ? x * LESS : x * MORE;
}

static double a_little_above(double x)
{
    return x > 0 ? x * MORE : x * LESS;
}

/* Clips [enter, leave] to where the ray is between two planes. Each operation is monotonic in `lower` and `upper`, so
 * that a larger interval never gives less. */
static bool clip_to_slab(double origin, double direction, double lower, double upper, double radius, double *enter,
                         double *leave)
{
    double below = a_little_below(lower - origin) - radius, above = a_little_above(upper - origin) + radius;
    if (direction == 0)
        return below <= 0 && above >= 0;
    double first = a_little_below((direction > 0 ? below : above) / direction);
    double last = a_little_above((direction > 0 ? above : below) / direction);
    *enter = first > *enter ? first : *enter;
    *leave = last < *leave ? last : *leave;
    return *enter <= *leave;
}

bool ashi_ray_enters(const ash_ray *ray, const ash_vec3 *radius, const ash_bounds *box, double *enter)
{
    double leave = ray->reach;
    *enter = 0;
    return clip_to_slab(ray->origin.x, ray->direction.x, box->lower.x, box->upper.x, radius->x, enter, &leave) &&
           clip_to_slab(ray->origin.y, ray->direction.y, box->lower.y, box->upper.y, radius->y, enter, &leave) &&
           clip_to_slab(ray->origin.z, ray->direction.z, box->lower.z, box->upper.z, radius->z, enter, &leave);
}

static bool can_descend(const ashi_broad *broad, bool moving)
{
    return broad->kind == ASHI_BROAD_TREE && !broad->trees[0].unfitted && !(moving && broad->trees[1].unfitted);
}

/* The proxies that must be tested one by one: all, or only the unbounded ones of a tree. */
static uint32_t others(const ashi_broad *broad, bool descends, uint32_t i)
{
    return descends ? broad->unbounded.data[i] : i;
}

static uint32_t count_of_others(const ashi_broad *broad, bool descends)
{
    return descends ? broad->unbounded.count : broad->proxies.count;
}

static bool is_somewhere(const ashi_proxy *p)
{
    return p->place == ASHI_PROXY_BOUNDED || p->place == ASHI_PROXY_UNBOUNDED;
}

static void query_box(const ashi_broad *broad, ash_bounds box, bool moving, ashi_broad_visitor visit, void *user)
{
    if (!(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z))
        return;
    bool descends = can_descend(broad, moving);
    for (uint32_t i = 0; i < count_of_others(broad, descends); i++) {
        const ashi_proxy *p = &broad->proxies.data[others(broad, descends, i)];
        if (is_somewhere(p) && (moving || !p->moves) && bounds_overlap(&p->box, &box) && !visit(p->item, user))
            return;
    }
    if (descends)
        ashi_broad_tree_query_box(broad, &box, moving, visit, user);
}

void ashi_broad_query_box(const ashi_broad *broad, ash_bounds box, ashi_broad_visitor visit, void *user)
{
    query_box(broad, box, true, visit, user);
}

void ashi_broad_query_resting(const ashi_broad *broad, ash_bounds box, ashi_broad_visitor visit, void *user)
{
    query_box(broad, box, false, visit, user);
}

void ashi_broad_query_ray(const ashi_broad *broad, ash_ray ray, ash_vec3 radius, ashi_broad_ray_visitor visit,
                          void *user)
{
    bool descends = can_descend(broad, true);
    for (uint32_t i = 0; i < count_of_others(broad, descends); i++) {
        const ashi_proxy *p = &broad->proxies.data[others(broad, descends, i)];
        double enter;
        if (!is_somewhere(p) || !ashi_ray_enters(&ray, &radius, &p->box, &enter))
            continue;
        ray.reach = visit(p->item, ray.reach, user);
        if (!(ray.reach > 0))
            return;
    }
    if (descends)
        ashi_broad_tree_query_ray(broad, &ray, &radius, visit, user);
}
