/* Validity: every stored problem passes; each field, made wrong alone, is found and named. */
#include "problem/problems.h"

#include "base/random.h"
#include "problem/valid.h"

#include <string.h>

static void every_stored_problem_is_valid(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        const char *name = ashi_named_problem_get(n)->name;
        ash_problem p = public_named(name);
        ash_diagnostic diagnostic;
        if (!ashi_problem_is_valid(&p, &diagnostic))
            fail_msg("%s: %s", name, diagnostic.message);
        ash_problem_release(&p);
    }
}

static void an_empty_problem_is_valid(void **state)
{
    (void)state;
    ash_problem p = {0}; /* a step of no length is an impact at an instant */
    assert_true(ashi_problem_is_valid(&p, NULL));
    p.h = -1;
    assert_false(ashi_problem_is_valid(&p, NULL));
}

/* Expects the fault to be found at that place. */
static void expect(const ash_problem *p, const char *path)
{
    ash_diagnostic diagnostic;
    if (ashi_problem_is_valid(p, &diagnostic))
        fail_msg("%s was not found", path);
    assert_string_equal(diagnostic.path, path);
    assert_int_equal(diagnostic.status, ASH_BAD_DATA);
    assert_true(diagnostic.message[0] != '\0' && diagnostic.expected[0] != '\0');
}

/* Sets a double, expects the fault, puts the old value back. */
static void spoil(const ash_problem *p, double *field, double value, const char *path)
{
    double old = *field;
    *field = value;
    expect(p, path);
    *field = old;
}

static void spoil_count(const ash_problem *p, uint32_t *field, uint32_t value, const char *path)
{
    uint32_t old = *field;
    *field = value;
    expect(p, path);
    *field = old;
}

static void each_number_of_a_body_is_looked_at(void **state)
{
    (void)state;
    ash_problem p = public_named("chain");
    ash_problem_body *body = &p.bodies[3];
    spoil(&p, &body->inverse_mass.x, -1, "/bodies/3/inverse_mass");
    spoil(&p, &body->inverse_mass.y, NAN, "/bodies/3/inverse_mass");
    spoil(&p, &body->inverse_mass.z, INFINITY, "/bodies/3/inverse_mass");
    spoil(&p, &body->inverse_inertia.xx, -1, "/bodies/3/inverse_inertia");
    spoil(&p, &body->inverse_inertia.yz, NAN, "/bodies/3/inverse_inertia");
    spoil(&p, &body->inverse_inertia.xy, 1e9, "/bodies/3/inverse_inertia");
    spoil(&p, &body->velocity.x, NAN, "/bodies/3/velocity");
    spoil(&p, &body->spin.y, INFINITY, "/bodies/3/spin");
    spoil(&p, &body->start_velocity.z, NAN, "/bodies/3/start_velocity");
    spoil(&p, &body->start_spin.z, -INFINITY, "/bodies/3/start_spin");
    spoil(&p, &p.bodies[0].inverse_mass.x, 1, "/bodies/0/inverse_mass");
    ash_problem_body movable = *body;
    body->inverse_mass = (ash_vec3){0};
    body->inverse_inertia = (ash_sym3){0};
    expect(&p, "/bodies/3/inverse_mass");
    *body = movable;
    assert_true(ashi_problem_is_valid(&p, NULL));
    ash_problem_release(&p);
}

