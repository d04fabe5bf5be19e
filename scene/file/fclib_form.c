/* From bodies, contacts and blocks to matrices, column by column, and FCLIB's measure of a solution. */
#include "scene/file/fclib_form.h"

#include "base/diagnostic.h"
#include "math/mat3.h"

#include <math.h>

#define NONE UINT32_MAX

typedef struct writer {
    const ash_problem *problem;
    ashi_fclib *form;
    uint32_t *freedom; /* by 6 * body + axis: its number; NONE: locked */
} writer;

static void push(ashi_fclib *form, ashi_numbers *numbers, double value)
{
    if (!ashi_array_extend(numbers))
        form->out_of_memory = true;
    else
        numbers->data[numbers->count - 1] = value;
}

static void put(ashi_fclib *form, ashi_sparse *m, uint32_t row, double value)
{
    if (value == 0)
        return;
    if (!ashi_array_extend(&m->row) || !ashi_array_extend(&m->value)) {
        form->out_of_memory = true;
        return;
    }
    m->row.data[m->row.count - 1] = (int32_t)row;
    m->value.data[m->value.count - 1] = value;
}

/* A column ends; also called once before the first. */
static void end_column(ashi_fclib *form, ashi_sparse *m)
{
    if (!ashi_array_extend(&m->start))
        form->out_of_memory = true;
    else
        m->start.data[m->start.count - 1] = (int32_t)m->row.count;
}

static ash_status unsupported(ash_diagnostic *diagnostic, const char *what)
{
    ashi_fail(diagnostic, ASH_UNSUPPORTED, "fclib.unsupported", "FCLIB's form has no %s", what);
    return ASH_UNSUPPORTED;
}

/* ---- bodies ---- */

/* The inverse of the part of a symmetric matrix whose diagonal is not zero. */
static ash_sym3 part_inverse(ash_sym3 a)
{
    bool x = a.xx > 0, y = a.yy > 0, z = a.zz > 0;
    ash_sym3 full = {x ? a.xx : 1, y ? a.yy : 1, z ? a.zz : 1, x && y ? a.xy : 0, x && z ? a.xz : 0, y && z ? a.yz : 0};
    ash_sym3 inverse = s3_inverse(full);
    return (ash_sym3){x ? inverse.xx : 0, y ? inverse.yy : 0, z ? inverse.zz : 0, inverse.xy, inverse.xz, inverse.yz};
}

static void write_body(writer *w, uint32_t number)
{
    const ash_problem_body *body = &w->problem->bodies[number];
    ashi_fclib *form = w->form;
    const double inverse[3] = {body->inverse_mass.x, body->inverse_mass.y, body->inverse_mass.z};
    const double turns[3] = {body->inverse_inertia.xx, body->inverse_inertia.yy, body->inverse_inertia.zz};
    const double velocity[6] = {body->velocity.x, body->velocity.y, body->velocity.z,
                                body->spin.x,     body->spin.y,     body->spin.z};
    const ash_motion *solved = &w->problem->velocity[number];
    const double after[6] = {solved->linear.x,  solved->linear.y,  solved->linear.z,
                             solved->angular.x, solved->angular.y, solved->angular.z};
    ash_sym3 inertia = part_inverse(body->inverse_inertia);
    const double matrix[3][3] = {{inertia.xx, inertia.xy, inertia.xz},
                                 {inertia.xy, inertia.yy, inertia.yz},
                                 {inertia.xz, inertia.yz, inertia.zz}};
    uint32_t *freedom = &w->freedom[6 * (size_t)number], next = form->mass.rows;
    for (int i = 0; i < 6; i++)
        freedom[i] = (i < 3 ? inverse[i] : turns[i - 3]) > 0 ? next++ : NONE;
    form->mass.rows = next;
    for (int i = 0; i < 6; i++) {
        if (freedom[i] == NONE)
            continue;
        double momentum = i < 3 ? velocity[i] / inverse[i] : 0;
        if (i < 3)
            put(form, &form->mass, freedom[i], 1 / inverse[i]);
        for (int k = 0; k < 3 && i >= 3; k++)
            if (freedom[3 + k] != NONE) {
                put(form, &form->mass, freedom[3 + k], matrix[k][i - 3]);
                momentum += matrix[i - 3][k] * velocity[3 + k];
            }
        end_column(form, &form->mass);
        push(form, &form->f, momentum);
        push(form, &form->free, velocity[i]);
        push(form, &form->v, after[i]);
    }
}

/* ---- rows ---- */

