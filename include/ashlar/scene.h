/* Scenes: descriptions of worlds, from files or built in; running, recording and checking them.
 *
 * This header belongs to libashlar-scene, which needs Jansson, HDF5, expat and Assimp; the pkg-config module
 * "ashlar-core" leaves it out (README.md). */
#ifndef ASHLAR_SCENE_H
#define ASHLAR_SCENE_H

#include "ashlar/base.h"
#include "ashlar/method.h"
#include "ashlar/problem.h"
#include "ashlar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_scene ash_scene;

/* A key and a value as on a command line: a scene parameter or a method field. */
typedef struct ash_setting {
    const char *key;
    const char *value;
} ash_setting;

/* A parameter of a scene: a number within [low, high], or one of the words in `choices` ("a|b|c"). */
typedef struct ash_scene_parameter {
    const char *name;
    const char *summary; /* with its unit */
    double value;        /* the default */
    double low, high;
    const char *choices;      /* null for a number, "" for any word */
    const char *choice_value; /* the default word */
} ash_scene_parameter;

/* The purpose of a built-in scene. */
typedef enum ash_scene_group {
    ASH_SCENE_TUTORIAL,  /* one phenomenon, with an exact answer */
    ASH_SCENE_REFERENCE, /* problems with published results */
    ASH_SCENE_MACHINE,
    ASH_SCENE_STACK, /* and piles */
    ASH_SCENE_PAPER, /* experiments of the papers that methods come from */
    ASH_SCENE_GROUPS
} ash_scene_group;
/* The group as a heading, such as "machines". */
ASH_API const char *ash_scene_group_name(ash_scene_group group);

typedef struct ash_builtin_info {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* the paper or the reference */
    const ash_scene_parameter *parameters;
    uint32_t parameter_count;
    bool lengthy; /* its experiments take minutes */
    ash_scene_group group;
} ash_builtin_info;

/* The built-in scenes. */
ASH_API uint32_t ash_builtin_count(void);
/* Information on the scene with this index; empty beyond the last. */
ASH_API ash_builtin_info ash_builtin_get(uint32_t index);

/* Opens a built-in scene by name, or a scene file or a robot file (URDF, MJCF) by path. A name that is not a built-in
 * scene's is a path if it contains a '/', ends in ".json", ".urdf" or ".xml", or names an existing file. A setting is a
 * scene parameter (for robot files see docs/robots.md) or else a method field; an unknown key gives a diagnostic with a
 * suggestion. */
ASH_API ash_status ash_scene_open(const char *name_or_path, const ash_setting *settings, uint32_t setting_count,
                                  ash_scene **scene, ash_diagnostic *diagnostic);

/* Reads a scene from JSON text; `label` stands for the file in diagnostics. */
ASH_API ash_status ash_scene_parse(const char *text, size_t size, const char *label, ash_scene **scene,
                                   ash_diagnostic *diagnostic);

/* Writes the scene as JSON text that reads back to the same scene; the caller releases it with ash_free. */
ASH_API ash_status ash_scene_write(const ash_scene *scene, char **text, size_t *size, ash_diagnostic *diagnostic);

/* Releases a scene; worlds made of it live on. Null is ignored. */
ASH_API void ash_scene_destroy(ash_scene *scene);

/* The name; it belongs to the scene. */
ASH_API const char *ash_scene_get_name(const ash_scene *scene);
/* One line on the scene, empty for none; it belongs to the scene. */
ASH_API const char *ash_scene_get_summary(const ash_scene *scene);
/* A note on something in a robot file that Ashlar does not support or interprets differently: one note per place, in
 * the order of reading. The texts belong to the scene. */
