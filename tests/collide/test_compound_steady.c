/* Compounds that tremble: what a part of them chose among equals is chosen again in the next step. Contacts are kept in
 * sets, as in a world, and each step sees those of the last. */
#include "surfaces.h"

#include "collide/contact_set.h"
#include "shape/geometry.h"

enum { STEPS = 40 + TRIALS(160) };

#define MARGIN  0.01
#define TREMBLE 1e-7 /* m, and rad */

static ash_geometry *make_compound(ash_geometry_part *parts, uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = count;
    ash_geometry *compound = make(&def);
    for (uint32_t i = 0; i < count; i++)
        ash_geometry_release((ash_geometry *)parts[i].geometry);
    return compound;
}

/* A prism over a regular polygon with eight corners. */
static ash_geometry *make_prism(double radius, double half)
{
    ash_vec3 points[16];
    for (uint32_t i = 0; i < 16; i++) {
        ash_vec3 corner = q_rotate(q_exp(v3(0, 0, i / 2 * ASHI_PI / 4)), v3(radius, 0, 0));
        points[i] = v3(corner.x, corner.y, i % 2 == 0 ? half : -half);
    }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = 16;
    return make(&def);
}

static ash_geometry *make_cylinder(double radius, double height)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    def.radius = radius;
    def.height = height;
    return make(&def);
}

/* A top on three feet whose soles lie at z = 0: a prism, a cylinder and a box. */
static ash_geometry *make_stool(void)
{
    ash_geometry_part parts[4] = {{make_box(0.5, 0.4, 0.05), at(0, 0, 0.45)},
                                  {make_prism(0.1, 0.2), at(-0.35, 0.1, 0.2)},
                                  {make_cylinder(0.12, 0.4), at(0.3, 0.25, 0.2)},
                                  {make_box(0.1, 0.08, 0.2), {v3(0.3, -0.25, 0.2), q_exp(v3(0, 0, ASHI_PI / 4))}}};
    return make_compound(parts, 4);
}

/* The same as the part of another compound, beside a ball. */
static ash_geometry *make_nested_stool(void)
{
    ash_geometry_part parts[2] = {{make_sphere(0.1), at(0, 0, 1)}, {make_stool(), at(0, 0, 0)}};
    return make_compound(parts, 2);
}

/* Nine slabs with their tops at z = 0, each a prism. */
static ash_geometry *make_paving(void)
{
    ash_geometry_part parts[9];
    for (int i = 0; i < 9; i++)
        parts[i] = (ash_geometry_part){make_prism(0.34, 0.1), at(0.6 * (i % 3 - 1), 0.6 * (i / 3 - 1), -0.1)};
    return make_compound(parts, 9);
}

/* Four slabs of a mesh each. */
static ash_geometry *make_mesh_paving(void)
{
    ash_geometry_part parts[4];
    for (int i = 0; i < 4; i++)
        parts[i] = (ash_geometry_part){make_mesh_box(3, 0.5, 0.5, 0.1), at(i % 2 - 0.45, i / 2 - 0.46, -0.1)};
    return make_compound(parts, 4);
}

static ash_geometry *make_flat_box(double half_x, double half_y)
{
    ash_vec3 points[4] = {v3(-half_x, -half_y, 0), v3(half_x, -half_y, 0), v3(half_x, half_y, 0),
                          v3(-half_x, half_y, 0)};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = points;
    def.point_count = 4;
    return make(&def);
}

/* Flat: two feet under a bar, soles at y = 0; turned over it is a pair of piers. */
static ash_geometry *make_bridge(double foot)
{
    ash_geometry_part parts[3] = {{make_flat_box(0.5, 0.05), at(0, 0.45, 0)},
                                  {make_flat_box(foot, 0.2), at(-0.3, 0.2, 0)},
                                  {make_flat_box(foot, 0.2), at(0.3, 0.2, 0)}};
    return make_compound(parts, 3);
}

static void swap(ashi_contact_set *one, ashi_contact_set *other)
{
    ashi_contact_set swapped = *one;
    *one = *other;
    *other = swapped;
}

/* The contacts of a pair in a new pose, as a step of a world finds them. */
static void step(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ashi_contact_set *now,
                 ashi_contact_set *before)
{
    ashi_manifolds found = {0};
    ashi_contact_draft draft = {0};
    ashi_contact_pair *last = before->pairs.count > 0 ? before->pairs.data : NULL;
    ashi_contact_pair pair = {.a = 1, .b = 2, .old = ASHI_NO_PAIR};
    if (last != NULL) {
        pair = *last;
        pair.old = 0;
    }
    pair.b_in_a = b_in_a;
    ashi_pair_cache cache = {0}; /* compounds remember by their contacts */
    ashi_pair question = {.a = a, .b = b, .b_in_a = b_in_a, .margin = MARGIN, .cache = &cache};
    if (last != NULL)
        question.last = ashi_contact_set_last(before, last);
    assert_true(ashi_collide(&question, &found));
    assert_true(ashi_contact_draft_add(&draft, found.data, found.count, &pair));
    ashi_contact_set_clear(now);
    assert_true(ashi_contact_set_reserve(now, pair.contact_count, pair.point_count) && ashi_array_extend(&now->pairs));
    now->pairs.data[0] = pair;
    now->contacts.count = pair.contact_count;
    now->points.count = pair.point_count;
    ashi_contact_cursor place = {0, 0};
    ashi_contact_set_match(now, 0, &place, &draft, 0, before, 0);
    ashi_array_release(&found);
    ashi_contact_draft_release(&draft);
}