/* A column of H or G: what the row does to the freedoms. Returns the speed that immovable bodies give it. */
static double write_column(writer *w, ashi_sparse *m, uint32_t a, uint32_t b, const ash_problem_row *row, double sign,
                           double softness)
{
    const uint32_t bodies[2] = {a < b ? a : b, a < b ? b : a};
    double given = 0;
    for (int end = 0; end < 2; end++) { /* rows of a column ascend */
        uint32_t body = bodies[end];
        bool first = body == a;
        if (end == 1 && body == bodies[0])
            break;
        ash_vec3 linear = first ? row->linear_a : row->linear_b, angular = first ? row->angular_a : row->angular_b;
        const double entries[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
        if (body < w->problem->fixed_count)
            given += sign * (v3_dot(linear, w->problem->bodies[body].velocity) +
                             v3_dot(angular, w->problem->bodies[body].spin));
        for (int i = 0; i < 6 && body >= w->problem->fixed_count; i++)
            if (w->freedom[6 * (size_t)body + (size_t)i] != NONE)
                put(w->form, m, w->freedom[6 * (size_t)body + (size_t)i], sign * entries[i]);
    }
    if (softness > 0) { /* M is complete by then but for these */
        ashi_fclib *form = w->form;
        put(form, m, form->mass.rows, 1);
        put(form, &form->mass, form->mass.rows, 1 / softness);
        end_column(form, &form->mass);
        form->mass.rows++;
        push(form, &form->f, 0);
        push(form, &form->free, 0);
        push(form, &form->v, softness * sign * row->impulse);
    }
    end_column(w->form, m);
    return given;
}

static ash_status write_point(writer *w, uint32_t contact, uint32_t point, ash_diagnostic *diagnostic)
{
    const ash_problem_contact *c = &w->problem->contacts[contact];
    const ash_problem_point *p = &w->problem->points[point];
    ash_problem_row rows[ASH_POINT_ROWS] = {0};
    if (c->body_a < w->problem->fixed_count && c->body_b < w->problem->fixed_count)
        return ASH_OK; /* it cannot move anything */
    if (c->rollings > 0 || c->spins > 0)
        return unsupported(diagnostic, "resistance to rolling and spinning");
    if (p->friction_limit >= 0)
        return unsupported(diagnostic, "friction with a given limit");
    if (c->sliding_friction != p->friction && c->tangents > 0)
        return unsupported(diagnostic, "coefficient of sliding that differs from that of sticking");
    uint32_t count = ash_problem_get_point_rows(w->problem, contact, point, rows);
    for (uint32_t i = 0; i < w->form->dimension; i++) {
        double given =
            write_column(w, &w->form->contacts, c->body_a, c->body_b, &rows[i], 1, i < count ? rows[i].softness : 0);
        push(w->form, &w->form->w, given + rows[i].bias);
        push(w->form, &w->form->r, rows[i].impulse);
    }
    push(w->form, &w->form->mu, c->tangents > 0 ? p->friction : 0);
    return ASH_OK;
}

/* A row that only pushes, in the sense of `sign`. */
static void write_limit(writer *w, const ash_problem_block *block, const ash_problem_row *row, double sign)
{
    ashi_fclib *form = w->form;
    double given = write_column(w, &form->contacts, block->body_a, block->body_b, row, sign, row->softness);
    push(form, &form->w, given + sign * row->bias);
    push(form, &form->r, sign * row->impulse);
    for (uint32_t i = 1; i < form->dimension; i++) {
        end_column(form, &form->contacts);
        push(form, &form->w, 0);
        push(form, &form->r, 0);
    }
    push(form, &form->mu, 0);
}

static ash_status write_row(writer *w, const ash_problem_block *block, const ash_problem_row *row,
                            ash_diagnostic *diagnostic)
{
    bool below = row->lower > -HUGE_VAL, above = row->upper < HUGE_VAL;
    if (below || above) {
        if ((below && (row->lower != 0 || above)) || (above && row->upper != 0))
            return unsupported(diagnostic, "row with bounds such as those of a motor");
        write_limit(w, block, row, below ? 1 : -1);
        return ASH_OK;
    }
    double given = write_column(w, &w->form->equals, block->body_a, block->body_b, row, 1, row->softness);
    push(w->form, &w->form->b, given + row->bias);
    push(w->form, &w->form->l, row->impulse);
    return ASH_OK;
}

static void find_speeds(ashi_fclib *form)
{
    const ashi_sparse *h = &form->contacts;
    for (uint32_t column = 0; column + 1 < h->start.count; column++) {
        double u = form->w.data[column];
        for (int32_t k = h->start.data[column]; k < h->start.data[column + 1]; k++)
            u += h->value.data[k] * form->v.data[h->row.data[k]];
        push(form, &form->u, u);
    }
}

ash_status ashi_fclib_from_problem(const ash_problem *p, ashi_fclib *form, ash_diagnostic *diagnostic)
{
    *form = (ashi_fclib){.dimension = p->planar ? 2 : 3};
    if (p->law != ASH_FRICTION_CONE && !p->planar)
        return unsupported(diagnostic, "friction other than Coulomb's cone");
    if (p->h == 0 && p->restitution_law != ASH_RESTITUTION_NEWTON)
        for (uint32_t i = 0; i < p->point_count; i++)
            if (p->points[i].rebound > 0)
                return unsupported(diagnostic, "law of restitution other than Newton's");
    writer w = {p, form, ashi_alloc_array(p->body_count, 6 * sizeof *w.freedom)};
    if (w.freedom == NULL)
        return ashi_out_of_memory(diagnostic);
    end_column(form, &form->mass);
    end_column(form, &form->contacts);
    end_column(form, &form->equals);
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        write_body(&w, i);
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < p->contact_count && status == ASH_OK; i++)
        for (uint32_t k = 0; k < p->contacts[i].point_count && status == ASH_OK; k++)
            status = write_point(&w, i, p->contacts[i].first_point + k, diagnostic);
    for (uint32_t i = 0; i < p->block_count && status == ASH_OK; i++)
        for (uint32_t k = 0; k < p->blocks[i].row_count && status == ASH_OK; k++)
            status = write_row(&w, &p->blocks[i], &p->rows[p->blocks[i].first_row + k], diagnostic);
    form->contacts.rows = form->equals.rows = form->mass.rows;
    if (status == ASH_OK && !form->out_of_memory)
        find_speeds(form);
    ashi_dealloc(w.freedom);
    return form->out_of_memory ? ashi_out_of_memory(diagnostic) : status;
}

