/* What a solution says about its solver: whether it failed, whether it ignores friction, whether penalty contacts are
 * stiffer than the step can take, and whether shapes have sunk into each other after all. */
#include "step/solver_alarms.h"

#include "model/explicit_bound.h"
#include "solve/impact.h"
#include "solve/solver_class.h"
#include "step/hold.h"

#define SUNK    0.5  /* of the thinner shape's thickness, and ... */
#define PRESSED 0.1  /* ... where overlap stays as long as bodies are pressed */
#define LEFT    0.01 /* of a normal impulse: what sweeps in turns may leave open */

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

static void note_law(ashi_step *step)
{
    const ashi_system *p = step->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (presses(p, block) && (block->friction > 0 || block->rolling > 0 || block->spinning > 0)) {
            flag(step, block, ASH_FLAG_LAW_IGNORED);
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

/* Whether a contact bears what lies on it: the speed changes by less than half of what its impulse alone would change
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

void ashi_note_pressed(ashi_step *step)
{
    const ashi_system *p = step->problem;
    const ashi_contact_set *set = &step->collision->now;
    double worst = PRESSED;
    if (!(set->deepest > PRESSED * step->collision->thinnest))
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
    const ashi_solver_class *solver = ashi_solver_class_of(ashi_inner_solver(&step->method.solver));
    if (solver->in_turns)
        note_turns(step);
    else if (solver->frictionless)
        note_law(step);
    else if (solver->springs) {
        note_penalty(step);
        ashi_note_pressed(step);
    }
}

static double depth_of(const ashi_contact_set *set, const ashi_contact_pair *pair)
{
    double deepest = 0;
    for (uint32_t i = pair->first_contact; i < pair->first_contact + pair->contact_count; i++) {
        const ashi_contact *contact = &set->contacts.data[i];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++)
            deepest = fmax(deepest, set->points.data[k].depth);
    }
    return deepest;
}

void ashi_note_overlap(ashi_step *step)
{
    const ashi_contact_set *set = &step->collision->now;
    double worst = SUNK;
    if (!ashi_step_solves_contacts(step) || !(set->deepest > SUNK * step->collision->thinnest))
        return;
    for (uint32_t i = 0; i < set->pairs.count; i++) {
        const ashi_contact_pair *pair = &set->pairs.data[i];
        double thinner = fmin(thickness_of(step, pair->a), thickness_of(step, pair->b));
        double share = pair->sensor ? 0 : depth_of(set, pair) / thinner;
        if (!(share > worst))
            continue;
        worst = share;
        flag_pair(step, pair, ASH_FLAG_IMPACT_MISSED);
    }
}
