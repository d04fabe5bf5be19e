/* Finding patches among the points of contacts. */
#include "problem/patch.h"

#define AHEAD 8 /* contacts or blocks whose second body is prefetched: first bodies are in order */

/* The last patch is read as if it had four points, even if it starts after the last one (fill_four). */
static size_t room_for_points(uint32_t points)
{
    return points + (size_t)ASHI_PATCH_POINTS;
}

static size_t room_for_fours(uint32_t patches)
{
    return ((size_t)patches + ASHI_PATCHES - 1) / ASHI_PATCHES;
}

size_t ashi_patches_room(uint32_t points, uint32_t patches)
{
    return room_for_fours(patches) * (sizeof(ashi_four_patches) + ASHI_PATCHES * sizeof(ashi_patch)) +
           room_for_points(points) * (sizeof(ashi_patch_impulse) + sizeof(double));
}

/* Arrays read in fours come first, where memory is best aligned. */
ashi_patches ashi_patches_in(void *memory, uint32_t points, uint32_t patches)
{
    ashi_patches p = {.fours = memory};
    p.impulses = (ashi_patch_impulse *)(void *)(p.fours + room_for_fours(patches));
    p.list = (ashi_patch *)(void *)(p.impulses + room_for_points(points));
    p.softness = (double *)(void *)(p.list + ASHI_PATCHES * room_for_fours(patches));
    return p;
}

/* ---- which points ---- */

/* Whether an impulse at any point and in any direction changes something. */
static bool moves(const ashi_system *p, uint32_t body_a, uint32_t body_b)
{
    ash_vec3 sum = v3_add(p->bodies[body_a].inverse_mass, p->bodies[body_b].inverse_mass);
    return sum.x > 0 && sum.y > 0 && (p->planar || sum.z > 0);
}

/* Whether a contact has friction in all directions and no other resistance. */
static bool suits(const ashi_system *p, const ash_problem_contact *contact)
{
    return contact->tangents == (p->planar ? 1 : 2) && contact->rollings == 0 && contact->spins == 0 &&
           moves(p, contact->body_a, contact->body_b);
}

/* The number of points from this one on, at most `most`, that form a patch; 0: none. The solvers' frame changes
 * coefficients of friction when contacts start to slip. */
static uint32_t count_points(const ash_problem_point *point, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && count < ASHI_PATCH_POINTS && point[count].friction_limit < 0 &&
           point[count].friction == point->friction)
        count++;
    return count;
}

/* Whether the tangents of a point that is written out are still rigid. */
static bool is_rigid(const ashi_system *p, const ashi_block *block)
{
    const ashi_row *row = &p->rows[block->first_row];
    return row[1].softness == 0 && row[block->row_count - 1].softness == 0;
}

/* The same for blocks that are points written out. */
static uint32_t count_blocks(const ashi_system *p, const ashi_block *block, uint32_t most)
{
    uint32_t count = 0;
    while (count < most && count < ASHI_PATCH_POINTS && block[count].kind == ASHI_CONTACT_BLOCK &&
           block[count].point != UINT32_MAX && !block[count].bent && block[count].contact == block->contact &&
           block[count].tangents > 0 && block[count].friction_limit < 0 && block[count].friction == block->friction &&
           is_rigid(p, &block[count]))
        count++;
    return count;
}

uint32_t ashi_patches_most(const ashi_system *p, const ash_problem_island *island)
{
    uint32_t sum = 0;
    if (p->expanded)
        return island->block_count;
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        const ash_problem_point *point = &p->points[contact->first_point];
        for (uint32_t k = 0, count; k<contact->point_count; k += count> 0 ? count : 1, sum++)
            count = count_points(&point[k], contact->point_count - k);
    }
    return sum;
}

/* ---- data of patches ---- */

/* Points outside patches are set to zero: they may be read, but do not count. */
static void clear_points(ashi_patches *patches, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        patches->impulses[i] = (ashi_patch_impulse){0};
        patches->softness[i] = 0;
    }
}

/* The contact's point by its number among those that are judged. */
static const ash_problem_point *point_of(const ashi_patches *patches, const ashi_system *p, uint32_t number)
{
    return &p->points[patches->expanded ? p->blocks[number].point : number];
}

static void find_points(ashi_patches *patches, const ashi_system *p, uint32_t number)
{
    const ashi_patch *patch = &patches->list[number];
    for (uint32_t k = 0; k < patch->count; k++) {
        uint32_t of = patch->first + k;
        const ash_problem_point *point = point_of(patches, p, of);
        const ashi_row *row = patches->expanded ? &p->rows[p->blocks[of].first_row] : NULL;
        ash_vec3 arm = ashi_patch_along_axes(patch, point->arm_b);
        ashi_point_lane at = ashi_patch_point_at(patches, number, k);
        at.points->arm[0][at.lane] = arm.x;
        at.points->arm[1][at.lane] = arm.y;
        at.points->arm[2][at.lane] = arm.z;
        patches->impulses[of - patches->first].bias = row != NULL ? row->bias : point->bias;
        patches->softness[of - patches->first] = row != NULL ? row->softness : point->softness;
    }
}

