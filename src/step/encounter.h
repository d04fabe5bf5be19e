/* Two shapes on their paths through a part of a step: their true gap at any time of it, and when they first touch.
 *
 * A body moves from its start, with its initial velocity, to the end of the part: its centre along x0 + t v0 + t^2 b,
 * rotated by exp(t w0 + t^2 c). A part of length t would lead there exactly under constant acceleration and to third
 * order otherwise, so that repeating the part with the time found here gives the touch almost at once. */
#ifndef ASHI_STEP_ENCOUNTER_H
#define ASHI_STEP_ENCOUNTER_H

#include "contact/collision.h"

typedef struct ashi_course {
    const ash_geometry *geometry;
    ash_transform in_body;          /* of the geometry, from the body's centre of mass */
    ash_vec3 start, velocity, bend; /* of the centre of mass */
    ash_quat rotation;
    ash_vec3 spin, twist;
    double arm; /* from the centre of mass to the farthest point; infinite for planes */
    bool planar;
} ashi_course;

typedef struct ashi_encounter {
    ashi_course a, b;
    double h;      /* s, of the part */
    double margin; /* m: gaps above are only known to be larger */
    double slop;   /* m: shapes that overlap by less touch */
    /* Points of the start that stay in touch, and so do not count; null: none do. */
    const ashi_contact_record *held;
    uint32_t held_count;
    const ashi_point_record *points; /* points of these contacts, ... */
    const bool *leaves;              /* ... and which of them separate; null: none */
    ashi_manifolds *scratch;
} ashi_encounter;

/* The way of a shape (by slot) from a state to another, h later. */
ashi_course ashi_course_of(const ashi_model *model, uint32_t shape, double reach, const ashi_state *from,
                           const ashi_state *to, double h);
/* How far a point of the shape moves at most, m. */
double ashi_course_length(const ashi_course *way, double h);
/* A box around all of it. */
ash_bounds ashi_course_box(const ashi_course *way, double h);

/* The least gap of the contacts that two geometries at poses have, `margin` or more when there is none: the gap that
 * the impact's problem will see. */
double ashi_encounter_gap_at(const ashi_encounter *encounter, ash_transform pose_a, ash_transform pose_b);
double ashi_encounter_gap(const ashi_encounter *encounter, double time);

/* How fast it grows before a time, m/s. */
double ashi_encounter_slope(const ashi_encounter *encounter, double time);

/* Whether shapes that are apart at both ends may have met in between, without looking closely. */
bool ashi_encounter_may_touch(const ashi_encounter *encounter, double first_gap, double last_gap);
/* When the gap first falls to `target`: from `first_gap` above it at `low` to `last_gap` at the end, which may be above
 * it again. False: it does not. */
bool ashi_encounter_time(const ashi_encounter *encounter, double target, double low, double first_gap, double last_gap,
                         double *time);

#endif
