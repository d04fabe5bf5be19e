/* Contacts by their rows: what the rows are, that nothing is lost on the way there and back, and contacts in any order.
 */
#include "problem/problems.h"

#include "base/random.h"
#include "math/quad.h"

#include <string.h>

enum { NAMES = 6 };
static const char *const names[NAMES] = {"stack", "rolling", "sliding", "planar", "chain", "immovable-pair"};

static void assert_vector(ash_vec3 found, ash_vec3 expected)
{
    assert_below(v3_norm(v3_sub(found, expected)), 1e-15 * (1 + v3_norm(expected)));
}

/* A row along an axis at a point, or about it. */
static void check_row(const ashi_row *row, ash_vec3 axis, const ash_problem_point *at)
{
    assert_vector(row->linear_b, at != NULL ? axis : v3(0, 0, 0));
    assert_vector(row->linear_a, at != NULL ? v3_neg(axis) : v3(0, 0, 0));
    assert_vector(row->angular_b, at != NULL ? v3_cross(at->arm_b, axis) : axis);
    assert_vector(row->angular_a, v3_neg(at != NULL ? v3_cross(at->arm_a, axis) : axis));
}

static void check_block(const ashi_system *p, const ashi_block *block)
{
    const ash_problem_contact *contact = &p->contacts[block->contact];
    const ash_problem_point *point = &p->points[block->point];
    const ashi_row *row = &p->rows[block->first_row];
    const ash_vec3 rolling[2] = {p->planar ? v3(0, 0, 1) : contact->tangent[0], contact->tangent[1]};
    assert_true(block->point - contact->first_point < contact->point_count);
    assert_int_equal(block->row_count, 1 + contact->tangents + contact->rollings + contact->spins);
    assert_true(row->lower == 0 && isinf(row->upper) && row->bias == point->bias && row->error == point->gap);
    assert_true(row->softness == point->softness && block->friction == point->friction);
    check_row(row, contact->normal, point);
    for (int i = 0; i < contact->tangents; i++) {
        check_row(&row[1 + i], contact->tangent[i], point);
        assert_true(row[1 + i].bias == contact->slide[i]);
    }
    for (int i = 0; i < contact->rollings; i++)
        check_row(&row[1 + contact->tangents + i], rolling[i], NULL);
    if (contact->spins > 0)
        check_row(&row[block->row_count - 1], contact->normal, NULL);
}

/* In each island they follow the other blocks, in the order of points, one block a point. */
static void rows_are_those_of_points(void **state)
{
    (void)state;
    for (int n = 0; n < NAMES; n++) {
        ashi_system made = contacts_named(names[n]), p = {0};
        assert_true(ashi_system_expand(&p, &made));
        assert_int_equal(p.block_count, made.block_count + made.point_count);
        uint32_t point = 0;
        for (uint32_t k = 0; k < p.block_count; k++) {
            if (p.blocks[k].kind != ASHI_CONTACT_BLOCK)
                continue;
            assert_int_equal(p.blocks[k].point, point++);
            check_block(&p, &p.blocks[k]);
        }
        assert_int_equal(point, p.point_count);
        for (uint32_t i = 0; i < p.island_count; i++)
            assert_int_equal(p.islands[i].block_count, made.islands[i].block_count + made.islands[i].point_count);
        ashi_system_release(&p);
        ashi_system_release(&made);
    }
}

static void any_machine_has_the_same_bits(void **state)
{
    (void)state;
    for (int n = 0; n < NAMES; n++) {
        ashi_system made = contacts_named(names[n]), wide = {0}, narrow = {0};
        assert_true(ashi_system_copy(&wide, &made) && ashi_system_copy(&narrow, &made));
        for (uint32_t c = 0; c < made.contact_count; c++)
            assert_true(ashi_contact_expand(&wide, c, ashi_machine_is_wide()) &&
                        ashi_contact_expand(&narrow, c, false));
        assert_int_equal(wide.row_count, narrow.row_count);
        assert_memory_equal(wide.rows, narrow.rows, wide.row_count * sizeof *wide.rows);
        ashi_system_release(&made);
        ashi_system_release(&wide);
        ashi_system_release(&narrow);
    }
}

