/* Making and removing bodies: definitions are checked whole before anything is created. */
#include "world/body_check.h"
#include "world/meeting_check.h"
#include "world/world.h"

#include <float.h>

ash_body_def ash_default_body_def(void)
{
    return (ash_body_def){.rotation = {1, 0, 0, 0}, .gravity_scale = 1};
}

ash_shape_def ash_default_shape_def(void)
{
    return (ash_shape_def){.pose = ash_identity(), .density = ASH_MATERIAL_DENSITY, .category = 1, .mask = UINT64_MAX};
}

/* The sum of the shapes' masses, by their densities, or all with density 1, to find a distribution for a given mass if
 * no shape has a density. */
static ash_status shapes_mass(const ashi_materials *materials, const ash_shape_def *shapes, uint32_t count,
                              bool unit_density, ash_mass_properties *sum, ash_diagnostic *diagnostic)
{
    *sum = (ash_mass_properties){.principal_axes = q_identity()};
    for (uint32_t i = 0; i < count; i++) {
        double density = unit_density ? 1 : ashi_shape_density(materials, &shapes[i]);
        if (density == 0)
            continue;
        ash_mass_properties one;
        ash_status status = ash_geometry_mass(shapes[i].geometry, density, &one, diagnostic);
        if (status != ASH_OK)
            return status;
        one = ash_mass_transform(&one, shapes[i].pose);
        *sum = sum->mass > 0 ? ash_mass_add(sum, &one) : one;
    }
    return ASH_OK;
}

static bool any_density(const ashi_materials *materials, const ash_shape_def *shapes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ashi_shape_density(materials, &shapes[i]) > 0)
            return true;
    return false;
}

static bool is_zero(ash_sym3 a)
{
    return a.xx == 0 && a.yy == 0 && a.zz == 0 && a.xy == 0 && a.xz == 0 && a.yz == 0;
}

/* Planar worlds need only the moment about z; the other two are then those of a lamina. */
static ash_sym3 as_lamina(ash_sym3 inertia)
{
    if (inertia.xx == 0 && inertia.yy == 0)
        inertia.xx = inertia.yy = 0.5 * inertia.zz;
    return inertia;
}

/* Mass, centre and inertia from the definition; the rotation of a point mass is added to `locks`. */
static ash_status find_mass(const ashi_model *model, const ash_body_def *def, const ash_shape_def *shapes,
                            uint32_t count, ash_mass_properties *mass, uint32_t *locks, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    bool planar = model->bodies.planar, dense = any_density(&model->materials, shapes, count);
    if (def->mass > 0 && !is_zero(def->inertia)) {
        *mass = (ash_mass_properties){
            .mass = def->mass, .centre = def->centre, .inertia = planar ? as_lamina(def->inertia) : def->inertia};
        return ash_mass_complete(mass, diagnostic);
    }
    if (count > 0 && (def->mass > 0 || dense))
        status = shapes_mass(&model->materials, shapes, count, !dense, mass, diagnostic);
    if (status != ASH_OK)
        return status;
    if (def->mass > 0 && mass->mass > 0) { /* the shapes' distribution, scaled */
        double scale = def->mass / mass->mass;
        mass->mass = def->mass;
        mass->inertia = s3_scale(mass->inertia, scale);
        mass->principal = v3_scale(mass->principal, scale);
    } else if (def->mass > 0) { /* a point */
        *mass = (ash_mass_properties){.mass = def->mass, .centre = def->centre, .principal_axes = q_identity()};
        *locks |= ASH_LOCK_ROTATION;
    }
    return ASH_OK;
}

/* Common to creation and a change of mass: sets info, then everything derived from it. */
static void place(ashi_bodies *b, uint32_t slot, ash_transform frame)
{
    /* A quaternion of unit length up to rounding is not changed, so that a body's rotation can be restored bit for
     * bit. */
    if (!(fabs(q_norm2(frame.rotation) - 1) <= 4 * DBL_EPSILON))
        frame.rotation = q_unit(frame.rotation);
    b->now.rotation[slot] = frame.rotation;
    b->now.position[slot] = t_point(frame, b->info[slot].mass.centre);
}

