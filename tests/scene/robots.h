/* Robot files from texts, for the tests of the importers. */
#ifndef TESTS_SCENE_ROBOTS_H
#define TESTS_SCENE_ROBOTS_H

#include "check.h"

#include "scene/import/import.h"
#include "scene/instance/instance.h"

#include <string.h>

static ash_diagnostic diagnostic;

static inline ash_scene *import_with(const char *text, const ashi_import_options *options)
{
    ash_scene *scene;
    char line[1024];
    if (ashi_import(text, strlen(text), "robot.xml", options, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

static inline ash_scene *import_one(const char *text)
{
    return import_with(text, &(ashi_import_options){0});
}

static inline void expect_refused(const char *text, const char *code, int line)
{
    ash_scene *scene = (ash_scene *)&diagnostic;
    memset(&diagnostic, 0, sizeof diagnostic);
    if (ashi_import(text, strlen(text), "robot.xml", &(ashi_import_options){0}, &scene, &diagnostic) == ASH_OK)
        fail_msg("this was taken: %s", text);
    assert_null(scene);
    assert_string_equal(diagnostic.code, code);
    assert_string_equal(diagnostic.file, "robot.xml");
    assert_int_equal(diagnostic.line, line);
    assert_true(diagnostic.message[0] != 0);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static inline uint32_t find_body(const ash_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (strcmp(scene->bodies.data[i].def.name, name) == 0)
            return i;
    fail_msg("there is no body %s", name);
    return 0;
}

static inline uint32_t find_joint(const ash_scene *scene, const char *name)
{
    for (uint32_t i = 0; i < scene->joints.count; i++)
        if (strcmp(scene->joints.data[i].def.name, name) == 0)
            return i;
    fail_msg("there is no joint %s", name);
    return 0;
}

/* The number of notes whose message has these words. */
static inline uint32_t count_notes(const ash_scene *scene, const char *words, int line)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ash_scene_get_note_count(scene); i++) {
        ash_scene_note note = ash_scene_get_note(scene, i);
        assert_string_equal(note.file, "robot.xml");
        count += strstr(note.message, words) != NULL && (line == 0 || note.line == line);
    }
    return count;
}

static inline ashi_instance build(const ash_scene *scene)
{
    ashi_instance instance;
    char line[1024];
    if (ashi_scene_build(scene, 1, &instance, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return instance;
}

#endif
