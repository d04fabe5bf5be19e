/* Importing robot files: URDF and MJCF become scene descriptions.
 *
 * What a file has and a scene cannot have is never dropped in silence: it is noted in the scene with its file and line
 * (ash_scene_get_note). */
#ifndef ASHI_SCENE_IMPORT_H
#define ASHI_SCENE_IMPORT_H

#include "scene/description/names.h"

/* What the files leave open. */
typedef enum ashi_import_base { ASHI_BASE_FIXED, ASHI_BASE_FREE } ashi_import_base;
typedef enum ashi_import_switch { ASHI_SWITCH_DEFAULT, ASHI_SWITCH_OFF, ASHI_SWITCH_ON } ashi_import_switch;
typedef enum ashi_import_meshes {
    ASHI_MESHES_HULL,  /* the convex hull of its points */
    ASHI_MESHES_PARTS, /* convex parts */
    ASHI_MESHES_MESH,  /* its triangles; of an open mesh, convex parts */
    ASHI_MESHES_FIELD  /* a distance field; of an open mesh, convex parts */
} ashi_import_meshes;
typedef struct ashi_import_options {
    ashi_import_base base;           /* URDF: whether the root link is held in the world */
    ashi_import_switch floor;        /* URDF: a floor below the robot; by default under one whose base is free */
    ashi_import_switch self_collide; /* URDF: whether links of one robot touch each other; by default not */
    ashi_import_meshes meshes;       /* what of a mesh file collides */
    const char *keyframe; /* MJCF: the name or number of the keyframe to begin with; null: the model's pose */
} ashi_import_options;

/* The keys that `--set` takes for robot files. */
ashi_words ashi_import_keys(void);
/* Takes a setting; ASH_NOT_FOUND without a diagnostic when the key is none of these. */
ash_status ashi_import_set(ashi_import_options *options, const char *key, const char *value,
                           ash_diagnostic *diagnostic);

/* Whether the text is XML, and so a robot file or nothing that can be read. */
bool ashi_import_is_xml(const char *text, size_t size);
/* Makes the scene; `label` is the file's path, from which others are found. */
ash_status ashi_import(const char *text, size_t size, const char *label, const ashi_import_options *options,
                       ash_scene **scene, ash_diagnostic *diagnostic);

#endif
