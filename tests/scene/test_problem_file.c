/* Problem files: what is written reads back to the same bits; what is wrong is named with line and path; damaged texts
 * and failing allocations are answered. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "ashlar/scene.h"
#include "base/alloc.h"
#include "mutations.h"
#include "problem/problems.h"

#define STORED ASHLAR_SOURCE_DIR "/tests/data/problems/"

static void assert_same_contacts(const ash_problem *a, const ash_problem *b)
{
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->point_count, b->point_count);
    assert_int_equal(a->turn_count, b->turn_count);
    for (uint32_t i = 0; i < a->contact_count; i++) {
        const ash_problem_contact *x = &a->contacts[i], *y = &b->contacts[i];
        assert_true(x->body_a == y->body_a && x->body_b == y->body_b && x->first_point == y->first_point &&
                    x->point_count == y->point_count && x->tangents == y->tangents && x->rollings == y->rollings &&
                    x->spins == y->spins);
        assert_memory_equal(&x->normal, &y->normal, sizeof *x - offsetof(ash_problem_contact, normal));
    }
    for (uint32_t i = 0; i < a->point_count; i++)
        assert_memory_equal(&a->points[i], &b->points[i], offsetof(ash_problem_point, label) + sizeof(uint32_t));
    if (a->turn_count > 0)
        assert_memory_equal(a->turns, b->turns, a->turn_count * sizeof *a->turns);
}

static void assert_same_problem(const ash_problem *a, const ash_problem *b)
{
    assert_true(a->h == b->h && a->law == b->law && a->directions == b->directions && a->planar == b->planar);
    assert_int_equal(a->fixed_count, b->fixed_count);
    assert_int_equal(a->body_count, b->body_count);
    assert_int_equal(a->block_count, b->block_count);
    assert_int_equal(a->row_count, b->row_count);
    assert_int_equal(a->island_count, b->island_count);
    for (uint32_t i = 0; i < a->body_count; i++)
        assert_memory_equal(&a->bodies[i], &b->bodies[i], sizeof a->bodies[i]);
    for (uint32_t i = 0; i < a->island_count; i++)
        assert_memory_equal(&a->islands[i], &b->islands[i], sizeof a->islands[i]);
    for (uint32_t k = 0; k < a->block_count; k++) {
        const ash_problem_block *x = &a->blocks[k], *y = &b->blocks[k];
        assert_true(x->body_a == y->body_a && x->body_b == y->body_b && x->first_row == y->first_row &&
                    x->row_count == y->row_count && x->label == y->label);
    }
    if (a->row_count > 0)
        assert_memory_equal(a->rows, b->rows, a->row_count * sizeof *a->rows);
    assert_same_contacts(a, b);
}

static char *written(const ash_problem *problem, size_t *size)
{
    char *text;
    ash_diagnostic diagnostic;
    if (ash_problem_write(problem, &text, size, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return text;
}

/* All of them with impulses, labels and numbers of any size. */
static void problems_read_back_to_the_same_bits(void **state)
{
    (void)state;
    generator.state = 4;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ash_problem p = public_named(ash_stored_problem_get(n).name), again = {0};
        for (uint32_t i = 0; i < p.row_count; i++) {
            p.rows[i].impulse = ldexp(ashi_random_unit(&generator) - 0.5, (int)below(200) - 100);
            p.rows[i].error = i % 3 == 0 ? -0.0 : ashi_random_unit(&generator);
        }
        for (uint32_t i = 0; i < p.point_count; i++) {
            p.points[i].impulse.y = ldexp(ashi_random_unit(&generator) - 0.5, (int)below(200) - 100);
            p.points[i].gap = i % 3 == 0 ? -0.0 : ashi_random_unit(&generator);
            p.points[i].friction += i % 2 == 0 ? 0 : ashi_random_unit(&generator);
        }
        for (uint32_t i = 0; i < p.turn_count; i++)
            p.turns[i].z = ashi_random_unit(&generator);
        for (uint32_t i = 0; i < p.body_count; i++)
            p.bodies[i].label = ashi_random_bits(&generator);
        p.points[0].friction_limit = 0.25;
        p.law = (ash_friction_law)(n % ASH_FRICTION_LAWS);
        p.directions = 4 + 2 * (n % 8);
        size_t size, size_again;
        char *text = written(&p, &size);
        ash_diagnostic diagnostic;
        if (ash_problem_parse(text, size, "again", &again, &diagnostic) != ASH_OK)
            fail_msg("%s: %s", diagnostic.path, diagnostic.message);
        assert_same_problem(&p, &again);
        char *text_again = written(&again, &size_again);
        assert_int_equal(size, size_again);
        assert_memory_equal(text, text_again, size);
        ash_free(text);
        ash_free(text_again);
        ash_problem_release(&p);
        ash_problem_release(&again);
    }
}

