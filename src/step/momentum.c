/* Angular momentum of bodies that act on each other alone: it is kept to rounding, whatever solves and moves them.
 *
 * The impulses of a step are equal and opposite and act at one point p, with the arms p - x0 and the inertia of the
 * step's start: with velocities v* and momenta l* = I w* of free motion and v1, l1 = l* + sum of p - x0 crossed with
 * impulses, the sum of  x0 x m (v1 - v*) + (l1 - l*)  vanishes. Two things would spoil this afterwards.
 *
 * Rotations change, and I with them. So spins follow from the momenta: w1 = I(q1)^-1 l1.
 *
 * Positions move otherwise than along the final velocities: by the sub-steps of soft-step and its removal of overlap,
 * by the mean velocity of methods of order two. Then the sum of  x1 x m v1 - x* x m v*  is off by the couples that
 * impulses make whose bodies have moved on. Where nothing else takes part, no immovable body and no gear, the bodies
 * that pushed each other in this step take these couples up by turning as one: of all changes of velocity with this
 * momentum, the one with the least kinetic energy, and one that no contact among them notices. */
#include "step/momentum.h"

/* What free motion has made of a body. */
struct ashi_free_motion {
    ash_vec3 position;
    ash_vec3 momentum; /* angular, about the centre */
};

/* Bodies of an island that pushed each other, by the root of their tree. */
typedef struct group {
    ash_vec3 middle, couple;
    ash_sym3 inertia;
    double mass;
} group;

static uint32_t slot_of(const ashi_step *step, uint32_t body)
{
    return ashi_pool_slot_of(&step->model->bodies.pool, step->problem->bodies[body].label);
}

static ash_vec3 momentum_of(const ashi_bodies *b, uint32_t slot, ash_quat rotation, ash_vec3 spin)
{
    return b->motion[slot] & ASHI_ROTATES ? ashi_angular_momentum(&b->rotor[slot], rotation, spin) : v3(0, 0, 0);
}

ashi_free_motion *ashi_momentum_of_free_motion(ashi_step *step)
{
    const ash_problem *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    ashi_free_motion *motion = ashi_arena_take_array(step->scratch, p->body_count, sizeof *motion);
    for (uint32_t i = p->fixed_count; i < p->body_count && motion != NULL; i++) {
        uint32_t slot = slot_of(step, i);
        motion[i].position = b->next.position[slot];
        motion[i].momentum = momentum_of(b, slot, b->next.rotation[slot], p->bodies[i].spin);
    }
    return motion;
}

/* ---- spins ---- */

ash_vec3 ashi_momentum_spin(const ashi_bodies *b, uint32_t slot, ash_vec3 momentum, ash_vec3 gained, ash_vec3 spin)
{
    /* Where inertia is the same in all directions, or some axis is locked, the spin stands. */
    if ((b->motion[slot] & (ASHI_ROTATES | ASHI_PARTIAL | ASHI_ISOTROPIC)) != ASHI_ROTATES)
        return spin;
    const ashi_rotor *rotor = &b->rotor[slot];
    ash_vec3 total = v3_add(momentum, ashi_angular_momentum(rotor, b->now.rotation[slot], gained));
    return s3_apply(s3_rotated(rotor->inverse, b->next.rotation[slot]), total);
}

void ashi_momentum_to_spins(ashi_step *step, const ashi_free_motion *motion)
{
    const ash_problem *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = slot_of(step, i);
        ash_vec3 gained = v3_sub(p->velocity[i].angular, p->bodies[i].spin);
        b->next.spin[slot] = ashi_momentum_spin(b, slot, motion[i].momentum, gained, b->next.spin[slot]);
    }
}

/* ---- couples ---- */

static uint32_t root_of(uint32_t *parent, uint32_t body)
{
    while (parent[body] != body)
        body = parent[body] = parent[parent[body]];
    return body;
}

static bool pushes(const ash_problem *p, const ash_problem_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++)
        if (p->rows[block->first_row + i].impulse != 0)
            return true;
    return false;
}

/* Pulleys, gears and the like lean on what holds them: their impulses are not equal and opposite. */
static bool is_mutual(const ash_problem *p, const ash_problem_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ash_problem_row *row = &p->rows[block->first_row + i];
        bool turns = v3_norm2(row->linear_a) == 0;
        if (v3_norm2(v3_add(row->linear_a, row->linear_b)) != 0 ||
            (turns && v3_norm2(v3_add(row->angular_a, row->angular_b)) != 0))
            return false;
    }
    return true;
}

/* Joins the bodies that push each other; the lower number is the root. False where something else takes part. */
static bool join(const ash_problem *p, const ash_problem_island *island, uint32_t *parent)
{
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (block->body_a < p->fixed_count || block->body_b < p->fixed_count || !is_mutual(p, block))
            return false;
        if (!pushes(p, block))
            continue;
        uint32_t a = root_of(parent, block->body_a), b = root_of(parent, block->body_b);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    return true;
}

