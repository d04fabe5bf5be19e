/* Freedoms by masks: the held rows of removed freedoms, and coordinates of the remaining ones. The numbers of removed
 * translations and rotations give the basic joints of Bender & Schmitt 2006 and their combinations.
 *
 *   rotations removed   held rows                                    coordinates left
 *   three               the rotation vector                          none
 *   two                 the swing of the third axis out of itself    the twist about it
 *   one                 the angle of two axes that cross             about each of them
 *   none                none                                         the twist about x and its swing */
#include "model/joint_rows.h"

#define MOVES(removed) (((removed) >> ASH_MOVE_X) & 7u)
#define TURNS(removed) (((removed) >> ASH_TURN_X) & 7u)

/* Of a mask of rotations with one bit: its axis; with two: the axis that is not in it. */
static int odd_axis(uint32_t turns)
{
    uint32_t bit = turns == 1 || turns == 2 || turns == 4 ? turns : 7u & ~turns;
    return bit == 1 ? 0 : bit == 2 ? 1 : 2;
}

uint32_t ashi_removed_rows(const ashi_joint_frames *f, uint32_t removed, double angle, ashi_joint_row *rows)
{
    uint32_t count = 0;
    int directions = f->planar ? 2 : 3;
    if (MOVES(removed) == (1u << directions) - 1) {
        ashi_coincidence_rows(f, directions, rows);
        count = (uint32_t)directions;
    }
    for (int i = 0; i < directions && count < (uint32_t)directions; i++)
        if ((removed & ASH_FREEDOM_BIT(ASH_MOVE_X + i)) != 0)
            ashi_point_row(f, f->axes_a[i], &rows[count++]);
    uint32_t turns = TURNS(removed);
    if (turns == 0)
        return count;
    if (f->planar) {
        ashi_twist_row(f, 2, &rows[count++]);
    } else if (turns == 7) {
        ashi_rotation_rows(f, &rows[count]);
        count += 3;
    } else if (turns == 1 || turns == 2 || turns == 4) {
        int i = odd_axis(turns);
        ashi_axes_row(f, f->axes_a[(i + 1) % 3], f->axes_b[(i + 2) % 3], angle, &rows[count++]);
    } else {
        int i = odd_axis(turns);
        ashi_swing_rows(f, i, &rows[count]);
        if (i == 1) { /* about z and x: rows follow the order of the freedoms */
            ashi_joint_row about_z = rows[count];
            rows[count] = rows[count + 1];
            rows[count + 1] = about_z;
        }
        count += 2;
    }
    return count;
}

void ashi_kept_row(const ashi_joint_frames *f, uint32_t removed, ash_freedom freedom, ashi_joint_row *row)
{
    if (freedom < ASH_TURN_X) {
        ashi_point_row(f, f->axes_a[freedom], row);
        return;
    }
    int axis = (int)freedom - ASH_TURN_X;
    uint32_t turns = TURNS(removed);
    if (f->planar || turns == 3 || turns == 5 || turns == 6) {
        ashi_twist_row(f, axis, row);
    } else if (turns != 0) {
        int i = odd_axis(turns);
        ashi_cross_row(f, i, axis == (i + 1) % 3, row);
    } else if (axis == 0) {
        ashi_twist_row(f, 0, row);
    } else {
        ashi_joint_row swing[2] = {*row, *row};
        ashi_swing_rows(f, 0, swing);
        *row = swing[axis - 1];
    }
}
