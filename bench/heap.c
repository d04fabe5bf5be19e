/* Boxes dropped into a pit, and how deep they overlap. */
#include "heap.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/random.h"
#include "math/quat.h"

#include <math.h>

static const double smallest = 0.2, largest = 0.4; /* half sides, m */
static const double spacing = 1.4;                 /* m: no two boxes touch at the start, however they are turned */

static ash_quat random_turn(ashi_random *random)
{
    ash_vec3 turn = v3(ashi_random_range(random, -3, 3), ashi_random_range(random, -3, 3), 0);
    return q_exp(v3_add_scaled(turn, v3(0, 0, 1), ashi_random_range(random, -3, 3)));
}

static void place_walls(heap *h, double half_width, double height)
{
    const double thick = 5;
    h->walls[0] = (heap_box){v3(half_width + 2 * thick, half_width + 2 * thick, thick), ash_identity()};
    h->walls[0].place.position = v3(0, 0, -thick);
    for (int i = 0; i < 4; ++i) {
        double out = (i % 2 == 0 ? 1 : -1) * (half_width + thick);
        bool along_x = i < 2;
        h->walls[1 + i] =
            (heap_box){along_x ? v3(thick, half_width + 2 * thick, height) : v3(half_width + 2 * thick, thick, height),
                       ash_identity()};
        h->walls[1 + i].place.position = along_x ? v3(out, 0, height) : v3(0, out, height);
    }
}

bool heap_make(heap *h, uint32_t count)
{
    ashi_random random = {count};
    uint32_t side = (uint32_t)ceil(cbrt(0.5 * count)), layers = (count + side * side - 1) / (side * side);
    *h = (heap){.friction = 0.5, .density = 1000, .count = count};
    h->boxes = ashi_alloc_array(count, sizeof *h->boxes);
    if (h->boxes == NULL)
        return false;
    place_walls(h, 0.5 * spacing * side, spacing * (layers + 2));
    for (uint32_t i = 0; i < count; ++i) {
        heap_box *box = &h->boxes[i];
        box->half.x = ashi_random_range(&random, smallest, largest);
        box->half.y = ashi_random_range(&random, smallest, largest);
        box->half.z = ashi_random_range(&random, smallest, largest);
        box->place.rotation = random_turn(&random);
        box->place.position = v3(spacing * (i % side - 0.5 * (side - 1)),
                                 spacing * (i / side % side - 0.5 * (side - 1)), spacing * (i / (side * side) + 0.5));
    }
    return true;
}

void heap_release(heap *h)
{
    ashi_free(h->boxes);
    h->boxes = NULL;
}

static ash_status add_box(ash_world *world, const heap *h, const heap_box *box, ash_transform place, bool moves,
                          ash_body *body, ash_diagnostic *diagnostic)
{
    ash_geometry_def geometry = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    geometry.half_extents = box->half;
    ash_status status = ash_geometry_create(&geometry, &shape.geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    shape.density = h->density;
    def.type = moves ? ASH_BODY_DYNAMIC : ASH_BODY_STATIC;
    def.position = place.position;
    def.rotation = place.rotation;
    status = ash_body_create(world, &def, &shape, 1, body, diagnostic);
    ash_geometry_release(shape.geometry);
    return status;
}

static ash_status make_world(const heap *h, const ash_method *method, const ash_transform *places, ash_world **world,
                             ash_body *bodies, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_body wall;
    def.method = *method;
    def.threads = 1;
    ash_status status = ash_world_create(&def, world, diagnostic);
    for (uint32_t i = 0; i < HEAP_WALLS && status == ASH_OK; ++i)
        status = add_box(*world, h, &h->walls[i], h->walls[i].place, false, &wall, diagnostic);
    for (uint32_t i = 0; i < h->count && status == ASH_OK; ++i)
        status = add_box(*world, h, &h->boxes[i], places != NULL ? places[i] : h->boxes[i].place, true, &bodies[i],
                         diagnostic);
    return status;
}

ash_status heap_world(const heap *h, const ash_method *method, ash_world **world, ash_body *bodies,
                      ash_diagnostic *diagnostic)
{
    ash_method awake = *method;
    awake.sleeping = ASH_SLEEP_OFF;
    return make_world(h, &awake, NULL, world, bodies, diagnostic);
}

/* The deepest point of each pair that overlaps; contacts of a pair follow each other. */
static void sum_up(const ash_contact *contacts, uint32_t count, heap_overlap *overlap)
{
    double sum = 0;
    for (uint32_t i = 0; i < count;) {
        double deepest = 0;
        uint32_t k = i;
        for (; k < count && contacts[k].shape_a.id == contacts[i].shape_a.id &&
               contacts[k].shape_b.id == contacts[i].shape_b.id;
             ++k)
            for (uint32_t p = 0; p < contacts[k].point_count; ++p)
                deepest = fmax(deepest, contacts[k].points[p].depth);
        i = k;
        if (deepest <= 0)
            continue;
        sum += deepest;
        overlap->pairs++;
        overlap->largest = fmax(overlap->largest, deepest);
    }
    overlap->mean = overlap->pairs > 0 ? sum / overlap->pairs : 0;
}

ash_status heap_measure(const heap *h, const ash_transform *places, heap_overlap *overlap, ash_diagnostic *diagnostic)
{
    ash_world *world = NULL;
    ash_method method = ash_default_world_def().method;
    *overlap = (heap_overlap){.top = -HUGE_VAL};
    for (uint32_t i = 0; i < h->count; ++i)
        overlap->top = fmax(overlap->top, places[i].position.z);
    ash_body *bodies = ashi_alloc_array(h->count, sizeof *bodies);
    ash_status status =
        bodies != NULL ? make_world(h, &method, places, &world, bodies, diagnostic) : ashi_out_of_memory(diagnostic);
    if (status == ASH_OK && (status = ash_world_detect(world)) != ASH_OK)
        *diagnostic = ash_world_last_diagnostic(world);
    if (status == ASH_OK) {
        uint32_t count = ash_world_contacts(world, NULL, 0);
        ash_contact *contacts = ashi_alloc_array(count, sizeof *contacts);
        if (contacts == NULL)
            status = ashi_out_of_memory(diagnostic);
        else
            sum_up(contacts, ash_world_contacts(world, contacts, count), overlap);
        ashi_free(contacts);
    }
    ash_world_destroy(world);
    ashi_free(bodies);
    return status;
}
