/* The list of stored problems, and opening one by name or by path. */
#include "experiments/stored_problem.h"

#include "base/diagnostic.h"
#include "experiments/problems/handed_over.h"
#include "scene/description/names.h"
#include "scene/file/file.h"
#include "scene/record/fclib_file.h"

#include <string.h>

static const ashi_named_problem problems[] = {
    {"rest", "a box at rest on a floor", false, ashi_problem_of_rest},
    {"stack", "25 boxes on each other", false, ashi_problem_of_stack},
    {"pile", "a pyramid of 210 boxes, 1600 contacts", false, ashi_problem_of_pile},
    {"pile-heavy-top", "the same with a top 1000 times as heavy", false, ashi_problem_of_pile_heavy_top},
    {"shove", "a pyramid of 55 boxes with one shoved into it at 5 m/s", false, ashi_problem_of_shove},
    {"heavy-on-light", "five boxes under one of 1000 times their mass", false, ashi_problem_of_heavy_on_light},
    {"redundant", "a table on 81 feet", false, ashi_problem_of_redundant},
    {"sliding", "boxes that slide over each other and a conveyor", false, ashi_problem_of_sliding},
    {"giving-way", "static and sliding friction: boxes pushed more and more", false, ashi_problem_of_giving_way},
    {"impact", "a box on its edge and a row of balls, with restitution", false, ashi_problem_of_impact},
    {"rolling", "balls with rolling and spinning resistance", false, ashi_problem_of_rolling},
    {"planar", "a wall in the plane", false, ashi_problem_of_planar},
    {"chain", "a chain of joints, a motor, a limit and a soft row, its end on a floor", false, ashi_problem_of_chain},
    {"ball-grid", "27 balls in a cubic grid", false, ashi_problem_of_ball_grid},
    {"wall", "a dry wall of four courses in running bond", false, ashi_problem_of_wall},
    {"coincident", "contact points that coincide", true, ashi_problem_of_coincident},
    {"parallel", "many contacts along one line, all with the same normal", true, ashi_problem_of_parallel},
    {"wedged", "a box jammed in a narrow V of immovable walls", true, ashi_problem_of_wedged},
    {"immovable-pair", "contacts between immovable bodies, and one that moves", true, ashi_problem_of_immovable_pair},
    {"extreme-friction", "friction of 0 and of a million", true, ashi_problem_of_extreme_friction},
    {"mass-ratio", "a stack whose masses differ by 1e8", true, ashi_problem_of_mass_ratio},
};

uint32_t ash_stored_problem_count(void)
{
    return sizeof problems / sizeof problems[0];
}

const ashi_named_problem *ashi_named_problem_get(uint32_t index)
{
    return index < ash_stored_problem_count() ? &problems[index] : NULL;
}

const ashi_named_problem *ashi_named_problem_find(const char *name)
{
    for (uint32_t i = 0; i < ash_stored_problem_count(); i++)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}

static ash_status unknown_problem(const char *name, ash_diagnostic *diagnostic)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char hint[96], list[200];
    uint32_t count = 0;
    for (; count < ash_stored_problem_count() && count < MOST; count++)
        names[count] = ashi_named_problem_get(count)->name;
    for (uint32_t i = 0; i < ashi_handed_over_count() && count < MOST; i++)
        names[count++] = ashi_handed_over_get(i)->name;
    ashi_fail(diagnostic, ASH_NOT_FOUND, "problem.unknown", "there is no stored problem \"%.100s\"%s", name,
              ashi_did_you_mean(name, names, count, hint, sizeof hint));
    ashi_expect(diagnostic, "%s, or a file (a path with '/' or ending in .json)",
                ashi_words_text((ashi_words){names, count}, list, sizeof list));
    return ASH_NOT_FOUND;
}

ash_status ash_problem_read(const char *name_or_path, ash_problem *problem, ash_diagnostic *diagnostic)
{
    if (name_or_path == NULL || problem == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "problem.null", "the name or the place for the problem is null");
    size_t length = strlen(name_or_path);
    const ashi_named_problem *stored = ashi_named_problem_find(name_or_path);
    const ashi_handed_over *taken = ashi_handed_over_find(name_or_path);
    if (taken != NULL)
        return ashi_handed_over_make(taken, problem, diagnostic);
    bool is_path = strchr(name_or_path, '/') != NULL ||
                   (length >= 5 && strcmp(name_or_path + length - 5, ".json") == 0) || ashi_file_exists(name_or_path);
    if (stored != NULL || !is_path) {
        if (stored == NULL)
            return unknown_problem(name_or_path, diagnostic);
        ash_problem made = {0};
        if (!stored->make(&made)) {
            ash_problem_release(&made);
            return ashi_out_of_memory(diagnostic);
        }
        ash_problem_release(problem);
        *problem = made;
        return ASH_OK;
    }
    char *text = NULL;
    size_t size = 0;
    ash_status status = ashi_read_file(name_or_path, &text, &size, diagnostic);
    if (status == ASH_OK && ashi_is_hdf5(text, size))
        status = ashi_fclib_file_read(name_or_path, problem, diagnostic);
    else if (status == ASH_OK)
        status = ash_problem_parse(text, size, name_or_path, problem, diagnostic);
    ash_free(text);
    return status;
}

ash_stored_problem ash_stored_problem_get(uint32_t index)
{
    const ashi_named_problem *stored = ashi_named_problem_get(index);
    return stored == NULL ? (ash_stored_problem){"", "", false}
                          : (ash_stored_problem){stored->name, stored->summary, stored->degenerate};
}
