/* The automatic camera looks from the front, right and above, and stands as near as shows everything: a point with
 * coordinates (x, y, z) along the camera's axes is within the picture when |x - ex| <= w (z - ez) and |y - ey| <= h (z
 * - ez). For each of the two the least and greatest offset of all points give ex and the largest ez, exactly. */
#include "app/picture/camera.h"

#include <math.h>

#include "math/vec3.h"

static const double margin = 0.86;      /* of the picture's half width that things may take */
static const double default_fov = 30.0; /* degrees */
static const double default_size = 1.0; /* m, of a scene without extent */
static const double reach = 1e9;        /* m, of lines of sight */

cli_view cli_default_view(void)
{
    return (cli_view){.up = {0, 0, 1}, .fov = default_fov};
}

static ash_vec3 corner(const ash_bounds *box, int i)
{
    return v3((i & 1) != 0 ? box->upper.x : box->lower.x, (i & 2) != 0 ? box->upper.y : box->lower.y,
              (i & 4) != 0 ? box->upper.z : box->lower.z);
}

static ash_bounds around(const ash_bounds *boxes, uint32_t count)
{
    ash_bounds all = {v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t i = 0; i < count; i++) {
        all.lower = v3_min(all.lower, boxes[i].lower);
        all.upper = v3_max(all.upper, boxes[i].upper);
    }
    if (count == 0)
        all.lower = all.upper = v3(0, 0, 0);
    return all;
}

static bool set_axes(cli_camera *camera, ash_vec3 forward, ash_vec3 up)
{
    double length = v3_norm(forward);
    camera->forward = v3_unit(forward);
    ash_vec3 right = v3_cross(camera->forward, v3_unit(up));
    if (!(length > 0) || !(v3_norm(right) > 1e-9))
        return false;
    camera->right = v3_unit(right);
    camera->up = v3_cross(camera->right, camera->forward);
    return true;
}

/* The middle of what is seen, as slopes against the line of sight. */
static void find_middle(const cli_camera *camera, const ash_bounds *boxes, uint32_t count, double *across, double *up)
{
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < 8 * count; i++) {
        ash_vec3 p = v3_sub(corner(&boxes[i / 8], (int)(i % 8)), camera->eye);
        double z = v3_dot(p, camera->forward), x = v3_dot(p, camera->right) / z, y = v3_dot(p, camera->up) / z;
        left = fmin(left, x);
        right = fmax(right, x);
        low = fmin(low, y);
        high = fmax(high, y);
    }
    *across = (left + right) / 2;
    *up = (low + high) / 2;
}

/* Moves the eye so that all points are seen from it along the given axes. Where there is room to spare, they are moved
 * to the middle: sideways by as much as the middle is off at the distance of the nearest point, which never overshoots,
 * until nothing is left to move. */
static void stand_back(cli_camera *camera, const ash_bounds *boxes, uint32_t count)
{
    enum { ROUNDS = 40 };
    double w = margin * camera->half_width, h = margin * camera->half_height;
    double left = -INFINITY, right = INFINITY, low = -INFINITY, high = INFINITY, nearest = INFINITY;
    for (uint32_t i = 0; i < 8 * count; i++) {
        ash_vec3 p = corner(&boxes[i / 8], (int)(i % 8));
        double x = v3_dot(p, camera->right), y = v3_dot(p, camera->up), z = v3_dot(p, camera->forward);
        left = fmax(left, x - w * z);
        right = fmin(right, x + w * z);
        low = fmax(low, y - h * z);
        high = fmin(high, y + h * z);
        nearest = fmin(nearest, z);
    }
    double back = fmin((right - left) / (2 * w), (high - low) / (2 * h));
    camera->eye = v3_add_scaled(v3_add_scaled(v3_scale(camera->forward, back), camera->right, (left + right) / 2),
                                camera->up, (low + high) / 2);
    for (int i = 0; i < ROUNDS; i++) {
        double across, up;
        find_middle(camera, boxes, count, &across, &up);
        camera->eye = v3_add_scaled(v3_add_scaled(camera->eye, camera->right, across * (nearest - back)), camera->up,
                                    up * (nearest - back));
    }
}

/* A box around a single point, so that there is something to stand back from. */
static ash_bounds with_extent(ash_bounds box)
{
    if (v3_max_component(v3_sub(box.upper, box.lower)) > 0)
        return box;
    ash_vec3 half = v3(default_size / 2, default_size / 2, default_size / 2);
    return (ash_bounds){v3_sub(box.lower, half), v3_add(box.upper, half)};
}

static void make_flat(const cli_view *view, const ash_bounds *all, double aspect, cli_camera *camera)
{
    ash_vec3 size = v3_sub(all->upper, all->lower), middle = v3_scale(v3_add(all->upper, all->lower), 0.5);
    if (view->look_given)
        middle = view->look;
    camera->flat = true;
    camera->right = v3(1, 0, 0);
    camera->up = v3(0, 1, 0);
    camera->forward = v3(0, 0, -1);
    camera->eye = v3(middle.x, middle.y, 0);
    camera->half_height = fmax(size.y, size.x / aspect) / 2 / margin;
    if (view->eye_given) /* as much as an eye at that height over the plane would see */
        camera->half_height = fabs(view->eye.z) * tan(view->fov * ASHI_PI / 360);
    if (view->eye_given && !view->look_given)
        camera->eye = v3(view->eye.x, view->eye.y, 0);
    camera->half_width = camera->half_height * aspect;
}

bool cli_camera_make(const cli_view *view, bool flat, const ash_bounds *boxes, uint32_t count, uint32_t width,
                     uint32_t height, cli_camera *camera)
{
    double aspect = (double)width / height;
    ash_bounds all = with_extent(around(boxes, count));
    ash_vec3 middle = v3_scale(v3_add(all.upper, all.lower), 0.5);
    *camera = (cli_camera){0};
    if (flat) {
        make_flat(view, &all, aspect, camera);
        return camera->half_height > 0;
    }
    camera->half_height = tan(view->fov * ASHI_PI / 360);
    camera->half_width = camera->half_height * aspect;
    ash_vec3 look = view->look_given ? view->look : middle;
    if (view->eye_given) {
        camera->eye = view->eye;
        return set_axes(camera, v3_sub(look, view->eye), view->up);
    }
    if (!set_axes(camera, v3(-0.55, 1, -0.62), view->up))
        return false;
    /* With a point to look at: as far away as the box around everything needs, but towards that point. */
    if (count <= 1 || view->look_given)
        stand_back(camera, &all, 1);
    else
        stand_back(camera, boxes, count);
    if (view->look_given)
        camera->eye = v3_add_scaled(look, camera->forward, v3_dot(v3_sub(camera->eye, middle), camera->forward));
    return true;
}

ash_ray cli_camera_ray(const cli_camera *camera, double across, double down)
{
    double x = (2 * across - 1) * camera->half_width, y = (1 - 2 * down) * camera->half_height;
    ash_vec3 aside = v3_add_scaled(v3_scale(camera->right, x), camera->up, y);
    if (camera->flat)
        return (ash_ray){v3_add(camera->eye, aside), camera->forward, reach};
    return (ash_ray){camera->eye, v3_unit(v3_add(camera->forward, aside)), reach};
}

double cli_camera_pixel(const cli_camera *camera, uint32_t height)
{
    return 2 * camera->half_height / height;
}
