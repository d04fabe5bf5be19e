/* The table of the kinds of joints, the only place that lists them. */
#include "model/joint_class.h"

static const ashi_joint_class *const classes[ASH_JOINT_KINDS] = {
    [ASH_JOINT_BALL] = &ashi_ball_class,
    [ASH_JOINT_POINT_ON_LINE] = &ashi_point_on_line_class,
    [ASH_JOINT_POINT_ON_PLANE] = &ashi_point_on_plane_class,
    [ASH_JOINT_PARALLEL] = &ashi_parallel_class,
    [ASH_JOINT_COMMON_AXIS] = &ashi_common_axis_class,
    [ASH_JOINT_FIXED_ANGLE] = &ashi_fixed_angle_class,
    [ASH_JOINT_FIXED] = &ashi_fixed_class,
    [ASH_JOINT_HINGE] = &ashi_hinge_class,
    [ASH_JOINT_UNIVERSAL] = &ashi_universal_class,
    [ASH_JOINT_SLIDER] = &ashi_slider_class,
    [ASH_JOINT_CYLINDRICAL] = &ashi_cylindrical_class,
    [ASH_JOINT_PLANAR] = &ashi_planar_class,
    [ASH_JOINT_COMBINATION] = &ashi_combination_class,
    [ASH_JOINT_DISTANCE] = &ashi_distance_class,
    [ASH_JOINT_ROPE] = &ashi_rope_class,
    [ASH_JOINT_SCREW] = &ashi_screw_class,
    [ASH_JOINT_GEAR] = &ashi_gear_class,
    [ASH_JOINT_RACK] = &ashi_rack_class,
    [ASH_JOINT_PULLEY] = &ashi_pulley_class,
    [ASH_JOINT_PATH] = &ashi_path_class,
    [ASH_JOINT_SUSPENSION] = &ashi_suspension_class,
    [ASH_JOINT_HYDRAULIC] = &ashi_hydraulic_class,
};

const ashi_joint_class *ashi_joint_class_of(ash_joint_kind kind)
{
    return classes[kind];
}

const char *ash_joint_kind_name(ash_joint_kind kind)
{
    return (unsigned)kind < ASH_JOINT_KINDS && classes[kind] != NULL ? classes[kind]->name : "";
}

const char *ash_freedom_name(ash_freedom freedom)
{
    static const char *const names[ASH_FREEDOMS] = {"move-x", "move-y", "move-z", "turn-x", "turn-y", "turn-z"};
    return (unsigned)freedom < ASH_FREEDOMS ? names[freedom] : "";
}

const char *ash_drive_name(ash_drive drive)
{
    static const char *const names[ASH_DRIVES] = {"off", "velocity", "position", "servo"};
    return (unsigned)drive < ASH_DRIVES ? names[drive] : "";
}
