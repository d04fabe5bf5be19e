/* The kinds of forces that a scene may have, by where a description has their names and bodies. Callbacks are code, not
 * data. */
#include "scene/description/description.h"

#include <stddef.h>

static ash_status create_spring(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d)
{
    return ash_spring_create(world, &from->def.spring, force, d);
}

static ash_status create_angular_spring(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                        ash_diagnostic *d)
{
    return ash_angular_spring_create(world, &from->def.angular_spring, force, d);
}

static ash_status create_drag(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d)
{
    return ash_drag_create(world, &from->def.drag, force, d);
}

static ash_status create_pull(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d)
{
    return ash_pull_create(world, &from->def.pull, force, d);
}

static ash_status create_load(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d)
{
    return ash_load_create(world, &from->def.load, force, d);
}

#define AT(field) offsetof(ashi_scene_force, def.field)

static const struct {
    size_t name, bodies[2]; /* 0: there is no second one */
    ash_status (*create)(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d);
} kinds[ASH_FORCE_KINDS] = {
    [ASH_FORCE_SPRING] = {AT(spring.name), {AT(spring.body_a), AT(spring.body_b)}, create_spring},
    [ASH_FORCE_ANGULAR_SPRING] = {AT(angular_spring.name),
                                  {AT(angular_spring.body_a), AT(angular_spring.body_b)},
                                  create_angular_spring},
    [ASH_FORCE_DRAG] = {AT(drag.name), {AT(drag.body), 0}, create_drag},
    [ASH_FORCE_PULL] = {AT(pull.name), {AT(pull.body), 0}, create_pull},
    [ASH_FORCE_LOAD] = {AT(load.name), {AT(load.body), 0}, create_load},
};

bool ashi_scene_force_is_data(ash_force_kind kind)
{
    return (unsigned)kind < ASH_FORCE_KINDS && kinds[kind].create != NULL;
}

const char **ashi_scene_force_name_of(ashi_scene_force *force)
{
    return (const char **)(void *)((char *)force + kinds[force->kind].name);
}

const char *ashi_scene_force_name(const ashi_scene_force *force)
{
    return *(const char *const *)(const void *)((const char *)force + kinds[force->kind].name);
}

ash_body *ashi_scene_force_body(ashi_scene_force *force, int number)
{
    size_t at = kinds[force->kind].bodies[number];
    return at != 0 ? (ash_body *)(void *)((char *)force + at) : NULL;
}

ash_status ashi_scene_force_create(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                   ash_diagnostic *diagnostic)
{
    return kinds[from->kind].create(world, from, force, diagnostic);
}
