/* A mirror image turns x into -x in the world and in every local frame alike. So a vector becomes (-x, y, z), a
 * pseudo-vector (x, -y, -z), a rotation (w, x, -y, -z), and shapes that are symmetric about their local x = 0 stay what
 * they are. Along a joint's axes, travel along x and turns about y and z change their sign. */
#include "copy.h"

#include "math/quat.h"
#include "math/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

law_change law_no_change(void)
{
    return (law_change){.turn = {1, 0, 0, 0}, .length = 1, .mass = 1, .time = 1};
}

static ash_vec3 mirrored(const law_change *change, ash_vec3 v)
{
    return change->mirror ? v3(-v.x, v.y, v.z) : v;
}

static ash_vec3 mirrored_spin(const law_change *change, ash_vec3 v)
{
    return change->mirror ? v3(v.x, -v.y, -v.z) : v;
}

static ash_quat mirrored_rotation(const law_change *change, ash_quat q)
{
    return change->mirror ? (ash_quat){q.w, q.x, -q.y, -q.z} : q;
}

/* Of a local frame: neither turned nor moved. */
static ash_vec3 local_point(const law_change *change, ash_vec3 point)
{
    return v3_scale(mirrored(change, point), change->length);
}

static ash_transform local_pose(const law_change *change, ash_transform pose)
{
    return (ash_transform){local_point(change, pose.position), mirrored_rotation(change, pose.rotation)};
}

static ash_vec3 world_vector(const law_change *change, ash_vec3 v, double unit)
{
    return v3_scale(q_rotate(change->turn, mirrored(change, v)), unit);
}

static ash_quat world_rotation(const law_change *change, ash_quat q)
{
    return q_mul(change->turn, mirrored_rotation(change, q));
}

ash_vec3 law_change_point(const law_change *change, ash_vec3 point)
{
    return v3_add(world_vector(change, point, change->length), change->shift);
}

ash_vec3 law_change_velocity(const law_change *change, ash_vec3 velocity)
{
    return world_vector(change, velocity, change->length / change->time);
}

ash_vec3 law_change_spin(const law_change *change, ash_vec3 spin)
{
    return v3_scale(q_rotate(change->turn, mirrored_spin(change, spin)), 1 / change->time);
}

/* The number of x in the selection, or ASHI_NONE. */
static uint32_t place_in(const law_selection *selection, uint32_t x)
{
    if (selection->numbers == NULL)
        return x;
    for (uint32_t i = 0; i < selection->count; i++)
        if (selection->numbers[i] == x)
            return i;
    return ASHI_NONE;
}

static uint32_t selected(const law_selection *selection, uint32_t i)
{
    return selection->numbers == NULL ? i : selection->numbers[i];
}

static uint32_t selected_count(const law_selection *selection, uint32_t all)
{
    return selection->numbers == NULL ? all : selection->count;
}

static bool change_body(const law_change *change, ash_body *body)
{
    if (body->id == 0)
        return true;
    uint32_t place = place_in(&change->bodies, (uint32_t)(body->id - 1));
    *body = ashi_scene_body_ref(place);
    return place != ASHI_NONE;
}

/* Kinds whose mirror image is of the same kind, and whose sizes are those that change_geometry scales. */
static bool is_symmetric(ash_geometry_kind kind)
{
    return kind != ASH_GEOMETRY_HEIGHT_FIELD && kind != ASH_GEOMETRY_DISTANCE_FIELD && kind != ASH_GEOMETRY_MESH;
}

/* A geometry in other units, mirrored; null where there is none. */
static ash_geometry *change_geometry(const law_change *change, ash_geometry *geometry)
{
    if (change->length == 1 && !change->mirror)
        return ash_geometry_retain(geometry);
    const ash_geometry_def *old = ash_geometry_get_definition(geometry);
    ash_geometry_def def = *old;
    ash_geometry *copy = NULL;
    ash_vec3 *points = NULL;
    ash_geometry_part *parts = NULL;
    bool possible = is_symmetric(old->kind);
    def.radius *= change->length;
    def.height *= change->length;
    def.half_extents = v3_scale(def.half_extents, change->length);
    if (possible && old->point_count > 0) {
        points = calloc(old->point_count, sizeof *points);
        for (uint32_t i = 0; i < old->point_count; i++)
            points[i] = local_point(change, old->points[i]);
        def.points = points;
    }
    if (old->kind == ASH_GEOMETRY_HULL) { /* faces are found again */
        def.triangles = NULL;
        def.triangle_count = 0;
    }
    if (possible && old->part_count > 0) {
        parts = calloc(old->part_count, sizeof *parts);
        for (uint32_t i = 0; i < old->part_count; i++) {
            parts[i].geometry = change_geometry(change, old->parts[i].geometry);
            parts[i].pose = local_pose(change, old->parts[i].pose);
            possible = possible && parts[i].geometry != NULL;
        }
        def.parts = parts;
    }
    if (possible && ash_geometry_create(&def, &copy, NULL) != ASH_OK)
        copy = NULL;
    for (uint32_t i = 0; parts != NULL && i < old->part_count; i++)
        ash_geometry_release(parts[i].geometry);
    free(points);
    free(parts);
    return copy;
}

