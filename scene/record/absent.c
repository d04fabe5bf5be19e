/* In place of recordings where the program is built without HDF5 (the page without a server): none can be written or
 * read, and who asks is told so. No replay is ever open, so what takes one has nothing to answer. */
#include "base/diagnostic.h"
#include "scene/record/fclib_file.h"
#include "scene/record/replay.h"

static ash_status refuse(ash_diagnostic *diagnostic)
{
    return ashi_fail(diagnostic, ASH_BAD_DATA, "record.absent", "this build has no recordings (it is without HDF5)");
}

ash_status ashi_recorder_open(const char *path, const ash_scene *scene, const ashi_recording_facts *facts,
                              ashi_recorder **recorder, ash_diagnostic *diagnostic)
{
    (void)path, (void)scene, (void)facts;
    *recorder = NULL;
    return refuse(diagnostic);
}

ash_status ashi_recorder_append(ashi_recorder *recorder, const ashi_instance *instance, const ashi_sample *sample,
                                ash_diagnostic *diagnostic)
{
    (void)recorder, (void)instance, (void)sample;
    return refuse(diagnostic);
}

ash_status ashi_recorder_close(ashi_recorder *recorder, bool complete, ash_diagnostic *diagnostic)
{
    (void)recorder, (void)complete, (void)diagnostic;
    return ASH_OK;
}

ash_status ashi_replay_open(const char *path, ashi_replay **replay, ash_diagnostic *diagnostic)
{
    (void)path;
    *replay = NULL;
    return refuse(diagnostic);
}

void ashi_replay_close(ashi_replay *replay)
{
    (void)replay;
}

ashi_recording_summary ashi_replay_summary(const ashi_replay *replay)
{
    (void)replay;
    return (ashi_recording_summary){0};
}

const ash_scene *ashi_replay_scene(const ashi_replay *replay)
{
    (void)replay;
    return NULL;
}

const double *ashi_replay_times(const ashi_replay *replay)
{
    (void)replay;
    return NULL;
}

uint64_t ashi_replay_nearest(const ashi_replay *replay, double time)
{
    (void)replay, (void)time;
    return 0;
}

uint32_t ashi_replay_series_count(const ashi_replay *replay)
{
    (void)replay;
    return 0;
}

ash_status ashi_replay_series(ashi_replay *replay, uint32_t index, ash_series *series, ash_diagnostic *diagnostic)
{
    (void)replay, (void)index;
    *series = (ash_series){0};
    return refuse(diagnostic);
}

ash_status ashi_replay_pose(ashi_replay *replay, uint64_t sample, uint32_t threads, ashi_instance *instance,
                            ash_diagnostic *diagnostic)
{
    (void)replay, (void)sample, (void)threads, (void)instance;
    return refuse(diagnostic);
}

bool ashi_is_hdf5(const char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return false;
}

ash_status ashi_fclib_file_read(const char *path, ash_problem *problem, ash_diagnostic *diagnostic)
{
    (void)path, (void)problem;
    return refuse(diagnostic);
}

ash_status ash_problem_write_fclib(const ash_problem *problem, bool solved, const char *path,
                                   ash_diagnostic *diagnostic)
{
    (void)problem, (void)solved, (void)path;
    return refuse(diagnostic);
}

ash_status ash_problem_measure_fclib(const ash_problem *problem, double *merit, ash_diagnostic *diagnostic)
{
    (void)problem, (void)merit;
    return refuse(diagnostic);
}