/* Files in tests/data/problems are what tests/problem/store.c writes. */
static void stored_files_are_up_to_date(void **state)
{
    (void)state;
    uint32_t found = 0;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        const char *name = ash_stored_problem_get(n).name;
        ash_problem p = public_named(name), from_file = {0};
        size_t size;
        char *text = written(&p, &size), path[512];
        snprintf(path, sizeof path, STORED "%s.json", name);
        if (size <= 200000) {
            size_t file_size;
            char *file = read_text_file(path, &file_size);
            if (file_size != size || memcmp(file, text, size) != 0)
                fail_msg("%s is not what test-problem-store writes", path);
            free(file);
            assert_int_equal(ash_problem_read(path, &from_file, NULL), ASH_OK);
            assert_same_problem(&p, &from_file);
            found++;
        }
        ash_free(text);
        ash_problem_release(&p);
        ash_problem_release(&from_file);
    }
    assert_true(found >= 15);
}

/* Files of version 1 have contacts as blocks with rows: they become contacts. */
static void version_1_is_read(void **state)
{
    (void)state;
    static const char *const names[] = {"stack", "planar", "rolling", "chain", "sliding", "immovable-pair", "impact"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        ashi_system expected = expanded_named(names[n]), rows = {0};
        ash_problem p = {0};
        ash_diagnostic diagnostic;
        char path[512];
        snprintf(path, sizeof path, ASHLAR_SOURCE_DIR "/tests/data/problems-1/%s.json", names[n]);
        if (ash_problem_read(path, &p, &diagnostic) != ASH_OK)
            fail_msg("%s", diagnostic.message);
        assert_int_equal(p.contact_count, expected.contact_count);
        assert_true(ashi_system_by_rows(&rows, &p));
        assert_int_equal(rows.row_count, expected.row_count);
        for (uint32_t i = 0; i < rows.row_count; i++) {
            const ashi_row *a = &rows.rows[i], *b = &expected.rows[i];
            assert_below(v3_norm(v3_sub(a->linear_b, b->linear_b)), 1e-15);
            assert_below(v3_norm(v3_sub(a->angular_a, b->angular_a)), 1e-14);
            assert_below(v3_norm(v3_sub(a->angular_b, b->angular_b)), 1e-14);
            assert_true(a->bias == b->bias && a->error == b->error);
        }
        ashi_system_release(&expected);
        ashi_system_release(&rows);
        ash_problem_release(&p);
    }
}

#define HEAD "{\"ashlar_problem\": 1, \"h\": 0.01, \"bodies\": [{}, {\"inverse_mass\": [1, 1, 1]}],\n"

/* Rows that differ from those of a point by a millionth are refused. Without tangents the arm along the normal is any.
 */
