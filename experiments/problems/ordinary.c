/* Stored problems of the ordinary kind: things that stand, slide, roll and hit. Cubes have edges of 1 m and a mass of
 * 1 kg where nothing else is said; the floor's top is z = 0. */
#include "experiments/problems/parts.h"

#include "math/vec3.h"

static const ashi_surface_law rough = {.friction = 0.5, .sliding_friction = 0.5};

static uint32_t make_floor(ashi_problem_maker *maker)
{
    return ashi_make_body(maker, v3(0, 0, 0), 0, v3(0, 0, 0));
}

static uint32_t make_cube(ashi_problem_maker *maker, ash_vec3 place, double mass)
{
    return ashi_make_box(maker, place, v3(1, 1, 1), mass);
}

bool ashi_problem_of_rest(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), box = make_cube(&maker, v3(0, 0, 0.5), 1);
    ashi_make_face(&maker, floor, box, v3(0, 0, 0), 1, 1, &rough);
    return ashi_make_end(&maker);
}

/* Cubes on each other, with these masses from below. */
static bool make_tower(ash_problem *problem, uint32_t count, double mass, double top_mass)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t below = make_floor(&maker);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t box = make_cube(&maker, v3(0, 0, i + 0.5), i + 1 == count ? top_mass : mass);
        ashi_make_face(&maker, below, box, v3(0, 0, i), 1, 1, &rough);
        below = box;
    }
    return ashi_make_end(&maker);
}

bool ashi_problem_of_stack(ash_problem *problem)
{
    return make_tower(problem, 25, 1, 1);
}

bool ashi_problem_of_heavy_on_light(ash_problem *problem)
{
    return make_tower(problem, 6, 1, 1000);
}

static bool make_pile(ash_problem *problem, double top_mass)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker);
    ashi_make_pyramid(&maker, floor, 20, top_mass, &rough);
    return ashi_make_end(&maker);
}

bool ashi_problem_of_pile(ash_problem *problem)
{
    return make_pile(problem, 1);
}

bool ashi_problem_of_pile_heavy_top(ash_problem *problem)
{
    return make_pile(problem, 1000);
}

/* A box comes along the floor and meets the pyramid's lowest row; neighbours touch. */
bool ashi_problem_of_shove(ash_problem *problem)
{
    enum { BASE = 10 };
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker);
    uint32_t first = ashi_make_pyramid(&maker, floor, BASE, 1, &rough);
    uint32_t shover = make_cube(&maker, v3(-1, 0, 0.5), 5);
    ashi_make_moving(&maker, shover, v3(5, 0.5, 0), v3(0, 0, 0.3));
    ashi_make_face(&maker, floor, shover, v3(-1, 0, 0), 1, 1, &rough);
    for (uint32_t i = 0; i < BASE; i++)
        for (uint32_t k = 0; k < 4; k++) {
            ash_vec3 point = v3(i - 0.5, k % 2 == 0 ? -0.5 : 0.5, k < 2 ? 0 : 1);
            ashi_make_contact(&maker, i == 0 ? shover : first + i - 1, first + i, point, v3(1, 0, 0), &rough);
        }
    return ashi_make_end(&maker);
}

/* One plate on 9 x 9 feet: of 81 normal impulses three are determined. */
bool ashi_problem_of_redundant(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), plate = ashi_make_box(&maker, v3(0, 0, 0.8), v3(2, 2, 0.1), 20);
    ashi_make_moving(&maker, plate, v3(0.1, 0, 0), v3(0.02, 0, 0.1));
    for (uint32_t i = 0; i < 9; i++)
        for (uint32_t k = 0; k < 9; k++)
            ashi_make_contact(&maker, floor, plate, v3(0.25 * i - 1, 0.25 * k - 1, 0), v3(0, 0, 1), &rough);
    return ashi_make_end(&maker);
}

