/* What a solution says about its solver: whether it failed, whether friction lowers the order of the step, whether
 * penalty contacts are stiffer than the step can take, and whether shapes have sunk into each other after all. */
#include "step/solver_alarms.h"

#include "model/explicit_bound.h"
#include "problem/assemble.h"
#include "solve/impact/impact.h"
#include "step/hold.h"
#include "step/scheme.h"

#define SUNK      0.5  /* of the thinner shape's thickness, and ... */
#define STAYS     0.1  /* ... where overlap stays, ... */
#define LEAST_OUT 0.99 /* ... which is to say that less than a hundredth of it goes in a step */
#define CREEPS    0.01 /* of the speed that weights gain in a step */
#define IN_A_ROW  50   /* steps: long enough to be no impact */
#define LEFT      0.01 /* of a normal impulse: what sweeps in turns may leave open */
#define FAR_SIDE  0.5  /* cosine: contact normals that are turned by more than two thirds of half a turn */

static bool presses(const ashi_system *p, const ashi_block *block)
{
    return block->kind == ASHI_CONTACT_BLOCK && p->rows[block->first_row].impulse > 0;
}

static void flag_pair(ashi_step *step, const ashi_contact_pair *pair, ash_flag which)
{
    step->flags |= which;
    step->flagged_a = pair->handle_a;
    step->flagged_b = pair->handle_b;
}

static void flag(ashi_step *step, const ashi_block *block, ash_flag which)
{
    flag_pair(step, ashi_pair_of_point(&step->collision->now, block->label), which);
}

/* Contacts with friction make steps of order 1 or 2, whatever the scheme of the joints has. */
static void note_order(ashi_step *step)
{
    const ashi_system *p = step->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (presses(p, block) && (block->friction > 0 || block->rolling > 0 || block->spinning > 0)) {
            flag(step, block, ASH_FLAG_LOWER_ORDER);
            return;
        }
    }
}

/* A law of restitution, or an order of impacts, that is not followed where contacts rebound. */
static void note_restitution(ashi_step *step, const ash_solve_result *result)
{
    const ashi_system *p = step->problem;
    bool plain =
        step->method.restitution_law == ASH_RESTITUTION_NEWTON && step->method.impact_order == ASH_IMPACTS_TOGETHER;
    bool followed = p->h == 0 && ashi_impact_suits(&step->method.solver) && !(result->flags & ASH_SOLVE_LAW);
    if (plain || followed)
        return;
    for (uint32_t k = 0; k < p->block_count; k++)
        if (presses(p, &p->blocks[k]) && p->blocks[k].rebound > 0) {
            flag(step, &p->blocks[k], ASH_FLAG_LAW_IGNORED);
            return;
        }
    for (uint32_t k = 0; k < p->point_count && !p->expanded; k++)
        if (p->points[k].impulse.x > 0 && p->points[k].rebound > 0) {
            flag_pair(step, ashi_pair_of_point(&step->collision->now, p->points[k].label), ASH_FLAG_LAW_IGNORED);
            return;
        }
}

/* The longest step for a penalty contact by itself. Several at one body are stiffer together: it may be shorter. */
static double penalty_bound(const ash_solver_settings *s, const ashi_system *p, const ashi_block *block)
{
    const ashi_row *row = &p->rows[block->first_row];
    double response = ashi_row_response(p, block, row, row), depth = row->error < 0 ? -row->error : 0;
    double stiffness = s->hertz ? 1.5 * s->stiffness * sqrt(depth) : s->stiffness;
    double damping = s->hertz ? s->stiffness * depth * sqrt(depth) * s->dissipation : s->dissipation;
    return ashi_explicit_bound(ASH_SYMPLECTIC_EULER, stiffness * response, damping * response);
}

static void note_penalty(ashi_step *step)
{
    const ashi_system *p = step->problem;
    double least = p->h;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (presses(p, block) && block->rebound > 0) /* dampers, no coefficient */
            flag(step, block, ASH_FLAG_LAW_IGNORED);
        double bound = presses(p, block) ? penalty_bound(&step->method.solver, p, block) : HUGE_VAL;
        if (!(bound < least))
            continue;
        least = bound;
        flag(step, block, ASH_FLAG_SPRING_BOUND);
    }
}

/* How much friction, taken after the normals, changes the normal impulse that it follows from. In each sweep an error
 * goes down by this factor, and up where it is above 1: a rod that is pushed or dragged at a high coefficient. */
static double in_turns(const ashi_system *p, const ashi_block *block)
{
    const ashi_row *normal = &p->rows[block->first_row];
    double slip[2] = {0, 0}, square = 0, across = 0;
    for (uint32_t i = 0; i < block->tangents && i < 2; i++) {
        slip[i] = ashi_row_speed(&normal[1 + i], &p->velocity[block->body_a], &p->velocity[block->body_b]) +
                  normal[1 + i].bias;
        square += slip[i] * slip[i];
    }
    if (!(square > p->stick_speed * p->stick_speed))
        return 0;
    for (uint32_t i = 0; i < block->tangents && i < 2; i++)
        across += ashi_row_response(p, block, normal, &normal[1 + i]) * slip[i] / sqrt(square);
    return block->sliding_friction * fabs(across) / ashi_row_response(p, block, normal, normal);
}