static bool copy_shapes(const ash_scene *scene, const law_change *change, ash_scene *copy, uint32_t from, uint32_t to)
{
    const ashi_scene_body *body = &scene->bodies.data[from];
    for (uint32_t i = 0; i < body->shape_count; i++) {
        uint32_t number = body->first_shape + (change->reverse_shapes ? body->shape_count - 1 - i : i);
        ashi_scene_shape shape = scene->shapes.data[number];
        ash_geometry *geometry = change_geometry(change, scene->geometries.data[shape.geometry].geometry);
        if (geometry == NULL)
            return false;
        shape.geometry = ashi_scene_add_geometry(copy, NULL, geometry);
        shape.pose = local_pose(change, shape.pose);
        shape.surface_velocity = v3_scale(mirrored(change, shape.surface_velocity), change->length / change->time);
        if (shape.density != ASH_MATERIAL_DENSITY)
            shape.density *= change->mass / pow(change->length, scene->planar ? 2 : 3);
        ashi_scene_add_shape(copy, to, &shape);
    }
    return true;
}

static bool is_turned(const law_change *change)
{
    return change->turn.w != 1;
}

static bool copy_body(const ash_scene *scene, const law_change *change, ash_scene *copy, uint32_t number)
{
    const ashi_scene_body *body = &scene->bodies.data[number];
    ash_body_def def = body->def;
    double inertia = change->mass * change->length * change->length;
    if (is_turned(change) && def.locks != 0 && def.locks != ASH_LOCK_ROTATION)
        return false;
    def.position = law_change_point(change, def.position);
    def.rotation = world_rotation(change, def.rotation);
    def.velocity = law_change_velocity(change, def.velocity);
    def.angular_velocity = law_change_spin(change, def.angular_velocity);
    def.mass *= change->mass;
    def.centre = local_point(change, def.centre);
    double across = change->mirror ? -inertia : inertia;
    def.inertia = (ash_sym3){def.inertia.xx * inertia, def.inertia.yy * inertia, def.inertia.zz * inertia,
                             def.inertia.xy * across,  def.inertia.xz * across,  def.inertia.yz * inertia};
    def.linear_damping /= change->time;
    def.angular_damping /= change->time;
    uint32_t to = ashi_scene_add_body(copy, &def);
    copy->bodies.data[to].absent = body->absent;
    return copy_shapes(scene, change, copy, number, to);
}

static void negate_axis(ash_joint_axis *axis)
{
    double lower = axis->lower;
    axis->lower = -axis->upper;
    axis->upper = -lower;
    axis->rest = -axis->rest;
    axis->motor.target = -axis->motor.target;
}

/* Units of an axis: of its coordinate, and of a force along it. */
static void scale_axis(ash_joint_axis *axis, double position, double force, double time)
{
    axis->lower *= position;
    axis->upper *= position;
    axis->rest *= position;
    axis->friction *= force;
    axis->stiffness *= force / position;
    axis->damping *= force / position * time;
    axis->motor.max_force *= force;
    axis->motor.proportional *= force / position;
    axis->motor.integral *= force / position / time;
    axis->motor.derivative *= force / position * time;
    axis->motor.target *= axis->motor.drive == ASH_DRIVE_VELOCITY ? position / time : position;
}

