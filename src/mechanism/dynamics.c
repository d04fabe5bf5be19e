/* Composite rigid bodies, recursive Newton-Euler and articulated bodies (Featherstone 2008, chapters 5 to 7), motion
 * axis by motion axis: between two of a link's axes there is a body without mass. */
#include "mechanism/mechanism.h"
#include "model/joint_class.h"

#include <string.h>

/* Gravity's force on a link. */
static ashi_spatial weight(const ashi_linkage *m, uint32_t number)
{
    const ashi_bodies *b = &m->model->bodies;
    const ashi_spatial_inertia *inertia = &m->inertia[number];
    double scale = b->info[m->links[number].body].gravity_scale;
    ash_vec3 gravity = v3_scale(m->model->gravity, scale);
    return (ashi_spatial){v3_cross(inertia->moment, gravity), v3_scale(gravity, inertia->mass)};
}

/* The force that keeps a link at its velocity against gravity, without the term I a. */
static ashi_spatial steady_force(const ashi_linkage *m, uint32_t number)
{
    ashi_spatial v = m->velocity[number];
    ashi_spatial turning = sp_cross_force(v, sp_momentum(&m->inertia[number], v));
    return sp_add_scaled(turning, weight(m, number), -1);
}

/* A kinematic body moves and turns uniformly: its centre does not accelerate. */
static ashi_spatial parent_acceleration(const ashi_linkage *m, const ashi_tree_link *link)
{
    if (link->parent != ASHI_NO_LINK)
        return m->acceleration[link->parent];
    const ashi_state *now = &m->model->bodies.now;
    uint32_t body = link->parent_body;
    return (ashi_spatial){v3(0, 0, 0), v3_neg(v3_cross(now->spin[body], now->velocity[body]))};
}

/* The accelerations of all links, from those of the coordinates. */
static void find_accelerations(ashi_linkage *m, const double *accelerations)
{
    for (uint32_t i = 0; i < m->link_count; i++) {
        const ashi_tree_link *link = &m->links[i];
        ashi_spatial a = parent_acceleration(m, link);
        for (uint32_t k = link->first; k < link->first + link->count; k++) {
            a = sp_add_scaled(a, m->s_rate[k], m->rates[k]);
            a = sp_add_scaled(a, m->s[k], accelerations != NULL ? accelerations[k] : 0);
        }
        m->acceleration[i] = a;
    }
}

void ashi_linkage_inverse(ashi_linkage *m, const double *accelerations, double *forces)
{
    find_accelerations(m, accelerations);
    for (uint32_t i = 0; i < m->link_count; i++)
        m->force[i] = sp_add(sp_momentum(&m->inertia[i], m->acceleration[i]), steady_force(m, i));
    for (uint32_t i = m->link_count; i-- > 0;) {
        const ashi_tree_link *link = &m->links[i];
        for (uint32_t k = link->first; k < link->first + link->count; k++)
            forces[k] = sp_dot(m->s[k], m->force[i]);
        if (link->parent != ASHI_NO_LINK)
            m->force[link->parent] = sp_add(m->force[link->parent], m->force[i]);
    }
}

void ashi_linkage_mass_matrix(ashi_linkage *m, double *matrix)
{
    uint32_t n = m->rate_count;
    memset(matrix, 0, (size_t)n * n * sizeof *matrix);
    memcpy(m->composite, m->inertia, m->link_count * sizeof *m->composite);
    for (uint32_t i = m->link_count; i-- > 0;) {
        const ashi_tree_link *link = &m->links[i];
        if (link->parent != ASHI_NO_LINK) {
            ashi_spatial_inertia *sum = &m->composite[link->parent];
            sum->mass += m->composite[i].mass;
            sum->moment = v3_add(sum->moment, m->composite[i].moment);
            sum->inertia = s3_add(sum->inertia, m->composite[i].inertia);
        }
        for (uint32_t k = link->first; k < link->first + link->count; k++) {
            ashi_spatial momentum = sp_momentum(&m->composite[i], m->s[k]);
            for (uint32_t at = i; at != ASHI_NO_LINK; at = m->links[at].parent)
                for (uint32_t j = m->links[at].first; j < m->links[at].first + m->links[at].count; j++)
                    matrix[(size_t)k * n + j] = matrix[(size_t)j * n + k] = sp_dot(m->s[j], momentum);
        }
    }
}