static void rows_must_be_of_a_point(void **state)
{
    (void)state;
    static const char *const ends[] = {"1.000001", "1"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        ash_problem p = {0};
        ash_diagnostic diagnostic;
        int size = snprintf(text, sizeof text,
                            HEAD "\"blocks\": [{\"kind\": \"contact\", \"bodies\": [0, 1], \"tangents\": 2, "
                                 "\"rows\": [{\"a\": [0,0,-1, 0,0,0], \"b\": [0,0,1, 0.5,-1,0]}, "
                                 "{\"a\": [-1,0,0, 0,0,0], \"b\": [1,0,0, 0,0.25,-0.5]}, "
                                 "{\"a\": [0,-1,0, 0,0,0], \"b\": [0,1,0, -0.25,0,%s]}]}]}",
                            ends[i]);
        ash_status status = ash_problem_parse(text, (size_t)size, "text", &p, &diagnostic);
        assert_int_equal(status, i == 0 ? ASH_BAD_DATA : ASH_OK);
        if (i == 0)
            assert_string_equal(diagnostic.path, "/blocks/0/rows");
        else
            assert_below(v3_norm(v3_sub(p.points[0].arm_b, v3(1, 0.5, 0.25))), 1e-15);
        ash_problem_release(&p);
    }
    static const char text[] = HEAD "\"blocks\": [{\"kind\": \"contact\", \"bodies\": [0, 1], \"rows\": ["
                                    "{\"a\": [0,0,-1, 0,0,0], \"b\": [0,0,1, 0.5,-1,0], \"impulse\": 3}]}]}";
    ash_problem p = {0};
    assert_int_equal(ash_problem_parse(text, sizeof text - 1, "text", &p, NULL), ASH_OK);
    assert_int_equal(p.point_count, 1);
    assert_below(v3_norm(v3_sub(p.points[0].arm_b, v3(1, 0.5, 0))), 1e-15);
    assert_true(p.points[0].impulse.x == 3 && p.points[0].impulse.y == 0);
    ash_problem_release(&p);
}

