/* The scene and the method that a command line asks for. */
#ifndef CLI_CHOICE_H
#define CLI_CHOICE_H

#include "app/cli/options.h"
#include "ashlar/scene.h"

/* What the commands that take a scene have in common. */
typedef struct cli_choice {
    const char *method; /* as cli_method_read takes it; null: the scene's */
    cli_texts set;      /* key=value */
    double step, time;  /* s; 0: the scene's */
    double accuracy;    /* m; 0: the scene's */
} cli_choice;

/* Opens the scene with the settings and, where given, the method, step and time. On failure an error is printed, and
 * the exit status is returned. */
int cli_choice_open(const char *name, const cli_choice *choice, ash_scene **scene);

/* Reads "name" or "name:field=value:field=value", name being a preset or an integrator, and adds those settings of the
 * choice that are fields of methods. */
int cli_method_read(const char *text, const char *scene_name, const cli_choice *choice, ash_method *method);

/* "custom (rk4)": the method's name, with the integrator where the name does not tell it; returns `text`. */
const char *cli_method_text(const ash_method *method, char *text, size_t size);

/* The built-in scene of that name; false when there is none. */
bool cli_builtin_find(const char *name, ash_builtin_info *info);

/* True for files that begin as HDF5 files do, and for names that end in ".h5". */
bool cli_is_hdf5(const char *path);
/* True when this is to be read as a recording: an HDF5 file or a directory, unless a built-in scene has that name. */
bool cli_is_recording(const char *name);

#endif