typedef struct ash_scene_note {
    const char *file;
    const char *message; /* one sentence without a full stop */
    int line;            /* from 1; 0: the whole file */
} ash_scene_note;
/* The number of notes; 0 for built-in scenes. */
ASH_API uint32_t ash_scene_get_note_count(const ash_scene *scene);
ASH_API ash_scene_note ash_scene_get_note(const ash_scene *scene, uint32_t index); /* empty beyond the last */
/* The method that its world will have. */
ASH_API ash_method ash_scene_get_method(const ash_scene *scene);
/* Changes the method. An invalid one is refused and changes nothing. */
ASH_API ash_status ash_scene_set_method(ash_scene *scene, const ash_method *method);
/* The length of a step, s. */
ASH_API double ash_scene_get_step(const ash_scene *scene);
/* The length of a run, s. */
ASH_API double ash_scene_get_time(const ash_scene *scene);
/* The number of parameters that the scene's file declares; 0 for built-in scenes, see ash_builtin_get. */
ASH_API uint32_t ash_scene_get_parameter_count(const ash_scene *scene);
/* The parameter with this index, with the value that the scene was opened with; empty beyond the last. */
ASH_API ash_scene_parameter ash_scene_get_parameter(const ash_scene *scene, uint32_t index);
/* The allowed error of positions at the end of a run, m; 0: steps have a fixed length. */
ASH_API double ash_scene_get_accuracy(const ash_scene *scene);
/* Sets it. Below 0 or not finite is refused. */
ASH_API ash_status ash_scene_set_accuracy(ash_scene *scene, double error);

/* Makes the scene's world as it is at time 0. */
ASH_API ash_status ash_scene_instantiate(const ash_scene *scene, uint32_t threads, ash_world **world,
                                         ash_diagnostic *diagnostic);

typedef struct ash_run_options {
    double step;      /* s; 0: the scene's */
    double time;      /* s; 0: the scene's */
    uint32_t threads; /* 0: one */
    const char *out;  /* directory for recording.h5, outputs.csv, ledger.csv, summary.json, scene.json; null: none */
    bool check;       /* evaluate the scene's expectations */
    bool record_joints, record_contacts; /* coordinates and rates; points and forces: into recording.h5, too */
    /* Called from time to time with the simulated time; returning false stops the run cleanly. Null: none. */
    bool (*progress)(double time, double end, void *user);
    void *user;
    /* A controller, called before each step with the world at `time`, s, and with `user`. It may set motors, forces and
     * velocities, but must not remove anything that the scene made. Returning false stops the run cleanly. Null:
     * none. */
    bool (*control)(ash_world *world, double time, void *user);
} ash_run_options;
/* The scene's own step and time, one thread, no files, no checks. */
ASH_API ash_run_options ash_default_run_options(void);

typedef struct ash_check_result {
    const char *name;
    double value;
    double limit;
    bool pass;
} ash_check_result;

/* A quantity over time: one of the scene's outputs. */
typedef struct ash_series {
    const char *name;
    const char *unit;
    const double *times;
    const double *values;
    uint32_t count;
} ash_series;

/* A joint that broke in a run. */
typedef struct ash_broken_joint {
    const char *name;     /* "" for none */
    uint32_t number;      /* in the scene */
    double time;          /* s: the end of the step */
    double force, torque; /* N and N m that it carried */
} ash_broken_joint;

/* An alarm of a run (docs/alarms.md). ash_flag_name and its companions give its texts. */
typedef struct ash_run_alarm {
    ash_flag flag;
    uint64_t steps;    /* in which it was raised */
    double first;      /* s: the end of the first of them */
    const char *where; /* the place where it was worst, such as `body "crate"`; "" without a place */
} ash_run_alarm;

