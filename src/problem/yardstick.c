/* The yardstick (docs/yardstick.md): the smallest change of the velocities at the blocks that makes the impulses exact.
 *
 * Every block has a pair (lambda', u') that obeys its law exactly (exact_pair.c). The error is |u' - u(lambda')| with
 * u(lambda') from all blocks' lambda', and at least |u' - u(lambda)|: without the latter, completely wrong impulses
 * would pass if their lambda' happens to be exact, as for a box that lands, with zero impulses. One pass over the
 * blocks finds the pairs and the change of the bodies' velocities by lambda' - lambda, a second one compares.
 *
 * Ordinary contacts are judged patch by patch (patch.c), others point by point, all other rows block by block.
 *
 * Errors of angular rows, rad/s, count with the radius of gyration of the block's bodies, so that the result does not
 * depend on the unit of length. Rows that no impulse can move (D = 0) are not judged. */
#include "problem/yardstick.h"

#include "problem/exact_pair.h"
#include "problem/expand.h"

#include <math.h>
#include <string.h>

/* Data from the first pass for the second, by row. */
typedef struct ashi_kept_row {
    double off;    /* u' - u(lambda) */
    double change; /* lambda' - lambda */
    bool judged;
} kept_row;

typedef ashi_measuring measuring;

static measuring measuring_of(const ashi_system *problem, const ash_problem_island *island)
{
    measuring m = {.problem = problem, .island = ashi_system_whole(problem)};
    if (island != NULL)
        m.island = *island;
    if (m.island.block_count > 0) {
        const ashi_block *first = &problem->blocks[m.island.first_block];
        const ashi_block *last = first + m.island.block_count - 1;
        m.first_row = first->first_row;
        m.row_count = last->first_row + last->row_count - first->first_row;
    }
    return m;
}

/* One more represents the bodies without an island. */
static size_t room_for_changes(const measuring *m)
{
    return m->island.body_count + (size_t)1;
}

/* Bytes for this number of patches. */
static size_t room_of(const measuring *m, uint32_t patches)
{
    return ashi_patches_room(ashi_patches_places(m->problem, &m->island), patches) +
           room_for_changes(m) * sizeof *m->change + m->row_count * sizeof *m->kept;
}

/* Places everything in memory of that size. */
static void lay_out(measuring *m, const ashi_law *law, uint32_t patches, void *work)
{
    uint32_t places = ashi_patches_places(m->problem, &m->island);
    m->law = law;
    m->change = work; /* first, where memory is best aligned; then patches */
    char *next = (char *)(m->change + room_for_changes(m));
    m->patches = ashi_patches_in(next, places, patches);
    m->kept = (kept_row *)(void *)(next + ashi_patches_room(places, patches));
    m->found = (ashi_judgement){.largest2 = -1, .worst = UINT32_MAX};
}

size_t ashi_yardstick_room(const ashi_system *problem, const ash_problem_island *island)
{
    measuring m = measuring_of(problem, island);
    return room_of(&m, ashi_patches_most(problem, &m.island));
}

ashi_measuring ashi_yardstick_begin(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                                    void *work)
{
    measuring m = measuring_of(problem, island);
    lay_out(&m, law, ashi_patches_most(problem, &m.island), work);
    return m;
}

bool ashi_yardstick_take(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                         ashi_arena *scratch, ashi_measuring *m)
{
    *m = measuring_of(problem, island);
    uint32_t patches = ashi_patches_most(problem, &m->island);
    void *work = ashi_arena_take(scratch, room_of(m, patches));
    if (work != NULL)
        lay_out(m, law, patches, work);
    return work != NULL;
}

/* ---- the first pass ---- */

/* The change of a body, or the one that all other bodies share. */
static ashi_wide_motion *change_of(const measuring *m, uint32_t body)
{
    uint32_t place = body - m->island.first_body; /* wraps around for bodies before the island */
    return &m->change[place < m->island.body_count ? place : m->island.body_count];
}

