/* An instance of a scene: its world, and the handles of the scene's objects by their numbers.
 *
 * The order of a run: build; then for each step apply_events(time), ash_world_step, read the outputs. */
#ifndef ASHI_SCENE_INSTANCE_H
#define ASHI_SCENE_INSTANCE_H

#include "scene/description/description.h"

/* The time of an event. */
typedef struct ashi_turn {
    double time;
    uint32_t event; /* in the scene's `events` */
} ashi_turn;

typedef struct ashi_instance {
    ash_world *world;
    ash_material *materials; /* by number in the scene */
    ash_body *bodies;        /* by number in the scene; null while absent, stale once removed */
    ash_force *forces;       /* by number in the scene; stale once removed */
    ash_joint *joints;       /* by number in the scene; stale once removed */
    uint32_t joint_count;
    struct ashi_effort *efforts; /* of joints */
    uint32_t effort_count;
    ashi_turn *turns; /* the events by time; those of one time in the scene's order */
    uint32_t turn_count;
    uint32_t next_turn; /* those before it are done */
} ashi_instance;

/* Makes the world as it is at time 0, before any event. Diagnostics have a path such as "/bodies/3". On failure there
 * is nothing to release. */
ash_status ashi_scene_build(const ash_scene *scene, uint32_t threads, ashi_instance *instance,
                            ash_diagnostic *diagnostic);
void ashi_instance_release(ashi_instance *instance);

/* Does the events that are due at the start of a step at `time` and not yet done. An event on an object that was
 * already removed does nothing. A time that is short of the event's by less than a millionth of the scene's step counts
 * as equal: sums of steps are rounded. */
/* Then efforts of joints act through the next step. */
ash_status ashi_instance_apply_events(ashi_instance *instance, const ash_scene *scene, double time,
                                      ash_diagnostic *diagnostic);

/* When the first event that is not yet done is due, s; infinite: there is none. */
double ashi_instance_next_event(const ashi_instance *instance, const ash_scene *scene);

/* The largest error of the joints at the world's present state, m; of those that act: enabled and still there. */
double ashi_instance_joint_error(const ashi_instance *instance);

/* The value of output number `output` at the world's present state; NaN while its object is not in the world. */
double ashi_instance_read_output(const ashi_instance *instance, const ash_scene *scene, uint32_t output);
/* The same, with the world's ledger, whose sums over all bodies need not be made for every output. */
double ashi_instance_read_output_by(const ashi_instance *instance, const ash_scene *scene, uint32_t output,
                                    const ash_ledger *known);
/* Whether the output is a joint's reaction that is not unique because joints are redundant. */
bool ashi_output_is_indeterminate(const ashi_instance *instance, const ash_scene *scene, uint32_t output);

#endif