/* Nothing locked but what a planar world locks. */
static bool is_unlocked(const ashi_step *step, const ash_problem_island *island)
{
    const ashi_bodies *b = &step->model->bodies;
    uint8_t usual = b->planar ? ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y : 0;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        if (b->locks[slot_of(step, i)] != usual)
            return false;
    return true;
}

/* Sums the groups up: masses and middles, then couples and inertias about these. */
static void add_up(const ashi_step *step, const ash_problem_island *island, const ashi_free_motion *motion,
                   uint32_t *parent, group *groups)
{
    const ash_problem *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    uint32_t end = island->first_body + island->body_count;
    for (uint32_t i = island->first_body; i < end; i++)
        groups[i] = (group){0};
    for (uint32_t i = island->first_body; i < end; i++) {
        group *g = &groups[root_of(parent, i)];
        double mass = 1 / b->inertial[slot_of(step, i)].inverse_mass;
        g->mass += mass;
        g->middle = v3_add_scaled(g->middle, b->next.position[slot_of(step, i)], mass);
    }
    for (uint32_t i = island->first_body; i < end; i++)
        if (parent[i] == i)
            groups[i].middle = v3_scale(groups[i].middle, 1 / groups[i].mass);
    for (uint32_t i = island->first_body; i < end; i++) {
        uint32_t slot = slot_of(step, i);
        group *g = &groups[root_of(parent, i)];
        double mass = 1 / b->inertial[slot].inverse_mass;
        ash_quat rotation = b->next.rotation[slot];
        ash_vec3 arm = v3_sub(b->next.position[slot], g->middle), free_arm = v3_sub(motion[i].position, g->middle);
        ash_vec3 now = v3_add_scaled(momentum_of(b, slot, rotation, b->next.spin[slot]),
                                     v3_cross(arm, b->next.velocity[slot]), mass);
        ash_vec3 wanted = v3_add_scaled(motion[i].momentum, v3_cross(free_arm, p->bodies[i].velocity), mass);
        g->couple = v3_add(g->couple, v3_sub(wanted, now));
        g->inertia = s3_add(g->inertia, s3_point_inertia(mass, arm));
        if (b->motion[slot] & ASHI_ROTATES)
            g->inertia = s3_add(g->inertia, s3_rotated(b->rotor[slot].inertia, rotation));
    }
}

static ash_vec3 turning_of(const group *g, bool planar)
{
    if (planar)
        return g->inertia.zz > 0 ? v3(0, 0, g->couple.z / g->inertia.zz) : v3(0, 0, 0);
    double trace = g->inertia.xx + g->inertia.yy + g->inertia.zz;
    bool solid = s3_determinant(g->inertia) > 1e-12 * trace * trace * trace; /* not all on one line */
    return solid ? s3_apply(s3_inverse(g->inertia), g->couple) : v3(0, 0, 0);
}

static double kinetic_energy(const ashi_bodies *b, uint32_t slot)
{
    ash_vec3 velocity = b->next.velocity[slot], spin = b->next.spin[slot];
    return 0.5 * (v3_norm2(velocity) / b->inertial[slot].inverse_mass +
                  v3_dot(spin, momentum_of(b, slot, b->next.rotation[slot], spin)));
}

static void turn(ashi_step *step, const ash_problem_island *island, uint32_t *parent, const group *groups)
{
    const ashi_bodies *b = &step->model->bodies;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++) {
        uint32_t root = root_of(parent, i), slot = slot_of(step, i);
        ash_vec3 turning = turning_of(&groups[root], b->planar);
        ash_vec3 arm = v3_sub(b->next.position[slot], groups[root].middle);
        step->work.stabilization -= kinetic_energy(b, slot);
        ash_vec3 spin = b->motion[slot] & ASHI_ROTATES ? v3_add(b->next.spin[slot], turning) : b->next.spin[slot];
        ashi_step_store(step, slot, b->next.position[slot], b->next.rotation[slot],
                        v3_add(b->next.velocity[slot], v3_cross(turning, arm)), spin);
        step->work.stabilization += kinetic_energy(b, slot);
    }
}

bool ashi_momentum_return_couples(ashi_step *step, const ashi_free_motion *motion)
{
    const ash_problem *p = step->problem;
    uint32_t *parent = ashi_arena_take_array(step->scratch, p->body_count, sizeof *parent);
    group *groups = ashi_arena_take_array(step->scratch, p->body_count, sizeof *groups);
    if (parent == NULL || groups == NULL)
        return false;
    for (uint32_t i = 0; i < p->body_count; i++)
        parent[i] = i;
    for (uint32_t k = 0; k < p->island_count; k++) {
        const ash_problem_island *island = &p->islands[k];
        if (!join(p, island, parent) || !is_unlocked(step, island))
            continue;
        add_up(step, island, motion, parent, groups);
        turn(step, island, parent, groups);
    }
    return true;
}
