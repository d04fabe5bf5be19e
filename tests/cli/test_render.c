/* The parts of pictures: the tree of items against plain loops, the chosen camera, the grid, colours, out of memory. */
#include "check.h"

#include <string.h>

#include "app/picture/camera.h"
#include "app/picture/lettering.h"
#include "app/picture/painter.h"
#include "base/alloc.h"
#include "base/random.h"
#include "math/transform.h"

static const cli_colour grey = {0.5, 0.5, 0.5};

static ash_vec3 random_point(ashi_random *random, double size)
{
    double x = ashi_random_range(random, -size, size), y = ashi_random_range(random, -size, size);
    return v3(x, y, ashi_random_range(random, -size, size));
}

/* Balls, lines and arrows of all sizes, some of them at one place, and two planes. */
static void fill(cli_items *items, ashi_random *random, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 a = random_point(random, 5), b = v3_add(a, random_point(random, 1));
        double radius = ashi_random_range(random, 0.01, 0.4);
        switch (i % 3) {
        case 0:
            cli_items_add_ball(items, i % 9 == 0 ? v3(1, 1, 1) : a, radius, grey);
            break;
        case 1:
            cli_items_add_line(items, a, b, radius / 4, grey);
            break;
        default:
            cli_items_add_arrow(items, a, b, radius / 8, grey);
        }
    }
    for (int i = 0; count > 0 && i < 2; i++) {
        ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
        ash_geometry *plane = NULL;
        assert_int_equal(ash_geometry_create(&def, &plane, NULL), ASH_OK);
        cli_items_add(items, plane, (ash_transform){v3(0, 0, -6 - i), ash_rotation(v3(1, 0, 0), 0.1 * i)}, grey, 1);
    }
}

static uint32_t ray_by_loop(const cli_items *items, const ash_ray *ray, double *t)
{
    uint32_t nearest = CLI_NO_ITEM;
    for (uint32_t i = 0; i < items->list.count; i++) {
        const cli_item *item = &items->list.data[i];
        ash_ray local = {t_point_inverse(item->pose, ray->origin), q_unrotate(item->pose.rotation, ray->direction),
                         ray->reach};
        ash_ray_hit hit;
        if (ash_geometry_ray(item->geometry, local, &hit) && (nearest == CLI_NO_ITEM || hit.t < *t)) {
            nearest = i;
            *t = hit.t;
        }
    }
    return nearest;
}

static void test_rays_find_what_a_loop_finds(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 300};
    ashi_random random = {7};
    uint32_t found = 0;
    for (uint32_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        cli_items items = {0};
        fill(&items, &random, counts[k]);
        assert_int_equal(cli_items_build(&items), ASH_OK);
        for (int i = 0; i < 3000; i++) {
            ash_ray ray = {random_point(&random, 8), v3_unit(random_point(&random, 1)), i % 4 == 0 ? 3 : 1e9};
            if (i % 5 == 0) /* along an axis */
                ray.direction = i % 2 == 0 ? v3(0, 0, -1) : v3(1, 0, 0);
            ash_ray_hit hit = {0};
            double t = 0;
            uint32_t expected = ray_by_loop(&items, &ray, &t), number = cli_items_ray(&items, &ray, &hit);
            assert_int_equal(number, expected);
            assert_int_equal(cli_items_bar(&items, &ray), expected != CLI_NO_ITEM);
            if (number != CLI_NO_ITEM) {
                assert_near(hit.t, t, 0);
                assert_near(v3_distance(hit.point, v3_add_scaled(ray.origin, ray.direction, t)), 0, 1e-9 * (1 + t));
                found++;
            }
        }
        cli_items_release(&items);
    }
    assert_true(found > 5000);
}

static void test_points_find_what_a_loop_finds(void **state)
{
    (void)state;
    enum { MOST = 400 };
    ashi_random random = {11};
    cli_items items = {0};
    for (int i = 0; i < 300; i++)
        cli_items_add_ball(&items, random_point(&random, 5), ashi_random_range(&random, 0.1, 2), grey);
    assert_int_equal(cli_items_build(&items), ASH_OK);
    for (int k = 0; k < 500; k++) {
        ash_vec3 p = random_point(&random, 6);
        double reach = k % 2 == 0 ? 0 : 0.5;
        uint32_t numbers[MOST], count = cli_items_at(&items, p, reach, numbers, MOST), next = 0;
        for (uint32_t i = 0; i < items.list.count; i++) {
            const ash_bounds *box = &items.list.data[i].bounds;
            if (p.x >= box->lower.x - reach && p.x <= box->upper.x + reach && p.y >= box->lower.y - reach &&
                p.y <= box->upper.y + reach)
                assert_int_equal(numbers[next++], i);
        }
        assert_int_equal(next, count);
        assert_int_equal(cli_items_at(&items, p, reach, numbers, 2), count < 2 ? count : 2);
    }
    cli_items_release(&items);
}