static ash_status create(ash_world *world, const ash_body_def *def, const ash_shape_def *shapes, uint32_t count,
                         ash_body *body, ash_diagnostic *diagnostic)
{
    ashi_bodies *b = &world->model.bodies;
    ash_mass_properties mass = {.principal_axes = q_identity()};
    uint32_t locks = def->locks;
    ash_status status = ashi_check_body(def, b->planar, diagnostic);
    if (status == ASH_OK && (!ashi_world_has_room(&b->pool, 1, "bodies", diagnostic) ||
                             !ashi_world_has_room(&world->model.shapes.pool, count, "shapes", diagnostic)))
        status = ASH_BAD_DATA;
    for (uint32_t i = 0; i < count && status == ASH_OK; i++)
        status = ashi_check_shape(&world->model.materials, &shapes[i], i, b->planar, diagnostic);
    /* Immovable bodies need no mass, but keep it in case they are released; shapes without volume then have none. */
    if (status == ASH_OK)
        status = find_mass(&world->model, def, shapes, count, &mass, &locks, diagnostic);
    if (def->type != ASH_BODY_DYNAMIC && status == ASH_UNSUPPORTED) {
        mass = (ash_mass_properties){.principal_axes = q_identity()};
        status = ASH_OK;
    }
    if (status == ASH_OK && def->type == ASH_BODY_DYNAMIC)
        status = ashi_check_dynamic(&mass, locks, b->planar, diagnostic);
    if (status == ASH_OK)
        status = ashi_check_new_meetings(&world->model, def, shapes, count, diagnostic);
    if (status != ASH_OK)
        return status;

    char *name = NULL;
    if (def->name != NULL && def->name[0] != 0 && (name = ashi_copy_text(def->name)) == NULL)
        return ashi_out_of_memory(diagnostic);
    ashi_world_note_change(world);
    uint32_t slot = ashi_bodies_add(b), first_shape;
    if (slot == ASHI_NO_SLOT) {
        ashi_dealloc(name);
        return ashi_out_of_memory(diagnostic);
    }
    if (!ashi_shapes_add(&world->model.shapes, &world->model.materials, slot, shapes, count, &first_shape)) {
        ashi_dealloc(name);
        ashi_bodies_undo_add(b, slot);
        return ashi_out_of_memory(diagnostic);
    }
    b->info[slot] = (ashi_body_info){
        .type = def->type,
        .locks = locks,
        .mass = mass,
        .gravity_scale = def->gravity_scale,
        .linear_damping = def->linear_damping,
        .angular_damping = def->angular_damping,
        .fast = def->fast,
        .first_shape = first_shape,
        .name = name,
        .user_data = def->user_data,
    };
    place(b, slot, (ash_transform){def->position, def->rotation});
    b->now.velocity[slot] = def->velocity;
    b->now.spin[slot] = def->angular_velocity;
    ashi_bodies_classify(b, slot);
    if (def->type != ASH_BODY_DYNAMIC) /* it may be among sleeping bodies, which it would not wake */
        ashi_sleep_wake_all(b);
    world->model.forces.changed = true;
    body->id = ashi_pool_handle(&b->pool, slot);
    return ASH_OK;
}

ash_status ash_body_create(ash_world *world, const ash_body_def *def, const ash_shape_def *shapes, uint32_t shape_count,
                           ash_body *body, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    ash_status status = create(world, def, shapes, shape_count, body, &own);
    if (status != ASH_OK) {
        ashi_world_note(world, &own);
        if (diagnostic != NULL)
            *diagnostic = own;
    }
    return status;
}

