/* Recordings read back: which samples there are, and where bodies were at each (docs/recording.md). */
#ifndef ASHI_SCENE_REPLAY_H
#define ASHI_SCENE_REPLAY_H

#include "scene/instance/instance.h"
#include "scene/record/record.h"

typedef struct ashi_replay ashi_replay;

/* Opens a recording: the file, or the directory that `ashlar run --out` made. Damaged and foreign files are a
 * diagnostic, and so are numbers that no run writes. Recordings that are being written, or whose writer was killed, are
 * read up to their last whole sample. */
ash_status ashi_replay_open(const char *path, ashi_replay **replay, ash_diagnostic *diagnostic);
void ashi_replay_close(ashi_replay *replay);

ashi_recording_summary ashi_replay_summary(const ashi_replay *replay);
const ash_scene *ashi_replay_scene(const ashi_replay *replay); /* as it was run, with its method and step */
const double *ashi_replay_times(const ashi_replay *replay);    /* of all samples, rising */
uint64_t ashi_replay_nearest(const ashi_replay *replay, double time);

/* What was recorded of bodies, by number in the scene; positions are NaN of those that were not in the world. */
typedef struct ashi_replay_bodies {
    const ash_vec3 *positions;
    const ash_quat *rotations;
    const ash_vec3 *velocities, *angular_velocities;
    uint32_t count;
} ashi_replay_bodies;
/* Reads a sample; the arrays are the replay's, until the next call. */
ash_status ashi_replay_read(ashi_replay *replay, uint64_t sample, ashi_replay_bodies *bodies,
                            ash_diagnostic *diagnostic);

/* Columns of numbers over all samples: "outputs/NAME", "ledger/ENTRY", "report/ENTRY", read when first asked for. */
uint32_t ashi_replay_series_count(const ashi_replay *replay);
ash_status ashi_replay_series(ashi_replay *replay, uint32_t index, ash_series *series, ash_diagnostic *diagnostic);

/* Brings an instance of the replay's scene to a sample: bodies are where they were and move as they did, those that
 * were absent are absent, contacts are found again. Impulses are not recorded: there are no forces of contacts. Going
 * back in time builds the instance again. */
ash_status ashi_replay_pose(ashi_replay *replay, uint64_t sample, uint32_t threads, ashi_instance *instance,
                            ash_diagnostic *diagnostic);

#endif
