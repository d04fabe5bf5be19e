/* Models in MJCF, read by Ashlar and by MuJoCo's own reader: where the bodies are, what they weigh, and how the joints
 * move in the first tenth of a second. The models of tests/data/robots, and those of the folder ASHLAR_MODELS. */
#define _XOPEN_SOURCE 700
#include "ashlar/ashlar.h"
#include "ashlar/scene.h"
#include "check.h"

#include <dirent.h>
#include <ftw.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 100, MOST = 400 };
static char *files[MOST_FILES];
static int file_count;

static int keep(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    size_t length = strlen(path);
    (void)status;
    if (type == FTW_F && length > 4 && strcmp(path + length - 4, ".xml") == 0 && strstr(path, "/parts/") == NULL &&
        file_count < MOST_FILES && walk->level < 6)
        files[file_count++] = strdup(path);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ash_scene *open_ours(const char *path)
{
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    char line[2000];
    if (ash_scene_open(path, NULL, 0, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

/* Hinges and sliders with a name: where both have them. */
typedef struct shared {
    ash_joint ours[MOST];
    int theirs[MOST], count;
} shared;

static ash_freedom freedom_of(const ash_world *world, ash_joint joint)
{
    return ash_joint_get_kind(world, joint) == ASH_JOINT_SLIDER ? ASH_MOVE_X : ASH_TURN_X;
}

static void find_joints(const ash_world *world, const mjModel *model, shared *s)
{
    s->count = 0;
    for (int i = 0; i < model->njnt && s->count < MOST; i++) {
        const char *name = mj_id2name(model, mjOBJ_JOINT, i);
        ash_joint joint = name != NULL ? ash_world_find_joint(world, name) : (ash_joint){0};
        if (joint.id == 0 || (model->jnt_type[i] != mjJNT_HINGE && model->jnt_type[i] != mjJNT_SLIDE))
            continue;
        s->ours[s->count] = joint;
        s->theirs[s->count++] = model->jnt_qposadr[i];
    }
}

/* MuJoCo's joints where ours are at the start: within their limits, and where equalities want them. */
static void place_theirs(const ash_world *world, const mjModel *model, mjData *data, const shared *s)
{
    for (int i = 0; i < s->count; i++)
        data->qpos[s->theirs[i]] = ash_joint_get_position(world, s->ours[i], freedom_of(world, s->ours[i]));
    mj_forward(model, data);
}

static void compare_poses(const ash_world *world, const mjModel *model, const mjData *data)
{
    for (int i = 1; i < model->nbody; i++) {
        const char *name = mj_id2name(model, mjOBJ_BODY, i);
        ash_body body = name != NULL ? ash_world_find_body(world, name) : (ash_body){0};
        if (body.id == 0)
            continue; /* welded to another */
        ash_transform pose = ash_body_get_transform(world, body);
        const double *x = data->xpos + 3 * i, *q = data->xquat + 4 * i;
        assert_below(ash_vec3_length(ash_vec3_subtract(pose.position, ash_vec3_make(x[0], x[1], x[2]))), 1e-9);
        double same = q[0] * pose.rotation.w + q[1] * pose.rotation.x + q[2] * pose.rotation.y + q[3] * pose.rotation.z;
        assert_near(fabs(same), 1, 1e-12);
    }
}

static bool is_idler(const char *name)
{
    return strstr(name, " idler ") != NULL;
}

static void compare_masses(const ash_world *world, const mjModel *model)
{
    ash_body bodies[MOST];
    uint32_t count = ash_world_get_bodies(world, bodies, MOST);
    double ours = 0, theirs = 0;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        if (ash_body_get_type(world, bodies[i]) == ASH_BODY_DYNAMIC && !is_idler(ash_body_get_name(world, bodies[i])))
            ours += ash_body_get_mass(world, bodies[i]).mass;
    for (int i = 1; i < model->nbody; i++)
        theirs += model->body_weldid[i] != 0 ? model->body_mass[i] : 0;
    printf("    mass %.9g kg, MuJoCo's %.9g kg\n", ours, theirs);
    assert_near(ours, theirs, 1e-6 * theirs);
}

/* Both are of order one: after t by steps h they are off by about h v, v = 2 d / t at the end of a way d. What MuJoCo
 * holds by springs (loops), and rotors of joints whose parent moves, which it counts otherwise, are not compared. */
static void compare_motions(const char *path, ash_world *world, mjModel *model, mjData *data, const shared *s)
{
    double start[MOST], most = 0, apart = 0;
    const double step = 1e-4;
    bool judged = strstr(path, ASHLAR_SOURCE_DIR) != NULL && model->neq <= 1 && model->nmesh == 0;
    model->opt.timestep = step;
    for (int i = 0; i < s->count; i++)
        start[i] = data->qpos[s->theirs[i]];
    for (int i = 0; i < 1000; i++) {
        mj_step(model, data);
        if (ash_world_step(world, step) != ASH_OK)
            fail_msg("a step failed");
    }
    const char *worst = "";
    for (int i = 0; i < s->count; i++) {
        double ours = ash_joint_get_position(world, s->ours[i], freedom_of(world, s->ours[i]));
        double theirs = data->qpos[s->theirs[i]];
        most = fmax(most, fabs(theirs - start[i]));
        if (fabs(ours - theirs) > apart)
            worst = ash_joint_get_name(world, s->ours[i]);
        apart = fmax(apart, fabs(ours - theirs));
    }
    printf("    joints move by %.4g, apart by %.3g (%s)\n", most, apart, worst);
    if (judged)
        assert_below(apart, 2.5 * step * 2 / 0.1 * most + 1e-9);
}

static void compare(const char *path)
{
    char error[1000] = "";
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    if (model == NULL) {
        char *end = strchr(error, '\n');
        if (end != NULL)
            *end = 0;
        printf("%s: not for MuJoCo %s: %s\n", path, mj_versionString(), error);
        return;
    }
    ash_scene *scene = open_ours(path);
    ash_method method;
    ash_world *world;
    assert_int_equal(ash_method_find("realtime", &method, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
    mjData *data = mj_makeData(model);
    static shared s;
    find_joints(world, model, &s);
    printf("%s: %d bodies, %d joints compared\n", path, model->nbody - 1, s.count);
    place_theirs(world, model, data, &s);
    compare_poses(world, model, data);
    compare_masses(world, model);
    compare_motions(path, world, model, data, &s);
    ash_world_destroy(world);
    ash_scene_destroy(scene);
    mj_deleteData(data);
    mj_deleteModel(model);
}

static void models_are_read_as_mujoco_reads_them(void **state)
{
    (void)state;
    const char *folder = getenv("ASHLAR_MODELS");
    nftw(ASHLAR_SOURCE_DIR "/tests/data/robots", keep, 8, FTW_PHYS);
    if (folder != NULL)
        nftw(folder, keep, 8, FTW_PHYS);
    assert_true(file_count > 0);
    qsort(files, (size_t)file_count, sizeof *files, by_name);
    for (int i = 0; i < file_count; i++) {
        compare(files[i]);
        free(files[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_read_as_mujoco_reads_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
