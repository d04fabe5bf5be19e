/* The basic joints of Bender & Schmitt 2006 and their combinations: each is a mask of removed freedoms, which
 * joint_removed.c turns into rows. In planar worlds only motion in the plane and the rotation about z exist. */
#include "base/diagnostic.h"
#include "model/forces.h"
#include "model/joint_class.h"

#define MOVE_X ASH_FREEDOM_BIT(ASH_MOVE_X)
#define MOVE_Y ASH_FREEDOM_BIT(ASH_MOVE_Y)
#define MOVE_Z ASH_FREEDOM_BIT(ASH_MOVE_Z)
#define TURN_X ASH_FREEDOM_BIT(ASH_TURN_X)
#define TURN_Y ASH_FREEDOM_BIT(ASH_TURN_Y)
#define TURN_Z ASH_FREEDOM_BIT(ASH_TURN_Z)
#define MOVES  (MOVE_X | MOVE_Y | MOVE_Z)
#define TURNS  (TURN_X | TURN_Y | TURN_Z)
#define PLANE  (MOVE_X | MOVE_Y | TURN_Z)

/* The freedoms that each kind removes, in space and in the plane (0: it does not exist there). */
static const struct {
    uint32_t space, plane;
} removed_by[ASH_JOINT_COMBINATION] = {
    [ASH_JOINT_BALL] = {MOVES, MOVE_X | MOVE_Y},
    [ASH_JOINT_POINT_ON_LINE] = {MOVE_Y | MOVE_Z, MOVE_Y},
    [ASH_JOINT_POINT_ON_PLANE] = {MOVE_X, MOVE_X},
    [ASH_JOINT_PARALLEL] = {TURNS, TURN_Z},
    [ASH_JOINT_COMMON_AXIS] = {TURN_Y | TURN_Z, 0},
    [ASH_JOINT_FIXED_ANGLE] = {TURN_Z, 0},
    [ASH_JOINT_FIXED] = {MOVES | TURNS, PLANE},
    [ASH_JOINT_HINGE] = {MOVES | TURN_Y | TURN_Z, MOVE_X | MOVE_Y},
    [ASH_JOINT_UNIVERSAL] = {MOVES | TURN_Z, 0},
    [ASH_JOINT_SLIDER] = {MOVE_Y | MOVE_Z | TURNS, MOVE_Y | TURN_Z},
    [ASH_JOINT_CYLINDRICAL] = {MOVE_Y | MOVE_Z | TURN_Y | TURN_Z, 0},
    [ASH_JOINT_PLANAR] = {MOVE_X | TURN_Y | TURN_Z, 0},
};

/* Two parallel axes have no plane in which their angle could be held. */
static bool check_angle(double angle, ash_diagnostic *diagnostic)
{
    if (angle >= 0.01 && angle <= ASHI_PI - 0.01)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.angle", "the angle of the two axes is %g", angle);
    ashi_expect(diagnostic, "between 0.01 and pi - 0.01 rad: for axes that stay parallel remove two rotations");
    return false;
}

static bool check_cone(const ash_joint_def *def, ash_diagnostic *diagnostic)
{
    if (def->cone >= 0.001)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.cone", "cone is %g", def->cone);
    ashi_expect(diagnostic, "at least 0.001 rad, or infinity for no limit");
    return false;
}

static bool finish(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint, uint32_t removed,
                   ash_diagnostic *diagnostic)
{
    bool planar = model->bodies.planar;
    uint32_t turns = removed & TURNS;
    if (!planar && (turns == TURN_X || turns == TURN_Y || turns == TURN_Z)) {
        joint->angle = def->kind == ASH_JOINT_UNIVERSAL ? ASHI_PI / 2 : def->angle;
        if (!check_angle(joint->angle, diagnostic))
            return false;
    }
    joint->cone = INFINITY;
    if (def->kind == ASH_JOINT_BALL && !planar) {
        if (!check_cone(def, diagnostic))
            return false;
        joint->cone = def->cone;
    }
    joint->removed = removed;
    joint->kept = (planar ? PLANE : MOVES | TURNS) & ~removed;
    return true;
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    uint32_t removed = model->bodies.planar ? removed_by[def->kind].plane : removed_by[def->kind].space;
    if (removed == 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.planar", "a %s joint makes no sense in a planar world",
                  ash_joint_kind_name(def->kind));
        ashi_expect(diagnostic, "ball, hinge, point-on-line, point-on-plane, parallel, slider, fixed or a combination");
        return false;
    }
    return finish(model, def, joint, removed, diagnostic);
}

static bool define_combination(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                               ash_diagnostic *diagnostic)
{
    uint32_t removed = def->removed & (model->bodies.planar ? PLANE : MOVES | TURNS);
    if (removed == 0 || (def->removed & ~(MOVES | TURNS)) != 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.removed", "the combination removes %s (mask %u)",
                  removed == 0 ? "nothing" : "freedoms that do not exist", (unsigned)def->removed);
        ashi_expect(diagnostic, "bits of %s", model->bodies.planar ? "move-x, move-y, turn-z" : "the six freedoms");
        return false;
    }
    return finish(model, def, joint, removed, diagnostic);
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    return ashi_removed_rows(frames, joint->removed, joint->angle, rows);
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    ashi_kept_row(frames, joint->removed, freedom, row);
}

/* The cone of a ball: the largest angle between x of b and x of a. */
static uint32_t limit_cone(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                           ashi_joint_row *rows)
{
    (void)time;
    if (!(joint->cone < ASHI_PI) || frames->planar)
        return 0;
    rows[0] = ashi_joint_row_begin();
    ashi_angle_row(frames, frames->axes_a[0], frames->axes_b[0], &rows[0]);
    ashi_joint_row_limit(&rows[0], joint->cone, true);
    rows[0].key = ASHI_CONE_KEY;
    return ashi_limit_near(frames, &rows[0], h) ? 1 : 0;
}

static bool has_no_cone(const ashi_joint_entry *joint)
{
    return !isfinite(joint->cone);
}

#define BASIC(label)                                                                                                   \
    {                                                                                                                  \
        .name = (label), .framed = true, .memoryless = true, .define = define, .hold = hold, .coordinate = coordinate  \
    }
const ashi_joint_class ashi_point_on_line_class = BASIC("point-on-line");
const ashi_joint_class ashi_point_on_plane_class = BASIC("point-on-plane");
const ashi_joint_class ashi_parallel_class = BASIC("parallel");
const ashi_joint_class ashi_common_axis_class = BASIC("common-axis");
const ashi_joint_class ashi_fixed_angle_class = BASIC("fixed-angle");
const ashi_joint_class ashi_fixed_class = BASIC("fixed");
const ashi_joint_class ashi_hinge_class = BASIC("hinge");
const ashi_joint_class ashi_universal_class = BASIC("universal");
const ashi_joint_class ashi_slider_class = BASIC("slider");
const ashi_joint_class ashi_cylindrical_class = BASIC("cylindrical");
const ashi_joint_class ashi_planar_class = BASIC("planar");
const ashi_joint_class ashi_ball_class = {.name = "ball",
                                          .framed = true,
                                          .memoryless = true,
                                          .holds_point = true,
                                          .define = define,
                                          .hold = hold,
                                          .coordinate = coordinate,
                                          .act = limit_cone,
                                          .rests = has_no_cone};
const ashi_joint_class ashi_combination_class = {.name = "combination",
                                                 .framed = true,
                                                 .memoryless = true,
                                                 .define = define_combination,
                                                 .hold = hold,
                                                 .coordinate = coordinate};
