/* What a session is made of, for the files behind session.h. */
#ifndef CLI_VIEW_PARTS_H
#define CLI_VIEW_PARTS_H

#include <jansson.h>

#include "app/viewer/history.h"
#include "app/viewer/wire.h"
#include "scene/instance/instance.h"
#include "scene/record/replay.h"
#include "scene/run/alarms.h"

enum { VIEW_LONGER = 4 }; /* times the patience, when somebody waits for a step that was given up */

/* What bodies are coloured by. */
typedef enum view_colour {
    VIEW_BY_BODY, /* no values are sent */
    VIEW_BY_ISLAND,
    VIEW_BY_LAYER,
    VIEW_BY_SLEEPING,
    VIEW_BY_SPEED,
    VIEW_BY_FORCE,
    VIEW_COLOURS
} view_colour;

/* A scene's world. Two of a session begin alike, take the same steps and differ in their methods. */
typedef struct view_world {
    ashi_instance instance;
    ash_method method;
    view_halt halt;
    ashi_alarms alarms; /* since the scene began */
    bool by_hand;       /* takes its steps by realtime until nobody pulls at it any more (pace.c) */
    view_bytes frame;
} view_world;

/* A geometry as pages draw it, encoded once. */
typedef struct view_surface {
    ash_geometry *geometry; /* a reference of its own */
    uint64_t hash;
    uint32_t number; /* on the wire; never used again for another */
    bool is_new;     /* pages have not got it yet */
    view_bytes message;
} view_surface;

/* A body that a page holds by the mouse. */
typedef struct view_grab {
    uint32_t client;
    uint32_t body;  /* number in the scene */
    ash_vec3 point; /* on the body */
    ash_vec3 target;
    ash_force pulls[VIEW_WORLDS];
} view_grab;

/* A figure of a body or a joint that a page changed, and what it was before; the x of a mass or a coordinate. */
typedef enum view_changed {
    VIEW_CHANGED_MASS,
    VIEW_CHANGED_POSITION,
    VIEW_CHANGED_VELOCITY,
    VIEW_CHANGED_SPIN,
    VIEW_CHANGED, /* figures of bodies end here */
    VIEW_CHANGED_COORDINATE = VIEW_CHANGED,
    VIEW_CHANGED_TARGET
} view_changed;
typedef struct view_change {
    uint32_t body; /* number in the scene; of a figure of a joint, that of the joint */
    ash_freedom freedom;
    view_changed what;
    ash_vec3 before[VIEW_WORLDS];
} view_change;

/* How much of the description was there when it was loaded; the rest was added by pages. */
typedef struct view_base {
    uint32_t geometries, shapes, bodies, forces, joints;
} view_base;

struct view_session {
    char
        *own_text; /* the scene file that the session was opened with, as JSON; null: a built-in scene or a recording */
    size_t own_size;
    char *own_name, *own_summary;
    ash_scene *scene;
    json_t *parameters; /* of the scene: name to number or word */
    view_base base;
    uint32_t base_surfaces; /* the same of `surfaces` */
    view_world worlds[VIEW_WORLDS];
    uint32_t world_count;
    uint32_t threads;
    size_t longest_command; /* bytes; 0: what a server takes */
    view_clock clock;
    uint32_t generation; /* of the scene message that frames belong to */
    bool paused;
    double speed;         /* simulated time over wall time */
    double owed;          /* s of simulated time that wall time has earned and no step has used yet */
    double patience;      /* s of wall time that a step may take; a longer one is given up, and ... */
    double hand_patience; /* ... while somebody pulls at a body */
    double deadline;      /* s, by ashi_seconds: when the step under way is given up */
    bool late;            /* the last step was given up, and nothing has been done about it */
    bool changed;         /* there is something new to see */
    bool edited;          /* the worlds were changed otherwise than by steps since the last moment was kept */
    bool dragged;         /* ... but only by pulls that were moved */
    uint32_t edits;       /* number of the last change to which bodies, joints and forces there are */
    uint32_t last_edit;   /* the largest of these numbers ever given */
    double size;          /* m, of what is to be seen */
    double body_size;     /* m, mean diagonal of shapes */
    double reach;         /* m, from the origin to the farthest of what is to be seen */
    ASHI_ARRAY(view_surface) surfaces;
    ASHI_ARRAY(uint32_t) shape_surfaces; /* by shape of the description: number in `surfaces` */
    uint32_t point_surface;              /* number in `surfaces` of the ball for bodies without shapes */
    uint32_t next_surface;
    uint32_t layers; /* of ash_debug_layer */
    view_colour colour;
    double fastest, strongest; /* m/s and N, of late: what arrows are scaled by */
    view_bytes marks;
    ASHI_ARRAY(float) values;     /* by body of the world: work memory of colours */
    ASHI_ARRAY(uint32_t) parents; /* the same, of islands */
    ASHI_ARRAY(view_grab) grabs;
    ASHI_ARRAY(view_change) changes; /* that can be taken back, the last at the end */
    view_history history;
    ashi_replay *replay; /* null: the scene is alive */
    double play_time;    /* s, in the recording */
    uint64_t sample;
    ASHI_ARRAY(ash_series) series; /* of the recording, those that are plotted */
    ASHI_ARRAY(double) curves;     /* of the present frame */
    ASHI_ARRAY(double) past;       /* rows of a time and the curves of that time */
    uint32_t past_count, past_stride, past_skipped;
};

