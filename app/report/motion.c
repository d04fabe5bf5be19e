/* Where bodies were, made small. Positions are counted in quanta, a share of the body's size too small to be seen;
 * rotations are what the viewer's frames hold, 32767ths. Of each number only its difference from what the two frames
 * before foretell is kept: nothing for bodies at rest, little for bodies in flight. Frame after frame, each has a bit
 * for every body that is there, then of those bodies all x, all y, all z, and the same of the rotations x, y, z, w.
 * Of bodies that were not there in the frame before, 0 is foretold, and in the next one that they stay. */
#include "app/report/parts.h"

#include "base/diagnostic.h"
#include "math/vec3.h"
#include "scene/description/description.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS = 7 };
static const double quanta_a_body = 4096;               /* of its size */
static const double largest_body = 16;                  /* times the smallest: more count as that */
static const double point_size = 0.02;                  /* of the scene's, for bodies without shapes of a size */
static const double largest_count = 1125899906842624.0; /* 2^50: what JavaScript adds exactly */

/* What the last two frames held of a body. */
typedef struct remembered {
    int64_t last[COMPONENTS], before[COMPONENTS];
    bool is_there, is_new;
} remembered;

static double length_of(ash_bounds bounds)
{
    return v3_norm(v3_sub(bounds.upper, bounds.lower));
}

/* Of the smallest of its shapes, m; infinite when it has none of finite size. */
static double body_size(const ash_scene *scene, uint32_t body)
{
    const ashi_scene_body *described = &scene->bodies.data[body];
    double size = HUGE_VAL;
    for (uint32_t i = described->first_shape; i < described->first_shape + described->shape_count; i++) {
        const ashi_scene_shape *shape = &scene->shapes.data[i];
        double length = length_of(ash_geometry_bounds(scene->geometries.data[shape->geometry].geometry, shape->pose));
        if (length > 0 && length < size)
            size = length;
    }
    return size;
}

/* The box around all bodies of a sample, m; 1 when that is nothing. */
static double extent_of(const ashi_replay_bodies *bodies)
{
    ash_bounds box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint32_t i = 0; i < bodies->count; i++)
        if (!isnan(bodies->positions[i].x)) {
            box.lower = v3_min(box.lower, bodies->positions[i]);
            box.upper = v3_max(box.upper, bodies->positions[i]);
        }
    double length = box.lower.x <= box.upper.x ? length_of(box) : 0;
    return length > 0 && isfinite(length) ? length : 1;
}

static void choose_quanta(const ash_scene *scene, double extent, double *quanta)
{
    double smallest = HUGE_VAL;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        quanta[i] = body_size(scene, i);
        if (!isfinite(quanta[i]))
            quanta[i] = point_size * extent;
        smallest = fmin(smallest, quanta[i]);
    }
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        quanta[i] = (double)(float)(fmin(quanta[i], largest_body * smallest) / quanta_a_body);
}

static int64_t count_of(double value, double quantum)
{
    return (int64_t)fmax(-largest_count, fmin(rint(value / quantum), largest_count));
}

/* The numbers of a body. Of the two quaternions of a rotation, the one that is nearer to that of the frame before. */
static void measure(const ashi_replay_bodies *bodies, uint32_t body, double quantum, const remembered *old,
                    int64_t numbers[COMPONENTS])
{
    ash_vec3 p = bodies->positions[body];
    ash_quat q = bodies->rotations[body];
    const double turned[4] = {q.x, q.y, q.z, q.w};
    double likeness = 0;
    for (int i = 0; i < 4; i++)
        likeness += turned[i] * (double)old->last[3 + i];
    numbers[0] = count_of(p.x, quantum);
    numbers[1] = count_of(p.y, quantum);
    numbers[2] = count_of(p.z, quantum);
    for (int i = 0; i < 4; i++)
        numbers[3 + i] = (int64_t)rint(32767 * (likeness < 0 ? -turned[i] : turned[i]));
}

/* Positions go on as they went; rotations, whose numbers are small anyway, are taken to stay. */
static int64_t foretold(const remembered *old, int component)
{
    return component < 3 ? 2 * old->last[component] - old->before[component] : old->last[component];
}

