/* See supports.h. Contacts are counted by body first, so that the list is one array. */
#include "step/supports.h"

#include "problem/assemble.h"

#include <math.h>
#include <string.h>

#define MOST 8 /* contacts of a body that are kept */

typedef struct search {
    const ashi_step *step;
    double touch;
} search;

/* How deep a contact that holds is; negative: it does not hold. */
static double holding_depth(const search *s, const ashi_contact *contact)
{
    const ashi_contact_point *points = s->step->collision->now.points.data;
    double depth = -1;
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
        if (points[k].depth >= -s->touch || v3_norm2(points[k].force) > 0)
            depth = fmax(depth, fmax(points[k].depth, 0));
    return depth;
}

static void add(ashi_supports *supports, uint32_t body, ashi_support one)
{
    uint32_t room = supports->first[body + 1] - supports->first[body];
    if (supports->count[body] < room)
        supports->list[supports->first[body] + supports->count[body]++] = one;
}

/* Goes over all contacts that hold: counts them by body, or, when the places are known, adds them. */
static void visit(const search *s, ashi_supports *supports)
{
    const ashi_model *model = s->step->model;
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const uint8_t *motion = model->bodies.motion;
    const ashi_contact_set *set = &s->step->collision->now;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        uint32_t a = shapes[pair->a].body, b = shapes[pair->b].body;
        if (pair->sensor || !((motion[a] | motion[b]) & ASHI_DYNAMIC))
            continue;
        for (uint32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            const ashi_contact *contact = &set->contacts.data[k];
            double depth = holding_depth(s, contact);
            if (depth < 0)
                continue;
            if (supports->list == NULL) {
                supports->count[a] += motion[a] & ASHI_DYNAMIC ? 1 : 0;
                supports->count[b] += motion[b] & ASHI_DYNAMIC ? 1 : 0;
                continue;
            }
            ash_quat rotation = ashi_shape_pose_at(model, &model->bodies.now, pair->a).rotation;
            ash_vec3 normal = q_rotate(rotation, contact->normal);
            if (motion[a] & ASHI_DYNAMIC)
                add(supports, a, (ashi_support){v3_neg(normal), depth, k});
            if (motion[b] & ASHI_DYNAMIC)
                add(supports, b, (ashi_support){normal, depth, k});
        }
    }
}

bool ashi_supports_find(const ashi_step *step, double touch, ashi_supports *supports)
{
    uint32_t bodies = ashi_body_slots(&step->model->bodies), all = 0;
    search s = {step, touch};
    supports->first = ashi_arena_take_array(step->scratch, bodies + 1, sizeof *supports->first);
    supports->count = ashi_arena_take_array(step->scratch, bodies + 1, sizeof *supports->count);
    supports->list = NULL;
    if (supports->first == NULL || supports->count == NULL)
        return false;
    memset(supports->count, 0, (bodies + 1) * sizeof *supports->count);
    visit(&s, supports);
    for (uint32_t i = 0; i <= bodies; i++) {
        uint32_t count = supports->count[i] < MOST ? supports->count[i] : MOST;
        supports->first[i] = all;
        supports->count[i] = 0;
        all += count;
    }
    supports->list = ashi_arena_take_array(step->scratch, all + 1, sizeof *supports->list);
    if (supports->list == NULL)
        return false;
    visit(&s, supports);
    return true;
}
