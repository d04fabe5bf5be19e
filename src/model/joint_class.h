/* The properties and functions of a kind of joint: one class for each, in the kind's own file. Limits, drives, springs
 * and friction act on every coordinate that a class gives, so a kind needs no code for them. No other file asks for the
 * kind.
 */
#ifndef ASHI_MODEL_JOINT_CLASS_H
#define ASHI_MODEL_JOINT_CLASS_H

#include "model/joint_rows.h"

typedef struct ashi_joint_class {
    const char *name;
    bool framed;      /* its coordinates are those of frame b in frame a, to which `removed` and `kept` apply */
    bool memoryless;  /* its coordinates, except counted turns, need no memory from step to step */
    bool holds_point; /* in space it holds b's point at a's, along the axes of frame a, and nothing else */
    bool winds;       /* it travels along x as it turns about it, by `pitch` a turn */
    bool leans;       /* its forces on the two bodies are not equal and opposite: the rest acts on its support */
    bool drives;      /* it has its own drive and accepts no motor */
    bool has_length;  /* `length` can be set */
    bool has_line;    /* it acts along the line between its points */
    bool has_piston;  /* `piston` can be set, and its travel is from min_length to max_length */
    bool has_path;    /* it owns `path` */
    bool hangs;       /* over `hang_a` and `hang_b` */
    /* Checks and takes over the fields of a definition for this kind, and sets `removed` and `kept` (adjusted for
     * planar worlds). Bodies, frames and arms of the joint are set already; `angle`, `cone`, `length` and so on are
     * not. False: the diagnostic says why not. */
    bool (*define)(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic);
    /* The held rows, always the same number in the same order: J, error, drift and `angular` of each (as the primitives
     * of joint_rows.h set them), and `speed` where it is not 0. Returns that number; null: it holds none. */
    uint32_t (*hold)(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows);
    /* A kept freedom as a row whose `error` is the coordinate; angles within a turn (they are counted elsewhere, unless
     * the joint removes no rotation). */
    void (*coordinate)(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row);
    /* Further rows that act now, complete, with roles and keys (a cone, a rope, a piston). Null: none. */
    uint32_t (*act)(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                    ashi_joint_row *rows);
    /* Whether `act` gives no rows, whatever the state. Null: it may give some. */
    bool (*rests)(const ashi_joint_entry *joint);
    /* Whether the numbers of a saved joint are plausible, for kinds that require a certain placement of the bodies at
     * creation, which may have changed since. Null: `define` checks again. */
    bool (*is_usable)(const ashi_joint_entry *joint, bool planar);
    /* Called after a step: updates the kind's own memory besides counted turns and servos. Null: nothing. */
    void (*advance)(ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h);
} ashi_joint_class;

extern const ashi_joint_class ashi_ball_class, ashi_point_on_line_class, ashi_point_on_plane_class, ashi_parallel_class,
    ashi_common_axis_class, ashi_fixed_angle_class, ashi_fixed_class, ashi_hinge_class, ashi_universal_class,
    ashi_slider_class, ashi_cylindrical_class, ashi_planar_class, ashi_combination_class;
extern const ashi_joint_class ashi_distance_class, ashi_rope_class, ashi_screw_class, ashi_gear_class, ashi_rack_class,
    ashi_pulley_class, ashi_path_class, ashi_suspension_class, ashi_hydraulic_class;
const ashi_joint_class *ashi_joint_class_of(ash_joint_kind kind);
/* Whether the joint may give its own rows besides the held ones. */
static inline bool ashi_joint_may_act(const ashi_joint_entry *joint)
{
    const ashi_joint_class *class = ashi_joint_class_of(joint->kind);
    return class->act != NULL && !(class->rests != NULL && class->rests(joint));
}

/* The held rows of any joint, complete: `rows` has room for ASHI_HOLD_ROWS. */
uint32_t ashi_joint_hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows);
/* A kept coordinate as a row whose error is the coordinate, angles counted on from `turn`. */
ashi_joint_row ashi_joint_coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames,
                                     ash_freedom freedom);

/* A row with the bounds of an equality and nothing else. */
ashi_joint_row ashi_joint_row_begin(void);
/* Makes a coordinate's row one-sided: error = the remaining distance to `limit` from below (`upper`) or above. */
void ashi_joint_row_limit(ashi_joint_row *row, double limit, bool upper);
/* Whether a limit with this remaining distance and rate may be reached within h: such rows act. */
bool ashi_limit_near(const ashi_joint_frames *frames, const ashi_joint_row *row, double h);

#endif
