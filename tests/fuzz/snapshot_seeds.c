/* The snapshots that fuzzing starts from, in corpus/snapshot: they are of this version, and worlds can be made of them.
 * When the layout of snapshots has changed, `test-fuzz-seeds write` makes them again from scenes of the same name
 * in corpus/scene. */
#include "target.h"

#include "ashlar/scene.h"
#include "scene/file/file.h"

#include "base/alloc.h"

#define CORPUS ASHLAR_SOURCE_DIR "/tests/fuzz/corpus/"

static const char *const names[] = {"arm-faure",   "forces",        "joints",      "materials",
                                    "planar",      "shape-field",   "shape-hills", "shape-tetrahedron",
                                    "shape-wedge", "stack-realtime"};

static void stop_on(ash_status status, const ash_diagnostic *diagnostic)
{
    char text[1024];
    if (status == ASH_OK)
        return;
    fprintf(stderr, "%s\nto make the snapshots again: test-fuzz-seeds write\n",
            ash_diagnostic_text(diagnostic, text, sizeof text));
    exit(1);
}

static ash_world *make_world(const char *name)
{
    char path[512];
    ash_scene *scene;
    ash_world *world;
    ash_diagnostic diagnostic = {0};
    snprintf(path, sizeof path, CORPUS "scene/%s.json", name);
    stop_on(ash_scene_open(path, NULL, 0, &scene, &diagnostic), &diagnostic);
    stop_on(ash_scene_instantiate(scene, 1, &world, &diagnostic), &diagnostic);
    for (int i = 0; i < 3; i++)
        CHECK(ash_world_step(world, 0.01) == ASH_OK);
    ash_scene_destroy(scene);
    return world;
}

static void write_snapshot(const char *path, const ash_world *world)
{
    void *bytes;
    size_t size;
    ash_diagnostic diagnostic = {0};
    stop_on(ash_world_save(world, &bytes, &size, &diagnostic), &diagnostic);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    ash_free(bytes);
}

int main(int argc, char **argv)
{
    bool write = argc == 2 && strcmp(argv[1], "write") == 0;
    CHECK(argc == 1 || write);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[512], *bytes;
        size_t size;
        ash_diagnostic diagnostic = {0};
        ash_world *world = make_world(names[i]);
        snprintf(path, sizeof path, CORPUS "snapshot/%s", names[i]);
        if (write)
            write_snapshot(path, world);
        stop_on(ashi_read_file(path, &bytes, &size, &diagnostic), &diagnostic);
        stop_on(ash_world_restore(world, bytes, size, &diagnostic), &diagnostic);
        ashi_dealloc(bytes);
        ash_world_destroy(world);
    }
    return 0;
}