/* Where a point is in the picture, from -1 to 1 both ways. */
static ash_vec3 project(const cli_camera *camera, ash_vec3 point)
{
    ash_vec3 p = v3_sub(point, camera->eye);
    double z = v3_dot(p, camera->forward);
    assert_true(z > 0);
    return v3(v3_dot(p, camera->right) / z / camera->half_width, v3_dot(p, camera->up) / z / camera->half_height, z);
}

static void test_the_chosen_camera_holds_all_in_the_middle(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (int k = 0; k < 200; k++) {
        ash_bounds boxes[6];
        uint32_t count = 2 + ashi_random_below(&random, 5), width = 10 + ashi_random_below(&random, 1000);
        for (uint32_t i = 0; i < count; i++) {
            ash_vec3 a = v3_scale(random_point(&random, 1), k % 3 == 0 ? 1000 : 1),
                     b = v3_add(a, random_point(&random, 1));
            boxes[i] = (ash_bounds){v3_min(a, b), v3_max(a, b)};
        }
        cli_view view = cli_default_view();
        cli_camera camera;
        assert_true(cli_camera_make(&view, false, boxes, count, width, 500, &camera));
        double left = 1, right = -1, low = 1, high = -1;
        for (uint32_t i = 0; i < 8 * count; i++) {
            const ash_bounds *box = &boxes[i / 8];
            ash_vec3 p = project(&camera, v3((i & 1) != 0 ? box->upper.x : box->lower.x,
                                             (i & 2) != 0 ? box->upper.y : box->lower.y,
                                             (i & 4) != 0 ? box->upper.z : box->lower.z));
            left = fmin(left, p.x);
            right = fmax(right, p.x);
            low = fmin(low, p.y);
            high = fmax(high, p.y);
        }
        double widest = fmax(right - left, high - low);
        assert_true(left > -0.95 && right < 0.95 && low > -0.95 && high < 0.95);
        assert_true(widest > 1.4 && widest < 1.9); /* as near as that allows */
        assert_near(left + right, 0, 0.05);
        assert_near(low + high, 0, 0.05);
    }
}

static void test_rays_of_a_camera_pass_through_their_pixels(void **state)
{
    (void)state;
    cli_view view = cli_default_view();
    view.eye_given = view.look_given = true;
    view.eye = v3(3, -4, 2);
    view.look = v3(0.5, 1, -1);
    cli_camera camera;
    assert_true(cli_camera_make(&view, false, NULL, 0, 640, 360, &camera));
    for (int i = 0; i <= 10; i++)
        for (int j = 0; j <= 10; j++) {
            ash_ray ray = cli_camera_ray(&camera, i / 10.0, j / 10.0);
            ash_vec3 place = project(&camera, v3_add_scaled(ray.origin, ray.direction, 7));
            assert_near(v3_norm(ray.direction), 1, 1e-14);
            assert_near(place.x, i / 5.0 - 1, 1e-12);
            assert_near(place.y, 1 - j / 5.0, 1e-12);
        }
    ash_ray middle = cli_camera_ray(&camera, 0.5, 0.5);
    assert_near(v3_norm(v3_cross(middle.direction, v3_unit(v3_sub(view.look, view.eye)))), 0, 1e-14);
    view.look = view.eye;
    assert_false(cli_camera_make(&view, false, NULL, 0, 640, 360, &camera));
}

static void test_the_grid_keeps_its_mean_at_any_width(void **state)
{
    (void)state;
    cli_grid grid = cli_grid_for(30);
    assert_near(grid.minor, 2, 1e-12);
    assert_near(grid.major, 10, 1e-12);
    assert_true(cli_grid_cover(&grid, 0, 0, 0, 0) > cli_grid_cover(&grid, 2, 3, 0, 0));
    assert_true(cli_grid_cover(&grid, 2, 3, 0, 0) > 0);
    assert_near(cli_grid_cover(&grid, 1, 1, 0, 0), 0, 0);
    assert_near(cli_grid_cover(&grid, -1, 21, 0.1, 0.1), 0, 0);
    /* Far away, where a pixel holds many lines, it is the same everywhere. */
    double tint = cli_grid_cover(&grid, 0, 0, 2000, 2000);
    assert_true(tint > 0 && tint < 0.1);
    for (int i = 0; i < 50; i++)
        assert_near(cli_grid_cover(&grid, 0.37 * i, 0.73 * i, 2000, 2000), tint, 2e-3 * tint);
}