/* The result of a run: the numbers of the summary and the sampled outputs. */
typedef struct ash_run ash_run;
typedef struct ash_run_summary {
    const char *scene;
    ash_method method;
    double step, time; /* s; `step`: the fixed length of a step, or the mean length if an accuracy is wanted */
    uint64_t steps;
    uint32_t bodies, joints, contacts_max;
    double step_ms_mean, step_ms_median, step_ms_max;
    double stages_ms[ASH_STAGES]; /* mean per step */
    double realtime_factor;
    double iterations_mean; /* per step: iterations of the integrator and of the solver, corrections of joints: */
    double joint_corrections_mean, velocity_corrections_mean;
    double residual_max, residual_mean;
    double penetration_max, penetration_final;         /* m */
    double joint_error_max, joint_error_final;         /* m */
    double energy_initial, energy_final, energy_drift; /* J, J, relative numerical remainder */
    double energy_made, energy_made_share; /* J: the largest of all step reports, and its share of the budget
                                              (docs/alarms.md) */
    double displacement_max;               /* m */
    double last_event;         /* s: time of the scene's last event after the start; 0: none. Before that event: */
    double sideways_before;    /* the largest displacement of a dynamic body at right angles to gravity, m */
    double penetration_before; /* the deepest overlap, m */
    uint64_t hash;
    uint32_t flags;
    ash_ledger ledger;
    double accuracy;                    /* the wanted accuracy, m; 0: none, and the following are 0 */
    double error_local, error_total;    /* of positions, m, as in ash_step_report: largest of a step, and total at the
                                           end */
    double step_shortest, step_longest; /* s */
    uint64_t steps_rejected;
    double time_planned; /* s; `time` is the time that the run reached */
    bool complete;       /* false: stopped before its end */
    ash_status outcome;  /* of the run; ASH_OK also when the progress callback stopped it */
    const char *stopped; /* why it stopped before its end, one sentence; "" if it did not */
} ash_run_summary;

/* Runs the scene to its end. ASH_NUMERICS: the simulation could not continue; the run up to that point is still
 * returned. If a file could not be written (a full disk, for example), no run is returned; summary.json says how far it
 * got. */
ASH_API ash_status ash_scene_run(const ash_scene *scene, const ash_run_options *options, ash_run **run,
                                 ash_diagnostic *diagnostic);
/* Releases a run with its world and series. Null is ignored. */
ASH_API void ash_run_destroy(ash_run *run);
/* The numbers of the run. Its texts belong to the run. */
ASH_API ash_run_summary ash_run_get_summary(const ash_run *run);
/* The number of checks that were evaluated: none without ash_run_options.check. */
ASH_API uint32_t ash_run_get_check_count(const ash_run *run);
/* The check with this index; empty beyond the last. */
ASH_API ash_check_result ash_run_get_check(const ash_run *run, uint32_t index);
/* The number of outputs that were sampled. */
ASH_API uint32_t ash_run_get_series_count(const ash_run *run);
/* The samples of the output with this index; they belong to the run. Empty beyond the last. */
ASH_API ash_series ash_run_get_series(const ash_run *run, uint32_t index);
/* Whether the output is a joint's reaction whose last value is one of many solutions. */
ASH_API bool ash_run_series_is_indeterminate(const ash_run *run, uint32_t index);
/* The number of alarms that were raised. */
ASH_API uint32_t ash_run_get_alarm_count(const ash_run *run);
ASH_API ash_run_alarm ash_run_get_alarm(const ash_run *run, uint32_t index); /* in the order of time */
ASH_API uint32_t ash_run_get_broken_count(const ash_run *run);
ASH_API ash_broken_joint ash_run_get_broken(const ash_run *run, uint32_t index); /* in the order of time */
ASH_API const ash_world *ash_run_get_world(const ash_run *run);                  /* at its final state */

/* The summary as one JSON object, as described in docs/command-line.md; the caller releases it with ash_free. */
ASH_API ash_status ash_run_summary_json(const ash_run *run, char **text, ash_diagnostic *diagnostic);

/* The verdict on a row of a validation, which compares a published or exact figure with ours. A point is no row of a
 * table: it lies on the curve `quantity` of the figure that `source` names. */
typedef enum ash_verdict { ASH_PASS, ASH_FAIL, ASH_REPORTED, ASH_POINT, ASH_VERDICTS } ash_verdict;
typedef struct ash_validation_row {
    char scene[32];
    char quantity[96];
    char source[48];
    double expected; /* NaN: none */
    double ours;
    double limit; /* of |ours - expected|, or as `quantity` says; NaN: none */
    ash_verdict verdict;
    char reason[160]; /* one sentence: why a row that is known to fail does so; else empty */
    double at;        /* the abscissa of a point; else NaN */
} ash_validation_row;