static void each_number_of_a_contact_is_looked_at(void **state)
{
    (void)state;
    ash_problem p = public_named("rolling");
    ash_problem_contact *contact = &p.contacts[2];
    spoil_count(&p, &contact->body_a, p.body_count, "/contacts/2/body_a");
    spoil_count(&p, &contact->body_b, UINT32_MAX, "/contacts/2/body_b");
    spoil_count(&p, &contact->body_a, contact->body_b, "/contacts/2/body_b");
    spoil_count(&p, &contact->first_point, 0, "/contacts/2/first_point");
    spoil_count(&p, &contact->point_count, 0, "/contacts/2/point_count");
    spoil_count(&p, &contact->point_count, UINT32_MAX, "/contacts/2/point_count");
    spoil_count(&p, &contact->first_turn, 0, "/contacts/2/first_turn");
    spoil(&p, &contact->normal.x, NAN, "/contacts/2/normal");
    spoil(&p, &contact->normal.x, 0.5, "/contacts/2/tangent");
    spoil(&p, &contact->tangent[1].y, 0.5, "/contacts/2/tangent");
    spoil(&p, &contact->slide[1], NAN, "/contacts/2/slide");
    spoil(&p, &contact->sliding_friction, -1, "/contacts/2/sliding_friction");
    spoil(&p, &contact->rolling, -1, "/contacts/2/rolling");
    spoil(&p, &contact->spinning, NAN, "/contacts/2/spinning");
    spoil(&p, &p.turns[1].z, NAN, "/turns/1/impulse");
    contact->tangents = 3;
    expect(&p, "/contacts/2/tangents");
    contact->tangents = 2;
    contact->rollings = 3;
    expect(&p, "/contacts/2/rollings");
    contact->rollings = 2;
    contact->spins = 2;
    expect(&p, "/contacts/2/spins");
    contact->spins = 1;
    ash_problem_point *point = &p.points[3];
    spoil(&p, &point->arm_a.x, NAN, "/points/3/arm_a");
    spoil(&p, &point->arm_b.y, INFINITY, "/points/3/arm_b");
    spoil(&p, &point->impulse.z, NAN, "/points/3/impulse");
    spoil(&p, &point->gap, NAN, "/points/3/gap");
    spoil(&p, &point->bias, NAN, "/points/3/bias");
    spoil(&p, &point->softness, -1, "/points/3/softness");
    spoil(&p, &point->rebound, -1, "/points/3/rebound");
    spoil(&p, &point->friction, -1, "/points/3/friction");
    spoil(&p, &point->friction, 0.1, "/points/3/friction"); /* less than sliding */
    spoil(&p, &point->friction_limit, NAN, "/points/3/friction_limit");
    assert_true(ashi_problem_is_valid(&p, NULL));
    ash_problem_release(&p);
}

static void each_number_of_a_block_is_looked_at(void **state)
{
    (void)state;
    ash_problem p = public_named("chain");
    ash_problem_block *block = &p.blocks[2];
    spoil_count(&p, &block->body_a, p.body_count, "/blocks/2/body_a");
    spoil_count(&p, &block->body_b, UINT32_MAX, "/blocks/2/body_b");
    uint32_t other = block->body_a;
    spoil_count(&p, &block->body_a, block->body_b, "/blocks/2/body_b");
    assert_int_equal(block->body_a, other);
    spoil_count(&p, &block->first_row, 0, "/blocks/2/first_row");
    spoil_count(&p, &block->row_count, 0, "/blocks/2/row_count");
    spoil_count(&p, &block->row_count, 7, "/blocks/2/row_count");
    assert_true(ashi_problem_is_valid(&p, NULL));
    ash_problem_release(&p);
}

static void each_number_of_a_row_is_looked_at(void **state)
{
    (void)state;
    ash_problem p = public_named("chain");
    ash_problem_row *row = &p.rows[4];
    spoil(&p, &row->linear_a.x, NAN, "/rows/4/linear_a");
    spoil(&p, &row->angular_a.y, INFINITY, "/rows/4/angular_a");
    spoil(&p, &row->linear_b.z, NAN, "/rows/4/linear_b");
    spoil(&p, &row->angular_b.x, NAN, "/rows/4/angular_b");
    spoil(&p, &row->bias, NAN, "/rows/4/bias");
    spoil(&p, &row->softness, -1e-9, "/rows/4/softness");
    spoil(&p, &row->error, INFINITY, "/rows/4/error");
    spoil(&p, &row->impulse, NAN, "/rows/4/impulse");
    spoil(&p, &row->lower, INFINITY, "/rows/4/lower");
    spoil(&p, &row->lower, NAN, "/rows/4/lower");
    spoil(&p, &row->upper, -INFINITY, "/rows/4/upper");
    row->lower = 2;
    spoil(&p, &row->upper, 1, "/rows/4/upper");
    ash_problem_release(&p);
}

