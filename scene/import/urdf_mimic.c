/* Joints that mimic others: geared to each other (couple.c). Joints that follow the same leader follow each other, too,
 * so that each looks for a partner among all of them. */
#include "scene/import/couple.h"
#include "scene/import/urdf.h"

/* The joint that is followed in the end, and by what factor. */
static const urdf_joint *root_of(const urdf *u, const urdf_joint *joint, double *factor)
{
    *factor = 1;
    while (joint->leader != ASHI_NONE && urdf_moves(joint)) {
        *factor *= joint->multiplier;
        joint = &u->joints[joint->leader];
    }
    return joint;
}

/* Joins it with one that already moves as it should: the leader, or another that follows the same root. */
static bool add_mimic(urdf *u, const urdf_joint *follower, const bool *joined, bool *done)
{
    double own, other;
    const urdf_joint *root = root_of(u, follower, &own);
    const char *name = ashi_scene_text(u->draft->scene, "%s mimic", follower->name);
    *done = false;
    for (uint32_t i = 0; i < u->joint_count && !*done; i++) {
        const urdf_joint *partner = &u->joints[i];
        if (!joined[i] || !urdf_moves(partner) || root_of(u, partner, &other) != root || other == 0)
            continue;
        if (!ashi_draft_couple(u->draft, partner->number, follower->number, own / other, name, false, done))
            return false;
    }
    return true;
}

bool urdf_add_mimics(urdf *u)
{
    bool *joined = ashi_arena_take_array(u->draft->arena, u->joint_count + 1, sizeof *joined);
    if (joined == NULL)
        return ashi_draft_no_memory(u->draft);
    for (uint32_t i = 0; i < u->joint_count; i++)
        joined[i] = u->joints[i].leader == ASHI_NONE || !urdf_moves(&u->joints[i]);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < u->joint_count; i++) {
            bool done = false;
            if (!joined[i] && !add_mimic(u, &u->joints[i], joined, &done))
                return false;
            if (done)
                joined[i] = more = true;
        }
    }
    for (uint32_t i = 0; i < u->joint_count; i++)
        if (!joined[i])
            ashi_draft_note(u->draft, u->joints[i].mimic,
                            "the joint moves on its own: no gear can make \"%.60s\" follow \"%.60s\": no body has the "
                            "bearings of both",
                            u->joints[i].name, u->joints[u->joints[i].leader].name);
    return true;
}
