/* Batches in MuJoCo: a world of ours as its XML, in the coordinates of the joints, one model and data for each copy.
 *
 * Hinges that close a loop are a point that stays together (`connect`): here they are those that slide would have to be
 * otherwise, for which MuJoCo has no constraint. Its settings are the defaults: Euler, Newton's solver, soft contacts.
 */
#define _POSIX_C_SOURCE 200809L
#include "batch.h"

#include "math/transform.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128, CHUNK = 4 };

struct batch_rival {
    mjModel *model;
    mjData **data;
    uint32_t copies, servo_count;
    double rates[8];
};

typedef struct batch_writer {
    ash_world *world;
    ash_mechanism *tree;
    ash_body bodies[MOST];
    ash_joint joint_of[MOST]; /* by number of the body: that hangs it on its parent */
    uint32_t count;
    FILE *xml;
    bool good;
} batch_writer;

static void write_vector(FILE *xml, const char *name, ash_vec3 v)
{
    fprintf(xml, " %s=\"%.17g %.17g %.17g\"", name, v.x, v.y, v.z);
}

static void write_pose(FILE *xml, ash_transform pose)
{
    write_vector(xml, "pos", pose.position);
    fprintf(xml, " quat=\"%.17g %.17g %.17g %.17g\"", pose.rotation.w, pose.rotation.x, pose.rotation.y,
            pose.rotation.z);
}

static void write_shape(batch_writer *w, ash_shape shape, bool moves)
{
    const ash_geometry_def *def = ash_geometry_get_definition(ash_shape_get_geometry(w->world, shape));
    ash_vec3 half = def->half_extents;
    double friction = ash_material_get(w->world, ash_shape_get_material(w->world, shape)).surface.friction;
    fprintf(w->xml, "<geom friction=\"%.17g 0.005 0.0001\" contype=\"%d\" conaffinity=\"%d\"", friction, moves, !moves);
    write_pose(w->xml, ash_shape_get_pose(w->world, shape));
    if (def->kind == ASH_GEOMETRY_SPHERE)
        fprintf(w->xml, " type=\"sphere\" size=\"%.17g\"/>", def->radius);
    else if (def->kind == ASH_GEOMETRY_BOX)
        fprintf(w->xml, " type=\"box\" size=\"%.17g %.17g %.17g\"/>", half.x, half.y, half.z);
    else if (def->kind == ASH_GEOMETRY_PLANE)
        fprintf(w->xml, " type=\"plane\" size=\"10 10 1\"/>");
    else
        w->good = false;
}

static void write_shapes(batch_writer *w, ash_body body, bool moves)
{
    ash_shape shapes[16];
    uint32_t count = ash_body_get_shapes(w->world, body, shapes, 16);
    for (uint32_t i = 0; i < count && i < 16; i++)
        write_shape(w, shapes[i], moves);
}

static ash_body parent_of(const batch_writer *w, uint32_t number)
{
    ash_joint joint = w->joint_of[number];
    if (joint.id == 0)
        return ash_world_get_background(w->world);
    ash_body a = ash_joint_get_body_a(w->world, joint);
    return a.id == w->bodies[number].id ? ash_joint_get_body_b(w->world, joint) : a;
}

static void write_joint(batch_writer *w, uint32_t number, ash_transform pose)
{
    ash_joint joint = w->joint_of[number];
    if (joint.id == 0) {
        fprintf(w->xml, "<freejoint/>");
        return;
    }
    ash_joint_kind kind = ash_joint_get_kind(w->world, joint);
    w->good &= kind == ASH_JOINT_HINGE || kind == ASH_JOINT_SLIDER;
    ash_transform frame = ash_joint_get_frame_b(w->world, joint);
    bool reversed = ash_joint_get_body_a(w->world, joint).id == w->bodies[number].id;
    ash_vec3 axis = q_unrotate(pose.rotation, q_rotate(frame.rotation, v3(reversed ? -1 : 1, 0, 0)));
    fprintf(w->xml, "<joint name=\"%s\" type=\"%s\"", ash_joint_get_name(w->world, joint),
            kind == ASH_JOINT_HINGE ? "hinge" : "slide");
    write_vector(w->xml, "pos", t_point_inverse(pose, frame.position));
    write_vector(w->xml, "axis", axis);
    fprintf(w->xml, "/>");
}

