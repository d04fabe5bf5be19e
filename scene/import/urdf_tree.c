/* The tree of links: its root, the positions that joints begin with, poses in the world, and which links are one body.
 */
#include "math/quat.h"
#include "math/transform.h"
#include "scene/import/urdf.h"

#include <math.h>
#include <string.h>

static bool find_root(urdf *u)
{
    u->root = ASHI_NONE;
    for (uint32_t i = 0; i < u->link_count; i++) {
        if (u->links[i].joint != ASHI_NONE)
            continue;
        if (u->root != ASHI_NONE) {
            ashi_draft_fail(u->draft, u->links[i].xml, "urdf.tree",
                            "no joint connects link \"%.100s\" with the tree of \"%.100s\"", u->links[i].name,
                            u->links[u->root].name);
            ashi_expect(&u->draft->diagnostic, "one link that is the child of no joint");
            return false;
        }
        u->root = i;
    }
    return u->root != ASHI_NONE ||
           ashi_draft_fail(u->draft, u->xml, "urdf.tree", "every link is the child of a joint: they make a ring");
}

/* Parents before children. A child list for each link is found by sorting joints under their parents. */
static bool find_order(urdf *u)
{
    uint32_t *first = ashi_arena_take_array(u->draft->arena, u->link_count + 1, sizeof *first);
    uint32_t *next = ashi_arena_take_array(u->draft->arena, u->joint_count + 1, sizeof *next);
    if (first == NULL || next == NULL)
        return ashi_draft_no_memory(u->draft);
    for (uint32_t i = 0; i < u->link_count; i++)
        first[i] = ASHI_NONE;
    for (uint32_t j = u->joint_count; j-- > 0;) {
        next[j] = first[u->joints[j].parent];
        first[u->joints[j].parent] = j;
    }
    uint32_t count = 0;
    u->order[count++] = u->root;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = first[u->order[i]]; j != ASHI_NONE; j = next[j])
            u->order[count++] = u->joints[j].child;
    if (count == u->link_count)
        return true;
    for (uint32_t i = 0; i < u->link_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < count && !found; k++)
            found = u->order[k] == i;
        if (!found)
            return ashi_draft_fail(u->draft, u->links[i].xml, "urdf.tree",
                                   "the joints above link \"%.100s\" make a ring", u->links[i].name);
    }
    return false;
}

/* The nearest position to 0 that the limits allow; of followers what their leaders say. */
static bool place(urdf *u, urdf_joint *joint, uint32_t depth)
{
    if (joint->placed)
        return true;
    if (depth > u->joint_count)
        return ashi_draft_fail(u->draft, joint->mimic, "urdf.mimic", "joint \"%.100s\" follows itself", joint->name);
    double wanted = 0;
    if (joint->leader != ASHI_NONE && joint->kind != URDF_FIXED) {
        if (!place(u, &u->joints[joint->leader], depth + 1))
            return false;
        wanted = joint->multiplier * u->joints[joint->leader].position + joint->offset;
    } else if (joint->kind == URDF_FIXED)
        wanted = joint->position;
    if (joint->kind != URDF_FIXED) {
        joint->position = fmin(fmax(wanted, joint->lower), joint->upper);
        if (joint->position != wanted)
            ashi_draft_note(u->draft, joint->xml, "joint \"%.100s\" begins at %g, its limit nearest to %g", joint->name,
                            joint->position, wanted);
    }
    joint->placed = true;
    return isfinite(joint->position) || ashi_draft_fail(u->draft, joint->mimic, "urdf.mimic",
                                                        "the position of joint \"%.100s\" is not finite", joint->name);
}

static ash_transform motion(const urdf_joint *joint)
{
    ash_transform moved = ash_identity();
    if (joint->kind == URDF_PRISMATIC)
        moved.position = v3_scale(joint->axis, joint->position);
    else if (joint->kind == URDF_REVOLUTE || joint->kind == URDF_CONTINUOUS)
        moved.rotation = ash_rotation(joint->axis, joint->position);
    return moved;
}

bool urdf_arrange(urdf *u)
{
    if (!find_root(u) || !find_order(u))
        return false;
    for (uint32_t i = 0; i < u->joint_count; i++)
        if (!place(u, &u->joints[i], 0))
            return false;
    for (uint32_t i = 0; i < u->link_count; i++) {
        urdf_link *link = &u->links[u->order[i]];
        link->pose = link->in_group = ash_identity();
        if (link->joint == ASHI_NONE)
            continue;
        const urdf_joint *joint = &u->joints[link->joint];
        const urdf_link *parent = &u->links[joint->parent];
        ash_transform step = t_mul(joint->origin, motion(joint));
        link->pose = t_mul(parent->pose, step);
        link->pose.rotation = q_unit(link->pose.rotation);
        if (!t_is_finite(link->pose))
            return ashi_draft_fail(u->draft, joint->xml, "urdf.origin", "link \"%.100s\" is too far away", link->name);
        if (joint->kind == URDF_FIXED) {
            link->group = parent->group;
            link->in_group = t_mul(parent->in_group, step);
        }
    }
    return true;
}
