/* Finding patches. An arm is known from the moments of the normal and of a tangent, which are in the rows: with
 * s = n x t, r x n is r_s t - r_t s, and r x t is r_n s - r_s n. */
#include "problem/patch.h"

#define AHEAD 8 /* blocks whose second body is fetched: first ones come in their order */

/* The last patch is read as if it had four points. */
static size_t room_for_points(uint32_t blocks)
{
    return blocks + (size_t)ASHI_PATCH_POINTS - 1;
}

static size_t room_for_fours(uint32_t blocks)
{
    return ((size_t)blocks + ASHI_PATCHES - 1) / ASHI_PATCHES;
}

size_t ashi_patches_room(uint32_t blocks)
{
    return room_for_fours(blocks) * (sizeof(ashi_four_patches) + ASHI_PATCHES * sizeof(ashi_patch)) +
           room_for_points(blocks) * (sizeof(ashi_patch_impulse) + sizeof(double));
}

/* What is read four by four comes first, where memory is best aligned. */
ashi_patches ashi_patches_in(void *memory, uint32_t blocks)
{
    ashi_patches patches = {.fours = memory};
    patches.impulses = (ashi_patch_impulse *)(void *)(patches.fours + room_for_fours(blocks));
    patches.list = (ashi_patch *)(void *)(patches.impulses + room_for_points(blocks));
    patches.softness = (double *)(void *)(patches.list + ASHI_PATCHES * room_for_fours(blocks));
    return patches;
}

/* ---- which blocks ---- */

/* Whether an impulse at any point and in any direction changes something. */
static bool moves(const ash_problem *p, uint32_t body_a, uint32_t body_b)
{
    ash_vec3 sum = v3_add(p->bodies[body_a].inverse_mass, p->bodies[body_b].inverse_mass);
    return sum.x > 0 && sum.y > 0 && (p->planar || sum.z > 0);
}

/* A normal and rigid tangents at a point, under one coefficient of friction. */
static bool suits(const ash_problem *p, const ash_problem_block *block, uint32_t rows)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    return block->at_point && block->kind == ASH_BLOCK_CONTACT && block->row_count == rows &&
           block->tangents == rows - 1 && block->friction_limit < 0 && row[1].softness == 0 &&
           row[rows - 1].softness == 0;
}

/* How many blocks from one on, of at most `most`, are a patch; 0: it is in none. The solvers' frame changes
 * coefficients of friction while contacts give way. */
static uint32_t count_points(const ash_problem *p, const ash_problem_block *block, uint32_t most, uint32_t rows)
{
    uint32_t count = 1;
    if (!suits(p, block, rows) || !moves(p, block->body_a, block->body_b))
        return 0;
    while (count < most && count < ASHI_PATCH_POINTS && block[count].alike &&
           block[count].friction == block->friction && suits(p, &block[count], rows))
        count++;
    return count;
}

/* ---- what they are ---- */

/* Along the normal and the tangents. */
static ash_vec3 arm_of(const ashi_patch *patch, ash_vec3 moment_n, ash_vec3 moment_t)
{
    return v3(v3_dot(patch->other, moment_t), -v3_dot(patch->other, moment_n), v3_dot(patch->tangent, moment_n));
}

/* What is in no patch is nothing: it may be read, but does not count. */
static void clear_points(ashi_patches *patches, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        patches->impulses[i] = (ashi_patch_impulse){0};
        patches->softness[i] = 0;
    }
}

static void find_points(ashi_patches *patches, const ash_problem *p, uint32_t number)
{
    const ashi_patch *patch = &patches->list[number];
    for (uint32_t k = 0; k < patch->count; k++) {
        uint32_t block = patch->first_block + k;
        const ash_problem_row *row = &p->rows[p->blocks[block].first_row];
        ash_vec3 arm = arm_of(patch, row[0].angular_b, row[1].angular_b);
        ashi_point_place at = ashi_patch_point_at(patches, number, k);
        at.points->arm[0][at.lane] = arm.x;
        at.points->arm[1][at.lane] = arm.y;
        at.points->arm[2][at.lane] = arm.z;
        patches->impulses[block - patches->first_block].bias = row[0].bias;
        patches->softness[block - patches->first_block] = row[0].softness;
    }
}

