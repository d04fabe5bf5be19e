/* Laws of restitution at an instant: which islands need more than one solve, and the impact of one point among joints.
 *
 * Where nothing has friction and all that approaches has one coefficient, the three laws are the same and Newton's
 * needs one solve. Where nothing rebounds, one solve is the end of compression; it loses energy whatever friction does,
 * and is followed in increments only where friction would come out as a gain. All else is followed.
 *
 * One point among joints without bounds moves linearly with its impulse: v = v0 + sum_i x_i lambda_i, where x_i is what
 * an impulse along normal or tangent i makes while the joints hold. So three solves of the joints alone lead to the
 * equations of a single point, and give what the joints carry. */
#include "solve/impact/impact_increments.h"

#include "solve/first_guess.h"
#include "solve/impact/impact_point.h"

#include <math.h>

#define ALIKE    1e-9  /* coefficients of restitution that differ less are the same */
#define SLOW     1e-6  /* of the fastest approach: slower ones count as rest */
#define NOTHING  1e-12 /* of the energies of the approach: rounding */
#define LOOSE    1e-3  /* of the fastest approach: solves with larger errors do not lead through an impact */
#define HALVINGS 40    /* of a coefficient that makes energy */

bool ashi_impact_suits(const ash_solver_settings *settings)
{
    return ashi_rebound_is_limited(settings) && !ashi_solver_traits_of(settings->solver)->layers;
}

bool ashi_impact_acts(const ashi_system *p, const ash_solver_settings *settings)
{
    return p->h == 0 && p->restitution_law != ASH_RESTITUTION_NEWTON && ashi_impact_suits(settings);
}

/* ---- what is kept ---- */

static const ashi_block *block_at(const ashi_gradual_impact *m, uint32_t k)
{
    return &m->problem->blocks[m->island->first_block + k];
}

static bool take_memory(ashi_gradual_impact *m, ashi_arena *memory)
{
    uint32_t bodies = m->island->body_count, rows = m->row_count, blocks = m->island->block_count;
    ash_motion **motions[] = {&m->start, &m->now, &m->other};
    double **by_row[] = {&m->bias, &m->speed, &m->before, &m->change, &m->impulse, &m->work};
    double **by_block[] = {&m->coefficient, &m->friction, &m->compressed, &m->ratio, &m->from};
    bool good = true;
    for (uint32_t i = 0; i < sizeof motions / sizeof *motions; i++)
        good = (*motions[i] = ashi_arena_take_array(memory, bodies + 1, sizeof **motions[i])) != NULL && good;
    for (uint32_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        good = (*by_row[i] = ashi_arena_take_array(memory, rows + 1, sizeof **by_row[i])) != NULL && good;
    for (uint32_t i = 0; i < sizeof by_block / sizeof *by_block; i++)
        good = (*by_block[i] = ashi_arena_take_array(memory, blocks + 1, sizeof **by_block[i])) != NULL && good;
    return good;
}

/* Speeds and coefficients before the impact. */
static void read_start(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        const ash_problem_body *body = &p->bodies[m->island->first_body + i];
        m->start[i] = (ash_motion){body->velocity, body->spin};
        p->velocity[m->island->first_body + i] = m->start[i];
    }
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            uint32_t r = block->first_row + i - m->first_row;
            m->bias[r] = row->bias;
            m->speed[r] = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
        }
        double approach = -m->speed[block->first_row - m->first_row];
        bool contact = block->kind == ASHI_CONTACT_BLOCK;
        m->coefficient[k] = contact && approach > 0 ? fmin(block->rebound / approach, 1) : 0;
        m->friction[k] = block->friction;
        m->fastest = contact ? fmax(m->fastest, approach) : m->fastest;
    }
}

void ashi_impact_rewind(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    for (uint32_t i = 0; i < m->island->body_count; i++)
        m->now[i] = m->start[i];
    for (uint32_t k = 0; k < m->island->block_count; k++)
        p->blocks[m->island->first_block + k].friction = m->friction[k]; /* static friction may have given way */
    for (uint32_t r = 0; r < m->row_count; r++) {
        m->impulse[r] = m->work[r] = 0;
        p->rows[m->first_row + r].impulse = 0;
    }
}

void ashi_impact_finish(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        ash_problem_body *body = &p->bodies[m->island->first_body + i];
        body->velocity = m->start[i].linear;
        body->spin = m->start[i].angular;
        p->velocity[m->island->first_body + i] = m->now[i];
    }
    for (uint32_t r = 0; r < m->row_count; r++) {
        ashi_row *row = &p->rows[m->first_row + r];
        row->bias = m->bias[r];
        row->impulse = m->impulse[r];
        row->work = m->work[r];
    }
    m->solve->flags = m->flags;
    m->solve->iterations = m->iterations;
    m->solve->residual = m->residual;
}

