/* First guesses of bodies that slide and roll over triangles: whichever triangles they pass, what the contacts bore in
 * the last step, which is the weight, is where the next step begins. */
#include "step/piles.h"

#include "ashlar/problem.h"
#include "shape/tessellate.h"

#include <math.h>

#define GRAVITY 9.81

/* A floor at z = 0 of n x n squares, each of two triangles, as a mesh or a height field. */
static void add_triangles(ash_world *world, uint32_t n, bool mesh)
{
    double half = 3;
    if (mesh) {
        ashi_tessellation box;
        assert_true(ashi_mesh_box(n, v3(half, half, 0.5), &box));
        ash_geometry_def def = ashi_tessellation_def(&box);
        add_shape(world, &def, ASH_BODY_STATIC, 0, v3(0, 0, -0.5), v3(0, 0, 0));
        ashi_tessellation_release(&box);
        return;
    }
    double heights[64 * 64] = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    assert_true(n < 64);
    def.cells[0] = def.cells[1] = n + 1;
    def.origin = v3(-half, -half, 0);
    def.spacing = v3(2 * half / n, 2 * half / n, 0);
    def.values = heights;
    add_shape(world, &def, ASH_BODY_STATIC, 0, v3(0, 0, 0), v3(0, 0, 0));
}

/* The sum of the normal forces that the next step begins with. */
static double first_guess(ash_world *world, double h, ash_problem *problem)
{
    assert_int_equal(ash_world_next_problem(world, h, problem), ASH_OK);
    double sum = 0;
    for (uint32_t k = 0; k < problem->point_count; k++)
        sum += problem->points[k].impulse.x;
    return sum / h;
}

/* The largest relative error of the first guess of the weight, once the body has settled. */
static double worst_guess(ash_world *world, ash_body body, double h)
{
    ash_problem problem = {0};
    double weight = ash_body_get_mass(world, body).mass * GRAVITY, worst = 0;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        if (i >= 20)
            worst = fmax(worst, fabs(first_guess(world, h, &problem) / weight - 1));
    }
    ash_problem_release(&problem);
    assert_true(v3_norm(ash_body_get_velocity(world, body)) > 0.5); /* it has gone on all the time */
    return worst;
}

/* Methods with a contact margin: without one, points of a face that lies flat come and go by rounding. */
static const char *const methods[] = {"realtime", "engineering"};
enum { METHODS = sizeof methods / sizeof *methods };

static void check(const char *what, int method, bool mesh, uint32_t squares, ash_geometry_kind kind, double friction)
{
    double h = 0.01, radius = 0.2;
    ash_world *world = make_held_world(methods[method], v3(0, 0, -GRAVITY), 1);
    set_surface(world, friction, 0);
    add_triangles(world, squares, mesh);
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = radius;
    def.height = 2 * radius;
    def.half_extents = v3(0.25, 0.2, radius);
    ash_vec3 velocity = v3(0.9, 0.47, 0);
    ash_body body = add_shape(world, &def, ASH_BODY_DYNAMIC, 800, v3(-1.1, -0.6, radius), velocity);
    if (kind == ASH_GEOMETRY_SPHERE)
        assert_int_equal(ash_body_set_angular_velocity(world, body, v3(-velocity.y / radius, velocity.x / radius, 0)),
                         ASH_OK);
    double worst = worst_guess(world, body, h);
    if (!(worst < 0.1))
        fail_msg("%s by %s over a %s of %u squares: first guess off by %g of the weight", what, methods[method],
                 mesh ? "mesh" : "height field", squares, worst);
    ash_world_destroy(world);
}

static void guesses_pass_from_triangle_to_triangle(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (uint32_t squares = 5; squares < 64; squares += 28)
            for (int mesh = 0; mesh < 2; mesh++) {
                check("box that slides", m, mesh == 1, squares, ASH_GEOMETRY_BOX, 0);
                check("cylinder that slides", m, mesh == 1, squares, ASH_GEOMETRY_CYLINDER, 0);
                check("ball that rolls", m, mesh == 1, squares, ASH_GEOMETRY_SPHERE, 0.6);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guesses_pass_from_triangle_to_triangle),
    };
    return cmocka_run_group_tests_name("step/warm", tests, NULL, NULL);
}
