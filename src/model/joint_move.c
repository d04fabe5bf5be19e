/* Giving a coordinate of a joint a value or a rate by moving one of its bodies: Newton's method on the body's six
 * freedoms. The coordinate gets its wanted value; held rows and other coordinates should not change. Rows that depend
 * on earlier ones, as the travel of a screw depends on its angle, are left out (Gram-Schmidt). */
#include "model/forces.h"
#include "model/joint_class.h"

#include <string.h>

#define MOST_ROWS   (1 + ASHI_HOLD_ROWS + ASH_FREEDOMS)
#define MOST_PASSES 100
#define LONGEST     0.5   /* the longest motion in a pass, rad or m, so that Newton's method stays close */
#define DEPENDENT   1e-9  /* of a row's length: the part independent of earlier rows */
#define CLOSE       1e-14 /* of the coordinate's size */

/* Equations for the motion of one body: rows over (velocity, spin), each with its wanted value. */
typedef struct motion_rows {
    double row[MOST_ROWS][6], wanted[MOST_ROWS];
    uint32_t count;
} motion_rows;

static void add_row(motion_rows *m, const ashi_joint_row *row, bool of_a, bool planar, double wanted)
{
    ash_vec3 linear = of_a ? row->linear_a : row->linear_b, angular = of_a ? row->angular_a : row->angular_b;
    double *r = m->row[m->count];
    memcpy(r, (double[6]){linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}, 6 * sizeof *r);
    if (planar)
        r[2] = r[3] = r[4] = 0;
    m->wanted[m->count++] = wanted;
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The smallest motion with the wanted values of the rows. False when the first row already moves nothing. */
static bool least_motion(motion_rows *m, double motion[6])
{
    bool first = false;
    memset(motion, 0, 6 * sizeof *motion);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        double *r = m->row[i], size = sqrt(dot(r, r)), wanted = m->wanted[i];
        for (int again = 0; again < 2; again++) /* twice is enough */
            for (uint32_t j = 0; j < kept; j++) {
                double part = dot(r, m->row[j]);
                wanted -= part * m->wanted[j];
                for (int k = 0; k < 6; k++)
                    r[k] -= part * m->row[j][k];
            }
        double length = sqrt(dot(r, r));
        if (!(length > DEPENDENT * size) || kept == 6)
            continue;
        first |= i == 0;
        for (int k = 0; k < 6; k++)
            m->row[kept][k] = r[k] / length;
        m->wanted[kept++] = wanted / length;
    }
    for (uint32_t j = 0; j < kept; j++)
        for (int k = 0; k < 6; k++)
            motion[k] += m->wanted[j] * m->row[j][k];
    return first;
}

/* The held rows and all coordinates except one. */
typedef struct others {
    ashi_joint_row rows[ASHI_HOLD_ROWS + ASH_FREEDOMS];
    uint32_t count;
} others;

static others other_rows(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom)
{
    others o;
    o.count = ashi_joint_hold(joint, frames, o.rows);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if (i != (int)freedom && (joint->kept & ASH_FREEDOM_BIT(i)) != 0)
            o.rows[o.count++] = ashi_joint_coordinate(joint, frames, (ash_freedom)i);
    return o;
}

static void turn_and_move(ashi_state *state, uint32_t body, const double motion[6])
{
    state->position[body] = v3_add(state->position[body], v3(motion[0], motion[1], motion[2]));
    state->rotation[body] = q_unit(q_mul(q_exp(v3(motion[3], motion[4], motion[5])), state->rotation[body]));
}

bool ashi_joint_move(const ashi_model *model, const ashi_joint_entry *joint, uint32_t body, ash_freedom freedom,
                     double value, ashi_state *state)
{
    ash_vec3 position = state->position[body];
    ash_quat rotation = state->rotation[body];
    ashi_joint_entry counting = *joint;
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    others start = other_rows(joint, &frames, freedom);
    for (uint32_t i = 0; i < ASH_FREEDOMS; i++) /* turns are counted from the present values, or from the wanted one */
        counting.turn[i] = i == (uint32_t)freedom ? value : joint->turn[i];
    double last = INFINITY;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        motion_rows m = {.count = 0};
        double motion[6];
        frames = ashi_joint_frames_at(model, joint, state);
        ashi_joint_row row = ashi_joint_coordinate(&counting, &frames, freedom);
        double left = value - row.error, worst = fabs(left);
        add_row(&m, &row, body == joint->body_a, frames.planar, fmin(fmax(left, -LONGEST), LONGEST));
        others now = other_rows(&counting, &frames, freedom);
        for (uint32_t i = 0; i < now.count; i++) {
            double drifted = start.rows[i].error - now.rows[i].error;
            if (fabs(drifted) > worst)
                worst = fabs(drifted);
            add_row(&m, &now.rows[i], body == joint->body_a, frames.planar, drifted);
        }
        bool there = fabs(left) <= 1e-9 * (1 + fabs(value));
        if (worst <= CLOSE * (1 + fabs(value)) || (there && worst >= last))
            return true;
        if (there)
            last = worst;
        if (!least_motion(&m, motion))
            break;
        turn_and_move(state, body, motion);
    }
    state->position[body] = position;
    state->rotation[body] = rotation;
    return false;
}

void ashi_joint_set_in_motion(const ashi_model *model, const ashi_joint_entry *joint, uint32_t body,
                              ash_freedom freedom, double rate, ashi_state *state)
{
    motion_rows m = {.count = 0};
    double motion[6];
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    ashi_joint_row row = ashi_joint_coordinate(joint, &frames, freedom);
    add_row(&m, &row, body == joint->body_a, frames.planar, rate - ashi_joint_row_rate(&frames, &row));
    others rest = other_rows(joint, &frames, freedom);
    for (uint32_t i = 0; i < rest.count; i++)
        add_row(&m, &rest.rows[i], body == joint->body_a, frames.planar, 0);
    if (!least_motion(&m, motion))
        return;
    state->velocity[body] = v3_add(state->velocity[body], v3(motion[0], motion[1], motion[2]));
    state->spin[body] = v3_add(state->spin[body], v3(motion[3], motion[4], motion[5]));
}