bool ashi_impact_run(ashi_gradual_impact *m)
{
    ashi_system *p = m->problem;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        ash_problem_body *body = &p->bodies[m->island->first_body + i];
        body->velocity = m->now[i].linear;
        body->spin = m->now[i].angular;
    }
    ashi_system_velocities(p, m->island);
    ashi_first_guess_shorten(p, m->island);
    bool good = m->once.run(m->once.data, m->solve), first = m->iterations == 0;
    if (good && !(m->solve->flags & ASH_SOLVE_CONVERGED)) {
        good = ashi_solve_judge(m->solve);
        m->lost = m->lost || !(m->solve->residual <= LOOSE * m->fastest);
    }
    uint32_t both = m->solve->flags & (first ? ~0u : m->flags) & ASH_SOLVE_CONVERGED;
    m->flags = ((m->flags | m->solve->flags) & ~(uint32_t)ASH_SOLVE_CONVERGED) | both;
    m->iterations += m->solve->iterations > 0 ? m->solve->iterations : 1;
    m->residual = fmax(m->residual, m->solve->residual);
    return good;
}

double ashi_impact_work(const ashi_gradual_impact *m)
{
    double work = 0;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; block->kind == ASHI_CONTACT_BLOCK && i < block->row_count; i++) {
            uint32_t r = block->first_row + i - m->first_row;
            work += m->work[r] + (i > 0 ? m->impulse[r] * m->bias[r] : 0);
        }
    }
    return work;
}

/* ---- one point ---- */

/* The island's only contact, if one point is all that does not move linearly; else the number of its blocks. */
static uint32_t only_point(const ashi_gradual_impact *m)
{
    uint32_t found = m->island->block_count;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        if (block->kind == ASHI_CONTACT_BLOCK) {
            bool round = block->tangents < 2 || m->problem->law == ASH_FRICTION_CONE;
            if (found < m->island->block_count || !round || block->rollings > 0 || block->spins > 0 ||
                block->friction_limit >= 0)
                return m->island->block_count;
            found = k;
        }
        for (uint32_t i = 0; block->kind == ASHI_PLAIN_BLOCK && i < block->row_count; i++) {
            const ashi_row *row = &m->problem->rows[block->first_row + i];
            if (row->lower > -HUGE_VAL || row->upper < HUGE_VAL)
                return m->island->block_count;
        }
    }
    return found;
}

/* What an impulse 1 along normal or tangent makes while the joints hold; of the first: what the joints make of the
 * motion before the impact. */
typedef struct effect {
    ash_motion *motion; /* by body */
    double *joints;     /* impulses by row */
} effect;

/* Solves the joints alone, from these velocities; the contact takes no part. */
static bool solve_joints(ashi_gradual_impact *m, const ashi_block *contact, bool biased, effect *out)
{
    ashi_system *p = m->problem;
    ashi_row *normal = &p->rows[contact->first_row];
    double fastest = m->fastest;
    for (uint32_t i = 0; i < m->island->body_count; i++) {
        fastest += v3_norm(m->now[i].linear);
        fastest += v3_norm(m->now[i].angular) * (1 + v3_norm(normal->angular_a) + v3_norm(normal->angular_b));
    }
    for (uint32_t r = 0; r < m->row_count; r++) {
        p->rows[m->first_row + r].impulse = 0;
        p->rows[m->first_row + r].bias = biased ? m->bias[r] : 0;
    }
    normal->bias = 4 * fastest; /* it may approach as fast as it likes */
    bool alone = m->island->block_count == 1;
    if (!alone && !ashi_impact_run(m))
        return false;
    for (uint32_t i = 0; i < m->island->body_count; i++)
        out->motion[i] = alone ? m->now[i] : p->velocity[m->island->first_body + i];
    for (uint32_t r = 0; r < m->row_count; r++)
        out->joints[r] = alone ? 0 : p->rows[m->first_row + r].impulse;
    return true;
}

