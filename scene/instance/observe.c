/* Sampling. Reductions (minimum, maximum, mean) run over every sample. The series in memory are bounded: when they are
 * full, every second value is dropped and from then on every second (fourth, ...) sample is kept, so that they always
 * span the whole run evenly; files get every sample.
 *
 * Energy drift = |remainder| / the energy exchanged: the largest, over the samples, of the kinetic energy, the springs'
 * energy, the change of gravity's energy since the start, and the size of each work in the ledger. The level from which
 * gravity's energy counts is arbitrary, so only its change counts.
 *
 * A remainder within rounding does not count as drift. Every step rounds each body's position, and every ledger sums
 * over bodies: independent errors of up to epsilon times the energy, which accumulate like a random walk. Rounding is
 * therefore 4 epsilon sqrt(steps + bodies) times the sum of the sizes of all energies and works. Without any energy
 * exchanged the drift is 1 if there is more. */
#include "scene/instance/observe.h"

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

/* Values of all outputs together, and of one. */
enum { KEPT_IN_ALL = 1 << 24, KEPT_OF_ONE = 1 << 20 };

static void empty(ashi_track *track)
{
    track->last = track->minimum = track->maximum = track->max_abs = (double)NAN;
}

ash_status ashi_observation_start(ashi_observation *observation, const ash_scene *scene, ashi_arena *text,
                                  ash_diagnostic *diagnostic)
{
    uint32_t outputs = scene->outputs.count, bodies = scene->bodies.count;
    *observation = (ashi_observation){.stride = 1, .body_count = bodies};
    observation->tracks = ashi_alloc_zeroed(outputs * sizeof *observation->tracks);
    observation->windows = ashi_alloc_zeroed(scene->checks.count * sizeof *observation->windows);
    observation->row = ashi_alloc_array(outputs, sizeof *observation->row);
    observation->starts = ashi_alloc_array(bodies, sizeof *observation->starts);
    observation->started = ashi_alloc_zeroed(bodies * sizeof *observation->started);
    if (observation->tracks == NULL || observation->row == NULL || observation->starts == NULL ||
        observation->started == NULL || observation->windows == NULL)
        return ashi_out_of_memory(diagnostic);
    observation->track_count = outputs;
    uint32_t share = (uint32_t)KEPT_IN_ALL / (outputs + 1) & ~1u;
    observation->kept_max = share > KEPT_OF_ONE ? KEPT_OF_ONE : share < 256 ? 256 : share;
    for (uint32_t i = 0; i < outputs; i++) {
        ashi_track *track = &observation->tracks[i];
        track->name = ashi_arena_text(text, scene->outputs.data[i].name);
        track->unit = ashi_output_unit(&scene->outputs.data[i]);
        empty(track);
        if (track->name == NULL)
            return ashi_out_of_memory(diagnostic);
    }
    for (uint32_t i = 0; i < scene->checks.count; i++)
        empty(&observation->windows[i]);
    return ASH_OK;
}

void ashi_observation_release(ashi_observation *observation)
{
    for (uint32_t i = 0; i < observation->track_count; i++)
        ashi_array_release(&observation->tracks[i].values);
    ashi_array_release(&observation->times);
    ashi_dealloc(observation->tracks);
    ashi_dealloc(observation->windows);
    ashi_dealloc(observation->row);
    ashi_dealloc(observation->starts);
    ashi_dealloc(observation->started);
    *observation = (ashi_observation){0};
}

void ashi_observation_note_starts(ashi_observation *observation, const ashi_instance *instance)
{
    for (uint32_t i = 0; i < observation->body_count; i++) {
        if (observation->started[i] || !ash_body_is_valid(instance->world, instance->bodies[i]))
            continue;
        observation->starts[i] = ash_body_get_centre(instance->world, instance->bodies[i]);
        observation->started[i] = true;
    }
}

static void watch_displacements(ashi_observation *observation, const ashi_instance *instance)
{
    const ash_world *world = instance->world;
    ash_vec3 gravity = ash_world_get_gravity(world);
    ash_vec3 down = v3_norm2(gravity) > 0 ? v3_unit(gravity) : gravity;
    for (uint32_t i = 0; i < observation->body_count; i++) {
        ash_body body = instance->bodies[i];
        if (!observation->started[i] || !ash_body_is_valid(world, body) ||
            ash_body_get_type(world, body) != ASH_BODY_DYNAMIC)
            continue;
        ash_vec3 way = v3_sub(ash_body_get_centre(world, body), observation->starts[i]);
        double distance = v3_norm(way), sideways = v3_norm(v3_add_scaled(way, down, -v3_dot(way, down)));
        if (distance > observation->displacement_max)
            observation->displacement_max = distance;
        if (sideways > observation->sideways_max)
            observation->sideways_max = sideways;
    }
}

static void watch_energy(ashi_observation *observation, const ash_ledger *ledger)
{
    if (observation->samples == 0)
        observation->gravity_start = ledger->gravity;
    const double energies[] = {ledger->kinetic,   ledger->springs,       ledger->gravity - observation->gravity_start,
                               ledger->dampers,   ledger->drag,          ledger->loads,
                               ledger->callbacks, ledger->external,      ledger->impacts,
                               ledger->friction,  ledger->stabilization, ledger->sleep,
                               ledger->motors,    ledger->joints};
    double sum = fabs(ledger->gravity); /* its whole magnitude, since that is rounded */
    for (size_t i = 0; i < sizeof energies / sizeof *energies; i++) {
        sum += fabs(energies[i]);
        observation->energy_scale = fmax(observation->energy_scale, fabs(energies[i]));
    }
    observation->energy_sum = fmax(observation->energy_sum, sum);
}

