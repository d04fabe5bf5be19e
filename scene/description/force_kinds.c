/* The kinds of forces that a scene may have, by where a description has their names and bodies. Callbacks are code, not
 * data. */
#include "scene/description/keys.h"

static ash_status create_spring(ash_world *world, const ashi_scene_force *from, ash_force *force, ash_diagnostic *d)
{
    return ash_spring_create(world, &from->def.spring, force, d);
}

static ash_status create_angular_spring(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                        ash_diagnostic *d)
{
    return ash_angular_spring_create(world, &from->def.angular_spring, force, d);
}

static ash_status create_bending_spring(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                        ash_diagnostic *d)
{
    return ash_bending_spring_create(world, &from->def.bending_spring, force, d);
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

static ash_status (*const creators[ASH_FORCE_KINDS])(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                                     ash_diagnostic *d) = {
    [ASH_FORCE_SPRING] = create_spring,
    [ASH_FORCE_ANGULAR_SPRING] = create_angular_spring,
    [ASH_FORCE_BENDING_SPRING] = create_bending_spring,
    [ASH_FORCE_DRAG] = create_drag,
    [ASH_FORCE_PULL] = create_pull,
    [ASH_FORCE_LOAD] = create_load,
};

bool ashi_scene_force_is_data(ash_force_kind kind)
{
    return (unsigned)kind < ASH_FORCE_KINDS && creators[kind] != NULL;
}

const char **ashi_scene_force_name_of(ashi_scene_force *force)
{
    const ashi_key *key = ashi_force_keys(force->kind)->keys;
    while (key->type != ASHI_VALUE_TEXT)
        key++;
    return ashi_value_at(force, key);
}

const char *ashi_scene_force_name(const ashi_scene_force *force)
{
    ashi_scene_force copy = *force;
    return *ashi_scene_force_name_of(&copy);
}

ash_body *ashi_scene_force_body(ashi_scene_force *force, int number)
{
    const ashi_key_table *table = ashi_force_keys(force->kind);
    for (uint32_t i = 0; i < table->count; i++)
        if ((table->keys[i].type == ASHI_VALUE_BODY || table->keys[i].type == ASHI_VALUE_OWN_BODY) && number-- == 0)
            return ashi_value_at(force, &table->keys[i]);
    return NULL;
}

ash_status ashi_scene_force_create(ash_world *world, const ashi_scene_force *from, ash_force *force,
                                   ash_diagnostic *diagnostic)
{
    return creators[from->kind](world, from, force, diagnostic);
}