/* The same from an impulse of this size along a row of the contact; the effect is that of 1. */
static bool solve_effect(ashi_gradual_impact *m, const ashi_block *contact, const ashi_row *along, double size,
                         effect *out)
{
    ash_motion *velocity = m->problem->velocity;
    uint32_t first = m->island->first_body;
    for (uint32_t i = 0; i < m->island->body_count; i++)
        velocity[first + i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    ashi_row_push(m->problem, contact, along, size, velocity);
    for (uint32_t i = 0; i < m->island->body_count; i++)
        m->now[i] = velocity[first + i];
    if (!solve_joints(m, contact, false, out))
        return false;
    for (uint32_t i = 0; i < m->island->body_count; i++)
        out->motion[i] =
            (ash_motion){v3_scale(out->motion[i].linear, 1 / size), v3_scale(out->motion[i].angular, 1 / size)};
    for (uint32_t r = 0; r < m->row_count; r++)
        out->joints[r] /= size;
    return true;
}

/* The speed of a row by these motions of the island's bodies; `others`: with that of immovable bodies. */
static double speed_by(const ashi_gradual_impact *m, const ashi_block *block, const ashi_row *row,
                       const ash_motion *motion, bool others)
{
    static const ash_motion none = {{0, 0, 0}, {0, 0, 0}};
    const ash_motion *side[2];
    const uint32_t body[2] = {block->body_a, block->body_b};
    for (int i = 0; i < 2; i++) {
        bool fixed = body[i] < m->problem->fixed_count;
        side[i] = !fixed ? &motion[body[i] - m->island->first_body] : others ? &m->problem->velocity[body[i]] : &none;
    }
    return ashi_row_speed(row, side[0], side[1]);
}

/* The effects of the contact's impulses, and with them the equations of its point. */
static bool find_effects(ashi_gradual_impact *m, const ashi_block *block, effect effects[4], ashi_point_impact *point,
                         ashi_arena *memory)
{
    const ashi_system *p = m->problem;
    const ashi_row *rows = &p->rows[block->first_row];
    uint32_t normal = block->first_row - m->first_row;
    for (uint32_t i = 0; i < 2u + block->tangents; i++) {
        effects[i].motion = ashi_arena_take_array(memory, m->island->body_count + 1, sizeof *effects[i].motion);
        effects[i].joints = ashi_arena_take_array(memory, m->row_count + 1, sizeof *effects[i].joints);
        if (effects[i].motion == NULL || effects[i].joints == NULL)
            return false;
    }
    if (!solve_joints(m, block, true, &effects[0])) /* `now` is the start */
        return false;
    for (uint32_t j = 0; j < 1u + block->tangents; j++)
        point->speed[j] = speed_by(m, block, &rows[j], effects[0].motion, true) + (j > 0 ? m->bias[normal + j] : 0);
    for (uint32_t i = 0; i < 1u + block->tangents; i++) {
        /* Of a size that makes speeds like those of the impact: tolerances of solvers are speeds. */
        double response = ashi_row_response(p, block, &rows[i], &rows[i]);
        double size = response > 0 ? m->fastest / response : 1;
        if (!solve_effect(m, block, &rows[i], size, &effects[i + 1]))
            return false;
        for (uint32_t j = 0; j < 1u + block->tangents; j++)
            point->response[j][i] = speed_by(m, block, &rows[j], effects[i + 1].motion, false);
    }
    return true;
}

/* Poisson's law may make energy, too: by the largest coefficient that does not. */
static bool solve_point(ashi_point_impact *point)
{
    const ashi_point_impact given = *point;
    double low = 0, high = given.restitution;
    bool good = ashi_point_impact_solve(point);
    for (int i = 0; i <= HALVINGS; i++) {
        double work = 0, size = 0;
        for (int k = 0; k < 3; k++) {
            work += 0.5 * point->impulse[k] * (given.speed[k] + point->speed[k]);
            size += fabs(point->impulse[k] * given.speed[k]);
        }
        if (work > NOTHING * size)
            high = point->restitution;
        else if (i == 0)
            return good;
        else
            low = point->restitution;
        *point = given;
        point->restitution = i + 1 < HALVINGS ? 0.5 * (low + high) : low;
        good = ashi_point_impact_solve(point);
    }
    return good;
}

/* Motions, impulses and works of the impact. */
static void put_together(ashi_gradual_impact *m, const ashi_block *block, const effect effects[4],
                         const ashi_point_impact *point, const double before[3])
{
    uint32_t normal = block->first_row - m->first_row;
    double total = 0, surfaces = 0;
    for (uint32_t b = 0; b < m->island->body_count; b++)
        m->now[b] = effects[0].motion[b];
    for (uint32_t r = 0; r < m->row_count; r++)
        m->impulse[r] = effects[0].joints[r];
    for (uint32_t i = 0; i < 1u + block->tangents; i++) {
        const effect *by = &effects[i + 1];
        double impulse = point->impulse[i];
        for (uint32_t b = 0; b < m->island->body_count; b++) {
            m->now[b].linear = v3_add_scaled(m->now[b].linear, by->motion[b].linear, impulse);
            m->now[b].angular = v3_add_scaled(m->now[b].angular, by->motion[b].angular, impulse);
        }
        for (uint32_t r = 0; r < m->row_count; r++)
            m->impulse[r] += by->joints[r] * impulse;
        total += 0.5 * impulse * (before[i] + point->speed[i]);
        surfaces += i > 0 ? impulse * m->bias[normal + i] : 0;
    }
    for (uint32_t i = 0; i < 1u + block->tangents; i++)
        m->impulse[normal + i] = point->impulse[i];
    m->work[normal] = total - point->friction_work;
    if (block->tangents > 0)
        m->work[normal + 1] = point->friction_work - surfaces;
}

static bool impact_of_point(ashi_gradual_impact *m, uint32_t k, ashi_arena *memory)
{
    const ashi_block *block = block_at(m, k);
    effect effects[4];
    ashi_point_impact point = {.tangents = block->tangents,
                               .friction = block->friction,
                               .restitution = m->coefficient[k],
                               .law = m->problem->restitution_law};
    if (!find_effects(m, block, effects, &point, memory))
        return false;
    ashi_impact_rewind(m);
    if (m->island->block_count == 1) { /* nothing was solved */
        m->iterations = 1;
        m->flags = ASH_SOLVE_CONVERGED;
    }
    const double before[3] = {point.speed[0], point.speed[1], point.speed[2]};
    if (!solve_point(&point))
        m->flags &= ~(uint32_t)ASH_SOLVE_CONVERGED;
    put_together(m, block, effects, &point, before);
    return true;
}

/* ---- which way ---- */

typedef struct traits {
    bool rebounds, friction, unlike;
    uint32_t points;
} traits;

static traits traits_of(const ashi_gradual_impact *m)
{
    traits t = {false, false, false, 0};
    double first = -1;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        if (block->kind != ASHI_CONTACT_BLOCK)
            continue;
        t.points++;
        t.friction = t.friction || block->row_count > 1;
        t.rebounds = t.rebounds || m->coefficient[k] > 0;
        if (!(-m->speed[block->first_row - m->first_row] > SLOW * m->fastest))
            continue;
        t.unlike = t.unlike || (first >= 0 && fabs(m->coefficient[k] - first) > ALIKE);
        first = m->coefficient[k];
    }
    return t;
}