bool ashi_problem_of_sliding(ash_problem *problem)
{
    static const ashi_surface_law smooth = {.friction = 0.2, .sliding_friction = 0.2};
    static const ashi_surface_law belt = {.friction = 0.3, .sliding_friction = 0.3, .velocity = {-1, 0.5, 0}};
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker);
    uint32_t lower = make_cube(&maker, v3(0, 0, 0.5), 2), upper = make_cube(&maker, v3(0.1, 0.2, 1.5), 1);
    ashi_make_moving(&maker, lower, v3(2, 1, 0), v3(0, 0, 0.5));
    ashi_make_moving(&maker, upper, v3(-1, 0.5, 0), v3(0, 0, -1));
    ashi_make_face(&maker, floor, lower, v3(0, 0, 0), 1, 1, &rough);
    ashi_make_face(&maker, lower, upper, v3(0.05, 0.1, 1), 0.9, 0.8, &smooth);
    uint32_t carried = make_cube(&maker, v3(5, 0, 0.5), 1), quick = make_cube(&maker, v3(6, 0, 0.5), 1);
    ashi_make_moving(&maker, quick, v3(-1.5, 0.4, 0), v3(0, 0, 0));
    ashi_make_face(&maker, floor, carried, v3(5, 0, 0), 1, 1, &belt);
    ashi_make_face(&maker, floor, quick, v3(6, 0, 0), 1, 1, &belt);
    for (uint32_t k = 0; k < 4; k++)
        ashi_make_contact(&maker, carried, quick, v3(5.5, k % 2 == 0 ? -0.5 : 0.5, k < 2 ? 0 : 1), v3(1, 0, 0), &rough);
    return ashi_make_end(&maker);
}

/* Boxes pushed with 0.1 g, 0.2 g, ... against static friction of 0.5 and sliding friction of 0.3. */
bool ashi_problem_of_giving_way(ash_problem *problem)
{
    static const ashi_surface_law brittle = {.friction = 0.5, .sliding_friction = 0.3};
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker);
    for (uint32_t i = 1; i <= 8; i++) {
        uint32_t box = make_cube(&maker, v3(2.0 * i, 0, 0.5), 1);
        ashi_make_face(&maker, floor, box, v3(2.0 * i, 0, 0), 1, 1, &brittle);
        if (!maker.failed)
            problem->bodies[box].velocity.x += (0.1 * i + 0.03) * 9.81 * problem->h;
    }
    return ashi_make_end(&maker);
}

/* A box lands on an edge, spinning; a ball hits a row of three that touch. */
bool ashi_problem_of_impact(ash_problem *problem)
{
    static const ashi_surface_law lively = {.friction = 0.4, .sliding_friction = 0.4, .restitution = 0.5};
    static const ashi_surface_law elastic = {.friction = 0.1, .sliding_friction = 0.1, .restitution = 1};
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), box = make_cube(&maker, v3(0.3, 0, 0.6), 1);
    ashi_make_moving(&maker, box, v3(1, 0.5, -3), v3(0.2, 1, 0.3));
    ashi_make_contact(&maker, floor, box, v3(0, -0.5, 0), v3(0, 0, 1), &lively);
    ashi_make_contact(&maker, floor, box, v3(0, 0.5, 0), v3(0, 0, 1), &lively);
    uint32_t before = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t ball = ashi_make_ball(&maker, v3(5 + 0.2 * i, 0, 0.1), 0.1, 0.5);
        if (i == 0)
            ashi_make_moving(&maker, ball, v3(2, 0, 0), v3(0, 20, 0));
        ashi_make_contact(&maker, floor, ball, v3(5 + 0.2 * i, 0, 0), v3(0, 0, 1), &elastic);
        if (i > 0)
            ashi_make_contact(&maker, before, ball, v3(4.9 + 0.2 * i, 0, 0.1), v3(1, 0, 0), &elastic);
        before = ball;
    }
    return ashi_make_end(&maker);
}

