/* The joints that broke in a run: the world reports only those of its last step, by handles. */
#include "scene/instance/breakage.h"

/* The number of a joint in the scene; all of the world's are the scene's. */
static uint32_t number_of(const ashi_instance *instance, ash_joint joint)
{
    uint32_t i = 0;
    while (i < instance->joint_count && instance->joints[i].id != joint.id)
        i++;
    return i;
}

bool ashi_breakage_note(ashi_breakage *breakage, const ash_scene *scene, const ashi_instance *instance, double time,
                        ashi_arena *text)
{
    uint32_t count = ash_world_get_joint_events(instance->world, NULL, 0);
    if (count == 0)
        return true;
    ash_joint_event *events = ashi_alloc_array(count, sizeof *events);
    bool room = events != NULL && ashi_array_reserve(&breakage->joints, breakage->joints.count + count);
    ash_world_get_joint_events(instance->world, events, room ? count : 0);
    for (uint32_t i = 0; i < count && room; i++) {
        uint32_t number = number_of(instance, events[i].joint);
        const char *name = number < scene->joints.count ? scene->joints.data[number].def.name : NULL;
        const char *copy = ashi_arena_text(text, name != NULL ? name : "");
        room = copy != NULL;
        if (room)
            breakage->joints.data[breakage->joints.count++] =
                (ash_broken_joint){copy, number, time, events[i].force, events[i].torque};
    }
    ashi_dealloc(events);
    return room;
}
