/* From where a picture is taken. */
#ifndef CLI_RENDER_CAMERA_H
#define CLI_RENDER_CAMERA_H

#include "ashlar/geometry.h"

/* What the user asked for. */
typedef struct cli_view {
    bool eye_given, look_given, fov_given;
    ash_vec3 eye, look, up;
    double fov; /* degrees, from the top edge to the bottom edge */
} cli_view;
cli_view cli_default_view(void);

typedef struct cli_camera {
    ash_vec3 eye;                   /* flat: the middle of the picture, in the xy plane */
    ash_vec3 right, up, forward;    /* unit, perpendicular */
    double half_width, half_height; /* of what is seen, at distance 1; flat: m */
    bool flat;                      /* parallel lines of sight along -z */
} cli_camera;

/* A camera that shows all of `points` (their boxes) in a picture of that shape: as the view says, the rest chosen. In a
 * flat world from the front. False when eye and look coincide or the view's up is along the line of sight. */
bool cli_camera_make(const cli_view *view, bool flat, const ash_bounds *boxes, uint32_t count, uint32_t width,
                     uint32_t height, cli_camera *camera);

/* The line of sight through a place of the picture, (0, 0) its upper left and (1, 1) its lower right corner; the
 * direction is a unit vector. */
ash_ray cli_camera_ray(const cli_camera *camera, double across, double down);

/* The width of a pixel at distance 1; flat: m. */
double cli_camera_pixel(const cli_camera *camera, uint32_t height);

#endif