static bool put_presence(report_bytes *bytes, const ashi_replay_bodies *bodies, remembered *memory)
{
    for (uint32_t i = 0; i < bodies->count; i += 8) {
        uint8_t bits = 0;
        for (uint32_t j = i; j < bodies->count && j < i + 8; j++) {
            bool is_there = !isnan(bodies->positions[j].x);
            if (is_there && !memory[j].is_there)
                memory[j] = (remembered){.is_new = true};
            memory[j].is_there = is_there;
            bits |= (uint8_t)(is_there << (j - i));
        }
        if (!report_put(bytes, &bits, 1))
            return false;
    }
    return true;
}

static bool put_frame(report_bytes *bytes, const ashi_replay_bodies *bodies, const double *quanta, remembered *memory,
                      int64_t (*numbers)[COMPONENTS])
{
    bool done = put_presence(bytes, bodies, memory);
    for (uint32_t i = 0; i < bodies->count; i++)
        if (memory[i].is_there)
            measure(bodies, i, quanta[i], &memory[i], numbers[i]);
    for (int c = 0; done && c < COMPONENTS; c++)
        for (uint32_t i = 0; done && i < bodies->count; i++)
            if (memory[i].is_there)
                done = report_put_whole(bytes, numbers[i][c] - foretold(&memory[i], c));
    for (uint32_t i = 0; i < bodies->count; i++)
        if (memory[i].is_there) { /* one that has just come is taken to have been where it is */
            memcpy(memory[i].before, memory[i].is_new ? numbers[i] : memory[i].last, sizeof memory[i].before);
            memcpy(memory[i].last, numbers[i], sizeof memory[i].last);
            memory[i].is_new = false;
        }
    return done;
}

typedef struct motion {
    double *quanta;
    remembered *memory;
    int64_t (*numbers)[COMPONENTS];
    report_bytes times, sizes, bytes;
    uint32_t frames;
} motion;

static ash_status put_frames(motion *m, ashi_replay *replay, uint32_t frames_most, ash_diagnostic *diagnostic)
{
    const double *times = ashi_replay_times(replay);
    uint64_t samples = ashi_replay_summary(replay).samples, previous = UINT64_MAX;
    uint32_t wanted = samples < frames_most ? (uint32_t)samples : frames_most;
    for (uint32_t i = 0; i < wanted; i++) {
        double share = wanted > 1 ? (double)i / (wanted - 1) : 0;
        uint64_t sample = samples <= frames_most
                              ? i
                              : ashi_replay_nearest(replay, times[0] + share * (times[samples - 1] - times[0]));
        ashi_replay_bodies bodies;
        if (sample == previous)
            continue;
        previous = sample;
        ash_status status = ashi_replay_read(replay, sample, &bodies, diagnostic);
        if (status != ASH_OK)
            return status;
        if (m->frames == 0)
            choose_quanta(ashi_replay_scene(replay), extent_of(&bodies), m->quanta);
        if (!put_frame(&m->bytes, &bodies, m->quanta, m->memory, m->numbers) ||
            !report_put_f64(&m->times, times[sample]))
            return ashi_out_of_memory(diagnostic);
        m->frames++;
    }
    for (uint32_t i = 0; i < ashi_replay_scene(replay)->bodies.count; i++)
        if (!report_put_f32(&m->sizes, m->quanta[i]))
            return ashi_out_of_memory(diagnostic);
    return ASH_OK;
}

json_t *report_motion(ashi_replay *replay, uint32_t frames_most, ash_diagnostic *diagnostic)
{
    uint32_t bodies = ashi_replay_scene(replay)->bodies.count;
    motion m = {.quanta = ashi_alloc_zeroed(bodies * sizeof *m.quanta),
                .memory = ashi_alloc_zeroed(bodies * sizeof *m.memory),
                .numbers = ashi_alloc_array(bodies, sizeof *m.numbers)};
    json_t *result = NULL;
    if (m.quanta == NULL || m.memory == NULL || m.numbers == NULL)
        ashi_out_of_memory(diagnostic);
    else if (put_frames(&m, replay, frames_most, diagnostic) == ASH_OK) {
        result =
            json_pack("{s:i, s:i, s:o, s:o, s:o}", "frames", (int)m.frames, "bodies", (int)bodies, "times",
                      report_packed(&m.times), "quanta", report_packed(&m.sizes), "moves", report_packed(&m.bytes));
        if (result == NULL)
            ashi_out_of_memory(diagnostic);
    }
    ashi_array_release(&m.bytes);
    ashi_array_release(&m.sizes);
    ashi_array_release(&m.times);
    ashi_dealloc(m.numbers);
    ashi_dealloc(m.memory);
    ashi_dealloc(m.quanta);
    return result;
}
