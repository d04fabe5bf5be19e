/* Stored problems of structured stacks, as in Erleben 2007, figures 10 and 13, of a size that a dense matrix can hold.
 */
#include "experiments/problems/parts.h"

#include "math/vec3.h"

static const ashi_surface_law rough = {.friction = 0.5, .sliding_friction = 0.5};

/* Balls of 1 m in a cubic grid, side by side and on each other. */
bool ashi_problem_of_ball_grid(ash_problem *problem)
{
    enum { SIDE = 3 };
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0));
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        uint32_t x = i % SIDE, y = i / SIDE % SIDE, z = i / (SIDE * SIDE);
        ash_vec3 at = v3(x, y, z + 0.5);
        uint32_t ball = ashi_make_ball(&maker, at, 0.5, 1);
        uint32_t below = z == 0 ? floor : ball - SIDE * SIDE;
        ashi_make_contact(&maker, below, ball, v3_sub(at, v3(0, 0, 0.5)), v3(0, 0, 1), &rough);
        if (x > 0)
            ashi_make_contact(&maker, ball - 1, ball, v3_sub(at, v3(0.5, 0, 0)), v3(1, 0, 0), &rough);
        if (y > 0)
            ashi_make_contact(&maker, ball - SIDE, ball, v3_sub(at, v3(0, 0.5, 0)), v3(0, 1, 0), &rough);
    }
    return ashi_make_end(&maker);
}

enum { COLUMNS = 4, COURSES = 4, PLACES = COLUMNS + 1 };

/* Bricks twice as long as wide and high; every other course is shifted by half a brick and has half bricks at its ends.
 * Where a brick of course `course` begins and ends, m. */
static void span_of(uint32_t course, uint32_t place, double *begin, double *end)
{
    double shift = course % 2 == 0 ? 0 : -0.5;
    *begin = place + shift > 0 ? place + shift : 0;
    *end = place + 1 + shift < COLUMNS ? place + 1 + shift : COLUMNS;
}

bool ashi_problem_of_wall(ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_usual(problem);
    uint32_t floor = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0)), below[PLACES] = {0}, here[PLACES] = {0};
    for (uint32_t course = 0; course < COURSES; course++) {
        uint32_t places = course % 2 == 0 ? COLUMNS : PLACES, places_below = course % 2 == 0 ? PLACES : COLUMNS;
        for (uint32_t i = 0; i < places; i++) {
            double begin, end, from, to;
            span_of(course, i, &begin, &end);
            ash_vec3 edges = v3(end - begin, 0.5, 0.5);
            here[i] = ashi_make_box(&maker, v3((begin + end) / 2, 0, 0.5 * course + 0.25), edges, 2 * (end - begin));
            if (course == 0)
                ashi_make_face(&maker, floor, here[i], v3((begin + end) / 2, 0, 0), end - begin, 0.5, &rough);
            for (uint32_t k = 0; course > 0 && k < places_below; k++) {
                span_of(course - 1, k, &from, &to);
                from = from > begin ? from : begin;
                to = to < end ? to : end;
                if (to > from)
                    ashi_make_face(&maker, below[k], here[i], v3((from + to) / 2, 0, 0.5 * course), to - from, 0.5,
                                   &rough);
            }
        }
        for (uint32_t i = 0; i < PLACES; i++)
            below[i] = here[i];
    }
    return ashi_make_end(&maker);
}
