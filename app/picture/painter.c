/* Painting in space, in batches of rays: lines of sight through the world, then from what they meet one way to the sun
 * and one to the sky, all by ash_world_cast_rays on the world's threads. The solids that are no shapes are met beside
 * it. Every value of a batch has its own place, so threads cannot change the picture. */
#include "app/picture/painter.h"

#include <math.h>

#include "app/picture/light.h"
#include "ashlar/query.h"
#include "math/transform.h"

enum { BATCH = 1 << 14, CHUNK = 256 };

static const double bias_of_size = 1e-6; /* how far from a surface secondary rays start */
static const double haze_of_size = 6;    /* where floors begin to fade */
static const double behind = 0.45;       /* opacity of marks behind something */
static const double gloss = 0.16;
static const double far_away = 1e9; /* m */

/* The arrays of a batch: one entry a sample, for secondary rays two. */
typedef struct ray_batch {
    const cli_painter *painter;
    cli_grid grid;
    double pixel; /* width at distance 1 */
    uint64_t first_pixel;
    uint32_t samples; /* in this batch, of all its pixels */
    uint32_t secondary;
    ash_ray *rays;
    bool *found;
    ash_cast_hit *hits;
    cli_surface *surfaces;
    uint32_t *secondary_of; /* number of the sample's ray to the sun; that to the sky follows */
} ray_batch;

void cli_sample_place(uint32_t index, double *x, double *y)
{
    /* Powers of the plastic number's inverse: each new point falls into the largest gap. */
    double whole;
    *x = modf(0.5 + index * 0.7548776662466927, &whole);
    *y = modf(0.5 + index * 0.5698402909980532, &whole);
}

/* Two numbers from 0 to 1 for a sample: spread over the samples of a pixel, shifted from pixel to pixel. */
static void spread(const ray_batch *batch, uint32_t sample, uint32_t kind, double *u, double *v)
{
    uint32_t per_pixel = batch->painter->samples, index = sample % per_pixel;
    uint64_t pixel = batch->first_pixel + sample / per_pixel;
    double column = (double)(pixel % batch->painter->canvas->width),
           row = (double)(pixel / batch->painter->canvas->width);
    double whole, reversed = 0;
    for (uint32_t bits = index, weight = 1; bits != 0; bits >>= 1)
        reversed += (bits & 1) / (double)(weight <<= 1);
    double shift = 0.7548776662466927 * column + 0.5698402909980532 * row + 0.37 * kind;
    double other = 0.5698402909980532 * column + 0.3247179572447460 * row + 0.61 * kind;
    *u = modf((index + 0.5) / per_pixel + shift, &whole);
    *v = modf(reversed + other, &whole);
}

static void aim(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    ray_batch *batch = data;
    const cli_canvas *canvas = batch->painter->canvas;
    uint32_t per_pixel = batch->painter->samples;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        uint64_t pixel = batch->first_pixel + i / per_pixel;
        double x, y;
        cli_sample_place(i % per_pixel, &x, &y);
        batch->rays[i] = cli_camera_ray(batch->painter->camera, ((double)(pixel % canvas->width) + x) / canvas->width,
                                        ((double)(pixel / canvas->width) + y) / canvas->height);
    }
}

/* The floor's colour with its grid: p in the floor's own plane. */
static void lay_floor(const ray_batch *batch, cli_surface *surface, ash_vec3 p, ash_vec3 sight)
{
    const cli_subject *subject = batch->painter->subject;
    double footprint = 0.8 * surface->distance * batch->pixel, steep = fmax(fabs(sight.z), 1e-6);
    double level = hypot(sight.x, sight.y), stretch = level > 0 ? (1 / steep - 1) / level : 0;
    double width_x = footprint * (1 + fabs(sight.x) * stretch), width_y = footprint * (1 + fabs(sight.y) * stretch);
    surface->colour = cli_colour_mix(subject->theme.ground, subject->theme.line,
                                     cli_grid_cover(&batch->grid, p.x, p.y, width_x, width_y));
    double away = v3_distance(surface->point, subject->centre) / (haze_of_size * subject->size);
    surface->haze = 1 - exp(-away * away);
    surface->gloss = 0;
    surface->is_floor = true;
}

static void meet_shape(const ray_batch *batch, uint32_t i, cli_surface *surface)
{
    const cli_subject *subject = batch->painter->subject;
    const ash_cast_hit *hit = &batch->hits[i];
    const cli_item *item = cli_subject_shape(subject, hit->shape);
    *surface = (cli_surface){.any = true,
                             .distance = hit->t,
                             .point = hit->point,
                             .normal = hit->normal,
                             .sight = batch->rays[i].direction,
                             .colour = item->colour,
                             .gloss = gloss};
    if (ash_geometry_get_definition(item->geometry)->kind == ASH_GEOMETRY_PLANE)
        lay_floor(batch, surface, t_point_inverse(item->pose, hit->point),
                  q_unrotate(item->pose.rotation, surface->sight));
}