bool ashi_problem_of_rolling(ash_problem *problem)
{
    static const ashi_surface_law felt = {
        .friction = 0.4, .sliding_friction = 0.4, .rolling = 0.002, .spinning = 0.001};
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker);
    static const ash_vec3 spins[4] = {{0, 10, 0}, {0, 10, 5}, {0.01, 0, 0.02}, {-20, 3, 8}};
    uint32_t before = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t ball = ashi_make_ball(&maker, v3(0.1 * i, 0, 0.05), 0.05, 0.2);
        ashi_make_moving(&maker, ball, v3(i == 3 ? -0.5 : 0.5, 0, 0), spins[i]);
        ashi_make_contact(&maker, floor, ball, v3(0.1 * i, 0, 0), v3(0, 0, 1), &felt);
        if (i > 0)
            ashi_make_contact(&maker, before, ball, v3(0.1 * i - 0.05, 0, 0.05), v3(1, 0, 0), &felt);
        before = ball;
    }
    return ashi_make_end(&maker);
}

/* Squares of half a metre in the plane, y up: a wall four wide and five high in running bond. */
bool ashi_problem_of_planar(ash_problem *problem)
{
    static const ashi_surface_law brick = {.friction = 0.5, .sliding_friction = 0.5, .rolling = 0.001};
    ashi_problem_maker maker = ashi_make_begin(problem, 0.01, v3(0, -9.81, 0));
    problem->planar = true;
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0));
    uint32_t first = 0;
    for (uint32_t row = 0; row < 5; row++)
        for (uint32_t i = 0; i < 4; i++) {
            double x = 0.5 * i + 0.25 * (row % 2), y = 0.5 * row;
            uint32_t box = ashi_make_box(&maker, v3(x, y + 0.25, 0), v3(0.5, 0.5, 0), 2);
            first = row == 0 && i == 0 ? box : first;
            for (uint32_t side = 0; side < 2; side++) {
                /* the neighbour below on that side, if there is one; the floor is below all */
                uint32_t column = i + side - (row % 2 == 0);
                if (row > 0 && column >= 4)
                    continue;
                uint32_t below = row == 0 ? floor : first + 4 * (row - 1) + column;
                double from = row == 0 ? x - 0.25 + 0.5 * side : x - 0.25 + 0.25 * side;
                ashi_make_contact(&maker, below, box, v3(from, y, 0), v3(0, 1, 0), &brick);
                if (row > 0)
                    ashi_make_contact(&maker, below, box, v3(from + 0.25, y, 0), v3(0, 1, 0), &brick);
            }
        }
    return ashi_make_end(&maker);
}

/* Ten rods hang in a slanting line from a fixed body by ball joints; the last one lies on the floor. The third joint
 * has a motor with a limited moment, the fifth a limit at its end, the seventh a spring. */
bool ashi_problem_of_chain(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = make_floor(&maker), before = floor;
    for (uint32_t i = 0; i < 10; i++) {
        ash_vec3 joint = v3(i, 0, 2 - 0.2 * i);
        uint32_t rod = ashi_make_box(&maker, v3_add(joint, v3(0.5, 0, -0.1)), v3(1, 0.1, 0.1), 1);
        ashi_make_moving(&maker, rod, v3(0, 0.1 * i, 0), v3(0, 0, 0.1));
        ashi_make_rows(&maker, before, rod);
        ashi_make_force_row(&maker, joint, v3(1, 0, 0));
        ashi_make_force_row(&maker, joint, v3(0, 1, 0));
        ashi_make_force_row(&maker, joint, v3(0, 0, 1));
        ash_problem_row *extra = i == 2 || i == 4 || i == 6 ? ashi_make_moment_row(&maker, v3(0, 1, 0)) : NULL;
        if (i == 2) {
            extra->bias = -2;
            extra->lower = -0.05;
            extra->upper = 0.05;
        } else if (i == 4) {
            extra->lower = 0;
        } else if (i == 6) {
            extra->bias = 0.1;
            extra->softness = 2;
        }
        before = rod;
    }
    ashi_make_contact(&maker, floor, before, v3(10, 0, 0), v3(0, 0, 1), &rough);
    return ashi_make_end(&maker);
}
