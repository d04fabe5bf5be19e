/* Commands of the viewer's pages: each line of an input is a message of a page, to a session with a stack of boxes.
 * What the session sends is read as pages read it. */
#include "target.h"

#include "app/viewer/parts.h"

enum { COMMANDS_MOST = 12, BODIES_MOST = 24 };
static const double largest_count = 8;

/* Texts are JSON, the rest is one of the binary messages. */
static void receive(const void *bytes, size_t size, bool is_text, void *user)
{
    (void)user;
    if (is_text) {
        json_t *message = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
        CHECK(json_is_string(json_object_get(message, "type")));
        json_decref(message);
    } else {
        CHECK(size >= VIEW_SURFACE_HEADER);
        const uint8_t *start = bytes;
        CHECK(start[0] >= VIEW_SURFACE && start[0] <= VIEW_MARKS);
    }
}

static bool is_small_number(const json_t *value)
{
    return !json_is_number(value) || json_number_value(value) <= largest_count;
}

/* Large scenes, many steps and many iterations are slow by right. */
static bool is_cheap(const char *line)
{
    json_t *command = json_loads(line, 0, NULL), *value;
    const char *scene = json_string_value(json_object_get(command, "scene")), *key;
    bool cheap = scene == NULL || strcmp(scene, "box-stack") == 0 || strcmp(scene, "oscillator") == 0;
    cheap = cheap && is_small_number(json_object_get(command, "count")) &&
            (json_object_get(command, "field") == NULL || is_small_number(json_object_get(command, "value")));
    json_object_foreach(json_object_get(command, "parameters"), key, value) cheap = cheap && is_small_number(value);
    json_decref(command);
    return cheap;
}

static void bound_methods(view_session *session)
{
    for (uint32_t i = 0; i < session->world_count; i++) {
        ash_method method = ash_world_get_method(session->worlds[i].instance.world);
        bound_work(&method);
        CHECK(ash_world_set_method(session->worlds[i].instance.world, &method) == ASH_OK);
    }
}

static void check_session(view_session *session)
{
    CHECK(session->world_count >= 1 && session->world_count <= VIEW_WORLDS);
    CHECK(session->clock.h >= 1e-6 && session->clock.h <= 1);
    view_session_frame(session, (view_sink){receive, NULL});
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *input = copy_input(bytes, size), *rest = input, *line;
    const view_sink sink = {receive, NULL};
    view_session *session = NULL;
    const char *settings[] = {"n=3"};
    view_subject subject = {.name = "box-stack", .threads = 1, .paused = true};
    subject.choice.set.data = settings;
    subject.choice.set.count = 1;
    CHECK(view_session_open(&subject, &session) == 0);
    CHECK(view_session_greet(session, sink) == ASH_OK);
    for (int i = 0; i < COMMANDS_MOST && (line = next_line(&rest)) != NULL; i++) {
        if (!is_cheap(line) || session->scene->bodies.count > BODIES_MOST)
            break;
        bound_methods(session);
        view_session_obey(session, (uint32_t)(1 + i % 2), line, strlen(line), sink, sink);
        check_session(session);
    }
    view_session_leave(session, 1);
    view_session_close(session);
    free(input);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
