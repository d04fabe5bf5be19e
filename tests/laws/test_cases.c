/* Worlds that broke a law once, and scenes that everybody builds, each at two steps. cases/index.txt says what must
 * hold; what does not hold yet is asserted, too, so that the line is changed when it is mended. */
#include "check.h"

#include "law.h"
#include "tally.h"

#include <stdlib.h>
#include <string.h>

/* A line of the index. */
typedef struct kept_case {
    char file[64], law[32], method[32], step[32], expectation[32], reason[160];
} kept_case;

static bool parse_case(const char *line, kept_case *kept)
{
    kept->reason[0] = 0;
    int fields = sscanf(line, "%63s %31s %31s %31s %31s %159[^\n]", kept->file, kept->law, kept->method, kept->step,
                        kept->expectation, kept->reason);
    bool holds = fields >= 5 && strcmp(kept->expectation, "holds") == 0;
    bool fails =
        fields == 6 && (strcmp(kept->expectation, "fault") == 0 || strcmp(kept->expectation, "exception") == 0);
    return holds || fails;
}

static ash_scene *open_case(const kept_case *kept)
{
    char path[512];
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    snprintf(path, sizeof path, "%s/tests/laws/cases/%s.json", ASHLAR_SOURCE_DIR, kept->file);
    if (ash_scene_open(path, NULL, 0, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", path, diagnostic.message);
    if (strcmp(kept->method, "-") != 0)
        assert_int_equal(ash_method_find(kept->method, &scene->method, NULL), ASH_OK);
    if (strcmp(kept->step, "-") != 0)
        scene->step = strtod(kept->step, NULL);
    return scene;
}

/* All of the scene's own checks; `text` says which failed. A scene that no world can be made of fails, too. */
static bool checks_hold(const ash_scene *scene, char *text, size_t size)
{
    ash_run *run = NULL;
    ash_run_options options = ash_default_run_options();
    ash_diagnostic diagnostic = {0};
    options.check = true;
    ash_status status = ash_scene_run(scene, &options, &run, &diagnostic);
    bool hold = status == ASH_OK;
    snprintf(text, size, "%s", diagnostic.message);
    for (uint32_t i = 0; run != NULL && i < ash_run_get_check_count(run); i++) {
        ash_check_result check = ash_run_get_check(run, i);
        if (!check.pass)
            snprintf(text, size, "%s: %g", check.name, check.value);
        hold = hold && check.pass;
    }
    ash_run_destroy(run);
    return hold;
}

static bool law_holds(const kept_case *kept, const ash_scene *scene, char *text, size_t size)
{
    law_case one;
    ash_diagnostic diagnostic = {0};
    law_number law = law_find(kept->law);
    assert_true(law < LAWS);
    if (!law_case_begin(scene, &one, &diagnostic))
        fail_msg("%s: %s", kept->file, diagnostic.message);
    law_verdict verdict = law_judge(law, &one);
    law_case_end(&one);
    snprintf(text, size, "%s %.4g, limit %.4g", verdict.what, verdict.figure, verdict.limit);
    assert_true(verdict.applies);
    return !law_fails(&verdict);
}

static bool as_expected(const char *line)
{
    kept_case kept;
    char text[640] = "";
    if (!parse_case(line, &kept))
        fail_msg("cases/index.txt: FILE LAW METHOD STEP holds|fault|exception REASON expected, not: %s", line);
    ash_scene *scene = open_case(&kept);
    bool checked = strcmp(kept.law, "checks") == 0;
    bool holds = checked ? checks_hold(scene, text, sizeof text) : law_holds(&kept, scene, text, sizeof text);
    bool expected = holds == (strcmp(kept.expectation, "holds") == 0);
    if (!expected)
        print_error("%s, %s, %s, step %s: %s (%s)\n", kept.file, kept.law, kept.method, kept.step,
                    holds ? "holds now: change its line in tests/laws/cases/index.txt" : "does not hold", text);
    ash_scene_destroy(scene);
    return expected;
}

static void every_case_is_as_the_index_says(void **state)
{
    (void)state;
    FILE *index = fopen(ASHLAR_SOURCE_DIR "/tests/laws/cases/index.txt", "r");
    char line[512];
    uint32_t lines = 0, wrong = 0;
    assert_non_null(index);
    while (fgets(line, sizeof line, index) != NULL)
        if (line[0] != '#' && line[0] != '\n' && (!SLOW_BUILD || lines++ % STRIDE == 0))
            wrong += !as_expected(line);
    fclose(index);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_is_as_the_index_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
