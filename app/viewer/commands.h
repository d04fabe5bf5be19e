/* Commands of pages: what a command is given, and strict readers of its fields. */
#ifndef CLI_VIEW_COMMANDS_H
#define CLI_VIEW_COMMANDS_H

#include "app/viewer/parts.h"

/* Coordinates and speeds of commands at most, m and m/s. */
#define VIEW_FARTHEST 1e6

typedef struct view_order {
    view_session *session;
    uint32_t client;
    const json_t *fields; /* the command as it came */
    view_sink answer, everybody;
    char message[768]; /* why it was not obeyed */
} view_order;

typedef enum view_need { VIEW_OPTIONAL, VIEW_REQUIRED } view_need;

/* Says why an order is not obeyed, and answers false. */
bool view_refuse(view_order *order, const char *format, ...) ASHI_PRINTF(2, 3);
/* The same with a diagnostic of the library. */
bool view_refuse_by(view_order *order, const ash_diagnostic *diagnostic);

/* Readers answer false after refusing what they found. Missing (or null) optional fields leave the value alone. */
bool view_read_number(view_order *order, const char *key, view_need need, double low, double high, double *value);
bool view_read_count(view_order *order, const char *key, view_need need, uint32_t low, uint32_t high, uint32_t *value);
bool view_read_text(view_order *order, const char *key, view_need need, const char **text);
bool view_read_point(view_order *order, const char *key, view_need need, ash_vec3 *point);
/* Where a number or a word may stand: as text. */
bool view_read_value(view_order *order, const json_t *value, const char *key, char *text, size_t size);
/* The number of a body that is there; `background` allows id 0, which gives ASHI_NONE. */
bool view_read_body(view_order *order, const char *key, bool background, uint32_t *body);
bool view_has_field(const view_order *order, const char *key);
/* Which of the worlds, the first unless it says otherwise. */
bool view_read_world(view_order *order, uint32_t *world);

/* Each obeys one command; false when it was refused. control.c: time. */
bool view_obey_play(view_order *order);
bool view_obey_pause(view_order *order);
bool view_obey_step(view_order *order);
bool view_obey_back(view_order *order);
bool view_obey_reset(view_order *order);
bool view_obey_speed(view_order *order);
bool view_obey_seek(view_order *order);
/* choosing.c: what is seen, and by which method. */
bool view_obey_load(view_order *order);
bool view_obey_open(view_order *order);
bool view_obey_set(view_order *order);
bool view_obey_method(view_order *order);
bool view_obey_compare(view_order *order);
bool view_obey_layers(view_order *order);
bool view_obey_colour(view_order *order);
/* past.c: the past of the curves. */
bool view_obey_curves(view_order *order);
/* grab.c: bodies held by the mouse. */
bool view_obey_grab(view_order *order);
bool view_obey_drag(view_order *order);
bool view_obey_drop(view_order *order);
/* edit.c, joining.c: objects that come and go. */
bool view_obey_add(view_order *order);
bool view_obey_delete(view_order *order);
bool view_obey_join(view_order *order);
bool view_obey_spring(view_order *order);
/* inspect.c: figures of a body and of its joints, and changes of them. */
bool view_obey_inspect(view_order *order);
bool view_obey_change(view_order *order);
bool view_obey_turn(view_order *order);
bool view_obey_undo(view_order *order);
/* turning.c: moves a joint to a coordinate with all that hangs on it. Where joints then do not close, the world stays
 * as it was. */
ash_status view_turn_joint(ash_world *world, ash_joint joint, ash_freedom freedom, double value,
                           ash_diagnostic *diagnostic);
/* present.c: the present state as a scene file. */
bool view_obey_export(view_order *order);

#endif
