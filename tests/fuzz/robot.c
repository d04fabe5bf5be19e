/* Robot files, URDF and MJCF. What is read can be written as a scene file and read again; small ones become worlds. */
#include "target.h"

#include "scene/import/import.h"
#include "scene/instance/instance.h"

enum { OBJECTS_MOST = 24 };

static void check_writing(const ash_scene *scene)
{
    ash_diagnostic diagnostic = {0};
    ash_scene *again = NULL;
    char *text;
    size_t size;
    CHECK(ash_scene_write(scene, &text, &size, &diagnostic) == ASH_OK);
    ash_status status = ash_scene_parse(text, size, "again.json", &again, &diagnostic);
    if (status != ASH_OK)
        fprintf(stderr, "%s %s\n%s\n", diagnostic.path, diagnostic.message, text);
    CHECK(status == ASH_OK);
    ash_scene_destroy(again);
    ash_free(text);
}

static void run(ash_scene *scene)
{
    ashi_instance instance = {0};
    ash_diagnostic diagnostic = {0};
    bound_work(&scene->method);
    ash_status status = ashi_scene_build(scene, 1, &instance, &diagnostic);
    if (status != ASH_OK) {
        check_refusal(status, &diagnostic);
        return;
    }
    if (ashi_instance_apply_events(&instance, scene, 0, &diagnostic) == ASH_OK)
        use_world(instance.world, scene->step);
    ashi_instance_release(&instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    const ashi_import_options options = {.base = ASHI_BASE_FREE};
    ash_status status = ashi_import((const char *)bytes, size, "input.xml", &options, &scene, &diagnostic);
    if (status != ASH_OK) {
        check_refusal(status, &diagnostic);
        CHECK(scene == NULL);
    } else {
        if (scene->bodies.count <= OBJECTS_MOST && scene->shapes.count <= OBJECTS_MOST &&
            scene->joints.count <= OBJECTS_MOST) {
            check_writing(scene);
            run(scene);
        }
        ash_scene_destroy(scene);
    }
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
