/* See supports.h. One pass over the pairs notes where bodies are held; directions are made for those who ask. */
#include "step/supports.h"

#include "problem/assemble.h"

#include <math.h>
#include <string.h>

static bool holds(const ashi_contact_set *set, const ashi_contact_record *contact, double touch)
{
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
        if (set->points.data[k].depth >= -touch || v3_norm2(set->points.data[k].force) > 0)
            return true;
    return false;
}

bool ashi_supports_find(const ashi_step *step, double touch, const bool *wanted, ashi_supports *supports)
{
    const ashi_model *model = step->model;
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const uint8_t *motion = model->bodies.motion;
    const ashi_contact_set *set = &step->collision->now;
    uint32_t bodies = ashi_body_slots(&model->bodies);
    supports->count = ashi_arena_take_array(step->scratch, bodies, sizeof *supports->count);
    supports->list = ashi_arena_take_array(step->scratch, (size_t)ASHI_SUPPORTS * bodies, sizeof *supports->list);
    if (supports->count == NULL || supports->list == NULL)
        return false;
    memset(supports->count, 0, bodies * sizeof *supports->count);
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        const uint32_t both[2] = {shapes[pair->a].body, shapes[pair->b].body};
        bool lacks[2];
        for (int side = 0; side < 2; side++)
            lacks[side] = wanted[both[side]] && (motion[both[side]] & ASHI_DYNAMIC) &&
                          supports->count[both[side]] < ASHI_SUPPORTS;
        if (pair->sensor || !(lacks[0] || lacks[1]))
            continue;
        for (uint32_t k = pair->first_contact; k < pair->first_contact + pair->contact_count; k++) {
            if (!holds(set, &set->contacts.data[k], touch))
                continue;
            for (int side = 0; side < 2; side++) {
                uint32_t body = both[side];
                if (lacks[side] && supports->count[body] < ASHI_SUPPORTS)
                    supports->list[ASHI_SUPPORTS * body + supports->count[body]++] = (struct ashi_held_at){i, k};
            }
        }
    }
    return true;
}

ashi_support ashi_support_at(const ashi_step *step, const ashi_supports *supports, uint32_t body, uint32_t number)
{
    const ashi_model *model = step->model;
    const ashi_contact_set *set = &step->collision->now;
    struct ashi_held_at at = supports->list[ASHI_SUPPORTS * body + number];
    const ashi_contact_pair *pair = &set->pairs.data[at.pair];
    const ashi_contact_record *contact = &set->contacts.data[at.contact];
    ash_vec3 normal = q_rotate(ashi_shape_pose_at(model, &model->bodies.now, pair->a).rotation, contact->normal);
    bool first = model->shapes.entries.data[pair->a].body == body;
    ashi_support support = {first ? v3_neg(normal) : normal, 0, at.contact};
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
        support.depth = fmax(support.depth, set->points.data[k].depth);
    return support;
}
