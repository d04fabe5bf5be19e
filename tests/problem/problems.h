/* The stored problems in tests: every one by name and number, from src/scene/stored_problem.h. */
#ifndef TESTS_PROBLEM_PROBLEMS_H
#define TESTS_PROBLEM_PROBLEMS_H

#include "check.h"

#include "scene/stored_problem.h"

/* The problem of that name, cold; released by ashi_problem_release. */
static inline ash_problem problem_named(const char *name)
{
    ash_problem problem = {0};
    const ashi_stored_problem *stored = ashi_stored_problem_find(name);
    if (stored == NULL)
        fail_msg("there is no stored problem %s", name);
    else
        assert_true(stored->make(&problem));
    return problem;
}

#endif