static void add_patch(ashi_patches *patches, const ash_problem *p, uint32_t number, uint32_t count)
{
    const ash_problem_block *block = &p->blocks[number];
    const ash_problem_row *row = &p->rows[block->first_row];
    ashi_patch *patch = &patches->list[patches->count++];
    patch->body_a = block->body_a;
    patch->body_b = block->body_b;
    patch->first_block = number;
    patch->count = count;
    patch->normal = row[0].linear_b;
    patch->friction = block->friction;
    patch->tangent = row[1].linear_b;
    patch->bias = row[1].bias;
    patch->other = p->planar ? v3_cross(patch->normal, patch->tangent) : row[2].linear_b;
    patch->other_bias = p->planar ? 0 : row[2].bias;
    find_points(patches, p, patches->count - 1);
    /* a is pushed the other way than b: its moments are minus those of its arm */
    ash_vec3 minus_a = arm_of(patch, row[0].angular_a, row[1].angular_a);
    ash_vec3 arm = ashi_patch_arm_at(ashi_patch_point_at(patches, patches->count - 1, 0));
    patch->distance = ashi_patch_in_world(patch, v3_neg(v3_add(minus_a, arm)));
    patch->beside = 0;
    patches->judged += ashi_patch_is_judged(patch) ? count : 0;
}

/* The last four are made whole: points of the last patch are spread over what is left, to be judged there. */
static void fill_four(ashi_patches *patches, const ash_problem *p)
{
    if (patches->count == 0)
        return;
    ashi_patch *last = &patches->list[patches->count - 1];
    uint32_t lanes = 1 + (ASHI_PATCHES - patches->count % ASHI_PATCHES) % ASHI_PATCHES;
    uint32_t most = (last->count + lanes - 1) / lanes;
    patches->last_most = most;
    for (uint32_t i = 1; i < lanes; i++) {
        uint32_t before = most * i < last->count ? most * i : last->count, left = last->count - before;
        last[i] = *last;
        last[i].first_block += before;
        last[i].count = left < most ? left : most;
    }
    find_points(patches, p, patches->count - 1);
}

/* ---- what judging needs beside ---- */

/* Where a body's motion is, or that of all others. */
static uint32_t motion_of(const ash_problem_island *island, uint32_t body)
{
    const uint32_t numbers = sizeof(ashi_wide_motion) / sizeof(double);
    uint32_t place = body - island->first_body; /* wraps around for bodies before the first */
    return (place < island->body_count ? place : island->body_count) * numbers;
}

static bool is_soft(const ashi_patches *patches, const ashi_patch *patch)
{
    const double *softness = &patches->softness[patch->first_block - patches->first_block];
    bool soft = false;
    for (uint32_t k = 0; k < patch->count; k++)
        soft = soft || softness[k] != 0;
    return soft;
}

static void prepare_four(const ashi_patches *patches, uint32_t number, const ash_problem_island *island)
{
    const ashi_patch *four = &patches->list[ASHI_PATCHES * number];
    ashi_four_patches *judged = &patches->fours[number];
    judged->most = 0;
    judged->plain = true;
    for (uint32_t i = 0; i < ASHI_PATCHES; i++) {
        uint32_t count = ASHI_PATCHES * number + i + 1 == patches->count ? patches->last_most : four[i].count;
        count = ashi_patch_is_judged(&four[i]) ? count : 0;
        judged->count[i] = count;
        judged->most = judged->most > count ? judged->most : count;
        judged->motion_a[i] = motion_of(island, four[i].body_a);
        judged->motion_b[i] = motion_of(island, four[i].body_b);
        judged->plain = judged->plain && judged->count[i] == judged->count[0] && !is_soft(patches, &four[i]);
    }
}

void ashi_patches_find(ashi_patches *patches, const ash_problem *problem, const ash_problem_island *island,
                       const ashi_law *law)
{
    const ash_problem_island whole = {0, problem->body_count, 0, problem->block_count};
    island = island != NULL ? island : &whole;
    uint32_t rows = problem->planar ? 2 : 3, first = island->first_block, blocks = island->block_count;
    bool round = law->law == ASH_FRICTION_CONE;
    patches->count = patches->judged = 0;
    patches->last_most = ASHI_PATCH_POINTS;
    patches->first_block = first;
    for (uint32_t k = 0, count; k<blocks; k += count> 0 ? count : 1) {
        if (k + AHEAD < blocks)
            __builtin_prefetch(&problem->bodies[problem->blocks[first + k + AHEAD].body_b]);
        count = round ? count_points(problem, &problem->blocks[first + k], blocks - k, rows) : 0;
        if (count > 0)
            add_patch(patches, problem, first + k, count);
        else
            clear_points(patches, k, 1);
    }
    clear_points(patches, blocks, ASHI_PATCH_POINTS - 1);
    fill_four(patches, problem);
    for (uint32_t i = 0; ASHI_PATCHES * i < patches->count; i++)
        prepare_four(patches, i, island);
}
