/* From the text of a robot file to a scene: which format it is, what can be chosen, what is noted at the end. */
#include "scene/import/draft.h"

#include <string.h>

typedef struct choice {
    const char *words[2];
} choice;

static const char *const keys[] = {"base", "floor", "self-collide", "keyframe"};
static const choice choices[] = {{{"fixed", "free"}}, {{"off", "on"}}, {{"off", "on"}}};

ashi_words ashi_import_keys(void)
{
    return (ashi_words){keys, sizeof keys / sizeof *keys};
}

ash_status ashi_import_set(ashi_import_options *options, const char *key, const char *value, ash_diagnostic *diagnostic)
{
    uint32_t number = ashi_word_find(ashi_import_keys(), key);
    if (number == ASHI_NONE)
        return ASH_NOT_FOUND;
    if (number == 3) {
        options->keyframe = value;
        return ASH_OK;
    }
    uint32_t word = ashi_word_find((ashi_words){choices[number].words, 2}, value);
    if (word == ASHI_NONE) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "setting.value", "%s cannot be \"%.100s\"", key, value);
        return ashi_expect(diagnostic, "\"%s\" or \"%s\"", choices[number].words[0], choices[number].words[1]);
    }
    if (number == 0)
        options->base = (ashi_import_base)word;
    else
        *(number == 1 ? &options->floor : &options->self_collide) = word == 1 ? ASHI_SWITCH_ON : ASHI_SWITCH_OFF;
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