static void meet_solid(const ray_batch *batch, uint32_t i, cli_surface *surface)
{
    const cli_items *solids = &batch->painter->subject->solids;
    ash_ray ray = batch->rays[i];
    ash_ray_hit hit;
    ray.reach = surface->any ? surface->distance : ray.reach;
    uint32_t number = cli_items_ray(solids, &ray, &hit);
    if (number != CLI_NO_ITEM)
        *surface = (cli_surface){.any = true,
                                 .distance = hit.t,
                                 .point = hit.point,
                                 .normal = hit.normal,
                                 .sight = ray.direction,
                                 .colour = solids->list.data[number].colour,
                                 .gloss = gloss};
}

static void meet_grid(const ray_batch *batch, uint32_t i, cli_surface *surface)
{
    const cli_subject *subject = batch->painter->subject;
    const ash_ray *ray = &batch->rays[i];
    double t = (subject->floor - ray->origin.z) / ray->direction.z;
    if (!subject->has_grid || !(ray->direction.z < 0) || !(t > 0) || (surface->any && surface->distance <= t))
        return;
    *surface = (cli_surface){.any = true,
                             .distance = t,
                             .point = v3_add_scaled(ray->origin, ray->direction, t),
                             .normal = v3(0, 0, 1),
                             .sight = ray->direction};
    lay_floor(batch, surface, surface->point, ray->direction);
}

static void meet(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    ray_batch *batch = data;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        cli_surface *surface = &batch->surfaces[i];
        *surface = (cli_surface){.sight = batch->rays[i].direction};
        if (batch->found[i])
            meet_shape(batch, i, surface);
        meet_solid(batch, i, surface);
        meet_grid(batch, i, surface);
    }
}

/* Gives each sample that met something its two secondary rays. In order, so that it is the same for any threads. */
static void number_secondary(ray_batch *batch)
{
    batch->secondary = 0;
    for (uint32_t i = 0; i < batch->samples; i++)
        if (batch->surfaces[i].any && batch->surfaces[i].haze < 0.999) {
            batch->secondary_of[i] = batch->secondary;
            batch->secondary += 2;
        } else {
            batch->secondary_of[i] = UINT32_MAX;
        }
}

static void aim_at_lights(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    ray_batch *batch = data;
    ash_ray *lights = batch->rays + BATCH;
    double bias = bias_of_size * batch->painter->subject->size;
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        const cli_surface *surface = &batch->surfaces[i];
        if (batch->secondary_of[i] == UINT32_MAX)
            continue;
        double u, v;
        ash_vec3 start = v3_add_scaled(surface->point, surface->normal, bias * (1 + surface->distance * batch->pixel));
        spread(batch, i, 0, &u, &v);
        lights[batch->secondary_of[i]] = (ash_ray){start, cli_light_to_sun(u, v), far_away};
        spread(batch, i, 1, &u, &v);
        lights[batch->secondary_of[i] + 1] = (ash_ray){start, cli_light_to_sky(surface->normal, u, v), far_away};
    }
}

static bool is_free(const ray_batch *batch, uint32_t light)
{
    return !batch->found[BATCH + light] &&
           !cli_items_bar(&batch->painter->subject->solids, &batch->rays[BATCH + light]);
}

static cli_colour add_mark(const ray_batch *batch, uint32_t i, cli_colour colour)
{
    const cli_items *marks = &batch->painter->subject->marks;
    ash_ray_hit hit;
    uint32_t number = cli_items_ray(marks, &batch->rays[i], &hit);
    if (number == CLI_NO_ITEM)
        return colour;
    const cli_surface *surface = &batch->surfaces[i];
    double facing = fabs(v3_dot(hit.normal, surface->sight));
    cli_colour own = cli_colour_scale(marks->list.data[number].colour, 0.7 + 0.3 * facing);
    double opacity = marks->list.data[number].opacity;
    return cli_colour_mix(colour, own, surface->any && surface->distance < hit.t ? behind * opacity : opacity);
}

