/* Data collected while a scene runs: its outputs as series, the displacement of bodies, and the energies. */
#ifndef ASHI_SCENE_OBSERVE_H
#define ASHI_SCENE_OBSERVE_H

#include "scene/instance/instance.h"

/* The steps since the sample before. */
typedef struct ashi_sampling_interval {
    uint64_t steps;
    double seconds;      /* they took */
    uint64_t iterations; /* of integrator, solver and corrections of joints */
    double residual;     /* the largest */
    uint32_t flags;      /* of any */
    double penetration;  /* the deepest, m */
    double joint_error;  /* the largest, m */
    uint32_t contacts;   /* the most */
    double local_error;  /* of positions, the largest estimate of a step, m; and ... */
    double total_error;  /* ... of all steps so far: 0 without a wanted accuracy */
    double stage_seconds[ASH_STAGES];
} ashi_sampling_interval;

/* The state at one instant, as recordings and tables take it. */
typedef struct ashi_sample {
    double time;
    const double *outputs; /* by number in the scene */
    ash_ledger ledger;
    ashi_sampling_interval interval;
} ashi_sample;

/* An output over all samples. Samples without a value (NaN: its object is not in the world) do not count in them. */
typedef struct ashi_track {
    const char *name, *unit;
    double last; /* also when NaN */
    double minimum, maximum, max_abs;
    double sum, correction; /* compensated summation */
    uint64_t count;
    ASHI_ARRAY(double) values; /* those kept */
    bool indeterminate;        /* the last value is one of many: see ashi_output_is_indeterminate */
} ashi_track;

typedef struct ashi_observation {
    ashi_track *tracks;
    uint32_t track_count;
    ashi_track *windows; /* by number of the check: its output over the samples that count for it; no values kept */
    ASHI_ARRAY(double) times; /* of the values kept */
    uint32_t kept_max;        /* values kept of each output */
    uint64_t samples;         /* taken */
    uint64_t stride;          /* every stride-th sample is kept, and the last */
    double *row;              /* the outputs of the present sample */
    ashi_sample sample;       /* the present one */
    ash_vec3 *starts;         /* of each body's centre */
    bool *started;
    uint32_t body_count;
    double displacement_max; /* m */
    double sideways_max;     /* m, at right angles to gravity; in any direction without */
    double gravity_start;    /* J */
    double energy_scale;     /* J, the energy exchanged: see ashi_observation_drift */
    double energy_sum;       /* J, of the sizes of all energies and works; the largest of any sample */
    uint64_t steps;          /* until the last sample */
} ashi_observation;

/* Names are copied into `text`. On failure release it all the same. */
ash_status ashi_observation_start(ashi_observation *observation, const ash_scene *scene, ashi_arena *text,
                                  ash_diagnostic *diagnostic);
void ashi_observation_release(ashi_observation *observation);

/* Records the start of bodies that are new in the world; to be called after events. */
void ashi_observation_note_starts(ashi_observation *observation, const ashi_instance *instance);

/* Takes a sample of the present state; it is then in `observation->sample`. */
ash_status ashi_observation_take(ashi_observation *observation, const ash_scene *scene, const ashi_instance *instance,
                                 double time, const ashi_sampling_interval *interval, ash_diagnostic *diagnostic);

/* Makes sure that the last sample is kept. */
ash_status ashi_observation_finish(ashi_observation *observation, ash_diagnostic *diagnostic);

/* The numerical remainder of the energy relative to the energy exchanged; 0 where it is rounding. Always finite. */
double ashi_observation_drift(const ashi_observation *observation);

#endif
