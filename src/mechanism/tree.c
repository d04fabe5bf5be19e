/* The tree of a mechanism: breadth first from the bodies that forces do not move, along joints with coordinates, in the
 * order of their slots; then from the first remaining body, which floats. Joints with both bodies already in the tree,
 * and kinds without coordinates (rods, gears, ...), close loops. */
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "mechanism/mechanism.h"
#include "model/joint_class.h"

#include <string.h>

#define TURNS     (ASH_FREEDOM_BIT(ASH_TURN_X) | ASH_FREEDOM_BIT(ASH_TURN_Y) | ASH_FREEDOM_BIT(ASH_TURN_Z))
#define AXES_MOST 6 /* of a link */

static bool is_dynamic(const ashi_model *model, uint32_t slot)
{
    return ashi_pool_in_use(&model->bodies.pool, slot) && model->bodies.info[slot].type == ASH_BODY_DYNAMIC;
}

/* Whether a joint can be a link's: two kept rotations must be about perpendicular axes, as in a universal joint. */
static bool has_coordinates(const ashi_joint_entry *joint, bool planar)
{
    uint32_t turns = joint->removed & TURNS;
    bool one = turns == ASH_FREEDOM_BIT(ASH_TURN_X) || turns == ASH_FREEDOM_BIT(ASH_TURN_Y) ||
               turns == ASH_FREEDOM_BIT(ASH_TURN_Z);
    bool framed = ashi_joint_class_of(joint->kind)->framed;
    return framed && (planar || !one || fabs(joint->angle - ASHI_PI / 2) < 1e-12);
}

static void add_axis(ashi_linkage *m, ashi_motion_form form, uint8_t axis, ash_freedom freedom)
{
    ashi_tree_link *link = &m->links[m->link_count];
    uint32_t within = form == ASHI_MOTION_BALL && axis > 0 ? m->position_count - 4 : m->position_count;
    m->axes[m->rate_count++] = (ashi_motion_axis){m->link_count, within, form, axis, freedom};
    m->position_count += form != ASHI_MOTION_BALL ? 1 : axis == 0 ? 4 : 0;
    link->count++;
}

/* The motions of a joint, in the order of its chain. A universal joint that removes the rotation about axis i turns
 * about axis i + 1 of a, then i + 2 of b. */
static void add_joint_axes(ashi_linkage *m, const ashi_joint_entry *joint)
{
    uint32_t kept = joint->kept, turns = kept & TURNS;
    if (ashi_joint_class_of(joint->kind)->winds) {
        m->links[m->link_count].travel = joint->pitch / (2 * ASHI_PI);
        add_axis(m, ASHI_MOTION_SCREW, 0, ASH_TURN_X);
        return;
    }
    for (uint8_t i = 0; i < 3; i++)
        if ((kept & ASH_FREEDOM_BIT(ASH_MOVE_X + i)) != 0)
            add_axis(m, ASHI_MOTION_MOVE, i, (ash_freedom)(ASH_MOVE_X + i));
    uint8_t first = 0;
    for (uint8_t i = 0; i < 3; i++) /* after the removed one */
        if (turns != TURNS && (turns & ASH_FREEDOM_BIT(ASH_TURN_X + i)) != 0 &&
            (turns & ASH_FREEDOM_BIT(ASH_TURN_X + (i + 2) % 3)) == 0)
            first = i;
    for (uint8_t k = 0; k < 3; k++) {
        uint8_t i = (uint8_t)((first + k) % 3);
        if ((turns & ASH_FREEDOM_BIT(ASH_TURN_X + i)) != 0)
            add_axis(m, turns == TURNS ? ASHI_MOTION_BALL : ASHI_MOTION_TURN, i, (ash_freedom)(ASH_TURN_X + i));
    }
}

static void add_link(ashi_linkage *m, uint32_t body, uint32_t parent_body, uint32_t joint)
{
    ashi_tree_link *link = &m->links[m->link_count];
    *link = (ashi_tree_link){.body = body,
                             .parent_body = parent_body,
                             .parent = m->link_of[parent_body],
                             .joint = joint,
                             .first = m->rate_count,
                             .frame_a = {v3(0, 0, 0), q_identity()},
                             .frame_b = {v3(0, 0, 0), q_identity()}};
    m->link_of[body] = m->link_count;
    m->handles[m->link_count] = ashi_pool_handle(&m->model->bodies.pool, body);
}

static void add_jointed(ashi_linkage *m, uint32_t body, uint32_t parent_body, uint32_t slot)
{
    const ashi_joint_entry *joint = &m->model->joints.entries.data[slot];
    add_link(m, body, parent_body, slot);
    ashi_tree_link *link = &m->links[m->link_count];
    link->reversed = joint->body_a == body;
    link->frame_a = joint->frame_a;
    link->frame_b = joint->frame_b;
    add_joint_axes(m, joint);
    m->link_count++;
}