static void bodies_and_blocks_may_stand_in_any_order(void **state)
{
    (void)state;
    static const char text[] =
        "{\"ashlar_problem\": 1, \"h\": 0.01, \"bodies\": [{\"label\": \"a\", \"inverse_mass\": [1, 1, 1]}, {\"label\": \"b\"},"
        "{\"label\": \"c\", \"inverse_mass\": [1, 1, 1]}], \"blocks\": ["
        "{\"kind\": \"rows\", \"bodies\": [2, 1], \"rows\": [{\"a\": [1,0,0,0,0,0], \"b\": [0,0,0,0,0,0], \"upper\": 2}]},"
        "{\"kind\": \"contact\", \"bodies\": [1, 0], \"rows\": [{\"a\": [0,0,-1,0,0,0], \"b\": [0,0,1,0,0,0]}]}]}";
    ash_problem p = {0};
    ash_diagnostic diagnostic;
    if (ash_problem_parse(text, sizeof text - 1, "text", &p, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    assert_int_equal(p.fixed_count, 1);
    assert_int_equal(p.island_count, 2);
    assert_int_equal(p.bodies[0].label, 0xb);
    assert_int_equal(p.bodies[1].label, 0xa);
    assert_int_equal(p.contacts[0].body_b, 1);
    assert_true(p.points[0].friction_limit < 0);
    assert_true(isinf(p.rows[0].lower) && p.rows[0].upper == 2);
    ash_problem_release(&p);
}

#define ROW "{\"a\": [0,0,-1,0,0,0], \"b\": [0,0,1,0,0,0]"
#define CONTACT(fields, rows)                                                                                          \
    HEAD "\"blocks\": [{\"kind\": \"contact\", \"bodies\": [0, 1]" fields ", \"rows\": [" rows "]}]}"
#define PLAIN(fields, rows)                                                                                            \
    HEAD "\"blocks\": [{\"kind\": \"rows\", \"bodies\": [0, 1]" fields ", \"rows\": [" rows "]}]}"

#define SECOND "{\"ashlar_problem\": 2, \"h\": 0.01, \"bodies\": [{}, {\"inverse_mass\": [1, 1, 1]}],\n"
#define POINTS(fields, points)                                                                                         \
    SECOND "\"contacts\": [{\"bodies\": [0, 1], \"normal\": [0, 0, 1], \"tangent\": [1, 0, 0]" fields                  \
           ", \"points\": [" points "]}]}"

static void faults_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code, *path;
        int line;
    } cases[] = {
        {"", "problem.foreign", "", 0},
        {"{\"ashlar\": 1}", "problem.foreign", "", 0}, /* a scene */
        {"[1]", "problem.type", "", 1},
        {"{\"h\": 1}", "problem.missing", "/ashlar_problem", 1},
        {"{\"ashlar_problem\": 3}", "problem.version", "/ashlar_problem", 1},
        {"{\"ashlar_problem\": 1}", "problem.missing", "/h", 1},
        {"{\"ashlar_problem\": 2}", "problem.missing", "/h", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"contacts\": []}", "problem.unknown-key", "/contacts", 1},
        {"{\"ashlar_problem\": 1, \"h\": -1}", "problem.value", "/h", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"h\": 1}", "problem.duplicate-key", "", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1,\n\"boddies\": []}", "problem.unknown-key", "/boddies", 2},
        {"{\"ashlar_problem\": 1, \"h\": 1,\n\"law\": \"conic\"}", "problem.unknown-word", "/law", 2},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"directions\": 5}", "problem.value", "/directions", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"directions\": 34}", "problem.value", "/directions", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"planar\": 1}", "problem.type", "/planar", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": {}}", "problem.type", "/bodies", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": [{},\n{\"inverse_mass\": [1, -1, 1]}]}", "problem.value",
         "/bodies/1/inverse_mass", 2},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": [{\"inverse_inertia\": [1, 1, 1, 2, 0, 0]}]}", "problem.value",
         "/bodies/0/inverse_inertia", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": [{\"label\": \"xyz\"}]}", "problem.value", "/bodies/0/label",
         1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": [{\"label\": 7}]}", "problem.value", "/bodies/0/label", 1},
        {"{\"ashlar_problem\": 1, \"h\": 1, \"bodies\": [{\"spin\": [0, 0]}]}", "problem.type", "/bodies/0/spin", 1},
        {HEAD "\"blocks\": [{\"bodies\": [0, 1]}]}", "problem.missing", "/blocks/0/kind", 2},
        {HEAD "\"blocks\": [{\"kind\": \"joint\"}]}", "problem.unknown-word", "/blocks/0/kind", 2},
        {HEAD "\"blocks\": [{\"kind\": \"rows\", \"bodies\": [0, 2]}]}", "problem.value", "/blocks/0/bodies/1", 2},
        {HEAD "\"blocks\": [{\"kind\": \"rows\", \"bodies\": [1, 1]}]}", "problem.value", "/blocks/0/bodies", 2},
        {HEAD "\"blocks\": [{\"kind\": \"rows\", \"bodies\": [0]}]}", "problem.type", "/blocks/0/bodies", 2},
        {HEAD "\"blocks\": [{\"kind\": \"rows\", \"bodies\": [0, 1]}]}", "problem.missing", "/blocks/0/rows", 2},
        {PLAIN("", ""), "problem.value", "/blocks/0/rows", 2},
        {PLAIN(", \"friction\": 1", ROW "}"), "problem.unknown-key", "/blocks/0/friction", 2},
        {PLAIN("", ROW ", \"lower\": 1, \"upper\": 0}"), "problem.value", "/blocks/0/rows/0/upper", 2},
        {PLAIN("", ROW ", \"softness\": -1}"), "problem.value", "/blocks/0/rows/0/softness", 2},
        {PLAIN("", "{\"a\": [0,0,0,0,0,0]}"), "problem.missing", "/blocks/0/rows/0/b", 2},
        {PLAIN("", ROW "},\n" ROW ", \"biass\": 1}"), "problem.unknown-key", "/blocks/0/rows/1/biass", 3},
        {SECOND "\"blocks\": [{\"kind\": \"contact\", \"bodies\": [0, 1]}]}", "problem.unknown-word", "/blocks/0/kind",
         2},
        {CONTACT("", ROW ", \"lower\": 0}"), "problem.unknown-key", "/blocks/0/rows/0/lower", 2},
        {CONTACT(", \"tangents\": 1", ROW "}"), "problem.value", "/blocks/0/rows", 2},
        {CONTACT(", \"tangents\": 3", ROW "}"), "problem.value", "/blocks/0/tangents", 2},
        {CONTACT(", \"friction\": -1", ROW "}"), "problem.value", "/blocks/0/friction", 2},
        {CONTACT(", \"friction\": 0.1, \"sliding_friction\": 0.2", ROW "}"), "problem.value",
         "/blocks/0/sliding_friction", 2},
        {CONTACT(", \"friction_limit\": -1", ROW "}"), "problem.value", "/blocks/0/friction_limit", 2},
        {CONTACT(", \"label\": 4294967296", ROW "}"), "problem.value", "/blocks/0/label", 2},
        {POINTS("", ""), "problem.value", "/contacts/0/points", 2},
        {POINTS(", \"normal\": 1", "{}"), "problem.duplicate-key", "", 2},
        {POINTS(", \"slide\": [1]", "{}"), "problem.type", "/contacts/0/slide", 2},
        {POINTS(", \"tangents\": 3", "{}"), "problem.value", "/contacts/0/tangents", 2},
        {POINTS(", \"friction\": 0.1, \"sliding_friction\": 0.2", "{}"), "problem.value",
         "/contacts/0/sliding_friction", 2},
        {POINTS(", \"friction\": 0.1", "{\"friction\": 0}"), "problem.value", "/contacts/0/points/0/friction", 2},
        {POINTS("", "{\"softness\": -1}"), "problem.value", "/contacts/0/points/0/softness", 2},
        {POINTS("", "{},\n{\"turn\": [1, 0, 0]}"), "problem.unknown-key", "/contacts/0/points/1/turn", 3},
        {SECOND "\"contacts\": [{\"bodies\": [0, 1], \"normal\": [0, 0, 1]}]}", "problem.missing",
         "/contacts/0/tangent", 2},
        {SECOND "\"contacts\": [{\"bodies\": [0, 1], \"normal\": [0, 0, 1], \"tangent\": [0, 0, 1]}]}", "problem.value",
         "/contacts/0/tangent", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_problem p = public_named("rest");
        ash_problem_point *points = p.points;
        ash_diagnostic d = {0};
        ash_status status = ash_problem_parse(cases[i].text, strlen(cases[i].text), "some.json", &p, &d);
        if (status == ASH_OK || strcmp(d.code, cases[i].code) != 0 || strcmp(d.path, cases[i].path) != 0 ||
            d.line != cases[i].line || strcmp(d.file, "some.json") != 0)
            fail_msg("%s\n-> %s %s line %d: %s", cases[i].text, d.code, d.path, d.line, d.message);
        assert_true(p.points == points); /* the older problem is still there */
        ash_problem_release(&p);
    }
}