/* How many points of a set have no like in the other: of the same parts and feature. */
static uint32_t strangers(const ashi_contact_set *set, const ashi_contact_set *other)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->contacts.count; i++) {
        const ashi_contact_record *c = &set->contacts.data[i];
        for (uint32_t k = c->first_point; k < c->first_point + c->point_count; k++) {
            bool found = false;
            for (uint32_t n = 0; n < other->contacts.count && !found; n++) {
                const ashi_contact_record *d = &other->contacts.data[n];
                for (uint32_t p = d->first_point; p < d->first_point + d->point_count; p++)
                    found |= d->part_a == c->part_a && d->part_b == c->part_b &&
                             other->points.data[p].feature == set->points.data[k].feature;
            }
            count += !found;
        }
    }
    return count;
}

/* Trembles about a resting place that leans by `lean`: no point of any step is a stranger to the step before, and there
 * are at least `least`. */
static void tremble(const char *name, const ash_geometry *body, const ash_geometry *ground, bool flat, uint32_t least,
                    double lean)
{
    ashi_contact_set now = {0}, before = {0};
    ashi_random random = {17};
    uint32_t changes = 0, points = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        ash_vec3 shift = v3_scale(random_direction(&random), TREMBLE),
                 turn = v3_scale(random_direction(&random), TREMBLE);
        ash_transform pose = {v3(shift.x + 0.05, shift.y, shift.z - 0.001),
                              q_exp(v3(turn.x + lean, turn.y - 0.7 * lean, turn.z))};
        if (flat)
            pose = (ash_transform){v3(shift.x, shift.y - 0.001, 0), q_exp(v3(0, 0, turn.z + lean))};
        /* The ground first, as in a world that was made from it. */
        step(ground, body, pose, &now, &before);
        points += now.points.count;
        if (i > 0)
            changes += strangers(&now, &before) + strangers(&before, &now);
        for (uint32_t k = 0; k < now.points.count && i > 0; k++)
            changes += now.points.data[k].age != i;
        swap(&now, &before);
    }
    assert_true(points >= STEPS * least);
    if (changes > 0)
        fail_msg("%s, leaning by %g: %u points came or went", name, lean, changes);
    ashi_contact_set_release(&now);
    ashi_contact_set_release(&before);
}

/* Leaning so that points are as deep as the deepest but for about what counts as equal. */
static const double leans[] = {0, 3e-7, 1e-6, 1.1e-6, 2e-6, 1e-5};
enum { LEANS = sizeof leans / sizeof *leans };

static void solid_ones_keep_their_points(void **state)
{
    (void)state;
    ash_geometry *stools[2] = {make_stool(), make_nested_stool()};
    ash_geometry_part slab = {make_box(1, 1, 0.5), at(0, 0, -0.5)},
                      mesh = {make_mesh_box(7, 1, 1, 0.5), at(0, 0, -0.5)};
    ash_geometry *grounds[5] = {make_plane(), make_compound(&slab, 1), make_compound(&mesh, 1), make_paving(),
                                make_mesh_paving()};
    static const char *const names[5] = {"on a plane", "on a box", "on a mesh", "on slabs", "on slabs of meshes"};
    for (int g = 0; g < 5; g++)
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < LEANS; k++)
                tremble(names[g], stools[s], grounds[g], false, 9, leans[k]);
    for (int i = 0; i < 5; i++)
        ash_geometry_release(grounds[i]);
    ash_geometry_release(stools[0]);
    ash_geometry_release(stools[1]);
}

/* Feet on piers of their own width, where the two faces that meet are equal, and on the corner of a block, where the
 * way out to the side is as short as that upward. */
static void flat_ones_keep_their_points(void **state)
{
    (void)state;
    ash_geometry *bridge = make_bridge(0.1);
    ash_geometry_part piers[2] = {{make_flat_box(0.1, 0.2), at(-0.3, -0.2, 0)},
                                  {make_flat_box(0.1, 0.2), at(0.3, -0.2, 0)}};
    ash_geometry *ground = make_compound(piers, 2), *bar = make_flat_box(0.6, 0.2);
    ash_geometry_part part = {bar, at(0, -0.2, 0)};
    ash_geometry *floor = make_compound(&part, 1);
    ash_geometry_part corner = {make_flat_box(0.2, 0.2), at(-0.59, -0.191, 0)};
    ash_geometry *block = make_compound(&corner, 1);
    for (int k = 0; k < LEANS; k++) {
        tremble("on piers", bridge, ground, true, 4, leans[k]);
        tremble("on a bar", bridge, floor, true, 4, leans[k]);
        tremble("on a corner", bridge, block, true, 1, leans[k]);
    }
    ash_geometry_release(bridge);
    ash_geometry_release(ground);
    ash_geometry_release(floor);
    ash_geometry_release(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solid_ones_keep_their_points),
        cmocka_unit_test(flat_ones_keep_their_points),
    };
    return cmocka_run_group_tests_name("collide/compound_steady", tests, NULL, NULL);
}
