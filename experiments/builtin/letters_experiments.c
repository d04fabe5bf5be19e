/* Where the balls of letters end: none in the plate or below the ground, many in the letters. How many is a matter of
 * chance, so that three seeds are poured: of one the share was 0.24 to 0.29, by any method and step. */
#include "experiments/builtin/letters.h"

#include "ashlar/contact.h"
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/experiment.h"
#include "math/transform.h"

#include <math.h>
#include <stdio.h>

enum { WORD = sizeof ASHI_LETTERS_WORD - 1, POURS = 3 };

static const char source[] = "Erleben 2007, figure 17";

typedef struct outcome {
    uint32_t balls;
    uint32_t through;       /* balls whose centre is inside the plate or below the ground, at any step */
    uint32_t within;        /* balls whose centre is below the plate's face, in a letter, at the end */
    uint32_t in_each[WORD]; /* of these, in each letter, */
    uint32_t fewest;        /* and in the one that has the fewest, of all pours */
    double fastest;         /* at the end, m/s */
    double deepest;         /* overlap of any step, m */
    double overlap;         /* at the end, m */
} outcome;

typedef struct watch {
    const ash_geometry *mesh;
    ash_transform plate;
    ashi_engraving engraving;
    ash_body *bodies;
    uint32_t count;
    outcome result;
} watch;

static bool is_ball(const ash_world *world, ash_body body)
{
    return ash_body_get_type(world, body) == ASH_BODY_DYNAMIC;
}

static void count_balls(const ash_world *world, watch *w)
{
    outcome *o = &w->result;
    o->balls = o->within = 0;
    o->fastest = 0;
    for (int i = 0; i < WORD; i++)
        o->in_each[i] = 0;
    uint32_t through = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        if (!is_ball(world, w->bodies[i]))
            continue;
        ash_vec3 centre = ash_body_get_centre(world, w->bodies[i]), local = t_point_inverse(w->plate, centre);
        uint32_t letter = ashi_engraving_letter_at(&w->engraving, local.x, local.y);
        bool lost = centre.z < 0 || ash_geometry_distance(w->mesh, local) < 0;
        o->balls++;
        through += lost;
        o->fastest = fmax(o->fastest, v3_norm(ash_body_get_velocity(world, w->bodies[i])));
        if (letter > 0 && local.z < 0 && !lost) {
            o->within++;
            o->in_each[letter - 1]++;
        }
    }
    o->through = through > o->through ? through : o->through;
}

static bool look(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    w->result.overlap = ash_world_get_report(world).penetration;
    w->result.deepest = fmax(w->result.deepest, w->result.overlap);
    if (step % 20 == 0)
        count_balls(world, w);
    return true;
}

/* Finds the plate, and cuts the same letters again to know where they are. */
static ash_status find_plate(const ashi_experiment *experiment, watch *w, ash_diagnostic *diagnostic)
{
    ash_body plate = ash_world_find_body(experiment->world, "plate");
    ash_shape shape;
    ash_body_get_shapes(experiment->world, plate, &shape, 1);
    w->mesh = ash_shape_get_geometry(experiment->world, shape);
    w->plate = ash_body_get_transform(experiment->world, plate);
    w->count = ash_world_get_bodies(experiment->world, NULL, 0);
    w->bodies = ashi_alloc_array(w->count, sizeof *w->bodies);
    if (w->bodies == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_world_get_bodies(experiment->world, w->bodies, w->count);
    return ashi_letters_engrave(&w->engraving, diagnostic);
}

static ash_status pour(const char *method, uint32_t seed, outcome *result, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    watch w = {0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "letters", "method=%s seed=%u", method, seed);
    if (status != ASH_OK)
        return status;
    status = find_plate(&experiment, &w, diagnostic);
    double h = experiment.scene->step;
    if (status == ASH_OK)
        status = ashi_experiment_run(&experiment, h, (uint32_t)lround(experiment.scene->time / h), look, &w, NULL,
                                     diagnostic);
    if (status == ASH_OK)
        count_balls(experiment.world, &w);
    *result = w.result;
    ashi_engraving_release(&w.engraving);
    ashi_dealloc(w.bodies);
    ashi_experiment_close(&experiment);
    return status;
}

static uint32_t fewest(const outcome *o)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < WORD; i++)
        least = o->in_each[i] < least ? o->in_each[i] : least;
    return least;
}

/* Balls of all pours together, the worst of each. */
static void take_in(const outcome *one, outcome *all)
{
    all->balls += one->balls;
    all->through += one->through;
    all->within += one->within;
    all->fewest = all->balls == one->balls || fewest(one) < all->fewest ? fewest(one) : all->fewest;
    all->fastest = fmax(all->fastest, one->fastest);
    all->deepest = fmax(all->deepest, one->deepest);
    all->overlap = fmax(all->overlap, one->overlap);
}

/* What is judged of the paper's figure is judged of every method. */
static void hand_in(ashi_validation *validation, const char *method, const outcome *o)
{
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s: balls in the plate or below the ground, of %u", method, o->balls);
    ashi_validation_below(validation, quantity, source, o->through, 0);
    snprintf(quantity, sizeof quantity, "%s: share of the balls in the letters at the end, three pours", method);
    ashi_validation_above(validation, quantity, source, (double)o->within / o->balls, 0.25);
    snprintf(quantity, sizeof quantity, "%s: balls in the letter that has the fewest of any pour", method);
    ashi_validation_above(validation, quantity, source, o->fewest, 20);
    snprintf(quantity, sizeof quantity, "%s: fastest ball at the end, m/s", method);
    ashi_validation_report(validation, quantity, source, NAN, o->fastest);
    snprintf(quantity, sizeof quantity, "%s: largest overlap of any step, m", method);
    ashi_validation_report(validation, quantity, source, NAN, o->deepest);
    snprintf(quantity, sizeof quantity, "%s: largest overlap at the end, m", method);
    ashi_validation_report(validation, quantity, source, NAN, o->overlap);
}

ash_status ashi_validate_letters(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const char *const methods[] = {"realtime", "erleben-2007", "dejong-2014"};
    ash_status status = ashi_validate_checks(validation, source, diagnostic);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && status == ASH_OK && !validation->stopped; i++) {
        outcome all = {0};
        for (uint32_t seed = 1; seed <= POURS && status == ASH_OK; seed++) {
            outcome one = {0};
            status = pour(methods[i], seed, &one, diagnostic);
            take_in(&one, &all);
        }
        if (status == ASH_OK)
            hand_in(validation, methods[i], &all);
    }
    return status;
}