static inline bool view_is_recorded(const view_session *session)
{
    return session->replay != NULL;
}

/* Whether pages show alarms. */
static inline bool view_has_alarms(const view_session *session)
{
    return session->worlds[0].alarms.count > 0 || session->worlds[1].alarms.count > 0;
}

/* Whether body number `body` is there in this world. */
static inline bool view_has_body(const view_world *world, uint32_t body)
{
    return ash_body_is_valid(world->instance.world, world->instance.bodies[body]);
}

/* loading.c: another scene takes the place of the present one, which stays on failure. The scene is taken also then. */
ash_status view_load(view_session *session, ash_scene *scene, json_t *parameters, ash_diagnostic *diagnostic);
/* Begins again, without what was added. */
ash_status view_reset(view_session *session, ash_diagnostic *diagnostic);
/* Begins again with a second world under this method, or for null with only one. */
ash_status view_compare(view_session *session, const ash_method *other, ash_diagnostic *diagnostic);
/* How much of everything a description holds, and back to that. */
view_base view_counts(const ash_scene *scene);
void view_truncate(ash_scene *scene, const view_base *counts);
void view_unload(view_session *session);
/* The parameters of a built-in scene with these settings, as the scene message lists them; empty for others. */
json_t *view_parameters(const char *name, const ash_setting *settings, uint32_t count);

/* Sizes and surfaces, once scene and worlds are there. */
void view_prepare(view_session *session);

/* playback.c: recordings. */
int view_playback_open(view_session *session, const view_subject *subject); /* an exit status, when told what failed */
void view_playback_close(view_session *session);
ash_status view_playback_show(view_session *session, uint64_t sample, view_sink everybody, ash_diagnostic *diagnostic);
void view_playback_advance(view_session *session, double seconds, view_sink everybody);
double view_playback_end(const view_session *session); /* s, of the last sample */
bool view_playback_ended(const view_session *session);
void view_playback_write_curves(const view_session *session, ashi_json_text *json);

/* pace.c: one step of all worlds. False, with a note to everybody and the session paused, when none could be taken. */
bool view_take_step(view_session *session, view_sink everybody);
/* Lets a world that was stuck try again, unless the other one has gone on meanwhile: two take the same steps. */
void view_retry(view_session *session);
/* To be called after anything but a step changed a world. */
void view_touch(view_session *session);
/* Steps may take so long again as at the start. */
void view_be_patient(view_session *session);
/* To be called when nobody holds a body any more: worlds go on by their own methods. True where one did not. */
bool view_hand_ends(view_session *session);

/* history.c: to be called before each step: keeps the present state if it is due. */
void view_history_note(view_session *session);
/* Goes back by `count` steps, or as far as what is kept allows. */
ash_status view_history_back(view_session *session, uint64_t count, view_sink everybody, ash_diagnostic *diagnostic);
void view_history_clear(view_history *history);
void view_history_release(view_history *history);

/* grab.c: lets go of all bodies, also of those that the worlds hold from another time. */
void view_grabs_forget(view_session *session);

/* present.c: the present state as a scene of its own, which the caller destroys. */
ash_status view_present(const view_session *session, ash_scene **scene, ash_diagnostic *diagnostic);

/* hello.c: what there is to choose from, and what is chosen. */
void view_send_hello(const view_session *session, view_sink sink);
void view_send_state(const view_session *session, view_sink sink);

/* scene_message.c: surfaces that are new, then the scene, with the session's generation. To one page that has just come
 * all surfaces, and the past of the curves. */
void view_send_scene(view_session *session, view_sink sink, bool to_one_page);
/* A new generation for everybody. */
void view_renew_scene(view_session *session, view_sink everybody);

/* surfaces.c: the surfaces of all shapes of the description. A shape whose surface cannot be made is not drawn. */
void view_surfaces_update(view_session *session);
void view_surfaces_truncate(view_session *session, uint32_t count);
void view_surfaces_release(view_session *session);

/* curves.c: what is plotted over time. */
uint32_t view_curve_count(const view_session *session);
void view_write_curves(const view_session *session, ashi_json_text *json); /* names, units, groups */
void view_write_curve(ashi_json_text *json, const char *name, const char *unit, const char *group);
void view_read_curves(const view_session *session, const view_world *world, double *values);

/* past.c: curves for pages that come later. Kept while the scene runs; begun again with it. */
void view_past_begin(view_session *session);
void view_past_keep(view_session *session, double time, const double *curves);
/* Keeps the present: to be called now and then while the scene runs, whether frames are made or not. */
void view_past_note(view_session *session);
void view_write_past(const view_session *session, ashi_json_text *json);

/* marks.c: debug layers. */
uint32_t view_layer_find(const char *name);   /* its bit, or 0 */
const char *view_layer_name(uint32_t number); /* null after the last */
const char *view_layer_summary(uint32_t number);
void view_send_marks(view_session *session, uint32_t world, view_sink sink);

/* colours.c: a value for each body of the world by slot, in session->values; false when memory ran out. */
bool view_colour_values(view_session *session, const view_world *world);
const char *view_colour_name(view_colour colour);

#endif