ash_status ash_body_destroy(ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    if (slot == 0)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.background", "the background cannot be removed");
    ashi_world_disturb(world, slot);
    if (world->model.forces.pool.used > 0 || world->model.joints.pool.used > 0) /* something may have been attached to
                                                                                   it */
        ashi_sleep_wake_all(&world->model.bodies);
    ashi_forces_remove_body(&world->model.forces, slot);
    ashi_joints_remove_body(&world->model.joints, slot);
    ashi_collision_forget_body(&world->collision, body.id);
    ashi_shapes_remove(&world->model.shapes, world->model.bodies.info[slot].first_shape);
    ashi_bodies_remove(&world->model.bodies, slot);
    return ASH_OK;
}

ash_status ash_body_set_mass(ash_world *world, ash_body body, double mass, ash_vec3 centre, ash_sym3 inertia,
                             ash_diagnostic *diagnostic)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_bodies *b = &world->model.bodies;
    ash_diagnostic own = {0};
    ash_mass_properties fresh = {.mass = mass,
                                 .centre = centre,
                                 .inertia = b->planar ? as_lamina(inertia) : inertia,
                                 .principal_axes = q_identity()};
    ash_status status = ASH_OK;
    if (slot == 0 || !isfinite(mass) || !v3_is_finite(centre) || !s3_is_finite(inertia) || !(mass > 0))
        status = ashi_fail(&own, ASH_BAD_ARGUMENT, "body.mass", "a mass of %g kg for body %u", mass, slot);
    if (status == ASH_OK && !is_zero(inertia))
        status = ash_mass_complete(&fresh, &own);
    if (status == ASH_OK && b->info[slot].type == ASH_BODY_DYNAMIC)
        status = ashi_check_dynamic(&fresh, b->info[slot].locks, b->planar, &own);
    if (status != ASH_OK) {
        ashi_world_note(world, &own);
        if (diagnostic != NULL)
            *diagnostic = own;
        return status;
    }
    ashi_world_disturb(world, slot);
    ash_transform frame = ashi_body_frame(b, &b->now, slot);
    ash_vec3 moved = q_rotate(frame.rotation, v3_sub(centre, b->info[slot].mass.centre));
    b->now.velocity[slot] = v3_add(b->now.velocity[slot], v3_cross(b->now.spin[slot], moved));
    b->info[slot].mass = fresh;
    place(b, slot, frame);
    ashi_bodies_classify(b, slot);
    ashi_forces_recentre(&world->model, slot);
    ashi_joints_recentre(&world->model, slot);
    return ASH_OK;
}

ash_status ash_body_set_type(ash_world *world, ash_body body, ash_body_type type)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_body_info *info = &world->model.bodies.info[slot];
    ash_diagnostic own;
    if (slot == 0 || (unsigned)type >= ASH_BODY_TYPES)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.type", "ash_body_set_type: type %d for body %u",
                                 (int)type, slot);
    if (type == ASH_BODY_DYNAMIC &&
        (ashi_check_dynamic(&info->mass, info->locks, world->model.bodies.planar, &own) != ASH_OK ||
         ashi_check_released_meetings(&world->model, slot, &own) != ASH_OK))
        return ashi_world_note(world, &own);
    ashi_world_disturb(world, slot);
    info->type = type;
    ashi_bodies_classify(&world->model.bodies, slot);
    world->model.forces.changed = true;
    return ASH_OK;
}

ash_status ash_body_set_locks(ash_world *world, ash_body body, uint32_t locks)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_body_info *info = &world->model.bodies.info[slot];
    ash_diagnostic own;
    if (locks > 63)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.locks", "ash_body_set_locks: %u", locks);
    if (info->type == ASH_BODY_DYNAMIC &&
        ashi_check_dynamic(&info->mass, locks, world->model.bodies.planar, &own) != ASH_OK)
        return ashi_world_note(world, &own);
    ashi_world_disturb(world, slot);
    info->locks = locks;
    ashi_bodies_classify(&world->model.bodies, slot);
    return ASH_OK;
}