/* Whether so many factors leave too much open. */
static bool stays_open(double factor, uint32_t sweeps)
{
    double left = 1;
    for (uint32_t i = 0; i < sweeps && left > LEFT && factor < 1; i++)
        left *= factor;
    return left > LEFT;
}

/* Sweeps row by row, all normals before all friction. Contacts that are alone are judged; several share their load. */
static void note_turns(ashi_step *step)
{
    const ashi_system *p = step->problem;
    const ash_solver_settings *s = &step->method.solver;
    for (uint32_t n = 0; n < p->island_count && s->by_rows; n++) {
        const ashi_block *block = &p->blocks[p->islands[n].first_block];
        bool alone = p->islands[n].block_count == 1 && block->kind == ASHI_CONTACT_BLOCK && block->tangents > 0;
        if (alone && p->rows[block->first_row].error <= 0 && stays_open(in_turns(p, block), s->iterations))
            flag(step, block, ASH_FLAG_NOT_CONVERGED);
    }
}

/* The thickness of a shape that can be pushed; infinite for others: the ground may be as thin as it likes. */
static double thickness_of(const ashi_step *step, uint32_t shape)
{
    const ashi_model *model = step->model;
    uint32_t body = model->shapes.entries.data[shape].body;
    double thickness = step->collision->colliders.data[shape].thickness;
    return (model->bodies.motion[body] & ASHI_DYNAMIC) && thickness > 0 ? thickness : HUGE_VAL;
}

/* Whether a contact carries what lies on it: the speed changes by less than half of what its impulse alone would change
 * it by. An impact has no other forces to speak of. */
static bool bears(const ashi_system *p, const ashi_block *block)
{
    const ashi_row *normal = &p->rows[block->first_row];
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion start_a = {a->start_velocity, a->start_spin}, start_b = {b->start_velocity, b->start_spin};
    double change = ashi_row_speed(normal, &p->velocity[block->body_a], &p->velocity[block->body_b]) -
                    ashi_row_speed(normal, &start_a, &start_b);
    return fabs(change) < 0.5 * normal->impulse * ashi_row_response(p, block, normal, normal);
}

/* Contacts that yield: flags those that carry a load with a tenth of the thinner shape inside the other. */
static void note_pressed(ashi_step *step)
{
    const ashi_system *p = step->problem;
    const ashi_contact_set *set = &step->collision->now;
    double worst = STAYS;
    if (!(set->deepest > STAYS * step->collision->thinnest))
        return;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (!presses(p, block) || !bears(p, block))
            continue;
        const ashi_contact_pair *pair = ashi_pair_of_point(set, block->label);
        double thinner = fmin(thickness_of(step, pair->a), thickness_of(step, pair->b));
        double share = set->points.data[block->label].depth / thinner;
        if (!(share > worst))
            continue;
        worst = share;
        flag_pair(step, pair, ASH_FLAG_IMPACT_MISSED);
    }
}

void ashi_note_solver(ashi_step *step, const ash_solve_result *result)
{
    const uint32_t ended = ASH_SOLVE_RAY | ASH_SOLVE_FAILED | ASH_SOLVE_TOO_LARGE;
    bool replaced = (result->flags & ASH_SOLVE_REPLACED) != 0, solved = (result->flags & ASH_SOLVE_CONVERGED) != 0;
    if (replaced)
        step->flags |= ASH_FLAG_SOLVER_REPLACED;
    if ((result->flags & ended) && !(replaced && solved))
        step->flags |= ASH_FLAG_SOLVER_FAILED;
    note_restitution(step, result);
    const ashi_solver_traits *solver = ashi_solver_traits_of(ashi_inner_solver(&step->method.solver));
    if (solver->in_turns)
        note_turns(step);
    else if (solver->frictionless)
        note_order(step);
    else if (solver->springs) {
        note_penalty(step);
        note_pressed(step);
    }
}

static double depth_of(const ashi_contact_set *set, const ashi_contact_pair *pair)
{
    double deepest = 0;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact_record *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            deepest = fmax(deepest, set->points.data[k].depth);
    }
    return deepest;
}

/* Whether the shapes were as deep in each other at the start of the part, except for what goes in no time. Springs that
 * meet are in each other for many steps, which is not to stay. */
static bool stays(const ashi_step *step, const ashi_contact_pair *pair, double depth, double least)
{
    const ashi_contact_set *before = &step->collision->before;
    bool springs = ashi_solver_traits_of(ashi_inner_solver(&step->method.solver))->springs;
    double then = pair->old == ASHI_NO_PAIR ? 0 : depth_of(before, &before->pairs.data[pair->old]);
    return !springs && then > least && depth > LEAST_OUT * then;
}