static void add_patch(ashi_patches *patches, const ashi_system *p, const ash_problem_contact *contact, uint32_t first,
                      uint32_t count)
{
    const ash_problem_point *point = point_of(patches, p, first);
    ashi_patch *patch = &patches->list[patches->count++];
    *patch = (ashi_patch){.body_a = contact->body_a,
                          .body_b = contact->body_b,
                          .first = first,
                          .count = count,
                          .normal = contact->normal,
                          .friction = patches->expanded ? p->blocks[first].friction : point->friction,
                          .tangent = contact->tangent[0],
                          .bias = contact->slide[0],
                          .other = contact->tangent[1],
                          .other_bias = p->planar ? 0 : contact->slide[1],
                          .distance = v3_sub(point->arm_a, point->arm_b)};
    if (patches->expanded) { /* layers have their own bodies */
        patch->body_a = p->blocks[first].body_a;
        patch->body_b = p->blocks[first].body_b;
    }
    find_points(patches, p, patches->count - 1);
    patches->judged += ashi_patch_is_judged(patch) ? count : 0;
}

/* Completes the last four: points of the last patch are distributed over the free lanes, to be judged there. */
static void fill_four(ashi_patches *patches, const ashi_system *p)
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
        last[i].first += before;
        last[i].count = left < most ? left : most;
    }
    find_points(patches, p, patches->count - 1);
}

/* ---- further data for judging ---- */

/* The place of a body's motion, or of the motion of all others. */
static uint32_t motion_of(const ash_problem_island *island, uint32_t body)
{
    const uint32_t numbers = sizeof(ashi_wide_motion) / sizeof(double);
    uint32_t place = body - island->first_body; /* wraps around for bodies before the first */
    return (place < island->body_count ? place : island->body_count) * numbers;
}

static bool is_soft(const ashi_patches *patches, const ashi_patch *patch)
{
    const double *softness = &patches->softness[patch->first - patches->first];
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

static void find_in_blocks(ashi_patches *patches, const ashi_system *p, const ash_problem_island *island)
{
    uint32_t blocks = island->block_count;
    const ashi_block *block = blocks > 0 ? &p->blocks[island->first_block] : NULL;
    for (uint32_t k = 0, count; k<blocks; k += count> 0 ? count : 1) {
        if (k + AHEAD < blocks)
            __builtin_prefetch(&p->bodies[block[k + AHEAD].body_b]);
        count = count_blocks(p, &block[k], blocks - k);
        if (count > 0 && suits(p, &p->contacts[block[k].contact]) && moves(p, block[k].body_a, block[k].body_b)) {
            add_patch(patches, p, &p->contacts[block[k].contact], island->first_block + k, count);
        } else {
            clear_points(patches, k, 1);
            count = 1;
        }
    }
}

static void find_in_contacts(ashi_patches *patches, const ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t c = island->first_contact, end = c + island->contact_count; c < end; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        if (c + AHEAD < end)
            __builtin_prefetch(&p->bodies[contact[AHEAD].body_b]);
        bool suitable = suits(p, contact);
        for (uint32_t k = 0, count; k<contact->point_count; k += count> 0 ? count : 1) {
            uint32_t first = contact->first_point + k;
            count = suitable ? count_points(&p->points[first], contact->point_count - k) : 0;
            if (count > 0)
                add_patch(patches, p, contact, first, count);
            else
                clear_points(patches, first - patches->first, 1);
        }
    }
}

void ashi_patches_find(ashi_patches *patches, const ashi_system *problem, const ash_problem_island *island,
                       const ashi_law *law)
{
    const ash_problem_island whole = ashi_system_whole(problem);
    island = island != NULL ? island : &whole;
    patches->expanded = problem->expanded;
    patches->first = problem->expanded ? island->first_block : island->first_point;
    patches->offset = problem->expanded ? 0 : problem->block_count;
    patches->count = patches->judged = 0;
    patches->last_most = ASHI_PATCH_POINTS;
    if (law->law != ASH_FRICTION_CONE)
        return;
    if (problem->expanded)
        find_in_blocks(patches, problem, island);
    else
        find_in_contacts(patches, problem, island);
    clear_points(patches, ashi_patches_places(problem, island), ASHI_PATCH_POINTS);
    fill_four(patches, problem);
    for (uint32_t i = 0; ASHI_PATCHES * i < patches->count; i++)
        prepare_four(patches, i, island);
}
