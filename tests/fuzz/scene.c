/* Scene files. What is read can be written and read again; small scenes become worlds that run for a few steps. */
#include "target.h"

#include "scene/file/expand.h"
#include "scene/instance/instance.h"

enum { OBJECTS_MOST = 24 };

static bool is_small(const ash_scene *scene)
{
    return scene->bodies.count <= OBJECTS_MOST && scene->shapes.count <= OBJECTS_MOST &&
           scene->joints.count <= OBJECTS_MOST && scene->forces.count <= OBJECTS_MOST;
}

/* Text, scene, text, scene, text: the last two texts are equal. */
static void check_writing(const ash_scene *scene)
{
    ash_diagnostic diagnostic = {0};
    ash_scene *again = NULL;
    char *first, *second;
    size_t first_size, second_size;
    CHECK(ash_scene_write(scene, &first, &first_size, &diagnostic) == ASH_OK);
    ash_status status = ash_scene_parse(first, first_size, "again.json", &again, &diagnostic);
    if (status != ASH_OK)
        fprintf(stderr, "%s %s\n%s\n", diagnostic.path, diagnostic.message, first);
    CHECK(status == ASH_OK);
    CHECK(ash_scene_write(again, &second, &second_size, &diagnostic) == ASH_OK);
    CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    ash_scene_destroy(again);
    ash_free(first);
    ash_free(second);
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
    for (int i = 0; i < 2; i++) { /* the second time all events are due */
        status = ashi_instance_apply_events(&instance, scene, i == 0 ? 0 : scene->time, &diagnostic);
        if (status != ASH_OK)
            check_refusal(status, &diagnostic);
        use_world(instance.world, scene->step);
        for (uint32_t k = 0; k < scene->outputs.count; k++)
            ashi_instance_read_output(&instance, scene, k);
    }
    ashi_instance_release(&instance);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    const ashi_expansion expansion = {.most_values = 5000}; /* what is repeated stays small */
    ash_status status =
        ashi_scene_parse_expanded((const char *)bytes, size, "input.json", &expansion, &scene, &diagnostic);
    if (status == ASH_OK) {
        check_writing(scene);
        if (is_small(scene))
            run(scene);
    } else {
        check_refusal(status, &diagnostic);
        CHECK(scene == NULL);
    }
    ash_scene_destroy(scene);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
