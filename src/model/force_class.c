/* The table of the kinds of forces, the only place that lists them. */
#include "model/forces.h"

static const ashi_force_class *const classes[ASH_FORCE_KINDS] = {
    [ASH_FORCE_SPRING] = &ashi_spring_class,
    [ASH_FORCE_ANGULAR_SPRING] = &ashi_angular_spring_class,
    [ASH_FORCE_BENDING_SPRING] = &ashi_bending_spring_class,
    [ASH_FORCE_DRAG] = &ashi_drag_class,
    [ASH_FORCE_PULL] = &ashi_pull_class,
    [ASH_FORCE_LOAD] = &ashi_load_class,
    [ASH_FORCE_CALLBACK] = &ashi_callback_class,
};

const ashi_force_class *ashi_force_class_of(ash_force_kind kind)
{
    return classes[kind];
}

const char *ash_force_kind_name(ash_force_kind kind)
{
    return (unsigned)kind < ASH_FORCE_KINDS ? classes[kind]->name : "";
}