/* Kinds in which a and b play the same part. Swapped, their coordinates change sign. */
static bool is_exchangeable(ash_joint_kind kind)
{
    return kind == ASH_JOINT_BALL || kind == ASH_JOINT_HINGE || kind == ASH_JOINT_FIXED || kind == ASH_JOINT_SLIDER ||
           kind == ASH_JOINT_CYLINDRICAL || kind == ASH_JOINT_COMMON_AXIS || kind == ASH_JOINT_PARALLEL ||
           kind == ASH_JOINT_DISTANCE || kind == ASH_JOINT_ROPE;
}

static void exchange_joint(ash_joint_def *def)
{
    ash_body body = def->body_a;
    ash_transform frame = def->frame_a;
    def->body_a = def->body_b;
    def->frame_a = def->frame_b;
    def->body_b = body;
    def->frame_b = frame;
    if (def->kind != ASH_JOINT_DISTANCE && def->kind != ASH_JOINT_ROPE)
        for (int i = 0; i < ASH_FREEDOMS; i++)
            negate_axis(&def->axes[i]);
}

/* A frame on the background is in the world. */
static ash_transform joint_frame(const law_change *change, ash_body body, ash_transform frame)
{
    if (body.id != 0)
        return local_pose(change, frame);
    return (ash_transform){law_change_point(change, frame.position), world_rotation(change, frame.rotation)};
}

static void mirror_joint(ash_joint_def *def)
{
    negate_axis(&def->axes[ASH_MOVE_X]);
    negate_axis(&def->axes[ASH_TURN_Y]);
    negate_axis(&def->axes[ASH_TURN_Z]);
    def->angle = 3.141592653589793 - def->angle; /* of x of a, which turns round, and y of b */
    def->pitch = -def->pitch;
}

static bool copy_joint(const ash_scene *scene, const law_change *change, ash_scene *copy, uint32_t number)
{
    ash_joint_def def = scene->joints.data[number].def;
    double force = change->mass * change->length / (change->time * change->time), torque = force * change->length;
    ash_vec3 *path = NULL;
    bool lengths = def.kind == ASH_JOINT_DISTANCE || def.kind == ASH_JOINT_ROPE || def.kind == ASH_JOINT_PULLEY ||
                   def.kind == ASH_JOINT_HYDRAULIC || def.kind == ASH_JOINT_PATH;
    def.frame_a = joint_frame(change, def.body_a, def.frame_a);
    def.frame_b = joint_frame(change, def.body_b, def.frame_b);
    if (!change_body(change, &def.body_a) || !change_body(change, &def.body_b))
        return false;
    for (int i = 0; i < ASH_FREEDOMS; i++)
        scale_axis(&def.axes[i], i < ASH_TURN_X ? change->length : 1, i < ASH_TURN_X ? force : torque, change->time);
    if (change->mirror && !lengths)
        mirror_joint(&def);
    def.length *= change->length;
    def.pitch *= change->length;
    def.radius_a *= change->length;
    def.radius_b *= change->length;
    def.hang_a = law_change_point(change, def.hang_a);
    def.hang_b = law_change_point(change, def.hang_b);
    def.min_length *= change->length;
    def.max_length *= change->length;
    def.speed *= change->length / change->time;
    def.max_force *= force;
    def.compliance *= change->length / force;
    def.angular_compliance *= 1 / torque;
    def.break_force *= force;
    def.break_torque *= torque;
    if (def.path_count > 0) {
        path = calloc(def.path_count, sizeof *path);
        for (uint32_t i = 0; i < def.path_count; i++)
            path[i] = local_point(change, def.path[i]);
        def.path = path;
    }
    if (change->exchange && is_exchangeable(def.kind))
        exchange_joint(&def);
    uint32_t to = ashi_scene_add_joint(copy, &def);
    copy->joints.data[to].disabled = scene->joints.data[number].disabled;
    free(path);
    return true;
}

/* A point on the background is in the world. */
static ash_vec3 force_point(const law_change *change, ash_body body, ash_vec3 point)
{
    return body.id != 0 ? local_point(change, point) : law_change_point(change, point);
}

static bool copy_spring(const law_change *change, ash_spring_def *spring)
{
    double force = change->mass * change->length / (change->time * change->time);
    spring->point_a = force_point(change, spring->body_a, spring->point_a);
    spring->point_b = force_point(change, spring->body_b, spring->point_b);
    spring->stiffness *= force / change->length;
    spring->damping *= force / change->length * change->time;
    spring->rest_length *= change->length;
    if (!change_body(change, &spring->body_a) || !change_body(change, &spring->body_b))
        return false;
    if (change->exchange) {
        ash_spring_def old = *spring;
        spring->body_a = old.body_b;
        spring->point_a = old.point_b;
        spring->body_b = old.body_a;
        spring->point_b = old.point_a;
    }
    return true;
}