/* A solver that leaves more open than weights gain in a step, step after step, does not carry them: what stands sinks
 * and creeps. Springs are not judged: they yield, and the overlap says by how much; nor are sub-steps, whose sums are
 * wrong by all that changed in between, schemes that solve more than once or elsewhere, and worlds with joints: those
 * show how far they are open. Schemes that foresee say how fast bodies creep that friction could
 * hold: what rocks at rest slips to and fro, and does not creep. */
void ashi_note_sinking(ashi_step *step)
{
    const ashi_solver_traits *solver = ashi_solver_traits_of(ashi_inner_solver(&step->method.solver));
    bool judged = ashi_step_solves_contacts(step) && !solver->springs && !solver->moves && !solver->frictionless &&
                  step->model->joints.pool.used == 0 && !step->scheme->foresees && !step->scheme->closes_within_slop;
    double gained = v3_norm(step->model->gravity) * step->length;
    step->sinking = judged && gained > 0 && step->error.largest > gained ? step->sinking + 1 : 0;
    step->mean_creep = v3_add_scaled(step->mean_creep, v3_sub(step->creep, step->mean_creep), 1.0 / IN_A_ROW);
    if (step->sinking >= IN_A_ROW || v3_norm(step->mean_creep) > CREEPS * gained)
        step->flags |= ASH_FLAG_NOT_CONVERGED;
}

void ashi_note_overlap(ashi_step *step)
{
    const ashi_collision *c = step->collision;
    double worst = STAYS;
    if (!ashi_step_solves_contacts(step) || !(c->now.deepest > STAYS * c->thinnest))
        return;
    for (uint32_t i = 0; i < c->now.pairs.count; i++) {
        const ashi_contact_pair *pair = &c->now.pairs.data[i];
        double thinner = fmin(thickness_of(step, pair->a), thickness_of(step, pair->b));
        double depth = pair->sensor ? 0 : depth_of(&c->now, pair), share = depth / thinner;
        if (!(share > worst) || (share < SUNK && !stays(step, pair, depth, STAYS * thinner)))
            continue;
        worst = share;
        flag_pair(step, pair, ASH_FLAG_IMPACT_MISSED);
    }
}

static ash_vec3 velocity_at(const ashi_step *step, uint32_t shape, ash_vec3 place)
{
    uint32_t body = step->model->shapes.entries.data[shape].body;
    const ashi_state *now = &step->model->bodies.now;
    return v3_add(now->velocity[body], v3_cross(now->spin[body], v3_sub(place, now->position[body])));
}

/* How far the two would be in each other at the end of the part, had they gone on as they met. */
static double depth_missed(const ashi_step *step, const ash_impact *impact, uint32_t a, uint32_t b)
{
    ash_vec3 apart = v3_sub(velocity_at(step, a, impact->on_a), velocity_at(step, b, impact->on_a));
    return fabs(v3_dot(apart, impact->normal)) * (step->h - impact->time);
}

/* Whether two shapes touch from the side from which they met: where one is halfway through the other, it is pushed out
 * on the far side. */
static bool touch_where_met(const ashi_step *step, const ashi_contact_pair *pair, const ash_impact *impact)
{
    const ashi_collision *c = step->collision;
    if (pair == NULL || !pair->touching)
        return false;
    bool turned = c->colliders.data[pair->a].handle != impact->shape_a.id;
    ash_transform pose = ashi_shape_pose_at(step->model, &step->model->bodies.now, pair->a);
    ash_vec3 met = q_unrotate(pose.rotation, turned ? v3_neg(impact->normal) : impact->normal);
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++)
        if (v3_dot(c->now.contacts.data[i].normal, met) > -FAR_SIDE)
            return true;
    return false;
}

void ashi_note_passed(ashi_step *step)
{
    const ashi_collision *c = step->collision;
    double worst = STAYS;
    for (uint32_t i = 0; i < c->impacts.count && ashi_step_solves_contacts(step); i++) {
        const ash_impact *impact = &c->impacts.data[i];
        uint32_t a = ashi_pool_slot_of(&step->model->shapes.pool, impact->shape_a.id);
        uint32_t b = ashi_pool_slot_of(&step->model->shapes.pool, impact->shape_b.id);
        const ashi_contact_pair *pair = ashi_contact_set_find(&c->now, a < b ? a : b, a < b ? b : a);
        double share = depth_missed(step, impact, a, b) / fmin(thickness_of(step, a), thickness_of(step, b));
        if (!(share > worst) || touch_where_met(step, pair, impact))
            continue;
        worst = share;
        step->flags |= ASH_FLAG_IMPACT_MISSED;
        step->flagged_a = impact->shape_a.id;
        step->flagged_b = impact->shape_b.id;
    }
}