/* The works of one solve, and what friction gave. */
static double note_works(ashi_gradual_impact *m)
{
    const ashi_system *p = m->problem;
    double friction = 0;
    for (uint32_t k = 0; k < m->island->block_count; k++) {
        const ashi_block *block = block_at(m, k);
        for (uint32_t i = 0; block->kind == ASHI_CONTACT_BLOCK && i < block->row_count; i++) {
            ashi_row *row = &p->rows[block->first_row + i];
            double after = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
            row->work = 0.5 * row->impulse * (m->speed[block->first_row + i - m->first_row] + after);
            friction += i > 0 ? row->work + row->impulse * row->bias : 0;
        }
    }
    return friction;
}

/* One solve by Newton's law. */
static bool give_up(ashi_gradual_impact *m)
{
    ashi_impact_rewind(m);
    ashi_impact_finish(m);
    ashi_system_velocities(m->problem, m->island);
    bool good = m->once.run(m->once.data, m->solve) && ashi_rebound_limit(m->solve, m->once);
    m->solve->flags |= ASH_SOLVE_LAW;
    note_works(m);
    return good;
}

bool ashi_impact_solve(ashi_solve *solve, ashi_one_solve once, ashi_arena *memory, bool *integrated)
{
    ashi_system *p = solve->problem;
    const ash_problem_island *island = solve->island;
    const ashi_block *last = &p->blocks[island->first_block + island->block_count - 1];
    ashi_gradual_impact m = {.solve = solve, .problem = p, .island = island, .once = once};
    m.first_row = p->blocks[island->first_block].first_row;
    m.row_count = last->first_row + last->row_count - m.first_row;
    *integrated = false;
    if (!take_memory(&m, memory))
        return false;
    read_start(&m);
    traits t = traits_of(&m);
    uint32_t point = t.friction && m.fastest > 0 ? only_point(&m) : island->block_count;
    bool alone = point < island->block_count && island->block_count == 1;
    if (!alone && !(t.rebounds && (t.friction || t.unlike))) {
        ashi_system_velocities(p, island);
        if (!once.run(once.data, solve))
            return false;
        double friction = note_works(&m);
        if (!t.friction || !(friction > NOTHING * fabs(ashi_contact_work(p, island, 1))))
            return true;
    }
    *integrated = true;
    ashi_impact_rewind(&m);
    bool good = point < island->block_count ? impact_of_point(&m, point, memory) : ashi_impact_by_increments(&m);
    if (good && m.lost) {
        *integrated = false;
        return give_up(&m);
    }
    ashi_impact_finish(&m);
    return good;
}
