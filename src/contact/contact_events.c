/* Events: contacts that began, last and ended, from two sets of contacts in the same order. */
#include "contact/collision.h"

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

/* Ends old pairs from `next` on that no longer exist and precede the fresh one, or all that are left. */
static bool end_those_before(ashi_collision *c, const ashi_contact_pair *fresh, uint32_t *next)
{
    const ashi_contact_set *before = &c->before;
    bool good = true;
    for (; good && *next < before->pairs.count; ++*next) {
        const ashi_contact_pair *old = &before->pairs.data[*next];
        if (fresh != NULL && (*next == fresh->old || old->a > fresh->a || (old->a == fresh->a && old->b > fresh->b)))
            break;
        if (old->touching)
            good = add_event(c, ASH_CONTACT_ENDED, old);
    }
    return good;
}

bool ashi_collision_add_events(ashi_collision *c, uint32_t begin, uint32_t end, uint32_t *next)
{
    bool good = true;
    for (uint32_t i = begin; good && i < end; i++) {
        const ashi_contact_pair *fresh = &c->now.pairs.data[i];
        if (*next != fresh->old)
            good = end_those_before(c, fresh, next);
        bool was = fresh->old != ASHI_NO_PAIR && c->before.pairs.data[fresh->old].touching;
        if (good && was && !fresh->touching)
            good = add_event(c, ASH_CONTACT_ENDED, &c->before.pairs.data[fresh->old]);
        if (good && fresh->touching)
            good = add_event(c, was ? ASH_CONTACT_LASTING : ASH_CONTACT_BEGAN, fresh);
        *next += fresh->old != ASHI_NO_PAIR;
    }
    return good && (end < c->now.pairs.count || end_those_before(c, NULL, next));
}

/* The number of a pair in a sorted set from `next` on, which moves there; ASHI_NO_PAIR if it is not in the set. */
static uint32_t find_from(const ashi_contact_set *set, const ashi_contact_pair *pair, uint32_t *next)
{
    while (*next < set->pairs.count && (set->pairs.data[*next].a < pair->a ||
                                        (set->pairs.data[*next].a == pair->a && set->pairs.data[*next].b < pair->b)))
        ++*next;
    const ashi_contact_pair *found = *next < set->pairs.count ? &set->pairs.data[*next] : NULL;
    bool same = found != NULL && found->handle_a == pair->handle_a && found->handle_b == pair->handle_b;
    return same ? *next : ASHI_NO_PAIR;
}

bool ashi_collision_find_events_since(ashi_collision *c, const ashi_contact_set *before)
{
    uint32_t next = 0;
    bool good = true;
    c->events.count = 0;
    for (uint32_t i = 0; good && i < before->pairs.count; i++) {
        uint32_t found = find_from(&c->now, &before->pairs.data[i], &next);
        if (before->pairs.data[i].touching && (found == ASHI_NO_PAIR || !c->now.pairs.data[found].touching))
            good = add_event(c, ASH_CONTACT_ENDED, &before->pairs.data[i]);
    }
    next = 0;
    for (uint32_t i = 0; good && i < c->now.pairs.count; i++) {
        const ashi_contact_pair *fresh = &c->now.pairs.data[i];
        uint32_t old = find_from(before, fresh, &next);
        bool was = old != ASHI_NO_PAIR && before->pairs.data[old].touching;
        if (fresh->touching)
            good = add_event(c, was ? ASH_CONTACT_LASTING : ASH_CONTACT_BEGAN, fresh);
    }
    return good;
}