static void names_and_paths(void **state)
{
    (void)state;
    ash_problem p = {0};
    ash_diagnostic diagnostic;
    assert_int_equal(ash_problem_read("stack", &p, &diagnostic), ASH_OK);
    assert_int_equal(ash_problem_read("stuck", &p, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.message, "stack"));
    assert_int_equal(ash_problem_read("/nowhere/x.json", &p, &diagnostic), ASH_NOT_FOUND);
    assert_int_equal(ash_problem_read(STORED, &p, &diagnostic), ASH_IO);
    assert_int_equal(ash_problem_read(NULL, &p, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(p.contact_count, 25);
    assert_int_equal(p.point_count, 100);
    p.points[0].bias = NAN;
    char *text;
    size_t size;
    assert_int_equal(ash_problem_write(&p, &text, &size, &diagnostic), ASH_BAD_DATA);
    assert_null(text);
    assert_string_equal(diagnostic.path, "/points/0/bias");
    assert_int_equal(ash_problem_write(NULL, &text, &size, NULL), ASH_BAD_ARGUMENT);
    ash_problem_release(&p);
    assert_string_equal(ash_stored_problem_get(1000).name, "");
}

static uint32_t accepted, refused;

static void try_text(const char *text, size_t size)
{
    ash_problem p = {0}, again = {0};
    ash_diagnostic d = {0};
    ash_status status = ash_problem_parse(text, size, "mutant.json", &p, &d);
    if (status != ASH_OK) {
        refused++;
        assert_true(p.bodies == NULL && d.status == status && d.code[0] != 0 && d.message[0] != 0);
        return;
    }
    accepted++;
    /* What is taken can be solved and measured, whatever its numbers, and written and read again. */
    size_t written_size;
    char *again_text = written(&p, &written_size);
    if (ash_problem_parse(again_text, written_size, "again", &again, &d) != ASH_OK)
        fail_msg("what was written is not read: %s %s", d.path, d.message);
    assert_same_problem(&p, &again);
    ash_solver_settings settings = ash_default_solver_settings((ash_solver)(accepted % ASH_SOLVERS));
    ash_solve_result result;
    settings.iterations = 5;
    assert_int_equal(ash_problem_solve(&p, &settings, 1, NULL, &result, NULL), ASH_OK);
    assert_true(result.error.largest >= 0 && result.error.mean >= 0); /* never a NaN */
    ash_free(again_text);
    ash_problem_release(&p);
    ash_problem_release(&again);
}

static void damaged_files_are_answered(void **state)
{
    (void)state;
    static const char *const names[] = {"rest", "chain", "rolling", "immovable-pair"};
    generator.state = 20261115;
    for (int i = 0; i < 4; i++) {
        size_t size;
        ash_problem p = public_named(names[i]);
        char *text = written(&p, &size);
        mutate_text(text, size, TRIALS(2000) + 500, try_text);
        ash_free(text);
        ash_problem_release(&p);
    }
    assert_int_equal(ash_memory_used().blocks, 0);
    assert_true(accepted > 100 && refused > 500);
}

/* Reads, writes and solves; the first failure is the answer. */
static ash_status use_problem(const char *text, size_t size, ash_diagnostic *diagnostic)
{
    ash_problem p = {0};
    char *again = NULL;
    ash_status status = ash_problem_parse(text, size, "faults", &p, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_write(&p, &again, &size, diagnostic);
    ash_free(again);
    ash_problem_release(&p);
    if (status == ASH_OK)
        status = ash_problem_read("impact", &p, diagnostic);
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    if (status == ASH_OK)
        status = ash_problem_solve(&p, &settings, 1, NULL, &result, diagnostic);
    ash_problem_release(&p);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    ash_problem p = public_named("chain");
    size_t size;
    char *text = written(&p, &size);
    ash_problem_release(&p);
    uint64_t blocks = ash_memory_used().blocks;
    ashi_alloc_fail_at(0, false);
    assert_int_equal(use_problem(text, size, NULL), ASH_OK);
    uint64_t allocations = ashi_alloc_fail_at(0, false);
    assert_true(allocations > 20);
    for (uint64_t k = 1; k <= allocations; k++) {
        ash_diagnostic diagnostic = {0};
        ashi_alloc_fail_at(k, false);
        ash_status status = use_problem(text, size, &diagnostic);
        ashi_alloc_fail_at(0, false);
        if (status != ASH_OUT_OF_MEMORY || diagnostic.status != ASH_OUT_OF_MEMORY)
            fail_msg("allocation %llu: %s, %s", (unsigned long long)k, ash_status_text(status), diagnostic.message);
        assert_int_equal(ash_memory_used().blocks, blocks);
    }
    ash_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_read_back_to_the_same_bits),
        cmocka_unit_test(stored_files_are_up_to_date),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(rows_must_be_of_a_point),
        cmocka_unit_test(bodies_and_blocks_may_stand_in_any_order),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(names_and_paths),
        cmocka_unit_test(damaged_files_are_answered),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
