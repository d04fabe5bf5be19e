/* Stored problems that are badly posed or badly scaled. A solver must end, with finite numbers and honest flags. */
#include "experiments/problems/parts.h"

#include "math/vec3.h"

static const ashi_surface_law rough = {.friction = 0.5, .sliding_friction = 0.5};

static uint32_t make_floor(ashi_problem_maker *maker)
{
    return ashi_make_body(maker, v3(0, 0, 0), 0, v3(0, 0, 0));
}

/* Each corner of a box's face three times, and once more shifted by rounding errors. */
bool ashi_problem_of_coincident(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), box = ashi_make_box(&maker, v3(0, 0, 0.5), v3(1, 1, 1), 1);
    ashi_make_moving(&maker, box, v3(0.2, 0, 0), v3(0, 0.1, 0));
    for (uint32_t i = 0; i < 3; i++)
        ashi_make_face(&maker, floor, box, v3(0, 0, 0), 1, 1, &rough);
    ashi_make_face(&maker, floor, box, v3(1e-15, -1e-15, 0), 1 + 1e-15, 1, &rough);
    return ashi_make_end(&maker);
}

/* A rod on a floor: its contacts cannot hold it from turning about the line. */
bool ashi_problem_of_parallel(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), rod = ashi_make_box(&maker, v3(0, 0, 0.05), v3(2, 0.1, 0.1), 1);
    ashi_make_moving(&maker, rod, v3(0, 0.3, 0), v3(-6, 0, 0.5));
    for (uint32_t i = 0; i < 12; i++)
        ashi_make_contact(&maker, floor, rod, v3(2.0 * i / 11 - 1, 0, 0), v3(0, 0, 1), &rough);
    return ashi_make_end(&maker);
}

/* In a narrow V: friction could hold it by itself, so that the normal impulses are not unique. */
bool ashi_problem_of_wedged(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t left = make_floor(&maker), right = make_floor(&maker);
    uint32_t box = ashi_make_box(&maker, v3(0, 0, 5), v3(1, 1, 1), 1);
    ashi_make_moving(&maker, box, v3(0, 0.1, -1), v3(0, 0, 0));
    for (uint32_t k = 0; k < 4; k++) {
        double y = k % 2 == 0 ? -0.5 : 0.5, z = k < 2 ? 4.5 : 5.5;
        ashi_make_contact(&maker, left, box, v3(-0.5, y, z), v3_unit(v3(1, 0, 0.1)), &rough);
        ashi_make_contact(&maker, right, box, v3(0.5, y, z), v3_unit(v3(-1, 0, 0.1)), &rough);
    }
    return ashi_make_end(&maker);
}

bool ashi_problem_of_immovable_pair(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), wall = make_floor(&maker);
    ashi_make_moving(&maker, wall, v3(0, 0, -1), v3(0, 0, 0)); /* driven into the floor: nothing can stop it */
    uint32_t box = ashi_make_box(&maker, v3(0, 0, 0.5), v3(1, 1, 1), 1);
    ashi_make_face(&maker, floor, wall, v3(3, 0, 0), 1, 1, &rough);
    ashi_make_face(&maker, floor, box, v3(0, 0, 0), 1, 1, &rough);
    ashi_make_contact(&maker, floor, floor, v3(0, 0, 0), v3(0, 0, 1), &rough);
    return ashi_make_end(&maker);
}

/* A slope of ice beside one of glue, and a box that is on both. */
bool ashi_problem_of_extreme_friction(ash_problem *problem)
{
    static const ashi_surface_law ice = {.friction = 0}, glue = {.friction = 1e6, .sliding_friction = 1e6};
    ashi_problem_maker maker = ashi_make_begin(problem, 1.0 / 60, v3(3, 0, -9.3));
    uint32_t floor = make_floor(&maker);
    for (uint32_t i = 0; i < 3; i++) {
        double x = 3.0 * i;
        uint32_t box = ashi_make_box(&maker, v3(x, 0, 0.5), v3(1, 1, 1), 1);
        ashi_make_moving(&maker, box, v3(0, 1, 0), v3(0, 0, 0));
        ashi_make_face(&maker, floor, box, v3(x - 0.25, 0, 0), 0.5, 1, i == 1 ? &glue : &ice);
        ashi_make_face(&maker, floor, box, v3(x + 0.25, 0, 0), 0.5, 1, i == 0 ? &ice : &glue);
    }
    return ashi_make_end(&maker);
}

/* 1e4 kg on 1e-4 kg on 1 kg on 1e-4 kg. */
bool ashi_problem_of_mass_ratio(ash_problem *problem)
{
    static const double masses[4] = {1e-4, 1, 1e-4, 1e4};
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t below = make_floor(&maker);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t box = ashi_make_box(&maker, v3(0, 0, i + 0.5), v3(1, 1, 1), masses[i]);
        ashi_make_face(&maker, below, box, v3(0, 0, i), 1, 1, &rough);
        below = box;
    }
    return ashi_make_end(&maker);
}