static void write_body(batch_writer *w, uint32_t number, ash_transform parent)
{
    ash_body body = w->bodies[number];
    ash_transform pose = ash_body_get_transform(w->world, body);
    ash_mass_properties mass = ash_body_get_mass(w->world, body);
    fprintf(w->xml, "<body name=\"%s\"", ash_body_get_name(w->world, body));
    write_pose(w->xml, t_mul(t_inverse(parent), pose));
    fprintf(w->xml, ">");
    write_joint(w, number, pose);
    fprintf(w->xml, "<inertial mass=\"%.17g\"", mass.mass);
    write_pose(w->xml, (ash_transform){mass.centre, mass.principal_axes});
    write_vector(w->xml, "diaginertia", mass.principal);
    fprintf(w->xml, "/>");
    write_shapes(w, body, true);
    for (uint32_t i = 0; i < w->count; i++)
        if (w->joint_of[i].id != 0 && parent_of(w, i).id == body.id)
            write_body(w, i, pose);
    fprintf(w->xml, "</body>");
}

/* Hinges that are disabled, so that the tree has the sliders, close the loops. */
static void write_loops(batch_writer *w)
{
    ash_joint joints[MOST];
    uint32_t count = ash_world_get_joints(w->world, joints, MOST);
    fprintf(w->xml, "<equality>");
    for (uint32_t i = 0; i < count && i < MOST; i++) {
        if (ash_joint_get_enabled(w->world, joints[i]))
            continue;
        ash_body a = ash_joint_get_body_a(w->world, joints[i]), b = ash_joint_get_body_b(w->world, joints[i]);
        ash_vec3 anchor = ash_body_point_to_local(w->world, a, ash_joint_get_frame_a(w->world, joints[i]).position);
        fprintf(w->xml, "<connect body1=\"%s\" body2=\"%s\"", ash_body_get_name(w->world, a),
                ash_body_get_name(w->world, b));
        write_vector(w->xml, "anchor", anchor);
        fprintf(w->xml, "/>");
    }
    fprintf(w->xml, "</equality>");
}

static void write_servos(batch_writer *w, const batch_servo *servos, uint32_t count)
{
    fprintf(w->xml, "<actuator>");
    for (uint32_t i = 0; i < count; i++) {
        ash_joint_motor motor = ash_joint_get_axis(w->world, servos[i].joint, ASH_TURN_X).motor;
        fprintf(w->xml,
                "<general joint=\"%s\" biastype=\"affine\" gainprm=\"%.17g\" biasprm=\"0 %.17g %.17g\" "
                "forcelimited=\"true\" forcerange=\"%.17g %.17g\"/>",
                ash_joint_get_name(w->world, servos[i].joint), motor.proportional, -motor.proportional,
                -motor.derivative, -motor.max_force, motor.max_force);
    }
    fprintf(w->xml, "</actuator>");
}

static void write_world(batch_writer *w, double h)
{
    ash_vec3 gravity = ash_world_get_gravity(w->world);
    ash_transform identity = ash_identity();
    ash_body all[MOST];
    uint32_t count = ash_world_get_bodies(w->world, all, MOST);
    fprintf(w->xml,
            "<mujoco><compiler angle=\"radian\"/><size njmax=\"200\" nconmax=\"40\"/><option timestep=\"%.17g\"", h);
    write_vector(w->xml, "gravity", gravity);
    fprintf(w->xml, "/><worldbody>");
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (ash_body_get_type(w->world, all[i]) == ASH_BODY_STATIC)
            write_shapes(w, all[i], false);
    for (uint32_t i = 0; i < w->count; i++)
        if (ash_body_get_type(w->world, parent_of(w, i)) == ASH_BODY_STATIC)
            write_body(w, i, identity);
    fprintf(w->xml, "</worldbody>");
}

/* Which joint hangs each body, from the tree of our mechanism. */
static void read_tree(batch_writer *w)
{
    ash_mechanism_coordinate list[MOST];
    uint32_t count = ash_mechanism_get_coordinates(w->tree, list, MOST);
    w->good = count <= MOST;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (w->count == 0 || w->bodies[w->count - 1].id != list[i].body.id) {
            w->bodies[w->count] = list[i].body;
            w->joint_of[w->count++] = list[i].joint;
        }
}

