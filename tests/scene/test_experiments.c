/* The experiments of the built-in scenes: no row may fail. The rows are printed, so that a failure shows all of them.
 */
#include "check.h"

#include "ashlar/scene.h"

#include <string.h>

typedef struct tally {
    uint32_t counts[ASH_VERDICTS];
    uint32_t unexplained; /* failures without a reason */
} tally;

static bool take_row(const ash_validation_row *row, void *user)
{
    static const char *const verdicts[] = {"pass", "FAIL", "told", "point"};
    tally *rows = user;
    rows->counts[row->verdict]++;
    rows->unexplained += row->verdict == ASH_FAIL && row->reason[0] == '\0';
    printf("%s  %-14s %-88s expected %-12.6g ours %-14.8g limit %-8.3g [%s]\n", verdicts[row->verdict], row->scene,
           row->quantity, row->expected, row->ours, row->limit, row->source);
    fflush(stdout);
    return true;
}

/* Experiments too long for a test: `ashlar validate` runs them. Where each step is slow, and in the quick form of the
 * tests, there are more. */
static bool is_long(const char *name)
{
#ifdef ASHLAR_SLOW_BUILD
    static const char *const names[] = {"tower",
                                        "wall",
                                        "box-stack",
                                        "stack-20",
                                        "net",
                                        "stiff-string",
                                        "blocks",
                                        "iftomm-pendulum",
                                        "iftomm-four-bar",
                                        "andrews",
                                        "heavy-top",
                                        "tree",
                                        "star",
                                        "chain",
                                        "ladder",
                                        "refine",
                                        "frictionless-pile",
                                        "roof-tower",
                                        "falling-roof",
                                        "silo",
                                        "box-pile",
                                        "pile-2d",
                                        "cow-pile",
                                        "letters"};
#else
#ifdef ASHLAR_ALL_TRIALS
    static const char *const names[] = {""};
#else
    /* 4 to 10 s each: `make test-long` has them. */
    static const char *const names[] = {"wall", "frictionless-pile", "string", "blocks",
                                        "net",  "stiff-string",      "car",    "tree"};
#endif
#endif
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static void test_no_experiment_fails(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (uint32_t i = 0; i < ash_builtin_count(); ++i) {
        const char *name = ash_builtin_get(i).name;
        if (ash_builtin_get(i).lengthy || is_long(name))
            continue;
        tally rows = {0};
        ash_diagnostic diagnostic = {0};
        ash_status status = ash_validate(name, take_row, &rows, &diagnostic);
        if (status != ASH_OK)
            fail_msg("%s: %s", name, diagnostic.message);
        /* Every scene is judged by something. */
        assert_true(rows.counts[ASH_PASS] > 0);
        failures += rows.unexplained;
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_experiment_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