static void add_impulse(ashi_wide_motion *sum, ash_vec3 linear, ash_vec3 angular, double impulse)
{
    sum->linear = v3_add_scaled(sum->linear, linear, impulse);
    sum->angular = v3_add_scaled(sum->angular, angular, impulse);
}

static void apply_change(const measuring *m, const ashi_block *block, const ashi_row *row, const ashi_exact_pair *pair)
{
    ashi_wide_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    for (uint32_t i = 0; i < pair->count; i++, row++) {
        double impulse = pair->exact[i] - pair->impulse[i];
        add_impulse(a, row->linear_a, row->angular_a, impulse);
        add_impulse(b, row->linear_b, row->angular_b, impulse);
    }
}

static void keep(const ashi_exact_pair *pair, uint32_t count, bool judged, kept_row *kept)
{
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = (kept_row){0};
        if (judged)
            kept[i] = (kept_row){pair->goal[i] - pair->speed[i], pair->exact[i] - pair->impulse[i], pair->judged[i]};
    }
}

/* Erleben's merit function: H of (37) is lambda - P(lambda - w), P being the clamp between the bounds: friction's
 * follow the normal impulse. */
static double merit_of(const ashi_law *law, const ashi_block *block, const ashi_row *row, const ashi_exact_pair *v)
{
    double target[ASHI_CONTACT_ROWS], sum = 0;
    for (uint32_t i = 0; i < v->count; i++)
        target[i] = row[i].impulse - v->speed[i];
    if (block->kind == ASHI_CONTACT_BLOCK) {
        double bound = block->friction_limit >= 0 ? block->friction_limit : row[0].impulse > 0 ? row[0].impulse : 0;
        target[0] = target[0] > 0 ? target[0] : 0;
        ashi_law_clamp(law, block, bound, target + 1);
    } else {
        for (uint32_t i = 0; i < v->count; i++)
            target[i] = target[i] < row[i].lower ? row[i].lower : target[i] > row[i].upper ? row[i].upper : target[i];
    }
    for (uint32_t i = 0; i < v->count; i++) {
        double h = v->judged[i] ? row[i].impulse - target[i] : 0;
        sum += h * h;
    }
    return sum / 2;
}

static void pair_rows(measuring *m, const ashi_block *block, const ashi_row *rows, kept_row *kept)
{
    ashi_exact_pair pair;
    bool movable = ashi_exact_pair_find(m->problem, m->law, block, rows, &pair);
    keep(&pair, block->row_count, movable, kept);
    if (!movable)
        return;
    apply_change(m, block, rows, &pair);
    m->found.theta += merit_of(m->law, block, rows, &pair);
}

static void pair_block(measuring *m, uint32_t number)
{
    const ashi_block *block = &m->problem->blocks[number];
    pair_rows(m, block, &m->problem->rows[block->first_row], &m->kept[block->first_row - m->first_row]);
}

/* Such points are few: their pairs are recomputed, not stored. */
static void pair_point(measuring *m, const ash_problem_contact *contact, uint32_t number)
{
    kept_row kept[ASHI_CONTACT_ROWS];
    ashi_point_rows point;
    ashi_point_expand(m->problem, contact, number, &point);
    pair_rows(m, &point.block, point.row, kept);
}

/* ---- the second pass ---- */

static bool is_angular(const ashi_row *row)
{
    const ash_vec3 *a = &row->linear_a, *b = &row->linear_b;
    return a->x == 0 && a->y == 0 && a->z == 0 && b->x == 0 && b->y == 0 && b->z == 0;
}

static void add_positive(double value, double *sum, uint32_t *count)
{
    if (value > 0) {
        *sum += value;
        ++*count;
    }
}

