/* From the text of a robot file to a scene: which format it is, what can be chosen, what is noted at the end. */
#include "scene/import/draft.h"

#include <string.h>

enum { BASE, FLOOR, SELF_COLLIDE, MESHES, KEYFRAME, KEYS };
static const char *const keys[KEYS] = {"base", "floor", "self-collide", "meshes", "keyframe"};
static const char *const bases[] = {"fixed", "free"}, *const switches[] = {"off", "on"};
static const char *const meshes[] = {"hull", "parts", "mesh", "field"};
static const ashi_words choices[KEYS] = {
    [BASE] = {bases, 2}, [FLOOR] = {switches, 2}, [SELF_COLLIDE] = {switches, 2}, [MESHES] = {meshes, 4}};

ashi_words ashi_import_keys(void)
{
    return (ashi_words){keys, KEYS};
}

ash_status ashi_import_set(ashi_import_options *options, const char *key, const char *value, ash_diagnostic *diagnostic)
{
    uint32_t number = ashi_word_find(ashi_import_keys(), key);
    if (number == ASHI_NONE)
        return ASH_NOT_FOUND;
    if (number == KEYFRAME) {
        options->keyframe = value;
        return ASH_OK;
    }
    uint32_t word = ashi_word_find(choices[number], value);
    if (word == ASHI_NONE) {
        char list[100];
        ashi_fail(diagnostic, ASH_BAD_DATA, "setting.value", "%s cannot be \"%.100s\"", key, value);
        return ashi_expect(diagnostic, "%s", ashi_words_text(choices[number], list, sizeof list));
    }
    if (number == BASE)
        options->base = (ashi_import_base)word;
    else if (number == MESHES)
        options->meshes = (ashi_import_meshes)word;
    else
        *(number == FLOOR ? &options->floor : &options->self_collide) = word == 1 ? ASHI_SWITCH_ON : ASHI_SWITCH_OFF;
    return ASH_OK;
}

bool ashi_import_is_xml(const char *text, size_t size)
{
    size_t i = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'))
        i++;
    return i < size && text[i] == '<';
}

static bool read(ashi_draft *draft, const char *text, size_t size)
{
    ashi_xml *root;
    draft->status = ashi_xml_parse(draft->arena, text, size, draft->file, &root, &draft->diagnostic);
    if (draft->status != ASH_OK)
        return false;
    root->read = true;
    if (ashi_xml_is(root, "robot")) {
        if (!ashi_import_urdf(draft, root))
            return false;
    } else if (ashi_xml_is(root, "mujoco")) {
        if (!ashi_import_mjcf(draft, root))
            return false;
    } else {
        ashi_draft_fail(draft, root, "robot.format", "this is XML, but no robot file: it begins with <%.60s>",
                        root->name);
        ashi_expect(&draft->diagnostic, "<robot> (URDF) or <mujoco> (MJCF)");
        return false;
    }
    ashi_draft_note_unread(draft, root);
    draft->status = ashi_scene_finish(draft->scene, &draft->diagnostic);
    return draft->status == ASH_OK;
}

ash_status ashi_import(const char *text, size_t size, const char *label, const ashi_import_options *options,
                       ash_scene **scene, ash_diagnostic *diagnostic)
{
    ashi_draft draft = {
        .arena = ashi_arena_create(1 << 14), .options = options, .file = label, .mesh_numbers = json_object()};
    *scene = NULL;
    bool done = false;
    if (draft.arena == NULL || draft.mesh_numbers == NULL)
        ashi_draft_no_memory(&draft);
    else {
        draft.status = ashi_scene_create("", &draft.scene, &draft.diagnostic);
        done = draft.status == ASH_OK && read(&draft, text, size);
    }
    json_decref(draft.mesh_numbers);
    ashi_array_release(&draft.meshes);
    ashi_arena_destroy(draft.arena);
    if (done)
        *scene = draft.scene;
    else
        ash_scene_destroy(draft.scene);
    if (!done && diagnostic != NULL)
        *diagnostic = draft.diagnostic;
    return done ? ASH_OK : draft.status;
}