/* A floating body: treated as joined to the background with the freedoms that its locks leave. False: two rotations are
 * left. */
static bool add_floating(ashi_linkage *m, uint32_t body, ash_diagnostic *diagnostic)
{
    const ashi_bodies *b = &m->model->bodies;
    uint32_t locks = b->locks[body], turns = 7 & ~(locks >> 3);
    add_link(m, body, 0, ASHI_NO_SLOT);
    ashi_tree_link *link = &m->links[m->link_count];
    ash_transform frame = ashi_body_frame(b, &b->now, body);
    double place[3] = {frame.position.x, frame.position.y, frame.position.z};
    for (uint8_t i = 0; i < 3; i++)
        if ((locks >> i & 1) == 0) {
            add_axis(m, ASHI_MOTION_MOVE, i, (ash_freedom)(ASH_MOVE_X + i));
            place[i] = 0;
        }
    link->frame_a.position = v3(place[0], place[1], place[2]);
    if (turns == 7)
        for (uint8_t i = 0; i < 3; i++)
            add_axis(m, ASHI_MOTION_BALL, i, (ash_freedom)(ASH_TURN_X + i));
    else if ((turns & (turns - 1)) == 0) {
        if (!b->planar) /* its rotation now is 0 */
            link->frame_b.rotation = q_conjugate(frame.rotation);
        for (uint8_t i = 0; i < 3; i++)
            if (turns >> i & 1)
                add_axis(m, ASHI_MOTION_TURN, i, (ash_freedom)(ASH_TURN_X + i));
    } else {
        ashi_fail(diagnostic, ASH_UNSUPPORTED, "mechanism.locks", "body \"%s\" turns about two axes of the world",
                  b->info[body].name != NULL ? b->info[body].name : "");
        ashi_expect(diagnostic, "no, two or three locked rotations");
        return false;
    }
    m->link_count++;
    return true;
}

/* Locks other than those of a planar world cannot be represented if a joint moves the body. */
static bool check_locks(const ashi_model *model, uint32_t body, ash_diagnostic *diagnostic)
{
    if (model->bodies.info[body].locks == 0)
        return true;
    ashi_fail(diagnostic, ASH_UNSUPPORTED, "mechanism.locks", "body \"%s\" has locks, and a joint in the tree",
              model->bodies.info[body].name != NULL ? model->bodies.info[body].name : "");
    ashi_expect(diagnostic, "bodies with joints but without locks, and with inertia");
    return false;
}

/* Grows the tree by one joint from a known body to one that is in no link yet. */
static bool grow(ashi_linkage *m, const bool *known, uint32_t slot, bool *used, ash_diagnostic *diagnostic)
{
    const ashi_joint_entry *joint = &m->model->joints.entries.data[slot];
    uint32_t child = known[joint->body_a] ? joint->body_b : joint->body_a;
    if (known[joint->body_a] == known[joint->body_b] || m->link_of[child] != ASHI_NO_LINK ||
        !has_coordinates(joint, m->model->bodies.planar))
        return true;
    if (!check_locks(m->model, child, diagnostic))
        return false;
    add_jointed(m, child, known[joint->body_a] ? joint->body_a : joint->body_b, slot);
    used[slot] = true;
    return true;
}

/* Adds all bodies connected to known ones, nearest first. */
static bool spread(ashi_linkage *m, bool *known, bool *used, ash_diagnostic *diagnostic)
{
    const ashi_joints *joints = &m->model->joints;
    for (uint32_t before = UINT32_MAX; before != m->link_count;) {
        before = m->link_count;
        for (uint32_t slot = 0; slot < joints->entries.count; slot++)
            if (ashi_pool_in_use(&joints->pool, slot) && joints->entries.data[slot].enabled && !used[slot] &&
                !grow(m, known, slot, used, diagnostic))
                return false;
        for (uint32_t i = before; i < m->link_count; i++)
            known[m->links[i].body] = true;
    }
    return true;
}

static bool build(ashi_linkage *m, bool *known, bool *used, ash_diagnostic *diagnostic)
{
    const ashi_model *model = m->model;
    for (uint32_t i = 0; i < m->slot_count; i++) {
        m->link_of[i] = ASHI_NO_LINK;
        known[i] = ashi_pool_in_use(&model->bodies.pool, i) && !is_dynamic(model, i);
    }
    if (!spread(m, known, used, diagnostic))
        return false;
    for (uint32_t i = 1; i < m->slot_count; i++)
        if (is_dynamic(model, i) && !known[i]) {
            if (!add_floating(m, i, diagnostic))
                return false;
            known[i] = true;
            if (!spread(m, known, used, diagnostic))
                return false;
        }
    for (uint32_t slot = 0; slot < model->joints.entries.count; slot++) {
        const ashi_joint_entry *joint = &model->joints.entries.data[slot];
        if (!ashi_pool_in_use(&model->joints.pool, slot) || !joint->enabled || used[slot] || joint->hold_count == 0 ||
            (m->link_of[joint->body_a] == ASHI_NO_LINK && m->link_of[joint->body_b] == ASHI_NO_LINK))
            continue;
        m->loops[m->loop_count++] = slot;
        m->row_count += joint->hold_count;
    }
    return true;
}