/* What a solver has found in the rows is in the points afterwards, and expanded again in the same rows. */
static void impulses_come_back(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int n = 0; n < NAMES; n++) {
        ashi_system made = contacts_named(names[n]), p = {0}, again = {0};
        assert_true(ashi_system_expand(&p, &made));
        for (uint32_t i = 0; i < p.row_count; i++)
            p.rows[i].impulse = ashi_random_range(&random, -1, 1);
        ashi_system_gather_to(&made, &p);
        assert_true(ashi_system_expand(&again, &made));
        for (uint32_t i = 0; i < p.row_count; i++)
            assert_true(p.rows[i].impulse == again.rows[i].impulse);
        /* and do the same to the bodies */
        ashi_system_velocities(&made, NULL);
        ashi_system_velocities(&again, NULL);
        for (uint32_t i = 0; i < made.body_count; i++)
            assert_vector(made.velocity[i].linear, again.velocity[i].linear);
        ashi_system_release(&p);
        ashi_system_release(&again);
        ashi_system_release(&made);
    }
}

/* The same with bodies and contacts from the last to the first, points and turns in the order of contacts. */
static ash_problem reversed(const ash_problem *p)
{
    ash_problem r = {0};
    assert_int_equal(ash_problem_copy(&r, p, NULL), ASH_OK);
    r.point_count = r.turn_count = 0;
    for (uint32_t i = 0; i < p->body_count; i++)
        r.bodies[i] = p->bodies[p->body_count - 1 - i];
    for (uint32_t k = 0; k < p->block_count; k++) {
        r.blocks[k].body_a = p->body_count - 1 - p->blocks[k].body_a;
        r.blocks[k].body_b = p->body_count - 1 - p->blocks[k].body_b;
    }
    for (uint32_t c = 0; c < p->contact_count; c++) {
        const ash_problem_contact *from = &p->contacts[p->contact_count - 1 - c];
        ash_problem_contact *to = &r.contacts[c];
        *to = *from;
        to->body_a = p->body_count - 1 - from->body_a;
        to->body_b = p->body_count - 1 - from->body_b;
        to->first_point = r.point_count;
        to->first_turn = r.turn_count;
        for (uint32_t k = 0; k < from->point_count; k++) {
            r.points[r.point_count++] = p->points[from->first_point + k];
            if (from->rollings > 0 || from->spins > 0)
                r.turns[r.turn_count++] = v3(p->points[from->first_point + k].label, 0, 0);
        }
    }
    return r;
}

static void contacts_may_stand_in_any_order(void **state)
{
    (void)state;
    for (int n = 0; n < NAMES; n++) {
        ash_problem made = public_named(names[n]);
        for (uint32_t i = 0; i < made.point_count; i++)
            made.points[i].label = i;
        ash_problem p = reversed(&made);
        ash_diagnostic diagnostic;
        if (ash_problem_arrange(&p, &diagnostic) != ASH_OK)
            fail_msg("%s: %s", names[n], diagnostic.message);
        assert_int_equal(p.island_count, made.island_count);
        assert_int_equal(p.point_count, made.point_count);
        for (uint32_t c = 0; c < p.contact_count; c++)
            for (uint32_t k = 0; k < p.contacts[c].point_count; k++) {
                const ash_problem_point *point = &p.points[p.contacts[c].first_point + k];
                const ash_problem_point *was = &made.points[point->label];
                assert_memory_equal(&point->arm_a, &was->arm_a, sizeof was->arm_a);
                if (p.contacts[c].rollings > 0)
                    assert_true(p.turns[p.contacts[c].first_turn + k].x == point->label);
            }
        ash_problem_release(&p);
        ash_problem_release(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_points),
        cmocka_unit_test(any_machine_has_the_same_bits),
        cmocka_unit_test(impulses_come_back),
        cmocka_unit_test(contacts_may_stand_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