void ashi_linkage_jacobian(const ashi_linkage *m, uint32_t body, ash_vec3 point, double *jacobian)
{
    uint32_t n = m->rate_count;
    ash_vec3 arm = v3_sub(point, m->point);
    memset(jacobian, 0, 6 * (size_t)n * sizeof *jacobian);
    for (uint32_t at = m->link_of[body]; at != ASHI_NO_LINK; at = m->links[at].parent)
        for (uint32_t k = m->links[at].first; k < m->links[at].first + m->links[at].count; k++) {
            ash_vec3 linear = v3_add(m->s[k].linear, v3_cross(m->s[k].angular, arm)), angular = m->s[k].angular;
            double column[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
            for (uint32_t row = 0; row < 6; row++)
                jacobian[row * n + k] = column[row];
        }
}

/* ---- articulated bodies ---- */

static void expand(const ashi_spatial_inertia *i, double full[6][6])
{
    const ash_sym3 *a = &i->inertia;
    ash_vec3 h = i->moment;
    double values[6][6] = {{a->xx, a->xy, a->xz, 0, -h.z, h.y}, {a->xy, a->yy, a->yz, h.z, 0, -h.x},
                           {a->xz, a->yz, a->zz, -h.y, h.x, 0}, {0, h.z, -h.y, i->mass, 0, 0},
                           {-h.z, 0, h.x, 0, i->mass, 0},       {h.y, -h.x, 0, 0, 0, i->mass}};
    memcpy(full, values, sizeof values);
}

static ashi_spatial apply(double full[6][6], ashi_spatial v)
{
    double in[] = {v.angular.x, v.angular.y, v.angular.z, v.linear.x, v.linear.y, v.linear.z}, out[6];
    for (int i = 0; i < 6; i++) {
        out[i] = 0;
        for (int j = 0; j < 6; j++)
            out[i] += full[i][j] * in[j];
    }
    return (ashi_spatial){v3(out[0], out[1], out[2]), v3(out[3], out[4], out[5])};
}

/* Removes from an articulated inertia the part that an axis cannot transmit: full -= u u^T / pivot. */
static void take_out(double full[6][6], ashi_spatial u, double pivot)
{
    double in[] = {u.angular.x, u.angular.y, u.angular.z, u.linear.x, u.linear.y, u.linear.z};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            full[i][j] -= in[i] * in[j] / pivot;
}

/* The first recursion: articulated inertias. False: a coordinate has no inertia. */
static bool find_articulated(ashi_linkage *m)
{
    for (uint32_t i = 0; i < m->link_count; i++)
        expand(&m->inertia[i], m->articulated[i]);
    for (uint32_t i = m->link_count; i-- > 0;) {
        const ashi_tree_link *link = &m->links[i];
        for (uint32_t k = link->first + link->count; k-- > link->first;) {
            m->across[k] = apply(m->articulated[i], m->s[k]);
            m->pivot[k] = sp_dot(m->s[k], m->across[k]);
            if (!(m->pivot[k] > 0) || !isfinite(m->pivot[k]))
                return false;
            take_out(m->articulated[i], m->across[k], m->pivot[k]);
        }
        for (int r = 0; r < 6 && link->parent != ASHI_NO_LINK; r++)
            for (int c = 0; c < 6; c++)
                m->articulated[link->parent][r][c] += m->articulated[i][r][c];
    }
    return true;
}

/* The second and third: M^-1 times `forces`, of a mechanism at rest without gravity. */
static void solve(ashi_linkage *m, const double *forces, double *accelerations)
{
    const ashi_spatial none = {v3(0, 0, 0), v3(0, 0, 0)};
    for (uint32_t i = 0; i < m->link_count; i++)
        m->force[i] = none;
    for (uint32_t i = m->link_count; i-- > 0;) {
        const ashi_tree_link *link = &m->links[i];
        ashi_spatial p = m->force[i];
        for (uint32_t k = link->first + link->count; k-- > link->first;) {
            m->drive[k] = forces[k] - sp_dot(m->s[k], p);
            p = sp_add_scaled(p, m->across[k], m->drive[k] / m->pivot[k]);
        }
        if (link->parent != ASHI_NO_LINK)
            m->force[link->parent] = sp_add(m->force[link->parent], p);
    }
    for (uint32_t i = 0; i < m->link_count; i++) {
        const ashi_tree_link *link = &m->links[i];
        ashi_spatial a = link->parent != ASHI_NO_LINK ? m->force[link->parent] : none; /* now accelerations */
        for (uint32_t k = link->first; k < link->first + link->count; k++) {
            accelerations[k] = (m->drive[k] - sp_dot(a, m->across[k])) / m->pivot[k];
            a = sp_add_scaled(a, m->s[k], accelerations[k]);
        }
        m->force[i] = a;
    }
}

/* ---- loops ---- */

/* The linear acceleration of a body's centre and its angular acceleration, from its link's; a body without a link moves
 * uniformly. */
static void body_acceleration(const ashi_linkage *m, uint32_t body, ash_vec3 *linear, ash_vec3 *angular)
{
    *linear = *angular = v3(0, 0, 0);
    if (m->link_of[body] == ASHI_NO_LINK)
        return;
    const ashi_spatial *a = &m->acceleration[m->link_of[body]];
    ash_vec3 from = v3_sub(m->state.position[body], m->point);
    *angular = a->angular;
    *linear =
        v3_add(v3_add(a->linear, v3_cross(a->angular, from)), v3_cross(m->state.spin[body], m->state.velocity[body]));
}

/* Adds a row's force on a body to G^T, along the coordinates. */
static void add_pull(const ashi_linkage *m, uint32_t body, ash_vec3 linear, ash_vec3 angular, double *column)
{
    ash_vec3 from = v3_sub(m->state.position[body], m->point);
    ashi_spatial force = {v3_add(angular, v3_cross(from, linear)), linear};
    for (uint32_t at = m->link_of[body]; at != ASHI_NO_LINK; at = m->links[at].parent)
        for (uint32_t k = m->links[at].first; k < m->links[at].first + m->links[at].count; k++)
            column[k] += sp_dot(m->s[k], force);
}

/* The loops' rows at the mechanism's state: right = J a + drift under the accelerations found; columns = G^T. */
static void find_rows(ashi_linkage *m, double *pulls)
{
    uint32_t row = 0, n = m->rate_count;
    for (uint32_t i = 0; i < m->loop_count; i++) {
        const ashi_joint_entry *joint = &m->model->joints.entries.data[m->loops[i]];
        ashi_joint_frames frames = ashi_joint_frames_at(m->model, joint, &m->state);
        uint32_t count = ashi_joint_hold(joint, &frames, m->rows);
        ash_vec3 linear_a, angular_a, linear_b, angular_b;
        body_acceleration(m, joint->body_a, &linear_a, &angular_a);
        body_acceleration(m, joint->body_b, &linear_b, &angular_b);
        for (uint32_t k = 0; k < count && row < m->row_count; k++, row++) {
            const ashi_joint_row *r = &m->rows[k];
            m->right[row] = v3_dot(r->linear_a, linear_a) + v3_dot(r->angular_a, angular_a) +
                            v3_dot(r->linear_b, linear_b) + v3_dot(r->angular_b, angular_b) + r->drift;
            memset(pulls + (size_t)row * n, 0, n * sizeof *pulls);
            add_pull(m, joint->body_a, r->linear_a, r->angular_a, pulls + (size_t)row * n);
            add_pull(m, joint->body_b, r->linear_b, r->angular_b, pulls + (size_t)row * n);
        }
    }
}

/* Multipliers so that the loops' rows do not accelerate: G M^-1 G^T x = J a + drift, and a - M^-1 G^T x. The
 * multipliers of dependent rows are not unique. */
static void close_loops(ashi_linkage *m, double *accelerations)
{
    uint32_t rows = m->row_count, n = m->rate_count;
    double *pulls = m->pulls;
    find_rows(m, pulls);
    for (uint32_t i = 0; i < rows; i++)
        solve(m, pulls + (size_t)i * n, m->columns + (size_t)i * n);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += pulls[(size_t)i * n + k] * m->columns[(size_t)j * n + k];
            m->matrix[(size_t)i * rows + j] = m->matrix[(size_t)j * rows + i] = sum;
        }
    ashi_rank_factor factor = {.count = rows, .matrix = m->matrix, .order = m->order, .work = m->borne};
    ashi_rank_factor_make(&factor);
    ashi_rank_factor_solve(&factor, m->right, m->multipliers);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < n; k++)
            accelerations[k] -= m->columns[(size_t)i * n + k] * m->multipliers[i];
}

bool ashi_linkage_forward(ashi_linkage *m, const double *forces, double *accelerations)
{
    ashi_linkage_inverse(m, NULL, m->result);
    for (uint32_t k = 0; k < m->rate_count; k++)
        m->result[k] = (forces != NULL ? forces[k] : 0) - m->result[k];
    if (!find_articulated(m))
        return false;
    solve(m, m->result, accelerations);
    if (m->row_count > 0) {
        find_accelerations(m, accelerations);
        close_loops(m, accelerations);
    }
    for (uint32_t k = 0; k < m->rate_count; k++)
        if (!isfinite(accelerations[k]))
            return false;
    return true;
}