/* Room for `count` of a member; at least one, so that null is always a failure. */
#define TAKE(member, count) ((m->member = ashi_alloc_zeroed(((count) + 1) * sizeof *m->member)) != NULL)

static bool take_tree(ashi_linkage *m, size_t bodies, size_t joints)
{
    return TAKE(links, bodies) && TAKE(axes, bodies * AXES_MOST) && TAKE(loops, joints) && TAKE(link_of, bodies) &&
           TAKE(handles, bodies);
}

static bool take_state(ashi_linkage *m)
{
    size_t links = m->link_count, rates = m->rate_count, slots = m->slot_count;
    return TAKE(positions, m->position_count) && TAKE(rates, rates) && TAKE(pose, links) &&
           TAKE(state.position, slots) && TAKE(state.rotation, slots) && TAKE(state.velocity, slots) &&
           TAKE(state.spin, slots) && TAKE(s, rates) && TAKE(s_rate, rates) && TAKE(velocity, links) &&
           TAKE(inertia, links) && TAKE(acceleration, links) && TAKE(force, links) && TAKE(composite, links) &&
           TAKE(articulated, links) && TAKE(across, rates) && TAKE(pivot, rates) && TAKE(drive, rates) &&
           TAKE(result, rates) && TAKE(stage, 9 * rates + 5 * m->position_count);
}

static bool take_loops(ashi_linkage *m)
{
    size_t rows = m->row_count;
    return TAKE(rows, rows + ASHI_JOINT_ROWS) && TAKE(columns, rows * m->rate_count) &&
           TAKE(pulls, rows * m->rate_count) && TAKE(matrix, rows * rows) && TAKE(right, rows) &&
           TAKE(multipliers, rows) && TAKE(borne, rows) && TAKE(order, rows);
}

ashi_linkage *ashi_linkage_create(const ashi_model *model, ash_diagnostic *diagnostic)
{
    ashi_linkage *m = ashi_alloc_zeroed(sizeof *m);
    uint32_t bodies = ashi_body_slots(&model->bodies), joints = (uint32_t)model->joints.entries.count;
    bool *known = ashi_alloc_zeroed(bodies), *used = ashi_alloc_zeroed(joints + 1);
    bool made = m != NULL && known != NULL && used != NULL;
    if (made) {
        m->model = model;
        m->slot_count = bodies;
        m->revision = model->joints.revision;
        made = take_tree(m, bodies, joints);
    }
    if (!made)
        ashi_out_of_memory(diagnostic);
    else if ((made = build(m, known, used, diagnostic)) && !(made = take_state(m) && take_loops(m)))
        ashi_out_of_memory(diagnostic);
    ashi_dealloc(known);
    ashi_dealloc(used);
    if (!made) {
        ashi_linkage_destroy(m);
        return NULL;
    }
    ashi_linkage_look(m);
    ashi_linkage_update(m);
    return m;
}

void ashi_linkage_destroy(ashi_linkage *m)
{
    if (m == NULL)
        return;
    void *parts[] = {
        m->links,    m->axes,           m->loops,          m->link_of,        m->handles,    m->positions,   m->rates,
        m->pose,     m->state.position, m->state.rotation, m->state.velocity, m->state.spin, m->s,           m->s_rate,
        m->velocity, m->inertia,        m->acceleration,   m->force,          m->composite,  m->articulated, m->across,
        m->pivot,    m->drive,          m->result,         m->stage,          m->rows,       m->columns,     m->matrix,
        m->right,    m->multipliers,    m->borne,          m->order,          m->pulls};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ashi_dealloc(parts[i]);
    ashi_dealloc(m);
}

bool ashi_linkage_is_outdated(const ashi_linkage *m)
{
    const ashi_bodies *b = &m->model->bodies;
    uint32_t dynamic = 0;
    if (m->revision != m->model->joints.revision || m->slot_count != ashi_body_slots(b))
        return true;
    for (uint32_t i = 0; i < m->link_count; i++)
        if (ashi_pool_slot_of(&b->pool, m->handles[i]) == ASHI_NO_SLOT || !is_dynamic(m->model, m->links[i].body))
            return true;
    for (uint32_t i = 1; i < m->slot_count; i++)
        dynamic += is_dynamic(m->model, i);
    return dynamic != m->link_count;
}