/* The disabled pins make the sliders part of the tree; the world is as before afterwards. */
static void switch_pins(ash_world *world, bool enabled)
{
    ash_joint joints[MOST];
    uint32_t count = ash_world_get_joints(world, joints, MOST);
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (strstr(ash_joint_get_name(world, joints[i]), " pin") != NULL)
            ash_joint_set_enabled(world, joints[i], enabled);
}

static char *make_text(ash_world *world, const batch_servo *servos, uint32_t servo_count, double h)
{
    char *text = NULL;
    size_t size;
    batch_writer w = {.world = world, .xml = open_memstream(&text, &size)};
    switch_pins(world, false);
    if (w.xml != NULL && ash_mechanism_create(world, &w.tree, NULL) == ASH_OK) {
        read_tree(&w);
        write_world(&w, h);
        write_loops(&w);
        write_servos(&w, servos, servo_count);
        fprintf(w.xml, "</mujoco>");
    }
    ash_mechanism_destroy(w.tree);
    switch_pins(world, true);
    if (w.xml != NULL)
        fclose(w.xml);
    if (w.good)
        return text;
    free(text);
    return NULL;
}

static mjModel *load_model(const char *text)
{
    char problem[256];
    mjModel *model = NULL;
    mjVFS *files = malloc(sizeof *files);
    if (files == NULL)
        return NULL;
    mj_defaultVFS(files);
    if (mj_makeEmptyFileVFS(files, "batch.xml", (int)strlen(text)) == 0) {
        memcpy(files->filedata[0], text, strlen(text));
        model = mj_loadXML("batch.xml", files, problem, sizeof problem);
    }
    mj_deleteVFS(files);
    free(files);
    return model;
}

batch_rival *batch_rival_create(ash_world *world, const batch_servo *servos, uint32_t servo_count, double h,
                                uint32_t copies, const char **why)
{
    *why = "it could not make the scene";
    char *text = make_text(world, servos, servo_count, h);
    batch_rival *rival = calloc(1, sizeof *rival);
    if (rival != NULL && text != NULL) {
        rival->model = load_model(text);
        rival->data = calloc(copies, sizeof(mjData *));
        rival->servo_count = servo_count;
        for (uint32_t i = 0; i < servo_count; i++)
            rival->rates[i] = servos[i].rate;
        while (rival->model != NULL && rival->data != NULL && rival->copies < copies &&
               (rival->data[rival->copies] = mj_makeData(rival->model)) != NULL)
            rival->copies++;
    }
    free(text);
    if (rival != NULL && rival->copies == copies) {
        *why = "";
        return rival;
    }
    batch_rival_destroy(rival);
    return NULL;
}

void batch_rival_destroy(batch_rival *rival)
{
    if (rival == NULL)
        return;
    for (uint32_t i = 0; i < rival->copies; i++)
        mj_deleteData(rival->data[i]);
    if (rival->model != NULL)
        mj_deleteModel(rival->model);
    free(rival->data);
    free(rival);
}

typedef struct rival_pass {
    batch_rival *rival;
    uint32_t steps;
} rival_pass;

static void go_some(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    rival_pass *pass = data;
    batch_rival *rival = pass->rival;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = 0; k < pass->steps; k++) {
            for (uint32_t s = 0; s < rival->servo_count; s++)
                rival->data[i]->ctrl[s] = rival->rates[s] * rival->data[i]->time;
            mj_step(rival->model, rival->data[i]);
        }
}

void batch_rival_go(batch_rival *rival, ashi_tasks *tasks, uint32_t steps)
{
    rival_pass pass = {rival, steps};
    ashi_parallel_for(tasks, rival->copies, CHUNK, go_some, &pass);
}

double batch_rival_height(batch_rival *rival, const char *body)
{
    mj_kinematics(rival->model, rival->data[0]);
    int number = mj_name2id(rival->model, mjOBJ_BODY, body);
    mj_comPos(rival->model, rival->data[0]);
    return number >= 0 ? rival->data[0]->xipos[3 * number + 2] : 0;
}