static void frame_and_islands_are_looked_at(void **state)
{
    (void)state;
    ash_problem p = public_named("sliding");
    ash_problem_island *islands = p.islands;
    spoil(&p, &p.h, -0.01, "/h");
    spoil(&p, &p.h, NAN, "/h");
    p.law = ASH_FRICTION_LAWS;
    expect(&p, "/law");
    p.law = ASH_FRICTION_PYRAMID;
    static const uint32_t directions[] = {0, 2, 5, 34, UINT32_MAX};
    for (int i = 0; i < 5; i++)
        spoil_count(&p, &p.directions, directions[i], "/directions");
    spoil_count(&p, &p.fixed_count, p.body_count + 1, "/fixed_count");
    spoil_count(&p, &p.point_count, p.point_count + 1, "/point_count");
    spoil_count(&p, &islands[0].first_body, 0, "/islands/0/first_body");
    spoil_count(&p, &islands[1].first_body, 2, "/islands/1/first_body");
    spoil_count(&p, &islands[1].body_count, 9, "/islands/1/first_body");
    spoil_count(&p, &islands[1].body_count, 0, "/islands/1/first_body");
    spoil_count(&p, &islands[1].first_contact, 1, "/islands/1/first_contact");
    spoil_count(&p, &islands[1].contact_count, UINT32_MAX, "/islands/1/first_contact");
    spoil_count(&p, &islands[1].first_point, 1, "/islands/1/first_point");
    spoil_count(&p, &islands[1].point_count, islands[1].point_count - 1, "/islands/1/point_count");
    spoil_count(&p, &islands[0].first_contact, UINT32_MAX, "/islands/0/first_contact");
    spoil_count(&p, &islands[0].first_contact, 1, "/contacts/0/body_a");
    spoil_count(&p, &p.island_count, 1, "/body_count");
    /* a contact of one island that reaches into the other */
    spoil_count(&p, &p.contacts[0].body_b, islands[1].first_body, "/islands/0/first_block");
    ash_problem_release(&p);
    p = public_named("chain");
    islands = p.islands;
    spoil_count(&p, &p.row_count, p.row_count + 1, "/row_count");
    spoil_count(&p, &islands[0].block_count, UINT32_MAX, "/islands/0/first_block");
    spoil_count(&p, &islands[0].first_block, UINT32_MAX, "/islands/0/first_block");
    spoil_count(&p, &islands[0].block_count, islands[0].block_count - 1, "/block_count");
    /* a block that no island has */
    spoil_count(&p, &islands[0].first_block, 1, "/blocks/0/body_a");
    ash_problem_row *rows = p.rows;
    p.rows = NULL;
    expect(&p, "/row_count");
    p.rows = rows;
    assert_true(ashi_problem_is_valid(&p, NULL));
    ash_problem_release(&p);
}

/* Bytes of the structures at random: never a crash. */
static void any_numbers_end_in_an_answer(void **state)
{
    (void)state;
    ashi_random random = {5};
    ash_problem good = public_named("chain"), p = {0};
    uint32_t found = 0, trials = TRIALS(20000);
    for (uint32_t trial = 0; trial < trials; trial++) {
        assert_int_equal(ash_problem_copy(&p, &good, NULL), ASH_OK);
        uint8_t *target;
        size_t size;
        switch (ashi_random_below(&random, 6)) {
        case 4:
            target = (uint8_t *)p.contacts;
            size = p.contact_count * sizeof *p.contacts;
            break;
        case 5:
            target = (uint8_t *)p.points;
            size = p.point_count * sizeof *p.points;
            break;
        case 0:
            target = (uint8_t *)p.bodies;
            size = p.body_count * sizeof *p.bodies;
            break;
        case 1:
            target = (uint8_t *)p.blocks;
            size = p.block_count * sizeof *p.blocks;
            break;
        case 2:
            target = (uint8_t *)p.rows;
            size = p.row_count * sizeof *p.rows;
            break;
        default:
            target = (uint8_t *)p.islands;
            size = p.island_count * sizeof *p.islands;
        }
        for (int i = 0; i < 3; i++)
            target[ashi_random_below(&random, (uint32_t)size)] = (uint8_t)ashi_random_bits(&random);
        ash_diagnostic diagnostic;
        found += !ashi_problem_is_valid(&p, &diagnostic);
    }
    assert_true(found > trials / 20); /* most bytes are those of digits, where anything goes */
    ash_problem_release(&p);
    ash_problem_release(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_problem_is_valid),         cmocka_unit_test(an_empty_problem_is_valid),
        cmocka_unit_test(each_number_of_a_body_is_looked_at),    cmocka_unit_test(each_number_of_a_block_is_looked_at),
        cmocka_unit_test(each_number_of_a_row_is_looked_at),     cmocka_unit_test(frame_and_islands_are_looked_at),
        cmocka_unit_test(each_number_of_a_contact_is_looked_at), cmocka_unit_test(any_numbers_end_in_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