/* Springs and loads; worlds with other forces have no copy. */
static bool copy_force(const ash_scene *scene, const law_change *change, ash_scene *copy, uint32_t number)
{
    ashi_scene_force force = scene->forces.data[number];
    double unit = change->mass * change->length / (change->time * change->time);
    bool possible = false;
    if (force.kind == ASH_FORCE_SPRING) {
        possible = copy_spring(change, &force.def.spring);
    } else if (force.kind == ASH_FORCE_LOAD && !force.def.load.body_axes && !change->mirror &&
               force.def.load.signal.kind == ASH_SIGNAL_CONSTANT) {
        ash_load_def *load = &force.def.load;
        load->force = world_vector(change, load->force, unit);
        load->torque = world_vector(change, load->torque, unit * change->length);
        load->point = local_point(change, load->point);
        load->start *= change->time;
        load->stop *= change->time;
        possible = change_body(change, &load->body);
    }
    if (possible)
        ashi_scene_add_force(copy, &force);
    return possible;
}

/* The fields of a method that have a unit. Those that serve metres and radians alike go with the metres. */
static void scale_method(const law_change *change, ash_method *method)
{
    double length = change->length, speed = length / change->time, force = change->mass * speed / change->time;
    method->contact_margin *= length;
    method->recycle *= length;
    method->slop *= length;
    method->mixed_depth *= length;
    method->joint_tolerance *= length;
    method->resting_speed *= speed;
    method->stick_speed *= speed;
    method->sleep_speed *= speed;
    method->sleep_spin /= change->time;
    method->max_speed *= speed;
    method->max_spin /= change->time;
    method->sleep_time *= change->time;
    method->joint_velocity_tolerance *= speed;
    method->solver.tolerance *= speed;
    method->solver.push_out *= speed;
    method->solver.slip_speed *= speed;
    method->solver.unit_length *= length;
    method->solver.unit_time *= change->time;
    method->solver.frequency /= change->time;
    method->solver.stiffness *= force / length;
    method->solver.dissipation *= force / speed;
}

static void copy_materials(const ash_scene *scene, const law_change *change, ash_scene *copy)
{
    for (uint32_t i = 0; i < scene->materials.count; i++) {
        ash_material_def def = scene->materials.data[i];
        def.density *= change->mass / pow(change->length, scene->planar ? 2 : 3);
        def.surface.rolling *= change->length;
        def.surface.spinning *= change->length;
        ashi_scene_add_material(copy, &def);
    }
    for (uint32_t i = 0; i < scene->material_pairs.count; i++) {
        ashi_scene_material_pair pair = scene->material_pairs.data[i];
        pair.surface.rolling *= change->length;
        pair.surface.spinning *= change->length;
        ashi_scene_add_material_pair(copy, &pair);
    }
}

ash_scene *law_copy(const ash_scene *scene, const law_change *change)
{
    ash_scene *copy = NULL;
    bool possible = ashi_scene_create(scene->name, &copy, NULL) == ASH_OK;
    if (!possible)
        abort(); /* out of memory */
    copy->summary = ashi_scene_text(copy, "%s", scene->summary);
    copy->gravity = world_vector(change, scene->gravity, change->length / (change->time * change->time));
    copy->planar = scene->planar;
    copy->method = scene->method;
    scale_method(change, &copy->method);
    copy->step = scene->step * change->time;
    copy->time = scene->time * change->time;
    copy_materials(scene, change, copy);
    for (uint32_t i = 0; possible && i < selected_count(&change->bodies, scene->bodies.count); i++)
        possible = copy_body(scene, change, copy, selected(&change->bodies, i));
    for (uint32_t i = 0; possible && i < selected_count(&change->joints, scene->joints.count); i++)
        possible = copy_joint(scene, change, copy, selected(&change->joints, i));
    for (uint32_t i = 0; possible && i < selected_count(&change->forces, scene->forces.count); i++)
        possible = copy_force(scene, change, copy, selected(&change->forces, i));
    if (!possible || ashi_scene_finish(copy, NULL) != ASH_OK) {
        ash_scene_destroy(copy);
        return NULL;
    }
    return copy;
}