double ashi_observation_drift(const ashi_observation *observation)
{
    const ash_ledger *ledger = &observation->sample.ledger;
    double remainder = fabs(ledger->remainder), drift = remainder / observation->energy_scale;
    double roundings = sqrt((double)observation->steps + (double)observation->body_count);
    if (remainder <= 4 * DBL_EPSILON * roundings * observation->energy_sum)
        return 0;
    return isfinite(drift) ? drift : 1;
}

/* A number of the standard normal distribution (Box and Muller), the same for one seed, output and sample everywhere.
 */
static double normal(uint64_t seed, uint32_t output, uint64_t sample)
{
    const uint64_t place[] = {seed, output, sample};
    ashi_random random = {ashi_hash(ASHI_HASH_START, place, sizeof place)};
    double u = 1 - ashi_random_unit(&random), v = ashi_random_unit(&random);
    return sqrt(-2 * ashi_ln(u)) * ashi_cos(2 * ASHI_PI * v);
}

static void reduce(ashi_track *track, double value)
{
    track->last = value;
    if (isnan(value))
        return;
    if (track->count++ == 0) {
        track->minimum = track->maximum = value;
        track->max_abs = fabs(value);
    }
    track->minimum = fmin(track->minimum, value);
    track->maximum = fmax(track->maximum, value);
    track->max_abs = fmax(track->max_abs, fabs(value));
    /* Kahan: the part of `value` that the sum could not hold is carried over. */
    double corrected = value - track->correction;
    double sum = track->sum + corrected;
    track->correction = (sum - track->sum) - corrected;
    track->sum = sum;
}

/* Times that differ by the rounding of a step are equal, as for events. */
static void reduce_windows(ashi_observation *observation, const ash_scene *scene, double time)
{
    double rounding = 1e-6 * scene->step;
    for (uint32_t i = 0; i < scene->checks.count; i++) {
        const ashi_scene_check *check = &scene->checks.data[i];
        if (time >= check->from - rounding && (check->until <= 0 || time <= check->until + rounding))
            reduce(&observation->windows[i], observation->row[check->output]);
    }
}

static void drop_every_second(ashi_observation *observation)
{
    uint32_t half = (observation->times.count + 1) / 2;
    for (uint32_t k = 0; k < half; k++)
        observation->times.data[k] = observation->times.data[2 * k];
    observation->times.count = half;
    for (uint32_t i = 0; i < observation->track_count; i++) {
        for (uint32_t k = 0; k < half; k++)
            observation->tracks[i].values.data[k] = observation->tracks[i].values.data[2 * k];
        observation->tracks[i].values.count = half;
    }
    observation->stride *= 2;
}

/* All arrays get room first, so that they never differ in length. */
static ash_status keep(ashi_observation *observation, ash_diagnostic *diagnostic)
{
    uint32_t count = observation->times.count;
    bool room = ashi_array_reserve(&observation->times, count + 1);
    for (uint32_t i = 0; i < observation->track_count; i++)
        room = room && ashi_array_reserve(&observation->tracks[i].values, count + 1);
    if (!room)
        return ashi_out_of_memory(diagnostic);
    observation->times.data[observation->times.count++] = observation->sample.time;
    for (uint32_t i = 0; i < observation->track_count; i++) {
        ashi_track *track = &observation->tracks[i];
        track->values.data[track->values.count++] = track->last;
    }
    return ASH_OK;
}

ash_status ashi_observation_take(ashi_observation *observation, const ash_scene *scene, const ashi_instance *instance,
                                 double time, const ashi_sampling_interval *interval, ash_diagnostic *diagnostic)
{
    ash_ledger ledger = ash_world_get_ledger(instance->world);
    watch_displacements(observation, instance);
    watch_energy(observation, &ledger);
    observation->steps += interval->steps;
    for (uint32_t i = 0; i < observation->track_count; i++) {
        observation->row[i] = ashi_instance_read_output_by(instance, scene, i, &ledger);
        const ashi_scene_output *output = &scene->outputs.data[i];
        if (output->noise > 0)
            observation->row[i] += output->noise * normal(output->seed, i, observation->samples);
        reduce(&observation->tracks[i], observation->row[i]);
        observation->tracks[i].indeterminate = ashi_output_is_indeterminate(instance, scene, i);
    }
    reduce_windows(observation, scene, time);
    observation->sample =
        (ashi_sample){.time = time, .outputs = observation->row, .ledger = ledger, .interval = *interval};
    uint64_t number = observation->samples++;
    if (number % observation->stride == 0 && observation->times.count >= observation->kept_max)
        drop_every_second(observation);
    return number % observation->stride == 0 ? keep(observation, diagnostic) : ASH_OK;
}

ash_status ashi_observation_finish(ashi_observation *observation, ash_diagnostic *diagnostic)
{
    bool kept = observation->samples == 0 || (observation->samples - 1) % observation->stride == 0;
    return kept ? ASH_OK : keep(observation, diagnostic);
}
