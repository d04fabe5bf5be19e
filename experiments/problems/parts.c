/* What stored problems share: faces and pyramids of cubes. */
#include "experiments/problems/parts.h"

#include "math/vec3.h"

ashi_problem_maker ashi_make_usual(ash_problem *problem)
{
    return ashi_make_begin(problem, 1.0 / 60, v3(0, 0, -9.81));
}

void ashi_make_face(ashi_problem_maker *maker, uint32_t below, uint32_t above, ash_vec3 centre, double edge_x,
                    double edge_y, const ashi_surface_law *surface)
{
    static const double side_x[4] = {-0.5, 0.5, 0.5, -0.5}, side_y[4] = {-0.5, -0.5, 0.5, 0.5};
    for (uint32_t i = 0; i < 4; i++) {
        ash_vec3 point = v3_add(centre, v3(side_x[i] * edge_x, side_y[i] * edge_y, 0));
        ashi_make_contact(maker, below, above, point, v3(0, 0, 1), surface);
    }
}

uint32_t ashi_make_pyramid(ashi_problem_maker *maker, uint32_t floor, uint32_t base, double top_mass,
                           const ashi_surface_law *surface)
{
    uint32_t first = UINT32_MAX, row_below = 0;
    for (uint32_t row = 0; row < base; row++) {
        uint32_t row_first = 0;
        for (uint32_t i = 0; i < base - row; i++) {
            double x = i + 0.5 * row;
            double mass = row + 1 == base ? top_mass : 1;
            uint32_t box = ashi_make_box(maker, v3(x, 0, row + 0.5), v3(1, 1, 1), mass);
            row_first = i == 0 ? box : row_first;
            first = first == UINT32_MAX ? box : first;
            if (row == 0) {
                ashi_make_face(maker, floor, box, v3(x, 0, 0), 1, 1, surface);
            } else { /* half of it on each of the two below */
                ashi_make_face(maker, row_below + i, box, v3(x - 0.25, 0, row), 0.5, 1, surface);
                ashi_make_face(maker, row_below + i + 1, box, v3(x + 0.25, 0, row), 0.5, 1, surface);
            }
        }
        row_below = row_first;
    }
    return first;
}