/* The radius of gyration of both bodies together; 1 m where none of them can move or none can turn. */
static double length_of(const ashi_system *p, const ashi_block *block)
{
    double mass = 0, inertia = 0;
    uint32_t masses = 0, inertias = 0;
    for (uint32_t k = 0; k < 2; k++) {
        const ash_problem_body *body = &p->bodies[k == 0 ? block->body_a : block->body_b];
        add_positive(body->inverse_mass.x, &mass, &masses);
        add_positive(body->inverse_mass.y, &mass, &masses);
        add_positive(body->inverse_mass.z, &mass, &masses);
        add_positive(body->inverse_inertia.xx, &inertia, &inertias);
        add_positive(body->inverse_inertia.yy, &inertia, &inertias);
        add_positive(body->inverse_inertia.zz, &inertia, &inertias);
    }
    return masses > 0 && inertias > 0 ? sqrt(mass / masses / (inertia / inertias)) : 1;
}

static double change_of_speed(ash_vec3 linear, ash_vec3 angular, const ashi_wide_motion *change)
{
    return v3_dot(linear, change->linear) + v3_dot(angular, change->angular);
}

/* Updates the largest error of rows of one kind, m/s. */
static void count_error(double error, double *largest)
{
    if (!(error <= *largest))
        *largest = error;
}

/* |u' - u(lambda')| or |u' - u(lambda)| of a block, whichever is larger: of the linear rows of a contact together, of
 * other rows one by one. False when there is nothing to judge. */
static bool error_of(const measuring *m, const ashi_block *block, const ashi_row *row, const kept_row *kept,
                     double *error)
{
    const ashi_wide_motion *a = change_of(m, block->body_a), *b = change_of(m, block->body_b);
    uint32_t together = block->kind == ASHI_CONTACT_BLOCK ? 1u + block->tangents : 0;
    double largest = 0, now = 0, then = 0, length = 0;
    bool any = false;
    for (uint32_t i = 0; i < block->row_count; i++, row++) {
        if (!kept[i].judged)
            continue;
        any = true;
        double off = kept[i].off, rest = off - change_of_speed(row->linear_a, row->angular_a, a) -
                                         change_of_speed(row->linear_b, row->angular_b, b) -
                                         row->softness * kept[i].change;
        if (i < together) {
            now += off * off;
            then += rest * rest;
            continue;
        }
        bool angular = is_angular(row);
        if (angular && length == 0)
            length = length_of(m->problem, block);
        count_error((angular ? length : 1) * fabs(off), &largest);
        count_error((angular ? length : 1) * fabs(rest), &largest);
    }
    count_error(sqrt(now), &largest);
    count_error(sqrt(then), &largest);
    *error = largest;
    return any;
}

static void compare_rows(measuring *m, const ashi_block *block, const ashi_row *rows, const kept_row *kept,
                         uint32_t number)
{
    ashi_judgement *judgement = &m->found;
    double error;
    if (!error_of(m, block, rows, kept, &error))
        return;
    double error2 = error * error;
    if (!(error2 <= judgement->largest2)) {
        judgement->largest2 = error2 >= 0 ? error2 : HUGE_VAL; /* NaN is an infinite error */
        judgement->worst = number;
    }
    judgement->sum += error;
    judgement->judged++;
}

static void compare_block(measuring *m, uint32_t number)
{
    const ashi_block *block = &m->problem->blocks[number];
    compare_rows(m, block, &m->problem->rows[block->first_row], &m->kept[block->first_row - m->first_row], number);
}

static void compare_point(measuring *m, const ash_problem_contact *contact, uint32_t number)
{
    kept_row kept[ASHI_CONTACT_ROWS];
    ashi_point_rows point;
    ashi_exact_pair pair;
    ashi_point_expand(m->problem, contact, number, &point);
    bool movable = ashi_exact_pair_find(m->problem, m->law, &point.block, point.row, &pair);
    keep(&pair, point.block.row_count, movable, kept);
    compare_rows(m, &point.block, point.row, kept, m->patches.offset + number);
}

/* ---- both ---- */

/* Judges blocks outside patches, and those in patches that are not judged as such. */
static void judge_other_blocks(measuring *m, void (*judge)(measuring *m, uint32_t block))
{
    const ashi_patches *patches = &m->patches;
    uint32_t block = m->island.first_block, end = block + m->island.block_count;
    if (patches->expanded && patches->judged == m->island.block_count)
        return;
    for (uint32_t i = 0; patches->expanded && i < patches->count; i++) {
        for (; block < patches->list[i].first; block++)
            judge(m, block);
        if (ashi_patch_is_judged(&patches->list[i]))
            block += patches->list[i].count;
    }
    for (; block < end; block++)
        judge(m, block);
}