/* Pixels of the batch. */
static void shade(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    ray_batch *batch = data;
    const cli_painter *painter = batch->painter;
    (void)worker;
    for (uint32_t pixel = begin; pixel < end; pixel++) {
        cli_colour sum = {0, 0, 0};
        for (uint32_t i = pixel * painter->samples; i < (pixel + 1) * painter->samples; i++) {
            const cli_surface *surface = &batch->surfaces[i];
            uint32_t light = batch->secondary_of[i];
            cli_colour colour = cli_light_background(&painter->subject->theme, surface->sight);
            if (light != UINT32_MAX)
                colour = cli_light_shade(painter->subject, surface, is_free(batch, light),
                                         batch->rays[BATCH + light + 1].direction, is_free(batch, light + 1));
            sum = cli_colour_add(sum, add_mark(batch, i, colour));
        }
        cli_colour_encode(cli_colour_scale(sum, 1.0 / painter->samples),
                          painter->canvas->pixels + 3 * (batch->first_pixel + pixel));
    }
}

/* Shapes that are not drawn throw no shadow either. */
static bool is_drawn(ash_shape shape, void *user)
{
    const cli_subject *subject = user;
    return !cli_subject_shape(subject, shape)->hidden;
}

static ash_status paint_batch(ray_batch *batch, uint32_t pixels)
{
    const cli_painter *painter = batch->painter;
    const ash_world *world = painter->subject->world;
    batch->samples = pixels * painter->samples;
    ashi_parallel_for(painter->tasks, batch->samples, CHUNK, aim, batch);
    ash_query_filter filter = ash_default_query_filter();
    filter.accept = is_drawn;
    filter.user = (void *)painter->subject;
    ash_status status = ash_world_cast_rays(world, batch->rays, batch->samples, &filter, batch->found, batch->hits);
    if (status != ASH_OK)
        return status;
    ashi_parallel_for(painter->tasks, batch->samples, CHUNK, meet, batch);
    number_secondary(batch);
    ashi_parallel_for(painter->tasks, batch->samples, CHUNK, aim_at_lights, batch);
    status = ash_world_cast_rays(world, batch->rays + BATCH, batch->secondary, &filter, batch->found + BATCH,
                                 batch->hits + BATCH);
    if (status == ASH_OK)
        ashi_parallel_for(painter->tasks, pixels, 16, shade, batch);
    return status;
}

static ash_status paint_solid(const cli_painter *painter)
{
    uint64_t pixels = (uint64_t)painter->canvas->width * painter->canvas->height;
    uint32_t at_once = BATCH / painter->samples;
    ray_batch batch = {.painter = painter,
                       .grid = cli_grid_for(painter->subject->size),
                       .pixel = cli_camera_pixel(painter->camera, painter->canvas->height),
                       .rays = ashi_alloc_array(3 * BATCH, sizeof *batch.rays),
                       .found = ashi_alloc_array(3 * BATCH, sizeof *batch.found),
                       .hits = ashi_alloc_array(3 * BATCH, sizeof *batch.hits),
                       .surfaces = ashi_alloc_array(BATCH, sizeof *batch.surfaces),
                       .secondary_of = ashi_alloc_array(BATCH, sizeof *batch.secondary_of)};
    ash_status status = ASH_OUT_OF_MEMORY;
    if (batch.rays != NULL && batch.found != NULL && batch.hits != NULL && batch.surfaces != NULL &&
        batch.secondary_of != NULL)
        status = ASH_OK;
    while (status == ASH_OK && batch.first_pixel < pixels &&
           painter->progress((double)batch.first_pixel / (double)pixels, painter->user)) {
        uint64_t left = pixels - batch.first_pixel;
        uint32_t count = left < at_once ? (uint32_t)left : at_once;
        status = paint_batch(&batch, count);
        batch.first_pixel += count;
    }
    ashi_dealloc(batch.rays);
    ashi_dealloc(batch.found);
    ashi_dealloc(batch.hits);
    ashi_dealloc(batch.surfaces);
    ashi_dealloc(batch.secondary_of);
    return status;
}

/* Rows of a flat world that are painted at once. */
typedef struct flat_band {
    const cli_painter *painter;
    uint32_t first_row;
} flat_band;

static void paint_rows(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    const flat_band *band = data;
    (void)worker;
    cli_paint_flat(band->painter, band->first_row + begin, band->first_row + end);
}

static void paint_flat(const cli_painter *painter)
{
    enum { ROWS = 64 };
    uint32_t height = painter->canvas->height;
    flat_band band = {painter, 0};
    for (; band.first_row < height && painter->progress((double)band.first_row / height, painter->user);
         band.first_row += ROWS) {
        uint32_t left = height - band.first_row;
        ashi_parallel_for(painter->tasks, left < ROWS ? left : ROWS, 4, paint_rows, &band);
    }
}

ash_status cli_paint(const cli_painter *painter)
{
    if (!painter->camera->flat)
        return paint_solid(painter);
    paint_flat(painter);
    return ASH_OK;
}