static void release_sparse(ashi_sparse *m)
{
    ashi_array_release(&m->start);
    ashi_array_release(&m->row);
    ashi_array_release(&m->value);
}

void ashi_fclib_release(ashi_fclib *form)
{
    ashi_numbers *numbers[] = {&form->f, &form->w, &form->b, &form->mu, &form->free,
                               &form->v, &form->u, &form->r, &form->l};
    release_sparse(&form->mass);
    release_sparse(&form->contacts);
    release_sparse(&form->equals);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ashi_array_release(numbers[i]);
    *form = (ashi_fclib){0};
}

/* ---- FCLIB's measure ---- */

/* m^T x + shift, by column. */
static double column_times(const ashi_sparse *m, uint32_t column, const double *x, double shift)
{
    for (int32_t k = m->start.data[column]; k < m->start.data[column + 1]; k++)
        shift += m->value.data[k] * x[m->row.data[k]];
    return shift;
}

/* The nearest point of the cone |r_T| <= mu r_n. */
static void project(double *r, double mu, uint32_t dimension)
{
    double tangent = dimension == 3 ? sqrt(r[1] * r[1] + r[2] * r[2]) : fabs(r[1]);
    if (tangent <= mu * r[0])
        return;
    double normal = mu * tangent <= -r[0] ? 0 : (r[0] + mu * tangent) / (1 + mu * mu);
    for (uint32_t i = 1; i < dimension; i++)
        r[i] = tangent > 0 ? mu * normal * r[i] / tangent : 0;
    r[0] = normal;
}

double ashi_fclib_merit(const ashi_fclib *form)
{
    uint32_t d = form->dimension;
    double natural = 0, free = 0, open = 0, apart = 0;
    for (uint32_t c = 0; c < form->mu.count; c++) {
        const double *r = form->r.data + (size_t)d * c, *u = form->u.data + (size_t)d * c, mu = form->mu.data[c];
        double slip = d == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]), z[3] = {0};
        for (uint32_t i = 0; i < d; i++) {
            double q = column_times(&form->contacts, d * c + i, form->free.data, form->w.data[d * c + i]);
            free += q * q;
            z[i] = r[i] - u[i] - (i == 0 ? mu * slip : 0);
        }
        project(z, mu, d);
        for (uint32_t i = 0; i < d; i++)
            natural += (r[i] - z[i]) * (r[i] - z[i]);
    }
    for (uint32_t i = 0; i < form->b.count; i++) {
        double s = column_times(&form->equals, i, form->free.data, form->b.data[i]);
        double left = column_times(&form->equals, i, form->v.data, form->b.data[i]);
        apart += s * s;
        open += left * left;
    }
    return sqrt(natural) / (1 + sqrt(sqrt(free))) + sqrt(open) / (1 + sqrt(apart));
}