/* Judges points of contacts outside judged patches. */
static void judge_other_points(measuring *m,
                               void (*judge)(measuring *m, const ash_problem_contact *contact, uint32_t point))
{
    const ashi_patches *patches = &m->patches;
    uint32_t next = 0;
    if (patches->expanded || patches->judged == m->island.point_count)
        return;
    for (uint32_t c = m->island.first_contact; c < m->island.first_contact + m->island.contact_count; c++) {
        const ash_problem_contact *contact = &m->problem->contacts[c];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            while (next < patches->count && patches->list[next].first + patches->list[next].count <= k)
                next++;
            bool within = next < patches->count && patches->list[next].first <= k;
            if (!within || !ashi_patch_is_judged(&patches->list[next]))
                judge(m, contact, k);
        }
    }
}

uint32_t ashi_yardstick_end(ashi_measuring *m, ash_yardstick *yardstick)
{
    const ashi_judgement *found = &m->found;
    memset(m->change, 0, room_for_changes(m) * sizeof *m->change);
    ashi_patches_pair(&m->patches, m->problem, m->change, &m->found);
    judge_other_blocks(m, pair_block);
    judge_other_points(m, pair_point);
    m->change[m->island.body_count] = (ashi_wide_motion){0}; /* bodies without an island do not move */
    ashi_patches_let_move(&m->patches, m->problem, &m->island, m->change);
    ashi_patches_compare(&m->patches, m->change, &m->found);
    judge_other_blocks(m, compare_block);
    judge_other_points(m, compare_point);
    *yardstick = (ash_yardstick){.largest = found->judged > 0 ? sqrt(found->largest2) : 0,
                                 .mean = found->judged == 0 ? 0
                                         : found->sum >= 0  ? found->sum / found->judged
                                                            : HUGE_VAL,
                                 .worst_block = found->worst,
                                 .theta = found->theta};
    return found->judged;
}

/* ---- from the problem alone ---- */

/* The sum of the diagonal of a point's J M^-1 J^T. */
static double response_of(const ashi_system *p, const ashi_block *block, const ashi_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < block->row_count; i++)
        sum += ashi_row_response(p, block, &row[i], &row[i]);
    return sum;
}

static void read_point(const measuring *m, const ashi_block *block, const ashi_row *row, ashi_point_lane at,
                       ash_vec3 *impulse)
{
    at.points->response[at.lane] = response_of(m->problem, block, row);
    *impulse = v3(row[0].impulse, row[1].impulse, m->problem->planar ? 0 : row[2].impulse);
}

void ashi_yardstick_read(ashi_measuring *m)
{
    ashi_patches *patches = &m->patches;
    const ashi_system *p = m->problem;
    ashi_patches_find(patches, p, &m->island, m->law);
    uint32_t contact = m->island.first_contact;
    for (uint32_t i = 0; i < patches->count; i++)
        for (uint32_t k = 0; k < patches->list[i].count; k++) {
            uint32_t number = patches->list[i].first + k;
            ashi_point_lane at = ashi_patch_point_at(patches, i, k);
            ash_vec3 *impulse = &patches->impulses[number - patches->first].impulse;
            if (patches->expanded) {
                read_point(m, &p->blocks[number], &p->rows[p->blocks[number].first_row], at, impulse);
                continue;
            }
            while (number >= p->contacts[contact].first_point + p->contacts[contact].point_count)
                contact++;
            ashi_point_rows point;
            ashi_point_expand(p, &p->contacts[contact], number, &point);
            read_point(m, &point.block, point.row, at, impulse);
        }
}

void ashi_yardstick_measure(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                            void *work, ash_yardstick *yardstick)
{
    ashi_measuring m = ashi_yardstick_begin(problem, island, law, work);
    ashi_yardstick_read(&m);
    ashi_yardstick_end(&m, yardstick);
}
