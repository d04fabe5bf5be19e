/* The memory of a world by parts: the arrays of each part, spare capacity included. */
#include "step/lanes.h"
#include "world/world.h"

static size_t size_of_all(const void *const *arrays, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += ashi_alloc_size(arrays[i]);
    return size;
}

static size_t size_of_state(const ashi_state *s)
{
    const void *arrays[] = {s->position, s->rotation, s->velocity, s->spin};
    return size_of_all(arrays, sizeof arrays / sizeof *arrays);
}

static size_t size_of_bodies(const ashi_model *model)
{
    const ashi_bodies *b = &model->bodies;
    const void *arrays[] = {
        b->pool.slots.data,
        b->motion,
        b->locks,
        b->inertial,
        b->rotor,
        b->force,
        b->torque,
        b->applied_force,
        b->applied_torque,
        b->info,
        b->rest,
        model->shapes.pool.slots.data,
        model->shapes.entries.data,
    };
    return size_of_state(&b->now) + size_of_state(&b->next) + size_of_all(arrays, sizeof arrays / sizeof *arrays);
}

static size_t size_of_set(const ashi_contact_set *set)
{
    const void *arrays[] = {set->pairs.data, set->contacts.data, set->points.data};
    return size_of_all(arrays, sizeof arrays / sizeof *arrays);
}

static size_t size_of_contacts(const ashi_collision *c)
{
    const void *arrays[] = {c->meets.data,  c->poses.data, c->pieces.data,  c->drafts.data, c->scratch.data,
                            c->events.data, c->fast.data,  c->impacts.data, c->ignored.data};
    size_t size = size_of_all(arrays, sizeof arrays / sizeof *arrays);
    for (uint32_t i = 0; i < c->drafts.count; i++)
        size += ashi_alloc_size(c->drafts.data[i].contacts.data) + ashi_alloc_size(c->drafts.data[i].points.data);
    for (uint32_t i = 0; i < c->scratch.count; i++)
        size += ashi_alloc_size(c->scratch.data[i].data);
    return size + size_of_set(&c->now) + size_of_set(&c->before) + size_of_set(&c->start) + size_of_set(&c->kept);
}

static size_t size_of_problem(const ashi_system *p)
{
    const void *arrays[] = {p->bodies, p->contacts, p->points,   p->turns, p->blocks,
                            p->rows,   p->islands,  p->velocity, p->shift};
    return size_of_all(arrays, sizeof arrays / sizeof *arrays);
}

ash_memory_parts ash_world_get_memory(const ash_world *world)
{
    const ashi_collision *c = &world->collision;
    return (ash_memory_parts){
        .bodies = size_of_bodies(&world->model),
        .broad_phase = ashi_broad_size(c->broad) + ashi_alloc_size(c->colliders.data) + ashi_alloc_size(c->pairs.data),
        .contacts = size_of_contacts(c),
        .problem = size_of_problem(&world->problem) + size_of_problem(&world->position_problem) +
                   size_of_problem(&world->last_problem) + size_of_problem(&world->joint_problem),
        .solver = ashi_solver_scratch_size(world->solvers) + ashi_lanes_size(world->lanes),
        .scratch = ashi_arena_size(world->scratch) + ashi_arena_size(world->kept),
    };
}