/* Runs the experiments of one built-in scene (all scenes for null) and passes each row to `row` when it is ready; the
 * validation stops if `row` returns false. */
ASH_API ash_status ash_validate(const char *scene, bool (*row)(const ash_validation_row *row, void *user), void *user,
                                ash_diagnostic *diagnostic);

/* Something that a paper describes, and where to find it here. */
typedef enum ash_paper_kind {
    ASH_PAPER_ALGORITHM, /* or equations */
    ASH_PAPER_TABLE,
    ASH_PAPER_FIGURE,
    ASH_PAPER_CLAIM, /* judged by a row of the validation */
    ASH_PAPER_KINDS
} ash_paper_kind;
typedef struct ash_paper_entry {
    ash_paper_kind kind;
    const char *label;       /* "figure 18" */
    const char *summary;     /* one line */
    const char *command;     /* the command that shows ours, without "ashlar"; null: none, the summary says why */
    const char *scene, *row; /* for claims: the rows of this scene whose quantity begins with `row`; for figures drawn
                              * from points: the scene, and the labels of the axes, "abscissa|ordinate"; else null */
} ash_paper_entry;
typedef struct ash_paper {
    const char *name;    /* "erleben-2007" */
    const char *authors; /* as scenes cite their source: "Erleben 2007" */
    const char *title;
    const char *const *methods; /* presets named after it; null ends the list */
    const ash_paper_entry *entries;
    uint32_t entry_count;
} ash_paper;
/* The number of papers. */
ASH_API uint32_t ash_paper_count(void);
ASH_API const ash_paper *ash_paper_get(uint32_t index); /* null beyond the last */
ASH_API ash_status ash_paper_find(const char *name, const ash_paper **paper, ash_diagnostic *diagnostic);
/* Whether a built-in scene comes from the paper. */
ASH_API bool ash_paper_has_scene(const ash_paper *paper, const ash_builtin_info *scene);

/* Named contact problems on which every solver is tested. */
typedef struct ash_stored_problem {
    const char *name;
    const char *summary; /* one line */
    bool degenerate;     /* badly posed or badly scaled */
} ash_stored_problem;
/* The number of stored problems. */
ASH_API uint32_t ash_stored_problem_count(void);
/* Information on the problem with this index; empty beyond the last. */
ASH_API ash_stored_problem ash_stored_problem_get(uint32_t index);

/* Reads a stored problem by name, or a problem file by path (as for ash_scene_open), including FCLIB's HDF5 form if its
 * bodies are rigid and touch at points. `problem` is zeroed or holds an older problem, which is kept on failure. */
ASH_API ash_status ash_problem_read(const char *name_or_path, ash_problem *problem, ash_diagnostic *diagnostic);
/* Reads a problem from JSON text; `label` stands for the file in diagnostics. */
ASH_API ash_status ash_problem_parse(const char *text, size_t size, const char *label, ash_problem *problem,
                                     ash_diagnostic *diagnostic);
/* Writes the problem, impulses included, as JSON text that reads back to the same bits; the caller releases it with
 * ash_free. */
ASH_API ash_status ash_problem_write(const ash_problem *problem, char **text, size_t *size, ash_diagnostic *diagnostic);
/* Writes the problem into a file of FCLIB's HDF5 form (docs/problem-file.md); `solved`: its impulses and velocities are
 * a solution and are written too. ASH_UNSUPPORTED, with the reason, if the form cannot express something in the
 * problem; no file is then written. */
ASH_API ash_status ash_problem_write_fclib(const ash_problem *problem, bool solved, const char *path,
                                           ash_diagnostic *diagnostic);
/* The error of the problem's impulses and velocities by FCLIB's own measure: the merit function of the natural map, of
 * velocities in m/s and impulses in N s. ASH_UNSUPPORTED if the form cannot express something in the problem. */
ASH_API ash_status ash_problem_measure_fclib(const ash_problem *problem, double *merit, ash_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