static void test_colours_go_to_the_screen_and_back(void **state)
{
    (void)state;
    for (uint32_t value = 0; value < 256; value++) {
        uint8_t bytes[3];
        cli_colour_encode(cli_colour_of(value << 16 | (255 - value) << 8 | (value ^ 85)), bytes);
        assert_int_equal(bytes[0], value);
        assert_int_equal(bytes[1], 255 - value);
        assert_int_equal(bytes[2], value ^ 85);
    }
    uint8_t bytes[3];
    cli_colour_encode((cli_colour){NAN, -1, 7}, bytes);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[1], 0);
    assert_int_equal(bytes[2], 255);
}

static void test_running_out_of_memory_is_told(void **state)
{
    (void)state;
    uint64_t needed = 0;
    for (uint64_t k = 0; k <= needed; k++) {
        ashi_random random = {5};
        cli_items items = {0};
        ash_memory before = ash_memory_used();
        ashi_alloc_fail_at(k, false);
        for (int i = 0; i < 10; i++)
            cli_items_add_arrow(&items, random_point(&random, 1), random_point(&random, 1), 0.01, grey);
        ash_status status = cli_items_build(&items);
        uint64_t made = ashi_alloc_fail_at(0, false);
        assert_int_equal(status, k == 0 ? ASH_OK : ASH_OUT_OF_MEMORY);
        needed = k == 0 ? made : needed;
        cli_items_release(&items);
        assert_int_equal(ash_memory_used().bytes, before.bytes);
    }
    assert_true(needed > 20);
}

static uint32_t dark_pixels(const cli_canvas *canvas)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < canvas->width * canvas->height; i++)
        count += canvas->pixels[3 * i] < 128;
    return count;
}

/* Letters are where they should be, cut off at the edges, and each has a form of its own. */
static void test_letters_are_drawn(void **state)
{
    (void)state;
    static const char all[] = "0123456789abcdefghijklmnopqrstuvwxyzN.,-+/()";
    const cli_colour black = {0, 0, 0}, white = {1, 1, 1};
    cli_canvas canvas, seen[sizeof all - 1];
    assert_true(cli_canvas_create(&canvas, 40, 20));
    cli_fill(&canvas, -100, -100, 1000, 1000, white, 1);
    assert_int_equal(dark_pixels(&canvas), 0);
    cli_letter(&canvas, 2, 3, 2, "1", black); /* ten dots, each of four pixels */
    assert_int_equal(dark_pixels(&canvas), 40);
    assert_true(canvas.pixels[3 * (3 * 40 + 6)] == 0); /* its tip */
    cli_fill(&canvas, 0, 0, 40, 20, white, 1);
    cli_letter(&canvas, -4, -4, 3, "888888888888", black);
    cli_letter(&canvas, 0, 0, 1, "?", black); /* there is none */
    assert_true(dark_pixels(&canvas) > 0);
    for (size_t i = 0; i < sizeof all - 1; i++) {
        const char text[2] = {all[i], 0};
        assert_true(cli_canvas_create(&seen[i], 8, 10));
        cli_fill(&seen[i], 0, 0, 8, 10, white, 1);
        cli_letter(&seen[i], 0, 0, 1, text, black);
        assert_true(dark_pixels(&seen[i]) > 0);
        for (size_t k = 0; k < i; k++)
            assert_true(memcmp(seen[i].pixels, seen[k].pixels, 240) != 0);
    }
    for (size_t i = 0; i < sizeof all - 1; i++)
        cli_canvas_release(&seen[i]);
    cli_canvas_release(&canvas);
}

/* The scale of values runs from dark to light, evenly. */
static void test_the_scale_gets_lighter(void **state)
{
    (void)state;
    double last = -1;
    for (int i = 0; i <= 100; i++) {
        cli_colour colour = cli_share_colour(i / 100.0);
        double light = 0.2126 * colour.r + 0.7152 * colour.g + 0.0722 * colour.b;
        assert_true(light > last);
        last = light;
    }
    cli_colour below = cli_share_colour(-3), least = cli_share_colour(0), above = cli_share_colour(9),
               most = cli_share_colour(1);
    assert_true(below.b == least.b && above.r == most.r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_find_what_a_loop_finds),
        cmocka_unit_test(test_points_find_what_a_loop_finds),
        cmocka_unit_test(test_the_chosen_camera_holds_all_in_the_middle),
        cmocka_unit_test(test_rays_of_a_camera_pass_through_their_pixels),
        cmocka_unit_test(test_the_grid_keeps_its_mean_at_any_width),
        cmocka_unit_test(test_colours_go_to_the_screen_and_back),
        cmocka_unit_test(test_letters_are_drawn),
        cmocka_unit_test(test_the_scale_gets_lighter),
        cmocka_unit_test(test_running_out_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
